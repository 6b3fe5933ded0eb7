//! Network devices: which provider, which device, its port, GIDs and protection domains.
#![allow(unsafe_code)]

use core::ffi::CStr;
use std::ptr::NonNull;
use std::sync::Arc;

use gpunetio_prm::command::{MtuCode, Opcode, RoceVersion};
use gpunetio_prm::id::{Gid, Pdn};
use gpunetio_prm::layout::roce::{
    QueryRoceAddressIn, QueryRoceAddressOut, RoceAddrLayout, query_roce_address_in,
    query_roce_address_out, roce_addr_layout,
};
use gpunetio_prm::layout::{FieldInfo, Layout, View};

use crate::environment::NicChoice;
use crate::error::{Error, ErrorKind, Refused, Result};
use crate::sys::{self, Properties, Provider};

/// The port that every call here is about: ConnectX devices have one port per device.
pub const PORT: u8 = 1;

/// A provider of NICs, chosen once.
#[derive(Debug, Clone)]
pub struct Nics {
    provider: Provider,
    why: String,
}

/// A device of a provider.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct NicInfo {
    /// Name, such as `mlx5_0`.
    pub name: String,
    /// True if the device speaks the mlx5 interface.
    pub is_mlx5: bool,
}

impl Nics {
    /// Chooses between the system's NICs and `software`.
    ///
    /// With [`NicChoice::Auto`] the hardware is taken if libibverbs lists an mlx5 device, else `software`; one log line
    /// says which and why.
    pub fn discover(choice: NicChoice, software: Option<Provider>) -> Result<Self> {
        let absent = "the software NIC is not part of this program";
        let chosen = match choice {
            NicChoice::Software => {
                let provider = software.ok_or_else(|| Error::NotSupported(absent.to_owned()))?;
                Self { provider, why: "asked for".to_owned() }
            }
            NicChoice::Hardware => {
                let nics = Self { provider: sys::load_hardware()?, why: "asked for".to_owned() };
                if !nics.list()?.iter().any(|nic| nic.is_mlx5) {
                    return Err(Error::NotFound {
                        object: "mlx5 device",
                        name: None,
                        hint: "libibverbs lists none: check the driver with `ibv_devices`, or use \
                               GPUNETIO_NIC=softnic"
                            .to_owned(),
                    });
                }
                nics
            }
            NicChoice::Auto => {
                let reason = match sys::load_hardware() {
                    Ok(provider) => {
                        let nics =
                            Self { provider, why: "libibverbs lists an mlx5 device".to_owned() };
                        match nics.list() {
                            Ok(list) if list.iter().any(|nic| nic.is_mlx5) => {
                                log::info!("nic: hardware, as {}", nics.why);
                                return Ok(nics);
                            }
                            Ok(_) => "libibverbs lists no mlx5 device".to_owned(),
                            // What to do about it is for who wants the hardware.
                            Err(Error::NotFound { .. }) => {
                                "the system has no RDMA driver".to_owned()
                            }
                            Err(error) => error.to_string(),
                        }
                    }
                    Err(error) => error.to_string(),
                };
                match software {
                    Some(provider) => Self { provider, why: reason },
                    None => {
                        return Err(Error::NotFound {
                            object: "NIC",
                            name: None,
                            hint: format!("{reason}, and {absent}"),
                        });
                    }
                }
            }
        };
        log::info!("nic: {}, as {}", chosen.provider.name, chosen.why);
        Ok(chosen)
    }

    /// The NICs of a given provider.
    pub fn from_provider(provider: Provider) -> Self {
        Self { provider, why: "given by the program".to_owned() }
    }

