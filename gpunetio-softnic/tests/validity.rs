//! What commands refuse, each with its status and syndrome, and what objects in use do.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a test fails by panicking")]
#![allow(unsafe_code)]

use gpunetio_prm::command::*;
use gpunetio_prm::id::{Cqn, Pdn, Rmpn};
use gpunetio_prm::layout::capability::*;
use gpunetio_prm::layout::cq::*;
use gpunetio_prm::layout::qp::*;
use gpunetio_prm::layout::rmp::*;
use gpunetio_prm::layout::roce::*;
use gpunetio_prm::layout::{Field, View};
use gpunetio_softnic::command::resource::{self, NewRegion};
use gpunetio_softnic::command::{self, execute};
use gpunetio_softnic::memory::Access;
use gpunetio_softnic::syndrome::{self, Reason};

mod bench;
use bench::{Bench, DBR, STEPS, UMEM_BYTES, qp_after, reserved_bits};

#[test]
fn lengths_opcodes_and_op_mods_are_checked() {
    let mut bench = Bench::new();
    let mut cmd = [0u8; 16];
    cmd[..2].copy_from_slice(&[0x0f, 0xff]);
    assert_eq!(bench.run_bytes(&cmd, 16), Err(syndrome::UNKNOWN_OPCODE));
    // SQD to RTS.
    cmd[..2].copy_from_slice(&0x50cu16.to_be_bytes());
    assert_eq!(bench.run_bytes(&cmd, 16), Err(syndrome::UNKNOWN_OPCODE));
    for opcode in [Opcode::MODIFY_RMP, Opcode::DESTROY_RMP, Opcode::QUERY_RMP, Opcode::SQERR2RTS_QP]
    {
        cmd[..2].copy_from_slice(&opcode.0.to_be_bytes());
        assert_eq!(bench.run_bytes(&cmd, 16), Err(syndrome::NOT_IMPLEMENTED), "{opcode}");
    }
    assert_eq!(bench.run_bytes(&cmd[..15], 16), Err(syndrome::INPUT_SHORT));
    assert_eq!(bench.run_bytes(&[], 16), Err(syndrome::INPUT_SHORT));
    let mut short = [0xa5; 15];
    assert_eq!(execute(&mut bench.fabric, 0, &cmd, &mut short), Status::BAD_OUTP_LEN_ERR);
    assert_eq!(execute(&mut bench.fabric, 9, &cmd, &mut [0; 16]), Status::INT_ERR);

    let mut cq = bench.create_cq().into_bytes();
    assert_eq!(bench.run_bytes(&cq[..271], 16), Err(syndrome::INPUT_SHORT));
    cq.push(0);
    assert!(bench.run_bytes(&cq, 16).is_ok());
    cq[272] = 1;
    assert_eq!(bench.run_bytes(&cq, 16), Err(syndrome::INPUT_LONG));
    let mut cmd = bench.create_cq();
    cmd.set(create_cq_in::OP_MOD, 1u8).unwrap();
    assert_eq!(bench.run(&cmd), Err(syndrome::OP_MOD));

    let mut cmd = View::<QueryQpIn, Vec<u8>>::zeroed();
    cmd.set(query_qp_in::OPCODE, Opcode::QUERY_QP).unwrap();
    let qpn = bench.run(&bench.create_qp()).unwrap();
    cmd.set(query_qp_in::QPN, qpn).unwrap();
    assert_eq!(bench.run_bytes(cmd.as_bytes(), 271), Err(syndrome::OUTPUT_SHORT));
}

#[test]
fn capability_pages_have_current_and_maximum_values_alike() {
    let mut bench = Bench::new();
    let mut cmd = View::<QueryHcaCapIn, Vec<u8>>::zeroed();
    cmd.set(query_hca_cap_in::OPCODE, Opcode::QUERY_HCA_CAP).unwrap();
    for page in [0u16, 2, 3, 4, 0x20] {
        let mut answers = [0, 1].map(|current| {
            cmd.set(query_hca_cap_in::OP_MOD, page << 1 | current).unwrap();
            let mut out = View::<QueryHcaCapOut, Vec<u8>>::zeroed();
            let status = execute(&mut bench.fabric, 0, cmd.as_bytes(), out.as_bytes_mut());
            assert_eq!(status, Status::OK);
            out.into_bytes()
        });
        assert_eq!(answers[0], answers[1]);
        // On-demand paging is not there.
        assert_eq!(answers[0].iter_mut().all(|byte| *byte == 0), page == 2);
    }
    cmd.set(query_hca_cap_in::OP_MOD, 0x1f << 1 | 1u16).unwrap();
    assert_eq!(bench.run_bytes(cmd.as_bytes(), 4112), Err(syndrome::CAPABILITY_PAGE));
    cmd.set(query_hca_cap_in::OP_MOD, 1u16).unwrap();
    assert_eq!(bench.run_bytes(cmd.as_bytes(), 4111), Err(syndrome::OUTPUT_SHORT));
    cmd.set(query_hca_cap_in::FUNCTION_ID, 1u16).unwrap();
    assert_eq!(bench.run_bytes(cmd.as_bytes(), 4112), Err(syndrome::OTHER_FUNCTION));
}

