//! Uploads of runs and imports.

use super::runs::RunPath;
use crate::extract::{AcknowledgedBefore, Path, Query, ReportBody, Uploader};
use crate::{AppState, error::ApiError};
use axum::{Json, extract::State, http::StatusCode};
use roundtrip_domain::ingest::{Stored, UploadOptions, UploadReceipt};
use roundtrip_wire::import::ImportRequest;
use roundtrip_wire::{Acknowledged, RunReport};
use serde::Deserialize;

/// The query of an upload.
#[derive(Clone, Copy, Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct UploadQuery {
    /// Quarantines the run, as for a pull request from a fork. It is never part of the trend.
    #[serde(default)]
    #[param(default = false)]
    pub quarantined: bool,
}

/// Stores a run. Repeating an upload has no effect.
#[utoipa::path(
    put, path = "/api/v1/runs/{run_id}", tag = "ingest", params(
        RunPath,
        UploadQuery,
        ("content-encoding" = Option<String>, Header, description = "`identity`, `gzip` or `zstd`"),
        ("roundtrip-acknowledged" = Option<String>, Header,
            description = "The UUID of an agent's report folder, a space, and the number of its reports that this server has acknowledged; detects lost runs"),
    ),
    request_body(content = RunReport, description = "At most 8 MiB as sent and 64 MiB inflated"),
    security(("token" = ["ingest:write"])),
    responses(
    (status = 201, description = "Stored durably", body = UploadReceipt),
    (status = 200, description = "Already stored", body = UploadReceipt),
    (status = 400, description = "`invalid-json`, `invalid-encoding` or `invalid-parameter`"),
    (status = 401, description = "No valid token"),
    (status = 403, description = "The token lacks the scope, or is bound to another project or machine"),
    (status = 408, description = "`slow-body`: the body arrives too slowly"),
    (status = 413, description = "Body too large"),
    (status = 415, description = "Unsupported media type or encoding"),
    (status = 422, description = "`unsupported-schema-version`, `invalid-report` or `run-conflict`"),
    (status = 503, description = "Busy: retry after the time in the `retry-after` header"),
    (status = 507, description = "The database's disk is full"),
))]
pub(crate) async fn put_run(
    State(state): State<AppState>,
    Uploader(caller): Uploader,
    Path(path): Path<RunPath>,
    Query(query): Query<UploadQuery>,
    AcknowledgedBefore(acknowledged): AcknowledgedBefore,
    ReportBody(body): ReportBody,
) -> Result<(StatusCode, Json<UploadReceipt>), ApiError> {
    let options = options(&state, query, acknowledged);
    Ok(answer(&state, state.ingest.upload(&caller, path.run_id, body, options).await?))
}

/// Imports the results of another tool as a run, and stores the file. Repeating an import has no effect.
#[utoipa::path(
    post, path = "/api/v1/import", tag = "ingest", params(
        UploadQuery,
        ("content-encoding" = Option<String>, Header, description = "`identity`, `gzip` or `zstd`"),
        ("roundtrip-acknowledged" = Option<String>, Header,
            description = "The UUID of an agent's report folder, a space, and the number of its reports that this server has acknowledged; detects lost runs"),
    ),
    request_body(content = ImportRequest, description = "At most 8 MiB as sent and 64 MiB inflated"),
    security(("token" = ["ingest:write"])),
    responses(
    (status = 201, description = "Stored durably", body = UploadReceipt),
    (status = 200, description = "Already stored", body = UploadReceipt),
    (status = 422, description = "`invalid-file`: the error and its position; or as for an upload"),
    (status = "default", description = "As for an upload"),
))]
pub(crate) async fn import_file(
    State(state): State<AppState>,
    Uploader(caller): Uploader,
    Query(query): Query<UploadQuery>,
    AcknowledgedBefore(acknowledged): AcknowledgedBefore,
    ReportBody(body): ReportBody,
) -> Result<(StatusCode, Json<UploadReceipt>), ApiError> {
    let options = options(&state, query, acknowledged);
    Ok(answer(&state, state.ingest.import(&caller, body, options).await?))
}

fn options(state: &AppState, query: UploadQuery, acknowledged: Option<Acknowledged>) -> UploadOptions {
    let visibility_of_new = state.auth.visibility_of_new();
    UploadOptions { acknowledged, quarantined: query.quarantined, visibility_of_new }
}

fn answer(state: &AppState, (stored, receipt): (Stored, UploadReceipt)) -> (StatusCode, Json<UploadReceipt>) {
    match stored {
        Stored::Created => {
            state.metrics.stored(receipt.result_count, receipt.point_count);
            state.live.announce(receipt.run_id);
            state.analyst.wake();
            (StatusCode::CREATED, Json(receipt))
        }
        Stored::AlreadyExists => (StatusCode::OK, Json(receipt)),
    }
}
