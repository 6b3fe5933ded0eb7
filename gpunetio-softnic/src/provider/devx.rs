//! DEVX commands and the objects that they make.

use core::ffi::{c_int, c_void};

use gpunetio_core::sys::{ibv_context, mlx5dv_devx_obj};
use gpunetio_prm::command::{Opcode, Status};
use gpunetio_prm::id::{Cqn, Qpn, Rmpn};
use gpunetio_prm::layout::View;
use gpunetio_prm::layout::qp::{CreateQpOut, Qp2errIn, create_qp_out, qp_2err_in};

use super::null;
use super::registry::{Object, Registry};
use crate::command::{self, MIN_INPUT_BYTES, MIN_OUTPUT_BYTES};
use crate::device::EQN;
use crate::syndrome;

/// Longest input or output that is looked at.
const MAX_BYTES: usize = 1 << 20;

/// What an opcode is about, as the kernel sorts the commands of its clients. Opcodes that this NIC does not know are left to
/// the device to refuse.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Create,
    Query,
    Modify,
    Destroy,
    General,
    Unknown,
}

fn kind(opcode: Opcode) -> Kind {
    match opcode {
        Opcode::CREATE_CQ | Opcode::CREATE_QP | Opcode::CREATE_RMP => Kind::Create,
        Opcode::QUERY_CQ | Opcode::QUERY_QP | Opcode::QUERY_RMP => Kind::Query,
        Opcode::DESTROY_CQ
        | Opcode::DESTROY_QP
        | Opcode::DESTROY_RMP
        | Opcode::DEALLOC_PD
        | Opcode::DEALLOC_UAR => Kind::Destroy,
        Opcode::RST2INIT_QP
        | Opcode::INIT2INIT_QP
        | Opcode::INIT2RTR_QP
        | Opcode::RTR2RTS_QP
        | Opcode::RTS2RTS_QP
        | Opcode::SQERR2RTS_QP
        | Opcode::TO_ERR_QP
        | Opcode::TO_RST_QP
        | Opcode::MODIFY_RMP => Kind::Modify,
        Opcode::QUERY_HCA_CAP | Opcode::QUERY_ROCE_ADDRESS => Kind::General,
        _ => Kind::Unknown,
    }
}

/// The buffers of a command.
struct Buffers {
    input: Vec<u8>,
    output: *mut u8,
    outlen: usize,
}

impl Buffers {
    /// Copies the input in. EINVAL for buffers that cannot hold a command and its answer.
    ///
    /// # Safety
    /// `input` is NULL or has `inlen` readable bytes, `output` NULL or `outlen` writable ones.
    unsafe fn new(
        input: *const c_void,
        inlen: usize,
        output: *mut c_void,
        outlen: usize,
    ) -> Result<Self, i32> {
        let lengths = (MIN_INPUT_BYTES..=MAX_BYTES).contains(&inlen)
            && (MIN_OUTPUT_BYTES..=MAX_BYTES).contains(&outlen);
        if input.is_null() || output.is_null() || !lengths {
            return Err(libc::EINVAL);
        }
        let mut bytes = vec![0; inlen];
        // SAFETY: not NULL, so `inlen` readable bytes by the contract; the target has as many.
        unsafe { core::ptr::copy_nonoverlapping(input.cast(), bytes.as_mut_ptr(), inlen) };
        Ok(Self { input: bytes, output: output.cast(), outlen })
    }

    fn opcode(&self) -> Opcode {
        command::opcode(&self.input)
    }

    /// Number of the object that the command is about; it lies at one place in all of them.
    fn number(&self) -> u32 {
        View::<Qp2errIn, _>::new(&self.input).map_or(0, |cmd| cmd.get(qp_2err_in::QPN) as u32)
    }

    /// Runs the command and copies the answer out, that of a refused one too. EREMOTEIO if the device refused it, EIO if
    /// there is no device any more.
    fn run(self, registry: &Registry, device: usize) -> Result<u32, i32> {
        let Self { input, output, outlen } = self;
        let (status, answer) = registry.call(move |fabric| {
            let mut answer = vec![0; outlen];
            let status = command::execute(fabric, device, &input, &mut answer);
            (status, answer)
        })?;
        // SAFETY: `outlen` writable bytes by the contract of `new`; the answer has as many.
        unsafe { core::ptr::copy_nonoverlapping(answer.as_ptr(), output, outlen) };
        let out = View::<CreateQpOut, _>::new(&answer[..]).map_err(|_| libc::EINVAL)?;
        if status == Status::OK {
            return Ok(out.get(create_qp_out::QPN) as u32);
        }
        let gone = out.get(create_qp_out::SYNDROME) == u64::from(syndrome::DEVICE_GONE.syndrome);
        Err(if gone { libc::EIO } else { libc::EREMOTEIO })
    }
}

