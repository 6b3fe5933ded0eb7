//! The `gpunetio` command.
fn main() {}
