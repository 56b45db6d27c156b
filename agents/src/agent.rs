//! `roundtrip agent --repository`: measures each new commit of a checkout, and a range of old ones, and keeps every report
//! until the server has accepted it. For enrolled machines, see [`crate::lab`].
//! Each commit is built in its own temporary work tree, as its `roundtrip.toml` says.
//! It does one thing at a time, so it does not use the network while it measures. It checks for a new commit
//! every few seconds.

use crate::build::Limits;
use crate::cli::{AgentArguments, Watched};
use crate::delivery::Subject;
use crate::failure::Failure;
use crate::format::counted;
use crate::history::{self, History, Levels};
use crate::lab::{self, Lab};
use crate::log::Log;
use crate::programs::{self, CommitTree};
use crate::repository::{Git, Repository};
use crate::revision::Revision;
use crate::settings::{self, Settings};
use crate::spool::SpoolLock;
use crate::stop::StopSignal;
use crate::uploader::Uploader;
use crate::{import, platform, presets, run, spool, upload};
use chrono::{DateTime, TimeDelta, Utc};
use roundtrip_bench::definition::Plan;
use roundtrip_bench::environment;
use roundtrip_bench::harness::{self, PeerCommand};
use roundtrip_wire::{CaseResult, CommitSha, RunId, RunReport, Slug};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;
use std::fs;
use std::io::ErrorKind;
use std::num::NonZeroUsize;
use std::ops::ControlFlow;
use std::path::{MAIN_SEPARATOR, Path, PathBuf};
use std::time::{Duration, Instant};

/// The interval of checks for a new commit. A call of git takes a few milliseconds.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);

/// A temporary file of this age was left by a killed process. A younger one may be in use by `roundtrip run`.
const UNFINISHED_AGE_MIN: Duration = Duration::from_secs(3_600);

/// The default preset.
const PRESET: &str = "quick";

pub(crate) fn agent(arguments: AgentArguments) -> crate::Result<()> {
    if arguments.check {
        return lab::check(&arguments.lab);
    }
    let log = Log::open(arguments.log.as_deref())?;
    platform::serve(Box::new(move |stop| {
        let ended = match arguments.work.watched() {
            Some(watched) => Agent::prepare(&arguments, watched, &log).and_then(|agent| agent.run(stop)),
            None => Lab::prepare(&arguments.lab, &log).and_then(|lab| lab.run(stop)),
        };
        if let (Err(failure), Log::File(_)) = (&ended, &log) {
            log.write(&failure.to_string());
        }
        ended
    }))
}

struct Agent<'a> {
    log: &'a Log,
    git: Git,
    root: PathBuf,
    /// The preset for every commit; by default, each commit's settings name its own.
    plan: Option<Plan>,
    project: Option<Slug>,
    machine: Option<Slug>,
    every: TimeDelta,
    history: Option<History>,
    /// Measures every commit of the history whose number this divides.
    step: NonZeroUsize,
    /// The timeout of each command of a commit.
    timeout: Duration,
    peer: PeerCommand,
    spool: PathBuf,
    measured: Measured,
    uploader: Uploader,
    /// The last message about the repository, to log it only once.
    last_message: Option<String>,
    /// Dropped last.
    _held: SpoolLock,
}

