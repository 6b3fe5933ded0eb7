//! The CPU proxy: rings doorbells for kernels that cannot.
//!
//! A kernel writes WQEs, then publishes its 64-bit producer index with a release at system scope: in a word of its own
//! where the proxy rings alone, in `sq_wqe_pi` of its image where records are emulated. System scope, because the partner
//! is a CPU thread: a release at the scope of the queue's sharing (or none, where one thread owns the queue) orders the
//! WQEs for other threads of the GPU only. The proxy reads the index with acquire and rings: doorbell, record, fence,
//! doorbell. Where the NIC reads no record it rings once. With emulated records kernels ring the register themselves and
//! the proxy follows with the record and one more doorbell.
//!
//! A kernel that writes the record itself (handler GPU_SM_BF) has ordered its WQEs for the NIC and rung before it notes the
//! index in the image, with no more than a plain store. There the proxy adds nothing and nothing rests on the acquire.
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize, Ordering, fence};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use gpunetio_device::image::SendDbrMode;
use gpunetio_prm::doorbell::{SND_DBR, SqDoorbell};

use crate::error::{Error, Result};
use crate::export::{ExportInner, ExportedQp};

/// How long a service polls without work before it sleeps between polls.
pub const IDLE_AFTER: Duration = Duration::from_millis(1);
/// How long it sleeps then at first.
const IDLE_POLL_MIN: Duration = Duration::from_micros(100);
/// How long it sleeps at most: what a doorbell after a pause waits, beside the scheduler's delay.
pub const IDLE_POLL: Duration = Duration::from_micros(500);
/// Rounds over all QPs without work before the thread offers its core to others.
const SPIN_ROUNDS: u32 = 64;

/// One step for one QP; true if it rang.
pub(crate) fn progress(export: &ExportInner) -> Result<bool> {
    if !export.cpu_proxy {
        return Err(Error::invalid(
            "qp for the cpu proxy",
            format!("{} with nic handler {}", export.qp.qpn, export.nic_handler.0),
            "its kernels ring by themselves",
        ));
    }
    // Held while the index is read and rung, so that a reset, which rewrites the word, comes before or after.
    let mut rung = export.rung.lock().unwrap_or_else(PoisonError::into_inner);
    let Some((word, _memory)) = export.published_word() else { return Ok(false) };
    // SAFETY: the word is naturally aligned in memory that is held here; kernels write it, as a whole.
    let word = unsafe { AtomicU64::from_ptr(word as *mut u64) };
    // Orders the kernel's WQEs before our doorbell; the partner is the kernel's release of the index, at system scope.
    let index = u64::from_le(word.load(Ordering::Acquire));
    if index == *rung {
        return Ok(false);
    }
    ring(export, index)?;
    *rung = index;
    Ok(true)
}

fn ring(export: &ExportInner, index: u64) -> Result<()> {
    let qp = &export.qp;
    let value = u64::from_ne_bytes(SqDoorbell::new(qp.qpn, index as u16).emit());
    // SAFETY: the register is an aligned quadword of the UAR page that the QP holds; doorbells are whole stores.
    let register = unsafe { AtomicU64::from_ptr(qp.doorbell_register()) };
    if export.send_dbr_mode == SendDbrMode::NO_DBR_HW {
        // Release orders the WQEs, seen by the acquire above, before the doorbell; the NIC's read of it is the partner.
        register.store(value, Ordering::Release);
        io_fence();
        return Ok(());
    }
    let Some(record) = qp.dbr_umem.cpu_address(qp.dbr_offset) else {
        let what = format!("doorbell record of qp {}", qp.qpn);
        return Err(Error::invalid(what, "in GPU memory", "the CPU proxy needs it in host memory"));
    };
    // SAFETY: the record is an aligned pair of dwords in the umem that the QP holds; the NIC only reads it.
    let record = unsafe { AtomicU32::from_ptr((record as *mut u32).add(SND_DBR)) };
    // The first doorbell only starts the NIC early; it reads the record again at the second. Release as above.
    register.store(value, Ordering::Release);
    record.store(u32::from(index as u16).to_be(), Ordering::Release);
    // Orders the record before the second doorbell, for the NIC: its read of the record after that doorbell is the partner.
    io_fence();
    register.store(value, Ordering::Release);
    io_fence();
    Ok(())
}

/// Orders stores to memory and to device registers, and pushes write-combined ones out.
fn io_fence() {
    // On x86 a sequentially consistent fence is `mfence`, which covers write-combining stores too. Elsewhere registers
    // need the system-wide barrier.
    fence(Ordering::SeqCst);
    #[cfg(target_arch = "aarch64")]
    // SAFETY: a barrier instruction touches no memory.
    unsafe {
        core::arch::asm!("dsb st", options(nostack, preserves_flags));
    }
}

