//! Queue pairs exported to a GPU: the image that kernels work on, who rings the doorbell, what went wrong.

mod device_list;
mod error_query;
mod handler;

use core::mem::offset_of;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use gpunetio_device::image::{CqImage, CqType, MemType, NicHandler, QpImage, SendDbrMode};
use gpunetio_prm::doorbell::SND_DBR;

pub use device_list::DeviceQps;
pub use error_query::QpErrorInfo;
pub(crate) use handler::{choose as choose_handler, rings_from_gpu};

use crate::cq::{Cq, CqInner};
use crate::error::{Error, Refused, Result};
use crate::gpu::{Gpu, GpuInner, MemoryInner, MemoryKind};
use crate::qp::{Qp, QpInner};
use crate::qp_attr::QpState;
use crate::umem::UmemInner;

/// How to export a QP.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ExportAttr {
    /// Who rings; [`NicHandler::AUTO`] for the GPU where it can reach the doorbell page, else a CPU thread.
    pub nic_handler: NicHandler,
    /// Doorbell record mode; it agrees with how the QP was created.
    pub send_dbr_mode: SendDbrMode,
    /// Shape of the CQ; [`CqType::UNKNOWN`] for what the CQ was created as.
    pub cq_type: CqType,
    /// Reach GPU memory by Data Direct.
    pub data_direct: bool,
}

impl Default for ExportAttr {
    fn default() -> Self {
        Self {
            nic_handler: NicHandler::AUTO,
            send_dbr_mode: SendDbrMode::VALID_DBR,
            cq_type: CqType::UNKNOWN,
            data_direct: false,
        }
    }
}

/// A QP that kernels of a GPU can post to.
#[derive(Debug)]
pub struct ExportedQp {
    pub(crate) inner: Arc<ExportInner>,
}

#[derive(Debug)]
pub(crate) struct ExportInner {
    pub(crate) gpu: Arc<GpuInner>,
    pub(crate) qp: Arc<QpInner>,
    pub(crate) cq: Arc<CqInner>,
    pub(crate) nic_handler: NicHandler,
    pub(crate) cpu_proxy: bool,
    pub(crate) send_dbr_mode: SendDbrMode,
    cq_type: CqType,
    /// The doorbell register as kernels see it, where they ring it; `None` once the export is closed, too.
    mapped: Mutex<Option<usize>>,
    /// The word that kernels publish to the CPU proxy.
    word: Option<Arc<MemoryInner>>,
    slot: Mutex<Option<ImageSlot>>,
    /// Producer index that the CPU proxy rang last.
    pub(crate) rung: Mutex<u64>,
}

/// Where the image lies.
#[derive(Debug, Clone)]
struct ImageSlot {
    memory: Arc<MemoryInner>,
    offset: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // What these mutexes guard is replaced whole, so a panic in between leaves the old value.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl ExportedQp {
    /// Exports `qp`, whose sends complete to `cq`, to kernels of `gpu`.
    pub fn export(gpu: &Gpu, qp: &Qp, cq: &Cq, attr: &ExportAttr) -> Result<Self> {
        Ok(Self { inner: Arc::new(ExportInner::new(&gpu.inner, &qp.inner, &cq.inner, attr)?) })
    }

    /// Who rings.
    pub fn nic_handler(&self) -> NicHandler {
        self.inner.nic_handler
    }

    /// True if a CPU thread has to make progress for this QP: [`ExportedQp::proxy_progress`] or a
    /// [`crate::ProxyService`].
    pub fn needs_cpu_proxy(&self) -> bool {
        self.inner.cpu_proxy
    }

    /// Doorbell record mode.
    pub fn send_dbr_mode(&self) -> SendDbrMode {
        self.inner.send_dbr_mode
    }

    /// Address of the image as kernels see it: a `doca_gpu_dev_verbs_qp`. Made by the first call.
    pub fn device_image(&self) -> Result<usize> {
        self.inner.device_image()
    }

    /// The image as it is now, copied from the GPU's memory; `None` before there is one.
    pub fn read_image(&self) -> Result<Option<QpImage>> {
        self.inner.read_image()
    }

