//! The commands of the low-level API against those recorded from the public 3.0 host library, field by field.
//!
//! Differences that are meant are listed in `recorder/compare.rs` and in [`refused_on_purpose`]; anything else fails.
#![allow(unsafe_code)]
#![allow(clippy::unwrap_used, reason = "a test ends at the first surprise")]

mod recorder;

use std::collections::{HashMap, HashSet};

use gpunetio_core::*;
use gpunetio_prm::command::Opcode;
use gpunetio_prm::id::Gid;
use recorder::compare::{Report, Step, load, recorded};
use recorder::{Answers, Call, with};

/// What a recorded run works on, by the ids of the recording.
struct World {
    nics: Nics,
    pd: Pd,
    net: NetDevice,
    host: Memory,
    umems: HashMap<u64, Umem>,
    uars: HashMap<u64, Uar>,
    cqs: HashMap<u64, Cq>,
    srqs: HashMap<u64, Srq>,
    qps: HashMap<u64, Qp>,
    /// QPs whose state differs since a step was refused on purpose.
    apart: HashSet<u64>,
}

impl World {
    fn new() -> Self {
        let nics = Nics::from_provider(recorder::provider());
        let nic = nics.open("mlx5_0").unwrap();
        let pd = nic.alloc_pd().unwrap();
        let net = NetDevice::open(&pd).unwrap();
        let gpu = Gpu::open("cpu").unwrap();
        let host = gpu.allocate(MemoryKind::CpuGpu, 8 << 20, 65536).unwrap();
        Self {
            nics,
            pd,
            net,
            host,
            umems: HashMap::new(),
            uars: HashMap::new(),
            cqs: HashMap::new(),
            srqs: HashMap::new(),
            qps: HashMap::new(),
            apart: HashSet::new(),
        }
    }

    fn umem(&self, step: &Step, key: &str) -> Option<(&Umem, u64)> {
        let id = step.number(&format!("/{key}/umem_id"))?;
        Some((&self.umems[&id], step.number(&format!("/{key}/offset")).unwrap()))
    }
}

/// Gives the recording's ids to the calls of a step.
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

fn configure(step: &Step, world: &mut World) {
    with(|r| {
        for (key, value) in step.params.as_object().unwrap() {
            let on = value.as_u64().unwrap() != 0;
            let a: &mut Answers = &mut r.answers;
            match key.as_str() {
                "port_type" => a.ethernet = on,
                "query_mtu_zero" => a.query_mtu_zero = on,
                "fail_next_modify" => a.fail_next_modify = on,
                "fail_next_create" => a.fail_next_create = on,
                "fail_uar_nc" => a.fail_uar = on.then_some(1),
                "fail_uar_bf" => a.fail_uar = on.then_some(0),
                "fail_dmabuf" => a.fail_dmabuf = on,
                "send_dbr_mode_no_dbr_ext" => a.no_dbr_ext = on,
                "hca_cap_2" => a.hca_cap_2 = on,
                "roce_version" => a.roce_version = value.as_u64().unwrap() as u8,
                "rts2rts_qp_dscp" => a.rts2rts_qp_dscp = on,
                other => panic!("answer {other} is not known"),
            }
        }
    });
    // The public library reads the capabilities before every create; ours reads them when a device is opened.
    world.net = NetDevice::open(&world.pd).unwrap();
}

