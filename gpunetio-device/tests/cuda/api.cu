// Calls every function of the device API through a wrapper with its public prototype. Rendered by tests/api.rs from
// tests/data/device_prototypes.txt; do not edit: run that test with GPUNETIO_BLESS=1.
#include "doca_gpunetio_device.h"

// doca_gpu_dev_verbs_query_globaltimer
__device__ uint64_t call_0() {
    return doca_gpu_dev_verbs_query_globaltimer();
}

// doca_gpu_dev_verbs_get_lane_id
__device__ unsigned int call_1() {
    return doca_gpu_dev_verbs_get_lane_id();
}

// doca_gpu_dev_verbs_bswap64
__device__ uint64_t call_2(uint64_t x) {
    return doca_gpu_dev_verbs_bswap64(x);
}

// doca_gpu_dev_verbs_bswap32
__device__ uint32_t call_3(uint32_t x) {
    return doca_gpu_dev_verbs_bswap32(x);
}

// doca_gpu_dev_verbs_bswap16
__device__ uint16_t call_4(uint16_t x) {
    return doca_gpu_dev_verbs_bswap16(x);
}

// doca_gpu_dev_verbs_store_relaxed_mmio
__device__ void call_5(uint64_t *ptr, uint64_t val) {
    return doca_gpu_dev_verbs_store_relaxed_mmio(ptr, val);
}

// doca_gpu_dev_verbs_store_release_mmio
__device__ void call_6(uint64_t *ptr, uint64_t val) {
    return doca_gpu_dev_verbs_store_release_mmio(ptr, val);
}

// doca_gpu_dev_verbs_store_release_mmio
__device__ void call_7(uint32_t *ptr, uint32_t val) {
    return doca_gpu_dev_verbs_store_release_mmio(ptr, val);
}

// doca_gpu_dev_verbs_fence_acquire
template <enum doca_gpu_dev_verbs_sync_scope sync_scope>
__device__ void call_8() {
    return doca_gpu_dev_verbs_fence_acquire<sync_scope>();
}
template __device__ void call_8<DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>();
template __device__ void call_8<DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>();

// doca_gpu_dev_verbs_fence_acquire_nvidia_nic
__device__ void call_9() {
    return doca_gpu_dev_verbs_fence_acquire_nvidia_nic();
}

// doca_gpu_dev_verbs_fence_release
template <enum doca_gpu_dev_verbs_sync_scope sync_scope>
__device__ void call_10() {
    return doca_gpu_dev_verbs_fence_release<sync_scope>();
}
template __device__ void call_10<DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>();
template __device__ void call_10<DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>();

// doca_gpu_dev_verbs_async_store_release
__device__ void call_11(uint32_t *ptr, uint32_t val) {
    return doca_gpu_dev_verbs_async_store_release(ptr, val);
}

// doca_gpu_dev_verbs_async_store_release
__device__ void call_12(uint64_t *ptr, uint64_t val) {
    return doca_gpu_dev_verbs_async_store_release(ptr, val);
}

// doca_gpu_dev_verbs_isaligned
__device__ bool call_13(void *ptr, size_t alignment) {
    return doca_gpu_dev_verbs_isaligned(ptr, alignment);
}

// doca_gpu_dev_verbs_memcpy_aligned_data
__device__ void call_14(void *dst, void *src, size_t bytes) {
    return doca_gpu_dev_verbs_memcpy_aligned_data(dst, src, bytes);
}

// doca_gpu_dev_verbs_memcpy_data
__device__ void call_15(void *dst, void *src, size_t bytes) {
    return doca_gpu_dev_verbs_memcpy_data(dst, src, bytes);
}

// doca_gpu_dev_verbs_memcpy_inl_aligned_data
template <typename T>
__device__ void call_16(T *dst, T *src, size_t bytes) {
    return doca_gpu_dev_verbs_memcpy_inl_aligned_data<T>(dst, src, bytes);
}
template __device__ void call_16<uint64_t>(uint64_t *, uint64_t *, size_t);

// doca_gpu_dev_verbs_atomic_max
template <typename T, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, bool need_fence_acquire>
__device__ T call_17(T *ptr, T val) {
    return doca_gpu_dev_verbs_atomic_max<T, resource_sharing_mode, need_fence_acquire>(ptr, val);
}
template __device__ uint64_t call_17<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, true>(uint64_t *, uint64_t);
template __device__ uint64_t call_17<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, false>(uint64_t *, uint64_t);
template __device__ uint64_t call_17<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, true>(uint64_t *, uint64_t);
template __device__ uint64_t call_17<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, false>(uint64_t *, uint64_t);
template __device__ uint64_t call_17<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, true>(uint64_t *, uint64_t);
template __device__ uint64_t call_17<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, false>(uint64_t *, uint64_t);
__device__ uint64_t call_default_17(uint64_t *ptr, uint64_t val) {
    return doca_gpu_dev_verbs_atomic_max<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE>(ptr, val);
}

// doca_gpu_dev_verbs_atomic_add
template <typename T, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode>
__device__ T call_18(T *ptr, T val) {
    return doca_gpu_dev_verbs_atomic_add<T, resource_sharing_mode>(ptr, val);
}
template __device__ uint64_t call_18<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE>(uint64_t *, uint64_t);
template __device__ uint64_t call_18<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA>(uint64_t *, uint64_t);
template __device__ uint64_t call_18<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>(uint64_t *, uint64_t);

// doca_gpu_dev_verbs_atomic_read
template <typename T, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode>
__device__ T call_19(T *ptr) {
    return doca_gpu_dev_verbs_atomic_read<T, resource_sharing_mode>(ptr);
}
template __device__ uint64_t call_19<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE>(uint64_t *);
template __device__ uint64_t call_19<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA>(uint64_t *);
template __device__ uint64_t call_19<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>(uint64_t *);

// doca_gpu_dev_verbs_lock
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode>
__device__ void call_20(int *lock) {
    return doca_gpu_dev_verbs_lock<resource_sharing_mode>(lock);
}
template __device__ void call_20<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE>(int *);
template __device__ void call_20<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA>(int *);
template __device__ void call_20<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>(int *);

// doca_gpu_dev_verbs_unlock
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode>
__device__ void call_21(int *lock) {
    return doca_gpu_dev_verbs_unlock<resource_sharing_mode>(lock);
}
template __device__ void call_21<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE>(int *);
template __device__ void call_21<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA>(int *);
template __device__ void call_21<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>(int *);

// doca_gpu_dev_verbs_load_relaxed_sys_global
__device__ uint8_t call_22(uint8_t *ptr) {
    return doca_gpu_dev_verbs_load_relaxed_sys_global(ptr);
}

// doca_gpu_dev_verbs_load_relaxed_sys_global
__device__ uint32_t call_23(uint32_t *ptr) {
    return doca_gpu_dev_verbs_load_relaxed_sys_global(ptr);
}

// doca_gpu_dev_verbs_load_relaxed_sys_global
__device__ uint64_t call_24(uint64_t *ptr) {
    return doca_gpu_dev_verbs_load_relaxed_sys_global(ptr);
}

// doca_gpu_dev_verbs_load_relaxed
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode>
__device__ uint64_t call_25(uint64_t *ptr) {
    return doca_gpu_dev_verbs_load_relaxed<resource_sharing_mode>(ptr);
}
template __device__ uint64_t call_25<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE>(uint64_t *);
template __device__ uint64_t call_25<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA>(uint64_t *);
template __device__ uint64_t call_25<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>(uint64_t *);

// doca_gpu_dev_verbs_div_ceil_aligned_pow2
__device__ uint64_t call_26(uint64_t x, unsigned int denominator_shift) {
    return doca_gpu_dev_verbs_div_ceil_aligned_pow2(x, denominator_shift);
}

// doca_gpu_dev_verbs_div_ceil_aligned_pow2_32bits
__device__ uint32_t call_27(uint64_t x, int denominator_shift) {
    return doca_gpu_dev_verbs_div_ceil_aligned_pow2_32bits(x, denominator_shift);
}

// doca_gpu_dev_verbs_submit_db_multi_qps_no_dbr
template <unsigned int num_qps, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_sync_scope sync_scope>
__device__ void call_28(struct doca_gpu_dev_verbs_qp **qps, uint64_t *prod_indices, uint32_t code_opt) {
    return doca_gpu_dev_verbs_submit_db_multi_qps_no_dbr<num_qps, resource_sharing_mode, sync_scope>(qps, prod_indices, code_opt);
}
template __device__ void call_28<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(struct doca_gpu_dev_verbs_qp **, uint64_t *, uint32_t);
template __device__ void call_28<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>(struct doca_gpu_dev_verbs_qp **, uint64_t *, uint32_t);
template __device__ void call_28<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(struct doca_gpu_dev_verbs_qp **, uint64_t *, uint32_t);
template __device__ void call_28<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>(struct doca_gpu_dev_verbs_qp **, uint64_t *, uint32_t);
template __device__ void call_28<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(struct doca_gpu_dev_verbs_qp **, uint64_t *, uint32_t);
template __device__ void call_28<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>(struct doca_gpu_dev_verbs_qp **, uint64_t *, uint32_t);
__device__ void call_default_28(struct doca_gpu_dev_verbs_qp **qps, uint64_t *prod_indices, uint32_t code_opt) {
    return doca_gpu_dev_verbs_submit_db_multi_qps_no_dbr<2>(qps, prod_indices, code_opt);
}

