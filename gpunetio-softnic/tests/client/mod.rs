//! A small client of the provider tables: what a driver does, by hand.
#![allow(dead_code, reason = "each test file uses a part of it")]

use core::ffi::c_void;
use core::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering, fence};
use std::time::{Duration, Instant};

use gpunetio_core::sys::*;
use gpunetio_prm::command::{MtuCode, Opcode, PmState, QpState, RqType, ServiceType};
use gpunetio_prm::cqe::{CQE_BYTES, CqeOpcode, ErrCqe};
use gpunetio_prm::doorbell::SqDoorbell;
use gpunetio_prm::id::Qpn;
use gpunetio_prm::layout::cq::*;
use gpunetio_prm::layout::qp::*;
use gpunetio_prm::layout::{Layout, View};
use gpunetio_prm::wqe::{CompletionMode, CtrlSeg, DataSeg, RaddrSeg, WqeOpcode};
use gpunetio_softnic::device::Config;
use zerocopy::{FromBytes, IntoBytes};

/// Entries of send queues and CQs.
pub(crate) const DEPTH: usize = 64;
/// Index of the GID that tests use: the link-local one, RoCE v2.
pub(crate) const GID_INDEX: u8 = 1;

/// The software NIC of the test process: two devices, strict.
pub(crate) fn provider() -> Provider {
    let addresses = Some(vec![vec![[10, 0, 0, 1].into()], vec![[10, 0, 0, 2].into()]]);
    gpunetio_softnic::provider(Config { devices: 2, strict: true, addresses })
}

/// errno of this thread.
pub(crate) fn errno() -> i32 {
    std::io::Error::last_os_error().raw_os_error().unwrap()
}

/// Zeroed memory aligned to pages.
pub(crate) struct Memory {
    pub(crate) addr: *mut u8,
    layout: std::alloc::Layout,
}

impl Memory {
    pub(crate) fn new(size: usize) -> Self {
        let layout = std::alloc::Layout::from_size_align(size, 4096).unwrap();
        // SAFETY: no test asks for 0 bytes.
        let addr = unsafe { std::alloc::alloc_zeroed(layout) };
        assert!(!addr.is_null());
        Self { addr, layout }
    }

    pub(crate) fn len(&self) -> usize {
        self.layout.size()
    }

    pub(crate) fn u64_at(&self, offset: usize) -> &AtomicU64 {
        assert!(offset + 8 <= self.len());
        // SAFETY: inside the allocation and aligned; shared with the NIC by atomics only.
        unsafe { &*self.addr.add(offset).cast() }
    }

    fn store(&self, offset: usize, bytes: &[u8]) {
        assert!(offset + bytes.len() <= self.len());
        for (at, byte) in bytes.iter().enumerate() {
            // SAFETY: inside the allocation.
            unsafe { &*self.addr.add(offset + at).cast::<AtomicU8>() }
                .store(*byte, Ordering::Relaxed);
        }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated by `new` with this layout.
        unsafe { std::alloc::dealloc(self.addr, self.layout) };
    }
}

/// An open device with a PD.
pub(crate) struct Client {
    pub(crate) table: Provider,
    pub(crate) context: *mut ibv_context,
    pub(crate) pd: *mut ibv_pd,
}

impl Client {
    pub(crate) fn open(index: usize) -> Self {
        let table = provider();
        // SAFETY: the table's functions, by their contracts.
        unsafe {
            let list = (table.verbs.get_device_list)(core::ptr::null_mut());
            let context = (table.verbs.open_device)(*list.add(index));
            (table.verbs.free_device_list)(list);
            assert!(!context.is_null());
            let pd = (table.verbs.alloc_pd)(context);
            assert!(!pd.is_null());
            Self { table, context, pd }
        }
    }

