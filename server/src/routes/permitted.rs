//! The one place through which handlers reach projects, runs and series: what a caller must not know of does not exist.

use crate::AppState;
use crate::error::ApiError;
use crate::extract::Caller;
use roundtrip_domain::access::Action;
use roundtrip_domain::error::Kind;
use roundtrip_storage as db;
use roundtrip_storage::access::owner::ProjectRow;
use roundtrip_storage::point::SeriesKey;
use roundtrip_storage::run::Location;
use roundtrip_wire::Slug;
use std::collections::HashMap;
use uuid::Uuid;

/// A project in which the caller may do something.
pub(super) async fn project(
    state: &AppState,
    caller: &Caller,
    action: Action,
    project: &Slug,
) -> Result<ProjectRow, ApiError> {
    let found = db::access::owner::project(&state.pool, project.as_str()).await?;
    let found = found.ok_or_else(|| ApiError::unknown(Kind::Project, project))?;
    let permitted = caller.check(action, &found.project, found.visibility);
    permitted.map_err(|refusal| ApiError::refused(refusal, Kind::Project, project))?;
    Ok(found)
}

/// Where what came with a run is stored, if there is one that the caller may see.
pub(super) async fn run(
    state: &AppState,
    caller: &Caller,
    run_id: Uuid,
) -> Result<Option<Location>, ApiError> {
    let found = db::access::owner::of_run(&state.pool, run_id).await?;
    let found = found.filter(|(project, _)| caller.sight().covers(&project.project, project.visibility));
    Ok(found.map(|(_, location)| location))
}

/// What queries on points need of some series, in their order, if the caller may see all of them.
pub(super) async fn series(
    state: &AppState,
    caller: &Caller,
    series_ids: &[i64],
) -> Result<Vec<SeriesKey>, ApiError> {
    let found = db::access::owner::of_series(&state.pool, series_ids).await?;
    let seen: HashMap<_, _> = found
        .into_iter()
        .filter(|(project, _)| caller.sight().covers(&project.project, project.visibility))
        .map(|(_, key)| (key.series_id, key))
        .collect();
    let key =
        |series_id| seen.get(series_id).copied().ok_or_else(|| ApiError::unknown(Kind::Series, series_id));
    series_ids.iter().map(key).collect()
}
