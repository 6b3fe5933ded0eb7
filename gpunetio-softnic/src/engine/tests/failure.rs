//! Every error with its syndrome, and what completes after it.

use super::*;
use crate::command::resource::deregister;
use crate::engine::error::Vendor;
use gpunetio_prm::wqe::AtomicSeg;

/// Posts `wqe` between two NOPs, runs, posts another NOP, and expects: done, `syndrome`, flushed, flushed.
#[track_caller]
fn expect_error(bench: &mut Bench, wqe: &Wqe, syndrome: Syndrome, vendor: Vendor) {
    let before = bench.post(0, &nop());
    let bad = bench.post(0, wqe);
    // Unsignalled, and flushed all the same.
    let after = bench.post(0, &nop().completion(CompletionMode::ON_ERROR));
    bench.ring(0);
    let end = bench.fabric.now + 10_000_000_000;
    bench.run_until(end);
    bench.expect_done(0, before);
    assert_eq!(bench.expect_failed(0, bad, syndrome), vendor.0);
    assert_eq!(bench.expect_failed(0, after, Syndrome::WR_FLUSH_ERR), Vendor::FLUSHED.0);
    assert_eq!(bench.qp(0).state, QpState::ERR);
    let later = bench.execute(0, &nop());
    bench.expect_failed(0, later, Syndrome::WR_FLUSH_ERR);
    assert!(bench.poll_send(0).is_none());
    assert!(bench.guards_hold());
}

fn both(mut check: impl FnMut(Bench)) {
    check(Bench::new(Shape::default()));
    check(Bench::new(Shape { devices: 2, ..Shape::default() }));
}

#[test]
fn a_bad_lkey_is_a_local_protection_error() {
    let other_pd = |bench: &mut Bench| {
        let span = client_memory(64);
        (insert_region(&mut bench.fabric, 0, (Pdn(8), span, ALL)), span.addr() as u64)
    };
    for opcode in [WqeOpcode::RDMA_WRITE, WqeOpcode::RDMA_READ] {
        let mut bench = Bench::new(Shape::default());
        let wqe = Wqe::new(opcode).to(&bench.sides[1], 0);
        let lkey = wqe.clone().segment(data_segment(Mkey(0x77), bench.sides[0].addr(0), 8));
        expect_error(&mut bench, &lkey, Syndrome::LOCAL_PROT_ERR, Vendor::LOCAL_KEY);

        let mut bench = Bench::new(Shape::default());
        let (key, addr) = other_pd(&mut bench);
        let pd = wqe.clone().segment(data_segment(key, addr, 8));
        expect_error(&mut bench, &pd, Syndrome::LOCAL_PROT_ERR, Vendor::LOCAL_PD);

        let mut bench = Bench::new(Shape::default());
        let bounds =
            Wqe::new(opcode).to(&bench.sides[1], 0).data(&bench.sides[0], DATA_BYTES - 7, 8);
        expect_error(&mut bench, &bounds, Syndrome::LOCAL_PROT_ERR, Vendor::LOCAL_BOUNDS);
    }
    let mut bench = Bench::new(Shape::default());
    let span = client_memory(64);
    let key = insert_region(&mut bench.fabric, 0, (PD, span, Access::REMOTE_READ));
    let read = Wqe::new(WqeOpcode::RDMA_READ).to(&bench.sides[1], 0).segment(data_segment(
        key,
        span.addr() as u64,
        8,
    ));
    expect_error(&mut bench, &read, Syndrome::LOCAL_PROT_ERR, Vendor::LOCAL_RIGHTS);

    let mut bench = Bench::new(Shape::default());
    let dump = Wqe::new(WqeOpcode::DUMP).segment(data_segment(Mkey(0x77), 0, 1));
    expect_error(&mut bench, &dump, Syndrome::LOCAL_PROT_ERR, Vendor::LOCAL_KEY);
}

