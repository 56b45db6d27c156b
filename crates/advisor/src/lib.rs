//! What messages of given sizes cost over each transport: a size profile and measured latencies, put together. No I/O.
//!
//! # Codemap
//! - [`line`](mod@line): what a transport measured over the size of a message; which part of a profile that covers.
//! - [`mixture`]: the distribution of the times of all messages of a profile, and the interval of each of its figures.
//! - [`ranking`]: which transport is first, which cannot be told from it, and what would change that.
//! - [`scale`]: the same profile with longer or shorter messages.
//!
//! # How
//! A message of a size that was measured takes as long as those did: the whole distribution, not its mean. Between two
//! measured sizes each quantile goes straight from one to the other over the number of bytes, as what is copied takes time in
//! proportion to its length (displacement interpolation: `McCann 1997`; Read 1999 for its use between measured spectra).
//! Within a bucket of the profile every size is as frequent as any other. The times of all messages together are the mixture
//! of these distributions by how many messages there are of each size.
//!
//! **Nothing is extrapolated silently.** Messages shorter than the shortest one measured are taken to cost as much as that,
//! which is too much rather than too little; messages longer than the longest one take no part. Both shares are told, and a
//! transport that leaves out more than [`ranking::LEFT_OUT_MAX`] is not ranked.

pub mod line;
pub mod mixture;
pub mod ranking;
pub mod scale;

pub use line::{Line, Measured};
pub use mixture::{Figure, Mixture};
pub use ranking::{Ranked, Ranking, rank};
