/*
 * What a kernel asks of the machine: loads, stores, fences and atomics at a scope, byte swap, lanes, barriers, time, relax.
 *
 * Two implementations with one interface: PTX, and host C++ on top of the CPU executor. Everything above this file is one
 * source. The functions are `gpunetio_*`; the scope of a memory operation is a template argument.
 */
#ifndef GPUNETIO_PLATFORM_CUH
#define GPUNETIO_PLATFORM_CUH

#include "../common/doca_gpunetio_verbs_def.h"

/** Who takes part in a memory operation. */
enum gpunetio_scope {
    GPUNETIO_SCOPE_THREAD = 0, /**< nobody else: plain accesses */
    GPUNETIO_SCOPE_CTA = 1,    /**< the threads of one block */
    GPUNETIO_SCOPE_GPU = 2,    /**< the threads of one device */
    GPUNETIO_SCOPE_SYS = 3,    /**< also the CPU and the NIC */
};

#if defined(__CUDACC__) || defined(__CUDACC_RTC__) || (defined(__clang__) && defined(__CUDA__))
#define GPUNETIO_ON_CUDA 1
#include "gpunetio_platform_cuda.cuh"
#else
#define GPUNETIO_ON_CUDA 0
#include "gpunetio_platform_cpu.h"
#endif

#endif
