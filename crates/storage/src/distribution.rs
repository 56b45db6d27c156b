//! Tables over several PostgreSQL servers, by the extension Citus. The same migrations and queries run without it.
//!
//! What comes with an upload is stored by machine; what it refers to is on every node, so that both can be joined there. All
//! else stays on the coordinator. `docs/explanation/scaling.md` has what was measured and what follows for machines.

use sqlx::{PgConnection, PgPool};

/// Tables that are stored by `machine_id`, the first one first: the others lie beside it.
pub const DISTRIBUTED: [&str; 6] =
    ["point", "point_histogram", "summary", "run_result", "run_upload", "run_original"];

/// Tables that are joined with these, each after those that it refers to.
pub const REFERENCE: [&str; 10] = [
    "project",
    "machine",
    "environment",
    "commit",
    "transport",
    "measured_case",
    "methodology",
    "series",
    "run",
    "project_machine",
];

/// Whether the database has the extension.
pub async fn is_possible(pool: &PgPool) -> sqlx::Result<bool> {
    sqlx::query_scalar!(r#"select exists (select from pg_extension where extname = 'citus') as "exists!""#)
        .fetch_one(pool)
        .await
}

/// Spreads all tables that are not spread yet. Their rows move; nothing can be written meanwhile.
///
/// # Errors
/// Its extension refuses.
pub async fn distribute(connection: &mut PgConnection) -> sqlx::Result<()> {
    for table in REFERENCE {
        if !is_spread(connection, table).await? {
            // Functions of the extension are not known where queries are checked.
            sqlx::query("select create_reference_table($1::text::regclass)")
                .bind(table)
                .execute(&mut *connection)
                .await?;
        }
    }
    for table in DISTRIBUTED {
        if !is_spread(connection, table).await? {
            let beside = if table == DISTRIBUTED[0] { "none" } else { DISTRIBUTED[0] };
            sqlx::query(
                "select create_distributed_table($1::text::regclass, 'machine_id', colocate_with => $2)",
            )
            .bind(table)
            .bind(beside)
            .execute(&mut *connection)
            .await?;
        }
    }
    Ok(())
}

async fn is_spread(connection: &mut PgConnection, table: &str) -> sqlx::Result<bool> {
    sqlx::query_scalar("select exists (select from citus_tables where table_name = $1::text::regclass)")
        .bind(table)
        .fetch_one(connection)
        .await
}
