//! The project of a thing, and its visibility.

use super::Visibility;
use crate::point::SeriesKey;
use crate::run::Location;
use sqlx::{PgExecutor, PgPool};
use uuid::Uuid;

/// The part of a project that decides who can see it.
#[derive(Clone, Debug, sqlx::Decode)]
#[expect(missing_docs, reason = "the columns of table project, described there")]
pub struct ProjectRow {
    pub project_id: i64,
    pub project: String,
    pub visibility: Visibility,
}

is_record!(ProjectRow);

/// A project by its name.
pub async fn project(executor: impl PgExecutor<'_>, slug: &str) -> sqlx::Result<Option<ProjectRow>> {
    sqlx::query_as!(
        ProjectRow,
        r#"select project_id, slug as project, visibility as "visibility: Visibility" from project where slug = $1"#,
        slug,
    )
    .fetch_optional(executor)
    .await
}

/// The project of a run, and the location of its data.
pub async fn of_run(pool: &PgPool, run_id: Uuid) -> sqlx::Result<Option<(ProjectRow, Location)>> {
    sqlx::query!(
        r#"select (project.project_id, project.slug, project.visibility) as "project!: ProjectRow",
                  run.machine_id, commit.ordinal as commit_ordinal
           from run
           join project on project.project_id = run.project_id
           join commit on commit.commit_id = run.commit_id
           where run.run_id = $1"#,
        run_id,
    )
    .map(|row| {
        (row.project, Location { run_id, machine_id: row.machine_id, commit_ordinal: row.commit_ordinal })
    })
    .fetch_optional(pool)
    .await
}

/// The projects of some series, and the keys for queries on points. Unknown series are skipped.
pub async fn of_series(pool: &PgPool, series_ids: &[i64]) -> sqlx::Result<Vec<(ProjectRow, SeriesKey)>> {
    sqlx::query!(
        r#"select series.series_id, series.machine_id,
                  (project.project_id, project.slug, project.visibility) as "project!: ProjectRow"
           from series
           join project on project.project_id = series.project_id
           where series.series_id = any($1)"#,
        series_ids,
    )
    .map(|row| (row.project, SeriesKey { series_id: row.series_id, machine_id: row.machine_id }))
    .fetch_all(pool)
    .await
}
