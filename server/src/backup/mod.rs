//! All that a database holds, as one file: a tar, compressed with zstd, of what the file is, the rows of each table, and
//! how many they are.
//!
//! # Codemap
//! - [`manifest`]: what stands in the first member and in the last. [`archive`]: the members, written and read.
//! - [`dump`]: from a database to a file. [`fill`]: from a file to a database.
//!
//! The rows of a table are a stream in the binary format of `copy`, cut into members of some megabytes, because a member's
//! size stands before it. Put together again (`cat tables/point/*`), they are what `copy point from ...` takes, so that
//! nobody needs this program to get at their data.

pub(crate) mod archive;
pub(crate) mod dump;
pub(crate) mod fill;
pub(crate) mod manifest;

/// Parts that wait between the thread that packs and the connection to the database: memory is bounded by it.
const PARTS_AHEAD: usize = 4;
/// The size of a part.
const PART_BYTES: usize = 4 << 20;

/// How much there is in a backup.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Size {
    pub(crate) table_count: usize,
    pub(crate) row_count: u64,
    /// Before compression.
    pub(crate) byte_count: u64,
}
