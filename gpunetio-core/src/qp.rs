//! Queue pairs.

use std::sync::{Arc, Mutex, PoisonError};

use gpunetio_prm::command::{SendDbrMode, ServiceType};
use gpunetio_prm::doorbell::QP_DBR_BYTES;
use gpunetio_prm::id::{MASK_24, Qpn};
use gpunetio_prm::wqe::{CtrlSeg, DataSeg, RaddrSeg, SEG_BYTES, WQEBB_BYTES, wqebbs};

use crate::backend::{QpRef, QpReport, QpSpec, ReceiveSpec};
use crate::cq::{Cq, CqInner};
use crate::device_attr::DeviceAttributes;
use crate::error::{Error, Result};
use crate::net_device::{NetDevice, NetInner};
use crate::object::{Holder, Object, destroy_handle};
use crate::qp_attr::{AttrMask, QpAttr, QpState};
use crate::srq::{Srq, SrqInner};
use crate::uar::{Uar, UarInner, UarKind};
use crate::umem::{Umem, UmemInner};

/// Bytes in front of inline data: its length.
pub(crate) const INLINE_HEADER_BYTES: usize = size_of::<u32>();

/// How a NIC learns of a send queue's producer index; numbers are those of the public API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum QpSendDbrMode {
    /// From the doorbell record.
    #[default]
    DbrValid = 0,
    /// From the doorbell register alone, at its own offset of the page.
    NoDbrExt = 1,
}

/// In what order a QP's operations may be done; numbers are those of the public API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum OrderingSemantic {
    /// As the InfiniBand specification says.
    #[default]
    Ibta = 0,
    /// READs and WRITEs out of order.
    OutOfOrderReadWrite = 1,
    /// Everything out of order.
    OutOfOrderAll = 2,
}

/// What to create.
#[derive(Debug, Clone, Copy, Default)]
pub struct QpInitAttr<'a> {
    /// Completions of sends.
    pub send_cq: Option<&'a Cq>,
    /// Completions of receives.
    pub receive_cq: Option<&'a Cq>,
    /// Send work requests; 0 for no send queue. With what one takes they are rounded up to a power of two.
    pub sq_wr: u32,
    /// Receive work requests; 0 for none. Rounded up to a power of two.
    pub rq_wr: u32,
    /// Scatter entries of a send.
    pub send_max_sges: u32,
    /// Scatter entries of a receive.
    pub receive_max_sges: u32,
    /// Bytes of inline data of a send.
    pub max_inline_data: u32,
    /// What completions carry, 24 bits.
    pub user_index: u32,
    /// Shared receive queue, in place of one of its own.
    pub srq: Option<&'a Srq>,
    /// Memory of the queues and the offset in it; given together with `dbr_umem` or not at all.
    pub umem: Option<(&'a Umem, u64)>,
    /// Memory of the doorbell record and the offset in it.
    pub dbr_umem: Option<(&'a Umem, u64)>,
    /// Doorbell page; `None` for one of the QP's own.
    pub uar: Option<&'a Uar>,
    /// The queue waits for others.
    pub core_direct_master: bool,
    /// Doorbell record mode.
    pub send_dbr_mode: QpSendDbrMode,
    /// A CPU thread writes the record in the GPU's stead.
    pub emulate_no_dbr_ext: bool,
    /// Order of operations.
    pub ordering: OrderingSemantic,
    /// Every send completes; a property of the WQEs that device code writes, kept for who asks.
    pub sq_sig_all: bool,
}

/// A queue pair.
#[derive(Debug)]
pub struct Qp {
    pub(crate) inner: Arc<QpInner>,
}

#[derive(Debug)]
pub(crate) struct QpInner {
    object: Object,
    pub(crate) qpn: Qpn,
    pub(crate) layout: QpLayout,
    state: Mutex<QpState>,
    pub(crate) umem: Arc<UmemInner>,
    pub(crate) offset: u64,
    pub(crate) dbr_umem: Arc<UmemInner>,
    pub(crate) dbr_offset: u64,
    pub(crate) uar: Arc<UarInner>,
    pub(crate) send_cq: Option<Arc<CqInner>>,
    _receive_cq: Option<Arc<CqInner>>,
    _srq: Option<Arc<SrqInner>>,
    pub(crate) send_dbr_mode: QpSendDbrMode,
    emulate_no_dbr_ext: bool,
}

/// Sizes of a QP's queues, which lie one behind the other: receive queue, send queue.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct QpLayout {
    /// Basic blocks of the send queue; 0 for none.
    pub(crate) sq_wqebbs: u32,
    /// Entries of the receive queue; 0 for none.
    pub(crate) rq_entries: u32,
    /// Bytes of a receive entry.
    pub(crate) rq_stride: u32,
}

