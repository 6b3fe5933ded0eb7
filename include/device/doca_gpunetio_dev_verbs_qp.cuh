/*
 * Posting to a send queue: reserve slots, write WQEs, publish them in order, ring.
 *
 * The life of a slot index, each step a counter in the QP image that only grows:
 *   sq_rsvd_index  handed out to one poster, by an atomic add at the sharing scope
 *   sq_ready_index written: posters move it in index order, each over its own WQEs, so everything below it is whole
 *   sq_wqe_pi      rung: moved by the holder of sq_lock after its doorbell
 * A doorbell carries sq_ready_index or less, so it never covers a WQE that is reserved and not yet written. Only the lock
 * holder writes the doorbell record and the register, so neither goes backwards. A poster leaves submit when sq_wqe_pi has
 * reached it; nothing is left unrung. EXCLUSIVE has one poster at a time and posts without an atomic read-modify-write.
 *
 * After an error CQE, posters that find no free slot leave their indices out: those are never written, so ready_index stops
 * there, and with it every doorbell, whoever posts later and by which call.
 */
#ifndef DOCA_GPUNETIO_DEV_VERBS_QP_CUH
#define DOCA_GPUNETIO_DEV_VERBS_QP_CUH

#include "doca_gpunetio_dev_verbs_cq.cuh"
#include "gpunetio_dev_wqe.cuh"

#define GPUNETIO_OPT_DEFAULT DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_DEFAULT

/** The word of the proxy ready ring for WQE slot_idx (CPU_PROXY_FREE_FLOW): it holds index + 1 once the WQE is whole. */
GPUNETIO_API uint64_t *doca_gpu_dev_verbs_get_proxy_ready_ptr(struct doca_gpu_dev_verbs_qp *qp, uint16_t slot_idx) {
    return qp->sq_db + (slot_idx & qp->sq_wqe_mask);
}

/*
 * Waits until the slot of wqe_idx is free: its last WQE has completed, or the queue has an error, after which the NIC flushes
 * what is posted. 0, -EIO, or ETIMEDOUT. behind: see gpunetio_cq_wait.
 */
template <enum doca_gpu_dev_verbs_resource_sharing_mode mode, enum doca_gpu_dev_verbs_cq_type cq_type>
GPUNETIO_API int gpunetio_wait_slot(struct doca_gpu_dev_verbs_qp *qp, uint64_t wqe_idx, uint64_t timeout_ns,
                                    struct doca_gpu_dev_verbs_qp *behind = nullptr) {
    typedef gpunetio_at<gpunetio_polling<mode>::scope> at;
    const uint32_t depth = qp->sq_wqe_num;
    struct doca_gpu_dev_verbs_cq *cq = &qp->cq_sq;
    if (wqe_idx < depth) return 0;
    uint64_t old = wqe_idx - depth;
    /* Reusing a slot needs no acquire: our stores depend on this load, and the NIC was done with the slot before the entry. */
    uint64_t ci = at::load(&cq->cqe_ci);
    if (old < ci) return 0;
    bool collapsed = gpunetio_cq_is_collapsed<cq_type>(cq);
    if (!collapsed) {
        /* One look a little further on pays for the next posts as well: completions come in order and in bursts, and each
         * entry is a cache line that the NIC has just written. */
        uint64_t ahead = old + (depth >= 64 ? 15 : 0);
        if (ahead - ci < cq->cqe_num && gpunetio_cq_look(cq, ahead) == 0) {
            /* No lane of an EXCLUSIVE warp polls while the leader posts, so a store is enough: ahead is not below ci. */
            if constexpr (gpunetio_sharing<mode>::exclusive)
                at::store(&cq->cqe_ci, ahead + 1);
            else
                at::max(&cq->cqe_ci, ahead + 1);
            return 0;
        }
    }
    return gpunetio_cq_wait<mode>(qp, cq, collapsed, old, timeout_ns, behind);
}

/** Waits until the slot of wqe_idx may be written: its last WQE has completed, or the CQ has an error. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_qp_type qp_type = DOCA_GPUNETIO_VERBS_QP_SQ,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_wait_until_slot_available(struct doca_gpu_dev_verbs_qp *qp, uint64_t wqe_idx) {
    gpunetio_wait_slot<resource_sharing_mode, cq_type>(qp, wqe_idx, GPUNETIO_DEV_FOREVER);
}
/*
 * Reserves count slots, 1 to the queue's depth, and waits until all are free. -EIO: the queue has an error, the slots may still
 * hold WQEs that the NIC has not flushed; who writes them anyway posts into a dead queue.
 */
