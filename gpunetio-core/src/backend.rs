//! Seam 1: what the handles of this crate need from an implementation of verbs.
//!
//! There are two: the open one, which speaks DEVX through the provider tables, and NVIDIA's closed SDK,
//! which `gpunetio-sdk-shim` reaches. Attributes are plain values; a backend keeps no object for them. A backend is bound
//! to one open device and one protection domain, and handles carry theirs.
#![allow(unsafe_code)]

use core::ffi::c_void;
use core::fmt::Debug;
use std::path::PathBuf;
use std::ptr::NonNull;
use std::sync::OnceLock;

use gpunetio_prm::command::{CqState, QpState as PrmQpState, SendDbrMode, ServiceType, WqType};
use gpunetio_prm::id::{Cqn, Qpn, Rmpn, UarPage, UmemId};

use crate::device_attr::DeviceAttributes;
use crate::environment::{Environment, Mode};
use crate::error::{Error, Result};
use crate::qp_attr::{AttrMask, QpAttr, QpState};
use crate::uar::UarKind;

/// An object of a backend: opaque to everything but the backend that made it.
#[derive(Debug)]
pub struct RawObject {
    kind: ObjectKind,
    ptr: NonNull<c_void>,
}

/// What a [`RawObject`] is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ObjectKind {
    /// Memory registered for queues.
    Umem,
    /// Doorbell page.
    Uar,
    /// Completion queue.
    Cq,
    /// Queue pair.
    Qp,
    /// Shared receive queue.
    Srq,
    /// Channel of completion events.
    CompChannel,
}

// SAFETY: the token is only an address; who may use it is the backend's business, and backends are Send and Sync.
unsafe impl Send for RawObject {}
// SAFETY: as for Send.
unsafe impl Sync for RawObject {}

impl RawObject {
    /// Wraps a backend's object. Only the backend that made the token is ever given it back.
    pub fn new(kind: ObjectKind, ptr: NonNull<c_void>) -> Self {
        Self { kind, ptr }
    }

    /// What it is.
    pub fn kind(&self) -> ObjectKind {
        self.kind
    }

    /// The backend's object.
    pub fn as_ptr(&self) -> NonNull<c_void> {
        self.ptr
    }
}

/// Memory to register for queues.
#[derive(Debug, Clone, Copy)]
pub struct UmemSpec {
    /// First byte, as the NIC's driver knows it.
    pub address: usize,
    /// Bytes.
    pub size: usize,
    /// `IBV_ACCESS_*`.
    pub access: u32,
    /// A dma-buf and the offset in it, in place of `address`.
    pub dmabuf: Option<(i32, u64)>,
    /// Host memory of the library's own, registered without options.
    pub private: bool,
}

/// A UAR page as a backend reports it.
#[derive(Debug, Clone, Copy)]
pub struct UarPages {
    /// Id for contexts.
    pub page: UarPage,
    /// The page.
    pub base: *mut u8,
    /// The doorbell register.
    pub register: *mut u64,
}

/// A completion queue to create.
#[derive(Debug, Clone)]
pub struct CqSpec {
    /// log2 of the entries.
    pub log_size: u8,
    /// The NIC does not check for overrun.
    pub overrun_ignore: bool,
    /// Entry 0 always holds the latest completion.
    pub collapsed: bool,
    /// Page of the arm doorbell.
    pub uar: UarPage,
    /// Entries: umem and offset.
    pub entries: (UmemId, u64),
    /// Doorbell record: umem and offset; `None` for the umem of the entries, at `dbr_offset`.
    pub dbr_umem: Option<UmemId>,
    /// Offset of the doorbell record in its umem.
    pub dbr_offset: u64,
    /// Arm state at creation (`cqc.st`).
    pub armed: CqState,
}

/// The receive side of a queue pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ReceiveSpec {
    /// None.
    None,
    /// A receive queue of its own.
    Queue {
        /// log2 of the entries.
        log_size: u8,
        /// log2 of an entry's 16-byte units.
        log_stride: u8,
    },
    /// A shared one.
    Shared(Rmpn),
}

/// A queue pair to create.
#[derive(Debug, Clone)]
pub struct QpSpec {
    /// Transport service.
    pub service: ServiceType,
    /// log2 of the send queue's basic blocks; `None` for no send queue.
    pub log_sq_size: Option<u8>,
    /// Receive side.
    pub receive: ReceiveSpec,
    /// Completions of sends.
    pub send_cq: Option<Cqn>,
    /// Completions of receives.
    pub receive_cq: Option<Cqn>,
    /// Page of the doorbell.
    pub uar: UarPage,
    /// Doorbell record mode.
    pub send_dbr_mode: SendDbrMode,
    /// The queue waits for others (WAIT).
    pub core_direct_master: bool,
    /// What CQEs carry.
    pub user_index: u32,
    /// Work queues: umem and offset; the receive queue lies first.
    pub queue: (UmemId, u64),
    /// Doorbell record: umem and offset.
    pub dbr: (UmemId, u64),
}

/// A shared receive queue to create.
#[derive(Debug, Clone)]
pub struct SrqSpec {
    /// Linked list or cyclic.
    pub wq_type: WqType,
    /// log2 of the entries.
    pub log_size: u8,
    /// log2 of an entry's bytes.
    pub log_stride: u8,
    /// Entries: umem and offset.
    pub queue: (UmemId, u64),
    /// Offset of the doorbell record in the same umem.
    pub dbr_offset: u64,
}

/// What a query of a QP reports.
#[derive(Debug, Clone, Default)]
pub struct QpReport {
    /// Attributes, as [`crate::Qp::modify`] takes them.
    pub attr: QpAttr,
    /// The state in hardware's own terms (SQD and SQER have no name in the public API).
    pub hardware_state: PrmQpState,
    /// User index.
    pub user_index: u32,
}

