//! Sends requests at a fixed rate and times each from its due time, so a stall of the server also counts for later requests.

use roundtrip_stats::Distribution;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// More than the concurrent requests at any measured rate.
const WORKERS: usize = 16;

/// Calls `request` `per_second` times per second for `duration`, with the number of the request, from 0, and its due time.
/// The work that `request` does before it calls [`wait`] does not count, unless it ends after the due time.
///
/// # Errors
/// A request failed.
pub(crate) fn open_loop(
    per_second: u32,
    duration: Duration,
    request: impl Fn(u64, Instant) -> Result<(), String> + Sync,
) -> Result<Distribution, String> {
    let interval = Duration::from_secs(1) / per_second;
    let count = duration.as_secs() * u64::from(per_second);
    let (start, next) = (Instant::now() + interval, AtomicU64::new(0));
    let worker = || {
        let mut times_ns = Vec::new();
        loop {
            let number = next.fetch_add(1, Ordering::Relaxed);
            if number >= count {
                return Ok(times_ns);
            }
            let due = start + interval * u32::try_from(number).map_err(|error| error.to_string())?;
            request(number, due)?;
            times_ns.push(ns_since(due));
        }
    };
    let times: Result<Vec<Vec<u64>>, String> = thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().map(|worker| worker.join().map_err(|_| "a client panicked".to_owned())?).collect()
    });
    Distribution::of_samples(times?.concat()).ok_or_else(|| "no samples".to_owned())
}

/// Waits until `due`. It spins at the end, because a sleeping thread wakes up late, which would count as server time.
pub(crate) fn wait(due: Instant) {
    const SPIN: Duration = Duration::from_micros(200);
    thread::sleep(due.saturating_duration_since(Instant::now()).saturating_sub(SPIN));
    while Instant::now() < due {
        std::hint::spin_loop();
    }
}

/// Returns a quantile in whole milliseconds.
pub(crate) fn ms(times: &Distribution, ppm: u32) -> u64 {
    times.quantile_ns(ppm) / 1_000_000
}

/// Returns the nanoseconds since `start`.
pub(crate) fn ns_since(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
