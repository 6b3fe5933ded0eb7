//! A doorbell that was rung before a command counts as rung before it, and queues on one page do not lose doorbells.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(unsafe_code)]

use gpunetio_prm::command::*;
use gpunetio_prm::doorbell::{NO_DBR_DOORBELL_OFFSET, SQ_DOORBELL_OFFSET, SqDoorbell};
use gpunetio_prm::id::Qpn;
use gpunetio_prm::layout::qp::*;
use gpunetio_softnic::command::resource;
use gpunetio_softnic::diagnostic::Mistake;
use gpunetio_softnic::doorbell::Doorbells;
use gpunetio_softnic::{engine, syndrome};

mod bench;
use bench::{Bench, STEPS, qp_after};

/// A strict device with a QP that has taken the first `steps` transitions, and the poll of its page.
fn start(steps: usize) -> (Bench, Doorbells, u32) {
    let mut bench = Bench::new();
    let qpn = qp_after(&mut bench, ServiceType::RC, steps);
    let mut doorbells = Doorbells::default();
    doorbells.refresh(&mut bench.fabric);
    (bench, doorbells, qpn)
}

/// Rings as a client does: nothing but the register changes.
fn ring(bench: &Bench, qpn: u32, producer: u16) {
    bench.registers.ring(SQ_DOORBELL_OFFSET, SqDoorbell::new(Qpn(qpn), producer).emit());
}

/// The NIC's round without commands.
fn round(bench: &mut Bench, doorbells: &mut Doorbells) {
    doorbells.poll_all(&mut bench.fabric);
    while engine::run(&mut bench.fabric, 64) {}
}

fn counters(bench: &mut Bench, qpn: u32) -> (u64, u64) {
    let out = bench.query(qpn);
    let context = out.sub(query_qp_out::QPC);
    (context.get(qpc::SW_SQ_WQEBB_COUNTER), context.get(qpc::HW_SQ_WQEBB_COUNTER))
}

fn mistakes(bench: &Bench) -> Vec<Mistake> {
    bench.fabric.devices[0].diagnostics.seen().iter().map(|finding| finding.mistake).collect()
}

#[test]
fn a_doorbell_rung_before_reset_announces_nothing_in_the_next_life() {
    let (mut bench, mut doorbells, qpn) = start(3);
    ring(&bench, qpn, 3);
    bench.leave(Opcode::TO_RST_QP, qpn).unwrap();
    for opcode in STEPS {
        bench.run(&bench.transition(opcode, qpn)).unwrap();
    }
    round(&mut bench, &mut doorbells);
    assert_eq!(counters(&mut bench, qpn), (0, 0));
    assert_eq!(bench.attribute(qpn, qpc::STATE), QpState::RTS.into());
    assert_eq!(mistakes(&bench), []);
}

#[test]
fn a_doorbell_rung_in_reset_announces_nothing_in_init() {
    let (mut bench, mut doorbells, qpn) = start(0);
    ring(&bench, qpn, 3);
    for opcode in STEPS {
        bench.run(&bench.transition(opcode, qpn)).unwrap();
    }
    round(&mut bench, &mut doorbells);
    assert_eq!(counters(&mut bench, qpn), (0, 0));
    assert_eq!(mistakes(&bench), [Mistake::DoorbellInReset]);
}

#[test]
fn work_rung_before_2err_is_flushed_by_it() {
    let (mut bench, _, qpn) = start(3);
    ring(&bench, qpn, 3);
    bench.leave(Opcode::TO_ERR_QP, qpn).unwrap();
    // Without another look at the registers.
    while engine::run(&mut bench.fabric, 64) {}
    assert_eq!(counters(&mut bench, qpn), (3, 3));
    assert!(!bench.registers.rung(SQ_DOORBELL_OFFSET));
}

#[test]
fn a_doorbell_rung_before_destruction_is_no_strangers() {
    let (mut bench, mut doorbells, qpn) = start(3);
    ring(&bench, qpn, 3);
    bench.destroy(Opcode::DESTROY_QP, qpn).unwrap();
    round(&mut bench, &mut doorbells);
    assert_eq!(mistakes(&bench), []);
    // One rung after it is.
    ring(&bench, qpn, 3);
    round(&mut bench, &mut doorbells);
    assert_eq!(mistakes(&bench), [Mistake::UnknownQp]);
}

#[test]
fn a_command_takes_the_doorbells_of_all_queues_on_the_page() {
    let (mut bench, _, first) = start(3);
    let second = qp_after(&mut bench, ServiceType::RC, 2);
    // In RTR, so that it stays announced.
    ring(&bench, second, 2);
    bench.leave(Opcode::TO_RST_QP, first).unwrap();
    assert_eq!(counters(&mut bench, second), (2, 0));
}

#[test]
fn a_page_takes_one_queue_without_a_record() {
    let (mut bench, mut doorbells, _) = start(0);
    let without = |bench: &Bench, no_sq: u8| {
        let mut cmd = bench.create_qp();
        let mut context = cmd.sub_mut(create_qp_in::QPC);
        context.set(qpc::SEND_DBR_MODE, SendDbrMode::NO_DBR_EXT).unwrap();
        context.set(qpc::NO_SQ, no_sq).unwrap();
        cmd
    };
    // Beside one with a record, which has registers of its own.
    let first = bench.run(&without(&bench, 0)).unwrap();
    let before = bench.fabric.devices[0].umems.get(bench.umem.0).unwrap().users;
    assert_eq!(bench.run(&without(&bench, 0)), Err(syndrome::PAGE_WITHOUT_RECORDS));
    assert_eq!(bench.fabric.devices[0].umems.get(bench.umem.0).unwrap().users, before);
    // A queue that sends nothing rings nothing.
    bench.run(&without(&bench, 1)).unwrap();
    // On a page of its own, both are heard, whatever the order.
    let (page, registers) = resource::alloc_uar(&mut bench.fabric.devices[0]).unwrap();
    let mut cmd = without(&bench, 0);
    cmd.sub_mut(create_qp_in::QPC).set(qpc::UAR_PAGE, page).unwrap();
    let second = bench.run(&cmd).unwrap();
    for qpn in [first, second] {
        bench.run(&bench.transition(Opcode::RST2INIT_QP, qpn)).unwrap();
    }
    doorbells.refresh(&mut bench.fabric);
    let offset = NO_DBR_DOORBELL_OFFSET;
    bench.registers.ring(offset, SqDoorbell::new(Qpn(first), 1).emit());
    registers.ring(offset, SqDoorbell::new(Qpn(second), 2).emit());
    round(&mut bench, &mut doorbells);
    assert_eq!([first, second].map(|qpn| counters(&mut bench, qpn).0), [1, 2]);
    // Once the first is gone, its place is free.
    bench.destroy(Opcode::DESTROY_QP, first).unwrap();
    bench.run(&without(&bench, 0)).unwrap();
}
