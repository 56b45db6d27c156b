//! How a distribution travels: `HdrHistogram` V2 with deflate, and numbers beside it that must agree with it. And how it is
//! stored: the same without deflate.
//!
//! The bytes are those of `AbstractHistogram.encodeIntoCompressedByteBuffer` in `HdrHistogram` 2.1 and later: a cookie and a
//! length, then deflated what `encodeIntoByteBuffer` writes: a header of 40 bytes and the counts by bucket as zig-zag LEB128,
//! where a negative number is so many empty buckets.

use super::buckets::{Buckets, bounds, bucket_of};
use super::zigzag::{push, take};
use super::{Distribution, HIGHEST_NS, SAMPLES_MAX, SIGNIFICANT_DIGITS};
use crate::samples;
use base64::{Engine, prelude::BASE64_STANDARD};
use flate2::{Compress, Compression, Decompress, FlushCompress, FlushDecompress, Status};

/// The first four bytes of the inflated ones: V2, with counts of up to 64 bits.
const COOKIE: u32 = 0x1c84_9313;
/// The first four bytes of all.
const DEFLATE_COOKIE: u32 = 0x1c84_9314;
/// Cookie, bytes of the counts, offset of the first bucket, digits, lowest and highest value, ratio of stored to real.
const HEADER_BYTES: usize = 40;
/// More than the widest histogram of our precision can have: 64 bits of range, nine bytes a bucket.
const INFLATED_BYTES_MAX: usize = 1 << 20;
/// Encoders lay out whole doublings: the end of the one that [`HIGHEST_NS`] lies in.
const LAID_OUT_NS: u64 = HIGHEST_NS.next_power_of_two() - 1;
/// All that lies beyond [`HIGHEST_NS`] is counted here.
const OVERFLOW_BUCKET: u32 = bucket_of(HIGHEST_NS);
/// The bucket of the largest number of 64 bits, in a histogram that is laid out so far.
const LAST_BUCKET: u32 = 53 * 1_024 + 2_047;
/// Enough for most histograms of one repetition.
const TYPICAL_BYTES: usize = 4_096;

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
    NotHistogram(&'static str),
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

/// Decodes one distribution after the other, and keeps its working memory in between.
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
    /// Reads what another program encoded, and checks that its parts agree.
    ///
    /// # Errors
    /// [`InvalidDistribution`]: nothing of the input is trusted.
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
            return Err(not_histogram("another cookie, or too short"));
        }
        let stated = number::<4>(&mut rest).map(u32::from_be_bytes).ok_or(not_histogram("too short"))?;
        let deflated = usize::try_from(stated).ok().and_then(|stated| rest.get(..stated));
        self.inflate(deflated.ok_or(not_histogram("its deflated part is cut"))?)?;
        read(&self.inflated)
    }

    /// Into a room that is limited: some bytes can stand for gigabytes.
    fn inflate(&mut self, deflated: &[u8]) -> Result<(), InvalidDistribution> {
        let not_histogram = InvalidDistribution::NotHistogram;
        loop {
            // All at once is fastest, and cannot be resumed: with too little room it begins anew, and the room is kept.
            self.inflater.reset(true);
            self.inflated.clear();
            let status = self.inflater.decompress_vec(deflated, &mut self.inflated, FlushDecompress::Finish);
            if status.map_err(|_| not_histogram("its deflated part is broken"))? == Status::StreamEnd {
                return Ok(());
            }
            if self.inflated.len() < self.inflated.capacity() {
                return Err(not_histogram("its deflated part is cut"));
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
        bytes.split_at_checked(HEADER_BYTES).ok_or(not_histogram("its header is cut"))?;
    let mut word = || number::<4>(&mut header).map_or(0, u32::from_be_bytes);
    let (cookie, counts_bytes, offset, digits) = (word(), word(), word(), word());
    let mut long = || number::<8>(&mut header).map_or(0, u64::from_be_bytes);
    let (lowest, _highest, ratio) = (long(), long(), f64::from_bits(long()));
    if cookie != COOKIE {
        return Err(not_histogram("another cookie inside"));
    }
    if digits != u32::from(SIGNIFICANT_DIGITS) {
        return Err(InvalidDistribution::OtherShape(format!("{digits} significant digits")));
    }
    if offset != 0 || ratio != 1.0 {
        return Err(InvalidDistribution::OtherShape("shifted or scaled values".into()));
    }
    // Whoever tells no values below this apart stores them in units of the power of two at or below it.
    let unit = lowest.checked_ilog2().ok_or(not_histogram("its lowest value is 0"))?;
    let counts = usize::try_from(counts_bytes).ok().and_then(|stated| counts.get(..stated));
    let mut counts = counts.ok_or(not_histogram("its counts are cut"))?;
    // No count takes less than a byte.
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
            // In units of one, buckets are ours, and each comes once.
            if unit == 0 && next < OVERFLOW_BUCKET {
                buckets.push_next(next, count.cast_unsigned());
            } else {
                buckets.push(moved(next, unit)?, count.cast_unsigned());
            }
        }
        let empty = if count < 0 { u32::try_from(count.unsigned_abs()).unwrap_or(u32::MAX) } else { 1 };
        next = next.saturating_add(empty).min(LAST_BUCKET);
    }
    Ok(buckets)
}

