//! Protection domains, memory regions, umems and UAR pages.

use core::ffi::{c_int, c_uint, c_void};
use core::sync::atomic::{AtomicU8, Ordering};

use gpunetio_core::sys::{
    IBV_ACCESS_LOCAL_WRITE, IBV_ACCESS_REMOTE_ATOMIC, IBV_ACCESS_REMOTE_READ,
    IBV_ACCESS_REMOTE_WRITE, MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF, MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC,
    MLX5DV_UAR_ALLOC_TYPE_NC_DEDICATED, MLX5DV_UMEM_MASK_DMABUF, ibv_context, ibv_mr, ibv_pd,
    mlx5dv_devx_uar, mlx5dv_devx_umem, mlx5dv_devx_umem_in,
};
use gpunetio_prm::doorbell::SQ_DOORBELL_OFFSET;

use super::null;
use super::registry::{Object, Registry};
use crate::command::resource::{self, NewRegion};
use crate::memory::{Access, Span};

/// Access flags that mean something here.
const ACCESS: c_int = IBV_ACCESS_LOCAL_WRITE
    | IBV_ACCESS_REMOTE_WRITE
    | IBV_ACCESS_REMOTE_READ
    | IBV_ACCESS_REMOTE_ATOMIC;
/// Access flags that a provider may ignore (verbs.h: optional access flags), relaxed ordering among them.
const OPTIONAL_ACCESS: c_int = 0x3ff0_0000;

pub(super) unsafe extern "C" fn alloc_pd(context: *mut ibv_context) -> *mut ibv_pd {
    let pd = Registry::locked(|registry| {
        let index = registry.context(context)?;
        let pdn = registry.request(index, "alloc_pd", move |fabric| {
            resource::alloc_pd(&mut fabric.devices[index])
        })?;
        Ok(registry.add(context, index, Object::Pd(pdn), ibv_pd { context, handle: pdn.0 }))
    });
    pd.unwrap_or_else(null)
}

pub(super) unsafe extern "C" fn dealloc_pd(pd: *mut ibv_pd) -> c_int {
    status(Registry::locked(|registry| {
        registry.destroy(pd, "dealloc_pd", |object| matches!(object, Object::Pd(_)))
    }))
}

pub(super) unsafe extern "C" fn reg_mr(
    pd: *mut ibv_pd,
    addr: *mut c_void,
    length: usize,
    access: c_int,
) -> *mut ibv_mr {
    register(pd, addr, length, addr as u64, access).unwrap_or_else(null)
}

pub(super) unsafe extern "C" fn reg_mr_iova2(
    pd: *mut ibv_pd,
    addr: *mut c_void,
    length: usize,
    iova: u64,
    access: c_uint,
) -> *mut ibv_mr {
    register(pd, addr, length, iova, access as c_int).unwrap_or_else(null)
}

fn register(
    pd: *mut ibv_pd,
    addr: *mut c_void,
    length: usize,
    iova: u64,
    access: c_int,
) -> Result<*mut ibv_mr, i32> {
    let unknown = access & !(ACCESS | OPTIONAL_ACCESS);
    if unknown != 0 {
        log::debug!("softnic: reg_mr: access flags {unknown:#x} are not supported");
        return Err(libc::EOPNOTSUPP);
    }
    let access = Access((access & ACCESS) as u8);
    Registry::locked(|registry| {
        let handle = registry.find(pd)?;
        let (Object::Pd(pdn), index) = (handle.object, handle.device) else {
            return Err(libc::EINVAL);
        };
        let span = client_memory(addr, length, access.contains(Access::LOCAL_WRITE))?;
        let new = NewRegion { pd: pdn, span, iova, access, variant: random_byte() };
        let key = registry.request(index, "reg_mr", move |fabric| {
            resource::register(&mut fabric.devices[index], new)
        })?;
        let context = handle.context as *mut ibv_context;
        let public =
            ibv_mr { context, pd, addr, length, handle: key.0 >> 8, lkey: key.0, rkey: key.0 };
        Ok(registry.add(context, index, Object::Mr(key), public))
    })
}

/// There is no dma-buf that this NIC could reach: an fd that is none gets EBADF, which clients take as "supported in
/// principle" when they probe with -1, and a real one EOPNOTSUPP, on which they register the address instead.
pub(super) unsafe extern "C" fn reg_dmabuf_mr(
    pd: *mut ibv_pd,
    _offset: u64,
    _length: usize,
    _iova: u64,
    fd: c_int,
    _access: c_int,
) -> *mut ibv_mr {
    let known = Registry::locked(|registry| registry.find(pd).map(|_| ()));
    null(match known {
        Err(errno) => errno,
        Ok(()) => dmabuf_errno(fd),
    })
}

