//! Queue pair context and the commands that carry it (PRM: Queue Pair).

use super::layout;

layout! {
    /// PRM layout `qpc`.
    qpc, Qpc, 1856;
    STATE = "state", 0x0, 0x4;
    LAG_TX_PORT_AFFINITY = "lag_tx_port_affinity", 0x4, 0x4;
    ST = "st", 0x8, 0x8;
    ISOLATE_VL_TC = "isolate_vl_tc", 0x12, 0x1;
    PM_STATE = "pm_state", 0x13, 0x2;
    REQ_E2E_CREDIT_MODE = "req_e2e_credit_mode", 0x16, 0x2;
    OFFLOAD_TYPE = "offload_type", 0x18, 0x4;
    END_PADDING_MODE = "end_padding_mode", 0x1c, 0x2;
    WQ_SIGNATURE = "wq_signature", 0x20, 0x1;
    BLOCK_LB_MC = "block_lb_mc", 0x21, 0x1;
    ATOMIC_LIKE_WRITE_EN = "atomic_like_write_en", 0x22, 0x1;
    LATENCY_SENSITIVE = "latency_sensitive", 0x23, 0x1;
    DRAIN_SIGERR = "drain_sigerr", 0x25, 0x1;
    PD = "pd", 0x28, 0x18;
    MTU = "mtu", 0x40, 0x3;
    LOG_MSG_MAX = "log_msg_max", 0x43, 0x5;
    LOG_RQ_SIZE = "log_rq_size", 0x49, 0x4;
    LOG_RQ_STRIDE = "log_rq_stride", 0x4d, 0x3;
    NO_SQ = "no_sq", 0x50, 0x1;
    LOG_SQ_SIZE = "log_sq_size", 0x51, 0x4;
    TS_FORMAT = "ts_format", 0x58, 0x2;
    DATA_IN_ORDER = "data_in_order", 0x5a, 0x1;
    RLKY = "rlky", 0x5b, 0x1;
    ULP_STATELESS_OFFLOAD_MODE = "ulp_stateless_offload_mode", 0x5c, 0x4;
    COUNTER_SET_ID = "counter_set_id", 0x60, 0x8;
    UAR_PAGE = "uar_page", 0x68, 0x18;
    SEND_DBR_MODE = "send_dbr_mode", 0x80, 0x2;
    USER_INDEX = "user_index", 0x88, 0x18;
    LOG_PAGE_SIZE = "log_page_size", 0xa3, 0x5;
    REMOTE_QPN = "remote_qpn", 0xa8, 0x18;
    PRIMARY_ADDRESS_PATH = "primary_address_path", 0xc0, 0x160 => Ads;
    SECONDARY_ADDRESS_PATH = "secondary_address_path", 0x220, 0x160 => Ads;
    LOG_ACK_REQ_FREQ = "log_ack_req_freq", 0x380, 0x4;
    LOG_SRA_MAX = "log_sra_max", 0x388, 0x3;
    RETRY_COUNT = "retry_count", 0x38d, 0x3;
    RNR_RETRY = "rnr_retry", 0x390, 0x3;
    FRE = "fre", 0x394, 0x1;
    CUR_RNR_RETRY = "cur_rnr_retry", 0x395, 0x3;
    CUR_RETRY_COUNT = "cur_retry_count", 0x398, 0x3;
    NEXT_SEND_PSN = "next_send_psn", 0x3c8, 0x18;
    CQN_SND = "cqn_snd", 0x3e8, 0x18;
    DETH_SQPN = "deth_sqpn", 0x408, 0x18;
    LAST_ACKED_PSN = "last_acked_psn", 0x448, 0x18;
    SSN = "ssn", 0x468, 0x18;
    LOG_RRA_MAX = "log_rra_max", 0x488, 0x3;
    ATOMIC_MODE = "atomic_mode", 0x48c, 0x4;
    RRE = "rre", 0x490, 0x1;
    RWE = "rwe", 0x491, 0x1;
    RAE = "rae", 0x492, 0x1;
    PAGE_OFFSET = "page_offset", 0x494, 0x6;
    CD_SLAVE_RECEIVE = "cd_slave_receive", 0x49d, 0x1;
    CD_SLAVE_SEND = "cd_slave_send", 0x49e, 0x1;
    CD_MASTER = "cd_master", 0x49f, 0x1;
    MIN_RNR_NAK = "min_rnr_nak", 0x4a3, 0x5;
    NEXT_RCV_PSN = "next_rcv_psn", 0x4a8, 0x18;
    XRCD = "xrcd", 0x4c8, 0x18;
    CQN_RCV = "cqn_rcv", 0x4e8, 0x18;
    DBR_ADDR = "dbr_addr", 0x500, 0x40;
    Q_KEY = "q_key", 0x540, 0x20;
    RQ_TYPE = "rq_type", 0x565, 0x3;
    SRQN_RMPN_XRQN = "srqn_rmpn_xrqn", 0x568, 0x18;
    RMSN = "rmsn", 0x588, 0x18;
    HW_SQ_WQEBB_COUNTER = "hw_sq_wqebb_counter", 0x5a0, 0x10;
    SW_SQ_WQEBB_COUNTER = "sw_sq_wqebb_counter", 0x5b0, 0x10;
    HW_RQ_COUNTER = "hw_rq_counter", 0x5c0, 0x20;
    SW_RQ_COUNTER = "sw_rq_counter", 0x5e0, 0x20;
    CGS = "cgs", 0x62f, 0x1;
    CS_REQ = "cs_req", 0x630, 0x8;
    CS_RES = "cs_res", 0x638, 0x8;
    DC_ACCESS_KEY = "dc_access_key", 0x640, 0x40;
    DBR_UMEM_VALID = "dbr_umem_valid", 0x683, 0x1;
    DBR_UMEM_ID = "dbr_umem_id", 0x720, 0x20;
}

