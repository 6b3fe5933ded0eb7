//! CUDA GPUs through the driver API.
//!
//! Copies run on a stream of our own that does not block on others, so that the control path works while a persistent
//! kernel runs. Every entry is gated by the presence of libcuda: cudarc panics without it.
#![allow(unsafe_code)]

use core::ffi::{CStr, c_char, c_void};
use std::collections::{HashMap, HashSet};
use std::ffi::CString;
use std::os::fd::{FromRawFd, OwnedFd};
use std::sync::{Mutex, PoisonError};

use cudarc::driver::sys as cu;

use super::host_memory::system_page;
use super::platform::{Allocation, DmaBuf, GpuPlatform, MemoryKind};
use crate::error::{Error, Result};
use crate::sys::UarMemory;

/// A CUDA device with its primary context retained.
#[derive(Debug)]
pub(super) struct CudaGpu {
    name: String,
    device: cu::CUdevice,
    context: cu::CUcontext,
    stream: cu::CUstream,
    dmabuf: bool,
    bases: Mutex<HashMap<usize, Base>>,
    foreign_pages: Mutex<HashSet<usize>>,
}

/// What an aligned address was cut from.
#[derive(Debug, Clone, Copy)]
enum Base {
    Device(cu::CUdeviceptr),
    Host(usize),
}

// SAFETY: CUDA contexts and streams can be used from any thread once current; `Current` sees to that.
unsafe impl Send for CudaGpu {}
// SAFETY: as for Send; the driver API is thread-safe.
unsafe impl Sync for CudaGpu {}

fn check(result: cu::CUresult, call: &'static str, object: impl Into<String>) -> Result<()> {
    if result == cu::CUresult::CUDA_SUCCESS {
        return Ok(());
    }
    let mut name: *const c_char = core::ptr::null();
    // SAFETY: libcuda is present where a call was made; `name` is writable and points to a static string afterwards.
    let name = unsafe {
        match (cu::cuGetErrorName(result, &mut name), name.is_null()) {
            (cu::CUresult::CUDA_SUCCESS, false) => {
                CStr::from_ptr(name).to_string_lossy().into_owned()
            }
            _ => "unknown error".to_owned(),
        }
    };
    Err(Error::Cuda { call, object: object.into(), name, code: result as u32 })
}

/// The pages that hold a range: dma-bufs start and end at pages of the host.
#[derive(Debug, PartialEq, Eq)]
struct WholePages {
    start: usize,
    size: usize,
    /// Of the range in the pages.
    offset: u64,
}

impl WholePages {
    /// The pages of `page` bytes, a power of two, around `size` bytes at `address`. They lie in the range's allocation, which
    /// `allocate_device` made at a page and of whole pages.
    fn around(address: usize, size: usize, page: usize) -> Self {
        let offset = address & (page - 1);
        let start = address - offset;
        Self { start, size: (offset + size).next_multiple_of(page), offset: offset as u64 }
    }
}

/// Makes the context current on this thread until dropped.
struct Current;

impl Current {
    fn enter(context: cu::CUcontext) -> Result<Self> {
        // SAFETY: the context is retained.
        check(unsafe { cu::cuCtxPushCurrent_v2(context) }, "cuCtxPushCurrent", "primary context")?;
        Ok(Self)
    }
}

impl Drop for Current {
    fn drop(&mut self) {
        let mut popped = core::ptr::null_mut();
        // SAFETY: pushed by `enter` on this thread; scopes nest.
        unsafe { cu::cuCtxPopCurrent_v2(&mut popped) };
    }
}

impl CudaGpu {
    /// Opens a device by ordinal, or by the PCI id in `id`.
    pub(super) fn open(id: &str, ordinal: Option<i32>) -> Result<Self> {
        // SAFETY: loading libcuda runs its initialisers, which any CUDA program does.
        if !unsafe { cu::is_culib_present() } {
            return Err(Error::NotFound {
                object: "gpu",
                name: Some(id.to_owned()),
                hint: "libcuda is not installed: install the NVIDIA driver, or open \"cpu\""
                    .to_owned(),
            });
        }
        // SAFETY: libcuda is present.
        check(unsafe { cu::cuInit(0) }, "cuInit", format!("gpu {id}"))?;
        let mut device = 0;
        let (result, call) = match ordinal {
            // SAFETY: `device` is writable.
            Some(ordinal) => (unsafe { cu::cuDeviceGet(&mut device, ordinal) }, "cuDeviceGet"),
            None => {
                let text = CString::new(id)
                    .map_err(|_| Error::invalid("gpu id", format!("{id:?}"), "it holds a NUL"))?;
                // SAFETY: `device` is writable and the text NUL-terminated.
                let result = unsafe { cu::cuDeviceGetByPCIBusId(&mut device, text.as_ptr()) };
                (result, "cuDeviceGetByPCIBusId")
            }
        };
        check(result, call, format!("gpu {id}"))?;
        let mut context = core::ptr::null_mut();
        // SAFETY: `device` is a device of the driver; released in Drop or below.
        let result = unsafe { cu::cuDevicePrimaryCtxRetain(&mut context, device) };
        check(result, "cuDevicePrimaryCtxRetain", format!("gpu {id}"))?;
        let mut gpu = Self {
            name: String::new(),
            device,
            context,
            stream: core::ptr::null_mut(),
            dmabuf: false,
            bases: Mutex::default(),
            foreign_pages: Mutex::default(),
        };
        gpu.describe()?;
        Ok(gpu)
    }

