//! The requester: takes WQEs off a send queue, sends their messages and completes them.

use gpunetio_prm::command::{QpState, ServiceType};
use gpunetio_prm::cqe::Syndrome;
use gpunetio_prm::id::{Cqn, MASK_24, Qpn};
use gpunetio_prm::wqe::{
    CompletionMode, CtrlSeg, MAX_MESSAGE_BYTES, MAX_SEGS, SEG_BYTES, SEGS_PER_WQEBB, WQEBB_BYTES,
    wqebbs,
};
use zerocopy::FromBytes;

use super::completion::{self, Entry};
use super::error::{self, Failure, Place, Vendor};
use super::gather::{self, Needs, Payload, Piece, Segments};
use super::request::{Request, decode};
use super::responder::{Message, Operation, Outcome, respond};
use super::schedule::{Blocked, split};
use super::{Endpoint, qp_at};
use crate::device::{Device, Fabric};
use crate::diagnostic::{Finding, Mistake};
use crate::memory::{Access, Span, order_payload};
use crate::object::Qp;
use core::cmp::Reverse;

/// Bytes of the basic blocks of the largest WQE.
const MAX_WQE_BYTES: usize = wqebbs(MAX_SEGS) * WQEBB_BYTES;

/// What becomes of the WQE at the head of a send queue.
enum Verdict {
    /// Done: bytes read back and packets sent.
    Complete { len: u32, packets: u32 },
    /// Not now.
    Block,
    /// Never.
    Fail(Failure),
}

impl From<Failure> for Verdict {
    fn from(failure: Failure) -> Self {
        Self::Fail(failure)
    }
}

/// Executes the WQE at the head of the send queue of a QP in RTS. False if there is none or it has to wait.
pub(super) fn step(fabric: &mut Fabric, device: usize, qpn: Qpn) -> bool {
    let Some(qp) = fabric.devices[device].qps.get(qpn.0) else { return false };
    let Some(send) = &qp.send else { return false };
    let available = send.producer.wrapping_sub(send.consumer);
    if available == 0 || qp.state != QpState::RTS || qp.run.blocked != Blocked::No {
        return false;
    }
    let index = send.consumer;
    let (ring, mask) = (send.ring, (1usize << send.log_size) - 1);
    let block: [u8; WQEBB_BYTES] = ring.read((usize::from(index) & mask) * WQEBB_BYTES);
    let Ok((ctrl, _)) = CtrlSeg::read_from_prefix(&block) else { return false };
    let segs = usize::from(ctrl.segs());
    let blocks = wqebbs(segs) as u16;
    let mut place = Place { ctrl, index, blocks };
    let at = Endpoint { device, qpn };
    let max_wqe_bytes = fabric.devices[device].limits.max_wqe_sz;
    if fabric.devices[device].diagnostics.strict() {
        check_wqe(&mut fabric.devices[device], qpn, &block, &place);
    }

    let verdict = if segs == 0 {
        place.blocks = 1;
        Verdict::Fail(Failure::operation(Vendor::NO_SEGMENTS))
    } else if blocks > available {
        place.blocks = available;
        Verdict::Fail(Failure::operation(Vendor::WQE_BEYOND_PRODUCER))
    } else if segs * SEG_BYTES > usize::from(max_wqe_bytes) {
        Verdict::Fail(Failure::operation(Vendor::WQE_TOO_LARGE))
    } else if segs <= SEGS_PER_WQEBB {
        execute(fabric, at, &ctrl, &block[..segs * SEG_BYTES])
    } else {
        execute_long(fabric, at, &place, ring, mask)
    };
    match verdict {
        Verdict::Complete { len, packets } => complete(fabric, at, &place, len, packets),
        Verdict::Block => return false,
        Verdict::Fail(failure) => {
            let (devices, mut turn) = split(fabric);
            error::fail(&mut devices[device], &mut turn, qpn, &place, failure);
        }
    }
    true
}

