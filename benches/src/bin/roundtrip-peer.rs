//! A peer and nothing else: what the tests of this crate start. The `roundtrip` command has the same inside.

use std::process::ExitCode;

fn main() -> ExitCode {
    roundtrip_bench::peer::main()
}
