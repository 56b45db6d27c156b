//! [`Json`]: a small body, parsed.

use super::report_body::require_json;
use crate::error::ApiError;
use axum::extract::{FromRequest, Request};
use http_body_util::{BodyExt, LengthLimitError, Limited};
use roundtrip_domain::error::DomainError;
use serde::de::{Deserialize, DeserializeOwned, Deserializer};

/// The most bytes of a body.
const BYTES_MAX: usize = 64 * 1024;

/// Like [`axum::Json`]; the rejection is an [`ApiError`] that names the member.
#[derive(Debug)]
pub struct Json<T>(pub T);

/// Tells null, which takes a value away, from absent, which leaves it: of a member that has this and a default.
///
/// # Errors
/// It is neither null nor a value.
pub fn present<'de, T: Deserialize<'de>, D: Deserializer<'de>>(
    deserializer: D,
) -> Result<Option<Option<T>>, D::Error> {
    Option::deserialize(deserializer).map(Some)
}

impl<T: DeserializeOwned, S: Send + Sync> FromRequest<S> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, _state: &S) -> Result<Self, ApiError> {
        require_json(request.headers())?;
        let body = Limited::new(request.into_body(), BYTES_MAX).collect().await.map_err(|error| {
            if error.is::<LengthLimitError>() {
                DomainError::BodyTooLarge { max_bytes: BYTES_MAX, state: "as sent" }
            } else {
                DomainError::InvalidEncoding(format!("the body ended before its end: {error}"))
            }
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
