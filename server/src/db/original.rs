//! Files that were imported, as they came.

use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

/// A file to keep.
#[derive(Clone, Debug)]
pub struct Original {
    /// What it is called.
    pub name: String,
    /// In which format it was read.
    pub format: String,
    /// Its size before compression.
    pub byte_count: i64,
    /// The file, compressed.
    pub file_zstd: Vec<u8>,
}

/// A kept file without its bytes.
#[derive(Clone, Debug)]
pub struct Row {
    /// What it is called.
    pub name: String,
    /// In which format it was read.
    pub format: String,
    /// Its size before compression.
    pub byte_count: i64,
}

/// Which file a run was imported from, if it was.
///
/// # Errors
/// The database does not answer.
pub async fn find(pool: &PgPool, run_id: Uuid) -> sqlx::Result<Option<Row>> {
    sqlx::query_as!(Row, "select name, format, byte_count from run_original where run_id = $1", run_id)
        .fetch_optional(pool)
        .await
}

/// The file that a run was imported from: its name, and its bytes, compressed.
///
/// # Errors
/// The database does not answer.
pub async fn file(pool: &PgPool, run_id: Uuid) -> sqlx::Result<Option<(String, Vec<u8>)>> {
    let row = sqlx::query!("select name, file_zstd from run_original where run_id = $1", run_id)
        .fetch_optional(pool)
        .await?;
    Ok(row.map(|row| (row.name, row.file_zstd)))
}

/// Keeps a file.
///
/// # Errors
/// The database does not answer, or refuses the name.
pub async fn insert(connection: &mut PgConnection, run_id: Uuid, original: &Original) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into run_original (run_id, name, format, byte_count, file_zstd) values ($1, $2, $3, $4, $5)",
        run_id,
        original.name,
        original.format,
        original.byte_count,
        original.file_zstd,
    )
    .execute(connection)
    .await?;
    Ok(())
}
