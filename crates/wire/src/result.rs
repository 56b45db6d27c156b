//! The results of a case: descriptor, methodology, and the distribution of each repetition.

use crate::Slug;
use crate::explanation::Explanation;
use crate::hash::{Digest, digest};
use crate::measure::{Better, Measure};
use crate::profile::ProfileComparison;
use roundtrip_stats::Encoded;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// The only scenario whose main result is a rate.
const STREAM: &str = "stream";
const NS_PER_SECOND: u128 = 1_000_000_000;

/// The description of a transport. The server stores it unchanged, so new transports need no change there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TransportInfo {
    /// Its name everywhere: `pipe`, `ring-futex`.
    pub slug: Slug,
    /// Its title: `Pipe`, `Shared-memory ring, futex`.
    pub title: String,
    /// The kind of mechanism: `pipe`, `socket`, `shared-memory`, `message-queue`, `mach`.
    pub family: Slug,
    /// One or two sentences on the mechanism, the calls of each side, and the copies.
    pub semantics: String,
    /// Whether it is a control: a transport that commits of the repository cannot change.
    pub control: bool,
}

/// The traffic. With the transport's slug, it defines what the machine measures.
///
/// Field order is part of the identity (see [`crate::hash`]): new fields go last and are optional.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct Case {
    /// The traffic pattern: `roundtrip`, `stream`.
    pub scenario: Slug,
    /// Bytes of one message; in `stream`, of one write.
    pub message_bytes: u64,
    /// Bytes of one operation when it takes several messages: in `stream`, of one transfer.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub total_bytes: Option<u64>,
    /// The number of receivers.
    pub peers: u32,
    /// `2proc` or `2thread`.
    pub mode: Slug,
    /// `same-cpu`, `cross-cpu` or `free`.
    pub placement: Slug,
    /// The requested kernel buffer; absent for the system's default. The granted size is in [`CaseResult::counters`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_bytes: Option<u64>,
    /// Messages a second, in `open-loop`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_per_second: Option<u64>,
    /// The size profile from which sizes are sampled. `message_bytes` is then the largest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_profile: Option<Slug>,
    /// The number of senders; absent: one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub senders: Option<u32>,
    /// Messages of one operation, of all senders together, in `route` and the channels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<u64>,
    /// Which of several programs of this transport: one of the `node`s that a run was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<Slug>,
    /// The name of an imported benchmark with parameters: `BM_Pipe/64`. Absent for our own results.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<String>,
    /// The number of operations that a time covers, for tools whose averages are below a nanosecond; absent: one. Values of
    /// another measure are multiplied by it, to keep fractions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<u64>,
    /// The measured quantity; absent: the time of an operation, in nanoseconds. Fields ending in `_ns` then hold its values.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub measure: Option<Measure>,
}

impl Case {
    /// The identity of this case on one transport.
    pub fn digest(&self, transport: &Slug) -> Digest {
        digest(&(transport, self))
    }

    /// Which values are better.
    pub fn better(&self) -> Better {
        self.measure.as_ref().map_or(Better::Lower, |measure| measure.better)
    }

    /// Delivered payload bytes per second of transfer time, in `stream`. None with a size profile: `message_bytes` is then
    /// the largest size, and the delivered bytes are unknown.
    pub fn bytes_per_second(&self, delivered: u64, elapsed_ns: u64) -> Option<u64> {
        if self.scenario.as_str() != STREAM || self.size_profile.is_some() {
            return None;
        }
        let bytes = u128::from(delivered).checked_mul(u128::from(self.message_bytes))?;
        let bytes_per_second = bytes.checked_mul(NS_PER_SECOND)?.checked_div(u128::from(elapsed_ns))?;
        u64::try_from(bytes_per_second).ok()
    }
}

/// How it was measured. Two results with different methodologies are never compared.
///
/// Field order is part of the identity (see [`crate::hash`]): new fields go last and are optional.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize, ToSchema)]
pub struct Methodology {
    /// Raised only when the way of measuring changes, not with every release.
    pub protocol_version: u32,
    /// How a send waits: `blocking`, `non-blocking`.
    pub send: Slug,
    /// How a receive waits: `block`, `spin`, `spin-then-block`.
    pub receive: Slug,
    /// The behaviour of a full channel: `wait` or `drop`.
    pub on_full: Slug,
    /// Messages in flight.
    pub window: u32,
    /// Operations per timing; 1 unless they take less than a microsecond.
    pub batch: u32,
    /// The clock: `clock-monotonic`.
    pub clock: Slug,
    /// Operations done first in each repetition and not recorded.
    pub warmup: u32,
    /// How the payload is written, read and verified, and which side pays for it.
    pub payload: String,
    /// The state of memory before timing: `touched-after-start`, pre-faulted by its user; for rings also `cleared`
    /// (new) or `warm` (used before).
    pub storage: Slug,
    /// Repetitions run first and discarded, if the protocol requires it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discarded_repetitions: Option<u32>,
    /// The probe that observed the ends: `syscalls`, `counters`, `sched`. Absent without a probe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<Slug>,
    /// When a shared-memory ring sends a wake-up: `if-asleep` or `always`. Absent for busy-waiting rings and kernel
    /// transports.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wake: Option<Slug>,
    /// The number of parts of each repetition, which alternated with the other side of a comparison. Absent: one part.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<u32>,
    /// The statistic of a [`Summary`]: `median`, `mean`, or `value` if unknown. Absent if there are samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistic: Option<Slug>,
}