/// Our bucket of another histogram's bucket, whose values are stored in units of 2 to the power of `unit`.
fn moved(bucket: u32, unit: u32) -> Result<u32, InvalidDistribution> {
    let value = bounds(bucket).0.checked_mul(1 << unit.min(63)).filter(|&value| value <= LAID_OUT_NS);
    value.map(bucket_of).ok_or_else(|| InvalidDistribution::OtherShape("values beyond 60 s".into()))
}

/// That what is stated beside a histogram is what it says, and the samples too.
fn check(
    encoded: &Encoded<'_>,
    buckets: &Buckets,
    samples: Option<&[u64]>,
) -> Result<(), InvalidDistribution> {
    let agree = |what, found, stated| {
        if found == stated { Ok(()) } else { Err(InvalidDistribution::Contradiction { what, found, stated }) }
    };
    agree("count", buckets.total(), encoded.count)?;
    // Some encoders count 0 as 1.
    let of = |value: u64| bucket_of(value.max(1));
    for (what, bucket, stated) in
        [("min_ns", buckets.first(), encoded.min_ns), ("max_ns", buckets.last(), encoded.max_ns)]
    {
        let bucket = bucket.unwrap_or(0);
        if bucket.max(1) != of(stated) {
            agree(what, bounds(bucket).0, stated)?;
        }
    }
    let Some(samples) = samples else { return Ok(()) };
    agree("count", samples.len() as u64, encoded.count)?;
    agree("min_ns", samples.first().copied().unwrap_or(0), encoded.min_ns)?;
    agree("max_ns", samples.last().copied().unwrap_or(0), encoded.max_ns)?;
    let sum = samples.iter().fold(0_u64, |sum, &value| sum.saturating_add(value));
    agree("sum_ns", sum, encoded.sum_ns)
}

impl Distribution {
    /// Reads a histogram that [`Distribution::stored_bytes`] wrote, with the numbers kept beside it.
    ///
    /// # Errors
    /// [`InvalidDistribution`] when the bytes are not such a histogram.
    pub fn of_stored(
        bytes: &[u8],
        (min_ns, max_ns, sum_ns): (u64, u64, u64),
    ) -> Result<Self, InvalidDistribution> {
        // As it was stored at first.
        let is_deflated = bytes.starts_with(&DEFLATE_COOKIE.to_be_bytes());
        let buckets = if is_deflated { Decoder::default().buckets(bytes)? } else { read(bytes)? };
        Ok(Self { buckets, min_ns, max_ns, sum_ns, samples: None })
    }

    /// The histogram as `HdrHistogram` V2 without deflate: a quarter larger, and written and read in a fraction of the time.
    pub fn stored_bytes(&self) -> Vec<u8> {
        // A run of empty buckets and a count take three bytes at most, unless counts are large.
        let mut bytes = Vec::with_capacity(HEADER_BYTES + 3 * self.buckets.len());
        write(&self.buckets, &mut bytes);
        bytes
    }

    /// The histogram as `HdrHistogram` V2 with deflate, which here only frames the bytes: a report is compressed as a whole, and
    /// what was compressed before comes out of that 4 % larger, at twenty times the work of inflating it.
    pub fn histogram_bytes(&self) -> Vec<u8> {
        let plain = self.stored_bytes();
        let mut bytes = [DEFLATE_COOKIE.to_be_bytes(), [0; 4]].concat();
        // As much as incompressible input can grow to, so that one call is enough.
        bytes.reserve(plain.len() + plain.len() / 1_000 + 64);
        // Memory is enough, and the state is new: this cannot fail.
        let _ =
            Compress::new(Compression::none(), true).compress_vec(&plain, &mut bytes, FlushCompress::Finish);
        let deflated_bytes = length(bytes.len() - 8);
        bytes[4..8].copy_from_slice(&deflated_bytes);
        bytes
    }
}

