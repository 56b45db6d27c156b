//! Jobs that are measured, or cannot be, and of which the server is still to be told: kept on the disk, because that may take days.
//!
//! What was measured of a job and how it ended are written as one file, and from there into the spool and among the completions. So
//! an agent that is killed has either done a job, or has done nothing of it and leaves it to whoever takes it next: a report
//! that arrives without its end would be one run, and that of the next agent another one.

use super::server::{Server, ServerError};
use crate::http::Refusal;
use crate::log::Log;
use crate::spool;
use crate::stop::StopSignal;
use roundtrip_wire::lab::Finish;
use roundtrip_wire::{RunId, RunReport};
use serde::{Deserialize, Serialize};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

const FILE: &str = "endings.json";
/// What was measured of a job, until it is in its places.
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
    /// Those of a folder, and with them the job that an agent had measured when it was killed. A file that cannot be read holds
    /// none: their leases expire.
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

    /// Keeps what was measured of a job, and its end. It may be repeated until it succeeds.
    pub(crate) fn keep(&mut self, measured: &Measured) -> crate::Result<()> {
        spool::write_json(&self.measured, measured)?;
        self.file(measured)
    }

    /// Puts what is kept in one file into its places. Where it is already, it is put again: nothing was sent meanwhile.
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

    /// Tells the server of those whose reports it has. Breaks if the agent is to stop.
    pub(crate) fn tell(&mut self, server: &Server, stop: &mut StopSignal, log: &Log) -> ControlFlow<()> {
        let Ok(waiting) = spool::waiting(&self.spool) else { return ControlFlow::Continue(()) };
        let is_due = |completion: &Completion| completion.run_ids.iter().all(|id| !waiting.contains(id));
        let due: Vec<Completion> = self.all.iter().filter(|completion| is_due(completion)).cloned().collect();
        for completion in due {
            let (server, job_id, finish) = (server.clone(), completion.job_id, completion.finish.clone());
            match stop.wait_for(move || server.finish(job_id, &finish))? {
                Some(Ok(())) => log.say(&format!("job {job_id} has ended")),
                Some(Err(ServerError::LeaseLost)) => {
                    log.say(&format!("job {job_id} was given to another agent meanwhile, or is over"));
                }
                Some(Err(ServerError::Refused(Refusal::Final(said)) | ServerError::TooOld(said))) => {
                    log.say(&format!("the end of job {job_id} is not taken: {said}"));
                }
                // Later.
                Some(Err(ServerError::Refused(_))) | None => continue,
            }
            self.all.retain(|other| *other != completion);
            if let Err(failure) = spool::write_json(&self.path, &self.all) {
                log.say(&failure.to_string());
            }
        }
        ControlFlow::Continue(())
    }
}
