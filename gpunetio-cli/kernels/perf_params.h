/*
 * What `gpunetio perf` passes to its kernels. Plain C; mirrored in gpunetio-cli/src/kernels.rs.
 *
 * A unit is a thread at thread scope and a warp at warp scope; operations are posted by every thread in either case. Unit u of
 * U works on QP u mod num_qps, and, where there are more QPs than units, goes on to the next U-th QP with every operation, so
 * that all QPs are used.
 */
#ifndef GPUNETIO_PERF_PARAMS_H
#define GPUNETIO_PERF_PARAMS_H

#include "common/doca_gpunetio_verbs_dev.h"

struct gpunetio_perf_params {
    struct doca_gpu_dev_verbs_qp *qps; /**< num_qps images, one after the other; each says how it is rung */
    uint64_t size;                     /**< bytes of an operation */
    uint64_t laddr;                    /**< local address of thread 0 on QP 0 */
    uint64_t raddr;                    /**< remote address of thread 0 on QP 0 */
    uint64_t thread_stride;            /**< bytes between two threads, at both sides */
    uint64_t qp_stride;                /**< bytes between two QPs, at both sides */
    uint64_t sig_laddr;                /**< where thread 0's signal puts the old value, 8 bytes a thread */
    uint64_t sig_raddr;                /**< what thread 0's signal counts up, 8 bytes a thread */
    uint32_t lkey;                     /**< memory keys, big-endian */
    uint32_t rkey;
    uint32_t sig_lkey;
    uint32_t sig_rkey;
    uint32_t num_qps;
    uint32_t iters; /**< operations of a thread */
    uint32_t
        window; /**< every window-th operation of a thread is waited for; 0: only the last, the queue's depth bounds the rest */
    uint32_t reserved;  /**< 0 */
    uint64_t *lat_ns;   /**< latency pass: units x iters, nanoseconds from the call to the end of poll */
    uint64_t *start_ns; /**< a unit's clock before its first operation */
    uint64_t *end_ns;   /**< and after the completion of its last */
    uint32_t *status;   /**< a thread's outcome: 0, or the CQ's first error as gpunetio_dev_verbs_cq_error gives it */
};

GPUNETIO_STATIC_ASSERT(sizeof(struct gpunetio_perf_params) == 128, "gpunetio_perf_params");
GPUNETIO_ASSERT_OFFSET(gpunetio_perf_params, lkey, 64);
GPUNETIO_ASSERT_OFFSET(gpunetio_perf_params, lat_ns, 96);

#endif