    fn describe(&mut self) -> Result<()> {
        let _current = Current::enter(self.context)?;
        let (mut name, mut bus) = ([0 as c_char; 128], [0 as c_char; 32]);
        let mut supported = 0;
        let attribute = cu::CUdevice_attribute::CU_DEVICE_ATTRIBUTE_DMA_BUF_SUPPORTED;
        // SAFETY: the buffers have the lengths given; names come back NUL-terminated.
        unsafe {
            check(
                cu::cuDeviceGetName(name.as_mut_ptr(), name.len() as i32 - 1, self.device),
                "cuDeviceGetName",
                "gpu",
            )?;
            check(
                cu::cuDeviceGetPCIBusId(bus.as_mut_ptr(), bus.len() as i32 - 1, self.device),
                "cuDeviceGetPCIBusId",
                "gpu",
            )?;
            let text =
                |buffer: &[c_char]| CStr::from_ptr(buffer.as_ptr()).to_string_lossy().into_owned();
            self.name = format!("{} ({})", text(&name), text(&bus));
            check(
                cu::cuDeviceGetAttribute(&mut supported, attribute, self.device),
                "cuDeviceGetAttribute",
                "gpu",
            )?;
            let non_blocking = cu::CUstream_flags_enum::CU_STREAM_NON_BLOCKING as u32;
            check(cu::cuStreamCreate(&mut self.stream, non_blocking), "cuStreamCreate", "gpu")?;
        }
        self.dmabuf = supported == 1;
        Ok(())
    }

    fn synchronize(&self) -> Result<()> {
        // SAFETY: the stream is ours and alive.
        check(unsafe { cu::cuStreamSynchronize(self.stream) }, "cuStreamSynchronize", &*self.name)
    }

    fn bases(&self) -> std::sync::MutexGuard<'_, HashMap<usize, Base>> {
        self.bases.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn foreign_pages(&self) -> std::sync::MutexGuard<'_, HashSet<usize>> {
        self.foreign_pages.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn allocate_device(&self, size: usize, alignment: usize) -> Result<Allocation> {
        // cuMemAlloc aligns to 256 bytes; more is cut from a larger piece. Whole pages, none of them shared with another
        // allocation, since a dma-buf is made of pages and only of memory of one allocation.
        let alignment = alignment.max(system_page());
        let length = size
            .checked_next_multiple_of(system_page())
            .and_then(|pages| pages.checked_add(alignment))
            .ok_or_else(|| self.too_large(size, "overflow"))?;
        let mut base = 0;
        // SAFETY: `base` is writable; freed by `free`.
        match unsafe { cu::cuMemAlloc_v2(&mut base, length) } {
            cu::CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                return Err(self.too_large(size, "CUDA is out of memory"));
            }
            result => check(result, "cuMemAlloc", format!("{size} bytes"))?,
        }
        let gpu = (base as usize).next_multiple_of(alignment);
        self.bases().insert(gpu, Base::Device(base));
        let allocation = Allocation { gpu, cpu: None, size };
        // SAFETY: the range was just allocated.
        if let Err(error) = unsafe { self.fill(gpu, 0, size) } {
            self.bases().remove(&gpu);
            // SAFETY: nothing uses the memory.
            unsafe { cu::cuMemFree_v2(base) };
            return Err(error);
        }
        Ok(allocation)
    }

    fn allocate_host(&self, size: usize, alignment: usize) -> Result<Allocation> {
        // Small pieces of pinned memory share pages, so no alignment is taken for granted.
        let length = size.checked_add(alignment).ok_or_else(|| self.too_large(size, "overflow"))?;
        let mut base: *mut c_void = core::ptr::null_mut();
        let flags = cu::CU_MEMHOSTALLOC_PORTABLE | cu::CU_MEMHOSTALLOC_DEVICEMAP;
        // SAFETY: `base` is writable; freed by `free`.
        match unsafe { cu::cuMemHostAlloc(&mut base, length, flags) } {
            cu::CUresult::CUDA_ERROR_OUT_OF_MEMORY => {
                return Err(self.too_large(size, "CUDA cannot pin that much host memory"));
            }
            result => check(result, "cuMemHostAlloc", format!("{size} bytes"))?,
        }
        let cpu = (base as usize).next_multiple_of(alignment);
        let mut gpu = 0;
        // SAFETY: `cpu` lies in the pinned memory, whose `size` bytes from there are ours.
        let mapped = unsafe {
            (cpu as *mut u8).write_bytes(0, size);
            cu::cuMemHostGetDevicePointer_v2(&mut gpu, cpu as *mut c_void, 0)
        };
        if let Err(error) = check(mapped, "cuMemHostGetDevicePointer", format!("{cpu:#x}")) {
            // SAFETY: nothing uses the memory.
            unsafe { cu::cuMemFreeHost(base) };
            return Err(error);
        }
        self.bases().insert(gpu as usize, Base::Host(base as usize));
        Ok(Allocation { gpu: gpu as usize, cpu: Some(cpu), size })
    }

    fn too_large(&self, size: usize, reason: &str) -> Error {
        let what = format!("memory of {}", self.name);
        Error::NoMemory { size, what, reason: reason.to_owned() }
    }
}

