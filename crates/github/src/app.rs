//! [`App`]: the GitHub App of this server. It authenticates with a JWT, and uses a token per repository with
//! minimal permissions.

use crate::client::{Answer, Call, Client, GitHubError};
use crate::signature::Signature;
use anyhow::{Context, Result, ensure};
use chrono::{DateTime, TimeDelta, Utc};
use jsonwebtoken::{Algorithm, EncodingKey, Header};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};
use tokio::sync::Notify;

/// The lifetime of a JWT. GitHub allows ten minutes, and clocks differ.
const JWT_SECONDS: i64 = 8 * 60;
const SKEW_SECONDS: i64 = 60;
/// A token that expires within this time is replaced.
const TOKEN_MARGIN: TimeDelta = TimeDelta::minutes(5);
/// Entries per page, GitHub's maximum.
pub(super) const PER_PAGE: usize = 100;

/// The registration of the App.
#[derive(Clone)]
pub struct Settings {
    /// The address of GitHub's API.
    pub api_url: String,
    /// The App's id.
    pub app_id: u64,
    /// Its private key, as downloaded from GitHub.
    pub private_key_pem: Vec<u8>,
    /// The secret that signs GitHub's deliveries.
    pub webhook_secret: Vec<u8>,
}

/// The App.
pub struct App {
    app_id: u64,
    key: EncodingKey,
    webhook_secret: Vec<u8>,
    client: Client,
    tokens: Mutex<HashMap<TokenScope, Token>>,
    /// Notified when there is a new event.
    pub wake: Notify,
}

/// The purpose of a token.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[expect(missing_docs, reason = "the numbers are GitHub's")]
pub enum TokenScope {
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
    /// An App with these settings.
    ///
    /// # Errors
    /// The key or the address is invalid, or the secret is empty.
    pub fn new(settings: Settings) -> Result<Self> {
        ensure!(
            !settings.webhook_secret.is_empty(),
            "the webhook secret of the GitHub App is empty. Use the one that the App was registered with"
        );
        let key = EncodingKey::from_rsa_pem(&settings.private_key_pem).context(
            "the private key of the GitHub App is invalid: expected an RSA key in PEM, as downloaded from GitHub",
        )?;
        Ok(Self {
            app_id: settings.app_id,
            key,
            webhook_secret: settings.webhook_secret,
            client: Client::new(&settings.api_url)?,
            tokens: Mutex::default(),
            wake: Notify::new(),
        })
    }

    /// The App's id, which its comments and checks carry.
    pub fn app_id(&self) -> u64 {
        self.app_id
    }

    /// The signature of a delivery, from its header; none if it is not one.
    pub fn signature(&self, header: &str) -> Option<Signature> {
        Signature::new(&self.webhook_secret, header)
    }

    /// Sends a request as the App.
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

    /// Sends a request as an installation. Replaces a token that expired early, once.
    pub(super) async fn ask_as(
        &self,
        scope: TokenScope,
        method: &'static str,
        path: &str,
        body: Option<&Value>,
        now: DateTime<Utc>,
    ) -> Result<Answer, GitHubError> {
        let token = self.token(scope, now).await?;
        match self.client.call(Call { method, path, bearer: &token, body }, now).await {
            Err(GitHubError::Unauthorized) => {
                self.cached_tokens().remove(&scope);
                let token = self.token(scope, now).await?;
                self.client.call(Call { method, path, bearer: &token, body }, now).await
            }
            answer => answer,
        }
    }

    async fn token(&self, scope: TokenScope, now: DateTime<Utc>) -> Result<String, GitHubError> {
        let cached =
            self.cached_tokens().get(&scope).filter(|token| now + TOKEN_MARGIN < token.expires_at).cloned();
        if let Some(cached) = cached {
            return Ok(cached.token);
        }
        let (installation, asked) = scope.request();
        let path = format!("/app/installations/{installation}/access_tokens");
        let token: Token = self.ask("POST", &path, Some(&asked), now).await?.read()?;
        self.cached_tokens().insert(scope, token.clone());
        Ok(token.token)
    }

    fn cached_tokens(&self) -> std::sync::MutexGuard<'_, HashMap<TokenScope, Token>> {
        self.tokens.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn jwt(&self, now: DateTime<Utc>) -> Result<String, GitHubError> {
        let iat = now.timestamp() - SKEW_SECONDS;
        let claims = Claims { iss: self.app_id.to_string(), iat, exp: now.timestamp() + JWT_SECONDS };
        jsonwebtoken::encode(&Header::new(Algorithm::RS256), &claims, &self.key)
            .map_err(|error| GitHubError::Temporary(format!("cannot sign with the App's key: {error}")))
    }
}

impl TokenScope {
    /// The installation, and the least permissions that suffice.
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
