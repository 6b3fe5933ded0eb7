// Every call of the one-sided and low-level API once, on a QP image of known contents: the calls that data/wqe_vectors.jsonl was
// recorded with. Exported to the CPU executor as a table.
#include "doca_gpunetio_device.h"

typedef struct doca_gpu_dev_verbs_qp QP;
typedef struct doca_gpu_dev_verbs_addr ADDR;
typedef uint64_t TK;
#define SHARE(x) DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_##x
#define HANDLER(x) DOCA_GPUNETIO_VERBS_NIC_HANDLER_##x
#define EXEC(x) DOCA_GPUNETIO_VERBS_EXEC_SCOPE_##x
#define OPCODE(x) DOCA_GPUNETIO_IB_MLX5_OPCODE_##x
#define ADD DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD
#define CE DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CQ_UPDATE
#define CEF DOCA_GPUNETIO_IB_MLX5_WQE_CTRL_CQ_UPDATE_FENCE

#define RA (ADDR{0x1122334455667788ull, 0x01020304u})
#define LA (ADDR{0x8877665544332211ull, 0x0a0b0c0du})
#define SA (ADDR{0x1000200030004000ull, 0x11121314u})
#define SL (ADDR{0x5000600070008000ull, 0x21222324u})
#define CA (ADDR{0x0000111122223333ull, 0x31323334u})
#define CL (ADDR{0x4444555566667777ull, 0x41424344u})

