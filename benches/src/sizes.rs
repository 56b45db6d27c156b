//! Message sizes: one for all, or drawn from a size profile, the same for both ends.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use std::num::ParseIntError;

/// The profiles that come with the suite: name and file, `bucket_min_bytes,count`, each bucket ending where the next
/// begins.
///
/// `chromium-ipc`: `IPC.MessageSize` of an hour of browsing, 37,573 messages, from Chromium's design document "Mach based
/// OS X Interprocess Communication".
///
/// `uniform-2-256`: every size from 2 to 256 bytes alike, as in the comparison of libipc's backends on macOS.
const PROFILES: &[(&str, &str)] = &[
    ("chromium-ipc", include_str!("../definitions/chromium-message-sizes.csv")),
    ("uniform-2-256", include_str!("../definitions/uniform-2-256.csv")),
];

/// Draws repeat after so many messages.
const DRAWN_MAX: u64 = 65_536;

/// How long each message of a repetition is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Sizes {
    /// All the same.
    Fixed(usize),
    /// One after the other, from the start again at the end.
    Drawn(Vec<usize>),
}

impl Sizes {
    /// Bytes of the message with this number, counted from 0.
    #[inline]
    pub fn of(&self, message: u64) -> usize {
        match self {
            Self::Fixed(bytes) => *bytes,
            Self::Drawn(sizes) => {
                usize::try_from(message % sizes.len() as u64).map_or(0, |index| sizes[index])
            }
        }
    }
}

/// A distribution of message sizes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SizeProfile {
    buckets: Vec<Bucket>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
struct Bucket {
    min_bytes: usize,
    /// The first size that belongs to the next bucket.
    end_bytes: usize,
    count: u64,
}

impl SizeProfile {
    /// The profile with this name.
    ///
    /// # Errors
    /// Naming those that exist, or the line that is wrong.
    pub fn named(name: &str) -> Result<Self, String> {
        let known = PROFILES.iter().find(|(known, _)| *known == name);
        let (_, text) = known.ok_or_else(|| {
            let names: Vec<&str> = PROFILES.iter().map(|&(name, _)| name).collect();
            format!("no size profile is called `{name}`: expected one of {}", names.join(", "))
        })?;
        Self::parse(text).map_err(|error| format!("size profile {name}: {error}"))
    }

    fn parse(text: &str) -> Result<Self, String> {
        let mut rows: Vec<(usize, u64)> = Vec::new();
        for line in text.lines().skip(1) {
            let wrong = |error: ParseIntError| format!("`{line}`: {error}");
            let (min, count) =
                line.split_once(',').ok_or_else(|| format!("`{line}`: expected bucket_min_bytes,count"))?;
            rows.push((min.parse().map_err(wrong)?, count.parse().map_err(wrong)?));
        }
        let buckets: Vec<Bucket> = rows
            .windows(2)
            .map(|pair| Bucket { min_bytes: pair[0].0, end_bytes: pair[1].0, count: pair[0].1 })
            .filter(|bucket| bucket.count > 0 && bucket.end_bytes > bucket.min_bytes)
            .collect();
        if buckets.is_empty() {
            return Err("no bucket has a message".into());
        }
        Ok(Self { buckets })
    }

    /// The longest message.
    pub fn max_bytes(&self) -> usize {
        self.buckets.last().map_or(0, |bucket| bucket.end_bytes - 1)
    }

    /// The shortest message.
    pub fn min_bytes(&self) -> usize {
        self.buckets.first().map_or(0, |bucket| bucket.min_bytes)
    }

    /// Draws sizes for so many messages: a bucket by its count, then any size within it alike. The same seed draws the
    /// same sizes, in every version of the suite (xoshiro256++, Blackman and Vigna 2019, which is fixed).
    pub fn draw(&self, messages: u64, seed: u64) -> Sizes {
        let total: u64 = self.buckets.iter().map(|bucket| bucket.count).sum();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let sizes = (0..messages.clamp(1, DRAWN_MAX)).map(|_| {
            let mut rank = random.random_range(0..total);
            let drawn = self.buckets.iter().find(|bucket| {
                let here = rank < bucket.count;
                rank = rank.saturating_sub(bucket.count);
                here
            });
            drawn.map_or(0, |bucket| random.random_range(bucket.min_bytes..bucket.end_bytes))
        });
        Sizes::Drawn(sizes.collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_chromium_profile_draws_what_was_published() {
        let profile = SizeProfile::named("chromium-ipc").unwrap();
        let Sizes::Drawn(mut sizes) = profile.draw(DRAWN_MAX, 7) else { panic!("fixed") };
        sizes.sort_unstable();
        let share_below =
            |bytes: usize| sizes.partition_point(|&size| size < bytes) as f64 / sizes.len() as f64;
        // Published: 90 % of messages are under 65 bytes, 99.9 % under 2,400; the average is 86.4.
        assert!((share_below(65) - 0.900).abs() < 0.005, "{}", share_below(65));
        assert!(share_below(2_400) > 0.999);
        let average = sizes.iter().sum::<usize>() as f64 / sizes.len() as f64;
        assert!((average - 86.4).abs() < 6.0, "{average}");
        assert_eq!((profile.min_bytes(), profile.max_bytes()), (12, 16_062));
    }

    #[test]
    fn the_same_seed_draws_the_same_sizes() {
        let profile = SizeProfile::named("chromium-ipc").unwrap();
        assert_eq!(profile.draw(100, 3), profile.draw(100, 3));
        assert_ne!(profile.draw(100, 3), profile.draw(100, 4));
    }

    #[test]
    fn a_profile_that_does_not_exist_is_named_with_those_that_do() {
        let error = SizeProfile::named("firefox").unwrap_err();
        assert!(error.contains("firefox") && error.contains("chromium-ipc"), "{error}");
    }
}
