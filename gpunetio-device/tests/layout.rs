//! The C headers and the Rust mirrors have the recorded layouts and values, as the compiler sees them.
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::collections::BTreeSet;
use std::mem::{offset_of, size_of};
use std::path::{Path, PathBuf};
use std::process::Command;

use gpunetio_device::image::{
    self, AddrImage, CqImage, CqType, ExecScope, MemType, NicHandler, QpImage, SendDbrMode,
    SharingMode,
};

/// Structures of the recording that host libraries keep to themselves; no device code sees them.
const HOST_ONLY: [&str; 10] = [
    "doca_gpu_verbs_qp",
    "doca_gpu_verbs_qp_error_info",
    "doca_verbs_gid",
    "doca_gpu_verbs_qp_init_attr_hl",
    "doca_gpu_verbs_qp_hl",
    "doca_gpu_verbs_qp_group_hl",
    "doca_gpu_verbs_umem_hl",
    "doca_gpu_verbs_qp_list_hl",
    "doca_gpu_verbs_qp_group_list_hl",
    "doca_gpu_verbs_qp_list",
];

struct Field {
    record: String,
    name: String,
    offset: Option<usize>,
    size: usize,
}

fn number(text: &str) -> usize {
    match text.strip_prefix("0x") {
        Some(hex) => usize::from_str_radix(hex, 16).unwrap(),
        None => text.parse().unwrap(),
    }
}

fn fields() -> Vec<Field> {
    let lines = include_str!("data/struct_layouts.csv").lines().skip(1);
    lines
        .map(|line| {
            let columns: Vec<&str> = line.split(',').collect();
            Field {
                record: columns[0].to_owned(),
                // Array fields carry their extent in the recording.
                name: columns[1].split('[').next().unwrap().to_owned(),
                offset: (!columns[3].is_empty()).then(|| number(columns[3])),
                size: number(columns[4]),
            }
        })
        .collect()
}

fn include_dir() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../include")
}

