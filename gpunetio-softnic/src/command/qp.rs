//! Queue pairs: creation, destruction and query. Transitions are in `transition`.

use gpunetio_prm::command::{QpState, RqType, SendDbrMode, ServiceType};
use gpunetio_prm::id::{Cqn, Pdn, Qpn, Rmpn, UarPage};
use gpunetio_prm::layout::qp::{
    Ads, CreateQpIn, CreateQpOut, DestroyQpIn, Qpc, QueryQpIn, QueryQpOut, ads, create_qp_in,
    create_qp_out, destroy_qp_in, qpc, query_qp_in, query_qp_out,
};
use gpunetio_prm::layout::{Field, View};
use gpunetio_prm::wqe::{RQ_STRIDE_SHIFT, WQEBB_SHIFT};

use super::resource::{Place, locate_dbr, locate_ring, unuse_pd, unuse_umems, use_pd, use_umems};
use super::{Outcome, check_op_mod, check_zero, put};
use crate::device::{Device, Fabric};
use crate::memory::Span;
use crate::object::{Path, Qp, QpAttributes, ReceiveQueue, ReceiveSide, SendQueue};
use crate::syndrome::{self, Refusal};
use crate::{doorbell, engine};

/// Features that the device does not have.
///
/// Not among them: `cs_req` and `cs_res`, which permit the NIC to put data into CQEs and do not oblige it; `cd_master`, since
/// WAIT works on any QP; and fields of the transitions, which creation does not read.
const UNSUPPORTED: &[Field<Qpc>] = &[
    qpc::ISOLATE_VL_TC,
    qpc::REQ_E2E_CREDIT_MODE,
    qpc::OFFLOAD_TYPE,
    qpc::WQ_SIGNATURE,
    qpc::ATOMIC_LIKE_WRITE_EN,
    qpc::DRAIN_SIGERR,
    qpc::DATA_IN_ORDER,
    qpc::RLKY,
    qpc::ULP_STATELESS_OFFLOAD_MODE,
    qpc::PAGE_OFFSET,
    qpc::CD_SLAVE_RECEIVE,
    qpc::CD_SLAVE_SEND,
    qpc::XRCD,
];

/// `qpc.ts_format` of free-running time, and the default, which is the same here.
const TIMESTAMP_FORMATS: core::ops::RangeInclusive<u64> = 0..=1;

