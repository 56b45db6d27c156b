//! [`ClaimBatcher`]: serves the claims of several agents with one search of the queue.
//!
//! A hundred simultaneous claims would be a hundred transactions that search the same queue and contend for
//! locks. Instead, claims that arrive during a search are served together by the next one, like the group
//! commit of databases (`DeWitt et al.`, SIGMOD 1984). A single claim does not wait.

use chrono::Utc;
use roundtrip_storage::job::lease::{self, End, Taken};
use roundtrip_wire::lab::JobOutcome;
use sqlx::{PgConnection, PgPool};
use std::mem;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;
use tokio::sync::oneshot;

const TOGETHER_MAX: usize = 25;

/// The waiting claims of this server.
#[derive(Debug, Default)]
pub struct ClaimBatcher {
    line: Mutex<Line>,
}

#[derive(Debug, Default)]
struct Line {
    waiting: Vec<Waiting>,
    /// Whether a task is serving the claims.
    is_served: bool,
}

#[derive(Debug)]
struct Waiting {
    agent_id: i64,
    answer: oneshot::Sender<Option<Taken>>,
}

impl ClaimBatcher {
    pub(super) async fn claim(
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
            // A separate task, so that others are served even if a client disconnects.
            tokio::spawn(Arc::clone(self).serve(pool.clone(), lease));
        }
        match answered.await {
            Ok(taken) => Ok(taken),
            // It was not served with the others. Each one gets errors from its own attempt.
            Err(_) => Ok(lease::take(&mut *pool.acquire().await?, &[agent_id], lease).await?.pop().flatten()),
        }
    }

    /// Serves all waiting claims with one connection.
    async fn serve(self: Arc<Self>, pool: PgPool, lease: Duration) {
        let mut connection = pool.acquire().await;
        while let Some(waiting) = self.next() {
            let agent_ids: Vec<i64> = waiting.iter().map(|waiting| waiting.agent_id).collect();
            let Ok(connection) = &mut connection else { continue };
            let Ok(taken) = lease::take(connection, &agent_ids, lease).await else { continue };
            let are_all_without = taken.iter().all(Option::is_none);
            for (waiting, taken) in waiting.into_iter().zip(taken) {
                if taken.is_none() && !are_all_without {
                    // The others got the first jobs. Its own may be further back, so it searches alone.
                    continue;
                }
                if let Err(Some(taken)) = waiting.answer.send(taken) {
                    give_back(connection, waiting.agent_id, &taken).await;
                }
            }
        }
    }

    /// Takes all waiting claims; `None`, and serving ends, if there are none.
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

/// Releases a job whose agent has disconnected, so that another gets it immediately.
async fn give_back(connection: &mut PgConnection, agent_id: i64, taken: &Taken) {
    let reason = Some("the agent disconnected before it received the job");
    let end = End { outcome: JobOutcome::Released, reason, output: "" };
    let held = (taken.job_id, taken.fence);
    if let Err(error) = lease::end(connection, agent_id, held, end, Utc::now()).await {
        tracing::warn!(error.cause = %error, "cannot release job {}; it will return after its lease", taken.job_id);
    }
}
