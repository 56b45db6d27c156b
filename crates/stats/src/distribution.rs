//! [`Distribution`]: latencies in an HDR histogram with exact extremes and sum, and the sorted samples as long
//! as they are few. Merging is exact: counts add.

use crate::quantile::{nearest_rank, rank};
use crate::samples;
use base64::{Engine, prelude::BASE64_STANDARD};
use flate2::read::ZlibDecoder;
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};
use std::borrow::Cow;
use std::io::Read;

mod recorder;

pub use recorder::Recorder;

/// The largest value that is told apart, 60 s. Longer times are recorded as this much; the exact maximum is kept.
pub const HIGHEST_NS: u64 = 60_000_000_000;
/// Significant decimal digits of the histogram: quantiles are within 0.05 % of the samples'.
pub const SIGNIFICANT_DIGITS: u8 = 3;
/// The first four bytes of `HdrHistogram` V2 with deflate.
const DEFLATE_COOKIE: u32 = 0x1c84_9314;
/// The header of an inflated histogram.
const HEADER_BYTES: u64 = 40;
/// More than the widest histogram of our precision can have: 64 bits of range, nine bytes a bucket.
const INFLATED_BYTES_MAX: u64 = 1 << 20;
/// Up to this many samples are kept beside the histogram.
pub const SAMPLES_MAX: usize = 10_000;

/// A distribution of times in nanoseconds.
#[derive(Clone, Debug)]
pub struct Distribution {
    /// `None` while the samples alone say it all: a histogram takes some 200 KiB, and many repetitions are of one value.
    histogram: Option<Box<Histogram<u64>>>,
    min_ns: u64,
    max_ns: u64,
    sum_ns: u64,
    /// Sorted; `None` once there are too many, or when a part came without them.
    samples: Option<Vec<u64>>,
}

/// A distribution as it travels. All times in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoded<'a> {
    /// `HdrHistogram` V2 with deflate, base64.
    pub histogram: &'a str,
    /// [`samples::encode`]d samples, if kept.
    pub samples: Option<&'a str>,
    /// Exact number of values.
    pub count: u64,
    /// Exact smallest value.
    pub min_ns: u64,
    /// Exact largest value.
    pub max_ns: u64,
    /// Exact sum.
    pub sum_ns: u64,
}

/// Why an [`Encoded`] is no distribution.
#[derive(Debug, thiserror::Error)]
pub enum InvalidDistribution {
    /// The histogram's text is not base64.
    #[error("histogram is not base64")]
    NotBase64,
    /// The histogram's bytes are not `HdrHistogram` V2 with deflate.
    #[error("histogram is not HdrHistogram V2 with deflate: {0}")]
    NotHistogram(String),
    /// It has another range or precision than ours.
    #[error("histogram has {0}: expected 1 ns to 60 s with {SIGNIFICANT_DIGITS} digits")]
    OtherShape(String),
    /// The samples' text is wrong.
    #[error(transparent)]
    Samples(#[from] samples::InvalidSamples),
    /// Parts contradict each other.
    #[error("{what} is {found} by the histogram or the samples, {stated} as stated")]
    Contradiction {
        /// Which number.
        what: &'static str,
        /// By the parts.
        found: u64,
        /// As stated beside them.
        stated: u64,
    },
}

fn empty_histogram() -> Histogram<u64> {
    // The bounds are constants within the crate's documented range, so construction cannot fail.
    Histogram::new_with_bounds(1, HIGHEST_NS, SIGNIFICANT_DIGITS)
        .unwrap_or_else(|_| unreachable!("constant bounds are valid"))
}

fn histogram_of(values: &[u64]) -> Histogram<u64> {
    let mut histogram = empty_histogram();
    for &value in values {
        histogram.saturating_record(value);
    }
    histogram
}

impl Distribution {
    /// Of samples in any order; `None` of none.
    pub fn of_samples(mut values: Vec<u64>) -> Option<Self> {
        values.sort_unstable();
        let (&min_ns, &max_ns) = (values.first()?, values.last()?);
        let sum_ns = values.iter().fold(0_u64, |sum, &value| sum.saturating_add(value));
        let (histogram, samples) = if values.len() > SAMPLES_MAX {
            (Some(Box::new(histogram_of(&values))), None)
        } else {
            (None, Some(values))
        };
        Some(Self { histogram, min_ns, max_ns, sum_ns, samples })
    }

