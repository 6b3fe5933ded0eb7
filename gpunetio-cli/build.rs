//! Compiles the kernels of `gpunetio perf` for the CPU executor.

fn main() {
    println!("cargo:rerun-if-changed=kernels");
    println!("cargo:rerun-if-changed=../include");
    cc::Build::new()
        .cpp(true)
        .file("kernels/perf.cu")
        .include("../include")
        .include("kernels")
        .std("c++17")
        .flag("-xc++")
        .warnings(true)
        .extra_warnings(true)
        .opt_level(3)
        .compile("gpunetio_perf_kernels");
}
