//! A NIC for tests: one send queue, polled by a thread, completed in order, every slot checked and poisoned.
#![allow(dead_code)]

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::Duration;

use gpunetio_device::image::{CqType, MemType, NicHandler, QpImage};

/// QP number of the queue.
pub(crate) const QPN: u32 = 0x00ab_cdef;
const POISON: u64 = 0xa5a5_a5a5_a5a5_a5a5;

/// What the NIC reports of a WQE that it fetched.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Fetched {
    pub(crate) opcode: u8,
    pub(crate) raddr: u64,
    pub(crate) laddr: u64,
    pub(crate) bytes: u32,
}

/// How a queue is made and how its NIC behaves.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Setup {
    pub(crate) depth: usize,
    pub(crate) cq_entries: usize,
    pub(crate) start: u64,
    pub(crate) handler: NicHandler,
    pub(crate) cq_type: CqType,
    /// WQE index that fails, with the syndrome; what follows is flushed, or not answered at all.
    pub(crate) fail: Option<(u64, u8)>,
    pub(crate) flush: bool,
    /// Completes nothing.
    pub(crate) dead: bool,
    /// Time that each WQE takes.
    pub(crate) pace: Duration,
    /// For `GPU_SM_BF` and one WQE in flight: the register holds that WQE, whole, before anything is fetched.
    pub(crate) whole_blueflame: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            depth: 64,
            cq_entries: 64,
            start: 0,
            handler: NicHandler::GPU_SM_DB,
            cq_type: CqType::RING,
            fail: None,
            flush: true,
            dead: false,
            pace: Duration::ZERO,
            whole_blueflame: false,
        }
    }
}

struct Queue {
    setup: Setup,
    slots: Vec<AtomicU64>,
    cqes: Vec<AtomicU32>,
    record: AtomicU32,
    register: Vec<AtomicU64>,
    stop: AtomicBool,
    /// CQEs written.
    completed: AtomicU64,
    /// The queue whose CQ this queue's WAITs wait for.
    main: Option<Arc<Queue>>,
}

/// A queue and the thread that serves it.
pub(crate) struct Nic {
    queue: Arc<Queue>,
    thread: JoinHandle<Vec<Fetched>>,
    /// The image that kernels post through.
    pub(crate) image: Box<QpImage>,
}

impl Nic {
    pub(crate) fn new(setup: Setup) -> Self {
        Self::make(setup, None)
    }

    /// A queue whose WAITs wait for the CQ of `main`. Stop it first.
    pub(crate) fn companion(setup: Setup, main: &Self) -> Self {
        Self::make(setup, Some(Arc::clone(&main.queue)))
    }

    fn make(setup: Setup, main: Option<Arc<Queue>>) -> Self {
        let cq_entries = if setup.cq_type == CqType::RING { setup.cq_entries } else { 1 };
        let queue = Arc::new(Queue {
            setup,
            slots: (0..setup.depth * 8).map(|_| AtomicU64::new(POISON)).collect(),
            cqes: (0..cq_entries * 16).map(|_| AtomicU32::new(u32::MAX)).collect(),
            record: AtomicU32::new(((setup.start & 0xffff) as u32).to_be()),
            register: (0..setup.depth.max(8)).map(|_| AtomicU64::new(0)).collect(),
            stop: AtomicBool::new(false),
            completed: AtomicU64::new(setup.start),
            main,
        });
        // A doorbell word and a proxy word that stand at the start.
        queue.register[0].store(queue.rest(), Ordering::Relaxed);
        let mut image = Box::new(QpImage::default());
        (image.sq_rsvd_index, image.sq_ready_index, image.sq_wqe_pi) =
            (setup.start, setup.start, setup.start);
        image.set_number(QPN);
        image.sq_wqe_num = setup.depth as u16;
        image.sq_wqe_mask = (setup.depth - 1) as u16;
        image.sq_wqe_daddr = queue.slots.as_ptr().cast_mut().cast();
        image.sq_dbrec = queue.record.as_ptr();
        image.sq_db = queue.register[0].as_ptr();
        image.nic_handler = setup.handler;
        image.mem_type = MemType::HOST;
        image.cq_sq.cqe_daddr = queue.cqes.as_ptr().cast_mut().cast();
        image.cq_sq.cqe_num = cq_entries as u32;
        image.cq_sq.cqe_mask = cq_entries as u32 - 1;
        image.cq_sq.cqe_ci = setup.start;
        image.cq_sq.cqe_rsvd = setup.start;
        image.cq_sq.cq_type = setup.cq_type;
        let served = Arc::clone(&queue);
        let thread = std::thread::spawn(move || served.serve());
        Self { queue, thread, image }
    }

