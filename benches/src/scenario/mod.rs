//! Traffic patterns over any link: one file each, one list.

use crate::link::Link;
use crate::sys::{affinity, usage};
use roundtrip_wire::EndObservation;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;
use std::io;

pub mod roundtrip;
pub mod stream;

/// Every scenario, in the order of slugs.
pub static ALL: &[&dyn Scenario] = &[&roundtrip::Roundtrip, &stream::Stream];

/// The scenario with this slug.
pub fn find(slug: &str) -> Option<&'static dyn Scenario> {
    ALL.iter().copied().find(|scenario| scenario.slug() == slug)
}

/// One traffic pattern: what each end does once both are connected.
///
/// Both ends allocate and touch their memory, call `ready`, warm up, then measure.
pub trait Scenario: Sync {
    /// Its name.
    fn slug(&self) -> &'static str;

    /// What is written, read and verified, and where the cost of it falls: part of the methodology.
    fn payload(&self) -> &'static str;

    /// The end that sends first and holds the clock.
    ///
    /// # Errors
    /// Of the link.
    fn initiate(&self, work: &Work, link: &mut dyn Link, ready: Ready<'_>) -> io::Result<EndReport>;

    /// The other end.
    ///
    /// # Errors
    /// Of the link.
    fn respond(&self, work: &Work, link: &mut dyn Link, ready: Ready<'_>) -> io::Result<EndReport>;
}

/// Called once by each end when its memory is touched; returns when both are that far.
pub type Ready<'a> = &'a mut dyn FnMut() -> io::Result<()>;

/// How much of it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Work {
    /// Bytes of one message.
    pub message_bytes: usize,
    /// Messages of one operation in `stream`; 1 in `roundtrip`.
    pub messages_per_operation: u64,
    /// Operations to record.
    pub operations: u64,
    /// Operations to do first.
    pub warmup: u64,
    /// Operations timed together.
    pub batch: u64,
    /// Whether the threads may move, so that their processors are looked at again and again.
    pub free: bool,
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
    /// Messages received after a later one, or twice.
    pub out_of_order: u64,
    /// Messages with another content than was sent.
    pub corrupted: u64,
    /// From the first send to the last receipt.
    pub elapsed_ns: u64,
    /// What the system counted.
    pub observation: EndObservation,
}

/// Watches the calling thread during the timed section.
struct Observer {
    before: usage::Usage,
    cpus: BTreeSet<u32>,
}

impl Observer {
    fn begin() -> Self {
        let mut observer = Self { before: usage::of_this_thread(), cpus: BTreeSet::new() };
        observer.look();
        observer
    }

    /// Notes the processor of this moment.
    #[inline]
    fn look(&mut self) {
        self.cpus.extend(affinity::current());
    }

    fn finish(mut self) -> EndObservation {
        self.look();
        let used = usage::of_this_thread().since(self.before);
        EndObservation {
            cpus_seen: self.cpus.into_iter().collect(),
            migrations: used.migrations,
            voluntary_switches: used.voluntary_switches,
            involuntary_switches: used.involuntary_switches,
            user_ns: used.user_ns,
            system_ns: used.system_ns,
            minor_faults: used.minor_faults,
        }
    }
}

/// Room for the samples, touched before the clock starts.
fn samples(operations: u64) -> Vec<u64> {
    let mut samples = vec![u64::MAX; usize::try_from(operations).unwrap_or(0)];
    samples.clear();
    samples
}
