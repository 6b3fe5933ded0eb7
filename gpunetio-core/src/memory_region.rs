//! Memory that work requests can name: registration gives a local and a remote key.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::ops::BitOr;
use std::os::fd::AsRawFd;
use std::ptr::NonNull;
use std::sync::Arc;

use gpunetio_prm::id::Mkey;

use crate::error::{Error, Refused, Result};
use crate::gpu::{Memory, MemoryInner};
use crate::nic::{Pd, PdInner};
use crate::sys;

/// What may be done with registered memory.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Access(pub u32);

impl Access {
    /// Local reads only.
    pub const LOCAL_READ: Self = Self(0);
    /// Local writes: targets of receives, READs and atomics' results.
    pub const LOCAL_WRITE: Self = Self(sys::IBV_ACCESS_LOCAL_WRITE as u32);
    /// Remote writes.
    pub const REMOTE_WRITE: Self = Self(sys::IBV_ACCESS_REMOTE_WRITE as u32);
    /// Remote reads.
    pub const REMOTE_READ: Self = Self(sys::IBV_ACCESS_REMOTE_READ as u32);
    /// Remote atomics.
    pub const REMOTE_ATOMIC: Self = Self(sys::IBV_ACCESS_REMOTE_ATOMIC as u32);
    /// PCIe relaxed ordering.
    pub const RELAXED_ORDERING: Self = Self(sys::IBV_ACCESS_RELAXED_ORDERING as u32);
    /// Everything but relaxed ordering.
    pub const ALL: Self = Self(
        Self::LOCAL_WRITE.0 | Self::REMOTE_WRITE.0 | Self::REMOTE_READ.0 | Self::REMOTE_ATOMIC.0,
    );
}

impl Access {
    /// Flags that a provider may ignore (verbs.h: optional access flags), relaxed ordering among them.
    const OPTIONAL: u32 = 0x3ff0_0000;

    /// [`Error::InvalidValue`] for flags that no provider knows or that do not go together; `what` they are for.
    pub(crate) fn check(self, what: &str) -> Result<()> {
        let bad = |expected: String| {
            Err(Error::invalid(format!("access of {what}"), format!("{:#x}", self.0), expected))
        };
        let unknown = self.0 & !(Self::ALL.0 | Self::OPTIONAL);
        if unknown != 0 {
            return bad(format!(
                "{unknown:#x} is not known: use local write 0x1, remote write 0x2, remote read 0x4, remote atomic 0x8, \
                 relaxed ordering {:#x}",
                Self::RELAXED_ORDERING.0
            ));
        }
        let writes = Self::REMOTE_WRITE.0 | Self::REMOTE_ATOMIC.0;
        if self.0 & writes != 0 && self.0 & Self::LOCAL_WRITE.0 == 0 {
            return bad("remote writes and atomics need local writes".to_owned());
        }
        Ok(())
    }
}

impl BitOr for Access {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// Registered memory.
#[derive(Debug)]
pub struct MemoryRegion {
    mr: Option<NonNull<sys::ibv_mr>>,
    iova: u64,
    size: usize,
    keys: (Mkey, Mkey),
    pd: Arc<PdInner>,
    _memory: Option<Arc<MemoryInner>>,
}

// SAFETY: an MR is a handle of its PD; the calls on it are thread-safe.
unsafe impl Send for MemoryRegion {}
// SAFETY: as for Send.
unsafe impl Sync for MemoryRegion {}

impl MemoryRegion {
    /// Registers the whole of a GPU's memory; work requests name it by its GPU address.
    pub fn register(pd: &Pd, memory: &Memory, access: Access) -> Result<Self> {
        let allocation = memory.inner.allocation;
        let iova = allocation.gpu as u64;
        let mut region = match allocation.cpu {
            // SAFETY: the region keeps the memory alive.
            Some(cpu) => unsafe { Self::register_raw(pd, cpu, allocation.size, iova, access)? },
            None => {
                let by_dmabuf = || {
                    let whole = memory.inner.gpu.dmabuf(allocation.gpu, allocation.size)?;
                    let fd = whole.fd.as_raw_fd();
                    Self::register_dmabuf(pd, fd, whole.offset, allocation.size, iova, access)
                };
                match by_dmabuf() {
                    Ok(region) => region,
                    Err(error) => {
                        log::debug!("{error}; registering by address");
                        // SAFETY: the region keeps the memory alive.
                        unsafe {
                            Self::register_raw(pd, allocation.gpu, allocation.size, iova, access)?
                        }
                    }
                }
            }
        };
        region._memory = Some(Arc::clone(&memory.inner));
        Ok(region)
    }

