//! Sessions: browsers that are signed in. As tokens, they are stored as digests.

use super::token;
use crate::access::secret::SecretKind;
use crate::access::{Binding, SESSION_IDLE, SESSION_LIFETIME, Scope, Secret};
use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};

/// A session that is still good.
#[derive(Clone, Debug)]
pub struct Grant {
    /// Its key.
    pub session_id: i64,
    /// Who is signed in.
    pub account_id: i64,
    /// What it may do: all that the account may, or what the token may that it began with.
    pub scopes: Vec<Scope>,
    /// What that token is bound to.
    pub binding: Binding,
}

/// Begins a session, and forgets those of everyone that are over.
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

/// Who is signed in by this secret; nothing when the session is unknown or over, or its token is. Notes its use, to the
/// minute.
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
