//! Two sides of a case by the times of their repetitions: the figures that a comparison shows of it.
//!
//! Whoever compares, on a terminal or on a server, asks here, so that both say the same.

use crate::quantile::Quartiles;
use crate::verdict::{self, Row, Rule};
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

/// What is known of a case that was compared.
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
    /// What is said of it.
    pub verdict: verdict::Verdict,
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
        Some(Self {
            ratio: head.p50_ns as f64 / base.p50_ns.max(1) as f64,
            change: row.shift.map(|shift| shift.estimate.exp_m1()),
            change_interval: row.shift.and_then(|shift| shift.interval).map(|ends| ends.map(f64::exp_m1)),
            p: row.p,
            p_adjusted: row.p_adjusted,
            t: welch.map(|test| test.t),
            stars: welch.map_or("", |test| welch::stars(test.p_two_sided)),
            verdict: row.verdict.unwrap_or(verdict::Verdict::Inconclusive),
        })
    }
}

/// Compares sides that are not paired by repetition: base's and head's times of each case, all of one comparison. A case
/// that is not to be compared is `None`, has no part in the adjustment for many cases, and stays `None`; so does one of
/// which a side has no times.
pub fn unpaired(rule: &Rule, cases: &[Option<(&[u64], &[u64])>]) -> Vec<Option<Compared>> {
    let is_measured = |(base, head): &(&[u64], &[u64])| !base.is_empty() && !head.is_empty();
    let cases: Vec<_> = cases.iter().map(|sides| sides.filter(is_measured)).collect();
    let times = |side: &[u64]| side.iter().map(|&ns| ns as f64).collect();
    let measured: Vec<(Vec<f64>, Vec<f64>)> =
        cases.iter().flatten().map(|(base, head)| (times(base), times(head))).collect();
    let mut rows = verdict::unpaired(rule, &measured).into_iter();
    let compared = cases.into_iter().map(|sides| {
        let (base, head) = sides?;
        Compared::of(base, head, rows.next()?)
    });
    compared.collect()
}

/// Operations a second.
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
        let alone = unpaired(&Rule::default(), &[Some((&base, &slower))])[0].unwrap();
        assert_eq!(alone.verdict, Verdict::Regressed);
        // Rates fall where times grow.
        assert!(alone.t < Some(0.0) && alone.change > Some(0.19) && alone.stars == "***", "{alone:?}");
        assert!((alone.ratio - 1.2).abs() < 0.01, "{alone:?}");

        let none: &[u64] = &[];
        let beside = unpaired(&Rule::default(), &[None, Some((&base, none)), Some((&base, &slower))]);
        assert_eq!(beside, [None, None, Some(alone)]);
    }

    #[test]
    fn cases_of_one_comparison_are_adjusted_for_each_other() {
        let (base, slower) = (times(10_000), times(10_200));
        let alone = unpaired(&Rule::default(), &[Some((&base, &slower))])[0].unwrap();
        let mut many = vec![Some((&base[..], &base[..])); 20];
        many.push(Some((&base, &slower)));
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
