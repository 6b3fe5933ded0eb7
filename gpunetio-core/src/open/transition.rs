//! Commands that change a queue pair's state, and the query.
#![allow(unsafe_code)]

use gpunetio_prm::command::{
    Opcode, OptParam, PmState, PortType, QpState as PrmQpState, RoceVersion,
};
use gpunetio_prm::id::{Gid, Mac, Qpn};
use gpunetio_prm::layout::qp::{
    Ads, Init2initQpIn, Init2rtrQpIn, Qp2errIn, Qp2rstIn, Qpc, QueryQpIn, QueryQpOut, Rst2initQpIn,
    Rtr2rtsQpIn, Rts2rtsQpIn, ads, init2init_qp_in, init2rtr_qp_in, qp_2err_in, qp_2rst_in, qpc,
    query_qp_in, query_qp_out, rst2init_qp_in, rtr2rts_qp_in, rts2rts_qp_in,
};
use gpunetio_prm::layout::{ValueTooWide, View};

use super::OpenBackend;
use crate::ah::{AddressType, AhAttr};
use crate::backend::{Backend, QpRef, QpReport};
use crate::error::{Error, Result};
use crate::nic::PORT;
use crate::qp_attr::{AtomicMode, AttrMask, Mtu, QpAttr, QpState};
use crate::sys;

/// `qpc.log_msg_max`: messages of up to 1 GiB, the most that a data segment describes.
const LOG_MSG_MAX: u8 = 30;

type Context<'a> = View<Qpc, &'a mut [u8]>;

/// The command that takes `qp` to `to`. Masks and values were checked.
pub(super) fn command(
    backend: &OpenBackend,
    qp: &QpRef<'_>,
    to: QpState,
    attr: &QpAttr,
    mask: AttrMask,
) -> Result<Vec<u8>> {
    /// Header and context of a transition; `$fill` gives the optional-parameter mask.
    macro_rules! transition {
        ($layout:ty, $fields:ident, $opcode:expr, $fill:expr) => {{
            let mut cmd = View::<$layout, Vec<u8>>::zeroed();
            cmd.set($fields::OPCODE, $opcode)?;
            cmd.set($fields::QPN, qp.qpn)?;
            let fill: fn(
                &OpenBackend,
                &QpRef<'_>,
                &mut Context<'_>,
                &QpAttr,
                AttrMask,
            ) -> Result<OptParam> = $fill;
            let opt = fill(backend, qp, &mut cmd.sub_mut($fields::QPC), attr, mask)?;
            cmd.set($fields::OPT_PARAM_MASK, opt)?;
            cmd.into_bytes()
        }};
    }
    macro_rules! plain {
        ($layout:ty, $fields:ident, $opcode:expr) => {{
            let mut cmd = View::<$layout, Vec<u8>>::zeroed();
            cmd.set($fields::OPCODE, $opcode)?;
            cmd.set($fields::QPN, qp.qpn)?;
            cmd.into_bytes()
        }};
    }
    Ok(match (qp.state, to) {
        (_, QpState::Rst) => plain!(Qp2rstIn, qp_2rst_in, Opcode::TO_RST_QP),
        (_, QpState::Err) => plain!(Qp2errIn, qp_2err_in, Opcode::TO_ERR_QP),
        (QpState::Rst, QpState::Init) => {
            transition!(Rst2initQpIn, rst2init_qp_in, Opcode::RST2INIT_QP, rst2init)
        }
        (QpState::Init, QpState::Init) => {
            transition!(Init2initQpIn, init2init_qp_in, Opcode::INIT2INIT_QP, init2init)
        }
        (QpState::Init, QpState::Rtr) => {
            transition!(Init2rtrQpIn, init2rtr_qp_in, Opcode::INIT2RTR_QP, init2rtr)
        }
        (QpState::Rtr, QpState::Rts) => {
            transition!(Rtr2rtsQpIn, rtr2rts_qp_in, Opcode::RTR2RTS_QP, rtr2rts)
        }
        (QpState::Rts, QpState::Rts) => {
            transition!(Rts2rtsQpIn, rts2rts_qp_in, Opcode::RTS2RTS_QP, rts2rts)
        }
        (from, to) => {
            let reason = "there is no such command".to_owned();
            return Err(Error::Transition { qpn: qp.qpn.0, from, to, reason });
        }
    })
}

