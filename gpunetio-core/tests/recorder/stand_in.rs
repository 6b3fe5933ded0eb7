//! A GPU that is not there.
#![allow(unsafe_code, dead_code)]
#![allow(clippy::unwrap_used, reason = "a test ends at the first surprise")]

use std::collections::HashMap;
use std::os::fd::{FromRawFd, OwnedFd};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use gpunetio_core::sys::UarMemory;
use gpunetio_core::*;

/// A GPU that is not there: memory of the kind `Gpu` is hidden from the CPU and exported as a dma-buf.
#[derive(Debug, Default)]
pub(crate) struct StandIn {
    pub(crate) io_memory: bool,
    pub(crate) dmabuf: bool,
    /// Doorbell pages are host memory, as the software NIC's; else registers.
    pub(crate) host_pages: bool,
    /// Kinds of what was allocated, in order.
    pub(crate) kinds: Arc<Mutex<Vec<MemoryKind>>>,
    pub(crate) faults: Arc<Faults>,
    pub(crate) memory: Mutex<HashMap<usize, Gpu>>,
    /// Descriptors given out, with the inode behind each: a number may be used again by another test.
    pub(crate) given: Arc<Mutex<Vec<(i32, u64)>>>,
}

/// The inode behind a descriptor, if it is open.
pub(crate) fn inode(fd: i32) -> Option<u64> {
    // SAFETY: the call fills a plain struct.
    unsafe {
        let mut stat = std::mem::zeroed::<libc::stat>();
        (libc::fstat(fd, &mut stat) == 0).then_some(stat.st_ino)
    }
}

/// What goes wrong, and what is going on.
#[derive(Debug, Default)]
pub(crate) struct Faults {
    /// The next free is refused.
    pub(crate) free: AtomicBool,
    /// The next page is not unmapped.
    pub(crate) unmap: AtomicBool,
    /// The next write waits a while in the middle, to be overtaken.
    pub(crate) slow_write: AtomicBool,
    /// A write is in its middle.
    pub(crate) writing: AtomicBool,
    /// Memory was freed while one was.
    pub(crate) freed_under_write: AtomicBool,
}

fn refuse(flag: &AtomicBool, what: &str) -> Result<()> {
    match flag.swap(false, Ordering::SeqCst) {
        true => Err(Error::NotSupported(format!("the stand-in refuses to {what}"))),
        false => Ok(()),
    }
}

// SAFETY: memory is a CPU executor's of its own, kept until it is freed; pages are used where the process mapped them.
unsafe impl GpuPlatform for StandIn {
    fn name(&self) -> &str {
        "stand-in gpu"
    }
    fn memory_is_host(&self) -> bool {
        false
    }
    fn allocate(&self, kind: MemoryKind, size: usize, alignment: usize) -> Result<Allocation> {
        self.kinds.lock().unwrap().push(kind);
        let cpu = Gpu::open("cpu")?;
        let memory = cpu.allocate_raw(MemoryKind::CpuGpu, size, alignment)?;
        self.memory.lock().unwrap().insert(memory.gpu, cpu);
        Ok(Allocation { cpu: (kind == MemoryKind::CpuGpu).then_some(memory.gpu), ..memory })
    }
    unsafe fn free(&self, allocation: &Allocation) -> Result<()> {
        refuse(&self.faults.free, "free")?;
        self.faults
            .freed_under_write
            .fetch_or(self.faults.writing.load(Ordering::SeqCst), Ordering::SeqCst);
        self.memory.lock().unwrap().remove(&allocation.gpu);
        Ok(())
    }
    unsafe fn write(&self, gpu: usize, bytes: &[u8]) -> Result<()> {
        if self.faults.slow_write.swap(false, Ordering::SeqCst) {
            self.faults.writing.store(true, Ordering::SeqCst);
            std::thread::sleep(Duration::from_millis(200));
            self.faults.writing.store(false, Ordering::SeqCst);
            return Ok(());
        }
        // SAFETY: the caller guarantees a live allocation, which is host memory here.
        unsafe { std::ptr::copy_nonoverlapping(bytes.as_ptr(), gpu as *mut u8, bytes.len()) };
        Ok(())
    }
    unsafe fn read(&self, gpu: usize, bytes: &mut [u8]) -> Result<()> {
        // SAFETY: as in `write`.
        unsafe { std::ptr::copy_nonoverlapping(gpu as *const u8, bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }
    unsafe fn fill(&self, gpu: usize, value: u8, size: usize) -> Result<()> {
        // SAFETY: as in `write`.
        unsafe { (gpu as *mut u8).write_bytes(value, size) };
        Ok(())
    }
    fn dmabuf(&self, gpu: usize, _: usize) -> Result<DmaBuf> {
        if !self.dmabuf {
            return Err(Error::NotSupported("the stand-in exports no dma-bufs".to_owned()));
        }
        // SAFETY: the name is NUL-terminated; the descriptor is new and given to the caller.
        unsafe {
            let fd = libc::memfd_create(c"stand-in".as_ptr(), 0);
            assert!(fd >= 0);
            self.given.lock().unwrap().push((fd, inode(fd).unwrap()));
            Ok(DmaBuf { fd: OwnedFd::from_raw_fd(fd), offset: gpu as u64 % 4096 })
        }
    }
    unsafe fn map_io(&self, address: usize, _: usize, memory: UarMemory) -> Result<usize> {
        let expected = if self.host_pages { UarMemory::Host } else { UarMemory::Mmio };
        assert_eq!(memory, expected);
        match self.io_memory {
            true => Ok(address),
            false => Err(Error::NotSupported("the stand-in maps no I/O memory".to_owned())),
        }
    }
    unsafe fn unmap_io(&self, _: usize) -> Result<()> {
        refuse(&self.faults.unmap, "unmap")
    }
}