#[test]
fn atomic_capabilities_are_what_clients_require() {
    let mut bench = Bench::new();
    let mut cmd = View::<QueryHcaCapIn, Vec<u8>>::zeroed();
    cmd.set(query_hca_cap_in::OPCODE, Opcode::QUERY_HCA_CAP).unwrap();
    cmd.set(query_hca_cap_in::OP_MOD, CapabilityPage::ATOMIC.current()).unwrap();
    let mut out = View::<QueryHcaCapOut, Vec<u8>>::zeroed();
    execute(&mut bench.fabric, 0, cmd.as_bytes(), out.as_bytes_mut());
    let page = out.region::<AtomicCaps>(query_hca_cap_out::CAPABILITY).unwrap();
    assert_eq!(page.get(atomic_caps::ATOMIC_OPERATIONS), 0xf);
    assert_eq!(page.get(atomic_caps::ATOMIC_SIZE_QP), 12);
    assert_eq!(page.get(atomic_caps::SUPPORTED_ATOMIC_REQ_8B_ENDIANNESS_MODE_1), 1);
}

#[test]
fn a_roce_address_past_the_table_is_refused() {
    let mut bench = Bench::new();
    let mut cmd = View::<QueryRoceAddressIn, Vec<u8>>::zeroed();
    cmd.set(query_roce_address_in::OPCODE, Opcode::QUERY_ROCE_ADDRESS).unwrap();
    cmd.set(query_roce_address_in::ROCE_ADDRESS_INDEX, 254u16).unwrap();
    assert!(bench.run_bytes(cmd.as_bytes(), 48).is_ok());
    assert_eq!(bench.run_bytes(cmd.as_bytes(), 47), Err(syndrome::OUTPUT_SHORT));
    cmd.set(query_roce_address_in::ROCE_ADDRESS_INDEX, 255u16).unwrap();
    assert_eq!(bench.run_bytes(cmd.as_bytes(), 48), Err(syndrome::ROCE_INDEX));
    cmd.set(query_roce_address_in::ROCE_ADDRESS_INDEX, 0u16).unwrap();
    cmd.set(query_roce_address_in::VHCA_PORT_NUM, 2u16).unwrap();
    assert_eq!(bench.run_bytes(cmd.as_bytes(), 48), Err(syndrome::PORT));
}

#[test]
fn each_wrong_field_of_a_cq_is_refused() {
    let context_cases: &[(Field<Cqc>, u64, Reason)] = &[
        (cqc::STATUS, 1, syndrome::CQ_STATUS),
        (cqc::CQE_SZ, 1, syndrome::CQE_SIZE),
        (cqc::LOG_CQ_SIZE, 23, syndrome::CQ_SIZE),
        (cqc::LOG_CQ_SIZE, 16, syndrome::RING_BOUNDS),
        (cqc::UAR_PAGE, 0xffff, syndrome::NO_UAR),
        (cqc::C_EQN, 99, syndrome::NO_EQ),
        (cqc::DBR_UMEM_ID, 99, syndrome::NO_UMEM),
        (cqc::DBR_ADDR, UMEM_BYTES as u64 - 7, syndrome::DBR_BOUNDS),
        (cqc::DBR_ADDR, u64::MAX, syndrome::DBR_BOUNDS),
        (cqc::DBR_ADDR, DBR + 4, syndrome::DBR_ALIGNMENT),
        (cqc::CQE_COMP_EN, 1, syndrome::UNSUPPORTED_FIELD),
        (cqc::AS_NOTIFY, 1, syndrome::UNSUPPORTED_FIELD),
        (cqc::PAGE_OFFSET, 1, syndrome::UNSUPPORTED_FIELD),
        (cqc::DBR_UMEM_ID, 0, syndrome::NO_DBR),
    ];
    let mut bench = Bench::new();
    for (field, value, reason) in context_cases {
        let mut cmd = bench.create_cq();
        cmd.sub_mut(create_cq_in::CQ_CONTEXT).set(*field, *value).unwrap();
        assert_eq!(bench.run(&cmd), Err(*reason), "{}", field.info().name);
    }
    for (field, value, reason) in [
        (create_cq_in::CQ_UMEM_ID, 0, syndrome::NO_UMEM),
        (create_cq_in::CQ_UMEM_OFFSET, UMEM_BYTES as u64 - 512, syndrome::RING_BOUNDS),
        (create_cq_in::CQ_UMEM_OFFSET, u64::MAX - 63, syndrome::RING_BOUNDS),
        (create_cq_in::CQ_UMEM_OFFSET, 32, syndrome::RING_ALIGNMENT),
    ] {
        let mut cmd = bench.create_cq();
        cmd.set(field, value).unwrap();
        assert_eq!(bench.run(&cmd), Err(reason), "{}", field.info().name);
    }
    assert_eq!(bench.fabric.devices[0].cqs.len(), 1, "a refused command leaves nothing");
    assert_eq!(bench.fabric.devices[0].umems.get(bench.umem.0).unwrap().users, 2);
}

