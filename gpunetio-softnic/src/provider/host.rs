//! Devices, contexts and their attributes.

use core::ffi::{c_char, c_int};
use core::ptr;

use gpunetio_core::sys::{
    IBV_CONTEXT_OPS, IBV_LINK_LAYER_ETHERNET, IBV_PORT_ACTIVE, MLX5DV_CONTEXT_FLAGS_DEVX,
    ibv_context, ibv_device, ibv_device_attr, ibv_gid, ibv_port_attr_compat, mlx5dv_context_attr,
};

use super::registry::Registry;
use super::{null, set_errno};
use crate::device::{Device, LIMITS};
use crate::port::{self, GID_TABLE_SIZE, PORT_NUMBER};

/// PCI vendor that mlx5 devices have.
const VENDOR_ID: u32 = 0x15b3;
/// PCI device of a ConnectX-7.
const VENDOR_PART_ID: u32 = 4129;
/// `node_type` of a channel adapter.
const NODE_CA: c_int = 1;
/// `transport_type` of InfiniBand and RoCE.
const TRANSPORT_IB: c_int = 0;
/// `atomic_cap`: atomic among the QPs of this device.
const ATOMIC_HCA: c_int = 1;
/// `device_cap_flags`: RC makes RNR NAKs.
const DEVICE_RC_RNR_NAK_GEN: u32 = 1 << 12;
/// `port_cap_flags`: GIDs are IP addresses.
const PORT_IP_BASED_GIDS: u32 = 1 << 26;
/// `flags` of a port: address handles need a GRH.
const PORT_GRH_REQUIRED: u8 = 1;
/// Code of a 4X link.
const WIDTH_4X: u8 = 2;
/// Code of a 100 Gbit/s lane.
const SPEED_NDR: u8 = 128;
/// Code of a physical link that is up.
const PHYS_LINK_UP: u8 = 5;
/// Scatter entries of a send WQE of 512 bytes behind control and remote address segment.
const MAX_SGE: c_int = (LIMITS.max_wqe_sz / 16 - 2) as c_int;
/// Scatter entries of an SRQ WQE of 512 bytes behind its next-WQE segment.
const MAX_SRQ_SGE: c_int = (LIMITS.max_wqe_sz / 16 - 1) as c_int;
/// ACK delay of the device, as the code of a timeout.
const ACK_DELAY: u8 = 16;

/// A device as clients see it; never freed, since they may keep the pointer.
pub(super) struct DeviceHandle {
    address: usize,
}

impl DeviceHandle {
    pub(super) fn new(device: &Device) -> Self {
        let index = device.index;
        let public = ibv_device {
            _ops: [ptr::null_mut(); 2],
            node_type: NODE_CA,
            transport_type: TRANSPORT_IB,
            name: c_text(&format!("mlx5_{index}")),
            dev_name: c_text(&format!("uverbs{index}")),
            dev_path: c_text(&format!("/sys/class/infiniband_verbs/uverbs{index}")),
            ibdev_path: c_text(&format!("/sys/class/infiniband/mlx5_{index}")),
        };
        Self { address: Box::into_raw(Box::new(public)) as usize }
    }

    fn pointer(&self) -> *mut ibv_device {
        self.address as *mut ibv_device
    }
}

/// NUL-terminated text, cut to fit.
fn c_text<const N: usize>(text: &str) -> [c_char; N] {
    let mut out = [0; N];
    for (to, from) in out.iter_mut().take(N - 1).zip(text.bytes()) {
        *to = from as c_char;
    }
    out
}

/// Index of a device that a client names.
fn device_index(registry: &Registry, device: *mut ibv_device) -> Result<usize, i32> {
    registry.devices.iter().position(|known| known.pointer() == device).ok_or(libc::EINVAL)
}

pub(super) unsafe extern "C" fn get_device_list(num: *mut c_int) -> *mut *mut ibv_device {
    let listed = Registry::locked(|registry| {
        let present = registry.devices.iter().enumerate();
        Ok(present
            .filter(|(index, _)| !registry.is_removed(*index))
            .map(|(_, device)| device.pointer())
            .collect::<Vec<_>>())
    });
    let listed = match listed {
        Ok(listed) => listed,
        Err(errno) => return null(errno),
    };
    // SAFETY: a plain allocation of the C library, freed by `free_device_list`.
    let list = unsafe { libc::calloc(listed.len() + 1, size_of::<*mut ibv_device>()) };
    let list = list.cast::<*mut ibv_device>();
    if list.is_null() {
        return null(libc::ENOMEM);
    }
    for (place, device) in listed.iter().enumerate() {
        // SAFETY: the allocation has a place for each device, and a last one for the NULL that calloc left.
        unsafe { list.add(place).write(*device) };
    }
    if !num.is_null() {
        // SAFETY: not NULL, and a place for an int by the contract of ibv_get_device_list.
        unsafe { num.write(listed.len() as c_int) };
    }
    list
}