impl QpLayout {
    fn of(attr: &QpInitAttr<'_>, device: &DeviceAttributes) -> Result<Self> {
        let max_wr = device.max_qp_wr;
        let mut layout = Self { sq_wqebbs: 0, rq_entries: 0, rq_stride: 0 };
        if attr.sq_wr > 0 {
            if attr.sq_wr > max_wr {
                let expected = format!("use up to {max_wr}");
                return Err(Error::invalid("send work requests", attr.sq_wr, expected));
            }
            if attr.send_max_sges == 0 || attr.send_max_sges > device.max_sge {
                let expected = format!("use 1 to {}", device.max_sge);
                return Err(Error::invalid("send scatter entries", attr.send_max_sges, expected));
            }
            if attr.max_inline_data > device.max_inline_data() {
                let expected = format!("use up to {} bytes", device.max_inline_data());
                return Err(Error::invalid("inline data", attr.max_inline_data, expected));
            }
            let sges = attr.send_max_sges as usize * size_of::<DataSeg>();
            let inline =
                (INLINE_HEADER_BYTES + attr.max_inline_data as usize).next_multiple_of(SEG_BYTES);
            let wqe = size_of::<CtrlSeg>() + size_of::<RaddrSeg>() + sges.max(inline);
            // At least one block, which is what an atomic takes.
            let blocks = wqebbs(wqe / SEG_BYTES).max(1) as u32;
            layout.sq_wqebbs = (attr.sq_wr * blocks).next_power_of_two();
            if layout.sq_wqebbs > 1 << device.log_max_qp_sz {
                let value = format!("{} of {blocks} blocks", attr.sq_wr);
                let expected = format!("the queue holds {} blocks", 1u64 << device.log_max_qp_sz);
                return Err(Error::invalid("send work requests", value, expected));
            }
        }
        if attr.rq_wr > 0 && attr.srq.is_none() {
            if attr.rq_wr > max_wr {
                let expected = format!("use up to {max_wr}");
                return Err(Error::invalid("receive work requests", attr.rq_wr, expected));
            }
            let max_sges = device.max_wqe_sz_rq / SEG_BYTES as u32;
            if attr.receive_max_sges == 0 || attr.receive_max_sges > max_sges {
                let expected = format!("use 1 to {max_sges}");
                let value = attr.receive_max_sges;
                return Err(Error::invalid("receive scatter entries", value, expected));
            }
            layout.rq_stride = (attr.receive_max_sges * SEG_BYTES as u32).next_power_of_two();
            // The send queue behind starts at a whole block.
            let at_least = (WQEBB_BYTES as u32 / layout.rq_stride).max(1);
            layout.rq_entries = attr.rq_wr.next_power_of_two().max(at_least);
        }
        Ok(layout)
    }

    /// Offset of the send queue.
    pub(crate) fn sq_offset(&self) -> u64 {
        u64::from(self.rq_entries) * u64::from(self.rq_stride)
    }

