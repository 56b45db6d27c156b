//! The calls that are recorded, and a tally of them.

use super::descriptors::Kind;
use crate::cli::Counted;
use std::collections::BTreeMap;

/// Calls whose result is the size of what they carried.
const SENDS: [&str; 4] = ["write", "writev", "sendto", "sendmsg"];
/// The same of what they brought.
const RECEIVES: [&str; 4] = ["read", "readv", "recvfrom", "recvmsg"];

/// Which calls are recorded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Calls {
    /// Those with a size.
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

    /// The names of all of them.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        self.sized.iter().copied().chain([self.batched])
    }
}

/// What a recording holds.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    /// How often each size, in bytes, went to a pipe or socket.
    pub(crate) sizes: BTreeMap<u64, u64>,
    /// Calls to something else.
    pub(crate) elsewhere_count: u64,
    /// Calls of which nobody knows where they went.
    pub(crate) unknown_count: u64,
    /// Messages of calls that carry several, whose sizes nobody tells.
    pub(crate) batched_count: u64,
    /// Events that came faster than they were written down.
    pub(crate) lost_count: u64,
}

impl Tally {
    /// Counts calls of one size.
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
