//! An idle NIC sleeps, and wakes for doorbells and commands.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(unsafe_code)]

mod bench;

use core::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use bench::{Bench, STEPS, qp_after};

use gpunetio_prm::command::{Opcode, ServiceType};
use gpunetio_prm::doorbell::{SQ_DOORBELL_OFFSET, SqDoorbell};
use gpunetio_prm::id::Qpn;
use gpunetio_softnic::command::resource;
use gpunetio_softnic::device::{Config, Fabric};
use gpunetio_softnic::nic::{Link, Nic, POLL_MAX, POLL_MIN, Stopped};

fn start() -> Nic {
    Nic::start(Fabric::new(&Config { strict: true, ..Config::default() })).unwrap()
}

fn wait_until(what: &str, mut done: impl FnMut() -> bool) {
    let start = Instant::now();
    while !done() {
        assert!(start.elapsed() < Duration::from_secs(20), "{what} did not happen");
        std::thread::sleep(Duration::from_micros(200));
    }
}

fn wait_until_parked(link: &Link) {
    wait_until("parking", || link.activity().parked);
}

fn processor_time(link: &Link) -> Duration {
    link.call(|_| {
        let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
        // SAFETY: a valid place for the answer.
        assert_eq!(unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) }, 0);
        Duration::new(time.tv_sec as u64, time.tv_nsec as u32)
    })
    .unwrap()
}

/// The doorbell register of a new page, as a client has it.
fn doorbell_register(link: &Link) -> &'static AtomicU64 {
    let register = link
        .call(|fabric| {
            let (_, registers) = resource::alloc_uar(&mut fabric.devices[0]).unwrap();
            registers.addr() + SQ_DOORBELL_OFFSET
        })
        .unwrap();
    // SAFETY: aligned, and accessed by atomics on both sides; the tests use it until they stop the NIC, and no further.
    unsafe { &*(register as *const AtomicU64) }
}

/// Rings for a QP that does not exist.
fn ring(register: &AtomicU64) {
    let value = u64::from_ne_bytes(SqDoorbell::new(Qpn(0xabcdef), 1).emit());
    // Release: as a client rings, after its WQE; partner is the NIC's acquire of the register.
    register.store(value, Ordering::Release);
}

#[test]
fn an_idle_nic_parks_and_hardly_runs() {
    let nic = start();
    let link = nic.link().clone();
    wait_until_parked(&link);
    let (time, activity) = (processor_time(&link), link.activity());
    wait_until_parked(&link);
    let slept = Instant::now();
    std::thread::sleep(Duration::from_millis(200));
    let wakeups = link.activity().wakeups - activity.wakeups;
    let most = slept.elapsed().as_micros() / POLL_MIN.as_micros() + 10;
    assert!(u128::from(wakeups) <= most, "{wakeups} wakeups, at most {most}");
    // A spinning thread would have used all of the 200 ms; the millisecond before it parks is in here.
    let used = processor_time(&link) - time;
    assert!(used < Duration::from_millis(100), "{used:?} of processor time while idle");
    nic.stop().unwrap();
}

#[test]
fn a_parked_nic_sees_a_doorbell() {
    let nic = start();
    let link = nic.link().clone();
    let register = doorbell_register(&link);
    let count = |link: &Link| link.call(|fabric| fabric.devices[0].diagnostics.count()).unwrap();
    for round in 1..=20 {
        wait_until_parked(&link);
        ring(register);
        // Taken without any command that would wake the thread.
        wait_until("the doorbell", || register.load(Ordering::Relaxed) == 0);
        assert_eq!(count(&link), round);
    }
    nic.stop().unwrap();
}

/// The poll interval of an idle NIC that the documentation names: at most this long between two looks at the doorbells.
const DOCUMENTED_POLL: Duration = Duration::from_micros(500);

/// Median of the times that a command, which wakes the NIC at once, takes there and back: what the machine adds.
fn median_call(link: &Link) -> Duration {
    let mut latencies: Vec<_> = (0..30)
        .map(|_| {
            wait_until_parked(link);
            let sent = Instant::now();
            link.call(|_| ()).unwrap();
            sent.elapsed()
        })
        .collect();
    latencies.sort_unstable();
    latencies[latencies.len() / 2]
}

