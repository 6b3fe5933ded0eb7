//! Commands field by field.

use gpunetio_prm::command::Opcode;
use gpunetio_prm::layout::cq::{Cqc, CreateCqIn};
use gpunetio_prm::layout::qp::*;
use gpunetio_prm::layout::rmp::{CreateRmpIn, Rmpc, Wq};
use gpunetio_prm::layout::roce::QueryRoceAddressIn;
use gpunetio_prm::layout::{FieldInfo, Layout, read_bits};

/// Name and bits of every field of a command, nested layouts spelled out with dots.
pub(crate) fn of(opcode: Opcode) -> (usize, Vec<(String, FieldInfo)>) {
    fn layout<L: Layout>() -> (usize, &'static [FieldInfo]) {
        (L::BYTES, L::FIELDS)
    }
    let (bytes, fields) = match opcode {
        Opcode::CREATE_CQ => layout::<CreateCqIn>(),
        Opcode::CREATE_QP => layout::<CreateQpIn>(),
        Opcode::CREATE_RMP => layout::<CreateRmpIn>(),
        Opcode::RST2INIT_QP => layout::<Rst2initQpIn>(),
        Opcode::INIT2INIT_QP => layout::<Init2initQpIn>(),
        Opcode::INIT2RTR_QP => layout::<Init2rtrQpIn>(),
        Opcode::RTR2RTS_QP => layout::<Rtr2rtsQpIn>(),
        Opcode::RTS2RTS_QP => layout::<Rts2rtsQpIn>(),
        Opcode::TO_ERR_QP => layout::<Qp2errIn>(),
        Opcode::TO_RST_QP => layout::<Qp2rstIn>(),
        Opcode::QUERY_QP => layout::<QueryQpIn>(),
        Opcode::QUERY_ROCE_ADDRESS => layout::<QueryRoceAddressIn>(),
        other => panic!("no layout for {other}"),
    };
    let mut out = Vec::new();
    flatten("", 0, fields, &mut out);
    (bytes, out)
}

fn flatten(prefix: &str, base: u32, fields: &[FieldInfo], out: &mut Vec<(String, FieldInfo)>) {
    for field in fields {
        let nested: Option<&[FieldInfo]> = match field.name {
            "qpc" => Some(Qpc::FIELDS),
            "primary_address_path" | "secondary_address_path" => Some(Ads::FIELDS),
            "cq_context" => Some(Cqc::FIELDS),
            "ctx" => Some(Rmpc::FIELDS),
            "wq" => Some(Wq::FIELDS),
            "qpc_data_ext" => Some(QpcExt::FIELDS),
            _ => None,
        };
        let name = format!("{prefix}{}", field.name);
        let at = base + field.bit_offset;
        match nested {
            Some(nested) => flatten(&format!("{name}."), at, nested, out),
            None => out.push((name, FieldInfo { bit_offset: at, ..*field })),
        }
    }
}

/// Value of a field, wide ones as their bytes' number.
pub(crate) fn value(bytes: &[u8], field: FieldInfo) -> u128 {
    if field.bit_width <= 64 {
        return read_bits(bytes, field).into();
    }
    let start = (field.bit_offset / 8) as usize;
    let end = start + (field.bit_width / 8) as usize;
    bytes[start..end].iter().fold(0, |acc, byte| acc << 8 | u128::from(*byte))
}
