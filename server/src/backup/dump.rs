//! Writes a database to a file. One connection reads the tables in one snapshot, and a thread compresses them.

use super::archive::Writer;
use super::manifest::{Manifest, sorted};
use super::{PART_BYTES, PARTS_AHEAD, Size};
use anyhow::{Context, Result};
use futures_util::StreamExt;
use roundtrip_storage::{backup, schema};
use sqlx::{PgConnection, PgPool};
use std::io::Write;
use tokio::sync::mpsc;

/// A message to the compression thread.
enum Message {
    Part(Vec<u8>),
    TableEnd {
        row_count: u64,
    },
    /// Completes the backup. Without this message it stays incomplete.
    End,
}

/// Writes a snapshot of the database, and returns the output. Reports the number of uncompressed bytes.
pub(crate) async fn dump<W: Write + Send + 'static>(
    pool: &PgPool,
    output: W,
    progress: impl Fn(u64),
) -> Result<(W, Size)> {
    let mut snapshot = backup::snapshot(pool).await.context("cannot read the database")?;
    let tables = sorted(backup::tables(&mut snapshot).await.context("cannot read the database")?)?;
    let migrations = schema::applied_migrations(&mut snapshot).await.context("cannot read the database")?;
    let manifest = Manifest::new(&tables, migrations);
    let (sender, receiver) = mpsc::channel(PARTS_AHEAD);
    let packing = tokio::task::spawn_blocking(move || pack(output, manifest, receiver));
    let mut byte_count = 0;
    let read = async {
        for table in &tables {
            read_table(&mut snapshot, table, &sender, |bytes| {
                byte_count += bytes;
                progress(byte_count);
            })
            .await?;
        }
        sender.send(Message::End).await.context("writing the backup has stopped")
    };
    let read = read.await;
    drop(sender);
    // If compression failed, reading failed too. Compression has the cause.
    let packed = packing.await.context("the compression thread panicked")??;
    read?;
    packed.context("the backup is incomplete")
}

async fn read_table(
    snapshot: &mut PgConnection,
    table: &backup::Table,
    parts: &mpsc::Sender<Message>,
    mut progress: impl FnMut(u64),
) -> Result<()> {
    let failed = || format!("cannot read the table {}", table.name);
    let ended = "writing the backup has stopped";
    let mut rows = backup::read_out(snapshot, table).await.with_context(failed)?;
    let (mut part, mut message_count) = (Vec::with_capacity(PART_BYTES), 0_u64);
    while let Some(row) = rows.next().await {
        let row = row.with_context(failed)?;
        message_count += 1;
        part.extend_from_slice(&row);
        if part.len() >= PART_BYTES {
            progress(part.len() as u64);
            let full = std::mem::replace(&mut part, Vec::with_capacity(PART_BYTES));
            parts.send(Message::Part(full)).await.context(ended)?;
        }
    }
    progress(part.len() as u64);
    parts.send(Message::Part(part)).await.context(ended)?;
    // PostgreSQL sends a message per row, and one for the end.
    let row_count = message_count.saturating_sub(1);
    parts.send(Message::TableEnd { row_count }).await.context(ended)
}

fn pack<W: Write>(
    output: W,
    manifest: Manifest,
    mut messages: mpsc::Receiver<Message>,
) -> Result<Option<(W, Size)>> {
    let mut writer = Writer::new(output, manifest)?;
    while let Some(message) = messages.blocking_recv() {
        match message {
            Message::Part(bytes) => writer.part(&bytes)?,
            Message::TableEnd { row_count } => writer.end_table(row_count)?,
            Message::End => return writer.finish().map(Some),
        }
    }
    Ok(None)
}
