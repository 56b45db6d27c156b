//! Detects changes in the shape of a distribution, as opposed to a uniform slowdown. For example, a second mode with a
//! tenth of the messages leaves the p50 unchanged.
//!
//! A repetition is a [`Profile`]: the logarithms of a few quantiles, each relative to the p50 of the same repetition. A
//! uniform slowdown therefore leaves it unchanged. Each quantile gets a rank test. The smallest p-value counts, times
//! the number of quantiles (Bonferroni, which is valid under any dependence).
//!
//! A permutation test of the energy distance (Székely and Rizzo 2004; for pairs Székely and Móri 2001) detects the same
//! changes. But its p-value cannot be below one divided by the number of permutations: to find one row of 200, a p
//! below one in a million is needed, and so a million permutations. Rank tests give such p-values exactly and without
//! random numbers, and show which quantiles moved.

use crate::shift::{self, Shift};
use crate::{Distribution, unequal_scatter, wilcoxon};

mod difference;

pub use difference::Difference;

/// The quantiles of a profile, in parts per million. They are dense enough that at least one of them moves if a tenth
/// of the messages does.
pub const QUANTILES_PPM: [u32; 12] = [
    50_000, 100_000, 200_000, 300_000, 400_000, 500_000, 600_000, 700_000, 800_000, 900_000, 950_000, 990_000,
];

/// Index of the p50 in a profile.
pub const P50: usize = 5;
/// Index of the p90 in a profile.
pub const P90: usize = 9;
/// Index of the p99 in a profile.
pub const P99: usize = 11;

/// The natural logarithms of one repetition's quantiles, [`QUANTILES_PPM`]; for a pair, head's minus base's.
pub type Profile = [f64; QUANTILES_PPM.len()];

/// Result of the shape test.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// The p-value.
    pub p: f64,
    /// The quantile with the most significant move, as an index into a profile.
    pub quantile: usize,
    /// How much its log distance from the p50 of its repetition is larger in head.
    pub shift: Shift,
}

/// Computes the profile of one repetition. A time of 0 ns counts as 1 ns, because 0 has no logarithm.
pub fn profile(distribution: &Distribution) -> Profile {
    distribution.quantiles_ns(QUANTILES_PPM).map(|ns| (ns.max(1) as f64).ln())
}

/// Tests pairs, each given as head's profile minus base's, by the signed-rank test. A quantile counts if it moved by at
/// least `least`, as a logarithm. Returns `None` without pairs.
pub fn paired(differences: &[Profile], least: f64, confidence: f64) -> Option<Moved> {
    let of =
        |quantile| -> Vec<f64> { differences.iter().map(|profile| from_p50(profile, quantile)).collect() };
    let p = |quantile| {
        let pairs: Vec<(f64, f64)> = of(quantile).into_iter().map(|difference| (difference, 0.0)).collect();
        wilcoxon::signed_rank(&pairs).map_or(1.0, |test| test.p_two_sided)
    };
    Moved::most_significant(least, p, |quantile| shift::paired(&of(quantile), confidence))
}

/// Tests unpaired repetitions, whose sides may scatter differently. Returns `None` if a side has none.
pub fn unpaired(base: &[Profile], head: &[Profile], least: f64, confidence: f64) -> Option<Moved> {
    let of = |quantile| {
        [base, head].map(|side| side.iter().map(|profile| from_p50(profile, quantile)).collect::<Vec<_>>())
    };
    let p = |quantile| {
        let [base, head] = of(quantile);
        unequal_scatter::p_two_sided(&base, &head)
    };
    let shift = |quantile| {
        let [base, head] = of(quantile);
        shift::unpaired(&base, &head, confidence)
    };
    Moved::most_significant(least, p, shift)
}

fn from_p50(profile: &Profile, quantile: usize) -> f64 {
    profile[quantile] - profile[P50]
}

