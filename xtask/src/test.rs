//! `test`: everything that a contributor needs to trust a change, in one command.
//!
//! A step that fails does not end the run. The last line is always `N passed, N failed`.

mod chromium;
mod counts;
mod end_to_end;
mod linters;
mod rust;
mod tally;
mod web_ui;

use crate::{programs, screen, up, workspace};
use anyhow::{Context, Result};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Instant;
use tally::{Outcome, Tally};
use tempfile::TempDir;

/// Runs the verb.
///
/// # Errors
/// An interrupt ended it.
pub(crate) fn test() -> Result<ExitCode> {
    let started = Instant::now();
    let mut tally = Tally::default();
    let kept = KeptProgram::new()?;
    check_all(&mut tally, &kept)?;
    screen::note(&format!("took {}", screen::elapsed(started.elapsed())));
    println!("{}", tally.closing_line());
    Ok(if tally.all_passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

fn check_all(tally: &mut Tally, kept: &KeptProgram) -> Result<()> {
    tally.step("build folder", |_| workspace::claim_target_folder().map(|()| Outcome::Prepared))?;
    tally.step("rust format", rust::format)?;
    tally.step("web install", web_ui::install)?;
    tally.step("web build", web_ui::build)?;
    tally.step("clippy", rust::clippy)?;
    let mut server = None;
    tally.step("test server", |step| {
        server = Some(programs::build(step, &[programs::SERVER], "dev")?.program(programs::SERVER)?);
        Ok(Outcome::Prepared)
    })?;
    if let Some(server) = &server {
        tally.step("generated", |step| rust::generated_files_are_fresh(server, step))?;
    }
    tally.step("web lint", web_ui::lint)?;
    tally.step("web types", web_ui::types)?;
    tally.step("web tests", web_ui::unit_tests)?;
    if let Some(server) = &server {
        tally.step("rust tests", |step| rust::tests(server, step))?;
    }
    tally.step("rust docs", rust::docs)?;
    tally.step("workflows", linters::workflows)?;
    tally.step("containers", linters::containers)?;
    let mut built = None;
    tally.step("programs", |step| {
        built = Some(programs::build(step, &up::PROGRAMS, "release")?);
        Ok(Outcome::Prepared)
    })?;
    match built {
        Some(_) => end_to_end::run(tally, &kept.path),
        None => Ok(()),
    }
}

/// A copy of this very program. The tests of the workspace build xtask, too, and replace its file meanwhile.
struct KeptProgram {
    path: PathBuf,
    _folder: TempDir,
}

impl KeptProgram {
    fn new() -> Result<Self> {
        let program = std::env::current_exe().context("this program does not know its own path")?;
        let folder = tempfile::tempdir().context("no temporary folder")?;
        let path = folder.path().join(program.file_name().context("this program has no name")?);
        std::fs::copy(&program, &path).with_context(|| format!("cannot copy {}", program.display()))?;
        Ok(Self { path, _folder: folder })
    }
}
