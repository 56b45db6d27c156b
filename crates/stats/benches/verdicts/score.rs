//! How well changes that were found agree with those that are known.

use crate::noise::Labelled;
use roundtrip_stats::change_point::Method;
use std::ops::AddAssign;

/// A change is found where it is told within so many values of its place.
const NEAR: usize = 5;

/// Counts over some series.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Score {
    pub(crate) found: usize,
    pub(crate) false_alarms: usize,
    pub(crate) missed: usize,
}

impl Score {
    /// Of the changes that matter in one series; each known one is matched once.
    pub(crate) fn of(method: &Method, labelled: &Labelled) -> Self {
        let told = changes(method, &labelled.values);
        let mut known = labelled.changes.clone();
        let mut score = Self::default();
        for index in told {
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

    /// The harmonic mean of the share of known changes that were found and of found ones that are known.
    pub(crate) fn f1(&self) -> f64 {
        let right = 2.0 * self.found as f64;
        right / (right + (self.false_alarms + self.missed) as f64)
    }
}

impl AddAssign for Score {
    fn add_assign(&mut self, other: Self) {
        self.found += other.found;
        self.false_alarms += other.false_alarms;
        self.missed += other.missed;
    }
}

/// Where the changes that matter are told to be.
pub(crate) fn changes(method: &Method, values: &[f64]) -> Vec<usize> {
    let steps = method.detect(values.iter().copied()).unwrap_or_default();
    steps.into_iter().filter(|step| step.matters).map(|step| step.index).collect()
}
