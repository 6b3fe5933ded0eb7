/*
 * doca_gpu_dev_verbs_submit*: telling the NIC of published WQEs. Part of the QP header.
 */
#ifndef GPUNETIO_DEV_SUBMIT_CUH
#define GPUNETIO_DEV_SUBMIT_CUH

#include "doca_gpunetio_dev_verbs_qp.cuh"

/* Whether BlueFlame can carry the WQE before prod_index: it copies 64 bytes, and bf_wqe is where such a WQE begins. */
GPUNETIO_DEVICE bool gpunetio_fits_blueflame(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index,
                                             const struct doca_gpu_dev_verbs_wqe *bf_wqe) {
    uint64_t second = gpunetio_second_slot(&qp->cq_sq);
    if (second == 0) return true;
    /* The number of 16-byte segments is in the last byte of the second dword, of a copy in shared memory as well. */
    return second != prod_index - 1 && (bf_wqe->inl_data[7] & 0x3f) <= 4;
}

/*
 * Rings what the handler says for WQEs below prod_index: doorbell record, then register. bf_wqe is the WQE that BlueFlame
 * copies: the one before prod_index, in the queue or in shared memory.
 */
template <enum doca_gpu_dev_verbs_resource_sharing_mode mode, enum doca_gpu_dev_verbs_sync_scope sync_scope>
GPUNETIO_API void gpunetio_ring(struct doca_gpu_dev_verbs_qp *qp, uint32_t handler, uint64_t prod_index,
                                struct doca_gpu_dev_verbs_wqe *bf_wqe, uint32_t code_opt) {
    if (handler & DOCA_GPUNETIO_VERBS_NIC_HANDLER_FLAG_CPU_PROXY) {
        doca_gpu_dev_verbs_ring_proxy<mode>(qp, prod_index);
        return;
    }
    if (!(handler & DOCA_GPUNETIO_VERBS_NIC_HANDLER_FLAG_NO_DBR))
        doca_gpu_dev_verbs_update_dbr<sync_scope>(qp, (uint32_t)prod_index, code_opt);
    if ((handler & DOCA_GPUNETIO_VERBS_NIC_HANDLER_FLAG_BF) && gpunetio_fits_blueflame(qp, prod_index, bf_wqe))
        doca_gpu_dev_verbs_ring_bf<sync_scope>(qp, bf_wqe);
    else
        doca_gpu_dev_verbs_ring_db<sync_scope>(qp, prod_index, code_opt);
}

/*
 * Notes that WQEs below prod_index are rung. Where the kernel rings a register without a record, a CPU proxy may follow it with
 * the record (emulated records): the store is then a release of the WQEs at system scope, whose partner is the proxy's acquire.
 */
template <enum doca_gpu_dev_verbs_resource_sharing_mode mode>
GPUNETIO_API void gpunetio_note_rung(struct doca_gpu_dev_verbs_qp *qp, uint32_t handler, uint64_t prod_index) {
    if (handler & DOCA_GPUNETIO_VERBS_NIC_HANDLER_FLAG_NO_DBR)
        gpunetio_at_sys::store_release(&qp->sq_wqe_pi, prod_index);
    else
        gpunetio_at<gpunetio_sharing<mode>::scope>::store(&qp->sq_wqe_pi, prod_index);
}

/*
 * How far a doorbell for prod_index may reach. Beyond ready are WQEs of a client that publishes by its own means and has ordered
 * them itself; but on a queue with an error there may be slots that posters left out, so nothing beyond ready is rung.
 */
GPUNETIO_DEVICE uint64_t gpunetio_reach(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index, uint64_t ready) {
    if (prod_index <= ready) return prod_index;
    return prod_index >= GPUNETIO_DEV_NO_SLOTS || gpunetio_qp_is_dead(qp) ? ready : prod_index;
}

/*
 * Sees to it that WQEs below prod_index are rung. In the shared modes the holder of sq_lock rings for everybody who has published
 * by then; the others leave as soon as it has. published: sq_ready_index has reached prod_index by the caller's own hand.
 */
template <enum doca_gpu_dev_verbs_resource_sharing_mode mode, enum doca_gpu_dev_verbs_sync_scope sync_scope,
          bool published = false>
GPUNETIO_API void gpunetio_submit(struct doca_gpu_dev_verbs_qp *qp, uint32_t handler, uint64_t prod_index,
                                  struct doca_gpu_dev_verbs_wqe *bf_wqe, uint32_t code_opt) {
    typedef gpunetio_at<gpunetio_sharing<mode>::scope> at;
    if (code_opt & DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_SKIP_DB_RINGING) return;
    /* Free flow: the ready words are the doorbell. */
    if (handler & DOCA_GPUNETIO_VERBS_NIC_HANDLER_FLAG_FREE_FLOW) return;
    uint64_t end = prod_index;
    bool ring = true;
    if constexpr (!gpunetio_sharing<mode>::exclusive) {
        for (;;) {
            if (at::load(&qp->sq_wqe_pi) >= prod_index) return;
            if (at::cas(&qp->sq_lock, 0, 1) == 0) break;
            gpunetio_relax();
        }
    }
    if constexpr (!gpunetio_sharing<mode>::exclusive || !published) {
        /* Acquire: partner is the release in mark_wqes_ready, so the WQEs of all posters below it come before the doorbell. */
        uint64_t ready = at::load_acquire(&qp->sq_ready_index);
        end = gpunetio_reach(qp, prod_index, ready);
        if (end != prod_index)
            bf_wqe = nullptr;
        else if (!gpunetio_sharing<mode>::exclusive && ready > end && bf_wqe == nullptr)
            end = ready;
        ring = at::load(&qp->sq_wqe_pi) < end;
    }
    if (ring) {
        if (bf_wqe == nullptr) bf_wqe = doca_gpu_dev_verbs_get_wqe_ptr(qp, (uint16_t)(end - 1));
        gpunetio_ring<mode, sync_scope>(qp, handler, end, bf_wqe, code_opt);
        gpunetio_note_rung<mode>(qp, handler, end);
    }
    if constexpr (!gpunetio_sharing<mode>::exclusive) at::store_release(&qp->sq_lock, 0);
}

