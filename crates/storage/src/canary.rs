//! A machine's canary readings.

use chrono::{DateTime, Utc};
use roundtrip_wire::Canary;
use sqlx::PgPool;
use sqlx::types::Json;
use uuid::Uuid;

/// The readings of one run.
#[derive(Debug)]
#[expect(missing_docs, reason = "the columns of tables run and commit, described there")]
pub struct RunReadings {
    pub run_id: Uuid,
    pub started_at: DateTime<Utc>,
    pub commit_ordinal: i64,
    pub environment_id: i64,
    pub canaries: Json<Vec<Canary>>,
}

/// The key of a machine with runs of a project; none for other machines.
pub async fn machine_of_project(pool: &PgPool, project_id: i64, machine: &str) -> sqlx::Result<Option<i64>> {
    sqlx::query_scalar!(
        "select machine.machine_id from machine
         join project_machine on project_machine.machine_id = machine.machine_id
         where project_machine.project_id = $1 and machine.slug = $2",
        project_id,
        machine,
    )
    .fetch_optional(pool)
    .await
}

/// The readings of a machine's newest runs, if it has measured the project; newest first.
pub async fn newest(
    pool: &PgPool,
    (project_id, machine_id): (i64, i64),
    limit: i64,
) -> sqlx::Result<Vec<RunReadings>> {
    sqlx::query_as!(
        RunReadings,
        r#"select run.run_id, run.started_at, commit.ordinal as commit_ordinal, run.environment_id,
                  run.canaries as "canaries: Json<Vec<Canary>>"
           from run
           join commit on commit.commit_id = run.commit_id
           where run.project_id = $1 and run.machine_id = $2 and not run.quarantined and not run.superseded
           order by run.run_id desc
           limit $3"#,
        project_id,
        machine_id,
        limit,
    )
    .fetch_all(pool)
    .await
}
