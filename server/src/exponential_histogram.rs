//! Distributions as exponential histograms of OpenTelemetry.
//!
//! A stored distribution counts times in buckets that are at most 0.1 % wide. An exponential histogram has its limits at
//! powers of 2^(2^-scale) seconds, which are not the limits of stored buckets. Each stored bucket is counted where its
//! middle belongs, so a time is at most 0.05 % outside its bucket, and at most 0.002 % if it is below 2 µs, where each
//! nanosecond has its own stored bucket.

use opentelemetry_proto::tonic::metrics::v1::ExponentialHistogramDataPoint;
use opentelemetry_proto::tonic::metrics::v1::exponential_histogram_data_point::Buckets;
use roundtrip_stats::Distribution;

/// The finest scale: buckets of 0.27 %, wider than the stored ones. Prometheus supports no finer one.
const SCALE_MAX: i32 = 8;
/// The coarsest scale: enough for all times from 1 ns to 60 s.
const SCALE_MIN: i32 = 2;
/// The maximum number of buckets, as in the SDKs of OpenTelemetry.
const BUCKETS_MAX: i32 = 160;
/// Steps that separate all stored buckets: 0.002 %.
const STEPS_PER_DOUBLING: u32 = 1 << 15;
const NS_PER_SECOND: f64 = 1e9;

/// Converts a distribution to a data point in seconds, without attributes and times. The scale is the finest one with
/// few enough buckets. Times up to 1 ns are counted as zero.
pub(crate) fn data_point(distribution: &Distribution) -> ExponentialHistogramDataPoint {
    let seconds = |ns: u64| ns as f64 / NS_PER_SECOND;
    let [min, max] = [distribution.min_ns(), distribution.max_ns()].map(seconds);
    let mut zero_count = 0;
    // The logarithm of the time to base 2, and how many times.
    let mut counts = Vec::new();
    for (step, count) in distribution.log_counts(STEPS_PER_DOUBLING) {
        if step == 0 {
            zero_count += count;
        } else {
            let log_ns = (f64::from(step) + 0.5) / f64::from(STEPS_PER_DOUBLING);
            counts.push(((log_ns - NS_PER_SECOND.log2()).max(min.log2()).min(max.log2()), count));
        }
    }
    let scale = (SCALE_MIN..=SCALE_MAX).rev().find(|&scale| span(&counts, scale) <= BUCKETS_MAX);
    let scale = scale.unwrap_or(SCALE_MIN);
    ExponentialHistogramDataPoint {
        count: distribution.count(),
        sum: Some(seconds(distribution.sum_ns())),
        min: Some(min),
        max: Some(max),
        scale,
        zero_count,
        zero_threshold: seconds(1),
        positive: Some(buckets(&counts, scale)),
        negative: Some(Buckets::default()),
        ..ExponentialHistogramDataPoint::default()
    }
}

/// The index of the bucket that contains a time: over base^index, and up to base^(index + 1).
#[expect(clippy::cast_possible_truncation, reason = "times from 1 ns to 60 s have indexes below 2^14")]
fn index(log_seconds: f64, scale: i32) -> i32 {
    (log_seconds * f64::from(scale).exp2()).ceil() as i32 - 1
}

/// The number of buckets from the first to the last time, ascending.
fn span(counts: &[(f64, u64)], scale: i32) -> i32 {
    let (Some((first, _)), Some((last, _))) = (counts.first(), counts.last()) else { return 0 };
    index(*last, scale) - index(*first, scale) + 1
}

fn buckets(counts: &[(f64, u64)], scale: i32) -> Buckets {
    let Some(&(first, _)) = counts.first() else { return Buckets::default() };
    let offset = index(first, scale);
    let mut bucket_counts = vec![0; usize::try_from(span(counts, scale)).unwrap_or(0)];
    for &(log_seconds, count) in counts {
        let place = usize::try_from(index(log_seconds, scale) - offset).ok();
        if let Some(bucket) = place.and_then(|place| bucket_counts.get_mut(place)) {
            *bucket += count;
        }
    }
    Buckets { offset, bucket_counts }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Times that are not alike: of each length from nanoseconds to a minute.
    fn times() -> impl Strategy<Value = Vec<u64>> {
        let time = prop_oneof![0..4_u64, 0..2_048_u64, 2_048..1_000_000_u64, 1..60_000_000_000_u64];
        prop::collection::vec(time, 1..300)
    }

    /// How a collector receives it.
    fn received(values: &[u64]) -> ExponentialHistogramDataPoint {
        let json = serde_json::to_string(&data_point(&stored(values))).unwrap();
        serde_json::from_str(&json).unwrap()
    }

    /// A distribution as stored, without samples.
    fn stored(values: &[u64]) -> Distribution {
        let exact = Distribution::of_samples(values.to_vec()).unwrap();
        let facts = (exact.min_ns(), exact.max_ns(), exact.sum_ns());
        Distribution::of_stored(&exact.stored_bytes(), facts).unwrap()
    }

    /// The limits of the bucket of each count, in nanoseconds, ascending.
    fn limits(point: &ExponentialHistogramDataPoint) -> Vec<(f64, f64)> {
        let zero = (-1.0, point.zero_threshold * NS_PER_SECOND);
        let mut limits = vec![zero; usize::try_from(point.zero_count).unwrap()];
        let positive = point.positive.as_ref().unwrap();
        for (index, &count) in (positive.offset..).zip(&positive.bucket_counts) {
            let limit =
                |index: i32| (f64::from(index) / f64::from(point.scale).exp2()).exp2() * NS_PER_SECOND;
            limits.extend((0..count).map(|_| (limit(index), limit(index + 1))));
        }
        limits
    }

    proptest! {
        #[test]
        fn every_time_lies_within_its_bucket(mut values in times()) {
            values.sort_unstable();
            let point = received(&values);
            prop_assert_eq!(point.count, values.len() as u64);
            let limits = limits(&point);
            prop_assert_eq!(limits.len(), values.len());
            for (&value, (above, up_to)) in values.iter().zip(limits) {
                let slack = if value < 2_048 { 1.000_02 } else { 1.000_5 };
                let value = value as f64;
                prop_assert!(value * slack > above && value <= up_to * slack, "{value} in {above} to {up_to}");
            }
        }

        #[test]
        fn sum_and_extremes_are_exact(values in times()) {
            let point = received(&values);
            let ns = |seconds: Option<f64>| (seconds.unwrap() * NS_PER_SECOND).round();
            prop_assert_eq!(ns(point.min), *values.iter().min().unwrap() as f64);
            prop_assert_eq!(ns(point.max), *values.iter().max().unwrap() as f64);
            prop_assert_eq!(ns(point.sum), values.iter().sum::<u64>() as f64);
        }

        #[test]
        fn scale_is_the_finest_with_160_buckets(values in times()) {
            let point = received(&values);
            let buckets = |point: &ExponentialHistogramDataPoint| point.positive.as_ref().unwrap().bucket_counts.len();
            prop_assert!(buckets(&point) <= 160 && (SCALE_MIN..=SCALE_MAX).contains(&point.scale), "{point:?}");
            // A finer scale has at least this many.
            prop_assert!(point.scale == SCALE_MAX || buckets(&point) * 2 > 160, "{point:?}");
        }
    }

    #[test]
    fn equal_times_fill_one_bucket() {
        let point = data_point(&stored(&[1_500; 40]));
        assert_eq!(point.positive.unwrap().bucket_counts, [40]);
        assert_eq!((point.scale, point.zero_count, point.sum), (SCALE_MAX, 0, Some(0.000_06)));
    }
}
