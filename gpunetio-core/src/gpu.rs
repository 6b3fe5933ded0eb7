//! GPUs and their memory.
//!
//! A GPU is opened by CUDA ordinal (`"0"`), by PCI id (`"0000:3b:00.0"`) or as the CPU executor (`"cpu"`), whose memory is
//! host memory and whose kernels are CPU threads.
#![allow(unsafe_code)]

mod cpu;
mod cuda;
pub(crate) mod host_memory;
mod id;
mod platform;

use std::collections::{BTreeMap, HashMap};
use std::os::fd::OwnedFd;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

pub use platform::{Allocation, DmaBuf, GpuPlatform, MemoryKind};

use crate::error::{Error, Refused, Result};
use crate::sys::UarMemory;
use host_memory::PAGE_BYTES;
use id::GpuId;

/// Alignment given where the caller asks for 0.
const DEFAULT_ALIGNMENT: usize = PAGE_BYTES;

/// An open GPU. Handles made from it keep it alive.
#[derive(Debug)]
pub struct Gpu {
    pub(crate) inner: Arc<GpuInner>,
}

#[derive(Debug)]
pub(crate) struct GpuInner {
    id: String,
    pub(crate) platform: Box<dyn GpuPlatform>,
    /// Live allocations by GPU address. Held over every copy, so that memory is not freed under one, and copies to and from
    /// one place by several threads follow each other.
    memory: Mutex<BTreeMap<usize, Allocation>>,
    mapped: Mutex<HashMap<usize, MappedPage>>,
}

