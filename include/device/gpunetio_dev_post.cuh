/*
 * How a one-sided operation becomes WQEs. A post is a body and a tail: the body is a transfer split into WQEs of at most
 * 1 GiB, an inline value, or nothing; the tail is a signal, a dump, or nothing, and follows the body in the queue.
 */
#ifndef GPUNETIO_DEV_POST_CUH
#define GPUNETIO_DEV_POST_CUH

#include "doca_gpunetio_dev_verbs_qp.cuh"

/* Each kind says how many WQEs it is and writes its k-th one into the slot of index. */
struct gpunetio_nothing {
    GPUNETIO_API uint64_t count() const { return 0; }
    GPUNETIO_API void write(struct doca_gpu_dev_verbs_qp *, uint64_t, uint64_t,
                            enum doca_gpu_dev_verbs_wqe_ctrl_flags) const {}
};

struct gpunetio_transfer {
    struct doca_gpu_dev_verbs_addr raddr;
    struct doca_gpu_dev_verbs_addr laddr;
    size_t size;
    uint32_t opcode;

    GPUNETIO_API uint64_t count() const {
        return size == 0 ? 1
                         : doca_gpu_dev_verbs_div_ceil_aligned_pow2(size, DOCA_GPUNETIO_VERBS_MAX_TRANSFER_SIZE_SHIFT);
    }
    GPUNETIO_API void write(struct doca_gpu_dev_verbs_qp *qp, uint64_t index, uint64_t k,
                            enum doca_gpu_dev_verbs_wqe_ctrl_flags flags) const {
        struct doca_gpu_dev_verbs_wqe *wqe = doca_gpu_dev_verbs_get_wqe_ptr(qp, (uint16_t)index);
        if (size == 0) {
            doca_gpu_dev_verbs_wqe_prepare_nop(qp, wqe, (uint16_t)index, flags);
            return;
        }
        uint64_t offset = k << DOCA_GPUNETIO_VERBS_MAX_TRANSFER_SIZE_SHIFT;
        uint64_t most = 1ull << DOCA_GPUNETIO_VERBS_MAX_TRANSFER_SIZE_SHIFT;
        uint64_t bytes = size - offset < most ? size - offset : most;
        doca_gpu_dev_verbs_wqe_prepare_write(qp, wqe, (uint16_t)index, opcode, flags, 0, raddr.addr + offset, raddr.key,
                                             laddr.addr + offset, laddr.key, (uint32_t)bytes);
    }
};

template <typename T>
struct gpunetio_inline {
    struct doca_gpu_dev_verbs_addr raddr;
    T value;

    GPUNETIO_API uint64_t count() const { return 1; }
    GPUNETIO_API void write(struct doca_gpu_dev_verbs_qp *qp, uint64_t index, uint64_t,
                            enum doca_gpu_dev_verbs_wqe_ctrl_flags flags) const {
        struct doca_gpu_dev_verbs_wqe *wqe = doca_gpu_dev_verbs_get_wqe_ptr(qp, (uint16_t)index);
        doca_gpu_dev_verbs_prepare_inl_rdma_write_wqe_header(qp, wqe, (uint16_t)index, flags, raddr.addr, raddr.key,
                                                             sizeof(T));
        doca_gpu_dev_verbs_prepare_inl_rdma_write_wqe_data<T>(qp, wqe, value);
    }
};

template <enum doca_gpu_dev_verbs_signal_op sig_op>
struct gpunetio_add {
    static_assert(sig_op == DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, "the only signal operation is an 8-byte add");
    struct doca_gpu_dev_verbs_addr raddr;
    struct doca_gpu_dev_verbs_addr laddr;
    uint64_t value;

    GPUNETIO_API uint64_t count() const { return 1; }
    GPUNETIO_API void write(struct doca_gpu_dev_verbs_qp *qp, uint64_t index, uint64_t,
                            enum doca_gpu_dev_verbs_wqe_ctrl_flags flags) const {
        doca_gpu_dev_verbs_wqe_prepare_atomic(qp, doca_gpu_dev_verbs_get_wqe_ptr(qp, (uint16_t)index), (uint16_t)index,
                                              DOCA_GPUNETIO_IB_MLX5_OPCODE_ATOMIC_FA, flags, raddr.addr, raddr.key,
                                              laddr.addr, laddr.key, 8, value, 0);
    }
};

struct gpunetio_dump {
    struct doca_gpu_dev_verbs_addr daddr;

    GPUNETIO_API uint64_t count() const { return 1; }
    GPUNETIO_API void write(struct doca_gpu_dev_verbs_qp *qp, uint64_t index, uint64_t,
                            enum doca_gpu_dev_verbs_wqe_ctrl_flags flags) const {
        doca_gpu_dev_verbs_wqe_prepare_dump(qp, doca_gpu_dev_verbs_get_wqe_ptr(qp, (uint16_t)index), (uint16_t)index,
                                            flags, daddr.addr, daddr.key, 1);
    }
};

