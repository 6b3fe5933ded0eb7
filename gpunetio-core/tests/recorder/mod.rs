//! A provider that records what the open backend sends and answers as the stand-in of the recorded data did.
//!
//! State is per thread: a test drives the backend from one thread.
#![allow(unsafe_code, non_snake_case, dead_code)]

pub(crate) mod compare;
pub(crate) mod fields;
pub(crate) mod stand_in;

use std::cell::RefCell;
use std::collections::{HashMap, VecDeque};
use std::ffi::{c_char, c_int, c_uint, c_void};

use gpunetio_core::sys::*;
use gpunetio_prm::command::{CapabilityPage, Opcode, QpState};
use gpunetio_prm::doorbell::SQ_DOORBELL_OFFSET;
use gpunetio_prm::layout::capability::*;
use gpunetio_prm::layout::cq::{CreateCqOut, create_cq_out};
use gpunetio_prm::layout::qp::*;
use gpunetio_prm::layout::resource::{GeneralObjInCmdHdr, general_obj_in_cmd_hdr};
use gpunetio_prm::layout::rmp::{CreateRmpOut, create_rmp_out};
use gpunetio_prm::layout::roce::{QueryRoceAddressOut, RoceAddrLayout, roce_addr_layout};
use gpunetio_prm::layout::{Layout, View};

/// One call of the backend.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Call {
    /// A command with its input, or its refusal.
    Command { opcode: Opcode, input: Vec<u8>, failed: bool },
    /// A umem: size, access, by dma-buf, by the plain call; the id, or `None` if it failed.
    UmemReg { size: usize, access: u32, dmabuf: bool, plain: bool, id: Option<u32> },
    /// A umem's end.
    UmemDereg(u32),
    /// A page: flags and id.
    AllocUar { flags: u32, page: Option<u32> },
    /// A page's end.
    FreeUar(u32),
    /// An object's end.
    Destroy(u32),
    /// An address handle.
    CreateAh([u8; 16]),
}

/// Answers that a run changes.
#[derive(Debug, Clone)]
pub(crate) struct Answers {
    pub(crate) ethernet: bool,
    /// MTU code of the port.
    pub(crate) active_mtu: i32,
    pub hca_cap_2: bool,
    pub(crate) no_dbr_ext: bool,
    pub(crate) roce_version: u8,
    pub rts2rts_qp_dscp: bool,
    pub(crate) query_mtu_zero: bool,
    pub(crate) fail_next_modify: bool,
    pub(crate) fail_next_create: bool,
    pub(crate) fail_uar: Option<u32>,
    pub(crate) fail_dmabuf: bool,
    /// The object of this number is not destroyed the next time.
    pub(crate) fail_destroy: Option<u32>,
    pub(crate) fail_umem_dereg: bool,
    /// errno of listing devices.
    pub(crate) fail_list: Option<i32>,
}

impl Default for Answers {
    fn default() -> Self {
        Self {
            ethernet: true,
            active_mtu: 5,
            hca_cap_2: true,
            no_dbr_ext: true,
            roce_version: 2,
            rts2rts_qp_dscp: true,
            query_mtu_zero: false,
            fail_next_modify: false,
            fail_next_create: false,
            fail_uar: None,
            fail_dmabuf: false,
            fail_destroy: None,
            fail_umem_dereg: false,
            fail_list: None,
        }
    }
}

#[derive(Default)]
pub(crate) struct Recorder {
    pub(crate) calls: Vec<Call>,
    pub(crate) answers: Answers,
    /// Ids to give next, by kind; when empty they count from a range that recorded data does not use.
    pub(crate) umem_ids: VecDeque<u32>,
    pub(crate) uar_pages: VecDeque<u32>,
    pub(crate) object_ids: VecDeque<u32>,
    /// Offset and bytes of each registration by dma-buf, and its iova if it is a memory region's.
    pub(crate) dmabufs: Vec<(u64, usize, Option<u64>)>,
    spare: u32,
    qps: HashMap<u32, (QpState, u64)>,
}

thread_local! {
    static RECORDER: RefCell<Recorder> = RefCell::default();
}