    /// Registers `size` bytes at `address`, named by work requests from `iova` on.
    ///
    /// # Safety
    /// The memory is valid until the region is deregistered, and whoever uses it expects the NIC to change it.
    pub unsafe fn register_raw(
        pd: &Pd,
        address: usize,
        size: usize,
        iova: u64,
        access: Access,
    ) -> Result<Self> {
        Self::check(size, access)?;
        let verbs = &pd.inner.nic.provider.verbs;
        let (raw_pd, start) = (pd.inner.pd.as_ptr(), address as *mut c_void);
        // SAFETY: the PD is alive; the caller answers for the memory.
        let mr = unsafe {
            match verbs.reg_mr_iova2 {
                _ if iova == address as u64 => (verbs.reg_mr)(raw_pd, start, size, access.0 as i32),
                Some(reg) => reg(raw_pd, start, size, iova, access.0),
                None => {
                    return Err(Error::NotSupported(format!(
                        "{} cannot register memory at another address ({iova:#x})",
                        pd.inner.nic.provider.name
                    )));
                }
            }
        };
        Self::wrap(pd, mr, "ibv_reg_mr", size, iova)
    }

    /// Registers part of a dma-buf, named by work requests from `iova` on. The descriptor stays the caller's.
    pub fn register_dmabuf(
        pd: &Pd,
        fd: i32,
        offset: u64,
        size: usize,
        iova: u64,
        access: Access,
    ) -> Result<Self> {
        Self::check(size, access)?;
        let nic = &pd.inner.nic;
        let Some(register) = nic.provider.verbs.reg_dmabuf_mr else {
            return Err(Error::NotSupported(format!(
                "{} cannot register dma-bufs: it lacks ibv_reg_dmabuf_mr",
                nic.provider.name
            )));
        };
        // SAFETY: the PD is alive; the kernel checks the descriptor and takes its own reference.
        let mr = unsafe { register(pd.inner.pd.as_ptr(), offset, size, iova, fd, access.0 as i32) };
        Self::wrap(pd, mr, "ibv_reg_dmabuf_mr", size, iova)
    }

    fn check(size: usize, access: Access) -> Result<()> {
        if size == 0 {
            return Err(Error::invalid("size of a memory region", 0, "register at least one byte"));
        }
        access.check("a memory region")
    }

    fn wrap(
        pd: &Pd,
        mr: *mut sys::ibv_mr,
        call: &'static str,
        size: usize,
        iova: u64,
    ) -> Result<Self> {
        let Some(mr) = NonNull::new(mr) else {
            return Err(Error::last_os(call, format!("{size} bytes at {iova:#x}")));
        };
        // SAFETY: the provider returned a live MR.
        let keys = unsafe { (Mkey(mr.as_ref().lkey), Mkey(mr.as_ref().rkey)) };
        let pd = Arc::clone(&pd.inner);
        Ok(Self { mr: Some(mr), iova, size, keys, pd, _memory: None })
    }

    /// Key for work requests of this PD. Device code takes it big-endian, as work requests carry it: [`Mkey::to_be`].
    pub fn lkey(&self) -> Mkey {
        self.keys.0
    }

    /// Key for peers; big-endian for device code, as [`MemoryRegion::lkey`].
    pub fn rkey(&self) -> Mkey {
        self.keys.1
    }

    /// First address that work requests can name: [`Memory::gpu_address`] after [`MemoryRegion::register`].
    pub fn iova(&self) -> u64 {
        self.iova
    }

    /// Bytes.
    pub fn size(&self) -> usize {
        self.size
    }

    fn close(&mut self) -> Result<()> {
        let Some(mr) = self.mr.take() else { return Ok(()) };
        // SAFETY: the MR is alive and given up here.
        match unsafe { (self.pd.nic.provider.verbs.dereg_mr)(mr.as_ptr()) } {
            0 => Ok(()),
            rc => {
                self.mr = Some(mr);
                Err(Error::code("ibv_dereg_mr", format!("memory region {}", self.keys.0), rc))
            }
        }
    }

    /// Deregisters the memory.
    pub fn deregister(mut self) -> Result<(), Refused<Self>> {
        match self.close() {
            Ok(()) => Ok(()),
            Err(error) => Err(Refused::new(self, error)),
        }
    }
}

impl Drop for MemoryRegion {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            log::error!("{error}");
            // The NIC may go on writing: memory that it was not made to let go of is never given to anybody else.
            core::mem::forget(self._memory.take());
        }
    }
}
