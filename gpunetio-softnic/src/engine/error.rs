//! Failures, the error state and flushing.
//!
//! The WQE that failed completes with the reason. The QP is then in ERR, and every later WQE, sent or received, announced
//! before or after, completes as flushed, whether it was signalled or not. Only a send WQE of completion mode
//! ON_FIRST_ERROR is flushed without a CQE.

use gpunetio_prm::command::QpState;
use gpunetio_prm::cqe::{CqeOpcode, Syndrome};
use gpunetio_prm::id::Qpn;
use gpunetio_prm::wqe::{CompletionMode, CtrlSeg, SEG_BYTES, WQEBB_BYTES, WqeOpcode, wqebbs};
use zerocopy::FromBytes;

use super::schedule::{Blocked, Turn, has_work};
use super::{completion, receive};
use crate::device::Device;
use crate::diagnostic::{Finding, Mistake};
use crate::memory::Fault;
use crate::object::{Qp, ReceiveSide};

/// Vendor syndrome of an error CQE: this NIC's own numbers, one per reason. Hardware's mean something else.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Vendor(pub u8);

macro_rules! vendors {
    ($($name:ident = $value:literal, $text:literal;)*) => {
        impl Vendor {
            $(#[doc = $text] pub const $name: Self = Self($value);)*

            /// What the number means.
            pub const fn text(self) -> Option<&'static str> {
                match self.0 {
                    $($value => Some($text),)*
                    _ => None,
                }
            }
        }
    };
}

vendors! {
    NO_SEGMENTS = 0x01, "`ds` of the WQE is 0";
    WQE_TOO_LARGE = 0x02, "the WQE is larger than the device's `max_wqe_sz`";
    WQE_BEYOND_PRODUCER = 0x03, "the WQE reaches past the announced producer index";
    UNKNOWN_OPCODE = 0x04, "the opcode is not one that this NIC executes";
    NOT_ON_UC = 0x05, "READs and atomics need a reliable connection";
    TOO_FEW_SEGMENTS = 0x06, "`ds` is too small for the opcode";
    OPCODE_MODIFIER = 0x07, "the opcode modifier is neither four nor eight bytes";
    INLINE_TOO_LONG = 0x08, "inline data reach past the WQE's last segment";
    INLINE_TARGET = 0x09, "data cannot arrive in an inline segment";
    WAIT_CQ = 0x0a, "WAIT for a CQ that does not exist";
    WAIT_OVERRUN = 0x0b, "WAIT for a CQE of a CQ that overran, which writes no more";
    MESSAGE_TOO_LONG = 0x10, "the message is longer than `log_msg_max` allows";
    ZERO_BYTE_COUNT = 0x11, "byte count 0 stands for 2^31, which is longer than `log_msg_max` allows";
    RESULT_TOO_SHORT = 0x12, "the local memory of an atomic is shorter than its result";
    RECEIVE_TOO_SHORT = 0x13, "the message is longer than the receive WQE's memory";
    LOCAL_KEY = 0x20, "no memory region has the lkey";
    LOCAL_PD = 0x21, "the lkey is of another PD than the queue";
    LOCAL_BOUNDS = 0x22, "the range leaves the lkey's memory region";
    LOCAL_RIGHTS = 0x23, "the lkey's memory region does not allow local writes";
    NAK_INVALID = 0x30, "the peer answered NAK invalid request";
    NAK_ACCESS = 0x31, "the peer answered NAK remote access error";
    NAK_OPERATION = 0x32, "the peer answered NAK remote operational error";
    RNR = 0x40, "the peer had no receive WQE, once more than `rnr_retry` allows";
    NO_DEVICE = 0x41, "no device owns the peer's GID";
    NO_QP = 0x42, "the peer's device has no QP of the number";
    PEER_STATE = 0x43, "the peer's QP is not in a state that receives";
    NOT_CONNECTED = 0x44, "the peer's QP is connected to another one, or is of another service";
    PSN = 0x45, "the peer expects another PSN";
    FLUSHED = 0xf9, "flushed: an earlier WQE failed or the QP was moved to ERR";
}

