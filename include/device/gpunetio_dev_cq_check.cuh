/*
 * One look at a completion queue: has the work of this index ended, and how?
 *
 * Rules that everything here rests on:
 * - Every WQE is signalled and the NIC completes in order. So entry i of a CQ is the completion of WQE i, until the queue has had
 *   a WQE of two slots (see there). The entry's WQE counter must name the index as well, so a look for it is never early.
 * - `cqe_ci` only grows and only over successes: all entries below it are known to be successes. It never passes an error, so
 *   a late poller of a failed index cannot be told "done".
 * - The NIC writes the last four bytes of an entry last: opcode, owner and WQE counter. They are read with an acquire load,
 *   whose partner is that write order, so the data that the work brought is visible to the caller.
 * - Opcode 15 is an entry that was never written (the host fills the memory with 0xff). 13 and 14 are errors.
 */
#ifndef GPUNETIO_DEV_CQ_CHECK_CUH
#define GPUNETIO_DEV_CQ_CHECK_CUH

#include "doca_gpunetio_dev_verbs_common.cuh"

/** Syndrome of work that was flushed because work before it had failed. */
#define GPUNETIO_SYNDROME_WR_FLUSH 0x05

/** First error of a CQ as one word: valid:1, 0:7, hw_err_synd:8, vendor_err_synd:8, syndrome:8. */
#define GPUNETIO_CQ_ERROR_VALID 0x80000000u

GPUNETIO_DEVICE uint32_t gpunetio_cqe_tail(const struct doca_gpu_dev_verbs_cq *cq, uint64_t slot) {
    const uint8_t *cqe = cq->cqe_daddr + slot * DOCA_GPUNETIO_VERBS_CQE_SIZE;
    return gpunetio_at_sys::load_acquire((const uint32_t *)(cqe + 60));
}
/* The tail is read as a little-endian word: op_own is its top byte, the big-endian counter its low half. */
GPUNETIO_DEVICE uint32_t gpunetio_tail_opcode(uint32_t tail) {
    return tail >> 28;
}
GPUNETIO_DEVICE uint32_t gpunetio_tail_owner(uint32_t tail) {
    return (tail >> 24) & DOCA_GPUNETIO_IB_MLX5_CQE_OWNER_MASK;
}
GPUNETIO_DEVICE uint16_t gpunetio_tail_counter(uint32_t tail) {
    return gpunetio_bswap16((uint16_t)tail);
}
GPUNETIO_DEVICE bool gpunetio_tail_is_error(uint32_t tail) {
    uint32_t op = gpunetio_tail_opcode(tail);
    return op == DOCA_GPUNETIO_IB_MLX5_CQE_REQ_ERR || op == DOCA_GPUNETIO_IB_MLX5_CQE_RESP_ERR;
}

/* Keeps the error of an entry in the image, the first one before the flushes that follow it. Returns its word. */
GPUNETIO_DEVICE uint32_t gpunetio_cq_note_error(struct doca_gpu_dev_verbs_cq *cq, uint64_t slot) {
    const uint8_t *cqe = cq->cqe_daddr + slot * DOCA_GPUNETIO_VERBS_CQE_SIZE;
    uint32_t word = GPUNETIO_CQ_ERROR_VALID | ((uint32_t)gpunetio_load_sys_u8(cqe + 0x34) << 16) |
                    ((uint32_t)gpunetio_load_sys_u8(cqe + 0x36) << 8) | gpunetio_load_sys_u8(cqe + 0x37);
    uint32_t *kept = (uint32_t *)cq->reserved2;
    uint32_t old = gpunetio_at<GPUNETIO_SCOPE_GPU>::load(kept);
    bool better =
        old == 0 || ((old & 0xff) == GPUNETIO_SYNDROME_WR_FLUSH && (word & 0xff) != GPUNETIO_SYNDROME_WR_FLUSH);
    /* A lost race leaves the error of another poller of the same CQ, which is as good. */
    if (better) gpunetio_at<GPUNETIO_SCOPE_GPU>::cas(kept, old, word);
    return word;
}

