//! `cargo xtask bench advisor`: how true advice is, and what it costs.
//!
//! - [`intervals`]: how often the interval of a ratio holds the true one.
//! - [`mix`]: what advice says of a mix of sizes, against processes that really send it.
//! - [`speed`]: what the advice on twenty transports of five machines takes.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on has nothing better to say")]

mod intervals;
mod mix;
mod speed;

use roundtrip_budget::Row;
use std::process::ExitCode;

/// A part that can be asked for alone: its name, and how it is measured, thoroughly or quickly.
type Part = (&'static str, fn(bool) -> Vec<Row>);

const PARTS: [Part; 3] = [("intervals", intervals::rows), ("mix", mix::rows), ("speed", speed::rows)];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(peer) = arguments.iter().position(|argument| argument == "peer") {
        return roundtrip_bench::peer::main(&arguments[peer + 1..]);
    }
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
