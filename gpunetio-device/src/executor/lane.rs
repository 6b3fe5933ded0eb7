//! A CUDA thread as its kernel and the scheduler see it.

use std::ffi::c_void;

use corosensei::Yielder;

use super::Dim3;
use super::block::BlockState;

/// What the platform header reads (`struct gpunetio_cpu_lane`).
#[derive(Debug)]
#[repr(C)]
pub(super) struct LaneView {
    pub(super) thread_idx: Dim3,
    pub(super) block_idx: Dim3,
    pub(super) block_dim: Dim3,
    pub(super) grid_dim: Dim3,
    pub(super) lane: u32,
    pub(super) solo: u32,
    pub(super) dynamic_shared: *mut c_void,
    pub(super) dynamic_shared_bytes: u64,
}

/// The view, and what the executor keeps behind it. The view is first: a pointer to it is a pointer to the lane.
#[repr(C)]
pub(super) struct Lane {
    pub(super) view: LaneView,
    /// Block of this thread; null for a block of one thread.
    pub(super) block: *mut BlockState,
    /// Way back to the scheduler; set when the fiber starts.
    pub(super) yielder: *const Yielder<(), ()>,
    /// Index in the block.
    pub(super) index: u32,
    /// Turns of wait loops so far.
    pub(super) turns: u32,
    /// What the last warp- or block-wide operation gave.
    pub(super) result: u64,
}

unsafe extern "C" {
    fn gpunetio_cpu_get_current() -> *mut LaneView;
    fn gpunetio_cpu_set_current(lane: *mut LaneView);
}

/// The lane that this OS thread runs, null outside a kernel.
pub(super) fn current() -> *mut Lane {
    // SAFETY: reads a thread-local.
    unsafe { gpunetio_cpu_get_current() }.cast()
}

/// Makes `lane` the one that this OS thread runs.
pub(super) fn set_current(lane: *mut Lane) {
    // SAFETY: writes a thread-local; who reads it checks for null.
    unsafe { gpunetio_cpu_set_current(lane.cast()) }
}

/// What a wait does when there is nothing else to run: a short pause most of the time, and now and then a yield, for the thread
/// that is waited for may need this CPU.
///
/// `work` is how much waiting was done since the last call: where blocks wait for each other, a round of a block of many fibers
/// counts as many rounds of a block of one, so that it does not keep the CPU longer.
pub(super) fn pause(turns: &mut u32, work: u32) {
    *turns = turns.saturating_add(work);
    if *turns >= 32 {
        *turns = 0;
        std::thread::yield_now();
    } else {
        std::hint::spin_loop();
    }
}