    /// Bytes of both queues.
    pub(crate) fn bytes(&self) -> usize {
        self.sq_offset() as usize + self.sq_wqebbs as usize * WQEBB_BYTES
    }
}

/// External parts of a QP.
#[derive(Debug, Default)]
pub(crate) struct QpResources {
    pub(crate) send_cq: Option<Arc<CqInner>>,
    pub(crate) receive_cq: Option<Arc<CqInner>>,
    pub(crate) srq: Option<Arc<SrqInner>>,
    pub(crate) queue: Option<(Arc<UmemInner>, u64)>,
    pub(crate) dbr: Option<(Arc<UmemInner>, u64)>,
    pub(crate) uar: Option<Arc<UarInner>>,
}

impl Qp {
    /// Creates an RC queue pair in state RST.
    pub fn create(net: &NetDevice, attr: &QpInitAttr<'_>) -> Result<Self> {
        let resources = QpResources {
            send_cq: attr.send_cq.map(|cq| Arc::clone(&cq.inner)),
            receive_cq: attr.receive_cq.map(|cq| Arc::clone(&cq.inner)),
            srq: attr.srq.map(|srq| Arc::clone(&srq.inner)),
            queue: attr.umem.map(|(umem, at)| (Arc::clone(&umem.inner), at)),
            dbr: attr.dbr_umem.map(|(umem, at)| (Arc::clone(&umem.inner), at)),
            uar: attr.uar.map(|uar| Arc::clone(&uar.inner)),
        };
        Ok(Self { inner: QpInner::new(&net.inner, attr, resources)? })
    }

    /// Number.
    pub fn qpn(&self) -> Qpn {
        self.inner.qpn
    }

    /// State after the last modify or query.
    pub fn state(&self) -> QpState {
        self.inner.state()
    }

    /// Applies what `mask` names and goes to the next state.
    ///
    /// [`Error::Transition`] for a wrong order, a missing or a foreign attribute; [`Error::InvalidValue`] for a value that
    /// the device cannot take, a path MTU above the port's included.
    pub fn modify(&self, attr: &QpAttr, mask: AttrMask) -> Result<()> {
        self.inner.modify(attr, mask)
    }

    /// Reads the attributes from the device.
    pub fn query(&self) -> Result<QpReport> {
        self.inner.query()
    }

    /// Send queue: address as the GPU sees it, and basic blocks.
    pub fn send_queue(&self) -> (usize, u32) {
        let inner = &self.inner;
        (inner.sq_address(), inner.layout.sq_wqebbs)
    }

    /// Receive queue: address as the GPU sees it, entries, bytes of an entry.
    pub fn receive_queue(&self) -> (usize, u32, u32) {
        let inner = &self.inner;
        let address = inner.umem.gpu_address(inner.offset);
        (address, inner.layout.rq_entries, inner.layout.rq_stride)
    }

    /// The doorbell record, as the GPU sees it: receive dword, send dword.
    pub fn dbr_address(&self) -> *mut u32 {
        self.inner.dbr_umem.gpu_address(self.inner.dbr_offset) as *mut u32
    }

    /// The register that rings this queue, as the CPU sees it.
    pub fn doorbell_register(&self) -> *mut u64 {
        self.inner.doorbell_register()
    }

    /// True if a CPU thread writes the doorbell record in the GPU's stead.
    pub fn emulates_no_dbr(&self) -> bool {
        self.inner.emulate_no_dbr_ext
    }

    /// Doorbell record mode.
    pub fn send_dbr_mode(&self) -> QpSendDbrMode {
        self.inner.send_dbr_mode
    }
}

destroy_handle! {
    /// Destroys the queue pair; [`Error::InUse`] while it is exported to a GPU.
    Qp, QpInner
}