/// Fields that several transitions take by an optional-parameter bit.
fn optional(
    ctx: &mut Context<'_>,
    attr: &QpAttr,
    mask: AttrMask,
) -> Result<OptParam, ValueTooWide> {
    let mut opt = OptParam::default();
    if mask.contains(AttrMask::ALLOW_REMOTE_READ) {
        opt |= OptParam::RRE;
        ctx.set(qpc::RRE, attr.allow_remote_read)?;
    }
    if mask.contains(AttrMask::ALLOW_REMOTE_WRITE) {
        opt |= OptParam::RWE;
        ctx.set(qpc::RWE, attr.allow_remote_write)?;
    }
    if mask.contains(AttrMask::ATOMIC_MODE) {
        opt |= OptParam::RAE;
        ctx.set(qpc::RAE, attr.atomic_mode != AtomicMode::None)?;
        ctx.set(qpc::ATOMIC_MODE, attr.atomic_mode as u8)?;
    }
    if mask.contains(AttrMask::PKEY_INDEX) {
        opt |= OptParam::PKEY_INDEX;
        ctx.sub_mut(qpc::PRIMARY_ADDRESS_PATH).set(ads::PKEY_INDEX, attr.pkey_index)?;
    }
    if mask.contains(AttrMask::PORT_NUM) {
        opt |= OptParam::PRI_PORT;
        ctx.sub_mut(qpc::PRIMARY_ADDRESS_PATH).set(ads::VHCA_PORT_NUM, attr.port_num)?;
    }
    Ok(opt)
}

fn rst2init(
    _: &OpenBackend,
    _: &QpRef<'_>,
    ctx: &mut Context<'_>,
    attr: &QpAttr,
    mask: AttrMask,
) -> Result<OptParam> {
    // RST2INIT applies its whole context, the counter set included, so no bit names a field.
    optional(ctx, attr, mask)?;
    ctx.set(qpc::PM_STATE, PmState::MIGRATED)?;
    ctx.set(qpc::COUNTER_SET_ID, attr.counter_set_id.unwrap_or_default())?;
    Ok(OptParam::default())
}

fn init2init(
    _: &OpenBackend,
    _: &QpRef<'_>,
    ctx: &mut Context<'_>,
    attr: &QpAttr,
    mask: AttrMask,
) -> Result<OptParam> {
    Ok(optional(ctx, attr, mask)?)
}

fn init2rtr(
    backend: &OpenBackend,
    qp: &QpRef<'_>,
    ctx: &mut Context<'_>,
    attr: &QpAttr,
    mask: AttrMask,
) -> Result<OptParam> {
    let mut opt = optional(ctx, attr, mask)?;
    ctx.set(qpc::MTU, attr.path_mtu.code())?;
    ctx.set(qpc::LOG_MSG_MAX, LOG_MSG_MAX)?;
    ctx.set(qpc::REMOTE_QPN, attr.dest_qp_num)?;
    ctx.set(qpc::NEXT_RCV_PSN, attr.rq_psn)?;
    ctx.set(qpc::MIN_RNR_NAK, attr.min_rnr_timer)?;
    if mask.contains(AttrMask::MAX_DEST_RD_ATOMIC) {
        ctx.set(qpc::LOG_RRA_MAX, attr.max_dest_rd_atomic.checked_ilog2().unwrap_or(0))?;
    }
    if let Some(port) = attr.lag_tx_port_affinity {
        ctx.set(qpc::LAG_TX_PORT_AFFINITY, port)?;
        opt |= OptParam::LAG_TX_AFF;
    }
    if let Some(ah) = &attr.ah {
        let mut path = ctx.sub_mut(qpc::PRIMARY_ADDRESS_PATH);
        address(backend, &mut path, ah, (qp.qpn, Qpn(attr.dest_qp_num)))?;
    }
    Ok(opt)
}

