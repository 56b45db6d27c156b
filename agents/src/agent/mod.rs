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
use crate::spool_lock::{self, SpoolLock};
use crate::stop::StopSignal;
use crate::uploader::Uploader;
use crate::{platform, run, spool, upload};
use chrono::{TimeDelta, Utc};
use measured::{Measured, Reason};
use roundtrip_bench::definition::Plan;
use roundtrip_bench::environment;
use roundtrip_bench::harness::{self, PeerCommand};
use roundtrip_wire::{CaseResult, RunId, RunReport, Slug};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

mod measured;

/// How often it looks which commit is checked out. One question to git takes some milliseconds.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);

/// How long it waits before it tries again to write a report to a disk that refused it.
const DISK_PAUSE: Duration = Duration::from_secs(60);

/// What was being written for so long was left behind by a process that was killed. `roundtrip run` may write into the same spool.
const UNFINISHED_AGE_MIN: Duration = Duration::from_secs(3_600);

/// Works until it is told to stop.
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
        let held = spool_lock::hold(&spool)?;
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
        let kept = self.keep(&report, stop)?;
        if let Err(failure) = self.measured.add(commit, report.finished_at) {
            self.log.say(&format!("{failure}; after a restart the same commit would be measured again"));
        }
        self.log.say(&format!("measured {name} in {} s: {}", seconds(&report), told(&report)));
        Ok(kept)
    }

    /// Writes a report into the spool, however long the disk refuses it. Breaks if the agent is to stop meanwhile.
    ///
    /// # Errors
    /// The agent is to stop, and the disk still refuses it.
    fn keep(&self, report: &RunReport, stop: &mut StopSignal) -> crate::Result<ControlFlow<()>> {
        let path = spool::path(&self.spool, report.run_id);
        let mut wanted = ControlFlow::Continue(());
        loop {
            match spool::write_json(&path, report) {
                Ok(()) => return Ok(wanted),
                Err(failure) if wanted.is_break() => return Err(failure),
                Err(failure) => {
                    self.log.say(&format!("{failure}; it is tried again in {} s", DISK_PAUSE.as_secs()));
                    wanted = stop.wait_until(Instant::now() + DISK_PAUSE);
                }
            }
        }
    }

    /// The value, or nothing and a line in the log, unless the last one said the same.
    fn said_once<T>(&mut self, result: crate::Result<T>) -> Option<T> {
        let complaint = result.as_ref().err().map(ToString::to_string);
        if let Some(complaint) = complaint.as_ref().filter(|_| complaint != self.complaint) {
            self.log.say(complaint);
        }
        self.complaint = complaint;
        result.ok()
    }
}

fn seconds(report: &RunReport) -> i64 {
    (report.finished_at - report.started_at).num_seconds()
}

/// What became of its cases.
fn told(report: &RunReport) -> String {
    let count = |is: fn(&CaseResult) -> bool| report.results.iter().filter(|result| is(result)).count();
    let unsupported = count(|result| result.unsupported.is_some());
    let failed = count(|result| !result.failures.is_empty());
    format!("cases {}, not supported here {unsupported}, failed {failed}", report.results.len())
}