/// Works on this thread's recorder.
pub(crate) fn with<R>(f: impl FnOnce(&mut Recorder) -> R) -> R {
    RECORDER.with(|r| f(&mut r.borrow_mut()))
}

/// Takes the calls since the last time.
pub(crate) fn take() -> Vec<Call> {
    with(|r| std::mem::take(&mut r.calls))
}

impl Recorder {
    fn spare(&mut self) -> u32 {
        self.spare += 1;
        0x8000 + self.spare
    }

    fn push(&mut self, call: Call) {
        self.calls.push(call);
    }
}

fn errno(code: i32) {
    // SAFETY: the location is this thread's errno.
    unsafe { *libc::__errno_location() = code };
}

#[repr(C)]
struct Object {
    id: u32,
    is_qp: bool,
}

#[repr(C)]
struct Page {
    uar: mlx5dv_devx_uar,
    memory: Box<PageMemory>,
}

#[repr(align(4096))]
struct PageMemory([u8; 4096]);

unsafe extern "C" fn get_device_list(num: *mut c_int) -> *mut *mut ibv_device {
    if let Some(errno) = with(|r| r.answers.fail_list) {
        // SAFETY: errno of this thread is writable.
        unsafe { *libc::__errno_location() = errno };
        return std::ptr::null_mut();
    }
    // SAFETY: zeroes are a valid device; the two boxes are leaked, as the process's one device.
    unsafe {
        let device: &'static mut ibv_device = Box::leak(Box::new(std::mem::zeroed()));
        for (to, from) in device.name.iter_mut().zip(b"mlx5_0") {
            *to = *from as c_char;
        }
        *num = 1;
        Box::leak(Box::new([&raw mut *device, std::ptr::null_mut()])).as_mut_ptr()
    }
}
unsafe extern "C" fn free_device_list(_: *mut *mut ibv_device) {}
unsafe extern "C" fn get_device_name(device: *mut ibv_device) -> *const c_char {
    // SAFETY: devices come from the list above.
    unsafe { (*device).name.as_ptr() }
}
unsafe extern "C" fn open_device(device: *mut ibv_device) -> *mut ibv_context {
    // SAFETY: zeroes are a valid context.
    let mut context: Box<ibv_context> = Box::new(unsafe { std::mem::zeroed() });
    context.device = device;
    Box::into_raw(context)
}
unsafe extern "C" fn close_device(context: *mut ibv_context) -> c_int {
    // SAFETY: made by open_device.
    drop(unsafe { Box::from_raw(context) });
    0
}
unsafe extern "C" fn alloc_pd(context: *mut ibv_context) -> *mut ibv_pd {
    Box::into_raw(Box::new(ibv_pd { context, handle: 0 }))
}
unsafe extern "C" fn dealloc_pd(pd: *mut ibv_pd) -> c_int {
    // SAFETY: made by alloc_pd.
    drop(unsafe { Box::from_raw(pd) });
    0
}
unsafe extern "C" fn reg_mr(_: *mut ibv_pd, _: *mut c_void, _: usize, _: c_int) -> *mut ibv_mr {
    errno(libc::ENOSYS);
    std::ptr::null_mut()
}
unsafe extern "C" fn reg_dmabuf_mr(
    _: *mut ibv_pd,
    offset: u64,
    length: usize,
    iova: u64,
    _: c_int,
    _: c_int,
) -> *mut ibv_mr {
    with(|r| r.dmabufs.push((offset, length, Some(iova))));
    errno(libc::ENOSYS);
    std::ptr::null_mut()
}
unsafe extern "C" fn dereg_mr(_: *mut ibv_mr) -> c_int {
    libc::ENOSYS
}
unsafe extern "C" fn query_device(_: *mut ibv_context, attr: *mut ibv_device_attr) -> c_int {
    // SAFETY: the caller gives a writable struct.
    let attr = unsafe { &mut *attr };
    attr.vendor_id = 0x15b3;
    attr.vendor_part_id = 4129;
    attr.max_qp = 131072;
    attr.max_qp_wr = 32768;
    attr.max_sge = 30;
    attr.max_cq = 16777216;
    attr.max_cqe = 4194303;
    attr.max_mr = 16777216;
    attr.max_pd = 8388608;
    attr.max_ah = 2147483647;
    attr.max_srq = 8388608;
    attr.max_srq_wr = 32767;
    attr.max_srq_sge = 31;
    attr.max_pkeys = 128;
    attr.max_qp_rd_atom = 16;
    attr.max_qp_init_rd_atom = 16;
    attr.phys_port_cnt = 1;
    0
}
unsafe extern "C" fn query_port(
    _: *mut ibv_context,
    _: u8,
    attr: *mut ibv_port_attr_compat,
) -> c_int {
    let (ethernet, active_mtu) = with(|r| (r.answers.ethernet, r.answers.active_mtu));
    let answer = ibv_port_attr_compat {
        state: IBV_PORT_ACTIVE,
        max_mtu: 5,
        active_mtu,
        gid_tbl_len: 255,
        link_layer: if ethernet { IBV_LINK_LAYER_ETHERNET } else { IBV_LINK_LAYER_INFINIBAND },
        ..Default::default()
    };
    // SAFETY: the caller gives a writable struct.
    unsafe { *attr = answer };
    0
}
unsafe extern "C" fn query_gid(_: *mut ibv_context, _: u8, _: c_int, gid: *mut ibv_gid) -> c_int {
    // SAFETY: the caller gives a writable GID.
    unsafe { *gid = ibv_gid::default() };
    0
}
unsafe extern "C" fn create_ah(_: *mut ibv_pd, attr: *mut ibv_ah_attr) -> *mut ibv_ah {
    // SAFETY: the caller gives a valid struct.
    let gid = unsafe { (*attr).grh.dgid.raw };
    with(|r| r.push(Call::CreateAh(gid)));
    let rmac = [0x02, 0xa1, 0xb2, 0xc3, 0xd4, gid[15]];
    Box::into_raw(Box::new(mlx5_wqe_av { rmac, ..Default::default() })).cast()
}
unsafe extern "C" fn destroy_ah(ah: *mut ibv_ah) -> c_int {
    // SAFETY: made by create_ah.
    drop(unsafe { Box::from_raw(ah.cast::<mlx5_wqe_av>()) });
    0
}