fn rtr2rts(
    _: &OpenBackend,
    _: &QpRef<'_>,
    ctx: &mut Context<'_>,
    attr: &QpAttr,
    mask: AttrMask,
) -> Result<OptParam> {
    let mut opt = optional(ctx, attr, mask)?;
    ctx.set(qpc::NEXT_SEND_PSN, attr.sq_psn)?;
    ctx.set(qpc::RETRY_COUNT, attr.retry_cnt)?;
    ctx.set(qpc::RNR_RETRY, attr.rnr_retry)?;
    ctx.sub_mut(qpc::PRIMARY_ADDRESS_PATH).set(ads::ACK_TIMEOUT, attr.ack_timeout)?;
    if mask.contains(AttrMask::MAX_QP_RD_ATOMIC) {
        ctx.set(qpc::LOG_SRA_MAX, attr.max_rd_atomic.checked_ilog2().unwrap_or(0))?;
    }
    opt |= rnr_timer(ctx, attr, mask)?;
    Ok(opt)
}

fn rts2rts(
    backend: &OpenBackend,
    _: &QpRef<'_>,
    ctx: &mut Context<'_>,
    attr: &QpAttr,
    mask: AttrMask,
) -> Result<OptParam> {
    let mut opt = optional(ctx, attr, mask)?;
    opt |= rnr_timer(ctx, attr, mask)?;
    if let (true, Some(ah)) = (mask.contains(AttrMask::AH_ATTR), &attr.ah) {
        let device = backend.attributes()?;
        let mut path = ctx.sub_mut(qpc::PRIMARY_ADDRESS_PATH);
        path.set(ads::SRC_ADDR_INDEX, ah.sgid_index)?;
        if device.port_type == PortType::ETHERNET
            && device.rts2rts_qp_dscp
            && backend.nic().roce_version(ah.sgid_index)? == RoceVersion::V2
        {
            path.set(ads::DSCP, dscp(ah))?;
        }
        opt |= OptParam::DSCP | OptParam::SRC_ADDR_INDEX;
    }
    Ok(opt)
}

fn rnr_timer(
    ctx: &mut Context<'_>,
    attr: &QpAttr,
    mask: AttrMask,
) -> Result<OptParam, ValueTooWide> {
    if !mask.contains(AttrMask::MIN_RNR_TIMER) {
        return Ok(OptParam::default());
    }
    ctx.set(qpc::MIN_RNR_NAK, attr.min_rnr_timer)?;
    Ok(OptParam::RNR_TIMEOUT)
}

fn dscp(ah: &AhAttr) -> u8 {
    ah.traffic_class >> 2
}

/// Fills the path to a peer.
fn address(
    backend: &OpenBackend,
    path: &mut View<Ads, &mut [u8]>,
    ah: &AhAttr,
    flow: (Qpn, Qpn),
) -> Result<()> {
    path.set(ads::STAT_RATE, ah.static_rate)?;
    if ah.address_type != AddressType::IbNoGrh {
        path.octets_mut(ads::RGID_RIP).copy_from_slice(&ah.gid.0);
        path.set(ads::HOP_LIMIT, ah.hop_limit)?;
        path.set(ads::SRC_ADDR_INDEX, ah.sgid_index)?;
    }
    if !ah.address_type.is_roce() {
        path.set(ads::GRH, ah.address_type == AddressType::IbGrh)?;
        path.set(ads::TCLASS, ah.traffic_class)?;
        path.set(ads::RLID, ah.dlid)?;
        path.set(ads::SL, ah.sl)?;
        return Ok(());
    }
    let mac = resolve_mac(backend, ah)?.0;
    path.set(ads::RMAC_47_32, u16::from_be_bytes([mac[0], mac[1]]))?;
    path.set(ads::RMAC_31_0, u32::from_be_bytes([mac[2], mac[3], mac[4], mac[5]]))?;
    if backend.nic().roce_version(ah.sgid_index)? == RoceVersion::V2 {
        path.set(ads::UDP_SPORT, udp_sport(backend.attributes()?.roce_udp_sport, flow))?;
        path.set(ads::DSCP, dscp(ah))?;
    }
    Ok(())
}

