//! CI jobs that prove their identity with a token signed by their own system (OIDC), so they need to store no secret of
//! ours. [`trust`] decides what they may do; `audited::exchange_token` issues their token.
//!
//! # Codemap
//! - [`claims`]: the contents of a job's token. [`trust`]: which jobs a project trusts.
//! - `keys`: the issuer's keys, cached.

pub mod claims;
mod keys;
pub mod trust;

pub use claims::Claims;

use anyhow::{Context, Result, ensure};
use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use keys::{Keys, NoKey};
use std::time::Duration;

/// The issuer for GitHub Actions jobs.
pub const GITHUB_ISSUER: &str = "https://token.actions.githubusercontent.com";
/// The minimum time between requests to the issuer for unknown keys.
pub const REFRESH_INTERVAL: Duration = Duration::from_secs(30);
const LEEWAY_SECONDS: u64 = 30;

/// The accepted issuer and audience.
#[derive(Clone, Debug)]
pub struct Settings {
    /// The issuer: the beginning of its discovery document's address, without a trailing slash.
    pub issuer: String,
    /// The required audience: this server.
    pub audience: String,
    /// The minimum time between requests to the issuer for unknown keys.
    pub refresh_interval: Duration,
}

/// Verifies tokens of one issuer.
#[derive(Debug)]
pub struct Verifier {
    settings: Settings,
    keys: Keys,
}

/// Why a token is rejected.
#[derive(Debug, thiserror::Error)]
pub enum Invalid {
    /// It is invalid. The reason is safe to show.
    #[error("{0}")]
    Token(&'static str),
    /// The issuer's keys cannot be read.
    #[error("cannot read the keys of the job token's issuer: retry later")]
    Issuer(#[source] anyhow::Error),
}

impl Verifier {
    /// A verifier with these settings.
    ///
    /// # Errors
    /// The issuer is not an address, or the audience is empty.
    pub fn new(settings: Settings) -> Result<Self> {
        ensure!(!settings.audience.is_empty(), "--oidc-audience is empty: expected this server's address");
        let keys = Keys::new(&settings.issuer, settings.refresh_interval)
            .with_context(|| format!("`{}` is not a valid issuer: expected https://HOST", settings.issuer))?;
        Ok(Self { settings, keys })
    }

    /// The issuer.
    pub fn issuer(&self) -> &str {
        &self.settings.issuer
    }

    /// Verifies a token and returns its claims.
    ///
    /// # Errors
    /// The reason why it is invalid.
    pub async fn verify(&self, token: &str) -> Result<Claims, Invalid> {
        let header = jsonwebtoken::decode_header(token)
            .map_err(|_| Invalid::Token("the job's token is malformed, or not signed with RS256"))?;
        // The token's own header must not choose the algorithm.
        if header.alg != Algorithm::RS256 {
            return Err(Invalid::Token("the job's token is not signed with RS256"));
        }
        let name = header.kid.ok_or(Invalid::Token("the job's token has no key id (kid)"))?;
        let key = match self.keys.find(&name).await {
            Ok(key) => key,
            Err(NoKey::Unknown) => {
                return Err(Invalid::Token("the job's token is signed with a key unknown to its issuer"));
            }
            Err(NoKey::Issuer(cause)) => return Err(Invalid::Issuer(cause)),
        };
        let key = signing_key(&key).ok_or(Invalid::Token("the issuer's key is not an RS256 key"))?;
        let decoded = jsonwebtoken::decode::<Claims>(token, &key, &self.validation());
        let claims = decoded.map_err(|error| Invalid::Token(reason(&error)))?.claims;
        if claims.iat > jsonwebtoken::get_current_timestamp().saturating_add(LEEWAY_SECONDS) {
            return Err(Invalid::Token("the job's token was issued in the future (iat)"));
        }
        Ok(claims)
    }

    fn validation(&self) -> Validation {
        let mut validation = Validation::new(Algorithm::RS256);
        validation.leeway = LEEWAY_SECONDS;
        validation.validate_nbf = true;
        validation.set_issuer(&[&self.settings.issuer]);
        validation.set_audience(&[&self.settings.audience]);
        validation.set_required_spec_claims(&["aud", "exp", "iss", "nbf"]);
        validation
    }
}

/// The decoding key, if it is for RS256 signatures.
fn signing_key(key: &Jwk) -> Option<DecodingKey> {
    let is_for_signatures = matches!(key.common.public_key_use, None | Some(PublicKeyUse::Signature));
    let is_for_rs256 = key.common.key_algorithm.is_none_or(|algorithm| algorithm.to_string() == "RS256");
    let is_rsa = matches!(key.algorithm, AlgorithmParameters::RSA(_));
    if is_for_signatures && is_for_rs256 && is_rsa { DecodingKey::from_jwk(key).ok() } else { None }
}

fn reason(error: &jsonwebtoken::errors::Error) -> &'static str {
    use jsonwebtoken::errors::ErrorKind;
    match error.kind() {
        ErrorKind::ExpiredSignature => "the job's token has expired (exp)",
        ErrorKind::ImmatureSignature => "the job's token is not valid yet (nbf)",
        ErrorKind::InvalidIssuer => "the job's token is from another issuer (iss)",
        ErrorKind::InvalidAudience => "the job's token is for another server (aud)",
        ErrorKind::InvalidSignature => "the job's token has an invalid signature",
        ErrorKind::MissingRequiredClaim(_) => "the job's token lacks one of aud, exp, iss and nbf",
        ErrorKind::Json(_) => "the job's token lacks a claim, or has one in an unexpected form",
        _ => "the job's token is malformed",
    }
}
