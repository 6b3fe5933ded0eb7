// Kernels on queue pairs that the open core makes and the software NIC serves: counters on a companion, calls of no bytes
// and of values.
#include "doca_gpunetio_device.h"

typedef struct doca_gpu_dev_verbs_qp QP;
typedef struct doca_gpu_dev_verbs_addr ADDR;

// Mirrored by the test, as is struct job.
enum counted { PUT_COUNTER = 0, PUT_SIGNAL_COUNTER = 1, GET_COUNTER = 2, P_COUNTER = 3, SIGNAL_COUNTER = 4 };

struct job {
    QP *qp, *companion;
    // Local: from, back (of size bytes an operation) and fetched (8 bytes); remote: to, signal, counter.
    ADDR from, to, back, fetched, signal, counter;
    uint32_t iters, size, style, code_opt;
    int32_t *status;  // per thread
};

static const uint64_t LONG = 30000000000ull;

GPUNETIO_API ADDR at(ADDR a, uint64_t offset) { return ADDR{a.addr + offset, a.key}; }

GPUNETIO_API uint64_t load(ADDR a) {
    // The NIC stores 8 aligned bytes at once; acquire orders what was written before them.
    return doca_gpu_dev_verbs_atomic_read<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>((uint64_t *)a.addr);
}

// Block b works on job b; operation i of thread t moves piece t * iters + i.
__global__ void count(job *jobs) {
    job &j = jobs[blockIdx.x];
    for (uint32_t i = 0; i < j.iters; i++) {
        uint64_t id = (uint64_t)threadIdx.x * j.iters + i, offset = id * j.size;
        ADDR from = at(j.from, offset), to = at(j.to, offset), back = at(j.back, offset);
        switch (j.style) {
            case PUT_COUNTER:
                doca_gpu_dev_verbs_put_counter(j.qp, to, from, j.size, j.companion, j.counter, j.fetched, 1,
                                               j.code_opt);
                break;
            case PUT_SIGNAL_COUNTER:
                doca_gpu_dev_verbs_put_signal_counter<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD>(
                    j.qp, to, from, j.size, j.signal, j.fetched, 3, j.companion, j.counter, j.fetched, 1, j.code_opt);
                break;
            case GET_COUNTER:
                doca_gpu_dev_verbs_get_counter(j.qp, to, back, j.size, j.companion, j.counter, j.fetched, 1,
                                               j.code_opt);
                break;
            case P_COUNTER:
                doca_gpu_dev_verbs_p_counter<uint64_t>(j.qp, to, id ^ 0x5a5a000000000000ull, j.companion, j.counter,
                                                       j.fetched, 1, j.code_opt);
                break;
            default:
                doca_gpu_dev_verbs_signal_counter<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD>(
                    j.qp, j.signal, j.fetched, 3, j.companion, j.counter, j.fetched, 1, j.code_opt);
                break;
        }
    }
    j.status[threadIdx.x] = gpunetio_dev_verbs_wait_counter_timeout(j.qp, j.companion, LONG);
}
GPUNETIO_CPU_KERNEL(count);

