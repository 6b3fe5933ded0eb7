//! The tables of libibverbs and libmlx5 functions, filled by the software NIC.
//!
//! libibverbs has no handle before `get_device_list`, so the fabric is one per process. Its thread starts when the first
//! device is opened and ends when the last context is closed; numbers of objects go on, so that none comes back soon.
//!
//! Every pointer that a client hands in is looked up in a table of live handles before it is used: a NULL, foreign or
//! destroyed handle gets EINVAL. Errors are those of the kernel: functions that return `int` give an errno value, those that
//! return a pointer give NULL and set errno, and a DEVX command that the device refused gives EREMOTEIO with status and
//! syndrome in its output. After a `fork` the devices belong to the parent alone, as its thread does: in the child everything
//! fails with EIO, at once. A process that forks before it opens a device has its own.
#![allow(unsafe_code)]

mod address;
mod devx;
mod host;
mod memory;
mod registry;

use core::time::Duration;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use gpunetio_core::sys::{Mlx5Table, Properties, Provider, ProviderTables, UarMemory, VerbsTable};

use crate::device::{Config, Fabric};
use crate::diagnostic::Finding;
use crate::engine;
use crate::nic::{Activity, Link, Stopped};
use registry::Registry;

/// The software NIC as a provider.
///
/// `config` makes the process's fabric. Where a device is open already, the fabric stays what it is, which a warning says
/// if `config` differs.
pub fn provider(config: Config) -> Provider {
    Registry::configure(config);
    let tables = ProviderTables {
        name: "softnic",
        verbs: VerbsTable {
            get_device_list: host::get_device_list,
            free_device_list: host::free_device_list,
            get_device_name: host::get_device_name,
            open_device: host::open_device,
            close_device: host::close_device,
            alloc_pd: memory::alloc_pd,
            dealloc_pd: memory::dealloc_pd,
            reg_mr: memory::reg_mr,
            reg_mr_iova2: Some(memory::reg_mr_iova2),
            reg_dmabuf_mr: Some(memory::reg_dmabuf_mr),
            dereg_mr: memory::dereg_mr,
            query_device: host::query_device,
            query_port: host::query_port,
            query_gid: host::query_gid,
            create_ah: address::create_ah,
            destroy_ah: address::destroy_ah,
        },
        mlx5: Mlx5Table {
            is_supported: Some(host::is_supported),
            open_device: Some(host::mlx5dv_open_device),
            init_obj: address::init_obj,
            devx_obj_create: devx::obj_create,
            devx_obj_query: devx::obj_query,
            devx_obj_modify: devx::obj_modify,
            devx_obj_destroy: devx::obj_destroy,
            devx_general_cmd: devx::general_cmd,
            devx_query_eqn: devx::query_eqn,
            devx_umem_reg: memory::umem_reg,
            devx_umem_reg_ex: Some(memory::umem_reg_ex),
            devx_umem_dereg: memory::umem_dereg,
            devx_alloc_uar: memory::alloc_uar,
            devx_free_uar: memory::free_uar,
            // There are no completion events yet; NULL says so before a client builds on them.
            devx_create_event_channel: None,
            devx_destroy_event_channel: None,
            devx_subscribe_devx_event: None,
            devx_get_event: None,
        },
        properties: Properties { uar_memory: UarMemory::Host, queues_on_gpu: false },
    };
    // SAFETY: the functions behave as libibverbs and libmlx5 document theirs, and check every pointer against their handles;
    // doorbell pages are host memory, and queues must be too.
    unsafe { Provider::new(tables) }
}

/// The hidden side of the process's software NIC: what tests and diagnosis see of it, past the verbs.
pub fn control() -> Control {
    Control(())
}

/// See [`control`]. All but [`Control::activity`] are carried out by the NIC's thread, and fail with [`Stopped`] while no
/// device is open.
#[derive(Debug, Clone, Copy)]
pub struct Control(());

impl Control {
    /// Takes device `index` away, as if it were pulled out: its QPs go to error and flush what was posted, commands fail with
    /// EIO but for destruction, later doorbells flush, and the device is no longer listed. It stays gone until the last
    /// context is closed. A device that does not exist changes nothing.
    pub fn remove_device(self, index: usize) -> Result<(), Stopped> {
        let removed = Self::change_fabric(move |fabric| {
            let Some(device) = fabric.devices.get_mut(index) else { return false };
            device.alive = false;
            let qps: Vec<_> = device.qps.iter().map(|(_, qp)| qp.qpn).collect();
            for qpn in qps {
                engine::to_error(fabric, index, qpn);
            }
            true
        })?;
        if removed { Registry::with(|registry| registry.set_removed(index)) } else { Ok(()) }
    }

    /// What strict mode found on device `index` so far.
    pub fn findings(self, index: usize) -> Result<Vec<Finding>, Stopped> {
        self.with_fabric(move |fabric| {
            let device = fabric.devices.get(index);
            device.map_or_else(Vec::new, |device| device.diagnostics.seen().to_vec())
        })
    }

    /// What the thread does now; `None` while no device is open.
    pub fn activity(self) -> Option<Activity> {
        Registry::with(|registry| registry.link().map(Link::activity)).ok()
    }

    /// Processor time that the thread has used since it started. Asking wakes it.
    pub fn processor_time(self) -> Result<Duration, Stopped> {
        self.with_fabric(|_| thread_time())
    }

    /// Runs `inspect` on the NIC's thread, between its work. It may look at everything and change nothing: what objects say
    /// of client memory is what keeps the NIC inside it. It must not call the provider or [`control`]: they wait for that
    /// thread. If it panics, the panic goes on in the caller and leaves the NIC as it is.
    pub fn with_fabric<R: Send + 'static>(
        self,
        inspect: impl FnOnce(&Fabric) -> R + Send + 'static,
    ) -> Result<R, Stopped> {
        // Unwind safe: `inspect` changes nothing of the fabric, and what it owns is gone with it.
        Self::change_fabric(|fabric| catch_unwind(AssertUnwindSafe(|| inspect(fabric))))
            .map(|inspected| inspected.unwrap_or_else(|panic| resume_unwind(panic)))
    }

    fn change_fabric<R: Send + 'static>(
        change: impl FnOnce(&mut Fabric) -> R + Send + 'static,
    ) -> Result<R, Stopped> {
        // The lock is not held during the call, which may take its time.
        let link = Registry::with(|registry| registry.link().cloned())?;
        link.call(change)
    }
}

/// User and system time of this thread.
fn thread_time() -> Duration {
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: a valid place for the answer.
    if unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) } != 0 {
        return Duration::ZERO;
    }
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec.unsigned_abs() as u32)
}

/// Sets errno, for functions that return a pointer or -1.
fn set_errno(errno: i32) {
    // SAFETY: the C library gives every thread a valid place for its errno.
    unsafe { *libc::__errno_location() = errno };
}

/// NULL with errno set.
fn null<T>(errno: i32) -> *mut T {
    set_errno(errno);
    core::ptr::null_mut()
}