fn dmabuf_errno(fd: c_int) -> i32 {
    // SAFETY: a plain system call on a number.
    if fd < 0 || unsafe { libc::fcntl(fd, libc::F_GETFD) } < 0 {
        return libc::EBADF;
    }
    log::debug!("softnic: dma-buf {fd} cannot be reached: register its address");
    libc::EOPNOTSUPP
}

pub(super) unsafe extern "C" fn dereg_mr(mr: *mut ibv_mr) -> c_int {
    status(Registry::locked(|registry| {
        registry.destroy(mr, "dereg_mr", |object| matches!(object, Object::Mr(_)))
    }))
}

pub(super) unsafe extern "C" fn umem_reg(
    context: *mut ibv_context,
    addr: *mut c_void,
    size: usize,
    access: u32,
) -> *mut mlx5dv_devx_umem {
    register_umem(context, addr, size, access).unwrap_or_else(null)
}

pub(super) unsafe extern "C" fn umem_reg_ex(
    context: *mut ibv_context,
    umem_in: *mut mlx5dv_devx_umem_in,
) -> *mut mlx5dv_devx_umem {
    if umem_in.is_null() {
        return null(libc::EINVAL);
    }
    // SAFETY: not NULL, and valid by the contract of mlx5dv_devx_umem_reg_ex.
    let input = unsafe { umem_in.read() };
    if input.comp_mask & MLX5DV_UMEM_MASK_DMABUF != 0 {
        return null(dmabuf_errno(input.dmabuf_fd));
    }
    if input.comp_mask != 0 {
        return null(libc::EOPNOTSUPP);
    }
    // No page size that the caller accepts.
    if input.pgsz_bitmap == 0 {
        return null(libc::EINVAL);
    }
    register_umem(context, input.addr, input.size, input.access).unwrap_or_else(null)
}

fn register_umem(
    context: *mut ibv_context,
    addr: *mut c_void,
    size: usize,
    access: u32,
) -> Result<*mut mlx5dv_devx_umem, i32> {
    let access = access as c_int & !OPTIONAL_ACCESS;
    if access & !ACCESS != 0 {
        return Err(libc::EINVAL);
    }
    resource::check_access(Access(access as u8)).map_err(|refusal| {
        log::debug!("softnic: umem_reg refused: {refusal}");
        libc::EINVAL
    })?;
    Registry::locked(|registry| {
        let index = registry.context(context)?;
        // The NIC writes CQEs whatever the flags say, which clients leave at 0.
        let span = client_memory(addr, size, true)?;
        let id = registry.request(index, "umem_reg", move |fabric| {
            resource::register_umem(&mut fabric.devices[index], span)
        })?;
        let public = mlx5dv_devx_umem { umem_id: id.0 };
        Ok(registry.add(context, index, Object::Umem(id), public))
    })
}

pub(super) unsafe extern "C" fn umem_dereg(umem: *mut mlx5dv_devx_umem) -> c_int {
    status(Registry::locked(|registry| {
        registry.destroy(umem, "umem_dereg", |object| matches!(object, Object::Umem(_)))
    }))
}

/// Every page is dedicated, and how it is cached is the host's affair, so the three types are alike.
pub(super) unsafe extern "C" fn alloc_uar(
    context: *mut ibv_context,
    flags: u32,
) -> *mut mlx5dv_devx_uar {
    const TYPES: [u32; 3] = [
        MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF,
        MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC,
        MLX5DV_UAR_ALLOC_TYPE_NC_DEDICATED,
    ];
    if !TYPES.contains(&flags) {
        log::debug!("softnic: alloc_uar: type {flags:#x} is not supported");
        return null(libc::EOPNOTSUPP);
    }
    let uar = Registry::locked(|registry| {
        let index = registry.context(context)?;
        let (page, registers) = registry.request(index, "alloc_uar", move |fabric| {
            resource::alloc_uar(&mut fabric.devices[index])
        })?;
        let base = registers.addr();
        let public = mlx5dv_devx_uar {
            reg_addr: (base + SQ_DOORBELL_OFFSET) as *mut c_void,
            base_addr: base as *mut c_void,
            page_id: page.0,
            mmap_off: 0,
            comp_mask: 0,
        };
        Ok(registry.add(context, index, Object::Uar(page), public))
    });
    uar.unwrap_or_else(null)
}