    pub(crate) fn pdn(&self) -> u32 {
        let mut out = mlx5dv_pd::default();
        let mut obj = mlx5dv_obj::default();
        (obj.pd.input, obj.pd.output) = (self.pd, &mut out);
        // SAFETY: a valid object description.
        assert_eq!(unsafe { (self.table.mlx5.init_obj)(&mut obj, MLX5DV_OBJ_PD) }, 0);
        out.pdn
    }

    pub(crate) fn gid(&self) -> ibv_gid {
        let mut gid = ibv_gid::default();
        // SAFETY: a live context and a valid place.
        let rc =
            unsafe { (self.table.verbs.query_gid)(self.context, 1, GID_INDEX.into(), &mut gid) };
        assert_eq!(rc, 0);
        gid
    }

    pub(crate) fn register(&self, memory: &Memory, access: i32) -> *mut ibv_mr {
        // SAFETY: a live PD and memory that outlives the region in every test.
        unsafe { (self.table.verbs.reg_mr)(self.pd, memory.addr.cast(), memory.len(), access) }
    }

    pub(crate) fn umem(&self, memory: &Memory) -> *mut mlx5dv_devx_umem {
        // SAFETY: a live context and memory that outlives the umem in every test.
        let umem = unsafe {
            (self.table.mlx5.devx_umem_reg)(self.context, memory.addr.cast(), memory.len(), 1)
        };
        assert!(!umem.is_null(), "errno {}", errno());
        umem
    }

    pub(crate) fn create<L: Layout>(
        &self,
        input: &View<L, Vec<u8>>,
    ) -> Result<(*mut mlx5dv_devx_obj, u32), (i32, u32)> {
        let bytes = input.as_bytes();
        let mut out = View::<CreateQpOut, Vec<u8>>::zeroed();
        let room = out.as_bytes_mut();
        // SAFETY: a live context and buffers of the lengths given.
        let obj = unsafe {
            (self.table.mlx5.devx_obj_create)(
                self.context,
                bytes.as_ptr().cast(),
                bytes.len(),
                room.as_mut_ptr().cast(),
                room.len(),
            )
        };
        if obj.is_null() {
            return Err((errno(), out.get(create_qp_out::SYNDROME) as u32));
        }
        Ok((obj, out.get(create_qp_out::QPN) as u32))
    }

    pub(crate) fn modify<L: Layout>(
        &self,
        obj: *mut mlx5dv_devx_obj,
        input: &View<L, Vec<u8>>,
    ) -> i32 {
        let (bytes, mut out) = (input.as_bytes(), [0u8; 16]);
        // SAFETY: buffers of the lengths given.
        unsafe {
            (self.table.mlx5.devx_obj_modify)(
                obj,
                bytes.as_ptr().cast(),
                bytes.len(),
                out.as_mut_ptr().cast(),
                out.len(),
            )
        }
    }

    /// 2ERR or 2RST.
    pub(crate) fn leave(&self, qp: &Queue, opcode: Opcode) -> i32 {
        let mut cmd = View::<Qp2errIn, Vec<u8>>::zeroed();
        cmd.set(qp_2err_in::OPCODE, opcode).unwrap();
        cmd.set(qp_2err_in::QPN, qp.qpn).unwrap();
        self.modify(qp.qp, &cmd)
    }

    pub(crate) fn query_qp(&self, qp: &Queue) -> Result<View<QueryQpOut, Vec<u8>>, i32> {
        let mut cmd = View::<QueryQpIn, Vec<u8>>::zeroed();
        cmd.set(query_qp_in::OPCODE, Opcode::QUERY_QP).unwrap();
        cmd.set(query_qp_in::QPN, qp.qpn).unwrap();
        let mut out = View::<QueryQpOut, Vec<u8>>::zeroed();
        let (bytes, room) = (cmd.as_bytes(), out.as_bytes_mut());
        // SAFETY: buffers of the lengths given.
        let rc = unsafe {
            (self.table.mlx5.devx_obj_query)(
                qp.qp,
                bytes.as_ptr().cast(),
                bytes.len(),
                room.as_mut_ptr().cast(),
                room.len(),
            )
        };
        if rc == 0 { Ok(out) } else { Err(rc) }
    }

