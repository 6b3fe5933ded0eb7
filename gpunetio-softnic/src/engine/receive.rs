//! Receive WQEs: of a QP's own queue or of a shared one, cyclic or linked.

use gpunetio_prm::doorbell::RCV_DBR;
use gpunetio_prm::id::{Mkey, Pdn, Qpn};
use gpunetio_prm::wqe::{DataSeg, INVALID_LKEY, SEG_BYTES, SrqNextSeg};
use zerocopy::FromBytes;

use super::DWORD;
use super::error::{Failure, Vendor};
use super::gather::byte_count;
use crate::device::Device;
use crate::diagnostic::{Finding, Mistake};
use crate::memory::{Access, MemoryTable, Span};
use crate::object::{ReceiveQueue, ReceiveSide};

/// A receive WQE that is posted.
#[derive(Debug, Clone, Copy)]
pub(super) struct ReceiveWqe {
    /// What its CQE carries: the count modulo 2^16 in a cyclic queue, the WQE's number in a linked one.
    pub(super) index: u16,
    /// Its bytes.
    wqe: Span,
    /// Bytes of it before the first data segment.
    head: usize,
}

/// The next WQE, if one is posted. It stays until [`consume`].
pub(super) fn next(queue: &ReceiveQueue) -> Option<ReceiveWqe> {
    if posted(queue) == 0 {
        return None;
    }
    let mask = (1u32 << queue.log_size) - 1;
    let (index, head) = if queue.linked { (queue.head, SEG_BYTES) } else { (queue.consumer, 0) };
    let slot = u32::from(index) & mask;
    let index = if queue.linked { slot as u16 } else { index };
    let stride = 1u64 << queue.log_stride;
    let wqe = queue.ring.part(u64::from(slot) * stride, stride)?;
    Some(ReceiveWqe { index, wqe, head })
}

/// WQEs that are posted and not consumed.
fn posted(queue: &ReceiveQueue) -> u16 {
    let producer = queue.dbr.load_be32_acquire(RCV_DBR * DWORD) as u16;
    producer.wrapping_sub(queue.consumer)
}

/// Takes the WQE that [`next`] returned.
pub(super) fn consume(queue: &mut ReceiveQueue, wqe: &ReceiveWqe) {
    queue.consumer = queue.consumer.wrapping_add(1);
    if queue.linked && wqe.wqe.len() >= SEG_BYTES {
        let next: SrqNextSeg = zerocopy::transmute!(wqe.wqe.read::<SEG_BYTES>(0));
        queue.head = next.next_wqe_index.get();
    }
}

/// The queue that a QP receives from, with the PD that its lkeys are checked against.
pub(super) fn queue_of(device: &mut Device, qpn: Qpn) -> Option<(&mut ReceiveQueue, Pdn)> {
    let qp = device.qps.get_mut(qpn.0)?;
    let pd = qp.pd;
    match &mut qp.receive {
        ReceiveSide::None => None,
        ReceiveSide::Own(queue) => Some((queue, pd)),
        ReceiveSide::Shared(rmpn) => {
            let rmp = device.rmps.get_mut(rmpn.0)?;
            Some((&mut rmp.queue, rmp.pd))
        }
    }
}

/// Strict mode: the receive counter against the queue's depth.
pub(super) fn check_depth(device: &mut Device, qpn: Qpn) {
    let Some((queue, _)) = queue_of(device, qpn) else { return };
    let (depth, posted) = (1u32 << queue.log_size, u32::from(posted(queue)));
    if posted > depth
        && let Some(qp) = device.qps.get_mut(qpn.0)
    {
        let finding =
            Finding { mistake: Mistake::ReceiveOverrun, qpn, expected: depth, found: posted };
        device.diagnostics.report(&mut qp.run.reported, finding);
    }
}

/// Resolves the first `len` bytes of a receive WQE's memory. The list ends with the WQE or at [`INVALID_LKEY`].
pub(super) fn resolve(
    wqe: &ReceiveWqe,
    memory: &MemoryTable,
    pd: Pdn,
    len: u64,
    spans: &mut Vec<Span>,
) -> Result<(), Failure> {
    spans.clear();
    let (mut at, mut left) = (wqe.head, len);
    while left > 0 {
        if at + SEG_BYTES > wqe.wqe.len() {
            return Err(Failure::length(Vendor::RECEIVE_TOO_SHORT));
        }
        let bytes: [u8; SEG_BYTES] = wqe.wqe.read(at);
        at += SEG_BYTES;
        let Ok(segment) = DataSeg::ref_from_bytes(&bytes) else { break };
        if segment.lkey.get() == INVALID_LKEY {
            return Err(Failure::length(Vendor::RECEIVE_TOO_SHORT));
        }
        let part = byte_count(segment).min(left);
        let key = Mkey(segment.lkey.get());
        let span = memory
            .translate(key, pd, segment.addr.get(), part, Access::LOCAL_WRITE)
            .map_err(Failure::local)?;
        spans.push(span);
        left -= part;
    }
    Ok(())
}
