//! Every command that the public host library was recorded to send is accepted, in order, on a fresh device.
//!
//! The recorded answers are a stand-in's, so what it refused on request is skipped, and its QUERY answers are compared only
//! in the fields that clients read. Where this device refuses what the stand-in took, [`Exception`] says why.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(unsafe_code)]

use std::alloc::{Layout as Alloc, alloc_zeroed, dealloc};
use std::collections::HashMap;

use gpunetio_prm::command::{Opcode, SendDbrMode, Status};
use gpunetio_prm::id::{Cqn, Pdn, Rmpn, UarPage, UmemId};
use gpunetio_prm::layout::capability::*;
use gpunetio_prm::layout::cq::*;
use gpunetio_prm::layout::qp::*;
use gpunetio_prm::layout::rmp::*;
use gpunetio_prm::layout::roce::*;
use gpunetio_prm::layout::{Field, Layout, View};
use gpunetio_softnic::command::{self, resource};
use gpunetio_softnic::device::{Config, Fabric};
use gpunetio_softnic::memory::Span;
use gpunetio_softnic::syndrome::{self, Reason};
use serde_json::Value;

const RECORDED: &str = include_str!("data/devx_commands.jsonl");
/// The recorded protection domain.
const RECORDED_PD: u64 = 7;

/// Memory of a umem.
struct Memory {
    addr: *mut u8,
    layout: Alloc,
}

impl Memory {
    fn new(size: usize) -> Self {
        let layout = Alloc::from_size_align(size, 4096).unwrap();
        // SAFETY: the size is not 0 in any recorded umem, which `from_size_align` and the device both check.
        let addr = unsafe { alloc_zeroed(layout) };
        assert!(!addr.is_null());
        Self { addr, layout }
    }

    fn span(&self) -> Span {
        // SAFETY: the allocation lives as long as the replay, and only the device accesses it.
        unsafe { Span::new(self.addr as usize, self.layout.size()) }
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        // SAFETY: allocated by `new` with this layout.
        unsafe { dealloc(self.addr, self.layout) };
    }
}

/// Why a recorded command is refused here, and how it is changed so that the replay goes on.
struct Exception {
    reason: Reason,
    repair: fn(&mut View<Rst2initQpIn, &mut [u8]>),
}

/// The recorded commands that this device refuses.
fn exception(opcode: Opcode, cmd: &View<Rst2initQpIn, &[u8]>) -> Option<Exception> {
    let context = cmd.sub(rst2init_qp_in::QPC);
    let path = context.sub(qpc::PRIMARY_ADDRESS_PATH);
    match opcode {
        // Address handles of InfiniBand: LIDs, no MAC, and a GID only where the client asked for a GRH.
        Opcode::INIT2RTR_QP if path.is_set(ads::RLID) => Some(Exception {
            reason: syndrome::PATH_FOR_INFINIBAND,
            repair: |cmd| {
                let mut context = cmd.sub_mut(rst2init_qp_in::QPC);
                let mut path = context.sub_mut(qpc::PRIMARY_ADDRESS_PATH);
                path.set(ads::RLID, 0u8).unwrap();
                path.set(ads::RMAC_31_0, 1u8).unwrap();
                path.octets_mut(ads::RGID_RIP).copy_from_slice(&[1; 16]);
            },
        }),
        // The stand-in takes any depth; this device has the 16 that it reports.
        Opcode::INIT2RTR_QP if context.get(qpc::LOG_RRA_MAX) > 4 => Some(Exception {
            reason: syndrome::RESPONDER_DEPTH,
            repair: |cmd| cmd.sub_mut(rst2init_qp_in::QPC).set(qpc::LOG_RRA_MAX, 4u8).unwrap(),
        }),
        Opcode::RTR2RTS_QP if context.get(qpc::LOG_SRA_MAX) > 4 => Some(Exception {
            reason: syndrome::INITIATOR_DEPTH,
            repair: |cmd| cmd.sub_mut(rst2init_qp_in::QPC).set(qpc::LOG_SRA_MAX, 4u8).unwrap(),
        }),
        // The library lets index 128 of a table of 128 pass.
        Opcode::RST2INIT_QP if path.get(ads::PKEY_INDEX) > 127 => Some(Exception {
            reason: syndrome::PKEY_INDEX,
            repair: |cmd| {
                let mut context = cmd.sub_mut(rst2init_qp_in::QPC);
                context.sub_mut(qpc::PRIMARY_ADDRESS_PATH).set(ads::PKEY_INDEX, 127u8).unwrap();
            },
        }),
        _ => None,
    }
}

