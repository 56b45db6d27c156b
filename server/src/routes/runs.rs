//! Runs: results and original uploads.

use super::observed::Observed;
use super::permitted;
use super::projects::{ProjectPath, project_id};
use super::series::SeriesIds;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Cursor, Page, Paged, Path, Query};
use axum::body::Body;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use axum::{Json, extract::State};
use roundtrip_domain::error::{DomainError, Kind};
use roundtrip_domain::ingest;
use roundtrip_domain::ingest::download::Download;
use roundtrip_storage as db;
use roundtrip_storage::original::OriginalFile;
use roundtrip_storage::point::Point;
use roundtrip_storage::retention::Pruned;
use roundtrip_storage::run::{Location, RunSummary};
use roundtrip_storage::stored_file::StoredFile;
use roundtrip_storage::summary::StatedPoint;
use roundtrip_wire::{
    Canary, Case, Environment, Failure, Methodology, RunId, RunReport, Slug, TransportInfo,
};
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, HashMap};
use std::io;
use tokio::io::AsyncReadExt as _;
use tokio_util::io::ReaderStream;
use utoipa::ToSchema;
use uuid::Uuid;

/// The size of the parts in which files are sent.
const PART_BYTES: usize = 64 * 1024;
/// Shorter files are sent as a whole, with an entity tag.
const SHORT_BYTES: usize = 256 * 1024;

/// Runs of one project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RunList {
    /// The newest first.
    pub runs: Vec<RunSummary>,
    /// The value of `after` for the next page; null on the last page.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<Uuid>>,
}

/// One run with its results.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RunDetail {
    /// The run.
    pub run: RunSummary,
    /// The identity of the machine's stable facts: equal if and only if all of them are.
    pub environment_id: i64,
    /// The machine's fingerprint.
    pub environment: Environment,
    /// The machine's own readings.
    pub canaries: Vec<Canary>,
    /// The imported file of another tool; null if this suite measured.
    #[schema(required)]
    pub original: Option<OriginalFile>,
    /// Deleted data, with dates.
    pub pruned: Pruned,
    /// One entry per case, in the order of the upload; empty if the points were deleted. With `series`, only those.
    pub results: Vec<RunResult>,
}

/// One result of a run.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct RunResult {
    /// The series.
    pub series_id: i64,
    /// The transport.
    pub transport: TransportInfo,
    /// The case.
    pub case: Case,
    /// The methodology.
    pub methodology: Methodology,
    /// The numbers; null if no repetition finished.
    #[schema(required)]
    pub point: Option<Point>,
    /// Another tool's values without samples; null if there are samples.
    #[schema(required)]
    pub summary: Option<StatedPoint>,
    /// Observations of the repetitions besides times; null if the upload was deleted.
    #[schema(required)]
    pub observed: Option<Observed>,
    /// Actual properties of the channel, with the unit last: `effective_send_buffer_bytes`.
    pub counters: BTreeMap<String, u64>,
    /// Versions reported by a measured program. Empty for our own transports.
    pub facts: BTreeMap<String, String>,
    /// Repetitions that did not finish, with the reason.
    pub failures: Vec<Failure>,
    /// The reason why the machine cannot run the case; null if it can.
    #[schema(required)]
    pub unsupported: Option<String>,
}

/// Filters for runs.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct RunQuery {
    /// The machine's name.
    pub machine: Option<Slug>,
    /// The number of a pull request.
    #[param(minimum = 0)]
    pub pull_request: Option<i64>,
}

/// A run in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct RunPath {
    /// The run's identity: a UUID of version 7.
    pub run_id: RunId,
}

