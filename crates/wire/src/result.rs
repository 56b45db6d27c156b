//! One case's results: what was measured, how, and the distribution of each repetition.

use crate::Slug;
use crate::hash::{Digest, digest};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// What a transport is. The server stores it as it comes, so a new transport needs no change there.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct TransportInfo {
    /// Its name everywhere: `pipe`, `ring-futex`.
    pub slug: Slug,
    /// Its name for people: `Pipe`, `Shared-memory ring, futex`.
    pub title: String,
    /// The kind of mechanism: `pipe`, `socket`, `shared-memory`, `message-queue`, `mach`.
    pub family: Slug,
    /// One or two sentences: what carries the bytes, what each side calls, what is copied.
    pub semantics: String,
    /// A kernel transport cannot have changed with a commit of this repository: it rides along as a control.
    pub control: bool,
}

/// The traffic: together with the transport's slug it says what was asked of the machine.
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
    /// How many receivers there are.
    pub peers: u32,
    /// `2proc` or `2thread`.
    pub mode: Slug,
    /// `same-cpu`, `cross-cpu` or `free`.
    pub placement: Slug,
    /// The kernel buffer that was asked for; absent: the system's default. What it granted is in
    /// [`CaseResult::counters`].
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub buffer_bytes: Option<u64>,
    /// Messages a second, in `open-loop`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub rate_per_second: Option<u64>,
    /// Sizes are drawn from this size profile; `message_bytes` is then the largest.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub size_profile: Option<Slug>,
    /// How many senders there are; absent: one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub senders: Option<u32>,
    /// Messages of one operation, of all senders together, in `route` and the channels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub messages: Option<u64>,
    /// Which of several programs of this transport: one of the `node`s that a run was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variant: Option<Slug>,
    /// What an imported benchmark is called by the tool that ran it, parameters included: `BM_Pipe/64`. Absent where
    /// this suite measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub benchmark: Option<String>,
    /// How many operations a time is of, where a tool states averages that are shorter than a nanosecond is long; absent:
    /// one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub operations: Option<u64>,
}

impl Case {
    /// The identity of this case on one transport.
    pub fn digest(&self, transport: &Slug) -> Digest {
        digest(&(transport, self))
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
    /// What a full channel does: `wait`, `drop`.
    pub on_full: Slug,
    /// Messages in flight.
    pub window: u32,
    /// Operations timed together; 1 unless they take less than a microsecond.
    pub batch: u32,
    /// The clock: `clock-monotonic`.
    pub clock: Slug,
    /// Operations done first in each repetition and not recorded.
    pub warmup: u32,
    /// What is written, read and verified, and where the cost of it falls.
    pub payload: String,
    /// What the memory went through before the clock started: `touched-after-start`, by the process that uses it; of a
    /// ring also `cleared`, when nobody had used it before, and `warm`, when others had, and died at it.
    pub storage: Slug,
    /// Repetitions done first and not reported, where a protocol says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub discarded_repetitions: Option<u32>,
    /// What watched the ends while they were measured, and so took part in the figures: `syscalls`, `counters`,
    /// `sched`. Absent: nothing did.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe: Option<Slug>,
    /// When a shared-memory ring sends a wake-up: `if-asleep`, or `always`, which is a system call a message. Absent
    /// where nobody sleeps, and where it is the kernel's affair.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wake: Option<Slug>,
    /// Into how many parts each repetition was cut, because it took turns with the other side of a comparison. Absent:
    /// it was measured in one go.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parts: Option<u32>,
    /// What the figure of a [`Summary`] is: `median`, `mean`, or `value` where a tool does not say. Absent where there
    /// are samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub statistic: Option<Slug>,
}

impl Methodology {
    /// The identity of this methodology.
    pub fn digest(&self) -> Digest {
        digest(self)
    }
}

/// All that one run has to say of one case.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct CaseResult {
    /// The mechanism.
    pub transport: TransportInfo,
    /// The traffic.
    pub case: Case,
    /// The way of measuring.
    pub methodology: Methodology,
    /// One entry for each fresh start of the peers that finished. Empty when unsupported or when all failed.
    pub repetitions: Vec<Repetition>,
    /// Repetitions that did not finish, with the reason. They are reported, never dropped.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
    /// Facts of the channel as it really was, with the unit last: `effective_buffer_bytes`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, u64>,
    /// What a program that was measured says of itself: `node`, `v8`. It is shown, and never compared.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, String>,
    /// Why this machine cannot run the case, if it cannot.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<String>,
    /// More threads took part than there were processors for them: waiting for one is part of the times.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub oversubscribed: bool,
    /// What a tool stated without samples, in place of repetitions. It is shown, and takes part in no test.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub summary: Option<Summary>,
}

