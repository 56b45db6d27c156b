//! `cargo xtask bench verdicts`: how often verdicts are right, and what they cost.
//!
//! - [`noise`]: series of known noise with known changes. [`labelled`]: those of the reference data. [`score`]: how well what
//!   was told agrees with what is known.
//! - [`changes`]: change points of series. [`speed`]: what finding them takes.
//! - [`comparisons`]: verdicts of two sides. [`crossovers`]: where lines over a size cross.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on has nothing better to say")]

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
