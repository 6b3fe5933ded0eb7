//! Host memory in whole pages, zeroed, aligned as asked.
#![allow(unsafe_code)]

use std::io;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, PoisonError};

use crate::error::{Error, Result};

/// Bytes of a page, as far as alignment goes; larger system pages are multiples of it.
pub(crate) const PAGE_BYTES: usize = 4096;

/// Rounds up to whole pages.
pub(crate) const fn pages(bytes: usize) -> usize {
    bytes.next_multiple_of(PAGE_BYTES)
}

/// Bytes of a page of this system.
pub(crate) fn system_page() -> usize {
    // SAFETY: the call reads a constant of the system.
    let bytes = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
    usize::try_from(bytes).ok().filter(|page| page.is_power_of_two()).unwrap_or(PAGE_BYTES)
}

/// A private anonymous mapping.
#[derive(Debug)]
pub(crate) struct HostMemory {
    start: NonNull<u8>,
    mapped: (NonNull<u8>, usize),
    size: usize,
    _reserved: Reserved,
    /// Held over copies, so that those of several threads follow each other.
    copying: Mutex<()>,
}

// SAFETY: plain memory; who accesses it by address, and how, is up to the owner.
unsafe impl Send for HostMemory {}
// SAFETY: as for Send; methods here read and write it one after the other.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// Maps `size` bytes at a multiple of `alignment`, a power of two.
    pub(crate) fn new(size: usize, alignment: usize) -> Result<Self> {
        let out_of_memory =
            |reason: String| Error::NoMemory { size, what: "host memory".to_owned(), reason };
        let slack = if alignment > PAGE_BYTES { alignment } else { 0 };
        let length = size
            .checked_next_multiple_of(PAGE_BYTES)
            .and_then(|l| l.checked_add(slack))
            .ok_or_else(|| out_of_memory("the size overflows".to_owned()))?;
        let reserved = HELD.reserve(size as u64, &Free::now()).map_err(out_of_memory)?;
        // SAFETY: a fresh anonymous mapping touches no existing memory.
        let mapped = unsafe {
            libc::mmap(
                core::ptr::null_mut(),
                length,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if mapped == libc::MAP_FAILED {
            return Err(out_of_memory(io::Error::last_os_error().to_string()));
        }
        let Some(base) = NonNull::new(mapped.cast::<u8>()) else {
            return Err(out_of_memory("mmap gave address 0".to_owned()));
        };
        let skip = (base.as_ptr() as usize).next_multiple_of(alignment) - base.as_ptr() as usize;
        // SAFETY: `skip` is below `slack` where that is not 0, else 0, so the address is inside the mapping.
        let start = unsafe { base.add(skip) };
        Ok(Self {
            start,
            mapped: (base, length),
            size,
            _reserved: reserved,
            copying: Mutex::new(()),
        })
    }

    /// Start of a range; [`Error::InvalidValue`] if it is not in the memory.
    fn range(&self, offset: usize, size: usize) -> Result<*mut u8> {
        if offset.checked_add(size).is_some_and(|end| end <= self.size) {
            return Ok(self.start.as_ptr().wrapping_add(offset));
        }
        let value = format!("{size} bytes at {offset}");
        let expected = format!("the memory has {} bytes", self.size);
        Err(Error::invalid("range of host memory", value, expected))
    }

    /// Sets bytes at an offset.
    pub(crate) fn fill(&self, offset: usize, value: u8, size: usize) -> Result<()> {
        let at = self.range(offset, size)?;
        let _alone = self.copying.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the range is checked and the mapping ours; no other copy runs.
        unsafe { at.write_bytes(value, size) };
        Ok(())
    }

    /// Copies bytes from an offset.
    pub(crate) fn read(&self, offset: usize, bytes: &mut [u8]) -> Result<()> {
        let at = self.range(offset, bytes.len())?;
        let _alone = self.copying.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: as in `fill`; the caller's bytes are not part of a mapping that nobody else refers to.
        unsafe { at.copy_to_nonoverlapping(bytes.as_mut_ptr(), bytes.len()) };
        Ok(())
    }

    pub(crate) fn address(&self) -> usize {
        self.start.as_ptr() as usize
    }

    pub(crate) fn size(&self) -> usize {
        self.size
    }
}

impl Drop for HostMemory {
    fn drop(&mut self) {
        let (base, length) = self.mapped;
        // SAFETY: the mapping was made by `new` and nothing refers to it after its owner.
        unsafe { libc::munmap(base.as_ptr().cast(), length) };
    }
}

/// Bytes of a kind that this process has mapped. A system gives pages at their first use only and so grants more than it
/// has: without a count, what does not fit would end the process later.
#[derive(Debug, Default)]
struct Held(AtomicU64);

static HELD: Held = Held(AtomicU64::new(0));

/// A part of [`Held`], given back when it drops.
#[derive(Debug)]
struct Reserved {
    held: &'static Held,
    size: u64,
}

impl Held {
    /// Counts `size` bytes more, or says why not.
    fn reserve(&'static self, size: u64, free: &Free) -> Result<Reserved, String> {
        // Relaxed, here and below: a count that orders no other memory.
        let held = self.0.fetch_add(size, Ordering::Relaxed);
        let reserved = Reserved { held: self, size };
        if size > free.available {
            return Err(format!("this host has {} available", free.available));
        }
        if held.saturating_add(size) > free.total {
            let total = free.total;
            return Err(format!("this process holds {held} of the {total} that this host has"));
        }
        Ok(reserved)
    }
}

impl Drop for Reserved {
    fn drop(&mut self) {
        self.held.0.fetch_sub(self.size, Ordering::Relaxed);
    }
}

/// Memory of the host in bytes.
#[derive(Debug)]
struct Free {
    total: u64,
    /// What can be used now without swapping (proc(5), MemAvailable).
    available: u64,
}

impl Free {
    /// As the system says; `u64::MAX` for what it does not say.
    fn now() -> Self {
        let text = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
        Self::parse(&text)
    }

    fn parse(meminfo: &str) -> Self {
        let line = |name: &str| {
            let rest = meminfo.lines().find_map(|line| line.strip_prefix(name))?;
            let kib: u64 = rest.strip_prefix(':')?.trim().strip_suffix(" kB")?.parse().ok()?;
            kib.checked_mul(1024)
        };
        let total = line("MemTotal").unwrap_or(u64::MAX);
        Self { total, available: line("MemAvailable").unwrap_or(total) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_aligned_and_zero() {
        for alignment in [1, 64, 4096, 65536, 2 << 20] {
            let memory = HostMemory::new(100, alignment).unwrap();
            assert!(memory.address().is_multiple_of(alignment.max(PAGE_BYTES)));
            let mut bytes = [1; 100];
            memory.read(0, &mut bytes).unwrap();
            assert_eq!(bytes, [0; 100]);
            memory.fill(10, 7, 90).unwrap();
            memory.read(9, &mut bytes[..2]).unwrap();
            assert_eq!(bytes[..2], [0, 7]);
            let message = memory.fill(10, 7, 91).unwrap_err().to_string();
            assert!(message.contains("91 bytes at 10"), "{message}");
            assert!(memory.read(usize::MAX, &mut bytes).is_err());
        }
    }

    #[test]
    fn memory_is_refused_in_sum_and_given_back() {
        static HELD: Held = Held(AtomicU64::new(0));
        let free = Free { total: 100, available: 60 };
        let one = HELD.reserve(60, &free).unwrap();
        let message = HELD.reserve(61, &free).unwrap_err();
        assert_eq!(message, "this host has 60 available");
        let message = HELD.reserve(50, &free).unwrap_err();
        assert_eq!(message, "this process holds 60 of the 100 that this host has");
        let _two = HELD.reserve(40, &free).unwrap();
        drop(one);
        HELD.reserve(60, &free).unwrap();
        assert!(HELD.reserve(u64::MAX, &free).is_err());
    }

    #[test]
    fn what_is_mapped_is_counted_while_it_lives() {
        // More than all other tests of this process hold together.
        let size = 256 << 20;
        let memory = HostMemory::new(size, 64).unwrap();
        assert!(HELD.0.load(Ordering::Relaxed) >= size as u64);
        drop(memory);
        assert!(HELD.0.load(Ordering::Relaxed) < size as u64);
    }

    #[test]
    fn the_systems_memory_is_read() {
        let free = Free::parse("MemTotal:       100 kB\nMemFree:  1 kB\nMemAvailable:    50 kB\n");
        assert_eq!((free.total, free.available), (102_400, 51_200));
        let old = Free::parse("MemTotal:       100 kB\n");
        assert_eq!(old.available, 102_400);
        assert_eq!(Free::parse("").total, u64::MAX);
    }

    #[test]
    fn more_than_the_host_has_is_refused_with_the_size() {
        let message = HostMemory::new(1 << 60, 64).unwrap_err().to_string();
        assert!(message.contains(&(1usize << 60).to_string()), "{message}");
    }
}
