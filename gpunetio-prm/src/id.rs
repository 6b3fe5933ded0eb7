//! Ids of objects, each its own type so that one cannot stand for another.

/// Mask of the 24-bit numbers of the PRM.
pub const MASK_24: u32 = 0xff_ffff;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident($int:ty);)*) => {$(
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
        #[repr(transparent)]
        pub struct $name(pub $int);

        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                write!(f, "{:#x}", self.0)
            }
        }
        impl From<$name> for u64 {
            fn from(id: $name) -> u64 {
                u64::from(id.0)
            }
        }
    )*};
}

ids! {
    /// Queue pair number, 24 bits.
    Qpn(u32);
    /// Completion queue number, 24 bits.
    Cqn(u32);
    /// Receive memory pool (shared receive queue) number, 24 bits.
    Rmpn(u32);
    /// Protection domain number, 24 bits.
    Pdn(u32);
    /// Memory key: 24-bit index and 8-bit variant, as lkey and rkey carry it.
    Mkey(u32);
    /// User memory id of a DEVX umem; 0 is "none".
    UmemId(u32);
    /// UAR page index, 24 bits.
    UarPage(u32);
    /// Event queue number, 8 bits.
    Eqn(u32);
}

impl Mkey {
    /// The key as work requests and device code carry it: big-endian (PRM, Data Segment; Remote Address Segment).
    pub const fn to_be(self) -> u32 {
        self.0.to_be()
    }
}

/// Packet sequence number, modulo 2^24 (IBTA 9.7.1).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Psn(u32);

impl Psn {
    /// The number modulo 2^24.
    pub const fn new(value: u32) -> Self {
        Self(value & MASK_24)
    }

    /// The 24-bit value.
    pub const fn get(self) -> u32 {
        self.0
    }

    /// The number `count` packets later.
    #[must_use]
    pub const fn advance(self, count: u32) -> Self {
        Self::new(self.0.wrapping_add(count))
    }

    /// Signed distance from `earlier` to `self`, in -2^23 .. 2^23.
    pub const fn distance(self, earlier: Self) -> i32 {
        (self.0.wrapping_sub(earlier.0) << 8) as i32 >> 8
    }
}

/// RoCE GID: an IPv6 address, or an IPv4 one mapped into it.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Gid(pub [u8; 16]);

impl core::fmt::Debug for Gid {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Display::fmt(self, f)
    }
}
impl core::fmt::Display for Gid {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        core::fmt::Display::fmt(&core::net::Ipv6Addr::from(self.0), f)
    }
}

/// Ethernet MAC address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(transparent)]
pub struct Mac(pub [u8; 6]);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_given_to_work_requests_most_significant_byte_first() {
        assert_eq!(Mkey(0x0102_0304).to_be().to_ne_bytes(), [1, 2, 3, 4]);
    }

    #[test]
    fn psn_wraps_at_24_bits() {
        let last = Psn::new(0xff_ffff);
        assert_eq!(last.advance(1), Psn::new(0));
        assert_eq!(last.advance(1).distance(last), 1);
        assert_eq!(last.distance(last.advance(1)), -1);
        assert_eq!(Psn::new(0x1_000_005), Psn::new(5));
    }
}
