//! [`AcknowledgedBefore`]: what an agent says of the acknowledgements that it has.

use crate::error::ApiError;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use roundtrip_wire::acknowledged::{Acknowledged, HEADER, InvalidAcknowledged};

/// What the header of that name says; none where there is no header.
#[derive(Clone, Copy, Debug)]
pub struct AcknowledgedBefore(pub Option<Acknowledged>);

impl<S: Send + Sync> FromRequestParts<S> for AcknowledgedBefore {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        let Some(value) = parts.headers.get(HEADER) else { return Ok(Self(None)) };
        let text = value.to_str().unwrap_or_default();
        let wrong = |error: InvalidAcknowledged| ApiError::parameter(HEADER, format!("`{text}`: {error}"));
        Ok(Self(Some(text.parse().map_err(wrong)?)))
    }
}
