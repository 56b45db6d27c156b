//! Requests at a fixed rate, each timed from when it was due: a server that stalls makes those wait that come after.

use roundtrip_stats::Distribution;
use std::sync::atomic::{AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// More than are ever under way at the rates of the budgets.
const WORKERS: usize = 16;

/// Asks `per_second` times a second; `ask` gets the number of the request, counted from 0, and when it is due. What it
/// does before [`wait`] is not timed.
///
/// # Errors
/// The first request that failed.
pub(crate) fn open_loop(
    per_second: u32,
    duration: Duration,
    ask: impl Fn(u64, Instant) -> Result<(), String> + Sync,
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
            ask(number, due)?;
            times_ns.push(ns_since(due));
        }
    };
    let times: Result<Vec<Vec<u64>>, String> = thread::scope(|scope| {
        let workers: Vec<_> = (0..WORKERS).map(|_| scope.spawn(worker)).collect();
        workers.into_iter().map(|worker| worker.join().map_err(|_| "a client panicked".to_owned())?).collect()
    });
    Distribution::of_samples(times?.concat()).ok_or_else(|| "nothing was asked".to_owned())
}

/// Waits until then, if that is still to come: awake at the end, because whoever sleeps to the end wakes up late, and that is
/// nothing that the server takes.
pub(crate) fn wait(due: Instant) {
    const AWAKE: Duration = Duration::from_micros(200);
    thread::sleep(due.saturating_duration_since(Instant::now()).saturating_sub(AWAKE));
    while Instant::now() < due {
        std::hint::spin_loop();
    }
}

/// A quantile in whole milliseconds.
pub(crate) fn ms(times: &Distribution, ppm: u32) -> u64 {
    times.quantile_ns(ppm) / 1_000_000
}

/// Nanoseconds since then.
pub(crate) fn ns_since(then: Instant) -> u64 {
    u64::try_from(then.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
