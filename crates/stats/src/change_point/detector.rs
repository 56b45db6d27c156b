//! [`Detector`]: processes one value after the other.

use super::noise::{self, Noise};
use super::place::{self, Placed};
use super::ranks::{self, Ranks, Split, Weights};
use super::{InvalidValue, Kind, Method, Step};
use crate::mann_whitney::rank_sum;
use crate::normal;
use crate::robust::median;
use std::ops::Range;

/// At least this many values in a row are a new level if they are all far from the old one.
const RUN_MIN: usize = 6;
/// That distance, in standard deviations of the noise.
const RUN_DEVIATIONS: f64 = 6.0;
/// Two levels are the same state if they differ by at most this share of the step between the states.
const STATE_WITHIN: f64 = 0.25;
/// The number of earlier visits that make a state known.
const STATE_VISITS: usize = 2;
/// A window of this many values has enough ranks for a rank test.
const RANKED_MIN: usize = 64;
/// The probability of `Step::interval`.
const CONFIDENCE: f64 = 0.95;
/// From this strength on, evidence of other machines can make a split significant.
const CANDIDATE_MIN: f64 = 0.6;

/// Detects changes while values arrive.
#[derive(Clone, Debug)]
pub struct Detector<'a> {
    method: &'a Method,
    /// The index of the first remembered value.
    first: usize,
    /// The logarithms of the newest values.
    values: Vec<f64>,
    /// The starts of levels, ascending, among the remembered values.
    changes: Vec<usize>,
    ranks: Ranks,
    silence: Option<Silence>,
    /// The level that drift is measured from; none before the first change.
    baseline: Option<Baseline>,
}

/// Why no change was reported at a value.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Silence {
    /// There is no significant split. The strongest one begins at this index and has this strength.
    Even {
        /// The first index of the possible new level.
        index: usize,
        /// Its strength, below 1.
        strength: f64,
    },
    /// There is a significant split, but it is old: old splits are tested only now and then.
    Waiting {
        /// The first index of the possible new level.
        index: usize,
        /// Its strength, at least 1.
        strength: f64,
    },
    /// There is a significant split, but autocorrelation explains it.
    Wandering {
        /// The first index of the possible new level.
        index: usize,
        /// Its strength without the autocorrelation, below 1.
        strength: f64,
    },
    /// There is a step, but its place is still uncertain or too few values are on one side of it.
    Open {
        /// The most probable first index of the new level.
        index: usize,
        /// The probability that it begins within five values of that index.
        probability: f64,
    },
}

/// The level that drift is measured from: after the newest change that matters or is a known state, or else before the
/// first change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Baseline {
    /// The index of its first value; 0 before the first change.
    pub index: usize,
    /// The level, in the unit of the values.
    pub level: f64,
}

/// The part of a series needed to resume detection.
#[derive(Clone, Debug, PartialEq)]
pub struct Known<'a> {
    /// The index of the first of the newest values.
    pub first: usize,
    /// The newest values, up to [`Settings::memory`](super::Settings::memory) of them.
    pub values: &'a [f64],
    /// The indices of all changes among them, ascending.
    pub changes: &'a [usize],
    /// The level that drift is measured from, if there was any change before the newest values or among them.
    pub baseline: Option<Baseline>,
}

impl<'a> Detector<'a> {
    /// Starts a detector for a new series.
    pub(super) fn new(method: &'a Method) -> Self {
        Self {
            method,
            first: 0,
            values: Vec::new(),
            changes: Vec::new(),
            silence: None,
            baseline: None,
            ranks: Ranks::new(method.settings.window),
        }
    }

    /// Resumes a series as if all of its values had been pushed.
    ///
    /// # Errors
    /// A value is not a finite number above 0.
    pub fn resume(method: &'a Method, known: &Known<'_>) -> Result<Self, InvalidValue> {
        let mut detector = Self { first: known.first, baseline: known.baseline, ..method.detector() };
        for (index, &value) in known.values.iter().enumerate() {
            detector.values.push(logarithm(known.first + index, value)?);
        }
        let is_known = |change: &&usize| **change > known.first && **change < detector.end();
        detector.changes = known.changes.iter().filter(is_known).copied().collect();
        detector.rank_since_last_change();
        Ok(detector)
    }

