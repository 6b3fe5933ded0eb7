//! Indices, doorbells, completion queues and WAIT.

use super::*;
use crate::engine::error::Vendor;
use crate::engine::{check_records, release_waiters, reset};
use gpunetio_prm::wqe::WaitSeg;

#[test]
fn indices_wrap_past_65536_from_any_start() {
    for start_index in [0, 65_500] {
        let mut bench = Bench::new(Shape { start_index, ..Shape::default() });
        let mut done = 0u32;
        while done < 70_000 {
            let batch = 1 + done % 60;
            let mut indices = Vec::new();
            for number in 0..batch {
                let value = u64::from(done + number);
                let offset = (value as usize % 64) * 8;
                let wqe = Wqe::new(WqeOpcode::RDMA_WRITE)
                    .to(&bench.sides[1], offset)
                    .inline(&value.to_ne_bytes());
                indices.push((bench.post(0, &wqe), offset, value));
            }
            bench.ring(0);
            bench.run();
            for (index, offset, value) in indices {
                bench.expect_done(0, index);
                assert_eq!(bench.sides[1].value(offset), value);
            }
            done += batch;
        }
        assert!(bench.poll_send(0).is_none());
        assert_eq!(bench.fabric.devices[0].diagnostics.count(), 0);
        let psn = bench.qp(0).attributes.send_psn;
        assert_eq!(psn, Psn::new(1000 + done));
        assert_eq!(bench.qp(1).attributes.receive_psn, psn);
    }
}

#[test]
fn psns_wrap_at_24_bits() {
    let mut bench = Bench::new(Shape::default());
    bench.qp(0).attributes.send_psn = Psn::new(0xff_ffff);
    bench.qp(1).attributes.receive_psn = Psn::new(0xff_ffff);
    for _ in 0..2 {
        let wqe = write(&bench, 0, 0, 0, 3000);
        let index = bench.execute(0, &wqe);
        bench.expect_done(0, index);
    }
    assert_eq!(bench.qp(0).attributes.send_psn, Psn::new(5));
}

#[test]
fn a_queue_of_32768_blocks_may_be_full() {
    let mut bench = Bench::new(Shape { log_sq: 15, log_cq: 15, ..Shape::default() });
    for _ in 0..2 {
        let first = bench.sides[0].posted;
        for _ in 0..1 << 15 {
            bench.post(0, &nop());
        }
        bench.ring(0);
        bench.run();
        for number in 0..1 << 15 {
            bench.expect_done(0, first.wrapping_add(number));
        }
    }
}

#[test]
fn the_furthest_doorbell_wins_and_a_lower_one_is_ignored() {
    let mut bench = Bench::new(Shape::default());
    for _ in 0..3 {
        bench.post(0, &nop());
    }
    bench.ring_index(0, 3);
    bench.ring_index(0, 1);
    bench.run();
    bench.ring_index(0, 2);
    bench.ring_index(0, 65_535);
    bench.run();
    for index in 0..3 {
        bench.expect_done(0, index);
    }
    assert!(bench.poll_send(0).is_none());
    assert_eq!(bench.qp(0).state, QpState::RTS);
}

#[test]
fn the_head_of_a_wqe_is_a_doorbell_for_itself_and_the_record() {
    let mut bench = Bench::new(Shape::default());
    let Side { device, uar, qpn, .. } = bench.sides[0];
    let long = Wqe { segs: vec![[0; SEG_BYTES]; 5], ..nop() };
    // BlueFlame before its record: the WQE's own blocks count.
    bench.post(0, &long);
    let rung = SqDoorbell { index: 0, qpn, segs: 6 };
    doorbell(&mut bench.fabric, device, uar, rung, DoorbellKind::Record);
    bench.run();
    bench.expect_done(0, 0);
    // BlueFlame of one WQE, record of two more.
    bench.post(0, &nop());
    bench.post(0, &nop());
    bench.sides[0].write_record(SND_DBR, 4);
    let rung = SqDoorbell { index: 2, qpn, segs: 1 };
    doorbell(&mut bench.fabric, device, uar, rung, DoorbellKind::Record);
    bench.run();
    bench.expect_done(0, 2);
    bench.expect_done(0, 3);
}

#[test]
fn a_queue_without_record_goes_by_its_doorbell() {
    let mut bench = Bench::new(Shape::default());
    bench.qp(0).send_dbr_mode = SendDbrMode::NO_DBR_EXT;
    bench.post(0, &nop());
    bench.post(0, &nop());
    bench.sides[0].write_record(SND_DBR, 2);
    let Side { device, uar, qpn, .. } = bench.sides[0];
    let rung = SqDoorbell::new(qpn, 1);
    doorbell(&mut bench.fabric, device, uar, rung, DoorbellKind::NoRecord);
    check_records(&mut bench.fabric, device, uar);
    bench.run();
    bench.expect_done(0, 0);
    assert!(bench.poll_send(0).is_none());
}

