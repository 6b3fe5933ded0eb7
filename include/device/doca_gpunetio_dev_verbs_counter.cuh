/*
 * Operations with a counter that a companion QP keeps: when the work on the main QP has completed, the NIC itself adds to a
 * counter, without a thread that waits. The companion gets a WAIT for the main CQ and an atomic add, both signalled.
 *
 * A companion stands still while the main QP's work does. Posting and gpunetio_dev_verbs_wait_counter_timeout know both QPs: they
 * ring what is pending on the main QP (SKIP_DB_RINGING) and end on its error. A plain wait on the companion knows only the
 * companion: ring the main QP before it, and use the form above where the main QP may fail. After an error on the main QP its
 * operations are not counted any more: nothing is posted on the companion.
 */
#ifndef DOCA_GPUNETIO_DEV_VERBS_COUNTER_CUH
#define DOCA_GPUNETIO_DEV_VERBS_COUNTER_CUH

#include "gpunetio_dev_post.cuh"

/** Rings the registers of several QPs, in the order given, without doorbell records. */
template <unsigned int num_qps,
          enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_sync_scope sync_scope = DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU>
GPUNETIO_API void doca_gpu_dev_verbs_submit_db_multi_qps_no_dbr(struct doca_gpu_dev_verbs_qp **qps,
                                                                uint64_t *prod_indices,
                                                                uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    for (unsigned int i = 0; i < num_qps; i++)
        doca_gpu_dev_verbs_submit_db_no_dbr<resource_sharing_mode, sync_scope>(qps[i], prod_indices[i], code_opt);
}

/** Doorbell records and registers of several QPs, in the order given. */
template <unsigned int num_qps,
          enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_sync_scope sync_scope = DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU>
GPUNETIO_API void doca_gpu_dev_verbs_submit_db_multi_qps(struct doca_gpu_dev_verbs_qp **qps, uint64_t *prod_indices,
                                                         uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    for (unsigned int i = 0; i < num_qps; i++)
        doca_gpu_dev_verbs_submit_db<resource_sharing_mode, sync_scope>(qps[i], prod_indices[i], code_opt);
}

/** Hands the indices of several QPs to the CPU proxy, in the order given. */
template <unsigned int num_qps,
          enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_sync_scope sync_scope = DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU>
GPUNETIO_API void doca_gpu_dev_verbs_submit_proxy_multi_qps(struct doca_gpu_dev_verbs_qp **qps,
                                                            uint64_t *prod_indices) {
    for (unsigned int i = 0; i < num_qps; i++)
        doca_gpu_dev_verbs_submit_proxy<resource_sharing_mode, sync_scope>(qps[i], prod_indices[i]);
}

/** Tells the NIC of the work of several QPs, in the order given, by the handler given or each image's own (AUTO). */
template <unsigned int num_qps,
          enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_sync_scope sync_scope = DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_submit_multi_qps(struct doca_gpu_dev_verbs_qp **qps, uint64_t *prod_indices,
                                                      uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    for (unsigned int i = 0; i < num_qps; i++)
        doca_gpu_dev_verbs_submit<resource_sharing_mode, sync_scope, nic_handler>(qps[i], prod_indices[i], code_opt);
}

/* A WAIT for entry last of the main QP's CQ and an add, on the companion. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode mode, enum doca_gpu_dev_verbs_nic_handler nic_handler>
GPUNETIO_API void gpunetio_post_companion(struct doca_gpu_dev_verbs_qp *companion, struct doca_gpu_dev_verbs_qp *qp,
                                          uint64_t last, struct doca_gpu_dev_verbs_addr raddr,
                                          struct doca_gpu_dev_verbs_addr laddr, uint64_t value, uint32_t code_opt) {
    gpunetio_wait_for wait = {qp->cq_sq.cq_num, (uint32_t)last};
    gpunetio_add<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD> add = {raddr, laddr, value};
    uint64_t ticket;
    gpunetio_try_post_thread<mode, nic_handler, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(companion, wait, add, code_opt, &ticket,
                                                                                qp);
}

/* Work on the main QP, then its counter on the companion; no counter for work that failed to be posted, or never will be done. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode mode, enum doca_gpu_dev_verbs_nic_handler nic_handler,
          enum doca_gpu_dev_verbs_cq_type cq_type, typename Body, typename Tail>
GPUNETIO_API void gpunetio_post_counter(struct doca_gpu_dev_verbs_qp *qp, const Body &body, const Tail &tail,
                                        struct doca_gpu_dev_verbs_qp *companion_qp,
                                        struct doca_gpu_dev_verbs_addr counter_raddr,
                                        struct doca_gpu_dev_verbs_addr counter_laddr, uint64_t counter_val,
                                        uint32_t code_opt) {
    uint64_t last;
    if (!gpunetio_try_post_thread<mode, nic_handler, cq_type>(qp, body, tail, code_opt, &last)) return;
    if (gpunetio_qp_is_dead(qp)) return;
    gpunetio_post_companion<mode, nic_handler>(companion_qp, qp, last, counter_raddr, counter_laddr, counter_val,
                                               code_opt);
}

/**
 * Waits until the counters of all that had been reserved on the companion have been kept, at most timeout_ns
 * (GPUNETIO_DEV_FOREVER: without a limit): 0; -EIO: the companion or the main QP qp has an error; ETIMEDOUT. Rings what is pending
 * on both.
 */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU>
