//! Every opcode, with its data.

use super::*;
use gpunetio_prm::wqe::{
    ATOMIC_4_BYTE_OPMOD, ATOMIC_8_BYTE_OPMOD, AtomicSeg, MaskedCs4Seg, MaskedCs8MaskSeg,
    MaskedCs8Seg, MaskedFa4Seg, MaskedFa8Seg,
};

fn both_shapes() -> [Shape; 2] {
    [Shape::default(), Shape { devices: 2, ..Shape::default() }]
}

#[test]
fn a_nop_completes_with_its_index_qpn_and_user_index() {
    let mut bench = Bench::new(Shape::default());
    bench.fabric.now = 12345;
    let index = bench.execute(0, &nop());
    let cqe = bench.expect_done(0, index);
    assert_eq!((cqe.qpn(), cqe.srqn_uidx.get()), (bench.sides[0].qpn, USER_INDEX));
    assert_eq!((cqe.timestamp.get(), cqe.sop_drop_qpn.get() >> 24), (12345, 0));
}

#[test]
fn a_write_moves_its_bytes_and_no_others() {
    for shape in both_shapes() {
        let mut bench = Bench::new(shape);
        for (seed, len) in
            [1, 2, 3, 4, 7, 8, 9, 64, 1023, 1024, 1025, 20_000].into_iter().enumerate()
        {
            let bytes = pattern(seed as u8, len);
            bench.sides[0].fill(100, &bytes);
            bench.sides[1].fill(0, &vec![0xee; DATA_BYTES]);
            let wqe = write(&bench, 0, 100, 3000, len);
            let index = bench.execute(0, &wqe);
            let cqe = bench.expect_done(0, index);
            assert_eq!(cqe.sop_drop_qpn.get() >> 24, u32::from(WqeOpcode::RDMA_WRITE.0));
            assert_eq!(bench.sides[1].data(3000, len), bytes);
            assert_eq!(bench.sides[1].data(2999, 1), [0xee]);
            assert_eq!(bench.sides[1].data(3000 + len, 1), [0xee]);
        }
        assert!(bench.poll_receive(1).is_none() && bench.guards_hold());
    }
}

#[test]
fn a_write_gathers_segments_and_inline_data_in_order() {
    let mut bench = Bench::new(Shape::default());
    let bytes = pattern(3, 900);
    bench.sides[0].fill(0, &bytes);
    // Nine segments of 16 bytes and more: three basic blocks.
    let mut wqe = Wqe::new(WqeOpcode::RDMA_WRITE).to(&bench.sides[1], 50);
    for (offset, len) in [(0, 1), (1, 299), (300, 100), (400, 8), (408, 92)] {
        wqe = wqe.data(&bench.sides[0], offset, len);
    }
    wqe = wqe.inline(&bytes[500..529]).data(&bench.sides[0], 529, 371);
    let index = bench.execute(0, &wqe);
    bench.expect_done(0, index);
    assert_eq!(bench.sides[1].data(50, 900), bytes);
    assert_eq!(bench.sides[0].posted, 3);
}

#[test]
fn inline_data_of_any_length_that_a_wqe_holds_arrives() {
    let mut bench = Bench::new(Shape::default());
    for len in (0..=64).chain([100, 475, 476]) {
        let bytes = pattern(len as u8, len);
        bench.sides[1].fill(0, &vec![0xee; len + 8]);
        let wqe = Wqe::new(WqeOpcode::RDMA_WRITE).to(&bench.sides[1], 0).inline(&bytes);
        let index = bench.execute(0, &wqe);
        bench.expect_done(0, index);
        assert_eq!(bench.sides[1].data(0, len), bytes);
        assert_eq!(bench.sides[1].data(len, 8), [0xee; 8]);
    }
}

