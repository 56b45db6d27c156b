//! How many tests passed and failed, read from what each test runner leaves behind.

use crate::programs;
use anyhow::{Context, Result};
use serde_json::Value;

/// Sums of one runner, or of all.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) passed: u64,
    /// Tests that failed, and tests that should have run and did not.
    pub(crate) failed: u64,
    /// What is counted as a failure without being one of the runner's.
    pub(crate) complaints: Vec<String>,
}

impl Counts {
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
        counts.exit_agrees(ended_well)
    }

    /// Reads the JSON report of vitest.
    pub(crate) fn of_vitest(report: &str, ended_well: bool) -> Result<Self> {
        let left_out = ["/numPendingTests", "/numTodoTests"];
        Self::of_report(report, "/numPassedTests", &["/numFailedTests"], &left_out, ended_well)
    }

    /// Reads the JSON report of Playwright.
    pub(crate) fn of_playwright(report: &str, ended_well: bool) -> Result<Self> {
        let failed = ["/stats/unexpected", "/stats/flaky"];
        Self::of_report(report, "/stats/expected", &failed, &["/stats/skipped"], ended_well)
    }

    /// Adds up the numbers at these places of a report in JSON.
    fn of_report(
        report: &str,
        passed: &str,
        failed: &[&str],
        left_out: &[&str],
        ended_well: bool,
    ) -> Result<Self> {
        let report: Value = serde_json::from_str(report).context("the test runner left no JSON report")?;
        let number = |at: &str| -> Result<u64> {
            let found = report.pointer(at).and_then(Value::as_u64);
            found.with_context(|| format!("the report of the test runner has no {at}"))
        };
        let sum = |places: &[&str]| places.iter().map(|at| number(at)).sum::<Result<u64>>();
        let mut counts = Self { passed: number(passed)?, failed: sum(failed)?, complaints: Vec::new() };
        let left_out = sum(left_out)?;
        if left_out > 0 {
            counts.complain(format!("{left_out} tests were left out"));
            counts.failed += left_out - 1;
        }
        Ok(counts.exit_agrees(ended_well))
    }

    /// A runner that finds no test has not passed. One may also fail for a reason that is no test's: a compiler error, an error
    /// outside of tests.
    fn exit_agrees(mut self, ended_well: bool) -> Self {
        if self.passed + self.failed == 0 {
            self.complain("no test ran".into());
        }
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

    #[test]
    fn the_output_of_cargo_is_added_up() {
        let failed = "running 3 tests\ntest a ... ok\ntest result: ok. 3 passed; 0 failed; 0 ignored; 0 measured; 0 filtered \
            out; finished in 0.01s\n\ntest result: FAILED. 10 passed; 2 failed; 0 ignored; 0 measured\n";
        let ignored = "test slow ... ignored\ntest other ... ignored, needs two CPUs\n\
            test result: ok. 1 passed; 0 failed; 2 ignored; 0 measured\n";
        let doctest = "test result: ok. 1 passed; 0 failed; 0 ignored\nerror: doctest failed to build\n";
        for (about, log, ended_well, sums, complaints) in [
            ("every line counts", failed, false, "13 passed, 2 failed", &[][..]),
            (
                "without a reason",
                ignored,
                true,
                "1 passed, 1 failed",
                &["the test slow is ignored without a reason"],
            ),
            ("no test", "", true, "0 passed, 1 failed", &["no test ran"]),
            ("a compiler error", "error: could not compile\n", false, "0 passed, 1 failed", &["no test ran"]),
            (
                "no test failed, but the runner did",
                doctest,
                false,
                "1 passed, 1 failed",
                &["the test runner failed, though no test of its did"],
            ),
        ] {
            let counts = Counts::of_cargo(log, ended_well);
            assert_eq!(counts.to_string(), sums, "{about}");
            assert_eq!(counts.complaints, complaints, "{about}");
        }
    }

    #[test]
    fn in_reports_tests_left_out_and_flaky_ones_fail() {
        let vitest = r#"{"numPassedTests": 7, "numFailedTests": 1, "numPendingTests": 2, "numTodoTests": 0}"#;
        assert_eq!(Counts::of_vitest(vitest, false).unwrap().to_string(), "7 passed, 3 failed");
        assert!(Counts::of_vitest("", false).is_err());
        let playwright = r#"{"stats": {"expected": 5, "unexpected": 0, "flaky": 1, "skipped": 1}}"#;
        assert_eq!(Counts::of_playwright(playwright, true).unwrap().to_string(), "5 passed, 2 failed");
    }
}