impl Methodology {
    /// The identity of this methodology.
    pub fn digest(&self) -> Digest {
        digest(self)
    }
}

/// The result of one case in one run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CaseResult {
    /// The mechanism.
    pub transport: TransportInfo,
    /// The traffic.
    pub case: Case,
    /// The methodology.
    pub methodology: Methodology,
    /// One entry for each fresh start of the peers that finished. Empty when unsupported or when all failed.
    pub repetitions: Vec<Repetition>,
    /// Repetitions that did not finish, with the reason. They are reported, never dropped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
    /// Actual properties of the channel, with the unit last: `effective_buffer_bytes`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, u64>,
    /// Versions reported by a measured program: `node`, `v8`. Shown, never compared.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, String>,
    /// Why this machine cannot run the case, if it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<String>,
    /// There were more threads than processors, so times include waiting for a processor.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub oversubscribed: bool,
    /// Another tool's values without samples. Shown, never compared.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
    /// Why it is slower than another commit, if a comparison in pairs found that it is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub explanation: Option<Explanation>,
    /// The call stacks of both sides of that comparison.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<ProfileComparison>,
}

/// Another tool's values for a case, without samples.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Summary {
    /// The value. [`Methodology::statistic`] names the statistic.
    pub center_ns: u64,
    /// The lower end of the interval stated by the tool.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low_ns: Option<u64>,
    /// The upper end of the stated interval.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub high_ns: Option<u64>,
    /// Smallest time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub min_ns: Option<u64>,
    /// Largest time.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub max_ns: Option<u64>,
    /// Quantiles, ascending.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub quantiles: Vec<StatedQuantile>,
    /// The number of samples behind it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub count: Option<u64>,
}

/// A quantile that a tool stated.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct StatedQuantile {
    /// The share of times that are not longer, in parts per million.
    pub q_ppm: u32,
    /// The time.
    pub ns: u64,
}

impl CaseResult {
    /// Whether it has neither figures nor a reason for their absence. A report has no empty result.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.repetitions.is_empty()
            && self.failures.is_empty()
            && self.summary.is_none()
            && self.unsupported.is_none()
    }

    /// Whether any repetition lost, duplicated, reordered or damaged messages. Such a result is never
    /// compared.
    pub fn is_lossy(&self) -> bool {
        self.repetitions.iter().any(|repetition| !repetition.is_lossless(self.case.peers))
    }

    /// Processor time of all ends, in user and kernel mode, per delivered message; in `roundtrip`, per round
    /// trip. None if the system does not report it for every end, or if nothing was delivered.
    pub fn cpu_ns_per_message(&self) -> Option<u64> {
        self.of_all_ends(|end| Some(end.user_ns?.saturating_add(end.system_ns?)))?
            .checked_div(self.delivered())
    }

    /// How often the ends gave up the processor to wait, and had to be woken, per thousand delivered
    /// messages. None as above.
    pub fn wakes_per_1000_messages(&self) -> Option<u64> {
        self.of_all_ends(|end| end.voluntary_switches)?.saturating_mul(1_000).checked_div(self.delivered())
    }

    /// The sum over all ends of all repetitions; none without repetitions, or if any lacks the value.
    /// Saturates, because a report may contain any number.
    fn of_all_ends(&self, value: impl Fn(&EndObservation) -> Option<u64>) -> Option<u64> {
        let mut ends = self.repetitions.iter().flat_map(|repetition| &repetition.ends);
        let first = value(ends.next()?)?;
        ends.try_fold(first, |sum, end| Some(sum.saturating_add(value(end)?)))
    }

    fn delivered(&self) -> u64 {
        self.repetitions.iter().fold(0, |sum, repetition| sum.saturating_add(repetition.delivered))
    }
}

