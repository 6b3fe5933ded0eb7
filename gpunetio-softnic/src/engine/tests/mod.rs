//! The engine on pairs of queues in heap memory, with a clock that tests set.

#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]

mod cost;
mod depth;
mod failure;
mod fence;
mod queue;
mod random;
mod receive;
mod strict;
mod work;

use gpunetio_prm::command::{MtuCode, QpState, SendDbrMode, ServiceType};
use gpunetio_prm::cqe::{CQE_BYTES, Cqe64, CqeOpcode, ErrCqe, Syndrome, owner_bit};
use gpunetio_prm::doorbell::{RCV_DBR, SND_DBR, SqDoorbell};
use gpunetio_prm::id::{Cqn, Eqn, Mkey, Pdn, Psn, Qpn, Rmpn, UarPage};
use gpunetio_prm::wqe::{
    CompletionMode, CtrlSeg, DataSeg, INLINE_SEG, RaddrSeg, SEG_BYTES, WQEBB_BYTES, WqeOpcode,
    wqebbs,
};
use std::collections::BinaryHeap;
use zerocopy::big_endian::{U32, U64};
use zerocopy::{FromBytes, IntoBytes, transmute};

use super::{DoorbellKind, RunState, activate, doorbell, next_deadline, run, to_error};
use crate::device::{Config, Fabric};
use crate::memory::test_memory::client_memory;
use crate::memory::{Access, MemoryRegion, RegisterPage, Span};
use crate::object::{Cq, Path, Qp, QpAttributes, ReceiveQueue, ReceiveSide, Rmp, SendQueue, Uar};

const PD: Pdn = Pdn(7);
const ALL: Access = Access(0xf);
/// Bytes of a side's registered memory, inside guard bytes.
const DATA_BYTES: usize = 64 << 10;
const GUARD_BYTES: usize = 4096;
const GUARD: u8 = 0xc3;
const USER_INDEX: u32 = 0xabcdef;
const RQ_STRIDE: u8 = 6;

/// How queues are made.
#[derive(Clone, Copy)]
struct Shape {
    service: ServiceType,
    log_sq: u8,
    log_rq: u8,
    log_cq: u8,
    collapsed: bool,
    overrun_ignored: bool,
    devices: usize,
    strict: bool,
    rnr_retry: u8,
    retry_count: u8,
    ack_timeout: u8,
    start_index: u16,
}

impl Default for Shape {
    fn default() -> Self {
        Self {
            service: ServiceType::RC,
            log_sq: 6,
            log_rq: 4,
            log_cq: 7,
            collapsed: false,
            overrun_ignored: true,
            devices: 1,
            strict: true,
            rnr_retry: 2,
            retry_count: 3,
            ack_timeout: 1,
            start_index: 0,
        }
    }
}

/// A client's completion queue.
struct Completions {
    cqn: Cqn,
    ring: Span,
    dbr: Span,
    log_size: u8,
    consumer: u64,
}

/// A client's queue pair and its memory.
struct Side {
    device: usize,
    qpn: Qpn,
    uar: UarPage,
    send: Completions,
    receive: Completions,
    sq: Span,
    log_sq: u8,
    rq: Span,
    log_rq: u8,
    dbr: Span,
    /// Guard, data, guard.
    memory: Span,
    key: Mkey,
    posted: u16,
    received: u16,
}

struct Bench {
    fabric: Fabric,
    sides: [Side; 2],
}

/// A completion as a client reads it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Seen {
    opcode: CqeOpcode,
    index: u16,
    syndrome: Syndrome,
    vendor: u8,
    cqe: Cqe64,
}

fn insert_cq(fabric: &mut Fabric, device: usize, shape: &Shape) -> Completions {
    let ring = client_memory(CQE_BYTES << shape.log_cq);
    ring.write(&vec![0xff; ring.len()]);
    let dbr = client_memory(8);
    let number = fabric.devices[device].cqs.insert_with(|cqn| Cq {
        cqn: Cqn(cqn),
        ring,
        log_size: shape.log_cq,
        dbr: Some(dbr),
        collapsed: shape.collapsed,
        overrun_ignored: shape.overrun_ignored,
        producer: 0,
        in_error: false,
        holds_error: false,
        eqn: Eqn(0),
        uar: UarPage(0),
        umems: Vec::new(),
        users: 1,
        waiters: BinaryHeap::new(),
        created_cqc: Vec::new(),
    });
    let cqn = Cqn(number.unwrap());
    Completions { cqn, ring, dbr, log_size: shape.log_cq, consumer: 0 }
}

