//! Attributes of a network device: what the driver reports and what its capability pages say.

use gpunetio_prm::command::PortType;

/// What a device can do. Counts are numbers of objects unless a field says otherwise.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct DeviceAttributes {
    /// PCI vendor.
    pub vendor_id: u32,
    /// PCI device.
    pub vendor_part_id: u32,
    /// Queue pairs.
    pub max_qp: u32,
    /// Basic blocks of a send queue, or entries of a receive queue.
    pub max_qp_wr: u32,
    /// Scatter entries of a send.
    pub max_sge: u32,
    /// Completion queues.
    pub max_cq: u32,
    /// Entries of a completion queue.
    pub max_cqe: u32,
    /// Memory regions.
    pub max_mr: u32,
    /// Protection domains.
    pub max_pd: u32,
    /// Address handles.
    pub max_ah: u32,
    /// Shared receive queues.
    pub max_srq: u32,
    /// Entries of a shared receive queue.
    pub max_srq_wr: u32,
    /// Scatter entries of a shared receive queue's entry.
    pub max_srq_sge: u32,
    /// Partition keys.
    pub max_pkeys: u16,
    /// READs and atomics outstanding at a queue pair as target.
    pub max_qp_rd_atom: u8,
    /// READs and atomics outstanding at a queue pair as initiator.
    pub max_qp_init_rd_atom: u8,
    /// Ports.
    pub phys_port_cnt: u8,
    /// Entries of the GID table.
    pub gid_table_size: u32,
    /// Link layer that the device was configured for.
    pub port_type: PortType,
    /// RC queue pairs.
    pub rc: bool,
    /// UC queue pairs.
    pub uc: bool,
    /// WAIT and its kin (CORE-Direct).
    pub core_direct: bool,
    /// Bytes of the largest send WQE.
    pub max_wqe_sz_sq: u32,
    /// Bytes of the largest receive WQE.
    pub max_wqe_sz_rq: u32,
    /// log2 of the largest work queue.
    pub log_max_qp_sz: u8,
    /// The DSCP of a connected queue pair can change.
    pub rts2rts_qp_dscp: bool,
    /// Doorbells without a record.
    pub send_dbr_mode_no_dbr_ext: bool,
    /// UDP source ports of RoCE v2, first and last.
    pub roce_udp_sport: (u16, u16),
    /// Ports of a bond.
    pub num_lag_ports: u8,
    /// A queue pair's port of a bond can be chosen.
    pub lag_tx_port_affinity: bool,
    /// That choice can change at RTS.
    pub rts2rts_lag_tx_port_affinity: bool,
}

impl DeviceAttributes {
    /// Largest inline data of a send: what one WQE holds beside its control, remote address and inline header.
    pub fn max_inline_data(&self) -> u32 {
        use gpunetio_prm::wqe::{CtrlSeg, RaddrSeg};
        let heads = size_of::<CtrlSeg>() + size_of::<RaddrSeg>() + crate::qp::INLINE_HEADER_BYTES;
        self.max_wqe_sz_sq.saturating_sub(heads as u32)
    }
}
