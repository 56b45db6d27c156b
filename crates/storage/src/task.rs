//! Background tasks. A server claims a lease, and writes only with the number of its lease, so that a server
//! that stalled for longer than its lease writes nothing.

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};
use std::time::Duration;

/// The lease of a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The task.
    pub name: &'static str,
    fence: i64,
}

/// The state of a task.
#[derive(Debug)]
#[expect(missing_docs, reason = "the columns of table task, described there")]
pub struct State {
    pub name: String,
    /// When it became due, or will be.
    pub due_at: DateTime<Utc>,
    pub has_failed: bool,
}

/// Inserts a task if it is missing. A new task is due immediately.
pub async fn ensure(pool: &PgPool, name: &str) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into task (name, due_at)
         select $1, now() where not exists (select from task where name = $1)
         on conflict (name) do nothing",
        name,
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// Makes a task due now.
pub async fn make_due(pool: &PgPool, name: &str) -> sqlx::Result<()> {
    sqlx::query!("update task set due_at = now() where name = $1", name).execute(pool).await?;
    Ok(())
}

/// Claims the lease of a due task, unless another server has it.
pub async fn claim(pool: &PgPool, name: &'static str, lease: Duration) -> sqlx::Result<Option<Lease>> {
    let fence = sqlx::query_scalar!(
        "update task
         set fence = fence + 1, lease_expires_at = now() + make_interval(secs => $2), started_at = now()
         where task_id = (
             select task_id from task
             where name = $1 and due_at <= now() and (lease_expires_at is null or lease_expires_at <= now())
             for update skip locked
         )
         returning fence",
        name,
        lease.as_secs_f64(),
    )
    .fetch_optional(pool)
    .await?;
    Ok(fence.map(|fence| Lease { name, fence }))
}

/// Renews a lease, and locks it until the transaction ends. False if another server has claimed it.
pub async fn renew(connection: &mut PgConnection, held: Lease, lease: Duration) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "update task set lease_expires_at = now() + make_interval(secs => $3) where name = $1 and fence = $2",
        held.name,
        held.fence,
        lease.as_secs_f64(),
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Releases a lease. The task is due again after some time. Does nothing if another server has claimed it.
pub async fn finish(pool: &PgPool, held: Lease, again: Duration, failure: Option<&str>) -> sqlx::Result<()> {
    sqlx::query!(
        "update task
         set due_at = now() + make_interval(secs => $3), lease_expires_at = null, finished_at = now(), failure = $4
         where name = $1 and fence = $2",
        held.name,
        held.fence,
        again.as_secs_f64(),
        failure,
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// The states of all tasks.
pub async fn states(pool: &PgPool) -> sqlx::Result<Vec<State>> {
    sqlx::query_as!(
        State,
        r#"select name, due_at, failure is not null as "has_failed!" from task order by name"#
    )
    .fetch_all(pool)
    .await
}