#[test]
fn no_byte_moves_before_every_segment_is_good() {
    let mut bench = Bench::new(Shape::default());
    bench.sides[0].fill(0, &[1; 100]);
    let wqe = write(&bench, 0, 0, 0, 100).segment(data_segment(Mkey(0x77), 0, 8));
    expect_error(&mut bench, &wqe, Syndrome::LOCAL_PROT_ERR, Vendor::LOCAL_KEY);
    assert_eq!(bench.sides[1].data(0, 100), [0; 100]);
}

/// The responder's QP is in ERR, and flushes what it receives and sends.
#[track_caller]
fn expect_peer_in_error(bench: &mut Bench) {
    assert_eq!(bench.qp(1).state, QpState::ERR);
    let index = bench.execute(1, &nop());
    bench.expect_failed(1, index, Syndrome::WR_FLUSH_ERR);
}

#[test]
fn a_bad_rkey_is_a_remote_access_error_and_the_peer_goes_to_error_too() {
    both(|mut bench| {
        let addr = bench.sides[1].addr(0);
        let wqe = Wqe::new(WqeOpcode::RDMA_WRITE)
            .remote(Mkey(bench.sides[1].key.0 ^ 1), addr)
            .data(&bench.sides[0], 0, 8);
        bench.sides[1].post_receive(&[]);
        expect_error(&mut bench, &wqe, Syndrome::REMOTE_ACCESS_ERR, Vendor::NAK_ACCESS);
        let flushed = bench.poll_receive(1).unwrap();
        assert_eq!((flushed.opcode, flushed.index), (CqeOpcode::RESP_ERR, 0));
        assert_eq!(flushed.syndrome, Syndrome::WR_FLUSH_ERR);
        expect_peer_in_error(&mut bench);
    });
}

#[test]
fn remote_bounds_pd_and_rights_are_checked() {
    both(|mut bench| {
        let wqe = write(&bench, 0, 0, DATA_BYTES - 7, 8);
        expect_error(&mut bench, &wqe, Syndrome::REMOTE_ACCESS_ERR, Vendor::NAK_ACCESS);
        assert_eq!(bench.sides[1].data(DATA_BYTES - 8, 8), [0; 8]);
    });
    let operands = AtomicSeg { swap_add: U64::new(1), compare: U64::new(0) };
    let rights = [
        (WqeOpcode::RDMA_WRITE, Access::REMOTE_READ),
        (WqeOpcode::RDMA_READ, Access::REMOTE_WRITE),
        (WqeOpcode::ATOMIC_FA, Access::REMOTE_WRITE),
    ];
    for (opcode, access) in rights {
        for pd in [PD, Pdn(8)] {
            let mut bench = Bench::new(Shape::default());
            let span = client_memory(64);
            let access = if pd == PD { access } else { ALL };
            let key = insert_region(&mut bench.fabric, 0, (pd, span, access));
            let mut wqe = Wqe::new(opcode).remote(key, span.addr() as u64);
            if opcode == WqeOpcode::ATOMIC_FA {
                wqe = wqe.segment(operands);
            }
            let wqe = wqe.data(&bench.sides[0], 0, 8);
            expect_error(&mut bench, &wqe, Syndrome::REMOTE_ACCESS_ERR, Vendor::NAK_ACCESS);
        }
    }
}

#[test]
fn what_the_peer_was_not_set_up_for_is_an_invalid_request() {
    let operands = AtomicSeg { swap_add: U64::new(1), compare: U64::new(0) };
    for opcode in [WqeOpcode::RDMA_WRITE, WqeOpcode::RDMA_READ, WqeOpcode::ATOMIC_CS] {
        let mut bench = Bench::new(Shape::default());
        let attributes = &mut bench.qp(1).attributes;
        (attributes.rwe, attributes.rre, attributes.rae) = (false, false, false);
        let mut wqe = Wqe::new(opcode).to(&bench.sides[1], 0);
        if opcode == WqeOpcode::ATOMIC_CS {
            wqe = wqe.segment(operands);
        }
        let wqe = wqe.data(&bench.sides[0], 0, 8);
        expect_error(&mut bench, &wqe, Syndrome::REMOTE_INVAL_REQ_ERR, Vendor::NAK_INVALID);
        expect_peer_in_error(&mut bench);
    }
}

