//! What a run does not have any more, because its project keeps it no longer.

use crate::AppState;
use crate::error::ApiError;
use chrono::{DateTime, Utc};
use roundtrip_domain::error::DomainError;
use roundtrip_storage as db;
use serde::Serialize;
use utoipa::ToSchema;
use uuid::Uuid;

/// What was removed of a run by age, and when. Numbers that are shown are what they were.
#[derive(Clone, Copy, Debug, Default, Serialize, ToSchema)]
pub struct Pruned {
    /// The upload and imported files, and with them what was told of single repetitions; null while they are kept.
    #[schema(required)]
    pub upload_at: Option<DateTime<Utc>>,
    /// The distributions of points; null while they are kept.
    #[schema(required)]
    pub histograms_at: Option<DateTime<Utc>>,
    /// The points, and all else but the run itself; null while they are kept.
    #[schema(required)]
    pub points_at: Option<DateTime<Utc>>,
}

impl Pruned {
    /// Of a run; nothing of one that does not exist.
    pub(super) async fn of(state: &AppState, run_id: Uuid) -> Result<Self, ApiError> {
        let row = db::retention::pruned(&state.pool, run_id).await?.unwrap_or_default();
        Ok(Self {
            upload_at: row.upload_pruned_at,
            histograms_at: row.histograms_pruned_at,
            points_at: row.points_pruned_at,
        })
    }

    /// Why there is no upload: it was removed, or `otherwise`.
    pub(super) fn no_upload(self, run_id: Uuid, otherwise: ApiError) -> ApiError {
        match self.upload_at {
            Some(at) => DomainError::Pruned { what: "the upload and imported file", run_id, at }.into(),
            None => otherwise,
        }
    }

    /// Why there is no point: it was removed, or `otherwise`.
    pub(super) fn no_point(self, run_id: Uuid, otherwise: ApiError) -> ApiError {
        match self.points_at {
            Some(at) => DomainError::Pruned { what: "the points", run_id, at }.into(),
            None => otherwise,
        }
    }
}
