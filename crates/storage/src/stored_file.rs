//! Compressed files of runs, in parts: no file is in memory as a whole.

use crate::run::Location;
use sqlx::PgPool;

/// The size of a part.
const PART_BYTES: i32 = 256 * 1024;

/// A compressed file of a run.
#[derive(Clone, Copy, Debug)]
pub enum StoredFile {
    /// The upload.
    Upload,
    /// The file of another tool that the run was imported from.
    Original,
}

impl StoredFile {
    /// The part that begins at an offset in bytes; empty at the end. None if there is no file.
    pub async fn part(self, pool: &PgPool, run: Location, offset: i32) -> sqlx::Result<Option<Vec<u8>>> {
        let (machine_id, run_id) = (run.machine_id, run.run_id);
        macro_rules! part {
            ($query:literal) => {
                sqlx::query_scalar!($query, machine_id, run_id, offset, PART_BYTES).fetch_optional(pool).await
            };
        }
        let part = match self {
            Self::Upload => part!(
                r#"select substring(body_zstd from $3::integer + 1 for $4::integer) as "part?" from run_upload
                   where machine_id = $1 and run_id = $2"#
            ),
            Self::Original => part!(
                r#"select substring(file_zstd from $3::integer + 1 for $4::integer) as "part?" from run_original
                   where machine_id = $1 and run_id = $2"#
            ),
        };
        part.map(Option::flatten)
    }
}
