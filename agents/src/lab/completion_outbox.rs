//! Finished jobs that the server does not know of yet. Stored on disk, because the server may be down for
//! days.
//! A job's reports and its completion are first written as one file, then moved to the spool and the outbox.
//! So a killed agent has either done the whole job, or left all of it to the next agent. Otherwise a report
//! without its completion would be stored as one run, and the next agent's as another.

use super::server::{Server, ServerError};
use crate::http::Refusal;
use crate::log::Log;
use crate::spool;
use crate::stop::StopSignal;
use roundtrip_wire::lab::{Finish, JobOutcome};
use roundtrip_wire::{RunId, RunReport};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

const FILE: &str = "endings.json";
/// The results of a job, until they are moved.
const MEASURED: &str = "measured.json";

/// A job, how it ended, and the reports that the server must have first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Completion {
    pub(crate) job_id: i64,
    pub(crate) finish: Finish,
    pub(crate) run_ids: Vec<RunId>,
}

#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Measured {
    #[serde(rename = "ending")]
    pub(crate) completion: Completion,
    pub(crate) reports: Vec<RunReport>,
}

#[derive(Debug)]
pub(crate) struct CompletionOutbox {
    path: PathBuf,
    spool: PathBuf,
    measured: PathBuf,
    all: Vec<Completion>,
}

impl CompletionOutbox {
    /// Reads the completions of a folder, and the results that a killed agent left. Unreadable files are
    /// skipped: the leases of their jobs expire.
    pub(crate) fn read(folder: &Path, spool: &Path) -> crate::Result<Self> {
        let (path, measured) = (folder.join(FILE), folder.join(MEASURED));
        let mut outbox = Self {
            all: spool::read_json(&path).unwrap_or_default(),
            path,
            spool: spool.to_owned(),
            measured,
        };
        if let Some(measured) = spool::read_json(&outbox.measured) {
            outbox.file(&measured)?;
        }
        Ok(outbox)
    }

    /// Stores the results and the completion of a job. Can be retried until it succeeds.
    pub(crate) fn keep(&mut self, measured: &Measured) -> crate::Result<()> {
        spool::write_json(&self.measured, measured)?;
        self.file(measured)
    }

    /// Moves the contents of the file to the spool and the outbox. Can be repeated, because it sends nothing.
    fn file(&mut self, Measured { completion, reports }: &Measured) -> crate::Result<()> {
        for report in reports {
            spool::write_json(&spool::path(&self.spool, report.run_id), report)?;
        }
        self.all.retain(|other| other != completion);
        self.add(completion.clone())?;
        spool::remove(&self.measured)
    }

    pub(crate) fn add(&mut self, completion: Completion) -> crate::Result<()> {
        self.all.push(completion);
        spool::write_json(&self.path, &self.all)
    }

    /// Sends the completions whose reports are uploaded. Breaks if the agent must stop.
    pub(crate) fn report(&mut self, server: &Server, stop: &mut StopSignal, log: &Log) -> ControlFlow<()> {
        let Ok(waiting) = spool::waiting(&self.spool) else { return ControlFlow::Continue(()) };
        let is_due = |completion: &Completion| completion.run_ids.iter().all(|id| !waiting.contains(id));
        let due: Vec<Completion> = self.all.iter().filter(|completion| is_due(completion)).cloned().collect();
        for completion in due {
            let (server, job_id, finish) = (server.clone(), completion.job_id, completion.finish.clone());
            match stop.wait_for(move || server.finish(job_id, &finish))? {
                Some(Ok(())) => {
                    let is_done = completion.finish.outcome == JobOutcome::Done;
                    let end = if is_done { "done" } else { "failure reported" };
                    log.write(&format!("job {job_id}: {end}"));
                }
                Some(Err(ServerError::LeaseLost)) => {
                    log.write(&format!("job {job_id}: cancelled, or reassigned to another agent"));
                }
                Some(Err(ServerError::Refused(Refusal::Final(message)) | ServerError::TooOld(message))) => {
                    log.write(&format!("job {job_id}: the server rejected its completion: {message}"));
                }
                // Retried later.
                Some(Err(ServerError::Refused(_))) | None => continue,
            }
            self.all.retain(|other| *other != completion);
            if let Err(failure) = spool::write_json(&self.path, &self.all) {
                log.write(&failure.to_string());
            }
        }
        ControlFlow::Continue(())
    }
}
