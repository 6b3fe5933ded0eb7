//! Memory registered for queues (umem).
#![allow(unsafe_code)]

use std::os::fd::AsRawFd;
use std::sync::Arc;

use gpunetio_prm::id::UmemId;

use crate::backend::UmemSpec;
use crate::error::{Error, Result};
use crate::gpu::host_memory::{HostMemory, PAGE_BYTES, pages};
use crate::gpu::{Allocation, Gpu, GpuInner, Memory, MemoryInner};
use crate::memory_region::Access;
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
    Raw(RawMemory),
    /// Nothing: what was registered is left to a device that would not let go of it.
    Abandoned,
}

/// Memory of others.
#[derive(Debug)]
struct RawMemory {
    address: usize,
    /// Whose it is.
    owner: Owner,
}

/// Who owns memory of others.
#[derive(Debug)]
enum Owner {
    Gpu(Arc<GpuInner>),
    /// The process: the address is the CPU's.
    Host,
    /// Whoever exported the dma-buf: the address says nothing to the CPU.
    Unknown,
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
    /// The GPU whose memory it is; the library then reads and writes it, as with memory of its own. Without one, memory by
    /// address is host memory, in which the library writes nothing but doorbell records where the CPU rings or arms, and
    /// memory by dma-buf is never touched.
    pub gpu: Option<&'a Gpu>,
}

impl Umem {
    /// Registers `size` bytes at `offset` of a GPU's memory. [`Error::NotSupported`] for GPU memory that CPU threads do not see,
    /// where the NIC is such threads ([`crate::sys::Properties::queues_on_gpu`]).
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

    /// Registers memory of others. Where a queue is made in memory that names no GPU, the caller sets CQ entries to 0xff and
    /// doorbell records to 0 first.
    ///
    /// # Safety
    /// The memory is what [`RawRegion`] says of it, at that address, and valid until the umem is destroyed; the NIC, kernels
    /// and this library write to it.
    pub unsafe fn create_raw(net: &NetDevice, region: RawRegion<'_>) -> Result<Self> {
        if region.size == 0 {
            return Err(Error::invalid("umem size", 0, "register at least one byte"));
        }
        if region.address.is_null() && region.dmabuf.is_none() {
            return Err(Error::invalid("umem address", "NULL", "give an address or a dma-buf"));
        }
        if region.address.is_null() && region.gpu.is_some() {
            let expected = "give the memory's address on its gpu, or name no gpu";
            return Err(Error::invalid("umem address", "NULL", expected));
        }
        Access(region.access).check("a umem")?;
        // Memory that is not of this GPU's allocations here is the caller's word.
        if let Some(Gpu { inner: gpu }) = region.gpu
            && let Ok(allocation) = gpu.containing(region.address as usize, region.size)
        {
            check_seen(&net.inner, gpu, allocation)?;
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
            backing: Backing::Raw(RawMemory {
                address: region.address as usize,
                owner: match (region.gpu, region.dmabuf) {
                    (Some(gpu), _) => Owner::Gpu(Arc::clone(&gpu.inner)),
                    (None, None) => Owner::Host,
                    (None, Some(_)) => Owner::Unknown,
                },
            }),
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
    pub fn gpu_address(&self) -> usize {
        self.inner.gpu_address(0)
    }
}

/// Refuses GPU memory that a NIC made of CPU threads does not see.
fn check_seen(net: &NetInner, gpu: &GpuInner, allocation: Allocation) -> Result<()> {
    let seen = allocation.cpu.is_some() || gpu.platform.memory_is_host();
    if seen || net.properties().queues_on_gpu {
        return Ok(());
    }
    Err(Error::NotSupported(format!(
        "the nic reads its queues by CPU threads, which do not see memory {:#x} of {}: allocate queue memory of kind CpuGpu",
        allocation.gpu,
        gpu.label()
    )))
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
        check_seen(net, &memory.gpu, allocation)?;
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
                    let whole = memory.gpu.dmabuf(allocation.gpu + offset, size)?;
                    let dmabuf = Some((whole.fd.as_raw_fd(), whole.offset));
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
            Backing::Raw(memory) => memory.address,
            Backing::Abandoned => 0,
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
            Backing::Raw(_) => true,
            Backing::Abandoned => false,
        }
    }

