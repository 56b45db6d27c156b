//! Badges: small SVG images about a project or a series, for READMEs. Unchanged ones are answered with 304.

use super::permitted;
use super::projects::ProjectPath;
use super::series::SeriesPath;
use crate::AppState;
use crate::badge::{Badge, Tone};
use crate::error::ApiError;
use crate::extract::{Caller, Path, Query};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use roundtrip_domain::access::Action;
use roundtrip_domain::units::{NO_BREAK, size, value};
use roundtrip_storage as db;
use roundtrip_storage::point::{Lines, Selection};
use roundtrip_storage::series::SeriesRow;
use roundtrip_wire::{Case, Slug};
use serde::Deserialize;
use utoipa::ToSchema;

const MEDIA_TYPE: &str = "image/svg+xml";
const NO_DATA: &str = "no data";

/// The quantile on a series' badge.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum BadgeQuantile {
    /// The median.
    #[default]
    P50,
    /// The 99th percentile.
    P99,
}

/// Options of a series' badge.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct BadgeQuery {
    /// The quantile.
    #[serde(default)]
    #[param(inline, default = "p50")]
    pub quantile: BadgeQuantile,
}

/// Badge with a project's number of open regressions.
#[utoipa::path(get, path = "/api/v1/projects/{project}/badge.svg", tag = "projects", params(ProjectPath), responses(
    (status = 200, description = "The badge", body = String, content_type = "image/svg+xml"),
))]
pub(crate) async fn badge_of_project(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
) -> Result<Response, ApiError> {
    let project = permitted::project(&state, &caller, Action::Read, &path.project).await?;
    let (message, tone) = match db::regression::open_count(&state.pool, project.project_id).await? {
        None => (NO_DATA.to_owned(), Tone::Unknown),
        Some(0) => ("no regressions".to_owned(), Tone::Good),
        Some(1) => ("1 regression".to_owned(), Tone::Bad),
        Some(count) => (format!("{count} regressions"), Tone::Bad),
    };
    Ok(answer(&Badge { label: &project.project, message: &message, tone }))
}

/// Badge with a series' newest time on the main line.
#[utoipa::path(get, path = "/api/v1/series/{series_id}/badge.svg", tag = "series", params(SeriesPath, BadgeQuery),
    responses(
    (status = 200, description = "The badge", body = String, content_type = "image/svg+xml"),
    (status = 400, description = "`invalid-parameter`"),
))]
pub(crate) async fn badge_of_series(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<SeriesPath>,
    Query(query): Query<BadgeQuery>,
) -> Result<Response, ApiError> {
    let row = permitted::one_series(&state, &caller, path.series_id).await?;
    let name = match query.quantile {
        BadgeQuantile::P50 => "p50",
        BadgeQuantile::P99 => "p99",
    };
    let figure_ns = newest(&state, &row, query.quantile).await?;
    let series = row.into_series()?;
    let label = format!("{} {name}", case(&series.transport.slug, &series.case));
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let message = figure_ns.map_or_else(|| NO_DATA.to_owned(), |ns| plain(value(&series.case, ns as f64)));
    let tone = if figure_ns.is_some() { Tone::Plain } else { Tone::Unknown };
    Ok(answer(&Badge { label: &label, message: &message, tone }))
}

/// The value at the newest commit of the trend. Another tool's summary has only its stated quantiles.
pub(super) async fn newest(
    state: &AppState,
    series: &SeriesRow,
    quantile: BadgeQuantile,
) -> Result<Option<i64>, ApiError> {
    const NEWEST: Selection<'_> =
        Selection { from_ordinal: 0, to_ordinal: i64::MAX, last: 1, lines: Lines::Main };
    let keys = &[series.key()];
    if series.is_stated() {
        let wanted = if quantile == BadgeQuantile::P50 { 500_000 } else { 990_000 };
        let newest =
            db::summary::selected(&state.pool, keys, &Selection { lines: Lines::All, ..NEWEST }).await?;
        let stated = newest.into_iter().next_back().map(|row| row.quantiles.0).unwrap_or_default();
        return Ok(stated.iter().find(|stated| stated.q_ppm == wanted).map(|stated| stated.ns.cast_signed()));
    }
    let newest = db::point::selected(&state.pool, keys, &NEWEST).await?;
    Ok(newest.last().map(|row| match quantile {
        BadgeQuantile::P50 => row.latency_ns.p50,
        BadgeQuantile::P99 => row.latency_ns.p99,
    }))
}

/// A short name of the case.
pub(super) fn case(transport: &Slug, case: &Case) -> String {
    match &case.benchmark {
        Some(benchmark) => benchmark.clone(),
        None => format!("{transport} {} {}", case.scenario, plain(size(case.message_bytes))),
    }
}

/// Replaces other spaces by plain ones, which the width of a badge is computed for.
fn plain(text: String) -> String {
    text.replace(NO_BREAK, " ")
}

fn answer(badge: &Badge<'_>) -> Response {
    ([(header::CONTENT_TYPE, MEDIA_TYPE)], badge.svg()).into_response()
}
