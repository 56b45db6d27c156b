//! `roundtrip agent` on an enrolled machine: takes jobs from its server, measures them and keeps the reports
//! until they are uploaded.
//!
//! - [`identity`]: its key and token. `server`: its requests. `health`: the state of the machine.
//! - `job`: one job. `checkout`: builds its commits. [`runner`]: runs its commands as the job user.
//! - `heartbeat`: sent between repetitions. `completion_outbox`: completions the server has not received.
//! - [`update`]: updates of its own program.
//!
//! It does one thing at a time, so it does not use the network while it measures.

mod checkout;
mod completion_outbox;
mod health;
mod heartbeat;
pub(crate) mod identity;
mod job;
pub(crate) mod runner;
pub(crate) mod server;
pub(crate) mod update;

use crate::cli::LabArguments;
use crate::failure::OnDisk;
use crate::http::Refusal;
use crate::log::Log;
use crate::spool::SpoolLock;
use crate::stop::StopSignal;
use crate::uploader::Uploader;
use crate::{http, platform, run, spool};
use backon::ExponentialBackoff;
use checkout::Checkouts;
use chrono::{TimeDelta, Utc};
use completion_outbox::{Completion, CompletionOutbox, Measured};
use health::Watch;
use heartbeat::{Heartbeat, Interrupted};
use identity::Identity;
use job::{JobRunner, NoReports, Worked};
use roundtrip_wire::lab::{
    AgentStatus, Assignment, Finish, IDENTICAL_PROGRAM, JobOutcome, PROTOCOLS, last_part,
};
use runner::{Confinement, LockedUser, Output, Runner};
use server::{Server, ServerError};
use std::fs;
use std::io;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};
use update::Updater;

/// A token is renewed when it has less than this left: half of its lifetime.
const RENEWED_BEFORE: TimeDelta = TimeDelta::days(7);
/// Delay between attempts while the server is unreachable.
const PAUSE_MIN: Duration = Duration::from_secs(1);
const PAUSE_MAX: Duration = Duration::from_secs(60);
/// Delay between attempts after an error that needs a person.
const REFUSED_PAUSE: Duration = Duration::from_secs(60);

pub(crate) struct Lab<'a> {
    log: &'a Log,
    identity: Identity,
    server: Server,
    spool: PathBuf,
    uploader: Uploader,
    completions: CompletionOutbox,
    watch: Watch,
    job_runner: JobRunner,
    updater: Updater,
    pauses: ExponentialBackoff,
    /// The last message about the server, to log it only once.
    last_message: Option<String>,
    /// Dropped last.
    _held: (SpoolLock, Option<LockedUser>),
}

impl<'a> Lab<'a> {
    /// Checks everything before taking a job.
    pub(crate) fn prepare(arguments: &LabArguments, log: &'a Log) -> crate::Result<Self> {
        let folder = identity::folder(arguments.state.as_deref())?;
        let trial = update::count_start(&folder, log)?;
        let identity = Identity::read(&folder)?;
        let confinement = confinement(arguments, &folder)?;
        let spool = folder.join("spool");
        let held = (spool::lock(&spool)?, confinement.lock_user()?);
        // A killed agent may have left processes of a job.
        confinement.sweep();
        for (folder, mode) in [(&folder, identity::TRAVERSABLE), (&spool, checkout::PRIVATE)] {
            platform::set_mode(folder, mode).on_disk(folder)?;
            spool::sweep(folder, Duration::ZERO)?;
            make_private(folder).on_disk(folder)?;
        }
        if let (Confinement::Confined { .. }, Err(reason)) = (&confinement, platform::can_limit_total()) {
            log.write(&format!(
                "the total memory of a job is not limited, only that of each process: {reason}"
            ));
        }
        let runner = Runner {
            confinement,
            timeout: arguments.commands.timeout,
            disk_bytes: arguments.disk_mib_max << 20,
        };
        runner.check()?;
        let checkouts =
            Checkouts { folder: folder.clone(), runner, allows_local: arguments.allow_local_repositories };
        let machine = identity.enrolled.machine.clone();
        log.write(&format!(
            "roundtrip {}: taking jobs for {machine} from {}; state in {}",
            env!("CARGO_PKG_VERSION"),
            identity.enrolled.server,
            folder.display(),
        ));
        let updater = Updater::new(&identity, trial, log)?;
        Ok(Self {
            log,
            updater,
            server: Server::new(&identity),
            uploader: Uploader::new(identity.enrolled.server.clone(), identity.token_file(), spool.clone()),
            completions: CompletionOutbox::read(&folder, &spool)?,
            watch: Watch::read(&folder, &spool),
            job_runner: JobRunner { checkouts, peer: run::peer()?, machine },
            spool,
            identity,
            pauses: pauses(),
            last_message: None,
            _held: held,
        })
    }

