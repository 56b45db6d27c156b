//! The questions that publications raise, answered by what was measured here: the answer in one sentence, what it rests on, and
//! the figures.

use super::projects::{ProjectPath, project_id};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Path};
use axum::{Json, extract::State};
use roundtrip_domain::error::Kind;
use roundtrip_domain::published::ALL;
use roundtrip_domain::questions::{self, WorkedMachine};
use roundtrip_wire::Slug;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// A publication's question, answered by what was measured here.
#[derive(Debug, Serialize, ToSchema)]
pub struct WorkedReference {
    /// The publication.
    #[schema(example = "freebsd-pipes-and-sockets")]
    pub reference: &'static str,
    /// What it asks.
    pub question: &'static str,
    /// The preset that measures what answers it.
    pub preset: &'static str,
    /// By name; none where nothing was measured that answers it.
    pub machines: Vec<WorkedMachine>,
}

/// Which publication is asked for.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct WorkedPath {
    /// The project's name.
    project: Slug,
    /// The publication's name.
    reference: Slug,
}

/// The question of a publication, answered by the newest points of the main line.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/references/{reference}", tag = "published", params(WorkedPath), responses(
    (status = 200, description = "The answers, by machine", body = WorkedReference),
    (status = 404, description = "`unknown-reference` and so on", body = roundtrip_wire::Problem,
        content_type = "application/problem+json"),
))]
pub(crate) async fn worked_reference(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<WorkedPath>,
) -> Result<Json<WorkedReference>, ApiError> {
    let project = ProjectPath { project: path.project };
    let project_id = project_id(&state, &caller, &project).await?;
    let slug = path.reference.as_str();
    let unknown = || ApiError::unknown(Kind::Reference, slug);
    let all =
        ALL.as_ref().map_err(|error| ApiError::internal(anyhow::anyhow!("published tables: {error}")))?;
    let reference = all.references.iter().find(|reference| reference.slug == slug).ok_or_else(unknown)?;
    let machines = questions::answers(&state.pool, project_id, slug).await?.ok_or_else(unknown)?;
    Ok(Json(WorkedReference {
        reference: reference.slug,
        question: reference.question,
        preset: reference.preset,
        machines,
    }))
}
