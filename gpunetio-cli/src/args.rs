//! Command line.

use clap::{Args, Parser, Subcommand, ValueEnum};

/// GPU-initiated networking: measure it, look at its devices.
#[derive(Debug, Parser)]
#[command(name = "gpunetio", version, about, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// Subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Kernels post work to the NIC; every size is verified byte by byte, then reported with floors of this machine
    Perf(PerfArgs),
    /// List GPUs and NICs, and say which would be used and why
    Devices,
}

/// What a perf kernel does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Mode {
    /// One-sided put (RDMA WRITE)
    Put,
    /// One-sided get (RDMA READ)
    Get,
    /// Put, then an atomic add on a signal at the target
    PutSignal,
    /// The low-level API: reserve, prepare, mark ready, submit, poll
    Write,
    /// One put at a time, each timed with its completion
    Lat,
}

impl Mode {
    /// Name as given on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Put => "put",
            Self::Get => "get",
            Self::PutSignal => "put-signal",
            Self::Write => "write",
            Self::Lat => "lat",
        }
    }
}

/// Who shares a QP.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Sharing {
    /// One thread (or warp) per QP
    Exclusive,
    /// Threads of one block
    Cta,
    /// Every thread of the GPU
    Gpu,
}

/// Who calls a device function together.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Scope {
    /// Each thread on its own
    Thread,
    /// The 32 lanes of a warp
    Warp,
}

/// How the NIC learns of new work.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Handler {
    /// The kernel stores the doorbell record and rings the doorbell
    Doorbell,
    /// The kernel writes the WQE itself into the doorbell page (BlueFlame)
    Blueflame,
    /// The kernel rings a doorbell that needs no record
    NoDbr,
    /// The kernel publishes, a CPU thread rings
    Proxy,
}

/// Options of `perf`.
#[derive(Debug, Clone, Args)]
pub(crate) struct PerfArgs {
    /// What the kernel does
    #[arg(value_enum)]
    pub(crate) mode: Mode,
    /// GPU: "cpu" for the CPU executor, a CUDA ordinal or a PCI id
    #[arg(long, default_value = "cpu", value_name = "ID")]
    pub(crate) gpu: String,
    /// NIC by name; without it the first one (GPUNETIO_NIC chooses between hardware and software)
    #[arg(long, value_name = "NAME")]
    pub(crate) nic: Option<String>,
    /// Queue pairs; a thread that has several takes them in turn
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) qps: u32,
    /// Threads per block
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) threads: u32,
    /// Blocks
    #[arg(long, default_value_t = 1, value_name = "N")]
    pub(crate) blocks: u32,
    /// Message sizes in bytes, separated by commas; k, m and g stand for 1024, 1024^2 and 1024^3
    #[arg(long, value_delimiter = ',', value_parser = parse_size, value_name = "BYTES")]
    pub(crate) size: Vec<u64>,
    /// Operations of each thread for each size (the table counts those of all threads); without it as many as give a steady
    /// figure
    #[arg(long, value_name = "N")]
    pub(crate) iters: Option<u32>,
    /// Send queue depth in work requests, a power of two
    #[arg(long, default_value_t = 128, value_name = "N")]
    pub(crate) depth: u32,
    /// Who calls a device function together
    #[arg(long, value_enum, default_value_t = Scope::Thread)]
    pub(crate) scope: Scope,
    /// Who shares a QP
    #[arg(long, value_enum, default_value_t = Sharing::Gpu)]
    pub(crate) sharing: Sharing,
    /// How the NIC learns of new work
    #[arg(long, value_enum, default_value_t = Handler::Doorbell)]
    pub(crate) handler: Handler,
    /// Print one JSON object instead of a table
    #[arg(long)]
    pub(crate) json: bool,
}

fn parse_size(text: &str) -> Result<u64, String> {
    let lower = text.trim().to_ascii_lowercase();
    let units = [('k', 1 << 10), ('m', 1 << 20), ('g', 1 << 30)];
    let (digits, unit) = units
        .iter()
        .find_map(|(suffix, unit)| Some((lower.strip_suffix(*suffix)?, *unit)))
        .unwrap_or((&lower, 1));
    let wrong = || format!("'{text}' is not a size: use bytes, or whole k, m or g");
    let count: u64 = digits.parse().map_err(|_| wrong())?;
    count.checked_mul(unit).ok_or_else(|| format!("'{text}' does not fit in 64 bits"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Cli::command().debug_assert();
    }

    #[test]
    fn sizes_take_suffixes_and_name_what_is_wrong() {
        assert_eq!(parse_size("8"), Ok(8));
        assert_eq!(parse_size("64k"), Ok(65536));
        assert_eq!(parse_size("1M"), Ok(1 << 20));
        assert_eq!(parse_size(" 2g"), Ok(2 << 30));
        assert_eq!(
            parse_size("8x").unwrap_err(),
            "'8x' is not a size: use bytes, or whole k, m or g"
        );
        assert!(parse_size("99999999999999999m").is_err());
    }
}
