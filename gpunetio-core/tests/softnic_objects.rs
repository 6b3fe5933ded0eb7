//! Objects on the software NIC: bad input with messages that name the value, life cycles, leaks.
#![allow(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test ends at the first surprise")]

mod rig;

use gpunetio_core::*;
use gpunetio_device::image::{CqType, NicHandler, SendDbrMode};
use rig::Rig;

fn names<T: std::fmt::Debug>(outcome: Result<T>, parts: &[&str]) {
    let message = outcome.unwrap_err().to_string();
    for part in parts {
        assert!(message.contains(part), "\"{message}\" does not name \"{part}\"");
    }
}

#[test]
fn unknown_devices_are_named() {
    let rig = Rig::new();
    names(rig.nics.open("mlx5_7"), &["mlx5_7", "mlx5_0"]);
    names(rig.nics.open(""), &["NIC \"\" not found", "mlx5_0"]);
    names(Gpu::open("no-gpu"), &["no-gpu"]);
    names(rig.nic.gid(255), &["255"]);
    assert_eq!(rig.nics.list().unwrap().len(), 2);
}

#[test]
fn depths_are_checked_and_named() {
    let rig = Rig::new();
    let cap = rig.net.attributes().max_qp_wr;
    for depth in [0, 3, 100, cap * 2] {
        let attr = HighLevelAttr::new(&rig.gpu, &rig.net, depth);
        names(HighLevelQp::create(&attr), &[&depth.to_string(), &cap.to_string()]);
        names(QpList::create(&attr, 2), &[&depth.to_string()]);
        names(QpGroup::create(&attr), &[&depth.to_string()]);
    }
    let attr = HighLevelAttr::new(&rig.gpu, &rig.net, 64);
    names(QpList::create(&attr, 0), &["number of qps is 0"]);
    names(QpGroupList::create(&attr, 0), &["number of qp groups is 0"]);
    for size in [0, 3, 1 << 30] {
        let attr = CqAttr { size, ..CqAttr::default() };
        names(Cq::create(&rig.net, &attr), &["cq size", &size.to_string()]);
    }
    let init = QpInitAttr { sq_wr: cap + 1, send_max_sges: 1, ..QpInitAttr::default() };
    names(Qp::create(&rig.net, &init), &[&(cap + 1).to_string(), &cap.to_string()]);
}

#[test]
fn values_beyond_their_field_are_refused_and_named() {
    let rig = Rig::new();
    let (a, _b) = rig.pair(&HighLevelAttr::new(&rig.gpu, &rig.net, 16));
    let reset = QpAttr::default();
    a.modify(&reset, AttrMask::NEXT_STATE).unwrap();
    let peer = a.qp().endpoint(rig.gid.1, 0);
    let good = rig.connect_attr();
    let cases: [(ConnectAttr, Endpoint, &[&str]); 6] = [
        (ConnectAttr { psn: 1 << 24, ..good }, peer, &["sq_psn", "0x1000000"]),
        (good, Endpoint { psn: 1 << 24, ..peer }, &["rq_psn", "0x1000000"]),
        (ConnectAttr { ack_timeout: 32, ..good }, peer, &["ack_timeout is 32"]),
        (ConnectAttr { retry_cnt: 8, ..good }, peer, &["retry_cnt is 8"]),
        (ConnectAttr { rd_atomic: 3, ..good }, peer, &["rd_atomic is 3"]),
        (ConnectAttr { sgid_index: 254, ..good }, peer, &["254"]),
    ];
    for (attr, peer, parts) in cases {
        names(a.qp().connect(&peer, &attr), parts);
        a.modify(&reset, AttrMask::NEXT_STATE).unwrap();
    }
    let nowhere = Endpoint { gid: Gid::default(), ..peer };
    names(a.qp().connect(&nowhere, &good), &["gid of the peer is ::", "roce_v2_gid"]);
    let init = QpInitAttr { user_index: 1 << 24, ..QpInitAttr::default() };
    names(Qp::create(&rig.net, &init), &["user_index", "0x1000000"]);
}

