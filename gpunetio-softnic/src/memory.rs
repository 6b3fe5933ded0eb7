//! Client memory as the NIC reaches it: the only module that touches it.
//!
//! Whoever makes a [`Span`] vouches for its memory (`unsafe`). What reads and writes through it stays inside this crate, and
//! so do the spans of objects: code that holds a fabric can neither reach client memory nor carry a span past its object.
//!
//! A [`Span`] is a stretch of registered memory. It is a pair of numbers, never a reference: clients, kernels and other
//! NICs change the bytes at any time. Accesses that carry a protocol (doorbell records, doorbell registers, the tail of a
//! CQE) are atomic; payload moves by bytes, as DMA does, with no promise to a reader that does not wait for the CQE.
#![allow(unsafe_code)]

use core::ops::Range;
use core::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
use std::sync::Arc;

use gpunetio_prm::cqe::{CQE_BYTES, CQE_TAIL};
use gpunetio_prm::doorbell::UAR_PAGE_BYTES;
use gpunetio_prm::id::{Mkey, Pdn};

use crate::slab::Slab;

/// A stretch of registered client memory.
///
/// Code outside this crate can make one, and not take one from an object that somebody else's promise made:
///
/// ```compile_fail
/// fn escapes(umem: &gpunetio_softnic::object::Umem) -> gpunetio_softnic::memory::Span {
///     umem.span
/// }
/// ```
///
/// # Validity
/// A span is made only from memory that a client registers (MR, umem). As with a real NIC, the client keeps it mapped until
/// it has deregistered it. A umem cannot be deregistered while a queue or doorbell record lies in it. A memory region can at
/// any time: nothing keeps its span from one message to the next, and work that still names its key fails.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Span {
    addr: usize,
    len: usize,
}

impl Span {
    /// The span of `len` bytes at `addr`.
    ///
    /// # Safety
    /// The bytes stay mapped, readable and (if the NIC is to write them) writable until what was made of the span is
    /// deregistered and destroyed, or the fabric dropped, and they are accessed as DMA memory is meanwhile: no Rust reference
    /// to them may be alive.
    pub const unsafe fn new(addr: usize, len: usize) -> Self {
        Self { addr, len }
    }

    /// Bytes.
    pub const fn len(self) -> usize {
        self.len
    }

    /// True for no bytes.
    pub const fn is_empty(self) -> bool {
        self.len == 0
    }

    /// Address of the first byte, for messages and alignment checks.
    pub const fn addr(self) -> usize {
        self.addr
    }

    /// Addresses of all bytes, for diagnosis.
    pub const fn addresses(self) -> Range<usize> {
        self.addr..self.addr + self.len
    }

    /// The `len` bytes at `offset`; `None` if they leave the span.
    pub fn part(self, offset: u64, len: u64) -> Option<Self> {
        let (offset, len) = (usize::try_from(offset).ok()?, usize::try_from(len).ok()?);
        (offset.checked_add(len)? <= self.len).then(|| Self { addr: self.addr + offset, len })
    }

    /// Reads `N` bytes at `offset`, which must lie inside.
    #[inline]
    pub(crate) fn read<const N: usize>(self, offset: usize) -> [u8; N] {
        assert!(self.holds(offset, N), "read of {N} bytes at {offset} of a span of {}", self.len);
        let mut bytes = [0; N];
        // SAFETY: the range was checked against the span, which is mapped by its contract; the target is ours.
        unsafe {
            core::ptr::copy_nonoverlapping(
                (self.addr + offset) as *const u8,
                bytes.as_mut_ptr(),
                N,
            );
        }
        bytes
    }

    /// Copies the first bytes of the span into `bytes`.
    #[cfg(test)]
    pub(crate) fn read_into(self, bytes: &mut [u8]) {
        assert!(bytes.len() <= self.len, "read of {} bytes of a span of {}", bytes.len(), self.len);
        // SAFETY: as in `read`.
        unsafe {
            core::ptr::copy_nonoverlapping(self.addr as *const u8, bytes.as_mut_ptr(), bytes.len());
        }
    }

