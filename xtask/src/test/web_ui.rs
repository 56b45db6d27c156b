//! The web side: install, build, lint, types, unit tests.

use crate::counts::Counts;
use crate::screen::Step;
use crate::tally::Outcome;
use crate::web;
use anyhow::{Context, Result};

pub(super) fn install(step: &Step) -> Result<Outcome> {
    web::install(step)?;
    Ok(Outcome::Prepared)
}

pub(super) fn build(step: &Step) -> Result<Outcome> {
    web::build(step)?;
    Ok(Outcome::Passed)
}

pub(super) fn lint(step: &Step) -> Result<Outcome> {
    let finished = web::npm(&["run", "lint"])?.run(step)?;
    finished.successful().context("`cargo xtask fmt` repairs what is only form")?;
    Ok(Outcome::Passed)
}

pub(super) fn types(step: &Step) -> Result<Outcome> {
    web::npm(&["run", "typecheck"])?.run(step)?.successful()?;
    Ok(Outcome::Passed)
}

pub(super) fn unit_tests(step: &Step) -> Result<Outcome> {
    let folder = tempfile::tempdir().context("no temporary folder")?;
    let report = folder.path().join("vitest.json");
    let output_file = format!("--outputFile.json={}", report.display());
    let arguments = ["run", "test", "--", "--reporter=default", "--reporter=json", &output_file];
    let finished = web::npm(&arguments)?.run(step)?;
    let report = std::fs::read_to_string(&report).unwrap_or_default();
    let counts = Counts::of_vitest(&report, finished.status.success()).context(finished.log.clone())?;
    Ok(Outcome::Counted(counts, finished.log))
}
