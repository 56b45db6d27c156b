//! Pairs that come in, and looks at them.

use super::reason::Measured;
use super::{CONFIDENCE_OF_A_LOOK, Known, Row, Rule, Unit, Verdict, adjust};
use crate::shape::{self, P90, P99, Profile};
use crate::{shift, wilcoxon};

/// Quantiles other than p50 are suspected to have changed if their p at this look alone is at most this.
const SUSPECTED: f64 = 0.05;

/// A pair of repetitions, as logarithms of head's times by base's.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pair {
    /// Of the p50s.
    pub p50: f64,
    /// Of all quantiles: head's profile less base's.
    pub profile: Profile,
}

/// A comparison of paired rows that is looked at while it grows.
#[derive(Clone, Debug)]
pub struct Growing {
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

impl Growing {
    /// Of so many rows, none of which has a pair yet.
    pub fn new(rule: Rule, rows: usize) -> Self {
        let empty = Row {
            p90: Some(Known::NOTHING),
            p99: Some(Known::NOTHING),
            shape: Some(Known::NOTHING),
            ..Row::new(rule.least)
        };
        Self { rule, rows: vec![empty; rows], progress: vec![Progress::default(); rows] }
    }

    /// The results, row by row.
    pub fn rows(&self) -> &[Row] {
        &self.rows
    }

    /// Whether this row wants more pairs.
    pub fn wants_more(&self, row: usize) -> bool {
        self.progress.get(row).is_some_and(|progress| !progress.is_over)
    }

    /// Looks at every row that has reached its next look, at all of its pairs.
    ///
    /// Every look could find by chance what is not there: a probability is the smallest of its looks, times the number of
    /// looks that there may be (Bonferroni), so that it may be asked after each.
    pub fn look<R: AsRef<[Pair]>>(&mut self, pairs: &[R]) {
        let looks = self.rule.looks.len();
        // Includes suspected changes other than the p50 at this look.
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
            let may_have_changed = |known: &Known| -> bool {
                known.p <= SUSPECTED && known.shift.is_some_and(|shift| shift.estimate.abs() >= least)
            };
            let [_, beside @ ..] = &found;
            let suspected = beside.each_ref().map(may_have_changed);
            reached.push((index, suspected));
            for (known, found) in self.rows[index].all().zip(found) {
                known.p = known.p.min((found.p * looks as f64).min(1.0));
                known.shift = found.shift;
            }
        }
        adjust(&mut self.rows);
        for (index, suspected) in reached {
            let row = &mut self.rows[index];
            self.rule.judge(row);
            let is_open = row.beside().zip(suspected).any(|(known, suspected)| suspected && !known.changed());
            let is_last = self.progress[index].looked == looks;
            match self.rows[index].p50.verdict {
                _ if is_last => self.give_up(index),
                Some(Verdict::Regressed | Verdict::Improved) => self.give_up(index),
                Some(_) if !is_open => self.give_up(index),
                _ => {}
            }
        }
    }

    /// Ends a row that gets no more pairs.
    pub fn give_up(&mut self, row: usize) {
        let tests = self.rows.iter().map(Row::compared).sum();
        let looks = self.rule.looks.len();
        if let (Some(row), Some(progress)) = (self.rows.get_mut(row), self.progress.get_mut(row)) {
            progress.is_over = true;
            self.rule.conclude(row, &Measured { count: progress.pairs, unit: Unit::Pairs, tests, looks });
        }
    }
}

/// The results of these pairs, in the order of a row.
fn found(pairs: &[Pair], least: f64) -> [Known; 4] {
    let of = |value: fn(&Pair) -> f64| signed_ranked(pairs.iter().map(value).collect());
    let profiles: Vec<Profile> = pairs.iter().map(|pair| pair.profile).collect();
    let shape = shape::paired(&profiles, least, CONFIDENCE_OF_A_LOOK).map_or(Known::NOTHING, Known::from);
    [of(|pair| pair.p50), of(|pair| pair.profile[P90]), of(|pair| pair.profile[P99]), shape]
}

fn signed_ranked(ratios: Vec<f64>) -> Known {
    let shift = shift::paired(&ratios, CONFIDENCE_OF_A_LOOK);
    let pairs: Vec<(f64, f64)> = ratios.into_iter().map(|ratio| (ratio, 0.0)).collect();
    let p = wilcoxon::signed_rank(&pairs).map_or(1.0, |test| test.p_two_sided);
    Known { p, shift, ..Known::NOTHING }
}
