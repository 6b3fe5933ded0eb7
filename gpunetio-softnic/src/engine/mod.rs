//! The transport engine: executes work queues at the level of messages.
//!
//! No thread, clock, socket or lock inside: the caller rings ([`doorbell`]), sets [`Fabric::now`] and calls [`run`].
//!
//! - A requester decodes a WQE into a `Request`, resolves its local memory and makes a `Message` of it.
//! - A responder executes the message against the peer's QP and says how it went: an `Outcome`. Between the two there is
//!   nothing but those two types, which is where packets fit in.
//! - The outcome becomes a completion, a pause (RNR, ACK timeout) or an error followed by flushes.
//!
//! A queue executes one WQE at a time, in order, and each is done before the next begins. So every fence mode, which asks
//! that earlier READs, atomics or all earlier work be done first, always holds.
//!
//! The cost of a message does not depend on how many queues there are: a queue is found by number, is in the ready ring at
//! most once, and a message neither allocates nor hashes. That of a doorbell does where queues share a UAR page: it reads the
//! doorbell record of each of them ([`check_records`]).

#![forbid(unsafe_code)]

mod atomic;
mod completion;
mod error;
mod gather;
mod receive;
mod request;
mod requester;
mod responder;
mod schedule;

#[cfg(test)]
mod tests;

use core::cmp::Reverse;
use std::collections::BinaryHeap;

use gpunetio_prm::command::{QpState, SendDbrMode};
use gpunetio_prm::doorbell::{RCV_DBR, SND_DBR, SqDoorbell};
use gpunetio_prm::id::{Qpn, UarPage};
use gpunetio_prm::wqe::wqebbs;

pub use error::Vendor;
pub use schedule::{Engine, RunState};

use crate::device::{Device, Fabric};
use crate::diagnostic::{Diagnostics, Finding, Mistake};
use crate::object::{Qp, ReceiveSide, SendQueue};
use schedule::{Blocked, Turn, split};

/// Which doorbell register was rung.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DoorbellKind {
    /// That of queues with a doorbell record.
    Record,
    /// That of queues without one (`send_dbr_mode` NO_DBR_EXT).
    NoRecord,
}

/// WQEs that a queue may execute before the next ready one has its turn.
const TURN_WQES: usize = 64;
/// Bytes of a dword of a doorbell record.
const DWORD: usize = 4;

/// A doorbell was rung on `page`: announces work up to its index, and to that of the doorbell record where the doorbell is
/// the head of a WQE (BlueFlame). An index behind the announced one is ignored.
///
/// The record is not read for a plain doorbell: the doorbell's own index suffices, and the record may follow it. Doorbells
/// for a QP that does not exist or that has another UAR page are dropped. In INIT and RTR the work is kept for RTS.
pub fn doorbell(
    fabric: &mut Fabric,
    device: usize,
    page: UarPage,
    rung: SqDoorbell,
    kind: DoorbellKind,
) {
    let (devices, mut turn) = split(fabric);
    let Some(device) = devices.get_mut(device) else { return };
    let Some(qp) = device.qps.get_mut(rung.qpn.0) else {
        device.diagnostics.report_unknown_qp(rung.qpn);
        return;
    };
    if qp.uar != page {
        let (expected, found) = (qp.uar.0, page.0);
        let finding = Finding { mistake: Mistake::ForeignUar, qpn: qp.qpn, expected, found };
        device.diagnostics.report(&mut qp.run.reported, finding);
        return;
    }
    if device.diagnostics.strict() {
        check_doorbell(&mut device.diagnostics, qp, rung, kind);
    }
    let blocks = wqebbs(usize::from(rung.segs)) as u16;
    announce(&mut device.diagnostics, qp, rung.index.wrapping_add(blocks));
    if rung.segs != 0 && kind == DoorbellKind::Record {
        announce_record(&mut device.diagnostics, qp);
    }
    ring(&mut turn, device.index, device.alive, qp);
}

/// A UAR page that several QPs share was rung: one of them may have overwritten another's doorbell before it was seen, so
/// the doorbell record of each is read. That of a QP before RTS is read when it gets there ([`activate`]): until then it may
/// still hold what its last life left in it.
pub fn check_records(fabric: &mut Fabric, device: usize, page: UarPage) {
    let (devices, mut turn) = split(fabric);
    let Some(device) = devices.get_mut(device) else { return };
    let Some(uar) = device.uars.get(page.0) else { return };
    for qpn in &uar.qps {
        if let Some(qp) = device.qps.get_mut(qpn.0)
            && matches!(qp.state, QpState::RTS | QpState::ERR)
        {
            announce_record(&mut device.diagnostics, qp);
            ring(&mut turn, device.index, device.alive, qp);
        }
    }
}

