//! Suspicion: whether the newest value of a series lies outside its expectation. One value cannot tell a new level from an
//! outlier, so a suspicion only decides which commit is worth a paired comparison; it is never an alert.
//!
//! 1. The expectation comes from the newest [`VALUES_MAX`] values since the last change, at least [`VALUES_MIN`]. Student's
//!    t gives the probability that a further value is as far from their mean (the prediction interval of Hahn and Meeker
//!    1991, section 4.8), on logarithms.
//! 2. Noise is seldom normal. So the value must also be twice as far from the median as all but one of the earlier values,
//!    a ratio that does not depend on the noise's scale (as in Dixon 1950). Two modes and long tails widen the range by
//!    themselves, and a single earlier outlier does not.
//! 3. A run has many series, so the p-values of all of them are adjusted (Benjamini and Hochberg 1995): in steady noise, at
//!    most one of a hundred runs raises a suspicion.
//! 4. The change must be as large as one that [`change_point`](crate::change_point) reports.

use crate::adjust::benjamini_hochberg;
use crate::cause::{Behaviour, Kind, Observation};
use crate::change_point::Settings;
use crate::robust::{deviation, median};
use statrs::function::beta::beta_reg;

/// The largest number of earlier values that count.
pub const VALUES_MAX: usize = 30;
/// The smallest number of earlier values.
pub const VALUES_MIN: usize = 8;
/// The largest adjusted p-value of a suspicion.
const P_MAX: f64 = 0.01;
/// A suspicious value is this many times as far from the median as the others.
const REACHES: f64 = 2.0;
/// No series is steadier than this deviation. Earlier values can all be equal, if a clock has ticks.
const DEVIATION_MIN: f64 = 0.002;
/// A canary or control moved with the case if it moved by this part of the case's change, as in [`crate::cause`].
const PART: f64 = 1.0 / 3.0;

/// What the earlier values of a series predict for the next one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Expectation {
    /// The mean, the standard deviation and the number of logarithms.
    mean: f64,
    deviation: f64,
    count: f64,
    /// Their median.
    median: f64,
    /// The standard deviation without outliers.
    robust_deviation: f64,
    /// The distance of all but one of them from the median.
    reach: f64,
}

/// The newest value of a series, compared with its expectation.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Newest {
    /// The level before, in the unit of the values.
    pub level: f64,
    /// The change from that level, as a share.
    pub change: f64,
    /// The probability of a value as far out, in normal noise.
    p: f64,
    /// Whether it is far beyond the other values and large enough to matter.
    is_far: bool,
}

impl Expectation {
    /// The expectation after these values since the last change, oldest first. `None` if they are too few or not above 0.
    pub fn of(values: &[f64]) -> Option<Self> {
        let newest = &values[values.len().saturating_sub(VALUES_MAX)..];
        if newest.len() < VALUES_MIN || !newest.iter().all(|value| value.is_finite() && *value > 0.0) {
            return None;
        }
        let mut logarithms: Vec<f64> = newest.iter().map(|value| value.ln()).collect();
        let count = logarithms.len() as f64;
        let mean = logarithms.iter().sum::<f64>() / count;
        let squares = logarithms.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
        let median = median(&mut logarithms);
        let mut distances: Vec<f64> = logarithms.iter().map(|value| (value - median).abs()).collect();
        distances.sort_unstable_by(f64::total_cmp);
        let reach = distances[distances.len() - 2];
        let robust_deviation = deviation(&mut distances);
        let deviation = (squares / (count - 1.0)).sqrt().max(DEVIATION_MIN);
        Some(Self { mean, deviation, count, median, robust_deviation, reach })
    }

    /// The level: the median, in the unit of the values.
    pub fn level(&self) -> f64 {
        self.median.exp()
    }

    /// Compares the next value, with the smallest change that matters in [`Settings::least`]. `None` if it is not above 0.
    ///
    /// ```
    /// use roundtrip_stats::change_point::Settings;
    /// use roundtrip_stats::suspicion::{Expectation, suspicious};
    /// let before: Vec<f64> = (0..12).map(|nth| 100.0 + f64::from(nth % 3)).collect();
    /// let newest = Expectation::of(&before).unwrap().newest(121.0, &Settings::default()).unwrap();
    /// assert_eq!((suspicious(&[newest]), (100.0 * newest.change).round()), (vec![true], 20.0));
    /// ```
    pub fn newest(&self, value: f64, settings: &Settings) -> Option<Newest> {
        if !value.is_finite() || value <= 0.0 {
            return None;
        }
        let distance = value.ln() - self.median;
        let least = settings.least_of(self.robust_deviation);
        let is_far = distance.abs() >= least && distance.abs() > REACHES * self.reach;
        Some(Newest { level: self.level(), change: distance.exp_m1(), p: self.p(value), is_far })
    }

    /// The probability that normal noise with this expectation is at least as far from the mean.
    fn p(&self, value: f64) -> f64 {
        let distance = (value.ln() - self.mean).abs();
        let t = distance / (self.deviation * (1.0 + 1.0 / self.count).sqrt());
        let degrees = self.count - 1.0;
        // Abramowitz and Stegun (1964), 26.7.1 with 26.5.27.
        beta_reg(degrees / 2.0, 0.5, degrees / (degrees + t * t))
    }

