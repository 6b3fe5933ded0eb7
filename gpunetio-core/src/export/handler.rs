//! Who rings the doorbell.
#![allow(unsafe_code)]

use std::sync::Arc;

use gpunetio_device::image::{NicHandler, SendDbrMode};

use crate::error::{Error, Result};
use crate::gpu::GpuInner;
use crate::qp::{QpInner, QpSendDbrMode};
use crate::sys::UarMemory;
use crate::uar::UarKind;

/// True if kernels write the doorbell register.
pub(crate) fn rings_from_gpu(handler: NicHandler) -> bool {
    handler != NicHandler::CPU_PROXY
}

/// [`Error::InvalidValue`] unless the QP was created for this doorbell record mode.
pub(super) fn check_mode(qp: &QpInner, mode: SendDbrMode) -> Result<()> {
    let fits = match mode {
        SendDbrMode::VALID_DBR => qp.send_dbr_mode == QpSendDbrMode::DbrValid && !qp.is_emulating(),
        SendDbrMode::NO_DBR_HW => qp.send_dbr_mode == QpSendDbrMode::NoDbrExt,
        SendDbrMode::NO_DBR_SW_EMULATED => qp.is_emulating(),
        other => return Err(Error::invalid("send_dbr_mode_ext", other.0, "use 0, 1 or 2")),
    };
    if fits {
        return Ok(());
    }
    let expected = format!(
        "qp {} was created with {:?}{}",
        qp.qpn,
        qp.send_dbr_mode,
        if qp.is_emulating() { " and emulate_no_dbr_ext" } else { "" }
    );
    Err(Error::invalid("send_dbr_mode_ext", mode.0, expected))
}

/// [`Error::InvalidValue`] for BlueFlame on a page that is not mapped for it.
pub(super) fn check_page(qp: &QpInner, handler: NicHandler) -> Result<()> {
    if handler == NicHandler::GPU_SM_BF && qp.uar.kind() != UarKind::BlueFlame {
        let value = format!("GPU_SM_BF on uar {} of kind {:?}", qp.uar.page, qp.uar.kind());
        return Err(Error::invalid("nic handler", value, "create the qp on a BlueFlame page"));
    }
    Ok(())
}

/// Settles who rings `register`.
///
/// [`NicHandler::AUTO`] is the GPU if it can map the page, else the CPU proxy, with one log line that says why. A GPU
/// handler that is asked for and cannot be had is an error. Without a record the GPU's plain doorbell becomes the one that
/// skips the record.
pub(crate) fn choose(
    gpu: &Arc<GpuInner>,
    register: *mut u64,
    memory: UarMemory,
    asked: NicHandler,
    mode: SendDbrMode,
) -> Result<NicHandler> {
    let has_record = mode == SendDbrMode::VALID_DBR;
    let from_gpu = match (asked, has_record) {
        (NicHandler::CPU_PROXY, _) => return Ok(NicHandler::CPU_PROXY),
        (NicHandler::AUTO | NicHandler::GPU_SM_DB, true) => NicHandler::GPU_SM_DB,
        (NicHandler::AUTO | NicHandler::GPU_SM_DB | NicHandler::GPU_SM_NO_DBR, false) => {
            NicHandler::GPU_SM_NO_DBR
        }
        (NicHandler::GPU_SM_NO_DBR, true) => {
            return Err(Error::invalid(
                "nic handler",
                "GPU_SM_NO_DBR",
                "the qp's NIC reads the doorbell record: use GPU_SM_DB, or send_dbr_mode_ext NO_DBR",
            ));
        }
        (NicHandler::GPU_SM_BF, _) if mode == SendDbrMode::NO_DBR_HW => {
            return Err(Error::invalid(
                "nic handler",
                "GPU_SM_BF",
                "BlueFlame needs the doorbell record: use send_dbr_mode_ext VALID_DBR",
            ));
        }
        (NicHandler::GPU_SM_BF, _) => NicHandler::GPU_SM_BF,
        (NicHandler::CPU_PROXY_FREE_FLOW, _) => {
            return Err(Error::NotSupported(
                "nic handler CPU_PROXY_FREE_FLOW is not in this version: use CPU_PROXY".to_owned(),
            ));
        }
        (other, _) => {
            return Err(Error::invalid(
                "nic handler",
                other.0,
                "use AUTO, CPU_PROXY or a GPU_SM_*",
            ));
        }
    };
    // SAFETY: callers pass the register of a live UAR page that they hold.
    match unsafe { gpu.map_register(register, memory) } {
        Ok(_) => {
            // SAFETY: mapped just now, and nothing has learned of it.
            unsafe { gpu.unmap_register(register)? };
            Ok(from_gpu)
        }
        Err(error) if asked == NicHandler::AUTO => {
            log::warn!("{error}: the CPU rings doorbells for {}", gpu.platform.name());
            Ok(NicHandler::CPU_PROXY)
        }
        Err(error) => Err(error),
    }
}
