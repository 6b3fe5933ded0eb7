//! The `gpunetio` command.

mod args;
mod devices;
mod kernels;
mod nics;
mod perf;

use std::process::ExitCode;

use clap::Parser;
use gpunetio_core::Environment;

use args::{Cli, Command};

fn main() -> ExitCode {
    let cli = Cli::parse();
    let outcome = Environment::read().map_err(perf::PerfError::from).and_then(|environment| {
        start_log(&environment);
        match &cli.command {
            Command::Perf(args) => perf::run(args, &environment),
            Command::Devices => devices::run(&environment),
        }
    });
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        // The reader of our output went away; that is how `head` ends a pipe.
        Err(error) if error.is_broken_pipe() => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("gpunetio: {}", error.with_causes());
            ExitCode::FAILURE
        }
    }
}

/// Logs to standard error: warnings and errors unless `DOCA_GPUNETIO_LOG` says otherwise.
fn start_log(environment: &Environment) {
    let level = environment.log.unwrap_or(log::LevelFilter::Warn);
    env_logger::Builder::new().filter_level(level).format_timestamp(None).init();
}
