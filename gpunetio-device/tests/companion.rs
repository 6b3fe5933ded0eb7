//! Kernels on the CPU executor that post to queue pairs of the core on the software NIC: counters that companions keep, WAITs
//! that hold them, calls of no bytes.
#![allow(unsafe_code, clippy::unwrap_used, clippy::expect_used)]

use std::ffi::c_void;
use std::net::{IpAddr, Ipv4Addr};
use std::time::Duration;

use gpunetio_core::{
    Access, ConnectAttr, Gpu, HighLevelAttr, HighLevelQp, Memory, MemoryKind, MemoryRegion, Mtu,
    NetDevice, Nics, Pd, QpGroup, QpGroupList,
};
use gpunetio_device::executor::{CpuExecutor, KernelEntry, LaunchConfig};
use gpunetio_device::image::NicHandler;
use gpunetio_prm::id::Gid;

unsafe extern "C" {
    safe static gpunetio_kernel_count: KernelEntry;
    safe static gpunetio_kernel_ring_companion_first: KernelEntry;
    safe static gpunetio_kernel_small: KernelEntry;
}

const DEPTH: u32 = 16;
const LIMIT: Duration = Duration::from_secs(120);

/// What a companion counts; mirrors `enum counted` of the kernels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
enum Style {
    Put = 0,
    PutSignal = 1,
    Get = 2,
    Value = 3,
    Signal = 4,
}

/// `doca_gpu_dev_verbs_addr`: the key is big-endian.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Addr {
    addr: u64,
    key: u32,
}

/// Mirrors `struct job` of the kernels.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
struct Job {
    qp: usize,
    companion: usize,
    from: Addr,
    to: Addr,
    back: Addr,
    fetched: Addr,
    signal: Addr,
    counter: Addr,
    iters: u32,
    size: u32,
    style: Style,
    code_opt: u32,
    status: *mut i32,
}

struct Bench {
    gpu: Gpu,
    pd: Pd,
    net: NetDevice,
    gid: (u8, Gid),
}

impl Bench {
    fn new() -> Self {
        let config = gpunetio_softnic::device::Config {
            devices: 1,
            strict: true,
            addresses: Some(vec![vec![IpAddr::V4(Ipv4Addr::new(192, 168, 7, 1))]]),
        };
        let nic = Nics::from_provider(gpunetio_softnic::provider(config)).open("mlx5_0").unwrap();
        let gid = nic.roce_v2_gid().unwrap();
        let pd = nic.alloc_pd().unwrap();
        let net = NetDevice::open(&pd).unwrap();
        Self { gpu: Gpu::open("cpu").unwrap(), pd, net, gid }
    }

    fn attr(&self) -> HighLevelAttr<'_> {
        HighLevelAttr::new(&self.gpu, &self.net, DEPTH)
    }

    fn connect(&self, a: &HighLevelQp, b: &HighLevelQp) {
        let attr =
            ConnectAttr { sgid_index: self.gid.0, path_mtu: Mtu::M4096, ..ConnectAttr::default() };
        let (end_a, end_b) = (a.qp().endpoint(self.gid.1, 0), b.qp().endpoint(self.gid.1, 0));
        a.qp().connect(&end_b, &attr).unwrap();
        b.qp().connect(&end_a, &attr).unwrap();
    }

    fn connect_groups(&self, a: &QpGroup, b: &QpGroup) {
        self.connect(&a.main, &b.main);
        self.connect(&a.companion, &b.companion);
    }

    fn group_pair(&self) -> (QpGroup, QpGroup) {
        let pair = (QpGroup::create(&self.attr()).unwrap(), QpGroup::create(&self.attr()).unwrap());
        self.connect_groups(&pair.0, &pair.1);
        pair
    }
}

impl Drop for Bench {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // Nothing here makes a mistake, so what strict mode names is one of the device code.
            assert_eq!(gpunetio_softnic::control().findings(0).unwrap(), []);
        }
    }
}

/// Registered memory in equal parts.
struct Buffers {
    memory: Memory,
    region: MemoryRegion,
    bytes: usize,
}

/// Bytes that follow each part and stay as they were.
const GUARD: usize = 64;

impl Buffers {
    /// `from`, `to`, `back` of `bytes` each; `fetched`, `signal`, `counter` of one word.
    fn new(bench: &Bench, bytes: usize) -> Self {
        let size = 6 * (bytes.next_multiple_of(8) + GUARD);
        let memory = bench.gpu.allocate(MemoryKind::Gpu, size, 4096).unwrap();
        let region = MemoryRegion::register(&bench.pd, &memory, Access::ALL).unwrap();
        let this = Self { memory, region, bytes };
        let data: Vec<u8> = (0..bytes).map(|i| (i * 131 + i / 251 + 1) as u8).collect();
        this.memory.write(this.offset(0), &data).unwrap();
        this
    }

