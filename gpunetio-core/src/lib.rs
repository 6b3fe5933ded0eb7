//! GPU-initiated networking: the open backend and the safe Rust API.
//!
//! A [`Gpu`] is opened by id, a [`Nic`] by name from [`Nics`]; a [`Pd`] and a [`NetDevice`] on it are what queues are made
//! from: [`Umem`], [`Uar`], [`Cq`], [`Qp`]. Handles keep what they need alive; `destroy` refuses with [`Error::InUse`] while
//! something made from a handle lives, and dropping a handle destroys it when its last user goes.
//!
//! Connected queue pairs for kernels, on the software NIC and the CPU executor:
//!
//! ```
//! use gpunetio_core::*;
//! # fn main() -> Result<()> {
//! let gpu = Gpu::open("cpu")?;
//! let environment = Environment::read()?;
//! let software = gpunetio_softnic::provider((&environment).into());
//! // `environment.nic` in place of the constant lets the user choose.
//! let nics = Nics::discover(NicChoice::Software, Some(software))?;
//! let nic = nics.open_first()?;
//! let (sgid_index, gid) = nic.roce_v2_gid()?;
//! let pd = nic.alloc_pd()?;
//! let net = NetDevice::open(&pd)?;
//!
//! let memory = gpu.allocate(MemoryKind::Gpu, 1 << 20, 4096)?;
//! let region = MemoryRegion::register(&pd, &memory, Access::ALL)?;
//!
//! let attr = HighLevelAttr::new(&gpu, &net, 64);
//! let (ours, peers) = (QpList::create(&attr, 4)?, QpList::create(&attr, 4)?);
//! let connect = ConnectAttr { sgid_index, path_mtu: Mtu::M1024, ..ConnectAttr::default() };
//! for (a, b) in ours.qps().iter().zip(peers.qps()) {
//!     a.qp().connect(&b.qp().endpoint(gid, 0), &connect)?;
//!     b.qp().connect(&a.qp().endpoint(gid, 0), &connect)?;
//! }
//! let images = ours.export(&attr)?; // a `doca_gpu_dev_verbs_qp[4]` at images.gpu_address()
//! # assert_eq!(images.len(), 4);
//! // Kernels post to the images with region.iova() and the keys in the byte order of work requests:
//! let (_lkey, _rkey) = (region.lkey().to_be(), region.rkey().to_be());
//! // Afterwards:
//! for qp in ours.qps() {
//!     assert!(!qp.last_error()?.has_error);
//! }
//! # Ok(())
//! # }
//! ```

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
pub use gpu::{Allocation, DmaBuf, Gpu, GpuPlatform, Memory, MemoryKind};
pub use gpunetio_prm::id::{Gid, Mkey, Qpn};
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