#[test]
fn a_cq_takes_its_record_from_its_own_umem_or_needs_none() {
    let mut bench = Bench::new();
    let mut cmd = bench.create_cq();
    let mut context = cmd.sub_mut(create_cq_in::CQ_CONTEXT);
    context.set(cqc::DBR_UMEM_ID, 0u8).unwrap();
    context.set(cqc::DBR_UMEM_VALID, 1u8).unwrap();
    let own = bench.run(&cmd).unwrap();
    let device = &bench.fabric.devices[0];
    let dbr = device.cqs.get(own).unwrap().dbr_addr().unwrap();
    assert_eq!(dbr - bench.span.addr(), DBR as usize);

    let mut context = cmd.sub_mut(create_cq_in::CQ_CONTEXT);
    context.set(cqc::DBR_UMEM_VALID, 0u8).unwrap();
    context.set(cqc::OI, 1u8).unwrap();
    let none = bench.run(&cmd).unwrap();
    assert_eq!(bench.fabric.devices[0].cqs.get(none).unwrap().dbr_addr(), None);
    assert_eq!(command::cq::destroy(&mut bench.fabric, 0, Cqn(none)), Ok(()));
}

#[test]
fn a_cq_reports_its_context() {
    let mut bench = Bench::new();
    let mut cmd = View::<QueryCqIn, Vec<u8>>::zeroed();
    cmd.set(query_cq_in::OPCODE, Opcode::QUERY_CQ).unwrap();
    cmd.set(query_cq_in::CQN, bench.cqn).unwrap();
    let mut out = View::<QueryCqOut, Vec<u8>>::zeroed();
    assert_eq!(execute(&mut bench.fabric, 0, cmd.as_bytes(), out.as_bytes_mut()), Status::OK);
    assert_eq!(out.sub(query_cq_out::CQ_CONTEXT).get(cqc::LOG_CQ_SIZE), 4);
    cmd.set(query_cq_in::CQN, 0xffffffu32).unwrap();
    assert_eq!(bench.run(&cmd), Err(syndrome::NO_CQ));
}

