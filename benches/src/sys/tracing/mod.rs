//! The system calls of other processes, observed from outside: a probe, which slows them down many times.

use super::Unsupported;
use roundtrip_wire::SystemCalls;
use std::collections::BTreeMap;

#[cfg(any(test, target_os = "freebsd"))]
mod dtrace;
#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "freebsd", path = "freebsd.rs")]
#[cfg_attr(not(any(target_os = "linux", target_os = "freebsd")), path = "unsupported.rs")]
mod imp;

/// The most entries of one thread in the result of [`Tracer::finish`]; the last one, [`OTHER`], sums rarer calls.
pub const ENTRIES_MAX: usize = 64;
/// Name of the sum of all calls without a separate entry.
pub const OTHER: &str = "other";

/// Puts the most frequent calls first, and sums the rarest if there are more than [`ENTRIES_MAX`].
#[cfg(any(test, target_os = "linux", target_os = "freebsd"))]
fn ranked(mut calls: Vec<SystemCalls>) -> Vec<SystemCalls> {
    calls.sort_unstable_by(|a, b| {
        let order = |calls: &SystemCalls| (std::cmp::Reverse(calls.count), calls.bytes);
        order(a).cmp(&order(b)).then_with(|| a.name.cmp(&b.name))
    });
    if calls.len() > ENTRIES_MAX {
        let rest = calls.split_off(ENTRIES_MAX - 1);
        let count = rest.iter().map(|calls| calls.count).sum();
        calls.push(SystemCalls { name: OTHER.to_owned(), bytes: None, count });
    }
    calls
}

/// Processes that are being watched. They continue unwatched when it is dropped.
///
/// Between [`Tracer::attach`] and [`Tracer::finish`], do not wait for any of them, not even with `try_wait`: the system
/// delivers the stops of a watched child to the first thread of this process that waits, which would mistake them for
/// its end.
#[derive(Debug)]
pub struct Tracer(imp::Tracer);

impl Tracer {
    /// Starts to watch every current thread of these processes; returns when all are watched and running again. A
    /// process that has ended in the meantime is not an error. Watching does not change the effect of signals, stops,
    /// kills or exits.
    ///
    /// The watching thread stays on `cpu`, if one is given: that of the watched threads, if they share one. On another
    /// processor, which sleeps between two calls, it would have to be woken for each.
    ///
    /// # Errors
    /// The reason why they cannot be watched; then this watches no process.
    pub fn attach(pids: Vec<u32>, cpu: Option<u32>) -> Result<Self, Unsupported> {
        imp::Tracer::attach(pids, cpu).map(Self)
    }

    /// Detaches those that still run, and returns the calls of each watched thread, by its id, the most frequent first.
    /// Reads and writes of standard input, output and error are excluded: a peer uses them to communicate with the
    /// harness.
    pub fn finish(self) -> BTreeMap<u32, Vec<SystemCalls>> {
        self.0.finish()
    }
}
