//! [`ReportBody`]: the bytes of an upload as they were sent, counted while they arrive.

use crate::AppState;
use crate::error::ApiError;
use axum::extract::{FromRequest, Request};
use axum::http::{HeaderMap, HeaderName, header};
use http_body_util::BodyExt;
use roundtrip_domain::error::DomainError;
use roundtrip_domain::ingest::{Encoding, UploadBody};

/// The most bytes of a body as it is sent.
const SENT_BYTES_MAX: usize = 8 * 1024 * 1024;

/// A body of JSON, not yet inflated.
#[derive(Debug)]
pub struct ReportBody(pub UploadBody);

impl FromRequest<AppState> for ReportBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, ApiError> {
        require_json(request.headers())?;
        let encoding = encoding(request.headers())?;
        let too_large = DomainError::BodyTooLarge { max_bytes: SENT_BYTES_MAX, state: "as sent" };
        let stated = text(request.headers(), &header::CONTENT_LENGTH).parse::<usize>().ok();
        if stated.is_some_and(|stated| stated > SENT_BYTES_MAX) {
            return Err(too_large.into());
        }
        let mut admitted = state.ingest.admission().admit(stated.unwrap_or(0))?;
        let mut bytes = Vec::with_capacity(stated.unwrap_or(0));
        let mut body = request.into_body();
        while let Some(frame) = body.frame().await {
            let frame = frame.map_err(|error| {
                DomainError::InvalidEncoding(format!("the body ended before its end: {error}"))
            })?;
            let Ok(data) = frame.into_data() else { continue };
            if bytes.len() + data.len() > SENT_BYTES_MAX {
                return Err(too_large.into());
            }
            admitted.cover(bytes.len() + data.len())?;
            bytes.extend_from_slice(&data);
        }
        Ok(Self(UploadBody { bytes, encoding, admitted }))
    }
}

pub(crate) fn require_json(headers: &HeaderMap) -> Result<(), ApiError> {
    let found = text(headers, &header::CONTENT_TYPE);
    let essence = found.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(unsupported("content-type", found, "application/json"))
}

fn encoding(headers: &HeaderMap) -> Result<Encoding, ApiError> {
    let found = text(headers, &header::CONTENT_ENCODING);
    match found.trim().to_ascii_lowercase().as_str() {
        "" | "identity" => Ok(Encoding::Identity),
        "gzip" => Ok(Encoding::Gzip),
        "zstd" => Ok(Encoding::Zstd),
        _ => Err(unsupported("content-encoding", found, "identity, gzip or zstd")),
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &HeaderName) -> &'a str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

fn unsupported(header: &'static str, found: &str, expected: &'static str) -> ApiError {
    let found = if found.is_empty() { "absent".to_owned() } else { format!("`{found}`") };
    ApiError::UnsupportedMedia { header, found, expected }
}
