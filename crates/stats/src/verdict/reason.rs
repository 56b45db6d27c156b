//! The reason why a row is inconclusive, as a sentence with figures.

use super::{Row, Rule, may_be_movement};
use crate::movement;
use crate::percent;
use crate::shift::Shift;
use statrs::distribution::{ContinuousCDF, Normal};
use std::fmt;

/// Smallest number of repetitions per side with a 95 % interval: with three per side that do not overlap, p is 10 %.
pub(super) const REPETITIONS_MIN: usize = 4;

/// A larger estimate of missing repetitions is not shown.
const MORE_MAX: f64 = 1_000.0;

/// The unit of a count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Pairs of repetitions.
    Pairs,
    /// Repetitions per side.
    Repetitions,
}

/// Why a row is inconclusive. Shares are relative to the base's time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    /// There are too few repetitions for a verdict.
    TooFew {
        /// The current number; for repetitions, on the side that has fewer.
        has: usize,
        /// The number needed.
        needs: usize,
        /// The unit of the count.
        unit: Unit,
    },
    /// The time for the comparison ended before a verdict.
    OutOfTime {
        /// The number of pairs.
        has: usize,
        /// See [`Reason::TooNoisy`]; the number up to the first look if there was none.
        more: Option<usize>,
    },
    /// The interval allows both no change and a change that matters.
    TooNoisy {
        /// The confidence interval of the change.
        interval: [f64; 2],
        /// The change that matters.
        matters: f64,
        /// About how many more would give a verdict if they are like the existing ones; `None` for a thousand or more.
        more: Option<usize>,
        /// The unit of the count.
        unit: Unit,
    },
    /// The change is not significant after the correction for all tests.
    NotSignificant {
        /// The estimated change.
        change: f64,
        /// The p-value, adjusted for all tests of the comparison.
        p: f64,
        /// The largest p that counts as significant.
        false_share: f64,
        /// See [`Reason::TooNoisy`].
        more: Option<usize>,
        /// The unit of the count.
        unit: Unit,
    },
    /// The change is significant, but no larger than the row's noise in A/A comparisons.
    WithinNoise {
        /// The estimated change.
        change: f64,
        /// The smallest change of this row that counts.
        least: f64,
    },
    /// The machine moved too much between the sides.
    MachineChanged {
        /// The largest movement of a canary or control.
        movement: f64,
    },
    /// The change is significant, but not beyond the movement of the machine between the sides.
    WithinMovement {
        /// The estimated change.
        change: f64,
        /// The largest movement of a canary or control.
        movement: f64,
    },
}

pub(super) struct Measured {
    pub(super) count: usize,
    pub(super) unit: Unit,
    /// The number of tests of all rows.
    pub(super) tests: usize,
    /// The number of looks that the p-values are corrected for.
    pub(super) looks: usize,
    /// Whether the time ended.
    pub(super) is_out_of_time: bool,
}

impl Reason {
    pub(super) fn of(rule: &Rule, row: &Row, measured: &Measured) -> Self {
        let Measured { count: has, unit, tests, .. } = *measured;
        if !movement::is_comparable(row.movement) {
            return Self::MachineChanged { movement: row.movement };
        }
        if measured.is_out_of_time {
            let first = rule.looks.first().copied().unwrap_or_default();
            let interval = row.p50.shift.and_then(|shift| shift.interval);
            let more = match interval {
                Some([low, high]) => more(rule, row, measured, (high - low) / 2.0),
                None => Some(first.saturating_sub(has)),
            };
            return Self::OutOfTime { has, more };
        }
        let Some(Shift { estimate, interval: Some([low, high]) }) = row.p50.shift else {
            let needs = match unit {
                Unit::Pairs => rule.looks.first().copied().unwrap_or_default(),
                Unit::Repetitions => REPETITIONS_MIN,
            };
            return Self::TooFew { has, needs, unit };
        };
        let change = estimate.exp_m1();
        let more = more(rule, row, measured, (high - low) / 2.0);
        if low <= 0.0 && 0.0 <= high {
            let interval = [low, high].map(f64::exp_m1);
            Self::TooNoisy { interval, matters: rule.matters, more, unit }
        } else if row.p50.p_adjusted > rule.false_share {
            let needs = rule.repetitions_needed(tests);
            if unit == Unit::Repetitions && has < needs {
                return Self::TooFew { has, needs, unit };
            }
            Self::NotSignificant { change, p: row.p50.p_adjusted, false_share: rule.false_share, more, unit }
        } else if may_be_movement([low, high], row.movement) {
            Self::WithinMovement { change, movement: row.movement }
        } else {
            Self::WithinNoise { change, least: row.least }
        }
    }

