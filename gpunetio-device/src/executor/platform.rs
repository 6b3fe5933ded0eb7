//! The functions that the host platform header calls (`include/device/gpunetio_cpu_executor.h`).

use std::ffi::c_void;
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use super::block::BlockState;
use super::lane::{self, Lane};
use super::warp::WarpOp;

/// Runs `step` on the block of the calling fiber and, unless it says that the fiber may go on, switches to the scheduler until
/// the fiber is woken. Returns the lane's result.
fn with_block(step: impl FnOnce(&mut BlockState, u32) -> bool) -> u64 {
    let lane = lane::current();
    // SAFETY: only kernels call this, so a lane is running; it, its block and its yielder live as long as its fiber. The
    // reference to the block ends before the switch.
    unsafe {
        if !step(&mut *(*lane).block, (*lane).index) {
            (*(*lane).yielder).suspend(());
        }
        (*lane).result
    }
}

/// The lane that calls, if it is a fiber of a block of several threads.
fn fiber() -> Option<*mut Lane> {
    let lane = lane::current();
    // SAFETY: a lane that is current is alive.
    (!lane.is_null() && unsafe { !(*lane).block.is_null() }).then_some(lane)
}

fn relax() {
    if fiber().is_some() {
        let mut alone = false;
        with_block(|block, index| {
            alone = block.relax(index);
            alone
        });
        if !alone {
            return;
        }
    }
    let lane = lane::current();
    if lane.is_null() {
        std::hint::spin_loop();
    } else {
        // SAFETY: a lane that is current is alive, and only this thread touches it.
        lane::pause(unsafe { &mut (*lane).turns }, 1);
    }
}

#[unsafe(no_mangle)]
extern "C" fn gpunetio_cpu_relax() {
    relax();
}

#[unsafe(no_mangle)]
extern "C" fn gpunetio_cpu_nanosleep(ns: u32) {
    let time = Duration::from_nanos(u64::from(ns));
    // Below this a sleep of the OS costs more than it saves.
    if fiber().is_none() && time >= Duration::from_micros(100) {
        std::thread::sleep(time);
        return;
    }
    let start = Instant::now();
    while start.elapsed() < time {
        relax();
    }
}

#[unsafe(no_mangle)]
extern "C" fn gpunetio_cpu_warp(op: u32, mask: u32, value: u64, source: u32) -> u64 {
    with_block(|block, index| block.warp(index, WarpOp(op), mask, value, source))
}

#[unsafe(no_mangle)]
extern "C" fn gpunetio_cpu_active_mask_at(site: *const c_void) -> u32 {
    with_block(|block, index| block.active_mask(index, site as usize)) as u32
}

#[unsafe(no_mangle)]
extern "C" fn gpunetio_cpu_block(_op: u32, value: u32) -> u32 {
    // SYNC passes 0 and ignores the count.
    with_block(|block, index| block.barrier(index, value != 0)) as u32
}

#[unsafe(no_mangle)]
extern "C" fn gpunetio_cpu_globaltimer() -> u64 {
    static START: LazyLock<Instant> = LazyLock::new(Instant::now);
    START.elapsed().as_nanos() as u64
}
