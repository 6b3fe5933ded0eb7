//! The route into NVIDIA's closed DOCA SDK.
//!
//! Where the SDK is installed, its libraries do what only it can (Ethernet queues, the DMA engine, two-sided channels) and,
//! if asked, verbs too. This crate is the place of that route: it will load `libdoca_*.so` from `DOCA_SDK_LIB_PATH` with
//! libloading, keep their functions in one table, all or nothing with every missing symbol named, and implement
//! [`Backend`] by them: attributes, which are plain values there, are replayed into the SDK's setters at create and modify.
//!
//! In this version there is no such implementation, and nothing calls this crate: [`connect`] refuses by name, and
//! `gpunetio_core` decides the route by itself and refuses `GPUNETIO_MODE=sdk` and a set `DOCA_SDK_LIB_PATH` rather than
//! fall back in silence.
#![forbid(unsafe_code)]

use std::path::Path;

use gpunetio_core::backend::Backend;
use gpunetio_core::{Error, Result};

/// A backend on the SDK in `directory`: [`Error::NotSupported`] in this version.
pub fn connect(directory: &Path) -> Result<Box<dyn Backend>> {
    Err(Error::NotSupported(format!(
        "the closed SDK in {} cannot be used: this version has only the open implementation",
        directory.display()
    )))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_demanded_sdk_is_refused_by_name() {
        let error = connect(Path::new("/opt/mellanox/doca/lib")).map(|_| ()).unwrap_err();
        assert!(error.to_string().contains("/opt/mellanox/doca/lib"), "{error}");
    }
}