/**
 * The first error that anyone has seen on a CQ, 0 for none: one load, for use inside loops. It does not look at the entries, so an
 * error that nobody has polled is not in it; gpunetio_dev_verbs_cq_error looks.
 */
GPUNETIO_DEVICE uint32_t gpunetio_dev_verbs_cq_error_kept(const struct doca_gpu_dev_verbs_cq *cq) {
    return gpunetio_at<GPUNETIO_SCOPE_GPU>::load((const uint32_t *)cq->reserved2);
}

/* Looks at the entry of index n alone. Its slot holds n, or what was there one turn of the ring before, or an error. */
GPUNETIO_DEVICE int gpunetio_cq_look(struct doca_gpu_dev_verbs_cq *cq, uint64_t n) {
    uint64_t slot = n & (cq->cqe_num - 1);
    uint32_t tail = gpunetio_cqe_tail(cq, slot);
    if (gpunetio_tail_opcode(tail) == DOCA_GPUNETIO_IB_MLX5_CQE_INVALID) return GPUNETIO_DEV_EBUSY;
    if (gpunetio_tail_is_error(tail)) {
        /* Whatever its turn: an error at or after cqe_ci has been written, and n, which is not below cqe_ci, shares the QP. */
        gpunetio_cq_note_error(cq, slot);
        return -GPUNETIO_DEV_EIO;
    }
    bool its = gpunetio_tail_owner(tail) == ((n & cq->cqe_num) != 0) && gpunetio_tail_counter(tail) == (uint16_t)n;
    return its ? 0 : GPUNETIO_DEV_EBUSY;
}

/* Whether the CQ holds an error anywhere: for the slow turns of a wait whose own entry may never come. */
GPUNETIO_SLOW bool gpunetio_cq_has_error(struct doca_gpu_dev_verbs_cq *cq, bool collapsed) {
    uint32_t entries = collapsed ? 1 : cq->cqe_num;
    bool found = false;
    for (uint32_t slot = 0; slot < entries; slot++) {
        if (!gpunetio_tail_is_error(gpunetio_cqe_tail(cq, slot))) continue;
        gpunetio_cq_note_error(cq, slot);
        found = true;
    }
    return found;
}

/*
 * Whether an error has been seen and still stands: then work that has no entry will never have one, for posters stop at the
 * error. A host that has reset the queue has wiped its entries; the note goes with them.
 */
GPUNETIO_DEVICE bool gpunetio_cq_is_dead(struct doca_gpu_dev_verbs_cq *cq, bool collapsed) {
    uint32_t seen = gpunetio_dev_verbs_cq_error_kept(cq);
    if (seen == 0) return false;
    if (gpunetio_cq_has_error(cq, collapsed)) return true;
    gpunetio_at<GPUNETIO_SCOPE_GPU>::cas((uint32_t *)cq->reserved2, seen, 0u);
    return false;
}

/*
 * WQEs of two slots (8-byte masked compare-and-swap): the image keeps the index of the second slot of the latest one, 0 for none.
 * That slot has no entry of its own; a look for it is one for the slot before it. Second slots before the latest need no care: a
 * later WQE's entry answers for them.
 */
GPUNETIO_DEVICE uint64_t gpunetio_second_slot(const struct doca_gpu_dev_verbs_cq *cq) {
    return gpunetio_at<GPUNETIO_SCOPE_GPU>::load((const uint64_t *)(cq->reserved2 + 4));
}
/* Keeps the WQE at wqe_idx, whose slots the caller has reserved: so the index is less than 65,536 before the next to reserve. */
GPUNETIO_DEVICE void gpunetio_note_two_slots(struct doca_gpu_dev_verbs_qp *qp, uint16_t wqe_idx) {
    uint64_t next = gpunetio_at<GPUNETIO_SCOPE_GPU>::load(&qp->sq_rsvd_index);
    uint64_t index = next - (uint16_t)((uint16_t)next - wqe_idx);
    gpunetio_at<GPUNETIO_SCOPE_GPU>::max((uint64_t *)(qp->cq_sq.reserved2 + 4), index + 1);
}

