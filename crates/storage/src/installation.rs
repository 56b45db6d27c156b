//! Installations of agents: whether their acknowledged runs are still stored.

use chrono::{DateTime, Utc};
use roundtrip_wire::Acknowledged;
use sqlx::{PgConnection, PgPool};

/// Counts an upload that is stored in this transaction for the first time.
pub async fn record(
    connection: &mut PgConnection,
    (project_id, machine_id): (i64, i64),
    acknowledged: Acknowledged,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into installation
             (installation_id, machine_id, project_ids, stored_count, acknowledged_count, last_upload_at)
         values ($1, $2, array[$3::bigint], 1, $4, $5)
         on conflict (installation_id) do update
         set machine_id = excluded.machine_id, stored_count = installation.stored_count + 1,
             project_ids = case when excluded.project_ids <@ installation.project_ids then installation.project_ids
                                else installation.project_ids || excluded.project_ids end,
             acknowledged_count = greatest(installation.acknowledged_count, excluded.acknowledged_count),
             last_upload_at = excluded.last_upload_at",
        acknowledged.installation_id,
        machine_id,
        project_id,
        // Includes this upload. Parsing checked that it fits.
        acknowledged.count.cast_signed() + 1,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Acknowledged runs that are not stored, of all machines.
pub async fn lost_run_count(pool: &PgPool) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"select coalesce(sum(greatest(acknowledged_count - stored_count, 0)), 0)::bigint as "count!"
           from installation"#
    )
    .fetch_one(pool)
    .await
}
