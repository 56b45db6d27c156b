//! What GitHub told, until it is handled.

use chrono::{DateTime, Utc};
use serde_json::Value;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

/// An event that waits.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// GitHub's name of it.
    pub github_delivery_id: Uuid,
    /// What of it is used.
    pub payload: Value,
    /// How often handling it has failed.
    pub attempts: i32,
}

/// Keeps an event, and says whether it is new.
///
/// # Errors
/// The database does not answer.
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

/// An event that is due and that no other server handles, locked until the transaction ends.
///
/// # Errors
/// The database does not answer.
pub async fn take(connection: &mut PgConnection, now: DateTime<Utc>) -> sqlx::Result<Option<Waiting>> {
    sqlx::query_as!(
        Waiting,
        "select github_delivery_id, payload, attempts from github_delivery
         where handled_at is null and due_at <= $1
         order by due_at, github_delivery_id
         limit 1 for update skip locked",
        now,
    )
    .fetch_optional(connection)
    .await
}

/// Notes that an event was handled, or given up for a reason.
///
/// # Errors
/// The database does not answer.
pub async fn finish(
    connection: &mut PgConnection,
    delivery: Uuid,
    now: DateTime<Utc>,
    failure: Option<&str>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update github_delivery set handled_at = $2, failure = $3 where github_delivery_id = $1",
        delivery,
        now,
        failure,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Lets an event wait for another attempt. Waiting for one's turn is no failure.
///
/// # Errors
/// The database does not answer.
pub async fn put_off(
    connection: &mut PgConnection,
    delivery: Uuid,
    due_at: DateTime<Utc>,
    failure: Option<&str>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update github_delivery
         set due_at = $2, failure = $3, attempts = attempts + (case when $3::text is null then 0 else 1 end)
         where github_delivery_id = $1",
        delivery,
        due_at,
        failure,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Forgets what was handled and came before.
///
/// # Errors
/// The database does not answer.
pub async fn forget(pool: &PgPool, before: DateTime<Utc>) -> sqlx::Result<u64> {
    let done = sqlx::query!(
        "delete from github_delivery where received_at < $1 and handled_at is not null",
        before,
    )
    .execute(pool)
    .await?;
    Ok(done.rows_affected())
}
