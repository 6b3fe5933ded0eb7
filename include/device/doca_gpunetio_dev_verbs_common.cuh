/*
 * Building blocks of the device API: byte order, ordered and register stores, fences, atomics by sharing mode, locks, copies.
 */
#ifndef DOCA_GPUNETIO_DEV_VERBS_COMMON_CUH
#define DOCA_GPUNETIO_DEV_VERBS_COMMON_CUH

#include "../common/doca_gpunetio_verbs_dev.h"
#include "gpunetio_platform.cuh"

/** What the polling functions return besides 0. Numbers are errno's, which NVRTC has no header for. */
enum {
    GPUNETIO_DEV_EIO = 5,         /**< poll returns -EIO: the work, or work before it, ended in an error CQE */
    GPUNETIO_DEV_EBUSY = 16,      /**< poll_one returns EBUSY: not yet */
    GPUNETIO_DEV_EINVAL = 22,     /**< -EINVAL: more slots asked for than the queue has, or their index polled */
    GPUNETIO_DEV_ETIMEDOUT = 110, /**< the bounded forms return ETIMEDOUT: not within the time given */
};

/** No time limit, for the bounded forms. */
#define GPUNETIO_DEV_FOREVER (~0ull)

/** What reserve_wq_slots returns for more slots than the queue has: no index of a queue is as large. */
#define GPUNETIO_DEV_NO_SLOTS (1ull << 63)

/** Memory scope over which posters of a QP meet. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode mode>
struct gpunetio_sharing {
    static constexpr int scope = mode == DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE ? GPUNETIO_SCOPE_THREAD
                                 : mode == DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA     ? GPUNETIO_SCOPE_CTA
                                                                                             : GPUNETIO_SCOPE_GPU;
    static constexpr bool exclusive = scope == GPUNETIO_SCOPE_THREAD;
};

/**
 * Memory scope over which pollers of a CQ meet: at least the block, for an EXCLUSIVE queue may belong to a warp, whose lanes poll
 * each for itself.
 */
template <enum doca_gpu_dev_verbs_resource_sharing_mode mode>
struct gpunetio_polling {
    static constexpr int scope =
        gpunetio_sharing<mode>::exclusive ? (int)GPUNETIO_SCOPE_CTA : (int)gpunetio_sharing<mode>::scope;
};

/** Memory scope of a fence of the public API. */
template <enum doca_gpu_dev_verbs_sync_scope sync_scope>
struct gpunetio_sync {
    static constexpr int scope = sync_scope == DOCA_GPUNETIO_VERBS_SYNC_SCOPE_THREAD ? GPUNETIO_SCOPE_THREAD
                                 : sync_scope == DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA  ? GPUNETIO_SCOPE_CTA
                                 : sync_scope == DOCA_GPUNETIO_VERBS_SYNC_SCOPE_GPU  ? GPUNETIO_SCOPE_GPU
                                                                                     : GPUNETIO_SCOPE_SYS;
};

typedef gpunetio_at<GPUNETIO_SCOPE_SYS> gpunetio_at_sys;

/** Nanoseconds of the device-wide clock. */
GPUNETIO_API uint64_t doca_gpu_dev_verbs_query_globaltimer() {
    return gpunetio_globaltimer();
}
/** Index of the calling lane in its warp. */
GPUNETIO_API unsigned int doca_gpu_dev_verbs_get_lane_id() {
    return gpunetio_lane_id();
}
/** Byte order swap of 8, 4 and 2 bytes. */
GPUNETIO_API uint64_t doca_gpu_dev_verbs_bswap64(uint64_t x) {
    return gpunetio_bswap64(x);
}
GPUNETIO_API uint32_t doca_gpu_dev_verbs_bswap32(uint32_t x) {
    return gpunetio_bswap32(x);
}
GPUNETIO_API uint16_t doca_gpu_dev_verbs_bswap16(uint16_t x) {
    return gpunetio_bswap16(x);
}

