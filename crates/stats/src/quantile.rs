//! The quantile rule used everywhere in Roundtrip, nearest rank: the smallest value with at least the requested share
//! of all values at or below it (Hyndman and Fan 1996, definition 1). It always returns a measured value.

/// The rank, counted from 1, of quantile `q` among `count` values: `ceil(q * count)`, at least 1.
///
/// `q` is in parts per million, so 99.9 % is exact: floating point would put p99.9 of 1,000 values at rank 1,000
/// instead of 999.
pub fn rank(q_ppm: u32, count: u64) -> u64 {
    let exact = u128::from(q_ppm) * u128::from(count);
    let rank = exact.div_ceil(1_000_000);
    u64::try_from(rank).unwrap_or(u64::MAX).clamp(1, count.max(1))
}

/// Returns the nearest-rank quantile of values in ascending order; `None` if there are none.
///
/// ```
/// use roundtrip_stats::nearest_rank;
/// assert_eq!(nearest_rank(&[15, 20, 35, 40, 50], 400_000), Some(20));
/// ```
pub fn nearest_rank(sorted: &[u64], q_ppm: u32) -> Option<u64> {
    let index = rank(q_ppm, sorted.len() as u64) - 1;
    sorted.get(usize::try_from(index).ok()?).copied()
}

/// First quartile, median and third quartile of a few values, by nearest rank.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Quartiles {
    /// First quartile.
    pub q1: u64,
    /// Median.
    pub median: u64,
    /// Third quartile.
    pub q3: u64,
}

impl Quartiles {
    /// Computes the quartiles of values in any order; `None` if there are none.
    pub fn of(values: &[u64]) -> Option<Self> {
        let mut sorted = values.to_vec();
        sorted.sort_unstable();
        Some(Self {
            q1: nearest_rank(&sorted, 250_000)?,
            median: nearest_rank(&sorted, 500_000)?,
            q3: nearest_rank(&sorted, 750_000)?,
        })
    }
}

/// Returns the nearest-rank median of weighted values; `None` if the weights add up to 0.
///
/// ```
/// use roundtrip_stats::quantile::weighted_median;
/// assert_eq!(weighted_median(vec![(9, 1), (5, 2), (7, 0)]), Some(5));
/// ```
pub fn weighted_median<T: Copy + Ord>(mut values: Vec<(T, u64)>) -> Option<T> {
    values.sort_unstable();
    let count = values.iter().map(|(_, times)| times).sum();
    let mut left = rank(500_000, count);
    let median = values.iter().find(|(_, times)| {
        let is_here = *times >= left;
        left = left.saturating_sub(*times);
        is_here
    });
    median.map(|(value, _)| *value)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The textbook example of the nearest-rank method: 15, 20, 35, 40, 50 at 5, 30, 40, 50 and 100 %.
    #[test]
    fn nearest_rank_matches_the_textbook_example() {
        let values = [15, 20, 35, 40, 50];
        let at = |q| nearest_rank(&values, q).unwrap();
        assert_eq!([at(50_000), at(300_000), at(400_000), at(500_000), at(1_000_000)], [15, 20, 20, 35, 50]);
    }

    #[test]
    fn p99_9_of_a_thousand_is_the_second_largest() {
        assert_eq!(rank(999_000, 1_000), 999);
    }

    #[test]
    fn no_values_have_no_quantile() {
        assert_eq!(nearest_rank(&[], 500_000), None);
        assert_eq!(Quartiles::of(&[]), None);
    }

    #[test]
    fn weighted_median_equals_the_median_of_repeated_values() {
        assert_eq!(weighted_median(vec![(3, 1), (1, 1), (2, 1), (4, 1)]), Some(2));
        assert_eq!(weighted_median(vec![(1, 2), (2, 1), (9, 4)]), Some(9));
        assert_eq!(weighted_median(vec![(1, 0), (2, 0)]), None);
        assert_eq!(weighted_median::<u8>(Vec::new()), None);
    }

    #[test]
    fn quartiles_do_not_depend_on_order() {
        assert_eq!(Quartiles::of(&[4, 1, 3, 2]), Some(Quartiles { q1: 1, median: 2, q3: 3 }));
    }
}
