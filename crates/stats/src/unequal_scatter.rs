//! The test of unpaired sides, which may scatter differently: do the values of one side tend to be larger?
//!
//! The rank-sum test asks whether both sides have the same distribution. If one side scatters five times as much and
//! neither is slower, all ten values of a side can be above those of the other more often than 2 in 184,756 times: among
//! 57 cases, 1 of 20 comparisons then reports a false change. No test of ranks avoids this (Brunner and Munzel 2000 is as
//! often wrong there, because separated sides leave its variance at 0), so the size of the difference counts too.

use crate::{mann_whitney, robust, shift, welch};

/// The most robust deviations that a value counts from its side's median, in the t test. One slow repetition of ten
/// would otherwise hide a change from it. Chosen by simulation: among 3 to 6, the detection rates with outliers are
/// nearly those of the rank-sum test, at the fewest false changes.
const DEVIATIONS_MAX: f64 = 4.0;

/// Returns the two-sided p-value: the larger one of the rank-sum test's ([`mann_whitney::rank_sum`]) and of Welch's t
/// test's ([`welch::welch`]), whose values are moved to at most four robust deviations from the median of their side. It
/// is valid if either test is. Ignores NaN; 1 if a side has no value.
///
/// ```
/// use roundtrip_stats::unequal_scatter::p_two_sided;
/// assert_eq!(p_two_sided(&[1.0, 2.0, 3.0], &[4.0, 5.0, 6.0]), 0.1);
/// // The ranks of these are the same, but the second side scatters widely.
/// assert!(p_two_sided(&[1.0, 2.0, 3.0], &[4.0, 25.0, 60.0]) > 0.2);
/// ```
pub fn p_two_sided(first: &[f64], second: &[f64]) -> f64 {
    let Some(ranks) = mann_whitney::rank_sum(first, second) else { return 1.0 };
    // Without any scatter there is no t, and the ranks decide.
    let sizes = welch::welch(&near_median(first), &near_median(second));
    sizes.map_or(ranks.p_two_sided, |sizes| sizes.p_two_sided.max(ranks.p_two_sided))
}

/// The smallest increases of all values of the second side with which that side is larger and each of the two tests is
/// significant at `p_max`: by ranks, infinite if there is none, and by size. [`p_two_sided`] needs both.
pub(crate) fn significant_shifts(first: &[f64], second: &[f64], p_max: f64) -> [f64; 2] {
    let sizes = welch::significant_shift(&near_median(first), &near_median(second), p_max);
    [shift::significant_unpaired(first, second, p_max), sizes]
}

/// The standard error of the test by size; 0 without scatter.
pub(crate) fn standard_error(first: &[f64], second: &[f64]) -> f64 {
    welch::standard_error(&near_median(first), &near_median(second)).unwrap_or(0.0)
}

/// The values, moved to at most [`DEVIATIONS_MAX`] from their median.
fn near_median(values: &[f64]) -> Vec<f64> {
    let mut values: Vec<f64> = values.iter().copied().filter(|value| !value.is_nan()).collect();
    let (median, deviation) = robust::median_and_deviation(&mut values);
    let far = DEVIATIONS_MAX * deviation;
    // If most values are equal, the robust deviation is 0 and says nothing about the others.
    if far > 0.0 {
        values.iter_mut().for_each(|value| *value = value.clamp(median - far, median + far));
    }
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-9, "{found} is not {expected}");
    }

    /// The unequal sides: `scipy.stats.ttest_ind(second, first, equal_var=False)`, `SciPy` 1.17.1.
    #[test]
    fn larger_p_value_counts() {
        let narrow: Vec<f64> = (0..10).map(|nth| 100.0 + 0.1 * f64::from(nth)).collect();
        let wide: Vec<f64> = (0..10).map(|nth| 101.0 + f64::from(nth)).collect();
        is(
            p_two_sided(&narrow, &narrow.iter().map(|value| value + 1.0).collect::<Vec<_>>()),
            2.0 / 184_756.0,
        );
        is(p_two_sided(&narrow, &wide), 0.000_495_672_599_039_641_6);
        assert_eq!(p_two_sided(&narrow, &wide), p_two_sided(&wide, &narrow));
        // More than half of the values are equal.
        is(p_two_sided(&[1.0; 10], &[1.1; 10]), 2.0 / 184_756.0);
        assert_eq!((p_two_sided(&[], &wide), p_two_sided(&[f64::NAN], &wide)), (1.0, 1.0));
    }

    #[test]
    fn one_outlier_does_not_hide_a_change() {
        let base: Vec<f64> = (0..10).map(|nth| 100.0 + f64::from(nth)).collect();
        let mut head: Vec<f64> = base.iter().map(|value| value + 25.0).collect();
        head[3] = 1_000.0;
        is(p_two_sided(&base, &head), 2.0 / 184_756.0);
        assert!(welch::welch(&base, &head).unwrap().p_two_sided > 0.05);
    }
}
