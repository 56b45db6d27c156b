//! Encodings of a distribution. On the wire: `HdrHistogram` V2 with deflate, plus numbers that must agree with it. In
//! storage: the same without deflate.
//!
//! The bytes are those of `AbstractHistogram.encodeIntoCompressedByteBuffer` in `HdrHistogram` 2.1 and later: a cookie
//! and a length, then the deflated output of `encodeIntoByteBuffer`. That output is a header of 40 bytes, then the
//! counts by bucket as zig-zag LEB128. A negative number is a run of that many empty buckets.

use super::buckets::{Buckets, bounds, bucket_of};
use super::zigzag::{push, take};
use super::{Distribution, HIGHEST_NS, SAMPLES_MAX, SIGNIFICANT_DIGITS};
use crate::samples;
use base64::{Engine, prelude::BASE64_STANDARD};
use flate2::{Decompress, FlushDecompress, Status};

/// The first four bytes of the inflated data: V2, with counts of up to 64 bits.
const COOKIE: u32 = 0x1c84_9313;
/// The first four bytes of the deflated form.
const DEFLATE_COOKIE: u32 = 0x1c84_9314;
/// Cookie, length of the counts, offset of the first bucket, digits, lowest and highest value, conversion ratio of
/// values.
const HEADER_BYTES: usize = 40;
/// More than the longest histogram of our precision: 64 bits of range, nine bytes per bucket.
const INFLATED_BYTES_MAX: usize = 1 << 20;
/// Encoders write whole doublings: the end of the doubling that contains [`HIGHEST_NS`].
const DOUBLING_END_NS: u64 = HIGHEST_NS.next_power_of_two() - 1;
/// The bucket for all values above [`HIGHEST_NS`].
const OVERFLOW_BUCKET: u32 = bucket_of(HIGHEST_NS);
/// The bucket of the largest 64-bit number.
const LAST_BUCKET: u32 = 53 * 1_024 + 2_047;
/// The header of zlib data (RFC 1950) from a compressor at level 0.
const ZLIB_HEADER: [u8; 2] = [0x78, 0x01];
/// The longest stored block of deflated data (RFC 1951).
const BLOCK_BYTES_MAX: usize = 65_535;
/// Enough for most histograms of one repetition.
const TYPICAL_BYTES: usize = 4_096;

/// A distribution in its wire format. All times are in nanoseconds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Encoded<'a> {
    /// `HdrHistogram` V2 with deflate, base64.
    pub histogram: &'a str,
    /// Samples in the format of [`samples::encode`], if kept.
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

