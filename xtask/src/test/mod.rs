//! `check` and `test`: all tests for a save, a pull request and a release, each with one command.
//!
//! # Codemap
//! - [`groups`]: the table of all groups of steps and tests, with their tiers. [`schedule`]: runs them in
//!   parallel.
//! - [`rust`], [`web_ui`], [`contract`], [`end_to_end`]: the steps.
//!
//! A failed step does not end the run. The last line is always `N passed, N failed`.

mod contract;
mod end_to_end;
mod groups;
mod rust;
mod schedule;
mod web_ui;

use crate::fixture::Services;
use crate::programs::TestPrograms;
use crate::stamp::Stamp;
use crate::tally::{Outcome, Tally};
use crate::{screen, workspace};
use anyhow::{Context as _, Result};
use sha2::{Digest, Sha256};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::OnceLock;
use std::time::Instant;
use tempfile::TempDir;

/// When a group runs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Tier {
    /// After a save, with `check`: changes and their dependents.
    Check,
    /// Before a pull request, with `test`.
    Test,
    /// In continuous integration, with `test --all`.
    All,
}

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Run all tests, as CI does: also docs, containers, repeated faults, the full API contract, other
    /// systems.
    #[arg(long, conflicts_with = "database_url")]
    all: bool,
    /// Run only the server's tests, against this PostgreSQL; its user must be able to create databases.
    ///
    /// With the Citus extension, each test uses the whole database, distributes its tables and empties it.
    #[arg(long, value_name = "URL")]
    database_url: Option<String>,
}

pub(crate) fn check() -> Result<ExitCode> {
    run(Tier::Check)
}

pub(crate) fn test(options: &Options) -> Result<ExitCode> {
    match &options.database_url {
        Some(url) => {
            let mut tally = Tally::default();
            tally.step("server tests", |step| rust::server_tests(url, step))?;
            Ok(tally.close())
        }
        None => run(if options.all { Tier::All } else { Tier::Test }),
    }
}

fn run(tier: Tier) -> Result<ExitCode> {
    let started = Instant::now();
    // Before the build folder is cleaned, which has the running program.
    let context = Context::new(tier)?;
    workspace::claim_target_folder()?;
    let mut tally = schedule::run(&groups::up_to(tier), &context)?;
    context.close(&mut tally)?;
    tally.print_times();
    screen::note(&format!("took {}", screen::elapsed(started.elapsed())));
    Ok(tally.close())
}

/// State shared by groups.
pub(crate) struct Context {
    pub(crate) tier: Tier,
    /// A copy of this program: building the tests replaces its own file.
    pub(crate) program: PathBuf,
    _folder: TempDir,
    stamps: PathBuf,
    tests: OnceLock<TestPrograms>,
    services: OnceLock<Services>,
}

impl Context {
    fn new(tier: Tier) -> Result<Self> {
        let own = std::env::current_exe().context("cannot find the path of this program")?;
        let folder = tempfile::tempdir().context("no temporary folder")?;
        let program = folder.path().join(own.file_name().context("this program has no name")?);
        std::fs::copy(&own, &program).with_context(|| format!("cannot copy {}", own.display()))?;
        Ok(Self {
            tier,
            program,
            _folder: folder,
            stamps: workspace::target_folder()?.join("roundtrip-checked"),
            tests: OnceLock::new(),
            services: OnceLock::new(),
        })
    }

    /// The programs of the tests.
    pub(crate) fn tests(&self) -> Result<&TestPrograms> {
        self.tests.get().context("tests not built")
    }

    fn close(self, tally: &mut Tally) -> Result<()> {
        match self.services.into_inner() {
            Some(services) => {
                tally.step("stop the database", |_| services.stop().map(|()| Outcome::Prepared))
            }
            None => Ok(()),
        }
    }

    /// Runs a step, unless this is `check` and the step has passed for the same `state`.
    fn unless_unchanged(
        &self,
        name: &str,
        state: impl FnOnce() -> Result<Option<String>>,
        run: impl FnOnce() -> Result<Outcome>,
    ) -> Result<Outcome> {
        if self.tier != Tier::Check {
            return run();
        }
        let Some(state) = state()? else { return run() };
        let stamp = Stamp::new(self.stamps.join(name.replace(['/', ':', ' '], "-")), state);
        stamp.unless_current(run)
    }

    /// The state of the files that a step reads; `None` if it always runs.
    fn state_of_files(&self, reads: &[&str]) -> Result<Option<String>> {
        if reads.is_empty() {
            return Ok(None);
        }
        let is_read = |file: &str| reads.iter().any(|part| file.starts_with(part) || file.ends_with(part));
        state_of(
            workspace::files()?.iter().filter(|file| is_read(file)).map(|file| workspace::root().join(file)),
        )
        .map(Some)
    }

    /// The state of a test program and of the files next to its sources.
    fn state_of_program(&self, package: &str, target: &str) -> Result<Option<String>> {
        let files = workspace::files()?.into_iter().filter(|file| {
            !file.ends_with(".rs") && Path::new(file).starts_with(package) || file.starts_with("migrations/")
        });
        let files = files.map(|file| workspace::root().join(file));
        state_of(files.chain([self.tests()?.test_program(package, target)?])).map(Some)
    }
}

/// A digest of names, sizes and times of files: faster than reading their contents, and as good on one
/// machine.
fn state_of(files: impl Iterator<Item = PathBuf>) -> Result<String> {
    let mut hasher = Sha256::new();
    for file in files {
        let metadata = std::fs::metadata(&file).with_context(|| format!("cannot read {}", file.display()))?;
        let modified = metadata.modified().context("no file times on this system")?;
        hasher.update(format!("{}\0{}\0{modified:?}\n", file.display(), metadata.len()));
    }
    Ok(hex::encode(hasher.finalize()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn state_depends_on_name_size_and_time() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a");
        std::fs::write(&file, "one").unwrap();
        let state = || state_of([file.clone()].into_iter()).unwrap();
        let first = state();
        assert_eq!(first, state());
        std::fs::write(&file, "three").unwrap();
        let second = state();
        assert_ne!(first, second);
        let earlier = std::time::SystemTime::UNIX_EPOCH;
        std::fs::File::options().write(true).open(&file).unwrap().set_modified(earlier).unwrap();
        assert_ne!(second, state());
    }
}