    /// Indices to 0, CQ memory to 0xff, queue and doorbell records to 0: what a QP has after it went through RST.
    ///
    /// [`Error::BadState`] unless the QP is in RST or INIT: elsewhere it sends, or the NIC still flushes what was posted;
    /// [`Error::NotSupported`] where the CQ is a ring that stands inside a
    /// lap, since the NIC goes on from there: a QP that is to start over has a collapsed CQ.
    pub fn reset_tracking_and_memory(&self) -> Result<()> {
        self.inner.reset_tracking_and_memory()
    }

    /// The first error of this QP. Where its NIC is gone the queue and the image still tell.
    pub fn last_error(&self) -> Result<QpErrorInfo> {
        error_query::query(&self.inner)
    }

    /// One step of the CPU proxy; true if it rang.
    pub fn proxy_progress(&self) -> Result<bool> {
        crate::proxy::progress(&self.inner)
    }

    /// Takes the QP back; [`Error::InUse`] while a list or a proxy service holds it.
    pub fn unexport(self) -> Result<(), Refused<Self>> {
        let outcome = match Arc::strong_count(&self.inner) - 1 {
            0 => self.inner.close(),
            users => Err(Error::InUse { object: self.inner.label(), users }),
        };
        outcome.map_err(|error| Refused::new(self, error))
    }
}

impl ExportInner {
    pub(crate) fn new(
        gpu: &Arc<GpuInner>,
        qp: &Arc<QpInner>,
        cq: &Arc<CqInner>,
        attr: &ExportAttr,
    ) -> Result<Self> {
        if attr.data_direct {
            return Err(Error::NotSupported(
                "data direct needs a NIC with a Data Direct device, which this version does not use".to_owned(),
            ));
        }
        if qp.layout.sq_wqebbs == 0 {
            let what = format!("send queue of qp {}", qp.qpn);
            return Err(Error::invalid(what, 0, "kernels post to a send queue: create one"));
        }
        if !qp.send_cq.as_ref().is_some_and(|own| Arc::ptr_eq(own, cq)) {
            let what = format!("send cq of qp {}", qp.qpn);
            return Err(Error::invalid(what, cq.cqn, "export the cq that the qp was created with"));
        }
        let cq_type = Self::cq_type(cq, attr.cq_type)?;
        for (umem, what) in [(&qp.umem, "send queue"), (&cq.umem, "completion queue")] {
            reachable(gpu, umem, what)?;
        }
        handler::check_mode(qp, attr.send_dbr_mode)?;
        let memory = qp.net().properties().uar_memory;
        let register = qp.doorbell_register();
        let nic_handler =
            handler::choose(gpu, register, memory, attr.nic_handler, attr.send_dbr_mode)?;
        handler::check_page(qp, nic_handler)?;
        let emulated = attr.send_dbr_mode == SendDbrMode::NO_DBR_SW_EMULATED;
        let cpu_proxy = nic_handler == NicHandler::CPU_PROXY || emulated;
        let needs_record = attr.send_dbr_mode != SendDbrMode::NO_DBR_HW;
        if cpu_proxy && needs_record && qp.dbr_umem.cpu_address(qp.dbr_offset).is_none() {
            return Err(Error::NotSupported(format!(
                "qp {} keeps its doorbell record in GPU memory, where the CPU proxy cannot write it: create it \
                 with a doorbell umem in host memory",
                qp.qpn
            )));
        }
        if !cpu_proxy && nic_handler != NicHandler::GPU_SM_NO_DBR {
            reachable(gpu, &qp.dbr_umem, "doorbell record")?;
        }
        let word = match nic_handler {
            NicHandler::CPU_PROXY => {
                let memory = gpu.allocate(MemoryKind::CpuGpu, size_of::<u64>(), 0)?;
                Some(memory.inner)
            }
            _ => None,
        };
        let mapped = match rings_from_gpu(nic_handler) {
            // SAFETY: the QP holds its UAR page, and this object holds the QP until the page is unmapped in Drop.
            #[allow(unsafe_code)]
            true => Some(unsafe { gpu.map_register(register, memory)? } as usize),
            false => None,
        };
        Ok(Self {
            gpu: Arc::clone(gpu),
            qp: Arc::clone(qp),
            cq: Arc::clone(cq),
            nic_handler,
            cpu_proxy,
            send_dbr_mode: attr.send_dbr_mode,
            cq_type,
            mapped: Mutex::new(mapped),
            word,
            slot: Mutex::default(),
            rung: Mutex::default(),
        })
    }

