//! Completion queues.

use gpunetio_prm::command::CqStatus;
use gpunetio_prm::cqe::CQE_BYTES;
use gpunetio_prm::id::{Cqn, UarPage};
use gpunetio_prm::layout::View;
use gpunetio_prm::layout::cq::{
    Cqc, CreateCqIn, CreateCqOut, DestroyCqIn, QueryCqIn, QueryCqOut, cqc, create_cq_in,
    create_cq_out, destroy_cq_in, query_cq_in, query_cq_out,
};

use super::resource::{Place, locate_dbr, locate_ring, unuse_umems, use_umems};
use super::{Outcome, check_op_mod, check_zero, put};
use crate::device::{Device, EQN, Fabric};
use crate::engine;
use crate::object::Cq;
use crate::syndrome::{self, Refusal};

/// Features that the device does not have. Moderation (`cq_period`, `cq_max_count`) and the timestamp format shape events
/// and times that nobody can observe here, so they are not among them.
const UNSUPPORTED: &[gpunetio_prm::layout::Field<Cqc>] = &[
    cqc::AS_NOTIFY,
    cqc::INITIATOR_SRC_DCT,
    cqc::EXT_ELEMENT,
    cqc::CQE_COMP_EN,
    cqc::EXT_ELEMENT_TYPE,
    cqc::CQE_COMP_LAYOUT,
    cqc::PAGE_OFFSET,
];

/// CREATE_CQ.
///
/// As the kernel does for DEVX clients, a umem id that is not 0 counts as valid whatever its valid bit says. `log_page_size`
/// says how the umem is cut into pages, which changes nothing for contiguous memory. A CQ without a doorbell record must
/// ignore overrun.
pub(super) fn create(device: &mut Device, input: &[u8], output: &mut [u8]) -> Outcome {
    let cmd = super::input::<CreateCqIn>(input)?;
    check_op_mod(input)?;
    let context = cmd.sub(create_cq_in::CQ_CONTEXT);
    check_zero(&context, UNSUPPORTED)?;
    if context.is_set(cqc::STATUS) {
        return Err(syndrome::CQ_STATUS.because("status", context.get(cqc::STATUS)));
    }
    if context.is_set(cqc::CQE_SZ) {
        return Err(syndrome::CQE_SIZE.because("cqe_sz", context.get(cqc::CQE_SZ)));
    }
    let log_size = context.get(cqc::LOG_CQ_SIZE) as u8;
    if log_size > device.limits.log_max_cq_sz {
        return Err(syndrome::CQ_SIZE.because("log_cq_size", log_size));
    }
    let eqn = context.get(cqc::C_EQN);
    if eqn != u64::from(EQN) {
        return Err(syndrome::NO_EQ.because("c_eqn", eqn));
    }
    let uar = UarPage(context.get(cqc::UAR_PAGE) as u32);
    if device.uars.get(uar.0).is_none() {
        return Err(syndrome::NO_UAR.because("uar_page", uar));
    }
    let own = cmd.get(create_cq_in::CQ_UMEM_ID);
    let place =
        Place { field: "cq_umem_id", umem: own, offset: cmd.get(create_cq_in::CQ_UMEM_OFFSET) };
    let ring = locate_ring(device, place, (CQE_BYTES as u64) << log_size)?;
    let overrun_ignored = context.is_set(cqc::OI);
    let mut umems = vec![own];
    let dbr = match dbr_place(&context) {
        Some(place) => {
            let (span, umem) = locate_dbr(device, place, own)?;
            umems.push(umem);
            Some(span)
        }
        None if overrun_ignored => None,
        None => return Err(syndrome::NO_DBR.because("dbr_umem_id", 0u64)),
    };
    let count = device.cqs.len() as u64;
    let created = context.as_bytes().to_vec();
    let umems = use_umems(device, &umems);
    let cqn = device.cqs.insert_with(|cqn| Cq {
        cqn: Cqn(cqn),
        ring,
        log_size,
        dbr,
        collapsed: context.is_set(cqc::CC),
        overrun_ignored,
        producer: 0,
        in_error: false,
        holds_error: false,
        eqn: EQN,
        uar,
        umems: umems.clone(),
        users: 0,
        waiters: Default::default(),
        created_cqc: created,
    });
    let Some(cqn) = cqn else {
        unuse_umems(device, &umems);
        return Err(syndrome::FULL_CQ.because("cqs", count));
    };
    if let Some(uar) = device.uars.get_mut(uar.0) {
        uar.cqs += 1;
    }
    put(&mut super::output::<CreateCqOut>(output)?, create_cq_out::CQN, cqn);
    Ok(())
}

/// Where the doorbell record lies; `None` where neither the id nor the valid bit is set.
fn dbr_place(context: &View<Cqc, &[u8]>) -> Option<Place> {
    let umem = context.get(cqc::DBR_UMEM_ID);
    (umem != 0 || context.is_set(cqc::DBR_UMEM_VALID)).then(|| Place {
        field: "dbr_umem_id",
        umem,
        offset: context.get(cqc::DBR_ADDR),
    })
}

pub(super) fn destroy_command(fabric: &mut Fabric, index: usize, input: &[u8]) -> Outcome {
    let cmd = super::input::<DestroyCqIn>(input)?;
    destroy(fabric, index, Cqn(cmd.get(destroy_cq_in::CQN) as u32))
}

/// Destroys a CQ to which no QP completes. Queues that WAIT for it go on with an error.
pub fn destroy(fabric: &mut Fabric, index: usize, cqn: Cqn) -> Result<(), Refusal> {
    let missing = syndrome::NO_CQ.because("cqn", cqn);
    let device = fabric.devices.get_mut(index).ok_or(missing)?;
    let users = device.cqs.get(cqn.0).ok_or(missing)?.users;
    if users > 0 {
        return Err(syndrome::BUSY_CQ.because("users of the cq", users));
    }
    let cq = device.cqs.remove(cqn.0).ok_or(missing)?;
    unuse_umems(device, &cq.umems);
    if let Some(uar) = device.uars.get_mut(cq.uar.0) {
        uar.cqs = uar.cqs.saturating_sub(1);
    }
    engine::release_waiters(fabric, index, cq.waiters);
    Ok(())
}

/// QUERY_CQ: the context as created, with the counters of now.
pub(super) fn query(device: &Device, input: &[u8], output: &mut [u8]) -> Outcome {
    let cmd = super::input::<QueryCqIn>(input)?;
    check_op_mod(input)?;
    let cqn = Cqn(cmd.get(query_cq_in::CQN) as u32);
    let cq = device.cqs.get(cqn.0).ok_or(syndrome::NO_CQ.because("cqn", cqn))?;
    let mut out = super::output::<QueryCqOut>(output)?;
    let mut context = out.sub_mut(query_cq_out::CQ_CONTEXT);
    context.as_bytes_mut().copy_from_slice(&cq.created_cqc);
    let mask = u64::from(gpunetio_prm::id::MASK_24);
    put(&mut context, cqc::PRODUCER_COUNTER, cq.producer & mask);
    if let Some(dbr) = cq.dbr {
        let consumer = dbr.load_be32_acquire(gpunetio_prm::doorbell::CQ_SET_CI * 4);
        put(&mut context, cqc::CONSUMER_COUNTER, u64::from(consumer) & mask);
    }
    if cq.in_error {
        put(&mut context, cqc::STATUS, CqStatus::OVERFLOW);
    }
    Ok(())
}
