//! Receive queues: own and shared, cyclic and linked.

use super::*;
use crate::engine::error::Vendor;

fn send(bench: &mut Bench, bytes: &[u8]) {
    let wqe = Wqe::new(WqeOpcode::SEND).inline(bytes);
    let index = bench.execute(0, &wqe);
    bench.expect_done(0, index);
}

#[test]
fn receive_indices_wrap_past_65536() {
    let mut bench = Bench::new(Shape::default());
    for number in 0..66_000u32 {
        let segment = bench.sides[1].segment((number as usize % 16) * 8, 4);
        bench.sides[1].post_receive(&[segment]);
        send(&mut bench, &number.to_ne_bytes());
        let seen = bench.poll_receive(1).unwrap();
        assert_eq!((seen.opcode, seen.index), (CqeOpcode::RESP_SEND, number as u16));
        assert_eq!(bench.sides[1].data((number as usize % 16) * 8, 4), number.to_ne_bytes());
    }
}

#[test]
fn a_byte_count_of_zero_is_room_for_2_gib() {
    let mut bench = Bench::new(Shape::default());
    let segment = bench.sides[1].segment(0, 0);
    bench.sides[1].post_receive(&[segment]);
    send(&mut bench, b"fits");
    assert_eq!(bench.sides[1].data(0, 4), b"fits");
}

#[test]
fn a_shared_cyclic_queue_serves_in_order() {
    let mut bench = Bench::new(Shape { devices: 2, ..Shape::default() });
    let (ring, dbr) = share_receive_queue(&mut bench, 1, 2, false);
    for round in 0..70_000u32 {
        let segment = bench.sides[1].segment(round as usize % 64, 4);
        write_receive(ring, u64::from(round % 4), &[segment]);
        dbr.write(&((round + 1) & 0xffff).to_be_bytes());
        send(&mut bench, &round.to_be_bytes());
        let seen = bench.poll_receive(1).unwrap();
        assert_eq!((seen.index, seen.cqe.srqn_uidx.get()), (round as u16, USER_INDEX));
        assert_eq!(bench.sides[1].data(round as usize % 64, 4), round.to_be_bytes());
    }
    // Empty: not ready.
    bench.execute(0, &Wqe::new(WqeOpcode::SEND));
    assert!(bench.poll_send(0).is_none());
    dbr.write(&70_001u32.to_be_bytes());
    let end = bench.fabric.now + 1_000_000;
    bench.run_until(end);
    assert!(bench.poll_receive(1).is_some());
}

/// Links WQE `slot` to `next`, and posts `segments` in it.
fn link(ring: Span, slot: u16, next: u16, segments: &[DataSeg]) {
    let mut head = [0; SEG_BYTES];
    head[2..4].copy_from_slice(&next.to_be_bytes());
    let head = DataSeg::read_from_bytes(&head).unwrap();
    write_receive(ring, slot.into(), &[&[head], segments].concat());
}

#[test]
fn a_shared_linked_queue_follows_its_list() {
    let mut bench = Bench::new(Shape::default());
    let (ring, dbr) = share_receive_queue(&mut bench, 1, 2, true);
    // 0 -> 2 -> 1 -> 3 -> 0, as a client that frees out of order would link it; an index past the ring wraps.
    for (slot, next) in [(0, 2), (2, 5), (1, 3), (3, 0)] {
        let segment = bench.sides[1].segment(usize::from(slot) * 16, 16);
        link(ring, slot, next, &[segment]);
    }
    dbr.write(&4u32.to_be_bytes());
    for slot in [0u16, 2, 1, 3] {
        send(&mut bench, &slot.to_be_bytes());
        let seen = bench.poll_receive(1).unwrap();
        assert_eq!(seen.index, slot);
        assert_eq!(bench.sides[1].data(usize::from(slot) * 16, 2), slot.to_be_bytes());
    }
    // All consumed.
    bench.execute(0, &Wqe::new(WqeOpcode::SEND));
    assert!(bench.poll_send(0).is_none());
}

#[test]
fn a_shared_queues_wqes_survive_the_error_of_a_queue() {
    let mut bench = Bench::new(Shape::default());
    let (ring, dbr) = share_receive_queue(&mut bench, 1, 2, false);
    write_receive(ring, 0, &[]);
    dbr.write(&1u32.to_be_bytes());
    to_error(&mut bench.fabric, 0, bench.sides[1].qpn);
    bench.run();
    assert!(bench.poll_receive(1).is_none());
    assert_eq!(next_deadline(&bench.fabric), None, "nothing to look at again");
}

#[test]
fn lkeys_of_a_shared_queue_are_checked_against_its_own_pd() {
    let mut bench = Bench::new(Shape::default());
    let (ring, dbr) = share_receive_queue(&mut bench, 1, 2, false);
    let rmpn = match bench.qp(1).receive {
        ReceiveSide::Shared(rmpn) => rmpn,
        _ => unreachable!("just made"),
    };
    bench.fabric.devices[0].rmps.get_mut(rmpn.0).unwrap().pd = Pdn(99);
    let segment = bench.sides[1].segment(0, 16);
    write_receive(ring, 0, &[segment]);
    dbr.write(&1u32.to_be_bytes());
    let index = bench.execute(0, &Wqe::new(WqeOpcode::SEND).inline(b"x"));
    bench.expect_failed(0, index, Syndrome::REMOTE_OP_ERR);
    assert_eq!(bench.poll_receive(1).unwrap().vendor, Vendor::LOCAL_PD.0);
}

#[test]
fn a_queue_that_receives_nowhere_is_never_ready() {
    let mut bench = Bench::new(Shape { rnr_retry: 0, ..Shape::default() });
    bench.qp(1).receive = ReceiveSide::None;
    let index = bench.execute(0, &Wqe::new(WqeOpcode::SEND));
    bench.expect_failed(0, index, Syndrome::RNR_RETRY_EXC_ERR);
}
