//! Live handles and the running NIC.

use core::sync::atomic::{AtomicU32, Ordering};
use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use gpunetio_prm::command::Status;
use gpunetio_prm::id::{Cqn, Mkey, Pdn, Qpn, Rmpn, UarPage, UmemId};

use super::host::DeviceHandle;
use crate::command::{self, resource};
use crate::device::{Config, Fabric};
use crate::nic::{Link, Nic, Stopped};
use crate::syndrome::{self, Refusal};

/// An object that a client holds a pointer to, or a part of one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Object {
    /// `ibv_pd`.
    Pd(Pdn),
    /// `ibv_mr`.
    Mr(Mkey),
    /// `mlx5dv_devx_umem`.
    Umem(UmemId),
    /// `mlx5dv_devx_uar`.
    Uar(UarPage),
    /// `mlx5dv_devx_obj` of a CQ.
    Cq(Cqn),
    /// `mlx5dv_devx_obj` of a QP.
    Qp(Qpn),
    /// `mlx5dv_devx_obj` of an RMP.
    Rmp(Rmpn),
    /// `ibv_ah`, with its PD.
    Ah(Pdn),
}

impl Object {
    /// Order in which a context's objects are destroyed: users before what they use.
    fn teardown_rank(self) -> u8 {
        match self {
            Self::Qp(_) => 0,
            Self::Rmp(_) => 1,
            Self::Cq(_) => 2,
            Self::Ah(_) | Self::Mr(_) => 3,
            Self::Umem(_) | Self::Uar(_) => 4,
            Self::Pd(_) => 5,
        }
    }

    /// Destroys the device's side of it.
    pub(super) fn destroy(self, fabric: &mut Fabric, index: usize) -> Result<(), Refusal> {
        match self {
            Self::Qp(qpn) => return command::qp::destroy(fabric, index, qpn),
            Self::Cq(cqn) => return command::cq::destroy(fabric, index, cqn),
            _ => {}
        }
        let gone = syndrome::DEVICE_GONE.because("device", index as u64);
        let device = fabric.devices.get_mut(index).ok_or(gone)?;
        match self {
            Self::Pd(pdn) => resource::dealloc_pd(device, pdn),
            Self::Mr(key) => resource::deregister(device, key),
            Self::Umem(id) => resource::deregister_umem(device, id),
            Self::Uar(page) => resource::dealloc_uar(device, page),
            Self::Rmp(rmpn) => command::rmp::destroy(device, rmpn),
            Self::Ah(pdn) => {
                resource::unuse_pd(device, pdn);
                Ok(())
            }
            Self::Qp(_) | Self::Cq(_) => Ok(()),
        }
    }
}

/// What a live handle stands for.
#[derive(Debug, Clone, Copy)]
pub(super) struct Handle {
    /// Address of the `ibv_context`.
    pub(super) context: usize,
    /// Device of the context.
    pub(super) device: usize,
    /// The object.
    pub(super) object: Object,
    /// Frees the memory behind the pointer.
    free: unsafe fn(usize),
}

/// Everything that the process has of the software NIC.
pub(super) struct Registry {
    config: Config,
    running: Option<Nic>,
    /// The fabric while no thread owns it.
    resting: Option<Fabric>,
    pub(super) devices: Vec<DeviceHandle>,
    removed: Vec<usize>,
    /// Open contexts by address, and their device.
    contexts: HashMap<usize, usize>,
    handles: HashMap<usize, Handle>,
    /// Pages that were freed under their queues, by context.
    freed_early: Vec<(usize, UarPage)>,
}

static REGISTRY: Mutex<Option<Registry>> = Mutex::new(None);

/// The process whose thread runs the NIC; 0 while there is none.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// This process is a child that was forked from the one that runs the NIC: a copy of its memory without its threads. Nobody
/// would answer a command here, and the lock may be held for ever by a thread that was not copied.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Forked;

impl From<Forked> for i32 {
    fn from(Forked: Forked) -> Self {
        libc::EIO
    }
}

impl From<Forked> for Stopped {
    fn from(Forked: Forked) -> Self {
        Self
    }
}

fn lock() -> Result<MutexGuard<'static, Option<Registry>>, Forked> {
    // Relaxed: it decides whether the lock may be taken, which then orders everything else. Within the owner it is 0 or its
    // own number; a child has what its parent had.
    let owner = OWNER.load(Ordering::Relaxed);
    if owner != 0 && owner != std::process::id() {
        return Err(Forked);
    }
    // A panic under the lock leaves nothing half-done that the next caller would trip over: the maps are whole.
    Ok(REGISTRY.lock().unwrap_or_else(PoisonError::into_inner))
}

