//! Attributes of a queue pair, and which of them each change of state takes.

use core::fmt;
use core::ops::{BitOr, BitOrAssign};

use gpunetio_prm::command::{MtuCode, QpState as PrmQpState};
use gpunetio_prm::id::MASK_24;

use crate::ah::AhAttr;
use crate::device_attr::DeviceAttributes;
use crate::error::{Error, Result};

/// States that the API names; numbers are those of the public API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Default)]
#[repr(u32)]
pub enum QpState {
    /// Reset.
    #[default]
    Rst = 0,
    /// Initialised.
    Init = 1,
    /// Ready to receive.
    Rtr = 2,
    /// Ready to send.
    Rts = 3,
    /// Error.
    Err = 4,
}

impl fmt::Display for QpState {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Rst => "RST",
            Self::Init => "INIT",
            Self::Rtr => "RTR",
            Self::Rts => "RTS",
            Self::Err => "ERR",
        })
    }
}

impl QpState {
    /// The state that hardware reports; SQER counts as an error and SQD as ready to send.
    pub fn from_hardware(state: PrmQpState) -> Result<Self> {
        Ok(match state {
            PrmQpState::RST => Self::Rst,
            PrmQpState::INIT => Self::Init,
            PrmQpState::RTR => Self::Rtr,
            PrmQpState::RTS | PrmQpState::SQD => Self::Rts,
            PrmQpState::ERR | PrmQpState::SQER => Self::Err,
            other => {
                let what = "state of a queried qp".to_owned();
                return Err(Error::Unexpected { what, value: other.to_string() });
            }
        })
    }
}

/// Path MTU.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mtu {
    /// 256 bytes.
    M256,
    /// 512 bytes.
    M512,
    /// 1024 bytes.
    #[default]
    M1024,
    /// 2048 bytes.
    M2048,
    /// 4096 bytes.
    M4096,
}

impl Mtu {
    /// Every MTU, by size.
    pub const ALL: [Self; 5] = [Self::M256, Self::M512, Self::M1024, Self::M2048, Self::M4096];

    /// Bytes.
    pub fn bytes(self) -> u32 {
        256 << self as u32
    }

    /// The MTU of that many bytes.
    pub fn from_bytes(bytes: u32) -> Result<Self> {
        Self::ALL.into_iter().find(|mtu| mtu.bytes() == bytes).ok_or_else(|| {
            Error::invalid("path mtu", bytes, "use 256, 512, 1024, 2048 or 4096 bytes")
        })
    }

    /// `qpc.mtu`.
    pub(crate) fn code(self) -> MtuCode {
        match self {
            Self::M256 => MtuCode::MTU_256,
            Self::M512 => MtuCode::MTU_512,
            Self::M1024 => MtuCode::MTU_1024,
            Self::M2048 => MtuCode::MTU_2048,
            Self::M4096 => MtuCode::MTU_4096,
        }
    }
}

/// Which atomics a peer may do, as `qpc.atomic_mode` encodes it; numbers are those of the public API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(u8)]
pub enum AtomicMode {
    /// None.
    #[default]
    None = 0,
    /// As the InfiniBand specification says: 8 bytes.
    IbSpec = 1,
    /// 8 bytes only.
    Only8Bytes = 2,
    /// Up to 8 bytes.
    UpTo8Bytes = 3,
    /// Up to 16 bytes.
    UpTo16Bytes = 4,
    /// Up to 32 bytes.
    UpTo32Bytes = 5,
    /// Up to 64 bytes.
    UpTo64Bytes = 6,
    /// Up to 128 bytes.
    UpTo128Bytes = 7,
    /// Up to 256 bytes.
    UpTo256Bytes = 8,
}

/// Which fields of a [`QpAttr`] a modify applies; bits are those of the public API.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct AttrMask(pub u32);

