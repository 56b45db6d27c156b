//! The App's installations and their repositories.

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};

/// An installation of the App.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "columns, described in migrations/")]
pub struct Installation {
    pub github_installation_id: i64,
    pub account: String,
    pub suspended_at: Option<DateTime<Utc>>,
}

/// A repository that the App may use.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "columns, described in migrations/")]
pub struct Repository {
    pub github_repository_id: i64,
    pub github_installation_id: i64,
    /// Owner and name.
    pub full_name: String,
    pub default_branch: String,
    pub project_id: Option<i64>,
}

/// Stores an installation and its repositories: ids, names, visibility and default branches. Removes other
/// repositories that it had.
pub async fn store(
    connection: &mut PgConnection,
    installation: &Installation,
    repositories: &[(i64, String, bool, String)],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    let id = installation.github_installation_id;
    sqlx::query!(
        "insert into github_installation (github_installation_id, account, suspended_at, read_at)
         values ($1, $2, $3, $4)
         on conflict (github_installation_id) do update
         set account = excluded.account, suspended_at = excluded.suspended_at, removed_at = null,
             read_at = excluded.read_at",
        id,
        installation.account,
        installation.suspended_at,
        now,
    )
    .execute(&mut *connection)
    .await?;
    // Sorted, so that two servers that store the same cannot deadlock.
    let mut sorted: Vec<_> = repositories.iter().collect();
    sorted.sort();
    let ids: Vec<i64> = sorted.iter().map(|(id, ..)| *id).collect();
    for (repository, full_name, is_private, default_branch) in sorted {
        sqlx::query!(
            "insert into github_repository
                 (github_repository_id, github_installation_id, full_name, is_private, default_branch)
             values ($1, $2, $3, $4, $5)
             on conflict (github_repository_id) do update
             set github_installation_id = excluded.github_installation_id, full_name = excluded.full_name,
                 is_private = excluded.is_private, default_branch = excluded.default_branch, removed_at = null",
            repository,
            id,
            full_name,
            is_private,
            default_branch,
        )
        .execute(&mut *connection)
        .await?;
    }
    if installation.suspended_at.is_none() {
        remove_repositories(connection, id, &ids, now).await?;
    }
    Ok(())
}

/// The installations that are not known to be deleted.
pub async fn present(connection: &mut PgConnection) -> sqlx::Result<Vec<i64>> {
    sqlx::query_scalar!("select github_installation_id from github_installation where removed_at is null")
        .fetch_all(connection)
        .await
}

/// Records that an installation and its repositories are gone.
pub async fn remove(connection: &mut PgConnection, id: i64, now: DateTime<Utc>) -> sqlx::Result<()> {
    sqlx::query!(
        "update github_installation set removed_at = coalesce(removed_at, $2), read_at = $2
         where github_installation_id = $1",
        id,
        now,
    )
    .execute(&mut *connection)
    .await?;
    remove_repositories(connection, id, &[], now).await
}

async fn remove_repositories(
    connection: &mut PgConnection,
    installation: i64,
    kept: &[i64],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update github_repository set removed_at = $3
         where github_installation_id = $1 and removed_at is null and github_repository_id <> all($2)",
        installation,
        kept,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}

macro_rules! select_repositories {
    ($rest:literal $(, $argument:expr)*) => {
        sqlx::query_as!(
            Repository,
            "select github_repository_id, github_repository.github_installation_id, full_name, default_branch,
                    project_id
             from github_repository
             join github_installation
               on github_installation.github_installation_id = github_repository.github_installation_id
             where github_repository.removed_at is null and github_installation.removed_at is null
               and suspended_at is null and " + $rest
            $(, $argument)*
        )
    };
}

/// The accessible repositories that are linked to a project, with that project.
pub async fn of_projects(connection: &mut PgConnection) -> sqlx::Result<Vec<(Repository, i64)>> {
    let rows = select_repositories!("project_id is not null order by github_repository_id")
        .fetch_all(connection)
        .await?;
    Ok(rows.into_iter().filter_map(|row| row.project_id.map(|project_id| (row, project_id))).collect())
}

/// A repository that the App can access.
pub async fn repository(connection: &mut PgConnection, id: i64) -> sqlx::Result<Option<Repository>> {
    select_repositories!("github_repository_id = $1", id).fetch_optional(connection).await
}

/// Records a new head of a repository's default branch.
pub async fn move_default_branch(
    connection: &mut PgConnection,
    repository: i64,
    sha: &str,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update github_repository set default_branch_sha = $2, default_branch_moved_at = $3
         where github_repository_id = $1 and default_branch_sha is distinct from $2",
        repository,
        sha,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The accessible repositories and their projects, by name.
pub async fn linked(pool: &PgPool) -> sqlx::Result<Vec<(String, Option<String>)>> {
    let rows = sqlx::query!(
        r#"select full_name, project.slug as "project?"
           from github_repository
           left join project on project.project_id = github_repository.project_id
           where removed_at is null
           order by full_name"#,
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.full_name, row.project)).collect())
}

/// Links a repository to a project, by name. False if either is unknown.
///
/// # Errors
/// The project is linked to another repository.
pub async fn link(pool: &PgPool, full_name: &str, project: &str) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "update github_repository set project_id = project.project_id from project
         where lower(full_name) = lower($1) and removed_at is null and project.slug = $2",
        full_name,
        project,
    )
    .execute(pool)
    .await?;
    Ok(done.rows_affected() == 1)
}
