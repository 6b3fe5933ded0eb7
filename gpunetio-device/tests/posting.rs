//! Posting from many threads to one queue: every WQE reaches the NIC once, in order, whole; every wait ends.
#![allow(unsafe_code, clippy::unwrap_used, clippy::expect_used)]

mod nic;

use std::ffi::c_void;
use std::time::Duration;

use gpunetio_device::executor::{CpuExecutor, KernelEntry, LaunchConfig};
use gpunetio_device::image::{CqType, NicHandler, QpImage};
use nic::{Fetched, Nic, Setup};

unsafe extern "C" {
    safe static gpunetio_kernel_post_exclusive_thread: KernelEntry;
    safe static gpunetio_kernel_post_exclusive_warp: KernelEntry;
    safe static gpunetio_kernel_post_cta_thread: KernelEntry;
    safe static gpunetio_kernel_post_cta_warp: KernelEntry;
    safe static gpunetio_kernel_post_gpu_thread: KernelEntry;
    safe static gpunetio_kernel_post_gpu_warp: KernelEntry;
    safe static gpunetio_kernel_post_counter: KernelEntry;
    safe static gpunetio_kernel_post_bounded: KernelEntry;
    safe static gpunetio_kernel_post_into_error: KernelEntry;
    safe static gpunetio_kernel_post_cost: KernelEntry;
    safe static gpunetio_kernel_poll_index: KernelEntry;
    safe static gpunetio_kernel_post_on_dead_exclusive: KernelEntry;
    safe static gpunetio_kernel_post_on_dead_gpu: KernelEntry;
    safe static gpunetio_kernel_post_wide_exclusive: KernelEntry;
    safe static gpunetio_kernel_post_wide_gpu: KernelEntry;
    safe static gpunetio_kernel_post_blueflame_warp: KernelEntry;
    safe static gpunetio_kernel_post_wide_one_by_one: KernelEntry;
    safe static gpunetio_kernel_post_odd_counts: KernelEntry;
    safe static gpunetio_kernel_reserve_in_time: KernelEntry;
    safe static gpunetio_kernel_consume: KernelEntry;
    safe static gpunetio_kernel_kept_error: KernelEntry;
    safe static gpunetio_kernel_wait_index: KernelEntry;
}

/// How threads post; mirrors `enum style` of the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Style {
    Put = 0,
    PutPollEach = 1,
    LowLevel = 2,
    PutSignal = 3,
    Value = 4,
    SkipDb = 5,
    MixedSizes = 6,
}

#[repr(C)]
struct Posting {
    qp: *mut QpImage,
    first_id: u64,
    iters: u32,
    style: Style,
    status: *mut i32,
}

const FIRST_ID: u64 = 1 << 40;
const LIMIT: Duration = Duration::from_secs(60);

/// Runs a kernel to its end and fails the test if it does not come.
fn run(kernel: &KernelEntry, config: LaunchConfig, args: &[*mut c_void]) {
    // SAFETY: the callers pass what the kernel takes, and it outlives the launch: a launch that does not end in time ends the
    // process by a panic in the test that owns the memory.
    let launch = unsafe { CpuExecutor::new().launch(kernel, config, args) }.unwrap();
    match launch.join_timeout(LIMIT) {
        Some(outcome) => outcome.unwrap(),
        None => {
            eprintln!("{} does not end", kernel.name());
            std::process::abort();
        }
    }
}

/// Posts, and returns what the NIC fetched and what the threads' polls said.
fn post(
    kernel: &KernelEntry,
    setup: Setup,
    config: LaunchConfig,
    style: Style,
    iters: u32,
) -> (Vec<Fetched>, Vec<i32>) {
    let mut nic = Nic::new(setup);
    let threads = config.grid.volume().unwrap() * config.block.volume().unwrap();
    let mut status = vec![i32::MAX; threads as usize];
    let qp: *mut QpImage = &raw mut *nic.image;
    let mut posting = Posting { qp, first_id: FIRST_ID, iters, style, status: status.as_mut_ptr() };
    run(kernel, config, &[(&raw mut posting).cast()]);
    let image = *nic.image;
    let fetched = nic.stop();
    let reserved = image.sq_rsvd_index - setup.start;
    match setup.fail {
        None => assert_eq!(reserved, fetched.len() as u64, "all reserved WQEs were rung"),
        // Posters stop where the queue is full of what the NIC has not completed.
        Some((at, _)) => {
            assert!(fetched.len() as u64 <= at + setup.depth as u64, "{setup:?}: {}", fetched.len())
        }
    }
    (fetched, status)
}

