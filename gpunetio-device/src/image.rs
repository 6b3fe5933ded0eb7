//! The queue images that the host writes and a kernel works on.
//!
//! Layouts and values are those of the public 4.1 API (`include/common/doca_gpunetio_verbs_dev.h` is the C side), so kernels
//! built against either header tree run on one image. Enumerations are open newtypes: a kernel or another program may have
//! written a value that has no name here.

use std::mem::{offset_of, size_of};

/// Version of the device API that `include/` offers: major, minor, patch.
pub const VERSION: (u32, u32, u32) = (4, 1, 0);
/// [`VERSION`] as the public headers pack it: `major << 16 | minor << 8 | patch`.
pub const VERSION_PACKED: u32 = pack_version(VERSION);
/// Oldest device code that this host code can work with.
pub const MIN_COMPAT_DEVICE_CODE: (u32, u32, u32) = (2, 0, 0);
/// Oldest host code that this device code can work with.
pub const MIN_COMPAT_HOST_CODE: (u32, u32, u32) = (4, 0, 0);

/// Packs a version as `DOCA_GPUNETIO_VERSION` does.
pub const fn pack_version((major, minor, patch): (u32, u32, u32)) -> u32 {
    major << 16 | minor << 8 | patch
}

/// Bytes of a work-queue slot and of a completion queue entry.
pub const SLOT_BYTES: usize = gpunetio_prm::wqe::WQEBB_BYTES;
/// Longest transfer of one WQE, in bytes; longer ones are split.
pub const MAX_TRANSFER_BYTES: u64 = gpunetio_prm::wqe::MAX_MESSAGE_BYTES;
/// Most inline data of one WQE, in bytes.
pub const MAX_INLINE_BYTES: usize = 28;

macro_rules! open_enum {
    ($(#[$doc:meta])* $name:ident($repr:ty) { $($(#[$vdoc:meta])* $value:ident = $number:expr,)* }) => {
        $(#[$doc])*
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Default)]
        #[repr(transparent)]
        pub struct $name(pub $repr);
        impl $name {
            $($(#[$vdoc])* pub const $value: Self = Self($number);)*
        }
    };
}

open_enum! {
    /// Who tells the NIC of new work, and how (`doca_gpu_dev_verbs_nic_handler`).
    NicHandler(u32) {
        /// What the image says; not a value for an image.
        AUTO = 0,
        /// A CPU thread polls the 64-bit word behind `sq_db` and rings.
        CPU_PROXY = 1,
        /// The kernel writes the doorbell record and the doorbell register.
        GPU_SM_DB = 2,
        /// The kernel copies the WQE to the BlueFlame register.
        GPU_SM_BF = 6,
        /// The kernel writes the doorbell register only.
        GPU_SM_NO_DBR = 10,
        /// A CPU thread takes WQEs from a ring of ready words behind `sq_db`, in order.
        CPU_PROXY_FREE_FLOW = 17,
    }
}
open_enum! {
    /// Shape and place of a completion queue (`doca_gpu_dev_verbs_cq_type`).
    CqType(u8) {
        /// One 64-byte entry per WQE.
        RING = 0,
        /// One entry, the newest completion.
        COLLAPSED = 1,
        /// One entry in host memory.
        COLLAPSED_HOST = 3,
        /// What the image says; not a value for an image.
        UNKNOWN = 0x80,
    }
}
open_enum! {
    /// Where a queue lives, seen from the GPU (`doca_gpu_dev_verbs_mem_type`).
    MemType(u32) {
        /// Not known.
        AUTO = 0,
        /// Host memory.
        HOST = 1,
        /// GPU memory.
        GPU = 2,
    }
}
open_enum! {
    /// Who may post to one QP at the same time (`doca_gpu_dev_verbs_resource_sharing_mode`).
    SharingMode(u32) {
        /// One thread, or one warp at warp scope.
        EXCLUSIVE = 0,
        /// The threads of one block.
        CTA = 1,
        /// The threads of the GPU.
        GPU = 2,
    }
}
open_enum! {
    /// Who calls a one-sided operation (`doca_gpu_dev_verbs_exec_scope`).
    ExecScope(u32) {
        /// A thread for itself.
        THREAD = 0,
        /// All lanes of a warp together.
        WARP = 1,
    }
}
open_enum! {
    /// Whether the NIC reads the send doorbell record (`doca_gpu_verbs_send_dbr_mode_ext`).
    SendDbrMode(u32) {
        /// It does.
        VALID_DBR = 0,
        /// It does not.
        NO_DBR_HW = 1,
        /// It does, and the CPU proxy writes it after the GPU has rung.
        NO_DBR_SW_EMULATED = 2,
    }
}

/// Completion queue image (`doca_gpu_dev_verbs_cq`). Pointers are as the kernel's device sees them.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct CqImage {
    /// First entry.
    pub cqe_daddr: *mut u8,
    /// CQ number.
    pub cq_num: u32,
    /// Entries, a power of two; the memory starts as 0xff.
    pub cqe_num: u32,
    /// Doorbell record of the CQ; unused where the CQ ignores overrun.
    pub dbrec: *mut u32,
    /// Every entry below this index is known to be a success.
    pub cqe_ci: u64,
    /// `cqe_num - 1`.
    pub cqe_mask: u32,
    /// Bytes of an entry: 64.
    pub cqe_size: u8,
    /// Shape of the queue.
    pub cq_type: CqType,
    /// Zero.
    pub reserved1: [u8; 2],
    /// Next entry that `poll_cq(count)` hands out.
    pub cqe_rsvd: u64,
    /// Where the entries lie.
    pub mem_type: MemType,
    /// First error that device code has seen, see [`CqImage::first_error`].
    pub first_error: u32,
    /// Index of the second slot of the latest work request of two slots; 0 before the first.
    pub second_slot: u64,
}

/// An error CQE as device code keeps it in the image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CqError {
    /// Syndrome of the error CQE; 5 is a flush.
    pub syndrome: u8,
    /// Vendor's syndrome.
    pub vendor_err_synd: u8,
    /// Hardware's syndrome.
    pub hw_err_synd: u8,
}