impl Moved {
    /// Selects the quantile with the smallest p among those that moved by at least `least`. If there is none, returns
    /// the one with the smallest p, with p = 1. Selecting by size does not lower any p-value, so the test stays valid.
    fn most_significant(
        least: f64,
        p: impl Fn(usize) -> f64,
        shift: impl Fn(usize) -> Option<Shift>,
    ) -> Option<Self> {
        let number = (QUANTILES_PPM.len() - 1) as f64;
        let all = (0..QUANTILES_PPM.len()).filter(|&quantile| quantile != P50);
        let mut all: Vec<(usize, f64)> = all.map(|quantile| (quantile, number * p(quantile))).collect();
        all.sort_by(|one, other| one.1.total_cmp(&other.1));
        let moved = |&(quantile, p): &(usize, f64)| {
            shift(quantile).filter(|shift| shift.estimate.abs() >= least).map(|shift| Self {
                p,
                quantile,
                shift,
            })
        };
        let first = all.first()?.0;
        let none = || Some(Self { p: 1.0, quantile: first, shift: shift(first)? });
        all.iter().take_while(|(_, p)| *p < 1.0).find_map(moved).or_else(none)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// A profile near 1 us. Times above this share are longer by this factor; `nth` adds a small variation.
    pub(super) fn with_mode(above_ppm: u32, factor: f64, nth: u32) -> Profile {
        let jitter = f64::from(nth * nth * 7_919 % 997) / 1e5;
        std::array::from_fn(|index| {
            let mode = if QUANTILES_PPM[index] > above_ppm { factor.ln() } else { 0.0 };
            1_000.0_f64.ln() + 0.002 * index as f64 + mode + jitter * (1.0 + index as f64)
        })
    }

    fn side(above_ppm: u32, factor: f64, seed: u32) -> Vec<Profile> {
        (seed..seed + 12).map(|nth| with_mode(above_ppm, factor, nth)).collect()
    }

    #[test]
    fn profile_is_the_logarithm_of_quantiles() {
        let hundred = Distribution::of_samples((1..=100).collect()).unwrap();
        let found = profile(&hundred).map(|log| log.exp().round());
        assert_eq!(found, [5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0]);
        assert_eq!(QUANTILES_PPM.map(|ppm| ppm / 10_000)[P50], 50);
        assert_eq!([P90, P99].map(|place| QUANTILES_PPM[place]), [900_000, 990_000]);
        assert_eq!(profile(&Distribution::of_samples(vec![0]).unwrap()), [0.0; 12]);
    }

    /// Twelve and twelve that do not overlap: 2 of the 2,704,156 ways to choose them, times the eleven quantiles.
    #[test]
    fn second_mode_of_a_tenth_is_found() {
        let found = unpaired(&side(1_000_000, 1.0, 0), &side(850_000, 1.3, 50), 0.03, 0.95).unwrap();
        assert!((found.p - 22.0 / 2_704_156.0).abs() < 1e-15 && found.quantile >= P90, "{found:?}");
        assert!((found.shift.estimate - 1.3_f64.ln()).abs() < 0.05, "{found:?}");
    }

    /// Twelve pairs that all agree: 2 of 4,096 sign patterns, times the eleven quantiles.
    #[test]
    fn paired_second_mode_is_found() {
        let (base, head) = (side(1_000_000, 1.0, 0), side(850_000, 1.3, 50));
        let differences: Vec<Profile> = base
            .iter()
            .zip(&head)
            .map(|(base, head)| std::array::from_fn(|index| head[index] - base[index]))
            .collect();
        let found = paired(&differences, 0.03, 0.95).unwrap();
        assert!((found.p - 22.0 / 4_096.0).abs() < 1e-15 && found.quantile >= P90, "{found:?}");
        assert!(paired(&[], 0.03, 0.95).is_none() && unpaired(&base, &[], 0.03, 0.95).is_none());
    }

    proptest! {
        #[test]
        fn uniform_slowdown_keeps_the_shape(
            by in proptest::collection::vec(0.5..2.0_f64, 12),
        ) {
            let base = side(700_000, 1.3, 0);
            let slower: Vec<Profile> =
                base.iter().zip(&by).map(|(profile, by)| profile.map(|log| log + by.ln())).collect();
            let found = unpaired(&base, &slower, 0.03, 0.95).unwrap();
            prop_assert!(found.p == 1.0 && found.shift.estimate.abs() < 1e-9, "{found:?}");
        }
    }
}