    /// Name of the provider.
    pub fn provider_name(&self) -> &'static str {
        self.provider.name
    }

    /// What differs from hardware.
    pub fn properties(&self) -> Properties {
        self.provider.properties
    }

    /// Why this provider was chosen.
    pub fn why(&self) -> &str {
        &self.why
    }

    /// Runs `f` on every device; the list is freed afterwards.
    fn with_devices<R>(&self, f: impl FnOnce(&[*mut sys::ibv_device]) -> R) -> Result<R> {
        let mut count = 0;
        // SAFETY: `count` is writable (ibv_get_device_list contract).
        let list = unsafe { (self.provider.verbs.get_device_list)(&mut count) };
        if list.is_null() {
            let error = Error::last_os("ibv_get_device_list", self.provider.name);
            return Err(match error.kind() {
                // ENOSYS: the kernel has no uverbs devices at all.
                ErrorKind::NotSupported => Error::NotFound {
                    object: "RDMA driver",
                    name: None,
                    hint: format!("{error}: load mlx5_ib, or use GPUNETIO_NIC=softnic"),
                },
                _ => error,
            });
        }
        // SAFETY: the list has `count` entries and lives until it is freed below.
        let result = f(unsafe { core::slice::from_raw_parts(list, count.max(0) as usize) });
        // SAFETY: freed once; opened devices keep their own reference.
        unsafe { (self.provider.verbs.free_device_list)(list) };
        Ok(result)
    }

    fn info(&self, device: *mut sys::ibv_device) -> NicInfo {
        // SAFETY: `device` comes from a live list; the name is NUL-terminated and lives with the device.
        let name = unsafe { CStr::from_ptr((self.provider.verbs.get_device_name)(device)) };
        let name = name.to_string_lossy().into_owned();
        let is_mlx5 = match self.provider.mlx5.is_supported {
            // SAFETY: as above.
            Some(is_supported) => unsafe { is_supported(device) },
            None => name.starts_with("mlx5"),
        };
        NicInfo { name, is_mlx5 }
    }

    /// Lists the provider's devices.
    pub fn list(&self) -> Result<Vec<NicInfo>> {
        self.with_devices(|devices| devices.iter().map(|d| self.info(*d)).collect())
    }

    /// Opens the device of that name.
    pub fn open(&self, name: &str) -> Result<Nic> {
        self.with_devices(|devices| {
            let names: Vec<_> = devices.iter().map(|d| self.info(*d)).collect();
            let Some(at) = names.iter().position(|info| info.name == name) else {
                let all: Vec<_> = names.into_iter().map(|n| n.name).collect();
                let hint = format!("{} has [{}]", self.provider.name, all.join(", "));
                return Err(Error::NotFound { object: "NIC", name: Some(name.to_owned()), hint });
            };
            if !names[at].is_mlx5 {
                return Err(Error::NotSupported(format!(
                    "{name} is not an mlx5 device: GPU-initiated networking needs its DEVX commands"
                )));
            }
            let mut attr =
                sys::mlx5dv_context_attr { flags: sys::MLX5DV_CONTEXT_FLAGS_DEVX, comp_mask: 0 };
            // SAFETY: the device comes from a live list; `attr` is valid for the call.
            let context = unsafe {
                match self.provider.mlx5.open_device {
                    Some(open) => open(devices[at], &mut attr),
                    None => (self.provider.verbs.open_device)(devices[at]),
                }
            };
            let Some(context) = NonNull::new(context) else {
                return Err(Error::last_os("mlx5dv_open_device", name));
            };
            let (provider, name) = (self.provider, name.to_owned());
            Ok(Nic { inner: Arc::new(NicInner { provider, context, name, owned: true }) })
        })?
    }

    /// Opens the first mlx5 device.
    pub fn open_first(&self) -> Result<Nic> {
        match self.list()?.into_iter().find(|nic| nic.is_mlx5) {
            Some(nic) => self.open(&nic.name),
            None => Err(Error::NotFound {
                object: "mlx5 device",
                name: None,
                hint: format!("{} lists none", self.provider.name),
            }),
        }
    }

    /// Takes a protection domain that other code made with the same provider, as the C API does. It stays the caller's.
    ///
    /// [`Error::Foreign`] if its context is of a device that this provider does not list, which happens where two
    /// libibverbs are loaded in one process.
    ///
    /// # Safety
    /// `pd` is NULL or a live PD of some libibverbs, and outlives what is made from it.
    pub unsafe fn adopt_pd(&self, pd: *mut sys::ibv_pd) -> Result<Pd> {
        let pd = NonNull::new(pd)
            .ok_or_else(|| Error::invalid("pd", "NULL", "give a protection domain"))?;
        // SAFETY: the caller guarantees a live PD; its context and device live as long.
        let context = unsafe { pd.as_ref() }.context;
        let context = NonNull::new(context)
            .ok_or_else(|| Error::invalid("context of pd", "NULL", "give a live pd"))?;
        // SAFETY: as above.
        let device = unsafe { context.as_ref() }.device;
        if !self.with_devices(|devices| devices.contains(&device))? {
            return Err(Error::Foreign {
                object: format!("pd {pd:p}"),
                owner: "another verbs library".to_owned(),
                here: self.provider.name.to_owned(),
            });
        }
        let name = self.info(device).name;
        let nic = NicInner { provider: self.provider, context, name, owned: false };
        Pd::new(Arc::new(nic), pd, false)
    }
}