#[test]
fn transitions_out_of_order_or_incomplete_are_named() {
    let rig = Rig::new();
    let qp = HighLevelQp::create(&HighLevelAttr::new(&rig.gpu, &rig.net, 16)).unwrap();
    let to = |state| QpAttr { next_state: state, port_num: 1, ..QpAttr::default() };
    let qpn = qp.qpn().to_string();
    names(qp.modify(&to(QpState::Rts), AttrMask::NEXT_STATE), &[&qpn, "RST", "RTS"]);
    names(
        qp.modify(&to(QpState::Init), AttrMask::NEXT_STATE | AttrMask::PORT_NUM),
        &["pkey_index", "allow_remote_write", "allow_remote_read"],
    );
    let init = AttrMask::NEXT_STATE
        | AttrMask::PORT_NUM
        | AttrMask::PKEY_INDEX
        | AttrMask::ALLOW_REMOTE_READ
        | AttrMask::ALLOW_REMOTE_WRITE;
    names(qp.modify(&to(QpState::Init), init | AttrMask::SQ_PSN), &["does not take sq_psn"]);
    let wrong_port = QpAttr { port_num: 2, ..to(QpState::Init) };
    names(qp.modify(&wrong_port, init), &["port_num is 2"]);
    qp.modify(&to(QpState::Init), init).unwrap();
    let rtr = AttrMask::NEXT_STATE | AttrMask::PATH_MTU;
    names(qp.modify(&to(QpState::Rtr), rtr), &["rq_psn", "ah_attr", "min_rnr_timer"]);
    assert_eq!(qp.qp().query().unwrap().attr.current_state, QpState::Init);
}

#[test]
fn a_query_gives_back_what_was_set() {
    let rig = Rig::new();
    let (a, b) = rig.pair(&HighLevelAttr::new(&rig.gpu, &rig.net, 16));
    let report = a.qp().query().unwrap();
    let attr = report.attr;
    assert_eq!(attr.current_state, QpState::Rts);
    assert_eq!(attr.dest_qp_num, b.qpn().0);
    assert_eq!(attr.path_mtu, Mtu::M4096);
    assert_eq!((attr.retry_cnt, attr.rnr_retry, attr.ack_timeout), (7, 7, 14));
    assert!(attr.allow_remote_read && attr.allow_remote_write);
    let ah = attr.ah.unwrap();
    assert_eq!((ah.gid, ah.sgid_index, ah.hop_limit), (rig.gid.1, rig.gid.0, 64));
}

#[test]
fn what_a_query_reports_can_be_given_back_to_a_modify() {
    let rig = Rig::new();
    let (a, _b) = rig.pair(&HighLevelAttr::new(&rig.gpu, &rig.net, 16));
    let queried = a.qp().query().unwrap().attr;
    assert_eq!((queried.counter_set_id, queried.lag_tx_port_affinity), (None, None));
    let to = |next_state| QpAttr { next_state, ..queried.clone() };
    let access = AttrMask::ALLOW_REMOTE_READ | AttrMask::ALLOW_REMOTE_WRITE;
    a.modify(&queried, AttrMask::NEXT_STATE | access).unwrap();
    a.modify(&to(QpState::Rst), AttrMask::NEXT_STATE).unwrap();
    let init = AttrMask::NEXT_STATE
        | AttrMask::PORT_NUM
        | AttrMask::PKEY_INDEX
        | AttrMask::ATOMIC_MODE
        | access;
    a.modify(&to(QpState::Init), init).unwrap();
    let rtr = AttrMask::NEXT_STATE
        | AttrMask::PATH_MTU
        | AttrMask::RQ_PSN
        | AttrMask::DEST_QP_NUM
        | AttrMask::AH_ATTR
        | AttrMask::MIN_RNR_TIMER
        | AttrMask::MAX_DEST_RD_ATOMIC;
    a.modify(&to(QpState::Rtr), rtr).unwrap();
    let rts = AttrMask::NEXT_STATE
        | AttrMask::SQ_PSN
        | AttrMask::ACK_TIMEOUT
        | AttrMask::RETRY_CNT
        | AttrMask::RNR_RETRY
        | AttrMask::MAX_QP_RD_ATOMIC;
    a.modify(&to(QpState::Rts), rts).unwrap();
    assert_eq!(a.qp().query().unwrap().attr, queried);
    // An affinity counts where it is applied, and nowhere else.
    let lag = QpAttr { lag_tx_port_affinity: Some(3), ..queried };
    a.modify(&lag, AttrMask::NEXT_STATE | access).unwrap();
    for (next_state, mask) in [(QpState::Rst, AttrMask::NEXT_STATE), (QpState::Init, init)] {
        a.modify(&QpAttr { next_state, ..lag.clone() }, mask).unwrap();
    }
    names(
        a.modify(&QpAttr { next_state: QpState::Rtr, ..lag }, rtr),
        &["lag_tx_port_affinity is 3"],
    );
}