pub(super) unsafe extern "C" fn obj_create(
    context: *mut ibv_context,
    input: *const c_void,
    inlen: usize,
    output: *mut c_void,
    outlen: usize,
) -> *mut mlx5dv_devx_obj {
    // SAFETY: the contract of mlx5dv_devx_obj_create.
    let buffers = match unsafe { Buffers::new(input, inlen, output, outlen) } {
        Ok(buffers) => buffers,
        Err(errno) => return null(errno),
    };
    let created = Registry::locked(|registry| {
        let device = registry.context(context)?;
        let opcode = buffers.opcode();
        if !matches!(kind(opcode), Kind::Create | Kind::Unknown) {
            return Err(libc::EINVAL);
        }
        let number = buffers.run(registry, device)?;
        let object = match opcode {
            Opcode::CREATE_CQ => Object::Cq(Cqn(number)),
            Opcode::CREATE_QP => Object::Qp(Qpn(number)),
            Opcode::CREATE_RMP => Object::Rmp(Rmpn(number)),
            // The device knows no other that creates.
            _ => return Err(libc::EINVAL),
        };
        // What C sees is an address only; a byte makes it unique.
        Ok(registry.add(context, device, object, 0u64).cast::<mlx5dv_devx_obj>())
    });
    created.unwrap_or_else(null)
}

/// Runs a command about a live object: its number and the kind of object must agree.
///
/// # Safety
/// As for [`Buffers::new`].
unsafe fn object_command(
    obj: *mut mlx5dv_devx_obj,
    wanted: Kind,
    input: *const c_void,
    inlen: usize,
    output: *mut c_void,
    outlen: usize,
) -> c_int {
    // SAFETY: the caller's contract.
    let buffers = match unsafe { Buffers::new(input, inlen, output, outlen) } {
        Ok(buffers) => buffers,
        Err(errno) => return errno,
    };
    let run = Registry::locked(|registry| {
        let handle = registry.find(obj)?;
        let opcode = buffers.opcode();
        let (number, fits) = match handle.object {
            Object::Cq(Cqn(number)) => (number, opcode == Opcode::QUERY_CQ),
            Object::Rmp(Rmpn(number)) => {
                (number, matches!(opcode, Opcode::QUERY_RMP | Opcode::MODIFY_RMP))
            }
            Object::Qp(Qpn(number)) => {
                let other = [Opcode::QUERY_CQ, Opcode::QUERY_RMP, Opcode::MODIFY_RMP];
                (number, !other.contains(&opcode))
            }
            _ => return Err(libc::EINVAL),
        };
        if kind(opcode) != wanted || !fits || buffers.number() != number {
            log::debug!("softnic: {opcode} of {:?} does not fit the object", handle.object);
            return Err(libc::EINVAL);
        }
        buffers.run(registry, handle.device)
    });
    run.err().unwrap_or(0)
}

pub(super) unsafe extern "C" fn obj_query(
    obj: *mut mlx5dv_devx_obj,
    input: *const c_void,
    inlen: usize,
    output: *mut c_void,
    outlen: usize,
) -> c_int {
    // SAFETY: the contract of mlx5dv_devx_obj_query.
    unsafe { object_command(obj, Kind::Query, input, inlen, output, outlen) }
}

pub(super) unsafe extern "C" fn obj_modify(
    obj: *mut mlx5dv_devx_obj,
    input: *const c_void,
    inlen: usize,
    output: *mut c_void,
    outlen: usize,
) -> c_int {
    // SAFETY: the contract of mlx5dv_devx_obj_modify.
    unsafe { object_command(obj, Kind::Modify, input, inlen, output, outlen) }
}

pub(super) unsafe extern "C" fn obj_destroy(obj: *mut mlx5dv_devx_obj) -> c_int {
    let destroyed = Registry::locked(|registry| {
        registry.destroy(obj, "devx_obj_destroy", |object| {
            matches!(object, Object::Cq(_) | Object::Qp(_) | Object::Rmp(_))
        })
    });
    destroyed.err().unwrap_or(0)
}

pub(super) unsafe extern "C" fn general_cmd(
    context: *mut ibv_context,
    input: *const c_void,
    inlen: usize,
    output: *mut c_void,
    outlen: usize,
) -> c_int {
    // SAFETY: the contract of mlx5dv_devx_general_cmd.
    let buffers = match unsafe { Buffers::new(input, inlen, output, outlen) } {
        Ok(buffers) => buffers,
        Err(errno) => return errno,
    };
    let run = Registry::locked(|registry| {
        let device = registry.context(context)?;
        if !matches!(kind(buffers.opcode()), Kind::General | Kind::Unknown) {
            return Err(libc::EINVAL);
        }
        buffers.run(registry, device)
    });
    run.err().unwrap_or(0)
}

pub(super) unsafe extern "C" fn query_eqn(
    context: *mut ibv_context,
    vector: u32,
    eqn: *mut u32,
) -> c_int {
    if eqn.is_null() || vector != 0 {
        return libc::EINVAL;
    }
    if let Err(errno) = Registry::locked(|registry| registry.context(context)) {
        return errno;
    }
    // SAFETY: not NULL, and a place for the number by the contract of mlx5dv_devx_query_eqn.
    unsafe { eqn.write(EQN.0) };
    0
}
