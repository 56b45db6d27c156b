//! Classifies pairs, counts them by kind, and selects those to show: a comparison can have thousands of
//! pairs, and readers look at the first few.

use super::{ComparisonPair, Verdict};
use roundtrip_wire::comparable::Difference;
use serde::de::{IntoDeserializer as _, value};
use serde::{Deserialize, Serialize};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::str::FromStr;
use utoipa::ToSchema;

/// The result of a pair, most urgent first. It is about the p50, unless that is unchanged or inconclusive and the p90,
/// p99 or shape changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "kebab-case")]
pub enum PairKind {
    /// Head takes longer.
    Slower,
    /// Head takes less.
    Faster,
    /// Changed in p90, p99 or shape alone.
    Elsewhere,
    /// Inconclusive pairs.
    Inconclusive,
    /// It did not change.
    Unchanged,
    /// It is not compared.
    NotComparable,
}

impl FromStr for PairKind {
    type Err = value::Error;

    fn from_str(text: &str) -> Result<Self, value::Error> {
        Self::deserialize(text.into_deserializer())
    }
}

/// The number of pairs by kind.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub struct KindCounts {
    /// Head takes longer.
    pub slower: usize,
    /// Head takes less.
    pub faster: usize,
    /// Changed in p90, p99 or shape alone.
    pub elsewhere: usize,
    /// Inconclusive pairs.
    pub inconclusive: usize,
    /// Did not change.
    pub unchanged: usize,
    /// Not compared.
    pub not_comparable: usize,
}

impl KindCounts {
    /// Counts these pairs.
    pub fn new(pairs: &[ComparisonPair]) -> Self {
        let mut counts = Self::default();
        for pair in pairs {
            *match pair.kind {
                PairKind::Slower => &mut counts.slower,
                PairKind::Faster => &mut counts.faster,
                PairKind::Elsewhere => &mut counts.elsewhere,
                PairKind::Inconclusive => &mut counts.inconclusive,
                PairKind::Unchanged => &mut counts.unchanged,
                PairKind::NotComparable => &mut counts.not_comparable,
            } += 1;
        }
        counts
    }
}

impl PairKind {
    pub(super) fn from_pair(pair: &ComparisonPair) -> Self {
        let is_elsewhere =
            tail_changes(pair).next().is_some() || pair.shape.as_ref().is_some_and(|shape| shape.changed);
        match pair.verdict {
            Verdict::NotComparable => Self::NotComparable,
            Verdict::Regressed => Self::Slower,
            Verdict::Improved => Self::Faster,
            Verdict::NoChange | Verdict::Inconclusive if is_elsewhere => Self::Elsewhere,
            Verdict::Inconclusive => Self::Inconclusive,
            Verdict::NoChange => Self::Unchanged,
        }
    }
}

/// The changes of the p90 and the p99, if significant.
fn tail_changes(pair: &ComparisonPair) -> impl Iterator<Item = f64> {
    let changed = [pair.p90, pair.p99].into_iter().flatten().filter(|quantile| quantile.verdict.is_some());
    changed.filter_map(|quantile| quantile.change)
}

/// At most `limit` pairs of each requested kind, ordered by kind, largest changes first. Unchanged pairs keep
/// their order.
pub fn largest_changes(
    mut pairs: Vec<ComparisonPair>,
    kinds: &[PairKind],
    limit: Option<usize>,
) -> Vec<ComparisonPair> {
    pairs.retain(|pair| kinds.is_empty() || kinds.contains(&pair.kind));
    let Some(limit) = limit else { return pairs };
    pairs.sort_by(|one, other| one.kind.cmp(&other.kind).then_with(|| size(other).total_cmp(&size(one))));
    let (mut kind, mut count) = (None, 0);
    pairs.retain(|pair| {
        let own = Some(pair.kind);
        count = if own == kind { count + 1 } else { 1 };
        kind = own;
        count <= limit
    });
    pairs
}

/// The size of a pair's change, in the figure that determined its kind.
fn size(pair: &ComparisonPair) -> f64 {
    match pair.kind {
        PairKind::Slower | PairKind::Faster | PairKind::Inconclusive => pair.change.unwrap_or(0.0).abs(),
        PairKind::Elsewhere => tail_changes(pair).map(f64::abs).fold(0.0, f64::max),
        PairKind::Unchanged | PairKind::NotComparable => 0.0,
    }
}

/// Keeps the pairs of these series.
pub fn of_series(pairs: &mut Vec<ComparisonPair>, series_ids: &HashSet<i64>) {
    let is_wanted = |pair: &ComparisonPair| {
        [&pair.base, &pair.head].into_iter().flatten().any(|side| series_ids.contains(&side.series_id))
    };
    pairs.retain(is_wanted);
}

/// The smallest and the largest minimum detectable change of the pairs that did not change.
pub fn detectable_changes(pairs: &[ComparisonPair]) -> Option<[f64; 2]> {
    let unchanged = pairs.iter().filter(|pair| pair.kind == PairKind::Unchanged);
    let all = || unchanged.clone().filter_map(|pair| pair.detectable_change);
    all().reduce(f64::min).zip(all().reduce(f64::max)).map(<[f64; 2]>::from)
}

/// Pairs that are not compared for one reason.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct NotCompared {
    /// The differences between the sides. For `delivered`, without the numbers, because they differ in each case.
    pub differences: Vec<Difference>,
    /// Why there is nothing to compare.
    pub reasons: Vec<String>,
    /// The number of pairs.
    pub pair_count: usize,
    /// Their machines, by name.
    pub machines: Vec<String>,
}

/// The difference whose numbers differ in each case.
const DELIVERED: &str = "delivered";

/// Differences between the sides, and reasons.
type Why = (Vec<Difference>, Vec<String>);

fn why(pair: &ComparisonPair) -> Why {
    let mut differences = pair.differences.clone();
    for difference in differences.iter_mut().filter(|difference| difference.what == DELIVERED) {
        difference.base.clear();
        difference.head.clear();
    }
    (differences, pair.reasons.clone())
}

/// Why pairs are not compared, the most common reason first.
pub fn not_compared(pairs: &[ComparisonPair]) -> Vec<NotCompared> {
    let mut groups: BTreeMap<Why, Vec<&ComparisonPair>> = BTreeMap::new();
    for pair in pairs.iter().filter(|pair| pair.kind == PairKind::NotComparable) {
        groups.entry(why(pair)).or_default().push(pair);
    }
    let machine =
        |pair: &&ComparisonPair| pair.head.as_ref().or(pair.base.as_ref()).map(|side| side.machine.clone());
    let group = |((differences, reasons), members): (Why, Vec<&ComparisonPair>)| {
        let machines: BTreeSet<String> = members.iter().filter_map(machine).collect();
        NotCompared {
            differences,
            reasons,
            pair_count: members.len(),
            machines: machines.into_iter().collect(),
        }
    };
    let mut all: Vec<NotCompared> = groups.into_iter().map(group).collect();
    all.sort_by_key(|group| Reverse(group.pair_count));
    all
}
