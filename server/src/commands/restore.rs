//! `restore`: fills an empty database from a backup.

use super::backup::{STANDARD, spinner};
use crate::backup::fill::fill;
use crate::cli::{BackupArguments, DataArguments};
use crate::database::Database;
use anyhow::{Context, Result};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// If it fails, the database stays empty.
pub(crate) async fn restore(arguments: BackupArguments, data: &DataArguments) -> Result<()> {
    let input: Box<dyn Read + Send> = if arguments.file == Path::new(STANDARD) {
        Box::new(std::io::stdin())
    } else {
        let opened = File::open(&arguments.file);
        Box::new(opened.with_context(|| format!("cannot open {}", arguments.file.display()))?)
    };
    let name = arguments.file.display();
    Database::with(Database::reach(data), async |database, shutdown| {
        let bar = spinner("restoring");
        let filled = shutdown.unless_requested(fill(&database.pool, input, |bytes| bar.set_position(bytes)));
        let filled = filled.await.context("interrupted: nothing was restored")?;
        let nothing = |error| database.explain(error).context(format!("nothing was restored from {name}"));
        let size = filled.map_err(nothing)?;
        bar.finish_and_clear();
        eprintln!("restored {} tables and {} rows from {name}", size.table_count, size.row_count);
        Ok(())
    })
    .await
}
