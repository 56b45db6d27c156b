//! [`Distribution`]: latencies in an HDR histogram with exact extremes and sum, plus the sorted samples while they are
//! few. Merging is exact: counts add.

use crate::quantile::rank;
use crate::samples;
use base64::{Engine, prelude::BASE64_STANDARD};
use buckets::{Buckets, bounds, bucket_of};

mod buckets;
mod encoding;
mod recorder;
mod zigzag;

pub use encoding::{Decoder, Encoded, InvalidDistribution};
pub use recorder::Recorder;

/// The largest distinct value, 60 s. Longer times are counted as this value; the exact maximum is kept.
pub const HIGHEST_NS: u64 = 60_000_000_000;
/// Significant decimal digits of the histogram: quantiles are within 0.05 % of those of the samples.
pub const SIGNIFICANT_DIGITS: u8 = 3;
/// Up to this many samples are kept in addition to the histogram.
pub const SAMPLES_MAX: usize = 10_000;
/// The quantiles of a stored point, in parts per million: p25, p50, p75, p90, p98, p99 and p99.9.
pub const POINT_QUANTILES_PPM: [u32; 7] = [250_000, 500_000, 750_000, 900_000, 980_000, 990_000, 999_000];

/// A distribution of times in nanoseconds.
#[derive(Clone, Debug)]
pub struct Distribution {
    buckets: Buckets,
    min_ns: u64,
    max_ns: u64,
    sum_ns: u64,
    /// The sorted samples of each part; `None` if a part has too many or came without them.
    samples: Option<Vec<Vec<u64>>>,
}

impl Distribution {
    /// Builds the distribution of samples in any order; `None` if there are none.
    pub fn of_samples(mut values: Vec<u64>) -> Option<Self> {
        values.sort_unstable();
        let (&min_ns, &max_ns) = (values.first()?, values.last()?);
        let sum_ns = values.iter().fold(0_u64, |sum, &value| sum.saturating_add(value));
        let buckets = Buckets::of_sorted(&values);
        let samples = (values.len() <= SAMPLES_MAX).then(|| vec![values]);
        Some(Self { buckets, min_ns, max_ns, sum_ns, samples })
    }

    /// Decodes a distribution from another program and checks that its parts agree. To decode many, use
    /// [`Decoder::decode`].
    ///
    /// # Errors
    /// [`InvalidDistribution`] if any part of the input is invalid; the input is untrusted.
    pub fn decode(encoded: &Encoded<'_>) -> Result<Self, InvalidDistribution> {
        Decoder::default().decode(encoded)
    }

    /// [`Distribution::histogram_bytes`] as base64.
    pub fn histogram_text(&self) -> String {
        BASE64_STANDARD.encode(self.histogram_bytes())
    }

    /// The samples as text, if all were kept.
    pub fn samples_text(&self) -> Option<String> {
        let mut all = self.samples.as_ref()?.concat();
        // Each part is already sorted, which the stable sort exploits.
        all.sort();
        Some(samples::encode(&all))
    }

    /// Merges all parts exactly; `None` if there are none. The samples are kept if every part has them, regardless of
    /// their number.
    pub fn merged(parts: Vec<Self>) -> Option<Self> {
        let min_ns = parts.iter().map(Self::min_ns).min()?;
        let max_ns = parts.iter().map(Self::max_ns).max()?;
        let sum_ns = parts.iter().fold(0_u64, |sum, part| sum.saturating_add(part.sum_ns));
        let (buckets, samples): (Vec<_>, Vec<_>) =
            parts.into_iter().map(|part| (part.buckets, part.samples)).unzip();
        let samples = samples.into_iter().collect::<Option<Vec<_>>>().map(|samples| samples.concat());
        Some(Self { buckets: Buckets::merged(&buckets), min_ns, max_ns, sum_ns, samples })
    }