/// Compiles a source with the C++ compiler (or the C compiler) and fails with what it says.
fn compile(name: &str, source: &str, language: &[&str]) {
    let path = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::write(&path, source).unwrap();
    let compiler = if language[1] == "c" { "cc" } else { "c++" };
    let output = Command::new(compiler)
        .args(language)
        .args(["-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(include_dir())
        .arg(&path)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn c_structures_have_the_recorded_layouts() {
    let mut source =
        String::from("#include \"common/doca_gpunetio_verbs_dev.h\"\n#include <stddef.h>\n");
    let mut records = BTreeSet::new();
    for field in fields().iter().filter(|f| !HOST_ONLY.contains(&f.record.as_str())) {
        records.insert(field.record.clone());
        let (record, name, size) = (&field.record, &field.name, field.size);
        let assert = "GPUNETIO_STATIC_ASSERT";
        match field.offset {
            None => {
                source += &format!("{assert}(sizeof(struct {record}) == {size}, \"{record}\");\n")
            }
            Some(offset) => {
                source += &format!(
                    "{assert}(offsetof(struct {record}, {name}) == {offset}, \"{record}.{name}\");\n"
                );
                source += &format!(
                    "{assert}(sizeof(((struct {record} *)0)->{name}) == {size}, \"{record}.{name}\");\n"
                );
            }
        }
    }
    assert_eq!(records.len(), 13, "{records:?}");
    compile("layout.cpp", &source, &["-x", "c++", "-std=c++17", "-Wno-address-of-packed-member"]);
    compile("layout.c", &source, &["-x", "c", "-std=c11"]);
}

#[test]
fn rust_mirrors_have_the_recorded_layouts() {
    let recorded = |record: &str, name: &str| {
        let all = fields();
        let field = all.iter().find(|f| f.record == record && f.name == name).unwrap();
        field.offset.unwrap_or(field.size)
    };
    macro_rules! same {
        ($type:ty, $record:literal, $($field:ident = $name:literal),*) => {
            assert_eq!(size_of::<$type>(), recorded($record, "(sizeof)"));
            $(assert_eq!(offset_of!($type, $field), recorded($record, $name), "{}.{}", $record, $name);)*
        };
    }
    same!(AddrImage, "doca_gpu_dev_verbs_addr", addr = "addr", key = "key");
    same!(
        CqImage,
        "doca_gpu_dev_verbs_cq",
        cqe_daddr = "cqe_daddr",
        cq_num = "cq_num",
        cqe_num = "cqe_num",
        dbrec = "dbrec",
        cqe_ci = "cqe_ci",
        cqe_mask = "cqe_mask",
        cqe_size = "cqe_size",
        cq_type = "cq_type",
        reserved1 = "reserved1",
        cqe_rsvd = "cqe_rsvd",
        mem_type = "mem_type",
        first_error = "reserved2"
    );
    same!(
        QpImage,
        "doca_gpu_dev_verbs_qp",
        sq_rsvd_index = "sq_rsvd_index",
        sq_ready_index = "sq_ready_index",
        sq_wqe_pi = "sq_wqe_pi",
        sq_num = "sq_num",
        sq_num_shift8 = "sq_num_shift8",
        sq_num_shift8_be = "sq_num_shift8_be",
        sq_num_shift8_be_ds = "sq_num_shift8_be_1ds",
        sq_lock = "sq_lock",
        sq_wqe_num = "sq_wqe_num",
        sq_wqe_mask = "sq_wqe_mask",
        sq_wqe_daddr = "sq_wqe_daddr",
        sq_dbrec = "sq_dbrec",
        sq_db = "sq_db",
        reserved1 = "reserved1",
        reserved2 = "reserved2",
        cq_sq = "cq_sq",
        reserved3 = "reserved3",
        nic_handler = "nic_handler",
        mem_type = "mem_type"
    );
}

#[test]
fn constants_have_the_recorded_values() {
    let mut source =
        String::from("#include \"common/doca_gpunetio_verbs_def.h\"\n#include <limits.h>\n");
    let mut device = false;
    let mut count = 0;
    for line in include_str!("data/constants.csv").lines().skip(1) {
        let columns: Vec<&str> = line.splitn(4, ',').collect();
        let (kind, name, member, value) = (columns[0], columns[1], columns[2], columns[3]);
        // The recording lists host headers first; their constants belong to the host API.
        device |= member == "DOCA_GPUNETIO_IB_MLX5_OPCODE_NOP";
        if !device || member == "DOCA_GPUNETIO_VERBS_DEF_H" {
            continue;
        }
        assert!(kind == "enum" || name == "doca_gpunetio_verbs_def.h", "{line}");
        source += &format!(
            "GPUNETIO_STATIC_ASSERT((long long)({member}) == (long long)({value}), \"{member}\");\n"
        );
        count += 1;
    }
    assert!(count > 140, "{count} constants");
    source +=
        "GPUNETIO_STATIC_ASSERT(DOCA_GPUNETIO_VERSION == ((4 << 16) | (1 << 8)), \"version\");\n";
    compile("constants.cpp", &source, &["-x", "c++", "-std=c++17"]);
    compile("constants.c", &source, &["-x", "c", "-std=c11"]);
    assert_eq!(gpunetio_device::image::VERSION_PACKED, 4 << 16 | 1 << 8);
}

/// The C headers' constants are compared with the recording above; these with the headers.
#[test]
fn rust_constants_have_the_values_of_the_c_headers() {
    let (device, host) = (image::MIN_COMPAT_DEVICE_CODE, image::MIN_COMPAT_HOST_CODE);
    let version = |what: &str, (major, minor, patch): (u32, u32, u32)| {
        ["MAJOR", "MINOR", "PATCH"]
            .map(|part| format!("MIN_COMPAT_{what}_CODE_VERSION_{part}"))
            .into_iter()
            .zip([major, minor, patch].map(u64::from))
            .collect::<Vec<_>>()
    };
    let mut values: Vec<(String, u64)> = version("DEVICE", device);
    values.extend(version("HOST", host));
    macro_rules! named {
        ($prefix:literal, $type:ident: $($name:ident = $c:literal),*) => {
            $(values.push((concat!($prefix, $c).to_owned(), u64::from($type::$name.0)));)*
        };
    }
    named!("VERBS_NIC_HANDLER_", NicHandler: AUTO = "AUTO", CPU_PROXY = "CPU_PROXY", GPU_SM_DB = "GPU_SM_DB",
        GPU_SM_BF = "GPU_SM_BF", GPU_SM_NO_DBR = "GPU_SM_NO_DBR", CPU_PROXY_FREE_FLOW = "CPU_PROXY_FREE_FLOW");
    named!("VERBS_CQ_", CqType: RING = "64B", COLLAPSED = "64B_COLLAPSED", COLLAPSED_HOST = "64B_COLLAPSED_HOST",
        UNKNOWN = "UNKNOWN");
    named!("VERBS_MEM_TYPE_", MemType: AUTO = "AUTO", HOST = "HOST", GPU = "GPU");
    named!("VERBS_RESOURCE_SHARING_MODE_", SharingMode: EXCLUSIVE = "EXCLUSIVE", CTA = "CTA", GPU = "GPU");
    named!("VERBS_EXEC_SCOPE_", ExecScope: THREAD = "THREAD", WARP = "WARP");
    named!("VERBS_SEND_DBR_MODE_EXT_", SendDbrMode: VALID_DBR = "VALID_DBR", NO_DBR_HW = "NO_DBR_HW",
        NO_DBR_SW_EMULATED = "NO_DBR_SW_EMULATED");
    values.push(("VERBS_MAX_INLINE_SIZE".into(), image::MAX_INLINE_BYTES as u64));
    values.push(("VERBS_CQE_SIZE".into(), image::SLOT_BYTES as u64));
    let mut source = String::from("#include \"common/doca_gpunetio_verbs_def.h\"\n");
    for (name, value) in &values {
        source += &format!(
            "GPUNETIO_STATIC_ASSERT((long long)(DOCA_GPUNETIO_{name}) == {value}, \"{name}\");\n"
        );
    }
    compile("values.cpp", &source, &["-x", "c++", "-std=c++17"]);
}

#[test]
fn every_header_stands_alone_with_one_include_path() {
    for header in [
        "doca_gpunetio_device.h",
        "common/doca_gpunetio_verbs_def.h",
        "common/doca_gpunetio_verbs_dev.h",
        "device/doca_gpunetio_dev_verbs_common.cuh",
        "device/doca_gpunetio_dev_verbs_cq.cuh",
        "device/doca_gpunetio_dev_verbs_qp.cuh",
        "device/doca_gpunetio_dev_verbs_onesided.cuh",
        "device/doca_gpunetio_dev_verbs_counter.cuh",
        "device/gpunetio_cpu_executor.h",
        "device/gpunetio_platform.cuh",
    ] {
        let source = format!("#include \"{header}\"\nint main() {{ return 0; }}\n");
        compile("alone.cpp", &source, &["-x", "c++", "-std=c++17"]);
    }
}
