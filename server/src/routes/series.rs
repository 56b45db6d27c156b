//! Series: one case, measured one way, on one machine, over the commits of one project.

use super::permitted;
use super::projects::{ProjectPath, project_id};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, CommaSeparated, Cursor, Page, Paged, Path, Place, Query};
use axum::{Json, extract::State};
use roundtrip_domain::error::Kind;
use roundtrip_storage as db;
use roundtrip_storage::point::{Lines, Point, Selection};
use roundtrip_storage::search_terms::SearchTerms;
use roundtrip_storage::summary::StatedPoint;
use roundtrip_wire::{Case, Methodology, Slug, TransportInfo};
use serde::{Deserialize, Serialize};
use std::collections::{HashMap, HashSet};
use utoipa::ToSchema;

/// The maximum number of series in one request.
pub(crate) const SERIES_MAX: usize = 200;

/// Series of one project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SeriesList {
    /// By machine, scenario, transport, mode, placement, sizes, messages, senders, receivers, buffer, rate, variant and
    /// name.
    pub series: Vec<SeriesSummary>,
    /// The value of `after` for the next page; null on the last page.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<Place>>,
}

/// Filter values for a project's series. Each value has the number of series it would select, given the filters of all
/// other facets.
#[derive(Debug, Default, Serialize, ToSchema)]
pub(crate) struct SeriesFacets {
    /// The number of series that match all filters.
    pub series_count: i64,
    /// Machines, by name.
    pub machine: Vec<NameCount>,
    /// Transports, by name.
    pub transport: Vec<NameCount>,
    /// Scenarios, by name.
    pub scenario: Vec<NameCount>,
    /// Modes, by name.
    pub mode: Vec<NameCount>,
    /// Placements, by name.
    pub placement: Vec<NameCount>,
    /// Bytes of one message, ascending.
    pub message_bytes: Vec<NumberCount>,
    /// Numbers of receivers, ascending.
    pub peers: Vec<NumberCount>,
}

/// A value of a facet, and the number of series with it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NameCount {
    /// The value.
    pub value: String,
    /// The number of series.
    pub series_count: i64,
}

/// A value of a facet, and the number of series with it.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NumberCount {
    /// The value.
    pub value: i64,
    /// The number of series.
    pub series_count: i64,
}

/// One series and its newest point.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SeriesSummary {
    /// The id, as used in links.
    pub series_id: i64,
    /// The project.
    pub project: String,
    /// The machine.
    pub machine: String,
    /// The transport.
    pub transport: TransportInfo,
    /// The case.
    pub case: Case,
    /// The methodology.
    pub methodology: Methodology,
    /// The newest point on the main line; if there is none, from a pull request or another branch. Null without points.
    #[schema(required)]
    pub latest: Option<Point>,
    /// Another tool's values at its newest commit; null if there are samples.
    #[schema(required)]
    pub latest_summary: Option<StatedPoint>,
}

/// Filters for series. A filter can have several values, separated by commas, of which any may match.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SeriesFilter {
    /// Words that must all match the machine, transport, scenario, mode, placement, variant, benchmark or sizes (`64`,
    /// `64kib` or `1 MiB`). Words match prefixes, numbers match exactly.
    #[serde(default)]
    #[param(value_type = Option<String>, max_length = 200, example = "ring 64kib")]
    pub q: SearchTerms,
    /// Names of machines.
    #[serde(default)]
    #[param(value_type = Option<String>, example = "lab-1,lab-2")]
    pub machine: CommaSeparated<Slug>,
    /// Names of transports.
    #[serde(default)]
    #[param(value_type = Option<String>, example = "pipe,unix-stream")]
    pub transport: CommaSeparated<Slug>,
    /// Names of scenarios.
    #[serde(default)]
    #[param(value_type = Option<String>, example = "roundtrip")]
    pub scenario: CommaSeparated<Slug>,
    /// `2proc` or `2thread`.
    #[serde(default)]
    #[param(value_type = Option<String>, example = "2proc")]
    pub mode: CommaSeparated<Slug>,
    /// `same-cpu`, `cross-cpu` or `free`.
    #[serde(default)]
    #[param(value_type = Option<String>, example = "same-cpu")]
    pub placement: CommaSeparated<Slug>,
    /// Bytes of one message.
    #[serde(default)]
    #[param(value_type = Option<String>, example = "64,1024")]
    pub message_bytes: CommaSeparated<i64>,
    /// The number of receivers.
    #[serde(default)]
    #[param(value_type = Option<String>, example = "1")]
    pub peers: CommaSeparated<i64>,
}

/// A series in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct SeriesPath {
    /// The series' number.
    pub series_id: i64,
}

/// The series of a project.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/series", tag = "series", params(ProjectPath, SeriesFilter, Page),
    responses(
    (status = 200, description = "The series", body = SeriesList),
))]
pub(crate) async fn list_series(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    paged: Paged<SeriesFilter, Place>,
) -> Result<Json<SeriesList>, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let filter = paged.query.filter();
    let after = paged.after.as_ref().map_or(("", 0), |place| (place.text.as_str(), place.number));
    let rows = db::series::search::list(&state.pool, project_id, &filter, after, paged.row_limit()).await?;
    let (rows, next_after) =
        paged.cut(rows, |row| Place { number: row.series_id, text: row.sort_key.clone() });
    Ok(Json(SeriesList { series: summaries(&state, rows).await?, next_after }))
}

