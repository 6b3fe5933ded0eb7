//! The responder: executes a peer's message.

use gpunetio_prm::command::{QpState, ServiceType};
use gpunetio_prm::cqe::{CqeOpcode, Syndrome};
use gpunetio_prm::id::{Psn, Qpn};
use zerocopy::big_endian::U32;

use super::atomic::Atomic;
use super::completion::{self, Entry, Received};
use super::error::{self, Failure, Vendor};
use super::gather::Payload;
use super::request::Remote;
use super::schedule::Turn;
use super::{Endpoint, receive};
use crate::device::Device;
use crate::memory::{Access, order_payload};
use crate::object::Qp;

/// A request as it reaches the peer.
#[derive(Debug, Clone, Copy)]
pub(super) struct Message<'a> {
    /// Who sends it.
    pub(super) source: Endpoint,
    pub(super) service: ServiceType,
    /// PSN of its first packet.
    pub(super) psn: Psn,
    /// Packets at the path MTU; those of the response for a READ.
    pub(super) packets: u32,
    pub(super) operation: Operation<'a>,
}

/// What the peer shall do.
#[derive(Debug, Clone, Copy)]
pub(super) enum Operation<'a> {
    Write { remote: Remote, imm: Option<U32>, payload: Payload<'a> },
    Send { imm: Option<U32>, payload: Payload<'a> },
    Read { remote: Remote, len: u64 },
    Atomic { remote: Remote, atomic: Atomic },
}

/// What came of a message.
#[derive(Debug, Clone, Copy)]
pub(super) enum Outcome {
    /// Done; or, unreliable, sent and perhaps dropped.
    Ack,
    /// The data of a READ.
    Data(crate::memory::Span),
    /// The former value of an atomic's target.
    Value(u64),
    /// Refused; the peer's QP is in ERR now.
    Nak(Nak),
    /// No receive WQE; the code of the time to wait (IBTA 9.7.5.2.8).
    Rnr(u8),
    /// No answer, for the reason that only this NIC can know.
    Silence(Vendor),
}

/// NAK codes (IBTA 9.7.5.2).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Nak {
    InvalidRequest,
    RemoteAccess,
    RemoteOperation,
}

impl Nak {
    /// How the requester's WQE completes.
    pub(super) const fn failure(self) -> Failure {
        let (syndrome, vendor) = match self {
            Self::InvalidRequest => (Syndrome::REMOTE_INVAL_REQ_ERR, Vendor::NAK_INVALID),
            Self::RemoteAccess => (Syndrome::REMOTE_ACCESS_ERR, Vendor::NAK_ACCESS),
            Self::RemoteOperation => (Syndrome::REMOTE_OP_ERR, Vendor::NAK_OPERATION),
        };
        Failure { syndrome, vendor }
    }
}

/// What keeps a message from being executed.
enum Refusal {
    /// The peer is told, and this QP goes to error.
    Nak(Nak),
    /// There is no receive WQE.
    NotReady,
    /// This QP's own fault while it received: its receive WQE has completed in error.
    Local,
}

impl From<Nak> for Refusal {
    fn from(nak: Nak) -> Self {
        Self::Nak(nak)
    }
}

/// Executes `message` for the QP `qpn` of `device`.
///
/// Reliable: a PSN other than the expected one is not answered. The packets of a message do not get lost here, so that the
/// two differ only if the connection was set up with different numbers; hardware would retry and then give up, or take
/// the message for a duplicate and confirm it unexecuted. Unreliable: whatever cannot be executed is dropped, and the PSN
/// of the next message is what it is.
#[inline]
pub(super) fn respond(
    device: &mut Device,
    turn: &mut Turn<'_>,
    qpn: Qpn,
    message: &Message<'_>,
) -> Outcome {
    let Some(qp) = device.qps.get(qpn.0) else { return Outcome::Silence(Vendor::NO_QP) };
    if let Err(reason) = accepts(qp, message) {
        return Outcome::Silence(reason);
    }
    let result = execute(device, turn, qpn, message);
    let unreliable = message.service == ServiceType::UC;
    let index = device.index;
    let Some(qp) = device.qps.get_mut(qpn.0) else { return Outcome::Silence(Vendor::NO_QP) };
    if result.is_ok() || unreliable {
        qp.attributes.receive_psn = message.psn.advance(message.packets);
    }
    match result {
        Ok(outcome) => outcome,
        Err(Refusal::Local) => {
            error::enter(turn, index, qp);
            if unreliable { Outcome::Ack } else { Outcome::Nak(Nak::RemoteOperation) }
        }
        Err(_) if unreliable => Outcome::Ack,
        Err(Refusal::NotReady) => Outcome::Rnr(qp.attributes.min_rnr_nak),
        Err(Refusal::Nak(nak)) => {
            error::enter(turn, index, qp);
            Outcome::Nak(nak)
        }
    }
}

/// Whether the QP takes the message at all.
fn accepts(qp: &Qp, message: &Message<'_>) -> Result<(), Vendor> {
    let receives = matches!(qp.state, QpState::RTR | QpState::RTS | QpState::SQD | QpState::SQER);
    if !receives {
        return Err(Vendor::PEER_STATE);
    }
    let connected = qp.attributes.remote_qpn == message.source.qpn
        && qp.run.peer == Some(message.source.device)
        && qp.service == message.service;
    if !connected {
        return Err(Vendor::NOT_CONNECTED);
    }
    if qp.attributes.receive_psn != message.psn && message.service != ServiceType::UC {
        return Err(Vendor::PSN);
    }
    Ok(())
}

