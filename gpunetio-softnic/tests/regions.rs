//! Memory regions of the provider: their keys and their addresses.
#![cfg(feature = "provider")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(unsafe_code)]

mod client;

use core::sync::atomic::Ordering::Relaxed;
use std::collections::HashSet;

use client::{Client, Memory, Queue};
use gpunetio_core::sys::*;
use gpunetio_prm::cqe::Syndrome;
use gpunetio_prm::wqe::WqeOpcode;

const ACCESS: i32 = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE | IBV_ACCESS_REMOTE_READ;

fn key_of(mr: *mut ibv_mr) -> u32 {
    assert!(!mr.is_null(), "errno {}", client::errno());
    // SAFETY: not NULL, so a live region's description; its two keys are one in this NIC.
    let (lkey, rkey) = unsafe { ((*mr).lkey, (*mr).rkey) };
    assert_eq!(lkey, rkey);
    rkey
}

fn deregister(client: &Client, mr: *mut ibv_mr) {
    // SAFETY: a live region, deregistered once.
    assert_eq!(unsafe { (client.table.verbs.dereg_mr)(mr) }, 0);
}

/// Two connected queues of `client`; the first of them is used.
fn connected(client: &Client) -> (Queue, Queue) {
    let (a, b) = (Queue::new(client), Queue::new(client));
    a.connect(client, client.gid(), b.qpn);
    b.connect(client, client.gid(), a.qpn);
    (a, b)
}

#[test]
fn the_low_byte_of_a_key_is_random() {
    let client = Client::open(0);
    let memory = Memory::new(4096);
    let regions: Vec<_> = (0..64).map(|_| client.register(&memory, ACCESS)).collect();
    let keys: Vec<u32> = regions.iter().map(|mr| key_of(*mr)).collect();
    // 64 of 256 values: 57 different ones on average, and below 32 about never. Nor does it go up with the region's index.
    let low: HashSet<u8> = keys.iter().map(|key| *key as u8).collect();
    let steps: HashSet<u8> =
        keys.windows(2).map(|pair| (pair[1] as u8).wrapping_sub(pair[0] as u8)).collect();
    assert!(low.len() >= 32 && steps.len() >= 32, "{keys:x?}");
    for mr in regions {
        deregister(&client, mr);
    }
    client.close();
}

#[test]
fn a_key_of_the_regions_place_with_another_low_byte_is_refused() {
    let client = Client::open(0);
    let (source, target) = (Memory::new(4096), Memory::new(4096));
    let (local, remote) = (client.register(&source, ACCESS), client.register(&target, ACCESS));
    let (lkey, key) = (key_of(local), key_of(remote));
    source.u64_at(0).store(7, Relaxed);
    let write = |key: u32| {
        let (mut a, b) = connected(&client);
        a.write(&source, lkey, &target, key, 8);
        let syndrome = a.poll();
        a.destroy(&client);
        b.destroy(&client);
        syndrome
    };
    // What a client holds that kept the key of an earlier region at this place.
    for stale in [1, 0x10, 0x80, 0xff].map(|bits| key ^ bits) {
        assert_eq!(write(stale), Some(Syndrome::REMOTE_ACCESS_ERR.0), "{stale:#x}, not {key:#x}");
        assert_eq!(target.u64_at(0).load(Relaxed), 0, "nothing was written");
    }
    assert_eq!(write(key), None);
    assert_eq!(target.u64_at(0).swap(0, Relaxed), 7);
    deregister(&client, remote);
    assert_eq!(write(key), Some(Syndrome::REMOTE_ACCESS_ERR.0));
    assert_eq!(target.u64_at(0).load(Relaxed), 0);
    deregister(&client, local);
    client.close();
}

/// Words of the test's memory.
const WORDS: usize = 512;
/// Where the regions of the test begin for the NIC: neither their address nor 0, and not on a page.
const LOCAL_IOVA: u64 = 0x1234_5000_0040;
const REMOTE_IOVA: u64 = 0x40;

