//! Finds the exact place of a change. The noise distribution is estimated from the series itself, and the place is the
//! one with the highest likelihood: noise with a sharp edge determines it to the point even where the mean leaves it
//! open.

use super::noise::{deviation_of_sorted, level};

/// An estimated place.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placed {
    pub(super) before: usize,
    pub(super) levels: [f64; 2],
    /// The first candidate place, as the number of values before it.
    pub(super) first: usize,
    /// The probability of each candidate, from `first` on.
    pub(super) probabilities: Vec<f64>,
}

/// The search radius around the first guess of the place.
const SEARCH_RADIUS: usize = 40;
/// The place is chosen so that the true one is probably within this many values.
pub(super) const NEAR: usize = 5;
/// Levels and place depend on each other: maximum number of iterations.
const ITERATIONS_MAX: usize = 3;
/// The share of values that the noise does not explain.
const OUTLIERS: f64 = 0.02;
/// Smallest bandwidth, as a logarithm: values are not known better than 0.2 %.
const BANDWIDTH_MIN: f64 = 0.002;
/// Width of an Epanechnikov kernel that is equivalent to a normal one of deviation 1 (Marron and Nolan 1988).
const EPANECHNIKOV: f64 = 2.214;

/// Searches for the place near a first guess.
pub(super) fn place(values: &[f64], guess: usize, autocorrelation: f64) -> Placed {
    let mut before = guess;
    let mut round = 0;
    loop {
        let placed = estimate(values, before, autocorrelation);
        round += 1;
        if placed.before == before || round == ITERATIONS_MAX {
            return placed;
        }
        before = placed.before;
    }
}

fn estimate(values: &[f64], guess: usize, autocorrelation: f64) -> Placed {
    let (first_side, second_side) = values.split_at(guess);
    let levels @ [low, high] = [level(first_side), level(second_side)];
    // The innovation of a value: its difference from what the value before predicts.
    let innovation = |index: usize, previous: f64, now: f64| {
        (values[index] - now) - autocorrelation * (values[index - 1] - previous)
    };
    let innovations = (1..values.len()).filter(|&index| index != guess).map(|index| {
        let here = if index < guess { low } else { high };
        innovation(index, here, here)
    });
    let density = Density::of(innovations.collect(), (high - low).abs());

    let first = guess.saturating_sub(SEARCH_RADIUS).max(1);
    let last = (guess + SEARCH_RADIUS).min(values.len() - 1);
    // The log likelihood of the values for each place, relative to the first one: each step adds the terms that differ.
    let mut likelihood = 0.0;
    let mut likelihoods = Vec::with_capacity(last - first + 1);
    for place in first..=last {
        if place > first {
            let at = place - 1;
            // The value before the place was the first of the new level and becomes the last of the old one.
            likelihood += density.log(innovation(at, low, low)) - density.log(innovation(at, low, high));
            likelihood +=
                density.log(innovation(place, low, high)) - density.log(innovation(place, high, high));
        }
        likelihoods.push(likelihood);
    }
    let most = likelihoods.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let mut probabilities: Vec<f64> = likelihoods.iter().map(|value| (value - most).exp()).collect();
    let all: f64 = probabilities.iter().sum();
    probabilities.iter_mut().for_each(|share| *share /= all);
    Placed { before: first + choose(&probabilities), levels, first, probabilities }
}

/// Chooses the place with the highest probability of being within [`NEAR`] of the true one; among those within 2 % of
/// it, the most probable place.
fn choose(probabilities: &[f64]) -> usize {
    let possible = |place: &usize| probabilities[*place] > 0.0;
    let around: Vec<f64> = (0..probabilities.len()).map(|place| near(probabilities, place)).collect();
    let best = (0..probabilities.len()).filter(possible).map(|place| around[place]).fold(0.0, f64::max);
    (0..probabilities.len())
        .filter(|&place| around[place] >= 0.98 * best)
        .max_by(|&one, &other| probabilities[one].total_cmp(&probabilities[other]).then(other.cmp(&one)))
        .unwrap_or(0)
}

/// The probability that the true place is within [`NEAR`] of this one.
fn near(probabilities: &[f64], place: usize) -> f64 {
    let from = place.saturating_sub(NEAR);
    probabilities.iter().take(place + NEAR + 1).skip(from).sum()
}

impl Placed {
    /// The probability that the true place is within [`NEAR`] of the chosen one.
    pub(super) fn is_near(&self) -> f64 {
        near(&self.probabilities, self.before.saturating_sub(self.first))
    }
}

/// The density of a series' noise: a kernel estimate that needs only a few sums for each value.
struct Density {
    sorted: Vec<f64>,
    /// Sums of the values before each, and of their squares.
    sums: Vec<[f64; 2]>,
    bandwidth: f64,
    scale: f64,
    outliers: f64,
}

impl Density {
    fn of(mut values: Vec<f64>, change: f64) -> Self {
        values.sort_unstable_by(f64::total_cmp);
        let deviation = deviation_of_sorted(&values);
        let count = values.len() as f64;
        // Silverman (1986), section 3.4.2.
        let bandwidth = (deviation * count.powf(-0.2)).max(BANDWIDTH_MIN) * EPANECHNIKOV;
        let mut sums = Vec::with_capacity(values.len() + 1);
        let (mut sum, mut squares) = (0.0, 0.0);
        sums.push([sum, squares]);
        for value in &values {
            sum += value;
            squares += value * value;
            sums.push([sum, squares]);
        }
        let width = 16.0 * deviation + 2.0 * change + 0.04;
        Self {
            sorted: values,
            sums,
            bandwidth,
            scale: (1.0 - OUTLIERS) * 0.75 / (count * bandwidth),
            outliers: OUTLIERS / width,
        }
    }

    /// The logarithm of the density at a value, with kernels 1 - ((value - x) / bandwidth)^2.
    fn log(&self, value: f64) -> f64 {
        let from = self.sorted.partition_point(|&x| x <= value - self.bandwidth);
        let to = self.sorted.partition_point(|&x| x < value + self.bandwidth);
        let count = (to - from) as f64;
        let [sum, squares] = [0, 1].map(|power| self.sums[to][power] - self.sums[from][power]);
        let distances = count * value * value - 2.0 * value * sum + squares;
        let kernels = (count - distances / (self.bandwidth * self.bandwidth)).max(0.0);
        (kernels * self.scale + self.outliers).ln()
    }
}