    pub(crate) fn close(self) {
        // SAFETY: a live context, not used any more.
        assert_eq!(unsafe { (self.table.verbs.close_device)(self.context) }, 0);
    }
}

/// Offset of the CQ in a queue's memory.
const CQ: usize = DEPTH * 64;
/// Offset of the CQ's doorbell record.
const CQ_DBR: usize = CQ + DEPTH * CQE_BYTES;
/// Offset of the QP's doorbell record.
const QP_DBR: usize = CQ_DBR + 64;

/// An RC QP with its CQ and UAR page, all in one umem.
pub(crate) struct Queue {
    pub(crate) memory: Memory,
    pub(crate) umem: *mut mlx5dv_devx_umem,
    pub(crate) uar: *mut mlx5dv_devx_uar,
    pub(crate) cq: *mut mlx5dv_devx_obj,
    pub(crate) qp: *mut mlx5dv_devx_obj,
    pub(crate) qpn: u32,
    pub(crate) cqn: u32,
    posted: u16,
    polled: u16,
}

impl Queue {
    pub(crate) fn new(client: &Client) -> Self {
        let memory = Memory::new(QP_DBR + 64);
        memory.store(CQ, &[0xff; DEPTH * CQE_BYTES]);
        let umem = client.umem(&memory);
        // SAFETY: a live context; the pages it gives live until they are freed.
        let (uar, page, umem_id) = unsafe {
            let uar =
                (client.table.mlx5.devx_alloc_uar)(client.context, MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC);
            assert!(!uar.is_null());
            (uar, (*uar).page_id, (*umem).umem_id)
        };
        let mut eqn = 0;
        // SAFETY: a live context and a valid place.
        assert_eq!(unsafe { (client.table.mlx5.devx_query_eqn)(client.context, 0, &mut eqn) }, 0);

        let mut cmd = View::<CreateCqIn, Vec<u8>>::zeroed();
        cmd.set(create_cq_in::OPCODE, Opcode::CREATE_CQ).unwrap();
        cmd.set(create_cq_in::CQ_UMEM_ID, umem_id).unwrap();
        cmd.set(create_cq_in::CQ_UMEM_OFFSET, CQ as u64).unwrap();
        let mut context = cmd.sub_mut(create_cq_in::CQ_CONTEXT);
        context.set(cqc::LOG_CQ_SIZE, DEPTH.ilog2()).unwrap();
        context.set(cqc::UAR_PAGE, page).unwrap();
        context.set(cqc::C_EQN, eqn).unwrap();
        context.set(cqc::OI, 1u8).unwrap();
        context.set(cqc::DBR_UMEM_ID, umem_id).unwrap();
        context.set(cqc::DBR_ADDR, CQ_DBR as u64).unwrap();
        let (cq, cqn) = client.create(&cmd).unwrap();

        let mut cmd = View::<CreateQpIn, Vec<u8>>::zeroed();
        cmd.set(create_qp_in::OPCODE, Opcode::CREATE_QP).unwrap();
        cmd.set(create_qp_in::WQ_UMEM_ID, umem_id).unwrap();
        let mut context = cmd.sub_mut(create_qp_in::QPC);
        context.set(qpc::ST, ServiceType::RC).unwrap();
        context.set(qpc::PD, client.pdn()).unwrap();
        context.set(qpc::UAR_PAGE, page).unwrap();
        context.set(qpc::CQN_SND, cqn).unwrap();
        context.set(qpc::LOG_SQ_SIZE, DEPTH.ilog2()).unwrap();
        context.set(qpc::RQ_TYPE, RqType::ZERO_SIZE).unwrap();
        context.set(qpc::DBR_UMEM_ID, umem_id).unwrap();
        context.set(qpc::DBR_ADDR, QP_DBR as u64).unwrap();
        let (qp, qpn) = client.create(&cmd).unwrap();
        Self { memory, umem, uar, cq, qp, qpn, cqn, posted: 0, polled: 0 }
    }

