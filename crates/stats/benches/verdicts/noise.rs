//! Simulated series for comparing detectors: six families of noise, steps of 4 to 25 %, and outliers.
//!
//! `reference/labelled/synthetic.csv` has one sample of each; these are further samples of the same families.

use rand::seq::index;
use rand::{RngExt, rngs::StdRng};
use rand_distr::{Distribution, Exp1, StandardNormal, StudentT};

/// The noise of a series.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Noise {
    Normal(f64),
    /// Normal with 3 %, autocorrelated: the correlation of neighbours is 0.6.
    Autocorrelated,
    /// Normal with 2 %; about one value in six or seven is a quarter higher.
    TwoModes,
    /// A sharp lower edge 6 % below, and an exponential tail above it.
    Skewed,
}

/// All families, with their names in the labelled data.
pub(crate) const FAMILIES: [(&str, Noise); 6] = [
    ("gauss1", Noise::Normal(0.01)),
    ("gauss3", Noise::Normal(0.03)),
    ("gauss8", Noise::Normal(0.08)),
    ("ar", Noise::Autocorrelated),
    ("bimodal", Noise::TwoModes),
    ("skew", Noise::Skewed),
];

/// The noise of repetitions.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Level {
    Of(Noise),
    /// Student's t with two degrees of freedom, whose variance is infinite, times 1 %.
    Heavy,
}

/// All families of noise, and one with heavy tails.
pub(crate) fn levels() -> Vec<(&'static str, Level)> {
    let families = FAMILIES.map(|(name, noise)| (name, Level::Of(noise)));
    families.into_iter().chain([("heavy", Level::Heavy)]).collect()
}

const AUTOCORRELATED_DEVIATION: f64 = 0.03;
const AUTOCORRELATION: f64 = 0.6;
/// The share of outliers.
const OUTLIERS: f64 = 0.004;
/// The smallest distance between two changes.
const DISTANCE_MIN: usize = 30;

#[derive(Clone, Debug)]
pub(crate) struct Labelled {
    pub(crate) values: Vec<f64>,
    /// The first values of new levels, ascending.
    pub(crate) changes: Vec<usize>,
}

impl Labelled {
    pub(crate) fn draw(noise: Noise, length: usize, changes: usize, random: &mut StdRng) -> Self {
        let changes = places(length, changes, random);
        let mut noises = noise.values(length, random);
        let mut level = 100.0;
        let mut next = changes.iter().copied().peekable();
        for (index, value) in noises.iter_mut().enumerate() {
            if next.next_if_eq(&index).is_some() {
                level *= step(level, random);
            }
            *value *= level;
            if random.random_bool(OUTLIERS) {
                let excess: f64 = Exp1.sample(random);
                *value *= 1.05 + 0.5 * excess;
            }
        }
        Self { values: noises, changes }
    }
}

/// The factor of a step: 4 to 25 %, up or down, within limits for the level.
fn step(level: f64, random: &mut StdRng) -> f64 {
    let size: f64 = random.random_range(0.04..0.25);
    let is_up = if (50.0..250.0).contains(&level) { random.random_bool(0.5) } else { level < 50.0 };
    if is_up { 1.0 + size } else { 1.0 - size }
}

/// Samples this many places that keep the smallest distance from each other and from the ends.
fn places(length: usize, count: usize, random: &mut StdRng) -> Vec<usize> {
    if count == 0 {
        return Vec::new();
    }
    // The remaining length without the distances from the ends and between the places.
    let room = length - 2 * DISTANCE_MIN - (count - 1) * DISTANCE_MIN;
    let mut places = index::sample(random, room, count).into_vec();
    places.sort_unstable();
    places.iter().enumerate().map(|(nth, place)| DISTANCE_MIN + place + nth * DISTANCE_MIN).collect()
}

pub(crate) fn normal(random: &mut StdRng) -> f64 {
    StandardNormal.sample(random)
}

impl Noise {
    /// Values near 1.
    pub(crate) fn values(self, length: usize, random: &mut StdRng) -> Vec<f64> {
        let mut previous = normal(random);
        let mut draw = || match self {
            Self::Normal(deviation) => 1.0 + deviation * normal(random),
            Self::Autocorrelated => {
                let scale = (1.0 - AUTOCORRELATION * AUTOCORRELATION).sqrt();
                previous = AUTOCORRELATION * previous + scale * normal(random);
                1.0 + AUTOCORRELATED_DEVIATION * previous
            }
            Self::TwoModes => {
                let mode = if random.random_bool(0.155) { 0.25 } else { 0.0 };
                1.0 + mode + 0.02 * normal(random)
            }
            Self::Skewed => {
                let tail: f64 = Exp1.sample(random);
                0.94 + 0.06 * tail
            }
        };
        (0..length).map(|_| draw()).collect()
    }
}

impl Level {
    /// Logarithms near 0, one for each repetition in order.
    pub(crate) fn values(self, count: usize, random: &mut StdRng) -> Vec<f64> {
        match self {
            Self::Of(noise) => noise.values(count, random).into_iter().map(f64::ln).collect(),
            Self::Heavy => {
                let student = StudentT::new(2.0).unwrap();
                (0..count).map(|_| 0.01 * student.sample(random)).collect()
            }
        }
    }

    /// Base's and head's repetitions, pair by pair, in random order within each pair.
    pub(crate) fn pairs(self, count: usize, random: &mut StdRng) -> Vec<[f64; 2]> {
        let values = self.values(2 * count, random);
        let in_order =
            |pair: &[f64]| if random.random_bool(0.5) { [pair[0], pair[1]] } else { [pair[1], pair[0]] };
        values.chunks(2).map(in_order).collect()
    }
}

/// Samples the same number of values, with replacement.
pub(crate) fn resample(values: &[f64], random: &mut StdRng) -> Vec<f64> {
    values.iter().map(|_| values[random.random_range(0..values.len())]).collect()
}