#[derive(Debug, Clone, Copy)]
struct MappedPage {
    gpu: usize,
    users: usize,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    // A panic while a table is held leaves it valid: every change is one insert or remove.
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Gpu {
    /// Opens a GPU by id: `cpu`, a CUDA ordinal or a PCI id. [`Error::InvalidValue`] for an id that is none of these,
    /// [`Error::NotFound`] where there is no such GPU.
    pub fn open(id: &str) -> Result<Self> {
        crate::backend::Route::get()?;
        let platform: Box<dyn GpuPlatform> = match GpuId::parse(id)? {
            GpuId::Cpu => Box::new(cpu::CpuExecutor::default()),
            GpuId::Ordinal(ordinal) => Box::new(cuda::CudaGpu::open(id, Some(ordinal))?),
            GpuId::Pci => Box::new(cuda::CudaGpu::open(id, None)?),
        };
        Ok(Self::with_platform(id, platform))
    }

    /// A GPU on a platform that the caller brings.
    pub fn with_platform(id: &str, platform: Box<dyn GpuPlatform>) -> Self {
        let inner = GpuInner {
            id: id.to_owned(),
            platform,
            memory: Mutex::default(),
            mapped: Mutex::default(),
        };
        Self { inner: Arc::new(inner) }
    }

    /// The id it was opened by.
    pub fn id(&self) -> &str {
        &self.inner.id
    }

    /// What it is, for people: `cpu executor` or the name of the CUDA device.
    pub fn name(&self) -> &str {
        self.inner.platform.name()
    }

    /// True if memory of every kind is host memory.
    pub fn memory_is_host(&self) -> bool {
        self.inner.platform.memory_is_host()
    }

    /// Allocates zeroed memory that is freed with its handle. Alignment 0 means a page.
    ///
    /// [`Error::InvalidValue`] for size 0 or an alignment that is not a power of two, [`Error::NoMemory`] past memory.
    pub fn allocate(&self, kind: MemoryKind, size: usize, alignment: usize) -> Result<Memory> {
        self.inner.allocate(kind, size, alignment)
    }

    /// Allocates memory that the caller frees by [`Gpu::free`], as the C API does; what is left is freed when the GPU's last
    /// handle goes.
    pub fn allocate_raw(
        &self,
        kind: MemoryKind,
        size: usize,
        alignment: usize,
    ) -> Result<Allocation> {
        self.inner.allocate_raw(kind, size, alignment)
    }

    /// Frees memory by its GPU address; [`Error::NotFound`] if it is not an allocation of this GPU.
    ///
    /// # Safety
    /// The memory came from [`Gpu::allocate_raw`] and nothing uses it any more.
    pub unsafe fn free(&self, gpu: usize) -> Result<()> {
        // SAFETY: as the caller guarantees.
        unsafe { self.inner.free(gpu) }
    }

    /// A dma-buf that holds a range of this GPU's memory; the caller owns it. [`Error::NotFound`] outside of its allocations.
    pub fn dmabuf(&self, gpu: usize, size: usize) -> Result<DmaBuf> {
        self.inner.dmabuf(gpu, size)
    }

    /// A dma-buf that starts where the range does; the caller owns it. [`Error::InvalidValue`] for a range that starts inside
    /// a page, which only [`Gpu::dmabuf`] can name.
    pub fn dmabuf_fd(&self, gpu: usize, size: usize) -> Result<OwnedFd> {
        match self.dmabuf(gpu, size)? {
            DmaBuf { fd, offset: 0 } => Ok(fd),
            DmaBuf { offset, .. } => Err(Error::invalid(
                "start of a dma-buf",
                format!("{gpu:#x}"),
                format!("it lies {offset} bytes into a page: allocate at a multiple of a page"),
            )),
        }
    }

    /// Copies bytes into this GPU's memory, as [`Memory::write`]; [`Error::NotFound`] outside of its allocations.
    pub fn write(&self, gpu: usize, bytes: &[u8]) -> Result<()> {
        self.inner.write(gpu, bytes)
    }

    /// Copies bytes out of this GPU's memory, as [`Memory::read`]; [`Error::NotFound`] outside of its allocations.
    pub fn read(&self, gpu: usize, bytes: &mut [u8]) -> Result<()> {
        self.inner.read(gpu, bytes)
    }

    /// Maps the page of a doorbell register for kernels and gives the register's address there. A page that is mapped
    /// already is counted, not mapped again.
    ///
    /// # Safety
    /// `register` points into a UAR page that stays mapped in this process until [`Gpu::unmap_register`].
    pub unsafe fn map_register(&self, register: *mut u64, memory: UarMemory) -> Result<*mut u64> {
        // SAFETY: as the caller guarantees.
        unsafe { self.inner.map_register(register, memory) }
    }

    /// Undoes one [`Gpu::map_register`]; takes the same process address.
    ///
    /// # Safety
    /// The caller mapped it, undoes that once, and no kernel of its own uses the mapping any more.
    pub unsafe fn unmap_register(&self, register: *mut u64) -> Result<()> {
        // SAFETY: as the caller guarantees.
        unsafe { self.inner.unmap_register(register) }
    }

    /// True if kernels can ring the register themselves.
    ///
    /// # Safety
    /// As [`Gpu::map_register`].
    pub unsafe fn can_map_register(&self, register: *mut u64, memory: UarMemory) -> bool {
        // SAFETY: as the caller guarantees; nothing learns of the mapping before it is undone.
        match unsafe { self.inner.map_register(register, memory) } {
            // SAFETY: as above.
            Ok(_) => unsafe { self.inner.unmap_register(register) }.is_ok(),
            Err(error) => {
                log::debug!("{error}");
                false
            }
        }
    }

    /// Closes the GPU; [`Error::InUse`] while memory or a handle of it lives.
    pub fn destroy(self) -> Result<(), Refused<Self>> {
        let allocations = lock(&self.inner.memory).len();
        match Arc::try_unwrap(self.inner) {
            Ok(_) if allocations == 0 => Ok(()),
            Ok(inner) => Err(Self { inner: Arc::new(inner) }.in_use(allocations)),
            Err(inner) => {
                let users = (Arc::strong_count(&inner) - 1).max(allocations);
                Err(Self { inner }.in_use(users))
            }
        }
    }

    fn in_use(self, users: usize) -> Refused<Self> {
        let object = format!("gpu {}", self.inner.id);
        Refused::new(self, Error::InUse { object, users })
    }
}

impl GpuInner {
    /// Which open GPU it is, for people: two can have one name.
    pub(crate) fn label(&self) -> String {
        format!("{} (gpu {}, handle {self:p})", self.platform.name(), self.id)
    }

    pub(crate) fn allocate(
        self: &Arc<Self>,
        kind: MemoryKind,
        size: usize,
        alignment: usize,
    ) -> Result<Memory> {
        let allocation = self.allocate_raw(kind, size, alignment)?;
        let inner = MemoryInner { gpu: Arc::clone(self), allocation, freed: false };
        Ok(Memory { inner: Arc::new(inner) })
    }