/// Posts and checks that every operation arrived exactly once, as it was posted.
fn check(kernel: &KernelEntry, setup: Setup, config: LaunchConfig, style: Style, iters: u32) {
    let (fetched, status) = post(kernel, setup, config, style, iters);
    let context = format!("{} {setup:?} {config:?} {style:?}", kernel.name());
    assert!(status.iter().all(|&s| s == 0), "{context}: {status:?}");
    let operations = status.len() as u64 * u64::from(iters);
    let per_operation = match style {
        Style::LowLevel => 3,
        Style::PutSignal => 2,
        _ => 1,
    };
    if style == Style::MixedSizes {
        let twice = (0..status.len() as u64).map(|t| if t % 3 == 2 { 2 } else { 1 }).sum::<u64>();
        assert_eq!(fetched.len() as u64, twice * u64::from(iters), "{context}");
        return;
    }
    assert_eq!(fetched.len() as u64, operations * per_operation, "{context}");
    let mut writes = vec![0u64; operations as usize];
    let mut last_of = vec![None; status.len()];
    for (at, wqe) in fetched.iter().enumerate() {
        if wqe.opcode == 0x12 {
            // A signal follows its own put.
            assert_eq!(
                (fetched[at - 1].opcode, fetched[at - 1].laddr),
                (8, wqe.laddr),
                "{context}"
            );
            continue;
        }
        let id = wqe.raddr / 2 - FIRST_ID;
        if style != Style::Value {
            assert_eq!((wqe.laddr, wqe.bytes), (FIRST_ID + id, 8), "{context}");
        }
        writes[id as usize] += 1;
        // A thread's own operations stay in order.
        let thread = (id / u64::from(iters)) as usize;
        assert!(last_of[thread] <= Some(id), "{context}: thread {thread}, {id}");
        last_of[thread] = Some(id);
    }
    let each = if style == Style::LowLevel { 3 } else { 1 };
    assert!(writes.iter().all(|&times| times == each), "{context}");
}

const CORNERS: [u64; 4] = [0, 65_500, (1 << 32) - 20, (1 << 48) + 65_530];

#[test]
fn one_thread_goes_round_the_queue_and_past_16_bits() {
    let kernel = &gpunetio_kernel_post_exclusive_thread;
    let one = LaunchConfig::line(1, 1);
    check(
        kernel,
        Setup { depth: 1024, cq_entries: 1024, ..Setup::default() },
        one,
        Style::Put,
        70_000,
    );
    for start in CORNERS {
        for style in [Style::PutPollEach, Style::LowLevel, Style::PutSignal, Style::Value] {
            check(kernel, Setup { start, ..Setup::default() }, one, style, 300);
        }
    }
}

#[test]
fn exclusive_posting_works_with_every_handler() {
    let kernel = &gpunetio_kernel_post_exclusive_thread;
    for handler in handlers() {
        for start in [0, 65_500] {
            check(
                kernel,
                Setup { handler, start, ..Setup::default() },
                LaunchConfig::line(1, 1),
                Style::Put,
                1000,
            );
        }
    }
}

fn handlers() -> [NicHandler; 5] {
    [
        NicHandler::GPU_SM_DB,
        NicHandler::GPU_SM_BF,
        NicHandler::GPU_SM_NO_DBR,
        NicHandler::CPU_PROXY,
        NicHandler::CPU_PROXY_FREE_FLOW,
    ]
}

