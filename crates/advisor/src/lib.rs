//! Estimates message latency for a size profile from latencies measured at single sizes. No I/O.
//!
//! # Codemap
//! - [`line`](mod@line): the measured distributions of one transport by message size, and how much of a
//!   profile they cover.
//! - [`mixture`]: the distribution of the times of all messages of a profile, and the interval of each
//!   figure.
//! - [`ranking`]: the order of the transports, ties with the first, and scaled sizes that would change the
//!   first.
//! - [`scale`]: a profile with longer or shorter messages.
//!
//! # How it works
//! A message of a measured size takes as long as the messages measured at that size: the whole distribution
//! counts, not only its mean. Between two measured sizes, each quantile is interpolated linearly over the
//! number of bytes, because copying takes time in proportion to length (displacement interpolation: `McCann
//! 1997`; Read 1999 for its use between measured spectra). Within a bucket of the profile, all sizes are
//! equally frequent. The times of all messages are the mixture of these distributions, weighted by the number
//! of messages of each size.
//!
//! **Every extrapolation is reported.** Messages shorter than the shortest measured one are assumed to cost
//! as much as that one, which overestimates them. Messages longer than the longest measured one are left out.
//! Both shares are reported. A transport that leaves out more than [`ranking::LEFT_OUT_MAX`] is not ranked.

pub mod line;
pub mod mixture;
pub mod ranking;
pub mod scale;

pub use line::{Line, Measured};
pub use mixture::{Figure, Mixture};
pub use ranking::{Ranked, Ranking, rank};
