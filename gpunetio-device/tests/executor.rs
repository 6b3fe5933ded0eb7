//! What the CPU executor promises to kernels: lanes, masks, barriers, memory, grids, and reports instead of hangs.
#![allow(unsafe_code, clippy::unwrap_used, clippy::expect_used)]

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use gpunetio_device::executor::{
    CpuExecutor, Dim3, KernelEntry, Launch, LaunchConfig, LaunchError,
};

unsafe extern "C" {
    safe static gpunetio_kernel_exec_warp: KernelEntry;
    safe static gpunetio_kernel_exec_active_mask: KernelEntry;
    safe static gpunetio_kernel_exec_sub_warp: KernelEntry;
    safe static gpunetio_kernel_exec_shared: KernelEntry;
    safe static gpunetio_kernel_exec_grid: KernelEntry;
    safe static gpunetio_kernel_exec_early_exit: KernelEntry;
    safe static gpunetio_kernel_exec_deadlock: KernelEntry;
    safe static gpunetio_kernel_exec_bad_mask: KernelEntry;
    safe static gpunetio_kernel_exec_wait: KernelEntry;
    safe static gpunetio_kernel_exec_time: KernelEntry;
}

/// Launches a kernel whose arguments are all pointers to `u64` arrays.
fn launch(
    kernel: &KernelEntry,
    config: LaunchConfig,
    mut arrays: Vec<*mut u64>,
) -> Result<Launch, LaunchError> {
    let args: Vec<*mut c_void> = arrays.iter_mut().map(|a| (&raw mut *a).cast()).collect();
    // SAFETY: the kernels here take only pointers, to arrays that outlive the launch.
    unsafe { CpuExecutor::new().launch(kernel, config, &args) }
}

fn run(kernel: &KernelEntry, config: LaunchConfig, out: &mut [u64]) -> Result<(), LaunchError> {
    launch(kernel, config, vec![out.as_mut_ptr()])?.join()
}

#[test]
fn warp_operations_give_what_cuda_gives() {
    let mut out = vec![0; 8 * 64];
    run(&gpunetio_kernel_exec_warp, LaunchConfig::line(1, 64), &mut out).unwrap();
    for thread in 0..64u64 {
        let (lane, warp) = (thread % 32, thread / 32);
        let got = &out[8 * thread as usize..][..8];
        let source = (lane + 5) % 32;
        assert_eq!(got[0], source << 32 | (warp * 32 + source), "shfl, thread {thread}");
        assert_eq!(got[1], lane ^ 1);
        assert_eq!(got[2], if lane >= 2 { lane - 2 } else { lane });
        assert_eq!(got[3], if lane < 30 { lane + 2 } else { lane });
        assert_eq!(got[4], (0..32).filter(|l| l % 3 == 0).map(|l| 1u64 << l).sum::<u64>());
        assert_eq!(got[5], 0xff << (lane / 8 * 8));
        assert_eq!(got[6], 2, "any is true, all is not");
        assert_eq!(got[7], lane / 8 * 8 + 3);
    }
}

#[test]
fn active_mask_is_the_lanes_at_the_same_call() {
    let (mut out, flag) = (vec![u64::MAX; 3 * 32], AtomicU64::new(0));
    let kernel = &gpunetio_kernel_exec_active_mask;
    let arrays = vec![out.as_mut_ptr(), flag.as_ptr()];
    launch(kernel, LaunchConfig::line(1, 32), arrays).unwrap().join().unwrap();
    for lane in 0..32 {
        assert_eq!(out[3 * lane], 0xffff_ffff, "all lanes arrive together, lane {lane}");
        let expected = [0x1111_1111, 0x2222_2222, 0, 0][lane % 4];
        assert_eq!(out[3 * lane + 1], expected, "lane {lane}");
    }
    assert_eq!(out[2], 4, "a shuffle over the diverged group");
}

#[test]
fn parts_of_a_warp_synchronize_apart() {
    let mut out = vec![0; 32];
    run(&gpunetio_kernel_exec_sub_warp, LaunchConfig::line(1, 32), &mut out).unwrap();
    for (lane, &sum) in out.iter().enumerate() {
        assert_eq!(sum, if lane < 16 { 0 } else { 80 });
    }
}

#[test]
fn blocks_have_shared_memory_and_barriers_of_their_own() {
    let (blocks, threads) = (40u64, 200u64);
    let mut data: Vec<u64> = (0..blocks * threads).collect();
    let config = LaunchConfig {
        shared_bytes: threads as usize * 8,
        ..LaunchConfig::line(blocks as u32, threads as u32)
    };
    run(&gpunetio_kernel_exec_shared, config, &mut data).unwrap();
    for (index, &value) in data.iter().enumerate() {
        assert_eq!(value, index as u64 + 1 + 10 * threads / 2);
    }
}