#[test]
fn the_threads_of_a_block_share_a_queue() {
    let kernel = &gpunetio_kernel_post_cta_thread;
    for start in CORNERS {
        for style in
            [Style::Put, Style::PutPollEach, Style::LowLevel, Style::PutSignal, Style::Value]
        {
            check(
                kernel,
                Setup { start, ..Setup::default() },
                LaunchConfig::line(1, 70),
                style,
                40,
            );
        }
    }
}

#[test]
fn many_blocks_share_a_queue_smaller_than_their_number() {
    let kernel = &gpunetio_kernel_post_gpu_thread;
    for (start, config) in [
        (0, LaunchConfig::line(8, 1)),
        (65_500, LaunchConfig::line(4, 33)),
        ((1 << 32) - 20, LaunchConfig::line(3, 64)),
        (7, LaunchConfig::line(2, 300)),
    ] {
        for style in [Style::Put, Style::PutPollEach, Style::LowLevel, Style::PutSignal] {
            check(kernel, Setup { start, ..Setup::default() }, config, style, 30);
        }
    }
}

#[test]
fn shared_posting_works_with_every_handler_and_completion_queue() {
    let kernel = &gpunetio_kernel_post_gpu_thread;
    for handler in handlers() {
        for (cq_type, cq_entries) in
            [(CqType::RING, 64), (CqType::RING, 256), (CqType::COLLAPSED, 1)]
        {
            let setup = Setup { handler, cq_type, cq_entries, start: 65_500, ..Setup::default() };
            check(kernel, setup, LaunchConfig::line(3, 40), Style::PutPollEach, 20);
        }
    }
}

#[test]
fn a_warp_posts_together() {
    for start in CORNERS {
        for style in
            [Style::Put, Style::PutPollEach, Style::PutSignal, Style::Value, Style::MixedSizes]
        {
            let setup = Setup { depth: 128, cq_entries: 128, start, ..Setup::default() };
            check(
                &gpunetio_kernel_post_exclusive_warp,
                setup,
                LaunchConfig::line(1, 32),
                style,
                30,
            );
            check(&gpunetio_kernel_post_cta_warp, setup, LaunchConfig::line(1, 96), style, 20);
            check(&gpunetio_kernel_post_gpu_warp, setup, LaunchConfig::line(3, 50), style, 20);
        }
    }
}

#[test]
fn a_warp_whose_post_does_not_fit_the_queue_posts_lane_by_lane() {
    let setup = Setup { depth: 16, cq_entries: 16, start: 65_530, ..Setup::default() };
    for style in [Style::Put, Style::PutSignal] {
        check(&gpunetio_kernel_post_gpu_warp, setup, LaunchConfig::line(2, 32), style, 10);
    }
}

#[test]
fn a_queue_of_one_slot_takes_posts_of_several_wqes() {
    let setup = Setup { depth: 1, cq_entries: 1, ..Setup::default() };
    check(&gpunetio_kernel_post_gpu_thread, setup, LaunchConfig::line(2, 2), Style::Put, 50);
    check(&gpunetio_kernel_post_gpu_thread, setup, LaunchConfig::line(1, 3), Style::MixedSizes, 10);
}

#[test]
fn collapsed_queues_have_many_pollers_and_tell_the_very_index() {
    for start in CORNERS {
        let setup = Setup { cq_type: CqType::COLLAPSED, start, ..Setup::default() };
        check(
            &gpunetio_kernel_post_gpu_thread,
            setup,
            LaunchConfig::line(4, 40),
            Style::PutPollEach,
            25,
        );
        check(
            &gpunetio_kernel_post_cta_thread,
            setup,
            LaunchConfig::line(1, 90),
            Style::PutPollEach,
            25,
        );
        check(
            &gpunetio_kernel_post_exclusive_thread,
            setup,
            LaunchConfig::line(1, 1),
            Style::PutPollEach,
            500,
        );
    }
}

#[test]
fn posts_that_are_not_rung_do_not_block_a_full_queue() {
    // 64 slots, 300 posts before the first doorbell of the caller.
    check(
        &gpunetio_kernel_post_exclusive_thread,
        Setup::default(),
        LaunchConfig::line(1, 1),
        Style::SkipDb,
        300,
    );
    check(
        &gpunetio_kernel_post_gpu_thread,
        Setup::default(),
        LaunchConfig::line(2, 5),
        Style::SkipDb,
        100,
    );
}

