//! Verdicts of a comparison: is head slower than base? One rule decides for many rows when a row has changed and when
//! it has not, with a few interim looks while repetitions arrive.
//!
//! Times are compared as log ratios: above 0, head is slower. Paired data needs only the ratios. In addition to the p50
//! of each repetition, the p90, the p99 and the shape of its distribution are tested, with a joint correction.
//!
//! - [`SequentialComparison`]: compares pairs, with interim looks. [`paired`]: repeats these looks with stored pairs.
//!   [`unpaired`]: compares complete reports. [`Reason`]: why a row is inconclusive.
//!   [`Power`]: how small a change would be reported.

use crate::adjust::benjamini_hochberg;
use crate::movement;
use crate::robust;
use crate::shape::{self, P90, P99, Profile};
use crate::shift::{self, Shift};
use crate::unequal_scatter;

mod power;
mod reason;
mod sequential;
#[cfg(test)]
mod tests;

pub use power::{POWER, Power};
pub use reason::{Reason, Unit};
pub use sequential::{Pair, Rounds, SequentialComparison, paired};

/// The verdict of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Head is slower.
    Regressed,
    /// Head is faster.
    Improved,
    /// Any difference is too small to matter.
    NoChange,
    /// The data do not allow a verdict.
    Inconclusive,
}

impl Verdict {
    /// The verdict if larger values were better.
    #[must_use]
    pub fn reversed(self) -> Self {
        match self {
            Self::Regressed => Self::Improved,
            Self::Improved => Self::Regressed,
            Self::NoChange | Self::Inconclusive => self,
        }
    }
}

/// The rule for verdicts.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The false discovery rate of reported changes. If nothing changed, the probability that any change is reported.
    /// Covers all rows, all tests of each row and all looks.
    pub false_share: f64,
    /// The smallest change of the p50 that counts, as a share of the base's time. Past A/A comparisons of a row can
    /// raise it.
    pub least: f64,
    /// A row with its confidence interval within this share of the base's time has not changed. A change of the p90,
    /// the p99 or the shape must be at least as large.
    pub matters: f64,
    /// The numbers of pairs at which a row is evaluated, ascending. After the last look, an undecided row is
    /// inconclusive.
    pub looks: Vec<usize>,
}

/// Confidence of the intervals of reports, which are evaluated once.
const CONFIDENCE: f64 = 0.95;

/// Confidence of the intervals of pairs at each look. A row stops at a look that depends on its data: where a 95 %
/// interval shows no change, it misses the true value more often than 5 %. With the looks of the default rule, a 98 %
/// interval covers the true change in 95 % of all stopped rows. It reports a row that changed by exactly `matters` as
/// unchanged in less than one of twenty cases (two one-sided tests, Schuirmann 1987). `bench verdicts` measures both.
const LOOK_CONFIDENCE: f64 = 0.98;

/// Limit of [`Rule::repetitions_needed`]: enough for any share above 1e-300.
const REPETITIONS_COUNTED_MAX: usize = 500;

/// Number of past A/A comparisons needed to estimate a row's noise: with fewer, the deviation may be off by half.
const EFFECTS_MIN: usize = 5;

impl Default for Rule {
    /// One false change in a hundred comparisons; 1 % is the least change and 3 % what matters; up to 60 pairs, each
    /// look at a fifth to a quarter more than the one before. Equal rows can be decided from eight pairs on, changed
    /// rows from twelve: ten pairs that all agree still have a p of 2 %, over all looks.
    fn default() -> Self {
        Self {
            false_share: 0.01,
            least: 0.01,
            matters: 0.03,
            looks: vec![8, 10, 12, 15, 18, 22, 27, 33, 40, 49, 60],
        }
    }
}

/// The result of one test: of a row's p50, p90, p99 or shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Outcome {
    /// The log ratio of head's times to base's. For the shape: of the quantile with the most significant move relative
    /// to the p50.
    pub shift: Option<Shift>,
    /// The p-value, corrected for the number of looks; 1 before the first look.
    pub p: f64,
    /// The p-value, also adjusted for all tests of the comparison.
    pub p_adjusted: f64,
    /// The verdict; `None` while there is none.
    pub verdict: Option<Verdict>,
}