macro_rules! attr_mask {
    ($($(#[$doc:meta])* $name:ident = $bit:literal, $text:literal;)*) => {
        impl AttrMask {
            /// Nothing.
            pub const NONE: Self = Self(0);
            $($(#[$doc])* pub const $name: Self = Self(1 << $bit);)*

            const NAMES: &[(Self, &str)] = &[$((Self::$name, $text)),*];
        }
    };
}

attr_mask! {
    /// [`QpAttr::allow_remote_write`].
    ALLOW_REMOTE_WRITE = 0, "allow_remote_write";
    /// [`QpAttr::allow_remote_read`].
    ALLOW_REMOTE_READ = 1, "allow_remote_read";
    /// [`QpAttr::pkey_index`].
    PKEY_INDEX = 2, "pkey_index";
    /// [`QpAttr::min_rnr_timer`].
    MIN_RNR_TIMER = 3, "min_rnr_timer";
    /// [`QpAttr::port_num`].
    PORT_NUM = 4, "port_num";
    /// [`QpAttr::next_state`].
    NEXT_STATE = 5, "next_state";
    /// [`QpAttr::current_state`].
    CURRENT_STATE = 6, "current_state";
    /// [`QpAttr::path_mtu`].
    PATH_MTU = 7, "path_mtu";
    /// [`QpAttr::rq_psn`].
    RQ_PSN = 8, "rq_psn";
    /// [`QpAttr::sq_psn`].
    SQ_PSN = 9, "sq_psn";
    /// [`QpAttr::dest_qp_num`].
    DEST_QP_NUM = 10, "dest_qp_num";
    /// [`QpAttr::ack_timeout`].
    ACK_TIMEOUT = 11, "ack_timeout";
    /// [`QpAttr::retry_cnt`].
    RETRY_CNT = 12, "retry_cnt";
    /// [`QpAttr::rnr_retry`].
    RNR_RETRY = 13, "rnr_retry";
    /// [`QpAttr::ah`].
    AH_ATTR = 14, "ah_attr";
    /// [`QpAttr::atomic_mode`].
    ATOMIC_MODE = 15, "atomic_mode";
    /// [`QpAttr::max_rd_atomic`].
    MAX_QP_RD_ATOMIC = 16, "max_rd_atomic";
    /// [`QpAttr::max_dest_rd_atomic`].
    MAX_DEST_RD_ATOMIC = 17, "max_dest_rd_atomic";
    /// Congestion-control group; only the closed SDK has them.
    CC_GROUP = 18, "cc_group";
}

impl AttrMask {
    /// True if every bit of `other` is set.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The bits of `self` that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }

    /// Both.
    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOr for AttrMask {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        self.union(other)
    }
}
impl BitOrAssign for AttrMask {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}
impl fmt::Display for AttrMask {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut rest = *self;
        let mut separator = "";
        for (bit, name) in Self::NAMES.iter().filter(|(bit, _)| self.contains(*bit)) {
            write!(f, "{separator}{name}")?;
            separator = ", ";
            rest = rest.without(*bit);
        }
        if rest.0 != 0 {
            write!(f, "{separator}{:#x}", rest.0)?;
        }
        Ok(())
    }
}

/// Attributes of a queue pair. What a modify does not name in its [`AttrMask`] is not looked at.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct QpAttr {
    /// State to go to.
    pub next_state: QpState,
    /// State that the caller believes it to be in; another one is refused.
    pub current_state: QpState,
    /// Path MTU.
    pub path_mtu: Mtu,
    /// First PSN to receive, 24 bits.
    pub rq_psn: u32,
    /// First PSN to send, 24 bits.
    pub sq_psn: u32,
    /// QP number of the peer, 24 bits.
    pub dest_qp_num: u32,
    /// The peer may write.
    pub allow_remote_write: bool,
    /// The peer may read.
    pub allow_remote_read: bool,
    /// The peer may do atomics.
    pub atomic_mode: AtomicMode,
    /// Where packets go.
    pub ah: Option<AhAttr>,
    /// Index of the partition key.
    pub pkey_index: u16,
    /// Port, from 1.
    pub port_num: u16,
    /// Local ACK timeout: 4.096 us << n; 0 is for ever; 5 bits (IBTA 11.6.2).
    pub ack_timeout: u16,
    /// Retries after a timeout or sequence error, 3 bits.
    pub retry_cnt: u16,
    /// Retries after "receiver not ready", 3 bits; 7 is for ever.
    pub rnr_retry: u16,
    /// Code of the delay that "receiver not ready" asks for, 5 bits (IBTA 9.7.5.2.8).
    pub min_rnr_timer: u16,
    /// READs and atomics outstanding as initiator: 0 or a power of two.
    pub max_rd_atomic: u8,
    /// READs and atomics outstanding as target: 0 or a power of two.
    pub max_dest_rd_atomic: u8,
    /// Counter set; applied at RST to INIT where given. A query reports `None` for set 0, the default one.
    pub counter_set_id: Option<u8>,
    /// Port of a bond, from 1; applied at INIT to RTR where given. A query reports `None` where the device chooses.
    pub lag_tx_port_affinity: Option<u8>,
}

/// What a transition takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Rule {
    pub(crate) required: AttrMask,
    pub(crate) optional: AttrMask,
}

/// Bits that say where to go, valid in every transition.
const STATES: AttrMask = AttrMask::NEXT_STATE.union(AttrMask::CURRENT_STATE);

/// The attributes that going from one state to another takes, by fact from the public host library; `None` where there is
/// no such transition.
pub(crate) fn rule(from: QpState, to: QpState) -> Option<Rule> {
    use AttrMask as M;
    use QpState::{Err, Init, Rst, Rtr, Rts};
    let access = M::ALLOW_REMOTE_WRITE | M::ALLOW_REMOTE_READ;
    let (required, optional) = match (from, to) {
        (_, Rst | Err) => (M::NONE, M::NONE),
        (Rst, Init) => (access | M::PKEY_INDEX | M::PORT_NUM, M::ATOMIC_MODE),
        (Init, Init) => (M::NONE, access | M::PKEY_INDEX | M::PORT_NUM | M::ATOMIC_MODE),
        (Init, Rtr) => (
            M::PATH_MTU | M::RQ_PSN | M::DEST_QP_NUM | M::AH_ATTR | M::MIN_RNR_TIMER,
            access | M::PKEY_INDEX | M::ATOMIC_MODE | M::MAX_DEST_RD_ATOMIC,
        ),
        (Rtr, Rts) => (
            M::SQ_PSN | M::ACK_TIMEOUT | M::RETRY_CNT | M::RNR_RETRY,
            M::ALLOW_REMOTE_WRITE | M::ATOMIC_MODE | M::MIN_RNR_TIMER | M::MAX_QP_RD_ATOMIC,
        ),
        (Rts, Rts) => (M::NONE, access | M::ATOMIC_MODE | M::MIN_RNR_TIMER | M::AH_ATTR),
        _ => return None,
    };
    Some(Rule { required, optional: optional | STATES })
}

impl QpAttr {
    /// Checks a modify of QP `qpn` in state `from` and gives the state to go to.
    pub(crate) fn check_transition(
        &self,
        qpn: u32,
        from: QpState,
        mask: AttrMask,
    ) -> Result<QpState> {
        let to = if mask.contains(AttrMask::NEXT_STATE) { self.next_state } else { from };
        let fail = |reason: String| Err(Error::Transition { qpn, from, to, reason });
        if mask.contains(AttrMask::CURRENT_STATE) && self.current_state != from {
            return fail(format!("current_state says {}", self.current_state));
        }
        if mask.contains(AttrMask::CC_GROUP) {
            return Err(Error::NotSupported(
                "congestion-control groups are only in the closed SDK: leave cc_group out"
                    .to_owned(),
            ));
        }
        let Some(rule) = rule(from, to) else {
            return fail(
                "the order is RST, INIT, RTR, RTS; RST and ERR follow any state".to_owned(),
            );
        };
        let missing = rule.required.without(mask);
        if missing != AttrMask::NONE {
            return fail(format!("it needs {missing}"));
        }
        let foreign = mask.without(rule.required | rule.optional);
        if foreign != AttrMask::NONE {
            return fail(format!("it does not take {foreign}"));
        }
        if mask.contains(AttrMask::AH_ATTR) && self.ah.is_none() {
            return fail("ah_attr is in the mask and not given".to_owned());
        }
        Ok(to)
    }

    /// Checks the values that a transition takes against the device, so that no field is ever cut.
    pub(crate) fn check_values(
        &self,
        transition: (QpState, QpState),
        mask: AttrMask,
        device: &DeviceAttributes,
    ) -> Result<()> {
        use AttrMask as M;
        let on = |bit| mask.contains(bit);
        let wide = [
            (M::RQ_PSN, "rq_psn", self.rq_psn),
            (M::SQ_PSN, "sq_psn", self.sq_psn),
            (M::DEST_QP_NUM, "dest_qp_num", self.dest_qp_num),
        ];
        for (bit, what, value) in wide {
            if on(bit) && value > MASK_24 {
                return Err(Error::invalid(what, format!("{value:#x}"), "it has 24 bits"));
            }
        }
        let narrow = [
            (M::ACK_TIMEOUT, "ack_timeout", self.ack_timeout, 31),
            (M::RETRY_CNT, "retry_cnt", self.retry_cnt, 7),
            (M::RNR_RETRY, "rnr_retry", self.rnr_retry, 7),
            (M::MIN_RNR_TIMER, "min_rnr_timer", self.min_rnr_timer, 31),
        ];
        for (bit, what, value, max) in narrow {
            if on(bit) && value > max {
                return Err(Error::invalid(what, value, format!("use 0 to {max}")));
            }
        }
        let depths = [
            (M::MAX_QP_RD_ATOMIC, "max_rd_atomic", self.max_rd_atomic, device.max_qp_init_rd_atom),
            (
                M::MAX_DEST_RD_ATOMIC,
                "max_dest_rd_atomic",
                self.max_dest_rd_atomic,
                device.max_qp_rd_atom,
            ),
        ];
        for (bit, what, value, max) in depths {
            if on(bit) && (value > max || value != 0 && !value.is_power_of_two()) {
                let expected = format!("use 0 or a power of two up to {max}");
                return Err(Error::invalid(what, value, expected));
            }
        }
        if on(M::PKEY_INDEX) && self.pkey_index >= device.max_pkeys {
            let expected = format!("the table has {} entries", device.max_pkeys);
            return Err(Error::invalid("pkey_index", self.pkey_index, expected));
        }
        if on(M::PORT_NUM) && !(1..=device.phys_port_cnt.into()).contains(&self.port_num) {
            let expected = format!("ports are 1 to {}", device.phys_port_cnt);
            return Err(Error::invalid("port_num", self.port_num, expected));
        }
        if let (true, Some(ah)) = (on(M::AH_ATTR), &self.ah) {
            ah.check(device)?;
        }
        if let (QpState::Init, QpState::Rtr) = transition
            && let Some(port) = self.lag_tx_port_affinity
            && (port == 0 || port > device.num_lag_ports || !device.lag_tx_port_affinity)
        {
            let expected = format!("the device has {} bonded ports", device.num_lag_ports);
            return Err(Error::invalid("lag_tx_port_affinity", port, expected));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rst_and_err_follow_any_state_and_nothing_else_jumps() {
        use QpState::{Err, Init, Rst, Rtr, Rts};
        for from in [Rst, Init, Rtr, Rts, Err] {
            assert!(rule(from, Rst).is_some() && rule(from, Err).is_some());
        }
        for (from, to) in [(Rst, Rtr), (Rst, Rts), (Init, Rts), (Rtr, Rtr), (Rtr, Init), (Err, Rts)]
        {
            assert_eq!(rule(from, to), None, "{from} {to}");
        }
    }

    #[test]
    fn a_missing_and_a_foreign_attribute_are_named() {
        let attr = QpAttr { next_state: QpState::Init, ..Default::default() };
        let mask = AttrMask::NEXT_STATE | AttrMask::PORT_NUM;
        let message = attr.check_transition(0x100, QpState::Rst, mask).unwrap_err().to_string();
        assert!(message.contains("0x100") && message.contains("pkey_index"), "{message}");
        let err = QpAttr { next_state: QpState::Err, ..Default::default() };
        let mask = AttrMask::NEXT_STATE | AttrMask::PKEY_INDEX;
        let message = err.check_transition(1, QpState::Rts, mask).unwrap_err().to_string();
        assert!(message.contains("does not take pkey_index"), "{message}");
    }

    #[test]
    fn mtu_codes_are_those_of_the_context() {
        for mtu in Mtu::ALL {
            assert_eq!(mtu.code().bytes(), Some(mtu.bytes()));
        }
        assert!(Mtu::from_bytes(1500).unwrap_err().to_string().contains("1500"));
    }
}
