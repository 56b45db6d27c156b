//! Measuring the checked-out commit with the agent, once.

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

/// The report of the last run, in the data folder.
pub(crate) const REPORT: &str = "last-report.json";

/// The agent's exit code for a run that was kept because it could not be uploaded.
const EXIT_CODE_SPOOLED: i32 = 6;

/// Run ids by preset and commit.
type Measured = BTreeMap<String, BTreeMap<String, String>>;

/// One measuring of one commit, uploaded to one server.
pub(crate) struct Measuring<'a> {
    pub(crate) agent: &'a Path,
    pub(crate) url: &'a str,
    /// Where the server keeps its data; holds the token, the last report and what was measured.
    pub(crate) data_folder: &'a Path,
    pub(crate) checkout: &'a Checkout,
}

impl Measuring<'_> {
    /// True when the server still holds an earlier run of this very commit.
    pub(crate) fn is_done(&self) -> bool {
        let measured = self.measured();
        let run_id = measured.get(PRESET).and_then(|runs| runs.get(&self.checkout.sha));
        let is_stored = |run_id| http::get(&format!("{}/api/v1/runs/{run_id}", self.url)).is_ok();
        !self.checkout.modified && run_id.is_some_and(is_stored)
    }

    /// Runs the agent, its progress and table going to the terminal.
    pub(crate) fn run(&self) -> Result<()> {
        let report = self.data_folder.join(REPORT);
        let mut command = Command::new(self.agent);
        command
            .args(["run", "--preset", PRESET, "--upload", self.url, "--token-file"])
            .arg(self.data_folder.join("agent.token"))
            .arg("--output")
            .arg(&report)
            .current_dir(workspace::root())
            // Whatever is checked out is measured for this server, also in a job for a pull request.
            .env_remove("GITHUB_ACTIONS")
            .stdin(Stdio::null());
        let status = tool::run_attached(&mut command)?;
        match status.code() {
            Some(0) => self.remember(&report),
            Some(EXIT_CODE_SPOOLED) => {
                bail!(
                    "the run was measured and kept, but it could not be uploaded: see the agent's message above"
                )
            }
            _ => bail!("measuring failed ({status}): see the agent's message above"),
        }
    }

    /// Notes the run, unless it measured more than a commit. The report has what was checked out when it began.
    fn remember(&self, report: &Path) -> Result<()> {
        let report = read_report(report)?;
        let modified =
            report["work_tree_modified"].as_bool().context("the report has no work_tree_modified")?;
        let run_id = report["run_id"].as_str().context("the report has no run_id")?;
        let sha = report["commit"]["sha"].as_str().context("the report has no commit.sha")?;
        if modified {
            return Ok(());
        }
        let mut measured = self.measured();
        measured.entry(PRESET.into()).or_default().insert(sha.into(), run_id.into());
        Ok(fs::write(self.record(), format!("{:#}\n", json!(measured)))?)
    }

    /// A missing or damaged record only means measuring again.
    fn measured(&self) -> Measured {
        let text = fs::read_to_string(self.record()).unwrap_or_default();
        serde_json::from_str(&text).unwrap_or_default()
    }

    fn record(&self) -> PathBuf {
        self.data_folder.join("measured.json")
    }
}

/// A report that the agent wrote.
pub(crate) fn read_report(path: &Path) -> Result<Value> {
    serde_json::from_str(&fs::read_to_string(path)?).context("the agent's report is not JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Takes steps in a data folder, for a checkout that is modified or not.
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
    fn each_measured_commit_is_remembered_with_its_run() {
        measuring(false, |measuring| {
            remember(measuring, "a1", "r1");
            remember(measuring, "b2", "r2");
            assert_eq!(json!(measuring.measured()), json!({ "quick": { "a1": "r1", "b2": "r2" } }));
        });
    }

    #[test]
    fn a_modified_work_tree_is_never_taken_for_its_commit() {
        measuring(true, |measuring| {
            remember(measuring, "a1", "r1");
            assert!(!measuring.record().exists());
            assert!(!measuring.is_done());
        });
    }

    #[test]
    fn a_damaged_record_means_measuring_again() {
        measuring(false, |measuring| {
            for damaged in ["", "[]", "{\"quick\": 1}"] {
                fs::write(measuring.record(), damaged).unwrap();
                assert!(!measuring.is_done(), "{damaged}");
                assert_eq!(measuring.measured(), Measured::new());
            }
        });
    }
}
