//! What charts are drawn of, between rows and answers: pure functions, without SQL and without HTTP.
//!
//! - [`downsample`]: which points of a line are drawn when there are too many.
//! - [`delta`]: how columns of numbers are sent.  [`quantile`]: which of them can be asked for.
//! - [`heatmap`]: distributions side by side.
//! - [`sweep`]: which series make one line over a parameter.

pub mod delta;
pub mod downsample;
pub mod heatmap;
pub mod quantile;
pub mod sweep;
