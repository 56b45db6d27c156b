//! The tail of the normal distribution, used for rank sums of more values than the exact tables cover.

/// The probability that a standard normal variable exceeds `z`, which must not be negative. Abramowitz and Stegun
/// (1964): the series 26.2.11 near the middle, the continued fraction 26.2.14 in the tail.
pub(crate) fn upper_tail(z: f64) -> f64 {
    let density = (-z * z / 2.0).exp() / std::f64::consts::TAU.sqrt();
    if z < 3.0 {
        // z + z^3/3 + z^5/(3*5) + ...: after 60 terms, the remainder is below the rounding error.
        let (mut term, mut sum) = (z, 0.0);
        for k in 1..=60_u32 {
            sum += term;
            term *= z * z / f64::from(2 * k + 1);
        }
        0.5 - density * sum
    } else {
        // z + 1/(z + 2/(z + 3/(z + ...))), evaluated from the inside out.
        density / (1..=200_u32).rev().fold(z, |inner, k| z + f64::from(k) / inner)
    }
}

/// The two-sided probability of a rank sum of at most `smaller`, given its mean and variance, with a continuity
/// correction of half a rank. Never zero: beyond 38 standard deviations the tail is below the smallest double.
pub(crate) fn rank_sum_p(smaller: f64, mean: f64, variance: f64) -> f64 {
    let z = (mean - smaller - 0.5).max(0.0) / variance.sqrt();
    (2.0 * upper_tail(z)).clamp(f64::MIN_POSITIVE, 1.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Abramowitz and Stegun (1964), tables 26.1 and 26.2, with more digits from `scipy.stats.norm.sf`, `SciPy` 1.17.1.
    /// Covers both formulas.
    #[test]
    fn normal_tail_matches_the_table() {
        let close = |found: f64, expected: f64| {
            assert!((found / expected - 1.0).abs() < 1e-12, "{found} is not {expected}");
        };
        for (z, expected) in [
            (0.0, 0.5),
            (1.0, 0.158_655_253_931_457_05),
            (1.96, 0.024_997_895_148_220_435),
            (3.0, 1.349_898_031_630_094_5e-3),
            (6.0, 9.865_876_450_376_946e-10),
        ] {
            close(upper_tail(z), expected);
        }
        close(upper_tail(3.0_f64.next_down()), upper_tail(3.0));
    }
}