    /// The number of values in the series.
    pub fn end(&self) -> usize {
        self.first + self.values.len()
    }

    /// Adds the next value and returns the change that it makes significant, if any. A commit has one value: see
    /// [`one_per_commit`](super::one_per_commit).
    ///
    /// # Errors
    /// The value is not a finite number above 0.
    pub fn push(&mut self, value: f64) -> Result<Option<Step>, InvalidValue> {
        let logarithm = logarithm(self.end(), value)?;
        self.drop_old();
        self.values.push(logarithm);
        self.ranks.push(logarithm);
        match self.search() {
            Ok(step) => Ok(Some(self.accept(step))),
            Err(silence) => {
                self.silence = silence;
                Ok(None)
            }
        }
    }

    /// Searches only the values after this change from now on.
    fn accept(&mut self, mut step: Step) -> Step {
        self.silence = None;
        self.changes.push(step.index);
        self.rank_since_last_change();
        self.add_to_drift(&mut step);
        step
    }

    /// Why no change was reported at the newest value. `None` if one was, or if there are too few values or all are
    /// equal.
    pub fn silence(&self) -> Option<Silence> {
        self.silence
    }

    /// A split that is not significant alone, but may be together with other machines: see [`confirm`](Self::confirm).
    pub fn candidate(&self) -> Option<CandidateSplit> {
        let Some(Silence::Even { index, strength }) = self.silence else { return None };
        let window = &self.values[self.values.len() - self.ranks.len()..];
        let (old, new) = window.split_at((index - self.first).checked_sub(self.values.len() - window.len())?);
        let is_up = median(&mut new.to_vec()) > median(&mut old.to_vec());
        (strength >= CANDIDATE_MIN).then(|| CandidateSplit {
            index,
            is_up,
            p: one_sided_p(window, old.len(), is_up),
        })
    }

    /// Reports a [`candidate`](Self::candidate) if the same series on other machines confirms it. `others` has the
    /// [`one_sided_p`] of every other machine that measured commits on both sides, whether it agrees or not.
    ///
    /// Machines are independent, so their p-values are combined (Fisher 1932) and then compared with that of a significant
    /// split. No machine counts more than this one: a change of another machine alone confirms nothing.
    pub fn confirm(&mut self, split: CandidateSplit, others: &[f64]) -> Option<Step> {
        let p = combined(split.p, others);
        if others.is_empty() || p > self.method.probability_max / 2.0 {
            return None;
        }
        let window = self.values.len() - self.ranks.len()..self.values.len();
        let before = (split.index - self.first).checked_sub(window.start)?;
        let strength = p.ln() / (self.method.probability_max / 2.0).ln();
        let candidate = Candidate { before, noise: self.noise(window.start + before), strength };
        let step = self.placed(window, &candidate).ok()?;
        Some(self.accept(step))
    }

    /// Begins a new level at this remembered value, because a paired comparison confirmed the change. `level` is the new
    /// level, in the unit of the values.
    pub fn begin_level(&mut self, index: usize, level: f64) {
        self.silence = None;
        self.changes.push(index);
        self.rank_since_last_change();
        self.baseline = Some(Baseline { index, level });
    }

    /// Drops values that are too old, many of them together.
    fn drop_old(&mut self) {
        let memory = self.method.settings.memory;
        if self.values.len() >= 2 * memory {
            let gone = self.values.len() - memory;
            self.values.drain(..gone);
            self.first += gone;
            self.changes.retain(|&change| change > self.first);
        }
    }

    /// Turns a small step into a drift if it and the steps before it add up to one.
    fn add_to_drift(&mut self, step: &mut Step) {
        let baseline = self.baseline.unwrap_or(Baseline { index: 0, level: step.before });
        let is_drift = (step.after / baseline.level).ln().abs() >= self.method.settings.drift.ln_1p();
        if !step.matters && step.kind == Kind::Step && is_drift {
            *step = Step {
                before: baseline.level,
                interval: [baseline.index, step.interval[1]],
                places: Vec::new(),
                matters: true,
                kind: Kind::Drift,
                ..*step
            };
        }
        let is_baseline = step.matters || step.kind == Kind::KnownState;
        self.baseline =
            Some(if is_baseline { Baseline { index: step.index, level: step.after } } else { baseline });
    }