#[test]
fn a_misaligned_atomic_is_an_invalid_request() {
    let operands = AtomicSeg { swap_add: U64::new(1), compare: U64::new(0) };
    let mut bench = Bench::new(Shape::default());
    let wqe = Wqe::new(WqeOpcode::ATOMIC_FA).to(&bench.sides[1], 4).segment(operands).data(
        &bench.sides[0],
        0,
        8,
    );
    expect_error(&mut bench, &wqe, Syndrome::REMOTE_INVAL_REQ_ERR, Vendor::NAK_INVALID);

    // Aligned as the requester sees it, not in memory.
    let mut bench = Bench::new(Shape::default());
    let span = client_memory(64).part(4, 32).unwrap();
    let region = MemoryRegion { variant: 0, pd: PD, iova: 0, span, access: ALL };
    let key = bench.fabric.devices[0].memory.insert(region).unwrap();
    let wqe =
        Wqe::new(WqeOpcode::ATOMIC_FA).remote(key, 0).segment(operands).data(&bench.sides[0], 0, 8);
    expect_error(&mut bench, &wqe, Syndrome::REMOTE_INVAL_REQ_ERR, Vendor::NAK_INVALID);
}

#[test]
fn malformed_wqes_are_local_operation_errors() {
    let bad = |opcode| Wqe::new(WqeOpcode(opcode));
    let bench = Bench::new(Shape::default());
    let side = &bench.sides[1];
    let cases = [
        (bad(0x01).data(side, 0, 8), Vendor::UNKNOWN_OPCODE),
        (bad(0x25), Vendor::UNKNOWN_OPCODE),
        (bad(0xff), Vendor::UNKNOWN_OPCODE),
        (Wqe::new(WqeOpcode::RDMA_WRITE), Vendor::TOO_FEW_SEGMENTS),
        (Wqe::new(WqeOpcode::ATOMIC_FA).to(side, 0), Vendor::TOO_FEW_SEGMENTS),
        (Wqe::new(WqeOpcode::WAIT), Vendor::TOO_FEW_SEGMENTS),
        (
            Wqe::new(WqeOpcode::ATOMIC_MASKED_FA).to(side, 0).data(side, 0, 8).data(side, 0, 8),
            Vendor::OPCODE_MODIFIER,
        ),
        (Wqe::new(WqeOpcode::RDMA_READ).to(side, 0).inline(&[0; 8]), Vendor::INLINE_TARGET),
        (
            Wqe::new(WqeOpcode::SEND).segment(data_segment(Mkey(0), 0, INLINE_SEG | 13)),
            Vendor::INLINE_TOO_LONG,
        ),
    ];
    for (wqe, vendor) in cases {
        let mut bench = Bench::new(Shape::default());
        expect_error(&mut bench, &wqe, Syndrome::LOCAL_QP_OP_ERR, vendor);
    }
    let mut bench = Bench::new(Shape::default());
    let wait = Wqe::new(WqeOpcode::WAIT).segment(gpunetio_prm::wqe::WaitSeg {
        reserved: [U32::ZERO; 2],
        max_index: U32::ZERO,
        qpn_cqn: U32::new(0x999),
    });
    expect_error(&mut bench, &wait, Syndrome::LOCAL_QP_OP_ERR, Vendor::WAIT_CQ);
}