/*
 * Moves cqe_ci to the newest completion by the WQE counters of all entries, and returns it. An entry is at most a turn of the
 * ring old, which is two slots an entry; counters that far behind cqe_ci must not look like ones ahead of it in 16 bits, hence
 * the limit to the number of entries.
 */
template <enum doca_gpu_dev_verbs_resource_sharing_mode mode>
GPUNETIO_SLOW uint64_t gpunetio_cq_catch_up(struct doca_gpu_dev_verbs_cq *cq) {
    typedef gpunetio_at<gpunetio_polling<mode>::scope> at;
    uint64_t ci = at::load_acquire(&cq->cqe_ci);
    if (cq->cqe_num > 16384) return ci;
    uint64_t next = ci;
    for (uint32_t slot = 0; slot < cq->cqe_num; slot++) {
        uint32_t tail = gpunetio_cqe_tail(cq, slot);
        if (gpunetio_tail_opcode(tail) == DOCA_GPUNETIO_IB_MLX5_CQE_INVALID || gpunetio_tail_is_error(tail)) continue;
        uint16_t ahead = (uint16_t)(gpunetio_tail_counter(tail) - (uint16_t)ci);
        if (ahead < 0x8000 && ci + ahead + 1 > next) next = ci + ahead + 1;
    }
    /* Another poller has moved on: what we widened the counters by is old. The next look is as good. */
    uint64_t now = at::load_acquire(&cq->cqe_ci);
    if (now != ci) return now;
    /* Release as in the check below. */
    if (next != ci) at::max(&cq->cqe_ci, next);
    return next;
}

/* What a look for n that found no entry in a CQ of many comes to. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode mode>
GPUNETIO_API int gpunetio_cq_missing(struct doca_gpu_dev_verbs_cq *cq, uint64_t n) {
    if (gpunetio_second_slot(cq) != 0 && n < gpunetio_cq_catch_up<mode>(cq)) return 0;
    if (!gpunetio_cq_is_dead(cq, false)) return GPUNETIO_DEV_EBUSY;
    /* The entry may have come between our look and the error behind it. The NIC completes in order, so after an error has been
     * seen a second look tells for certain. */
    return gpunetio_cq_look(cq, n) == 0 ? 0 : -GPUNETIO_DEV_EIO;
}

/* One look for index n in a CQ of many entries. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode mode>
GPUNETIO_API int gpunetio_cq_check_ring(struct doca_gpu_dev_verbs_cq *cq, uint64_t n) {
    typedef gpunetio_at<gpunetio_polling<mode>::scope> at;
    /* Acquire: another thread may have seen the entry and published it here (the max below); its data is ours then too. */
    uint64_t ci = at::load_acquire(&cq->cqe_ci);
    if (n < ci) return 0;
    if (n - ci >= cq->cqe_num) {
        if (n >= GPUNETIO_DEV_NO_SLOTS) return -GPUNETIO_DEV_EINVAL;
        /* More than a turn ahead of what is known (more posters wait than the ring has entries): the owner bit of n's slot
         * says nothing by itself. Move what is known forward by its next entry. */
        int next = gpunetio_cq_look(cq, ci);
        if (next == 0) {
            at::max(&cq->cqe_ci, ci + 1);
            return GPUNETIO_DEV_EBUSY;
        }
        if (next < 0) return next;
        if (gpunetio_second_slot(cq) != 0) return n < gpunetio_cq_catch_up<mode>(cq) ? 0 : GPUNETIO_DEV_EBUSY;
    }
    int status = gpunetio_cq_look(cq, n);
    if (status == GPUNETIO_DEV_EBUSY) status = gpunetio_cq_missing<mode>(cq, n);
    /* Release, at the polling scope: partner is the acquire above, in another poller. */
    if (status == 0) at::max(&cq->cqe_ci, n + 1);
    return status;
}

