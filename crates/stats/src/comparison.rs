//! Compares the two sides of a case by the times of their repetitions and computes the figures to show.
//!
//! The terminal and the server both use this module, so they give the same verdict for the same data.

use crate::quantile::Quartiles;
use crate::shape::{Difference, Profile};
use crate::shift::Shift;
use crate::verdict::{self, Outcome, Power, Reason, Rounds, Row, Rule, Sides};
use crate::{bisection, interval, welch};

/// Confidence of a side's interval, in parts per million.
pub const CONFIDENCE_PPM: u32 = 950_000;

/// One side of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Side {
    /// The median of the repetitions' times.
    pub p50_ns: u64,
    /// Its 95 % interval; absent with fewer than six repetitions.
    pub interval_ns: Option<[u64; 2]>,
    /// The number of repetitions.
    pub repetitions: usize,
    /// The mean rate of the repetitions, in operations per second.
    pub rate_per_second: f64,
}

/// The times of base and head for a case.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Case<'a> {
    /// The p50 of each repetition.
    pub p50s_ns: [&'a [u64]; 2],
    /// Their profiles; `None` if only p50s are known. Then only the p50s are compared.
    pub profiles: Option<[&'a [Profile]; 2]>,
    /// The pairs of repetitions, if one measurement paired both sides. Then the case is compared by them, as during the
    /// measurement, and the next two are not used.
    pub rounds: Option<Rounds<'a>>,
    /// Effects found in past A/A comparisons, as passed to [`Rule::least_of`]; empty if there are none.
    pub effects: &'a [f64],
    /// How much the machine moved between the sides; see [`Sides::movement`].
    pub movement: f64,
}

/// The result of comparing a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Compared {
    /// The ratio of head's time to base's, both medians over repetitions.
    pub ratio: f64,
    /// How much longer head's times are than base's, as a share (Hodges and Lehmann).
    pub change: Option<f64>,
    /// The 95 % interval of that change; absent with too few repetitions.
    pub change_interval: Option<[f64; 2]>,
    /// The p-value of the rank test.
    pub p: f64,
    /// The p-value, adjusted for all cases of the comparison (Benjamini and Hochberg).
    pub p_adjusted: f64,
    /// Welch's t of the rates, positive if head is faster, as Node's tool computes it.
    pub t: Option<f64>,
    /// The mark that Node's tool prints, which does not account for the number of cases.
    pub stars: &'static str,
    /// The verdict.
    pub verdict: verdict::Verdict,
    /// The smallest change that counts, as a share of the base's time.
    pub least: f64,
    /// How much the machine moved between the sides, as a share; 0 for pairs.
    pub movement: f64,
    /// The minimum detectable change: the smallest slowdown that would be reported with [`bisection::POWER`].
    /// `None` with too few repetitions to report any, and outside of [`compare`].
    pub detectable: Option<f64>,
    /// Why it is inconclusive, if it is.
    pub reason: Option<Reason>,
    /// The result for the p90; absent if only p50s are known. The same applies to the next two.
    pub p90: Option<QuantileChange>,
    /// The result for the p99.
    pub p99: Option<QuantileChange>,
    /// The result for the shape. Its change is that of the quantile with the most significant move relative to the p50.
    pub shape: Option<QuantileChange>,
}

/// The result for the p90, the p99 or the shape of a case.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct QuantileChange {
    /// How much longer head's times are than base's, as a share (Hodges and Lehmann).
    pub change: Option<f64>,
    /// The 95 % interval of that change.
    pub change_interval: Option<[f64; 2]>,
    /// The p-value, adjusted for all tests of the comparison.
    pub p_adjusted: f64,
    /// The verdict, if there is one.
    pub verdict: Option<verdict::Verdict>,
}

impl QuantileChange {
    /// For a changed shape, describes where base's and head's distributions differ.
    pub fn difference(&self, [base, head]: [&[Profile]; 2], rule: &Rule) -> Option<String> {
        self.verdict?;
        Difference::of(base, head, rule.matters).map(|difference| difference.to_string())
    }
}

impl From<Outcome> for QuantileChange {
    fn from(outcome: Outcome) -> Self {
        let (change, change_interval) = shares(outcome.shift);
        Self { change, change_interval, p_adjusted: outcome.p_adjusted, verdict: outcome.verdict }
    }
}

impl<'a> From<(&'a [u64], &'a [u64])> for Case<'a> {
    fn from((base, head): (&'a [u64], &'a [u64])) -> Self {
        Self { p50s_ns: [base, head], ..Self::default() }
    }
}

impl Case<'_> {
    /// A case of a paired measurement is part of its comparison even without a pair.
    fn is_compared(&self) -> bool {
        self.rounds.is_some() || self.p50s_ns.iter().all(|side| !side.is_empty())
    }

    fn logarithms(&self) -> Sides {
        Sides {
            p50s: self.p50s_ns.map(|side| side.iter().map(|&ns| logarithm(ns)).collect()),
            profiles: self.profiles.map(|sides| sides.map(<[Profile]>::to_vec)),
            effects: self.effects.to_vec(),
            movement: self.movement,
        }
    }
}

