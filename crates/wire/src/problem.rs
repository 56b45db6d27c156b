//! [`Problem`]: RFC 9457 problem details, the format of all error responses.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The media type of a [`Problem`].
pub const PROBLEM_MEDIA_TYPE: &str = "application/problem+json";

/// An error (RFC 9457). `code` is stable, for programs; `detail` is for users.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Problem {
    /// A URI reference that names the kind of problem: `/problems/` and the code.
    #[serde(rename = "type")]
    pub kind: String,
    /// The kind in a few words, the same each time.
    pub title: String,
    /// The HTTP status.
    pub status: u16,
    /// The stable code: `invalid-report`, `unknown-run`, ...
    pub code: String,
    /// What failed, and what was expected.
    pub detail: String,
    /// A JSON pointer (RFC 6901) to the member of the body that is wrong, where one is.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<String>,
    /// The request's id, as in the server's log.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub request_id: Option<String>,
}
