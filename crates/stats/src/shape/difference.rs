//! A description of how two distributions differ. It explains a verdict and does not influence it.

use super::{Profile, QUANTILES_PPM};
use crate::percent;
use crate::robust::median;
use std::fmt;

/// The quantiles [`QUANTILES_PPM`] of the standard normal distribution (`scipy.stats.norm.ppf`, `SciPy` 1.17.1).
const NORMAL: Profile = [
    -1.644_854, -1.281_552, -0.841_621, -0.524_401, -0.253_347, 0.0, 0.253_347, 0.524_401, 0.841_621,
    1.281_552, 1.644_854, 2.326_348,
];

/// Between two modes, quantiles rise this many times as fast as within either mode.
const GAP_STEEPNESS: f64 = 4.0;
/// Smallest distance between two modes, as a logarithm.
const GAP_MIN: f64 = 0.05;

/// The differences between the median profiles of two sides.
#[derive(Clone, Debug, PartialEq)]
pub struct Difference {
    /// The quantiles that moved by at least `matters`, in parts per million, with the change as a share of base's time.
    pub moved: Vec<(u32, f64)>,
    /// The slower of two modes, for base and for head, if there is one.
    pub upper_modes: [Option<Mode>; 2],
}

/// The slower of two modes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Mode {
    /// Its approximate share of the messages.
    pub share: f64,
    /// How much slower it is than the other mode, as an approximate share.
    pub slower: f64,
}

impl Difference {
    /// Compares the repetitions of both sides. Quantiles that moved by less than `matters`, as a share, are omitted.
    /// Returns `None` if a side has no repetition.
    pub fn of(base: &[Profile], head: &[Profile], matters: f64) -> Option<Self> {
        let [base, head] = [middle(base)?, middle(head)?];
        let moved = QUANTILES_PPM.into_iter().zip(base.iter().zip(&head));
        let moved = moved.map(|(ppm, (base, head))| (ppm, (head - base).exp_m1()));
        Some(Self {
            moved: moved.filter(|(_, by)| by.abs() >= matters).collect(),
            upper_modes: [base, head].map(|profile| Mode::above_gap(&profile)),
        })
    }
}

/// The median of each quantile over the repetitions.
fn middle(profiles: &[Profile]) -> Option<Profile> {
    let of_quantile =
        |index| median(&mut profiles.iter().map(|profile: &Profile| profile[index]).collect::<Vec<_>>());
    (!profiles.is_empty()).then(|| std::array::from_fn(of_quantile))
}

impl Mode {
    /// Finds a gap between two modes. Plotted against normal quantiles, the quantiles of a single mode rise evenly, and
    /// those of a long tail rise ever faster. If they rise steeply and then evenly again, there is a gap.
    fn above_gap(profile: &Profile) -> Option<Self> {
        let rise = |index: usize| profile[index + 1] - profile[index];
        let slopes: Vec<f64> =
            (0..NORMAL.len() - 1).map(|index| rise(index) / (NORMAL[index + 1] - NORMAL[index])).collect();
        let gap = (0..slopes.len()).max_by(|&one, &other| slopes[one].total_cmp(&slopes[other]))?;
        let within = |others: &[f64]| others.iter().any(|slope| slope * GAP_STEEPNESS <= slopes[gap]);
        if rise(gap) < GAP_MIN || !within(&slopes[..gap]) || !within(&slopes[gap + 1..]) {
            return None;
        }
        let share = 1.0 - f64::from(QUANTILES_PPM[gap] + QUANTILES_PPM[gap + 1]) / 2e6;
        Some(Self { share, slower: rise(gap).exp_m1() })
    }
}

impl fmt::Display for Difference {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut parts = Vec::new();
        // Neighbouring quantiles that moved in the same direction form one range.
        let next = |ppm: u32| QUANTILES_PPM.iter().position(|&other| other == ppm).map(|index| index + 1);
        let are_neighbours = |one: &(u32, f64), other: &(u32, f64)| {
            next(one.0) == QUANTILES_PPM.iter().position(|&ppm| ppm == other.0)
                && (one.1 > 0.0) == (other.1 > 0.0)
        };
        for group in self.moved.chunk_by(are_neighbours) {
            let name = |ppm: u32| format!("p{}", ppm / 10_000);
            match group {
                [(ppm, by)] => parts.push(format!("{} {}", name(*ppm), percent::signed(*by))),
                [(first, from), .., (last, to)] => {
                    let sizes = group.iter().map(|(_, by)| *by);
                    let [low, high] = [sizes.clone().fold(*from, f64::min), sizes.fold(*to, f64::max)];
                    let [low, high] = [low, high].map(percent::signed);
                    let range = if low == high { low } else { format!("{low} to {high}") };
                    parts.push(format!("{} to {} {range}", name(*first), name(*last)));
                }
                [] => {}
            }
        }
        match self.upper_modes {
            [None, Some(Mode { share, slower })] => parts.push(format!(
                "{} of messages now form a second mode, {} slower",
                percent::plain(share),
                percent::plain(slower)
            )),
            [Some(Mode { share, slower }), None] => parts.push(format!(
                "the second mode is gone: {} of messages, {} slower",
                percent::plain(share),
                percent::plain(slower)
            )),
            [Some(base), Some(head)] if base.share != head.share => parts.push(format!(
                "share of the slower mode: {} to {} of messages",
                percent::plain(base.share),
                percent::plain(head.share)
            )),
            _ => {}
        }
        if parts.is_empty() {
            return formatter.write_str("all changes of quantiles are below the threshold");
        }
        formatter.write_str(&parts.join("; "))
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::with_mode;
    use super::*;

    fn description(base: [f64; 2], head: [f64; 2]) -> String {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share in ppm")]
        let side = |[above, factor]: [f64; 2]| -> Vec<Profile> {
            (0..9).map(|nth| with_mode((above * 1e6) as u32, factor, nth)).collect()
        };
        Difference::of(&side(base), &side(head), 0.03).unwrap().to_string()
    }

    #[test]
    fn second_mode_is_described_with_its_share_and_distance() {
        let second = description([1.0, 1.0], [0.65, 1.3]);
        assert_eq!(second, "p70 to p99 +30 %; 35 % of messages now form a second mode, 31 % slower");
        assert!(description([0.65, 1.3], [1.0, 1.0]).contains("the second mode is gone"));
        let exchanged = description([0.85, 1.3], [0.65, 1.3]);
        assert!(exchanged.contains("share of the slower mode: 15 % to 35 % of messages"), "{exchanged}");
    }

    #[test]
    fn long_tail_is_no_second_mode() {
        let long: Profile = std::array::from_fn(|index| (NORMAL[index] * 0.8).exp());
        assert_eq!(Mode::above_gap(&long), None);
        assert_eq!(Mode::above_gap(&NORMAL), None);
        assert_eq!(description([1.0, 1.0], [0.97, 1.2]), "p99 +20 %");
        assert_eq!(description([1.0, 1.0], [1.0, 1.0]), "all changes of quantiles are below the threshold");
        assert_eq!(Difference::of(&[], &[NORMAL], 0.03), None);
    }
}
