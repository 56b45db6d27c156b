//! Samples of repetitions with known noise and known changes, as logarithms of times.

use crate::noise::Level;
use rand::rngs::StdRng;
use rand_distr::{Distribution, Gamma};
use roundtrip_stats::shape::{P50, Profile, QUANTILES_PPM};
use roundtrip_stats::verdict::Pair;
use statrs::distribution::{ContinuousCDF, Normal};

/// The messages of a repetition: 1,000, log-normal with a deviation of 5 %; a share of them is slower.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Messages {
    pub(crate) second_share: f64,
    pub(crate) second_factor: f64,
}

impl Messages {
    pub(crate) const ONE_MODE: Self = Self { second_share: 0.0, second_factor: 1.0 };
    const COUNT: f64 = 1_000.0;
    const DEVIATION: f64 = 0.05;

    /// Samples the profile of all messages near this level. Uniform order statistics are sums of exponential gaps
    /// divided by their total, so the messages need not be sampled individually (Devroye 1986, V.3).
    pub(crate) fn profile(self, level: f64, random: &mut StdRng) -> Profile {
        let mut rank = 0.0;
        let mut sum = 0.0;
        let mut gap = |upto: f64| {
            let gaps = Gamma::new(upto - rank, 1.0).unwrap();
            rank = upto;
            sum += gaps.sample(random);
            sum
        };
        let sums = QUANTILES_PPM.map(|ppm| gap(f64::from(ppm) / 1e6 * Self::COUNT));
        let all = gap(Self::COUNT + 1.0);
        sums.map(|sum| level + self.quantile(sum / all))
    }

    /// The quantile function. The modes hardly overlap, so the slower messages are the last ones.
    fn quantile(self, share: f64) -> f64 {
        let first = 1.0 - self.second_share;
        let (within, mode) = if share < first {
            (share / first, 0.0)
        } else {
            ((share - first) / self.second_share, self.second_factor.ln())
        };
        mode + Self::DEVIATION * Normal::standard().inverse_cdf(within.clamp(1e-6, 1.0 - 1e-6))
    }
}

/// A row of a comparison: its noise, the slowdown of head, and the messages of both sides.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Truth {
    pub(crate) level: Level,
    pub(crate) shift: f64,
    pub(crate) messages: [Messages; 2],
}

impl Truth {
    pub(crate) fn equal(level: Level) -> Self {
        Self { level, shift: 0.0, messages: [Messages::ONE_MODE; 2] }
    }

    pub(crate) fn slower(level: Level, factor: f64) -> Self {
        Self { shift: factor.ln(), ..Self::equal(level) }
    }

    /// The profiles of repetitions at these levels.
    pub(crate) fn sides(&self, levels: [f64; 2], random: &mut StdRng) -> [Profile; 2] {
        let [base, head] = self.messages;
        [base.profile(levels[0], random), head.profile(levels[1] + self.shift, random)]
    }

    pub(crate) fn pair(&self, levels: [f64; 2], random: &mut StdRng) -> Pair {
        let [base, head] = self.sides(levels, random);
        let profile: Profile = std::array::from_fn(|index| head[index] - base[index]);
        Pair { p50: profile[P50], profile }
    }
}
