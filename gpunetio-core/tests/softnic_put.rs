//! Data through the whole path on the software NIC: queues made by DEVX, WQEs written by hand, doorbells rung from here or by
//! the CPU proxy.
#![allow(clippy::unwrap_used, reason = "a test ends at the first surprise")]

mod rig;

use std::time::Instant;

use gpunetio_core::*;
use gpunetio_device::image::{NicHandler, SendDbrMode};
use gpunetio_prm::cqe::{CqeOpcode, Syndrome};
use gpunetio_softnic::diagnostic::Mistake;
use rig::{PATIENCE, Poster, Rig, expect_finding};

const BYTES: usize = 1 << 16;

struct Buffers {
    from: Memory,
    to: Memory,
    from_mr: MemoryRegion,
    to_mr: MemoryRegion,
}

impl Buffers {
    fn new(rig: &Rig, access: Access) -> Self {
        let memory = || rig.gpu.allocate(MemoryKind::Gpu, BYTES, 4096).unwrap();
        let (from, to) = (memory(), memory());
        let data: Vec<u8> = (0..BYTES).map(|i| (i * 7 + 3) as u8).collect();
        from.write(0, &data).unwrap();
        let from_mr = MemoryRegion::register(&rig.pd, &from, Access::LOCAL_WRITE).unwrap();
        let to_mr = MemoryRegion::register(&rig.pd, &to, access).unwrap();
        Self { from, to, from_mr, to_mr }
    }

    fn source(&self) -> (u64, u32) {
        (self.from_mr.iova(), self.from_mr.lkey().0)
    }

    fn target(&self) -> (u64, u32) {
        (self.to_mr.iova(), self.to_mr.rkey().0)
    }

    fn check(&self, bytes: usize) {
        let (mut want, mut have) = (vec![0; BYTES], vec![0; BYTES]);
        self.from.read(0, &mut want).unwrap();
        self.to.read(0, &mut have).unwrap();
        assert_eq!(want[..bytes], have[..bytes]);
        assert!(have[bytes..].iter().all(|b| *b == 0), "bytes behind the write changed");
    }
}

#[test]
fn a_put_by_hand_moves_the_bytes_and_no_more() {
    let rig = Rig::new();
    let (a, b) = rig.pair(&HighLevelAttr::new(&rig.gpu, &rig.net, 64));
    a.exported().device_image().unwrap();
    assert_eq!(a.exported().nic_handler(), NicHandler::GPU_SM_DB);
    let buffers = Buffers::new(&rig, Access::ALL);
    let mut poster = Poster::new(&a);
    let bytes = 5000;
    let index = poster.write(buffers.source(), buffers.target(), bytes);
    assert_eq!(poster.wait(index), (CqeOpcode::REQ, Syndrome::NONE));
    buffers.check(bytes as usize);
    assert_eq!(a.last_error().unwrap(), QpErrorInfo::default());
    // Many laps of the ring, zero bytes included.
    for lap in 0..300u32 {
        let index = poster.write(buffers.source(), buffers.target(), lap % 2 * 64);
        assert_eq!(poster.wait(index), (CqeOpcode::REQ, Syndrome::NONE));
    }
    drop((a, b));
}

#[test]
fn more_posts_than_an_index_counts() {
    let rig = Rig::new();
    let (a, _b) = rig.pair(&HighLevelAttr::new(&rig.gpu, &rig.net, 64));
    a.exported().device_image().unwrap();
    let buffers = Buffers::new(&rig, Access::ALL);
    let mut poster = Poster::new(&a);
    for _ in 0..(1 << 16) / 32 + 40 {
        let last = (0..32).map(|_| poster.write(buffers.source(), buffers.target(), 8)).last();
        assert_eq!(poster.wait(last.unwrap()), (CqeOpcode::REQ, Syndrome::NONE));
    }
}

#[test]
fn a_post_before_init_is_what_strict_mode_finds() {
    let rig = Rig::new();
    let a = HighLevelQp::create(&HighLevelAttr::new(&rig.gpu, &rig.net, 16)).unwrap();
    a.exported().device_image().unwrap();
    let buffers = Buffers::new(&rig, Access::ALL);
    expect_finding(a.qpn(), Mistake::DoorbellInReset);
    Poster::new(&a).write(buffers.source(), buffers.target(), 8);
    let start = Instant::now();
    let found = || gpunetio_softnic::control().findings(0).unwrap();
    while !found().iter().any(|f| (f.qpn, f.mistake) == (a.qpn(), Mistake::DoorbellInReset)) {
        assert!(start.elapsed() < PATIENCE, "{:?}", found());
        std::thread::yield_now();
    }
    assert_eq!(rig.strict.unexpected().unwrap(), [""; 0]);
}