// doca_gpu_dev_verbs_submit_db_multi_qps
template <unsigned int num_qps, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_sync_scope sync_scope>
__device__ void call_29(struct doca_gpu_dev_verbs_qp **qps, uint64_t *prod_indices, uint32_t code_opt) {
    return doca_gpu_dev_verbs_submit_db_multi_qps<num_qps, resource_sharing_mode, sync_scope>(qps, prod_indices, code_opt);
}
template __device__ void call_29<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(struct doca_gpu_dev_verbs_qp **, uint64_t *, uint32_t);
template __device__ void call_29<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>(struct doca_gpu_dev_verbs_qp **, uint64_t *, uint32_t);
template __device__ void call_29<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(struct doca_gpu_dev_verbs_qp **, uint64_t *, uint32_t);
template __device__ void call_29<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>(struct doca_gpu_dev_verbs_qp **, uint64_t *, uint32_t);
template __device__ void call_29<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(struct doca_gpu_dev_verbs_qp **, uint64_t *, uint32_t);
template __device__ void call_29<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>(struct doca_gpu_dev_verbs_qp **, uint64_t *, uint32_t);
__device__ void call_default_29(struct doca_gpu_dev_verbs_qp **qps, uint64_t *prod_indices, uint32_t code_opt) {
    return doca_gpu_dev_verbs_submit_db_multi_qps<2>(qps, prod_indices, code_opt);
}

// doca_gpu_dev_verbs_submit_proxy_multi_qps
template <unsigned int num_qps, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_sync_scope sync_scope>
__device__ void call_30(struct doca_gpu_dev_verbs_qp **qps, uint64_t *prod_indices) {
    return doca_gpu_dev_verbs_submit_proxy_multi_qps<num_qps, resource_sharing_mode, sync_scope>(qps, prod_indices);
}
template __device__ void call_30<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(struct doca_gpu_dev_verbs_qp **, uint64_t *);
template __device__ void call_30<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>(struct doca_gpu_dev_verbs_qp **, uint64_t *);
template __device__ void call_30<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(struct doca_gpu_dev_verbs_qp **, uint64_t *);
template __device__ void call_30<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>(struct doca_gpu_dev_verbs_qp **, uint64_t *);
template __device__ void call_30<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(struct doca_gpu_dev_verbs_qp **, uint64_t *);
template __device__ void call_30<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>(struct doca_gpu_dev_verbs_qp **, uint64_t *);
__device__ void call_default_30(struct doca_gpu_dev_verbs_qp **qps, uint64_t *prod_indices) {
    return doca_gpu_dev_verbs_submit_proxy_multi_qps<2>(qps, prod_indices);
}

// doca_gpu_dev_verbs_submit_multi_qps
template <unsigned int num_qps, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_sync_scope sync_scope, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_31(struct doca_gpu_dev_verbs_qp **qps, uint64_t *prod_indices, uint32_t code_opt) {
    return doca_gpu_dev_verbs_submit_multi_qps<num_qps, resource_sharing_mode, sync_scope, nic_handler, cq_type>(qps, prod_indices, code_opt);
}
template __device__ void call_31<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp **, uint64_t *, uint32_t);
template __device__ void call_31<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp **, uint64_t *, uint32_t);
template __device__ void call_31<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp **, uint64_t *, uint32_t);
template __device__ void call_31<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp **, uint64_t *, uint32_t);
template __device__ void call_31<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp **, uint64_t *, uint32_t);
template __device__ void call_31<2, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp **, uint64_t *, uint32_t);
__device__ void call_default_31(struct doca_gpu_dev_verbs_qp **qps, uint64_t *prod_indices, uint32_t code_opt) {
    return doca_gpu_dev_verbs_submit_multi_qps<2>(qps, prod_indices, code_opt);
}

// doca_gpu_dev_verbs_put_counter
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_32(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, struct doca_gpu_dev_verbs_qp *companion_qp, struct doca_gpu_dev_verbs_addr counter_raddr, struct doca_gpu_dev_verbs_addr counter_laddr, uint64_t counter_val, uint32_t code_opt) {
    return doca_gpu_dev_verbs_put_counter<resource_sharing_mode, nic_handler, cq_type>(qp, raddr, laddr, size, companion_qp, counter_raddr, counter_laddr, counter_val, code_opt);
}
template __device__ void call_32<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
template __device__ void call_32<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
template __device__ void call_32<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
__device__ void call_default_32(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, struct doca_gpu_dev_verbs_qp *companion_qp, struct doca_gpu_dev_verbs_addr counter_raddr, struct doca_gpu_dev_verbs_addr counter_laddr, uint64_t counter_val, uint32_t code_opt) {
    return doca_gpu_dev_verbs_put_counter(qp, raddr, laddr, size, companion_qp, counter_raddr, counter_laddr, counter_val, code_opt);
}

// doca_gpu_dev_verbs_p_counter
template <typename T, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_33(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, T value, struct doca_gpu_dev_verbs_qp *companion_qp, struct doca_gpu_dev_verbs_addr counter_raddr, struct doca_gpu_dev_verbs_addr counter_laddr, uint64_t counter_val, uint32_t code_opt) {
    return doca_gpu_dev_verbs_p_counter<T, resource_sharing_mode, nic_handler, cq_type>(qp, raddr, value, companion_qp, counter_raddr, counter_laddr, counter_val, code_opt);
}
template __device__ void call_33<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, uint64_t, struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
template __device__ void call_33<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, uint64_t, struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
template __device__ void call_33<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, uint64_t, struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
__device__ void call_default_33(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, uint64_t value, struct doca_gpu_dev_verbs_qp *companion_qp, struct doca_gpu_dev_verbs_addr counter_raddr, struct doca_gpu_dev_verbs_addr counter_laddr, uint64_t counter_val, uint32_t code_opt) {
    return doca_gpu_dev_verbs_p_counter<uint64_t>(qp, raddr, value, companion_qp, counter_raddr, counter_laddr, counter_val, code_opt);
}

// doca_gpu_dev_verbs_put_signal_counter
template <enum doca_gpu_dev_verbs_signal_op sig_op, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_34(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, struct doca_gpu_dev_verbs_qp *companion_qp, struct doca_gpu_dev_verbs_addr counter_raddr, struct doca_gpu_dev_verbs_addr counter_laddr, uint64_t counter_val, uint32_t code_opt) {
    return doca_gpu_dev_verbs_put_signal_counter<sig_op, resource_sharing_mode, nic_handler, cq_type>(qp, raddr, laddr, size, sig_raddr, sig_laddr, sig_val, companion_qp, counter_raddr, counter_laddr, counter_val, code_opt);
}
template __device__ void call_34<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
template __device__ void call_34<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
template __device__ void call_34<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
__device__ void call_default_34(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, struct doca_gpu_dev_verbs_qp *companion_qp, struct doca_gpu_dev_verbs_addr counter_raddr, struct doca_gpu_dev_verbs_addr counter_laddr, uint64_t counter_val, uint32_t code_opt) {
    return doca_gpu_dev_verbs_put_signal_counter<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD>(qp, raddr, laddr, size, sig_raddr, sig_laddr, sig_val, companion_qp, counter_raddr, counter_laddr, counter_val, code_opt);
}

// doca_gpu_dev_verbs_signal_counter
template <enum doca_gpu_dev_verbs_signal_op sig_op, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_35(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, struct doca_gpu_dev_verbs_qp *companion_qp, struct doca_gpu_dev_verbs_addr counter_raddr, struct doca_gpu_dev_verbs_addr counter_laddr, uint64_t counter_val, uint32_t code_opt) {
    return doca_gpu_dev_verbs_signal_counter<sig_op, resource_sharing_mode, nic_handler, cq_type>(qp, sig_raddr, sig_laddr, sig_val, companion_qp, counter_raddr, counter_laddr, counter_val, code_opt);
}
template __device__ void call_35<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
template __device__ void call_35<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
template __device__ void call_35<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
__device__ void call_default_35(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, struct doca_gpu_dev_verbs_qp *companion_qp, struct doca_gpu_dev_verbs_addr counter_raddr, struct doca_gpu_dev_verbs_addr counter_laddr, uint64_t counter_val, uint32_t code_opt) {
    return doca_gpu_dev_verbs_signal_counter<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD>(qp, sig_raddr, sig_laddr, sig_val, companion_qp, counter_raddr, counter_laddr, counter_val, code_opt);
}

// doca_gpu_dev_verbs_get_counter
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_36(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, struct doca_gpu_dev_verbs_qp *companion_qp, struct doca_gpu_dev_verbs_addr counter_raddr, struct doca_gpu_dev_verbs_addr counter_laddr, uint64_t counter_val, uint32_t code_opt) {
    return doca_gpu_dev_verbs_get_counter<resource_sharing_mode, nic_handler, cq_type>(qp, raddr, laddr, size, companion_qp, counter_raddr, counter_laddr, counter_val, code_opt);
}
template __device__ void call_36<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
template __device__ void call_36<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
template __device__ void call_36<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
__device__ void call_default_36(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, struct doca_gpu_dev_verbs_qp *companion_qp, struct doca_gpu_dev_verbs_addr counter_raddr, struct doca_gpu_dev_verbs_addr counter_laddr, uint64_t counter_val, uint32_t code_opt) {
    return doca_gpu_dev_verbs_get_counter(qp, raddr, laddr, size, companion_qp, counter_raddr, counter_laddr, counter_val, code_opt);
}