layout! {
    /// PRM layout `ads`.
    ads, Ads, 352;
    FL = "fl", 0x0, 0x1;
    FREE_AR = "free_ar", 0x1, 0x1;
    PKEY_INDEX = "pkey_index", 0x10, 0x10;
    GRH = "grh", 0x28, 0x1;
    MLID = "mlid", 0x29, 0x7;
    RLID = "rlid", 0x30, 0x10;
    ACK_TIMEOUT = "ack_timeout", 0x40, 0x5;
    SRC_ADDR_INDEX = "src_addr_index", 0x48, 0x8;
    STAT_RATE = "stat_rate", 0x54, 0x4;
    HOP_LIMIT = "hop_limit", 0x58, 0x8;
    TCLASS = "tclass", 0x64, 0x8;
    FLOW_LABEL = "flow_label", 0x6c, 0x14;
    RGID_RIP = "rgid_rip", 0x80, 0x80;
    F_DSCP = "f_dscp", 0x104, 0x1;
    F_ECN = "f_ecn", 0x105, 0x1;
    F_ETH_PRIO = "f_eth_prio", 0x107, 0x1;
    ECN = "ecn", 0x108, 0x2;
    DSCP = "dscp", 0x10a, 0x6;
    UDP_SPORT = "udp_sport", 0x110, 0x10;
    DEI_CFI = "dei_cfi", 0x120, 0x1;
    ETH_PRIO = "eth_prio", 0x121, 0x3;
    SL = "sl", 0x124, 0x4;
    VHCA_PORT_NUM = "vhca_port_num", 0x128, 0x8;
    RMAC_47_32 = "rmac_47_32", 0x130, 0x10;
    RMAC_31_0 = "rmac_31_0", 0x140, 0x20;
}

layout! {
    /// PRM layout `qpc_ext`.
    qpc_ext, QpcExt, 1536;
    MMO = "mmo", 0x2, 0x1;
    DCI_STREAM_CHANNEL_ID = "dci_stream_channel_id", 0x10, 0x10;
    QOS_QUEUE_GROUP_ID_REQUESTER = "qos_queue_group_id_requester", 0x20, 0x20;
    QOS_QUEUE_GROUP_ID_RESPONDER = "qos_queue_group_id_responder", 0x40, 0x20;
}

layout! {
    /// PRM layout `create_qp_in`.
    create_qp_in, CreateQpIn, 2176;
    OPCODE = "opcode", 0x0, 0x10;
    UID = "uid", 0x10, 0x10;
    OP_MOD = "op_mod", 0x30, 0x10;
    QPC_EXT = "qpc_ext", 0x40, 0x1;
    OPT_PARAM_MASK = "opt_param_mask", 0x80, 0x20;
    QPC = "qpc", 0xc0, 0x740 => Qpc;
    WQ_UMEM_OFFSET = "wq_umem_offset", 0x800, 0x40;
    WQ_UMEM_ID = "wq_umem_id", 0x840, 0x20;
    WQ_UMEM_VALID = "wq_umem_valid", 0x860, 0x1;
}

layout! {
    /// PRM layout `create_qp_out`.
    create_qp_out, CreateQpOut, 128;
    STATUS = "status", 0x0, 0x8;
    SYNDROME = "syndrome", 0x20, 0x20;
    QPN = "qpn", 0x48, 0x18;
}

layout! {
    /// PRM layout `destroy_qp_in`.
    destroy_qp_in, DestroyQpIn, 128;
    OPCODE = "opcode", 0x0, 0x10;
    UID = "uid", 0x10, 0x10;
    QPN = "qpn", 0x48, 0x18;
}

layout! {
    /// PRM layout `rst2init_qp_in`.
    rst2init_qp_in, Rst2initQpIn, 2176;
    OPCODE = "opcode", 0x0, 0x10;
    UID = "uid", 0x10, 0x10;
    OP_MOD = "op_mod", 0x30, 0x10;
    QPN = "qpn", 0x48, 0x18;
    OPT_PARAM_MASK = "opt_param_mask", 0x80, 0x20;
    QPC = "qpc", 0xc0, 0x740 => Qpc;
}

