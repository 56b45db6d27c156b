//! Jobs of continuous integration that prove who they are with a token that their own system signed (OIDC), so
//! that no secret of ours has to lie there. What they may is decided by [`trust`], what they get is a token of
//! `audited::exchange_token`.
//!
//! # Codemap
//! - [`claims`]: what such a token says. [`trust`]: which jobs a project trusts.
//! - `keys`: the issuer's keys, asked for seldom.

pub mod claims;
mod keys;
pub mod trust;

pub use claims::Claims;

use anyhow::{Context, Result, ensure};
use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, PublicKeyUse};
use jsonwebtoken::{Algorithm, DecodingKey, Validation};
use keys::{Keys, NoKey};
use std::time::Duration;

/// Who signs for jobs of GitHub Actions.
pub const GITHUB_ISSUER: &str = "https://token.actions.githubusercontent.com";
/// How soon the issuer is asked again for a key that it did not have.
pub const REFRESH_INTERVAL: Duration = Duration::from_secs(30);
const LEEWAY_SECONDS: u64 = 30;

/// Whose tokens are taken.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Who signs them: the begin of the address of its discovery document, without a slash at the end.
    pub issuer: String,
    /// Whom they must be made for: this server.
    pub audience: String,
    /// How soon the issuer is asked again for a key that it did not have.
    pub refresh_interval: Duration,
}

/// Checks tokens of one issuer.
#[derive(Debug)]
pub struct Verifier {
    settings: Settings,
    keys: Keys,
}

/// Why a token is not taken.
#[derive(Debug, thiserror::Error)]
pub enum Invalid {
    /// It is wrong, for a reason that its maker may know.
    #[error("{0}")]
    Token(&'static str),
    /// The issuer does not say by which keys it signs.
    #[error("the issuer of the job's token does not answer")]
    Issuer(#[source] anyhow::Error),
}

impl Verifier {
    /// With these settings.
    ///
    /// # Errors
    /// The issuer is no address, or nobody is named as the audience.
    pub fn new(settings: Settings) -> Result<Self> {
        ensure!(
            !settings.audience.is_empty(),
            "the audience of jobs' tokens is empty: expected this server's address"
        );
        let keys = Keys::of(&settings.issuer, settings.refresh_interval)
            .with_context(|| format!("`{}` is no issuer: expected https://HOST", settings.issuer))?;
        Ok(Self { settings, keys })
    }

    /// Who signs.
    pub fn issuer(&self) -> &str {
        &self.settings.issuer
    }

    /// What a token says, if all of it holds now.
    ///
    /// # Errors
    /// What is wrong with it.
    pub async fn verify(&self, token: &str) -> Result<Claims, Invalid> {
        let header = jsonwebtoken::decode_header(token).map_err(|_| {
            Invalid::Token("the job's token is malformed, or signed in another way than RS256")
        })?;
        // Nothing that the token says of itself chooses how it is checked.
        if header.alg != Algorithm::RS256 {
            return Err(Invalid::Token("the job's token is signed in another way than RS256"));
        }
        let name = header.kid.ok_or(Invalid::Token("the job's token names no key"))?;
        let key = match self.keys.find(&name).await {
            Ok(key) => key,
            Err(NoKey::Unknown) => {
                return Err(Invalid::Token(
                    "the job's token is signed by a key that its issuer does not have",
                ));
            }
            Err(NoKey::Issuer(cause)) => return Err(Invalid::Issuer(cause)),
        };
        let key = signing_key(&key).ok_or(Invalid::Token("the issuer's key is not one for RS256"))?;
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

/// The key in its form for checking, if it is one for RS256 signatures.
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
        ErrorKind::InvalidIssuer => "the job's token is of another issuer (iss)",
        ErrorKind::InvalidAudience => "the job's token is made for another server (aud)",
        ErrorKind::InvalidSignature => "the signature of the job's token is wrong",
        ErrorKind::MissingRequiredClaim(_) => "the job's token lacks one of aud, exp, iss and nbf",
        ErrorKind::Json(_) => "the job's token lacks a claim, or has one in another form than GitHub's",
        _ => "the job's token is malformed",
    }
}