    /// Writes `bytes` at the start of the span.
    ///
    /// Four or eight aligned bytes go in one store, so that a poller of the data sees all of them or none.
    pub(crate) fn write(self, bytes: &[u8]) {
        assert!(
            bytes.len() <= self.len,
            "write of {} bytes to a span of {}",
            bytes.len(),
            self.len
        );
        match *bytes {
            [a, b, c, d, e, f, g, h] if self.addr.is_multiple_of(8) => self
                .atomic_u64(0)
                .store(u64::from_ne_bytes([a, b, c, d, e, f, g, h]), Ordering::Relaxed),
            [a, b, c, d] if self.addr.is_multiple_of(4) => {
                self.atomic_u32(0).store(u32::from_ne_bytes([a, b, c, d]), Ordering::Relaxed);
            }
            // SAFETY: the range was checked against the span, which is mapped and writable by its contract; the source is ours.
            _ => unsafe {
                core::ptr::copy_nonoverlapping(bytes.as_ptr(), self.addr as *mut u8, bytes.len());
            },
        }
    }

    /// Copies all of `source` to the start of the span; the two may overlap.
    ///
    /// Four or eight aligned bytes go in one store, as in [`Self::write`].
    #[inline]
    pub(crate) fn copy_from(self, source: Self) {
        assert!(source.len <= self.len, "copy of {} bytes to a span of {}", source.len, self.len);
        let alignment = self.addr | source.addr;
        if source.len == 8 && alignment.is_multiple_of(8) {
            self.atomic_u64(0)
                .store(source.atomic_u64(0).load(Ordering::Relaxed), Ordering::Relaxed);
            return;
        }
        if source.len == 4 && alignment.is_multiple_of(4) {
            self.atomic_u32(0)
                .store(source.atomic_u32(0).load(Ordering::Relaxed), Ordering::Relaxed);
            return;
        }
        // SAFETY: both ranges are mapped by the contract of spans; `copy` allows overlap.
        unsafe {
            core::ptr::copy(source.addr as *const u8, self.addr as *mut u8, source.len);
        }
    }

    /// True if `len` bytes at `offset` lie inside; no sum that could wrap.
    const fn holds(self, offset: usize, len: usize) -> bool {
        len <= self.len && offset <= self.len - len
    }

    fn atomic_u32(self, offset: usize) -> &'static AtomicU32 {
        let addr = self.addr.wrapping_add(offset);
        assert!(self.holds(offset, 4) && addr.is_multiple_of(4), "u32 at {offset} of {self:?}");
        // SAFETY: four mapped, aligned bytes; an atomic may be shared with any other access of atomics, which is how
        // clients access doorbell records and CQE tails. The lifetime does not escape this module's callers' statement.
        unsafe { &*(addr as *const AtomicU32) }
    }

    fn atomic_u64(self, offset: usize) -> &'static AtomicU64 {
        let addr = self.addr.wrapping_add(offset);
        assert!(self.holds(offset, 8) && addr.is_multiple_of(8), "u64 at {offset} of {self:?}");
        // SAFETY: as in `atomic_u32`, with eight bytes.
        unsafe { &*(addr as *const AtomicU64) }
    }

    /// A big-endian dword that a client publishes, such as a doorbell record.
    ///
    /// Acquire: partner of the client's release store (or fence) before the record; orders its WQEs before our reads of them.
    pub(crate) fn load_be32_acquire(self, offset: usize) -> u32 {
        u32::from_be(self.atomic_u32(offset).load(Ordering::Acquire))
    }

    /// Publishes a CQE: all but its last four bytes, then, released, the last four, which a poller reads first.
    ///
    /// Release: orders the payload that the NIC wrote and the CQE's other bytes before its tail; partner is the poller's
    /// acquire after it saw the tail.
    #[inline]
    pub(crate) fn publish_cqe(self, cqe: &[u8; CQE_BYTES]) {
        self.write(&cqe[..CQE_TAIL]);
        let mut tail = [0; 4];
        tail.copy_from_slice(&cqe[CQE_TAIL..]);
        self.atomic_u32(CQE_TAIL).store(u32::from_ne_bytes(tail), Ordering::Release);
    }

    /// Atomically replaces an aligned, host-endian value of four bytes by what `update` makes of it; returns the old one.
    pub(crate) fn fetch_update_u32(self, update: impl Fn(u32) -> u32) -> u32 {
        let cell = self.atomic_u32(0);
        let mut old = cell.load(Ordering::Relaxed);
        // AcqRel: the target of an RDMA atomic may be a lock or counter of CPU or GPU threads; partners are their atomics.
        while let Err(seen) =
            cell.compare_exchange_weak(old, update(old), Ordering::AcqRel, Ordering::Relaxed)
        {
            old = seen;
        }
        old
    }

    /// As [`Self::fetch_update_u32`], with eight bytes.
    pub(crate) fn fetch_update_u64(self, update: impl Fn(u64) -> u64) -> u64 {
        let cell = self.atomic_u64(0);
        let mut old = cell.load(Ordering::Relaxed);
        // AcqRel: as above.
        while let Err(seen) =
            cell.compare_exchange_weak(old, update(old), Ordering::AcqRel, Ordering::Relaxed)
        {
            old = seen;
        }
        old
    }
}

