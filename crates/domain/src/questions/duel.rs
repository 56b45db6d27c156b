//! Two sides that were measured alike over the size of a message: how many times as fast the first is at each size, with the
//! interval of the rank test, and where the faster one changes.

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

/// What may differ between two sizes of a duel: how many operations were done first, and timed together.
const WITH_THE_SIZE: [&str; 2] = ["warmup", "discarded_repetitions"];

/// A duel is over at least so many sizes.
const SIZES_MIN: usize = 2;

pub(super) struct Duel<'m> {
    /// Of any of its series, for what all have in common.
    pub(super) series: &'m Series,
    pub(super) sizes: Vec<AtSize<'m>>,
    /// Where the faster one changes, with side 0 and side 1.
    crossovers: Vec<Crossover>,
}

pub(super) struct AtSize<'m> {
    pub(super) message_bytes: u64,
    pub(super) sides: [&'m members::Member; 2],
    /// By how much the logarithm of a time of the second side is larger.
    shift: Shift,
}

#[derive(Debug, PartialEq)]
pub(super) enum Winner {
    Always(usize),
    /// One up to a size, the other one beyond.
    Changes {
        below: usize,
        at: Crossover,
    },
    ChangesOften(usize),
    /// One at some sizes; at the others nothing tells.
    Sometimes {
        side: usize,
        sizes: usize,
    },
    /// At no size do the repetitions tell.
    Unclear,
}

/// The duels of some series, those with most sizes first: pairs of one environment that differ in nothing but their mechanism,
/// and lost nothing. `side` says which side a series is on, and of which pairing; of duels that `title` calls the same, the one
/// with most sizes stays.
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
        let does: Facts = crossover::does(&facts)
            .into_iter()
            .map(|(name, value)| (name.to_owned(), value.to_owned()))
            .collect();
        let mut alike = does.clone();
        alike.retain(|name, _| !WITH_THE_SIZE.contains(&name.as_str()));
        let by_environment = groups.entry((pairing, alike, point.oversubscribed)).or_default();
        let by_size = by_environment.entry(point.environment_id).or_default();
        let sides = by_size.entry((*x, does)).or_default();
        // Names of runs begin with the time.
        if let Some(place) =
            sides.get_mut(side).filter(|place| place.is_none_or(|before| before.point.run_id < point.run_id))
        {
            *place = Some(member);
        }
    }
    let mut duels: Vec<Duel<'_>> = groups.into_values().filter_map(Duel::of_any).collect();
    // Stable: of equally many, in the order of what they do.
    duels.sort_by_key(|duel| std::cmp::Reverse(duel.sizes.len()));
    let mut titles = BTreeSet::new();
    duels.retain(|duel| titles.insert(title(duel)));
    duels
}

/// What both sides measured, by size and what they do there.
type BySize<'m> = BTreeMap<(u64, Facts), [Option<&'m members::Member>; 2]>;

impl<'m> Duel<'m> {
    /// Of several environments that with most sizes in common, and of several such the newest one.
    fn of_any(by_environment: BTreeMap<i64, BySize<'m>>) -> Option<Self> {
        by_environment.into_values().filter_map(Self::of).max_by_key(|duel| duel.sizes.len())
    }

    fn of(by_size: BySize<'m>) -> Option<Self> {
        let mut sizes: Vec<AtSize<'m>> = Vec::new();
        for ((message_bytes, _), sides) in by_size {
            let [Some(first), Some(second)] = sides else { continue };
            let known = sizes.last().is_some_and(|last| last.message_bytes == message_bytes);
            sizes.extend(AtSize::of(message_bytes, [first, second]).filter(|_| !known));
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

    /// How many times as long the second side takes on the geometric mean over all sizes, with its interval.
    pub(super) fn mean(&self) -> Option<EvidenceCell> {
        let shifts: Vec<Shift> = self.sizes.iter().map(|at| at.shift).collect();
        shift::mean(&shifts).map(EvidenceCell::ratio)
    }

    /// Both sides and their ratio, by size. `value` is the figure that is shown of a point.
    pub(super) fn table(
        &self,
        title: String,
        names: [&str; 2],
        unit: EvidenceUnit,
        value: impl Fn(&members::Member) -> Option<f64>,
    ) -> EvidenceTable {
        let [first, second] = names;
        let row = |at: &AtSize<'_>| {
            let figure = |member: &members::Member| Some(EvidenceCell::of(member, value(member)?));
            let [one, other] = at.sides.map(figure);
            EvidenceRow::of_size(at.message_bytes, vec![one, other, Some(EvidenceCell::ratio(at.shift))])
        };
        EvidenceTable {
            title,
            rows_are: EvidenceRows::MessageBytes,
            columns: vec![
                EvidenceColumn::new(first, unit),
                EvidenceColumn::new(second, unit),
                EvidenceColumn::new(format!("{first} as fast as {second}"), EvidenceUnit::Times),
            ],
            rows: self.sizes.iter().map(row).collect(),
        }
    }
}

impl<'m> AtSize<'m> {
    fn of(message_bytes: u64, sides: [&'m members::Member; 2]) -> Option<Self> {
        let [one, other] = sides.map(|member| crossover::measured_at(message_bytes, &member.point));
        let shift = one?.shift_to(&other?)?;
        Some(Self { message_bytes, sides, shift })
    }

    /// Whether the repetitions tell that a side is faster.
    pub(super) fn is_faster(&self, side: usize) -> bool {
        self.shift.interval.is_some_and(|[low, high]| if side == 0 { low > 0.0 } else { high < 0.0 })
    }

    /// How many times as long the second side takes.
    pub(super) fn ratio(&self) -> EvidenceCell {
        EvidenceCell::ratio(self.shift)
    }
}

/// What is said of one duel.
pub(super) fn sentences(each: impl Iterator<Item = String>) -> String {
    each.collect::<Vec<_>>().join(" ")
}

/// Where two sides are equal, with the interval.
pub(super) fn equal_at(Crossover { x, from, to, .. }: &Crossover) -> String {
    let end = |end: &Option<u64>| end.map_or_else(|| "not bounded".to_owned(), about);
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

/// What the ends are, and where they run: `two processes on one processor`.
pub(super) fn place(series: &Series) -> String {
    place_of(series.case.mode.as_str(), series.case.placement.as_str())
}

/// The same of a mode and a placement.
pub(super) fn place_of(mode: &str, placement: &str) -> String {
    let ends = match mode {
        "2proc" => "two processes",
        "2thread" => "two threads",
        other => other,
    };
    let processors = match placement {
        "same-cpu" => "on one processor",
        "cross-cpu" => "on two processors",
        "free" => "wherever they are put",
        other => other,
    };
    format!("{ends} {processors}")
}
