//! `bench agents`: what waits for a server that was away for three days, sent to it by real agents at once.
//!
//! The time until an agent tries again, at most twice its slow pace, is not waited for here: the tests of the agent's queue
//! simulate it. Here is what comes after: how long it takes until all is stored.

use super::{Format, Options};
use crate::screen::Step;
use crate::tool::{Running, Tool};
use crate::{enrolment, http, interrupt, programs, server, workspace};
use anyhow::{Context, Result, ensure};
use roundtrip_budget::{BarIs, Peer, Row};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::time::{Duration, Instant};

const AGENTS: u64 = 4;
/// Of each agent: three days with a run every ten minutes. Quick: a tenth of it.
const REPORTS: u64 = 432;
const QUICK_REPORTS: u64 = REPORTS / 10;
/// All has to be stored ten minutes after the server's return. The longest pause takes four of them, and a run that is just
/// being measured one.
const ARRIVED_S_MAX: u64 = 600;
const BEFORE_S_MAX: u64 = 240 + 60;
/// Far more than it takes: who waits for so long, waits in vain.
const PATIENCE: Duration = Duration::from_secs(900);
const LOOK_INTERVAL: Duration = Duration::from_millis(100);
const PROJECT: &str = "drained";

/// Runs the verb.
///
/// # Errors
/// Something does not build or start, or not all arrives.
pub(super) fn measure(options: &Options) -> Result<ExitCode> {
    ensure!(options.only.is_none(), "--only names a part of other budgets: these have none");
    workspace::claim_target_folder()?;
    let step = Step::start("programs");
    let built = programs::build(&step, &[programs::AGENT, programs::SERVER], "release")?;
    let (agent, program) = (built.program("roundtrip")?, built.program(programs::SERVER)?);
    step.clear();
    let folder = server::reachable_folder()?;
    let step = Step::start("report");
    let report = typical(&agent, folder.path(), &step)?;
    step.done(&format!("{} KiB, of the preset `quick`", report.to_string().len() >> 10));

    let step = Step::start("server");
    let data_folder = folder.path().join("data");
    // With the limits that everybody has: of requests, and of what is written at once.
    let server = server::start_alone(&program, &["serve", "--port", "0"], &data_folder, &step)?;
    let url = server.address()?;
    let admin = server::administrator(&program, &data_folder, "bench")?;
    let states: Vec<PathBuf> = (0..AGENTS).map(|number| folder.path().join(machine(number))).collect();
    for (number, state) in (0..).zip(&states) {
        enrolment::enrol(&agent, &url, &admin, &machine(number), state)?;
    }
    step.clear();
    let reports = if options.quick { QUICK_REPORTS } else { REPORTS };
    for (number, state) in (0..).zip(&states) {
        spool(&report, &state.join("spool"), number, reports)?;
    }

    let step = Step::start("agents");
    let all = AGENTS * reports;
    let begin = Instant::now();
    let running = states.iter().map(|state| Agent::start(&agent, state)).collect::<Result<Vec<_>>>()?;
    while states.iter().any(|state| waiting(&state.join("spool")).is_none_or(|count| count > 0)) {
        step.message(&format!("{} of {all} stored", stored(&url)));
        interrupt::check()?;
        ensure!(
            begin.elapsed() < PATIENCE,
            "{} of {all} reports are stored after {PATIENCE:?}",
            stored(&url)
        );
        std::thread::sleep(LOOK_INTERVAL);
    }
    let took = begin.elapsed();
    let stored = stored(&url);
    drop(running);
    step.done(&format!(
        "an upload takes {} ms while {AGENTS} agents upload",
        took.as_millis() / u128::from(reports)
    ));
    server.stop()?;
    roundtrip_budget::print(&rows(all, took, stored), options.format == Format::Json)
        .context("the rows cannot be printed")
}

fn rows(all: u64, took: Duration, stored: u64) -> Vec<Row> {
    // A part of the reports has a part of the time.
    let seconds_max = (ARRIVED_S_MAX - BEFORE_S_MAX) * all / (AGENTS * REPORTS);
    vec![
        Row::new(
            format!("{all} reports of {AGENTS} agents at once, until all are acknowledged"),
            took.as_secs().max(1),
            "s",
            Peer {
                name: format!("the longest pause and a run before it ({BEFORE_S_MAX} s)"),
                value: BEFORE_S_MAX as f64,
            },
            BarIs::ValueAtMost,
            seconds_max.max(1) as f64,
        ),
        Row::new(
            format!("of {all} reports, not stored once"),
            all.abs_diff(stored),
            "reports",
            Peer { name: "all of them".into(), value: all as f64 },
            BarIs::ValueAtMost,
            0.0,
        ),
    ]
}

/// A report as machines of a lab send them.
fn typical(agent: &Path, folder: &Path, step: &Step) -> Result<Value> {
    let path = folder.join("report.json");
    Tool::at(agent)
        .arguments(["run", "--preset", crate::measure::PRESET, "--project", PROJECT, "--output"])
        .arguments([&path])
        .folder(workspace::root())
        .without_variable("GITHUB_ACTIONS")
        .run(step)?
        .successful()?;
    let text = std::fs::read_to_string(&path).with_context(|| format!("cannot read {}", path.display()))?;
    serde_json::from_str(&text).context("the agent's report is not JSON")
}

fn machine(number: u64) -> String {
    format!("lab-{number}")
}

/// Fills a spool: each report of another commit, as one run follows the other.
fn spool(report: &Value, folder: &Path, agent: u64, reports: u64) -> Result<()> {
    std::fs::create_dir_all(folder).with_context(|| format!("cannot make {}", folder.display()))?;
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
        let path = folder.join(format!("{id}.json"));
        std::fs::write(&path, report.to_string())
            .with_context(|| format!("cannot write {}", path.display()))?;
    }
    Ok(())
}

/// One that runs until this is dropped.
struct Agent(Running);

impl Agent {
    fn start(program: &Path, state: &Path) -> Result<Self> {
        let agent = Tool::at(program).arguments(["agent", "--trust-repositories", "--state"]);
        agent.arguments([state]).spawn().map(Self)
    }
}

impl Drop for Agent {
    fn drop(&mut self) {
        let _ = self.0.child.kill();
        let _ = self.0.child.wait();
    }
}

/// How many reports wait in a spool; nothing if it cannot be read.
fn waiting(spool: &Path) -> Option<usize> {
    let names = spool.read_dir().ok()?.flatten().map(|entry| entry.file_name());
    Some(names.filter(|name| name.to_str().is_some_and(|name| name.starts_with("019aa8f0"))).count())
}

/// How many runs the server has.
fn stored(url: &str) -> u64 {
    let answer = http::get(&format!("{url}/api/v1/projects/{PROJECT}")).ok();
    let project: Option<Value> = answer.and_then(|answer| serde_json::from_str(&answer).ok());
    project.and_then(|project| project["run_count"].as_u64()).unwrap_or(0)
}
