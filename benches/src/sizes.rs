//! Message sizes: one for all, or sampled from a size profile, the same for both ends.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use roundtrip_wire::size_profile::{self, SizeHistogram};

/// Sampled sizes repeat after this many messages.
const SAMPLES_MAX: u64 = 65_536;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sizes {
    Fixed(usize),
    /// In order, repeating.
    Sampled(Vec<usize>),
}

impl Sizes {
    /// Returns the bytes of the message with this number, counted from 0.
    #[inline]
    pub(crate) fn bytes_of(&self, message: u64) -> usize {
        match self {
            Self::Fixed(bytes) => *bytes,
            Self::Sampled(sizes) => {
                usize::try_from(message % sizes.len() as u64).map_or(0, |index| sizes[index])
            }
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct SizeProfile {
    sizes: SizeHistogram,
}

impl SizeProfile {
    /// Finds the profile with this name. The error lists the known names, or the invalid line.
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        let profile = size_profile::SizeProfile::named(name).ok_or_else(|| {
            let names: Vec<&str> = size_profile::ALL.iter().map(|profile| profile.slug).collect();
            format!("unknown size profile `{name}`: expected one of {}", names.join(", "))
        })?;
        Ok(Self { sizes: profile.sizes()? })
    }

    pub(crate) fn max_bytes(&self) -> usize {
        length(self.sizes.max_bytes())
    }

    pub(crate) fn min_bytes(&self) -> usize {
        length(self.sizes.min_bytes())
    }

    /// Samples sizes for this many messages: a bucket by its count, then uniformly any size within it. The same seed
    /// gives the same sizes in every version of the suite (xoshiro256++, Blackman and Vigna 2019, which is fixed).
    pub(crate) fn sample(&self, messages: u64, seed: u64) -> Sizes {
        let total = self.sizes.count();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let sizes = (0..messages.clamp(1, SAMPLES_MAX)).map(|_| {
            let mut rank = random.random_range(0..total);
            let drawn = self.sizes.buckets().iter().find(|bucket| {
                let here = rank < bucket.count;
                rank = rank.saturating_sub(bucket.count);
                here
            });
            drawn.map_or(0, |bucket| {
                random.random_range(length(bucket.from_bytes)..length(bucket.to_bytes) + 1)
            })
        });
        Sizes::Sampled(sizes.collect())
    }
}

/// Converts bytes to a length: no message is longer than memory.
fn length(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX - 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chromium_profile_matches_published_sizes() {
        let profile = SizeProfile::named("chromium-ipc").unwrap();
        let Sizes::Sampled(mut sizes) = profile.sample(SAMPLES_MAX, 7) else { panic!("fixed") };
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
    fn same_seed_gives_same_sizes() {
        let profile = SizeProfile::named("chromium-ipc").unwrap();
        assert_eq!(profile.sample(100, 3), profile.sample(100, 3));
        assert_ne!(profile.sample(100, 3), profile.sample(100, 4));
    }

    #[test]
    fn unknown_profile_lists_known_ones() {
        let error = SizeProfile::named("firefox").unwrap_err();
        assert!(error.contains("firefox") && error.contains("chromium-ipc"), "{error}");
    }
}
