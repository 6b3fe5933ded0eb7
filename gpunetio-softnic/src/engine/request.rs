//! A send WQE as a typed request.

use gpunetio_prm::id::{Cqn, MASK_24, Mkey};
use gpunetio_prm::wqe::{
    ATOMIC_4_BYTE_OPMOD, ATOMIC_8_BYTE_OPMOD, AtomicSeg, CtrlSeg, MaskedCs4Seg, MaskedCs8MaskSeg,
    MaskedCs8Seg, MaskedFa4Seg, MaskedFa8Seg, RaddrSeg, SEG_BYTES, WaitSeg, WqeOpcode,
};
use zerocopy::big_endian::U32;
use zerocopy::{FromBytes, Immutable, KnownLayout, Unaligned};

use super::atomic::{Atomic, Change, wide};
use super::error::{Failure, Vendor};
use super::gather::Segments;

/// Memory of the peer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Remote {
    pub(super) addr: u64,
    pub(super) rkey: Mkey,
}

/// What a WQE asks for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Request<'w> {
    /// Nothing but its completion.
    Nop,
    /// RDMA_WRITE and RDMA_WRITE_IMM. The immediate is passed on as it is stored.
    Write { remote: Remote, imm: Option<U32>, data: Segments<'w> },
    /// SEND and SEND_IMM.
    Send { imm: Option<U32>, data: Segments<'w> },
    /// RDMA_READ.
    Read { remote: Remote, data: Segments<'w> },
    /// The four atomics; `data` takes the former value.
    Atomic { remote: Remote, atomic: Atomic, data: Segments<'w> },
    /// Stop until the CQ has produced the CQE of this index, modulo 2^24.
    Wait { cqn: Cqn, index: u32 },
    /// Read local memory and drop it: what arrived there is visible once this completes.
    Dump { data: Segments<'w> },
}

/// Decodes a WQE of which `wqe` holds every segment and `ctrl` is the first.
#[inline]
pub(super) fn decode<'w>(ctrl: &CtrlSeg, wqe: &'w [u8]) -> Result<Request<'w>, Failure> {
    let data = |segments: usize| Segments { wqe, start: segments * SEG_BYTES };
    Ok(match ctrl.opcode() {
        WqeOpcode::RDMA_WRITE => Request::Write { remote: remote(wqe)?, imm: None, data: data(2) },
        WqeOpcode::RDMA_WRITE_IMM => {
            Request::Write { remote: remote(wqe)?, imm: Some(ctrl.imm), data: data(2) }
        }
        WqeOpcode::RDMA_READ => Request::Read { remote: remote(wqe)?, data: data(2) },
        WqeOpcode::SEND => Request::Send { imm: None, data: data(1) },
        WqeOpcode::SEND_IMM => Request::Send { imm: Some(ctrl.imm), data: data(1) },
        WqeOpcode::NOP => Request::Nop,
        WqeOpcode::DUMP => Request::Dump { data: data(1) },
        WqeOpcode::WAIT => {
            let wait: &WaitSeg = segment(wqe, 1)?;
            Request::Wait {
                cqn: Cqn(wait.qpn_cqn.get() & MASK_24),
                index: wait.max_index.get() & MASK_24,
            }
        }
        WqeOpcode::ATOMIC_CS => {
            let operands: &AtomicSeg = segment(wqe, 2)?;
            let change = Change::compare_swap(operands.compare.get(), operands.swap_add.get());
            let atomic = Atomic { change, width: 8 };
            Request::Atomic { remote: remote(wqe)?, atomic, data: data(3) }
        }
        WqeOpcode::ATOMIC_FA => {
            let operands: &AtomicSeg = segment(wqe, 2)?;
            let atomic = Atomic { change: Change::fetch_add(operands.swap_add.get()), width: 8 };
            Request::Atomic { remote: remote(wqe)?, atomic, data: data(3) }
        }
        WqeOpcode::ATOMIC_MASKED_CS => {
            let (atomic, segments) = masked_compare_swap(ctrl, wqe)?;
            Request::Atomic { remote: remote(wqe)?, atomic, data: data(segments) }
        }
        WqeOpcode::ATOMIC_MASKED_FA => {
            let atomic = masked_fetch_add(ctrl, wqe)?;
            Request::Atomic { remote: remote(wqe)?, atomic, data: data(3) }
        }
        _ => return Err(Failure::operation(Vendor::UNKNOWN_OPCODE)),
    })
}

/// The operation, and the number of segments before its data segment: the masks of eight bytes fill one of their own.
fn masked_compare_swap(ctrl: &CtrlSeg, wqe: &[u8]) -> Result<(Atomic, usize), Failure> {
    match ctrl.opmod() {
        ATOMIC_4_BYTE_OPMOD => {
            let operands: &MaskedCs4Seg = segment(wqe, 2)?;
            let change = Change::CompareSwap {
                compare: wide(operands.compare),
                compare_mask: wide(operands.compare_mask),
                swap: wide(operands.swap),
                swap_mask: wide(operands.swap_mask),
            };
            Ok((Atomic { change, width: 4 }, 3))
        }
        ATOMIC_8_BYTE_OPMOD => {
            let operands: &MaskedCs8Seg = segment(wqe, 2)?;
            let masks: &MaskedCs8MaskSeg = segment(wqe, 3)?;
            let change = Change::CompareSwap {
                compare: operands.compare.get(),
                compare_mask: masks.compare_mask.get(),
                swap: operands.swap.get(),
                swap_mask: masks.swap_mask.get(),
            };
            Ok((Atomic { change, width: 8 }, 4))
        }
        _ => Err(Failure::operation(Vendor::OPCODE_MODIFIER)),
    }
}

fn masked_fetch_add(ctrl: &CtrlSeg, wqe: &[u8]) -> Result<Atomic, Failure> {
    match ctrl.opmod() {
        ATOMIC_4_BYTE_OPMOD => {
            let operands: &MaskedFa4Seg = segment(wqe, 2)?;
            let change = Change::FetchAdd {
                add: wide(operands.add),
                boundary: wide(operands.field_boundary),
            };
            Ok(Atomic { change, width: 4 })
        }
        ATOMIC_8_BYTE_OPMOD => {
            let operands: &MaskedFa8Seg = segment(wqe, 2)?;
            let change = Change::FetchAdd {
                add: operands.add.get(),
                boundary: operands.field_boundary.get(),
            };
            Ok(Atomic { change, width: 8 })
        }
        _ => Err(Failure::operation(Vendor::OPCODE_MODIFIER)),
    }
}

fn remote(wqe: &[u8]) -> Result<Remote, Failure> {
    let segment: &RaddrSeg = segment(wqe, 1)?;
    Ok(Remote { addr: segment.raddr.get(), rkey: Mkey(segment.rkey.get()) })
}

/// Segment number `index` of a WQE, if `ds` says that it is there.
fn segment<T>(wqe: &[u8], index: usize) -> Result<&T, Failure>
where
    T: FromBytes + KnownLayout + Immutable + Unaligned,
{
    let start = index * SEG_BYTES;
    wqe.get(start..start + SEG_BYTES)
        .and_then(|bytes| T::ref_from_bytes(bytes).ok())
        .ok_or(Failure::operation(Vendor::TOO_FEW_SEGMENTS))
}
