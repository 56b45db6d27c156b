//! Series: one case, measured one way, on one machine, over the commits of one project.

use super::points::Point;
use super::projects::{ProjectPath, project_id};
use super::summaries::StatedPoint;
use crate::{
    AppState, db,
    error::{ApiError, Kind},
    extract::{Path, Query},
};
use axum::{Json, extract::State};
use roundtrip_wire::{Case, Methodology, Problem, Slug, TransportInfo};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use utoipa::ToSchema;

/// Series of one project.
#[derive(Debug, Serialize, ToSchema)]
pub struct SeriesList {
    /// By machine, scenario, transport, mode, placement, sizes, messages, senders, receivers, buffer, rate and
    /// variant.
    pub series: Vec<SeriesSummary>,
}

/// One series and its newest point.
#[derive(Debug, Serialize, ToSchema)]
pub struct SeriesSummary {
    /// Its number in links.
    pub series_id: i64,
    /// Whose commits.
    pub project: String,
    /// Where.
    pub machine: String,
    /// On what.
    pub transport: TransportInfo,
    /// What.
    pub case: Case,
    /// How.
    pub methodology: Methodology,
    /// Its points, or summaries.
    pub point_count: i64,
    /// The point of its newest commit; null when the case never ran here, or has summaries.
    #[schema(required)]
    pub latest: Option<Point>,
    /// What another tool stated of its newest commit; null where there are samples.
    #[schema(required)]
    pub latest_summary: Option<StatedPoint>,
}

/// Which series are wanted; what is absent is not asked for.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct SeriesQuery {
    /// The machine's name.
    pub machine: Option<Slug>,
    /// The transport's name.
    pub transport: Option<Slug>,
    /// The scenario's name.
    pub scenario: Option<Slug>,
    /// `2proc` or `2thread`.
    pub mode: Option<Slug>,
    /// `same-cpu`, `cross-cpu` or `free`.
    pub placement: Option<Slug>,
    /// Bytes of one message.
    #[param(minimum = 0)]
    pub message_bytes: Option<i64>,
}

/// A series in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub struct SeriesPath {
    /// The series' number.
    pub series_id: i64,
}

/// The series of a project.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/series", tag = "series", params(ProjectPath, SeriesQuery), responses(
    (status = 200, description = "The series", body = SeriesList),
    (status = "default", description = "A problem", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn list_series(
    State(state): State<AppState>,
    Path(path): Path<ProjectPath>,
    Query(query): Query<SeriesQuery>,
) -> Result<Json<SeriesList>, ApiError> {
    let project_id = project_id(&state, &path).await?;
    let filter = db::series::Filter {
        machine: query.machine.as_ref().map(Slug::as_str),
        transport: query.transport.as_ref().map(Slug::as_str),
        scenario: query.scenario.as_ref().map(Slug::as_str),
        mode: query.mode.as_ref().map(Slug::as_str),
        placement: query.placement.as_ref().map(Slug::as_str),
        message_bytes: query.message_bytes,
    };
    let rows = db::series::list(&state.pool, project_id, filter).await?;
    Ok(Json(SeriesList { series: summaries(&state, rows).await? }))
}

/// One series.
#[utoipa::path(get, path = "/api/v1/series/{series_id}", tag = "series", params(SeriesPath), responses(
    (status = 200, description = "The series", body = SeriesSummary),
    (status = "default", description = "A problem", body = Problem, content_type = "application/problem+json"),
))]
pub(crate) async fn get_series(
    State(state): State<AppState>,
    Path(path): Path<SeriesPath>,
) -> Result<Json<SeriesSummary>, ApiError> {
    let rows = db::series::find(&state.pool, &[path.series_id]).await?;
    let found = summaries(&state, rows).await?.into_iter().next();
    Ok(Json(found.ok_or_else(|| ApiError::unknown(Kind::Series, path.series_id))?))
}

async fn summaries(state: &AppState, rows: Vec<db::series::Row>) -> Result<Vec<SeriesSummary>, ApiError> {
    let keys: Vec<_> = rows.iter().map(db::series::Row::key).collect();
    let counts: HashMap<_, _> = db::point::counts(&state.pool, &keys).await?.into_iter().collect();
    let stated: HashMap<_, _> = db::summary::counts(&state.pool, &keys).await?.into_iter().collect();
    let newest_stated = db::summary::newest(&state.pool, &keys, 1).await?;
    let mut newest_stated: HashMap<_, _> =
        newest_stated.into_iter().map(|row| (row.series_id, StatedPoint::from(row))).collect();
    let newest = db::point::newest(&state.pool, &keys, 1).await?;
    let mut newest: HashMap<_, _> = newest.into_iter().map(|row| (row.series_id, Point::from(row))).collect();
    let summary = |row: db::series::Row| {
        let series_id = row.series_id;
        let db::series::Series { project, machine, transport, case, methodology } = row.into_series()?;
        Ok(SeriesSummary {
            series_id,
            project,
            machine,
            transport,
            case,
            methodology,
            point_count: [&counts, &stated].into_iter().filter_map(|counts| counts.get(&series_id)).sum(),
            latest: newest.remove(&series_id),
            latest_summary: newest_stated.remove(&series_id),
        })
    };
    rows.into_iter().map(summary).collect()
}
