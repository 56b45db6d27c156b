//! `roundtrip agent`: measures a repository's commits as they are checked out, keeps every report until the server has
//! it, and stops when it is told to. Of a machine that was enrolled it is [`crate::lab`]'s.
//!
//! One thing after the other: nothing is on the network while it measures. It looks for a new commit every few seconds.

use crate::cli::{AgentArguments, Watched};
use crate::delivery::Subject;
use crate::failure::Failure;
use crate::lab::{self, Lab};
use crate::log::Log;
use crate::repository::{Git, Repository};
use crate::settings::Settings;
use crate::spool::SpoolLock;
use crate::stop::StopSignal;
use crate::uploader::Uploader;
use crate::{platform, run, spool, upload};
use chrono::{DateTime, TimeDelta, Utc};
use roundtrip_bench::definition::Plan;
use roundtrip_bench::environment;
use roundtrip_bench::harness::{self, PeerCommand};
use roundtrip_wire::{CaseResult, CommitSha, RunId, RunReport, Slug};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// How often it looks which commit is checked out. One question to git takes some milliseconds.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);

/// What was being written for so long was left behind by a process that was killed. `roundtrip run` may write into the same spool.
const UNFINISHED_AGE_MIN: Duration = Duration::from_secs(3_600);

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
            log.say(&failure.to_string());
        }
        ended
    }))
}

struct Agent<'a> {
    log: &'a Log,
    git: Git,
    plan: Plan,
    project: Slug,
    machine: Option<Slug>,
    every: TimeDelta,
    peer: PeerCommand,
    spool: PathBuf,
    measured: Measured,
    uploader: Uploader,
    /// What was last said of the repository, so that it is said once.
    complaint: Option<String>,
    /// Let go of last.
    _held: SpoolLock,
}

impl<'a> Agent<'a> {
    /// Whatever can be wrong with the arguments is said before anything is measured.
    fn prepare(arguments: &AgentArguments, watched: Watched<'_>, log: &'a Log) -> crate::Result<Self> {
        let work = &arguments.work;
        let plan = run::plan(&work.preset)?;
        let git = Git::named(watched.repository);
        let repository = Repository::read(&git)?;
        let settings = Settings::read(&repository.root)?;
        settings.check_machine(&environment::machine(work.machine.clone()).slug)?;
        let project = settings.project(work.project.as_ref(), &repository.name);
        let every = TimeDelta::from_std(work.every)
            .map_err(|_| Failure::Usage("--every is longer than time: expected some hours or days".into()))?;
        upload::check_address(watched.upload)?;
        if watched.token_file == Path::new("-") {
            return Err(Failure::Usage(
                "an agent reads its token before every upload: expected a file".into(),
            ));
        }
        upload::token_in(watched.token_file)?;

        let spool = arguments.spool.clone().unwrap_or_else(spool::folder);
        let held = spool::hold(&spool)?;
        spool::sweep(&spool, UNFINISHED_AGE_MIN)?;
        let (measured, complaint) = Measured::read(&spool, project.clone(), plan.preset.clone());
        log.say(&format!(
            "roundtrip {}: measures {project} in {} with {}, keeps reports in {}, uploads to {}",
            env!("CARGO_PKG_VERSION"),
            repository.root.display(),
            plan.preset,
            spool.display(),
            watched.upload
        ));
        if let Some(complaint) = complaint {
            log.say(&complaint);
        }
        Ok(Self {
            log,
            git,
            plan,
            project,
            machine: work.machine.clone(),
            every,
            peer: run::peer()?,
            uploader: Uploader::new(watched.upload.into(), watched.token_file.into(), spool.clone()),
            spool,
            measured,
            complaint: None,
            _held: held,
        })
    }

    fn run(mut self, mut stop: StopSignal) -> crate::Result<()> {
        platform::ready();
        while self.turn(&mut stop)?.is_continue() {}
        self.log.say("stopped");
        Ok(())
    }

    /// Uploads what waits, measures what is due, or waits. Breaks when it is to stop.
    fn turn(&mut self, stop: &mut StopSignal) -> crate::Result<ControlFlow<()>> {
        if self.uploader.deliver(stop, self.log).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        if let Some(reason) = self.due() {
            return self.measure(reason, stop);
        }
        let look = Instant::now() + LOOK_INTERVAL;
        Ok(stop.wait_until(self.uploader.next().map_or(look, |then| then.min(look))))
    }

