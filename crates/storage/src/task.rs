//! Work that servers do in the background. A server that wants it takes a lease; whatever it writes then, it writes with the
//! number of its lease, so that one which was held up for longer than its lease writes nothing any more.

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};
use std::time::Duration;

/// The right to do some work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// Which work.
    pub name: &'static str,
    fence: i64,
}

/// How some work goes.
#[derive(Debug)]
#[expect(missing_docs, reason = "the columns of table task, described there")]
pub struct State {
    pub name: String,
    /// Since when it is due, or when it will be.
    pub due_at: DateTime<Utc>,
    pub has_failed: bool,
}

/// Makes sure that the work is known; what is new is due at once.
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

/// Lets work be due now.
pub async fn hasten(pool: &PgPool, name: &str) -> sqlx::Result<()> {
    sqlx::query!("update task set due_at = now() where name = $1", name).execute(pool).await?;
    Ok(())
}

/// Takes the lease of work that is due, unless another server has it.
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

/// Prolongs a lease, and keeps it from being taken until the transaction ends. False when it was taken before.
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

/// Gives a lease back: the work is due again after some time. Nothing happens when another server has it.
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

/// How each kind of work goes.
pub async fn states(pool: &PgPool) -> sqlx::Result<Vec<State>> {
    sqlx::query_as!(
        State,
        r#"select name, due_at, failure is not null as "has_failed!" from task order by name"#
    )
    .fetch_all(pool)
    .await
}