/// Puts with a counter; returns what the main and the companion NIC fetched, and what the wait for the counters said.
fn count(main: Setup, mut iters: u32, mut code_opt: u32) -> (Vec<Fetched>, Vec<Fetched>, i32) {
    let mut main = Nic::new(main);
    let setup = Setup { depth: 16, cq_entries: 16, ..Setup::default() };
    let mut companion = Nic::companion(setup, &main);
    let (mut qp, mut cp): (*mut QpImage, *mut QpImage) =
        (&raw mut *main.image, &raw mut *companion.image);
    let mut status = i32::MAX;
    let mut out = &raw mut status;
    let args: [*mut c_void; 5] = [
        (&raw mut qp).cast(),
        (&raw mut cp).cast(),
        (&raw mut iters).cast(),
        (&raw mut code_opt).cast(),
        (&raw mut out).cast(),
    ];
    run(&gpunetio_kernel_post_counter, LaunchConfig::line(1, 1), &args);
    let counted = companion.stop();
    (main.stop(), counted, status)
}

#[test]
fn counters_go_round_their_companion_queue() {
    // Rung, and with SKIP_DB_RINGING: then posts and waits ring what they wait for.
    for code_opt in [0, 4] {
        let (main, counted, status) = count(Setup::default(), 500, code_opt);
        assert_eq!(status, 0);
        assert_eq!(main.len(), 500);
        let opcodes: Vec<u8> = counted.iter().map(|w| w.opcode).collect();
        assert_eq!(opcodes, [0x0f, 0x12].repeat(500));
    }
}

#[test]
fn counters_end_with_an_error_of_their_main_queue() {
    for cq_type in [CqType::RING, CqType::COLLAPSED] {
        for (flush, code_opt) in [(false, 0), (false, 4), (true, 0)] {
            let setup = Setup { cq_type, flush, fail: Some((30, 0x10)), ..Setup::default() };
            let (_, counted, status) = count(setup, 300, code_opt);
            assert_eq!(status, -libc::EIO, "{setup:?}");
            let adds = counted.iter().filter(|w| w.opcode == 0x12).count();
            assert!(flush || adds == 31, "{setup:?}: {adds} counted");
        }
    }
}

#[test]
fn nothing_is_rung_beyond_posts_that_an_error_left_out() {
    let exclusive = &gpunetio_kernel_post_on_dead_exclusive;
    for kernel in [exclusive, &gpunetio_kernel_post_on_dead_gpu] {
        for cq_type in [CqType::RING, CqType::COLLAPSED] {
            for flush in [true, false] {
                for style in 0..if std::ptr::eq(kernel, exclusive) { 3u32 } else { 2 } {
                    let setup = Setup { cq_type, flush, fail: Some((3, 0x10)), ..Setup::default() };
                    let mut nic = Nic::new(setup);
                    let (mut status, mut style) = (i32::MAX, style);
                    let (mut qp, mut out): (*mut QpImage, *mut i32) =
                        (&raw mut *nic.image, &raw mut status);
                    let args: [*mut c_void; 3] =
                        [(&raw mut qp).cast(), (&raw mut style).cast(), (&raw mut out).cast()];
                    run(kernel, LaunchConfig::line(1, 1), &args);
                    let context = format!("{} style {style} {setup:?}", kernel.name());
                    assert_eq!(status, -libc::EIO, "{context}");
                    // The NIC checks that each WQE that it fetches is written.
                    assert!(nic.stop().len() <= 67, "{context}");
                }
            }
        }
    }
}

