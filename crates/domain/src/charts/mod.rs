//! Data for charts, between rows and answers: pure functions.
//!
//! - [`downsample`]: selects points when there are too many.
//! - [`delta`]: compact columns of numbers. [`quantile`]: the quantiles that can be requested.
//! - [`heatmap`]: distributions by commit.
//! - [`sweep`]: groups series into lines over a parameter. [`crossover`]: where two lines cross.
//! - [`members`]: series with their points, as read for all of these.

pub mod crossover;
pub mod delta;
pub mod downsample;
pub mod heatmap;
pub mod members;
pub mod quantile;
pub mod sweep;
