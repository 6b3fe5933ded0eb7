//! What a GPUNetIO kernel sees: exported queue images, kernel loading and the CPU executor
