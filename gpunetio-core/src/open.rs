//! The open backend: verbs objects by DEVX commands through the provider tables.
#![allow(unsafe_code)]

mod capability;
mod transition;

use core::ffi::c_void;
use std::ptr::NonNull;
use std::sync::{Arc, OnceLock};

use gpunetio_prm::command::{EndPadding, Opcode, RmpState, RqType};
use gpunetio_prm::doorbell::NO_DBR_DOORBELL_OFFSET;
use gpunetio_prm::id::{Cqn, Eqn, Qpn, Rmpn, UarPage, UmemId};
use gpunetio_prm::layout::View;
use gpunetio_prm::layout::cq::{CreateCqIn, CreateCqOut, cqc, create_cq_in, create_cq_out};
use gpunetio_prm::layout::qp::{CreateQpIn, CreateQpOut, create_qp_in, create_qp_out, qpc};
use gpunetio_prm::layout::rmp::{
    CreateRmpIn, CreateRmpOut, create_rmp_in, create_rmp_out, rmpc, wq,
};

use crate::backend::{
    Backend, BackendKind, CqSpec, ObjectKind, QpRef, QpReport, QpSpec, RawObject, ReceiveSpec,
    SrqSpec, UarPages, UmemSpec,
};
use crate::device_attr::DeviceAttributes;
use crate::devx::DevxObject;
use crate::error::{Error, Result};
use crate::nic::{NicInner, PdInner};
use crate::qp_attr::{AttrMask, QpAttr, QpState};
use crate::sys;
use crate::uar::UarKind;

/// Bytes of the pages that umem page lists are offered in.
const UMEM_PAGE_BYTES: u64 = 4096;

/// Verbs on one PD by DEVX.
#[derive(Debug)]
pub(crate) struct OpenBackend {
    pub(crate) pd: Arc<PdInner>,
    attributes: OnceLock<DeviceAttributes>,
}

impl OpenBackend {
    pub(crate) fn new(pd: Arc<PdInner>) -> Self {
        Self { pd, attributes: OnceLock::new() }
    }

    fn nic(&self) -> &NicInner {
        &self.pd.nic
    }

    fn attributes(&self) -> Result<&DeviceAttributes> {
        if let Some(attributes) = self.attributes.get() {
            return Ok(attributes);
        }
        let read = capability::read(self.nic())?;
        Ok(self.attributes.get_or_init(|| read))
    }

    fn eqn(&self) -> Result<Eqn> {
        let mut eqn = 0;
        // SAFETY: the context is open and `eqn` is writable.
        let rc = unsafe {
            (self.nic().provider.mlx5.devx_query_eqn)(self.nic().context.as_ptr(), 0, &mut eqn)
        };
        match rc {
            0 => Ok(Eqn(eqn)),
            rc => Err(Error::code("mlx5dv_devx_query_eqn", "completion vector 0", rc)),
        }
    }

    /// Borrows the DEVX object behind a token without giving up the token.
    fn devx(object: &RawObject) -> core::mem::ManuallyDrop<DevxObject> {
        // SAFETY: tokens of queues are made from DevxObject below; DevxObject has no destructor, so a second value that
        // only lives as long as the borrow changes nothing.
        core::mem::ManuallyDrop::new(unsafe { DevxObject::from_raw(object.as_ptr()) })
    }
}

fn token(kind: ObjectKind, object: DevxObject) -> RawObject {
    RawObject::new(kind, object.into_raw())
}

impl Backend for OpenBackend {
    fn kind(&self) -> BackendKind {
        BackendKind::Open
    }

    fn device_name(&self) -> &str {
        &self.pd.nic.name
    }

    fn context_identity(&self) -> usize {
        self.nic().context.as_ptr() as usize
    }

    fn device_attributes(&self) -> Result<DeviceAttributes> {
        self.attributes().cloned()
    }

    fn active_mtu(&self) -> Result<u32> {
        Ok(self.nic().port()?.active_mtu)
    }

