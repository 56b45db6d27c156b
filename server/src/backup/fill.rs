//! Restores a database from a file. A thread decompresses and checks; one transaction stores the rows of all tables.

use super::archive::{self, Item};
use super::manifest::{Checksums, Manifest};
use super::{PARTS_AHEAD, Size};
use crate::database::{self, Migration};
use anyhow::{Context, Result, bail, ensure};
use roundtrip_server::MIGRATOR;
use roundtrip_storage::{backup, baseline, schema};
use sqlx::{PgConnection, PgPool};
use std::io::Read;
use tokio::sync::mpsc;

/// Restores a backup into an empty database and applies migrations. Reports the number of bytes.
/// If it fails, the database stays empty.
pub(crate) async fn fill(
    pool: &PgPool,
    input: impl Read + Send + 'static,
    progress: impl Fn(u64),
) -> Result<Size> {
    let (sender, mut found) = mpsc::channel(PARTS_AHEAD);
    let unpacking = tokio::task::spawn_blocking(move || {
        archive::read(input, |found| sender.blocking_send(found).context("restoring has stopped"))
    });
    let filled = fill_with(pool, &mut found, progress).await;
    if matches!(filled, Err(FillError::RowsRefused(_))) {
        // Damaged data can decompress to invalid rows. Only the checksums at the end show that.
        while found.recv().await.is_some() {}
    }
    drop(found);
    // Report the file's error first, because it caused the database's.
    let unpacked = unpacking.await.context("the decompression thread panicked")?;
    match filled {
        Ok(size) => {
            unpacked?;
            database::migrate(pool).await?;
            backup::vacuum(pool).await.context("cannot gather statistics")?;
            Ok(size)
        }
        Err(FillError::FileEnded) => {
            Err(unpacked.err().unwrap_or_else(|| anyhow::anyhow!("the file is truncated")))
        }
        Err(FillError::RowsRefused(error)) => Err(unpacked.err().unwrap_or(error)),
        Err(FillError::Other(error)) => Err(error),
    }
}

/// The reason for an incomplete restore.
enum FillError {
    /// The file ended early. Its reader has the reason.
    FileEnded,
    /// The database rejected the rows, perhaps because of a damaged file.
    RowsRefused(anyhow::Error),
    Other(anyhow::Error),
}

impl From<anyhow::Error> for FillError {
    fn from(error: anyhow::Error) -> Self {
        Self::Other(error)
    }
}

async fn fill_with(
    pool: &PgPool,
    found: &mut mpsc::Receiver<Item>,
    progress: impl Fn(u64),
) -> Result<Size, FillError> {
    let Some(Item::Manifest(mut manifest)) = found.recv().await else { return Err(FillError::FileEnded) };
    let known: Vec<i64> = MIGRATOR.iter().map(|migration| migration.version).collect();
    manifest.take_over(baseline::versions(&MIGRATOR))?;
    manifest.check(&known)?;
    // Held to the end, so that a server that starts meanwhile waits.
    let mut migration = Migration::begin(pool).await?;
    let filled = async {
        prepare(pool, &manifest, &mut migration).await?;
        let mut transaction = pool.begin().await.context("cannot connect to the database")?;
        let checksums = copy(&mut transaction, &manifest, found, progress).await?;
        backup::advance_identities(&mut transaction).await.context("cannot set the sequences")?;
        transaction.commit().await.context("cannot commit the restored rows")?;
        Ok(archive::size(&checksums))
    };
    let filled = filled.await;
    migration.end().await?;
    filled
}

/// Migrates the tables to the version of the backup.
async fn prepare(pool: &PgPool, manifest: &Manifest, migration: &mut Migration) -> Result<()> {
    let mut connection = pool.acquire().await.context("cannot connect to the database")?;
    let applied = schema::applied_migrations(&mut connection).await.context("cannot read the database")?;
    if let Some(newer) = applied.iter().find(|version| !manifest.migrations.contains(version)) {
        bail!(
            "the database's tables are newer than the backup (migration {newer}). Restore into a new database: `restore` \
             then migrates it"
        );
    }
    migration.apply(|version| manifest.migrations.contains(&version)).await
}

async fn copy(
    connection: &mut PgConnection,
    manifest: &Manifest,
    found: &mut mpsc::Receiver<Item>,
    progress: impl Fn(u64),
) -> Result<Checksums, FillError> {
    let tables = backup::tables(connection).await.context("cannot read the database")?;
    let filled = backup::lock_and_find_filled(connection, &tables).await;
    let filled = filled.context("cannot lock the database's tables")?;
    if !filled.is_empty() {
        let error = anyhow::anyhow!(
            "the database is not empty (rows in {}). Restore into a new database",
            filled.join(", ")
        );
        return Err(error.into());
    }
    let (mut row_counts, mut byte_count) = (Vec::with_capacity(tables.len()), 0);
    for of_backup in &manifest.tables {
        let table = tables.iter().find(|table| table.name == of_backup.name);
        let table = table.with_context(|| format!("the database has no table {}", of_backup.name))?;
        let refused = |error: sqlx::Error| {
            let context = format!("cannot store the rows of {}", table.name);
            FillError::RowsRefused(anyhow::Error::from(error).context(context))
        };
        if table.columns != of_backup.columns {
            let error = anyhow::anyhow!("the columns of {} differ from the backup", table.name);
            return Err(error.into());
        }
        let mut rows = backup::read_in(connection, table).await.map_err(refused)?;
        loop {
            match found.recv().await {
                Some(Item::Piece(piece)) => {
                    byte_count += piece.len() as u64;
                    rows.send(piece).await.map_err(refused)?;
                    progress(byte_count);
                }
                Some(Item::TableEnd) => break,
                _ => return Err(FillError::FileEnded),
            }
        }
        row_counts.push(rows.finish().await.map_err(refused)?);
    }
    let Some(Item::End(checksums)) = found.recv().await else { return Err(FillError::FileEnded) };
    let check = || {
        ensure!(manifest.tables.len() == tables.len(), "the database has tables that the backup lacks");
        for (stated, stored) in checksums.tables.iter().zip(row_counts) {
            let (name, count) = (&stated.name, stated.row_count);
            ensure!(count == stored, "the backup lists {count} rows of {name}, but contains {stored}");
        }
        Ok(())
    };
    check()?;
    Ok(checksums)
}
