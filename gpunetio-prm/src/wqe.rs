//! Work queue entries: segments of 16 bytes in basic blocks (WQEBB) of 64.
//!
//! Every segment is `repr(C)` with big-endian fields, so that driver, device headers and NIC agree on bytes. A WQE starts
//! with a [`CtrlSeg`]; what follows depends on the opcode (PRM: Work Queue Structure and Usage).

use zerocopy::big_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::command::open_newtype;
use crate::id::Qpn;

/// Bytes of a send-queue basic block; a send queue's size and index count these.
pub const WQEBB_BYTES: usize = 64;
/// log2 of [`WQEBB_BYTES`].
pub const WQEBB_SHIFT: u32 = 6;
/// Bytes of a segment; `ds` in the control segment counts these.
pub const SEG_BYTES: usize = 16;
/// log2 of the bytes of a receive WQE whose `qpc.log_rq_stride` is 0: one segment.
pub const RQ_STRIDE_SHIFT: u8 = 4;
/// Segments in a basic block.
pub const SEGS_PER_WQEBB: usize = WQEBB_BYTES / SEG_BYTES;
/// Largest `ds`: it has six bits.
pub const MAX_SEGS: usize = 63;
/// An lkey that ends a scatter list before its last entry (PRM: "terminate scatter list lkey").
pub const INVALID_LKEY: u32 = 0x100;
/// Bit 31 of a data segment's byte count: the segment is inline data, whose length is the low ten bits.
pub const INLINE_SEG: u32 = 0x8000_0000;
/// Length bits of an inline segment's byte count.
pub const INLINE_LEN_MASK: u32 = 0x3ff;
/// Largest message: a data segment's byte count has 31 bits and `log_msg_max` is 30.
pub const MAX_MESSAGE_BYTES: u64 = 1 << 30;

open_newtype! {
    /// Opcode of a send WQE: bits 7:0 of the first dword.
    WqeOpcode(u8);
    NOP = 0x00, "NOP";
    SEND_INVAL = 0x01, "SEND_INVAL";
    RDMA_WRITE = 0x08, "RDMA_WRITE";
    RDMA_WRITE_IMM = 0x09, "RDMA_WRITE_IMM";
    SEND = 0x0a, "SEND";
    SEND_IMM = 0x0b, "SEND_IMM";
    TSO = 0x0e, "TSO";
    WAIT = 0x0f, "WAIT";
    RDMA_READ = 0x10, "RDMA_READ";
    ATOMIC_CS = 0x11, "ATOMIC_CS";
    ATOMIC_FA = 0x12, "ATOMIC_FA";
    ATOMIC_MASKED_CS = 0x14, "ATOMIC_MASKED_CS";
    ATOMIC_MASKED_FA = 0x15, "ATOMIC_MASKED_FA";
    LOCAL_INVAL = 0x1b, "LOCAL_INVAL";
    DUMP = 0x23, "DUMP";
    UMR = 0x25, "UMR";
    MMO = 0x2f, "MMO";
}

open_newtype! {
    /// Completion mode `ce`: when a WQE writes a CQE (bits 3:2 of `fm_ce_se`).
    CompletionMode(u8);
    ON_ERROR = 0, "CQE_ON_CQE_ERROR";
    ON_FIRST_ERROR = 1, "CQE_ON_FIRST_CQE_ERROR";
    ALWAYS = 2, "CQE_ALWAYS";
    ALWAYS_AND_EQE = 3, "CQE_AND_EQE";
}

/// Control segment.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct CtrlSeg {
    /// `opmod` 31:24, WQE index 23:8, opcode 7:0.
    pub opmod_idx_opcode: U32,
    /// QPN 31:8, number of segments 5:0.
    pub qpn_ds: U32,
    /// Signature; 0 where the queue does not use it.
    pub signature: u8,
    /// DCI stream channel, big-endian.
    pub dci_stream_channel_id: [u8; 2],
    /// Fence 7:5, completion mode 3:2, solicited 1.
    pub fm_ce_se: u8,
    /// Immediate data, invalidation key or UMR mkey, as the opcode says.
    pub imm: U32,
}