#[test]
fn every_thread_of_a_grid_larger_than_the_machine_runs_once() {
    let (grid, block) = (Dim3 { x: 10, y: 20, z: 5 }, Dim3 { x: 4, y: 3, z: 2 });
    let mut seen = vec![0u32; 1000 * 24];
    let mut count = 0u64;
    let arrays = vec![seen.as_mut_ptr().cast(), &raw mut count];
    let config = LaunchConfig { grid, block, shared_bytes: 0 };
    launch(&gpunetio_kernel_exec_grid, config, arrays).unwrap().join().unwrap();
    assert!(seen.iter().all(|&times| times == 1));
    assert_eq!(count, 1000);
}

#[test]
fn lanes_that_have_ended_count_as_arrived() {
    let mut out = vec![0; 96];
    run(&gpunetio_kernel_exec_early_exit, LaunchConfig::line(1, 96), &mut out).unwrap();
    for (thread, &votes) in out.iter().enumerate() {
        assert_eq!(votes, if thread % 2 == 0 { 0x5555_5555 } else { 0 });
    }
}

#[test]
fn a_block_that_can_never_end_is_reported_by_what_it_waits_in() {
    let mut out = vec![0; 1];
    let error =
        run(&gpunetio_kernel_exec_deadlock, LaunchConfig::line(3, 32), &mut out).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, LaunchError::Deadlock { .. }), "{text}");
    assert!(text.contains("exec_deadlock is deadlocked"), "{text}");
    assert!(
        text.contains("lanes 0xffff wait in __shfl_sync with mask 0xffffffff for lanes 0xffff0000"),
        "{text}"
    );
    assert!(text.contains("16 of 32 threads wait in __syncthreads"), "{text}");
}

#[test]
fn a_mask_that_leaves_the_caller_out_is_reported() {
    let mut out = vec![0; 32];
    let error =
        run(&gpunetio_kernel_exec_bad_mask, LaunchConfig::line(1, 32), &mut out).unwrap_err();
    let text = error.to_string();
    assert!(text.contains("thread 3 (lane 3) calls __ballot_sync with mask 0x7"), "{text}");
}

#[test]
fn launches_are_asynchronous_and_arguments_are_copied() {
    let executor = CpuExecutor::new();
    let (flag, sum) = (AtomicU32::new(0), AtomicU64::new(0));
    // More blocks of one thread than may be resident, and blocks of several.
    for config in [LaunchConfig::line(600, 1), LaunchConfig::line(5, 70)] {
        flag.store(0, Ordering::Release);
        let launch = {
            let (mut f, mut s, mut small) = (flag.as_ptr(), sum.as_ptr(), 7u8);
            let args: [*mut c_void; 3] =
                [(&raw mut f).cast(), (&raw mut s).cast(), (&raw mut small).cast()];
            // SAFETY: the arguments match the kernel; flag and sum outlive the launch.
            unsafe { executor.launch(&gpunetio_kernel_exec_wait, config, &args) }.unwrap()
        };
        assert!(launch.join_timeout(Duration::from_millis(30)).is_none());
        assert!(!launch.is_finished());
        flag.store(1, Ordering::Release);
        launch.join().unwrap();
    }
    assert_eq!(sum.load(Ordering::Acquire), 605 * 7);
}

#[test]
fn clocks_go_on_across_a_sleep() {
    for threads in [1, 33] {
        let mut out = vec![0; 2 * threads];
        let config = LaunchConfig::line(1, threads as u32);
        run(&gpunetio_kernel_exec_time, config, &mut out).unwrap();
        for pair in out.chunks_exact(2) {
            assert!(pair[0] >= 200_000, "{} ns", pair[0]);
            assert!(pair[1] > 0);
        }
    }
}

