//! Ranks transports for the messages of a profile: distance to the first, and scaled sizes that would change
//! the first.

use crate::line::Line;
use crate::mixture::{self, Figure, Mixture};
use crate::scale::scaled;
use roundtrip_wire::size_profile::SizeHistogram;

/// The largest share of messages that a ranked transport may leave out because they are longer than the
/// longest measured one: 0.1 %, a tenth of the messages above the 99th percentile.
pub const LEFT_OUT_MAX: f64 = 0.001;
/// Another transport must be ahead by this factor before a change of sizes is reported. Quick estimates are not
/// precise below this.
const AHEAD_MIN: f64 = 1.02;
/// Factors by which the sizes are scaled.
const FACTORS: [f64; 14] =
    [0.5, 0.25, 0.125, 0.0625, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0];

/// Transports ordered by the cost of a profile's messages.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    /// The ranked transports, fastest first.
    pub ranked: Vec<Ranked>,
    /// Transports that did not measure the sizes of the profile, with the share of messages that they leave
    /// out.
    pub not_ranked: Vec<(usize, f64)>,
    /// Factors for all sizes that would make another transport the first: the nearest below 1 and the nearest
    /// above.
    pub would_change: Vec<Change>,
}

/// A transport in the ranking.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// The index of the line.
    pub line: usize,
    /// The times of the messages.
    pub mixture: Mixture,
    /// The distance to the first; `None` for the first itself.
    pub behind: Option<Behind>,
}

/// How far a transport is behind the first, in the figure that they are ranked by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Behind {
    /// The ratio of the times.
    pub ratio: f64,
    /// The 95 % interval of the ratio; `None` with too few repetitions.
    pub interval: Option<[f64; 2]>,
}

/// The best transport for scaled sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// The factor for all message sizes.
    pub factor: f64,
    /// The index of the line.
    pub line: usize,
}

impl Behind {
    /// Whether the difference is statistically significant.
    pub fn is_sure(&self) -> bool {
        self.interval.is_some_and(|[low, _]| low > 1.0)
    }
}

/// Ranks lines for a profile by a figure.
pub fn rank(lines: &[Line], sizes: &SizeHistogram, by: Figure) -> Ranking {
    let mut ranked = Vec::new();
    let mut not_ranked = Vec::new();
    for (place, line) in lines.iter().enumerate() {
        match Mixture::new(line, sizes) {
            Some(mixture) if mixture.above_share() <= LEFT_OUT_MAX => {
                ranked.push(Ranked { line: place, mixture, behind: None });
            }
            Some(mixture) => not_ranked.push((place, mixture.above_share())),
            None => not_ranked.push((place, 1.0)),
        }
    }
    let figure = |ranked: &Ranked| ranked.mixture.figure_ns(by);
    ranked.sort_by(|one, other| figure(one).total_cmp(&figure(other)));
    let Some(first) = ranked.first() else { return Ranking { ranked, not_ranked, would_change: Vec::new() } };
    let side = |ranked: &Ranked| (figure(ranked), ranked.mixture.uncertainty(&lines[ranked.line], by));
    let first = side(first);
    for other in ranked.iter_mut().skip(1) {
        other.behind = Some(behind(first, side(other)));
    }
    let may_be_first: Vec<usize> = ranked
        .iter()
        .filter(|ranked| ranked.behind.is_none_or(|behind| !behind.is_sure()))
        .map(|ranked| ranked.line)
        .collect();
    let would_change = would_change(lines, sizes, by, &may_be_first);
    Ranking { ranked, not_ranked, would_change }
}

/// The ratio of two figures that vary independently: the ends of the interval of its logarithm by variance
/// estimates recovery (Zou and Donner 2008).
fn behind((first_ns, first): (f64, [f64; 2]), (ns, other): (f64, [f64; 2])) -> Behind {
    let log = (ns / first_ns).ln();
    let interval = [log - other[0].hypot(first[1]), log + other[1].hypot(first[0])];
    let interval = interval.iter().all(|end| end.is_finite()).then(|| interval.map(f64::exp));
    Behind { ratio: ns / first_ns, interval }
}

/// Scale factors at which a transport outside of `may_be_first` would be the first. The transports in
/// `may_be_first` are statistically tied, so a change among them is not reported.
fn would_change(lines: &[Line], sizes: &SizeHistogram, by: Figure, may_be_first: &[usize]) -> Vec<Change> {
    let other_first = |factor: f64| {
        let sizes = scaled(sizes, factor).ok()?;
        let least = |is_of_first: bool| {
            let costs =
                lines.iter().enumerate().filter(|(place, _)| may_be_first.contains(place) == is_of_first);
            let covered = costs.filter_map(|(place, line)| {
                let (ns, above_share) = mixture::quick(line, &sizes, by)?;
                (above_share <= LEFT_OUT_MAX).then_some((place, ns))
            });
            covered.min_by(|one, other| one.1.total_cmp(&other.1))
        };
        let ((_, first_ns), (line, other_ns)) = (least(true)?, least(false)?);
        (first_ns > other_ns * AHEAD_MIN).then_some(Change { factor, line })
    };
    let (shorter, longer): (Vec<f64>, Vec<f64>) = FACTORS.iter().partition(|factor| **factor < 1.0);
    [shorter, longer].iter().filter_map(|factors| factors.iter().copied().find_map(other_first)).collect()
}

#[cfg(test)]
mod tests;
