//! Compares two sides of a case by the times of their repetitions.
//!
//! `roundtrip compare` and the server both use this, so that they agree.

use crate::quantile::Quartiles;
use crate::shape::{Difference, Profile};
use crate::shift::Shift;
use crate::verdict::{self, Known, Reason, Row, Rule, Sides};
use crate::{interval, welch};

/// The confidence of a side's interval, in parts per million.
pub const CONFIDENCE_PPM: u32 = 950_000;

/// One side of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// The median over the repetitions' times.
    pub p50_ns: u64,
    /// Its 95 % interval; absent with fewer than six repetitions, which have none.
    pub interval_ns: Option<[u64; 2]>,
    /// How many repetitions there are.
    pub repetitions: usize,
    /// The mean of the repetitions' rates: operations a second.
    pub rate_per_second: f64,
}

/// A case that is not paired by repetition: base's and head's times.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Case<'a> {
    /// The p50 of each repetition.
    pub p50s_ns: [&'a [u64]; 2],
    /// Their profiles; `None` where only p50s are known, which are then all that is compared.
    pub profiles: Option<[&'a [Profile]; 2]>,
    /// What comparisons of the same code with itself found, as [`Rule::least_of`] takes it; empty where there were none.
    pub effects: &'a [f64],
}

/// The result of comparing a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// The head's time by the base's, both medians over repetitions.
    pub ratio: f64,
    /// By how much head's times are longer than base's (Hodges and Lehmann), as a share.
    pub change: Option<f64>,
    /// The 95 % interval of that change; absent with too few repetitions.
    pub change_interval: Option<[f64; 2]>,
    /// How probable so uneven times are without a change.
    pub p: f64,
    /// The same, adjusted for all cases of the comparison (Benjamini and Hochberg).
    pub p_adjusted: f64,
    /// Welch's t of the rates, positive where head is faster, as Node's tool has it.
    pub t: Option<f64>,
    /// How that tool marks it, without regard to the number of cases.
    pub stars: &'static str,
    /// The verdict.
    pub verdict: verdict::Verdict,
    /// The threshold for changes, as a share of the base's time.
    pub least: f64,
    /// Why it is inconclusive, if it is.
    pub reason: Option<Reason>,
    /// The same of the p90; absent where only p50s are known, here and below.
    pub p90: Option<QuantileChange>,
    /// The same of the p99.
    pub p99: Option<QuantileChange>,
    /// The same of the shape: its change is that of the quantile that moved most surely, against the p50.
    pub shape: Option<QuantileChange>,
}

/// The change of a quantile other than p50, or of the shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuantileChange {
    /// By how much head's times are longer than base's, as a share.
    pub change: Option<f64>,
    /// The 95 % interval of that change.
    pub change_interval: Option<[f64; 2]>,
    /// How probable so uneven times are without a change, adjusted for all that is compared.
    pub p_adjusted: f64,
    /// The verdict, if the change is significant.
    pub verdict: Option<verdict::Verdict>,
}

impl QuantileChange {
    /// Describes how the distributions differ, if the shape changed.
    pub fn difference(&self, [base, head]: [&[Profile]; 2], rule: &Rule) -> Option<String> {
        self.verdict?;
        Difference::of(base, head, rule.matters).map(|difference| difference.to_string())
    }
}

impl From<Known> for QuantileChange {
    fn from(known: Known) -> Self {
        let (change, change_interval) = shares(known.shift);
        Self { change, change_interval, p_adjusted: known.p_adjusted, verdict: known.verdict }
    }
}

impl<'a> From<(&'a [u64], &'a [u64])> for Case<'a> {
    fn from((base, head): (&'a [u64], &'a [u64])) -> Self {
        Self { p50s_ns: [base, head], ..Self::default() }
    }
}

impl Case<'_> {
    fn is_measured(&self) -> bool {
        self.p50s_ns.iter().all(|side| !side.is_empty())
    }

    fn logarithms(&self) -> Sides {
        Sides {
            p50s: self.p50s_ns.map(|side| side.iter().map(|&ns| (ns as f64).ln()).collect()),
            profiles: self.profiles.map(|sides| sides.map(<[Profile]>::to_vec)),
            effects: self.effects.to_vec(),
        }
    }
}

/// A logarithm's estimate and interval as shares.
fn shares(shift: Option<Shift>) -> (Option<f64>, Option<[f64; 2]>) {
    let interval = shift.and_then(|shift| shift.interval);
    (shift.map(|shift| shift.estimate.exp_m1()), interval.map(|ends| ends.map(f64::exp_m1)))
}

