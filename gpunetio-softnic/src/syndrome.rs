//! Why a command is refused: a status of the PRM, and a syndrome number that is ours, one for each reason.
//!
//! Hardware syndromes are not public. Ours all start with `0x5f00`, so that nobody takes one for the firmware's; [`ALL`] is
//! the table of them with their text.

use gpunetio_prm::command::Status;

/// A reason for refusing a command.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Reason {
    /// Number in the command's output.
    pub syndrome: u32,
    /// Status in the command's output.
    pub status: Status,
    /// What is wrong and what to do.
    pub text: &'static str,
}

/// A refused command: the reason, and the field and value that caused it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Refusal {
    /// Why.
    pub reason: Reason,
    /// Name of the field, argument or object.
    pub field: &'static str,
    /// Its value.
    pub value: u64,
}

impl core::fmt::Display for Refusal {
    fn fmt(&self, f: &mut core::fmt::Formatter<'_>) -> core::fmt::Result {
        let Self { reason, field, value } = self;
        write!(
            f,
            "{}, syndrome {:#x} ({}): {field} = {value:#x}",
            reason.status, reason.syndrome, reason.text
        )
    }
}

impl core::error::Error for Refusal {}

impl Reason {
    /// The refusal for `field` having `value`.
    pub fn because(self, field: &'static str, value: impl Into<u64>) -> Refusal {
        Refusal { reason: self, field, value: value.into() }
    }

    /// The reason with this syndrome.
    pub fn of(syndrome: u32) -> Option<Self> {
        ALL.iter().copied().find(|reason| reason.syndrome == syndrome)
    }
}

macro_rules! reasons {
    ($($name:ident = $syndrome:literal, $status:ident, $text:literal;)*) => {
        $(
            #[doc = $text]
            pub const $name: Reason =
                Reason { syndrome: $syndrome, status: Status::$status, text: $text };
        )*
        /// Every reason, by ascending syndrome.
        pub const ALL: &[Reason] = &[$($name),*];
    };
}