fn insert_region(fabric: &mut Fabric, device: usize, region: (Pdn, Span, Access)) -> Mkey {
    let (pd, span, access) = region;
    let region = MemoryRegion { variant: 0x5a, pd, iova: span.addr() as u64, span, access };
    fabric.devices[device].memory.insert(region).unwrap()
}

fn insert_side(fabric: &mut Fabric, device: usize, shape: &Shape) -> Side {
    let send = insert_cq(fabric, device, shape);
    let receive = insert_cq(fabric, device, shape);
    let memory = client_memory(DATA_BYTES + 2 * GUARD_BYTES);
    memory.write(&vec![GUARD; memory.len()]);
    let data = memory.part(GUARD_BYTES as u64, DATA_BYTES as u64).unwrap();
    data.write(&vec![0; data.len()]);
    let key = insert_region(fabric, device, (PD, data, ALL));
    let sq = client_memory(WQEBB_BYTES << shape.log_sq);
    sq.write(&vec![0xa5; sq.len()]);
    let rq = client_memory((1 << RQ_STRIDE) << shape.log_rq);
    let dbr = client_memory(8);
    let page = fabric.devices[device].uars.insert_with(|page| Uar {
        page: UarPage(page),
        memory: RegisterPage::map().unwrap(),
        qps: Vec::new(),
        cqs: 0,
    });
    let uar = UarPage(page.unwrap());
    let number = fabric.devices[device].qps.insert_with(|qpn| Qp {
        qpn: Qpn(qpn),
        service: shape.service,
        state: QpState::RST,
        pd: PD,
        send: Some(SendQueue {
            ring: sq,
            log_size: shape.log_sq,
            consumer: shape.start_index,
            producer: shape.start_index,
        }),
        receive: ReceiveSide::Own(ReceiveQueue {
            ring: rq,
            log_size: shape.log_rq,
            log_stride: RQ_STRIDE,
            dbr,
            consumer: 0,
            linked: false,
            head: 0,
        }),
        dbr,
        send_dbr_mode: SendDbrMode::DBR_VALID,
        uar,
        cqn_snd: send.cqn,
        cqn_rcv: receive.cqn,
        user_index: USER_INDEX,
        created_qpc: Vec::new(),
        attributes: QpAttributes {
            mtu: MtuCode::MTU_1024,
            rre: true,
            rwe: true,
            rae: true,
            min_rnr_nak: 1,
            retry_count: shape.retry_count,
            rnr_retry: shape.rnr_retry,
            path: Path { ack_timeout: shape.ack_timeout, ..Path::default() },
            ..QpAttributes::default()
        },
        umems: Vec::new(),
        run: RunState::default(),
    });
    let qpn = Qpn(number.unwrap());
    fabric.devices[device].uars.get_mut(uar.0).unwrap().qps.push(qpn);
    Side {
        device,
        qpn,
        uar,
        send,
        receive,
        sq,
        log_sq: shape.log_sq,
        rq,
        log_rq: shape.log_rq,
        dbr,
        memory,
        key,
        posted: shape.start_index,
        received: 0,
    }
}

impl Bench {
    /// Two queues, connected, in RTS.
    fn new(shape: Shape) -> Self {
        let mut bench = Self::unconnected(shape);
        bench.connect(0);
        bench.connect(1);
        bench
    }

    /// Two queues in RST; the second is on the last device.
    fn unconnected(shape: Shape) -> Self {
        let config = Config { devices: shape.devices, strict: shape.strict, ..Config::default() };
        let mut fabric = Fabric::new(&config);
        let sides = [0, shape.devices - 1].map(|device| insert_side(&mut fabric, device, &shape));
        Self { fabric, sides }
    }

    /// Takes one side to RTS, its peer being the other.
    fn connect(&mut self, side: usize) {
        self.ready_to_receive(side);
        self.qp(side).state = QpState::RTS;
        self.activate(side);
    }

