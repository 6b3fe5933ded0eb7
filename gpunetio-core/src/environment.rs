//! The environment variables of the project: all of them, and nowhere else.
//!
//! | Variable | Values | Meaning |
//! |---|---|---|
//! | `GPUNETIO_MODE` | `auto` (default), `open`, `sdk` | open implementation or NVIDIA's closed SDK |
//! | `DOCA_SDK_LIB_PATH` | a directory | where the SDK's libraries are; set means that they are wanted |
//! | `GPUNETIO_NIC` | `auto` (default), `hardware`, `softnic` | which NIC to use |
//! | `GPUNETIO_SOFTNIC_DEVICES` | 1 to 64, default 1 | software devices of this process |
//! | `GPUNETIO_SOFTNIC_STRICT` | `0` (default), `1` | the software NIC names a client's mistakes |
//! | `DOCA_GPUNETIO_LOG` | 0 to 7 | log level: 0 none, 3 errors, 4 warnings, 6 information, 7 everything |
//! | `DOCA_GPUNETIO_DISABLE_GDRCOPY` | `0` (default), `1` | do not use GDRCopy |

use std::ffi::OsString;
use std::path::PathBuf;

use crate::error::{Error, Result};

/// Which implementation is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// The SDK for what only it has, the open implementation for the rest.
    #[default]
    Auto,
    /// The open implementation.
    Open,
    /// NVIDIA's closed SDK.
    Sdk,
}

/// Which NIC is asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NicChoice {
    /// An mlx5 device if there is one, else the software NIC.
    #[default]
    Auto,
    /// An mlx5 device.
    Hardware,
    /// The software NIC.
    Software,
}

/// Most software devices that one process can have.
pub const MAX_SOFTNIC_DEVICES: u32 = 64;

/// What the environment asks for.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Environment {
    /// `GPUNETIO_MODE`.
    pub mode: Mode,
    /// `DOCA_SDK_LIB_PATH`.
    pub sdk_lib_path: Option<PathBuf>,
    /// `GPUNETIO_NIC`.
    pub nic: NicChoice,
    /// `GPUNETIO_SOFTNIC_DEVICES`.
    pub softnic_devices: u32,
    /// `GPUNETIO_SOFTNIC_STRICT`.
    pub softnic_strict: bool,
    /// `DOCA_GPUNETIO_LOG`; `None` leaves the logger's own default.
    pub log: Option<log::LevelFilter>,
    /// `DOCA_GPUNETIO_DISABLE_GDRCOPY`.
    pub disable_gdrcopy: bool,
}

impl Default for Environment {
    fn default() -> Self {
        Self {
            mode: Mode::Auto,
            sdk_lib_path: None,
            nic: NicChoice::Auto,
            softnic_devices: 1,
            softnic_strict: false,
            log: None,
            disable_gdrcopy: false,
        }
    }
}

impl Environment {
    /// Reads the process's environment; [`Error::Environment`] for a value that means nothing.
    pub fn read() -> Result<Self> {
        Self::from_lookup(|name| std::env::var_os(name))
    }

