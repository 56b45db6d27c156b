//! The session of the web UI: who is signed in, in by a token, out.

use crate::AppState;
use crate::auth::{self, SESSION_COOKIE, csrf};
use crate::error::ApiError;
use crate::extract::{Caller, Json as Body};
use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::IntoResponse;
use cookie::{Cookie, SameSite};
use roundtrip_domain::access::Proof;
use roundtrip_domain::audited::sessions::{self, SignIn};
use roundtrip_storage::access::secret::SecretKind;
use roundtrip_storage::access::{Role, SESSION_LIFETIME, Scope, Secret};
use roundtrip_storage::audit::By;
use serde::{Deserialize, Serialize};
use serde_json::json;
use std::collections::BTreeMap;
use utoipa::ToSchema;

/// Who asks, and what they may do.
#[derive(Debug, Serialize, ToSchema)]
pub struct SessionInfo {
    /// The account; null when nobody is signed in, and for tokens of agents and of CI.
    #[schema(required)]
    pub account: Option<SignedIn>,
    /// What the session or the token is for; empty when nobody is signed in.
    pub scopes: Vec<Scope>,
    /// The only project that it is good for; null: any.
    #[schema(required)]
    pub project: Option<String>,
    /// Whether people can sign in with GitHub here.
    pub has_github: bool,
    /// Whether nobody sees anything here without signing in.
    pub is_private: bool,
}

/// An account, as it sees itself.
#[derive(Debug, Serialize, ToSchema)]
pub struct SignedIn {
    /// Its name.
    #[schema(example = "ada")]
    pub name: String,
    /// Whether it may do everything on this server.
    pub is_admin: bool,
    /// Its role in each project that it is a member of.
    pub roles: BTreeMap<String, Role>,
}

/// How to sign in.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct SignInRequest {
    /// A user's token. The session may do what the token may, and ends with it.
    #[schema(example = "rtu_...")]
    pub token: String,
}

/// Who asks. It never fails for want of an answer: without a session and without a token, `account` is null.
#[utoipa::path(get, path = "/api/v1/session", tag = "session", responses(
    (status = 200, description = "Who asks", body = SessionInfo),
))]
pub(crate) async fn get_session(State(state): State<AppState>, caller: Caller) -> impl IntoResponse {
    ([(header::CACHE_CONTROL, "no-store")], Json(info(&state, &caller)))
}

/// Signs in with a user's token: the answer sets the cookie. Scripts need no session: they send their token.
#[utoipa::path(post, path = "/api/v1/session", tag = "session", request_body = SignInRequest,
    params(("x-roundtrip-csrf" = String, Header, description = "`1`")),
    security(()),
    responses(
    (status = 201, description = "Signed in", body = SessionInfo,
        headers(("set-cookie" = String, description = "`__Host-roundtrip`"))),
    (status = 401, description = "The token is not valid, or not a user's"),
    (status = 403, description = "The request did not begin on a page of this server"),
))]
pub(crate) async fn sign_in(
    State(state): State<AppState>,
    caller: Caller,
    headers: HeaderMap,
    Body(request): Body<SignInRequest>,
) -> Result<impl IntoResponse, ApiError> {
    // Otherwise any page could sign someone in as somebody else, who then sees what they do.
    csrf::check(&headers)?;
    state.auth.limits.check_failures(caller.client())?;
    let holder = match Secret::parse(&request.token) {
        Some(secret) if secret.kind() != SecretKind::Session => {
            auth::authenticated_by(&state, &secret).await?
        }
        _ => None,
    };
    let holder = holder.map(|holder| holder.caller);
    let Some((holder, account)) = holder.as_ref().and_then(|holder| Some((holder, holder.account()?))) else {
        let why = "the token is not a user's, or unknown, revoked or expired";
        refuse(&state, &caller, json!({"way": "token"})).await?;
        return Err(state.auth.limits.failed(caller.client(), why));
    };
    let token_id = match holder.proof() {
        Proof::Token(token_id) => Some(token_id),
        Proof::Nothing | Proof::Session(_) => None,
    };
    let by = By { actor: holder.actor(), ..caller.by() };
    let sign_in = SignIn { account_id: account.account_id, name: &account.name, token_id, way: "token" };
    let secret = sessions::begin_session(&state.pool, &caller, (&by, &caller.by()), sign_in).await?;
    let cookie = [(header::SET_COOKIE, session_cookie(&secret)?), (header::CACHE_CONTROL, no_store())];
    Ok((StatusCode::CREATED, cookie, Json(info(&state, holder))))
}

/// Signs out. It does no harm when nobody is signed in.
#[utoipa::path(delete, path = "/api/v1/session", tag = "session",
    params(("x-roundtrip-csrf" = String, Header, description = "`1`")),
    security((), ("session" = [])),
    responses(
    (status = 204, description = "Nobody is signed in now"),
))]
pub(crate) async fn sign_out(
    State(state): State<AppState>,
    caller: Caller,
) -> Result<impl IntoResponse, ApiError> {
    sessions::end_session(&state.pool, &caller, &caller.by()).await?;
    let removal = base(SESSION_COOKIE, String::new()).removal().build();
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, header_value(&removal)?)]))
}

/// Writes into the audit log that somebody was not let in, unless it has enough of that.
pub(super) async fn refuse(
    state: &AppState,
    caller: &Caller,
    mut details: serde_json::Value,
) -> Result<(), ApiError> {
    let Some(left_out) = state.auth.limits.audits_failure() else { return Ok(()) };
    details["address"] = json!(caller.client());
    details["left_out_before"] = json!(left_out);
    Ok(sessions::refuse_session(&state.pool, &caller.by(), details).await?)
}

/// The cookie that holds a session's secret. It lasts as long as the session can, and the server says when it is over.
pub(super) fn session_cookie(secret: &Secret) -> Result<HeaderValue, ApiError> {
    let max_age = cookie::time::Duration::seconds(SESSION_LIFETIME.num_seconds());
    header_value(&base(SESSION_COOKIE, secret.expose().to_owned()).max_age(max_age).build())
}

/// A cookie that no script reads, that is sent over secure connections alone, and not with what other sites ask for.
pub(super) fn base(name: &'static str, value: String) -> cookie::CookieBuilder<'static> {
    Cookie::build((name, value)).path("/").secure(true).http_only(true).same_site(SameSite::Lax)
}

pub(super) fn header_value(cookie: &Cookie<'_>) -> Result<HeaderValue, ApiError> {
    HeaderValue::try_from(cookie.to_string()).map_err(ApiError::internal)
}

pub(super) fn no_store() -> HeaderValue {
    HeaderValue::from_static("no-store")
}

fn info(state: &AppState, caller: &roundtrip_domain::access::Caller) -> SessionInfo {
    SessionInfo {
        account: caller.account().map(|account| SignedIn {
            name: account.name.clone(),
            is_admin: account.is_admin,
            roles: account.roles.clone(),
        }),
        scopes: caller.scopes().to_vec(),
        project: caller.binding().project.clone(),
        has_github: state.github.is_some(),
        is_private: state.auth.is_private(),
    }
}