impl<'a> Agent<'a> {
    /// Checks all arguments before measuring.
    fn prepare(arguments: &AgentArguments, watched: Watched<'_>, log: &'a Log) -> crate::Result<Self> {
        let work = &arguments.work;
        let plan = work.preset.as_deref().map(presets::plan).transpose()?;
        let git = Git::named(watched.repository);
        let Repository { root, name, .. } = Repository::read(&git)?;
        let every = TimeDelta::from_std(work.every)
            .map_err(|_| Failure::Usage("--every is too long: expected hours or days, such as 12h".into()))?;
        let history = History::read(&git, &root, arguments)?;
        upload::check_address(watched.upload)?;
        if watched.token_file == Path::new("-") {
            return Err(Failure::Usage(
                "--token-file cannot be `-` here: the agent reads the token before each upload. Pass a file."
                    .into(),
            ));
        }
        upload::token_in(watched.token_file)?;

        let spool = arguments.spool.clone().unwrap_or_else(spool::folder);
        let held = spool::lock(&spool)?;
        spool::sweep(&spool, UNFINISHED_AGE_MIN)?;
        let project = work.project.clone().unwrap_or_else(|| Slug::from_name(&name));
        let preset = plan.as_ref().map(|plan| plan.preset.clone());
        log.write(&format!(
            "roundtrip {}: measuring {} with {}; reports in {}; uploading to {}",
            env!("CARGO_PKG_VERSION"),
            root.display(),
            preset.as_ref().map_or("each commit's presets", Slug::as_str),
            spool.display(),
            watched.upload
        ));
        let (measured, warning) = Measured::read(&spool, project, preset);
        if let Some(warning) = warning {
            log.write(&warning);
        }
        Ok(Self {
            log,
            git,
            root,
            plan,
            project: work.project.clone(),
            machine: work.machine.clone(),
            every,
            history,
            step: arguments.step,
            timeout: arguments.lab.commands.timeout,
            peer: run::peer()?,
            uploader: Uploader::new(watched.upload.into(), watched.token_file.into(), spool.clone()),
            spool,
            measured,
            last_message: None,
            _held: held,
        })
    }

    fn run(mut self, mut stop: StopSignal) -> crate::Result<()> {
        platform::ready();
        while self.turn(&mut stop)?.is_continue() {}
        self.log.write("stopped");
        Ok(())
    }

    /// Uploads pending reports, measures if due, or waits. Breaks when it must stop.
    fn turn(&mut self, stop: &mut StopSignal) -> crate::Result<ControlFlow<()>> {
        if self.uploader.deliver(stop, self.log).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let due = self.due();
        if let Some((commit, reason)) = self.log_once(due).flatten() {
            return self.measure(&commit, reason, stop);
        }
        let look = Instant::now() + LOOK_INTERVAL;
        Ok(stop.wait_until(self.uploader.next().map_or(look, |then| then.min(look))))
    }

    /// The commit to measure now, if there is one, and the reason.
    fn due(&mut self) -> crate::Result<Option<(CommitSha, Reason)>> {
        let head = self.git.head()?;
        if let Some(reason) = self.measured.due(&head, Utc::now(), self.every) {
            return Ok(Some((head, reason)));
        }
        let Some(history) = &mut self.history else { return Ok(None) };
        let step = self.step;
        let (commits, measured) = (history.commits(&self.git, &head)?, self.measured.levels());
        let left = history::left(commits, &measured, step);
        Ok(history::next(commits, &measured, step).map(|next| (next.clone(), Reason::Old { left })))
    }

    fn measure(
        &mut self,
        commit: &CommitSha,
        reason: Reason,
        stop: &mut StopSignal,
    ) -> crate::Result<ControlFlow<()>> {
        let checked_out = self.check_out(commit, reason);
        let Some((repository, revision)) = self.log_once(checked_out) else {
            return Ok(stop.wait_until(Instant::now() + LOOK_INTERVAL));
        };
        let name = format!("{} ({})", commit.short(), repository.commit.subject);
        self.log.write(&match reason {
            Reason::New => format!("measuring {name}"),
            Reason::Again => format!("measuring {name} again: no new commit"),
            Reason::Old { left: 0 } => format!("measuring {name} between two that differ"),
            Reason::Old { left } => {
                format!("measuring {name}; {} left in the range", counted(left, "commit"))
            }
        });
        let reports = match self.reports(repository, &revision, stop) {
            Ok(Some(reports)) => reports,
            Ok(None) => {
                self.log.write(&format!("stopped while measuring {name}: this run is discarded"));
                return Ok(ControlFlow::Break(()));
            }
            Err(failure) => {
                // The temporary folder means nothing to a reader.
                let folder = revision.path().display().to_string();
                let reason = failure.to_string().replace(&format!("{folder}{MAIN_SEPARATOR}"), "");
                self.remember(commit, Some(reason.clone()), Levels::new());
                self.log.write(&format!("skipped {name}: {reason}"));
                return Ok(ControlFlow::Continue(()));
            }
        };
        let mut wanted = ControlFlow::Continue(());
        for report in &reports {
            let path = spool::path(&self.spool, report.run_id);
            if spool::write_at_last(|| spool::write_json(&path, report), stop, self.log)?.is_break() {
                wanted = ControlFlow::Break(());
            }
        }
        self.remember(commit, None, history::levels(&reports)?);
        for report in &reports {
            let seconds = (report.finished_at - report.started_at).num_seconds();
            let preset = &report.suite.preset;
            self.log.write(&format!("measured {name} with {preset} in {seconds} s: {}", summary(report)));
        }
        Ok(wanted)
    }

