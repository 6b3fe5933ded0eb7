//! Error codes of the C ABI (`doca_error_t`).

use gpunetio_core::{Error, ErrorKind};

/// `doca_error_t`, by its public numbers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(transparent)]
pub struct DocaError(pub i32);

impl DocaError {
    /// `DOCA_SUCCESS`.
    pub const SUCCESS: Self = Self(0);
    /// `DOCA_ERROR_UNKNOWN`.
    pub const UNKNOWN: Self = Self(1);
    /// `DOCA_ERROR_NOT_PERMITTED`.
    pub const NOT_PERMITTED: Self = Self(2);
    /// `DOCA_ERROR_IN_USE`.
    pub const IN_USE: Self = Self(3);
    /// `DOCA_ERROR_NOT_SUPPORTED`.
    pub const NOT_SUPPORTED: Self = Self(4);
    /// `DOCA_ERROR_INVALID_VALUE`.
    pub const INVALID_VALUE: Self = Self(6);
    /// `DOCA_ERROR_NO_MEMORY`.
    pub const NO_MEMORY: Self = Self(7);
    /// `DOCA_ERROR_INITIALIZATION`.
    pub const INITIALIZATION: Self = Self(8);
    /// `DOCA_ERROR_NOT_FOUND`.
    pub const NOT_FOUND: Self = Self(16);
    /// `DOCA_ERROR_BAD_STATE`.
    pub const BAD_STATE: Self = Self(18);
    /// `DOCA_ERROR_UNSUPPORTED_VERSION`.
    pub const UNSUPPORTED_VERSION: Self = Self(19);
    /// `DOCA_ERROR_OPERATING_SYSTEM`.
    pub const OPERATING_SYSTEM: Self = Self(20);
    /// `DOCA_ERROR_DRIVER`.
    pub const DRIVER: Self = Self(21);
    /// `DOCA_ERROR_UNEXPECTED`.
    pub const UNEXPECTED: Self = Self(22);
    /// `DOCA_ERROR_BAD_CONFIG`.
    pub const BAD_CONFIG: Self = Self(29);
    /// `DOCA_ERROR_DEVICE_FATAL_ERROR`.
    pub const DEVICE_FATAL_ERROR: Self = Self(31);
}

/// The code of an outcome.
pub fn status<T>(outcome: &Result<T, Error>) -> DocaError {
    match outcome {
        Ok(_) => DocaError::SUCCESS,
        Err(error) => code(error.kind()),
    }
}

/// The code of a kind of error.
fn code(kind: ErrorKind) -> DocaError {
    match kind {
        ErrorKind::InvalidValue => DocaError::INVALID_VALUE,
        ErrorKind::NotSupported => DocaError::NOT_SUPPORTED,
        ErrorKind::NotFound => DocaError::NOT_FOUND,
        ErrorKind::InUse => DocaError::IN_USE,
        ErrorKind::BadState => DocaError::BAD_STATE,
        ErrorKind::Driver => DocaError::DRIVER,
        ErrorKind::OperatingSystem => DocaError::OPERATING_SYSTEM,
        ErrorKind::NotPermitted => DocaError::NOT_PERMITTED,
        ErrorKind::NoMemory => DocaError::NO_MEMORY,
        ErrorKind::Initialization => DocaError::INITIALIZATION,
        ErrorKind::UnsupportedVersion => DocaError::UNSUPPORTED_VERSION,
        ErrorKind::BadConfig => DocaError::BAD_CONFIG,
        ErrorKind::DeviceFatal => DocaError::DEVICE_FATAL_ERROR,
        ErrorKind::Unexpected => DocaError::UNEXPECTED,
        // Another crate's enum is never matched in full; the test below is what keeps this arm unused.
        _ => DocaError::UNKNOWN,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_has_a_code_of_its_own() {
        let mut codes: Vec<i32> = ErrorKind::ALL.iter().map(|kind| code(*kind).0).collect();
        for (kind, code) in ErrorKind::ALL.iter().zip(&codes) {
            assert!(![DocaError::UNKNOWN.0, DocaError::SUCCESS.0].contains(code), "{kind:?}");
        }
        codes.sort_unstable();
        codes.dedup();
        assert_eq!(codes.len(), ErrorKind::ALL.len());
    }

    #[test]
    fn an_error_has_the_public_number_of_its_kind() {
        assert_eq!(status(&Ok(())).0, 0);
        let error = Error::NotSupported("x".to_owned());
        assert_eq!(status::<()>(&Err(error)).0, 4);
        let error = Error::InUse { object: "gpu cpu".to_owned(), users: 1 };
        assert_eq!(status::<()>(&Err(error)).0, 3);
    }
}