/// Has no way to refuse. A page that queues still ring stays mapped until its context is closed, and a warning says so.
pub(super) unsafe extern "C" fn free_uar(uar: *mut mlx5dv_devx_uar) {
    let freed = Registry::locked(|registry| {
        let handle = registry.find(uar)?;
        let Object::Uar(page) = handle.object else { return Err(libc::EINVAL) };
        let freed = registry.destroy(uar, "free_uar", |object| matches!(object, Object::Uar(_)));
        if freed == Err(libc::EBUSY) {
            log::warn!("softnic: uar page {page} was freed before its queues: destroy them first");
            registry.free_later(handle.context, page);
            registry.forget(uar);
            return Ok(());
        }
        freed
    });
    if let Err(errno) = freed {
        log::warn!("softnic: free_uar of {uar:p}, which is no live uar (errno {errno})");
    }
}

fn status(result: Result<(), i32>) -> c_int {
    result.err().unwrap_or(0)
}

/// Memory that a client registers; EFAULT if not all of it is mapped with the rights that the NIC needs, as the kernel finds
/// when it pins pages. What a client unmaps while it is registered is its own fault, as with hardware.
fn client_memory(addr: *mut c_void, len: usize, writable: bool) -> Result<Span, i32> {
    let addr = addr as usize;
    if len == 0 || addr.checked_add(len).is_none() {
        return Err(libc::EINVAL);
    }
    if !is_mapped(addr, addr + len, writable) {
        log::debug!("softnic: {len} bytes at {addr:#x} are not mapped as the access needs");
        return Err(libc::EFAULT);
    }
    // SAFETY: mapped now, and kept so by the client until it deregisters: the contract of registration.
    Ok(unsafe { Span::new(addr, len) })
}

/// True if `start..end` is mapped readable, and writable if asked. True as well where the system does not say.
fn is_mapped(start: usize, end: usize, writable: bool) -> bool {
    let Ok(maps) = std::fs::read_to_string("/proc/self/maps") else { return true };
    let mut reached = start;
    for line in maps.lines() {
        let Some((from, to, rights)) = parse_mapping(line) else { continue };
        if to <= reached {
            continue;
        }
        let allowed = rights.starts_with('r') && (!writable || rights[1..].starts_with('w'));
        if from > reached || !allowed {
            return false;
        }
        reached = to;
        if reached >= end {
            return true;
        }
    }
    false
}

/// Bounds and rights of a line of `/proc/self/maps`.
fn parse_mapping(line: &str) -> Option<(usize, usize, &str)> {
    let (range, rest) = line.split_once(' ')?;
    let (from, to) = range.split_once('-')?;
    let rights = rest.get(..4)?;
    Some((usize::from_str_radix(from, 16).ok()?, usize::from_str_radix(to, 16).ok()?, rights))
}

/// A byte for the variant of a memory key.
fn random_byte() -> u8 {
    static FALLBACK: AtomicU8 = AtomicU8::new(0);
    let mut byte = 0u8;
    // SAFETY: one byte at a valid place.
    if unsafe { libc::getrandom((&raw mut byte).cast(), 1, libc::GRND_NONBLOCK) } == 1 {
        return byte;
    }
    // Relaxed: any value will do, as long as they differ.
    FALLBACK.fetch_add(0x9d, Ordering::Relaxed)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holes_and_read_only_memory_are_seen() {
        let page = 4096;
        // SAFETY: an anonymous mapping, of which a part is unmapped and another protected, all within it.
        let base = unsafe {
            let base = libc::mmap(
                core::ptr::null_mut(),
                4 * page,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            );
            assert_ne!(base, libc::MAP_FAILED);
            assert_eq!(libc::mprotect(base.add(page), page, libc::PROT_READ), 0);
            assert_eq!(libc::munmap(base.add(3 * page), page), 0);
            base as usize
        };
        assert!(is_mapped(base, base + page, true));
        assert!(is_mapped(base + 1, base + 3 * page, false));
        assert!(!is_mapped(base, base + 2 * page, true));
        assert!(!is_mapped(base + 2 * page, base + 3 * page + 1, false));
        assert!(client_memory(core::ptr::null_mut(), 0, false) == Err(libc::EINVAL));
        // SAFETY: the rest of the mapping.
        unsafe { libc::munmap(base as *mut c_void, 3 * page) };
    }
}