#[test]
fn a_wqe_may_wrap_around_the_ring() {
    for log_sq in [3, 6] {
        let mut bench = Bench::new(Shape { log_sq, ..Shape::default() });
        let last = (1 << log_sq) - 1;
        for _ in 0..last {
            let index = bench.execute(0, &nop());
            bench.expect_done(0, index);
        }
        let bytes = pattern(9, 150);
        let wqe = Wqe::new(WqeOpcode::RDMA_WRITE).to(&bench.sides[1], 0).inline(&bytes);
        let index = bench.execute(0, &wqe);
        assert_eq!((index, bench.sides[0].posted), (last, last + 3));
        bench.expect_done(0, last);
        assert_eq!(bench.sides[1].data(0, 150), bytes);
        let index = bench.execute(0, &nop());
        bench.expect_done(0, index);
    }
}

#[test]
fn no_bytes_are_written_and_read_without_a_look_at_the_rkey() {
    let mut bench = Bench::new(Shape::default());
    for opcode in [WqeOpcode::RDMA_WRITE, WqeOpcode::RDMA_READ] {
        let index = bench.execute(0, &Wqe::new(opcode).remote(Mkey(0xdead00), 0));
        bench.expect_done(0, index);
    }
    assert_eq!(bench.qp(0).attributes.send_psn, Psn::new(1002));
    assert_eq!(bench.qp(1).attributes.receive_psn, Psn::new(1002));
}

#[test]
fn a_write_with_immediate_consumes_a_receive_wqe() {
    let mut bench = Bench::new(Shape { devices: 2, ..Shape::default() });
    bench.sides[1].post_receive(&[]);
    bench.sides[0].fill(0, b"hello");
    let mut wqe = write(&bench, 0, 0, 10, 5).imm(0xcafebabe);
    wqe.opcode = WqeOpcode::RDMA_WRITE_IMM;
    let index = bench.execute(0, &wqe);
    bench.expect_done(0, index);
    let seen = bench.poll_receive(1).unwrap();
    assert_eq!((seen.opcode, seen.index), (CqeOpcode::RESP_WR_IMM, 0));
    assert_eq!((seen.cqe.imm_inval_pkey.get(), seen.cqe.byte_cnt.get()), (0xcafebabe, 5));
    assert_eq!((seen.cqe.qpn(), seen.cqe.srqn_uidx.get()), (bench.sides[1].qpn, USER_INDEX));
    assert_eq!(seen.cqe.flags_rqpn.get(), bench.sides[0].qpn.0);
    assert_eq!(bench.sides[1].data(10, 5), b"hello");
}

#[test]
fn a_read_scatters_what_it_fetched() {
    for shape in both_shapes() {
        let mut bench = Bench::new(shape);
        let bytes = pattern(5, 5000);
        bench.sides[1].fill(7, &bytes);
        let wqe = Wqe::new(WqeOpcode::RDMA_READ)
            .to(&bench.sides[1], 7)
            .data(&bench.sides[0], 0, 8)
            .data(&bench.sides[0], 100, 4000)
            .data(&bench.sides[0], 9000, 992);
        let index = bench.execute(0, &wqe);
        assert_eq!(bench.expect_done(0, index).byte_cnt.get(), 5000);
        let side = &bench.sides[0];
        assert_eq!([side.data(0, 8), side.data(100, 4000), side.data(9000, 992)].concat(), bytes);
        // 5000 bytes at 1024 a packet: the response's packets count.
        assert_eq!(bench.qp(0).attributes.send_psn, Psn::new(1005));
        assert_eq!(bench.qp(1).attributes.receive_psn, Psn::new(1005));
    }
}

