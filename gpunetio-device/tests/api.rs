//! The device headers offer every function of the public API: name, template parameters, parameters, result.
//!
//! `cuda/api.cu` calls each one through a wrapper with exactly its recorded prototype and is rendered from the recording; the
//! CUDA compilers build the same file (`cuda/compile.sh`).
#![allow(clippy::unwrap_used, clippy::expect_used)]

use std::fmt::Write;
use std::path::Path;
use std::process::Command;

/// Splits at commas outside brackets.
fn split(list: &str) -> Vec<&str> {
    let (mut parts, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, c) in list.char_indices() {
        match c {
            '<' | '(' => depth += 1,
            '>' | ')' => depth -= 1,
            ',' if depth == 0 => {
                parts.push(list[start..at].trim());
                start = at + 1;
            }
            _ => {}
        }
    }
    parts.push(list[start..].trim());
    parts.retain(|p| !p.is_empty());
    parts
}

/// Last identifier of a declaration without its default.
fn name(declaration: &str) -> &str {
    let declared = declaration.split('=').next().unwrap_or(declaration).trim();
    let at = declared.rfind(|c: char| !c.is_alphanumeric() && c != '_').map_or(0, |at| at + 1);
    &declared[at..]
}

/// An argument for a template parameter, other than the default where there is one.
fn argument(parameter: &str) -> Vec<&'static str> {
    let chosen: &[(&str, &[&str])] = &[
        ("typename", &["uint64_t"]),
        ("unsigned int", &["2"]),
        ("bool", &["true", "false"]),
        (
            "resource_sharing_mode",
            &[
                "DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_EXCLUSIVE",
                "DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_CTA",
                "DOCA_GPUNETIO_VERBS_RESOURCE_SHARING_MODE_GPU",
            ],
        ),
        ("nic_handler", &["DOCA_GPUNETIO_VERBS_NIC_HANDLER_AUTO"]),
        ("exec_scope", &["DOCA_GPUNETIO_VERBS_EXEC_SCOPE_WARP"]),
        (
            "sync_scope",
            &["DOCA_GPUNETIO_VERBS_SYNC_SCOPE_SYS", "DOCA_GPUNETIO_VERBS_SYNC_SCOPE_CTA"],
        ),
        ("cq_type", &["DOCA_GPUNETIO_VERBS_CQ_UNKNOWN"]),
        ("qp_type", &["DOCA_GPUNETIO_VERBS_QP_SQ"]),
        ("mcst_mode", &["DOCA_GPUNETIO_VERBS_MCST_ENABLED"]),
        ("blocking_mode", &["DOCA_GPUNETIO_VERBS_BLOCKING_MODE_ENABLED"]),
        ("signal_op", &["DOCA_GPUNETIO_VERBS_SIGNAL_OP_ADD"]),
        (
            "ready_mode",
            &["DOCA_GPUNETIO_VERBS_READY_MODE_ATOMIC_CAS", "DOCA_GPUNETIO_VERBS_READY_MODE_LD_ST"],
        ),
        (
            "ext_bytes",
            &["DOCA_GPUNETIO_VERBS_ATOMIC_EXT_BYTES_4", "DOCA_GPUNETIO_VERBS_ATOMIC_EXT_BYTES_8"],
        ),
    ];
    let declared = parameter.split('=').next().unwrap_or(parameter);
    let found = chosen.iter().find(|(kind, _)| declared.contains(kind));
    found.unwrap_or_else(|| panic!("no argument for template parameter {parameter}")).1.to_vec()
}

/// Every combination of arguments for the parameters.
fn combinations(parameters: &[&str]) -> Vec<Vec<&'static str>> {
    parameters.iter().fold(vec![Vec::new()], |done, parameter| {
        let extended = done.iter().flat_map(|head| {
            argument(parameter).into_iter().map(move |next| {
                let mut all = head.clone();
                all.push(next);
                all
            })
        });
        extended.collect()
    })
}

