//! [`Keys`]: by which keys an issuer signs. They are asked for when they are needed, kept for a while, and asked for again
//! when one is not among them: issuers change them. Whoever sends tokens with made-up names of keys makes this server ask
//! once in a while, and no more often.

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
/// Far more than any of the answers.
const ANSWER_BYTES_MAX: u64 = 256 * 1024;
/// How long keys are believed: one that the issuer has withdrawn is good for no longer.
const KEPT: Duration = Duration::from_secs(3_600);

#[derive(Debug)]
pub(super) struct Keys {
    issuer: Arc<Issuer>,
    refresh_interval: Duration,
    /// Whoever asks the issuer holds it, so that others wait for the same answer.
    cache: Mutex<Cache>,
}

#[derive(Debug, Default)]
struct Cache {
    keys: Option<(JwkSet, Instant)>,
    /// When the issuer was last asked, whatever it answered.
    asked_at: Option<Instant>,
}

#[derive(Debug)]
struct Issuer {
    name: String,
    agent: ureq::Agent,
}

#[derive(Debug)]
pub(super) enum NoKey {
    /// The issuer has none of that name.
    Unknown,
    /// The issuer does not answer.
    Issuer(anyhow::Error),
}

/// What the issuer says of itself, as far as it is read.
#[derive(Debug, Deserialize)]
struct Discovery {
    issuer: String,
    jwks_uri: String,
}

impl Keys {
    /// Of an issuer.
    ///
    /// # Errors
    /// It is no address.
    pub(super) fn of(issuer: &str, refresh_interval: Duration) -> Result<Self> {
        let uri: Uri = issuer.parse()?;
        ensure!(matches!(uri.scheme_str(), Some("https" | "http")) && uri.host().is_some(), "no address");
        let agent = ureq::Agent::config_builder()
            .max_redirects(0)
            .timeout_global(Some(TIMEOUT))
            // A GitHub of one's own often has a certificate of one's own authority, which the system knows.
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
            let silent = || NoKey::Issuer(anyhow::anyhow!("the issuer did not answer just now"));
            return Err(cache.fresh().map_or_else(silent, |_| NoKey::Unknown));
        }
        cache.asked_at = Some(Instant::now());
        let issuer = Arc::clone(&self.issuer);
        let asked =
            tokio::task::spawn_blocking(move || issuer.keys()).await.context("nobody asked the issuer");
        let keys = asked.flatten().map_err(NoKey::Issuer)?;
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
        ensure!(issuer == self.name, "{url} is of the issuer `{issuer}`: expected {}", self.name);
        // A document that was tampered with must not send us round the network that we stand in.
        ensure!(
            origin(&jwks_uri)? == origin(&self.name)?,
            "{url} has its keys at `{jwks_uri}`: expected them where the issuer is"
        );
        self.get(&jwks_uri)
    }

    fn get<T: DeserializeOwned>(&self, url: &str) -> Result<T> {
        let mut answer = self.agent.get(url).call().with_context(|| format!("{url} does not answer"))?;
        let body = answer.body_mut().with_config().limit(ANSWER_BYTES_MAX).read_to_vec();
        let body = body.with_context(|| format!("{url} cannot be read"))?;
        serde_json::from_slice(&body).with_context(|| format!("{url} cannot be read"))
    }
}

/// Scheme, host and port.
fn origin(url: &str) -> Result<(Option<String>, Option<String>)> {
    let uri: Uri = url.parse().with_context(|| format!("`{url}` is no address"))?;
    Ok((uri.scheme_str().map(str::to_owned), uri.authority().map(ToString::to_string)))
}
