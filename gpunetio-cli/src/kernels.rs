//! The perf kernels (`kernels/perf.cu`): what they take, and where they are.
#![allow(unsafe_code)]

use std::mem::{offset_of, size_of};

use gpunetio_device::executor::KernelEntry;
use gpunetio_device::image::{ExecScope, QpImage, SharingMode};

use crate::args;

/// What a kernel does with each operation. The order is that of the table in `perf.cu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Mode {
    /// One-sided put.
    Put = 0,
    /// One-sided get.
    Get = 1,
    /// Put, then an 8-byte add of 1 at the target.
    PutSignal = 2,
    /// The low-level calls: reserve, prepare, publish, submit. At most 1 GiB an operation.
    Write = 3,
}

impl From<args::Mode> for Mode {
    fn from(mode: args::Mode) -> Self {
        match mode {
            args::Mode::Put | args::Mode::Lat => Self::Put,
            args::Mode::Get => Self::Get,
            args::Mode::PutSignal => Self::PutSignal,
            args::Mode::Write => Self::Write,
        }
    }
}

/// How operations follow each other. The order is that of the table in `perf.cu`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub(crate) enum Pass {
    /// As many in flight as the queue holds; completions are polled at the end.
    Throughput = 0,
    /// One at a time, each timed with its completion.
    Latency = 1,
}

/// Arguments of every perf kernel (`struct gpunetio_perf_params`, which says what the fields mean). All addresses are as the
/// kernel's device sees them, keys are big-endian.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct PerfParams {
    pub(crate) qps: *mut QpImage,
    pub(crate) size: u64,
    pub(crate) laddr: u64,
    pub(crate) raddr: u64,
    pub(crate) place_stride: u64,
    pub(crate) sig_laddr: u64,
    pub(crate) sig_raddr: u64,
    pub(crate) lkey: u32,
    pub(crate) rkey: u32,
    pub(crate) sig_lkey: u32,
    pub(crate) sig_rkey: u32,
    pub(crate) num_qps: u32,
    pub(crate) iters: u32,
    pub(crate) warmup: u32,
    pub(crate) reserved: u32,
    pub(crate) lat_ns: *mut u64,
    pub(crate) start_ns: *mut u64,
    pub(crate) end_ns: *mut u64,
    pub(crate) status: *mut u32,
}

// The C side asserts the same numbers.
const _: () = {
    assert!(size_of::<PerfParams>() == 120);
    assert!(offset_of!(PerfParams, lkey) == 56);
    assert!(offset_of!(PerfParams, lat_ns) == 88);
};

unsafe extern "C" {
    fn gpunetio_perf_kernel(pass: u32, mode: u32, sharing: u32, scope: u32) -> *const KernelEntry;
}

/// The kernel of a combination as the CPU executor takes it.
pub(crate) fn cpu_kernel(
    mode: Mode,
    pass: Pass,
    sharing: SharingMode,
    scope: ExecScope,
) -> &'static KernelEntry {
    const NONE: KernelEntry = KernelEntry::null();
    // SAFETY: the function looks a constant table up and checks its arguments; entries live as long as the program.
    let entry =
        unsafe { gpunetio_perf_kernel(pass as u32, mode as u32, sharing.0, scope.0).as_ref() };
    // Every combination is in the table; a null entry is refused at launch.
    entry.unwrap_or(&NONE)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_combination_is_in_the_table_and_none_twice() {
        let mut names = std::collections::BTreeSet::new();
        for pass in [Pass::Throughput, Pass::Latency] {
            for mode in [Mode::Put, Mode::Get, Mode::PutSignal, Mode::Write] {
                for sharing in [SharingMode::EXCLUSIVE, SharingMode::CTA, SharingMode::GPU] {
                    for scope in [ExecScope::THREAD, ExecScope::WARP] {
                        names.insert(cpu_kernel(mode, pass, sharing, scope).name());
                    }
                }
            }
        }
        assert_eq!(names.len(), 48);
        assert!(names.contains("gpunetio_perf_latency_get_cta_warp"), "{names:?}");
    }
}
