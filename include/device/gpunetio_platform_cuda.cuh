/*
 * The platform interface in PTX. Needs no CUDA header: nvcc, NVRTC, and clang with or without its CUDA wrappers.
 */
#ifndef GPUNETIO_PLATFORM_CUDA_CUH
#define GPUNETIO_PLATFORM_CUDA_CUH

#if !defined(__CUDACC_RTC__) && (!defined(__clang__) || defined(__CLANG_CUDA_RUNTIME_WRAPPER_H__))
#include <stdio.h>
#endif

#if defined(__clang__) && !defined(__CLANG_CUDA_RUNTIME_WRAPPER_H__)
/* clang -nocudainc: the attributes that CUDA's own headers would have named. */
#define __device__ __attribute__((device))
#define __global__ __attribute__((global))
#define __shared__ __attribute__((shared))
extern "C" __device__ int printf(const char *, ...);
#endif

#define GPUNETIO_DEVICE static __device__ inline __attribute__((always_inline))

/* A template's body on the device; the public API has external linkage. */
#define GPUNETIO_API __device__ inline __attribute__((always_inline))

/* What only waits and errors reach: kept out of the code of a post. */
#define GPUNETIO_SLOW __device__ inline __attribute__((noinline))

#define GPUNETIO_DYNAMIC_SHARED(type, name) extern __shared__ type name[]

/* The .mmio and .async forms are newer than the PTX that clang knows. */
#if defined(__clang__)
#define GPUNETIO_ST_MMIO "st.relaxed.sys"
#else
#define GPUNETIO_ST_MMIO "st.mmio.relaxed.sys.global"
#endif

template <int scope>
struct gpunetio_at;

/* Plain accesses: one thread, no other observer. The fence is one for the compiler only. */
template <>
struct gpunetio_at<GPUNETIO_SCOPE_THREAD> {
    template <typename T>
    static __device__ inline T load(const T *p) {
        return *p;
    }
    template <typename T>
    static __device__ inline T load_acquire(const T *p) {
        return *p;
    }
    template <typename T>
    static __device__ inline void store(T *p, T v) {
        *p = v;
    }
    template <typename T>
    static __device__ inline void store_release(T *p, T v) {
        *p = v;
    }
    template <typename T>
    static __device__ inline T add(T *p, T v) {
        T old = *p;
        *p = old + v;
        return old;
    }
    template <typename T>
    static __device__ inline T max(T *p, T v) {
        T old = *p;
        if (v > old) *p = v;
        return old;
    }
    template <typename T>
    static __device__ inline T cas(T *p, T expect, T v) {
        T old = *p;
        if (old == expect) *p = v;
        return old;
    }
    static __device__ inline void fence() { asm volatile("" ::: "memory"); }
};

/* One specialization per PTX scope. add is relaxed; max and cas are acquire and release. */
#define GPUNETIO_PTX_OPS(s, T, S, U, B, R)                                                                 \
    static __device__ inline T load(const T *p) {                                                          \
        T v;                                                                                               \
        asm volatile("ld.relaxed." s "." U " %0, [%1];" : "=" R(v) : "l"(p) : "memory");                   \
        return v;                                                                                          \
    }                                                                                                      \
    static __device__ inline T load_acquire(const T *p) {                                                  \
        T v;                                                                                               \
        asm volatile("ld.acquire." s "." U " %0, [%1];" : "=" R(v) : "l"(p) : "memory");                   \
        return v;                                                                                          \
    }                                                                                                      \
    static __device__ inline void store(T *p, T v) {                                                       \
        asm volatile("st.relaxed." s "." U " [%0], %1;" ::"l"(p), R(v) : "memory");                        \
    }                                                                                                      \
    static __device__ inline void store_release(T *p, T v) {                                               \
        asm volatile("st.release." s "." U " [%0], %1;" ::"l"(p), R(v) : "memory");                        \
    }                                                                                                      \
    static __device__ inline T add(T *p, T v) {                                                            \
        T old;                                                                                             \
        asm volatile("atom.relaxed." s ".add." U " %0, [%1], %2;" : "=" R(old) : "l"(p), R(v) : "memory"); \
        return old;                                                                                        \
    }                                                                                                      \
    static __device__ inline T max(T *p, T v) {                                                            \
        T old;                                                                                             \
        asm volatile("atom.acq_rel." s ".max." S " %0, [%1], %2;" : "=" R(old) : "l"(p), R(v) : "memory"); \
        return old;                                                                                        \
    }                                                                                                      \
    static __device__ inline T cas(T *p, T expect, T v) {                                                  \
        T old;                                                                                             \
        asm volatile("atom.acq_rel." s ".cas." B " %0, [%1], %2, %3;"                                      \
                     : "=" R(old)                                                                          \
                     : "l"(p), R(expect), R(v)                                                             \
                     : "memory");                                                                          \
        return old;                                                                                        \
    }

