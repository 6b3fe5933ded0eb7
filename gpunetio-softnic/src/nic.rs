//! The NIC's thread: it owns the fabric and the clock.
//!
//! Round and round: commands, doorbells, engine. A command about a queue first takes the doorbells that were rung before
//! it. While work comes it spins. Without work it spins on for [`SPIN`] rounds, then gives its core to others every
//! [`ROUNDS_PER_YIELD`] rounds, and [`IDLE_BEFORE_PARK`] after the last work it parks: it sleeps for [`POLL_MIN`], growing to [`POLL_MAX`], and looks at all doorbells when it wakes. So a doorbell rung at a
//! parked NIC is seen within [`POLL_MAX`] and the system's timer slack. Commands and timers of the engine wake it at once.
//!
//! Commands come as closures through a channel. A sender first sends and then unparks the thread; the thread looks into the
//! channel before and after every sleep. Either a look finds the command, or the unpark comes after it and its token, which
//! [`std::thread::park_timeout`] keeps, ends the next sleep at once: no command waits for a timeout.
//!
//! A panic ends the NIC as a fault of its firmware ends a real one: commands fail from then on. Its fabric is kept until
//! [`Nic::stop`], since clients still store to the doorbell registers that lie in it.

use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender, TryRecvError};
use std::thread::{self, JoinHandle, Thread};
use std::time::Instant;

use crate::device::Fabric;
use crate::doorbell::Doorbells;
use crate::engine;

/// Rounds without work before the thread yields for the first time; some ten microseconds.
pub const SPIN: u32 = 512;
/// Rounds without work between yields from then on.
pub const ROUNDS_PER_YIELD: u32 = 32;
/// Time without work after which the thread parks.
pub const IDLE_BEFORE_PARK: Duration = Duration::from_millis(1);
/// First sleep of a parked thread.
pub const POLL_MIN: Duration = Duration::from_micros(100);
/// Longest sleep of a parked thread: the poll interval of an idle NIC.
pub const POLL_MAX: Duration = Duration::from_micros(500);
/// WQEs that the engine executes before commands and doorbells are looked at again.
const BUDGET_WQES: usize = 64;

enum Command {
    /// Run this.
    Run(Box<dyn FnOnce(&mut Fabric) + Send>),
    /// End the thread.
    Stop,
}

/// What the thread counts, for tests and diagnosis.
#[derive(Debug, Default)]
struct Counters {
    parked: AtomicBool,
    parks: AtomicU64,
    wakeups: AtomicU64,
}

/// State of the thread at one moment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Activity {
    /// It sleeps.
    pub parked: bool,
    /// Times that it began to sleep after work.
    pub parks: u64,
    /// Times that it woke from a sleep, with or without work.
    pub wakeups: u64,
}

/// The fabric of a thread that has ended, and whether it panicked.
#[derive(Debug)]
struct Ended {
    fabric: Fabric,
    panicked: bool,
}

/// A running NIC thread.
#[derive(Debug)]
pub struct Nic {
    handle: JoinHandle<Ended>,
    link: Link,
}

/// The way to a NIC thread; any number of them, for any thread.
#[derive(Debug, Clone)]
pub struct Link {
    commands: Sender<Command>,
    thread: Thread,
    counters: Arc<Counters>,
}

/// There is no NIC's thread, or none any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "no thread of the software nic: no device is open, it failed, or this process was forked from the one that opened it"
)]
pub struct Stopped;

impl Nic {
    /// Starts a thread that owns `fabric`; the error is the system's.
    pub fn start(fabric: Fabric) -> std::io::Result<Self> {
        let (commands, receiver) = mpsc::channel();
        let counters = Arc::new(Counters::default());
        let worker = Worker {
            fabric,
            doorbells: Doorbells::default(),
            commands: receiver,
            counters: Arc::clone(&counters),
            start: Instant::now(),
        };
        let handle = thread::Builder::new().name("softnic".to_owned()).spawn(|| worker.run())?;
        let thread = handle.thread().clone();
        Ok(Self { handle, link: Link { commands, thread, counters } })
    }

    /// The way to the thread.
    pub fn link(&self) -> &Link {
        &self.link
    }

    /// True once the thread has ended, which it does of its own accord only by a panic.
    pub fn has_ended(&self) -> bool {
        self.handle.is_finished()
    }

    /// Ends the thread once the commands sent before are done, and returns its fabric; [`Stopped`] if it has panicked, whose
    /// fabric is dropped, with its doorbell registers.
    pub fn stop(self) -> Result<Fabric, Stopped> {
        let Self { handle, link } = self;
        // A thread that is gone already needs no command to stop.
        let _ = link.send(Command::Stop);
        let ended = handle.join().map_err(|_| Stopped)?;
        if ended.panicked { Err(Stopped) } else { Ok(ended.fabric) }
    }
}