/// A repetition that did not finish.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Failure {
    /// Which one, counted from 0.
    pub repetition: u32,
    /// The reason: `responder: killed by signal 9`.
    pub reason: String,
}

/// One fresh start of the peers: the statistical unit. Times are of one operation (in `roundtrip`, a round
/// trip; in `stream`, first write to last receipt of one transfer), in whole nanoseconds.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Repetition {
    /// Which one, counted from 0.
    pub index: u32,
    /// `HdrHistogram` V2 with deflate, base64: 1 ns to 60 s, 3 significant digits.
    pub histogram: String,
    /// All samples when there are 10,000 or fewer: sorted, differences as LEB128, base64.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub samples: Option<String>,
    /// Recorded operations.
    pub count: u64,
    /// Exact smallest time.
    pub min_ns: u64,
    /// Exact largest time.
    pub max_ns: u64,
    /// Exact sum of all times.
    pub sum_ns: u64,
    /// Messages whose sending was tried, warm-up excluded.
    pub attempted: u64,
    /// Messages the transport took.
    pub accepted: u64,
    /// Messages received intact, summed over receivers.
    pub delivered: u64,
    /// Messages received after a later one.
    pub out_of_order: u64,
    /// Messages received with different content than was sent.
    pub corrupted: u64,
    /// From the first send to the last receipt.
    pub elapsed_ns: u64,
    /// Operating-system counters of each end, senders first.
    pub ends: Vec<EndObservation>,
    /// Why this repetition is suspect, as in `cpu 1 was shared`; it is marked, not dropped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub disturbed: Vec<String>,
    /// In `open-loop`: messages whose sending began a whole interval late, or more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub late: Option<u64>,
    /// In `open-loop`: messages received only when the next one was already due, or never.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub missed: Option<u64>,
    /// The machine's conditions, with the unit last: `steal_ns`, `cpu_pressure_ns`, `throttled_ns`. Unavailable values
    /// are absent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub conditions: BTreeMap<String, u64>,
    /// The logarithm of this side's time over the other side's, in billionths, if their parts alternated. Both sides of a
    /// pair have the same index and opposite logarithms.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub log_ratio_ppb: Option<i64>,
}

impl Repetition {
    /// Its distribution, not yet decoded.
    pub fn encoded(&self) -> Encoded<'_> {
        Encoded {
            histogram: &self.histogram,
            samples: self.samples.as_deref(),
            count: self.count,
            min_ns: self.min_ns,
            max_ns: self.max_ns,
            sum_ns: self.sum_ns,
        }
    }

    /// Whether all attempted messages reached each of `receivers` once, in order and intact.
    pub fn is_lossless(&self, receivers: u32) -> bool {
        self.attempted.checked_mul(u64::from(receivers)) == Some(self.delivered)
            && self.out_of_order == 0
            && self.corrupted == 0
            && self.ends.iter().filter_map(|end| end.delivery).all(|delivery| delivery.duplicated == 0)
    }
}

/// Operating-system counters of one end's thread during the timed section. Unavailable values are absent.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct EndObservation {
    /// Processors it was seen on, in ascending order.
    pub cpus_seen: Vec<u32>,
    /// Times the scheduler moved it to another processor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub migrations: Option<u64>,
    /// Context switches because it waited.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub voluntary_switches: Option<u64>,
    /// Context switches because another thread was given the processor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub involuntary_switches: Option<u64>,
    /// Processor time in user mode.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub user_ns: Option<u64>,
    /// Processor time in the kernel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub system_ns: Option<u64>,
    /// Page faults served without the disk.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub minor_faults: Option<u64>,
    /// Time for which it was ready to run and waited for a processor.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub ready_ns: Option<u64>,
    /// A probe's counters: `instructions`, `cache_misses`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, u64>,
    /// Counters that a probe could not read, with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unavailable: BTreeMap<String, String>,
    /// System calls that a probe saw, by name and result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub system_calls: Vec<SystemCalls>,
    /// Deliveries to this end, if it is a receiver of `route` or a channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<Delivery>,
}

/// Deliveries to one receiver, over the accepted messages of all senders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Delivery {
    /// Received intact, once, and in the order in which their sender sent them.
    pub delivered: u64,
    /// Never received.
    pub lost: u64,
    /// Received again.
    pub duplicated: u64,
    /// Received after a later one of the same sender.
    pub out_of_order: u64,
    /// Received with content that no sender sent.
    pub torn: u64,
}

/// System calls with the same name and result: `2,048 reads of 8,192 B`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SystemCalls {
    /// Its name: `read`, `sendmsg`, `futex`.
    pub name: String,
    /// Bytes per call; absent if the call moves none or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// The count.
    pub count: u64,
}