/// An open device.
#[derive(Debug)]
pub struct Nic {
    inner: Arc<NicInner>,
}

#[derive(Debug)]
pub(crate) struct NicInner {
    pub(crate) provider: Provider,
    pub(crate) context: NonNull<sys::ibv_context>,
    pub(crate) name: String,
    owned: bool,
}

// SAFETY: verbs and mlx5dv calls on a context are thread-safe (rdma-core: "all verbs are fully thread safe").
unsafe impl Send for NicInner {}
// SAFETY: as for Send.
unsafe impl Sync for NicInner {}

impl NicInner {
    fn close(&mut self) -> Result<()> {
        if !core::mem::take(&mut self.owned) {
            return Ok(());
        }
        // SAFETY: the context is open and every child holds this object, so none is alive.
        match unsafe { (self.provider.verbs.close_device)(self.context.as_ptr()) } {
            0 => Ok(()),
            rc => Err(Error::code("ibv_close_device", &self.name, rc)),
        }
    }
}

impl Drop for NicInner {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            log::error!("{error}");
        }
    }
}

/// Link layer of a port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LinkLayer {
    /// InfiniBand.
    InfiniBand,
    /// Ethernet: RoCE.
    Ethernet,
}

/// Attributes of the port.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[non_exhaustive]
pub struct PortAttributes {
    /// True if the link is up.
    pub active: bool,
    /// MTU in use, bytes; 0 if the port reports none that is known.
    pub active_mtu: u32,
    /// Largest MTU, bytes.
    pub max_mtu: u32,
    /// Entries of the GID table.
    pub gid_table_len: u32,
    /// LID; 0 on Ethernet.
    pub lid: u16,
    /// Link layer.
    pub link_layer: LinkLayer,
}

impl Nic {
    /// Name of the device.
    pub fn name(&self) -> &str {
        &self.inner.name
    }

