//! Memory registered for queues (umem).
#![allow(unsafe_code)]

use std::os::fd::AsRawFd;
use std::sync::Arc;

use gpunetio_prm::id::UmemId;

use crate::backend::UmemSpec;
use crate::error::{Error, Result};
use crate::gpu::host_memory::{HostMemory, PAGE_BYTES, pages};
use crate::gpu::{Gpu, GpuInner, Memory, MemoryInner};
use crate::net_device::{NetDevice, NetInner};
use crate::object::{Holder, Object, destroy_handle};
use crate::sys::IBV_ACCESS_LOCAL_WRITE;

/// How GPU memory is made known to the NIC; numbers are those of the public API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum Registration {
    /// By dma-buf, and where that fails by address.
    #[default]
    Default = 0,
    /// By dma-buf only.
    DmaBuf = 1,
    /// By address only (needs the peer-memory driver for GPU memory).
    PeerMem = 2,
}

/// A umem.
#[derive(Debug)]
pub struct Umem {
    pub(crate) inner: Arc<UmemInner>,
}

#[derive(Debug)]
pub(crate) struct UmemInner {
    object: Object,
    pub(crate) id: UmemId,
    pub(crate) size: usize,
    backing: Backing,
}

/// What a umem registers. It lives at least as long as the registration.
#[derive(Debug)]
enum Backing {
    Memory(Arc<MemoryInner>, usize),
    Host(HostMemory),
    Raw(usize, Option<Arc<GpuInner>>),
}

/// Queue memory of others, by address.
#[derive(Debug, Clone, Copy)]
pub struct RawRegion<'a> {
    /// First byte.
    pub address: *mut u8,
    /// Bytes.
    pub size: usize,
    /// `IBV_ACCESS_*`.
    pub access: u32,
    /// A dma-buf of the memory and the offset in it; the descriptor stays the caller's.
    pub dmabuf: Option<(i32, u64)>,
    /// The GPU whose memory it is; the library then reads and writes it, as with memory of its own. Without one it never
    /// touches the memory.
    pub gpu: Option<&'a Gpu>,
}

