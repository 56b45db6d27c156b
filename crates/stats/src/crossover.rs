//! Where does the faster one of two lines over a size change, and how sure is that?
//!
//! At each size both lines have the medians of their repetitions, and the repetition is the unit. By how much the second line
//! takes longer than the first at a size is the shift of Hodges and Lehmann (1963) of the logarithms, with its 95 % interval
//! ([`crate::shift`]): just what a comparison of the two at this size would say. Between two neighbouring sizes the shift is
//! taken to go straight over the logarithm of the size, as a chart of two logarithmic axes draws it, and where it is zero the
//! lines cross.
//!
//! The interval of a crossing are the sizes around it at which the shift may be zero. This is the method of Fieller (1954) for
//! the ratio of two estimates, which the place of a zero between two sizes is; it never asks how a ratio is distributed, and
//! its end is open where nothing tells. Fieller takes both estimates to be normal. Here each has the interval of its rank
//! test, and the interval of the shift at a share `t` of the way between two sizes is put together of theirs by the method of
//! variance estimates recovery (Zou and Donner 2008; Newcombe 1998 for two shares): at distances from the estimate whose
//! squares add up as variances do, each end by itself, so that it may be lopsided. With the shifts `d0` and `d1`, and `w0` and
//! `w1` from each to the end of its interval that is nearer to zero, an end is where
//!
//! ```text
//! ((1 - t) d0 + t d1)^2 = ((1 - t) w0)^2 + (t w1)^2
//! ```
//!
//! At a measured size this is the rank test of the size itself. No random numbers are drawn, and a pair of lines takes one
//! shift a size. `cargo xtask bench verdicts --only crossovers` measures how often the interval holds the true crossing:
//! `docs/explanation/crossovers.md` has the table.
//!
//! A line is surely the faster one at a measured size where the interval of the shift leaves zero out, and nowhere else: what
//! happens between the last size at which one line surely is and the first one at which the other one is, is one crossing,
//! however often the estimates change their sign there.

use crate::shift::{self, Shift};
use std::cmp::Ordering;

/// The confidence of an interval.
pub const CONFIDENCE: f64 = 0.95;

/// What a line measured at one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    x: u64,
    /// Logarithms of the medians of the repetitions.
    logs: Vec<f64>,
    /// The smallest and the largest of them.
    ends: [f64; 2],
}

/// Where the faster one of two lines changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossover {
    /// Whether the first line is the faster one below, or the second one.
    pub first_is_faster_below: bool,
    /// Where they cross, in the unit of the sizes.
    pub x: f64,
    /// The lower end of its interval; `None` where neither line is surely faster at any measured size further down.
    pub from: Option<f64>,
    /// The upper end of its interval; `None` where neither line is surely faster at any measured size further up.
    pub to: Option<f64>,
}

impl Measured {
    /// At a size the medians of the repetitions, in any unit of time. Times of 0, which are below what a clock tells, count as
    /// 1. `None` at the size 0, which has no logarithm.
    pub fn new(x: u64, medians: impl IntoIterator<Item = u64>) -> Option<Self> {
        let logs: Vec<f64> = medians.into_iter().map(|median| (median.max(1) as f64).ln()).collect();
        let ends =
            [logs.iter().copied().fold(f64::MAX, f64::min), logs.iter().copied().fold(f64::MIN, f64::max)];
        (x > 0).then_some(Self { x, logs, ends })
    }

    /// The size.
    pub fn x(&self) -> u64 {
        self.x
    }

    /// By how much the logarithms of another line's times are larger at this size. `None` where one of both has none.
    pub fn shift_to(&self, other: &Self) -> Option<Shift> {
        shift::unpaired_unlike(&self.logs, &other.logs, CONFIDENCE)
    }
}

#[derive(Clone, Copy, Debug)]
struct Difference {
    log_x: f64,
    /// Positive where the second line takes longer.
    shift: f64,
    interval: Option<[f64; 2]>,
}

/// All crossovers of two lines, ascending, at the sizes that both have. Both are given by ascending size, each size once.
///
/// ```
/// use roundtrip_stats::crossover::{Measured, crossovers};
/// let line = |cells: [(u64, u64); 3]| cells.map(|(x, ns)| Measured::new(x, (0..8).map(|nth| ns + nth)).unwrap());
/// let copied = line([(64, 1_000), (4_096, 2_000), (262_144, 64_000)]);
/// let mapped = line([(64, 8_000), (4_096, 8_000), (262_144, 8_000)]);
/// let found = crossovers(&copied, &mapped);
/// assert!(found.len() == 1 && found[0].first_is_faster_below);
/// assert!((21_000.0..22_000.0).contains(&found[0].x));
/// ```
pub fn crossovers(first: &[Measured], second: &[Measured]) -> Vec<Crossover> {
    let both = at_common_sizes(first, second);
    let is_apart = |below: &Measured, above: &Measured| below.ends[1] < above.ends[0];
    // Most lines of a sweep are far from each other, and need no test to see it.
    if both.iter().all(|(one, other)| is_apart(one, other))
        || both.iter().all(|(one, other)| is_apart(other, one))
    {
        return Vec::new();
    }
    let differences = differences(&both);
    // Sizes at both ends at which nothing differs say nothing of which line is faster.
    let differs = |difference: &Difference| difference.shift != 0.0;
    let begin = differences.iter().position(differs).unwrap_or_default();
    let end = differences.iter().rposition(differs).map_or(begin, |last| last + 1);
    let differences = &differences[begin..end];
    let anchors = anchors(differences);
    let between = anchors.iter().zip(anchors.iter().skip(1));
    between.filter_map(|(&low, &high)| crossover(&differences[low..=high])).collect()
}