#[test]
fn each_wrong_field_of_a_qp_is_refused() {
    let cases: &[(Field<Qpc>, u64, Reason)] = &[
        (qpc::ST, ServiceType::UD.0 as u64, syndrome::SERVICE_TYPE),
        (qpc::ST, ServiceType::DCI.0 as u64, syndrome::SERVICE_TYPE),
        (qpc::STATE, 1, syndrome::QP_STATE_AT_CREATE),
        (qpc::TS_FORMAT, 2, syndrome::TIMESTAMP_FORMAT),
        (qpc::SEND_DBR_MODE, 2, syndrome::DBR_MODE),
        (qpc::PD, 0xffffff, syndrome::NO_PD),
        (qpc::UAR_PAGE, 0xffffff, syndrome::NO_UAR),
        (qpc::CQN_SND, 0, syndrome::NO_CQ),
        (qpc::CQN_SND, 0xffffff, syndrome::NO_CQ),
        (qpc::CQN_RCV, 0, syndrome::NO_CQ),
        (qpc::LOG_SQ_SIZE, 11, syndrome::RING_BOUNDS),
        (qpc::LOG_RQ_SIZE, 13, syndrome::RING_BOUNDS),
        (qpc::LOG_RQ_STRIDE, 6, syndrome::RQ_STRIDE),
        (qpc::RQ_TYPE, 2, syndrome::RQ_TYPE),
        (qpc::RQ_TYPE, 1, syndrome::NO_RMP),
        (qpc::DBR_UMEM_ID, 0, syndrome::NO_DBR),
        (qpc::DBR_UMEM_ID, 99, syndrome::NO_UMEM),
        (qpc::DBR_ADDR, UMEM_BYTES as u64, syndrome::DBR_BOUNDS),
        (qpc::DBR_ADDR, DBR + 4, syndrome::DBR_ALIGNMENT),
        (qpc::WQ_SIGNATURE, 1, syndrome::UNSUPPORTED_FIELD),
        (qpc::RLKY, 1, syndrome::UNSUPPORTED_FIELD),
        (qpc::XRCD, 1, syndrome::UNSUPPORTED_FIELD),
        (qpc::CD_SLAVE_SEND, 1, syndrome::UNSUPPORTED_FIELD),
    ];
    let mut bench = Bench::new();
    for (field, value, reason) in cases {
        let mut cmd = bench.create_qp();
        cmd.sub_mut(create_qp_in::QPC).set(*field, *value).unwrap();
        assert_eq!(bench.run(&cmd), Err(*reason), "{} {value}", field.info().name);
    }
    for (field, value, reason) in [
        (create_qp_in::WQ_UMEM_ID, 0, syndrome::NO_UMEM),
        (create_qp_in::WQ_UMEM_OFFSET, UMEM_BYTES as u64, syndrome::RING_BOUNDS),
        (create_qp_in::WQ_UMEM_OFFSET, u64::MAX, syndrome::RING_BOUNDS),
        (create_qp_in::WQ_UMEM_OFFSET, 8, syndrome::RING_ALIGNMENT),
        (create_qp_in::QPC_EXT, 1, syndrome::UNSUPPORTED_FIELD),
    ] {
        let mut cmd = bench.create_qp();
        cmd.set(field, value).unwrap();
        assert_eq!(bench.run(&cmd), Err(reason), "{} {value}", field.info().name);
    }
    assert!(bench.fabric.devices[0].qps.is_empty());
    assert_eq!(bench.fabric.devices[0].cqs.get(bench.cqn).unwrap().users, 0);
}

#[test]
fn the_send_queue_follows_the_receive_queue() {
    let mut bench = Bench::new();
    let mut cmd = bench.create_qp();
    cmd.set(create_qp_in::WQ_UMEM_OFFSET, 0x1000u32).unwrap();
    // Two WQEs of 16 bytes: the send queue starts at the next 64.
    cmd.sub_mut(create_qp_in::QPC).set(qpc::LOG_RQ_SIZE, 1u8).unwrap();
    let qpn = bench.run(&cmd).unwrap();
    let device = &bench.fabric.devices[0];
    let start = bench.span.addr();
    let qp = device.qps.get(qpn).unwrap();
    let gpunetio_softnic::object::ReceiveSide::Own(receive) = &qp.receive else { panic!() };
    assert_eq!(receive.addresses(), start + 0x1000..start + 0x1020);
    let send = qp.send.as_ref().unwrap();
    assert_eq!(send.addresses(), start + 0x1040..start + 0x1440);
}

#[test]
fn each_wrong_field_of_an_rmp_is_refused() {
    let cases: &[(Field<Wq>, u64, Reason)] = &[
        (wq::WQ_TYPE, 2, syndrome::RMP_TYPE),
        (wq::LOG_WQ_SZ, 16, syndrome::RMP_SIZE),
        (wq::LOG_WQ_SZ, 13, syndrome::RING_BOUNDS),
        (wq::LOG_WQ_STRIDE, 3, syndrome::RMP_STRIDE),
        (wq::LOG_WQ_STRIDE, 10, syndrome::RMP_STRIDE),
        // A linked list needs room for the next segment.
        (wq::WQ_TYPE, 0, syndrome::RMP_STRIDE),
        (wq::PD, 0xffffff, syndrome::NO_PD),
        (wq::WQ_UMEM_ID, 99, syndrome::NO_UMEM),
        (wq::WQ_UMEM_OFFSET, 16, syndrome::RING_ALIGNMENT),
        (wq::DBR_UMEM_ID, 0, syndrome::NO_DBR),
        (wq::DBR_ADDR, DBR + 1, syndrome::DBR_ALIGNMENT),
        (wq::LWM, 1, syndrome::UNSUPPORTED_FIELD),
        (wq::TWO_BYTE_SHIFT_EN, 1, syndrome::UNSUPPORTED_FIELD),
    ];
    let mut bench = Bench::new();
    for (field, value, reason) in cases {
        let mut cmd = bench.create_rmp();
        cmd.sub_mut(create_rmp_in::CTX).sub_mut(rmpc::WQ).set(*field, *value).unwrap();
        assert_eq!(bench.run(&cmd), Err(*reason), "{} {value}", field.info().name);
    }
    let mut cmd = bench.create_rmp();
    cmd.sub_mut(create_rmp_in::CTX).set(rmpc::STATE, RmpState::ERR).unwrap();
    assert_eq!(bench.run(&cmd), Err(syndrome::RMP_STATE));
    let mut cmd = bench.create_rmp();
    cmd.sub_mut(create_rmp_in::CTX).set(rmpc::BASIC_CYCLIC_RCV_WQE, 1u8).unwrap();
    cmd.sub_mut(create_rmp_in::CTX).sub_mut(rmpc::WQ).set(wq::WQ_TYPE, 0u8).unwrap();
    assert_eq!(bench.run(&cmd), Err(syndrome::RMP_CYCLIC));
    assert_eq!(bench.fabric.devices[0].pds.get(bench.pd.0).unwrap().users, 0);
}

