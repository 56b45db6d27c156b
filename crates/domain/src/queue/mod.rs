//! [`Queue`]: agents wait here for work, and what has been left behind is picked up.
//!
//! - [`counter`]: agents that ask at the same moment are served together. [`estimate`]: when a job is about to begin.
//!   [`schedule`]: what is due at a time. [`github_jobs`]: what GitHub reported, as jobs.
//!
//! Jobs and leases are rows of the database ([`roundtrip_storage::job`]): nothing is kept in memory between two requests, and any
//! number of servers share one queue.

pub mod counter;
pub mod estimate;
pub mod github_jobs;
pub mod schedule;

use counter::Counter;
use roundtrip_storage::job::lease::{self, LEASE, Taken};
use sqlx::PgPool;
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout_at};

/// Other servers take requests for jobs as well, and leases expire by themselves: how often whoever waits looks again.
const LOOK_INTERVAL: Duration = Duration::from_secs(2);
/// How often it is looked for what was left behind, and for what is due.
const SWEEP_INTERVAL: Duration = Duration::from_secs(5);
const WAIT_MAX: Duration = Duration::from_secs(30);

/// Where agents wait for work; cheap to clone.
#[derive(Clone, Debug)]
pub struct Queue {
    pool: PgPool,
    wake: Arc<Notify>,
    lease: Duration,
    counter: Arc<Counter>,
}

impl Queue {
    /// Over a database.
    pub fn new(pool: PgPool) -> Self {
        Self { pool, wake: Arc::default(), lease: LEASE, counter: Arc::default() }
    }

    /// With leases of another length.
    #[must_use]
    pub fn with_lease(self, lease: Duration) -> Self {
        Self { lease, ..self }
    }

    /// How long an agent has a job unless it says that it still does it.
    pub fn lease(&self) -> Duration {
        self.lease
    }

    /// Says that there are new jobs.
    pub fn wake(&self) {
        self.wake.notify_waiters();
    }

    /// Gives an agent its next job; none if there is none within this time.
    pub async fn take(&self, agent_id: i64, wait: Duration) -> sqlx::Result<Option<Taken>> {
        let end = Instant::now() + wait.min(WAIT_MAX);
        loop {
            // From before looking on, so that what comes meanwhile is heard.
            let woken = self.wake.notified();
            if let Some(taken) = self.counter.ask(&self.pool, agent_id, self.lease).await? {
                return Ok(Some(taken));
            }
            let now = Instant::now();
            if now >= end {
                return Ok(None);
            }
            let _ = timeout_at(end.min(now + LOOK_INTERVAL), woken).await;
        }
    }

    /// Picks up what was left behind, and asks for what is due, until `stop` becomes true.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        loop {
            if let Err(error) = self.sweep().await {
                // It is looked for again soon; whoever serves requests tells of a database that does not answer.
                tracing::warn!(error.cause = %error, "the queue is not looked after");
            }
            tokio::select! {
                // A dropped sender means the end as well.
                _ = stop.wait_for(|stop| *stop) => return,
                () = sleep(SWEEP_INTERVAL) => {}
            }
        }
    }

    /// Does that once.
    pub async fn sweep(&self) -> sqlx::Result<()> {
        let swept = lease::sweep(&self.pool).await?;
        if swept.given_up > 0 {
            tracing::warn!("{} jobs were given up: their agents were not heard of any more", swept.given_up);
        }
        let asked = schedule::run(&self.pool).await? + github_jobs::act(&self.pool).await?;
        if asked + swept.requeued > 0 {
            self.wake();
        }
        Ok(())
    }
}
