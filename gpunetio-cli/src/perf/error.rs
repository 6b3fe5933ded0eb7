//! What can go wrong in a run.

use std::time::Duration;

use gpunetio_core::QpErrorInfo;
use gpunetio_device::executor::LaunchError;
use gpunetio_prm::id::Qpn;

/// Why a run failed.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum PerfError {
    /// An option that cannot be used, or not together with another.
    #[error("{option} {value}: {reason}")]
    Option {
        /// Option as typed.
        option: &'static str,
        /// Its value.
        value: String,
        /// What would be right.
        reason: String,
    },
    /// The library refused.
    #[error(transparent)]
    Core(#[from] gpunetio_core::Error),
    /// The kernel could not be run.
    #[error("the kernel failed")]
    Launch(#[from] LaunchError),
    /// The kernel did not end.
    #[error("the kernel for {size} bytes did not end within {limit:?}; the process is abandoned")]
    Hung {
        /// Message size.
        size: u64,
        /// How long it was waited for.
        limit: Duration,
    },
    /// An operation completed in error.
    #[error(
        "qp {qpn}: completion error {} ({:#04x}), vendor syndrome {:#04x}{text}; WQE {}, at {size} bytes",
        info.syndrome, info.syndrome.0, info.vendor_err_synd, info.wqe_counter
    )]
    Completion {
        /// Queue pair.
        qpn: Qpn,
        /// Message size.
        size: u64,
        /// The first error.
        info: QpErrorInfo,
        /// What the vendor syndrome means, after a colon, where that is known.
        text: String,
    },
    /// Target memory is not what was sent.
    #[error("verification failed at {size} bytes: the target memory is not what was sent")]
    Mismatch {
        /// Message size.
        size: u64,
    },
    /// Writing the results failed.
    #[error("cannot write the results")]
    Output(#[from] std::io::Error),
}

impl PerfError {
    pub(crate) fn is_broken_pipe(&self) -> bool {
        matches!(self, Self::Output(error) if error.kind() == std::io::ErrorKind::BrokenPipe)
    }

    /// The message and those of its causes.
    pub(crate) fn with_causes(&self) -> String {
        let mut text = self.to_string();
        let mut cause = std::error::Error::source(self);
        while let Some(error) = cause {
            text.push_str(": ");
            text.push_str(&error.to_string());
            cause = error.source();
        }
        text
    }
}
