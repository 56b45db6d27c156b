//! Traffic patterns over any link: one file each, one list.

use crate::link::Link;
use crate::link::buffers::Buffers;
use crate::probe::Probe;
use crate::sizes::{SizeProfile, Sizes};
use crate::sys::counters::{Counters, Set};
use crate::sys::{affinity, usage};
use roundtrip_wire::EndObservation;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io;

pub(crate) mod handle_passing;
pub mod many;
pub(crate) mod open_loop;
pub(crate) mod roundtrip;
pub(crate) mod stream;
pub(crate) mod write_and_read;

mod lossy;
mod sequenced_payload;

/// All scenarios, ordered by slug.
pub static ALL: &[&dyn Scenario] = &[
    &many::CHANNEL_1_N,
    &many::CHANNEL_N_1,
    &many::CHANNEL_N_N,
    &handle_passing::HandlePassing,
    &open_loop::OpenLoop,
    &roundtrip::Roundtrip,
    &many::ROUTE,
    &stream::Stream,
    &write_and_read::WriteAndRead,
];

/// Finds the scenario with this slug.
pub fn find(slug: &str) -> Option<&'static dyn Scenario> {
    ALL.iter().copied().find(|scenario| scenario.slug() == slug)
}

/// A traffic pattern.
pub trait Scenario: Sync {
    /// Its name.
    fn slug(&self) -> &'static str;

    /// One sentence: the messages, and the meaning of one time.
    fn about(&self) -> &'static str;

    /// The data that is written, read and verified, and whether its cost is timed: part of the methodology.
    fn payload(&self) -> &'static str;

    /// The shortest message that it can distinguish from others.
    fn message_bytes_min(&self) -> usize;

    /// Whether every message is a question that waits for its answer.
    fn asks(&self) -> bool {
        false
    }

    /// Whether it needs a transport that passes descriptors.
    fn needs_handles(&self) -> bool {
        false
    }

    /// The participants.
    fn pattern(&self) -> Pattern<'_>;
}

/// The participants of a scenario and the code of each.
pub enum Pattern<'a> {
    /// Two ends that exchange messages.
    Pair(&'a dyn Pair),
    /// Any number of senders and receivers.
    Many(&'a many::Many),
}

/// The number of senders and receivers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Participants {
    /// Senders; in a pair, the initiator.
    pub senders: u32,
    /// Receivers; in a pair, the responder.
    pub receivers: u32,
}

impl Participants {
    /// Two ends that exchange messages.
    pub const PAIR: Self = Self { senders: 1, receivers: 1 };

    /// The number of ends.
    pub fn ends(self) -> u32 {
        self.senders + self.receivers
    }
}

/// The code of each end once both are connected: they allocate and touch their memory, call `ready`, warm up, then
/// measure.
pub trait Pair {
    /// The end that sends first and measures the times.
    fn initiate(&self, work: &Work, link: &mut Link, ready: Ready<'_>) -> io::Result<EndReport>;

    /// The other end.
    fn respond(&self, work: &Work, link: &mut Link, ready: Ready<'_>) -> io::Result<EndReport>;
}

/// Each end calls it once its memory is touched; returns when all ends have.
pub type Ready<'a> = &'a mut dyn FnMut() -> io::Result<()>;

/// The amount of work.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Bytes of one message; with a size profile, of the longest.
    pub message_bytes: usize,
    /// The profile that sizes are sampled from.
    pub size_profile: Option<String>,
    /// The seed for sampling sizes, equal at both ends: the number of the repetition, so that every run measures the
    /// same messages.
    pub size_seed: u64,
    /// Messages per operation in `stream`, `handle-passing` and, over all senders, in `route` and the channels; 1 in
    /// the others.
    pub messages_per_operation: u64,
    /// Messages per second, in `open-loop`.
    pub rate_per_second: Option<u64>,
    /// Operations to record.
    pub operations: u64,
    /// Unrecorded operations before those.
    pub warmup: u64,
    /// Operations timed together.
    pub batch: u64,
    /// Messages in flight, in `roundtrip`; 1 in the others.
    pub window: u32,
    /// Whether the threads may move, so that their processors are checked repeatedly.
    pub free: bool,
    /// Whether the transport drops messages when it is full.
    pub lossy: bool,
    /// The probe that observes the ends.
    pub probe: Option<Probe>,
    /// Number of senders, in `route` and the channels.
    pub senders: u32,
}

impl Work {
    /// The share of the operations that are recorded: all but the warm-up.
    pub fn recorded_share(&self) -> f64 {
        let operations = self.operations.max(1) as f64;
        operations / (operations + self.warmup as f64)
    }
}

impl Default for Work {
    /// No work, one message at a time.
    fn default() -> Self {
        Self {
            message_bytes: 0,
            size_profile: None,
            size_seed: 0,
            messages_per_operation: 1,
            rate_per_second: None,
            operations: 0,
            warmup: 0,
            batch: 1,
            window: 1,
            free: false,
            lossy: false,
            probe: None,
            senders: 1,
        }
    }
}

impl Work {
    /// The size of each message. Fails if the profile is unknown.
    fn sizes(&self) -> io::Result<Sizes> {
        self.sizes_of(0)
    }

