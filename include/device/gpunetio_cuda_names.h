/*
 * CUDA built-ins under their own names for kernels that the CPU executor runs. Only what portable kernels use; a missing one
 * fails to compile, by name.
 */
#ifndef GPUNETIO_CUDA_NAMES_H
#define GPUNETIO_CUDA_NAMES_H

GPUNETIO_DEVICE void __syncthreads() {
    gpunetio_sync_block();
}
GPUNETIO_DEVICE int __syncthreads_count(int pred) {
    if (gpunetio_cpu_current->solo) return pred != 0;
    return (int)gpunetio_cpu_block(GPUNETIO_CPU_BLOCK_COUNT, pred != 0);
}
GPUNETIO_DEVICE int __syncthreads_or(int pred) {
    return __syncthreads_count(pred) != 0;
}
GPUNETIO_DEVICE int __syncthreads_and(int pred) {
    return __syncthreads_count(!pred) == 0;
}
GPUNETIO_DEVICE void __syncwarp(unsigned int mask = 0xffffffffu) {
    gpunetio_sync_warp(mask);
}
GPUNETIO_DEVICE unsigned int __activemask() {
    return gpunetio_active_mask();
}
GPUNETIO_DEVICE unsigned int __ballot_sync(unsigned int mask, int pred) {
    return gpunetio_ballot(mask, pred != 0);
}
GPUNETIO_DEVICE int __any_sync(unsigned int mask, int pred) {
    return gpunetio_ballot(mask, pred != 0) != 0;
}
GPUNETIO_DEVICE int __all_sync(unsigned int mask, int pred) {
    return gpunetio_ballot(mask, pred == 0) == 0;
}

/* Values of up to eight bytes, as CUDA's own overloads. */
template <typename T>
GPUNETIO_API T __shfl_sync(unsigned int mask, T v, int lane, int width = 32) {
    static_assert(sizeof(T) <= 8, "a shuffle moves at most 8 bytes");
    uint64_t raw = 0;
    memcpy(&raw, &v, sizeof(T));
    uint32_t self = gpunetio_cpu_current->lane;
    uint32_t segment = self & ~(uint32_t)(width - 1);
    raw = gpunetio_shfl_u64(mask, raw, segment + ((uint32_t)lane & (uint32_t)(width - 1)));
    memcpy(&v, &raw, sizeof(T));
    return v;
}
template <typename T>
GPUNETIO_API T __shfl_up_sync(unsigned int mask, T v, unsigned int delta, int width = 32) {
    uint32_t self = gpunetio_cpu_current->lane;
    uint32_t at = self & (uint32_t)(width - 1);
    return __shfl_sync(mask, v, (int)(at >= delta ? at - delta : at), width);
}
template <typename T>
GPUNETIO_API T __shfl_down_sync(unsigned int mask, T v, unsigned int delta, int width = 32) {
    uint32_t at = gpunetio_cpu_current->lane & (uint32_t)(width - 1);
    return __shfl_sync(mask, v, (int)(at + delta < (uint32_t)width ? at + delta : at), width);
}
template <typename T>
GPUNETIO_API T __shfl_xor_sync(unsigned int mask, T v, int lane_mask, int width = 32) {
    uint32_t at = gpunetio_cpu_current->lane & (uint32_t)(width - 1);
    uint32_t from = at ^ (uint32_t)lane_mask;
    return __shfl_sync(mask, v, (int)(from < (uint32_t)width ? from : at), width);
}
template <typename T>
GPUNETIO_API unsigned int __match_any_sync(unsigned int mask, T v) {
    static_assert(sizeof(T) <= 8, "a match compares at most 8 bytes");
    uint64_t raw = 0;
    memcpy(&raw, &v, sizeof(T));
    return gpunetio_match_any_u64(mask, raw);
}

GPUNETIO_DEVICE int __popc(unsigned int x) {
    return __builtin_popcount(x);
}
GPUNETIO_DEVICE int __popcll(unsigned long long x) {
    return __builtin_popcountll(x);
}
GPUNETIO_DEVICE int __ffs(int x) {
    return __builtin_ffs(x);
}
GPUNETIO_DEVICE int __clz(int x) {
    return x ? __builtin_clz((unsigned int)x) : 32;
}

GPUNETIO_DEVICE void __nanosleep(unsigned int ns) {
    gpunetio_cpu_nanosleep(ns);
}
/* A tick counter; its unit is the CPU's, as on a GPU it is the SM's. */
GPUNETIO_DEVICE long long clock64() {
#if defined(__x86_64__)
    return (long long)__builtin_ia32_rdtsc();
#elif defined(__aarch64__)
    uint64_t v;
    __asm__ volatile("mrs %0, cntvct_el0" : "=r"(v));
    return (long long)v;
#else
    return (long long)gpunetio_cpu_globaltimer();
#endif
}

/* Full fences, as CUDA's are: the partner is whoever the kernel's author pairs them with. */
GPUNETIO_DEVICE void __threadfence_block() {
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}
GPUNETIO_DEVICE void __threadfence() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}
GPUNETIO_DEVICE void __threadfence_system() {
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

template <typename T>
GPUNETIO_API T atomicAdd(T *p, T v) {
    return __atomic_fetch_add(p, v, __ATOMIC_RELAXED);
}
template <typename T>
GPUNETIO_API T atomicMax(T *p, T v) {
    return gpunetio_at<GPUNETIO_SCOPE_GPU>::max(p, v);
}
template <typename T>
GPUNETIO_API T atomicExch(T *p, T v) {
    return __atomic_exchange_n(p, v, __ATOMIC_RELAXED);
}
template <typename T>
GPUNETIO_API T atomicCAS(T *p, T expect, T v) {
    return gpunetio_at<GPUNETIO_SCOPE_GPU>::cas(p, expect, v);
}
template <typename T>
GPUNETIO_API T atomicOr(T *p, T v) {
    return __atomic_fetch_or(p, v, __ATOMIC_RELAXED);
}

#endif
