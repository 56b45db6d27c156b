//! The Rust side: format, lints, generated files, tests on a real PostgreSQL, documentation.

use super::Context;
use crate::counts::{self, Counts};
use crate::screen::Step;
use crate::server::Server;
use crate::tally::Outcome;
use crate::{fmt, generate, programs, python, server, tool::Tool, workspace};
use anyhow::{Context as _, Result, bail};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

pub(super) fn format(_: &Context, step: &Step) -> Result<Outcome> {
    let finished = fmt::rustfmt()?.arguments(["--check"]).run(step)?;
    finished.successful().context("`cargo xtask fmt` repairs this")?;
    Ok(Outcome::Passed)
}

pub(super) fn clippy(step: &Step) -> Result<Outcome> {
    clean(cargo(&["clippy", "--workspace", "--all-targets", "--", "--deny", "warnings"]), step)
}

pub(super) fn docs(step: &Step) -> Result<Outcome> {
    let documentation =
        cargo(&["doc", "--workspace", "--no-deps"]).variable("RUSTDOCFLAGS", "--deny warnings");
    clean(documentation, step)
}

pub(super) fn doc_tests(step: &Step) -> Result<Outcome> {
    let finished = cargo(&["test", "--workspace", "--doc", "--no-fail-fast"]).run(step)?;
    let counts = Counts::of_cargo(&finished.log, finished.status.success());
    Ok(Outcome::Counted(counts, counts::failures(&finished.log)))
}

/// Builds the programs that `up` starts, as it builds them.
pub(super) fn build_programs(_: &Context, step: &Step) -> Result<Outcome> {
    programs::build(step, &programs::BOTH, "release")?;
    Ok(Outcome::Prepared)
}

pub(super) fn generated_files_are_fresh(context: &Context, step: &Step) -> Result<Outcome> {
    let stale = generate::stale(&context.tests()?.programs, step)?;
    if !stale.is_empty() {
        bail!("not what the sources make now: {}; `cargo xtask gen` repairs this", stale.join(", "));
    }
    Ok(Outcome::Passed)
}

/// The PostgreSQL that all tests of a run share. Its data goes when they are done.
pub(super) struct Database {
    server: Server,
    python: PathBuf,
    _folder: TempDir,
}

impl Database {
    /// Stops it in order.
    pub(super) fn stop(self) -> Result<Outcome> {
        let status = self.server.stop()?;
        if !status.success() {
            bail!("the PostgreSQL of the tests did not stop in order ({status})");
        }
        Ok(Outcome::Prepared)
    }
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
    let folder = server::reachable_folder()?;
    let data_folder = folder.path().join("data");
    let server =
        server::start_alone(&context.tests()?.server()?, &["postgres", "--for-tests"], &data_folder, step)
            .context("no PostgreSQL for the tests")?;
    let python = python::mail_server(step)?;
    // Only this step sets it.
    let _ = context.database.set(Database { server, python, _folder: folder });
    Ok(Outcome::Prepared)
}

/// Runs one program of tests as cargo would, in the folder of its package.
pub(super) fn run_tests(
    context: &Context,
    package: &str,
    target: &str,
    arguments: &[String],
    step: &Step,
) -> Result<Outcome> {
    let database = context.database.get().context("the database of the tests is not started")?;
    let folder = workspace::root().join(package);
    let finished = Tool::at(&context.tests()?.of(package, target)?)
        .arguments(arguments)
        .folder(&folder)
        .variable("CARGO_MANIFEST_DIR", &folder)
        .variable("DATABASE_URL", &database.server.ready)
        .variable(python::MAIL_SERVER_VARIABLE, &database.python)
        .run(step)?;
    let counts = Counts::of_cargo(&finished.log, finished.status.success());
    Ok(Outcome::Counted(counts, counts::failures(&finished.log)))
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
    let counts = Counts::of_cargo(&finished.log, finished.status.success());
    Ok(Outcome::Counted(counts, counts::failures(&finished.log)))
}

fn clean(cargo: Tool, step: &Step) -> Result<Outcome> {
    let finished = cargo.run(step)?;
    if !finished.status.success() {
        bail!("{}", programs::complaints(&finished.log));
    }
    Ok(Outcome::Passed)
}

fn cargo(arguments: &[&str]) -> Tool {
    Tool::cargo().arguments(arguments).folder(workspace::root())
}