    /// Why the commit that is checked out is to be measured now, if it is.
    fn due(&mut self) -> Option<Reason> {
        let head = self.git.head();
        let commit = self.said_once(head)?;
        self.measured.due(&commit, Utc::now(), self.every)
    }

    fn measure(&mut self, reason: Reason, stop: &mut StopSignal) -> crate::Result<ControlFlow<()>> {
        let read = Repository::read(&self.git);
        let Some(repository) = self.said_once(read) else {
            return Ok(stop.wait_until(Instant::now() + LOOK_INTERVAL));
        };
        let (id, commit) = (RunId::draw(), repository.commit.sha.clone());
        let name = format!("{} ({})", commit.short(), repository.commit.subject);
        self.log.say(&match reason {
            Reason::New => format!("measures {name}"),
            Reason::Again => format!("measures {name} again: nothing new came up"),
        });
        let ControlFlow::Continue(outcome) =
            harness::run_until(&self.plan, &self.peer, rand::random(), &mut |_| stop.check())
        else {
            self.log.say(&format!("told to stop while it measured {name}: that run is not reported"));
            return Ok(ControlFlow::Break(()));
        };
        let subject = Subject {
            repository,
            project: self.project.clone(),
            machine: self.machine.clone(),
            pull_request: None,
        };
        let report = subject.report(id, &self.plan.preset, outcome);
        let path = spool::path(&self.spool, report.run_id);
        let kept = spool::write_at_last(|| spool::write_json(&path, &report), stop, self.log)?;
        if let Err(failure) = self.measured.add(commit, report.finished_at) {
            self.log.say(&format!("{failure}; after a restart the same commit would be measured again"));
        }
        self.log.say(&format!("measured {name} in {} s: {}", seconds(&report), told(&report)));
        Ok(kept)
    }

    /// The value, or nothing and a line in the log, unless the last one said the same.
    fn said_once<T>(&mut self, result: crate::Result<T>) -> Option<T> {
        match &result {
            Ok(_) => self.complaint = None,
            Err(failure) => self.log.say_once(&mut self.complaint, failure.to_string()),
        }
        result.ok()
    }
}

fn seconds(report: &RunReport) -> i64 {
    (report.finished_at - report.started_at).num_seconds()
}

fn told(report: &RunReport) -> String {
    let count = |is: fn(&CaseResult) -> bool| report.results.iter().filter(|result| is(result)).count();
    let unsupported = count(|result| result.unsupported.is_some());
    let failed = count(|result| !result.failures.is_empty());
    format!("cases {}, not supported here {unsupported}, failed {failed}", report.results.len())
}

// Which commits an agent has measured, kept in its spool so that it knows after a restart.

const FILE: &str = "measured.json";

/// Commits that are remembered. An older one is measured again when it is checked out again.
const COMMITS_MAX: usize = 1_000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    New,
    /// The last measurement, of whatever commit, is so long ago.
    Again,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Entry {
    project: Slug,
    preset: Slug,
    commit: CommitSha,
    finished_at: DateTime<Utc>,
}

/// What was measured of one project with one preset. The file holds that of all.
#[derive(Debug)]
pub(crate) struct Measured {
    path: PathBuf,
    project: Slug,
    preset: Slug,
    /// The one that was measured last stands last.
    entries: Vec<Entry>,
}

impl Measured {
    /// Reads what this spool remembers, and says why it remembers nothing if its file is no use.
    pub(crate) fn read(spool: &Path, project: Slug, preset: Slug) -> (Self, Option<String>) {
        let path = spool.join(FILE);
        let read = match fs::read(&path) {
            Ok(json) => serde_json::from_slice(&json).map_err(|error| error.to_string()),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(Vec::new()),
            Err(error) => Err(error.to_string()),
        };
        let complaint = read.as_ref().err().map(|error| format!("{} is begun anew: {error}", path.display()));
        (Self { path, project, preset, entries: read.unwrap_or_default() }, complaint)
    }

