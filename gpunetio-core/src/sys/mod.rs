//! Provider tables: what the open backend needs of libibverbs and libmlx5, as structs of function pointers.
//!
//! The declarations are ours, by fact from the public headers, and a test compares size and offset of every field with
//! Debian's. A table is filled either from the system's libraries with libloading, or by the software ConnectX, so that
//! the whole DEVX path runs unchanged on both. What differs between providers is data in [`Properties`].
#![allow(non_camel_case_types, reason = "C structs keep the names that users grep for")]

mod load;
mod mlx5;
mod provider;
mod verbs;

pub use load::load_hardware;
pub use mlx5::*;
pub use provider::*;
pub use verbs::*;
