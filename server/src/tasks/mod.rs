//! Work that servers do by themselves. Any number of them share a database; each kind of work is done by one at a time,
//! which holds its lease ([`crate::db::task`]).
//!
//! # Codemap
//! - [`retention`]: removes what is older than its project keeps it.

pub mod retention;

use crate::db::task;
use chrono::Utc;
use sqlx::PgPool;
use std::time::Duration;
use tokio::sync::watch;

/// How long a server has a lease unless it renews it: far longer than one batch takes.
pub const LEASE: Duration = Duration::from_secs(120);
/// How often servers look whether something is due.
const LOOK_INTERVAL: Duration = Duration::from_secs(60);
/// How long after its end work is due again.
const RETENTION_INTERVAL: Duration = Duration::from_secs(24 * 3_600);
/// The same when it failed.
const FAILURE_INTERVAL: Duration = Duration::from_secs(15 * 60);
/// The removal of what is too old, in table `task`.
const RETENTION: &str = "retention";

/// Does what is due, again and again, until `stop` becomes true.
pub async fn run(pool: PgPool, mut stop: watch::Receiver<bool>) {
    loop {
        if let Err(error) = look(&pool, &stop).await {
            // It is asked again soon; whoever serves requests tells of a database that does not answer.
            tracing::warn!(error.cause = %error, "the tasks in the background wait for the database");
        }
        tokio::select! {
            // A dropped sender means the end as well.
            _ = stop.wait_for(|stop| *stop) => return,
            () = tokio::time::sleep(LOOK_INTERVAL) => {}
        }
    }
}

/// Does the work that is due and that no other server does.
async fn look(pool: &PgPool, stop: &watch::Receiver<bool>) -> sqlx::Result<()> {
    task::ensure(pool, RETENTION).await?;
    let Some(lease) = task::claim(pool, RETENTION, LEASE).await? else { return Ok(()) };
    match retention::prune(pool, Utc::now(), Some(lease), || *stop.borrow()).await {
        Ok(removed) => {
            for of_project in removed.iter().filter(|of_project| of_project.run_count > 0) {
                tracing::info!("{of_project}");
            }
            // Whoever is asked to stop leaves the rest to the next server.
            let again = if *stop.borrow() { Duration::ZERO } else { RETENTION_INTERVAL };
            task::finish(pool, lease, again, None).await
        }
        Err(retention::PruneError::LeaseLost) => {
            tracing::warn!("another server took over the removal of what is too old");
            Ok(())
        }
        Err(error) => {
            tracing::error!(error.cause = %error, "what is too old could not be removed");
            task::finish(pool, lease, FAILURE_INTERVAL, Some(&error.to_string())).await
        }
    }
}
