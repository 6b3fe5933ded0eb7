//! The commands of the high-level API against those recorded from the public 3.0 host library, on a stand-in GPU.
//!
//! Differences that are meant: see [`refused_on_purpose`] and [`replay`]; anything else fails.
#![allow(clippy::unwrap_used, reason = "a test ends at the first surprise")]

mod recorder;

use std::collections::HashMap;
use std::sync::Arc;

use gpunetio_core::*;
use gpunetio_device::image::{NicHandler, SendDbrMode};
use gpunetio_prm::command::Opcode;
use recorder::compare::{Report, Step, load, recorded};
use recorder::stand_in::{StandIn, inode};
use recorder::{Call, with};

/// True where the public library went on and ours refuses.
fn refused_on_purpose(step: &Step) -> Option<&'static str> {
    let depth = step.number("/sq_nwqe").unwrap_or(1);
    if !depth.is_power_of_two() {
        return Some("depths are powers of two");
    }
    let (handler, mode) = (step.text("/nic_handler"), step.text("/send_dbr_mode_ext"));
    if handler == Some("GPU_SM_BF") && mode == Some("NO_DBR_HW") {
        return Some("BlueFlame needs a doorbell record");
    }
    None
}

fn attr<'a>(gpu: &'a Gpu, net: &'a NetDevice, step: &Step) -> HighLevelAttr<'a> {
    HighLevelAttr {
        nic_handler: match step.text("/nic_handler").unwrap() {
            "AUTO" => NicHandler::AUTO,
            "CPU_PROXY" => NicHandler::CPU_PROXY,
            "GPU_SM_DB" => NicHandler::GPU_SM_DB,
            "GPU_SM_BF" => NicHandler::GPU_SM_BF,
            "GPU_SM_NO_DBR" => NicHandler::GPU_SM_NO_DBR,
            other => panic!("handler {other}"),
        },
        registration: match step.text("/mreg_type").unwrap() {
            "DEFAULT" => Registration::Default,
            "CUDA_DMABUF" => Registration::DmaBuf,
            "CUDA_PEERMEM" => Registration::PeerMem,
            other => panic!("registration {other}"),
        },
        send_dbr_mode: match step.text("/send_dbr_mode_ext").unwrap() {
            "VALID_DBR" => SendDbrMode::VALID_DBR,
            "NO_DBR_HW" => SendDbrMode::NO_DBR_HW,
            "NO_DBR_SW_EMULATED" => SendDbrMode::NO_DBR_SW_EMULATED,
            other => panic!("mode {other}"),
        },
        cq_collapsed: step.number("/cq_collapsed") == Some(1),
        ordering: match step.number("/ordering_semantic").unwrap() {
            0 => OrderingSemantic::Ibta,
            1 => OrderingSemantic::OutOfOrderReadWrite,
            _ => OrderingSemantic::OutOfOrderAll,
        },
        ..HighLevelAttr::new(gpu, net, step.number("/sq_nwqe").unwrap() as u32)
    }
}

fn expect_ids(step: &Step) {
    with(|r| {
        (r.umem_ids, r.uar_pages, r.object_ids) = Default::default();
        for call in &step.calls {
            match recorded(call) {
                Some(Call::UmemReg { id: Some(id), .. }) => r.umem_ids.push_back(id),
                Some(Call::AllocUar { page: Some(page), .. }) => r.uar_pages.push_back(page),
                _ => {}
            }
            if let Some(id) = call["id"].as_u64() {
                r.object_ids.push_back(id as u32);
            }
        }
    });
}

fn handler_name(handler: NicHandler) -> &'static str {
    match handler {
        NicHandler::CPU_PROXY => "CPU_PROXY",
        NicHandler::GPU_SM_DB => "GPU_SM_DB",
        NicHandler::GPU_SM_BF => "GPU_SM_BF",
        NicHandler::GPU_SM_NO_DBR => "GPU_SM_NO_DBR",
        other => panic!("{other:?} is not for an image"),
    }
}

fn check_result(step: &Step, qp: &HighLevelQp, key: &str) {
    let theirs = &step.result[key];
    assert_eq!(
        theirs["nic_handler"],
        handler_name(qp.exported().nic_handler()),
        "{}",
        step.label()
    );
    let proxy = u64::from(qp.exported().needs_cpu_proxy());
    assert_eq!(theirs["cpu_proxy"].as_u64(), Some(proxy), "{}", step.label());
    let register = qp.qp().doorbell_register() as usize & 0xfff;
    assert_eq!(theirs["uar_addr"], format!("base+{register:#x}"), "{}", step.label());
}