template <enum doca_gpu_dev_verbs_resource_sharing_mode mode, enum doca_gpu_dev_verbs_cq_type cq_type>
GPUNETIO_API int gpunetio_reserve(struct doca_gpu_dev_verbs_qp *qp, uint32_t count, uint32_t code_opt,
                                  uint64_t *first) {
    *first = doca_gpu_dev_verbs_atomic_add<uint64_t, mode>(&qp->sq_rsvd_index, count);
    if (code_opt & DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_SKIP_AVAILABILITY_CHECK) return 0;
    return gpunetio_wait_slot<mode, cq_type>(qp, *first + count - 1, GPUNETIO_DEV_FOREVER);
}
/*
 * Reserves count slots, 1 to the queue's depth, once they are free, within timeout_ns from now; takes nothing unless it returns
 * 0. *first is the index that it tried last. behind: see gpunetio_cq_wait.
 */
template <enum doca_gpu_dev_verbs_resource_sharing_mode mode, enum doca_gpu_dev_verbs_cq_type cq_type>
GPUNETIO_API int gpunetio_reserve_free(struct doca_gpu_dev_verbs_qp *qp, uint32_t count, uint64_t timeout_ns,
                                       struct doca_gpu_dev_verbs_qp *behind, uint64_t *first) {
    typedef gpunetio_at<gpunetio_sharing<mode>::scope> at;
    uint64_t start = timeout_ns == GPUNETIO_DEV_FOREVER ? 0 : gpunetio_globaltimer();
    uint64_t left = timeout_ns;
    for (;;) {
        *first = at::load(&qp->sq_rsvd_index);
        int status = gpunetio_wait_slot<mode, cq_type>(qp, *first + count - 1, left, behind);
        if (status != 0) return status;
        if (at::cas(&qp->sq_rsvd_index, *first, *first + count) == *first) return 0;
        if (timeout_ns == GPUNETIO_DEV_FOREVER) continue;
        /* Others took these slots: the next ones have what is left of the time, and one look where none is. */
        uint64_t spent = gpunetio_globaltimer() - start;
        left = spent < timeout_ns ? timeout_ns - spent : 0;
    }
}
/**
 * Reserves count slots, at most the queue's depth, and waits until all are free; returns the first index. None of 0 slots is
 * waited for. More than the queue has: GPUNETIO_DEV_NO_SLOTS, and nothing is reserved; write nothing then (marking, submitting and
 * polling from that index do nothing). It also returns on an error CQE: what is posted then is flushed by the NIC or not rung at
 * all, and its poll returns the error. With SKIP_AVAILABILITY_CHECK any count is reserved at once.
 */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_qp_type qp_type = DOCA_GPUNETIO_VERBS_QP_SQ,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API uint64_t doca_gpu_dev_verbs_reserve_wq_slots(struct doca_gpu_dev_verbs_qp *qp, uint32_t count,
                                                          uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    if (!(code_opt & DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_SKIP_AVAILABILITY_CHECK)) {
        if (count == 0) return gpunetio_at<gpunetio_sharing<resource_sharing_mode>::scope>::load(&qp->sq_rsvd_index);
        if (count > qp->sq_wqe_num) return GPUNETIO_DEV_NO_SLOTS;
    }
    uint64_t first;
    gpunetio_reserve<resource_sharing_mode, cq_type>(qp, count, code_opt, &first);
    return first;
}
/**
 * Bounded reserve: nothing is reserved unless it returns 0 and stores the first index. -EIO: the CQ has an error. ETIMEDOUT:
 * no room within timeout_ns (0: one look, the AGAIN of a non-blocking post). -EINVAL: the queue has fewer slots than count.
 * GPUNETIO_DEV_EBUSY is never returned.
 */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API int gpunetio_dev_verbs_reserve_wq_slots_timeout(struct doca_gpu_dev_verbs_qp *qp, uint32_t count,
                                                             uint64_t timeout_ns, uint64_t *first) {
    if (count > qp->sq_wqe_num) return -GPUNETIO_DEV_EINVAL;
    uint64_t index = gpunetio_at<gpunetio_sharing<resource_sharing_mode>::scope>::load(&qp->sq_rsvd_index);
    int status = count == 0 ? 0
                            : gpunetio_reserve_free<resource_sharing_mode, cq_type>(qp, count, timeout_ns, nullptr,
                                                                                    &index);
    if (status == 0) *first = index;
    return status;
}
/** Control flags of a WQE of this queue: every WQE makes a CQE, for slots are freed and tickets polled by CQE. */
template <enum doca_gpu_dev_verbs_qp_type qp_type = DOCA_GPUNETIO_VERBS_QP_SQ,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API enum doca_gpu_dev_verbs_wqe_ctrl_flags doca_gpu_dev_verbs_get_ctrl_flags(struct doca_gpu_dev_verbs_qp *qp,
                                                                                      uint32_t code_opt) {
    (void)qp;
    (void)code_opt;
    return DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CQ_UPDATE;
}

