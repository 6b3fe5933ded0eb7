/*
 * The running CUDA thread of this OS thread. In C because stable Rust has no
 * native thread-local that C++ can read without a call, and threadIdx is read
 * often.
 */
#include "device/gpunetio_cpu_executor.h"

__thread struct gpunetio_cpu_lane *gpunetio_cpu_current;

struct gpunetio_cpu_lane *gpunetio_cpu_get_current(void);
void gpunetio_cpu_set_current(struct gpunetio_cpu_lane *lane);
uint32_t gpunetio_cpu_active_mask_at(const void *site);

struct gpunetio_cpu_lane *gpunetio_cpu_get_current(void) {
  return gpunetio_cpu_current;
}

void gpunetio_cpu_set_current(struct gpunetio_cpu_lane *lane) {
  gpunetio_cpu_current = lane;
}

/* The return address tells one call in the kernel's source from another. */
uint32_t gpunetio_cpu_active_mask(void) {
  return gpunetio_cpu_active_mask_at(__builtin_return_address(0));
}
