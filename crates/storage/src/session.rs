//! Browser sessions, stored as digests like tokens.

use super::token;
use crate::access::secret::SecretKind;
use crate::access::{Binding, SESSION_IDLE, SESSION_LIFETIME, Scope, Secret};
use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};

/// A valid session.
#[derive(Clone, Debug)]
pub struct Grant {
    /// Its key.
    pub session_id: i64,
    /// The account.
    pub account_id: i64,
    /// The scopes: those of the account, or of the token that started the session.
    pub scopes: Vec<Scope>,
    /// The binding of that token.
    pub binding: Binding,
}

/// Starts a session, and deletes all expired ones.
pub async fn begin(
    connection: &mut PgConnection,
    account_id: i64,
    token_id: Option<i64>,
) -> sqlx::Result<(Secret, DateTime<Utc>)> {
    sqlx::query!(
        "delete from session where expires_at < now() or last_used_at < $1",
        Utc::now() - SESSION_IDLE,
    )
    .execute(&mut *connection)
    .await?;
    let secret = Secret::draw(SecretKind::Session);
    let digest = secret.digest();
    let expires_at = Utc::now() + SESSION_LIFETIME;
    sqlx::query!(
        "insert into session (account_id, token_id, secret_sha256, created_at, last_used_at, expires_at)
         values ($1, $2, $3, now(), now(), $4)",
        account_id,
        token_id,
        digest.as_slice(),
        expires_at,
    )
    .execute(connection)
    .await?;
    Ok((secret, expires_at))
}

/// The session of this secret; none if it or its token is unknown or expired. Records the use, to the minute.
pub async fn accept(pool: &PgPool, secret: &Secret) -> sqlx::Result<Option<Grant>> {
    let digest = secret.digest();
    let found = sqlx::query!(
        r#"select session.session_id, session.account_id, token.scopes as "scopes?", token.project, token.machine,
                  (session.last_used_at < now() - interval '1 minute') as "is_use_noted!"
           from session
           left join token on token.token_id = session.token_id
           where session.secret_sha256 = $1 and session.expires_at > now()
             and session.last_used_at > $2
             and token.revoked_at is null and (token.expires_at is null or token.expires_at > now())"#,
        digest.as_slice(),
        Utc::now() - SESSION_IDLE,
    )
    .fetch_optional(pool)
    .await?;
    let Some(session) = found else { return Ok(None) };
    if session.is_use_noted {
        sqlx::query!("update session set last_used_at = now() where session_id = $1", session.session_id)
            .execute(pool)
            .await?;
    }
    Ok(Some(Grant {
        session_id: session.session_id,
        account_id: session.account_id,
        scopes: session.scopes.map_or(Scope::ALL.to_vec(), |texts| token::scopes(&texts)),
        binding: Binding { project: session.project, machine: session.machine },
    }))
}

/// Ends a session.
pub async fn end(connection: &mut PgConnection, session_id: i64) -> sqlx::Result<()> {
    sqlx::query!("delete from session where session_id = $1", session_id).execute(connection).await?;
    Ok(())
}
