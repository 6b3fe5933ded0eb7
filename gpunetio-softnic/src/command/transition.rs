//! QP transitions.
//!
//! Each has fields that it always applies and optional ones, which it applies where their bit of `opt_param_mask` is set;
//! a bit that a transition does not know is refused. All checks come before the first change.

use gpunetio_prm::command::{MtuCode, Opcode, OptParam, PmState, QpState, ServiceType};
use gpunetio_prm::id::{Gid, Mac, Psn, Qpn};
use gpunetio_prm::layout::qp::{
    Ads, Init2initQpIn, Qp2errIn, Qpc, Rst2initQpIn, ads, init2init_qp_in, qp_2err_in, qpc,
    rst2init_qp_in,
};
use gpunetio_prm::layout::{Layout, View};

use super::{Outcome, check_op_mod, check_zero};
use crate::device::{Device, Fabric};
use crate::object::{Path, Qp, QpAttributes};
use crate::port::{PORT_NUMBER, UDP_SOURCE_PORTS};
use crate::syndrome::{self, Refusal};
use crate::{doorbell, engine};

/// Largest `qpc.atomic_mode`: up to 256 bytes.
const MAX_ATOMIC_MODE: u64 = 8;

/// Executes a transition of any kind.
pub(super) fn execute(fabric: &mut Fabric, index: usize, opcode: Opcode, input: &[u8]) -> Outcome {
    check_op_mod(input)?;
    if opcode == Opcode::TO_ERR_QP || opcode == Opcode::TO_RST_QP {
        let cmd = super::input::<Qp2errIn>(input)?;
        return leave(fabric, index, opcode, Qpn(cmd.get(qp_2err_in::QPN) as u32));
    }
    // The five commands with a context agree in layout up to its end.
    let has_extension = has_extension(opcode) && input.len() >= Init2initQpIn::BYTES;
    let cmd: View<Rst2initQpIn, _> = if has_extension {
        let full = super::input::<Init2initQpIn>(input)?;
        check_zero(&full, &[init2init_qp_in::QPC_EXT, init2init_qp_in::OPT_PARAM_MASK_95_32])?;
        super::input(&input[..Rst2initQpIn::BYTES])?
    } else {
        super::input(input)?
    };
    let qpn = Qpn(cmd.get(rst2init_qp_in::QPN) as u32);
    let mask = OptParam(cmd.get(rst2init_qp_in::OPT_PARAM_MASK) as u32);
    let context = cmd.sub(rst2init_qp_in::QPC);
    let missing = syndrome::NO_QP.because("qpn", qpn);
    doorbell::settle(fabric, index, qpn);
    let device = fabric.devices.get_mut(index).ok_or(missing)?;
    let qp = device.qps.get(qpn.0).ok_or(missing)?;
    let (from, to) = states(opcode);
    if qp.state != from {
        return Err(syndrome::WRONG_STATE.because("state of the qp", qp.state));
    }
    let unknown = mask.without(optional_params(opcode, qp.service));
    if unknown != OptParam::default() {
        return Err(syndrome::OPTIONAL_PARAM.because("opt_param_mask", unknown));
    }
    let mut attributes = match opcode {
        Opcode::RST2INIT_QP => rst2init(device, &context)?,
        Opcode::INIT2RTR_QP => init2rtr(device, qp, &context)?,
        Opcode::RTR2RTS_QP => rtr2rts(device, qp, &context)?,
        _ => qp.attributes,
    };
    apply_optional(device, &mut attributes, mask, &context)?;
    if let Some(qp) = device.qps.get_mut(qpn.0) {
        qp.attributes = attributes;
        qp.state = to;
    }
    if from != to {
        engine::activate(fabric, index, qpn);
    }
    Ok(())
}

/// 2ERR and 2RST, from any state.
fn leave(fabric: &mut Fabric, index: usize, opcode: Opcode, qpn: Qpn) -> Outcome {
    let missing = syndrome::NO_QP.because("qpn", qpn);
    if fabric.devices.get(index).and_then(|device| device.qps.get(qpn.0)).is_none() {
        return Err(missing);
    }
    doorbell::settle(fabric, index, qpn);
    if opcode == Opcode::TO_ERR_QP {
        engine::to_error(fabric, index, qpn);
        return Ok(());
    }
    engine::reset(fabric, index, qpn);
    if let Some(qp) = fabric.devices[index].qps.get_mut(qpn.0) {
        qp.state = QpState::RST;
        qp.attributes = QpAttributes::default();
    }
    Ok(())
}

/// True for commands that may carry `qpc_data_ext`. Clients built against older layouts send them without it.
fn has_extension(opcode: Opcode) -> bool {
    opcode == Opcode::INIT2INIT_QP || opcode == Opcode::RTS2RTS_QP
}

