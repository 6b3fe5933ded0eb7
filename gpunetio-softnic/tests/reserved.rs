//! A command with a bit set that belongs to no field is refused, and changes nothing.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(unsafe_code)]

mod bench;

use bench::{Bench, qp_after, reserved_bits};
use gpunetio_prm::command::{CapabilityPage, Opcode, ServiceType};
use gpunetio_prm::layout::capability::*;
use gpunetio_prm::layout::cq::*;
use gpunetio_prm::layout::qp::*;
use gpunetio_prm::layout::roce::*;
use gpunetio_prm::layout::{Field, Layout, View};
use gpunetio_softnic::syndrome;
use proptest::prelude::*;

const OPCODES: [Opcode; 16] = [
    Opcode::QUERY_HCA_CAP,
    Opcode::QUERY_ROCE_ADDRESS,
    Opcode::CREATE_CQ,
    Opcode::QUERY_CQ,
    Opcode::CREATE_RMP,
    Opcode::CREATE_QP,
    Opcode::QUERY_QP,
    Opcode::RST2INIT_QP,
    Opcode::INIT2INIT_QP,
    Opcode::INIT2RTR_QP,
    Opcode::RTR2RTS_QP,
    Opcode::RTS2RTS_QP,
    Opcode::TO_ERR_QP,
    Opcode::TO_RST_QP,
    Opcode::DESTROY_CQ,
    Opcode::DESTROY_QP,
];
/// Bytes of the largest answer, a capability page.
const OUTPUT_BYTES: usize = QueryHcaCapOut::BYTES;

/// The command of `opcode` about an object: two numbers in a layout.
fn about<L: Layout>(opcode: Opcode, at: [Field<L>; 2], number: u32) -> Vec<u8> {
    let mut cmd = View::<L, Vec<u8>>::zeroed();
    cmd.set(at[0], opcode).unwrap();
    cmd.set(at[1], number).unwrap();
    cmd.into_bytes()
}

/// A valid command of `opcode`, with what it needs.
fn valid(bench: &mut Bench, opcode: Opcode) -> Vec<u8> {
    let cqn = bench.cqn;
    let mut qp = |steps| qp_after(bench, ServiceType::RC, steps);
    match opcode {
        Opcode::QUERY_HCA_CAP => {
            let page = u32::from(CapabilityPage::GENERAL.current());
            about(opcode, [query_hca_cap_in::OPCODE, query_hca_cap_in::OP_MOD], page)
        }
        Opcode::QUERY_ROCE_ADDRESS => {
            let fields = [query_roce_address_in::OPCODE, query_roce_address_in::ROCE_ADDRESS_INDEX];
            about(opcode, fields, 1)
        }
        Opcode::CREATE_CQ => bench.create_cq().into_bytes(),
        Opcode::CREATE_RMP => bench.create_rmp().into_bytes(),
        Opcode::CREATE_QP => bench.create_qp().into_bytes(),
        Opcode::QUERY_CQ => about(opcode, [query_cq_in::OPCODE, query_cq_in::CQN], cqn),
        Opcode::DESTROY_CQ => about(opcode, [destroy_cq_in::OPCODE, destroy_cq_in::CQN], cqn),
        Opcode::QUERY_QP => about(opcode, [query_qp_in::OPCODE, query_qp_in::QPN], qp(3)),
        Opcode::DESTROY_QP => about(opcode, [destroy_qp_in::OPCODE, destroy_qp_in::QPN], qp(3)),
        Opcode::TO_ERR_QP | Opcode::TO_RST_QP => {
            about(opcode, [qp_2err_in::OPCODE, qp_2err_in::QPN], qp(3))
        }
        _ => {
            let steps = match opcode {
                Opcode::RST2INIT_QP => 0,
                Opcode::INIT2INIT_QP | Opcode::INIT2RTR_QP => 1,
                Opcode::RTR2RTS_QP => 2,
                _ => 3,
            };
            let qpn = qp(steps);
            let mut cmd = bench.transition(opcode, qpn).into_bytes();
            if !matches!(opcode, Opcode::INIT2INIT_QP | Opcode::RTS2RTS_QP) {
                cmd.truncate(Rst2initQpIn::BYTES);
            }
            cmd
        }
    }
}

/// Everything that the device holds, as text.
fn contents(bench: &Bench) -> String {
    format!("{:?}", bench.fabric)
}

fn flip(bytes: &mut [u8], bit: u32) {
    bytes[bit as usize / 8] ^= 0x80 >> (bit % 8);
}

#[test]
fn every_reserved_bit_of_every_command_is_refused() {
    for opcode in OPCODES {
        let mut bench = Bench::new();
        let mut cmd = valid(&mut bench, opcode);
        let before = contents(&bench);
        let bits = reserved_bits(opcode);
        assert!(bits.len() > 8, "{opcode}: {}", bits.len());
        for bit in bits {
            flip(&mut cmd, bit);
            let refused = bench.run_bytes(&cmd, OUTPUT_BYTES);
            assert_eq!(refused, Err(syndrome::RESERVED_BIT), "{opcode}, bit {bit:#x}");
            flip(&mut cmd, bit);
        }
        assert_eq!(contents(&bench), before, "{opcode}");
        assert!(bench.run_bytes(&cmd, OUTPUT_BYTES).is_ok(), "{opcode} is valid without");
    }
}

#[test]
fn a_reserved_bit_in_a_valid_command_with_any_fields_changes_nothing() {
    let input = (
        prop::sample::select(OPCODES.to_vec()),
        any::<prop::sample::Index>(),
        prop::collection::vec(any::<prop::sample::Index>(), 0..4),
    );
    let mut runner = proptest::test_runner::TestRunner::default();
    runner
        .run(&input, |(opcode, reserved, fields)| {
            let mut bench = Bench::new();
            let mut cmd = valid(&mut bench, opcode);
            // Some further bits of whatever kind behind the opcode, op_mod and number, so that the command says what it did.
            for field in fields {
                if cmd.len() > 16 {
                    let bit = 128 + field.index((cmd.len() - 16) * 8) as u32;
                    cmd[bit as usize / 8] |= 0x80 >> (bit % 8);
                }
            }
            let bits = reserved_bits(opcode);
            let bit = bits[reserved.index(bits.len())];
            cmd[bit as usize / 8] |= 0x80 >> (bit % 8);
            let before = contents(&bench);
            let refused = bench.run_bytes(&cmd, OUTPUT_BYTES);
            prop_assert_eq!(refused, Err(syndrome::RESERVED_BIT), "{}, bit {:#x}", opcode, bit);
            prop_assert_eq!(contents(&bench), before);
            Ok(())
        })
        .unwrap();
}

#[test]
fn bytes_behind_a_transition_are_refused() {
    for opcode in [Opcode::INIT2INIT_QP, Opcode::RTS2RTS_QP] {
        let mut bench = Bench::new();
        let mut cmd = valid(&mut bench, opcode);
        // In the extension that the command does not announce, cut short; and behind it.
        for len in [Rst2initQpIn::BYTES + 1, cmd.len() - 1, cmd.len() + 1] {
            cmd.resize(len, 0);
            assert!(bench.run_bytes(&cmd, OUTPUT_BYTES).is_ok(), "{opcode}, {len} bytes");
            cmd[len - 1] = 1;
            let refused = bench.run_bytes(&cmd, OUTPUT_BYTES);
            assert_eq!(refused, Err(syndrome::INPUT_LONG), "{opcode}, {len} bytes");
            cmd[len - 1] = 0;
        }
    }
}
