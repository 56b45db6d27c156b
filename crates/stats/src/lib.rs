//! Pure statistics over latency distributions: no I/O, no clock, and random numbers only from a given seed.
//!
//! # Codemap
//! - [`distribution`]: latencies of one repetition or one point: record, merge, query quantiles.
//! - [`samples`]: the compact text form of sorted samples.
//! - [`quantile`]: the nearest-rank rule; the median and quartiles of a few values.
//! - [`interval`]: confidence interval of a median.
//! - [`wilcoxon`], [`mann_whitney`]: rank tests for paired and unpaired values. [`unequal_scatter`]: for unpaired values
//!   that scatter differently. [`shift`]: the size of the difference.
//! - [`shape`]: changes in the shape of a distribution, such as a second mode.
//! - [`share`]: confidence interval of a counted share.
//! - [`adjust`]: correction for many tests. [`verdict`]: the verdicts of a comparison of many rows. [`movement`]: of the
//!   machine between two reports.
//! - [`change_point`]: changes of level in a series. [`suspicion`]: a newest value that may begin one. [`cause`]: commit or
//!   machine? [`culprit`]: suspect commits.
//! - [`bisection`]: the commit of a range that made a change, from noisy pairs.
//! - [`error_rate`]: false-positive rates and detection rates.
//! - [`crossover`]: the sizes at which the faster of two lines changes.
//! - [`percent`]: shares as text.
//! - [`welch`]: Welch's t test, also shown for reference. [`comparison`]: all of these for the two sides of one case.

pub mod adjust;
pub mod bisection;
pub mod cause;
pub mod change_point;
pub mod comparison;
pub mod crossover;
pub mod culprit;
pub mod distribution;
pub mod error_rate;
pub mod interval;
pub mod mann_whitney;
pub mod movement;
mod normal;
pub mod percent;
pub mod quantile;
mod random;
mod robust;
pub mod samples;
pub mod shape;
pub mod share;
pub mod shift;
pub mod suspicion;
pub mod unequal_scatter;
pub mod verdict;
pub mod welch;
pub mod wilcoxon;

pub use distribution::{Distribution, Encoded, InvalidDistribution};
pub use quantile::{Quartiles, nearest_rank};
