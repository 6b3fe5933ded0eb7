//! A software ConnectX: DEVX commands, work queues, doorbells and completions in memory.

pub mod engine;
pub mod memory;
pub mod object;
pub mod slab;