unsafe extern "C" fn init_obj(obj: *mut mlx5dv_obj, kind: u64) -> c_int {
    // SAFETY: the caller gives the pairs that `kind` names.
    unsafe {
        if kind & MLX5DV_OBJ_PD != 0 {
            (*(*obj).pd.output).pdn = 7;
        }
        if kind & MLX5DV_OBJ_AH != 0 {
            (*(*obj).ah.output).av = (*obj).ah.input.cast();
        }
    }
    0
}

fn opcode(input: &[u8]) -> Opcode {
    let view = View::<GeneralObjInCmdHdr, _>::new(input).unwrap();
    Opcode(view.get(general_obj_in_cmd_hdr::OPCODE) as u16)
}

unsafe fn bytes<'a>(data: *const c_void, len: usize) -> &'a [u8] {
    // SAFETY: callers pass the buffers of one call.
    unsafe { std::slice::from_raw_parts(data.cast(), len) }
}
unsafe fn bytes_mut<'a>(data: *mut c_void, len: usize) -> &'a mut [u8] {
    // SAFETY: callers pass the buffers of one call.
    unsafe { std::slice::from_raw_parts_mut(data.cast(), len) }
}

unsafe extern "C" fn devx_general_cmd(
    _: *mut ibv_context,
    input: *const c_void,
    inlen: usize,
    output: *mut c_void,
    outlen: usize,
) -> c_int {
    // SAFETY: the buffers of this call.
    let (input, out) = unsafe { (bytes(input, inlen), bytes_mut(output, outlen)) };
    let answers = with(|r| r.answers.clone());
    match opcode(input) {
        Opcode::QUERY_HCA_CAP => {
            let op_mod =
                View::<QueryHcaCapIn, _>::new(input).unwrap().get(query_hca_cap_in::OP_MOD);
            capabilities(&answers, CapabilityPage((op_mod >> 1) as u16), out);
        }
        Opcode::QUERY_ROCE_ADDRESS => {
            with(|r| {
                r.push(Call::Command {
                    opcode: Opcode::QUERY_ROCE_ADDRESS,
                    input: input.to_vec(),
                    failed: false,
                })
            });
            let entry = &mut out[QueryRoceAddressOut::BYTES..];
            View::<RoceAddrLayout, _>::new(entry)
                .unwrap()
                .set(roce_addr_layout::ROCE_VERSION, answers.roce_version)
                .unwrap();
        }
        other => panic!("{other} is not a general command of the open backend"),
    }
    0
}

