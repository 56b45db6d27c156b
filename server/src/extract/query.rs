//! [`Query`]: parameters of the query, parsed.

use crate::error::ApiError;
use axum::extract::FromRequestParts;
use axum::http::Uri;
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

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        parse(parts.uri.query().unwrap_or_default()).map(Self)
    }
}

/// Parses a query, or a part of one.
pub(super) fn parse<T: DeserializeOwned>(query: &str) -> Result<T, ApiError> {
    // The database holds none, and takes none.
    if query.contains("%00") {
        return Err(ApiError::parameter("of the query", "it has a NUL character"));
    }
    let uri: Uri = format!("/?{query}").parse().map_err(ApiError::internal)?;
    match axum::extract::Query::try_from_uri(&uri) {
        Ok(axum::extract::Query(value)) => Ok(value),
        Err(rejection) => {
            // The source reads `name: what is wrong`.
            let text = rejection.source().map_or_else(|| rejection.body_text(), ToString::to_string);
            let (name, detail) = text.split_once(": ").unwrap_or(("of the query", &text));
            Err(ApiError::parameter(name, detail))
        }
    }
}
