//! Jobs that are measured, or cannot be, and of which the server is still to be told: kept on the disk, because that may take days.

use super::server::{Server, Trouble};
use crate::agent::inbox::Inbox;
use crate::agent::log::Log;
use crate::spool;
use crate::upload::Refusal;
use roundtrip_wire::RunId;
use roundtrip_wire::lab::Finish;
use serde::{Deserialize, Serialize};
use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

const FILE: &str = "endings.json";

/// A job, how it ended, and the reports that the server must have first.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Ending {
    pub(crate) job_id: i64,
    pub(crate) finish: Finish,
    pub(crate) run_ids: Vec<RunId>,
}

/// Those that are still to be told.
#[derive(Debug)]
pub(crate) struct Endings {
    path: PathBuf,
    all: Vec<Ending>,
}

impl Endings {
    /// Those of a folder. A file that cannot be read holds none: their leases expire.
    pub(crate) fn read(folder: &Path) -> Self {
        let path = folder.join(FILE);
        let all = fs::read(&path).ok().and_then(|json| serde_json::from_slice(&json).ok());
        Self { path, all: all.unwrap_or_default() }
    }

    /// Keeps another one.
    ///
    /// # Errors
    /// The disk refuses: it is told all the same while this process lives.
    pub(crate) fn add(&mut self, ending: Ending) -> crate::Result<()> {
        self.all.push(ending);
        spool::write_json(&self.path, &self.all)
    }

    /// Tells the server of those whose reports it has. Breaks if the agent is to stop.
    pub(crate) fn tell(
        &mut self,
        spool: &Path,
        server: &Server,
        inbox: &mut Inbox,
        log: &Log,
    ) -> ControlFlow<()> {
        let Ok(waiting) = spool::waiting(spool) else { return ControlFlow::Continue(()) };
        let is_due = |ending: &Ending| ending.run_ids.iter().all(|id| !waiting.contains(id));
        let due: Vec<Ending> = self.all.iter().filter(|ending| is_due(ending)).cloned().collect();
        for ending in due {
            let (server, job_id, finish) = (server.clone(), ending.job_id, ending.finish.clone());
            match inbox.wait_for(move || server.finish(job_id, &finish))? {
                Some(Ok(())) => log.say(&format!("job {job_id} has ended")),
                Some(Err(Trouble::LeaseLost)) => {
                    log.say(&format!("job {job_id} was given to another agent meanwhile, or is over"));
                }
                Some(Err(Trouble::Refused(Refusal::Final(said)) | Trouble::TooOld(said))) => {
                    log.say(&format!("the end of job {job_id} is not taken: {said}"));
                }
                // Later.
                Some(Err(Trouble::Refused(_))) | None => continue,
            }
            self.all.retain(|other| *other != ending);
            if let Err(failure) = spool::write_json(&self.path, &self.all) {
                log.say(&failure.to_string());
            }
        }
        ControlFlow::Continue(())
    }
}