// doca_gpu_dev_verbs_qp_get_cq_sq
__device__ struct doca_gpu_dev_verbs_cq * call_37(struct doca_gpu_dev_verbs_qp *qp) {
    return doca_gpu_dev_verbs_qp_get_cq_sq(qp);
}

// doca_gpu_dev_verbs_qp_get_cq
template <enum doca_gpu_dev_verbs_qp_type qp_type>
__device__ struct doca_gpu_dev_verbs_cq * call_38(struct doca_gpu_dev_verbs_qp *qp) {
    return doca_gpu_dev_verbs_qp_get_cq<qp_type>(qp);
}
template __device__ struct doca_gpu_dev_verbs_cq * call_38<DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *);
__device__ struct doca_gpu_dev_verbs_cq * call_default_38(struct doca_gpu_dev_verbs_qp *qp) {
    return doca_gpu_dev_verbs_qp_get_cq(qp);
}

// doca_gpu_dev_verbs_cqe_idx_inc_mask
__device__ uint32_t call_39(uint32_t cqe_idx, uint32_t increment) {
    return doca_gpu_dev_verbs_cqe_idx_inc_mask(cqe_idx, increment);
}

// doca_gpu_dev_verbs_cq_print_cqe_err
__device__ void call_40(struct doca_gpunetio_ib_mlx5_cqe64 *cqe64) {
    return doca_gpu_dev_verbs_cq_print_cqe_err(cqe64);
}

// doca_priv_gpu_dev_verbs_poll_one_cq_device_at
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode>
__device__ int call_41(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index) {
    return doca_priv_gpu_dev_verbs_poll_one_cq_device_at<resource_sharing_mode>(cq, cons_index);
}
template __device__ int call_41<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE>(struct doca_gpu_dev_verbs_cq *, uint64_t);
template __device__ int call_41<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA>(struct doca_gpu_dev_verbs_cq *, uint64_t);
template __device__ int call_41<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>(struct doca_gpu_dev_verbs_cq *, uint64_t);
__device__ int call_default_41(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index) {
    return doca_priv_gpu_dev_verbs_poll_one_cq_device_at(cq, cons_index);
}

// doca_gpu_dev_verbs_poll_one_cq_device_at
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode>
__device__ int call_42(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index) {
    return doca_gpu_dev_verbs_poll_one_cq_device_at<resource_sharing_mode>(cq, cons_index);
}
template __device__ int call_42<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE>(struct doca_gpu_dev_verbs_cq *, uint64_t);
template __device__ int call_42<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA>(struct doca_gpu_dev_verbs_cq *, uint64_t);
template __device__ int call_42<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>(struct doca_gpu_dev_verbs_cq *, uint64_t);
__device__ int call_default_42(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index) {
    return doca_gpu_dev_verbs_poll_one_cq_device_at(cq, cons_index);
}

// doca_gpu_dev_verbs_poll_one_cq_host_at
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode>
__device__ int call_43(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index) {
    return doca_gpu_dev_verbs_poll_one_cq_host_at<resource_sharing_mode>(cq, cons_index);
}
template __device__ int call_43<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE>(struct doca_gpu_dev_verbs_cq *, uint64_t);
template __device__ int call_43<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA>(struct doca_gpu_dev_verbs_cq *, uint64_t);
template __device__ int call_43<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>(struct doca_gpu_dev_verbs_cq *, uint64_t);
__device__ int call_default_43(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index) {
    return doca_gpu_dev_verbs_poll_one_cq_host_at(cq, cons_index);
}

// doca_priv_gpu_dev_verbs_poll_cq_one_collapsed_at
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode>
__device__ int call_44(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index, uint64_t *new_cqe_ci) {
    return doca_priv_gpu_dev_verbs_poll_cq_one_collapsed_at<resource_sharing_mode>(cq, cons_index, new_cqe_ci);
}
template __device__ int call_44<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE>(struct doca_gpu_dev_verbs_cq *, uint64_t, uint64_t *);
template __device__ int call_44<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA>(struct doca_gpu_dev_verbs_cq *, uint64_t, uint64_t *);
template __device__ int call_44<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>(struct doca_gpu_dev_verbs_cq *, uint64_t, uint64_t *);
__device__ int call_default_44(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index, uint64_t *new_cqe_ci) {
    return doca_priv_gpu_dev_verbs_poll_cq_one_collapsed_at(cq, cons_index, new_cqe_ci);
}

// doca_gpu_dev_verbs_poll_one_cq_collapsed_at
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode>
__device__ int call_45(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index) {
    return doca_gpu_dev_verbs_poll_one_cq_collapsed_at<resource_sharing_mode>(cq, cons_index);
}
template __device__ int call_45<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE>(struct doca_gpu_dev_verbs_cq *, uint64_t);
template __device__ int call_45<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA>(struct doca_gpu_dev_verbs_cq *, uint64_t);
template __device__ int call_45<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>(struct doca_gpu_dev_verbs_cq *, uint64_t);
__device__ int call_default_45(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index) {
    return doca_gpu_dev_verbs_poll_one_cq_collapsed_at(cq, cons_index);
}

// doca_gpu_dev_verbs_poll_one_cq_at
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_qp_type qp_type, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ int call_46(struct doca_gpu_dev_verbs_qp *qp, uint64_t cons_index) {
    return doca_gpu_dev_verbs_poll_one_cq_at<resource_sharing_mode, qp_type, cq_type>(qp, cons_index);
}
template __device__ int call_46<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_QP_SQ, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, uint64_t);
template __device__ int call_46<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_QP_SQ, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, uint64_t);
template __device__ int call_46<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_QP_SQ, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, uint64_t);
__device__ int call_default_46(struct doca_gpu_dev_verbs_qp *qp, uint64_t cons_index) {
    return doca_gpu_dev_verbs_poll_one_cq_at(qp, cons_index);
}

// doca_priv_gpu_dev_verbs_poll_cq_device_at
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode>
__device__ int call_47(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index) {
    return doca_priv_gpu_dev_verbs_poll_cq_device_at<resource_sharing_mode>(cq, cons_index);
}
template __device__ int call_47<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE>(struct doca_gpu_dev_verbs_cq *, uint64_t);
template __device__ int call_47<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA>(struct doca_gpu_dev_verbs_cq *, uint64_t);
template __device__ int call_47<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>(struct doca_gpu_dev_verbs_cq *, uint64_t);
__device__ int call_default_47(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index) {
    return doca_priv_gpu_dev_verbs_poll_cq_device_at(cq, cons_index);
}

// doca_gpu_dev_verbs_poll_cq_device_at
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode>
__device__ int call_48(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index) {
    return doca_gpu_dev_verbs_poll_cq_device_at<resource_sharing_mode>(cq, cons_index);
}
template __device__ int call_48<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE>(struct doca_gpu_dev_verbs_cq *, uint64_t);
template __device__ int call_48<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA>(struct doca_gpu_dev_verbs_cq *, uint64_t);
template __device__ int call_48<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>(struct doca_gpu_dev_verbs_cq *, uint64_t);
__device__ int call_default_48(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index) {
    return doca_gpu_dev_verbs_poll_cq_device_at(cq, cons_index);
}

// doca_gpu_dev_verbs_poll_cq_host_at
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode>
__device__ int call_49(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index) {
    return doca_gpu_dev_verbs_poll_cq_host_at<resource_sharing_mode>(cq, cons_index);
}
template __device__ int call_49<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE>(struct doca_gpu_dev_verbs_cq *, uint64_t);
template __device__ int call_49<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA>(struct doca_gpu_dev_verbs_cq *, uint64_t);
template __device__ int call_49<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>(struct doca_gpu_dev_verbs_cq *, uint64_t);
__device__ int call_default_49(struct doca_gpu_dev_verbs_cq *cq, uint64_t cons_index) {
    return doca_gpu_dev_verbs_poll_cq_host_at(cq, cons_index);
}

// doca_priv_gpu_dev_verbs_poll_cq_collapsed_at
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_qp_type qp_type>
__device__ int call_50(struct doca_gpu_dev_verbs_qp *qp, uint64_t cons_index, uint64_t *new_cqe_ci) {
    return doca_priv_gpu_dev_verbs_poll_cq_collapsed_at<resource_sharing_mode, qp_type>(qp, cons_index, new_cqe_ci);
}
template __device__ int call_50<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint64_t *);
template __device__ int call_50<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint64_t *);
template __device__ int call_50<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint64_t *);
__device__ int call_default_50(struct doca_gpu_dev_verbs_qp *qp, uint64_t cons_index, uint64_t *new_cqe_ci) {
    return doca_priv_gpu_dev_verbs_poll_cq_collapsed_at(qp, cons_index, new_cqe_ci);
}

// doca_gpu_dev_verbs_poll_cq_collapsed_at
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_qp_type qp_type>
__device__ int call_51(struct doca_gpu_dev_verbs_qp *qp, uint64_t cons_index) {
    return doca_gpu_dev_verbs_poll_cq_collapsed_at<resource_sharing_mode, qp_type>(qp, cons_index);
}
template __device__ int call_51<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t);
template __device__ int call_51<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t);
template __device__ int call_51<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t);
__device__ int call_default_51(struct doca_gpu_dev_verbs_qp *qp, uint64_t cons_index) {
    return doca_gpu_dev_verbs_poll_cq_collapsed_at(qp, cons_index);
}

