//! The CPU executor: runs kernels that a host C++ compiler built from CUDA source.
//!
//! A block runs on one OS thread, so block scope needs no atomics and shared memory is thread-local; each of its CUDA threads is
//! a fiber, left only in a call of the platform header (wait loops call `relax`). Warps of 32 have shuffles, ballots, matches,
//! `__activemask` and `__syncwarp` with the semantics of independent thread scheduling. A block of one thread runs without
//! fibers. As many blocks as the residency cap allows run at a time, the rest queue, as on a GPU.
//!
//! Kernels are exported by `GPUNETIO_CPU_KERNEL` (`include/device/gpunetio_cpu_executor.h`) as a [`KernelEntry`].
#![allow(unsafe_code)]

mod block;
mod lane;
mod launch;
mod platform;
mod pool;
mod stacks;
mod warp;

pub use launch::{Launch, LaunchError};

use std::ffi::{CStr, c_char, c_void};
use std::sync::Arc;

use launch::LaunchShared;
use pool::Pool;

/// Threads of a block at most, as CUDA has it.
pub const MAX_BLOCK_THREADS: u32 = 1024;
/// Blocks that run at the same time at most, over all launches of an executor.
pub const MAX_RESIDENT_BLOCKS: usize = 256;
/// Fibers of one launch that exist at the same time at most; wide blocks lower their launch's residency.
pub const MAX_RESIDENT_FIBERS: usize = 16 * 1024;
/// Dynamic shared memory of a block at most, in bytes: what a block of a current GPU can have.
pub const MAX_SHARED_BYTES: usize = 227 * 1024;
/// Stacks of fibers that an executor keeps for later blocks at most.
pub const MAX_IDLE_STACKS: usize = 4096;
/// Stack of a fiber in bytes.
pub const FIBER_STACK_BYTES: usize = 128 * 1024;

/// Three extents, as CUDA's `dim3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Dim3 {
    /// Fastest.
    pub x: u32,
    /// Middle.
    pub y: u32,
    /// Slowest.
    pub z: u32,
}

impl Dim3 {
    /// A line of `x`.
    pub const fn line(x: u32) -> Self {
        Self { x, y: 1, z: 1 }
    }

    /// Product of the extents, `None` past 64 bits.
    pub fn volume(self) -> Option<u64> {
        (u64::from(self.x) * u64::from(self.y)).checked_mul(u64::from(self.z))
    }

    fn at(self, index: u64) -> Self {
        let (x, y) = (u64::from(self.x), u64::from(self.y));
        Self { x: (index % x) as u32, y: (index / x % y) as u32, z: (index / x / y) as u32 }
    }
}

/// Shape of a launch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaunchConfig {
    /// Blocks.
    pub grid: Dim3,
    /// Threads of a block, at most [`MAX_BLOCK_THREADS`].
    pub block: Dim3,
    /// Dynamic shared memory of a block in bytes (`GPUNETIO_DYNAMIC_SHARED`), at most [`MAX_SHARED_BYTES`].
    pub shared_bytes: usize,
}

impl LaunchConfig {
    /// A line of blocks of a line of threads, without dynamic shared memory.
    pub const fn line(blocks: u32, threads: u32) -> Self {
        Self { grid: Dim3::line(blocks), block: Dim3::line(threads), shared_bytes: 0 }
    }
}

/// A kernel as `GPUNETIO_CPU_KERNEL` exports it (`struct gpunetio_cpu_kernel`).
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct KernelEntry {
    entry: Option<unsafe extern "C" fn(*const *mut c_void)>,
    num_args: u32,
    arg_bytes: *const u32,
    name: *const c_char,
}

// SAFETY: an entry is constant data and code of the program; nothing writes through its pointers.
unsafe impl Send for KernelEntry {}
// SAFETY: as above.
unsafe impl Sync for KernelEntry {}

impl KernelEntry {
    /// An entry that names no kernel; launching it is an error.
    pub const fn null() -> Self {
        Self { entry: None, num_args: 0, arg_bytes: std::ptr::null(), name: std::ptr::null() }
    }

    /// Name of the kernel as it was exported.
    pub fn name(&self) -> String {
        if self.name.is_null() {
            return String::from("(unnamed)");
        }
        // SAFETY: the macro stores a string literal.
        unsafe { CStr::from_ptr(self.name) }.to_string_lossy().into_owned()
    }
}

/// Runs kernels on OS threads. Cheap to keep; threads are made when first needed and end with it.
pub struct CpuExecutor {
    pool: Arc<Pool>,
}

impl std::fmt::Debug for CpuExecutor {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CpuExecutor").finish_non_exhaustive()
    }
}

impl Default for CpuExecutor {
    fn default() -> Self {
        Self::new()
    }
}

impl CpuExecutor {
    /// An executor with no threads yet.
    pub fn new() -> Self {
        Self { pool: Arc::new(Pool::new(MAX_RESIDENT_BLOCKS)) }
    }

    /// Starts a kernel and returns at once, as `cuLaunchKernel` does. `args` points to the arguments in order; they are copied
    /// before this returns.
    ///
    /// # Errors
    /// An empty or too large grid or block, too much shared memory, an entry that is null, a wrong number of arguments or a null
    /// one, OS threads that could not be started.
    ///
    /// # Safety
    /// `args[i]` points to a value of the kernel's i-th parameter type. What the kernel does with them, and with memory that
    /// they point to, is sound until the launch has finished, also if the [`Launch`] is dropped before.
    pub unsafe fn launch(
        &self,
        kernel: &KernelEntry,
        config: LaunchConfig,
        args: &[*mut c_void],
    ) -> Result<Launch, LaunchError> {
        // SAFETY: the caller's contract is the same.
        let shared = Arc::new(unsafe { LaunchShared::new(kernel, config, args) }?);
        let resident = shared.resident_blocks();
        self.pool.submit(&shared, resident)?;
        Ok(Launch::new(shared))
    }
}

impl Drop for CpuExecutor {
    fn drop(&mut self) {
        self.pool.close();
    }
}
