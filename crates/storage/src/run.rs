//! Runs: uploads and their parts.

use crate::commit::CommitSummary;
use chrono::{DateTime, Utc};
use roundtrip_wire::{Canary, CaseResult, Failure, RunReport};
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use std::collections::BTreeMap;
use utoipa::ToSchema;
use uuid::Uuid;

/// A run with its foreign keys.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the columns of table run, described there")]
pub struct Key {
    pub run_id: Uuid,
    pub project_id: i64,
    pub machine_id: i64,
    pub environment_id: i64,
    pub commit_id: i64,
}

/// The location of the data of a run: its machine, and its commit's ordinal for points.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the columns of tables run and environment, described there")]
pub struct Location {
    pub run_id: Uuid,
    pub machine_id: i64,
    pub commit_ordinal: i64,
}

/// Counts of a run's results.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the columns of tables run and environment, described there")]
pub struct Counts {
    pub result_count: i32,
    pub point_count: i32,
    pub unsupported_count: i32,
    pub failure_count: i32,
}

/// The job of a run, and whether its lease is valid.
#[derive(Clone, Copy, Debug, Default)]
pub struct Standing {
    /// The job that it was measured for.
    pub job_id: Option<i64>,
    /// Whether another agent had taken over the job.
    pub superseded: bool,
    /// Whether it is quarantined: by its upload, or because its commit comes from a fork.
    pub quarantined: bool,
}

impl Standing {
    /// Whether it may be part of a trend.
    pub fn counts(self) -> bool {
        !self.superseded && !self.quarantined
    }
}

/// The stored data of an acknowledgement.
#[derive(Debug)]
#[expect(missing_docs, reason = "the columns of tables run and environment, described there")]
pub struct Receipt {
    pub body_sha256: Vec<u8>,
    pub result_count: i32,
    pub point_count: i32,
}

/// One upload.
#[derive(Clone, Debug, Serialize, Deserialize, ToSchema)]
pub struct RunSummary {
    /// Its identity.
    pub run_id: Uuid,
    /// The project.
    pub project: String,
    /// The machine.
    pub machine: String,
    /// The measured commit.
    pub commit: CommitSummary,
    /// The branch that was checked out.
    #[schema(required)]
    pub branch: Option<String>,
    /// The pull request it belongs to.
    #[schema(required)]
    pub pull_request: Option<i64>,
    /// Whether it is quarantined, as for a pull request from a fork. It is then never part of the trend.
    pub quarantined: bool,
    /// True when tracked files differed from the commit, or a program was measured as found. It is then not part of the trend.
    pub work_tree_modified: bool,
    /// Whether another agent had taken over its job. Such a run is stored, but not part of the trend.
    pub superseded: bool,
    /// The job that it was measured for; null without a job.
    #[schema(required)]
    pub job_id: Option<i64>,
    /// The definition that was run.
    pub preset: String,
    /// Version of the suite.
    pub suite_version: String,
    /// `release` or `debug`.
    pub build: String,
    /// The seed of the order of repetitions, as text because it can exceed JavaScript's integers.
    #[schema(example = "17446744073709551615")]
    pub order_seed: String,
    /// When the first repetition began, by the agent's clock.
    pub started_at: DateTime<Utc>,
    /// When the last repetition ended, by the agent's clock.
    pub finished_at: DateTime<Utc>,
    /// When it was stored, by the server's clock.
    pub received_at: DateTime<Utc>,
    /// Cases with at least one finished repetition.
    pub point_count: i32,
    /// Cases that the machine cannot run.
    pub unsupported_count: i32,
    /// Repetitions that did not finish.
    pub failure_count: i32,
}

/// The environment of a run.
#[derive(Debug)]
#[expect(missing_docs, reason = "the columns of tables run and environment, described there")]
pub struct SurroundingsRow {
    pub environment_id: i64,
    pub stable: Json<BTreeMap<String, String>>,
    pub conditions: Json<BTreeMap<String, String>>,
    pub canaries: Json<Vec<Canary>>,
}

/// The other results of a case in a run, as in `run_result.outcomes`.
#[derive(Debug, Default, Serialize, Deserialize)]
pub struct Outcome {
    /// Facts about the channel.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub counters: BTreeMap<String, u64>,
    /// Versions reported by a measured program.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub facts: BTreeMap<String, String>,
    /// Repetitions that did not finish.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub failures: Vec<Failure>,
    /// Why the machine cannot run the case.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unsupported: Option<String>,
    /// Processor time of all ends per delivered message. Absent in old runs, as below.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cpu_ns_per_message: Option<u64>,
    /// How often the ends slept and were woken, per thousand delivered messages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub wakes_per_1000_messages: Option<u64>,
}