/// The logarithm of a value. 0, such as no allocations, counts as the smallest stored value, because changes are ratios.
fn logarithm(value: u64) -> f64 {
    (value.max(1) as f64).ln()
}

/// Converts the estimate and the interval of a logarithm to shares.
fn shares(shift: Option<Shift>) -> (Option<f64>, Option<[f64; 2]>) {
    let interval = shift.and_then(|shift| shift.interval);
    (shift.map(|shift| shift.estimate.exp_m1()), interval.map(|ends| ends.map(f64::exp_m1)))
}

impl Side {
    /// Computes the figures from the repetitions' times. Returns `None` without any.
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
    /// The same result for a quantity of which more is better: an increase is an improvement.
    #[must_use]
    pub fn with_higher_better(self) -> Self {
        let turned = |change: QuantileChange| QuantileChange {
            verdict: change.verdict.map(verdict::Verdict::reversed),
            ..change
        };
        Self {
            verdict: self.verdict.reversed(),
            p90: self.p90.map(turned),
            p99: self.p99.map(turned),
            shape: self.shape.map(turned),
            ..self
        }
    }

    /// Combines both sides' times with the test result. Returns `None` if a side has no times.
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
            movement: row.movement,
            detectable: None,
            reason: row.reason,
            p90: row.p90.map(QuantileChange::from),
            p99: row.p99.map(QuantileChange::from),
            shape: row.shape.map(QuantileChange::from),
        })
    }
}

/// Compares the cases of one comparison: their p50s, or all that [`Case`] has. A case that is `None`, or that has no pairs
/// and a side without times, is left out of the correction for many cases. The result of a case without times is `None`.
///
/// Cases with and without pairs are corrected for the tests of all of them.
pub fn compare<'a, C: Into<Case<'a>> + Copy>(rule: &Rule, cases: &[Option<C>]) -> Vec<Option<Compared>> {
    let cases: Vec<Option<Case<'a>>> =
        cases.iter().map(|case| (*case).map(C::into).filter(Case::is_compared)).collect();
    let paired: Vec<Rounds<'_>> = cases.iter().flatten().filter_map(|case| case.rounds).collect();
    let unpaired = cases.iter().flatten().filter(|case| case.rounds.is_none());
    let unpaired: Vec<Sides> = unpaired.map(Case::logarithms).collect();
    let of_paired = verdict::paired(rule, &paired, unpaired.len());
    let of_unpaired = verdict::unpaired_among(rule, &unpaired, paired.len());
    let tests = of_paired.iter().chain(&of_unpaired).map(Row::compared).sum();
    let mut power = Power::new(rule, tests);
    let (mut of_paired, mut of_unpaired) = (of_paired.into_iter(), of_unpaired.into_iter().zip(&unpaired));
    let compared = cases.into_iter().map(|case| {
        let Case { p50s_ns: [base, head], rounds, .. } = case?;
        let (row, detectable) = if let Some(rounds) = rounds {
            let row = of_paired.next()?;
            let log_ratios: Vec<f64> = rounds.iter().map(|(_, pair)| pair.p50).collect();
            let deviation = bisection::deviation(&log_ratios);
            (row, bisection::detectable(rule, deviation, tests, pairs_max(rule, &row, rounds.len())))
        } else {
            let (row, Sides { p50s, .. }) = of_unpaired.next()?;
            (row, power.detectable(&row, p50s.each_ref().map(Vec::as_slice)))
        };
        Some(Compared { detectable, ..Compared::of(base, head, row)? })
    });
    compared.collect()
}

/// The number of pairs that a row could get: one without a change ended before it had all.
fn pairs_max(rule: &Rule, row: &Row, pairs: usize) -> usize {
    match row.p50.verdict {
        Some(verdict::Verdict::NoChange) => rule.looks.last().copied().unwrap_or(pairs),
        _ => pairs,
    }
}

