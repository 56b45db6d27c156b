//! Pull requests with their comments and checks.

use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};

/// A pull request as it was read from GitHub.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table github_pull_request, described there")]
pub struct Read<'a> {
    pub number: i64,
    pub is_open: bool,
    pub author: &'a str,
    pub head_sha: &'a str,
    pub head_pushed_at: DateTime<Utc>,
    pub base_sha: &'a str,
    pub base_branch: &'a str,
    pub is_fork: bool,
}

/// A pull request with its comment and check.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table github_pull_request, described there")]
pub struct PullRequestRow {
    pub github_pull_request_id: i64,
    pub project_id: i64,
    pub project: String,
    pub github_repository_id: i64,
    pub number: i64,
    pub state: String,
    pub author: String,
    pub head_sha: String,
    pub head_pushed_at: DateTime<Utc>,
    pub base_sha: String,
    pub is_fork: bool,
    pub approved_sha: Option<String>,
    pub approved_by: Option<String>,
    pub comment_id: Option<i64>,
    pub comment_sha256: Option<Vec<u8>>,
    pub check_run_id: Option<i64>,
    pub check_head_sha: Option<String>,
    pub check_sha256: Option<Vec<u8>>,
    pub attempts: i32,
}

/// Written texts, so that unchanged ones are not written again.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Written {
    /// The comment's id and the digest of its text.
    pub comment: Option<(i64, Vec<u8>)>,
    /// The check's id, its commit, and the digest of its content.
    pub check: Option<(i64, String, Vec<u8>)>,
}

macro_rules! rows {
    ($condition:literal $(, $argument:expr)*) => {
        sqlx::query_as!(
            PullRequestRow,
            "select github_pull_request_id, github_pull_request.project_id, project.slug as project,
                    github_repository_id, number, state, author, head_sha, head_pushed_at, base_sha, is_fork,
                    approved_sha, approved_by, comment_id, comment_sha256, check_run_id, check_head_sha,
                    check_sha256, attempts
             from github_pull_request
             join project on project.project_id = github_pull_request.project_id
             where " + $condition
            $(, $argument)*
        )
    };
}

/// Stores the state of a pull request and schedules the update of its comment and check. A new commit revokes the
/// approval.
pub async fn store(
    connection: &mut PgConnection,
    project_id: i64,
    repository: i64,
    read: &Read<'_>,
    due_at: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into github_pull_request as known
             (project_id, github_repository_id, number, state, author, head_sha, head_pushed_at, base_sha,
              base_branch, is_fork, due_at)
         values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11)
         on conflict (project_id, number) do update
         set github_repository_id = excluded.github_repository_id, state = excluded.state,
             author = excluded.author, head_sha = excluded.head_sha, base_sha = excluded.base_sha,
             base_branch = excluded.base_branch, is_fork = excluded.is_fork,
             head_pushed_at = case when known.head_sha = excluded.head_sha
                                   then least(known.head_pushed_at, excluded.head_pushed_at)
                                   else excluded.head_pushed_at end,
             approved_sha = case when known.head_sha = excluded.head_sha then known.approved_sha end,
             approved_by = case when known.head_sha = excluded.head_sha then known.approved_by end,
             approved_at = case when known.head_sha = excluded.head_sha then known.approved_at end,
             due_at = coalesce(known.due_at, excluded.due_at)",
        project_id,
        repository,
        read.number,
        if read.is_open { "open" } else { "closed" },
        read.author,
        read.head_sha,
        read.head_pushed_at,
        read.base_sha,
        read.base_branch,
        read.is_fork,
        due_at,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// A pull request.
pub async fn find(
    connection: &mut PgConnection,
    project_id: i64,
    number: i64,
) -> sqlx::Result<Option<PullRequestRow>> {
    rows!("github_pull_request.project_id = $1 and number = $2", project_id, number)
        .fetch_optional(connection)
        .await
}

/// The open pull requests of a project with this head.
pub async fn of_head(
    connection: &mut PgConnection,
    project_id: i64,
    head_sha: &str,
) -> sqlx::Result<Vec<PullRequestRow>> {
    rows!(
        "github_pull_request.project_id = $1 and head_sha = $2 and state = 'open' order by number",
        project_id,
        head_sha
    )
    .fetch_all(connection)
    .await
}

/// The numbers of a project's pull requests that were last seen open.
pub async fn open_numbers(connection: &mut PgConnection, project_id: i64) -> sqlx::Result<Vec<i64>> {
    sqlx::query_scalar!(
        "select number from github_pull_request where project_id = $1 and state = 'open' order by number",
        project_id,
    )
    .fetch_all(connection)
    .await
}