    fn allocate_raw(&self, kind: MemoryKind, size: usize, alignment: usize) -> Result<Allocation> {
        if size == 0 {
            return Err(Error::invalid("memory size", 0, "ask for at least one byte"));
        }
        let alignment = if alignment == 0 { DEFAULT_ALIGNMENT } else { alignment };
        if !alignment.is_power_of_two() {
            return Err(Error::invalid("memory alignment", alignment, "use a power of two"));
        }
        if kind == MemoryKind::GpuCpuDataDirect {
            return Err(Error::NotSupported(
                "memory kind GpuCpuDataDirect needs a NIC with Data Direct: use GpuCpu".to_owned(),
            ));
        }
        let allocation = self.platform.allocate(kind, size, alignment)?;
        lock(&self.memory).insert(allocation.gpu, allocation);
        Ok(allocation)
    }

    /// # Safety
    /// Nothing uses the memory any more.
    unsafe fn free(&self, gpu: usize) -> Result<()> {
        // Out of the table first, so that no copy begins while the memory goes. Not held over the call: freeing can wait for
        // a kernel, and that for a copy.
        let Some(allocation) = lock(&self.memory).remove(&gpu) else {
            return Err(self.unknown(gpu));
        };
        // SAFETY: a live allocation; as the caller guarantees.
        unsafe { self.platform.free(&allocation) }.inspect_err(|_| {
            lock(&self.memory).insert(gpu, allocation);
        })
    }

    fn unknown(&self, gpu: usize) -> Error {
        Error::NotFound {
            object: "memory",
            name: Some(format!("{gpu:#x}")),
            hint: format!("it is not an allocation of gpu {}", self.id),
        }
    }

    /// The allocation that holds the whole range, and the table that keeps it alive while it is held.
    fn hold(
        &self,
        gpu: usize,
        size: usize,
    ) -> Result<(Allocation, MutexGuard<'_, BTreeMap<usize, Allocation>>)> {
        let memory = lock(&self.memory);
        let found = memory.range(..=gpu).next_back().map(|(_, a)| *a);
        match found {
            Some(a) if gpu.checked_add(size).is_some_and(|end| end <= a.gpu + a.size) => {
                Ok((a, memory))
            }
            _ => Err(self.unknown(gpu)),
        }
    }

    /// The allocation that holds the whole range.
    pub(crate) fn containing(&self, gpu: usize, size: usize) -> Result<Allocation> {
        Ok(self.hold(gpu, size)?.0)
    }

    /// Copies bytes to an address; [`Error::NotFound`] outside of the allocations.
    pub(crate) fn write(&self, gpu: usize, bytes: &[u8]) -> Result<()> {
        let _held = self.hold(gpu, bytes.len())?;
        // SAFETY: the range lies in an allocation that lives while the table is held.
        unsafe { self.platform.write(gpu, bytes) }
    }

    /// Copies bytes from an address; [`Error::NotFound`] outside of the allocations.
    pub(crate) fn read(&self, gpu: usize, bytes: &mut [u8]) -> Result<()> {
        let _held = self.hold(gpu, bytes.len())?;
        // SAFETY: as in `write`.
        unsafe { self.platform.read(gpu, bytes) }
    }

    /// Sets bytes at an address; [`Error::NotFound`] outside of the allocations.
    pub(crate) fn fill(&self, gpu: usize, value: u8, size: usize) -> Result<()> {
        let _held = self.hold(gpu, size)?;
        // SAFETY: as in `write`.
        unsafe { self.platform.fill(gpu, value, size) }
    }

    /// Sets bytes of memory that is this GPU's and need not be of its allocations here.
    ///
    /// # Safety
    /// As [`GpuPlatform::fill`].
    pub(crate) unsafe fn fill_foreign(&self, gpu: usize, value: u8, size: usize) -> Result<()> {
        // Held for the sake of other copies only.
        let _alone = lock(&self.memory);
        // SAFETY: as the caller guarantees.
        unsafe { self.platform.fill(gpu, value, size) }
    }

    /// Copies bytes from memory that is this GPU's and need not be of its allocations here.
    ///
    /// # Safety
    /// As [`GpuPlatform::read`].
    pub(crate) unsafe fn read_foreign(&self, gpu: usize, bytes: &mut [u8]) -> Result<()> {
        let _alone = lock(&self.memory);
        // SAFETY: as the caller guarantees.
        unsafe { self.platform.read(gpu, bytes) }
    }

    /// A dma-buf that holds a range; [`Error::NotFound`] outside of the allocations.
    pub(crate) fn dmabuf(&self, gpu: usize, size: usize) -> Result<DmaBuf> {
        let _held = self.hold(gpu, size)?;
        self.platform.dmabuf(gpu, size)
    }