impl QpInner {
    pub(crate) fn new(
        net: &Arc<NetInner>,
        attr: &QpInitAttr<'_>,
        parts: QpResources,
    ) -> Result<Arc<Self>> {
        let device = &net.attributes;
        Self::check(attr, device)?;
        let layout = QpLayout::of(attr, device)?;
        if layout.sq_wqebbs > 0 && parts.send_cq.is_none() {
            return Err(Error::invalid("send cq", "none", "a send queue needs one"));
        }
        let receives = layout.rq_entries > 0 || parts.srq.is_some();
        if receives && parts.receive_cq.is_none() {
            return Err(Error::invalid("receive cq", "none", "a receive queue needs one"));
        }
        for cq in parts.send_cq.iter().chain(&parts.receive_cq) {
            cq.net().check_together(net, cq.label())?;
        }
        if let Some(srq) = &parts.srq {
            srq.net().check_together(net, srq.label())?;
            srq.net().check_same_pd(net, srq.label())?;
        }
        let uar = match parts.uar {
            Some(uar) => {
                uar.net().check_together(net, uar.label())?;
                uar
            }
            None => UarInner::first_of(net, &[UarKind::BlueFlame, UarKind::NonCache])?,
        };
        let bytes = layout.bytes();
        let ((umem, offset), (dbr_umem, dbr_offset)) = match (parts.queue, parts.dbr) {
            (Some(queue), Some(dbr)) => (queue, dbr),
            (None, None) => {
                let umem = Arc::new(UmemInner::of_host(net, bytes + QP_DBR_BYTES)?);
                ((Arc::clone(&umem), 0), (umem, bytes as u64))
            }
            (queue, _) => {
                let missing = if queue.is_some() { "dbr_umem" } else { "umem" };
                let expected = "give queue and doorbell record memory together, or neither";
                return Err(Error::invalid(missing, "none", expected));
            }
        };
        for part in [&umem, &dbr_umem] {
            part.net().check_together(net, part.label())?;
        }
        umem.check_range("work queues", offset, bytes, WQEBB_BYTES as u64)?;
        dbr_umem.check_range("doorbell record", dbr_offset, QP_DBR_BYTES, 8)?;
        let log2 = |value: u32| value.trailing_zeros() as u8;
        let spec = QpSpec {
            service: ServiceType::RC,
            log_sq_size: (layout.sq_wqebbs > 0).then(|| log2(layout.sq_wqebbs)),
            receive: match (&parts.srq, layout.rq_entries) {
                (Some(srq), _) => ReceiveSpec::Shared(srq.rmpn),
                (None, 0) => ReceiveSpec::None,
                (None, entries) => ReceiveSpec::Queue {
                    log_size: log2(entries),
                    log_stride: log2(layout.rq_stride / SEG_BYTES as u32),
                },
            },
            send_cq: parts.send_cq.as_ref().map(|cq| cq.cqn),
            receive_cq: parts.receive_cq.as_ref().map(|cq| cq.cqn),
            uar: uar.page,
            send_dbr_mode: match attr.send_dbr_mode {
                QpSendDbrMode::DbrValid => SendDbrMode::DBR_VALID,
                QpSendDbrMode::NoDbrExt => SendDbrMode::NO_DBR_EXT,
            },
            core_direct_master: attr.core_direct_master,
            user_index: attr.user_index,
            queue: (umem.id, offset),
            dbr: (dbr_umem.id, dbr_offset),
        };
        // Memory may have held another queue, whose counters are not this one's.
        dbr_umem.fill(dbr_offset, 0, QP_DBR_BYTES)?;
        let (raw, qpn) = net.backend.create_qp(&spec)?;
        Ok(Arc::new(Self {
            object: Object::new(net, raw),
            qpn,
            layout,
            state: Mutex::new(QpState::Rst),
            umem,
            offset,
            dbr_umem,
            dbr_offset,
            uar,
            send_cq: parts.send_cq,
            _receive_cq: parts.receive_cq,
            _srq: parts.srq,
            send_dbr_mode: attr.send_dbr_mode,
            emulate_no_dbr_ext: attr.emulate_no_dbr_ext,
        }))
    }

