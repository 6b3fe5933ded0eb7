/*
 * The platform interface for a host C++17 compiler, on top of the CPU executor, and the CUDA names that kernels use.
 *
 * Threads of one block are fibers of one OS thread, so block scope needs no atomic instruction: a fiber is left only inside
 * an executor call. Device and system scope are other OS threads (blocks, and the software NIC), hence C++ atomics.
 */
#ifndef GPUNETIO_PLATFORM_CPU_H
#define GPUNETIO_PLATFORM_CPU_H

#include <stdio.h>
#include <string.h>

#include "gpunetio_cpu_executor.h"

#define GPUNETIO_DEVICE static inline __attribute__((always_inline, unused))
#define GPUNETIO_API inline __attribute__((always_inline))
/* What only waits and errors reach: kept out of the code of a post. */
#define GPUNETIO_SLOW inline __attribute__((noinline))
#define GPUNETIO_DYNAMIC_SHARED(type, name) type *const name = (type *)gpunetio_cpu_current->dynamic_shared

/* Static shared memory: a block stays on one OS thread and has it to itself. Uninitialized, as on a GPU. */
#define __shared__ static thread_local
#define __global__
#define __device__
#define __host__
#define __constant__ static const
#define __forceinline__ inline __attribute__((always_inline))
#define __launch_bounds__(...)

#define threadIdx (gpunetio_cpu_current->thread_idx)
#define blockIdx (gpunetio_cpu_current->block_idx)
#define blockDim (gpunetio_cpu_current->block_dim)
#define gridDim (gpunetio_cpu_current->grid_dim)
#define warpSize 32

/* Block scope and below: the fibers of one OS thread. */
struct gpunetio_at_fiber {
    template <typename T>
    static inline T load(const T *p) {
        return __atomic_load_n(p, __ATOMIC_RELAXED);
    }
    template <typename T>
    static inline T load_acquire(const T *p) {
        return __atomic_load_n(p, __ATOMIC_RELAXED);
    }
    template <typename T>
    static inline void store(T *p, T v) {
        __atomic_store_n(p, v, __ATOMIC_RELAXED);
    }
    template <typename T>
    static inline void store_release(T *p, T v) {
        __atomic_store_n(p, v, __ATOMIC_RELAXED);
    }
    template <typename T>
    static inline T add(T *p, T v) {
        T old = load(p);
        store(p, (T)(old + v));
        return old;
    }
    template <typename T>
    static inline T max(T *p, T v) {
        T old = load(p);
        if (v > old) store(p, v);
        return old;
    }
    template <typename T>
    static inline T cas(T *p, T expect, T v) {
        T old = load(p);
        if (old == expect) store(p, v);
        return old;
    }
    static inline void fence() { __atomic_signal_fence(__ATOMIC_SEQ_CST); }
};

/* Device scope and above: other OS threads. */
struct gpunetio_at_machine {
    template <typename T>
    static inline T load(const T *p) {
        return __atomic_load_n(p, __ATOMIC_RELAXED);
    }
    template <typename T>
    static inline T load_acquire(const T *p) {
        return __atomic_load_n(p, __ATOMIC_ACQUIRE);
    }
    template <typename T>
    static inline void store(T *p, T v) {
        __atomic_store_n(p, v, __ATOMIC_RELAXED);
    }
    template <typename T>
    static inline void store_release(T *p, T v) {
        __atomic_store_n(p, v, __ATOMIC_RELEASE);
    }
    template <typename T>
    static inline T add(T *p, T v) {
        return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
    }
    template <typename T>
    static inline T max(T *p, T v) {
        T old = __atomic_load_n(p, __ATOMIC_ACQUIRE);
        while (old < v && !__atomic_compare_exchange_n(p, &old, v, true, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE)) {
        }
        return old;
    }
    template <typename T>
    static inline T cas(T *p, T expect, T v) {
        __atomic_compare_exchange_n(p, &expect, v, false, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE);
        return expect;
    }
    static inline void fence() { __atomic_thread_fence(__ATOMIC_ACQ_REL); }
};

template <int scope>
struct gpunetio_at : gpunetio_at_machine {};
template <>
struct gpunetio_at<GPUNETIO_SCOPE_THREAD> : gpunetio_at_fiber {};
template <>
struct gpunetio_at<GPUNETIO_SCOPE_CTA> : gpunetio_at_fiber {};

