//! Change-point detection: finds where a series changes its level. One setting works for every series and noise: see
//! [`Settings`].
//!
//! Values are processed one after the other. A change is reported once, as soon as it is significant, and is never
//! withdrawn or moved later. The result depends only on the newest [`Settings::memory`] values, the changes among them
//! and the [`Baseline`]. One more value therefore costs the same for a series of a hundred or a million values, and only
//! the changes have to be stored.
//!
//! 1. The ranks of the values since the last change, at most [`Settings::window`], are split at every place (`ranks`).
//!    Ranks are robust against outliers and independent of the noise's distribution.
//! 2. A significant split is tested again after removing autocorrelation (`noise`): a machine that is warm for an hour
//!    makes a few values in a row slow, which is no step.
//! 3. Six or more newest values that are all far from the level before are a change without a rank test.
//! 4. The place is the one with the highest likelihood, given the noise of the series itself (`place`). If it is still
//!    uncertain, more values are awaited, up to [`Settings::patience`].
//! 5. A step that is too small to matter ([`Settings::least`]) is reported as such, and later values are compared with
//!    those after it. Small steps that add up are a drift, and returns to known states are labelled: see [`Kind`].

mod detector;
mod noise;
mod place;
mod ranks;

pub use detector::{Baseline, CandidateSplit, Detector, Known, Silence, one_sided_p};
pub(crate) use noise::level;

use crate::normal;
use crate::robust::median;
use ranks::Weights;
use std::sync::LazyLock;

/// The smallest change in standard deviations of the noise, between the two shares of [`Settings::least`].
const LEAST_DEVIATIONS: f64 = 2.0;

/// Settings of the detector. All times use the default, and ratios [`Settings::tail`]; others are for experiments.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// The smallest significant distance of a rank sum from its mean, in standard deviations. With 5.2, independent noise is reported as a
    /// change about once in a million values.
    pub deviations: f64,
    /// The smallest change that matters, as a share of the level before: two standard deviations of the series' noise,
    /// but at least the first of these shares and at most the second. Whether a change is real does not depend on it.
    pub least: [f64; 2],
    /// Changes that do not matter alone are a drift once they add up to this share, at least `least`.
    pub drift: f64,
    /// The smallest number of values on either side of a change.
    pub persistence: usize,
    /// The number of newest values that are searched.
    pub window: usize,
    /// The number of newest values from which the noise is estimated.
    pub memory: usize,
    /// A change is reported once its place is within five values of the true one with this probability.
    pub sure: f64,
    /// After this many values, a change is reported even if its place is uncertain.
    pub patience: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            deviations: 5.2,
            least: [0.01, 0.03],
            drift: 0.05,
            persistence: 4,
            window: 256,
            memory: 512,
            sure: 0.95,
            patience: 60,
        }
    }
}

impl Settings {
    /// The settings for the tail, the ratio of two quantiles: changes of 10 % matter. If the median alone gets slower, the
    /// ratio gets smaller by a part of that, which is not worth a report.
    pub fn tail() -> Self {
        Self { least: [0.1; 2], drift: 0.1, ..Self::default() }
    }

    /// The smallest change that matters in noise of this deviation, both as logarithms.
    pub(crate) fn least_of(&self, deviation: f64) -> f64 {
        let [low, high] = self.least.map(f64::ln_1p);
        (LEAST_DEVIATIONS * deviation).clamp(low, high.max(low))
    }
}

/// A change of level.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The first value of the new level, counted from 0.
    pub index: usize,
    /// The level before, as estimated when the change was reported; in the unit of the values.
    pub before: f64,
    /// The level after it.
    pub after: f64,
    /// The range of indices, both ends included, in which the new level begins with a probability of 95 %.
    pub interval: [usize; 2],
    /// The candidate places of the change, as index and probability.
    pub places: Vec<(usize, f64)>,
    /// One minus the p-value of a single test.
    pub confidence: f64,
    /// Whether it matters: false if it is smaller than [`Settings::least`].
    pub matters: bool,
    /// What kind of change it is.
    pub kind: Kind,
}