#[test]
fn a_ds_of_zero_too_much_or_past_the_producer_is_a_local_operation_error() {
    // ds 0: the WQE counts as one basic block.
    let mut bench = Bench::new(Shape::default());
    let index = bench.post(0, &nop());
    let mut ctrl = CtrlSeg::new(WqeOpcode::NOP, index, bench.sides[0].qpn, 0);
    bench.sides[0].write_block(index, ctrl.as_bytes());
    let next = bench.execute(0, &nop());
    let vendor = bench.expect_failed(0, index, Syndrome::LOCAL_QP_OP_ERR);
    assert_eq!(vendor, Vendor::NO_SEGMENTS.0);
    bench.expect_failed(0, next, Syndrome::WR_FLUSH_ERR);

    // Nine segments are three blocks, of which two are announced.
    let mut bench = Bench::new(Shape::default());
    bench.post(0, &nop());
    ctrl = CtrlSeg::new(WqeOpcode::NOP, 0, bench.sides[0].qpn, 9);
    bench.sides[0].write_block(0, ctrl.as_bytes());
    bench.post(0, &nop());
    bench.ring(0);
    bench.run();
    let vendor = bench.expect_failed(0, 0, Syndrome::LOCAL_QP_OP_ERR);
    assert_eq!(vendor, Vendor::WQE_BEYOND_PRODUCER.0);
    assert!(bench.poll_send(0).is_none());

    // 33 segments are more than the 512 bytes of a WQE.
    let mut bench = Bench::new(Shape::default());
    let wqe = Wqe { segs: vec![[0; SEG_BYTES]; 32], ..nop() };
    expect_error(&mut bench, &wqe, Syndrome::LOCAL_QP_OP_ERR, Vendor::WQE_TOO_LARGE);
}

#[test]
fn a_message_past_log_msg_max_is_a_local_length_error() {
    let mut bench = Bench::new(Shape::default());
    bench.qp(0).attributes.log_msg_max = 10;
    let wqe = write(&bench, 0, 0, 0, 1025);
    expect_error(&mut bench, &wqe, Syndrome::LOCAL_LENGTH_ERR, Vendor::MESSAGE_TOO_LONG);

    let mut bench = Bench::new(Shape::default());
    bench.qp(0).attributes.log_msg_max = 3;
    let wqe = Wqe::new(WqeOpcode::RDMA_WRITE).to(&bench.sides[1], 0).inline(&[1; 9]);
    expect_error(&mut bench, &wqe, Syndrome::LOCAL_LENGTH_ERR, Vendor::MESSAGE_TOO_LONG);

    // 1 GiB and one byte, whatever the QP says; the memory is not even looked at.
    let mut bench = Bench::new(Shape::default());
    bench.qp(0).attributes.log_msg_max = 31;
    let wqe = write(&bench, 0, 0, 0, (1 << 30) + 1);
    expect_error(&mut bench, &wqe, Syndrome::LOCAL_LENGTH_ERR, Vendor::MESSAGE_TOO_LONG);

    let mut bench = Bench::new(Shape::default());
    let wqe = write(&bench, 0, 0, 0, 0);
    expect_error(&mut bench, &wqe, Syndrome::LOCAL_LENGTH_ERR, Vendor::ZERO_BYTE_COUNT);
}

#[test]
fn an_atomics_result_needs_room() {
    let mut bench = Bench::new(Shape::default());
    let wqe = Wqe::new(WqeOpcode::ATOMIC_FA)
        .to(&bench.sides[1], 0)
        .segment(AtomicSeg { swap_add: U64::new(1), compare: U64::ZERO })
        .data(&bench.sides[0], 0, 4);
    expect_error(&mut bench, &wqe, Syndrome::LOCAL_LENGTH_ERR, Vendor::RESULT_TOO_SHORT);
    assert_eq!(bench.sides[1].value(0), 0, "it was not executed");
}

#[test]
fn reads_and_atomics_need_a_reliable_connection() {
    let shape = Shape { service: ServiceType::UC, ..Shape::default() };
    let mut bench = Bench::new(shape);
    let read = Wqe::new(WqeOpcode::RDMA_READ).to(&bench.sides[1], 0).data(&bench.sides[0], 0, 8);
    expect_error(&mut bench, &read, Syndrome::LOCAL_QP_OP_ERR, Vendor::NOT_ON_UC);
    let mut bench = Bench::new(shape);
    let atomic = Wqe::new(WqeOpcode::ATOMIC_FA)
        .to(&bench.sides[1], 0)
        .segment(AtomicSeg { swap_add: U64::new(1), compare: U64::ZERO })
        .data(&bench.sides[0], 0, 8);
    expect_error(&mut bench, &atomic, Syndrome::LOCAL_QP_OP_ERR, Vendor::NOT_ON_UC);
}

