//! What this machine can do at best, measured in the same run: a copy of 1 MiB and a cache line's round trip.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use serde::Serialize;

/// Floors that results are compared with.
#[derive(Debug, Clone, Copy, Serialize)]
pub(crate) struct Floors {
    /// `memcpy` of 1 MiB between two buffers, in 10^6 bytes a second.
    pub(crate) memcpy_mb_per_s: f64,
    /// A cache line to another core and back, in nanoseconds.
    pub(crate) cacheline_rtt_ns: f64,
}

/// Bytes of the copy that is measured.
pub(crate) const COPY_BYTES: usize = 1 << 20;

impl Floors {
    /// Measures both; takes about a fifth of a second.
    pub(crate) fn measure() -> Self {
        Self { memcpy_mb_per_s: memcpy_mb_per_s(), cacheline_rtt_ns: cacheline_rtt_ns() }
    }
}

fn memcpy_mb_per_s() -> f64 {
    let source = vec![0x5au8; COPY_BYTES];
    let mut target = vec![0u8; COPY_BYTES];
    let mut rates = Vec::new();
    let end = Instant::now() + Duration::from_millis(80);
    while rates.len() < 20 || Instant::now() < end {
        let start = Instant::now();
        target.copy_from_slice(std::hint::black_box(&source));
        std::hint::black_box(&mut target);
        rates.push(COPY_BYTES as f64 / start.elapsed().as_secs_f64() / 1e6);
    }
    median(&mut rates)
}

fn cacheline_rtt_ns() -> f64 {
    const TRIPS: u64 = 2000;
    /// A line of its own, so that nothing else travels with the ball.
    #[repr(align(128))]
    struct Line(AtomicU64);

    let ball = Arc::new([Line(AtomicU64::new(0)), Line(AtomicU64::new(0))]);
    let there = Arc::clone(&ball);
    let batches = 40;
    let echo = std::thread::spawn(move || {
        for trip in 1..=TRIPS * batches {
            wait_for(&there[0].0, trip);
            // Release: partner is the Acquire in `wait_for` of the other thread; nothing but the line itself travels.
            there[1].0.store(trip, Ordering::Release);
        }
    });
    let mut batch_ns = Vec::new();
    for batch in 0..batches {
        let start = Instant::now();
        for trip in batch * TRIPS + 1..=(batch + 1) * TRIPS {
            ball[0].0.store(trip, Ordering::Release); // Partner: as above.
            wait_for(&ball[1].0, trip);
        }
        batch_ns.push(start.elapsed().as_nanos() as f64 / TRIPS as f64);
    }
    // The echo thread ends after the last trip, which has been answered; a panic in it would have hung us before.
    let _ = echo.join();
    median(&mut batch_ns)
}

fn wait_for(line: &AtomicU64, value: u64) {
    let mut spins = 0u32;
    // Acquire: partner is the Release store of the other thread.
    while line.load(Ordering::Acquire) != value {
        std::hint::spin_loop();
        spins += 1;
        if spins.is_multiple_of(4096) {
            std::thread::yield_now();
        }
    }
}

/// Median; reorders `values`, which must not be empty.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values[values.len() / 2]
}
