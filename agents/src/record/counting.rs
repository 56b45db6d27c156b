//! The recorded calls, and their tally.

use crate::cli::Counted;
use crate::platform;
use roundtrip_bench::sys::clock;
use roundtrip_import::sizes::in_steps;
use roundtrip_wire::size_profile::{SizeBucket, SizeHistogram};
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Calls whose result is the number of bytes sent.
const SENDS: [&str; 4] = ["write", "writev", "sendto", "sendmsg"];
/// Calls whose result is the number of bytes received.
const RECEIVES: [&str; 4] = ["read", "readv", "recvfrom", "recvmsg"];

#[derive(Clone, Copy, Debug)]
pub(crate) struct Calls {
    pub(crate) sized: &'static [&'static str],
    /// The call that sends or receives several messages and returns their number, but not their sizes.
    pub(crate) batched: &'static str,
}

impl Calls {
    pub(crate) fn new(counted: Counted) -> Self {
        match counted {
            Counted::Sends => Self { sized: &SENDS, batched: "sendmmsg" },
            Counted::Receives => Self { sized: &RECEIVES, batched: "recvmmsg" },
        }
    }

    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        self.sized.iter().copied().chain([self.batched])
    }
}

#[derive(Debug, Default, PartialEq, Eq, Serialize)]
pub(crate) struct Tally {
    /// The number of messages by size, in bytes, sent to pipes and sockets.
    #[serde(skip)]
    pub(crate) sizes: BTreeMap<u64, u64>,
    /// Calls not counted, because their descriptor is unknown.
    pub(crate) unknown_count: u64,
    /// Calls not counted, because they used files, terminals and the like.
    pub(crate) elsewhere_count: u64,
    /// Messages not counted, because `sendmmsg` and `recvmmsg` do not report their sizes.
    pub(crate) batched_count: u64,
    /// Events lost because they came too fast.
    pub(crate) lost_count: u64,
}

impl Tally {
    pub(crate) fn add(&mut self, kind: Kind, bytes: u64, count: u64) {
        match kind {
            Kind::Channel => *self.sizes.entry(bytes).or_default() += count,
            Kind::Other => self.elsewhere_count += count,
            Kind::Unknown => self.unknown_count += count,
        }
    }
}

/// The bytes of a call, or the messages of a batched one; `None` if it failed or carried nothing.
pub(crate) fn carried(result: i64) -> Option<u64> {
    u64::try_from(result).ok().filter(|&carried| carried > 0)
}

// The kinds of a process's descriptors, read repeatedly while it is recorded because they are gone
// afterwards.

const PAUSE: Duration = Duration::from_millis(50);
/// The smallest ratio of a pause to the scan before it: a process may have very many descriptors.
const PAUSE_FACTOR: u32 = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Channel,
    Other,
    /// Closed before the first scan, or changed between two scans.
    Unknown,
}

/// The first and the last scan that observe a descriptor with the same kind, in nanoseconds of the clock.
#[derive(Clone, Copy, Debug)]
struct Span {
    first_ns: u64,
    last_ns: u64,
    is_channel: bool,
}

#[derive(Debug)]
pub(crate) struct Descriptors {
    process: u32,
    with_children: bool,
    spans: BTreeMap<(u32, i32), Vec<Span>>,
    pub(crate) next_look: Instant,
}

impl Descriptors {
    pub(crate) fn new(process: u32, with_children: bool) -> io::Result<Self> {
        let mut new = Self::none(process, with_children);
        new.look_at(process)?;
        Ok(new)
    }

    pub(crate) fn none(process: u32, with_children: bool) -> Self {
        Self { process, with_children, spans: BTreeMap::new(), next_look: Instant::now() }
    }

    /// Scans again. Processes may have ended meanwhile.
    pub(crate) fn look(&mut self) {
        let begin = Instant::now();
        let mut waiting = vec![self.process];
        let mut seen = BTreeSet::new();
        while let Some(process) = waiting.pop().filter(|&process| seen.insert(process)) {
            let _ = self.look_at(process);
            if self.with_children {
                waiting.extend(children(process));
            }
        }
        self.next_look = Instant::now() + PAUSE.max(begin.elapsed() * PAUSE_FACTOR);
    }

    fn look_at(&mut self, process: u32) -> io::Result<()> {
        for entry in std::fs::read_dir(format!("/proc/{process}/fd"))? {
            let path = entry?.path();
            let number = path.file_name().and_then(|name| name.to_str()?.parse().ok());
            // It may have been closed a moment ago.
            if let (Some(number), Ok(is_channel)) = (number, platform::is_channel(&path)) {
                self.observe((process, number), is_channel, clock::now_ns());
            }
        }
        Ok(())
    }

    fn observe(&mut self, descriptor: (u32, i32), is_channel: bool, now_ns: u64) {
        let spans = self.spans.entry(descriptor).or_default();
        match spans.last_mut().filter(|span| span.is_channel == is_channel) {
            Some(span) => span.last_ns = now_ns,
            None => spans.push(Span { first_ns: now_ns, last_ns: now_ns, is_channel }),
        }
    }

