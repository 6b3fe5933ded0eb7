//! Running one block: its fibers, their scheduler, the block barrier.

use std::cell::UnsafeCell;
use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::Arc;

use corosensei::stack::DefaultStack;
use corosensei::{Coroutine, CoroutineResult};

use super::Dim3;
use super::lane::{self, Lane, LaneView};
use super::launch::{BlockFault, LaunchShared};
use super::stacks::Stacks;
use super::warp::{Warp, WarpOp, Woken};

type Fiber = Coroutine<(), (), (), DefaultStack>;

/// What an OS thread keeps from block to block: dynamic shared memory, and where stacks come from.
pub(super) struct BlockRunner {
    stacks: Arc<Stacks>,
    shared: Vec<u128>,
}

/// State of a running block. Reached by its fibers through [`Lane::block`]; everything happens on one OS thread, and no
/// reference into it lives across a switch of fibers.
pub(super) struct BlockState {
    warps: Vec<Warp>,
    /// Fibers that may run.
    ready: VecDeque<u32>,
    /// Fibers in the block barrier.
    barrier: Vec<u32>,
    barrier_count: u64,
    live: u32,
    lanes: *mut Lane,
    /// Fibers that have run since one did anything but wait.
    quiet: usize,
    pub(super) fault: Option<BlockFault>,
}

impl BlockRunner {
    pub(super) fn new(stacks: Arc<Stacks>) -> Self {
        Self { stacks, shared: Vec::new() }
    }

    /// Runs a block to its end.
    pub(super) fn run(&mut self, launch: &LaunchShared, index: Dim3) -> Result<(), BlockFault> {
        let config = &launch.config;
        self.shared.resize(config.shared_bytes.div_ceil(16), 0);
        let threads = launch.block_threads();
        let solo = threads == 1;
        let dynamic_shared = self.shared.as_mut_ptr().cast::<c_void>();
        let view = |thread: usize| LaneView {
            thread_idx: config.block.at(thread as u64),
            block_idx: index,
            block_dim: config.block,
            grid_dim: config.grid,
            lane: (thread % 32) as u32,
            solo: u32::from(solo),
            dynamic_shared,
            dynamic_shared_bytes: config.shared_bytes as u64,
        };
        let lane_of = |thread: usize| Lane {
            view: view(thread),
            block: std::ptr::null_mut(),
            yielder: std::ptr::null(),
            index: thread as u32,
            turns: 0,
            result: 0,
        };
        let args = launch.argument_pointers();
        if solo {
            let mut only = lane_of(0);
            lane::set_current(&raw mut only);
            // SAFETY: the launch's contract covers the kernel and its arguments.
            unsafe { (launch.entry())(args.as_ptr()) };
            lane::set_current(std::ptr::null_mut());
            return Ok(());
        }
        let mut lanes: Box<[Lane]> = (0..threads).map(lane_of).collect();
        self.run_fibers(launch, &mut lanes, &args)
    }

    fn run_fibers(
        &mut self,
        launch: &LaunchShared,
        lanes: &mut [Lane],
        args: &[*mut c_void],
    ) -> Result<(), BlockFault> {
        let threads = lanes.len();
        let base = lanes.as_mut_ptr();
        let state = UnsafeCell::new(BlockState {
            warps: (0..threads.div_ceil(32))
                .map(|w| Warp::new((threads - w * 32).min(32) as u32))
                .collect(),
            ready: (0..threads as u32).collect(),
            barrier: Vec::with_capacity(threads),
            barrier_count: 0,
            live: threads as u32,
            lanes: base,
            quiet: 0,
            fault: None,
        });
        let stacks = self.stacks.take(threads).map_err(|e| BlockFault::Stack(e.to_string()))?;
        let mut fibers: Vec<Option<Fiber>> = Vec::with_capacity(threads);
        let mut ended = Vec::with_capacity(threads);
        for (index, stack) in stacks.into_iter().enumerate() {
            // SAFETY: index is below the number of lanes.
            let lane = unsafe { base.add(index) };
            // SAFETY: lane is valid; nothing else refers to it yet.
            unsafe { (*lane).block = state.get() };
            let (entry, args) = (launch.entry(), args.as_ptr());
            fibers.push(Some(Coroutine::with_stack(stack, move |yielder, ()| {
                // SAFETY: lanes and args outlive the fibers, which end or are abandoned before run_fibers returns; the
                // launch's contract covers the kernel.
                unsafe {
                    (*lane).yielder = yielder;
                    entry(args);
                }
            })));
        }
        let state_ptr = state.get();
        let mut turns = 0;
        // With other blocks about, a round of waiting fibers is long enough to let them run.
        let contended = launch.resident_blocks() > 1;
        let outcome = loop {
            // SAFETY: no fiber runs here, and no other reference into the state lives.
            let state = unsafe { &mut *state_ptr };
            if let Some(fault) = state.fault.take() {
                break Err(fault);
            }
            let Some(index) = state.ready.pop_front() else {
                break if state.live == 0 {
                    Ok(())
                } else {
                    Err(BlockFault::Deadlock(state.describe()))
                };
            };
            if state.quiet > state.ready.len() {
                let waiting = core::mem::take(&mut state.quiet) as u32;
                lane::pause(&mut turns, if contended { waiting } else { 1 });
            }
            let Some(fiber) = fibers[index as usize].as_mut() else { continue };
            // SAFETY: index is below the number of lanes.
            lane::set_current(unsafe { base.add(index as usize) });
            if let CoroutineResult::Return(()) = fiber.resume(()) {
                // SAFETY: as above; the reference from before the switch is not used any more.
                unsafe { &mut *state_ptr }.exit(index);
                ended.extend(fibers[index as usize].take().map(Coroutine::into_stack));
            }
        };
        lane::set_current(std::ptr::null_mut());
        ended.extend(fibers.into_iter().flatten().map(abandon));
        self.stacks.give(ended);
        outcome
    }
}

