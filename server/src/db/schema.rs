//! Whether the database has the tables that this server expects.

use sqlx::{PgPool, migrate::Migrator};
use std::collections::HashSet;

/// The migrations that have not been applied, by version.
///
/// # Errors
/// The database does not answer.
pub async fn missing_migrations(pool: &PgPool, migrator: &Migrator) -> sqlx::Result<Vec<i64>> {
    let applied = sqlx::query_scalar::<_, i64>("select version from _sqlx_migrations where success")
        .fetch_all(pool)
        .await;
    let applied: HashSet<i64> = match applied {
        Ok(versions) => versions.into_iter().collect(),
        // 42P01: no such table. Nothing has ever been applied.
        Err(sqlx::Error::Database(error)) if error.code().as_deref() == Some("42P01") => HashSet::new(),
        Err(error) => return Err(error),
    };
    Ok(migrator
        .iter()
        .map(|migration| migration.version)
        .filter(|version| !applied.contains(version))
        .collect())
}
