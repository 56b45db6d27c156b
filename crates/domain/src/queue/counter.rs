//! [`Counter`]: where agents stand in line for jobs, to be served together.
//!
//! A hundred agents that ask at once would be a hundred transactions that search the same queue and step over each other's locks.
//! Here all who ask while one search runs are served by the next, as databases commit in groups (`DeWitt et al.`, SIGMOD 1984).
//! Who asks alone does not wait.

use chrono::Utc;
use roundtrip_storage::job::lease::{self, End, Taken};
use roundtrip_wire::lab::JobOutcome;
use sqlx::{PgConnection, PgPool};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

const TOGETHER_MAX: usize = 25;

/// Whoever asks this server for a job, and is not served yet.
#[derive(Debug, Default)]
pub struct Counter {
    line: Mutex<Line>,
}

#[derive(Debug, Default)]
struct Line {
    waiting: Vec<Waiting>,
    /// Whether a task serves them until there are none.
    is_served: bool,
}

#[derive(Debug)]
struct Waiting {
    agent_id: i64,
    answer: oneshot::Sender<Option<Taken>>,
}

impl Counter {
    pub(super) async fn ask(
        self: &Arc<Self>,
        pool: &PgPool,
        agent_id: i64,
        lease: Duration,
    ) -> sqlx::Result<Option<Taken>> {
        let (answer, answered) = oneshot::channel();
        let is_served = {
            let mut line = self.line();
            line.waiting.push(Waiting { agent_id, answer });
            mem::replace(&mut line.is_served, true)
        };
        if !is_served {
            // A task of its own: whoever asked may go away, and the others are served nevertheless.
            tokio::spawn(Arc::clone(self).serve(pool.clone(), lease));
        }
        match answered.await {
            Ok(taken) => Ok(taken),
            // It was not served with the others. An error is told to each by its own attempt.
            Err(_) => Ok(lease::take(&mut *pool.acquire().await?, &[agent_id], lease).await?.pop().flatten()),
        }
    }

    /// Serves whoever waits, over one connection: it does not queue for one among those whom it serves.
    async fn serve(self: Arc<Self>, pool: PgPool, lease: Duration) {
        let mut connection = pool.acquire().await;
        while let Some(waiting) = self.next() {
            let agent_ids: Vec<i64> = waiting.iter().map(|waiting| waiting.agent_id).collect();
            let Ok(connection) = &mut connection else { continue };
            let Ok(taken) = lease::take(connection, &agent_ids, lease).await else { continue };
            let are_all_without = taken.iter().all(Option::is_none);
            for (waiting, taken) in waiting.into_iter().zip(taken) {
                if taken.is_none() && !are_all_without {
                    // The others had the head of the queue. What is for it may be further behind: it asks alone.
                    continue;
                }
                if let Err(Some(taken)) = waiting.answer.send(taken) {
                    give_back(connection, waiting.agent_id, &taken).await;
                }
            }
        }
    }

    /// All who wait; none, and nobody serves them any more, when there are none.
    fn next(&self) -> Option<Vec<Waiting>> {
        let mut line = self.line();
        line.is_served = !line.waiting.is_empty();
        let count = line.waiting.len().min(TOGETHER_MAX);
        line.is_served.then(|| line.waiting.drain(..count).collect())
    }

    fn line(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Gives back what nobody was there to take, who asked: another has it at once, and not at the end of the lease.
async fn give_back(connection: &mut PgConnection, agent_id: i64, taken: &Taken) {
    let reason = Some("the agent had gone before it was given the job");
    let end = End { outcome: JobOutcome::Released, reason, output: "" };
    let held = (taken.job_id, taken.fence);
    if let Err(error) = lease::end(connection, agent_id, held, end, Utc::now()).await {
        tracing::warn!(error.cause = %error, "job {} waits for the end of its lease", taken.job_id);
    }
}
