//! Runs steps, prints their results, and adds up tests and times.

use crate::counts::{self, Counts};
use crate::screen::{self, Step};
use crate::tool::Finished;
use crate::{interrupt, programs, workspace};
use anyhow::{Context, Result, ensure};
use std::path::Path;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Runs a verb made of steps, and prints how many passed.
pub(crate) fn verb(steps: impl FnOnce(&mut Tally) -> Result<()>) -> Result<ExitCode> {
    let started = Instant::now();
    let mut tally = Tally::default();
    tally.prepare("build folder", |_| workspace::claim_target_folder())?;
    steps(&mut tally)?;
    screen::note(&format!("took {}", screen::elapsed(started.elapsed())));
    Ok(tally.close())
}

/// The result of a step without an error.
pub(crate) enum Outcome {
    /// One check passed.
    Passed,
    /// A preparation without a check.
    Prepared,
    /// Many tests, with their output.
    Counted(Counts, String),
    /// Skipped, for this reason.
    Skipped(String),
}

impl Outcome {
    /// The result of a cargo command that lints or builds.
    pub(crate) fn from_build(finished: &Finished) -> Result<Self> {
        ensure!(finished.status.success(), "{}", programs::compiler_messages(&finished.log));
        Ok(Self::Passed)
    }

    /// The result of `cargo test`, or of a test program.
    pub(crate) fn from_tests(finished: &Finished) -> Self {
        let counts = Counts::from_cargo(&finished.log, finished.status.success());
        Self::Counted(counts, counts::failures(&finished.log))
    }

    /// The result of vitest or Playwright, from a JSON report.
    pub(crate) fn from_report(finished: Finished, report: &Path) -> Result<Self> {
        let report = std::fs::read_to_string(report).unwrap_or_default();
        let counts = Counts::from_report(&report, finished.status.success()).context(finished.log.clone())?;
        Ok(Self::Counted(counts, finished.log))
    }

    pub(crate) fn all_passed(&self) -> bool {
        match self {
            Self::Passed => true,
            Self::Counted(counts, _) => counts.all_passed(),
            Self::Prepared | Self::Skipped(_) => false,
        }
    }
}

#[derive(Default)]
pub(crate) struct Tally {
    counts: Counts,
    times: Vec<(String, Duration)>,
    /// The failed steps, each with the end of its output.
    failures: Vec<String>,
}

impl Tally {
    /// Runs one step. A failure is printed and counted, and the next step can run; only an interrupt is an error.
    pub(crate) fn step(&mut self, name: &str, run: impl FnOnce(&Step) -> Result<Outcome>) -> Result<()> {
        let step = Step::start(name);
        let outcome = run(&step);
        interrupt::check()?;
        self.times.push((name.to_owned(), step.elapsed()));
        match outcome {
            Ok(Outcome::Passed) => {
                self.counts.passed += 1;
                step.done("passed");
            }
            Ok(Outcome::Prepared) => step.done("ready"),
            Ok(Outcome::Skipped(reason)) => step.skipped(&reason),
            Ok(Outcome::Counted(counts, log)) => {
                self.counts.add(&counts);
                if counts.failed == 0 {
                    step.done(&counts.to_string());
                } else {
                    step.failed(&counts.to_string());
                    self.fail(name, &format!("{log}\n{}", counts.problems.join("\n")));
                }
            }
            Err(error) => {
                self.counts.failed += 1;
                step.failed("failed");
                self.fail(name, &format!("{error:#}"));
            }
        }
        Ok(())
    }

    /// Prints why a step failed, and keeps the end for the end of the run, which is easier to find in a long log.
    fn fail(&mut self, name: &str, output: &str) {
        const KEPT_LINES: usize = 8;
        screen::print(&indented(output.trim_end()));
        let end = screen::last_lines(output.trim_end(), KEPT_LINES);
        self.failures.push(format!("✗ {name}\n{}", indented(&end)));
    }

    pub(crate) fn skip(&mut self, name: &str, reason: &str) -> Result<()> {
        self.step(name, |_| Ok(Outcome::Skipped(format!("not run: {reason}"))))
    }