/* uint64_t is `unsigned long` under nvcc and `unsigned long long` under NVRTC: both are given. */
#define GPUNETIO_PTX_SCOPE(scope, s)                                                                 \
    template <>                                                                                      \
    struct gpunetio_at<scope> {                                                                      \
        GPUNETIO_PTX_OPS(s, int, "s32", "u32", "b32", "r")                                           \
        GPUNETIO_PTX_OPS(s, unsigned int, "u32", "u32", "b32", "r")                                  \
        GPUNETIO_PTX_OPS(s, unsigned long, "u64", "u64", "b64", "l")                                 \
        GPUNETIO_PTX_OPS(s, unsigned long long, "u64", "u64", "b64", "l")                            \
        static __device__ inline void fence() { asm volatile("fence.acq_rel." s ";" ::: "memory"); } \
    }

GPUNETIO_PTX_SCOPE(GPUNETIO_SCOPE_CTA, "cta");
GPUNETIO_PTX_SCOPE(GPUNETIO_SCOPE_GPU, "gpu");
GPUNETIO_PTX_SCOPE(GPUNETIO_SCOPE_SYS, "sys");

GPUNETIO_DEVICE uint8_t gpunetio_load_sys_u8(const uint8_t *p) {
    unsigned int v;
    asm volatile("ld.relaxed.sys.u8 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
    return (uint8_t)v;
}

/* Device registers: every store reaches the bus once and whole. */
GPUNETIO_DEVICE void gpunetio_store_mmio_u64(uint64_t *p, uint64_t v) {
    asm volatile(GPUNETIO_ST_MMIO ".u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
}
GPUNETIO_DEVICE void gpunetio_store_mmio_u32(uint32_t *p, uint32_t v) {
    asm volatile(GPUNETIO_ST_MMIO ".u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
}

/* A store that the hardware releases by itself: the thread goes on. Compute capability 10.0 and up; else release, then store. */
GPUNETIO_DEVICE void gpunetio_store_async_release_u64(uint64_t *p, uint64_t v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000 && !defined(__clang__)
    asm volatile("st.async.mmio.release.sys.global.u64 [%0], %1;" ::"l"(p), "l"(v) : "memory");
#else
    gpunetio_at<GPUNETIO_SCOPE_SYS>::fence();
    gpunetio_store_mmio_u64(p, v);
#endif
}
GPUNETIO_DEVICE void gpunetio_store_async_release_u32(uint32_t *p, uint32_t v) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 1000 && !defined(__clang__)
    asm volatile("st.async.mmio.release.sys.global.u32 [%0], %1;" ::"l"(p), "r"(v) : "memory");
#else
    gpunetio_at<GPUNETIO_SCOPE_SYS>::fence();
    gpunetio_store_mmio_u32(p, v);
#endif
}

/* 16 bytes in one store; p is 16-byte aligned. */
GPUNETIO_DEVICE void gpunetio_store_16(uint64_t *p, uint64_t lo, uint64_t hi) {
    asm volatile("st.v2.u64 [%0], {%1, %2};" ::"l"(p), "l"(lo), "l"(hi) : "memory");
}

/*
 * 64 bytes of a WQE to a BlueFlame register: one bus write from shared memory (compute capability 9.0 and up), else eight, the
 * first eight bytes, which are the doorbell, issued last. PTX does not order the eight, and the NIC does not need it: one that
 * gets the register in parts takes the doorbell and fetches the WQE from the queue, which the caller's fence has made visible.
 */
GPUNETIO_DEVICE void gpunetio_store_blueflame(uint64_t *reg, const uint64_t *wqe) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
    unsigned int in_shared;
    asm("{ .reg .pred p; isspacep.shared p, %1; selp.u32 %0, 1, 0, p; }" : "=r"(in_shared) : "l"(wqe));
    if (in_shared) {
        /* The bulk copy reads shared memory through the async proxy: the proxy fence orders our WQE stores before it. */
        uint64_t src;
        asm("cvta.to.shared.u64 %0, %1;" : "=l"(src) : "l"(wqe));
        asm volatile("fence.proxy.async;" ::: "memory");
        asm volatile("cp.async.bulk.global.shared::cta.bulk_group [%0], [%1], 64;" ::"l"(reg), "r"((unsigned int)src)
                     : "memory");
        asm volatile("cp.async.bulk.commit_group;" ::: "memory");
        asm volatile("cp.async.bulk.wait_group 0;" ::: "memory");
        return;
    }
#endif
    for (int i = 7; i >= 0; i--) gpunetio_store_mmio_u64(reg + i, wqe[i]);
}
/* The same by the first eight lanes of a warp, in one instruction: one write of 64 bytes where the bus keeps it whole. */
GPUNETIO_DEVICE void gpunetio_store_blueflame_warp(uint64_t *reg, const uint64_t *wqe, uint32_t lane) {
    if (lane < 8) gpunetio_store_mmio_u64(reg + lane, wqe[lane]);
}

GPUNETIO_DEVICE uint32_t gpunetio_bswap32(uint32_t x) {
    uint32_t r;
    asm("prmt.b32 %0, %1, 0, 0x0123;" : "=r"(r) : "r"(x));
    return r;
}
GPUNETIO_DEVICE uint64_t gpunetio_bswap64(uint64_t x) {
    return ((uint64_t)gpunetio_bswap32((uint32_t)x) << 32) | gpunetio_bswap32((uint32_t)(x >> 32));
}
GPUNETIO_DEVICE uint16_t gpunetio_bswap16(uint16_t x) {
    return (uint16_t)((x << 8) | (x >> 8));
}

GPUNETIO_DEVICE uint32_t gpunetio_lane_id() {
    uint32_t v;
    asm("mov.u32 %0, %%laneid;" : "=r"(v));
    return v;
}
GPUNETIO_DEVICE uint32_t gpunetio_active_mask() {
    uint32_t v;
    asm volatile("activemask.b32 %0;" : "=r"(v));
    return v;
}
GPUNETIO_DEVICE uint32_t gpunetio_popc(uint32_t x) {
    uint32_t r;
    asm("popc.b32 %0, %1;" : "=r"(r) : "r"(x));
    return r;
}
/* Index of the lowest set bit; x is not 0. */
GPUNETIO_DEVICE uint32_t gpunetio_lowest_bit(uint32_t x) {
    uint32_t r;
    asm("{ .reg .b32 t; brev.b32 t, %1; bfind.shiftamt.u32 %0, t; }" : "=r"(r) : "r"(x));
    return r;
}
GPUNETIO_DEVICE void gpunetio_sync_warp(uint32_t mask) {
    asm volatile("bar.warp.sync %0;" ::"r"(mask) : "memory");
}
/* Orders the accesses of lanes that are at one place already. */
GPUNETIO_DEVICE void gpunetio_order_warp(uint32_t mask) {
    gpunetio_sync_warp(mask);
}
GPUNETIO_DEVICE uint32_t gpunetio_ballot(uint32_t mask, bool pred) {
    uint32_t r;
    asm volatile("{ .reg .pred p; setp.ne.u32 p, %1, 0; vote.sync.ballot.b32 %0, p, %2; }"
                 : "=r"(r)
                 : "r"((uint32_t)pred), "r"(mask)
                 : "memory");
    return r;
}
GPUNETIO_DEVICE uint32_t gpunetio_shfl_u32(uint32_t mask, uint32_t v, uint32_t lane) {
    uint32_t r;
    asm volatile("shfl.sync.idx.b32 %0, %1, %2, 0x1f, %3;" : "=r"(r) : "r"(v), "r"(lane), "r"(mask) : "memory");
    return r;
}
GPUNETIO_DEVICE uint64_t gpunetio_shfl_u64(uint32_t mask, uint64_t v, uint32_t lane) {
    uint32_t lo = gpunetio_shfl_u32(mask, (uint32_t)v, lane);
    uint32_t hi = gpunetio_shfl_u32(mask, (uint32_t)(v >> 32), lane);
    return ((uint64_t)hi << 32) | lo;
}
GPUNETIO_DEVICE uint32_t gpunetio_match_any_u64(uint32_t mask, uint64_t v) {
    uint32_t r;
    asm volatile("match.any.sync.b64 %0, %1, %2;" : "=r"(r) : "l"(v), "r"(mask) : "memory");
    return r;
}
GPUNETIO_DEVICE void gpunetio_sync_block() {
    asm volatile("bar.sync 0;" ::: "memory");
}

/* Nanoseconds of the device-wide clock. */
GPUNETIO_DEVICE uint64_t gpunetio_globaltimer() {
    uint64_t v;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(v));
    return v;
}

/* Called in every turn of every wait loop. Independent thread scheduling already lets the other lanes run. */
GPUNETIO_DEVICE void gpunetio_relax() {
}

#endif
