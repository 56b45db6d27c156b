//! Measures the checked-out commit once, with the agent.

use crate::workspace::{self, Checkout};
use crate::{http, tool};
use anyhow::{Context, Result, bail};
use fs_err as fs;
use serde_json::{Value, json};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// The preset that `up` runs: it takes less than a minute.
pub(crate) const PRESET: &str = "quick";

/// The smallest definition.
pub(crate) const SMALL: &str = include_str!("../small.toml");

/// The report of the last run, in the data folder.
pub(crate) const REPORT: &str = "last-report.json";

/// The agent's exit code for a report that is saved because the upload failed.
const EXIT_CODE_SPOOLED: i32 = 6;

/// The agent's exit code if a case failed. The server has the others.
const EXIT_CODE_FAILED: i32 = 1;

/// Run ids by preset and commit.
type Measured = BTreeMap<String, BTreeMap<String, String>>;

/// The measurement of one commit for one server.
pub(crate) struct Measuring<'a> {
    pub(crate) agent: &'a Path,
    pub(crate) url: &'a str,
    /// The server's data folder, with the token, the last report and the record of measured commits.
    pub(crate) data_folder: &'a Path,
    pub(crate) checkout: &'a Checkout,
}

impl Measuring<'_> {
    /// Whether the server still has an earlier run of this commit.
    pub(crate) fn is_done(&self) -> bool {
        let measured = self.measured();
        let run_id = measured.get(PRESET).and_then(|runs| runs.get(&self.checkout.sha));
        !self.checkout.modified && run_id.is_some_and(|run_id| self.is_stored(run_id))
    }

    fn is_stored(&self, run_id: &str) -> bool {
        http::get(&format!("{}/api/v1/runs/{run_id}", self.url)).is_ok()
    }

    /// Whether the server has the run of this report.
    fn has_stored(&self, report: &Path) -> bool {
        let run_id = read_report(report).and_then(|report| run_id(&report).map(str::to_owned));
        run_id.is_ok_and(|run_id| self.is_stored(&run_id))
    }

    /// Runs the agent, with its progress and table on the terminal.
    pub(crate) fn run(&self) -> Result<()> {
        let report = self.data_folder.join(REPORT);
        let mut command = Command::new(self.agent);
        command
            .args(["run", "--preset", PRESET, "--upload", self.url, "--token-file"])
            .arg(self.data_folder.join("agent.token"))
            .arg("--output")
            .arg(&report)
            .current_dir(workspace::root())
            // Measure the checkout for this server, also inside a pull request's job.
            .env_remove("GITHUB_ACTIONS")
            .stdin(Stdio::null());
        // One of an earlier run would be taken for this one's.
        let _ = fs::remove_file(&report);
        let status = tool::run_attached(&mut command)?;
        match status.code() {
            Some(0) => self.remember(&report),
            Some(EXIT_CODE_FAILED) if self.has_stored(&report) => self.remember(&report),
            Some(EXIT_CODE_SPOOLED) => {
                bail!("measured and saved, but not uploaded; see the message above")
            }
            _ => bail!("measuring failed ({status}); see the message above"),
        }
    }

    /// Records the run, unless the work tree was modified. The report has the state of the checkout at the start.
    fn remember(&self, report: &Path) -> Result<()> {
        let report = read_report(report)?;
        let modified =
            report["work_tree_modified"].as_bool().context("the report has no work_tree_modified")?;
        let run_id = run_id(&report)?;
        let sha = report["commit"]["sha"].as_str().context("the report has no commit.sha")?;
        if modified {
            return Ok(());
        }
        let mut measured = self.measured();
        measured.entry(PRESET.into()).or_default().insert(sha.into(), run_id.into());
        Ok(fs::write(self.record(), format!("{:#}\n", json!(measured)))?)
    }

    /// The record. If it is missing or damaged, commits are measured again.
    fn measured(&self) -> Measured {
        let text = fs::read_to_string(self.record()).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    fn record(&self) -> PathBuf {
        self.data_folder.join("measured.json")
    }
}

pub(crate) fn run_id(report: &Value) -> Result<&str> {
    report["run_id"].as_str().context("the report has no run_id")
}

pub(crate) fn read_report(path: &Path) -> Result<Value> {
    serde_json::from_str(&fs::read_to_string(path)?).context("the agent's report is not JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Runs steps in a data folder, for a clean or modified checkout.
    fn measuring(modified: bool, steps: impl Fn(&Measuring)) {
        let folder = tempfile::tempdir().unwrap();
        let checkout = &Checkout { sha: "a1".into(), subject: String::new(), modified };
        let data_folder = folder.path();
        steps(&Measuring { agent: Path::new("agent"), url: "http://127.0.0.1:9", data_folder, checkout });
    }

    fn remember(measuring: &Measuring, sha: &str, run_id: &str) {
        let path = measuring.data_folder.join(REPORT);
        let modified = measuring.checkout.modified;
        let report = json!({ "run_id": run_id, "commit": { "sha": sha }, "work_tree_modified": modified });
        fs::write(&path, report.to_string()).unwrap();
        measuring.remember(&path).unwrap();
    }

    #[test]
    fn remembers_the_run_of_each_commit() {
        measuring(false, |measuring| {
            remember(measuring, "a1", "r1");
            remember(measuring, "b2", "r2");
            assert_eq!(json!(measuring.measured()), json!({ "quick": { "a1": "r1", "b2": "r2" } }));
        });
    }

    #[test]
    fn measures_modified_work_trees_again() {
        measuring(true, |measuring| {
            remember(measuring, "a1", "r1");
            assert!(!measuring.record().exists());
            assert!(!measuring.is_done());
        });
    }

    #[test]
    fn damaged_record_repeats_measurements() {
        measuring(false, |measuring| {
            for damaged in ["", "[]", "{\"quick\": 1}"] {
                fs::write(measuring.record(), damaged).unwrap();
                assert!(!measuring.is_done(), "{damaged}");
                assert_eq!(measuring.measured(), Measured::new());
            }
        });
    }
}
