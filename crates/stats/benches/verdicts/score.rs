//! Compares reported changes with the known ones.

use crate::noise::Labelled;
use roundtrip_stats::change_point::Method;
use std::fmt::{self, Display, Formatter};
use std::iter::Sum;

/// A change counts as found if it is reported within this many values of its place.
const NEAR: usize = 5;

/// Counts over several series.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Score {
    pub(crate) found: usize,
    pub(crate) false_alarms: usize,
    pub(crate) missed: usize,
}

impl Score {
    /// Scores the changes that matter in one series; each known change is matched at most once.
    pub(crate) fn of(method: &Method, labelled: &Labelled) -> Self {
        let reported = changes(method, &labelled.values);
        let mut known = labelled.changes.clone();
        let mut score = Self::default();
        for index in reported {
            let nearest = known.iter().enumerate().min_by_key(|(_, known)| known.abs_diff(index));
            match nearest.filter(|(_, known)| known.abs_diff(index) <= NEAR).map(|(nth, _)| nth) {
                Some(nth) => {
                    known.remove(nth);
                    score.found += 1;
                }
                None => score.false_alarms += 1,
            }
        }
        score.missed = known.len();
        score
    }

    /// The harmonic mean of recall and precision.
    pub(crate) fn f1(&self) -> f64 {
        let right = 2.0 * self.found as f64;
        right / (right + (self.false_alarms + self.missed) as f64)
    }
}

impl Sum for Score {
    fn sum<I: Iterator<Item = Self>>(scores: I) -> Self {
        scores.fold(Self::default(), |sum, one| Self {
            found: sum.found + one.found,
            false_alarms: sum.false_alarms + one.false_alarms,
            missed: sum.missed + one.missed,
        })
    }
}

impl Display for Score {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} found, {} false, {} missed", self.found, self.false_alarms, self.missed)
    }
}

/// The reported places of changes that matter.
pub(crate) fn changes(method: &Method, values: &[f64]) -> Vec<usize> {
    let steps = method.detect(values.iter().copied()).unwrap_or_default();
    steps.into_iter().filter(|step| step.matters).map(|step| step.index).collect()
}