/// Approves a commit for measuring. False if it is no longer the head.
pub async fn approve(
    connection: &mut PgConnection,
    pull_request: i64,
    sha: &str,
    by: &str,
    now: DateTime<Utc>,
) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "update github_pull_request set approved_sha = $2, approved_by = $3, approved_at = $4
         where github_pull_request_id = $1 and head_sha = $2",
        pull_request,
        sha,
        by,
        now,
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Schedules the update of the checks of all open pull requests of a project.
pub async fn touch_open(connection: &mut PgConnection, project_id: i64) -> sqlx::Result<()> {
    sqlx::query!(
        "update github_pull_request set due_at = coalesce(due_at, now()) where project_id = $1 and state = 'open'",
        project_id,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// A lease on a pull request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lease {
    /// The pull request.
    pub github_pull_request_id: i64,
    /// When it ends. Also its fence, because a later lease has another end.
    pub expires_at: DateTime<Utc>,
    /// Its start, by the database's clock.
    pub began_at: DateTime<Utc>,
}

/// Claims a due pull request. It becomes due again if something changes meanwhile. If the lease expires,
/// another server claims it.
pub async fn take(
    pool: &PgPool,
    now: DateTime<Utc>,
    expires_at: DateTime<Utc>,
) -> sqlx::Result<Option<(PullRequestRow, Lease)>> {
    let mut transaction = pool.begin().await?;
    let found = rows!(
        "coalesce(lease_expires_at, due_at) <= $1
         order by coalesce(lease_expires_at, due_at), github_pull_request_id limit 1
         for update of github_pull_request skip locked",
        now
    )
    .fetch_optional(&mut *transaction)
    .await?;
    let Some(row) = found else { return Ok(None) };
    let id = row.github_pull_request_id;
    let lease = sqlx::query_as!(
        Lease,
        r#"update github_pull_request set lease_expires_at = $2, due_at = null where github_pull_request_id = $1
           returning github_pull_request_id, lease_expires_at as "expires_at!", now() as "began_at!""#,
        id,
        expires_at,
    )
    .fetch_one(&mut *transaction)
    .await?;
    transaction.commit().await?;
    Ok(Some((row, lease)))
}

/// Stores what was written, if the lease still holds.
pub async fn remember(pool: &PgPool, lease: Lease, written: &Written) -> sqlx::Result<()> {
    if let Some((comment_id, sha256)) = &written.comment {
        sqlx::query!(
            "update github_pull_request set comment_id = $3, comment_sha256 = $4
             where github_pull_request_id = $1 and lease_expires_at = $2",
            lease.github_pull_request_id,
            lease.expires_at,
            comment_id,
            sha256,
        )
        .execute(pool)
        .await?;
    }
    if let Some((check_run_id, head_sha, sha256)) = &written.check {
        sqlx::query!(
            "update github_pull_request set check_run_id = $3, check_head_sha = $4, check_sha256 = $5
             where github_pull_request_id = $1 and lease_expires_at = $2",
            lease.github_pull_request_id,
            lease.expires_at,
            check_run_id,
            head_sha,
            sha256,
        )
        .execute(pool)
        .await?;
    }
    Ok(())
}

/// Releases a pull request whose comment and check are up to date as of the start of the lease. Later changes
/// of jobs make it due again.
pub async fn finish(pool: &PgPool, lease: Lease, failure: Option<&str>) -> sqlx::Result<()> {
    sqlx::query!(
        "update github_pull_request
         set lease_expires_at = null, attempts = 0, failure = $3, said_at = $4
         where github_pull_request_id = $1 and lease_expires_at = $2",
        lease.github_pull_request_id,
        lease.expires_at,
        failure,
        lease.began_at,
    )
    .execute(pool)
    .await?;
    Ok(())
}

/// Releases a pull request for a retry. Waiting for a rate limit does not count as a failure.
pub async fn put_off(
    pool: &PgPool,
    lease: Lease,
    due_at: DateTime<Utc>,
    failure: Option<&str>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update github_pull_request
         set lease_expires_at = null, due_at = $3, failure = $4,
             attempts = attempts + (case when $4::text is null then 0 else 1 end)
         where github_pull_request_id = $1 and lease_expires_at = $2",
        lease.github_pull_request_id,
        lease.expires_at,
        due_at,
        failure,
    )
    .execute(pool)
    .await?;
    Ok(())
}