#[test]
fn a_counter_set_is_applied() {
    let rig = Rig::new();
    let qp = HighLevelQp::create(&HighLevelAttr::new(&rig.gpu, &rig.net, 16)).unwrap();
    let attr = QpAttr {
        next_state: QpState::Init,
        port_num: 1,
        counter_set_id: Some(5),
        ..QpAttr::default()
    };
    let init = AttrMask::NEXT_STATE
        | AttrMask::PORT_NUM
        | AttrMask::PKEY_INDEX
        | AttrMask::ALLOW_REMOTE_READ
        | AttrMask::ALLOW_REMOTE_WRITE;
    qp.modify(&attr, init).unwrap();
    assert_eq!(qp.qp().query().unwrap().attr.counter_set_id, Some(5));
}

#[test]
fn queues_in_used_memory_start_with_records_of_their_own() {
    let rig = Rig::new();
    let memory = rig.gpu.allocate(MemoryKind::Gpu, 1 << 16, 0).unwrap();
    memory.fill(0, 0xa5, 1 << 16).unwrap();
    let umem = Umem::create(&rig.net, &memory, 0, 1 << 16, Registration::Default).unwrap();
    let record = |offset| {
        let mut bytes = [1; 10];
        memory.read(offset, &mut bytes).unwrap();
        bytes
    };
    let fresh = [0, 0, 0, 0, 0, 0, 0, 0, 0xa5, 0xa5];
    let attr = CqAttr {
        size: 16,
        umem: Some((&umem, 0)),
        dbr_umem: Some((&umem, 4096)),
        ..CqAttr::default()
    };
    let cq = Cq::create(&rig.net, &attr).unwrap();
    assert_eq!(record(4096), fresh);
    let init = QpInitAttr {
        send_cq: Some(&cq),
        sq_wr: 16,
        send_max_sges: 1,
        umem: Some((&umem, 8192)),
        dbr_umem: Some((&umem, 4160)),
        ..QpInitAttr::default()
    };
    let _qp = Qp::create(&rig.net, &init).unwrap();
    assert_eq!(record(4160), fresh);
    let attr = SrqAttr { wr: 16, max_sges: 1, umem: Some((&umem, 32768)), ..SrqAttr::default() };
    let srq = Srq::create(&rig.net, &attr).unwrap();
    assert_eq!(record(srq.dbr_address() as usize - memory.gpu_address()), fresh);
}

#[test]
fn records_are_aligned_in_memory_and_not_only_in_their_umem() {
    let rig = Rig::new();
    let memory = rig.gpu.allocate(MemoryKind::Gpu, 65536, 0).unwrap();
    let umem = Umem::create(&rig.net, &memory, 1, 60000, Registration::Default).unwrap();
    let attr = CqAttr { size: 16, dbr_umem: Some((&umem, 4096)), ..CqAttr::default() };
    names(Cq::create(&rig.net, &attr), &["address of the cq doorbell record", "align to 8"]);
    let attr = CqAttr { size: 16, umem: Some((&umem, 4096)), ..CqAttr::default() };
    names(Cq::create(&rig.net, &attr), &["address of the cq entries", "align to 64"]);
}