// doca_gpu_dev_verbs_poll_cq_at
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_qp_type qp_type, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ int call_52(struct doca_gpu_dev_verbs_qp *qp, uint64_t cons_index) {
    return doca_gpu_dev_verbs_poll_cq_at<resource_sharing_mode, qp_type, cq_type>(qp, cons_index);
}
template __device__ int call_52<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_QP_SQ, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, uint64_t);
template __device__ int call_52<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_QP_SQ, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, uint64_t);
template __device__ int call_52<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_QP_SQ, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, uint64_t);
__device__ int call_default_52(struct doca_gpu_dev_verbs_qp *qp, uint64_t cons_index) {
    return doca_gpu_dev_verbs_poll_cq_at(qp, cons_index);
}

// doca_gpu_dev_verbs_poll_cq
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_qp_type qp_type, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ int call_53(struct doca_gpu_dev_verbs_qp *qp, uint32_t count) {
    return doca_gpu_dev_verbs_poll_cq<resource_sharing_mode, qp_type, cq_type>(qp, count);
}
template __device__ int call_53<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_QP_SQ, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, uint32_t);
template __device__ int call_53<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_QP_SQ, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, uint32_t);
template __device__ int call_53<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_QP_SQ, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, uint32_t);
__device__ int call_default_53(struct doca_gpu_dev_verbs_qp *qp, uint32_t count) {
    return doca_gpu_dev_verbs_poll_cq(qp, count);
}

// doca_gpu_dev_verbs_cq_update_dbrec
template <bool is_overrun>
__device__ uint32_t call_54(struct doca_gpu_dev_verbs_cq *cq, uint32_t cqe_num) {
    return doca_gpu_dev_verbs_cq_update_dbrec<is_overrun>(cq, cqe_num);
}
template __device__ uint32_t call_54<true>(struct doca_gpu_dev_verbs_cq *, uint32_t);
template __device__ uint32_t call_54<false>(struct doca_gpu_dev_verbs_cq *, uint32_t);

// doca_gpu_dev_verbs_put_thread
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_55(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_put_thread<resource_sharing_mode, nic_handler, cq_type>(qp, raddr, laddr, size, out_ticket, code_opt);
}
template __device__ void call_55<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_55<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_55<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
__device__ void call_default_55(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_put_thread(qp, raddr, laddr, size, out_ticket, code_opt);
}

// doca_gpu_dev_verbs_put_warp
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_56(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_put_warp<resource_sharing_mode, nic_handler, cq_type>(qp, raddr, laddr, size, out_ticket, code_opt);
}
template __device__ void call_56<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_56<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_56<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
__device__ void call_default_56(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_put_warp(qp, raddr, laddr, size, out_ticket, code_opt);
}

// doca_gpu_dev_verbs_put
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_exec_scope exec_scope, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_57(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_put<resource_sharing_mode, nic_handler, exec_scope, cq_type>(qp, raddr, laddr, size, out_ticket, code_opt);
}
template __device__ void call_57<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_57<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_57<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
__device__ void call_default_57(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_put(qp, raddr, laddr, size, out_ticket, code_opt);
}

// doca_gpu_dev_verbs_put
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_exec_scope exec_scope, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_58(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, uint32_t code_opt) {
    return doca_gpu_dev_verbs_put<resource_sharing_mode, nic_handler, exec_scope, cq_type>(qp, raddr, laddr, size, code_opt);
}
template __device__ void call_58<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, uint32_t);
template __device__ void call_58<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, uint32_t);
template __device__ void call_58<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, uint32_t);
__device__ void call_default_58(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, uint32_t code_opt) {
    return doca_gpu_dev_verbs_put(qp, raddr, laddr, size, code_opt);
}

// doca_gpu_dev_verbs_p_thread
template <typename T, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_59(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, T value, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_p_thread<T, resource_sharing_mode, nic_handler, cq_type>(qp, raddr, value, out_ticket, code_opt);
}
template __device__ void call_59<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_59<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_59<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
__device__ void call_default_59(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, uint64_t value, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_p_thread<uint64_t>(qp, raddr, value, out_ticket, code_opt);
}

// doca_gpu_dev_verbs_p_warp
template <typename T, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_60(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, T value, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_p_warp<T, resource_sharing_mode, nic_handler, cq_type>(qp, raddr, value, out_ticket, code_opt);
}
template __device__ void call_60<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_60<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_60<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
__device__ void call_default_60(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, uint64_t value, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_p_warp<uint64_t>(qp, raddr, value, out_ticket, code_opt);
}

// doca_gpu_dev_verbs_p
template <typename T, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_exec_scope exec_scope, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_61(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, T value, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_p<T, resource_sharing_mode, nic_handler, exec_scope, cq_type>(qp, raddr, value, out_ticket, code_opt);
}
template __device__ void call_61<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_61<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_61<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
__device__ void call_default_61(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, uint64_t value, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_p<uint64_t>(qp, raddr, value, out_ticket, code_opt);
}

// doca_gpu_dev_verbs_p
template <typename T, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_exec_scope exec_scope, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_62(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, T value, uint32_t code_opt) {
    return doca_gpu_dev_verbs_p<T, resource_sharing_mode, nic_handler, exec_scope, cq_type>(qp, raddr, value, code_opt);
}
template __device__ void call_62<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
template __device__ void call_62<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
template __device__ void call_62<uint64_t, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
__device__ void call_default_62(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, uint64_t value, uint32_t code_opt) {
    return doca_gpu_dev_verbs_p<uint64_t>(qp, raddr, value, code_opt);
}

// doca_gpu_dev_verbs_put_signal_thread
template <enum doca_gpu_dev_verbs_signal_op sig_op, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_63(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_put_signal_thread<sig_op, resource_sharing_mode, nic_handler, cq_type>(qp, raddr, laddr, size, sig_raddr, sig_laddr, sig_val, out_ticket, code_opt);
}
template __device__ void call_63<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_63<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_63<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
__device__ void call_default_63(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_put_signal_thread<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD>(qp, raddr, laddr, size, sig_raddr, sig_laddr, sig_val, out_ticket, code_opt);
}

// doca_gpu_dev_verbs_put_signal_warp
template <enum doca_gpu_dev_verbs_signal_op sig_op, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_64(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_put_signal_warp<sig_op, resource_sharing_mode, nic_handler, cq_type>(qp, raddr, laddr, size, sig_raddr, sig_laddr, sig_val, out_ticket, code_opt);
}
template __device__ void call_64<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_64<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_64<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
__device__ void call_default_64(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_put_signal_warp<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD>(qp, raddr, laddr, size, sig_raddr, sig_laddr, sig_val, out_ticket, code_opt);
}

// doca_gpu_dev_verbs_put_signal
template <enum doca_gpu_dev_verbs_signal_op sig_op, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_exec_scope exec_scope, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_65(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_put_signal<sig_op, resource_sharing_mode, nic_handler, exec_scope, cq_type>(qp, raddr, laddr, size, sig_raddr, sig_laddr, sig_val, out_ticket, code_opt);
}
template __device__ void call_65<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_65<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_65<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
__device__ void call_default_65(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_put_signal<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD>(qp, raddr, laddr, size, sig_raddr, sig_laddr, sig_val, out_ticket, code_opt);
}

// doca_gpu_dev_verbs_put_signal
template <enum doca_gpu_dev_verbs_signal_op sig_op, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_exec_scope exec_scope, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_66(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, uint32_t code_opt) {
    return doca_gpu_dev_verbs_put_signal<sig_op, resource_sharing_mode, nic_handler, exec_scope, cq_type>(qp, raddr, laddr, size, sig_raddr, sig_laddr, sig_val, code_opt);
}
template __device__ void call_66<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
template __device__ void call_66<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
template __device__ void call_66<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
__device__ void call_default_66(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, uint32_t code_opt) {
    return doca_gpu_dev_verbs_put_signal<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD>(qp, raddr, laddr, size, sig_raddr, sig_laddr, sig_val, code_opt);
}

// doca_gpu_dev_verbs_p_signal
template <typename T, enum doca_gpu_dev_verbs_signal_op sig_op, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_67(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, T value, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_p_signal<T, sig_op, resource_sharing_mode, nic_handler, cq_type>(qp, raddr, value, sig_raddr, sig_laddr, sig_val, out_ticket, code_opt);
}
template __device__ void call_67<uint64_t, DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, uint64_t, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_67<uint64_t, DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, uint64_t, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_67<uint64_t, DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, uint64_t, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
__device__ void call_default_67(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, uint64_t value, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_p_signal<uint64_t, DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD>(qp, raddr, value, sig_raddr, sig_laddr, sig_val, out_ticket, code_opt);
}

// doca_gpu_dev_verbs_p_signal
template <typename T, enum doca_gpu_dev_verbs_signal_op sig_op, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_68(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, T value, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, uint32_t code_opt) {
    return doca_gpu_dev_verbs_p_signal<T, sig_op, resource_sharing_mode, nic_handler, cq_type>(qp, raddr, value, sig_raddr, sig_laddr, sig_val, code_opt);
}
template __device__ void call_68<uint64_t, DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, uint64_t, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
template __device__ void call_68<uint64_t, DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, uint64_t, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
template __device__ void call_68<uint64_t, DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, uint64_t, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
__device__ void call_default_68(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, uint64_t value, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, uint32_t code_opt) {
    return doca_gpu_dev_verbs_p_signal<uint64_t, DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD>(qp, raddr, value, sig_raddr, sig_laddr, sig_val, code_opt);
}

