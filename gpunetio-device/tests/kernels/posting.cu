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
__global__ void post_counter(QP *qp, QP *companion, uint32_t iters) {
    for (uint32_t i = 0; i < iters; i++)
        doca_gpu_dev_verbs_put_counter(qp, ADDR{i, 0}, ADDR{i, 0}, 8, companion, ADDR{i, 0}, ADDR{i, 0}, 1);
}
GPUNETIO_CPU_KERNEL(post_counter);

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
