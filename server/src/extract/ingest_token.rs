//! [`IngestToken`]: proof that the caller may upload.

use crate::{AppState, db, error::ApiError};
use axum::extract::FromRequestParts;
use axum::http::{header, request::Parts};

/// What a token must allow for uploads.
const SCOPE: &str = "ingest:write";

/// A valid token with the scope `ingest:write`. Extract it before the body, so that strangers are refused first.
#[derive(Clone, Copy, Debug)]
pub struct IngestToken;

impl FromRequestParts<AppState> for IngestToken {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let secret = bearer(parts)?;
        if !db::token::is_well_formed(secret) {
            return Err(ApiError::Unauthenticated(
                "the token is malformed: is it complete, and of this kind of server?",
            ));
        }
        let Some(grant) = db::token::accept(&state.pool, secret).await? else {
            return Err(ApiError::Unauthenticated("the token is unknown, revoked or expired"));
        };
        if grant.scopes.iter().any(|scope| scope == SCOPE) {
            Ok(Self)
        } else {
            Err(ApiError::MissingScope(SCOPE))
        }
    }
}

fn bearer(parts: &Parts) -> Result<&str, ApiError> {
    parts
        .headers
        .get(header::AUTHORIZATION)
        .and_then(|value| value.to_str().ok())
        .and_then(|value| value.split_once(' '))
        .filter(|(scheme, _)| scheme.eq_ignore_ascii_case("bearer"))
        .map(|(_, secret)| secret.trim())
        .ok_or(ApiError::Unauthenticated("expected a header `authorization: Bearer <token>`"))
}
