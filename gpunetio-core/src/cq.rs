//! Completion queues.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use gpunetio_prm::command::CqState;
use gpunetio_prm::cqe::{CQE_BYTES, CqeOpcode};
use gpunetio_prm::doorbell::{CQ_ARM_DB, CQ_DBR_BYTES, CQ_SET_CI};
use gpunetio_prm::id::Cqn;

use crate::backend::CqSpec;
use crate::comp_channel::{ChannelInner, CompChannel};
use crate::error::{Error, Result};
use crate::net_device::{NetDevice, NetInner};
use crate::object::{Holder, Object, destroy_handle};
use crate::uar::{Uar, UarInner, UarKind};
use crate::umem::{Umem, UmemInner};

/// Byte that CQ memory holds before the first completion: opcode "invalid", and a counter that no WQE has completed.
pub(crate) const FRESH_CQE_BYTE: u8 = 0xff;

/// Arm state of a CQ; numbers are those of the public API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u32)]
pub enum CqArm {
    /// Not armed.
    #[default]
    None = 0,
    /// Armed for solicited completions and errors.
    Solicited = 1,
    /// Armed for the next completion.
    Next = 2,
    /// An event was raised.
    Fired = 3,
}

impl CqArm {
    /// `cqc.st` (PRM: Completion Queue Context).
    fn context_state(self) -> CqState {
        match self {
            Self::None => CqState::NOT_ARMED,
            Self::Solicited => CqState::SOLICITED_ARMED,
            Self::Next => CqState::ARMED,
            Self::Fired => CqState::FIRED,
        }
    }
}