    fn check(attr: &QpInitAttr<'_>, device: &DeviceAttributes) -> Result<()> {
        if !device.rc {
            return Err(Error::NotSupported("the device has no RC queue pairs".to_owned()));
        }
        if attr.user_index > MASK_24 {
            let value = format!("{:#x}", attr.user_index);
            return Err(Error::invalid("user_index", value, "it has 24 bits"));
        }
        if attr.ordering != OrderingSemantic::Ibta {
            return Err(Error::NotSupported(format!(
                "ordering semantic {:?} is only in the closed SDK: use Ibta",
                attr.ordering
            )));
        }
        match (attr.send_dbr_mode, attr.emulate_no_dbr_ext) {
            (QpSendDbrMode::NoDbrExt, true) => Err(Error::invalid(
                "emulate_no_dbr_ext",
                "true with send_dbr_mode NoDbrExt",
                "emulation is for queues whose NIC reads the record: use DbrValid",
            )),
            (QpSendDbrMode::NoDbrExt, false) if !device.send_dbr_mode_no_dbr_ext => {
                Err(Error::NotSupported(
                    "send_dbr_mode NoDbrExt: the device lacks send_dbr_mode_no_dbr_ext; use DbrValid"
                        .to_owned(),
                ))
            }
            _ => Ok(()),
        }
    }

    pub(crate) fn net(&self) -> &Arc<NetInner> {
        self.object.net()
    }

    pub(crate) fn state(&self) -> QpState {
        *self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Runs `f` on the queue as a backend is asked about it; [`Error::BadState`] once it is destroyed.
    fn with<R>(&self, state: QpState, f: impl FnOnce(&QpRef<'_>) -> Result<R>) -> Result<R> {
        let qpn = self.qpn;
        self.object.with(|| self.label(), |raw| f(&QpRef { raw, qpn, state }))
    }

    pub(crate) fn modify(&self, attr: &QpAttr, mask: AttrMask) -> Result<()> {
        let net = self.net();
        // Held over the command, so that two modifies of one QP follow each other.
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if mask.contains(AttrMask::CURRENT_STATE) && attr.current_state != *state {
            // The device may have moved the queue to an error that nobody has asked for yet.
            *state = self.with(*state, |qp| net.backend.query_qp(qp))?.attr.current_state;
        }
        let to = attr.check_transition(self.qpn.0, *state, mask)?;
        attr.check_values((*state, to), mask, &net.attributes)?;
        if mask.contains(AttrMask::PATH_MTU) {
            let port = net.backend.active_mtu()?;
            if attr.path_mtu.bytes() > port {
                let value = attr.path_mtu.bytes();
                let expected = format!("the port's mtu is {port}: use that or less");
                return Err(Error::invalid("path mtu", value, expected));
            }
        }
        self.with(*state, |qp| net.backend.modify_qp(qp, to, attr, mask))?;
        *state = to;
        Ok(())
    }

    pub(crate) fn query(&self) -> Result<QpReport> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        let report = self.with(*state, |qp| self.net().backend.query_qp(qp))?;
        *state = report.attr.current_state;
        Ok(report)
    }

    pub(crate) fn sq_address(&self) -> usize {
        self.umem.gpu_address(self.offset + self.layout.sq_offset())
    }

    pub(crate) fn doorbell_register(&self) -> *mut u64 {
        match self.send_dbr_mode {
            QpSendDbrMode::DbrValid => self.uar.register(),
            QpSendDbrMode::NoDbrExt => self.uar.no_dbr_register(),
        }
    }

    pub(crate) fn is_emulating(&self) -> bool {
        self.emulate_no_dbr_ext
    }
}

impl Holder for QpInner {
    fn object(&self) -> &Object {
        &self.object
    }
    fn label(&self) -> String {
        format!("qp {}", self.qpn)
    }
}
