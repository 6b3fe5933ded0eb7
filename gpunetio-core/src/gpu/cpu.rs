//! The CPU executor as a GPU: its memory is host memory.
#![allow(unsafe_code)]

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use super::host_memory::HostMemory;
use super::platform::{Allocation, DmaBuf, GpuPlatform, MemoryKind};
use crate::error::{Error, Result};
use crate::sys::UarMemory;

/// Kernels run on CPU threads.
#[derive(Debug, Default)]
pub(super) struct CpuExecutor {
    memory: Mutex<HashMap<usize, HostMemory>>,
}

// SAFETY: allocations are mappings of their own, kept until `free`; all memory is host memory, mapped where kernels use it.
unsafe impl GpuPlatform for CpuExecutor {
    fn name(&self) -> &str {
        "cpu executor"
    }

    fn memory_is_host(&self) -> bool {
        true
    }

    fn allocate(&self, _: MemoryKind, size: usize, alignment: usize) -> Result<Allocation> {
        let memory = HostMemory::new(size, alignment)?;
        let address = memory.address();
        self.memory.lock().unwrap_or_else(PoisonError::into_inner).insert(address, memory);
        Ok(Allocation { gpu: address, cpu: Some(address), size })
    }

    unsafe fn free(&self, allocation: &Allocation) -> Result<()> {
        self.memory.lock().unwrap_or_else(PoisonError::into_inner).remove(&allocation.gpu);
        Ok(())
    }

    unsafe fn write(&self, gpu: usize, bytes: &[u8]) -> Result<()> {
        // SAFETY: the caller guarantees that the range is an allocation of this GPU, which is host memory.
        unsafe { core::ptr::copy_nonoverlapping(bytes.as_ptr(), gpu as *mut u8, bytes.len()) };
        Ok(())
    }

    unsafe fn read(&self, gpu: usize, bytes: &mut [u8]) -> Result<()> {
        // SAFETY: as in `write`.
        unsafe {
            core::ptr::copy_nonoverlapping(gpu as *const u8, bytes.as_mut_ptr(), bytes.len())
        };
        Ok(())
    }

    unsafe fn fill(&self, gpu: usize, value: u8, size: usize) -> Result<()> {
        // SAFETY: as in `write`.
        unsafe { (gpu as *mut u8).write_bytes(value, size) };
        Ok(())
    }

    fn dmabuf(&self, gpu: usize, _: usize) -> Result<DmaBuf> {
        Err(Error::NotSupported(format!(
            "memory at {gpu:#x} is host memory of the CPU executor and has no dma-buf: register its address"
        )))
    }

    unsafe fn map_io(&self, address: usize, _: usize, _: UarMemory) -> Result<usize> {
        // CPU threads reach doorbells, registers or memory, where the process mapped them.
        Ok(address)
    }

    unsafe fn unmap_io(&self, _: usize) -> Result<()> {
        Ok(())
    }
}