    /// The nearest-rank quantile, `q` in parts per million. It is exact if the samples were kept. Otherwise it is the
    /// highest value of the histogram bucket (at most 0.1 % above), clamped to the exact extremes.
    pub fn quantile_ns(&self, q_ppm: u32) -> u64 {
        let [quantile_ns] = self.quantiles_ns([q_ppm]);
        quantile_ns
    }

    /// Several quantiles in ascending order, in one pass through the histogram.
    pub fn quantiles_ns<const N: usize>(&self, ascending_ppm: [u32; N]) -> [u64; N] {
        let mut values = self.at_quantiles(&ascending_ppm);
        ascending_ppm.map(|_| values.next().unwrap_or(self.max_ns))
    }

    /// Any number of quantiles in ascending order.
    pub fn at_quantiles(&self, ascending_ppm: &[u32]) -> impl Iterator<Item = u64> {
        let ranks = ascending_ppm.iter().map(|&q_ppm| rank(q_ppm, self.count()));
        self.buckets.at_ranks(ranks.clone()).zip(ranks).map(|(place, rank)| {
            let Some((bucket, before)) = place else { return self.max_ns };
            let sample =
                self.samples.as_deref().and_then(|parts| nth_in_bucket(parts, bucket, rank - before - 1));
            sample.unwrap_or_else(|| bounds(bucket).1.clamp(self.min_ns, self.max_ns))
        })
    }

    /// The mean, from the exact sum.
    pub fn mean_ns(&self) -> f64 {
        self.sum_ns as f64 / self.count() as f64
    }

    /// The middle value, or the mean of the two middle values. For an even count it may differ from the p50, which is
    /// the smaller of the two.
    pub fn median_ns(&self) -> u64 {
        // A quantile that is a millionth higher has the next rank if there are two middle values.
        self.quantile_ns(500_000).midpoint(self.quantile_ns(500_001))
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        self.buckets.total()
    }

    /// Exact smallest value.
    pub fn min_ns(&self) -> u64 {
        self.min_ns
    }

    /// Exact largest value.
    pub fn max_ns(&self) -> u64 {
        self.max_ns
    }

    /// Exact sum, or 2^64 - 1 when it is larger.
    pub fn sum_ns(&self) -> u64 {
        self.sum_ns
    }

    /// Non-zero counts in `steps` equal steps per doubling, as (bin, count), ascending. Bin `k` covers 2^(k / steps) to
    /// less than 2^((k + 1) / steps) in every distribution, so several can be shown next to each other.
    ///
    /// ```
    /// use roundtrip_stats::Distribution;
    /// let distribution = Distribution::of_samples(vec![1_024, 1_030, 2_048]).unwrap();
    /// assert_eq!(distribution.log_counts(8), [(80, 2), (88, 1)]);
    /// ```
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "the logarithm of a u64 from 1 on is from 0 to 64"
    )]
    pub fn log_counts(&self, steps: u32) -> Vec<(u32, u64)> {
        let steps_per_doubling = f64::from(steps.max(1));
        let mut bins: Vec<(u32, u64)> = Vec::new();
        let mut end = 0.0;
        for (bucket, count) in self.buckets.iter() {
            // The middle of the bucket represents it: its width is at most 0.1 %.
            let (low, high) = bounds(bucket);
            let value = low.midpoint(high).max(1) as f64;
            match bins.last_mut() {
                Some((_, seen)) if value < end => *seen = seen.saturating_add(count),
                _ => {
                    let bin = (value.log2() * steps_per_doubling).floor();
                    end = ((bin + 1.0) / steps_per_doubling).exp2();
                    bins.push((bin as u32, count));
                }
            }
        }
        bins
    }

    /// Counts in `steps` equal steps per doubling, as (lower bound, upper bound, count), including empty bins between
    /// the first and the last: the data for a chart with a logarithmic axis.
    #[expect(clippy::cast_possible_truncation, reason = "the logarithm of a u64 is below 64")]
    pub fn log_bins(&self, steps: u32) -> Vec<(u64, u64, u64)> {
        let steps_per_doubling = f64::from(steps.max(1));
        let bin_of = |value: u64| ((value.max(1) as f64).log2() * steps_per_doubling).floor() as i64;
        let bound = |bin: i64| (bin as f64 / steps_per_doubling).exp2().round() as u64;
        let (first, last) = (bin_of(self.min_ns), bin_of(self.max_ns));
        let mut counts = vec![0_u64; usize::try_from(last - first).unwrap_or(0) + 1];
        let last_index = counts.len() - 1;
        let mut add = |value: u64, count: u64| {
            let index = usize::try_from(bin_of(value) - first).unwrap_or(0).min(last_index);
            counts[index] += count;
        };
        match &self.samples {
            Some(parts) => parts.iter().flatten().for_each(|&sample| add(sample, 1)),
            None => {
                for (bucket, count) in self.buckets.iter() {
                    // The middle of the bucket represents it: its width is at most 0.1 %.
                    let (low, high) = bounds(bucket);
                    add(low.midpoint(high), count);
                }
            }
        }
        (first..=last).zip(counts).map(|(bin, count)| (bound(bin), bound(bin + 1), count)).collect()
    }
}