/// Executes a WQE of several basic blocks, which may wrap around the ring.
#[inline(never)]
fn execute_long(
    fabric: &mut Fabric,
    at: Endpoint,
    place: &Place,
    ring: Span,
    mask: usize,
) -> Verdict {
    let mut bytes = [0; MAX_WQE_BYTES];
    for (number, block) in
        bytes.chunks_exact_mut(WQEBB_BYTES).take(usize::from(place.blocks)).enumerate()
    {
        let slot = (usize::from(place.index) + number) & mask;
        block.copy_from_slice(&ring.read::<WQEBB_BYTES>(slot * WQEBB_BYTES));
    }
    let len = usize::from(place.ctrl.segs()) * SEG_BYTES;
    execute(fabric, at, &place.ctrl, &bytes[..len])
}

/// Executes a WQE of which `wqe` is every segment.
fn execute(fabric: &mut Fabric, at: Endpoint, ctrl: &CtrlSeg, wqe: &[u8]) -> Verdict {
    let request = match decode(ctrl, wqe) {
        Ok(request) => request,
        Err(failure) => return failure.into(),
    };
    match request {
        Request::Nop => Verdict::Complete { len: 0, packets: 0 },
        Request::Wait { cqn, index } => wait(fabric, at, cqn, index),
        _ => {
            // Lent for the message, so that its capacity is kept and nothing is allocated.
            let mut pieces = core::mem::take(&mut fabric.engine.pieces);
            pieces.clear();
            let verdict = transfer(fabric, at, &request, wqe, &mut pieces);
            fabric.engine.pieces = pieces;
            verdict.unwrap_or_else(Verdict::Fail)
        }
    }
}

/// Executes a request that moves data: resolves the local side, sends the message and takes what comes back.
fn transfer(
    fabric: &mut Fabric,
    at: Endpoint,
    request: &Request<'_>,
    wqe: &[u8],
    pieces: &mut Vec<Piece>,
) -> Result<Verdict, Failure> {
    let device = &fabric.devices[at.device];
    let Some(qp) = device.qps.get(at.qpn.0) else { return Ok(Verdict::Block) };
    let mut local = |data: Segments<'_>, access| {
        let limit = (1u64 << qp.attributes.log_msg_max.min(63)).min(MAX_MESSAGE_BYTES);
        gather::resolve(data, &device.memory, Needs { pd: qp.pd, access, limit }, pieces)
    };
    let (len, operation) = match *request {
        Request::Write { remote, imm, data } => {
            let len = local(data, Access::LOCAL_READ)?;
            (len, Operation::Write { remote, imm, payload: Payload { pieces, wqe, len } })
        }
        Request::Send { imm, data } => {
            let len = local(data, Access::LOCAL_READ)?;
            (len, Operation::Send { imm, payload: Payload { pieces, wqe, len } })
        }
        Request::Read { remote, data } => {
            reliable(qp)?;
            let len = local(data, Access::LOCAL_WRITE)?;
            (len, Operation::Read { remote, len })
        }
        Request::Atomic { remote, atomic, data } => {
            reliable(qp)?;
            let width = u64::from(atomic.width);
            if local(data, Access::LOCAL_WRITE)? < width {
                return Err(Failure::length(Vendor::RESULT_TOO_SHORT));
            }
            (width, Operation::Atomic { remote, atomic })
        }
        Request::Dump { data } => {
            local(data, Access::LOCAL_READ)?;
            // What earlier messages wrote is visible to whoever sees the completion; the bytes themselves go nowhere.
            order_payload();
            return Ok(Verdict::Complete { len: 0, packets: 0 });
        }
        Request::Nop | Request::Wait { .. } => {
            return Ok(Verdict::Complete { len: 0, packets: 0 });
        }
    };
    let message = Message {
        source: at,
        service: qp.service,
        psn: qp.attributes.send_psn,
        packets: packets(qp, len),
        operation,
    };
    let qpn = qp.attributes.remote_qpn;
    let peer = qp.run.peer.map(|device| Endpoint { device, qpn });
    let outcome = deliver(fabric, peer, &message);
    let packets = message.packets;
    Ok(match outcome {
        Outcome::Ack => Verdict::Complete { len: 0, packets },
        Outcome::Data(source) => {
            gather::deliver(source, pieces);
            order_payload();
            Verdict::Complete { len: len as u32, packets }
        }
        Outcome::Value(value) => {
            if let Request::Atomic { atomic, .. } = *request {
                gather::deliver_bytes(&atomic.result_bytes(value)[..atomic.width as usize], pieces);
                order_payload();
            }
            Verdict::Complete { len: len as u32, packets }
        }
        Outcome::Nak(nak) => Verdict::Fail(nak.failure()),
        Outcome::Rnr(code) => not_ready(fabric, at, code),
        // Nobody confirms what an unreliable connection sends.
        Outcome::Silence(_) if message.service == ServiceType::UC => {
            Verdict::Complete { len: 0, packets }
        }
        Outcome::Silence(reason) => no_answer(fabric, at, reason),
    })
}

