//! The part of `infiniband/verbs.h` that is used, and its function table.

use core::ffi::{c_char, c_int, c_uint, c_void};

macro_rules! opaque {
    ($($(#[$doc:meta])* $name:ident;)*) => {$(
        $(#[$doc])*
        #[derive(Debug)]
        #[repr(C)]
        pub struct $name {
            _opaque: [u8; 0],
            _not_send: core::marker::PhantomData<*mut u8>,
        }
    )*};
}
pub(crate) use opaque;

opaque! {
    /// Address handle; opaque here.
    ibv_ah;
}

/// `struct ibv_device`: what `ibv_get_device_list` lists.
#[repr(C)]
#[derive(Debug)]
pub struct ibv_device {
    /// Private operations of libibverbs.
    pub _ops: [*mut c_void; 2],
    /// Node type; 1 is a channel adapter.
    pub node_type: c_int,
    /// Transport; 0 is InfiniBand, which RoCE devices report too.
    pub transport_type: c_int,
    /// Kernel name, such as `mlx5_0`, NUL-terminated.
    pub name: [c_char; 64],
    /// Name of the uverbs device.
    pub dev_name: [c_char; 64],
    /// Sysfs path of the uverbs device.
    pub dev_path: [c_char; 256],
    /// Sysfs path of the InfiniBand device.
    pub ibdev_path: [c_char; 256],
}

/// Entries of `struct ibv_context_ops`.
pub const IBV_CONTEXT_OPS: usize = 32;

/// `struct ibv_context`: an open device.
#[repr(C)]
#[derive(Debug)]
pub struct ibv_context {
    /// The device that was opened.
    pub device: *mut ibv_device,
    /// Inline-dispatched operations.
    pub ops: [*mut c_void; IBV_CONTEXT_OPS],
    /// File descriptor of commands.
    pub cmd_fd: c_int,
    /// File descriptor of asynchronous events.
    pub async_fd: c_int,
    /// Number of completion vectors.
    pub num_comp_vectors: c_int,
    /// `pthread_mutex_t`, of the provider.
    pub mutex: [u64; 5],
    /// `UINTPTR_MAX` where this context is part of a `verbs_context`.
    pub abi_compat: *mut c_void,
}

/// `struct ibv_pd`: protection domain.
#[repr(C)]
#[derive(Debug)]
pub struct ibv_pd {
    /// The context that it belongs to.
    pub context: *mut ibv_context,
    /// Kernel handle.
    pub handle: u32,
}

/// `struct ibv_mr`: memory region.
#[repr(C)]
#[derive(Debug)]
pub struct ibv_mr {
    /// The context that it belongs to.
    pub context: *mut ibv_context,
    /// The protection domain that it belongs to.
    pub pd: *mut ibv_pd,
    /// First byte.
    pub addr: *mut c_void,
    /// Bytes.
    pub length: usize,
    /// Kernel handle.
    pub handle: u32,
    /// Local key, host byte order.
    pub lkey: u32,
    /// Remote key, host byte order.
    pub rkey: u32,
}

/// `union ibv_gid`.
#[repr(C, align(8))]
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct ibv_gid {
    /// The 16 bytes in network order.
    pub raw: [u8; 16],
}

/// `struct ibv_global_route`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct ibv_global_route {
    /// Destination GID.
    pub dgid: ibv_gid,
    /// IPv6 flow label.
    pub flow_label: u32,
    /// Index of the source GID.
    pub sgid_index: u8,
    /// Hop limit (IP TTL).
    pub hop_limit: u8,
    /// Traffic class: DSCP 7:2, ECN 1:0.
    pub traffic_class: u8,
}

/// `struct ibv_ah_attr`.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct ibv_ah_attr {
    /// Global route; used where `is_global` is 1, always on RoCE.
    pub grh: ibv_global_route,
    /// Destination LID; 0 on RoCE.
    pub dlid: u16,
    /// Service level.
    pub sl: u8,
    /// Source path bits.
    pub src_path_bits: u8,
    /// Static rate.
    pub static_rate: u8,
    /// 1 where `grh` is valid.
    pub is_global: u8,
    /// Port, from 1.
    pub port_num: u8,
}