#[test]
fn a_put_between_devices_moves_the_bytes() {
    let (one, two) = (Rig::on("mlx5_0"), Rig::on("mlx5_1"));
    let a = HighLevelQp::create(&HighLevelAttr::new(&one.gpu, &one.net, 64)).unwrap();
    let b = HighLevelQp::create(&HighLevelAttr::new(&two.gpu, &two.net, 64)).unwrap();
    a.qp()
        .connect(&b.qp().endpoint(two.gid.1, 9), &ConnectAttr { psn: 5, ..one.connect_attr() })
        .unwrap();
    b.qp()
        .connect(&a.qp().endpoint(one.gid.1, 5), &ConnectAttr { psn: 9, ..two.connect_attr() })
        .unwrap();
    a.exported().device_image().unwrap();
    let source = Buffers::new(&one, Access::ALL);
    let target = Buffers::new(&two, Access::ALL);
    let mut poster = Poster::new(&a);
    let index = poster.write(source.source(), target.target(), BYTES as u32);
    assert_eq!(poster.wait(index), (CqeOpcode::REQ, Syndrome::NONE));
    target.check(BYTES);
}

#[test]
fn what_the_peer_forbids_ends_in_a_named_error_that_can_be_read() {
    let rig = Rig::new();
    let read_only = Buffers::new(&rig, Access::LOCAL_WRITE | Access::REMOTE_READ);
    let good = Buffers::new(&rig, Access::ALL);
    let (to, rkey) = good.target();
    let (from, lkey) = good.source();
    let other_pd = rig.nic.alloc_pd().unwrap();
    let elsewhere = MemoryRegion::register(&other_pd, &good.from, Access::LOCAL_WRITE).unwrap();
    let cases = [
        ("no right to write", (from, lkey), read_only.target(), Syndrome::REMOTE_ACCESS_ERR),
        ("wrong rkey", (from, lkey), (to, rkey ^ 0x5500), Syndrome::REMOTE_ACCESS_ERR),
        ("out of bounds", (from, lkey), (to + BYTES as u64 - 8, rkey), Syndrome::REMOTE_ACCESS_ERR),
        ("lkey of another pd", (from, elsewhere.lkey().0), (to, rkey), Syndrome::LOCAL_PROT_ERR),
    ];
    for (what, source, target, syndrome) in cases {
        let (a, _b) = rig.pair(&HighLevelAttr::new(&rig.gpu, &rig.net, 16));
        a.exported().device_image().unwrap();
        let mut poster = Poster::new(&a);
        let first = poster.write(source, target, 64);
        assert_eq!(poster.wait(first), (CqeOpcode::REQ_ERR, syndrome), "{what}");
        // A put to a QP in error is flushed, and the first error stays what is reported.
        let second = poster.write(source, target, 64);
        assert_eq!(poster.wait(second), (CqeOpcode::REQ_ERR, Syndrome::WR_FLUSH_ERR), "{what}");
        let info = a.last_error().unwrap();
        assert!(info.has_error && info.syndrome == syndrome, "{what}: {info:?}");
        assert_eq!(info.wqe_counter, first as u16, "{what}");
        assert_eq!(a.qp().state(), QpState::Err, "{what}");
    }
}

#[test]
fn a_queue_pair_is_as_new_after_rst_and_reset() {
    let rig = Rig::new();
    let collapsed =
        HighLevelAttr { cq_collapsed: true, ..HighLevelAttr::new(&rig.gpu, &rig.net, 16) };
    let (a, b) = rig.pair(&collapsed);
    a.exported().device_image().unwrap();
    let buffers = Buffers::new(&rig, Access::ALL);
    for _ in 0..200 {
        let (to, rkey) = buffers.target();
        let mut poster = Poster::new(&a);
        let good = poster.write(buffers.source(), (to, rkey), 8);
        assert_eq!(poster.wait(good).0, CqeOpcode::REQ);
        let busy = a.exported().reset_tracking_and_memory().unwrap_err().to_string();
        assert!(busy.contains("RTS"), "{busy}");
        let bad = poster.write(buffers.source(), (to, rkey ^ 0x100), 8);
        assert_eq!(poster.wait(bad).1, Syndrome::REMOTE_ACCESS_ERR);
        let flushing = a.exported().reset_tracking_and_memory().unwrap_err().to_string();
        assert!(flushing.contains("state ERR"), "{flushing}");
        let reset = QpAttr::default();
        for qp in [&a, &b] {
            qp.modify(&reset, AttrMask::NEXT_STATE).unwrap();
            qp.exported().reset_tracking_and_memory().unwrap();
        }
        assert_eq!(a.last_error().unwrap(), QpErrorInfo::default());
        rig.connect(a.qp(), b.qp());
    }
}