/* A WAIT until CQ cqn has passed entry last. */
struct gpunetio_wait_for {
    uint32_t cqn;
    uint32_t last;

    GPUNETIO_API uint64_t count() const { return 1; }
    GPUNETIO_API void write(struct doca_gpu_dev_verbs_qp *qp, uint64_t index, uint64_t,
                            enum doca_gpu_dev_verbs_wqe_ctrl_flags flags) const {
        doca_gpu_dev_verbs_wqe_prepare_wait(qp, doca_gpu_dev_verbs_get_wqe_ptr(qp, (uint16_t)index), (uint16_t)index,
                                            flags, last, cqn);
    }
};

/* WQE k of a post. */
template <typename Body, typename Tail>
GPUNETIO_API void gpunetio_write_wqe(struct doca_gpu_dev_verbs_qp *qp, const Body &body, const Tail &tail,
                                     uint64_t index, uint64_t k, enum doca_gpu_dev_verbs_wqe_ctrl_flags flags) {
    uint64_t in_body = body.count();
    if (k < in_body)
        body.write(qp, index, k, flags);
    else
        tail.write(qp, index, k - in_body, flags);
}

/*
 * Reserves and writes a post, in pieces where it is longer than the queue, and publishes it; all pieces but the last are also
 * rung, or the next could never get its slots. *end is the index after the last WQE, which the caller rings. False: the queue has
 * an error and the slots are not free, or WQEs before them were left out; the rest is not written or not published, the caller must
 * not ring, and polling *end - 1 returns the error. Later posters find the same, so nobody waits for these slots to be published.
 *
 * behind, null for none, is a QP whose completions this queue's WQEs wait for. The queue may then stand still without an error of
 * its own, so slots are taken only once they are free: an error of behind leaves no gap.
 */
template <enum doca_gpu_dev_verbs_resource_sharing_mode mode, enum doca_gpu_dev_verbs_nic_handler nic_handler,
          enum doca_gpu_dev_verbs_cq_type cq_type, typename Body, typename Tail>
GPUNETIO_API bool gpunetio_publish_thread(struct doca_gpu_dev_verbs_qp *qp, const Body &body, const Tail &tail,
                                          uint32_t code_opt, uint64_t *end,
                                          struct doca_gpu_dev_verbs_qp *behind = nullptr) {
    const enum doca_gpu_dev_verbs_wqe_ctrl_flags flags =
        doca_gpu_dev_verbs_get_ctrl_flags<DOCA_GPUNETIO_VERBS_QP_SQ, cq_type>(qp, code_opt);
    const uint64_t total = body.count() + tail.count();
    uint64_t done = 0;
    for (;;) {
        uint32_t piece = total - done < qp->sq_wqe_num ? (uint32_t)(total - done) : (uint32_t)qp->sq_wqe_num;
        uint64_t first;
        int status = behind == nullptr || (code_opt & DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_SKIP_AVAILABILITY_CHECK)
                         ? gpunetio_reserve<mode, cq_type>(qp, piece, code_opt, &first)
                         : gpunetio_reserve_free<mode, cq_type>(qp, piece, GPUNETIO_DEV_FOREVER, behind, &first);
        *end = first + piece;
        if (status != 0) return false;
        for (uint32_t k = 0; k < piece; k++) gpunetio_write_wqe(qp, body, tail, first + k, done + k, flags);
        if (!gpunetio_publish<mode, DOCA_GPUNETIO_VERBS_READY_MODE_LD_ST, nic_handler>(
                qp, first, first + piece - 1, code_opt,
                !(code_opt & DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_SKIP_AVAILABILITY_CHECK)))
            return false;
        done += piece;
        if (done == total) return true;
        gpunetio_submit<mode, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS, true>(
            qp, gpunetio_handler<nic_handler>(qp), first + piece, nullptr,
            code_opt & ~(uint32_t)DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_SKIP_DB_RINGING);
    }
}

