//! Commands: raw bytes in, status and syndrome out.
//!
//! [`execute`] is what DEVX hands to the device. It checks lengths and `op_mod`, reads the input through the layouts of
//! `gpunetio-prm` and runs the command on the object tables; a refusal leaves every object as it was. [`resource`] has what
//! reaches a device through the kernel rather than by a command of the client: PDs, memory regions, umems, UAR pages.

mod capability;
pub mod cq;
pub mod qp;
pub mod resource;
pub mod rmp;
mod roce;
mod transition;

use gpunetio_prm::command::{Opcode, Status};
use gpunetio_prm::layout::qp::{CreateQpOut, create_qp_out};
use gpunetio_prm::layout::resource::{GeneralObjInCmdHdr, general_obj_in_cmd_hdr};
use gpunetio_prm::layout::{Field, Layout, View};

use crate::device::Fabric;
use crate::syndrome::{self, Refusal};

/// Output that every command has: status, syndrome and, for creates, a number. The layout of CREATE_QP's stands for all.
pub const MIN_OUTPUT_BYTES: usize = CreateQpOut::BYTES;
/// Input that every command has.
pub const MIN_INPUT_BYTES: usize = GeneralObjInCmdHdr::BYTES;

/// What a command answers, its status aside.
pub(crate) type Outcome = Result<(), Refusal>;

/// Runs the command in `input` on device `device` and fills `output`, of which nothing is kept.
///
/// A refused command leaves status and syndrome in `output` where it has room for them, and is logged at debug level.
pub fn execute(fabric: &mut Fabric, device: usize, input: &[u8], output: &mut [u8]) -> Status {
    output.fill(0);
    let outcome = dispatch(fabric, device, input, output);
    let Err(refusal) = outcome else { return Status::OK };
    log::debug!("softnic: mlx5_{device}: {} refused: {refusal}", opcode(input));
    output.fill(0);
    if let Ok(mut out) = View::<CreateQpOut, _>::new(output) {
        // Both values fit their fields by the constants' types and the table of reasons.
        let _ = out.set(create_qp_out::STATUS, refusal.reason.status);
        let _ = out.set(create_qp_out::SYNDROME, refusal.reason.syndrome);
    }
    refusal.reason.status
}

/// The opcode of `input`; opcode 0, which is none, where it is too short to have one.
pub fn opcode(input: &[u8]) -> Opcode {
    match input {
        [high, low, ..] => Opcode(u16::from_be_bytes([*high, *low])),
        _ => Opcode(0),
    }
}

fn dispatch(fabric: &mut Fabric, index: usize, input: &[u8], output: &mut [u8]) -> Outcome {
    if input.len() < MIN_INPUT_BYTES {
        return Err(syndrome::INPUT_SHORT.because("input bytes", input.len() as u64));
    }
    if output.len() < MIN_OUTPUT_BYTES {
        return Err(syndrome::OUTPUT_SHORT.because("output bytes", output.len() as u64));
    }
    let Some(device) = fabric.devices.get_mut(index) else {
        return Err(syndrome::DEVICE_GONE.because("device", index as u64));
    };
    let opcode = opcode(input);
    let destroys = matches!(opcode, Opcode::DESTROY_CQ | Opcode::DESTROY_QP);
    if !device.alive && !destroys {
        return Err(syndrome::DEVICE_GONE.because("device", index as u64));
    }
    match opcode {
        Opcode::QUERY_HCA_CAP => capability::query(device, input, output),
        Opcode::QUERY_ROCE_ADDRESS => roce::query_address(device, input, output),
        Opcode::CREATE_CQ => cq::create(device, input, output),
        Opcode::DESTROY_CQ => cq::destroy_command(fabric, index, input),
        Opcode::QUERY_CQ => cq::query(device, input, output),
        Opcode::CREATE_RMP => rmp::create(device, input, output),
        Opcode::CREATE_QP => qp::create(device, input, output),
        Opcode::DESTROY_QP => qp::destroy_command(fabric, index, input),
        Opcode::QUERY_QP => qp::query(device, input, output),
        Opcode::RST2INIT_QP
        | Opcode::INIT2INIT_QP
        | Opcode::INIT2RTR_QP
        | Opcode::RTR2RTS_QP
        | Opcode::RTS2RTS_QP
        | Opcode::TO_ERR_QP
        | Opcode::TO_RST_QP => transition::execute(fabric, index, opcode, input),
        known if known.name().is_some() => Err(syndrome::NOT_IMPLEMENTED.because("opcode", known)),
        unknown => Err(syndrome::UNKNOWN_OPCODE.because("opcode", unknown)),
    }
}

/// The input as layout `L`, of which only declared bits may be set. Input may be longer, as with clients built against longer
/// layouts, if the rest is zero.
fn input<L: Layout>(bytes: &[u8]) -> Result<View<L, &[u8]>, Refusal> {
    let view = View::new(bytes)
        .map_err(|short| syndrome::INPUT_SHORT.because("input bytes", short.have as u64))?;
    if bytes[L::BYTES..].iter().any(|byte| *byte != 0) {
        return Err(syndrome::INPUT_LONG.because("input bytes", bytes.len() as u64));
    }
    if let Some(bit) = view.undeclared_bit() {
        return Err(syndrome::RESERVED_BIT.because("bit offset", bit));
    }
    Ok(view)
}

/// The output as layout `L`.
fn output<L: Layout>(bytes: &mut [u8]) -> Result<View<L, &mut [u8]>, Refusal> {
    View::new(bytes)
        .map_err(|short| syndrome::OUTPUT_SHORT.because("output bytes", short.have as u64))
}

/// Refuses an `op_mod` other than 0; it lies at one place in every command.
fn check_op_mod(bytes: &[u8]) -> Outcome {
    let header: View<GeneralObjInCmdHdr, _> = View::new(bytes)
        .map_err(|short| syndrome::INPUT_SHORT.because("input bytes", short.have as u64))?;
    match header.get(general_obj_in_cmd_hdr::OBJ_TYPE) {
        0 => Ok(()),
        op_mod => Err(syndrome::OP_MOD.because("op_mod", op_mod)),
    }
}

/// Refuses a context in which a field of `fields` is not 0.
fn check_zero<L: Layout, B: AsRef<[u8]>>(context: &View<L, B>, fields: &[Field<L>]) -> Outcome {
    for field in fields {
        let value = context.get(*field);
        if value != 0 {
            return Err(syndrome::UNSUPPORTED_FIELD.because(field.info().name, value));
        }
    }
    Ok(())
}

/// Writes a field whose value fits by construction.
fn put<L: Layout, B: AsRef<[u8]> + AsMut<[u8]>>(
    view: &mut View<L, B>,
    field: Field<L>,
    value: impl Into<u64>,
) {
    let written = view.set(field, value);
    debug_assert!(written.is_ok(), "{written:?}");
}

#[cfg(test)]
mod tests {
    use super::*;
    use gpunetio_prm::layout::qp::CreateQpIn;

    #[test]
    fn a_refused_bit_is_named_by_its_offset() {
        let mut bytes = [0; CreateQpIn::BYTES];
        bytes[4] = 0x40;
        let Err(refusal) = input::<CreateQpIn>(&bytes) else { panic!("bit 0x21 is reserved") };
        assert_eq!(refusal, syndrome::RESERVED_BIT.because("bit offset", 0x21u32));
        assert!(refusal.to_string().ends_with(": bit offset = 0x21"), "{refusal}");
    }
}
