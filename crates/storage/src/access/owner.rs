//! Which project a thing belongs to, and who may see that.

use super::Visibility;
use crate::decode_error;
use crate::point::SeriesKey;
use crate::run::Location;
use sqlx::PgPool;
use uuid::Uuid;

/// A project, as far as it matters who may see it.
#[derive(Clone, Debug)]
pub struct ProjectRow {
    /// Its key.
    pub project_id: i64,
    /// Its name.
    pub project: String,
    /// Who may read it.
    pub visibility: Visibility,
}

struct TextRow {
    project_id: i64,
    project: String,
    visibility: String,
}

/// A project by its name.
///
/// # Errors
/// The database does not answer.
pub async fn project(pool: &PgPool, slug: &str) -> sqlx::Result<Option<ProjectRow>> {
    sqlx::query_as!(
        TextRow,
        "select project_id, slug as project, visibility from project where slug = $1",
        slug,
    )
    .fetch_optional(pool)
    .await?
    .map(ProjectRow::try_from)
    .transpose()
}

/// The project of a run, and where what came with it is stored.
///
/// # Errors
/// The database does not answer.
pub async fn of_run(pool: &PgPool, run_id: Uuid) -> sqlx::Result<Option<(ProjectRow, Location)>> {
    let row = sqlx::query!(
        "select run.project_id, project.slug as project, project.visibility, run.machine_id,
                commit.ordinal as commit_ordinal
         from run
         join project on project.project_id = run.project_id
         join commit on commit.commit_id = run.commit_id
         where run.run_id = $1",
        run_id,
    )
    .fetch_optional(pool)
    .await?;
    let Some(row) = row else { return Ok(None) };
    let text = TextRow { project_id: row.project_id, project: row.project, visibility: row.visibility };
    let location = Location { run_id, machine_id: row.machine_id, commit_ordinal: row.commit_ordinal };
    Ok(Some((text.try_into()?, location)))
}

/// The projects of some series, and what queries on points need of these; unknown ones are left out.
///
/// # Errors
/// The database does not answer.
pub async fn of_series(pool: &PgPool, series_ids: &[i64]) -> sqlx::Result<Vec<(ProjectRow, SeriesKey)>> {
    let rows = sqlx::query!(
        "select series.series_id, series.machine_id, series.project_id, project.slug as project, project.visibility
         from series
         join project on project.project_id = series.project_id
         where series.series_id = any($1)",
        series_ids,
    )
    .fetch_all(pool)
    .await?;
    rows.into_iter()
        .map(|row| {
            let text =
                TextRow { project_id: row.project_id, project: row.project, visibility: row.visibility };
            let key = SeriesKey { series_id: row.series_id, machine_id: row.machine_id };
            Ok((text.try_into()?, key))
        })
        .collect()
}

impl TryFrom<TextRow> for ProjectRow {
    type Error = sqlx::Error;

    fn try_from(row: TextRow) -> sqlx::Result<Self> {
        let visibility = row.visibility.parse().map_err(decode_error)?;
        Ok(Self { project_id: row.project_id, project: row.project, visibility })
    }
}