fn capabilities(answers: &Answers, page: CapabilityPage, out: &mut [u8]) {
    let mut out = View::<QueryHcaCapOut, _>::new(out).unwrap();
    match page {
        CapabilityPage::GENERAL => {
            let mut cap = out.region_mut::<CmdHcaCap>(query_hca_cap_out::CAPABILITY).unwrap();
            cap.set(cmd_hca_cap::HCA_CAP_2, answers.hca_cap_2).unwrap();
            cap.set(cmd_hca_cap::LOG_MAX_QP_SZ, 15u8).unwrap();
            cap.set(cmd_hca_cap::RTS2RTS_QP_DSCP, answers.rts2rts_qp_dscp).unwrap();
            cap.set(cmd_hca_cap::GID_TABLE_SIZE, 4u8).unwrap();
            cap.set(cmd_hca_cap::PORT_TYPE, answers.ethernet).unwrap();
            cap.set(cmd_hca_cap::RC, true).unwrap();
            cap.set(cmd_hca_cap::MAX_WQE_SZ_SQ, 512u16).unwrap();
            cap.set(cmd_hca_cap::MAX_WQE_SZ_RQ, 512u16).unwrap();
        }
        CapabilityPage::ROCE => {
            let mut cap = out.region_mut::<RoceCap>(query_hca_cap_out::CAPABILITY).unwrap();
            cap.set(roce_cap::R_ROCE_MIN_SRC_UDP_PORT, 0xc000u16).unwrap();
            cap.set(roce_cap::R_ROCE_MAX_SRC_UDP_PORT, 0xffffu16).unwrap();
            cap.set(roce_cap::ROCE_ADDRESS_TABLE_SIZE, 255u16).unwrap();
        }
        CapabilityPage::GENERAL_2 => {
            let mut cap = out.region_mut::<CmdHcaCap2>(query_hca_cap_out::CAPABILITY).unwrap();
            cap.set(cmd_hca_cap_2::SEND_DBR_MODE_NO_DBR_EXT, answers.no_dbr_ext).unwrap();
        }
        other => panic!("page {other} is not read by the open backend"),
    }
}

unsafe extern "C" fn devx_obj_create(
    _: *mut ibv_context,
    input: *const c_void,
    inlen: usize,
    output: *mut c_void,
    outlen: usize,
) -> *mut mlx5dv_devx_obj {
    // SAFETY: the buffers of this call.
    let (input, out) = unsafe { (bytes(input, inlen), bytes_mut(output, outlen)) };
    let opcode = opcode(input);
    with(|r| {
        let failed = std::mem::take(&mut r.answers.fail_next_create);
        r.push(Call::Command { opcode, input: input.to_vec(), failed });
        if failed {
            errno(libc::EREMOTEIO);
            return std::ptr::null_mut();
        }
        let id = r.object_ids.pop_front().unwrap_or_else(|| r.spare());
        match opcode {
            Opcode::CREATE_CQ => {
                View::<CreateCqOut, _>::new(out).unwrap().set(create_cq_out::CQN, id).unwrap();
            }
            Opcode::CREATE_QP => {
                View::<CreateQpOut, _>::new(out).unwrap().set(create_qp_out::QPN, id).unwrap();
                r.qps.insert(id, (QpState::RST, 1));
            }
            Opcode::CREATE_RMP => {
                View::<CreateRmpOut, _>::new(out).unwrap().set(create_rmp_out::RMPN, id).unwrap();
            }
            other => panic!("{other} creates nothing that the open backend knows"),
        }
        let is_qp = opcode == Opcode::CREATE_QP;
        Box::into_raw(Box::new(Object { id, is_qp })).cast()
    })
}