    fn offset(&self, part: usize) -> usize {
        part * (self.bytes.next_multiple_of(8) + GUARD)
    }

    fn at(&self, part: usize, remote: bool) -> Addr {
        let key = if remote { self.region.rkey().0 } else { self.region.lkey().0 };
        Addr { addr: self.region.iova() + self.offset(part) as u64, key: key.to_be() }
    }

    fn part(&self, part: usize) -> Vec<u8> {
        let mut bytes = vec![0; self.bytes + GUARD];
        self.memory.read(self.offset(part), &mut bytes).unwrap();
        let guard = bytes.split_off(self.bytes.next_multiple_of(8).min(bytes.len()));
        assert!(guard.iter().all(|b| *b == 0), "bytes behind part {part} changed");
        bytes.truncate(self.bytes);
        bytes
    }

    fn word(&self, part: usize) -> u64 {
        let mut bytes = [0; 8];
        self.memory.read(self.offset(part), &mut bytes).unwrap();
        u64::from_ne_bytes(bytes)
    }

    /// A job on `qp` and `companion`, remote memory being that of `peer`.
    fn job(&self, peer: &Self, qp: &HighLevelQp, companion: &HighLevelQp, style: Style) -> Job {
        Job {
            qp: qp.exported().device_image().unwrap(),
            companion: companion.exported().device_image().unwrap(),
            from: self.at(0, false),
            to: peer.at(1, true),
            back: self.at(2, false),
            fetched: self.at(3, false),
            signal: peer.at(4, true),
            counter: peer.at(5, true),
            iters: 0,
            size: 0,
            style,
            code_opt: 0,
            status: std::ptr::null_mut(),
        }
    }
}

/// Runs a kernel to its end; ends the process if it does not come, since it uses memory of the test.
fn run(kernel: &KernelEntry, config: LaunchConfig, args: &[*mut c_void]) {
    // SAFETY: the callers pass what the kernel takes, and it outlives the launch.
    let launch = unsafe { CpuExecutor::new().launch(kernel, config, args) }.unwrap();
    match launch.join_timeout(LIMIT) {
        Some(outcome) => outcome.unwrap(),
        None => {
            eprintln!("{} does not end", kernel.name());
            std::process::abort();
        }
    }
}

/// A block of `threads` for each job.
fn count(jobs: &mut [Job], threads: u32) {
    let blocks = jobs.len() as u32;
    let mut status = vec![i32::MAX; (blocks * threads) as usize];
    for (job, status) in jobs.iter_mut().zip(status.chunks_mut(threads as usize)) {
        job.status = status.as_mut_ptr();
    }
    let mut pointer = jobs.as_mut_ptr();
    let args = [(&raw mut pointer).cast()];
    run(&gpunetio_kernel_count, LaunchConfig::line(blocks, threads), &args);
    assert!(status.iter().all(|s| *s == 0), "{jobs:?}: {status:?}");
}

/// What `operations` of a job must have left behind.
fn check(style: Style, operations: u64, size: usize, own: &Buffers, peer: &Buffers) {
    assert_eq!(peer.word(5), operations, "{style:?}: counter");
    let signals = matches!(style, Style::PutSignal | Style::Signal);
    assert_eq!(peer.word(4), if signals { 3 * operations } else { 0 }, "{style:?}: signal");
    let source: Vec<u8> = match style {
        Style::Put | Style::PutSignal => own.part(0),
        Style::Get => peer.part(1),
        Style::Value => (0..operations)
            .flat_map(|id| {
                let mut piece = vec![0; size];
                piece[..8].copy_from_slice(&(id ^ 0x5a5a_0000_0000_0000).to_ne_bytes());
                piece
            })
            .collect(),
        Style::Signal => vec![0; peer.bytes],
    };
    let target = if style == Style::Get { own.part(2) } else { peer.part(1) };
    assert!(source == target, "{style:?}: the bytes differ");
    if style != Style::Signal {
        assert!(target.iter().any(|b| *b != 0), "{style:?}: nothing was moved");
    }
}

const STYLES: [Style; 5] = [Style::Put, Style::PutSignal, Style::Get, Style::Value, Style::Signal];

