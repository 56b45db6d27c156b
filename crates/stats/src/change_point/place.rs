//! Where exactly a level changed. The noise of the series is learnt from its own values, and the place is the one that makes
//! the values likeliest: a noise with a sharp edge tells it to the point where its mean would leave it open.

use super::noise::{deviation_of_sorted, level};

/// A place that was looked for.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Placed {
    pub(super) before: usize,
    pub(super) levels: [f64; 2],
    /// The first of the places that come into question, by how many values are before it.
    pub(super) first: usize,
    /// How probable each of them is, from `first` on.
    pub(super) probabilities: Vec<f64>,
}

/// How far from where ranks put it the place is looked for.
const REACH: usize = 40;
/// A place is named so that the true one is probably within this many values.
pub(super) const NEAR: usize = 5;
/// Levels and place depend on each other: how often one is mended by the other, at most.
const ROUNDS: usize = 3;
/// The share of values that noise does not explain.
const WILD: f64 = 0.02;
/// Values are not known better than this, as a logarithm: 0.2 %.
const BLUR_MIN: f64 = 0.002;
/// As wide as a kernel of Epanechnikov that is worth a normal one of deviation 1 (Marron and Nolan 1988).
const EPANECHNIKOV: f64 = 2.214;

/// Looks for the place near a first guess among those that are `allowed`, in values whose neighbours are that alike. `None`
/// where no level may begin anywhere near.
pub(super) fn place(
    values: &[f64],
    guess: usize,
    likeness: f64,
    allowed: impl Fn(usize) -> bool,
) -> Option<Placed> {
    let mut before = guess;
    let mut round = 0;
    loop {
        let placed = once(values, before, likeness, &allowed)?;
        round += 1;
        if placed.before == before || round == ROUNDS {
            return Some(placed);
        }
        before = placed.before;
    }
}

fn once(values: &[f64], guess: usize, likeness: f64, allowed: &impl Fn(usize) -> bool) -> Option<Placed> {
    let (first_side, second_side) = values.split_at(guess);
    let levels @ [low, high] = [level(first_side), level(second_side)];
    // What is new in a value when the one before is known.
    let new = |index: usize, previous: f64, now: f64| {
        (values[index] - now) - likeness * (values[index - 1] - previous)
    };
    let of_noise = (1..values.len()).filter(|&index| index != guess).map(|index| {
        let here = if index < guess { low } else { high };
        new(index, here, here)
    });
    let density = Density::of(of_noise.collect(), (high - low).abs());

    let first = guess.saturating_sub(REACH).max(1);
    let last = (guess + REACH).min(values.len() - 1);
    // How likely the values between the first and the last place are, for each place: from the first one on, by what changes
    // from one place to the next.
    let mut likelihood = 0.0;
    let mut likelihoods = Vec::with_capacity(last - first + 1);
    for place in first..=last {
        if place > first {
            let at = place - 1;
            // The value before the place was the first of the new level, and is the last of the old one.
            likelihood += density.log(new(at, low, low)) - density.log(new(at, low, high));
            likelihood += density.log(new(place, low, high)) - density.log(new(place, high, high));
        }
        likelihoods.push(if allowed(place) { likelihood } else { f64::NEG_INFINITY });
    }
    let most = likelihoods.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if most == f64::NEG_INFINITY {
        return None;
    }
    let mut probabilities: Vec<f64> = likelihoods.iter().map(|value| (value - most).exp()).collect();
    let all: f64 = probabilities.iter().sum();
    probabilities.iter_mut().for_each(|share| *share /= all);
    Some(Placed { before: first + choose(&probabilities), levels, first, probabilities })
}

/// The place that is probably within [`NEAR`] of the true one: the likeliest of those that nearly are.
fn choose(probabilities: &[f64]) -> usize {
    let possible = |place: &usize| probabilities[*place] > 0.0;
    let around: Vec<f64> = (0..probabilities.len()).map(|place| near(probabilities, place)).collect();
    let best = (0..probabilities.len()).filter(possible).map(|place| around[place]).fold(0.0, f64::max);
    (0..probabilities.len())
        .filter(|&place| around[place] >= 0.98 * best)
        .max_by(|&one, &other| probabilities[one].total_cmp(&probabilities[other]).then(other.cmp(&one)))
        .unwrap_or(0)
}

/// How probably the true place is within [`NEAR`] of this one.
fn near(probabilities: &[f64], place: usize) -> f64 {
    let from = place.saturating_sub(NEAR);
    probabilities.iter().take(place + NEAR + 1).skip(from).sum()
}

impl Placed {
    /// How probably the true place is within [`NEAR`] of the one that is named.
    pub(super) fn is_near(&self) -> f64 {
        near(&self.probabilities, self.before.saturating_sub(self.first))
    }
}

/// The noise of a series: a kernel estimate, of which every value is asked for by a few sums.
struct Density {
    sorted: Vec<f64>,
    /// Sums of the values before each, and of their squares.
    sums: Vec<[f64; 2]>,
    reach: f64,
    scale: f64,
    wild: f64,
}

impl Density {
    fn of(mut values: Vec<f64>, change: f64) -> Self {
        values.sort_unstable_by(f64::total_cmp);
        let deviation = deviation_of_sorted(&values);
        let count = values.len() as f64;
        // Silverman (1986), section 3.4.2.
        let reach = (deviation * count.powf(-0.2)).max(BLUR_MIN) * EPANECHNIKOV;
        let mut sums = Vec::with_capacity(values.len() + 1);
        let (mut sum, mut squares) = (0.0, 0.0);
        sums.push([sum, squares]);
        for value in &values {
            sum += value;
            squares += value * value;
            sums.push([sum, squares]);
        }
        let width = 16.0 * deviation + 2.0 * change + 0.04;
        Self { sorted: values, sums, reach, scale: (1.0 - WILD) * 0.75 / (count * reach), wild: WILD / width }
    }

    /// The logarithm of the density at a value: of kernels 1 - ((value - x) / reach)^2.
    fn log(&self, value: f64) -> f64 {
        let from = self.sorted.partition_point(|&x| x <= value - self.reach);
        let to = self.sorted.partition_point(|&x| x < value + self.reach);
        let count = (to - from) as f64;
        let [sum, squares] = [0, 1].map(|power| self.sums[to][power] - self.sums[from][power]);
        let distances = count * value * value - 2.0 * value * sum + squares;
        let kernels = (count - distances / (self.reach * self.reach)).max(0.0);
        (kernels * self.scale + self.wild).ln()
    }
}