// SAFETY: allocations are CUDA's, disjoint until freed; `cpu` addresses are of pinned host memory; `map_io` gives what CUDA
// mapped the page at.
unsafe impl GpuPlatform for CudaGpu {
    fn name(&self) -> &str {
        &self.name
    }

    fn memory_is_host(&self) -> bool {
        false
    }

    fn allocate(&self, kind: MemoryKind, size: usize, alignment: usize) -> Result<Allocation> {
        let _current = Current::enter(self.context)?;
        match kind {
            MemoryKind::Gpu => self.allocate_device(size, alignment),
            MemoryKind::CpuGpu => self.allocate_host(size, alignment),
            MemoryKind::GpuCpu | MemoryKind::GpuCpuDataDirect => Err(Error::NotSupported(format!(
                "memory kind {kind:?} on a CUDA GPU needs GDRCopy, which this version does not use: take \
                 CpuGpu for memory that both see"
            ))),
        }
    }

    unsafe fn free(&self, allocation: &Allocation) -> Result<()> {
        let _current = Current::enter(self.context)?;
        // Out of the table first: CUDA can give the address to another thread as soon as it is free.
        let Some(base) = self.bases().remove(&allocation.gpu) else { return Ok(()) };
        let (result, call) = match base {
            Base::Device(base) => {
                // SAFETY: the base was allocated by this object and is freed once: it is out of the table.
                let result = unsafe { cu::cuMemFree_v2(base) };
                (result, "cuMemFree")
            }
            Base::Host(base) => {
                // SAFETY: as above.
                let result = unsafe { cu::cuMemFreeHost(base as *mut c_void) };
                (result, "cuMemFreeHost")
            }
        };
        check(result, call, format!("memory at {:#x}", allocation.gpu)).inspect_err(|_| {
            self.bases().insert(allocation.gpu, base);
        })
    }

    unsafe fn write(&self, gpu: usize, bytes: &[u8]) -> Result<()> {
        let _current = Current::enter(self.context)?;
        // SAFETY: the caller guarantees the range; the source outlives the synchronize below.
        let result = unsafe {
            cu::cuMemcpyHtoDAsync_v2(gpu as u64, bytes.as_ptr().cast(), bytes.len(), self.stream)
        };
        check(result, "cuMemcpyHtoDAsync", format!("{gpu:#x}"))?;
        self.synchronize()
    }

    unsafe fn read(&self, gpu: usize, bytes: &mut [u8]) -> Result<()> {
        let _current = Current::enter(self.context)?;
        // SAFETY: as in `write`.
        let result = unsafe {
            cu::cuMemcpyDtoHAsync_v2(
                bytes.as_mut_ptr().cast(),
                gpu as u64,
                bytes.len(),
                self.stream,
            )
        };
        check(result, "cuMemcpyDtoHAsync", format!("{gpu:#x}"))?;
        self.synchronize()
    }

