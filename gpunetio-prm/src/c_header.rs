//! The C side of the byte layouts: static asserts that the device headers include.

use core::fmt::Write;
use core::mem::{offset_of, size_of};

use crate::cqe::{Cqe64, ErrCqe};
use crate::wqe::{AtomicSeg, CtrlSeg, DataSeg, RaddrSeg, WaitSeg};

/// Renders `include/device/gpunetio_prm_check.h`: `static_assert`s of size and offset for every struct that the device
/// headers share with this crate. A test fails when the checked-in file differs.
pub fn render_c_header() -> String {
    let mut out = String::from(
        "/* Rendered from gpunetio-prm by its test `c_header`; do not edit. Run the test with GPUNETIO_BLESS=1 to renew. */\n\
         #ifndef GPUNETIO_PRM_CHECK_H\n#define GPUNETIO_PRM_CHECK_H\n\n",
    );
    for (c_name, bytes, fields) in structs() {
        // Writing to a String cannot fail.
        let _ = writeln!(out, "static_assert(sizeof(struct {c_name}) == {bytes}, \"{c_name}\");");
        for (field, offset) in fields {
            let _ = writeln!(
                out,
                "static_assert(__builtin_offsetof(struct {c_name}, {field}) == {offset}, \"{c_name}.{field}\");"
            );
        }
    }
    out.push_str("\n#endif\n");
    out
}

macro_rules! layout_of {
    ($c_name:literal, $rust:ty, $($field:ident),*) => {
        ($c_name, size_of::<$rust>(), vec![$((stringify!($field), offset_of!($rust, $field))),*])
    };
}

type CStruct = (&'static str, usize, Vec<(&'static str, usize)>);

fn structs() -> Vec<CStruct> {
    vec![
        layout_of!(
            "doca_gpunetio_ib_mlx5_wqe_ctrl_seg",
            CtrlSeg,
            opmod_idx_opcode,
            qpn_ds,
            signature,
            fm_ce_se,
            imm
        ),
        layout_of!("doca_gpunetio_ib_mlx5_wqe_raddr_seg", RaddrSeg, raddr, rkey, reserved),
        layout_of!("doca_gpunetio_ib_mlx5_wqe_data_seg", DataSeg, byte_count, lkey, addr),
        layout_of!("doca_gpunetio_ib_mlx5_wqe_atomic_seg", AtomicSeg, swap_add, compare),
        layout_of!("doca_gpunetio_ib_mlx5_wqe_wait_seg", WaitSeg, max_index, qpn_cqn),
        layout_of!(
            "doca_gpunetio_ib_mlx5_cqe64",
            Cqe64,
            wqe_id,
            flags_rqpn,
            srqn_uidx,
            imm_inval_pkey,
            byte_cnt,
            timestamp,
            sop_drop_qpn,
            wqe_counter,
            op_own
        ),
        layout_of!(
            "doca_gpunetio_ib_mlx5_err_cqe_ex",
            ErrCqe,
            srqn,
            hw_err_synd,
            hw_synd_type,
            vendor_err_synd,
            syndrome,
            s_wqe_opcode_qpn,
            wqe_counter,
            op_own
        ),
    ]
}
