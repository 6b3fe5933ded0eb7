//! A device and the commands that tests vary.
#![allow(dead_code, reason = "each test file uses a part of it")]

use gpunetio_prm::command::*;
use gpunetio_prm::id::{Pdn, UarPage, UmemId};
use gpunetio_prm::layout::capability::*;
use gpunetio_prm::layout::cq::*;
use gpunetio_prm::layout::qp::*;
use gpunetio_prm::layout::rmp::*;
use gpunetio_prm::layout::roce::*;
use gpunetio_prm::layout::{Field, FieldInfo, Layout, NestedInfo, View};
use gpunetio_softnic::command::{execute, resource};
use gpunetio_softnic::device::{Config, EQN, Fabric};
use gpunetio_softnic::memory::{RegisterPage, Span};
use gpunetio_softnic::syndrome::Reason;

/// Bytes of the test umem.
pub(crate) const UMEM_BYTES: usize = 1 << 16;
/// Offset of doorbell records in it.
pub(crate) const DBR: u64 = 0xf000;

/// A strict device with a PD, a UAR page, a umem and a CQ.
pub(crate) struct Bench {
    pub(crate) fabric: Fabric,
    pub(crate) pd: Pdn,
    pub(crate) uar: UarPage,
    /// Doorbell registers of the UAR page.
    pub(crate) registers: RegisterPage,
    pub(crate) umem: UmemId,
    /// Memory of the umem.
    pub(crate) span: Span,
    pub(crate) cqn: u32,
    pub(crate) _memory: Vec<u64>,
}

pub(crate) type Refused = Result<u32, Reason>;

impl Bench {
    pub(crate) fn new() -> Self {
        let addresses = Some(vec![vec![[10, 0, 0, 1].into()]]);
        let mut fabric = Fabric::new(&Config { strict: true, addresses, ..Config::default() });
        let device = &mut fabric.devices[0];
        let mut memory = vec![0u64; (UMEM_BYTES + 64) / 8];
        let start = (memory.as_mut_ptr() as usize).next_multiple_of(64);
        // SAFETY: the vector lives in the bench, which the fabric does not outlive; nothing else accesses it.
        let span = unsafe { Span::new(start, UMEM_BYTES) };
        let pd = resource::alloc_pd(device).unwrap();
        let umem = resource::register_umem(device, span).unwrap();
        let (uar, registers) = resource::alloc_uar(device).unwrap();
        let mut bench = Self { fabric, pd, uar, registers, umem, span, cqn: 0, _memory: memory };
        bench.cqn = bench.run(&bench.create_cq()).unwrap();
        bench
    }

    /// Runs a command with an output of 512 bytes; gives the number that it answers, or why it is refused.
    pub(crate) fn run<L: Layout>(&mut self, cmd: &View<L, Vec<u8>>) -> Refused {
        self.run_bytes(cmd.as_bytes(), 512)
    }

    pub(crate) fn run_bytes(&mut self, input: &[u8], outlen: usize) -> Refused {
        let mut output = vec![0xa5; outlen];
        let status = execute(&mut self.fabric, 0, input, &mut output);
        let out = View::<CreateQpOut, _>::new(&output).unwrap();
        assert_eq!(out.get(create_qp_out::STATUS), u64::from(status));
        if status == Status::OK {
            return Ok(out.get(create_qp_out::QPN) as u32);
        }
        let reason = Reason::of(out.get(create_qp_out::SYNDROME) as u32).unwrap();
        assert_eq!(reason.status, status);
        assert!(output[8..].iter().all(|byte| *byte == 0), "nothing but status and syndrome");
        Err(reason)
    }