    /// Writes the CQE of a WQE by hand, for a NIC that is dead.
    pub(crate) fn write_cqe(&self, index: u64, syndrome: Option<u8>) {
        self.queue.complete(index, index, syndrome);
    }

    /// Ends the NIC once it has served what is rung; every WQE that it fetched, in order.
    pub(crate) fn stop(self) -> Vec<Fetched> {
        self.queue.stop.store(true, Ordering::Release);
        self.thread.join().unwrap()
    }
}

impl Queue {
    /// The register's content when nothing was rung since the start.
    fn rest(&self) -> u64 {
        match self.setup.handler {
            NicHandler::CPU_PROXY => self.setup.start,
            NicHandler::CPU_PROXY_FREE_FLOW => 0,
            _ => u64::from(((self.setup.start << 8) as u32).to_be()),
        }
    }

    /// How many WQEs after `ci` may be fetched.
    fn rung(&self, ci: u64) -> u64 {
        match self.setup.handler {
            NicHandler::CPU_PROXY => self.register[0].load(Ordering::Acquire) - ci,
            NicHandler::CPU_PROXY_FREE_FLOW => {
                let slot = ci as usize & (self.setup.depth - 1);
                u64::from(self.register[slot].load(Ordering::Acquire) == ci + 1)
            }
            NicHandler::GPU_SM_NO_DBR => {
                let index = u32::from_be(self.register[0].load(Ordering::Acquire) as u32) >> 8;
                u64::from((index as u16).wrapping_sub(ci as u16))
            }
            _ => {
                // As hardware: the register wakes, the record says how far. The record may be ahead of the register, never
                // behind it: that is the order of the two stores.
                let register = self.register[0].load(Ordering::Acquire);
                let record = u32::from_be(self.record.load(Ordering::Acquire)) as u16;
                if self.setup.handler == NicHandler::GPU_SM_DB {
                    let index = (u32::from_be(register as u32) >> 8) as u16;
                    let (by_register, by_record) =
                        (index.wrapping_sub(ci as u16), record.wrapping_sub(ci as u16));
                    assert!(by_register <= self.setup.depth as u16, "register {index} from {ci}");
                    assert!(
                        by_record >= by_register,
                        "doorbell {index} rung before its record {record}"
                    );
                    assert_eq!(
                        (register >> 32) as u32,
                        if register as u32 == self.rest() as u32 {
                            (register >> 32) as u32
                        } else {
                            (QPN << 8).to_be()
                        }
                    );
                    u64::from(by_register)
                } else {
                    let count = record.wrapping_sub(ci as u16);
                    let held =
                        !self.setup.whole_blueflame || self.holds_wqe(record.wrapping_sub(1));
                    u64::from(if held { count } else { 0 })
                }
            }
        }
    }

    /// Whether the BlueFlame register rings for the WQE of `index`: a copy of it, which must be whole, or a plain doorbell.
    fn holds_wqe(&self, index: u16) -> bool {
        // Acquire: the other words come before the first; partner is the release of the first.
        let first = self.register[0].load(Ordering::Acquire);
        if first >> 32 == u64::from((QPN << 8).to_be()) {
            return (u32::from_be(first as u32) >> 8) as u16 == index.wrapping_add(1);
        }
        let slot = &self.slots[(usize::from(index) & (self.setup.depth - 1)) * 8..][..8];
        if slot[0].load(Ordering::Relaxed) != first {
            return false;
        }
        assert_eq!(
            u32::from_be((first >> 32) as u32) >> 8,
            QPN,
            "{first:#x} in the BlueFlame register is no control segment"
        );
        for (word, (copy, wqe)) in self.register.iter().zip(slot).enumerate() {
            let (copy, wqe) = (copy.load(Ordering::Relaxed), wqe.load(Ordering::Relaxed));
            assert_eq!(copy, wqe, "word {word} of WQE {index} in the BlueFlame register");
        }
        true
    }

    /// Waits until the main queue has written CQE `index`; false: it was stopped before.
    fn wait_for(&self, index: u32) -> bool {
        let main = self.main.as_ref().expect("a WAIT on a queue that is no companion");
        while main.completed.load(Ordering::Acquire) as u32 <= index {
            if self.stop.load(Ordering::Acquire) {
                return false;
            }
            std::thread::yield_now();
        }
        true
    }

