//! Channels of completion events.
//!
//! A CQ armed for solicited completions tells the CPU of its first error while a kernel polls the rest.
#![allow(unsafe_code)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};

use gpunetio_prm::doorbell::{CQ_ARM_DB, CQ_DOORBELL_OFFSET, CqDoorbell, UAR_PAGE_BYTES};
use gpunetio_prm::id::Cqn;

use crate::backend::RawObject;
use crate::error::Result;
use crate::net_device::{NetDevice, NetInner};
use crate::object::{Holder, Object, destroy_handle};

/// A channel of completion events.
#[derive(Debug)]
pub struct CompChannel {
    pub(crate) inner: Arc<ChannelInner>,
}

#[derive(Debug)]
pub(crate) struct ChannelInner {
    object: Object,
    fd: i32,
}

impl CompChannel {
    /// Opens a channel.
    pub fn create(net: &NetDevice) -> Result<Self> {
        let (raw, fd) = net.inner.backend.create_comp_channel()?;
        let object = Object::new(&net.inner, raw);
        Ok(Self { inner: Arc::new(ChannelInner { object, fd }) })
    }

    /// Readable when an event waits; the channel's, not to be closed.
    pub fn fd(&self) -> i32 {
        self.inner.fd
    }

    /// Takes the next event without waiting, and gives the context of its CQ.
    pub fn next_event(&self) -> Result<Option<u64>> {
        let inner = &self.inner;
        inner.object.with(|| inner.label(), |raw| inner.object.net().backend.next_event(raw))
    }
}

destroy_handle! {
    /// Closes the channel; [`crate::Error::InUse`] while a CQ reports to it.
    CompChannel, ChannelInner
}

impl ChannelInner {
    pub(crate) fn subscribe(&self, net: &NetInner, cq: &RawObject, context: u64) -> Result<()> {
        self.object.check_together(net, self.label())?;
        self.object.with(|| self.label(), |raw| net.backend.subscribe_cq(raw, cq, context))
    }
}

impl Holder for ChannelInner {
    fn object(&self) -> &Object {
        &self.object
    }
    fn label(&self) -> String {
        format!("completion channel of descriptor {}", self.fd)
    }
}

/// Arms a CQ for its next solicited completion or error: arm word of the doorbell record, then the page's arm register.
pub(crate) fn arm_solicited(record: usize, register: *mut u64, cqn: Cqn) {
    let page = register as usize & !(UAR_PAGE_BYTES - 1);
    // SAFETY: the record is memory of a live umem and the register of a live UAR page, both of the CQ that calls; both
    // are naturally aligned, and the NIC is the only other party.
    let (arm_word, arm_register) = unsafe {
        (
            AtomicU32::from_ptr((record as *mut u32).add(CQ_ARM_DB)),
            AtomicU64::from_ptr((page + CQ_DOORBELL_OFFSET) as *mut u64),
        )
    };
    let doorbell = CqDoorbell { consumer_index: 0, sequence: 0, solicited: true, cqn };
    arm_word.store(doorbell.arm_word().to_be(), Ordering::Relaxed);
    // Orders the arm word before the register for the NIC, whose read of the word after the register is the partner.
    fence(Ordering::SeqCst);
    arm_register.store(u64::from_ne_bytes(doorbell.emit()), Ordering::Release);
}
