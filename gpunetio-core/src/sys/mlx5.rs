//! The part of `infiniband/mlx5dv.h` that is used, and its function table.

use core::ffi::{c_int, c_void};

use super::verbs::{ibv_ah, ibv_context, ibv_device, ibv_pd, opaque};

opaque! {
    /// An object made by a DEVX command.
    mlx5dv_devx_obj;
}

/// `struct mlx5dv_devx_umem`: memory registered for queues.
#[repr(C)]
#[derive(Debug)]
pub struct mlx5dv_devx_umem {
    /// Id that contexts carry; never 0.
    pub umem_id: u32,
}

/// `struct mlx5dv_devx_umem_in`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct mlx5dv_devx_umem_in {
    /// First byte, or the offset into a dma-buf.
    pub addr: *mut c_void,
    /// Bytes.
    pub size: usize,
    /// `IBV_ACCESS_*`.
    pub access: u32,
    /// Page sizes that the caller accepts, a bit each.
    pub pgsz_bitmap: u64,
    /// [`MLX5DV_UMEM_MASK_DMABUF`] where `dmabuf_fd` is valid.
    pub comp_mask: u64,
    /// The dma-buf.
    pub dmabuf_fd: c_int,
}

/// `comp_mask` bit: the umem is a dma-buf.
pub const MLX5DV_UMEM_MASK_DMABUF: u64 = 1 << 0;

/// `struct mlx5dv_devx_uar`: a page of doorbell registers.
#[repr(C)]
#[derive(Debug)]
pub struct mlx5dv_devx_uar {
    /// The send doorbell register.
    pub reg_addr: *mut c_void,
    /// The page.
    pub base_addr: *mut c_void,
    /// Id that contexts carry.
    pub page_id: u32,
    /// Offset for mmap.
    pub mmap_off: i64,
    /// Reserved.
    pub comp_mask: u64,
}

/// Flag of `alloc_uar`: BlueFlame (write-combining).
pub const MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF: u32 = 0;
/// Flag of `alloc_uar`: non-cached.
pub const MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC: u32 = 1;

/// Flag of `alloc_uar`: non-cached, and used by no other object.
pub const MLX5DV_UAR_ALLOC_TYPE_NC_DEDICATED: u32 = 1 << 31;

/// `struct mlx5dv_devx_event_channel`.
#[repr(C)]
#[derive(Debug)]
pub struct mlx5dv_devx_event_channel {
    /// Readable when an event waits.
    pub fd: c_int,
}

/// `struct mlx5dv_devx_async_event_hdr`; event data follows.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct mlx5dv_devx_async_event_hdr {
    /// The cookie of the subscription.
    pub cookie: u64,
}

/// `struct mlx5dv_context_attr` of `mlx5dv_open_device`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct mlx5dv_context_attr {
    /// [`MLX5DV_CONTEXT_FLAGS_DEVX`].
    pub flags: u32,
    /// Reserved.
    pub comp_mask: u64,
}

/// The context shall be able to run DEVX commands.
pub const MLX5DV_CONTEXT_FLAGS_DEVX: u32 = 1 << 0;

/// `struct mlx5_wqe_av`: address vector.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct mlx5_wqe_av {
    /// Q_Key or DC access key.
    pub key: [u32; 2],
    /// Destination QPN or DCT number, big-endian.
    pub dqp_dct: u32,
    /// Static rate 7:4, SL 3:0.
    pub stat_rate_sl: u8,
    /// Force loopback 7, MLID 6:0.
    pub fl_mlid: u8,
    /// Remote LID or UDP source port, big-endian.
    pub rlid: u16,
    /// Reserved.
    pub reserved0: [u8; 4],
    /// Remote MAC.
    pub rmac: [u8; 6],
    /// Traffic class.
    pub tclass: u8,
    /// Hop limit.
    pub hop_limit: u8,
    /// GRH 30, source GID index 27:20, flow label 19:0, big-endian.
    pub grh_gid_fl: u32,
    /// Remote GID.
    pub rgid: [u8; 16],
}

/// `struct mlx5dv_ah`.
#[repr(C)]
#[derive(Debug)]
pub struct mlx5dv_ah {
    /// The resolved address vector.
    pub av: *mut mlx5_wqe_av,
    /// Reserved.
    pub comp_mask: u64,
}

/// `struct mlx5dv_pd`.
#[repr(C)]
#[derive(Debug, Default)]
pub struct mlx5dv_pd {
    /// Number of the protection domain.
    pub pdn: u32,
    /// Reserved.
    pub comp_mask: u64,
}

/// One input-output pair of `struct mlx5dv_obj`.
#[repr(C)]
#[derive(Debug)]
pub struct mlx5dv_obj_pair<I, O> {
    /// The verbs object.
    pub input: *mut I,
    /// What to fill.
    pub output: *mut O,
}

impl<I, O> Default for mlx5dv_obj_pair<I, O> {
    fn default() -> Self {
        Self { input: core::ptr::null_mut(), output: core::ptr::null_mut() }
    }
}

