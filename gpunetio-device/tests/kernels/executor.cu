// Kernels that show what the CPU executor promises. Each writes what it saw for the test to compare.
#include "doca_gpunetio_device.h"

// Shuffles, votes and matches of a full warp: eight words a thread.
__global__ void exec_warp(uint64_t *out) {
    uint32_t lane = threadIdx.x % 32;
    uint64_t *mine = out + 8 * threadIdx.x;
    uint64_t value = 0x100000000ull * lane + threadIdx.x;
    mine[0] = __shfl_sync(0xffffffffu, value, (int)((lane + 5) % 32));
    mine[1] = __shfl_xor_sync(0xffffffffu, lane, 1);
    mine[2] = __shfl_up_sync(0xffffffffu, lane, 2);
    mine[3] = __shfl_down_sync(0xffffffffu, lane, 2);
    mine[4] = __ballot_sync(0xffffffffu, lane % 3 == 0);
    mine[5] = __match_any_sync(0xffffffffu, (uint64_t)(lane / 8));
    mine[6] = (uint64_t)__any_sync(0xffffffffu, lane == 7) << 1 | (uint64_t)__all_sync(0xffffffffu, lane < 31);
    mine[7] = __shfl_sync(0xffffffffu, lane, 3, 8);
}
GPUNETIO_CPU_KERNEL(exec_warp);

// Active masks: together, diverged, and with lanes that wait for the diverged ones.
__global__ void exec_active_mask(uint64_t *out, uint32_t *flag) {
    uint32_t lane = threadIdx.x;
    uint64_t *mine = out + 3 * lane;
    mine[0] = __activemask();
    if (lane % 4 == 0) {
        mine[1] = __activemask();
        mine[2] = __shfl_sync((unsigned)mine[1], lane, 4);
        __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    } else if (lane % 4 == 1) {
        mine[1] = __activemask();
    } else {
        // These wait for a lane of the first group; it must not wait for them.
        while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) gpunetio_relax();
        mine[1] = 0;
    }
}
GPUNETIO_CPU_KERNEL(exec_active_mask);

// Subsets of a warp synchronize apart from each other.
__global__ void exec_sub_warp(uint64_t *out) {
    uint32_t lane = threadIdx.x;
    uint32_t half = lane < 16 ? 0x0000ffffu : 0xffff0000u;
    uint64_t sum = 0;
    for (uint32_t round = 0; round < (lane < 16 ? 3u : 5u); round++) {
        sum += __shfl_sync(half, (uint64_t)lane, lane < 16 ? 0 : 16);
        __syncwarp(half);
    }
    out[lane] = sum;
}
GPUNETIO_CPU_KERNEL(exec_sub_warp);

// Static and dynamic shared memory and block barriers: reverses the block's part twice.
__global__ void exec_shared(uint64_t *data) {
    __shared__ uint64_t fixed[256];
    GPUNETIO_DYNAMIC_SHARED(uint64_t, dynamic);
    uint32_t t = threadIdx.x, n = blockDim.x;
    uint64_t *mine = data + (uint64_t)blockIdx.x * n;
    fixed[t] = mine[t];
    __syncthreads();
    dynamic[t] = fixed[n - 1 - t] + 1;
    __syncthreads();
    mine[t] = dynamic[n - 1 - t] + 10 * (uint64_t)__syncthreads_count(t % 2 == 0);
}
GPUNETIO_CPU_KERNEL(exec_shared);

// Every thread of every block once, with its indices.
__global__ void exec_grid(uint32_t *seen, uint64_t *blocks) {
    uint32_t block = (blockIdx.z * gridDim.y + blockIdx.y) * gridDim.x + blockIdx.x;
    uint32_t thread = (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x;
    atomicAdd(&seen[block * blockDim.x * blockDim.y * blockDim.z + thread], 1u);
    if (thread == 0) atomicAdd(blocks, (uint64_t)1);
}
GPUNETIO_CPU_KERNEL(exec_grid);

// Lanes leave before a barrier and a warp operation that name them: they count as arrived.
__global__ void exec_early_exit(uint64_t *out) {
    if (threadIdx.x % 2 == 1) return;
    __syncwarp();
    uint64_t votes = __ballot_sync(0xffffffffu, 1);
    __syncthreads();
    out[threadIdx.x] = votes;
}
GPUNETIO_CPU_KERNEL(exec_early_exit);

// Can never end: half of the warp in a shuffle over all, half in the block barrier.
__global__ void exec_deadlock(uint64_t *out) {
    if (threadIdx.x < 16)
        out[0] = __shfl_sync(0xffffffffu, out[0], 0);
    else
        __syncthreads();
}
GPUNETIO_CPU_KERNEL(exec_deadlock);

// A mask without the caller.
__global__ void exec_bad_mask(uint64_t *out) {
    out[threadIdx.x] = __ballot_sync(threadIdx.x == 3 ? 0x7u : 0xffffffffu, 1);
}
GPUNETIO_CPU_KERNEL(exec_bad_mask);

// Waits for the host. One thread or many.
__global__ void exec_wait(uint32_t *flag, uint64_t *out, uint8_t small) {
    while (__atomic_load_n(flag, __ATOMIC_ACQUIRE) == 0) gpunetio_relax();
    if (threadIdx.x == 0) atomicAdd(out, (uint64_t)small);
}
GPUNETIO_CPU_KERNEL(exec_wait);

// Time goes on, also across a sleep.
__global__ void exec_time(uint64_t *out) {
    uint64_t start = gpunetio_globaltimer();
    long long ticks = clock64();
    __nanosleep(200000);
    out[2 * threadIdx.x] = gpunetio_globaltimer() - start;
    out[2 * threadIdx.x + 1] = (uint64_t)(clock64() - ticks);
}
GPUNETIO_CPU_KERNEL(exec_time);
