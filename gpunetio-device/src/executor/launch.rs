//! One launch: its arguments, its blocks, its outcome.

use std::ffi::c_void;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use super::block::BlockRunner;
use super::{
    Dim3, KernelEntry, LaunchConfig, MAX_BLOCK_THREADS, MAX_RESIDENT_BLOCKS, MAX_RESIDENT_FIBERS,
    MAX_SHARED_BYTES,
};

/// Why a kernel was not started or did not end well.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum LaunchError {
    /// The entry is null.
    #[error("kernel entry is null: export the kernel with GPUNETIO_CPU_KERNEL")]
    NullEntry,
    /// No blocks, or more than 64 bits count.
    #[error("grid {0:?} is empty or too large: every extent must be at least 1")]
    Grid(Dim3),
    /// No threads, or too many.
    #[error("block {0:?} must have 1 to 1024 threads")]
    Block(Dim3),
    /// More dynamic shared memory than a block can have.
    #[error(
        "{0} bytes of dynamic shared memory for a block: at most 232448 (227 KiB) are possible"
    )]
    SharedMemory(usize),
    /// Blocks that run at the same time have an OS thread each, since they may wait for each other; one could not be started.
    #[error(
        "kernel {kernel} needs {needed} more OS threads for blocks that run at the same time, {started} could be started: \
         {reason}; launch fewer blocks"
    )]
    Threads {
        /// Kernel.
        kernel: String,
        /// Threads to be started for it.
        needed: usize,
        /// Threads that were.
        started: usize,
        /// What the OS said.
        reason: String,
    },
    /// The executor itself failed while it ran a block.
    #[error(
        "the executor panicked in block {block:?} of kernel {kernel}: report this with the message on standard error"
    )]
    Panicked {
        /// Kernel.
        kernel: String,
        /// Block index.
        block: Dim3,
    },
    /// Not one argument pointer per parameter.
    #[error("kernel {kernel} takes {expected} arguments, {given} were given")]
    ArgumentCount {
        /// Kernel.
        kernel: String,
        /// Parameters of the kernel.
        expected: usize,
        /// Pointers given.
        given: usize,
    },
    /// An argument pointer is null.
    #[error("argument {index} of kernel {kernel} is a null pointer: pass the address of the value")]
    NullArgument {
        /// Kernel.
        kernel: String,
        /// Position, from 0.
        index: usize,
    },
    /// Every thread of a block waits for something that no thread is left to bring about.
    #[error("kernel {kernel} is deadlocked in block {block:?}: {waiting}")]
    Deadlock {
        /// Kernel.
        kernel: String,
        /// Block index.
        block: Dim3,
        /// What the threads wait in.
        waiting: String,
    },
    /// A thread called a warp-wide operation with a mask that leaves itself out.
    #[error("kernel {kernel}, block {block:?}: {what}")]
    Misuse {
        /// Kernel.
        kernel: String,
        /// Block index.
        block: Dim3,
        /// Operation, lane and mask.
        what: String,
    },
    /// A fiber's stack could not be mapped.
    #[error("no memory for the stack of a fiber of kernel {kernel}: {reason}")]
    Stack {
        /// Kernel.
        kernel: String,
        /// What the system said.
        reason: String,
    },
}

/// What ended a block early.
pub(super) enum BlockFault {
    Deadlock(String),
    Misuse(String),
    Stack(String),
    Panic,
}

/// A launch as the threads that run it see it.
pub(super) struct LaunchShared {
    kernel: KernelEntry,
    pub(super) config: LaunchConfig,
    blocks: u64,
    next_block: AtomicU64,
    /// Blocks not yet ended.
    open_blocks: AtomicU64,
    failed: AtomicBool,
    /// Argument values, each at a 16-byte boundary.
    storage: Box<[u128]>,
    /// Byte offsets of the arguments in `storage`.
    offsets: Vec<usize>,
    outcome: Mutex<Outcome>,
    ended: Condvar,
}

#[derive(Default)]
struct Outcome {
    ended: bool,
    error: Option<LaunchError>,
}