#[test]
fn a_send_fills_receive_segments_one_after_the_other() {
    for shape in both_shapes() {
        let mut bench = Bench::new(shape);
        let bytes = pattern(8, 300);
        bench.sides[0].fill(0, &bytes);
        for (opcode, imm) in [(WqeOpcode::SEND, 0), (WqeOpcode::SEND_IMM, 0x01020304)] {
            let segments = [(0, 10), (1000, 100), (2000, 500)]
                .map(|(offset, len)| bench.sides[1].segment(offset, len));
            bench.sides[1].post_receive(&segments);
            let wqe = Wqe::new(opcode)
                .imm(imm)
                .data(&bench.sides[0], 0, 100)
                .inline(&bytes[100..110])
                .data(&bench.sides[0], 110, 190);
            let index = bench.execute(0, &wqe);
            bench.expect_done(0, index);
            let seen = bench.poll_receive(1).unwrap();
            let want = if imm == 0 { CqeOpcode::RESP_SEND } else { CqeOpcode::RESP_SEND_IMM };
            assert_eq!((seen.opcode, seen.cqe.byte_cnt.get()), (want, 300));
            assert_eq!(seen.cqe.imm_inval_pkey.get(), imm);
            let side = &bench.sides[1];
            let got = [side.data(0, 10), side.data(1000, 100), side.data(2000, 190)].concat();
            assert_eq!(got, bytes);
            assert_eq!(side.data(2190, 1), [0]);
            side.fill(0, &[0; 3000]);
        }
    }
}

/// Executes an atomic on a target of `old` and returns (target after, result).
fn atomic(bench: &mut Bench, wqe: &Wqe, old: u64) -> (u64, u64) {
    bench.sides[1].fill(64, &old.to_ne_bytes());
    bench.sides[0].fill(0, &[0x77; 8]);
    let index = bench.execute(0, wqe);
    let cqe = bench.expect_done(0, index);
    let width = if wqe.opmod == ATOMIC_4_BYTE_OPMOD { 4 } else { 8 };
    assert_eq!(cqe.byte_cnt.get(), width);
    (bench.sides[1].value(64), bench.sides[0].value(0))
}

fn atomic_wqe(bench: &Bench, opcode: WqeOpcode) -> Wqe {
    Wqe::new(opcode).to(&bench.sides[1], 64)
}

#[test]
fn eight_byte_atomics_swap_and_add_in_host_order() {
    for shape in both_shapes() {
        let mut bench = Bench::new(shape);
        let operands = |swap_add, compare| AtomicSeg {
            swap_add: U64::new(swap_add),
            compare: U64::new(compare),
        };
        let swap = atomic_wqe(&bench, WqeOpcode::ATOMIC_CS).segment(operands(0x1122, 5)).data(
            &bench.sides[0],
            0,
            8,
        );
        assert_eq!(atomic(&mut bench, &swap, 5), (0x1122, 5));
        assert_eq!(atomic(&mut bench, &swap, 6), (6, 6));
        let add = atomic_wqe(&bench, WqeOpcode::ATOMIC_FA).segment(operands(3, 99)).data(
            &bench.sides[0],
            0,
            8,
        );
        assert_eq!(atomic(&mut bench, &add, u64::MAX), (2, u64::MAX));
    }
}

#[test]
fn masked_compare_swaps_work_on_eight_and_four_bytes() {
    let mut bench = Bench::new(Shape::default());
    let eight = atomic_wqe(&bench, WqeOpcode::ATOMIC_MASKED_CS)
        .opmod(ATOMIC_8_BYTE_OPMOD)
        .segment(MaskedCs8Seg { swap: U64::new(0xffff), compare: U64::new(0xab00) })
        .segment(MaskedCs8MaskSeg { swap_mask: U64::new(0x00f0), compare_mask: U64::new(0xff00) })
        .data(&bench.sides[0], 0, 8);
    assert_eq!(atomic(&mut bench, &eight, 0x7ab01), (0x7abf1, 0x7ab01));
    assert_eq!(atomic(&mut bench, &eight, 0x7ac01), (0x7ac01, 0x7ac01));
    // Five segments: two basic blocks.
    assert_eq!(bench.sides[0].posted, 4);

    let four = atomic_wqe(&bench, WqeOpcode::ATOMIC_MASKED_CS)
        .opmod(ATOMIC_4_BYTE_OPMOD)
        .segment(MaskedCs4Seg {
            swap: U32::new(0x1234_5678),
            compare: U32::new(0xab00),
            swap_mask: U32::new(0xffff_0000),
            compare_mask: U32::new(0xff00),
        })
        .data(&bench.sides[0], 0, 4);
    let (after, result) = atomic(&mut bench, &four, 0x9999_9999_0000_ab07);
    assert_eq!((after, result as u32), (0x9999_9999_1234_ab07, 0xab07));
    assert_eq!(result >> 32, 0x7777_7777, "four bytes are returned");
}

