//! What verbs that consist of checks share: preparing, and running checks on one fixture.

use crate::screen::{self, Step};
use crate::tally::{Outcome, Tally};
use crate::{programs, web, workspace};
use anyhow::{Result, anyhow};
use std::process::ExitCode;
use std::time::Instant;

/// A check of a fixture; it may change it for the next.
pub(crate) type Check<F> = fn(&F, &Step) -> Result<()>;

/// Runs a verb that consists of steps, and prints how many passed.
pub(crate) fn verb(steps: impl FnOnce(&mut Tally) -> Result<()>) -> Result<ExitCode> {
    let started = Instant::now();
    let mut tally = Tally::default();
    tally.step("build folder", |_| workspace::claim_target_folder().map(|()| Outcome::Prepared))?;
    steps(&mut tally)?;
    screen::note(&format!("took {}", screen::elapsed(started.elapsed())));
    Ok(tally.close())
}

/// Builds the released agent and server, with the web interface that the server carries.
pub(crate) fn build(tally: &mut Tally) -> Result<()> {
    tally.step("web UI", |step| web::build(step).map(|_| Outcome::Prepared))?;
    tally
        .step("programs", |step| programs::build(step, &programs::BOTH, "release").map(|_| Outcome::Prepared))
}

/// Makes something that further steps need; none if that fails.
pub(crate) fn prepare<T>(
    tally: &mut Tally,
    name: &str,
    make: impl FnOnce(&Step) -> Result<T>,
) -> Result<Option<T>> {
    let mut made = None;
    tally.step(name, |step| {
        made = Some(make(step)?);
        Ok(Outcome::Prepared)
    })?;
    Ok(made)
}

/// Runs checks on one fixture, each of which needs the one before; the first that fails shows the fixture's logs, and is the last.
/// Whether all passed.
pub(crate) fn run<F>(
    tally: &mut Tally,
    checks: &[(&str, Check<F>)],
    fixture: &F,
    logs: impl Fn(&F) -> String,
) -> Result<bool> {
    for (name, check) in checks {
        let mut has_passed = false;
        tally.step(name, |step| {
            check(fixture, step).map_err(|error| anyhow!("{error:#}\n{}", logs(fixture)))?;
            has_passed = true;
            Ok(Outcome::Passed)
        })?;
        if !has_passed {
            return Ok(false);
        }
    }
    Ok(true)
}
