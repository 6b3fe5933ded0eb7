//! Queue pairs with everything they need, in one call: memory, umems, CQ, doorbell page, QP, export.
//!
//! Every QP has a doorbell page of its own: two queues on one page overwrite each other's doorbell where the page is
//! memory that a software NIC polls, and contend for it where it is a register. Pages, umems and memory are freed after
//! their last user.

mod group;
mod list;
mod slab;

use std::sync::Arc;

use gpunetio_device::image::{CqType, NicHandler, SendDbrMode};
use gpunetio_prm::cqe::CQE_BYTES;
use gpunetio_prm::doorbell::{CQ_DBR_BYTES, QP_DBR_BYTES};
use gpunetio_prm::id::Qpn;
use gpunetio_prm::wqe::WQEBB_BYTES;

pub use group::QpGroup;
pub use list::{QpGroupList, QpList};

use crate::comp_channel::CompChannel;
use crate::cq::{Cq, CqAttr, CqInner, CqResources};
use crate::error::{Error, Refused, Result};
use crate::export::{
    ExportAttr, ExportInner, ExportedQp, QpErrorInfo, choose_handler, rings_from_gpu,
};
use crate::gpu::host_memory::pages;
use crate::gpu::{Gpu, MemoryKind};
use crate::net_device::NetDevice;
use crate::object::Holder;
use crate::qp::{OrderingSemantic, Qp, QpInitAttr, QpInner, QpResources, QpSendDbrMode};
use crate::qp_attr::{AttrMask, QpAttr};
use crate::uar::{UarInner, UarKind};
use crate::umem::{Registration, UmemInner};

/// What to create.
#[derive(Debug, Clone, Copy)]
pub struct HighLevelAttr<'a> {
    /// GPU whose kernels post.
    pub gpu: &'a Gpu,
    /// NIC.
    pub net: &'a NetDevice,
    /// WQEs of the send queue: a power of two up to the device's cap.
    pub sq_nwqe: u32,
    /// Who rings.
    pub nic_handler: NicHandler,
    /// How GPU memory is made known to the NIC.
    pub registration: Registration,
    /// Doorbell record mode.
    pub send_dbr_mode: SendDbrMode,
    /// The CQ is one entry, always the newest completion.
    pub cq_collapsed: bool,
    /// Queues lie in host memory, whatever the NIC allows.
    pub queues_on_cpu: bool,
    /// Order of operations.
    pub ordering: OrderingSemantic,
    /// Reach GPU memory by Data Direct.
    pub data_direct: bool,
    /// Where CQs report events.
    pub comp_channel: Option<&'a CompChannel>,
}

impl<'a> HighLevelAttr<'a> {
    /// `sq_nwqe` WQEs, everything else automatic.
    pub fn new(gpu: &'a Gpu, net: &'a NetDevice, sq_nwqe: u32) -> Self {
        Self {
            gpu,
            net,
            sq_nwqe,
            nic_handler: NicHandler::AUTO,
            registration: Registration::Default,
            send_dbr_mode: SendDbrMode::VALID_DBR,
            cq_collapsed: false,
            queues_on_cpu: false,
            ordering: OrderingSemantic::Ibta,
            data_direct: false,
            comp_channel: None,
        }
    }

    fn check(&self) -> Result<()> {
        let max = self.net.attributes().max_qp_wr;
        if !self.sq_nwqe.is_power_of_two() || self.sq_nwqe > max {
            let expected = format!("use a power of two up to {max}");
            return Err(Error::invalid("send queue depth", self.sq_nwqe, expected));
        }
        if self.ordering != OrderingSemantic::Ibta {
            return Err(Error::NotSupported(format!(
                "ordering semantic {:?} is only in the closed SDK: use Ibta",
                self.ordering
            )));
        }
        if self.data_direct {
            return Err(Error::NotSupported(
                "data direct needs a NIC with a Data Direct device, which this version does not use"
                    .to_owned(),
            ));
        }
        Ok(())
    }