#[test]
fn a_receive_wqe_with_a_bad_lkey_is_the_peers_protection_error_and_ours_of_operation() {
    both(|mut bench| {
        let addr = bench.sides[1].addr(0);
        bench.sides[1].post_receive(&[data_segment(Mkey(0x77), addr, 100)]);
        bench.sides[1].post_receive(&[]);
        let wqe = Wqe::new(WqeOpcode::SEND).data(&bench.sides[0], 0, 8);
        expect_error(&mut bench, &wqe, Syndrome::REMOTE_OP_ERR, Vendor::NAK_OPERATION);
        let seen = bench.poll_receive(1).unwrap();
        assert_eq!((seen.opcode, seen.index), (CqeOpcode::RESP_ERR, 0));
        assert_eq!((seen.syndrome, seen.vendor), (Syndrome::LOCAL_PROT_ERR, Vendor::LOCAL_KEY.0));
        let flushed = bench.poll_receive(1).unwrap();
        assert_eq!((flushed.index, flushed.syndrome), (1, Syndrome::WR_FLUSH_ERR));
        expect_peer_in_error(&mut bench);
    });
}

#[test]
fn a_message_longer_than_the_receive_wqe_is_an_error_on_both_sides() {
    let mut bench = Bench::new(Shape::default());
    let segment = bench.sides[1].segment(0, 7);
    bench.sides[1].post_receive(&[segment]);
    let wqe = Wqe::new(WqeOpcode::SEND).data(&bench.sides[0], 0, 8);
    expect_error(&mut bench, &wqe, Syndrome::REMOTE_INVAL_REQ_ERR, Vendor::NAK_INVALID);
    let seen = bench.poll_receive(1).unwrap();
    assert_eq!((seen.opcode, seen.syndrome), (CqeOpcode::RESP_ERR, Syndrome::LOCAL_LENGTH_ERR));
    expect_peer_in_error(&mut bench);
}

#[test]
fn rnr_is_retried_as_often_as_set_with_the_peers_timer() {
    let mut bench = Bench::new(Shape { rnr_retry: 2, ..Shape::default() });
    bench.qp(1).attributes.min_rnr_nak = 14;
    let wqe = Wqe::new(WqeOpcode::SEND).data(&bench.sides[0], 0, 8);
    bench.execute(0, &wqe);
    // 1.28 ms twice; the third NAK is one too many.
    bench.run_until(2_559_999);
    assert!(bench.poll_send(0).is_none());
    bench.run_until(2_560_000);
    bench.expect_failed(0, 0, Syndrome::RNR_RETRY_EXC_ERR);
    assert_eq!(bench.qp(1).state, QpState::RTS, "the peer did nothing wrong");
}

#[test]
fn a_receive_wqe_posted_in_time_ends_rnr_for_ever_if_so_set() {
    let mut bench = Bench::new(Shape { rnr_retry: 7, ..Shape::default() });
    bench.sides[0].fill(0, b"late");
    let wqe = Wqe::new(WqeOpcode::SEND).data(&bench.sides[0], 0, 4);
    let index = bench.execute(0, &wqe);
    bench.run_until(1_000_000);
    assert!(bench.poll_send(0).is_none());
    let segment = bench.sides[1].segment(0, 4);
    bench.sides[1].post_receive(&[segment]);
    bench.run_until(1_010_001);
    bench.expect_done(0, index);
    assert_eq!(bench.sides[1].data(0, 4), b"late");
    assert_eq!(next_deadline(&bench.fabric), None);
}

