//! Command opcodes, statuses and the enumerations that command fields carry.

macro_rules! open_newtype {
    (
        $(#[$doc:meta])* $name:ident($int:ty);
        $($(#[$cdoc:meta])* $constant:ident = $value:expr, $text:literal;)*
    ) => {
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
        #[repr(transparent)]
        pub struct $name(pub $int);

        impl $name {
            $($(#[$cdoc])* #[doc = concat!("`", $text, "`")] pub const $constant: Self = Self($value);)*

            /// The field's name for this value, if it has one.
            pub const fn name(self) -> Option<&'static str> {
                match self {
                    $(Self::$constant => Some($text),)*
                    _ => None,
                }
            }
        }
        impl core::fmt::Debug for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                core::fmt::Display::fmt(self, f)
            }
        }
        impl core::fmt::Display for $name {
            fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
                match self.name() {
                    Some(name) => f.write_str(name),
                    None => write!(f, concat!(stringify!($name), "({:#x})"), self.0),
                }
            }
        }
        impl From<$name> for u64 {
            fn from(value: $name) -> u64 {
                value.0.into()
            }
        }
    };
}
pub(crate) use open_newtype;

open_newtype! {
    /// Opcode of a command: the first 16 bits of its input (PRM: Command Opcodes).
    Opcode(u16);
    QUERY_HCA_CAP = 0x100, "QUERY_HCA_CAP";
    CREATE_CQ = 0x400, "CREATE_CQ";
    DESTROY_CQ = 0x401, "DESTROY_CQ";
    QUERY_CQ = 0x402, "QUERY_CQ";
    CREATE_QP = 0x500, "CREATE_QP";
    DESTROY_QP = 0x501, "DESTROY_QP";
    RST2INIT_QP = 0x502, "RST2INIT_QP";
    INIT2RTR_QP = 0x503, "INIT2RTR_QP";
    RTR2RTS_QP = 0x504, "RTR2RTS_QP";
    RTS2RTS_QP = 0x505, "RTS2RTS_QP";
    SQERR2RTS_QP = 0x506, "SQERR2RTS_QP";
    TO_ERR_QP = 0x507, "2ERR_QP";
    TO_RST_QP = 0x50a, "2RST_QP";
    QUERY_QP = 0x50b, "QUERY_QP";
    INIT2INIT_QP = 0x50e, "INIT2INIT_QP";
    QUERY_ROCE_ADDRESS = 0x760, "QUERY_ROCE_ADDRESS";
    ALLOC_PD = 0x800, "ALLOC_PD";
    DEALLOC_PD = 0x801, "DEALLOC_PD";
    ALLOC_UAR = 0x802, "ALLOC_UAR";
    DEALLOC_UAR = 0x803, "DEALLOC_UAR";
    CREATE_RMP = 0x90c, "CREATE_RMP";
    MODIFY_RMP = 0x90d, "MODIFY_RMP";
    DESTROY_RMP = 0x90e, "DESTROY_RMP";
    QUERY_RMP = 0x90f, "QUERY_RMP";
}

open_newtype! {
    /// Status of a command: the first byte of its output (PRM: Command Return Statuses).
    Status(u8);
    OK = 0x00, "OK";
    INT_ERR = 0x01, "INT_ERR";
    BAD_OP_ERR = 0x02, "BAD_OP_ERR";
    BAD_PARAM_ERR = 0x03, "BAD_PARAM_ERR";
    BAD_SYS_STATE_ERR = 0x04, "BAD_SYS_STATE_ERR";
    BAD_RES_ERR = 0x05, "BAD_RES_ERR";
    RES_BUSY = 0x06, "RES_BUSY";
    LIM_ERR = 0x08, "LIM_ERR";
    BAD_RES_STATE_ERR = 0x09, "BAD_RES_STATE_ERR";
    IX_ERR = 0x0a, "IX_ERR";
    NO_RES_ERR = 0x0f, "NO_RES_ERR";
    BAD_QP_STATE_ERR = 0x10, "BAD_QP_STATE_ERR";
    BAD_PKT_ERR = 0x30, "BAD_PKT_ERR";
    BAD_SIZE_OUTS_CQES_ERR = 0x40, "BAD_SIZE_OUTS_CQES_ERR";
    BAD_INP_LEN_ERR = 0x50, "BAD_INP_LEN_ERR";
    BAD_OUTP_LEN_ERR = 0x51, "BAD_OUTP_LEN_ERR";
}

open_newtype! {
    /// Page of QUERY_HCA_CAP (bits 15:1 of its `op_mod`).
    CapabilityPage(u16);
    GENERAL = 0x00, "GENERAL";
    ODP = 0x02, "ODP";
    ATOMIC = 0x03, "ATOMIC";
    ROCE = 0x04, "ROCE";
    GENERAL_2 = 0x20, "GENERAL_2";
}

impl CapabilityPage {
    /// `op_mod` that asks for the current value of the page (bit 0 set) rather than its maximum.
    pub const fn current(self) -> u16 {
        self.0 << 1 | 1
    }
}

open_newtype! {
    /// `qpc.state` (PRM: QP states).
    QpState(u8);
    RST = 0, "RST";
    INIT = 1, "INIT";
    RTR = 2, "RTR";
    RTS = 3, "RTS";
    SQER = 4, "SQER";
    SQD = 5, "SQD";
    ERR = 6, "ERR";
}

open_newtype! {
    /// `qpc.st`: the transport service.
    ServiceType(u8);
    RC = 0, "RC";
    UC = 1, "UC";
    UD = 2, "UD";
    XRC = 3, "XRC";
    DCI = 5, "DCI";
}

open_newtype! {
    /// `qpc.rq_type`.
    RqType(u8);
    REGULAR = 0, "REGULAR";
    SRQ_RMP_XRC_SRQ_XRQ = 1, "SRQ_RMP";
    ZERO_SIZE = 3, "ZERO_SIZE";
}

open_newtype! {
    /// `qpc.mtu`: code `n` is `128 << n` bytes.
    MtuCode(u8);
    MTU_256 = 1, "256";
    MTU_512 = 2, "512";
    MTU_1024 = 3, "1024";
    MTU_2048 = 4, "2048";
    MTU_4096 = 5, "4096";
}

impl MtuCode {
    /// Path MTU in bytes; `None` for a code that names no RoCE MTU.
    pub const fn bytes(self) -> Option<u32> {
        if self.0 >= 1 && self.0 <= 5 { Some(128 << self.0) } else { None }
    }
}

open_newtype! {
    /// `qpc.send_dbr_mode`.
    SendDbrMode(u8);
    DBR_VALID = 0, "DBR_VALID";
    NO_DBR_EXT = 1, "NO_DBR_EXT";
    NO_DBR_INT = 2, "NO_DBR_INT";
}

open_newtype! {
    /// `ads` path migration state in `qpc.pm_state`.
    PmState(u8);
    MIGRATED = 3, "MIGRATED";
}

open_newtype! {
    /// `cqc.st`: what the CQ is armed for.
    CqState(u8);
    NOT_ARMED = 0x0, "NOT_ARMED";
    SOLICITED_ARMED = 0x6, "SOLICITED_ARMED";
    ARMED = 0x9, "ARMED";
    FIRED = 0xa, "FIRED";
}

open_newtype! {
    /// `cqc.status`.
    CqStatus(u8);
    OK = 0x0, "OK";
    OVERFLOW = 0x9, "OVERFLOW";
    WRITE_FAIL = 0xa, "WRITE_FAIL";
}

open_newtype! {
    /// `wq.end_padding_mode`.
    EndPadding(u8);
    NONE = 0, "NONE";
    ALIGN = 1, "ALIGN";
}

open_newtype! {
    /// `wq.wq_type`.
    WqType(u8);
    LINKED_LIST = 0, "LINKED_LIST";
    CYCLIC = 1, "CYCLIC";
}

open_newtype! {
    /// `rmpc.state`.
    RmpState(u8);
    RDY = 1, "RDY";
    ERR = 3, "ERR";
}

open_newtype! {
    /// `cmd_hca_cap.port_type`.
    PortType(u8);
    INFINIBAND = 0, "INFINIBAND";
    ETHERNET = 1, "ETHERNET";
}

open_newtype! {
    /// `roce_addr_layout.roce_version`.
    RoceVersion(u8);
    V1 = 0, "V1";
    V2 = 2, "V2";
}

/// `opt_param_mask` of the QP transitions: which optional fields of `qpc` a command applies.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
#[repr(transparent)]
pub struct OptParam(pub u32);

impl OptParam {
    /// `qpc.rre`: remote read enable.
    pub const RRE: Self = Self(1 << 1);
    /// `qpc.rae` and `qpc.atomic_mode`: remote atomic enable.
    pub const RAE: Self = Self(1 << 2);
    /// `qpc.rwe`: remote write enable.
    pub const RWE: Self = Self(1 << 3);
    /// `ads.pkey_index`.
    pub const PKEY_INDEX: Self = Self(1 << 4);
    /// `qpc.q_key`.
    pub const Q_KEY: Self = Self(1 << 5);
    /// `qpc.min_rnr_nak`.
    pub const RNR_TIMEOUT: Self = Self(1 << 6);
    /// The whole primary address path.
    pub const PRIMARY_ADDR_PATH: Self = Self(1 << 7);
    /// `qpc.log_sra_max`.
    pub const SRA_MAX: Self = Self(1 << 8);
    /// `qpc.log_rra_max`.
    pub const RRA_MAX: Self = Self(1 << 9);
    /// `qpc.pm_state`.
    pub const PM_STATE: Self = Self(1 << 10);
    /// `qpc.retry_count`.
    pub const RETRY_COUNT: Self = Self(1 << 12);
    /// `qpc.rnr_retry`.
    pub const RNR_RETRY: Self = Self(1 << 13);
    /// `ads.ack_timeout`.
    pub const ACK_TIMEOUT: Self = Self(1 << 14);
    /// `qpc.lag_tx_port_affinity`.
    pub const LAG_TX_AFF: Self = Self(1 << 15);
    /// `ads.vhca_port_num`.
    pub const PRI_PORT: Self = Self(1 << 16);
    /// Set with [`Self::DSCP`] whenever RTS2RTS carries an address: `ads.src_addr_index` (as recorded from the public host library).
    pub const SRC_ADDR_INDEX: Self = Self(1 << 17);
    /// `qpc.srqn_rmpn_xrqn`.
    pub const SRQN: Self = Self(1 << 18);
    /// `qpc.cqn_rcv`.
    pub const CQN_RCV: Self = Self(1 << 19);
    /// `ads.dscp` of RTS2RTS (capability `rts2rts_qp_dscp`).
    pub const DSCP: Self = Self(1 << 23);
    /// `qpc.counter_set_id`.
    pub const COUNTER_SET_ID: Self = Self(1 << 25);

    /// True if every bit of `other` is in `self`.
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The bits of `self` that are not in `other`.
    #[must_use]
    pub const fn without(self, other: Self) -> Self {
        Self(self.0 & !other.0)
    }
}

impl core::ops::BitOr for OptParam {
    type Output = Self;
    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}
impl core::ops::BitOrAssign for OptParam {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}
impl From<OptParam> for u64 {
    fn from(mask: OptParam) -> u64 {
        mask.0.into()
    }
}

/// `atomic_caps.atomic_operations` bits.
pub mod atomic_operations {
    /// Compare and swap.
    pub const COMPARE_SWAP: u16 = 1 << 0;
    /// Fetch and add.
    pub const FETCH_ADD: u16 = 1 << 1;
    /// Masked (extended) compare and swap.
    pub const MASKED_COMPARE_SWAP: u16 = 1 << 2;
    /// Masked (extended) fetch and add.
    pub const MASKED_FETCH_ADD: u16 = 1 << 3;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_opcode_keeps_its_number() {
        assert_eq!(Opcode(0x842).to_string(), "Opcode(0x842)");
        assert_eq!(Opcode::TO_ERR_QP.to_string(), "2ERR_QP");
    }

    #[test]
    fn mtu_codes_name_bytes() {
        let bytes: Vec<_> = (0..=6).map(|code| MtuCode(code).bytes()).collect();
        assert_eq!(bytes, [None, Some(256), Some(512), Some(1024), Some(2048), Some(4096), None]);
    }
}
