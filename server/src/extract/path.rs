//! [`Path`]: parameters of the path, parsed.

use crate::error::ApiError;
use axum::extract::FromRequestParts;
use axum::extract::path::ErrorKind;
use axum::extract::rejection::PathRejection;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;

/// Like [`axum::extract::Path`]; the rejection is an [`ApiError`] that names the parameter.
#[derive(Debug)]
pub struct Path<T>(pub T);

impl<T, S> FromRequestParts<S> for Path<T>
where
    T: DeserializeOwned + Send,
    S: Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match axum::extract::Path::<T>::from_request_parts(parts, state).await {
            Ok(axum::extract::Path(value)) => Ok(Self(value)),
            Err(PathRejection::FailedToDeserializePathParams(error)) => Err(of_kind(error.into_kind())),
            Err(error) => Err(ApiError::internal(error)),
        }
    }
}

fn of_kind(kind: ErrorKind) -> ApiError {
    match kind {
        ErrorKind::ParseErrorAtKey { key, value, expected_type } => {
            ApiError::parameter(&key, format!("`{value}` is no {expected_type}"))
        }
        ErrorKind::DeserializeError { key, message, .. } => ApiError::parameter(&key, message),
        ErrorKind::InvalidUtf8InPathParam { key } => ApiError::parameter(&key, "it is not UTF-8"),
        other => ApiError::parameter("of the path", other.to_string()),
    }
}