/// State that a transition starts from, and the one that it leads to.
fn states(opcode: Opcode) -> (QpState, QpState) {
    match opcode {
        Opcode::RST2INIT_QP => (QpState::RST, QpState::INIT),
        Opcode::INIT2INIT_QP => (QpState::INIT, QpState::INIT),
        Opcode::INIT2RTR_QP => (QpState::INIT, QpState::RTR),
        Opcode::RTR2RTS_QP => (QpState::RTR, QpState::RTS),
        _ => (QpState::RTS, QpState::RTS),
    }
}

/// Optional parameters of a transition (PRM: the opt_param_mask table). LAG affinity is taken and means nothing on one port.
fn optional_params(opcode: Opcode, service: ServiceType) -> OptParam {
    let rc = service == ServiceType::RC;
    // UC has neither READs nor atomics, and no RNR NAK.
    let access = if rc { OptParam::RRE | OptParam::RAE | OptParam::RWE } else { OptParam::RWE };
    let rnr = if rc { OptParam::RNR_TIMEOUT } else { OptParam::default() };
    match opcode {
        Opcode::INIT2INIT_QP => {
            access | OptParam::PKEY_INDEX | OptParam::PRI_PORT | OptParam::LAG_TX_AFF
        }
        Opcode::INIT2RTR_QP => access | OptParam::PKEY_INDEX | OptParam::LAG_TX_AFF,
        Opcode::RTR2RTS_QP => access | rnr | OptParam::PM_STATE,
        Opcode::RTS2RTS_QP => {
            access | rnr | OptParam::PM_STATE | OptParam::DSCP | OptParam::SRC_ADDR_INDEX
        }
        // RST2INIT applies its whole context.
        _ => OptParam::default(),
    }
}

/// RST2INIT: access, port, pkey and path migration state.
fn rst2init(device: &Device, context: &View<Qpc, &[u8]>) -> Result<QpAttributes, Refusal> {
    let mut set = QpAttributes::default();
    let every = OptParam::RRE
        | OptParam::RAE
        | OptParam::RWE
        | OptParam::PM_STATE
        | OptParam::PKEY_INDEX
        | OptParam::PRI_PORT
        | OptParam::LAG_TX_AFF
        | OptParam::COUNTER_SET_ID;
    apply_optional(device, &mut set, every, context)?;
    Ok(set)
}

/// INIT2RTR: the path to the peer and what a responder needs.
fn init2rtr(device: &Device, qp: &Qp, context: &View<Qpc, &[u8]>) -> Result<QpAttributes, Refusal> {
    let mut set = qp.attributes;
    set.mtu = MtuCode(context.get(qpc::MTU) as u8);
    if set.mtu.bytes().is_none() {
        return Err(syndrome::MTU.because("mtu", set.mtu));
    }
    if set.mtu.0 > device.port.mtu.0 {
        return Err(syndrome::MTU_PAST_PORT.because("mtu", set.mtu));
    }
    set.log_msg_max = context.get(qpc::LOG_MSG_MAX) as u8;
    if set.log_msg_max > device.limits.log_max_msg {
        return Err(syndrome::MESSAGE_SIZE.because("log_msg_max", set.log_msg_max));
    }
    set.remote_qpn = Qpn(context.get(qpc::REMOTE_QPN) as u32);
    set.receive_psn = Psn::new(context.get(qpc::NEXT_RCV_PSN) as u32);
    set.path = read_path(device, &set.path, &context.sub(qpc::PRIMARY_ADDRESS_PATH))?;
    if qp.service == ServiceType::RC {
        set.min_rnr_nak = context.get(qpc::MIN_RNR_NAK) as u8;
        set.log_rra_max = context.get(qpc::LOG_RRA_MAX) as u8;
        if set.log_rra_max > device.limits.log_max_ra_res_qp {
            return Err(syndrome::RESPONDER_DEPTH.because("log_rra_max", set.log_rra_max));
        }
    }
    Ok(set)
}

/// RTR2RTS: what a requester needs.
fn rtr2rts(device: &Device, qp: &Qp, context: &View<Qpc, &[u8]>) -> Result<QpAttributes, Refusal> {
    let mut set = qp.attributes;
    set.send_psn = Psn::new(context.get(qpc::NEXT_SEND_PSN) as u32);
    if qp.service == ServiceType::RC {
        set.path.ack_timeout = context.sub(qpc::PRIMARY_ADDRESS_PATH).get(ads::ACK_TIMEOUT) as u8;
        set.retry_count = context.get(qpc::RETRY_COUNT) as u8;
        set.rnr_retry = context.get(qpc::RNR_RETRY) as u8;
        set.log_ack_req_freq = context.get(qpc::LOG_ACK_REQ_FREQ) as u8;
        set.log_sra_max = context.get(qpc::LOG_SRA_MAX) as u8;
        if set.log_sra_max > device.limits.log_max_ra_req_qp {
            return Err(syndrome::INITIATOR_DEPTH.because("log_sra_max", set.log_sra_max));
        }
    }
    Ok(set)
}

