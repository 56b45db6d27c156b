//! Finds the sizes at which the faster of two lines changes, with confidence intervals.
//!
//! At each size, both lines have the medians of their repetitions; the repetition is the statistical unit. The shift at
//! a size is the Hodges-Lehmann estimate (1963) of how much longer the second line takes than the first, on logarithms,
//! with its 95 % interval ([`crate::shift`]). It equals the result of comparing the two at this size. Between two
//! neighbouring sizes, the shift is interpolated linearly over the logarithm of the size, as in a chart with two
//! logarithmic axes. The lines cross where it is zero.
//!
//! The interval of a crossing contains the sizes around it at which the shift may be zero. This is the method of
//! Fieller (1954) for the ratio of two estimates, which the place of a zero between two sizes is. It needs no
//! distribution of the ratio, and an end is open if the data do not limit it. Fieller assumes two normal estimates.
//! Here each estimate has the interval of its rank test. The interval of the shift at a fraction `t` of the way between
//! two sizes combines theirs by the method of variance estimates recovery (Zou and Donner 2008; Newcombe 1998 for two
//! shares). The squares of the distances from the estimate add up like variances, separately for each end, so the
//! interval may be asymmetric. With the shifts `d0` and `d1`, and `w0` and `w1` from each to the end of its interval
//! that is nearer to zero, an end is where
//!
//! ```text
//! ((1 - t) d0 + t d1)^2 = ((1 - t) w0)^2 + (t w1)^2
//! ```
//!
//! At a measured size, this equals the rank test of that size. The method needs no random numbers, and one shift per
//! size for each pair of lines. `cargo xtask bench verdicts --only crossovers` measures how often the interval contains
//! the true crossing: see the table in `docs/explanation/crossovers.md`.
//!
//! A line is significantly faster at a measured size if the interval of the shift excludes zero, and nowhere else.
//! Between the last size at which one line is significantly faster and the first at which the other is, there is one
//! crossing, even if the estimates change sign several times.

use crate::shift::{self, Shift};
use std::cmp::Ordering;

/// Confidence of the intervals.
pub const CONFIDENCE: f64 = 0.95;

/// The measurements of a line at one size.
#[derive(Clone, Debug, PartialEq)]
pub struct Measured {
    x: u64,
    /// Logarithms of the repetitions' medians.
    logs: Vec<f64>,
    /// The smallest and the largest of them.
    ends: [f64; 2],
}

/// A place where the faster of two lines changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Crossover {
    /// Whether the first line is the faster one below the crossing.
    pub first_is_faster_below: bool,
    /// The size at which they cross, in the unit of the sizes.
    pub x: f64,
    /// The lower end of its interval; `None` if neither line is significantly faster at any smaller measured size.
    pub from: Option<f64>,
    /// The upper end of its interval; `None` if neither line is significantly faster at any larger measured size.
    pub to: Option<f64>,
}

impl Measured {
    /// Takes the medians of the repetitions at one size, in any unit of time. Times of 0, below the clock's resolution,
    /// count as 1. Returns `None` at the size 0, which has no logarithm.
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

    /// Returns how much longer another line takes at this size, as a difference of logarithms. `None` if either line
    /// has no times.
    pub fn shift_to(&self, other: &Self) -> Option<Shift> {
        shift::unpaired_unequal_scatter(&self.logs, &other.logs, CONFIDENCE)
    }
}

#[derive(Clone, Copy, Debug)]
struct Difference {
    log_x: f64,
    /// Positive if the second line takes longer.
    shift: f64,
    interval: Option<[f64; 2]>,
}

/// Returns all crossovers of two lines, ascending, at the sizes that both have. Both lines must be sorted by size, with
/// each size once.
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
    // Most lines of a sweep are far apart. They need no test.
    if both.iter().all(|(one, other)| is_apart(one, other))
        || both.iter().all(|(one, other)| is_apart(other, one))
    {
        return Vec::new();
    }
    let differences = differences(&both);
    // Sizes at both ends with a shift of zero do not show which line is faster.
    let differs = |difference: &Difference| difference.shift != 0.0;
    let begin = differences.iter().position(differs).unwrap_or_default();
    let end = differences.iter().rposition(differs).map_or(begin, |last| last + 1);
    let differences = &differences[begin..end];
    let anchors = anchors(differences);
    let between = anchors.iter().zip(anchors.iter().skip(1));
    between.filter_map(|(&low, &high)| crossover(&differences[low..=high])).collect()
}

/// The measurements of both lines at each size that both have.
fn at_common_sizes<'a>(first: &'a [Measured], second: &'a [Measured]) -> Vec<(&'a Measured, &'a Measured)> {
    let mut others = second.iter().filter(|other| !other.logs.is_empty()).peekable();
    let matched = |one: &'a Measured| {
        while others.next_if(|other| other.x < one.x).is_some() {}
        Some((one, others.next_if(|other| other.x == one.x)?))
    };
    first.iter().filter(|one| !one.logs.is_empty()).filter_map(matched).collect()
}

