//! Tokens, and CI jobs that exchange their own token for one of ours.

use super::{commit, record};
use crate::access::{Caller, EXCHANGED_TOKEN_LIFETIME, Refusal};
use crate::error::{DomainError, Kind};
use crate::oidc::{Claims, trust};
use chrono::{DateTime, TimeDelta, Utc};
use roundtrip_storage::access::{Binding, ManagedToken, Scope, Secret, TokenKind};
use roundtrip_storage::audit::{Action, By};
use roundtrip_storage::oidc::{self, New, Use};
use roundtrip_storage::token::{self, Issued, NewToken, TokenSummary};
use serde_json::{Value, json};
use sqlx::{PgConnection, PgPool};

const NAME_CHARACTERS_MAX: usize = 100;

/// Creates a token.
pub async fn create_token(
    connection: &mut PgConnection,
    by: &By,
    new: &NewToken<'_>,
) -> sqlx::Result<Issued> {
    let issued = token::create(connection, new).await?;
    let details = json!({
        "name": new.name, "kind": new.kind, "account_id": new.account_id, "scopes": new.scopes,
        "project": new.binding.project, "machine": new.binding.machine, "expires_at": new.expires_at,
    });
    record(connection, by, Action::TokenCreate, ("token", issued.token_id), details).await?;
    Ok(issued)
}

/// Adds a trust for jobs of a repository.
pub async fn create_oidc_trust(pool: &PgPool, by: &By, new: &New<'_>) -> sqlx::Result<oidc::OidcTrust> {
    let mut transaction = pool.begin().await?;
    let oidc_trust_id = oidc::create(&mut transaction, new).await?;
    let row = oidc::find(&mut transaction, oidc_trust_id).await?.ok_or(sqlx::Error::RowNotFound)?;
    commit(transaction, by, Action::OidcTrustCreate, ("project", &row.project), details(&row)).await?;
    Ok(row)
}

/// Removes a trust, and revokes the tokens issued under it. None if it does not exist, or if `is_meant`
/// rejects it.
pub async fn delete_oidc_trust(
    pool: &PgPool,
    by: &By,
    oidc_trust_id: i64,
    is_meant: impl FnOnce(&oidc::OidcTrust) -> bool,
) -> sqlx::Result<Option<oidc::OidcTrust>> {
    let mut transaction = pool.begin().await?;
    let Some(trust) = oidc::find(&mut transaction, oidc_trust_id).await?.filter(is_meant) else {
        return Ok(None);
    };
    oidc::delete(&mut transaction, trust.oidc_trust_id).await?;
    commit(transaction, by, Action::OidcTrustDelete, ("project", &trust.project), details(&trust)).await?;
    Ok(Some(trust))
}

fn details(trust: &oidc::OidcTrust) -> Value {
    json!({
        "oidc_trust_id": trust.oidc_trust_id, "issuer": trust.issuer, "repository": trust.repository,
        "repository_id": trust.repository_id, "repository_owner_id": trust.repository_owner_id,
        "workflow_ref": trust.workflow_ref, "git_ref": trust.git_ref, "environment": trust.environment,
    })
}

/// Creates a token, and returns its stored data.
pub async fn issue_token(
    pool: &PgPool,
    by: &By,
    new: &NewToken<'_>,
) -> Result<(TokenSummary, Issued), DomainError> {
    let mut transaction = pool.begin().await?;
    let issued = create_token(&mut transaction, by, new).await?;
    let row = stored(&mut transaction, &issued).await?;
    transaction.commit().await?;
    Ok((row, issued))
}

/// The user who changes a token.
#[derive(Clone, Copy, Debug)]
pub enum Changer<'a> {
    /// A caller, who may see and change only some tokens.
    Caller(&'a Caller),
    /// The operator of the server.
    Operator,
}

impl Changer<'_> {
    /// The token, if the changer passes `check`. One that the caller may not list is reported as not found.
    async fn managed(
        self,
        connection: &mut PgConnection,
        token_id: i64,
        check: fn(&Caller, &ManagedToken<'_>) -> Result<(), Refusal>,
    ) -> Result<TokenSummary, DomainError> {
        let unknown = || DomainError::unknown(Kind::Token, token_id);
        let Self::Caller(caller) = self else {
            return token::find(connection, token_id).await?.ok_or_else(unknown);
        };
        let visible = caller.visible_tokens()?;
        let found = token::find(connection, token_id).await?.ok_or_else(unknown)?;
        if !visible.covers(&found.managed()) {
            return Err(unknown());
        }
        check(caller, &found.managed())?;
        Ok(found)
    }
}

