//! Queues as deep as the device allows, full to the last WQE.

use super::*;
use crate::device::LIMITS;
use gpunetio_prm::wqe::{ATOMIC_8_BYTE_OPMOD, AtomicSeg, WaitSeg};

const LOG_DEPTH: u8 = LIMITS.log_max_qp_sz;
const DEPTH: u32 = 1 << LOG_DEPTH;

fn deep(start_index: u16) -> Shape {
    Shape { log_sq: LOG_DEPTH, log_cq: LOG_DEPTH, start_index, ..Shape::default() }
}

/// Adds one to the counter at the start of the other side's data, once for every time that it is executed.
fn count(bench: &Bench, side: usize) -> Wqe {
    Wqe::new(WqeOpcode::ATOMIC_FA)
        .opmod(ATOMIC_8_BYTE_OPMOD)
        .to(&bench.sides[1 - side], 0)
        .segment(AtomicSeg { swap_add: U64::new(1), compare: U64::new(0) })
        .data(&bench.sides[side], 0, 8)
}

/// Takes the completions of a whole queue from `first` on: each index once, in order, and no more.
fn expect_each_once(side: &mut Side, first: u16) {
    for done in 0..DEPTH {
        let seen = side.send.poll().unwrap_or_else(|| panic!("{done} completions of {DEPTH}"));
        assert_eq!((seen.opcode, seen.index), (CqeOpcode::REQ, first.wrapping_add(done as u16)));
    }
    assert!(side.send.poll().is_none());
}

/// WQEs that were announced and are not executed yet.
fn outstanding(bench: &mut Bench) -> u32 {
    let send = bench.qp(0).send.as_ref().unwrap();
    u32::from(send.producer.wrapping_sub(send.consumer))
}

#[test]
fn more_than_65536_wqes_of_several_queues_wait_and_complete_once() {
    const PAIRS: u32 = 4;
    let mut bench = Bench::unconnected(deep(0));
    // Pair after pair takes the places of the bench; the first is the last to get to RTS.
    let gate = bench.sides[0].send.cqn;
    let mut pairs = Vec::new();
    for pair in 0..PAIRS {
        bench.connect(1);
        if pair == 0 {
            // Rung in RTR, where it has to wait for RTS.
            bench.ready_to_receive(0);
        } else {
            // Rung in RTS, behind a WAIT for one of the last completions of the first pair.
            bench.connect(0);
            let wait = WaitSeg {
                reserved: [U32::ZERO; 2],
                max_index: U32::new(DEPTH - pair),
                qpn_cqn: U32::new(gate.0),
            };
            bench.post(0, &Wqe::new(WqeOpcode::WAIT).segment(wait));
        }
        let wqe = count(&bench, 0);
        while u32::from(bench.sides[0].posted) < DEPTH {
            bench.post(0, &wqe);
        }
        bench.ring(0);
        bench.run();
        let next = [0, 0].map(|device| insert_side(&mut bench.fabric, device, &deep(0)));
        pairs.push(core::mem::replace(&mut bench.sides, next));
    }
    let mut waiting = 0;
    for pair in &mut pairs {
        core::mem::swap(&mut bench.sides, pair);
        assert!(bench.poll_send(0).is_none());
        assert_eq!(bench.sides[1].value(0), 0);
        waiting += outstanding(&mut bench);
        core::mem::swap(&mut bench.sides, pair);
    }
    assert_eq!(waiting, PAIRS * DEPTH);
    assert!(waiting > 65_536);

    core::mem::swap(&mut bench.sides, &mut pairs[0]);
    bench.connect(0);
    bench.run();
    core::mem::swap(&mut bench.sides, &mut pairs[0]);
    for (number, pair) in pairs.iter_mut().enumerate() {
        core::mem::swap(&mut bench.sides, pair);
        expect_each_once(&mut bench.sides[0], 0);
        let counted = if number == 0 { DEPTH } else { DEPTH - 1 };
        assert_eq!(bench.sides[1].value(0), u64::from(counted), "pair {number}");
        assert_eq!(outstanding(&mut bench), 0);
    }
    assert_eq!(bench.fabric.devices[0].diagnostics.seen(), []);
}

#[test]
fn a_doorbell_may_announce_a_queue_to_its_full_depth() {
    // From the start, across the wrap of indices, and lap after lap.
    for start in [0, 1, 40_000, u16::MAX] {
        let mut bench = Bench::new(deep(start));
        for lap in 1..=3u64 {
            let first = bench.sides[0].posted;
            let wqe = count(&bench, 0);
            for _ in 0..DEPTH {
                bench.post(0, &wqe);
            }
            assert_eq!(bench.sides[0].posted.wrapping_sub(first), 1 << LOG_DEPTH);
            bench.ring(0);
            assert_eq!(outstanding(&mut bench), DEPTH);
            bench.run();
            expect_each_once(&mut bench.sides[0], first);
            assert_eq!(bench.sides[1].value(0), lap * u64::from(DEPTH));
        }
        assert_eq!(bench.fabric.devices[0].diagnostics.seen(), []);
    }
}
