//! What perf prints: a table for people, one JSON object for machines.

use std::io::{IsTerminal, Write};

use serde::Serialize;

use super::floors::{COPY_BYTES, Floors};

/// One message size.
#[derive(Debug, Clone, Serialize)]
pub(crate) struct Row {
    /// Bytes of a message.
    pub(crate) size: u64,
    /// Operations of all threads together.
    pub(crate) iters: u64,
    /// Payload in 10^6 bytes a second.
    pub(crate) mb_per_s: f64,
    /// Operations a second.
    pub(crate) msg_per_s: f64,
    /// Median time of one operation from posting to its completion polled.
    pub(crate) lat_p50_ns: u64,
    /// 99th percentile of the same.
    pub(crate) lat_p99_ns: u64,
    /// The target memory held exactly what was sent.
    pub(crate) verified: bool,
}

/// Results against floors.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Ratios {
    /// Bandwidth of 1 MiB messages over `memcpy` of 1 MiB; absent without that size.
    pub(crate) memcpy_1mib: Option<f64>,
    /// Median latency of the smallest message over a cache line's round trip.
    pub(crate) latency_over_rtt: Option<f64>,
    /// Time per message of the smallest size over that with a single QP; only where one thread or warp has several.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(crate) cost_over_one_qp: Option<f64>,
}

impl Ratios {
    /// Compares rows with floors.
    pub(crate) fn of(rows: &[Row], floors: &Floors, one_qp_rate: Option<f64>) -> Self {
        let large = rows.iter().find(|row| row.size == COPY_BYTES as u64);
        let small = rows.iter().min_by_key(|row| row.size);
        Self {
            memcpy_1mib: large.map(|row| row.mb_per_s / floors.memcpy_mb_per_s),
            latency_over_rtt: small
                .zip(floors.cacheline_rtt_ns)
                .map(|(row, rtt)| row.lat_p50_ns as f64 / rtt),
            cost_over_one_qp: small.zip(one_qp_rate).map(|(row, rate)| rate / row.msg_per_s),
        }
    }
}

/// Options of a run.
#[derive(Debug, Serialize)]
pub(crate) struct Options {
    /// Queue pairs.
    pub(crate) qps: u32,
    /// Blocks.
    pub(crate) blocks: u32,
    /// Threads of a block.
    pub(crate) threads: u32,
    /// Work requests of a send queue.
    pub(crate) depth: u32,
    /// `thread` or `warp`.
    pub(crate) scope: &'static str,
    /// `exclusive`, `cta` or `gpu`.
    pub(crate) sharing: &'static str,
    /// `doorbell`, `blueflame`, `no-dbr` or `proxy`.
    pub(crate) handler: &'static str,
}

/// A whole run.
#[derive(Debug, Serialize)]
pub(crate) struct Report {
    /// The GPU that ran the kernels.
    pub(crate) gpu: String,
    /// The NIC that moved the bytes.
    pub(crate) nic: String,
    /// Mode as on the command line.
    pub(crate) mode: &'static str,
    /// The other options that results depend on.
    pub(crate) options: Options,
    /// One row a size.
    pub(crate) rows: Vec<Row>,
    /// Floors of this machine.
    pub(crate) floors: Floors,
    /// Results against floors.
    pub(crate) ratios: Ratios,
}

/// Prints rows as they come and the summary at the end; in JSON mode nothing but the object.
#[derive(Debug)]
pub(crate) struct Printer {
    json: bool,
}

impl Printer {
    /// A printer to standard output.
    pub(crate) fn new(json: bool) -> Self {
        Self { json }
    }

    /// True if a progress bar may be drawn on standard error.
    pub(crate) fn wants_progress(&self) -> bool {
        !self.json && std::io::stderr().is_terminal()
    }

    /// Says what runs, and the table's head.
    pub(crate) fn head(&self, gpu: &str, nic: &str, why: &str, what: &str) -> std::io::Result<()> {
        if self.json {
            return Ok(());
        }
        let mut out = std::io::stdout().lock();
        writeln!(out, "GPU  {gpu}\nNIC  {nic} ({why})\n{what}\n")?;
        writeln!(
            out,
            "{:>10} {:>10} {:>12} {:>12} {:>11} {:>11}  verified",
            "size", "iters", "MB/s", "messages/s", "p50 ns", "p99 ns"
        )?;
        out.flush()
    }

    /// One row.
    pub(crate) fn row(&self, row: &Row) -> std::io::Result<()> {
        if self.json {
            return Ok(());
        }
        let mut out = std::io::stdout().lock();
        writeln!(
            out,
            "{:>10} {:>10} {:>12.2} {:>12.0} {:>11} {:>11}  {}",
            row.size,
            row.iters,
            row.mb_per_s,
            row.msg_per_s,
            row.lat_p50_ns,
            row.lat_p99_ns,
            if row.verified { "verified" } else { "MISMATCH" }
        )?;
        out.flush()
    }

    /// Floors and ratios, or the JSON object.
    pub(crate) fn finish(&self, report: &Report) -> std::io::Result<()> {
        let mut out = std::io::stdout().lock();
        if self.json {
            serde_json::to_writer(&mut out, report)?;
            return writeln!(out);
        }
        let Floors { memcpy_mb_per_s, cacheline_rtt_ns } = report.floors;
        let rtt = match cacheline_rtt_ns {
            Some(ns) => format!("cache line round trip {ns:.0} ns"),
            None => "cache line round trip not measured on one core".to_owned(),
        };
        writeln!(out, "\nfloors  memcpy of 1 MiB {memcpy_mb_per_s:.0} MB/s, {rtt}")?;
        if let Some(ratio) = report.ratios.memcpy_1mib {
            writeln!(out, "        1 MiB messages reach {ratio:.2} of memcpy")?;
        }
        if let Some(ratio) = report.ratios.latency_over_rtt {
            writeln!(out, "        the smallest message takes {ratio:.1} cache line round trips")?;
        }
        if let Some(ratio) = report.ratios.cost_over_one_qp {
            writeln!(out, "        per message it costs {ratio:.2} of what one QP costs")?;
        }
        out.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ratios_are_taken_from_the_sizes_that_they_name() {
        let row = |size, mb_per_s, lat_p50_ns| Row {
            size,
            iters: 1,
            mb_per_s,
            msg_per_s: 1.0,
            lat_p50_ns,
            lat_p99_ns: 0,
            verified: true,
        };
        let floors = Floors { memcpy_mb_per_s: 100.0, cacheline_rtt_ns: Some(50.0) };
        let rows = [row(8, 1.0, 200), row(1 << 20, 90.0, 9000)];
        let both = Ratios::of(&rows, &floors, Some(2.0));
        assert_eq!((both.memcpy_1mib, both.latency_over_rtt), (Some(0.9), Some(4.0)));
        assert_eq!(both.cost_over_one_qp, Some(2.0));
        assert_eq!(Ratios::of(&rows[..1], &floors, None).memcpy_1mib, None);
        assert_eq!(Ratios::of(&[], &floors, Some(1.0)).latency_over_rtt, None);
        let one_core = Floors { cacheline_rtt_ns: None, ..floors };
        assert_eq!(Ratios::of(&rows, &one_core, None).latency_over_rtt, None);
    }
}
