//! Recorded calls against ours, with every difference that is meant named.

use std::collections::BTreeMap;

use gpunetio_prm::command::{Opcode, OptParam};
use serde_json::Value;

use super::{Call, fields};

/// One step of a recorded run.
#[derive(Debug, Clone)]
pub(crate) struct Step {
    pub(crate) run: String,
    pub(crate) n: u64,
    pub(crate) step: String,
    pub(crate) rc: String,
    pub(crate) params: Value,
    pub(crate) result: Value,
    pub(crate) calls: Vec<Value>,
}

impl Step {
    pub(crate) fn succeeded(&self) -> bool {
        self.rc == "DOCA_SUCCESS"
    }

    /// A number among the parameters.
    pub(crate) fn number(&self, pointer: &str) -> Option<u64> {
        self.params.pointer(pointer).and_then(Value::as_u64)
    }

    /// A text among the parameters.
    pub(crate) fn text(&self, pointer: &str) -> Option<&str> {
        self.params.pointer(pointer).and_then(Value::as_str)
    }

    pub(crate) fn label(&self) -> String {
        format!("{} {} {} {}", self.run, self.n, self.step, self.params)
    }
}

/// Reads the recorded runs.
pub(crate) fn load() -> Vec<Step> {
    let text = std::fs::read_to_string(concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/tests/data/devx_commands.jsonl"
    ))
    .unwrap();
    text.lines()
        .skip(1)
        .map(|line| {
            let mut value: Value = serde_json::from_str(line).unwrap();
            let text = |v: &Value, key: &str| v[key].as_str().unwrap_or_default().to_owned();
            Step {
                run: text(&value, "run"),
                n: value["n"].as_u64().unwrap(),
                step: text(&value, "step"),
                rc: text(&value, "rc"),
                params: value["params"].take(),
                result: value["result"].take(),
                calls: match value["calls"].take() {
                    Value::Array(calls) => calls,
                    _ => Vec::new(),
                },
            }
        })
        .collect()
}

/// Our form of a recorded call; `None` for calls that carry nothing to compare.
pub(crate) fn recorded(call: &Value) -> Option<Call> {
    let failed = call.get("errno").is_some();
    let number = |key: &str| call[key].as_u64().unwrap_or_default() as u32;
    let id = |key: &str| (!failed).then(|| number(key));
    let object = || {
        let text = call["obj"].as_str().unwrap();
        text.split(':').nth(1).unwrap().parse().unwrap()
    };
    Some(match call["api"].as_str().unwrap() {
        "umem_reg" | "umem_reg_ex" => Call::UmemReg {
            size: number("size") as usize,
            access: number("access"),
            dmabuf: call["comp_mask"].as_u64() == Some(1),
            plain: call["api"] == "umem_reg",
            id: id("umem_id"),
        },
        "umem_dereg" => Call::UmemDereg(number("umem_id")),
        "alloc_uar" => Call::AllocUar {
            flags: match call["type_name"].as_str().unwrap() {
                "BF" => 0,
                "NC" => 1,
                "NC_DEDICATED" => 1 << 31,
                other => panic!("page type {other}"),
            },
            page: id("page_id"),
        },
        "free_uar" => Call::FreeUar(number("page_id")),
        "obj_destroy" => Call::Destroy(object()),
        "obj_create" | "obj_modify" | "obj_query" | "general_cmd" => {
            let mut input = hex(call["in"].as_str().unwrap());
            let opcode = Opcode(u16::from_be_bytes([input[0], input[1]]));
            input.resize(number("in_len") as usize, 0);
            Call::Command { opcode, input, failed }
        }
        "ibv_create_ah" | "query_eqn" | "init_obj" | "ibv_destroy_ah" => return None,
        other => panic!("recorded call {other} is not known"),
    })
}

pub(crate) fn hex(text: &str) -> Vec<u8> {
    (0..text.len()).step_by(2).map(|i| u8::from_str_radix(&text[i..i + 2], 16).unwrap()).collect()
}

/// What differed on purpose, with how often.
#[derive(Debug, Default)]
pub(crate) struct Report {
    pub(crate) explained: BTreeMap<&'static str, u64>,
    pub(crate) wrong: Vec<String>,
    pub(crate) commands: u64,
}

impl Report {
    pub(crate) fn explain(&mut self, reason: &'static str) {
        *self.explained.entry(reason).or_default() += 1;
    }

    pub(crate) fn fail(&mut self, step: &Step, what: String) {
        self.wrong.push(format!("{}: {what}", step.label()));
    }

