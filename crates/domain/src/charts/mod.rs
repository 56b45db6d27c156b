//! What charts are drawn of, between rows and answers: pure functions.
//!
//! - [`downsample`]: which points of a line are drawn when there are too many.
//! - [`delta`]: how columns of numbers are sent.  [`quantile`]: which of them can be asked for.
//! - [`heatmap`]: distributions side by side.
//! - [`sweep`]: which series make one line over a parameter. [`crossover`]: where two lines cross.
//! - [`members`]: series with their points, as they are read for all of these.

pub mod crossover;
pub mod delta;
pub mod downsample;
pub mod heatmap;
pub mod members;
pub mod quantile;
pub mod sweep;