    fn ready_to_receive(&mut self, side: usize) {
        let other = &self.sides[1 - side];
        let (device, remote) = (other.device, other.qpn);
        let rgid = self.fabric.devices[device].port.gid(1).unwrap().gid;
        let qp = self.qp(side);
        qp.attributes.path.rgid = rgid;
        qp.attributes.remote_qpn = remote;
        // Towards side 1 from 1000, towards side 0 from 2000.
        qp.attributes.send_psn = Psn::new(1000 * (side as u32 + 1));
        qp.attributes.receive_psn = Psn::new(1000 * (2 - side as u32));
        qp.state = QpState::RTR;
        self.activate(side);
    }

    fn activate(&mut self, side: usize) {
        let (device, qpn) = (self.sides[side].device, self.sides[side].qpn);
        activate(&mut self.fabric, device, qpn);
    }

    fn qp(&mut self, side: usize) -> &mut Qp {
        let Side { device, qpn, .. } = self.sides[side];
        self.fabric.devices[device].qps.get_mut(qpn.0).unwrap()
    }

    fn cq(&mut self, side: usize) -> &mut Cq {
        let Side { device, ref send, .. } = self.sides[side];
        self.fabric.devices[device].cqs.get_mut(send.cqn.0).unwrap()
    }

    /// Writes a WQE at the next index and returns that.
    fn post(&mut self, side: usize, wqe: &Wqe) -> u16 {
        let side = &mut self.sides[side];
        let index = side.posted;
        let bytes = wqe.bytes(index, side.qpn);
        for (number, block) in bytes.chunks(WQEBB_BYTES).enumerate() {
            side.write_block(index.wrapping_add(number as u16), block);
        }
        side.posted = index.wrapping_add(wqebbs(wqe.segs.len() + 1) as u16);
        index
    }

    /// Stores the send doorbell record and rings.
    fn ring(&mut self, side: usize) {
        let producer = self.sides[side].posted;
        self.sides[side].write_record(SND_DBR, producer.into());
        self.ring_index(side, producer);
    }

    /// Rings without storing the record.
    fn ring_index(&mut self, side: usize, producer: u16) {
        let Side { device, uar, qpn, .. } = self.sides[side];
        let rung = SqDoorbell::new(qpn, producer);
        doorbell(&mut self.fabric, device, uar, rung, DoorbellKind::Record);
    }

    /// Runs until nothing is left to do at this time.
    fn run(&mut self) {
        while run(&mut self.fabric, 1000) {}
    }

    /// Posts, rings and runs.
    fn execute(&mut self, side: usize, wqe: &Wqe) -> u16 {
        let index = self.post(side, wqe);
        self.ring(side);
        self.run();
        index
    }

    /// Runs through all timers up to `now`.
    fn run_until(&mut self, now: u64) {
        self.run();
        while let Some(deadline) = next_deadline(&self.fabric)
            && deadline <= now
        {
            self.fabric.now = deadline.max(self.fabric.now);
            self.run();
        }
        self.fabric.now = now;
        self.run();
    }

    fn poll_send(&mut self, side: usize) -> Option<Seen> {
        self.sides[side].send.poll()
    }

    fn poll_receive(&mut self, side: usize) -> Option<Seen> {
        self.sides[side].receive.poll()
    }

    /// The send completion, which must be a good one of `index`.
    #[track_caller]
    fn expect_done(&mut self, side: usize, index: u16) -> Cqe64 {
        let seen = self.poll_send(side).expect("a send completion");
        assert_eq!((seen.opcode, seen.index), (CqeOpcode::REQ, index), "{:?}", seen);
        seen.cqe
    }

    /// The send completion, which must be an error of `index`.
    #[track_caller]
    fn expect_failed(&mut self, side: usize, index: u16, syndrome: Syndrome) -> u8 {
        let seen = self.poll_send(side).expect("a send completion");
        assert_eq!(
            (seen.opcode, seen.index, seen.syndrome),
            (CqeOpcode::REQ_ERR, index, syndrome),
            "vendor syndrome {:#x}",
            seen.vendor
        );
        seen.vendor
    }

    /// True if the bytes around every side's data are what they were.
    fn guards_hold(&self) -> bool {
        self.sides.iter().all(|side| {
            let end = (GUARD_BYTES + DATA_BYTES) as u64;
            [0, end].iter().all(|at| {
                let guard = side.memory.part(*at, GUARD_BYTES as u64).unwrap();
                let mut bytes = [0; GUARD_BYTES];
                guard.read_into(&mut bytes);
                bytes == [GUARD; GUARD_BYTES]
            })
        })
    }
}

