//! The device's port: attributes and GID table.
//!
//! The table follows Linux: first the link-local GID made from the port's MAC, then the host's addresses in the order of
//! its interfaces (IPv4 mapped into IPv6, then IPv6), loopback last; each address has a RoCE v1 entry followed by a RoCE v2
//! entry. There is always the first pair. With several devices in a process, host interfaces are dealt out in turn, so that
//! a GID names one device; device `n` also has 127.0.0.`n + 1`, and the first one `::1`.
#![allow(unsafe_code)]

use core::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use gpunetio_prm::command::{MtuCode, RoceVersion};
use gpunetio_prm::id::{Gid, Mac};

/// Entries of the GID table; those past the addresses are empty, as on hardware.
pub const GID_TABLE_SIZE: usize = 255;
/// The one port's number.
pub const PORT_NUMBER: u8 = 1;
/// UDP source ports that a QP may use (PRM: `roce_cap`).
pub const UDP_SOURCE_PORTS: core::ops::RangeInclusive<u16> = 0xc000..=0xffff;
/// UDP destination port of RoCEv2 (IBTA annex A17).
pub const ROCE_UDP_PORT: u16 = 4791;

/// An entry of the GID table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct GidEntry {
    /// The GID.
    pub gid: Gid,
    /// RoCE v1 or v2.
    pub version: RoceVersion,
}

impl GidEntry {
    /// True for an IPv4 address mapped into IPv6.
    pub fn is_ipv4(&self) -> bool {
        Ipv6Addr::from(self.gid.0).to_ipv4_mapped().is_some()
    }
}

/// An Ethernet port, always active.
#[derive(Debug)]
pub struct Port {
    /// Address.
    pub mac: Mac,
    /// Largest and active MTU.
    pub mtu: MtuCode,
    gids: Vec<GidEntry>,
}

impl Port {
    /// The port of device `index`, with `addresses` after its link-local one.
    pub fn new(index: usize, addresses: &[IpAddr]) -> Self {
        let mac = device_mac(index);
        let mut gids: Vec<GidEntry> = Vec::new();
        let all = core::iter::once(IpAddr::V6(link_local(mac))).chain(addresses.iter().copied());
        for address in all {
            let gid = Gid(match address {
                IpAddr::V4(v4) => v4.to_ipv6_mapped().octets(),
                IpAddr::V6(v6) => v6.octets(),
            });
            if gids.iter().any(|entry| entry.gid == gid) {
                continue;
            }
            gids.push(GidEntry { gid, version: RoceVersion::V1 });
            gids.push(GidEntry { gid, version: RoceVersion::V2 });
        }
        gids.truncate(GID_TABLE_SIZE);
        Self { mac, mtu: MtuCode::MTU_4096, gids }
    }

    /// The entry at `index`, unless it is empty or past the table.
    pub fn gid(&self, index: usize) -> Option<GidEntry> {
        self.gids.get(index).copied()
    }

    /// True if an entry holds `gid`.
    pub fn owns(&self, gid: Gid) -> bool {
        self.gids.iter().any(|entry| entry.gid == gid)
    }

    /// The filled entries.
    pub fn gids(&self) -> &[GidEntry] {
        &self.gids
    }
}

/// MAC of device `index`: locally administered, unicast, the vendor's number inside for recognition.
fn device_mac(index: usize) -> Mac {
    let [high, low] = (index as u16).to_be_bytes();
    Mac([0x02, 0x15, 0xb3, 0x00, high, low])
}

/// EUI-64 of a MAC, with the universal/local bit flipped (RFC 4291 appendix A).
pub fn eui64(mac: Mac) -> [u8; 8] {
    let m = mac.0;
    [m[0] ^ 2, m[1], m[2], 0xff, 0xfe, m[3], m[4], m[5]]
}

fn link_local(mac: Mac) -> Ipv6Addr {
    let mut octets = [0; 16];
    octets[..2].copy_from_slice(&[0xfe, 0x80]);
    octets[8..].copy_from_slice(&eui64(mac));
    Ipv6Addr::from(octets)
}