// qp: the QP; cp: its companion; t: ticket out; src: bytes to send inline; i: first reserved index.
#define CASE(name, ...)                                                 \
    __global__ void case_##name(QP *qp, QP *cp, TK *t, uint64_t *src) { \
        uint64_t i = qp->sq_rsvd_index;                                 \
        (void)i, (void)cp, (void)t, (void)src;                          \
        __VA_ARGS__                                                     \
    }                                                                   \
    GPUNETIO_CPU_KERNEL_AS(golden_##name, case_##name);
#define WQE(k) doca_gpu_dev_verbs_get_wqe_ptr(qp, (uint16_t)(i + k))
#define RESERVE(mode, n) i = doca_gpu_dev_verbs_reserve_wq_slots<SHARE(mode)>(qp, n)

CASE(prepare_nop, {
    RESERVE(EXCLUSIVE, 1);
    doca_gpu_dev_verbs_wqe_prepare_nop(qp, WQE(0), i, CE);
    *t = i;
})
CASE(prepare_write_1sge, {
    RESERVE(EXCLUSIVE, 1);
    doca_gpu_dev_verbs_wqe_prepare_write(qp, WQE(0), i, OPCODE(RDMA_WRITE), CE, 0, RA.addr, RA.key, LA.addr, LA.key,
                                         0x1234);
    *t = i;
})
CASE(prepare_write_imm, {
    RESERVE(EXCLUSIVE, 1);
    doca_gpu_dev_verbs_wqe_prepare_write(qp, WQE(0), i, OPCODE(RDMA_WRITE_IMM), CE, 0xcafebabe, RA.addr, RA.key,
                                         LA.addr, LA.key, 64);
    *t = i;
})
CASE(prepare_write_2sge, {
    RESERVE(EXCLUSIVE, 1);
    doca_gpu_dev_verbs_wqe_prepare_write(qp, WQE(0), i, OPCODE(RDMA_WRITE), CEF, 0, RA.addr, RA.key, LA.addr, LA.key,
                                         100, SL.addr, SL.key, 200);
    *t = i;
})
CASE(prepare_write_inl_8, {
    RESERVE(EXCLUSIVE, 1);
    doca_gpu_dev_verbs_wqe_prepare_write_inl(qp, WQE(0), i, CE, RA.addr, RA.key, (uint64_t)src, 8);
    *t = i;
})
CASE(prepare_write_inl_13, {
    RESERVE(EXCLUSIVE, 1);
    doca_gpu_dev_verbs_wqe_prepare_write_inl(qp, WQE(0), i, CE, RA.addr, RA.key, (uint64_t)src, 13);
    *t = i;
})
CASE(prepare_write_inl_28, {
    RESERVE(EXCLUSIVE, 1);
    doca_gpu_dev_verbs_wqe_prepare_write_inl(qp, WQE(0), i, CE, RA.addr, RA.key, (uint64_t)src, 28);
    *t = i;
})
CASE(prepare_read_1sge, {
    RESERVE(EXCLUSIVE, 1);
    doca_gpu_dev_verbs_wqe_prepare_read(qp, WQE(0), i, CE, RA.addr, RA.key, LA.addr, LA.key, 4096);
    *t = i;
})
CASE(prepare_read_2sge, {
    RESERVE(EXCLUSIVE, 1);
    doca_gpu_dev_verbs_wqe_prepare_read(qp, WQE(0), i, CE, RA.addr, RA.key, LA.addr, LA.key, 100, SL.addr, SL.key, 200);
    *t = i;
})
CASE(prepare_atomic_fa, {
    RESERVE(EXCLUSIVE, 1);
    doca_gpu_dev_verbs_wqe_prepare_atomic(qp, WQE(0), i, OPCODE(ATOMIC_FA), CE, RA.addr, RA.key, LA.addr, LA.key, 8,
                                          0x0102030405060708ull, 0);
    *t = i;
})
CASE(prepare_atomic_cs, {
    RESERVE(EXCLUSIVE, 1);
    doca_gpu_dev_verbs_wqe_prepare_atomic(qp, WQE(0), i, OPCODE(ATOMIC_CS), CE, RA.addr, RA.key, LA.addr, LA.key, 8,
                                          0x0102030405060708ull, 0x1112131415161718ull);
    *t = i;
})
CASE(prepare_mfa_4, {
    RESERVE(EXCLUSIVE, 1);
    doca_gpu_dev_verbs_wqe_prepare_atomic_ext<DOCA_GPUNETIO_VERBS_ATOMIC_EXT_BYTES_4>(
        qp, WQE(0), WQE(1), i, OPCODE(ATOMIC_MASKED_FA), CE, RA.addr, RA.key, LA.addr, LA.key, 0x01020304, 0x80000000,
        0, 0, 0, 0);
    *t = i;
})
CASE(prepare_mfa_8, {
    RESERVE(EXCLUSIVE, 1);
    doca_gpu_dev_verbs_wqe_prepare_atomic_ext<DOCA_GPUNETIO_VERBS_ATOMIC_EXT_BYTES_8>(
        qp, WQE(0), WQE(1), i, OPCODE(ATOMIC_MASKED_FA), CE, RA.addr, RA.key, LA.addr, LA.key, 0x0102030405060708ull,
        0x8000000000000000ull, 0, 0, 0, 0);
    *t = i;
})
CASE(prepare_mcs_4, {
    RESERVE(EXCLUSIVE, 1);
    doca_gpu_dev_verbs_wqe_prepare_atomic_ext<DOCA_GPUNETIO_VERBS_ATOMIC_EXT_BYTES_4>(
        qp, WQE(0), WQE(1), i, OPCODE(ATOMIC_MASKED_CS), CE, RA.addr, RA.key, LA.addr, LA.key, 0, 0, 0x01020304,
        0x05060708, 0x090a0b0c, 0x0d0e0f10);
    *t = i;
})
CASE(prepare_mcs_8, {
    RESERVE(EXCLUSIVE, 2);
    doca_gpu_dev_verbs_wqe_prepare_atomic_ext<DOCA_GPUNETIO_VERBS_ATOMIC_EXT_BYTES_8>(
        qp, WQE(0), WQE(1), i, OPCODE(ATOMIC_MASKED_CS), CE, RA.addr, RA.key, LA.addr, LA.key, 0, 0,
        0x0102030405060708ull, 0x1112131415161718ull, 0x2122232425262728ull, 0x3132333435363738ull);
    *t = i;
})
CASE(prepare_wait, {
    RESERVE(EXCLUSIVE, 1);
    doca_gpu_dev_verbs_wqe_prepare_wait(qp, WQE(0), i, (enum doca_gpu_dev_verbs_wqe_ctrl_flags)0, 0x00abcdef,
                                        0x00fedcba);
    *t = i;
})
CASE(prepare_dump, {
    RESERVE(EXCLUSIVE, 1);
    doca_gpu_dev_verbs_wqe_prepare_dump(qp, WQE(0), i, CE, LA.addr, LA.key, 1);
    *t = i;
})
CASE(prepare_inl_header_4, {
    RESERVE(EXCLUSIVE, 1);
    doca_gpu_dev_verbs_prepare_inl_rdma_write_wqe_header(qp, WQE(0), i, CE, RA.addr, RA.key, 4);
    doca_gpu_dev_verbs_prepare_inl_rdma_write_wqe_data<uint32_t>(qp, WQE(0), 0xdeadbeefu);
    *t = i;
})
CASE(prepare_inl_header_1, {
    RESERVE(EXCLUSIVE, 1);
    doca_gpu_dev_verbs_prepare_inl_rdma_write_wqe_header(qp, WQE(0), i, CE, RA.addr, RA.key, 1);
    doca_gpu_dev_verbs_prepare_inl_rdma_write_wqe_data<uint8_t>(qp, WQE(0), (uint8_t)0x5c);
    *t = i;
})
CASE(submit_exclusive_db, {
    RESERVE(EXCLUSIVE, 3);
    for (int k = 0; k < 3; k++) doca_gpu_dev_verbs_wqe_prepare_nop(qp, WQE(k), i + k, CE);
    doca_gpu_dev_verbs_submit<SHARE(EXCLUSIVE), DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU, HANDLER(GPU_SM_DB)>(qp, i + 3);
    *t = i + 2;
})
CASE(submit_gpu_db, {
    RESERVE(GPU, 2);
    for (int k = 0; k < 2; k++) doca_gpu_dev_verbs_wqe_prepare_nop(qp, WQE(k), i + k, CE);
    doca_gpu_dev_verbs_mark_wqes_ready<SHARE(GPU)>(qp, i, i + 1);
    doca_gpu_dev_verbs_submit<SHARE(GPU), DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU, HANDLER(GPU_SM_DB)>(qp, i + 2);
    *t = i + 1;
})
CASE(submit_no_dbr, {
    RESERVE(GPU, 1);
    doca_gpu_dev_verbs_wqe_prepare_nop(qp, WQE(0), i, CE);
    doca_gpu_dev_verbs_mark_wqes_ready<SHARE(GPU)>(qp, i, i);
    doca_gpu_dev_verbs_submit<SHARE(GPU), DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU, HANDLER(GPU_SM_NO_DBR)>(qp, i + 1);
    *t = i;
})
CASE(submit_proxy, {
    RESERVE(GPU, 1);
    doca_gpu_dev_verbs_wqe_prepare_nop(qp, WQE(0), i, CE);
    doca_gpu_dev_verbs_mark_wqes_ready<SHARE(GPU)>(qp, i, i);
    doca_gpu_dev_verbs_submit<SHARE(GPU), DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU, HANDLER(CPU_PROXY)>(qp, i + 1);
    *t = i;
})
CASE(submit_proxy_update_pi, {
    RESERVE(GPU, 1);
    doca_gpu_dev_verbs_wqe_prepare_nop(qp, WQE(0), i, CE);
    doca_gpu_dev_verbs_mark_wqes_ready<SHARE(GPU)>(qp, i, i);
    doca_gpu_dev_verbs_submit<SHARE(GPU), DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU, HANDLER(CPU_PROXY)>(
        qp, i + 1, DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_CPU_PROXY_UPDATE_PI);
    *t = i;
})
CASE(put_skip_db, {
    doca_gpu_dev_verbs_put<SHARE(GPU), HANDLER(GPU_SM_DB), EXEC(THREAD)>(
        qp, RA, LA, 77, t, DOCA_GPUNETIO_VERBS_GPU_CODE_OPT_SKIP_DB_RINGING);
})
CASE(put_thread, { doca_gpu_dev_verbs_put<SHARE(GPU), HANDLER(GPU_SM_DB), EXEC(THREAD)>(qp, RA, LA, 4096, t); })
CASE(put_thread_zero, { doca_gpu_dev_verbs_put<SHARE(GPU), HANDLER(GPU_SM_DB), EXEC(THREAD)>(qp, RA, LA, 0, t); })
CASE(put_thread_1GiB_plus_1,
     { doca_gpu_dev_verbs_put<SHARE(GPU), HANDLER(GPU_SM_DB), EXEC(THREAD)>(qp, RA, LA, (1ull << 30) + 1, t); })
CASE(put_exclusive,
     { doca_gpu_dev_verbs_put<SHARE(EXCLUSIVE), HANDLER(GPU_SM_DB), EXEC(THREAD)>(qp, RA, LA, 4096, t); })
CASE(put_cta, { doca_gpu_dev_verbs_put<SHARE(CTA), HANDLER(GPU_SM_DB), EXEC(THREAD)>(qp, RA, LA, 4096, t); })
CASE(put_warp, {
    TK m = 0;
    ADDR r = RA, l = LA;
    r.addr += threadIdx.x * 256;
    l.addr += threadIdx.x * 256;
    doca_gpu_dev_verbs_put<SHARE(GPU), HANDLER(GPU_SM_DB), EXEC(WARP)>(qp, r, l, 256, &m);
    if (threadIdx.x == 0) *t = m;
})
CASE(p_u64, {
    doca_gpu_dev_verbs_p<uint64_t, SHARE(GPU), HANDLER(GPU_SM_DB), EXEC(THREAD)>(qp, RA, 0x0123456789abcdefull, t);
})
CASE(p_u32, { doca_gpu_dev_verbs_p<uint32_t, SHARE(GPU), HANDLER(GPU_SM_DB), EXEC(THREAD)>(qp, RA, 0x89abcdefu, t); })
CASE(p_warp_u64, {
    TK m = 0;
    ADDR r = RA;
    r.addr += threadIdx.x * 8;
    doca_gpu_dev_verbs_p<uint64_t, SHARE(GPU), HANDLER(GPU_SM_DB), EXEC(WARP)>(qp, r, (uint64_t)threadIdx.x + 1, &m);
    if (threadIdx.x == 0) *t = m;
})
CASE(put_signal_thread, {
    doca_gpu_dev_verbs_put_signal<ADD, SHARE(GPU), HANDLER(GPU_SM_DB), EXEC(THREAD)>(qp, RA, LA, 512, SA, SL, 3, t);
})
CASE(put_signal_2GiB, {
    doca_gpu_dev_verbs_put_signal<ADD, SHARE(GPU), HANDLER(GPU_SM_DB), EXEC(THREAD)>(qp, RA, LA, 2ull << 30, SA, SL, 3,
                                                                                     t);
})
CASE(p_signal_u64, {
    doca_gpu_dev_verbs_p_signal<uint64_t, ADD, SHARE(GPU), HANDLER(GPU_SM_DB)>(qp, RA, 0x1111222233334444ull, SA, SL, 5,
                                                                               t);
})
CASE(signal_thread, { doca_gpu_dev_verbs_signal<ADD, SHARE(GPU), HANDLER(GPU_SM_DB), EXEC(THREAD)>(qp, SA, SL, 9, t); })
CASE(get_thread, { doca_gpu_dev_verbs_get<SHARE(GPU), HANDLER(GPU_SM_DB), EXEC(THREAD)>(qp, RA, LA, 4096, SL, t); })
CASE(get_thread_zero, { doca_gpu_dev_verbs_get<SHARE(GPU), HANDLER(GPU_SM_DB), EXEC(THREAD)>(qp, RA, LA, 0, SL, t); })
CASE(get_thread_mcst, {
    doca_gpu_dev_verbs_get<SHARE(GPU), HANDLER(GPU_SM_DB), EXEC(THREAD), DOCA_GPUNETIO_VERBS_MCST_ENABLED>(qp, RA, LA,
                                                                                                           4096, SL, t);
})
CASE(get_thread_3GiB,
     { doca_gpu_dev_verbs_get<SHARE(GPU), HANDLER(GPU_SM_DB), EXEC(THREAD)>(qp, RA, LA, 3ull << 30, SL, t); })
CASE(get_warp, {
    TK m = 0;
    ADDR r = RA, l = LA;
    r.addr += threadIdx.x * 64;
    l.addr += threadIdx.x * 64;
    doca_gpu_dev_verbs_get<SHARE(GPU), HANDLER(GPU_SM_DB), EXEC(WARP)>(qp, r, l, 64, SL, &m);
    if (threadIdx.x == 0) *t = m;
})
CASE(mcst, { doca_gpu_dev_verbs_mcst<SHARE(GPU), HANDLER(GPU_SM_DB)>(qp, SL, t); })
CASE(put_counter, { doca_gpu_dev_verbs_put_counter<SHARE(GPU), HANDLER(GPU_SM_DB)>(qp, RA, LA, 512, cp, CA, CL, 7); })
CASE(p_counter_u64,
     { doca_gpu_dev_verbs_p_counter<uint64_t, SHARE(GPU), HANDLER(GPU_SM_DB)>(qp, RA, 0x99, cp, CA, CL, 7); })
CASE(put_signal_counter, {
    doca_gpu_dev_verbs_put_signal_counter<ADD, SHARE(GPU), HANDLER(GPU_SM_DB)>(qp, RA, LA, 512, SA, SL, 3, cp, CA, CL,
                                                                               7);
})
CASE(signal_counter,
     { doca_gpu_dev_verbs_signal_counter<ADD, SHARE(GPU), HANDLER(GPU_SM_DB)>(qp, SA, SL, 3, cp, CA, CL, 7); })
CASE(get_counter, { doca_gpu_dev_verbs_get_counter<SHARE(GPU), HANDLER(GPU_SM_DB)>(qp, RA, LA, 512, cp, CA, CL, 7); })

/// A case as the test reads it.
struct golden_case {
    const char *name;
    const struct gpunetio_cpu_kernel *kernel;
    uint32_t threads;
};
#define ENTRY(name, threads) {#name, &gpunetio_kernel_golden_##name, threads}
extern "C" {
extern const struct golden_case gpunetio_golden_cases[];
extern const uint32_t gpunetio_golden_count;
const struct golden_case gpunetio_golden_cases[] = {
    ENTRY(prepare_nop, 1),
    ENTRY(prepare_write_1sge, 1),
    ENTRY(prepare_write_imm, 1),
    ENTRY(prepare_write_2sge, 1),
    ENTRY(prepare_write_inl_8, 1),
    ENTRY(prepare_write_inl_13, 1),
    ENTRY(prepare_write_inl_28, 1),
    ENTRY(prepare_read_1sge, 1),
    ENTRY(prepare_read_2sge, 1),
    ENTRY(prepare_atomic_fa, 1),
    ENTRY(prepare_atomic_cs, 1),
    ENTRY(prepare_mfa_4, 1),
    ENTRY(prepare_mfa_8, 1),
    ENTRY(prepare_mcs_4, 1),
    ENTRY(prepare_mcs_8, 1),
    ENTRY(prepare_wait, 1),
    ENTRY(prepare_dump, 1),
    ENTRY(prepare_inl_header_4, 1),
    ENTRY(prepare_inl_header_1, 1),
    ENTRY(submit_exclusive_db, 1),
    ENTRY(submit_gpu_db, 1),
    ENTRY(submit_no_dbr, 1),
    ENTRY(submit_proxy, 1),
    ENTRY(submit_proxy_update_pi, 1),
    ENTRY(put_skip_db, 1),
    ENTRY(put_thread, 1),
    ENTRY(put_thread_zero, 1),
    ENTRY(put_thread_1GiB_plus_1, 1),
    ENTRY(put_exclusive, 1),
    ENTRY(put_cta, 1),
    ENTRY(put_warp, 32),
    ENTRY(p_u64, 1),
    ENTRY(p_u32, 1),
    ENTRY(p_warp_u64, 32),
    ENTRY(put_signal_thread, 1),
    ENTRY(put_signal_2GiB, 1),
    ENTRY(p_signal_u64, 1),
    ENTRY(signal_thread, 1),
    ENTRY(get_thread, 1),
    ENTRY(get_thread_zero, 1),
    ENTRY(get_thread_mcst, 1),
    ENTRY(get_thread_3GiB, 1),
    ENTRY(get_warp, 32),
    ENTRY(mcst, 1),
    ENTRY(put_counter, 1),
    ENTRY(p_counter_u64, 1),
    ENTRY(put_signal_counter, 1),
    ENTRY(signal_counter, 1),
    ENTRY(get_counter, 1),
};
const uint32_t gpunetio_golden_count = sizeof(gpunetio_golden_cases) / sizeof(gpunetio_golden_cases[0]);
}
