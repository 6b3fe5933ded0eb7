//! Protection domains, UAR pages and the general command header.

use super::layout;

layout! {
    /// PRM layout `alloc_pd_in`.
    alloc_pd_in, AllocPdIn, 128;
    OPCODE = "opcode", 0x0, 0x10;
    UID = "uid", 0x10, 0x10;
    OP_MOD = "op_mod", 0x30, 0x10;
}

layout! {
    /// PRM layout `alloc_pd_out`.
    alloc_pd_out, AllocPdOut, 128;
    STATUS = "status", 0x0, 0x8;
    SYNDROME = "syndrome", 0x20, 0x20;
    PD = "pd", 0x48, 0x18;
}

layout! {
    /// PRM layout `alloc_uar_in`.
    alloc_uar_in, AllocUarIn, 128;
    OPCODE = "opcode", 0x0, 0x10;
    OP_MOD = "op_mod", 0x30, 0x10;
}

layout! {
    /// PRM layout `alloc_uar_out`.
    alloc_uar_out, AllocUarOut, 128;
    STATUS = "status", 0x0, 0x8;
    SYNDROME = "syndrome", 0x20, 0x20;
    UAR = "uar", 0x48, 0x18;
}

layout! {
    /// PRM layout `general_obj_in_cmd_hdr`.
    general_obj_in_cmd_hdr, GeneralObjInCmdHdr, 128;
    OPCODE = "opcode", 0x0, 0x10;
    UID = "uid", 0x10, 0x10;
    OBJ_TYPE = "obj_type", 0x30, 0x10;
    OBJ_ID = "obj_id", 0x40, 0x20;
    ALIAS_OBJECT = "alias_object", 0x60, 0x1;
    LOG_OBJ_RANGE = "log_obj_range", 0x63, 0x5;
}

layout! {
    /// PRM layout `general_obj_out_cmd_hdr`.
    general_obj_out_cmd_hdr, GeneralObjOutCmdHdr, 128;
    STATUS = "status", 0x0, 0x8;
    SYNDROME = "syndrome", 0x20, 0x20;
    OBJ_ID = "obj_id", 0x40, 0x20;
}
