//! Bearer tokens: shown once, stored as a digest.

use crate::access::secret::SecretKind;
use crate::access::{Binding, ManagedToken, Scope, Secret, TokenKind, Visibility, VisibleTokens};
use chrono::{DateTime, TimeDelta, Utc};
use serde::Serialize;
use sqlx::{PgConnection, PgPool};
use utoipa::ToSchema;

/// A new token.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table token, described there")]
pub struct NewToken<'a> {
    pub name: &'a str,
    pub kind: TokenKind,
    pub account_id: Option<i64>,
    pub scopes: &'a [Scope],
    pub binding: &'a Binding,
    pub expires_at: Option<DateTime<Utc>>,
}

/// A new token with its secret, which is not stored.
#[derive(Debug)]
pub struct Issued {
    /// Its key.
    pub token_id: i64,
    /// The secret for the header `authorization: Bearer`. It is shown only once.
    pub secret: Secret,
    /// The expiry, if any.
    pub expires_at: Option<DateTime<Utc>>,
}

/// The calling agent, with its last status.
#[derive(Clone, Debug, sqlx::Decode)]
#[expect(missing_docs, reason = "the columns of table agent, described there")]
pub struct Working {
    pub agent_id: i64,
    pub is_enabled: bool,
    pub last_seen_at: DateTime<Utc>,
    pub version: Option<String>,
    pub failing: Vec<String>,
    pub suspect: Vec<String>,
    pub spooled_count: i32,
}

is_record!(Working);

/// The permissions of an accepted token.
#[derive(Clone, Debug)]
pub struct Grant {
    /// Its key.
    pub token_id: i64,
    /// The kind.
    pub kind: TokenKind,
    /// The account whose permissions it has.
    pub account_id: Option<i64>,
    /// The scopes.
    pub scopes: Vec<Scope>,
    /// The binding.
    pub binding: Binding,
    /// The agent of the token, if any. Read in the same query, because agents send many requests.
    pub agent: Option<Working>,
}

/// A token, without its secret.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct TokenSummary {
    /// Its number.
    pub token_id: i64,
    /// A descriptive name.
    #[schema(example = "lab-3")]
    pub name: String,
    /// The kind.
    pub kind: TokenKind,
    /// Its first characters, to recognise it.
    #[schema(example = "rta_4fKx2P")]
    pub prefix: String,
    /// The account of a user's token.
    #[schema(required)]
    pub account: Option<String>,
    /// The scopes.
    pub scopes: Vec<Scope>,
    /// The project that it is restricted to; null for any.
    #[schema(required)]
    pub project: Option<String>,
    /// The machine that it is restricted to; null for any.
    #[schema(required)]
    pub machine: Option<String>,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// When its secret was last replaced; null for never.
    #[schema(required)]
    pub rotated_at: Option<DateTime<Utc>>,
    /// When it expires; null for never.
    #[schema(required)]
    pub expires_at: Option<DateTime<Utc>>,
    /// Until when the old secret is valid; null if there is none.
    #[schema(required)]
    pub previous_expires_at: Option<DateTime<Utc>>,
    /// When it was last used, to the minute; null for never.
    #[schema(required)]
    pub last_used_at: Option<DateTime<Utc>>,
    /// The key of its account.
    #[serde(skip)]
    pub account_id: Option<i64>,
    /// The visibility of its project, if that exists.
    #[serde(skip)]
    pub visibility: Option<Visibility>,
}

macro_rules! select_tokens {
    ($condition:literal $(, $argument:expr)* $(,)?) => {
        sqlx::query!(
            r#"select token.token_id, token.name, token.prefix, token.kind as "kind: TokenKind", token.account_id,
                      account.name as "account?", token.scopes, token.project, token.machine,
                      project.visibility as "visibility?: Visibility", token.created_at, token.rotated_at, token.expires_at,
                      token.previous_expires_at, token.last_used_at
               from token
               left join account on account.account_id = token.account_id
               left join project on project.slug = token.project
               where token.revoked_at is null and "# + $condition
            $(, $argument)*
        )
        .map(|row| TokenSummary {
            token_id: row.token_id,
            name: row.name,
            prefix: row.prefix,
            kind: row.kind,
            account_id: row.account_id,
            account: row.account,
            scopes: scopes(&row.scopes),
            project: row.project,
            machine: row.machine,
            visibility: row.visibility,
            created_at: row.created_at,
            rotated_at: row.rotated_at,
            expires_at: row.expires_at,
            previous_expires_at: row.previous_expires_at,
            last_used_at: row.last_used_at,
        })
    };
}

impl TokenSummary {
    /// The fields that decide who may manage it.
    pub fn managed(&self) -> ManagedToken<'_> {
        ManagedToken {
            kind: self.kind,
            account_id: self.account_id,
            scopes: &self.scopes,
            project: self.project.as_deref(),
            visibility: self.visibility,
        }
    }
}

