//! `gpunetio perf` as its user runs it: real kernels, the software NIC, verified memory.
#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::{Command, Output};
use std::sync::{Mutex, PoisonError};

use serde_json::Value;

/// Runs spin on as many cores as there are; two at a time would wait for each other's time slices.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

fn gpunetio(line: &str) -> Output {
    let _alone = ONE_AT_A_TIME.lock().unwrap_or_else(PoisonError::into_inner);
    Command::new(env!("CARGO_BIN_EXE_gpunetio"))
        .args(line.split_whitespace())
        .env("GPUNETIO_NIC", "softnic")
        .env("GPUNETIO_SOFTNIC_STRICT", "1")
        .env_remove("DOCA_SDK_LIB_PATH")
        .env_remove("GPUNETIO_MODE")
        .output()
        .unwrap()
}

fn perf(line: &str) -> Value {
    let run = gpunetio(&format!("perf {line} --json"));
    let errors = String::from_utf8_lossy(&run.stderr);
    assert!(run.status.success(), "perf {line}: {errors}");
    // Strict mode names a client's mistakes by warnings; our own headers and core must make none.
    assert!(errors.is_empty(), "perf {line} warns: {errors}");
    let object: Value = serde_json::from_slice(&run.stdout).unwrap();
    for row in object["rows"].as_array().unwrap() {
        assert_eq!(row["verified"], true, "perf {line}: {row}");
    }
    object
}

#[test]
fn every_mode_verifies_small_odd_and_large_messages() {
    for mode in ["put", "get", "put-signal", "write", "lat"] {
        let object = perf(&format!("{mode} --size 1,8,13,4097,1m --iters 50"));
        let sizes: Vec<_> =
            object["rows"].as_array().unwrap().iter().map(|row| &row["size"]).collect();
        assert_eq!(sizes, [1, 8, 13, 4097, 1 << 20], "{mode}");
    }
}

#[test]
fn the_json_object_has_the_documented_fields() {
    let object = perf("put --size 8,1m --iters 100");
    assert_eq!(object["gpu"], "cpu executor");
    assert_eq!(object["nic"], "softnic mlx5_0");
    assert_eq!(object["mode"], "put");
    for row in object["rows"].as_array().unwrap() {
        assert_eq!(row["iters"], 100);
        for field in ["mb_per_s", "msg_per_s", "lat_p50_ns", "lat_p99_ns"] {
            assert!(row[field].as_f64().unwrap() > 0.0, "{field}: {row}");
        }
    }
    for (group, field) in [
        ("floors", "memcpy_mb_per_s"),
        ("floors", "cacheline_rtt_ns"),
        ("ratios", "memcpy_1mib"),
        ("ratios", "latency_over_rtt"),
    ] {
        assert!(object[group][field].as_f64().unwrap() > 0.0, "{group}.{field}: {object}");
    }
}

#[test]
fn every_handler_sharing_and_scope_works_together() {
    for handler in ["doorbell", "blueflame", "no-dbr", "proxy"] {
        for sharing in ["exclusive", "cta", "gpu"] {
            for scope in ["thread", "warp"] {
                let qps = if sharing == "exclusive" && scope == "thread" { 32 } else { 1 };
                perf(&format!(
                    "put --size 64 --iters 40 --threads 32 --qps {qps} --depth 128 \
                     --handler {handler} --sharing {sharing} --scope {scope}"
                ));
            }
        }
    }
}

#[test]
fn every_mode_works_at_every_scope_and_sharing() {
    for mode in ["get", "put-signal", "write", "lat"] {
        for sharing in ["exclusive", "cta", "gpu"] {
            for scope in ["thread", "warp"] {
                let qps = if sharing == "exclusive" && scope == "thread" { 32 } else { 1 };
                perf(&format!(
                    "{mode} --size 64 --iters 40 --threads 32 --qps {qps} --sharing {sharing} --scope {scope}"
                ));
            }
        }
    }
}

