//! Message sizes: one for all, or drawn from a size profile, the same for both ends.

use rand::rngs::Xoshiro256PlusPlus;
use rand::{RngExt, SeedableRng};
use roundtrip_wire::size_profile::{self, SizeHistogram};

/// Draws repeat after so many messages.
const DRAWN_MAX: u64 = 65_536;

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Sizes {
    Fixed(usize),
    /// One after the other, from the start again at the end.
    Drawn(Vec<usize>),
}

impl Sizes {
    /// Bytes of the message with this number, counted from 0.
    #[inline]
    pub(crate) fn of(&self, message: u64) -> usize {
        match self {
            Self::Fixed(bytes) => *bytes,
            Self::Drawn(sizes) => {
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
    /// The profile with this name. The error names those that exist, or the line that is wrong.
    pub(crate) fn named(name: &str) -> Result<Self, String> {
        let profile = size_profile::SizeProfile::named(name).ok_or_else(|| {
            let names: Vec<&str> = size_profile::ALL.iter().map(|profile| profile.slug).collect();
            format!("no size profile is called `{name}`: expected one of {}", names.join(", "))
        })?;
        Ok(Self { sizes: profile.sizes()? })
    }

    pub(crate) fn max_bytes(&self) -> usize {
        length(self.sizes.max_bytes())
    }

    pub(crate) fn min_bytes(&self) -> usize {
        length(self.sizes.min_bytes())
    }

    /// Draws sizes for so many messages: a bucket by its count, then any size within it alike. The same seed draws the
    /// same sizes, in every version of the suite (xoshiro256++, Blackman and Vigna 2019, which is fixed).
    pub(crate) fn draw(&self, messages: u64, seed: u64) -> Sizes {
        let total = self.sizes.count();
        let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
        let sizes = (0..messages.clamp(1, DRAWN_MAX)).map(|_| {
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
        Sizes::Drawn(sizes.collect())
    }
}

/// Bytes as a length: no message is longer than memory.
fn length(bytes: u64) -> usize {
    usize::try_from(bytes).unwrap_or(usize::MAX - 1)
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
