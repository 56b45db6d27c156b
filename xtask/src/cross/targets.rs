//! The table of targets: what is checked for each, and what can be run of it here.

/// One system and processor that the programs are built for.
pub(super) struct Target {
    pub(super) name: &'static str,
    /// As the compiler calls it.
    pub(super) triple: &'static str,
    pub(super) linker: Linker,
    /// The packages that must build for it.
    pub(super) packages: &'static [&'static str],
    /// What runs its programs, if anything can here.
    pub(super) emulator: Option<Emulator>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Linker {
    /// The linker of this machine, with the compiler's own standard library.
    Host,
    /// MinGW; the standard library is built from its sources.
    Mingw,
    /// Zig, which brings the C libraries of other systems; the standard library is built from its sources. The
    /// suffix of the triple is the version of the C library: no newer than that of the emulated system.
    Zig(&'static str),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Emulator {
    /// Wine, for Windows.
    Wine,
    /// QEMU, for Linux on another processor.
    Qemu,
}

/// The server runs PostgreSQL as another user and under a watchdog, both of which are Unix.
const ON_UNIX: &[&str] =
    &["roundtrip-server", "roundtrip-agent", "roundtrip-bench", "roundtrip-stats", "roundtrip-wire", "xtask"];
const EVERYWHERE: &[&str] =
    &["roundtrip-agent", "roundtrip-bench", "roundtrip-stats", "roundtrip-wire", "xtask"];

use Emulator::{Qemu, Wine};
use Linker::{Host, Mingw, Zig};
const fn target(
    name: &'static str,
    triple: &'static str,
    linker: Linker,
    packages: &'static [&'static str],
    emulator: Option<Emulator>,
) -> Target {
    Target { name, triple, linker, packages, emulator }
}

#[rustfmt::skip]
pub(super) static TARGETS: &[Target] = &[
    // `cargo xtask test` runs the tests of this machine's own system.
    target("linux x64",   "x86_64-unknown-linux-gnu",  Host,         ON_UNIX,    None),
    target("linux arm64", "aarch64-unknown-linux-gnu", Zig(".2.36"), ON_UNIX,    Some(Qemu)),
    target("macos arm64", "aarch64-apple-darwin",      Zig(""),      ON_UNIX,    None),
    target("macos x64",   "x86_64-apple-darwin",       Zig(""),      ON_UNIX,    None),
    target("freebsd x64", "x86_64-unknown-freebsd",    Zig(""),      ON_UNIX,    None),
    target("windows x64", "x86_64-pc-windows-gnu",     Mingw,        EVERYWHERE, Some(Wine)),
];

/// Tests that are run under an emulator.
pub(super) struct Suite {
    pub(super) name: &'static str,
    /// Arguments of `cargo test`.
    pub(super) selection: &'static str,
    pub(super) emulators: &'static [Emulator],
}

const BOTH: &[Emulator] = &[Qemu, Wine];

/// The ring's models and its torture test orders of memory and killing, of which an emulator shows
/// nothing. Programs that bring a transport are started and watched on arm64 as on the processor of this machine.
#[rustfmt::skip]
pub(super) static SUITES: &[Suite] = &[
    Suite { name: "wire",     selection: "--package=roundtrip-wire --lib --tests",    emulators: BOTH },
    Suite { name: "stats",    selection: "--package=roundtrip-stats --lib --tests",   emulators: BOTH },
    Suite { name: "bench",    selection: "--package=roundtrip-bench --lib --test=it", emulators: BOTH },
    Suite { name: "programs", selection: "--package=roundtrip-bench --test=external", emulators: &[Wine] },
    Suite { name: "agent",    selection: "--package=roundtrip-agent --bins --tests",  emulators: BOTH },
];

/// Reads a word by which targets are chosen.
pub(super) fn word(text: &str) -> Result<String, String> {
    if TARGETS.iter().any(|target| target.has_word(text)) {
        return Ok(text.to_owned());
    }
    let names: Vec<_> = TARGETS.iter().map(|target| target.name).collect();
    Err(format!("expected a word of one of these: {}", names.join(", ")))
}

impl Target {
    /// Whether its name has this word.
    pub(super) fn has_word(&self, word: &str) -> bool {
        self.name.split(' ').any(|own| own == word)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    #[test]
    fn every_package_of_the_table_is_one_of_the_workspace() {
        let members = ["agents", "benches", "crates/stats", "crates/wire", "server", "xtask"];
        let manifests = members.map(|member| workspace::read(&format!("{member}/Cargo.toml")).unwrap());
        for package in TARGETS.iter().flat_map(|target| target.packages) {
            let line = format!("name = \"{package}\"");
            let has_line = |manifest: &String| manifest.lines().any(|found| found == line);
            assert!(manifests.iter().any(has_line), "{line}");
        }
    }

    #[test]
    fn every_target_is_listed_once_and_two_can_be_run() {
        let mut triples: Vec<_> = TARGETS.iter().map(|target| target.triple).collect();
        triples.sort_unstable();
        triples.dedup();
        assert_eq!(triples.len(), TARGETS.len());
        let run = |emulator| TARGETS.iter().filter(|target| target.emulator == Some(emulator)).count();
        assert_eq!((run(Wine), run(Qemu)), (1, 1));
    }

    #[test]
    fn targets_are_chosen_by_the_words_of_their_names() {
        let chosen = |word: &str| TARGETS.iter().filter(|target| target.has_word(word)).count();
        assert_eq!(["windows", "macos", "arm64", "mac", ""].map(chosen), [1, 2, 2, 0, 0]);
        assert_eq!(word("freebsd").unwrap(), "freebsd");
        let refused = word("solaris").unwrap_err();
        assert!(refused.starts_with("expected a word of one of these: linux x64, linux arm64,"), "{refused}");
    }

    #[test]
    fn what_is_tested_is_also_linked() {
        for target in TARGETS.iter().filter(|target| target.emulator.is_some()) {
            for suite in SUITES {
                let package = suite.selection.strip_prefix("--package=").unwrap().split(' ').next().unwrap();
                assert!(target.packages.contains(&package), "{package} for {}", target.name);
            }
        }
    }
}