    /// Checks a commit out in a temporary work tree.
    fn check_out(&self, commit: &CommitSha, reason: Reason) -> crate::Result<(Repository, Revision)> {
        let mut repository = Repository::read(&self.git)?.at(&self.git, commit)?;
        let branch = self.history.as_ref().and_then(History::branch);
        if let (Reason::Old { .. }, Some(branch)) = (reason, branch) {
            repository.branch = Some(branch.to_owned());
        }
        Ok((repository, Revision::check_out(&self.git, &self.root, commit)?))
    }

    /// Builds a commit and measures all its presets. `None` if the agent must stop.
    fn reports(
        &self,
        repository: Repository,
        revision: &Revision,
        stop: &mut StopSignal,
    ) -> crate::Result<Option<Vec<RunReport>>> {
        let (settings, is_newer) = self.settings(revision)?;
        if is_newer {
            let head = self.git.head()?;
            self.log.write(&format!(
                "it has no {}: measuring it with that of {}",
                settings::FILE,
                head.short()
            ));
        }
        settings.check_machine(&environment::machine(self.machine.clone()).slug)?;
        // A requested preset is measured alone.
        let commands = if self.plan.is_none() { &settings.command[..] } else { &[] };
        let plans = self.plans(&settings, revision)?;
        let mut cases = plans.iter().flat_map(|plan| &plan.cases);
        if !commands.is_empty() || cases.any(|case| case.declared().is_some()) {
            let built = revision.build(&settings.build, self.limits(stop));
            if stop.check().is_break() {
                return Ok(None);
            }
            built?;
        }
        plans.iter().try_for_each(|plan| revision.check_programs(plan))?;

        let subject = Subject {
            project: settings.project(self.project.as_ref(), &repository.name),
            repository,
            machine: self.machine.clone(),
            pull_request: None,
        };
        let mut reports = Vec::new();
        for plan in &plans {
            let tree = CommitTree { root: revision.path(), unbuilt: None };
            let programs = programs::measured(&plan.cases, Some(tree));
            let ControlFlow::Continue(outcome) =
                harness::run_until(plan, &self.peer, rand::random(), &mut |_| stop.check())
            else {
                return Ok(None);
            };
            reports.push(subject.clone().report(RunId::draw(), &plan.preset, programs, outcome));
        }
        for imported in commands {
            let results = import::results(imported, revision.path(), &mut self.limits(stop));
            if stop.check().is_break() {
                return Ok(None);
            }
            let (file, bytes) = results?;
            reports.push(import::report(subject.clone(), &file, &bytes, imported.format)?.0);
        }
        Ok(Some(reports))
    }

    /// The settings of a commit. One in the range may be older than the settings: it is measured with those of the checked-out
    /// commit. Returns whether they are newer.
    fn settings(&self, revision: &Revision) -> crate::Result<(Settings, bool)> {
        match self.history {
            Some(_) if self.plan.is_none() => revision.settings(&self.git.head()?),
            _ => Ok((Settings::read(revision.path())?, false)),
        }
    }

    fn plans(&self, settings: &Settings, revision: &Revision) -> crate::Result<Vec<Plan>> {
        if let Some(plan) = &self.plan {
            let cases = plan.cases.iter().map(|case| revision.place(case)).collect::<crate::Result<_>>()?;
            return Ok(vec![Plan { cases, ..plan.clone() }]);
        }
        if settings.presets.is_empty() && settings.command.is_empty() {
            return Ok(vec![presets::plan(PRESET)?]);
        }
        settings.presets.iter().map(|preset| revision.plan(&preset.within(revision.path()))).collect()
    }

