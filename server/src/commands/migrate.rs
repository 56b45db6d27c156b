//! `migrate`: brings the tables up to date and ends.

use crate::cli::MigrateArguments;
use crate::database::Database;
use crate::shutdown::Shutdown;
use anyhow::{Context, Result, ensure};
use roundtrip_storage::distribution;
use sqlx::PgPool;

/// Runs the verb.
///
/// # Errors
/// There is no database, or a migration fails.
pub(crate) async fn migrate(arguments: MigrateArguments) -> Result<()> {
    let shutdown = Shutdown::watch(false)?;
    Database::with(Database::open(&arguments.data), &shutdown, async |database| {
        if arguments.distributed {
            distribute(&database.pool).await?;
        }
        tracing::info!("the tables are up to date");
        Ok(())
    })
    .await
}

async fn distribute(pool: &PgPool) -> Result<()> {
    let is_possible = distribution::is_possible(pool).await.context("cannot look for the extension citus")?;
    ensure!(
        is_possible,
        "this PostgreSQL is none that can be distributed: it lacks the extension citus; create it on the coordinator and \
         on each worker (`create extension citus`), and add the workers with `select citus_add_node(host, port)`"
    );
    let mut connection = pool.acquire().await.context("cannot connect to the database")?;
    distribution::distribute(&mut connection).await.context("cannot spread the tables")
}