/// Applies the parameters whose bits are in `mask`.
fn apply_optional(
    device: &Device,
    set: &mut QpAttributes,
    mask: OptParam,
    context: &View<Qpc, &[u8]>,
) -> Outcome {
    let path = context.sub(qpc::PRIMARY_ADDRESS_PATH);
    if mask.contains(OptParam::RRE) {
        set.rre = context.is_set(qpc::RRE);
    }
    if mask.contains(OptParam::RWE) {
        set.rwe = context.is_set(qpc::RWE);
    }
    if mask.contains(OptParam::RAE) {
        let mode = context.get(qpc::ATOMIC_MODE);
        if mode > MAX_ATOMIC_MODE {
            return Err(syndrome::ATOMIC_MODE.because("atomic_mode", mode));
        }
        set.rae = context.is_set(qpc::RAE);
        set.atomic_mode = mode as u8;
    }
    if mask.contains(OptParam::PM_STATE) {
        let state = context.get(qpc::PM_STATE);
        if state != u64::from(PmState::MIGRATED) {
            return Err(syndrome::PM_STATE.because("pm_state", state));
        }
        set.pm_state = state as u8;
    }
    if mask.contains(OptParam::RNR_TIMEOUT) {
        set.min_rnr_nak = context.get(qpc::MIN_RNR_NAK) as u8;
    }
    if mask.contains(OptParam::LAG_TX_AFF) {
        set.lag_tx_port_affinity = context.get(qpc::LAG_TX_PORT_AFFINITY) as u8;
    }
    if mask.contains(OptParam::COUNTER_SET_ID) {
        set.counter_set_id = context.get(qpc::COUNTER_SET_ID) as u8;
    }
    if mask.contains(OptParam::PRI_PORT) {
        let port = path.get(ads::VHCA_PORT_NUM);
        if port != u64::from(PORT_NUMBER) {
            return Err(syndrome::PORT.because("vhca_port_num", port));
        }
        set.path.vhca_port_num = port as u8;
    }
    if mask.contains(OptParam::PKEY_INDEX) {
        let index = path.get(ads::PKEY_INDEX);
        if index >= device.limits.pkeys.into() {
            return Err(syndrome::PKEY_INDEX.because("pkey_index", index));
        }
        set.path.pkey_index = index as u16;
    }
    if mask.contains(OptParam::SRC_ADDR_INDEX) {
        set.path.src_addr_index = source_gid(device, &path)?;
    }
    if mask.contains(OptParam::DSCP) {
        set.path.dscp = path.get(ads::DSCP) as u8;
    }
    Ok(())
}

/// The path of INIT2RTR. Port and pkey are those of INIT, unless their optional bits say otherwise.
fn read_path(device: &Device, init: &Path, view: &View<Ads, &[u8]>) -> Result<Path, Refusal> {
    for field in [ads::RLID, ads::MLID] {
        if view.is_set(field) {
            return Err(syndrome::PATH_FOR_INFINIBAND.because(field.info().name, view.get(field)));
        }
    }
    check_zero(view, &[ads::FL, ads::FREE_AR])?;
    let mut rgid = Gid::default();
    rgid.0.copy_from_slice(view.octets(ads::RGID_RIP));
    if rgid == Gid::default() {
        return Err(syndrome::REMOTE_GID.because("rgid_rip", 0u64));
    }
    let (high, low) = (view.get(ads::RMAC_47_32) as u16, view.get(ads::RMAC_31_0) as u32);
    let mut rmac = Mac::default();
    rmac.0[..2].copy_from_slice(&high.to_be_bytes());
    rmac.0[2..].copy_from_slice(&low.to_be_bytes());
    if rmac == Mac::default() {
        return Err(syndrome::REMOTE_MAC.because("rmac", 0u64));
    }
    // 0 leaves the choice to the NIC.
    let udp_sport = view.get(ads::UDP_SPORT) as u16;
    if udp_sport != 0 && !UDP_SOURCE_PORTS.contains(&udp_sport) {
        return Err(syndrome::UDP_SOURCE_PORT.because("udp_sport", udp_sport));
    }
    Ok(Path {
        src_addr_index: source_gid(device, view)?,
        rgid,
        rmac,
        hop_limit: view.get(ads::HOP_LIMIT) as u8,
        dscp: view.get(ads::DSCP) as u8,
        ecn: view.get(ads::ECN) as u8,
        udp_sport,
        grh: view.is_set(ads::GRH),
        rlid: 0,
        sl: view.get(ads::SL) as u8,
        tclass: view.get(ads::TCLASS) as u8,
        stat_rate: view.get(ads::STAT_RATE) as u8,
        eth_prio: view.get(ads::ETH_PRIO) as u8,
        flow_label: view.get(ads::FLOW_LABEL) as u32,
        ..*init
    })
}

/// The index of a filled entry of the GID table.
fn source_gid(device: &Device, view: &View<Ads, &[u8]>) -> Result<u8, Refusal> {
    let index = view.get(ads::SRC_ADDR_INDEX);
    if device.port.gid(index as usize).is_none() {
        return Err(syndrome::SOURCE_GID.because("src_addr_index", index));
    }
    Ok(index as u8)
}
