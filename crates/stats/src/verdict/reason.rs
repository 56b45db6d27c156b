//! Why a row is inconclusive, in a sentence with figures.

use super::{Row, Rule};
use crate::percent;
use crate::shift::Shift;
use statrs::distribution::{ContinuousCDF, Normal};
use std::fmt;

/// Fewer repetitions a side have no interval at 95 %: three and three that all differ have a probability of 10 %.
const REPETITIONS_MIN: usize = 4;

/// Larger numbers of missing repetitions are not reported.
const MORE_MAX: f64 = 1_000.0;

/// The unit of repetitions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Pairs of repetitions.
    Pairs,
    /// Repetitions of each side.
    Repetitions,
}

/// Why a row is inconclusive. Shares are of the base's time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Reason {
    /// There are too few repetitions for an interval.
    TooFew {
        /// How many there are, on the side with fewer.
        has: usize,
        /// How many are needed.
        needs: usize,
        /// The unit.
        unit: Unit,
    },
    /// The interval contains both no change and a relevant one.
    TooNoisy {
        /// The interval of the change.
        interval: [f64; 2],
        /// The smallest relevant change.
        matters: f64,
        /// About how many more would decide, if below a thousand.
        more: Option<usize>,
        /// The unit.
        unit: Unit,
    },
    /// The change is not significant after adjusting for all comparisons.
    NotSure {
        /// The estimate.
        change: f64,
        /// The adjusted p.
        p: f64,
        /// The largest significant p.
        false_share: f64,
        /// As above.
        more: Option<usize>,
        /// The unit.
        unit: Unit,
    },
    /// The change is within the row's variation in A/A comparisons.
    LikeItself {
        /// The estimate.
        change: f64,
        /// The row's variation in A/A comparisons.
        least: f64,
    },
}

pub(super) struct Measured {
    pub(super) count: usize,
    pub(super) unit: Unit,
    /// All that is compared, of all rows.
    pub(super) tests: usize,
    /// How many looks its probabilities are for.
    pub(super) looks: usize,
}

impl Reason {
    pub(super) fn of(rule: &Rule, row: &Row, measured: &Measured) -> Self {
        let Measured { count: has, unit, .. } = *measured;
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
            Self::NotSure { change, p: row.p50.p_adjusted, false_share: rule.false_share, more, unit }
        } else {
            Self::LikeItself { change, least: row.least }
        }
    }
}

/// How many more would decide: an interval narrows with the root of their number, until it is within what matters, and a
/// shift that is there stands out by that root, until it is sure even if nothing else changed.
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

/// How far from the middle a normal variable has this probability, both sides together.
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
            Self::TooNoisy { interval: [low, high], matters, more, unit } => write!(
                formatter,
                "too noisy to detect {}: interval {} to {}{}",
                percent::plain(matters),
                percent::signed(low),
                percent::signed(high),
                would_decide(more, unit)
            ),
            Self::NotSure { change, p, false_share, more, unit } => write!(
                formatter,
                "not significant: change {} with adjusted p = {}, needs at most {}{}",
                percent::signed(change),
                percent::plain(p),
                percent::plain(false_share),
                would_decide(more, unit)
            ),
            Self::LikeItself { change, least } => write!(
                formatter,
                "within noise: change {}, A/A comparisons of this case vary by {}",
                percent::signed(change),
                percent::plain(least)
            ),
        }
    }
}
