// The kernels of `gpunetio perf`. One source for nvcc, NVRTC and the host compiler (CPU executor).
//
// Every (pass, mode, sharing, scope) is an extern "C" kernel gpunetio_perf_<pass>_<mode>_<sharing>_<scope>; on the CPU executor
// gpunetio_perf_kernel finds it.
#include "doca_gpunetio_device.h"
#include "perf_params.h"

typedef struct doca_gpu_dev_verbs_qp qp_t;
typedef struct doca_gpu_dev_verbs_addr addr_t;
typedef doca_gpu_dev_verbs_ticket_t ticket_t;
typedef enum doca_gpu_dev_verbs_resource_sharing_mode sharing_t;
typedef enum doca_gpu_dev_verbs_exec_scope scope_t;

#define AUTO DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO
#define WARP DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP

// Where a thread works on one of its QPs.
struct perf_place {
    addr_t laddr, raddr, sig_laddr, sig_raddr;
};

struct perf_unit {
    uint64_t thread, unit, units;
    uint32_t lane, lanes;
    bool speaks;  // writes what is kept per unit
};

template <scope_t SC>
static GPUNETIO_API perf_unit perf_unit_of() {
    uint64_t thread = (uint64_t)blockIdx.x * blockDim.x + threadIdx.x;
    if (SC != WARP) return perf_unit{thread, thread, (uint64_t)gridDim.x * blockDim.x, 0, 1, true};
    uint64_t per_block = (blockDim.x + 31) / 32;
    uint32_t lane = threadIdx.x % 32;
    return perf_unit{thread, blockIdx.x * per_block + threadIdx.x / 32, gridDim.x * per_block, lane, 32, lane == 0};
}

static GPUNETIO_API perf_place perf_place_of(const gpunetio_perf_params &p, const perf_unit &u, uint64_t qp) {
    uint64_t owner = p.num_qps > u.units ? qp : u.unit;
    uint64_t at = (owner * u.lanes + u.lane) * p.place_stride;
    return perf_place{{p.laddr + at, p.lkey},
                      {p.raddr + at, p.rkey},
                      {p.sig_laddr + u.thread * 8, p.sig_lkey},
                      {p.sig_raddr + u.thread * 8, p.sig_rkey}};
}

// The QP of a unit after qp.
static GPUNETIO_API uint32_t perf_next_qp(uint32_t qp, const perf_unit &u, uint32_t num_qps) {
    if (num_qps <= u.units) return qp;
    uint64_t next = qp + u.units;
    return (uint32_t)(next < num_qps ? next : u.unit);
}

// The operations: each posts one operation of this thread and returns its ticket.
struct perf_put {
    template <sharing_t SH, scope_t SC>
    static GPUNETIO_API ticket_t post(qp_t *qp, const perf_place &at, uint64_t size) {
        ticket_t ticket;
        doca_gpu_dev_verbs_put<SH, AUTO, SC>(qp, at.raddr, at.laddr, size, &ticket);
        return ticket;
    }
};
struct perf_get {
    template <sharing_t SH, scope_t SC>
    static GPUNETIO_API ticket_t post(qp_t *qp, const perf_place &at, uint64_t size) {
        ticket_t ticket;
        doca_gpu_dev_verbs_get<SH, AUTO, SC>(qp, at.raddr, at.laddr, size, at.laddr, &ticket);
        return ticket;
    }
};
struct perf_put_signal {
    template <sharing_t SH, scope_t SC>
    static GPUNETIO_API ticket_t post(qp_t *qp, const perf_place &at, uint64_t size) {
        ticket_t ticket;
        doca_gpu_dev_verbs_put_signal<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, SH, AUTO, SC>(
            qp, at.raddr, at.laddr, size, at.sig_raddr, at.sig_laddr, 1, &ticket);
        return ticket;
    }
};
// The low-level calls that put is made of. One WQE an operation: size is at most 1 GiB.
struct perf_write {
    template <sharing_t SH, scope_t SC>
    static GPUNETIO_API ticket_t post(qp_t *qp, const perf_place &at, uint64_t size) {
        uint32_t lanes = SC == WARP ? gpunetio_ballot(DOCA_GPUNETIO_VERBS_WARP_FULL_MASK, true) : 1;
        uint32_t count = gpunetio_popc(lanes);
        uint32_t rank = SC == WARP ? gpunetio_popc(lanes & ((1u << gpunetio_lane_id()) - 1)) : 0;
        uint64_t first = 0;
        if (rank == 0) first = doca_gpu_dev_verbs_reserve_wq_slots<SH>(qp, count);
        if (SC == WARP) first = gpunetio_shfl_u64(lanes, first, gpunetio_lowest_bit(lanes));
        uint64_t index = first + rank;
        struct doca_gpu_dev_verbs_wqe *wqe = doca_gpu_dev_verbs_get_wqe_ptr(qp, (uint16_t)index);
        const enum doca_gpu_dev_verbs_wqe_ctrl_flags flags = DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CQ_UPDATE;
        // A data segment of 0 bytes would be one of 2 GiB.
        if (size == 0)
            doca_gpu_dev_verbs_wqe_prepare_nop(qp, wqe, (uint16_t)index, flags);
        else
            doca_gpu_dev_verbs_wqe_prepare_write(qp, wqe, (uint16_t)index, DOCA_GPUNETIO_IB_MLX5_OPCODE_RDMA_WRITE, flags, 0,
                                                 at.raddr.addr, at.raddr.key, at.laddr.addr, at.laddr.key, (uint32_t)size);
        if (SC == WARP) gpunetio_sync_warp(lanes);
        if (rank == 0) {
            doca_gpu_dev_verbs_mark_wqes_ready<SH>(qp, first, first + count - 1);
            doca_gpu_dev_verbs_submit<SH>(qp, first + count);
        }
        if (SC == WARP) gpunetio_sync_warp(lanes);
        return index;
    }
};

