//! How many tests passed and failed, read from what each test runner leaves behind.

use crate::programs;
use anyhow::{Context, Result};
use serde_json::Value;

/// Sums of one runner, or of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    /// Tests that ran and passed.
    pub(crate) passed: u64,
    /// Tests that failed, and tests that should have run and did not.
    pub(crate) failed: u64,
    /// What is counted as a failure without being one of the runner's.
    pub(crate) complaints: Vec<String>,
}

impl Counts {
    /// Adds the sums of another runner.
    pub(crate) fn add(&mut self, other: &Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }

    /// Reads the output of `cargo test`, which ended well or not.
    pub(crate) fn of_cargo(log: &str, ended_well: bool) -> Self {
        let mut counts = Self::default();
        for line in log.lines() {
            if let Some(result) = line.strip_prefix("test result: ") {
                counts.passed += number_before(result, " passed");
                counts.failed += number_before(result, " failed");
            } else if let Some(name) =
                line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... ignored"))
            {
                counts.complain(format!("the test {name} is ignored without a reason"));
            }
        }
        counts.at_least_one_test();
        counts.exit_agrees(ended_well)
    }

    /// Reads the JSON report of vitest.
    ///
    /// # Errors
    /// It is no such report.
    pub(crate) fn of_vitest(report: &str, ended_well: bool) -> Result<Self> {
        let report: Value = serde_json::from_str(report).context("vitest left no JSON report")?;
        let number =
            |key: &str| report[key].as_u64().with_context(|| format!("vitest's report has no {key}"));
        let mut counts = Self {
            passed: number("numPassedTests")?,
            failed: number("numFailedTests")?,
            complaints: Vec::new(),
        };
        for key in ["numPendingTests", "numTodoTests"] {
            counts.left_out(number(key)?);
        }
        counts.at_least_one_test();
        Ok(counts.exit_agrees(ended_well))
    }

    /// Reads the JSON report of Playwright.
    ///
    /// # Errors
    /// It is no such report.
    pub(crate) fn of_playwright(report: &str, ended_well: bool) -> Result<Self> {
        let report: Value = serde_json::from_str(report).context("Playwright left no JSON report")?;
        let number = |key: &str| {
            report["stats"][key].as_u64().with_context(|| format!("Playwright's report has no stats.{key}"))
        };
        let failed = number("unexpected")? + number("flaky")?;
        let mut counts = Self { passed: number("expected")?, failed, complaints: Vec::new() };
        counts.left_out(number("skipped")?);
        counts.at_least_one_test();
        Ok(counts.exit_agrees(ended_well))
    }

    fn left_out(&mut self, number: u64) {
        if number > 0 {
            self.complain(format!("{number} tests were left out"));
            self.failed += number - 1;
        }
    }

    /// A runner that finds no test has not passed.
    fn at_least_one_test(&mut self) {
        if self.passed + self.failed == 0 {
            self.complain("no test ran".into());
        }
    }

    /// A runner may fail for a reason that is no test's: a compiler error, an error outside of tests.
    fn exit_agrees(mut self, ended_well: bool) -> Self {
        if !ended_well && self.failed == 0 {
            self.complain("the test runner failed, though no test of its did".into());
        }
        self
    }

    fn complain(&mut self, complaint: String) {
        self.failed += 1;
        self.complaints.push(complaint);
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{} passed, {} failed", self.passed, self.failed)
    }
}

/// A log of `cargo test` without the tests that passed.
pub(crate) fn failures(log: &str) -> String {
    let passed = |line: &str| {
        (line.starts_with("test ") && line.ends_with(" ... ok"))
            || ["running ", "test result: ok.", "all doctests ran "]
                .iter()
                .any(|start| line.starts_with(start))
    };
    let complaints = programs::complaints(log);
    complaints.lines().filter(|line| !passed(line) && !line.trim().is_empty()).collect::<Vec<_>>().join("\n")
}

/// The number that stands before `word`.
fn number_before(text: &str, word: &str) -> u64 {
    let before = text.split(word).next().filter(|before| before.len() < text.len());
    before.and_then(|before| before.rsplit(' ').next()).and_then(|number| number.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const CARGO: &str = "running 3 tests\ntest a ... ok\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered out; finished in 0.01s\n\ntest result: FAILED. 10 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out; finished in 1.00s\n";

    #[test]
    fn every_result_line_of_cargo_counts() {
        let counts = Counts::of_cargo(CARGO, false);
        assert_eq!((counts.passed, counts.failed), (13, 2));
        assert_eq!(counts.to_string(), "13 passed, 2 failed");
    }

    #[test]
    fn an_ignored_test_fails_unless_it_says_why() {
        let log = "test slow ... ignored\ntest other ... ignored, needs two CPUs\ntest result: ok. 1 passed; 0 failed; 2 ignored; 0 measured\n";
        let counts = Counts::of_cargo(log, true);
        assert_eq!((counts.passed, counts.failed), (1, 1));
        assert_eq!(counts.complaints, ["the test slow is ignored without a reason"]);
    }

    #[test]
    fn a_compiler_error_is_a_failure_though_no_test_failed() {
        let log = "error: could not compile\n";
        assert!(Counts::of_cargo(log, false).failed > 0);
        let log = "test result: ok. 1 passed; 0 failed; 0 ignored\nerror: doctest failed to build\n";
        let counts = Counts::of_cargo(log, false);
        assert_eq!((counts.passed, counts.failed), (1, 1));
    }

    #[test]
    fn a_run_without_tests_has_not_passed() {
        assert_eq!(Counts::of_cargo("", true).failed, 1);
    }

    #[test]
    fn vitest_counts_and_tests_left_out_fail() {
        let report = r#"{"numPassedTests": 7, "numFailedTests": 1, "numPendingTests": 2, "numTodoTests": 0}"#;
        let counts = Counts::of_vitest(report, false).unwrap();
        assert_eq!((counts.passed, counts.failed), (7, 3));
        assert!(Counts::of_vitest("", false).is_err());
    }

    #[test]
    fn playwright_counts_and_flaky_tests_fail() {
        let report = r#"{"stats": {"expected": 5, "unexpected": 0, "flaky": 1, "skipped": 1}}"#;
        let counts = Counts::of_playwright(report, true).unwrap();
        assert_eq!((counts.passed, counts.failed), (5, 2));
    }
}
