//! Compares two sides measured in the same way, over the message size: the ratio at each size with its
//! rank-test interval, and the crossovers.

use super::Member;
use super::evidence::{EvidenceCell, EvidenceColumn, EvidenceRow, EvidenceRows, EvidenceTable, EvidenceUnit};
use crate::charts::crossover::{self, Crossover};
use crate::charts::members;
use crate::charts::sweep::{Facts, SweptParameter};
use crate::units::{about, ratio, size};
use roundtrip_stats::crossover::Measured;
use roundtrip_stats::shift::{self, Shift};
use roundtrip_storage::series::Series;
use std::collections::{BTreeMap, BTreeSet};

/// The facts that may differ between the sizes of a duel: warm-up operations and discarded repetitions.
const WITH_THE_SIZE: [&str; 2] = ["warmup", "discarded_repetitions"];

/// The minimum number of sizes of a duel.
const SIZES_MIN: usize = 2;

pub(super) struct Duel<'m> {
    /// Any of its series, for the facts that they share.
    pub(super) series: &'m Series,
    pub(super) sizes: Vec<AtSize<'m>>,
    /// Crossovers of side 0 and side 1.
    crossovers: Vec<Crossover>,
}

pub(super) struct AtSize<'m> {
    pub(super) message_bytes: u64,
    pub(super) sides: [&'m members::Member; 2],
    /// The difference of the second side's logarithmic times from the first's.
    shift: Shift,
}

#[derive(Debug, PartialEq)]
pub(super) enum Winner {
    Always(usize),
    /// One is faster up to a size, the other above it.
    Changes {
        below: usize,
        at: Crossover,
    },
    ChangesOften(usize),
    /// One is faster at some sizes, tied at the others.
    Sometimes {
        side: usize,
        sizes: usize,
    },
    /// Tied at all sizes.
    Unclear,
}

/// The duels of some series, those with the most sizes first: lossless pairs in one environment that differ
/// only in their mechanism. `side` returns the side and pairing of a series. Of duels with the same `title`,
/// the one with the most sizes stays.
pub(super) fn duels<Pairing: Ord>(
    members: &[Member],
    side: impl Fn(&Series) -> Option<(Pairing, usize)>,
    title: impl Fn(&Duel<'_>) -> String,
) -> Vec<Duel<'_>> {
    let mut groups: BTreeMap<_, BTreeMap<i64, BySize<'_>>> = BTreeMap::new();
    for member in members.iter().map(|member| &member.of_a_size).filter(|member| !member.point.lossy) {
        let members::Member { x, series, point } = member;
        let Some((pairing, side)) = side(series) else { continue };
        let Series { transport, case, methodology, .. } = series;
        let facts = SweptParameter::MessageBytes.others(&transport.slug, case, methodology);
        let comparable: Facts = crossover::comparable_facts(&facts)
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let mut alike = comparable.clone();
        alike.retain(|name, _| !WITH_THE_SIZE.contains(&name.as_str()));
        let by_environment = groups.entry((pairing, alike, point.oversubscribed)).or_default();
        let by_size = by_environment.entry(point.environment_id).or_default();
        let sides = by_size.entry((*x, comparable)).or_default();
        // Run ids begin with the time.
        if let Some(place) =
            sides.get_mut(side).filter(|place| place.is_none_or(|before| before.point.run_id < point.run_id))
        {
            *place = Some(member);
        }
    }
    let mut duels: Vec<Duel<'_>> = groups.into_values().filter_map(Duel::of_any).collect();
    // A stable sort keeps the order by case.
    duels.sort_by_key(|duel| std::cmp::Reverse(duel.sizes.len()));
    let mut titles = BTreeSet::new();
    duels.retain(|duel| titles.insert(title(duel)));
    duels
}

/// The results of both sides, by size and case.
type BySize<'m> = BTreeMap<(u64, Facts), [Option<&'m members::Member>; 2]>;

impl<'m> Duel<'m> {
    /// The environment with the most sizes in common; the newest in a tie.
    fn of_any(by_environment: BTreeMap<i64, BySize<'m>>) -> Option<Self> {
        by_environment.into_values().filter_map(Self::from_sizes).max_by_key(|duel| duel.sizes.len())
    }

    fn from_sizes(by_size: BySize<'m>) -> Option<Self> {
        let mut sizes: Vec<AtSize<'m>> = Vec::new();
        for ((message_bytes, _), sides) in by_size {
            let [Some(first), Some(second)] = sides else { continue };
            let known = sizes.last().is_some_and(|last| last.message_bytes == message_bytes);
            sizes.extend(AtSize::new(message_bytes, [first, second]).filter(|_| !known));
        }
        if sizes.len() < SIZES_MIN {
            return None;
        }
        let measured = |side: usize| -> Vec<Measured> {
            sizes
                .iter()
                .filter_map(|at| crossover::measured_at(at.message_bytes, &at.sides[side].point))
                .collect()
        };
        let crossovers = crossover::of_pair([0, 1], &measured(0), &measured(1)).collect();
        let series = &sizes.first()?.sides[0].series;
        Some(Self { series, sizes, crossovers })
    }