#[test]
fn a_transition_starts_from_its_own_state_only() {
    let mut bench = Bench::new();
    let all = [
        (Opcode::RST2INIT_QP, 0),
        (Opcode::INIT2INIT_QP, 1),
        (Opcode::INIT2RTR_QP, 1),
        (Opcode::RTR2RTS_QP, 2),
        (Opcode::RTS2RTS_QP, 3),
    ];
    for steps in 0..=3 {
        for (opcode, from) in all {
            let qpn = qp_after(&mut bench, ServiceType::RC, steps);
            let cmd = bench.transition(opcode, qpn);
            let result = bench.run(&cmd);
            assert_eq!(result.is_ok(), steps == from, "{opcode} after {steps} steps: {result:?}");
            if let Err(reason) = result {
                assert_eq!(reason, syndrome::WRONG_STATE);
                let state = bench.attribute(qpn, qpc::STATE);
                assert_eq!(state, steps as u64, "a refused transition changes nothing");
            }
        }
        let qpn = qp_after(&mut bench, ServiceType::RC, steps);
        assert_eq!(bench.leave(Opcode::TO_ERR_QP, qpn), Ok(0));
        assert_eq!(bench.attribute(qpn, qpc::STATE), u64::from(QpState::ERR));
        for (opcode, _) in all {
            let cmd = bench.transition(opcode, qpn);
            assert_eq!(bench.run(&cmd), Err(syndrome::WRONG_STATE));
        }
        assert_eq!(bench.leave(Opcode::TO_RST_QP, qpn), Ok(0));
        let cmd = bench.transition(Opcode::RST2INIT_QP, qpn);
        assert_eq!(bench.run(&cmd), Ok(0));
    }
    assert_eq!(bench.leave(Opcode::TO_ERR_QP, 0xffffff), Err(syndrome::NO_QP));
    assert_eq!(bench.leave(Opcode::TO_RST_QP, 0), Err(syndrome::NO_QP));
    let cmd = bench.transition(Opcode::RST2INIT_QP, 0xabcdef);
    assert_eq!(bench.run(&cmd), Err(syndrome::NO_QP));
}

#[test]
fn each_wrong_field_of_a_transition_is_refused() {
    let mut bench = Bench::new();
    let context: &[(usize, Field<Qpc>, u64, Reason)] = &[
        (0, qpc::PM_STATE, 1, syndrome::PM_STATE),
        (0, qpc::ATOMIC_MODE, 9, syndrome::ATOMIC_MODE),
        (1, qpc::MTU, 0, syndrome::MTU),
        (1, qpc::MTU, 6, syndrome::MTU),
        (1, qpc::LOG_MSG_MAX, 31, syndrome::MESSAGE_SIZE),
        (1, qpc::LOG_RRA_MAX, 5, syndrome::RESPONDER_DEPTH),
        (2, qpc::LOG_SRA_MAX, 5, syndrome::INITIATOR_DEPTH),
    ];
    let path: &[(usize, Field<Ads>, u64, Reason)] = &[
        (0, ads::VHCA_PORT_NUM, 0, syndrome::PORT),
        (0, ads::VHCA_PORT_NUM, 2, syndrome::PORT),
        (0, ads::PKEY_INDEX, 128, syndrome::PKEY_INDEX),
        (1, ads::SRC_ADDR_INDEX, 4, syndrome::SOURCE_GID),
        (1, ads::RMAC_31_0, 0, syndrome::REMOTE_MAC),
        (1, ads::UDP_SPORT, 1, syndrome::UDP_SOURCE_PORT),
        (1, ads::RLID, 1, syndrome::PATH_FOR_INFINIBAND),
        (1, ads::MLID, 1, syndrome::PATH_FOR_INFINIBAND),
        (1, ads::FL, 1, syndrome::UNSUPPORTED_FIELD),
    ];
    type Change<'a> = &'a dyn Fn(&mut View<Qpc, &mut [u8]>);
    let mut check = |steps: usize, reason, change: Change<'_>| {
        let qpn = qp_after(&mut bench, ServiceType::RC, steps);
        let mut cmd = bench.transition(STEPS[steps], qpn);
        change(&mut cmd.sub_mut(rts2rts_qp_in::QPC));
        assert_eq!(bench.run(&cmd), Err(reason));
        assert_eq!(bench.attribute(qpn, qpc::STATE), steps as u64);
    };
    for (steps, field, value, reason) in context {
        check(*steps, *reason, &|view| view.set(*field, *value).unwrap());
    }
    for (steps, field, value, reason) in path {
        check(*steps, *reason, &|view| {
            view.sub_mut(qpc::PRIMARY_ADDRESS_PATH).set(*field, *value).unwrap();
        });
    }
    check(1, syndrome::REMOTE_GID, &|view| {
        view.sub_mut(qpc::PRIMARY_ADDRESS_PATH).octets_mut(ads::RGID_RIP).fill(0);
    });
}

