//! Ownership of a backend's object: destroyed once, by name or when its last holder goes.

use std::sync::{Arc, PoisonError, RwLock};

use crate::backend::RawObject;
use crate::error::{Error, Result};
use crate::net_device::NetInner;

/// A backend's object with the device that it belongs to.
#[derive(Debug)]
pub(crate) struct Object {
    /// `None` once it is destroyed. Users hold the lock for reading, so that it is not destroyed under them.
    raw: RwLock<Option<RawObject>>,
    net: Arc<NetInner>,
}

impl Object {
    pub(crate) fn new(net: &Arc<NetInner>, raw: RawObject) -> Self {
        Self { raw: RwLock::new(Some(raw)), net: Arc::clone(net) }
    }

    /// Runs `f` on the object; [`Error::BadState`] once it is destroyed.
    pub(crate) fn with<R>(
        &self,
        label: impl FnOnce() -> String,
        f: impl FnOnce(&RawObject) -> Result<R>,
    ) -> Result<R> {
        let raw = self.raw.read().unwrap_or_else(PoisonError::into_inner);
        match &*raw {
            Some(raw) => f(raw),
            None => Err(Error::BadState {
                object: label(),
                state: "destroyed".to_owned(),
                expected: "use objects before they are destroyed".to_owned(),
            }),
        }
    }

    pub(crate) fn net(&self) -> &Arc<NetInner> {
        &self.net
    }

    /// Destroys the object; does nothing if it is destroyed already.
    pub(crate) fn close(&self) -> Result<()> {
        // A panic while it is held leaves one of the two valid values.
        let mut slot = self.raw.write().unwrap_or_else(PoisonError::into_inner);
        let Some(raw) = slot.take() else { return Ok(()) };
        self.net.backend.destroy(raw).map_err(|(raw, error)| {
            *slot = Some(raw);
            error
        })
    }

    /// As [`Object::close`] at the end of the owner's life: an error is logged, once, and the object is left to its device.
    /// False if it was refused, so that the device may go on using what the object was made of.
    pub(crate) fn close_for_good(&mut self) -> bool {
        let outcome = self.close();
        *self.raw.get_mut().unwrap_or_else(PoisonError::into_inner) = None;
        outcome.inspect_err(|error| log::error!("{error}")).is_ok()
    }

    /// [`Error::Foreign`] unless both objects can be used together.
    pub(crate) fn check_together(&self, net: &NetInner, what: String) -> Result<()> {
        self.net.check_together(net, what)
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        self.close_for_good();
    }
}

/// A shared inner part that holds an [`Object`].
pub(crate) trait Holder {
    /// The object.
    fn object(&self) -> &Object;
    /// What it is, with its number.
    fn label(&self) -> String;
}

/// Destroys a holder that nobody else holds; else [`Error::InUse`] and the holder comes back.
pub(crate) fn destroy<T: Holder>(holder: Arc<T>) -> Result<(), (Arc<T>, Error)> {
    match Arc::try_unwrap(holder) {
        Ok(inner) => match inner.object().close() {
            Ok(()) => Ok(()),
            Err(error) => Err((Arc::new(inner), error)),
        },
        Err(holder) => {
            let users = Arc::strong_count(&holder) - 1;
            let error = Error::InUse { object: holder.label(), users };
            Err((holder, error))
        }
    }
}

/// The public `destroy` of a handle with one field `inner`.
macro_rules! destroy_handle {
    ($(#[$doc:meta])* $handle:ident, $inner:ident) => {
        impl $handle {
            $(#[$doc])*
            pub fn destroy(self) -> Result<(), $crate::error::Refused<Self>> {
                $crate::object::destroy(self.inner)
                    .map_err(|(inner, error)| $crate::error::Refused::new(Self { inner }, error))
            }
        }
    };
}
pub(crate) use destroy_handle;
