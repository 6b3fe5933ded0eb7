//! Seam 3: what the control path needs from a GPU.

use core::fmt::Debug;
use std::os::fd::OwnedFd;

use crate::error::Result;
use crate::sys::UarMemory;

/// Who sees memory, and where it lies; numbers are those of the public API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[repr(u32)]
pub enum MemoryKind {
    /// GPU memory that the CPU does not see.
    Gpu = 0,
    /// GPU memory that the CPU sees too.
    GpuCpu = 1,
    /// Host memory that the GPU sees too.
    CpuGpu = 2,
    /// GPU memory reached by the NIC over its own PCIe link (Data Direct).
    GpuCpuDataDirect = 3,
}

/// Memory of a GPU.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Allocation {
    /// Address as the GPU sees it.
    pub gpu: usize,
    /// Address as the CPU sees it, if it does.
    pub cpu: Option<usize>,
    /// Bytes.
    pub size: usize,
}

/// A GPU: CUDA, the CPU executor, or a test's stand-in.
pub trait GpuPlatform: Debug + Send + Sync {
    /// What it is, for people.
    fn name(&self) -> &str;

    /// True if all memory is host memory, whatever its kind.
    fn memory_is_host(&self) -> bool;

    /// Allocates zeroed memory. Size is not 0 and alignment is a power of two.
    fn allocate(&self, kind: MemoryKind, size: usize, alignment: usize) -> Result<Allocation>;

    /// Frees what [`GpuPlatform::allocate`] gave.
    fn free(&self, allocation: &Allocation) -> Result<()>;

    /// Copies bytes to memory.
    ///
    /// # Safety
    /// The range lies in one live allocation of this GPU.
    unsafe fn write(&self, gpu: usize, bytes: &[u8]) -> Result<()>;

    /// Copies bytes from memory.
    ///
    /// # Safety
    /// As [`GpuPlatform::write`].
    unsafe fn read(&self, gpu: usize, bytes: &mut [u8]) -> Result<()>;

    /// Sets bytes of memory.
    ///
    /// # Safety
    /// As [`GpuPlatform::write`].
    unsafe fn fill(&self, gpu: usize, value: u8, size: usize) -> Result<()>;

    /// A new dma-buf file descriptor of a range of GPU memory.
    fn dmabuf(&self, gpu: usize, size: usize) -> Result<OwnedFd>;

    /// Makes a page of doorbell registers reachable from kernels; gives its address there.
    ///
    /// # Safety
    /// The page is mapped in this process until [`GpuPlatform::unmap_io`].
    unsafe fn map_io(&self, address: usize, size: usize, memory: UarMemory) -> Result<usize>;

    /// Undoes [`GpuPlatform::map_io`]; takes the process's address.
    fn unmap_io(&self, address: usize) -> Result<()>;
}
