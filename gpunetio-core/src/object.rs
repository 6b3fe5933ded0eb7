//! Ownership of a backend's object: destroyed once, by name or when its last holder goes.

use std::sync::Arc;

use crate::backend::RawObject;
use crate::error::{Error, Result};
use crate::net_device::NetInner;

/// A backend's object with the device that it belongs to.
#[derive(Debug)]
pub(crate) struct Object {
    raw: Option<RawObject>,
    net: Arc<NetInner>,
}

impl Object {
    pub(crate) fn new(net: &Arc<NetInner>, raw: RawObject) -> Self {
        Self { raw: Some(raw), net: Arc::clone(net) }
    }

    pub(crate) fn raw(&self) -> &RawObject {
        match &self.raw {
            Some(raw) => raw,
            // `close` takes `&mut self` of an object that nobody else holds and is the only place that empties it.
            None => unreachable!("an object is used after it was destroyed"),
        }
    }

    pub(crate) fn net(&self) -> &Arc<NetInner> {
        &self.net
    }

    fn close(&mut self) -> Result<()> {
        let Some(raw) = self.raw.take() else { return Ok(()) };
        self.net.backend.destroy(raw).map_err(|(raw, error)| {
            self.raw = Some(raw);
            error
        })
    }

    /// [`Error::Foreign`] unless both objects can be used together.
    pub(crate) fn check_together(&self, net: &NetInner, what: String) -> Result<()> {
        self.net.check_together(net, what)
    }
}

impl Drop for Object {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            log::error!("{error}");
        }
    }
}

/// A shared inner part that holds an [`Object`].
pub(crate) trait Holder {
    /// The object.
    fn object(&mut self) -> &mut Object;
    /// What it is, with its number.
    fn label(&self) -> String;
}

/// Destroys a holder that nobody else holds; else [`Error::InUse`] and the holder comes back.
pub(crate) fn destroy<T: Holder>(holder: Arc<T>) -> Result<(), (Arc<T>, Error)> {
    match Arc::try_unwrap(holder) {
        Ok(mut inner) => match inner.object().close() {
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
