//! From a file to a database: a thread unpacks and checks, one transaction takes the rows of all tables.

use super::archive::{self, Found};
use super::manifest::{Checksums, Manifest};
use super::{PARTS_AHEAD, Size};
use crate::database::{self, Migration};
use anyhow::{Context, Result, bail, ensure};
use roundtrip_server::MIGRATOR;
use roundtrip_storage::{backup, baseline, schema};
use sqlx::{PgConnection, PgPool};
use std::io::Read;
use tokio::sync::mpsc;

/// Fills an empty database with what a backup holds, and brings it up to date. Tells how many bytes there were.
///
/// # Errors
/// The backup cannot be read or is damaged, the database has rows, or does not answer. No row is stored then.
pub(crate) async fn fill(
    pool: &PgPool,
    input: impl Read + Send + 'static,
    progress: impl Fn(u64),
) -> Result<Size> {
    let (sender, mut found) = mpsc::channel(PARTS_AHEAD);
    let unpacking = tokio::task::spawn_blocking(move || {
        archive::read(input, |found| sender.blocking_send(found).context("nobody takes what is read"))
    });
    let filled = fill_with(pool, &mut found, progress).await;
    if matches!(filled, Err(Stopped::RowsRefused(_))) {
        // Damage may unpack into rows that are none, and only the end of the file tells.
        while found.recv().await.is_some() {}
    }
    drop(found);
    // What is wrong with the file comes first: it is why the database got no further.
    let unpacked = unpacking.await.context("the thread that unpacks has ended")?;
    match filled {
        Ok(size) => {
            unpacked?;
            database::migrate(pool).await?;
            backup::vacuum(pool).await.context("cannot gather statistics")?;
            Ok(size)
        }
        Err(Stopped::FileEnds) => Err(unpacked.err().unwrap_or_else(|| anyhow::anyhow!("it is cut"))),
        Err(Stopped::RowsRefused(error)) => Err(unpacked.err().unwrap_or(error)),
        Err(Stopped::Because(error)) => Err(error),
    }
}

/// Why filling came to no end.
enum Stopped {
    /// Nothing follows from the file, whose reader knows why.
    FileEnds,
    /// The database does not take the rows: the file may be why.
    RowsRefused(anyhow::Error),
    Because(anyhow::Error),
}

impl From<anyhow::Error> for Stopped {
    fn from(error: anyhow::Error) -> Self {
        Self::Because(error)
    }
}

async fn fill_with(
    pool: &PgPool,
    found: &mut mpsc::Receiver<Found>,
    progress: impl Fn(u64),
) -> Result<Size, Stopped> {
    let Some(Found::Manifest(mut manifest)) = found.recv().await else { return Err(Stopped::FileEnds) };
    let known: Vec<i64> = MIGRATOR.iter().map(|migration| migration.version).collect();
    manifest.take_over(baseline::versions(&MIGRATOR))?;
    manifest.check(&known)?;
    // Held to the end: a server that starts meanwhile waits.
    let mut migration = Migration::begin(pool).await?;
    let filled = async {
        prepare(pool, &manifest, &mut migration).await?;
        let mut transaction = pool.begin().await.context("cannot connect to the database")?;
        let checksums = copy(&mut transaction, &manifest, found, progress).await?;
        backup::advance_identities(&mut transaction).await.context("cannot set the next keys")?;
        transaction.commit().await.context("cannot store what was read")?;
        Ok(archive::size(&checksums))
    };
    let filled = filled.await;
    migration.end().await?;
    filled
}

/// Brings the tables to where those of the backup were.
async fn prepare(pool: &PgPool, manifest: &Manifest, migration: &mut Migration) -> Result<()> {
    let mut connection = pool.acquire().await.context("cannot connect to the database")?;
    let applied = schema::applied_migrations(&mut connection).await.context("cannot read the database")?;
    if let Some(newer) = applied.iter().find(|version| !manifest.migrations.contains(version)) {
        bail!(
            "the database's tables are newer than the backup, by migration {newer}: restore into a new database, whose \
             tables are brought up to date afterwards"
        );
    }
    migration.apply(|version| manifest.migrations.contains(&version)).await
}

async fn copy(
    connection: &mut PgConnection,
    manifest: &Manifest,
    found: &mut mpsc::Receiver<Found>,
    progress: impl Fn(u64),
) -> Result<Checksums, Stopped> {
    let tables = backup::tables(connection).await.context("cannot read the database")?;
    let filled = backup::lock_and_find_filled(connection, &tables).await;
    let filled = filled.context("cannot lock the database's tables")?;
    if !filled.is_empty() {
        let error = anyhow::anyhow!(
            "the database is not empty, there are rows in {}: restore into a new one",
            filled.join(", ")
        );
        return Err(error.into());
    }
    let (mut row_counts, mut byte_count) = (Vec::with_capacity(tables.len()), 0);
    for of_backup in &manifest.tables {
        let table = tables.iter().find(|table| table.name == of_backup.name);
        let table = table.with_context(|| format!("the database has no table {}", of_backup.name))?;
        let refused = |error: sqlx::Error| {
            let said = format!("cannot store the rows of {}", table.name);
            Stopped::RowsRefused(anyhow::Error::from(error).context(said))
        };
        if table.columns != of_backup.columns {
            let error = anyhow::anyhow!("the columns of {} are not those of the backup", table.name);
            return Err(error.into());
        }
        let mut rows = backup::read_in(connection, table).await.map_err(refused)?;
        loop {
            match found.recv().await {
                Some(Found::Piece(piece)) => {
                    byte_count += piece.len() as u64;
                    rows.send(piece).await.map_err(refused)?;
                    progress(byte_count);
                }
                Some(Found::TableEnd) => break,
                _ => return Err(Stopped::FileEnds),
            }
        }
        row_counts.push(rows.finish().await.map_err(refused)?);
    }
    let Some(Found::End(checksums)) = found.recv().await else { return Err(Stopped::FileEnds) };
    let check = || {
        ensure!(manifest.tables.len() == tables.len(), "the database has tables that the backup lacks");
        for (stated, stored) in checksums.tables.iter().zip(row_counts) {
            let (name, count) = (&stated.name, stated.row_count);
            ensure!(count == stored, "the backup states {count} rows of {name}, and holds {stored}");
        }
        Ok(())
    };
    check()?;
    Ok(checksums)
}
