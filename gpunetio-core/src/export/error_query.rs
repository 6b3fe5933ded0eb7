//! The first error of a QP, from its completion queue.

use gpunetio_prm::cqe::{CQE_BYTES, CqeOpcode, ErrCqe, Syndrome};
use gpunetio_prm::id::MASK_24;

use super::ExportInner;
use crate::error::{ErrorKind, Result};
use crate::qp_attr::QpState;
use zerocopy::FromBytes;

/// What went wrong on a QP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct QpErrorInfo {
    /// True if the QP is in error, its NIC does not answer, or an error completion was found.
    pub has_error: bool,
    /// Syndrome of the first error; [`Syndrome::NONE`] if no error completion was found.
    pub syndrome: Syndrome,
    /// Vendor's syndrome.
    pub vendor_err_synd: u8,
    /// Hardware's syndrome.
    pub hw_err_synd: u8,
    /// Type of hardware's syndrome.
    pub hw_synd_type: u8,
    /// Index of the WQE that failed, modulo 2^16.
    pub wqe_counter: u16,
}

/// Asks the NIC for the QP's state and looks for the first error completion, the NIC's answer or not. What a kernel kept of it in the image counts
/// where the completion queue has lost it: a collapsed one keeps only the last.
pub(super) fn query(export: &ExportInner) -> Result<QpErrorInfo> {
    let in_error = match export.qp.query() {
        Ok(report) => report.attr.current_state == QpState::Err,
        Err(error) if error.kind() == ErrorKind::BadState => return Err(error),
        // A NIC that is gone, or answers no more, is an error of all its QPs, and what it left behind still says which.
        Err(error) => {
            log::warn!("qp {} counts as in error: {error}", export.qp.qpn);
            true
        }
    };
    let mut info = first_in_cq(export)?.unwrap_or_default();
    let kept = export.read_image()?.and_then(|image| image.cq_sq.first_error());
    if let Some(kept) = kept
        && matches!(info.syndrome, Syndrome::NONE | Syndrome::WR_FLUSH_ERR)
        && kept.syndrome != Syndrome::WR_FLUSH_ERR.0
    {
        info.syndrome = Syndrome(kept.syndrome);
        info.vendor_err_synd = kept.vendor_err_synd;
        info.hw_err_synd = kept.hw_err_synd;
    }
    info.has_error = in_error || info.syndrome != Syndrome::NONE;
    Ok(info)
}

fn first_in_cq(export: &ExportInner) -> Result<Option<QpErrorInfo>> {
    let cq = &export.cq;
    let bytes = if cq.collapsed { CQE_BYTES } else { cq.bytes() };
    let mut ring = vec![0u8; bytes];
    if !cq.umem.read(cq.offset, &mut ring)? {
        return Ok(None);
    }
    let entries: Vec<ErrCqe> = ring
        .chunks_exact(CQE_BYTES)
        .filter_map(|bytes| ErrCqe::read_from_bytes(bytes).ok())
        .collect();
    let opcode = |cqe: &ErrCqe| CqeOpcode(cqe.op_own >> 4);
    // The oldest entry is where the owner bit changes: before it lies the current lap, from it on the one before.
    let owner = |cqe: &ErrCqe| cqe.op_own & 1;
    let start = entries
        .iter()
        .position(|cqe| opcode(cqe) == CqeOpcode::INVALID || owner(cqe) != owner(&entries[0]))
        .unwrap_or(0);
    let oldest_first = entries[start..].iter().chain(&entries[..start]);
    let first = oldest_first
        .filter(|cqe| matches!(opcode(cqe), CqeOpcode::REQ_ERR | CqeOpcode::RESP_ERR))
        .find(|cqe| cqe.s_wqe_opcode_qpn.get() & MASK_24 == export.qp.qpn.0);
    Ok(first.map(|cqe| QpErrorInfo {
        has_error: true,
        syndrome: Syndrome(cqe.syndrome),
        vendor_err_synd: cqe.vendor_err_synd,
        hw_err_synd: cqe.hw_err_synd,
        hw_synd_type: cqe.hw_synd_type,
        wqe_counter: cqe.wqe_counter.get(),
    }))
}
