//! The software NIC through the tables of libibverbs and libmlx5, as a driver sees it.
#![cfg(feature = "provider")]
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(unsafe_code)]

mod client;

use core::ptr::null_mut;
use core::sync::atomic::Ordering;
use std::sync::Mutex;

use client::{Client, Memory, Queue, errno, foreign};
use gpunetio_core::sys::*;
use gpunetio_prm::command::{Opcode, QpState};
use gpunetio_prm::cqe::Syndrome;
use gpunetio_prm::layout::View;
use gpunetio_prm::layout::qp::*;
use gpunetio_softnic::syndrome;

const WRITE: i32 = IBV_ACCESS_LOCAL_WRITE | IBV_ACCESS_REMOTE_WRITE;

/// The fabric is one per process: tests that take a device away, or that need it idle, run alone.
static ALONE: Mutex<()> = Mutex::new(());

fn alone() -> std::sync::MutexGuard<'static, ()> {
    ALONE.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

fn put(from: &Client, to: &Client) {
    let (mut a, b) = (Queue::new(from), Queue::new(to));
    a.connect(from, to.gid(), b.qpn);
    b.connect(to, from.gid(), a.qpn);
    let (source, target) = (Memory::new(4096), Memory::new(4096));
    let (local, remote) = (from.register(&source, WRITE), to.register(&target, WRITE));
    // SAFETY: live regions.
    let (lkey, rkey) = unsafe { ((*local).lkey, (*remote).rkey) };
    for round in 1..=300u64 {
        source.u64_at(0).store(round, Ordering::Relaxed);
        source.u64_at(4088).store(!round, Ordering::Relaxed);
        a.write(&source, lkey, &target, rkey, 4096);
        assert_eq!(a.poll(), None);
        assert_eq!(target.u64_at(0).load(Ordering::Relaxed), round);
        assert_eq!(target.u64_at(4088).load(Ordering::Relaxed), !round);
    }
    // A wrong key: an error names it, and the QP is in error.
    a.write(&source, lkey, &target, rkey ^ 1, 8);
    assert_eq!(a.poll(), Some(Syndrome::REMOTE_ACCESS_ERR.0));
    assert_eq!(a.state(from), QpState::ERR);
    // SAFETY: live regions, deregistered once.
    unsafe {
        assert_eq!((from.table.verbs.dereg_mr)(local), 0);
        assert_eq!((to.table.verbs.dereg_mr)(remote), 0);
    }
    a.destroy(from);
    b.destroy(to);
}

#[test]
fn a_put_lands_in_the_memory_of_the_same_device() {
    let _alone = alone();
    let client = Client::open(0);
    put(&client, &client);
    client.close();
}

#[test]
fn a_put_lands_in_the_memory_of_another_device() {
    let _alone = alone();
    let (one, other) = (Client::open(0), Client::open(1));
    put(&one, &other);
    one.close();
    other.close();
}

#[test]
fn memory_may_go_once_it_is_deregistered_whatever_work_waits() {
    let _alone = alone();
    let client = Client::open(0);
    for local in [true, false] {
        let (mut a, b) = (Queue::new(&client), Queue::new(&client));
        a.connect(&client, client.gid(), b.qpn);
        // Large enough that freeing it unmaps it.
        let (gone, kept) = (Memory::new(4 << 20), Memory::new(4096));
        let (gone_mr, kept_mr) = (client.register(&gone, WRITE), client.register(&kept, WRITE));
        // SAFETY: live regions.
        let (gone_key, kept_key) = unsafe { ((*gone_mr).lkey, (*kept_mr).lkey) };
        // The peer is not there yet, so the WRITE waits.
        if local {
            a.write(&gone, gone_key, &kept, kept_key, 4096);
        } else {
            a.write(&kept, kept_key, &gone, gone_key, 4096);
        }
        // SAFETY: a live region, deregistered once.
        assert_eq!(unsafe { (client.table.verbs.dereg_mr)(gone_mr) }, 0);
        drop(gone);
        // No further than RTR, where the waiting WRITE may put it in error at once.
        b.ready_to_receive(&client, client.gid(), a.qpn);
        let expected = if local { Syndrome::LOCAL_PROT_ERR } else { Syndrome::REMOTE_ACCESS_ERR };
        assert_eq!(a.poll(), Some(expected.0));
        // SAFETY: as above.
        assert_eq!(unsafe { (client.table.verbs.dereg_mr)(kept_mr) }, 0);
        a.destroy(&client);
        b.destroy(&client);
    }
    client.close();
}

