//! Objects that reach the device through the kernel: protection domains, memory regions, umems and UAR pages; and where
//! queues lie in umems.

use gpunetio_prm::doorbell::QP_DBR_BYTES;
use gpunetio_prm::id::{Mkey, Pdn, UarPage, UmemId};

use crate::device::{Device, Pd};
use crate::memory::{Access, MemoryRegion, RegisterPage, Span};
use crate::object::{Uar, Umem};
use crate::syndrome::{self, Reason, Refusal};

/// Alignment of queues in their umem.
const RING_ALIGNMENT: usize = 64;

/// Refuses everything but destruction on a device that was removed.
fn check_alive(device: &Device) -> Result<(), Refusal> {
    if device.alive {
        return Ok(());
    }
    Err(syndrome::DEVICE_GONE.because("device", device.index as u64))
}

/// Allocates a protection domain.
pub fn alloc_pd(device: &mut Device) -> Result<Pdn, Refusal> {
    check_alive(device)?;
    let count = device.pds.len() as u64;
    device
        .pds
        .insert_with(|pdn| Pd { pdn: Pdn(pdn), users: 0 })
        .map(Pdn)
        .ok_or(syndrome::FULL_PD.because("pds", count))
}

/// Frees a protection domain that nothing uses.
pub fn dealloc_pd(device: &mut Device, pdn: Pdn) -> Result<(), Refusal> {
    let pd = device.pds.get(pdn.0).ok_or(syndrome::NO_PD.because("pd", pdn))?;
    if pd.users > 0 {
        return Err(syndrome::BUSY_PD.because("users of the pd", pd.users));
    }
    device.pds.remove(pdn.0);
    Ok(())
}

/// Counts a user of a protection domain in.
pub fn use_pd(device: &mut Device, pdn: Pdn) -> Result<(), Refusal> {
    device.pds.get_mut(pdn.0).ok_or(syndrome::NO_PD.because("pd", pdn))?.users += 1;
    Ok(())
}

/// Counts a user of a protection domain out.
pub fn unuse_pd(device: &mut Device, pdn: Pdn) {
    if let Some(pd) = device.pds.get_mut(pdn.0) {
        pd.users = pd.users.saturating_sub(1);
    }
}

/// A memory region to register.
#[derive(Debug, Clone, Copy)]
pub struct NewRegion {
    /// Protection domain.
    pub pd: Pdn,
    /// The memory.
    pub span: Span,
    /// Address that keys are used with.
    pub iova: u64,
    /// What it shall allow.
    pub access: Access,
    /// Low byte of the key; random, so that a stale or guessed key misses.
    pub variant: u8,
}

/// Registers a memory region and returns its key, which is lkey and rkey.
pub fn register(device: &mut Device, new: NewRegion) -> Result<Mkey, Refusal> {
    check_alive(device)?;
    check_access(new.access)?;
    let len = new.span.len() as u64;
    if len == 0 {
        return Err(syndrome::MR_LENGTH.because("length", len));
    }
    for start in [new.iova, new.span.addr() as u64] {
        if start.checked_add(len - 1).is_none() {
            return Err(syndrome::MR_RANGE.because("address", start));
        }
    }
    use_pd(device, new.pd)?;
    let NewRegion { pd, span, iova, access, variant } = new;
    let log_max = device.limits.log_max_mkey;
    let key = device.memory.insert(MemoryRegion { variant, pd, iova, span, access });
    key.ok_or_else(|| {
        unuse_pd(device, pd);
        syndrome::FULL_MR.because("log_max_mkey", log_max)
    })
}

/// Deregisters a memory region. Work that still names its key fails from here on.
pub fn deregister(device: &mut Device, key: Mkey) -> Result<(), Refusal> {
    let region = device.memory.remove(key).ok_or(syndrome::NO_MR.because("lkey", key))?;
    unuse_pd(device, region.pd);
    Ok(())
}

/// A remote that may write implies a NIC that may (IBTA 10.6.3.1).
pub fn check_access(access: Access) -> Result<(), Refusal> {
    let remote = Access::REMOTE_WRITE.0 | Access::REMOTE_ATOMIC.0;
    if access.0 & remote != 0 && !access.contains(Access::LOCAL_WRITE) {
        return Err(syndrome::MR_ACCESS.because("access", access.0));
    }
    Ok(())
}

/// Registers memory for queues, at any address and of any size but 0.
pub fn register_umem(device: &mut Device, span: Span) -> Result<UmemId, Refusal> {
    check_alive(device)?;
    if span.is_empty() {
        return Err(syndrome::MR_LENGTH.because("size", 0u64));
    }
    if span.addr() == 0 {
        return Err(syndrome::UMEM_ADDRESS.because("addr", 0u64));
    }
    if span.addr().checked_add(span.len()).is_none() {
        return Err(syndrome::MR_RANGE.because("addr", span.addr() as u64));
    }
    let count = device.umems.len() as u64;
    device
        .umems
        .insert_with(|_| Umem { span, users: 0 })
        .map(UmemId)
        .ok_or(syndrome::FULL_UMEM.because("umems", count))
}