// doca_gpu_dev_verbs_signal_thread
template <enum doca_gpu_dev_verbs_signal_op sig_op, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_69(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_signal_thread<sig_op, resource_sharing_mode, nic_handler, cq_type>(qp, sig_raddr, sig_laddr, sig_val, out_ticket, code_opt);
}
template __device__ void call_69<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_69<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_69<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
__device__ void call_default_69(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_signal_thread<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD>(qp, sig_raddr, sig_laddr, sig_val, out_ticket, code_opt);
}

// doca_gpu_dev_verbs_signal_warp
template <enum doca_gpu_dev_verbs_signal_op sig_op, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_70(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_signal_warp<sig_op, resource_sharing_mode, nic_handler, cq_type>(qp, sig_raddr, sig_laddr, sig_val, out_ticket, code_opt);
}
template __device__ void call_70<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_70<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_70<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
__device__ void call_default_70(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_signal_warp<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD>(qp, sig_raddr, sig_laddr, sig_val, out_ticket, code_opt);
}

// doca_gpu_dev_verbs_signal
template <enum doca_gpu_dev_verbs_signal_op sig_op, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_exec_scope exec_scope, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_71(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_signal<sig_op, resource_sharing_mode, nic_handler, exec_scope, cq_type>(qp, sig_raddr, sig_laddr, sig_val, out_ticket, code_opt);
}
template __device__ void call_71<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_71<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_71<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, doca_gpu_dev_verbs_ticket_t *, uint32_t);
__device__ void call_default_71(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_signal<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD>(qp, sig_raddr, sig_laddr, sig_val, out_ticket, code_opt);
}

// doca_gpu_dev_verbs_signal
template <enum doca_gpu_dev_verbs_signal_op sig_op, enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_72(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, uint32_t code_opt) {
    return doca_gpu_dev_verbs_signal<sig_op, resource_sharing_mode, nic_handler, cq_type>(qp, sig_raddr, sig_laddr, sig_val, code_opt);
}
template __device__ void call_72<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
template __device__ void call_72<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
template __device__ void call_72<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD, DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, uint64_t, uint32_t);
__device__ void call_default_72(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr sig_raddr, struct doca_gpu_dev_verbs_addr sig_laddr, uint64_t sig_val, uint32_t code_opt) {
    return doca_gpu_dev_verbs_signal<DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD>(qp, sig_raddr, sig_laddr, sig_val, code_opt);
}

// doca_gpu_dev_verbs_get_thread
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_mcst_mode mcst_mode, enum doca_gpu_dev_verbs_blocking_mode blocking_mode, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_73(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, struct doca_gpu_dev_verbs_addr daddr, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_get_thread<resource_sharing_mode, nic_handler, mcst_mode, blocking_mode, cq_type>(qp, raddr, laddr, size, daddr, out_ticket, code_opt);
}
template __device__ void call_73<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_MCST_ENABLED, DOCA_GPUNETIO_VERBS_BLOCKING_MODE_ENABLED, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_73<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_MCST_ENABLED, DOCA_GPUNETIO_VERBS_BLOCKING_MODE_ENABLED, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_73<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_MCST_ENABLED, DOCA_GPUNETIO_VERBS_BLOCKING_MODE_ENABLED, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, doca_gpu_dev_verbs_ticket_t *, uint32_t);
__device__ void call_default_73(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, struct doca_gpu_dev_verbs_addr daddr, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_get_thread(qp, raddr, laddr, size, daddr, out_ticket, code_opt);
}

// doca_gpu_dev_verbs_get_warp
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_mcst_mode mcst_mode, enum doca_gpu_dev_verbs_blocking_mode blocking_mode, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_74(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, struct doca_gpu_dev_verbs_addr daddr, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_get_warp<resource_sharing_mode, nic_handler, mcst_mode, blocking_mode, cq_type>(qp, raddr, laddr, size, daddr, out_ticket, code_opt);
}
template __device__ void call_74<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_MCST_ENABLED, DOCA_GPUNETIO_VERBS_BLOCKING_MODE_ENABLED, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_74<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_MCST_ENABLED, DOCA_GPUNETIO_VERBS_BLOCKING_MODE_ENABLED, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_74<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_MCST_ENABLED, DOCA_GPUNETIO_VERBS_BLOCKING_MODE_ENABLED, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, doca_gpu_dev_verbs_ticket_t *, uint32_t);
__device__ void call_default_74(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, struct doca_gpu_dev_verbs_addr daddr, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_get_warp(qp, raddr, laddr, size, daddr, out_ticket, code_opt);
}

// doca_gpu_dev_verbs_get
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_exec_scope exec_scope, enum doca_gpu_dev_verbs_mcst_mode mcst_mode, enum doca_gpu_dev_verbs_blocking_mode blocking_mode, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_75(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, struct doca_gpu_dev_verbs_addr daddr, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_get<resource_sharing_mode, nic_handler, exec_scope, mcst_mode, blocking_mode, cq_type>(qp, raddr, laddr, size, daddr, out_ticket, code_opt);
}
template __device__ void call_75<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_MCST_ENABLED, DOCA_GPUNETIO_VERBS_BLOCKING_MODE_ENABLED, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_75<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_MCST_ENABLED, DOCA_GPUNETIO_VERBS_BLOCKING_MODE_ENABLED, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_75<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP, DOCA_GPUNETIO_VERBS_MCST_ENABLED, DOCA_GPUNETIO_VERBS_BLOCKING_MODE_ENABLED, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, struct doca_gpu_dev_verbs_addr, size_t, struct doca_gpu_dev_verbs_addr, doca_gpu_dev_verbs_ticket_t *, uint32_t);
__device__ void call_default_75(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr raddr, struct doca_gpu_dev_verbs_addr laddr, size_t size, struct doca_gpu_dev_verbs_addr daddr, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_get(qp, raddr, laddr, size, daddr, out_ticket, code_opt);
}

// doca_gpu_dev_verbs_mcst
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_76(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr daddr, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_mcst<resource_sharing_mode, nic_handler, cq_type>(qp, daddr, out_ticket, code_opt);
}
template __device__ void call_76<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_76<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, doca_gpu_dev_verbs_ticket_t *, uint32_t);
template __device__ void call_76<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, doca_gpu_dev_verbs_ticket_t *, uint32_t);
__device__ void call_default_76(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr daddr, doca_gpu_dev_verbs_ticket_t *out_ticket, uint32_t code_opt) {
    return doca_gpu_dev_verbs_mcst(qp, daddr, out_ticket, code_opt);
}

// doca_priv_gpu_dev_verbs_get_wait
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_mcst_mode mcst_mode, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_77(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr daddr, doca_gpu_dev_verbs_ticket_t ticket) {
    return doca_priv_gpu_dev_verbs_get_wait<resource_sharing_mode, nic_handler, mcst_mode, cq_type>(qp, daddr, ticket);
}
template __device__ void call_77<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_MCST_ENABLED, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, doca_gpu_dev_verbs_ticket_t);
template __device__ void call_77<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_MCST_ENABLED, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, doca_gpu_dev_verbs_ticket_t);
template __device__ void call_77<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_MCST_ENABLED, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, doca_gpu_dev_verbs_ticket_t);
__device__ void call_default_77(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr daddr, doca_gpu_dev_verbs_ticket_t ticket) {
    return doca_priv_gpu_dev_verbs_get_wait(qp, daddr, ticket);
}

// doca_gpu_dev_verbs_get_wait
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_mcst_mode mcst_mode, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_78(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr daddr, doca_gpu_dev_verbs_ticket_t ticket) {
    return doca_gpu_dev_verbs_get_wait<resource_sharing_mode, nic_handler, mcst_mode, cq_type>(qp, daddr, ticket);
}
template __device__ void call_78<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_MCST_ENABLED, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, doca_gpu_dev_verbs_ticket_t);
template __device__ void call_78<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_MCST_ENABLED, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, doca_gpu_dev_verbs_ticket_t);
template __device__ void call_78<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_MCST_ENABLED, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr, doca_gpu_dev_verbs_ticket_t);
__device__ void call_default_78(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr daddr, doca_gpu_dev_verbs_ticket_t ticket) {
    return doca_gpu_dev_verbs_get_wait(qp, daddr, ticket);
}

// doca_gpu_dev_verbs_get_wait
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_mcst_mode mcst_mode, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_79(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr daddr) {
    return doca_gpu_dev_verbs_get_wait<resource_sharing_mode, nic_handler, mcst_mode, cq_type>(qp, daddr);
}
template __device__ void call_79<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_MCST_ENABLED, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr);
template __device__ void call_79<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_MCST_ENABLED, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr);
template __device__ void call_79<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_MCST_ENABLED, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_addr);
__device__ void call_default_79(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_addr daddr) {
    return doca_gpu_dev_verbs_get_wait(qp, daddr);
}

// doca_gpu_dev_verbs_wait
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_80(struct doca_gpu_dev_verbs_qp *qp, doca_gpu_dev_verbs_ticket_t ticket) {
    return doca_gpu_dev_verbs_wait<resource_sharing_mode, nic_handler, cq_type>(qp, ticket);
}
template __device__ void call_80<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, doca_gpu_dev_verbs_ticket_t);
template __device__ void call_80<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, doca_gpu_dev_verbs_ticket_t);
template __device__ void call_80<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, doca_gpu_dev_verbs_ticket_t);
__device__ void call_default_80(struct doca_gpu_dev_verbs_qp *qp, doca_gpu_dev_verbs_ticket_t ticket) {
    return doca_gpu_dev_verbs_wait(qp, ticket);
}

