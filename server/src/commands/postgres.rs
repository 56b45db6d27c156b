//! `postgres`: runs only the embedded PostgreSQL, for `psql` and for tests.

use crate::cli::{DataArguments, PostgresArguments};
use crate::config;
use crate::database;
use crate::postgres::{self, Durability, Embedded};
use crate::shutdown::Shutdown;
use anyhow::{Context, Result};
use roundtrip_storage::pool::pool;
use std::path::Path;

/// The database that `create database` copies.
const TEMPLATE: &str = "template1";

pub(crate) async fn postgres(arguments: PostgresArguments, data: &DataArguments) -> Result<()> {
    let shutdown = Shutdown::watch(arguments.stop.stop_with_stdin)?;
    let data_dir = config::data_dir(data)?;
    if arguments.locate {
        let folder = postgres::programs_for(&data_dir)?;
        return folder.map_or(Ok(()), |folder| crate::print(&folder.display().to_string()));
    }
    let started = shutdown.unless_requested(async {
        if arguments.for_tests {
            start_for_tests(&data_dir).await
        } else {
            Embedded::start(&data_dir, Durability::Full).await
        }
    });
    let Some(embedded) = started.await else { return Ok(()) };
    let mut embedded = embedded?;
    crate::print(&embedded.url())?;
    tokio::select! {
        () = shutdown.requested() => {
            embedded.announce_stop();
            Ok(())
        }
        error = embedded.ended() => Err(error),
    }
}

/// Starts a PostgreSQL without durability and migrates its template database, which each test copies.
async fn start_for_tests(data_dir: &Path) -> Result<Embedded> {
    let embedded = Embedded::start(data_dir, Durability::None).await?;
    let template = pool(embedded.connect_options().database(TEMPLATE));
    let migrated = database::migrate(&template).await;
    // PostgreSQL copies no database to which a program is connected.
    template.close().await;
    migrated.with_context(|| format!("cannot prepare {TEMPLATE} for tests"))?;
    Ok(embedded)
}
