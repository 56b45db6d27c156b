//! `migrate`: applies migrations and exits.

use crate::cli::DataArguments;
use crate::database::Database;
use anyhow::{Context, Result, ensure};
use roundtrip_storage::distribution;
use sqlx::PgPool;

pub(crate) async fn migrate(distributed: bool, data: &DataArguments) -> Result<()> {
    Database::with(Database::open(data), async |database, _| {
        if distributed {
            distribute(&database.pool).await?;
        }
        tracing::info!("migrations applied");
        Ok(())
    })
    .await
}

async fn distribute(pool: &PgPool) -> Result<()> {
    let is_possible =
        distribution::is_possible(pool).await.context("cannot check for the extension citus")?;
    ensure!(
        is_possible,
        "this PostgreSQL lacks the extension citus. Run `create extension citus` on the coordinator and each worker, then \
         `select citus_add_node(host, port)` for each worker"
    );
    let mut connection = pool.acquire().await.context("cannot connect to the database")?;
    distribution::distribute(&mut connection).await.context("cannot distribute the tables")
}
