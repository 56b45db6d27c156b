//! Uploads: the one way in.

use super::runs::RunPath;
use crate::extract::{AcknowledgedBefore, Path, Query, ReportBody, Uploader};
use crate::{AppState, error::ApiError};
use axum::{Json, extract::State, http::StatusCode};
use roundtrip_domain::ingest::{Stored, UploadOptions, UploadReceipt};
use roundtrip_wire::import::ImportRequest;
use roundtrip_wire::{Acknowledged, RunReport};
use serde::Deserialize;

/// What is said of an upload in its address.
#[derive(Clone, Copy, Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub struct UploadQuery {
    /// True when whoever uploads does not vouch for it, as for a pull request of a fork: it is never part of the trend.
    #[serde(default)]
    #[param(default = false)]
    pub quarantined: bool,
}

/// Stores a run. It can be repeated: the same body under the same identity is stored once.
#[utoipa::path(
    put, path = "/api/v1/runs/{run_id}", tag = "ingest", params(
        RunPath,
        UploadQuery,
        ("content-encoding" = Option<String>, Header, description = "`identity`, `gzip` or `zstd`"),
        ("roundtrip-acknowledged" = Option<String>, Header,
            description = "A UUID that stays the same for an agent's folder of reports, a space, and how many of them \
                this server has acknowledged: it tells whether any were lost"),
    ),
    request_body(content = RunReport, description = "At most 8 MiB as sent and 64 MiB inflated"),
    security(("token" = ["ingest:write"])),
    responses(
    (status = 201, description = "Stored, and on disk", body = UploadReceipt),
    (status = 200, description = "The same body had been stored before", body = UploadReceipt),
    (status = 400, description = "`invalid-json`, `invalid-encoding` or `invalid-parameter`"),
    (status = 401, description = "No valid token"),
    (status = 403, description = "The token lacks the scope, or is bound to another project or machine"),
    (status = 413, description = "Larger than allowed"),
    (status = 415, description = "Another type or encoding"),
    (status = 422, description = "`unsupported-schema-version`, `invalid-report` or `run-conflict`"),
    (status = 503, description = "Busy: repeat after the time of the `retry-after` header"),
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

/// Stores the results of another tool as a run, and keeps the file. It can be repeated, as an upload can.
#[utoipa::path(
    post, path = "/api/v1/import", tag = "ingest", params(
        UploadQuery,
        ("content-encoding" = Option<String>, Header, description = "`identity`, `gzip` or `zstd`"),
        ("roundtrip-acknowledged" = Option<String>, Header,
            description = "A UUID that stays the same for an agent's folder of reports, a space, and how many of them \
                this server has acknowledged: it tells whether any were lost"),
    ),
    request_body(content = ImportRequest, description = "At most 8 MiB as sent and 64 MiB inflated"),
    security(("token" = ["ingest:write"])),
    responses(
    (status = 201, description = "Stored, and on disk", body = UploadReceipt),
    (status = 200, description = "The same body had been stored before", body = UploadReceipt),
    (status = 422, description = "`invalid-file`: what is wrong in it, and where; or as an upload"),
    (status = "default", description = "As an upload"),
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