/// The result for one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The p50 of its repetitions, which determines the verdict.
    pub p50: Outcome,
    /// The p90; absent if only p50s are known. The same applies to the next two.
    pub p90: Option<Outcome>,
    /// The p99.
    pub p99: Option<Outcome>,
    /// The shape of the distribution: regressed if a quantile above the p50 moved away from it, improved if it moved
    /// closer.
    pub shape: Option<Outcome>,
    /// The smallest change of the p50 that counts, as a share of the base's time.
    pub least: f64,
    /// How much the machine moved between the sides, as a share; 0 for pairs, which share each minute.
    pub movement: f64,
    /// Why it is inconclusive, if it is.
    pub reason: Option<Reason>,
}

/// Both sides of an unpaired row, as logarithms of its repetitions' times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sides {
    /// The p50 of each repetition, of base and of head.
    pub p50s: [Vec<f64>; 2],
    /// The profile of each repetition; `None` if unknown.
    pub profiles: Option<[Vec<Profile>; 2]>,
    /// Effects found in past A/A comparisons, as passed to [`Rule::least_of`].
    pub effects: Vec<f64>,
    /// How much the machine moved between the sides, as a share ([`movement::largest`]). The interval of a change
    /// must be beyond it in either direction, and beyond [`movement::COMPARABLE_MAX`] there is no verdict.
    pub movement: f64,
}

/// The number of tests of a row with profiles: p50, p90, p99 and shape.
const TESTS: usize = 4;

/// Compares complete, unpaired rows.
pub fn unpaired(rule: &Rule, rows: &[Sides]) -> Vec<Row> {
    unpaired_among(rule, rows, 0)
}

/// [`unpaired`] rows in a comparison with this many other rows, whose tests count as if they had found nothing.
pub(crate) fn unpaired_among(rule: &Rule, rows: &[Sides], others: usize) -> Vec<Row> {
    with_verdicts(rule, rows.iter().map(|sides| Tested::of(rule, sides)).collect(), TESTS * others)
}

/// The test results of a row of a complete comparison, before its verdict, which depends on the other rows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tested {
    row: Row,
    /// On the side that has fewer.
    repetitions: usize,
}

impl Tested {
    pub(crate) fn of(rule: &Rule, sides: &Sides) -> Self {
        let Sides { p50s: [base, head], profiles, effects, movement } = sides;
        let mut row = Row { movement: *movement, ..Row::new(rule.least_of(effects)) };
        row.p50 = ranked(base, head);
        let repetitions = base.len().min(head.len());
        if let Some([base, head]) = profiles {
            let [p90, p99] = [P90, P99].map(|quantile| {
                let of = |side: &[Profile]| side.iter().map(|profile| profile[quantile]).collect::<Vec<_>>();
                ranked(&of(base), &of(head))
            });
            let shape = shape::unpaired(base, head, rule.matters.ln_1p(), CONFIDENCE);
            (row.p90, row.p99, row.shape) = (Some(p90), Some(p99), shape.map(Outcome::from));
        }
        Self { row, repetitions }
    }
}

/// Adds the verdict to each row of a complete comparison, which has this many other tests that found nothing.
pub(crate) fn with_verdicts(rule: &Rule, tested: Vec<Tested>, other_tests: usize) -> Vec<Row> {
    let (mut rows, counts): (Vec<Row>, Vec<usize>) =
        tested.into_iter().map(|tested| (tested.row, tested.repetitions)).unzip();
    adjust(&mut rows, other_tests);
    let tests = rows.iter().map(Row::compared).sum::<usize>() + other_tests;
    for (row, count) in rows.iter_mut().zip(counts) {
        rule.judge(row);
        rule.conclude(
            row,
            &reason::Measured { count, unit: Unit::Repetitions, tests, looks: 1, is_out_of_time: false },
        );
    }
    rows
}

