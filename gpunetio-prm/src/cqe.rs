//! Completion queue entries of 64 bytes (PRM: Completion Queue Entry).

use zerocopy::big_endian::{U16, U32, U64};
use zerocopy::{FromBytes, Immutable, IntoBytes, KnownLayout, Unaligned};

use crate::command::open_newtype;
use crate::id::{MASK_24, Qpn};

/// Bytes of a CQE.
pub const CQE_BYTES: usize = 64;
/// Offset of the last four bytes, which hold `wqe_counter`, `signature` and `op_own`. The NIC writes them last, so that a
/// poller that sees them sees the rest.
pub const CQE_TAIL: usize = 60;

open_newtype! {
    /// Opcode of a CQE: bits 7:4 of `op_own`.
    CqeOpcode(u8);
    REQ = 0, "REQ";
    RESP_WR_IMM = 1, "RESP_WR_IMM";
    RESP_SEND = 2, "RESP_SEND";
    RESP_SEND_IMM = 3, "RESP_SEND_IMM";
    RESP_SEND_INV = 4, "RESP_SEND_INV";
    RESIZE_CQ = 5, "RESIZE_CQ";
    NO_PACKET = 6, "NO_PACKET";
    SIG_ERR = 12, "SIG_ERR";
    REQ_ERR = 13, "REQ_ERR";
    RESP_ERR = 14, "RESP_ERR";
    INVALID = 15, "INVALID";
}

open_newtype! {
    /// Syndrome of an error CQE.
    Syndrome(u8);
    NONE = 0x00, "NONE";
    LOCAL_LENGTH_ERR = 0x01, "LOCAL_LENGTH_ERR";
    LOCAL_QP_OP_ERR = 0x02, "LOCAL_QP_OP_ERR";
    LOCAL_PROT_ERR = 0x04, "LOCAL_PROT_ERR";
    WR_FLUSH_ERR = 0x05, "WR_FLUSH_ERR";
    MW_BIND_ERR = 0x06, "MW_BIND_ERR";
    BAD_RESP_ERR = 0x10, "BAD_RESP_ERR";
    LOCAL_ACCESS_ERR = 0x11, "LOCAL_ACCESS_ERR";
    REMOTE_INVAL_REQ_ERR = 0x12, "REMOTE_INVAL_REQ_ERR";
    REMOTE_ACCESS_ERR = 0x13, "REMOTE_ACCESS_ERR";
    REMOTE_OP_ERR = 0x14, "REMOTE_OP_ERR";
    TRANSPORT_RETRY_EXC_ERR = 0x15, "TRANSPORT_RETRY_EXC_ERR";
    RNR_RETRY_EXC_ERR = 0x16, "RNR_RETRY_EXC_ERR";
    REMOTE_ABORTED_ERR = 0x22, "REMOTE_ABORTED_ERR";
}

/// Completion of a send or receive WQE.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct Cqe64 {
    /// Not used by RDMA completions.
    pub reserved_0: [u8; 2],
    /// Not used by RDMA completions.
    pub wqe_id: U16,
    /// Not used by RDMA completions.
    pub reserved_4: [u8; 13],
    /// Path bits of the remote.
    pub ml_path: u8,
    /// Not used by RDMA completions.
    pub reserved_18: [u8; 4],
    /// Source LID of the remote; 0 on RoCE.
    pub slid: U16,
    /// Flags 31:24, remote QPN 23:0.
    pub flags_rqpn: U32,
    /// Header bits of raw packets.
    pub hds_ip_ext: u8,
    /// Header bits of raw packets.
    pub l4_hdr_type_etc: u8,
    /// VLAN tag of raw packets.
    pub vlan_info: U16,
    /// SRQ number or user index.
    pub srqn_uidx: U32,
    /// Immediate data, invalidated key or pkey index.
    pub imm_inval_pkey: U32,
    /// Tag matching.
    pub app: u8,
    /// Tag matching.
    pub app_op: u8,
    /// Tag matching.
    pub app_info: U16,
    /// Bytes received; for a requester, bytes read back by READ and atomics.
    pub byte_cnt: U32,
    /// Time of the completion, device clock.
    pub timestamp: U64,
    /// WQE opcode 31:24 (requester), QPN 23:0.
    pub sop_drop_qpn: U32,
    /// Index of the completed WQE, modulo 2^16.
    pub wqe_counter: U16,
    /// Signature; not used.
    pub signature: u8,
    /// Opcode 7:4, owner 0.
    pub op_own: u8,
}