/// Rotates a token's secret, and returns its stored data. The current secret stays valid for the overlap.
///
/// # Errors
/// The token does not exist, or the changer may not do this.
pub async fn rotate_token(
    pool: &PgPool,
    changer: Changer<'_>,
    by: &By,
    token_id: i64,
    overlap: TimeDelta,
) -> Result<(TokenSummary, Issued), DomainError> {
    let mut transaction = pool.begin().await?;
    let found = changer.managed(&mut transaction, token_id, Caller::check_issue).await?;
    let issued = token::rotate(&mut transaction, token_id, found.kind, None, overlap).await?;
    let row = stored(&mut transaction, &issued).await?;
    let details = json!({
        "name": found.name, "overlap_seconds": overlap.num_seconds(), "expires_at": issued.expires_at,
    });
    commit(transaction, by, Action::TokenRotate, ("token", token_id), details).await?;
    Ok((row, issued))
}

/// Revokes a token, ends the sessions that it started, and returns its stored data.
///
/// # Errors
/// The token does not exist, or the changer may not do this.
pub async fn revoke_token(
    pool: &PgPool,
    changer: Changer<'_>,
    by: &By,
    token_id: i64,
) -> Result<TokenSummary, DomainError> {
    let mut transaction = pool.begin().await?;
    let found = changer.managed(&mut transaction, token_id, Caller::check_revoke).await?;
    token::revoke(&mut transaction, token_id).await?;
    let details = json!({"name": found.name, "kind": found.kind});
    commit(transaction, by, Action::TokenRevoke, ("token", token_id), details).await?;
    Ok(found)
}

async fn stored(connection: &mut PgConnection, issued: &Issued) -> Result<TokenSummary, DomainError> {
    let row = token::find(connection, issued.token_id).await?;
    row.ok_or_else(|| DomainError::unknown(Kind::Token, issued.token_id))
}

/// A token that was issued in exchange for a job's token.
#[derive(Clone, Debug)]
pub struct Exchanged {
    /// Its secret.
    pub secret: Secret,
    /// The project that it is valid for.
    pub project: String,
    /// The scopes.
    pub scopes: &'static [Scope],
    /// The expiry.
    pub expires_at: DateTime<Utc>,
}

/// Issues a token to a CI job that proved its identity, for the given project or the only one that trusts the
/// job. None if the job's token was already exchanged.
///
/// # Errors
/// The job can run untrusted code, no project trusts it, or several do.
pub async fn exchange_token(
    pool: &PgPool,
    by: &By,
    issuer: &str,
    claims: &Claims,
    project: Option<&str>,
) -> Result<Option<Exchanged>, DomainError> {
    let scopes = claims.scopes().ok_or_else(|| Refusal::Event(claims.event_name.clone()))?;
    let mut transaction = pool.begin().await?;
    oidc::forget_expired(&mut transaction).await?;
    let trust = trusting(&mut transaction, issuer, claims, project).await?;
    let binding = Binding { project: Some(trust.project.clone()), machine: None };
    let expires_at = Utc::now() + EXCHANGED_TOKEN_LIFETIME;
    let name: String = format!("job of {}", claims.repository).chars().take(NAME_CHARACTERS_MAX).collect();
    let new = NewToken {
        name: &name,
        kind: TokenKind::Ci,
        account_id: None,
        scopes,
        binding: &binding,
        expires_at: Some(expires_at),
    };
    let issued = token::create(&mut transaction, &new).await?;
    // Valid for as long as either token could be used.
    let until = i64::try_from(claims.exp).ok().and_then(|seconds| DateTime::from_timestamp(seconds, 0));
    let until = until.unwrap_or(expires_at).max(expires_at) + EXCHANGED_TOKEN_LIFETIME;
    let used = Use {
        oidc_trust_id: trust.oidc_trust_id,
        token_id: issued.token_id,
        issuer: &trust.issuer,
        jti: &claims.jti,
        expires_at: until,
    };
    if !oidc::record_use(&mut transaction, used).await? {
        transaction.rollback().await?;
        return Ok(None);
    }
    let by = By { actor: format!("job:{}", claims.repository), ..by.clone() };
    let details = json!({
        "oidc_trust_id": trust.oidc_trust_id, "project": trust.project, "expires_at": expires_at,
        "repository_id": claims.repository_id, "workflow_ref": claims.workflow_ref, "event": claims.event_name,
        "git_ref": claims.git_ref, "sha": claims.sha, "environment": claims.environment, "scopes": scopes,
    });
    commit(transaction, &by, Action::TokenExchange, ("token", issued.token_id), details).await?;
    Ok(Some(Exchanged { secret: issued.secret, project: trust.project, scopes, expires_at }))
}

async fn trusting(
    connection: &mut PgConnection,
    issuer: &str,
    claims: &Claims,
    project: Option<&str>,
) -> Result<oidc::OidcTrust, DomainError> {
    let repository = (claims.repository_id, claims.repository_owner_id);
    let mut trusts = oidc::of_repository(connection, issuer, repository).await?;
    trusts.retain(|trust| {
        trust::covers(&trust.patterns(), claims) && project.is_none_or(|project| project == trust.project)
    });
    let Some(first) = trusts.first().cloned() else { return Err(Refusal::Untrusted.into()) };
    if trusts.iter().any(|trust| trust.project != first.project) {
        return Err(DomainError::parameter("project", "several projects trust this job: name one of them"));
    }
    Ok(first)
}