/// Why a WQE failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Failure {
    pub(super) syndrome: Syndrome,
    pub(super) vendor: Vendor,
}

impl Failure {
    /// Completion of a WQE in a QP that is in ERR.
    pub(super) const FLUSHED: Self =
        Self { syndrome: Syndrome::WR_FLUSH_ERR, vendor: Vendor::FLUSHED };

    /// The WQE itself is wrong.
    pub(super) const fn operation(vendor: Vendor) -> Self {
        Self { syndrome: Syndrome::LOCAL_QP_OP_ERR, vendor }
    }

    /// A length is wrong.
    pub(super) const fn length(vendor: Vendor) -> Self {
        Self { syndrome: Syndrome::LOCAL_LENGTH_ERR, vendor }
    }

    /// Local memory is not as the WQE says.
    pub(super) fn local(fault: Fault) -> Self {
        log::warn!("softnic: local protection: {fault}");
        let vendor = match fault {
            Fault::Key(_) => Vendor::LOCAL_KEY,
            Fault::ProtectionDomain { .. } => Vendor::LOCAL_PD,
            Fault::Bounds { .. } => Vendor::LOCAL_BOUNDS,
            Fault::Rights { .. } => Vendor::LOCAL_RIGHTS,
        };
        Self { syndrome: Syndrome::LOCAL_PROT_ERR, vendor }
    }
}

/// First pause before the receive queue of a QP in error is looked at again, and the longest: it doubles.
///
/// Receive WQEs are announced by their doorbell record alone. A client that drains a QP posts one after the error and
/// waits for its flush, so the record has to be read now and then. A pause ends at the next multiple of its length, where
/// those of other QPs end too: looks at many queues wake the NIC as often as those at one.
const DRAIN_PAUSE_NS: u64 = 1_000_000;
const MAX_DRAIN_PAUSE_NS: u64 = 64 * DRAIN_PAUSE_NS;

/// Moves a QP to ERR and lets it flush.
pub(super) fn enter(turn: &mut Turn<'_>, device: usize, qp: &mut Qp) {
    qp.state = QpState::ERR;
    qp.run.blocked = Blocked::No;
    qp.run.deadline = None;
    qp.run.drain_pause = DRAIN_PAUSE_NS;
    turn.enqueue(device, qp);
}

/// A place in a send queue.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    pub(super) ctrl: CtrlSeg,
    /// Index of the first basic block.
    pub(super) index: u16,
    /// Basic blocks.
    pub(super) blocks: u16,
}

/// Completes the WQE at the head of a send queue in error, and the QP goes to ERR.
#[cold]
pub(super) fn fail(
    device: &mut Device,
    turn: &mut Turn<'_>,
    qpn: Qpn,
    place: &Place,
    failure: Failure,
) {
    let Some(qp) = device.qps.get_mut(qpn.0) else { return };
    let opcode = place.ctrl.opcode();
    log::warn!(
        "softnic: qp {qpn}: {opcode} at index {} failed: {} ({})",
        place.index,
        failure.syndrome,
        failure.vendor.text().unwrap_or_default()
    );
    let mistake = match failure.vendor {
        Vendor::UNKNOWN_OPCODE => Some((Mistake::UnknownOpcode, u32::from(opcode.0))),
        Vendor::ZERO_BYTE_COUNT => Some((Mistake::ZeroByteCount, 0)),
        _ => None,
    };
    if let Some((mistake, found)) = mistake {
        let finding = Finding { mistake, qpn, expected: place.index.into(), found };
        device.diagnostics.report(&mut qp.run.reported, finding);
    }
    if let Some(send) = &mut qp.send {
        send.consumer = send.consumer.wrapping_add(place.blocks);
    }
    enter(turn, device.index, qp);
    let cqn = qp.cqn_snd;
    let entry = completion::Entry::failed(qp, CqeOpcode::REQ_ERR, opcode.0, place.index, failure);
    // A CQ that overran takes no CQE any more; the QP is in ERR already.
    let _ = completion::write(device, turn, cqn, entry);
}