impl CqImage {
    /// The first error that device code has seen on this CQ.
    pub fn first_error(&self) -> Option<CqError> {
        let word = self.first_error;
        (word >> 31 == 1).then_some(CqError {
            syndrome: word as u8,
            vendor_err_synd: (word >> 8) as u8,
            hw_err_synd: (word >> 16) as u8,
        })
    }
}

/// Queue pair image (`doca_gpu_dev_verbs_qp`). Pointers are as the kernel's device sees them.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct QpImage {
    /// Next slot to hand out.
    pub sq_rsvd_index: u64,
    /// Every WQE below this index is written.
    pub sq_ready_index: u64,
    /// Every WQE below this index has been rung.
    pub sq_wqe_pi: u64,
    /// QP number.
    pub sq_num: u32,
    /// QP number << 8.
    pub sq_num_shift8: u32,
    /// The same, big-endian.
    pub sq_num_shift8_be: u32,
    /// Second control dword, big-endian, of WQEs of 1 to 5 segments (`sq_num_shift8_be_1ds` and on).
    pub sq_num_shift8_be_ds: [u32; 5],
    /// Held by who rings.
    pub sq_lock: i32,
    /// Slots, a power of two.
    pub sq_wqe_num: u16,
    /// `sq_wqe_num - 1`.
    pub sq_wqe_mask: u16,
    /// First slot.
    pub sq_wqe_daddr: *mut u8,
    /// The send dword of the doorbell record.
    pub sq_dbrec: *mut u32,
    /// Doorbell or BlueFlame register, proxy word, or proxy ready ring, by `nic_handler`.
    pub sq_db: *mut u64,
    /// Zero.
    pub reserved1: [u8; 8],
    /// Zero.
    pub reserved2: [u8; 64],
    /// The send CQ.
    pub cq_sq: CqImage,
    /// Zero.
    pub reserved3: [u8; 64],
    /// Who rings, and how.
    pub nic_handler: NicHandler,
    /// Where the slots lie.
    pub mem_type: MemType,
}

