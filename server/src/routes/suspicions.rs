//! Suspicions: commits whose first results are unexpected, until a paired comparison decides.

use super::projects::{ProjectPath, project_id};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Cursor, Page, Paged, Path};
use axum::{Json, extract::State};
use roundtrip_storage::job;
use roundtrip_storage::suspicion::{self, Filter, Suspicion, SuspicionState};
use roundtrip_wire::CommitSha;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeSet, HashMap};
use utoipa::ToSchema;

/// Suspicions of one project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SuspicionList {
    /// The newest first.
    pub suspicions: Vec<Suspicion>,
    /// The value of `after` for the next page; null on the last page.
    #[schema(required, value_type = Option<String>)]
    pub next_after: Option<Cursor<i64>>,
}

/// Filters for suspicions.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct SuspicionQuery {
    /// The state: waiting, confirmed or withdrawn. The default is all.
    #[param(value_type = Option<SuspicionState>, inline)]
    pub state: Option<SuspicionState>,
    /// Only suspicions of this commit: the full object name.
    #[param(value_type = Option<String>)]
    pub commit: Option<CommitSha>,
}

/// The commits whose first results are unexpected. None of them is an alert before its comparison confirms it.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/suspicions", tag = "regressions",
    params(ProjectPath, SuspicionQuery, Page), responses(
    (status = 200, description = "The suspicions, the newest first", body = SuspicionList),
))]
pub(crate) async fn list_suspicions(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    paged: Paged<SuspicionQuery, i64>,
) -> Result<Json<SuspicionList>, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    let commit_sha = paged.query.commit.as_ref().map(ToString::to_string);
    let filter = Filter { state: paged.query.state, commit_sha };
    let before = paged.after.unwrap_or(i64::MAX);
    let rows = suspicion::list(&state.pool, project_id, &filter, before, paged.row_limit()).await?;
    let (rows, next_after) = paged.cut(rows, |(row, _)| row.suspicion_id);
    let machine_ids: BTreeSet<i64> = rows.iter().map(|(_, machine_id)| *machine_id).collect();
    let paces = job::paces(&state.pool, &machine_ids.into_iter().collect::<Vec<_>>()).await?;
    let paces: HashMap<i64, f64> = paces
        .into_iter()
        .filter(|pace| pace.project_id == project_id)
        .map(|pace| (pace.machine_id, pace.seconds))
        .collect();
    let suspicions = rows.into_iter().map(|(suspicion, machine_id)| {
        let job_seconds = suspicion.job_id.and_then(|_| paces.get(&machine_id).copied());
        Suspicion { job_seconds, ..suspicion }
    });
    Ok(Json(SuspicionList { suspicions: suspicions.collect(), next_after }))
}
