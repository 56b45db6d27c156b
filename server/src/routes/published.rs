//! What others have measured and published: tables, statements, and how long the messages of real programs are. The same for
//! all, and read-only.

use crate::error::ApiError;
use axum::Json;
use roundtrip_domain::published::{ALL, ReferenceList};
use roundtrip_wire::size_profile::{self, SizeBucket, SizeHistogram};
use serde::Serialize;
use utoipa::ToSchema;

/// How long the messages of real programs are.
#[derive(Debug, Serialize, ToSchema)]
pub struct SizeProfileList {
    /// Those that somebody counted. Profiles that are a rule, such as every size alike, are not among them.
    pub size_profiles: Vec<SizeProfile>,
}

/// A histogram of message sizes, from which the suite draws.
#[derive(Debug, Serialize, ToSchema)]
pub struct SizeProfile {
    /// Its name, as `size_profile` of cases.
    #[schema(example = "chromium-ipc")]
    pub slug: &'static str,
    /// Its name for people.
    pub title: &'static str,
    /// Who published it, in one line.
    pub source: &'static str,
    /// Messages that were counted.
    #[schema(example = 37573)]
    pub sample_count: u64,
    /// How they were counted, and what is assumed of sizes within a bucket.
    pub note: &'static str,
    /// Those that have any messages, by size.
    pub buckets: Vec<ProfileBucket>,
}

/// Messages of about one size.
#[derive(Debug, Serialize, ToSchema)]
pub struct ProfileBucket {
    /// The shortest that belongs to it.
    pub from_bytes: u64,
    /// The longest that belongs to it.
    pub to_bytes: u64,
    /// How many.
    pub count: u64,
}

/// Tables and statements that others have published, how their figures came about, and why they are not to be set against
/// what is measured here.
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
    let size_profiles = counted.map(SizeProfile::of).collect::<Result<_, _>>();
    let size_profiles = size_profiles.map_err(|error| ApiError::internal(anyhow::anyhow!(error)))?;
    Ok(Json(SizeProfileList { size_profiles }))
}

impl SizeProfile {
    fn of(profile: &size_profile::SizeProfile) -> Result<Self, String> {
        let sizes = profile.sizes()?;
        Ok(Self {
            slug: profile.slug,
            title: profile.title,
            source: profile.source,
            sample_count: sizes.count(),
            note: profile.note,
            buckets: ProfileBucket::of(&sizes),
        })
    }
}

impl ProfileBucket {
    /// All of a histogram.
    pub(super) fn of(sizes: &SizeHistogram) -> Vec<Self> {
        let bucket =
            |&SizeBucket { from_bytes, to_bytes, count }: &SizeBucket| Self { from_bytes, to_bytes, count };
        sizes.buckets().iter().map(bucket).collect()
    }
}
