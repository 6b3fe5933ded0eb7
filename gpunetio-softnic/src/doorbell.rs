//! Polling of doorbell registers.
//!
//! Finding a doorbell costs the same however many UAR pages there are. Each poll looks at
//! - the pages that rang lately (at most [`ACTIVE`]), at the registers that rang,
//! - the [`AHEAD`] pages after the one that rang last, at that one's register, since clients with many queues ring them in
//!   turn; and on from each of them that rang, up to [`BURST`], and
//! - the next [`SWEEP`] of all pages, at all registers, so that everything is looked at within a bounded number of polls.
//!
//! Before it parks, and whenever it wakes, the NIC looks at all pages ([`Doorbells::poll_all`]). Before a command about a
//! QP it looks at that QP's page (`settle`).
//!
//! A page has three send registers: two BlueFlame buffers, between which clients may alternate, and that of queues without
//! a doorbell record. Of a BlueFlame write the first eight bytes are the doorbell; the WQE is read from its queue, where
//! clients write it too. The CQ arm register is not polled: there are no completion events yet that it could ask for.

use gpunetio_prm::doorbell::{NO_DBR_DOORBELL_OFFSET, SQ_DOORBELL_OFFSET, SqDoorbell};
use gpunetio_prm::id::{Qpn, UarPage};

use crate::device::{Fabric, LIMITS};
use crate::engine::{self, DoorbellKind};
use crate::memory::RegisterPage;

/// Pages that are looked at in every poll because they rang lately.
pub const ACTIVE: usize = 16;
/// Pages after the one that rang last that are looked at in every poll.
pub const AHEAD: usize = 4;
/// Pages that a poll takes at most while it follows a client that rings in turn.
pub const BURST: usize = 32;
/// Further pages that are looked at in a poll.
pub const SWEEP: usize = 8;
/// Polls without a doorbell after which a page is active no longer.
const QUIET_POLLS: u32 = 1 << 14;

/// Offset of the second BlueFlame buffer: half a register pair after the first.
const SECOND_BUFFER: usize = SQ_DOORBELL_OFFSET + (1 << LIMITS.log_bf_reg_size) / 2;
/// The registers of a page.
const REGISTERS: [(usize, DoorbellKind); 3] = [
    (SQ_DOORBELL_OFFSET, DoorbellKind::Record),
    (SECOND_BUFFER, DoorbellKind::Record),
    (NO_DBR_DOORBELL_OFFSET, DoorbellKind::NoRecord),
];

/// A page as the poll sees it.
#[derive(Debug)]
struct Page {
    device: usize,
    page: UarPage,
    /// Keeps the registers mapped, whatever becomes of the page before the next [`Doorbells::refresh`].
    memory: RegisterPage,
    /// Polls since it rang, while it is active.
    quiet: u32,
    active: bool,
    /// Registers that rang since it became active, a bit each.
    registers: u8,
}

/// All registers of a page.
const ALL_REGISTERS: u8 = (1 << REGISTERS.len()) - 1;

impl Page {
    fn new(device: usize, page: UarPage, memory: RegisterPage) -> Self {
        Self { device, page, memory, quiet: 0, active: false, registers: 0 }
    }

    /// True if one of `registers` was rung. Relaxed loads only; this is the hot path of an idle NIC.
    fn rung(&self, registers: u8) -> bool {
        REGISTERS
            .iter()
            .enumerate()
            .any(|(bit, (offset, _))| registers >> bit & 1 == 1 && self.memory.rung(*offset))
    }
}

/// Hands what rang on a page to the engine. Returns the registers, a bit each.
fn hand_over(fabric: &mut Fabric, device: usize, page: UarPage, memory: &RegisterPage) -> u8 {
    let mut registers = 0;
    for (bit, (offset, kind)) in REGISTERS.into_iter().enumerate() {
        if memory.rung(offset) {
            registers |= 1 << bit;
            let rung = SqDoorbell::parse(memory.take(offset));
            engine::doorbell(fabric, device, page, rung, kind);
        }
    }
    let uar = fabric.devices.get(device).and_then(|device| device.uars.get(page.0));
    if registers != 0 && uar.is_some_and(|uar| uar.qps.len() > 1) {
        engine::check_records(fabric, device, page);
    }
    registers
}

/// Takes what was rung for a QP so far, for a command about it.
///
/// A client that rings and then sends a command finds them in that order at a NIC behind PCIe, which does not reorder its
/// writes. Here nobody looks at the register in between, and a doorbell of the QP's old life would announce work in its
/// new one. The client's ring happens before the command's arrival (a channel), so that the peek sees it.
pub(crate) fn settle(fabric: &mut Fabric, device: usize, qpn: Qpn) {
    let Some(owner) = fabric.devices.get(device) else { return };
    let Some(qp) = owner.qps.get(qpn.0) else { return };
    let Some(uar) = owner.uars.get(qp.uar.0) else { return };
    let (page, memory) = (uar.page, uar.memory.clone());
    hand_over(fabric, device, page, &memory);
}