// doca_gpu_dev_verbs_wait
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_81(struct doca_gpu_dev_verbs_qp *qp) {
    return doca_gpu_dev_verbs_wait<resource_sharing_mode, nic_handler, cq_type>(qp);
}
template __device__ void call_81<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *);
template __device__ void call_81<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *);
template __device__ void call_81<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *);
__device__ void call_default_81(struct doca_gpu_dev_verbs_qp *qp) {
    return doca_gpu_dev_verbs_wait(qp);
}

// doca_gpu_dev_verbs_fence
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_82(struct doca_gpu_dev_verbs_qp *qp) {
    return doca_gpu_dev_verbs_fence<resource_sharing_mode, nic_handler, cq_type>(qp);
}
template __device__ void call_82<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *);
template __device__ void call_82<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *);
template __device__ void call_82<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *);
__device__ void call_default_82(struct doca_gpu_dev_verbs_qp *qp) {
    return doca_gpu_dev_verbs_fence(qp);
}

// doca_gpu_dev_verbs_store_wqe_seg
__device__ void call_83(uint64_t *ptr, uint64_t *val) {
    return doca_gpu_dev_verbs_store_wqe_seg(ptr, val);
}

// doca_gpu_dev_verbs_get_wqe_ptr
__device__ struct doca_gpu_dev_verbs_wqe * call_84(struct doca_gpu_dev_verbs_qp *qp, uint16_t wqe_idx) {
    return doca_gpu_dev_verbs_get_wqe_ptr(qp, wqe_idx);
}

// doca_gpu_dev_verbs_get_proxy_ready_ptr
__device__ uint64_t * call_85(struct doca_gpu_dev_verbs_qp *qp, uint16_t slot_idx) {
    return doca_gpu_dev_verbs_get_proxy_ready_ptr(qp, slot_idx);
}

// doca_gpu_dev_verbs_wait_until_slot_available
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_qp_type qp_type, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ void call_86(struct doca_gpu_dev_verbs_qp *qp, uint64_t wqe_idx) {
    return doca_gpu_dev_verbs_wait_until_slot_available<resource_sharing_mode, qp_type, cq_type>(qp, wqe_idx);
}
template __device__ void call_86<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_QP_SQ, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, uint64_t);
template __device__ void call_86<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_QP_SQ, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, uint64_t);
template __device__ void call_86<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_QP_SQ, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, uint64_t);
__device__ void call_default_86(struct doca_gpu_dev_verbs_qp *qp, uint64_t wqe_idx) {
    return doca_gpu_dev_verbs_wait_until_slot_available(qp, wqe_idx);
}

// doca_gpu_dev_verbs_reserve_wq_slots
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_qp_type qp_type, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ uint64_t call_87(struct doca_gpu_dev_verbs_qp *qp, uint32_t count, uint32_t code_opt) {
    return doca_gpu_dev_verbs_reserve_wq_slots<resource_sharing_mode, qp_type, cq_type>(qp, count, code_opt);
}
template __device__ uint64_t call_87<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_QP_SQ, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, uint32_t, uint32_t);
template __device__ uint64_t call_87<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_QP_SQ, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, uint32_t, uint32_t);
template __device__ uint64_t call_87<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_QP_SQ, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, uint32_t, uint32_t);
__device__ uint64_t call_default_87(struct doca_gpu_dev_verbs_qp *qp, uint32_t count, uint32_t code_opt) {
    return doca_gpu_dev_verbs_reserve_wq_slots(qp, count, code_opt);
}

// doca_gpu_dev_verbs_get_ctrl_flags
template <enum doca_gpu_dev_verbs_qp_type qp_type, enum doca_gpu_dev_verbs_cq_type cq_type>
__device__ enum doca_gpu_dev_verbs_wqe_ctrl_flags call_88(struct doca_gpu_dev_verbs_qp *qp, uint32_t code_opt) {
    return doca_gpu_dev_verbs_get_ctrl_flags<qp_type, cq_type>(qp, code_opt);
}
template __device__ enum doca_gpu_dev_verbs_wqe_ctrl_flags call_88<DOCA_GPUNETIO_VERBS_QP_SQ, DOCA_GPUNETIO_VERBS_CQ_UNKNOWN>(struct doca_gpu_dev_verbs_qp *, uint32_t);
__device__ enum doca_gpu_dev_verbs_wqe_ctrl_flags call_default_88(struct doca_gpu_dev_verbs_qp *qp, uint32_t code_opt) {
    return doca_gpu_dev_verbs_get_ctrl_flags(qp, code_opt);
}

// doca_gpu_dev_common_mark_wqes_ready
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_qp_ready_mode ready_mode>
__device__ void call_89(uint64_t &ready_index, uint64_t from_wqe_idx, uint64_t to_wqe_idx) {
    return doca_gpu_dev_common_mark_wqes_ready<resource_sharing_mode, ready_mode>(ready_index, from_wqe_idx, to_wqe_idx);
}
template __device__ void call_89<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_READY_MODE_ATOMIC_CAS>(uint64_t &, uint64_t, uint64_t);
template __device__ void call_89<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_READY_MODE_LD_ST>(uint64_t &, uint64_t, uint64_t);
template __device__ void call_89<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_READY_MODE_ATOMIC_CAS>(uint64_t &, uint64_t, uint64_t);
template __device__ void call_89<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_READY_MODE_LD_ST>(uint64_t &, uint64_t, uint64_t);
template __device__ void call_89<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_READY_MODE_ATOMIC_CAS>(uint64_t &, uint64_t, uint64_t);
template __device__ void call_89<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_READY_MODE_LD_ST>(uint64_t &, uint64_t, uint64_t);
__device__ void call_default_89(uint64_t &ready_index, uint64_t from_wqe_idx, uint64_t to_wqe_idx) {
    return doca_gpu_dev_common_mark_wqes_ready(ready_index, from_wqe_idx, to_wqe_idx);
}

// doca_gpu_dev_verbs_mark_wqes_ready_free_flow
__device__ void call_90(struct doca_gpu_dev_verbs_qp *qp, uint64_t from_wqe_idx, uint64_t to_wqe_idx, uint32_t code_opt) {
    return doca_gpu_dev_verbs_mark_wqes_ready_free_flow(qp, from_wqe_idx, to_wqe_idx, code_opt);
}

// doca_gpu_dev_verbs_mark_wqes_ready
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_qp_type qp_type, enum doca_gpu_dev_verbs_qp_ready_mode ready_mode, enum doca_gpu_dev_verbs_nic_handler nic_handler>
__device__ void call_91(struct doca_gpu_dev_verbs_qp *qp, uint64_t from_wqe_idx, uint64_t to_wqe_idx, uint32_t code_opt) {
    return doca_gpu_dev_verbs_mark_wqes_ready<resource_sharing_mode, qp_type, ready_mode, nic_handler>(qp, from_wqe_idx, to_wqe_idx, code_opt);
}
template __device__ void call_91<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_QP_SQ, DOCA_GPUNETIO_VERBS_READY_MODE_ATOMIC_CAS, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint64_t, uint32_t);
template __device__ void call_91<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_QP_SQ, DOCA_GPUNETIO_VERBS_READY_MODE_LD_ST, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint64_t, uint32_t);
template __device__ void call_91<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_QP_SQ, DOCA_GPUNETIO_VERBS_READY_MODE_ATOMIC_CAS, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint64_t, uint32_t);
template __device__ void call_91<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_QP_SQ, DOCA_GPUNETIO_VERBS_READY_MODE_LD_ST, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint64_t, uint32_t);
template __device__ void call_91<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_QP_SQ, DOCA_GPUNETIO_VERBS_READY_MODE_ATOMIC_CAS, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint64_t, uint32_t);
template __device__ void call_91<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_QP_SQ, DOCA_GPUNETIO_VERBS_READY_MODE_LD_ST, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint64_t, uint32_t);
__device__ void call_default_91(struct doca_gpu_dev_verbs_qp *qp, uint64_t from_wqe_idx, uint64_t to_wqe_idx, uint32_t code_opt) {
    return doca_gpu_dev_verbs_mark_wqes_ready(qp, from_wqe_idx, to_wqe_idx, code_opt);
}

// doca_gpu_dev_verbs_prepare_dbr
__device__ __be32 call_92(uint32_t prod_index) {
    return doca_gpu_dev_verbs_prepare_dbr(prod_index);
}

// doca_gpu_dev_common_update_dbr
__device__ void call_93(uint32_t *dbrec, uint32_t prod_index) {
    return doca_gpu_dev_common_update_dbr(dbrec, prod_index);
}

// doca_priv_gpu_dev_verbs_update_dbr
template <enum doca_gpu_dev_verbs_qp_type qp_type>
__device__ void call_94(struct doca_gpu_dev_verbs_qp *qp, uint32_t prod_index) {
    return doca_priv_gpu_dev_verbs_update_dbr<qp_type>(qp, prod_index);
}
template __device__ void call_94<DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint32_t);
__device__ void call_default_94(struct doca_gpu_dev_verbs_qp *qp, uint32_t prod_index) {
    return doca_priv_gpu_dev_verbs_update_dbr(qp, prod_index);
}