/// The kind of a change.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// The level changes at one place.
    Step,
    /// Small steps add up to [`Settings::drift`]. Its interval begins at the last change that mattered, `before` is the
    /// level since then, and there are no places.
    Drift,
    /// The series switches between two levels, both of which it had at least twice: a state of the machine.
    KnownState,
}

impl Kind {
    /// The name in JSON.
    pub fn name(self) -> &'static str {
        match self {
            Self::Step => "step",
            Self::Drift => "drift",
            Self::KnownState => "known_state",
        }
    }
}

impl Step {
    /// Whether it is worth an alert: it matters, and is not just a known state of the machine.
    pub fn is_alert(&self) -> bool {
        self.matters && self.kind != Kind::KnownState
    }
}

/// [`Settings`] and the tables computed from them.
#[derive(Clone, Debug)]
pub struct Method {
    settings: Settings,
    weights: Weights,
    /// The two-sided p-value below which a split is a change.
    probability_max: f64,
}

impl Method {
    /// Prepares a detector. Impossible settings are corrected to the nearest possible ones.
    pub fn new(settings: Settings) -> Self {
        let persistence = settings.persistence.max(2);
        let window = settings.window.max(2 * persistence);
        let settings = Settings {
            persistence,
            window,
            memory: settings.memory.max(window),
            // Otherwise a single change that does not matter would be a drift.
            drift: settings.least.into_iter().fold(settings.drift, f64::max),
            ..settings
        };
        Self {
            settings,
            weights: Weights::new(window, persistence, settings.deviations),
            probability_max: 2.0 * normal::upper_tail(settings.deviations.max(0.0)),
        }
    }

    /// The method for every series of times, with the default settings.
    pub fn shipped() -> &'static Self {
        static SHIPPED: LazyLock<Method> = LazyLock::new(|| Method::new(Settings::default()));
        &SHIPPED
    }

    /// The method for the ratio of two quantiles, with [`Settings::tail`].
    pub fn tail() -> &'static Self {
        static TAIL: LazyLock<Method> = LazyLock::new(|| Method::new(Settings::tail()));
        &TAIL
    }

    /// The settings after correction.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// Returns all changes of a whole series, including those that do not matter.
    ///
    /// # Errors
    /// A value is not a finite number above 0.
    ///
    /// ```
    /// use roundtrip_stats::change_point::Method;
    /// let mut values = vec![100.0; 20];
    /// values.extend([110.0; 10]);
    /// let steps = Method::shipped().detect(values).unwrap();
    /// assert_eq!(steps.len(), 1);
    /// assert_eq!((steps[0].index, steps[0].after.round(), steps[0].matters), (20, 110.0, true));
    /// ```
    pub fn detect(&self, values: impl IntoIterator<Item = f64>) -> Result<Vec<Step>, InvalidValue> {
        let mut detector = self.detector();
        let mut steps = Vec::new();
        for value in values {
            steps.extend(detector.push(value)?);
        }
        Ok(steps)
    }

    /// Starts a detector for a new series.
    pub fn detector(&self) -> Detector<'_> {
        Detector::new(self)
    }
}

/// Combines consecutive measurements of a commit into one point, their median: they are not independent, because they are
/// of the same build. Each point has the number of its commit.
///
/// ```
/// use roundtrip_stats::change_point::one_per_commit;
/// let points: Vec<_> = one_per_commit(&[(1, 10.0), (1, 30.0), (1, 20.0), (4, 5.0)]).collect();
/// assert_eq!(points, [(1, 20.0), (4, 5.0)]);
/// ```
pub fn one_per_commit(points: &[(i64, f64)]) -> impl Iterator<Item = (i64, f64)> {
    points.chunk_by(|one, next| one.0 == next.0).map(|points| {
        let mut values: Vec<f64> = points.iter().map(|(_, value)| *value).collect();
        (points[0].0, median(&mut values))
    })
}

/// A value that is not valid in a series.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("value {index}, counted from 0, is {value}: expected a finite number above 0")]
pub struct InvalidValue {
    /// Index of the value.
    pub index: usize,
    /// The value.
    pub value: f64,
}

#[cfg(test)]
mod tests;