/// A thread that makes progress for many QPs. It sleeps when nothing happens: see [`IDLE_AFTER`] and [`IDLE_POLL`].
#[derive(Debug)]
pub struct ProxyService {
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
}

#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    /// Callers that want the lock, to whom the thread gives way.
    waiting: AtomicUsize,
}

#[derive(Debug, Default)]
struct State {
    qps: Vec<Arc<ExportInner>>,
    stop: bool,
}

impl ProxyService {
    /// Starts the thread.
    pub fn start() -> Result<Self> {
        let shared = Arc::<Shared>::default();
        let ours = Arc::clone(&shared);
        let thread = std::thread::Builder::new()
            .name("gpunetio-proxy".to_owned())
            .spawn(move || serve(&ours))
            .map_err(|reason| Error::Call {
                call: "pthread_create",
                object: "proxy service".to_owned(),
                reason,
            })?;
        Ok(Self { shared, thread: Some(thread) })
    }

    fn state(&self) -> MutexGuard<'_, State> {
        // Relaxed: a hint for the thread, no data depends on it.
        self.shared.waiting.fetch_add(1, Ordering::Relaxed);
        let state = self.shared.state.lock().unwrap_or_else(PoisonError::into_inner);
        self.shared.waiting.fetch_sub(1, Ordering::Relaxed);
        state
    }

    fn wake(&self) {
        if let Some(thread) = &self.thread {
            thread.thread().unpark();
        }
    }

    /// Makes progress for `qp` from now on. The service holds it until [`ProxyService::remove`].
    pub fn add(&self, qp: &ExportedQp) -> Result<()> {
        if !qp.needs_cpu_proxy() {
            return Err(Error::invalid(
                "qp for the proxy service",
                qp.inner.qp.qpn,
                "its kernels ring by themselves",
            ));
        }
        let mut state = self.state();
        if state.qps.iter().any(|held| Arc::ptr_eq(held, &qp.inner)) {
            let value = qp.inner.qp.qpn;
            return Err(Error::invalid("qp for the proxy service", value, "it is served already"));
        }
        state.qps.push(Arc::clone(&qp.inner));
        drop(state);
        self.wake();
        Ok(())
    }

    /// Stops serving `qp`; when this returns the thread no longer touches it.
    pub fn remove(&self, qp: &ExportedQp) -> Result<()> {
        let mut state = self.state();
        match state.qps.iter().position(|held| Arc::ptr_eq(held, &qp.inner)) {
            Some(at) => {
                state.qps.swap_remove(at);
                Ok(())
            }
            None => Err(Error::NotFound {
                object: "qp",
                name: Some(qp.inner.qp.qpn.to_string()),
                hint: "this proxy service does not serve it".to_owned(),
            }),
        }
    }
}

impl Drop for ProxyService {
    fn drop(&mut self) {
        self.state().stop = true;
        self.wake();
        if let Some(thread) = self.thread.take()
            && thread.join().is_err()
        {
            log::error!("the proxy service's thread panicked");
        }
    }
}

fn serve(shared: &Shared) {
    let mut last_work = Instant::now();
    let mut idle_rounds = 0u32;
    let mut sleep = IDLE_POLL_MIN;
    loop {
        let mut worked = false;
        let served;
        {
            let mut state = shared.state.lock().unwrap_or_else(PoisonError::into_inner);
            if state.stop {
                return;
            }
            state.qps.retain(|qp| match progress(qp) {
                Ok(rang) => {
                    worked |= rang;
                    true
                }
                Err(error) => {
                    log::error!("the proxy service drops qp {}: {error}", qp.qp.qpn);
                    false
                }
            });
            served = state.qps.len();
        }
        if worked {
            last_work = Instant::now();
            idle_rounds = 0;
            sleep = IDLE_POLL_MIN;
        } else if served == 0 {
            std::thread::park();
            last_work = Instant::now();
        } else if last_work.elapsed() > IDLE_AFTER {
            std::thread::park_timeout(sleep);
            sleep = (sleep * 2).min(IDLE_POLL);
        } else {
            idle_rounds += 1;
            // Kernel and NIC may be threads of this machine: they get the core while there is nothing to ring.
            match idle_rounds < SPIN_ROUNDS {
                true => std::hint::spin_loop(),
                false => std::thread::yield_now(),
            }
        }
        // Relaxed: see `ProxyService::state`.
        while shared.waiting.load(Ordering::Relaxed) > 0 {
            std::thread::yield_now();
        }
    }
}