/// The runs to list. Absent fields match all.
#[derive(Clone, Copy, Debug, Default)]
pub struct Filter<'a> {
    /// The machine.
    pub machine: Option<&'a str>,
    /// The pull request.
    pub pull_request: Option<i64>,
}

macro_rules! select_runs {
    ($rest:literal $(+ $more:literal)*, $($argument:expr),+ $(,)?) => {
        sqlx::query_as!(
            RunSummary,
            r#"select run.run_id, project.slug as project, machine.slug as machine,
                      (commit.sha, commit.ordinal, commit.subject, commit.author, commit.committed_at)
                      as "commit!: CommitSummary",
                      run.branch, run.pull_request, run.quarantined, run.work_tree_modified, run.superseded, run.job_id,
                      run.preset, run.suite_version, run.build, run.order_seed, run.started_at, run.finished_at,
                      run.received_at, run.point_count, run.unsupported_count, run.failure_count
               from run
               join project on project.project_id = run.project_id
               join machine on machine.machine_id = run.machine_id
               join commit on commit.commit_id = run.commit_id
               where "# + $rest $(+ $more)*,
            $($argument),+
        )
    };
}

/// The runs of a project before one, newest first.
pub async fn list(
    pool: &PgPool,
    project_id: i64,
    filter: Filter<'_>,
    before: Uuid,
    limit: i64,
) -> sqlx::Result<Vec<RunSummary>> {
    macro_rules! page {
        ($condition:literal $(, $argument:expr)*) => {
            select_runs!(
                "run.project_id = $1 and run.run_id < $2 and " + $condition + "
                 order by run.run_id desc
                 limit $3",
                project_id,
                before,
                limit,
                $($argument,)*
            )
            .fetch_all(pool)
            .await
        };
    }
    // One statement per index.
    match filter {
        Filter { machine: None, pull_request: None } => page!("true"),
        Filter { machine: Some(machine), pull_request: None } => {
            page!("run.machine_id = (select machine_id from machine where slug = $4)", machine)
        }
        Filter { machine, pull_request: Some(pull_request) } => {
            page!("run.pull_request = $4 and ($5::text is null or machine.slug = $5)", pull_request, machine)
        }
    }
}

/// Runs by id. Unknown ones are skipped.
pub async fn find(pool: &PgPool, run_ids: &[Uuid]) -> sqlx::Result<Vec<RunSummary>> {
    select_runs!("run.run_id = any($1)", run_ids).fetch_all(pool).await
}

/// The environment of a run.
///
/// # Errors
/// The run does not exist.
pub async fn surroundings(pool: &PgPool, run_id: Uuid) -> sqlx::Result<SurroundingsRow> {
    sqlx::query_as!(
        SurroundingsRow,
        r#"select run.environment_id, environment.stable as "stable: Json<BTreeMap<String, String>>",
                  run.conditions as "conditions: Json<BTreeMap<String, String>>",
                  run.canaries as "canaries: Json<Vec<Canary>>"
           from run
           join environment on environment.environment_id = run.environment_id
           where run.run_id = $1"#,
        run_id,
    )
    .fetch_one(pool)
    .await
}

/// The series and outcomes of a run's cases, in the order of the upload.
pub async fn outcomes(pool: &PgPool, run: Location) -> sqlx::Result<Vec<(i64, Outcome)>> {
    let row = sqlx::query!(
        r#"select series_ids, outcomes as "outcomes: Json<Vec<Outcome>>" from run_result
           where machine_id = $1 and run_id = $2"#,
        run.machine_id,
        run.run_id,
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|row| row.series_ids.into_iter().zip(row.outcomes.0).collect()).unwrap_or_default())
}

/// A run, and the preset that its job requested, if one did.
#[derive(Debug)]
#[expect(missing_docs, reason = "the columns of tables run and job, described there")]
pub struct PresetRow {
    pub run_id: Uuid,
    pub preset: Option<String>,
}

/// The newest run of a series at a commit of the main line.
pub async fn newest_of_series(
    connection: &mut PgConnection,
    (machine_id, series_id): (i64, i64),
    commit_ordinal: i64,
) -> sqlx::Result<Option<PresetRow>> {
    sqlx::query_as!(
        PresetRow,
        r#"select run.run_id, job.preset as "preset?" from run
           left join job on job.job_id = run.job_id
           where run.run_id = (
               select point.run_id from point
               where point.machine_id = $1 and point.series_id = $2 and point.commit_ordinal = $3 and point.mainline
               order by point.run_id desc
               limit 1
           )"#,
        machine_id,
        series_id,
        commit_ordinal,
    )
    .fetch_optional(connection)
    .await
}

