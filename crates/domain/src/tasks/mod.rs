//! Work that servers do by themselves. Any number of them share a database; each kind of work is done by one at a time,
//! which holds its lease ([`roundtrip_storage::task`]).
//!
//! # Codemap
//! - [`retention`]: removes what is older than its project keeps it.
//! - [`error_rates`]: counts how often what is said of each machine is wrong.
//! - [`silence`]: has people told of machines of which nothing is heard any more.

pub mod error_rates;
pub mod retention;
pub mod silence;

use futures_util::FutureExt as _;
use futures_util::future::BoxFuture;
use roundtrip_storage::task::{self, Lease};
use sqlx::PgPool;
use std::time::Duration;
use tokio::sync::watch;

/// How long a server has a lease unless it renews it: far longer than one batch takes.
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
    /// Whether somebody asks to stop: the rest is left to the next turn.
    fn is_stopped(&self) -> bool {
        *self.stop.borrow()
    }
}

/// Why not all of some work was done.
#[derive(Debug, thiserror::Error)]
pub enum TaskError {
    /// It took longer than its lease, and another server does it now.
    #[error("another server has taken over")]
    LeaseLost,
    /// The database does not answer.
    #[error(transparent)]
    Database(#[from] sqlx::Error),
    /// What is computed beside the database ended.
    #[error("a computation ended: {0}")]
    Ended(#[from] tokio::task::JoinError),
}

/// Does what is due, again and again, until `stop` becomes true.
pub async fn run(pool: PgPool, mut stop: watch::Receiver<bool>) {
    loop {
        for task in &TASKS {
            if let Err(error) = look(task, &pool, &stop).await {
                // It is asked again soon; whoever serves requests tells of a database that does not answer.
                tracing::warn!(task = task.name, error.cause = %error, "work in the background waits for the database");
            }
        }
        tokio::select! {
            // A dropped sender means the end as well.
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep(LOOK_INTERVAL) => {}
        }
    }
}

/// Does some work if it is due and no other server does it.
async fn look(task: &Task, pool: &PgPool, stop: &watch::Receiver<bool>) -> sqlx::Result<()> {
    task::ensure(pool, task.name).await?;
    let Some(lease) = task::claim(pool, task.name, LEASE).await? else { return Ok(()) };
    let turn = Turn { pool, lease, stop };
    match (task.run)(&turn).await {
        Ok(()) => {
            // Whoever is asked to stop leaves the rest to the next server.
            let again = if turn.is_stopped() { Duration::ZERO } else { task.interval };
            task::finish(pool, lease, again, None).await
        }
        Err(TaskError::LeaseLost) => {
            tracing::warn!(task = task.name, "another server took over this work");
            Ok(())
        }
        Err(error) => {
            tracing::error!(task = task.name, error.cause = %error, "work in the background failed");
            task::finish(pool, lease, FAILURE_INTERVAL, Some(&error.to_string())).await
        }
    }
}
