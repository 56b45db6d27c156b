//! [`Path`]: parameters of the path, parsed.

use crate::error::ApiError;
use axum::extract::FromRequestParts;
use axum::extract::rejection::PathRejection;
use axum::http::request::Parts;
use serde::de::{Deserialize, DeserializeOwned, Deserializer};

/// Like [`axum::extract::Path`]; the rejection is an [`ApiError`] that names the parameter.
#[derive(Debug)]
pub struct Path<T>(pub T);

/// A value, or the name of the parameter that is wrong and why: axum does not name one whose parser is our own.
struct Tracked<T>(Result<T, (String, String)>);

impl<'de, T: Deserialize<'de>> Deserialize<'de> for Tracked<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let value = serde_path_to_error::deserialize(deserializer);
        Ok(Self(value.map_err(|error| (error.path().to_string(), error.inner().to_string()))))
    }
}

impl<T, S> FromRequestParts<S> for Path<T>
where
    T: DeserializeOwned + Send,
    S: Send + Sync,
{
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ApiError> {
        match axum::extract::Path::<Tracked<T>>::from_request_parts(parts, state).await {
            Ok(axum::extract::Path(Tracked(value))) => {
                Ok(Self(value.map_err(|(name, detail)| ApiError::parameter(&name, detail))?))
            }
            Err(PathRejection::FailedToDeserializePathParams(error)) => {
                Err(ApiError::parameter("of the path", error.body_text()))
            }
            Err(error) => Err(ApiError::internal(error)),
        }
    }
}