/// Commands alone, for groups: ours rings each QP on a page of its own, so pages and their order differ.
fn compare_group(report: &mut Report, step: &Step, ours: &[Call]) {
    let commands = |calls: Vec<Call>| -> Vec<(Opcode, Vec<u8>)> {
        calls
            .into_iter()
            .filter_map(|call| match call {
                Call::Command { opcode, mut input, .. } if opcode != Opcode::QUERY_QP => {
                    blank_pages(opcode, &mut input);
                    Some((opcode, input))
                }
                _ => None,
            })
            .collect()
    };
    let theirs = commands(step.calls.iter().filter_map(recorded).collect());
    let ours_commands = commands(ours.to_vec());
    if theirs.len() != ours_commands.len() {
        return report.fail(step, format!("theirs {theirs:?}, ours {ours_commands:?}"));
    }
    for ((a, x), (b, y)) in theirs.iter().zip(&ours_commands) {
        assert_eq!(a, b);
        report.compare_command(step, *a, x, y);
    }
    let pages: Vec<_> = ours.iter().filter(|c| matches!(c, Call::AllocUar { .. })).collect();
    assert_eq!(pages.len(), 2, "one page for each qp of a group");
    report.explain("each qp of a group has a doorbell page of its own");
}

fn blank_pages(opcode: Opcode, input: &mut [u8]) {
    let (_, fields) = recorder::fields::of(opcode);
    for (_, field) in fields.iter().filter(|(name, _)| name.ends_with("uar_page")) {
        let start = (field.bit_offset / 8) as usize;
        input[start..start + 3].fill(0);
    }
}