impl Completions {
    fn poll(&mut self) -> Option<Seen> {
        let slot = self.consumer & ((1 << self.log_size) - 1);
        let seen = self.at(slot)?;
        if seen.cqe.owner() != owner_bit(self.consumer, self.log_size) {
            return None;
        }
        self.consumer += 1;
        Some(seen)
    }

    fn at(&self, slot: u64) -> Option<Seen> {
        let bytes: [u8; CQE_BYTES] = self.ring.read(slot as usize * CQE_BYTES);
        let cqe: Cqe64 = transmute!(bytes);
        let error: ErrCqe = transmute!(bytes);
        let (mut syndrome, mut vendor) = (Syndrome::NONE, 0);
        if cqe.is_error() {
            (syndrome, vendor) = (Syndrome(error.syndrome), error.vendor_err_synd);
        }
        (cqe.opcode() != CqeOpcode::INVALID).then_some(Seen {
            opcode: cqe.opcode(),
            index: cqe.wqe_counter.get(),
            syndrome,
            vendor,
            cqe,
        })
    }

    /// Tells the NIC what was consumed.
    fn publish_consumer(&self) {
        self.dbr.write(&(self.consumer as u32 & 0xff_ffff).to_be_bytes());
    }
}

impl Side {
    /// Address of byte `offset` of the data.
    fn addr(&self, offset: usize) -> u64 {
        (self.memory.addr() + GUARD_BYTES + offset) as u64
    }

    fn fill(&self, offset: usize, bytes: &[u8]) {
        let at = (GUARD_BYTES + offset) as u64;
        self.memory.part(at, bytes.len() as u64).unwrap().write(bytes);
    }

    fn data(&self, offset: usize, len: usize) -> Vec<u8> {
        let mut bytes = vec![0; len];
        let at = (GUARD_BYTES + offset) as u64;
        self.memory.part(at, len as u64).unwrap().read_into(&mut bytes);
        bytes
    }

    fn value(&self, offset: usize) -> u64 {
        u64::from_ne_bytes(self.data(offset, 8).try_into().unwrap())
    }

    fn write_block(&self, index: u16, block: &[u8]) {
        let slot = u64::from(index) & ((1 << self.log_sq) - 1);
        let place = self.sq.part(slot * WQEBB_BYTES as u64, block.len() as u64).unwrap();
        place.write(block);
    }

    fn write_record(&self, dword: usize, value: u32) {
        self.dbr.part(dword as u64 * 4, 4).unwrap().write(&value.to_be_bytes());
    }

    /// Posts a receive WQE of these segments to the QP's own queue.
    fn post_receive(&mut self, segments: &[DataSeg]) {
        let slot = u64::from(self.received) & ((1 << self.log_rq) - 1);
        write_receive(self.rq, slot, segments);
        self.received = self.received.wrapping_add(1);
        self.write_record(RCV_DBR, self.received.into());
    }

    /// A segment of this side's data.
    fn segment(&self, offset: usize, len: usize) -> DataSeg {
        data_segment(self.key, self.addr(offset), len as u32)
    }
}

/// Writes a receive WQE of the tests' stride, ended as drivers do.
fn write_receive(ring: Span, slot: u64, segments: &[DataSeg]) {
    let end = data_segment(Mkey(gpunetio_prm::wqe::INVALID_LKEY), 0, 0);
    let stride = 1u64 << RQ_STRIDE;
    for number in 0..stride / SEG_BYTES as u64 {
        let segment = segments.get(number as usize).unwrap_or(&end);
        let at = slot * stride + number * SEG_BYTES as u64;
        ring.part(at, SEG_BYTES as u64).unwrap().write(segment.as_bytes());
    }
}

fn data_segment(key: Mkey, addr: u64, len: u32) -> DataSeg {
    DataSeg { byte_count: U32::new(len), lkey: U32::new(key.0), addr: U64::new(addr) }
}

/// A WQE under construction: control segment and the segments after it.
#[derive(Clone)]
struct Wqe {
    opcode: WqeOpcode,
    opmod: u8,
    /// `fm`: three bits.
    fence: u8,
    completion: CompletionMode,
    imm: u32,
    segs: Vec<[u8; SEG_BYTES]>,
}

