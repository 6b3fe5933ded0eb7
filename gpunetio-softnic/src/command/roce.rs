//! QUERY_ROCE_ADDRESS: an entry of the GID table.

use gpunetio_prm::layout::Layout;
use gpunetio_prm::layout::roce::{
    QueryRoceAddressIn, QueryRoceAddressOut, RoceAddrLayout, query_roce_address_in,
    query_roce_address_out, roce_addr_layout,
};

use super::{Outcome, check_op_mod, put};
use crate::device::Device;
use crate::port::{GID_TABLE_SIZE, PORT_NUMBER};
use crate::syndrome;

/// Answers one entry; an empty one is all zero.
pub(super) fn query_address(device: &Device, input: &[u8], output: &mut [u8]) -> Outcome {
    let cmd = super::input::<QueryRoceAddressIn>(input)?;
    check_op_mod(input)?;
    let index = cmd.get(query_roce_address_in::ROCE_ADDRESS_INDEX);
    if index >= GID_TABLE_SIZE as u64 {
        return Err(syndrome::ROCE_INDEX.because("roce_address_index", index));
    }
    let port = cmd.get(query_roce_address_in::VHCA_PORT_NUM);
    if port > PORT_NUMBER.into() {
        return Err(syndrome::PORT.because("vhca_port_num", port));
    }
    let bytes = output.len() as u64;
    let (header, table) = output.split_at_mut(QueryRoceAddressOut::BYTES);
    let mut header = super::output::<QueryRoceAddressOut>(header)?;
    if table.len() < RoceAddrLayout::BYTES {
        return Err(syndrome::OUTPUT_SHORT.because("output bytes", bytes));
    }
    let mut entry = super::output::<RoceAddrLayout>(table)?;
    put(&mut header, query_roce_address_out::ROCE_ADDRESS_NUM, 1u8);
    let Some(address) = device.port.gid(index as usize) else { return Ok(()) };
    entry.octets_mut(roce_addr_layout::SOURCE_L3_ADDRESS).copy_from_slice(&address.gid.0);
    let [m0, m1, m2, m3, m4, m5] = device.port.mac.0;
    put(&mut entry, roce_addr_layout::SOURCE_MAC_47_32, u16::from_be_bytes([m0, m1]));
    put(&mut entry, roce_addr_layout::SOURCE_MAC_31_0, u32::from_be_bytes([m2, m3, m4, m5]));
    put(&mut entry, roce_addr_layout::ROCE_L3_TYPE, u8::from(!address.is_ipv4()));
    put(&mut entry, roce_addr_layout::ROCE_VERSION, address.version);
    Ok(())
}