    pub(crate) fn run(mut self, mut stop: StopSignal) -> crate::Result<()> {
        platform::ready();
        while self.turn(&mut stop)?.is_continue() {}
        self.updater.stopped(self.log);
        self.log.write("stopped");
        Ok(())
    }

    /// Sends pending reports and completions, then does the next job. Breaks when it must stop.
    fn turn(&mut self, stop: &mut StopSignal) -> crate::Result<ControlFlow<()>> {
        if self.renew(stop).is_break() || self.send(stop).is_break() {
            return Ok(ControlFlow::Break(()));
        }
        let (server, status) = (self.server.clone(), self.status());
        let ControlFlow::Continue(claimed) = stop.wait_for(move || server.claim(status)) else {
            return Ok(ControlFlow::Break(()));
        };
        match &claimed {
            Some(Ok(_) | Err(ServerError::TooOld(_))) => self.updater.answered(self.log),
            _ => self.updater.unanswered(self.log)?,
        }
        match claimed {
            Some(Ok(job)) => {
                self.pauses = pauses();
                self.last_message = None;
                match job {
                    Some(job) => self.work(&job, stop),
                    None if self.look(false, stop).is_break() => Ok(ControlFlow::Break(())),
                    // Random, so that agents do not poll at the same time.
                    None => Ok(self.wait(stop, PAUSE_MIN.mul_f64(rand::random::<f64>()))),
                }
            }
            Some(Err(ServerError::TooOld(_))) if self.look(true, stop).is_break() => {
                Ok(ControlFlow::Break(()))
            }
            Some(Err(error)) => Ok(self.back_off(error, stop)),
            None => Ok(self.wait(stop, PAUSE_MAX)),
        }
    }

    /// Updates the program if there is a newer one and no report is pending. If the server no longer
    /// supports this version, updates despite pending reports.
    fn look(&mut self, is_urgent: bool, stop: &mut StopSignal) -> ControlFlow<()> {
        let waits = spool::waiting(&self.spool).map_or(true, |waiting| !waiting.is_empty());
        if waits && !is_urgent {
            return ControlFlow::Continue(());
        }
        self.updater.look(is_urgent, &self.server, stop, self.log)
    }

    fn back_off(&mut self, error: ServerError, stop: &mut StopSignal) -> ControlFlow<()> {
        let message = error.to_string();
        let pause = match error {
            ServerError::Refused(Refusal::Temporary(_, asked)) => {
                let ours = self.pauses.next().unwrap_or(PAUSE_MAX);
                ours.max(asked.unwrap_or_default())
            }
            ServerError::Refused(Refusal::Token(_)) => {
                // The token may have expired while the machine was off: get another one with the key.
                self.identity.enrolled.token_expires_at = Utc::now();
                self.pauses.next().unwrap_or(PAUSE_MAX)
            }
            ServerError::Refused(Refusal::Final(_)) | ServerError::TooOld(_) | ServerError::LeaseLost => {
                REFUSED_PAUSE
            }
        };
        self.log.write_once(&mut self.last_message, message);
        self.wait(stop, pause)
    }

    fn wait(&self, stop: &mut StopSignal, pause: Duration) -> ControlFlow<()> {
        let until = Instant::now() + pause;
        stop.wait_until(self.uploader.next().map_or(until, |next| next.min(until)))
    }

    /// Renews the token in the second half of its lifetime.
    fn renew(&mut self, stop: &mut StopSignal) -> ControlFlow<()> {
        if self.identity.enrolled.token_expires_at - Utc::now() > RENEWED_BEFORE {
            return ControlFlow::Continue(());
        }
        stop.check()?;
        match server::renew(&self.identity) {
            Ok(token) => {
                if let Err(failure) = self.identity.renew(&token) {
                    self.log.write(&format!("cannot save the new token: {failure}"));
                } else {
                    self.log.write(&format!("token renewed until {}", token.expires_at));
                }
            }
            // The current token may still be valid; the next request shows it.
            Err(refusal) => self.log.write_once(&mut self.last_message, refusal.to_string()),
        }
        ControlFlow::Continue(())
    }

