//! Robust estimates of location and scale, which outliers hardly affect.

/// The median, for an even number of values the mean of the middle two; 0 without values. Reorders the values.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let is_even = values.len().is_multiple_of(2);
    let (below, &mut upper, _) = values.select_nth_unstable_by(values.len() / 2, f64::total_cmp);
    // For an even number of values, the other middle one is the largest below.
    if is_even { f64::midpoint(below.iter().copied().fold(f64::MIN, f64::max), upper) } else { upper }
}

/// Estimates the standard deviation of a normal distribution from the distances of its values to its middle (Hampel
/// 1974). Reorders the distances.
pub(crate) fn deviation(distances: &mut [f64]) -> f64 {
    // 1 / the third quartile of the normal distribution.
    const PER_MEDIAN: f64 = 1.482_602_218_505_602;
    PER_MEDIAN * median(distances)
}

/// The median, and the estimated standard deviation around it. Reorders the values.
pub(crate) fn median_and_deviation(values: &mut [f64]) -> (f64, f64) {
    let median = median(values);
    let mut distances: Vec<f64> = values.iter().map(|value| (value - median).abs()).collect();
    (median, deviation(&mut distances))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn median_of_odd_and_even_counts() {
        assert_eq!(median(&mut []), 0.0);
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 9.0]), 3.0);
    }

    #[test]
    fn outlier_does_not_change_the_deviation() {
        assert_eq!(deviation(&mut [1.0, 1.0, 1.0, 1e9]), deviation(&mut [1.0; 4]));
    }
}