template <enum doca_gpu_dev_verbs_resource_sharing_mode mode>
GPUNETIO_API void gpunetio_ring_pending(struct doca_gpu_dev_verbs_qp *qp) {
    typedef gpunetio_at<gpunetio_sharing<mode>::scope> at;
    uint64_t ready = at::load_acquire(&qp->sq_ready_index);
    if (at::load(&qp->sq_wqe_pi) < ready)
        gpunetio_submit<mode, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(qp, (uint32_t)qp->nic_handler, ready, nullptr,
                                                                  GPUNETIO_OPT_DEFAULT);
}

/** Rings the register only, for a QP whose NIC reads no doorbell record. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_sync_scope sync_scope = DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU,
          enum doca_gpu_dev_verbs_qp_type qp_type = DOCA_GPUNETIO_VERBS_QP_SQ>
GPUNETIO_API void doca_gpu_dev_verbs_submit_db_no_dbr(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index,
                                                      uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    gpunetio_submit<resource_sharing_mode, sync_scope>(qp, DOCA_GPUNETIO_VERBS_NIC_HANDLER_GPU_SM_NO_DBR, prod_index,
                                                       nullptr, code_opt);
}
/** Doorbell record, then register. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_sync_scope sync_scope = DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU,
          enum doca_gpu_dev_verbs_qp_type qp_type = DOCA_GPUNETIO_VERBS_QP_SQ>
GPUNETIO_API void doca_gpu_dev_verbs_submit_db(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index,
                                               uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    gpunetio_submit<resource_sharing_mode, sync_scope>(qp, DOCA_GPUNETIO_VERBS_NIC_HANDLER_GPU_SM_DB, prod_index,
                                                       nullptr, code_opt);
}
/** Doorbell record, then the WQE before prod_index (a copy in shared memory, or the slot itself) to the BlueFlame register. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_sync_scope sync_scope = DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU>
GPUNETIO_API void doca_gpu_dev_verbs_submit_bf(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index,
                                               struct doca_gpu_dev_verbs_wqe *smem_wqe,
                                               uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    gpunetio_submit<resource_sharing_mode, sync_scope>(qp, DOCA_GPUNETIO_VERBS_NIC_HANDLER_GPU_SM_BF, prod_index,
                                                       smem_wqe, code_opt);
}
/**
 * The same with the copy made by the whole warp, which calls together with equal arguments. In the shared modes one lane holds
 * the lock while all copy.
 */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_sync_scope sync_scope = DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU>
GPUNETIO_API void doca_gpu_dev_verbs_submit_bf_warp(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index,
                                                    struct doca_gpu_dev_verbs_wqe *wqe,
                                                    uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    typedef gpunetio_at<gpunetio_sharing<resource_sharing_mode>::scope> at;
    if (code_opt & DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_SKIP_DB_RINGING) return;
    const uint32_t full = DOCA_GPUNETIO_VERBS_WARP_FULL_MASK;
    bool lead = gpunetio_lane_id() == 0;
    bool ring = false, copy = false;
    uint64_t end = prod_index;
    if (lead) {
        doca_gpu_dev_verbs_lock<resource_sharing_mode>(&qp->sq_lock);
        end = gpunetio_reach(qp, prod_index, at::load_acquire(&qp->sq_ready_index));
        ring = at::load(&qp->sq_wqe_pi) < end;
        if (ring) {
            doca_gpu_dev_verbs_update_dbr<sync_scope>(qp, (uint32_t)end, code_opt);
            copy = end == prod_index && gpunetio_fits_blueflame(qp, end, wqe);
            if (!copy) doca_gpu_dev_verbs_ring_db<sync_scope>(qp, end, code_opt);
        }
    }
    copy = gpunetio_shfl_u32(full, copy, 0) != 0;
    if (copy) doca_gpu_dev_verbs_ring_bf_warp<sync_scope>(qp, wqe);
    if (lead) {
        if (ring) at::store(&qp->sq_wqe_pi, end);
        doca_gpu_dev_verbs_unlock<resource_sharing_mode>(&qp->sq_lock);
    }
    gpunetio_sync_warp(full);
}
/** Hands prod_index to the CPU proxy. sq_wqe_pi is kept in any case, which is what CPU_PROXY_UPDATE_PI asks for. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_sync_scope sync_scope = DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU>
GPUNETIO_API void doca_gpu_dev_verbs_submit_proxy(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index,
                                                  uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    gpunetio_submit<resource_sharing_mode, sync_scope>(qp, DOCA_GPUNETIO_VERBS_NIC_HANDLER_CPU_PROXY, prod_index,
                                                       nullptr, code_opt);
}
/** Tells the NIC of published WQEs below prod_index by the handler given, or by the image's (AUTO). */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_sync_scope sync_scope = DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_qp_type qp_type = DOCA_GPUNETIO_VERBS_QP_SQ>
GPUNETIO_API void doca_gpu_dev_verbs_submit(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index,
                                            uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    gpunetio_submit<resource_sharing_mode, sync_scope>(qp, gpunetio_handler<nic_handler>(qp), prod_index, nullptr,
                                                       code_opt);
}

#endif
