//! Decodes the bins of an `HdrHistogram` V2 or V1 in text form. The library is not used, because it allocates every
//! bin that a histogram could have before it reads one: a few bytes could allocate megabytes, and a file of
//! them could take minutes.

use crate::INPUT_BYTES_MAX;
use crate::fault::{Fault, Place};
use base64::{Engine, prelude::BASE64_STANDARD};
use flate2::read::ZlibDecoder;
use std::io::Read;

const V2: u32 = 0x1c84_9303;
const V2_DEFLATED: u32 = 0x1c84_9304;
const V1: u32 = 0x1c84_9301;
const V1_DEFLATED: u32 = 0x1c84_9302;
const V0: [u32; 2] = [0x1c84_9308, 0x1c84_9309];
/// Clears the word size, which V2 ignores, and a bit that is always set.
const COOKIE_MASK: u32 = !0xf0;
const HEADER_BYTES: usize = 40;
/// The largest inflated histogram: 64 bits of range at three digits, nine bytes per bin, take less.
const INFLATED_BYTES_MAX: usize = 1 << 20;
/// The most inflated bytes per byte of a log, over all histograms. Real logs have less than four.
const INFLATED_BYTES_MAX_PER_BYTE: usize = 8;
/// The most inflated bytes of V1 in a log, as many as the largest log may have of V2. V1 has a word for each empty bin,
/// so real logs have hundreds of inflated bytes per byte.
const INFLATED_BYTES_MAX_V1: usize = INPUT_BYTES_MAX * INFLATED_BYTES_MAX_PER_BYTE;

/// Values counted together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Bin {
    pub(crate) low: u64,
    pub(crate) high: u64,
    pub(crate) count: u64,
}

/// Decodes histograms and counts the inflated bytes.
#[derive(Debug)]
pub(crate) struct Inflater {
    bytes_left: usize,
    bytes_left_v1: usize,
    buffer: Vec<u8>,
}

impl Inflater {
    /// Creates an inflater for a log of this size.
    pub(crate) fn new(log_bytes: usize) -> Self {
        let bytes_left =
            log_bytes.saturating_mul(INFLATED_BYTES_MAX_PER_BYTE).saturating_add(INFLATED_BYTES_MAX);
        Self { bytes_left, bytes_left_v1: INFLATED_BYTES_MAX_V1, buffer: Vec::new() }
    }

    /// Passes the bins of a histogram that are not empty, in ascending order, up to the first fault.
    pub(crate) fn bins(&mut self, base64: &str, place: &Place, take: impl FnMut(Bin)) -> Result<(), Fault> {
        let bytes = BASE64_STANDARD
            .decode(base64.trim())
            .map_err(|error| place.fault(format!("expected a base64 histogram: {error}")))?;
        let mut words =
            bytes.chunks_exact(4).map(|word| u32::from_be_bytes([word[0], word[1], word[2], word[3]]));
        let (cookie, length) = (words.next(), words.next());
        let (Some(cookie), Some(length)) = (cookie, length) else {
            return Err(place.fault(format!("expected a histogram, found {} bytes", bytes.len())));
        };
        match cookie & COOKIE_MASK {
            V1 | V2 => decode(&bytes, place, take),
            kind @ (V1_DEFLATED | V2_DEFLATED) => {
                let length = usize::try_from(length).unwrap_or(usize::MAX);
                let deflated = bytes[8..].get(..length).ok_or_else(|| {
                    place.fault(format!("expected {length} bytes of a histogram, found {}", bytes.len() - 8))
                })?;
                self.inflate(deflated, kind, place)?;
                decode(&self.buffer, place, take)
            }
            older if V0.contains(&older) => Err(place.fault(
                "expected HdrHistogram V1 or V2, found an older encoding. Write the log with version 2 of the \
                 library.",
            )),
            _ => Err(place.fault(format!("expected HdrHistogram V1 or V2, found the cookie {cookie:#010x}"))),
        }
    }

    fn inflate(&mut self, deflated: &[u8], kind: u32, place: &Place) -> Result<(), Fault> {
        self.buffer.clear();
        ZlibDecoder::new(deflated)
            .take(INFLATED_BYTES_MAX as u64 + 1)
            .read_to_end(&mut self.buffer)
            .map_err(|error| place.fault(format!("expected a deflated histogram: {error}")))?;
        if self.buffer.len() > INFLATED_BYTES_MAX {
            return Err(place
                .fault(format!("expected a histogram of at most {INFLATED_BYTES_MAX} bytes, found more")));
        }
        let (bytes_left, limit) = if kind == V1_DEFLATED {
            (&mut self.bytes_left_v1, format!("{INFLATED_BYTES_MAX_V1} bytes of histograms in V1"))
        } else {
            let limit = format!("{INFLATED_BYTES_MAX_PER_BYTE} bytes of histograms for each byte of the log");
            (&mut self.bytes_left, limit)
        };
        *bytes_left = bytes_left
            .checked_sub(self.buffer.len())
            .ok_or_else(|| place.fault(format!("expected at most {limit}, found more")))?;
        Ok(())
    }
}

