//! What refuses, and what overtakes what: destroys that fail, memory freed under a copy, memory that is not whole pages.
#![allow(clippy::unwrap_used, reason = "a test ends at the first surprise")]

mod recorder;

use std::sync::Arc;
use std::sync::atomic::Ordering;

use gpunetio_core::*;
use gpunetio_device::image::NicHandler;
use recorder::stand_in::{Faults, StandIn};
use recorder::{Call, with};

struct Bench {
    gpu: Gpu,
    faults: Arc<Faults>,
    pd: Pd,
    net: NetDevice,
}

impl Bench {
    fn new() -> Self {
        with(|r| *r = Default::default());
        let platform = StandIn { io_memory: true, dmabuf: true, ..StandIn::default() };
        let faults = Arc::clone(&platform.faults);
        let gpu = Gpu::with_platform("stand-in", Box::new(platform));
        let nics = Nics::from_provider(recorder::provider());
        let pd = nics.open("mlx5_0").unwrap().alloc_pd().unwrap();
        let net = NetDevice::open(&pd).unwrap();
        Self { gpu, faults, pd, net }
    }

    fn high_level(&self) -> HighLevelQp {
        HighLevelQp::create(&HighLevelAttr::new(&self.gpu, &self.net, 16)).unwrap()
    }
}

/// Numbers of the objects that were destroyed since the last time.
fn destroyed() -> Vec<u32> {
    let number = |call| match call {
        Call::Destroy(id) => Some(id),
        _ => None,
    };
    recorder::take().into_iter().filter_map(number).collect()
}

#[test]
fn a_high_level_qp_reports_what_is_not_destroyed_and_goes_on_from_there() {
    let bench = Bench::new();
    let qp = bench.high_level();
    assert_eq!(qp.exported().nic_handler(), NicHandler::GPU_SM_DB);
    let (qpn, cqn) = (qp.qpn().0, qp.cq().cqn().0);
    destroyed();

    bench.faults.unmap.store(true, Ordering::SeqCst);
    let refused = qp.destroy().unwrap_err();
    assert!(refused.error.to_string().contains("refuses to unmap"), "{}", refused.error);
    assert_eq!(destroyed(), [0u32; 0], "users first");
    refused.handle.exported().device_image().unwrap();

    with(|r| r.answers.fail_destroy = Some(qpn));
    let refused = refused.handle.destroy().unwrap_err();
    assert!(refused.error.to_string().contains("Qp"), "{}", refused.error);
    assert_eq!(destroyed(), [0u32; 0]);

    with(|r| r.answers.fail_destroy = Some(cqn));
    let refused = refused.handle.destroy().unwrap_err();
    assert!(refused.error.to_string().contains("Cq"), "{}", refused.error);
    assert_eq!(destroyed(), [qpn]);
    let gone = refused.handle.qp().query().unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::BadState);
    assert!(gone.to_string().contains("is in state destroyed"), "{gone}");

    refused.handle.destroy().unwrap();
    assert_eq!(destroyed(), [cqn]);
}

#[test]
fn a_list_destroys_what_can_be_and_reports_the_first_error() {
    let bench = Bench::new();
    let attr = HighLevelAttr::new(&bench.gpu, &bench.net, 16);
    let list = QpList::create(&attr, 3).unwrap();
    let numbers = |qp: &HighLevelQp| [qp.qpn().0, qp.cq().cqn().0];
    let [first, second, third] = [0, 1, 2].map(|i| numbers(&list.qps()[i]));
    let images = list.export(&attr).unwrap();
    destroyed();

    let refused = list.destroy().unwrap_err();
    assert_eq!(refused.error.kind(), ErrorKind::InUse, "{}", refused.error);
    assert_eq!(destroyed(), [0u32; 0], "none while one is in use");
    drop(images);

    with(|r| r.answers.fail_destroy = Some(second[0]));
    let refused = refused.handle.destroy().unwrap_err();
    assert!(refused.error.to_string().contains("Qp"), "{}", refused.error);
    assert_eq!(destroyed(), [first, third].concat());
    refused.handle.destroy().unwrap();
    assert_eq!(destroyed(), second);
}