    /// Reads what another program encoded, and checks that its parts agree.
    ///
    /// # Errors
    /// [`InvalidDistribution`]: nothing of the input is trusted.
    pub fn decode(encoded: &Encoded<'_>) -> Result<Self, InvalidDistribution> {
        let bytes = BASE64_STANDARD.decode(encoded.histogram).map_err(|_| InvalidDistribution::NotBase64)?;
        let histogram = decode_histogram(&bytes)?;
        let samples = encoded.samples.map(|text| samples::decode(text, SAMPLES_MAX)).transpose()?;
        let agree = |what, found, stated| {
            if found == stated {
                Ok(())
            } else {
                Err(InvalidDistribution::Contradiction { what, found, stated })
            }
        };
        agree("count", histogram.len(), encoded.count)?;
        // A saturated maximum stands in the last bucket; otherwise the exact extremes lie in the outermost buckets.
        let clamp = |value: u64| value.clamp(1, HIGHEST_NS);
        let same_bucket = |a: u64, b: u64| histogram.equivalent(clamp(a), clamp(b));
        if !same_bucket(histogram.min(), encoded.min_ns) {
            agree("min_ns", histogram.min(), encoded.min_ns)?;
        }
        if !same_bucket(histogram.max(), encoded.max_ns) {
            agree("max_ns", histogram.max(), encoded.max_ns)?;
        }
        if let Some(samples) = &samples {
            agree("count", samples.len() as u64, encoded.count)?;
            agree("min_ns", samples.first().copied().unwrap_or(0), encoded.min_ns)?;
            agree("max_ns", samples.last().copied().unwrap_or(0), encoded.max_ns)?;
            let sum = samples.iter().fold(0_u64, |sum, &value| sum.saturating_add(value));
            agree("sum_ns", sum, encoded.sum_ns)?;
        }
        Ok(Self {
            histogram: Some(Box::new(histogram)),
            min_ns: encoded.min_ns,
            max_ns: encoded.max_ns,
            sum_ns: encoded.sum_ns,
            samples,
        })
    }

    /// Reads a histogram that [`Distribution::histogram_bytes`] wrote, with the numbers kept beside it.
    ///
    /// # Errors
    /// [`InvalidDistribution`] when the bytes are not such a histogram.
    pub fn of_histogram_bytes(
        bytes: &[u8],
        min_ns: u64,
        max_ns: u64,
        sum_ns: u64,
    ) -> Result<Self, InvalidDistribution> {
        Ok(Self {
            histogram: Some(Box::new(decode_histogram(bytes)?)),
            min_ns,
            max_ns,
            sum_ns,
            samples: None,
        })
    }

    fn histogram(&self) -> Cow<'_, Histogram<u64>> {
        match &self.histogram {
            Some(histogram) => Cow::Borrowed(histogram),
            None => Cow::Owned(histogram_of(self.samples.as_deref().unwrap_or_default())),
        }
    }

