//! What the descriptors of a process are of: looked at again and again while it is recorded, because they are gone afterwards.

use crate::platform;
use roundtrip_bench::sys::clock;
use std::collections::{BTreeMap, BTreeSet};
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Between two looks at least.
const PAUSE: Duration = Duration::from_millis(50);
/// How many times as long as a look a pause is at least: a process may have very many descriptors.
const PAUSE_FACTOR: u32 = 20;

/// What a descriptor was of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// A pipe or socket.
    Channel,
    /// Something else.
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

/// The descriptors of a process, and of those that it started.
#[derive(Debug)]
pub(crate) struct Descriptors {
    process: u32,
    with_children: bool,
    spans: BTreeMap<(u32, i32), Vec<Span>>,
    next_look: Instant,
}

impl Descriptors {
    /// Looks for the first time.
    ///
    /// # Errors
    /// They may not be looked at.
    pub(crate) fn of(process: u32, with_children: bool) -> io::Result<Self> {
        let mut new = Self::none(process, with_children);
        new.look_at(process)?;
        Ok(new)
    }

    pub(super) fn none(process: u32, with_children: bool) -> Self {
        Self { process, with_children, spans: BTreeMap::new(), next_look: Instant::now() }
    }

    /// When it is time to look again.
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

    /// What a descriptor of a process was of at a time.
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

/// The threads that a process has.
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
}
