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

mod noise;
mod place;
mod ranks;

use crate::normal;
use noise::Noise;
pub(crate) use noise::level;
use place::Placed;
use ranks::{Ranks, Split, Weights};
use std::ops::Range;
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
    /// How many of the newest values tell what the noise is like.
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

/// How many standard deviations of noise a change has to be, between the shares of [`Settings::least`].
const LEAST_DEVIATIONS: f64 = 4.0;
/// A window of so many values has ranks enough to tell the next change.
const YOUNG: usize = 64;
/// The probability of [`Step::interval`].
const CONFIDENCE: f64 = 0.95;

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
}

impl Method {
    /// Prepares to look for changes. Numbers that would ask for the impossible are corrected to the next possible one.
    pub fn new(settings: Settings) -> Self {
        let persistence = settings.persistence.max(2);
        let window = settings.window.max(2 * persistence);
        let settings = Settings { persistence, window, memory: settings.memory.max(window), ..settings };
        Self { settings, weights: Weights::new(window, persistence, settings.deviations) }
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
        Detector {
            method: self,
            first: 0,
            values: Vec::new(),
            may_change: Vec::new(),
            changes: Vec::new(),
            ranks: Ranks::new(self.settings.window),
        }
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

/// Looks for changes while values come in.
#[derive(Clone, Debug)]
pub struct Detector<'a> {
    method: &'a Method,
    /// The index of the first value that is remembered.
    first: usize,
    /// The logarithms of the newest values.
    values: Vec<f64>,
    /// Of each, whether a level may begin with it.
    may_change: Vec<bool>,
    /// Where levels begin, ascending, among the values that are remembered.
    changes: Vec<usize>,
    ranks: Ranks,
}

/// What has to be known of a series to go on with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Known<'a> {
    /// The index of the first of the newest values.
    pub first: usize,
    /// The newest values, [`Settings::memory`] of them where there are as many, and whether a level may begin with each.
    pub values: &'a [(f64, bool)],
    /// The indices of all changes among them, ascending.
    pub changes: &'a [usize],
}

impl<'a> Detector<'a> {
    /// Goes on with a series as if all of its values had been taken in one after the other.
    ///
    /// # Errors
    /// A value is not a finite number above 0.
    pub fn resume(method: &'a Method, known: &Known<'_>) -> Result<Self, InvalidValue> {
        let mut detector = Self { first: known.first, ..method.detector() };
        for (index, &(value, may_change)) in known.values.iter().enumerate() {
            detector.values.push(logarithm(known.first + index, value)?);
            detector.may_change.push(may_change);
        }
        let is_known = |change: &&usize| **change > known.first && **change < detector.end();
        detector.changes = known.changes.iter().filter(is_known).copied().collect();
        detector.rank_since_last_change();
        Ok(detector)
    }

    /// How many values the series has.
    pub fn end(&self) -> usize {
        self.first + self.values.len()
    }

    /// Takes the next value, and tells the change that it makes sure. `may_change` is false for one that is measured of the
    /// same commit as the value before it: no level begins with it.
    ///
    /// # Errors
    /// The value is not a finite number above 0.
    pub fn push(&mut self, value: f64, may_change: bool) -> Result<Option<Step>, InvalidValue> {
        let logarithm = logarithm(self.end(), value)?;
        self.forget();
        self.values.push(logarithm);
        self.may_change.push(may_change);
        self.ranks.push(logarithm);
        let Some(step) = self.look() else { return Ok(None) };
        self.changes.push(step.index);
        self.rank_since_last_change();
        Ok(Some(step))
    }

    /// Forgets what is too old, much of it at once.
    fn forget(&mut self) {
        let memory = self.method.settings.memory;
        if self.values.len() >= 2 * memory {
            let gone = self.values.len() - memory;
            self.values.drain(..gone);
            self.may_change.drain(..gone);
            self.first += gone;
            self.changes.retain(|&change| change > self.first);
        }
    }

    fn rank_since_last_change(&mut self) {
        let begin = self.changes.last().map_or(0, |change| change - self.first);
        self.ranks.restart(&self.values[begin..]);
    }

    /// Whether the values that are there make a change sure.
    fn look(&mut self) -> Option<Step> {
        let Method { settings, weights } = self.method;
        let window = self.values.len() - self.ranks.len()..self.values.len();
        let suspect = match self.ranks.best(weights).filter(|split| split.strength >= 1.0) {
            Some(split) => self.uneven(&window, split)?,
            None => self.outright(&window)?,
        };
        let values = &self.values[window.clone()];
        let placed = place::place(values, suspect.before, suspect.noise.likeness, |before| {
            self.may_change[window.start + before]
        });
        // Where too few values are on a side, more are waited for, and the place is not moved to where there are enough.
        let sides = settings.persistence..=values.len().saturating_sub(settings.persistence);
        let is_open = placed.is_near() < settings.sure && values.len() - placed.before < settings.patience;
        (sides.contains(&placed.before) && !is_open).then(|| self.step(&placed, window, &suspect))
    }

    /// A split of uneven ranks, when what is new in each value is uneven as well.
    fn uneven(&self, window: &Range<usize>, split: Split) -> Option<Suspect> {
        if !is_due(window.len() - split.before) {
            return None;
        }
        let noise = self.noise(window.start + split.before);
        let values = &self.values[window.clone()];
        let strength = strength_of_news(values, split, noise.likeness, &self.method.weights);
        (strength >= 1.0).then_some(Suspect { before: split.before, noise, strength })
    }