#[test]
fn a_silent_peer_ends_in_retry_exceeded_after_the_configured_time() {
    // 4.096 us * 2^4 = 65.536 us, four times.
    let shape = Shape { ack_timeout: 4, retry_count: 3, devices: 2, ..Shape::default() };
    type Break = fn(&mut Bench);
    let causes: [(Break, Vendor); 6] = [
        (|bench| bench.qp(1).state = QpState::INIT, Vendor::PEER_STATE),
        (|bench| bench.qp(1).attributes.remote_qpn = Qpn(0x999), Vendor::NOT_CONNECTED),
        (
            // A queue of our number on another device is not us.
            |bench| {
                let own = bench.fabric.devices[1].port.gid(1).unwrap().gid;
                bench.qp(1).attributes.path.rgid = own;
                bench.activate(1);
            },
            Vendor::NOT_CONNECTED,
        ),
        (|bench| bench.qp(1).attributes.receive_psn = Psn::new(1001), Vendor::PSN),
        (|bench| bench.qp(0).attributes.remote_qpn = Qpn(0x999), Vendor::NO_QP),
        (
            |bench| {
                bench.qp(0).run.peer = None;
                bench.qp(0).attributes.path.rgid = gpunetio_prm::id::Gid([1; 16]);
            },
            Vendor::NO_DEVICE,
        ),
    ];
    for (cause, vendor) in causes {
        let mut bench = Bench::new(shape);
        cause(&mut bench);
        let wqe = write(&bench, 0, 0, 0, 8);
        let index = bench.execute(0, &wqe);
        bench.run_until(4 * 65_536 - 1);
        assert!(bench.poll_send(0).is_none());
        assert_eq!(next_deadline(&bench.fabric), Some(4 * 65_536));
        bench.run_until(4 * 65_536);
        let seen = bench.expect_failed(0, index, Syndrome::TRANSPORT_RETRY_EXC_ERR);
        assert_eq!(seen, vendor.0);
    }
}

#[test]
fn a_peer_that_comes_up_in_time_gets_the_message() {
    for ack_timeout in [0, 10] {
        let mut bench = Bench::unconnected(Shape { ack_timeout, devices: 2, ..Shape::default() });
        bench.connect(0);
        bench.sides[0].fill(0, b"patient");
        let wqe = write(&bench, 0, 0, 0, 7);
        let index = bench.execute(0, &wqe);
        assert!(bench.poll_send(0).is_none());
        assert_eq!(next_deadline(&bench.fabric).is_none(), ack_timeout == 0);
        bench.ready_to_receive(1);
        bench.run();
        bench.expect_done(0, index);
        assert_eq!(bench.sides[1].data(0, 7), b"patient");
        assert_eq!((bench.qp(0).run.timeouts, bench.qp(0).run.deadline), (0, None));
    }
}

/// One ACK timeout of the tests below: 4.096 us * 2^4.
const TIMEOUT: u64 = 65_536;

#[test]
fn every_message_has_all_retries_for_itself() {
    let mut bench = Bench::new(Shape { ack_timeout: 4, retry_count: 1, ..Shape::default() });
    let wqe = write(&bench, 0, 0, 0, 8);
    for _ in 0..3 {
        let start = bench.fabric.now;
        bench.qp(1).state = QpState::INIT;
        let index = bench.execute(0, &wqe);
        bench.run_until(start + TIMEOUT);
        bench.qp(1).state = QpState::RTS;
        bench.run_until(start + 2 * TIMEOUT);
        bench.expect_done(0, index);
    }
}

#[test]
fn an_attempt_because_the_peer_moved_uses_up_no_retry_and_leaves_no_timer() {
    let mut bench = Bench::new(Shape { ack_timeout: 4, retry_count: 1, ..Shape::default() });
    bench.qp(1).attributes.receive_psn = Psn::new(1001);
    let wqe = write(&bench, 0, 0, 0, 8);
    let index = bench.execute(0, &wqe);
    // Still the wrong PSN: each time the pause begins anew.
    for number in 1..10 {
        bench.run_until(number * TIMEOUT / 2);
        bench.activate(1);
        bench.run();
        assert!(bench.poll_send(0).is_none());
        assert_eq!(bench.qp(0).run.timeouts, 1);
    }
    let last = 9 * TIMEOUT / 2;
    bench.run_until(last + 2 * TIMEOUT - 1);
    assert!(bench.poll_send(0).is_none());
    bench.run_until(last + 2 * TIMEOUT);
    bench.expect_failed(0, index, Syndrome::TRANSPORT_RETRY_EXC_ERR);
}

