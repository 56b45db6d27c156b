//! Comparison of pairs with interim looks.

use super::reason::Measured;
use super::{LOOK_CONFIDENCE, Outcome, Row, Rule, Unit, Verdict, adjust};
use crate::shape::{self, P50, P90, P99, Profile};
use crate::{shift, wilcoxon};
use std::collections::BTreeSet;

/// The p90, p99 or shape may have changed while its p-value at this look alone is at most this.
const SUSPECTED: f64 = 0.05;

/// A pair of repetitions, as log ratios of head's times to base's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// The log ratio of the p50s.
    pub p50: f64,
    /// The log ratios of all quantiles: head's profile minus base's.
    pub profile: Profile,
}

impl Pair {
    /// The pair of these repetitions, from the profiles of base and head. If their parts alternated, the p50 is compared by
    /// part, as the logarithm of head's time over base's in billionths: adjacent parts ran at nearly the same time.
    pub fn new([base, head]: [&Profile; 2], log_ratio_ppb: Option<i64>) -> Self {
        let profile: Profile = std::array::from_fn(|quantile| head[quantile] - base[quantile]);
        #[expect(clippy::cast_precision_loss, reason = "below 2^53 for any ratio of times")]
        let p50 = log_ratio_ppb.map_or(profile[P50], |ppb| ppb as f64 / 1e9);
        Self { p50, profile }
    }
}

/// A comparison of paired rows that is evaluated while pairs arrive.
#[derive(Clone, Debug)]
pub struct SequentialComparison {
    rule: Rule,
    rows: Vec<Row>,
    progress: Vec<Progress>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Progress {
    pairs: usize,
    looked: usize,
    is_over: bool,
}

impl SequentialComparison {
    /// Starts a comparison of this many rows, without pairs.
    pub fn new(rule: Rule, rows: usize) -> Self {
        let empty = Row {
            p90: Some(Outcome::NOTHING),
            p99: Some(Outcome::NOTHING),
            shape: Some(Outcome::NOTHING),
            ..Row::new(rule.least)
        };
        Self { rule, rows: vec![empty; rows], progress: vec![Progress::default(); rows] }
    }

    /// The results, one for each row.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Whether this row needs more pairs.
    pub fn wants_more(&self, row: usize) -> bool {
        self.progress.get(row).is_some_and(|progress| !progress.is_over)
    }

    /// Evaluates every row that has reached its next look, using all of its pairs.
    ///
    /// Every look is another chance of a false positive. The p-value of a row is therefore the smallest of its looks
    /// times the maximum number of looks (Bonferroni), so it is valid after each look.
    pub fn look<R: AsRef<[Pair]>>(&mut self, pairs: &[R]) {
        let looks = self.rule.looks.len();
        // The index of each row, and which of its p90, p99 and shape may have changed at this look.
        let mut reached = Vec::new();
        for (index, pairs) in pairs.iter().map(AsRef::as_ref).enumerate().take(self.rows.len()) {
            let progress = &mut self.progress[index];
            progress.pairs = pairs.len();
            let due = self.rule.looks.get(progress.looked);
            if progress.is_over || due.is_none_or(|&due| pairs.len() < due) {
                continue;
            }
            progress.looked += 1;
            let least = self.rule.matters.ln_1p();
            let found = found(pairs, least);
            let may_have_changed = |outcome: &Outcome| -> bool {
                outcome.p <= SUSPECTED && outcome.shift.is_some_and(|shift| shift.estimate.abs() >= least)
            };
            let [_, secondary @ ..] = &found;
            let suspected = secondary.each_ref().map(may_have_changed);
            reached.push((index, suspected));
            for (outcome, found) in self.rows[index].all().zip(found) {
                outcome.p = outcome.p.min((found.p * looks as f64).min(1.0));
                outcome.shift = found.shift;
            }
        }
        adjust(&mut self.rows, 0);
        for (index, suspected) in reached {
            let row = &mut self.rows[index];
            self.rule.judge(row);
            let is_open =
                row.secondary().zip(suspected).any(|(outcome, suspected)| suspected && !outcome.changed());
            let is_last = self.progress[index].looked == looks;
            match self.rows[index].p50.verdict {
                _ if is_last => self.give_up(index),
                Some(Verdict::Regressed | Verdict::Improved) => self.give_up(index),
                Some(_) if !is_open => self.give_up(index),
                _ => {}
            }
        }
    }

