/*
 * One-sided operations: put, p, put_signal, p_signal, signal, get, mcst, wait, fence.
 *
 * At warp scope all lanes of a warp call together, each with its own arguments; the warp reserves, publishes and rings once.
 * Lanes that have exited or never existed are left out. A ticket is the index of the last WQE of the caller's own operation.
 * An operation of no bytes posts a NOP, and one of more than 1 GiB as many WQEs as it takes; so every call has a ticket.
 * Nothing here returns an error: after one, posts are flushed by the NIC, and polling their ticket returns it.
 */
#ifndef DOCA_GPUNETIO_DEV_VERBS_ONESIDED_CUH
#define DOCA_GPUNETIO_DEV_VERBS_ONESIDED_CUH

#include "gpunetio_dev_post.cuh"

/** Writes size bytes from laddr to raddr: one thread. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_put_thread(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr,
                                                struct doca_gpu_dev_verbs_addr laddr, size_t size,
                                                doca_gpu_dev_verbs_ticket_t *out_ticket,
                                                uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    gpunetio_transfer op = {raddr, laddr, size, DOCA_GPUNETIO_IB_MLX5_OPCODE_RDMA_WRITE};
    *out_ticket =
        gpunetio_post_thread<resource_sharing_mode, nic_handler, cq_type>(qp, op, gpunetio_nothing(), code_opt);
}

/** The same, a warp together. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_put_warp(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr,
                                              struct doca_gpu_dev_verbs_addr laddr, size_t size,
                                              doca_gpu_dev_verbs_ticket_t *out_ticket,
                                              uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    gpunetio_transfer op = {raddr, laddr, size, DOCA_GPUNETIO_IB_MLX5_OPCODE_RDMA_WRITE};
    *out_ticket = gpunetio_post_warp<resource_sharing_mode, nic_handler, cq_type>(qp, op, gpunetio_nothing(), code_opt);
}

/** Writes size bytes from laddr to raddr. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_exec_scope exec_scope = DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_put(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr,
                                         struct doca_gpu_dev_verbs_addr laddr, size_t size,
                                         doca_gpu_dev_verbs_ticket_t *out_ticket,
                                         uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    if (exec_scope == DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP)
        doca_gpu_dev_verbs_put_warp<resource_sharing_mode, nic_handler, cq_type>(qp, raddr, laddr, size, out_ticket,
                                                                                 code_opt);
    else
        doca_gpu_dev_verbs_put_thread<resource_sharing_mode, nic_handler, cq_type>(qp, raddr, laddr, size, out_ticket,
                                                                                   code_opt);
}

/** The same for a caller that needs no ticket. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_exec_scope exec_scope = DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_put(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr,
                                         struct doca_gpu_dev_verbs_addr laddr, size_t size,
                                         uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    doca_gpu_dev_verbs_ticket_t ticket;
    doca_gpu_dev_verbs_put<resource_sharing_mode, nic_handler, exec_scope, cq_type>(qp, raddr, laddr, size, &ticket,
                                                                                    code_opt);
}

/** Writes a value of at most 28 bytes to raddr, carried in the WQE: one thread. */
template <typename T, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_p_thread(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr,
                                              T value, doca_gpu_dev_verbs_ticket_t *out_ticket,
                                              uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    gpunetio_inline<T> op = {raddr, value};
    *out_ticket =
        gpunetio_post_thread<resource_sharing_mode, nic_handler, cq_type>(qp, op, gpunetio_nothing(), code_opt);
}

/** Writes a value of at most 28 bytes to raddr, carried in the WQE: a warp together. */
template <typename T, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_p_warp(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr,
                                            T value, doca_gpu_dev_verbs_ticket_t *out_ticket,
                                            uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    gpunetio_inline<T> op = {raddr, value};
    *out_ticket = gpunetio_post_warp<resource_sharing_mode, nic_handler, cq_type>(qp, op, gpunetio_nothing(), code_opt);
}