#[test]
fn a_shared_page_reads_the_record_of_every_queue() {
    let mut bench = Bench::new(Shape::default());
    let (page, qpn) = (bench.sides[0].uar, bench.sides[1].qpn);
    bench.fabric.devices[0].uars.get_mut(page.0).unwrap().qps.push(qpn);
    for side in [0, 1] {
        bench.post(side, &nop());
        bench.sides[side].write_record(SND_DBR, 1);
    }
    check_records(&mut bench.fabric, 0, page);
    bench.run();
    bench.expect_done(0, 0);
    bench.expect_done(1, 0);
}

#[test]
fn a_record_of_a_former_life_announces_nothing_on_a_shared_page() {
    let mut bench = Bench::new(Shape::default());
    let (page, other) = (bench.sides[0].uar, bench.sides[1].uar);
    let qpn = bench.sides[1].qpn;
    // The peer's queue moves to the first one's page.
    bench.fabric.devices[0].uars.get_mut(other.0).unwrap().qps.clear();
    bench.fabric.devices[0].uars.get_mut(page.0).unwrap().qps.push(qpn);
    bench.qp(1).uar = page;
    for _ in 0..3 {
        bench.execute(0, &nop());
    }
    while bench.poll_send(0).is_some() {}
    let first = bench.sides[0].qpn;
    reset(&mut bench.fabric, 0, first);
    bench.sides[0].posted = 0;
    // The record still says 3 when the other queue rings; the client sets it back later, before RTS.
    for state in [QpState::RST, QpState::INIT] {
        bench.qp(0).state = state;
        check_records(&mut bench.fabric, 0, page);
    }
    bench.ready_to_receive(0);
    check_records(&mut bench.fabric, 0, page);
    assert_eq!(bench.qp(0).send.as_ref().unwrap().producer, 0);
    // And posts already, rung where nobody saw it.
    bench.post(0, &nop());
    bench.sides[0].write_record(SND_DBR, 1);
    bench.qp(0).state = QpState::RTS;
    bench.activate(0);
    bench.run();
    bench.expect_done(0, 0);
    assert!(bench.poll_send(0).is_none());
}

#[test]
fn work_posted_before_rts_starts_there() {
    let mut bench = Bench::unconnected(Shape::default());
    bench.qp(0).state = QpState::INIT;
    bench.execute(0, &nop());
    bench.ready_to_receive(0);
    bench.execute(0, &nop());
    assert!(bench.poll_send(0).is_none());
    bench.qp(0).state = QpState::RTS;
    bench.activate(0);
    bench.run();
    bench.expect_done(0, 0);
    bench.expect_done(0, 1);
}

#[test]
fn a_reset_queue_starts_again_at_index_0() {
    let mut bench = Bench::new(Shape { ack_timeout: 14, ..Shape::default() });
    for _ in 0..100 {
        for _ in 0..5 {
            let index = bench.execute(0, &nop());
            bench.expect_done(0, index);
        }
        // One is left blocked on a peer that does not answer.
        bench.qp(1).state = QpState::INIT;
        let wqe = write(&bench, 0, 0, 0, 8);
        bench.execute(0, &wqe);
        for side in [0, 1] {
            bench.qp(side).state = QpState::RST;
            let Side { device, qpn, .. } = bench.sides[side];
            reset(&mut bench.fabric, device, qpn);
            bench.sides[side].posted = 0;
            bench.sides[side].write_record(SND_DBR, 0);
            bench.connect(side);
        }
    }
    assert_eq!(bench.execute(0, &nop()), 0);
    bench.expect_done(0, 0);
    assert!(bench.poll_send(0).is_none());
}

#[test]
fn cqe_owners_flip_every_lap() {
    let mut bench = Bench::new(Shape { log_cq: 1, ..Shape::default() });
    for lap in 0..6u16 {
        for _ in 0..2 {
            let index = bench.execute(0, &nop());
            let cqe = bench.expect_done(0, index);
            assert_eq!(cqe.owner(), lap % 2 == 1);
        }
    }
}

#[test]
fn an_overrun_puts_the_cq_and_the_queue_in_error() {
    let shape = Shape { log_cq: 2, overrun_ignored: false, ..Shape::default() };
    let mut bench = Bench::new(shape);
    // Consumed in time, any number of completions fits.
    for _ in 0..100 {
        for _ in 0..4 {
            bench.post(0, &nop());
        }
        bench.ring(0);
        bench.run();
        while bench.poll_send(0).is_some() {}
        bench.sides[0].send.publish_consumer();
    }
    assert!(!bench.cq(0).in_error);
    let first = bench.sides[0].posted;
    for _ in 0..6 {
        bench.post(0, &nop());
    }
    bench.ring(0);
    bench.run();
    assert!(bench.cq(0).in_error);
    assert_eq!(bench.qp(0).state, QpState::ERR);
    // The four that fit are whole; nothing was written over them.
    for number in 0..4 {
        bench.expect_done(0, first.wrapping_add(number));
    }
    assert!(bench.poll_send(0).is_none());
    assert_eq!(bench.qp(1).state, QpState::RTS);
}

