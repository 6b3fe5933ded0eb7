//! Writing completions.

use gpunetio_prm::cqe::{CQE_BYTES, Cqe64, CqeOpcode, ErrCqe, op_own, owner_bit};
use gpunetio_prm::doorbell::CQ_SET_CI;
use gpunetio_prm::id::{Cqn, MASK_24};
use gpunetio_prm::wqe::WqeOpcode;
use zerocopy::big_endian::{U16, U32, U64};
use zerocopy::{FromZeros, transmute};

use super::DWORD;
use super::error::Failure;
use super::schedule::{Blocked, Turn};
use crate::device::Device;
use crate::object::{Cq, Qp};

/// A CQE without its owner bit, and whether it reports a flush.
pub(super) struct Entry {
    bytes: [u8; CQE_BYTES],
    error: bool,
    flush: bool,
}

/// The CQE could not be written: the CQ overran, now or earlier, or is gone. Its QP goes to error.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Lost;

/// What a receive CQE says beside its queue.
#[derive(Debug, Clone, Copy)]
pub(super) struct Received {
    pub(super) opcode: CqeOpcode,
    /// Index of the receive WQE.
    pub(super) index: u16,
    pub(super) len: u32,
    pub(super) imm: Option<U32>,
}

impl Entry {
    /// A send WQE is done; `len` bytes were read back.
    pub(super) fn sent(qp: &Qp, opcode: WqeOpcode, index: u16, len: u32, now: u64) -> Self {
        let mut cqe = Cqe64::new_zeroed();
        cqe.srqn_uidx = U32::new(qp.user_index);
        cqe.byte_cnt = U32::new(len);
        cqe.timestamp = U64::new(now);
        cqe.sop_drop_qpn = U32::new(u32::from(opcode.0) << 24 | qp.qpn.0);
        cqe.wqe_counter = U16::new(index);
        cqe.op_own = op_own(CqeOpcode::REQ, false);
        Self { bytes: transmute!(cqe), error: false, flush: false }
    }

    /// A receive WQE is filled. The user index is the QP's, with a shared receive queue too (`cqe_version` 1).
    pub(super) fn received(qp: &Qp, received: &Received, now: u64) -> Self {
        let mut cqe = Cqe64::new_zeroed();
        cqe.flags_rqpn = U32::new(qp.attributes.remote_qpn.0);
        cqe.srqn_uidx = U32::new(qp.user_index);
        cqe.imm_inval_pkey = received.imm.unwrap_or(U32::ZERO);
        cqe.byte_cnt = U32::new(received.len);
        cqe.timestamp = U64::new(now);
        cqe.sop_drop_qpn = U32::new(qp.qpn.0);
        cqe.wqe_counter = U16::new(received.index);
        cqe.op_own = op_own(received.opcode, false);
        Self { bytes: transmute!(cqe), error: false, flush: false }
    }

    /// A WQE failed or was flushed; `wqe_opcode` is 0 for a receive WQE.
    pub(super) fn failed(
        qp: &Qp,
        opcode: CqeOpcode,
        wqe_opcode: u8,
        index: u16,
        failure: Failure,
    ) -> Self {
        let mut cqe = ErrCqe::new_zeroed();
        cqe.srqn = U32::new(qp.user_index);
        cqe.vendor_err_synd = failure.vendor.0;
        cqe.syndrome = failure.syndrome.0;
        cqe.s_wqe_opcode_qpn = U32::new(u32::from(wqe_opcode) << 24 | qp.qpn.0);
        cqe.wqe_counter = U16::new(index);
        cqe.op_own = op_own(opcode, false);
        Self { bytes: transmute!(cqe), error: true, flush: failure == Failure::FLUSHED }
    }
}

/// Writes a CQE and wakes the queues that WAIT for it.
pub(super) fn write(
    device: &mut Device,
    turn: &mut Turn<'_>,
    cqn: Cqn,
    mut entry: Entry,
) -> Result<(), Lost> {
    let Some(cq) = device.cqs.get_mut(cqn.0) else { return Err(Lost) };
    if cq.in_error || overruns(cq) {
        enter_error(device, turn, cqn);
        return Err(Lost);
    }
    let slot = if cq.collapsed { 0 } else { cq.producer & ((1 << cq.log_size) - 1) };
    // A collapsed CQ has room for one CQE, which is all that its pollers see. A flush says only that something failed
    // before it; if it replaced the error CQE, nobody would learn what. So the error stays; the flush counts all the same.
    let hidden = cq.collapsed && cq.holds_error && entry.flush;
    if !hidden && let Some(place) = cq.ring.part(slot * CQE_BYTES as u64, CQE_BYTES as u64) {
        entry.bytes[CQE_BYTES - 1] |= u8::from(owner_bit(cq.producer, cq.log_size));
        place.publish_cqe(&entry.bytes);
        cq.holds_error = entry.error;
    }
    cq.producer += 1;
    if !cq.waiters.is_empty() {
        wake(device, turn, cqn);
    }
    Ok(())
}

/// True if one more CQE would overwrite one that was not consumed. A collapsed CQ replaces its CQE by design; without a
/// doorbell record nobody says what was consumed.
fn overruns(cq: &Cq) -> bool {
    if cq.overrun_ignored || cq.collapsed {
        return false;
    }
    let Some(record) = cq.dbr else { return false };
    let consumer = record.load_be32_acquire(CQ_SET_CI * DWORD) & MASK_24;
    (cq.producer as u32).wrapping_sub(consumer) & MASK_24 >= 1 << cq.log_size
}

/// A CQ overran: nothing is written to it any more. Queues that WAIT for it find that and fail, since its next CQE never comes.
#[cold]
fn enter_error(device: &mut Device, turn: &mut Turn<'_>, cqn: Cqn) {
    let Some(cq) = device.cqs.get_mut(cqn.0) else { return };
    if cq.in_error {
        return;
    }
    log::warn!(
        "softnic: cq {cqn} overran after {} CQEs in a ring of {}: poll it, or create it with overrun ignore",
        cq.producer,
        1u64 << cq.log_size
    );
    cq.in_error = true;
    let waiters = core::mem::take(&mut cq.waiters);
    super::release(device, turn, waiters);
}

#[cold]
fn wake(device: &mut Device, turn: &mut Turn<'_>, cqn: Cqn) {
    let index = device.index;
    let Some(cq) = device.cqs.get_mut(cqn.0) else { return };
    while let Some(first) = cq.waiters.peek_mut() {
        let (target, qpn) = first.0;
        if target > cq.producer {
            return;
        }
        std::collections::binary_heap::PeekMut::pop(first);
        if let Some(qp) = device.qps.get_mut(qpn.0)
            && qp.run.blocked == Blocked::Wait
        {
            super::unblock(turn, index, qp);
        }
    }
}