    fn queue_kind(&self) -> MemoryKind {
        match self.net.properties().queues_on_gpu && !self.queues_on_cpu {
            true => MemoryKind::Gpu,
            false => MemoryKind::CpuGpu,
        }
    }

    fn cq_bytes(&self) -> usize {
        self.sq_nwqe as usize * CQE_BYTES
    }

    fn sq_bytes(&self) -> usize {
        self.sq_nwqe as usize * WQEBB_BYTES
    }

    fn cq_attr(&self) -> CqAttr<'a> {
        CqAttr {
            size: self.sq_nwqe,
            // Kernels poll by index and tell the NIC nothing.
            ignore_overrun: true,
            collapsed: self.cq_collapsed,
            comp_channel: self.comp_channel,
            ..CqAttr::default()
        }
    }

    fn doorbell_page(&self) -> Result<Arc<UarInner>> {
        let kinds: &[UarKind] = match self.nic_handler {
            NicHandler::GPU_SM_BF => &[UarKind::BlueFlame],
            _ => &[UarKind::NonCacheDedicated, UarKind::NonCache],
        };
        UarInner::first_of(&self.net.inner, kinds)
    }

    /// Who will ring `uar`.
    fn handler(&self, uar: &UarInner) -> Result<NicHandler> {
        let register = match self.send_dbr_mode {
            SendDbrMode::NO_DBR_HW => uar.no_dbr_register(),
            _ => uar.register(),
        };
        let memory = self.net.properties().uar_memory;
        choose_handler(&self.gpu.inner, register, memory, self.nic_handler, self.send_dbr_mode)
    }

    /// Where the doorbell record lies: a CPU proxy must reach it.
    fn dbr_kind(&self, handler: NicHandler) -> MemoryKind {
        let by_cpu =
            !rings_from_gpu(handler) || self.send_dbr_mode == SendDbrMode::NO_DBR_SW_EMULATED;
        if by_cpu { MemoryKind::CpuGpu } else { self.queue_kind() }
    }

    /// Memory of whole pages, registered.
    fn region(&self, kind: MemoryKind, bytes: usize) -> Result<Arc<UmemInner>> {
        let memory = self.gpu.inner.allocate(kind, pages(bytes), 0)?.inner;
        let size = memory.allocation.size;
        let net = &self.net.inner;
        Ok(Arc::new(UmemInner::of_memory(net, &memory, 0, size, self.registration)?))
    }
}

/// Parts that a QP is put together from.
struct Parts {
    cq_entries: (Arc<UmemInner>, u64),
    cq_dbr: Option<(Arc<UmemInner>, u64)>,
    cq_uar: Option<Arc<UarInner>>,
    core_direct_master: bool,
}

/// A queue pair ready for kernels, in state RST.
#[derive(Debug)]
pub struct HighLevelQp {
    // Fields drop in this order: users before what they use.
    exported: ExportedQp,
    qp: Qp,
    cq: Cq,
}

impl HighLevelQp {
    /// Creates one.
    pub fn create(attr: &HighLevelAttr<'_>) -> Result<Self> {
        attr.check()?;
        let entries = attr.region(attr.queue_kind(), attr.cq_bytes() + CQ_DBR_BYTES)?;
        let parts = Parts {
            cq_entries: (entries, 0),
            cq_dbr: None,
            cq_uar: None,
            core_direct_master: false,
        };
        Self::assemble(attr, parts, None, |kind| {
            let sq = attr.region(attr.queue_kind(), attr.sq_bytes())?;
            Ok(((sq, 0), (attr.region(kind, QP_DBR_BYTES)?, 0)))
        })
    }

