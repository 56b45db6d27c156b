//! [`App`]: the GitHub App that this server is. It proves itself by a JWT, and has for each repository a token that can do no
//! more than is needed there.

use crate::client::{Answer, Call, Client, GitHubError};
use anyhow::{Context, Result, ensure};
use chrono::{DateTime, TimeDelta, Utc};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use roundtrip_domain::ingest::admission::Admission;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use tokio::sync::Notify;

/// How long a JWT is good for: GitHub takes ten minutes at most, and clocks differ.
const JWT_SECONDS: i64 = 8 * 60;
const SKEW_SECONDS: i64 = 60;
/// A token that ends so soon is not used any more.
const TOKEN_MARGIN: TimeDelta = TimeDelta::minutes(5);
/// Entries of a page, the most that GitHub gives.
pub(super) const PER_PAGE: usize = 100;

/// What the App was registered as.
#[derive(Clone)]
pub struct Settings {
    /// Where GitHub's API is.
    pub api_url: String,
    /// The App's number.
    pub app_id: u64,
    /// Its private key, as GitHub gave it.
    pub private_key_pem: Vec<u8>,
    /// With which GitHub signs what it tells.
    pub webhook_secret: Vec<u8>,
}

/// The App.
pub struct App {
    app_id: u64,
    key: EncodingKey,
    webhook_secret: Vec<u8>,
    client: Client,
    tokens: Mutex<HashMap<Reach, Token>>,
    /// The memory of events that arrive: anybody can send some, and none of it is taken from uploads.
    pub admission: Admission,
    /// Told when there is something to be handled.
    pub wake: Notify,
}

/// What a token is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the numbers are GitHub's")]
pub enum Reach {
    /// To see which repositories an installation has.
    Installation(i64),
    /// To write checks and comments in one repository.
    Repository { installation: i64, repository: i64 },
}

#[derive(Clone, Deserialize)]
struct Token {
    token: String,
    expires_at: DateTime<Utc>,
}

#[derive(Serialize)]
struct Claims {
    iss: String,
    iat: i64,
    exp: i64,
}

impl App {
    /// With these settings.
    ///
    /// # Errors
    /// The key is none, the secret is empty, or the address is none.
    pub fn new(settings: Settings) -> Result<Self> {
        ensure!(
            !settings.webhook_secret.is_empty(),
            "the webhook secret of the GitHub App is empty: expected the one that it was registered with"
        );
        let key = EncodingKey::from_rsa_pem(&settings.private_key_pem).context(
            "the private key of the GitHub App is none: expected an RSA key in PEM, as GitHub gives it",
        )?;
        Ok(Self {
            app_id: settings.app_id,
            key,
            webhook_secret: settings.webhook_secret,
            client: Client::new(&settings.api_url)?,
            tokens: Mutex::default(),
            admission: Admission::default(),
            wake: Notify::new(),
        })
    }

    /// Its number: what it wrote carries it.
    pub fn app_id(&self) -> u64 {
        self.app_id
    }

    /// Whether GitHub signed this body.
    pub fn has_signed(&self, signature: &str, body: &[u8]) -> bool {
        crate::signature::is_signed(&self.webhook_secret, signature, body)
    }

    /// Asks as the App itself.
    pub(super) async fn ask(
        &self,
        method: &'static str,
        path: &str,
        body: Option<&Value>,
        now: DateTime<Utc>,
    ) -> Result<Answer, GitHubError> {
        let jwt = self.jwt(now)?;
        self.client.call(Call { method, path, bearer: &jwt, body }, now).await
    }

    /// Asks as an installation. A token that ended early is replaced once.
    pub(super) async fn ask_as(
        &self,
        reach: Reach,
        method: &'static str,
        path: &str,
        body: Option<&Value>,
        now: DateTime<Utc>,
    ) -> Result<Answer, GitHubError> {
        let token = self.token(reach, now).await?;
        match self.client.call(Call { method, path, bearer: &token, body }, now).await {
            Err(GitHubError::Unauthorized) => {
                self.kept().remove(&reach);
                let token = self.token(reach, now).await?;
                self.client.call(Call { method, path, bearer: &token, body }, now).await
            }
            answer => answer,
        }
    }

    async fn token(&self, reach: Reach, now: DateTime<Utc>) -> Result<String, GitHubError> {
        let kept = self.kept().get(&reach).filter(|token| now + TOKEN_MARGIN < token.expires_at).cloned();
        if let Some(kept) = kept {
            return Ok(kept.token);
        }
        let (installation, asked) = reach.request();
        let path = format!("/app/installations/{installation}/access_tokens");
        let token: Token = self.ask("POST", &path, Some(&asked), now).await?.read()?;
        self.kept().insert(reach, token.clone());
        Ok(token.token)
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, HashMap<Reach, Token>> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn jwt(&self, now: DateTime<Utc>) -> Result<String, GitHubError> {
        let iat = now.timestamp() - SKEW_SECONDS;
        let claims = Claims { iss: self.app_id.to_string(), iat, exp: now.timestamp() + JWT_SECONDS };
        jsonwebtoken::encode(&Header::new(Algorithm::RS256), &claims, &self.key)
            .map_err(|error| GitHubError::Temporary(format!("the App's key signs nothing: {error}")))
    }
}

impl Reach {
    /// The installation, and the least that is to be asked of it.
    fn request(self) -> (i64, Value) {
        match self {
            Self::Installation(installation) => (installation, json!({"permissions": {"metadata": "read"}})),
            Self::Repository { installation, repository } => {
                let permissions = json!({
                    "checks": "write", "contents": "read", "metadata": "read", "pull_requests": "write",
                });
                (installation, json!({"repository_ids": [repository], "permissions": permissions}))
            }
        }
    }
}

impl std::fmt::Debug for App {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("App").field("app_id", &self.app_id).finish_non_exhaustive()
    }
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Settings").field("app_id", &self.app_id).finish_non_exhaustive()
    }
}
