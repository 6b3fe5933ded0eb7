//! Host memory in whole pages, zeroed, aligned as asked.
#![allow(unsafe_code)]

use std::io;
use std::ptr::NonNull;

use crate::error::{Error, Result};

/// Bytes of a page, as far as alignment goes; larger system pages are multiples of it.
pub(crate) const PAGE_BYTES: usize = 4096;

/// Rounds up to whole pages.
pub(crate) const fn pages(bytes: usize) -> usize {
    bytes.next_multiple_of(PAGE_BYTES)
}

/// A private anonymous mapping.
#[derive(Debug)]
pub(crate) struct HostMemory {
    start: NonNull<u8>,
    mapped: (NonNull<u8>, usize),
    size: usize,
}

// SAFETY: plain memory; who accesses it, and how, is up to the owner.
unsafe impl Send for HostMemory {}
// SAFETY: as for Send; no method here reads or writes it.
unsafe impl Sync for HostMemory {}

impl HostMemory {
    /// Maps `size` bytes at a multiple of `alignment`, a power of two.
    pub(crate) fn new(size: usize, alignment: usize) -> Result<Self> {
        let out_of_memory =
            |reason: String| Error::NoMemory { size, what: "host memory".to_owned(), reason };
        let total = total_memory();
        if size as u64 > total {
            return Err(out_of_memory(format!("this host has {total}")));
        }
        let slack = if alignment > PAGE_BYTES { alignment } else { 0 };
        let length = size
            .checked_next_multiple_of(PAGE_BYTES)
            .and_then(|l| l.checked_add(slack))
            .ok_or_else(|| out_of_memory("the size overflows".to_owned()))?;
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
        Ok(Self { start, mapped: (base, length), size })
    }

    pub(crate) fn as_ptr(&self) -> *mut u8 {
        self.start.as_ptr()
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

/// Physical memory of the host in bytes; `u64::MAX` if the system does not say.
fn total_memory() -> u64 {
    // SAFETY: `info` is a plain struct that the call fills.
    unsafe {
        let mut info = core::mem::zeroed::<libc::sysinfo>();
        match libc::sysinfo(&mut info) {
            0 => (info.totalram as u64).saturating_mul(info.mem_unit.into()),
            _ => u64::MAX,
        }
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
            // SAFETY: the memory is 100 bytes and alive.
            let bytes = unsafe { core::slice::from_raw_parts(memory.as_ptr(), 100) };
            assert!(bytes.iter().all(|b| *b == 0));
        }
    }

    #[test]
    fn more_than_the_host_has_is_refused_with_the_size() {
        let message = HostMemory::new(1 << 60, 64).unwrap_err().to_string();
        assert!(message.contains(&(1usize << 60).to_string()), "{message}");
    }
}
