//! Options turned into numbers that fit together.

use gpunetio_device::executor::MAX_BLOCK_THREADS;
use gpunetio_device::image::MAX_TRANSFER_BYTES;

use super::PerfError;
use super::report::Options;
use crate::args::{Handler, Mode, PerfArgs, Scope, Sharing};

/// Sizes that are measured when none are given.
const SIZES: [u64; 7] = [8, 64, 512, 4 << 10, 32 << 10, 256 << 10, 1 << 20];
/// Payload that a thread moves for one size when no iterations are given.
const BYTES_PER_SIZE: u64 = 512 << 20;
/// Latency samples of a unit at most, so that a run stays short.
const MAX_LATENCY_ITERS: u32 = 20_000;
/// Threads of a launch at most: each has memory and results of its own.
const MAX_THREADS: u64 = 1 << 20;
/// Latency samples of a launch at most.
const MAX_SAMPLES: u64 = 1 << 27;
/// Lanes of a warp.
pub(crate) const WARP: u32 = 32;

/// What is run.
#[derive(Debug, Clone)]
pub(crate) struct Plan {
    pub(crate) mode: Mode,
    pub(crate) gpu: String,
    pub(crate) nic: Option<String>,
    pub(crate) sizes: Vec<u64>,
    pub(crate) qps: u32,
    pub(crate) threads: u32,
    pub(crate) blocks: u32,
    pub(crate) depth: u32,
    pub(crate) scope: Scope,
    pub(crate) sharing: Sharing,
    pub(crate) handler: Handler,
    iters: Option<u32>,
}

fn refuse<T>(
    option: &'static str,
    value: impl ToString,
    reason: impl Into<String>,
) -> Result<T, PerfError> {
    Err(PerfError::Option { option, value: value.to_string(), reason: reason.into() })
}

impl Plan {
    /// Checks the options against each other.
    pub(crate) fn of(args: &PerfArgs) -> Result<Self, PerfError> {
        for (option, value) in
            [("--qps", args.qps), ("--threads", args.threads), ("--blocks", args.blocks)]
        {
            if value == 0 {
                return refuse(option, value, "use at least 1");
            }
        }
        if !args.depth.is_power_of_two() {
            return refuse("--depth", args.depth, "use a power of two");
        }
        if args.iters == Some(0) {
            return refuse("--iters", 0, "use at least 1");
        }
        if args.threads > MAX_BLOCK_THREADS {
            let reason = format!("a block has at most {MAX_BLOCK_THREADS}");
            return refuse("--threads", args.threads, reason);
        }
        if u64::from(args.threads) * u64::from(args.blocks) > MAX_THREADS {
            let reason =
                format!("with {} threads each, at most {MAX_THREADS} threads", args.threads);
            return refuse("--blocks", args.blocks, reason);
        }
        if args.scope == Scope::Warp && !args.threads.is_multiple_of(WARP) {
            return refuse("--threads", args.threads, "warp scope needs whole warps of 32");
        }
        let plan = Self {
            mode: args.mode,
            gpu: args.gpu.clone(),
            nic: args.nic.clone(),
            sizes: if args.size.is_empty() { SIZES.to_vec() } else { args.size.clone() },
            qps: args.qps,
            threads: args.threads,
            blocks: args.blocks,
            depth: args.depth,
            scope: args.scope,
            sharing: args.sharing,
            handler: args.handler,
            iters: args.iters,
        };
        // A unit takes QPs u, u + units, ...: no two units share one only if there are at least as many QPs, and a QP
        // stays within a block only if its units do.
        match plan.sharing {
            Sharing::Exclusive if plan.qps < plan.units() => {
                let units = plan.units();
                return refuse(
                    "--qps",
                    plan.qps,
                    format!("exclusive sharing needs one for each of the {units} threads or warps"),
                );
            }
            Sharing::Cta if plan.blocks > 1 && plan.qps < plan.units() => {
                let reason = format!(
                    "with several blocks, each of the {} threads or warps needs one, since they take QPs by their \
                     number; or use --sharing gpu",
                    plan.units()
                );
                return refuse("--qps", plan.qps, reason);
            }
            _ => {}
        }
        if plan.mode == Mode::Lat
            && let Some(iters) = plan.iters
            && u64::from(iters) * u64::from(plan.units()) > MAX_SAMPLES
        {
            let most = MAX_SAMPLES / u64::from(plan.units());
            return refuse(
                "--iters",
                iters,
                format!("lat keeps a sample of each; use at most {most}"),
            );
        }
        if plan.mode == Mode::Write && plan.depth < plan.lanes() {
            let reason = "write at warp scope reserves a slot for each of 32 lanes at once";
            return refuse("--depth", plan.depth, reason);
        }
        if plan.mode == Mode::Write
            && let Some(size) = plan.sizes.iter().find(|size| **size > MAX_TRANSFER_BYTES)
        {
            return refuse("--size", size, "one WQE carries at most 1 GiB; use put, which splits");
        }
        Ok(plan)
    }

    /// The same with a single QP.
    pub(crate) fn with_one_qp(&self) -> Self {
        Self { qps: 1, ..self.clone() }
    }