/// Executes announced work of ready QPs in turn, at most about `budget` WQEs, and what timers are due. True if a WQE was
/// executed, completed or flushed; looks that found nothing to do and attempts that have to be made again are no work.
pub fn run(fabric: &mut Fabric, budget: usize) -> bool {
    fire_timers(fabric);
    let mut worked = false;
    let mut left = budget;
    while left > 0
        && let Some((device, qpn)) = fabric.ready.0.pop_front()
    {
        let done = take_turn(fabric, device, qpn, left.min(TURN_WQES));
        worked |= done > 0;
        left -= done.clamp(1, left);
    }
    worked
}

/// When [`run`] shall be called again though no doorbell rings, on the clock of [`Fabric::now`].
pub fn next_deadline(fabric: &Fabric) -> Option<u64> {
    fabric.engine.next_deadline()
}

/// Moves a QP to ERR; its queues flush.
pub fn to_error(fabric: &mut Fabric, device: usize, qpn: Qpn) {
    let (devices, mut turn) = split(fabric);
    if let Some(device) = devices.get_mut(device)
        && let Some(qp) = device.qps.get_mut(qpn.0)
    {
        error::enter(&mut turn, device.index, qp);
    }
}

/// Makes a QP's queues those of a new one: indices 0, nothing pending. A receive queue that is shared stays as it is.
pub fn reset(fabric: &mut Fabric, device: usize, qpn: Qpn) {
    let Some(device) = fabric.devices.get_mut(device) else { return };
    let Some(qp) = device.qps.get_mut(qpn.0) else { return };
    if let Some(send) = &mut qp.send {
        (send.consumer, send.producer) = (0, 0);
    }
    if let ReceiveSide::Own(queue) = &mut qp.receive {
        (queue.consumer, queue.head) = (0, 0);
    }
    // Its place in the ready ring, if it has one, is met there and dropped; timers that run no longer match.
    qp.run = RunState { queued: qp.run.queued, reported: qp.run.reported, ..Default::default() };
    // The error of its former life may be overwritten.
    for cqn in [qp.cqn_snd, qp.cqn_rcv] {
        if let Some(cq) = device.cqs.get_mut(cqn.0) {
            cq.holds_error = false;
        }
    }
}

/// A QP entered RTR or RTS: its path is looked up, work that was announced earlier starts (RTS), and a peer that waits for
/// this QP tries again at once.
pub fn activate(fabric: &mut Fabric, device: usize, qpn: Qpn) {
    let Some(qp) = fabric.devices.get(device).and_then(|device| device.qps.get(qpn.0)) else {
        return;
    };
    let (rgid, remote) = (qp.attributes.path.rgid, qp.attributes.remote_qpn);
    let peer = fabric.find_peer(device, rgid);
    let (devices, mut turn) = split(fabric);
    let Device { qps, uars, diagnostics, .. } = &mut devices[device];
    if let Some(qp) = qps.get_mut(qpn.0) {
        qp.run.peer = peer;
        if qp.state == QpState::RTS && uars.get(qp.uar.0).is_some_and(|uar| uar.qps.len() > 1) {
            announce_record(diagnostics, qp);
        }
        turn.enqueue_if_work(device, qp);
    }
    if let Some(peer) = peer
        && let Some(qp) = devices[peer].qps.get_mut(remote.0)
        && qp.attributes.remote_qpn == qpn
        && matches!(qp.run.blocked, Blocked::Rnr | Blocked::Retry)
    {
        // This attempt is extra: it does not use up one that the timer would have made.
        qp.run.timeouts = qp.run.timeouts.saturating_sub(1);
        qp.run.rnr_naks = qp.run.rnr_naks.saturating_sub(1);
        unblock(&mut turn, peer, qp);
    }
}

/// A CQ was destroyed: queues that WAIT for it go on, and find that it is gone.
pub fn release_waiters(
    fabric: &mut Fabric,
    device: usize,
    waiters: BinaryHeap<Reverse<(u64, Qpn)>>,
) {
    let (devices, mut turn) = split(fabric);
    if let Some(device) = devices.get_mut(device) {
        release(device, &mut turn, waiters);
    }
}

/// Lets queues that WAIT look at their CQ again.
fn release(
    device: &mut Device,
    turn: &mut Turn<'_>,
    waiters: impl IntoIterator<Item = Reverse<(u64, Qpn)>>,
) {
    for Reverse((_, qpn)) in waiters {
        if let Some(qp) = device.qps.get_mut(qpn.0)
            && qp.run.blocked == Blocked::Wait
        {
            unblock(turn, device.index, qp);
        }
    }
}

/// Starts what a doorbell announced.
fn ring(turn: &mut Turn<'_>, device: usize, alive: bool, qp: &mut Qp) {
    if !alive && qp.state != QpState::ERR {
        error::enter(turn, device, qp);
    }
    turn.enqueue_if_work(device, qp);
}

/// Lets a blocked send queue go on.
fn unblock(turn: &mut Turn<'_>, device: usize, qp: &mut Qp) {
    qp.run.blocked = Blocked::No;
    qp.run.deadline = None;
    turn.enqueue(device, qp);
}