impl Link {
    /// Runs `command` on the NIC's thread and returns what it returns.
    pub fn call<R: Send + 'static>(
        &self,
        command: impl FnOnce(&mut Fabric) -> R + Send + 'static,
    ) -> Result<R, Stopped> {
        let (reply, answer) = mpsc::sync_channel(1);
        let command = move |fabric: &mut Fabric| {
            // A caller that no longer waits does not need the answer.
            let _ = reply.send(command(fabric));
        };
        self.send(Command::Run(Box::new(command)))?;
        answer.recv().map_err(|_| Stopped)
    }

    fn send(&self, command: Command) -> Result<(), Stopped> {
        self.commands.send(command).map_err(|_| Stopped)?;
        // After the send: see the module's text.
        self.thread.unpark();
        Ok(())
    }

    /// What the thread does now.
    pub fn activity(&self) -> Activity {
        // Relaxed: counts for diagnosis, which order nothing.
        Activity {
            parked: self.counters.parked.load(Ordering::Relaxed),
            parks: self.counters.parks.load(Ordering::Relaxed),
            wakeups: self.counters.wakeups.load(Ordering::Relaxed),
        }
    }
}

/// What came of looking for commands.
#[derive(PartialEq, Eq)]
enum Commands {
    None,
    Some,
    Stop,
}

struct Worker {
    fabric: Fabric,
    doorbells: Doorbells,
    commands: Receiver<Command>,
    counters: Arc<Counters>,
    start: Instant,
}

impl Worker {
    fn run(mut self) -> Ended {
        // Unwind safe: after a panic nobody looks at the fabric again, it is only dropped.
        let panicked = catch_unwind(AssertUnwindSafe(|| self.rounds())).is_err();
        if panicked {
            log::error!("softnic: the nic has failed (see the panic above): its devices are gone");
        }
        // Here the commands that nobody ran are dropped, and their senders told.
        Ended { fabric: self.fabric, panicked }
    }

    /// Works until it is told to stop.
    fn rounds(&mut self) {
        let mut idle = 0u32;
        let mut last_work = Instant::now();
        loop {
            let mut worked = match self.run_commands() {
                Commands::Stop => return,
                Commands::Some => true,
                Commands::None => false,
            };
            worked |= self.doorbells.poll(&mut self.fabric);
            // The clock is read only where somebody asks: it costs as much as the rest of an idle round.
            if worked || !self.fabric.ready.0.is_empty() {
                self.set_clock();
                worked |= engine::run(&mut self.fabric, BUDGET_WQES);
            }
            if worked {
                idle = 0;
                continue;
            }
            idle = idle.saturating_add(1);
            if idle == 1 {
                last_work = Instant::now();
            }
            if idle < SPIN || !idle.is_multiple_of(ROUNDS_PER_YIELD) {
                core::hint::spin_loop();
                continue;
            }
            if self.run_timers() {
                idle = 0;
                continue;
            }
            if last_work.elapsed() < IDLE_BEFORE_PARK {
                thread::yield_now();
            } else if self.park() == Commands::Stop {
                return;
            } else {
                idle = 0;
            }
        }
    }

    fn set_clock(&mut self) {
        // 584 years fit.
        self.fabric.now = self.start.elapsed().as_nanos() as u64;
    }

    /// Runs all commands that wait.
    fn run_commands(&mut self) -> Commands {
        let mut found = Commands::None;
        loop {
            match self.commands.try_recv() {
                Ok(Command::Run(command)) => {
                    self.set_clock();
                    command(&mut self.fabric);
                    self.doorbells.refresh(&mut self.fabric);
                    found = Commands::Some;
                }
                Ok(Command::Stop) | Err(TryRecvError::Disconnected) => return Commands::Stop,
                Err(TryRecvError::Empty) => return found,
            }
        }
    }

    /// Runs what timers are due.
    fn run_timers(&mut self) -> bool {
        let Some(deadline) = engine::next_deadline(&self.fabric) else { return false };
        self.set_clock();
        deadline <= self.fabric.now && engine::run(&mut self.fabric, BUDGET_WQES)
    }

    /// Sleeps until a doorbell, a command or a timer. Commands are run; doorbells are announced to the engine.
    fn park(&mut self) -> Commands {
        self.count_park(true);
        let mut interval = POLL_MIN;
        let mut commands = Commands::None;
        while commands == Commands::None && !self.doorbells.poll_all(&mut self.fabric) {
            self.set_clock();
            let work_in = if self.fabric.ready.0.is_empty() {
                engine::next_deadline(&self.fabric)
                    .map_or(interval, |at| Duration::from_nanos(at.saturating_sub(self.fabric.now)))
            } else {
                Duration::ZERO
            };
            if work_in.is_zero() {
                if engine::run(&mut self.fabric, BUDGET_WQES) {
                    break;
                }
                // A look that found nothing, as that at the receive queue of a QP in error, is no reason to stay awake.
                continue;
            }
            thread::park_timeout(interval.min(work_in));
            // Relaxed: a count for diagnosis.
            self.counters.wakeups.fetch_add(1, Ordering::Relaxed);
            interval = (interval * 2).min(POLL_MAX);
            // After every sleep: one that times out takes the token of an unpark that comes in the same moment.
            commands = self.run_commands();
        }
        self.count_park(false);
        commands
    }

    fn count_park(&self, parked: bool) {
        // Relaxed: for diagnosis, orders nothing.
        self.counters.parked.store(parked, Ordering::Relaxed);
        self.counters.parks.fetch_add(u64::from(parked), Ordering::Relaxed);
    }
}