    fn cq_type(cq: &CqInner, asked: CqType) -> Result<CqType> {
        let own = if cq.collapsed { CqType::COLLAPSED } else { CqType::RING };
        let collapsed = match asked {
            CqType::UNKNOWN => return Ok(own),
            CqType::RING => false,
            CqType::COLLAPSED | CqType::COLLAPSED_HOST => true,
            other => return Err(Error::invalid("cq type", other.0, "use 0, 1 or 3")),
        };
        if collapsed != cq.collapsed {
            let expected = format!("cq {} was created as type {}", cq.cqn, own.0);
            return Err(Error::invalid("cq type", asked.0, expected));
        }
        Ok(asked)
    }

    fn label(&self) -> String {
        format!("exported qp {}", self.qp.qpn)
    }

    /// Takes the doorbell register from kernels; does nothing if that is done.
    pub(crate) fn close(&self) -> Result<()> {
        let mut mapped = lock(&self.mapped);
        if mapped.is_some() {
            // SAFETY: mapped by `new` for the image of this export, which nobody is given any more; that kernels which were
            // given it have ended is what their launch answers for.
            #[allow(unsafe_code)]
            unsafe {
                self.gpu.unmap_register(self.qp.doorbell_register())?;
            }
            *mapped = None;
        }
        Ok(())
    }

    /// The image that a kernel starts from.
    fn fresh_image(&self) -> Result<QpImage> {
        let (qp, cq) = (&self.qp, &self.cq);
        let wqebbs = qp.layout.sq_wqebbs;
        let slots = u16::try_from(wqebbs).map_err(|_| {
            let what = format!("send queue of qp {}", qp.qpn);
            Error::invalid(what, wqebbs, "kernels index up to 32768 blocks")
        })?;
        // A handler either rings or publishes a word.
        let word = self.word.as_ref().map(|word| word.allocation.gpu);
        let Some(sq_db) = lock(&self.mapped).or(word).map(|address| address as *mut u64) else {
            return Err(Error::BadState {
                object: self.label(),
                state: "taken back".to_owned(),
                expected: "export the qp anew".to_owned(),
            });
        };
        let dbr = qp.dbr_umem.gpu_address(qp.dbr_offset) as *mut u32;
        let place = |umem: &UmemInner| match self.gpu.platform.memory_is_host() {
            true => MemType::HOST,
            false if umem.cpu_address(0).is_some() => MemType::HOST,
            false => MemType::GPU,
        };
        let mut image = QpImage {
            sq_wqe_num: slots,
            sq_wqe_mask: slots - 1,
            sq_wqe_daddr: qp.sq_address() as *mut u8,
            sq_dbrec: dbr.wrapping_add(SND_DBR),
            sq_db,
            cq_sq: CqImage {
                cqe_daddr: cq.entries_address() as *mut u8,
                cq_num: cq.cqn.0,
                cqe_num: cq.size,
                dbrec: cq.dbr_address() as *mut u32,
                cqe_mask: cq.size - 1,
                cq_type: self.cq_type,
                mem_type: place(&cq.umem),
                ..CqImage::default()
            },
            nic_handler: self.nic_handler,
            mem_type: place(&qp.umem),
            ..QpImage::default()
        };
        image.set_number(qp.qpn.0);
        Ok(image)
    }

    /// Memory for images: where the CPU proxy polls the image it must see it.
    fn image_kind(&self) -> MemoryKind {
        if self.cpu_proxy { MemoryKind::CpuGpu } else { MemoryKind::Gpu }
    }