#[test]
fn groups_report_what_is_not_destroyed() {
    let bench = Bench::new();
    let attr = HighLevelAttr::new(&bench.gpu, &bench.net, 16);
    let parts = |group: &QpGroup| {
        [&group.companion, &group.main].map(|qp| [qp.qpn().0, qp.cq().cqn().0]).concat()
    };
    let group = QpGroup::create(&attr).unwrap();
    let all = parts(&group);
    destroyed();
    with(|r| r.answers.fail_destroy = Some(all[1]));
    let refused = group.destroy().unwrap_err();
    assert!(refused.error.to_string().contains("Cq"), "{}", refused.error);
    assert_eq!(destroyed(), all[..1], "the main one stays while what waits for it does");
    refused.handle.destroy().unwrap();
    assert_eq!(destroyed(), all[1..]);

    let list = QpGroupList::create(&attr, 2).unwrap();
    let (first, second) = (parts(&list.groups()[0]), parts(&list.groups()[1]));
    destroyed();
    with(|r| r.answers.fail_destroy = Some(first[2]));
    let refused = list.destroy().unwrap_err();
    assert!(refused.error.to_string().contains("Qp"), "{}", refused.error);
    assert_eq!(destroyed(), [&first[..2], &second[..]].concat());
    refused.handle.destroy().unwrap();
    assert_eq!(destroyed(), first[2..]);
}

#[test]
fn a_system_without_rdma_driver_says_what_to_do() {
    let bench = Bench::new();
    drop(bench);
    let nics = Nics::from_provider(recorder::provider());
    with(|r| r.answers.fail_list = Some(libc::ENOSYS));
    let error = nics.list().unwrap_err();
    let message = error.to_string();
    assert!(message.starts_with("RDMA driver not found"), "{message}");
    assert!(message.contains("load mlx5_ib, or use GPUNETIO_NIC=softnic"), "{message}");
    assert_eq!(message.matches("os error 38").count(), 1, "{message}");
    assert!(std::error::Error::source(&error).is_none());
    with(|r| r.answers.fail_list = Some(libc::ENOMEM));
    assert_eq!(nics.list().unwrap_err().kind(), ErrorKind::NoMemory);
}

#[test]
fn an_export_that_is_taken_back_has_no_new_image() {
    let bench = Bench::new();
    let qp = bench.high_level();
    let qpn = qp.qpn().0;
    with(|r| r.answers.fail_destroy = Some(qpn));
    let left = qp.destroy().unwrap_err().handle;
    let error = left.exported().device_image().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::BadState, "{error}");
    left.destroy().unwrap();
}

#[test]
fn a_high_level_qp_with_another_export_is_in_use() {
    let bench = Bench::new();
    let qp = bench.high_level();
    let second = ExportedQp::export(&bench.gpu, qp.qp(), qp.cq(), &ExportAttr::default()).unwrap();
    destroyed();
    let refused = qp.destroy().unwrap_err();
    assert_eq!(refused.error.kind(), ErrorKind::InUse);
    assert_eq!(destroyed(), [0u32; 0]);
    second.unexport().unwrap();
    refused.handle.destroy().unwrap();
}

#[test]
fn an_export_whose_page_is_not_unmapped_comes_back() {
    let bench = Bench::new();
    let qp = bench.high_level();
    let second = ExportedQp::export(&bench.gpu, qp.qp(), qp.cq(), &ExportAttr::default()).unwrap();
    // The page is one for both exports: it is unmapped with the second of them.
    qp.exported().device_image().unwrap();
    second.unexport().unwrap();
    let second = ExportedQp::export(&bench.gpu, qp.qp(), qp.cq(), &ExportAttr::default()).unwrap();
    bench.faults.unmap.store(true, Ordering::SeqCst);
    second.unexport().unwrap();
    assert!(bench.faults.unmap.load(Ordering::SeqCst), "the page has a user left");
    let refused = qp.destroy().unwrap_err();
    assert!(refused.error.to_string().contains("refuses to unmap"), "{}", refused.error);
    refused.handle.destroy().unwrap();
}