// A companion whose WAIT is rung before the main QP's work is: it stands still until then. out: the counter and a poll before
// both are rung, by submit_multi_qps (by = 0) or submit_db_multi_qps; the polls and the counter after. Leaves each queue 3 WQEs
// further on.
__global__ void ring_companion_first(job *jobs, uint32_t by, int64_t *out) {
    const auto SH = DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU;
    const auto UPDATE = DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CQ_UPDATE;
    job &j = *jobs;
    // The put is written and published, its doorbell comes last.
    uint64_t put = doca_gpu_dev_verbs_reserve_wq_slots<SH>(j.qp, 1);
    doca_gpu_dev_verbs_wqe_prepare_write(j.qp, doca_gpu_dev_verbs_get_wqe_ptr(j.qp, (uint16_t)put), (uint16_t)put,
                                         DOCA_GPUNETIO_IB_MLX5_OPCODE_RDMA_WRITE, UPDATE, 0, j.to.addr, j.to.key,
                                         j.from.addr, j.from.key, j.size);
    doca_gpu_dev_verbs_mark_wqes_ready<SH>(j.qp, put, put);
    uint64_t wait = doca_gpu_dev_verbs_reserve_wq_slots<SH>(j.companion, 2);
    doca_gpu_dev_verbs_wqe_prepare_wait(j.companion, doca_gpu_dev_verbs_get_wqe_ptr(j.companion, (uint16_t)wait),
                                        (uint16_t)wait, UPDATE, (uint32_t)put, j.qp->cq_sq.cq_num);
    doca_gpu_dev_verbs_wqe_prepare_atomic(j.companion,
                                          doca_gpu_dev_verbs_get_wqe_ptr(j.companion, (uint16_t)(wait + 1)),
                                          (uint16_t)(wait + 1), DOCA_GPUNETIO_IB_MLX5_OPCODE_ATOMIC_FA, UPDATE,
                                          j.counter.addr, j.counter.key, j.fetched.addr, j.fetched.key, 8, 1, 0);
    doca_gpu_dev_verbs_mark_wqes_ready<SH>(j.companion, wait, wait + 1);
    doca_gpu_dev_verbs_submit<SH>(j.companion, wait + 2);
    // Long enough for the NIC to see the doorbell; were it not, the test would prove less, never fail.
    uint64_t until = gpunetio_globaltimer() + 2000000;
    while (gpunetio_globaltimer() < until) gpunetio_relax();
    out[0] = (int64_t)load(j.counter);
    out[1] = doca_gpu_dev_verbs_poll_one_cq_at<SH>(j.companion, wait);
    // Both by name: the companion's doorbell once more, with more to come, and the main QP's.
    uint64_t more = doca_gpu_dev_verbs_reserve_wq_slots<SH>(j.companion, 1);
    doca_gpu_dev_verbs_wqe_prepare_nop(j.companion, doca_gpu_dev_verbs_get_wqe_ptr(j.companion, (uint16_t)more),
                                       (uint16_t)more, UPDATE);
    doca_gpu_dev_verbs_mark_wqes_ready<SH>(j.companion, more, more);
    uint64_t second = doca_gpu_dev_verbs_reserve_wq_slots<SH>(j.qp, 2);
    for (uint64_t k = second; k < second + 2; k++)
        doca_gpu_dev_verbs_wqe_prepare_nop(j.qp, doca_gpu_dev_verbs_get_wqe_ptr(j.qp, (uint16_t)k), (uint16_t)k,
                                           UPDATE);
    doca_gpu_dev_verbs_mark_wqes_ready<SH>(j.qp, second, second + 1);
    QP *qps[2] = {j.companion, j.qp};
    uint64_t ends[2] = {more + 1, second + 2};
    if (by == 0)
        doca_gpu_dev_verbs_submit_multi_qps<2, SH>(qps, ends);
    else
        doca_gpu_dev_verbs_submit_db_multi_qps<2, SH>(qps, ends);
    out[2] = gpunetio_dev_verbs_poll_cq_at_timeout<SH>(j.companion, more, LONG);
    out[3] = gpunetio_dev_verbs_poll_cq_at_timeout<SH>(j.qp, second + 1, LONG);
    out[4] = (int64_t)load(j.counter);
}
GPUNETIO_CPU_KERNEL(ring_companion_first);

// Calls of no bytes, and of values carried in the WQE: what polling each says.
__global__ void small(job *jobs, int32_t *out) {
    const auto ADD = DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD;
    job &j = *jobs;
    uint64_t ticket[7];
    doca_gpu_dev_verbs_put(j.qp, j.to, j.from, 0, &ticket[0]);
    doca_gpu_dev_verbs_get(j.qp, j.to, j.back, 0, j.fetched, &ticket[1]);
    doca_gpu_dev_verbs_put_signal<ADD>(j.qp, j.to, j.from, 0, j.signal, j.fetched, 5, &ticket[2]);
    doca_gpu_dev_verbs_signal<ADD>(j.qp, j.signal, j.fetched, 7, &ticket[3]);
    doca_gpu_dev_verbs_p<uint8_t>(j.qp, at(j.to, 64), 0xab, &ticket[4]);
    doca_gpu_dev_verbs_p<uint64_t>(j.qp, at(j.to, 72), 0x0123456789abcdefull, &ticket[5]);
    doca_gpu_dev_verbs_p_signal<uint32_t, ADD>(j.qp, at(j.to, 80), 0x76543210u, j.signal, j.fetched, 11, &ticket[6]);
    for (uint32_t i = 0; i < 7; i++) out[i] = gpunetio_dev_verbs_wait_timeout(j.qp, ticket[i], LONG);
    out[7] = (int32_t)(ticket[6] + 1);
}
GPUNETIO_CPU_KERNEL(small);