unsafe extern "C" fn devx_obj_modify(
    obj: *mut mlx5dv_devx_obj,
    input: *const c_void,
    inlen: usize,
    _: *mut c_void,
    _: usize,
) -> c_int {
    // SAFETY: the buffers of this call; the object was made above.
    let (input, object) = unsafe { (bytes(input, inlen), &*obj.cast::<Object>()) };
    let opcode = opcode(input);
    with(|r| {
        let failed = std::mem::take(&mut r.answers.fail_next_modify);
        r.push(Call::Command { opcode, input: input.to_vec(), failed });
        if failed {
            return libc::EREMOTEIO;
        }
        let qp = r.qps.get_mut(&object.id).unwrap();
        qp.0 = match opcode {
            Opcode::RST2INIT_QP | Opcode::INIT2INIT_QP => QpState::INIT,
            Opcode::INIT2RTR_QP => QpState::RTR,
            Opcode::RTR2RTS_QP | Opcode::RTS2RTS_QP => QpState::RTS,
            Opcode::TO_ERR_QP => QpState::ERR,
            Opcode::TO_RST_QP => QpState::RST,
            other => panic!("{other} modifies nothing that the open backend knows"),
        };
        if opcode == Opcode::INIT2RTR_QP {
            let view = View::<Init2rtrQpIn, _>::new(input).unwrap();
            qp.1 = view.sub(init2rtr_qp_in::QPC).get(qpc::MTU);
        }
        0
    })
}

unsafe extern "C" fn devx_obj_query(
    obj: *mut mlx5dv_devx_obj,
    input: *const c_void,
    inlen: usize,
    output: *mut c_void,
    outlen: usize,
) -> c_int {
    // SAFETY: the buffers of this call; the object was made above.
    let (input, out, object) =
        unsafe { (bytes(input, inlen), bytes_mut(output, outlen), &*obj.cast::<Object>()) };
    with(|r| {
        r.push(Call::Command { opcode: opcode(input), input: input.to_vec(), failed: false });
        let (state, mtu) = r.qps[&object.id];
        let mut out = View::<QueryQpOut, _>::new(out).unwrap();
        let mut ctx = out.sub_mut(query_qp_out::QPC);
        ctx.set(qpc::STATE, state).unwrap();
        ctx.set(qpc::MTU, if r.answers.query_mtu_zero { 0 } else { mtu }).unwrap();
        0
    })
}

unsafe extern "C" fn devx_obj_destroy(obj: *mut mlx5dv_devx_obj) -> c_int {
    // SAFETY: made by devx_obj_create.
    let id = unsafe { (*obj.cast::<Object>()).id };
    if with(|r| r.answers.fail_destroy.take_if(|fails| *fails == id)).is_some() {
        return libc::EREMOTEIO;
    }
    // SAFETY: as above; given up here.
    let object = unsafe { Box::from_raw(obj.cast::<Object>()) };
    with(|r| r.push(Call::Destroy(object.id)));
    0
}

unsafe extern "C" fn devx_query_eqn(_: *mut ibv_context, _: u32, eqn: *mut u32) -> c_int {
    // SAFETY: the caller gives a writable number.
    unsafe { *eqn = 3 };
    0
}