#[test]
fn an_unreliable_requester_never_hears_of_failures() {
    let shape = Shape { service: ServiceType::UC, ..Shape::default() };
    type Break = fn(&mut Bench);
    let causes: [Break; 4] = [
        |bench| bench.qp(1).state = QpState::RST,
        |bench| bench.qp(0).attributes.remote_qpn = Qpn(0x999),
        |bench| bench.qp(1).attributes.rwe = false,
        |bench| bench.sides[1].key = Mkey(0x77),
    ];
    for cause in causes {
        let mut bench = Bench::new(shape);
        cause(&mut bench);
        bench.sides[0].fill(0, &[9; 8]);
        let wqe = write(&bench, 0, 0, 0, 8);
        let index = bench.execute(0, &wqe);
        bench.expect_done(0, index);
        assert_eq!(bench.sides[1].data(0, 8), [0; 8]);
        assert_eq!(bench.qp(0).state, QpState::RTS);
        assert_eq!(bench.qp(0).attributes.send_psn, Psn::new(1001));
    }
    // No receive WQE, or one that is too short and stays.
    let mut bench = Bench::new(shape);
    let wqe = Wqe::new(WqeOpcode::SEND).data(&bench.sides[0], 0, 8);
    let index = bench.execute(0, &wqe);
    bench.expect_done(0, index);
    assert_eq!(bench.qp(1).attributes.receive_psn, Psn::new(1001), "a lost message counts");
    let segment = bench.sides[1].segment(0, 7);
    bench.sides[1].post_receive(&[segment]);
    let index = bench.execute(0, &wqe);
    bench.expect_done(0, index);
    assert!(bench.poll_receive(1).is_none());
    let wqe = Wqe::new(WqeOpcode::SEND).data(&bench.sides[0], 0, 7);
    let index = bench.execute(0, &wqe);
    bench.expect_done(0, index);
    assert_eq!(bench.poll_receive(1).unwrap().index, 0);
}

#[test]
fn work_on_memory_that_is_deregistered_while_it_waits_fails() {
    // Announced and not begun: of the requester's memory, then of the target's.
    for side in [0, 1] {
        both(|mut bench| {
            let wqe = write(&bench, 0, 0, 0, 8);
            let index = bench.post(0, &wqe);
            bench.ring(0);
            let Side { device, key, .. } = bench.sides[side];
            deregister(&mut bench.fabric.devices[device], key).unwrap();
            bench.run();
            if side == 0 {
                let vendor = bench.expect_failed(0, index, Syndrome::LOCAL_PROT_ERR);
                assert_eq!(vendor, Vendor::LOCAL_KEY.0);
            } else {
                bench.expect_failed(0, index, Syndrome::REMOTE_ACCESS_ERR);
            }
        });
    }
    // Begun, and waiting for a receive WQE.
    let mut bench = Bench::new(Shape { rnr_retry: 7, ..Shape::default() });
    let send = Wqe::new(WqeOpcode::SEND).data(&bench.sides[0], 0, 8);
    let index = bench.execute(0, &send);
    let key = bench.sides[0].key;
    deregister(&mut bench.fabric.devices[0], key).unwrap();
    let segment = bench.sides[1].segment(0, 8);
    bench.sides[1].post_receive(&[segment]);
    bench.run_until(1_000_000_000);
    assert_eq!(bench.expect_failed(0, index, Syndrome::LOCAL_PROT_ERR), Vendor::LOCAL_KEY.0);
    // A receive WQE that was posted before.
    let mut bench = Bench::new(Shape { devices: 2, ..Shape::default() });
    let segment = bench.sides[1].segment(0, 8);
    bench.sides[1].post_receive(&[segment]);
    let key = bench.sides[1].key;
    deregister(&mut bench.fabric.devices[1], key).unwrap();
    let send = Wqe::new(WqeOpcode::SEND).data(&bench.sides[0], 0, 8);
    let index = bench.execute(0, &send);
    assert_eq!(bench.poll_receive(1).unwrap().syndrome, Syndrome::LOCAL_PROT_ERR);
    bench.expect_failed(0, index, Syndrome::REMOTE_OP_ERR);
}