    /// About how many more would give a verdict; `None` if more do not help, or for a thousand or more.
    pub fn needed(&self) -> Option<usize> {
        match *self {
            Self::TooFew { has, needs, .. } => Some(needs.saturating_sub(has)),
            Self::OutOfTime { more, .. }
            | Self::TooNoisy { more, .. }
            | Self::NotSignificant { more, .. } => more,
            Self::WithinNoise { .. } | Self::MachineChanged { .. } | Self::WithinMovement { .. } => None,
        }
    }
}

/// Estimates how many more would give a verdict. The width of an interval and the significance of a shift scale with
/// the square root of the number. The row is decided when the interval is within what matters, or when the shift is
/// significant even if nothing else changed.
fn more(rule: &Rule, row: &Row, measured: &Measured, half_width: f64) -> Option<usize> {
    let estimate = row.p50.shift?.estimate.abs();
    let room = rule.matters.ln_1p() - estimate;
    let to_be_none = (room > 0.0).then(|| (half_width / room).powi(2));
    let sure = rule.false_share / measured.tests as f64;
    let to_be_one = (estimate >= row.least.ln_1p()).then(|| {
        let looks = measured.looks as f64;
        (deviations(sure / looks) / deviations(row.p50.p / looks)).powi(2)
    });
    let factor = to_be_none.into_iter().chain(to_be_one).fold(f64::INFINITY, f64::min);
    let more = (measured.count as f64 * (factor - 1.0)).ceil().max(1.0);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "positive and below a thousand"
    )]
    (more < MORE_MAX).then_some(more as usize)
}

/// The distance from the mean at which a normal variable has this two-sided p, in standard deviations.
fn deviations(p: f64) -> f64 {
    -Normal::standard().inverse_cdf(p / 2.0)
}

impl fmt::Display for Unit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Pairs => "pairs",
            Self::Repetitions => "repetitions per side",
        })
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let would_decide = |more: Option<usize>, unit: Unit| {
            more.map_or(String::new(), |more| match unit {
                Unit::Pairs => format!("; needs about {more} more pairs"),
                Unit::Repetitions => format!("; needs about {more} more repetitions per side"),
            })
        };
        match *self {
            Self::TooFew { has, needs, unit } => {
                write!(formatter, "too few {unit}: has {has}, needs {needs}")
            }
            Self::OutOfTime { has, more } => {
                let noun = if has == 1 { "pair" } else { "pairs" };
                write!(formatter, "time budget used: has {has} {noun}{}", would_decide(more, Unit::Pairs))
            }
            Self::TooNoisy { interval: [low, high], matters, more, unit } => write!(
                formatter,
                "too noisy to detect {}: interval {} to {}{}",
                percent::plain(matters),
                percent::signed(low),
                percent::signed(high),
                would_decide(more, unit)
            ),
            Self::NotSignificant { change, p, false_share, more, unit } => write!(
                formatter,
                "not significant: change {} with adjusted p = {}, needs at most {}{}",
                percent::signed(change),
                percent::plain(p),
                percent::plain(false_share),
                would_decide(more, unit)
            ),
            Self::WithinNoise { change, least } => write!(
                formatter,
                "within noise: change {}, A/A comparisons of this case vary by {}",
                percent::signed(change),
                percent::plain(least)
            ),
            Self::MachineChanged { movement } => {
                write!(formatter, "the machine changed: it moved by {}", percent::plain(movement))
            }
            Self::WithinMovement { change, movement } => write!(
                formatter,
                "within the movement of the machine: change {}, movement {}",
                percent::signed(change),
                percent::plain(movement)
            ),
        }
    }
}
