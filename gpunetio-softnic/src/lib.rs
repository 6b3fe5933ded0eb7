//! A software ConnectX: DEVX commands, work queues, doorbells and completions in memory.
//!
//! [`device::Fabric`] holds the devices of a process and all their objects. Clients reach it as they reach hardware:
//! - [`command::execute`] runs raw commands (PRM layouts) and answers status and syndrome ([`syndrome`]);
//! - [`doorbell`] polls the doorbell registers of UAR pages, which lie in ordinary memory;
//! - [`engine`] executes the queues and writes completions.
//!
//! [`nic`] is the thread that owns the fabric and the clock. With feature `provider`, [`provider()`] gives the tables of
//! libibverbs and libmlx5 functions that the open backend of `gpunetio-core` runs on.

pub mod command;
pub mod device;
pub mod diagnostic;
pub mod doorbell;
pub mod engine;
pub mod memory;
pub mod nic;
pub mod object;
pub mod port;
#[cfg(feature = "provider")]
mod provider;
mod slab;
pub mod syndrome;

#[cfg(feature = "provider")]
pub use provider::{Control, control, provider};
