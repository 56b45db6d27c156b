//! The session of the web interface: current account, sign-in by token, sign-out.

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

/// The caller and their permissions.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SessionInfo {
    /// The account; null if not signed in, and for tokens of agents and CI.
    #[schema(required)]
    pub account: Option<SignedIn>,
    /// The scopes of the session or token; empty if not signed in.
    pub scopes: Vec<Scope>,
    /// The project that it is restricted to; null for any.
    #[schema(required)]
    pub project: Option<String>,
    /// Whether sign-in with GitHub is available.
    pub has_github: bool,
    /// Whether reading requires sign-in.
    pub is_private: bool,
}

/// The signed-in account.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SignedIn {
    /// The account's name.
    #[schema(example = "ada")]
    pub name: String,
    /// Whether the account is an administrator of this server.
    pub is_admin: bool,
    /// The account's role in each of its projects.
    pub roles: BTreeMap<String, Role>,
}

/// How to sign in.
#[derive(Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct SignInRequest {
    /// A user's token. The session has its scopes and ends with it.
    #[schema(example = "rtu_...")]
    pub token: String,
}

/// The caller's session and permissions. Without a session and a token, `account` is null.
#[utoipa::path(get, path = "/api/v1/session", tag = "session", responses(
    (status = 200, description = "The session", body = SessionInfo),
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
    (status = 403, description = "The request does not come from a page of this server"),
))]
pub(crate) async fn sign_in(
    State(state): State<AppState>,
    caller: Caller,
    headers: HeaderMap,
    Body(request): Body<SignInRequest>,
) -> Result<impl IntoResponse, ApiError> {
    // Otherwise another site could sign a user in to the attacker's account.
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
        let why = "not a user's token, or unknown, revoked or expired";
        refuse(&state, &caller, json!({"way": "token"})).await?;
        return Err(state.auth.limits.failed(caller.client(), why));
    };
    let token_id = match holder.proof() {
        Proof::Token(token_id) => Some(token_id),
        Proof::Nothing | Proof::Session(_) | Proof::CommandLine => None,
    };
    let by = By { actor: holder.actor(), ..caller.by() };
    let sign_in = SignIn { account_id: account.account_id, name: &account.name, token_id, way: "token" };
    let secret = sessions::begin_session(&state.pool, &caller, (&by, &caller.by()), sign_in).await?;
    let cookie = [(header::SET_COOKIE, session_cookie(&secret)?), (header::CACHE_CONTROL, no_store())];
    Ok((StatusCode::CREATED, cookie, Json(info(&state, holder))))
}

/// Signs out. Does nothing if no one is signed in.
#[utoipa::path(delete, path = "/api/v1/session", tag = "session",
    params(("x-roundtrip-csrf" = String, Header, description = "`1`")),
    security((), ("session" = [])),
    responses(
    (status = 204, description = "Signed out"),
))]
pub(crate) async fn sign_out(
    State(state): State<AppState>,
    caller: Caller,
) -> Result<impl IntoResponse, ApiError> {
    sessions::end_session(&state.pool, &caller, &caller.by()).await?;
    let removal = base(SESSION_COOKIE, String::new()).removal().build();
    Ok((StatusCode::NO_CONTENT, [(header::SET_COOKIE, header_value(&removal)?)]))
}

/// Records a failed sign-in in the audit log, within the rate limit.
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

/// The cookie with a session's secret. It lasts as long as a session can; the server ends it earlier.
pub(super) fn session_cookie(secret: &Secret) -> Result<HeaderValue, ApiError> {
    let max_age = cookie::time::Duration::seconds(SESSION_LIFETIME.num_seconds());
    header_value(&base(SESSION_COOKIE, secret.expose().to_owned()).max_age(max_age).build())
}

/// The attributes of a cookie that scripts cannot read, sent only over secure connections and not in cross-site
/// requests.
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
