//! Scales the sizes of a profile.

use roundtrip_wire::size_profile::{InvalidSizes, SizeBucket, SizeHistogram};

/// Multiplies every message size by `factor`, to no less than one byte, and merges buckets that overlap
/// afterwards.
///
/// # Errors
/// A message would be longer than the largest allowed size.
pub fn scaled(sizes: &SizeHistogram, factor: f64) -> Result<SizeHistogram, InvalidSizes> {
    let mut scaled: Vec<SizeBucket> = Vec::new();
    for bucket in sizes.buckets() {
        let from_bytes = bytes(bucket.from_bytes as f64 * factor);
        // A bucket ends before the next one begins.
        let to_bytes = bytes((bucket.to_bytes + 1) as f64 * factor - 1.0).max(from_bytes);
        match scaled.last_mut() {
            Some(last) if from_bytes <= last.to_bytes => {
                last.to_bytes = last.to_bytes.max(to_bytes);
                last.count += bucket.count;
            }
            _ => scaled.push(SizeBucket { from_bytes, to_bytes, count: bucket.count }),
        }
    }
    SizeHistogram::new(scaled)
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a cast of a float saturates")]
fn bytes(size: f64) -> u64 {
    size.round().max(1.0) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scaled_text(text: &str, factor: f64) -> String {
        scaled(&text.parse().unwrap(), factor).unwrap().to_string()
    }

    #[test]
    fn scaling_keeps_the_number_of_messages() {
        assert_eq!(scaled_text("12-15:4,16-20:9,64:1", 2.0), "24-31:4,32-41:9,128-129:1");
        assert_eq!(scaled_text("12-15:4,16-20:9,64-79:1", 0.5), "6-7:4,8-10:9,32-39:1");
        assert_eq!(scaled_text("1:4,2:9,3:1,900-1000:5", 0.01), "1:14,9:5");
        assert_eq!(scaled_text("12-15:4,900:1", 1.0), "12-15:4,900:1");
    }

    #[test]
    fn rejects_sizes_that_are_too_long() {
        assert!(matches!(scaled(&"1048576:1".parse().unwrap(), 1e9), Err(InvalidSizes::TooLong(_))));
    }
}
