//! Where most values are, whatever the wild ones among them are.

pub(crate) fn median(values: &mut [f64]) -> f64 {
    if values.is_empty() {
        return 0.0;
    }
    let is_even = values.len().is_multiple_of(2);
    let (below, &mut upper, _) = values.select_nth_unstable_by(values.len() / 2, f64::total_cmp);
    // Of an even number there are two in the middle: the other one is the largest below.
    if is_even { f64::midpoint(below.iter().copied().fold(f64::MIN, f64::max), upper) } else { upper }
}

/// The standard deviation of a normal distribution whose values are that far from its middle (Hampel 1974); the sizes are
/// put into another order.
pub(crate) fn deviation(sizes: &mut [f64]) -> f64 {
    // 1 / the third quartile of the normal distribution.
    const OF_MEDIAN: f64 = 1.482_602_218_505_602;
    OF_MEDIAN * median(sizes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_of_the_values_are_on_either_side_of_the_median() {
        assert_eq!(median(&mut []), 0.0);
        assert_eq!(median(&mut [3.0, 1.0, 2.0]), 2.0);
        assert_eq!(median(&mut [4.0, 1.0, 2.0, 9.0]), 3.0);
    }

    #[test]
    fn a_wild_value_does_not_move_the_deviation() {
        assert_eq!(deviation(&mut [1.0, 1.0, 1.0, 1e9]), deviation(&mut [1.0; 4]));
    }
}