impl Umem {
    /// Registers `size` bytes at `offset` of a GPU's memory.
    pub fn create(
        net: &NetDevice,
        memory: &Memory,
        offset: usize,
        size: usize,
        registration: Registration,
    ) -> Result<Self> {
        let inner = UmemInner::of_memory(&net.inner, &memory.inner, offset, size, registration)?;
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Registers memory of others. Where a CQ is made in memory that names no GPU, the caller sets it to 0xff first.
    ///
    /// # Safety
    /// The memory is valid until the umem is destroyed; the NIC and kernels write to it.
    pub unsafe fn create_raw(net: &NetDevice, region: RawRegion<'_>) -> Result<Self> {
        if region.size == 0 {
            return Err(Error::invalid("umem size", 0, "register at least one byte"));
        }
        if region.address.is_null() && region.dmabuf.is_none() {
            return Err(Error::invalid("umem address", "NULL", "give an address or a dma-buf"));
        }
        let spec = UmemSpec {
            address: region.address as usize,
            size: region.size,
            access: region.access,
            dmabuf: region.dmabuf,
            private: false,
        };
        let (raw, id) = net.inner.backend.create_umem(&spec)?;
        let inner = UmemInner {
            object: Object::new(&net.inner, raw),
            id,
            size: region.size,
            backing: Backing::Raw(
                region.address as usize,
                region.gpu.map(|gpu| Arc::clone(&gpu.inner)),
            ),
        };
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Id that contexts carry.
    pub fn id(&self) -> UmemId {
        self.inner.id
    }

    /// Bytes.
    pub fn size(&self) -> usize {
        self.inner.size
    }

    /// First byte as the GPU sees it.
    pub fn address(&self) -> usize {
        self.inner.gpu_address(0)
    }
}

destroy_handle! {
    /// Deregisters the memory; [`Error::InUse`] while a queue lies in it.
    Umem, UmemInner
}

impl UmemInner {
    pub(crate) fn of_memory(
        net: &Arc<NetInner>,
        memory: &Arc<MemoryInner>,
        offset: usize,
        size: usize,
        registration: Registration,
    ) -> Result<Self> {
        let allocation = memory.allocation;
        if size == 0 || offset.checked_add(size).is_none_or(|end| end > allocation.size) {
            return Err(Error::invalid(
                "umem range",
                format!("{size} bytes at {offset}"),
                format!("the memory has {} bytes", allocation.size),
            ));
        }
        let access = IBV_ACCESS_LOCAL_WRITE as u32;
        let spec = UmemSpec { address: 0, size, access, dmabuf: None, private: false };
        let by_address = |address: usize| UmemSpec { address, ..spec };
        let (raw, id) = match (allocation.cpu, registration) {
            // Host memory is registered by its own address, whatever was asked: a dma-buf is for memory of the GPU.
            (Some(cpu), _) => net.backend.create_umem(&by_address(cpu + offset))?,
            (None, Registration::PeerMem) => {
                net.backend.create_umem(&by_address(allocation.gpu + offset))?
            }
            (None, _) => {
                let by_dmabuf = || {
                    // The descriptor closes when this ends, on every path: a registration keeps its own reference.
                    let fd = memory.gpu.platform.dmabuf(allocation.gpu + offset, size)?;
                    let dmabuf = Some((fd.as_raw_fd(), 0));
                    net.backend.create_umem(&UmemSpec { dmabuf, ..spec })
                };
                match (by_dmabuf(), registration) {
                    (Ok(made), _) => made,
                    (Err(error), Registration::DmaBuf) => return Err(error),
                    (Err(error), _) => {
                        log::debug!("{error}; registering by address");
                        net.backend.create_umem(&by_address(allocation.gpu + offset))?
                    }
                }
            }
        };
        let backing = Backing::Memory(Arc::clone(memory), offset);
        Ok(Self { object: Object::new(net, raw), id, size, backing })
    }

    /// Allocates and registers host memory of our own, in whole pages.
    pub(crate) fn of_host(net: &Arc<NetInner>, bytes: usize) -> Result<Self> {
        let memory = HostMemory::new(pages(bytes.max(1)), PAGE_BYTES)?;
        let size = memory.size();
        let address = memory.address();
        let spec = UmemSpec { address, size, access: 0, dmabuf: None, private: true };
        let (raw, id) = net.backend.create_umem(&spec)?;
        Ok(Self { object: Object::new(net, raw), id, size, backing: Backing::Host(memory) })
    }

    pub(crate) fn net(&self) -> &Arc<NetInner> {
        self.object.net()
    }

    /// An offset as the GPU sees it; host memory of our own is not mapped for a CUDA GPU.
    pub(crate) fn gpu_address(&self, offset: u64) -> usize {
        let base = match &self.backing {
            Backing::Memory(memory, at) => memory.allocation.gpu + at,
            Backing::Host(memory) => memory.address(),
            Backing::Raw(address, _) => *address,
        };
        base + offset as usize
    }

    /// True if kernels of `gpu` can reach the memory. Memory of others is the caller's word.
    pub(crate) fn reachable_from(&self, gpu: &Arc<GpuInner>) -> bool {
        match &self.backing {
            Backing::Memory(memory, _) => {
                Arc::ptr_eq(&memory.gpu, gpu)
                    || gpu.platform.memory_is_host() && memory.allocation.cpu.is_some()
            }
            Backing::Host(_) => gpu.platform.memory_is_host(),
            Backing::Raw(..) => true,
        }
    }

    /// An offset as the CPU sees it, if it does.
    pub(crate) fn cpu_address(&self, offset: u64) -> Option<usize> {
        let base = match &self.backing {
            Backing::Memory(memory, at) => memory.allocation.cpu? + at,
            Backing::Host(memory) => memory.address(),
            Backing::Raw(address, gpu) => match gpu {
                None => *address,
                Some(gpu) => {
                    let allocation = gpu.containing(*address, self.size).ok()?;
                    allocation.cpu? + (*address - allocation.gpu)
                }
            },
        };
        Some(base + offset as usize)
    }

    /// [`Error::InvalidValue`] unless `bytes` at `offset` lie in the umem, at a multiple of `alignment`.
    pub(crate) fn check_range(
        &self,
        what: &str,
        offset: u64,
        bytes: usize,
        alignment: u64,
    ) -> Result<()> {
        if !offset.is_multiple_of(alignment) {
            let expected = format!("use a multiple of {alignment}");
            return Err(Error::invalid(format!("offset of the {what}"), offset, expected));
        }
        match (offset as usize).checked_add(bytes) {
            Some(end) if end <= self.size => Ok(()),
            _ => {
                let value = format!("{bytes} bytes at offset {offset}");
                let expected = format!("umem {} has {} bytes", self.id, self.size);
                Err(Error::invalid(format!("{what} in a umem"), value, expected))
            }
        }
    }

    /// Sets bytes, where this library knows how to reach the memory; true if it did.
    pub(crate) fn fill(&self, offset: u64, value: u8, size: usize) -> Result<bool> {
        let offset = offset as usize;
        match &self.backing {
            Backing::Memory(memory, at) => memory.fill(at + offset, value, size)?,
            Backing::Host(memory) => {
                // SAFETY: callers checked the range with `check_range`, and the mapping is ours.
                unsafe { memory.as_ptr().add(offset).write_bytes(value, size) };
            }
            // SAFETY: who registered the memory named the GPU whose it is, and keeps it valid.
            Backing::Raw(address, Some(gpu)) => unsafe {
                gpu.platform.fill(address + offset, value, size)?;
            },
            Backing::Raw(_, None) => return Ok(false),
        }
        Ok(true)
    }

    /// Copies bytes out, where this library knows how to reach the memory; false if it does not.
    pub(crate) fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<bool> {
        let at = self.gpu_address(offset);
        match &self.backing {
            Backing::Memory(memory, start) => memory.read(start + offset as usize, bytes)?,
            // SAFETY: callers stay within `size`; the mapping is ours and the NIC's writes are plain memory.
            Backing::Host(_) => unsafe {
                core::ptr::copy_nonoverlapping(at as *const u8, bytes.as_mut_ptr(), bytes.len());
            },
            // SAFETY: as in `fill`.
            Backing::Raw(_, Some(gpu)) => unsafe { gpu.platform.read(at, bytes)? },
            Backing::Raw(_, None) => return Ok(false),
        }
        Ok(true)
    }
}

impl Holder for UmemInner {
    fn object(&mut self) -> &mut Object {
        &mut self.object
    }
    fn label(&self) -> String {
        format!("umem {}", self.id)
    }
}
