//! [`Queue`]: jobs for agents. Requeues abandoned jobs.
//!
//! - [`claim_batcher`]: serves claims together. [`estimate`]: when a job starts. [`schedule`]: scheduled jobs.
//!   [`github_jobs`]: jobs from GitHub deliveries.
//!
//! Jobs and leases are rows of the database ([`roundtrip_storage::job`]). No state is kept in memory between requests, and
//! any number of servers share one queue.

pub mod claim_batcher;
pub mod estimate;
pub mod github_jobs;
pub mod schedule;

use chrono::Utc;
use claim_batcher::ClaimBatcher;
use roundtrip_storage::job::lease::{self, LEASE, Taken};
use roundtrip_storage::job::request::{self, Target, Wanted};
use sqlx::{PgConnection, PgPool};
use std::sync::Arc;
use std::time::Duration;
use tokio::sync::{Notify, watch};
use tokio::time::{Instant, sleep, timeout_at};

/// The interval at which waiting claims look again, because other servers queue jobs as well and leases expire.
const LOOK_INTERVAL: Duration = Duration::from_secs(2);
/// The interval at which expired leases and due schedules are handled.
const SWEEP_INTERVAL: Duration = Duration::from_secs(5);
const WAIT_MAX: Duration = Duration::from_secs(30);

/// The job queue; cheap to clone.
#[derive(Clone, Debug)]
pub struct Queue {
    pool: PgPool,
    wake: Arc<Notify>,
    lease: Duration,
    claim_batcher: Arc<ClaimBatcher>,
}

impl Queue {
    /// A queue in a database.
    pub fn new(pool: PgPool) -> Self {
        Self { pool, wake: Arc::default(), lease: LEASE, claim_batcher: Arc::default() }
    }

    /// Sets the duration of leases.
    #[must_use]
    pub fn with_lease(self, lease: Duration) -> Self {
        Self { lease, ..self }
    }

    /// The duration of a lease without a heartbeat.
    pub fn lease(&self) -> Duration {
        self.lease
    }

    /// Notifies waiting claims of new jobs.
    pub fn wake(&self) {
        self.wake.notify_waiters();
    }

    /// Gives an agent its next job; none if there is none within this time.
    pub async fn take(&self, agent_id: i64, wait: Duration) -> sqlx::Result<Option<Taken>> {
        let end = Instant::now() + wait.min(WAIT_MAX);
        loop {
            // Registered before looking, so that no notification is missed.
            let woken = self.wake.notified();
            if let Some(taken) = self.claim_batcher.claim(&self.pool, agent_id, self.lease).await? {
                return Ok(Some(taken));
            }
            let now = Instant::now();
            if now >= end {
                return Ok(None);
            }
            let _ = timeout_at(end.min(now + LOOK_INTERVAL), woken).await;
        }
    }

    /// Handles expired leases and due schedules until `stop` becomes true.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        loop {
            if let Err(error) = self.sweep().await {
                // Retry soon. `/readyz` reports the database's state.
                tracing::warn!(error.cause = %error, "cannot maintain the job queue; will retry");
            }
            tokio::select! {
                // A dropped sender also means stop.
                _ = stop.wait_for(|stop| *stop) => return,
                () = sleep(SWEEP_INTERVAL) => {}
            }
        }
    }

    /// Handles them once.
    pub async fn sweep(&self) -> sqlx::Result<()> {
        let swept = lease::sweep(&self.pool).await?;
        if swept.given_up > 0 {
            tracing::warn!("jobs failed after too many lost contacts with their agents: {}", swept.given_up);
        }
        let job_count = schedule::run(&self.pool).await? + github_jobs::handle_pending(&self.pool).await?;
        if job_count > 0 || swept.requeued > 0 {
            self.wake();
        }
        Ok(())
    }
}

/// Requests jobs on each of these machines. Returns the number of new jobs.
async fn request_on(
    connection: &mut PgConnection,
    project_id: i64,
    machine_ids: Vec<i64>,
    wanted: &Wanted<'_>,
) -> sqlx::Result<u64> {
    let now = Utc::now();
    let mut job_count = 0;
    for target in machine_ids.into_iter().map(Target::Machine) {
        job_count += request::request(connection, project_id, target, wanted, now).await?.len() as u64;
    }
    Ok(job_count)
}
