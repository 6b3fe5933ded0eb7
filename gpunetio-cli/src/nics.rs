//! The NICs that this command can reach: the system's, and the software one that is built in.

use gpunetio_core::{Environment, Nics};
use gpunetio_softnic::device::Config;
use gpunetio_softnic::provider;

/// Name of the software NIC's provider.
pub(crate) const SOFTWARE: &str = "softnic";

/// Chooses NICs as the environment says.
pub(crate) fn discover(environment: &Environment) -> gpunetio_core::Result<Nics> {
    let config = Config::from(environment);
    Nics::discover(environment.nic, Some(provider(config)))
}
