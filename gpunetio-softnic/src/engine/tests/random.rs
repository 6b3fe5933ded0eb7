//! Random work: no panic, an end in a defined state, and no byte outside registered memory.

use super::*;
use proptest::prelude::*;

/// A step of a client that knows nothing.
#[derive(Debug, Clone)]
enum Action {
    /// Bytes in the ring, somewhere.
    Fill {
        slot: u16,
        bytes: Vec<u8>,
    },
    /// A WQE whose fields are right often enough to get far.
    Almost {
        side: usize,
        opcode: u8,
        opmod: u8,
        ds: u8,
        offset: u32,
        len: u32,
        segs: Vec<u32>,
    },
    Doorbell {
        side: usize,
        index: u16,
        segs: u8,
        record: bool,
    },
    Record {
        side: usize,
        dword: usize,
        value: u32,
    },
    Receive {
        offset: u32,
        len: u32,
    },
    Time(u64),
    Reset,
}

fn action() -> impl Strategy<Value = Action> {
    let side = 0..2usize;
    let opcodes = prop::sample::select(vec![
        0x00u8, 0x08, 0x09, 0x0a, 0x0b, 0x0f, 0x10, 0x11, 0x12, 0x14, 0x15, 0x23, 0x25,
    ]);
    // Often inside memory, sometimes across its end.
    let offset = prop_oneof![4 => 0..DATA_BYTES as u32, 1 => any::<u32>()];
    let len = prop_oneof![4 => 0..5000u32, 1 => any::<u32>()];
    prop_oneof![
        1 => (any::<u16>(), prop::collection::vec(any::<u8>(), 64..256))
            .prop_map(|(slot, bytes)| Action::Fill { slot, bytes }),
        8 => (
            side.clone(),
            opcodes,
            prop::sample::select(vec![0u8, 8, 9]),
            prop_oneof![4 => 1..8u8, 1 => 0..64u8],
            offset.clone(),
            len.clone(),
            prop::collection::vec(any::<u32>(), 0..24),
        )
            .prop_map(|(side, opcode, opmod, ds, offset, len, segs)| Action::Almost {
                side, opcode, opmod, ds, offset, len, segs,
            }),
        2 => (side.clone(), any::<u16>(), 0..64u8, any::<bool>()).prop_map(
            |(side, index, segs, record)| Action::Doorbell { side, index, segs, record }
        ),
        1 => (side.clone(), 0..2usize, any::<u32>())
            .prop_map(|(side, dword, value)| Action::Record { side, dword, value }),
        2 => (offset, len).prop_map(|(offset, len)| Action::Receive { offset, len }),
        1 => (0..1u64 << 28).prop_map(Action::Time),
        1 => Just(Action::Reset),
    ]
}