#[test]
fn work_of_two_slots_frees_both_and_is_found_by_either() {
    for kernel in [&gpunetio_kernel_post_wide_exclusive, &gpunetio_kernel_post_wide_gpu] {
        for cq_type in [CqType::RING, CqType::COLLAPSED] {
            for (handler, start) in handlers().into_iter().zip([0, 65_500, 20, 65_534, 0]) {
                let whole_blueflame = false;
                let setup = Setup { cq_type, handler, start, whole_blueflame, ..Setup::default() };
                let mut nic = Nic::new(setup);
                let (mut status, mut iters) = (i32::MAX, 400u32);
                let (mut qp, mut out): (*mut QpImage, *mut i32) =
                    (&raw mut *nic.image, &raw mut status);
                let args: [*mut c_void; 3] =
                    [(&raw mut qp).cast(), (&raw mut iters).cast(), (&raw mut out).cast()];
                run(kernel, LaunchConfig::line(1, 1), &args);
                assert_eq!(status, 0, "{} {setup:?}", kernel.name());
                assert_eq!(nic.stop().len(), 400 + 134, "{} {setup:?}", kernel.name());
            }
        }
    }
}

#[test]
fn a_whole_wqe_is_in_the_blueflame_register_when_it_is_rung() {
    let setup = Setup { handler: NicHandler::GPU_SM_BF, whole_blueflame: true, ..Setup::default() };
    let kernel = &gpunetio_kernel_post_exclusive_thread;
    check(kernel, setup, LaunchConfig::line(1, 1), Style::PutPollEach, 300);
    for (kernel, threads) in
        [(&gpunetio_kernel_post_blueflame_warp, 32), (&gpunetio_kernel_post_wide_one_by_one, 1)]
    {
        let mut nic = Nic::new(setup);
        let (mut status, mut iters) = (i32::MAX, 200u32);
        let (mut qp, mut out): (*mut QpImage, *mut i32) = (&raw mut *nic.image, &raw mut status);
        let args: [*mut c_void; 3] =
            [(&raw mut qp).cast(), (&raw mut iters).cast(), (&raw mut out).cast()];
        run(kernel, LaunchConfig::line(1, threads), &args);
        assert_eq!(status, 0, "{}", kernel.name());
        assert_eq!(nic.stop().len(), 200, "{}", kernel.name());
    }
}

#[test]
fn no_slots_and_too_many_are_answered_at_once() {
    let mut nic = Nic::new(Setup { dead: true, ..Setup::default() });
    let mut got = [i64::MAX; 7];
    let (mut qp, mut out): (*mut QpImage, *mut i64) = (&raw mut *nic.image, got.as_mut_ptr());
    let args: [*mut c_void; 2] = [(&raw mut qp).cast(), (&raw mut out).cast()];
    run(&gpunetio_kernel_post_odd_counts, LaunchConfig::line(1, 1), &args);
    let invalid = -i64::from(libc::EINVAL);
    assert_eq!(got, [0, 0, 0, 1, invalid, invalid, 0]);
    nic.stop();
}

#[test]
fn a_bounded_reserve_has_one_deadline_however_often_it_loses_the_race() {
    // 16 slots, one free every 20 ms, 40 threads that wait 60 ms: most of them cannot have one.
    let setup =
        Setup { depth: 16, cq_entries: 16, pace: Duration::from_millis(20), ..Setup::default() };
    let mut nic = Nic::new(setup);
    let (mut status, mut timeout) = ([i32::MAX; 40], 60_000_000u64);
    let (mut qp, mut out): (*mut QpImage, *mut i32) = (&raw mut *nic.image, status.as_mut_ptr());
    let args: [*mut c_void; 3] =
        [(&raw mut qp).cast(), (&raw mut timeout).cast(), (&raw mut out).cast()];
    run(&gpunetio_kernel_reserve_in_time, LaunchConfig::line(1, 40), &args);
    assert!(status.iter().all(|&s| s == 0 || s == libc::ETIMEDOUT), "{status:?}");
    assert!(status.contains(&libc::ETIMEDOUT), "all 40 waited as long as it took");
    nic.stop();
}

