//! The list of targets: what is checked for each, and what can be run of it here.

/// One system and processor that the programs are built for.
pub(super) struct Target {
    /// As it is shown.
    pub(super) name: &'static str,
    /// As the compiler calls it.
    pub(super) triple: &'static str,
    /// Who links its programs.
    pub(super) linker: Linker,
    /// The packages that are to build for it.
    pub(super) packages: &'static [&'static str],
    /// Who runs its programs, if anyone can here.
    pub(super) emulator: Option<Emulator>,
}

/// Who links programs for a target.
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

/// Who runs programs for a target.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Emulator {
    /// Wine, for Windows.
    Wine,
    /// QEMU, for Linux on another processor.
    Qemu,
}

/// What every system can have.
const EVERYWHERE: &[&str] =
    &["roundtrip-agent", "roundtrip-bench", "roundtrip-stats", "roundtrip-wire", "xtask"];

/// The server runs PostgreSQL as another user and under a watchdog, both of which are Unix.
const ON_UNIX: &[&str] =
    &["roundtrip-agent", "roundtrip-bench", "roundtrip-server", "roundtrip-stats", "roundtrip-wire", "xtask"];

pub(super) static TARGETS: &[Target] = &[
    Target {
        name: "linux x64",
        triple: "x86_64-unknown-linux-gnu",
        linker: Linker::Host,
        packages: ON_UNIX,
        // `cargo xtask test` runs them without any emulator.
        emulator: None,
    },
    Target {
        name: "linux arm64",
        triple: "aarch64-unknown-linux-gnu",
        linker: Linker::Zig(".2.36"),
        packages: ON_UNIX,
        emulator: Some(Emulator::Qemu),
    },
    Target {
        name: "macos arm64",
        triple: "aarch64-apple-darwin",
        linker: Linker::Zig(""),
        packages: ON_UNIX,
        emulator: None,
    },
    Target {
        name: "macos x64",
        triple: "x86_64-apple-darwin",
        linker: Linker::Zig(""),
        packages: ON_UNIX,
        emulator: None,
    },
    Target {
        name: "freebsd x64",
        triple: "x86_64-unknown-freebsd",
        linker: Linker::Zig(""),
        packages: ON_UNIX,
        emulator: None,
    },
    Target {
        name: "windows x64",
        triple: "x86_64-pc-windows-gnu",
        linker: Linker::Mingw,
        packages: EVERYWHERE,
        emulator: Some(Emulator::Wine),
    },
];

/// Tests that are run under an emulator.
pub(super) struct Suite {
    /// As it is shown.
    pub(super) name: &'static str,
    /// What cargo is told to test.
    pub(super) selection: &'static [&'static str],
    /// Under which.
    pub(super) emulators: &'static [Emulator],
}

const BOTH: &[Emulator] = &[Emulator::Qemu, Emulator::Wine];

/// The ring's models and its torture are about orders of memory and about killing, of which an emulator tells
/// nothing. Programs that bring a transport are started and watched on arm64 as on the processor of this machine.
pub(super) static SUITES: &[Suite] = &[
    Suite { name: "wire", selection: &["--package=roundtrip-wire", "--lib", "--tests"], emulators: BOTH },
    Suite { name: "stats", selection: &["--package=roundtrip-stats", "--lib", "--tests"], emulators: BOTH },
    Suite { name: "bench", selection: &["--package=roundtrip-bench", "--lib", "--test=it"], emulators: BOTH },
    Suite {
        name: "programs",
        selection: &["--package=roundtrip-bench", "--test=external"],
        emulators: &[Emulator::Wine],
    },
    Suite { name: "agent", selection: &["--package=roundtrip-agent", "--bins", "--tests"], emulators: BOTH },
];

/// Reads a word by which targets are chosen.
///
/// # Errors
/// None has it in its name: which names there are.
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

    /// As the compiler's configuration writes it in names of variables.
    pub(super) fn in_variables(&self) -> String {
        self.triple.to_ascii_uppercase().replace('-', "_")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::workspace;

    #[test]
    fn every_package_of_the_list_is_one_of_the_workspace() {
        let members = ["agents", "benches", "crates/stats", "crates/wire", "server", "xtask"];
        let manifests = members.map(|member| {
            std::fs::read_to_string(workspace::root().join(member).join("Cargo.toml")).unwrap()
        });
        for target in TARGETS {
            for package in target.packages {
                let line = format!("name = \"{package}\"");
                assert!(
                    manifests.iter().any(|manifest| manifest.lines().any(|found| found == line)),
                    "{line}"
                );
            }
        }
    }

    #[test]
    fn every_target_is_listed_once_and_two_can_be_run() {
        let mut triples: Vec<_> = TARGETS.iter().map(|target| target.triple).collect();
        triples.sort_unstable();
        triples.dedup();
        assert_eq!(triples.len(), TARGETS.len());
        let run = |emulator| TARGETS.iter().filter(|target| target.emulator == Some(emulator)).count();
        assert_eq!((run(Emulator::Wine), run(Emulator::Qemu)), (1, 1));
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
                let package = suite.selection[0].strip_prefix("--package=").unwrap();
                assert!(target.packages.contains(&package), "{package} for {}", target.name);
            }
        }
    }
}