/// Completion in error.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, FromBytes, IntoBytes, Immutable, KnownLayout, Unaligned,
)]
#[repr(C)]
pub struct ErrCqe {
    /// Reserved.
    pub reserved_0: [u8; 32],
    /// SRQ number or user index.
    pub srqn: U32,
    /// Reserved.
    pub reserved_36: [u8; 16],
    /// Hardware error syndrome.
    pub hw_err_synd: u8,
    /// Hardware syndrome type.
    pub hw_synd_type: u8,
    /// Vendor error syndrome.
    pub vendor_err_synd: u8,
    /// [`Syndrome`].
    pub syndrome: u8,
    /// WQE opcode 31:24, QPN 23:0.
    pub s_wqe_opcode_qpn: U32,
    /// Index of the failed WQE, modulo 2^16.
    pub wqe_counter: U16,
    /// Signature; not used.
    pub signature: u8,
    /// Opcode 7:4, owner 0.
    pub op_own: u8,
}

const _: () = {
    use core::mem::offset_of;
    assert!(size_of::<Cqe64>() == CQE_BYTES && size_of::<ErrCqe>() == CQE_BYTES);
    assert!(offset_of!(Cqe64, flags_rqpn) == 0x18 && offset_of!(Cqe64, srqn_uidx) == 0x20);
    assert!(offset_of!(Cqe64, imm_inval_pkey) == 0x24 && offset_of!(Cqe64, byte_cnt) == 0x2c);
    assert!(offset_of!(Cqe64, timestamp) == 0x30 && offset_of!(Cqe64, sop_drop_qpn) == 0x38);
    assert!(offset_of!(Cqe64, wqe_counter) == CQE_TAIL && offset_of!(Cqe64, op_own) == 0x3f);
    assert!(offset_of!(ErrCqe, srqn) == 0x20 && offset_of!(ErrCqe, hw_err_synd) == 0x34);
    assert!(offset_of!(ErrCqe, vendor_err_synd) == 0x36 && offset_of!(ErrCqe, syndrome) == 0x37);
    assert!(offset_of!(ErrCqe, s_wqe_opcode_qpn) == 0x38);
    assert!(offset_of!(ErrCqe, wqe_counter) == CQE_TAIL && offset_of!(ErrCqe, op_own) == 0x3f);
};

/// `op_own` of a CQE with this opcode and owner bit.
pub const fn op_own(opcode: CqeOpcode, owner: bool) -> u8 {
    opcode.0 << 4 | owner as u8
}

/// Owner bit that the NIC writes into CQE number `index` of a ring of `1 << log_size` entries: it flips every lap, and is
/// 0 in the first.
pub const fn owner_bit(index: u64, log_size: u8) -> bool {
    index >> log_size & 1 == 1
}

impl Cqe64 {
    /// Opcode.
    pub fn opcode(&self) -> CqeOpcode {
        CqeOpcode(self.op_own >> 4)
    }

    /// Owner bit.
    pub fn owner(&self) -> bool {
        self.op_own & 1 == 1
    }

    /// QP that completed.
    pub fn qpn(&self) -> Qpn {
        Qpn(self.sop_drop_qpn.get() & MASK_24)
    }

    /// True if the entry reports an error.
    pub fn is_error(&self) -> bool {
        matches!(self.opcode(), CqeOpcode::REQ_ERR | CqeOpcode::RESP_ERR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_owner_bit_flips_every_lap() {
        let owners: Vec<_> = (0..8).map(|i| owner_bit(i, 1)).collect();
        assert_eq!(owners, [false, false, true, true, false, false, true, true]);
        assert!(owner_bit(1 << 24, 24));
    }

    #[test]
    fn cqe_memory_of_ones_is_an_invalid_cqe() {
        let cqe = Cqe64::read_from_bytes(&[0xff; 64]).unwrap();
        assert_eq!(cqe.opcode(), CqeOpcode::INVALID);
        assert!(!cqe.is_error());
    }
}
