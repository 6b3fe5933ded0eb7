//! Strict mode names mistakes and changes nothing.

use super::*;
use crate::diagnostic::{Finding, Mistake};

/// Makes a mistake with strict mode and without; returns what strict mode found. Both must complete alike.
fn found(make: impl Fn(&mut Bench)) -> Vec<Finding> {
    let mut seen = Vec::new();
    let completions = [true, false].map(|strict| {
        let mut bench = Bench::new(Shape { strict, ..Shape::default() });
        make(&mut bench);
        bench.run();
        let diagnostics = &bench.fabric.devices[0].diagnostics;
        if strict {
            seen = diagnostics.seen().to_vec();
        } else {
            assert_eq!(diagnostics.count(), 0);
        }
        let mut completions = Vec::new();
        while let Some(seen) = bench.poll_send(0) {
            completions.push((seen.opcode, seen.index, seen.syndrome));
        }
        completions
    });
    assert_eq!(completions[0], completions[1]);
    seen
}

#[track_caller]
fn expect_one(seen: &[Finding], mistake: Mistake, expected: u32, found: u32) {
    assert_eq!(seen.len(), 1, "{seen:?}");
    assert_eq!(
        (seen[0].mistake, seen[0].expected, seen[0].found),
        (mistake, expected, found),
        "{}",
        seen[0]
    );
}

#[test]
fn right_use_is_not_reported() {
    let seen = found(|bench| {
        for _ in 0..200 {
            bench.sides[1].post_receive(&[]);
            bench.post(0, &Wqe::new(WqeOpcode::SEND));
            // Early, then the record, then again.
            let producer = bench.sides[0].posted;
            bench.ring_index(0, producer);
            bench.ring(0);
            bench.run();
        }
    });
    assert_eq!(seen, []);
}

#[test]
fn a_wqe_index_that_is_not_its_slot() {
    let seen = found(|bench| {
        let bytes = nop().bytes(7, bench.sides[0].qpn);
        bench.post(0, &nop());
        bench.sides[0].write_block(0, &bytes);
        bench.ring(0);
    });
    expect_one(&seen, Mistake::WqeIndex, 0, 7);
}

#[test]
fn a_wqe_of_another_queue() {
    let seen = found(|bench| {
        let bytes = nop().bytes(0, Qpn(0x777));
        bench.post(0, &nop());
        bench.sides[0].write_block(0, &bytes);
        bench.ring(0);
    });
    assert_eq!((seen[0].mistake, seen[0].found), (Mistake::WqeQpn, 0x777));
}

#[test]
fn a_wqe_that_was_never_written() {
    for fill in [0xa5, 0xff, 0x00] {
        let seen = found(|bench| {
            bench.post(0, &nop());
            bench.sides[0].write_block(0, &[fill; WQEBB_BYTES]);
            bench.ring(0);
        });
        assert_eq!((seen[0].mistake, seen[0].found), (Mistake::UnwrittenWqe, fill.into()));
    }
}

#[test]
fn a_record_in_the_wrong_dword_or_byte_order() {
    let seen = found(|bench| {
        bench.qp(0).receive = ReceiveSide::None;
        bench.post(0, &nop());
        bench.sides[0].write_record(RCV_DBR, 1);
        bench.ring_index(0, 1);
    });
    expect_one(&seen, Mistake::RecordSlot, 1, 1);
    let seen = found(|bench| {
        bench.post(0, &nop());
        bench.sides[0].write_record(SND_DBR, 1u32.swap_bytes());
        bench.ring_index(0, 1);
    });
    expect_one(&seen, Mistake::RecordByteOrder, 1, 0x0100_0000);
}

#[test]
fn queues_that_run_over() {
    let seen = found(|bench| {
        for _ in 0..65 {
            bench.post(0, &nop());
        }
        bench.ring(0);
    });
    let overrun = seen.iter().find(|finding| finding.mistake == Mistake::SendOverrun).unwrap();
    assert_eq!((overrun.expected, overrun.found), (64, 65));
    let seen = found(|bench| {
        for _ in 0..17 {
            bench.sides[1].post_receive(&[]);
        }
        bench.post(0, &Wqe::new(WqeOpcode::SEND));
        bench.ring(0);
    });
    expect_one(&seen, Mistake::ReceiveOverrun, 16, 17);
}

#[test]
fn doorbells_for_the_wrong_queue_page_state_or_register() {
    let ring = |bench: &mut Bench, qpn, uar, kind| {
        doorbell(&mut bench.fabric, 0, uar, SqDoorbell::new(qpn, 1), kind);
        doorbell(&mut bench.fabric, 0, uar, SqDoorbell::new(qpn, 1), kind);
    };
    let seen = found(|bench| {
        let uar = bench.sides[0].uar;
        ring(bench, Qpn(0x777), uar, DoorbellKind::Record);
    });
    assert_eq!((seen.len(), seen[0].mistake), (1, Mistake::UnknownQp));
    let seen = found(|bench| {
        bench.post(0, &nop());
        let (qpn, uar) = (bench.sides[0].qpn, bench.sides[1].uar);
        ring(bench, qpn, uar, DoorbellKind::Record);
    });
    assert_eq!((seen.len(), seen[0].mistake), (1, Mistake::ForeignUar));
    let seen = found(|bench| {
        bench.qp(0).state = QpState::RST;
        let (qpn, uar) = (bench.sides[0].qpn, bench.sides[0].uar);
        ring(bench, qpn, uar, DoorbellKind::Record);
    });
    assert_eq!((seen.len(), seen[0].mistake), (1, Mistake::DoorbellInReset));
    let seen = found(|bench| {
        bench.post(0, &nop());
        bench.sides[0].write_record(SND_DBR, 1);
        let (qpn, uar) = (bench.sides[0].qpn, bench.sides[0].uar);
        ring(bench, qpn, uar, DoorbellKind::NoRecord);
    });
    assert_eq!((seen.len(), seen[0].mistake), (1, Mistake::DoorbellRegister));
}

#[test]
fn what_hardware_takes_otherwise_than_meant() {
    let seen = found(|bench| {
        let wqe = write(bench, 0, 0, 0, 0);
        bench.post(0, &wqe);
        bench.ring(0);
    });
    assert_eq!(seen[0].mistake, Mistake::ZeroByteCount);
    let seen = found(|bench| {
        bench.post(0, &Wqe::new(WqeOpcode::UMR));
        bench.ring(0);
    });
    expect_one(&seen, Mistake::UnknownOpcode, 0, 0x25);
}
