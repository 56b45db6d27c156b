//! Background work of servers. Any number of servers share a database; each task is done by one server at a time, which
//! holds its lease ([`roundtrip_storage::task`]).
//!
//! # Codemap
//! - [`retention`]: deletes data past its project's retention.
//! - [`error_rates`]: counts false alarms of each machine.
//! - [`silence`]: notifies about overdue machines.

pub mod error_rates;
pub mod retention;
pub mod silence;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use roundtrip_storage::task::{self, Lease};
use sqlx::{PgConnection, PgPool};
use std::time::Duration;
use tokio::sync::watch;

/// The duration of a lease without renewal: far longer than a batch takes.
pub const LEASE: Duration = Duration::from_secs(120);
const LOOK_INTERVAL: Duration = Duration::from_secs(60);
const FAILURE_INTERVAL: Duration = Duration::from_secs(15 * 60);
const MINUTES_10: Duration = Duration::from_secs(600);
const HOUR: Duration = Duration::from_secs(3_600);
const DAY: Duration = Duration::from_secs(24 * 3_600);

struct Task {
    name: &'static str,
    interval: Duration,
    run: for<'a> fn(&'a Turn<'a>) -> BoxFuture<'a, Result<(), TaskError>>,
}

const TASKS: [Task; 3] = [
    Task { name: "retention", interval: DAY, run: |turn| retention::run(turn).boxed() },
    Task { name: "silence", interval: MINUTES_10, run: |turn| silence::run(turn).boxed() },
    Task { name: "error-rates", interval: HOUR, run: |turn| error_rates::run(turn).boxed() },
];

#[derive(Debug)]
struct Turn<'a> {
    pool: &'a PgPool,
    lease: Lease,
    stop: &'a watch::Receiver<bool>,
}

impl Turn<'_> {
    /// Whether there is a stop signal. The rest is then left to the next run.
    fn is_stopped(&self) -> bool {
        *self.stop.borrow()
    }
}

/// Renews the lease, if there is one, and locks it until the transaction ends.
async fn renew(connection: &mut PgConnection, lease: Option<Lease>) -> Result<(), TaskError> {
    match lease {
        Some(lease) if !task::renew(connection, lease, LEASE).await? => Err(TaskError::LeaseLost),
        _ => Ok(()),
    }
}

/// Why a task stopped early.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// The lease expired, and another server does the task now.
    #[error("another server has taken over")]
    LeaseLost,
    /// The database does not answer.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// A computation outside the database panicked.
    #[error("a computation failed: {0}")]
    Ended(#[from] tokio::task::JoinError),
}

/// Runs due tasks until `stop` becomes true.
pub async fn run(pool: PgPool, mut stop: watch::Receiver<bool>) {
    loop {
        for task in &TASKS {
            if let Err(error) = look(task, &pool, &stop).await {
                // Retry soon. `/readyz` reports the database's state.
                tracing::warn!(task = task.name, error.cause = %error, "cannot start background task: database error");
            }
        }
        tokio::select! {
            // A dropped sender also means stop.
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep(LOOK_INTERVAL) => {}
        }
    }
}

/// Runs a task if it is due and no other server runs it.
async fn look(task: &Task, pool: &PgPool, stop: &watch::Receiver<bool>) -> sqlx::Result<()> {
    task::ensure(pool, task.name).await?;
    let Some(lease) = task::claim(pool, task.name, LEASE).await? else { return Ok(()) };
    let turn = Turn { pool, lease, stop };
    match (task.run)(&turn).await {
        Ok(()) => {
            // A server that is stopping leaves the rest to others.
            let again = if turn.is_stopped() { Duration::ZERO } else { task.interval };
            task::finish(pool, lease, again, None).await
        }
        Err(TaskError::LeaseLost) => {
            tracing::warn!(task = task.name, "another server took over the background task");
            Ok(())
        }
        Err(error) => {
            tracing::error!(task = task.name, error.cause = %error, "background task failed");
            task::finish(pool, lease, FAILURE_INTERVAL, Some(&error.to_string())).await
        }
    }
}