    /// # Safety
    /// As [`Gpu::map_register`].
    pub(crate) unsafe fn map_register(
        &self,
        register: *mut u64,
        memory: UarMemory,
    ) -> Result<*mut u64> {
        let page = register as usize & !(PAGE_BYTES - 1);
        let offset = register as usize - page;
        let mut mapped = lock(&self.mapped);
        let entry = match mapped.get_mut(&page) {
            Some(entry) => entry,
            None => {
                // SAFETY: as the caller guarantees.
                let gpu = unsafe { self.platform.map_io(page, PAGE_BYTES, memory)? };
                mapped.entry(page).or_insert(MappedPage { gpu, users: 0 })
            }
        };
        entry.users += 1;
        Ok((entry.gpu + offset) as *mut u64)
    }

    /// # Safety
    /// As [`Gpu::unmap_register`].
    pub(crate) unsafe fn unmap_register(&self, register: *mut u64) -> Result<()> {
        let page = register as usize & !(PAGE_BYTES - 1);
        let mut mapped = lock(&self.mapped);
        let Some(entry) = mapped.get_mut(&page) else {
            return Err(Error::NotFound {
                object: "mapped doorbell page",
                name: Some(format!("{page:#x}")),
                hint: format!("gpu {} has not mapped it", self.id),
            });
        };
        if entry.users > 1 {
            entry.users -= 1;
            return Ok(());
        }
        // SAFETY: the last user is done with it, as the caller guarantees.
        unsafe { self.platform.unmap_io(page)? };
        mapped.remove(&page);
        Ok(())
    }
}

impl Drop for GpuInner {
    fn drop(&mut self) {
        for allocation in lock(&self.memory).values() {
            // SAFETY: live allocations, of which no handle is left: handles hold this object.
            if let Err(error) = unsafe { self.platform.free(allocation) } {
                log::error!("{error}");
            }
        }
    }
}

/// Memory of a GPU, freed when the last handle of it goes.
#[derive(Debug)]
pub struct Memory {
    pub(crate) inner: Arc<MemoryInner>,
}

#[derive(Debug)]
pub(crate) struct MemoryInner {
    pub(crate) gpu: Arc<GpuInner>,
    pub(crate) allocation: Allocation,
    freed: bool,
}

impl MemoryInner {
    /// Copies bytes to an offset.
    pub(crate) fn write(&self, offset: usize, bytes: &[u8]) -> Result<()> {
        self.gpu.write(self.at(offset, bytes.len())?, bytes)
    }

    /// Copies bytes from an offset.
    pub(crate) fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<()> {
        self.gpu.read(self.at(offset, bytes.len())?, bytes)
    }

    /// Sets bytes at an offset.
    pub(crate) fn fill(&self, offset: usize, value: u8, size: usize) -> Result<()> {
        self.gpu.fill(self.at(offset, size)?, value, size)
    }

    /// Address of a range at an offset.
    fn at(&self, offset: usize, size: usize) -> Result<usize> {
        if offset.checked_add(size).is_some_and(|end| end <= self.allocation.size) {
            return Ok(self.allocation.gpu + offset);
        }
        let value = format!("{size} bytes at {offset}");
        let expected = format!("the memory has {} bytes", self.allocation.size);
        Err(Error::invalid("range of memory", value, expected))
    }

    /// Frees the memory; does nothing if it is freed already.
    fn close(&mut self) -> Result<()> {
        if self.freed {
            return Ok(());
        }
        // SAFETY: whoever uses the memory holds this object, and nobody but the caller does.
        unsafe { self.gpu.free(self.allocation.gpu)? };
        self.freed = true;
        Ok(())
    }
}

impl Drop for MemoryInner {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            log::error!("{error}");
        }
    }
}

impl Memory {
    /// Address as the GPU sees it.
    pub fn gpu_address(&self) -> usize {
        self.inner.allocation.gpu
    }

    /// Address as the CPU sees it, if it does.
    pub fn cpu_ptr(&self) -> Option<*mut u8> {
        self.inner.allocation.cpu.map(|address| address as *mut u8)
    }

    /// Bytes.
    pub fn size(&self) -> usize {
        self.inner.allocation.size
    }