/**
 * Moves ready_index over [from, to], after it has reached from. Releases the caller's WQE stores at the sharing scope to
 * whoever rings; the partner is the acquire of ready_index in submit. Modes differ in how the wait is made, not in the result.
 */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_qp_ready_mode ready_mode = DOCA_GPUNETIO_VERBS_READY_MODE_DEFAULT>
GPUNETIO_API void doca_gpu_dev_common_mark_wqes_ready(uint64_t &ready_index, uint64_t from_wqe_idx,
                                                      uint64_t to_wqe_idx) {
    typedef gpunetio_at<gpunetio_sharing<resource_sharing_mode>::scope> at;
    if constexpr (gpunetio_sharing<resource_sharing_mode>::exclusive) {
        at::store(&ready_index, to_wqe_idx + 1);
    } else if constexpr (ready_mode == DOCA_GPUNETIO_VERBS_READY_MODE_ATOMIC_CAS) {
        while (at::cas(&ready_index, from_wqe_idx, to_wqe_idx + 1) != from_wqe_idx) gpunetio_relax();
    } else {
        /* The acquire makes this release cumulative: it carries the WQEs of those before us as well. */
        while (at::load_acquire(&ready_index) != from_wqe_idx) gpunetio_relax();
        at::store_release(&ready_index, to_wqe_idx + 1);
    }
}
/**
 * Publishes WQEs [from, to] to a CPU proxy in any order: one word each, index + 1. The fence orders the WQEs before the words;
 * its partner is the proxy's acquire of a word.
 */
GPUNETIO_API void doca_gpu_dev_verbs_mark_wqes_ready_free_flow(struct doca_gpu_dev_verbs_qp *qp, uint64_t from_wqe_idx,
                                                               uint64_t to_wqe_idx,
                                                               uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    (void)code_opt;
    gpunetio_at_sys::fence();
    for (uint64_t i = from_wqe_idx; i <= to_wqe_idx; i++)
        gpunetio_at_sys::store(doca_gpu_dev_verbs_get_proxy_ready_ptr(qp, (uint16_t)i), i + 1);
}

/* The handler that a call works with: its template argument, or the image's. */
template <enum doca_gpu_dev_verbs_nic_handler nic_handler>
GPUNETIO_API uint32_t gpunetio_handler(const struct doca_gpu_dev_verbs_qp *qp) {
    return nic_handler == DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO ? (uint32_t)qp->nic_handler : (uint32_t)nic_handler;
}

/* Whether the send queue has an error that still stands. */
GPUNETIO_DEVICE bool gpunetio_qp_is_dead(struct doca_gpu_dev_verbs_qp *qp) {
    return gpunetio_cq_is_dead(&qp->cq_sq, gpunetio_cq_is_collapsed<DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(&qp->cq_sq));
}

/*
 * Waits until all WQEs before from are published; false: the queue has an error and they may never be, for posters that found
 * no slot have left theirs out.
 */
