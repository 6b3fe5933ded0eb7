//! Receive memory pools: shared receive queues.

use gpunetio_prm::command::{RmpState, WqType};
use gpunetio_prm::id::{Pdn, Rmpn};
use gpunetio_prm::layout::rmp::{
    CreateRmpIn, CreateRmpOut, Rmpc, Wq, create_rmp_in, create_rmp_out, rmpc, wq,
};
use gpunetio_prm::layout::{Field, View};

use super::resource::{Place, locate_dbr, locate_ring, unuse_pd, unuse_umems, use_pd, use_umems};
use super::{Outcome, check_op_mod, check_zero, put};
use crate::device::Device;
use crate::object::{ReceiveQueue, Rmp};
use crate::syndrome::{self, Refusal};

/// log2 of the bytes of a cyclic WQE's one data segment.
const MIN_LOG_STRIDE_CYCLIC: u64 = 4;
/// log2 of the bytes of a next-WQE segment and a data segment.
const MIN_LOG_STRIDE_LINKED: u64 = 5;

/// Features that the device does not have. `end_padding_mode` is allowed: it pads to cache lines for speed only.
const UNSUPPORTED: &[Field<Wq>] = &[
    wq::WQ_SIGNATURE,
    wq::CD_SLAVE,
    wq::HDS_SKIP_FIRST_SGE,
    wq::LOG2_HDS_BUF_SIZE,
    wq::PAGE_OFFSET,
    wq::LWM,
    wq::HW_COUNTER,
    wq::SW_COUNTER,
    wq::LOG_HAIRPIN_NUM_PACKETS,
    wq::LOG_HAIRPIN_DATA_SZ,
    wq::SINGLE_WQE_LOG_NUM_OF_STRIDES,
    wq::TWO_BYTE_SHIFT_EN,
    wq::SINGLE_STRIDE_LOG_NUM_OF_BYTES,
];

/// CREATE_RMP.
pub(super) fn create(device: &mut Device, input: &[u8], output: &mut [u8]) -> Outcome {
    let cmd = super::input::<CreateRmpIn>(input)?;
    check_op_mod(input)?;
    let context = cmd.sub(create_rmp_in::CTX);
    let state = context.get(rmpc::STATE);
    if state != u64::from(RmpState::RDY) {
        return Err(syndrome::RMP_STATE.because("state", state));
    }
    let queue = context.sub(rmpc::WQ);
    check_zero(&queue, UNSUPPORTED)?;
    let linked = check_shape(device, &context, &queue)?;
    let (log_size, log_stride) =
        (queue.get(wq::LOG_WQ_SZ) as u8, queue.get(wq::LOG_WQ_STRIDE) as u8);
    let own = queue.get(wq::WQ_UMEM_ID);
    let place = Place { field: "wq_umem_id", umem: own, offset: queue.get(wq::WQ_UMEM_OFFSET) };
    let ring = locate_ring(device, place, 1u64 << (log_size + log_stride))?;
    let record = Place {
        field: "dbr_umem_id",
        umem: queue.get(wq::DBR_UMEM_ID),
        offset: queue.get(wq::DBR_ADDR),
    };
    if record.umem == 0 && !queue.is_set(wq::DBR_UMEM_VALID) {
        return Err(syndrome::NO_DBR.because("dbr_umem_id", 0u64));
    }
    let (dbr, dbr_umem) = locate_dbr(device, record, own)?;
    let pd = Pdn(queue.get(wq::PD) as u32);
    use_pd(device, pd)?;
    let count = device.rmps.len() as u64;
    let umems = use_umems(device, &[own, dbr_umem]);
    let rmpn = device.rmps.insert_with(|rmpn| Rmp {
        rmpn: Rmpn(rmpn),
        pd,
        queue: ReceiveQueue { ring, log_size, log_stride, dbr, consumer: 0, linked, head: 0 },
        umems: umems.clone(),
        users: 0,
    });
    let Some(rmpn) = rmpn else {
        unuse_umems(device, &umems);
        unuse_pd(device, pd);
        return Err(syndrome::FULL_RMP.because("rmps", count));
    };
    put(&mut super::output::<CreateRmpOut>(output)?, create_rmp_out::RMPN, rmpn);
    Ok(())
}

/// Checks type, size and stride; true for a linked list.
fn check_shape(
    device: &Device,
    context: &View<Rmpc, &[u8]>,
    queue: &View<Wq, &[u8]>,
) -> Result<bool, Refusal> {
    let wq_type = WqType(queue.get(wq::WQ_TYPE) as u8);
    let linked = match wq_type {
        WqType::LINKED_LIST => true,
        WqType::CYCLIC => false,
        _ => return Err(syndrome::RMP_TYPE.because("wq_type", wq_type)),
    };
    if linked && context.is_set(rmpc::BASIC_CYCLIC_RCV_WQE) {
        return Err(syndrome::RMP_CYCLIC.because("wq_type", wq_type));
    }
    let size = queue.get(wq::LOG_WQ_SZ);
    if size > device.limits.log_max_srq_sz.into() {
        return Err(syndrome::RMP_SIZE.because("log_wq_sz", size));
    }
    let min = if linked { MIN_LOG_STRIDE_LINKED } else { MIN_LOG_STRIDE_CYCLIC };
    let max = u64::from(device.limits.max_wqe_sz.ilog2());
    let stride = queue.get(wq::LOG_WQ_STRIDE);
    if !(min..=max).contains(&stride) {
        return Err(syndrome::RMP_STRIDE.because("log_wq_stride", stride));
    }
    Ok(linked)
}

/// Destroys an RMP from which no QP receives. The kernel builds DESTROY_RMP for its clients, so it has no raw form here.
pub fn destroy(device: &mut Device, rmpn: Rmpn) -> Result<(), Refusal> {
    let users = device.rmps.get(rmpn.0).ok_or(syndrome::NO_RMP.because("rmpn", rmpn))?.users;
    if users > 0 {
        return Err(syndrome::BUSY_RMP.because("users of the rmp", users));
    }
    if let Some(rmp) = device.rmps.remove(rmpn.0) {
        unuse_umems(device, &rmp.umems);
        unuse_pd(device, rmp.pd);
    }
    Ok(())
}
