//! QUERY_HCA_CAP: what the device can do.

use gpunetio_prm::command::{CapabilityPage, PortType, atomic_operations};
use gpunetio_prm::layout::capability::{
    AtomicCaps, CmdHcaCap, CmdHcaCap2, QueryHcaCapIn, QueryHcaCapOut, RoceCap, atomic_caps,
    cmd_hca_cap as cap, cmd_hca_cap_2 as cap2, query_hca_cap_in, query_hca_cap_out, roce_cap,
};
use gpunetio_prm::layout::{Layout, View};

use super::{Outcome, put};
use crate::device::Device;
use crate::port::{GID_TABLE_SIZE, ROCE_UDP_PORT, UDP_SOURCE_PORTS};
use crate::syndrome::{self, Refusal};

/// Bits of `roce_cap.roce_version`: a bit for each version spoken.
const ROCE_VERSIONS: u8 = 1 << 0 | 1 << 2;
/// `roce_cap.l3_type` bits: IPv4 and IPv6.
const L3_TYPES: u8 = 0b11;
/// `atomic_caps.atomic_size_qp`: a bit for each size in bytes.
const ATOMIC_SIZES: u16 = 4 | 8;
/// `gid_table_size` code: 8 << code entries. 128 is the nearest code below the table; on Ethernet clients read the RoCE page.
const GID_TABLE_CODE: u16 = 4;
/// `pkey_table_size` code: 128 << code entries.
const PKEY_TABLE_CODE: u16 = 0;

/// A page has one answer: what can be set is what is set, so maximum and current values agree.
pub(super) fn query(device: &Device, input: &[u8], output: &mut [u8]) -> Outcome {
    let cmd = super::input::<QueryHcaCapIn>(input)?;
    for field in [query_hca_cap_in::OTHER_FUNCTION, query_hca_cap_in::FUNCTION_ID] {
        if cmd.is_set(field) {
            return Err(syndrome::OTHER_FUNCTION.because(field.info().name, cmd.get(field)));
        }
    }
    let op_mod = cmd.get(query_hca_cap_in::OP_MOD);
    let mut out = super::output::<QueryHcaCapOut>(output)?;
    match CapabilityPage((op_mod >> 1) as u16) {
        CapabilityPage::GENERAL => general(device, &mut page::<CmdHcaCap>(&mut out)?),
        // No on-demand paging: all zero.
        CapabilityPage::ODP => {}
        CapabilityPage::ATOMIC => atomic(&mut page::<AtomicCaps>(&mut out)?),
        CapabilityPage::ROCE => roce(&mut page::<RoceCap>(&mut out)?),
        CapabilityPage::GENERAL_2 => {
            put(&mut page::<CmdHcaCap2>(&mut out)?, cap2::SEND_DBR_MODE_NO_DBR_EXT, 1u8);
        }
        _ => return Err(syndrome::CAPABILITY_PAGE.because("op_mod", op_mod)),
    }
    Ok(())
}

fn page<'a, L: Layout>(
    out: &'a mut View<QueryHcaCapOut, &mut [u8]>,
) -> Result<View<L, &'a mut [u8]>, Refusal> {
    out.region_mut(query_hca_cap_out::CAPABILITY)
        .map_err(|short| syndrome::OUTPUT_SHORT.because("output bytes", short.have as u64))
}

