//! Address attributes: where a queue pair's packets go.

use gpunetio_prm::command::PortType;
use gpunetio_prm::id::Gid;

use crate::device_attr::DeviceAttributes;
use crate::error::{Error, Result};

/// What kind of address an [`AhAttr`] holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AddressType {
    /// RoCE v2 over IPv4: the GID is the mapped address.
    #[default]
    Ipv4,
    /// RoCE over IPv6.
    Ipv6,
    /// InfiniBand with a global route.
    IbGrh,
    /// InfiniBand within a subnet.
    IbNoGrh,
}

impl AddressType {
    /// True for the two RoCE kinds.
    pub fn is_roce(self) -> bool {
        matches!(self, Self::Ipv4 | Self::Ipv6)
    }
}

/// Destination and path of a connected queue pair.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AhAttr {
    /// GID of the peer.
    pub gid: Gid,
    /// Kind of address.
    pub address_type: AddressType,
    /// LID of the peer; InfiniBand only.
    pub dlid: u16,
    /// Service level, 4 bits; InfiniBand only.
    pub sl: u8,
    /// Index of our own GID.
    pub sgid_index: u8,
    /// Static rate, 4 bits.
    pub static_rate: u8,
    /// Hop limit (IP TTL).
    pub hop_limit: u8,
    /// Traffic class: DSCP 7:2, ECN 1:0.
    pub traffic_class: u8,
}

impl AhAttr {
    /// A RoCE v2 address.
    pub fn roce(gid: Gid, sgid_index: u8) -> Self {
        let mapped_v4 = gid.0[..10] == [0; 10] && gid.0[10..12] == [0xff; 2];
        let address_type = if mapped_v4 { AddressType::Ipv4 } else { AddressType::Ipv6 };
        Self { gid, address_type, sgid_index, hop_limit: 64, ..Self::default() }
    }

    /// Checks the values against the device.
    pub(crate) fn check(&self, device: &DeviceAttributes) -> Result<()> {
        let ethernet = device.port_type == PortType::ETHERNET;
        if self.address_type.is_roce() != ethernet {
            return Err(Error::invalid(
                "address type",
                format!("{:?}", self.address_type),
                if ethernet {
                    "the port is Ethernet: use Ipv4 or Ipv6"
                } else {
                    "the port is InfiniBand: use IbGrh or IbNoGrh"
                },
            ));
        }
        if self.address_type != AddressType::IbNoGrh && self.gid == Gid::default() {
            let expected = "give an address of the peer's NIC, such as its roce_v2_gid";
            return Err(Error::invalid("gid of the peer", self.gid, expected));
        }
        if u32::from(self.sgid_index) >= device.gid_table_size {
            let expected = format!("the GID table has {} entries", device.gid_table_size);
            return Err(Error::invalid("sgid index", self.sgid_index, expected));
        }
        for (what, value) in [("service level", self.sl), ("static rate", self.static_rate)] {
            if value > 0xf {
                return Err(Error::invalid(what, value, "use 0 to 15"));
            }
        }
        Ok(())
    }
}