pub(super) unsafe extern "C" fn free_device_list(list: *mut *mut ibv_device) {
    // SAFETY: NULL, or allocated by `get_device_list` by the contract of ibv_free_device_list.
    unsafe { libc::free(list.cast()) };
}

pub(super) unsafe extern "C" fn get_device_name(device: *mut ibv_device) -> *const c_char {
    match Registry::locked(|registry| device_index(registry, device)) {
        // SAFETY: one of our devices, which are never freed; no reference is made.
        Ok(_) => unsafe { (&raw const (*device).name).cast() },
        Err(errno) => null(errno),
    }
}

pub(super) unsafe extern "C" fn is_supported(device: *mut ibv_device) -> bool {
    Registry::locked(|registry| device_index(registry, device)).is_ok()
}

pub(super) unsafe extern "C" fn open_device(device: *mut ibv_device) -> *mut ibv_context {
    let opened = Registry::locked(|registry| {
        let index = device_index(registry, device)?;
        if registry.is_removed(index) {
            return Err(libc::ENODEV);
        }
        // SAFETY: a plain system call. Nothing ever signals it: there are no asynchronous events yet.
        let async_fd = unsafe { libc::eventfd(0, libc::EFD_CLOEXEC) };
        if async_fd < 0 {
            return Err(libc::EMFILE);
        }
        let context = Box::into_raw(Box::new(ibv_context {
            device,
            ops: [ptr::null_mut(); IBV_CONTEXT_OPS],
            cmd_fd: -1,
            async_fd,
            num_comp_vectors: 1,
            mutex: [0; 5],
            abi_compat: ptr::null_mut(),
        }));
        registry.add_context(context as usize, index).inspect_err(|_| free_context(context))?;
        Ok(context)
    });
    opened.unwrap_or_else(null)
}

pub(super) unsafe extern "C" fn mlx5dv_open_device(
    device: *mut ibv_device,
    attr: *mut mlx5dv_context_attr,
) -> *mut ibv_context {
    if !attr.is_null() {
        // SAFETY: not NULL, and a valid attribute by the contract of mlx5dv_open_device.
        let attr = unsafe { attr.read() };
        if attr.flags & !MLX5DV_CONTEXT_FLAGS_DEVX != 0 || attr.comp_mask != 0 {
            return null(libc::EOPNOTSUPP);
        }
    }
    // SAFETY: the same contract.
    unsafe { open_device(device) }
}

pub(super) unsafe extern "C" fn close_device(context: *mut ibv_context) -> c_int {
    let closed = Registry::locked(|registry| registry.remove_context(context as usize));
    match closed {
        Ok(()) => {
            free_context(context);
            0
        }
        Err(errno) => errno,
    }
}

/// Frees a context that is not, or no longer, in the registry.
fn free_context(context: *mut ibv_context) {
    // SAFETY: made by `Box::into_raw` in `open_device`; being out of the registry, it is freed once.
    let context = unsafe { Box::from_raw(context) };
    // SAFETY: the context's own descriptor, closed once.
    unsafe { libc::close(context.async_fd) };
}

pub(super) unsafe extern "C" fn query_device(
    context: *mut ibv_context,
    attr: *mut ibv_device_attr,
) -> c_int {
    if attr.is_null() {
        return libc::EINVAL;
    }
    let answer = Registry::locked(|registry| {
        let index = registry.context(context)?;
        registry.call(move |fabric| {
            let device = fabric.devices.get(index).filter(|device| device.alive);
            device.map(device_attributes)
        })
    });
    match answer {
        Ok(Some(attributes)) => {
            // SAFETY: not NULL, and a place for the attributes by the contract of ibv_query_device.
            unsafe { attr.write(attributes) };
            0
        }
        Ok(None) => libc::EIO,
        Err(errno) => errno,
    }
}

