//! Confidence interval of a counted share: the exact interval of Clopper and Pearson (1934).

use statrs::function::beta::inv_beta_reg;

/// Returns the interval that contains the true share with at least this confidence if `found` of `all` were found. Both
/// ends are between 0 and 1. If `all` is 0, it is 0 to 1.
///
/// ```
/// let [low, high] = roundtrip_stats::share::interval(0, 200, 0.95);
/// assert!(low == 0.0 && (high - 0.018_275).abs() < 1e-6);
/// ```
pub fn interval(found: u64, all: u64, confidence: f64) -> [f64; 2] {
    let found = found.min(all);
    let (k, n, miss) = (found as f64, all as f64, (1.0 - confidence) / 2.0);
    let low = if found == 0 { 0.0 } else { inv_beta_reg(k, n - k + 1.0, miss) };
    let high = if found == all { 1.0 } else { inv_beta_reg(k + 1.0, n - k, 1.0 - miss) };
    [low, high]
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Clopper and Pearson's formula from `scipy.stats.beta.ppf`, `SciPy` 1.17.1, and ends computed by hand.
    #[test]
    fn interval_matches_scipy() {
        let all_or_none = 1.0 - 0.025_f64.powf(1.0 / 200.0);
        for (found, all, [low, high]) in [
            (0, 200, [0.0, all_or_none]),
            (200, 200, [1.0 - all_or_none, 1.0]),
            (1, 2, [1.0 - 0.975_f64.sqrt(), 0.975_f64.sqrt()]),
            (0, 0, [0.0, 1.0]),
        ] {
            let [found_low, found_high] = interval(found, all, 0.95);
            let far = (found_low - low).abs().max((found_high - high).abs());
            assert!(far < 1e-9, "{found} of {all}: {found_low} to {found_high}");
        }
    }

    proptest! {
        #[test]
        fn interval_contains_the_share_and_is_symmetric(found in 0..=500_u64, more in 0..=500_u64) {
            let all = found + more;
            let [low, high] = interval(found, all, 0.95);
            let share = found as f64 / all.max(1) as f64;
            prop_assert!(low <= share && share <= high);
            let [mirrored_low, mirrored_high] = interval(more, all, 0.95);
            prop_assert!((mirrored_low + high - 1.0).abs() < 1e-7 && (mirrored_high + low - 1.0).abs() < 1e-7);
        }
    }
}
