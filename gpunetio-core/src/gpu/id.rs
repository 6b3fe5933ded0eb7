//! What a GPU is asked for by.

use crate::error::{Error, Result};

/// An id that means something; whether there is such a GPU is another question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum GpuId {
    /// The CPU executor.
    Cpu,
    /// CUDA's number of a device.
    Ordinal(i32),
    /// `[domain:]bus:device[.function]` in hexadecimal digits, as CUDA takes it.
    Pci,
}

impl GpuId {
    /// [`Error::InvalidValue`] for what is none of these.
    pub(super) fn parse(id: &str) -> Result<Self> {
        if id == "cpu" {
            return Ok(Self::Cpu);
        }
        if !id.is_empty()
            && id.bytes().all(|byte| byte.is_ascii_digit())
            && let Ok(ordinal) = id.parse()
        {
            return Ok(Self::Ordinal(ordinal));
        }
        if is_pci(id) {
            return Ok(Self::Pci);
        }
        let expected = "use cpu, a CUDA ordinal or a PCI id such as 0000:3b:00.0";
        Err(Error::invalid("gpu id", format!("\"{id}\""), expected))
    }
}

fn is_pci(id: &str) -> bool {
    let hex = |text: &str, digits: usize| {
        (1..=digits).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
    };
    let (rest, function) = match id.split_once('.') {
        Some((rest, function)) => (rest, Some(function)),
        None => (id, None),
    };
    let parts: Vec<_> = rest.split(':').collect();
    let named = match parts[..] {
        [domain, bus, device] => hex(domain, 8) && hex(bus, 2) && hex(device, 2),
        // Two parts without a function could be either end of an id.
        [bus, device] => hex(bus, 2) && hex(device, 2) && function.is_some(),
        _ => false,
    };
    named && function.is_none_or(|function| hex(function, 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_told_apart_without_cuda() {
        for (id, want) in [
            ("cpu", GpuId::Cpu),
            ("0", GpuId::Ordinal(0)),
            ("12", GpuId::Ordinal(12)),
            ("0000:3b:00.0", GpuId::Pci),
            ("00000000:3B:00.0", GpuId::Pci),
            ("0000:3b:00", GpuId::Pci),
            ("3b:00.0", GpuId::Pci),
        ] {
            assert_eq!(GpuId::parse(id).unwrap(), want, "{id}");
        }
        for id in [
            "CPU",
            "",
            "x",
            "-1",
            "+1",
            "1.5",
            "99999999999",
            "3b:00",
            "0:0:0:0",
            "g:0.0",
            "0:0.0.0",
            "3b:00.0\0",
        ] {
            let message = GpuId::parse(id).unwrap_err().to_string();
            assert!(message.contains(&format!("gpu id is \"{id}\"")), "{message}");
        }
    }
}