/// The UDP source port of a connection: a function of its two QP numbers, so that a flow keeps its path and different
/// flows spread over paths. Nothing here is random, so a run can be repeated.
fn udp_sport((first, last): (u16, u16), (ours, theirs): (Qpn, Qpn)) -> u16 {
    // Fibonacci hashing of the pair.
    let mixed = (u64::from(ours.0) << 24 | u64::from(theirs.0)).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let span = u64::from(last.saturating_sub(first)) + 1;
    first + ((mixed >> 32) % span) as u16
}

/// MAC of the peer, which the kernel resolves for an address handle.
fn resolve_mac(backend: &OpenBackend, ah: &AhAttr) -> Result<Mac> {
    let nic = backend.nic();
    let mut attr = sys::ibv_ah_attr {
        grh: sys::ibv_global_route {
            dgid: sys::ibv_gid { raw: ah.gid.0 },
            flow_label: 0,
            sgid_index: ah.sgid_index,
            hop_limit: ah.hop_limit,
            traffic_class: ah.traffic_class,
        },
        is_global: 1,
        port_num: PORT,
        ..Default::default()
    };
    // SAFETY: the PD is alive and `attr` is valid for the call.
    let handle = unsafe { (nic.provider.verbs.create_ah)(backend.pd.pd.as_ptr(), &mut attr) };
    if handle.is_null() {
        let object = format!("address {} from gid index {}", ah.gid, ah.sgid_index);
        return Err(Error::last_os("ibv_create_ah", object));
    }
    let mut out = sys::mlx5dv_ah { av: core::ptr::null_mut(), comp_mask: 0 };
    let mut obj = sys::mlx5dv_obj {
        ah: sys::mlx5dv_obj_pair { input: handle, output: &mut out },
        ..Default::default()
    };
    // SAFETY: the handle is alive and `out` is what MLX5DV_OBJ_AH fills.
    let rc = unsafe { (nic.provider.mlx5.init_obj)(&mut obj, sys::MLX5DV_OBJ_AH) };
    let mac = match (rc, out.av.is_null()) {
        // SAFETY: the address vector lives as long as the handle, which is destroyed below.
        (0, false) => Ok(Mac(unsafe { (*out.av).rmac })),
        (0, true) => Err(Error::Unexpected {
            what: "mlx5dv_init_obj of an address handle".to_owned(),
            value: "no address vector".to_owned(),
        }),
        (rc, _) => Err(Error::code("mlx5dv_init_obj", "address handle", rc)),
    };
    // SAFETY: the handle was created above and nothing else holds it.
    let rc = unsafe { (nic.provider.verbs.destroy_ah)(handle) };
    if rc != 0 {
        log::warn!("{}", Error::code("ibv_destroy_ah", "address handle", rc));
    }
    mac
}

