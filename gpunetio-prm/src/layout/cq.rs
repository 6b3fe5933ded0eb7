//! Completion queue context and commands (PRM: Completion Queue).

use super::layout;

layout! {
    /// PRM layout `cqc`.
    cqc, Cqc, 512;
    STATUS = "status", 0x0, 0x4;
    AS_NOTIFY = "as_notify", 0x4, 0x1;
    INITIATOR_SRC_DCT = "initiator_src_dct", 0x5, 0x1;
    DBR_UMEM_VALID = "dbr_umem_valid", 0x6, 0x1;
    EXT_ELEMENT = "ext_element", 0x7, 0x1;
    CQE_SZ = "cqe_sz", 0x8, 0x3;
    CC = "cc", 0xb, 0x1;
    SCQE_BREAK_MODERATION_EN = "scqe_break_moderation_en", 0xd, 0x1;
    OI = "oi", 0xe, 0x1;
    CQ_PERIOD_MODE = "cq_period_mode", 0xf, 0x2;
    CQE_COMP_EN = "cqe_comp_en", 0x11, 0x1;
    MINI_CQE_RES_FORMAT = "mini_cqe_res_format", 0x12, 0x2;
    ST = "st", 0x14, 0x4;
    ALWAYS_ARMED_CQ = "always_armed_cq", 0x18, 0x1;
    EXT_ELEMENT_TYPE = "ext_element_type", 0x19, 0x3;
    CQE_COMP_LAYOUT = "cqe_comp_layout", 0x1e, 0x2;
    DBR_UMEM_ID = "dbr_umem_id", 0x20, 0x20;
    PAGE_OFFSET = "page_offset", 0x54, 0x6;
    MINI_CQE_RES_FORMAT_EXT = "mini_cqe_res_format_ext", 0x5c, 0x2;
    CQ_TIMESTAMP_FORMAT = "cq_timestamp_format", 0x5e, 0x2;
    LOG_CQ_SIZE = "log_cq_size", 0x63, 0x5;
    UAR_PAGE = "uar_page", 0x68, 0x18;
    CQ_PERIOD = "cq_period", 0x84, 0xc;
    CQ_MAX_COUNT = "cq_max_count", 0x90, 0x10;
    C_EQN = "c_eqn", 0xb8, 0x8;
    LOG_PAGE_SIZE = "log_page_size", 0xc3, 0x5;
    LAST_NOTIFIED_INDEX = "last_notified_index", 0x108, 0x18;
    LAST_SOLICIT_INDEX = "last_solicit_index", 0x128, 0x18;
    CONSUMER_COUNTER = "consumer_counter", 0x148, 0x18;
    PRODUCER_COUNTER = "producer_counter", 0x168, 0x18;
    LOCAL_PARTITION_ID = "local_partition_id", 0x180, 0xc;
    PROCESS_ID = "process_id", 0x18c, 0x14;
    DBR_ADDR = "dbr_addr", 0x1c0, 0x40;
}

layout! {
    /// PRM layout `create_cq_in`.
    create_cq_in, CreateCqIn, 2176;
    OPCODE = "opcode", 0x0, 0x10;
    UID = "uid", 0x10, 0x10;
    OP_MOD = "op_mod", 0x30, 0x10;
    CQ_CONTEXT = "cq_context", 0x80, 0x200 => Cqc;
    CQ_UMEM_OFFSET = "cq_umem_offset", 0x280, 0x40;
    CQ_UMEM_ID = "cq_umem_id", 0x2c0, 0x20;
    CQ_UMEM_VALID = "cq_umem_valid", 0x2e0, 0x1;
}

layout! {
    /// PRM layout `create_cq_out`.
    create_cq_out, CreateCqOut, 128;
    STATUS = "status", 0x0, 0x8;
    SYNDROME = "syndrome", 0x20, 0x20;
    CQN = "cqn", 0x48, 0x18;
}

layout! {
    /// PRM layout `destroy_cq_in`.
    destroy_cq_in, DestroyCqIn, 128;
    OPCODE = "opcode", 0x0, 0x10;
    UID = "uid", 0x10, 0x10;
    CQN = "cqn", 0x48, 0x18;
}

layout! {
    /// PRM layout `query_cq_in`.
    query_cq_in, QueryCqIn, 128;
    OPCODE = "opcode", 0x0, 0x10;
    OP_MOD = "op_mod", 0x30, 0x10;
    CQN = "cqn", 0x48, 0x18;
}

layout! {
    /// PRM layout `query_cq_out`.
    query_cq_out, QueryCqOut, 2176;
    STATUS = "status", 0x0, 0x8;
    SYNDROME = "syndrome", 0x20, 0x20;
    CQ_CONTEXT = "cq_context", 0x80, 0x200 => Cqc;
}
