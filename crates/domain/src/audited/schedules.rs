//! Times at which projects are measured.

use super::record;
use crate::error::{DomainError, Kind};
use roundtrip_storage::access::owner::ProjectRow;
use roundtrip_storage::audit::{Action, By};
use roundtrip_storage::schedule::{self, New};
use serde_json::json;
use sqlx::PgPool;

/// Makes a schedule, and tells its number.
///
/// # Errors
/// The database does not answer.
pub async fn create_schedule(
    pool: &PgPool,
    by: &By,
    project: &ProjectRow,
    new: &New<'_>,
) -> Result<i64, DomainError> {
    let mut transaction = pool.begin().await?;
    let schedule_id = schedule::create(&mut transaction, project.project_id, new).await?;
    let details =
        json!({"project": project.project, "cron": new.cron, "preset": new.preset, "labels": new.labels});
    record(&mut transaction, by, Action::ScheduleCreate, format!("schedule:{schedule_id}"), details).await?;
    transaction.commit().await?;
    Ok(schedule_id)
}

/// Ends a schedule.
///
/// # Errors
/// There is no such schedule, or the database does not answer.
pub async fn delete_schedule(
    pool: &PgPool,
    by: &By,
    project: &ProjectRow,
    schedule_id: i64,
) -> Result<(), DomainError> {
    let mut transaction = pool.begin().await?;
    if !schedule::delete(&mut transaction, project.project_id, schedule_id).await? {
        return Err(DomainError::unknown(Kind::Schedule, schedule_id));
    }
    let details = json!({"project": project.project});
    record(&mut transaction, by, Action::ScheduleDelete, format!("schedule:{schedule_id}"), details).await?;
    Ok(transaction.commit().await?)
}