    pub(crate) fn create_cq(&self) -> View<CreateCqIn, Vec<u8>> {
        let mut cmd = View::zeroed();
        cmd.set(create_cq_in::OPCODE, Opcode::CREATE_CQ).unwrap();
        cmd.set(create_cq_in::CQ_UMEM_ID, self.umem).unwrap();
        let mut context = cmd.sub_mut(create_cq_in::CQ_CONTEXT);
        context.set(cqc::LOG_CQ_SIZE, 4u8).unwrap();
        context.set(cqc::UAR_PAGE, self.uar).unwrap();
        context.set(cqc::C_EQN, EQN).unwrap();
        context.set(cqc::DBR_UMEM_ID, self.umem).unwrap();
        context.set(cqc::DBR_ADDR, DBR).unwrap();
        cmd
    }

    pub(crate) fn create_qp(&self) -> View<CreateQpIn, Vec<u8>> {
        let mut cmd = View::zeroed();
        cmd.set(create_qp_in::OPCODE, Opcode::CREATE_QP).unwrap();
        cmd.set(create_qp_in::WQ_UMEM_ID, self.umem).unwrap();
        let mut context = cmd.sub_mut(create_qp_in::QPC);
        context.set(qpc::PD, self.pd).unwrap();
        context.set(qpc::UAR_PAGE, self.uar).unwrap();
        context.set(qpc::CQN_SND, self.cqn).unwrap();
        context.set(qpc::CQN_RCV, self.cqn).unwrap();
        context.set(qpc::LOG_SQ_SIZE, 4u8).unwrap();
        context.set(qpc::LOG_RQ_SIZE, 4u8).unwrap();
        context.set(qpc::DBR_UMEM_ID, self.umem).unwrap();
        context.set(qpc::DBR_ADDR, DBR + 64).unwrap();
        cmd
    }

    pub(crate) fn create_rmp(&self) -> View<CreateRmpIn, Vec<u8>> {
        let mut cmd = View::zeroed();
        cmd.set(create_rmp_in::OPCODE, Opcode::CREATE_RMP).unwrap();
        let mut context = cmd.sub_mut(create_rmp_in::CTX);
        context.set(rmpc::STATE, RmpState::RDY).unwrap();
        let mut queue = context.sub_mut(rmpc::WQ);
        queue.set(wq::WQ_TYPE, WqType::CYCLIC).unwrap();
        queue.set(wq::PD, self.pd).unwrap();
        queue.set(wq::LOG_WQ_STRIDE, 4u8).unwrap();
        queue.set(wq::LOG_WQ_SZ, 4u8).unwrap();
        queue.set(wq::WQ_UMEM_ID, self.umem).unwrap();
        queue.set(wq::DBR_UMEM_ID, self.umem).unwrap();
        queue.set(wq::DBR_ADDR, DBR + 128).unwrap();
        cmd
    }

    /// A transition whose context is valid in every one of them.
    pub(crate) fn transition(&self, opcode: Opcode, qpn: u32) -> View<Rts2rtsQpIn, Vec<u8>> {
        let mut cmd = View::zeroed();
        cmd.set(rts2rts_qp_in::OPCODE, opcode).unwrap();
        cmd.set(rts2rts_qp_in::QPN, qpn).unwrap();
        let mut context = cmd.sub_mut(rts2rts_qp_in::QPC);
        context.set(qpc::PM_STATE, PmState::MIGRATED).unwrap();
        context.set(qpc::MTU, MtuCode::MTU_1024).unwrap();
        context.set(qpc::LOG_MSG_MAX, 30u8).unwrap();
        context.set(qpc::REMOTE_QPN, 0x77u8).unwrap();
        let mut path = context.sub_mut(qpc::PRIMARY_ADDRESS_PATH);
        path.set(ads::VHCA_PORT_NUM, 1u8).unwrap();
        path.set(ads::RMAC_31_0, 1u8).unwrap();
        path.octets_mut(ads::RGID_RIP)[15] = 1;
        cmd
    }

    /// Runs a 2ERR or 2RST.
    pub(crate) fn leave(&mut self, opcode: Opcode, qpn: u32) -> Refused {
        let mut cmd = View::<Qp2errIn, Vec<u8>>::zeroed();
        cmd.set(qp_2err_in::OPCODE, opcode).unwrap();
        cmd.set(qp_2err_in::QPN, qpn).unwrap();
        self.run(&cmd)
    }