impl Registry {
    /// Makes the fabric of `config`, unless a device of another is open.
    pub(super) fn configure(config: Config) {
        let Ok(mut guard) = lock() else {
            log::error!(
                "softnic: this process was forked from the one that opened the nic: fork before opening, or exec"
            );
            return;
        };
        if let Some(registry) = guard.as_mut() {
            let same = registry.config == config;
            if registry.running.is_some() && !same {
                log::warn!(
                    "softnic: a device is open: the fabric stays that of {:?}",
                    registry.config
                );
            }
            if registry.running.is_some() || same {
                return;
            }
        }
        let fabric = Fabric::new(&config);
        let devices = fabric.devices.iter().map(DeviceHandle::new).collect();
        // Device handles of an earlier fabric stay allocated, since clients may hold them, and are listed no more.
        *guard = Some(Self {
            config,
            running: None,
            resting: Some(fabric),
            devices,
            removed: Vec::new(),
            contexts: HashMap::new(),
            handles: HashMap::new(),
            freed_early: Vec::new(),
        });
    }

    /// Runs `action` under the lock.
    pub(super) fn with<R>(
        action: impl FnOnce(&mut Self) -> Result<R, Stopped>,
    ) -> Result<R, Stopped> {
        lock()?.as_mut().map_or(Err(Stopped), action)
    }

    /// Runs `action` under the lock; its error is an errno value, EINVAL where there is no fabric, EIO in a forked child.
    pub(super) fn locked<R>(action: impl FnOnce(&mut Self) -> Result<R, i32>) -> Result<R, i32> {
        lock()?.as_mut().map_or(Err(libc::EINVAL), action)
    }

    pub(super) fn link(&self) -> Result<&Link, Stopped> {
        self.running.as_ref().map(Nic::link).ok_or(Stopped)
    }

    pub(super) fn set_removed(&mut self, index: usize) -> Result<(), Stopped> {
        self.removed.push(index);
        Ok(())
    }

    pub(super) fn is_removed(&self, index: usize) -> bool {
        self.removed.contains(&index)
    }