#[test]
fn a_doorbell_rung_before_a_command_reaches_the_nic_before_it() {
    let _alone = alone();
    let client = Client::open(0);
    let (mut a, b) = (Queue::new(&client), Queue::new(&client));
    let (memory, control) = (Memory::new(64), gpunetio_softnic::control());
    let mr = client.register(&memory, WRITE);
    // SAFETY: a live region.
    let key = unsafe { (*mr).lkey };
    for _ in 0..20 {
        a.connect(&client, client.gid(), b.qpn);
        let (begun, began) = std::sync::mpsc::channel::<()>();
        std::thread::scope(|scope| {
            // The NIC is busy while first the doorbell and then the command come.
            scope.spawn(move || {
                control.with_fabric(move |_| {
                    drop(begun);
                    std::thread::sleep(std::time::Duration::from_millis(2));
                })
            });
            // Ends with the other end, in the closure.
            let _ = began.recv();
            a.write(&memory, key, &memory, key, 8);
            assert_eq!(client.leave(&a, Opcode::TO_RST_QP), 0);
        });
        a.start_over();
        a.connect(&client, client.gid(), b.qpn);
        let context = client.query_qp(&a).unwrap();
        assert_eq!(context.sub(query_qp_out::QPC).get(qpc::SW_SQ_WQEBB_COUNTER), 0);
        assert_eq!(client.leave(&a, Opcode::TO_RST_QP), 0);
        a.start_over();
    }
    // Taken later, it would have been a doorbell in RST.
    let findings = control.findings(0).unwrap();
    assert!(findings.iter().all(|finding| finding.qpn.0 != a.qpn), "{findings:?}");
    // SAFETY: a live region, deregistered once.
    assert_eq!(unsafe { (client.table.verbs.dereg_mr)(mr) }, 0);
    a.destroy(&client);
    b.destroy(&client);
    client.close();
}

#[test]
fn devices_are_listed_and_named() {
    let _alone = alone();
    let table = client::provider();
    let mut count = 0;
    // SAFETY: the table's functions, by their contracts.
    unsafe {
        let list = (table.verbs.get_device_list)(&mut count);
        assert_eq!(count, 2);
        let name = core::ffi::CStr::from_ptr((table.verbs.get_device_name)(*list.add(1)));
        assert_eq!(name.to_str(), Ok("mlx5_1"));
        assert!((*list.add(2)).is_null());
        assert!((table.mlx5.is_supported.unwrap())(*list));
        assert!(!(table.mlx5.is_supported.unwrap())(foreign()));
        (table.verbs.free_device_list)(list);
        assert!((table.verbs.get_device_name)(foreign()).is_null());
        assert!((table.verbs.open_device)(foreign()).is_null());
        assert_eq!(errno(), libc::EINVAL);
    }
}

#[test]
fn device_and_port_are_those_of_a_connectx() {
    let _alone = alone();
    let client = Client::open(0);
    let verbs = client.table.verbs;
    // SAFETY: a live context and valid places.
    unsafe {
        let mut attr: ibv_device_attr = core::mem::zeroed();
        assert_eq!((verbs.query_device)(client.context, &mut attr), 0);
        assert_eq!((attr.vendor_id, attr.vendor_part_id, attr.phys_port_cnt), (0x15b3, 4129, 1));
        assert_eq!((attr.max_qp_rd_atom, attr.max_qp_wr, attr.max_sge), (16, 32768, 30));
        let mut port = ibv_port_attr_compat::default();
        assert_eq!((verbs.query_port)(client.context, 1, &mut port), 0);
        assert_eq!((port.state, port.active_mtu), (IBV_PORT_ACTIVE, 5));
        assert_eq!((port.link_layer, port.gid_tbl_len), (IBV_LINK_LAYER_ETHERNET, 255));
        assert_eq!((verbs.query_port)(client.context, 2, &mut port), libc::EINVAL);
        assert_eq!((verbs.query_port)(client.context, 1, null_mut()), libc::EINVAL);
        let mut gid = ibv_gid::default();
        assert_eq!((verbs.query_gid)(client.context, 1, 3, &mut gid), 0);
        assert_eq!(gid.raw[10..], [0xff, 0xff, 10, 0, 0, 1]);
        assert_eq!((verbs.query_gid)(client.context, 1, 254, &mut gid), 0);
        assert_eq!(gid, ibv_gid::default());
        assert_eq!((verbs.query_gid)(client.context, 1, 255, &mut gid), -1);
        assert_eq!((verbs.query_gid)(client.context, 1, -1, &mut gid), -1);
    }
    client.close();
}