/// One run on one device.
struct Replay {
    fabric: Fabric,
    umems: HashMap<u64, (UmemId, Memory)>,
    uars: HashMap<u64, UarPage>,
    objects: HashMap<String, u32>,
    pd: Pdn,
    /// Pages that the library freed under their queues.
    freed_early: Vec<UarPage>,
    /// Context of each QP as the recorded commands left it, to tell which fields were repaired.
    repaired: bool,
    exceptions: Vec<Reason>,
}

impl Replay {
    fn new() -> Self {
        // Enough addresses to fill the GID table, since the recorded indices go up to its last entry.
        let addresses = (1..=127u8).map(|host| [192, 168, 1, host].into()).collect();
        let addresses = Some(vec![addresses]);
        let config = Config { strict: true, addresses, ..Config::default() };
        let mut fabric = Fabric::new(&config);
        let pd = resource::alloc_pd(&mut fabric.devices[0]).unwrap();
        Self {
            fabric,
            pd,
            umems: HashMap::new(),
            uars: HashMap::new(),
            objects: HashMap::new(),
            freed_early: Vec::new(),
            repaired: false,
            exceptions: Vec::new(),
        }
    }

    fn step(&mut self, line: &Value) {
        let at = format!("{} {} {}: {}", line["run"], line["n"], line["step"], line["call"]);
        let id = line["id"].as_u64();
        let device = &mut self.fabric.devices[0];
        match line["call"].as_str().unwrap() {
            // The stand-in took dma-bufs; here their memory is the host's.
            "umem_reg" => {
                let memory = Memory::new(line["size"].as_u64().unwrap() as usize);
                let umem = resource::register_umem(device, memory.span()).expect(&at);
                self.umems.insert(id.unwrap(), (umem, memory));
            }
            "umem_dereg" => {
                let (umem, _memory) = self.umems.remove(&id.unwrap()).expect(&at);
                resource::deregister_umem(device, umem).expect(&at);
            }
            "alloc_uar" => {
                let (page, _) = resource::alloc_uar(device).expect(&at);
                self.uars.insert(id.unwrap(), page);
            }
            "free_uar" => {
                let page = self.uars.remove(&id.unwrap()).expect(&at);
                match resource::dealloc_uar(device, page) {
                    Ok(()) => {}
                    // A QP group frees its page before its queues: refused, and done once they are gone.
                    Err(refusal) => {
                        assert_eq!(refusal.reason, syndrome::BUSY_UAR, "{at}");
                        self.exceptions.push(refusal.reason);
                        self.freed_early.push(page);
                    }
                }
            }
            "destroy" => self.destroy(line["obj"].as_str().unwrap()),
            _ => self.command(line, &at),
        }
    }

    fn destroy(&mut self, object: &str) {
        let number = self.objects.remove(object).expect(object);
        match object.split_once(':').unwrap().0 {
            "rmp" => command::rmp::destroy(&mut self.fabric.devices[0], Rmpn(number)).unwrap(),
            kind => {
                let mut cmd = View::<DestroyQpIn, Vec<u8>>::zeroed();
                let opcode = if kind == "cq" { Opcode::DESTROY_CQ } else { Opcode::DESTROY_QP };
                cmd.set(destroy_qp_in::OPCODE, opcode).unwrap();
                cmd.set(destroy_qp_in::QPN, number).unwrap();
                let status = command::execute(&mut self.fabric, 0, cmd.as_bytes(), &mut [0; 16]);
                assert_eq!(status, Status::OK, "{object}");
            }
        }
    }

