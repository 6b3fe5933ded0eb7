//! What a GPUNetIO kernel sees: exported queue images, kernel loading and the CPU executor.
//!
//! `include/` is this crate's C++ half: the device API that kernels call. [`image`] mirrors the structures that the host
//! exports to a kernel; [`executor`] runs kernels that a host C++ compiler built, where there is no GPU.

pub mod executor;
pub mod image;