impl QpImage {
    /// Sets the QP number and every field that is made of it.
    pub fn set_number(&mut self, qpn: u32) {
        self.sq_num = qpn;
        self.sq_num_shift8 = qpn << 8;
        self.sq_num_shift8_be = self.sq_num_shift8.to_be();
        for (ds, field) in (1u32..).zip(self.sq_num_shift8_be_ds.iter_mut()) {
            *field = (self.sq_num_shift8 | ds).to_be();
        }
    }
}

impl Default for CqImage {
    fn default() -> Self {
        Self {
            cqe_daddr: std::ptr::null_mut(),
            cq_num: 0,
            cqe_num: 0,
            dbrec: std::ptr::null_mut(),
            cqe_ci: 0,
            cqe_mask: 0,
            cqe_size: SLOT_BYTES as u8,
            cq_type: CqType::RING,
            reserved1: [0; 2],
            cqe_rsvd: 0,
            mem_type: MemType::AUTO,
            first_error: 0,
            second_slot: 0,
        }
    }
}

impl Default for QpImage {
    fn default() -> Self {
        Self {
            sq_rsvd_index: 0,
            sq_ready_index: 0,
            sq_wqe_pi: 0,
            sq_num: 0,
            sq_num_shift8: 0,
            sq_num_shift8_be: 0,
            sq_num_shift8_be_ds: [0; 5],
            sq_lock: 0,
            sq_wqe_num: 0,
            sq_wqe_mask: 0,
            sq_wqe_daddr: std::ptr::null_mut(),
            sq_dbrec: std::ptr::null_mut(),
            sq_db: std::ptr::null_mut(),
            reserved1: [0; 8],
            reserved2: [0; 64],
            cq_sq: CqImage::default(),
            reserved3: [0; 64],
            nic_handler: NicHandler::AUTO,
            mem_type: MemType::AUTO,
        }
    }
}

/// A registered buffer as kernels take it (`doca_gpu_dev_verbs_addr`).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[repr(C)]
pub struct AddrImage {
    /// Address in the memory key's space.
    pub addr: u64,
    /// Memory key, big-endian.
    pub key: u32,
}

const _: () = {
    assert!(size_of::<AddrImage>() == 16);
    assert!(size_of::<CqImage>() == 64);
    assert!(offset_of!(CqImage, dbrec) == 0x10);
    assert!(offset_of!(CqImage, cqe_ci) == 0x18);
    assert!(offset_of!(CqImage, cqe_mask) == 0x20);
    assert!(offset_of!(CqImage, cqe_size) == 0x24);
    assert!(offset_of!(CqImage, cq_type) == 0x25);
    assert!(offset_of!(CqImage, cqe_rsvd) == 0x28);
    assert!(offset_of!(CqImage, mem_type) == 0x30);
    assert!(offset_of!(CqImage, first_error) == 0x34);
    assert!(offset_of!(CqImage, second_slot) == 0x38);
    assert!(size_of::<QpImage>() == 296);
    assert!(offset_of!(QpImage, sq_num) == 0x18);
    assert!(offset_of!(QpImage, sq_num_shift8_be_ds) == 0x24);
    assert!(offset_of!(QpImage, sq_lock) == 0x38);
    assert!(offset_of!(QpImage, sq_wqe_num) == 0x3c);
    assert!(offset_of!(QpImage, sq_wqe_daddr) == 0x40);
    assert!(offset_of!(QpImage, sq_dbrec) == 0x48);
    assert!(offset_of!(QpImage, sq_db) == 0x50);
    assert!(offset_of!(QpImage, cq_sq) == 0xa0);
    assert!(offset_of!(QpImage, nic_handler) == 0x120);
    assert!(offset_of!(QpImage, mem_type) == 0x124);
};