impl LaunchShared {
    /// # Safety
    /// See [`super::CpuExecutor::launch`].
    pub(super) unsafe fn new(
        kernel: &KernelEntry,
        config: LaunchConfig,
        args: &[*mut c_void],
    ) -> Result<Self, LaunchError> {
        if kernel.entry.is_none() {
            return Err(LaunchError::NullEntry);
        }
        let blocks =
            config.grid.volume().filter(|&n| n > 0).ok_or(LaunchError::Grid(config.grid))?;
        let fits = |&n: &u64| (1..=u64::from(MAX_BLOCK_THREADS)).contains(&n);
        config.block.volume().filter(fits).ok_or(LaunchError::Block(config.block))?;
        if config.shared_bytes > MAX_SHARED_BYTES {
            return Err(LaunchError::SharedMemory(config.shared_bytes));
        }
        let expected = kernel.num_args as usize;
        if expected != args.len() {
            let (kernel, given) = (kernel.name(), args.len());
            return Err(LaunchError::ArgumentCount { kernel, expected, given });
        }
        if let Some(index) = args.iter().position(|p| p.is_null()) {
            return Err(LaunchError::NullArgument { kernel: kernel.name(), index });
        }
        let mut offsets = Vec::with_capacity(expected);
        let mut words = 0usize;
        for index in 0..expected {
            // SAFETY: the exporting macro stores num_args sizes behind arg_bytes.
            let bytes = unsafe { *kernel.arg_bytes.add(index) } as usize;
            offsets.push((words * 16, bytes));
            words += bytes.div_ceil(16);
        }
        let mut storage = vec![0u128; words].into_boxed_slice();
        for (&(offset, bytes), arg) in offsets.iter().zip(args) {
            // SAFETY: the caller says that arg points to a value of this parameter's type, which has `bytes` bytes; storage
            // has room for them at this offset.
            unsafe {
                let to = storage.as_mut_ptr().cast::<u8>().add(offset);
                std::ptr::copy_nonoverlapping(arg.cast::<u8>(), to, bytes);
            }
        }
        Ok(Self {
            kernel: *kernel,
            config,
            blocks,
            next_block: AtomicU64::new(0),
            open_blocks: AtomicU64::new(blocks),
            failed: AtomicBool::new(false),
            storage,
            offsets: offsets.into_iter().map(|(offset, _)| offset).collect(),
            outcome: Mutex::default(),
            ended: Condvar::new(),
        })
    }

    /// How many blocks run at a time at most.
    pub(super) fn resident_blocks(&self) -> usize {
        let by_fibers = (MAX_RESIDENT_FIBERS / self.block_threads()).max(1);
        let most = MAX_RESIDENT_BLOCKS.min(by_fibers);
        usize::try_from(self.blocks).unwrap_or(usize::MAX).min(most)
    }

    pub(super) fn block_threads(&self) -> usize {
        // At most 1024: checked at launch.
        (self.config.block.x * self.config.block.y * self.config.block.z) as usize
    }

    /// The argument array as a kernel entry takes it.
    pub(super) fn argument_pointers(&self) -> Vec<*mut c_void> {
        let base = self.storage.as_ptr().cast::<u8>();
        // SAFETY: every offset lies in storage.
        self.offsets.iter().map(|&at| unsafe { base.add(at) }.cast_mut().cast::<c_void>()).collect()
    }

    pub(super) fn entry(&self) -> unsafe extern "C" fn(*const *mut c_void) {
        match self.kernel.entry {
            Some(entry) => entry,
            // A launch is only made of an entry that is not null.
            None => unreachable!("kernel entry vanished"),
        }
    }

    /// Runs blocks until none is left to start.
    pub(super) fn run_blocks(&self, runner: &mut BlockRunner) {
        loop {
            // Relaxed: the counter only hands out numbers; what a block reads was published when the launch was queued.
            let index = self.next_block.fetch_add(1, Ordering::Relaxed);
            if index >= self.blocks {
                return;
            }
            let block = self.config.grid.at(index);
            let _open = OpenBlock { launch: self, block };
            // After a failure the rest of the grid is not started, as after a fault on a GPU.
            if !self.failed.load(Ordering::Relaxed)
                && let Err(fault) = runner.run(self, block)
            {
                self.fail(fault, block);
            }
        }
    }