/// Median of the times that a NIC, parked for so long that its sleep has grown to the longest, takes to see a doorbell.
fn median_latency(link: &Link, register: &AtomicU64) -> Duration {
    let mut latencies: Vec<_> = (0..30)
        .map(|round| {
            wait_until_parked(link);
            // In step with no multiple of its sleep.
            std::thread::sleep(Duration::from_millis(30) + Duration::from_micros(round * 137));
            let rung = Instant::now();
            ring(register);
            while register.load(Ordering::Relaxed) != 0 {
                assert!(rung.elapsed() < Duration::from_secs(20), "the doorbell was not seen");
                // Not spinning: on a busy machine that would cost this thread its turns.
                std::thread::sleep(Duration::from_micros(20));
            }
            rung.elapsed()
        })
        .collect();
    latencies.sort_unstable();
    latencies[latencies.len() / 2]
}

#[test]
fn a_parked_nic_sees_a_doorbell_within_the_documented_interval() {
    assert_eq!(POLL_MAX, DOCUMENTED_POLL, "say so in the documentation, then here");
    let nic = start();
    let link = nic.link().clone();
    let register = doorbell_register(&link);
    // The system's timer slack; and on a machine that is busy otherwise, which may pass, what that costs a command too.
    let slack = Duration::from_millis(3);
    let mut seen = Vec::new();
    let in_time = (0..8).any(|_| {
        let (call, doorbell) = (median_call(&link), median_latency(&link, register));
        seen.push((doorbell, call));
        doorbell < 4 * DOCUMENTED_POLL + slack + 4 * call
    });
    assert!(in_time, "medians of doorbells and calls: {seen:?}");
    nic.stop().unwrap();
}

#[test]
fn looks_at_queues_in_error_do_not_keep_it_awake() {
    let mut bench = Bench::new();
    // More than it executes in one go.
    let qpns: Vec<u32> =
        (0..100).map(|_| qp_after(&mut bench, ServiceType::RC, STEPS.len())).collect();
    for qpn in qpns {
        bench.leave(Opcode::TO_ERR_QP, qpn).unwrap();
    }
    let Bench { fabric, _memory, .. } = bench;
    let nic = Nic::start(fabric).unwrap();
    let link = nic.link().clone();
    // By then the pause between looks has grown to 64 ms.
    std::thread::sleep(Duration::from_millis(300));
    wait_until_parked(&link);
    let before = link.activity();
    std::thread::sleep(Duration::from_millis(300));
    let after = link.activity();
    assert!(after.wakeups > before.wakeups);
    assert_eq!(after.parks, before.parks, "it slept on");
    nic.stop().unwrap();
}

#[test]
fn no_command_is_lost_between_looking_and_sleeping() {
    let nic = start();
    let senders: Vec<_> = (0..2u64)
        .map(|sender| {
            let link = nic.link().clone();
            std::thread::spawn(move || {
                for round in 0..300 {
                    assert_eq!(
                        link.call(move |_| sender * 1000 + round),
                        Ok(sender * 1000 + round)
                    );
                    // Long enough to let it park in many rounds, in step with no multiple of its sleep.
                    std::thread::sleep(Duration::from_micros(1 + round * 7 % 1700));
                }
            })
        })
        .collect();
    for sender in senders {
        sender.join().unwrap();
    }
    // And whenever it sleeps, which on a busy machine it may never have done so far.
    let before = nic.link().activity().parks;
    for round in 1..=20 {
        wait_until_parked(nic.link());
        assert_eq!(nic.link().call(move |_| round), Ok(round));
    }
    assert!(nic.link().activity().parks > before, "the test let it park");
    nic.stop().unwrap();
}

#[test]
fn a_stopped_nic_refuses_commands() {
    let nic = start();
    let link = nic.link().clone();
    wait_until_parked(&link);
    let fabric = nic.stop().unwrap();
    assert_eq!(fabric.devices.len(), 1);
    assert!(link.call(|_| ()).is_err());
}

#[test]
fn a_nic_that_panics_leaves_its_registers_to_the_clients() {
    let nic = start();
    let link = nic.link().clone();
    let (page, base) = link
        .call(|fabric| {
            let (page, registers) = resource::alloc_uar(&mut fabric.devices[0]).unwrap();
            (page, registers.addr())
        })
        .unwrap();
    assert_eq!(link.call(|_| panic!("as the test wants")), Err::<(), _>(Stopped));
    let device_gone = link.call(move |fabric| fabric.devices[0].uars.get(page.0).is_some());
    assert_eq!(device_gone, Err(Stopped));
    wait_until("the end of the thread", || nic.has_ended());
    let mut resident = 0;
    // SAFETY: one page, and a place for its one byte; an address that is not mapped is an error.
    let rc = unsafe { libc::mincore(base as *mut libc::c_void, 4096, &mut resident) };
    assert_eq!(rc, 0, "the page is still mapped");
    assert_eq!(nic.stop().unwrap_err(), Stopped);
}
