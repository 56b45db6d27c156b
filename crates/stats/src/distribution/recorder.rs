//! [`Recorder`]: builds a distribution from values with counts.

use super::buckets::{Buckets, bucket_of};
use super::{Distribution, SAMPLES_MAX};
use std::collections::BTreeMap;

/// Builds a [`Distribution`] from values with counts. It keeps no samples.
///
/// ```
/// let mut recorder = roundtrip_stats::distribution::Recorder::default();
/// recorder.record(1_200, 3);
/// recorder.record(1_300, 1);
/// assert_eq!(recorder.finish().unwrap().count(), 4);
/// ```
#[derive(Clone, Debug)]
pub struct Recorder {
    /// The count of each bucket.
    counts: BTreeMap<u32, u64>,
    min_ns: u64,
    max_ns: u64,
    sum_ns: u64,
}

impl Default for Recorder {
    fn default() -> Self {
        Self { counts: BTreeMap::new(), min_ns: u64::MAX, max_ns: 0, sum_ns: 0 }
    }
}

impl Recorder {
    /// Adds a value that occurred `count` times.
    pub fn record(&mut self, value: u64, count: u64) {
        if count == 0 {
            return;
        }
        let seen = self.counts.entry(bucket_of(value)).or_default();
        *seen = seen.saturating_add(count);
        self.min_ns = self.min_ns.min(value);
        self.max_ns = self.max_ns.max(value);
        self.sum_ns = self.sum_ns.saturating_add(value.saturating_mul(count));
    }

    /// Returns the distribution of all recorded values; `None` if there are none.
    pub fn finish(self) -> Option<Distribution> {
        let Self { counts, min_ns, max_ns, sum_ns } = self;
        let mut buckets = Buckets::default();
        counts.into_iter().for_each(|(bucket, count)| buckets.push(bucket, count));
        (buckets.total() > 0).then_some(Distribution { buckets, min_ns, max_ns, sum_ns, samples: None })
    }
}

impl Distribution {
    /// Builds the distribution of (value, count) pairs in any order; `None` if there are none. The result equals
    /// [`Distribution::of_samples`] with each value repeated `count` times, without listing millions of them.
    pub fn of_counts(values: &[(u64, u64)]) -> Option<Self> {
        let count = values.iter().fold(0_u64, |sum, &(_, count)| sum.saturating_add(count));
        if count <= SAMPLES_MAX as u64 {
            let listed = values.iter().flat_map(|&(value, count)| (0..count).map(move |_| value));
            return Self::of_samples(listed.collect());
        }
        let mut recorder = Recorder::default();
        for &(value, count) in values {
            recorder.record(value, count);
        }
        recorder.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::super::HIGHEST_NS;
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn counts_equal_repeated_values(
            values in proptest::collection::vec((0..2 * HIGHEST_NS, 0..30_u64), 1..20), often in prop::bool::ANY,
        ) {
            let factor = if often { 100 } else { 1 };
            let counts: Vec<_> = values.iter().map(|&(value, count)| (value, count * factor)).collect();
            let listed: Vec<u64> =
                counts.iter().flat_map(|&(value, count)| (0..count).map(move |_| value)).collect();
            let (counted, listed) = (Distribution::of_counts(&counts), Distribution::of_samples(listed));
            prop_assert_eq!(counted.is_some(), listed.is_some());
            if let (Some(counted), Some(listed)) = (counted, listed) {
                prop_assert_eq!(counted.histogram_bytes(), listed.histogram_bytes());
                prop_assert_eq!(counted.samples_text(), listed.samples_text());
                let facts = |one: &Distribution| (one.count(), one.min_ns(), one.max_ns(), one.sum_ns());
                prop_assert_eq!(facts(&counted), facts(&listed));
            }
        }
    }

    #[test]
    fn no_values_have_no_distribution() {
        let mut recorder = Recorder::default();
        recorder.record(5, 0);
        assert!(recorder.finish().is_none());
        assert!(Distribution::of_counts(&[(5, 0)]).is_none());
    }
}
