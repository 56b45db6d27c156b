//! Has a repetition's distribution changed its shape, beside all of it being slower or faster? A tenth of the messages that
//! moved to a second mode leave the p50 where it was.
//!
//! A repetition is a [`Profile`], the logarithms of a few quantiles, and each is taken against the p50 of its own repetition:
//! what makes all of a repetition slower is no change of shape. Each of those is compared by its ranks, and the smallest
//! probability counts, times their number (Bonferroni, which holds however they depend on each other).
//!
//! A permutation test of the energy distance (Székely and Rizzo 2004; of pairs Székely and Móri 2001) sees the same. But
//! its probability is never below one by the number of permutations: one row of 200 is only found below one in a million, and
//! so with a million of them. Ranks have that probability exactly, without random numbers, and say which quantiles moved.

use crate::shift::{self, Shift};
use crate::{Distribution, mann_whitney, wilcoxon};

mod words;

pub use words::Difference;

/// The quantiles of a profile, in parts per million: close enough to each other that one of them is passed when a tenth of
/// the messages moves.
pub const QUANTILES_PPM: [u32; 12] = [
    50_000, 100_000, 200_000, 300_000, 400_000, 500_000, 600_000, 700_000, 800_000, 900_000, 950_000, 990_000,
];

/// Where in a profile its p50, p90 and p99 are.
pub const P50: usize = 5;
/// See [`P50`].
pub const P90: usize = 9;
/// See [`P50`].
pub const P99: usize = 11;

/// The natural logarithms of one repetition's quantiles, [`QUANTILES_PPM`]; of a pair, head's less base's.
pub type Profile = [f64; QUANTILES_PPM.len()];

/// What the test of the shape found.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Moved {
    /// How probable so uneven ranks are when the shape is the same.
    pub p: f64,
    /// The quantile of which that is said, by its place in a profile.
    pub quantile: usize,
    /// By how much its distance from the p50 of its repetition is longer on head, as a logarithm.
    pub shift: Shift,
}

/// The profile of one repetition. A time of 0 ns counts as 1 ns, which has a logarithm.
pub fn profile(distribution: &Distribution) -> Profile {
    distribution.quantiles_ns(QUANTILES_PPM).map(|ns| (ns.max(1) as f64).ln())
}

/// Of pairs, each head's profile less base's: by the signed-rank test, whether a quantile moved by at least this much, as a
/// logarithm. `None` of no pair.
pub fn paired(differences: &[Profile], least: f64, confidence: f64) -> Option<Moved> {
    let of =
        |quantile| -> Vec<f64> { differences.iter().map(|profile| from_p50(profile, quantile)).collect() };
    let p = |quantile| {
        let pairs: Vec<(f64, f64)> = of(quantile).into_iter().map(|difference| (difference, 0.0)).collect();
        wilcoxon::signed_rank(&pairs).map_or(1.0, |test| test.p_two_sided)
    };
    Moved::most(least, p, |quantile| shift::paired(&of(quantile), confidence))
}

/// Of repetitions that are not paired: the same by the rank-sum test. `None` when a side has none.
pub fn unpaired(base: &[Profile], head: &[Profile], least: f64, confidence: f64) -> Option<Moved> {
    let of = |quantile| {
        [base, head].map(|side| side.iter().map(|profile| from_p50(profile, quantile)).collect::<Vec<_>>())
    };
    let p = |quantile| {
        let [base, head] = of(quantile);
        mann_whitney::rank_sum(&base, &head).map_or(1.0, |test| test.p_two_sided)
    };
    let shift = |quantile| {
        let [base, head] = of(quantile);
        shift::unpaired(&base, &head, confidence)
    };
    Moved::most(least, p, shift)
}

fn from_p50(profile: &Profile, quantile: usize) -> f64 {
    profile[quantile] - profile[P50]
}

impl Moved {
    /// The quantile with the smallest probability among those that moved by at least so much; else the one with the smallest,
    /// of which nothing is said then. To choose by size makes no probability smaller.
    fn most(least: f64, p: impl Fn(usize) -> f64, shift: impl Fn(usize) -> Option<Shift>) -> Option<Self> {
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

    /// A profile about 1 us, whose times above this share are longer by this factor; `nth` makes each a little different.
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
    fn a_profile_is_the_logarithm_of_quantiles_and_nothing_has_one() {
        let hundred = Distribution::of_samples((1..=100).collect()).unwrap();
        let found = profile(&hundred).map(|log| log.exp().round());
        assert_eq!(found, [5.0, 10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 70.0, 80.0, 90.0, 95.0, 99.0]);
        assert_eq!(QUANTILES_PPM.map(|ppm| ppm / 10_000)[P50], 50);
        assert_eq!([P90, P99].map(|place| QUANTILES_PPM[place]), [900_000, 990_000]);
        assert_eq!(profile(&Distribution::of_samples(vec![0]).unwrap()), [0.0; 12]);
    }

    /// Twelve and twelve that all differ: 2 of the 2,704,156 ways to choose them, times the eleven quantiles.
    #[test]
    fn a_tenth_in_a_second_mode_is_seen_by_a_quantile_beyond_the_p50() {
        let found = unpaired(&side(1_000_000, 1.0, 0), &side(850_000, 1.3, 50), 0.03, 0.95).unwrap();
        assert!((found.p - 22.0 / 2_704_156.0).abs() < 1e-15 && found.quantile >= P90, "{found:?}");
        assert!((found.shift.estimate - 1.3_f64.ln()).abs() < 0.05, "{found:?}");
    }

    /// Twelve pairs that all agree: 2 of 4,096 ways to sign them, times the eleven quantiles.
    #[test]
    fn pairs_are_compared_by_their_differences() {
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
        fn what_makes_all_of_a_repetition_slower_is_no_change_of_shape(
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
