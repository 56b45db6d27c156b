//! Uploads pending reports of the spool one by one, in the order of the runs, with growing delays while the
//! server is unreachable. It never removes a report that the server has not acknowledged.

use crate::format::counted;
use crate::http::Refusal;
use crate::ledger::Ledger;
use crate::log::Log;
use crate::stop::StopSignal;
use crate::upload::{self, Upload, UploadKind};
use crate::{http, spool};
use backon::ExponentialBackoff;
use roundtrip_wire::{RunId, Slug};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

/// The first delay while the server is unreachable.
const PAUSE_MIN: Duration = Duration::from_secs(1);

/// The longest delay, also after errors that need a person. Jitter at most doubles it, so every agent
/// contacts a server within four minutes of its return. Six minutes are left to upload all pending reports
/// within ten.
const PAUSE_MAX: Duration = Duration::from_secs(120);

/// The longest delay that a server may request.
const ASKED_MAX: Duration = Duration::from_secs(3_600);

#[derive(Deserialize)]
struct Addressed {
    project: Slug,
}

#[derive(Debug)]
pub(crate) struct Uploader {
    queue: Queue,
    server: String,
    token_file: PathBuf,
}

impl Uploader {
    pub(crate) fn new(server: String, token_file: PathBuf, spool: PathBuf) -> Self {
        Self { queue: Queue::new(spool), server, token_file }
    }

    /// The time of the next attempt, if known.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.queue.next(Instant::now())
    }

    /// Uploads the pending reports that are due. Breaks if the agent must stop.
    pub(crate) fn deliver(&mut self, stop: &mut StopSignal, log: &Log) -> ControlFlow<()> {
        let Self { queue, server, token_file } = self;
        let spool = queue.spool.clone();
        queue.deliver(Instant::now, |id| send(id, &spool, server, token_file, stop), log)
    }
}

fn send(
    id: RunId,
    spool: &Path,
    server: &str,
    token_file: &Path,
    stop: &mut StopSignal,
) -> ControlFlow<(), Sent> {
    // Read again for each, so that a new token needs no restart.
    let token = match upload::token_in(token_file) {
        Ok(token) => token,
        Err(failure) => return ControlFlow::Continue(Err(Refusal::Token(failure.to_string()))),
    };
    let path = spool::path(spool, id);
    let unreadable = |error: &dyn std::fmt::Display| {
        ControlFlow::Continue(Err(Refusal::Final(format!("{} is not a report: {error}", path.display()))))
    };
    let json = match std::fs::read(&path) {
        Ok(json) => json,
        Err(error) if error.kind() == ErrorKind::NotFound => return ControlFlow::Continue(Ok(None)),
        Err(error) => return unreadable(&error),
    };
    let project = match serde_json::from_slice(&json) {
        Ok(Addressed { project }) => project,
        Err(error) => return unreadable(&error),
    };
    let (ledger, to) = (Some(Ledger::new(spool, server)), server.to_owned());
    let upload =
        move || Upload::new(&to, UploadKind::Report(id), false, &json, ledger)?.attempt(&token).map(drop);
    let sent = finished(stop.wait_for(upload)?);
    let removed = sent.and_then(|()| {
        // Acknowledged, so nothing is lost. While the file exists, it is sent and acknowledged again.
        spool::remove(&path).map_err(|failure| Refusal::Final(failure.to_string()))
    });
    let page = format!("{}/{project}/runs/{id}", server.trim_end_matches('/'));
    ControlFlow::Continue(removed.map(|()| Some(page)))
}

/// The outcome of an upload; a crash is a temporary failure.
fn finished(upload: Option<Result<(), Refusal>>) -> Result<(), Refusal> {
    upload.unwrap_or_else(|| Err(Refusal::Temporary("the upload crashed".into(), None)))
}

/// The outcome for a report: its page, or `None` if it was no longer pending.
type Sent = Result<Option<String>, Refusal>;

#[derive(Debug)]
struct Queue {
    spool: PathBuf,
    pauses: ExponentialBackoff,
    /// No upload starts before this time.
    not_before: Option<Instant>,
    /// Reports that the server rejects, and when each is retried. They do not block the others.
    refused: BTreeMap<RunId, Instant>,
}

impl Queue {
    fn new(spool: PathBuf) -> Self {
        Self { spool, pauses: pauses(), not_before: None, refused: BTreeMap::new() }
    }

    /// The time of the next attempt, if known.
    fn next(&self, now: Instant) -> Option<Instant> {
        self.not_before.filter(|then| *then > now)
    }

    /// Sends the pending reports that are due. Breaks if the agent must stop.
    fn deliver(
        &mut self,
        clock: impl Fn() -> Instant,
        mut send: impl FnMut(RunId) -> ControlFlow<(), Sent>,
        log: &Log,
    ) -> ControlFlow<()> {
        if self.next(clock()).is_some() {
            return ControlFlow::Continue(());
        }
        let mut waiting = match spool::waiting(&self.spool) {
            Ok(ids) => ids,
            Err(failure) => return self.pause(clock(), PAUSE_MAX, &failure.to_string(), log),
        };
        self.refused.retain(|id, _| waiting.contains(id));
        let now = clock();
        waiting.retain(|id| self.refused.get(id).is_none_or(|then| *then <= now));
        for (done, &id) in waiting.iter().enumerate() {
            let reports = format!("{} pending", counted(waiting.len() - done, "report"));
            match send(id)? {
                Ok(page) => {
                    self.pauses = pauses();
                    if let Some(page) = page {
                        log.write(&format!("uploaded {page}"));
                    }
                }
                Err(Refusal::Temporary(reason, asked)) => {
                    let ours = self.pauses.next().unwrap_or(PAUSE_MAX);
                    let pause = ours.max(asked.unwrap_or_default().min(ASKED_MAX));
                    return self.pause(clock(), pause, &format!("{reason}; {reports}"), log);
                }
                Err(Refusal::Token(reason)) => {
                    return self.pause(clock(), PAUSE_MAX, &format!("{reason}; {reports}"), log);
                }
                Err(Refusal::Final(reason)) => {
                    self.refused.insert(id, clock() + PAUSE_MAX);
                    let kept = spool::path(&self.spool, id);
                    log.write(&format!(
                        "upload rejected: {reason}; the report was saved: {}",
                        kept.display()
                    ));
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn pause(&mut self, now: Instant, pause: Duration, why: &str, log: &Log) -> ControlFlow<()> {
        self.not_before = Some(now + pause);
        log.write(&format!("{why}; retrying in {} s", pause.as_secs_f32().ceil()));
        ControlFlow::Continue(())
    }
}

fn pauses() -> ExponentialBackoff {
    http::growing_pauses(PAUSE_MIN, PAUSE_MAX)
}

#[cfg(test)]
mod tests;
