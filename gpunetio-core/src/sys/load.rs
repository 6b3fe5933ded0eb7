//! Fills the provider tables from the system's libraries.
#![allow(unsafe_code)]

use libloading::Library;

use super::{Mlx5Table, Properties, Provider, ProviderTables, UarMemory, VerbsTable};
use crate::error::{Error, Result};

/// Names under which a library is looked for, in order.
const VERBS: &[&str] = &["libibverbs.so.1", "libibverbs.so"];
const MLX5: &[&str] = &["libmlx5.so.1", "libmlx5.so"];

struct Loader {
    library: Library,
    missing: Vec<&'static str>,
}

impl Loader {
    fn open(names: &'static [&'static str]) -> Result<Self> {
        let mut reason = String::new();
        for name in names {
            // SAFETY: initialisers of the verbs libraries are safe to run (they are ordinary system libraries).
            match unsafe { Library::new(*name) } {
                Ok(library) => return Ok(Self { library, missing: Vec::new() }),
                Err(error) if reason.is_empty() => reason = error.to_string(),
                Err(_) => {}
            }
        }
        Err(Error::Library { library: names[0], reason })
    }

    /// # Safety
    /// `T` is the function pointer type of the symbol.
    unsafe fn optional<T: Copy>(&self, name: &'static str) -> Option<T> {
        // SAFETY: the caller names the symbol's type.
        unsafe { self.library.get::<T>(name.as_bytes()) }.ok().map(|symbol| *symbol)
    }

    /// # Safety
    /// As [`Loader::optional`]. A missing symbol is remembered.
    unsafe fn required<T: Copy>(&mut self, name: &'static str) -> Option<T> {
        // SAFETY: as the caller guarantees.
        let symbol = unsafe { self.optional(name) };
        if symbol.is_none() {
            self.missing.push(name);
        }
        symbol
    }

    /// Keeps the library loaded for the life of the process: its functions are copied into tables, and verbs providers
    /// register handlers that must not be unmapped.
    fn finish<T>(self, name: &'static str, table: Option<T>) -> Result<T> {
        match table {
            Some(table) => {
                core::mem::forget(self.library);
                Ok(table)
            }
            None => Err(Error::Library {
                library: name,
                reason: format!("it lacks {}", self.missing.join(", ")),
            }),
        }
    }
}

/// Fills a table: every `required` symbol is looked up before the first one missing ends it, so that all are named.
macro_rules! table {
    ($loader:ident, $table:ident { $($field:ident = $name:literal),* $(,)? } optional { $($ofield:ident = $oname:literal),* $(,)? }) => {{
        // SAFETY: each field's type is the symbol's C prototype; a test compares them with the public headers.
        unsafe {
            $(let $field = $loader.required($name);)*
            $(let $ofield = $loader.optional($oname);)*
            (|| Some($table { $($field: $field?,)* $($ofield,)* }))()
        }
    }};
}

fn verbs() -> Result<VerbsTable> {
    let mut loader = Loader::open(VERBS)?;
    let table = table!(loader, VerbsTable {
        get_device_list = "ibv_get_device_list",
        free_device_list = "ibv_free_device_list",
        get_device_name = "ibv_get_device_name",
        open_device = "ibv_open_device",
        close_device = "ibv_close_device",
        alloc_pd = "ibv_alloc_pd",
        dealloc_pd = "ibv_dealloc_pd",
        reg_mr = "ibv_reg_mr",
        dereg_mr = "ibv_dereg_mr",
        query_device = "ibv_query_device",
        query_port = "ibv_query_port",
        query_gid = "ibv_query_gid",
        create_ah = "ibv_create_ah",
        destroy_ah = "ibv_destroy_ah",
    } optional {
        reg_mr_iova2 = "ibv_reg_mr_iova2",
        reg_dmabuf_mr = "ibv_reg_dmabuf_mr",
    });
    loader.finish(VERBS[0], table)
}

fn mlx5() -> Result<Mlx5Table> {
    let mut loader = Loader::open(MLX5)?;
    let table = table!(loader, Mlx5Table {
        init_obj = "mlx5dv_init_obj",
        devx_obj_create = "mlx5dv_devx_obj_create",
        devx_obj_query = "mlx5dv_devx_obj_query",
        devx_obj_modify = "mlx5dv_devx_obj_modify",
        devx_obj_destroy = "mlx5dv_devx_obj_destroy",
        devx_general_cmd = "mlx5dv_devx_general_cmd",
        devx_query_eqn = "mlx5dv_devx_query_eqn",
        devx_umem_reg = "mlx5dv_devx_umem_reg",
        devx_umem_dereg = "mlx5dv_devx_umem_dereg",
        devx_alloc_uar = "mlx5dv_devx_alloc_uar",
        devx_free_uar = "mlx5dv_devx_free_uar",
    } optional {
        is_supported = "mlx5dv_is_supported",
        open_device = "mlx5dv_open_device",
        devx_umem_reg_ex = "mlx5dv_devx_umem_reg_ex",
        devx_create_event_channel = "mlx5dv_devx_create_event_channel",
        devx_destroy_event_channel = "mlx5dv_devx_destroy_event_channel",
        devx_subscribe_devx_event = "mlx5dv_devx_subscribe_devx_event",
        devx_get_event = "mlx5dv_devx_get_event",
    });
    loader.finish(MLX5[0], table)
}

/// The system's libibverbs and libmlx5, all or nothing: [`Error::Library`] names every missing symbol.
pub fn load_hardware() -> Result<Provider> {
    let tables = ProviderTables {
        name: "libibverbs",
        verbs: verbs()?,
        mlx5: mlx5()?,
        properties: Properties { uar_memory: UarMemory::Mmio, queues_on_gpu: true },
    };
    // SAFETY: the functions are the libraries' own, which stay loaded; a test compares our declarations with their headers.
    Ok(unsafe { Provider::new(tables) })
}
