//! Sorted samples as text: the differences between neighbours as LEB128 (7 bits per byte, lowest first) in base64.
//! Tight distributions take about one byte per sample.

use base64::{Engine, prelude::BASE64_STANDARD};

/// The reason why a text is not a valid list of samples.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSamples {
    /// The text is not base64.
    #[error("samples are not base64")]
    NotBase64,
    /// The bytes end in the middle of a number.
    #[error("samples end in the middle of a number")]
    Truncated,
    /// A sample does not fit into 64 bits.
    #[error("samples exceed 64 bits")]
    Overflow,
    /// There are more samples than allowed.
    #[error("more than {0} samples")]
    TooMany(usize),
}

/// Encodes samples that are in ascending order.
#[expect(clippy::cast_possible_truncation, reason = "only the low seven bits are taken")]
pub fn encode(sorted: &[u64]) -> String {
    let mut bytes = Vec::with_capacity(sorted.len() + 8);
    let mut previous = 0;
    for &sample in sorted {
        debug_assert!(sample >= previous, "samples must be sorted");
        let mut rest = sample.saturating_sub(previous);
        while rest >= 0x80 {
            bytes.push((rest & 0x7f) as u8 | 0x80);
            rest >>= 7;
        }
        bytes.push(rest as u8);
        previous = sample;
    }
    BASE64_STANDARD.encode(bytes)
}

/// Decodes at most `max` samples, in ascending order.
///
/// # Errors
/// [`InvalidSamples`] for anything that [`encode`] does not write.
pub fn decode(text: &str, max: usize) -> Result<Vec<u64>, InvalidSamples> {
    let bytes = BASE64_STANDARD.decode(text).map_err(|_| InvalidSamples::NotBase64)?;
    let mut samples: Vec<u64> = Vec::with_capacity(bytes.len().min(max));
    let (mut difference, mut shift) = (0_u64, 0_u32);
    for byte in bytes {
        let low = u64::from(byte & 0x7f);
        if shift > 63 || (low << shift) >> shift != low {
            return Err(InvalidSamples::Overflow);
        }
        difference |= low << shift;
        if byte & 0x80 != 0 {
            shift += 7;
            continue;
        }
        if samples.len() == max {
            return Err(InvalidSamples::TooMany(max));
        }
        let previous = samples.last().copied().unwrap_or(0);
        samples.push(previous.checked_add(difference).ok_or(InvalidSamples::Overflow)?);
        (difference, shift) = (0, 0);
    }
    if shift == 0 { Ok(samples) } else { Err(InvalidSamples::Truncated) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn encoding_round_trips(mut samples in proptest::collection::vec(any::<u64>(), 0..200)) {
            samples.sort_unstable();
            prop_assert_eq!(decode(&encode(&samples), 200).unwrap(), samples);
        }

        #[test]
        fn arbitrary_text_never_panics(text in ".{0,200}") {
            let _ = decode(&text, 50);
        }
    }

    #[test]
    fn truncated_number_is_rejected() {
        assert_eq!(decode(&BASE64_STANDARD.encode([0x80]), 10), Err(InvalidSamples::Truncated));
    }

    #[test]
    fn too_many_samples_are_rejected() {
        assert_eq!(decode(&encode(&[1, 2, 3]), 2), Err(InvalidSamples::TooMany(2)));
    }

    #[test]
    fn number_over_64_bits_is_rejected() {
        assert_eq!(decode(&BASE64_STANDARD.encode([0xff; 11]), 10), Err(InvalidSamples::Overflow));
    }
}