#[test]
fn objects_of_other_devices_are_refused() {
    let (one, two) = (Rig::on("mlx5_0"), Rig::on("mlx5_1"));
    let cq_attr = CqAttr { size: 16, ..CqAttr::default() };
    let foreign = Cq::create(&two.net, &cq_attr).unwrap();
    let init =
        QpInitAttr { send_cq: Some(&foreign), sq_wr: 4, send_max_sges: 1, ..QpInitAttr::default() };
    names(Qp::create(&one.net, &init), &["cq", "mlx5_1", "mlx5_0"]);
    let uar = Uar::create(&two.net, UarKind::NonCache).unwrap();
    let attr = CqAttr { uar: Some(&uar), ..cq_attr };
    names(Cq::create(&one.net, &attr), &["uar", "mlx5_1", "mlx5_0"]);
    let memory = two.gpu.allocate(MemoryKind::Gpu, 65536, 0).unwrap();
    let umem = Umem::create(&two.net, &memory, 0, 65536, Registration::Default).unwrap();
    let attr = CqAttr { umem: Some((&umem, 0)), ..cq_attr };
    names(Cq::create(&one.net, &attr), &["umem", "mlx5_1"]);
    // A PD of another verbs library, whose device nobody here lists.
    let mut device = Box::new(unsafe_zeroed::<sys::ibv_device>());
    let mut context = Box::new(unsafe_zeroed::<sys::ibv_context>());
    context.device = &mut *device;
    let mut pd = sys::ibv_pd { context: &mut *context, handle: 0 };
    // SAFETY: the PD and what it points to live to the end of the test.
    names(unsafe { one.nics.adopt_pd(&mut pd) }, &["another verbs library", "softnic"]);
    // SAFETY: as above.
    names(unsafe { one.nics.adopt_pd(std::ptr::null_mut()) }, &["NULL"]);
    // SAFETY: the PD lives as long as its rig.
    let own = unsafe { one.nics.adopt_pd(one.pd.as_raw()) }.unwrap();
    assert_eq!(own.pdn(), one.pd.pdn());
}

fn unsafe_zeroed<T>() -> T {
    // SAFETY: used for C structs of integers and pointers only.
    unsafe { std::mem::zeroed() }
}

#[test]
fn objects_of_other_protection_domains_and_gpus_are_refused() {
    let rig = Rig::new();
    let other_pd = rig.nic.alloc_pd().unwrap();
    let other = NetDevice::open(&other_pd).unwrap();
    let attr = SrqAttr { wr: 16, max_sges: 1, ..SrqAttr::default() };
    // Two PDs of one open device or of two: adopted PDs keep the context.
    // SAFETY: the PD lives as long as the test.
    let adopted = unsafe { rig.nics.adopt_pd(rig.pd.as_raw()) }.unwrap();
    let same = NetDevice::open(&adopted).unwrap();
    let cq = Cq::create(&rig.net, &CqAttr { size: 16, ..CqAttr::default() }).unwrap();
    let qp = |net: &NetDevice| {
        let srq = Srq::create(net, &attr).unwrap();
        let init = QpInitAttr { receive_cq: Some(&cq), srq: Some(&srq), ..QpInitAttr::default() };
        Qp::create(&rig.net, &init).map(|qp| qp.qpn())
    };
    let (here, there) = (rig.pd.pdn().to_string(), other_pd.pdn().to_string());
    names(qp(&other), &["srq", &format!("pd {there}"), &format!("pd {here}"), "protection domain"]);
    qp(&same).unwrap();

    let list = QpList::create(&HighLevelAttr::new(&rig.gpu, &rig.net, 16), 1).unwrap();
    let stranger = Gpu::open("cpu").unwrap();
    let message =
        list.export(&HighLevelAttr::new(&stranger, &rig.net, 16)).unwrap_err().to_string();
    let handles: Vec<_> = message.split("handle ").skip(1).collect();
    assert_eq!(handles.len(), 2, "{message}");
    let handle = |text: &str| text.split(')').next().unwrap().to_owned();
    assert_ne!(handle(handles[0]), handle(handles[1]), "{message}");
}