#[test]
fn a_ring_that_stands_inside_a_lap_is_not_said_to_start_over() {
    let rig = Rig::new();
    let (a, _b) = rig.pair(&HighLevelAttr::new(&rig.gpu, &rig.net, 4));
    a.exported().device_image().unwrap();
    let buffers = Buffers::new(&rig, Access::ALL);
    let mut poster = Poster::new(&a);
    for posted in 1..=8u64 {
        let index = poster.write(buffers.source(), buffers.target(), 8);
        assert_eq!(poster.wait(index).0, CqeOpcode::REQ);
        if posted == 3 {
            let (c, _d) = rig.pair(&HighLevelAttr::new(&rig.gpu, &rig.net, 4));
            c.exported().device_image().unwrap();
            let mut other = Poster::new(&c);
            let index = other.write(buffers.source(), buffers.target(), 8);
            assert_eq!(other.wait(index).0, CqeOpcode::REQ);
            c.modify(&QpAttr::default(), AttrMask::NEXT_STATE).unwrap();
            let message = c.exported().reset_tracking_and_memory().unwrap_err().to_string();
            assert!(message.contains("entry 1 of two laps of 4"), "{message}");
        }
    }
    // Two laps are full: the NIC's next entry is the first again, with the first owner bit.
    a.modify(&QpAttr::default(), AttrMask::NEXT_STATE).unwrap();
    a.exported().reset_tracking_and_memory().unwrap();
}

#[test]
fn the_cpu_proxy_rings_for_every_record_mode() {
    let rig = Rig::new();
    let buffers = Buffers::new(&rig, Access::ALL);
    for (handler, mode) in [
        (NicHandler::CPU_PROXY, SendDbrMode::VALID_DBR),
        (NicHandler::CPU_PROXY, SendDbrMode::NO_DBR_HW),
        (NicHandler::CPU_PROXY, SendDbrMode::NO_DBR_SW_EMULATED),
        (NicHandler::AUTO, SendDbrMode::NO_DBR_SW_EMULATED),
    ] {
        let attr = HighLevelAttr {
            nic_handler: handler,
            send_dbr_mode: mode,
            ..HighLevelAttr::new(&rig.gpu, &rig.net, 16)
        };
        let (a, _b) = rig.pair(&attr);
        a.exported().device_image().unwrap();
        assert!(a.exported().needs_cpu_proxy());
        let mut poster = Poster::new(&a);
        assert!(!a.exported().proxy_progress().unwrap(), "nothing was published");
        let index = poster.write(buffers.source(), buffers.target(), 64);
        assert!(a.exported().proxy_progress().unwrap());
        assert!(!a.exported().proxy_progress().unwrap(), "rung once");
        assert_eq!(poster.wait(index), (CqeOpcode::REQ, Syndrome::NONE));
    }
}

/// The image is the word that the proxy polls; its memory must outlive the look at it.
#[test]
fn images_go_while_the_cpu_proxy_looks_at_them() {
    let rig = Rig::new();
    let attr = HighLevelAttr {
        send_dbr_mode: SendDbrMode::NO_DBR_SW_EMULATED,
        ..HighLevelAttr::new(&rig.gpu, &rig.net, 16)
    };
    let list = QpList::create(&attr, 1).unwrap();
    let exported = list.qps()[0].exported();
    let done = std::sync::atomic::AtomicBool::new(false);
    std::thread::scope(|scope| {
        let looker = scope.spawn(|| {
            while !done.load(std::sync::atomic::Ordering::Relaxed) {
                assert!(!exported.proxy_progress().unwrap(), "nothing was published");
            }
        });
        for _ in 0..2000 {
            drop(list.export(&attr).unwrap());
        }
        done.store(true, std::sync::atomic::Ordering::Relaxed);
        looker.join().unwrap();
    });
}

#[test]
fn a_proxy_service_serves_many_and_lets_go() {
    let rig = Rig::new();
    let buffers = Buffers::new(&rig, Access::ALL);
    let attr = HighLevelAttr {
        nic_handler: NicHandler::CPU_PROXY,
        ..HighLevelAttr::new(&rig.gpu, &rig.net, 16)
    };
    let pairs: Vec<_> = (0..8).map(|_| rig.pair(&attr)).collect();
    let service = ProxyService::start().unwrap();
    for (a, _) in &pairs {
        a.exported().device_image().unwrap();
        service.add(a.exported()).unwrap();
    }
    let twice = service.add(pairs[0].0.exported()).unwrap_err().to_string();
    assert!(twice.contains(&pairs[0].0.qpn().to_string()), "{twice}");
    let mut posters: Vec<_> = pairs.iter().map(|(a, _)| Poster::new(a)).collect();
    for round in 0..3 {
        for poster in &mut posters {
            let index = poster.write(buffers.source(), buffers.target(), 256);
            assert_eq!(poster.wait(index), (CqeOpcode::REQ, Syndrome::NONE));
        }
        if round == 1 {
            // Long enough for the thread to sleep between polls.
            std::thread::sleep(IDLE_AFTER * 5);
        }
    }
    drop(posters);
    for (a, b) in pairs {
        let refused = a.destroy().unwrap_err();
        assert!(refused.error.to_string().contains("in use"));
        service.remove(refused.handle.exported()).unwrap();
        refused.handle.destroy().unwrap();
        b.destroy().unwrap();
    }
    let stop = Instant::now();
    drop(service);
    assert!(stop.elapsed() < PATIENCE);
    let by_itself = rig.pair(&HighLevelAttr::new(&rig.gpu, &rig.net, 16)).0;
    let service = ProxyService::start().unwrap();
    assert!(service.add(by_itself.exported()).is_err(), "its kernels ring by themselves");
}
