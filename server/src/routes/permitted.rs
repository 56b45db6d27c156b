//! Handlers read projects, runs and series only through this module, which hides those that the caller cannot read.

use crate::AppState;
use crate::error::ApiError;
use crate::extract::Caller;
use roundtrip_domain::access::{self, Action};
use roundtrip_domain::error::Kind;
use roundtrip_storage as db;
use roundtrip_storage::access::owner::ProjectRow;
use roundtrip_storage::point::SeriesKey;
use roundtrip_storage::run::Location;
use roundtrip_storage::series::SeriesRow;
use roundtrip_wire::Slug;
use std::collections::HashMap;
use uuid::Uuid;

/// Finds a project in which the caller has a permission.
pub(super) async fn project(
    state: &AppState,
    caller: &access::Caller,
    action: Action,
    project: &Slug,
) -> Result<ProjectRow, ApiError> {
    let found = db::access::owner::project(&state.pool, project.as_str()).await?;
    let found = found.ok_or_else(|| ApiError::unknown(Kind::Project, project))?;
    let permitted = caller.check(action, &found.project, found.visibility);
    permitted.map_err(|refusal| ApiError::refused(refusal, Kind::Project, project))?;
    Ok(found)
}

/// Finds the stored upload of a run that the caller can read.
pub(super) async fn run(
    state: &AppState,
    caller: &Caller,
    run_id: Uuid,
) -> Result<Option<Location>, ApiError> {
    let found = db::access::owner::of_run(&state.pool, run_id).await?;
    let found =
        found.filter(|(project, _)| caller.visible_projects().covers(&project.project, project.visibility));
    Ok(found.map(|(_, location)| location))
}

/// Finds the keys of series for queries on points, in order. The caller must be able to read all of them.
pub(super) async fn series(
    state: &AppState,
    caller: &access::Caller,
    series_ids: &[i64],
) -> Result<Vec<SeriesKey>, ApiError> {
    let found = db::access::owner::of_series(&state.pool, series_ids).await?;
    let seen: HashMap<_, _> = found
        .into_iter()
        .filter(|(project, _)| caller.visible_projects().covers(&project.project, project.visibility))
        .map(|(_, key)| (key.series_id, key))
        .collect();
    let key =
        |series_id| seen.get(series_id).copied().ok_or_else(|| ApiError::unknown(Kind::Series, series_id));
    series_ids.iter().map(key).collect()
}

/// Finds a series that the caller can read, with all columns.
pub(super) async fn one_series(
    state: &AppState,
    caller: &access::Caller,
    series_id: i64,
) -> Result<SeriesRow, ApiError> {
    series(state, caller, &[series_id]).await?;
    let found = db::series::find(&state.pool, &[series_id]).await?.pop();
    found.ok_or_else(|| ApiError::unknown(Kind::Series, series_id))
}
