//! Errors of the control path.

use std::io;

use gpunetio_prm::command::{Opcode, Status};
use gpunetio_prm::layout::{Truncated, ValueTooWide};

use crate::qp_attr::QpState;

/// Result of the control path.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// What failed. Every message names the object and the value, and says what to do where that is not evident.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// An argument is outside of what the call accepts.
    #[error("{what} is {value}: {expected}")]
    InvalidValue {
        /// The argument.
        what: String,
        /// The value given.
        value: String,
        /// What is accepted.
        expected: String,
    },
    /// An environment variable holds a value that means nothing.
    #[error("environment variable {name} is \"{value}\": {expected}")]
    Environment {
        /// The variable.
        name: &'static str,
        /// Its value.
        value: String,
        /// What is accepted.
        expected: String,
    },
    /// The request is understood and cannot be served here.
    #[error("{0}")]
    NotSupported(String),
    /// Nothing has that name or address.
    #[error("{object} {name} not found: {hint}")]
    NotFound {
        /// Kind of the object.
        object: &'static str,
        /// The name looked for.
        name: String,
        /// Where to look, or what there is.
        hint: String,
    },
    /// An object still has children.
    #[error("{object} is in use by {users} other object(s): destroy those first")]
    InUse {
        /// The object.
        object: String,
        /// How many hold it.
        users: usize,
    },
    /// A handle was given to an object of another NIC, context or backend.
    #[error("{object} belongs to {owner}, not to {here}: use objects of one open device together")]
    Foreign {
        /// The handle given.
        object: String,
        /// Where it was made.
        owner: String,
        /// Where it was given.
        here: String,
    },
    /// A QP cannot go from its state to the one asked for, or lacks what that needs.
    #[error("qp {qpn:#x} cannot go from {from} to {to}: {reason}")]
    Transition {
        /// The QP.
        qpn: u32,
        /// Its state.
        from: QpState,
        /// The state asked for.
        to: QpState,
        /// Why.
        reason: String,
    },
    /// An object is not in a state that allows the call.
    #[error("{object} is in state {state}: {expected}")]
    BadState {
        /// The object.
        object: String,
        /// Its state.
        state: String,
        /// What would do.
        expected: String,
    },
    /// The device refused a command.
    #[error("command {opcode} was refused: status {status} ({:#x}), syndrome {syndrome:#010x}, errno {errno}", status.0)]
    Command {
        /// The command.
        opcode: Opcode,
        /// The device's status; `OK` if the command did not reach it.
        status: Status,
        /// The device's syndrome.
        syndrome: u32,
        /// What the provider reported.
        errno: i32,
        /// The same errno as an error.
        source: io::Error,
    },
    /// A library call failed.
    #[error("{call} of {object} failed: {source}")]
    Call {
        /// The function.
        call: &'static str,
        /// What it was called for.
        object: String,
        /// errno.
        source: io::Error,
    },
    /// A CUDA driver call failed.
    #[error("{call} of {object} failed: {name} ({code})")]
    Cuda {
        /// The function.
        call: &'static str,
        /// What it was called for.
        object: String,
        /// CUDA's name of the error.
        name: String,
        /// `CUresult`.
        code: u32,
    },
    /// Memory ran out.
    #[error("{size} bytes of {what} cannot be allocated: {reason}")]
    NoMemory {
        /// Bytes asked for.
        size: usize,
        /// Kind of memory.
        what: String,
        /// What the allocator said.
        reason: String,
    },
    /// A shared library is absent or incomplete.
    #[error("{library} cannot be used: {reason}")]
    Library {
        /// File name.
        library: &'static str,
        /// Why; every missing symbol by name.
        reason: String,
    },
    /// Code of another version meets this library.
    #[error(
        "{code} has version {version}, this library {library} accepts {minimum} to {library}: rebuild one of them"
    )]
    Version {
        /// Whose version it is.
        code: &'static str,
        /// The version given.
        version: String,
        /// This library's version.
        library: String,
        /// The oldest that is accepted.
        minimum: String,
    },
    /// The device answered something that it must not.
    #[error("{what} reports {value}, which is not valid")]
    Unexpected {
        /// What answered.
        what: String,
        /// What it said.
        value: String,
    },
    /// A value does not fit in a field of a command.
    #[error("a value does not fit in a command")]
    Field(#[from] ValueTooWide),
    /// A buffer is too short for a layout.
    #[error("a buffer is too short")]
    Truncated(#[from] Truncated),
}

/// Coarse class of an [`Error`], one for each code that the C ABI returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// A bad argument.
    InvalidValue,
    /// Understood and not available.
    NotSupported,
    /// No such object.
    NotFound,
    /// Children are alive.
    InUse,
    /// Not in this state.
    BadState,
    /// The device or its driver refused.
    Driver,
    /// The operating system refused.
    OperatingSystem,
    /// No permission.
    NotPermitted,
    /// No memory.
    NoMemory,
    /// A library or device could not be brought up.
    Initialization,
    /// Versions do not fit.
    UnsupportedVersion,
    /// The configuration is wrong.
    BadConfig,
    /// The device is gone.
    DeviceFatal,
    /// An answer that must not be.
    Unexpected,
}