/// Which parts of a step the public library took, by masking them, and ours refuses: the value that the message names.
fn refused_on_purpose(step: &Step, ethernet: bool) -> Option<String> {
    let mask = step.number("/attr_mask").unwrap_or(0);
    let wide = [(8, "rq_psn"), (9, "sq_psn"), (10, "dest_qp_num")];
    for (bit, key) in wide {
        match step.number(&format!("/set/{key}")) {
            Some(value) if mask >> bit & 1 == 1 && value > 0xff_ffff => {
                return Some(format!("{value:#x}"));
            }
            _ => {}
        }
    }
    let narrow = [
        (3, "min_rnr_timer", 31),
        (11, "ack_timeout", 31),
        (12, "retry_cnt", 7),
        (13, "rnr_retry", 7),
    ];
    for (bit, key, max) in narrow {
        match step.number(&format!("/set/{key}")) {
            Some(value) if mask >> bit & 1 == 1 && value > max => return Some(value.to_string()),
            _ => {}
        }
    }
    for (bit, key) in [(16, "max_rd_atomic"), (17, "max_dest_rd_atomic")] {
        match step.number(&format!("/set/{key}")) {
            Some(value)
                if mask >> bit & 1 == 1
                    && (value > 16 || value != 0 && !value.is_power_of_two()) =>
            {
                return Some(value.to_string());
            }
            _ => {}
        }
    }
    match step.number("/set/pkey_index") {
        // The public library lets in one index past the table.
        Some(value) if mask >> 2 & 1 == 1 && value == 128 => return Some(value.to_string()),
        _ => {}
    }
    match step.number("/user_index") {
        Some(value) if value > 0xff_ffff => return Some(format!("{value:#x}")),
        _ => {}
    }
    match step.text("/ah_attr/addr_type") {
        Some(kind) if mask >> 14 & 1 == 1 && kind.starts_with("IB") == ethernet => {
            Some("address type".to_owned())
        }
        _ => None,
    }
}

fn attributes(step: &Step) -> QpAttr {
    let number = |key: &str| step.number(&format!("/set/{key}")).unwrap_or(0);
    let state = |key: &str| {
        use QpState::{Err, Init, Rst, Rtr, Rts};
        [Rst, Init, Rtr, Rts, Err][number(key) as usize]
    };
    use AtomicMode as A;
    const ATOMIC: [A; 9] = [
        A::None,
        A::IbSpec,
        A::Only8Bytes,
        A::UpTo8Bytes,
        A::UpTo16Bytes,
        A::UpTo32Bytes,
        A::UpTo64Bytes,
        A::UpTo128Bytes,
        A::UpTo256Bytes,
    ];
    let ah = step.params.get("ah_attr").map(|ah| {
        let part = |key: &str| ah[key].as_u64().unwrap_or(0);
        let mut gid = Gid::default();
        gid.0.copy_from_slice(&recorder::compare::hex(ah["gid"].as_str().unwrap()));
        AhAttr {
            gid,
            address_type: match ah["addr_type"].as_str().unwrap() {
                "IPv4" => AddressType::Ipv4,
                "IPv6" => AddressType::Ipv6,
                "IB_GRH" => AddressType::IbGrh,
                _ => AddressType::IbNoGrh,
            },
            dlid: part("dlid") as u16,
            sl: part("sl") as u8,
            sgid_index: part("sgid_index") as u8,
            static_rate: part("static_rate") as u8,
            hop_limit: part("hop_limit") as u8,
            traffic_class: part("traffic_class") as u8,
        }
    });
    QpAttr {
        next_state: state("next_state"),
        current_state: state("current_state"),
        path_mtu: Mtu::ALL[number("path_mtu") as usize],
        rq_psn: number("rq_psn") as u32,
        sq_psn: number("sq_psn") as u32,
        dest_qp_num: number("dest_qp_num") as u32,
        // The public setters take an int and mean 1.
        allow_remote_write: number("allow_remote_write") == 1,
        allow_remote_read: number("allow_remote_read") == 1,
        atomic_mode: ATOMIC[number("atomic_mode") as usize],
        ah,
        pkey_index: number("pkey_index") as u16,
        port_num: number("port_num") as u16,
        ack_timeout: number("ack_timeout") as u16,
        retry_cnt: number("retry_cnt") as u16,
        rnr_retry: number("rnr_retry") as u16,
        min_rnr_timer: number("min_rnr_timer") as u16,
        max_rd_atomic: number("max_rd_atomic") as u8,
        max_dest_rd_atomic: number("max_dest_rd_atomic") as u8,
        ..QpAttr::default()
    }
}