    /// Soon after a change there are too few values for their ranks to tell another one. But what the noise of the series is
    /// like is known: the newest values are a new level where no one level explains them and the others.
    fn outright(&self, window: &Range<usize>) -> Option<Suspect> {
        let settings = &self.method.settings;
        if window.len() > YOUNG {
            return None;
        }
        let values = &self.values[window.clone()];
        let goal = 2.0 * normal::upper_tail(settings.deviations);
        let sides = settings.persistence..=window.len().saturating_sub(settings.persistence);
        apart(values).into_iter().rev().filter(|before| sides.contains(before)).find_map(|before| {
            let (old, new) = values.split_at(before);
            let [low, high] = [level(old), level(new)];
            if (high - low).abs() < settings.least[0].ln_1p() {
                return None;
            }
            let noise = self.noise(window.start + before);
            let upwards = (high - low).signum();
            // The level of either side, or one between them.
            let explained = |level: f64| {
                noise.share_of_all_beyond(old, level, -upwards)
                    * noise.share_of_all_beyond(new, level, upwards)
            };
            let probability =
                [low, f64::midpoint(low, high), high].map(explained).into_iter().fold(0.0, f64::max);
            let strength = probability.ln() / goal.ln();
            (strength >= 1.0).then_some(Suspect { before, noise, strength })
        })
    }

    /// The noise of what is remembered, with a change at this place.
    fn noise(&self, change: usize) -> Noise {
        let oldest = self.values.len().saturating_sub(self.method.settings.memory);
        let changes = self.changes.iter().map(|change| change - self.first).chain([change]);
        let changes: Vec<usize> =
            changes.filter(|&change| change > oldest).map(|change| change - oldest).collect();
        Noise::of(&self.values[oldest..], &changes)
    }

    fn step(&self, placed: &Placed, window: Range<usize>, suspect: &Suspect) -> Step {
        let settings = &self.method.settings;
        let [before, after] = placed.levels;
        let [low, high] = settings.least.map(f64::ln_1p);
        let least = (LEAST_DEVIATIONS * suspect.noise.deviation).clamp(low, high.max(low));
        let matters = (after - before).abs() >= least;
        let offset = self.first + window.start;
        let places: Vec<(usize, f64)> = placed
            .probabilities
            .iter()
            .enumerate()
            .map(|(index, &probability)| (offset + placed.first + index, probability))
            .filter(|(_, probability)| *probability > 1e-6)
            .collect();
        Step {
            index: offset + placed.before,
            before: before.exp(),
            after: after.exp(),
            interval: narrowest(&places, CONFIDENCE).unwrap_or([offset + placed.before; 2]),
            places,
            confidence: 1.0 - (2.0 * normal::upper_tail(settings.deviations * suspect.strength)).min(1.0),
            matters,
        }
    }
}

/// A split that may be a change.
struct Suspect {
    /// How many values of the window are before it.
    before: usize,
    /// The noise, if it is one.
    noise: Noise,
    /// How much speaks for it: it is one from 1 on.
    strength: f64,
}

/// The splits of values of which one side is larger than all of the other, by how many values are before them.
fn apart(values: &[f64]) -> Vec<usize> {
    let ends = |[low, high]: &mut [f64; 2], value: &f64| {
        (*low, *high) = (low.min(*value), high.max(*value));
        Some([*low, *high])
    };
    let none = [f64::INFINITY, f64::NEG_INFINITY];
    let mut after: Vec<[f64; 2]> = values.iter().rev().scan(none, ends).collect();
    after.reverse();
    let before = values.iter().scan(none, ends);
    let splits = (1..).zip(before.zip(after.iter().skip(1)));
    splits.filter(|(_, (old, new))| old[1] < new[0] || new[1] < old[0]).map(|(before, _)| before).collect()
}

fn logarithm(index: usize, value: f64) -> Result<f64, InvalidValue> {
    if value.is_finite() && value > 0.0 { Ok(value.ln()) } else { Err(InvalidValue { index, value }) }
}

/// Whether a split with so many values after it is looked at closely: each time while they are few, then now and then.
fn is_due(after: usize) -> bool {
    after < 12 || after.is_multiple_of(8)
}

/// The strength of what is new in each value when the one before is known, at the best place near the split.
fn strength_of_news(values: &[f64], split: Split, likeness: f64, weights: &Weights) -> f64 {
    const NEAR: usize = 3;
    let news: Vec<f64> = values.windows(2).map(|pair| pair[1] - likeness * pair[0]).collect();
    let balances = ranks::balances(&news);
    let places = split.before.saturating_sub(NEAR)..=split.before + NEAR;
    // The first value has none before it.
    places
        .filter_map(|place| place.checked_sub(1))
        .map(|place| weights.strength(&balances, place))
        .fold(0.0, f64::max)
}

/// The shortest run of places that has this probability.
fn narrowest(places: &[(usize, f64)], probability: f64) -> Option<[usize; 2]> {
    let mut shortest: Option<[usize; 2]> = None;
    let (mut first, mut sum) = (0, 0.0);
    for &(last_index, share) in places {
        sum += share;
        // Without the first one it may still be enough.
        while sum - places.get(first)?.1 >= probability {
            sum -= places[first].1;
            first += 1;
        }
        let found = [places[first].0, last_index];
        let is_shorter = shortest.is_none_or(|[from, to]| found[1] - found[0] < to - from);
        if sum >= probability && is_shorter {
            shortest = Some(found);
        }
    }
    shortest
}

#[cfg(test)]
mod tests;
