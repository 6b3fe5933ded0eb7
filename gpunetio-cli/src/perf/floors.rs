//! What this machine can do at best, measured in the same run: a copy of 1 MiB and a cache line's round trip.
#![allow(unsafe_code)]

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;

/// Floors that results are compared with.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Floors {
    /// `memcpy` of 1 MiB between two buffers, in 10^6 bytes a second.
    pub(crate) memcpy_mb_per_s: f64,
    /// A cache line to another core and back, in nanoseconds; nothing on a machine with one core.
    pub(crate) cacheline_rtt_ns: Option<f64>,
}

/// Bytes of the copy that is measured.
pub(crate) const COPY_BYTES: usize = 1 << 20;
/// How long each floor is measured at a time.
const MEASURE: Duration = Duration::from_millis(60);

/// Samples of both floors, taken at several times of a run: what else goes on changes meanwhile, for floors and results
/// alike.
#[derive(Debug, Default)]
pub(crate) struct FloorSamples {
    memcpy_mb_per_s: Vec<f64>,
    cacheline_rtt_ns: Vec<f64>,
}

impl FloorSamples {
    /// Measures both; takes about an eighth of a second.
    pub(crate) fn take(&mut self) {
        self.memcpy_mb_per_s.extend(memcpy_mb_per_s());
        self.cacheline_rtt_ns.extend(cacheline_rtt_ns());
    }

    /// Medians of everything taken.
    pub(crate) fn floors(&mut self) -> Floors {
        Floors {
            memcpy_mb_per_s: median(&mut self.memcpy_mb_per_s).unwrap_or(0.0),
            cacheline_rtt_ns: median(&mut self.cacheline_rtt_ns),
        }
    }
}

fn memcpy_mb_per_s() -> Vec<f64> {
    let source = vec![0x5au8; COPY_BYTES];
    let mut target = vec![0u8; COPY_BYTES];
    let mut rates = Vec::new();
    let end = Instant::now() + MEASURE;
    while rates.len() < 20 || Instant::now() < end {
        let start = Instant::now();
        target.copy_from_slice(std::hint::black_box(&source));
        std::hint::black_box(&mut target);
        rates.push(COPY_BYTES as f64 / start.elapsed().as_secs_f64() / 1e6);
    }
    rates
}

/// A line of its own, so that nothing else travels with the ball.
#[repr(align(128))]
struct Line(AtomicU64);

/// One sample a batch of round trips between two threads, each kept on a core of its own.
fn cacheline_rtt_ns() -> Vec<f64> {
    const TRIPS: u64 = 500;
    let [here, there] = match two_cores() {
        Some(cores) => cores,
        None => return Vec::new(),
    };
    let lines = Arc::new([Line(AtomicU64::new(0)), Line(AtomicU64::new(0))]);
    let echo_lines = Arc::clone(&lines);
    let echo = std::thread::spawn(move || {
        stay_on(there);
        let mut trip = 1;
        loop {
            let ball = wait_for(&echo_lines[0].0, trip);
            // Release: partner is the Acquire in `wait_for` of the other thread; nothing but the line itself travels.
            echo_lines[1].0.store(ball, Ordering::Release);
            if ball == u64::MAX {
                return;
            }
            trip = ball + 1;
        }
    });
    let serve = std::thread::spawn(move || {
        stay_on(here);
        let (mut trip, mut samples) = (0, Vec::new());
        let end = Instant::now() + MEASURE;
        while Instant::now() < end {
            let start = Instant::now();
            for _ in 0..TRIPS {
                trip += 1;
                lines[0].0.store(trip, Ordering::Release); // Partner: as above.
                wait_for(&lines[1].0, trip);
            }
            samples.push(start.elapsed().as_nanos() as f64 / TRIPS as f64);
        }
        lines[0].0.store(u64::MAX, Ordering::Release); // Ends the echo. Partner: as above.
        samples
    });
    let samples = serve.join().unwrap_or_default();
    // The echo thread has seen the end, or it could not run at all; it has nothing to report.
    let _ = echo.join();
    samples
}

/// Waits until the line holds at least `value` and returns what it holds.
fn wait_for(line: &AtomicU64, value: u64) -> u64 {
    let mut spins = 0u32;
    loop {
        // Acquire: partner is the Release store of the other thread.
        let seen = line.load(Ordering::Acquire);
        if seen >= value {
            return seen;
        }
        std::hint::spin_loop();
        spins += 1;
        if spins.is_multiple_of(1024) {
            std::thread::yield_now();
        }
    }
}

/// Two cores that this process may use, if there are two.
fn two_cores() -> Option<[usize; 2]> {
    // SAFETY: a set of all zeros is valid, and the call writes no more than the size given.
    let set = unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        (libc::sched_getaffinity(0, size_of::<libc::cpu_set_t>(), &mut set) == 0).then_some(set)?
    };
    // SAFETY: CPU_ISSET reads within the set for every number below CPU_SETSIZE.
    let mut cores =
        (0..libc::CPU_SETSIZE as usize).filter(|&core| unsafe { libc::CPU_ISSET(core, &set) });
    Some([cores.next()?, cores.next()?])
}

/// Keeps this thread on `core`. Where the system refuses, the thread goes where it likes and the floor is noisier.
fn stay_on(core: usize) {
    // SAFETY: as in `two_cores`; the core comes from there.
    unsafe {
        let mut set: libc::cpu_set_t = std::mem::zeroed();
        libc::CPU_SET(core, &mut set);
        libc::sched_setaffinity(0, size_of::<libc::cpu_set_t>(), &set);
    }
}

/// Median; reorders `values`.
fn median(values: &mut [f64]) -> Option<f64> {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floors_are_positive_and_need_two_cores() {
        let mut samples = FloorSamples::default();
        samples.take();
        let floors = samples.floors();
        assert!(floors.memcpy_mb_per_s > 0.0);
        assert_eq!(floors.cacheline_rtt_ns.is_some_and(|ns| ns > 0.0), two_cores().is_some());
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), Some(2.0));
    }
}
