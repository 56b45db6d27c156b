//! [`Detector`]: one value after the other.

use super::noise::{self, Noise};
use super::place::{self, Placed};
use super::ranks::{self, Ranks, Split, Weights};
use super::{InvalidValue, Method, Step};
use crate::normal;
use std::ops::Range;

/// How many standard deviations of noise a change has to be, between the shares of `Settings::least`.
const LEAST_DEVIATIONS: f64 = 4.0;
/// A window of this many values is enough to find the next change.
const YOUNG: usize = 64;
/// The probability of `Step::interval`.
const CONFIDENCE: f64 = 0.95;

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
    silence: Option<Silence>,
}

/// Why a value shows no change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Silence {
    /// The values are even: the split that most speaks for begins with this index, and reaches this part of what it has to.
    Even {
        /// Where the new level would begin.
        index: usize,
        /// Below 1.
        strength: f64,
    },
    /// They are uneven, but the split is old: it is looked at closely now and then.
    Waiting {
        /// Where the new level would begin.
        index: usize,
        /// From 1 on.
        strength: f64,
    },
    /// They are uneven, but neighbours are so much alike that it need not be a step.
    Wandering {
        /// Where the new level would begin.
        index: usize,
        /// What is left of its strength: below 1.
        strength: f64,
    },
    /// There is a step, but where exactly is not clear yet, or too few values are on one side of it.
    Open {
        /// Where the new level most probably begins.
        index: usize,
        /// How probably it does within five values of that.
        probability: f64,
    },
}

/// What has to be known of a series to go on with it.
#[derive(Clone, Debug, PartialEq)]
pub struct Known<'a> {
    /// The index of the first of the newest values.
    pub first: usize,
    /// The newest values, [`Settings::memory`](super::Settings::memory) of them where there are as many, and whether a level may begin with each.
    pub values: &'a [(f64, bool)],
    /// The indices of all changes among them, ascending.
    pub changes: &'a [usize],
}

impl<'a> Detector<'a> {
    /// For a series of which nothing is known yet.
    pub(super) fn new(method: &'a Method) -> Self {
        Self {
            method,
            first: 0,
            values: Vec::new(),
            may_change: Vec::new(),
            changes: Vec::new(),
            silence: None,
            ranks: Ranks::new(method.settings.window),
        }
    }

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
        match self.look() {
            Ok(step) => {
                self.silence = None;
                self.changes.push(step.index);
                self.rank_since_last_change();
                Ok(Some(step))
            }
            Err(silence) => {
                self.silence = silence;
                Ok(None)
            }
        }
    }

    /// Why the newest value told no change; `None` when it did, and where too few values or equal ones leave nothing to ask.
    pub fn silence(&self) -> Option<Silence> {
        self.silence
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

    /// The change that the values which are there make sure, or why they make none.
    fn look(&mut self) -> Result<Step, Option<Silence>> {
        let Method { settings, weights, .. } = self.method;
        let window = self.values.len() - self.ranks.len()..self.values.len();
        let split = self.ranks.best(weights);
        let suspect = self.uneven(&window, split).or_else(|silence| self.outright(&window).ok_or(silence))?;
        let values = &self.values[window.clone()];
        let placed = place::place(values, suspect.before, suspect.noise.likeness, |before| {
            self.may_change[window.start + before]
        });
        let open = |before: usize, probability: f64| {
            Err(Some(Silence::Open { index: self.first + window.start + before, probability }))
        };
        let Some(placed) = placed else { return open(suspect.before, 0.0) };
        // Where too few values are on a side, more are waited for, and the place is not moved to where there are enough.
        let sides = settings.persistence..=values.len().saturating_sub(settings.persistence);
        let probability = placed.is_near();
        let is_open = probability < settings.sure && values.len() - placed.before < settings.patience;
        if is_open || !sides.contains(&placed.before) {
            return open(placed.before, probability);
        }
        Ok(self.step(&placed, window, &suspect))
    }

    /// A split of uneven ranks, when what is new in each value is uneven as well.
    fn uneven(&self, window: &Range<usize>, split: Option<Split>) -> Result<Suspect, Option<Silence>> {
        let split = split.ok_or(None)?;
        let (index, strength) = (self.first + window.start + split.before, split.strength);
        if strength < 1.0 {
            return Err(Some(Silence::Even { index, strength }));
        }
        if !is_due(window.len() - split.before) {
            return Err(Some(Silence::Waiting { index, strength }));
        }
        let noise = self.noise(window.start + split.before);
        let values = &self.values[window.clone()];
        let strength = strength_of_news(values, split, noise.likeness, &self.method.weights);
        if strength < 1.0 {
            return Err(Some(Silence::Wandering { index, strength }));
        }
        Ok(Suspect { before: split.before, noise, strength })
    }

    /// Soon after a change there are too few values for their ranks to tell another one. But what the noise of the series is
    /// like is known: the newest values are a new level where no one level explains them and the others.
    fn outright(&self, window: &Range<usize>) -> Option<Suspect> {
        let settings = &self.method.settings;
        if window.len() > YOUNG {
            return None;
        }
        let values = &self.values[window.clone()];
        // Where both ends overlap, so does every split between them.
        let oldest = ends(values.iter().take(settings.persistence));
        let newest = ends(values.iter().rev().take(settings.persistence));
        if !are_apart(oldest, newest) {
            return None;
        }
        let sides = settings.persistence..=window.len().saturating_sub(settings.persistence);
        apart(values).into_iter().rev().filter(|before| sides.contains(before)).find_map(|before| {
            let (old, new) = values.split_at(before);
            let [low, high] = [noise::level(old), noise::level(new)];
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
            let strength = probability.ln() / self.method.probability_max.ln();
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
    noise: Noise,
    /// How much speaks for it: it is one from 1 on.
    strength: f64,
}

const NO_ENDS: [f64; 2] = [f64::INFINITY, f64::NEG_INFINITY];

fn with([low, high]: [f64; 2], value: &f64) -> [f64; 2] {
    [low.min(*value), high.max(*value)]
}

fn ends<'a>(values: impl Iterator<Item = &'a f64>) -> [f64; 2] {
    values.fold(NO_ENDS, with)
}

/// Whether all values between some ends are larger than all between others, or smaller.
fn are_apart(one: [f64; 2], other: [f64; 2]) -> bool {
    one[1] < other[0] || other[1] < one[0]
}

/// The splits of values of which one side is larger than all of the other, by how many values are before them.
fn apart(values: &[f64]) -> Vec<usize> {
    let so_far = |ends: &mut [f64; 2], value: &f64| {
        *ends = with(*ends, value);
        Some(*ends)
    };
    let mut after: Vec<[f64; 2]> = values.iter().rev().scan(NO_ENDS, so_far).collect();
    after.reverse();
    let before = values.iter().scan(NO_ENDS, so_far);
    let splits = (1..).zip(before.zip(after.iter().skip(1)));
    splits.filter(|(_, (old, new))| are_apart(*old, **new)).map(|(before, _)| before).collect()
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
