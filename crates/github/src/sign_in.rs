//! Sign-in with GitHub: the OAuth web flow with PKCE and a state. It requests no scope, and the access token is
//! discarded after reading the user.

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
/// Far larger than any response.
const ANSWER_BYTES_MAX: u64 = 256 * 1024;

/// The addresses of GitHub, and this server's OAuth app.
#[derive(Clone)]
pub struct Settings {
    /// The address for sign-in: `https://github.com`.
    pub url: String,
    /// The address of its API: `https://api.github.com`.
    pub api_url: String,
    /// The OAuth app's client id.
    pub client_id: String,
    /// The OAuth app's secret.
    pub client_secret: String,
}

/// A configured GitHub server.
#[derive(Clone, Debug)]
pub struct GitHub {
    client: BasicClient<EndpointSet, EndpointNotSet, EndpointNotSet, EndpointNotSet, EndpointSet>,
    api_url: String,
    agent: ureq::Agent,
}

/// A started sign-in: the redirect, and the values that the callback is checked with.
#[derive(Debug)]
pub struct StartedSignIn {
    /// The address to redirect to.
    pub url: String,
    /// Returned in the callback's query.
    pub state: String,
    /// Proves that the code belongs to the same browser.
    pub verifier: String,
}

/// A GitHub user.
#[derive(Clone, Debug, Deserialize)]
pub struct User {
    /// The id, which never changes.
    pub id: i64,
    /// The login. Another user can take it over.
    pub login: String,
}

impl GitHub {
    /// A client with these settings.
    ///
    /// # Errors
    /// An address is invalid.
    pub fn new(settings: Settings) -> Result<Self> {
        let (url, api_url) = (checked_url(&settings.url)?, checked_url(&settings.api_url)?);
        let not_an_address = || format!("`{url}` is not a valid GitHub address: expected https://HOST");
        let client = BasicClient::new(ClientId::new(settings.client_id))
            .set_client_secret(ClientSecret::new(settings.client_secret))
            .set_auth_uri(AuthUrl::new(format!("{url}/login/oauth/authorize")).with_context(not_an_address)?)
            .set_token_uri(
                TokenUrl::new(format!("{url}/login/oauth/access_token")).with_context(not_an_address)?,
            )
            .set_auth_type(AuthType::RequestBody);
        Ok(Self { client, api_url: api_url.to_owned(), agent: agent(TIMEOUT) })
    }

    /// Starts a sign-in. GitHub redirects the browser to the address registered for the OAuth app.
    pub fn begin(&self) -> StartedSignIn {
        let (challenge, verifier) = PkceCodeChallenge::new_random_sha256();
        let (url, state) =
            self.client.authorize_url(CsrfToken::new_random).set_pkce_challenge(challenge).url();
        StartedSignIn { url: url.into(), state: state.into_secret(), verifier: verifier.into_secret() }
    }

    /// The GitHub user behind a sign-in code.
    ///
    /// # Errors
    /// GitHub does not answer, or rejects the code.
    pub async fn user(&self, code: String, verifier: String) -> Result<User> {
        let github = self.clone();
        tokio::task::spawn_blocking(move || github.ask(code, verifier))
            .await
            .context("the request to GitHub panicked")?
    }

    fn ask(&self, code: String, verifier: String) -> Result<User> {
        let token = self
            .client
            .exchange_code(AuthorizationCode::new(code))
            .set_pkce_verifier(PkceCodeVerifier::new(verifier))
            .request(&|request| self.send(request))
            .context("GitHub rejected the sign-in code")?;
        let request = oauth2::http::Request::get(format!("{}/user", self.api_url))
            .header("accept", "application/vnd.github+json")
            .header("authorization", format!("Bearer {}", token.access_token().secret()))
            .header("x-github-api-version", API_VERSION)
            .body(Vec::new())?;
        let answer = self.send(request).context("cannot read the user from GitHub")?;
        ensure!(answer.status().is_success(), "cannot read the user from GitHub: status {}", answer.status());
        serde_json::from_slice(answer.body())
            .context("GitHub's answer about the user is not the expected JSON")
    }

    fn send(&self, request: HttpRequest) -> Result<HttpResponse, ureq::Error> {
        send(&self.agent, request, ANSWER_BYTES_MAX)
    }
}