    fn rank_since_last_change(&mut self) {
        let begin = self.changes.last().map_or(0, |change| change - self.first);
        self.ranks.restart(&self.values[begin..]);
    }

    /// Returns the change that the values show, or why they show none.
    fn search(&mut self) -> Result<Step, Option<Silence>> {
        let window = self.values.len() - self.ranks.len()..self.values.len();
        let split = self.ranks.best(&self.method.weights);
        let candidate = self
            .by_ranks(&window, split)
            .or_else(|silence| self.by_levels(&window).or_else(|| self.by_run(&window)).ok_or(silence))?;
        self.placed(window, &candidate)
    }

    /// Returns the change, or that its place is still open.
    fn placed(&self, window: Range<usize>, candidate: &Candidate) -> Result<Step, Option<Silence>> {
        let settings = &self.method.settings;
        let values = &self.values[window.clone()];
        let placed = place::place(values, candidate.before, candidate.noise.autocorrelation);
        // If too few values are on one side, more are awaited. The place is not moved to where there are enough.
        let sides = settings.persistence..=values.len().saturating_sub(settings.persistence);
        let probability = placed.is_near();
        let is_open = probability < settings.sure && values.len() - placed.before < settings.patience;
        if is_open || !sides.contains(&placed.before) {
            let index = self.first + window.start + placed.before;
            return Err(Some(Silence::Open { index, probability }));
        }
        Ok(self.step(&placed, window, candidate))
    }

    /// Returns the split with a significant rank sum, if it is significant for the innovations as well.
    fn by_ranks(&self, window: &Range<usize>, split: Option<Split>) -> Result<Candidate, Option<Silence>> {
        let split = split.ok_or(None)?;
        let (index, strength) = (self.first + window.start + split.before, split.strength);
        if strength < 1.0 {
            return Err(Some(Silence::Even { index, strength }));
        }
        if !is_tested(window.len() - split.before) {
            return Err(Some(Silence::Waiting { index, strength }));
        }
        let noise = self.noise(window.start + split.before);
        let values = &self.values[window.clone()];
        let strength = innovation_strength(values, split, noise.autocorrelation, &self.method.weights);
        if strength < 1.0 {
            return Err(Some(Silence::Wandering { index, strength }));
        }
        Ok(Candidate { before: split.before, noise, strength })
    }

    /// Finds a change from the levels. Soon after a change there are too few values for a rank test, but the noise of
    /// the series is known. The newest values form a new level if no single level explains them and the others.
    fn by_levels(&self, window: &Range<usize>) -> Option<Candidate> {
        let settings = &self.method.settings;
        if window.len() > RANKED_MIN {
            return None;
        }
        let values = &self.values[window.clone()];
        // If the ranges of both ends overlap, so do those of every split between them.
        let oldest = ends(values.iter().take(settings.persistence));
        let newest = ends(values.iter().rev().take(settings.persistence));
        if !are_apart(oldest, newest) {
            return None;
        }
        let sides = settings.persistence..=window.len().saturating_sub(settings.persistence);
        clean_splits(values).into_iter().rev().filter(|before| sides.contains(before)).find_map(|before| {
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
            (strength >= 1.0).then_some(Candidate { before, noise, strength })
        })
    }

