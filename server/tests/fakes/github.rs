//! [`FakeGitHub`]: a simulated GitHub that accepts only requests that follow GitHub's documentation.

use axum::extract::{Form, Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{get, post};
use axum::{Json, Router};
use base64::{Engine, prelude::BASE64_URL_SAFE_NO_PAD};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use std::collections::HashMap;
use std::net::{SocketAddr, TcpListener};
use std::sync::{Arc, Mutex};

/// The client id of the registered OAuth app.
pub(crate) const CLIENT_ID: &str = "Ov23liFake";
pub(crate) const CLIENT_SECRET: &str = "0123456789abcdef0123456789abcdef01234567";
pub(crate) const CALLBACK: &str = "/auth/github/callback";

/// A running fake, in its own thread.
pub(crate) struct FakeGitHub {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// The user at the browser; without one, the sign-in is denied.
    user: Mutex<Option<(i64, String)>>,
    /// The challenge and the user of each unused code.
    codes: Mutex<HashMap<String, (String, Value)>>,
    tokens: Mutex<HashMap<String, Value>>,
    /// Every issued secret.
    secrets: Mutex<Vec<String>>,
}

impl FakeGitHub {
    pub(crate) fn start() -> Self {
        let shared = Arc::new(Shared::default());
        let router = Router::new()
            .route("/login/oauth/authorize", get(authorize))
            .route("/login/oauth/access_token", post(access_token))
            .route("/api/v3/user", get(user))
            .with_state(Arc::clone(&shared));
        Self { address: serve(router), shared }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// Sets the user at the browser.
    pub(crate) fn sign_in_as(&self, user: Option<(i64, &str)>) {
        *self.shared.user.lock().unwrap() = user.map(|(id, login)| (id, login.to_owned()));
    }

    /// Every issued code and token.
    pub(crate) fn secrets(&self) -> Vec<String> {
        self.shared.secrets.lock().unwrap().clone()
    }

    /// Follows a redirect like a browser, and returns the path and query of the redirect back.
    pub(crate) fn visit(&self, url: &str) -> String {
        assert!(url.starts_with(&self.url()), "{url}");
        let agent: ureq::Agent =
            ureq::Agent::config_builder().max_redirects(0).http_status_as_error(false).build().into();
        let mut response = agent.get(url).call().unwrap();
        let body = response.body_mut().read_to_string().unwrap();
        assert_eq!(response.status(), 302, "{url}: {body}");
        let location = response.headers()["location"].to_str().unwrap();
        assert!(location.starts_with(CALLBACK), "{location}");
        location.to_owned()
    }
}

/// Serves a router at a free port, in its own thread.
pub(crate) fn serve(router: Router) -> SocketAddr {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = listener.local_addr().unwrap();
    roundtrip_github_fake::serve(listener, router);
    address
}

impl Shared {
    fn draw(&self, prefix: &str) -> String {
        let secret = format!("{prefix}{}", uuid::Uuid::now_v7().simple());
        self.secrets.lock().unwrap().push(secret.clone());
        secret
    }
}

async fn authorize(
    State(shared): State<Arc<Shared>>,
    Query(mut query): Query<HashMap<String, String>>,
) -> Response {
    let mut take = |name: &str| query.remove(name).unwrap_or_default();
    let (client, kind) = (take("client_id"), take("response_type"));
    let (state, challenge, method) = (take("state"), take("code_challenge"), take("code_challenge_method"));
    let is_right = client == CLIENT_ID
        && kind == "code"
        && state.len() >= 20
        && challenge.len() == 43
        && method == "S256"
        && query.is_empty();
    if !is_right {
        let left = format!("{client} {kind} {state} {challenge} {method} {query:?}");
        return (StatusCode::BAD_REQUEST, left).into_response();
    }
    let location = match &*shared.user.lock().unwrap() {
        None => format!("{CALLBACK}?error=access_denied&error_description=The+user+has+denied&state={state}"),
        Some((id, login)) => {
            let code = shared.draw("");
            let user = json!({"id": id, "login": login, "name": null, "type": "User"});
            shared.codes.lock().unwrap().insert(code.clone(), (challenge, user));
            format!("{CALLBACK}?code={code}&state={state}")
        }
    };
    (StatusCode::FOUND, [(header::LOCATION, location)]).into_response()
}

/// Reports errors with status 200, like GitHub.
async fn access_token(
    State(shared): State<Arc<Shared>>,
    headers: HeaderMap,
    Form(form): Form<HashMap<String, String>>,
) -> Json<Value> {
    let given = |name: &str| form.get(name).map(String::as_str).unwrap_or_default();
    let accepts = headers.get(header::ACCEPT).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !accepts.contains("application/json") || given("grant_type") != "authorization_code" {
        return Json(json!({"error": "unsupported"}));
    }
    if given("client_id") != CLIENT_ID || given("client_secret") != CLIENT_SECRET {
        return Json(json!({"error": "incorrect_client_credentials"}));
    }
    let known = shared.codes.lock().unwrap().remove(given("code"));
    let verified = BASE64_URL_SAFE_NO_PAD.encode(Sha256::digest(given("code_verifier")));
    match known {
        Some((challenge, user)) if challenge == verified => {
            let token = shared.draw("gho_");
            shared.tokens.lock().unwrap().insert(token.clone(), user);
            Json(json!({"access_token": token, "token_type": "bearer", "scope": ""}))
        }
        _ => Json(json!({"error": "bad_verification_code", "error_description": "incorrect or expired"})),
    }
}

async fn user(State(shared): State<Arc<Shared>>, headers: HeaderMap) -> Response {
    let text = |name: &str| headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if text("user-agent").is_empty() {
        return (StatusCode::FORBIDDEN, "Request forbidden by administrative rules").into_response();
    }
    if text("accept") != "application/vnd.github+json" || text("x-github-api-version") != "2022-11-28" {
        return StatusCode::BAD_REQUEST.into_response();
    }
    let token = text("authorization").strip_prefix("Bearer ").unwrap_or_default();
    match shared.tokens.lock().unwrap().get(token) {
        Some(user) => Json(user.clone()).into_response(),
        None => (StatusCode::UNAUTHORIZED, Json(json!({"message": "Bad credentials"}))).into_response(),
    }
}