#[test]
fn impossible_launches_are_refused_by_name() {
    let mut out = vec![0; 1];
    let kernel = &gpunetio_kernel_exec_warp;
    let text = |r: Result<Launch, LaunchError>| r.unwrap_err().to_string();
    let at = |grid, block| LaunchConfig { grid, block, shared_bytes: 0 };
    let one = Dim3::line(1);

    let empty = Dim3 { x: 4, y: 0, z: 1 };
    let message = text(launch(kernel, at(empty, one), vec![out.as_mut_ptr()]));
    assert!(message.contains("grid") && message.contains("y: 0"), "{message}");
    let message = text(launch(kernel, at(one, Dim3::line(1025)), vec![out.as_mut_ptr()]));
    assert!(message.contains("1025") && message.contains("1 to 1024"), "{message}");
    let message = text(launch(kernel, at(one, Dim3::line(0)), vec![out.as_mut_ptr()]));
    assert!(message.contains("x: 0"), "{message}");
    assert_eq!(
        launch(&KernelEntry::null(), at(one, one), vec![]).unwrap_err(),
        LaunchError::NullEntry
    );
    let message = text(launch(kernel, at(one, one), vec![]));
    assert!(message.contains("exec_warp takes 1 arguments, 0 were given"), "{message}");
    for bytes in [227 * 1024 + 1, usize::MAX] {
        let config = LaunchConfig { shared_bytes: bytes, ..at(one, one) };
        let message = text(launch(kernel, config, vec![out.as_mut_ptr()]));
        assert!(message.contains(&bytes.to_string()) && message.contains("232448"), "{message}");
    }
    // SAFETY: the null pointer is refused before it is read.
    let null = unsafe { CpuExecutor::new().launch(kernel, at(one, one), &[std::ptr::null_mut()]) };
    assert!(text(null).contains("argument 0 of kernel exec_warp is a null pointer"));
}

#[test]
fn the_most_shared_memory_there_is_can_be_used() {
    let mut data: Vec<u64> = (0..2 * 64).collect();
    let config = LaunchConfig { shared_bytes: 227 * 1024, ..LaunchConfig::line(2, 64) };
    run(&gpunetio_kernel_exec_shared, config, &mut data).unwrap();
    assert_eq!(data[127], 127 + 1 + 10 * 32);
}

/// Launches on one executor, joined one after the other.
fn run_grids(executor: &CpuExecutor, configs: &[LaunchConfig]) -> Result<(), LaunchError> {
    for &config in configs {
        let threads = (config.grid.x * config.block.x) as usize;
        let (mut seen, mut count) = (vec![0u32; threads], 0u64);
        let (mut s, mut c) = (seen.as_mut_ptr(), &raw mut count);
        let args: [*mut c_void; 2] = [(&raw mut s).cast(), (&raw mut c).cast()];
        // SAFETY: the arguments match the kernel and outlive the launch, which is joined here.
        unsafe { executor.launch(&gpunetio_kernel_exec_grid, config, &args) }?.join()?;
        assert!(seen.iter().all(|&times| times == 1));
    }
    Ok(())
}

#[test]
fn wide_launches_can_follow_many_small_ones_for_ever() {
    let mut configs = vec![LaunchConfig::line(600, 2)];
    configs.extend([LaunchConfig::line(16, 1024); 12]);
    configs.extend([LaunchConfig::line(250, 64), LaunchConfig::line(16, 1024)]);
    run_grids(&CpuExecutor::new(), &configs).unwrap();
}

const IN_CHILD: &str = "GPUNETIO_TEST_WITHOUT_THREADS";

#[test]
fn blocks_without_an_os_thread_are_refused() {
    // The limit is a process's own, so a child takes it.
    if std::env::var_os(IN_CHILD).is_none() {
        let child = std::process::Command::new(std::env::current_exe().unwrap())
            .args(["--exact", "blocks_without_an_os_thread_are_refused", "--nocapture"])
            .env(IN_CHILD, "1")
            .output()
            .unwrap();
        let output = String::from_utf8_lossy(&child.stdout).into_owned()
            + &String::from_utf8_lossy(&child.stderr);
        assert!(child.status.success(), "{output}");
        assert!(output.contains("ran without threads"), "{output}");
        return;
    }
    let executor = CpuExecutor::new();
    run_grids(&executor, &[LaunchConfig::line(1, 1)]).unwrap();
    let statm = std::fs::read_to_string("/proc/self/statm").unwrap();
    let pages: u64 = statm.split(' ').next().unwrap().parse().unwrap();
    let most = pages * 4096 + (16 << 20);
    let limit = libc::rlimit { rlim_cur: most, rlim_max: libc::RLIM_INFINITY };
    // SAFETY: reads the structure and nothing else.
    assert_eq!(unsafe { libc::setrlimit(libc::RLIMIT_AS, &limit) }, 0);
    let error = run_grids(&executor, &[LaunchConfig::line(200, 1)]).unwrap_err();
    let text = error.to_string();
    assert!(matches!(error, LaunchError::Threads { needed: 199..=200, .. }), "{text}");
    assert!(text.contains("more OS threads") && text.contains("os error"), "{text}");
    // The executor still runs what fits.
    run_grids(&executor, &[LaunchConfig::line(1, 1)]).unwrap();
    println!("ran without threads");
}
