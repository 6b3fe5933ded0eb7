//! The C ABI of gpunetio under the public doca_* names