    fn send(&mut self, stop: &mut StopSignal) -> ControlFlow<()> {
        self.uploader.deliver(stop, self.log)?;
        self.completions.report(&self.server, stop, self.log)
    }

    fn status(&mut self) -> AgentStatus {
        let waiting = spool::waiting(&self.spool).map_or(0, |waiting| waiting.len());
        AgentStatus {
            protocol_min: *PROTOCOLS.start(),
            protocol_max: *PROTOCOLS.end(),
            version: env!("CARGO_PKG_VERSION").into(),
            health: self.watch.health(),
            spooled_count: u32::try_from(waiting).unwrap_or(u32::MAX),
        }
    }

    fn work(&mut self, job: &Assignment, stop: &mut StopSignal) -> crate::Result<ControlFlow<()>> {
        let name = format!("job {}: {} of {}", job.job_id, job.commit_sha.short(), job.project);
        self.log.write(&format!("{name}: started"));
        let mut output = Output::default();
        let worked = {
            let mut heartbeat = Heartbeat::new(&self.server, job.lease(), stop);
            self.job_runner.work(job, &mut output, &mut heartbeat)
        };
        match worked {
            Ok(Worked { reports, identical }) => {
                let run_ids = reports.iter().map(|report| report.run_id).collect();
                let is_identical = reports.is_empty() && identical > 0;
                let reason = is_identical.then(|| IDENTICAL_PROGRAM.to_owned());
                let finish = finish(job, JobOutcome::Done, reason, &output);
                let completion = Completion { job_id: job.job_id, finish, run_ids };
                let measured = Measured { completion, reports };
                let kept = spool::write_at_last(|| self.completions.keep(&measured), stop, self.log)?;
                self.log.write(&format!("{name}: measured"));
                Ok(kept)
            }
            Err(NoReports::Failed(reason)) => {
                self.log.write(&format!("{name}: failed: {reason}"));
                let finish = finish(job, JobOutcome::Failed, Some(reason), &output);
                let completion = Completion { job_id: job.job_id, finish, run_ids: Vec::new() };
                if let Err(failure) = self.completions.add(completion) {
                    self.log.write(&format!(
                        "{failure}; after a restart, the completion of job {} is lost",
                        job.job_id
                    ));
                }
                Ok(stop.check())
            }
            Err(NoReports::Interrupted(Interrupted::Lost)) => {
                self.log
                    .write(&format!("{name}: abandoned; it was cancelled or reassigned to another agent"));
                Ok(stop.check())
            }
            Err(NoReports::Interrupted(Interrupted::Stopped)) => {
                self.log.write(&format!("{name}: released; the agent is stopping"));
                let reason = "the agent was stopped".to_owned();
                let finish = finish(job, JobOutcome::Released, Some(reason), &output);
                // Try once: if it fails, the lease expires.
                let _ = self.server.finish(job.job_id, &finish);
                Ok(ControlFlow::Break(()))
            }
        }
    }
}

/// The checks at the start of an agent, without starting one.
pub(crate) fn check(arguments: &LabArguments) -> crate::Result<()> {
    let folder = identity::folder(arguments.state.as_deref())?;
    let identity = Identity::read(&folder)?;
    identity.enrolled.update_key.as_deref().map(update::parse_key).transpose()?;
    confinement(arguments, &folder).map(drop)
}

/// Makes the files of a state folder private: older versions wrote them for all users.
fn make_private(folder: &Path) -> io::Result<()> {
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.extension().is_some_and(|extension| extension == "json") {
            platform::set_mode(&path, 0o600)?;
        }
    }
    Ok(())
}

fn confinement(arguments: &LabArguments, state: &Path) -> crate::Result<Confinement> {
    Confinement::new(
        state,
        arguments.job_user.as_deref(),
        arguments.trust_repositories,
        arguments.memory_mib_max << 20,
        arguments.disk_mib_max << 20,
    )
}

fn finish(job: &Assignment, outcome: JobOutcome, reason: Option<String>, output: &Output) -> Finish {
    let reason = reason.map(|reason| last_part(&reason).to_owned());
    Finish { fence: job.fence, outcome, reason, output: output.text().to_owned() }
}

fn pauses() -> ExponentialBackoff {
    http::growing_pauses(PAUSE_MIN, PAUSE_MAX)
}