impl CtrlSeg {
    /// A control segment; `opmod`, `fm_ce_se` and `imm` zero.
    pub fn new(opcode: WqeOpcode, index: u16, qpn: Qpn, segs: u8) -> Self {
        Self {
            opmod_idx_opcode: U32::new(u32::from(index) << 8 | u32::from(opcode.0)),
            qpn_ds: U32::new(qpn.0 << 8 | u32::from(segs)),
            signature: 0,
            dci_stream_channel_id: [0; 2],
            fm_ce_se: 0,
            imm: U32::ZERO,
        }
    }

    /// Opcode.
    pub fn opcode(&self) -> WqeOpcode {
        WqeOpcode(self.opmod_idx_opcode.get() as u8)
    }

    /// Opcode modifier.
    pub fn opmod(&self) -> u8 {
        (self.opmod_idx_opcode.get() >> 24) as u8
    }

    /// Index of the WQE's first basic block, modulo 2^16.
    pub fn index(&self) -> u16 {
        (self.opmod_idx_opcode.get() >> 8) as u16
    }

    /// QP that the WQE was written for.
    pub fn qpn(&self) -> Qpn {
        Qpn(self.qpn_ds.get() >> 8)
    }

    /// Number of 16-byte segments, this one included.
    pub fn segs(&self) -> u8 {
        (self.qpn_ds.get() & 0x3f) as u8
    }

    /// When to write a CQE.
    pub fn completion(&self) -> CompletionMode {
        CompletionMode(self.fm_ce_se >> 2 & 3)
    }
}

/// Remote address segment.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct RaddrSeg {
    /// Remote virtual address.
    pub raddr: U64,
    /// Remote key.
    pub rkey: U32,
    /// Reserved.
    pub reserved: U32,
}

/// Data pointer segment, also the element of a receive WQE.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct DataSeg {
    /// Bytes, 31 bits; [`INLINE_SEG`] makes this an inline segment instead. 0 in a receive WQE ends nothing: it is 2^31.
    pub byte_count: U32,
    /// Local key.
    pub lkey: U32,
    /// Local virtual address.
    pub addr: U64,
}

/// First segment of a receive WQE in a linked-list RMP: which WQE comes after it.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct SrqNextSeg {
    /// Reserved.
    pub reserved_0: [u8; 2],
    /// Number of the next WQE in the ring.
    pub next_wqe_index: U16,
    /// Signature; 0 where the queue does not use it.
    pub signature: u8,
    /// Reserved.
    pub reserved_5: [u8; 11],
}

/// Operands of an 8-byte compare-and-swap or fetch-and-add.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct AtomicSeg {
    /// Swap value, or the addend of a fetch-and-add.
    pub swap_add: U64,
    /// Compare value of a compare-and-swap.
    pub compare: U64,
}

/// Operands of a masked 4-byte compare-and-swap (`opmod` [`ATOMIC_4_BYTE_OPMOD`]).
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct MaskedCs4Seg {
    /// Swap value.
    pub swap: U32,
    /// Compare value.
    pub compare: U32,
    /// Bits that the swap replaces.
    pub swap_mask: U32,
    /// Bits that are compared.
    pub compare_mask: U32,
}

/// First half of the operands of a masked 8-byte compare-and-swap; the masks follow in [`MaskedCs8MaskSeg`].
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct MaskedCs8Seg {
    /// Swap value.
    pub swap: U64,
    /// Compare value.
    pub compare: U64,
}

/// Second half of the operands of a masked 8-byte compare-and-swap.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct MaskedCs8MaskSeg {
    /// Bits that the swap replaces.
    pub swap_mask: U64,
    /// Bits that are compared.
    pub compare_mask: U64,
}