fn reliable(qp: &Qp) -> Result<(), Failure> {
    if qp.service == ServiceType::RC { Ok(()) } else { Err(Failure::operation(Vendor::NOT_ON_UC)) }
}

/// Packets of a message of `len` bytes at the QP's path MTU; one for no bytes.
fn packets(qp: &Qp, len: u64) -> u32 {
    // A code that names no MTU was refused when the QP was modified; the smallest stands in.
    let mtu = qp.attributes.mtu.bytes().unwrap_or(256);
    let shift = mtu.trailing_zeros();
    (((len + u64::from(mtu) - 1) >> shift) as u32).max(1)
}

/// Has the peer execute the message.
fn deliver(fabric: &mut Fabric, peer: Option<Endpoint>, message: &Message<'_>) -> Outcome {
    let (devices, mut turn) = split(fabric);
    match peer {
        Some(Endpoint { device, qpn }) if devices[device].alive => {
            respond(&mut devices[device], &mut turn, qpn, message)
        }
        _ => Outcome::Silence(Vendor::NO_DEVICE),
    }
}

/// RNR: waits as long as the peer says and tries again, `rnr_retry` times; 7 is for ever.
#[cold]
fn not_ready(fabric: &mut Fabric, at: Endpoint, code: u8) -> Verdict {
    let (devices, mut turn) = split(fabric);
    let Some(qp) = qp_at(devices, at) else { return Verdict::Block };
    let retries = qp.attributes.rnr_retry;
    if retries < RNR_FOR_EVER && qp.run.rnr_naks >= retries {
        let syndrome = Syndrome::RNR_RETRY_EXC_ERR;
        return Failure { syndrome, vendor: Vendor::RNR }.into();
    }
    qp.run.rnr_naks = qp.run.rnr_naks.saturating_add(1);
    qp.run.blocked = Blocked::Rnr;
    turn.arm(at.device, qp, rnr_pause(code));
    Verdict::Block
}

/// No answer: waits for the ACK timeout and tries again, `retry_count` times. A timeout of 0 never ends; then only the
/// peer's coming up ends the wait.
#[cold]
fn no_answer(fabric: &mut Fabric, at: Endpoint, reason: Vendor) -> Verdict {
    let (devices, mut turn) = split(fabric);
    let Some(qp) = qp_at(devices, at) else { return Verdict::Block };
    let timeout = qp.attributes.path.ack_timeout;
    if timeout == 0 {
        qp.run.blocked = Blocked::Retry;
        return Verdict::Block;
    }
    if qp.run.timeouts > qp.attributes.retry_count {
        let syndrome = Syndrome::TRANSPORT_RETRY_EXC_ERR;
        return Failure { syndrome, vendor: reason }.into();
    }
    qp.run.timeouts += 1;
    qp.run.blocked = Blocked::Retry;
    turn.arm(at.device, qp, ack_timeout(timeout));
    Verdict::Block
}

/// `rnr_retry` that never ends.
const RNR_FOR_EVER: u8 = 7;

/// Nanoseconds of an ACK timeout (IBTA 9.7.6.1.3): 4.096 us times two to the power of five bits.
fn ack_timeout(code: u8) -> u64 {
    4096 << (code & 0x1f)
}

