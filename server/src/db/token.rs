//! Bearer tokens: made once, shown once, stored as a digest.
//!
//! A token is `rt_`, 30 random characters of base 62 (178 bits) and a checksum of 6: a mistyped or cut one is told
//! apart without asking the database, and scanners find leaked ones.

use chrono::{DateTime, Utc};
use rand::RngExt;
use sha2::{Digest, Sha256};
use sqlx::PgPool;

const KIND: &str = "rt_";
const SECRET_CHARACTERS: usize = 30;
const CHECKSUM_CHARACTERS: usize = 6;
/// Enough to recognise a token in a list, too few to use it.
const PREFIX_CHARACTERS: usize = 9;
const BASE_62: &[u8; 62] = b"0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";

/// A token that has just been made: the only time that its secret is known.
#[derive(Clone)]
pub struct Token {
    /// Its key.
    pub token_id: i64,
    /// What it is for.
    pub name: String,
    /// What to send after `Bearer`. It cannot be shown again.
    pub secret: String,
}

impl std::fmt::Debug for Token {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter
            .debug_struct("Token")
            .field("token_id", &self.token_id)
            .field("name", &self.name)
            .finish_non_exhaustive()
    }
}

/// What an accepted token allows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Grant {
    /// As in `ingest:write`.
    pub scopes: Vec<String>,
}

/// Makes a token.
///
/// # Errors
/// The database does not store it.
pub async fn create(
    pool: &PgPool,
    name: &str,
    scopes: &[String],
    expires_at: Option<DateTime<Utc>>,
) -> sqlx::Result<Token> {
    let secret = draw();
    let prefix = secret.get(..PREFIX_CHARACTERS).unwrap_or_default();
    let secret_sha256 = digest(&secret);
    let token_id = sqlx::query_scalar!(
        "insert into token (name, prefix, secret_sha256, scopes, created_at, expires_at)
         values ($1, $2, $3, $4, now(), $5)
         returning token_id",
        name,
        prefix,
        secret_sha256.as_slice(),
        scopes,
        expires_at,
    )
    .fetch_one(pool)
    .await?;
    Ok(Token { token_id, name: name.to_owned(), secret })
}

/// Whether any token was ever made.
///
/// # Errors
/// The database does not answer.
pub async fn any_exist(pool: &PgPool) -> sqlx::Result<bool> {
    sqlx::query_scalar!(r#"select exists (select from token) as "exist!""#).fetch_one(pool).await
}

/// What the token allows; nothing when it is unknown, revoked or expired. Notes its use, to the minute.
///
/// # Errors
/// The database does not answer.
pub async fn accept(pool: &PgPool, secret: &str) -> sqlx::Result<Option<Grant>> {
    let digest = digest(secret);
    let found = sqlx::query!(
        r#"select token_id, scopes,
                  (last_used_at is null or last_used_at < now() - interval '1 minute') as "is_use_noted!"
           from token
           where secret_sha256 = $1 and revoked_at is null and (expires_at is null or expires_at > now())"#,
        digest.as_slice(),
    )
    .fetch_optional(pool)
    .await?;
    let Some(token) = found else { return Ok(None) };
    if token.is_use_noted {
        sqlx::query!("update token set last_used_at = now() where token_id = $1", token.token_id)
            .execute(pool)
            .await?;
    }
    Ok(Some(Grant { scopes: token.scopes }))
}

/// Whether the text has the form of a token, checksum included.
pub fn is_well_formed(secret: &str) -> bool {
    let Some(rest) = secret.strip_prefix(KIND) else { return false };
    let Some((body, sum)) = rest.split_at_checked(SECRET_CHARACTERS) else { return false };
    sum == checksum(body)
}

fn draw() -> String {
    let mut random = rand::rng();
    let body: String =
        (0..SECRET_CHARACTERS).map(|_| char::from(BASE_62[random.random_range(0..BASE_62.len())])).collect();
    format!("{KIND}{body}{}", checksum(&body))
}

fn checksum(body: &str) -> String {
    let mut rest = crc32fast::hash(body.as_bytes());
    let mut digits = [BASE_62[0]; CHECKSUM_CHARACTERS];
    for digit in digits.iter_mut().rev() {
        *digit = BASE_62[(rest % 62) as usize];
        rest /= 62;
    }
    digits.iter().copied().map(char::from).collect()
}

fn digest(secret: &str) -> [u8; 32] {
    Sha256::digest(secret).into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_drawn_token_is_well_formed_and_never_the_same() {
        let (one, other) = (draw(), draw());
        assert!(is_well_formed(&one) && is_well_formed(&other));
        assert_ne!(one, other);
    }

    #[test]
    fn a_token_with_a_changed_or_missing_character_is_not_well_formed() {
        let token = draw();
        let last = if token.ends_with('0') { "1" } else { "0" };
        assert!(!is_well_formed(&format!("{}{last}", &token[..token.len() - 1])));
        assert!(!is_well_formed(&token[..token.len() - 1]));
        assert!(!is_well_formed(&token.replacen("rt_", "gh_", 1)));
        assert!(!is_well_formed("rt_ööööööööööööööööööööööööööööööö"));
    }
}
