//! Release files for agents' self-updates, served unchanged from a folder. The server does not sign or check them.
//! Agents pin the key at enrolment.

use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Agent, Path};
use axum::body::Body;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use roundtrip_domain::error::Kind;
use serde::Deserialize;
use std::io::ErrorKind;
use tokio::fs::File;
use tokio_util::io::ReaderStream;

/// A file of a release in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct ReleasePath {
    /// The file: `manifest.json`, `manifest.json.minisig` or a program.
    pub file: String,
}

/// A release file for agents' self-updates.
#[utoipa::path(get, path = "/api/v1/lab/releases/{file}", tag = "lab", params(ReleasePath),
    security(("token" = ["jobs:claim"])), responses(
    (status = 200, description = "The file", body = [u8], content_type = "application/octet-stream"),
    (status = 404, description = "`unknown-release`: the server has no such file"),
))]
pub(crate) async fn get_release(
    State(state): State<AppState>,
    Agent(_): Agent,
    Path(path): Path<ReleasePath>,
) -> Result<Response, ApiError> {
    let unknown = || ApiError::unknown(Kind::Release, &path.file);
    let folder = state.releases.as_ref().filter(|_| is_plain(&path.file)).ok_or_else(unknown)?;
    let file = File::open(folder.join(&path.file)).await.map_err(|error| match error.kind() {
        ErrorKind::NotFound => unknown(),
        _ => ApiError::internal(error),
    })?;
    let about = file.metadata().await.map_err(ApiError::internal)?;
    if !about.is_file() {
        return Err(unknown());
    }
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_LENGTH, about.len().to_string()),
        (header::CACHE_CONTROL, "private, no-cache".to_owned()),
    ];
    Ok((headers, Body::from_stream(ReaderStream::new(file))).into_response())
}

/// Whether a file name has no path separators and is not hidden.
fn is_plain(name: &str) -> bool {
    let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-');
    !name.starts_with('.') && name.bytes().all(is_plain)
}