/// Nanoseconds of an RNR NAK timer (IBTA table 45), in the order of its codes.
fn rnr_pause(code: u8) -> u64 {
    const HUNDREDTHS_OF_MS: [u64; 32] = [
        65536, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96, 128, 192, 256, 384, 512, 768, 1024,
        1536, 2048, 3072, 4096, 6144, 8192, 12288, 16384, 24576, 32768, 49152,
    ];
    HUNDREDTHS_OF_MS[usize::from(code & 0x1f)] * 10_000
}

/// WAIT: goes on once the CQ has produced CQE `index`. The 24-bit index is taken for the one nearest to what the CQ has
/// produced, so that a wait for one long past ends at once. A CQ that overran has produced its last.
fn wait(fabric: &mut Fabric, at: Endpoint, cqn: Cqn, index: u32) -> Verdict {
    let device = &mut fabric.devices[at.device];
    let Some(cq) = device.cqs.get_mut(cqn.0) else {
        return Failure::operation(Vendor::WAIT_CQ).into();
    };
    let missing = index.wrapping_add(1).wrapping_sub(cq.producer as u32) & MASK_24;
    if missing == 0 || missing > MASK_24 / 2 {
        return Verdict::Complete { len: 0, packets: 0 };
    }
    if cq.in_error {
        return Failure::operation(Vendor::WAIT_OVERRUN).into();
    }
    cq.waiters.push(Reverse((cq.producer + u64::from(missing), at.qpn)));
    if let Some(qp) = device.qps.get_mut(at.qpn.0) {
        qp.run.blocked = Blocked::Wait;
    }
    Verdict::Block
}

/// Takes a WQE that is done off the queue, and writes its CQE if it asks for one.
fn complete(fabric: &mut Fabric, at: Endpoint, place: &Place, len: u32, packets: u32) {
    let (devices, mut turn) = split(fabric);
    let device = &mut devices[at.device];
    let Some(qp) = device.qps.get_mut(at.qpn.0) else { return };
    qp.attributes.send_psn = qp.attributes.send_psn.advance(packets);
    qp.run.rnr_naks = 0;
    qp.run.timeouts = 0;
    if let Some(send) = &mut qp.send {
        send.consumer = place.index.wrapping_add(place.blocks);
    }
    // "And EQE" adds an event to the CQE, which is the event queue's affair.
    let signalled =
        matches!(place.ctrl.completion(), CompletionMode::ALWAYS | CompletionMode::ALWAYS_AND_EQE);
    if !signalled {
        return;
    }
    let cqn = qp.cqn_snd;
    let entry = Entry::sent(qp, place.ctrl.opcode(), place.index, len, turn.now);
    if completion::write(device, &mut turn, cqn, entry).is_err()
        && let Some(qp) = device.qps.get_mut(at.qpn.0)
    {
        error::enter(&mut turn, at.device, qp);
    }
}

/// Strict mode: the WQE against its slot and queue.
#[cold]
fn check_wqe(device: &mut Device, qpn: Qpn, block: &[u8; WQEBB_BYTES], place: &Place) {
    let Place { ctrl, index, .. } = place;
    if ctrl.index() == *index && ctrl.qpn() == qpn && ctrl.segs() != 0 {
        return;
    }
    let first = block[0];
    let (mistake, expected, found) = if block[..SEG_BYTES].iter().all(|byte| *byte == first) {
        (Mistake::UnwrittenWqe, u32::from(*index), u32::from(first))
    } else if ctrl.qpn() != qpn {
        (Mistake::WqeQpn, qpn.0, ctrl.qpn().0)
    } else if ctrl.index() != *index {
        (Mistake::WqeIndex, u32::from(*index), u32::from(ctrl.index()))
    } else {
        return;
    };
    if let Some(qp) = device.qps.get_mut(qpn.0) {
        device.diagnostics.report(&mut qp.run.reported, Finding { mistake, qpn, expected, found });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn timers_are_those_of_the_specification() {
        assert_eq!([0, 1, 14, 31].map(rnr_pause), [655_360_000, 10_000, 1_280_000, 491_520_000]);
        assert_eq!(ack_timeout(14), 67_108_864);
    }
}