    /// The histogram as `HdrHistogram` V2 with deflate.
    pub fn histogram_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        // Writing to memory cannot fail, and the histogram is within the serializer's size.
        let _ = V2DeflateSerializer::new().serialize(&*self.histogram(), &mut bytes);
        bytes
    }

    /// [`Distribution::histogram_bytes`] as base64.
    pub fn histogram_text(&self) -> String {
        BASE64_STANDARD.encode(self.histogram_bytes())
    }

    /// The samples as text, if all were kept.
    pub fn samples_text(&self) -> Option<String> {
        self.samples.as_deref().map(samples::encode)
    }

    /// Adds another distribution. Exact; the samples are kept while both sides have them, whatever their number.
    pub fn merge(&mut self, other: &Self) {
        if self.histogram.is_some() || other.histogram.is_some() {
            let samples = self.samples.as_deref().unwrap_or_default();
            let mut histogram = self.histogram.take().unwrap_or_else(|| Box::new(histogram_of(samples)));
            // Both have the same bounds, so adding cannot fail.
            let _ = histogram.add(&*other.histogram());
            self.histogram = Some(histogram);
        }
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
        self.sum_ns = self.sum_ns.saturating_add(other.sum_ns);
        self.samples = match (self.samples.take(), &other.samples) {
            (Some(mut ours), Some(theirs)) => {
                ours.extend_from_slice(theirs);
                ours.sort_unstable();
                Some(ours)
            }
            _ => None,
        };
    }

    /// The nearest-rank quantile, `q` in parts per million: of the samples where they were kept, else the highest
    /// value equivalent to the histogram's (at most 0.1 % above), never beyond the exact extremes.
    pub fn quantile_ns(&self, q_ppm: u32) -> u64 {
        if let Some(value) = self.samples.as_deref().and_then(|sorted| nearest_rank(sorted, q_ppm)) {
            return value;
        }
        let wanted = rank(q_ppm, self.count());
        let mut seen = 0;
        for bucket in self.histogram().iter_recorded() {
            seen += bucket.count_at_value();
            if seen >= wanted {
                return bucket.value_iterated_to().clamp(self.min_ns, self.max_ns);
            }
        }
        self.max_ns
    }

    /// The middle value, or the mean of the two in the middle. Of few values it lies between them, where the p50 is always
    /// one of them: the smaller one of two.
    pub fn median_ns(&self) -> u64 {
        // A millionth further is the next rank, if there is one in the middle.
        self.quantile_ns(500_000).midpoint(self.quantile_ns(500_001))
    }

    /// Number of values.
    pub fn count(&self) -> u64 {
        match (&self.histogram, &self.samples) {
            (None, Some(samples)) => samples.len() as u64,
            _ => self.histogram().len(),
        }
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

    /// Counts in `steps` equal steps of each doubling, as (lower bound, upper bound, count), empty ones between
    /// the first and the last included: what a chart with a logarithmic axis draws.
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
            Some(samples) => samples.iter().for_each(|&sample| add(sample, 1)),
            None => {
                let histogram = self.histogram();
                for bucket in histogram.iter_recorded() {
                    // The middle of the bucket stands for it: its width is at most 0.1 %.
                    add(histogram.median_equivalent(bucket.value_iterated_to()), bucket.count_at_value());
                }
            }
        }
        (first..=last).zip(counts).map(|(bin, count)| (bound(bin), bound(bin + 1), count)).collect()
    }
}

fn decode_histogram(bytes: &[u8]) -> Result<Histogram<u64>, InvalidDistribution> {
    let inflated = inflate(bytes)?;
    let decoded: Histogram<u64> = Deserializer::new()
        .deserialize(&mut inflated.as_slice())
        .map_err(|error| InvalidDistribution::NotHistogram(format!("{error:?}")))?;
    // Other programs may choose a wider range: values are what count, so they are moved into our bounds.
    let mut histogram = empty_histogram();
    histogram
        .add(&decoded)
        .map_err(|_| InvalidDistribution::OtherShape(format!("a value of {} ns", decoded.max())))?;
    Ok(histogram)
}