/// Takes the stack of a fiber that will never run again. What its frames own is leaked: kernels own nothing.
fn abandon(mut fiber: Fiber) -> DefaultStack {
    // SAFETY: the frames are C++ kernel frames and executor calls; none of them holds a value whose drop others rely on.
    unsafe { fiber.force_reset() };
    fiber.into_stack()
}

impl BlockState {
    /// A fiber waits for something outside its own control. True: nobody else can run, so it may go on at once.
    pub(super) fn relax(&mut self, index: u32) -> bool {
        let (warp, lane) = (index as usize / 32, index % 32);
        let woken = self.warps[warp].relax(lane);
        self.wake(warp, woken);
        self.quiet += 1;
        if self.ready.is_empty() {
            self.quiet = 0;
            return true;
        }
        self.ready.push_back(index);
        false
    }

    /// A fiber arrives at a warp-wide operation. True: it is complete and the fiber has its result.
    pub(super) fn warp(
        &mut self,
        index: u32,
        op: WarpOp,
        mask: u32,
        value: u64,
        source: u32,
    ) -> bool {
        let (warp, lane) = (index as usize / 32, index % 32);
        self.quiet = 0;
        if mask >> lane & 1 == 0 {
            self.fault = Some(BlockFault::Misuse(format!(
                "thread {index} (lane {lane}) calls {} with mask {mask:#x}, which leaves it out",
                op.name()
            )));
            return false;
        }
        let woken = self.warps[warp].arrive(lane, op, mask, value, source);
        self.wake_but(warp, woken, index)
    }

    /// A fiber asks for the active mask of a call. True: it has it.
    pub(super) fn active_mask(&mut self, index: u32, site: usize) -> bool {
        let (warp, lane) = (index as usize / 32, index % 32);
        let woken = self.warps[warp].park(lane, site);
        self.wake_but(warp, woken, index)
    }

    /// A fiber arrives at the block barrier. True: it was the last.
    pub(super) fn barrier(&mut self, index: u32, value: bool) -> bool {
        let (warp, lane) = (index as usize / 32, index % 32);
        self.quiet = 0;
        let woken = self.warps[warp].relax(lane);
        self.wake(warp, woken);
        self.barrier.push(index);
        self.barrier_count += u64::from(value);
        if self.barrier.len() < self.live as usize {
            return false;
        }
        self.open_barrier();
        // open_barrier made us ready as well; we go on without a switch.
        self.ready.retain(|&i| i != index);
        true
    }

    fn exit(&mut self, index: u32) {
        let (warp, lane) = (index as usize / 32, index % 32);
        self.live -= 1;
        self.quiet = 0;
        let woken = self.warps[warp].exit(lane);
        self.wake(warp, woken);
        if self.live > 0 && self.barrier.len() == self.live as usize {
            self.open_barrier();
        }
    }

    fn open_barrier(&mut self) {
        let count = std::mem::take(&mut self.barrier_count);
        for index in std::mem::take(&mut self.barrier) {
            self.warps[index as usize / 32].refresh(index % 32);
            self.give(index, count);
        }
    }

    fn wake(&mut self, warp: usize, woken: Woken) {
        for (lane, result) in woken {
            self.give(warp as u32 * 32 + lane, result);
        }
    }

    /// Wakes all but the caller, who is running; whether the caller was among them.
    fn wake_but(&mut self, warp: usize, woken: Woken, caller: u32) -> bool {
        let mut mine = false;
        for (lane, result) in woken {
            let index = warp as u32 * 32 + lane;
            if index == caller {
                self.set_result(index, result);
                mine = true;
            } else {
                self.give(index, result);
            }
        }
        mine
    }

    fn give(&mut self, index: u32, result: u64) {
        self.set_result(index, result);
        self.ready.push_back(index);
    }

    fn set_result(&mut self, index: u32, result: u64) {
        // SAFETY: index is a lane of this block; only this OS thread touches lanes.
        unsafe { (*self.lanes.add(index as usize)).result = result };
    }

    fn describe(&self) -> String {
        let mut parts = Vec::new();
        if !self.barrier.is_empty() {
            let (arrived, live) = (self.barrier.len(), self.live);
            parts.push(format!("{arrived} of {live} threads wait in __syncthreads"));
        }
        for (index, warp) in self.warps.iter().enumerate() {
            warp.describe(index, &mut parts);
        }
        parts.join("; ")
    }
}
