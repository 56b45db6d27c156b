//! The system calls of other processes, observed from outside: a probe, which slows them down many times.

use super::Unsupported;
use roundtrip_wire::SystemCalls;
use serde::{Deserialize, Serialize};
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

/// The calls of one thread in detail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Observed {
    /// Its process.
    pub process: u32,
    /// The thread.
    pub thread: u32,
    /// Its calls.
    pub calls: Vec<Calls>,
    /// The same as [`Tracer::finish`] returns them.
    pub counts: Vec<SystemCalls>,
}

/// The calls of all threads of a process, as [`Tracer::finish`] returns those of a thread.
pub fn of_process(observed: &[Observed], pid: u32) -> Vec<SystemCalls> {
    let mut counts: BTreeMap<(&str, Option<u64>), u64> = BTreeMap::new();
    let threads = observed.iter().filter(|thread| thread.process == pid);
    for SystemCalls { name, bytes, count } in threads.flat_map(|thread| &thread.counts) {
        *counts.entry((name, *bytes)).or_default() += count;
    }
    let named = |((name, bytes), count): ((&str, _), _)| SystemCalls { name: name.to_owned(), bytes, count };
    ranked(counts.into_iter().map(named).collect())
}

/// Calls with the same name, object and outcome.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Calls {
    /// Its name. The operation of a `futex` is part of it: `futex-wait`, `futex-wake`.
    pub name: String,
    /// The kind of the descriptor in the first argument: `socket`, `pipe`, `file`, `standard-error`.
    pub on: Option<String>,
    /// Whether it failed.
    pub outcome: Outcome,
    /// The count.
    pub count: u64,
    /// The sum of the moved bytes.
    pub bytes: u64,
    /// Time on a processor, including that of the observation: the count times the median.
    pub on_cpu_ns: u64,
    /// The rest of the time between its entry and its exit: the count times the first quartile.
    pub waited_ns: u64,
}

/// The outcome of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Outcome {
    /// A result above 0.
    Done,
    /// The result 0: a wake-up without a waiter, a timeout of `poll`, or success of calls without a result.
    Zero,
    /// It failed with this error number.
    Failed(i32),
}

impl Calls {
    /// No call with this name yet.
    pub fn named(name: &str) -> Self {
        Self {
            name: name.to_owned(),
            on: None,
            outcome: Outcome::Done,
            count: 0,
            bytes: 0,
            on_cpu_ns: 0,
            waited_ns: 0,
        }
    }
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
        imp::Tracer::attach(pids, cpu, false).map(Self)
    }

    /// The same with the time and the object of each call, which takes longer, and with the threads and processes that
    /// they start (Linux).
    ///
    /// # Errors
    /// As above.
    pub fn attach_in_detail(pids: Vec<u32>, cpu: Option<u32>) -> Result<Self, Unsupported> {
        imp::Tracer::attach(pids, cpu, true).map(Self)
    }

    /// Detaches those that still run, and returns the calls of each thread in detail. Empty without
    /// [`Self::attach_in_detail`]. Excludes pipes to this process.
    pub fn finish_in_detail(self) -> Vec<Observed> {
        self.0.finish_in_detail()
    }

    /// Detaches those that still run, and returns the calls of each watched thread, by its id, the most frequent first.
    /// Reads and writes of standard input, output and error are excluded: a peer uses them to communicate with the
    /// harness.
    pub fn finish(self) -> BTreeMap<u32, Vec<SystemCalls>> {
        self.0.finish()
    }
}
