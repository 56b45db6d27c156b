//! `cross`: what can be said here about systems that are not here. For each it lints and links; Windows programs then
//! run their tests under Wine, arm64 programs of Linux under QEMU.
//!
//! Times under an emulator are nobody's times: nothing that is measured here leaves this machine.

mod apple;
mod build;
mod debian;
mod qemu;
mod targets;
mod toolchain;
mod upload;
mod wine;

use crate::counts::{self, Counts};
use crate::programs::{self, KeptProgram};
use crate::screen::{self, Step};
use crate::tally::{Outcome, Tally};
use crate::tool::Tool;
use anyhow::{Context, Result, bail};
use build::Workshop;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::Instant;
use targets::{Emulator, Linker, SUITES, Suite, TARGETS, Target};
use toolchain::Toolchain;

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
pub(crate) fn cross() -> Result<ExitCode> {
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
        check_all(&mut tally, &toolchain, &kept.path, TARGETS)?;
    }
    screen::note(&format!("took {}", screen::elapsed(started.elapsed())));
    println!("{}", tally.closing_line());
    Ok(if tally.all_passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// The steps of the verb that `test` adds to its own, where the toolchain was fetched before: it is too large to come
/// unasked. What is built for this machine's own system has been checked by then.
///
/// # Errors
/// An interrupt ended it.
pub(crate) fn run_if_fetched(tally: &mut Tally, program: &Path) -> Result<()> {
    let mut found = None;
    tally.step("cross", |_| {
        if let Err(reason) = debian::check_host() {
            return Ok(Outcome::Skipped(format!("not run: {reason}")));
        }
        found = Toolchain::cached()?;
        Ok(match &found {
            Some(_) => Outcome::Prepared,
            None => Outcome::Skipped(
                "not run: the toolchain is not fetched (cargo xtask cross fetches it)".into(),
            ),
        })
    })?;
    match found {
        Some(toolchain) => check_all(
            tally,
            &toolchain,
            program,
            TARGETS.iter().filter(|target| target.linker != Linker::Host),
        ),
        None => Ok(()),
    }
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

fn check_all(
    tally: &mut Tally,
    toolchain: &Toolchain,
    program: &Path,
    targets: impl IntoIterator<Item = &'static Target>,
) -> Result<()> {
    if let Some(version) = toolchain.rust_version() {
        screen::note(&format!("Rust {version} in {}", toolchain.root().display()));
    }
    let workshop = Workshop::new(toolchain, program)?;
    tally.step("build folder", |_| workshop.claim().map(|()| Outcome::Prepared))?;
    for target in targets {
        tally.step(&format!("{} lint", target.name), |step| lint(&workshop, target, step))?;
        let mut linked = false;
        tally.step(&format!("{} link", target.name), |step| {
            link(&workshop, target, step)?;
            linked = true;
            Ok(Outcome::Passed)
        })?;
        if !linked || target.emulator.is_none() {
            continue;
        }
        for suite in SUITES {
            tally.step(&format!("{} {}", target.name, suite.name), |step| {
                test(&workshop, target, suite, step)
            })?;
        }
        if target.emulator == Some(Emulator::Wine) {
            tally.step(&format!("{} upload", target.name), |step| upload::from_windows(&workshop, step))?;
        }
    }
    Ok(())
}

fn lint(workshop: &Workshop, target: &Target, step: &Step) -> Result<Outcome> {
    let clippy = of_packages(workshop.cargo(target, "clippy")?, target);
    built(clippy.arguments(["--all-targets", "--", "--deny", "warnings"]), step)?;
    Ok(Outcome::Passed)
}

fn link(workshop: &Workshop, target: &Target, step: &Step) -> Result<()> {
    built(of_packages(workshop.cargo(target, "build")?, target), step)?;
    built(of_packages(workshop.cargo(target, "test")?, target).arguments(["--no-run"]), step)
}

fn test(workshop: &Workshop, target: &Target, suite: &Suite, step: &Step) -> Result<Outcome> {
    let cargo = workshop.cargo(target, "test")?.arguments(suite.selection).arguments(["--no-fail-fast"]);
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
