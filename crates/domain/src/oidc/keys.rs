//! [`Keys`]: an issuer's signing keys, fetched on demand and cached, and fetched again for an unknown key id. Requests
//! are rate-limited, so that made-up key ids cannot cause many.

use anyhow::{Context, Result, ensure};
use jsonwebtoken::jwk::{Jwk, JwkSet};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tokio::sync::Mutex;
use ureq::http::Uri;
use ureq::tls::{RootCerts, TlsConfig};

const TIMEOUT: Duration = Duration::from_secs(10);
/// Far larger than any response.
const ANSWER_BYTES_MAX: u64 = 256 * 1024;
/// The time for which keys are cached. A withdrawn key is accepted for no longer.
const KEPT: Duration = Duration::from_secs(3_600);

#[derive(Debug)]
pub(super) struct Keys {
    issuer: Arc<Issuer>,
    refresh_interval: Duration,
    /// Held during the request, so that others wait for the same answer.
    cache: Mutex<Cache>,
}

#[derive(Debug, Default)]
struct Cache {
    keys: Option<(JwkSet, Instant)>,
    /// The time of the last request to the issuer, successful or not.
    asked_at: Option<Instant>,
}

#[derive(Debug)]
struct Issuer {
    name: String,
    agent: ureq::Agent,
}

#[derive(Debug)]
pub(super) enum NoKey {
    /// The issuer has no key with this id.
    Unknown,
    /// The issuer does not answer.
    Issuer(anyhow::Error),
}

/// The used fields of the issuer's discovery document.
#[derive(Debug, Deserialize)]
struct Discovery {
    issuer: String,
    jwks_uri: String,
}

impl Keys {
    /// The keys of an issuer.
    ///
    /// # Errors
    /// The address is invalid.
    pub(super) fn new(issuer: &str, refresh_interval: Duration) -> Result<Self> {
        let uri: Uri = issuer.parse()?;
        ensure!(matches!(uri.scheme_str(), Some("https" | "http")) && uri.host().is_some(), "no address");
        let agent = ureq::Agent::config_builder()
            .max_redirects(0)
            .timeout_global(Some(TIMEOUT))
            // A self-hosted GitHub often has a certificate from a private authority, which the system trusts.
            .tls_config(TlsConfig::builder().root_certs(RootCerts::PlatformVerifier).build())
            .user_agent(concat!("roundtrip-server/", env!("CARGO_PKG_VERSION")))
            .build()
            .into();
        let issuer = Arc::new(Issuer { name: issuer.to_owned(), agent });
        Ok(Self { issuer, refresh_interval, cache: Mutex::default() })
    }

    pub(super) async fn find(&self, name: &str) -> Result<Jwk, NoKey> {
        let mut cache = self.cache.lock().await;
        if let Some(key) = cache.find(name) {
            return Ok(key);
        }
        if cache.asked_at.is_some_and(|at| at.elapsed() < self.refresh_interval) {
            let silent = || NoKey::Issuer(anyhow::anyhow!("the issuer did not answer"));
            return Err(cache.fresh().map_or_else(silent, |_| NoKey::Unknown));
        }
        cache.asked_at = Some(Instant::now());
        let issuer = Arc::clone(&self.issuer);
        let fetched = tokio::task::spawn_blocking(move || issuer.keys())
            .await
            .context("the request to the issuer panicked");
        let keys = fetched.flatten().map_err(NoKey::Issuer)?;
        cache.keys = Some((keys, Instant::now()));
        cache.find(name).ok_or(NoKey::Unknown)
    }
}

impl Cache {
    fn fresh(&self) -> Option<&JwkSet> {
        self.keys.as_ref().filter(|(_, asked_at)| asked_at.elapsed() < KEPT).map(|(keys, _)| keys)
    }

    fn find(&self, name: &str) -> Option<Jwk> {
        self.fresh()?.find(name).cloned()
    }
}

impl Issuer {
    fn keys(&self) -> Result<JwkSet> {
        let url = format!("{}/.well-known/openid-configuration", self.name);
        let Discovery { issuer, jwks_uri } = self.get(&url)?;
        ensure!(issuer == self.name, "{url} names the issuer `{issuer}`: expected {}", self.name);
        // A manipulated document must not send requests into our own network.
        ensure!(
            origin(&jwks_uri)? == origin(&self.name)?,
            "{url} has its keys at `{jwks_uri}`: expected the same host as the issuer"
        );
        self.get(&jwks_uri)
    }

    fn get<T: DeserializeOwned>(&self, url: &str) -> Result<T> {
        let mut answer = self.agent.get(url).call().with_context(|| format!("{url} does not answer"))?;
        let body = answer.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_vec();
        let body = body.with_context(|| format!("cannot read {url}"))?;
        serde_json::from_slice(&body).with_context(|| format!("cannot read {url}"))
    }
}

/// Scheme, host and port.
fn origin(url: &str) -> Result<(Option<String>, Option<String>)> {
    let uri: Uri = url.parse().with_context(|| format!("`{url}` is not a valid address"))?;
    Ok((uri.scheme_str().map(str::to_owned), uri.authority().map(ToString::to_string)))
}
