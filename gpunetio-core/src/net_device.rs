//! A network device as verbs objects are made from it: one protection domain and the backend that serves it.

use std::sync::Arc;

use crate::backend::{Backend, BackendKind, Route};
use crate::device_attr::DeviceAttributes;
use crate::error::{Error, Refused, Result};
use crate::nic::{Pd, PdInner};
use crate::open::OpenBackend;
use crate::sys::Properties;

/// A network device. Objects made from it keep it, its PD and its NIC alive.
#[derive(Debug)]
pub struct NetDevice {
    pub(crate) inner: Arc<NetInner>,
}

#[derive(Debug)]
pub(crate) struct NetInner {
    pub(crate) backend: Box<dyn Backend>,
    pub(crate) attributes: DeviceAttributes,
    pub(crate) pd: Arc<PdInner>,
}

impl NetInner {
    pub(crate) fn properties(&self) -> Properties {
        self.pd.nic.provider.properties
    }

    /// [`Error::Foreign`] unless objects of both can be used together.
    pub(crate) fn check_together(&self, other: &Self, what: String) -> Result<()> {
        if self.backend.kind() == other.backend.kind()
            && self.backend.context_identity() == other.backend.context_identity()
        {
            return Ok(());
        }
        let name = |net: &Self| {
            format!(
                "{} (context {:#x}, {:?})",
                net.backend.device_name(),
                net.backend.context_identity(),
                net.backend.kind()
            )
        };
        Err(Error::Foreign { object: what, owner: name(self), here: name(other) })
    }

    /// [`Error::Foreign`] unless both are of one protection domain of one context.
    pub(crate) fn check_same_pd(&self, other: &Self, what: String) -> Result<()> {
        if self.pd.pdn == other.pd.pdn {
            return Ok(());
        }
        let name = |net: &Self| format!("pd {} of {}", net.pd.pdn, net.backend.device_name());
        Err(Error::Foreign { object: what, owner: name(self), here: name(other) })
    }
}

impl NetDevice {
    /// A device on a protection domain, by the route of this process.
    pub fn open(pd: &Pd) -> Result<Self> {
        let route = Route::get()?;
        match route.verbs {
            BackendKind::Open => {
                let pd = Arc::clone(&pd.inner);
                Self::with_backend(Box::new(OpenBackend::new(Arc::clone(&pd))), pd)
            }
            BackendKind::Sdk => Err(Error::NotSupported(format!(
                "verbs are routed to the closed SDK ({}), which this version cannot do",
                route.why
            ))),
        }
    }

    fn with_backend(backend: Box<dyn Backend>, pd: Arc<PdInner>) -> Result<Self> {
        let attributes = backend.device_attributes()?;
        Ok(Self { inner: Arc::new(NetInner { backend, attributes, pd }) })
    }

    /// Name of the device.
    pub fn name(&self) -> &str {
        self.inner.backend.device_name()
    }

    /// Attributes, read once.
    pub fn attributes(&self) -> &DeviceAttributes {
        &self.inner.attributes
    }

    /// Which implementation serves it.
    pub fn backend(&self) -> BackendKind {
        self.inner.backend.kind()
    }

    /// What differs from hardware.
    pub fn properties(&self) -> Properties {
        self.inner.properties()
    }

    /// Closes the device; [`Error::InUse`] while an object of it lives. The PD stays its owner's.
    pub fn close(self) -> Result<(), Refused<Self>> {
        match Arc::try_unwrap(self.inner) {
            Ok(_) => Ok(()),
            Err(inner) => {
                let object = format!("net device {}", inner.backend.device_name());
                let users = Arc::strong_count(&inner) - 1;
                Err(Refused::new(Self { inner }, Error::InUse { object, users }))
            }
        }
    }
}