#[test]
fn the_nic_is_told_of_polled_entries_only() {
    let mut nic = Nic::new(Setup::default());
    let (mut record, mut got) = (0u32, [u32::MAX; 7]);
    nic.image.cq_sq.dbrec = &raw mut record;
    let (mut qp, mut out): (*mut QpImage, *mut u32) = (&raw mut *nic.image, got.as_mut_ptr());
    let args: [*mut c_void; 2] = [(&raw mut qp).cast(), (&raw mut out).cast()];
    run(&gpunetio_kernel_consume, LaunchConfig::line(1, 1), &args);
    assert_eq!(got, [5, 5, 5, 8, 5, 8, 8]);
    nic.stop();
}

#[test]
fn the_kept_error_is_there_once_somebody_has_looked() {
    let mut nic = Nic::new(Setup { dead: true, ..Setup::default() });
    nic.write_cqe(9, Some(0x12));
    let mut got = [u32::MAX; 3];
    let (mut qp, mut out): (*mut QpImage, *mut u32) = (&raw mut *nic.image, got.as_mut_ptr());
    let args: [*mut c_void; 2] = [(&raw mut qp).cast(), (&raw mut out).cast()];
    run(&gpunetio_kernel_kept_error, LaunchConfig::line(1, 1), &args);
    assert_eq!(got, [0, 0x8000_7712, 0x8000_7712]);
    nic.stop();
}

#[test]
fn work_that_succeeds_just_before_an_error_has_succeeded() {
    // A CQ so large that the look for an error takes a while, in which the entry that is waited for comes.
    let setup = Setup { cq_entries: 1 << 16, dead: true, ..Setup::default() };
    let executor = CpuExecutor::new();
    for round in 0..300u64 {
        let mut nic = Nic::new(setup);
        // A note of an error makes the first look search at once; without it a wait does, every so often.
        let noted = round % 2 == 0;
        nic.image.cq_sq.first_error = if noted { 0x8000_0010 } else { 0 };
        let span = if noted { 400_000 } else { 4_000_000 };
        let (mut status, mut index) = (i32::MAX, 65_000u64);
        let (mut qp, mut out): (*mut QpImage, *mut i32) = (&raw mut *nic.image, &raw mut status);
        let args: [*mut c_void; 3] =
            [(&raw mut qp).cast(), (&raw mut index).cast(), (&raw mut out).cast()];
        let kernel = &gpunetio_kernel_wait_index;
        // SAFETY: the arguments are the kernel's and outlive the launch, which is joined below.
        let launch = unsafe { executor.launch(kernel, LaunchConfig::line(1, 1), &args) }.unwrap();
        let start = std::time::Instant::now();
        while start.elapsed() < Duration::from_nanos(20_000 + round * 79_193 % span) {
            std::hint::spin_loop();
        }
        nic.write_cqe(65_000, None);
        nic.write_cqe(65_001, Some(0x10));
        launch.join().unwrap();
        assert_eq!(status, 0, "round {round}");
        nic.stop();
    }
}

#[test]
fn bounded_waits_return_when_the_nic_is_gone() {
    for cq_type in [CqType::RING, CqType::COLLAPSED] {
        let mut nic = Nic::new(Setup { dead: true, cq_type, ..Setup::default() });
        let mut status = [i32::MAX; 5];
        let (mut qp, mut out): (*mut QpImage, *mut i32) =
            (&raw mut *nic.image, status.as_mut_ptr());
        run(
            &gpunetio_kernel_post_bounded,
            LaunchConfig::line(1, 1),
            &[(&raw mut qp).cast(), (&raw mut out).cast()],
        );
        assert_eq!(status, [libc::EBUSY, libc::ETIMEDOUT, libc::ETIMEDOUT, libc::ETIMEDOUT, 64]);
        nic.stop();
    }
}

