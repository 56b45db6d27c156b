//! `prune`: deletes data past its retention, as servers do once a day.

use crate::cli::DataArguments;
use crate::database::Database;
use crate::shutdown::Shutdown;
use anyhow::{Context, Result};
use chrono::Utc;
use indicatif::DecimalBytes;
use roundtrip_domain::tasks::retention;

pub(crate) async fn prune(dry_run: bool, data: &DataArguments) -> Result<()> {
    Database::with(Database::join(data), async |database, shutdown| {
        if dry_run {
            shutdown.unless_requested(preview(database)).await.unwrap_or(Ok(()))
        } else {
            remove(database, shutdown).await
        }
    })
    .await
}

async fn preview(database: &Database) -> Result<()> {
    let preview = retention::preview(&database.pool, Utc::now()).await.context("cannot read the database")?;
    for (due, amount) in preview {
        let bytes = u64::try_from(amount.byte_count).unwrap_or(0);
        let bytes = if bytes == 0 { String::new() } else { format!(", {}", DecimalBytes(bytes)) };
        crate::print(&format!("{due} would be deleted from {} runs{bytes}", amount.run_count))?;
    }
    Ok(())
}

async fn remove(database: &Database, shutdown: &Shutdown) -> Result<()> {
    let removed = retention::prune(&database.pool, Utc::now(), None, || shutdown.is_requested()).await;
    for of_project in removed.context("cannot delete old data")? {
        crate::print(&of_project.to_string())?;
    }
    Ok(())
}