#[test]
fn masked_fetch_adds_stop_carries_at_field_boundaries() {
    let mut bench = Bench::new(Shape::default());
    let eight = atomic_wqe(&bench, WqeOpcode::ATOMIC_MASKED_FA)
        .opmod(ATOMIC_8_BYTE_OPMOD)
        .segment(MaskedFa8Seg {
            add: U64::new(0x0000_0001_0000_0001),
            field_boundary: U64::new(0x8000_0000_8000_0000),
        })
        .data(&bench.sides[0], 0, 8);
    let old = 0xffff_ffff_ffff_ffff;
    assert_eq!(atomic(&mut bench, &eight, old), (0, old));

    let four = atomic_wqe(&bench, WqeOpcode::ATOMIC_MASKED_FA)
        .opmod(ATOMIC_4_BYTE_OPMOD)
        .segment(MaskedFa4Seg {
            add: U32::new(1),
            field_boundary: U32::ZERO,
            reserved: U64::new(u64::MAX),
        })
        .data(&bench.sides[0], 0, 4);
    let (after, result) = atomic(&mut bench, &four, 0x1_ffff_ffff);
    assert_eq!((after, result as u32), (0x1_0000_0000, 0xffff_ffff));
}

#[test]
fn the_recorded_masked_atomics_decode_to_their_operands() {
    use crate::engine::atomic::{Atomic, Change};
    use crate::engine::request::{Request, decode};
    // "prepare_mfa_8", "prepare_mcs_4" and "prepare_mcs_8" at start 0, recorded from the public 4.1 device headers.
    let cases = [
        (
            "0900001512345604000000080000000011223344556677880403020100000000\
             0102030405060708800000000000000000000008 0d0c0b0a8877665544332211",
            Atomic {
                change: Change::FetchAdd { add: 0x0102030405060708, boundary: 1 << 63 },
                width: 8,
            },
        ),
        (
            "0800001412345604000000080000000011223344556677880403020100000000\
             0102030405060708090a0b0c0d0e0f10000000040d0c0b0a8877665544332211",
            Atomic {
                change: Change::CompareSwap {
                    swap: 0x01020304,
                    compare: 0x05060708,
                    swap_mask: 0x090a0b0c,
                    compare_mask: 0x0d0e0f10,
                },
                width: 4,
            },
        ),
        (
            "0900001412345605000000080000000011223344556677880403020100000000\
             0102030405060708111213141516171821222324252627283132333435363738\
             000000080d0c0b0a8877665544332211",
            Atomic {
                change: Change::CompareSwap {
                    swap: 0x0102030405060708,
                    compare: 0x1112131415161718,
                    swap_mask: 0x2122232425262728,
                    compare_mask: 0x3132333435363738,
                },
                width: 8,
            },
        ),
    ];
    for (hex, want) in cases {
        let digits: Vec<u8> = hex.bytes().filter(u8::is_ascii_hexdigit).collect();
        let wqe: Vec<u8> = digits
            .chunks(2)
            .map(|pair| u8::from_str_radix(core::str::from_utf8(pair).unwrap(), 16).unwrap())
            .collect();
        let (ctrl, _) = CtrlSeg::read_from_prefix(&wqe).unwrap();
        let Ok(Request::Atomic { remote, atomic, data }) = decode(&ctrl, &wqe) else {
            panic!("{hex} is not an atomic");
        };
        assert_eq!(atomic, want);
        assert_eq!((remote.addr, remote.rkey), (0x1122334455667788, Mkey(0x04030201)));
        assert_eq!(data.start, wqe.len() - SEG_BYTES);
    }
}

