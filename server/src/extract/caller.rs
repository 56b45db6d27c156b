//! [`Caller`]: the caller of a request. [`Uploader`]: a caller that may upload. [`Agent`]: an enrolled agent.
//! [`AcknowledgedBefore`]: the number of acknowledgements that an agent has received.

use crate::AppState;
use crate::error::ApiError;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use roundtrip_domain::access::{self, Refusal};
use roundtrip_storage::access::Scope;
use roundtrip_storage::audit::By;
use roundtrip_storage::token::Working;
use roundtrip_wire::acknowledged::{Acknowledged, HEADER, InvalidAcknowledged};
use std::net::IpAddr;
use std::ops::Deref;
use std::sync::Arc;

/// The caller, as identified by [`crate::auth`].
#[derive(Clone, Debug)]
pub(crate) struct Caller {
    caller: Arc<access::Caller>,
    agent: Option<Arc<Working>>,
    client: IpAddr,
    request_id: Option<String>,
}

impl Caller {
    pub(crate) fn new(caller: access::Caller, agent: Option<Working>, client: IpAddr) -> Self {
        Self { caller: Arc::new(caller), agent: agent.map(Arc::new), client, request_id: None }
    }

    pub(crate) fn client(&self) -> IpAddr {
        self.client
    }

    /// The author of changes, for the audit log.
    pub(crate) fn by(&self) -> By {
        By { actor: self.caller.actor(), request_id: self.request_id.clone() }
    }
}

impl Deref for Caller {
    type Target = access::Caller;

    fn deref(&self) -> &access::Caller {
        &self.caller
    }
}

impl FromRequestParts<AppState> for Caller {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &AppState) -> Result<Self, ApiError> {
        let found = parts.extensions.get::<Self>().cloned();
        let found =
            found.ok_or_else(|| ApiError::internal(anyhow::anyhow!("the caller was not authenticated")))?;
        let request_id = parts.headers.get("x-request-id").and_then(|value| value.to_str().ok());
        Ok(Self { request_id: request_id.map(str::to_owned), ..found })
    }
}

/// A caller that may upload. Extract it before the body, so that anonymous callers are rejected first.
#[derive(Clone, Debug)]
pub(crate) struct Uploader(pub Caller);

impl FromRequestParts<AppState> for Uploader {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let caller = Caller::from_request_parts(parts, state).await?;
        caller.check_uploader()?;
        Ok(Self(caller))
    }
}

/// The calling agent. Extract it before the body, so that anonymous callers are rejected first.
#[derive(Clone, Debug)]
pub(crate) struct Agent(pub Arc<Working>);

impl FromRequestParts<AppState> for Agent {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let caller = Caller::from_request_parts(parts, state).await?;
        caller.check_scope(Scope::JobsClaim)?;
        caller.agent.map(Self).ok_or_else(|| Refusal::NotEnrolled.into())
    }
}

/// The agent's count of acknowledged runs from its header; `None` without the header.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AcknowledgedBefore(pub Option<Acknowledged>);

impl<S: Send + Sync> FromRequestParts<S> for AcknowledgedBefore {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, _state: &S) -> Result<Self, ApiError> {
        let Some(value) = parts.headers.get(HEADER) else { return Ok(Self(None)) };
        let text = value.to_str().unwrap_or_default();
        let wrong = |error: InvalidAcknowledged| ApiError::parameter(HEADER, format!("`{text}`: {error}"));
        Ok(Self(Some(text.parse().map_err(wrong)?)))
    }
}