/// `struct ibv_device_attr`.
#[repr(C)]
#[derive(Debug, Clone, Copy)]
pub struct ibv_device_attr {
    /// Firmware version, NUL-terminated.
    pub fw_ver: [c_char; 64],
    /// Node GUID, big-endian.
    pub node_guid: u64,
    /// System image GUID, big-endian.
    pub sys_image_guid: u64,
    /// Largest memory region.
    pub max_mr_size: u64,
    /// Supported page sizes, a bit each.
    pub page_size_cap: u64,
    /// PCI vendor; 0x15b3.
    pub vendor_id: u32,
    /// PCI device.
    pub vendor_part_id: u32,
    /// Hardware revision.
    pub hw_ver: u32,
    /// Largest number of QPs.
    pub max_qp: c_int,
    /// Largest number of outstanding work requests of a queue.
    pub max_qp_wr: c_int,
    /// `IBV_DEVICE_*` flags.
    pub device_cap_flags: c_uint,
    /// Largest scatter list of a work request.
    pub max_sge: c_int,
    /// Largest scatter list of an RDMA READ.
    pub max_sge_rd: c_int,
    /// Largest number of CQs.
    pub max_cq: c_int,
    /// Largest number of entries of a CQ.
    pub max_cqe: c_int,
    /// Largest number of MRs.
    pub max_mr: c_int,
    /// Largest number of PDs.
    pub max_pd: c_int,
    /// READs and atomics that a QP can have outstanding as target.
    pub max_qp_rd_atom: c_int,
    /// Not used.
    pub max_ee_rd_atom: c_int,
    /// READs and atomics that all QPs can have outstanding as target.
    pub max_res_rd_atom: c_int,
    /// READs and atomics that a QP can have outstanding as initiator.
    pub max_qp_init_rd_atom: c_int,
    /// Not used.
    pub max_ee_init_rd_atom: c_int,
    /// `enum ibv_atomic_cap`; 1 is "within this device".
    pub atomic_cap: c_int,
    /// Not used.
    pub max_ee: c_int,
    /// Not used.
    pub max_rdd: c_int,
    /// Largest number of memory windows.
    pub max_mw: c_int,
    /// Not used.
    pub max_raw_ipv6_qp: c_int,
    /// Not used.
    pub max_raw_ethy_qp: c_int,
    /// Multicast groups.
    pub max_mcast_grp: c_int,
    /// Multicast attachments of a QP.
    pub max_mcast_qp_attach: c_int,
    /// Multicast attachments of the device.
    pub max_total_mcast_qp_attach: c_int,
    /// Largest number of address handles.
    pub max_ah: c_int,
    /// Not used.
    pub max_fmr: c_int,
    /// Not used.
    pub max_map_per_fmr: c_int,
    /// Largest number of SRQs.
    pub max_srq: c_int,
    /// Largest number of outstanding work requests of an SRQ.
    pub max_srq_wr: c_int,
    /// Largest scatter list of an SRQ work request.
    pub max_srq_sge: c_int,
    /// Partition keys.
    pub max_pkeys: u16,
    /// Local ACK delay, as the code of IBTA 9.7.6.1.3.
    pub local_ca_ack_delay: u8,
    /// Physical ports.
    pub phys_port_cnt: u8,
}

/// The 48 bytes of `struct ibv_port_attr` that the versioned symbol `ibv_query_port` fills; later fields need the inline
/// dispatch.
#[repr(C)]
#[derive(Debug, Clone, Copy, Default)]
pub struct ibv_port_attr_compat {
    /// `enum ibv_port_state`; 4 is active.
    pub state: c_int,
    /// Largest MTU as the code 1..5.
    pub max_mtu: c_int,
    /// MTU in use as the code 1..5.
    pub active_mtu: c_int,
    /// Entries of the GID table.
    pub gid_tbl_len: c_int,
    /// Port capabilities.
    pub port_cap_flags: u32,
    /// Largest message in bytes.
    pub max_msg_sz: u32,
    /// Bad pkey counter.
    pub bad_pkey_cntr: u32,
    /// Q_Key violation counter.
    pub qkey_viol_cntr: u32,
    /// Entries of the pkey table.
    pub pkey_tbl_len: u16,
    /// LID; 0 on RoCE.
    pub lid: u16,
    /// LID of the subnet manager.
    pub sm_lid: u16,
    /// LID mask control.
    pub lmc: u8,
    /// Virtual lanes.
    pub max_vl_num: u8,
    /// Service level of the subnet manager.
    pub sm_sl: u8,
    /// Subnet timeout.
    pub subnet_timeout: u8,
    /// Reply of the initialisation.
    pub init_type_reply: u8,
    /// Active width, as verbs.h encodes it.
    pub active_width: u8,
    /// Active speed, as verbs.h encodes it.
    pub active_speed: u8,
    /// Physical state; 5 is link up.
    pub phys_state: u8,
    /// 1 InfiniBand, 2 Ethernet.
    pub link_layer: u8,
    /// `IBV_QPF_*` flags.
    pub flags: u8,
}