/// Flushes at most `budget` WQEs of a QP in ERR. Returns how many.
pub(super) fn flush(device: &mut Device, turn: &mut Turn<'_>, qpn: Qpn, budget: usize) -> usize {
    let mut done = 0;
    while done < budget && flush_send(device, turn, qpn) {
        done += 1;
    }
    while done < budget && flush_receive(device, turn, qpn) {
        done += 1;
    }
    let index = device.index;
    let Some(qp) = device.qps.get_mut(qpn.0) else { return done };
    if done == budget || qp.send.as_ref().is_some_and(has_work) {
        turn.enqueue(index, qp);
    } else if matches!(qp.receive, ReceiveSide::Own(_)) {
        let pause = qp.run.drain_pause.max(DRAIN_PAUSE_NS);
        let left = pause - turn.now % pause;
        turn.arm(index, qp, left);
        qp.run.drain_pause = (pause * 2).min(MAX_DRAIN_PAUSE_NS);
    }
    done
}

/// Flushes the WQE at the head of the send queue; false if there is none.
fn flush_send(device: &mut Device, turn: &mut Turn<'_>, qpn: Qpn) -> bool {
    let Some(qp) = device.qps.get_mut(qpn.0) else { return false };
    let Some(send) = &mut qp.send else { return false };
    let available = send.producer.wrapping_sub(send.consumer);
    if available == 0 {
        return false;
    }
    let index = send.consumer;
    let slot = usize::from(index) & ((1 << send.log_size) - 1);
    let bytes: [u8; SEG_BYTES] = send.ring.read(slot * WQEBB_BYTES);
    let (opcode, completion, segs) = match CtrlSeg::ref_from_bytes(&bytes) {
        Ok(ctrl) => (ctrl.opcode(), ctrl.completion(), usize::from(ctrl.segs())),
        Err(_) => (WqeOpcode::NOP, CompletionMode::ALWAYS, 1),
    };
    // A WQE whose size makes no sense ends the sense of what follows: it is stepped over by one basic block.
    let blocks = Some(wqebbs(segs) as u16).filter(|blocks| (1..=available).contains(blocks));
    send.consumer = index.wrapping_add(blocks.unwrap_or(1));
    if completion != CompletionMode::ON_FIRST_ERROR {
        let cqn = qp.cqn_snd;
        let entry =
            completion::Entry::failed(qp, CqeOpcode::REQ_ERR, opcode.0, index, Failure::FLUSHED);
        // A CQ that overran takes no CQE any more.
        let _ = completion::write(device, turn, cqn, entry);
    }
    true
}

/// Flushes the next WQE of the QP's own receive queue; false if there is none. Those of a shared queue stay for others.
fn flush_receive(device: &mut Device, turn: &mut Turn<'_>, qpn: Qpn) -> bool {
    let Some(qp) = device.qps.get_mut(qpn.0) else { return false };
    let ReceiveSide::Own(queue) = &mut qp.receive else { return false };
    let Some(wqe) = receive::next(queue) else { return false };
    receive::consume(queue, &wqe);
    fail_receive(device, turn, qpn, wqe.index, Failure::FLUSHED);
    true
}

/// Completes a receive WQE in error.
pub(super) fn fail_receive(
    device: &mut Device,
    turn: &mut Turn<'_>,
    qpn: Qpn,
    index: u16,
    failure: Failure,
) {
    let Some(qp) = device.qps.get(qpn.0) else { return };
    let cqn = qp.cqn_rcv;
    let entry = completion::Entry::failed(qp, CqeOpcode::RESP_ERR, 0, index, failure);
    // A CQ that overran takes no CQE any more; the QP is in ERR or about to be.
    let _ = completion::write(device, turn, cqn, entry);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vendor_syndrome_has_a_text() {
        assert_eq!(Vendor::PSN.text(), Some("the peer expects another PSN"));
        assert_eq!(Vendor(0xee).text(), None);
    }
}