// doca_gpu_dev_verbs_update_dbr
template <enum doca_gpu_dev_verbs_sync_scope sync_scope, enum doca_gpu_dev_verbs_qp_type qp_type>
__device__ void call_95(struct doca_gpu_dev_verbs_qp *qp, uint32_t prod_index, uint32_t code_opt) {
    return doca_gpu_dev_verbs_update_dbr<sync_scope, qp_type>(qp, prod_index, code_opt);
}
template __device__ void call_95<DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint32_t, uint32_t);
template __device__ void call_95<DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint32_t, uint32_t);
__device__ void call_default_95(struct doca_gpu_dev_verbs_qp *qp, uint32_t prod_index, uint32_t code_opt) {
    return doca_gpu_dev_verbs_update_dbr(qp, prod_index, code_opt);
}

// doca_gpu_dev_common_prepare_db
__device__ __be64 call_96(uint32_t qpn_ds, uint64_t prod_index) {
    return doca_gpu_dev_common_prepare_db(qpn_ds, prod_index);
}

// doca_gpu_dev_common_write_db
template <enum doca_gpu_dev_verbs_sync_scope sync_scope>
__device__ void call_97(uint64_t *db_ptr, uint64_t db_val, uint32_t code_opt) {
    return doca_gpu_dev_common_write_db<sync_scope>(db_ptr, db_val, code_opt);
}
template __device__ void call_97<DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(uint64_t *, uint64_t, uint32_t);
template __device__ void call_97<DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>(uint64_t *, uint64_t, uint32_t);
__device__ void call_default_97(uint64_t *db_ptr, uint64_t db_val, uint32_t code_opt) {
    return doca_gpu_dev_common_write_db(db_ptr, db_val, code_opt);
}

// doca_gpu_dev_common_ring_db
template <enum doca_gpu_dev_verbs_sync_scope sync_scope>
__device__ void call_98(uint64_t *db_ptr, uint32_t qpn_ds, uint64_t prod_index, uint32_t code_opt) {
    return doca_gpu_dev_common_ring_db<sync_scope>(db_ptr, qpn_ds, prod_index, code_opt);
}
template __device__ void call_98<DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(uint64_t *, uint32_t, uint64_t, uint32_t);
template __device__ void call_98<DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>(uint64_t *, uint32_t, uint64_t, uint32_t);
__device__ void call_default_98(uint64_t *db_ptr, uint32_t qpn_ds, uint64_t prod_index, uint32_t code_opt) {
    return doca_gpu_dev_common_ring_db(db_ptr, qpn_ds, prod_index, code_opt);
}

// doca_gpu_dev_verbs_prepare_db
__device__ __be64 call_99(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index) {
    return doca_gpu_dev_verbs_prepare_db(qp, prod_index);
}

// doca_gpu_dev_verbs_ring_db
template <enum doca_gpu_dev_verbs_sync_scope sync_scope>
__device__ void call_100(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index, uint32_t code_opt) {
    return doca_gpu_dev_verbs_ring_db<sync_scope>(qp, prod_index, code_opt);
}
template __device__ void call_100<DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
template __device__ void call_100<DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
__device__ void call_default_100(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index, uint32_t code_opt) {
    return doca_gpu_dev_verbs_ring_db(qp, prod_index, code_opt);
}

// doca_gpu_dev_verbs_ring_bf
template <enum doca_gpu_dev_verbs_sync_scope sync_scope>
__device__ void call_101(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr) {
    return doca_gpu_dev_verbs_ring_bf<sync_scope>(qp, wqe_ptr);
}
template __device__ void call_101<DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_wqe *);
template __device__ void call_101<DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_wqe *);
__device__ void call_default_101(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr) {
    return doca_gpu_dev_verbs_ring_bf(qp, wqe_ptr);
}

// doca_gpu_dev_verbs_ring_bf_warp
template <enum doca_gpu_dev_verbs_sync_scope sync_scope>
__device__ void call_102(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr) {
    return doca_gpu_dev_verbs_ring_bf_warp<sync_scope>(qp, wqe_ptr);
}
template __device__ void call_102<DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_wqe *);
template __device__ void call_102<DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_wqe *);
__device__ void call_default_102(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr) {
    return doca_gpu_dev_verbs_ring_bf_warp(qp, wqe_ptr);
}

// doca_gpu_dev_verbs_ring_proxy
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode>
__device__ void call_103(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_idx) {
    return doca_gpu_dev_verbs_ring_proxy<resource_sharing_mode>(qp, prod_idx);
}
template __device__ void call_103<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE>(struct doca_gpu_dev_verbs_qp *, uint64_t);
template __device__ void call_103<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA>(struct doca_gpu_dev_verbs_qp *, uint64_t);
template __device__ void call_103<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU>(struct doca_gpu_dev_verbs_qp *, uint64_t);

// doca_gpu_dev_verbs_submit_db_no_dbr
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_sync_scope sync_scope, enum doca_gpu_dev_verbs_qp_type qp_type>
__device__ void call_104(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index, uint32_t code_opt) {
    return doca_gpu_dev_verbs_submit_db_no_dbr<resource_sharing_mode, sync_scope, qp_type>(qp, prod_index, code_opt);
}
template __device__ void call_104<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
template __device__ void call_104<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
template __device__ void call_104<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
template __device__ void call_104<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
template __device__ void call_104<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
template __device__ void call_104<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
__device__ void call_default_104(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index, uint32_t code_opt) {
    return doca_gpu_dev_verbs_submit_db_no_dbr(qp, prod_index, code_opt);
}

// doca_gpu_dev_verbs_submit_db
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_sync_scope sync_scope, enum doca_gpu_dev_verbs_qp_type qp_type>
__device__ void call_105(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index, uint32_t code_opt) {
    return doca_gpu_dev_verbs_submit_db<resource_sharing_mode, sync_scope, qp_type>(qp, prod_index, code_opt);
}
template __device__ void call_105<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
template __device__ void call_105<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
template __device__ void call_105<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
template __device__ void call_105<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
template __device__ void call_105<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
template __device__ void call_105<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
__device__ void call_default_105(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index, uint32_t code_opt) {
    return doca_gpu_dev_verbs_submit_db(qp, prod_index, code_opt);
}

// doca_gpu_dev_verbs_submit_bf
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_sync_scope sync_scope>
__device__ void call_106(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index, struct doca_gpu_dev_verbs_wqe *smem_wqe, uint32_t code_opt) {
    return doca_gpu_dev_verbs_submit_bf<resource_sharing_mode, sync_scope>(qp, prod_index, smem_wqe, code_opt);
}
template __device__ void call_106<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(struct doca_gpu_dev_verbs_qp *, uint64_t, struct doca_gpu_dev_verbs_wqe *, uint32_t);
template __device__ void call_106<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>(struct doca_gpu_dev_verbs_qp *, uint64_t, struct doca_gpu_dev_verbs_wqe *, uint32_t);
template __device__ void call_106<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(struct doca_gpu_dev_verbs_qp *, uint64_t, struct doca_gpu_dev_verbs_wqe *, uint32_t);
template __device__ void call_106<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>(struct doca_gpu_dev_verbs_qp *, uint64_t, struct doca_gpu_dev_verbs_wqe *, uint32_t);
template __device__ void call_106<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(struct doca_gpu_dev_verbs_qp *, uint64_t, struct doca_gpu_dev_verbs_wqe *, uint32_t);
template __device__ void call_106<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>(struct doca_gpu_dev_verbs_qp *, uint64_t, struct doca_gpu_dev_verbs_wqe *, uint32_t);
__device__ void call_default_106(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index, struct doca_gpu_dev_verbs_wqe *smem_wqe, uint32_t code_opt) {
    return doca_gpu_dev_verbs_submit_bf(qp, prod_index, smem_wqe, code_opt);
}

// doca_gpu_dev_verbs_submit_bf_warp
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_sync_scope sync_scope>
__device__ void call_107(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index, struct doca_gpu_dev_verbs_wqe *wqe, uint32_t code_opt) {
    return doca_gpu_dev_verbs_submit_bf_warp<resource_sharing_mode, sync_scope>(qp, prod_index, wqe, code_opt);
}
template __device__ void call_107<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(struct doca_gpu_dev_verbs_qp *, uint64_t, struct doca_gpu_dev_verbs_wqe *, uint32_t);
template __device__ void call_107<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>(struct doca_gpu_dev_verbs_qp *, uint64_t, struct doca_gpu_dev_verbs_wqe *, uint32_t);
template __device__ void call_107<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(struct doca_gpu_dev_verbs_qp *, uint64_t, struct doca_gpu_dev_verbs_wqe *, uint32_t);
template __device__ void call_107<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>(struct doca_gpu_dev_verbs_qp *, uint64_t, struct doca_gpu_dev_verbs_wqe *, uint32_t);
template __device__ void call_107<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(struct doca_gpu_dev_verbs_qp *, uint64_t, struct doca_gpu_dev_verbs_wqe *, uint32_t);
template __device__ void call_107<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>(struct doca_gpu_dev_verbs_qp *, uint64_t, struct doca_gpu_dev_verbs_wqe *, uint32_t);
__device__ void call_default_107(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index, struct doca_gpu_dev_verbs_wqe *wqe, uint32_t code_opt) {
    return doca_gpu_dev_verbs_submit_bf_warp(qp, prod_index, wqe, code_opt);
}

