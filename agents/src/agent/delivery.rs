//! Uploads what waits in the spool: in the order of the runs, with growing pauses while the server is away, and without
//! ever removing what the server has not acknowledged.

use super::inbox::Inbox;
use super::log::Log;
use crate::ledger::Ledger;
use crate::spool;
use crate::upload::{self, Refusal, Upload, What};
use backon::{BackoffBuilder, ExponentialBackoff, ExponentialBuilder};
use roundtrip_wire::{RunId, Slug};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::io::ErrorKind;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Between the first attempts while the server is away.
const PAUSE_MIN: Duration = Duration::from_secs(1);

/// Between attempts that only a person can help: the slow pace. The jitter at most doubles it, so that a server which comes back
/// after days has heard of every agent in eight minutes, and has all that waits in ten.
const PAUSE_MAX: Duration = Duration::from_secs(240);

/// As long as a server may ask us to wait.
const ASKED_MAX: Duration = Duration::from_secs(3_600);

/// The part of a report that is told with its upload.
#[derive(Deserialize)]
struct Addressed {
    project: Slug,
}

/// The way to one server.
#[derive(Debug)]
pub(crate) struct Delivery {
    server: String,
    token_file: PathBuf,
    spool: PathBuf,
    pauses: ExponentialBackoff,
    /// Nothing is sent before.
    not_before: Instant,
    /// Reports that the server will not have, and when each is tried again. They do not hold up the others.
    refused: BTreeMap<RunId, Instant>,
}

impl Delivery {
    /// Of the reports in this folder to this server.
    pub(crate) fn new(server: String, token_file: PathBuf, spool: PathBuf) -> Self {
        let (not_before, refused) = (Instant::now(), BTreeMap::new());
        Self { server, token_file, spool, pauses: pauses(), not_before, refused }
    }

    /// When there is something to do again, if that is known.
    pub(crate) fn next(&self) -> Option<Instant> {
        (self.not_before > Instant::now()).then_some(self.not_before)
    }

    /// Uploads what waits and may be sent now. Breaks if the agent is to stop.
    pub(crate) fn deliver(&mut self, inbox: &mut Inbox, log: &Log) -> ControlFlow<()> {
        if self.next().is_some() {
            return ControlFlow::Continue(());
        }
        let mut waiting = match spool::waiting(&self.spool) {
            Ok(ids) => ids,
            Err(failure) => return self.pause(PAUSE_MAX, &failure.to_string(), log),
        };
        self.refused.retain(|id, _| waiting.contains(id));
        let now = Instant::now();
        waiting.retain(|id| self.refused.get(id).is_none_or(|then| *then <= now));
        for (done, &id) in waiting.iter().enumerate() {
            let left = waiting.len() - done;
            let reports = if left == 1 { "1 report waits".into() } else { format!("{left} reports wait") };
            match self.send(id, inbox)? {
                Ok(page) => {
                    self.pauses = pauses();
                    if let Some(page) = page {
                        log.say(&format!("uploaded {page}"));
                    }
                }
                Err(Refusal::Temporary(reason, asked)) => {
                    let ours = self.pauses.next().unwrap_or(PAUSE_MAX);
                    let pause = ours.max(asked.unwrap_or_default().min(ASKED_MAX));
                    return self.pause(pause, &format!("{reason}; {reports}"), log);
                }
                Err(Refusal::Token(reason)) => {
                    return self.pause(PAUSE_MAX, &format!("{reason}; {reports}"), log);
                }
                Err(Refusal::Final(reason)) => {
                    self.refused.insert(id, Instant::now() + PAUSE_MAX);
                    let kept = spool::path(&self.spool, id);
                    log.say(&format!("not uploaded: {reason}; the report is kept at {}", kept.display()));
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// Uploads one report; returns where it can be seen, or nothing if it does not wait any more.
    fn send(&self, id: RunId, inbox: &mut Inbox) -> ControlFlow<(), Result<Option<String>, Refusal>> {
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

    fn pause(&mut self, pause: Duration, why: &str, log: &Log) -> ControlFlow<()> {
        self.not_before = Instant::now() + pause;
        log.say(&format!("{why}; the next attempt is in {} s", pause.as_secs_f32().ceil()));
        ControlFlow::Continue(())
    }
}

fn pauses() -> ExponentialBackoff {
    ExponentialBuilder::default()
        .with_min_delay(PAUSE_MIN)
        .with_max_delay(PAUSE_MAX)
        .with_jitter()
        .without_max_times()
        .build()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_to_the_slow_pace_and_go_on_for_ever() {
        let pauses: Vec<Duration> = pauses().take(40).collect();
        assert!(pauses[0] < PAUSE_MIN * 3);
        assert!(pauses[5] > PAUSE_MIN * 20);
        assert!(pauses[20..].iter().all(|pause| (PAUSE_MAX..=PAUSE_MAX * 2).contains(pause)), "{pauses:?}");
        assert!(pauses[20..].iter().any(|pause| *pause != pauses[20]), "without jitter: {pauses:?}");
    }
}