/// Inflates the outer layer, and checks the two numbers of the header by which a few bytes could make the decoder
/// allocate gigabytes: the length of the payload and the significant digits.
fn inflate(bytes: &[u8]) -> Result<Vec<u8>, InvalidDistribution> {
    let not_histogram = |why: &str| InvalidDistribution::NotHistogram(why.to_owned());
    let (cookie, rest) = bytes.split_first_chunk().ok_or_else(|| not_histogram("too short"))?;
    let (deflated_bytes, rest) = rest.split_first_chunk().ok_or_else(|| not_histogram("too short"))?;
    if u32::from_be_bytes(*cookie) != DEFLATE_COOKIE {
        return Err(not_histogram("another cookie"));
    }
    let mut inflated = Vec::new();
    ZlibDecoder::new(rest.take(u64::from(u32::from_be_bytes(*deflated_bytes))))
        .take(INFLATED_BYTES_MAX)
        .read_to_end(&mut inflated)
        .map_err(|error| InvalidDistribution::NotHistogram(error.to_string()))?;
    let word = |at: usize| inflated.get(at..)?.first_chunk().map(|word| u32::from_be_bytes(*word));
    let (Some(payload_bytes), Some(digits)) = (word(4), word(12)) else {
        return Err(not_histogram("its header is cut"));
    };
    if u64::from(payload_bytes) + HEADER_BYTES > inflated.len() as u64 {
        return Err(not_histogram("its payload is cut, or too long"));
    }
    if digits != u32::from(SIGNIFICANT_DIGITS) {
        return Err(InvalidDistribution::OtherShape(format!("{digits} significant digits")));
    }
    Ok(inflated)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(values: &[u64]) -> Distribution {
        Distribution::of_samples(values.to_vec()).unwrap()
    }

    fn without_samples(distribution: &Distribution) -> Distribution {
        Distribution::of_histogram_bytes(
            &distribution.histogram_bytes(),
            distribution.min_ns(),
            distribution.max_ns(),
            distribution.sum_ns(),
        )
        .unwrap()
    }

    #[test]
    fn the_median_of_an_even_number_of_values_lies_between_the_two_in_the_middle() {
        assert_eq!(of(&[10, 40]).median_ns(), 25);
        assert_eq!(of(&[10, 20, 40, 1_000]).median_ns(), 30);
        assert_eq!(of(&[10, 20, 40]).median_ns(), 20);
        assert_eq!(of(&[10]).median_ns(), 10);
        assert_eq!(without_samples(&of(&[10, 20, 40, 1_000])).median_ns(), 30);
    }

    proptest! {
        #[test]
        fn histogram_quantiles_are_within_a_thousandth_of_the_samples(
            values in proptest::collection::vec(1..HIGHEST_NS, 1..300), q_ppm in 1..=1_000_000_u32,
        ) {
            let exact = of(&values);
            let approximate = without_samples(&exact).quantile_ns(q_ppm) as f64;
            let exact = exact.quantile_ns(q_ppm) as f64;
            prop_assert!((approximate - exact).abs() <= exact / 1000.0 + 1.0, "{approximate} {exact}");
        }

        #[test]
        fn merging_equals_recording_all_together(
            left in proptest::collection::vec(1..HIGHEST_NS, 1..100),
            right in proptest::collection::vec(1..HIGHEST_NS, 1..100),
        ) {
            let mut merged = of(&left);
            merged.merge(&of(&right));
            let together = of(&[left, right].concat());
            prop_assert_eq!(merged.histogram_bytes(), together.histogram_bytes());
            prop_assert_eq!(merged.quantile_ns(990_000), together.quantile_ns(990_000));
            prop_assert_eq!(merged.sum_ns(), together.sum_ns());
        }

        #[test]
        fn merging_with_a_histogram_alone_equals_recording_all_together(
            left in proptest::collection::vec(1..HIGHEST_NS, 1..100),
            right in proptest::collection::vec(1..HIGHEST_NS, 1..100),
        ) {
            let together = of(&[left.clone(), right.clone()].concat()).histogram_bytes();
            let (left, right) = (of(&left), of(&right));
            for (mut one, other) in
                [(without_samples(&left), right.clone()), (left.clone(), without_samples(&right))]
            {
                one.merge(&other);
                prop_assert_eq!(one.histogram_bytes(), together.clone());
            }
        }

        #[test]
        fn encoding_survives_the_journey(values in proptest::collection::vec(0..2 * HIGHEST_NS, 1..100)) {
            let sent = of(&values);
            let (histogram, samples) = (sent.histogram_text(), sent.samples_text());
            let received = Distribution::decode(&Encoded {
                histogram: &histogram, samples: samples.as_deref(), count: sent.count(),
                min_ns: sent.min_ns(), max_ns: sent.max_ns(), sum_ns: sent.sum_ns(),
            }).unwrap();
            prop_assert_eq!(received.quantile_ns(500_000), sent.quantile_ns(500_000));
        }

        #[test]
        fn bins_hold_every_value_once(values in proptest::collection::vec(1..HIGHEST_NS, 1..200)) {
            for distribution in [of(&values), without_samples(&of(&values))] {
                let total: u64 = distribution.log_bins(8).iter().map(|&(_, _, count)| count).sum();
                prop_assert_eq!(total, values.len() as u64);
            }
        }

        #[test]
        fn any_bytes_are_decoded_or_refused_without_a_panic(bytes in proptest::collection::vec(any::<u8>(), 0..200)) {
            let _ = Distribution::of_histogram_bytes(&bytes, 0, 0, 0);
        }
    }

    #[test]
    fn a_stated_count_that_the_histogram_contradicts_is_refused() {
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
        assert_eq!(error.to_string(), "count is 2 by the histogram or the samples, 3 as stated");
    }

    #[test]
    fn more_than_ten_thousand_samples_leave_only_the_histogram() {
        assert!(of(&vec![5; SAMPLES_MAX + 1]).samples_text().is_none());
        assert!(of(&vec![5; SAMPLES_MAX]).samples_text().is_some());
    }

    /// A histogram whose inflated bytes are `change`d.
    fn tampered(change: impl FnOnce(&mut Vec<u8>)) -> Result<Histogram<u64>, InvalidDistribution> {
        let mut inflated = inflate(&of(&[100, 200]).histogram_bytes()).unwrap();
        change(&mut inflated);
        let mut deflated = Vec::new();
        flate2::read::ZlibEncoder::new(inflated.as_slice(), flate2::Compression::fast())
            .read_to_end(&mut deflated)
            .unwrap();
        let deflated_bytes = u32::try_from(deflated.len()).unwrap();
        let header = [DEFLATE_COOKIE.to_be_bytes(), deflated_bytes.to_be_bytes()].concat();
        decode_histogram(&[header, deflated].concat())
    }

    #[test]
    fn a_header_that_asks_for_gigabytes_is_refused_before_they_are_allocated() {
        assert!(tampered(|_| {}).is_ok());
        let error = tampered(|inflated| inflated[4..8].copy_from_slice(&u32::MAX.to_be_bytes())).unwrap_err();
        assert!(matches!(error, InvalidDistribution::NotHistogram(_)), "{error}");
        let error = tampered(|inflated| inflated[15] = 5).unwrap_err();
        assert!(matches!(error, InvalidDistribution::OtherShape(_)), "{error}");
    }

    #[test]
    fn a_deflated_bomb_is_refused_without_being_inflated() {
        let error = tampered(|inflated| inflated[4..].fill(0xff)).unwrap_err();
        assert!(matches!(error, InvalidDistribution::NotHistogram(_)), "{error}");
        let error = tampered(|inflated| {
            inflated[4..8].copy_from_slice(&(1_u32 << 24).to_be_bytes());
            inflated.resize(1 << 24, 0);
        })
        .unwrap_err();
        assert!(matches!(error, InvalidDistribution::NotHistogram(_)), "{error}");
    }

    #[test]
    fn the_largest_counts_are_read_or_refused_without_a_panic() {
        let _ = tampered(|inflated| {
            let end = inflated.len();
            inflated[40..end].fill(0xfe);
        });
    }
}
