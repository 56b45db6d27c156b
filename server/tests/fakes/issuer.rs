//! [`FakeIssuer`]: signs tokens for jobs like GitHub, with a discovery document and keys.

use axum::extract::{Query, State};
use axum::http::{HeaderMap, StatusCode, header};
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use axum::{Json, Router};
use jsonwebtoken::jwk::{Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use roundtrip_github_fake::{APP_KEY, OTHER_APP_KEY};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

/// The token with which a job requests its identity token.
pub(crate) const REQUEST_TOKEN: &str = "request-token";

/// The signing keys, used in turn, in PEM.
const KEYS: [&str; 2] = [APP_KEY, OTHER_APP_KEY];

/// A running fake, in its own thread.
pub(crate) struct FakeIssuer {
    address: SocketAddr,
    shared: Arc<Shared>,
}

#[derive(Default)]
struct Shared {
    /// The number of key rotations.
    generation: AtomicU64,
    is_down: AtomicBool,
    key_requests: AtomicU64,
    /// Members that replace those of the discovery document.
    discovery: Mutex<Option<Value>>,
    /// The claims of a job's token, except issuer, audience and times.
    job: Mutex<Value>,
}

impl FakeIssuer {
    pub(crate) fn start() -> Self {
        let shared = Arc::new(Shared::default());
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.set_nonblocking(true).unwrap();
        let address = listener.local_addr().unwrap();
        let of = |shared: &Arc<Shared>| (Arc::clone(shared), format!("http://{address}"));
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(discovery))
            .route("/.well-known/jwks", get(keys))
            .route("/token", get(token))
            .with_state(of(&shared));
        std::thread::spawn(move || {
            let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
            runtime.block_on(async {
                let listener = tokio::net::TcpListener::from_std(listener).unwrap();
                axum::serve(listener, router).await.unwrap();
            });
        });
        *shared.job.lock().unwrap() = job();
        Self { address, shared }
    }

    pub(crate) fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    /// The URL where a job requests its token.
    pub(crate) fn request_url(&self) -> String {
        format!("{}/token?api-version=2", self.url())
    }

    /// Sets the job's claims in the next tokens.
    pub(crate) fn set_job(&self, job: Value) {
        *self.shared.job.lock().unwrap() = job;
    }

    /// Stops or resumes answering.
    pub(crate) fn set_down(&self, is_down: bool) {
        self.shared.is_down.store(is_down, Ordering::SeqCst);
    }

    /// Signs with another key from now on, and drops the earlier one.
    pub(crate) fn rotate(&self) {
        self.shared.generation.fetch_add(1, Ordering::SeqCst);
    }

    /// Overrides members of the discovery document.
    pub(crate) fn set_discovery(&self, members: Value) {
        *self.shared.discovery.lock().unwrap() = Some(members);
    }

    /// The number of requests for the keys.
    pub(crate) fn key_requests(&self) -> u64 {
        self.shared.key_requests.load(Ordering::SeqCst)
    }

    /// The claims of a job's token for an audience, for a test to change.
    pub(crate) fn claims(&self, audience: &str) -> Value {
        self.shared.claims(&self.url(), audience)
    }

    /// Signs claims with the current key.
    pub(crate) fn sign(&self, claims: &Value) -> String {
        self.shared.sign(claims)
    }

    /// The id of the current key.
    pub(crate) fn key_name(&self) -> String {
        self.shared.key_name()
    }

    /// The current public key.
    pub(crate) fn public_key(&self) -> Value {
        self.shared.public_key()
    }
}

/// GitHub's claims for a push to the main branch of a repository.
pub(crate) fn job() -> Value {
    json!({
        "sub": "repo:octo/lib:ref:refs/heads/main", "repository": "octo/lib", "repository_id": "101",
        "repository_owner": "octo", "repository_owner_id": "7", "ref": "refs/heads/main", "ref_type": "branch",
        "sha": "1".repeat(40), "event_name": "push", "run_id": "1",
        "workflow_ref": "octo/lib/.github/workflows/measure.yml@refs/heads/main",
    })
}

impl Shared {
    fn key(&self) -> EncodingKey {
        let generation = self.generation.load(Ordering::SeqCst);
        let key = KEYS[usize::from(!generation.is_multiple_of(2))];
        EncodingKey::from_rsa_pem(key.as_bytes()).unwrap()
    }

    fn key_name(&self) -> String {
        format!("key-{}", self.generation.load(Ordering::SeqCst))
    }

    fn sign(&self, claims: &Value) -> String {
        let header = Header { kid: Some(self.key_name()), ..Header::new(Algorithm::RS256) };
        jsonwebtoken::encode(&header, claims, &self.key()).unwrap()
    }

    fn claims(&self, issuer: &str, audience: &str) -> Value {
        let now = jsonwebtoken::get_current_timestamp();
        let mut claims = self.job.lock().unwrap().clone();
        let own = json!({
            "iss": issuer, "aud": audience, "jti": uuid::Uuid::now_v7().to_string(), "iat": now, "nbf": now - 300,
            "exp": now + 300,
        });
        claims.as_object_mut().unwrap().extend(own.as_object().unwrap().clone());
        claims
    }

    fn public_key(&self) -> Value {
        let mut key = Jwk::from_encoding_key(&self.key(), Algorithm::RS256).unwrap();
        key.common.key_id = Some(self.key_name());
        key.common.public_key_use = Some(PublicKeyUse::Signature);
        json!(key)
    }
}

type Issuer = State<(Arc<Shared>, String)>;

async fn discovery(State((shared, url)): Issuer) -> Response {
    if shared.is_down.load(Ordering::SeqCst) {
        return StatusCode::SERVICE_UNAVAILABLE.into_response();
    }
    let mut document = json!({"issuer": url, "jwks_uri": format!("{url}/.well-known/jwks")});
    if let Some(members) = &*shared.discovery.lock().unwrap() {
        document.as_object_mut().unwrap().extend(members.as_object().unwrap().clone());
    }
    Json(document).into_response()
}

async fn keys(State((shared, _)): Issuer) -> Json<Value> {
    shared.key_requests.fetch_add(1, Ordering::SeqCst);
    Json(json!({"keys": [shared.public_key()]}))
}

async fn token(
    State((shared, url)): Issuer,
    headers: HeaderMap,
    Query(query): Query<HashMap<String, String>>,
) -> Response {
    let proof = headers.get(header::AUTHORIZATION).and_then(|value| value.to_str().ok());
    if proof != Some(&format!("Bearer {REQUEST_TOKEN}")) || !query.contains_key("api-version") {
        return StatusCode::UNAUTHORIZED.into_response();
    }
    let Some(audience) = query.get("audience") else { return StatusCode::BAD_REQUEST.into_response() };
    let claims = shared.claims(&url, audience);
    Json(json!({"count": 1, "value": shared.sign(&claims)})).into_response()
}
