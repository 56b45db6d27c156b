//! The Rust steps: format, lints, generated files, tests with a real PostgreSQL, documentation.

use super::Context;
use crate::fixture::Services;
use crate::programs::{self, Profile};
use crate::screen::Step;
use crate::tally::Outcome;
use crate::{fmt, generate, python, tool::Tool, workspace};
use anyhow::{Context as _, Result, bail};
use std::path::Path;

pub(super) fn format(_: &Context, step: &Step) -> Result<Outcome> {
    let finished = fmt::rustfmt()?.arguments(["--check"]).run(step)?;
    finished.successful().context("run `cargo xtask fmt`")?;
    Ok(Outcome::Passed)
}

pub(super) fn clippy(step: &Step) -> Result<Outcome> {
    Outcome::from_build(
        &cargo(&["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"]).run(step)?,
    )
}

pub(super) fn docs(step: &Step) -> Result<Outcome> {
    let documentation =
        cargo(&["doc", "--workspace", "--no-deps"]).variable("RUSTDOCFLAGS", "--deny warnings");
    Outcome::from_build(&documentation.run(step)?)
}

pub(super) fn doc_tests(step: &Step) -> Result<Outcome> {
    let finished = cargo(&["test", "--workspace", "--doc", "--no-fail-fast"]).run(step)?;
    Ok(Outcome::from_tests(&finished))
}

/// Builds the agent and the server like `up`.
pub(super) fn build_programs(_: &Context, step: &Step) -> Result<Outcome> {
    programs::build(step, &programs::BOTH, Profile::Dev)?;
    Ok(Outcome::Prepared)
}

pub(super) fn generated_files_are_fresh(context: &Context, _: &Step) -> Result<Outcome> {
    let stale = generate::stale(&context.tests()?.programs)?;
    if !stale.is_empty() {
        bail!("out of date: {}. Run `cargo xtask gen`.", stale.join(", "));
    }
    Ok(Outcome::Passed)
}

/// Builds all test programs and the programs that tests start.
pub(super) fn build_tests(context: &Context, step: &Step) -> Result<Outcome> {
    let built = programs::tests(step)?;
    // Only this step sets it.
    let _ = context.tests.set(built);
    Ok(Outcome::Prepared)
}

/// Starts the services of the tests: PostgreSQL, and Python with a mail server.
pub(super) fn start_database(context: &Context, step: &Step) -> Result<Outcome> {
    // Only this step sets it.
    let _ = context.services.set(Services::start(context.tests()?, step)?);
    Ok(Outcome::Prepared)
}

/// Runs one test program.
pub(super) fn run_tests(
    context: &Context,
    package: &str,
    target: &str,
    arguments: &[String],
    step: &Step,
) -> Result<Outcome> {
    let services = context.services.get().context("the test database is not running")?;
    let program = context.tests()?.test_program(package, target)?;
    Ok(Outcome::from_tests(&services.tests(&program, package).arguments(arguments).run(step)?))
}

/// Whether a test program has no tests.
pub(super) fn has_no_tests(program: &Path) -> Result<bool> {
    let listed = Tool::at(program).arguments(["--list"]).run_silently()?.successful()?;
    Ok(listed.output.lines().all(|line| !line.ends_with(": test")))
}

/// Runs the server's tests with an existing PostgreSQL.
pub(super) fn server_tests(database_url: &str, step: &Step) -> Result<Outcome> {
    let finished = cargo(&["test", "--package", programs::SERVER, "--no-fail-fast"])
        .variable("DATABASE_URL", database_url)
        .variable(python::MAIL_SERVER_VARIABLE, python::mail_server(step)?)
        .run(step)?;
    Ok(Outcome::from_tests(&finished))
}

fn cargo(arguments: &[&str]) -> Tool {
    Tool::cargo().arguments(arguments).folder(workspace::root())
}