/// Runs the step; the outcome with results to compare as (name, value).
fn run(world: &mut World, step: &Step) -> Result<Vec<(&'static str, u64)>> {
    let number = |key: &str| step.number(&format!("/{key}")).unwrap_or(0);
    let result = |key: &str| step.result[key].as_u64();
    match step.step.as_str() {
        "umem_create" => {
            let offset = step.number("/address/offset").unwrap() as usize;
            let fd = step.params["dmabuf_fd"].as_i64().unwrap() as i32;
            let region = RawRegion {
                address: world.host.cpu_ptr().unwrap().wrapping_add(offset),
                size: number("size") as usize,
                access: number("access_flags") as u32,
                dmabuf: (fd >= 0).then(|| (fd, number("dmabuf_offset"))),
                gpu: None,
            };
            // SAFETY: the memory lives as long as the world.
            let umem = unsafe { Umem::create_raw(&world.net, region)? };
            let out = vec![("umem_id", umem.id().0.into())];
            world.umems.insert(umem.id().0.into(), umem);
            Ok(out)
        }
        "umem_destroy" => {
            world.umems.remove(&number("umem_id")).unwrap().destroy()?;
            Ok(vec![])
        }
        "uar_create" => {
            let kind = match step.text("/allocation_type").unwrap() {
                "BLUEFLAME" => UarKind::BlueFlame,
                "NONCACHE" => UarKind::NonCache,
                _ => UarKind::NonCacheDedicated,
            };
            let uar = Uar::create(&world.net, kind)?;
            let out = vec![("uar_id", uar.page().0.into())];
            world.uars.insert(uar.page().0.into(), uar);
            Ok(out)
        }
        "uar_destroy" => {
            world.uars.remove(&number("uar_id")).unwrap().destroy()?;
            Ok(vec![])
        }
        "cq_create" => {
            let attr = CqAttr {
                size: number("cq_size") as u32,
                ignore_overrun: number("cq_overrun") == 1,
                collapsed: number("cq_collapsed") == 1,
                umem: world.umem(step, "external_umem"),
                uar: step.number("/external_uar/uar_id").map(|id| &world.uars[&id]),
                ..CqAttr::default()
            };
            let cq = Cq::create(&world.net, &attr)?;
            let out = vec![("cqn", cq.cqn().0.into()), ("num_entries", cq.size().into())];
            world.cqs.insert(cq.cqn().0.into(), cq);
            Ok(out)
        }
        "cq_destroy" => {
            world.cqs.remove(&number("cqn")).unwrap().destroy()?;
            Ok(vec![])
        }
        "srq_create" => {
            let attr = SrqAttr {
                kind: match step.text("/type").unwrap() {
                    "LINKED_LIST" => SrqKind::LinkedList,
                    _ => SrqKind::Contiguous,
                },
                wr: number("srq_wr") as u32,
                max_sges: number("receive_max_sges") as u32,
                umem: world.umem(step, "external_umem"),
            };
            let srq = Srq::create(&world.net, &attr)?;
            let (_, entries, stride) = srq.queue();
            let out = vec![
                ("srqn", srq.rmpn().0.into()),
                ("num_entries", entries.into()),
                ("rwqe_size", stride.into()),
            ];
            world.srqs.insert(srq.rmpn().0.into(), srq);
            Ok(out)
        }
        "srq_destroy" => {
            world.srqs.remove(&number("srqn")).unwrap().destroy()?;
            Ok(vec![])
        }
        "qp_create" => {
            let cq = |key: &str| step.number(&format!("/{key}/cqn")).map(|id| &world.cqs[&id]);
            let attr = QpInitAttr {
                send_cq: cq("send_cq"),
                receive_cq: cq("receive_cq"),
                sq_wr: number("sq_wr") as u32,
                rq_wr: number("rq_wr") as u32,
                send_max_sges: number("send_max_sges") as u32,
                receive_max_sges: number("receive_max_sges") as u32,
                max_inline_data: number("max_inline_data") as u32,
                user_index: number("user_index") as u32,
                srq: step.number("/srq/srqn").map(|id| &world.srqs[&id]),
                umem: world.umem(step, "external_umem"),
                dbr_umem: world.umem(step, "external_umem_dbr"),
                uar: step.number("/external_uar/uar_id").map(|id| &world.uars[&id]),
                core_direct_master: number("core_direct_master") == 1,
                send_dbr_mode: match step.text("/send_dbr_mode") {
                    Some("NO_DBR_EXT") => QpSendDbrMode::NoDbrExt,
                    _ => QpSendDbrMode::DbrValid,
                },
                emulate_no_dbr_ext: number("emulate_no_dbr_ext") == 1,
                ..QpInitAttr::default()
            };
            let qp = Qp::create(&world.net, &attr)?;
            let (_, wqebbs) = qp.send_queue();
            let (_, entries, stride) = qp.receive_queue();
            let out = vec![
                ("qpn", qp.qpn().0.into()),
                ("sq_num_wqebb", wqebbs.into()),
                ("rq_num", entries.into()),
                ("rwqe_size", stride.into()),
            ];
            world.qps.insert(qp.qpn().0.into(), qp);
            Ok(out)
        }
        "qp_destroy" => {
            world.qps.remove(&number("qpn")).unwrap().destroy()?;
            Ok(vec![])
        }
        "qp_query" => {
            let report = world.qps[&number("qpn")].query()?;
            Ok(vec![("current_state", report.attr.current_state as u64)])
        }
        "query_device" => {
            let device = world.net.attributes();
            assert_eq!(result("max_sge"), Some(device.max_sge.into()));
            Ok(vec![
                ("max_qp", device.max_qp.into()),
                ("max_qp_wr", device.max_qp_wr.into()),
                ("max_cq", device.max_cq.into()),
                ("max_cqe", device.max_cqe.into()),
                ("max_mr", device.max_mr.into()),
                ("max_pd", device.max_pd.into()),
                ("max_ah", device.max_ah.into()),
                ("max_srq", device.max_srq.into()),
                ("max_srq_wr", device.max_srq_wr.into()),
                ("max_srq_sge", device.max_srq_sge.into()),
                ("max_pkeys", device.max_pkeys.into()),
                ("is_qp_type_supported_rc", device.rc.into()),
                ("send_dbr_mode_no_dbr_ext", device.send_dbr_mode_no_dbr_ext.into()),
                ("max_qp_rd_atom", device.max_qp_rd_atom.into()),
                ("max_qp_init_rd_atom", device.max_qp_init_rd_atom.into()),
            ])
        }
        modify if modify.starts_with("qp_modify") => {
            let mask = AttrMask(number("attr_mask") as u32);
            world.qps[&number("qpn")].modify(&attributes(step), mask)?;
            Ok(vec![])
        }
        other => panic!("step {other} is not known"),
    }
}

