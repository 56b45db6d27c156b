//! A peer only, started by the tests of this crate. The `roundtrip` command contains the same code.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    roundtrip_bench::peer::main(&arguments)
}