GPUNETIO_DEVICE uint8_t gpunetio_load_sys_u8(const uint8_t *p) {
    return __atomic_load_n(p, __ATOMIC_RELAXED);
}
GPUNETIO_DEVICE void gpunetio_store_mmio_u64(uint64_t *p, uint64_t v) {
    __atomic_store_n(p, v, __ATOMIC_RELAXED);
}
GPUNETIO_DEVICE void gpunetio_store_mmio_u32(uint32_t *p, uint32_t v) {
    __atomic_store_n(p, v, __ATOMIC_RELAXED);
}
GPUNETIO_DEVICE void gpunetio_store_async_release_u64(uint64_t *p, uint64_t v) {
    __atomic_store_n(p, v, __ATOMIC_RELEASE);
}
GPUNETIO_DEVICE void gpunetio_store_async_release_u32(uint32_t *p, uint32_t v) {
    __atomic_store_n(p, v, __ATOMIC_RELEASE);
}
/* Relaxed atomic stores: a NIC that fetches a slot by mistake reads old or new words, never undefined behaviour. */
GPUNETIO_DEVICE void gpunetio_store_16(uint64_t *p, uint64_t lo, uint64_t hi) {
    __atomic_store_n(p, lo, __ATOMIC_RELAXED);
    __atomic_store_n(p + 1, hi, __ATOMIC_RELAXED);
}
/* The first eight bytes are the doorbell, so they go last; the release orders the other 56 before them, for the NIC thread
 * that reads the register with acquire. */
GPUNETIO_DEVICE void gpunetio_store_blueflame(uint64_t *reg, const uint64_t *wqe) {
    for (int i = 7; i > 0; i--) __atomic_store_n(reg + i, wqe[i], __ATOMIC_RELAXED);
    __atomic_store_n(reg, wqe[0], __ATOMIC_RELEASE);
}
/* Lanes run one after the other, so one lane stores all in that order. */
GPUNETIO_DEVICE void gpunetio_store_blueflame_warp(uint64_t *reg, const uint64_t *wqe, uint32_t lane) {
    if (lane == 0) gpunetio_store_blueflame(reg, wqe);
}

GPUNETIO_DEVICE uint16_t gpunetio_bswap16(uint16_t x) {
    return __builtin_bswap16(x);
}
GPUNETIO_DEVICE uint32_t gpunetio_bswap32(uint32_t x) {
    return __builtin_bswap32(x);
}
GPUNETIO_DEVICE uint64_t gpunetio_bswap64(uint64_t x) {
    return __builtin_bswap64(x);
}

GPUNETIO_DEVICE uint32_t gpunetio_lane_id() {
    return gpunetio_cpu_current->lane;
}
GPUNETIO_DEVICE uint32_t gpunetio_active_mask() {
    return gpunetio_cpu_current->solo ? 1 : gpunetio_cpu_active_mask();
}
GPUNETIO_DEVICE uint32_t gpunetio_popc(uint32_t x) {
    return (uint32_t)__builtin_popcount(x);
}
GPUNETIO_DEVICE uint32_t gpunetio_lowest_bit(uint32_t x) {
    return (uint32_t)__builtin_ctz(x);
}
GPUNETIO_DEVICE void gpunetio_sync_warp(uint32_t mask) {
    if (!gpunetio_cpu_current->solo) gpunetio_cpu_warp(GPUNETIO_CPU_WARP_SYNC, mask, 0, 0);
}
/* The lanes of a block share an OS thread: their accesses are in program order already. */
GPUNETIO_DEVICE void gpunetio_order_warp(uint32_t mask) {
    (void)mask;
}
GPUNETIO_DEVICE uint32_t gpunetio_ballot(uint32_t mask, bool pred) {
    if (gpunetio_cpu_current->solo) return pred ? 1 : 0;
    return (uint32_t)gpunetio_cpu_warp(GPUNETIO_CPU_WARP_BALLOT, mask, pred, 0);
}
GPUNETIO_DEVICE uint64_t gpunetio_shfl_u64(uint32_t mask, uint64_t v, uint32_t lane) {
    if (gpunetio_cpu_current->solo) return v;
    return gpunetio_cpu_warp(GPUNETIO_CPU_WARP_SHUFFLE, mask, v, lane);
}
GPUNETIO_DEVICE uint32_t gpunetio_shfl_u32(uint32_t mask, uint32_t v, uint32_t lane) {
    return (uint32_t)gpunetio_shfl_u64(mask, v, lane);
}
GPUNETIO_DEVICE uint32_t gpunetio_match_any_u64(uint32_t mask, uint64_t v) {
    if (gpunetio_cpu_current->solo) return 1;
    return (uint32_t)gpunetio_cpu_warp(GPUNETIO_CPU_WARP_MATCH, mask, v, 0);
}
GPUNETIO_DEVICE void gpunetio_sync_block() {
    if (!gpunetio_cpu_current->solo) gpunetio_cpu_block(GPUNETIO_CPU_BLOCK_SYNC, 0);
}
GPUNETIO_DEVICE uint64_t gpunetio_globaltimer() {
    return gpunetio_cpu_globaltimer();
}
GPUNETIO_DEVICE void gpunetio_relax() {
    gpunetio_cpu_relax();
}

#include "gpunetio_cuda_names.h"

#endif