/** Writes a value of at most 28 bytes to raddr, carried in the WQE. */
template <typename T, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_exec_scope exec_scope = DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_p(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, T value,
                                       doca_gpu_dev_verbs_ticket_t *out_ticket,
                                       uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    if (exec_scope == DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP)
        doca_gpu_dev_verbs_p_warp<T, resource_sharing_mode, nic_handler, cq_type>(qp, raddr, value, out_ticket,
                                                                                  code_opt);
    else
        doca_gpu_dev_verbs_p_thread<T, resource_sharing_mode, nic_handler, cq_type>(qp, raddr, value, out_ticket,
                                                                                    code_opt);
}

/** The same for a caller that needs no ticket. */
template <typename T, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_exec_scope exec_scope = DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_p(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, T value,
                                       uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    doca_gpu_dev_verbs_ticket_t ticket;
    doca_gpu_dev_verbs_p<T, resource_sharing_mode, nic_handler, exec_scope, cq_type>(qp, raddr, value, &ticket,
                                                                                     code_opt);
}

/** put, then signal, in that order at the target: one thread. */
template <enum doca_gpu_dev_verbs_signal_op sig_op,
          enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_put_signal_thread(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr,
    size_t size, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val,
    doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    gpunetio_transfer op = {raddr, laddr, size, DOCA_GPUNETIO_IB_MLX5_OPCODE_RDMA_WRITE};
    gpunetio_add<sig_op> signal = {sig_raddr, sig_laddr, sig_val};
    *out_ticket = gpunetio_post_thread<resource_sharing_mode, nic_handler, cq_type>(qp, op, signal, code_opt);
}

/** put, then signal, in that order at the target: a warp together, a signal per lane. */
template <enum doca_gpu_dev_verbs_signal_op sig_op,
          enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_put_signal_warp(
    struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr,
    size_t size, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val,
    doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    gpunetio_transfer op = {raddr, laddr, size, DOCA_GPUNETIO_IB_MLX5_OPCODE_RDMA_WRITE};
    gpunetio_add<sig_op> signal = {sig_raddr, sig_laddr, sig_val};
    *out_ticket = gpunetio_post_warp<resource_sharing_mode, nic_handler, cq_type>(qp, op, signal, code_opt);
}

/** Writes size bytes, then adds sig_val to the 8-byte word at sig_raddr; its old value goes to sig_laddr. */
template <enum doca_gpu_dev_verbs_signal_op sig_op,
          enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_exec_scope exec_scope = DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_put_signal(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr,
                                                struct doca_gpu_dev_verbs_addr laddr, size_t size,
                                                struct doca_gpu_dev_verbs_addr sig_raddr,
                                                struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val,
                                                doca_gpu_dev_verbs_ticket_t *out_ticket,
                                                uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    if (exec_scope == DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP)
        doca_gpu_dev_verbs_put_signal_warp<sig_op, resource_sharing_mode, nic_handler, cq_type>(
            qp, raddr, laddr, size, sig_raddr, sig_laddr, sig_val, out_ticket, code_opt);
    else
        doca_gpu_dev_verbs_put_signal_thread<sig_op, resource_sharing_mode, nic_handler, cq_type>(
            qp, raddr, laddr, size, sig_raddr, sig_laddr, sig_val, out_ticket, code_opt);
}

/** The same for a caller that needs no ticket. */
template <enum doca_gpu_dev_verbs_signal_op sig_op,
          enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_exec_scope exec_scope = DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_put_signal(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr,
                                                struct doca_gpu_dev_verbs_addr laddr, size_t size,
                                                struct doca_gpu_dev_verbs_addr sig_raddr,
                                                struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val,
                                                uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    doca_gpu_dev_verbs_ticket_t ticket;
    doca_gpu_dev_verbs_put_signal<sig_op, resource_sharing_mode, nic_handler, exec_scope, cq_type>(
        qp, raddr, laddr, size, sig_raddr, sig_laddr, sig_val, &ticket, code_opt);
}

