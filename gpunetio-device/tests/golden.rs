//! The device headers leave the bytes that the public ones leave: every recorded call, run on the CPU executor.
#![allow(unsafe_code, clippy::unwrap_used, clippy::expect_used)]

use std::ffi::{CStr, c_char, c_void};

use gpunetio_device::executor::{CpuExecutor, KernelEntry, LaunchConfig};
use gpunetio_device::image::{MemType, NicHandler, QpImage};
use serde_json::Value;

const SLOTS: usize = 64;

#[repr(C)]
struct GoldenCase {
    name: *const c_char,
    kernel: *const KernelEntry,
    threads: u32,
}

unsafe extern "C" {
    safe static gpunetio_golden_cases: GoldenCase;
    safe static gpunetio_golden_count: u32;
}

/// Queue, doorbell record, register and CQ of one QP.
struct Queue {
    slots: Vec<u64>,
    cqes: Vec<u64>,
    record: [u32; 2],
    cq_record: u32,
    register: Box<[u64; 512]>,
}

impl Queue {
    fn new() -> Self {
        Self {
            slots: vec![0xa5a5_a5a5_a5a5_a5a5; SLOTS * 8],
            cqes: vec![u64::MAX; SLOTS * 8],
            record: [0; 2],
            cq_record: 0,
            register: Box::new([0; 512]),
        }
    }

