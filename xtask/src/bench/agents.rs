//! `bench agents`: several real agents upload the reports that accumulated while a server was away for three
//! days.
//!
//! The pause until an agent retries, at most twice its slowest interval, is not included: the tests of the
//! agent's queue simulate it. This benchmark measures the time from there until all reports are stored.

use super::Options;
use crate::fixture::Daemon;
use crate::measure::{self, PRESET};
use crate::programs::{self, Profile};
use crate::screen::Step;
use crate::tool::Tool;
use crate::{http, interrupt, server, workspace};
use anyhow::{Result, ensure};
use fs_err as fs;
use roundtrip_budget::{BarIs, Peer, Row};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const AGENTS: u64 = 4;
/// Reports per agent: three days with a run every ten minutes. Quick: a tenth of it.
const REPORTS: u64 = 432;
const QUICK_REPORTS: u64 = REPORTS / 10;
/// All reports must be stored ten minutes after the server's return. The longest pause takes four of them,
/// and a run in progress one.
const ARRIVED_S_MAX: u64 = 600;
const BEFORE_S_MAX: u64 = 240 + 60;
const TIMEOUT: Duration = Duration::from_secs(900);
const PROJECT: &str = "drained";

pub(super) fn measure(options: &Options) -> Result<ExitCode> {
    ensure!(options.only.is_none(), "these budgets have no parts: remove --only");
    workspace::claim_target_folder()?;
    let built = Step::quietly("programs", |step| programs::build(step, &programs::BOTH, Profile::Release))?;
    let (agent, program) = (built.program("roundtrip")?, built.program(programs::SERVER)?);
    let folder = server::disk_folder()?;
    let step = Step::start("report");
    // Reports of lab machines.
    let path = folder.path().join("report.json");
    let run = Tool::at(&agent).arguments(["run", "--preset", PRESET, "--project", PROJECT, "--output"]);
    run.arguments([&path]).folder(workspace::root()).without_variable("GITHUB_ACTIONS").succeed(&step)?;
    let report = measure::read_report(&path)?;
    step.done(&format!("{} KiB, of the preset `quick`", report.to_string().len() >> 10));

    let data_folder = folder.path().join("data");
    // With the default limits for requests and concurrent writes.
    let serve = |step: &Step| server::start_alone(&program, &["serve", "--port", "0"], &data_folder, step);
    let server = Step::quietly("server", serve)?;
    let url = server.address()?;
    let admin = server::administrator(&program, &data_folder, "bench")?;
    let reports = if options.quick { QUICK_REPORTS } else { REPORTS };
    let states: Vec<PathBuf> = (0..AGENTS).map(|number| folder.path().join(machine(number))).collect();
    for (number, state) in (0..).zip(&states) {
        server::enrol(&agent, &url, &admin, &machine(number), state)?;
        spool(&report, &state.join("spool"), number, reports)?;
    }

    let step = Step::start("agents");
    let all = AGENTS * reports;
    let begin = Instant::now();
    let start = |state| {
        let agent = Tool::at(&agent).arguments(["agent", "--trust-repositories", "--state"]);
        Daemon::start("an agent", agent.arguments([state]))
    };
    let running = states.iter().map(start).collect::<Result<Vec<_>>>()?;
    let is_empty = |state: &PathBuf| waiting(&state.join("spool")).is_some_and(|count| count == 0);
    interrupt::poll("all reports to be stored", TIMEOUT, Duration::from_millis(100), || {
        step.message(&format!("{} of {all} stored", stored(&url)));
        Ok(states.iter().all(is_empty).then_some(()))
    })?;
    let took = begin.elapsed();
    let stored = stored(&url);
    drop(running);
    let each = took.as_millis() / u128::from(reports);
    step.done(&format!("an upload takes {each} ms while {AGENTS} agents upload"));
    server.stop()?;
    options.print(&rows(all, took, stored))
}

fn rows(all: u64, took: Duration, stored: u64) -> Vec<Row> {
    // Scaled to the share of the reports.
    let seconds_max = (ARRIVED_S_MAX - BEFORE_S_MAX) * all / (AGENTS * REPORTS);
    let row = |title: String, value: u64, unit, peer: String, of: u64, bar: u64| {
        Row::new(title, value, unit, Peer { name: peer, value: of as f64 }, BarIs::ValueAtMost, bar as f64)
    };
    let title = format!("time to acknowledge {all} reports of {AGENTS} concurrent agents");
    let pause = format!("one run and the longest retry pause ({BEFORE_S_MAX} s)");
    let lost = format!("of {all} reports, missing or duplicate");
    vec![
        row(title, took.as_secs().max(1), "s", pause, BEFORE_S_MAX, seconds_max.max(1)),
        row(lost, all.abs_diff(stored), "reports", "all stored once".into(), all, 0),
    ]
}

fn machine(number: u64) -> String {
    format!("lab-{number}")
}

/// Fills a spool with reports of successive commits.
fn spool(report: &Value, folder: &Path, agent: u64, reports: u64) -> Result<()> {
    fs::create_dir_all(folder)?;
    let mut report = report.clone();
    report["machine"]["slug"] = json!(machine(agent));
    report["history"] = json!([]);
    report["work_tree_modified"] = json!(false);
    report["commit"]["parents"] = json!([]);
    for number in 1..=reports {
        let id = format!("019aa8f0-5c1e-7b3a-{:04x}-{number:012x}", 0x9000 + agent);
        report["run_id"] = json!(id);
        report["commit"]["sha"] = json!(format!("{number:040x}"));
        report["commit"]["first_parent_ordinal"] = json!(number);
        fs::write(folder.join(format!("{id}.json")), report.to_string())?;
    }
    Ok(())
}

/// The number of reports in a spool; `None` if it cannot be read.
fn waiting(spool: &Path) -> Option<usize> {
    let names = spool.read_dir().ok()?.flatten().map(|entry| entry.file_name());
    Some(names.filter(|name| name.to_str().is_some_and(|name| name.starts_with("019aa8f0"))).count())
}

fn stored(url: &str) -> u64 {
    let project = http::json(&format!("{url}/api/v1/projects/{PROJECT}")).ok();
    project.and_then(|project| project["run_count"].as_u64()).unwrap_or(0)
}
