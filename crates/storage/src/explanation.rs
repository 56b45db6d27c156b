//! Explanations: why a commit is slower than another one in a case.

use crate::run::Key;
use chrono::{DateTime, Utc};
use roundtrip_wire::Explanation;
use sqlx::PgConnection;
use sqlx::types::Json;

/// Stores the explanations of a run, each with its series.
pub async fn insert(
    connection: &mut PgConnection,
    key: Key,
    explanations: &[(i64, &Explanation)],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    for (series_id, explanation) in explanations {
        sqlx::query!(
            "insert into explanation (project_id, series_id, commit_id, run_id, contents, created_at)
             values ($1, $2, $3, $4, $5, $6)",
            key.project_id,
            series_id,
            key.commit_id,
            key.run_id,
            Json(explanation) as _,
            now,
        )
        .execute(&mut *connection)
        .await?;
    }
    Ok(())
}
