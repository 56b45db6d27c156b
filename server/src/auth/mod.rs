//! Authentication: identifies the caller of a request.
//!
//! A middleware around every API request identifies the caller by bearer token or session cookie before any handler
//! runs. An invalid token is rejected. An expired cookie counts as no cookie. Permissions are checked later, by
//! [`roundtrip_domain::access`].
//!
//! # Codemap
//! - `credentials`: the token or cookie of a request. `csrf`: whether our own pages sent it.

mod credentials;
pub(crate) mod csrf;

use crate::auth_settings::client;
use crate::error::ApiError;
use crate::{AppState, extract, mcp};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderValue, header};
use axum::middleware::Next;
use axum::response::Response;
use credentials::Credentials;
use roundtrip_domain::access::{Caller, Proof};
use roundtrip_storage as db;
use roundtrip_storage::access::Secret;
use roundtrip_storage::access::secret::SecretKind;
use roundtrip_storage::token::Working;
use std::net::IpAddr;

pub(crate) use credentials::{SESSION_COOKIE, cookie};

/// Middleware: authenticates the caller and enforces rate limits.
pub(crate) async fn authenticate(
    State(state): State<AppState>,
    mut request: Request,
    next: Next,
) -> Result<Response, ApiError> {
    let path = request.uri().path();
    let is_guarded =
        path == mcp::PATH || ["/api/", "/auth/", "/l/"].iter().any(|begin| path.starts_with(begin));
    if !is_guarded {
        return Ok(next.run(request).await);
    }
    let auth = &state.auth;
    let client = client::address(&request, auth.trusted_proxies());
    let Authenticated { caller, agent } = identify(&state, request.headers(), client).await?;
    auth.limits.check(caller.proof(), client)?;
    if matches!(caller.proof(), Proof::Session(_)) && !request.method().is_safe() {
        csrf::check(request.headers())?;
    }
    let is_stranger = caller.proof() == Proof::Nothing;
    request.extensions_mut().insert(extract::Caller::new(caller, agent, client));
    let mut response = next.run(request).await;
    let headers = response.headers_mut();
    headers.append(header::VARY, HeaderValue::from_static("authorization, cookie"));
    if !is_stranger {
        // Shared caches must not keep private answers.
        headers.entry(header::CACHE_CONTROL).or_insert(HeaderValue::from_static("private, no-cache"));
    }
    Ok(response)
}

/// The caller, authenticated or not, and the agent if it is one.
pub(crate) struct Authenticated {
    pub(crate) caller: Caller,
    agent: Option<Working>,
}

async fn identify(state: &AppState, headers: &HeaderMap, client: IpAddr) -> Result<Authenticated, ApiError> {
    let caller = match Credentials::from_headers(headers) {
        Credentials::Bearer(text) => {
            state.auth.limits.check_failures(client)?;
            let wrong = |why| Err(state.auth.limits.failed(client, why));
            let secret = match Secret::parse(text) {
                Some(secret) if secret.kind() != SecretKind::Session => secret,
                _ => return wrong("invalid token: check that it is complete and was issued by this server"),
            };
            return match authenticated_by(state, &secret).await? {
                Some(authenticated) => Ok(authenticated),
                None => wrong("the token is unknown, revoked or expired: create another one"),
            };
        }
        Credentials::Session(secret) => signed_in(state, &secret).await?,
        Credentials::None => None,
    };
    let caller = caller.unwrap_or_else(|| Caller::stranger(state.auth.is_private()));
    Ok(Authenticated { caller, agent: None })
}

/// Identifies the caller of an earlier request again. Without its session, it is a stranger.
///
/// # Errors
/// Its token is no longer valid.
pub(crate) async fn identify_again(state: &AppState, headers: &HeaderMap) -> Result<Caller, ApiError> {
    let caller = match Credentials::from_headers(headers) {
        Credentials::Bearer(text) => {
            let ended = || ApiError::Unauthenticated("the token was revoked or has expired");
            let secret = Secret::parse(text).ok_or_else(ended)?;
            Some(authenticated_by(state, &secret).await?.ok_or_else(ended)?.caller)
        }
        Credentials::Session(secret) => signed_in(state, &secret).await?,
        Credentials::None => None,
    };
    Ok(caller.unwrap_or_else(|| Caller::stranger(state.auth.is_private())))
}

/// The owner of a token; `None` if it is invalid.
pub(crate) async fn authenticated_by(
    state: &AppState,
    secret: &Secret,
) -> Result<Option<Authenticated>, ApiError> {
    let Some(grant) = db::token::accept(&state.pool, secret).await? else { return Ok(None) };
    let proof = Proof::Token(grant.token_id);
    let account = match grant.account_id {
        // It was deleted just now, with its tokens.
        Some(account_id) => match db::account::find(&state.pool, account_id).await? {
            Some(account) => Some(account),
            None => return Ok(None),
        },
        None => None,
    };
    let caller = Caller::new(proof, account, grant.scopes, grant.binding, state.auth.is_private());
    Ok(Some(Authenticated { caller, agent: grant.agent }))
}

async fn signed_in(state: &AppState, secret: &Secret) -> Result<Option<Caller>, ApiError> {
    let Some(grant) = db::session::accept(&state.pool, secret).await? else { return Ok(None) };
    let Some(account) = db::account::find(&state.pool, grant.account_id).await? else { return Ok(None) };
    let proof = Proof::Session(grant.session_id);
    let is_private = state.auth.is_private();
    Ok(Some(Caller::new(proof, Some(account), grant.scopes, grant.binding, is_private)))
}