    fn limits<'s>(&self, stop: &'s mut StopSignal) -> Limits<'s> {
        Limits { timeout: self.timeout, stop }
    }

    /// Remembers that a commit was measured, or skipped for a reason.
    fn remember(&mut self, commit: &CommitSha, skipped: Option<String>, levels: Levels) {
        if let Err(failure) = self.measured.add(commit.clone(), Utc::now(), skipped, levels) {
            self.log.write(&format!("{failure}; after a restart, the agent will measure this commit again"));
        }
    }

    /// The value, or `None` and a line in the log, unless the last line was the same.
    fn log_once<T>(&mut self, result: crate::Result<T>) -> Option<T> {
        match &result {
            Ok(_) => self.last_message = None,
            Err(failure) => self.log.write_once(&mut self.last_message, failure.to_string()),
        }
        result.ok()
    }
}

fn summary(report: &RunReport) -> String {
    let count = |is: fn(&CaseResult) -> bool| report.results.iter().filter(|result| is(result)).count();
    let unsupported = count(|result| result.unsupported.is_some());
    let failed = count(|result| !result.failures.is_empty());
    format!("{} cases, {unsupported} unsupported, {failed} failed", report.results.len())
}

// The measured commits, stored in the spool for restarts.

const FILE: &str = "measured.json";

/// Number of remembered commits. Older ones are measured again when checked out again.
const COMMITS_MAX: usize = 2 * history::COMMITS_MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    New,
    /// The last measurement, of any commit, is this long ago.
    Again,
    /// In the range that the arguments name.
    Old {
        left: usize,
    },
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    project: Slug,
    /// The requested preset; absent if the commit's settings named them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    preset: Option<Slug>,
    commit: CommitSha,
    finished_at: DateTime<Utc>,
    /// Why the commit was not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    skipped: Option<String>,
    /// The levels of its own cases.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    levels: Levels,
}

/// The measured and skipped commits of one project and preset. The file also has those of all others.
#[derive(Debug)]
pub(crate) struct Measured {
    path: PathBuf,
    project: Slug,
    preset: Option<Slug>,
    /// In the order of measurement.
    entries: Vec<Entry>,
}

impl Measured {
    /// Reads the file in this spool. If it is invalid, starts empty and returns a warning.
    pub(crate) fn read(spool: &Path, project: Slug, preset: Option<Slug>) -> (Self, Option<String>) {
        let path = spool.join(FILE);
        let read = match fs::read(&path) {
            Ok(json) => serde_json::from_slice(&json).map_err(|error| error.to_string()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error.to_string()),
        };
        let warning = read
            .as_ref()
            .err()
            .map(|error| format!("{} is invalid, starting with an empty one: {error}", path.display()));
        (Self { path, project, preset, entries: read.unwrap_or_default() }, warning)
    }

    /// Whether to measure this commit now, given the maximum interval between measurements.
    pub(crate) fn due(&self, commit: &CommitSha, now: DateTime<Utc>, every: TimeDelta) -> Option<Reason> {
        if !self.of_this_preset().any(|entry| entry.commit == *commit) {
            return Some(Reason::New);
        }
        let last = self.of_this_preset().map(|entry| entry.finished_at).max()?;
        let elapsed = now - last;
        // A measurement in the future means that the clock was set back.
        (elapsed >= every || elapsed < TimeDelta::zero()).then_some(Reason::Again)
    }

    /// The measured and skipped commits, with their levels.
    pub(crate) fn levels(&self) -> BTreeMap<&CommitSha, &Levels> {
        self.of_this_preset().map(|entry| (&entry.commit, &entry.levels)).collect()
    }

