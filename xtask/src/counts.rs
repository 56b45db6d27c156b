//! Counts passed and failed tests from the output of each test runner.

use crate::programs;
use anyhow::{Context, Result};
use serde::Deserialize;
use serde_json::Value;

/// The counts of one runner, or the sum.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: u64,
    /// Failed tests, and tests that should have run and did not.
    pub(crate) failed: u64,
    /// Failures that are not in the runner's own counts.
    pub(crate) problems: Vec<String>,
}

/// The report of vitest, or Playwright's below `stats`.
#[derive(Deserialize)]
struct Report {
    #[serde(rename = "numPassedTests", alias = "expected")]
    passed: u64,
    #[serde(rename = "numFailedTests", alias = "unexpected")]
    failed: u64,
    #[serde(rename = "numPendingTests", alias = "skipped")]
    skipped: u64,
    #[serde(rename = "numTodoTests", alias = "flaky")]
    todo_or_flaky: u64,
}

impl Counts {
    pub(crate) fn add(&mut self, other: &Self) {
        self.passed += other.passed;
        self.failed += other.failed;
    }

    /// Whether at least one test ran and all passed.
    pub(crate) fn all_passed(&self) -> bool {
        self.passed > 0 && self.failed == 0
    }

    /// Reads the output of `cargo test` and its exit status.
    pub(crate) fn from_cargo(log: &str, ended_well: bool) -> Self {
        let mut counts = Self::default();
        for line in log.lines() {
            if let Some(result) = line.strip_prefix("test result: ") {
                // Such as `ok. 3 passed; 1 failed; 0 ignored`.
                let mut numbers = result.split(' ').filter_map(|word| word.parse::<u64>().ok());
                counts.passed += numbers.next().unwrap_or(0);
                counts.failed += numbers.next().unwrap_or(0);
            } else if let Some(name) =
                line.strip_prefix("test ").and_then(|rest| rest.strip_suffix(" ... ignored"))
            {
                counts.add_problem(format!("test {name} is ignored without a reason"));
            }
        }
        counts.exit_agrees(ended_well)
    }

    /// Reads the JSON report of vitest or Playwright.
    pub(crate) fn from_report(report: &str, ended_well: bool) -> Result<Self> {
        let report: Value = serde_json::from_str(report).context("no JSON report from the test runner")?;
        let counts = Report::deserialize(report.get("stats").unwrap_or(&report));
        let Report { passed, failed, skipped, todo_or_flaky } =
            counts.context("the report of a test runner")?;
        let mut counts = Self { passed, failed, problems: Vec::new() };
        let others = skipped + todo_or_flaky;
        if others > 0 {
            counts.add_problem(format!("{others} tests were skipped or flaky"));
            counts.failed += others - 1;
        }
        Ok(counts.exit_agrees(ended_well))
    }

    /// Fails a runner that found no test, or that failed without a failed test, as after a compiler error.
    fn exit_agrees(mut self, ended_well: bool) -> Self {
        if self.passed + self.failed == 0 {
            self.add_problem("no tests ran".into());
        }
        if !ended_well && self.failed == 0 {
            self.add_problem("the test runner failed without a failed test".into());
        }
        self
    }

    fn add_problem(&mut self, problem: String) {
        self.failed += 1;
        self.problems.push(problem);
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
    let problems = programs::compiler_messages(log);
    problems.lines().filter(|line| !passed(line) && !line.trim().is_empty()).collect::<Vec<_>>().join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn adds_up_cargo_results() {
        let failed = "running 3 tests\ntest a ... ok\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered \
            out; finished in 0.01s\n\ntest result: FAILED. 10 passed; 2 failed; 0 ignored; 0 measured\n";
        let ignored = "test slow ... ignored\ntest other ... ignored, needs two CPUs\n\
            test result: ok. 1 passed; 0 failed; 2 ignored; 0 measured\n";
        let doctest = "test result: ok. 1 passed; 0 failed; 0 ignored\nerror: doctest failed to build\n";
        for (about, log, ended_well, sums, problems) in [
            ("every line counts", failed, false, "13 passed, 2 failed", &[][..]),
            (
                "without a reason",
                ignored,
                true,
                "1 passed, 1 failed",
                &["test slow is ignored without a reason"],
            ),
            ("no test", "", true, "0 passed, 1 failed", &["no tests ran"]),
            (
                "a compiler error",
                "error: could not compile\n",
                false,
                "0 passed, 1 failed",
                &["no tests ran"],
            ),
            (
                "no test failed, but the runner did",
                doctest,
                false,
                "1 passed, 1 failed",
                &["the test runner failed without a failed test"],
            ),
        ] {
            let counts = Counts::from_cargo(log, ended_well);
            assert_eq!(counts.to_string(), sums, "{about}");
            assert_eq!(counts.problems, problems, "{about}");
        }
    }

    #[test]
    fn skipped_and_flaky_tests_fail() {
        let vitest = r#"{"numPassedTests": 7, "numFailedTests": 1, "numPendingTests": 2, "numTodoTests": 0}"#;
        assert_eq!(Counts::from_report(vitest, false).unwrap().to_string(), "7 passed, 3 failed");
        assert!(Counts::from_report("", false).is_err());
        let incomplete = vitest.replace("numTodoTests", "other");
        assert!(Counts::from_report(&incomplete, true).is_err());
        let playwright = r#"{"stats": {"expected": 5, "unexpected": 0, "flaky": 1, "skipped": 1}}"#;
        assert_eq!(Counts::from_report(playwright, true).unwrap().to_string(), "5 passed, 2 failed");
    }
}
