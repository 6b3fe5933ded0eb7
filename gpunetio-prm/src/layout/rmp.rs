//! Receive memory pool, which backs a shared receive queue (PRM: RMP).

use super::layout;

layout! {
    /// PRM layout `wq`.
    wq, Wq, 1536;
    WQ_TYPE = "wq_type", 0x0, 0x4;
    WQ_SIGNATURE = "wq_signature", 0x4, 0x1;
    END_PADDING_MODE = "end_padding_mode", 0x5, 0x2;
    CD_SLAVE = "cd_slave", 0x7, 0x1;
    HDS_SKIP_FIRST_SGE = "hds_skip_first_sge", 0x20, 0x1;
    LOG2_HDS_BUF_SIZE = "log2_hds_buf_size", 0x21, 0x3;
    PAGE_OFFSET = "page_offset", 0x2b, 0x5;
    LWM = "lwm", 0x30, 0x10;
    PD = "pd", 0x48, 0x18;
    UAR_PAGE = "uar_page", 0x68, 0x18;
    DBR_ADDR = "dbr_addr", 0x80, 0x40;
    HW_COUNTER = "hw_counter", 0xc0, 0x20;
    SW_COUNTER = "sw_counter", 0xe0, 0x20;
    LOG_WQ_STRIDE = "log_wq_stride", 0x10c, 0x4;
    LOG_WQ_PG_SZ = "log_wq_pg_sz", 0x113, 0x5;
    LOG_WQ_SZ = "log_wq_sz", 0x11b, 0x5;
    DBR_UMEM_VALID = "dbr_umem_valid", 0x120, 0x1;
    WQ_UMEM_VALID = "wq_umem_valid", 0x121, 0x1;
    LOG_HAIRPIN_NUM_PACKETS = "log_hairpin_num_packets", 0x123, 0x5;
    LOG_HAIRPIN_DATA_SZ = "log_hairpin_data_sz", 0x12b, 0x5;
    SINGLE_WQE_LOG_NUM_OF_STRIDES = "single_wqe_log_num_of_strides", 0x134, 0x4;
    TWO_BYTE_SHIFT_EN = "two_byte_shift_en", 0x138, 0x1;
    SINGLE_STRIDE_LOG_NUM_OF_BYTES = "single_stride_log_num_of_bytes", 0x13d, 0x3;
    DBR_UMEM_ID = "dbr_umem_id", 0x140, 0x20;
    WQ_UMEM_ID = "wq_umem_id", 0x160, 0x20;
    WQ_UMEM_OFFSET = "wq_umem_offset", 0x180, 0x40;
}

layout! {
    /// PRM layout `rmpc`.
    rmpc, Rmpc, 1920;
    STATE = "state", 0x8, 0x4;
    BASIC_CYCLIC_RCV_WQE = "basic_cyclic_rcv_wqe", 0x20, 0x1;
    WQ = "wq", 0x180, 0x600 => Wq;
}

layout! {
    /// PRM layout `rmp_bitmask`.
    rmp_bitmask, RmpBitmask, 64;
    LWM = "lwm", 0x3f, 0x1;
}

layout! {
    /// PRM layout `create_rmp_in`.
    create_rmp_in, CreateRmpIn, 2176;
    OPCODE = "opcode", 0x0, 0x10;
    UID = "uid", 0x10, 0x10;
    OP_MOD = "op_mod", 0x30, 0x10;
    CTX = "ctx", 0x100, 0x780 => Rmpc;
}

layout! {
    /// PRM layout `create_rmp_out`.
    create_rmp_out, CreateRmpOut, 128;
    STATUS = "status", 0x0, 0x8;
    SYNDROME = "syndrome", 0x20, 0x20;
    RMPN = "rmpn", 0x48, 0x18;
}

layout! {
    /// PRM layout `modify_rmp_in`.
    modify_rmp_in, ModifyRmpIn, 2176;
    OPCODE = "opcode", 0x0, 0x10;
    UID = "uid", 0x10, 0x10;
    OP_MOD = "op_mod", 0x30, 0x10;
    RMP_STATE = "rmp_state", 0x40, 0x4;
    RMPN = "rmpn", 0x48, 0x18;
    BITMASK = "bitmask", 0x80, 0x40 => RmpBitmask;
    CTX = "ctx", 0x100, 0x780 => Rmpc;
}