/// The runs of a project.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/runs", tag = "runs", params(ProjectPath, RunQuery, Page), responses(
    (status = 200, description = "The runs, the newest first", body = RunList),
))]
pub(crate) async fn list_runs(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    paged: Paged<RunQuery, Uuid>,
) -> Result<Json<RunList>, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let filter = db::run::Filter {
        machine: paged.query.machine.as_ref().map(Slug::as_str),
        pull_request: paged.query.pull_request,
    };
    // Without `after`, the page begins with the newest run.
    let before = paged.after.unwrap_or(Uuid::max());
    let rows = db::run::list(&state.pool, project_id, filter, before, paged.row_limit()).await?;
    let (runs, next_after) = paged.cut(rows, |row| row.run_id);
    Ok(Json(RunList { runs, next_after }))
}

/// Selects the results of a run.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct RunDetailQuery {
    /// Series numbers, separated by commas, at most 200. The default is all results.
    #[param(value_type = Option<String>, example = "1,2,3")]
    pub(super) series: Option<SeriesIds>,
}

/// One run with its results, or some of them.
#[utoipa::path(get, path = "/api/v1/runs/{run_id}", tag = "runs", params(RunPath, RunDetailQuery), responses(
    (status = 200, description = "The run", body = RunDetail),
))]
pub(crate) async fn get_run(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<RunPath>,
    Query(query): Query<RunDetailQuery>,
) -> Result<Json<RunDetail>, ApiError> {
    let run_id = path.run_id.as_uuid();
    let unknown = || ApiError::unknown(Kind::Run, run_id);
    let location = permitted::run(&state, &caller, run_id).await?.ok_or_else(unknown)?;
    let run = db::run::find(&state.pool, &[run_id]).await?.into_iter().next().ok_or_else(unknown)?;
    let surroundings = db::run::surroundings(&state.pool, run_id).await?;
    Ok(Json(RunDetail {
        run,
        environment_id: surroundings.environment_id,
        environment: Environment { stable: surroundings.stable.0, conditions: surroundings.conditions.0 },
        canaries: surroundings.canaries.0,
        original: db::original::find(&state.pool, location).await?,
        pruned: db::retention::pruned(&state.pool, run_id).await?,
        results: results(&state, location, query.series.as_ref()).await?,
    }))
}

/// The original upload, uncompressed, byte for byte.
#[utoipa::path(get, path = "/api/v1/runs/{run_id}/report", tag = "runs", params(RunPath), responses(
    (status = 200, description = "The report, as an attachment", body = RunReport,
        headers(("content-disposition" = String, description = "`attachment` and a file name"))),
    (status = 410, description = "`pruned`: deleted, with the date"),
))]
pub(crate) async fn get_report(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<RunPath>,
) -> Result<Response, ApiError> {
    let run_id = path.run_id.as_uuid();
    let unknown = || ApiError::unknown(Kind::Run, run_id);
    let location = permitted::run(&state, &caller, run_id).await?.ok_or_else(unknown)?;
    let headers = [
        (header::CONTENT_TYPE, "application/json".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"roundtrip-{run_id}.json\"")),
    ];
    match download(&state, &caller, StoredFile::Upload, location).await? {
        Some(report) => Ok((headers, report).into_response()),
        None => Err(no_upload(&state, run_id, unknown()).await?),
    }
}