/** p, then signal, in that order at the target. One thread. */
template <typename T, enum doca_gpu_dev_verbs_signal_op sig_op,
          enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_p_signal(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr,
                                              T value, struct doca_gpu_dev_verbs_addr sig_raddr,
                                              struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val,
                                              doca_gpu_dev_verbs_ticket_t *out_ticket,
                                              uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    gpunetio_inline<T> op = {raddr, value};
    gpunetio_add<sig_op> signal = {sig_raddr, sig_laddr, sig_val};
    *out_ticket = gpunetio_post_thread<resource_sharing_mode, nic_handler, cq_type>(qp, op, signal, code_opt);
}

/** The same for a caller that needs no ticket. */
template <typename T, enum doca_gpu_dev_verbs_signal_op sig_op,
          enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_p_signal(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr,
                                              T value, struct doca_gpu_dev_verbs_addr sig_raddr,
                                              struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val,
                                              uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    doca_gpu_dev_verbs_ticket_t ticket;
    doca_gpu_dev_verbs_p_signal<T, sig_op, resource_sharing_mode, nic_handler, cq_type>(
        qp, raddr, value, sig_raddr, sig_laddr, sig_val, &ticket, code_opt);
}

/** Adds sig_val to the 8-byte word at sig_raddr: one thread. */
template <enum doca_gpu_dev_verbs_signal_op sig_op,
          enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_signal_thread(struct doca_gpu_dev_verbs_qp *qp,
                                                   struct doca_gpu_dev_verbs_addr sig_raddr,
                                                   struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val,
                                                   doca_gpu_dev_verbs_ticket_t *out_ticket,
                                                   uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    gpunetio_add<sig_op> signal = {sig_raddr, sig_laddr, sig_val};
    *out_ticket =
        gpunetio_post_thread<resource_sharing_mode, nic_handler, cq_type>(qp, gpunetio_nothing(), signal, code_opt);
}

/** Adds sig_val to the 8-byte word at sig_raddr: a warp together, a signal per lane. */
template <enum doca_gpu_dev_verbs_signal_op sig_op,
          enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_signal_warp(struct doca_gpu_dev_verbs_qp *qp,
                                                 struct doca_gpu_dev_verbs_addr sig_raddr,
                                                 struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val,
                                                 doca_gpu_dev_verbs_ticket_t *out_ticket,
                                                 uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    gpunetio_add<sig_op> signal = {sig_raddr, sig_laddr, sig_val};
    *out_ticket =
        gpunetio_post_warp<resource_sharing_mode, nic_handler, cq_type>(qp, gpunetio_nothing(), signal, code_opt);
}

/** Adds sig_val to the 8-byte word at sig_raddr; its old value goes to sig_laddr. */
template <enum doca_gpu_dev_verbs_signal_op sig_op,
          enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_exec_scope exec_scope = DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_signal(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr sig_raddr,
                                            struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val,
                                            doca_gpu_dev_verbs_ticket_t *out_ticket,
                                            uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    if (exec_scope == DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP)
        doca_gpu_dev_verbs_signal_warp<sig_op, resource_sharing_mode, nic_handler, cq_type>(
            qp, sig_raddr, sig_laddr, sig_val, out_ticket, code_opt);
    else
        doca_gpu_dev_verbs_signal_thread<sig_op, resource_sharing_mode, nic_handler, cq_type>(
            qp, sig_raddr, sig_laddr, sig_val, out_ticket, code_opt);
}

/** The same for one thread that needs no ticket. */
template <enum doca_gpu_dev_verbs_signal_op sig_op,
          enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_signal(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr sig_raddr,
                                            struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val,
                                            uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    doca_gpu_dev_verbs_ticket_t ticket;
    doca_gpu_dev_verbs_signal_thread<sig_op, resource_sharing_mode, nic_handler, cq_type>(qp, sig_raddr, sig_laddr,
                                                                                          sig_val, &ticket, code_opt);
}