    fn create_umem(&self, spec: &UmemSpec) -> Result<(RawObject, UmemId)> {
        let (nic, mlx5) = (self.nic(), &self.nic().provider.mlx5);
        let context = nic.context.as_ptr();
        let (umem, call) = match (mlx5.devx_umem_reg_ex, spec.dmabuf) {
            // Plain registration is for host memory that we own: the provider pins it page by page.
            (_, None) if spec.private => {
                // SAFETY: the range is owned by the caller's memory object, which the umem keeps alive.
                let umem = unsafe {
                    (mlx5.devx_umem_reg)(
                        context,
                        spec.address as *mut c_void,
                        spec.size,
                        spec.access,
                    )
                };
                (umem, "mlx5dv_devx_umem_reg")
            }
            (Some(reg_ex), dmabuf) => {
                let mut input = sys::mlx5dv_devx_umem_in {
                    addr: dmabuf.map_or(spec.address, |(_, offset)| offset as usize) as *mut c_void,
                    size: spec.size,
                    access: spec.access,
                    pgsz_bitmap: UMEM_PAGE_BYTES,
                    comp_mask: if dmabuf.is_some() { sys::MLX5DV_UMEM_MASK_DMABUF } else { 0 },
                    dmabuf_fd: dmabuf.map_or(0, |(fd, _)| fd),
                };
                // SAFETY: as above; `input` is valid for the call.
                (unsafe { reg_ex(context, &mut input) }, "mlx5dv_devx_umem_reg_ex")
            }
            (None, None) => {
                // SAFETY: as above.
                let umem = unsafe {
                    (mlx5.devx_umem_reg)(
                        context,
                        spec.address as *mut c_void,
                        spec.size,
                        spec.access,
                    )
                };
                (umem, "mlx5dv_devx_umem_reg")
            }
            (None, Some(_)) => {
                return Err(Error::NotSupported(format!(
                    "{} cannot register a dma-buf: its libmlx5 has no mlx5dv_devx_umem_reg_ex",
                    nic.provider.name
                )));
            }
        };
        let Some(umem) = NonNull::new(umem) else {
            let object = format!("{} bytes at {:#x}", spec.size, spec.address);
            return Err(Error::last_os(call, object));
        };
        // SAFETY: libmlx5 returned a live umem.
        let id = UmemId(unsafe { umem.as_ref() }.umem_id);
        Ok((RawObject::new(ObjectKind::Umem, umem.cast()), id))
    }

    fn create_uar(&self, kind: UarKind) -> Result<(RawObject, UarPages)> {
        let flags = match kind {
            UarKind::BlueFlame => sys::MLX5_IB_UAPI_UAR_ALLOC_TYPE_BF,
            UarKind::NonCache => sys::MLX5_IB_UAPI_UAR_ALLOC_TYPE_NC,
            UarKind::NonCacheDedicated => sys::MLX5DV_UAR_ALLOC_TYPE_NC_DEDICATED,
        };
        let nic = self.nic();
        // SAFETY: the context is open.
        let uar = unsafe { (nic.provider.mlx5.devx_alloc_uar)(nic.context.as_ptr(), flags) };
        let Some(uar) = NonNull::new(uar) else {
            return Err(Error::last_os("mlx5dv_devx_alloc_uar", format!("{kind:?}")));
        };
        // SAFETY: libmlx5 returned a live UAR.
        let view = unsafe { uar.as_ref() };
        let pages = UarPages {
            page: UarPage(view.page_id),
            base: view.base_addr.cast(),
            register: view.reg_addr.cast(),
        };
        Ok((RawObject::new(ObjectKind::Uar, uar.cast()), pages))
    }

    fn create_cq(&self, spec: &CqSpec) -> Result<(RawObject, Cqn)> {
        let mut cmd = View::<CreateCqIn, Vec<u8>>::zeroed();
        cmd.set(create_cq_in::OPCODE, Opcode::CREATE_CQ)?;
        cmd.set(create_cq_in::CQ_UMEM_VALID, true)?;
        cmd.set(create_cq_in::CQ_UMEM_ID, spec.entries.0)?;
        cmd.set(create_cq_in::CQ_UMEM_OFFSET, spec.entries.1)?;
        let eqn = self.eqn()?;
        let mut ctx = cmd.sub_mut(create_cq_in::CQ_CONTEXT);
        ctx.set(cqc::CC, spec.collapsed)?;
        ctx.set(cqc::OI, spec.overrun_ignore)?;
        ctx.set(cqc::ST, spec.armed)?;
        ctx.set(cqc::LOG_CQ_SIZE, spec.log_size)?;
        ctx.set(cqc::UAR_PAGE, spec.uar)?;
        ctx.set(cqc::C_EQN, eqn)?;
        ctx.set(cqc::DBR_UMEM_VALID, true)?;
        ctx.set(cqc::DBR_UMEM_ID, spec.dbr_umem.unwrap_or(spec.entries.0))?;
        ctx.set(cqc::DBR_ADDR, spec.dbr_offset)?;
        let (object, out) = self.nic().devx_create::<CreateCqOut>(cmd.as_bytes())?;
        let cqn = Cqn(out.get(create_cq_out::CQN) as u32);
        Ok((token(ObjectKind::Cq, object), cqn))
    }

