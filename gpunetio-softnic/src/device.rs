//! A device and the fabric of all devices of a process.

use gpunetio_prm::id::{Eqn, Gid, Pdn, UarPage};

use crate::diagnostic::Diagnostics;
use crate::memory::MemoryTable;
use crate::object::{Cq, Qp, ReadyQueue, Rmp, Uar, Umem};
use crate::port::{self, Port};
use crate::slab::Slab;

/// What the software NIC is made like.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Config {
    /// Devices, named `mlx5_0` and up; 1 to 64.
    pub devices: usize,
    /// Report a client's mistakes that hardware lets pass (see [`crate::diagnostic`]).
    pub strict: bool,
    /// Addresses of each device's port; `None` takes the host's.
    pub addresses: Option<Vec<Vec<core::net::IpAddr>>>,
}

impl Default for Config {
    fn default() -> Self {
        Self { devices: 1, strict: false, addresses: None }
    }
}

/// `GPUNETIO_SOFTNIC_DEVICES` and `GPUNETIO_SOFTNIC_STRICT`; the addresses are the host's.
#[cfg(feature = "provider")]
impl From<&gpunetio_core::Environment> for Config {
    fn from(environment: &gpunetio_core::Environment) -> Self {
        Self {
            devices: environment.softnic_devices as usize,
            strict: environment.softnic_strict,
            ..Self::default()
        }
    }
}

/// Largest value of [`Config::devices`].
pub const MAX_DEVICES: usize = 64;

/// Capabilities: what commands check and QUERY_HCA_CAP reports. Fixed; one place for both.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Limits {
    /// log2 of QPs.
    pub log_max_qp: u8,
    /// log2 of the basic blocks of a send queue and of the WQEs of a receive queue.
    pub log_max_qp_sz: u8,
    /// log2 of CQs.
    pub log_max_cq: u8,
    /// log2 of the entries of a CQ.
    pub log_max_cq_sz: u8,
    /// log2 of RMPs.
    pub log_max_rmp: u8,
    /// log2 of the WQEs of an RMP.
    pub log_max_srq_sz: u8,
    /// log2 of PDs.
    pub log_max_pd: u8,
    /// log2 of memory regions.
    pub log_max_mkey: u8,
    /// log2 of UAR pages.
    pub log_max_uar: u8,
    /// log2 of umems.
    pub log_max_umem: u8,
    /// log2 of READs and atomics outstanding as initiator.
    pub log_max_ra_req_qp: u8,
    /// log2 of READs and atomics outstanding as target.
    pub log_max_ra_res_qp: u8,
    /// log2 of the largest message.
    pub log_max_msg: u8,
    /// log2 of the bytes of a doorbell register pair (BlueFlame).
    pub log_bf_reg_size: u8,
    /// Bytes of the largest WQE, send and receive.
    pub max_wqe_sz: u16,
    /// Partition keys.
    pub pkeys: u16,
}

/// The limits of every device.
pub const LIMITS: Limits = Limits {
    log_max_qp: 17,
    log_max_qp_sz: 15,
    log_max_cq: 20,
    log_max_cq_sz: 22,
    log_max_rmp: 16,
    log_max_srq_sz: 15,
    log_max_pd: 20,
    log_max_mkey: 23,
    log_max_uar: 16,
    log_max_umem: 20,
    log_max_ra_req_qp: 4,
    log_max_ra_res_qp: 4,
    log_max_msg: 30,
    log_bf_reg_size: 9,
    max_wqe_sz: 512,
    pkeys: 128,
};

/// The one completion event queue.
pub const EQN: Eqn = Eqn(3);

// First numbers of the tables. They differ, so that a number used for another kind of object meets an empty place.
const FIRST_PDN: u32 = 0x7;
const FIRST_UMEM: u32 = 1;
const FIRST_UAR: u32 = 0x10;
const FIRST_CQN: u32 = 0x400;
const FIRST_QPN: u32 = 0x100;
const FIRST_RMPN: u32 = 0x2000;

/// A protection domain.
#[derive(Debug)]
pub struct Pd {
    /// Number.
    pub pdn: Pdn,
    /// Memory regions, queues and address handles that belong to it.
    pub users: u32,
}

