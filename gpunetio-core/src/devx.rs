//! DEVX commands of an open device: raw bytes in and out, a refusal as [`Error::Command`].
#![allow(unsafe_code)]

use std::io;
use std::ptr::NonNull;

use gpunetio_prm::command::{Opcode, Status};
use gpunetio_prm::layout::resource::{
    GeneralObjInCmdHdr, GeneralObjOutCmdHdr, general_obj_in_cmd_hdr, general_obj_out_cmd_hdr,
};
use gpunetio_prm::layout::{Layout, View};

use crate::error::{Error, Result};
use crate::nic::NicInner;
use crate::sys;

/// An object that a DEVX command made; destroyed by [`NicInner::devx_destroy`].
#[derive(Debug)]
pub(crate) struct DevxObject(NonNull<sys::mlx5dv_devx_obj>);

// SAFETY: libmlx5 objects are plain handles; the kernel serialises commands on them (rdma-core: verbs are thread-safe).
unsafe impl Send for DevxObject {}
// SAFETY: as for Send; queries and modifies through a shared reference are commands.
unsafe impl Sync for DevxObject {}

impl DevxObject {
    pub(crate) fn as_ptr(&self) -> *mut sys::mlx5dv_devx_obj {
        self.0.as_ptr()
    }

    /// Gives the object to an opaque token.
    pub(crate) fn into_raw(self) -> NonNull<core::ffi::c_void> {
        self.0.cast()
    }

    /// # Safety
    /// `raw` came from [`DevxObject::into_raw`] and is not used as an object elsewhere after the returned value ends.
    pub(crate) unsafe fn from_raw(raw: NonNull<core::ffi::c_void>) -> Self {
        Self(raw.cast())
    }
}

fn refused(input: &[u8], output: &[u8], errno: io::Error) -> Error {
    let opcode = View::<GeneralObjInCmdHdr, _>::new(input)
        .map_or(0, |v| v.get(general_obj_in_cmd_hdr::OPCODE) as u16);
    let (status, syndrome) = View::<GeneralObjOutCmdHdr, _>::new(output).map_or((0, 0), |v| {
        (v.get(general_obj_out_cmd_hdr::STATUS), v.get(general_obj_out_cmd_hdr::SYNDROME))
    });
    Error::Command {
        opcode: Opcode(opcode),
        status: Status(status as u8),
        syndrome: syndrome as u32,
        errno: errno.raw_os_error().unwrap_or(0),
    }
}

fn outcome(input: &[u8], output: &[u8], rc: i32) -> Result<()> {
    match rc {
        0 => Ok(()),
        rc if rc < 0 => Err(refused(input, output, io::Error::last_os_error())),
        rc => Err(refused(input, output, io::Error::from_raw_os_error(rc))),
    }
}

impl NicInner {
    /// Runs a command that belongs to no object.
    pub(crate) fn devx_general<O: Layout>(&self, input: &[u8]) -> Result<View<O, Vec<u8>>> {
        let mut output = View::<O, Vec<u8>>::zeroed();
        let out = output.as_bytes_mut();
        // SAFETY: the context is open while `self` lives; both buffers are valid for the lengths given (mlx5dv contract).
        let rc = unsafe {
            (self.provider.mlx5.devx_general_cmd)(
                self.context.as_ptr(),
                input.as_ptr().cast(),
                input.len(),
                out.as_mut_ptr().cast(),
                out.len(),
            )
        };
        outcome(input, output.as_bytes(), rc)?;
        Ok(output)
    }

    /// Runs a create command.
    pub(crate) fn devx_create<O: Layout>(
        &self,
        input: &[u8],
    ) -> Result<(DevxObject, View<O, Vec<u8>>)> {
        let mut output = View::<O, Vec<u8>>::zeroed();
        let out = output.as_bytes_mut();
        // SAFETY: as in `devx_general`.
        let obj = unsafe {
            (self.provider.mlx5.devx_obj_create)(
                self.context.as_ptr(),
                input.as_ptr().cast(),
                input.len(),
                out.as_mut_ptr().cast(),
                out.len(),
            )
        };
        match NonNull::new(obj) {
            Some(obj) => Ok((DevxObject(obj), output)),
            None => Err(refused(input, output.as_bytes(), io::Error::last_os_error())),
        }
    }

    /// Runs a modify command of `obj`.
    pub(crate) fn devx_modify(&self, obj: &DevxObject, input: &[u8]) -> Result<()> {
        let mut output = [0u8; GeneralObjOutCmdHdr::BYTES];
        // SAFETY: `obj` was made by this provider and is alive; both buffers are valid for the lengths given.
        let rc = unsafe {
            (self.provider.mlx5.devx_obj_modify)(
                obj.as_ptr(),
                input.as_ptr().cast(),
                input.len(),
                output.as_mut_ptr().cast(),
                output.len(),
            )
        };
        outcome(input, &output, rc)
    }

    /// Runs a query command of `obj`.
    pub(crate) fn devx_query<O: Layout>(
        &self,
        obj: &DevxObject,
        input: &[u8],
    ) -> Result<View<O, Vec<u8>>> {
        let mut output = View::<O, Vec<u8>>::zeroed();
        let out = output.as_bytes_mut();
        // SAFETY: as in `devx_modify`.
        let rc = unsafe {
            (self.provider.mlx5.devx_obj_query)(
                obj.as_ptr(),
                input.as_ptr().cast(),
                input.len(),
                out.as_mut_ptr().cast(),
                out.len(),
            )
        };
        outcome(input, output.as_bytes(), rc)?;
        Ok(output)
    }

    /// Destroys `obj`; on failure it comes back.
    pub(crate) fn devx_destroy(
        &self,
        obj: DevxObject,
        what: &str,
    ) -> Result<(), (DevxObject, Error)> {
        // SAFETY: `obj` was made by this provider and is alive; it is given up here.
        let rc = unsafe { (self.provider.mlx5.devx_obj_destroy)(obj.as_ptr()) };
        match rc {
            0 => Ok(()),
            rc => Err((obj, Error::code("mlx5dv_devx_obj_destroy", what, rc))),
        }
    }
}
