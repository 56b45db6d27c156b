//! Projects.

use crate::access::{Visibility, VisibleProjects};
use crate::run::RunSummary;
use chrono::{DateTime, Utc};
use serde::Serialize;
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use std::collections::HashMap;
use utoipa::ToSchema;
use uuid::Uuid;

/// A project with counts.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProjectSummary {
    /// Its name in links.
    #[schema(example = "roundtrip")]
    pub project: String,
    /// The visibility.
    pub visibility: Visibility,
    /// The branch whose runs form the trend; null for all runs without a pull request.
    #[schema(required)]
    pub default_branch: Option<String>,
    /// The repository from which agents fetch commits; null if not set.
    #[schema(required)]
    pub repository_url: Option<String>,
    /// The address of a commit at its host, with `{sha}` in place of the SHA; null to derive it from `repository_url`.
    #[schema(required)]
    pub commit_url: Option<String>,
    /// Whether the check of a pull request fails on an unacknowledged slowdown.
    pub fails_on_regression: bool,
    /// The smallest change that is reported, as a share; null for two standard deviations of each series' noise, at least
    /// 1 % and at most 3 %.
    #[schema(required)]
    pub least_change: Option<f64>,
    /// Uploads.
    pub run_count: i64,
    /// Commits that were measured at least once.
    pub commit_count: i64,
    /// Machines that measured it.
    pub machine_count: i64,
    /// Series: cases, measured one way, on one machine.
    pub series_count: i64,
    /// When the newest run began.
    #[schema(required)]
    pub last_run_at: Option<DateTime<Utc>>,
    /// The newest run.
    #[schema(required, value_type = Option<RunSummary>)]
    pub latest_run: Option<Json<RunSummary>>,
    /// The key of that.
    #[serde(skip)]
    pub latest_run_id: Option<Uuid>,
}

/// The class of the locks on the order of commits, one per project: arbitrary, the same in all versions.
const ORDER_LOCK: i32 = 0x726f_756e;

/// The lock on the order of a project's commits, until the transaction ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OrderLock {
    /// For reading: any number of uploads at a time.
    Shared,
    /// For changes: one at a time, without readers.
    Exclusive,
}

/// Locks the order of a project's commits, for copying ordinals into points.
pub async fn lock_order(connection: &mut PgConnection, project_id: i64, lock: OrderLock) -> sqlx::Result<()> {
    // 32-bit keys, because a class leaves only one other number. Projects with the same key merely wait for
    // each other.
    let query = match lock {
        OrderLock::Shared => sqlx::query!(
            "select pg_advisory_xact_lock_shared($1, ($2::bigint % 2147483648)::integer)",
            ORDER_LOCK,
            project_id
        ),
        OrderLock::Exclusive => sqlx::query!(
            "select pg_advisory_xact_lock($1, ($2::bigint % 2147483648)::integer)",
            ORDER_LOCK,
            project_id
        ),
    };
    query.execute(connection).await?;
    Ok(())
}