    /// Runs `command` on the NIC's thread; EIO if that has ended.
    pub(super) fn call<R: Send + 'static>(
        &self,
        command: impl FnOnce(&mut Fabric) -> R + Send + 'static,
    ) -> Result<R, i32> {
        self.link().and_then(|link| link.call(command)).map_err(|_| libc::EIO)
    }

    /// As [`Self::call`], for what the device may refuse. The errno is the kernel's for the status.
    pub(super) fn request<R: Send + 'static>(
        &self,
        device: usize,
        what: &'static str,
        command: impl FnOnce(&mut Fabric) -> Result<R, Refusal> + Send + 'static,
    ) -> Result<R, i32> {
        self.call(command)?.map_err(|refusal| {
            log::debug!("softnic: mlx5_{device}: {what} refused: {refusal}");
            errno_of(refusal.reason.status)
        })
    }

    /// Device of an open context.
    pub(super) fn context<T>(&self, context: *mut T) -> Result<usize, i32> {
        self.contexts.get(&(context as usize)).copied().ok_or(libc::EINVAL)
    }

    /// Takes a new context in; the first one starts the thread.
    pub(super) fn add_context(&mut self, context: usize, device: usize) -> Result<(), i32> {
        if self.running.is_none() {
            let fabric = self.resting.take().unwrap_or_else(|| Fabric::new(&self.config));
            // Before the thread is there, so that no child is forked in between. Relaxed: see `lock`.
            OWNER.store(std::process::id(), Ordering::Relaxed);
            // A fabric that the system gave no thread to is lost with its numbers; all of it is made anew next time.
            let nic = Nic::start(fabric).map_err(|error| {
                OWNER.store(0, Ordering::Relaxed);
                log::error!("softnic: no thread for the nic: {error}");
                libc::EAGAIN
            })?;
            self.running = Some(nic);
        }
        self.contexts.insert(context, device);
        Ok(())
    }

    /// Destroys all that a context left and forgets it; the last one stops the thread.
    pub(super) fn remove_context(&mut self, context: usize) -> Result<(), i32> {
        let device = self.contexts.remove(&context).ok_or(libc::EINVAL)?;
        let mut left: Vec<(usize, Handle)> = Vec::new();
        self.handles.retain(|address, handle| {
            let keep = handle.context != context;
            if !keep {
                left.push((*address, *handle));
            }
            keep
        });
        if !left.is_empty() {
            log::debug!("softnic: mlx5_{device}: closed with {} live objects", left.len());
        }
        left.sort_by_key(|(_, handle)| handle.object.teardown_rank());
        let mut objects: Vec<Object> = left.iter().map(|(_, handle)| handle.object).collect();
        let early = self.freed_early.iter().filter(|(of, _)| *of == context);
        objects.extend(early.map(|(_, page)| Object::Uar(*page)));
        objects.sort_by_key(|object| object.teardown_rank());
        self.freed_early.retain(|(of, _)| *of != context);
        // A thread that has ended has no objects left to destroy.
        let _ = self.call(move |fabric| {
            for object in objects {
                if let Err(refusal) = object.destroy(fabric, device) {
                    // Objects of one context may be used by another's; they stay until the fabric ends.
                    log::warn!(
                        "softnic: mlx5_{device}: {object:?} outlives its context: {refusal}"
                    );
                }
            }
        });
        for (address, handle) in left {
            // SAFETY: the address was made by `add` with this function's type and is out of the table now.
            unsafe { (handle.free)(address) };
        }
        if self.contexts.is_empty()
            && let Some(nic) = self.running.take()
        {
            self.resting = nic.stop().ok().map(|mut fabric| {
                fabric.devices.iter_mut().for_each(|device| device.alive = true);
                fabric
            });
            self.removed.clear();
            // Relaxed: see `lock`.
            OWNER.store(0, Ordering::Relaxed);
        }
        Ok(())
    }

    /// Hands `value` to the client as a pointer that stands for `object`.
    pub(super) fn add<T, C>(
        &mut self,
        context: *mut C,
        device: usize,
        object: Object,
        value: T,
    ) -> *mut T {
        unsafe fn free<T>(address: usize) {
            // SAFETY: the caller passes an address that `Box::into_raw` gave for a `T`, once.
            drop(unsafe { Box::from_raw(address as *mut T) });
        }
        let pointer = Box::into_raw(Box::new(value));
        let handle = Handle { context: context as usize, device, object, free: free::<T> };
        self.handles.insert(pointer as usize, handle);
        pointer
    }

    /// What a client's pointer stands for.
    pub(super) fn find<T>(&self, pointer: *mut T) -> Result<Handle, i32> {
        self.handles.get(&(pointer as usize)).copied().ok_or(libc::EINVAL)
    }

    /// Destroys what `pointer` stands for, if it is of the wanted kind, and frees the memory behind it.
    pub(super) fn destroy<T>(
        &mut self,
        pointer: *mut T,
        what: &'static str,
        wanted: fn(Object) -> bool,
    ) -> Result<(), i32> {
        let handle = self.find(pointer)?;
        if !wanted(handle.object) {
            return Err(libc::EINVAL);
        }
        let Handle { device, object, .. } = handle;
        self.request(device, what, move |fabric| object.destroy(fabric, device))?;
        self.forget(pointer);
        Ok(())
    }

    /// Frees the memory behind a pointer.
    pub(super) fn forget<T>(&mut self, pointer: *mut T) {
        if let Some(handle) = self.handles.remove(&(pointer as usize)) {
            // SAFETY: the address was made by `add` with this function's type and is out of the table now.
            unsafe { (handle.free)(pointer as usize) };
        }
    }

    /// Remembers a page that was freed under its queues; it goes when its context does.
    pub(super) fn free_later(&mut self, context: usize, page: UarPage) {
        self.freed_early.push((context, page));
    }
}

/// The kernel's errno for a status.
fn errno_of(status: Status) -> i32 {
    match status {
        Status::OK => 0,
        Status::RES_BUSY => libc::EBUSY,
        Status::LIM_ERR => libc::ENOMEM,
        Status::NO_RES_ERR => libc::EAGAIN,
        Status::INT_ERR
        | Status::BAD_SYS_STATE_ERR
        | Status::BAD_INP_LEN_ERR
        | Status::BAD_OUTP_LEN_ERR => libc::EIO,
        _ => libc::EINVAL,
    }
}
