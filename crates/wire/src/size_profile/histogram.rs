//! [`SizeHistogram`]: counted messages by size.

use super::SizeBucket;
use std::fmt::{self, Display, Formatter};
use std::str::FromStr;

/// Maximum number of buckets in a histogram.
pub const BUCKETS_MAX: usize = 1_000;
/// The longest supported message: 1 TiB.
const BYTES_MAX: u64 = 1 << 40;
/// Maximum messages in a bucket. The sum of all buckets cannot overflow.
const COUNT_MAX: u64 = 1 << 50;

/// Counted message sizes: buckets in ascending order, which do not overlap and contain at least one message each.
///
/// The text form is short enough for URLs: `12-15:4387,16-20:990`, and `64:3` for messages of one size.
///
/// ```
/// use roundtrip_wire::size_profile::SizeHistogram;
/// let sizes: SizeHistogram = "12-15:4387,64:3".parse().unwrap();
/// assert_eq!((sizes.count(), sizes.min_bytes(), sizes.max_bytes()), (4_390, 12, 64));
/// assert_eq!(sizes.to_string(), "12-15:4387,64:3");
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeHistogram {
    buckets: Vec<SizeBucket>,
}

/// Why buckets are not a valid histogram.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum InvalidSizes {
    /// There are no messages.
    #[error("no bucket has a message")]
    Empty,
    /// More than [`BUCKETS_MAX`].
    #[error("{0} buckets: expected at most {BUCKETS_MAX}")]
    TooMany(usize),
    /// A bucket ends before it begins.
    #[error("the bucket from {from_bytes} to {to_bytes} bytes ends before it begins")]
    Reversed {
        /// Its shortest message.
        from_bytes: u64,
        /// Its longest message.
        to_bytes: u64,
    },
    /// A bucket begins before the end of the previous one.
    #[error(
        "buckets must be ascending without overlap: one begins at {from_bytes} bytes, the one before ends at {before_bytes} bytes"
    )]
    Overlapping {
        /// Its beginning.
        from_bytes: u64,
        /// The end of the previous one.
        before_bytes: u64,
    },
    /// A message is too long.
    #[error("a message has {0} bytes: expected at most {BYTES_MAX}")]
    TooLong(u64),
    /// A bucket has too many messages.
    #[error("a bucket has {0} messages: expected at most {COUNT_MAX}")]
    TooOften(u64),
    /// A text that is not a bucket.
    #[error("`{0}` is not a bucket: expected FIRST-LAST:COUNT or SIZE:COUNT, such as 12-15:4387 or 64:3")]
    Unreadable(String),
}

impl SizeHistogram {
    /// A histogram of buckets in ascending order. Empty buckets are removed.
    ///
    /// # Errors
    /// [`InvalidSizes`] for the first invalid bucket.
    pub fn new(buckets: Vec<SizeBucket>) -> Result<Self, InvalidSizes> {
        let mut before: Option<u64> = None;
        for &SizeBucket { from_bytes, to_bytes, count } in &buckets {
            if to_bytes < from_bytes {
                return Err(InvalidSizes::Reversed { from_bytes, to_bytes });
            }
            if let Some(before_bytes) = before.filter(|&before| from_bytes <= before) {
                return Err(InvalidSizes::Overlapping { from_bytes, before_bytes });
            }
            if to_bytes > BYTES_MAX {
                return Err(InvalidSizes::TooLong(to_bytes));
            }
            if count > COUNT_MAX {
                return Err(InvalidSizes::TooOften(count));
            }
            before = Some(to_bytes);
        }
        let buckets: Vec<SizeBucket> = buckets.into_iter().filter(|bucket| bucket.count > 0).collect();
        match buckets.len() {
            0 => Err(InvalidSizes::Empty),
            many if many > BUCKETS_MAX => Err(InvalidSizes::TooMany(many)),
            _ => Ok(Self { buckets }),
        }
    }

    /// The buckets by size. None is empty.
    pub fn buckets(&self) -> &[SizeBucket] {
        &self.buckets
    }

    /// The number of messages.
    pub fn count(&self) -> u64 {
        self.buckets.iter().map(|bucket| bucket.count).sum()
    }

    /// The smallest possible size, in bytes.
    pub fn min_bytes(&self) -> u64 {
        self.buckets.first().map_or(0, |bucket| bucket.from_bytes)
    }

    /// The largest possible size, in bytes.
    pub fn max_bytes(&self) -> u64 {
        self.buckets.last().map_or(0, |bucket| bucket.to_bytes)
    }
}

impl Display for SizeHistogram {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> fmt::Result {
        for (place, &SizeBucket { from_bytes, to_bytes, count }) in self.buckets.iter().enumerate() {
            if place > 0 {
                write!(formatter, ",")?;
            }
            write!(formatter, "{from_bytes}")?;
            if to_bytes > from_bytes {
                write!(formatter, "-{to_bytes}")?;
            }
            write!(formatter, ":{count}")?;
        }
        Ok(())
    }
}

impl FromStr for SizeHistogram {
    type Err = InvalidSizes;

    fn from_str(text: &str) -> Result<Self, InvalidSizes> {
        // Checked before anything is allocated.
        let many = text.split(',').count();
        if many > BUCKETS_MAX {
            return Err(InvalidSizes::TooMany(many));
        }
        if text.is_empty() {
            return Err(InvalidSizes::Empty);
        }
        let bucket = |part: &str| {
            let (sizes, count) = part.split_once(':')?;
            let (from, to) = sizes.split_once('-').unwrap_or((sizes, sizes));
            Some(SizeBucket { from_bytes: digits(from)?, to_bytes: digits(to)?, count: digits(count)? })
        };
        let buckets = text
            .split(',')
            .map(|part| {
                bucket(part.trim()).ok_or_else(|| InvalidSizes::Unreadable(part.chars().take(60).collect()))
            })
            .collect::<Result<_, _>>()?;
        Self::new(buckets)
    }
}

fn digits(text: &str) -> Option<u64> {
    text.bytes().all(|byte| byte.is_ascii_digit()).then(|| text.parse().ok()).flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> String {
        text.parse::<SizeHistogram>().unwrap_err().to_string()
    }

    #[test]
    fn invalid_histograms_name_the_error() {
        assert_eq!(refused(""), "no bucket has a message");
        assert_eq!(refused("1:0,2:0"), "no bucket has a message");
        assert_eq!(refused("9-8:1"), "the bucket from 9 to 8 bytes ends before it begins");
        assert!(refused("1-8:1,8-9:1").contains("one begins at 8 bytes, the one before ends at 8 bytes"));
        assert!(refused("8:1,4:1").contains("without overlap"));
        for text in ["-1:1", "1:-1", "+1:1", "1", "1:", ":1", "a:1", "1:1,,2:1", "1-:1", "1.5:1"] {
            assert!(refused(text).contains("is not a bucket"), "{text}: {}", refused(text));
        }
        assert!(refused("1099511627777:1").contains("expected at most 1099511627776"));
        assert!(refused("1:1125899906842625").contains("at most"));
        assert!(refused(&vec!["1:1"; 1_001].join(",")).contains("1001 buckets: expected at most"));
    }

    #[test]
    fn built_in_profiles_round_trip_as_histograms() {
        for profile in super::super::ALL {
            let sizes = profile.sizes().unwrap();
            assert_eq!(sizes.to_string().parse::<SizeHistogram>().unwrap(), sizes);
            assert!(sizes.to_string().len() < 2_000, "it fits in an address");
        }
    }
}