fn replay(name: &str, io_memory: bool, dmabuf: bool) -> Report {
    with(|r| *r = Default::default());
    let mut report = Report::default();
    let steps: Vec<Step> = load().into_iter().filter(|step| step.run == name).collect();
    assert!(steps.len() > 10, "run {name} has {} steps", steps.len());
    let platform = StandIn { io_memory, dmabuf, ..StandIn::default() };
    let given = Arc::clone(&platform.given);
    let gpu = Gpu::with_platform("stand-in", Box::new(platform));
    let pd = Nics::from_provider(recorder::provider()).open("mlx5_0").unwrap().alloc_pd().unwrap();
    let net = NetDevice::open(&pd).unwrap();
    let (mut qps, mut groups) = (HashMap::new(), HashMap::new());
    recorder::take();
    for step in &steps {
        expect_ids(step);
        match step.step.as_str() {
            "create_qp_hl" | "create_qp_group_hl" => {
                let attr = attr(&gpu, &net, step);
                let group = step.step == "create_qp_group_hl";
                let outcome = match group {
                    false => HighLevelQp::create(&attr).map(|qp| (Some(qp), None)),
                    true => QpGroup::create(&attr).map(|group| (None, Some(group))),
                };
                let calls = recorder::take();
                let meant = refused_on_purpose(step);
                let emulated = attr.send_dbr_mode == SendDbrMode::NO_DBR_SW_EMULATED;
                match (step.succeeded(), outcome) {
                    (true, Ok((Some(qp), _))) if meant.is_none() => {
                        compare_single(&mut report, step, &calls);
                        check_result(step, &qp, "qp");
                        qps.insert(u64::from(qp.qpn().0), qp);
                    }
                    (true, Ok((_, Some(group)))) if meant.is_none() => {
                        compare_group(&mut report, step, &calls);
                        check_result(step, &group.main, "qp_main");
                        check_result(step, &group.companion, "qp_companion");
                        groups.insert(u64::from(group.main.qpn().0), group);
                    }
                    (true, Err(_)) if meant.is_some() => report.explain(meant.unwrap()),
                    (false, Ok(_)) if emulated => report
                        .explain("emulated records need no GDRCopy: the image lies in host memory"),
                    (false, Err(_)) => balanced(step, &calls),
                    (_, outcome) => report.fail(step, format!("{:?}", outcome.err())),
                }
            }
            "destroy_qp_hl" | "destroy_qp_group_hl" => {
                let key = |key: &str| step.number(key);
                let qpn = key("/qpn").or(key("/main_qpn")).unwrap();
                match (qps.remove(&qpn), groups.remove(&qpn)) {
                    (Some(qp), _) => {
                        HighLevelQp::destroy(qp).unwrap();
                        report.compare_ends(step, &recorder::take());
                    }
                    (None, Some(group)) => {
                        drop(group);
                        let first = recorder::take().into_iter().next();
                        assert_eq!(first, Some(Call::Destroy(qpn as u32)), "{}", step.label());
                    }
                    (None, None) => report.explain("ends of what was refused on purpose"),
                }
            }
            "get_qp_dev" => {
                qps[&step.number("/qpn").unwrap()].exported().device_image().unwrap();
                assert_eq!(recorder::take(), []);
            }
            "query_last_error" => {
                let info = qps[&step.number("/qpn").unwrap()].last_error().unwrap();
                report.compare(step, &recorder::take());
                let theirs = step.result["has_error"].as_u64();
                assert_eq!(theirs, Some(info.has_error.into()), "{}", step.label());
            }
            "reset_tracking_and_memory" => {
                let exported = qps[&step.number("/qpn").unwrap()].exported();
                exported.reset_tracking_and_memory().unwrap();
                report.explain("a reset asks for the state first");
                recorder::take();
            }
            "standin_config" => with(|r| {
                for (key, value) in step.params.as_object().unwrap() {
                    let on = value.as_u64().unwrap() != 0;
                    match key.as_str() {
                        "fail_uar_nc_dedicated" => r.answers.fail_uar = on.then_some(1 << 31),
                        "fail_dmabuf" => r.answers.fail_dmabuf = on,
                        other => panic!("answer {other} is not known"),
                    }
                }
            }),
            // Connecting is the low-level API, which golden_devx compares; here it brings the QP where the run needs it.
            "qp_modify_2err" | "qp_modify_2rst" => {
                let to = if step.step.ends_with("err") { QpState::Err } else { QpState::Rst };
                let attr = QpAttr { next_state: to, ..QpAttr::default() };
                qps[&step.number("/qpn").unwrap()].modify(&attr, AttrMask::NEXT_STATE).unwrap();
                report.compare(step, &recorder::take());
            }
            "qp_modify_rst2init" | "qp_modify_init2rtr" | "qp_modify_rtr2rts" => {}
            "dev_open" | "gpu_create" | "gpu_destroy" | "dev_close" => {}
            other => panic!("step {other} is not known"),
        }
    }
    assert!(qps.is_empty() && groups.is_empty(), "what a run makes it ends");
    for (fd, behind) in given.lock().unwrap().iter() {
        assert_ne!(inode(*fd), Some(*behind), "dma-buf {fd} was left open");
    }
    net.close().unwrap();
    gpu.destroy().unwrap();
    report
}

fn compare_single(report: &mut Report, step: &Step, ours: &[Call]) {
    // The public export asks for the QP's state; ours knows it.
    let mut step = step.clone();
    step.calls.retain(|call| call["op"] != "QUERY_QP");
    report.compare(&step, ours);
}

/// What a refused call made it also ended.
fn balanced(step: &Step, calls: &[Call]) {
    let mut made = 0i32;
    for call in calls {
        made += match call {
            Call::UmemReg { id: Some(_), .. } | Call::AllocUar { page: Some(_), .. } => 1,
            Call::Command {
                opcode: Opcode::CREATE_CQ | Opcode::CREATE_QP, failed: false, ..
            } => 1,
            Call::UmemDereg(_) | Call::FreeUar(_) | Call::Destroy(_) => -1,
            _ => 0,
        };
    }
    assert_eq!(made, 0, "{}: {calls:?}", step.label());
}

fn check(name: &str, io_memory: bool, dmabuf: bool) {
    let report = replay(name, io_memory, dmabuf);
    println!("{name}: {} commands compared; {:#?}", report.commands, report.explained);
    let shown: Vec<_> = report.wrong.iter().take(8).cloned().collect();
    assert!(report.wrong.is_empty(), "{} differences:\n{}", report.wrong.len(), shown.join("\n"));
    assert!(report.commands > 0);
}

#[test]
fn with_io_memory_and_dmabuf() {
    check("hl_gpu", true, true);
}

#[test]
fn without_io_memory_the_cpu_rings() {
    check("hl_proxy", false, true);
}

#[test]
fn without_dmabuf_memory_is_registered_by_address() {
    check("hl_nodmabuf", true, false);
}

#[test]
fn emulated_records() {
    check("hl_gdrcopy", true, true);
}
