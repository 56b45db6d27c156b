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

/// A run in the history of a machine.
#[derive(Debug)]
#[expect(missing_docs, reason = "the columns of tables run and commit, described there")]
pub struct HistoryRun {
    pub run_id: Uuid,
    pub started_at: DateTime<Utc>,
    pub commit_ordinal: i64,
    pub environment_id: i64,
    pub canaries: Json<Vec<Canary>>,
    /// Whether the machine caused a change at its commit.
    pub has_fault: bool,
    /// Whether a series switched between known states at its commit, for another reason than the commit.
    pub is_switch: bool,
}

/// A machine's newest runs of a project in the year before its last one, up to a limit; newest first.
pub async fn year(
    pool: &PgPool,
    (project_id, machine_id): (i64, i64),
    limit: i64,
) -> sqlx::Result<Vec<HistoryRun>> {
    sqlx::query_as!(
        HistoryRun,
        r#"with newest as (
               select run_id, started_at, commit_id, environment_id, canaries
               from run
               where project_id = $1 and machine_id = $2 and not quarantined and not superseded
               order by run_id desc
               limit $3
           ),
           changed as (
               select change_point.commit_id,
                      bool_or(change_point.cause = 'machine') as has_fault,
                      bool_or(change_point.kind = 'known_state' and change_point.matters
                              and change_point.figure <> 'tail'
                              and change_point.cause is distinct from 'commit') as is_switch
               from change_point
               join series on series.series_id = change_point.series_id
               where change_point.commit_id in (select commit_id from newest)
                 and change_point.withdrawn_at is null
                 and series.project_id = $1 and series.machine_id = $2
               group by change_point.commit_id
           )
           select newest.run_id, newest.started_at, commit.ordinal as commit_ordinal, newest.environment_id,
                  newest.canaries as "canaries: Json<Vec<Canary>>",
                  coalesce(changed.has_fault, false) as "has_fault!", coalesce(changed.is_switch, false) as "is_switch!"
           from newest
           join commit on commit.commit_id = newest.commit_id
           left join changed on changed.commit_id = newest.commit_id
           where newest.started_at > (select max(started_at) from newest) - interval '365 days'
           order by newest.run_id desc"#,
        project_id,
        machine_id,
        limit,
    )
    .fetch_all(pool)
    .await
}