// A unit stops posting when its QP has failed; a warp's lanes stop together.
template <scope_t SC>
static GPUNETIO_API bool perf_failed(qp_t *qp) {
    bool failed = gpunetio_dev_verbs_cq_error_kept(&qp->cq_sq) != 0;
    return SC == WARP ? gpunetio_ballot(DOCA_GPUNETIO_VERBS_WARP_FULL_MASK, failed) != 0 : failed;
}

static GPUNETIO_API uint32_t perf_outcome(qp_t *qp, int status) {
    if (status == 0) return 0;
    uint32_t error = gpunetio_dev_verbs_cq_error(&qp->cq_sq);
    return error != 0 ? error : GPUNETIO_CQ_ERROR_VALID;
}

// Operations before those that count, waited for one by one.
template <typename Op, sharing_t SH, scope_t SC>
static GPUNETIO_API void perf_warm_up(const gpunetio_perf_params &p, const perf_unit &u, uint32_t at) {
    perf_place place = perf_place_of(p, u, at);
    for (uint32_t i = 0; i < p.warmup; i++) {
        ticket_t ticket = Op::template post<SH, SC>(&p.qps[at], place, p.size);
        doca_gpu_dev_verbs_poll_cq_at<SH>(&p.qps[at], ticket);
    }
}

template <typename Op, sharing_t SH, scope_t SC>
static GPUNETIO_API void perf_throughput(const gpunetio_perf_params &p) {
    perf_unit u = perf_unit_of<SC>();
    uint32_t first = (uint32_t)(u.unit % p.num_qps), at = first;
    perf_place place = perf_place_of(p, u, at);
    perf_warm_up<Op, SH, SC>(p, u, at);
    if (u.speaks) p.start_ns[u.unit] = gpunetio_globaltimer();
    uint32_t posted = 0;
    while (posted < p.iters) {
        Op::template post<SH, SC>(&p.qps[at], place, p.size);
        posted++;
        if (posted % 64 == 0 && perf_failed<SC>(&p.qps[at])) break;
        uint32_t next = perf_next_qp(at, u, p.num_qps);
        if (next != at) {
            at = next;
            place = perf_place_of(p, u, at);
        }
    }
    // Everything that this unit has posted is done when all that is reserved on its QPs is.
    uint64_t touched = p.num_qps <= u.units ? 1 : (p.num_qps + u.units - 1 - u.unit) / u.units;
    if (touched > posted) touched = posted;
    uint32_t outcome = 0;
    for (at = first; touched > 0; touched--, at = perf_next_qp(at, u, p.num_qps)) {
        qp_t *qp = &p.qps[at];
        uint64_t end = doca_gpu_dev_verbs_atomic_read<uint64_t, SH>(&qp->sq_rsvd_index);
        uint32_t last = perf_outcome(qp, doca_gpu_dev_verbs_poll_cq_at<SH>(qp, end - 1));
        if (outcome == 0) outcome = last;
    }
    if (SC == WARP) __syncwarp();
    if (u.speaks) p.end_ns[u.unit] = gpunetio_globaltimer();
    p.status[u.thread] = outcome;
}

