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

use roundtrip_budget::Row;
use std::process::ExitCode;

/// A part that can be asked for alone: its name, and how it is measured, thoroughly or quickly.
type Part = (&'static str, fn(bool) -> Vec<Row>);

const PARTS: [Part; 4] = [
    ("changes", changes::rows),
    ("comparisons", comparisons::rows),
    ("crossovers", crossovers::rows),
    ("speed", speed::rows),
];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let is_whole = !PARTS.iter().any(|(part, _)| has(part));
    let wanted = PARTS.iter().filter(|(part, _)| is_whole || has(part));
    let rows: Vec<Row> = wanted.flat_map(|(_, rows)| rows(has("--quick"))).collect();
    match roundtrip_budget::print(&rows, has("json")) {
        Ok(code) => code,
        Err(error) => {
            eprintln!("bench: {error}");
            ExitCode::FAILURE
        }
    }
}