reasons! {
    DEVICE_GONE = 0x5f0001, INT_ERR, "the device was removed: close it";
    HOST_MEMORY = 0x5f0002, NO_RES_ERR, "the host gave no memory";
    UNKNOWN_OPCODE = 0x5f0010, BAD_OP_ERR, "no such command";
    NOT_IMPLEMENTED = 0x5f0011, BAD_OP_ERR, "the software nic has not this command";
    OP_MOD = 0x5f0012, BAD_PARAM_ERR, "this op_mod has no meaning for the command";
    CAPABILITY_PAGE = 0x5f0013, BAD_PARAM_ERR, "the device has no such capability page";
    OTHER_FUNCTION = 0x5f0014, BAD_PARAM_ERR, "there is no other function to ask about";
    INPUT_SHORT = 0x5f0015, BAD_INP_LEN_ERR, "the input is shorter than the command";
    INPUT_LONG = 0x5f0016, BAD_INP_LEN_ERR, "bytes that are not zero follow the command";
    OUTPUT_SHORT = 0x5f0017, BAD_OUTP_LEN_ERR, "the output has not room for the answer";
    UNSUPPORTED_FIELD = 0x5f0018, BAD_PARAM_ERR, "the device does not support this field: leave it 0";
    ROCE_INDEX = 0x5f0019, BAD_PARAM_ERR, "the index is past the roce address table";
    RESERVED_BIT = 0x5f001a, BAD_PARAM_ERR, "a bit that belongs to no field is set: leave it 0";
    NO_PD = 0x5f0020, BAD_RES_ERR, "no such protection domain";
    NO_UMEM = 0x5f0021, BAD_RES_ERR, "no such umem";
    NO_UAR = 0x5f0022, BAD_RES_ERR, "no such uar page";
    NO_CQ = 0x5f0023, BAD_RES_ERR, "no such completion queue";
    NO_QP = 0x5f0024, BAD_RES_ERR, "no such queue pair";
    NO_RMP = 0x5f0025, BAD_RES_ERR, "no such receive memory pool";
    NO_EQ = 0x5f0026, BAD_RES_ERR, "no such event queue: use the one of query_eqn";
    NO_MR = 0x5f0027, BAD_RES_ERR, "no such memory region";
    BUSY_PD = 0x5f0030, RES_BUSY, "memory regions, queues or address handles use the protection domain: destroy them first";
    BUSY_UMEM = 0x5f0031, RES_BUSY, "queues or doorbell records lie in the umem: destroy them first";
    BUSY_UAR = 0x5f0032, RES_BUSY, "queues ring the uar page: destroy them first";
    BUSY_CQ = 0x5f0033, RES_BUSY, "queue pairs complete to the completion queue: destroy them first";
    BUSY_RMP = 0x5f0034, RES_BUSY, "queue pairs receive from the receive memory pool: destroy them first";
    FULL_PD = 0x5f0038, LIM_ERR, "the table of protection domains is full";
    FULL_UMEM = 0x5f0039, LIM_ERR, "the table of umems is full";
    FULL_UAR = 0x5f003a, LIM_ERR, "the table of uar pages is full";
    FULL_CQ = 0x5f003b, LIM_ERR, "the table of completion queues is full";
    FULL_QP = 0x5f003c, LIM_ERR, "the table of queue pairs is full";
    FULL_RMP = 0x5f003d, LIM_ERR, "the table of receive memory pools is full";
    FULL_MR = 0x5f003e, LIM_ERR, "the table of memory regions is full";
    RING_BOUNDS = 0x5f0040, BAD_PARAM_ERR, "the queue does not lie inside its umem";
    RING_ALIGNMENT = 0x5f0041, BAD_PARAM_ERR, "the queue does not start on 64 bytes";
    DBR_BOUNDS = 0x5f0042, BAD_PARAM_ERR, "the doorbell record does not lie inside its umem";
    DBR_ALIGNMENT = 0x5f0043, BAD_PARAM_ERR, "the doorbell record does not lie on 8 bytes";
    NO_DBR = 0x5f0044, BAD_PARAM_ERR, "the queue needs a doorbell record";
    CQ_SIZE = 0x5f0050, BAD_PARAM_ERR, "log_cq_size is past log_max_cq_sz";
    CQE_SIZE = 0x5f0051, BAD_PARAM_ERR, "cqes have 64 bytes: cqe_sz is 0";
    CQ_STATUS = 0x5f0052, BAD_PARAM_ERR, "a completion queue is created with status OK";
    SERVICE_TYPE = 0x5f0060, BAD_PARAM_ERR, "the device has RC and UC queue pairs";
    SQ_SIZE = 0x5f0061, BAD_PARAM_ERR, "log_sq_size is past log_max_qp_sz";
    RQ_SIZE = 0x5f0062, BAD_PARAM_ERR, "log_rq_size is past log_max_qp_sz";
    RQ_STRIDE = 0x5f0063, BAD_PARAM_ERR, "the stride of the receive queue is past max_wqe_sz_rq";
    RQ_TYPE = 0x5f0064, BAD_PARAM_ERR, "no such rq_type";
    SRQ_OF_PD = 0x5f0065, BAD_PARAM_ERR, "the shared receive queue is of another protection domain";
    DBR_MODE = 0x5f0066, BAD_PARAM_ERR, "send_dbr_mode is 0 (record) or 1 (no record)";
    QP_STATE_AT_CREATE = 0x5f0067, BAD_PARAM_ERR, "a queue pair is created in reset";
    TIMESTAMP_FORMAT = 0x5f0068, BAD_PARAM_ERR, "timestamps are free-running";
    PAGE_WITHOUT_RECORDS = 0x5f0069, BAD_PARAM_ERR, "a uar page holds the doorbell of one queue without a doorbell record (send_dbr_mode 1): give each a page of its own";
    RMP_TYPE = 0x5f0070, BAD_PARAM_ERR, "wq_type is 0 (linked list) or 1 (cyclic)";
    RMP_SIZE = 0x5f0071, BAD_PARAM_ERR, "log_wq_sz is past log_max_srq_sz";
    RMP_STRIDE = 0x5f0072, BAD_PARAM_ERR, "log_wq_stride does not hold a segment (4, or 5 in a linked list) or is past max_wqe_sz_rq";
    RMP_STATE = 0x5f0073, BAD_PARAM_ERR, "a receive memory pool is created ready (state 1)";
    RMP_CYCLIC = 0x5f0074, BAD_PARAM_ERR, "basic_cyclic_rcv_wqe belongs to a cyclic pool";
    WRONG_STATE = 0x5f0080, BAD_QP_STATE_ERR, "the queue pair is not in the state that the transition starts from";
    OPTIONAL_PARAM = 0x5f0081, BAD_PARAM_ERR, "the transition has no such optional parameter";
    PORT = 0x5f0082, BAD_PARAM_ERR, "the device has port 1 only";
    PKEY_INDEX = 0x5f0083, BAD_PARAM_ERR, "the index is past the partition key table";
    PM_STATE = 0x5f0084, BAD_PARAM_ERR, "there is no alternate path: pm_state is 3 (migrated)";
    ATOMIC_MODE = 0x5f0085, BAD_PARAM_ERR, "no such atomic_mode";
    MTU = 0x5f0086, BAD_PARAM_ERR, "the mtu code is 1 (256) to 5 (4096)";
    MTU_PAST_PORT = 0x5f0087, BAD_PARAM_ERR, "the path mtu is larger than the port's";
    MESSAGE_SIZE = 0x5f0088, BAD_PARAM_ERR, "log_msg_max is past the device's log_max_msg";
    RESPONDER_DEPTH = 0x5f0089, BAD_PARAM_ERR, "log_rra_max is past log_max_ra_res_qp";
    INITIATOR_DEPTH = 0x5f008a, BAD_PARAM_ERR, "log_sra_max is past log_max_ra_req_qp";
    SOURCE_GID = 0x5f008b, BAD_PARAM_ERR, "the entry of the gid table is empty: pick a filled one";
    REMOTE_GID = 0x5f008c, BAD_PARAM_ERR, "roce needs the remote gid (rgid_rip)";
    REMOTE_MAC = 0x5f008d, BAD_PARAM_ERR, "roce needs the remote mac (rmac)";
    UDP_SOURCE_PORT = 0x5f008e, BAD_PARAM_ERR, "the udp source port is outside r_roce_min_src_udp_port..r_roce_max_src_udp_port";
    PATH_FOR_INFINIBAND = 0x5f008f, BAD_PARAM_ERR, "an ethernet port has no lid";
    MR_LENGTH = 0x5f0090, BAD_PARAM_ERR, "memory of 0 bytes cannot be registered";
    MR_RANGE = 0x5f0091, BAD_PARAM_ERR, "the range passes the end of the address space";
    MR_ACCESS = 0x5f0092, BAD_PARAM_ERR, "remote write and atomic need local write";
    UMEM_ADDRESS = 0x5f0093, BAD_PARAM_ERR, "memory at address 0 cannot be registered";
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_its_own_syndrome_and_a_failing_status() {
        assert!(ALL.windows(2).all(|pair| pair[0].syndrome < pair[1].syndrome));
        assert!(ALL.iter().all(|reason| reason.status != Status::OK));
        assert!(ALL.iter().all(|reason| reason.syndrome >> 8 == 0x5f00));
        assert_eq!(Reason::of(CQ_SIZE.syndrome), Some(CQ_SIZE));
        assert_eq!(Reason::of(1), None);
    }

    #[test]
    fn a_refusal_names_field_and_value() {
        assert_eq!(
            CQ_SIZE.because("log_cq_size", 23u8).to_string(),
            "BAD_PARAM_ERR, syndrome 0x5f0050 (log_cq_size is past log_max_cq_sz): log_cq_size = 0x17"
        );
    }
}