fn render() -> String {
    let mut out = String::from(
        "// Calls every function of the device API through a wrapper with its public prototype. Rendered by tests/api.rs from\n\
         // tests/data/device_prototypes.txt; do not edit: run that test with GPUNETIO_BLESS=1.\n\
         #include \"doca_gpunetio_device.h\"\n",
    );
    for (index, line) in include_str!("data/device_prototypes.txt").lines().enumerate() {
        let Some((_, prototype)) = line.split_once(": ") else { continue };
        let (template, rest) = match prototype.strip_prefix("template ") {
            Some(rest) => {
                // The first balanced pair of angle brackets.
                let mut depth = 0;
                let end = rest
                    .char_indices()
                    .find(|&(_, c)| {
                        depth += i32::from(c == '<') - i32::from(c == '>');
                        depth == 0 && c == '>'
                    })
                    .map_or(0, |(at, _)| at);
                (rest[..end].trim_start().trim_start_matches('<').trim(), rest[end + 1..].trim())
            }
            None => ("", prototype),
        };
        let open = rest.find('(').unwrap_or_else(|| panic!("no parameters: {line}"));
        let function = name(&rest[..open]);
        let result = rest[..open].trim_end_matches(function).trim();
        let declared: Vec<&str> = split(rest[open + 1..].trim_end_matches(')'))
            .iter()
            .map(|p| p.split('=').next().unwrap_or(p).trim())
            .collect();
        let parameters = split(template);
        let names: Vec<&str> = parameters.iter().map(|p| name(p)).collect();
        let passed: Vec<&str> = declared.iter().map(|p| name(p)).collect();
        let bare: Vec<&str> =
            parameters.iter().map(|p| p.split('=').next().unwrap_or(p).trim()).collect();
        let explicit =
            if names.is_empty() { String::new() } else { format!("<{}>", names.join(", ")) };
        writeln!(out, "\n// {function}").unwrap();
        if !bare.is_empty() {
            writeln!(out, "template <{}>", bare.join(", ")).unwrap();
        }
        writeln!(out, "__device__ {result} call_{index}({}) {{", declared.join(", ")).unwrap();
        writeln!(out, "    return {function}{explicit}({});\n}}", passed.join(", ")).unwrap();
        if !bare.is_empty() {
            for arguments in combinations(&parameters) {
                // In an instantiation the type parameter is known.
                let types: Vec<String> =
                    declared
                        .iter()
                        .map(|p| p.trim_end_matches(name(p)).trim().to_owned())
                        .map(|t| {
                            if t == "T" {
                                "uint64_t".into()
                            } else {
                                t.replace("T *", "uint64_t *")
                            }
                        })
                        .collect();
                let result = if result == "T" { "uint64_t" } else { result };
                writeln!(
                    out,
                    "template __device__ {result} call_{index}<{}>({});",
                    arguments.join(", "),
                    types.join(", ")
                )
                .unwrap();
            }
        }
        // The defaults: what a caller may leave out.
        let required = parameters.iter().take_while(|p| !p.contains('=')).count();
        if required < parameters.len() {
            let fixed: Vec<&str> = parameters[..required].iter().map(|p| argument(p)[0]).collect();
            let with =
                if fixed.is_empty() { String::new() } else { format!("<{}>", fixed.join(", ")) };
            let typed = |p: &str| p.replace("T *", "uint64_t *").replace("T val", "uint64_t val");
            let plain: Vec<String> = declared.iter().map(|p| typed(p)).collect();
            let result = if result == "T" { "uint64_t" } else { result };
            writeln!(out, "__device__ {result} call_default_{index}({}) {{", plain.join(", "))
                .unwrap();
            writeln!(out, "    return {function}{with}({});\n}}", passed.join(", ")).unwrap();
        }
    }
    out
}

#[test]
fn every_public_function_compiles_with_its_public_prototype() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let path = root.join("tests/cuda/api.cu");
    let rendered = render();
    if std::env::var_os("GPUNETIO_BLESS").is_some() {
        std::fs::write(&path, &rendered).unwrap();
    }
    assert!(
        std::fs::read_to_string(&path).unwrap() == rendered,
        "tests/cuda/api.cu is out of date: run with GPUNETIO_BLESS=1"
    );
    let output = Command::new("c++")
        .args([
            "-x",
            "c++",
            "-std=c++17",
            "-O0",
            "-fsyntax-only",
            "-Wall",
            "-Wextra",
            "-Werror",
            "-I",
        ])
        .arg(root.join("../include"))
        .arg(&path)
        .output()
        .unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}