    pub(crate) fn add(
        &mut self,
        commit: CommitSha,
        finished_at: DateTime<Utc>,
        skipped: Option<String>,
        levels: Levels,
    ) -> crate::Result<()> {
        let (project, preset) = (self.project.clone(), self.preset.clone());
        self.entries
            .retain(|other| (&other.project, &other.preset, &other.commit) != (&project, &preset, &commit));
        self.entries.push(Entry { project, preset, commit, finished_at, skipped, levels });
        self.entries.drain(..self.entries.len().saturating_sub(COMMITS_MAX));
        spool::write_json(&self.path, &self.entries)
    }

    fn of_this_preset(&self) -> impl Iterator<Item = &Entry> {
        self.entries.iter().filter(|entry| entry.project == self.project && entry.preset == self.preset)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: TimeDelta = TimeDelta::hours(1);

    fn commit(digit: char) -> CommitSha {
        CommitSha::parse(&digit.to_string().repeat(40)).unwrap()
    }

    fn read(spool: &Path, preset: &str) -> Measured {
        let (measured, warning) =
            Measured::read(spool, Slug::from_name("project"), Some(Slug::from_name(preset)));
        assert_eq!(warning, None);
        measured
    }

    #[test]
    fn commit_is_due_once_and_again_after_the_interval() {
        let spool = tempfile::tempdir().unwrap();
        let now = Utc::now();
        let mut measured = read(spool.path(), "quick");
        assert_eq!(measured.due(&commit('a'), now, HOUR), Some(Reason::New));
        measured.add(commit('a'), now, None, Levels::new()).unwrap();
        assert_eq!(measured.due(&commit('a'), now, HOUR), None);
        assert_eq!(measured.due(&commit('b'), now, HOUR), Some(Reason::New));
        assert_eq!(measured.due(&commit('a'), now + HOUR, HOUR), Some(Reason::Again));
        measured.add(commit('b'), now + HOUR, None, Levels::new()).unwrap();
        assert_eq!(measured.due(&commit('a'), now + HOUR, HOUR), None, "another one was measured meanwhile");
        assert_eq!(
            measured.due(&commit('a'), now - HOUR, HOUR),
            Some(Reason::Again),
            "the clock was set back"
        );
    }

    #[test]
    fn remembers_commits_by_preset_after_a_restart() {
        let spool = tempfile::tempdir().unwrap();
        let now = Utc::now();
        read(spool.path(), "quick").add(commit('a'), now, None, Levels::new()).unwrap();
        read(spool.path(), "full").add(commit('b'), now, None, Levels::new()).unwrap();
        assert_eq!(read(spool.path(), "quick").due(&commit('a'), now, HOUR), None);
        assert_eq!(read(spool.path(), "full").due(&commit('a'), now, HOUR), Some(Reason::New));
    }

    #[test]
    fn forgets_the_oldest_commits() {
        let spool = tempfile::tempdir().unwrap();
        let now = Utc::now();
        let mut measured = read(spool.path(), "quick");
        let entry = |number: usize| {
            let commit = CommitSha::parse(&format!("{number:040x}")).unwrap();
            Entry {
                project: Slug::from_name("project"),
                preset: Some(Slug::from_name("quick")),
                commit,
                finished_at: now,
                skipped: None,
                levels: Levels::new(),
            }
        };
        measured.entries = (0..COMMITS_MAX).map(entry).collect();
        measured.add(entry(5).commit, now, None, Levels::new()).unwrap();
        assert_eq!(measured.entries.len(), COMMITS_MAX);
        measured.add(commit('a'), now, None, Levels::new()).unwrap();
        assert_eq!(measured.entries.len(), COMMITS_MAX);
        assert_eq!(measured.due(&entry(0).commit, now, HOUR), Some(Reason::New));
        assert_eq!(measured.due(&entry(5).commit, now, HOUR), None);
    }

    #[test]
    fn replaces_an_invalid_file_with_a_warning() {
        let spool = tempfile::tempdir().unwrap();
        fs::write(spool.path().join(FILE), "[{").unwrap();
        let (measured, warning) =
            Measured::read(spool.path(), Slug::from_name("project"), Some(Slug::from_name("quick")));
        assert!(warning.is_some_and(|warning| warning.contains("measured.json")));
        assert_eq!(measured.due(&commit('a'), Utc::now(), HOUR), Some(Reason::New));
    }
}
