//! The Rust side: format, lints, generated files, tests on a real PostgreSQL, documentation.

use crate::counts::{self, Counts};
use crate::programs::Built;
use crate::screen::Step;
use crate::server;
use crate::tally::Outcome;
use crate::{fmt, generate, platform, programs, python, tool::Tool, workspace};
use anyhow::{Context, Result, bail};
use std::path::{Path, PathBuf};

pub(super) fn format(step: &Step) -> Result<Outcome> {
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

pub(super) fn generated_files_are_fresh(built: &Built, step: &Step) -> Result<Outcome> {
    let stale = generate::stale(built, step)?;
    if !stale.is_empty() {
        bail!("not what the sources make now: {}; `cargo xtask gen` repairs this", stale.join(", "));
    }
    Ok(Outcome::Passed)
}

/// The Python packages of the mail server that tests send to.
const MAIL_SERVER_PACKAGES: [&str; 2] = ["aiosmtpd==1.4.6", "trustme==1.2.1"];
/// What names the Python that has them; empty where there is none, so that tests say why they do not apply.
pub(crate) const MAIL_SERVER_VARIABLE: &str = "ROUNDTRIP_SMTP_PYTHON";

/// All tests of the workspace, with a database of their own that goes when they are done.
pub(super) fn tests(server: &Path, step: &Step) -> Result<Outcome> {
    let folder = server::reachable_folder()?;
    step.message("starting a PostgreSQL for the tests");
    let data_folder = folder.path().join("data");
    let postgres = server::start_alone(server, &["postgres"], &data_folder, step)
        .context("no PostgreSQL for the tests")?;
    let finished = cargo(&["test", "--workspace", "--no-fail-fast"])
        .variable("DATABASE_URL", &postgres.ready)
        .variable(MAIL_SERVER_VARIABLE, mail_server_python(step)?)
        .run(step)?;
    let stopped = postgres.stop()?;
    let mut counts = Counts::of_cargo(&finished.log, finished.status.success());
    if !stopped.success() {
        counts.failed += 1;
        counts.complaints.push(format!("the PostgreSQL of the tests did not stop in order ({stopped})"));
    }
    Ok(Outcome::Counted(counts, counts::failures(&finished.log)))
}

/// The tests of the server against a PostgreSQL that runs already.
pub(super) fn server_tests(database_url: &str, step: &Step) -> Result<Outcome> {
    let finished = cargo(&["test", "--package", programs::SERVER, "--no-fail-fast"])
        .variable("DATABASE_URL", database_url)
        .variable(MAIL_SERVER_VARIABLE, mail_server_python(step)?)
        .run(step)?;
    let counts = Counts::of_cargo(&finished.log, finished.status.success());
    Ok(Outcome::Counted(counts, counts::failures(&finished.log)))
}

/// The Python that runs a mail server, installed once.
///
/// # Errors
/// Its packages cannot be installed.
pub(crate) fn mail_server_python(step: &Step) -> Result<PathBuf> {
    let Some(python) = python::find() else { return Ok(PathBuf::new()) };
    let packages = MAIL_SERVER_PACKAGES.map(str::to_owned);
    let home = platform::cache_folder()?
        .join("tools")
        .join(format!("python-{}", packages.join("-").replace("==", "-")));
    let programs = python::environment(&python, &home, &packages, step)?;
    Ok(programs.join(format!("python{}", std::env::consts::EXE_SUFFIX)))
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