    fn command(&mut self, line: &Value, at: &str) {
        let mut input = hex(&line["in"], &line["in_len"]);
        let recorded = hex(&line["out"], &line["out_len"]);
        let opcode = command::opcode(&input);
        self.translate(opcode, &mut input);
        let mut output = vec![0; recorded.len()];
        if let Ok(cmd) = View::new(&input[..])
            && let Some(exception) =
                exception(opcode, &cmd).or_else(|| self.exception(opcode, &cmd))
        {
            let status = command::execute(&mut self.fabric, 0, &input, &mut output);
            assert_eq!(status, exception.reason.status, "{at}");
            let out = View::<CreateQpOut, _>::new(&output).unwrap();
            assert_eq!(
                Reason::of(out.get(create_qp_out::SYNDROME) as u32),
                Some(exception.reason),
                "{at}"
            );
            (exception.repair)(&mut View::new(&mut input[..]).unwrap());
            self.exceptions.push(exception.reason);
            self.repaired |= opcode != Opcode::CREATE_QP;
        }
        let status = command::execute(&mut self.fabric, 0, &input, &mut output);
        let syndrome = View::<CreateQpOut, _>::new(&output).unwrap().get(create_qp_out::SYNDROME);
        let reason = Reason::of(syndrome as u32);
        assert_eq!(status, Status::OK, "{at}: {reason:?}");
        let number = |bytes: &[u8]| {
            View::<CreateQpOut, _>::new(bytes).unwrap().get(create_qp_out::QPN) as u32
        };
        match opcode {
            Opcode::CREATE_CQ | Opcode::CREATE_QP | Opcode::CREATE_RMP => {
                let kind = match opcode {
                    Opcode::CREATE_CQ => "cq",
                    Opcode::CREATE_QP => "qp",
                    _ => "rmp",
                };
                let name = format!("{kind}:{}", number(&recorded));
                assert!(self.objects.insert(name, number(&output)).is_none(), "{at}");
            }
            Opcode::TO_RST_QP => self.repaired = false,
            Opcode::QUERY_QP => self.compare_qp(line, &recorded, &output, at),
            _ => {}
        }
    }

    /// The recorded commands that this device refuses because of what there is already: the library's QP group has both its
    /// queues ring one page. With registers in memory, a page holds the doorbell of one queue without a record; the library
    /// gives a record to all, so that one with it does instead.
    fn exception(&self, opcode: Opcode, cmd: &View<Rst2initQpIn, &[u8]>) -> Option<Exception> {
        let without_record = u64::from(SendDbrMode::NO_DBR_EXT);
        let context = cmd.sub(rst2init_qp_in::QPC);
        if opcode != Opcode::CREATE_QP || context.get(qpc::SEND_DBR_MODE) != without_record {
            return None;
        }
        let device = &self.fabric.devices[0];
        let uar = device.uars.get(context.get(qpc::UAR_PAGE) as u32)?;
        let mut others = uar.qps.iter().map(|qpn| device.qps.get(qpn.0).unwrap());
        others.any(|qp| qp.send_dbr_mode == SendDbrMode::NO_DBR_EXT).then_some(Exception {
            reason: syndrome::PAGE_WITHOUT_RECORDS,
            repair: |cmd| {
                let mut context = cmd.sub_mut(rst2init_qp_in::QPC);
                context.set(qpc::SEND_DBR_MODE, SendDbrMode::DBR_VALID).unwrap();
            },
        })
    }

