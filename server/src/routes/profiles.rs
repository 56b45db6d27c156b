//! Profiles of regressions: where messages spend their time before and after.

use super::regressions::RegressionPath;
use super::runs::no_upload;
use super::{permitted, regressions};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Path, Query};
use axum::Json;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use roundtrip_domain::access::Action;
use roundtrip_domain::error::Kind;
use roundtrip_domain::ingest::stored_upload;
use roundtrip_profile::{Format, comparison};
use roundtrip_wire::ProfileComparison;
use serde::Deserialize;
use utoipa::ToSchema;

/// A format of a profile.
#[derive(Clone, Copy, Debug, Deserialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ProfileFormat {
    /// This API's.
    Json,
    /// Folded stacks.
    Folded,
    /// The Firefox Profiler.
    Firefox,
    /// `pprof`, compressed.
    Pprof,
}

/// Selects the format.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(crate) struct ProfileQuery {
    /// The format; the default is json.
    #[param(value_type = Option<ProfileFormat>, inline)]
    format: Option<ProfileFormat>,
}

/// The call stacks of both sides of the comparison that explains a regression.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/regressions/{regression_id}/profile", tag = "regressions",
    params(RegressionPath, ProfileQuery), responses(
    (status = 200, description = "The profile; other formats are attachments", content(
        (ProfileComparison = "application/json"),
        (String = "text/plain"),
        (Vec<u8> = "application/gzip"),
    )),
    (status = 410, description = "`pruned`: deleted, with the date"),
))]
pub(crate) async fn get_regression_profile(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<RegressionPath>,
    Query(query): Query<ProfileQuery>,
) -> Result<Response, ApiError> {
    let project = permitted::project(&state, &caller, Action::Read, &path.project).await?;
    let regression_id = path.regression_id;
    let regression = regressions::find(&state, project.project_id, regression_id).await?;
    let unknown = || ApiError::unknown(Kind::Profile, format!("regression {regression_id} has none"));
    let explanation = regression.explanation.filter(|explanation| explanation.contents.0.has_profile);
    let explanation = explanation.ok_or_else(unknown)?;
    let run_id = explanation.run_id;
    let run = permitted::run(&state, &caller, run_id).await?.ok_or_else(unknown)?;
    let Some(profile) = stored_upload::profile(&state.pool, run, explanation.series_id).await? else {
        return Err(no_upload(&state, run_id, unknown()).await?);
    };
    let format = match query.format {
        None | Some(ProfileFormat::Json) => return Ok(Json(profile).into_response()),
        Some(ProfileFormat::Folded) => Format::Folded,
        Some(ProfileFormat::Firefox) => Format::Firefox,
        Some(ProfileFormat::Pprof) => Format::Pprof,
    };
    let written = move || format.write(&comparison::separate(&profile));
    let file = tokio::task::spawn_blocking(written).await.map_err(ApiError::internal)?;
    let name = format!("regression-{regression_id}{}", format.suffix());
    let headers = [
        (header::CONTENT_TYPE, format.media_type().to_owned()),
        (header::CONTENT_DISPOSITION, format!("attachment; filename=\"{name}\"")),
    ];
    Ok((headers, file).into_response())
}