/// A device: its objects by number.
#[derive(Debug)]
pub struct Device {
    /// Place in [`Fabric::devices`]; the device is `mlx5_<index>`.
    pub index: usize,
    /// Its port.
    pub port: Port,
    /// What it can do.
    pub limits: Limits,
    /// False once it was removed: commands fail and doorbells flush.
    pub alive: bool,
    /// Protection domains.
    pub pds: Slab<Pd>,
    /// Memory of queues.
    pub umems: Slab<Umem>,
    /// Memory regions.
    pub memory: MemoryTable,
    /// Doorbell pages.
    pub uars: Slab<Uar>,
    /// Pages that came or went since whoever polls them last looked.
    pub(crate) changed_uars: Vec<UarPage>,
    /// Completion queues.
    pub cqs: Slab<Cq>,
    /// Queue pairs.
    pub qps: Slab<Qp>,
    /// Shared receive queues.
    pub rmps: Slab<Rmp>,
    /// What strict mode found.
    pub diagnostics: Diagnostics,
}

impl Device {
    /// A device without objects.
    pub fn new(index: usize, port: Port, strict: bool) -> Self {
        let limits = LIMITS;
        let table = |log: u8| 1usize << log;
        Self {
            index,
            port,
            limits,
            alive: true,
            pds: Slab::new(FIRST_PDN, table(limits.log_max_pd)),
            umems: Slab::new(FIRST_UMEM, table(limits.log_max_umem)),
            memory: MemoryTable::new(table(limits.log_max_mkey)),
            uars: Slab::new(FIRST_UAR, table(limits.log_max_uar)),
            changed_uars: Vec::new(),
            cqs: Slab::new(FIRST_CQN, table(limits.log_max_cq)),
            qps: Slab::new(FIRST_QPN, table(limits.log_max_qp)),
            rmps: Slab::new(FIRST_RMPN, table(limits.log_max_rmp)),
            diagnostics: Diagnostics::new(strict),
        }
    }
}

/// All devices of a process, and the time.
#[derive(Debug)]
pub struct Fabric {
    /// The devices.
    pub devices: Vec<Device>,
    /// QPs with announced work, in turn.
    pub ready: ReadyQueue,
    /// Timers and buffers of the engine.
    pub engine: crate::engine::Engine,
    /// Nanoseconds since an arbitrary start, set by the caller before each call of the engine.
    pub now: u64,
}

impl Fabric {
    /// The fabric of `config`; its number of devices is brought into 1..=[`MAX_DEVICES`].
    pub fn new(config: &Config) -> Self {
        let count = config.devices.clamp(1, MAX_DEVICES);
        let mut tables = match &config.addresses {
            Some(tables) => tables.clone(),
            None => port::host_addresses(count),
        };
        tables.resize(count, Vec::new());
        let devices = tables
            .iter()
            .enumerate()
            .map(|(index, addresses)| {
                Device::new(index, Port::new(index, addresses), config.strict)
            })
            .collect();
        Self { devices, ready: ReadyQueue::default(), engine: Default::default(), now: 0 }
    }

    /// The device that owns the GID `rgid`, as seen from device `source`: itself if it does (loopback).
    pub fn find_peer(&self, source: usize, rgid: Gid) -> Option<usize> {
        let owns = |device: &Device| device.alive && device.port.owns(rgid);
        if self.devices.get(source).is_some_and(owns) {
            return Some(source);
        }
        self.devices.iter().position(owns)
    }
}

#[cfg(all(test, feature = "provider"))]
mod tests {
    use super::*;

    #[test]
    fn the_environment_makes_a_config() {
        let environment = gpunetio_core::Environment::from_lookup(|name| match name {
            "GPUNETIO_SOFTNIC_DEVICES" => Some("3".into()),
            "GPUNETIO_SOFTNIC_STRICT" => Some("1".into()),
            _ => None,
        });
        let config = Config::from(&environment.unwrap());
        assert_eq!(config, Config { devices: 3, strict: true, addresses: None });
        let default = gpunetio_core::Environment::default();
        assert_eq!(Config::from(&default), Config::default());
    }
}