fn register_at(client: &Client, memory: &Memory, iova: u64) -> *mut ibv_mr {
    // SAFETY: a live PD and memory that outlives the region.
    unsafe {
        let addr = memory.addr.cast();
        (client.table.verbs.reg_mr_iova2.unwrap())(
            client.pd,
            addr,
            memory.len(),
            iova,
            ACCESS as u32,
        )
    }
}

#[test]
fn transfers_name_memory_by_its_iova() {
    let client = Client::open(0);
    let (near, far) = (Memory::new(WORDS * 8), Memory::new(WORDS * 8));
    let (near_mr, far_mr) =
        (register_at(&client, &near, LOCAL_IOVA), register_at(&client, &far, REMOTE_IOVA));
    let (lkey, rkey) = (key_of(near_mr), key_of(far_mr));
    let (mut a, b) = connected(&client);
    for word in 0..WORDS {
        near.u64_at(word * 8).store(0x1_0000 + word as u64, Relaxed);
    }
    // Half of the memory, from the second word on to the fourth on; and back to the upper half.
    let len = WORDS as u32 * 4;
    a.post(WqeOpcode::RDMA_WRITE, (lkey, LOCAL_IOVA + 8), (rkey, REMOTE_IOVA + 24), len);
    assert_eq!(a.poll(), None);
    for word in 0..WORDS {
        let written = (3..3 + WORDS / 2).contains(&word);
        let expected = if written { 0x1_0000 + word as u64 - 2 } else { 0 };
        assert_eq!(far.u64_at(word * 8).load(Relaxed), expected, "word {word}");
    }
    let upper = LOCAL_IOVA + u64::from(len);
    a.post(WqeOpcode::RDMA_READ, (lkey, upper), (rkey, REMOTE_IOVA + 24), len);
    assert_eq!(a.poll(), None);
    for word in 0..WORDS {
        let from = if word < WORDS / 2 { word } else { word - WORDS / 2 + 1 };
        assert_eq!(near.u64_at(word * 8).load(Relaxed), 0x1_0000 + from as u64, "word {word}");
    }
    a.destroy(&client);
    b.destroy(&client);
    deregister(&client, near_mr);
    deregister(&client, far_mr);
    client.close();
}

#[test]
fn what_lies_outside_the_iovas_of_a_region_is_refused() {
    let client = Client::open(0);
    let (near, far) = (Memory::new(WORDS * 8), Memory::new(WORDS * 8));
    let (near_mr, far_mr) =
        (register_at(&client, &near, LOCAL_IOVA), register_at(&client, &far, REMOTE_IOVA));
    let (lkey, rkey) = (key_of(near_mr), key_of(far_mr));
    let bytes = WORDS as u64 * 8;
    for opcode in [WqeOpcode::RDMA_WRITE, WqeOpcode::RDMA_READ] {
        // Just before, across the end, just behind, and the address itself, which is no iova of the region.
        for (start, address) in [(LOCAL_IOVA, near.addr), (REMOTE_IOVA, far.addr)] {
            for at in [start - 1, start + bytes - 7, start + bytes, address as u64] {
                let (mut a, b) = connected(&client);
                let (local, remote, expected) = if start == LOCAL_IOVA {
                    (at, REMOTE_IOVA, Syndrome::LOCAL_PROT_ERR)
                } else {
                    (LOCAL_IOVA, at, Syndrome::REMOTE_ACCESS_ERR)
                };
                a.post(opcode, (lkey, local), (rkey, remote), 8);
                assert_eq!(a.poll(), Some(expected.0), "{opcode:?} of {local:#x}, {remote:#x}");
                a.destroy(&client);
                b.destroy(&client);
            }
        }
    }
    deregister(&client, near_mr);
    deregister(&client, far_mr);
    client.close();
}