fn apply(bench: &mut Bench, action: &Action) {
    match *action {
        Action::Fill { slot, ref bytes } => {
            for (number, block) in bytes.chunks(WQEBB_BYTES).enumerate() {
                bench.sides[0].write_block(slot.wrapping_add(number as u16), block);
            }
        }
        Action::Almost { side, opcode, opmod, ds, offset, len, ref segs } => {
            // Otherwise most of the work would only be flushed.
            if !ds.is_multiple_of(4)
                && [0, 1].iter().any(|side| bench.qp(*side).state == QpState::ERR)
            {
                revive(bench);
            }
            let (own, other) = (&bench.sides[side], &bench.sides[1 - side]);
            let mut wqe = Wqe::new(WqeOpcode(opcode)).opmod(opmod);
            if !matches!(opcode, 0x0a | 0x0b | 0x23) {
                let addr = other.addr(0).wrapping_add(offset.into()) & !(u64::from(opmod & 4));
                wqe = wqe.remote(other.key, addr);
            }
            if opcode == 0x14 || opcode == 0x12 {
                wqe = wqe.segment(data_segment(Mkey(1), 2, 3));
            }
            wqe = wqe.segment(data_segment(own.key, own.addr(offset as usize % DATA_BYTES), len));
            for chunk in segs.chunks_exact(4) {
                wqe = wqe.segment([chunk[0], chunk[1], chunk[2], chunk[3]]);
            }
            let at = bench.post(side, &wqe);
            let own = &bench.sides[side];
            let place = own.sq.part((u64::from(at) & 63) * 64 + 7, 1).unwrap();
            if ds & 0x38 != 0 {
                place.write(&[ds]);
            }
            bench.ring(side);
        }
        Action::Doorbell { side, index, segs, record } => {
            let Side { device, uar, qpn, .. } = bench.sides[side];
            let kind = if record { DoorbellKind::Record } else { DoorbellKind::NoRecord };
            doorbell(&mut bench.fabric, device, uar, SqDoorbell { index, qpn, segs }, kind);
        }
        Action::Record { side, dword, value } => bench.sides[side].write_record(dword, value),
        Action::Receive { offset, len } => {
            let addr = bench.sides[1].addr(0).wrapping_add(offset.into());
            let segment = data_segment(bench.sides[1].key, addr, len);
            bench.sides[1].post_receive(&[segment]);
        }
        Action::Time(pause) => {
            let end = bench.fabric.now + pause;
            bench.run_until(end);
        }
        Action::Reset => revive(bench),
    }
}

/// Connects both queues anew, so that their PSNs agree.
fn revive(bench: &mut Bench) {
    for side in [0, 1] {
        let Side { device, qpn, .. } = bench.sides[side];
        bench.qp(side).state = QpState::RST;
        super::super::reset(&mut bench.fabric, device, qpn);
        bench.sides[side].posted = 0;
        bench.sides[side].received = 0;
        bench.sides[side].write_record(SND_DBR, 0);
        bench.sides[side].write_record(RCV_DBR, 0);
    }
    bench.connect(0);
    bench.connect(1);
}

/// The engine's own invariants after it ran out of work.
fn check(bench: &mut Bench) {
    assert!(bench.guards_hold());
    assert!(bench.fabric.ready.0.is_empty());
    for side in [0, 1] {
        let qp = bench.qp(side);
        let send = qp.send.as_ref().unwrap();
        let idle = send.consumer == send.producer;
        let blocked = qp.run.blocked != crate::engine::schedule::Blocked::No;
        match qp.state {
            QpState::RTS => assert!(idle || blocked, "work is left: {qp:?}"),
            QpState::ERR => assert!(idle && !blocked, "not flushed: {qp:?}"),
            state => panic!("queue in {state}"),
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 150, ..ProptestConfig::default() })]

    #[test]
    fn random_work_ends_in_a_defined_state(
        seed: u64,
        devices in 1..3usize,
        service in prop::sample::select(vec![ServiceType::RC, ServiceType::UC]),
        actions in prop::collection::vec(action(), 1..60),
    ) {
        // Everything follows from the case, which proptest prints with its seed on failure.
        let mut bench = Bench::new(Shape {
            devices,
            service,
            start_index: seed as u16,
            ..Shape::default()
        });
        for side in [0, 1] {
            bench.sides[side].write_record(SND_DBR, (seed as u16).into());
        }
        for action in &actions {
            apply(&mut bench, action);
            bench.run();
            check(&mut bench);
        }
        // RNR and retries end.
        let end = bench.fabric.now + 5_000_000_000;
        bench.run_until(end);
        check(&mut bench);
    }

    #[test]
    fn random_bytes_decode_without_panic(bytes in prop::collection::vec(any::<u8>(), 16..1008)) {
        let whole = bytes.len() / SEG_BYTES * SEG_BYTES;
        let wqe = &bytes[..whole];
        let (ctrl, _) = CtrlSeg::read_from_prefix(wqe).unwrap();
        let _ = crate::engine::request::decode(&ctrl, wqe);
    }
}