fn fire_timers(fabric: &mut Fabric) {
    let (devices, mut turn) = split(fabric);
    while let Some((deadline, device, qpn)) = turn.engine.fired(turn.now) {
        if let Some(qp) = devices[device].qps.get_mut(qpn.0)
            && qp.run.deadline == Some(deadline)
        {
            unblock(&mut turn, device, qp);
        }
    }
}

/// Executes at most `budget` WQEs of a QP taken from the ready ring, and puts it back if it has more. Returns how many.
fn take_turn(fabric: &mut Fabric, device: usize, qpn: Qpn, budget: usize) -> usize {
    let Some(qp) = fabric.devices[device].qps.get_mut(qpn.0) else { return 0 };
    qp.run.queued = false;
    match qp.state {
        QpState::RTS => {
            let mut done = 0;
            while done < budget && requester::step(fabric, device, qpn) {
                done += 1;
            }
            let (devices, mut turn) = split(fabric);
            if let Some(qp) = devices[device].qps.get_mut(qpn.0) {
                turn.enqueue_if_work(device, qp);
            }
            done
        }
        QpState::ERR => {
            let (devices, mut turn) = split(fabric);
            error::flush(&mut devices[device], &mut turn, qpn, budget)
        }
        _ => 0,
    }
}

/// Reads the send doorbell record of a queue that maintains it.
fn announce_record(diagnostics: &mut Diagnostics, qp: &mut Qp) {
    if qp.send_dbr_mode == SendDbrMode::DBR_VALID && qp.send.is_some() {
        let producer = qp.dbr.load_be32_acquire(SND_DBR * DWORD) as u16;
        announce(diagnostics, qp, producer);
    }
}

/// Advances the producer to `index` if that lies ahead.
///
/// Ahead is what the ring has room for. Further on, up to half the index range, the client overran its queue: hardware
/// executes what the slots hold then, and so does this NIC. The rest is a doorbell that came late.
fn announce(diagnostics: &mut Diagnostics, qp: &mut Qp, index: u16) {
    let Some(send) = &mut qp.send else { return };
    if qp.state == QpState::RST {
        if index != 0 {
            let finding =
                Finding { mistake: Mistake::DoorbellInReset, qpn: qp.qpn, expected: 0, found: 0 };
            diagnostics.report(&mut qp.run.reported, finding);
        }
        return;
    }
    let distance = u32::from(index.wrapping_sub(send.producer));
    if distance == 0 {
        return;
    }
    let depth = 1u32 << send.log_size;
    let total = outstanding(send) + distance;
    if total <= depth {
        send.producer = index;
    } else if distance < 1 << 15 && total <= u32::from(u16::MAX) {
        send.producer = index;
        let finding =
            Finding { mistake: Mistake::SendOverrun, qpn: qp.qpn, expected: depth, found: total };
        diagnostics.report(&mut qp.run.reported, finding);
    }
}

/// Announced basic blocks that are not executed yet.
fn outstanding(send: &SendQueue) -> u32 {
    u32::from(send.producer.wrapping_sub(send.consumer))
}

/// Strict mode: the doorbell against the queue's mode and record.
#[cold]
fn check_doorbell(
    diagnostics: &mut Diagnostics,
    qp: &mut Qp,
    rung: SqDoorbell,
    kind: DoorbellKind,
) {
    let has_record = qp.send_dbr_mode == SendDbrMode::DBR_VALID;
    let qpn = qp.qpn;
    let mut report = |mistake, expected, found| {
        diagnostics.report(&mut qp.run.reported, Finding { mistake, qpn, expected, found });
    };
    if has_record != (kind == DoorbellKind::Record) {
        let rung_mode = match kind {
            DoorbellKind::Record => SendDbrMode::DBR_VALID,
            DoorbellKind::NoRecord => SendDbrMode::NO_DBR_EXT,
        };
        report(Mistake::DoorbellRegister, qp.send_dbr_mode.0.into(), rung_mode.0.into());
    }
    // Index 0 is also what a record says that was not written yet, in any order and slot.
    if !has_record || rung.segs != 0 || rung.index == 0 {
        return;
    }
    let index = u32::from(rung.index);
    let [receive, send] = [RCV_DBR, SND_DBR].map(|dword| qp.dbr.load_be32_acquire(dword * DWORD));
    if send & 0xffff == index {
        return;
    }
    if send.swap_bytes() == index {
        report(Mistake::RecordByteOrder, index, send);
    } else if !matches!(qp.receive, ReceiveSide::Own(_))
        && (receive == index || receive.swap_bytes() == index)
    {
        report(Mistake::RecordSlot, index, receive);
    }
}

/// A device and a queue on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Endpoint {
    device: usize,
    qpn: Qpn,
}

/// The QP at `endpoint`.
fn qp_at(devices: &mut [Device], endpoint: Endpoint) -> Option<&mut Qp> {
    devices.get_mut(endpoint.device)?.qps.get_mut(endpoint.qpn.0)
}
