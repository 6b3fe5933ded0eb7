//! The C ABI: `libgpunetio.so` with the public `doca_*` names.
//!
//! It is thin and mechanical: a handle is a boxed object of `gpunetio_core`, a function checks its pointers, calls one
//! method and maps the outcome. This version exports no function yet; what is here is the one map from errors to the codes
//! that every function returns.
#![forbid(unsafe_code)]

mod status;

pub use status::{DocaError, status};