    pub(super) fn winner(&self) -> Winner {
        let sure = |side: usize| self.sizes.iter().filter(|at| at.is_faster(side)).count();
        match (self.crossovers.as_slice(), sure(0), sure(1)) {
            (_, first, _) if first == self.sizes.len() => Winner::Always(0),
            (_, _, second) if second == self.sizes.len() => Winner::Always(1),
            (_, 0, 0) => Winner::Unclear,
            ([at], ..) if at.from.is_some() && at.to.is_some() => {
                Winner::Changes { below: at.below, at: *at }
            }
            (_, sizes, 0) => Winner::Sometimes { side: 0, sizes },
            (_, 0, sizes) => Winner::Sometimes { side: 1, sizes },
            (changes, ..) => Winner::ChangesOften(changes.len()),
        }
    }

    /// The geometric mean of the ratios over all sizes, with its interval.
    pub(super) fn mean(&self) -> Option<EvidenceCell> {
        let shifts: Vec<Shift> = self.sizes.iter().map(|at| at.shift).collect();
        shift::mean(&shifts).map(EvidenceCell::ratio)
    }

    /// Both sides and their ratio, by size. `value` is the shown figure of a point.
    pub(super) fn table(
        &self,
        title: String,
        names: [&str; 2],
        unit: EvidenceUnit,
        value: impl Fn(&members::Member) -> Option<f64>,
    ) -> EvidenceTable {
        let [first, second] = names;
        let row = |at: &AtSize<'_>| {
            let figure = |member: &members::Member| Some(EvidenceCell::from_member(member, value(member)?));
            let [one, other] = at.sides.map(figure);
            EvidenceRow::of_size(at.message_bytes, vec![one, other, Some(EvidenceCell::ratio(at.shift))])
        };
        EvidenceTable {
            title,
            rows_are: EvidenceRows::MessageBytes,
            columns: vec![
                EvidenceColumn::new(first, unit),
                EvidenceColumn::new(second, unit),
                EvidenceColumn::new(format!("{first} speedup vs. {second}"), EvidenceUnit::Times),
            ],
            rows: self.sizes.iter().map(row).collect(),
        }
    }
}

impl<'m> AtSize<'m> {
    fn new(message_bytes: u64, sides: [&'m members::Member; 2]) -> Option<Self> {
        let [one, other] = sides.map(|member| crossover::measured_at(message_bytes, &member.point));
        let shift = one?.shift_to(&other?)?;
        Some(Self { message_bytes, sides, shift })
    }

    /// Whether a side is significantly faster.
    pub(super) fn is_faster(&self, side: usize) -> bool {
        self.shift.interval.is_some_and(|[low, high]| if side == 0 { low > 0.0 } else { high < 0.0 })
    }

    /// The ratio of the second side's time to the first's.
    pub(super) fn ratio(&self) -> EvidenceCell {
        EvidenceCell::ratio(self.shift)
    }
}

/// Joins sentences.
pub(super) fn sentences(each: impl Iterator<Item = String>) -> String {
    each.collect::<Vec<_>>().join(" ")
}

/// Where two sides are equal, with the interval.
pub(super) fn equal_at(Crossover { x, from, to, .. }: &Crossover) -> String {
    let end = |end: &Option<u64>| end.map_or_else(|| "unbounded".to_owned(), about);
    format!("{} [{}, {}]", about(*x), end(from), end(to))
}

/// A ratio with its interval: `1.44 times [1.40, 1.48]`.
pub(super) fn times(EvidenceCell { value, low, high, .. }: EvidenceCell) -> String {
    match (low, high) {
        (Some(low), Some(high)) => format!("{} times [{}, {}]", ratio(value), ratio(low), ratio(high)),
        _ => format!("{} times", ratio(value)),
    }
}

pub(super) fn range(sizes: &[AtSize<'_>]) -> String {
    match sizes {
        [first, .., last] => format!("{} to {}", size(first.message_bytes), size(last.message_bytes)),
        _ => String::new(),
    }
}

/// The mode and placement in words: `two processes on one processor`.
pub(super) fn place(series: &Series) -> String {
    place_of(series.case.mode.as_str(), series.case.placement.as_str())
}

/// The same for a mode and a placement.
pub(super) fn place_of(mode: &str, placement: &str) -> String {
    let ends = match mode {
        "2proc" => "two processes",
        "2thread" => "two threads",
        other => other,
    };
    let processors = match placement {
        "same-cpu" => "on one processor",
        "cross-cpu" => "on two processors",
        "free" => "placed by the scheduler",
        other => other,
    };
    format!("{ends} {processors}")
}