    pub(crate) fn destroy(&mut self, opcode: Opcode, number: u32) -> Refused {
        let mut cmd = View::<DestroyQpIn, Vec<u8>>::zeroed();
        cmd.set(destroy_qp_in::OPCODE, opcode).unwrap();
        cmd.set(destroy_qp_in::QPN, number).unwrap();
        self.run(&cmd)
    }

    pub(crate) fn query(&mut self, qpn: u32) -> View<QueryQpOut, Vec<u8>> {
        let mut cmd = View::<QueryQpIn, Vec<u8>>::zeroed();
        cmd.set(query_qp_in::OPCODE, Opcode::QUERY_QP).unwrap();
        cmd.set(query_qp_in::QPN, qpn).unwrap();
        let mut out = View::zeroed();
        assert_eq!(execute(&mut self.fabric, 0, cmd.as_bytes(), out.as_bytes_mut()), Status::OK);
        out
    }

    pub(crate) fn attribute(&mut self, qpn: u32, field: Field<Qpc>) -> u64 {
        self.query(qpn).sub(query_qp_out::QPC).get(field)
    }
}

pub(crate) const STEPS: [Opcode; 3] =
    [Opcode::RST2INIT_QP, Opcode::INIT2RTR_QP, Opcode::RTR2RTS_QP];

/// A QP of the bench that has taken the first `steps` transitions.
pub(crate) fn qp_after(bench: &mut Bench, service: ServiceType, steps: usize) -> u32 {
    let mut cmd = bench.create_qp();
    cmd.sub_mut(create_qp_in::QPC).set(qpc::ST, service).unwrap();
    let qpn = bench.run(&cmd).unwrap();
    for opcode in &STEPS[..steps] {
        let cmd = bench.transition(*opcode, qpn);
        // The extension belongs to two of the commands only, which have it as zeros.
        bench.run(&cmd).unwrap();
    }
    qpn
}

/// Bits of a command's input that belong to no field, by ascending offset.
pub(crate) fn reserved_bits(opcode: Opcode) -> Vec<u32> {
    fn of<L: Layout>() -> Vec<u32> {
        let mut declared = vec![false; L::BITS as usize];
        declare(&mut declared, 0, L::FIELDS, L::NESTED);
        (0..L::BITS).filter(|bit| !declared[*bit as usize]).collect()
    }
    fn declare(declared: &mut [bool], start: u32, fields: &[FieldInfo], nested: &[NestedInfo]) {
        for field in fields {
            let first = start + field.bit_offset;
            match nested.iter().find(|inner| inner.bit_offset == field.bit_offset) {
                Some(inner) => declare(declared, first, inner.fields, inner.nested),
                None => declared[first as usize..(first + field.bit_width) as usize].fill(true),
            }
        }
    }
    match opcode {
        Opcode::QUERY_HCA_CAP => of::<QueryHcaCapIn>(),
        Opcode::QUERY_ROCE_ADDRESS => of::<QueryRoceAddressIn>(),
        Opcode::CREATE_CQ => of::<CreateCqIn>(),
        Opcode::QUERY_CQ => of::<QueryCqIn>(),
        Opcode::CREATE_RMP => of::<CreateRmpIn>(),
        Opcode::CREATE_QP => of::<CreateQpIn>(),
        Opcode::QUERY_QP => of::<QueryQpIn>(),
        Opcode::RST2INIT_QP | Opcode::INIT2RTR_QP | Opcode::RTR2RTS_QP => of::<Rst2initQpIn>(),
        Opcode::INIT2INIT_QP | Opcode::RTS2RTS_QP => of::<Rts2rtsQpIn>(),
        Opcode::TO_ERR_QP | Opcode::TO_RST_QP => of::<Qp2errIn>(),
        Opcode::DESTROY_CQ => of::<DestroyCqIn>(),
        Opcode::DESTROY_QP => of::<DestroyQpIn>(),
        _ => panic!("{opcode} is not executed"),
    }
}