fn device_attributes(device: &Device) -> ibv_device_attr {
    let limits = device.limits;
    let table = |log: u8| 1 << log;
    let guid = u64::from_ne_bytes(port::eui64(device.port.mac));
    ibv_device_attr {
        fw_ver: c_text(env!("CARGO_PKG_VERSION")),
        node_guid: guid,
        sys_image_guid: guid,
        max_mr_size: u64::MAX,
        page_size_cap: !0xfff,
        vendor_id: VENDOR_ID,
        vendor_part_id: VENDOR_PART_ID,
        hw_ver: 0,
        max_qp: table(limits.log_max_qp),
        max_qp_wr: table(limits.log_max_qp_sz),
        device_cap_flags: DEVICE_RC_RNR_NAK_GEN,
        max_sge: MAX_SGE,
        max_sge_rd: MAX_SGE,
        max_cq: table(limits.log_max_cq),
        max_cqe: table(limits.log_max_cq_sz) - 1,
        max_mr: table(limits.log_max_mkey),
        max_pd: table(limits.log_max_pd),
        max_qp_rd_atom: table(limits.log_max_ra_res_qp),
        max_ee_rd_atom: 0,
        max_res_rd_atom: table(limits.log_max_ra_res_qp) << limits.log_max_qp,
        max_qp_init_rd_atom: table(limits.log_max_ra_req_qp),
        max_ee_init_rd_atom: 0,
        atomic_cap: ATOMIC_HCA,
        max_ee: 0,
        max_rdd: 0,
        max_mw: 0,
        max_raw_ipv6_qp: 0,
        max_raw_ethy_qp: 0,
        max_mcast_grp: 0,
        max_mcast_qp_attach: 0,
        max_total_mcast_qp_attach: 0,
        max_ah: c_int::MAX,
        max_fmr: 0,
        max_map_per_fmr: 0,
        max_srq: table(limits.log_max_rmp),
        max_srq_wr: table(limits.log_max_srq_sz) - 1,
        max_srq_sge: MAX_SRQ_SGE,
        max_pkeys: limits.pkeys,
        local_ca_ack_delay: ACK_DELAY,
        phys_port_cnt: 1,
    }
}

pub(super) unsafe extern "C" fn query_port(
    context: *mut ibv_context,
    port: u8,
    attr: *mut ibv_port_attr_compat,
) -> c_int {
    if attr.is_null() || port != PORT_NUMBER {
        return libc::EINVAL;
    }
    let mtu = Registry::locked(|registry| {
        let index = registry.context(context)?;
        registry.call(move |fabric| {
            let device = fabric.devices.get(index).filter(|device| device.alive);
            device.map(|device| device.port.mtu)
        })
    });
    let mtu = match mtu {
        Ok(Some(mtu)) => c_int::from(mtu.0),
        Ok(None) => return libc::EIO,
        Err(errno) => return errno,
    };
    let attributes = ibv_port_attr_compat {
        state: IBV_PORT_ACTIVE,
        max_mtu: mtu,
        active_mtu: mtu,
        gid_tbl_len: GID_TABLE_SIZE as c_int,
        port_cap_flags: PORT_IP_BASED_GIDS,
        max_msg_sz: 1 << LIMITS.log_max_msg,
        // On RoCE every pkey is the default one.
        pkey_tbl_len: 1,
        active_width: WIDTH_4X,
        active_speed: SPEED_NDR,
        phys_state: PHYS_LINK_UP,
        link_layer: IBV_LINK_LAYER_ETHERNET,
        flags: PORT_GRH_REQUIRED,
        ..Default::default()
    };
    // SAFETY: not NULL, and a place for the 48 bytes by the contract of the table.
    unsafe { attr.write(attributes) };
    0
}

pub(super) unsafe extern "C" fn query_gid(
    context: *mut ibv_context,
    port: u8,
    index: c_int,
    gid: *mut ibv_gid,
) -> c_int {
    let entry = usize::try_from(index).ok().filter(|entry| *entry < GID_TABLE_SIZE);
    let (Some(entry), false, PORT_NUMBER) = (entry, gid.is_null(), port) else {
        set_errno(libc::EINVAL);
        return -1;
    };
    let answer = Registry::locked(|registry| {
        let device = registry.context(context)?;
        registry.call(move |fabric| {
            let device = fabric.devices.get(device).filter(|device| device.alive)?;
            Some(device.port.gid(entry).map_or([0; 16], |entry| entry.gid.0))
        })
    });
    match answer {
        Ok(Some(raw)) => {
            // SAFETY: not NULL, and a place for a GID by the contract of ibv_query_gid.
            unsafe { gid.write(ibv_gid { raw }) };
            0
        }
        Ok(None) => {
            set_errno(libc::EIO);
            -1
        }
        Err(errno) => {
            set_errno(errno);
            -1
        }
    }
}
