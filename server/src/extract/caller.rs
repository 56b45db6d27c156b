//! [`Caller`]: who asks. [`Uploader`]: proof that it may upload.

use crate::AppState;
use crate::error::ApiError;
use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use roundtrip_domain::access;
use roundtrip_storage::access::Scope;
use roundtrip_storage::audit::By;
use roundtrip_storage::token::Working;
use std::net::IpAddr;
use std::ops::Deref;
use std::sync::Arc;

/// Who asks, as [`crate::auth`] found out before the handler.
#[derive(Clone, Debug)]
pub struct Caller {
    caller: Arc<access::Caller>,
    agent: Option<Arc<Working>>,
    client: IpAddr,
    request_id: Option<String>,
}

impl Caller {
    pub(crate) fn new(caller: access::Caller, agent: Option<Working>, client: IpAddr) -> Self {
        Self { caller: Arc::new(caller), agent: agent.map(Arc::new), client, request_id: None }
    }

    /// The agent that asks, if one does.
    pub(super) fn agent(&self) -> Option<Arc<Working>> {
        self.agent.clone()
    }

    /// The address that the request is from.
    pub(crate) fn client(&self) -> IpAddr {
        self.client
    }

    /// For the audit log.
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
        let found = found.ok_or_else(|| ApiError::internal(anyhow::anyhow!("nobody looked who asks")))?;
        let request_id = parts.headers.get("x-request-id").and_then(|value| value.to_str().ok());
        Ok(Self { request_id: request_id.map(str::to_owned), ..found })
    }
}

/// Someone who may upload something. Extract it before the body, so that strangers are refused first.
#[derive(Clone, Debug)]
pub struct Uploader(pub Caller);

impl FromRequestParts<AppState> for Uploader {
    type Rejection = ApiError;

    async fn from_request_parts(parts: &mut Parts, state: &AppState) -> Result<Self, ApiError> {
        let caller = Caller::from_request_parts(parts, state).await?;
        caller.check_scope(Scope::IngestWrite)?;
        Ok(Self(caller))
    }
}
