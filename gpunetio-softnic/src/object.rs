//! The device's objects: what commands create, doorbells name and the engine runs.

use core::cmp::Reverse;
use core::ops::Range;
use std::collections::{BinaryHeap, VecDeque};

use gpunetio_prm::command::{MtuCode, QpState, SendDbrMode, ServiceType};
use gpunetio_prm::id::{Cqn, Eqn, Gid, Mac, Pdn, Psn, Qpn, Rmpn, UarPage, UmemId};

use crate::memory::{RegisterPage, Span};

/// Memory registered for queues.
#[derive(Debug)]
pub struct Umem {
    /// The memory.
    pub(crate) span: Span,
    /// Queues and doorbell records that lie in it.
    pub users: u32,
}

/// A completion queue.
#[derive(Debug)]
pub struct Cq {
    /// Number.
    pub cqn: Cqn,
    /// Ring of `1 << log_size` entries.
    pub(crate) ring: Span,
    /// log2 of the entries.
    pub log_size: u8,
    /// Doorbell record, if there is one; needed where overrun is checked.
    pub(crate) dbr: Option<Span>,
    /// Every CQE goes to entry 0 (`cqc.cc`).
    pub collapsed: bool,
    /// The consumer index is not checked (`cqc.oi`).
    pub overrun_ignored: bool,
    /// CQEs written since creation.
    pub producer: u64,
    /// Overrun happened; nothing is written any more.
    pub in_error: bool,
    /// A collapsed CQ holds an error CQE, which later flushes must not hide.
    pub holds_error: bool,
    /// Event queue.
    pub eqn: Eqn,
    /// UAR page of its arm doorbell.
    pub uar: UarPage,
    /// Umems of ring and doorbell record, counted in [`Umem::users`].
    pub umems: Vec<UmemId>,
    /// QPs that complete here.
    pub users: u32,
    /// Queues that WAIT for this CQ, by the value of `producer` that ends their wait; the next to wake is first.
    pub waiters: BinaryHeap<Reverse<(u64, Qpn)>>,
    /// The create command's `cqc`, which QUERY_CQ starts from.
    pub created_cqc: Vec<u8>,
}

impl Cq {
    /// Address of the doorbell record, for diagnosis.
    pub fn dbr_addr(&self) -> Option<usize> {
        self.dbr.map(Span::addr)
    }
}

/// A send queue.
#[derive(Debug)]
pub struct SendQueue {
    /// Ring of `1 << log_size` basic blocks.
    pub(crate) ring: Span,
    /// log2 of the basic blocks.
    pub log_size: u8,
    /// Next basic block to execute, modulo 2^16.
    pub consumer: u16,
    /// Basic blocks up to here were announced by doorbell, modulo 2^16.
    pub producer: u16,
}

impl SendQueue {
    /// Addresses of the ring, for diagnosis.
    pub const fn addresses(&self) -> Range<usize> {
        self.ring.addresses()
    }
}

/// A receive queue of a QP's own or of an RMP.
#[derive(Debug)]
pub struct ReceiveQueue {
    /// Ring of `1 << log_size` WQEs.
    pub(crate) ring: Span,
    /// log2 of the WQEs.
    pub log_size: u8,
    /// log2 of the bytes of a WQE.
    pub log_stride: u8,
    /// Doorbell record: the receive counter is its dword 0.
    pub(crate) dbr: Span,
    /// WQEs consumed, modulo 2^16; in a cyclic queue also the next WQE's index.
    pub consumer: u16,
    /// A linked-list RMP: each WQE starts with a next-WQE segment.
    pub linked: bool,
    /// Next WQE to consume of a linked list; starts as 0.
    pub head: u16,
}

impl ReceiveQueue {
    /// Addresses of the ring, for diagnosis.
    pub const fn addresses(&self) -> Range<usize> {
        self.ring.addresses()
    }
}

/// A receive memory pool: the shared receive queue.
#[derive(Debug)]
pub struct Rmp {
    /// Number.
    pub rmpn: Rmpn,
    /// Protection domain.
    pub pd: Pdn,
    /// The queue.
    pub queue: ReceiveQueue,
    /// Umems, counted in [`Umem::users`].
    pub umems: Vec<UmemId>,
    /// QPs that receive from it.
    pub users: u32,
}

/// Where a QP receives.
#[derive(Debug)]
pub enum ReceiveSide {
    /// Nowhere (`rq_type` ZERO_SIZE).
    None,
    /// Its own queue.
    Own(ReceiveQueue),
    /// A shared one.
    Shared(Rmpn),
}