#[test]
fn ranges_and_offsets_in_umems_are_checked() {
    let rig = Rig::new();
    let memory = rig.gpu.allocate(MemoryKind::Gpu, 65536, 0).unwrap();
    names(
        Umem::create(&rig.net, &memory, 4096, 65536, Registration::Default).map(|u| u.id()),
        &["65536", "4096"],
    );
    let umem = Umem::create(&rig.net, &memory, 0, 65536, Registration::Default).unwrap();
    let cq = |size, offset| {
        let attr = CqAttr { size, umem: Some((&umem, offset)), ..CqAttr::default() };
        Cq::create(&rig.net, &attr)
    };
    names(cq(1024, 64), &["65536 bytes at offset 64", "65536 bytes"]);
    names(cq(16, 100), &["offset of the cq entries is 100", "64"]);
    // Not a multiple of a page, and honoured.
    let good = cq(16, 4096 + 192).unwrap();
    assert_eq!(good.entries_address(), memory.gpu_address() + 4096 + 192);
    let mut byte = [0];
    memory.read(4096 + 192 + 1023, &mut byte).unwrap();
    assert_eq!(byte, [0xff], "a cq starts with entries that are no completion");
    names(memory.free().map_err(Error::from), &["in use"]);
}

#[test]
fn parents_with_children_refuse_to_go() {
    let rig = Rig::new();
    let cq = Cq::create(&rig.net, &CqAttr { size: 16, ..CqAttr::default() }).unwrap();
    let uar = Uar::create(&rig.net, UarKind::BlueFlame).unwrap();
    let init = QpInitAttr {
        send_cq: Some(&cq),
        sq_wr: 16,
        send_max_sges: 1,
        uar: Some(&uar),
        ..QpInitAttr::default()
    };
    let qp = Qp::create(&rig.net, &init).unwrap();
    let exported = ExportedQp::export(&rig.gpu, &qp, &cq, &ExportAttr::default()).unwrap();
    let number = cq.cqn().to_string();
    let refused = cq.destroy().unwrap_err();
    assert!(refused.error.to_string().contains(&format!("cq {number} is in use")));
    assert_eq!(refused.error.kind(), ErrorKind::InUse);
    let cq = refused.handle;
    let uar = uar.destroy().unwrap_err().handle;
    let qp = qp.destroy().unwrap_err().handle;
    exported.device_image().unwrap();
    exported.unexport().unwrap();
    qp.destroy().unwrap();
    cq.destroy().unwrap();
    uar.destroy().unwrap();
    // The device and its PD have nothing left but each other.
    let Rig { gpu, nic, pd, net, .. } = rig;
    let pd = pd.dealloc().unwrap_err().handle;
    net.close().unwrap();
    let nic = nic.close().unwrap_err().handle;
    pd.dealloc().unwrap();
    nic.close().unwrap();
    gpu.destroy().unwrap();
}

#[test]
fn exports_that_cannot_work_are_refused() {
    let rig = Rig::new();
    let cq = Cq::create(&rig.net, &CqAttr { size: 16, ..CqAttr::default() }).unwrap();
    let other = Cq::create(&rig.net, &CqAttr { size: 16, ..CqAttr::default() }).unwrap();
    let init =
        QpInitAttr { send_cq: Some(&cq), sq_wr: 16, send_max_sges: 1, ..QpInitAttr::default() };
    let qp = Qp::create(&rig.net, &init).unwrap();
    let export = |cq: &Cq, attr: ExportAttr| ExportedQp::export(&rig.gpu, &qp, cq, &attr);
    let plain = ExportAttr::default();
    names(export(&other, plain), &["send cq"]);
    let no_record = ExportAttr { send_dbr_mode: SendDbrMode::NO_DBR_HW, ..plain };
    names(export(&cq, no_record), &["send_dbr_mode_ext is 1", "DbrValid"]);
    let collapsed = ExportAttr { cq_type: CqType::COLLAPSED, ..plain };
    names(export(&cq, collapsed), &["cq type is 1"]);
    for (handler, part) in [
        (NicHandler::GPU_SM_NO_DBR, "GPU_SM_NO_DBR"),
        (NicHandler::CPU_PROXY_FREE_FLOW, "CPU_PROXY_FREE_FLOW"),
        (NicHandler(77), "77"),
    ] {
        names(export(&cq, ExportAttr { nic_handler: handler, ..plain }), &[part]);
    }
    let data_direct = ExportAttr { data_direct: true, ..plain };
    names(export(&cq, data_direct), &["data direct"]);
}

