//! Signing in with GitHub: there and back. These are pages for a browser, so that what goes wrong leads to the sign-in page,
//! which says it in words.

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

/// Holds, until the browser comes back, what it must then prove, and where it wanted to go.
const COOKIE: &str = "__Host-roundtrip-sign-in";
/// How long people may take at GitHub.
const MINUTES: i64 = 10;
/// What GitHub says of people who do not want to.
const ACCESS_DENIED: &str = "access_denied";

/// Where to go when signed in.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct BeginQuery {
    /// A path of this server's pages.
    #[param(example = "/libfoo")]
    pub to: Option<String>,
}

/// What GitHub sends back.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Query)]
pub struct CallbackQuery {
    /// Proves that someone signed in.
    pub code: Option<String>,
    /// What was sent along.
    pub state: Option<String>,
    /// Why nobody did.
    pub error: Option<String>,
}

/// Why someone is not signed in, as the page knows it.
#[derive(Clone, Copy, Debug)]
enum Failure {
    /// They did not allow it.
    Denied,
    /// They took too long, or it did not begin in this browser.
    Stale,
    /// GitHub does not answer, or refuses.
    GitHub,
    /// There is no account for them.
    NoAccount,
}

/// Leads to GitHub.
#[utoipa::path(get, path = "/auth/github", tag = "session", params(BeginQuery), security(()), responses(
    (status = 303, description = "To GitHub"),
    (status = 404, description = "It was not set up"),
))]
pub(crate) async fn begin(
    State(state): State<AppState>,
    Query(query): Query<BeginQuery>,
) -> Result<Response, ApiError> {
    let begun = github(&state)?.begin();
    let to = ReturnPath::of(query.to.as_deref());
    let value = [begun.state.as_str(), begun.verifier.as_str(), &BASE64_URL_SAFE_NO_PAD.encode(to.as_str())];
    let cookie = base(COOKIE, value.join(".")).max_age(cookie::time::Duration::minutes(MINUTES)).build();
    Ok(([(header::SET_COOKIE, header_value(&cookie)?)], Redirect::to(&begun.url)).into_response())
}

/// Comes back from GitHub, signed in or not.
#[utoipa::path(get, path = "/auth/github/callback", tag = "session", params(CallbackQuery), security(()), responses(
    (status = 303, description = "To the page that was asked for, signed in; or to the sign-in page, which says why not"),
    (status = 404, description = "It was not set up"),
))]
pub(crate) async fn callback(
    State(state): State<AppState>,
    caller: Caller,
    headers: HeaderMap,
    Query(query): Query<CallbackQuery>,
) -> Result<Response, ApiError> {
    let github = github(&state)?;
    let forget = header_value(&base(COOKIE, String::new()).removal().build())?;
    let brought = cookie(&headers, COOKIE).and_then(|value| Brought::parse(&value));
    let to = brought.as_ref().map_or_else(ReturnPath::default, |brought| brought.to.clone());
    match signed_in(&state, github, &caller, query, brought).await? {
        Ok(session) => {
            let cookies = AppendHeaders([(header::SET_COOKIE, session), (header::SET_COOKIE, forget)]);
            Ok((cookies, Redirect::to(to.as_str())).into_response())
        }
        Err(failure) => {
            let page = format!("/-/sign-in?failed={}&to={}", failure.as_str(), to.encoded());
            Ok(([(header::SET_COOKIE, forget)], Redirect::to(&page)).into_response())
        }
    }
}

/// The session's cookie, or why there is none.
async fn signed_in(
    state: &AppState,
    github: Arc<GitHub>,
    caller: &Caller,
    query: CallbackQuery,
    brought: Option<Brought>,
) -> Result<Result<HeaderValue, Failure>, ApiError> {
    if let Some(error) = query.error {
        if error == ACCESS_DENIED {
            return Ok(Err(Failure::Denied));
        }
        tracing::warn!(?error, "GitHub signs nobody in");
        return Ok(Err(Failure::GitHub));
    }
    let (Some(code), Some(echoed), Some(brought)) = (query.code, query.state, brought) else {
        return Ok(Err(Failure::Stale));
    };
    // Both are secrets of this browser; how long it takes to tell them apart tells nothing of either.
    if !bool::from(brought.state.as_bytes().ct_eq(echoed.as_bytes())) {
        return Ok(Err(Failure::Stale));
    }
    let user = match github.user(code, brought.verifier).await {
        Ok(user) => user,
        Err(error) => {
            tracing::warn!(error.cause = format!("{error:#}"), "nobody was signed in with GitHub");
            session::refuse(state, caller, json!({"way": "github"})).await?;
            return Ok(Err(Failure::GitHub));
        }
    };
    let account = (user.id, user.login.as_str());
    let begun = sessions::begin_session_of_github(&state.pool, caller, &caller.by(), account).await?;
    let Some(secret) = begun else {
        session::refuse(state, caller, json!({"way": "github", "github_login": user.login})).await?;
        return Ok(Err(Failure::NoAccount));
    };
    Ok(Ok(session_cookie(&secret)?))
}

fn github(state: &AppState) -> Result<Arc<GitHub>, ApiError> {
    state.github.clone().ok_or_else(|| ApiError::unknown(Kind::SignIn, "with GitHub on this server"))
}

/// What the browser kept while it was away.
#[derive(Debug)]
struct Brought {
    state: String,
    verifier: String,
    to: ReturnPath,
}

impl Brought {
    fn parse(value: &str) -> Option<Self> {
        let mut parts = value.split('.');
        let (state, verifier, to) = (parts.next()?, parts.next()?, parts.next()?);
        let to = BASE64_URL_SAFE_NO_PAD.decode(to).ok().and_then(|bytes| String::from_utf8(bytes).ok());
        Some(Self {
            state: state.to_owned(),
            verifier: verifier.to_owned(),
            to: ReturnPath::of(to.as_deref()),
        })
    }
}

impl Failure {
    /// In the address of the sign-in page.
    fn as_str(self) -> &'static str {
        match self {
            Self::Denied => "denied",
            Self::Stale => "stale",
            Self::GitHub => "github",
            Self::NoAccount => "no-account",
        }
    }
}