/// The reason why an [`Encoded`] is not a valid distribution.
#[derive(Debug, thiserror::Error)]
pub enum InvalidDistribution {
    /// The histogram's text is not base64.
    #[error("histogram is not base64")]
    NotBase64,
    /// The histogram's bytes are not `HdrHistogram` V2 with deflate.
    #[error("histogram is not HdrHistogram V2 with deflate: {0}")]
    NotHistogram(&'static str),
    /// Its range or precision differs from ours.
    #[error("histogram has {0}: expected 1 ns to 60 s with {SIGNIFICANT_DIGITS} digits")]
    OtherShape(String),
    /// The samples' text is invalid.
    #[error(transparent)]
    Samples(#[from] samples::InvalidSamples),
    /// Parts contradict each other.
    #[error("{what} is stated as {stated}, but the histogram or the samples give {found}")]
    Contradiction {
        /// Name of the number.
        what: &'static str,
        /// Value computed from the histogram or the samples.
        found: u64,
        /// Value stated in [`Encoded`].
        stated: u64,
    },
}

/// Decodes distributions one after the other and reuses its buffers.
#[derive(Debug)]
pub struct Decoder {
    inflater: Decompress,
    bytes: Vec<u8>,
    inflated: Vec<u8>,
}

impl Default for Decoder {
    fn default() -> Self {
        Self {
            inflater: Decompress::new(true),
            bytes: Vec::new(),
            inflated: Vec::with_capacity(TYPICAL_BYTES),
        }
    }
}

impl Decoder {
    /// Decodes a distribution from another program and checks that its parts agree.
    ///
    /// # Errors
    /// [`InvalidDistribution`] if any part of the input is invalid; the input is untrusted.
    pub fn decode(&mut self, encoded: &Encoded<'_>) -> Result<Distribution, InvalidDistribution> {
        let mut bytes = std::mem::take(&mut self.bytes);
        bytes.clear();
        let decoded = BASE64_STANDARD.decode_vec(encoded.histogram, &mut bytes);
        let buckets = decoded.map_err(|_| InvalidDistribution::NotBase64).and_then(|()| self.buckets(&bytes));
        self.bytes = bytes;
        let buckets = buckets?;
        let samples = encoded.samples.map(|text| samples::decode(text, SAMPLES_MAX)).transpose()?;
        check(encoded, &buckets, samples.as_deref())?;
        Ok(Distribution {
            buckets,
            min_ns: encoded.min_ns,
            max_ns: encoded.max_ns,
            sum_ns: encoded.sum_ns,
            samples: samples.map(|samples| vec![samples]),
        })
    }

    fn buckets(&mut self, bytes: &[u8]) -> Result<Buckets, InvalidDistribution> {
        let not_histogram = InvalidDistribution::NotHistogram;
        let mut rest = bytes;
        if number::<4>(&mut rest).map(u32::from_be_bytes) != Some(DEFLATE_COOKIE) {
            return Err(not_histogram("wrong cookie, or too short"));
        }
        let stated = number::<4>(&mut rest).map(u32::from_be_bytes).ok_or(not_histogram("too short"))?;
        let deflated = usize::try_from(stated).ok().and_then(|stated| rest.get(..stated));
        self.inflate(deflated.ok_or(not_histogram("its deflated part is truncated"))?)?;
        read(&self.inflated)
    }

    /// Inflates into a buffer of limited size: a few bytes can expand to gigabytes.
    fn inflate(&mut self, deflated: &[u8]) -> Result<(), InvalidDistribution> {
        let not_histogram = InvalidDistribution::NotHistogram;
        loop {
            // Inflating in one call is fastest but cannot be resumed. If the buffer is too small, start again with a
            // larger one, which is kept.
            self.inflater.reset(true);
            self.inflated.clear();
            let status = self.inflater.decompress_vec(deflated, &mut self.inflated, FlushDecompress::Finish);
            if status.map_err(|_| not_histogram("its deflated part is broken"))? == Status::StreamEnd {
                return Ok(());
            }
            if self.inflated.len() < self.inflated.capacity() {
                return Err(not_histogram("its deflated part is truncated"));
            }
            if self.inflated.capacity() >= INFLATED_BYTES_MAX {
                return Err(not_histogram("it is too long"));
            }
            self.inflated.reserve(2 * self.inflated.capacity());
        }
    }
}

fn read(bytes: &[u8]) -> Result<Buckets, InvalidDistribution> {
    let not_histogram = InvalidDistribution::NotHistogram;
    let (mut header, counts) =
        bytes.split_at_checked(HEADER_BYTES).ok_or(not_histogram("its header is truncated"))?;
    let mut word = || number::<4>(&mut header).map_or(0, u32::from_be_bytes);
    let (cookie, counts_bytes, offset, digits) = (word(), word(), word(), word());
    let mut long = || number::<8>(&mut header).map_or(0, u64::from_be_bytes);
    let (lowest, _highest, ratio) = (long(), long(), f64::from_bits(long()));
    if cookie != COOKIE {
        return Err(not_histogram("wrong inner cookie"));
    }
    if digits != u32::from(SIGNIFICANT_DIGITS) {
        return Err(InvalidDistribution::OtherShape(format!("{digits} significant digits")));
    }
    if offset != 0 || ratio != 1.0 {
        return Err(InvalidDistribution::OtherShape("shifted or scaled values".into()));
    }
    // Encoders with a lowest value above 1 store values in units of the power of two at or below it.
    let unit = lowest.checked_ilog2().ok_or(not_histogram("its lowest value is 0"))?;
    let counts = usize::try_from(counts_bytes).ok().and_then(|stated| counts.get(..stated));
    let mut counts = counts.ok_or(not_histogram("its counts are truncated"))?;
    // Each count takes at least one byte.
    let mut buckets = Buckets::with_capacity(counts.len());
    let mut next = 0_u32;
    while let Some((&byte, rest)) = counts.split_first() {
        let count = if byte & 0x80 == 0 {
            counts = rest;
            i64::from(byte >> 1) ^ -i64::from(byte & 1)
        } else {
            take(&mut counts).ok_or(not_histogram("it ends in the middle of a count"))?
        };
        if count > 0 {
            // In units of one, the buckets equal ours and appear once.
            if unit == 0 && next < OVERFLOW_BUCKET {
                buckets.push_next(next, count.cast_unsigned());
            } else {
                buckets.push(converted(next, unit)?, count.cast_unsigned());
            }
        }
        let empty = if count < 0 { u32::try_from(count.unsigned_abs()).unwrap_or(u32::MAX) } else { 1 };
        next = next.saturating_add(empty).min(LAST_BUCKET);
    }
    Ok(buckets)
}

/// Converts a bucket of a histogram with values in units of 2^`unit` to our bucket.
fn converted(bucket: u32, unit: u32) -> Result<u32, InvalidDistribution> {
    let value = bounds(bucket).0.checked_mul(1 << unit.min(63)).filter(|&value| value <= DOUBLING_END_NS);
    value.map(bucket_of).ok_or_else(|| InvalidDistribution::OtherShape("values beyond 60 s".into()))
}

/// Checks the stated numbers against the histogram and the samples.
fn check(
    encoded: &Encoded<'_>,
    buckets: &Buckets,
    samples: Option<&[u64]>,
) -> Result<(), InvalidDistribution> {
    let must_match = |what, found, stated| {
        if found == stated { Ok(()) } else { Err(InvalidDistribution::Contradiction { what, found, stated }) }
    };
    must_match("count", buckets.total(), encoded.count)?;
    // Some encoders count 0 as 1.
    let of = |value: u64| bucket_of(value.max(1));
    for (what, bucket, stated) in
        [("min_ns", buckets.first(), encoded.min_ns), ("max_ns", buckets.last(), encoded.max_ns)]
    {
        let bucket = bucket.unwrap_or(0);
        if bucket.max(1) != of(stated) {
            must_match(what, bounds(bucket).0, stated)?;
        }
    }
    let Some(samples) = samples else { return Ok(()) };
    must_match("count", samples.len() as u64, encoded.count)?;
    must_match("min_ns", samples.first().copied().unwrap_or(0), encoded.min_ns)?;
    must_match("max_ns", samples.last().copied().unwrap_or(0), encoded.max_ns)?;
    let sum = samples.iter().fold(0_u64, |sum, &value| sum.saturating_add(value));
    must_match("sum_ns", sum, encoded.sum_ns)
}

impl Distribution {
    /// Reads a histogram written by [`Distribution::stored_bytes`], with the numbers stored next to it.
    ///
    /// # Errors
    /// [`InvalidDistribution`] if the bytes are not a valid histogram.
    pub fn of_stored(
        bytes: &[u8],
        (min_ns, max_ns, sum_ns): (u64, u64, u64),
    ) -> Result<Self, InvalidDistribution> {
        // Older versions stored the deflated form.
        let is_deflated = bytes.starts_with(&DEFLATE_COOKIE.to_be_bytes());
        let buckets = if is_deflated { Decoder::default().buckets(bytes)? } else { read(bytes)? };
        Ok(Self { buckets, min_ns, max_ns, sum_ns, samples: None })
    }

    /// The histogram as `HdrHistogram` V2 without deflate: a quarter larger, but read and written in a fraction of the
    /// time.
    pub fn stored_bytes(&self) -> Vec<u8> {
        // A run of empty buckets and a count take at most three bytes unless counts are large.
        let mut bytes = Vec::with_capacity(HEADER_BYTES + 3 * self.buckets.len());
        write(&self.buckets, &mut bytes);
        bytes
    }

    /// The histogram as `HdrHistogram` V2 with deflate, which here only frames the bytes without compressing them. A
    /// report is compressed as a whole: compressing histograms first would make it 4 % larger and inflating twenty
    /// times as slow.
    pub fn histogram_bytes(&self) -> Vec<u8> {
        let mut bytes = [DEFLATE_COOKIE.to_be_bytes(), [0; 4]].concat();
        store(&self.stored_bytes(), &mut bytes);
        let deflated_bytes = length(bytes.len() - 8);
        bytes[4..8].copy_from_slice(&deflated_bytes);
        bytes
    }
}

/// Appends zlib data that frames the input without compressing it. A compressor at level 0 writes the same bytes, but
/// allocates 270 KiB for each histogram, which fragments the memory of programs that keep thousands of histograms.
fn store(input: &[u8], zlib: &mut Vec<u8>) {
    zlib.reserve(input.len() + 5 * input.len().div_ceil(BLOCK_BYTES_MAX) + 6);
    zlib.extend(ZLIB_HEADER);
    let mut rest = input;
    while !rest.is_empty() {
        let (block, after) = rest.split_at(rest.len().min(BLOCK_BYTES_MAX));
        let block_bytes = u16::try_from(block.len()).unwrap_or(u16::MAX);
        zlib.push(u8::from(after.is_empty()));
        zlib.extend(block_bytes.to_le_bytes());
        zlib.extend((!block_bytes).to_le_bytes());
        zlib.extend(block);
        rest = after;
    }
    zlib.extend(adler2::adler32_slice(input).to_be_bytes());
}

fn write(buckets: &Buckets, plain: &mut Vec<u8>) {
    plain.extend_from_slice(&COOKIE.to_be_bytes());
    // The length of the counts, filled in below, and an offset of 0.
    plain.extend_from_slice(&[0; 8]);
    plain.extend_from_slice(&u32::from(SIGNIFICANT_DIGITS).to_be_bytes());
    plain.extend_from_slice(&1_u64.to_be_bytes());
    plain.extend_from_slice(&HIGHEST_NS.to_be_bytes());
    plain.extend_from_slice(&1_f64.to_be_bytes());
    let mut next = 0;
    for (bucket, count) in buckets.iter() {
        match bucket - next {
            0 => {}
            // A single empty bucket is written as a count of 0.
            1 => push(plain, 0),
            empty => push(plain, -i64::from(empty)),
        }
        push(plain, i64::try_from(count).unwrap_or(i64::MAX));
        next = bucket + 1;
    }
    let counts_bytes = length(plain.len() - HEADER_BYTES);
    plain[4..8].copy_from_slice(&counts_bytes);
}

fn length(bytes: usize) -> [u8; 4] {
    u32::try_from(bytes).unwrap_or(u32::MAX).to_be_bytes()
}

fn number<const BYTES: usize>(rest: &mut &[u8]) -> Option<[u8; BYTES]> {
    let (number, after) = rest.split_first_chunk()?;
    *rest = after;
    Some(*number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::distribution::SAMPLES_MAX;
    use flate2::{Compress, Compression, FlushCompress};
    use hdrhistogram::Histogram;
    use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};
    use proptest::prelude::*;

    fn of(values: &[u64]) -> Distribution {
        Distribution::of_samples(values.to_vec()).unwrap()
    }

    fn deflated(inflated: &[u8]) -> Vec<u8> {
        let mut bytes = [DEFLATE_COOKIE.to_be_bytes(), [0; 4]].concat();
        bytes.reserve(2 * inflated.len() + 64);
        Compress::new(Compression::fast(), true)
            .compress_vec(inflated, &mut bytes, FlushCompress::Finish)
            .unwrap();
        let deflated_bytes = length(bytes.len() - 8);
        bytes[4..8].copy_from_slice(&deflated_bytes);
        bytes
    }

    #[test]
    fn frames_bytes_as_a_compressor_at_level_0_does() {
        for bytes in [1, 40, 5_552, 5_553, 65_535, 65_536, 200_000] {
            let input: Vec<u8> = (0..bytes).map(|index| u8::try_from(index * index % 251).unwrap()).collect();
            let mut expected = Vec::with_capacity(bytes + 1_000);
            Compress::new(Compression::none(), true)
                .compress_vec(&input, &mut expected, FlushCompress::Finish)
                .unwrap();
            let mut found = Vec::new();
            store(&input, &mut found);
            assert_eq!(found, expected, "{bytes} bytes");
        }
    }

    fn inflated(bytes: &[u8]) -> Vec<u8> {
        let mut decoder = Decoder::default();
        decoder.inflate(&bytes[8..]).unwrap();
        decoder.inflated
    }

    fn buckets(bytes: &[u8]) -> Result<Buckets, InvalidDistribution> {
        Decoder::default().buckets(bytes)
    }

    /// The bytes that another implementation of the format writes.
    fn other_encoder(lowest: u64, highest: u64, values: &[u64]) -> Vec<u8> {
        let mut histogram = Histogram::<u64>::new_with_bounds(lowest, highest, SIGNIFICANT_DIGITS).unwrap();
        values.iter().for_each(|&value| histogram.saturating_record(value));
        let mut bytes = Vec::new();
        V2DeflateSerializer::new().serialize(&histogram, &mut bytes).unwrap();
        bytes
    }

    fn values() -> impl Strategy<Value = Vec<u64>> {
        let value = prop_oneof![0..5_000_u64, 0..=HIGHEST_NS];
        proptest::collection::vec(value, 1..200)
    }

    proptest! {
        #[test]
        fn encoded_bytes_match_another_implementation(values in values()) {
            let ours = of(&values).histogram_bytes();
            prop_assert_eq!(inflated(&ours), inflated(&other_encoder(1, HIGHEST_NS, &values)));
        }

        #[test]
        fn another_implementation_reads_our_bytes(values in values()) {
            let ours = of(&values);
            let theirs: Histogram<u64> = Deserializer::new().deserialize(&mut ours.histogram_bytes().as_slice()).unwrap();
            prop_assert_eq!(theirs.len(), values.len() as u64);
            for (bucket, count) in ours.buckets.iter() {
                let (low, high) = bounds(bucket);
                prop_assert_eq!((theirs.count_at(low), theirs.lowest_equivalent(high)), (count, low));
            }
        }

        #[test]
        fn histograms_with_other_ranges_are_converted(
            values in values(), lowest in 1..100_000_u64, highest in HIGHEST_NS / 3..3 * HIGHEST_NS,
        ) {
            let bytes = other_encoder(lowest, highest, &values);
            let theirs: Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
            let mut converted = Histogram::<u64>::new_with_bounds(1, HIGHEST_NS, SIGNIFICANT_DIGITS).unwrap();
            match (converted.add(&theirs), buckets(&bytes)) {
                (Ok(()), Ok(ours)) => {
                    prop_assert_eq!(ours.total(), converted.len());
                    for (bucket, count) in ours.iter() {
                        prop_assert_eq!(converted.count_at(bounds(bucket).0), count);
                    }
                }
                (Err(_), Err(InvalidDistribution::OtherShape(_))) => {}
                (theirs, ours) => prop_assert!(false, "{theirs:?} {ours:?}"),
            }
        }

        #[test]
        fn reused_decoder_equals_a_new_one(
            first in values(), second in values(), noise in proptest::collection::vec(any::<u8>(), 0..100),
        ) {
            let mut decoder = Decoder::default();
            let (first, second) = (of(&first).histogram_bytes(), of(&second).histogram_bytes());
            for bytes in [first.as_slice(), &noise, &first[..first.len() / 2], &second] {
                prop_assert_eq!(decoder.buckets(bytes).ok(), buckets(bytes).ok());
            }
        }
    }

    #[test]
    fn deflated_stored_histograms_are_read() {
        let stored = of(&[100, 200]);
        for bytes in [stored.stored_bytes(), stored.histogram_bytes()] {
            assert_eq!(Distribution::of_stored(&bytes, (100, 200, 300)).unwrap().buckets, stored.buckets);
        }
    }

    #[test]
    fn times_over_a_minute_are_clamped_and_the_maximum_is_exact() {
        let sent = of(&[1_000, HIGHEST_NS + HIGHEST_NS / 10, 3 * HIGHEST_NS]);
        let text = sent.histogram_text();
        let encoded = Encoded {
            histogram: &text,
            samples: None,
            count: 3,
            min_ns: 1_000,
            max_ns: 3 * HIGHEST_NS,
            sum_ns: sent.sum_ns(),
        };
        let received = Distribution::decode(&encoded).unwrap();
        assert_eq!(received.buckets.iter().collect::<Vec<_>>(), [(1_000, 1), (bucket_of(HIGHEST_NS), 2)]);
        assert_eq!(received.max_ns(), 3 * HIGHEST_NS);
    }

    #[test]
    fn long_histograms_are_read() {
        let sent = of(&(0..SAMPLES_MAX as u64).map(|index| 1_000 + 5 * index * index).collect::<Vec<_>>());
        assert!(inflated(&sent.histogram_bytes()).len() > 2 * TYPICAL_BYTES);
        assert_eq!(buckets(&sent.histogram_bytes()).unwrap(), sent.buckets);
    }

    /// Decodes a histogram after applying `change` to its inflated bytes.
    fn tampered(change: impl FnOnce(&mut Vec<u8>)) -> Result<Buckets, InvalidDistribution> {
        let mut inflated = inflated(&of(&[100, 200]).histogram_bytes());
        change(&mut inflated);
        buckets(&deflated(&inflated))
    }

    #[test]
    fn header_with_a_huge_length_is_rejected() {
        assert!(tampered(|_| {}).is_ok());
        let error = tampered(|inflated| inflated[4..8].copy_from_slice(&u32::MAX.to_be_bytes())).unwrap_err();
        assert!(matches!(error, InvalidDistribution::NotHistogram(_)), "{error}");
        let error = tampered(|inflated| inflated[15] = 5).unwrap_err();
        assert!(matches!(error, InvalidDistribution::OtherShape(_)), "{error}");
    }

    #[test]
    fn decompression_bomb_is_rejected() {
        let error = tampered(|inflated| {
            inflated[4..8].copy_from_slice(&(1_u32 << 24).to_be_bytes());
            inflated.resize(1 << 24, 0);
        })
        .unwrap_err();
        assert!(matches!(error, InvalidDistribution::NotHistogram(_)), "{error}");
    }

    #[test]
    fn largest_counts_never_panic() {
        let _ = tampered(|inflated| {
            let end = inflated.len();
            inflated[HEADER_BYTES..end].fill(0xfe);
        });
        let _ = tampered(|inflated| inflated[4..].fill(0xff));
    }
}