/// Decodes the inner layer: cookie, length of the counts, offset, digits, lowest and highest value, a ratio;
/// counts.
fn decode(bytes: &[u8], place: &Place, take: impl FnMut(Bin)) -> Result<(), Fault> {
    let word =
        |at: usize| bytes.get(at..).and_then(<[u8]>::first_chunk).map(|word| u32::from_be_bytes(*word));
    let long =
        |at: usize| bytes.get(at..).and_then(<[u8]>::first_chunk).map(|word| u64::from_be_bytes(*word));
    let (Some(cookie), Some(length), Some(offset), Some(digits), Some(lowest), Some(_), Some(_)) =
        (word(0), word(4), word(8), word(12), long(16), long(24), long(32))
    else {
        return Err(place
            .at_byte(bytes.len())
            .fault(format!("expected a header of {HEADER_BYTES} bytes, found its beginning")));
    };
    let kind = cookie & COOKIE_MASK;
    if kind != V1 && kind != V2 {
        return Err(place
            .at_byte(0)
            .fault(format!("expected HdrHistogram V1 or V2, found the cookie {cookie:#010x}")));
    }
    if offset != 0 {
        return Err(place
            .at_byte(8)
            .fault(format!("expected unshifted counts, found an offset of {offset}")));
    }
    if digits > 5 {
        return Err(place.at_byte(12).fault(format!("expected 0 to 5 significant digits, found {digits}")));
    }
    let counts = usize::try_from(length).ok().and_then(|length| bytes[HEADER_BYTES..].get(..length));
    let counts = counts.ok_or_else(|| {
        place
            .at_byte(4)
            .fault(format!("expected {length} bytes of counts, found {}", bytes.len() - HEADER_BYTES))
    })?;
    let shape = Shape::new(digits, lowest);
    match (kind, cookie >> 4 & 0xf) {
        (V1, 2) => words(counts, i16::from_be_bytes, &shape, place, take),
        (V1, 4) => words(counts, i32::from_be_bytes, &shape, place, take),
        (V1, 8) => words(counts, i64::from_be_bytes, &shape, place, take),
        (V1, other) => {
            Err(place.at_byte(0).fault(format!("expected words of 2, 4 or 8 bytes, found {other}")))
        }
        _ => bins(counts, &shape, place, take),
    }
}

/// The layout of the bins, given by precision and lowest value.
struct Shape {
    /// Bins per doubling, enough for the precision.
    halves: u64,
    half_bits: u32,
    unit_bits: u32,
}

impl Shape {
    fn new(digits: u32, lowest: u64) -> Self {
        let distinct_values = 2 * 10_u64.pow(digits);
        let half_bits = distinct_values.next_power_of_two().trailing_zeros().saturating_sub(1);
        Self { halves: 1 << half_bits, half_bits, unit_bits: lowest.max(1).ilog2() }
    }

    /// The lowest and the highest value of a bin; `None` beyond 64 bits.
    fn range(&self, index: u64) -> Option<(u64, u64)> {
        // The first doubling has all of its bins, every other one only the upper half.
        let doubling = (index >> self.half_bits).saturating_sub(1);
        let within = if index < 2 * self.halves { index } else { index % self.halves + self.halves };
        let shift = u32::try_from(doubling).ok()?.checked_add(self.unit_bits)?;
        let values = 1_u128.checked_shl(shift).filter(|_| shift < 64)?;
        let low = u128::from(within) * values;
        Some((u64::try_from(low).ok()?, u64::try_from(low + values - 1).ok()?))
    }
}

/// Decodes the counts of V1: a word for each bin.
fn words<const BYTES: usize, T: Into<i64>>(
    counts: &[u8],
    word: fn([u8; BYTES]) -> T,
    shape: &Shape,
    place: &Place,
    mut take: impl FnMut(Bin),
) -> Result<(), Fault> {
    let (counts, rest) = counts.as_chunks();
    if !rest.is_empty() {
        return Err(place.at_byte(4).fault(format!("expected words of {BYTES} bytes")));
    }
    for (index, &count) in (0..).zip(counts) {
        let invalid = |problem| Err(place.at_byte(HEADER_BYTES).fault(problem));
        match (word(count).into(), shape.range(index)) {
            (0, _) => {}
            (1.., Some((low, high))) => take(Bin { low, high, count: word(count).into().unsigned_abs() }),
            (1.., None) => return invalid("expected values of at most 64 bits, found a count beyond them"),
            (..0, _) => return invalid("expected counts of 0 or more, found a negative one"),
        }
    }
    Ok(())
}

/// Decodes counts: 7 bits per byte, lowest first, with the sign in the lowest bit. A negative number is a
/// count of empty bins.
fn bins(counts: &[u8], shape: &Shape, place: &Place, mut take: impl FnMut(Bin)) -> Result<(), Fault> {
    let (mut index, mut at) = (0_u64, 0);
    while at < counts.len() {
        let begin = at;
        let mut zigzag = 0_u64;
        for byte_index in 0.. {
            let byte = *counts.get(at).ok_or_else(|| {
                place.at_byte(HEADER_BYTES + begin).fault("expected a whole count, found its beginning")
            })?;
            at += 1;
            // The ninth byte holds eight bits.
            if byte_index == 8 {
                zigzag |= u64::from(byte) << 56;
                break;
            }
            zigzag |= u64::from(byte & 0x7f) << (7 * byte_index);
            if byte & 0x80 == 0 {
                break;
            }
        }
        let half = zigzag >> 1;
        if zigzag & 1 == 1 {
            // -(half + 1), as two's complement folds it.
            index = index.saturating_add(half + 1);
            continue;
        }
        if half > 0 {
            let (low, high) = shape.range(index).ok_or_else(|| {
                place
                    .at_byte(HEADER_BYTES + begin)
                    .fault("expected values of at most 64 bits, found a count beyond them")
            })?;
            take(Bin { low, high, count: half });
        }
        index = index.saturating_add(1);
    }
    Ok(())
}
