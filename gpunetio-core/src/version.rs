//! Versions, and which ones fit together.
//!
//! Programs that are compiled apart from this library ask: a C or C++ program passes `DOCA_GPUNETIO_VERSION` of the headers that
//! its host code was built with, and `DOCA_GPUNETIO_DEVICE_CODE_VERSION` of those of its kernels, once, before it exports a
//! queue pair. In the public C API that is `doca_gpu_verbs_check_host_code_compatibility` and
//! `doca_gpu_verbs_check_device_code_compatibility`; the C interface of this version does not export them yet.
//!
//! The library cannot ask by itself, and an export checks nothing of the kind: neither the exported image nor a kernel's entry
//! carries a version, since their layouts are those of the public headers. Rust programs need not ask for their host code,
//! which is built with this crate; they do for kernels that come as binaries.

use gpunetio_device::image::{
    MIN_COMPAT_DEVICE_CODE, MIN_COMPAT_HOST_CODE, VERSION_PACKED, pack_version,
};

use crate::error::{Error, Result};

/// Version of this library, packed as the public headers do: major << 16, minor << 8, patch.
pub fn library_version() -> u32 {
    VERSION_PACKED
}

/// [`Error::Version`] unless kernels compiled with headers of version `packed` work with this library. Who loads kernels that
/// were compiled elsewhere calls it, before their first launch; nothing in this library does.
pub fn check_device_code(packed: u32) -> Result<()> {
    check("device code", packed, pack_version(MIN_COMPAT_DEVICE_CODE))
}

/// [`Error::Version`] unless a program compiled with C headers of version `packed` works with this library. For C programs, and
/// for bindings on their behalf; nothing in this library calls it.
pub fn check_host_code(packed: u32) -> Result<()> {
    check("host code", packed, pack_version(MIN_COMPAT_HOST_CODE))
}

fn check(code: &'static str, packed: u32, minimum: u32) -> Result<()> {
    // Newer patches of this version fit; newer minors may use what this library does not know.
    let newest = VERSION_PACKED | 0xff;
    if (minimum..=newest).contains(&packed) {
        return Ok(());
    }
    let text = |v: u32| format!("{}.{}.{}", v >> 16, v >> 8 & 0xff, v & 0xff);
    Err(Error::Version {
        code,
        version: text(packed),
        library: text(VERSION_PACKED),
        minimum: text(minimum),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions_outside_the_window_are_named() {
        assert_eq!(library_version(), 0x4_0100);
        for good in [0x2_0000, 0x3_0000, 0x4_0000, 0x4_0100, 0x4_0105] {
            check_device_code(good).unwrap();
        }
        for (bad, text) in [(0x1_0900, "1.9.0"), (0x4_0200, "4.2.0"), (0x5_0000, "5.0.0")] {
            let message = check_device_code(bad).unwrap_err().to_string();
            assert!(message.contains(text), "{message}");
        }
        assert!(check_host_code(0x3_0000).is_err());
        check_host_code(0x4_0000).unwrap();
    }
}