    fn create_qp(&self, spec: &QpSpec) -> Result<(RawObject, Qpn)> {
        let mut cmd = View::<CreateQpIn, Vec<u8>>::zeroed();
        cmd.set(create_qp_in::OPCODE, Opcode::CREATE_QP)?;
        cmd.set(create_qp_in::WQ_UMEM_VALID, true)?;
        cmd.set(create_qp_in::WQ_UMEM_ID, spec.queue.0)?;
        cmd.set(create_qp_in::WQ_UMEM_OFFSET, spec.queue.1)?;
        let core_direct = spec.core_direct_master && self.attributes()?.core_direct;
        let mut ctx = cmd.sub_mut(create_qp_in::QPC);
        ctx.set(qpc::ST, spec.service)?;
        ctx.set(qpc::PD, self.pd.pdn)?;
        ctx.set(qpc::UAR_PAGE, spec.uar)?;
        ctx.set(qpc::USER_INDEX, spec.user_index)?;
        ctx.set(qpc::SEND_DBR_MODE, spec.send_dbr_mode)?;
        ctx.set(qpc::CQN_SND, spec.send_cq.unwrap_or_default())?;
        ctx.set(qpc::CQN_RCV, spec.receive_cq.unwrap_or_default())?;
        match spec.log_sq_size {
            Some(log_size) => ctx.set(qpc::LOG_SQ_SIZE, log_size)?,
            None => ctx.set(qpc::NO_SQ, true)?,
        }
        match spec.receive {
            ReceiveSpec::None => ctx.set(qpc::RQ_TYPE, RqType::ZERO_SIZE)?,
            ReceiveSpec::Queue { log_size, log_stride } => {
                ctx.set(qpc::RQ_TYPE, RqType::REGULAR)?;
                ctx.set(qpc::LOG_RQ_SIZE, log_size)?;
                ctx.set(qpc::LOG_RQ_STRIDE, log_stride)?;
            }
            ReceiveSpec::Shared(rmpn) => {
                ctx.set(qpc::RQ_TYPE, RqType::SRQ_RMP_XRC_SRQ_XRQ)?;
                ctx.set(qpc::SRQN_RMPN_XRQN, rmpn)?;
            }
        }
        ctx.set(qpc::CD_MASTER, core_direct)?;
        ctx.set(qpc::DBR_UMEM_VALID, true)?;
        ctx.set(qpc::DBR_UMEM_ID, spec.dbr.0)?;
        ctx.set(qpc::DBR_ADDR, spec.dbr.1)?;
        let (object, out) = self.nic().devx_create::<CreateQpOut>(cmd.as_bytes())?;
        let qpn = Qpn(out.get(create_qp_out::QPN) as u32);
        Ok((token(ObjectKind::Qp, object), qpn))
    }

    fn create_srq(&self, spec: &SrqSpec) -> Result<(RawObject, Rmpn)> {
        let mut cmd = View::<CreateRmpIn, Vec<u8>>::zeroed();
        cmd.set(create_rmp_in::OPCODE, Opcode::CREATE_RMP)?;
        let mut ctx = cmd.sub_mut(create_rmp_in::CTX);
        ctx.set(rmpc::STATE, RmpState::RDY)?;
        let cyclic = spec.wq_type == gpunetio_prm::command::WqType::CYCLIC;
        ctx.set(rmpc::BASIC_CYCLIC_RCV_WQE, cyclic)?;
        let mut queue = ctx.sub_mut(rmpc::WQ);
        queue.set(wq::WQ_TYPE, spec.wq_type)?;
        queue.set(wq::END_PADDING_MODE, EndPadding::ALIGN)?;
        queue.set(wq::PD, self.pd.pdn)?;
        queue.set(wq::LOG_WQ_SZ, spec.log_size)?;
        queue.set(wq::LOG_WQ_STRIDE, spec.log_stride)?;
        queue.set(wq::WQ_UMEM_VALID, true)?;
        queue.set(wq::WQ_UMEM_ID, spec.queue.0)?;
        queue.set(wq::WQ_UMEM_OFFSET, spec.queue.1)?;
        queue.set(wq::DBR_UMEM_VALID, true)?;
        queue.set(wq::DBR_UMEM_ID, spec.queue.0)?;
        queue.set(wq::DBR_ADDR, spec.dbr_offset)?;
        let (object, out) = self.nic().devx_create::<CreateRmpOut>(cmd.as_bytes())?;
        let rmpn = Rmpn(out.get(create_rmp_out::RMPN) as u32);
        Ok((token(ObjectKind::Srq, object), rmpn))
    }

    fn modify_qp(&self, qp: &QpRef<'_>, to: QpState, attr: &QpAttr, mask: AttrMask) -> Result<()> {
        let command = transition::command(self, qp, to, attr, mask)?;
        self.nic().devx_modify(&Self::devx(qp.raw), &command)
    }