impl Error {
    /// The class of the error.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::InvalidValue { .. } | Self::Foreign { .. } | Self::Transition { .. } => {
                ErrorKind::InvalidValue
            }
            Self::Field(_) | Self::Truncated(_) => ErrorKind::InvalidValue,
            Self::Environment { .. } => ErrorKind::BadConfig,
            Self::NotSupported(_) => ErrorKind::NotSupported,
            Self::NotFound { .. } => ErrorKind::NotFound,
            Self::InUse { .. } => ErrorKind::InUse,
            Self::BadState { .. } => ErrorKind::BadState,
            Self::Command { errno, .. } => match *errno {
                libc::EIO | libc::ENODEV => ErrorKind::DeviceFatal,
                _ => ErrorKind::Driver,
            },
            Self::Call { source, .. } => match source.raw_os_error() {
                Some(libc::EPERM | libc::EACCES) => ErrorKind::NotPermitted,
                Some(libc::ENOMEM) => ErrorKind::NoMemory,
                Some(libc::EOPNOTSUPP | libc::ENOSYS) => ErrorKind::NotSupported,
                Some(libc::EINVAL | libc::EFAULT) => ErrorKind::InvalidValue,
                Some(libc::EBUSY) => ErrorKind::InUse,
                Some(libc::EIO | libc::ENODEV) => ErrorKind::DeviceFatal,
                _ => ErrorKind::OperatingSystem,
            },
            Self::Cuda { .. } => ErrorKind::Driver,
            Self::NoMemory { .. } => ErrorKind::NoMemory,
            Self::Library { .. } => ErrorKind::Initialization,
            Self::Version { .. } => ErrorKind::UnsupportedVersion,
            Self::Unexpected { .. } => ErrorKind::Unexpected,
        }
    }

    pub(crate) fn invalid(
        what: impl Into<String>,
        value: impl ToString,
        expected: impl Into<String>,
    ) -> Self {
        let (what, value, expected) = (what.into(), value.to_string(), expected.into());
        Self::InvalidValue { what, value, expected }
    }

    /// The errno of a call that has just failed.
    pub(crate) fn last_os(call: &'static str, object: impl Into<String>) -> Self {
        Self::Call { call, object: object.into(), source: io::Error::last_os_error() }
    }

    /// A call that returned an errno value (or -1 and errno).
    pub(crate) fn code(call: &'static str, object: impl Into<String>, rc: i32) -> Self {
        let source = match rc {
            rc if rc < 0 => io::Error::last_os_error(),
            rc => io::Error::from_raw_os_error(rc),
        };
        Self::Call { call, object: object.into(), source }
    }
}

/// A destroy that was refused: the handle comes back with the reason.
#[derive(Debug, thiserror::Error)]
#[error("{error}")]
pub struct Refused<T> {
    /// The handle, as good as before.
    pub handle: T,
    /// Why it was not destroyed.
    #[source]
    pub error: Box<Error>,
}

impl<T> Refused<T> {
    pub(crate) fn new(handle: T, error: Error) -> Self {
        Self { handle, error: Box::new(error) }
    }
}

impl<T> From<Refused<T>> for Error {
    /// Drops the handle, which is then destroyed when its last child is.
    fn from(refused: Refused<T>) -> Self {
        *refused.error
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_refused_command_keeps_opcode_status_syndrome_and_errno() {
        let error = Error::Command {
            opcode: Opcode::CREATE_QP,
            status: Status::BAD_PARAM_ERR,
            syndrome: 0x1234,
            errno: libc::EREMOTEIO,
            source: io::Error::from_raw_os_error(libc::EREMOTEIO),
        };
        assert_eq!(
            error.to_string(),
            "command CREATE_QP was refused: status BAD_PARAM_ERR (0x3), syndrome 0x00001234, errno 121"
        );
        assert_eq!(error.kind(), ErrorKind::Driver);
    }
}