    /// Puts a QP together; `queue` gives send queue and doorbell record, whose kind depends on who rings.
    fn assemble(
        attr: &HighLevelAttr<'_>,
        parts: Parts,
        page: Option<Arc<UarInner>>,
        queue: impl FnOnce(MemoryKind) -> Result<((Arc<UmemInner>, u64), (Arc<UmemInner>, u64))>,
    ) -> Result<Self> {
        let net = &attr.net.inner;
        let resources =
            CqResources { entries: Some(parts.cq_entries), dbr: parts.cq_dbr, uar: parts.cq_uar };
        let cq = CqInner::new(net, &attr.cq_attr(), resources)?;
        let uar = match page {
            Some(page) => page,
            None => attr.doorbell_page()?,
        };
        let handler = attr.handler(&uar)?;
        let (queue, dbr) = queue(attr.dbr_kind(handler))?;
        let init = QpInitAttr {
            sq_wr: attr.sq_nwqe,
            send_max_sges: 1,
            core_direct_master: parts.core_direct_master,
            send_dbr_mode: match attr.send_dbr_mode {
                SendDbrMode::NO_DBR_HW => QpSendDbrMode::NoDbrExt,
                _ => QpSendDbrMode::DbrValid,
            },
            emulate_no_dbr_ext: attr.send_dbr_mode == SendDbrMode::NO_DBR_SW_EMULATED,
            ..QpInitAttr::default()
        };
        let resources = QpResources {
            send_cq: Some(Arc::clone(&cq)),
            queue: Some(queue),
            dbr: Some(dbr),
            uar: Some(uar),
            ..QpResources::default()
        };
        let qp = QpInner::new(net, &init, resources)?;
        let export = ExportAttr {
            nic_handler: handler,
            send_dbr_mode: attr.send_dbr_mode,
            cq_type: CqType::UNKNOWN,
            data_direct: false,
        };
        let exported = ExportInner::new(&attr.gpu.inner, &qp, &cq, &export)?;
        Ok(Self {
            exported: ExportedQp { inner: Arc::new(exported) },
            qp: Qp { inner: qp },
            cq: Cq { inner: cq },
        })
    }

    /// Number.
    pub fn qpn(&self) -> Qpn {
        self.qp.qpn()
    }

    /// The queue pair.
    pub fn qp(&self) -> &Qp {
        &self.qp
    }

    /// The completion queue.
    pub fn cq(&self) -> &Cq {
        &self.cq
    }

    /// The export.
    pub fn exported(&self) -> &ExportedQp {
        &self.exported
    }

    /// [`Qp::modify`].
    pub fn modify(&self, attr: &QpAttr, mask: AttrMask) -> Result<()> {
        self.qp.modify(attr, mask)
    }

    /// [`ExportedQp::last_error`].
    pub fn last_error(&self) -> Result<QpErrorInfo> {
        self.exported.last_error()
    }

    /// Destroys everything; [`Error::InUse`] while a device list or a proxy service holds the QP, another export is of it, or
    /// another QP completes to its CQ. After any other error the handle holds what is left: `destroy` goes on from there, and
    /// what uses a part that is gone ends in [`Error::BadState`].
    pub fn destroy(self) -> Result<(), Refused<Self>> {
        self.check_unused().and_then(|()| self.close()).map_err(|error| Refused::new(self, error))
    }

    /// [`Error::InUse`] while others hold parts.
    fn check_unused(&self) -> Result<()> {
        match self.users() {
            0 => Ok(()),
            users => Err(Error::InUse { object: format!("high-level qp {}", self.qpn()), users }),
        }
    }

    /// Who holds the parts, beside this handle and the parts each other.
    fn users(&self) -> usize {
        // This handle and the export hold the QP; this handle, the export and the QP the CQ.
        let beside = |count: usize, own: usize| count.saturating_sub(own);
        beside(Arc::strong_count(&self.exported.inner), 1)
            + beside(Arc::strong_count(&self.qp.inner), 2)
            + beside(Arc::strong_count(&self.cq.inner), 3)
    }

    /// Ends the parts, users first.
    fn close(&self) -> Result<()> {
        self.exported.inner.close()?;
        self.qp.inner.object().close()?;
        self.cq.inner.object().close()
    }
}
