//! `gpunetio devices`: what there is, what would be used and why.

use std::io::Write;

use gpunetio_core::backend::Route;
use gpunetio_core::{Environment, Gpu};

use crate::perf::PerfError;

/// Lists GPUs and NICs.
pub(crate) fn run(environment: &Environment) -> Result<(), PerfError> {
    let mut out = std::io::stdout().lock();
    writeln!(out, "GPU  cpu: {}", Gpu::open("cpu")?.name())?;
    for ordinal in 0.. {
        match Gpu::open(&ordinal.to_string()) {
            Ok(gpu) => writeln!(out, "GPU  {ordinal}: {}", gpu.name())?,
            Err(error) if ordinal == 0 => {
                writeln!(out, "GPU  CUDA: {error}")?;
                break;
            }
            Err(_) => break,
        }
    }
    let nics = crate::nics::discover(environment)?;
    writeln!(out, "NICs come from {}: {}", nics.provider_name(), nics.why())?;
    for nic in nics.list()? {
        let opened = nics.open(&nic.name)?;
        let (port, (index, gid)) = (opened.port()?, opened.roce_v2_gid()?);
        let state = if port.active { "active" } else { "down" };
        let (link, mtu) = (port.link_layer, port.active_mtu);
        writeln!(out, "NIC  {}: {link:?}, {state}, MTU {mtu}, GID {index} {gid}", nic.name)?;
    }
    let route = Route::get()?;
    writeln!(out, "route: verbs {:?}, {}", route.verbs, route.why)?;
    Ok(())
}
