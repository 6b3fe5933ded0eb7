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

/// A dma-buf that holds a range of GPU memory.
#[derive(Debug)]
pub struct DmaBuf {
    /// The dma-buf; the owner's to close.
    pub fd: OwnedFd,
    /// Where the range starts in it: dma-bufs are whole pages.
    pub offset: u64,
}

/// A GPU: CUDA, the CPU executor, or a test's stand-in.
///
/// # Safety
/// The library hands out and dereferences what an implementation answers. `allocate` gives memory that overlaps no other, is
/// aligned as asked and stays valid until `free` succeeds; a `cpu` address in it can be read and written by this process;
/// with `memory_is_host` every address can. `map_io` gives the address at which kernels reach that page.
pub unsafe trait GpuPlatform: Debug + Send + Sync {
    /// What it is, for people.
    fn name(&self) -> &str;

    /// True if all memory is host memory, whatever its kind.
    fn memory_is_host(&self) -> bool;

    /// Allocates zeroed memory. Size is not 0 and alignment is a power of two.
    fn allocate(&self, kind: MemoryKind, size: usize, alignment: usize) -> Result<Allocation>;

    /// Frees what [`GpuPlatform::allocate`] gave. After an error the memory is as good as before.
    ///
    /// # Safety
    /// It is a live allocation of this GPU that nothing uses any more.
    unsafe fn free(&self, allocation: &Allocation) -> Result<()>;

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

    /// A new dma-buf that holds a range of one live allocation.
    fn dmabuf(&self, gpu: usize, size: usize) -> Result<DmaBuf>;

    /// Makes a page of doorbell registers reachable from kernels; gives its address there.
    ///
    /// # Safety
    /// The page is mapped in this process until [`GpuPlatform::unmap_io`].
    unsafe fn map_io(&self, address: usize, size: usize, memory: UarMemory) -> Result<usize>;

    /// Undoes [`GpuPlatform::map_io`]; takes the process's address. After an error the page is still mapped.
    ///
    /// # Safety
    /// No kernel uses the mapping any more.
    unsafe fn unmap_io(&self, address: usize) -> Result<()>;
}
