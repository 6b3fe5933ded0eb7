//! From RST to RTS in one call, for pairs that exchange their ends themselves.

use gpunetio_prm::id::{Gid, Qpn};

use crate::ah::AhAttr;
use crate::error::Result;
use crate::nic::PORT;
use crate::qp::Qp;
use crate::qp_attr::{AtomicMode, AttrMask, Mtu, QpAttr, QpState};

/// One end of a connection: what its peer has to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Endpoint {
    /// Queue pair.
    pub qpn: Qpn,
    /// Address of its NIC.
    pub gid: Gid,
    /// First PSN that it sends, 24 bits.
    pub psn: u32,
}

/// How to connect; the defaults suit a local network.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ConnectAttr {
    /// Index of our own GID.
    pub sgid_index: u8,
    /// First PSN that we send, 24 bits.
    pub psn: u32,
    /// Path MTU.
    pub path_mtu: Mtu,
    /// Local ACK timeout: 4.096 us << n.
    pub ack_timeout: u16,
    /// Retries after a timeout.
    pub retry_cnt: u16,
    /// Retries after "receiver not ready"; 7 is for ever.
    pub rnr_retry: u16,
    /// READs and atomics outstanding, each way.
    pub rd_atomic: u8,
    /// Hop limit.
    pub hop_limit: u8,
    /// Traffic class.
    pub traffic_class: u8,
}

impl Default for ConnectAttr {
    fn default() -> Self {
        Self {
            sgid_index: 0,
            psn: 0,
            path_mtu: Mtu::default(),
            ack_timeout: 14,
            retry_cnt: 7,
            rnr_retry: 7,
            rd_atomic: 1,
            hop_limit: 64,
            traffic_class: 0,
        }
    }
}

impl Qp {
    /// Our end, for the peer.
    pub fn endpoint(&self, gid: Gid, psn: u32) -> Endpoint {
        Endpoint { qpn: self.qpn(), gid, psn }
    }

    /// Takes the queue pair from RST to RTS, connected to `peer`, with every remote access allowed.
    pub fn connect(&self, peer: &Endpoint, attr: &ConnectAttr) -> Result<()> {
        use AttrMask as M;
        let ah = AhAttr {
            hop_limit: attr.hop_limit,
            traffic_class: attr.traffic_class,
            ..AhAttr::roce(peer.gid, attr.sgid_index)
        };
        let mut values = QpAttr {
            next_state: QpState::Init,
            port_num: PORT.into(),
            allow_remote_write: true,
            allow_remote_read: true,
            atomic_mode: AtomicMode::IbSpec,
            path_mtu: attr.path_mtu,
            rq_psn: peer.psn,
            sq_psn: attr.psn,
            dest_qp_num: peer.qpn.0,
            ah: Some(ah),
            min_rnr_timer: 12,
            ack_timeout: attr.ack_timeout,
            retry_cnt: attr.retry_cnt,
            rnr_retry: attr.rnr_retry,
            max_rd_atomic: attr.rd_atomic,
            max_dest_rd_atomic: attr.rd_atomic,
            ..QpAttr::default()
        };
        let init = M::PKEY_INDEX | M::PORT_NUM | M::ALLOW_REMOTE_WRITE | M::ALLOW_REMOTE_READ;
        self.modify(&values, M::NEXT_STATE | M::ATOMIC_MODE | init)?;
        values.next_state = QpState::Rtr;
        let receive = M::PATH_MTU | M::RQ_PSN | M::DEST_QP_NUM | M::AH_ATTR | M::MIN_RNR_TIMER;
        self.modify(&values, M::NEXT_STATE | M::MAX_DEST_RD_ATOMIC | receive)?;
        values.next_state = QpState::Rts;
        let send = M::SQ_PSN | M::ACK_TIMEOUT | M::RETRY_CNT | M::RNR_RETRY;
        self.modify(&values, M::NEXT_STATE | M::MAX_QP_RD_ATOMIC | send)
    }
}