/// CREATE_QP for RC and UC.
///
/// In the umem, at `wq_umem_offset`, lies first the receive queue (`16 << log_rq_stride` bytes a WQE), then the send queue at
/// the next multiple of 64 bytes. Umem ids and valid bits are read as in CREATE_CQ; `log_page_size` changes nothing.
pub(super) fn create(device: &mut Device, input: &[u8], output: &mut [u8]) -> Outcome {
    let cmd = super::input::<CreateQpIn>(input)?;
    check_op_mod(input)?;
    if cmd.is_set(create_qp_in::QPC_EXT) {
        return Err(syndrome::UNSUPPORTED_FIELD.because("qpc_ext", 1u8));
    }
    let context = cmd.sub(create_qp_in::QPC);
    check_zero(&context, UNSUPPORTED)?;
    let service = check_kind(&context)?;
    let send_dbr_mode = SendDbrMode(context.get(qpc::SEND_DBR_MODE) as u8);
    if send_dbr_mode != SendDbrMode::DBR_VALID && send_dbr_mode != SendDbrMode::NO_DBR_EXT {
        return Err(syndrome::DBR_MODE.because("send_dbr_mode", send_dbr_mode));
    }
    let pd = Pdn(context.get(qpc::PD) as u32);
    if device.pds.get(pd.0).is_none() {
        return Err(syndrome::NO_PD.because("pd", pd));
    }
    let uar = UarPage(context.get(qpc::UAR_PAGE) as u32);
    if device.uars.get(uar.0).is_none() {
        return Err(syndrome::NO_UAR.because("uar_page", uar));
    }
    let own = cmd.get(create_qp_in::WQ_UMEM_ID);
    let record = Place {
        field: "dbr_umem_id",
        umem: context.get(qpc::DBR_UMEM_ID),
        offset: context.get(qpc::DBR_ADDR),
    };
    if record.umem == 0 && !context.is_set(qpc::DBR_UMEM_VALID) {
        return Err(syndrome::NO_DBR.because("dbr_umem_id", 0u64));
    }
    let (dbr, dbr_umem) = locate_dbr(device, record, own)?;
    let base =
        Place { field: "wq_umem_id", umem: own, offset: cmd.get(create_qp_in::WQ_UMEM_OFFSET) };
    let (receive, receive_bytes) = receive_side(device, &context, base, dbr, pd)?;
    let send = send_queue(device, &context, base, receive_bytes)?;
    if send.is_some() && send_dbr_mode == SendDbrMode::NO_DBR_EXT {
        check_page_without_records(device, uar)?;
    }
    let cqn_snd = Cqn(context.get(qpc::CQN_SND) as u32);
    let cqn_rcv = Cqn(context.get(qpc::CQN_RCV) as u32);
    // A side that does not exist needs no CQ, and 0 stands for none; a number that is given must exist all the same.
    for (cqn, needed, field) in [
        (cqn_snd, send.is_some(), "cqn_snd"),
        (cqn_rcv, !matches!(receive, ReceiveSide::None), "cqn_rcv"),
    ] {
        if (needed || cqn.0 != 0) && device.cqs.get(cqn.0).is_none() {
            return Err(syndrome::NO_CQ.because(field, cqn));
        }
    }
    let mut umems = vec![dbr_umem];
    if send.is_some() || receive_bytes > 0 {
        umems.push(own);
    }
    let count = device.qps.len() as u64;
    let umems = use_umems(device, &umems);
    let qpn = device.qps.insert_with(|qpn| Qp {
        qpn: Qpn(qpn),
        service,
        state: QpState::RST,
        pd,
        send,
        receive,
        dbr,
        send_dbr_mode,
        uar,
        cqn_snd,
        cqn_rcv,
        user_index: context.get(qpc::USER_INDEX) as u32,
        created_qpc: context.as_bytes().to_vec(),
        attributes: QpAttributes::default(),
        umems: umems.clone(),
        run: Default::default(),
    });
    let Some(qpn) = qpn else {
        unuse_umems(device, &umems);
        return Err(syndrome::FULL_QP.because("qps", count));
    };
    use_pd(device, pd)?;
    count_users(device, Qpn(qpn), true);
    put(&mut super::output::<CreateQpOut>(output)?, create_qp_out::QPN, qpn);
    Ok(())
}

/// Checks service, state and time format.
fn check_kind(context: &View<Qpc, &[u8]>) -> Result<ServiceType, Refusal> {
    let service = ServiceType(context.get(qpc::ST) as u8);
    if service != ServiceType::RC && service != ServiceType::UC {
        return Err(syndrome::SERVICE_TYPE.because("st", service));
    }
    if context.is_set(qpc::STATE) {
        return Err(syndrome::QP_STATE_AT_CREATE.because("state", context.get(qpc::STATE)));
    }
    let format = context.get(qpc::TS_FORMAT);
    if !TIMESTAMP_FORMATS.contains(&format) {
        return Err(syndrome::TIMESTAMP_FORMAT.because("ts_format", format));
    }
    Ok(service)
}

/// The receive side and the bytes that it takes of the umem.
fn receive_side(
    device: &Device,
    context: &View<Qpc, &[u8]>,
    base: Place,
    dbr: Span,
    pd: Pdn,
) -> Result<(ReceiveSide, u64), Refusal> {
    let rq_type = RqType(context.get(qpc::RQ_TYPE) as u8);
    match rq_type {
        RqType::ZERO_SIZE => Ok((ReceiveSide::None, 0)),
        RqType::SRQ_RMP_XRC_SRQ_XRQ => {
            let rmpn = Rmpn(context.get(qpc::SRQN_RMPN_XRQN) as u32);
            let rmp =
                device.rmps.get(rmpn.0).ok_or(syndrome::NO_RMP.because("srqn_rmpn_xrqn", rmpn))?;
            if rmp.pd != pd {
                return Err(syndrome::SRQ_OF_PD.because("pd of the rmp", rmp.pd));
            }
            Ok((ReceiveSide::Shared(rmpn), 0))
        }
        RqType::REGULAR => {
            let log_size = context.get(qpc::LOG_RQ_SIZE) as u8;
            if log_size > device.limits.log_max_qp_sz {
                return Err(syndrome::RQ_SIZE.because("log_rq_size", log_size));
            }
            let log_stride = context.get(qpc::LOG_RQ_STRIDE) as u8 + RQ_STRIDE_SHIFT;
            if 1u32 << log_stride > device.limits.max_wqe_sz.into() {
                return Err(
                    syndrome::RQ_STRIDE.because("log_rq_stride", log_stride - RQ_STRIDE_SHIFT)
                );
            }
            let bytes = 1u64 << (log_size + log_stride);
            let ring = locate_ring(device, base, bytes)?;
            let queue = ReceiveQueue {
                ring,
                log_size,
                log_stride,
                dbr,
                consumer: 0,
                linked: false,
                head: 0,
            };
            Ok((ReceiveSide::Own(queue), bytes))
        }
        _ => Err(syndrome::RQ_TYPE.because("rq_type", rq_type)),
    }
}

