//! [`Path`] and [`Query`]: parameters, parsed. [`CommaSeparated`]: several values in one.

use crate::error::ApiError;
use axum::extract::FromRequestParts;
use axum::extract::rejection::PathRejection;
use axum::http::Uri;
use axum::http::request::Parts;
use serde::de::{Deserialize, DeserializeOwned, Deserializer, Error as _};
use std::error::Error as _;
use std::fmt::Display;
use std::ops::RangeInclusive;
use std::str::FromStr;

/// Like [`axum::extract::Path`]; the rejection is an [`ApiError`] that names the parameter.
#[derive(Debug)]
pub(crate) struct Path<T>(pub T);

/// A value, or the name of the invalid parameter and the reason: axum does not name parameters with our own parsers.
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

/// Like [`axum::extract::Query`]; the rejection is an [`ApiError`] that names the parameter.
#[derive(Debug)]
pub(crate) struct Query<T>(pub T);

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

/// Checks that a value is within an inclusive range.
pub(crate) fn within<T: PartialOrd + Display>(
    name: &str,
    value: T,
    range: RangeInclusive<T>,
) -> Result<T, ApiError> {
    if range.contains(&value) {
        return Ok(value);
    }
    Err(ApiError::parameter(name, format!("{value} is not between {} and {}", range.start(), range.end())))
}

/// Parses a query, or a part of one.
pub(super) fn parse<T: DeserializeOwned>(query: &str) -> Result<T, ApiError> {
    // The database does not accept NUL characters.
    if query.contains("%00") {
        return Err(ApiError::parameter("of the query", "contains a NUL character"));
    }
    let uri: Uri = format!("/?{query}").parse().map_err(ApiError::internal)?;
    match axum::extract::Query::try_from_uri(&uri) {
        Ok(axum::extract::Query(value)) => Ok(value),
        Err(rejection) => {
            // The source has the form `name: reason`.
            let text = rejection.source().map_or_else(|| rejection.body_text(), ToString::to_string);
            let (name, detail) = text.split_once(": ").unwrap_or(("of the query", &text));
            Err(ApiError::parameter(name, detail))
        }
    }
}

/// The maximum number of values in one parameter.
const VALUES_MAX: usize = 100;

/// Comma-separated values, of which any may match. Empty if the parameter is absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommaSeparated<T>(pub Vec<T>);

impl<T> Default for CommaSeparated<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<'de, T: FromStr<Err: Display>> Deserialize<'de> for CommaSeparated<T> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        let values = text
            .split(',')
            .map(|value| value.parse().map_err(|error| D::Error::custom(format!("`{value}`: {error}"))));
        let values: Vec<_> = values.collect::<Result<_, _>>()?;
        if values.len() > VALUES_MAX {
            return Err(D::Error::custom(format!("{} values: expected at most {VALUES_MAX}", values.len())));
        }
        Ok(Self(values))
    }
}
