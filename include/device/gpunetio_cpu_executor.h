/*
 * How a kernel that a host C++ compiler built meets the CPU executor.
 *
 * The executor (gpunetio-device, Rust) runs every CUDA thread of a block as a fiber on one OS thread and defines the
 * `gpunetio_cpu_*` functions below. A kernel is exported to it by GPUNETIO_CPU_KERNEL, which gives an argument list in the
 * shape of cuLaunchKernel.
 */
#ifndef GPUNETIO_CPU_EXECUTOR_H
#define GPUNETIO_CPU_EXECUTOR_H

#include <stddef.h>
#include <stdint.h>

/** A three-dimensional index, as threadIdx and blockIdx are. */
struct uint3 {
    unsigned int x, y, z;
};

/** A three-dimensional extent, as blockDim and gridDim are. */
struct dim3 {
    unsigned int x, y, z;
#ifdef __cplusplus
    constexpr dim3(unsigned int vx = 1, unsigned int vy = 1, unsigned int vz = 1) : x(vx), y(vy), z(vz) {}
#endif
};

/** What the running CUDA thread is. One per fiber; layout mirrored by the executor. */
struct gpunetio_cpu_lane {
    struct uint3 thread_idx;
    struct uint3 block_idx;
    struct uint3 block_dim;
    struct uint3 grid_dim;
    uint32_t lane; /**< index in its warp */
    uint32_t solo; /**< 1: the block has one thread and runs without fibers */
    void *dynamic_shared;
    uint64_t dynamic_shared_bytes;
};

/** What a warp-wide operation computes. */
enum gpunetio_cpu_warp_op {
    GPUNETIO_CPU_WARP_SYNC = 0,
    GPUNETIO_CPU_WARP_BALLOT = 1,
    GPUNETIO_CPU_WARP_SHUFFLE = 2,
    GPUNETIO_CPU_WARP_MATCH = 3,
};

/** What a block-wide barrier computes. */
enum gpunetio_cpu_block_op {
    GPUNETIO_CPU_BLOCK_SYNC = 0,
    GPUNETIO_CPU_BLOCK_COUNT = 1,
};

/** A kernel as the executor takes it: where it starts and how large its arguments are. */
struct gpunetio_cpu_kernel {
    void (*entry)(void *const *args);
    uint32_t num_args;
    const uint32_t *arg_bytes;
    const char *name;
};

#ifdef __cplusplus
extern "C" {
#endif

/** The CUDA thread that this OS thread runs now; null outside a kernel. A block never changes its OS thread. */
extern __thread struct gpunetio_cpu_lane *gpunetio_cpu_current;

/** Lets other fibers of the block, then other OS threads, run. Wait loops call it in every turn. */
void gpunetio_cpu_relax(void);
/** Sleeps about ns nanoseconds while the other fibers run. */
void gpunetio_cpu_nanosleep(uint32_t ns);
/** One warp-wide operation over the lanes of mask; source is the lane that a shuffle reads. */
uint64_t gpunetio_cpu_warp(uint32_t op, uint32_t mask, uint64_t value, uint32_t source);
/** The lanes that reached this call together; calls are told apart by their return address. */
uint32_t gpunetio_cpu_active_mask(void);
/** A barrier over the block; COUNT returns how many threads passed a value other than 0. */
uint32_t gpunetio_cpu_block(uint32_t op, uint32_t value);
/** Nanoseconds of a monotonic clock. */
uint64_t gpunetio_cpu_globaltimer(void);

#ifdef __cplusplus
}

/** Unpacks an argument array for a kernel of these parameter types. */
template <typename... Args>
struct gpunetio_cpu_signature {
    static constexpr uint32_t count = sizeof...(Args);
    static constexpr uint32_t bytes[sizeof...(Args) + 1] = {(uint32_t)sizeof(Args)..., 0};

    template <size_t... I>
    struct indices {};
    template <size_t N, size_t... I>
    struct up_to : up_to<N - 1, N - 1, I...> {};
    template <size_t... I>
    struct up_to<0, I...> {
        typedef indices<I...> type;
    };

    template <size_t... I>
    static void call(void (*kernel)(Args...), void *const *args, indices<I...>) {
        (void)args;
        kernel(*(Args *)args[I]...);
    }
    static void run(void (*kernel)(Args...), void *const *args) {
        call(kernel, args, typename up_to<sizeof...(Args)>::type());
    }
};

template <typename... Args>
gpunetio_cpu_signature<Args...> gpunetio_cpu_signature_of(void (*)(Args...));

/*
 * Exports a kernel to the CPU executor as the C object `gpunetio_kernel_<name>`; the second form takes any expression that
 * names a kernel, such as a template instance. Parameters must be trivially copyable. Nothing under a CUDA compiler.
 */
#define GPUNETIO_CPU_KERNEL(name) GPUNETIO_CPU_KERNEL_AS(name, name)
#define GPUNETIO_CPU_KERNEL_AS(name, ...)                                                      \
    static void gpunetio_kernel_entry_##name(void *const *args) noexcept {                     \
        decltype(gpunetio_cpu_signature_of(__VA_ARGS__))::run(__VA_ARGS__, args);              \
    }                                                                                          \
    extern "C" const struct gpunetio_cpu_kernel gpunetio_kernel_##name;                        \
    const struct gpunetio_cpu_kernel gpunetio_kernel_##name = {                                \
        gpunetio_kernel_entry_##name, decltype(gpunetio_cpu_signature_of(__VA_ARGS__))::count, \
        decltype(gpunetio_cpu_signature_of(__VA_ARGS__))::bytes, #name}
#endif

#endif
