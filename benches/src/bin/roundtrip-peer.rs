//! A peer and nothing else: what the tests of this crate start. The `roundtrip` command has the same inside.

use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    roundtrip_bench::peer::main(&arguments)
}
