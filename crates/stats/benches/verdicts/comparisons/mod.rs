//! Comparisons whose truth is known: how often intervals hold it, how often something is said to have changed that did
//! not, and what is found.
//!
//! - [`draws`]: repetitions of known noise.  [`coverage`], [`stopped`]: intervals.  [`alarms`]: of a side with itself.  [`power`]: of
//!   changes.  [`shapes`]: of distributions whose p50 is the same.

mod alarms;
mod coverage;
mod draws;
mod power;
mod shapes;
mod simulated;
mod stopped;

use roundtrip_budget::{BarIs, Peer, Row};

/// Not one that anything was chosen on.
const SEED: u64 = 20_261_124;
const ROWS: usize = 200;

pub(crate) fn rows(is_quick: bool) -> Vec<Row> {
    let parts = [coverage::rows, stopped::rows, alarms::rows, power::rows, shapes::rows];
    parts.into_iter().flat_map(|rows| rows(is_quick)).collect()
}

/// A share in ten-thousandths.
fn whole(share: f64) -> f64 {
    (share * 10_000.0).round()
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share is positive and small")]
fn row(name: String, share: f64, peer: Peer, bar_is: BarIs, bar: f64) -> Row {
    Row::new(name, whole(share) as u64, "/ 10,000", peer, bar_is, whole(bar))
}
