//! Where queues lie for a GPU whose memory is not host memory: in memory that CPU threads see where the NIC is one of them, in
//! GPU memory where it is hardware. The GPU is a stand-in, which remembers the kinds that it was asked for.
#![allow(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test ends at the first surprise")]

mod recorder;
mod rig;

use std::sync::{Arc, Mutex};

use gpunetio_core::*;
use gpunetio_device::image::{MemType, NicHandler, SendDbrMode};
use gpunetio_prm::cqe::{CqeOpcode, Syndrome};
use recorder::stand_in::StandIn;
use recorder::with;
use rig::{Poster, Rig};

struct Remembering {
    gpu: Gpu,
    kinds: Arc<Mutex<Vec<MemoryKind>>>,
}

impl Remembering {
    fn new(host_pages: bool) -> Self {
        let platform = StandIn { io_memory: true, dmabuf: true, host_pages, ..StandIn::default() };
        let kinds = Arc::clone(&platform.kinds);
        Self { gpu: Gpu::with_platform("stand-in", Box::new(platform)), kinds }
    }

    /// Kinds allocated since the last time.
    fn take(&self) -> Vec<MemoryKind> {
        std::mem::take(&mut self.kinds.lock().unwrap())
    }
}

/// Every way to make queues; what `look` is told the kinds of, with a name.
fn each_way(
    stand_in: &Remembering,
    attr: &HighLevelAttr<'_>,
    mut look: impl FnMut(&str, Vec<MemoryKind>),
) {
    stand_in.take();
    let qp = HighLevelQp::create(attr).unwrap();
    look("qp", stand_in.take());
    let group = QpGroup::create(attr).unwrap();
    look("group", stand_in.take());
    let list = QpList::create(attr, 3).unwrap();
    look("list", stand_in.take());
    let groups = QpGroupList::create(attr, 3).unwrap();
    look("group list", stand_in.take());
    drop((qp, group, list, groups));
}

#[test]
fn queues_of_a_software_nic_are_never_in_gpu_memory() {
    let rig = Rig::new();
    let stand_in = Remembering::new(true);
    let automatic = HighLevelAttr::new(&stand_in.gpu, &rig.net, 16);
    let attrs = [
        automatic,
        HighLevelAttr { cq_collapsed: true, ..automatic },
        HighLevelAttr { nic_handler: NicHandler::CPU_PROXY, ..automatic },
        HighLevelAttr { send_dbr_mode: SendDbrMode::NO_DBR_HW, ..automatic },
        HighLevelAttr { send_dbr_mode: SendDbrMode::NO_DBR_SW_EMULATED, ..automatic },
    ];
    for attr in attrs {
        each_way(&stand_in, &attr, |what, kinds| {
            assert!(kinds.len() >= 3, "{what} of {attr:?}: {kinds:?}");
            assert!(
                kinds.iter().all(|kind| *kind == MemoryKind::CpuGpu),
                "{what} of {attr:?}: {kinds:?}"
            );
        });
    }
}

#[test]
fn gpu_memory_that_somebody_brings_for_a_software_nics_queue_is_refused() {
    let rig = Rig::new();
    let stand_in = Remembering::new(true);
    let memory = stand_in.gpu.allocate(MemoryKind::Gpu, 65536, 0).unwrap();
    for registration in [Registration::Default, Registration::DmaBuf, Registration::PeerMem] {
        let message =
            Umem::create(&rig.net, &memory, 0, 65536, registration).unwrap_err().to_string();
        assert!(message.contains("CpuGpu"), "{registration:?}: {message}");
    }
    let region = RawRegion {
        address: memory.gpu_address() as *mut u8,
        size: 65536,
        access: Access::LOCAL_WRITE.0,
        dmabuf: None,
        gpu: Some(&stand_in.gpu),
    };
    // SAFETY: the memory lives to the end of the test.
    let message = unsafe { Umem::create_raw(&rig.net, region) }.unwrap_err().to_string();
    assert!(message.contains("CpuGpu"), "{message}");
}

#[test]
fn queues_of_hardware_are_in_gpu_memory_unless_they_are_not_to_be() {
    with(|r| *r = Default::default());
    let stand_in = Remembering::new(false);
    let nics = Nics::from_provider(recorder::provider());
    let pd = nics.open("mlx5_0").unwrap().alloc_pd().unwrap();
    let net = NetDevice::open(&pd).unwrap();
    let attr = HighLevelAttr::new(&stand_in.gpu, &net, 16);
    each_way(&stand_in, &attr, |what, kinds| {
        assert!(kinds.iter().all(|kind| *kind == MemoryKind::Gpu), "{what}: {kinds:?}");
        assert!(kinds.len() >= 3, "{what}: {kinds:?}");
    });
    let on_cpu = HighLevelAttr { queues_on_cpu: true, ..attr };
    each_way(&stand_in, &on_cpu, |what, kinds| {
        assert!(kinds.iter().all(|kind| *kind == MemoryKind::CpuGpu), "{what}: {kinds:?}");
    });
    // A proxy reaches the record and its word; the queues stay with the GPU.
    let proxy = HighLevelAttr { nic_handler: NicHandler::CPU_PROXY, ..attr };
    each_way(&stand_in, &proxy, |what, kinds| {
        for kind in [MemoryKind::Gpu, MemoryKind::CpuGpu] {
            assert!(kinds.contains(&kind), "{what}: {kinds:?}");
        }
    });
}

#[test]
fn a_put_through_queues_in_host_memory_moves_the_bytes() {
    let rig = Rig::new();
    let stand_in = Remembering::new(true);
    for nic_handler in [NicHandler::AUTO, NicHandler::CPU_PROXY] {
        let attr = HighLevelAttr { nic_handler, ..HighLevelAttr::new(&stand_in.gpu, &rig.net, 16) };
        let (a, _b) = rig.pair(&attr);
        a.exported().device_image().unwrap();
        assert_eq!(a.exported().read_image().unwrap().unwrap().mem_type, MemType::HOST);
        let memory = stand_in.gpu.allocate(MemoryKind::CpuGpu, 8192, 0).unwrap();
        let region = MemoryRegion::register(&rig.pd, &memory, Access::ALL).unwrap();
        memory.write(0, &[0x3c; 4096]).unwrap();
        let mut poster = Poster::new(&a);
        let to = (region.iova() + 4096, region.rkey().0);
        let index = poster.write((region.iova(), region.lkey().0), to, 4096);
        if a.exported().needs_cpu_proxy() {
            assert!(a.exported().proxy_progress().unwrap());
        }
        assert_eq!(poster.wait(index), (CqeOpcode::REQ, Syndrome::NONE));
        let mut back = [0; 4096];
        memory.read(4096, &mut back).unwrap();
        assert_eq!(back, [0x3c; 4096]);
    }
}
