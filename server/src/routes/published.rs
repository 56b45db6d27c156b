//! Published results of others: tables, statements and message sizes of real programs. They are public and read-only.

use super::projects::{ProjectPath, project_id};
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Path};
use axum::{Json, extract::State};
use roundtrip_domain::error::Kind;
use roundtrip_domain::published::{ALL, ReferenceList};
use roundtrip_domain::questions::{self, WorkedMachine};
use roundtrip_wire::Slug;
use roundtrip_wire::size_profile::{self, SizeBucket, SizeHistogram};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Message sizes of real programs.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SizeProfileList {
    /// Profiles from counted messages. Synthetic profiles, such as uniform sizes, are not listed.
    pub size_profiles: Vec<SizeProfile>,
}

/// A histogram of message sizes, which the suite samples.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct SizeProfile {
    /// The name, as in `size_profile` of cases.
    #[schema(example = "chromium-ipc")]
    pub slug: &'static str,
    /// The display name.
    pub title: &'static str,
    /// The source, in one line.
    pub source: &'static str,
    /// The number of counted messages.
    #[schema(example = 37573)]
    pub sample_count: u64,
    /// How the sizes were counted, and the assumption about sizes within a bucket.
    pub note: &'static str,
    /// The buckets with messages, by size.
    pub buckets: Vec<ProfileBucket>,
}

/// Messages of similar size.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ProfileBucket {
    /// The smallest size in the bucket.
    pub from_bytes: u64,
    /// The largest size in the bucket.
    pub to_bytes: u64,
    /// The number of messages.
    pub count: u64,
}

/// Published tables and statements, their methodology, and why they are not comparable with our results.
#[utoipa::path(get, path = "/api/v1/references", tag = "published", responses(
    (status = 200, description = "The publications", body = ReferenceList),
))]
pub(crate) async fn list_references() -> Result<Json<&'static ReferenceList>, ApiError> {
    let all = ALL.as_ref();
    all.map(Json).map_err(|error| ApiError::internal(anyhow::anyhow!("published tables: {error}")))
}

/// Histograms of message sizes that others have published.
#[utoipa::path(get, path = "/api/v1/size-profiles", tag = "published", responses(
    (status = 200, description = "The profiles", body = SizeProfileList),
))]
pub(crate) async fn list_size_profiles() -> Result<Json<SizeProfileList>, ApiError> {
    let counted = size_profile::ALL.iter().filter(|profile| profile.is_counted);
    let size_profiles = counted.map(SizeProfile::from_profile).collect::<Result<_, _>>();
    let size_profiles = size_profiles.map_err(|error| ApiError::internal(anyhow::anyhow!(error)))?;
    Ok(Json(SizeProfileList { size_profiles }))
}

impl SizeProfile {
    fn from_profile(profile: &size_profile::SizeProfile) -> Result<Self, String> {
        let sizes = profile.sizes()?;
        Ok(Self {
            slug: profile.slug,
            title: profile.title,
            source: profile.source,
            sample_count: sizes.count(),
            note: profile.note,
            buckets: ProfileBucket::from_histogram(&sizes),
        })
    }
}

impl ProfileBucket {
    pub(super) fn from_histogram(sizes: &SizeHistogram) -> Vec<Self> {
        let bucket =
            |&SizeBucket { from_bytes, to_bytes, count }: &SizeBucket| Self { from_bytes, to_bytes, count };
        sizes.buckets().iter().map(bucket).collect()
    }
}

/// A publication's question, answered from results on this server.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct WorkedReference {
    /// The publication.
    #[schema(example = "freebsd-pipes-and-sockets")]
    pub reference: &'static str,
    /// The question.
    pub question: &'static str,
    /// The preset that measures the answer.
    pub preset: &'static str,
    /// By name; empty without suitable results.
    pub machines: Vec<WorkedMachine>,
}

/// The requested publication.
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
    (status = 404, description = "`unknown-project` or `unknown-reference`"),
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
