//! Doorbell records and UAR doorbell registers (PRM: UAR Page Format, Doorbell Records).
//!
//! A producer makes work visible in this order: WQEs, then the doorbell record, then the doorbell register; each store is
//! a release for the next, and the NIC's acquire is the partner of all three.

use crate::id::{Cqn, MASK_24, Qpn};

/// Bytes of a UAR page as this project maps it.
pub const UAR_PAGE_BYTES: usize = 4096;
/// Offset of the send doorbell (BlueFlame) register in a UAR page.
pub const SQ_DOORBELL_OFFSET: usize = 0x800;
/// Offset of the send doorbell of queues without a doorbell record (`send_dbr_mode` NO_DBR_EXT).
pub const NO_DBR_DOORBELL_OFFSET: usize = 0x600;
/// Offset of the CQ arm doorbell register in a UAR page.
pub const CQ_DOORBELL_OFFSET: usize = 0x20;

/// Bytes of a QP's doorbell record: two big-endian dwords.
pub const QP_DBR_BYTES: usize = 8;
/// Index of the receive counter among the dwords of a QP's doorbell record.
pub const RCV_DBR: usize = 0;
/// Index of the send counter among the dwords of a QP's doorbell record.
pub const SND_DBR: usize = 1;
/// Bytes of a CQ's doorbell record: two big-endian dwords.
pub const CQ_DBR_BYTES: usize = 8;
/// Index of the consumer counter among the dwords of a CQ's doorbell record.
pub const CQ_SET_CI: usize = 0;
/// Index of the arm word among the dwords of a CQ's doorbell record.
pub const CQ_ARM_DB: usize = 1;
/// Arm-word bit: the request is for solicited completions and errors only.
const CQ_ARM_SOLICITED: u32 = 1 << 24;

/// Doorbell-register value of a send queue, as a big-endian quadword: producer index in bits 23:8 of the first dword, QPN
/// in bits 31:8 of the second. A store of the first eight bytes of a WQE is a doorbell too: opcode and `ds` are then set.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SqDoorbell {
    /// Index as written: a producer index, or the index of the WQE itself where [`Self::segs`] is not 0.
    pub index: u16,
    /// Queue that rings.
    pub qpn: Qpn,
    /// Segments of the WQE whose head was written; 0 for a plain doorbell.
    pub segs: u8,
}

impl SqDoorbell {
    /// A plain doorbell of `producer_index`.
    pub const fn new(qpn: Qpn, producer_index: u16) -> Self {
        Self { index: producer_index, qpn, segs: 0 }
    }

    /// Reads the register's eight bytes. Only bits 23:8 of the first dword count.
    pub const fn parse(bytes: [u8; 8]) -> Self {
        let value = u64::from_be_bytes(bytes);
        Self {
            index: (value >> 40) as u16,
            qpn: Qpn((value as u32) >> 8),
            segs: (value & 0x3f) as u8,
        }
    }

    /// The register's eight bytes of a plain doorbell.
    pub const fn emit(&self) -> [u8; 8] {
        (((self.index as u64) << 40) | ((self.qpn.0 as u64) << 8) | self.segs as u64).to_be_bytes()
    }
}

/// Arm doorbell of a CQ: sequence, command and consumer index in the first dword, CQ number in the second. The first dword
/// goes to the doorbell record as well ([`CQ_ARM_DB`]), before the register is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CqDoorbell {
    /// Consumer index at which the CQ is armed, 24 bits.
    pub consumer_index: u32,
    /// Arm sequence number, 2 bits; it counts the events taken.
    pub sequence: u8,
    /// Only solicited completions and errors raise the event.
    pub solicited: bool,
    /// CQ.
    pub cqn: Cqn,
}

impl CqDoorbell {
    /// The first dword, to be stored big-endian in the doorbell record.
    pub const fn arm_word(&self) -> u32 {
        let command = if self.solicited { CQ_ARM_SOLICITED } else { 0 };
        ((self.sequence & 3) as u32) << 28 | command | (self.consumer_index & MASK_24)
    }

    /// The register's eight bytes.
    pub const fn emit(&self) -> [u8; 8] {
        ((self.arm_word() as u64) << 32 | (self.cqn.0 & MASK_24) as u64).to_be_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_doorbell_matches_the_public_headers_bytes() {
        // "submit_gpu_db", start 0, recorded from the public 4.1 device headers.
        let want = [0x00, 0x00, 0x02, 0x00, 0x12, 0x34, 0x56, 0x00];
        let db = SqDoorbell::new(Qpn(0x12_3456), 2);
        assert_eq!(db.emit(), want);
        assert_eq!(SqDoorbell::parse(want), db);
    }

    #[test]
    fn bits_above_the_index_do_not_count() {
        let unmasked_index_0x20_0000 = [0x20, 0x00, 0x00, 0x00, 0x12, 0x34, 0x56, 0x00];
        assert_eq!(SqDoorbell::parse(unmasked_index_0x20_0000).index, 0);
    }

    #[test]
    fn an_arm_doorbell_holds_every_part_in_its_place() {
        let next = CqDoorbell {
            consumer_index: 0x01_0203,
            sequence: 2,
            solicited: false,
            cqn: Cqn(0x45_6789),
        };
        assert_eq!(next.emit(), [0x20, 0x01, 0x02, 0x03, 0x00, 0x45, 0x67, 0x89]);
        let solicited = CqDoorbell { consumer_index: 0, sequence: 0, solicited: true, ..next };
        assert_eq!(solicited.arm_word(), CQ_ARM_SOLICITED);
        assert_eq!(solicited.emit(), [0x01, 0, 0, 0, 0x00, 0x45, 0x67, 0x89]);
        // What is past its field does not reach its neighbours.
        let wide = CqDoorbell { consumer_index: u32::MAX, sequence: 0xff, ..next };
        assert_eq!(wide.arm_word(), 0x30ff_ffff);
    }
}
