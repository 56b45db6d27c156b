//! Badges: one line about a project or a series, as a small picture for a README. They are asked for again whenever somebody
//! looks, and answered with 304 as long as they say the same.

use super::permitted;
use super::projects::ProjectPath;
use super::series::SeriesPath;
use crate::access::Action;
use crate::badge::{Badge, Tone};
use crate::db::point::SeriesKey;
use crate::error::{ApiError, Kind};
use crate::extract::{Caller, Path, Query};
use crate::{AppState, db};
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use roundtrip_wire::{Case, Slug};
use serde::Deserialize;
use utoipa::ToSchema;

const MEDIA_TYPE: &str = "image/svg+xml";
const NO_DATA: &str = "no data";

/// What a badge of a series shows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum BadgeQuantile {
    /// Half of all operations are faster.
    #[default]
    P50,
    /// All but one in a hundred are.
    P99,
}

/// What a badge of a series is asked for.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct BadgeQuery {
    /// Of which quantile.
    #[serde(default)]
    #[param(inline, default = "p50")]
    pub quantile: BadgeQuantile,
}

/// How many regressions of a project are open, as a badge.
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

/// How fast the newest commit of a series' trend is, as a badge.
#[utoipa::path(get, path = "/api/v1/series/{series_id}/badge.svg", tag = "series", params(SeriesPath, BadgeQuery),
    responses(
    (status = 200, description = "The badge", body = String, content_type = "image/svg+xml"),
    (status = 400, description = "`invalid-parameter`", body = roundtrip_wire::Problem,
        content_type = "application/problem+json"),
))]
pub(crate) async fn badge_of_series(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<SeriesPath>,
    Query(asked): Query<BadgeQuery>,
) -> Result<Response, ApiError> {
    let keys = permitted::series(&state, &caller, &[path.series_id]).await?;
    let rows = db::series::find(&state.pool, &[path.series_id]).await?;
    let row = rows.into_iter().next().ok_or_else(|| ApiError::unknown(Kind::Series, path.series_id))?;
    let name = match asked.quantile {
        BadgeQuantile::P50 => "p50",
        BadgeQuantile::P99 => "p99",
    };
    let figure_ns = newest(&state, &keys, row.is_stated(), asked.quantile).await?;
    let series = row.into_series()?;
    let label = format!("{} {name}", case(&series.transport.slug, &series.case));
    let message = figure_ns.map_or_else(|| NO_DATA.to_owned(), time);
    let tone = if figure_ns.is_some() { Tone::Plain } else { Tone::Unknown };
    Ok(answer(&Badge { label: &label, message: &message, tone }))
}

/// The figure of the newest commit of the trend; what another tool stated without samples has the quantiles that it stated.
async fn newest(
    state: &AppState,
    keys: &[SeriesKey],
    is_stated: bool,
    quantile: BadgeQuantile,
) -> Result<Option<i64>, ApiError> {
    const EVERY_COMMIT: (i64, i64) = (0, i64::MAX);
    if is_stated {
        let wanted = if quantile == BadgeQuantile::P50 { 500_000 } else { 990_000 };
        let newest = db::summary::newest(&state.pool, keys, EVERY_COMMIT, 1).await?;
        let stated = newest.into_iter().next_back().map(|row| row.quantiles.0).unwrap_or_default();
        return Ok(stated.iter().find(|stated| stated.q_ppm == wanted).map(|stated| stated.ns.cast_signed()));
    }
    let newest = db::point::newest(&state.pool, keys, EVERY_COMMIT, 1, false).await?;
    Ok(newest.last().map(|row| match quantile {
        BadgeQuantile::P50 => row.latency_ns_p50,
        BadgeQuantile::P99 => row.latency_ns_p99,
    }))
}

/// What was measured, as short as it can be told.
fn case(transport: &Slug, case: &Case) -> String {
    match &case.benchmark {
        Some(benchmark) => benchmark.clone(),
        None => format!("{transport} {} {}", case.scenario, bytes(case.message_bytes)),
    }
}

/// As in `64 B` or `64 KiB`: what is no whole number of a unit stays in bytes.
fn bytes(bytes: u64) -> String {
    const UNITS: [(u64, &str); 3] = [(1 << 30, "GiB"), (1 << 20, "MiB"), (1 << 10, "KiB")];
    let found = UNITS.into_iter().find(|(size, _)| bytes >= *size && bytes.is_multiple_of(*size));
    found.map_or_else(|| format!("{bytes} B"), |(size, unit)| format!("{} {unit}", bytes / size))
}

/// As in `4.02 µs`: three digits, and the unit that they have after they were rounded. Whole nanoseconds stay exact.
fn time(ns: i64) -> String {
    const UNITS: [(f64, &str); 3] = [(1e9, "s"), (1e6, "ms"), (1e3, "µs")];
    #[expect(clippy::cast_precision_loss, reason = "three digits are shown")]
    let amount = ns as f64;
    // 999.5 of a unit is 1.00 of the next.
    let Some((size, unit)) = UNITS.into_iter().find(|(size, _)| amount >= size * 0.999_5 && ns >= 1_000)
    else {
        return format!("{ns} ns");
    };
    let scaled = amount / size;
    let decimals = if scaled < 9.995 { 2 } else { usize::from(scaled < 99.95) };
    format!("{scaled:.decimals$} {unit}")
}

fn answer(badge: &Badge<'_>) -> Response {
    ([(header::CONTENT_TYPE, MEDIA_TYPE)], badge.svg()).into_response()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_figure_has_three_digits_and_its_unit() {
        let shown =
            [0, 999, 1_000, 4_016, 18_249, 999_499, 999_600, 12_340_000, 1_500_000_000, 61_000_000_000];
        let expected = [
            "0 ns", "999 ns", "1.00 µs", "4.02 µs", "18.2 µs", "999 µs", "1.00 ms", "12.3 ms", "1.50 s",
            "61.0 s",
        ];
        assert_eq!(shown.map(time), expected);
        assert_eq!(
            [64, 1_024, 5_000, 65_536, 1 << 20].map(bytes),
            ["64 B", "1 KiB", "5000 B", "64 KiB", "1 MiB"]
        );
    }
}