template <enum doca_gpu_dev_verbs_resource_sharing_mode mode>
GPUNETIO_API bool gpunetio_wait_turn(struct doca_gpu_dev_verbs_qp *qp, uint64_t from) {
    typedef gpunetio_at<gpunetio_sharing<mode>::scope> at;
    if constexpr (gpunetio_sharing<mode>::exclusive) {
        if (at::load(&qp->sq_ready_index) == from) return true;
        /* Nobody else publishes: either the client rings without publishing, or slots before from were left out. */
        return from < GPUNETIO_DEV_NO_SLOTS && !gpunetio_qp_is_dead(qp);
    } else {
        for (uint32_t turn = 1; at::load(&qp->sq_ready_index) != from; turn++) {
            if (turn % GPUNETIO_SLOW_TURNS == 0 && (from >= GPUNETIO_DEV_NO_SLOTS || gpunetio_qp_is_dead(qp)))
                return false;
            gpunetio_relax();
        }
        return true;
    }
}

/*
 * Publishes WQEs [from, to]. False: not published, nor ever; the caller must not ring for them. found_free: the caller has seen
 * that the slots are free, so no index before them was left out, and an EXCLUSIVE caller need not look.
 */
template <enum doca_gpu_dev_verbs_resource_sharing_mode mode, enum doca_gpu_dev_verbs_qp_ready_mode ready_mode,
          enum doca_gpu_dev_verbs_nic_handler nic_handler>
GPUNETIO_API bool gpunetio_publish(struct doca_gpu_dev_verbs_qp *qp, uint64_t from, uint64_t to, uint32_t code_opt,
                                   bool found_free = false) {
    if (gpunetio_handler<nic_handler>(qp) & DOCA_GPUNETIO_VERBS_NIC_HANDLER_FLAG_FREE_FLOW) {
        if (from >= GPUNETIO_DEV_NO_SLOTS) return false;
        doca_gpu_dev_verbs_mark_wqes_ready_free_flow(qp, from, to, code_opt);
        return true;
    }
    if (!(gpunetio_sharing<mode>::exclusive && found_free) && !gpunetio_wait_turn<mode>(qp, from)) return false;
    doca_gpu_dev_common_mark_wqes_ready<mode, ready_mode>(qp->sq_ready_index, from, to);
    return true;
}

/**
 * Publishes WQEs [from, to], in index order; a free-flow proxy takes them in any order. On a queue with an error, where WQEs before
 * them were left out, it publishes nothing, and submit rings for nothing beyond what is published.
 */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_qp_type qp_type = DOCA_GPUNETIO_VERBS_QP_SQ,
          enum doca_gpu_dev_verbs_qp_ready_mode ready_mode = DOCA_GPUNETIO_VERBS_READY_MODE_ATOMIC_CAS,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO>
GPUNETIO_API void doca_gpu_dev_verbs_mark_wqes_ready(struct doca_gpu_dev_verbs_qp *qp, uint64_t from_wqe_idx,
                                                     uint64_t to_wqe_idx, uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    gpunetio_publish<resource_sharing_mode, ready_mode, nic_handler>(qp, from_wqe_idx, to_wqe_idx, code_opt);
}

/** A doorbell record for prod_index: 16 bits, big-endian. */
GPUNETIO_API __be32 doca_gpu_dev_verbs_prepare_dbr(uint32_t prod_index) {
    return gpunetio_bswap32(prod_index & DOCA_GPUNETIO_VERBS_WQE_PI_MASK);
}
/** Stores a doorbell record after every WQE store; the partner is the NIC, which fetches WQEs below the index it reads. */
GPUNETIO_API void doca_gpu_dev_common_update_dbr(uint32_t *dbrec, uint32_t prod_index) {
    gpunetio_at_sys::store_release(dbrec, doca_gpu_dev_verbs_prepare_dbr(prod_index));
}
template <enum doca_gpu_dev_verbs_qp_type qp_type = DOCA_GPUNETIO_VERBS_QP_SQ>
GPUNETIO_API void doca_priv_gpu_dev_verbs_update_dbr(struct doca_gpu_dev_verbs_qp *qp, uint32_t prod_index) {
    doca_gpu_dev_common_update_dbr(qp->sq_dbrec, prod_index);
}
/**
 * Stores the send doorbell record. The NIC is outside any GPU scope, so the release is system-wide whatever sync_scope says.
 * ASYNC_STORE_RELEASE is for the doorbell only: the release of an asynchronous doorbell does not cover an asynchronous store before
 * it, so the NIC could see the doorbell before such a record.
 */
template <enum doca_gpu_dev_verbs_sync_scope sync_scope = DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU,
          enum doca_gpu_dev_verbs_qp_type qp_type = DOCA_GPUNETIO_VERBS_QP_SQ>