/// The key of a project. Inserts it with this visibility and default branch if it is new.
pub async fn upsert(
    connection: &mut PgConnection,
    slug: &str,
    visibility: Visibility,
    default_branch: Option<&str>,
) -> sqlx::Result<i64> {
    sqlx::query!(
        "insert into project (slug, visibility, default_branch)
         select $1, $2, $3 where not exists (select from project where slug = $1)
         on conflict (slug) do nothing",
        slug,
        visibility.as_ref(),
        default_branch,
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query_scalar!("select project_id from project where slug = $1", slug).fetch_one(connection).await
}

/// Creates a project before its first run. None if the name is taken.
pub async fn create(
    connection: &mut PgConnection,
    slug: &str,
    visibility: Visibility,
    default_branch: Option<&str>,
    repository_url: Option<&str>,
) -> sqlx::Result<Option<i64>> {
    sqlx::query_scalar!(
        "insert into project (slug, visibility, default_branch, repository_url)
         values ($1, $2, $3, $4)
         on conflict (slug) do nothing
         returning project_id",
        slug,
        visibility.as_ref(),
        default_branch,
        repository_url,
    )
    .fetch_optional(connection)
    .await
}

/// The keys of some projects, by name.
pub async fn keys(pool: &PgPool, slugs: &[String]) -> sqlx::Result<HashMap<String, i64>> {
    let rows = sqlx::query!("select slug, project_id from project where slug = any($1)", slugs)
        .fetch_all(pool)
        .await?;
    Ok(rows.into_iter().map(|row| (row.slug, row.project_id)).collect())
}

/// Whether the check of a pull request fails on an unacknowledged slowdown.
pub async fn fails_on_regression(pool: &PgPool, project_id: i64) -> sqlx::Result<bool> {
    sqlx::query_scalar!("select fails_on_regression from project where project_id = $1", project_id)
        .fetch_one(pool)
        .await
}

/// The branch whose runs form a project's trend, if known.
pub async fn default_branch(connection: &mut PgConnection, project_id: i64) -> sqlx::Result<Option<String>> {
    sqlx::query_scalar!("select default_branch from project where project_id = $1", project_id)
        .fetch_optional(connection)
        .await
        .map(Option::flatten)
}

/// The smallest change that is reported in each of some projects, as a share; none for the default.
pub async fn least_changes(
    connection: &mut PgConnection,
    project_ids: &[i64],
) -> sqlx::Result<HashMap<i64, Option<f64>>> {
    let rows =
        sqlx::query!("select project_id, least_change from project where project_id = any($1)", project_ids)
            .fetch_all(connection)
            .await?;
    Ok(rows.into_iter().map(|row| (row.project_id, row.least_change)).collect())
}

/// The smallest change that is reported in the project of a series, as a share; none for the default.
pub async fn least_change(pool: &PgPool, series_id: i64) -> sqlx::Result<Option<f64>> {
    sqlx::query_scalar!(
        "select project.least_change from series join project on project.project_id = series.project_id
         where series.series_id = $1",
        series_id
    )
    .fetch_optional(pool)
    .await
    .map(Option::flatten)
}

/// When a project's first run arrived.
///
/// # Errors
/// The project does not exist.
pub async fn created_at(pool: &PgPool, project_id: i64) -> sqlx::Result<DateTime<Utc>> {
    sqlx::query_scalar!("select created_at from project where project_id = $1", project_id)
        .fetch_one(pool)
        .await
}

/// The visible projects after `after`, by name, or only the named one if it is visible.
pub async fn list(
    pool: &PgPool,
    visible: &VisibleProjects,
    slug: Option<&str>,
    after: &str,
    limit: i64,
) -> sqlx::Result<Vec<ProjectSummary>> {
    sqlx::query_as!(
        ProjectSummary,
        r#"select project.slug as project, project.visibility as "visibility: Visibility", project.default_branch,
                  project.repository_url, project.commit_url, project.fails_on_regression,
                  project.least_change,
                  counted.run_count as "run_count!", counted.commit_count as "commit_count!",
                  counted.machine_count as "machine_count!", counted.series_count as "series_count!",
                  counted.latest_run_id as "latest_run_id?", null::timestamptz as "last_run_at?",
                  null::jsonb as "latest_run?: Json<RunSummary>"
           from project
           cross join lateral (
               select coalesce(sum(run_count), 0)::bigint as run_count,
                      coalesce(sum(commit_count), 0)::bigint as commit_count, count(*) as machine_count,
                      coalesce(sum(series_count), 0)::bigint as series_count,
                      (array_agg(latest_run_id order by latest_run_id desc))[1] as latest_run_id
               from project_machine where project_machine.project_id = project.project_id
           ) as counted
           where ($1::text is null or project.slug = $1)
             and ($2 or ($3 and project.visibility = 'public') or project.slug = any($4))
             and project.slug > $5
           order by project.slug
           limit $6"#,
        slug,
        visible.all,
        visible.public,
        &visible.projects,
        after,
        limit,
    )
    .fetch_all(pool)
    .await
}
