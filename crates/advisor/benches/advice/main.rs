//! `cargo xtask bench advisor`: accuracy and cost of advice.
//!
//! - [`intervals`]: coverage of the interval of a ratio.
//! - [`mix`]: advice for a mix of sizes, compared with processes that send the mix.
//! - [`speed`]: time to advise on twenty transports of five machines.

#![expect(clippy::unwrap_used, reason = "a benchmark that cannot go on has nothing better to say")]

mod intervals;
mod mix;
mod speed;

use roundtrip_budget::Part;
use std::process::ExitCode;

const PARTS: [Part; 3] = [("intervals", intervals::rows), ("mix", mix::rows), ("speed", speed::rows)];

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    if let Some(peer) = arguments.iter().position(|argument| argument == "peer") {
        return roundtrip_bench::peer::main(&arguments[peer + 1..]);
    }
    roundtrip_budget::run(&PARTS)
}