    /// Reads variables through `lookup`.
    pub fn from_lookup(lookup: impl Fn(&str) -> Option<OsString>) -> Result<Self> {
        // An empty variable counts as unset, as in most tools.
        let get = |name: &'static str| lookup(name).filter(|v| !v.is_empty());
        let text = |name| get(name).map(|v| v.to_string_lossy().into_owned());
        let bad = |name, value: String, expected: &str| Error::Environment {
            name,
            value,
            expected: expected.to_owned(),
        };
        let flag = |name| match text(name).as_deref() {
            None | Some("0") => Ok(false),
            Some("1") => Ok(true),
            Some(other) => Err(bad(name, other.to_owned(), "use 0 or 1")),
        };
        let mode = match text("GPUNETIO_MODE").as_deref() {
            None | Some("auto") => Mode::Auto,
            Some("open") => Mode::Open,
            Some("sdk") => Mode::Sdk,
            Some(other) => {
                return Err(bad("GPUNETIO_MODE", other.to_owned(), "use auto, open or sdk"));
            }
        };
        let nic = match text("GPUNETIO_NIC").as_deref() {
            None | Some("auto") => NicChoice::Auto,
            Some("hardware") => NicChoice::Hardware,
            Some("softnic") => NicChoice::Software,
            Some(other) => {
                return Err(bad("GPUNETIO_NIC", other.to_owned(), "use auto, hardware or softnic"));
            }
        };
        let softnic_devices = match text("GPUNETIO_SOFTNIC_DEVICES") {
            None => 1,
            Some(value) => match value.parse() {
                Ok(count) if (1..=MAX_SOFTNIC_DEVICES).contains(&count) => count,
                _ => {
                    return Err(bad(
                        "GPUNETIO_SOFTNIC_DEVICES",
                        value,
                        "use a number from 1 to 64",
                    ));
                }
            },
        };
        let log = match text("DOCA_GPUNETIO_LOG") {
            None => None,
            Some(value) => Some(match value.parse() {
                Ok(0u8) => log::LevelFilter::Off,
                Ok(1..=3) => log::LevelFilter::Error,
                Ok(4) => log::LevelFilter::Warn,
                Ok(5..=6) => log::LevelFilter::Info,
                Ok(7) => log::LevelFilter::Trace,
                _ => return Err(bad("DOCA_GPUNETIO_LOG", value, "use a syslog level from 0 to 7")),
            }),
        };
        Ok(Self {
            mode,
            sdk_lib_path: get("DOCA_SDK_LIB_PATH").map(PathBuf::from),
            nic,
            softnic_devices,
            softnic_strict: flag("GPUNETIO_SOFTNIC_STRICT")?,
            log,
            disable_gdrcopy: flag("DOCA_GPUNETIO_DISABLE_GDRCOPY")?,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(pairs: &[(&str, &str)]) -> Result<Environment> {
        Environment::from_lookup(|name| {
            pairs.iter().find(|(n, _)| *n == name).map(|(_, v)| OsString::from(v))
        })
    }

    #[test]
    fn an_empty_environment_is_the_default() {
        assert_eq!(read(&[]).unwrap(), Environment::default());
        assert_eq!(read(&[("GPUNETIO_MODE", "")]).unwrap(), Environment::default());
    }

    #[test]
    fn values_are_read() {
        let env = read(&[
            ("GPUNETIO_MODE", "open"),
            ("DOCA_SDK_LIB_PATH", "/opt/x"),
            ("GPUNETIO_NIC", "softnic"),
            ("GPUNETIO_SOFTNIC_DEVICES", "2"),
            ("GPUNETIO_SOFTNIC_STRICT", "1"),
            ("DOCA_GPUNETIO_LOG", "6"),
            ("DOCA_GPUNETIO_DISABLE_GDRCOPY", "1"),
        ])
        .unwrap();
        assert_eq!((env.mode, env.nic), (Mode::Open, NicChoice::Software));
        assert_eq!(env.sdk_lib_path, Some(PathBuf::from("/opt/x")));
        assert_eq!((env.softnic_devices, env.softnic_strict), (2, true));
        assert_eq!((env.log, env.disable_gdrcopy), (Some(log::LevelFilter::Info), true));
    }

    #[test]
    fn a_bad_value_is_an_error_that_names_variable_and_value() {
        for (name, value) in [
            ("GPUNETIO_MODE", "closed"),
            ("GPUNETIO_NIC", "mlx4"),
            ("GPUNETIO_SOFTNIC_DEVICES", "0"),
            ("GPUNETIO_SOFTNIC_DEVICES", "65"),
            ("GPUNETIO_SOFTNIC_STRICT", "yes"),
            ("DOCA_GPUNETIO_LOG", "8"),
            ("DOCA_GPUNETIO_DISABLE_GDRCOPY", "on"),
        ] {
            let message = read(&[(name, value)]).unwrap_err().to_string();
            assert!(message.contains(name) && message.contains(value), "{message}");
        }
    }
}