fn ranked(base: &[f64], head: &[f64]) -> Outcome {
    let p = unequal_scatter::p_two_sided(base, head);
    Outcome { p, shift: shift::unpaired(base, head, CONFIDENCE), ..Outcome::NOTHING }
}

/// Adjusts the p-values of all tests of all rows for each other, and for this many other tests that found nothing.
fn adjust(rows: &mut [Row], other_tests: usize) {
    let mut all: Vec<&mut Outcome> = rows.iter_mut().flat_map(Row::all).collect();
    let others = std::iter::repeat_n(1.0, other_tests);
    let p: Vec<f64> = all.iter().map(|outcome| outcome.p).chain(others).collect();
    for (outcome, adjusted) in all.iter_mut().zip(benjamini_hochberg(&p)) {
        outcome.p_adjusted = adjusted;
    }
}

impl Outcome {
    const NOTHING: Self = Self { shift: None, p: 1.0, p_adjusted: 1.0, verdict: None };

    /// Whether a change is reported.
    pub fn changed(&self) -> bool {
        matches!(self.verdict, Some(Verdict::Regressed | Verdict::Improved))
    }
}

impl From<shape::Moved> for Outcome {
    fn from(shape::Moved { p, shift, .. }: shape::Moved) -> Self {
        Self { shift: Some(shift), p, ..Self::NOTHING }
    }
}

impl Row {
    fn new(least: f64) -> Self {
        Self { p50: Outcome::NOTHING, p90: None, p99: None, shape: None, least, movement: 0.0, reason: None }
    }

    fn all(&mut self) -> impl Iterator<Item = &mut Outcome> {
        let secondary = [&mut self.p90, &mut self.p99, &mut self.shape];
        [&mut self.p50].into_iter().chain(secondary.into_iter().flatten())
    }

    /// Whether a change is reported in any of its tests.
    pub fn changed(&self) -> bool {
        self.p50.changed() || self.secondary().any(Outcome::changed)
    }

    /// The tests in addition to the p50.
    fn secondary(&self) -> impl Iterator<Item = &Outcome> {
        [&self.p90, &self.p99, &self.shape].into_iter().flatten()
    }

    /// The number of its tests.
    pub(crate) fn compared(&self) -> usize {
        1 + self.secondary().count()
    }
}

/// Whether an interval contains 0 or a change no larger than the movement of the machine.
fn may_be_movement([low, high]: [f64; 2], movement: f64) -> bool {
    let movement = movement.ln_1p();
    low <= movement && -movement <= high
}

impl Rule {
    /// Returns the smallest change of a row that counts, as a share of the base's time. `effects` are the log ratios of
    /// head's time to base's found in A/A comparisons, one for each.
    ///
    /// It is twice the deviation of those effects, which 95 % of them stay below if they are normal, and at least
    /// [`Rule::least`]. The deviation is taken about 0, the true value, and is robust against a single bad day: it is
    /// computed from the median of the absolute effects (Hampel 1974). With fewer than five effects, it is
    /// [`Rule::least`].
    ///
    /// ```
    /// let rule = roundtrip_stats::verdict::Rule::default();
    /// assert_eq!(rule.least_of(&[]), 0.01);
    /// let noisy = rule.least_of(&[-0.02, 0.01, 0.03, -0.01, 0.02]);
    /// assert!((noisy - (2.0 * 1.4826 * 0.02_f64).exp_m1()).abs() < 1e-6);
    /// ```
    pub fn least_of(&self, effects: &[f64]) -> f64 {
        let mut sizes: Vec<f64> =
            effects.iter().filter(|effect| effect.is_finite()).map(|effect| effect.abs()).collect();
        if sizes.len() < EFFECTS_MIN {
            return self.least;
        }
        self.least.max((2.0 * robust::deviation(&mut sizes)).exp_m1())
    }

