//! `cargo xtask bench verdicts`: the accuracy of verdicts, and their cost.
//!
//! - [`noise`]: simulated series with known noise and known changes. [`labelled`]: those of the reference data.
//!   [`score`]: compares reported changes with the known ones.
//! - [`changes`]: accuracy of change-point detection. [`scenarios`]: the same for unsteady machines, drift and more.
//!   [`tails`]: the same for the ratio of two quantiles. [`speed`]: its cost.
//! - [`first_run`]: suspicions after the first run of a commit. [`comparisons`]: verdicts on two sides. [`crossovers`]: crossings of two lines.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot continue should panic")]

mod changes;
mod comparisons;
mod crossovers;
mod first_run;
mod labelled;
mod noise;
mod scenarios;
mod score;
mod speed;
mod tails;

use roundtrip_budget::{BarIs, Part, Peer, Row};
use std::process::ExitCode;

const PARTS: [Part; 7] = [
    ("changes", changes::rows),
    ("scenarios", scenarios::rows),
    ("tails", tails::rows),
    ("first-run", first_run::rows),
    ("comparisons", comparisons::rows),
    ("crossovers", crossovers::rows),
    ("speed", speed::rows),
];

/// Converts a share to ten-thousandths.
fn whole(share: f64) -> f64 {
    (share * 10_000.0).round()
}

/// The reference that a share is compared with.
fn peer(name: &str, share: f64) -> Peer {
    Peer { name: format!("{name} ({:.1} %)", 100.0 * share), value: whole(share) }
}

#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a share is positive and small")]
fn row(name: impl Into<String>, share: f64, peer: Peer, bar_is: BarIs, bar: f64) -> Row {
    Row::new(name, whole(share) as u64, "/ 10,000", peer, bar_is, whole(bar))
}

fn main() -> ExitCode {
    roundtrip_budget::run(&PARTS)
}