#[test]
fn one_thread_serves_many_qps_and_many_blocks_share_one() {
    perf("put --size 8 --iters 3000 --qps 1024 --depth 64");
    perf("put-signal --size 8 --iters 100 --blocks 6 --threads 32 --scope warp");
}

#[test]
fn more_posts_than_a_16_bit_index_counts_wrap_cleanly() {
    perf("put --size 8 --iters 70000 --depth 32768 --sharing exclusive");
}

#[test]
fn operations_of_no_bytes_complete() {
    for mode in ["put", "get", "put-signal", "write", "lat"] {
        let object = perf(&format!("{mode} --size 0 --iters 100"));
        assert_eq!(object["rows"][0]["mb_per_s"], 0.0, "{mode}");
    }
}

#[test]
fn a_terminal_shows_progress_and_a_clean_table() {
    // util-linux' script gives the command a terminal.
    let command = format!("{} perf put --size 8,64 --iters 10", env!("CARGO_BIN_EXE_gpunetio"));
    let run = Command::new("script")
        .args(["-qec", &command, "/dev/null"])
        .env("GPUNETIO_NIC", "softnic")
        .env("TERM", "xterm")
        .output();
    let Ok(run) = run else {
        eprintln!("SKIPPED: this test needs script, of util-linux");
        return;
    };
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && text.contains("sizes") && text.contains("verified"), "{text}");
}

#[test]
fn bad_input_is_named_and_fails() {
    for (line, message) in [
        ("perf put --gpu 99", "\"99\""),
        ("perf put --gpu tpu", "\"tpu\""),
        ("perf put --gpu 0000:99:00.0", "0000:99:00.0"),
        ("perf put --nic mlx5_9", "mlx5_9"),
        ("perf put --depth 0", "--depth 0"),
        ("perf put --depth 100", "--depth 100"),
        ("perf put --depth 1048576", "1048576"),
        ("perf put --size 4611686018427387904", "4611686018427387904"),
        ("perf put --size eight", "'eight' is not a size"),
        ("perf put --threads 1025", "1025"),
        ("perf sideways", "sideways"),
    ] {
        let run = gpunetio(line);
        let errors = String::from_utf8_lossy(&run.stderr);
        assert!(!run.status.success(), "{line} succeeds");
        assert!(errors.contains(message), "{line}: {errors}");
        assert!(run.stdout.is_empty() || !line.contains("--json"), "{line} prints results");
    }
}

#[test]
fn unknown_values_in_the_environment_are_named() {
    for (name, value) in [
        ("GPUNETIO_NIC", "maybe"),
        ("GPUNETIO_MODE", "sdk"),
        ("GPUNETIO_SOFTNIC_DEVICES", "0"),
        ("DOCA_SDK_LIB_PATH", "/nowhere"),
    ] {
        let run = Command::new(env!("CARGO_BIN_EXE_gpunetio"))
            .args(["perf", "put", "--size", "8", "--iters", "1"])
            .env(name, value)
            .output()
            .unwrap();
        let errors = String::from_utf8_lossy(&run.stderr);
        assert!(!run.status.success(), "{name}={value} succeeds");
        assert!(errors.contains(name) && errors.contains(value), "{name}={value}: {errors}");
    }
}

#[test]
fn devices_lists_the_executor_and_the_software_nic() {
    let run = gpunetio("devices");
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(
        run.status.success() && text.contains("cpu executor") && text.contains("mlx5_0"),
        "{text}"
    );
}

#[test]
fn without_a_terminal_there_is_a_plain_table() {
    let run = gpunetio("perf put --size 8 --iters 10");
    let text = String::from_utf8_lossy(&run.stdout);
    assert!(run.status.success() && run.stderr.is_empty(), "{run:?}");
    assert!(text.contains("NIC  softnic mlx5_0") && text.contains("verified"), "{text}");
    assert!(!text.contains('\u{1b}'), "{text}");
}