#[test]
fn an_ignored_overrun_overwrites() {
    let mut bench = Bench::new(Shape { log_cq: 2, ..Shape::default() });
    for _ in 0..6 {
        bench.post(0, &nop());
    }
    bench.ring(0);
    bench.run();
    assert!(!bench.cq(0).in_error);
    let slots: Vec<_> = (0..4).map(|slot| bench.sides[0].send.at(slot).unwrap().index).collect();
    assert_eq!(slots, [4, 5, 2, 3]);
}

#[test]
fn an_overrun_of_the_receive_cq_is_the_peers_operation_error() {
    let mut bench = Bench::new(Shape { log_cq: 0, overrun_ignored: false, ..Shape::default() });
    for _ in 0..2 {
        bench.sides[1].post_receive(&[]);
    }
    let wqe = Wqe::new(WqeOpcode::SEND);
    let index = bench.execute(0, &wqe);
    bench.expect_done(0, index);
    bench.sides[0].send.publish_consumer();
    let index = bench.execute(0, &wqe);
    bench.expect_failed(0, index, Syndrome::REMOTE_OP_ERR);
    assert_eq!(bench.qp(1).state, QpState::ERR);
}

#[test]
fn a_collapsed_cq_shows_the_latest_completion_in_entry_0() {
    let shape = Shape { collapsed: true, log_cq: 4, ..Shape::default() };
    let mut bench = Bench::new(shape);
    assert!(bench.sides[0].send.at(0).is_none());
    for batch in 1..40u16 {
        for _ in 0..batch {
            bench.post(0, &nop());
        }
        let last = bench.sides[0].posted - 1;
        bench.ring(0);
        bench.run();
        let seen = bench.sides[0].send.at(0).unwrap();
        assert_eq!((seen.opcode, seen.index), (CqeOpcode::REQ, last));
    }
    for slot in 1..16 {
        assert!(bench.sides[0].send.at(slot).is_none());
    }
    // The first error stays; what is flushed after it does not hide it.
    let bad = bench.post(0, &Wqe::new(WqeOpcode(0xff)));
    for _ in 0..5 {
        bench.post(0, &nop());
    }
    bench.ring(0);
    bench.run();
    let seen = bench.sides[0].send.at(0).unwrap();
    assert_eq!((seen.index, seen.syndrome), (bad, Syndrome::LOCAL_QP_OP_ERR));
    // In a new life the same CQ reports again, flushes too.
    bench.qp(0).state = QpState::RST;
    let qpn = bench.sides[0].qpn;
    reset(&mut bench.fabric, 0, qpn);
    bench.sides[0].posted = 0;
    bench.connect(0);
    to_error(&mut bench.fabric, 0, qpn);
    bench.execute(0, &nop());
    let seen = bench.sides[0].send.at(0).unwrap();
    assert_eq!((seen.index, seen.syndrome), (0, Syndrome::WR_FLUSH_ERR));
}

fn wait(cqn: Cqn, index: u32) -> Wqe {
    Wqe::new(WqeOpcode::WAIT).segment(WaitSeg {
        reserved: [U32::new(0xdead_beef); 2],
        max_index: U32::new(index),
        qpn_cqn: U32::new(cqn.0),
    })
}

#[test]
fn a_wait_ends_with_the_cqe_of_its_index() {
    let mut bench = Bench::new(Shape::default());
    let cqn = bench.sides[0].send.cqn;
    let index = bench.post(1, &wait(cqn, 2));
    let after = bench.post(1, &nop());
    bench.ring(1);
    for _ in 0..2 {
        bench.run();
        assert!(bench.poll_send(1).is_none());
        bench.execute(0, &nop());
    }
    assert!(bench.poll_send(1).is_none());
    assert_eq!(bench.cq(0).waiters.len(), 1);
    bench.execute(0, &nop());
    bench.expect_done(1, index);
    bench.expect_done(1, after);
    assert!(bench.cq(0).waiters.is_empty());
    // Long past.
    let index = bench.execute(1, &wait(cqn, 0));
    bench.expect_done(1, index);
}

#[test]
fn waits_compare_24_bits() {
    let mut bench = Bench::new(Shape::default());
    let cqn = bench.sides[0].send.cqn;
    bench.cq(0).producer = 0xff_ffff;
    let index = bench.execute(1, &wait(cqn, 0xff_fffe));
    bench.expect_done(1, index);
    // The next but one CQE has index 2^24, which is 0.
    let index = bench.execute(1, &wait(cqn, 0));
    bench.execute(0, &nop());
    assert!(bench.poll_send(1).is_none());
    bench.execute(0, &nop());
    bench.expect_done(1, index);
}

