//! Reads a device's attributes: ibv_query_device and the capability pages.
#![allow(unsafe_code)]

use core::mem::MaybeUninit;

use gpunetio_prm::command::{CapabilityPage, Opcode, PortType};
use gpunetio_prm::layout::capability::{
    CmdHcaCap, CmdHcaCap2, QueryHcaCapIn, QueryHcaCapOut, RoceCap, cmd_hca_cap, cmd_hca_cap_2,
    query_hca_cap_in, query_hca_cap_out, roce_cap,
};
use gpunetio_prm::layout::{Layout, View};

use crate::device_attr::DeviceAttributes;
use crate::error::{Error, Result};
use crate::nic::NicInner;
use crate::sys;

fn page<L: Layout>(nic: &NicInner, page: CapabilityPage) -> Result<View<L, Vec<u8>>> {
    let mut cmd = View::<QueryHcaCapIn, Vec<u8>>::zeroed();
    cmd.set(query_hca_cap_in::OPCODE, Opcode::QUERY_HCA_CAP)?;
    cmd.set(query_hca_cap_in::OP_MOD, page.current())?;
    let out = nic.devx_general::<QueryHcaCapOut>(cmd.as_bytes())?;
    let bytes = out.region::<L>(query_hca_cap_out::CAPABILITY)?.as_bytes().to_vec();
    Ok(View::new(bytes)?)
}

fn verbs_attributes(nic: &NicInner) -> Result<sys::ibv_device_attr> {
    let mut attr = MaybeUninit::<sys::ibv_device_attr>::zeroed();
    // SAFETY: the context is open and `attr` has the struct's size.
    let rc = unsafe { (nic.provider.verbs.query_device)(nic.context.as_ptr(), attr.as_mut_ptr()) };
    match rc {
        // SAFETY: every field is an integer, so zeroes filled by the call are a valid value.
        0 => Ok(unsafe { attr.assume_init() }),
        rc => Err(Error::code("ibv_query_device", &nic.name, rc)),
    }
}

/// Reads the attributes of a device.
pub(super) fn read(nic: &NicInner) -> Result<DeviceAttributes> {
    let verbs = verbs_attributes(nic)?;
    let cap = page::<CmdHcaCap>(nic, CapabilityPage::GENERAL)?;
    let port_type = PortType(cap.get(cmd_hca_cap::PORT_TYPE) as u8);
    let ethernet = port_type == PortType::ETHERNET;
    let roce = match ethernet {
        true => Some(page::<RoceCap>(nic, CapabilityPage::ROCE)?),
        false => None,
    };
    let cap_2 = match cap.is_set(cmd_hca_cap::HCA_CAP_2) {
        true => Some(page::<CmdHcaCap2>(nic, CapabilityPage::GENERAL_2)?),
        false => None,
    };
    let count = |value: i32| value.max(0) as u32;
    let narrow = |value: i32| value.clamp(0, u8::MAX.into()) as u8;
    let roce_field = |field| roce.as_ref().map_or(0, |r| r.get(field));
    Ok(DeviceAttributes {
        vendor_id: verbs.vendor_id,
        vendor_part_id: verbs.vendor_part_id,
        max_qp: count(verbs.max_qp),
        max_qp_wr: count(verbs.max_qp_wr),
        max_sge: count(verbs.max_sge),
        max_cq: count(verbs.max_cq),
        max_cqe: count(verbs.max_cqe),
        max_mr: count(verbs.max_mr),
        max_pd: count(verbs.max_pd),
        max_ah: count(verbs.max_ah),
        max_srq: count(verbs.max_srq),
        max_srq_wr: count(verbs.max_srq_wr),
        max_srq_sge: count(verbs.max_srq_sge),
        max_pkeys: verbs.max_pkeys,
        max_qp_rd_atom: narrow(verbs.max_qp_rd_atom),
        max_qp_init_rd_atom: narrow(verbs.max_qp_init_rd_atom),
        phys_port_cnt: verbs.phys_port_cnt,
        gid_table_size: match ethernet {
            true => roce_field(roce_cap::ROCE_ADDRESS_TABLE_SIZE) as u32,
            // On InfiniBand the field is a code: 8 entries, doubled by each step.
            false => 8 << cap.get(cmd_hca_cap::GID_TABLE_SIZE).min(16),
        },
        port_type,
        rc: cap.is_set(cmd_hca_cap::RC),
        uc: cap.is_set(cmd_hca_cap::UC),
        core_direct: cap.is_set(cmd_hca_cap::CD),
        max_wqe_sz_sq: cap.get(cmd_hca_cap::MAX_WQE_SZ_SQ) as u32,
        max_wqe_sz_rq: cap.get(cmd_hca_cap::MAX_WQE_SZ_RQ) as u32,
        log_max_qp_sz: cap.get(cmd_hca_cap::LOG_MAX_QP_SZ) as u8,
        rts2rts_qp_dscp: cap.is_set(cmd_hca_cap::RTS2RTS_QP_DSCP),
        send_dbr_mode_no_dbr_ext: cap_2
            .is_some_and(|c| c.is_set(cmd_hca_cap_2::SEND_DBR_MODE_NO_DBR_EXT)),
        roce_udp_sport: (
            roce_field(roce_cap::R_ROCE_MIN_SRC_UDP_PORT) as u16,
            roce_field(roce_cap::R_ROCE_MAX_SRC_UDP_PORT) as u16,
        ),
        num_lag_ports: cap.get(cmd_hca_cap::NUM_LAG_PORTS) as u8,
        lag_tx_port_affinity: cap.is_set(cmd_hca_cap::LAG_TX_PORT_AFFINITY),
        rts2rts_lag_tx_port_affinity: cap.is_set(cmd_hca_cap::RTS2RTS_LAG_TX_PORT_AFFINITY),
    })
}