    pub(crate) fn kind(&self, process: u32, descriptor: i32, at_ns: u64) -> Kind {
        let spans = self.spans.get(&(process, descriptor)).map_or(&[][..], Vec::as_slice);
        let begun = spans.partition_point(|span| span.first_ns <= at_ns);
        match (begun.checked_sub(1).and_then(|last| spans.get(last)), spans.get(begun)) {
            (Some(before), after) if at_ns <= before.last_ns || after.is_none() => before.kind(),
            (None, Some(after)) => after.kind(),
            _ => Kind::Unknown,
        }
    }
}

impl Span {
    fn kind(&self) -> Kind {
        if self.is_channel { Kind::Channel } else { Kind::Other }
    }
}

pub(crate) fn threads(process: u32) -> BTreeSet<u32> {
    let tasks = std::fs::read_dir(format!("/proc/{process}/task")).into_iter().flatten().flatten();
    tasks.filter_map(|task| task.file_name().to_str()?.parse().ok()).collect()
}

/// The processes that its threads have started, as far as the kernel reports.
fn children(process: u32) -> Vec<u32> {
    let file = |thread: u32| PathBuf::from(format!("/proc/{process}/task/{thread}/children"));
    let texts = threads(process).into_iter().filter_map(|thread| std::fs::read_to_string(file(thread)).ok());
    texts
        .flat_map(|text| text.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>())
        .collect()
}

// Builds a profile from counted sizes.

/// Up to this many sizes stay exact; otherwise neighbours are merged. About 2 kB of text, which fits in a
/// URL.
const EXACT_MAX: usize = 200;
/// Eight steps per doubling, so that the sizes in a bucket differ by at most an eighth.
const STEP_BITS: u32 = 3;

/// A profile of counted sizes; `None` without any.
pub(crate) fn profile(counts: &BTreeMap<u64, u64>) -> Option<SizeHistogram> {
    let one = |(&bytes, &count): (&u64, &u64)| SizeBucket { from_bytes: bytes, to_bytes: bytes, count };
    let exact: Vec<SizeBucket> = counts.iter().map(one).collect();
    let buckets = if exact.len() <= EXACT_MAX { exact } else { in_steps(&exact, STEP_BITS) };
    SizeHistogram::new(buckets).ok()
}

pub(crate) fn csv(sizes: &SizeHistogram) -> String {
    let mut text = String::from("from_bytes,to_bytes,count\n");
    for SizeBucket { from_bytes, to_bytes, count } in sizes.buckets() {
        text.push_str(&format!("{from_bytes},{to_bytes},{count}\n"));
    }
    text
}

/// The smallest size with at least this share of all messages at or below the end of its bucket.
pub(crate) fn quantile_bytes(sizes: &SizeHistogram, share: f64) -> u64 {
    let mut below = 0;
    let enough = |below: u64| below as f64 >= share * sizes.count() as f64;
    let bucket = sizes.buckets().iter().find(|bucket| {
        below += bucket.count;
        enough(below)
    });
    bucket.map_or_else(|| sizes.max_bytes(), |bucket| bucket.to_bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn descriptor_kind_needs_two_equal_scans() {
        let mut descriptors = Descriptors::none(7, false);
        for (is_channel, now_ns) in [(true, 100), (true, 200), (false, 300), (false, 400)] {
            descriptors.observe((7, 4), is_channel, now_ns);
        }
        let kinds = [50, 150, 250, 350, 450].map(|at_ns| descriptors.kind(7, 4, at_ns));
        assert_eq!(kinds, [Kind::Channel, Kind::Channel, Kind::Unknown, Kind::Other, Kind::Other]);
        assert_eq!(descriptors.kind(7, 5, 150), Kind::Unknown);
    }

    #[test]
    fn merges_only_many_sizes() {
        let few = BTreeMap::from([(12, 3), (13, 1), (4_096, 2)]);
        assert_eq!(profile(&few).unwrap().to_string(), "12:3,13:1,4096:2");
        assert_eq!(profile(&BTreeMap::new()), None);

        let many: BTreeMap<u64, u64> = (1..=100_000).map(|bytes| (bytes, 1)).collect();
        let sizes = profile(&many).unwrap();
        assert_eq!((sizes.count(), sizes.min_bytes(), sizes.max_bytes()), (100_000, 1, 100_000));
        assert!(sizes.buckets().len() < EXACT_MAX && sizes.to_string().len() < 3_000, "{sizes}");
        for bucket in sizes.buckets() {
            let width = bucket.to_bytes - bucket.from_bytes;
            assert!(width * 8 <= bucket.from_bytes, "{bucket:?} is wider than an eighth");
        }
    }

    #[test]
    fn writes_buckets_and_computes_quantiles() {
        let sizes: SizeHistogram = "12-15:6,64:3,100:1".parse().unwrap();
        assert_eq!(csv(&sizes), "from_bytes,to_bytes,count\n12,15,6\n64,64,3\n100,100,1\n");
        assert_eq!([0.5, 0.9, 0.99].map(|share| quantile_bytes(&sizes, share)), [15, 64, 100]);
    }
}
