//! Confidence interval of a median. Both ends are measured values, and nothing is assumed about the distribution
//! (Conover 1999, Practical Nonparametric Statistics, section 3.2).

use crate::quantile::nearest_rank;

/// The median of a few values and the confidence interval of the true median. All three are measured values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Lower end of the interval.
    pub low: u64,
    /// Upper end of the interval.
    pub high: u64,
    /// The median of the values, by nearest rank.
    pub median: u64,
}

/// The narrowest interval from the r-th smallest to the r-th largest value that contains the true median with at least
/// this confidence, in parts per million. The values may be in any order. Returns `None` if there are too few: at 95 %
/// (950,000), five values are not enough and six are.
///
/// ```
/// use roundtrip_stats::interval;
/// let twenty: Vec<u64> = (1..=20).collect();
/// let interval = interval::median(&twenty, 950_000);
/// assert_eq!(interval.map(|interval| (interval.low, interval.median, interval.high)), Some((6, 10, 15)));
/// ```
pub fn median(values: &[u64], confidence_ppm: u32) -> Option<Interval> {
    let mut sorted = values.to_vec();
    sorted.sort_unstable();
    let outside = values_outside(sorted.len(), confidence_ppm)?;
    Some(Interval {
        low: *sorted.get(outside)?,
        high: *sorted.get(sorted.len().checked_sub(outside + 1)?)?,
        median: nearest_rank(&sorted, 500_000)?,
    })
}

/// The number of sorted values to leave out on each side, of `count`. Each value is below the true median with
/// probability 1/2, so the number below is binomial. The interval misses the median if no more values than those left
/// out are on one side of it.
fn values_outside(count: usize, confidence_ppm: u32) -> Option<usize> {
    let miss_ppm = 1_000_000_u32.checked_sub(confidence_ppm).filter(|&ppm| ppm > 0)?;
    // Tolerance of 1e-9 for rounding: six values cover exactly 96.875 %, and must be enough for that confidence.
    let allowed = f64::from(miss_ppm) / 1e6 * (1.0 + 1e-9);

    // Binomial probabilities from the middle down to zero, relative to the one in the middle: 2^-count itself is
    // smaller than any double for large counts.
    let middle = count / 2;
    let mut relative = vec![1.0];
    let mut last = 1.0;
    for below in (1..=middle).rev() {
        last *= below as f64 / (count - below + 1) as f64;
        relative.push(last);
    }
    let half: f64 = relative.iter().sum();
    let total = if count.is_multiple_of(2) { 2.0 * half - 1.0 } else { 2.0 * half };

    let mut tail = 0.0;
    let narrow_enough = relative.iter().rev().take_while(|probability| {
        tail += **probability;
        2.0 * tail / total <= allowed
    });
    narrow_enough.count().checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ranks(count: u64, confidence_ppm: u32) -> Option<(u64, u64)> {
        let values: Vec<u64> = (1..=count).collect();
        median(&values, confidence_ppm).map(|interval| (interval.low, interval.high))
    }

    /// Conover (1999), section 3.2, with the binomial table; larger counts from `scipy.stats.binom.cdf`, `SciPy`
    /// 1.17.1.
    #[test]
    fn ranks_at_95_percent_match_the_table() {
        for (count, expected) in [
            (6, (1, 6)),
            (8, (1, 8)),
            (10, (2, 9)),
            (15, (4, 12)),
            (20, (6, 15)),
            (30, (10, 21)),
            (50, (18, 33)),
            (100, (40, 61)),
            (5_000, (2_431, 2_570)),
        ] {
            assert_eq!(ranks(count, 950_000), Some(expected), "of {count} values");
        }
    }

    #[test]
    fn too_few_values_have_no_interval() {
        for count in 0..6 {
            assert_eq!(ranks(count, 950_000), None, "of {count} values");
        }
        assert_eq!(ranks(1_000, 1_000_000), None);
        assert_eq!(ranks(1_000, u32::MAX), None);
    }

    /// The interval from the smallest to the largest of n values has a confidence of 1 - 2 / 2^n.
    #[test]
    fn exact_coverage_is_enough() {
        assert_eq!((ranks(6, 968_750), ranks(6, 968_751)), (Some((1, 6)), None));
    }

    #[test]
    fn order_of_values_does_not_matter() {
        let expected = Some(Interval { low: 10, high: 60, median: 30 });
        assert_eq!(median(&[60, 20, 50, 10, 40, 30], 950_000), expected);
    }

    proptest! {
        #[test]
        fn median_is_inside_and_more_confidence_never_narrows(
            values in proptest::collection::vec(any::<u64>(), 1..200), ppm in 0..1_000_000_u32, more in 0..100_000_u32,
        ) {
            let Some(narrow) = median(&values, ppm) else {
                prop_assert_eq!(median(&values, ppm + more), None);
                return Ok(());
            };
            prop_assert!(narrow.low <= narrow.median && narrow.median <= narrow.high, "{narrow:?}");
            if let Some(wide) = median(&values, ppm + more) {
                prop_assert!(wide.low <= narrow.low && narrow.high <= wide.high, "{wide:?} {narrow:?}");
            }
        }
    }
}