#[test]
fn to_error_flushes_both_queues_and_what_is_posted_later() {
    let mut bench = Bench::new(Shape::default());
    bench.sides[0].post_receive(&[]);
    bench.sides[0].post_receive(&[]);
    let index = bench.post(0, &nop());
    bench.ring(0);
    to_error(&mut bench.fabric, 0, bench.sides[0].qpn);
    bench.run();
    bench.expect_failed(0, index, Syndrome::WR_FLUSH_ERR);
    for index in [0, 1] {
        let seen = bench.poll_receive(0).unwrap();
        assert_eq!((seen.opcode, seen.index), (CqeOpcode::RESP_ERR, index));
        assert_eq!(seen.syndrome, Syndrome::WR_FLUSH_ERR);
    }
    // No doorbell announces a receive WQE; the record is looked at in time.
    bench.sides[0].post_receive(&[]);
    bench.run_until(1_000_000);
    assert_eq!(bench.poll_receive(0).unwrap().index, 2);
    // Looking gets rarer, but never stops.
    let mut last = 0;
    for _ in 0..10 {
        let deadline = next_deadline(&bench.fabric).unwrap();
        assert!(deadline > last);
        last = deadline;
        bench.run_until(deadline);
    }
    assert_eq!(next_deadline(&bench.fabric), Some(last + 64_000_000));
}

#[test]
fn a_flush_of_a_first_error_only_wqe_writes_nothing() {
    let mut bench = Bench::new(Shape::default());
    to_error(&mut bench.fabric, 0, bench.sides[0].qpn);
    bench.execute(0, &nop().completion(CompletionMode::ON_FIRST_ERROR));
    assert!(bench.poll_send(0).is_none());
    let index = bench.execute(0, &nop().completion(CompletionMode::ON_ERROR));
    bench.expect_failed(0, index, Syndrome::WR_FLUSH_ERR);
}

#[test]
fn a_removed_device_flushes_on_the_next_doorbell() {
    let mut bench = Bench::new(Shape::default());
    bench.fabric.devices[0].alive = false;
    let index = bench.execute(0, &nop());
    bench.expect_failed(0, index, Syndrome::WR_FLUSH_ERR);
}

#[test]
fn looks_at_the_receive_queues_of_many_queues_in_error_come_together() {
    let shape = Shape::default();
    let mut bench = Bench::new(shape);
    let mut many: Vec<Qpn> =
        (0..100).map(|_| insert_side(&mut bench.fabric, 0, &shape).qpn).collect();
    many.extend([bench.sides[0].qpn, bench.sides[1].qpn]);
    for qpn in many {
        bench.fabric.now += 777_777;
        to_error(&mut bench.fabric, 0, qpn);
        bench.run();
    }
    // Backed off to the longest pause.
    let second = 1_000_000_000;
    bench.run_until(bench.fabric.now + second);
    let (start, mut looks) = (bench.fabric.now, 0);
    while let Some(deadline) = next_deadline(&bench.fabric).filter(|at| *at < start + second) {
        assert!(deadline > bench.fabric.now);
        bench.fabric.now = deadline;
        assert!(!run(&mut bench.fabric, 1000), "there is nothing to flush");
        looks += 1;
    }
    assert!((15..=16).contains(&looks), "{looks} looks a second, once in 64 ms for all");
    // And one of them flushes what was posted meanwhile.
    bench.sides[0].post_receive(&[]);
    bench.run_until(bench.fabric.now + 64_000_000);
    let flushed = bench.poll_receive(0).unwrap();
    assert_eq!((flushed.opcode, flushed.syndrome), (CqeOpcode::RESP_ERR, Syndrome::WR_FLUSH_ERR));
}