impl Wqe {
    fn new(opcode: WqeOpcode) -> Self {
        let completion = CompletionMode::ALWAYS;
        Self { opcode, opmod: 0, fence: 0, completion, imm: 0, segs: Vec::new() }
    }

    fn fence(mut self, fm: u8) -> Self {
        self.fence = fm;
        self
    }

    fn opmod(mut self, opmod: u8) -> Self {
        self.opmod = opmod;
        self
    }

    fn completion(mut self, mode: CompletionMode) -> Self {
        self.completion = mode;
        self
    }

    fn imm(mut self, imm: u32) -> Self {
        self.imm = imm;
        self
    }

    fn segment(mut self, segment: impl IntoBytes + zerocopy::Immutable) -> Self {
        self.segs.push(<[u8; SEG_BYTES]>::read_from_bytes(segment.as_bytes()).unwrap());
        self
    }

    fn remote(self, key: Mkey, addr: u64) -> Self {
        self.segment(RaddrSeg { raddr: U64::new(addr), rkey: U32::new(key.0), reserved: U32::ZERO })
    }

    /// The data at `offset` of `side` as remote memory.
    fn to(self, side: &Side, offset: usize) -> Self {
        self.remote(side.key, side.addr(offset))
    }

    /// `len` bytes at `offset` of `side` as local memory.
    fn data(self, side: &Side, offset: usize, len: usize) -> Self {
        self.segment(side.segment(offset, len))
    }

    fn inline(mut self, bytes: &[u8]) -> Self {
        let mut segment = (INLINE_SEG | bytes.len() as u32).to_be_bytes().to_vec();
        segment.extend_from_slice(bytes);
        segment.resize(segment.len().next_multiple_of(SEG_BYTES), 0xa5);
        self.segs.extend(
            segment.chunks(SEG_BYTES).map(|bytes| <[u8; SEG_BYTES]>::try_from(bytes).unwrap()),
        );
        self
    }

    fn bytes(&self, index: u16, qpn: Qpn) -> Vec<u8> {
        let mut ctrl = CtrlSeg::new(self.opcode, index, qpn, self.segs.len() as u8 + 1);
        ctrl.opmod_idx_opcode = U32::new(ctrl.opmod_idx_opcode.get() | u32::from(self.opmod) << 24);
        ctrl.fm_ce_se = self.fence << 5 | self.completion.0 << 2;
        ctrl.imm = U32::new(self.imm);
        [ctrl.as_bytes(), self.segs.as_flattened()].concat()
    }
}

/// A NOP, signalled.
fn nop() -> Wqe {
    Wqe::new(WqeOpcode::NOP)
}

/// A WRITE of `len` bytes at `from` of side `side` to `to` of the other.
fn write(bench: &Bench, side: usize, from: usize, to: usize, len: usize) -> Wqe {
    Wqe::new(WqeOpcode::RDMA_WRITE).to(&bench.sides[1 - side], to).data(
        &bench.sides[side],
        from,
        len,
    )
}

/// Bytes that differ from each other and with `seed`.
fn pattern(seed: u8, len: usize) -> Vec<u8> {
    (0..len).map(|at| (at as u8).wrapping_mul(7) ^ (at >> 8) as u8 ^ seed).collect()
}

/// Puts the first side's QP, or the second's, into a shared receive queue of `1 << log_size` WQEs.
fn share_receive_queue(bench: &mut Bench, side: usize, log_size: u8, linked: bool) -> (Span, Span) {
    let ring = client_memory((1 << RQ_STRIDE) << log_size);
    let dbr = client_memory(8);
    let device = bench.sides[side].device;
    let number = bench.fabric.devices[device].rmps.insert_with(|rmpn| Rmp {
        rmpn: Rmpn(rmpn),
        pd: PD,
        queue: ReceiveQueue {
            ring,
            log_size,
            log_stride: RQ_STRIDE,
            dbr,
            consumer: 0,
            linked,
            head: 0,
        },
        umems: Vec::new(),
        users: 1,
    });
    bench.qp(side).receive = ReceiveSide::Shared(Rmpn(number.unwrap()));
    (ring, dbr)
}
