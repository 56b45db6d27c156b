//! Series of the kinds that detectors are held against: six families of noise, steps of 4 to 25 %, and outliers.
//!
//! `reference/labelled/synthetic.csv` has one draw of each; these are others of the same kinds, as many as are asked for.

use rand::seq::index;
use rand::{RngExt, rngs::StdRng};
use rand_distr::{Distribution, Exp1, StandardNormal};

/// What the values of a series do when nothing changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Noise {
    Normal(f64),
    /// Normal, of 3 %, and each value tells of the next: their correlation is 0.6.
    Wandering,
    /// Normal, of 2 %, and one in six or seven is a quarter higher.
    TwoModes,
    /// A sharp lower edge 6 % below, and an exponential tail above it.
    Skewed,
}

/// All families, by their names in the labelled data.
pub(crate) const FAMILIES: [(&str, Noise); 6] = [
    ("gauss1", Noise::Normal(0.01)),
    ("gauss3", Noise::Normal(0.03)),
    ("gauss8", Noise::Normal(0.08)),
    ("ar", Noise::Wandering),
    ("bimodal", Noise::TwoModes),
    ("skew", Noise::Skewed),
];

const WANDERING_DEVIATION: f64 = 0.03;
const WANDERING_LIKENESS: f64 = 0.6;
/// One value in so many is an outlier.
const OUTLIERS: f64 = 0.004;
/// Changes are at least so far from each other.
const GAP: usize = 30;

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

/// By how much a level changes: 4 to 25 %, up or down, but never out of sight.
fn step(level: f64, random: &mut StdRng) -> f64 {
    let size: f64 = random.random_range(0.04..0.25);
    let is_up = if (50.0..250.0).contains(&level) { random.random_bool(0.5) } else { level < 50.0 };
    if is_up { 1.0 + size } else { 1.0 - size }
}

/// So many places, none too near to another or to an end.
fn places(length: usize, count: usize, random: &mut StdRng) -> Vec<usize> {
    if count == 0 {
        return Vec::new();
    }
    // What is left of the length when every place but the first has its gap.
    let room = length - 2 * GAP - (count - 1) * GAP;
    let mut places = index::sample(random, room, count).into_vec();
    places.sort_unstable();
    places.iter().enumerate().map(|(nth, place)| GAP + place + nth * GAP).collect()
}

impl Noise {
    /// Values about 1.
    pub(crate) fn values(self, length: usize, random: &mut StdRng) -> Vec<f64> {
        let normal = |random: &mut StdRng| -> f64 { StandardNormal.sample(random) };
        let mut wander = normal(random);
        let mut draw = || match self {
            Self::Normal(deviation) => 1.0 + deviation * normal(random),
            Self::Wandering => {
                let news = (1.0 - WANDERING_LIKENESS * WANDERING_LIKENESS).sqrt();
                wander = WANDERING_LIKENESS * wander + news * normal(random);
                1.0 + WANDERING_DEVIATION * wander
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