#[test]
fn a_list_shares_its_memory_and_indexes_its_images() {
    let rig = Rig::new();
    let attr = HighLevelAttr::new(&rig.gpu, &rig.net, 16);
    let list = QpList::create(&attr, 5).unwrap();
    let images = list.export(&attr).unwrap();
    assert_eq!(images.len(), 5);
    let (first, _) = list.qps()[0].qp().send_queue();
    for (i, qp) in list.qps().iter().enumerate() {
        let at = images.gpu_address() + i * DeviceQps::STRIDE;
        assert_eq!(qp.exported().device_image().unwrap(), at);
        let image = qp.exported().read_image().unwrap().unwrap();
        assert_eq!(image.sq_num, qp.qpn().0);
        assert_eq!(image.sq_wqe_daddr as usize, first + i * 16 * 64);
        assert_eq!((image.sq_wqe_num, image.cq_sq.cqe_num), (16, 16));
    }
    let registers: std::collections::HashSet<_> =
        list.qps().iter().map(|qp| qp.qp().doorbell_register()).collect();
    assert_eq!(registers.len(), 5, "a doorbell page for each");
    names(list.export(&attr), &["image of qp"]);
    drop(images);
    drop(list.export(&attr).unwrap());
    let groups = QpGroupList::create(&attr, 3).unwrap();
    for group in groups.groups() {
        assert_ne!(group.main.qpn(), group.companion.qpn());
    }
}

#[test]
fn memory_regions_check_their_arguments() {
    let rig = Rig::new();
    let memory = rig.gpu.allocate(MemoryKind::CpuGpu, 4096, 0).unwrap();
    names(
        MemoryRegion::register(&rig.pd, &memory, Access::REMOTE_WRITE).map(|mr| mr.rkey()),
        &["0x2", "local writes"],
    );
    names(
        MemoryRegion::register(&rig.pd, &memory, Access(0x40 | 1)).map(|mr| mr.rkey()),
        &["access of a memory region is 0x41", "0x40 is not known"],
    );
    MemoryRegion::register(&rig.pd, &memory, Access::ALL | Access::RELAXED_ORDERING).unwrap();
    let region = RawRegion {
        address: memory.cpu_ptr().unwrap(),
        size: 4096,
        access: 0x800,
        dmabuf: None,
        gpu: None,
    };
    // SAFETY: the memory lives to the end of the test.
    let umem = unsafe { Umem::create_raw(&rig.net, region) };
    names(umem.map(|umem| umem.id()), &["access of a umem is 0x800"]);
    // SAFETY: size 0 is refused before anything is done.
    let empty = unsafe { MemoryRegion::register_raw(&rig.pd, 4096, 0, 4096, Access::ALL) };
    names(empty.map(|mr| mr.rkey()), &["size of a memory region is 0"]);
    let region = MemoryRegion::register(&rig.pd, &memory, Access::ALL).unwrap();
    let memory = memory.free().unwrap_err().handle;
    region.deregister().unwrap();
    memory.free().unwrap();
}

#[test]
fn a_thousand_lives_leave_nothing_behind() {
    let rig = Rig::new();
    let count = || {
        gpunetio_softnic::control()
            .with_fabric(|fabric| {
                let device = &fabric.devices[0];
                (
                    device.qps.iter().count(),
                    device.cqs.iter().count(),
                    device.umems.iter().count(),
                    device.uars.iter().count(),
                )
            })
            .unwrap()
    };
    // Other tests of this process share the device, so their objects come and go; what this test leaves would stay.
    for _ in 0..1000 {
        let qp = HighLevelQp::create(&HighLevelAttr::new(&rig.gpu, &rig.net, 16)).unwrap();
        qp.exported().device_image().unwrap();
        qp.destroy().unwrap();
    }
    let (qps, cqs, umems, uars) = count();
    assert!(qps < 500 && cqs < 500 && umems < 500 && uars < 500, "{qps} {cqs} {umems} {uars}");
    rig.gpu.destroy().unwrap();
}