/// Returns the value at this index, counted from 0, of those in one bucket of sorted parts.
fn nth_in_bucket(parts: &[Vec<u64>], bucket: u32, index: u64) -> Option<u64> {
    let within = |part: &Vec<u64>| {
        let from = part.partition_point(|&value| bucket_of(value) < bucket);
        let to = from + part[from..].partition_point(|&value| bucket_of(value) == bucket);
        part[from..to].to_vec()
    };
    let mut values: Vec<u64> = parts.iter().flat_map(within).collect();
    let index = usize::try_from(index).ok().filter(|&index| index < values.len())?;
    Some(*values.select_nth_unstable(index).1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[u64]) -> Distribution {
        Distribution::of_samples(values.to_vec()).unwrap()
    }

    fn without_samples(distribution: &Distribution) -> Distribution {
        let exact = (distribution.min_ns(), distribution.max_ns(), distribution.sum_ns());
        Distribution::of_stored(&distribution.stored_bytes(), exact).unwrap()
    }

    #[test]
    fn median_of_an_even_count_is_the_mean_of_the_middle_two() {
        assert_eq!(of(&[10, 40]).median_ns(), 25);
        assert_eq!(of(&[10, 20, 40, 1_000]).median_ns(), 30);
        assert_eq!(of(&[10, 20, 40]).median_ns(), 20);
        assert_eq!(of(&[10]).median_ns(), 10);
        assert_eq!(without_samples(&of(&[10, 20, 40, 1_000])).median_ns(), 30);
    }

    proptest! {
        #[test]
        fn histogram_quantiles_are_within_a_thousandth(
            values in proptest::collection::vec(1..HIGHEST_NS, 1..300), q_ppm in 1..=1_000_000_u32,
        ) {
            let exact = of(&values);
            let approximate = without_samples(&exact).quantile_ns(q_ppm) as f64;
            let exact = exact.quantile_ns(q_ppm) as f64;
            prop_assert!((approximate - exact).abs() <= exact / 1000.0 + 1.0, "{approximate} {exact}");
        }

        #[test]
        fn several_quantiles_equal_single_queries(
            values in proptest::collection::vec(1..HIGHEST_NS, 1..100),
            mut ascending_ppm in prop::array::uniform4(1..=1_000_000_u32),
        ) {
            ascending_ppm.sort_unstable();
            for distribution in [of(&values), without_samples(&of(&values))] {
                let one_by_one = ascending_ppm.map(|q_ppm| distribution.quantile_ns(q_ppm));
                prop_assert_eq!(distribution.quantiles_ns(ascending_ppm), one_by_one);
            }
        }

        #[test]
        fn merging_equals_recording_together(
            left in proptest::collection::vec(1..HIGHEST_NS, 1..100),
            right in proptest::collection::vec(1..HIGHEST_NS, 1..100),
        ) {
            let merged = Distribution::merged(vec![of(&left), of(&right)]).unwrap();
            let together = of(&[left, right].concat());
            prop_assert_eq!(merged.histogram_bytes(), together.histogram_bytes());
            prop_assert_eq!(merged.quantile_ns(990_000), together.quantile_ns(990_000));
            prop_assert_eq!(merged.samples_text(), together.samples_text());
            let facts = |one: &Distribution| (one.count(), one.min_ns(), one.max_ns(), one.sum_ns());
            prop_assert_eq!(facts(&merged), facts(&together));
        }

        #[test]
        fn merging_without_samples_equals_recording_together(
            left in proptest::collection::vec(1..HIGHEST_NS, 1..100),
            right in proptest::collection::vec(1..HIGHEST_NS, 1..100),
        ) {
            let together = of(&[left.clone(), right.clone()].concat()).histogram_bytes();
            let (left, right) = (of(&left), of(&right));
            for parts in [vec![without_samples(&left), right.clone()], vec![left.clone(), without_samples(&right)]] {
                let merged = Distribution::merged(parts).unwrap();
                prop_assert_eq!(merged.histogram_bytes(), together.clone());
                prop_assert!(merged.samples_text().is_none());
            }
        }

        #[test]
        fn encoding_round_trips(values in proptest::collection::vec(0..2 * HIGHEST_NS, 1..100)) {
            let sent = of(&values);
            let (histogram, samples) = (sent.histogram_text(), sent.samples_text());
            let received = Distribution::decode(&Encoded {
                histogram: &histogram, samples: samples.as_deref(), count: sent.count(),
                min_ns: sent.min_ns(), max_ns: sent.max_ns(), sum_ns: sent.sum_ns(),
            }).unwrap();
            prop_assert_eq!(received.quantile_ns(500_000), sent.quantile_ns(500_000));
        }

        #[test]
        fn bin_bounds_do_not_depend_on_the_distribution(values in proptest::collection::vec(1..HIGHEST_NS, 1..200)) {
            let bins = of(&values).log_counts(8);
            prop_assert!(bins.is_sorted_by(|one, other| one.0 < other.0), "{bins:?}");
            let bound = |bin: u32| (f64::from(bin) / 8.0).exp2();
            for &(bin, count) in &bins {
                // A bucket that contains a bin's bound is counted in the bin of its middle.
                let within = |share: f64| {
                    let (from, to) = (bound(bin) * (1.0 - share), bound(bin + 1) * (1.0 + share));
                    values.iter().filter(|&&value| from <= value as f64 && (value as f64) < to).count() as u64
                };
                prop_assert!(within(-0.001) <= count && count <= within(0.001), "{bin}: {count}");
            }
            prop_assert_eq!(bins.iter().map(|&(_, count)| count).sum::<u64>(), values.len() as u64);
        }

        #[test]
        fn bins_hold_every_value_once(values in proptest::collection::vec(1..HIGHEST_NS, 1..200)) {
            for distribution in [of(&values), without_samples(&of(&values))] {
                let total: u64 = distribution.log_bins(8).iter().map(|&(_, _, count)| count).sum();
                prop_assert_eq!(total, values.len() as u64);
            }
        }

        #[test]
        fn arbitrary_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Distribution::of_stored(&bytes, (0, 0, 0));
        }
    }

    #[test]
    fn wrong_count_is_rejected() {
        let sent = of(&[100, 200]);
        let error = Distribution::decode(&Encoded {
            histogram: &sent.histogram_text(),
            samples: None,
            count: 3,
            min_ns: 100,
            max_ns: 200,
            sum_ns: 300,
        })
        .unwrap_err();
        assert_eq!(error.to_string(), "count is stated as 3, but the histogram or the samples give 2");
    }

    #[test]
    fn over_ten_thousand_samples_only_the_histogram_is_kept() {
        assert!(of(&vec![5; SAMPLES_MAX + 1]).samples_text().is_none());
        assert!(of(&vec![5; SAMPLES_MAX]).samples_text().is_some());
    }
}