GPUNETIO_API int gpunetio_dev_verbs_wait_counter_timeout(struct doca_gpu_dev_verbs_qp *qp,
                                                         struct doca_gpu_dev_verbs_qp *companion_qp,
                                                         uint64_t timeout_ns) {
    struct doca_gpu_dev_verbs_cq *cq = &companion_qp->cq_sq;
    uint64_t end = doca_gpu_dev_verbs_atomic_read<uint64_t, resource_sharing_mode>(&companion_qp->sq_rsvd_index);
    if (end == 0) return 0;
    return gpunetio_cq_wait<resource_sharing_mode>(companion_qp, cq,
                                                   gpunetio_cq_is_collapsed<DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(cq),
                                                   end - 1, timeout_ns, qp);
}

/** put, then the counter. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_put_counter(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr,
                                                 struct doca_gpu_dev_verbs_addr laddr, size_t size,
                                                 struct doca_gpu_dev_verbs_qp *companion_qp,
                                                 struct doca_gpu_dev_verbs_addr counter_raddr,
                                                 struct doca_gpu_dev_verbs_addr counter_laddr, uint64_t counter_val,
                                                 uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    gpunetio_transfer op = {raddr, laddr, size, DOCA_GPUNETIO_IB_MLX5_OPCODE_RDMA_WRITE};
    gpunetio_post_counter<resource_sharing_mode, nic_handler, cq_type>(
        qp, op, gpunetio_nothing(), companion_qp, counter_raddr, counter_laddr, counter_val, code_opt);
}

/** p, then the counter. */
template <typename T, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_p_counter(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr,
                                               T value, struct doca_gpu_dev_verbs_qp *companion_qp,
                                               struct doca_gpu_dev_verbs_addr counter_raddr,
                                               struct doca_gpu_dev_verbs_addr counter_laddr, uint64_t counter_val,
                                               uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    gpunetio_inline<T> op = {raddr, value};
    gpunetio_post_counter<resource_sharing_mode, nic_handler, cq_type>(
        qp, op, gpunetio_nothing(), companion_qp, counter_raddr, counter_laddr, counter_val, code_opt);
}

/** put and signal, then the counter. */
template <enum doca_gpu_dev_verbs_signal_op sig_op,
          enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_put_signal_counter(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr,
    size_t size, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val,
    struct doca_gpu_dev_verbs_qp *companion_qp, struct doca_gpu_dev_verbs_addr counter_raddr,
    struct doca_gpu_dev_verbs_addr counter_laddr, uint64_t counter_val, uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    gpunetio_transfer op = {raddr, laddr, size, DOCA_GPUNETIO_IB_MLX5_OPCODE_RDMA_WRITE};
    gpunetio_add<sig_op> signal = {sig_raddr, sig_laddr, sig_val};
    gpunetio_post_counter<resource_sharing_mode, nic_handler, cq_type>(qp, op, signal, companion_qp, counter_raddr,
                                                                       counter_laddr, counter_val, code_opt);
}

/** signal, then the counter. */
template <enum doca_gpu_dev_verbs_signal_op sig_op,
          enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_signal_counter(struct doca_gpu_dev_verbs_qp *qp,
                                                    struct doca_gpu_dev_verbs_addr sig_raddr,
                                                    struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val,
                                                    struct doca_gpu_dev_verbs_qp *companion_qp,
                                                    struct doca_gpu_dev_verbs_addr counter_raddr,
                                                    struct doca_gpu_dev_verbs_addr counter_laddr, uint64_t counter_val,
                                                    uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    gpunetio_add<sig_op> signal = {sig_raddr, sig_laddr, sig_val};
    gpunetio_post_counter<resource_sharing_mode, nic_handler, cq_type>(
        qp, gpunetio_nothing(), signal, companion_qp, counter_raddr, counter_laddr, counter_val, code_opt);
}

/** get, then the counter. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_get_counter(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr,
                                                 struct doca_gpu_dev_verbs_addr laddr, size_t size,
                                                 struct doca_gpu_dev_verbs_qp *companion_qp,
                                                 struct doca_gpu_dev_verbs_addr counter_raddr,
                                                 struct doca_gpu_dev_verbs_addr counter_laddr, uint64_t counter_val,
                                                 uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    gpunetio_transfer op = {raddr, laddr, size, DOCA_GPUNETIO_IB_MLX5_OPCODE_RDMA_READ};
    gpunetio_post_counter<resource_sharing_mode, nic_handler, cq_type>(
        qp, op, gpunetio_nothing(), companion_qp, counter_raddr, counter_laddr, counter_val, code_opt);
}

#endif