/** Posts a DUMP of one byte at daddr, which ends after the gets before it and makes their data visible. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_mcst(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr daddr,
                                          doca_gpu_dev_verbs_ticket_t *out_ticket,
                                          uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    gpunetio_dump dump = {daddr};
    *out_ticket =
        gpunetio_post_thread<resource_sharing_mode, nic_handler, cq_type>(qp, gpunetio_nothing(), dump, code_opt);
}

/** Waits for a ticket. Ends on an error CQE as well: poll_cq_at tells which. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_wait(struct doca_gpu_dev_verbs_qp *qp, doca_gpu_dev_verbs_ticket_t ticket) {
    doca_gpu_dev_verbs_poll_cq_at<resource_sharing_mode, DOCA_GPUNETIO_VERBS_QP_SQ, cq_type>(qp, ticket);
}

/** wait with a bound: 0, -EIO, or ETIMEDOUT. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API int gpunetio_dev_verbs_wait_timeout(struct doca_gpu_dev_verbs_qp *qp, doca_gpu_dev_verbs_ticket_t ticket,
                                                 uint64_t timeout_ns) {
    return gpunetio_dev_verbs_poll_cq_at_timeout<resource_sharing_mode, DOCA_GPUNETIO_VERBS_QP_SQ, cq_type>(qp, ticket,
                                                                                                            timeout_ns);
}

/** Waits for all that had been reserved on the queue when it was called, by any thread. Ends on an error CQE. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_wait(struct doca_gpu_dev_verbs_qp *qp) {
    uint64_t end = doca_gpu_dev_verbs_atomic_read<uint64_t, resource_sharing_mode>(&qp->sq_rsvd_index);
    if (end != 0) doca_gpu_dev_verbs_wait<resource_sharing_mode, nic_handler, cq_type>(qp, end - 1);
}

/** Orders what was posted before it before what is posted after it, by waiting for it. Ends on an error CQE. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_fence(struct doca_gpu_dev_verbs_qp *qp) {
    doca_gpu_dev_verbs_wait<resource_sharing_mode, nic_handler, cq_type>(qp);
}

/** Waits for a get; with MCST_ENABLED then dumps daddr and waits for that. Ends on an error CQE. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_mcst_mode mcst_mode = DOCA_GPUNETIO_VERBS_MCST_DISABLED,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_priv_gpu_dev_verbs_get_wait(struct doca_gpu_dev_verbs_qp *qp,
                                                   struct doca_gpu_dev_verbs_addr daddr,
                                                   doca_gpu_dev_verbs_ticket_t ticket) {
    doca_gpu_dev_verbs_wait<resource_sharing_mode, nic_handler, cq_type>(qp, ticket);
    if (mcst_mode == DOCA_GPUNETIO_VERBS_MCST_ENABLED) {
        doca_gpu_dev_verbs_ticket_t dumped;
        doca_gpu_dev_verbs_mcst<resource_sharing_mode, nic_handler, cq_type>(qp, daddr, &dumped);
        doca_gpu_dev_verbs_wait<resource_sharing_mode, nic_handler, cq_type>(qp, dumped);
    }
}

template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_mcst_mode mcst_mode = DOCA_GPUNETIO_VERBS_MCST_DISABLED,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_get_wait(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr daddr,
                                              doca_gpu_dev_verbs_ticket_t ticket) {
    doca_priv_gpu_dev_verbs_get_wait<resource_sharing_mode, nic_handler, mcst_mode, cq_type>(qp, daddr, ticket);
}

/** Waits for every get posted so far. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_mcst_mode mcst_mode = DOCA_GPUNETIO_VERBS_MCST_DISABLED,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_get_wait(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr daddr) {
    uint64_t end = doca_gpu_dev_verbs_atomic_read<uint64_t, resource_sharing_mode>(&qp->sq_rsvd_index);
    if (end != 0)
        doca_priv_gpu_dev_verbs_get_wait<resource_sharing_mode, nic_handler, mcst_mode, cq_type>(qp, daddr, end - 1);
}

/** Reads size bytes from raddr to laddr: one thread. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_mcst_mode mcst_mode = DOCA_GPUNETIO_VERBS_MCST_DISABLED,
          enum doca_gpu_dev_verbs_blocking_mode blocking_mode = DOCA_GPUNETIO_VERBS_BLOCKING_MODE_DISABLED,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_get_thread(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr,
                                                struct doca_gpu_dev_verbs_addr laddr, size_t size,
                                                struct doca_gpu_dev_verbs_addr daddr,
                                                doca_gpu_dev_verbs_ticket_t *out_ticket,
                                                uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    gpunetio_transfer op = {raddr, laddr, size, DOCA_GPUNETIO_IB_MLX5_OPCODE_RDMA_READ};
    if (mcst_mode == DOCA_GPUNETIO_VERBS_MCST_ENABLED) {
        gpunetio_dump dump = {daddr};
        *out_ticket = gpunetio_post_thread<resource_sharing_mode, nic_handler, cq_type>(qp, op, dump, code_opt);
    } else {
        *out_ticket =
            gpunetio_post_thread<resource_sharing_mode, nic_handler, cq_type>(qp, op, gpunetio_nothing(), code_opt);
    }
    if (blocking_mode == DOCA_GPUNETIO_VERBS_BLOCKING_MODE_ENABLED)
        doca_gpu_dev_verbs_wait<resource_sharing_mode, nic_handler, cq_type>(qp, *out_ticket);
}

/** Reads size bytes from raddr to laddr: a warp together, a DUMP per lane. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_mcst_mode mcst_mode = DOCA_GPUNETIO_VERBS_MCST_DISABLED,
          enum doca_gpu_dev_verbs_blocking_mode blocking_mode = DOCA_GPUNETIO_VERBS_BLOCKING_MODE_DISABLED,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_get_warp(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr,
                                              struct doca_gpu_dev_verbs_addr laddr, size_t size,
                                              struct doca_gpu_dev_verbs_addr daddr,
                                              doca_gpu_dev_verbs_ticket_t *out_ticket,
                                              uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    gpunetio_transfer op = {raddr, laddr, size, DOCA_GPUNETIO_IB_MLX5_OPCODE_RDMA_READ};
    if (mcst_mode == DOCA_GPUNETIO_VERBS_MCST_ENABLED) {
        gpunetio_dump dump = {daddr};
        *out_ticket = gpunetio_post_warp<resource_sharing_mode, nic_handler, cq_type>(qp, op, dump, code_opt);
    } else {
        *out_ticket =
            gpunetio_post_warp<resource_sharing_mode, nic_handler, cq_type>(qp, op, gpunetio_nothing(), code_opt);
    }
    if (blocking_mode == DOCA_GPUNETIO_VERBS_BLOCKING_MODE_ENABLED)
        doca_gpu_dev_verbs_wait<resource_sharing_mode, nic_handler, cq_type>(qp, *out_ticket);
}

/** Reads size bytes from raddr to laddr. MCST_ENABLED: a DUMP of daddr follows, whose ticket is returned. BLOCKING: waits for
 * the ticket. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode = GPUNETIO_SHARING_GPU,
          enum doca_gpu_dev_verbs_nic_handler nic_handler = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO,
          enum doca_gpu_dev_verbs_exec_scope exec_scope = DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD,
          enum doca_gpu_dev_verbs_mcst_mode mcst_mode = DOCA_GPUNETIO_VERBS_MCST_DISABLED,
          enum doca_gpu_dev_verbs_blocking_mode blocking_mode = DOCA_GPUNETIO_VERBS_BLOCKING_MODE_DISABLED,
          enum doca_gpu_dev_verbs_cq_type cq_type = DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>
GPUNETIO_API void doca_gpu_dev_verbs_get(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr,
                                         struct doca_gpu_dev_verbs_addr laddr, size_t size,
                                         struct doca_gpu_dev_verbs_addr daddr, doca_gpu_dev_verbs_ticket_t *out_ticket,
                                         uint32_t code_opt = GPUNETIO_OPT_DEFAULT) {
    if (exec_scope == DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP)
        doca_gpu_dev_verbs_get_warp<resource_sharing_mode, nic_handler, mcst_mode, blocking_mode, cq_type>(
            qp, raddr, laddr, size, daddr, out_ticket, code_opt);
    else
        doca_gpu_dev_verbs_get_thread<resource_sharing_mode, nic_handler, mcst_mode, blocking_mode, cq_type>(
            qp, raddr, laddr, size, daddr, out_ticket, code_opt);
}

#endif
