//! `migrate`: brings the tables up to date and ends.

use crate::cli::DataArguments;
use crate::config;
use crate::database::Database;
use crate::lifeline::Shutdown;
use anyhow::Result;

/// Runs the verb.
///
/// # Errors
/// There is no database, or a migration fails.
pub(crate) async fn migrate(arguments: DataArguments) -> Result<()> {
    let shutdown = Shutdown::watch(false)?;
    let data_dir = config::data_dir(&arguments)?;
    let url = config::database_url();
    let Some(database) = shutdown.unless_requested(Database::open(url.as_deref(), &data_dir)).await else {
        return Ok(());
    };
    database?.close().await;
    tracing::info!("the tables are up to date");
    Ok(())
}
