/*
 * Polling a completion queue.
 *
 * poll_one_* looks once: 0 done, EBUSY (GPUNETIO_DEV_EBUSY) not yet, -EIO (-GPUNETIO_DEV_EIO) error. poll_* waits for 0 or -EIO;
 * an error CQE ends every wait. The bounded forms are `gpunetio_dev_verbs_*_timeout`.
 */
#ifndef DOCA_GPUNETIO_DEV_VERBS_CQ_CUH
#define DOCA_GPUNETIO_DEV_VERBS_CQ_CUH

#include "gpunetio_dev_cq_check.cuh"

#define GPUNETIO_SHARING_GPU DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU

/* Turns of a wait between looks at what else could end it. */
#define GPUNETIO_SLOW_TURNS 4096u

/* Rings for WQEs that are written but not rung (SKIP_DB_RINGING), so that a wait for them can end. In the QP header. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode mode>
GPUNETIO_API void gpunetio_ring_pending(struct doca_gpu_dev_verbs_qp *qp);

/** The CQ image of a QP's send queue. */
GPUNETIO_API struct doca_gpu_dev_verbs_cq *doca_gpu_dev_verbs_qp_get_cq_sq(struct doca_gpu_dev_verbs_qp *qp) {
    return &qp->cq_sq;
}
/** The CQ image of one of a QP's work queues. */
template <enum doca_gpu_dev_verbs_qp_type qp_type = DOCA_GPUNETIO_VERBS_QP_SQ>
GPUNETIO_API struct doca_gpu_dev_verbs_cq *doca_gpu_dev_verbs_qp_get_cq(struct doca_gpu_dev_verbs_qp *qp) {
    static_assert(qp_type == DOCA_GPUNETIO_VERBS_QP_SQ, "a QP image holds a send queue only");
    return &qp->cq_sq;
}
/** A 24-bit CQ index, increment further on. */
GPUNETIO_API uint32_t doca_gpu_dev_verbs_cqe_idx_inc_mask(uint32_t cqe_idx, uint32_t increment) {
    return (cqe_idx + increment) & DOCA_GPUNETIO_VERBS_CQE_CI_MASK;
}
/** Prints what an error CQE says. */
GPUNETIO_API void doca_gpu_dev_verbs_cq_print_cqe_err(struct doca_gpunetio_ib_mlx5_cqe64 *cqe64) {
    struct doca_gpunetio_ib_mlx5_err_cqe_ex *e = (struct doca_gpunetio_ib_mlx5_err_cqe_ex *)cqe64;
    printf("gpunetio: error cqe: opcode %u syndrome 0x%x vendor 0x%x hw 0x%x type 0x%x wqe %u qpn 0x%x\n",
           (unsigned)(e->op_own >> DOCA_GPUNETIO_VERBS_MLX5_CQE_OPCODE_SHIFT), (unsigned)e->syndrome,
           (unsigned)e->vendor_err_synd, (unsigned)e->hw_err_synd, (unsigned)e->hw_synd_type,
           (unsigned)gpunetio_bswap16(e->wqe_counter), (unsigned)(gpunetio_bswap32(e->s_wqe_opcode_qpn) & 0xffffff));
}