    /// Compares the calls of a step, in order.
    pub(crate) fn compare(&mut self, step: &Step, ours: &[Call]) {
        let theirs: Vec<Call> = step.calls.iter().filter_map(recorded).collect();
        let ours: Vec<&Call> =
            ours.iter().filter(|call| !matches!(call, Call::CreateAh(_))).collect();
        if theirs.len() != ours.len() {
            return self
                .fail(step, format!("calls differ\n  theirs {theirs:?}\n  ours   {ours:?}"));
        }
        // After a command that failed comes the unwinding, whose order is free.
        let is_failed = |call: &Call| matches!(call, Call::Command { failed: true, .. });
        let ordered = theirs.iter().position(is_failed).map_or(theirs.len(), |at| at + 1);
        let key = |call: &Call| format!("{call:?}");
        let mut tails = (
            theirs[ordered..].iter().map(key).collect::<Vec<_>>(),
            ours[ordered..].iter().map(|call| key(call)).collect::<Vec<_>>(),
        );
        tails.0.sort();
        tails.1.sort();
        if tails.0 != tails.1 {
            self.fail(
                step,
                format!("unwinding differs\n  theirs {:?}\n  ours   {:?}", tails.0, tails.1),
            );
        }
        for (theirs, ours) in theirs.iter().zip(ours).take(ordered) {
            match (theirs, ours) {
                (
                    Call::Command { opcode: a, input: x, failed: f },
                    Call::Command { opcode: b, input: y, failed: g },
                ) if a == b && f == g => self.compare_command(step, *a, x, y),
                _ if theirs == ours => {}
                _ => self.fail(step, format!("theirs {theirs:?}, ours {ours:?}")),
            }
        }
    }

    /// Compares calls whose order is free: the ends of a thing's parts.
    pub(crate) fn compare_ends(&mut self, step: &Step, ours: &[Call]) {
        let key = |call: &Call| format!("{call:?}");
        let mut theirs: Vec<String> =
            step.calls.iter().filter_map(recorded).map(|c| key(&c)).collect();
        let mut ours: Vec<String> = ours.iter().map(key).collect();
        theirs.sort();
        ours.sort();
        if theirs != ours {
            self.fail(step, format!("ends differ\n  theirs {theirs:?}\n  ours   {ours:?}"));
        }
    }

    pub(crate) fn compare_command(
        &mut self,
        step: &Step,
        opcode: Opcode,
        theirs: &[u8],
        ours: &[u8],
    ) {
        self.commands += 1;
        let (bytes, fields) = fields::of(opcode);
        if theirs.len() < bytes || ours.len() < bytes {
            let (a, b) = (theirs.len(), ours.len());
            return self.fail(step, format!("{opcode} has {a} bytes, ours {b}, needed {bytes}"));
        }
        let get = |buffer: &[u8], name: &str| {
            let field = fields.iter().find(|(n, _)| n == name).unwrap();
            fields::value(buffer, field.1)
        };
        for (name, field) in &fields {
            let (a, b) = (fields::value(theirs, *field), fields::value(ours, *field));
            if a == b {
                continue;
            }
            match explained(step, opcode, name, (a, b), |n| (get(theirs, n), get(ours, n))) {
                Some(reason) => self.explain(reason),
                None => self.fail(step, format!("{opcode}.{name}: theirs {a:#x}, ours {b:#x}")),
            }
        }
    }
}

const UDP_SPORT: &str = "qpc.primary_address_path.udp_sport";

/// The reason for a difference of one field that is meant.
fn explained(
    step: &Step,
    opcode: Opcode,
    name: &str,
    (theirs, ours): (u128, u128),
    both: impl Fn(&str) -> (u128, u128),
) -> Option<&'static str> {
    let offset = u128::from(step.number("/external_umem/offset").unwrap_or(0));
    match (opcode, name) {
        (Opcode::CREATE_CQ, "cq_context.dbr_umem_id")
            if theirs == 0 && ours == both("cq_umem_id").1 =>
        {
            Some("a cq on memory of its own names the umem of its doorbell record")
        }
        (Opcode::CREATE_CQ, "cq_umem_offset") | (Opcode::CREATE_QP, "wq_umem_offset")
            if theirs == 0 && ours == offset =>
        {
            Some("offsets in external umems are honoured")
        }
        (Opcode::CREATE_CQ, "cq_context.dbr_addr") if ours == theirs + offset => {
            Some("offsets in external umems are honoured")
        }
        (Opcode::CREATE_QP, "qpc.next_rcv_psn") if theirs == 1 && ours == 0 => Some(
            "a core-direct master does not set next_rcv_psn; cd_master where the device has it",
        ),
        (Opcode::INIT2RTR_QP, UDP_SPORT)
            if theirs >= 0xc000 && (0xc000..=0xffff).contains(&ours) =>
        {
            Some("the UDP source port is a function of the QP numbers, in the device's range")
        }
        (
            Opcode::INIT2INIT_QP | Opcode::INIT2RTR_QP | Opcode::RTR2RTS_QP | Opcode::RTS2RTS_QP,
            _,
        ) if ours == 0 => {
            let bit = match name.rsplit('.').next().unwrap() {
                "rre" => OptParam::RRE,
                "rwe" => OptParam::RWE,
                "rae" | "atomic_mode" => OptParam::RAE,
                "pkey_index" => OptParam::PKEY_INDEX,
                "vhca_port_num" => OptParam::PRI_PORT,
                "min_rnr_nak" => OptParam::RNR_TIMEOUT,
                _ => return None,
            };
            let mask = OptParam(both("opt_param_mask").0 as u32);
            (!mask.contains(bit)).then_some("fields whose mask bit is absent stay 0")
        }
        _ => None,
    }
}
