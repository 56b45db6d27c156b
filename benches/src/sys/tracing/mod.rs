//! The system calls of other processes, seen from outside: a probe, which slows them down many times over.

use super::Unsupported;
use roundtrip_wire::SystemCalls;
use std::collections::BTreeMap;

#[cfg(any(test, target_os = "freebsd"))]
mod dtrace;
#[cfg_attr(target_os = "linux", path = "linux.rs")]
#[cfg_attr(target_os = "freebsd", path = "freebsd.rs")]
#[cfg_attr(not(any(target_os = "linux", target_os = "freebsd")), path = "unsupported.rs")]
mod imp;

/// Entries of one thread in what [`Tracer::finish`] gives; what is rarer is summed in the last one, [`OTHER`].
pub const ENTRIES_MAX: usize = 64;
/// Name of the sum of all calls that have no entry of their own.
pub const OTHER: &str = "other";

/// Puts the most frequent calls first, and the rarest in one sum when there are more than [`ENTRIES_MAX`].
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

/// Processes that are being watched. They go on unwatched when it is dropped.
///
/// Between [`Tracer::attach`] and [`Tracer::finish`], wait for none of them, not even with `try_wait`: the system gives
/// the stops of a watched child to whichever thread of this process asks first, and takes them for its end.
#[derive(Debug)]
pub struct Tracer(imp::Tracer);

impl Tracer {
    /// Begins to watch every thread that these processes have now; returns when all are watched and run on. A
    /// process that has ended meanwhile is no error. Whatever happens to a watched process (signals, being stopped,
    /// killed or ending by itself) happens as if it were not watched.
    ///
    /// The watching thread stays on `cpu`, if one is given: that of those it watches, where they share one. From another,
    /// which goes to sleep between two calls, it would have to be woken for each.
    ///
    /// # Errors
    /// The reason why they cannot be watched; none of them is then.
    pub fn attach(pids: Vec<u32>, cpu: Option<u32>) -> Result<Self, Unsupported> {
        imp::Tracer::attach(pids, cpu).map(Self)
    }

    /// Lets go of those that still run, and returns the calls of each thread that was watched, by its id, the most
    /// frequent first. Reads and writes of standard input, output and error are left out: with these a peer talks
    /// to the harness.
    pub fn finish(self) -> BTreeMap<u32, Vec<SystemCalls>> {
        self.0.finish()
    }
}
