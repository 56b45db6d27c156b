//! Is head slower than base? One rule for a comparison of many rows: what it takes to say that a row changed, or that it
//! did not, looking a few times while repetitions come in.
//!
//! Times are compared as ratios, by their logarithms: above 0 head is slower. Of pairs only that is needed. Beside the p50
//! of each repetition its p90, its p99 and the shape of its distribution are compared, all together.
//!
//! - [`Growing`]: of pairs, while they come in.  [`unpaired`]: of reports that are complete.  [`Reason`]: why not decided.

use crate::adjust::benjamini_hochberg;
use crate::mann_whitney;
use crate::middle;
use crate::shape::{self, P90, P99, Profile};
use crate::shift::{self, Shift};

mod growing;
mod reason;
#[cfg(test)]
mod tests;

pub use growing::{Growing, Pair};
pub use reason::{Reason, Unit};

/// The verdict on a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Head is slower.
    Regressed,
    /// Head is faster.
    Improved,
    /// Whatever difference there is, it is too small to matter.
    NoChange,
    /// Inconclusive pairs.
    Inconclusive,
}

/// When a verdict is given.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    /// The share of false ones among what is said to have changed; where nothing did, the probability that anything is said
    /// to. It covers all rows, all that is compared of each, and all looks.
    pub false_share: f64,
    /// A change of the p50 below this share of the base's time is none, however sure it is, unless a row has learnt more.
    pub least: f64,
    /// A row whose interval is within this share of the base's time has not changed; what changed
    /// beside the p50 moved by at least as much.
    pub matters: f64,
    /// How many pairs a row has when it is looked at, ascending. After the last look it is inconclusive.
    pub looks: Vec<usize>,
}

/// The confidence of the intervals of reports, which are looked at once.
const CONFIDENCE: f64 = 0.95;

/// That of the intervals of pairs at each look. A row does not stop at a chance moment: where an interval of 95 % says that
/// nothing has changed, it is more often off its place. Of the looks of the default rule, one of 98 % holds the change with
/// 95 % whenever the row stops, and says of a row that changed by just as much as matters that it did not in less than one of
/// twenty cases (two one-sided tests, Schuirmann 1987): `bench verdicts` measures both.
const CONFIDENCE_OF_A_LOOK: f64 = 0.98;

/// The number of past A/A comparisons needed to estimate a row's variation: with fewer, the deviation can be off by
/// half.
const EFFECTS_MIN: usize = 5;

impl Default for Rule {
    /// One false change in a hundred comparisons; 1 % is the least change and 3 % what matters; up to 60 pairs, each look
    /// at a fifth or a quarter more than the one before. Equal rows can be told to be equal from eight pairs on, and a row
    /// that changed from twelve on: ten that all agree still have a p of 2 %, for all looks.
    fn default() -> Self {
        Self {
            false_share: 0.01,
            least: 0.01,
            matters: 0.03,
            looks: vec![8, 10, 12, 15, 18, 22, 27, 33, 40, 49, 60],
        }
    }
}

/// The result for one part of a row: its p50, p90, p99 or shape.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Known {
    /// The logarithm of head's times by base's; of the shape, that of the quantile that moved most surely against the p50.
    pub shift: Option<Shift>,
    /// How probable so uneven ranks are without a change, whenever the row was looked at; 1 before the first look.
    pub p: f64,
    /// The same, for all that is compared.
    pub p_adjusted: f64,
    /// The verdict; `None` while undecided.
    pub verdict: Option<Verdict>,
}

/// The result for one row.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Row {
    /// The p50 of its repetitions, which its verdict is of.
    pub p50: Known,
    /// Their p90; absent where only p50s are known, here and below.
    pub p90: Option<Known>,
    /// Their p99.
    pub p99: Option<Known>,
    /// The shape of their distributions, whether it changed: regressed where the quantile went away from the p50, improved
    /// where it came nearer, of quantiles above it.
    pub shape: Option<Known>,
    /// The threshold for changes of the p50, as a share of the base's time.
    pub least: f64,
    /// Why it is inconclusive, if it is.
    pub reason: Option<Reason>,
}

/// Both sides of a row that is not paired, by the logarithms of its repetitions' times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sides {
    /// The p50 of each repetition, of base and of head.
    pub p50s: [Vec<f64>; 2],
    /// The profile of each; `None` where it is not known.
    pub profiles: Option<[Vec<Profile>; 2]>,
    /// The results of earlier A/A comparisons, for [`Rule::least_of`].
    pub effects: Vec<f64>,
}

/// Compares rows that are complete and not paired.
pub fn unpaired(rule: &Rule, rows: &[Sides]) -> Vec<Row> {
    judged(rule, rows.iter().map(|sides| Tested::of(rule, sides)).collect())
}

/// The result for a row before the others are known: without its verdict.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Tested {
    row: Row,
    /// On the side that has fewer.
    repetitions: usize,
}

impl Tested {
    pub(crate) fn of(rule: &Rule, Sides { p50s: [base, head], profiles, effects }: &Sides) -> Self {
        let mut row = Row::new(rule.least_of(effects));
        row.p50 = ranked(base, head);
        let repetitions = base.len().min(head.len());
        if let Some([base, head]) = profiles {
            let [p90, p99] = [P90, P99].map(|quantile| {
                let of = |side: &[Profile]| side.iter().map(|profile| profile[quantile]).collect::<Vec<_>>();
                ranked(&of(base), &of(head))
            });
            let shape = shape::unpaired(base, head, rule.matters.ln_1p(), CONFIDENCE);
            (row.p90, row.p99, row.shape) = (Some(p90), Some(p99), shape.map(Known::from));
        }
        Self { row, repetitions }
    }
}