/// A case's position in the original upload, from 0, and the compressed upload.
pub async fn upload_with_position(
    pool: &PgPool,
    run: Location,
    series_id: i64,
) -> sqlx::Result<Option<(i32, Vec<u8>)>> {
    let row = sqlx::query!(
        r#"select array_position(run_result.series_ids, $3) - 1 as "position!", run_upload.body_zstd
           from run_result
           join run_upload on run_upload.machine_id = run_result.machine_id and run_upload.run_id = run_result.run_id
           where run_result.machine_id = $1 and run_result.run_id = $2 and $3 = any(run_result.series_ids)"#,
        run.machine_id,
        run.run_id,
        series_id,
    )
    .fetch_optional(pool)
    .await?;
    Ok(row.map(|row| (row.position, row.body_zstd)))
}

/// The original upload, compressed.
pub async fn upload(pool: &PgPool, run: Location) -> sqlx::Result<Option<Vec<u8>>> {
    sqlx::query_scalar!(
        "select body_zstd from run_upload where machine_id = $1 and run_id = $2",
        run.machine_id,
        run.run_id,
    )
    .fetch_optional(pool)
    .await
}

/// The receipt of a stored run.
pub async fn receipt(connection: &mut PgConnection, run_id: Uuid) -> sqlx::Result<Option<Receipt>> {
    sqlx::query_as!(
        Receipt,
        "select body_sha256, result_count, point_count from run where run_id = $1",
        run_id,
    )
    .fetch_optional(connection)
    .await
}

/// Stores a run unless its id exists. Returns whether it was stored.
pub async fn insert(
    connection: &mut PgConnection,
    key: Key,
    report: &RunReport,
    counts: Counts,
    standing: Standing,
    body_sha256: &[u8],
) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "insert into run (
             run_id, project_id, machine_id, environment_id, commit_id, branch, pull_request, work_tree_modified,
             preset, suite_version, build, order_seed, conditions, canaries, started_at, finished_at, received_at,
             result_count, point_count, unsupported_count, failure_count, body_sha256, job_id, superseded, quarantined
         ) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, now(), $17, $18, $19, $20,
                   $21, $22, $23, $24)
         on conflict (run_id) do nothing",
        key.run_id,
        key.project_id,
        key.machine_id,
        key.environment_id,
        key.commit_id,
        report.branch,
        // Checked to fit.
        report.pull_request.map(u64::cast_signed),
        report.work_tree_modified,
        report.suite.preset.as_str(),
        report.suite.version,
        report.suite.build.as_str(),
        report.suite.order_seed.to_string(),
        Json(&report.environment.conditions) as _,
        Json(&report.canaries) as _,
        report.started_at,
        report.finished_at,
        counts.result_count,
        counts.point_count,
        counts.unsupported_count,
        counts.failure_count,
        body_sha256,
        standing.job_id,
        standing.superseded,
        standing.quarantined,
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Stores the original upload.
pub async fn insert_upload(connection: &mut PgConnection, key: Key, body_zstd: &[u8]) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into run_upload (machine_id, run_id, body_zstd) values ($1, $2, $3)",
        key.machine_id,
        key.run_id,
        body_zstd,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Stores the outcomes of a run's cases. Both slices are in the order of the upload.
pub async fn insert_outcomes(
    connection: &mut PgConnection,
    key: Key,
    series_ids: &[i64],
    results: &[CaseResult],
) -> sqlx::Result<()> {
    /// Converts one result after the other: all outcomes may take as much memory as the upload.
    struct Outcomes<'a>(&'a [CaseResult]);

    impl Serialize for Outcomes<'_> {
        fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.collect_seq(self.0.iter().map(Outcome::from))
        }
    }

    sqlx::query!(
        "insert into run_result (machine_id, run_id, series_ids, outcomes) values ($1, $2, $3, $4)",
        key.machine_id,
        key.run_id,
        series_ids,
        Json(Outcomes(results)) as _,
    )
    .execute(connection)
    .await?;
    Ok(())
}

impl From<&CaseResult> for Outcome {
    fn from(result: &CaseResult) -> Self {
        Self {
            counters: result.counters.clone(),
            facts: result.facts.clone(),
            failures: result.failures.clone(),
            unsupported: result.unsupported.clone(),
            cpu_ns_per_message: result.cpu_ns_per_message(),
            wakes_per_1000_messages: result.wakes_per_1000_messages(),
        }
    }
}
