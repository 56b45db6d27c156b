//! Imported files, unchanged.

use super::run::{Key, Location};
use serde::Serialize;
use sqlx::{PgConnection, PgPool};
use utoipa::ToSchema;

/// A file to store.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table run_original, described there")]
pub struct Original {
    pub name: String,
    pub format: String,
    pub byte_count: i64,
    pub file_zstd: Vec<u8>,
}

/// Another tool's file, stored unchanged.
#[derive(Debug, Serialize, ToSchema)]
pub struct OriginalFile {
    /// Its name.
    pub name: String,
    /// Its format.
    pub format: String,
    /// Its size in bytes.
    #[serde(rename = "bytes")]
    pub byte_count: i64,
}

/// The file that a run was imported from, if any.
pub async fn find(pool: &PgPool, run: Location) -> sqlx::Result<Option<OriginalFile>> {
    sqlx::query_as!(
        OriginalFile,
        "select name, format, byte_count from run_original where machine_id = $1 and run_id = $2",
        run.machine_id,
        run.run_id,
    )
    .fetch_optional(pool)
    .await
}

/// Stores a file.
pub async fn insert(connection: &mut PgConnection, key: Key, original: &Original) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into run_original (machine_id, run_id, name, format, byte_count, file_zstd)
         values ($1, $2, $3, $4, $5, $6)",
        key.machine_id,
        key.run_id,
        original.name,
        original.format,
        original.byte_count,
        original.file_zstd,
    )
    .execute(connection)
    .await?;
    Ok(())
}