    /// A row without a change has not changed by more than this, as a share: [`Rule::matters`] and the movement of the
    /// machine, `(1 + matters) (1 + movement) - 1`.
    pub fn no_change_beyond(&self, movement: f64) -> f64 {
        (self.matters.ln_1p() + movement.ln_1p()).exp_m1()
    }

    /// The smallest number of repetitions per side with which a single change can be significant among this many tests.
    /// The smallest p of n against n repetitions, `2 / C(2n, n)` when no values overlap, times the number of tests must
    /// be at most [`Rule::false_share`] (Benjamini and Hochberg, with one change).
    ///
    /// ```
    /// // 57 cases, each with its p50, p90, p99 and shape.
    /// assert_eq!(roundtrip_stats::verdict::Rule::default().repetitions_needed(4 * 57), 9);
    /// ```
    pub fn repetitions_needed(&self, tests: usize) -> usize {
        let mut ways = 1.0;
        for count in 1..REPETITIONS_COUNTED_MAX {
            // C(2n, n) from C(2n - 2, n - 1).
            ways *= 2.0 * (2 * count - 1) as f64 / count as f64;
            if count >= reason::REPETITIONS_MIN && 2.0 * tests as f64 / ways <= self.false_share {
                return count;
            }
        }
        REPETITIONS_COUNTED_MAX
    }

    /// The first look at which a single change can be significant among this many tests: the smallest p of n pairs that all
    /// agree is `2 / 2^n`, times the looks and the tests. `None` if there is none.
    ///
    /// ```
    /// // One case, and 24, each with its p50, p90, p99 and shape.
    /// let rule = roundtrip_stats::verdict::Rule::default();
    /// assert_eq!([4, 4 * 24].map(|tests| rule.pairs_needed(tests)), [Some(15), Some(18)]);
    /// ```
    pub fn pairs_needed(&self, tests: usize) -> Option<usize> {
        let p = self.false_share / (self.looks.len() as f64 * tests.max(1) as f64);
        let can_be_significant = |pairs: &usize| 2.0 * 0.5_f64.powf(*pairs as f64) <= p;
        self.looks.iter().copied().find(can_be_significant)
    }

    /// Sets the verdicts that the data allow so far.
    fn judge(&self, row: &mut Row) {
        if !movement::is_comparable(row.movement) {
            return;
        }
        row.p50.verdict = self.verdict(&row.p50, row.least, row.movement).or_else(|| {
            let Shift { estimate, interval } = row.p50.shift?;
            let matters = self.matters.ln_1p();
            let is_within = interval.is_some_and(|[low, high]| -matters < low && high < matters);
            // A significant change below the rule's own minimum is no change. One that is only below the row's minimum
            // may be a real change.
            let is_tiny = row.p50.p_adjusted <= self.false_share && estimate.abs() < self.least.ln_1p();
            (is_within || is_tiny).then_some(Verdict::NoChange)
        });
        for outcome in [&mut row.p90, &mut row.p99, &mut row.shape].into_iter().flatten() {
            outcome.verdict = self.verdict(outcome, self.matters, row.movement);
        }
    }

    /// Returns the verdict if there is a change of at least this share. The interval must exclude 0 too, and all changes
    /// up to the movement of the machine: it covers all pairs, but the p-value may be from an earlier look.
    fn verdict(&self, outcome: &Outcome, least: f64, movement: f64) -> Option<Verdict> {
        let Shift { estimate, interval } = outcome.shift?;
        if outcome.p_adjusted > self.false_share
            || estimate.abs() < least.ln_1p()
            || interval.is_some_and(|interval| may_be_movement(interval, movement))
        {
            return None;
        }
        Some(if estimate > 0.0 { Verdict::Regressed } else { Verdict::Improved })
    }

    /// Marks an undecided row as inconclusive, with the reason.
    fn conclude(&self, row: &mut Row, measured: &reason::Measured) {
        if row.p50.verdict.is_none() {
            row.p50.verdict = Some(Verdict::Inconclusive);
            row.reason = Some(Reason::of(self, row, measured));
        }
    }
}