    fn query_qp(&self, qp: &QpRef<'_>) -> Result<QpReport> {
        transition::query(self, qp)
    }

    fn create_comp_channel(&self) -> Result<(RawObject, i32)> {
        let nic = self.nic();
        let Some(create) = nic.provider.mlx5.devx_create_event_channel else {
            return Err(Error::NotSupported(format!(
                "{} has no DEVX event channels",
                nic.provider.name
            )));
        };
        // SAFETY: the context is open; flag 0 asks for a channel without event data.
        match NonNull::new(unsafe { create(nic.context.as_ptr(), 0) }) {
            Some(channel) => {
                // SAFETY: libmlx5 returned a live channel.
                let fd = unsafe { channel.as_ref() }.fd;
                Ok((RawObject::new(ObjectKind::CompChannel, channel.cast()), fd))
            }
            None => Err(Error::last_os("mlx5dv_devx_create_event_channel", &nic.name)),
        }
    }

    fn subscribe_cq(&self, channel: &RawObject, cq: &RawObject, cookie: u64) -> Result<()> {
        let nic = self.nic();
        let Some(subscribe) = nic.provider.mlx5.devx_subscribe_devx_event else {
            return Err(Error::NotSupported("this libmlx5 cannot subscribe to events".to_owned()));
        };
        // Event 0 is a completion of the CQ.
        let mut events = [0u16];
        // SAFETY: channel and CQ are alive and of this provider; `events` has the size given.
        let rc = unsafe {
            subscribe(
                channel.as_ptr().cast().as_ptr(),
                cq.as_ptr().cast().as_ptr(),
                size_of_val(&events) as u16,
                events.as_mut_ptr(),
                cookie,
            )
        };
        match rc {
            0 => Ok(()),
            rc => Err(Error::code("mlx5dv_devx_subscribe_devx_event", &nic.name, rc)),
        }
    }

    fn next_event(&self, channel: &RawObject) -> Result<Option<u64>> {
        let Some(get) = self.nic().provider.mlx5.devx_get_event else {
            return Err(Error::NotSupported("this libmlx5 cannot read events".to_owned()));
        };
        let mut header = sys::mlx5dv_devx_async_event_hdr::default();
        // SAFETY: the channel is alive and `header` has the size given.
        let got =
            unsafe { get(channel.as_ptr().cast().as_ptr(), &mut header, size_of_val(&header)) };
        if got >= size_of_val(&header) as isize {
            return Ok(Some(header.cookie));
        }
        let error = std::io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::EAGAIN) => Ok(None),
            _ => Err(Error::Call {
                call: "mlx5dv_devx_get_event",
                object: self.nic().name.clone(),
                reason: error,
            }),
        }
    }

    fn destroy(&self, object: RawObject) -> Result<(), (RawObject, Error)> {
        let mlx5 = &self.nic().provider.mlx5;
        let (kind, ptr) = (object.kind(), object.as_ptr());
        match kind {
            ObjectKind::Umem => {
                // SAFETY: the token was made by create_umem and is given up here.
                match unsafe { (mlx5.devx_umem_dereg)(ptr.cast().as_ptr()) } {
                    0 => Ok(()),
                    rc => Err((object, Error::code("mlx5dv_devx_umem_dereg", "umem", rc))),
                }
            }
            ObjectKind::Uar => {
                // SAFETY: the token was made by create_uar and is given up here.
                unsafe { (mlx5.devx_free_uar)(ptr.cast().as_ptr()) };
                Ok(())
            }
            ObjectKind::CompChannel => match mlx5.devx_destroy_event_channel {
                Some(destroy) => {
                    // SAFETY: the token was made by create_comp_channel and is given up here.
                    unsafe { destroy(ptr.cast().as_ptr()) };
                    Ok(())
                }
                None => Err((
                    object,
                    Error::NotSupported("this libmlx5 cannot destroy channels".to_owned()),
                )),
            },
            ObjectKind::Cq | ObjectKind::Qp | ObjectKind::Srq => {
                // SAFETY: tokens of queues are made by `token` and this one is given up here.
                let devx = unsafe { DevxObject::from_raw(ptr) };
                self.nic()
                    .devx_destroy(devx, &format!("{kind:?}"))
                    .map_err(|(devx, error)| (token(kind, devx), error))
            }
        }
    }
}

/// Address of the register that a queue without a doorbell record is rung at.
pub(crate) fn no_dbr_register(base: *mut u8) -> *mut u64 {
    base.wrapping_add(NO_DBR_DOORBELL_OFFSET).cast()
}
