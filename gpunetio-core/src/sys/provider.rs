//! A provider: its tables and what it reports of itself.

use super::{Mlx5Table, VerbsTable};

/// What UAR pages are made of, which decides how a GPU maps them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UarMemory {
    /// Registers of a PCIe device: registered with CUDA as I/O memory.
    Mmio,
    /// Ordinary host memory that the provider polls.
    Host,
}

/// How a provider differs from hardware, as data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Properties {
    /// What UAR pages are made of.
    pub uar_memory: UarMemory,
    /// True if queues, doorbell records and CQs may lie in GPU memory; false if the provider's CPU threads must see them.
    pub queues_on_gpu: bool,
}

/// A source of NICs.
#[derive(Debug, Clone, Copy)]
pub struct Provider {
    /// Name in messages, such as `libibverbs` or `softnic`.
    pub name: &'static str,
    /// libibverbs' functions.
    pub verbs: VerbsTable,
    /// libmlx5's functions.
    pub mlx5: Mlx5Table,
    /// What differs from hardware.
    pub properties: Properties,
}