/*
 * One look for index n in a collapsed CQ, whose only entry is the newest. Its 16-bit counter is widened by what is known:
 * the newest completion is less than 65,536 after cqe_ci - 1.
 */
template <enum doca_gpu_dev_verbs_resource_sharing_mode mode>
GPUNETIO_API int gpunetio_cq_check_collapsed(struct doca_gpu_dev_verbs_cq *cq, uint64_t n, uint64_t *new_ci) {
    typedef gpunetio_at<gpunetio_polling<mode>::scope> at;
    for (;;) {
        uint64_t ci = at::load_acquire(&cq->cqe_ci);
        *new_ci = ci;
        if (n < ci) return 0;
        uint32_t tail = gpunetio_cqe_tail(cq, 0);
        if (gpunetio_tail_opcode(tail) == DOCA_GPUNETIO_IB_MLX5_CQE_INVALID) return GPUNETIO_DEV_EBUSY;
        uint64_t last = ci - 1;
        uint64_t newest = last + (uint16_t)(gpunetio_tail_counter(tail) - (uint16_t)last);
        if (gpunetio_tail_is_error(tail)) {
            uint32_t word = gpunetio_cq_note_error(cq, 0);
            /* All before the first error succeeded. Once flushes have overwritten it, its index is lost. */
            if ((word & 0xff) != GPUNETIO_SYNDROME_WR_FLUSH && newest != last && n < newest) {
                at::max(&cq->cqe_ci, newest);
                *new_ci = newest;
                return 0;
            }
            return -GPUNETIO_DEV_EIO;
        }
        /* Another poller may have moved cqe_ci on by more than the counter can say since we read it: look again. */
        if (at::load(&cq->cqe_ci) != ci) continue;
        if (newest != last) {
            at::max(&cq->cqe_ci, newest + 1);
            *new_ci = newest + 1;
        }
        return n < *new_ci ? 0 : GPUNETIO_DEV_EBUSY;
    }
}

/* One look for index n of a CQ of either shape. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode mode>
GPUNETIO_API int gpunetio_cq_check(struct doca_gpu_dev_verbs_cq *cq, bool collapsed, uint64_t n) {
    uint64_t new_ci;
    int status = collapsed ? gpunetio_cq_check_collapsed<mode>(cq, n, &new_ci) : gpunetio_cq_check_ring<mode>(cq, n);
    if (status != GPUNETIO_DEV_EBUSY) return status;
    if (n >= GPUNETIO_DEV_NO_SLOTS) return -GPUNETIO_DEV_EINVAL;
    if (n == 0 || n != gpunetio_second_slot(cq)) return status;
    return collapsed ? gpunetio_cq_check_collapsed<mode>(cq, n - 1, &new_ci)
                     : gpunetio_cq_check_ring<mode>(cq, n - 1);
}

/* Whether a CQ type, or the image where the type is UNKNOWN, is collapsed. */
template <enum doca_gpu_dev_verbs_cq_type cq_type>
GPUNETIO_API bool gpunetio_cq_is_collapsed(const struct doca_gpu_dev_verbs_cq *cq) {
    uint32_t type = cq_type == DOCA_GPUNETIO_VERBS_CQ_UNKNOWN ? (uint32_t)cq->cq_type : (uint32_t)cq_type;
    return (type & DOCA_GPUNETIO_VERBS_CQ_FLAG_COLLAPSED) != 0;
}

/**
 * The first error of a CQ, by a scan of all its entries, 0 for none:
 * GPUNETIO_CQ_ERROR_VALID | hw_err_synd << 16 | vendor_err_synd << 8 | syndrome. Flushes
 * (syndrome 5) are reported only where the entry of the error before them is gone. A host reads the same word at offset 0x34
 * of the CQ image.
 */
GPUNETIO_DEVICE uint32_t gpunetio_dev_verbs_cq_error(struct doca_gpu_dev_verbs_cq *cq) {
    gpunetio_cq_has_error(cq, gpunetio_cq_is_collapsed<DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(cq));
    return gpunetio_dev_verbs_cq_error_kept(cq);
}

#endif
