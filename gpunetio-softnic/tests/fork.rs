//! A child that was forked from a process with an open device.
#![cfg(feature = "provider")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(unsafe_code)]

mod client;

use std::time::{Duration, Instant};

use client::{Client, Memory, errno, provider};
use gpunetio_core::sys::*;
use gpunetio_prm::command::Opcode;
use gpunetio_prm::layout::View;
use gpunetio_prm::layout::capability::*;

/// Runs `child` in a forked process; what it returned.
fn fork(child: impl FnOnce() -> u8) -> u8 {
    // SAFETY: the child calls `child` and ends without running anything else of the parent's.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "fork: errno {}", errno());
    if pid == 0 {
        let code = child();
        // SAFETY: ends the child without its parent's exit handlers.
        unsafe { libc::_exit(code.into()) };
    }
    let start = Instant::now();
    let mut status = 0;
    // SAFETY: our own child, and a valid place.
    while unsafe { libc::waitpid(pid, &mut status, libc::WNOHANG) } == 0 {
        if start.elapsed() > Duration::from_secs(20) {
            // SAFETY: our own child, which was not waited for.
            unsafe { libc::kill(pid, libc::SIGKILL) };
            panic!("the child hangs");
        }
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(libc::WIFEXITED(status), "the child ended with status {status:#x}");
    libc::WEXITSTATUS(status) as u8
}

/// What the child calls and what comes of it: 0, or the number of the first that did not fail with EIO.
fn everything_fails(client: &Client, mr: *mut ibv_mr) -> u8 {
    let ProviderTables { verbs, mlx5, .. } = *client.table;
    let mut devices = 0;
    let mut attributes = core::mem::MaybeUninit::uninit();
    let mut gid = ibv_gid::default();
    let mut cmd = View::<QueryHcaCapIn, Vec<u8>>::zeroed();
    let mut out = [0u8; 64];
    cmd.set(query_hca_cap_in::OPCODE, Opcode::QUERY_HCA_CAP).unwrap();
    let input = cmd.as_bytes();
    let failed_with = |failed: bool| if failed { errno() } else { 0 };
    // SAFETY: live handles of the parent's, and valid places.
    let errnos = unsafe {
        [
            failed_with((verbs.get_device_list)(&mut devices).is_null()),
            (verbs.query_device)(client.context, attributes.as_mut_ptr()),
            failed_with((verbs.query_gid)(client.context, 1, 0, &mut gid) == -1),
            failed_with((verbs.alloc_pd)(client.context).is_null()),
            (mlx5.devx_general_cmd)(
                client.context,
                input.as_ptr().cast(),
                input.len(),
                out.as_mut_ptr().cast(),
                out.len(),
            ),
            failed_with((mlx5.devx_alloc_uar)(client.context, 0).is_null()),
            // What drops do.
            (verbs.dereg_mr)(mr),
            (verbs.dealloc_pd)(client.pd),
            (verbs.close_device)(client.context),
        ]
    };
    errnos.iter().position(|errno| *errno != libc::EIO).map_or(0, |place| place as u8 + 1)
}

/// One test: each fork sees the fabric of the process in another state.
#[test]
fn a_child_fails_at_once_and_leaves_the_parent_its_nic() {
    // Before a device is open the fabric is nobody's, and the child may have its own.
    let _ = provider();
    assert_eq!(
        fork(|| {
            Client::open(0).close();
            0
        }),
        0
    );

    let client = Client::open(0);
    let memory = Memory::new(4096);
    let mr = client.register(&memory, IBV_ACCESS_LOCAL_WRITE);
    assert_eq!(fork(|| everything_fails(&client, mr)), 0);
    // A thread that the child does not have may be about anything, such as holding the lock.
    let control = gpunetio_softnic::control();
    for _ in 0..20 {
        let stop = core::sync::atomic::AtomicBool::new(false);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                while !stop.load(core::sync::atomic::Ordering::Relaxed) {
                    let _ = control.activity();
                }
            });
            assert_eq!(fork(|| everything_fails(&client, mr)), 0);
            stop.store(true, core::sync::atomic::Ordering::Relaxed);
        });
    }
    assert_eq!(
        fork(|| {
            let _ = provider();
            u8::from(control.activity().is_some() || control.with_fabric(|_| ()).is_ok())
        }),
        0
    );

    // The parent's is as it was.
    // SAFETY: a live region and a live device.
    unsafe { assert_eq!((client.table.verbs.dereg_mr)(mr), 0) };
    client.close();
    // Nothing is open any more, so that a child may open one again.
    assert_eq!(
        fork(|| {
            Client::open(1).close();
            0
        }),
        0
    );
}
