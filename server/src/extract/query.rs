//! [`Query`]: parameters of the query, parsed.

use crate::error::ApiError;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use serde::de::DeserializeOwned;
use std::error::Error;

/// Like [`axum::extract::Query`]; the rejection is an [`ApiError`] that names the parameter.
#[derive(Debug)]
pub struct Query<T>(pub T);

impl<T, S> FromRequestParts<S> for Query<T>
where
    T: DeserializeOwned,
    S: Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match axum::extract::Query::<T>::from_request_parts(parts, state).await {
            Ok(axum::extract::Query(value)) => Ok(Self(value)),
            Err(rejection) => {
                // The source reads `name: what is wrong`.
                let text = rejection.source().map_or_else(|| rejection.body_text(), ToString::to_string);
                let (name, detail) = text.split_once(": ").unwrap_or(("of the query", &text));
                Err(ApiError::parameter(name, detail))
            }
        }
    }
}