    unsafe fn fill(&self, gpu: usize, value: u8, size: usize) -> Result<()> {
        let _current = Current::enter(self.context)?;
        // SAFETY: as in `write`.
        let result = unsafe { cu::cuMemsetD8Async(gpu as u64, value, size, self.stream) };
        check(result, "cuMemsetD8Async", format!("{gpu:#x}"))?;
        self.synchronize()
    }

    fn dmabuf(&self, gpu: usize, size: usize) -> Result<DmaBuf> {
        if !self.dmabuf {
            return Err(Error::NotSupported(format!("{} does not export dma-bufs", self.name)));
        }
        let _current = Current::enter(self.context)?;
        let mut fd: i32 = -1;
        let handle = cu::CUmemRangeHandleType::CU_MEM_RANGE_HANDLE_TYPE_DMA_BUF_FD;
        let pages = WholePages::around(gpu, size, system_page());
        // SAFETY: for this handle type the driver writes an int.
        let result = unsafe {
            cu::cuMemGetHandleForAddressRange(
                (&raw mut fd).cast(),
                pages.start as u64,
                pages.size,
                handle,
                0,
            )
        };
        check(result, "cuMemGetHandleForAddressRange", format!("{size} bytes at {gpu:#x}"))?;
        // SAFETY: the driver gave a new descriptor to us.
        let fd = unsafe { OwnedFd::from_raw_fd(fd) };
        Ok(DmaBuf { fd, offset: pages.offset })
    }

    unsafe fn map_io(&self, address: usize, size: usize, memory: UarMemory) -> Result<usize> {
        let _current = Current::enter(self.context)?;
        let io = match memory {
            UarMemory::Mmio => cu::CU_MEMHOSTREGISTER_IOMEMORY,
            UarMemory::Host => 0,
        };
        let flags = cu::CU_MEMHOSTREGISTER_PORTABLE | cu::CU_MEMHOSTREGISTER_DEVICEMAP | io;
        let page = address as *mut c_void;
        // SAFETY: the caller guarantees a mapped page.
        match unsafe { cu::cuMemHostRegister_v2(page, size, flags) } {
            // Other code of this process mapped the page; it is theirs to unmap.
            cu::CUresult::CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED => {
                self.foreign_pages().insert(address);
            }
            result => check(result, "cuMemHostRegister", format!("doorbell page {address:#x}"))?,
        }
        let mut gpu = 0;
        // SAFETY: the page is registered.
        let result = unsafe { cu::cuMemHostGetDevicePointer_v2(&mut gpu, page, 0) };
        if let Err(error) = check(result, "cuMemHostGetDevicePointer", format!("{address:#x}")) {
            if !self.foreign_pages().remove(&address) {
                // SAFETY: registered above.
                unsafe { cu::cuMemHostUnregister(page) };
            }
            return Err(error);
        }
        Ok(gpu as usize)
    }

    unsafe fn unmap_io(&self, address: usize) -> Result<()> {
        if self.foreign_pages().remove(&address) {
            return Ok(());
        }
        let _current = Current::enter(self.context)?;
        // SAFETY: registered by `map_io`.
        let result = unsafe { cu::cuMemHostUnregister(address as *mut c_void) };
        check(result, "cuMemHostUnregister", format!("doorbell page {address:#x}"))
    }
}

impl Drop for CudaGpu {
    fn drop(&mut self) {
        if let (false, Ok(_current)) = (self.stream.is_null(), Current::enter(self.context)) {
            // SAFETY: the stream is ours and idle: every use synchronizes.
            unsafe { cu::cuStreamDestroy_v2(self.stream) };
        }
        // SAFETY: retained by `open`.
        unsafe { cu::cuDevicePrimaryCtxRelease_v2(self.device) };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_dmabuf_is_the_whole_pages_around_a_range() {
        let at = 0x7f00_0000_0000;
        let pages = |address, size| WholePages::around(address, size, 4096);
        let want = |start, size, offset| WholePages { start, size, offset };
        assert_eq!(pages(at, 100), want(at, 4096, 0));
        assert_eq!(pages(at, 5000), want(at, 8192, 0));
        assert_eq!(pages(at, 4096), want(at, 4096, 0));
        assert_eq!(pages(at + 256, 4096), want(at, 8192, 256));
        assert_eq!(pages(at + 4096 + 64, 10), want(at + 4096, 4096, 64));
        let large = WholePages::around(at + 4096, 4096, 65536);
        assert_eq!(large, want(at, 65536, 4096));
    }
}