    /// RST to RTR, towards `remote` on the device that owns `gid`.
    pub(crate) fn ready_to_receive(&self, client: &Client, gid: ibv_gid, remote: u32) {
        let mut cmd = View::<Rst2initQpIn, Vec<u8>>::zeroed();
        cmd.set(rst2init_qp_in::OPCODE, Opcode::RST2INIT_QP).unwrap();
        cmd.set(rst2init_qp_in::QPN, self.qpn).unwrap();
        let mut context = cmd.sub_mut(rst2init_qp_in::QPC);
        context.set(qpc::PM_STATE, PmState::MIGRATED).unwrap();
        context.set(qpc::RWE, 1u8).unwrap();
        context.set(qpc::RRE, 1u8).unwrap();
        context.sub_mut(qpc::PRIMARY_ADDRESS_PATH).set(ads::VHCA_PORT_NUM, 1u8).unwrap();
        assert_eq!(client.modify(self.qp, &cmd), 0);

        cmd.set(rst2init_qp_in::OPCODE, Opcode::INIT2RTR_QP).unwrap();
        let mut context = cmd.sub_mut(rst2init_qp_in::QPC);
        context.set(qpc::MTU, MtuCode::MTU_4096).unwrap();
        context.set(qpc::LOG_MSG_MAX, 30u8).unwrap();
        context.set(qpc::REMOTE_QPN, remote).unwrap();
        let mut path = context.sub_mut(qpc::PRIMARY_ADDRESS_PATH);
        path.octets_mut(ads::RGID_RIP).copy_from_slice(&gid.raw);
        path.set(ads::RMAC_31_0, 1u8).unwrap();
        path.set(ads::SRC_ADDR_INDEX, GID_INDEX).unwrap();
        path.set(ads::HOP_LIMIT, 64u8).unwrap();
        assert_eq!(client.modify(self.qp, &cmd), 0);
    }

    /// RST to RTS, towards `remote` on the device that owns `gid`.
    pub(crate) fn connect(&self, client: &Client, gid: ibv_gid, remote: u32) {
        self.ready_to_receive(client, gid, remote);
        let mut cmd = View::<Rtr2rtsQpIn, Vec<u8>>::zeroed();
        cmd.set(rtr2rts_qp_in::OPCODE, Opcode::RTR2RTS_QP).unwrap();
        cmd.set(rtr2rts_qp_in::QPN, self.qpn).unwrap();
        let mut context = cmd.sub_mut(rtr2rts_qp_in::QPC);
        context.set(qpc::RETRY_COUNT, 7u8).unwrap();
        context.set(qpc::RNR_RETRY, 7u8).unwrap();
        assert_eq!(client.modify(self.qp, &cmd), 0);
    }

    /// Posts an RDMA WRITE and rings.
    pub(crate) fn write(&mut self, from: &Memory, lkey: u32, to: &Memory, rkey: u32, len: u32) {
        let (local, remote) = ((lkey, from.addr as u64), (rkey, to.addr as u64));
        self.post(WqeOpcode::RDMA_WRITE, local, remote, len);
    }

    /// Posts an RDMA WRITE or READ of `len` bytes between two places, each a key and an address, and rings.
    pub(crate) fn post(
        &mut self,
        opcode: WqeOpcode,
        (lkey, local): (u32, u64),
        (rkey, remote): (u32, u64),
        len: u32,
    ) {
        let index = self.posted;
        let mut ctrl = CtrlSeg::new(opcode, index, Qpn(self.qpn), 3);
        ctrl.fm_ce_se = CompletionMode::ALWAYS.0 << 2;
        let raddr = RaddrSeg { raddr: remote.into(), rkey: rkey.into(), reserved: 0.into() };
        let data = DataSeg { byte_count: len.into(), lkey: lkey.into(), addr: local.into() };
        let slot = usize::from(index) % DEPTH * 64;
        self.memory.store(slot, ctrl.as_bytes());
        self.memory.store(slot + 16, raddr.as_bytes());
        self.memory.store(slot + 32, data.as_bytes());
        self.posted = index.wrapping_add(1);
        // Release: WQE before record; partner is the NIC's acquire of the record.
        fence(Ordering::Release);
        self.memory.store(QP_DBR + 4, &u32::from(self.posted).to_be_bytes());
        self.ring();
    }