#[test]
fn a_dump_checks_its_memory_and_writes_nothing() {
    let mut bench = Bench::new(Shape::default());
    let wqe = Wqe::new(WqeOpcode::DUMP).data(&bench.sides[0], 0, 1);
    let index = bench.execute(0, &wqe);
    bench.expect_done(0, index);
    let psn = bench.qp(0).attributes.send_psn;
    assert_eq!(psn, Psn::new(1000), "nothing is sent");
}

#[test]
fn an_unsignalled_wqe_is_done_and_writes_no_cqe() {
    let mut bench = Bench::new(Shape::default());
    bench.sides[0].fill(0, &[1; 8]);
    for mode in [CompletionMode::ON_ERROR, CompletionMode::ON_FIRST_ERROR] {
        let wqe = write(&bench, 0, 0, 0, 8).completion(mode);
        bench.execute(0, &wqe);
        assert!(bench.poll_send(0).is_none());
    }
    assert_eq!(bench.sides[1].data(0, 8), [1; 8]);
    let index = bench.execute(0, &nop().completion(CompletionMode::ALWAYS_AND_EQE));
    bench.expect_done(0, index);
}

#[test]
fn a_queue_may_be_its_own_peer() {
    let mut bench = Bench::unconnected(Shape::default());
    bench.connect(0);
    let qpn = bench.sides[0].qpn;
    bench.qp(0).attributes.remote_qpn = qpn;
    bench.qp(0).attributes.receive_psn = Psn::new(1000);
    bench.sides[0].fill(0, b"loop");
    let wqe = Wqe::new(WqeOpcode::RDMA_WRITE).to(&bench.sides[0], 100).data(&bench.sides[0], 0, 4);
    let index = bench.execute(0, &wqe);
    bench.expect_done(0, index);
    assert_eq!(bench.sides[0].data(100, 4), b"loop");
    // A refused write is the requester's error first, and a flush of what follows.
    let bad = Wqe::new(WqeOpcode::RDMA_WRITE).remote(Mkey(1), 0).data(&bench.sides[0], 0, 4);
    let first = bench.post(0, &bad);
    let second = bench.execute(0, &nop());
    bench.expect_failed(0, first, Syndrome::REMOTE_ACCESS_ERR);
    bench.expect_failed(0, second, Syndrome::WR_FLUSH_ERR);
}

#[test]
fn overlapping_source_and_target_are_moved_as_if_at_once() {
    let mut bench = Bench::unconnected(Shape::default());
    bench.connect(0);
    let qpn = bench.sides[0].qpn;
    bench.qp(0).attributes.remote_qpn = qpn;
    bench.qp(0).attributes.receive_psn = Psn::new(1000);
    let bytes = pattern(1, 100);
    bench.sides[0].fill(0, &bytes);
    let wqe = Wqe::new(WqeOpcode::RDMA_WRITE).to(&bench.sides[0], 10).data(&bench.sides[0], 0, 100);
    let index = bench.execute(0, &wqe);
    bench.expect_done(0, index);
    assert_eq!(bench.sides[0].data(10, 100), bytes);
}

#[test]
fn unreliable_connections_write_and_send() {
    let mut bench = Bench::new(Shape { service: ServiceType::UC, devices: 2, ..Shape::default() });
    bench.sides[0].fill(0, b"unreliable");
    let wqe = write(&bench, 0, 0, 5, 10);
    let index = bench.execute(0, &wqe);
    bench.expect_done(0, index);
    assert_eq!(bench.sides[1].data(5, 10), b"unreliable");
    let segment = bench.sides[1].segment(100, 10);
    bench.sides[1].post_receive(&[segment]);
    let wqe = Wqe::new(WqeOpcode::SEND).data(&bench.sides[0], 0, 10);
    let index = bench.execute(0, &wqe);
    bench.expect_done(0, index);
    assert_eq!(bench.poll_receive(1).unwrap().opcode, CqeOpcode::RESP_SEND);
    assert_eq!(bench.sides[1].data(100, 10), b"unreliable");
}