/// Operands of a masked 4-byte fetch-and-add.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct MaskedFa4Seg {
    /// Addend.
    pub add: U32,
    /// A set bit is the top bit of a field: no carry leaves it.
    pub field_boundary: U32,
    /// Not read.
    pub reserved: U64,
}

/// Operands of a masked 8-byte fetch-and-add.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct MaskedFa8Seg {
    /// Addend.
    pub add: U64,
    /// A set bit is the top bit of a field: no carry leaves it.
    pub field_boundary: U64,
}

/// `opmod` of a masked atomic on 4 bytes.
pub const ATOMIC_4_BYTE_OPMOD: u8 = 0x08;
/// `opmod` of a masked atomic on 8 bytes.
pub const ATOMIC_8_BYTE_OPMOD: u8 = 0x09;

/// WAIT: the queue stops until the CQ has produced the CQE of index `max_index`.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct WaitSeg {
    /// Not read.
    pub reserved: [U32; 2],
    /// CQE index, compared modulo 2^24.
    pub max_index: U32,
    /// CQ number.
    pub qpn_cqn: U32,
}

const _: () = {
    assert!(1 << RQ_STRIDE_SHIFT == SEG_BYTES);
    assert!(size_of::<CtrlSeg>() == SEG_BYTES);
    assert!(size_of::<RaddrSeg>() == SEG_BYTES);
    assert!(size_of::<DataSeg>() == SEG_BYTES);
    assert!(size_of::<SrqNextSeg>() == SEG_BYTES);
    assert!(core::mem::offset_of!(SrqNextSeg, next_wqe_index) == 2);
    assert!(size_of::<AtomicSeg>() == SEG_BYTES);
    assert!(size_of::<MaskedCs4Seg>() == SEG_BYTES);
    assert!(size_of::<MaskedCs8Seg>() == SEG_BYTES);
    assert!(size_of::<MaskedCs8MaskSeg>() == SEG_BYTES);
    assert!(size_of::<MaskedFa4Seg>() == SEG_BYTES);
    assert!(size_of::<MaskedFa8Seg>() == SEG_BYTES);
    assert!(size_of::<WaitSeg>() == SEG_BYTES);
    assert!(core::mem::offset_of!(CtrlSeg, fm_ce_se) == 11);
    assert!(core::mem::offset_of!(CtrlSeg, imm) == 12);
};

/// Basic blocks that `segs` segments fill.
pub const fn wqebbs(segs: usize) -> usize {
    segs.div_ceil(SEGS_PER_WQEBB)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_control_segment_matches_the_public_headers_bytes() {
        // "prepare_write_1sge", start 65534, recorded from the public 4.1 device headers.
        let mut ctrl = CtrlSeg::new(WqeOpcode::RDMA_WRITE, 65534, Qpn(0x12_3456), 3);
        ctrl.fm_ce_se = CompletionMode::ALWAYS.0 << 2;
        let want = [0x00, 0xff, 0xfe, 0x08, 0x12, 0x34, 0x56, 0x03, 0, 0, 0, 0x08, 0, 0, 0, 0];
        let mut bytes = [0xa5; 16];
        ctrl.write_to(&mut bytes).unwrap();
        assert_eq!(bytes, want);
        let back = CtrlSeg::read_from_bytes(&bytes).unwrap();
        assert_eq!((back.opcode(), back.index(), back.segs()), (WqeOpcode::RDMA_WRITE, 65534, 3));
        assert_eq!((back.qpn(), back.completion()), (Qpn(0x12_3456), CompletionMode::ALWAYS));
        assert!(CtrlSeg::read_from_bytes(&bytes[..15]).is_err());
    }

    #[test]
    fn wqebbs_round_up() {
        assert_eq!([1, 4, 5, 8, 9].map(wqebbs), [1, 1, 2, 2, 3]);
    }
}