/// Active state of a port.
pub const IBV_PORT_ACTIVE: c_int = 4;
/// `link_layer` of Ethernet.
pub const IBV_LINK_LAYER_ETHERNET: u8 = 2;
/// `link_layer` of InfiniBand.
pub const IBV_LINK_LAYER_INFINIBAND: u8 = 1;
/// Access flag: local write.
pub const IBV_ACCESS_LOCAL_WRITE: c_int = 1;
/// Access flag: remote write; needs local write.
pub const IBV_ACCESS_REMOTE_WRITE: c_int = 1 << 1;
/// Access flag: remote read.
pub const IBV_ACCESS_REMOTE_READ: c_int = 1 << 2;
/// Access flag: remote atomic; needs local write.
pub const IBV_ACCESS_REMOTE_ATOMIC: c_int = 1 << 3;
/// Access flag: PCIe relaxed ordering, a hint.
pub const IBV_ACCESS_RELAXED_ORDERING: c_int = 1 << 20;

/// Functions of libibverbs. All are required but those that are `Option`.
#[derive(Debug, Clone, Copy)]
pub struct VerbsTable {
    /// Lists devices; NULL-terminated.
    pub get_device_list: unsafe extern "C" fn(num: *mut c_int) -> *mut *mut ibv_device,
    /// Frees a list.
    pub free_device_list: unsafe extern "C" fn(list: *mut *mut ibv_device),
    /// Name of a device.
    pub get_device_name: unsafe extern "C" fn(device: *mut ibv_device) -> *const c_char,
    /// Opens a device; NULL and errno on failure.
    pub open_device: unsafe extern "C" fn(device: *mut ibv_device) -> *mut ibv_context,
    /// Closes a context.
    pub close_device: unsafe extern "C" fn(context: *mut ibv_context) -> c_int,
    /// Allocates a PD; NULL and errno on failure.
    pub alloc_pd: unsafe extern "C" fn(context: *mut ibv_context) -> *mut ibv_pd,
    /// Frees a PD; EBUSY with children.
    pub dealloc_pd: unsafe extern "C" fn(pd: *mut ibv_pd) -> c_int,
    /// Registers memory; NULL and errno on failure.
    pub reg_mr: unsafe extern "C" fn(
        pd: *mut ibv_pd,
        addr: *mut c_void,
        length: usize,
        access: c_int,
    ) -> *mut ibv_mr,
    /// Registers memory at another address (`iova`).
    pub reg_mr_iova2: Option<
        unsafe extern "C" fn(
            pd: *mut ibv_pd,
            addr: *mut c_void,
            length: usize,
            iova: u64,
            access: c_uint,
        ) -> *mut ibv_mr,
    >,
    /// Registers a dma-buf.
    pub reg_dmabuf_mr: Option<
        unsafe extern "C" fn(
            pd: *mut ibv_pd,
            offset: u64,
            length: usize,
            iova: u64,
            fd: c_int,
            access: c_int,
        ) -> *mut ibv_mr,
    >,
    /// Deregisters memory.
    pub dereg_mr: unsafe extern "C" fn(mr: *mut ibv_mr) -> c_int,
    /// Device attributes; an errno value on failure.
    pub query_device:
        unsafe extern "C" fn(context: *mut ibv_context, attr: *mut ibv_device_attr) -> c_int,
    /// Port attributes, the first 48 bytes; an errno value on failure.
    pub query_port: unsafe extern "C" fn(
        context: *mut ibv_context,
        port: u8,
        attr: *mut ibv_port_attr_compat,
    ) -> c_int,
    /// An entry of the GID table; -1 and errno on failure.
    pub query_gid: unsafe extern "C" fn(
        context: *mut ibv_context,
        port: u8,
        index: c_int,
        gid: *mut ibv_gid,
    ) -> c_int,
    /// Creates an address handle, which resolves the destination MAC; NULL and errno on failure.
    pub create_ah: unsafe extern "C" fn(pd: *mut ibv_pd, attr: *mut ibv_ah_attr) -> *mut ibv_ah,
    /// Destroys an address handle.
    pub destroy_ah: unsafe extern "C" fn(ah: *mut ibv_ah) -> c_int,
}