#[test]
fn a_companion_counts_what_the_main_queue_did_many_laps_round_both() {
    let bench = Bench::new();
    let size = 24;
    // Rung each, and with SKIP_DB_RINGING, where posts and waits ring what they wait for.
    for code_opt in [0, 4] {
        for threads in [1, 6] {
            for style in STYLES {
                let iters = 40 * DEPTH / threads;
                let bytes = (iters * threads) as usize * size;
                let (own, peer) = (Buffers::new(&bench, bytes), Buffers::new(&bench, bytes));
                if style == Style::Get {
                    let data: Vec<u8> = (0..bytes).map(|i| (i * 37 + i / 253 + 9) as u8).collect();
                    peer.memory.write(peer.offset(1), &data).unwrap();
                }
                let (a, b) = bench.group_pair();
                let job = own.job(&peer, &a.main, &a.companion, style);
                count(&mut [Job { iters, size: size as u32, code_opt, ..job }], threads);
                check(style, u64::from(iters * threads), size, &own, &peer);
                let image = a.companion.exported().read_image().unwrap().unwrap();
                let posted = u64::from(2 * iters * threads);
                assert_eq!(image.sq_rsvd_index, posted, "a WAIT and an add for each");
                a.destroy().unwrap();
                b.destroy().unwrap();
            }
        }
    }
}

#[test]
fn the_groups_of_a_list_count_side_by_side() {
    let bench = Bench::new();
    let groups = 3;
    let list = QpGroupList::create(&bench.attr(), groups).unwrap();
    let peers = QpGroupList::create(&bench.attr(), groups).unwrap();
    let (iters, threads, size) = (100, 2, 16);
    let bytes = (iters * threads) as usize * size;
    let buffers: Vec<_> =
        (0..groups).map(|_| (Buffers::new(&bench, bytes), Buffers::new(&bench, bytes))).collect();
    let mut jobs: Vec<_> = list
        .groups()
        .iter()
        .zip(peers.groups())
        .zip(&buffers)
        .map(|((group, peer), (own, far))| {
            bench.connect_groups(group, peer);
            let job = own.job(far, &group.main, &group.companion, Style::PutSignal);
            Job { iters, size: size as u32, ..job }
        })
        .collect();
    count(&mut jobs, threads);
    for (own, far) in &buffers {
        check(Style::PutSignal, u64::from(iters * threads), size, own, far);
    }
    list.destroy().unwrap();
    peers.destroy().unwrap();
}

#[test]
fn a_wait_holds_the_companion_until_the_main_queue_is_rung() {
    let bench = Bench::new();
    let (own, peer) = (Buffers::new(&bench, 4096), Buffers::new(&bench, 4096));
    let (a, _b) = bench.group_pair();
    let mut job = Job { size: 4096, ..own.job(&peer, &a.main, &a.companion, Style::Put) };
    // Laps round both queues, by each of the two calls.
    for round in 0..u64::from(2 * DEPTH) {
        let (mut pointer, mut by, mut out) = (&raw mut job, (round % 2) as u32, [-1i64; 5]);
        let mut out_pointer = out.as_mut_ptr();
        let args: [*mut c_void; 3] =
            [(&raw mut pointer).cast(), (&raw mut by).cast(), (&raw mut out_pointer).cast()];
        run(&gpunetio_kernel_ring_companion_first, LaunchConfig::line(1, 1), &args);
        // 16 is "not yet" of a poll (EBUSY).
        assert_eq!(out, [round as i64, 16, 0, 0, round as i64 + 1], "round {round}");
        assert_eq!(peer.word(5), round + 1);
    }
    assert!(own.part(0) == peer.part(1), "the bytes differ");
}

#[test]
fn calls_of_no_bytes_complete_and_move_nothing() {
    let bench = Bench::new();
    for nic_handler in [NicHandler::GPU_SM_DB, NicHandler::GPU_SM_BF] {
        let attr = HighLevelAttr { nic_handler, ..bench.attr() };
        let pair = || HighLevelQp::create(&attr).unwrap();
        let (a, b) = (pair(), pair());
        bench.connect(&a, &b);
        let (own, peer) = (Buffers::new(&bench, 128), Buffers::new(&bench, 128));
        let mut job = own.job(&peer, &a, &a, Style::Put);
        let (mut pointer, mut out) = (&raw mut job, [i32::MAX; 8]);
        let mut out_pointer = out.as_mut_ptr();
        let args: [*mut c_void; 2] = [(&raw mut pointer).cast(), (&raw mut out_pointer).cast()];
        run(&gpunetio_kernel_small, LaunchConfig::line(1, 1), &args);
        // Nine WQEs: put_signal and p_signal have two.
        assert_eq!(out, [0, 0, 0, 0, 0, 0, 0, 9], "{nic_handler:?}");
        assert_eq!(peer.word(4), 5 + 7 + 11);
        let mut want = vec![0; 128];
        want[64] = 0xab;
        want[72..80].copy_from_slice(&0x0123_4567_89ab_cdefu64.to_ne_bytes());
        want[80..84].copy_from_slice(&0x7654_3210u32.to_ne_bytes());
        assert_eq!(peer.part(1), want);
        assert_eq!(own.part(2), vec![0; 128], "a get of nothing wrote");
        assert!(!a.last_error().unwrap().has_error);
    }
}