/// Addresses for each of `devices` devices, from the host's interfaces.
pub fn host_addresses(devices: usize) -> Vec<Vec<IpAddr>> {
    let mut tables = vec![Vec::new(); devices];
    let mut names: Vec<Vec<u8>> = Vec::new();
    let mut interfaces = interface_addresses();
    // Within an interface IPv4 comes first, as in the kernel's table.
    interfaces.sort_by_key(|(_, address)| address.is_ipv6());
    for (name, address) in interfaces.into_iter().filter(|(_, address)| !address.is_loopback()) {
        let place = names.iter().position(|known| *known == name).unwrap_or_else(|| {
            names.push(name);
            names.len() - 1
        });
        if devices > 0 {
            tables[place % devices].push(address);
        }
    }
    for (index, table) in tables.iter_mut().enumerate() {
        let [high, low] = (index as u16 + 1).to_be_bytes();
        table.push(IpAddr::V4(Ipv4Addr::new(127, 0, high, low)));
        if index == 0 {
            table.push(IpAddr::V6(Ipv6Addr::LOCALHOST));
        }
    }
    tables
}

/// Names and addresses of the interfaces that are up, in the kernel's order; none where the host does not say.
fn interface_addresses() -> Vec<(Vec<u8>, IpAddr)> {
    let mut found = Vec::new();
    let mut head: *mut libc::ifaddrs = core::ptr::null_mut();
    // SAFETY: `head` is a valid place for the list's head, which is freed below.
    if unsafe { libc::getifaddrs(&mut head) } != 0 {
        log::warn!(
            "softnic: getifaddrs failed ({}): the GID table holds no host address",
            std::io::Error::last_os_error()
        );
        return found;
    }
    let mut next = head;
    while !next.is_null() {
        // SAFETY: an element of the list that getifaddrs made and that is not freed yet.
        let entry = unsafe { &*next };
        next = entry.ifa_next;
        if entry.ifa_addr.is_null() || entry.ifa_flags & libc::IFF_UP as u32 == 0 {
            continue;
        }
        // SAFETY: not NULL; every sockaddr starts with its family.
        let family = i32::from(unsafe { (*entry.ifa_addr).sa_family });
        let address = match family {
            libc::AF_INET => {
                // SAFETY: the family says that this is a sockaddr_in.
                let v4 = unsafe { entry.ifa_addr.cast::<libc::sockaddr_in>().read_unaligned() };
                IpAddr::V4(Ipv4Addr::from(u32::from_be(v4.sin_addr.s_addr)))
            }
            libc::AF_INET6 => {
                // SAFETY: the family says that this is a sockaddr_in6.
                let v6 = unsafe { entry.ifa_addr.cast::<libc::sockaddr_in6>().read_unaligned() };
                IpAddr::V6(Ipv6Addr::from(v6.sin6_addr.s6_addr))
            }
            _ => continue,
        };
        // SAFETY: the name is a NUL-terminated string of the list.
        let name = unsafe { core::ffi::CStr::from_ptr(entry.ifa_name) };
        found.push((name.to_bytes().to_vec(), address));
    }
    // SAFETY: the list that getifaddrs made, freed once; nothing of it is kept.
    unsafe { libc::freeifaddrs(head) };
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_address_has_a_v1_and_a_v2_entry_after_the_link_local_pair() {
        let port = Port::new(1, &[IpAddr::V4(Ipv4Addr::new(10, 0, 0, 9))]);
        assert_eq!(port.gid(0).unwrap().gid.to_string(), "fe80::15:b3ff:fe00:1");
        assert_eq!(port.gid(0).unwrap().version, RoceVersion::V1);
        assert_eq!(port.gid(1).unwrap().version, RoceVersion::V2);
        assert_eq!(port.gid(3).unwrap().gid.to_string(), "::ffff:10.0.0.9");
        assert!(port.gid(3).unwrap().is_ipv4());
        assert_eq!(port.gid(4), None);
    }

    #[test]
    fn a_host_address_belongs_to_one_device() {
        let tables = host_addresses(3);
        let mut all: Vec<_> = tables.concat();
        let count = all.len();
        all.sort();
        all.dedup();
        assert_eq!(all.len(), count);
        assert!(tables.iter().all(|table| !table.is_empty()));
        assert_eq!(tables[2].last(), Some(&IpAddr::V4(Ipv4Addr::new(127, 0, 0, 3))));
    }

    #[test]
    fn macs_are_local_and_differ() {
        assert_eq!(device_mac(0).0[0] & 3, 2);
        assert_ne!(device_mac(0), device_mac(1));
    }
}
