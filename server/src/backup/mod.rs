//! A backup of the whole database as one file: a zstd-compressed tar with a manifest, the rows of each table, and
//! checksums.
//!
//! # Codemap
//! - [`manifest`]: the first and last members. [`archive`]: writes and reads the members.
//! - [`dump`]: from a database to a file. [`fill`]: from a file to a database.
//!
//! The rows of a table are a stream in the binary format of `copy`, split into members of some megabytes, because a
//! tar member begins with its size. You can read your data without this program: join the members again (`cat
//! tables/point/*`) and pass them to `copy point from ...`.

pub(crate) mod archive;
pub(crate) mod dump;
pub(crate) mod fill;
pub(crate) mod manifest;

/// The number of parts queued between compression and the database connection, which limits memory.
const PARTS_AHEAD: usize = 4;
const PART_BYTES: usize = 4 << 20;

/// The size of a backup.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Size {
    pub(crate) table_count: usize,
    pub(crate) row_count: u64,
    /// The number of bytes before compression.
    pub(crate) byte_count: u64,
}