/** A store to a device register, ordered with nothing. */
GPUNETIO_API void doca_gpu_dev_verbs_store_relaxed_mmio(uint64_t *ptr, uint64_t val) {
    gpunetio_store_mmio_u64(ptr, val);
}
/** A store to a device register after every earlier store of this thread. The fence's partner is the device behind ptr. */
GPUNETIO_API void doca_gpu_dev_verbs_store_release_mmio(uint64_t *ptr, uint64_t val) {
    gpunetio_at_sys::fence();
    gpunetio_store_mmio_u64(ptr, val);
}
GPUNETIO_API void doca_gpu_dev_verbs_store_release_mmio(uint32_t *ptr, uint32_t val) {
    gpunetio_at_sys::fence();
    gpunetio_store_mmio_u32(ptr, val);
}
/** Orders later accesses after earlier loads, at the scope given; the partner is a release at that scope. */
template <enum doca_gpu_dev_verbs_sync_scope sync_scope>
GPUNETIO_API void doca_gpu_dev_verbs_fence_acquire() {
    gpunetio_at<gpunetio_sync<sync_scope>::scope>::fence();
}
/** Orders what the NIC wrote before a CQE before our later loads. The partner is the NIC's write order: data, then CQE. */
GPUNETIO_API void doca_gpu_dev_verbs_fence_acquire_nvidia_nic() {
    gpunetio_at_sys::fence();
}
/** Orders earlier accesses before later stores, at the scope given; the partner is an acquire at that scope. */
template <enum doca_gpu_dev_verbs_sync_scope sync_scope>
GPUNETIO_API void doca_gpu_dev_verbs_fence_release() {
    gpunetio_at<gpunetio_sync<sync_scope>::scope>::fence();
}
/** store_release_mmio that does not stall the thread, where the hardware has it. */
GPUNETIO_API void doca_gpu_dev_verbs_async_store_release(uint32_t *ptr, uint32_t val) {
    gpunetio_store_async_release_u32(ptr, val);
}
GPUNETIO_API void doca_gpu_dev_verbs_async_store_release(uint64_t *ptr, uint64_t val) {
    gpunetio_store_async_release_u64(ptr, val);
}

/** Whether ptr is a multiple of alignment, a power of two. */
GPUNETIO_API bool doca_gpu_dev_verbs_isaligned(void *ptr, size_t alignment) {
    return ((uintptr_t)ptr & (alignment - 1)) == 0;
}
/** Copies bytes between 8-byte aligned buffers; the tail is copied bytewise. */
GPUNETIO_API void doca_gpu_dev_verbs_memcpy_aligned_data(void *dst, void *src, size_t bytes) {
    uint64_t *d = (uint64_t *)dst;
    const uint64_t *s = (const uint64_t *)src;
    size_t words = bytes / 8;
    for (size_t i = 0; i < words; i++) d[i] = s[i];
    for (size_t i = words * 8; i < bytes; i++) ((uint8_t *)dst)[i] = ((const uint8_t *)src)[i];
}
/** Copies bytes between buffers of any alignment. */
GPUNETIO_API void doca_gpu_dev_verbs_memcpy_data(void *dst, void *src, size_t bytes) {
    if (doca_gpu_dev_verbs_isaligned(dst, 8) && doca_gpu_dev_verbs_isaligned(src, 8)) {
        doca_gpu_dev_verbs_memcpy_aligned_data(dst, src, bytes);
        return;
    }
    for (size_t i = 0; i < bytes; i++) ((uint8_t *)dst)[i] = ((const uint8_t *)src)[i];
}
/** Copies bytes as whole T, both sides aligned to T; the tail is copied bytewise. */
template <typename T>
GPUNETIO_API void doca_gpu_dev_verbs_memcpy_inl_aligned_data(T *dst, T *src, size_t bytes) {
    size_t whole = bytes / sizeof(T);
    for (size_t i = 0; i < whole; i++) dst[i] = src[i];
    for (size_t i = whole * sizeof(T); i < bytes; i++) ((uint8_t *)dst)[i] = ((const uint8_t *)src)[i];
}