/// A page of doorbell registers: zeroed memory of the NIC's own. Clones are the same page, which is unmapped with the last.
#[derive(Debug, Clone)]
pub struct RegisterPage {
    /// Beside the mapping that it is taken from, so that polling follows no pointer.
    addr: usize,
    _mapping: Arc<Mapping>,
}

#[derive(Debug)]
struct Mapping {
    addr: usize,
}

impl RegisterPage {
    /// Maps a page; the error is the system's.
    pub fn map() -> std::io::Result<Self> {
        // SAFETY: an anonymous mapping at an address that the kernel picks touches no memory in use.
        let addr = unsafe {
            libc::mmap(
                core::ptr::null_mut(),
                UAR_PAGE_BYTES,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if addr == libc::MAP_FAILED {
            return Err(std::io::Error::last_os_error());
        }
        let addr = addr as usize;
        Ok(Self { addr, _mapping: Arc::new(Mapping { addr }) })
    }

    /// Address of the page, as clients get it.
    pub const fn addr(&self) -> usize {
        self.addr
    }

    /// The register of eight bytes at `offset`, which lies inside the page on a multiple of eight.
    fn register(&self, offset: usize) -> &AtomicU64 {
        let inside = offset <= UAR_PAGE_BYTES - 8 && offset.is_multiple_of(8);
        assert!(inside, "no register at offset {offset:#x} of a page of {UAR_PAGE_BYTES} bytes");
        // SAFETY: aligned and inside the mapping, which `self` keeps; clients access registers by atomics too.
        unsafe { &*((self.addr + offset) as *const AtomicU64) }
    }

    /// Rings: stores the eight bytes of a doorbell, as a client does through its mapping of the page.
    ///
    /// Release: orders the client's WQEs and doorbell record before the doorbell; partner is [`Self::take`].
    pub fn ring(&self, offset: usize, doorbell: [u8; 8]) {
        self.register(offset).store(u64::from_ne_bytes(doorbell), Ordering::Release);
    }

    /// True if the register at `offset` was rung since it was last taken. A relaxed peek for the poll loop; [`Self::take`]
    /// does the ordering.
    pub fn rung(&self, offset: usize) -> bool {
        self.register(offset).load(Ordering::Relaxed) != 0
    }

    /// Takes the eight bytes of a register and leaves zeros, so that the same value rung again is seen again.
    ///
    /// Acquire: partner of the client's release of its WQEs and doorbell record before the doorbell store.
    pub fn take(&self, offset: usize) -> [u8; 8] {
        self.register(offset).swap(0, Ordering::Acquire).to_ne_bytes()
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: the mapping made by `map`, unmapped once: every `RegisterPage` of it is gone, and with them all borrows.
        unsafe { libc::munmap(self.addr as *mut libc::c_void, UAR_PAGE_BYTES) };
    }
}

/// Release fence between payload and a CQE or a later message's payload that a client may poll on.
///
/// Partner: the acquire of whoever polls the CQE, or the flag that a later WRITE or atomic of the same QP set.
pub(crate) fn order_payload() {
    fence(Ordering::Release);
}

/// What a memory region allows, from `IBV_ACCESS_*`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Access(pub u8);

impl Access {
    /// Reading by the local queue needs no bit.
    pub const LOCAL_READ: Self = Self(0);
    /// The NIC may write on behalf of a local queue.
    pub const LOCAL_WRITE: Self = Self(1);
    /// A remote may write.
    pub const REMOTE_WRITE: Self = Self(1 << 1);
    /// A remote may read.
    pub const REMOTE_READ: Self = Self(1 << 2);
    /// A remote may do atomics.
    pub const REMOTE_ATOMIC: Self = Self(1 << 3);

    /// True if every bit of `other` is in `self`.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

/// A registered memory region.
#[derive(Debug)]
pub struct MemoryRegion {
    /// The key's low byte.
    pub variant: u8,
    /// Protection domain.
    pub pd: Pdn,
    /// Address that keys are used with.
    pub iova: u64,
    /// The memory.
    pub(crate) span: Span,
    /// What it allows.
    pub access: Access,
}

/// Why an access was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Fault {
    /// No region has this key.
    #[error("no memory region has key {0}")]
    Key(Mkey),
    /// The region belongs to another protection domain.
    #[error("memory region {key} is of PD {has}, the queue of PD {needs}")]
    ProtectionDomain {
        /// Key used.
        key: Mkey,
        /// PD of the region.
        has: Pdn,
        /// PD of the queue.
        needs: Pdn,
    },
    /// The range leaves the region.
    #[error("{len} bytes at {addr:#x} leave memory region {key}")]
    Bounds {
        /// Key used.
        key: Mkey,
        /// First address.
        addr: u64,
        /// Bytes.
        len: u64,
    },
    /// The region does not allow it.
    #[error("memory region {key} does not allow access {needs:?}")]
    Rights {
        /// Key used.
        key: Mkey,
        /// What was tried.
        needs: Access,
    },
}

/// The device's memory regions by key: 24-bit index and random low byte.
#[derive(Debug)]
pub struct MemoryTable {
    regions: Slab<MemoryRegion>,
}

/// Index of the first memory region; low indices are reserved, as on hardware.
const FIRST_MKEY_INDEX: u32 = 0x10;

impl MemoryTable {
    /// A table of at most `limit` regions.
    pub fn new(limit: usize) -> Self {
        Self { regions: Slab::new(FIRST_MKEY_INDEX, limit) }
    }

    /// Adds a region and returns its key; `None` if the table is full.
    pub fn insert(&mut self, region: MemoryRegion) -> Option<Mkey> {
        let variant = region.variant;
        let index = self.regions.insert_with(|_| region)?;
        Some(Mkey(index << 8 | u32::from(variant)))
    }

    /// Removes a region.
    pub fn remove(&mut self, key: Mkey) -> Option<MemoryRegion> {
        self.get(key)?;
        self.regions.remove(key.0 >> 8)
    }

    /// The region with this very key.
    pub fn get(&self, key: Mkey) -> Option<&MemoryRegion> {
        self.regions.get(key.0 >> 8).filter(|region| region.variant == key.0 as u8)
    }

    /// Regions with their keys.
    pub fn iter(&self) -> impl Iterator<Item = (Mkey, &MemoryRegion)> {
        self.regions
            .iter()
            .map(|(index, region)| (Mkey(index << 8 | u32::from(region.variant)), region))
    }

    /// The `len` bytes at `addr` under `key`, for a queue of `pd` that needs `needs`.
    ///
    /// A zero-length access is checked like any other but for its address, as on hardware.
    #[inline]
    pub(crate) fn translate(
        &self,
        key: Mkey,
        pd: Pdn,
        addr: u64,
        len: u64,
        needs: Access,
    ) -> Result<Span, Fault> {
        let region = self.get(key).ok_or(Fault::Key(key))?;
        if region.pd != pd {
            return Err(Fault::ProtectionDomain { key, has: region.pd, needs: pd });
        }
        if !region.access.contains(needs) {
            return Err(Fault::Rights { key, needs });
        }
        let bounds = Fault::Bounds { key, addr, len };
        if len == 0 {
            return region.span.part(0, 0).ok_or(bounds);
        }
        let offset = addr.checked_sub(region.iova).ok_or(bounds)?;
        region.span.part(offset, len).ok_or(bounds)
    }
}

#[cfg(test)]
pub(crate) mod test_memory {
    //! Client memory for tests.

    use super::Span;

    /// Zeroed memory of at least `len` bytes, aligned to 64, which lives as long as the process.
    pub(crate) fn client_memory(len: usize) -> Span {
        #[derive(Clone, Copy)]
        #[repr(align(64))]
        struct Line(#[allow(dead_code)] [u8; 64]);
        let lines: &'static mut [Line] =
            Box::leak(vec![Line([0; 64]); len.div_ceil(64)].into_boxed_slice());
        let addr = lines.as_mut_ptr() as usize;
        // SAFETY: leaked, so mapped for ever; the reference is not used after its address was taken.
        unsafe { Span::new(addr, len) }
    }
}

#[cfg(test)]
mod tests {
    use super::test_memory::client_memory;

    #[test]
    #[should_panic(expected = "read of 8 bytes")]
    fn an_offset_that_wraps_is_outside() {
        client_memory(64).read::<8>(usize::MAX - 3);
    }

    #[test]
    #[should_panic(expected = "u32 at")]
    fn a_dword_past_the_end_is_outside() {
        client_memory(64).load_be32_acquire(usize::MAX - 3);
    }
}