    /// Finds a change from a run of newest values that are all far from the level before. Ranks need many values on both
    /// sides to tell a short level from outliers, and mistake earlier short levels for autocorrelation. Values that far
    /// out count as independent.
    fn by_run(&self, window: &Range<usize>) -> Option<Candidate> {
        // Cheap checks, which nearly always fail: the newest values are on one side, and few others are near them.
        if !self.ranks.are_newest_on_one_side(RUN_MIN) {
            return None;
        }
        let values = &self.values[window.clone()];
        let old = values.len().checked_sub(RUN_MIN).filter(|old| *old >= self.method.settings.persistence)?;
        let (before, newest) = values.split_at(old);
        let level = median(&mut before.to_vec());
        let sign = (newest[0] - level).signum();
        let half = newest.iter().map(|value| (value - level) * sign / 2.0).fold(f64::INFINITY, f64::min);
        if half <= 0.0 || before.iter().filter(|value| (*value - level) * sign >= half).count() > old / 3 {
            return None;
        }
        let noise = self.noise(window.start + old);
        let far = (RUN_DEVIATIONS * noise.deviation).max(self.method.settings.least[0].ln_1p());
        let mut nearest = f64::INFINITY;
        for (run, value) in (1_usize..).zip(values.iter().rev()) {
            nearest = nearest.min((value - level) * sign);
            if nearest < far {
                break;
            }
            if run < RUN_MIN {
                continue;
            }
            // Values in the middle between both levels may belong to either.
            let others = noise.residuals.len().saturating_sub(run);
            let share = noise::share_beyond(&noise.residuals[..others], nearest / 2.0, sign);
            let strength = run as f64 * share.ln() / self.method.probability_max.ln();
            if strength >= 1.0 {
                let before = values.len() - run;
                return Some(Candidate { before, noise: self.noise(window.start + before), strength });
            }
        }
        None
    }

    /// Whether both levels of a step were visited before: such a step is a return to a known state of the machine.
    /// `current` is the start of the level before the step.
    fn is_known_state(&self, [before, after]: [f64; 2], current: usize) -> bool {
        let within = STATE_WITHIN * (after - before).abs();
        let oldest = self.oldest();
        let changes = self.changes.iter().map(|change| change - self.first);
        let ends: Vec<usize> =
            [oldest].into_iter().chain(changes.filter(|end| (oldest + 1..=current).contains(end))).collect();
        let (mut returns, mut leaves) = (0, 0);
        for ends in ends.windows(2) {
            let level = noise::level(&self.values[ends[0]..ends[1]]);
            returns += usize::from((level - after).abs() <= within);
            leaves += usize::from((level - before).abs() <= within);
        }
        // The level before the step is a visit, too.
        returns >= STATE_VISITS && leaves + 1 >= STATE_VISITS
    }

    /// The place of the oldest of the newest values, which the result depends on. Others are dropped from time to time.
    fn oldest(&self) -> usize {
        self.values.len().saturating_sub(self.method.settings.memory)
    }

    /// The noise of the remembered values, with a change at this place.
    fn noise(&self, change: usize) -> Noise {
        let oldest = self.oldest();
        let changes = self.changes.iter().map(|change| change - self.first).chain([change]);
        let changes: Vec<usize> =
            changes.filter(|&change| change > oldest).map(|change| change - oldest).collect();
        Noise::of(&self.values[oldest..], &changes)
    }

    fn step(&self, placed: &Placed, window: Range<usize>, candidate: &Candidate) -> Step {
        let settings = &self.method.settings;
        let [before, after] = placed.levels;
        let matters = (after - before).abs() >= settings.least_of(candidate.noise.deviation);
        let kind =
            if self.is_known_state(placed.levels, window.start) { Kind::KnownState } else { Kind::Step };
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
            interval: shortest_range(&places, CONFIDENCE).unwrap_or([offset + placed.before; 2]),
            places,
            confidence: 1.0 - (2.0 * normal::upper_tail(settings.deviations * candidate.strength)).min(1.0),
            matters,
            kind,
        }
    }
}

/// A split that is not significant alone.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CandidateSplit {
    /// The index of the first value after it.
    pub index: usize,
    /// Whether the values become larger.
    pub is_up: bool,
    /// The one-sided p-value of this split.
    p: f64,
}

/// A split that may be a change.
struct Candidate {
    /// The number of values of the window before it.
    before: usize,
    noise: Noise,
    /// The strength of the evidence; it is a change from 1 on.
    strength: f64,
}

const NO_ENDS: [f64; 2] = [f64::INFINITY, f64::NEG_INFINITY];

fn widened([low, high]: [f64; 2], value: &f64) -> [f64; 2] {
    [low.min(*value), high.max(*value)]
}

fn ends<'a>(values: impl Iterator<Item = &'a f64>) -> [f64; 2] {
    values.fold(NO_ENDS, widened)
}

