//! Where does a series change its level? One setting for every series, whatever its noise: see [`Settings`].
//!
//! A value is taken in one after the other, and a change is told as soon as it is sure, once; what comes later never takes it
//! back or moves it. Whatever is told depends on the newest [`Settings::memory`] values and the changes among them alone, so
//! that a value more costs the same on a series of a hundred and of a million, and nothing has to be kept between two but
//! the changes themselves.
//!
//! 1. Ranks of the values since the last change, [`Settings::window`] at most, are split at every place (`ranks`). They do
//!    not mind outliers, nor which distribution the noise has.
//! 2. A split that stands out is looked at again with what neighbours tell of each other taken out (`noise`): a machine that
//!    is warm for an hour makes a few values in a row slow, which is no step.
//! 3. The place is found by the likelihood of the noise as the series itself shows it (`place`). While that leaves it open,
//!    more values are waited for, up to [`Settings::patience`].
//! 4. A step that is too small to matter ([`Settings::least`]) is told as such, and later values are compared with those
//!    after it.

mod detector;
mod noise;
mod place;
mod ranks;

pub use detector::{Detector, Known, Silence};
pub(crate) use noise::level;

use crate::normal;
use ranks::Weights;
use std::sync::LazyLock;

/// What makes a change. There is one setting for every series; others are for trying out.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Settings {
    /// How far ranks have to be from what they are without a change, in standard deviations. With 4.7 the noise of an
    /// unchanged series is called a change once in some 100,000 values.
    pub deviations: f64,
    /// The smallest change that is reported, as a share of the level before: four standard deviations of the series' noise,
    /// but no less than the first of these shares, and no more than the second.
    pub least: [f64; 2],
    /// So many values at least are on either side of a change.
    pub persistence: usize,
    /// How many of the newest values are searched.
    pub window: usize,
    /// How many of the newest values are used to estimate the noise.
    pub memory: usize,
    /// A change is reported when the place that is named is within five values of the true one with this probability,
    pub sure: f64,
    /// or when so many values have followed it.
    pub patience: usize,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            deviations: 4.7,
            least: [0.01, 0.03],
            persistence: 4,
            window: 256,
            memory: 512,
            sure: 0.95,
            patience: 60,
        }
    }
}

/// A change of level.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// The first value of the new level, counted from 0.
    pub index: usize,
    /// The level before, as it was known when the change was told; in the unit of the values.
    pub before: f64,
    /// The level after it.
    pub after: f64,
    /// From which to which value the new level begins with a probability of 95 %; both included.
    pub interval: [usize; 2],
    /// How probably the new level begins where: an index and the probability of each that comes into question.
    pub places: Vec<(usize, f64)>,
    /// One less the probability that values without a change, seen once, are as uneven.
    pub confidence: f64,
    /// Whether it matters: false where it is smaller than [`Settings::least`].
    pub matters: bool,
}

/// [`Settings`], and what is computed of them once.
#[derive(Clone, Debug)]
pub struct Method {
    settings: Settings,
    weights: Weights,
    /// How probable chance may be, both sides together.
    probability_max: f64,
}

impl Method {
    /// Prepares to look for changes. Numbers that would ask for the impossible are corrected to the next possible one.
    pub fn new(settings: Settings) -> Self {
        let persistence = settings.persistence.max(2);
        let window = settings.window.max(2 * persistence);
        let settings = Settings { persistence, window, memory: settings.memory.max(window), ..settings };
        Self {
            settings,
            weights: Weights::new(window, persistence, settings.deviations),
            probability_max: 2.0 * normal::upper_tail(settings.deviations.max(0.0)),
        }
    }

    /// The one for every series.
    pub fn shipped() -> &'static Self {
        static SHIPPED: LazyLock<Method> = LazyLock::new(|| Method::new(Settings::default()));
        &SHIPPED
    }

    /// The settings, corrected.
    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// All changes of a whole series, those that do not matter included.
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
            steps.extend(detector.push(value, true)?);
        }
        Ok(steps)
    }

    /// For a series of which nothing is known yet.
    pub fn detector(&self) -> Detector<'_> {
        Detector::new(self)
    }
}

/// A value that cannot be one of a series.
#[derive(Clone, Copy, Debug, PartialEq, thiserror::Error)]
#[error("value {index}, counted from 0, is {value}: expected a finite number above 0")]
pub struct InvalidValue {
    /// Which one.
    pub index: usize,
    /// The value.
    pub value: f64,
}

#[cfg(test)]
mod tests;
