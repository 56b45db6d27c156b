//! `cargo xtask bench verdicts`: the accuracy of verdicts, and their cost.
//!
//! - [`noise`]: simulated series with known noise and known changes. [`labelled`]: those of the reference data.
//!   [`score`]: compares reported changes with the known ones.
//! - [`changes`]: accuracy of change-point detection. [`speed`]: its cost.
//! - [`comparisons`]: verdicts on two sides. [`crossovers`]: crossings of two lines.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot continue should panic")]

mod changes;
mod comparisons;
mod crossovers;
mod labelled;
mod noise;
mod score;
mod speed;

use roundtrip_budget::Part;
use std::process::ExitCode;

const PARTS: [Part; 4] = [
    ("changes", changes::rows),
    ("comparisons", comparisons::rows),
    ("crossovers", crossovers::rows),
    ("speed", speed::rows),
];

fn main() -> ExitCode {
    roundtrip_budget::run(&PARTS)
}