/// Whether all values of one range are larger than all of the other, or smaller.
fn are_apart(one: [f64; 2], other: [f64; 2]) -> bool {
    one[1] < other[0] || other[1] < one[0]
}

/// Returns the splits at which all values of one side are larger than all of the other, as the number of values before
/// them.
fn clean_splits(values: &[f64]) -> Vec<usize> {
    let so_far = |ends: &mut [f64; 2], value: &f64| {
        *ends = widened(*ends, value);
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

/// The one-sided p-value of the rank-sum test that values become larger (`is_up`) or smaller after the first `before` of
/// them; 1 without values on a side. The larger one of that of the values and of their innovations, so that
/// autocorrelation is no evidence. For [`Detector::confirm`], of the logarithms since the last change.
pub fn one_sided_p(values: &[f64], before: usize, is_up: bool) -> f64 {
    let p = |[old, new]: [&[f64]; 2]| {
        let Some(test) = rank_sum(old, new) else { return 1.0 };
        let agrees = (test.u_second > (old.len() * new.len()) as f64 / 2.0) == is_up;
        if agrees { test.p_two_sided / 2.0 } else { 1.0 - test.p_two_sided / 2.0 }
    };
    let (old, new) = values.split_at(before.min(values.len()));
    let correlation = Noise::of(values, &[old.len()]).autocorrelation;
    let innovations: Vec<f64> = values.windows(2).map(|pair| pair[1] - correlation * pair[0]).collect();
    let (old_innovations, new_innovations) =
        innovations.split_at(old.len().saturating_sub(1).min(innovations.len()));
    p([old, new]).max(p([old_innovations, new_innovations]))
}

/// The probability of p-values at least as small together, if nothing changed: `-2 Σ ln p` has a χ² distribution with
/// two degrees of freedom for each (Fisher 1932). None of the others counts as smaller than `own`.
fn combined(own: f64, others: &[f64]) -> f64 {
    let half = -others.iter().map(|p| p.max(own).ln()).sum::<f64>() - own.ln();
    // The upper tail for an even number of degrees of freedom.
    let (mut term, mut sum) = (1.0, 0.0);
    for nth in 0..=others.len() {
        sum += term;
        term *= half / (nth + 1) as f64;
    }
    (-half).exp() * sum
}

/// Whether a split with this many values after it is tested: always while they are few, then now and then.
fn is_tested(after: usize) -> bool {
    after < 12 || after.is_multiple_of(8)
}

/// The strength of the split for the innovations (each value minus what the one before predicts), at the best place
/// near it.
fn innovation_strength(values: &[f64], split: Split, autocorrelation: f64, weights: &Weights) -> f64 {
    const NEAR: usize = 3;
    let innovations: Vec<f64> = values.windows(2).map(|pair| pair[1] - autocorrelation * pair[0]).collect();
    let balances = ranks::balances(&innovations);
    let places = split.before.saturating_sub(NEAR)..=split.before + NEAR;
    // The first value has no innovation.
    places
        .filter_map(|place| place.checked_sub(1))
        .map(|place| weights.strength(&balances, place))
        .fold(0.0, f64::max)
}

/// The shortest range of places with this probability.
fn shortest_range(places: &[(usize, f64)], probability: f64) -> Option<[usize; 2]> {
    let mut shortest: Option<[usize; 2]> = None;
    let (mut first, mut sum) = (0, 0.0);
    for &(last_index, share) in places {
        sum += share;
        // Drop the first place while the rest still has enough.
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
mod tests {
    use super::*;

    /// Abramowitz and Stegun (1964), table 26.8: χ² is above 9.48773 with 4 degrees of freedom in 5 %, and above 16.8119 with 6
    /// in 1 % of cases.
    #[test]
    fn combined_probability_is_a_chi_square_tail() {
        let close = |found: f64, expected: f64| assert!((found / expected - 1.0).abs() < 1e-5, "{found}");
        let [two, three] = [9.48773_f64 / 4.0, 16.8119 / 6.0].map(|half| (-half).exp());
        close(combined(two, &[two]), 0.05);
        close(combined(three, &[three; 2]), 0.01);
        close(combined(0.2, &[]), 0.2);
        // Another machine counts no more than this one.
        close(combined(two, &[1e-9]), 0.05);
    }
}