fn register(size: usize, access: u32, dmabuf: bool, plain: bool) -> *mut mlx5dv_devx_umem {
    with(|r| {
        if dmabuf && r.answers.fail_dmabuf {
            r.push(Call::UmemReg { size, access, dmabuf, plain, id: None });
            errno(libc::EOPNOTSUPP);
            return std::ptr::null_mut();
        }
        let id = r.umem_ids.pop_front().unwrap_or_else(|| r.spare());
        r.push(Call::UmemReg { size, access, dmabuf, plain, id: Some(id) });
        Box::into_raw(Box::new(mlx5dv_devx_umem { umem_id: id }))
    })
}
unsafe extern "C" fn devx_umem_reg(
    _: *mut ibv_context,
    _: *mut c_void,
    size: usize,
    access: u32,
) -> *mut mlx5dv_devx_umem {
    register(size, access, false, true)
}
unsafe extern "C" fn devx_umem_reg_ex(
    _: *mut ibv_context,
    input: *mut mlx5dv_devx_umem_in,
) -> *mut mlx5dv_devx_umem {
    // SAFETY: the caller gives a valid struct.
    let input = unsafe { *input };
    assert_eq!(input.pgsz_bitmap, 4096);
    let dmabuf = input.comp_mask & MLX5DV_UMEM_MASK_DMABUF != 0;
    if dmabuf {
        with(|r| r.dmabufs.push((input.addr as u64, input.size, None)));
    }
    register(input.size, input.access, dmabuf, false)
}
unsafe extern "C" fn devx_umem_dereg(umem: *mut mlx5dv_devx_umem) -> c_int {
    if with(|r| r.answers.fail_umem_dereg) {
        return libc::EBUSY;
    }
    // SAFETY: made by `register`.
    let umem = unsafe { Box::from_raw(umem) };
    with(|r| r.push(Call::UmemDereg(umem.umem_id)));
    0
}
unsafe extern "C" fn devx_alloc_uar(_: *mut ibv_context, flags: c_uint) -> *mut mlx5dv_devx_uar {
    with(|r| {
        if r.answers.fail_uar == Some(flags) {
            r.push(Call::AllocUar { flags, page: None });
            errno(libc::EOPNOTSUPP);
            return std::ptr::null_mut();
        }
        let page = r.uar_pages.pop_front().unwrap_or_else(|| r.spare());
        r.push(Call::AllocUar { flags, page: Some(page) });
        let mut memory = Box::new(PageMemory([0; 4096]));
        let base = memory.0.as_mut_ptr();
        let uar = mlx5dv_devx_uar {
            reg_addr: base.wrapping_add(SQ_DOORBELL_OFFSET).cast(),
            base_addr: base.cast(),
            page_id: page,
            mmap_off: 0,
            comp_mask: 0,
        };
        // The page's view is its first field, so a pointer to one is a pointer to the other.
        Box::into_raw(Box::new(PageBox(Page { uar, memory }))).cast()
    })
}
#[repr(C)]
struct PageBox(Page);
unsafe extern "C" fn devx_free_uar(uar: *mut mlx5dv_devx_uar) {
    // SAFETY: made by devx_alloc_uar.
    let page = unsafe { Box::from_raw(uar.cast::<PageBox>()) };
    with(|r| r.push(Call::FreeUar(page.0.uar.page_id)));
}

/// The recording provider. Its queues can lie on a GPU, and its pages count as registers, as the stand-in's did.
pub(crate) fn provider() -> Provider {
    let tables = ProviderTables {
        name: "recorder",
        verbs: VerbsTable {
            get_device_list,
            free_device_list,
            get_device_name,
            open_device,
            close_device,
            alloc_pd,
            dealloc_pd,
            reg_mr,
            reg_mr_iova2: None,
            reg_dmabuf_mr: Some(reg_dmabuf_mr),
            dereg_mr,
            query_device,
            query_port,
            query_gid,
            create_ah,
            destroy_ah,
        },
        mlx5: Mlx5Table {
            is_supported: None,
            open_device: None,
            init_obj,
            devx_obj_create,
            devx_obj_query,
            devx_obj_modify,
            devx_obj_destroy,
            devx_general_cmd,
            devx_query_eqn,
            devx_umem_reg,
            devx_umem_reg_ex: Some(devx_umem_reg_ex),
            devx_umem_dereg,
            devx_alloc_uar,
            devx_free_uar,
            devx_create_event_channel: None,
            devx_destroy_event_channel: None,
            devx_subscribe_devx_event: None,
            devx_get_event: None,
        },
        properties: Properties { uar_memory: UarMemory::Mmio, queues_on_gpu: true },
    };
    // SAFETY: the functions are those of libibverbs as far as this library uses them; pages are plain memory, which nobody
    // maps as registers here.
    unsafe { Provider::new(tables) }
}