#[test]
fn several_queues_wait_for_one_cq_each_for_its_own_index() {
    let mut bench = Bench::new(Shape::default());
    let cqn = bench.sides[0].send.cqn;
    let device = bench.sides[1].device;
    // The second waiter is the waiting queue's own completion's reader: it waits for CQE 0, the first for CQE 1.
    bench.execute(1, &wait(cqn, 1));
    let third = insert_side(&mut bench.fabric, device, &Shape::default());
    let other = core::mem::replace(&mut bench.sides[1], third);
    bench.connect(1);
    let index = bench.execute(1, &wait(cqn, 0));
    bench.execute(0, &nop());
    bench.expect_done(1, index);
    bench.sides[1] = other;
    assert!(bench.poll_send(1).is_none());
    bench.execute(0, &nop());
    bench.expect_done(1, 0);
}

#[test]
fn a_wait_ends_in_error_with_its_queue_or_its_cq() {
    let mut bench = Bench::new(Shape::default());
    let cqn = bench.sides[0].send.cqn;
    let index = bench.execute(1, &wait(cqn, 5));
    let qpn = bench.sides[1].qpn;
    to_error(&mut bench.fabric, 0, qpn);
    bench.run();
    bench.expect_failed(1, index, Syndrome::WR_FLUSH_ERR);

    let mut bench = Bench::new(Shape::default());
    let cqn = bench.sides[0].send.cqn;
    let index = bench.execute(1, &wait(cqn, 5));
    let cq = bench.fabric.devices[0].cqs.remove(cqn.0).unwrap();
    release_waiters(&mut bench.fabric, 0, cq.waiters);
    bench.run();
    bench.expect_failed(1, index, Syndrome::LOCAL_QP_OP_ERR);
}

#[test]
fn a_wait_for_a_cq_that_overruns_fails() {
    let overrun = |bench: &mut Bench| {
        for _ in 0..3 {
            bench.post(0, &nop());
        }
        bench.ring(0);
        bench.run();
        assert!(bench.cq(0).in_error && bench.cq(0).waiters.is_empty());
        assert_eq!(bench.cq(0).producer, 2);
    };
    // The CQ of side 0 has room for two; side 1 completes elsewhere.
    let make = || {
        let mut bench = Bench::new(Shape { ack_timeout: 0, ..Shape::default() });
        let cq = bench.cq(0);
        (cq.log_size, cq.overrun_ignored) = (1, false);
        bench.sides[0].send.log_size = 1;
        bench
    };
    // Waiting when it happens.
    let mut bench = make();
    let cqn = bench.sides[0].send.cqn;
    let index = bench.execute(1, &wait(cqn, 4));
    assert!(bench.poll_send(1).is_none());
    overrun(&mut bench);
    let vendor = bench.expect_failed(1, index, Syndrome::LOCAL_QP_OP_ERR);
    assert_eq!(vendor, Vendor::WAIT_OVERRUN.0);
    // Waiting from then on; what had been completed before may still be waited for.
    let mut bench = make();
    overrun(&mut bench);
    let index = bench.execute(1, &wait(cqn, 1));
    bench.expect_done(1, index);
    let index = bench.execute(1, &wait(cqn, 2));
    let vendor = bench.expect_failed(1, index, Syndrome::LOCAL_QP_OP_ERR);
    assert_eq!(vendor, Vendor::WAIT_OVERRUN.0);
}

#[test]
fn queues_take_turns() {
    let mut bench = Bench::new(Shape { log_sq: 8, log_cq: 8, ..Shape::default() });
    for side in [0, 1] {
        for _ in 0..200 {
            bench.post(side, &nop());
        }
        bench.ring(side);
    }
    run(&mut bench.fabric, 128);
    let done = [0, 1].map(|side| {
        let send = bench.qp(side).send.as_ref().unwrap();
        send.consumer
    });
    assert_eq!(done, [64, 64]);
    assert_eq!(bench.fabric.ready.0.len(), 2);
    bench.run();
    assert!(bench.fabric.ready.0.is_empty());
    assert!(!run(&mut bench.fabric, 1));
}

#[test]
fn a_destroyed_queue_is_dropped_from_the_ring_and_its_doorbells_ignored() {
    let mut bench = Bench::new(Shape::default());
    bench.post(0, &nop());
    bench.ring(0);
    let Side { device, qpn, .. } = bench.sides[0];
    bench.fabric.devices[device].qps.remove(qpn.0).unwrap();
    bench.run();
    bench.ring(0);
    bench.run();
    assert!(bench.poll_send(0).is_none() && bench.fabric.ready.0.is_empty());
}