    /// Puts this device's ids in the place of the recorded ones.
    fn translate(&self, opcode: Opcode, input: &mut [u8]) {
        fn swap<L: Layout>(
            view: &mut View<L, &mut [u8]>,
            field: Field<L>,
            map: impl Fn(u64) -> Option<u64>,
        ) {
            let recorded = view.get(field);
            if recorded != 0 {
                let ours =
                    map(recorded).unwrap_or_else(|| panic!("{} {recorded}", field.info().name));
                view.set(field, ours).unwrap();
            }
        }
        let umem = |id| self.umems.get(&id).map(|(umem, _)| umem.0.into());
        let uar = |id| self.uars.get(&id).map(|page| page.0.into());
        let pd = |id| (id == RECORDED_PD).then_some(self.pd.0.into());
        let object = |kind: &'static str| {
            move |id: u64| self.objects.get(&format!("{kind}:{id}")).map(|number| (*number).into())
        };
        match opcode {
            Opcode::QUERY_HCA_CAP | Opcode::QUERY_ROCE_ADDRESS => {}
            Opcode::CREATE_CQ => {
                let mut cmd = View::<CreateCqIn, _>::new(input).unwrap();
                swap(&mut cmd, create_cq_in::CQ_UMEM_ID, umem);
                let mut context = cmd.sub_mut(create_cq_in::CQ_CONTEXT);
                swap(&mut context, cqc::DBR_UMEM_ID, umem);
                swap(&mut context, cqc::UAR_PAGE, uar);
            }
            Opcode::CREATE_RMP => {
                let mut cmd = View::<CreateRmpIn, _>::new(input).unwrap();
                let mut context = cmd.sub_mut(create_rmp_in::CTX);
                let mut queue = context.sub_mut(rmpc::WQ);
                swap(&mut queue, wq::PD, pd);
                swap(&mut queue, wq::DBR_UMEM_ID, umem);
                swap(&mut queue, wq::WQ_UMEM_ID, umem);
            }
            Opcode::CREATE_QP => {
                let mut cmd = View::<CreateQpIn, _>::new(input).unwrap();
                swap(&mut cmd, create_qp_in::WQ_UMEM_ID, umem);
                let mut context = cmd.sub_mut(create_qp_in::QPC);
                swap(&mut context, qpc::PD, pd);
                swap(&mut context, qpc::UAR_PAGE, uar);
                swap(&mut context, qpc::DBR_UMEM_ID, umem);
                swap(&mut context, qpc::CQN_SND, object("cq"));
                swap(&mut context, qpc::CQN_RCV, object("cq"));
                swap(&mut context, qpc::SRQN_RMPN_XRQN, object("rmp"));
            }
            _ => {
                let mut cmd = View::<Qp2errIn, _>::new(input).unwrap();
                swap(&mut cmd, qp_2err_in::QPN, object("qp"));
            }
        }
    }

    /// Compares what QUERY_QP says in the fields that the library reads.
    fn compare_qp(&self, line: &Value, recorded: &[u8], ours: &[u8], at: &str) {
        let recorded = View::<QueryQpOut, _>::new(recorded).unwrap();
        let ours = View::<QueryQpOut, _>::new(ours).unwrap();
        let (recorded, ours) = (recorded.sub(query_qp_out::QPC), ours.sub(query_qp_out::QPC));
        let mtu = ours.get(qpc::MTU);
        assert!((1..=5).contains(&mtu), "{at}: mtu {mtu}");
        // The stand-in was told to answer MTU 0 in this one step, and a repaired context differs as it must.
        if self.repaired || (line["run"] == "eth" && line["n"] == 969) {
            return;
        }
        for field in [
            qpc::STATE,
            qpc::ST,
            qpc::MTU,
            qpc::NEXT_RCV_PSN,
            qpc::NEXT_SEND_PSN,
            qpc::REMOTE_QPN,
            qpc::RETRY_COUNT,
            qpc::RNR_RETRY,
            qpc::MIN_RNR_NAK,
            qpc::RWE,
            qpc::RRE,
            qpc::LOG_SRA_MAX,
            qpc::LOG_RRA_MAX,
            qpc::USER_INDEX,
            qpc::LOG_SQ_SIZE,
            qpc::LOG_RQ_SIZE,
            qpc::RQ_TYPE,
        ] {
            // In reset that is what the library set by mistake at creation (for `cd_master`).
            let slip = field.info() == qpc::NEXT_RCV_PSN.info() && !recorded.is_set(qpc::STATE);
            let same = ours.get(field) == recorded.get(field);
            assert!(same || slip, "{at}: {}", field.info().name);
        }
        let recorded = recorded.sub(qpc::PRIMARY_ADDRESS_PATH);
        let ours = ours.sub(qpc::PRIMARY_ADDRESS_PATH);
        for field in [
            ads::PKEY_INDEX,
            ads::VHCA_PORT_NUM,
            ads::ACK_TIMEOUT,
            ads::RLID,
            ads::SL,
            ads::SRC_ADDR_INDEX,
            ads::STAT_RATE,
            ads::HOP_LIMIT,
            ads::TCLASS,
        ] {
            assert_eq!(ours.get(field), recorded.get(field), "{at}: {}", field.info().name);
        }
        assert_eq!(ours.octets(ads::RGID_RIP), recorded.octets(ads::RGID_RIP), "{at}");
    }

    /// Frees what is left; nothing may be in use but what the library leaked.
    fn finish(mut self) -> Vec<Reason> {
        for object in
            self.objects.keys().filter(|o| o.starts_with("qp")).cloned().collect::<Vec<_>>()
        {
            self.destroy(&object);
        }
        for object in self.objects.keys().cloned().collect::<Vec<_>>() {
            self.destroy(&object);
        }
        let device = &mut self.fabric.devices[0];
        for page in self.freed_early.iter().chain(self.uars.values()) {
            resource::dealloc_uar(device, *page).unwrap();
        }
        for (umem, _) in self.umems.values() {
            resource::deregister_umem(device, *umem).unwrap();
        }
        resource::dealloc_pd(device, self.pd).unwrap();
        assert_eq!(device.diagnostics.seen(), [], "the library rings no doorbell here");
        assert!(device.qps.is_empty() && device.cqs.is_empty() && device.rmps.is_empty());
        assert!(device.umems.is_empty() && device.uars.is_empty() && device.pds.is_empty());
        assert!(device.cqs.get(Cqn(0).0).is_none());
        self.exceptions
    }
}