layout! {
    /// PRM layout `init2init_qp_in`.
    init2init_qp_in, Init2initQpIn, 3712;
    OPCODE = "opcode", 0x0, 0x10;
    UID = "uid", 0x10, 0x10;
    OP_MOD = "op_mod", 0x30, 0x10;
    QPC_EXT = "qpc_ext", 0x40, 0x1;
    QPN = "qpn", 0x48, 0x18;
    OPT_PARAM_MASK = "opt_param_mask", 0x80, 0x20;
    QPC = "qpc", 0xc0, 0x740 => Qpc;
    OPT_PARAM_MASK_95_32 = "opt_param_mask_95_32", 0x840, 0x40;
    QPC_DATA_EXT = "qpc_data_ext", 0x880, 0x600 => QpcExt;
}

layout! {
    /// PRM layout `init2rtr_qp_in`.
    init2rtr_qp_in, Init2rtrQpIn, 2176;
    OPCODE = "opcode", 0x0, 0x10;
    UID = "uid", 0x10, 0x10;
    OP_MOD = "op_mod", 0x30, 0x10;
    QPN = "qpn", 0x48, 0x18;
    OPT_PARAM_MASK = "opt_param_mask", 0x80, 0x20;
    QPC = "qpc", 0xc0, 0x740 => Qpc;
}

layout! {
    /// PRM layout `rtr2rts_qp_in`.
    rtr2rts_qp_in, Rtr2rtsQpIn, 2176;
    OPCODE = "opcode", 0x0, 0x10;
    UID = "uid", 0x10, 0x10;
    OP_MOD = "op_mod", 0x30, 0x10;
    QPN = "qpn", 0x48, 0x18;
    OPT_PARAM_MASK = "opt_param_mask", 0x80, 0x20;
    QPC = "qpc", 0xc0, 0x740 => Qpc;
}

layout! {
    /// PRM layout `rts2rts_qp_in`.
    rts2rts_qp_in, Rts2rtsQpIn, 3712;
    OPCODE = "opcode", 0x0, 0x10;
    UID = "uid", 0x10, 0x10;
    OP_MOD = "op_mod", 0x30, 0x10;
    QPC_EXT = "qpc_ext", 0x40, 0x1;
    QPN = "qpn", 0x48, 0x18;
    OPT_PARAM_MASK = "opt_param_mask", 0x80, 0x20;
    QPC = "qpc", 0xc0, 0x740 => Qpc;
    OPT_PARAM_MASK_95_32 = "opt_param_mask_95_32", 0x840, 0x40;
    QPC_DATA_EXT = "qpc_data_ext", 0x880, 0x600 => QpcExt;
}

layout! {
    /// PRM layout `sqerr2rts_qp_in`.
    sqerr2rts_qp_in, Sqerr2rtsQpIn, 2176;
    OPCODE = "opcode", 0x0, 0x10;
    UID = "uid", 0x10, 0x10;
    OP_MOD = "op_mod", 0x30, 0x10;
    QPN = "qpn", 0x48, 0x18;
    OPT_PARAM_MASK = "opt_param_mask", 0x80, 0x20;
    QPC = "qpc", 0xc0, 0x740 => Qpc;
}

layout! {
    /// PRM layout `qp_2err_in`.
    qp_2err_in, Qp2errIn, 128;
    OPCODE = "opcode", 0x0, 0x10;
    UID = "uid", 0x10, 0x10;
    VHCA_TUNNEL_ID = "vhca_tunnel_id", 0x20, 0x10;
    OP_MOD = "op_mod", 0x30, 0x10;
    QPN = "qpn", 0x48, 0x18;
}

layout! {
    /// PRM layout `qp_2rst_in`.
    qp_2rst_in, Qp2rstIn, 128;
    OPCODE = "opcode", 0x0, 0x10;
    UID = "uid", 0x10, 0x10;
    VHCA_TUNNEL_ID = "vhca_tunnel_id", 0x20, 0x10;
    OP_MOD = "op_mod", 0x30, 0x10;
    QPN = "qpn", 0x48, 0x18;
}

layout! {
    /// PRM layout `query_qp_in`.
    query_qp_in, QueryQpIn, 128;
    OPCODE = "opcode", 0x0, 0x10;
    OP_MOD = "op_mod", 0x30, 0x10;
    QPN = "qpn", 0x48, 0x18;
}

layout! {
    /// PRM layout `query_qp_out`.
    query_qp_out, QueryQpOut, 2176;
    STATUS = "status", 0x0, 0x8;
    SYNDROME = "syndrome", 0x20, 0x20;
    OPT_PARAM_MASK = "opt_param_mask", 0x80, 0x20;
    QPC = "qpc", 0xc0, 0x740 => Qpc;
}