GPUNETIO_API void doca_gpu_dev_verbs_update_dbr(struct doca_gpu_dev_verbs_qp *qp, uint32_t prod_index,
                                                uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    (void)code_opt;
    doca_gpu_dev_common_update_dbr(qp->sq_dbrec, prod_index);
}

/** A doorbell value: index << 8 and qpn_ds (QPN << 8 | ds), each big-endian. */
GPUNETIO_API __be64 doca_gpu_dev_common_prepare_db(uint32_t qpn_ds, uint64_t prod_index) {
    return gpunetio_dwords(gpunetio_bswap32((uint32_t)(prod_index << DOCA_GPUNETIO_VERBS_WQE_IDX_SHIFT)),
                           gpunetio_bswap32(qpn_ds));
}
/**
 * Writes a doorbell after the record and the WQEs; the partner is the NIC. An asynchronous one may arrive after that of the next
 * holder of sq_lock: the NIC ignores a doorbell lower than what it knows.
 */
template <enum doca_gpu_dev_verbs_sync_scope sync_scope = DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU>
GPUNETIO_API void doca_gpu_dev_common_write_db(uint64_t *db_ptr, uint64_t db_val,
                                               uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    if (code_opt & DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_ASYNC_STORE_RELEASE)
        doca_gpu_dev_verbs_async_store_release(db_ptr, db_val);
    else
        doca_gpu_dev_verbs_store_release_mmio(db_ptr, db_val);
}
template <enum doca_gpu_dev_verbs_sync_scope sync_scope = DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU>
GPUNETIO_API void doca_gpu_dev_common_ring_db(uint64_t *db_ptr, uint32_t qpn_ds, uint64_t prod_index,
                                              uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    doca_gpu_dev_common_write_db<sync_scope>(db_ptr, doca_gpu_dev_common_prepare_db(qpn_ds, prod_index), code_opt);
}
GPUNETIO_API __be64 doca_gpu_dev_verbs_prepare_db(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index) {
    return doca_gpu_dev_common_prepare_db(qp->sq_num_shift8, prod_index);
}
/** Rings the QP's doorbell register for WQEs below prod_index. */
template <enum doca_gpu_dev_verbs_sync_scope sync_scope = DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU>
GPUNETIO_API void doca_gpu_dev_verbs_ring_db(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index,
                                             uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    doca_gpu_dev_common_ring_db<sync_scope>(qp->sq_db, qp->sq_num_shift8, prod_index, code_opt);
}
/** Copies a whole WQE to the QP's BlueFlame register, after the record; the partner is the NIC. */
template <enum doca_gpu_dev_verbs_sync_scope sync_scope = DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU>
GPUNETIO_API void doca_gpu_dev_verbs_ring_bf(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr) {
    gpunetio_at_sys::fence();
    gpunetio_store_blueflame(qp->sq_db, (const uint64_t *)wqe_ptr);
}
/** The same by a whole warp, eight bytes a lane. */
template <enum doca_gpu_dev_verbs_sync_scope sync_scope = DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU>
GPUNETIO_API void doca_gpu_dev_verbs_ring_bf_warp(struct doca_gpu_dev_verbs_qp *qp,
                                                  struct doca_gpu_dev_verbs_wqe *wqe_ptr) {
    /* Orders the record, which one lane stored, and every lane's WQEs before the register; partner is the NIC. The barrier
     * carries the fence of that lane to the lanes that store. */
    gpunetio_at_sys::fence();
    gpunetio_sync_warp(DOCA_GPUNETIO_VERBS_WARP_FULL_MASK);
    gpunetio_store_blueflame_warp(qp->sq_db, (const uint64_t *)wqe_ptr, gpunetio_lane_id());
    gpunetio_sync_warp(DOCA_GPUNETIO_VERBS_WARP_FULL_MASK);
}
/**
 * Hands prod_idx to the CPU proxy, which polls the 64-bit word behind sq_db. Releases the WQEs to the proxy's acquire of that
 * word. The caller serializes shared use (submit does).
 */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode>
GPUNETIO_API void doca_gpu_dev_verbs_ring_proxy(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_idx) {
    gpunetio_at_sys::store_release(qp->sq_db, prod_idx);
}

#include "gpunetio_dev_submit.cuh"

#endif
