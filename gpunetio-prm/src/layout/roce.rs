//! RoCE address table (PRM: QUERY_ROCE_ADDRESS).

use super::layout;

layout! {
    /// PRM layout `query_roce_address_in`.
    query_roce_address_in, QueryRoceAddressIn, 128;
    OPCODE = "opcode", 0x0, 0x10;
    OP_MOD = "op_mod", 0x30, 0x10;
    ROCE_ADDRESS_INDEX = "roce_address_index", 0x40, 0x10;
    VHCA_PORT_NUM = "vhca_port_num", 0x5c, 0x4;
}

layout! {
    /// PRM layout `query_roce_address_out`.
    query_roce_address_out, QueryRoceAddressOut, 128;
    STATUS = "status", 0x0, 0x8;
    SYNDROME = "syndrome", 0x20, 0x20;
    ROCE_ADDRESS_NUM = "roce_address_num", 0x60, 0x10;
}

layout! {
    /// PRM layout `roce_addr_layout`.
    roce_addr_layout, RoceAddrLayout, 256;
    SOURCE_L3_ADDRESS = "source_l3_address", 0x0, 0x80;
    RX_ALLOW_UNTAGGED = "rx_allow_untagged", 0x82, 0x1;
    VLAN_VALID = "vlan_valid", 0x83, 0x1;
    VLAN_ID = "vlan_id", 0x84, 0xc;
    SOURCE_MAC_47_32 = "source_mac_47_32", 0x90, 0x10;
    SOURCE_MAC_31_0 = "source_mac_31_0", 0xa0, 0x20;
    ROCE_L3_TYPE = "roce_l3_type", 0xd4, 0x4;
    ROCE_VERSION = "roce_version", 0xd8, 0x8;
}
