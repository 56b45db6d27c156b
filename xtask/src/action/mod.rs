//! `action`: the action for GitHub and the steps of our workflows, run for real: against a server that is started for it, in
//! checkouts of a small repository, with the files and variables that a runner gives. GitHub alone is played.
//!
//! # Codemap
//! - [`document`]: what an action and a workflow say. [`expression`]: `${{ }}`, as far as they use it.
//! - [`job`]: a job, and the steps that run in it. [`world`]: what they find: server, issuer, release, repository.
//! - [`scenes`]: what is played, and what must have come of it.

pub(crate) mod document;
mod expression;
mod job;
mod scenes;
mod world;

use crate::programs::{self, Built};
use crate::screen::Step;
use crate::tally::{Outcome, Tally};
use crate::test::linters;
use crate::{tool, workspace};
use anyhow::Result;
use std::process::ExitCode;
use world::World;

/// Runs the verb.
///
/// # Errors
/// An interrupt ended it.
pub(crate) fn action() -> Result<ExitCode> {
    let mut tally = Tally::default();
    tally.step("build folder", |_| workspace::claim_target_folder().map(|()| Outcome::Prepared))?;
    tally.step("workflows", linters::workflows)?;
    tally.step("actions", linters::actions)?;
    tally.step("action", |step| runs(&programs::tests(step)?.programs, step))?;
    Ok(tally.close())
}

/// Plays all scenes with the programs of the tests.
///
/// # Errors
/// One does not end as it must; the error holds what the steps wrote.
pub(crate) fn runs(built: &Built, step: &Step) -> Result<Outcome> {
    // There is no runner for FreeBSD, and no server for Windows.
    if !matches!(std::env::consts::OS, "linux" | "macos") {
        return Ok(Outcome::Skipped("not run: this system has no runner of GitHub, or no server".into()));
    }
    for name in ["bash", "curl", "git", "tar"] {
        if tool::find(name).is_err() {
            return Ok(Outcome::Skipped(format!("not run: {name} is missing, which the action uses")));
        }
    }
    let world = World::make(built, step)?;
    scenes::play(&world, step)?;
    Ok(Outcome::Passed)
}