#[test]
fn null_foreign_and_destroyed_handles_are_refused() {
    let _alone = alone();
    let client = Client::open(0);
    let (verbs, mlx5) = (client.table.verbs, client.table.mlx5);
    let memory = Memory::new(4096);
    let input = [0u8; 16];
    let mut output = [0u8; 16];
    let (inp, out) = (input.as_ptr().cast(), output.as_mut_ptr().cast());
    // SAFETY: handles that are NULL or foreign are what is tested; the rest is valid.
    unsafe {
        for context in [null_mut(), foreign()] {
            assert!((verbs.alloc_pd)(context).is_null());
            assert_eq!(errno(), libc::EINVAL);
            assert_eq!((verbs.close_device)(context), libc::EINVAL);
            assert!((mlx5.devx_obj_create)(context, inp, 16, out, 16).is_null());
            assert_eq!((mlx5.devx_general_cmd)(context, inp, 16, out, 16), libc::EINVAL);
            assert!((mlx5.devx_umem_reg)(context, memory.addr.cast(), 64, 1).is_null());
            assert!((mlx5.devx_alloc_uar)(context, 0).is_null());
            let mut eqn = 0;
            assert_eq!((mlx5.devx_query_eqn)(context, 0, &mut eqn), libc::EINVAL);
        }
        for pd in [null_mut(), foreign()] {
            assert!((verbs.reg_mr)(pd, memory.addr.cast(), 64, WRITE).is_null());
            assert_eq!(errno(), libc::EINVAL);
            assert_eq!((verbs.dealloc_pd)(pd), libc::EINVAL);
        }
        assert_eq!((verbs.dereg_mr)(null_mut()), libc::EINVAL);
        assert_eq!((mlx5.devx_obj_destroy)(foreign()), libc::EINVAL);
        assert_eq!((mlx5.devx_umem_dereg)(foreign()), libc::EINVAL);
        (mlx5.devx_free_uar)(null_mut());
        assert_eq!((mlx5.init_obj)(null_mut(), MLX5DV_OBJ_PD), libc::EINVAL);
        assert_eq!((mlx5.devx_general_cmd)(client.context, inp, 4, out, 16), libc::EINVAL);
        assert_eq!((mlx5.devx_general_cmd)(client.context, inp, 16, null_mut(), 16), libc::EINVAL);
        // A PD is not an MR, and is gone once it is deallocated.
        assert_eq!((verbs.dereg_mr)(client.pd.cast()), libc::EINVAL);
        let pd = (verbs.alloc_pd)(client.context);
        assert_eq!((verbs.dealloc_pd)(pd), 0);
        assert_eq!((verbs.dealloc_pd)(pd), libc::EINVAL);
    }
    client.close();
}