    fn image(&mut self, qpn: u32, cqn: u32, start: u64) -> QpImage {
        let mut qp = QpImage {
            sq_rsvd_index: start,
            sq_ready_index: start,
            sq_wqe_pi: start,
            ..Default::default()
        };
        qp.set_number(qpn);
        qp.sq_wqe_num = SLOTS as u16;
        qp.sq_wqe_mask = SLOTS as u16 - 1;
        qp.sq_wqe_daddr = self.slots.as_mut_ptr().cast();
        qp.sq_dbrec = &raw mut self.record[1];
        qp.sq_db = self.register.as_mut_ptr();
        qp.cq_sq.cqe_daddr = self.cqes.as_mut_ptr().cast();
        qp.cq_sq.cq_num = cqn;
        qp.cq_sq.cqe_num = SLOTS as u32;
        qp.cq_sq.cqe_mask = SLOTS as u32 - 1;
        qp.cq_sq.cqe_ci = start;
        qp.cq_sq.dbrec = &raw mut self.cq_record;
        qp.nic_handler = NicHandler::GPU_SM_DB;
        qp.mem_type = MemType::GPU;
        qp
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}

/// Bytes of a slot that the recorded headers leave to chance: reserved words of WAIT and of the 4-byte masked fetch-and-add.
fn masked(slot: &str) -> String {
    let mut slot = slot.to_owned();
    let (opmod, opcode) = (slot[0..2].to_owned(), slot[6..8].to_owned());
    if opcode == "0f" {
        slot.replace_range(32..48, "----------------");
    } else if opcode == "15" && opmod == "08" {
        slot.replace_range(80..96, "----------------");
    }
    slot
}

/// The visible outcome of a QP as the recording has it; `None` where nothing happened.
fn outcome(queue: &Queue, image: &QpImage, start: u64) -> Option<Value> {
    let bytes: Vec<u8> = queue.slots.iter().flat_map(|w| w.to_ne_bytes()).collect();
    let slots: serde_json::Map<String, Value> = bytes
        .chunks_exact(64)
        .enumerate()
        .filter(|(_, slot)| slot.iter().any(|&b| b != 0xa5))
        .map(|(index, slot)| (index.to_string(), Value::from(masked(&hex(slot)))))
        .collect();
    if slots.is_empty() && image.sq_rsvd_index == start {
        return None;
    }
    Some(serde_json::json!({
        "rsvd": image.sq_rsvd_index,
        "dbrec": hex(&queue.record[1].to_ne_bytes()),
        "db": hex(&queue.register[0].to_ne_bytes()),
        "slots": slots,
    }))
}

fn expected(qp: &Value) -> Value {
    let slots: serde_json::Map<String, Value> = qp["slots"]
        .as_object()
        .unwrap()
        .iter()
        .map(|(index, slot)| (index.clone(), Value::from(masked(slot.as_str().unwrap()))))
        .collect();
    serde_json::json!({"rsvd": qp["rsvd"], "dbrec": qp["dbrec"], "db": qp["db"], "slots": slots})
}

#[test]
fn every_recorded_call_leaves_the_recorded_bytes() {
    let executor = CpuExecutor::new();
    // SAFETY: the table and its length are constants of the test kernels.
    let cases = unsafe {
        std::slice::from_raw_parts(&raw const gpunetio_golden_cases, gpunetio_golden_count as usize)
    };
    let recorded = include_str!("data/wqe_vectors.jsonl");
    let mut compared = 0;
    for line in recorded.lines() {
        let want: Value = serde_json::from_str(line).unwrap();
        let name = want["case"].as_str().unwrap();
        if name == "p_warp_u64" {
            continue;
        }
        // SAFETY: names are string literals.
        let case =
            cases.iter().find(|c| unsafe { CStr::from_ptr(c.name) }.to_str() == Ok(name)).unwrap();
        let start = want["start"].as_u64().unwrap();
        assert_eq!(u64::from(case.threads), want["threads"].as_u64().unwrap());
        let (mut main, mut companion) = (Queue::new(), Queue::new());
        let mut images =
            [main.image(0x12_3456, 0x10, start), companion.image(0x65_4321, 0x11, start)];
        let mut ticket = u64::MAX;
        let mut source: [u8; 64] = std::array::from_fn(|i| 0x30 + i as u8);
        let mut qp: *mut QpImage = &raw mut images[0];
        let mut cp: *mut QpImage = &raw mut images[1];
        let mut t: *mut u64 = &raw mut ticket;
        let mut src: *mut u8 = source.as_mut_ptr();
        let args: [*mut c_void; 4] = [
            (&raw mut qp).cast(),
            (&raw mut cp).cast(),
            (&raw mut t).cast(),
            (&raw mut src).cast(),
        ];
        // SAFETY: the arguments are those of the case kernels and outlive the launch, which is joined here.
        let launch =
            unsafe { executor.launch(&*case.kernel, LaunchConfig::line(1, case.threads), &args) };
        launch.unwrap().join().unwrap();

        let context = format!("{name} from index {start}");
        assert_eq!(outcome(&main, &images[0], start).unwrap(), expected(&want["qp"]), "{context}");
        let companion_got = outcome(&companion, &images[1], start);
        assert_eq!(companion_got, want.get("companion").map(expected), "{context}, companion");
        let ticket_got = (ticket != u64::MAX).then_some(ticket);
        assert_eq!(ticket_got, want.get("ticket").and_then(Value::as_u64), "{context}, ticket");
        compared += 1;
    }
    assert_eq!(compared, 48 * 4);
}

#[test]
fn inline_values_of_a_warp_go_into_one_batch() {
    // The recorded headers do nothing here, so the expectation is written out.
    let executor = CpuExecutor::new();
    // SAFETY: as above.
    let cases = unsafe {
        std::slice::from_raw_parts(&raw const gpunetio_golden_cases, gpunetio_golden_count as usize)
    };
    // SAFETY: as above.
    let case = cases.iter().find(|c| unsafe { CStr::from_ptr(c.name) } == c"p_warp_u64").unwrap();
    let mut main = Queue::new();
    let mut image = main.image(0x12_3456, 0x10, 0xfff0);
    let mut ticket = u64::MAX;
    let (mut qp, mut t, mut none): (*mut QpImage, *mut u64, *mut u8) =
        (&raw mut image, &raw mut ticket, std::ptr::null_mut());
    let args: [*mut c_void; 4] =
        [(&raw mut qp).cast(), (&raw mut none).cast(), (&raw mut t).cast(), (&raw mut none).cast()];
    // SAFETY: as above.
    unsafe { executor.launch(&*case.kernel, LaunchConfig::line(1, 32), &args) }
        .unwrap()
        .join()
        .unwrap();
    assert_eq!((image.sq_rsvd_index, ticket), (0x1_0010, 0xfff0));
    assert_eq!(hex(&main.register[0].to_ne_bytes()), "0100100012345600");
    assert_eq!(main.record[1], 0x10u32.to_be());
    for lane in 0..32u64 {
        let index = 0xfff0 + lane;
        let slot = &main.slots[(index as usize % SLOTS) * 8..][..8];
        let bytes: Vec<u8> = slot.iter().flat_map(|w| w.to_ne_bytes()).collect();
        assert_eq!(&bytes[..4], &((index as u16 as u32) << 8 | 8).to_be_bytes(), "lane {lane}");
        assert_eq!(&bytes[4..16], &[0x12, 0x34, 0x56, 3, 0, 0, 0, 8, 0, 0, 0, 0]);
        assert_eq!(&bytes[16..24], &(0x1122_3344_5566_7788u64 + lane * 8).to_be_bytes());
        assert_eq!(&bytes[32..36], &0x8000_0008u32.to_be_bytes());
        assert_eq!(&bytes[36..44], &(lane + 1).to_le_bytes());
    }
}
