/*
 * What `gpunetio perf` passes to its kernels. Plain C; mirrored in gpunetio-cli/src/kernels.rs.
 *
 * A unit is a thread at thread scope and a warp at warp scope; operations are posted by every thread in either case. Unit u of
 * U works on QP u mod num_qps; where there are more QPs than units it takes QPs u, u + U, u + 2U, ... in turn, so that every QP
 * belongs to one unit.
 *
 * Every pair of QP (or unit, where units share QPs) and lane has memory of its own, its place: operations that went astray or
 * not at all are seen in the target.
 */
#ifndef GPUNETIO_PERF_PARAMS_H
#define GPUNETIO_PERF_PARAMS_H

#include "common/doca_gpunetio_verbs_dev.h"

struct gpunetio_perf_params {
    struct doca_gpu_dev_verbs_qp *qps; /**< num_qps images, one after the other; each says how it is rung */
    uint64_t size;                     /**< bytes of an operation */
    uint64_t laddr;                    /**< local address of place 0 */
    uint64_t raddr;                    /**< remote address of place 0 */
    uint64_t place_stride;             /**< bytes between two places, at both sides */
    uint64_t sig_laddr;                /**< where thread 0's signal puts the old value, 8 bytes a thread */
    uint64_t sig_raddr;                /**< what thread 0's signal counts up, 8 bytes a thread */
    uint32_t lkey;                     /**< memory keys, big-endian */
    uint32_t rkey;
    uint32_t sig_lkey;
    uint32_t sig_rkey;
    uint32_t num_qps;
    uint32_t iters;  /**< operations of a thread */
    uint32_t warmup; /**< operations of a thread before those that count, on its first QP */
    uint32_t reserved;
    uint64_t *lat_ns;   /**< latency pass: units x iters, nanoseconds from the call to the end of poll */
    uint64_t *start_ns; /**< a unit's clock before its first operation */
    uint64_t *end_ns;   /**< and after the completion of its last */
    uint32_t *status;   /**< a thread's outcome: 0, or the CQ's first error as gpunetio_dev_verbs_cq_error gives it */
};

GPUNETIO_STATIC_ASSERT(sizeof(struct gpunetio_perf_params) == 120, "gpunetio_perf_params");
GPUNETIO_ASSERT_OFFSET(gpunetio_perf_params, lkey, 56);
GPUNETIO_ASSERT_OFFSET(gpunetio_perf_params, lat_ns, 88);

#endif