    /// Name of the provider.
    pub fn provider_name(&self) -> &'static str {
        self.inner.provider.name
    }

    /// What differs from hardware.
    pub fn properties(&self) -> Properties {
        self.inner.provider.properties
    }

    /// Attributes of the port.
    pub fn port(&self) -> Result<PortAttributes> {
        self.inner.port()
    }

    /// Entry of the GID table.
    pub fn gid(&self, index: u8) -> Result<Gid> {
        self.inner.gid(index)
    }

    /// A RoCE v2 entry of the GID table: an IPv4 one if there is, else the first.
    pub fn roce_v2_gid(&self) -> Result<(u8, Gid)> {
        let entries = self.port()?.gid_table_len.min(256) as u16;
        let mut first = None;
        for index in (0..entries).map(|i| i as u8) {
            let Ok(gid) = self.gid(index) else { continue };
            if gid == Gid::default() || self.inner.roce_version(index)? != RoceVersion::V2 {
                continue;
            }
            if gid.0[..10] == [0; 10] && gid.0[10..12] == [0xff; 2] {
                return Ok((index, gid));
            }
            first = first.or(Some((index, gid)));
        }
        first.ok_or_else(|| Error::NotFound {
            object: "RoCE v2 GID",
            name: None,
            hint: format!("{} has none in its {entries} entries: give it an address", self.name()),
        })
    }

    /// Allocates a protection domain.
    pub fn alloc_pd(&self) -> Result<Pd> {
        // SAFETY: the context is open.
        let pd = unsafe { (self.inner.provider.verbs.alloc_pd)(self.inner.context.as_ptr()) };
        match NonNull::new(pd) {
            Some(pd) => Pd::new(Arc::clone(&self.inner), pd, true),
            None => Err(Error::last_os("ibv_alloc_pd", self.name())),
        }
    }

    /// Closes the device; [`Error::InUse`] while a PD of it lives.
    pub fn close(self) -> Result<(), Refused<Self>> {
        match Arc::try_unwrap(self.inner) {
            Ok(mut inner) => inner.close().map_err(|error| {
                inner.owned = true;
                Refused::new(Self { inner: Arc::new(inner) }, error)
            }),
            Err(inner) => {
                let error = Error::InUse {
                    object: format!("nic {}", inner.name),
                    users: Arc::strong_count(&inner) - 1,
                };
                Err(Refused::new(Self { inner }, error))
            }
        }
    }
}

impl NicInner {
    pub(crate) fn port(&self) -> Result<PortAttributes> {
        let mut attr = sys::ibv_port_attr_compat::default();
        // SAFETY: the context is open and `attr` is what the versioned symbol fills.
        let rc =
            unsafe { (self.provider.verbs.query_port)(self.context.as_ptr(), PORT, &mut attr) };
        if rc != 0 {
            return Err(Error::code("ibv_query_port", format!("{} port {PORT}", self.name), rc));
        }
        // `ibv_mtu` has the codes of `qpc.mtu`; 0 bytes for one that is not known.
        let bytes =
            |code: i32| u8::try_from(code).ok().and_then(|code| MtuCode(code).bytes()).unwrap_or(0);
        Ok(PortAttributes {
            active: attr.state == sys::IBV_PORT_ACTIVE,
            active_mtu: bytes(attr.active_mtu),
            max_mtu: bytes(attr.max_mtu),
            gid_table_len: attr.gid_tbl_len.max(0) as u32,
            lid: attr.lid,
            link_layer: if attr.link_layer == sys::IBV_LINK_LAYER_ETHERNET {
                LinkLayer::Ethernet
            } else {
                LinkLayer::InfiniBand
            },
        })
    }

    pub(crate) fn gid(&self, index: u8) -> Result<Gid> {
        let mut gid = sys::ibv_gid::default();
        // SAFETY: the context is open and `gid` is writable.
        let rc = unsafe {
            (self.provider.verbs.query_gid)(self.context.as_ptr(), PORT, index.into(), &mut gid)
        };
        match rc {
            0 => Ok(Gid(gid.raw)),
            rc => Err(Error::code("ibv_query_gid", format!("{} index {index}", self.name), rc)),
        }
    }

    /// RoCE version of an entry of the GID table.
    pub(crate) fn roce_version(&self, index: u8) -> Result<RoceVersion> {
        let mut cmd = View::<QueryRoceAddressIn, Vec<u8>>::zeroed();
        cmd.set(query_roce_address_in::OPCODE, Opcode::QUERY_ROCE_ADDRESS)?;
        cmd.set(query_roce_address_in::ROCE_ADDRESS_INDEX, index)?;
        let out = self.devx_general::<RoceAddressReply>(cmd.as_bytes())?;
        let entry = View::<RoceAddrLayout, _>::new(&out.as_bytes()[QueryRoceAddressOut::BYTES..])?;
        Ok(RoceVersion(entry.get(roce_addr_layout::ROCE_VERSION) as u8))
    }
}

