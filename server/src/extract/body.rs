//! [`Json`]: a small parsed body. [`ReportBody`]: the bytes of an upload as sent, counted while they arrive.

use crate::AppState;
use crate::error::ApiError;
use axum::body::Body;
use axum::extract::{FromRequest, Request};
use axum::http::header::{self, AsHeaderName, HeaderMap};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use roundtrip_domain::error::DomainError;
use roundtrip_domain::ingest::admission::Admitted;
use roundtrip_domain::ingest::{Encoding, UploadBody};
use serde::de::DeserializeOwned;
use std::fmt::Display;

/// The maximum size of a body, in bytes.
const BYTES_MAX: usize = 64 * 1024;

/// Like [`axum::Json`]; the rejection is an [`ApiError`] that names the member.
#[derive(Debug)]
pub(crate) struct Json<T>(pub T);

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _state: &S) -> Result<Self, ApiError> {
        require_json(request.headers())?;
        let body = Limited::new(request.into_body(), BYTES_MAX).collect().await.map_err(|error| {
            if error.is::<LengthLimitError>() { too_large(BYTES_MAX) } else { cut_short(error) }
        })?;
        let bytes = body.to_bytes();
        let mut deserializer = serde_json::Deserializer::from_slice(&bytes);
        let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
            let (path, error) = (error.path().to_string(), error.into_inner());
            match path.as_str() {
                _ if !error.is_data() => DomainError::InvalidJson(error.to_string()).into(),
                "." => ApiError::parameter("of the body", error.to_string()),
                name => ApiError::parameter(name, error.to_string()),
            }
        })?;
        deserializer.end().map_err(|error| DomainError::InvalidJson(error.to_string()))?;
        Ok(Self(value))
    }
}

/// The maximum size of a body as sent, in bytes.
const SENT_BYTES_MAX: usize = 8 * 1024 * 1024;

/// A JSON body, not yet decompressed.
#[derive(Debug)]
pub(crate) struct ReportBody(pub UploadBody);

impl FromRequest<AppState> for ReportBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, ApiError> {
        require_json(request.headers())?;
        let encoding = encoding(request.headers())?;
        let stated = stated_bytes(request.headers(), SENT_BYTES_MAX)?;
        let mut admitted = state.ingest.admission().admit(stated)?;
        let mut bytes = Vec::with_capacity(stated);
        read_within(request.into_body(), SENT_BYTES_MAX, &mut admitted, &mut bytes).await?;
        Ok(Self(UploadBody { bytes, encoding, admitted }))
    }
}

/// The `content-length` of a body, or 0.
pub(crate) fn stated_bytes(headers: &HeaderMap, max_bytes: usize) -> Result<usize, ApiError> {
    match header_text(headers, header::CONTENT_LENGTH).parse::<usize>() {
        Ok(stated) if stated > max_bytes => Err(too_large(max_bytes).into()),
        stated => Ok(stated.unwrap_or(0)),
    }
}

/// Reads a body up to a limit. Bytes are counted while they arrive, and memory for them is reserved.
pub(crate) async fn read_within(
    mut body: Body,
    max_bytes: usize,
    admitted: &mut Admitted,
    bytes: &mut Vec<u8>,
) -> Result<(), ApiError> {
    while let Some(frame) = body.frame().await {
        let Ok(data) = frame.map_err(cut_short)?.into_data() else { continue };
        if bytes.len() + data.len() > max_bytes {
            return Err(too_large(max_bytes).into());
        }
        admitted.cover(bytes.len() + data.len())?;
        bytes.extend_from_slice(&data);
    }
    Ok(())
}

fn too_large(max_bytes: usize) -> DomainError {
    DomainError::BodyTooLarge { max_bytes, state: "as sent" }
}

fn cut_short(error: impl Display) -> DomainError {
    DomainError::InvalidEncoding(format!("cannot read the whole body: {error}"))
}

pub(crate) fn require_json(headers: &HeaderMap) -> Result<(), ApiError> {
    let found = header_text(headers, header::CONTENT_TYPE);
    let essence = found.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(unsupported("content-type", found, "application/json"))
}

fn encoding(headers: &HeaderMap) -> Result<Encoding, ApiError> {
    let found = header_text(headers, header::CONTENT_ENCODING);
    match found.trim().to_ascii_lowercase().as_str() {
        "" | "identity" => Ok(Encoding::Identity),
        "gzip" => Ok(Encoding::Gzip),
        "zstd" => Ok(Encoding::Zstd),
        _ => Err(unsupported("content-encoding", found, "identity, gzip or zstd")),
    }
}

/// The text of a header; empty if it is absent or not ASCII.
pub(crate) fn header_text(headers: &HeaderMap, name: impl AsHeaderName) -> &str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

fn unsupported(header: &'static str, found: &str, expected: &'static str) -> ApiError {
    let found = if found.is_empty() { "absent".to_owned() } else { format!("`{found}`") };
    ApiError::UnsupportedMedia { header, found, expected }
}