#[test]
fn registration_is_refused_as_the_kernel_does() {
    let _alone = alone();
    let client = Client::open(0);
    let (verbs, mlx5) = (client.table.verbs, client.table.mlx5);
    let memory = Memory::new(4096);
    let fd = std::fs::File::open("/dev/null").unwrap();
    let fd = std::os::fd::AsRawFd::as_raw_fd(&fd);
    let refused = |mr: *mut ibv_mr| {
        assert!(mr.is_null());
        errno()
    };
    // SAFETY: a live PD and memory; the address that is not mapped is what is tested.
    unsafe {
        let reg = |addr: *mut u8, len, access| {
            refused((verbs.reg_mr)(client.pd, addr.cast(), len, access))
        };
        assert_eq!(reg(memory.addr, 0, WRITE), libc::EINVAL);
        assert_eq!(reg(memory.addr, 64, IBV_ACCESS_REMOTE_WRITE), libc::EINVAL);
        assert_eq!(reg(memory.addr, 64, IBV_ACCESS_REMOTE_ATOMIC), libc::EINVAL);
        assert_eq!(reg(memory.addr, 64, 1 << 6), libc::EOPNOTSUPP);
        assert_eq!(reg(foreign(), 64, WRITE), libc::EFAULT);
        assert_eq!(reg(memory.addr, usize::MAX, WRITE), libc::EINVAL);
        let dmabuf = verbs.reg_dmabuf_mr.unwrap();
        assert_eq!(refused(dmabuf(client.pd, 0, 0, 0, -1, 0)), libc::EBADF);
        assert_eq!(refused(dmabuf(client.pd, 0, 64, 0, fd, WRITE)), libc::EOPNOTSUPP);
        let mr =
            (verbs.reg_mr)(client.pd, memory.addr.cast(), 64, WRITE | IBV_ACCESS_RELAXED_ORDERING);
        assert_eq!((*mr).lkey, (*mr).rkey);
        assert_eq!((verbs.dealloc_pd)(client.pd), libc::EBUSY);
        assert_eq!((verbs.dereg_mr)(mr), 0);

        let umem_reg_ex = mlx5.devx_umem_reg_ex.unwrap();
        let mut umem = mlx5dv_devx_umem_in {
            addr: memory.addr.add(12).cast(),
            size: 100,
            access: 1,
            pgsz_bitmap: 4096,
            comp_mask: 0,
            dmabuf_fd: 0,
        };
        let any = umem_reg_ex(client.context, &mut umem);
        assert!(!any.is_null() && (*any).umem_id != 0);
        assert_eq!((mlx5.devx_umem_dereg)(any), 0);
        umem.size = 0;
        assert!(umem_reg_ex(client.context, &mut umem).is_null());
        assert_eq!(errno(), libc::EINVAL);
        umem.size = 100;
        (umem.comp_mask, umem.dmabuf_fd) = (MLX5DV_UMEM_MASK_DMABUF, fd);
        assert!(umem_reg_ex(client.context, &mut umem).is_null());
        assert_eq!(errno(), libc::EOPNOTSUPP);
    }
    client.close();
}

#[test]
fn an_address_handle_resolves_the_peer() {
    let _alone = alone();
    let (client, peer) = (Client::open(0), Client::open(1));
    let verbs = client.table.verbs;
    let mut attr = ibv_ah_attr { is_global: 1, port_num: 1, ..Default::default() };
    attr.grh.dgid = peer.gid();
    attr.grh.sgid_index = client::GID_INDEX;
    attr.grh.traffic_class = 0x68;
    // SAFETY: live handles and valid places.
    unsafe {
        let ah = (verbs.create_ah)(client.pd, &mut attr);
        assert!(!ah.is_null());
        let mut shown = mlx5dv_ah { av: null_mut(), comp_mask: 0 };
        let mut obj = mlx5dv_obj::default();
        (obj.ah.input, obj.ah.output) = (ah, &mut shown);
        assert_eq!((client.table.mlx5.init_obj)(&mut obj, MLX5DV_OBJ_AH), 0);
        let av = *shown.av;
        assert_eq!(av.rmac, [0x02, 0x15, 0xb3, 0, 0, 1]);
        assert_eq!((av.rgid, av.tclass), (peer.gid().raw, 0x68));
        assert!(u16::from_be(av.rlid) >= 0xc000);
        assert_eq!((verbs.dealloc_pd)(client.pd), libc::EBUSY);
        assert_eq!((client.table.mlx5.init_obj)(&mut obj, 1), libc::EOPNOTSUPP);
        assert_eq!((verbs.destroy_ah)(ah), 0);

        for wrong in [
            ibv_ah_attr { is_global: 0, ..attr },
            ibv_ah_attr { port_num: 2, ..attr },
            ibv_ah_attr { grh: ibv_global_route { sgid_index: 99, ..attr.grh }, ..attr },
        ] {
            let mut wrong = wrong;
            assert!((verbs.create_ah)(client.pd, &mut wrong).is_null());
            assert_eq!(errno(), libc::EINVAL);
        }
    }
    client.close();
    peer.close();
}