/// What both lines measured at each size, where both did.
fn at_common_sizes<'a>(first: &'a [Measured], second: &'a [Measured]) -> Vec<(&'a Measured, &'a Measured)> {
    let mut others = second.iter().filter(|other| !other.logs.is_empty()).peekable();
    let beside = |one: &'a Measured| {
        while others.next_if(|other| other.x < one.x).is_some() {}
        Some((one, others.next_if(|other| other.x == one.x)?))
    };
    first.iter().filter(|one| !one.logs.is_empty()).filter_map(beside).collect()
}

fn differences(both: &[(&Measured, &Measured)]) -> Vec<Difference> {
    let difference = |(one, other): &(&Measured, &Measured)| {
        let Shift { estimate, interval } = one.shift_to(other)?;
        Some(Difference { log_x: (one.x as f64).ln(), shift: estimate, interval })
    };
    both.iter().filter_map(difference).collect()
}

/// The places at which one line is surely faster, and the first and the last place, where that line counts which seems to be.
fn anchors(differences: &[Difference]) -> Vec<usize> {
    let last = differences.len().saturating_sub(1);
    let places = differences.iter().enumerate();
    let is_anchor =
        |(place, difference): &(usize, &Difference)| *place == 0 || *place == last || difference.is_sure();
    places.filter(is_anchor).map(|(place, _)| place).collect()
}

/// The crossover between two anchors, if the faster line is not the same at both.
fn crossover(stretch: &[Difference]) -> Option<Crossover> {
    let (low, high) = (stretch.first()?, stretch.last()?);
    if low.shift * high.shift >= 0.0 {
        return None;
    }
    let crossings = crossings(stretch);
    let middle = *crossings.get(crossings.len() / 2)?;
    let from = low.is_sure().then(|| low.last_sure(stretch.get(1).unwrap_or(high)));
    let to = high.is_sure().then(|| high.last_sure(stretch.iter().nth_back(1).unwrap_or(low)));
    Some(Crossover {
        first_is_faster_below: low.shift > 0.0,
        x: middle.exp(),
        from: from.map(f64::exp),
        to: to.map(f64::exp),
    })
}

/// Where the estimates change their sign, as logarithms of sizes: an odd number of places, as they do on the whole.
fn crossings(stretch: &[Difference]) -> Vec<f64> {
    let mut crossings = Vec::new();
    let mut before: Option<(usize, &Difference)> = None;
    for (place, after) in stretch.iter().enumerate().filter(|(_, difference)| difference.shift != 0.0) {
        let changed = before.filter(|(_, before)| before.shift * after.shift < 0.0);
        if let Some((place_before, before)) = changed {
            // Where there are sizes at which nothing differs, it is in their middle.
            crossings.push(match &stretch[place_before + 1..place] {
                [] => before.toward(after, before.shift / (before.shift - after.shift)),
                [only] => only.log_x,
                [first, .., last] => f64::midpoint(first.log_x, last.log_x),
            });
        }
        before = Some((place, after));
    }
    crossings
}

impl Difference {
    fn is_sure(&self) -> bool {
        self.interval.is_some_and(|[low, high]| low > 0.0 || high < 0.0)
    }

    /// From the shift to the end of its interval on the side of zero, where zero is from a shift of this sign.
    fn width(&self, sign: f64) -> Option<f64> {
        let [low, high] = self.interval?;
        Some(if sign > 0.0 { self.shift - low } else { high - self.shift })
    }

    /// A place on the way to another one.
    fn toward(&self, other: &Self, share: f64) -> f64 {
        self.log_x + share * (other.log_x - self.log_x)
    }

    /// From here, where one line is surely faster, how far on the way to the neighbour it still is: there the neighbour is not
    /// sure or the other line is. Without an interval there is no telling how far, so only here.
    fn last_sure(&self, neighbour: &Self) -> f64 {
        let sign = self.shift.signum();
        let share = match (self.width(sign), neighbour.width(sign)) {
            (Some(here), Some(there)) => {
                first_zero([sign * self.shift, sign * neighbour.shift], [here, there])
            }
            _ => 0.0,
        };
        self.toward(neighbour, share)
    }
}

/// The first share `t` of the way at which the shift is as far from zero as its interval reaches: the first zero of
/// `((1 - t) d0 + t d1)^2 - ((1 - t) w0)^2 - (t w1)^2`, which is positive at 0.
fn first_zero([d0, d1]: [f64; 2], [w0, w1]: [f64; 2]) -> f64 {
    let slope = d1 - d0;
    let square = slope * slope - w0 * w0 - w1 * w1;
    let half = d0 * slope + w0 * w0;
    let at_start = d0 * d0 - w0 * w0;
    // Of both ways to write a root the one that subtracts nothing nearly equal (Press and others 2007, 5.6).
    let product = -(half + half.signum() * (half * half - square * at_start).max(0.0).sqrt());
    let roots = [product / square, at_start / product];
    let within = roots.into_iter().filter(|root| (0.0..=1.0).contains(root));
    // There is one: where the shift itself is zero, the expression is not positive.
    within.min_by(|one, other| one.partial_cmp(other).unwrap_or(Ordering::Equal)).unwrap_or(1.0)
}

#[cfg(test)]
mod tests;
