//! Two simulated lines with a known crossing.

use crate::noise::{FAMILIES, Level, Noise};
use rand::rngs::StdRng;
use roundtrip_stats::crossover::{Measured, crossovers};

/// Message sizes: powers of four from 16 B to 1 MiB.
pub(super) const SIZES: usize = 9;
/// The power of four of the first size.
const FIRST: u8 = 2;

#[derive(Clone, Copy)]
pub(super) enum Spread {
    /// The same in both lines.
    Of(Level),
    /// 1 % in one line, 10 % in the other.
    Uneven,
    /// 1 %, plus drift of the machine, which all cases of a round of repetitions have in common.
    Alternating,
}

/// Two lines with a ratio of 1 at their crossing.
#[derive(Clone, Copy)]
pub(super) struct Lines {
    pub(super) spread: Spread,
    pub(super) count: usize,
    /// The factor by which the ratio changes from one size to the next.
    pub(super) factor: f64,
    /// In sizes from the first; `None` if the ratio is 1 at every size.
    pub(super) crossing: Option<f64>,
}

/// The logarithms of the repetitions' medians of both lines at each size.
pub(super) type Logs = [[Vec<f64>; 2]; SIZES];

/// The noise families of the labelled data and two more. Excludes autocorrelated noise while one line is measured after
/// the other: the drift looks like a difference, which no interval covers.
pub(super) fn spreads() -> Vec<(&'static str, Spread)> {
    let families = FAMILIES.into_iter().filter(|(_, noise)| *noise != Noise::Autocorrelated);
    let families = families.map(|(name, noise)| (name, Spread::Of(Level::Of(noise))));
    families.chain([("uneven", Spread::Uneven), ("heavy", Spread::Of(Level::Heavy))]).collect()
}

impl Lines {
    pub(super) fn draw(self, random: &mut StdRng) -> Logs {
        let rounds = Level::Of(Noise::Autocorrelated).values(self.count, random);
        std::array::from_fn(|size| {
            // The level common to both lines does not matter.
            let level = 9.0 + 0.3 * size as f64;
            let shift = self.crossing.map_or(0.0, |crossing| (crossing - size as f64) * self.factor.ln());
            [(0, 0.0), (1, shift)].map(|(side, shift)| {
                let values = self.spread.values(side, &rounds, random).into_iter();
                values.map(|value| level + shift + value).collect()
            })
        })
    }
}

impl Spread {
    fn values(self, side: usize, rounds: &[f64], random: &mut StdRng) -> Vec<f64> {
        let mut normal = |deviation| Level::Of(Noise::Normal(deviation)).values(rounds.len(), random);
        match self {
            Self::Of(level) => level.values(rounds.len(), random),
            Self::Uneven => normal(if side == 0 { 0.01 } else { 0.1 }),
            Self::Alternating => {
                let own = normal(0.01);
                own.iter().zip(rounds).map(|(own, round)| own + round).collect()
            }
        }
    }
}

/// The intervals of all crossovers, in sizes from the first.
pub(super) fn found(logs: &Logs) -> Vec<[Option<f64>; 2]> {
    let [first, second] = [0, 1].map(|side| -> Vec<Measured> {
        let measured = |(power, cells): (u8, &[Vec<f64>; 2])| {
            // In millionths of a nanosecond, so that rounding does not matter.
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a time")]
            let times = cells[side].iter().map(|log| (log.exp() * 1e6) as u64);
            Measured::new(4_u64.pow(power.into()), times)
        };
        (FIRST..).zip(logs).filter_map(measured).collect()
    });
    let place = |x: f64| x.ln() / 4.0_f64.ln() - f64::from(FIRST);
    let found = crossovers(&first, &second);
    found.iter().map(|found| [found.from, found.to].map(|end| end.map(place))).collect()
}
