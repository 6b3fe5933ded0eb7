// Kernels that post to one QP image in every sharing mode and scope, for a NIC that the test plays.
#include "doca_gpunetio_device.h"

typedef struct doca_gpu_dev_verbs_qp QP;
typedef struct doca_gpu_dev_verbs_addr ADDR;
typedef enum doca_gpu_dev_verbs_resource_sharing_mode sharing_t;
typedef enum doca_gpu_dev_verbs_exec_scope scope_t;

// How a thread posts. Mirrored by the test.
enum style { PUT = 0, PUT_POLL_EACH = 1, LOW_LEVEL = 2, PUT_SIGNAL = 3, VALUE = 4, SKIP_DB = 5, MIXED_SIZES = 6 };

struct posting {
    QP *qp;
    uint64_t first_id;  // operation i of thread t has id first_id + t * iters + i, which its local address carries
    uint32_t iters;
    uint32_t style;
    int32_t *status;  // per thread: the last poll's outcome
};

template <sharing_t SH, scope_t SC>
GPUNETIO_API void post(posting p) {
    const enum doca_gpu_dev_verbs_nic_handler AUTO = DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO;
    uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    uint64_t ticket = 0;
    int status = 0;
    for (uint32_t i = 0; i < p.iters; i++) {
        uint64_t id = p.first_id + thread * p.iters + i;
        ADDR raddr = {id * 2, 0x22222222}, laddr = {id, 0x11111111};
        switch (p.style) {
            case PUT:
            case PUT_POLL_EACH:
                doca_gpu_dev_verbs_put<SH, AUTO, SC>(p.qp, raddr, laddr, 8, &ticket);
                break;
            case LOW_LEVEL: {
                uint64_t first = doca_gpu_dev_verbs_reserve_wq_slots<SH>(p.qp, 3);
                for (uint64_t k = first; k < first + 3; k++)
                    doca_gpu_dev_verbs_wqe_prepare_write(p.qp, doca_gpu_dev_verbs_get_wqe_ptr(p.qp, (uint16_t)k),
                                                         (uint16_t)k, DOCA_GPUNETIO_IB_MLX5_OPCODE_RDMA_WRITE,
                                                         DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CQ_UPDATE, 0, raddr.addr,
                                                         raddr.key, laddr.addr, laddr.key, 8);
                if (i % 2)
                    doca_gpu_dev_verbs_mark_wqes_ready<SH>(p.qp, first, first + 2);
                else
                    doca_gpu_dev_verbs_mark_wqes_ready<SH, DOCA_GPUNETIO_VERBS_QP_SQ,
                                                       DOCA_GPUNETIO_VERBS_READY_MODE_LD_ST>(p.qp, first, first + 2);
                doca_gpu_dev_verbs_submit<SH>(p.qp, first + 3);
                ticket = first + 2;
                break;
            }
            case PUT_SIGNAL:
                doca_gpu_dev_verbs_put_signal<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, SH, AUTO, SC>(
                    p.qp, raddr, laddr, 8, raddr, laddr, 1, &ticket);
                break;
            case VALUE:
                doca_gpu_dev_verbs_p<uint64_t, SH, AUTO, SC>(p.qp, raddr, id, &ticket);
                break;
            case SKIP_DB:
                doca_gpu_dev_verbs_put<SH, AUTO, SC>(
                    p.qp, raddr, laddr, 8, &ticket,
                    i + 1 < p.iters ? DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_SKIP_DB_RINGING : 0);
                break;
            default:
                // 0, 1 byte, 2 GiB: a different number of WQEs from lane to lane.
                doca_gpu_dev_verbs_put<SH, AUTO, SC>(p.qp, raddr, laddr, thread % 3 == 2 ? 2ull << 30 : thread % 3,
                                                     &ticket);
                break;
        }
        if (p.style == PUT_POLL_EACH) status |= doca_gpu_dev_verbs_poll_cq_at<SH>(p.qp, ticket);
    }
    status |= doca_gpu_dev_verbs_poll_cq_at<SH>(p.qp, ticket);
    p.status[thread] = status;
}