/// Reads a queue pair.
pub(super) fn query(backend: &OpenBackend, qp: &QpRef<'_>) -> Result<QpReport> {
    let mut cmd = View::<QueryQpIn, Vec<u8>>::zeroed();
    cmd.set(query_qp_in::OPCODE, Opcode::QUERY_QP)?;
    cmd.set(query_qp_in::QPN, qp.qpn)?;
    let devx = OpenBackend::devx(qp.raw);
    let out = backend.nic().devx_query::<QueryQpOut>(&devx, cmd.as_bytes())?;
    let ctx = out.sub(query_qp_out::QPC);
    let path = ctx.sub(qpc::PRIMARY_ADDRESS_PATH);
    let hardware_state = PrmQpState(ctx.get(qpc::STATE) as u8);
    let state = QpState::from_hardware(hardware_state)?;
    let mtu = gpunetio_prm::command::MtuCode(ctx.get(qpc::MTU) as u8);
    let path_mtu = mtu.bytes().map(Mtu::from_bytes).transpose()?.ok_or(Error::Unexpected {
        what: format!("mtu of queried qp {}", qp.qpn),
        value: format!("code {}", mtu.0),
    })?;
    let mut gid = Gid::default();
    gid.0.copy_from_slice(path.octets(ads::RGID_RIP));
    let ethernet = backend.device_attributes()?.port_type == PortType::ETHERNET;
    let mapped_v4 = gid.0[..10] == [0; 10] && gid.0[10..12] == [0xff; 2];
    let ah = AhAttr {
        gid,
        address_type: match (ethernet, mapped_v4, path.is_set(ads::GRH)) {
            (true, true, _) => AddressType::Ipv4,
            (true, false, _) => AddressType::Ipv6,
            (false, _, true) => AddressType::IbGrh,
            (false, _, false) => AddressType::IbNoGrh,
        },
        dlid: path.get(ads::RLID) as u16,
        sl: path.get(ads::SL) as u8,
        sgid_index: path.get(ads::SRC_ADDR_INDEX) as u8,
        static_rate: path.get(ads::STAT_RATE) as u8,
        hop_limit: path.get(ads::HOP_LIMIT) as u8,
        traffic_class: match ethernet {
            true => (path.get(ads::DSCP) as u8) << 2,
            false => path.get(ads::TCLASS) as u8,
        },
    };
    // 0 is what a queue has that nobody gave one, and no number to give back to a modify.
    let set = |value: u64| (value != 0).then_some(value as u8);
    let attr = QpAttr {
        next_state: state,
        current_state: state,
        path_mtu,
        rq_psn: ctx.get(qpc::NEXT_RCV_PSN) as u32,
        sq_psn: ctx.get(qpc::NEXT_SEND_PSN) as u32,
        dest_qp_num: ctx.get(qpc::REMOTE_QPN) as u32,
        allow_remote_write: ctx.is_set(qpc::RWE),
        allow_remote_read: ctx.is_set(qpc::RRE),
        atomic_mode: atomic_mode(ctx.is_set(qpc::RAE), ctx.get(qpc::ATOMIC_MODE)),
        ah: Some(ah),
        pkey_index: path.get(ads::PKEY_INDEX) as u16,
        port_num: path.get(ads::VHCA_PORT_NUM) as u16,
        ack_timeout: path.get(ads::ACK_TIMEOUT) as u16,
        retry_cnt: ctx.get(qpc::RETRY_COUNT) as u16,
        rnr_retry: ctx.get(qpc::RNR_RETRY) as u16,
        min_rnr_timer: ctx.get(qpc::MIN_RNR_NAK) as u16,
        max_rd_atomic: 1 << ctx.get(qpc::LOG_SRA_MAX),
        max_dest_rd_atomic: 1 << ctx.get(qpc::LOG_RRA_MAX),
        counter_set_id: set(ctx.get(qpc::COUNTER_SET_ID)),
        lag_tx_port_affinity: set(ctx.get(qpc::LAG_TX_PORT_AFFINITY)),
    };
    Ok(QpReport { attr, hardware_state, user_index: ctx.get(qpc::USER_INDEX) as u32 })
}

fn atomic_mode(enabled: bool, code: u64) -> AtomicMode {
    use AtomicMode as A;
    const MODES: [A; 9] = [
        A::None,
        A::IbSpec,
        A::Only8Bytes,
        A::UpTo8Bytes,
        A::UpTo16Bytes,
        A::UpTo32Bytes,
        A::UpTo64Bytes,
        A::UpTo128Bytes,
        A::UpTo256Bytes,
    ];
    match enabled {
        true => MODES.get(code as usize).copied().unwrap_or(A::IbSpec),
        false => A::None,
    }
}