/// The bytes of a recorded buffer, with the trailing zeros that were cut.
fn hex(text: &Value, len: &Value) -> Vec<u8> {
    let text = text.as_str().unwrap();
    let mut bytes: Vec<u8> = (0..text.len() / 2)
        .map(|at| u8::from_str_radix(&text[2 * at..2 * at + 2], 16).unwrap())
        .collect();
    bytes.resize(len.as_u64().unwrap() as usize, 0);
    bytes
}

fn replay(run: &str) -> (usize, Vec<Reason>) {
    let mut replay = Replay::new();
    let mut steps = 0;
    for line in RECORDED.lines().skip(1) {
        let line: Value = serde_json::from_str(line).unwrap();
        // Calls that the stand-in was told to fail, and those configurations themselves, concern the library only.
        if line["run"] != run || line.get("errno").is_some() || line.get("config").is_some() {
            continue;
        }
        replay.step(&line);
        steps += 1;
    }
    (steps, replay.finish())
}

fn count(exceptions: &[Reason], reason: Reason) -> usize {
    exceptions.iter().filter(|other| **other == reason).count()
}

#[test]
fn the_ethernet_run_is_accepted() {
    let (steps, exceptions) = replay("eth");
    assert!(steps > 1000, "{steps}");
    assert_eq!(count(&exceptions, syndrome::PKEY_INDEX), 1);
    assert_eq!(count(&exceptions, syndrome::RESPONDER_DEPTH), 4);
    assert_eq!(count(&exceptions, syndrome::INITIATOR_DEPTH), 4);
    assert_eq!(count(&exceptions, syndrome::PATH_FOR_INFINIBAND), 4);
    assert_eq!(exceptions.len(), 13);
}

#[test]
fn the_infiniband_run_is_accepted_once_its_paths_are_ethernet() {
    let (steps, exceptions) = replay("ib");
    assert!(steps > 60, "{steps}");
    assert_eq!(count(&exceptions, syndrome::PATH_FOR_INFINIBAND), exceptions.len());
}

#[test]
fn the_high_level_runs_are_accepted() {
    for (run, expected) in [("hl_gpu", 2), ("hl_proxy", 1), ("hl_nodmabuf", 0), ("hl_gdrcopy", 0)] {
        let (steps, exceptions) = replay(run);
        assert!(steps > 50, "{run}: {steps}");
        let shared = count(&exceptions, syndrome::PAGE_WITHOUT_RECORDS);
        assert_eq!(shared, expected, "{run}");
        assert_eq!(count(&exceptions, syndrome::BUSY_UAR) + shared, exceptions.len(), "{run}");
    }
}

