//! What is told of a case beside its p50: its p90, its p99, and the shape of its distributions.

use super::{Line, Verdict};
use crate::format::signed_percent;
use roundtrip_stats::comparison;
use roundtrip_stats::shape::Profile;
use roundtrip_stats::verdict::Rule;
use serde::Serialize;

/// A quantile beside the p50.
#[derive(Clone, Copy, Debug, Serialize)]
pub(crate) struct Beside {
    /// By how much head's times are longer than base's, as a share.
    pub(crate) change: Option<f64>,
    /// The interval of that change; absent with too few repetitions.
    pub(crate) change_interval: Option<[f64; 2]>,
    /// How probable so uneven times are without a change, for all that is compared.
    pub(crate) p_adjusted: f64,
    /// That it regressed or improved; absent where it cannot be said to have changed.
    pub(crate) verdict: Option<Verdict>,
}

/// How times are distributed, beside all of them being longer or shorter.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Shape {
    /// How probable so uneven shapes are without a change, for all that is compared.
    pub(crate) p_adjusted: f64,
    /// Whether it is said to have changed.
    pub(crate) changed: bool,
    /// Where the distributions differ, if it did.
    pub(crate) difference: Option<String>,
}

impl From<comparison::Beside> for Beside {
    fn from(found: comparison::Beside) -> Self {
        let comparison::Beside { change, change_interval, p_adjusted, verdict } = found;
        Self { change, change_interval, p_adjusted, verdict: verdict.map(Verdict::from) }
    }
}

impl Shape {
    pub(super) fn of(found: comparison::Beside, sides: [&[Profile]; 2], rule: &Rule) -> Self {
        Self {
            p_adjusted: found.p_adjusted,
            changed: found.verdict.is_some(),
            difference: found.difference(sides, rule),
        }
    }
}

impl Line {
    /// Whether it is slower by its p50, its p90 or its p99. A shape has no direction.
    pub(crate) fn regressed(&self) -> bool {
        let beside = [&self.p90, &self.p99].into_iter().flatten().filter_map(|beside| beside.verdict);
        [self.verdict].into_iter().chain(beside).any(|verdict| verdict == Verdict::Regressed)
    }

    /// What changed otherwise than the p50, a sentence each; nothing where all times changed alike.
    pub(crate) fn told_beside(&self) -> Vec<String> {
        let quantile = |(name, beside): (&str, &Option<Beside>)| {
            let Beside { change, change_interval, p_adjusted, verdict } = (*beside)?;
            let verdict = verdict.filter(|&verdict| verdict != self.verdict)?;
            let interval = change_interval.map_or(String::new(), |[low, high]| {
                format!(" ({} to {})", signed_percent(low), signed_percent(high))
            });
            Some(format!(
                "{name} {verdict}, {}{interval}, p {}",
                signed_percent(change?),
                probability(p_adjusted)
            ))
        };
        // Against the p50 of the same repetition, so that a change of that alone is no change of shape.
        let shape = self.shape.as_ref().filter(|shape| shape.changed);
        let shape = shape.map(|Shape { p_adjusted, difference, .. }| {
            let difference = difference.as_deref().unwrap_or_default();
            format!("its shape changed, p {}: {difference}", probability(*p_adjusted))
        });
        [("p90", &self.p90), ("p99", &self.p99)].into_iter().filter_map(quantile).chain(shape).collect()
    }
}

/// A p, which is never said to be none.
pub(super) fn probability(p: f64) -> String {
    if p < 0.001 { "< 0.001".into() } else { format!("{p:.3}") }
}
