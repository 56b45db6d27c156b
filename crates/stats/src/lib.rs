//! Pure statistics over latency distributions: no I/O, no clock, no randomness of its own.
//!
//! # Codemap
//! - [`distribution`]: one repetition's or one point's latencies, recorded, merged and asked for quantiles.
//! - [`samples`]: the compact text form of sorted samples.
//! - [`quantile`]: the nearest-rank rule, and median and quartiles of a few values.
//! - [`interval`]: how sure a median is.
//! - [`wilcoxon`]: whether the one of two paired values tends to be larger.

pub mod distribution;
pub mod interval;
pub mod quantile;
pub mod samples;
pub mod wilcoxon;

pub use distribution::{Distribution, Encoded, InvalidDistribution};
pub use quantile::{Quartiles, nearest_rank};
