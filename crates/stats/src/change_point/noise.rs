//! What a series does when nothing changes: its level, how wide it scatters about it, and how much one value tells of the
//! next. All by means that a few wild values do not move.

use crate::middle::{deviation, median};

/// The distance between the quartiles of a normal distribution, in standard deviations.
const DEVIATIONS_BETWEEN_QUARTILES: f64 = 1.348_979_500_392_164;
/// How many standard deviations from its level a value is still taken for one of it.
const NEAR: f64 = 2.5;
/// How alike neighbours are taken to be while little is known, and as how many values that counts.
const PRIOR_LIKENESS: f64 = 0.35;
const PRIOR_VALUES: f64 = 40.0;
/// Neighbours more alike than this leave nothing to be told from them.
const LIKENESS_MAX: f64 = 0.8;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Noise {
    /// The standard deviation, of those that are not wild.
    pub(super) deviation: f64,
    /// The correlation of neighbours, 0 to [`LIKENESS_MAX`].
    pub(super) likeness: f64,
    /// How far each value is from the median between its changes.
    pub(super) residuals: Vec<f64>,
}

impl Noise {
    /// Of consecutive values, whose level changes at each of these places, ascending.
    pub(super) fn of(values: &[f64], changes: &[usize]) -> Self {
        let mut residuals = values.to_vec();
        let mut parts = Vec::with_capacity(changes.len() + 1);
        let mut rest = &mut residuals[..];
        let mut taken = 0;
        for &change in changes {
            let (part, others) = rest.split_at_mut(change - taken);
            parts.push(part);
            (rest, taken) = (others, change);
        }
        parts.push(rest);
        for part in &mut parts {
            let middle = median(&mut part.to_vec());
            part.iter_mut().for_each(|value| *value -= middle);
        }
        let mut sizes: Vec<f64> =
            parts.iter().flat_map(|part| part.iter()).map(|value| value.abs()).collect();
        let deviation = deviation(&mut sizes);
        let noise = Self {
            deviation,
            likeness: 0.0,
            residuals: parts.iter().flat_map(|part| part.iter()).copied().collect(),
        };
        if deviation <= f64::EPSILON {
            return noise;
        }
        // Of each part its mean is gone, so that what is left is a little less alike than it was: by (1 + 3 r) / n of each
        // (Kendall 1954, Biometrika 41; Marriott and Pope 1954).
        let (mut alike, mut pairs, mut all) = (0.0, 0_usize, 0.0);
        for part in &mut parts {
            part.iter_mut().for_each(|value| *value = (*value / deviation).clamp(-NEAR, NEAR));
            let mean = part.iter().sum::<f64>() / part.len().max(1) as f64;
            part.iter_mut().for_each(|value| *value -= mean);
            alike += part.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>();
            pairs += part.len().saturating_sub(1);
            all += part.iter().map(|value| value * value).sum::<f64>();
        }
        let count = values.len() as f64;
        if pairs == 0 || all <= 0.0 {
            return noise;
        }
        let found = (alike / pairs as f64) / (all / count);
        let unbiased = found + (1.0 + 3.0 * found) * parts.len() as f64 / count;
        let likeness = (unbiased * count + PRIOR_LIKENESS * PRIOR_VALUES) / (count + PRIOR_VALUES);
        Self { likeness: likeness.clamp(0.0, LIKENESS_MAX), ..noise }
    }
}

impl Noise {
    /// How probable it is that all of some values are so far from a level, to the side that the sign tells: the share of
    /// values that were ever as far out as the nearest of them, once for each that tells anything new. Never 0, because
    /// what was not seen yet may still be.
    pub(super) fn share_of_all_beyond(&self, values: &[f64], level: f64, sign: f64) -> f64 {
        let nearest = values.iter().map(|value| (value - level) * sign).fold(f64::INFINITY, f64::min);
        if nearest <= 0.0 {
            return 1.0;
        }
        let beyond = self.residuals.iter().filter(|residual| **residual * sign >= nearest).count();
        let share = (beyond + 1) as f64 / (self.residuals.len() + 1) as f64;
        share.powf(values.len() as f64 * (1.0 - self.likeness) / (1.0 + self.likeness))
    }
}

/// Where most of the values are: the mean of those near their median.
pub(crate) fn level(values: &[f64]) -> f64 {
    let middle = median(&mut values.to_vec());
    let mut distances: Vec<f64> = values.iter().map(|value| (value - middle).abs()).collect();
    let near = NEAR * deviation(&mut distances);
    let (sum, count) = values
        .iter()
        .filter(|value| (*value - middle).abs() <= near)
        .fold((0.0, 0.0), |(sum, count), value| (sum + value, count + 1.0));
    if count > 0.0 { sum / count } else { middle }
}

/// The standard deviation that the quartiles of sorted values tell.
pub(super) fn deviation_of_sorted(sorted: &[f64]) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    (sorted[last * 3 / 4] - sorted[last / 4]) / DEVIATIONS_BETWEEN_QUARTILES
}
