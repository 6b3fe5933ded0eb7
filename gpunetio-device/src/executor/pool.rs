//! The OS threads of an executor: made on demand up to the residency cap, parked between launches.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::block::BlockRunner;
use super::launch::{LaunchError, LaunchShared};
use super::stacks::Stacks;

pub(super) struct Pool {
    stacks: Arc<Stacks>,
    cap: usize,
    state: Mutex<State>,
    work: Condvar,
}

#[derive(Default)]
struct State {
    /// One entry per thread that a launch may still use.
    queue: VecDeque<Arc<LaunchShared>>,
    threads: usize,
    idle: usize,
    closed: bool,
}

/// A thread that runs blocks. Dropped only by a panic, which ends the thread: it is not one of the pool's any more.
struct Busy<'a>(&'a Pool);

impl Drop for Busy<'_> {
    fn drop(&mut self) {
        self.0.lock().threads -= 1;
    }
}

impl Pool {
    pub(super) fn new(cap: usize) -> Self {
        Self { stacks: Arc::default(), cap, state: Mutex::default(), work: Condvar::new() }
    }

    /// Lets `threads` threads run blocks of a launch. Where other launches hold threads and the cap is reached, some of them come
    /// later, as on a GPU that is busy.
    ///
    /// # Errors
    /// A thread could not be started: the launch is not queued, for blocks that wait for each other would never end on fewer.
    pub(super) fn submit(
        self: &Arc<Self>,
        launch: &Arc<LaunchShared>,
        threads: usize,
    ) -> Result<(), LaunchError> {
        let mut state = self.lock();
        let free = state.idle.saturating_sub(state.queue.len());
        let needed = threads.saturating_sub(free).min(self.cap - state.threads);
        for started in 0..needed {
            let pool = Arc::clone(self);
            let name = format!("gpunetio-block-{}", state.threads);
            if let Err(e) = std::thread::Builder::new().name(name).spawn(move || pool.run()) {
                let (kernel, reason) = (launch.kernel_name(), e.to_string());
                return Err(LaunchError::Threads { kernel, needed, started, reason });
            }
            state.threads += 1;
            state.idle += 1;
        }
        state.queue.extend((0..threads).map(|_| Arc::clone(launch)));
        drop(state);
        self.work.notify_all();
        Ok(())
    }

    /// Threads end once the queue is empty. They are not joined: a kernel may never end.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.work.notify_all();
    }

    fn run(&self) {
        let mut runner = BlockRunner::new(Arc::clone(&self.stacks));
        let mut state = self.lock();
        loop {
            if let Some(launch) = state.queue.pop_front() {
                state.idle -= 1;
                drop(state);
                let busy = Busy(self);
                launch.run_blocks(&mut runner);
                drop(launch);
                std::mem::forget(busy);
                state = self.lock();
                state.idle += 1;
            } else if state.closed {
                state.threads -= 1;
                state.idle -= 1;
                return;
            } else {
                state = self.work.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