    /// How a canary or control behaved, given its newest value and the change of a suspicious case. It moved if its value is
    /// outside the prediction interval, in the same direction and by at least a third as much.
    pub fn observe(&self, kind: Kind, name: &str, value: f64, change: f64) -> Observation {
        let moved = value.ln() - self.median;
        let part = moved / change.ln_1p();
        let behaviour = match part {
            part if !part.is_finite() => Behaviour::Inconclusive,
            part if part < PART => Behaviour::Stayed,
            _ if self.p(value) <= P_MAX => Behaviour::Moved,
            _ => Behaviour::Inconclusive,
        };
        Observation { kind, name: name.to_owned(), behaviour, change: Some(moved.exp_m1()) }
    }
}

/// Which of these values, one for each series of a run, are suspicious.
pub fn suspicious(values: &[Newest]) -> Vec<bool> {
    let p: Vec<f64> = values.iter().map(|newest| newest.p).collect();
    let adjusted = benjamini_hochberg(&p);
    values.iter().zip(adjusted).map(|(newest, p)| newest.is_far && p <= P_MAX).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Values within 2 % above a level.
    fn about(level: f64, count: u32) -> Vec<f64> {
        (0..count).map(|nth| level * (1.0 + 0.002 * f64::from(nth * 7 % 11))).collect()
    }

    fn newest(before: &[f64], value: f64) -> Newest {
        Expectation::of(before).unwrap().newest(value, &Settings::default()).unwrap()
    }

    fn is_suspicious(before: &[f64], value: f64) -> bool {
        suspicious(&[newest(before, value)]) == [true]
    }

    #[test]
    fn prediction_interval_matches_the_t_distribution() {
        // By numerical integration of the density of Student's t with 8 degrees of freedom, beyond 2.5 on both sides.
        let of_nine = Expectation {
            mean: 0.0,
            deviation: 1.0,
            count: 9.0,
            median: 0.0,
            robust_deviation: 1.0,
            reach: 2.0,
        };
        let value = (2.5 * (1.0 + 1.0 / 9.0_f64).sqrt()).exp();
        assert!((of_nine.p(value) - 0.036_942_037_7).abs() < 1e-8, "{}", of_nine.p(value));
    }

    #[test]
    fn values_far_outside_are_suspicious() {
        let before = about(100.0, 30);
        assert!(is_suspicious(&before, 121.0) && is_suspicious(&before, 80.0));
        assert!(!is_suspicious(&before, 102.0) && !is_suspicious(&before, 99.5));
        // Significant, but too small to matter.
        let even: Vec<f64> = (0..30).map(|nth| 100.0 + 0.001 * f64::from(nth % 5)).collect();
        assert!(!is_suspicious(&even, 100.5) && is_suspicious(&even, 101.5));
    }

    #[test]
    fn few_values_predict_nothing() {
        assert_eq!(Expectation::of(&about(100.0, 7)), None);
        assert!(Expectation::of(&about(100.0, 8)).is_some());
        assert_eq!(Expectation::of(&[&about(100.0, 8)[..], &[0.0]].concat()), None);
        assert_eq!(Expectation::of(&about(100.0, 8)).unwrap().newest(0.0, &Settings::default()), None);
    }

    #[test]
    fn one_outlier_does_not_hide_a_change_and_two_modes_do() {
        let mut before = about(100.0, 30);
        before[10] = 130.0;
        assert!(is_suspicious(&before, 135.0));
        before[20] = 130.0;
        assert!(!is_suspicious(&before, 135.0));
    }

    #[test]
    fn one_of_many_series_has_to_be_further_out() {
        let before = about(100.0, 30);
        let alone = newest(&before, 103.5);
        let many = [vec![alone], vec![newest(&before, 101.0); 200]].concat();
        assert!(alone.p > P_MAX / 200.0 && !suspicious(&many)[0]);
    }

    #[test]
    fn references_move_in_the_same_direction_by_a_third() {
        let observe = |value: f64, change: f64| {
            Expectation::of(&about(100.0, 30)).unwrap().observe(Kind::Canary, "wake", value, change).behaviour
        };
        assert_eq!(observe(120.0, 0.2), Behaviour::Moved);
        assert_eq!(observe(101.0, 0.2), Behaviour::Stayed);
        assert_eq!(observe(80.0, 0.2), Behaviour::Stayed);
        assert_eq!(observe(80.0, -0.2), Behaviour::Moved);
        assert_eq!(observe(102.0, 0.02), Behaviour::Inconclusive);
    }

    proptest! {
        #[test]
        fn unit_does_not_matter_and_further_out_stays_suspicious(
            before in proptest::collection::vec(90.0..110.0_f64, 8..40),
            value in 50.0..200.0_f64,
            unit in 0.001..1_000.0_f64,
        ) {
            let scaled: Vec<f64> = before.iter().map(|value| value * unit).collect();
            let (plain, other) = (newest(&before, value), newest(&scaled, value * unit));
            prop_assert!((plain.change - other.change).abs() < 1e-9);
            prop_assert!((plain.p - other.p).abs() < 1e-9);
            if is_suspicious(&before, value) {
                let further = plain.level * (value / plain.level).powi(2);
                prop_assert!(is_suspicious(&before, further));
            }
        }

        #[test]
        fn values_within_the_earlier_range_are_not_suspicious(
            before in proptest::collection::vec(1.0..1_000.0_f64, 8..40),
            place in 0..40_usize,
        ) {
            let newest = &before[before.len().saturating_sub(VALUES_MAX)..];
            let mut sorted = newest.to_vec();
            sorted.sort_unstable_by(f64::total_cmp);
            // All but the two ends.
            let value = sorted[1 + place % (sorted.len() - 2)];
            prop_assert!(!is_suspicious(&before, value));
        }
    }
}
