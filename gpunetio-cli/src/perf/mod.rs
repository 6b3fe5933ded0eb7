//! `gpunetio perf`: kernels post work to the NIC, every size is verified and compared with floors.

mod error;
mod floors;
mod plan;
mod report;
mod session;

use gpunetio_core::Environment;
use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

pub(crate) use error::PerfError;

use crate::args::{Mode, PerfArgs};
use crate::kernels::{self, Pass};
use floors::FloorSamples;
use plan::Plan;
use report::{Printer, Ratios, Report, Row};
use session::{Machine, Outcome, Session};

/// Runs and prints; an error for anything that did not work or did not verify.
pub(crate) fn run(args: &PerfArgs, environment: &Environment) -> Result<(), PerfError> {
    let plan = Plan::of(args)?;
    let machine = Machine::open(&plan, environment)?;
    let printer = Printer::new(args.json);
    printer.head(&machine.gpu_name(), &machine.nic_name(), machine.why(), &plan.describe())?;
    let progress = progress_bar(&printer, plan.sizes.len());
    progress.set_message("connecting");
    let session = Session::connect(&machine, &plan)?;
    let mut floors = FloorSamples::default();
    floors.take();
    let mut rows = Vec::new();
    for &size in &plan.sizes {
        progress.set_message(format!("{size} bytes"));
        let row = measure(&plan, &session, size)?;
        progress.suspend(|| printer.row(&row))?;
        progress.inc(1);
        rows.push(row);
    }
    floors.take();
    let floors = floors.floors();
    let one_qp = one_qp_rate(&plan, &machine, &rows)?;
    progress.finish_and_clear();
    let conclusion = conclude(&rows);
    let report = Report {
        gpu: machine.gpu_name(),
        nic: machine.nic_name(),
        mode: plan.mode.name(),
        options: plan.options(),
        ratios: Ratios::of(&rows, &floors, one_qp),
        rows,
        floors,
    };
    printer.finish(&report)?;
    conclusion
}

/// The run is good if every size is.
fn conclude(rows: &[Row]) -> Result<(), PerfError> {
    match rows.iter().find(|row| !row.verified) {
        Some(row) => Err(PerfError::Mismatch { size: row.size }),
        None => Ok(()),
    }
}

/// Messages a second of the smallest size over a single QP, where one thread or warp posts to several: the floor that
/// idle queues must not raise.
fn one_qp_rate(plan: &Plan, machine: &Machine, rows: &[Row]) -> Result<Option<f64>, PerfError> {
    let Some(smallest) = rows.iter().map(|row| row.size).min() else { return Ok(None) };
    if plan.qps == 1 || plan.units() != 1 {
        return Ok(None);
    }
    let plan = plan.with_one_qp();
    let session = Session::connect(machine, &plan)?;
    Ok(Some(measure(&plan, &session, smallest)?.msg_per_s))
}

/// One size: a pass for throughput, one for latency, each verified.
fn measure(plan: &Plan, session: &Session<'_>, size: u64) -> Result<Row, PerfError> {
    let operation = kernels::Mode::from(plan.mode);
    let throughput_pass = if plan.mode == Mode::Lat { Pass::Latency } else { Pass::Throughput };
    let iters = plan.iters(size);
    let throughput = session.run(operation, throughput_pass, size, iters)?;
    let latency = match throughput_pass {
        Pass::Latency => None,
        Pass::Throughput => {
            Some(session.run(operation, Pass::Latency, size, plan.latency_iters(size))?)
        }
    };
    let verified = throughput.verified && latency.as_ref().is_none_or(|pass| pass.verified);
    let Outcome { elapsed_ns, operations, .. } = throughput;
    let mut samples = latency.map_or(throughput.latencies_ns, |pass| pass.latencies_ns);
    let seconds = elapsed_ns.max(1) as f64 / 1e9;
    Ok(Row {
        size,
        iters: operations,
        mb_per_s: (operations * size) as f64 / seconds / 1e6,
        msg_per_s: operations as f64 / seconds,
        lat_p50_ns: percentile(&mut samples, 50),
        lat_p99_ns: percentile(&mut samples, 99),
        verified,
    })
}

fn percentile(samples: &mut [u64], percent: usize) -> u64 {
    let Some(last) = samples.len().checked_sub(1) else { return 0 };
    *samples.select_nth_unstable(last * percent / 100).1
}

fn progress_bar(printer: &Printer, sizes: usize) -> ProgressBar {
    if !printer.wants_progress() {
        return ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
    }
    let bar = ProgressBar::new(sizes as u64);
    // The template is a constant that the library accepts; its default would do as well.
    if let Ok(style) = ProgressStyle::with_template("{bar:30} {pos}/{len} sizes  {msg}") {
        bar.set_style(style);
    }
    bar
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_size_that_does_not_verify_fails_the_run_by_name() {
        let row = |size, verified| Row {
            size,
            iters: 1,
            mb_per_s: 1.0,
            msg_per_s: 1.0,
            lat_p50_ns: 1,
            lat_p99_ns: 1,
            verified,
        };
        assert!(conclude(&[row(8, true), row(64, true)]).is_ok());
        let failed = conclude(&[row(8, true), row(64, false), row(512, true)]).unwrap_err();
        assert_eq!(
            failed.to_string(),
            "verification failed at 64 bytes: the target memory is not what was sent"
        );
    }

    #[test]
    fn percentiles_are_samples_that_were_measured() {
        let mut samples: Vec<u64> = (1..=100).rev().collect();
        assert_eq!((percentile(&mut samples, 50), percentile(&mut samples, 99)), (50, 99));
        assert_eq!(percentile(&mut [7], 99), 7);
        assert_eq!(percentile(&mut [], 50), 0);
    }
}