    /// The number of pairs at which a row may be decided next, also if it changed; `None` if it needs no more.
    pub fn next_decision(&self, row: usize) -> Option<usize> {
        let progress = self.progress.get(row).filter(|progress| !progress.is_over)?;
        let next = self.rule.looks.get(progress.looked).copied()?;
        let tests = self.rows.iter().map(Row::compared).sum();
        Some(self.rule.pairs_needed(tests).map_or(next, |needed| needed.max(next)))
    }

    /// Ends a row that gets no more pairs. An undecided row becomes inconclusive.
    pub fn give_up(&mut self, row: usize) {
        self.end(row, false);
    }

    /// Ends a row that has this many pairs, because the time ended. Pairs since its last look do not count, so the time adds
    /// no chance of a false positive. An undecided row becomes inconclusive.
    pub fn stop(&mut self, row: usize, pairs: usize) {
        if let Some(progress) = self.progress.get_mut(row) {
            progress.pairs = pairs;
        }
        self.end(row, true);
    }

    fn end(&mut self, row: usize, is_out_of_time: bool) {
        let tests = self.rows.iter().map(Row::compared).sum();
        let looks = self.rule.looks.len();
        if let (Some(row), Some(progress)) = (self.rows.get_mut(row), self.progress.get_mut(row)) {
            progress.is_over = true;
            self.rule.conclude(
                row,
                &Measured { count: progress.pairs, unit: Unit::Pairs, tests, looks, is_out_of_time },
            );
        }
    }
}

/// The pairs of a row, ascending by the round that measured them. In a round without a pair, a side failed.
pub type Rounds<'a> = &'a [(u32, Pair)];

/// Repeats the looks at the stored pairs of complete rows, round by round, in a comparison with this many other rows,
/// whose tests count as if they had found nothing. The result is that of the measurement, if it used the same rule.
pub fn paired(rule: &Rule, rows: &[Rounds<'_>], others: usize) -> Vec<Row> {
    let mut comparison = SequentialComparison::new(rule.clone(), rows.len() + others);
    let rounds: BTreeSet<u32> = rows.iter().copied().flatten().map(|(round, _)| *round).collect();
    let pairs = rows.iter().map(|row| row.iter().map(|(_, pair)| *pair).collect());
    let pairs: Vec<Vec<Pair>> = pairs.collect();
    for round in rounds {
        let until = |row: &Rounds<'_>| row.partition_point(|(of_pair, _)| *of_pair <= round);
        let measured = rows.iter().zip(&pairs).map(|(row, pairs)| &pairs[..until(row)]);
        comparison.look(&measured.collect::<Vec<_>>());
    }
    for row in (0..rows.len()).filter(|&row| comparison.wants_more(row)).collect::<Vec<_>>() {
        comparison.give_up(row);
    }
    comparison.rows.truncate(rows.len());
    comparison.rows
}

/// Tests these pairs, in the order of a row's fields.
fn found(pairs: &[Pair], least: f64) -> [Outcome; 4] {
    let of = |value: fn(&Pair) -> f64| signed_ranked(pairs.iter().map(value).collect());
    let profiles: Vec<Profile> = pairs.iter().map(|pair| pair.profile).collect();
    let shape = shape::paired(&profiles, least, LOOK_CONFIDENCE).map_or(Outcome::NOTHING, Outcome::from);
    [of(|pair| pair.p50), of(|pair| pair.profile[P90]), of(|pair| pair.profile[P99]), shape]
}

fn signed_ranked(ratios: Vec<f64>) -> Outcome {
    let shift = shift::paired(&ratios, LOOK_CONFIDENCE);
    let pairs: Vec<(f64, f64)> = ratios.into_iter().map(|ratio| (ratio, 0.0)).collect();
    let p = wilcoxon::signed_rank(&pairs).map_or(1.0, |test| test.p_two_sided);
    Outcome { p, shift, ..Outcome::NOTHING }
}