#[test]
fn an_error_cqe_ends_every_wait_and_the_first_error_is_kept() {
    for cq_type in [CqType::RING, CqType::COLLAPSED] {
        for flush in [true, false] {
            for (fail, iters) in [(3, 10), (40, 500)] {
                let setup = Setup { cq_type, flush, fail: Some((fail, 0x13)), ..Setup::default() };
                let mut nic = Nic::new(setup);
                let (mut status, mut error) = ([i32::MAX; 3], 0u32);
                let (mut qp, mut out, mut err): (*mut QpImage, *mut i32, *mut u32) =
                    (&raw mut *nic.image, status.as_mut_ptr(), &raw mut error);
                let mut iters: u32 = iters;
                let args: [*mut c_void; 4] = [
                    (&raw mut qp).cast(),
                    (&raw mut iters).cast(),
                    (&raw mut out).cast(),
                    (&raw mut err).cast(),
                ];
                run(&gpunetio_kernel_post_into_error, LaunchConfig::line(1, 1), &args);
                let context = format!("{setup:?} iters {iters}");
                assert_eq!(status[0], -libc::EIO, "{context}");
                assert_eq!(status[2], -libc::EIO, "{context}");
                let kept = nic.image.cq_sq.first_error().unwrap();
                assert_eq!(error, nic.image.cq_sq.first_error, "{context}");
                // A collapsed queue's only entry may have been overwritten by flushes before anyone looked.
                if cq_type == CqType::RING && iters < 64 || !flush {
                    assert_eq!((kept.syndrome, kept.vendor_err_synd), (0x13, 0x77), "{context}");
                }
                nic.stop();
            }
        }
    }
}

#[test]
fn an_error_ends_the_waits_of_every_thread_that_shares_the_queue() {
    for flush in [true, false] {
        for cq_type in [CqType::RING, CqType::COLLAPSED] {
            let setup = Setup { cq_type, flush, fail: Some((150, 0x10)), ..Setup::default() };
            let (_, status) = post(
                &gpunetio_kernel_post_gpu_thread,
                setup,
                LaunchConfig::line(3, 50),
                Style::PutPollEach,
                10,
            );
            assert!(status.iter().all(|&s| s == -libc::EIO), "{setup:?} {status:?}");
        }
    }
}

#[test]
fn a_collapsed_queue_that_was_never_written_completes_nothing() {
    // Memory of 0xff reads as counter 0xffff, which is index 65,535.
    for (start, index) in [(0, 65_535), (65_535, 65_535), (65_500, 65_535)] {
        let mut nic =
            Nic::new(Setup { cq_type: CqType::COLLAPSED, start, dead: true, ..Setup::default() });
        let (mut status, mut n) = (i32::MAX, index as u64);
        let (mut qp, mut out): (*mut QpImage, *mut i32) = (&raw mut *nic.image, &raw mut status);
        let args: [*mut c_void; 3] =
            [(&raw mut qp).cast(), (&raw mut n).cast(), (&raw mut out).cast()];
        run(&gpunetio_kernel_poll_index, LaunchConfig::line(1, 1), &args);
        assert_eq!(status, libc::EBUSY, "index {index} from {start}");
        nic.stop();
    }
}

#[test]
#[ignore = "a measurement; run it alone with --ignored --nocapture in release"]
fn cost_of_an_exclusive_put() {
    // A NIC that does not touch the queue: what the poster itself costs, on a new queue and on slots that are used again.
    for (name, start) in [("new slots", 0u64), ("slots used again", 4096)] {
        let mut each: Vec<f64> = (0..60)
            .map(|_| {
                let setup =
                    Setup { depth: 4096, cq_entries: 4096, dead: true, start, ..Setup::default() };
                let mut nic = Nic::new(setup);
                (0..start).for_each(|index| nic.write_cqe(index, None));
                nic.image.cq_sq.cqe_ci = 0;
                let (mut qp, mut iters, mut ns) = (&raw mut *nic.image, 4096u32, 0u64);
                let mut out: *mut u64 = &raw mut ns;
                let args: [*mut c_void; 3] =
                    [(&raw mut qp).cast(), (&raw mut iters).cast(), (&raw mut out).cast()];
                run(&gpunetio_kernel_post_cost, LaunchConfig::line(1, 1), &args);
                nic.stop();
                ns as f64 / f64::from(iters)
            })
            .collect();
        each.sort_by(f64::total_cmp);
        println!("{name}: {:.2} ns a put at best, {:.2} median", each[0], each[each.len() / 2]);
    }
}
