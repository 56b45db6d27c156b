//! [`ImportRequest`]: another tool's file for the server, with the run of its results.

use crate::{RunReport, Slug};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The longest name of a file, in bytes.
pub const FILE_NAME_BYTES_MAX: usize = 255;

/// Another tool's file, and the run to create.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportRequest {
    /// The run as a report without results: they are in the file.
    pub report: RunReport,
    /// The file.
    pub file: ImportedFile,
}

/// A file of another tool, whole.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct ImportedFile {
    /// The file name: `results.json`.
    pub name: String,
    /// The format: `google-benchmark`. Absent: detected from the content.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<Slug>,
    /// Its bytes, in base64.
    pub base64: String,
}