/**
 * Raises *ptr to at least val and returns what was there. Publishes earlier stores to whoever reads the new value with an
 * acquire at the sharing scope; need_fence_acquire also orders later accesses after it.
 */
template <typename T, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode,
          bool need_fence_acquire = false>
GPUNETIO_API T doca_gpu_dev_verbs_atomic_max(T *ptr, T val) {
    T old = gpunetio_at<gpunetio_sharing<resource_sharing_mode>::scope>::max(ptr, val);
    if (need_fence_acquire) gpunetio_at<gpunetio_sharing<resource_sharing_mode>::scope>::fence();
    return old;
}
/** Adds val to *ptr and returns what was there; orders nothing. */
template <typename T, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode>
GPUNETIO_API T doca_gpu_dev_verbs_atomic_add(T *ptr, T val) {
    return gpunetio_at<gpunetio_sharing<resource_sharing_mode>::scope>::add(ptr, val);
}
/** Reads *ptr whole; orders nothing. */
template <typename T, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode>
GPUNETIO_API T doca_gpu_dev_verbs_atomic_read(T *ptr) {
    return gpunetio_at<gpunetio_sharing<resource_sharing_mode>::scope>::load(ptr);
}
/** Takes a lock whose word is 0 when free. Acquires what the last unlock released. Nothing for EXCLUSIVE. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode>
GPUNETIO_API void doca_gpu_dev_verbs_lock(int *lock) {
    if constexpr (!gpunetio_sharing<resource_sharing_mode>::exclusive)
        while (gpunetio_at<gpunetio_sharing<resource_sharing_mode>::scope>::cas(lock, 0, 1) != 0) gpunetio_relax();
}
/** Frees a lock; releases the holder's stores to the next holder. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode>
GPUNETIO_API void doca_gpu_dev_verbs_unlock(int *lock) {
    if constexpr (!gpunetio_sharing<resource_sharing_mode>::exclusive)
        gpunetio_at<gpunetio_sharing<resource_sharing_mode>::scope>::store_release(lock, 0);
}

/** Reads that see what the CPU and the NIC write; they order nothing. */
GPUNETIO_API uint8_t doca_gpu_dev_verbs_load_relaxed_sys_global(uint8_t *ptr) {
    return gpunetio_load_sys_u8(ptr);
}
GPUNETIO_API uint32_t doca_gpu_dev_verbs_load_relaxed_sys_global(uint32_t *ptr) {
    return gpunetio_at_sys::load(ptr);
}
GPUNETIO_API uint64_t doca_gpu_dev_verbs_load_relaxed_sys_global(uint64_t *ptr) {
    return gpunetio_at_sys::load(ptr);
}
/** Reads *ptr whole at the sharing scope; orders nothing. */
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode>
GPUNETIO_API uint64_t doca_gpu_dev_verbs_load_relaxed(uint64_t *ptr) {
    return gpunetio_at<gpunetio_sharing<resource_sharing_mode>::scope>::load(ptr);
}

/** ceil(x / 2^shift). */
GPUNETIO_API uint64_t doca_gpu_dev_verbs_div_ceil_aligned_pow2(uint64_t x, unsigned int denominator_shift) {
    return (x >> denominator_shift) + ((x & ((1ull << denominator_shift) - 1)) != 0);
}
GPUNETIO_API uint32_t doca_gpu_dev_verbs_div_ceil_aligned_pow2_32bits(uint64_t x, int denominator_shift) {
    return (uint32_t)doca_gpu_dev_verbs_div_ceil_aligned_pow2(x, (unsigned int)denominator_shift);
}

#endif
