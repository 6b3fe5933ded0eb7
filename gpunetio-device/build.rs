//! Compiles the C half of the CPU executor, and the kernels of this crate's tests when they are asked for.

fn main() {
    println!("cargo:rerun-if-changed=src/executor/current.c");
    println!("cargo:rerun-if-changed=../include");
    cc::Build::new()
        .file("src/executor/current.c")
        .include("../include")
        .std("c11")
        .warnings(true)
        .extra_warnings(true)
        .opt_level(3)
        .compile("gpunetio_executor_current");

    if std::env::var_os("CARGO_FEATURE_TEST_KERNELS").is_some() {
        println!("cargo:rerun-if-changed=tests/kernels");
        cc::Build::new()
            .cpp(true)
            .files(
                ["golden", "executor", "posting", "companion"]
                    .map(|name| format!("tests/kernels/{name}.cu")),
            )
            .include("../include")
            .std("c++17")
            .flag("-xc++")
            .warnings(true)
            .extra_warnings(true)
            .opt_level(2)
            .compile("gpunetio_device_test_kernels");
    }
}