    /// Threads of the launch.
    pub(crate) fn all_threads(&self) -> u64 {
        u64::from(self.threads) * u64::from(self.blocks)
    }

    /// Units that post: threads, or warps.
    pub(crate) fn units(&self) -> u32 {
        self.all_threads() as u32 / self.lanes()
    }

    /// Threads of a unit.
    pub(crate) fn lanes(&self) -> u32 {
        match self.scope {
            Scope::Thread => 1,
            Scope::Warp => WARP,
        }
    }

    /// Places of memory that `iters` operations of each unit work on (`kernels/perf_params.h`).
    pub(crate) fn places(&self, iters: u32) -> u64 {
        let units = u64::from(self.units());
        let owners = units.max(self.qps.into()).min(units * u64::from(iters));
        owners * u64::from(self.lanes())
    }

    /// Operations of a thread for messages of `size`.
    pub(crate) fn iters(&self, size: u64) -> u32 {
        let most = 400_000 / self.all_threads().clamp(1, 1000) as u32;
        let share = BYTES_PER_SIZE / self.all_threads() / size.max(1);
        self.iters.unwrap_or(share.clamp(20, most.max(20).into()) as u32).max(1)
    }

    /// Operations of a thread in the latency pass.
    pub(crate) fn latency_iters(&self, size: u64) -> u32 {
        self.iters(size).min(MAX_LATENCY_ITERS / self.all_threads().clamp(1, 100) as u32)
    }

    /// The options that results depend on, as they are spelled on the command line.
    pub(crate) fn options(&self) -> Options {
        Options {
            qps: self.qps,
            blocks: self.blocks,
            threads: self.threads,
            depth: self.depth,
            scope: match self.scope {
                Scope::Thread => "thread",
                Scope::Warp => "warp",
            },
            sharing: match self.sharing {
                Sharing::Exclusive => "exclusive",
                Sharing::Cta => "cta",
                Sharing::Gpu => "gpu",
            },
            handler: match self.handler {
                Handler::Doorbell => "doorbell",
                Handler::Blueflame => "blueflame",
                Handler::NoDbr => "no-dbr",
                Handler::Proxy => "proxy",
            },
        }
    }

    /// One line for people.
    pub(crate) fn describe(&self) -> String {
        let Options { qps, blocks, threads, depth, scope, sharing, handler } = self.options();
        format!(
            "{}  {blocks} block(s) of {threads} thread(s), {scope} scope; {qps} QP(s) {depth} deep, {sharing} sharing, \
             {handler} handler",
            self.mode.name(),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::args::{Cli, Command};
    use clap::Parser;

    fn plan(line: &str) -> Result<Plan, String> {
        let words = ["gpunetio", "perf"].into_iter().chain(line.split_whitespace());
        let Command::Perf(args) = Cli::try_parse_from(words).unwrap().command else {
            panic!("not a perf line")
        };
        Plan::of(&args).map_err(|error| error.to_string())
    }

    #[test]
    fn options_that_do_not_fit_together_are_refused_by_name() {
        for (line, message) in [
            ("put --qps 0", "--qps 0: use at least 1"),
            ("put --iters 0", "--iters 0: use at least 1"),
            ("put --depth 100", "--depth 100: use a power of two"),
            (
                "write --scope warp --threads 32 --depth 16",
                "--depth 16: write at warp scope reserves a slot for each of 32 lanes at once",
            ),
            ("put --threads 1025", "--threads 1025: a block has at most 1024"),
            (
                "put --blocks 2000 --threads 1024",
                "--blocks 2000: with 1024 threads each, at most 1048576 threads",
            ),
            (
                "lat --iters 4294967295",
                "--iters 4294967295: lat keeps a sample of each; use at most 134217728",
            ),
            ("put --scope warp", "--threads 1: warp scope needs whole warps of 32"),
            (
                "put --sharing exclusive --threads 4",
                "--qps 1: exclusive sharing needs one for each of the 4 threads or warps",
            ),
            (
                "put --sharing cta --blocks 2",
                "--qps 1: with several blocks, each of the 2 threads or warps needs one, since they take QPs by \
                 their number; or use --sharing gpu",
            ),
            (
                "write --size 2147483648",
                "--size 2147483648: one WQE carries at most 1 GiB; use put, which splits",
            ),
        ] {
            assert_eq!(plan(line).unwrap_err(), message);
        }
    }

    #[test]
    fn iterations_follow_the_size_unless_given() {
        let by_size = plan("put").unwrap();
        assert!(by_size.iters(8) > by_size.iters(1 << 20));
        assert!(by_size.iters(0) > 0 && by_size.iters(u64::MAX) > 0);
        assert_eq!(plan("put --iters 3").unwrap().iters(8), 3);
        assert_eq!(plan("put --iters 3").unwrap().latency_iters(8), 3);
    }

    #[test]
    fn every_qp_that_is_used_has_places_of_its_own() {
        assert_eq!(plan("put --qps 5 --threads 2").unwrap().places(10), 5);
        assert_eq!(plan("put --qps 1024").unwrap().places(3), 3);
        assert_eq!(plan("put --qps 2 --threads 64 --scope warp").unwrap().places(9), 64);
        assert_eq!(plan("put --qps 1 --threads 4").unwrap().places(9), 4);
    }
}