#[test]
fn a_path_mtu_past_the_ports_is_refused() {
    let mut bench = Bench::new();
    bench.fabric.devices[0].port.mtu = MtuCode::MTU_512;
    let qpn = qp_after(&mut bench, ServiceType::RC, 1);
    let cmd = bench.transition(Opcode::INIT2RTR_QP, qpn);
    assert_eq!(bench.run(&cmd), Err(syndrome::MTU_PAST_PORT));
}

#[test]
fn the_mask_decides_which_optional_fields_apply() {
    let mut bench = Bench::new();
    let qpn = qp_after(&mut bench, ServiceType::RC, 3);
    let set = |bench: &mut Bench, mask: OptParam| {
        let mut cmd = bench.transition(Opcode::RTS2RTS_QP, qpn);
        cmd.set(rts2rts_qp_in::OPT_PARAM_MASK, mask).unwrap();
        let mut context = cmd.sub_mut(rts2rts_qp_in::QPC);
        for field in [qpc::RRE, qpc::RWE, qpc::RAE] {
            context.set(field, 1u8).unwrap();
        }
        context.set(qpc::ATOMIC_MODE, 3u8).unwrap();
        context.set(qpc::MIN_RNR_NAK, 9u8).unwrap();
        context.sub_mut(qpc::PRIMARY_ADDRESS_PATH).set(ads::DSCP, 8u8).unwrap();
        context.sub_mut(qpc::PRIMARY_ADDRESS_PATH).set(ads::SRC_ADDR_INDEX, 3u8).unwrap();
        bench.run(&cmd)
    };
    let read = |bench: &mut Bench| {
        let out = bench.query(qpn);
        let context = out.sub(query_qp_out::QPC);
        let path = context.sub(qpc::PRIMARY_ADDRESS_PATH);
        [
            context.get(qpc::RRE),
            context.get(qpc::RWE),
            context.get(qpc::RAE),
            context.get(qpc::ATOMIC_MODE),
            context.get(qpc::MIN_RNR_NAK),
            path.get(ads::DSCP),
            path.get(ads::SRC_ADDR_INDEX),
        ]
    };
    assert_eq!(set(&mut bench, OptParam(0)), Ok(0));
    assert_eq!(read(&mut bench), [0; 7]);
    assert_eq!(set(&mut bench, OptParam::RWE), Ok(0));
    assert_eq!(read(&mut bench), [0, 1, 0, 0, 0, 0, 0]);
    assert_eq!(set(&mut bench, OptParam::RAE | OptParam::RNR_TIMEOUT), Ok(0));
    assert_eq!(read(&mut bench), [0, 1, 1, 3, 9, 0, 0]);
    assert_eq!(set(&mut bench, OptParam::DSCP | OptParam::SRC_ADDR_INDEX), Ok(0));
    assert_eq!(read(&mut bench), [0, 1, 1, 3, 9, 8, 3]);
    for bit in [OptParam(1), OptParam::PKEY_INDEX, OptParam::PRIMARY_ADDR_PATH, OptParam(1 << 31)] {
        assert_eq!(set(&mut bench, bit), Err(syndrome::OPTIONAL_PARAM));
    }
}

