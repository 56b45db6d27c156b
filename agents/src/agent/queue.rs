//! What waits in the spool, and when it is sent: in the order of the runs, one after the other, with growing pauses while the
//! server is away. How a report is sent is [`super::delivery`]'s.

use super::log::Log;
use crate::upload::Refusal;
use crate::{pauses, spool};
use backon::ExponentialBackoff;
use roundtrip_wire::RunId;
use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Between the first attempts while the server is away.
const PAUSE_MIN: Duration = Duration::from_secs(1);

/// Between attempts that only a person can help: the slow pace. The jitter at most doubles it, so that a server which comes back
/// after days has heard of every agent in four minutes. Six are left to have all that waits in ten.
const PAUSE_MAX: Duration = Duration::from_secs(120);

/// As long as a server may ask us to wait.
const ASKED_MAX: Duration = Duration::from_secs(3_600);

/// What became of a report: where it can be seen, or nothing if it does not wait any more.
pub(crate) type Sent = Result<Option<String>, Refusal>;

/// The reports of one spool on their way to one server.
#[derive(Debug)]
pub(crate) struct Queue {
    spool: PathBuf,
    pauses: ExponentialBackoff,
    /// Nothing is sent before.
    not_before: Option<Instant>,
    /// Reports that the server will not have, and when each is tried again. They do not hold up the others.
    refused: BTreeMap<RunId, Instant>,
}

impl Queue {
    /// Of the reports in this folder.
    pub(crate) fn new(spool: PathBuf) -> Self {
        Self { spool, pauses: pauses(), not_before: None, refused: BTreeMap::new() }
    }

    /// When there is something to do again, if that is known.
    pub(crate) fn next(&self, now: Instant) -> Option<Instant> {
        self.not_before.filter(|then| *then > now)
    }

    /// Sends what waits and may be sent now. Breaks if the agent is to stop.
    pub(crate) fn deliver(
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
            let left = waiting.len() - done;
            let reports = if left == 1 { "1 report waits".into() } else { format!("{left} reports wait") };
            match send(id)? {
                Ok(page) => {
                    self.pauses = pauses();
                    if let Some(page) = page {
                        log.say(&format!("uploaded {page}"));
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
                    log.say(&format!("not uploaded: {reason}; the report is kept at {}", kept.display()));
                }
            }
        }
        ControlFlow::Continue(())
    }

    fn pause(&mut self, now: Instant, pause: Duration, why: &str, log: &Log) -> ControlFlow<()> {
        self.not_before = Some(now + pause);
        log.say(&format!("{why}; the next attempt is in {} s", pause.as_secs_f32().ceil()));
        ControlFlow::Continue(())
    }
}

fn pauses() -> ExponentialBackoff {
    pauses::growing(PAUSE_MIN, PAUSE_MAX)
}

#[cfg(test)]
mod tests;