/// Deregisters memory in which no queue lies.
pub fn deregister_umem(device: &mut Device, id: UmemId) -> Result<(), Refusal> {
    let umem = device.umems.get(id.0).ok_or(syndrome::NO_UMEM.because("umem_id", id))?;
    if umem.users > 0 {
        return Err(syndrome::BUSY_UMEM.because("users of the umem", umem.users));
    }
    device.umems.remove(id.0);
    Ok(())
}

/// Allocates a page of doorbell registers and returns it with its memory.
pub fn alloc_uar(device: &mut Device) -> Result<(UarPage, RegisterPage), Refusal> {
    check_alive(device)?;
    let memory = RegisterPage::map().map_err(|error| {
        log::warn!("softnic: mlx5_{}: no memory for a uar page: {error}", device.index);
        syndrome::HOST_MEMORY
            .because("uar page bytes", gpunetio_prm::doorbell::UAR_PAGE_BYTES as u64)
    })?;
    let (registers, count) = (memory.clone(), device.uars.len() as u64);
    let page = device
        .uars
        .insert_with(|page| Uar { page: UarPage(page), memory, qps: Vec::new(), cqs: 0 })
        .ok_or(syndrome::FULL_UAR.because("uar pages", count))?;
    let page = UarPage(page);
    device.changed_uars.push(page);
    Ok((page, registers))
}

/// Frees a page of doorbell registers that no queue rings.
pub fn dealloc_uar(device: &mut Device, page: UarPage) -> Result<(), Refusal> {
    let uar = device.uars.get(page.0).ok_or(syndrome::NO_UAR.because("uar_page", page))?;
    let users = uar.qps.len() as u64 + u64::from(uar.cqs);
    if users > 0 {
        return Err(syndrome::BUSY_UAR.because("users of the uar page", users));
    }
    device.uars.remove(page.0);
    device.changed_uars.push(page);
    Ok(())
}

/// Where in its umem something lies, as contexts say it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Place {
    /// Field that holds the umem's id, for messages.
    pub(super) field: &'static str,
    /// Umem.
    pub(super) umem: u64,
    /// Offset in bytes.
    pub(super) offset: u64,
}

/// The `len` bytes at `place`.
fn locate(device: &Device, place: Place, len: u64, outside: Reason) -> Result<Span, Refusal> {
    let umem = u32::try_from(place.umem)
        .ok()
        .and_then(|id| device.umems.get(id))
        .ok_or(syndrome::NO_UMEM.because(place.field, place.umem))?;
    umem.span.part(place.offset, len).ok_or(outside.because("offset", place.offset))
}

/// The ring of `len` bytes at `place`.
pub(super) fn locate_ring(device: &Device, place: Place, len: u64) -> Result<Span, Refusal> {
    let span = locate(device, place, len, syndrome::RING_BOUNDS)?;
    if !span.addr().is_multiple_of(RING_ALIGNMENT) {
        return Err(syndrome::RING_ALIGNMENT.because("address", span.addr() as u64));
    }
    Ok(span)
}

/// The doorbell record at `place`; umem 0 stands for the umem `own` of the ring (recorded from the public 3.0 host library).
pub(super) fn locate_dbr(device: &Device, place: Place, own: u64) -> Result<(Span, u64), Refusal> {
    let umem = if place.umem == 0 { own } else { place.umem };
    let bytes = QP_DBR_BYTES as u64;
    let span = locate(device, Place { umem, ..place }, bytes, syndrome::DBR_BOUNDS)?;
    if !span.addr().is_multiple_of(QP_DBR_BYTES) {
        return Err(syndrome::DBR_ALIGNMENT.because("dbr_addr", place.offset));
    }
    Ok((span, umem))
}

/// Counts the umems of a new queue in, each as often as it is named, and lists them.
pub(super) fn use_umems(device: &mut Device, ids: &[u64]) -> Vec<UmemId> {
    let ids: Vec<UmemId> = ids.iter().map(|id| UmemId(*id as u32)).collect();
    for id in &ids {
        if let Some(umem) = device.umems.get_mut(id.0) {
            umem.users += 1;
        }
    }
    ids
}

/// Counts the umems of a destroyed queue out.
pub(super) fn unuse_umems(device: &mut Device, ids: &[UmemId]) {
    for id in ids {
        if let Some(umem) = device.umems.get_mut(id.0) {
            umem.users = umem.users.saturating_sub(1);
        }
    }
}