#[test]
fn capabilities_that_the_library_reads_are_as_recorded() {
    let mut fabric = Fabric::new(&Config { strict: true, ..Config::default() });
    let mut compared = 0;
    for line in RECORDED.lines().skip(1).take(40) {
        let line: Value = serde_json::from_str(line).unwrap();
        if line["call"] != "QUERY_HCA_CAP" {
            continue;
        }
        let (input, recorded) =
            (hex(&line["in"], &line["in_len"]), hex(&line["out"], &line["out_len"]));
        let mut output = vec![0; recorded.len()];
        assert_eq!(command::execute(&mut fabric, 0, &input, &mut output), Status::OK);
        let recorded = View::<QueryHcaCapOut, _>::new(recorded).unwrap();
        let ours = View::<QueryHcaCapOut, _>::new(output).unwrap();
        let op_mod = View::<QueryHcaCapIn, _>::new(input).unwrap().get(query_hca_cap_in::OP_MOD);
        fn same<L: Layout>(a: View<L, &[u8]>, b: View<L, &[u8]>, fields: &[Field<L>]) {
            for field in fields {
                assert_eq!(a.get(*field), b.get(*field), "{}", field.info().name);
            }
        }
        let page = query_hca_cap_out::CAPABILITY;
        match op_mod {
            1 => same(
                ours.region::<CmdHcaCap>(page).unwrap(),
                recorded.region(page).unwrap(),
                &[
                    cmd_hca_cap::PORT_TYPE,
                    cmd_hca_cap::RC,
                    cmd_hca_cap::RTS2RTS_QP_DSCP,
                    cmd_hca_cap::MAX_WQE_SZ_SQ,
                    cmd_hca_cap::MAX_WQE_SZ_RQ,
                    cmd_hca_cap::LOG_MAX_QP_SZ,
                    cmd_hca_cap::LOG_MAX_MSG,
                    cmd_hca_cap::CQE_VERSION,
                    cmd_hca_cap::HCA_CAP_2,
                    cmd_hca_cap::GID_TABLE_SIZE,
                ],
            ),
            9 => same(
                ours.region::<RoceCap>(page).unwrap(),
                recorded.region(page).unwrap(),
                &[
                    roce_cap::ROCE_ADDRESS_TABLE_SIZE,
                    roce_cap::R_ROCE_MIN_SRC_UDP_PORT,
                    roce_cap::R_ROCE_MAX_SRC_UDP_PORT,
                    roce_cap::R_ROCE_DEST_UDP_PORT,
                ],
            ),
            _ => same(
                ours.region::<CmdHcaCap2>(page).unwrap(),
                recorded.region(page).unwrap(),
                &[cmd_hca_cap_2::SEND_DBR_MODE_NO_DBR_EXT],
            ),
        }
        compared += 1;
    }
    assert!(compared >= 3, "{compared}");
}

#[test]
fn a_roce_address_is_answered_as_recorded() {
    let mut replay = Replay::new();
    let line = RECORDED.lines().find(|line| line.contains("QUERY_ROCE_ADDRESS")).unwrap();
    let line: Value = serde_json::from_str(line).unwrap();
    let (input, recorded) =
        (hex(&line["in"], &line["in_len"]), hex(&line["out"], &line["out_len"]));
    let mut output = vec![0; recorded.len()];
    command::execute(&mut replay.fabric, 0, &input, &mut output);
    let entry = |bytes: &[u8]| {
        let view = View::<RoceAddrLayout, _>::new(&bytes[QueryRoceAddressOut::BYTES..]).unwrap();
        view.get(roce_addr_layout::ROCE_VERSION)
    };
    assert_eq!(entry(&output), entry(&recorded));
    assert_eq!(output[16..32], replay.fabric.devices[0].port.gid(3).unwrap().gid.0);
}