/** One look at index cons_index of a CQ of many entries. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU>
GPUNETIO_API int doca_priv_gpu_dev_verbs_poll_one_cq_device_at(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index) {
    return gpunetio_cq_check_ring<resource_sharing_mode>(cq, cons_index);
}
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU>
GPUNETIO_API int doca_gpu_dev_verbs_poll_one_cq_device_at(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index) {
    return gpunetio_cq_check_ring<resource_sharing_mode>(cq, cons_index);
}
/** The same for a CQ in host memory: every look is a system-scope load already. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU>
GPUNETIO_API int doca_gpu_dev_verbs_poll_one_cq_host_at(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index) {
    return gpunetio_cq_check_ring<resource_sharing_mode>(cq, cons_index);
}
/** One look at a collapsed CQ; *new_cqe_ci gets the first index not known to be done. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU>
GPUNETIO_API int doca_priv_gpu_dev_verbs_poll_cq_one_collapsed_at(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index,
                                                                  uint64_t *new_cqe_ci) {
    return gpunetio_cq_check_collapsed<resource_sharing_mode>(cq, cons_index, new_cqe_ci);
}
/** One look at a collapsed CQ: 0 only once that very index has completed. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU>
GPUNETIO_API int doca_gpu_dev_verbs_poll_one_cq_collapsed_at(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index) {
    uint64_t new_ci;
    return gpunetio_cq_check_collapsed<resource_sharing_mode>(cq, cons_index, &new_ci);
}
/** One look at the completion of index cons_index, whatever the CQ's shape. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_qp_type qp_type = DOCA_GPUNETIO_VERBS_QP_SQ,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API int doca_gpu_dev_verbs_poll_one_cq_at(struct doca_gpu_dev_verbs_qp *qp, uint64_t cons_index) {
    struct doca_gpu_dev_verbs_cq *cq = doca_gpu_dev_verbs_qp_get_cq<qp_type>(qp);
    return gpunetio_cq_check<resource_sharing_mode>(cq, gpunetio_cq_is_collapsed<cq_type>(cq), cons_index);
}

/*
 * Waits for index n: 0, -EIO, or ETIMEDOUT. qp may be null. In slow turns it looks for an error at another index, for the NIC
 * may stop before n, and rings for WQEs that nobody has rung. behind, null for none, is a QP whose completions qp's WQEs wait
 * for: it is rung and its error counts too, and at once, for all that qp holds may depend on it. Never inlined into the posting
 * path.
 */
template <enum doca_gpu_dev_verbs_resource_sharing_mode mode>
GPUNETIO_SLOW int gpunetio_cq_wait(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_cq *cq, bool collapsed,
                                   uint64_t n, uint64_t timeout_ns,
                                   struct doca_gpu_dev_verbs_qp *behind = nullptr) {
    uint64_t start = timeout_ns == GPUNETIO_DEV_FOREVER ? 0 : gpunetio_globaltimer();
    for (uint32_t turn = 1;; turn++) {
        int status = gpunetio_cq_check<mode>(cq, collapsed, n);
        if (status != GPUNETIO_DEV_EBUSY) return status;
        if (timeout_ns != GPUNETIO_DEV_FOREVER && gpunetio_globaltimer() - start >= timeout_ns)
            return GPUNETIO_DEV_ETIMEDOUT;
        if (turn % GPUNETIO_SLOW_TURNS == 0 || (turn == 1 && behind != nullptr)) {
            if (behind != nullptr) gpunetio_ring_pending<mode>(behind);
            if (qp != nullptr) gpunetio_ring_pending<mode>(qp);
            bool failed = gpunetio_cq_has_error(cq, collapsed);
            if (behind != nullptr)
                failed |= gpunetio_cq_has_error(
                    &behind->cq_sq, gpunetio_cq_is_collapsed<DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(&behind->cq_sq));
            if (failed) {
                /* n may have completed since our look and before the error. */
                status = gpunetio_cq_check<mode>(cq, collapsed, n);
                return status == GPUNETIO_DEV_EBUSY ? -GPUNETIO_DEV_EIO : status;
            }
        }
        gpunetio_relax();
    }
}

