//! Which jobs projects trust, and the tokens of jobs that were exchanged.

use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::{PgConnection, PgPool};
use utoipa::ToSchema;

/// Which jobs of a repository may upload to a project. What is absent is not asked for.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[expect(missing_docs, reason = "the columns of table oidc_trust, described there")]
pub struct Patterns {
    pub workflow_ref: Option<String>,
    pub git_ref: Option<String>,
    pub environment: Option<String>,
}

/// A trust to write down.
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
    /// Who signs for the jobs.
    #[schema(example = "https://token.actions.githubusercontent.com")]
    pub issuer: String,
    /// The repository's name when this was written. It decides nothing.
    #[schema(example = "octo/lib")]
    pub repository: String,
    /// The repository's number.
    pub repository_id: i64,
    /// The number of whoever owns it.
    pub repository_owner_id: i64,
    /// Pattern of the workflow's file and its ref; null: any.
    #[schema(required)]
    pub workflow_ref: Option<String>,
    /// Pattern of the ref that the job runs for; null: any.
    #[schema(required)]
    pub git_ref: Option<String>,
    /// Pattern of the environment that the job names; null: any, or none.
    #[schema(required)]
    pub environment: Option<String>,
    /// When it was written.
    pub created_at: DateTime<Utc>,
    /// The project that trusts them.
    #[serde(skip)]
    pub project: String,
}

impl OidcTrust {
    /// Which jobs of the repository are meant.
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

/// Writes a trust down.
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

/// The trusts of a project, or of all, behind `after`, in the order of their making.
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

/// The trusts in a repository of an owner, in the order of their making.
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

/// Ends a trust, and the tokens that were given for it.
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

/// A job's token, and what it was exchanged for.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the columns of table oidc_use, described there")]
pub struct Use<'a> {
    pub oidc_trust_id: i64,
    pub token_id: i64,
    pub issuer: &'a str,
    pub jti: &'a str,
    pub expires_at: DateTime<Utc>,
}

/// Notes that a job's token was exchanged. False when it had been before.
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

/// Forgets exchanges whose tokens are not valid any more, and with them those tokens of ours: each was one job's.
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
