//! Pure statistics over latency distributions: no I/O, no clock, no randomness but from a seed that is given.
//!
//! # Codemap
//! - [`distribution`]: one repetition's or one point's latencies, recorded, merged and asked for quantiles.
//! - [`samples`]: the compact text form of sorted samples.
//! - [`quantile`]: the nearest-rank rule, and median and quartiles of a few values.
//! - [`interval`]: how sure a median is.
//! - [`wilcoxon`], [`mann_whitney`]: whether one side's values tend to be larger, paired and not; [`shift`]: by how much.
//! - [`shape`]: whether a distribution changed otherwise than as a whole, such as by a second mode.
//! - [`share`]: how sure a share is that was counted.
//! - [`adjust`]: many tests at once.  [`verdict`]: what is said of the rows of a comparison.
//! - [`change_point`]: where a series changes its level. [`cause`]: whether the commit made it, or the machine; [`culprit`]: which
//!   commit.
//! - [`error_rate`]: how often what is said is wrong, and what is found.
//! - [`crossover`]: where the faster one of two lines over a size changes.
//! - [`welch`]: the t test, for those who know it.  [`comparison`]: all of these, for one case of two sides.

pub mod adjust;
pub mod cause;
pub mod change_point;
pub mod comparison;
pub mod crossover;
pub mod culprit;
pub mod distribution;
pub mod error_rate;
pub mod interval;
pub mod mann_whitney;
mod middle;
mod normal;
mod percent;
pub mod quantile;
mod random;
pub mod samples;
pub mod shape;
pub mod share;
pub mod shift;
pub mod verdict;
pub mod welch;
pub mod wilcoxon;

pub use distribution::{Distribution, Encoded, InvalidDistribution};
pub use quantile::{Quartiles, nearest_rank};