/// The path to the peer (`qpc.primary_address_path`).
#[derive(Debug, Clone, Copy, Default)]
pub struct Path {
    /// Index of the source GID.
    pub src_addr_index: u8,
    /// Destination GID.
    pub rgid: Gid,
    /// Destination MAC.
    pub rmac: Mac,
    /// Hop limit.
    pub hop_limit: u8,
    /// DSCP.
    pub dscp: u8,
    /// ECN.
    pub ecn: u8,
    /// UDP source port.
    pub udp_sport: u16,
    /// Partition key index.
    pub pkey_index: u16,
    /// Port.
    pub vhca_port_num: u8,
    /// Global route.
    pub grh: bool,
    /// Destination LID (InfiniBand ports).
    pub rlid: u16,
    /// Service level.
    pub sl: u8,
    /// Traffic class.
    pub tclass: u8,
    /// Static rate.
    pub stat_rate: u8,
    /// Ethernet priority.
    pub eth_prio: u8,
    /// Flow label.
    pub flow_label: u32,
    /// ACK timeout: 4.096 us times two to this power; 0 is for ever (IBTA 9.7.6.1.3).
    pub ack_timeout: u8,
}

/// What the transitions set and QUERY_QP reports.
#[derive(Debug, Clone, Copy)]
pub struct QpAttributes {
    /// Path MTU.
    pub mtu: MtuCode,
    /// log2 of the largest message.
    pub log_msg_max: u8,
    /// Peer.
    pub remote_qpn: Qpn,
    /// Path to the peer.
    pub path: Path,
    /// Remote reads allowed.
    pub rre: bool,
    /// Remote writes allowed.
    pub rwe: bool,
    /// Remote atomics allowed.
    pub rae: bool,
    /// `qpc.atomic_mode`.
    pub atomic_mode: u8,
    /// `qpc.pm_state`.
    pub pm_state: u8,
    /// Code of the time that a peer shall wait after RNR NAK (IBTA 9.7.5.2.8).
    pub min_rnr_nak: u8,
    /// Transport retries.
    pub retry_count: u8,
    /// RNR retries; 7 is for ever.
    pub rnr_retry: u8,
    /// log2 of READs and atomics outstanding as initiator.
    pub log_sra_max: u8,
    /// log2 of READs and atomics outstanding as target.
    pub log_rra_max: u8,
    /// `qpc.log_ack_req_freq`.
    pub log_ack_req_freq: u8,
    /// `qpc.lag_tx_port_affinity`.
    pub lag_tx_port_affinity: u8,
    /// `qpc.counter_set_id`.
    pub counter_set_id: u8,
    /// PSN of the next request to send.
    pub send_psn: Psn,
    /// PSN of the next request expected.
    pub receive_psn: Psn,
}

impl Default for QpAttributes {
    /// What a reset QP reports: clients read the MTU in any state and expect a valid code.
    fn default() -> Self {
        Self {
            mtu: MtuCode::MTU_256,
            log_msg_max: 30,
            remote_qpn: Qpn(0),
            path: Path::default(),
            rre: false,
            rwe: false,
            rae: false,
            atomic_mode: 0,
            pm_state: 0,
            min_rnr_nak: 0,
            retry_count: 0,
            rnr_retry: 0,
            log_sra_max: 0,
            log_rra_max: 0,
            log_ack_req_freq: 0,
            lag_tx_port_affinity: 0,
            counter_set_id: 0,
            send_psn: Psn::new(0),
            receive_psn: Psn::new(0),
        }
    }
}

/// A queue pair.
#[derive(Debug)]
pub struct Qp {
    /// Number.
    pub qpn: Qpn,
    /// Transport service: RC or UC.
    pub service: ServiceType,
    /// State.
    pub state: QpState,
    /// Protection domain.
    pub pd: Pdn,
    /// Send queue, unless `qpc.no_sq`.
    pub send: Option<SendQueue>,
    /// Receive side.
    pub receive: ReceiveSide,
    /// Doorbell record: dword 0 receive, dword 1 send.
    pub(crate) dbr: Span,
    /// Whether the send doorbell record is maintained.
    pub send_dbr_mode: SendDbrMode,
    /// UAR page that it rings.
    pub uar: UarPage,
    /// CQ of sends.
    pub cqn_snd: Cqn,
    /// CQ of receives.
    pub cqn_rcv: Cqn,
    /// `qpc.user_index`.
    pub user_index: u32,
    /// The create command's `qpc`, which QUERY_QP starts from.
    pub created_qpc: Vec<u8>,
    /// What transitions set.
    pub attributes: QpAttributes,
    /// Umems, counted in [`Umem::users`].
    pub umems: Vec<UmemId>,
    /// What the engine keeps of the QP between WQEs.
    pub run: crate::engine::RunState,
}

/// A UAR page: doorbell registers in memory.
#[derive(Debug)]
pub struct Uar {
    /// Page index.
    pub page: UarPage,
    /// The page's memory, which the NIC owns.
    pub memory: RegisterPage,
    /// QPs that ring it. With more than one, a doorbell may have overwritten another's before it was seen, so all of them
    /// are checked.
    pub qps: Vec<Qpn>,
    /// CQs that arm through it.
    pub cqs: u32,
}

/// QPs with announced work, in turn.
#[derive(Debug, Default)]
pub struct ReadyQueue(pub VecDeque<(usize, Qpn)>);