    /// Copies bytes to an offset. Copies of the CPU follow each other; the NIC's accesses and those of kernels are DMA, so
    /// that bytes which they use at the same time can be old or new, each for itself.
    pub fn write(&self, offset: usize, bytes: &[u8]) -> Result<()> {
        self.inner.write(offset, bytes)
    }

    /// Copies bytes from an offset; as [`Memory::write`] beside the NIC and kernels.
    pub fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<()> {
        self.inner.read(offset, bytes)
    }

    /// Sets bytes at an offset.
    pub fn fill(&self, offset: usize, value: u8, size: usize) -> Result<()> {
        self.inner.fill(offset, value, size)
    }

    /// Frees the memory; [`Error::InUse`] while a memory region or umem of it lives.
    pub fn free(self) -> Result<(), Refused<Self>> {
        match Arc::try_unwrap(self.inner) {
            Ok(mut inner) => inner.close().map_err(|error| {
                let inner = Arc::new(inner);
                Refused::new(Self { inner }, error)
            }),
            Err(inner) => {
                let error = Error::InUse {
                    object: format!("memory at {:#x}", inner.allocation.gpu),
                    users: Arc::strong_count(&inner) - 1,
                };
                Err(Refused::new(Self { inner }, error))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cpu() -> Gpu {
        Gpu::with_platform("cpu", Box::new(cpu::CpuExecutor::default()))
    }

    #[test]
    fn bad_sizes_and_alignments_are_named() {
        let gpu = cpu();
        let kind = MemoryKind::Gpu;
        for (size, alignment, want) in [
            (0, 64, "memory size is 0"),
            (64, 3, "memory alignment is 3"),
            (1 << 60, 64, "1152921504606846976"),
        ] {
            let message = gpu.allocate(kind, size, alignment).unwrap_err().to_string();
            assert!(message.contains(want), "{message}");
        }
        let error = gpu.allocate(MemoryKind::GpuCpuDataDirect, 64, 64).unwrap_err();
        assert!(error.to_string().contains("GpuCpuDataDirect"));
    }

    #[test]
    fn an_unknown_pointer_is_refused_and_a_known_one_freed_once() {
        let gpu = cpu();
        let memory = gpu.allocate_raw(MemoryKind::CpuGpu, 100, 4096).unwrap();
        assert_eq!(memory.cpu, Some(memory.gpu));
        // SAFETY: nothing uses the memory.
        unsafe {
            assert!(
                gpu.free(memory.gpu + 1).unwrap_err().to_string().contains("not an allocation")
            );
            gpu.free(memory.gpu).unwrap();
            assert!(gpu.free(memory.gpu).is_err());
        }
    }

    #[test]
    fn a_gpu_with_memory_is_in_use() {
        let gpu = cpu();
        let memory = gpu.allocate(MemoryKind::Gpu, 1, 0).unwrap();
        let refused = gpu.destroy().unwrap_err();
        assert!(refused.error.to_string().contains("gpu cpu is in use"));
        memory.free().unwrap();
        refused.handle.destroy().unwrap();
    }

    #[test]
    fn a_page_of_registers_is_mapped_once_and_counted() {
        let gpu = cpu();
        let page = host_memory::HostMemory::new(4096, 4096).unwrap();
        let at = |offset: usize| (page.address() + offset) as *mut u64;
        // SAFETY: the page lives to the end of the test.
        unsafe {
            assert_eq!(gpu.map_register(at(0x800), UarMemory::Host).unwrap(), at(0x800));
            assert_eq!(gpu.map_register(at(0x600), UarMemory::Host).unwrap(), at(0x600));
            assert!(gpu.can_map_register(at(0x800), UarMemory::Host));
        }
        // SAFETY: mapped above, and no kernel runs.
        unsafe {
            gpu.unmap_register(at(0x800)).unwrap();
            gpu.unmap_register(at(0x600)).unwrap();
            assert!(gpu.unmap_register(at(0x800)).is_err());
        }
    }

    #[test]
    fn an_unknown_gpu_id_is_an_error_that_names_it() {
        for id in ["99", "0000:ff:1f.7"] {
            let message = Gpu::open(id).unwrap_err().to_string();
            assert!(message.contains(id), "{message}");
        }
        for id in ["CPU", "x", "", "-1"] {
            let message = Gpu::open(id).unwrap_err().to_string();
            let want = format!("gpu id is \"{id}\": use cpu, a CUDA ordinal or a PCI id");
            assert!(message.starts_with(&want), "{message}");
        }
    }
}