/// Verbs on one open device and protection domain.
pub trait Backend: Debug + Send + Sync {
    /// Which implementation this is.
    fn kind(&self) -> BackendKind;
    /// Name of the device, for messages.
    fn device_name(&self) -> &str;
    /// Equal for backends whose objects can be used together: same implementation, same open context.
    fn context_identity(&self) -> usize;
    /// Attributes of the device.
    fn device_attributes(&self) -> Result<DeviceAttributes>;
    /// MTU in use at the port, bytes.
    fn active_mtu(&self) -> Result<u32>;
    /// Registers memory for queues.
    fn create_umem(&self, spec: &UmemSpec) -> Result<(RawObject, UmemId)>;
    /// Allocates a doorbell page.
    fn create_uar(&self, kind: UarKind) -> Result<(RawObject, UarPages)>;
    /// Creates a completion queue.
    fn create_cq(&self, spec: &CqSpec) -> Result<(RawObject, Cqn)>;
    /// Creates a queue pair.
    fn create_qp(&self, spec: &QpSpec) -> Result<(RawObject, Qpn)>;
    /// Creates a shared receive queue.
    fn create_srq(&self, spec: &SrqSpec) -> Result<(RawObject, Rmpn)>;
    /// Moves a queue pair; `attr` and `mask` were checked against the transition.
    fn modify_qp(&self, qp: &QpRef<'_>, to: QpState, attr: &QpAttr, mask: AttrMask) -> Result<()>;
    /// Reads a queue pair.
    fn query_qp(&self, qp: &QpRef<'_>) -> Result<QpReport>;
    /// Opens a channel of completion events.
    fn create_comp_channel(&self) -> Result<(RawObject, i32)>;
    /// Makes `cq` report to `channel` with `cookie`.
    fn subscribe_cq(&self, channel: &RawObject, cq: &RawObject, cookie: u64) -> Result<()>;
    /// Takes the next event of `channel`; `None` if none waits. Gives the cookie.
    fn next_event(&self, channel: &RawObject) -> Result<Option<u64>>;
    /// Destroys any object; it comes back if that is refused.
    fn destroy(&self, object: RawObject) -> Result<(), (RawObject, Error)>;
}

/// A queue pair as a backend is asked about it.
#[derive(Debug)]
pub struct QpRef<'a> {
    /// The object.
    pub raw: &'a RawObject,
    /// Its number.
    pub qpn: Qpn,
    /// State that it is in.
    pub state: QpState,
}

/// An implementation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum BackendKind {
    /// This project's.
    Open,
    /// NVIDIA's closed SDK.
    Sdk,
}

/// Which implementation serves which family, decided once.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Route {
    /// Queue pairs, completion queues, GPU memory.
    pub verbs: BackendKind,
    /// Raw Ethernet queues.
    pub ethernet: BackendKind,
    /// The DMA engine.
    pub dma: BackendKind,
    /// Communication channels.
    pub comch: BackendKind,
    /// Why.
    pub why: String,
}

impl Route {
    /// Decides from an environment. An SDK that is demanded and cannot be had is an error, never a silent fallback.
    pub fn decide(environment: &Environment) -> Result<Self> {
        let sdk = |what: String| {
            Err(Error::NotSupported(format!(
                "{what} asks for the closed SDK, which this version does not route to: unset it, or set \
                 GPUNETIO_MODE=open for the open implementation"
            )))
        };
        let path: Option<&PathBuf> = environment.sdk_lib_path.as_ref();
        let why = match (environment.mode, path) {
            (Mode::Open, _) => "GPUNETIO_MODE=open".to_owned(),
            (Mode::Sdk, _) => return sdk("GPUNETIO_MODE=sdk".to_owned()),
            (Mode::Auto, Some(path)) => {
                return sdk(format!("DOCA_SDK_LIB_PATH={}", path.display()));
            }
            (Mode::Auto, None) => "GPUNETIO_MODE=auto and DOCA_SDK_LIB_PATH is not set".to_owned(),
        };
        let open = BackendKind::Open;
        Ok(Self { verbs: open, ethernet: open, dma: open, comch: open, why })
    }

    /// The route of this process: decided from its environment by the first call that succeeds, then fixed.
    pub fn get() -> Result<&'static Self> {
        static ROUTE: OnceLock<Route> = OnceLock::new();
        if let Some(route) = ROUTE.get() {
            return Ok(route);
        }
        let route = Self::decide(&Environment::read()?)?;
        Ok(ROUTE.get_or_init(|| {
            log::info!("route: open, as {}", route.why);
            route
        }))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn auto_without_a_path_is_open_and_says_why() {
        let route = Route::decide(&Environment::default()).unwrap();
        assert_eq!(route.verbs, BackendKind::Open);
        assert!(route.why.contains("DOCA_SDK_LIB_PATH"));
    }

    #[test]
    fn a_demanded_sdk_is_an_error_and_no_fallback() {
        let sdk = Environment { mode: Mode::Sdk, ..Default::default() };
        let path = Environment { sdk_lib_path: Some("/opt/sdk".into()), ..Default::default() };
        for (environment, name) in [(&sdk, "GPUNETIO_MODE=sdk"), (&path, "/opt/sdk")] {
            let message = Route::decide(environment).unwrap_err().to_string();
            assert!(message.contains(name), "{message}");
        }
        let open = Environment { mode: Mode::Open, ..path };
        assert_eq!(Route::decide(&open).unwrap().verbs, BackendKind::Open);
    }
}