/** Waits for index cons_index of a CQ of many entries. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU>
GPUNETIO_API int doca_priv_gpu_dev_verbs_poll_cq_device_at(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index) {
    return gpunetio_cq_wait<resource_sharing_mode>(nullptr, cq, false, cons_index, GPUNETIO_DEV_FOREVER);
}
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU>
GPUNETIO_API int doca_gpu_dev_verbs_poll_cq_device_at(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index) {
    return gpunetio_cq_wait<resource_sharing_mode>(nullptr, cq, false, cons_index, GPUNETIO_DEV_FOREVER);
}
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU>
GPUNETIO_API int doca_gpu_dev_verbs_poll_cq_host_at(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index) {
    return gpunetio_cq_wait<resource_sharing_mode>(nullptr, cq, false, cons_index, GPUNETIO_DEV_FOREVER);
}
/** Waits for index cons_index of a collapsed CQ; *new_cqe_ci gets the first index not known to be done. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_qp_type qp_type = DOCA_GPUNETIO_VERBS_QP_SQ>
GPUNETIO_API int doca_priv_gpu_dev_verbs_poll_cq_collapsed_at(struct doca_gpu_dev_verbs_qp *qp, uint64_t cons_index,
                                                              uint64_t *new_cqe_ci) {
    struct doca_gpu_dev_verbs_cq *cq = doca_gpu_dev_verbs_qp_get_cq<qp_type>(qp);
    int status = gpunetio_cq_wait<resource_sharing_mode>(qp, cq, true, cons_index, GPUNETIO_DEV_FOREVER);
    *new_cqe_ci = gpunetio_at<gpunetio_polling<resource_sharing_mode>::scope>::load(&cq->cqe_ci);
    return status;
}
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_qp_type qp_type = DOCA_GPUNETIO_VERBS_QP_SQ>
GPUNETIO_API int doca_gpu_dev_verbs_poll_cq_collapsed_at(struct doca_gpu_dev_verbs_qp *qp, uint64_t cons_index) {
    return gpunetio_cq_wait<resource_sharing_mode>(qp, doca_gpu_dev_verbs_qp_get_cq<qp_type>(qp), true, cons_index,
                                                   GPUNETIO_DEV_FOREVER);
}

/** Waits for the completion of index cons_index, at most timeout_ns: 0, -EIO, or ETIMEDOUT. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_qp_type qp_type = DOCA_GPUNETIO_VERBS_QP_SQ,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API int gpunetio_dev_verbs_poll_cq_at_timeout(struct doca_gpu_dev_verbs_qp *qp, uint64_t cons_index,
                                                       uint64_t timeout_ns) {
    struct doca_gpu_dev_verbs_cq *cq = doca_gpu_dev_verbs_qp_get_cq<qp_type>(qp);
    return gpunetio_cq_wait<resource_sharing_mode>(qp, cq, gpunetio_cq_is_collapsed<cq_type>(cq), cons_index,
                                                   timeout_ns);
}
/** Waits for the completion of index cons_index, whatever the CQ's shape: 0 or -EIO. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_qp_type qp_type = DOCA_GPUNETIO_VERBS_QP_SQ,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API int doca_gpu_dev_verbs_poll_cq_at(struct doca_gpu_dev_verbs_qp *qp, uint64_t cons_index) {
    return gpunetio_dev_verbs_poll_cq_at_timeout<resource_sharing_mode, qp_type, cq_type>(qp, cons_index,
                                                                                          GPUNETIO_DEV_FOREVER);
}
/** Waits for the next count completions that no other poll_cq of this CQ waits for: 0 or -EIO. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_qp_type qp_type = DOCA_GPUNETIO_VERBS_QP_SQ,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API int doca_gpu_dev_verbs_poll_cq(struct doca_gpu_dev_verbs_qp *qp, uint32_t count) {
    if (count == 0) return 0;
    struct doca_gpu_dev_verbs_cq *cq = doca_gpu_dev_verbs_qp_get_cq<qp_type>(qp);
    uint64_t first =
        gpunetio_at<gpunetio_polling<resource_sharing_mode>::scope>::add(&cq->cqe_rsvd, (uint64_t)count);
    return doca_gpu_dev_verbs_poll_cq_at<resource_sharing_mode, qp_type, cq_type>(qp, first + count - 1);
}
/**
 * Tells the NIC which entries are consumed: all that polls of this CQ have seen to be done. Returns the 24-bit consumer index.
 * cqe_num, how many the caller has polled since its last call, is not needed for that: the image counts what was polled, and an
 * entry that nobody has polled stays the NIC's not to overwrite. With is_overrun the NIC does not read the record (the CQ ignores
 * overrun) and nothing is stored. The caller serializes calls for one CQ. Not for a queue that has had a WQE of two slots, whose
 * index runs ahead of its entries.
 */
template <bool is_overrun>
GPUNETIO_API uint32_t doca_gpu_dev_verbs_cq_update_dbrec(struct doca_gpu_dev_verbs_cq *cq, uint32_t cqe_num) {
    (void)cqe_num;
    /* Acquire: partner is the release of another poller that moved cqe_ci, so its reads are carried by our release as well. */
    uint64_t done = gpunetio_at<GPUNETIO_SCOPE_GPU>::load_acquire(&cq->cqe_ci);
    uint32_t ci = doca_gpu_dev_verbs_cqe_idx_inc_mask((uint32_t)done, 0);
    /* Release: reads of the entries come before the NIC may overwrite them; the partner is the NIC's read of the record. */
    if (!is_overrun) gpunetio_at_sys::store_release((uint32_t *)cq->dbrec, gpunetio_bswap32(ci));
    return ci;
}

#endif
