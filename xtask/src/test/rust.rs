//! The Rust side: format, lints, generated files, tests on a real PostgreSQL, documentation.

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
    finished.successful().context("`cargo xtask fmt` repairs this")?;
    Ok(Outcome::Passed)
}

pub(super) fn clippy(step: &Step) -> Result<Outcome> {
    Outcome::of_build(
        &cargo(&["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"]).run(step)?,
    )
}

pub(super) fn docs(step: &Step) -> Result<Outcome> {
    let documentation =
        cargo(&["doc", "--workspace", "--no-deps"]).variable("RUSTDOCFLAGS", "--deny warnings");
    Outcome::of_build(&documentation.run(step)?)
}

pub(super) fn doc_tests(step: &Step) -> Result<Outcome> {
    let finished = cargo(&["test", "--workspace", "--doc", "--no-fail-fast"]).run(step)?;
    Ok(Outcome::of_tests(&finished))
}

/// Builds the programs that `up` starts, as it builds them.
pub(super) fn build_programs(_: &Context, step: &Step) -> Result<Outcome> {
    programs::build(step, &programs::BOTH, Profile::Release)?;
    Ok(Outcome::Prepared)
}

pub(super) fn generated_files_are_fresh(context: &Context, _: &Step) -> Result<Outcome> {
    let stale = generate::stale(&context.tests()?.programs)?;
    if !stale.is_empty() {
        bail!("not what the sources make now: {}; `cargo xtask gen` repairs this", stale.join(", "));
    }
    Ok(Outcome::Passed)
}

/// Builds everything that runs tests, and what the tests start.
pub(super) fn build_tests(context: &Context, step: &Step) -> Result<Outcome> {
    let built = programs::tests(step)?;
    // Only this step sets it.
    let _ = context.tests.set(built);
    Ok(Outcome::Prepared)
}

/// Starts what tests need: a PostgreSQL, and a Python with a mail server.
pub(super) fn start_database(context: &Context, step: &Step) -> Result<Outcome> {
    // Only this step sets it.
    let _ = context.services.set(Services::start(context.tests()?, step)?);
    Ok(Outcome::Prepared)
}

/// Runs one program of tests.
pub(super) fn run_tests(
    context: &Context,
    package: &str,
    target: &str,
    arguments: &[String],
    step: &Step,
) -> Result<Outcome> {
    let services = context.services.get().context("the database of the tests is not started")?;
    let program = context.tests()?.of(package, target)?;
    Ok(Outcome::of_tests(&services.tests(&program, package).arguments(arguments).run(step)?))
}

/// Whether a program of tests has none.
pub(super) fn has_no_tests(program: &Path) -> Result<bool> {
    let listed = Tool::at(program).arguments(["--list"]).run_silently()?.successful()?;
    Ok(listed.output.lines().all(|line| !line.ends_with(": test")))
}

/// The tests of the server against a PostgreSQL that runs already.
pub(super) fn server_tests(database_url: &str, step: &Step) -> Result<Outcome> {
    let finished = cargo(&["test", "--package", programs::SERVER, "--no-fail-fast"])
        .variable("DATABASE_URL", database_url)
        .variable(python::MAIL_SERVER_VARIABLE, python::mail_server(step)?)
        .run(step)?;
    Ok(Outcome::of_tests(&finished))
}

fn cargo(arguments: &[&str]) -> Tool {
    Tool::cargo().arguments(arguments).folder(workspace::root())
}
