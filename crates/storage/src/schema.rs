//! Migrations: whether the database has the expected tables, and how they are created.

use sqlx::migrate::{MigrateError, Migrator};
use sqlx::{AssertSqlSafe, PgConnection, PgPool};
use std::collections::HashSet;

/// The migrations that have not been applied, by version.
pub async fn missing_migrations(pool: &PgPool, migrator: &Migrator) -> sqlx::Result<Vec<i64>> {
    let applied: HashSet<i64> = applied_migrations(&mut *pool.acquire().await?).await?.into_iter().collect();
    Ok(migrator
        .iter()
        .map(|migration| migration.version)
        .filter(|version| !applied.contains(version))
        .collect())
}

/// The migrations that have been applied, by version, in ascending order.
pub async fn applied_migrations(connection: &mut PgConnection) -> sqlx::Result<Vec<i64>> {
    let exists =
        sqlx::query_scalar!(r#"select to_regclass('public._sqlx_migrations') is not null as "exists!""#);
    if !exists.fetch_one(&mut *connection).await? {
        return Ok(Vec::new());
    }
    sqlx::query_scalar("select version from _sqlx_migrations where success order by version")
        .fetch_all(connection)
        .await
}

/// Bytes of all stored data; on a distributed database, those of this node.
pub async fn database_bytes(pool: &PgPool) -> sqlx::Result<i64> {
    sqlx::query_scalar!(r#"select pg_database_size(current_database()) as "bytes!""#).fetch_one(pool).await
}

/// The key of the lock of a migrating server: arbitrary, the same in all versions.
const MIGRATION_LOCK: i64 = 0x726f_756e_6474_7269;

/// Takes the migration lock until the connection ends. False if another connection has it.
pub async fn try_lock(connection: &mut PgConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar!(r#"select pg_try_advisory_lock($1) as "is_ours!""#, MIGRATION_LOCK)
        .fetch_one(connection)
        .await
}

/// Sets a lock timeout for this connection's migrations, because all other transactions would wait behind
/// them. Keeps a timeout that is already set.
pub async fn limit_lock_waits(connection: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query_scalar!(
        "select set_config('lock_timeout', '30s', false) where current_setting('lock_timeout') = '0'"
    )
    .fetch_optional(connection)
    .await?;
    Ok(())
}

/// Releases the migration lock.
///
/// # Errors
/// The database does not answer. The lock ends with the connection.
pub async fn unlock(connection: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query_scalar!("select pg_advisory_unlock($1)", MIGRATION_LOCK).fetch_one(connection).await?;
    Ok(())
}

/// Applies missing migrations, and rebuilds indexes whose creation was interrupted. The caller must hold the
/// lock.
///
/// # Errors
/// A migration fails, or the database has an unknown one.
pub async fn apply(connection: &mut PgConnection, mut migrator: Migrator) -> Result<(), MigrateError> {
    drop_invalid_indexes(connection).await?;
    migrator.set_locking(false).run(connection).await
}

/// Drops indexes whose creation was interrupted: they take space, are never used, and prevent creating them
/// again.
async fn drop_invalid_indexes(connection: &mut PgConnection) -> sqlx::Result<()> {
    let names = sqlx::query_scalar!(
        r#"select quote_ident(index.relname) as "name!"
           from pg_index
           join pg_class index on index.oid = pg_index.indexrelid
           where not pg_index.indisvalid and index.relnamespace = 'public'::regnamespace"#,
    )
    .fetch_all(&mut *connection)
    .await?;
    for name in names {
        tracing::warn!("creating index {name} again after an interruption");
        sqlx::query(AssertSqlSafe(format!("drop index concurrently if exists {name}")))
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}
