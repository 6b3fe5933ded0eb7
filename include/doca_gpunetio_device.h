/*
 * The GPUNetIO verbs device API in one include: `-I include` is all it needs.
 *
 * One source for three compilers: nvcc and clang (-x cuda), NVRTC, and a host C++17 compiler, which builds the same
 * kernels for the CPU executor of gpunetio-device.
 */
#ifndef DOCA_GPUNETIO_DEVICE_H
#define DOCA_GPUNETIO_DEVICE_H

#include "common/doca_gpunetio_verbs_def.h"
#include "common/doca_gpunetio_verbs_dev.h"
#ifndef __CUDACC_RTC__
#include "device/gpunetio_prm_check.h"
#endif
#include "device/doca_gpunetio_dev_verbs_onesided.cuh"
#include "device/doca_gpunetio_dev_verbs_counter.cuh"

#endif