/// What the Rust API has no words for, so that no value could be given: enumerations that are types here.
fn cannot_be_said(step: &Step) -> bool {
    step.number("/qp_type").is_some_and(|kind| kind != 0)
        || step.text("/allocation_type") == Some("invalid")
        || step.number("/set/path_mtu") == Some(5)
}

fn replay(name: &str) -> Report {
    with(|r| *r = Default::default());
    let mut report = Report::default();
    let steps: Vec<Step> = load().into_iter().filter(|step| step.run == name).collect();
    assert!(steps.len() > 50, "run {name} has {} steps", steps.len());
    if name == "ib" {
        with(|r| r.answers.ethernet = false);
    }
    let mut world = World::new();
    for step in &steps {
        match step.step.as_str() {
            "dev_open" | "dev_close" => continue,
            "standin_config" => {
                configure(step, &mut world);
                recorder::take();
                continue;
            }
            _ => {}
        }
        if cannot_be_said(step) {
            assert!(!step.succeeded(), "{}", step.label());
            report.explain("values that the Rust types cannot hold");
            continue;
        }
        let qpn = step.number("/qpn").unwrap_or(u64::MAX);
        let to_reset = step.step.ends_with("2rst") || step.step.ends_with("2err");
        if world.apart.contains(&qpn) && !to_reset && step.step != "qp_destroy" {
            report.explain("steps that follow a refusal on the same qp");
            continue;
        }
        let on_a_qp = step.step != "qp_create" && qpn != u64::MAX;
        if on_a_qp && !world.qps.contains_key(&qpn) {
            report.explain("steps on a qp whose creation was refused on purpose");
            continue;
        }
        expect_ids(step);
        let belief = step.number("/set/current_state").filter(|_| {
            step.number("/attr_mask")
                .is_some_and(|mask| AttrMask(mask as u32).contains(AttrMask::CURRENT_STATE))
        });
        let wrong_belief = belief.is_some_and(|s| world.qps[&qpn].state() as u64 != s);
        let outcome = run(&mut world, step);
        let calls = recorder::take();
        let ethernet = with(|r| r.answers.ethernet);
        let refused = match wrong_belief {
            // The public library goes by a current_state that is not the state.
            true => Some("current_state".to_owned()),
            false => refused_on_purpose(step, ethernet),
        };
        match (step.succeeded(), outcome, refused) {
            (true, Err(error), Some(value)) => {
                let message = error.to_string();
                assert!(message.contains(&value), "{}: {message}", step.label());
                assert!(
                    !calls.iter().any(|call| {
                        matches!(call, Call::Command { opcode, .. } if *opcode != Opcode::QUERY_QP)
                    }),
                    "{}: a refused value reached the device",
                    step.label()
                );
                report.explain("values that were cut in silence are refused");
                match step.step.as_str() {
                    "qp_create" => {}
                    _ => {
                        world.apart.insert(qpn);
                    }
                }
            }
            (true, Ok(_), Some(value)) => report.fail(step, format!("{value} was not refused")),
            (true, Err(error), None) => report.fail(step, format!("ours refuses: {error}")),
            (false, Ok(_), _) => report.fail(step, format!("ours accepts what got {}", step.rc)),
            (false, Err(_), _) => {
                // A refused argument sends nothing; a failing device sees the same calls and the same unwinding.
                let device_failed = step.calls.iter().any(|call| call.get("errno").is_some());
                match device_failed || step.step == "qp_query" {
                    true => report.compare(step, &calls),
                    false if calls.is_empty() => {}
                    false => report.fail(step, format!("a refused call sent {calls:?}")),
                }
            }
            (true, Ok(values), None) => {
                if to_reset {
                    world.apart.remove(&qpn);
                }
                if step.step.ends_with("_destroy") {
                    report.compare_ends(step, &calls);
                } else {
                    report.compare(step, &calls);
                }
                for (key, ours) in values {
                    if step.result.get(key).is_some_and(|theirs| theirs.as_u64() != Some(ours)) {
                        let theirs = &step.result[key];
                        report.fail(step, format!("{key}: theirs {theirs}, ours {ours}"));
                    }
                }
            }
        }
    }
    assert!(world.nics.list().unwrap().len() == 1);
    report
}

