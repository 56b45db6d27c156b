//! Unhandled deliveries from GitHub.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::PgPool;
use uuid::Uuid;

/// A waiting event.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table github_delivery, described there")]
pub struct Waiting {
    pub github_delivery_id: Uuid,
    pub payload: Value,
    pub attempts: i32,
    /// The end of this server's lease. Also its fence.
    pub lease_expires_at: DateTime<Utc>,
}

/// Stores an event and returns whether it is new.
pub async fn keep(
    pool: &PgPool,
    delivery: Uuid,
    event: &str,
    payload: &Value,
    now: DateTime<Utc>,
) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "insert into github_delivery (github_delivery_id, event, payload, received_at, due_at)
         values ($1, $2, $3, $4, $4)
         on conflict (github_delivery_id) do nothing",
        delivery,
        event,
        payload,
        now,
    )
    .execute(pool)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Claims a due event. If the lease expires, another server claims it.
pub async fn take(
    pool: &PgPool,
    now: DateTime<Utc>,
    lease_expires_at: DateTime<Utc>,
) -> sqlx::Result<Option<Waiting>> {
    sqlx::query_as!(
        Waiting,
        r#"update github_delivery set lease_expires_at = $2
           where github_delivery_id = (
               select github_delivery_id from github_delivery
               where handled_at is null and due_at <= $1
                 and (lease_expires_at is null or lease_expires_at <= $1)
               order by due_at, github_delivery_id
               limit 1 for update skip locked
           )
           returning github_delivery_id, payload, attempts, lease_expires_at as "lease_expires_at!""#,
        now,
        lease_expires_at,
    )
    .fetch_optional(pool)
    .await
}

/// Records that an event was handled, or given up for a reason. Does nothing if another server has it now.
pub async fn finish(
    pool: &PgPool,
    waiting: &Waiting,
    now: DateTime<Utc>,
    failure: Option<&str>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update github_delivery set handled_at = $3, failure = $4, lease_expires_at = null
         where github_delivery_id = $1 and lease_expires_at = $2",
        waiting.github_delivery_id,
        waiting.lease_expires_at,
        now,
        failure,
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// Schedules a retry of an event. Does nothing if another server has it now. Waiting for a rate limit does
/// not count as a failure.
pub async fn put_off(
    pool: &PgPool,
    waiting: &Waiting,
    due_at: DateTime<Utc>,
    failure: Option<&str>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update github_delivery
         set lease_expires_at = null, due_at = $3, failure = $4,
             attempts = attempts + (case when $4::text is null then 0 else 1 end)
         where github_delivery_id = $1 and lease_expires_at = $2",
        waiting.github_delivery_id,
        waiting.lease_expires_at,
        due_at,
        failure,
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// Deletes handled deliveries older than a time.
pub async fn forget(pool: &PgPool, before: DateTime<Utc>) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "delete from github_delivery where received_at < $1 and handled_at is not null",
        before,
    )
    .execute(pool)
    .await?;
    Ok(done.rows_affected())
}
