//! Counts writes to GitHub. The count is in the database, because GitHub limits all servers together.

use chrono::{DateTime, Utc};
use sqlx::PgPool;

/// The key of the lock on the count: arbitrary, the same in all versions.
const WRITE_LOCK: i64 = 0x6768_7772;

/// Counts a write. If the limit of the last minute or hour is reached, returns the end of the wait instead.
pub async fn take(
    pool: &PgPool,
    now: DateTime<Utc>,
    minute_max: i64,
    hour_max: i64,
) -> sqlx::Result<Option<DateTime<Utc>>> {
    let mut transaction = pool.begin().await?;
    sqlx::query!("select pg_advisory_xact_lock($1)", WRITE_LOCK).execute(&mut *transaction).await?;
    sqlx::query!("delete from github_write where written_at <= $1::timestamptz - interval '1 hour'", now)
        .execute(&mut *transaction)
        .await?;
    // The oldest of the newest `max` writes: when it leaves its minute or hour, there is room again.
    let until = sqlx::query_scalar!(
        r#"select greatest(
               (select written_at + interval '1 minute' from github_write
                where written_at > $1::timestamptz - interval '1 minute'
                order by written_at desc offset $2 limit 1),
               (select written_at + interval '1 hour' from github_write
                order by written_at desc offset $3 limit 1)
           ) as until"#,
        now,
        minute_max - 1,
        hour_max - 1,
    )
    .fetch_one(&mut *transaction)
    .await?;
    if until.is_none() {
        sqlx::query!("insert into github_write (written_at) values ($1)", now)
            .execute(&mut *transaction)
            .await?;
    }
    transaction.commit().await?;
    Ok(until)
}
