//! Compiles the C half of the CPU executor: the thread-local that host-compiled kernels read.

fn main() {
    println!("cargo:rerun-if-changed=src/executor/current.c");
    println!("cargo:rerun-if-changed=../include/device/gpunetio_cpu_executor.h");
    cc::Build::new()
        .file("src/executor/current.c")
        .include("../include")
        .std("c11")
        .warnings(true)
        .extra_warnings(true)
        .opt_level(3)
        .compile("gpunetio_executor_current");
}