#[test]
fn a_refused_command_gives_status_syndrome_and_eremoteio() {
    let _alone = alone();
    let client = Client::open(0);
    let mut cmd = View::<CreateQpIn, Vec<u8>>::zeroed();
    cmd.set(create_qp_in::OPCODE, Opcode::CREATE_QP).unwrap();
    cmd.sub_mut(create_qp_in::QPC).set(qpc::ST, 2u8).unwrap();
    let refused = client.create(&cmd).unwrap_err();
    assert_eq!(refused, (libc::EREMOTEIO, syndrome::SERVICE_TYPE.syndrome));
    // What the NIC does not know, it refuses itself; what is no create, the kernel does.
    cmd.set(create_qp_in::OPCODE, 0x200u16).unwrap();
    assert_eq!(
        client.create(&cmd).unwrap_err(),
        (libc::EREMOTEIO, syndrome::UNKNOWN_OPCODE.syndrome)
    );
    cmd.set(create_qp_in::OPCODE, Opcode::QUERY_QP).unwrap();
    assert_eq!(client.create(&cmd).unwrap_err(), (libc::EINVAL, 0));

    let (queue, other) = (Queue::new(&client), Queue::new(&client));
    let mut cmd = View::<Rtr2rtsQpIn, Vec<u8>>::zeroed();
    cmd.set(rtr2rts_qp_in::OPCODE, Opcode::RTR2RTS_QP).unwrap();
    cmd.set(rtr2rts_qp_in::QPN, queue.qpn).unwrap();
    assert_eq!(client.modify(queue.qp, &cmd), libc::EREMOTEIO);
    // Another object's number, and another kind of object.
    assert_eq!(client.modify(other.qp, &cmd), libc::EINVAL);
    assert_eq!(client.modify(queue.cq, &cmd), libc::EINVAL);
    // SAFETY: live objects.
    unsafe {
        assert_eq!((client.table.mlx5.devx_obj_destroy)(queue.cq), libc::EBUSY);
        assert_eq!((client.table.mlx5.devx_umem_dereg)(queue.umem), libc::EBUSY);
    }
    queue.destroy(&client);
    other.destroy(&client);
    client.close();
}

#[test]
fn closing_a_context_destroys_what_it_left_and_the_last_one_stops_the_thread() {
    let _alone = alone();
    let (client, other) = (Client::open(0), Client::open(0));
    let queue = Queue::new(&client);
    let memory = Memory::new(4096);
    client.register(&memory, WRITE);
    client.close();
    let left = gpunetio_softnic::control()
        .with_fabric(|fabric| {
            let device = &fabric.devices[0];
            let memory = device.memory.iter().count();
            (device.qps.len(), device.cqs.len(), device.umems.len(), memory, device.pds.len())
        })
        .unwrap();
    assert_eq!(left, (0, 0, 0, 0, 1));
    other.close();
    assert!(gpunetio_softnic::control().activity().is_none());
    drop(queue);
    // Numbers go on: the next QP has another.
    let client = Client::open(0);
    let queue = Queue::new(&client);
    let first = queue.qpn;
    client.close();
    let client = Client::open(0);
    let next = Queue::new(&client);
    assert_ne!(first, next.qpn);
    client.close();
}