/// The send queue, which follows `before` bytes of receive queue.
fn send_queue(
    device: &Device,
    context: &View<Qpc, &[u8]>,
    base: Place,
    before: u64,
) -> Result<Option<SendQueue>, Refusal> {
    if context.is_set(qpc::NO_SQ) {
        return Ok(None);
    }
    let log_size = context.get(qpc::LOG_SQ_SIZE) as u8;
    if log_size > device.limits.log_max_qp_sz {
        return Err(syndrome::SQ_SIZE.because("log_sq_size", log_size));
    }
    let block = 1u64 << WQEBB_SHIFT;
    let offset = base
        .offset
        .checked_add(before.next_multiple_of(block))
        .ok_or(syndrome::RING_BOUNDS.because("wq_umem_offset", base.offset))?;
    let ring = locate_ring(device, Place { offset, ..base }, block << log_size)?;
    Ok(Some(SendQueue { ring, log_size, consumer: 0, producer: 0 }))
}

/// Refuses a second queue without a doorbell record on a page. Both would ring the same register, which holds one doorbell
/// until the NIC looks, and no record would tell what the overwritten one said.
fn check_page_without_records(device: &Device, page: UarPage) -> Outcome {
    let Some(uar) = device.uars.get(page.0) else { return Ok(()) };
    let taken = uar.qps.iter().find(|qpn| {
        device
            .qps
            .get(qpn.0)
            .is_some_and(|qp| qp.send.is_some() && qp.send_dbr_mode == SendDbrMode::NO_DBR_EXT)
    });
    match taken {
        Some(qpn) => Err(syndrome::PAGE_WITHOUT_RECORDS.because("qp on the uar page", *qpn)),
        None => Ok(()),
    }
}

/// Counts what the QP uses in or out, its umems and PD aside.
fn count_users(device: &mut Device, qpn: Qpn, created: bool) {
    let Some(qp) = device.qps.get(qpn.0) else { return };
    let step = |count: &mut u32| {
        *count = if created { *count + 1 } else { count.saturating_sub(1) };
    };
    for cqn in [qp.cqn_snd, qp.cqn_rcv] {
        if let Some(cq) = device.cqs.get_mut(cqn.0) {
            step(&mut cq.users);
        }
    }
    if let ReceiveSide::Shared(rmpn) = qp.receive
        && let Some(rmp) = device.rmps.get_mut(rmpn.0)
    {
        step(&mut rmp.users);
    }
    if let Some(uar) = device.uars.get_mut(qp.uar.0) {
        if created {
            uar.qps.push(qpn);
        } else {
            uar.qps.retain(|other| *other != qpn);
        }
    }
}

pub(super) fn destroy_command(fabric: &mut Fabric, index: usize, input: &[u8]) -> Outcome {
    let cmd = super::input::<DestroyQpIn>(input)?;
    destroy(fabric, index, Qpn(cmd.get(destroy_qp_in::QPN) as u32))
}

/// Destroys a QP in any state. Work that was announced is forgotten; doorbells that are rung later for its number are
/// dropped.
pub fn destroy(fabric: &mut Fabric, index: usize, qpn: Qpn) -> Result<(), Refusal> {
    let missing = syndrome::NO_QP.because("qpn", qpn);
    if fabric.devices.get(index).and_then(|device| device.qps.get(qpn.0)).is_none() {
        return Err(missing);
    }
    doorbell::settle(fabric, index, qpn);
    engine::reset(fabric, index, qpn);
    let device = fabric.devices.get_mut(index).ok_or(missing)?;
    count_users(device, qpn, false);
    let qp = device.qps.remove(qpn.0).ok_or(missing)?;
    unuse_umems(device, &qp.umems);
    unuse_pd(device, qp.pd);
    Ok(())
}

