//! A software NIC and the CPU executor, ready for queue pairs, and WQEs written by hand.
#![allow(unsafe_code, dead_code)]

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering, fence};
use std::time::{Duration, Instant};

use gpunetio_core::*;
use gpunetio_device::image::{NicHandler, QpImage, SendDbrMode};
use gpunetio_prm::cqe::{CQE_BYTES, CQE_TAIL, CqeOpcode, Syndrome};
use gpunetio_prm::doorbell::SqDoorbell;
use gpunetio_prm::id::{Gid, Qpn};
use gpunetio_prm::wqe::WQEBB_BYTES;
use gpunetio_softnic::diagnostic::Mistake;

/// How long a test waits for what must happen.
pub(crate) const PATIENCE: Duration = Duration::from_secs(20);

pub(crate) struct Rig {
    /// First, so that it looks while the device is open.
    pub(crate) strict: Strict,
    pub(crate) gpu: Gpu,
    pub(crate) nics: Nics,
    pub(crate) nic: Nic,
    pub(crate) pd: Pd,
    pub(crate) net: NetDevice,
    pub(crate) gid: (u8, Gid),
}

/// What strict mode finds on a device; nothing that no test expects, when it is dropped.
pub(crate) struct Strict {
    device: usize,
}

/// What tests of this process have said that strict mode will find. Findings are the device's, which all tests of a process
/// share, and so is this.
static EXPECTED: Mutex<Vec<(Qpn, Mistake)>> = Mutex::new(Vec::new());

/// A test that makes a mistake says so before it makes it.
pub(crate) fn expect_finding(qpn: Qpn, mistake: Mistake) {
    EXPECTED.lock().unwrap().push((qpn, mistake));
}

impl Strict {
    /// Findings that no test of this process expects; `None` where the device is closed.
    pub(crate) fn unexpected(&self) -> Option<Vec<String>> {
        let found = gpunetio_softnic::control().findings(self.device).ok()?;
        let expected = EXPECTED.lock().unwrap();
        let unexpected = found.iter().filter(|f| !expected.contains(&(f.qpn, f.mistake)));
        Some(unexpected.map(ToString::to_string).collect())
    }
}

impl Drop for Strict {
    fn drop(&mut self) {
        // A test that closed the device itself, to the last context, has nothing to ask any more: it asks before.
        if let (false, Some(unexpected)) = (std::thread::panicking(), self.unexpected()) {
            assert!(unexpected.is_empty(), "strict mode found: {unexpected:#?}");
        }
    }
}

impl Rig {
    /// Opens `mlx5_0` of a process with two devices.
    pub(crate) fn new() -> Self {
        Self::on("mlx5_0")
    }

    pub(crate) fn on(name: &str) -> Self {
        let address = |last| vec![IpAddr::V4(Ipv4Addr::new(192, 168, 7, last))];
        let config = gpunetio_softnic::device::Config {
            devices: 2,
            strict: true,
            addresses: Some(vec![address(1), address(2)]),
        };
        let nics = Nics::from_provider(gpunetio_softnic::provider(config));
        let nic = nics.open(name).unwrap();
        let gid = nic.roce_v2_gid().unwrap();
        let pd = nic.alloc_pd().unwrap();
        let net = NetDevice::open(&pd).unwrap();
        let strict = Strict { device: usize::from(name == "mlx5_1") };
        Self { strict, gpu: Gpu::open("cpu").unwrap(), nics, nic, pd, net, gid }
    }

    pub(crate) fn connect_attr(&self) -> ConnectAttr {
        ConnectAttr { sgid_index: self.gid.0, path_mtu: Mtu::M4096, ..ConnectAttr::default() }
    }

    /// Connects two queue pairs of this device.
    pub(crate) fn connect(&self, a: &Qp, b: &Qp) {
        let attr = self.connect_attr();
        let (end_a, end_b) = (a.endpoint(self.gid.1, 0), b.endpoint(self.gid.1, 0));
        a.connect(&end_b, &attr).unwrap();
        b.connect(&end_a, &attr).unwrap();
    }

    /// A connected pair of high-level queue pairs.
    pub(crate) fn pair(&self, attr: &HighLevelAttr<'_>) -> (HighLevelQp, HighLevelQp) {
        let a = HighLevelQp::create(attr).unwrap();
        let b = HighLevelQp::create(attr).unwrap();
        self.connect(a.qp(), b.qp());
        (a, b)
    }
}

/// Posts by hand, as a kernel would: WQE, then record and doorbell, or the proxy's word.
pub(crate) struct Poster<'a> {
    qp: &'a HighLevelQp,
    next: u64,
}

impl<'a> Poster<'a> {
    pub(crate) fn new(qp: &'a HighLevelQp) -> Self {
        Self { qp, next: 0 }
    }