    fn device_image(&self) -> Result<usize> {
        let mut slot = lock(&self.slot);
        if let Some(slot) = &*slot {
            return Ok(slot.memory.allocation.gpu + slot.offset);
        }
        let memory = self.gpu.allocate(self.image_kind(), size_of::<QpImage>(), 0)?.inner;
        memory.write(0, image_bytes(&self.fresh_image()?))?;
        let address = memory.allocation.gpu;
        *slot = Some(ImageSlot { memory, offset: 0 });
        Ok(address)
    }

    fn read_image(&self) -> Result<Option<QpImage>> {
        let Some(slot) = lock(&self.slot).clone() else { return Ok(None) };
        let mut image = QpImage::default();
        slot.memory.read(slot.offset, image_bytes_mut(&mut image))?;
        Ok(Some(image))
    }

    /// Address of a 64-bit word that a kernel advances to the producer index, as the CPU sees it, and the memory that it lies
    /// in: an image can be taken back by another thread at any time, and its memory must not go with it.
    pub(crate) fn published_word(&self) -> Option<(usize, Arc<MemoryInner>)> {
        match &self.word {
            Some(word) => Some((word.allocation.cpu?, Arc::clone(word))),
            None => {
                let ImageSlot { memory, offset } = lock(&self.slot).clone()?;
                Some((memory.allocation.cpu? + offset + offset_of!(QpImage, sq_wqe_pi), memory))
            }
        }
    }

    fn reset_tracking_and_memory(&self) -> Result<()> {
        let state = self.qp.query()?.attr.current_state;
        if !matches!(state, QpState::Rst | QpState::Init) {
            let reason = match state {
                QpState::Err => "the nic flushes what was posted into the cq",
                _ => "the nic still counts from the old indices",
            };
            return Err(Error::BadState {
                object: format!("qp {}", self.qp.qpn),
                state: state.to_string(),
                expected: format!("move it to RST first: {reason}"),
            });
        }
        // Held so that the proxy does not ring an old index in between.
        let mut rung = lock(&self.rung);
        let (qp, cq) = (&self.qp, &self.cq);
        let sq_bytes = qp.layout.bytes() - qp.layout.sq_offset() as usize;
        cq.start_over()?;
        if !qp.umem.fill(qp.offset + qp.layout.sq_offset(), 0, sq_bytes)?
            || !qp.dbr_umem.fill(qp.dbr_offset, 0, gpunetio_prm::doorbell::QP_DBR_BYTES)?
        {
            return Err(Error::NotSupported(format!(
                "qp {} lies in memory that this library does not touch: name its gpu at registration",
                qp.qpn
            )));
        }
        if let Some(word) = &self.word {
            word.fill(0, 0, size_of::<u64>())?;
        }
        if let Some(slot) = &*lock(&self.slot) {
            slot.memory.write(slot.offset, image_bytes(&self.fresh_image()?))?;
        }
        *rung = 0;
        Ok(())
    }
}

impl Drop for ExportInner {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            log::error!("{error}");
        }
    }
}

fn reachable(gpu: &Arc<GpuInner>, umem: &UmemInner, what: &str) -> Result<()> {
    if umem.reachable_from(gpu) {
        return Ok(());
    }
    Err(Error::NotSupported(format!(
        "kernels of {} cannot reach the {what} in umem {}: create it in memory of that gpu",
        gpu.label(),
        umem.id
    )))
}

#[allow(unsafe_code)]
fn image_bytes(image: &QpImage) -> &[u8] {
    // SAFETY: QpImage is repr(C) without padding (its size is the sum of its fields, asserted where it is declared).
    unsafe { core::slice::from_raw_parts((&raw const *image).cast(), size_of::<QpImage>()) }
}

#[allow(unsafe_code)]
fn image_bytes_mut(image: &mut QpImage) -> &mut [u8] {
    // SAFETY: as above; every bit pattern is a valid QpImage: integers and raw pointers.
    unsafe { core::slice::from_raw_parts_mut((&raw mut *image).cast(), size_of::<QpImage>()) }
}
