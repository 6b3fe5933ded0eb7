//! The route of gpunetio into the closed DOCA SDK libraries