/// Figures that a tool stated of a case without the samples that they were made of: nothing else can be said of them.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Summary {
    /// The figure itself; what it is says [`Methodology::statistic`].
    pub center_ns: u64,
    /// Where an interval begins that the tool stated around it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub low_ns: Option<u64>,
    /// Where that interval ends.
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
    /// How many samples it was made of.
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
    /// True when any repetition delivered other than everything, once, in order and intact. Such a result is
    /// never compared with a lossless one.
    pub fn is_lossy(&self) -> bool {
        self.repetitions.iter().any(|repetition| !repetition.is_lossless(self.case.peers))
    }

    /// Processor time of all ends, in user mode and in the kernel, over the messages delivered; in `roundtrip` one there and
    /// one back are one. None when the system does not tell it of every end, and when nothing was delivered.
    pub fn cpu_ns_per_message(&self) -> Option<u64> {
        self.of_all_ends(|end| Some(end.user_ns?.saturating_add(end.system_ns?)))?
            .checked_div(self.delivered())
    }

    /// How often the ends gave up the processor to wait, and so had to be woken, over a thousand messages delivered. None as
    /// above.
    pub fn wakes_per_1000_messages(&self) -> Option<u64> {
        self.of_all_ends(|end| end.voluntary_switches)?.saturating_mul(1_000).checked_div(self.delivered())
    }

    /// The sum over all ends of all repetitions; none unless there are some and each has the value. A report may claim any
    /// number: a sum ends at the largest.
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
    /// What happened: `responder: killed by signal 9`.
    pub reason: String,
}

/// One fresh start of the peers: the statistical unit. Times are of one operation (in `roundtrip`, there and
/// back; in `stream`, first write to last receipt of one transfer), in whole nanoseconds.
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
    /// Messages received with another content than was sent.
    pub corrupted: u64,
    /// From the first send to the last receipt.
    pub elapsed_ns: u64,
    /// What the operating system said of each end, the senders first.
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
    /// What the machine went through meanwhile, unit last: `steal_ns`, `cpu_pressure_ns`, `throttled_ns`. What a
    /// system does not tell is absent.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub conditions: BTreeMap<String, u64>,
}

impl Repetition {
    /// True when everything attempted reached every one of `receivers` once, in order and intact.
    pub fn is_lossless(&self, receivers: u32) -> bool {
        self.attempted.checked_mul(u64::from(receivers)) == Some(self.delivered)
            && self.out_of_order == 0
            && self.corrupted == 0
            && self.ends.iter().filter_map(|end| end.delivery).all(|delivery| delivery.duplicated == 0)
    }
}

/// What one end's thread went through during the timed section. Absent values are not known on that system.
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
    /// What a probe counted: `instructions`, `cache_misses`.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, u64>,
    /// What a probe was to count and could not, with the reason.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub unavailable: BTreeMap<String, String>,
    /// System calls that a probe saw, by name and result.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub system_calls: Vec<SystemCalls>,
    /// What became of the messages at this end, if it is a receiver of `route` or a channel.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub delivery: Option<Delivery>,
}

/// What became, at one receiver, of the messages that the transport took from all senders.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Delivery {
    /// Received intact, once, and in the order of their sender.
    pub delivered: u64,
    /// Never received.
    pub lost: u64,
    /// Received once more.
    pub duplicated: u64,
    /// Received after a later one of the same sender.
    pub out_of_order: u64,
    /// Received with another content than any message that was sent.
    pub torn: u64,
}

/// System calls of one name that returned the same: `2,048 reads of 8,192 B`.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct SystemCalls {
    /// Its name: `read`, `sendmsg`, `futex`.
    pub name: String,
    /// Bytes that each of them moved; absent where the call moves none or failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub bytes: Option<u64>,
    /// How many.
    pub count: u64,
}