template <typename Op, sharing_t SH, scope_t SC>
static GPUNETIO_API void perf_latency(const gpunetio_perf_params &p) {
    perf_unit u = perf_unit_of<SC>();
    uint32_t at = (uint32_t)(u.unit % p.num_qps);
    uint32_t outcome = 0;
    perf_warm_up<Op, SH, SC>(p, u, at);
    uint64_t now = gpunetio_globaltimer();
    if (u.speaks) p.start_ns[u.unit] = now;
    for (uint32_t i = 0; i < p.iters && outcome == 0; i++) {
        qp_t *qp = &p.qps[at];
        ticket_t ticket = Op::template post<SH, SC>(qp, perf_place_of(p, u, at), p.size);
        outcome = perf_outcome(qp, doca_gpu_dev_verbs_poll_cq_at<SH>(qp, ticket));
        if (SC == WARP) outcome |= gpunetio_ballot(DOCA_GPUNETIO_VERBS_WARP_FULL_MASK, outcome != 0) != 0;
        uint64_t done = gpunetio_globaltimer();
        if (u.speaks) p.lat_ns[u.unit * p.iters + i] = done - now;
        now = done;
        at = perf_next_qp(at, u, p.num_qps);
    }
    if (u.speaks) p.end_ns[u.unit] = now;
    p.status[u.thread] = outcome;
}

#if GPUNETIO_ON_CUDA
#define PERF_EXPORT(name)
#else
#define PERF_EXPORT(name) GPUNETIO_CPU_KERNEL(name);
#endif

#define PERF_KERNEL(name, ...)                                \
    extern "C" __global__ void name(gpunetio_perf_params p) { \
        __VA_ARGS__(p);                                       \
    }                                                         \
    PERF_EXPORT(name)
#define SHARE(x) DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_##x
#define EXEC(x) DOCA_GPUNETIO_VERBS_EXEC_SCOPE_##x
#define PERF_SCOPES(pass, mode, low, HIGH)                                                                 \
    PERF_KERNEL(gpunetio_perf_##pass##_##mode##_##low##_thread, perf_##pass<perf_##mode, SHARE(HIGH), EXEC(THREAD)>) \
    PERF_KERNEL(gpunetio_perf_##pass##_##mode##_##low##_warp, perf_##pass<perf_##mode, SHARE(HIGH), EXEC(WARP)>)
#define PERF_SHARINGS(pass, mode)                 \
    PERF_SCOPES(pass, mode, exclusive, EXCLUSIVE) \
    PERF_SCOPES(pass, mode, cta, CTA)             \
    PERF_SCOPES(pass, mode, gpu, GPU)
#define PERF_PASSES(mode)           \
    PERF_SHARINGS(throughput, mode) \
    PERF_SHARINGS(latency, mode)

PERF_PASSES(put)
PERF_PASSES(get)
PERF_PASSES(put_signal)
PERF_PASSES(write)

#if !GPUNETIO_ON_CUDA
// Passes and modes in the order of kernels.rs.
#define ENTRIES(pass, mode, low)                                    \
    {&gpunetio_kernel_gpunetio_perf_##pass##_##mode##_##low##_thread, \
     &gpunetio_kernel_gpunetio_perf_##pass##_##mode##_##low##_warp}
#define SHARINGS(pass, mode) {ENTRIES(pass, mode, exclusive), ENTRIES(pass, mode, cta), ENTRIES(pass, mode, gpu)}
#define MODES(pass) {SHARINGS(pass, put), SHARINGS(pass, get), SHARINGS(pass, put_signal), SHARINGS(pass, write)}
static const struct gpunetio_cpu_kernel *const perf_kernels[2][4][3][2] = {MODES(throughput), MODES(latency)};

extern "C" const struct gpunetio_cpu_kernel *gpunetio_perf_kernel(uint32_t pass, uint32_t mode, uint32_t sharing,
                                                                  uint32_t scope) {
    return pass < 2 && mode < 4 && sharing < 3 && scope < 2 ? perf_kernels[pass][mode][sharing][scope] : nullptr;
}
#endif
