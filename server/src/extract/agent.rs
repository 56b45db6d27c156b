//! [`Agent`]: proof that an agent asks which was enrolled.

use super::Caller;
use crate::{AppState, error::ApiError};
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use roundtrip_domain::access::Refusal;
use roundtrip_storage::access::Scope;
use roundtrip_storage::token::Working;
use std::sync::Arc;

/// The agent that asks. Extract it before the body, so that strangers are refused first.
#[derive(Clone, Debug)]
pub struct Agent(pub Arc<Working>);

impl FromRequestParts<AppState> for Agent {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let caller = Caller::from_request_parts(parts, state).await?;
        caller.check_scope(Scope::JobsClaim)?;
        caller.agent().map(Self).ok_or_else(|| Refusal::NotEnrolled.into())
    }
}
