//! Trusted CI jobs, and their exchanged tokens.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::{PgConnection, PgPool};
use utoipa::ToSchema;

/// The CI jobs that may upload to a project. Absent patterns match anything.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the columns of table oidc_trust, described there")]
pub struct Patterns {
    pub workflow_ref: Option<String>,
    pub git_ref: Option<String>,
    pub environment: Option<String>,
}

/// A new trust.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table oidc_trust, described there")]
pub struct New<'a> {
    pub project: &'a str,
    pub issuer: &'a str,
    pub repository: &'a str,
    pub repository_id: i64,
    pub repository_owner_id: i64,
    pub patterns: &'a Patterns,
}

/// Jobs of one repository that may upload to a project.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct OidcTrust {
    /// Its number.
    pub oidc_trust_id: i64,
    /// The issuer of the job tokens.
    #[schema(example = "https://token.actions.githubusercontent.com")]
    pub issuer: String,
    /// The repository's name when the trust was created, for display only.
    #[schema(example = "octo/lib")]
    pub repository: String,
    /// The repository's number.
    pub repository_id: i64,
    /// The id of the repository's owner.
    pub repository_owner_id: i64,
    /// Pattern of the workflow's file and its ref; null for any.
    #[schema(required)]
    pub workflow_ref: Option<String>,
    /// Pattern of the ref that triggered the job; null for any.
    #[schema(required)]
    pub git_ref: Option<String>,
    /// Pattern of the job's environment; null for any or none.
    #[schema(required)]
    pub environment: Option<String>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// The trusting project.
    #[serde(skip)]
    pub project: String,
}

impl OidcTrust {
    /// The patterns for the repository's jobs.
    pub fn patterns(&self) -> Patterns {
        Patterns {
            workflow_ref: self.workflow_ref.clone(),
            git_ref: self.git_ref.clone(),
            environment: self.environment.clone(),
        }
    }
}

macro_rules! select_trusts {
    ($rest:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query_as!(
            OidcTrust,
            "select oidc_trust_id, project, issuer, repository, repository_id, repository_owner_id, workflow_ref, git_ref,
                    environment, created_at
             from oidc_trust " + $rest
            $(, $argument)*
        )
    };
}

/// Creates a trust.
pub async fn create(connection: &mut PgConnection, new: &New<'_>) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        "insert into oidc_trust (project, issuer, repository, repository_id, repository_owner_id, workflow_ref, git_ref,
                                 environment, created_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, now())
         returning oidc_trust_id",
        new.project,
        new.issuer,
        new.repository,
        new.repository_id,
        new.repository_owner_id,
        new.patterns.workflow_ref,
        new.patterns.git_ref,
        new.patterns.environment,
    )
    .fetch_one(connection)
    .await
}

/// The trusts of a project, or of all projects, after `after`, in order of creation.
pub async fn list(
    pool: &PgPool,
    project: Option<&str>,
    after: i64,
    limit: i64,
) -> sqlx::Result<Vec<OidcTrust>> {
    select_trusts!(
        "where ($1::text is null or project = $1) and oidc_trust_id > $2
         order by oidc_trust_id
         limit $3",
        project,
        after,
        limit,
    )
    .fetch_all(pool)
    .await
}

/// One trust.
pub async fn find(connection: &mut PgConnection, oidc_trust_id: i64) -> sqlx::Result<Option<OidcTrust>> {
    select_trusts!("where oidc_trust_id = $1", oidc_trust_id).fetch_optional(connection).await
}

/// The trusts for an owner's repository, in order of creation.
pub async fn of_repository(
    connection: &mut PgConnection,
    issuer: &str,
    (repository_id, repository_owner_id): (i64, i64),
) -> sqlx::Result<Vec<OidcTrust>> {
    select_trusts!(
        "where issuer = $1 and repository_id = $2 and repository_owner_id = $3 order by oidc_trust_id",
        issuer,
        repository_id,
        repository_owner_id,
    )
    .fetch_all(connection)
    .await
}

/// Deletes a trust, and the tokens issued under it.
pub async fn delete(connection: &mut PgConnection, oidc_trust_id: i64) -> sqlx::Result<()> {
    sqlx::query!(
        "update token set revoked_at = now() from oidc_use
         where oidc_use.oidc_trust_id = $1 and token.token_id = oidc_use.token_id and token.revoked_at is null",
        oidc_trust_id,
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!("delete from oidc_use where oidc_trust_id = $1", oidc_trust_id)
        .execute(&mut *connection)
        .await?;
    sqlx::query!("delete from oidc_trust where oidc_trust_id = $1", oidc_trust_id)
        .execute(connection)
        .await?;
    Ok(())
}

/// A job's token and the token it was exchanged for.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the columns of table oidc_use, described there")]
pub struct Use<'a> {
    pub oidc_trust_id: i64,
    pub token_id: i64,
    pub issuer: &'a str,
    pub jti: &'a str,
    pub expires_at: DateTime<Utc>,
}

/// Records that a job's token was exchanged. False if it already was.
pub async fn record_use(connection: &mut PgConnection, used: Use<'_>) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "insert into oidc_use (oidc_trust_id, token_id, issuer, jti, expires_at) values ($1, $2, $3, $4, $5)
         on conflict (issuer, jti) do nothing",
        used.oidc_trust_id,
        used.token_id,
        used.issuer,
        used.jti,
        used.expires_at,
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Deletes exchanges whose job tokens have expired, and the tokens issued in exchange.
pub async fn forget_expired(connection: &mut PgConnection) -> sqlx::Result<()> {
    let token_ids = sqlx::query_scalar!(
        "delete from oidc_use
         where oidc_use_id in (select oidc_use_id from oidc_use where expires_at < now() for update skip locked)
         returning token_id"
    )
    .fetch_all(&mut *connection)
    .await?;
    sqlx::query!("delete from token where token_id = any($1)", &token_ids).execute(connection).await?;
    Ok(())
}