fn rates(times_ns: &[u64]) -> Vec<f64> {
    times_ns.iter().map(|&ns| 1e9 / ns.max(1) as f64).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::random::Random;
    use crate::verdict::{Pair, Verdict};

    fn times(middle_ns: u64) -> Vec<u64> {
        (0..12).map(|i| middle_ns + i * 7_919 % 997 * middle_ns / 100_000).collect()
    }

    #[test]
    fn slower_case_regressed_regardless_of_uncompared_cases() {
        let (base, slower) = (times(10_000), times(12_000));
        let alone = compare(&Rule::default(), &[Some((&base[..], &slower[..]))])[0].unwrap();
        assert_eq!(alone.verdict, Verdict::Regressed);
        // Rates fall when times grow.
        assert!(alone.t < Some(0.0) && alone.change > Some(0.19) && alone.stars == "***", "{alone:?}");
        assert!((alone.ratio - 1.2).abs() < 0.01, "{alone:?}");

        let none: &[u64] = &[];
        let results = compare(&Rule::default(), &[None, Some((&base[..], none)), Some((&base, &slower))]);
        assert_eq!(results, [None, None, Some(alone)]);
    }

    #[test]
    fn p_values_are_adjusted_for_all_cases() {
        let (base, slower) = (times(10_000), times(10_200));
        let alone = compare(&Rule::default(), &[Some((&base[..], &slower[..]))])[0].unwrap();
        let mut many = vec![Some((&base[..], &base[..])); 20];
        many.push(Some((&base[..], &slower[..])));
        let among = compare(&Rule::default(), &many)[20].unwrap();
        assert_eq!(alone.p, among.p);
        assert!(among.p_adjusted > alone.p_adjusted, "{alone:?} {among:?}");
    }

    /// The machine slows down to a third of its speed during the measurement, which affects both sides of a pair alike.
    fn drifting(factor: f64, seed: u64) -> ([Vec<u64>; 2], Vec<(u32, Pair)>) {
        let mut random = Random::new(seed);
        let mut time = |factor: f64, round: u32| {
            let noise = 0.02 * (random.uniform() - 0.5);
            factor.ln() + f64::from(round) / 20.0 + noise
        };
        let logarithms: Vec<[f64; 2]> =
            (0..22).map(|round| [time(1.0, round), time(factor, round)]).collect();
        let pairs = (0..)
            .zip(&logarithms)
            .map(|(round, [base, head])| (round, Pair::new([&[*base; 12], &[*head; 12]], None)));
        #[expect(clippy::cast_possible_truncation, reason = "below a millisecond")]
        let nanoseconds = |side: usize| {
            logarithms.iter().map(|pair| (100_000.0 * pair[side].exp()).round() as u64).collect()
        };
        ([nanoseconds(0), nanoseconds(1)], pairs.collect())
    }

    fn verdicts(factor: f64, seed: u64) -> [Verdict; 2] {
        let ([base, head], rounds) = drifting(factor, seed);
        let unpaired = Case { p50s_ns: [&base, &head], ..Case::default() };
        let paired = Case { rounds: Some(&rounds), ..unpaired };
        [unpaired, paired].map(|case| compare(&Rule::default(), &[Some(case)])[0].unwrap().verdict)
    }

    #[test]
    fn pairs_find_a_change_in_a_drift_that_hides_it() {
        assert_eq!(verdicts(1.05, 1), [Verdict::Inconclusive, Verdict::Regressed]);
    }

    #[test]
    fn pairs_of_equal_sides_are_unchanged_in_a_drift() {
        for seed in 0..50 {
            assert_eq!(verdicts(1.0, seed), [Verdict::Inconclusive, Verdict::NoChange], "seed {seed}");
        }
    }

    #[test]
    fn pairs_and_other_cases_count_as_tests_of_one_comparison() {
        let ([base, head], rounds) = drifting(1.2, 1);
        let paired = Case { p50s_ns: [&base, &head], rounds: Some(&rounds), ..Case::default() };
        let (before, slower) = (times(10_000), times(10_200));
        let unpaired = Case { p50s_ns: [&before, &slower], ..Case::default() };
        let alone = [paired, unpaired].map(|case| compare(&Rule::default(), &[Some(case)])[0].unwrap());
        let both = compare(&Rule::default(), &[Some(unpaired), Some(paired)]);
        let [unpaired, paired] = [both[0].unwrap(), both[1].unwrap()];
        // With more tests, the pairs are decided later, so only the factors can be compared.
        let factor = |compared: Compared| compared.p_adjusted / compared.p;
        assert!(factor(paired) > 1.9 * factor(alone[0]) && factor(unpaired) > 1.9 * factor(alone[1]));
        // A case whose sides have no repetition was still part of the looks.
        let empty = Case { rounds: Some(&[]), ..Case::default() };
        let measured = Case { p50s_ns: [&base, &head], rounds: Some(&rounds), ..empty };
        let with_empty = compare(&Rule::default(), &[Some(measured), Some(empty)]);
        assert!(with_empty[1].is_none() && factor(with_empty[0].unwrap()) > 1.9 * factor(alone[0]));
    }

    #[test]
    fn side_with_few_repetitions_has_no_interval() {
        let side = Side::of(&[40, 10, 20, 30, 50, 60]).unwrap();
        assert_eq!((side.p50_ns, side.interval_ns, side.repetitions), (30, Some([10, 60]), 6));
        assert_eq!(Side::of(&[10, 20]).unwrap().interval_ns, None);
        assert_eq!(Side::of(&[]), None);
    }
}