/// The file of another tool that a run was imported from, byte for byte.
#[utoipa::path(get, path = "/api/v1/runs/{run_id}/original", tag = "runs", params(RunPath), responses(
    (status = 200, description = "The file, as an attachment", body = Vec<u8>,
        content_type = "application/octet-stream",
        headers(("content-disposition" = String, description = "`attachment` and the file's name"))),
    (status = 410, description = "`pruned`: deleted, with the date"),
))]
pub(crate) async fn get_original(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<RunPath>,
) -> Result<Response, ApiError> {
    let run_id = path.run_id.as_uuid();
    let unknown = || ApiError::unknown(Kind::Original, format!("run {run_id} was not imported"));
    let location = permitted::run(&state, &caller, run_id).await?;
    let location = location.ok_or_else(|| ApiError::unknown(Kind::Run, run_id))?;
    let OriginalFile { name, .. } = db::original::find(&state.pool, location).await?.ok_or_else(unknown)?;
    // RFC 6266 with the encoding of RFC 8187: a name can have any characters except control characters.
    let name = percent_encoding::utf8_percent_encode(&name, percent_encoding::NON_ALPHANUMERIC);
    let headers = [
        (header::CONTENT_TYPE, "application/octet-stream".to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename*=UTF-8''{name}")),
    ];
    match download(&state, &caller, StoredFile::Original, location).await? {
        Some(file) => Ok((headers, file).into_response()),
        None => Err(no_upload(&state, run_id, unknown()).await?),
    }
}

/// A stored file as it is read. None if it does not exist.
async fn download(
    state: &AppState,
    caller: &Caller,
    file: StoredFile,
    location: Location,
) -> Result<Option<Body>, ApiError> {
    let Some(download) = Download::open(&state.pool, file, location).await? else { return Ok(None) };
    let share = state.unread.take(caller, caller.client(), download.memory_bytes())?;
    let mut file = download.read();
    let mut first = Vec::new();
    (&mut file).take(SHORT_BYTES as u64).read_to_end(&mut first).await.map_err(ApiError::internal)?;
    if first.len() < SHORT_BYTES {
        return Ok(Some(Body::from(first)));
    }
    let parts = ReaderStream::with_capacity(io::Cursor::new(first).chain(file), PART_BYTES);
    Ok(Some(share.hold(Body::from_stream(parts))))
}

/// The error for a missing upload: pruned, or `otherwise`.
pub(super) async fn no_upload(
    state: &AppState,
    run_id: Uuid,
    otherwise: ApiError,
) -> Result<ApiError, ApiError> {
    let at = db::retention::pruned(&state.pool, run_id).await?.upload_pruned_at;
    let pruned = |at| DomainError::Pruned { what: "the upload and imported file", run_id, at }.into();
    Ok(at.map_or(otherwise, pruned))
}

async fn results(
    state: &AppState,
    run: Location,
    selected: Option<&SeriesIds>,
) -> Result<Vec<RunResult>, ApiError> {
    let outcomes = db::run::outcomes(&state.pool, run).await?;
    let observed = ingest::stored_upload::results(&state.pool, run, Observed::from_result).await?;
    let observed = observed.unwrap_or_default();
    // Every result has an outcome. Observations exist for all results or for none.
    let observed = observed.into_iter().map(Some).chain(std::iter::repeat_with(|| None));
    // Both are in the order of the upload.
    let mut results: Vec<_> = outcomes.into_iter().zip(observed).collect();
    if let Some(selected) = selected {
        results.retain(|((series_id, _), _)| selected.as_slice().contains(series_id));
    }
    let series_ids: Vec<_> = results.iter().map(|((series_id, _), _)| *series_id).collect();
    let points = db::point::of_run(&state.pool, run, &series_ids).await?;
    let mut points: HashMap<_, _> = points.into_iter().map(|row| (row.series_id, row)).collect();
    let summaries = db::summary::of_run(&state.pool, run, &series_ids).await?;
    let mut summaries: HashMap<_, _> = summaries.into_iter().map(|row| (row.series_id, row)).collect();
    let series = db::series::find(&state.pool, &series_ids).await?;
    let mut series: HashMap<_, _> = series.into_iter().map(|row| (row.series_id, row)).collect();
    let result = |((series_id, outcome), observed): ((i64, db::run::Outcome), Option<Observed>)| {
        // Every outcome has its own series.
        let row = series.remove(&series_id).ok_or_else(|| ApiError::unknown(Kind::Series, series_id))?;
        let db::series::Series { transport, case, methodology, .. } = row.into_series()?;
        Ok(RunResult {
            series_id,
            transport,
            case,
            methodology,
            point: points.remove(&series_id),
            summary: summaries.remove(&series_id),
            observed,
            counters: outcome.counters,
            facts: outcome.facts,
            failures: outcome.failures,
            unsupported: outcome.unsupported,
        })
    };
    results.into_iter().map(result).collect()
}