    /// An offset as the CPU sees it, if it does.
    pub(crate) fn cpu_address(&self, offset: u64) -> Option<usize> {
        let base = match &self.backing {
            Backing::Memory(memory, at) => memory.allocation.cpu? + at,
            Backing::Host(memory) => memory.address(),
            Backing::Raw(RawMemory { address, owner }) => match owner {
                Owner::Host => *address,
                Owner::Unknown => return None,
                Owner::Gpu(gpu) => {
                    let allocation = gpu.containing(*address, self.size).ok()?;
                    allocation.cpu? + (*address - allocation.gpu)
                }
            },
            Backing::Abandoned => return None,
        };
        Some(base + offset as usize)
    }

    /// [`Error::InvalidValue`] unless `bytes` at `offset` lie in the umem, at a multiple of `alignment` in the umem and in
    /// memory: records are read and written as whole words.
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
        let end = usize::try_from(offset).ok().and_then(|offset| offset.checked_add(bytes));
        if end.is_none_or(|end| end > self.size) {
            let value = format!("{bytes} bytes at offset {offset}");
            let expected = format!("umem {} has {} bytes", self.id, self.size);
            return Err(Error::invalid(format!("{what} in a umem"), value, expected));
        }
        let address = self.gpu_address(offset);
        if !(address as u64).is_multiple_of(alignment) {
            let expected =
                format!("it is {offset} bytes into umem {}: align to {alignment}", self.id);
            return Err(Error::invalid(
                format!("address of the {what}"),
                format!("{address:#x}"),
                expected,
            ));
        }
        Ok(())
    }

    /// Sets bytes, where this library knows how to reach the memory; true if it did.
    pub(crate) fn fill(&self, offset: u64, value: u8, size: usize) -> Result<bool> {
        let offset = offset as usize;
        match &self.backing {
            Backing::Memory(memory, at) => memory.fill(at + offset, value, size)?,
            Backing::Host(memory) => memory.fill(offset, value, size)?,
            Backing::Raw(RawMemory { address, owner: Owner::Gpu(gpu) }) => {
                // SAFETY: who registered the memory named the GPU whose it is, and keeps it valid.
                unsafe { gpu.fill_foreign(address + offset, value, size)? };
            }
            Backing::Raw(_) | Backing::Abandoned => return Ok(false),
        }
        Ok(true)
    }

    /// Copies bytes out, where this library knows how to reach the memory; false if it does not.
    pub(crate) fn read(&self, offset: u64, bytes: &mut [u8]) -> Result<bool> {
        let offset = offset as usize;
        match &self.backing {
            Backing::Memory(memory, start) => memory.read(start + offset, bytes)?,
            Backing::Host(memory) => memory.read(offset, bytes)?,
            Backing::Raw(RawMemory { address, owner: Owner::Gpu(gpu) }) => {
                // SAFETY: as in `fill`.
                unsafe { gpu.read_foreign(address + offset, bytes)? };
            }
            Backing::Raw(_) | Backing::Abandoned => return Ok(false),
        }
        Ok(true)
    }
}

impl Drop for UmemInner {
    fn drop(&mut self) {
        if !self.object.close_for_good() {
            // The NIC may go on writing: memory that it was not made to let go of is never given to anybody else.
            core::mem::forget(core::mem::replace(&mut self.backing, Backing::Abandoned));
        }
    }
}

impl Holder for UmemInner {
    fn object(&self) -> &Object {
        &self.object
    }
    fn label(&self) -> String {
        format!("umem {}", self.id)
    }
}
