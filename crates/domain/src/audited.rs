//! Changes of who is let in, each with its line in the audit log in the same transaction: for the API and for the command
//! line alike.

use crate::access::TOKEN_DAYS_DEFAULT;
use crate::oidc::Claims;
use chrono::{TimeDelta, Utc};
use roundtrip_storage::access::{Binding, Scope, TokenKind};
use roundtrip_storage::audit::{self, Action, By, Event};
use roundtrip_storage::oidc::{self, New};
use roundtrip_storage::token::{Issued, NewToken, Row};
use roundtrip_storage::{account, token};
use serde_json::{Value, json};
use sqlx::{PgConnection, Result};

/// Makes a token.
///
/// # Errors
/// The database does not answer.
pub async fn create_token(connection: &mut PgConnection, by: &By, new: &NewToken<'_>) -> Result<Issued> {
    let issued = token::create(connection, new).await?;
    let details = json!({
        "name": new.name, "kind": new.kind, "account_id": new.account_id, "scopes": new.scopes,
        "project": new.binding.project, "machine": new.binding.machine, "expires_at": new.expires_at,
    });
    record(connection, by, Action::TokenCreate, format!("token:{}", issued.token_id), details).await?;
    Ok(issued)
}

/// Makes a token for a job that has proved which one it is.
///
/// # Errors
/// The database does not answer.
pub async fn exchange_token(
    connection: &mut PgConnection,
    by: &By,
    new: &NewToken<'_>,
    claims: &Claims,
    oidc_trust_id: i64,
) -> Result<Issued> {
    let issued = token::create(connection, new).await?;
    let details = json!({
        "oidc_trust_id": oidc_trust_id, "project": new.binding.project, "expires_at": new.expires_at,
        "repository_id": claims.repository_id, "workflow_ref": claims.workflow_ref, "event": claims.event_name,
        "git_ref": claims.git_ref, "sha": claims.sha, "environment": claims.environment,
    });
    record(connection, by, Action::TokenExchange, format!("token:{}", issued.token_id), details).await?;
    Ok(issued)
}

/// Trusts jobs of a repository.
///
/// # Errors
/// The database does not answer.
pub async fn create_oidc_trust(connection: &mut PgConnection, by: &By, new: &New<'_>) -> Result<oidc::Row> {
    let oidc_trust_id = oidc::create(connection, new).await?;
    let row = oidc::find(connection, oidc_trust_id).await?.ok_or(sqlx::Error::RowNotFound)?;
    record(connection, by, Action::OidcTrustCreate, format!("project:{}", row.project), told(&row)).await?;
    Ok(row)
}

/// Trusts jobs no more, and revokes the tokens that they have.
///
/// # Errors
/// The database does not answer.
pub async fn delete_oidc_trust(connection: &mut PgConnection, by: &By, trust: &oidc::Row) -> Result<()> {
    oidc::delete(connection, trust.oidc_trust_id).await?;
    record(connection, by, Action::OidcTrustDelete, format!("project:{}", trust.project), told(trust)).await
}

fn told(trust: &oidc::Row) -> Value {
    json!({
        "oidc_trust_id": trust.oidc_trust_id, "issuer": trust.issuer, "repository": trust.repository,
        "repository_id": trust.repository_id, "repository_owner_id": trust.repository_owner_id,
        "workflow_ref": trust.workflow_ref, "git_ref": trust.git_ref, "environment": trust.environment,
    })
}

/// Gives a token another secret; the one of now is accepted for the overlap.
///
/// # Errors
/// The database does not answer.
pub async fn rotate_token(
    connection: &mut PgConnection,
    by: &By,
    token: &Row,
    overlap: TimeDelta,
) -> Result<Issued> {
    let issued = token::rotate(connection, token.token_id, token.kind, overlap).await?;
    let details = json!({
        "name": token.name, "overlap_seconds": overlap.num_seconds(), "expires_at": issued.expires_at,
    });
    record(connection, by, Action::TokenRotate, format!("token:{}", token.token_id), details).await?;
    Ok(issued)
}

/// Revokes a token, and ends the sessions that began with it.
///
/// # Errors
/// The database does not answer.
pub async fn revoke_token(connection: &mut PgConnection, by: &By, token: &Row) -> Result<()> {
    token::revoke(connection, token.token_id).await?;
    let details = json!({"name": token.name, "kind": token.kind});
    record(connection, by, Action::TokenRevoke, format!("token:{}", token.token_id), details).await
}

/// Makes an account and, when it cannot sign in otherwise, a token for it. None when its name or login is taken.
///
/// # Errors
/// The database does not answer.
pub async fn create_account(
    connection: &mut PgConnection,
    by: &By,
    name: &str,
    github_login: Option<&str>,
    is_admin: bool,
) -> Result<Option<(account::Row, Option<Issued>)>> {
    let Some(account) = account::create(connection, name, github_login, is_admin).await? else {
        return Ok(None);
    };
    let details = json!({"github_login": github_login, "is_admin": is_admin});
    record(connection, by, Action::AccountCreate, format!("account:{name}"), details).await?;
    if github_login.is_some() {
        return Ok(Some((account, None)));
    }
    let new = NewToken {
        name: "first",
        kind: TokenKind::User,
        account_id: Some(account.account_id),
        scopes: &Scope::ALL,
        binding: &Binding::default(),
        expires_at: Some(Utc::now() + TimeDelta::days(TOKEN_DAYS_DEFAULT.into())),
    };
    let issued = create_token(connection, by, &new).await?;
    Ok(Some((account, Some(issued))))
}

/// Removes an account with all that lets it in. False when there is none.
///
/// # Errors
/// The database does not answer.
pub async fn delete_account(connection: &mut PgConnection, by: &By, name: &str) -> Result<bool> {
    let Some(account_id) = account::key(connection, name).await? else { return Ok(false) };
    account::delete(connection, account_id).await?;
    record(connection, by, Action::AccountDelete, format!("account:{name}"), json!({})).await?;
    Ok(true)
}

async fn record(
    connection: &mut PgConnection,
    by: &By,
    action: Action,
    subject: String,
    details: Value,
) -> Result<()> {
    audit::record(connection, by, Event { action, subject, details }).await
}
