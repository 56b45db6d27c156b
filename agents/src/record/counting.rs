//! The calls that are recorded, and a tally of them.

use crate::cli::Counted;
use crate::platform;
use roundtrip_bench::sys::clock;
use roundtrip_import::sizes::in_steps;
use roundtrip_wire::size_profile::{SizeBucket, SizeHistogram};
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Calls whose result is the size of what they carried.
const SENDS: [&str; 4] = ["write", "writev", "sendto", "sendmsg"];
/// The same of what they brought.
const RECEIVES: [&str; 4] = ["read", "readv", "recvfrom", "recvmsg"];

#[derive(Clone, Copy, Debug)]
pub(crate) struct Calls {
    pub(crate) sized: &'static [&'static str],
    /// The one that carries several messages and tells how many, but not their sizes.
    pub(crate) batched: &'static str,
}

impl Calls {
    pub(crate) fn of(counted: Counted) -> Self {
        match counted {
            Counted::Sends => Self { sized: &SENDS, batched: "sendmmsg" },
            Counted::Receives => Self { sized: &RECEIVES, batched: "recvmmsg" },
        }
    }

    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        self.sized.iter().copied().chain([self.batched])
    }
}

#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// How often each size, in bytes, went to a pipe or socket.
    pub(crate) sizes: BTreeMap<u64, u64>,
    pub(crate) elsewhere_count: u64,
    /// Calls of which nobody knows where they went.
    pub(crate) unknown_count: u64,
    /// Messages of calls that carry several, whose sizes nobody tells.
    pub(crate) batched_count: u64,
    /// Events that came faster than they were written down.
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

/// The bytes that a call carried, or its messages where it carries several: those that failed, or carried nothing, are no
/// messages.
pub(crate) fn carried(result: i64) -> Option<u64> {
    u64::try_from(result).ok().filter(|&carried| carried > 0)
}

// What the descriptors of a process are of: looked at again and again while it is recorded, because they are gone afterwards.

const PAUSE: Duration = Duration::from_millis(50);
/// How many times as long as a look a pause is at least: a process may have very many descriptors.
const PAUSE_FACTOR: u32 = 20;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Channel,
    Other,
    /// It was gone before it was looked at, or became something else between two looks.
    Unknown,
}

/// From the first to the last look at which a descriptor was of the same kind, in nanoseconds of the clock.
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
    next_look: Instant,
}

impl Descriptors {
    pub(crate) fn of(process: u32, with_children: bool) -> io::Result<Self> {
        let mut new = Self::none(process, with_children);
        new.look_at(process)?;
        Ok(new)
    }

    pub(crate) fn none(process: u32, with_children: bool) -> Self {
        Self { process, with_children, spans: BTreeMap::new(), next_look: Instant::now() }
    }

    pub(crate) fn next_look(&self) -> Instant {
        self.next_look
    }

    /// Looks again. Processes may have ended meanwhile.
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
            // One that was closed a moment ago is none.
            if let (Some(number), Ok(is_channel)) = (number, platform::is_channel(&path)) {
                self.saw((process, number), is_channel, clock::now_ns());
            }
        }
        Ok(())
    }

    fn saw(&mut self, descriptor: (u32, i32), is_channel: bool, now_ns: u64) {
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

/// The processes that its threads have started, as far as the kernel tells.
fn children(process: u32) -> Vec<u32> {
    let file = |thread: u32| PathBuf::from(format!("/proc/{process}/task/{thread}/children"));
    let texts = threads(process).into_iter().filter_map(|thread| std::fs::read_to_string(file(thread)).ok());
    texts
        .flat_map(|text| text.split_whitespace().filter_map(|id| id.parse().ok()).collect::<Vec<u32>>())
        .collect()
}

// From sizes that were counted to a profile.

/// So many sizes stand as they are; of more, neighbours are put together. About 2 kB of text, which fits in an address.
const EXACT_MAX: usize = 200;
/// Into eight steps of a doubling, so that a bucket's sizes differ by an eighth at most.
const STEP_BITS: u32 = 3;

/// A profile of sizes and how often each was counted; none of none.
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
    fn a_descriptor_is_what_the_looks_before_and_after_say_and_unknown_where_they_differ() {
        let mut descriptors = Descriptors::none(7, false);
        for (is_channel, now_ns) in [(true, 100), (true, 200), (false, 300), (false, 400)] {
            descriptors.saw((7, 4), is_channel, now_ns);
        }
        let kinds = [50, 150, 250, 350, 450].map(|at_ns| descriptors.kind(7, 4, at_ns));
        assert_eq!(kinds, [Kind::Channel, Kind::Channel, Kind::Unknown, Kind::Other, Kind::Other]);
        assert_eq!(descriptors.kind(7, 5, 150), Kind::Unknown);
    }

    #[test]
    fn few_sizes_stand_as_they_are_and_of_many_neighbours_are_put_together() {
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
    fn a_file_has_a_line_a_bucket_and_a_quantile_is_of_the_messages() {
        let sizes: SizeHistogram = "12-15:6,64:3,100:1".parse().unwrap();
        assert_eq!(csv(&sizes), "from_bytes,to_bytes,count\n12,15,6\n64,64,3\n100,100,1\n");
        assert_eq!([0.5, 0.9, 0.99].map(|share| quantile_bytes(&sizes, share)), [15, 64, 100]);
    }
}