// doca_gpu_dev_verbs_submit_proxy
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_sync_scope sync_scope>
__device__ void call_108(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index, uint32_t code_opt) {
    return doca_gpu_dev_verbs_submit_proxy<resource_sharing_mode, sync_scope>(qp, prod_index, code_opt);
}
template __device__ void call_108<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
template __device__ void call_108<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
template __device__ void call_108<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
template __device__ void call_108<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
template __device__ void call_108<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
template __device__ void call_108<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
__device__ void call_default_108(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index, uint32_t code_opt) {
    return doca_gpu_dev_verbs_submit_proxy(qp, prod_index, code_opt);
}

// doca_gpu_dev_verbs_submit
template <enum doca_gpu_dev_verbs_resource_sharing_mode resource_sharing_mode, enum doca_gpu_dev_verbs_sync_scope sync_scope, enum doca_gpu_dev_verbs_nic_handler nic_handler, enum doca_gpu_dev_verbs_qp_type qp_type>
__device__ void call_109(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index, uint32_t code_opt) {
    return doca_gpu_dev_verbs_submit<resource_sharing_mode, sync_scope, nic_handler, qp_type>(qp, prod_index, code_opt);
}
template __device__ void call_109<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
template __device__ void call_109<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
template __device__ void call_109<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
template __device__ void call_109<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
template __device__ void call_109<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
template __device__ void call_109<DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU, DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA, DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO, DOCA_GPUNETIO_VERBS_QP_SQ>(struct doca_gpu_dev_verbs_qp *, uint64_t, uint32_t);
__device__ void call_default_109(struct doca_gpu_dev_verbs_qp *qp, uint64_t prod_index, uint32_t code_opt) {
    return doca_gpu_dev_verbs_submit(qp, prod_index, code_opt);
}

// doca_gpu_dev_verbs_wqe_prepare_nop
__device__ void call_110(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr, const uint16_t wqe_idx, enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags) {
    return doca_gpu_dev_verbs_wqe_prepare_nop(qp, wqe_ptr, wqe_idx, ctrl_flags);
}

// doca_gpu_dev_verbs_wqe_prepare_write
__device__ void call_111(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr, const uint16_t wqe_idx, const uint32_t opcode, enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags, const uint32_t immediate, const uint64_t raddr, const uint32_t rkey, const uint64_t laddr0, const uint32_t lkey0, const uint32_t bytes0) {
    return doca_gpu_dev_verbs_wqe_prepare_write(qp, wqe_ptr, wqe_idx, opcode, ctrl_flags, immediate, raddr, rkey, laddr0, lkey0, bytes0);
}

// doca_gpu_dev_verbs_wqe_prepare_write
__device__ void call_112(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr, const uint16_t wqe_idx, const uint32_t opcode, enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags, const uint32_t immediate, const uint64_t raddr, const uint32_t rkey, const uint64_t laddr0, const uint32_t lkey0, const uint32_t bytes0, const uint64_t laddr1, const uint32_t lkey1, const uint32_t bytes1) {
    return doca_gpu_dev_verbs_wqe_prepare_write(qp, wqe_ptr, wqe_idx, opcode, ctrl_flags, immediate, raddr, rkey, laddr0, lkey0, bytes0, laddr1, lkey1, bytes1);
}

// doca_gpu_dev_verbs_prepare_inl_rdma_write_wqe_header
__device__ void call_113(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr, const uint16_t wqe_idx, enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags, const uint64_t raddr, const uint32_t rkey, const uint32_t bytes) {
    return doca_gpu_dev_verbs_prepare_inl_rdma_write_wqe_header(qp, wqe_ptr, wqe_idx, ctrl_flags, raddr, rkey, bytes);
}

// doca_gpu_dev_verbs_prepare_inl_rdma_write_wqe_data
template <typename T>
__device__ void call_114(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr, T data) {
    return doca_gpu_dev_verbs_prepare_inl_rdma_write_wqe_data<T>(qp, wqe_ptr, data);
}
template __device__ void call_114<uint64_t>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_wqe *, uint64_t);

// doca_gpu_dev_verbs_wqe_prepare_write_inl
__device__ void call_115(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr, const uint16_t wqe_idx, enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags, const uint64_t raddr, const uint32_t rkey, const uint64_t laddr, const uint32_t bytes) {
    return doca_gpu_dev_verbs_wqe_prepare_write_inl(qp, wqe_ptr, wqe_idx, ctrl_flags, raddr, rkey, laddr, bytes);
}

// doca_gpu_dev_verbs_wqe_prepare_read
__device__ void call_116(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr, const uint16_t wqe_idx, enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags, const uint64_t raddr, const uint32_t rkey, const uint64_t laddr0, const uint32_t lkey0, const uint32_t bytes0) {
    return doca_gpu_dev_verbs_wqe_prepare_read(qp, wqe_ptr, wqe_idx, ctrl_flags, raddr, rkey, laddr0, lkey0, bytes0);
}

// doca_gpu_dev_verbs_wqe_prepare_read
__device__ void call_117(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr, const uint16_t wqe_idx, enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags, const uint64_t raddr, const uint32_t rkey, const uint64_t laddr0, const uint32_t lkey0, const uint32_t bytes0, const uint64_t laddr1, const uint32_t lkey1, const uint32_t bytes1) {
    return doca_gpu_dev_verbs_wqe_prepare_read(qp, wqe_ptr, wqe_idx, ctrl_flags, raddr, rkey, laddr0, lkey0, bytes0, laddr1, lkey1, bytes1);
}

// doca_gpu_dev_verbs_wqe_prepare_atomic
__device__ void call_118(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr, const uint16_t wqe_idx, const uint32_t opcode, enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags, const uint64_t raddr, const uint32_t rkey, const uint64_t laddr, const uint32_t lkey, const uint32_t bytes, const uint64_t compare_add, const uint64_t swap_add) {
    return doca_gpu_dev_verbs_wqe_prepare_atomic(qp, wqe_ptr, wqe_idx, opcode, ctrl_flags, raddr, rkey, laddr, lkey, bytes, compare_add, swap_add);
}

// doca_gpu_dev_verbs_wqe_prepare_atomic_ext
template <enum doca_gpu_dev_verbs_atomic_ext_bytes bytes>
__device__ void call_119(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr0, struct doca_gpu_dev_verbs_wqe *wqe_ptr1, const uint16_t wqe_idx, const uint32_t opcode, enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags, const uint64_t raddr, const uint32_t rkey, const uint64_t laddr, const uint32_t lkey, const uint64_t add_data, const uint64_t field_boundary, const uint64_t swap_data, const uint64_t compare_data, const uint64_t swap_mask, const uint64_t compare_mask) {
    return doca_gpu_dev_verbs_wqe_prepare_atomic_ext<bytes>(qp, wqe_ptr0, wqe_ptr1, wqe_idx, opcode, ctrl_flags, raddr, rkey, laddr, lkey, add_data, field_boundary, swap_data, compare_data, swap_mask, compare_mask);
}
template __device__ void call_119<DOCA_GPUNETIO_VERBS_ATOMIC_EXT_BYTES_4>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_wqe *, struct doca_gpu_dev_verbs_wqe *, const uint16_t, const uint32_t, enum doca_gpu_dev_verbs_wqe_ctrl_flags, const uint64_t, const uint32_t, const uint64_t, const uint32_t, const uint64_t, const uint64_t, const uint64_t, const uint64_t, const uint64_t, const uint64_t);
template __device__ void call_119<DOCA_GPUNETIO_VERBS_ATOMIC_EXT_BYTES_8>(struct doca_gpu_dev_verbs_qp *, struct doca_gpu_dev_verbs_wqe *, struct doca_gpu_dev_verbs_wqe *, const uint16_t, const uint32_t, enum doca_gpu_dev_verbs_wqe_ctrl_flags, const uint64_t, const uint32_t, const uint64_t, const uint32_t, const uint64_t, const uint64_t, const uint64_t, const uint64_t, const uint64_t, const uint64_t);
__device__ void call_default_119(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr0, struct doca_gpu_dev_verbs_wqe *wqe_ptr1, const uint16_t wqe_idx, const uint32_t opcode, enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags, const uint64_t raddr, const uint32_t rkey, const uint64_t laddr, const uint32_t lkey, const uint64_t add_data, const uint64_t field_boundary, const uint64_t swap_data, const uint64_t compare_data, const uint64_t swap_mask, const uint64_t compare_mask) {
    return doca_gpu_dev_verbs_wqe_prepare_atomic_ext(qp, wqe_ptr0, wqe_ptr1, wqe_idx, opcode, ctrl_flags, raddr, rkey, laddr, lkey, add_data, field_boundary, swap_data, compare_data, swap_mask, compare_mask);
}

// doca_gpu_dev_verbs_wqe_prepare_wait
__device__ void call_120(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr, uint16_t wqe_idx, enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags, const uint32_t max_index, const uint32_t qpn_cqn) {
    return doca_gpu_dev_verbs_wqe_prepare_wait(qp, wqe_ptr, wqe_idx, ctrl_flags, max_index, qpn_cqn);
}

// doca_gpu_dev_verbs_wqe_prepare_dump
__device__ void call_121(struct doca_gpu_dev_verbs_qp *qp, struct doca_gpu_dev_verbs_wqe *wqe_ptr, const uint16_t wqe_idx, enum doca_gpu_dev_verbs_wqe_ctrl_flags ctrl_flags, const uint64_t laddr, const uint32_t lkey, const uint32_t bytes) {
    return doca_gpu_dev_verbs_wqe_prepare_dump(qp, wqe_ptr, wqe_idx, ctrl_flags, laddr, lkey, bytes);
}