/// QUERY_QP: the context as created, with what the transitions set.
pub(super) fn query(device: &Device, input: &[u8], output: &mut [u8]) -> Outcome {
    let cmd = super::input::<QueryQpIn>(input)?;
    check_op_mod(input)?;
    let qpn = Qpn(cmd.get(query_qp_in::QPN) as u32);
    let qp = device.qps.get(qpn.0).ok_or(syndrome::NO_QP.because("qpn", qpn))?;
    let mut out = super::output::<QueryQpOut>(output)?;
    let mut context = out.sub_mut(query_qp_out::QPC);
    context.as_bytes_mut().copy_from_slice(&qp.created_qpc);
    let set = &qp.attributes;
    let fields: [(Field<Qpc>, u64); 19] = [
        (qpc::STATE, qp.state.into()),
        (qpc::LAG_TX_PORT_AFFINITY, set.lag_tx_port_affinity.into()),
        (qpc::PM_STATE, set.pm_state.into()),
        (qpc::MTU, set.mtu.into()),
        (qpc::LOG_MSG_MAX, set.log_msg_max.into()),
        (qpc::COUNTER_SET_ID, set.counter_set_id.into()),
        (qpc::REMOTE_QPN, set.remote_qpn.into()),
        (qpc::LOG_ACK_REQ_FREQ, set.log_ack_req_freq.into()),
        (qpc::LOG_SRA_MAX, set.log_sra_max.into()),
        (qpc::RETRY_COUNT, set.retry_count.into()),
        (qpc::RNR_RETRY, set.rnr_retry.into()),
        (qpc::NEXT_SEND_PSN, set.send_psn.get().into()),
        (qpc::LOG_RRA_MAX, set.log_rra_max.into()),
        (qpc::ATOMIC_MODE, set.atomic_mode.into()),
        (qpc::RRE, set.rre.into()),
        (qpc::RWE, set.rwe.into()),
        (qpc::RAE, set.rae.into()),
        (qpc::MIN_RNR_NAK, set.min_rnr_nak.into()),
        (qpc::NEXT_RCV_PSN, set.receive_psn.get().into()),
    ];
    for (field, value) in fields {
        put(&mut context, field, value);
    }
    if let Some(send) = &qp.send {
        put(&mut context, qpc::HW_SQ_WQEBB_COUNTER, send.consumer);
        put(&mut context, qpc::SW_SQ_WQEBB_COUNTER, send.producer);
    }
    if let ReceiveSide::Own(queue) = &qp.receive {
        put(&mut context, qpc::HW_RQ_COUNTER, queue.consumer);
    }
    write_path(&mut context.sub_mut(qpc::PRIMARY_ADDRESS_PATH), &set.path);
    Ok(())
}

fn write_path(view: &mut View<Ads, &mut [u8]>, path: &Path) {
    let [m0, m1, m2, m3, m4, m5] = path.rmac.0;
    let fields: [(Field<Ads>, u64); 17] = [
        (ads::PKEY_INDEX, path.pkey_index.into()),
        (ads::GRH, path.grh.into()),
        (ads::RLID, path.rlid.into()),
        (ads::ACK_TIMEOUT, path.ack_timeout.into()),
        (ads::SRC_ADDR_INDEX, path.src_addr_index.into()),
        (ads::STAT_RATE, path.stat_rate.into()),
        (ads::HOP_LIMIT, path.hop_limit.into()),
        (ads::TCLASS, path.tclass.into()),
        (ads::FLOW_LABEL, path.flow_label.into()),
        (ads::ECN, path.ecn.into()),
        (ads::DSCP, path.dscp.into()),
        (ads::UDP_SPORT, path.udp_sport.into()),
        (ads::ETH_PRIO, path.eth_prio.into()),
        (ads::SL, path.sl.into()),
        (ads::VHCA_PORT_NUM, path.vhca_port_num.into()),
        (ads::RMAC_47_32, u16::from_be_bytes([m0, m1]).into()),
        (ads::RMAC_31_0, u32::from_be_bytes([m2, m3, m4, m5]).into()),
    ];
    for (field, value) in fields {
        put(view, field, value);
    }
    view.octets_mut(ads::RGID_RIP).copy_from_slice(&path.rgid.0);
}