#[test]
fn memory_that_is_not_freed_comes_back() {
    let bench = Bench::new();
    let memory = bench.gpu.allocate(MemoryKind::Gpu, 100, 0).unwrap();
    bench.faults.free.store(true, Ordering::SeqCst);
    let refused = memory.free().unwrap_err();
    assert!(refused.error.to_string().contains("refuses to free"), "{}", refused.error);
    let memory = refused.handle;
    memory.write(0, &[1; 100]).unwrap();
    memory.free().unwrap();
    bench.net.close().unwrap();
    bench.gpu.destroy().unwrap();
}

#[test]
fn memory_is_not_freed_under_a_copy() {
    let bench = Bench::new();
    let memory = bench.gpu.allocate(MemoryKind::Gpu, 4096, 0).unwrap();
    let address = memory.gpu_address();
    bench.faults.slow_write.store(true, Ordering::SeqCst);
    std::thread::scope(|scope| {
        scope.spawn(|| bench.gpu.write(address, &[1; 4096]).unwrap());
        while !bench.faults.writing.load(Ordering::SeqCst) {
            std::thread::yield_now();
        }
        drop(memory);
    });
    assert!(!bench.faults.freed_under_write.load(Ordering::SeqCst));
    let gone = bench.gpu.write(address, &[1]).unwrap_err();
    assert_eq!(gone.kind(), ErrorKind::NotFound);
}

#[test]
fn a_range_inside_a_page_is_registered_at_its_offset_in_the_dmabuf() {
    let bench = Bench::new();
    let memory = bench.gpu.allocate(MemoryKind::Gpu, 10_000, 4096).unwrap();
    let umem = Umem::create(&bench.net, &memory, 4096 + 128, 5000, Registration::DmaBuf).unwrap();
    assert_eq!(umem.size(), 5000);
    assert_eq!(with(|r| std::mem::take(&mut r.dmabufs)), [(128, 5000, None)]);
    // Small pieces need not start at a page. The recorder registers no memory regions, so the outcome is an error.
    let odd = bench.gpu.allocate(MemoryKind::Gpu, 100, 0).unwrap();
    MemoryRegion::register(&bench.pd, &odd, Access::ALL).map(|_| ()).unwrap_err();
    let iova = odd.gpu_address() as u64;
    assert_eq!(with(|r| std::mem::take(&mut r.dmabufs)), [(iova % 4096, 100, Some(iova))]);
    let message = bench.gpu.dmabuf_fd(memory.gpu_address() + 64, 10).unwrap_err().to_string();
    assert!(message.contains("64 bytes into a page"), "{message}");
    assert_eq!(bench.gpu.dmabuf(memory.gpu_address() + 64, 10).unwrap().offset, 64);
    bench.gpu.dmabuf_fd(memory.gpu_address() + 4096, 10).unwrap();
    assert!(bench.gpu.dmabuf_fd(memory.gpu_address(), 10_001).is_err(), "past the allocation");
}

#[test]
fn memory_that_the_nic_does_not_let_go_of_is_never_freed() {
    let bench = Bench::new();
    let memory = bench.gpu.allocate(MemoryKind::Gpu, 4096, 0).unwrap();
    let umem = Umem::create(&bench.net, &memory, 0, 4096, Registration::DmaBuf).unwrap();
    with(|r| r.answers.fail_umem_dereg = true);
    let umem = umem.destroy().unwrap_err().handle;
    drop(umem);
    let refused = memory.free().unwrap_err();
    assert_eq!(refused.error.kind(), ErrorKind::InUse, "{}", refused.error);
}
