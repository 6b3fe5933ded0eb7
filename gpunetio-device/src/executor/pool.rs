//! The OS threads of an executor: made on demand up to the residency cap, parked between launches.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::block::BlockRunner;
use super::launch::LaunchShared;

pub(super) struct Pool {
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

impl Pool {
    pub(super) fn new(cap: usize) -> Self {
        Self { cap, state: Mutex::default(), work: Condvar::new() }
    }

    /// Lets up to `threads` threads run blocks of a launch.
    pub(super) fn submit(self: &Arc<Self>, launch: &Arc<LaunchShared>, threads: usize) {
        let mut state = self.lock();
        for _ in 0..threads {
            state.queue.push_back(Arc::clone(launch));
        }
        while state.idle < state.queue.len() && state.threads < self.cap {
            let pool = Arc::clone(self);
            let name = format!("gpunetio-block-{}", state.threads);
            // No thread to be had: those that exist run the blocks one after the other, and the first is needed.
            let spawned = std::thread::Builder::new().name(name).spawn(move || pool.run());
            if spawned.is_err() && state.threads > 0 {
                break;
            } else if spawned.is_err() {
                drop(state);
                std::thread::yield_now();
                state = self.lock();
                continue;
            }
            state.threads += 1;
            state.idle += 1;
        }
        drop(state);
        self.work.notify_all();
    }

    /// Threads end once the queue is empty. They are not joined: a kernel may never end.
    pub(super) fn close(&self) {
        self.lock().closed = true;
        self.work.notify_all();
    }

    fn run(&self) {
        let mut runner = BlockRunner::default();
        let mut state = self.lock();
        loop {
            if let Some(launch) = state.queue.pop_front() {
                state.idle -= 1;
                drop(state);
                launch.run_blocks(&mut runner);
                drop(launch);
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
