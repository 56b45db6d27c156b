//! Whether the database has the tables that this server expects, and what stands in the way of making them.

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

/// Bytes of all that the database keeps; on a distributed one, of what this node does.
pub async fn database_bytes(pool: &PgPool) -> sqlx::Result<i64> {
    sqlx::query_scalar!(r#"select pg_database_size(current_database()) as "bytes!""#).fetch_one(pool).await
}

/// Names the lock that the server holds which migrates: any number, the same in all versions.
const MIGRATION_LOCK: i64 = 0x726f_756e_6474_7269;

/// Takes the lock on migrations for as long as the connection lasts; false when another connection has it.
pub async fn try_lock(connection: &mut PgConnection) -> sqlx::Result<bool> {
    sqlx::query_scalar!(r#"select pg_try_advisory_lock($1) as "is_ours!""#, MIGRATION_LOCK)
        .fetch_one(connection)
        .await
}

/// Keeps migrations of this connection from waiting for a lock for ever: all others would wait behind them. Who asked for
/// another limit has that.
pub async fn limit_lock_waits(connection: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query_scalar!(
        "select set_config('lock_timeout', '30s', false) where current_setting('lock_timeout') = '0'"
    )
    .fetch_optional(connection)
    .await?;
    Ok(())
}

/// Gives the lock on migrations back.
///
/// # Errors
/// The database does not answer: the lock ends with the connection then.
pub async fn unlock(connection: &mut PgConnection) -> sqlx::Result<()> {
    sqlx::query_scalar!("select pg_advisory_unlock($1)", MIGRATION_LOCK).fetch_one(connection).await?;
    Ok(())
}

/// Applies those migrations that are missing, and makes indexes again whose making was interrupted. Who calls it has the lock.
///
/// # Errors
/// One fails, or the database has another one.
pub async fn apply(connection: &mut PgConnection, mut migrator: Migrator) -> Result<(), MigrateError> {
    drop_invalid_indexes(connection).await?;
    migrator.set_locking(false).run(connection).await
}

/// Drops indexes whose making was interrupted: they take room, are never read, and stand in the way of making them again.
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
        tracing::warn!("the making of index {name} was interrupted: it is made again");
        sqlx::query(AssertSqlSafe(format!("drop index concurrently if exists {name}")))
            .execute(&mut *connection)
            .await?;
    }
    Ok(())
}
