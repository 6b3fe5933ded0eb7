//! GPU-initiated networking: the open backend and the safe Rust API.
//!
//! A [`Gpu`] is opened by id, a [`Nic`] by name from [`Nics`]; a [`Pd`] and a [`NetDevice`] on it are what queues are made
//! from: [`Umem`], [`Uar`], [`Cq`], [`Qp`]. Handles keep what they need alive; `destroy` refuses with [`Error::InUse`] while
//! something made from a handle lives, and dropping a handle destroys it when its last user goes.

pub mod backend;
pub mod environment;
pub mod sys;

mod ah;
mod comp_channel;
mod connect;
mod cq;
mod device_attr;
mod devx;
mod error;
mod export;
mod gpu;
mod high_level;
mod memory_region;
mod net_device;
mod nic;
mod object;
mod open;
mod proxy;
mod qp;
mod qp_attr;
mod srq;
mod uar;
mod umem;
mod version;

pub use ah::{AddressType, AhAttr};
pub use comp_channel::CompChannel;
pub use connect::{ConnectAttr, Endpoint};
pub use cq::{Cq, CqArm, CqAttr};
pub use device_attr::DeviceAttributes;
pub use environment::{Environment, NicChoice};
pub use error::{Error, ErrorKind, Refused, Result};
pub use export::{DeviceQps, ExportAttr, ExportedQp, QpErrorInfo};
pub use gpu::{Allocation, Gpu, GpuPlatform, Memory, MemoryKind};
pub use high_level::{HighLevelAttr, HighLevelQp, QpGroup, QpGroupList, QpList};
pub use memory_region::{Access, MemoryRegion};
pub use net_device::NetDevice;
pub use nic::{LinkLayer, Nic, NicInfo, Nics, PORT, Pd, PortAttributes};
pub use proxy::{IDLE_AFTER, IDLE_POLL, ProxyService};
pub use qp::{OrderingSemantic, Qp, QpInitAttr, QpSendDbrMode};
pub use qp_attr::{AtomicMode, AttrMask, Mtu, QpAttr, QpState};
pub use srq::{Srq, SrqAttr, SrqKind};
pub use uar::{Uar, UarKind};
pub use umem::{RawRegion, Registration, Umem};
pub use version::{check_device_code, check_host_code, library_version};
