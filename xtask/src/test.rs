//! `test`: everything that a contributor needs to trust a change, in one command.
//!
//! A step that fails does not end the run. The last line is always `N passed, N failed`.

pub(crate) mod chromium;
mod contract;
mod end_to_end;
pub(crate) mod linters;
pub(crate) mod rust;
mod web_ui;

use crate::programs::KeptProgram;
use crate::tally::{Outcome, Tally};
use crate::{action, compose, cross, docs, generate, lab, programs, release, screen, up, workspace};
use anyhow::Result;
use std::process::ExitCode;
use std::time::Instant;

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Run the tests of the server alone, against this PostgreSQL: its user must be allowed to create databases.
    ///
    /// In a database with the extension Citus, each test has the whole database, spreads its tables and empties it.
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
}

/// Runs the verb.
///
/// # Errors
/// An interrupt ended it.
pub(crate) fn test(options: &Options) -> Result<ExitCode> {
    let started = Instant::now();
    let mut tally = Tally::default();
    match &options.database_url {
        Some(url) => tally.step("server tests", |step| rust::server_tests(url, step))?,
        None => check_all(&mut tally, &KeptProgram::new()?)?,
    }
    screen::note(&format!("took {}", screen::elapsed(started.elapsed())));
    Ok(tally.close())
}

fn check_all(tally: &mut Tally, kept: &KeptProgram) -> Result<()> {
    tally.step("build folder", |_| workspace::claim_target_folder().map(|()| Outcome::Prepared))?;
    tally.step("rust format", rust::format)?;
    tally.step("web install", web_ui::install)?;
    tally.step("web build", web_ui::build)?;
    tally.step("web scripts", |_| web_ui::scripts_are_few())?;
    tally.step("web licences", |_| release::licences_of_web().map(|_| Outcome::Passed))?;
    tally.step("clippy", rust::clippy)?;
    let mut made = None;
    tally.step("test programs", |step| {
        made = Some(programs::build(step, &generate::PROGRAMS, "dev")?);
        Ok(Outcome::Prepared)
    })?;
    if let Some(made) = &made {
        tally.step("generated", |step| rust::generated_files_are_fresh(made, step))?;
    }
    tally.step("web lint", web_ui::lint)?;
    tally.step("web types", web_ui::types)?;
    tally.step("web tests", web_ui::unit_tests)?;
    if let Some(made) = &made {
        tally.step("rust tests", |step| rust::tests(&made.program(programs::SERVER)?, step))?;
    }
    tally.step("rust docs", rust::docs)?;
    tally.step("workflows", linters::workflows)?;
    tally.step("actions", linters::actions)?;
    tally.step("containers", linters::containers)?;
    tally.step("migrations", linters::migrations)?;
    let mut built = false;
    tally.step("programs", |step| {
        programs::build(step, &up::PROGRAMS, "release")?;
        built = true;
        Ok(Outcome::Prepared)
    })?;
    if built {
        tally.step("API contract", contract::holds)?;
        tally.step("action", action::runs)?;
        lab::run(tally)?;
        compose::run(tally)?;
        docs::run(tally)?;
        end_to_end::run(tally, &kept.path)?;
    }
    cross::run_if_begun(tally, &kept.path)
}
