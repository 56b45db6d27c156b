//! Sign-in with GitHub. Browsers open these addresses, so errors redirect to the sign-in page, which explains them.

use super::return_path::ReturnPath;
use super::session::{self, base, header_value, session_cookie};
use crate::AppState;
use crate::auth::cookie;
use crate::error::ApiError;
use crate::extract::{Caller, Query};
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use roundtrip_domain::audited::sessions;
use roundtrip_domain::error::Kind;
use roundtrip_github::GitHub;
use serde::Deserialize;
use serde_json::json;
use std::sync::Arc;
use subtle::ConstantTimeEq;

/// The cookie with the state, the verifier and the requested page.
const COOKIE: &str = "__Host-roundtrip-sign-in";
/// The time limit for signing in at GitHub, in minutes.
const MINUTES: i64 = 10;
/// GitHub's error for users who cancel.
const ACCESS_DENIED: &str = "access_denied";

// Reasons for a failed sign-in. The sign-in page explains them.

/// The user denied access.
const DENIED: &str = "denied";
/// The sign-in timed out, or began in another browser.
const STALE: &str = "stale";
/// GitHub does not answer, or rejects the request.
const GITHUB: &str = "github";
/// There is no account for this GitHub user.
const NO_ACCOUNT: &str = "no-account";

/// The page to open after sign-in.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct BeginQuery {
    /// A path of this server's pages.
    #[param(example = "/libfoo")]
    pub to: Option<String>,
}

/// GitHub's redirect parameters.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub(crate) struct CallbackQuery {
    /// Proves that someone signed in.
    pub code: Option<String>,
    /// The state from the start of the sign-in.
    pub state: Option<String>,
    /// The reason for a failed sign-in.
    pub error: Option<String>,
}

/// Redirects to GitHub.
#[utoipa::path(get, path = "/auth/github", tag = "session", params(BeginQuery), security(()), responses(
    (status = 303, description = "To GitHub"),
    (status = 404, description = "Not configured on this server"),
))]
pub(crate) async fn begin(
    State(state): State<AppState>,
    Query(query): Query<BeginQuery>,
) -> Result<Response, ApiError> {
    let begun = github(&state)?.begin();
    let to = ReturnPath::parse(query.to.as_deref());
    let value = [begun.state.as_str(), begun.verifier.as_str(), &BASE64_URL_SAFE_NO_PAD.encode(to.as_str())];
    let cookie = base(COOKIE, value.join(".")).max_age(cookie::time::Duration::minutes(MINUTES)).build();
    Ok(([(header::SET_COOKIE, header_value(&cookie)?)], Redirect::to(&begun.url)).into_response())
}

/// Handles the redirect from GitHub.
#[utoipa::path(get, path = "/auth/github/callback", tag = "session", params(CallbackQuery), security(()), responses(
    (status = 303, description = "Redirect to the requested page, or to the sign-in page with the reason"),
    (status = 404, description = "Not configured on this server"),
))]
pub(crate) async fn callback(
    State(state): State<AppState>,
    caller: Caller,
    headers: HeaderMap,
    Query(query): Query<CallbackQuery>,
) -> Result<Response, ApiError> {
    let github = github(&state)?;
    let forget = header_value(&base(COOKIE, String::new()).removal().build())?;
    let sign_in_cookie = cookie(&headers, COOKIE).and_then(|value| SignInCookie::parse(&value));
    let to =
        sign_in_cookie.as_ref().map_or_else(ReturnPath::default, |sign_in_cookie| sign_in_cookie.to.clone());
    match signed_in(&state, github, &caller, query, sign_in_cookie).await? {
        Ok(session) => {
            let cookies = AppendHeaders([(header::SET_COOKIE, session), (header::SET_COOKIE, forget)]);
            Ok((cookies, Redirect::to(to.as_str())).into_response())
        }
        Err(failure) => {
            let page = format!("/-/sign-in?failed={failure}&to={}", to.encoded());
            Ok(([(header::SET_COOKIE, forget)], Redirect::to(&page)).into_response())
        }
    }
}

/// The session's cookie, or the reason for the failure.
async fn signed_in(
    state: &AppState,
    github: Arc<GitHub>,
    caller: &Caller,
    query: CallbackQuery,
    sign_in_cookie: Option<SignInCookie>,
) -> Result<Result<HeaderValue, &'static str>, ApiError> {
    if let Some(error) = query.error {
        if error == ACCESS_DENIED {
            return Ok(Err(DENIED));
        }
        tracing::warn!(?error, "sign-in with GitHub failed");
        return Ok(Err(GITHUB));
    }
    let (Some(code), Some(echoed), Some(sign_in_cookie)) = (query.code, query.state, sign_in_cookie) else {
        return Ok(Err(STALE));
    };
    // Compared in constant time.
    if !bool::from(sign_in_cookie.state.as_bytes().ct_eq(echoed.as_bytes())) {
        return Ok(Err(STALE));
    }
    let user = match github.user(code, sign_in_cookie.verifier).await {
        Ok(user) => user,
        Err(error) => {
            tracing::warn!(error.cause = format!("{error:#}"), "sign-in with GitHub was rejected");
            session::refuse(state, caller, json!({"way": "github"})).await?;
            return Ok(Err(GITHUB));
        }
    };
    let account = (user.id, user.login.as_str());
    let begun = sessions::begin_github_session(&state.pool, caller, &caller.by(), account).await?;
    let Some(secret) = begun else {
        session::refuse(state, caller, json!({"way": "github", "github_login": user.login})).await?;
        return Ok(Err(NO_ACCOUNT));
    };
    Ok(Ok(session_cookie(&secret)?))
}

fn github(state: &AppState) -> Result<Arc<GitHub>, ApiError> {
    state
        .github
        .clone()
        .ok_or_else(|| ApiError::unknown(Kind::SignIn, "GitHub is not configured on this server"))
}

/// The sign-in cookie.
#[derive(Debug)]
struct SignInCookie {
    state: String,
    verifier: String,
    to: ReturnPath,
}

impl SignInCookie {
    fn parse(value: &str) -> Option<Self> {
        let mut parts = value.split('.');
        let (state, verifier, to) = (parts.next()?, parts.next()?, parts.next()?);
        let to = BASE64_URL_SAFE_NO_PAD.decode(to).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        Some(Self {
            state: state.to_owned(),
            verifier: verifier.to_owned(),
            to: ReturnPath::parse(to.as_deref()),
        })
    }
}
