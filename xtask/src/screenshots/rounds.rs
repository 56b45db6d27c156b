//! Measuring the history: every commit of the plan once a round, the newest with more, the pull request, and Roundtrip
//! itself.

use super::Plan;
use super::history::{self, Commit, History};
use super::kept::{Kept, Run};
use crate::screen::{self, Step};
use crate::tool::Tool;
use crate::workspace;
use anyhow::{Context, Result};
use serde_json::{Value, json};
use std::path::Path;

/// What every commit is measured with: a definition of the repository.
const EVERY: &str = "ipc.toml";
/// What the newest is measured with besides: all sizes and topologies.
const NEWEST: &str = "nightly.toml";
/// What Roundtrip itself is measured with, so that there is a second project: every transport, and what a published table
/// has.
const OWN: [&str; 2] = ["quick", "chromium-mach"];

/// What a run is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Of<'a> {
    Main(&'a Commit),
    PullRequest(&'a Commit),
    Roundtrip,
}

/// What measures, and where to.
struct Measuring<'a> {
    history: &'a History,
    kept: &'a Kept,
    agent: &'a Path,
    url: &'a str,
    /// The commit of Roundtrip that is checked out.
    suite: String,
}

/// Measures what is not measured yet.
///
/// # Errors
/// The agent fails, or the server does not take a report.
pub(super) fn measure(plan: &Plan, history: &History, kept: &Kept, agent: &Path, url: &str) -> Result<()> {
    let checkout = workspace::checkout()?;
    let changes = if checkout.modified { " with uncommitted changes" } else { "" };
    let suite = format!("{}{changes}", checkout.sha);
    let measuring = Measuring { history, kept, agent, url, suite };
    let all = runs(plan, history);
    let left: Vec<&(Of, Run)> = all.iter().filter(|(_, run)| !kept.has(run)).collect();
    let step = Step::start("measured");
    if left.is_empty() {
        step.done(&format!("all {} runs, before", all.len()));
        return Ok(());
    }
    screen::note(&format!(
        "{} of {} runs are left: the machine should do nothing else",
        left.len(),
        all.len()
    ));
    step.expect(left.len() as u64);
    for (of, run) in left {
        measuring.run(*of, run, &step)?;
        step.advance();
    }
    step.done(&format!("{} runs", all.len()));
    Ok(())
}

/// All that is to be measured, in its order. Rounds lie apart, so that no commit is measured at one moment alone.
fn runs<'a>(plan: &Plan, history: &'a History) -> Vec<(Of<'a>, Run)> {
    let run = |of: Of<'a>, preset, round| (of, Run { sha: of.sha().to_owned(), preset, round });
    let planned = || plan.commits.clone().filter_map(|number| history.commits.get(number - 1)).map(Of::Main);
    // The pull request first, so that the newest run is of the main branch.
    let of_round = || [Of::PullRequest(&history.proposed)].into_iter().chain(planned());
    let own = OWN.map(|preset| run(Of::Roundtrip, preset, 1));
    let rounds = (1..=plan.rounds).flat_map(|round| of_round().map(move |of| run(of, EVERY, round)));
    let newest = history.commits.last().map(|commit| run(Of::Main(commit), NEWEST, 1));
    own.into_iter().chain(rounds).chain(newest).collect()
}

impl Of<'_> {
    /// Roundtrip is measured once, whichever commit of it is checked out later.
    fn sha(&self) -> &str {
        match self {
            Self::Main(commit) | Self::PullRequest(commit) => &commit.sha,
            Self::Roundtrip => "roundtrip",
        }
    }

    fn title(&self) -> &str {
        match self {
            Self::Main(commit) | Self::PullRequest(commit) => &commit.subject,
            Self::Roundtrip => "Roundtrip",
        }
    }
}

impl Measuring<'_> {
    fn run(&self, of: Of<'_>, run: &Run, step: &Step) -> Result<()> {
        step.message(&format!("{}, {}", of.title(), run.preset));
        match of {
            Of::Main(commit) => self.history.check_out(&commit.sha)?,
            Of::PullRequest(_) => self.history.check_out(history::BRANCH)?,
            Of::Roundtrip => (),
        }
        let folder = if of == Of::Roundtrip { workspace::root() } else { self.history.folder() };
        let report = self.kept.folder().join("report.json");
        let measured = self.agent(["run", "--preset", run.preset, "--output"], folder).arguments([&report]);
        measured.run_silently()?.successful()?;
        if matches!(of, Of::PullRequest(_)) {
            propose(&report)?;
        }
        let token = self.kept.data_folder().join("agent.token");
        let upload = self.agent(["upload", "--upload", self.url, "--token-file"], folder);
        upload.arguments([&token, &report]).run_silently()?.successful()?;
        self.kept.note(run, &self.suite)
    }

    /// The agent in a repository; what is built there finds the header of the protocol.
    fn agent<const N: usize>(&self, arguments: [&str; N], folder: &Path) -> Tool {
        Tool::at(self.agent)
            .arguments(arguments)
            .folder(folder)
            .variable("CPATH", workspace::root().join("benches/external/c"))
            .with_all_it_starts()
    }
}

/// Says of which pull request a report is: who asks for it knows the number, git does not.
fn propose(report: &Path) -> Result<()> {
    let text = std::fs::read_to_string(report)
        .with_context(|| format!("cannot read the agent's report {}", report.display()))?;
    let mut value: Value = serde_json::from_str(&text).context("the agent's report is not JSON")?;
    value["pull_request"] = json!(history::PULL_REQUEST);
    std::fs::write(report, value.to_string()).with_context(|| format!("cannot write {}", report.display()))
}

#[cfg(test)]
mod tests {
    use super::super::SHORT;
    use super::*;

    #[test]
    fn every_commit_is_measured_once_a_round_and_the_newest_with_more() {
        let history = History::make().unwrap();
        let all = runs(&SHORT, &history);
        assert_eq!(all.len(), OWN.len() + (1 + 8) * 3 + 1);
        assert_eq!((all[2].1.round, all[11].1.round), (1, 2));
        assert_eq!(all[2].0, all[11].0);
        assert_eq!(all.last().unwrap().1.preset, NEWEST);
        let regressed = all.iter().filter(|(of, _)| of.title() == "Send a message in parts");
        assert_eq!(regressed.count(), 3);
        let proposed = all.iter().filter(|(of, _)| *of == Of::PullRequest(&history.proposed));
        assert_eq!(proposed.count(), 3);
    }
}
