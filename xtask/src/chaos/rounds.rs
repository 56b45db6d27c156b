//! Runs the tests that hold a promise: built once, as `test` builds them, with a PostgreSQL of their own.

use super::promise::{Target, Test};
use crate::counts::{self, Counts};
use crate::programs::{self, TestPrograms};
use crate::screen::Step;
use crate::server::Server;
use crate::test::rust;
use crate::tool::{Line, Tool};
use crate::{interrupt, platform, server, workspace};
use anyhow::{Context, Result, ensure};
use std::path::PathBuf;
use std::sync::mpsc::RecvTimeoutError;
use std::time::{Duration, Instant};
use tempfile::TempDir;

/// How often tests repeat what they repeat.
const ROUNDS_VARIABLE: &str = "ROUNDTRIP_FAULT_ROUNDS";
/// How many members of a ring are killed, and how many of them a round is.
const KILLS_VARIABLE: &str = "ROUNDTRIP_KILLS";
const KILLS_OF_ROUND: u32 = 100;
/// What a promise's tests may take at most, and each round of theirs.
const PATIENCE: Duration = Duration::from_secs(600);
const PATIENCE_OF_ROUND: Duration = Duration::from_secs(60);
/// How tests say that they do not apply to this machine, which is not the same as to pass.
const NOT_TRIED: [&str; 2] = ["not run, because", "does not apply"];

/// How it went.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Verdict {
    Held,
    /// With what the tests wrote.
    Broken(String),
    /// The benchmark says that a bar does not hold.
    Missed,
    /// Not on this machine, with the reason.
    NotTried(String),
}

/// The programs of the tests, and what they need.
pub(crate) struct Laboratory {
    programs: TestPrograms,
    postgres: Server,
    python: PathBuf,
    rounds: u32,
    _folder: TempDir,
}

impl Laboratory {
    /// Builds and starts all that is needed.
    ///
    /// # Errors
    /// Something does not build or start.
    pub(crate) fn open(rounds: u32) -> Result<Self> {
        let step = Step::start("test programs");
        let programs = programs::tests(&step)?;
        step.done("built");
        let step = Step::start("postgresql");
        let folder = server::reachable_folder()?;
        let data_folder = folder.path().join("data");
        let postgres = server::start_alone(&programs.server()?, &["postgres"], &data_folder, &step)
            .context("no PostgreSQL for the tests")?;
        let python = rust::mail_server_python(&step)?;
        step.done("ready");
        Ok(Self { programs, postgres, python, rounds, _folder: folder })
    }

    /// Runs tests, those of one program together.
    ///
    /// # Errors
    /// A program of them is missing or takes far too long.
    pub(crate) fn run(&self, tests: &[Test], step: &Step) -> Result<Verdict> {
        let mut not_tried = None;
        for of_target in tests.chunk_by(|one, other| one.target == other.target) {
            let names: Vec<&str> = of_target.iter().map(|test| test.name).collect();
            match self.run_of(of_target[0].target, &names, step)? {
                Verdict::Held => {}
                Verdict::NotTried(why) => not_tried = not_tried.or(Some(why)),
                broken => return Ok(broken),
            }
        }
        Ok(not_tried.map_or(Verdict::Held, Verdict::NotTried))
    }

    fn run_of(&self, target: Target, names: &[&str], step: &Step) -> Result<Verdict> {
        let tool = Tool::at(&self.programs.of(target.folder, target.name)?)
            .arguments(["--exact", "--show-output"])
            .arguments(names)
            .folder(&workspace::root().join(target.folder))
            .variable("DATABASE_URL", &self.postgres.ready)
            .variable(rust::MAIL_SERVER_VARIABLE, &self.python)
            .variable(ROUNDS_VARIABLE, self.rounds.to_string())
            .variable(KILLS_VARIABLE, (KILLS_OF_ROUND * self.rounds).to_string());
        let running = tool.with_all_it_starts().spawn()?;
        let (patience, mut log) = (PATIENCE + self.rounds * PATIENCE_OF_ROUND, String::new());
        let end = Instant::now() + patience;
        loop {
            match running.lines.recv_timeout(end.saturating_duration_since(Instant::now())) {
                Ok(Line::Output(line) | Line::Error(line)) => {
                    step.message(&line);
                    log.push_str(&line);
                    log.push('\n');
                }
                Err(RecvTimeoutError::Disconnected) => break,
                Err(RecvTimeoutError::Timeout) => {
                    platform::end_process_group(&running.child, true);
                    return Ok(Verdict::Broken(format!(
                        "{log}nothing ended within {} s",
                        patience.as_secs()
                    )));
                }
            }
        }
        let status = running.wait()?;
        interrupt::check()?;
        Ok(verdict(&log, status.success(), names.len()))
    }

    /// Stops what was started.
    ///
    /// # Errors
    /// PostgreSQL does not stop in order.
    pub(crate) fn close(self) -> Result<()> {
        let status = self.postgres.stop()?;
        ensure!(status.success(), "the PostgreSQL of the tests did not stop in order ({status})");
        Ok(())
    }
}

/// What the log of so many tests says.
fn verdict(log: &str, ended_well: bool, tests: usize) -> Verdict {
    let counts = Counts::of_cargo(log, ended_well);
    if counts.failed > 0 {
        return Verdict::Broken([counts::failures(log), counts.complaints.join("\n")].join("\n"));
    }
    if counts.passed < tests as u64 {
        return Verdict::Broken(format!("{} of {tests} tests were found", counts.passed));
    }
    let why = log.lines().map(str::trim).find(|line| {
        let [begins, holds] = NOT_TRIED;
        line.starts_with(begins) || line.contains(holds)
    });
    why.map_or(Verdict::Held, |why| Verdict::NotTried(why.to_owned()))
}

/// Measures whether the server stays what it is.
///
/// # Errors
/// The benchmark does not build or start.
pub(crate) fn soak() -> Result<Verdict> {
    Ok(match crate::bench::soak()? {
        status if status.success() => Verdict::Held,
        status if status.code() == Some(i32::from(roundtrip_budget::MISSED)) => Verdict::Missed,
        status => Verdict::Broken(format!("the benchmark ended with {status}")),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const PASSED: &str =
        "test a ... ok\ntest b ... ok\ntest result: ok. 2 passed; 0 failed; 0 ignored; 0 measured\n";

    #[test]
    fn a_promise_is_held_only_by_tests_that_ran_and_applied() {
        assert_eq!(verdict(PASSED, true, 2), Verdict::Held);
        assert_eq!(verdict(PASSED, true, 3), Verdict::Broken("2 of 3 tests were found".into()));
        let skipped = format!("not run, because only root can\n{PASSED}");
        assert_eq!(verdict(&skipped, true, 2), Verdict::NotTried("not run, because only root can".into()));
        let of_one = format!("fifo: not run, because this system has none\n{PASSED}");
        assert_eq!(verdict(&of_one, true, 2), Verdict::Held, "a transport that is not there is no promise's");
    }

    #[test]
    fn what_a_broken_promise_wrote_is_kept() {
        let log = "test a ... FAILED\nlost [7]\ntest result: FAILED. 0 passed; 1 failed; 0 ignored\n";
        let Verdict::Broken(told) = verdict(log, false, 1) else { panic!("it is broken") };
        assert!(told.contains("lost [7]"), "{told}");
    }
}