/// Creates a token.
pub async fn create(connection: &mut PgConnection, new: &NewToken<'_>) -> sqlx::Result<Issued> {
    let secret = Secret::draw(SecretKind::Token(new.kind));
    let digest = secret.digest();
    let token_id = sqlx::query_scalar!(
        "insert into token
             (name, prefix, secret_sha256, scopes, created_at, expires_at, kind, account_id, project, machine)
         values ($1, $2, $3, $4, now(), $5, $6, $7, $8, $9)
         returning token_id",
        new.name,
        secret.prefix(),
        digest.as_slice(),
        &new.scopes.iter().map(ToString::to_string).collect::<Vec<_>>(),
        new.expires_at,
        new.kind.as_ref(),
        new.account_id,
        new.binding.project,
        new.binding.machine,
    )
    .fetch_one(connection)
    .await?;
    Ok(Issued { token_id, secret, expires_at: new.expires_at })
}

/// Rotates a token's secret. The new one is valid until `until`, or else for as long as the previous one
/// originally was. The previous one stays valid for the overlap.
pub async fn rotate(
    connection: &mut PgConnection,
    token_id: i64,
    kind: TokenKind,
    until: Option<DateTime<Utc>>,
    overlap: TimeDelta,
) -> sqlx::Result<Issued> {
    let secret = Secret::draw(SecretKind::Token(kind));
    let digest = secret.digest();
    let expires_at = sqlx::query_scalar!(
        "update token
         set secret_sha256 = $2, prefix = $3, rotated_at = now(),
             expires_at = coalesce($4, now() + (expires_at - coalesce(rotated_at, created_at))),
             previous_secret_sha256 = secret_sha256,
             previous_expires_at = least($5, expires_at)
         where token_id = $1 and revoked_at is null
         returning expires_at",
        token_id,
        digest.as_slice(),
        secret.prefix(),
        until,
        Utc::now() + overlap,
    )
    .fetch_one(connection)
    .await?;
    Ok(Issued { token_id, secret, expires_at })
}

/// Revokes a token, and ends the sessions that it started.
pub async fn revoke(connection: &mut PgConnection, token_id: i64) -> sqlx::Result<()> {
    sqlx::query!("delete from session where token_id = $1", token_id).execute(&mut *connection).await?;
    sqlx::query!("update token set revoked_at = now() where token_id = $1", token_id)
        .execute(connection)
        .await?;
    Ok(())
}

/// Whether any token was ever created.
pub async fn any_exist(pool: &PgPool) -> sqlx::Result<bool> {
    sqlx::query_scalar!(r#"select exists (select from token) as "exist!""#).fetch_one(pool).await
}

/// The permissions of a token; none if it is unknown, revoked or expired. Records the use, to the minute.
pub async fn accept(pool: &PgPool, secret: &Secret) -> sqlx::Result<Option<Grant>> {
    let digest = secret.digest();
    let found = sqlx::query!(
        r#"select token.token_id, token.kind as "kind: TokenKind", token.account_id, token.scopes, token.project,
                  token.machine, (last_used_at is null or last_used_at < now() - interval '1 minute') as "is_use_noted!",
                  case when agent.agent_id is not null
                      then (agent.agent_id, agent.is_enabled, agent.last_seen_at, agent.version, agent.failing,
                            agent.suspect, agent.spooled_count)
                  end as "agent?: Working"
           from token
           left join agent on agent.token_id = token.token_id and agent.revoked_at is null
           where (secret_sha256 = $1 or (previous_secret_sha256 = $1 and previous_expires_at > now()))
             and token.revoked_at is null and (expires_at is null or expires_at > now())"#,
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
    Ok(Some(Grant {
        token_id: token.token_id,
        kind: token.kind,
        account_id: token.account_id,
        scopes: scopes(&token.scopes),
        binding: Binding { project: token.project, machine: token.machine },
        agent: token.agent,
    }))
}

/// Tokens that have not been revoked and that the caller may manage, after `after`, in order of creation.
pub async fn list(
    pool: &PgPool,
    visible: &VisibleTokens,
    after: i64,
    limit: i64,
) -> sqlx::Result<Vec<TokenSummary>> {
    select_tokens!(
        "($1 or token.account_id = $2 or (token.kind <> 'user' and token.project = any($3)))
         and token.token_id > $4
         order by token.token_id
         limit $5",
        visible.all,
        visible.account_id,
        &visible.projects,
        after,
        limit,
    )
    .fetch_all(pool)
    .await
}

/// One token that has not been revoked.
pub async fn find(connection: &mut PgConnection, token_id: i64) -> sqlx::Result<Option<TokenSummary>> {
    select_tokens!("token.token_id = $1", token_id).fetch_optional(connection).await
}

/// Unknown scopes, from a newer server, grant nothing.
pub(super) fn scopes(texts: &[String]) -> Vec<Scope> {
    texts.iter().filter_map(|text| text.parse().ok()).collect()
}