fn differences(both: &[(&Measured, &Measured)]) -> Vec<Difference> {
    let difference = |(one, other): &(&Measured, &Measured)| {
        let Shift { estimate, interval } = one.shift_to(other)?;
        Some(Difference { log_x: (one.x as f64).ln(), shift: estimate, interval })
    };
    both.iter().filter_map(difference).collect()
}

/// The indices at which one line is significantly faster, plus the first and the last index, at which the sign of the
/// estimate counts.
fn anchors(differences: &[Difference]) -> Vec<usize> {
    let last = differences.len().saturating_sub(1);
    let places = differences.iter().enumerate();
    let is_anchor = |(place, difference): &(usize, &Difference)| {
        *place == 0 || *place == last || difference.is_significant()
    };
    places.filter(is_anchor).map(|(place, _)| place).collect()
}

/// The crossover between two anchors, if the faster line differs.
fn crossover(differences: &[Difference]) -> Option<Crossover> {
    let (low, high) = (differences.first()?, differences.last()?);
    if low.shift * high.shift >= 0.0 {
        return None;
    }
    let crossings = crossings(differences);
    let middle = *crossings.get(crossings.len() / 2)?;
    let from = low.is_significant().then(|| low.significant_until(differences.get(1).unwrap_or(high)));
    let to =
        high.is_significant().then(|| high.significant_until(differences.iter().nth_back(1).unwrap_or(low)));
    Some(Crossover {
        first_is_faster_below: low.shift > 0.0,
        x: middle.exp(),
        from: from.map(f64::exp),
        to: to.map(f64::exp),
    })
}

/// The places where the estimates change sign, as logarithms of sizes. The number is odd, because the sign differs
/// between both ends.
fn crossings(differences: &[Difference]) -> Vec<f64> {
    let mut crossings = Vec::new();
    let mut before: Option<(usize, &Difference)> = None;
    for (place, after) in differences.iter().enumerate().filter(|(_, difference)| difference.shift != 0.0) {
        let changed = before.filter(|(_, before)| before.shift * after.shift < 0.0);
        if let Some((place_before, before)) = changed {
            // If the shift is zero at sizes in between, the crossing is in their middle.
            crossings.push(match &differences[place_before + 1..place] {
                [] => before.interpolate(after, before.shift / (before.shift - after.shift)),
                [only] => only.log_x,
                [first, .., last] => f64::midpoint(first.log_x, last.log_x),
            });
        }
        before = Some((place, after));
    }
    crossings
}

impl Difference {
    fn is_significant(&self) -> bool {
        self.interval.is_some_and(|[low, high]| low > 0.0 || high < 0.0)
    }

    /// The distance from the shift to the end of its interval nearer to zero, for a shift of this sign.
    fn width(&self, sign: f64) -> Option<f64> {
        let [low, high] = self.interval?;
        Some(if sign > 0.0 { self.shift - low } else { high - self.shift })
    }

    /// A place between this size and another, as a logarithm.
    fn interpolate(&self, other: &Self, share: f64) -> f64 {
        self.log_x + share * (other.log_x - self.log_x)
    }

    /// Returns how far one line stays significantly faster on the way from here to the neighbour, where it no longer
    /// is. Without an interval, that is only here.
    fn significant_until(&self, neighbour: &Self) -> f64 {
        let sign = self.shift.signum();
        let share = match (self.width(sign), neighbour.width(sign)) {
            (Some(here), Some(there)) => {
                first_root([sign * self.shift, sign * neighbour.shift], [here, there])
            }
            _ => 0.0,
        };
        self.interpolate(neighbour, share)
    }
}

/// The first fraction `t` of the way at which the shift is as far from zero as its interval reaches: the first zero of
/// `((1 - t) d0 + t d1)^2 - ((1 - t) w0)^2 - (t w1)^2`, which is positive at 0.
fn first_root([d0, d1]: [f64; 2], [w0, w1]: [f64; 2]) -> f64 {
    let slope = d1 - d0;
    let square = slope * slope - w0 * w0 - w1 * w1;
    let half = d0 * slope + w0 * w0;
    let at_start = d0 * d0 - w0 * w0;
    // Uses the formula for roots that does not subtract nearly equal numbers (Press and others 2007, 5.6).
    let product = -(half + half.signum() * (half * half - square * at_start).max(0.0).sqrt());
    let roots = [product / square, at_start / product];
    let within = roots.into_iter().filter(|root| (0.0..=1.0).contains(root));
    // There is always a root: where the shift is zero, the expression is not positive.
    within.min_by(|one, other| one.partial_cmp(other).unwrap_or(Ordering::Equal)).unwrap_or(1.0)
}

#[cfg(test)]
mod tests;