    /// An RDMA write of one segment; gives its index.
    pub(crate) fn write(&mut self, from: (u64, u32), to: (u64, u32), bytes: u32) -> u64 {
        const RDMA_WRITE: u32 = gpunetio_prm::wqe::WqeOpcode::RDMA_WRITE.0 as u32;
        let image = self.qp.exported().read_image().unwrap().unwrap();
        let index = self.next;
        // A data segment of 0 bytes would mean 2^31: a write of nothing has none.
        let (qpn, segs) = (self.qp.qpn().0, if bytes == 0 { 2 } else { 3 });
        // Control segment with a completion always, remote address, data: PRM layouts, big-endian.
        let mut wqe = [0u8; WQEBB_BYTES];
        let mut put = |at: usize, value: &[u8]| wqe[at..at + value.len()].copy_from_slice(value);
        put(0, &((index as u16 as u32) << 8 | RDMA_WRITE).to_be_bytes());
        put(4, &(qpn << 8 | segs).to_be_bytes());
        put(11, &[gpunetio_prm::wqe::CompletionMode::ALWAYS.0 << 2]);
        put(16, &to.0.to_be_bytes());
        put(24, &to.1.to_be_bytes());
        put(32, &bytes.to_be_bytes());
        put(36, &from.1.to_be_bytes());
        put(40, &from.0.to_be_bytes());
        let slot = index as usize & usize::from(image.sq_wqe_mask);
        // SAFETY: the slot lies in the send queue, which the QP holds; the NIC does not read it before the doorbell.
        unsafe {
            let at = image.sq_wqe_daddr.add(slot * WQEBB_BYTES);
            std::ptr::copy_nonoverlapping(wqe.as_ptr(), at, WQEBB_BYTES);
        }
        self.next += 1;
        self.ring();
        index
    }

    fn ring(&self) {
        let exported = self.qp.exported();
        let image = exported.read_image().unwrap().unwrap();
        // SAFETY: record, register and word are those of the image, alive with the QP and naturally aligned.
        let (record, register) =
            unsafe { (AtomicU32::from_ptr(image.sq_dbrec), AtomicU64::from_ptr(image.sq_db)) };
        if exported.nic_handler() == NicHandler::CPU_PROXY {
            // Release orders the WQE before the index; the proxy's acquire is the partner.
            return register.store(self.next.to_le(), Ordering::Release);
        }
        let doorbell = SqDoorbell::new(self.qp.qpn(), self.next as u16);
        let doorbell = u64::from_ne_bytes(doorbell.emit());
        if exported.send_dbr_mode() == SendDbrMode::NO_DBR_SW_EMULATED {
            // The kernel rings by itself, then says so in its image, which the proxy watches. Release orders the WQE before
            // both.
            register.store(doorbell, Ordering::Release);
            let at = exported.device_image().unwrap() + std::mem::offset_of!(QpImage, sq_wqe_pi);
            // SAFETY: the word is part of the live image.
            let word = unsafe { AtomicU64::from_ptr(at as *mut u64) };
            return word.store(self.next, Ordering::Release);
        }
        // Release orders the WQE before the record and the record before the doorbell, for the NIC's reads.
        record.store(u32::from(self.next as u16).to_be(), Ordering::Release);
        fence(Ordering::SeqCst);
        register.store(doorbell, Ordering::Release);
    }

    /// Waits for the completion of an index and gives its opcode and syndrome.
    pub(crate) fn wait(&self, index: u64) -> (CqeOpcode, Syndrome) {
        let image = self.qp.exported().read_image().unwrap().unwrap();
        let cq = image.cq_sq;
        let collapsed = cq.cq_type == gpunetio_device::image::CqType::COLLAPSED;
        let slot = if collapsed { 0 } else { index as usize & cq.cqe_mask as usize };
        let at = cq.cqe_daddr.wrapping_add(slot * CQE_BYTES);
        let owner = u8::from(index & u64::from(cq.cqe_num) != 0);
        let start = Instant::now();
        loop {
            // SAFETY: the entry lies in the CQ, which the QP holds. Acquire pairs with the NIC's release of these four bytes,
            // which it writes last and at once.
            let tail = unsafe { AtomicU32::from_ptr(at.add(CQE_TAIL).cast()) };
            let [high, low, _, op_own] = tail.load(Ordering::Acquire).to_ne_bytes();
            let opcode = CqeOpcode(op_own >> 4);
            // A collapsed entry holds the newest completion: its counter has to have reached the index.
            let reached = u16::from_be_bytes([high, low]).wrapping_sub(index as u16) < 1 << 15;
            let ours = if collapsed { reached } else { op_own & 1 == owner };
            if opcode != CqeOpcode::INVALID && ours {
                // SAFETY: as above; the entry is complete.
                let syndrome = unsafe { at.add(CQE_TAIL - 5).read_volatile() };
                let error = opcode == CqeOpcode::REQ_ERR;
                return (opcode, if error { Syndrome(syndrome) } else { Syndrome::NONE });
            }
            assert!(
                start.elapsed() < PATIENCE,
                "wqe {index} of qp {} did not complete",
                self.qp.qpn()
            );
            std::thread::yield_now();
        }
    }
}