impl Side {
    /// Of the repetitions' times; `None` of none.
    pub fn of(times_ns: &[u64]) -> Option<Self> {
        Some(Self {
            p50_ns: Quartiles::of(times_ns)?.median,
            interval_ns: interval::median(times_ns, CONFIDENCE_PPM).map(|found| [found.low, found.high]),
            repetitions: times_ns.len(),
            rate_per_second: rates(times_ns).iter().sum::<f64>() / times_ns.len() as f64,
        })
    }
}

impl Compared {
    /// Of both sides' times and what the test found; `None` where a side has none.
    pub fn of(base_ns: &[u64], head_ns: &[u64], row: Row) -> Option<Self> {
        let (base, head) = (Side::of(base_ns)?, Side::of(head_ns)?);
        let welch = welch::welch(&rates(base_ns), &rates(head_ns));
        let (change, change_interval) = shares(row.p50.shift);
        Some(Self {
            ratio: head.p50_ns as f64 / base.p50_ns.max(1) as f64,
            change,
            change_interval,
            p: row.p50.p,
            p_adjusted: row.p50.p_adjusted,
            t: welch.map(|test| test.t),
            stars: welch.map_or("", |test| welch::stars(test.p_two_sided)),
            verdict: row.p50.verdict.unwrap_or(verdict::Verdict::Inconclusive),
            least: row.least,
            reason: row.reason,
            p90: row.p90.map(QuantileChange::from),
            p99: row.p99.map(QuantileChange::from),
            shape: row.shape.map(QuantileChange::from),
        })
    }
}

/// Compares sides that are not paired by repetition, all of one comparison: their p50s, or all that [`Case`] has. A case
/// that is not to be compared is `None`, has no part in the adjustment for many cases, and stays `None`; so does one of
/// which a side has no times.
pub fn unpaired<'a, C: Into<Case<'a>> + Copy>(rule: &Rule, cases: &[Option<C>]) -> Vec<Option<Compared>> {
    let cases: Vec<Option<Case<'a>>> =
        cases.iter().map(|case| (*case).map(C::into).filter(Case::is_measured)).collect();
    let measured: Vec<Sides> = cases.iter().flatten().map(Case::logarithms).collect();
    let mut rows = verdict::unpaired(rule, &measured).into_iter();
    let compared = cases.into_iter().map(|case| {
        let [base, head] = case?.p50s_ns;
        Compared::of(base, head, rows.next()?)
    });
    compared.collect()
}

fn rates(times_ns: &[u64]) -> Vec<f64> {
    times_ns.iter().map(|&ns| 1e9 / ns.max(1) as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Verdict;

    fn times(middle_ns: u64) -> Vec<u64> {
        (0..12).map(|i| middle_ns + i * 7_919 % 997 * middle_ns / 100_000).collect()
    }

    #[test]
    fn a_slower_case_regressed_and_one_that_is_not_compared_changes_nothing_of_it() {
        let (base, slower) = (times(10_000), times(12_000));
        let alone = unpaired(&Rule::default(), &[Some((&base[..], &slower[..]))])[0].unwrap();
        assert_eq!(alone.verdict, Verdict::Regressed);
        // Rates fall where times grow.
        assert!(alone.t < Some(0.0) && alone.change > Some(0.19) && alone.stars == "***", "{alone:?}");
        assert!((alone.ratio - 1.2).abs() < 0.01, "{alone:?}");

        let none: &[u64] = &[];
        let beside = unpaired(&Rule::default(), &[None, Some((&base[..], none)), Some((&base, &slower))]);
        assert_eq!(beside, [None, None, Some(alone)]);
    }

    #[test]
    fn cases_of_one_comparison_are_adjusted_for_each_other() {
        let (base, slower) = (times(10_000), times(10_200));
        let alone = unpaired(&Rule::default(), &[Some((&base[..], &slower[..]))])[0].unwrap();
        let mut many = vec![Some((&base[..], &base[..])); 20];
        many.push(Some((&base[..], &slower[..])));
        let among = unpaired(&Rule::default(), &many)[20].unwrap();
        assert_eq!(alone.p, among.p);
        assert!(among.p_adjusted > alone.p_adjusted, "{alone:?} {among:?}");
    }

    #[test]
    fn a_side_has_its_median_and_the_interval_that_few_repetitions_lack() {
        let side = Side::of(&[40, 10, 20, 30, 50, 60]).unwrap();
        assert_eq!((side.p50_ns, side.interval_ns, side.repetitions), (30, Some([10, 60]), 6));
        assert_eq!(Side::of(&[10, 20]).unwrap().interval_ns, None);
        assert_eq!(Side::of(&[]), None);
    }
}