#[test]
fn masks_that_a_transition_or_service_does_not_know_are_refused() {
    let cases = [
        (ServiceType::RC, 0, OptParam::RWE),
        (ServiceType::RC, 1, OptParam::PRI_PORT),
        (ServiceType::RC, 2, OptParam::PKEY_INDEX),
        (ServiceType::UC, 1, OptParam::RRE),
        (ServiceType::UC, 1, OptParam::RAE),
        (ServiceType::UC, 2, OptParam::RNR_TIMEOUT),
    ];
    let mut bench = Bench::new();
    for (service, steps, mask) in cases {
        let qpn = qp_after(&mut bench, service, steps);
        let mut cmd = bench.transition(STEPS[steps], qpn);
        cmd.set(rts2rts_qp_in::OPT_PARAM_MASK, mask).unwrap();
        assert_eq!(bench.run(&cmd), Err(syndrome::OPTIONAL_PARAM), "{service} {mask:?}");
    }
    let qpn = qp_after(&mut bench, ServiceType::RC, 3);
    let mut cmd = bench.transition(Opcode::RTS2RTS_QP, qpn);
    cmd.set(rts2rts_qp_in::OPT_PARAM_MASK_95_32, 1u8).unwrap();
    assert_eq!(bench.run(&cmd), Err(syndrome::UNSUPPORTED_FIELD));
    // The short form, without the extension.
    let cmd = bench.transition(Opcode::RTS2RTS_QP, qpn);
    assert_eq!(bench.run_bytes(&cmd.as_bytes()[..272], 16), Ok(0));
    assert_eq!(bench.run_bytes(&cmd.as_bytes()[..271], 16), Err(syndrome::INPUT_SHORT));
}

#[test]
fn reset_forgets_what_the_transitions_set_and_the_mtu_is_always_valid() {
    let mut bench = Bench::new();
    let qpn = qp_after(&mut bench, ServiceType::UC, 3);
    assert_eq!(bench.attribute(qpn, qpc::MTU), u64::from(MtuCode::MTU_1024));
    assert_eq!(bench.attribute(qpn, qpc::REMOTE_QPN), 0x77);
    assert_eq!(bench.attribute(qpn, qpc::ST), u64::from(ServiceType::UC));
    bench.leave(Opcode::TO_RST_QP, qpn).unwrap();
    assert_eq!(bench.attribute(qpn, qpc::STATE), 0);
    assert_eq!(bench.attribute(qpn, qpc::MTU), u64::from(MtuCode::MTU_256));
    assert_eq!(bench.attribute(qpn, qpc::REMOTE_QPN), 0);
}

#[test]
fn what_is_in_use_cannot_be_destroyed() {
    let mut bench = Bench::new();
    let rmpn = bench.run(&bench.create_rmp()).unwrap();
    let mut cmd = bench.create_qp();
    let mut context = cmd.sub_mut(create_qp_in::QPC);
    context.set(qpc::RQ_TYPE, RqType::SRQ_RMP_XRC_SRQ_XRQ).unwrap();
    context.set(qpc::SRQN_RMPN_XRQN, rmpn).unwrap();
    let qpn = bench.run(&cmd).unwrap();
    let (cqn, pd, umem, uar) = (bench.cqn, bench.pd, bench.umem, bench.uar);

    let reason = |result: Result<(), syndrome::Refusal>| result.map_err(|refusal| refusal.reason);
    assert_eq!(bench.destroy(Opcode::DESTROY_CQ, cqn), Err(syndrome::BUSY_CQ));
    let device = &mut bench.fabric.devices[0];
    assert_eq!(reason(command::rmp::destroy(device, Rmpn(rmpn))), Err(syndrome::BUSY_RMP));
    assert_eq!(reason(resource::dealloc_pd(device, pd)), Err(syndrome::BUSY_PD));
    assert_eq!(reason(resource::dealloc_uar(device, uar)), Err(syndrome::BUSY_UAR));
    assert_eq!(reason(resource::deregister_umem(device, umem)), Err(syndrome::BUSY_UMEM));

    assert_eq!(bench.destroy(Opcode::DESTROY_QP, qpn), Ok(0));
    assert_eq!(bench.destroy(Opcode::DESTROY_QP, qpn), Err(syndrome::NO_QP));
    assert_eq!(bench.destroy(Opcode::DESTROY_CQ, cqn), Ok(0));
    let device = &mut bench.fabric.devices[0];
    assert_eq!(reason(resource::deregister_umem(device, umem)), Err(syndrome::BUSY_UMEM));
    assert_eq!(reason(command::rmp::destroy(device, Rmpn(rmpn))), Ok(()));
    assert_eq!(reason(command::rmp::destroy(device, Rmpn(rmpn))), Err(syndrome::NO_RMP));
    assert_eq!(reason(resource::deregister_umem(device, umem)), Ok(()));
    assert_eq!(reason(resource::deregister_umem(device, umem)), Err(syndrome::NO_UMEM));
    assert_eq!(reason(resource::dealloc_uar(device, uar)), Ok(()));
    assert_eq!(reason(resource::dealloc_uar(device, uar)), Err(syndrome::NO_UAR));
    assert_eq!(reason(resource::dealloc_pd(device, pd)), Ok(()));
    assert_eq!(reason(resource::dealloc_pd(device, pd)), Err(syndrome::NO_PD));
}

