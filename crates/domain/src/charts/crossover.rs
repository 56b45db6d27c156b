//! Finds where the faster of two lines changes with the message size: which lines are comparable, and their
//! crossovers.

use super::sweep::Facts;
use roundtrip_stats::crossover::{self, Measured};
use roundtrip_storage::chart::MeasuredRow;
use serde::Serialize;
use std::collections::{BTreeMap, BTreeSet};
use utoipa::ToSchema;

/// Where one line of a sweep stops being faster than another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Crossover {
    /// The line that is faster at smaller sizes, as an index from 0.
    pub below: usize,
    /// The line that is faster at larger sizes, as an index from 0.
    pub above: usize,
    /// Where they cross, in bytes.
    pub x: u64,
    /// The lower end of the 95 % interval of `x`, in bytes; null if neither line is significantly faster at any smaller
    /// size.
    #[schema(required)]
    pub from: Option<u64>,
    /// The upper end of the 95 % interval of `x`, in bytes; null if neither line is significantly faster at any larger
    /// size.
    #[schema(required)]
    pub to: Option<u64>,
}

/// The facts that may differ between two comparable lines, by their names in cases and methodologies: the
/// mechanism, its waiting and waking, its memory, and the clock, because external programs use their own.
const MECHANISM: [&str; 10] = [
    "batch",
    "buffer_bytes",
    "clock",
    "payload",
    "receive",
    "send",
    "storage",
    "transport",
    "variant",
    "wake",
];

/// A line's facts except the mechanism. Only lines with equal facts are comparable.
pub fn comparable_facts(facts: &Facts) -> BTreeMap<&str, &str> {
    let facts = facts.iter().map(|(name, value)| (name.as_str(), value.as_str()));
    facts.filter(|(name, _)| !MECHANISM.contains(name)).collect()
}

/// The result of a point at a size.
pub fn measured_at(x: u64, point: &MeasuredRow) -> Option<Measured> {
    // Times are not negative.
    Measured::new(x, point.repetition_p50_ns.iter().map(|ns| ns.cast_unsigned()))
}

/// A line, prepared for comparison with others.
#[derive(Debug)]
pub struct Comparable<'a> {
    /// Its facts, except the mechanism.
    facts: BTreeMap<&'a str, &'a str>,
    /// Its lossless results, by environment and whether it was oversubscribed; then by size.
    measured: BTreeMap<(i64, bool), Vec<Measured>>,
}

impl<'a> Comparable<'a> {
    /// Takes a line's facts, and its points by size.
    pub fn new<'p>(facts: &'a Facts, points: impl IntoIterator<Item = (u64, &'p MeasuredRow)>) -> Self {
        let mut measured: BTreeMap<_, Vec<_>> = BTreeMap::new();
        for (x, point) in points {
            let at_size = measured_at(x, point).filter(|_| !point.lossy);
            measured.entry((point.environment_id, point.oversubscribed)).or_default().extend(at_size);
        }
        Self { facts: comparable_facts(facts), measured }
    }

    /// The results of both lines in the environment where they have the most sizes in common; the newest
    /// environment in a tie.
    fn common_results<'b>(&'b self, other: &'b Self) -> Option<[&'b [Measured]; 2]> {
        if self.facts != other.facts {
            return None;
        }
        let both = self.measured.iter().filter_map(|(way, one)| Some((way, [one, other.measured.get(way)?])));
        let most = both.max_by_key(|(way, [one, other])| {
            let sizes: BTreeSet<u64> = one.iter().map(Measured::x).collect();
            (other.iter().filter(|measured| sizes.contains(&measured.x())).count(), **way)
        });
        most.map(|(_, sides)| sides.map(Vec::as_slice))
    }
}

/// The crossovers of all pairs of lines: by pair, then ascending.
pub fn of_all_pairs(lines: &[Comparable<'_>]) -> Vec<Crossover> {
    let mut crossovers = Vec::new();
    for (first, one) in lines.iter().enumerate() {
        for (second, other) in lines.iter().enumerate().skip(first + 1) {
            let Some([one, other]) = one.common_results(other) else { continue };
            crossovers.extend(of_pair([first, second], one, other));
        }
    }
    crossovers
}

/// The crossovers of two lines with these indices, ascending.
pub(crate) fn of_pair(
    [first, second]: [usize; 2],
    one: &[Measured],
    other: &[Measured],
) -> impl Iterator<Item = Crossover> {
    crossover::crossovers(one, other).into_iter().map(move |found| {
        let (below, above) = if found.first_is_faster_below { (first, second) } else { (second, first) };
        let [from, to] = [found.from, found.to].map(|end| end.map(bytes));
        Crossover { below, above, x: bytes(found.x), from, to }
    })
}

/// Whole bytes. All values lie between two measured sizes.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "sizes are positive, and fit")]
fn bytes(x: f64) -> u64 {
    x.round() as u64
}