    /// The size of each message of this sender. Fails if the profile is unknown.
    fn sizes_of(&self, sender: u32) -> io::Result<Sizes> {
        let Some(name) = &self.size_profile else { return Ok(Sizes::Fixed(self.message_bytes)) };
        let profile = SizeProfile::named(name).map_err(io::Error::other)?;
        let messages = (self.warmup + self.operations + 1) * self.messages_per_operation;
        // Each of several senders has different sizes; the first has those of a pair.
        Ok(profile.sample(messages, self.size_seed | u64::from(sender) << 32))
    }
}

/// The report of one end. The end that knows a count or the samples reports them; the other leaves zeroes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndReport {
    /// Times of single operations, in order.
    pub samples_ns: Vec<u64>,
    /// Attempted messages.
    pub attempted: u64,
    /// Messages that the transport accepted.
    pub accepted: u64,
    /// Messages received in full, in order and intact.
    pub delivered: u64,
    /// Messages received after a later one; in a pair, also those received twice.
    pub out_of_order: u64,
    /// Messages received twice, in `route` and the channels.
    pub duplicated: u64,
    /// Messages with other content than was sent.
    pub corrupted: u64,
    /// Messages sent a full interval late or more, in `open-loop`.
    pub late: Option<u64>,
    /// Messages not received when the next one was due, in `open-loop`.
    pub missed: Option<u64>,
    /// From the first send to the last receipt.
    pub elapsed_ns: u64,
    /// Time of the first send, in `route` and the channels; all processes of a machine read the same clock.
    pub first_send_ns: Option<u64>,
    /// Time of the last receipt, in `route` and the channels.
    pub last_receipt_ns: Option<u64>,
    /// The kernel's buffers for this end.
    pub buffers: Buffers,
    /// The system's number for the thread of this end, for probes.
    pub thread_id: Option<u32>,
    /// The system's counters.
    pub observation: EndObservation,
}

/// Observes the calling thread during the timed section.
struct Observer {
    before: usage::Usage,
    cpus: BTreeSet<u32>,
    /// Whether the thread may be moved in the meantime.
    free: bool,
    counters: Option<Counters>,
}

impl Observer {
    fn begin(work: &Work) -> Self {
        let counters = match work.probe {
            Some(Probe::Counters) => Some(Counters::open(Set::Hardware)),
            Some(Probe::Sched) => Some(Counters::open(Set::Scheduler)),
            Some(Probe::Syscalls | Probe::Profile) | None => None,
        };
        let cpus = affinity::current().into_iter().collect();
        let observer = Self { before: usage::for_this_thread(), cpus, free: work.free, counters };
        if let Some(counters) = &observer.counters {
            counters.start();
        }
        observer
    }

    /// Records the current processor, if it can have changed.
    #[inline]
    fn look(&mut self) {
        if self.free {
            self.cpus.extend(affinity::current());
        }
    }

    fn finish(mut self) -> EndObservation {
        let reading = self.counters.take().map(Counters::stop).unwrap_or_default();
        self.cpus.extend(affinity::current());
        let used = usage::for_this_thread().since(self.before);
        EndObservation {
            cpus_seen: self.cpus.into_iter().collect(),
            counters: reading.counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect(),
            unavailable: reading.unavailable.into_iter().map(|(name, why)| (name.to_owned(), why)).collect(),
            ..used.into()
        }
    }
}

/// Space for the samples, touched before the clock starts.
fn samples(operations: u64) -> Vec<u64> {
    let mut samples = vec![u64::MAX; usize::try_from(operations).unwrap_or(0)];
    samples.clear();
    samples
}
