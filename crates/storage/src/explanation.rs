//! Explanations: why a commit is slower than another one in a case.

use crate::run::Key;
use chrono::{DateTime, Utc};
use roundtrip_wire::Explanation;
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use std::collections::HashMap;
use uuid::Uuid;

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

/// The explanations of a run's results, by series.
pub async fn of_run(pool: &PgPool, run_id: Uuid) -> sqlx::Result<HashMap<i64, Explanation>> {
    let rows = sqlx::query!(
        r#"select series_id, contents as "contents: Json<Explanation>" from explanation where run_id = $1"#,
        run_id,
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.series_id, row.contents.0)).collect())
}