    pub(super) fn kernel_name(&self) -> String {
        self.kernel.name()
    }

    fn fail(&self, fault: BlockFault, block: Dim3) {
        self.failed.store(true, Ordering::Relaxed);
        let kernel = self.kernel.name();
        let error = match fault {
            BlockFault::Deadlock(waiting) => LaunchError::Deadlock { kernel, block, waiting },
            BlockFault::Misuse(what) => LaunchError::Misuse { kernel, block, what },
            BlockFault::Stack(reason) => LaunchError::Stack { kernel, reason },
            BlockFault::Panic => LaunchError::Panicked { kernel, block },
        };
        self.lock().error.get_or_insert(error);
    }

    fn lock(&self) -> MutexGuard<'_, Outcome> {
        self.outcome.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A block that has been started. It ends with this, also where the executor panics: whoever joins must not wait for it.
struct OpenBlock<'a> {
    launch: &'a LaunchShared,
    block: Dim3,
}

impl Drop for OpenBlock<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            self.launch.fail(BlockFault::Panic, self.block);
        }
        // AcqRel: the last block to end publishes what all blocks did to whoever joins, through the mutex.
        if self.launch.open_blocks.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.launch.lock().ended = true;
            self.launch.ended.notify_all();
        }
    }
}

/// A launch in flight. Dropping it leaves the kernel running.
pub struct Launch {
    shared: Arc<LaunchShared>,
}

impl std::fmt::Debug for Launch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Launch")
            .field("kernel", &self.shared.kernel.name())
            .field("config", &self.shared.config)
            .field("finished", &self.is_finished())
            .finish()
    }
}

impl Launch {
    pub(super) fn new(shared: Arc<LaunchShared>) -> Self {
        Self { shared }
    }

    /// Whether every block has ended.
    pub fn is_finished(&self) -> bool {
        self.shared.lock().ended
    }

    /// Waits for the kernel.
    ///
    /// # Errors
    /// The first fault of a block.
    pub fn join(self) -> Result<(), LaunchError> {
        let mut outcome = self.shared.lock();
        while !outcome.ended {
            outcome = self.shared.ended.wait(outcome).unwrap_or_else(PoisonError::into_inner);
        }
        outcome.error.clone().map_or(Ok(()), Err)
    }

    /// Waits for the kernel for at most `limit`; `None` if it still runs.
    pub fn join_timeout(&self, limit: Duration) -> Option<Result<(), LaunchError>> {
        let start = Instant::now();
        let mut outcome = self.shared.lock();
        while !outcome.ended {
            let left = limit.checked_sub(start.elapsed())?;
            let waited = self.shared.ended.wait_timeout(outcome, left);
            outcome = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Some(outcome.error.clone().map_or(Ok(()), Err))
    }
}

#[cfg(test)]
mod tests {
    #![allow(clippy::unwrap_used)]
    use super::*;

    unsafe extern "C" fn nothing(_args: *const *mut c_void) {}

    #[test]
    fn a_block_in_which_the_executor_panics_ends() {
        let kernel = KernelEntry {
            entry: Some(nothing),
            num_args: 0,
            arg_bytes: std::ptr::null(),
            name: c"doomed".as_ptr(),
        };
        // SAFETY: the kernel takes no arguments and does nothing.
        let shared = unsafe { LaunchShared::new(&kernel, LaunchConfig::line(1, 1), &[]) }.unwrap();
        let shared = Arc::new(shared);
        let block = Dim3 { x: 0, y: 0, z: 0 };
        let running = Arc::clone(&shared);
        let thread = std::thread::spawn(move || {
            let _open = OpenBlock { launch: &running, block };
            std::panic::resume_unwind(Box::new(()));
        });
        assert!(thread.join().is_err());
        let error = Launch::new(shared).join_timeout(Duration::from_secs(10)).unwrap().unwrap_err();
        assert_eq!(error, LaunchError::Panicked { kernel: "doomed".into(), block });
    }
}
