//! Uploads what waits in the spool, without ever removing what the server has not acknowledged.

use super::inbox::Inbox;
use super::log::Log;
use super::queue::{Queue, Sent};
use crate::ledger::Ledger;
use crate::spool;
use crate::upload::{self, Refusal, Upload, What};
use roundtrip_wire::{RunId, Slug};
use serde::Deserialize;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::Instant;

/// The part of a report that is told with its upload.
#[derive(Deserialize)]
struct Addressed {
    project: Slug,
}

/// What waits, and the way that it takes.
#[derive(Debug)]
pub(crate) struct Delivery {
    queue: Queue,
    way: Way,
}

/// The way to one server.
#[derive(Debug)]
struct Way {
    server: String,
    token_file: PathBuf,
    spool: PathBuf,
}

impl Delivery {
    /// Of the reports in this folder to this server.
    pub(crate) fn new(server: String, token_file: PathBuf, spool: PathBuf) -> Self {
        Self { queue: Queue::new(spool.clone()), way: Way { server, token_file, spool } }
    }

    /// When there is something to do again, if that is known.
    pub(crate) fn next(&self) -> Option<Instant> {
        self.queue.next(Instant::now())
    }

    /// Uploads what waits and may be sent now. Breaks if the agent is to stop.
    pub(crate) fn deliver(&mut self, inbox: &mut Inbox, log: &Log) -> ControlFlow<()> {
        let Self { queue, way } = self;
        queue.deliver(Instant::now, |id| way.send(id, inbox), log)
    }
}

impl Way {
    /// Uploads one report.
    fn send(&self, id: RunId, inbox: &mut Inbox) -> ControlFlow<(), Sent> {
        // Read anew for each, so that a new token needs no restart.
        let token = match upload::token_in(&self.token_file) {
            Ok(token) => token,
            Err(failure) => return ControlFlow::Continue(Err(Refusal::Token(failure.to_string()))),
        };
        let path = spool::path(&self.spool, id);
        let unreadable = |error: &dyn std::fmt::Display| {
            ControlFlow::Continue(Err(Refusal::Final(format!("{} is no report: {error}", path.display()))))
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
        let server = self.server.clone();
        let ledger = Some(Ledger::new(&self.spool, &server));
        let sent = inbox
            .upload(move || Upload::new(&server, What::Report(id), false, &json, ledger)?.attempt(&token))?;
        let removed = sent.and_then(|()| {
            // Acknowledged, so nothing is lost; as long as it is there, it will be sent and acknowledged again.
            spool::remove(&path).map_err(|failure| Refusal::Final(failure.to_string()))
        });
        let page = format!("{}/{project}/runs/{id}", self.server.trim_end_matches('/'));
        ControlFlow::Continue(removed.map(|()| Some(page)))
    }
}
