//! An agent killed with SIGKILL before each of its calls on files and sockets, from the start of a job until
//! it has reported its completion: its results arrive, each run of a job counts once, and nothing is left
//! pending.
//!
//! `ROUNDTRIP_FAULT_ROUNDS` sets the number of kills; a few by default. The rounds cover the calls evenly.

use crate::lab::{Lab, State, names};
use crate::run::commit_all;
use crate::traced::{self, Call};
use crate::{Process, fault_rounds};
use roundtrip_wire::RunReport;
use roundtrip_wire::lab::JobOutcome;
use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

/// The files that an agent keeps forever.
const IN_SPOOL: [&str; 3] = ["acknowledged.json", "acknowledged.lock", "agent.lock"];
const IN_STATE: [&str; 8] = [
    "agent.key",
    "agent.token",
    "builds",
    "canaries.json",
    "endings.json",
    "enrolment.json",
    "repositories",
    "spool",
];

/// A lab with two reports per job.
fn lab() -> Lab {
    let lab = Lab::new("true", 1);
    let source = lab.source.path();
    std::fs::copy(source.join("one.toml"), source.join("two.toml")).unwrap();
    std::fs::write(source.join("roundtrip.toml"), "presets = ['one.toml', 'two.toml']\nbuild = ['true']\n")
        .unwrap();
    commit_all(source, "two presets");
    lab
}

fn claims(state: &State) -> usize {
    state.asked.iter().filter(|asked| *asked == "claim").count()
}

impl Lab {
    fn state(&self) -> PathBuf {
        self.folder.path().canonicalize().unwrap().join("state")
    }

    /// Runs an agent until the pending job is over, or kills it before this step. Returns its steps; `None`
    /// if this system does not permit tracing.
    fn steps(&self, killed_before: Option<usize>) -> Option<Vec<String>> {
        let (state, mut steps) = (self.state(), Vec::new());
        let is_step = |call: &Call| {
            let about = &call.about;
            let is_ours = about.starts_with(&state)
                && !["repositories", "builds"].iter().any(|of| about.starts_with(state.join(of)));
            is_ours || about.to_string_lossy().starts_with("socket:")
        };
        let is_traced = traced::run(&mut self.command(&["--trust-repositories"]), |call| {
            let claims = self.server.change(|state| claims(state));
            if claims == 0 || !is_step(call) {
                return ControlFlow::Continue(());
            }
            if claims > 1 || killed_before == Some(steps.len()) {
                return ControlFlow::Break(());
            }
            steps.push(call.to_string());
            ControlFlow::Continue(())
        });
        is_traced.then_some(steps)
    }

    /// The pending reports in the spool.
    fn waiting(&self) -> BTreeSet<String> {
        let names = names(&self.state().join("spool")).into_iter();
        names
            .filter_map(|name| {
                name.strip_suffix(".json").filter(|id| id.starts_with("01")).map(str::to_owned)
            })
            .collect()
    }

    /// Waits until an agent claims again.
    fn claimed_again(&self) {
        let before = self.server.change(|state| claims(state));
        self.server.until("a claim", |state| (claims(state) > before).then_some(()));
    }

    /// Starts an agent after a killed one, and waits for the end of the job. The earlier lease expires once
    /// the agent has nothing left to report.
    fn end(&self, job_id: i64) {
        let before = self.server.change(|state| claims(state));
        let agent = self.agent();
        self.server.until("a claim", |state| (claims(state) > before).then_some(()));
        self.server.change(|state| {
            if state.finished.is_empty() {
                state.asked.push("expired".into());
                state.jobs.push_back(self.job(job_id, 2));
            }
        });
        self.stop_after_the_end(agent);
    }

    fn stop_after_the_end(&self, mut agent: Process) {
        self.finished(1);
        // By then, it has noted that it reported the completion.
        self.claimed_again();
        agent.terminate();
        assert!(agent.0.wait().unwrap().success());
    }
}

#[test]
fn killed_agent_loses_no_results_and_counts_jobs_once() {
    let lab = lab();
    let begin = |job_id| {
        lab.server.change(|state| *state = State { jobs: [lab.job(job_id, 1)].into(), ..State::default() });
    };
    // A first run for everything that is built and read only once.
    begin(1);
    lab.stop_after_the_end(lab.agent());
    begin(2);
    let Some(steps) = lab.steps(None) else {
        println!("not run, because this system permits no tracing of programs");
        return;
    };
    println!("{} steps: {steps:#?}", steps.len());
    lab.end(2);

    let (rounds, mut killed, mut again) = (fault_rounds(8), 0, 0);
    for round in 0..rounds {
        // Spread evenly over all steps.
        let step = if rounds < steps.len() { round * steps.len() / rounds } else { round % steps.len() };
        let job_id = 3 + i64::try_from(round).unwrap();
        begin(job_id);
        let taken = lab.steps(Some(step)).unwrap();
        let waiting = lab.waiting();
        let is_kept = !waiting.is_empty() || lab.state().join("measured.json").exists();
        lab.end(job_id);
        let at = format!("killed before step {step}, {}", steps[step]);
        println!("{at}: {} wait", waiting.len());
        killed += usize::from(taken.len() == step);
        lab.server.change(|state| {
            let is_again = state.asked.iter().any(|asked| asked == "expired");
            assert!(!(is_kept && is_again), "{at}: what was kept is measured again");
            again += usize::from(is_again);
            assert_arrived(state, &waiting, &at);
        });
        lab.assert_nothing_is_left(&at);
    }
    println!(
        "killed {killed} times at {} steps, 0 lost, 0 duplicated; the job was measured again {again} times",
        steps.len()
    );
}

/// Asserts that all pending reports arrived complete, and that each preset has one run that counts.
fn assert_arrived(state: &State, waiting: &BTreeSet<String>, at: &str) {
    // An unanswered completion is sent again unchanged, so the server counts it once.
    assert!(state.finished.iter().all(|finish| *finish == state.finished[0]), "{at}: {:?}", state.finished);
    assert_eq!(state.finished[0].outcome, JobOutcome::Done, "{at}");
    let mut stored: BTreeMap<String, &RunReport> = BTreeMap::new();
    for run in &state.runs {
        let before = stored.insert(run.run_id.to_string(), run);
        assert!(before.is_none_or(|before| before == run), "{at}: another report under the same id");
    }
    let missing: Vec<_> = waiting.iter().filter(|id| !stored.contains_key(*id)).collect();
    assert!(missing.is_empty(), "{at}: lost {missing:?}");
    let mut presets: Vec<&str> = stored.values().map(|run| run.suite.preset.as_str()).collect();
    presets.sort_unstable();
    assert_eq!(presets, ["one", "two"], "{at}: {:?}", state.asked);
}

impl Lab {
    fn assert_nothing_is_left(&self, at: &str) {
        let state = self.state();
        let among = |folder: &Path, known: &[&str]| {
            let left: Vec<String> =
                names(folder).into_iter().filter(|name| !known.contains(&name.as_str())).collect();
            assert!(left.is_empty(), "{at}: left in {}: {left:?}", folder.display());
        };
        among(&state, &IN_STATE);
        among(&state.join("spool"), &IN_SPOOL);
        assert_eq!(std::fs::read_to_string(state.join("endings.json")).unwrap(), "[]", "{at}");
    }
}