#define POSTING(low, HIGH)                                                                              \
    GPUNETIO_CPU_KERNEL_AS(                                                                             \
        post_##low##_thread,                                                                            \
        post<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_##HIGH, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_THREAD>); \
    GPUNETIO_CPU_KERNEL_AS(                                                                             \
        post_##low##_warp,                                                                              \
        post<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_##HIGH, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP>)
POSTING(exclusive, EXCLUSIVE);
POSTING(cta, CTA);
POSTING(gpu, GPU);

// Counters on a companion QP, many times round its queue.
__global__ void post_counter(QP *qp, QP *companion, uint32_t iters, uint32_t code_opt, int32_t *status) {
    for (uint32_t i = 0; i < iters; i++)
        doca_gpu_dev_verbs_put_counter(qp, ADDR{i, 0}, ADDR{i, 0}, 8, companion, ADDR{i, 0}, ADDR{i, 0}, 1, code_opt);
    *status = gpunetio_dev_verbs_wait_counter_timeout(qp, companion, GPUNETIO_DEV_FOREVER);
}
GPUNETIO_CPU_KERNEL(post_counter);

// Work on a queue that has failed, by calls of every kind; status: what polling the last of them says.
template <sharing_t SH>
GPUNETIO_API void post_on_dead(QP *qp, uint32_t style, int32_t *status) {
    uint64_t ticket = 0;
    for (uint32_t i = 0; i < 100; i++) doca_gpu_dev_verbs_put<SH>(qp, ADDR{i, 0}, ADDR{i, 0}, 8, &ticket);
    if (style == 0) {
        doca_gpu_dev_verbs_put<SH>(qp, ADDR{1, 0}, ADDR{1, 0}, 8, &ticket,
                                   DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_SKIP_AVAILABILITY_CHECK);
    } else {
        ticket = doca_gpu_dev_verbs_reserve_wq_slots<SH>(qp, 1);
        doca_gpu_dev_verbs_wqe_prepare_nop(qp, doca_gpu_dev_verbs_get_wqe_ptr(qp, (uint16_t)ticket), (uint16_t)ticket,
                                           DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CQ_UPDATE);
        // An EXCLUSIVE client may ring without publishing.
        if (style == 1) doca_gpu_dev_verbs_mark_wqes_ready<SH>(qp, ticket, ticket);
        doca_gpu_dev_verbs_submit<SH>(qp, ticket + 1);
    }
    *status = doca_gpu_dev_verbs_poll_cq_at<SH>(qp, ticket);
}
GPUNETIO_CPU_KERNEL_AS(post_on_dead_exclusive, post_on_dead<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE>);
GPUNETIO_CPU_KERNEL_AS(post_on_dead_gpu, post_on_dead<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>);

// One 8-byte masked compare-and-swap, of two slots; returns its index.
template <sharing_t SH>
GPUNETIO_API uint64_t write_wide(QP *qp, uint32_t i) {
    uint64_t index = doca_gpu_dev_verbs_reserve_wq_slots<SH>(qp, 2);
    doca_gpu_dev_verbs_wqe_prepare_atomic_ext<DOCA_GPUNETIO_VERBS_ATOMIC_EXT_BYTES_8>(
        qp, doca_gpu_dev_verbs_get_wqe_ptr(qp, (uint16_t)index),
        doca_gpu_dev_verbs_get_wqe_ptr(qp, (uint16_t)(index + 1)), (uint16_t)index,
        DOCA_GPUNETIO_IB_MLX5_OPCODE_ATOMIC_MASKED_CS, DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CQ_UPDATE, i, 0, i, 0, 0, 0, 1, 2,
        3, 4);
    doca_gpu_dev_verbs_mark_wqes_ready<SH>(qp, index, index + 1);
    doca_gpu_dev_verbs_submit<SH>(qp, index + 2);
    return index;
}

// 8-byte masked compare-and-swaps, of two slots each, a put after every third; waits of every kind.
template <sharing_t SH>
GPUNETIO_API void post_wide(QP *qp, uint32_t iters, int32_t *status) {
    *status = 0;
    for (uint32_t i = 0; i < iters; i++) {
        uint64_t index = write_wide<SH>(qp, i);
        if (i % 7 == 0) {
            int seen;
            do {
                seen = doca_gpu_dev_verbs_poll_one_cq_at<SH>(qp, index + i % 2);
                gpunetio_relax();
            } while (seen == GPUNETIO_DEV_EBUSY);
            *status |= seen;
        }
        if (i % 11 == 0) doca_gpu_dev_verbs_wait<SH>(qp);
        uint64_t ticket;
        if (i % 3 == 0) doca_gpu_dev_verbs_put<SH>(qp, ADDR{i, 0}, ADDR{i, 0}, 8, &ticket);
    }
    doca_gpu_dev_verbs_wait<SH>(qp);
    // The whole queue is free, its last WQE's second slot as well.
    uint64_t first;
    *status |= gpunetio_dev_verbs_reserve_wq_slots_timeout<SH>(qp, qp->sq_wqe_num, 5000000000ull, &first);
}
GPUNETIO_CPU_KERNEL_AS(post_wide_exclusive, post_wide<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE>);
GPUNETIO_CPU_KERNEL_AS(post_wide_gpu, post_wide<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>);

// The same, each waited for before the next.
__global__ void post_wide_one_by_one(QP *qp, uint32_t iters, int32_t *status) {
    const auto SH = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE;
    *status = 0;
    for (uint32_t i = 0; i < iters; i++) *status |= doca_gpu_dev_verbs_poll_cq_at<SH>(qp, write_wide<SH>(qp, i));
}
GPUNETIO_CPU_KERNEL(post_wide_one_by_one);

// A warp copies its WQE to the BlueFlame register together.
__global__ void post_blueflame_warp(QP *qp, uint32_t iters, int32_t *status) {
    const auto SH = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE;
    for (uint32_t i = 0; i < iters; i++) {
        uint64_t index = 0;
        if (threadIdx.x == 0) {
            index = doca_gpu_dev_verbs_reserve_wq_slots<SH>(qp, 1);
            doca_gpu_dev_verbs_wqe_prepare_write(qp, doca_gpu_dev_verbs_get_wqe_ptr(qp, (uint16_t)index), (uint16_t)index,
                                                 DOCA_GPUNETIO_IB_MLX5_OPCODE_RDMA_WRITE,
                                                 DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CQ_UPDATE, 0, i, 0, i, 0, 8, i, 0, 8);
            doca_gpu_dev_verbs_mark_wqes_ready<SH>(qp, index, index);
        }
        index = __shfl_sync(0xffffffffu, index, 0);
        doca_gpu_dev_verbs_submit_bf_warp<SH>(qp, index + 1, doca_gpu_dev_verbs_get_wqe_ptr(qp, (uint16_t)index));
        if (threadIdx.x == 0) *status = doca_gpu_dev_verbs_poll_cq_at<SH>(qp, index);
    }
}
GPUNETIO_CPU_KERNEL(post_blueflame_warp);

// Reservations of no slots and of too many: status and index of each form, and what follows from that index.
__global__ void post_odd_counts(QP *qp, int64_t *out) {
    const auto SH = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU;
    uint64_t first = 77;
    out[0] = (int64_t)doca_gpu_dev_verbs_reserve_wq_slots<SH>(qp, 0);
    out[1] = gpunetio_dev_verbs_reserve_wq_slots_timeout<SH>(qp, 0, GPUNETIO_DEV_FOREVER, &first);
    out[2] = (int64_t)first;
    uint64_t none = doca_gpu_dev_verbs_reserve_wq_slots<SH>(qp, qp->sq_wqe_num + 1u);
    out[3] = none == GPUNETIO_DEV_NO_SLOTS;
    out[4] = gpunetio_dev_verbs_reserve_wq_slots_timeout<SH>(qp, qp->sq_wqe_num + 1u, GPUNETIO_DEV_FOREVER, &first);
    doca_gpu_dev_verbs_mark_wqes_ready<SH>(qp, none, none);
    doca_gpu_dev_verbs_submit<SH>(qp, none + 1);
    doca_gpu_dev_verbs_submit<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE>(qp, none + 1);
    out[5] = doca_gpu_dev_verbs_poll_cq_at<SH>(qp, none);
    out[6] = (int64_t)(qp->sq_rsvd_index | qp->sq_ready_index | qp->sq_wqe_pi);
}
GPUNETIO_CPU_KERNEL(post_odd_counts);

// Many threads ask a full, slow queue for a slot each, within a time.
__global__ void reserve_in_time(QP *qp, uint64_t timeout_ns, int32_t *status) {
    const auto SH = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU;
    uint64_t index = 0;
    if (threadIdx.x == 0)
        for (uint32_t i = 0; i < qp->sq_wqe_num; i++) doca_gpu_dev_verbs_put<SH>(qp, ADDR{i, 0}, ADDR{i, 0}, 8, &index);
    __syncthreads();
    status[threadIdx.x] = gpunetio_dev_verbs_reserve_wq_slots_timeout<SH>(qp, 1, timeout_ns, &index);
    if (status[threadIdx.x] != 0) return;
    doca_gpu_dev_verbs_wqe_prepare_nop(qp, doca_gpu_dev_verbs_get_wqe_ptr(qp, (uint16_t)index), (uint16_t)index,
                                       DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CQ_UPDATE);
    doca_gpu_dev_verbs_mark_wqes_ready<SH>(qp, index, index);
    doca_gpu_dev_verbs_submit<SH>(qp, index + 1);
}
GPUNETIO_CPU_KERNEL(reserve_in_time);

// The CQ's consumer index as it is told to the NIC, after five polls, once more, and after three more.
__global__ void consume(QP *qp, uint32_t *out) {
    uint64_t ticket;
    for (uint32_t i = 0; i < 8; i++) {
        doca_gpu_dev_verbs_put(qp, ADDR{i, 0}, ADDR{i, 0}, 8, &ticket);
        if (i == 4) {
            doca_gpu_dev_verbs_poll_cq(qp, 5);
            out[0] = doca_gpu_dev_verbs_cq_update_dbrec<false>(&qp->cq_sq, 5);
            out[1] = gpunetio_bswap32(*qp->cq_sq.dbrec);
            out[2] = doca_gpu_dev_verbs_cq_update_dbrec<false>(&qp->cq_sq, 0);
        }
    }
    doca_gpu_dev_verbs_poll_cq(qp, 3);
    out[3] = doca_gpu_dev_verbs_cq_update_dbrec<true>(&qp->cq_sq, 3);
    out[4] = gpunetio_bswap32(*qp->cq_sq.dbrec);
    out[5] = doca_gpu_dev_verbs_cq_update_dbrec<false>(&qp->cq_sq, 3);
    out[6] = gpunetio_bswap32(*qp->cq_sq.dbrec);
}
GPUNETIO_CPU_KERNEL(consume);

// The kept error before and after a look at the entries.
__global__ void kept_error(QP *qp, uint32_t *out) {
    out[0] = gpunetio_dev_verbs_cq_error_kept(&qp->cq_sq);
    out[1] = gpunetio_dev_verbs_cq_error(&qp->cq_sq);
    out[2] = gpunetio_dev_verbs_cq_error_kept(&qp->cq_sq);
}
GPUNETIO_CPU_KERNEL(kept_error);

// Waits for one index.
__global__ void wait_index(QP *qp, uint64_t index, int32_t *status) {
    *status = doca_gpu_dev_verbs_poll_cq_at(qp, index);
}
GPUNETIO_CPU_KERNEL(wait_index);

// Waits that nothing will end but their bound: status gets what each returns.
__global__ void post_bounded(QP *qp, int32_t *status) {
    const auto SH = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU;
    uint64_t ticket = 0, first;
    for (uint32_t i = 0; i < qp->sq_wqe_num; i++) doca_gpu_dev_verbs_put<SH>(qp, ADDR{i, 0}, ADDR{i, 0}, 8, &ticket);
    status[0] = doca_gpu_dev_verbs_poll_one_cq_at<SH>(qp, ticket);
    status[1] = gpunetio_dev_verbs_poll_cq_at_timeout<SH>(qp, ticket, 2000000);
    status[2] = gpunetio_dev_verbs_wait_timeout<SH>(qp, ticket, 0);
    status[3] = gpunetio_dev_verbs_reserve_wq_slots_timeout<SH>(qp, 1, 1000000, &first);
    status[4] = (int32_t)qp->sq_rsvd_index;
}
GPUNETIO_CPU_KERNEL(post_bounded);

// Unbounded waits of every kind on a queue whose NIC fails: they must all return.
__global__ void post_into_error(QP *qp, uint32_t iters, int32_t *status, uint32_t *error) {
    uint64_t ticket = 0;
    for (uint32_t i = 0; i < iters; i++) doca_gpu_dev_verbs_put(qp, ADDR{i, 0}, ADDR{i, 0}, 8, &ticket);
    status[0] = doca_gpu_dev_verbs_poll_cq_at(qp, ticket);
    status[1] = doca_gpu_dev_verbs_poll_cq_at(qp, 0);
    doca_gpu_dev_verbs_wait(qp);
    doca_gpu_dev_verbs_fence(qp);
    doca_gpu_dev_verbs_get_wait(qp, ADDR{0, 0});
    status[2] = doca_gpu_dev_verbs_poll_one_cq_at(qp, ticket);
    *error = gpunetio_dev_verbs_cq_error(&qp->cq_sq);
}
GPUNETIO_CPU_KERNEL(post_into_error);

// Cost of posting by one thread, in nanoseconds over all iterations.
__global__ void post_cost(QP *qp, uint32_t iters, uint64_t *ns) {
    const auto SH = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE;
    uint64_t ticket = 0, start = gpunetio_globaltimer();
    for (uint32_t i = 0; i < iters; i++) doca_gpu_dev_verbs_put<SH>(qp, ADDR{i, 0}, ADDR{i, 0}, 8, &ticket);
    *ns = gpunetio_globaltimer() - start;
}
GPUNETIO_CPU_KERNEL(post_cost);

// Polls one index and says what came.
__global__ void poll_index(QP *qp, uint64_t index, int32_t *status) {
    *status = doca_gpu_dev_verbs_poll_one_cq_at(qp, index);
}
GPUNETIO_CPU_KERNEL(poll_index);