fn general(device: &Device, page: &mut View<CmdHcaCap, &mut [u8]>) {
    let limits = device.limits;
    for (field, value) in [
        (cap::HCA_CAP_2, 1),
        (cap::VHCA_ID, device.index as u64),
        (cap::LOG_MAX_SRQ_SZ, limits.log_max_srq_sz.into()),
        (cap::LOG_MAX_QP_SZ, limits.log_max_qp_sz.into()),
        (cap::LOG_MAX_QP, limits.log_max_qp.into()),
        (cap::LOG_MAX_SRQ, limits.log_max_rmp.into()),
        (cap::LOG_MAX_CQ_SZ, limits.log_max_cq_sz.into()),
        (cap::LOG_MAX_CQ, limits.log_max_cq.into()),
        (cap::LOG_MAX_MKEY, limits.log_max_mkey.into()),
        (cap::LOG_MAX_RA_REQ_QP, limits.log_max_ra_req_qp.into()),
        (cap::LOG_MAX_RA_RES_QP, limits.log_max_ra_res_qp.into()),
        (cap::RTS2RTS_QP_DSCP, 1),
        (cap::GID_TABLE_SIZE, GID_TABLE_CODE.into()),
        (cap::PKEY_TABLE_SIZE, PKEY_TABLE_CODE.into()),
        (cap::PORT_TYPE, PortType::ETHERNET.into()),
        (cap::NUM_PORTS, 1),
        (cap::LOG_MAX_MSG, limits.log_max_msg.into()),
        (cap::CQE_VERSION, 1),
        (cap::ROCE, 1),
        (cap::ATOMIC, 1),
        (cap::CQ_OI, 1),
        (cap::CD, 1),
        (cap::UC, 1),
        (cap::RC, 1),
        (cap::UAR_4K, 1),
        (cap::LOG_PG_SZ, 12),
        (cap::BF, 1),
        (cap::LOG_BF_REG_SIZE, limits.log_bf_reg_size.into()),
        (cap::MAX_WQE_SZ_SQ, limits.max_wqe_sz.into()),
        (cap::MAX_WQE_SZ_RQ, limits.max_wqe_sz.into()),
        (cap::LOG_MAX_PD, limits.log_max_pd.into()),
        (cap::BASIC_CYCLIC_RCV_WQE, 1),
        (cap::LOG_MAX_RMP, limits.log_max_rmp.into()),
        (cap::LOG_MAX_WQ_SZ, limits.log_max_qp_sz.into()),
        (cap::LOG_MAX_ATOMIC_SIZE_QP, 3),
        (cap::NUM_VHCA_PORTS, 1),
    ] {
        put(page, field, value);
    }
}

fn atomic(page: &mut View<AtomicCaps, &mut [u8]>) {
    let operations = atomic_operations::COMPARE_SWAP
        | atomic_operations::FETCH_ADD
        | atomic_operations::MASKED_COMPARE_SWAP
        | atomic_operations::MASKED_FETCH_ADD;
    for (field, value) in [
        // The values of an 8-byte atomic's answer are in host order, as clients of GPUs need it.
        (atomic_caps::ATOMIC_REQ_8B_ENDIANNESS_MODE, 1),
        (atomic_caps::SUPPORTED_ATOMIC_REQ_8B_ENDIANNESS_MODE_1, 1),
        (atomic_caps::ATOMIC_OPERATIONS, operations),
        (atomic_caps::ATOMIC_SIZE_QP, ATOMIC_SIZES),
        (atomic_caps::ATOMIC_SIZE_DC, ATOMIC_SIZES),
    ] {
        put(page, field, value);
    }
}

fn roce(page: &mut View<RoceCap, &mut [u8]>) {
    for (field, value) in [
        (roce_cap::SW_R_ROCE_SRC_UDP_PORT, 1),
        (roce_cap::L3_TYPE, L3_TYPES.into()),
        (roce_cap::ROCE_VERSION, ROCE_VERSIONS.into()),
        (roce_cap::R_ROCE_DEST_UDP_PORT, ROCE_UDP_PORT),
        (roce_cap::R_ROCE_MAX_SRC_UDP_PORT, *UDP_SOURCE_PORTS.end()),
        (roce_cap::R_ROCE_MIN_SRC_UDP_PORT, *UDP_SOURCE_PORTS.start()),
        (roce_cap::ROCE_ADDRESS_TABLE_SIZE, GID_TABLE_SIZE as u16),
    ] {
        put(page, field, value);
    }
}
