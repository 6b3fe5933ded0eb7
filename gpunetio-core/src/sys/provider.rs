//! A provider: its tables and what it reports of itself.
#![allow(unsafe_code)]

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

/// A source of NICs: its tables, which everybody can read and nobody can change.
///
/// Safe code that could put a function into a table would decide what this library dereferences:
///
/// ```compile_fail
/// let mut provider = gpunetio_softnic::provider(Default::default());
/// provider.verbs.close_device = provider.verbs.close_device;
/// ```
#[derive(Debug, Clone, Copy)]
pub struct Provider(ProviderTables);

impl Provider {
    /// A provider of these tables.
    ///
    /// # Safety
    /// Every function does what libibverbs and libmlx5 document for its name, for the life of the process: from any thread,
    /// with pointers that stay valid as long as they are valid there. `properties` say what is so: with
    /// [`UarMemory::Host`] doorbell pages are ordinary memory, and without `queues_on_gpu` no GPU memory is touched by the CPU.
    pub const unsafe fn new(tables: ProviderTables) -> Self {
        Self(tables)
    }
}

impl core::ops::Deref for Provider {
    type Target = ProviderTables;

    fn deref(&self) -> &ProviderTables {
        &self.0
    }
}

/// What a provider is made of.
#[derive(Debug, Clone, Copy)]
pub struct ProviderTables {
    /// Name in messages, such as `libibverbs` or `softnic`.
    pub name: &'static str,
    /// libibverbs' functions.
    pub verbs: VerbsTable,
    /// libmlx5's functions.
    pub mlx5: Mlx5Table,
    /// What differs from hardware.
    pub properties: Properties,
}
