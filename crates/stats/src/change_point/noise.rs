//! The noise of a series: its level, its deviation and its autocorrelation. All estimates are robust against outliers.

use crate::robust::{deviation, median};

/// The distance between the quartiles of a normal distribution, in standard deviations.
const DEVIATIONS_BETWEEN_QUARTILES: f64 = 1.348_979_500_392_164;
/// Values within this many standard deviations of the median determine the level.
const NEAR: f64 = 2.5;
/// The prior for the autocorrelation, and its weight as a number of values.
const PRIOR_AUTOCORRELATION: f64 = 0.35;
const PRIOR_WEIGHT: f64 = 40.0;
/// Upper limit: with more autocorrelation, a value adds almost nothing to its neighbour.
const AUTOCORRELATION_MAX: f64 = 0.9;

#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Noise {
    /// The standard deviation, without outliers.
    pub(super) deviation: f64,
    /// The correlation of neighbours, 0 to [`AUTOCORRELATION_MAX`].
    pub(super) autocorrelation: f64,
    /// Each value minus the median of its level.
    pub(super) residuals: Vec<f64>,
}

impl Noise {
    /// Estimates the noise of consecutive values, given the ascending places at which their level changes.
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
            autocorrelation: 0.0,
            residuals: parts.iter().flat_map(|part| part.iter()).copied().collect(),
        };
        if deviation <= f64::EPSILON {
            return noise;
        }
        // Subtracting the mean of each part biases the estimate downwards, by (1 + 3 r) / n for each part (Kendall
        // 1954, Biometrika 41; Marriott and Pope 1954).
        let (mut products, mut pairs, mut squares) = (0.0, 0_usize, 0.0);
        for part in &mut parts {
            part.iter_mut().for_each(|value| *value = (*value / deviation).clamp(-NEAR, NEAR));
            let mean = part.iter().sum::<f64>() / part.len().max(1) as f64;
            part.iter_mut().for_each(|value| *value -= mean);
            products += part.windows(2).map(|pair| pair[0] * pair[1]).sum::<f64>();
            pairs += part.len().saturating_sub(1);
            squares += part.iter().map(|value| value * value).sum::<f64>();
        }
        let count = values.len() as f64;
        if pairs == 0 || squares <= 0.0 {
            return noise;
        }
        let found = (products / pairs as f64) / (squares / count);
        let unbiased = found + (1.0 + 3.0 * found) * parts.len() as f64 / count;
        let autocorrelation =
            (unbiased * count + PRIOR_AUTOCORRELATION * PRIOR_WEIGHT) / (count + PRIOR_WEIGHT);
        Self { autocorrelation: autocorrelation.clamp(0.0, AUTOCORRELATION_MAX), ..noise }
    }
}

impl Noise {
    /// Returns the probability that all values are this far from a level, on the side of `sign`: the share of residuals
    /// at least as far out as the nearest of the values, to the power of the effective number of independent values.
    pub(super) fn share_of_all_beyond(&self, values: &[f64], level: f64, sign: f64) -> f64 {
        let nearest = values.iter().map(|value| (value - level) * sign).fold(f64::INFINITY, f64::min);
        if nearest <= 0.0 {
            return 1.0;
        }
        let share = share_beyond(&self.residuals, nearest, sign);
        share.powf(values.len() as f64 * (1.0 - self.autocorrelation) / (1.0 + self.autocorrelation))
    }
}

/// The probability that a value is at least this far from its level, on the side of `sign`. Never 0, because larger
/// residuals may still occur.
pub(super) fn share_beyond(residuals: &[f64], distance: f64, sign: f64) -> f64 {
    let beyond = residuals.iter().filter(|residual| **residual * sign >= distance).count();
    (beyond + 1) as f64 / (residuals.len() + 1) as f64
}

/// The level of values: the mean of those near their median.
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

/// Estimates the standard deviation of sorted values from their quartiles.
pub(super) fn deviation_of_sorted(sorted: &[f64]) -> f64 {
    let Some(last) = sorted.len().checked_sub(1) else { return 0.0 };
    (sorted[last * 3 / 4] - sorted[last / 4]) / DEVIATIONS_BETWEEN_QUARTILES
}
