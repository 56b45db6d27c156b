//! `cross`: what can be said here about systems that are not here. For each it lints and links; Windows programs then
//! run their tests under Wine, arm64 programs of Linux under QEMU.
//!
//! Times under an emulator are nobody's times: nothing that is measured here leaves this machine.

mod apple;
mod build;
pub(crate) mod debian;
mod qemu;
mod targets;
mod toolchain;
mod upload;
mod wine;

use crate::counts::{self, Counts};
use crate::programs::{self, KeptProgram};
use crate::screen::{self, Step};
use crate::stamp::Stamp;
use crate::tally::{Outcome, Tally};
use crate::tool::Tool;
use crate::workspace;
use anyhow::{Context, Result, bail};
use build::Workshop;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use targets::{Emulator, Linker, SUITES, Suite, TARGETS, Target};
use toolchain::Toolchain;

/// How many inputs a property test draws under an emulator, where each takes forty times as long: enough to see that the
/// system makes no difference. That the property holds is seen on this one, with 256.
const PROPERTY_CASES: &str = "32";

/// What the verb is told.
#[derive(clap::Args)]
pub(crate) struct Options {
    /// Only the targets that have one of these words in their names, such as `windows` or `arm64`.
    #[arg(value_name = "WORD", value_parser = targets::word)]
    words: Vec<String>,
}

/// A program of another system.
#[derive(clap::Args)]
pub(crate) struct Program {
    /// Where it is.
    program: PathBuf,
    /// What it is told.
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

/// Runs the verb.
///
/// # Errors
/// This is another system than the toolchain is for, or an interrupt ended it.
pub(crate) fn cross(options: &Options) -> Result<ExitCode> {
    debian::check_host().context("cross-building")?;
    let started = Instant::now();
    let mut tally = Tally::default();
    let kept = KeptProgram::new()?;
    let mut fetched = None;
    tally.step("toolchain", |step| {
        fetched = Some(Toolchain::fetch(step)?);
        Ok(Outcome::Prepared)
    })?;
    if let Some(toolchain) = fetched {
        let wanted = |target: &&Target| {
            options.words.is_empty() || options.words.iter().any(|word| target.has_word(word))
        };
        let targets = TARGETS.iter().filter(wanted);
        check_all(&mut tally, &Workshop::new(toolchain, &kept.path)?, Memory::None, targets)?;
    }
    screen::note(&format!("took {}", screen::elapsed(started.elapsed())));
    Ok(tally.close())
}

/// The steps of the verb that `test` adds to its own, where it was run before: the toolchain is too large to come unasked,
/// and what is built with it takes most of an hour the first time. What is built for this machine's own system has been
/// checked by then, and what has passed before is not run again for the same.
///
/// # Errors
/// An interrupt ended it.
pub(crate) fn run_if_begun(tally: &mut Tally, program: &Path) -> Result<()> {
    let mut found = None;
    tally.step("cross", |_| {
        if let Err(reason) = debian::check_host() {
            return Ok(Outcome::Skipped(format!("not run: {reason}")));
        }
        let workshop = Toolchain::cached()?.map(|toolchain| Workshop::new(toolchain, program)).transpose()?;
        found = workshop.filter(Workshop::is_begun);
        Ok(match &found {
            Some(_) => Outcome::Prepared,
            None => Outcome::Skipped("not run: `cargo xtask cross` comes first, once".into()),
        })
    })?;
    let Some(workshop) = found else { return Ok(()) };
    let others = TARGETS.iter().filter(|target| target.linker != Linker::Host);
    check_all(tally, &workshop, Memory::Passed, others)
}

/// Runs a Windows program.
///
/// # Errors
/// The toolchain was not fetched, or Wine does not start.
pub(crate) fn run_windows(program: &Program) -> Result<ExitCode> {
    wine::run(&fetched()?, program)
}

/// Runs an arm64 program of Linux.
///
/// # Errors
/// The toolchain was not fetched, or QEMU does not start.
pub(crate) fn run_arm64(program: &Program) -> Result<ExitCode> {
    qemu::run(&fetched()?, program)
}

fn fetched() -> Result<Toolchain> {
    debian::check_host().context("running programs of another system")?;
    Toolchain::cached()?.context("the toolchain is not fetched: `cargo xtask cross` fetches it")
}

/// All steps for these targets.
fn check_all(
    tally: &mut Tally,
    workshop: &Workshop,
    memory: Memory,
    targets: impl IntoIterator<Item = &'static Target>,
) -> Result<()> {
    if let Some(version) = workshop.toolchain.rust_version() {
        screen::note(&format!("Rust {version} in {}", workshop.toolchain.root().display()));
    }
    let mut digests = None;
    tally.step("build folder", |_| {
        workshop.claim()?;
        digests = Some((digest_of(SUITE)?, digest_of(ALL)?));
        Ok(Outcome::Prepared)
    })?;
    let Some((suite_digest, digest)) = digests else { return Ok(()) };
    let mut run = |what: &str, digest: &str, check: &dyn Fn(&Step) -> Result<Outcome>| {
        memory.step(tally, &Stamp::new(workshop.stamp(what), digest.to_owned()), what, check)
    };
    for target in targets {
        let name = target.name;
        run(&format!("{name} lint"), &digest, &|step| lint(workshop, target, step))?;
        let linked = run(&format!("{name} link"), &digest, &|step| link(workshop, target, step))?;
        let Some(emulator) = target.emulator.filter(|_| linked) else { continue };
        // Linux on another processor is the Linux that was tested; and whoever waits for `test` has seen the whole before.
        let is_brief = emulator == Emulator::Qemu || memory == Memory::Passed;
        for suite in SUITES.iter().filter(|suite| suite.emulators.contains(&emulator)) {
            let name = format!("{name} {}", suite.name);
            run(&name, &suite_digest, &|step| test(workshop, target, suite, is_brief, step))?;
        }
        if emulator == Emulator::Wine {
            run(&format!("{name} upload"), &digest, &|step| upload::from_windows(workshop, step))?;
        }
    }
    Ok(())
}

/// What the suite and its tests are made from, and what runs them.
const SUITE: &[&str] = &[".cargo/", "Cargo.", "agents/", "benches/", "crates/", "xtask/"];

/// What every program is made from.
const ALL: &[&str] =
    &[".cargo/", "Cargo.", "agents/", "benches/", "crates/", "migrations/", "server/", "xtask/"];

/// The digest of the checkout's files whose paths begin with one of these.
fn digest_of(beginnings: &[&str]) -> Result<String> {
    let files = workspace::files()?;
    let files = files.iter().filter(|file| beginnings.iter().any(|beginning| file.starts_with(beginning)));
    workspace::digest(&files.map(|file| workspace::root().join(file)).collect::<Vec<_>>())
}

/// Whether a step is run that has passed before.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Memory {
    /// Always.
    None,
    /// If something has changed since that it is made from: with an emulator, tests take many times as long.
    Passed,
}