fn execute(
    device: &mut Device,
    turn: &mut Turn<'_>,
    qpn: Qpn,
    message: &Message<'_>,
) -> Result<Outcome, Refusal> {
    let Some(qp) = device.qps.get(qpn.0) else { return Err(Nak::RemoteOperation.into()) };
    match &message.operation {
        Operation::Write { remote, imm, payload } => {
            enabled(qp.attributes.rwe)?;
            let target = access(device, qp, *remote, payload.len, Access::REMOTE_WRITE)?;
            if imm.is_some() {
                let index = take_receive(device, turn, qpn, 0)?;
                copy(payload, target);
                complete_receive(device, turn, qpn, CqeOpcode::RESP_WR_IMM, index, payload, *imm)?;
            } else {
                copy(payload, target);
            }
            Ok(Outcome::Ack)
        }
        Operation::Send { imm, payload } => {
            let index = take_receive(device, turn, qpn, payload.len)?;
            payload.scatter(&turn.engine.spans);
            order_payload();
            let opcode =
                if imm.is_some() { CqeOpcode::RESP_SEND_IMM } else { CqeOpcode::RESP_SEND };
            complete_receive(device, turn, qpn, opcode, index, payload, *imm)?;
            Ok(Outcome::Ack)
        }
        Operation::Read { remote, len } => {
            enabled(qp.attributes.rre)?;
            let source = access(device, qp, *remote, *len, Access::REMOTE_READ)?;
            Ok(source.map_or(Outcome::Ack, Outcome::Data))
        }
        Operation::Atomic { remote, atomic } => {
            enabled(qp.attributes.rae)?;
            let width = u64::from(atomic.width);
            if !remote.addr.is_multiple_of(width) {
                return Err(Nak::InvalidRequest.into());
            }
            let target = access(device, qp, *remote, width, Access::REMOTE_ATOMIC)?
                // The address is aligned but the memory behind it is not: the region's iova is not congruent to it.
                .filter(|target| target.addr().is_multiple_of(atomic.width as usize))
                .ok_or(Nak::InvalidRequest)?;
            let value = atomic.execute(target);
            order_payload();
            Ok(Outcome::Value(value))
        }
    }
}

fn copy(payload: &Payload<'_>, target: Option<crate::memory::Span>) {
    if let Some(target) = target {
        payload.copy_to(target);
        order_payload();
    }
}

/// An operation that the QP was not set up for is an invalid request (IBTA table 58), not an access error.
fn enabled(allowed: bool) -> Result<(), Nak> {
    if allowed { Ok(()) } else { Err(Nak::InvalidRequest) }
}

/// The memory that a remote may access; none for no bytes, whose rkey is not looked at (IBTA 9.7.4.1.4).
fn access(
    device: &Device,
    qp: &Qp,
    remote: Remote,
    len: u64,
    needs: Access,
) -> Result<Option<crate::memory::Span>, Nak> {
    if len == 0 {
        return Ok(None);
    }
    match device.memory.translate(remote.rkey, qp.pd, remote.addr, len, needs) {
        Ok(span) => Ok(Some(span)),
        Err(fault) => {
            log::warn!("softnic: qp {}: refused to its peer: {fault}", qp.qpn);
            Err(Nak::RemoteAccess)
        }
    }
}

/// Takes a receive WQE with room for `len` bytes, which [`super::Engine::spans`] then holds. Returns its index.
fn take_receive(
    device: &mut Device,
    turn: &mut Turn<'_>,
    qpn: Qpn,
    len: u64,
) -> Result<u16, Refusal> {
    if device.diagnostics.strict() {
        receive::check_depth(device, qpn);
    }
    let Some((queue, pd)) = receive::queue_of(device, qpn) else { return Err(Refusal::NotReady) };
    let Some(wqe) = receive::next(queue) else { return Err(Refusal::NotReady) };
    let resolved = receive::resolve(&wqe, &device.memory, pd, len, &mut turn.engine.spans);
    let unreliable = device.qps.get(qpn.0).is_some_and(|qp| qp.service == ServiceType::UC);
    let failure = match resolved {
        Ok(()) => None,
        // An unreliable message that is too long is dropped and its receive WQE is used again (IBTA 9.8.2.2.7).
        Err(failure) if unreliable && failure.syndrome == Syndrome::LOCAL_LENGTH_ERR => {
            return Err(Refusal::NotReady);
        }
        Err(failure) => Some(failure),
    };
    if let Some((queue, _)) = receive::queue_of(device, qpn) {
        receive::consume(queue, &wqe);
    }
    let Some(failure) = failure else { return Ok(wqe.index) };
    error::fail_receive(device, turn, qpn, wqe.index, failure);
    if failure.syndrome == Syndrome::LOCAL_LENGTH_ERR {
        Err(Nak::InvalidRequest.into())
    } else {
        Err(Refusal::Local)
    }
}

fn complete_receive(
    device: &mut Device,
    turn: &mut Turn<'_>,
    qpn: Qpn,
    opcode: CqeOpcode,
    index: u16,
    payload: &Payload<'_>,
    imm: Option<U32>,
) -> Result<(), Refusal> {
    let Some(qp) = device.qps.get(qpn.0) else { return Err(Refusal::Local) };
    let received = Received { opcode, index, len: payload.len as u32, imm };
    let entry = Entry::received(qp, &received, turn.now);
    let cqn = qp.cqn_rcv;
    completion::write(device, turn, cqn, entry).map_err(|completion::Lost| Refusal::Local)
}