/// The facets of a project's series, for filters.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/series/facets", tag = "series", params(ProjectPath, SeriesFilter),
    responses(
    (status = 200, description = "Values of each facet with counts", body = SeriesFacets),
))]
pub(crate) async fn list_facets(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    Query(query): Query<SeriesFilter>,
) -> Result<Json<SeriesFacets>, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let rows = db::series::search::facets(&state.pool, project_id, &query.filter()).await?;
    Ok(Json(SeriesFacets::from_rows(rows)))
}

/// One series.
#[utoipa::path(get, path = "/api/v1/series/{series_id}", tag = "series", params(SeriesPath), responses(
    (status = 200, description = "The series", body = SeriesSummary),
))]
pub(crate) async fn get_series(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<SeriesPath>,
) -> Result<Json<SeriesSummary>, ApiError> {
    permitted::series(&state, &caller, &[path.series_id]).await?;
    let rows = db::series::find(&state.pool, &[path.series_id]).await?;
    let found = summaries(&state, rows).await?.into_iter().next();
    Ok(Json(found.ok_or_else(|| ApiError::unknown(Kind::Series, path.series_id))?))
}

/// Series numbers in a query: each once, in the given order, at most 200.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub(super) struct SeriesIds(Vec<i64>);

impl TryFrom<String> for SeriesIds {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        let mut seen = HashSet::new();
        let mut series_ids = Vec::new();
        for part in text.split(',') {
            let series_id: i64 = part
                .parse()
                .map_err(|_| format!("`{part}` is not a number: expected series ids, such as 1,2,3"))?;
            if seen.insert(series_id) {
                series_ids.push(series_id);
            }
        }
        match series_ids.len() {
            count if count > SERIES_MAX => Err(format!("{count} series: expected at most {SERIES_MAX}")),
            _ => Ok(Self(series_ids)),
        }
    }
}

impl SeriesIds {
    pub(super) fn as_slice(&self) -> &[i64] {
        &self.0
    }
}

async fn summaries(
    state: &AppState,
    rows: Vec<db::series::SeriesRow>,
) -> Result<Vec<SeriesSummary>, ApiError> {
    const NEWEST: Selection<'_> =
        Selection { from_ordinal: 0, to_ordinal: i64::MAX, last: 1, lines: Lines::Main };
    const NEWEST_OF_ALL: Selection<'_> = Selection { lines: Lines::All, ..NEWEST };
    let (stated, measured): (Vec<_>, Vec<_>) = rows.iter().partition(|row| row.is_stated());
    let keys = |rows: Vec<&db::series::SeriesRow>| {
        rows.into_iter().map(db::series::SeriesRow::key).collect::<Vec<_>>()
    };
    let newest_stated = db::summary::selected(&state.pool, &keys(stated), &NEWEST_OF_ALL).await?;
    let mut newest_stated: HashMap<_, _> =
        newest_stated.into_iter().map(|row| (row.series_id, row)).collect();
    let keys = keys(measured);
    let mut rows_newest = db::point::selected(&state.pool, &keys, &NEWEST).await?;
    // Results of pull requests only count if there are no others.
    let known: HashSet<i64> = rows_newest.iter().map(|row| row.series_id).collect();
    let others: Vec<_> = keys.into_iter().filter(|key| !known.contains(&key.series_id)).collect();
    rows_newest.extend(db::point::selected(&state.pool, &others, &NEWEST_OF_ALL).await?);
    let mut newest: HashMap<_, _> = rows_newest.into_iter().map(|row| (row.series_id, row)).collect();
    let summary = |row: db::series::SeriesRow| {
        let series_id = row.series_id;
        let db::series::Series { project, machine, transport, case, methodology } = row.into_series()?;
        Ok(SeriesSummary {
            series_id,
            project,
            machine,
            transport,
            case,
            methodology,
            latest: newest.remove(&series_id),
            latest_summary: newest_stated.remove(&series_id),
        })
    };
    rows.into_iter().map(summary).collect()
}

impl SeriesFilter {
    pub(super) fn filter(&self) -> db::series::search::Filter {
        let names = |names: &CommaSeparated<Slug>| names.0.iter().map(Slug::to_string).collect();
        db::series::search::Filter {
            words: self.q.clone(),
            machine: names(&self.machine),
            transport: names(&self.transport),
            scenario: names(&self.scenario),
            mode: names(&self.mode),
            placement: names(&self.placement),
            message_bytes: self.message_bytes.0.clone(),
            peers: self.peers.0.clone(),
        }
    }
}

impl SeriesFacets {
    fn from_rows(rows: Vec<db::series::search::FacetRow>) -> Self {
        let mut facets = Self::default();
        for row in rows {
            let series_count = row.series_count;
            let Some(facet) = row.facet else {
                facets.series_count = series_count;
                continue;
            };
            let names = [
                ("machine", &mut facets.machine),
                ("transport", &mut facets.transport),
                ("scenario", &mut facets.scenario),
                ("mode", &mut facets.mode),
                ("placement", &mut facets.placement),
            ];
            let numbers = [("message_bytes", &mut facets.message_bytes), ("peers", &mut facets.peers)];
            for (_, values) in names.into_iter().filter(|(name, _)| *name == facet) {
                values.extend(row.name.clone().map(|value| NameCount { value, series_count }));
            }
            for (_, values) in numbers.into_iter().filter(|(name, _)| *name == facet) {
                values.extend(row.number.map(|value| NumberCount { value, series_count }));
            }
        }
        facets
    }
}