/// Gives each row of a complete comparison its verdict.
pub(crate) fn judged(rule: &Rule, tested: Vec<Tested>) -> Vec<Row> {
    let (mut rows, counts): (Vec<Row>, Vec<usize>) =
        tested.into_iter().map(|tested| (tested.row, tested.repetitions)).unzip();
    adjust(&mut rows);
    let tests = rows.iter().map(Row::compared).sum();
    for (row, count) in rows.iter_mut().zip(counts) {
        rule.judge(row);
        rule.conclude(row, &reason::Measured { count, unit: Unit::Repetitions, tests, looks: 1 });
    }
    rows
}

fn ranked(base: &[f64], head: &[f64]) -> Known {
    let p = mann_whitney::rank_sum(base, head).map_or(1.0, |test| test.p_two_sided);
    Known { p, shift: shift::unpaired(base, head, CONFIDENCE), ..Known::NOTHING }
}

/// Adjusts all that is compared of all rows for each other.
fn adjust(rows: &mut [Row]) {
    let mut all: Vec<&mut Known> = rows.iter_mut().flat_map(Row::all).collect();
    let p: Vec<f64> = all.iter().map(|known| known.p).collect();
    for (known, adjusted) in all.iter_mut().zip(benjamini_hochberg(&p)) {
        known.p_adjusted = adjusted;
    }
}

impl Known {
    const NOTHING: Self = Self { shift: None, p: 1.0, p_adjusted: 1.0, verdict: None };

    /// Whether the change is significant.
    pub fn changed(&self) -> bool {
        matches!(self.verdict, Some(Verdict::Regressed | Verdict::Improved))
    }
}

impl From<shape::Moved> for Known {
    fn from(shape::Moved { p, shift, .. }: shape::Moved) -> Self {
        Self { shift: Some(shift), p, ..Self::NOTHING }
    }
}

impl Row {
    fn new(least: f64) -> Self {
        Self { p50: Known::NOTHING, p90: None, p99: None, shape: None, least, reason: None }
    }

    fn all(&mut self) -> impl Iterator<Item = &mut Known> {
        let beside = [&mut self.p90, &mut self.p99, &mut self.shape];
        [&mut self.p50].into_iter().chain(beside.into_iter().flatten())
    }

    /// Whether any part of it changed.
    pub fn changed(&self) -> bool {
        self.p50.changed() || self.beside().any(Known::changed)
    }

    /// The results other than the p50.
    fn beside(&self) -> impl Iterator<Item = &Known> {
        [&self.p90, &self.p99, &self.shape].into_iter().flatten()
    }

    fn compared(&self) -> usize {
        1 + self.beside().count()
    }
}

impl Rule {
    /// The least change of a row that is said to be one, as a share of the base's time, by what was found when the same code
    /// was compared with itself: logarithms of head's time by base's, one for each such comparison.
    ///
    /// Twice the deviation of those effects, which 95 % of them stay below if they are normal, and never less than the rule's
    /// own. The deviation is about none, which is what they truly are, and robust, so that a single bad day does not count: by
    /// the median of their sizes (Hampel 1974). Of fewer than five effects it is the rule's.
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
        self.least.max((2.0 * middle::deviation(&mut sizes)).exp_m1())
    }

    /// The preliminary verdict on a row.
    fn judge(&self, row: &mut Row) {
        row.p50.verdict = self.verdict(&row.p50, row.least).or_else(|| {
            let Shift { estimate, interval } = row.p50.shift?;
            let matters = self.matters.ln_1p();
            let is_within = interval.is_some_and(|[low, high]| -matters < low && high < matters);
            // What is sure and below the rule's own least is none; what is only below the row's may be one.
            let is_tiny = row.p50.p_adjusted <= self.false_share && estimate.abs() < self.least.ln_1p();
            (is_within || is_tiny).then_some(Verdict::NoChange)
        });
        for known in [&mut row.p90, &mut row.p99, &mut row.shape].into_iter().flatten() {
            known.verdict = self.verdict(known, self.matters);
        }
    }

    /// Whether it changed by at least this share. The interval is asked too: it is of all pairs, and the probability may be
    /// of a look before.
    fn verdict(&self, known: &Known, least: f64) -> Option<Verdict> {
        let Shift { estimate, interval } = known.shift?;
        let leaves_none_out = interval.is_some_and(|[low, high]| low <= 0.0 && 0.0 <= high);
        if known.p_adjusted > self.false_share || estimate.abs() < least.ln_1p() || leaves_none_out {
            return None;
        }
        Some(if estimate > 0.0 { Verdict::Regressed } else { Verdict::Improved })
    }

    /// Says that a row is inconclusive, and why, unless it is decided.
    fn conclude(&self, row: &mut Row, measured: &reason::Measured) {
        if row.p50.verdict.is_none() {
            row.p50.verdict = Some(Verdict::Inconclusive);
            row.reason = Some(Reason::of(self, row, measured));
        }
    }
}