    /// Rings with the index of what was posted.
    pub(crate) fn ring(&self) {
        let value = SqDoorbell::new(Qpn(self.qpn), self.posted).emit();
        // SAFETY: the register of a live UAR page, aligned, accessed by atomics on both sides.
        let register = unsafe { &*(*self.uar).reg_addr.cast::<AtomicU64>() };
        // Release: WQE and record before the doorbell; partner is the NIC's acquire of the register.
        register.store(u64::from_ne_bytes(value), Ordering::Release);
    }

    /// The client's side of 2RST: the next index is 0, and the record says so.
    pub(crate) fn start_over(&mut self) {
        self.posted = 0;
        self.memory.store(QP_DBR + 4, &[0; 4]);
    }

    /// Waits for the next completion: `None` for success, else the error's syndrome.
    pub(crate) fn poll(&mut self) -> Option<u8> {
        let slot = CQ + usize::from(self.polled) % DEPTH * CQE_BYTES;
        let owner = (usize::from(self.polled) / DEPTH) & 1;
        let start = Instant::now();
        loop {
            // SAFETY: inside the allocation and aligned; the NIC stores it atomically.
            let tail = unsafe { &*self.memory.addr.add(slot + 60).cast::<AtomicU32>() };
            // Acquire: the CQE's and the payload's bytes after its tail; partner is the NIC's release of the tail.
            let op_own = tail.load(Ordering::Acquire).to_ne_bytes()[3];
            if CqeOpcode(op_own >> 4) != CqeOpcode::INVALID && usize::from(op_own & 1) == owner {
                break;
            }
            assert!(start.elapsed() < Duration::from_secs(20), "no completion of {}", self.polled);
            std::thread::yield_now();
        }
        let mut cqe = [0; CQE_BYTES];
        for (at, byte) in cqe.iter_mut().enumerate() {
            // SAFETY: inside the allocation.
            *byte = unsafe { &*self.memory.addr.add(slot + at).cast::<AtomicU8>() }
                .load(Ordering::Relaxed);
        }
        let cqe = ErrCqe::read_from_bytes(&cqe).unwrap();
        assert_eq!(cqe.wqe_counter.get(), self.polled);
        self.polled = self.polled.wrapping_add(1);
        (CqeOpcode(cqe.op_own >> 4) == CqeOpcode::REQ_ERR).then_some(cqe.syndrome)
    }

    pub(crate) fn state(&self, client: &Client) -> QpState {
        let out = client.query_qp(self).unwrap();
        QpState(out.sub(query_qp_out::QPC).get(qpc::STATE) as u8)
    }

    /// Destroys all of it, in order.
    pub(crate) fn destroy(self, client: &Client) {
        let mlx5 = &client.table.mlx5;
        // SAFETY: live objects, each destroyed once.
        unsafe {
            assert_eq!((mlx5.devx_obj_destroy)(self.qp), 0);
            assert_eq!((mlx5.devx_obj_destroy)(self.cq), 0);
            assert_eq!((mlx5.devx_umem_dereg)(self.umem), 0);
            (mlx5.devx_free_uar)(self.uar);
        }
    }
}

/// A pointer to nothing of the NIC's.
pub(crate) fn foreign<T>() -> *mut T {
    core::ptr::without_provenance_mut::<c_void>(0x1000).cast()
}
