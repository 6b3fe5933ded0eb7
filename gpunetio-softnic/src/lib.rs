//! A software ConnectX: DEVX commands, work queues, doorbells and completions in memory.

pub mod device;
pub mod diagnostic;
pub mod engine;
pub mod memory;
pub mod object;
pub mod port;
pub mod slab;