/// All UAR pages of a fabric.
#[derive(Debug, Default)]
pub struct Doorbells {
    /// By device and number.
    pages: Vec<Page>,
    /// Indices into `pages` of those that rang lately.
    active: Vec<usize>,
    /// Next page of the sweep.
    cursor: usize,
    /// Page that rang last.
    last: usize,
    /// Registers that rang there.
    last_registers: u8,
}

impl Doorbells {
    /// Takes notice of pages that came or went. To be called after commands, so that new pages are polled and the memory of
    /// those that went is given back. Costs nothing for pages that stay.
    pub fn refresh(&mut self, fabric: &mut Fabric) {
        for device in &mut fabric.devices {
            let mut changed = core::mem::take(&mut device.changed_uars);
            // The last ones first: when all go, none of those behind has to move up.
            changed.sort_unstable_by(|one, other| other.cmp(one));
            changed.dedup();
            for page in changed {
                let place = self
                    .pages
                    .binary_search_by_key(&(device.index, page), |at| (at.device, at.page));
                if let Ok(index) = place {
                    self.remove(index);
                }
                if let Some(uar) = device.uars.get(page.0) {
                    let (Ok(index) | Err(index)) = place;
                    self.insert(index, Page::new(device.index, page, uar.memory.clone()));
                }
            }
        }
    }

    /// Takes page `index` out of the poll.
    fn remove(&mut self, index: usize) {
        self.pages.remove(index);
        self.active.retain(|active| *active != index);
        for place in self.active.iter_mut().chain([&mut self.cursor, &mut self.last]) {
            *place -= usize::from(*place > index);
        }
        if self.cursor == self.pages.len() {
            self.cursor = 0;
        }
    }

    /// Takes a page into the poll, as `index`.
    fn insert(&mut self, index: usize, page: Page) {
        for place in self.active.iter_mut().chain([&mut self.cursor, &mut self.last]) {
            *place += usize::from(*place >= index && !self.pages.is_empty());
        }
        self.pages.insert(index, page);
    }

    /// Pages.
    pub fn len(&self) -> usize {
        self.pages.len()
    }

    /// True without pages.
    pub fn is_empty(&self) -> bool {
        self.pages.is_empty()
    }

    /// Looks at a bounded number of pages and hands what rang to the engine. True if anything rang.
    pub fn poll(&mut self, fabric: &mut Fabric) -> bool {
        if self.pages.len() <= ACTIVE + AHEAD + SWEEP {
            return self.poll_all(fabric);
        }
        let mut rung = false;
        let mut at = 0;
        while at < self.active.len() {
            let index = self.active[at];
            let page = &mut self.pages[index];
            if page.rung(page.registers) {
                rung = true;
                self.take(fabric, index);
            } else if page.quiet == QUIET_POLLS {
                page.active = false;
                self.active.swap_remove(at);
                continue;
            } else {
                page.quiet += 1;
            }
            at += 1;
        }
        let (mut index, mut missed, mut taken) = (self.last, 0, 0);
        while missed < AHEAD && taken < BURST {
            index += 1;
            if self.look(fabric, index, self.last_registers) {
                rung = true;
                (missed, taken) = (0, taken + 1);
            } else {
                missed += 1;
            }
        }
        for _ in 0..SWEEP {
            rung |= self.look(fabric, self.cursor, ALL_REGISTERS);
            self.cursor += 1;
            if self.cursor == self.pages.len() {
                self.cursor = 0;
            }
        }
        rung
    }

    /// Looks at every page. True if anything rang.
    pub fn poll_all(&mut self, fabric: &mut Fabric) -> bool {
        let mut rung = false;
        for index in 0..self.pages.len() {
            rung |= self.look(fabric, index, ALL_REGISTERS);
        }
        rung
    }

    /// Looks at the page at `index`, modulo their number.
    fn look(&mut self, fabric: &mut Fabric, index: usize, registers: u8) -> bool {
        let index = if index < self.pages.len() { index } else { index % self.pages.len() };
        let rung = self.pages[index].rung(registers);
        if rung {
            self.activate(index);
            self.take(fabric, index);
        }
        rung
    }

    /// Makes a page active, in the place of the quietest if there are enough.
    fn activate(&mut self, index: usize) {
        if self.pages[index].active {
            return;
        }
        if self.active.len() == ACTIVE
            && let Some(quietest) =
                (0..ACTIVE).max_by_key(|place| self.pages[self.active[*place]].quiet)
        {
            let page = self.active.swap_remove(quietest);
            self.pages[page].active = false;
        }
        (self.pages[index].active, self.pages[index].registers) = (true, 0);
        self.active.push(index);
    }

    /// Takes what rang on a page.
    fn take(&mut self, fabric: &mut Fabric, index: usize) {
        self.last = index;
        let page = &mut self.pages[index];
        page.quiet = 0;
        let registers = hand_over(fabric, page.device, page.page, &page.memory);
        page.registers |= registers;
        self.last_registers = registers;
    }
}