impl Memory {
    /// Runs a step, and says whether it has passed, now or before.
    fn step(
        self,
        tally: &mut Tally,
        stamp: &Stamp,
        name: &str,
        check: &dyn Fn(&Step) -> Result<Outcome>,
    ) -> Result<bool> {
        let mut passed = false;
        tally.step(name, |step| {
            passed = self == Self::Passed && stamp.is_current();
            if passed {
                return Ok(Outcome::Skipped("passed before, and nothing has changed since".into()));
            }
            let outcome = check(step)?;
            passed = outcome.is_good();
            if passed {
                stamp.write()?;
            }
            Ok(outcome)
        })?;
        Ok(passed)
    }
}

fn lint(workshop: &Workshop, target: &Target, step: &Step) -> Result<Outcome> {
    let clippy = of_packages(workshop.cargo(target, "clippy")?, target);
    built(clippy.arguments(["--all-targets", "--", "--deny", "warnings"]), step)?;
    Ok(Outcome::Passed)
}

fn link(workshop: &Workshop, target: &Target, step: &Step) -> Result<Outcome> {
    built(of_packages(workshop.cargo(target, "build")?, target), step)?;
    built(of_packages(workshop.cargo(target, "test")?, target).arguments(["--no-run"]), step)?;
    Ok(Outcome::Passed)
}

fn test(workshop: &Workshop, target: &Target, suite: &Suite, is_brief: bool, step: &Step) -> Result<Outcome> {
    let cargo = workshop.cargo(target, "test")?.arguments(suite.selection).arguments(["--no-fail-fast"]);
    let cargo = cargo.variable("PROPTEST_CASES", PROPERTY_CASES);
    let cargo = if is_brief { cargo.variable("ROUNDTRIP_CONFORMANCE", "brief") } else { cargo };
    let finished = cargo.run(step)?;
    let counts = Counts::of_cargo(&finished.log, finished.status.success());
    Ok(Outcome::Counted(counts, counts::failures(&finished.log)))
}

fn of_packages(cargo: Tool, target: &Target) -> Tool {
    cargo.arguments(target.packages.iter().flat_map(|package| ["--package", package]))
}

fn built(cargo: Tool, step: &Step) -> Result<()> {
    let finished = cargo.run(step)?;
    if !finished.status.success() {
        bail!("{}", programs::complaints(&finished.log));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::Cell;

    #[test]
    fn what_has_passed_is_not_run_again_for_the_same_unless_all_is_to_run() {
        let folder = tempfile::tempdir().unwrap();
        let runs = Cell::new(0);
        let step = |memory: Memory, name: &str, counts: Counts| {
            let check = |_: &Step| {
                runs.set(runs.get() + 1);
                Ok(Outcome::Counted(counts.clone(), String::new()))
            };
            let stamp = Stamp::new(folder.path().join(name), "the same".into());
            memory.step(&mut Tally::default(), &stamp, name, &check).unwrap()
        };
        let passed = || Counts { passed: 3, ..Counts::default() };
        let failed = || Counts { passed: 3, failed: 1, ..Counts::default() };
        assert!(!step(Memory::Passed, "a", failed()), "it failed");
        assert!(step(Memory::Passed, "a", passed()), "it runs until it passes");
        assert!(step(Memory::Passed, "a", failed()), "it has passed for the same");
        assert!(step(Memory::Passed, "b", passed()), "another step has not");
        assert_eq!(runs.get(), 3);
        assert!(step(Memory::None, "a", passed()));
        assert_eq!(runs.get(), 4);
    }
}