/// Output of QUERY_ROCE_ADDRESS with one entry behind its header.
enum RoceAddressReply {}
impl Layout for RoceAddressReply {
    const NAME: &'static str = "query_roce_address_out with one entry";
    const BITS: u32 = QueryRoceAddressOut::BITS + RoceAddrLayout::BITS;
    const FIELDS: &'static [FieldInfo] = QueryRoceAddressOut::FIELDS;
}
const _: () = {
    let last = query_roce_address_out::ROCE_ADDRESS_NUM.info();
    assert!(last.bit_offset + last.bit_width <= QueryRoceAddressOut::BITS);
};

/// A protection domain.
#[derive(Debug)]
pub struct Pd {
    pub(crate) inner: Arc<PdInner>,
}

#[derive(Debug)]
pub(crate) struct PdInner {
    pub(crate) nic: Arc<NicInner>,
    pub(crate) pd: NonNull<sys::ibv_pd>,
    pub(crate) pdn: Pdn,
    owned: bool,
}

// SAFETY: as for NicInner; a PD is a handle of its context.
unsafe impl Send for PdInner {}
// SAFETY: as for Send.
unsafe impl Sync for PdInner {}

impl Pd {
    fn new(nic: Arc<NicInner>, pd: NonNull<sys::ibv_pd>, owned: bool) -> Result<Self> {
        let mut inner = PdInner { nic, pd, pdn: Pdn(0), owned };
        let mut out = sys::mlx5dv_pd::default();
        let mut obj = sys::mlx5dv_obj {
            pd: sys::mlx5dv_obj_pair { input: pd.as_ptr(), output: &mut out },
            ..Default::default()
        };
        // SAFETY: the PD is alive and `out` is what MLX5DV_OBJ_PD fills.
        let rc = unsafe { (inner.nic.provider.mlx5.init_obj)(&mut obj, sys::MLX5DV_OBJ_PD) };
        if rc != 0 {
            return Err(Error::code("mlx5dv_init_obj", format!("pd of {}", inner.nic.name), rc));
        }
        inner.pdn = Pdn(out.pdn);
        Ok(Self { inner: Arc::new(inner) })
    }

    /// Number of the protection domain.
    pub fn pdn(&self) -> Pdn {
        self.inner.pdn
    }

    /// The verbs object, for code that calls libibverbs itself.
    pub fn as_raw(&self) -> *mut sys::ibv_pd {
        self.inner.pd.as_ptr()
    }

    /// Frees the protection domain; [`Error::InUse`] while something made from it lives.
    pub fn dealloc(self) -> Result<(), Refused<Self>> {
        match Arc::try_unwrap(self.inner) {
            Ok(mut inner) => inner.close().map_err(|error| {
                inner.owned = true;
                Refused::new(Self { inner: Arc::new(inner) }, error)
            }),
            Err(inner) => {
                let error = Error::InUse {
                    object: format!("pd {} of {}", inner.pdn, inner.nic.name),
                    users: Arc::strong_count(&inner) - 1,
                };
                Err(Refused::new(Self { inner }, error))
            }
        }
    }
}

impl PdInner {
    fn close(&mut self) -> Result<()> {
        if !core::mem::take(&mut self.owned) {
            return Ok(());
        }
        // SAFETY: the PD is alive and every child holds this object, so none is alive.
        match unsafe { (self.nic.provider.verbs.dealloc_pd)(self.pd.as_ptr()) } {
            0 => Ok(()),
            rc => {
                Err(Error::code("ibv_dealloc_pd", format!("{} of {}", self.pdn, self.nic.name), rc))
            }
        }
    }
}

impl Drop for PdInner {
    fn drop(&mut self) {
        if let Err(error) = self.close() {
            log::error!("{error}");
        }
    }
}
