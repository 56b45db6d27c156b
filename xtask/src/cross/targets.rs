//! The targets, with their checks and the tests that can run on this machine. `cargo xtask test` checks the machine itself.

use clap::builder::PossibleValuesParser;
use std::collections::BTreeSet;

/// A system and processor for which programs are built.
pub(super) struct Target {
    pub(super) name: &'static str,
    /// The compiler's name for it.
    pub(super) triple: &'static str,
    pub(super) linker: Linker,
    pub(super) packages: &'static [&'static str],
    /// Whether clippy runs: once for each system, because almost no code depends on the processor.
    pub(super) is_linted: bool,
    pub(super) emulator: Option<Emulator>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Linker {
    /// MinGW; the standard library is built from its sources.
    Mingw,
    /// Zig, which includes the C libraries of other systems; the standard library is built from its sources.
    /// The suffix of the triple is the version of the C library: no newer than that of the emulated system.
    Zig(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Emulator {
    Wine,
    Qemu,
}

/// The server runs PostgreSQL as another user and under a guard process; both need Unix.
const ON_UNIX: &[&str] =
    &["roundtrip-server", "roundtrip-agent", "roundtrip-bench", "roundtrip-stats", "roundtrip-wire", "xtask"];
/// The packages with programs for all systems. Of tests, only theirs are linked.
pub(super) const EVERYWHERE: &[&str] =
    &["roundtrip-agent", "roundtrip-bench", "roundtrip-stats", "roundtrip-wire", "xtask"];

use Emulator::{Qemu, Wine};
use Linker::{Mingw, Zig};
#[rustfmt::skip]
pub(super) static TARGETS: &[Target] = &[
    Target { name: "linux arm64", triple: "aarch64-unknown-linux-gnu", linker: Zig(".2.36"),  packages: ON_UNIX,    is_linted: false, emulator: Some(Qemu) },
    Target { name: "macos arm64", triple: "aarch64-apple-darwin",      linker: Zig(""),       packages: ON_UNIX,    is_linted: true,  emulator: None },
    Target { name: "macos x64",   triple: "x86_64-apple-darwin",       linker: Zig(""),       packages: ON_UNIX,    is_linted: false, emulator: None },
    Target { name: "freebsd x64", triple: "x86_64-unknown-freebsd",    linker: Zig(""),       packages: ON_UNIX,    is_linted: true,  emulator: None },
    Target { name: "windows x64", triple: "x86_64-pc-windows-gnu",     linker: Mingw,         packages: EVERYWHERE, is_linted: true,  emulator: Some(Wine) },
];

/// Tests that run under an emulator.
pub(super) struct Suite {
    pub(super) name: &'static str,
    pub(super) selection: &'static str,
    pub(super) emulators: &'static [Emulator],
    /// Parts of names of tests that QEMU cannot run.
    pub(super) not_in_qemu: &'static [&'static str],
}

/// Tests of confined jobs, of tracing and of replaced programs: QEMU emulates neither namespaces nor `ptrace`, and the
/// kernel cannot start programs for another processor.
const NEED_KERNEL: &[&str] = &["attack::", "confine::", "lab_confined::", "record::", "update::"];
const BOTH: &[Emulator] = &[Qemu, Wine];

/// The ring's models and torture test are left out: an emulator does not reproduce memory order and kills. So are
/// programs with their own transport: they start and end on arm64 as they do here.
#[rustfmt::skip]
pub(super) static SUITES: &[Suite] = &[
    Suite { name: "wire",     selection: "--package=roundtrip-wire --lib --tests",    emulators: BOTH,    not_in_qemu: &[] },
    Suite { name: "stats",    selection: "--package=roundtrip-stats --lib --tests",   emulators: BOTH,    not_in_qemu: &[] },
    Suite { name: "bench",    selection: "--package=roundtrip-bench --lib --test=it", emulators: BOTH,    not_in_qemu: &[] },
    Suite { name: "programs", selection: "--package=roundtrip-bench --test=external", emulators: &[Wine], not_in_qemu: &[] },
    Suite { name: "agent",    selection: "--package=roundtrip-agent --bins",          emulators: BOTH,    not_in_qemu: &[] },
    Suite { name: "commands", selection: "--package=roundtrip-agent --test=it",       emulators: BOTH,    not_in_qemu: NEED_KERNEL },
];

pub(super) fn words() -> PossibleValuesParser {
    let words: BTreeSet<_> = TARGETS.iter().flat_map(|target| target.name.split(' ')).collect();
    PossibleValuesParser::new(words)
}

impl Target {
    pub(super) fn has_word(&self, word: &str) -> bool {
        self.name.split(' ').any(|own| own == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    #[test]
    fn tables_match_the_workspace() {
        let members = ["agents", "benches", "crates/stats", "crates/wire", "server", "xtask"];
        let manifests = members.map(|member| workspace::read(&format!("{member}/Cargo.toml")).unwrap());
        for package in TARGETS.iter().flat_map(|target| target.packages) {
            let line = format!("name = \"{package}\"");
            assert!(manifests.iter().any(|manifest| manifest.lines().any(|found| found == line)), "{line}");
        }
        let triples: BTreeSet<_> = TARGETS.iter().map(|target| target.triple).collect();
        assert_eq!(triples.len(), TARGETS.len(), "every target is listed once");
        let run = |emulator| TARGETS.iter().filter(|target| target.emulator == Some(emulator)).count();
        assert_eq!((run(Wine), run(Qemu)), (1, 1));
        for suite in SUITES {
            let package = suite.selection.strip_prefix("--package=").unwrap().split(' ').next().unwrap();
            assert!(EVERYWHERE.contains(&package), "the tests of {package} are not linked");
        }
    }

    #[test]
    fn selects_targets_by_word() {
        let chosen = |word: &str| TARGETS.iter().filter(|target| target.has_word(word)).count();
        assert_eq!(["windows", "macos", "arm64", "mac", ""].map(chosen), [1, 2, 2, 0, 0]);
    }
}