    fn serve(&self) -> Vec<Fetched> {
        let mut fetched = Vec::new();
        let mut ci = self.setup.start;
        // CQEs are numbered apart from slots: a WQE of two slots has one.
        let mut entry = ci;
        let mut failed = false;
        loop {
            let stopping = self.stop.load(Ordering::Acquire);
            let rung = if self.setup.dead { 0 } else { self.rung(ci) };
            assert!(
                rung <= self.setup.depth as u64,
                "{rung} WQEs rung in a queue of {}",
                self.setup.depth
            );
            if rung == 0 {
                if stopping {
                    return fetched;
                }
                std::thread::yield_now();
            }
            let end = ci + rung;
            while ci < end {
                let (wqe, slots) = self.fetch(ci, failed);
                fetched.push(wqe);
                if wqe.opcode == 0x0f && self.main.is_some() && !self.wait_for(wqe.bytes) {
                    return fetched;
                }
                std::thread::sleep(self.setup.pace);
                let fails = self.setup.fail.filter(|&(index, _)| index == ci);
                if let Some((_, syndrome)) = fails {
                    self.complete(entry, ci, Some(syndrome));
                    failed = true;
                } else if !failed {
                    self.complete(entry, ci, None);
                } else if self.setup.flush {
                    self.complete(entry, ci, Some(5));
                }
                entry += 1;
                ci += slots;
            }
        }
    }

    /// Reads and checks a WQE, then poisons its slots: a doorbell that covers an unwritten WQE shows. Also how many slots it has.
    /// Of a queue in error it looks only for slots that nobody wrote: who posts by the low-level calls all the same may have written
    /// again what has not been flushed yet.
    fn fetch(&self, ci: u64, failed: bool) -> (Fetched, u64) {
        let at = (ci as usize & (self.setup.depth - 1)) * 8;
        let words: [u64; 8] =
            std::array::from_fn(|i| self.slots[at + i].swap(POISON, Ordering::Relaxed));
        let control = u32::from_be(words[0] as u32);
        let qpn_ds = u32::from_be((words[0] >> 32) as u32);
        if failed {
            assert_ne!(words[0], POISON, "WQE {ci} is written");
            return (Fetched { opcode: control as u8, raddr: 0, laddr: 0, bytes: 0 }, 1);
        }
        assert_eq!(control >> 8 & 0xffff, ci as u32 & 0xffff, "index of WQE {ci}: {:#x?}", words);
        assert_eq!(qpn_ds >> 8, QPN);
        assert_eq!(u32::from_be(words[1] as u32) & 0xff, 8, "WQE {ci} is signalled");
        let segments = (qpn_ds & 0x3f) as usize;
        assert!(
            words[..2 * segments.min(3)].iter().all(|&w| w != POISON),
            "WQE {ci} is whole: {:#x?}",
            words
        );
        let opcode = control as u8;
        let data = match opcode {
            0x12 => 6,
            // The index of a WAIT.
            0x0f => 3,
            _ => 4,
        };
        let fetched = Fetched {
            opcode,
            raddr: u64::from_be(words[2]),
            laddr: u64::from_be(words[data + 1]),
            bytes: u32::from_be(words[data] as u32),
        };
        if segments <= 4 {
            return (fetched, 1);
        }
        let second = ((ci + 1) as usize & (self.setup.depth - 1)) * 8;
        for word in &self.slots[second..second + 2] {
            assert_ne!(
                word.swap(POISON, Ordering::Relaxed),
                POISON,
                "second slot of WQE {ci} is whole"
            );
        }
        (fetched, 2)
    }

    /// Writes CQE number `entry`, of WQE `index`: its last four bytes last.
    fn complete(&self, entry: u64, index: u64, syndrome: Option<u8>) {
        let entries = self.cqes.len() / 16;
        let at = (entry as usize & (entries - 1)) * 16;
        let (opcode, word) = match syndrome {
            Some(s) => (13u8, u32::from_le_bytes([0, 0, 0x77, s])),
            None => (0, 0),
        };
        self.cqes[at + 13].store(word, Ordering::Relaxed);
        let owner = u8::from(entry & entries as u64 != 0);
        let [high, low] = (index as u16).to_be_bytes();
        let tail = u32::from_le_bytes([high, low, 0, opcode << 4 | owner]);
        // Release: the entry's other bytes come before these; partner is the poller's acquire.
        self.cqes[at + 15].store(tail, Ordering::Release);
        self.completed.fetch_add(1, Ordering::Release);
    }
}
