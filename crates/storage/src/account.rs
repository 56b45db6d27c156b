//! Accounts and their roles in projects.

use crate::access::{Account, Role};
use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::{PgConnection, PgPool};
use utoipa::ToSchema;

/// An account.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct AccountSummary {
    /// Its name.
    #[schema(example = "ada")]
    pub name: String,
    /// Its login at GitHub; null when it signs in by token alone.
    #[schema(required)]
    pub github_login: Option<String>,
    /// Whether it may do everything on this server.
    pub is_admin: bool,
    /// When it was created.
    pub created_at: DateTime<Utc>,
    /// Its key.
    #[serde(skip)]
    pub account_id: i64,
}

/// An account in a project.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Member {
    /// The account's name.
    #[schema(example = "ada")]
    pub account: String,
    /// The role.
    pub role: Role,
    /// Since when it is a member.
    pub created_at: DateTime<Utc>,
}

/// Creates an account; none if its name or login is taken.
pub async fn create(
    connection: &mut PgConnection,
    name: &str,
    github_login: Option<&str>,
    is_admin: bool,
) -> sqlx::Result<Option<AccountSummary>> {
    sqlx::query_as!(
        AccountSummary,
        "insert into account (name, github_login, is_admin, created_at) values ($1, $2, $3, now())
         on conflict do nothing
         returning account_id, name, github_login, is_admin, created_at",
        name,
        github_login,
        is_admin,
    )
    .fetch_optional(connection)
    .await
}

/// The accounts after `after`, by name.
pub async fn list(pool: &PgPool, after: &str, limit: i64) -> sqlx::Result<Vec<AccountSummary>> {
    sqlx::query_as!(
        AccountSummary,
        "select account_id, name, github_login, is_admin, created_at from account
         where name > $1
         order by name
         limit $2",
        after,
        limit,
    )
    .fetch_all(pool)
    .await
}

/// The key of an account.
pub async fn key(connection: &mut PgConnection, name: &str) -> sqlx::Result<Option<i64>> {
    sqlx::query_scalar!("select account_id from account where name = $1", name)
        .fetch_optional(connection)
        .await
}

/// The account with its roles.
pub async fn find(pool: &PgPool, account_id: i64) -> sqlx::Result<Option<Account>> {
    let rows = sqlx::query!(
        r#"select account.name, account.is_admin, project.slug as "project?", membership.role as "role?: Role"
           from account
           left join membership on membership.account_id = account.account_id
           left join project on project.project_id = membership.project_id
           where account.account_id = $1"#,
        account_id,
    )
    .fetch_all(pool)
    .await?;
    let Some(first) = rows.first() else { return Ok(None) };
    let (name, is_admin) = (first.name.clone(), first.is_admin);
    let mut account = Account { account_id, name, is_admin, roles: Default::default() };
    account.roles.extend(rows.into_iter().filter_map(|row| row.project.zip(row.role)));
    Ok(Some(account))
}

/// The account of a GitHub user: the one with this id, or else the one that waits for this login, which then
/// gets the id. Updates a changed login.
pub async fn of_github(
    connection: &mut PgConnection,
    github_id: i64,
    github_login: &str,
) -> sqlx::Result<Option<AccountSummary>> {
    // The id takes precedence, because logins can change hands.
    sqlx::query_as!(
        AccountSummary,
        "update account set github_id = $1, github_login = $2
         where account_id = (
             select account_id from account
             where github_id = $1 or (github_id is null and lower(github_login) = lower($2))
             order by github_id nulls last
             limit 1
         )
         returning account_id, name, github_login, is_admin, created_at",
        github_id,
        github_login,
    )
    .fetch_optional(connection)
    .await
}

/// Deletes an account with its tokens and sessions.
pub async fn delete(connection: &mut PgConnection, account_id: i64) -> sqlx::Result<()> {
    sqlx::query!("delete from session where account_id = $1", account_id).execute(&mut *connection).await?;
    sqlx::query!("delete from token where account_id = $1", account_id).execute(&mut *connection).await?;
    sqlx::query!("delete from membership where account_id = $1", account_id)
        .execute(&mut *connection)
        .await?;
    sqlx::query!("delete from account where account_id = $1", account_id).execute(connection).await?;
    Ok(())
}

/// The members of a project after `after`, by name.
pub async fn members(pool: &PgPool, project_id: i64, after: &str, limit: i64) -> sqlx::Result<Vec<Member>> {
    sqlx::query_as!(
        Member,
        r#"select account.name as account, membership.role as "role: Role", membership.created_at
           from membership
           join account on account.account_id = membership.account_id
           where membership.project_id = $1 and account.name > $2
           order by account.name
           limit $3"#,
        project_id,
        after,
        limit,
    )
    .fetch_all(pool)
    .await
}

/// An account's role in a project, if it is a member.
pub async fn role(
    connection: &mut PgConnection,
    project_id: i64,
    account_id: i64,
) -> sqlx::Result<Option<Role>> {
    sqlx::query_scalar!(
        r#"select role as "role: Role" from membership where project_id = $1 and account_id = $2"#,
        project_id,
        account_id,
    )
    .fetch_optional(connection)
    .await
}

/// Sets an account's role in a project.
pub async fn set_role(
    connection: &mut PgConnection,
    project_id: i64,
    account_id: i64,
    role: Role,
) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into membership (project_id, account_id, role, created_at) values ($1, $2, $3, now())
         on conflict (project_id, account_id) do update set role = excluded.role",
        project_id,
        account_id,
        role.as_ref(),
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Removes an account from a project. False if it was not a member.
pub async fn remove_role(
    connection: &mut PgConnection,
    project_id: i64,
    account_id: i64,
) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "delete from membership where project_id = $1 and account_id = $2",
        project_id,
        account_id,
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}