    /// Runs a step that creates something for later steps; `None` if it fails.
    pub(crate) fn prepare<T>(
        &mut self,
        name: &str,
        make: impl FnOnce(&Step) -> Result<T>,
    ) -> Result<Option<T>> {
        self.make(name, Outcome::Prepared, make)
    }

    /// The same for a step with this outcome.
    pub(crate) fn make<T>(
        &mut self,
        name: &str,
        outcome: Outcome,
        make: impl FnOnce(&Step) -> Result<T>,
    ) -> Result<Option<T>> {
        let mut made = None;
        self.step(name, |step| {
            made = Some(make(step)?);
            Ok(outcome)
        })?;
        Ok(made)
    }

    /// Runs checks that depend on each other, up to the first failure, which shows the logs first. Returns
    /// whether all passed.
    pub(crate) fn checks<C>(
        &mut self,
        checks: impl IntoIterator<Item = (&'static str, C)>,
        run: impl Fn(C, &Step) -> Result<()>,
        logs: impl Fn() -> String,
    ) -> Result<bool> {
        for (name, check) in checks {
            let passed = self.make(name, Outcome::Passed, |step| {
                run(check, step).inspect_err(|_| screen::print(&indented(logs().trim_end())))
            })?;
            if passed.is_none() {
                return Ok(false);
            }
        }
        Ok(true)
    }

    pub(crate) fn add(&mut self, other: Self) {
        self.counts.add(&other.counts);
        self.times.extend(other.times);
        self.failures.extend(other.failures);
    }

    pub(crate) fn is_clean(&self) -> bool {
        self.counts.failed == 0
    }

    pub(crate) fn print_times(&self) {
        const SHOWN: usize = 12;
        let mut times: Vec<_> = self.times.iter().collect();
        times.sort_by_key(|(_, time)| std::cmp::Reverse(*time));
        screen::note("slowest steps:");
        for (name, time) in times.iter().take(SHOWN) {
            screen::note(&format!("{:>9}  {name}", screen::elapsed(*time)));
        }
    }

    /// Prints the failures again and the last line. The exit code is success if something passed and nothing
    /// failed.
    pub(crate) fn close(&self) -> ExitCode {
        self.failures.iter().for_each(|failure| println!("{failure}"));
        println!("{}", self.counts);
        if self.counts.all_passed() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
    }
}

fn indented(text: &str) -> String {
    let lines: Vec<_> = text.lines().map(|line| format!("    {line}")).collect();
    lines.join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_up_steps() {
        let mut tally = Tally::default();
        assert!(!tally.counts.all_passed(), "nothing ran");
        tally.step("one", |_| Ok(Outcome::Passed)).unwrap();
        tally.step("none", |_| Ok(Outcome::Prepared)).unwrap();
        tally.step("left out", |_| Ok(Outcome::Skipped("no reason".into()))).unwrap();
        let counts = Counts { passed: 40, ..Counts::default() };
        let mut other = Tally::default();
        other.step("many", |_| Ok(Outcome::Counted(counts, String::new()))).unwrap();
        tally.add(other);
        assert_eq!(tally.counts.to_string(), "41 passed, 0 failed");
        assert!(tally.counts.all_passed());
        tally.step("broken", |_| anyhow::bail!("broken")).unwrap();
        assert_eq!(tally.counts.to_string(), "41 passed, 1 failed");
        assert!(!tally.counts.all_passed());
        assert_eq!(tally.times.len(), 5);
    }

    #[test]
    fn keeps_the_end_of_each_failure() {
        let mut tally = Tally::default();
        let long: Vec<_> = (0..100).map(|line| line.to_string()).collect();
        let mut other = Tally::default();
        other.step("long", |_| anyhow::bail!("{}", long.join("\n"))).unwrap();
        tally.add(other);
        let logs = || "many lines".to_owned();
        tally.checks([("check", ())], |(), _| anyhow::bail!("request 7 failed"), logs).unwrap();
        let [first, second] = tally.failures.as_slice() else { panic!("{:?}", tally.failures) };
        assert!(first.starts_with("✗ long\n") && first.ends_with("    98\n    99"), "{first}");
        assert!(!first.contains("    90\n"), "{first}");
        assert_eq!(second, "✗ check\n    request 7 failed");
    }
}