/* One thread's post and its ticket; false: the queue has an error and the post is left out. behind as above. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode mode, enum doca_gpu_dev_verbs_nic_handler nic_handler,
          enum doca_gpu_dev_verbs_cq_type cq_type, typename Body, typename Tail>
GPUNETIO_API bool gpunetio_try_post_thread(struct doca_gpu_dev_verbs_qp *qp, const Body &body, const Tail &tail,
                                           uint32_t code_opt, uint64_t *ticket,
                                           struct doca_gpu_dev_verbs_qp *behind = nullptr) {
    uint64_t end;
    bool posted = gpunetio_publish_thread<mode, nic_handler, cq_type>(qp, body, tail, code_opt, &end, behind);
    if (posted)
        gpunetio_submit<mode, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS, true>(qp, gpunetio_handler<nic_handler>(qp), end,
                                                                        nullptr, code_opt);
    *ticket = end - 1;
    return posted;
}

/* One thread's post; returns its ticket, whose poll returns the error where it was left out. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode mode, enum doca_gpu_dev_verbs_nic_handler nic_handler,
          enum doca_gpu_dev_verbs_cq_type cq_type, typename Body, typename Tail>
GPUNETIO_API uint64_t gpunetio_post_thread(struct doca_gpu_dev_verbs_qp *qp, const Body &body, const Tail &tail,
                                           uint32_t code_opt) {
    uint64_t ticket;
    gpunetio_try_post_thread<mode, nic_handler, cq_type>(qp, body, tail, code_opt, &ticket);
    return ticket;
}

/*
 * A warp's post, a post of its own for every lane: one reservation, one publication, one doorbell. Returns the lane's ticket.
 * EXCLUSIVE means that the warp has the QP to itself.
 */
template <enum doca_gpu_dev_verbs_resource_sharing_mode mode, enum doca_gpu_dev_verbs_nic_handler nic_handler,
          enum doca_gpu_dev_verbs_cq_type cq_type, typename Body, typename Tail>
GPUNETIO_API uint64_t gpunetio_post_warp(struct doca_gpu_dev_verbs_qp *qp, const Body &body, const Tail &tail,
                                         uint32_t code_opt) {
    /* Only lanes that still run answer. */
    const uint32_t lanes = gpunetio_ballot(DOCA_GPUNETIO_VERBS_WARP_FULL_MASK, true);
    const uint32_t lead = gpunetio_lowest_bit(lanes);
    const uint32_t self = gpunetio_lane_id();
    const uint64_t own = body.count() + tail.count();
    /* EXCLUSIVE works on the image by plain accesses: what each lane's polls did comes before what the leader does. */
    if (gpunetio_sharing<mode>::exclusive) gpunetio_order_warp(lanes);
    const uint64_t even = gpunetio_shfl_u64(lanes, own, lead);
    const uint32_t below = gpunetio_popc(lanes & ((1u << self) - 1));
    uint64_t before = below * even;
    uint64_t total = gpunetio_popc(lanes) * even;
    if (gpunetio_ballot(lanes, own != even) != 0) {
        before = total = 0;
        for (uint32_t lane = 0; lane < DOCA_GPUNETIO_VERBS_WARP_SIZE; lane++) {
            if (!((lanes >> lane) & 1)) continue;
            uint64_t theirs = gpunetio_shfl_u64(lanes, own, lane);
            if (lane < self) before += theirs;
            total += theirs;
        }
    }
    if (total > qp->sq_wqe_num) {
        /* The warp's post does not fit the queue at once: lane after lane, each by itself. */
        uint64_t ticket = 0;
        for (uint32_t lane = 0; lane < DOCA_GPUNETIO_VERBS_WARP_SIZE; lane++) {
            if (lane == self) ticket = gpunetio_post_thread<mode, nic_handler, cq_type>(qp, body, tail, code_opt);
            gpunetio_sync_warp(lanes);
        }
        return ticket;
    }
    uint64_t first = 0;
    int status = 0;
    if (self == lead) status = gpunetio_reserve<mode, cq_type>(qp, (uint32_t)total, code_opt, &first);
    first = gpunetio_shfl_u64(lanes, first, lead);
    /* As for one thread: no slots, no post, and the tickets' polls return the error. */
    if (gpunetio_ballot(lanes, status != 0) != 0) return first + before + own - 1;
    const enum doca_gpu_dev_verbs_wqe_ctrl_flags flags =
        doca_gpu_dev_verbs_get_ctrl_flags<DOCA_GPUNETIO_VERBS_QP_SQ, cq_type>(qp, code_opt);
    for (uint64_t k = 0; k < own; k++) gpunetio_write_wqe(qp, body, tail, first + before + k, k, flags);
    /* Orders every lane's WQEs before the leader's publication, which is cumulative. */
    gpunetio_sync_warp(lanes);
    if (self == lead) {
        if (gpunetio_publish<mode, DOCA_GPUNETIO_VERBS_READY_MODE_LD_ST, nic_handler>(
                qp, first, first + total - 1, code_opt,
                !(code_opt & DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_SKIP_AVAILABILITY_CHECK)))
            gpunetio_submit<mode, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS, true>(qp, gpunetio_handler<nic_handler>(qp),
                                                                            first + total, nullptr, code_opt);
    }
    gpunetio_sync_warp(lanes);
    return first + before + own - 1;
}

#endif