fn check(name: &str, at_least: u64) {
    let report = replay(name);
    println!("{name}: {} commands compared; {:#?}", report.commands, report.explained);
    let shown: Vec<_> = report.wrong.iter().take(12).cloned().collect();
    assert!(report.wrong.is_empty(), "{} differences:\n{}", report.wrong.len(), shown.join("\n"));
    assert!(report.commands >= at_least, "only {} commands were compared", report.commands);
}

#[test]
fn ethernet_commands_are_those_of_the_public_library() {
    check("eth", 700);
}

#[test]
fn infiniband_commands_are_those_of_the_public_library() {
    check("ib", 40);
}

#[test]
fn a_path_mtu_above_the_ports_is_refused_with_both_values() {
    with(|r| *r = Default::default());
    let world = World::new();
    let cq = Cq::create(&world.net, &CqAttr { size: 16, ..CqAttr::default() }).unwrap();
    let init =
        QpInitAttr { send_cq: Some(&cq), sq_wr: 16, send_max_sges: 1, ..QpInitAttr::default() };
    let qp = Qp::create(&world.net, &init).unwrap();
    with(|r| r.answers.active_mtu = 3);
    let peer = Endpoint { qpn: qp.qpn(), gid: Gid([1; 16]), psn: 0 };
    let attr = ConnectAttr { path_mtu: Mtu::M4096, ..ConnectAttr::default() };
    let message = qp.connect(&peer, &attr).unwrap_err().to_string();
    assert!(message.contains("4096") && message.contains("1024"), "{message}");
}

#[test]
fn a_command_that_the_device_refuses_names_itself() {
    with(|r| *r = Default::default());
    let world = World::new();
    with(|r| r.answers.fail_next_create = true);
    let error = Cq::create(&world.net, &CqAttr { size: 16, ..CqAttr::default() }).unwrap_err();
    assert!(
        matches!(&error, Error::Command { opcode: Opcode::CREATE_CQ, errno, .. } if *errno == libc::EREMOTEIO)
    );
    assert_eq!(error.kind(), ErrorKind::Driver);
}
