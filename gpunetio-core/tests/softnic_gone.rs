//! A NIC that goes while it is in use. Alone in its process, since the NIC is the process's.
#![allow(clippy::unwrap_used, reason = "a test ends at the first surprise")]

mod rig;

use gpunetio_core::*;
use gpunetio_prm::cqe::{CqeOpcode, Syndrome};
use rig::{Poster, Rig};

#[test]
fn waits_end_commands_name_it_and_everything_can_be_destroyed() {
    let rig = Rig::new();
    let (a, b) = rig.pair(&HighLevelAttr::new(&rig.gpu, &rig.net, 16));
    a.exported().device_image().unwrap();
    let memory = rig.gpu.allocate(MemoryKind::Gpu, 4096, 0).unwrap();
    let region = MemoryRegion::register(&rig.pd, &memory, Access::ALL).unwrap();
    let at = |key: gpunetio_prm::id::Mkey| (region.iova(), key.0);
    gpunetio_softnic::control().remove_device(0).unwrap();
    let mut poster = Poster::new(&a);
    let index = poster.write(at(region.lkey()), at(region.rkey()), 8);
    assert_eq!(poster.wait(index), (CqeOpcode::REQ_ERR, Syndrome::WR_FLUSH_ERR));
    // The NIC says nothing any more; the queue still does.
    let info = a.last_error().unwrap();
    assert!(info.has_error, "{info:?}");
    assert_eq!((info.syndrome, info.wqe_counter), (Syndrome::WR_FLUSH_ERR, index as u16));
    assert!(b.last_error().unwrap().has_error);
    let error = Cq::create(&rig.net, &CqAttr { size: 16, ..CqAttr::default() }).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::DeviceFatal, "{error}");
    let listed = rig.nics.list().unwrap();
    assert!(listed.iter().all(|nic| nic.name != "mlx5_0"), "{listed:?}");
    assert_eq!(rig.strict.unexpected().unwrap(), [""; 0]);
    a.destroy().unwrap();
    b.destroy().unwrap();
    region.deregister().unwrap();
    memory.free().unwrap();
    rig.net.close().unwrap();
    rig.pd.dealloc().unwrap();
    rig.nic.close().unwrap();
    rig.gpu.destroy().unwrap();
}
