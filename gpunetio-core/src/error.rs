//! Errors of the control path.

use core::fmt;
use std::io;

use gpunetio_prm::command::{Opcode, Status};
use gpunetio_prm::layout::{Truncated, ValueTooWide};

use crate::qp_attr::QpState;

/// `CUDA_ERROR_INVALID_DEVICE`: no device has that ordinal or PCI id.
const CUDA_ERROR_INVALID_DEVICE: u32 =
    cudarc::driver::sys::CUresult::CUDA_ERROR_INVALID_DEVICE as u32;

/// Result of the control path.
pub type Result<T, E = Error> = core::result::Result<T, E>;

/// What failed. Every message names the object and the value, and says what to do where that is not evident. Messages are
/// whole: what is said in one is not a `source()` of it too.
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
    #[error("{object}{} not found: {hint}", quoted(name))]
    NotFound {
        /// Kind of the object.
        object: &'static str,
        /// The name looked for; `None` if any would do.
        name: Option<String>,
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
    /// A handle was given to an object of another NIC, context, protection domain, GPU or backend.
    #[error(
        "{object} belongs to {owner}, not to {here}: use objects of one open device, protection domain and gpu together"
    )]
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
    },
    /// A library call failed.
    #[error("{call} of {object} failed: {reason}")]
    Call {
        /// The function.
        call: &'static str,
        /// What it was called for.
        object: String,
        /// errno.
        reason: io::Error,
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
    #[error(transparent)]
    Field(#[from] ValueTooWide),
    /// A buffer is too short for a layout.
    #[error(transparent)]
    Truncated(#[from] Truncated),
}

macro_rules! error_kinds {
    ($($(#[$doc:meta])* $name:ident,)*) => {
        /// Coarse class of an [`Error`], one for each code that the C ABI returns.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum ErrorKind {
            $($(#[$doc])* $name,)*
        }

        impl ErrorKind {
            /// Every kind.
            pub const ALL: &[Self] = &[$(Self::$name),*];
        }
    };
}

error_kinds! {
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

impl ErrorKind {
    /// What an errno says by itself, whoever reported it.
    fn of_errno(errno: i32) -> Option<Self> {
        Some(match errno {
            libc::EPERM | libc::EACCES => Self::NotPermitted,
            libc::ENOMEM => Self::NoMemory,
            libc::EOPNOTSUPP | libc::ENOSYS => Self::NotSupported,
            libc::EINVAL | libc::EFAULT => Self::InvalidValue,
            libc::EBUSY => Self::InUse,
            libc::EIO | libc::ENODEV => Self::DeviceFatal,
            _ => return None,
        })
    }
}

/// A name in quotes behind a blank: names can be empty, or end in blanks.
fn quoted(name: &Option<String>) -> String {
    name.as_ref().map(|name| format!(" \"{name}\"")).unwrap_or_default()
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
            // The device's own word first: the kernel folds several statuses into one errno.
            Self::Command { status: Status::LIM_ERR | Status::NO_RES_ERR, .. } => {
                ErrorKind::NoMemory
            }
            Self::Command { errno, .. } => ErrorKind::of_errno(*errno).unwrap_or(ErrorKind::Driver),
            Self::Call { reason, .. } => reason
                .raw_os_error()
                .and_then(ErrorKind::of_errno)
                .unwrap_or(ErrorKind::OperatingSystem),
            Self::Cuda { code, .. } => match *code {
                CUDA_ERROR_INVALID_DEVICE => ErrorKind::NotFound,
                _ => ErrorKind::Driver,
            },
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
        Self::Call { call, object: object.into(), reason: io::Error::last_os_error() }
    }

    /// A call that returned an errno value (or -1 and errno).
    pub(crate) fn code(call: &'static str, object: impl Into<String>, rc: i32) -> Self {
        let reason = match rc {
            rc if rc < 0 => io::Error::last_os_error(),
            rc => io::Error::from_raw_os_error(rc),
        };
        Self::Call { call, object: object.into(), reason }
    }
}

/// A destroy that was refused: the handle comes back with the reason.
#[derive(Debug)]
pub struct Refused<T> {
    /// The handle, as good as before.
    pub handle: T,
    /// Why it was not destroyed.
    pub error: Box<Error>,
}

impl<T> fmt::Display for Refused<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(&self.error, f)
    }
}

impl<T: fmt::Debug> std::error::Error for Refused<T> {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        // The error is what is displayed; what comes behind it is its own.
        self.error.source()
    }
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
        };
        assert_eq!(
            error.to_string(),
            "command CREATE_QP was refused: status BAD_PARAM_ERR (0x3), syndrome 0x00001234, errno 121"
        );
        assert_eq!(error.kind(), ErrorKind::Driver);
    }

    #[test]
    fn a_refused_command_is_classed_by_its_status_and_its_errno() {
        let refused = |status, errno| Error::Command {
            opcode: Opcode::CREATE_CQ,
            status,
            syndrome: 0,
            errno,
        };
        for (status, errno, kind) in [
            (Status::OK, libc::EPERM, ErrorKind::NotPermitted),
            (Status::OK, libc::EACCES, ErrorKind::NotPermitted),
            (Status::OK, libc::ENOMEM, ErrorKind::NoMemory),
            (Status::OK, libc::EOPNOTSUPP, ErrorKind::NotSupported),
            (Status::OK, libc::ENODEV, ErrorKind::DeviceFatal),
            (Status::LIM_ERR, libc::EREMOTEIO, ErrorKind::NoMemory),
            (Status::NO_RES_ERR, libc::EREMOTEIO, ErrorKind::NoMemory),
            (Status::BAD_RES_ERR, libc::EREMOTEIO, ErrorKind::Driver),
        ] {
            assert_eq!(refused(status, errno).kind(), kind, "{status} {errno}");
        }
    }

    #[test]
    fn a_value_that_does_not_fit_is_named_with_its_field() {
        let wide = ValueTooWide { layout: "qpc", field: "mtu", value: 77, bit_width: 3 };
        let message = Error::from(wide).to_string();
        assert!(message.contains("mtu") && message.contains("0x4d"), "{message}");
        let short = Truncated { layout: "cqc", need: 64, have: 63 };
        let message = Error::from(short).to_string();
        assert!(message.contains("cqc") && message.contains("63"), "{message}");
    }

    #[test]
    fn a_cause_is_said_once() {
        let chain = |error: &dyn std::error::Error| {
            let (mut text, mut cause) = (error.to_string(), error.source());
            while let Some(error) = cause {
                text = format!("{text}: {error}");
                cause = error.source();
            }
            text
        };
        let call = || Error::code("ibv_close_device", "mlx5_0", libc::ENOSYS);
        let command = Error::Command {
            opcode: Opcode::CREATE_QP,
            status: Status::OK,
            syndrome: 0,
            errno: libc::ENOSYS,
        };
        for (text, cause) in [
            (chain(&call()), "os error 38"),
            (chain(&Refused::new((), call())), "os error 38"),
            (chain(&command), "38"),
            (chain(&Error::from(Truncated { layout: "cqc", need: 64, have: 63 })), "cqc"),
        ] {
            assert_eq!(text.matches(cause).count(), 1, "{text}");
        }
    }

    #[test]
    fn a_name_that_is_not_found_is_quoted() {
        let error = |name: Option<&str>| Error::NotFound {
            object: "NIC",
            name: name.map(str::to_owned),
            hint: "there is none".to_owned(),
        };
        assert_eq!(error(Some("")).to_string(), "NIC \"\" not found: there is none");
        assert_eq!(error(Some("x ")).to_string(), "NIC \"x \" not found: there is none");
        assert_eq!(error(None).to_string(), "NIC not found: there is none");
    }

    #[test]
    fn a_gpu_that_cuda_does_not_know_is_not_found() {
        let error = |code| Error::Cuda {
            call: "cuDeviceGet",
            object: "gpu 99".to_owned(),
            name: "CUDA_ERROR_INVALID_DEVICE".to_owned(),
            code,
        };
        assert_eq!(error(101).kind(), ErrorKind::NotFound);
        assert_eq!(error(1).kind(), ErrorKind::Driver);
    }
}
