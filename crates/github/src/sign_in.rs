//! GitHub as the place where people sign in: the OAuth web flow, with PKCE and a state. Who someone is, is all that is
//! asked: no scope, and the access token is forgotten at once.

use crate::{API_VERSION, agent, checked_url, send};
use anyhow::{Context, Result, ensure};
use oauth2::basic::BasicClient;
use oauth2::{
    AuthType, AuthUrl, AuthorizationCode, ClientId, ClientSecret, CsrfToken, EndpointNotSet, EndpointSet,
    HttpRequest, HttpResponse, PkceCodeChallenge, PkceCodeVerifier, TokenResponse, TokenUrl,
};
use serde::Deserialize;
use std::time::Duration;

const TIMEOUT: Duration = Duration::from_secs(10);
/// Far more than any of the answers.
const ANSWER_BYTES_MAX: u64 = 256 * 1024;

/// Where GitHub is, and who this server is there.
#[derive(Clone)]
pub struct Settings {
    /// Where people sign in: `https://github.com`.
    pub url: String,
    /// Where its API is: `https://api.github.com`.
    pub api_url: String,
    /// The OAuth app's.
    pub client_id: String,
    /// The OAuth app's.
    pub client_secret: String,
}

/// A configured GitHub.
#[derive(Clone, Debug)]
pub struct GitHub {
    client: BasicClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>,
    api_url: String,
    agent: ureq::Agent,
}

/// A sign-in that was begun: where the browser goes, and what it must bring back.
#[derive(Debug)]
pub struct Begun {
    /// Where it goes.
    pub url: String,
    /// Comes back in the query.
    pub state: String,
    /// Proves that whoever brings the code is who began.
    pub verifier: String,
}

/// Someone at GitHub.
#[derive(Clone, Debug, Deserialize)]
pub struct User {
    /// Stays the same.
    pub id: i64,
    /// Can change hands.
    pub login: String,
}

impl GitHub {
    /// With these settings.
    ///
    /// # Errors
    /// An address is none.
    pub fn new(settings: Settings) -> Result<Self> {
        let (url, api_url) = (checked_url(&settings.url)?, checked_url(&settings.api_url)?);
        let not_an_address = || format!("`{url}` is no address of GitHub: expected https://HOST");
        let client = BasicClient::new(ClientId::new(settings.client_id))
            .set_client_secret(ClientSecret::new(settings.client_secret))
            .set_auth_uri(AuthUrl::new(format!("{url}/login/oauth/authorize")).with_context(not_an_address)?)
            .set_token_uri(
                TokenUrl::new(format!("{url}/login/oauth/access_token")).with_context(not_an_address)?,
            )
            .set_auth_type(AuthType::RequestBody);
        Ok(Self { client, api_url: api_url.to_owned(), agent: agent(TIMEOUT) })
    }

    /// Begins a sign-in. GitHub sends the browser back to the address that the OAuth app was registered with.
    pub fn begin(&self) -> Begun {
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let (url, state) =
            self.client.authorize_url(CsrfToken::new_random).set_pkce_challenge(challenge).url();
        Begun { url: url.into(), state: state.into_secret(), verifier: verifier.into_secret() }
    }

    /// Who brought this code.
    ///
    /// # Errors
    /// GitHub does not answer, or says that the code is wrong.
    pub async fn user(&self, code: String, verifier: String) -> Result<User> {
        let github = self.clone();
        tokio::task::spawn_blocking(move || github.ask(code, verifier))
            .await
            .context("nobody asked GitHub")?
    }

    fn ask(&self, code: String, verifier: String) -> Result<User> {
        let token = self
            .client
            .exchange_code(AuthorizationCode::new(code))
            .set_pkce_verifier(PkceCodeVerifier::new(verifier))
            .request(&|request| self.send(request))
            .context("GitHub does not take the code")?;
        let request = oauth2::http::Request::get(format!("{}/user", self.api_url))
            .header("accept", "application/vnd.github+json")
            .header("authorization", format!("Bearer {}", token.access_token().secret()))
            .header("x-github-api-version", API_VERSION)
            .body(Vec::new())?;
        let answer = self.send(request).context("GitHub does not say who it is")?;
        ensure!(answer.status().is_success(), "GitHub does not say who it is: status {}", answer.status());
        serde_json::from_slice(answer.body()).context("GitHub's word on who it is cannot be read")
    }

    fn send(&self, request: HttpRequest) -> Result<HttpResponse, ureq::Error> {
        send(&self.agent, request, ANSWER_BYTES_MAX)
    }
}

impl std::fmt::Debug for Settings {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Settings").field("url", &self.url).finish_non_exhaustive()
    }
}