#[test]
fn a_page_freed_under_its_queue_stays_until_the_context_closes() {
    let _alone = alone();
    let (client, other) = (Client::open(0), Client::open(0));
    let mut queue = Queue::new(&client);
    queue.connect(&client, client.gid(), queue.qpn);
    // SAFETY: a live page; the register is kept for the doorbell that follows, which is what is tested.
    let register = unsafe { (*queue.uar).reg_addr };
    let mut kept = mlx5dv_devx_uar {
        reg_addr: register,
        base_addr: null_mut(),
        page_id: 0,
        mmap_off: 0,
        comp_mask: 0,
    };
    // SAFETY: a live page, freed once.
    unsafe { (client.table.mlx5.devx_free_uar)(queue.uar) };
    queue.uar = &mut kept;
    let memory = Memory::new(64);
    let mr = client.register(&memory, WRITE);
    // SAFETY: a live region.
    let key = unsafe { (*mr).lkey };
    queue.write(&memory, key, &memory, key, 8);
    assert_eq!(queue.poll(), None);
    client.close();
    let pages = gpunetio_softnic::control().with_fabric(|fabric| fabric.devices[0].uars.len());
    assert_eq!(pages, Ok(0));
    other.close();
}

#[test]
fn a_removed_device_flushes_and_refuses() {
    let _alone = alone();
    let (one, gone) = (Client::open(0), Client::open(1));
    let (near, mut far) = (Queue::new(&one), Queue::new(&gone));
    near.connect(&one, gone.gid(), far.qpn);
    far.connect(&gone, one.gid(), near.qpn);
    let memory = Memory::new(4096);
    let mr = gone.register(&memory, WRITE);
    // SAFETY: a live region.
    let key = unsafe { (*mr).lkey };
    gpunetio_softnic::control().remove_device(1).unwrap();
    // Posted after the removal: flushed, not hung.
    far.write(&memory, key, &memory, key, 8);
    assert_eq!(far.poll(), Some(Syndrome::WR_FLUSH_ERR.0));
    assert_eq!(gone.query_qp(&far).unwrap_err(), libc::EIO);
    let verbs = gone.table.verbs;
    let mut count = 0;
    // SAFETY: live handles and valid places.
    unsafe {
        let mut attr: ibv_device_attr = core::mem::zeroed();
        assert_eq!((verbs.query_device)(gone.context, &mut attr), libc::EIO);
        assert!((verbs.alloc_pd)(gone.context).is_null());
        let list = (verbs.get_device_list)(&mut count);
        (verbs.free_device_list)(list);
        assert_eq!((verbs.dereg_mr)(mr), 0);
    }
    assert_eq!(count, 1);
    far.destroy(&gone);
    near.destroy(&one);
    gone.close();
    one.close();
}

#[test]
fn a_panic_of_whoever_looks_is_the_callers() {
    let _alone = alone();
    let client = Client::open(0);
    let control = gpunetio_softnic::control();
    let looked = std::panic::catch_unwind(|| control.with_fabric(|_| panic!("as the test wants")));
    let panic = looked.map(|looked: Result<(), _>| looked).unwrap_err();
    assert_eq!(panic.downcast_ref(), Some(&"as the test wants"));
    put(&client, &client);
    client.close();
}

#[test]
fn strict_findings_are_seen_from_outside() {
    let _alone = alone();
    let client = Client::open(0);
    let queue = Queue::new(&client);
    let mut cmd = View::<Qp2rstIn, Vec<u8>>::zeroed();
    cmd.set(qp_2rst_in::OPCODE, Opcode::TO_RST_QP).unwrap();
    cmd.set(qp_2rst_in::QPN, queue.qpn).unwrap();
    assert_eq!(client.modify(queue.qp, &cmd), 0);
    let control = gpunetio_softnic::control();
    let before = control.findings(0).unwrap().len();
    // A doorbell for a QPN that does not exist.
    let stranger = gpunetio_prm::doorbell::SqDoorbell::new(gpunetio_prm::id::Qpn(0xabcdef), 1);
    // SAFETY: the register of a live page, aligned.
    let register = unsafe { &*(*queue.uar).reg_addr.cast::<core::sync::atomic::AtomicU64>() };
    register.store(u64::from_ne_bytes(stranger.emit()), Ordering::Release);
    let start = std::time::Instant::now();
    while control.findings(0).unwrap().len() == before {
        assert!(start.elapsed().as_secs() < 20, "the doorbell was not seen");
    }
    queue.destroy(&client);
    client.close();
}
