//! Doorbell pages (UAR).

use std::sync::Arc;

use gpunetio_prm::id::UarPage;

use crate::backend::UarPages;
use crate::error::Result;
use crate::net_device::{NetDevice, NetInner};
use crate::object::{Holder, Object, destroy_handle};
use crate::open::no_dbr_register;

/// How the CPU maps a doorbell page; numbers are those of the public API.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u32)]
pub enum UarKind {
    /// Write-combining: whole WQEs can be written to it.
    BlueFlame = 0,
    /// Non-cached.
    NonCache = 1,
    /// Non-cached, and shared with nobody.
    NonCacheDedicated = 2,
}

/// A doorbell page.
#[derive(Debug)]
pub struct Uar {
    pub(crate) inner: Arc<UarInner>,
}

#[derive(Debug)]
pub(crate) struct UarInner {
    object: Object,
    kind: UarKind,
    pub(crate) page: UarPage,
    base: usize,
    register: usize,
}

impl UarInner {
    fn new(net: &Arc<NetInner>, kind: UarKind) -> Result<Arc<Self>> {
        let (raw, UarPages { page, base, register }) = net.backend.create_uar(kind)?;
        let object = Object::new(net, raw);
        let (base, register) = (base as usize, register as usize);
        Ok(Arc::new(Self { object, kind, page, base, register }))
    }

    /// Allocates the first kind that the device has.
    pub(crate) fn first_of(net: &Arc<NetInner>, kinds: &[UarKind]) -> Result<Arc<Self>> {
        let mut last = None;
        for kind in kinds {
            match Self::new(net, *kind) {
                Ok(uar) => return Ok(uar),
                Err(error) => last = Some(error),
            }
        }
        match last {
            Some(error) => Err(error),
            None => unreachable!("callers name at least one kind"),
        }
    }

    pub(crate) fn net(&self) -> &Arc<NetInner> {
        self.object.net()
    }

    pub(crate) fn kind(&self) -> UarKind {
        self.kind
    }

    pub(crate) fn register(&self) -> *mut u64 {
        self.register as *mut u64
    }

    pub(crate) fn no_dbr_register(&self) -> *mut u64 {
        no_dbr_register(self.base as *mut u8)
    }
}

impl Holder for UarInner {
    fn object(&self) -> &Object {
        &self.object
    }
    fn label(&self) -> String {
        format!("uar {}", self.page)
    }
}

impl Uar {
    /// Allocates a doorbell page.
    pub fn create(net: &NetDevice, kind: UarKind) -> Result<Self> {
        Ok(Self { inner: UarInner::new(&net.inner, kind)? })
    }

    /// Number of the page.
    pub fn page(&self) -> UarPage {
        self.inner.page
    }

    /// How it is mapped.
    pub fn kind(&self) -> UarKind {
        self.inner.kind
    }

    /// The doorbell (and BlueFlame) register, as the CPU sees it.
    pub fn register(&self) -> *mut u64 {
        self.inner.register()
    }

    /// The register of queues without a doorbell record, as the CPU sees it.
    pub fn no_dbr_register(&self) -> *mut u64 {
        self.inner.no_dbr_register()
    }
}

destroy_handle! {
    /// Frees the page; [`crate::Error::InUse`] while a queue rings it.
    Uar, UarInner
}
