//! Browser sessions.

use super::{commit, record};
use crate::access::{Caller, Proof};
use crate::error::DomainError;
use roundtrip_storage::access::Secret;
use roundtrip_storage::audit::{self, Action, By, Event};
use roundtrip_storage::{account, session};
use serde_json::json;
use sqlx::{PgConnection, PgPool, Postgres, Transaction};

/// A user who signs in, and the method.
#[derive(Clone, Copy, Debug)]
pub struct SignIn<'a> {
    /// The account's key.
    pub account_id: i64,
    /// Its name.
    pub name: &'a str,
    /// The token that was used, if any.
    pub token_id: Option<i64>,
    /// The method: `token` or `github`.
    pub way: &'a str,
}

/// Starts a session, and ends the caller's current one.
pub async fn begin_session(
    pool: &PgPool,
    caller: &Caller,
    (by, ended_by): (&By, &By),
    sign_in: SignIn<'_>,
) -> Result<Secret, DomainError> {
    Ok(begin(pool.begin().await?, caller, (by, ended_by), sign_in).await?)
}

/// Starts a session for an account that signed in with GitHub. None if there is no such account.
pub async fn begin_github_session(
    pool: &PgPool,
    caller: &Caller,
    by: &By,
    (github_id, github_login): (i64, &str),
) -> Result<Option<Secret>, DomainError> {
    let mut transaction = pool.begin().await?;
    let Some(row) = account::of_github(&mut transaction, github_id, github_login).await? else {
        transaction.rollback().await?;
        return Ok(None);
    };
    let own = By { actor: format!("account:{}", row.name), ..by.clone() };
    let sign_in = SignIn { account_id: row.account_id, name: &row.name, token_id: None, way: "github" };
    Ok(Some(begin(transaction, caller, (&own, by), sign_in).await?))
}

/// Ends the caller's session, if any.
pub async fn end_session(pool: &PgPool, caller: &Caller, by: &By) -> Result<(), DomainError> {
    let mut transaction = pool.begin().await?;
    end(&mut transaction, caller, by).await?;
    Ok(transaction.commit().await?)
}

/// Logs a failed sign-in.
pub async fn refuse_session(pool: &PgPool, by: &By, details: serde_json::Value) -> Result<(), DomainError> {
    let mut connection = pool.acquire().await?;
    let event = Event { action: Action::SessionRefuse, subject: "session".to_owned(), details };
    Ok(audit::record(&mut connection, by, event).await?)
}

async fn begin(
    mut transaction: Transaction<'_, Postgres>,
    caller: &Caller,
    (by, ended_by): (&By, &By),
    sign_in: SignIn<'_>,
) -> sqlx::Result<Secret> {
    end(&mut transaction, caller, ended_by).await?;
    let SignIn { account_id, name, token_id, way } = sign_in;
    let (secret, expires_at) = session::begin(&mut transaction, account_id, token_id).await?;
    let details = json!({"way": way, "token_id": token_id, "expires_at": expires_at});
    commit(transaction, by, Action::SessionBegin, ("account", name), details).await?;
    Ok(secret)
}

async fn end(connection: &mut PgConnection, caller: &Caller, by: &By) -> sqlx::Result<()> {
    let (Proof::Session(session_id), Some(account)) = (caller.proof(), caller.account()) else {
        return Ok(());
    };
    session::end(connection, session_id).await?;
    record(connection, by, Action::SessionEnd, ("account", &account.name), json!({})).await
}
