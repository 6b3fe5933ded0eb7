//! Shared receive queues (RMP).

use std::sync::Arc;

use gpunetio_prm::command::WqType;
use gpunetio_prm::doorbell::QP_DBR_BYTES;
use gpunetio_prm::id::Rmpn;
use gpunetio_prm::wqe::{SEG_BYTES, WQEBB_BYTES};

use crate::backend::SrqSpec;
use crate::error::{Error, Result};
use crate::net_device::{NetDevice, NetInner};
use crate::object::{Holder, Object, destroy_handle};
use crate::umem::{Umem, UmemInner};

/// Shape of a shared receive queue; numbers are those of the public API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum SrqKind {
    /// Entries name their successor in a first segment, which who posts them writes.
    #[default]
    LinkedList = 0,
    /// A ring.
    Contiguous = 1,
}

/// What to create.
#[derive(Debug, Clone, Copy, Default)]
pub struct SrqAttr<'a> {
    /// Shape.
    pub kind: SrqKind,
    /// Entries; rounded up to a power of two.
    pub wr: u32,
    /// Scatter entries of an entry.
    pub max_sges: u32,
    /// Memory and offset in it; `None` for host memory of the queue's own.
    pub umem: Option<(&'a Umem, u64)>,
}

/// A shared receive queue.
#[derive(Debug)]
pub struct Srq {
    pub(crate) inner: Arc<SrqInner>,
}

#[derive(Debug)]
pub(crate) struct SrqInner {
    object: Object,
    pub(crate) rmpn: Rmpn,
    entries: u32,
    stride: u32,
    umem: Arc<UmemInner>,
    offset: u64,
    dbr_offset: u64,
}

impl Srq {
    /// Creates a shared receive queue.
    pub fn create(net: &NetDevice, attr: &SrqAttr<'_>) -> Result<Self> {
        let net = &net.inner;
        let device = &net.attributes;
        if attr.wr == 0 || attr.wr > device.max_srq_wr {
            let expected = format!("use 1 to {}", device.max_srq_wr);
            return Err(Error::invalid("srq entries", attr.wr, expected));
        }
        if attr.max_sges == 0 || attr.max_sges > device.max_srq_sge {
            let expected = format!("use 1 to {}", device.max_srq_sge);
            return Err(Error::invalid("scatter entries of an srq", attr.max_sges, expected));
        }
        let heads = match attr.kind {
            SrqKind::LinkedList => 1,
            SrqKind::Contiguous => 0,
        };
        let stride = ((attr.max_sges + heads) * SEG_BYTES as u32).next_power_of_two();
        let entries = attr.wr.next_power_of_two();
        let bytes = (entries as usize * stride as usize).next_multiple_of(WQEBB_BYTES);
        let (umem, offset) = match attr.umem {
            Some((umem, offset)) => (Arc::clone(&umem.inner), offset),
            None => (Arc::new(UmemInner::of_host(net, bytes + QP_DBR_BYTES)?), 0),
        };
        umem.net().check_together(net, format!("umem {}", umem.id))?;
        umem.check_range("srq", offset, bytes + QP_DBR_BYTES, WQEBB_BYTES as u64)?;
        let dbr_offset = offset + bytes as u64;
        let spec = SrqSpec {
            wq_type: match attr.kind {
                SrqKind::LinkedList => WqType::LINKED_LIST,
                SrqKind::Contiguous => WqType::CYCLIC,
            },
            log_size: entries.trailing_zeros() as u8,
            log_stride: stride.trailing_zeros() as u8,
            queue: (umem.id, offset),
            dbr_offset,
        };
        // As for a QP: the memory may have held another queue.
        umem.fill(dbr_offset, 0, QP_DBR_BYTES)?;
        let (raw, rmpn) = net.backend.create_srq(&spec)?;
        let object = Object::new(net, raw);
        let inner = SrqInner { object, rmpn, entries, stride, umem, offset, dbr_offset };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Number.
    pub fn rmpn(&self) -> Rmpn {
        self.inner.rmpn
    }

    /// Address as the GPU sees it, entries, bytes of an entry.
    pub fn queue(&self) -> (usize, u32, u32) {
        let inner = &self.inner;
        (inner.umem.gpu_address(inner.offset), inner.entries, inner.stride)
    }

    /// Address of the doorbell record, as the GPU sees it.
    pub fn dbr_address(&self) -> *mut u32 {
        self.inner.umem.gpu_address(self.inner.dbr_offset) as *mut u32
    }
}

destroy_handle! {
    /// Destroys the queue; [`Error::InUse`] while a QP receives from it.
    Srq, SrqInner
}

impl SrqInner {
    pub(crate) fn net(&self) -> &Arc<NetInner> {
        self.object.net()
    }
}

impl Holder for SrqInner {
    fn object(&self) -> &Object {
        &self.object
    }
    fn label(&self) -> String {
        format!("srq {}", self.rmpn)
    }
}