/// `struct mlx5dv_obj` of `mlx5dv_init_obj`.
#[repr(C)]
#[derive(Debug, Default)]
pub struct mlx5dv_obj {
    /// QP.
    pub qp: mlx5dv_obj_pair<c_void, c_void>,
    /// CQ.
    pub cq: mlx5dv_obj_pair<c_void, c_void>,
    /// SRQ.
    pub srq: mlx5dv_obj_pair<c_void, c_void>,
    /// WQ.
    pub rwq: mlx5dv_obj_pair<c_void, c_void>,
    /// Device memory.
    pub dm: mlx5dv_obj_pair<c_void, c_void>,
    /// Address handle.
    pub ah: mlx5dv_obj_pair<ibv_ah, mlx5dv_ah>,
    /// Protection domain.
    pub pd: mlx5dv_obj_pair<ibv_pd, mlx5dv_pd>,
}

/// `obj_type` bit of an address handle.
pub const MLX5DV_OBJ_AH: u64 = 1 << 5;
/// `obj_type` bit of a protection domain.
pub const MLX5DV_OBJ_PD: u64 = 1 << 6;

/// Functions of libmlx5. All are required but those that are `Option`. Functions that return `int` give 0 or an errno
/// value; pointers are NULL with errno on failure. After a refused command the output holds status and syndrome.
#[derive(Debug, Clone, Copy)]
pub struct Mlx5Table {
    /// True if the device is an mlx5 one.
    pub is_supported: Option<unsafe extern "C" fn(device: *mut ibv_device) -> bool>,
    /// Opens a device with attributes.
    pub open_device: Option<
        unsafe extern "C" fn(
            device: *mut ibv_device,
            attr: *mut mlx5dv_context_attr,
        ) -> *mut ibv_context,
    >,
    /// Direct-verbs view of verbs objects.
    pub init_obj: unsafe extern "C" fn(obj: *mut mlx5dv_obj, obj_type: u64) -> c_int,
    /// Runs a create command.
    pub devx_obj_create: unsafe extern "C" fn(
        context: *mut ibv_context,
        input: *const c_void,
        inlen: usize,
        output: *mut c_void,
        outlen: usize,
    ) -> *mut mlx5dv_devx_obj,
    /// Runs a query command of an object.
    pub devx_obj_query: unsafe extern "C" fn(
        obj: *mut mlx5dv_devx_obj,
        input: *const c_void,
        inlen: usize,
        output: *mut c_void,
        outlen: usize,
    ) -> c_int,
    /// Runs a modify command of an object.
    pub devx_obj_modify: unsafe extern "C" fn(
        obj: *mut mlx5dv_devx_obj,
        input: *const c_void,
        inlen: usize,
        output: *mut c_void,
        outlen: usize,
    ) -> c_int,
    /// Destroys an object; the provider builds the command.
    pub devx_obj_destroy: unsafe extern "C" fn(obj: *mut mlx5dv_devx_obj) -> c_int,
    /// Runs a command that belongs to no object.
    pub devx_general_cmd: unsafe extern "C" fn(
        context: *mut ibv_context,
        input: *const c_void,
        inlen: usize,
        output: *mut c_void,
        outlen: usize,
    ) -> c_int,
    /// Event queue number of a completion vector.
    pub devx_query_eqn:
        unsafe extern "C" fn(context: *mut ibv_context, vector: u32, eqn: *mut u32) -> c_int,
    /// Registers memory for queues.
    pub devx_umem_reg: unsafe extern "C" fn(
        context: *mut ibv_context,
        addr: *mut c_void,
        size: usize,
        access: u32,
    ) -> *mut mlx5dv_devx_umem,
    /// Registers memory or a dma-buf for queues.
    pub devx_umem_reg_ex: Option<
        unsafe extern "C" fn(
            context: *mut ibv_context,
            umem_in: *mut mlx5dv_devx_umem_in,
        ) -> *mut mlx5dv_devx_umem,
    >,
    /// Deregisters memory.
    pub devx_umem_dereg: unsafe extern "C" fn(umem: *mut mlx5dv_devx_umem) -> c_int,
    /// Allocates a UAR page.
    pub devx_alloc_uar:
        unsafe extern "C" fn(context: *mut ibv_context, flags: u32) -> *mut mlx5dv_devx_uar,
    /// Frees a UAR page.
    pub devx_free_uar: unsafe extern "C" fn(uar: *mut mlx5dv_devx_uar),
    /// Creates an event channel.
    pub devx_create_event_channel: Option<
        unsafe extern "C" fn(
            context: *mut ibv_context,
            flags: c_int,
        ) -> *mut mlx5dv_devx_event_channel,
    >,
    /// Destroys an event channel.
    pub devx_destroy_event_channel:
        Option<unsafe extern "C" fn(channel: *mut mlx5dv_devx_event_channel)>,
    /// Subscribes to events of an object.
    pub devx_subscribe_devx_event: Option<
        unsafe extern "C" fn(
            channel: *mut mlx5dv_devx_event_channel,
            obj: *mut mlx5dv_devx_obj,
            events_sz: u16,
            events_num: *mut u16,
            cookie: u64,
        ) -> c_int,
    >,
    /// Reads an event; the bytes read, or -1 and errno.
    pub devx_get_event: Option<
        unsafe extern "C" fn(
            channel: *mut mlx5dv_devx_event_channel,
            event_data: *mut mlx5dv_devx_async_event_hdr,
            event_resp_len: usize,
        ) -> isize,
    >,
}