    /// Whether this commit is to be measured now, if one is to be measured at least this often.
    pub(crate) fn due(&self, commit: &CommitSha, now: DateTime<Utc>, every: TimeDelta) -> Option<Reason> {
        if !self.ours().any(|entry| entry.commit == *commit) {
            return Some(Reason::New);
        }
        let last = self.ours().map(|entry| entry.finished_at).max()?;
        let elapsed = now - last;
        // A measurement in the future was made before the clock was set back.
        (elapsed >= every || elapsed < TimeDelta::zero()).then_some(Reason::Again)
    }

    pub(crate) fn add(&mut self, commit: CommitSha, finished_at: DateTime<Utc>) -> crate::Result<()> {
        let (project, preset) = (self.project.clone(), self.preset.clone());
        self.entries
            .retain(|other| (&other.project, &other.preset, &other.commit) != (&project, &preset, &commit));
        self.entries.push(Entry { project, preset, commit, finished_at });
        self.entries.drain(..self.entries.len().saturating_sub(COMMITS_MAX));
        spool::write_json(&self.path, &self.entries)
    }

    fn ours(&self) -> impl Iterator<Item = &Entry> {
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
        let (measured, complaint) =
            Measured::read(spool, Slug::from_name("project"), Slug::from_name(preset));
        assert_eq!(complaint, None);
        measured
    }

    #[test]
    fn a_commit_is_due_once_and_then_when_the_last_measurement_is_old() {
        let spool = tempfile::tempdir().unwrap();
        let now = Utc::now();
        let mut measured = read(spool.path(), "quick");
        assert_eq!(measured.due(&commit('a'), now, HOUR), Some(Reason::New));
        measured.add(commit('a'), now).unwrap();
        assert_eq!(measured.due(&commit('a'), now, HOUR), None);
        assert_eq!(measured.due(&commit('b'), now, HOUR), Some(Reason::New));
        assert_eq!(measured.due(&commit('a'), now + HOUR, HOUR), Some(Reason::Again));
        measured.add(commit('b'), now + HOUR).unwrap();
        assert_eq!(measured.due(&commit('a'), now + HOUR, HOUR), None, "another one was measured meanwhile");
        assert_eq!(
            measured.due(&commit('a'), now - HOUR, HOUR),
            Some(Reason::Again),
            "the clock was set back"
        );
    }

    #[test]
    fn what_was_measured_is_known_after_a_restart_and_only_for_the_same_preset() {
        let spool = tempfile::tempdir().unwrap();
        let now = Utc::now();
        read(spool.path(), "quick").add(commit('a'), now).unwrap();
        read(spool.path(), "full").add(commit('b'), now).unwrap();
        assert_eq!(read(spool.path(), "quick").due(&commit('a'), now, HOUR), None);
        assert_eq!(read(spool.path(), "full").due(&commit('a'), now, HOUR), Some(Reason::New));
    }

    #[test]
    fn the_oldest_are_forgotten_first_and_the_same_commit_counts_once() {
        let spool = tempfile::tempdir().unwrap();
        let now = Utc::now();
        let mut measured = read(spool.path(), "quick");
        let entry = |number: usize| {
            let commit = CommitSha::parse(&format!("{number:040x}")).unwrap();
            Entry {
                project: Slug::from_name("project"),
                preset: Slug::from_name("quick"),
                commit,
                finished_at: now,
            }
        };
        measured.entries = (0..COMMITS_MAX).map(entry).collect();
        measured.add(entry(5).commit, now).unwrap();
        assert_eq!(measured.entries.len(), COMMITS_MAX);
        measured.add(commit('a'), now).unwrap();
        assert_eq!(measured.entries.len(), COMMITS_MAX);
        assert_eq!(measured.due(&entry(0).commit, now, HOUR), Some(Reason::New));
        assert_eq!(measured.due(&entry(5).commit, now, HOUR), None);
    }

    #[test]
    fn a_file_that_is_no_use_is_begun_anew_and_told() {
        let spool = tempfile::tempdir().unwrap();
        fs::write(spool.path().join(FILE), "[{").unwrap();
        let (measured, complaint) =
            Measured::read(spool.path(), Slug::from_name("project"), Slug::from_name("quick"));
        assert!(complaint.is_some_and(|complaint| complaint.contains("measured.json")));
        assert_eq!(measured.due(&commit('a'), Utc::now(), HOUR), Some(Reason::New));
    }
}