/// What to create.
#[derive(Debug, Clone, Copy, Default)]
pub struct CqAttr<'a> {
    /// Entries: a power of two.
    pub size: u32,
    /// The NIC does not check for overrun: completions are polled by index and nobody tells the NIC.
    pub ignore_overrun: bool,
    /// Entry 0 always holds the latest completion.
    pub collapsed: bool,
    /// Memory of the entries and the offset in it; `None` for host memory of the CQ's own.
    pub umem: Option<(&'a Umem, u64)>,
    /// Memory of the doorbell record; `None` for the place behind the entries.
    pub dbr_umem: Option<(&'a Umem, u64)>,
    /// Page of the arm doorbell; `None` for one of the CQ's own.
    pub uar: Option<&'a Uar>,
    /// Where events go.
    pub comp_channel: Option<&'a CompChannel>,
    /// The caller's value, which events carry.
    pub context: u64,
    /// Arm state at creation.
    pub arm: CqArm,
}

/// A completion queue.
#[derive(Debug)]
pub struct Cq {
    pub(crate) inner: Arc<CqInner>,
}

#[derive(Debug)]
pub(crate) struct CqInner {
    object: Object,
    pub(crate) cqn: Cqn,
    pub(crate) size: u32,
    pub(crate) collapsed: bool,
    pub(crate) umem: Arc<UmemInner>,
    pub(crate) offset: u64,
    dbr_umem: Arc<UmemInner>,
    dbr_offset: u64,
    uar: Arc<UarInner>,
    _channel: Option<Arc<ChannelInner>>,
    context: AtomicU64,
}

impl Cq {
    /// Creates a completion queue; its entries are set to 0xff and its doorbell record to 0 first.
    pub fn create(net: &NetDevice, attr: &CqAttr<'_>) -> Result<Self> {
        let net = &net.inner;
        let resources = CqResources {
            entries: attr.umem.map(|(umem, at)| (Arc::clone(&umem.inner), at)),
            dbr: attr.dbr_umem.map(|(umem, at)| (Arc::clone(&umem.inner), at)),
            uar: attr.uar.map(|uar| Arc::clone(&uar.inner)),
        };
        Ok(Self { inner: CqInner::new(net, attr, resources)? })
    }

    /// Number.
    pub fn cqn(&self) -> Cqn {
        self.inner.cqn
    }

    /// Entries.
    pub fn size(&self) -> u32 {
        self.inner.size
    }

    /// First entry as the GPU sees it.
    pub fn entries_address(&self) -> usize {
        self.inner.entries_address()
    }

    /// Consumer and arm dwords of the doorbell record, as the GPU sees them.
    pub fn dbr_addresses(&self) -> (*mut u32, *mut u32) {
        let record = self.inner.dbr_address() as *mut u32;
        (record.wrapping_add(CQ_SET_CI), record.wrapping_add(CQ_ARM_DB))
    }

    /// The page's doorbell register, as the CPU sees it.
    pub fn uar_register(&self) -> *mut u64 {
        self.inner.uar.register()
    }

    /// Asks for an event at the next error or solicited completion.
    ///
    /// [`Error::NotSupported`] where the CPU cannot write the doorbell record.
    pub fn arm_solicited(&self) -> Result<()> {
        self.inner.arm_solicited()
    }

    /// The caller's value.
    pub fn context(&self) -> u64 {
        self.inner.context.load(Ordering::Relaxed)
    }

    /// Sets the caller's value; events that were subscribed to at creation keep the old one.
    pub fn set_context(&self, context: u64) {
        self.inner.context.store(context, Ordering::Relaxed);
    }
}

destroy_handle! {
    /// Destroys the queue; [`Error::InUse`] while a QP completes to it.
    Cq, CqInner
}

/// External parts of a CQ.
#[derive(Debug, Default)]
pub(crate) struct CqResources {
    pub(crate) entries: Option<(Arc<UmemInner>, u64)>,
    pub(crate) dbr: Option<(Arc<UmemInner>, u64)>,
    pub(crate) uar: Option<Arc<UarInner>>,
}

impl CqInner {
    pub(crate) fn new(
        net: &Arc<NetInner>,
        attr: &CqAttr<'_>,
        resources: CqResources,
    ) -> Result<Arc<Self>> {
        let max = net.attributes.max_cqe;
        if !attr.size.is_power_of_two() || attr.size > max {
            let expected = format!("use a power of two up to {max}");
            return Err(Error::invalid("cq size", attr.size, expected));
        }
        let bytes = attr.size as usize * CQE_BYTES;
        let (umem, offset) = match resources.entries {
            Some(external) => external,
            None => (Arc::new(UmemInner::of_host(net, bytes + CQ_DBR_BYTES)?), 0),
        };
        let (dbr_umem, dbr_offset) = match resources.dbr {
            Some(external) => external,
            None => (Arc::clone(&umem), offset + bytes as u64),
        };
        for part in [&umem, &dbr_umem] {
            part.net().check_together(net, format!("umem {}", part.id))?;
        }
        umem.check_range("cq entries", offset, bytes, CQE_BYTES as u64)?;
        dbr_umem.check_range("cq doorbell record", dbr_offset, CQ_DBR_BYTES, 8)?;
        let uar = match resources.uar {
            Some(uar) => {
                uar.net().check_together(net, format!("uar {}", uar.page))?;
                uar
            }
            None => UarInner::first_of(net, &[UarKind::NonCache, UarKind::BlueFlame])?,
        };
        umem.fill(offset, FRESH_CQE_BYTE, bytes)?;
        // Memory may have held another queue: a NIC that checks for overrun would take its consumer index for this one's.
        dbr_umem.fill(dbr_offset, 0, CQ_DBR_BYTES)?;
        let spec = CqSpec {
            log_size: attr.size.trailing_zeros() as u8,
            overrun_ignore: attr.ignore_overrun,
            collapsed: attr.collapsed,
            uar: uar.page,
            entries: (umem.id, offset),
            dbr_umem: (!Arc::ptr_eq(&umem, &dbr_umem)).then_some(dbr_umem.id),
            dbr_offset,
            armed: attr.arm.context_state(),
        };
        let (raw, cqn) = net.backend.create_cq(&spec)?;
        let object = Object::new(net, raw);
        let channel = match attr.comp_channel {
            Some(channel) => {
                let label = || format!("cq {cqn}");
                object.with(label, |raw| channel.inner.subscribe(net, raw, attr.context))?;
                Some(Arc::clone(&channel.inner))
            }
            None => None,
        };
        Ok(Arc::new(Self {
            object,
            cqn,
            size: attr.size,
            collapsed: attr.collapsed,
            umem,
            offset,
            dbr_umem,
            dbr_offset,
            uar,
            _channel: channel,
            context: AtomicU64::new(attr.context),
        }))
    }

    pub(crate) fn net(&self) -> &Arc<NetInner> {
        self.object.net()
    }

    pub(crate) fn entries_address(&self) -> usize {
        self.umem.gpu_address(self.offset)
    }

    pub(crate) fn dbr_address(&self) -> usize {
        self.dbr_umem.gpu_address(self.dbr_offset)
    }

    /// Bytes of the entries.
    pub(crate) fn bytes(&self) -> usize {
        self.size as usize * CQE_BYTES
    }

    /// Sets entries and doorbell record to what a new CQ has. Nothing that is in flight may complete to it any more.
    ///
    /// A NIC counts entries on, whatever becomes of the QP, so a ring can only start over where two laps are full: kernels
    /// take entry and owner bit from the index of the WQE. [`Error::NotSupported`] where it stands elsewhere.
    pub(crate) fn start_over(&self) -> Result<()> {
        let untouched = || {
            Error::NotSupported(format!(
                "cq {} lies in memory that this library does not touch: name its gpu at registration",
                self.cqn
            ))
        };
        if !self.collapsed {
            let mut ring = vec![0; self.bytes()];
            if !self.umem.read(self.offset, &mut ring)? {
                return Err(untouched());
            }
            let at = position(&ring);
            if at != 0 {
                return Err(Error::NotSupported(format!(
                    "cq {} is a ring that stands at entry {at} of two laps of {}: it cannot start over; make it \
                     collapsed, or create the qp anew",
                    self.cqn, self.size
                )));
            }
        }
        if !self.umem.fill(self.offset, FRESH_CQE_BYTE, self.bytes())?
            || !self.dbr_umem.fill(self.dbr_offset, 0, CQ_DBR_BYTES)?
        {
            return Err(untouched());
        }
        Ok(())
    }

    fn arm_solicited(&self) -> Result<()> {
        let Some(record) = self.dbr_umem.cpu_address(self.dbr_offset) else {
            return Err(Error::NotSupported(format!(
                "cq {} keeps its doorbell record in GPU memory, where the CPU cannot arm it: give it a \
                 doorbell umem in host memory",
                self.cqn
            )));
        };
        crate::comp_channel::arm_solicited(record, self.uar.register(), self.cqn);
        Ok(())
    }
}

/// Where the NIC writes next in a ring, counted over two laps, as the owner bits tell: the current lap's lie before that
/// entry, the lap's before from it on.
fn position(ring: &[u8]) -> usize {
    let owners: Vec<Option<usize>> = ring
        .chunks_exact(CQE_BYTES)
        .map(|cqe| {
            let op_own = cqe[CQE_BYTES - 1];
            (CqeOpcode(op_own >> 4) != CqeOpcode::INVALID).then_some(usize::from(op_own & 1))
        })
        .collect();
    let Some(lap) = owners[0] else { return 0 };
    match owners.iter().position(|owner| *owner != Some(lap)) {
        Some(at) => lap * owners.len() + at,
        None => (lap ^ 1) * owners.len(),
    }
}

impl Holder for CqInner {
    fn object(&self) -> &Object {
        &self.object
    }
    fn label(&self) -> String {
        format!("cq {}", self.cqn)
    }
}

#[cfg(test)]
mod tests {
    use gpunetio_prm::cqe::{op_own, owner_bit};

    use super::*;

    #[test]
    fn the_position_of_a_ring_is_read_from_its_owner_bits() {
        let (log_size, entries) = (2, 4usize);
        for produced in 0..20u64 {
            let mut ring = vec![FRESH_CQE_BYTE; entries * CQE_BYTES];
            for index in 0..produced {
                let slot = index as usize % entries;
                let last = slot * CQE_BYTES + CQE_BYTES - 1;
                ring[last] = op_own(CqeOpcode::REQ, owner_bit(index, log_size));
            }
            assert_eq!(position(&ring), produced as usize % (2 * entries), "{produced}");
        }
    }
}
