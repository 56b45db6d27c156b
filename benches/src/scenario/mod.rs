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

mod lossy;
mod sequenced_payload;

/// Every scenario, in the order of slugs.
pub static ALL: &[&dyn Scenario] = &[
    &many::CHANNEL_1_N,
    &many::CHANNEL_N_1,
    &many::CHANNEL_N_N,
    &handle_passing::HandlePassing,
    &open_loop::OpenLoop,
    &roundtrip::Roundtrip,
    &many::ROUTE,
    &stream::Stream,
];

/// The scenario with this slug.
pub fn find(slug: &str) -> Option<&'static dyn Scenario> {
    ALL.iter().copied().find(|scenario| scenario.slug() == slug)
}

/// One traffic pattern.
pub trait Scenario: Sync {
    /// Its name.
    fn slug(&self) -> &'static str;

    /// One sentence: what is sent, and what one time is of.
    fn about(&self) -> &'static str;

    /// What is written, read and verified, and where the cost of it falls: part of the methodology.
    fn payload(&self) -> &'static str;

    /// The shortest message it can tell from others.
    fn message_bytes_min(&self) -> usize;

    /// Whether every message is a question whose answer is awaited.
    fn asks(&self) -> bool {
        false
    }

    /// Whether it needs a transport that passes descriptors.
    fn needs_handles(&self) -> bool {
        false
    }

    /// Who takes part.
    fn pattern(&self) -> Pattern<'_>;
}

/// Who takes part in a scenario, and what each of them does.
pub enum Pattern<'a> {
    /// Two ends that talk to each other.
    Pair(&'a dyn Pair),
    /// Any number of senders and receivers.
    Many(&'a many::Many),
}

/// How many send, and how many receive.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Crowd {
    /// Those who send; of a pair, the initiator.
    pub senders: u32,
    /// Those who receive; of a pair, the responder.
    pub receivers: u32,
}

impl Crowd {
    /// Two ends that talk to each other.
    pub const PAIR: Self = Self { senders: 1, receivers: 1 };

    /// All of them.
    pub fn ends(self) -> u32 {
        self.senders + self.receivers
    }
}

/// What each end does once both are connected: they allocate and touch their memory, call `ready`, warm up, then
/// measure.
pub trait Pair {
    /// The end that sends first and holds the clock.
    fn initiate(&self, work: &Work, link: &mut Link, ready: Ready<'_>) -> io::Result<EndReport>;

    /// The other end.
    fn respond(&self, work: &Work, link: &mut Link, ready: Ready<'_>) -> io::Result<EndReport>;
}

/// Called once by each end when its memory is touched; returns when all are that far.
pub type Ready<'a> = &'a mut dyn FnMut() -> io::Result<()>;

/// How much of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Bytes of one message; with a size profile, of the longest.
    pub message_bytes: usize,
    /// The profile that sizes are drawn from.
    pub size_profile: Option<String>,
    /// From this the sizes are drawn, alike at both ends: the number of the repetition, so that every run measures the
    /// same messages.
    pub size_seed: u64,
    /// Messages of one operation in `stream`, `handle-passing`, and, of all senders together, to many; 1 in the others.
    pub messages_per_operation: u64,
    /// Messages a second, in `open-loop`.
    pub rate_per_second: Option<u64>,
    /// Operations to record.
    pub operations: u64,
    /// Operations to do first.
    pub warmup: u64,
    /// Operations timed together.
    pub batch: u64,
    /// Messages on their way at any time, in `roundtrip`; 1 in the others.
    pub window: u32,
    /// Whether the threads may move, so that their processors are looked at again and again.
    pub free: bool,
    /// Whether the transport drops what it cannot hold.
    pub lossy: bool,
    /// What watches the ends meanwhile.
    pub probe: Option<Probe>,
    /// How many send, of many.
    pub senders: u32,
}

impl Default for Work {
    /// Nothing to do, one message at a time.
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
    /// How long each message is. Fails when there is no such profile.
    fn sizes(&self) -> io::Result<Sizes> {
        self.sizes_of(0)
    }

    /// How long each message of this sender is. Fails when there is no such profile.
    fn sizes_of(&self, sender: u32) -> io::Result<Sizes> {
        let Some(name) = &self.size_profile else { return Ok(Sizes::Fixed(self.message_bytes)) };
        let profile = SizeProfile::named(name).map_err(io::Error::other)?;
        let messages = (self.warmup + self.operations + 1) * self.messages_per_operation;
        // Of many senders, each has sizes of its own; the first those of a pair.
        Ok(profile.draw(messages, self.size_seed | u64::from(sender) << 32))
    }
}

/// What one end has to say. Counts and samples are those of the end that knows them; the other leaves zeroes.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct EndReport {
    /// Times of single operations, in the order in which they happened.
    pub samples_ns: Vec<u64>,
    /// Messages whose sending was tried.
    pub attempted: u64,
    /// Messages that the transport took.
    pub accepted: u64,
    /// Messages received in full, in order and intact.
    pub delivered: u64,
    /// Messages received after a later one; of a pair, also those received twice.
    pub out_of_order: u64,
    /// Messages received twice, of many.
    pub duplicated: u64,
    /// Messages with another content than was sent.
    pub corrupted: u64,
    /// Messages sent a whole interval late, or more, in `open-loop`.
    pub late: Option<u64>,
    /// Messages not there when the next one was due, in `open-loop`.
    pub missed: Option<u64>,
    /// From the first send to the last receipt.
    pub elapsed_ns: u64,
    /// When the first message was sent, of many; all processes of a machine read the same clock.
    pub first_send_ns: Option<u64>,
    /// When the last message was received, of many.
    pub last_receipt_ns: Option<u64>,
    /// The kernel's buffers of this end.
    pub buffers: Buffers,
    /// The system's number for the thread of this end, by which a probe knows it.
    pub thread_id: Option<u32>,
    /// What the system counted.
    pub observation: EndObservation,
}

/// Watches the calling thread during the timed section.
struct Observer {
    before: usage::Usage,
    cpus: BTreeSet<u32>,
    /// Whether the thread may be moved while it is watched.
    free: bool,
    counters: Option<Counters>,
}

impl Observer {
    fn begin(work: &Work) -> Self {
        let counters = match work.probe {
            Some(Probe::Counters) => Some(Counters::open(Set::Hardware)),
            Some(Probe::Sched) => Some(Counters::open(Set::Scheduler)),
            Some(Probe::Syscalls) | None => None,
        };
        let cpus = affinity::current().into_iter().collect();
        let observer = Self { before: usage::of_this_thread(), cpus, free: work.free, counters };
        if let Some(counters) = &observer.counters {
            counters.start();
        }
        observer
    }

    /// Notes the processor of this moment, where it can have changed.
    #[inline]
    fn look(&mut self) {
        if self.free {
            self.cpus.extend(affinity::current());
        }
    }

    fn finish(mut self) -> EndObservation {
        let reading = self.counters.take().map(Counters::stop).unwrap_or_default();
        self.cpus.extend(affinity::current());
        let used = usage::of_this_thread().since(self.before);
        EndObservation {
            cpus_seen: self.cpus.into_iter().collect(),
            counters: reading.counts.into_iter().map(|(name, count)| (name.to_owned(), count)).collect(),
            unavailable: reading.unavailable.into_iter().map(|(name, why)| (name.to_owned(), why)).collect(),
            ..used.into()
        }
    }
}

/// Room for the samples, touched before the clock starts.
fn samples(operations: u64) -> Vec<u64> {
    let mut samples = vec![u64::MAX; usize::try_from(operations).unwrap_or(0)];
    samples.clear();
    samples
}
