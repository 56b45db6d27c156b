//! Distributes tables over several PostgreSQL servers with the Citus extension. The same migrations and
//! queries work without it.
//!
//! Data of uploads is distributed by machine. All other tables stay on the coordinator.
//! `docs/explanation/scaling.md` has measurements and the limits for machines.

use sqlx::{PgConnection, PgExecutor};

/// Tables distributed by `machine_id`. The others are colocated with the first.
pub const DISTRIBUTED: [&str; 6] =
    ["point", "point_histogram", "summary", "run_result", "run_upload", "run_original"];

/// Whether the database has the extension.
pub async fn is_possible(executor: impl PgExecutor<'_>) -> sqlx::Result<bool> {
    sqlx::query_scalar!(r#"select exists (select from pg_extension where extname = 'citus') as "exists!""#)
        .fetch_one(executor)
        .await
}

/// Distributes all tables that are not distributed yet. Their rows move, and writes are blocked meanwhile.
///
/// # Errors
/// The extension fails.
pub async fn distribute(connection: &mut PgConnection) -> sqlx::Result<()> {
    for table in DISTRIBUTED {
        if !is_distributed(connection, table).await? {
            let colocated_with = if table == DISTRIBUTED[0] { "none" } else { DISTRIBUTED[0] };
            // Functions of the extension do not exist where queries are checked.
            sqlx::query(
                "select create_distributed_table($1::text::regclass, 'machine_id', colocate_with => $2)",
            )
            .bind(table)
            .bind(colocated_with)
            .execute(&mut *connection)
            .await?;
        }
    }
    Ok(())
}

async fn is_distributed(connection: &mut PgConnection, table: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar(
        "select exists (select from citus_tables
                        where table_name = $1::text::regclass and citus_table_type = 'distributed')",
    )
    .bind(table)
    .fetch_one(connection)
    .await
}
