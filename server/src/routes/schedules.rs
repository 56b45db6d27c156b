//! Schedules for measuring the newest commit of a project.

use super::permitted;
use super::projects::{ProjectPath, project_id};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Json as Body, Path};
use axum::Json;
use axum::extract::State;
use axum::http::StatusCode;
use chrono::Utc;
use roundtrip_domain::access::Action;
use roundtrip_domain::audited::{labels, projects};
use roundtrip_domain::queue;
use roundtrip_storage::schedule::{self, New, Schedule};
use roundtrip_wire::Slug;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The schedules of one project.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ScheduleList {
    /// The schedules, in the order of creation.
    pub schedules: Vec<Schedule>,
}

/// A new schedule.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScheduleRequest {
    /// The time in UTC as a cron expression: minute, hour, day of the month, month, day of the week.
    #[schema(example = "30 2 * * *")]
    pub cron: String,
    /// The preset. The default is the commit's `roundtrip.toml`.
    #[schema(max_length = 200)]
    pub preset: Option<String>,
    /// The labels that a machine needs.
    #[serde(default)]
    pub labels: Vec<Slug>,
}

/// A schedule of a project in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct SchedulePath {
    /// The project's name.
    #[param(value_type = String, example = "libfoo")]
    pub project: Slug,
    /// The schedule's number.
    pub schedule_id: i64,
}

/// The schedules of a project.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/schedules", tag = "jobs", params(ProjectPath), responses(
    (status = 200, description = "The schedules", body = ScheduleList),
))]
pub(crate) async fn list_schedules(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
) -> Result<Json<ScheduleList>, ApiError> {
    let project_id = project_id(&state, &caller, &path).await?;
    Ok(Json(ScheduleList { schedules: schedule::list(&state.pool, project_id).await? }))
}

/// Creates a schedule that measures the newest commit.
#[utoipa::path(
    post, path = "/api/v1/projects/{project}/schedules", tag = "jobs", params(ProjectPath),
    request_body = ScheduleRequest, security(("token" = ["project:write"]), ("session" = [])),
    responses(
    (status = 201, description = "The schedule", body = Schedule),
    (status = 400, description = "`invalid-parameter` or `invalid-json`"),
))]
pub(crate) async fn create_schedule(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    Body(request): Body<ScheduleRequest>,
) -> Result<(StatusCode, Json<Schedule>), ApiError> {
    let found = permitted::project(&state, &caller, Action::Configure, &path.project).await?;
    let labels = labels(&request.labels)?;
    let next_at = queue::schedule::next(&request.cron, Utc::now())
        .map_err(|detail| ApiError::parameter("cron", detail))?;
    let by = caller.by();
    let new = New {
        cron: &request.cron,
        preset: request.preset.as_deref(),
        labels: &labels,
        created_by: &by.actor,
        next_at,
    };
    let schedule_id = projects::create_schedule(&state.pool, &by, &found, &new).await?;
    let made = Schedule {
        schedule_id,
        cron: request.cron,
        preset: request.preset,
        labels,
        created_by: by.actor,
        next_at,
        project_id: found.project_id,
    };
    Ok((StatusCode::CREATED, Json(made)))
}

/// Deletes a schedule. Its queued jobs stay.
#[utoipa::path(
    delete, path = "/api/v1/projects/{project}/schedules/{schedule_id}", tag = "jobs", params(SchedulePath),
    security(("token" = ["project:write"]), ("session" = [])),
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn delete_schedule(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<SchedulePath>,
) -> Result<StatusCode, ApiError> {
    let found = permitted::project(&state, &caller, Action::Configure, &path.project).await?;
    projects::delete_schedule(&state.pool, &caller.by(), &found, path.schedule_id).await?;
    Ok(StatusCode::NO_CONTENT)
}
