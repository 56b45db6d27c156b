//! `lab`: the loop of a pull request, for real: a server that is a GitHub App, two agents that build and measure what is
//! pushed, and what is said of it. GitHub alone is played, by `github-fake`.
//!
//! # Codemap
//! - [`scenes`]: what happens, and what must have come of it. [`world`]: who takes part; all of them end with it.
//! - [`repository`]: what is measured. [`program`]: a process, with what it wrote.

mod program;
mod repository;
mod scenes;
mod world;

use crate::programs::{self, Built};
use crate::tally::{Outcome, Tally};
use crate::{platform, tool, workspace};
use anyhow::Result;
use std::process::ExitCode;
use world::World;

/// Runs the verb.
///
/// # Errors
/// An interrupt ended it.
pub(crate) fn lab() -> Result<ExitCode> {
    let mut tally = Tally::default();
    tally.step("build folder", |_| workspace::claim_target_folder().map(|()| Outcome::Prepared))?;
    let mut built = None;
    tally.step("programs", |step| {
        built = Some(programs::tests(step)?.programs);
        Ok(Outcome::Prepared)
    })?;
    if let Some(built) = built {
        run(&built, &mut tally)?;
    }
    Ok(tally.close())
}

/// Runs the steps with the programs of the tests; each needs the one before. A step that fails shows what
/// server and agents wrote.
///
/// # Errors
/// An interrupt ended it.
pub(crate) fn run(built: &Built, tally: &mut Tally) -> Result<()> {
    if let Some(reason) = cannot_run() {
        return tally.step("lab", |_| Ok(Outcome::Skipped(reason)));
    }
    let mut made = None;
    tally.step("lab", |step| {
        made = Some(World::make(built, step)?);
        Ok(Outcome::Prepared)
    })?;
    let Some(world) = made else { return Ok(()) };
    if !tally.scenes(&scenes::ALL, &world, World::logs)? {
        return Ok(());
    }
    tally.step("lab: end", |_| world.end(scenes::written_in_the_end).map(|()| Outcome::Passed))
}

fn cannot_run() -> Option<String> {
    if !matches!(std::env::consts::OS, "linux" | "macos") {
        return Some("not run: this system has no server".into());
    }
    // Elsewhere than on Linux nobody has tried to run a commit without rights.
    if platform::is_root() && std::env::consts::OS != "linux" {
        return Some("not run: as root, commits are run without rights, on Linux alone".into());
    }
    let missing = ["cc", "git"].into_iter().find(|name| tool::find(name).is_err())?;
    Some(format!("not run: {missing} is missing, with which commits are built"))
}