#[test]
fn a_shared_receive_queue_of_another_pd_is_refused() {
    let mut bench = Bench::new();
    let mut cmd = bench.create_rmp();
    let other = resource::alloc_pd(&mut bench.fabric.devices[0]).unwrap();
    cmd.sub_mut(create_rmp_in::CTX).sub_mut(rmpc::WQ).set(wq::PD, other).unwrap();
    let rmpn = bench.run(&cmd).unwrap();
    let mut cmd = bench.create_qp();
    let mut context = cmd.sub_mut(create_qp_in::QPC);
    context.set(qpc::RQ_TYPE, RqType::SRQ_RMP_XRC_SRQ_XRQ).unwrap();
    context.set(qpc::SRQN_RMPN_XRQN, rmpn).unwrap();
    assert_eq!(bench.run(&cmd), Err(syndrome::SRQ_OF_PD));
}

#[test]
fn memory_regions_are_checked_at_registration() {
    let mut bench = Bench::new();
    let device = &mut bench.fabric.devices[0];
    let span = bench.span;
    let valid = NewRegion { pd: bench.pd, span, iova: 0, access: Access(0b1111), variant: 0x5a };
    let key = resource::register(device, valid).unwrap();
    assert_eq!(key.0 & 0xff, 0x5a);
    let cases = [
        (NewRegion { pd: Pdn(0), ..valid }, syndrome::NO_PD),
        (NewRegion { span: span.part(0, 0).unwrap(), ..valid }, syndrome::MR_LENGTH),
        (NewRegion { iova: u64::MAX - 8, ..valid }, syndrome::MR_RANGE),
        (NewRegion { access: Access::REMOTE_WRITE, ..valid }, syndrome::MR_ACCESS),
        (NewRegion { access: Access::REMOTE_ATOMIC, ..valid }, syndrome::MR_ACCESS),
    ];
    for (new, reason) in cases {
        assert_eq!(resource::register(device, new).unwrap_err().reason, reason);
    }
    assert_eq!(device.pds.get(bench.pd.0).unwrap().users, 1);
    assert_eq!(resource::deregister(device, key), Ok(()));
    assert_eq!(resource::deregister(device, key).unwrap_err().reason, syndrome::NO_MR);
    assert!(resource::register_umem(device, span.part(0, 0).unwrap()).is_err());
}

#[test]
fn a_removed_device_refuses_all_but_destruction() {
    let mut bench = Bench::new();
    let qpn = bench.run(&bench.create_qp()).unwrap();
    bench.fabric.devices[0].alive = false;
    assert_eq!(bench.run(&bench.create_cq()), Err(syndrome::DEVICE_GONE));
    assert_eq!(bench.leave(Opcode::TO_ERR_QP, qpn), Err(syndrome::DEVICE_GONE));
    let device = &mut bench.fabric.devices[0];
    assert_eq!(resource::alloc_pd(device).unwrap_err().reason, syndrome::DEVICE_GONE);
    let cqn = bench.cqn;
    assert_eq!(bench.destroy(Opcode::DESTROY_QP, qpn), Ok(0));
    assert_eq!(bench.destroy(Opcode::DESTROY_CQ, cqn), Ok(0));
}

#[test]
fn no_bytes_make_a_command_panic() {
    use proptest::prelude::*;
    let opcodes = [
        0x100u16, 0x400, 0x401, 0x402, 0x500, 0x501, 0x502, 0x503, 0x504, 0x505, 0x507, 0x50a,
        0x50b, 0x50e, 0x760, 0x90c,
    ];
    let input = (
        prop::sample::select(opcodes.to_vec()),
        prop::collection::vec(any::<u8>(), 0..500),
        0usize..600,
        any::<bool>(),
    );
    let mut runner = proptest::test_runner::TestRunner::default();
    runner
        .run(&input, |(opcode, mut bytes, outlen, only_fields)| {
            let mut bench = Bench::new();
            let _ = bench.run(&bench.create_qp());
            if bytes.len() >= 2 {
                bytes[..2].copy_from_slice(&opcode.to_be_bytes());
            }
            // Reserved bits are looked at first: without them the fields get their turn.
            for bit in reserved_bits(Opcode(opcode)).into_iter().filter(|_| only_fields) {
                if let Some(byte) = bytes.get_mut(bit as usize / 8) {
                    *byte &= !(0x80 >> (bit % 8));
                }
            }
            execute(&mut bench.fabric, 0, &bytes, &mut vec![0; outlen]);
            Ok(())
        })
        .unwrap();
}