fn write(buckets: &Buckets, plain: &mut Vec<u8>) {
    plain.extend_from_slice(&COOKIE.to_be_bytes());
    // The bytes of the counts, once they are known, and no offset.
    plain.extend_from_slice(&[0; 8]);
    plain.extend_from_slice(&u32::from(SIGNIFICANT_DIGITS).to_be_bytes());
    plain.extend_from_slice(&1_u64.to_be_bytes());
    plain.extend_from_slice(&HIGHEST_NS.to_be_bytes());
    plain.extend_from_slice(&1_f64.to_be_bytes());
    let mut next = 0;
    for (bucket, count) in buckets.iter() {
        match bucket - next {
            0 => {}
            // A single one is written as its count.
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

    fn inflated(bytes: &[u8]) -> Vec<u8> {
        let mut decoder = Decoder::default();
        decoder.inflate(&bytes[8..]).unwrap();
        decoder.inflated
    }

    fn buckets(bytes: &[u8]) -> Result<Buckets, InvalidDistribution> {
        Decoder::default().buckets(bytes)
    }

    /// What another implementation of the format writes.
    fn foreign(lowest: u64, highest: u64, values: &[u64]) -> Vec<u8> {
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
        fn what_is_written_is_byte_for_byte_what_another_implementation_writes(values in values()) {
            let ours = of(&values).histogram_bytes();
            prop_assert_eq!(inflated(&ours), inflated(&foreign(1, HIGHEST_NS, &values)));
        }

        #[test]
        fn what_is_written_is_read_by_another_implementation(values in values()) {
            let ours = of(&values);
            let theirs: Histogram<u64> = Deserializer::new().deserialize(&mut ours.histogram_bytes().as_slice()).unwrap();
            prop_assert_eq!(theirs.len(), values.len() as u64);
            for (bucket, count) in ours.buckets.iter() {
                let (low, high) = bounds(bucket);
                prop_assert_eq!((theirs.count_at(low), theirs.lowest_equivalent(high)), (count, low));
            }
        }

        #[test]
        fn histograms_of_other_ranges_are_read_as_another_implementation_moves_them(
            values in values(), lowest in 1..100_000_u64, highest in HIGHEST_NS / 3..3 * HIGHEST_NS,
        ) {
            let bytes = foreign(lowest, highest, &values);
            let theirs: Histogram<u64> = Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
            let mut moved = Histogram::<u64>::new_with_bounds(1, HIGHEST_NS, SIGNIFICANT_DIGITS).unwrap();
            match (moved.add(&theirs), buckets(&bytes)) {
                (Ok(()), Ok(ours)) => {
                    prop_assert_eq!(ours.total(), moved.len());
                    for (bucket, count) in ours.iter() {
                        prop_assert_eq!(moved.count_at(bounds(bucket).0), count);
                    }
                }
                (Err(_), Err(InvalidDistribution::OtherShape(_))) => {}
                (theirs, ours) => prop_assert!(false, "{theirs:?} {ours:?}"),
            }
        }

        #[test]
        fn a_decoder_that_has_read_one_reads_the_next_as_if_it_were_new(
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
    fn what_was_stored_deflated_is_still_read() {
        let stored = of(&[100, 200]);
        for bytes in [stored.stored_bytes(), stored.histogram_bytes()] {
            assert_eq!(Distribution::of_stored(&bytes, (100, 200, 300)).unwrap().buckets, stored.buckets);
        }
    }

    #[test]
    fn times_beyond_a_minute_are_counted_as_one_and_the_longest_stays_exact() {
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
    fn distributions_too_long_for_the_room_of_the_first_try_are_read() {
        let sent = of(&(0..SAMPLES_MAX as u64).map(|index| 1_000 + 5 * index * index).collect::<Vec<_>>());
        assert!(inflated(&sent.histogram_bytes()).len() > 2 * TYPICAL_BYTES);
        assert_eq!(buckets(&sent.histogram_bytes()).unwrap(), sent.buckets);
    }

    /// A histogram whose inflated bytes are `change`d.
    fn tampered(change: impl FnOnce(&mut Vec<u8>)) -> Result<Buckets, InvalidDistribution> {
        let mut inflated = inflated(&of(&[100, 200]).histogram_bytes());
        change(&mut inflated);
        buckets(&deflated(&inflated))
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
            inflated[HEADER_BYTES..end].fill(0xfe);
        });
        let _ = tampered(|inflated| inflated[4..].fill(0xff));
    }
}
