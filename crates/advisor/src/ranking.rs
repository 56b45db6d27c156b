//! Which transport is first for the messages of a profile, how far the others are behind it, and what would change that.

use crate::line::Line;
use crate::mixture::{self, Figure, Mixture};
use crate::scale::scaled;
use roundtrip_wire::size_profile::SizeHistogram;

/// The share of messages that a transport may leave out, longer than what was measured, and still be ranked: a tenth of a
/// percent, which moves a 99th percentile by a tenth of what is beyond it.
pub const LEFT_OUT_MAX: f64 = 0.001;
/// By how much another transport has to be ahead for a change of sizes to be told: what is less, a quick look does not tell.
const AHEAD_MIN: f64 = 1.02;
/// How many times as long the messages are thought to be.
const FACTORS: [f64; 14] =
    [0.5, 0.25, 0.125, 0.0625, 2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 128.0, 256.0, 512.0, 1024.0];

/// Transports by how much the messages of a profile cost over each.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Ranking {
    /// The first one first.
    pub ranked: Vec<Ranked>,
    /// Those that have not measured what the profile asks for, and the share of messages that they leave out.
    pub not_ranked: Vec<(usize, f64)>,
    /// With messages so many times as long another one would be first: the nearest factor below 1 and the nearest above.
    pub would_change: Vec<Change>,
}

/// A transport with its place.
#[derive(Clone, Debug, PartialEq)]
pub struct Ranked {
    /// Which of the given lines.
    pub line: usize,
    /// What the messages cost.
    pub mixture: Mixture,
    /// How far behind the first one; `None` of the first.
    pub behind: Option<Behind>,
}

/// How far a transport is behind the first one, in the figure that they are ranked by.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Behind {
    /// How many times as long messages take.
    pub ratio: f64,
    /// The 95 % interval of the ratio; `None` where there are too few repetitions to say.
    pub interval: Option<[f64; 2]>,
}

/// Who would be first with other sizes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Change {
    /// How many times as long all messages are.
    pub factor: f64,
    /// Which of the given lines.
    pub line: usize,
}

impl Behind {
    /// Whether the repetitions tell that it takes longer.
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
    let side = |ranked: &Ranked| (figure(ranked), ranked.mixture.sway(&lines[ranked.line], by));
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

/// The ratio of two figures that sway independently: the ends of the interval of its logarithm by variance estimates recovery
/// (Zou and Donner 2008).
fn behind((first_ns, first): (f64, [f64; 2]), (ns, other): (f64, [f64; 2])) -> Behind {
    let log = (ns / first_ns).ln();
    let interval = [log - other[0].hypot(first[1]), log + other[1].hypot(first[0])];
    let interval = interval.iter().all(|end| end.is_finite()).then(|| interval.map(f64::exp));
    Behind { ratio: ns / first_ns, interval }
}

/// When another one would be first than those that may be so now: which of these it is, nobody can tell.
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
