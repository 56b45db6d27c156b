//! Suspicions: commits whose newest results lie outside the expectation, until a paired comparison decides.

use crate::regression::CommitPlace;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use utoipa::ToSchema;
use uuid::Uuid;

text_enum! {
    /// The state of a suspicion.
    pub enum SuspicionState {
        /// It is not decided yet.
        Waiting,
        /// The paired comparison or later commits confirm it.
        Confirmed,
        /// Neither does.
        Withdrawn,
    }
}

/// A result outside its expectation.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, ToSchema)]
pub struct SuspiciousCase {
    /// The series.
    pub series_id: i64,
    /// The identity of the machine's stable facts.
    pub environment_id: i64,
    /// The level before the commit: the median p50, in nanoseconds.
    pub level: f64,
    /// The change of the p50 from that level, as a share.
    pub change: f64,
    /// The change in the paired comparison, if it confirmed this case.
    #[schema(required)]
    pub confirmed_change: Option<f64>,
}

/// A suspected commit.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Suspicion {
    /// Its number.
    pub suspicion_id: i64,
    /// The machine that measured the commit.
    pub machine: String,
    /// The commit.
    pub commit: CommitPlace,
    /// The base of the comparison: the previous commit that the machine measured.
    pub base_commit: CommitPlace,
    /// The run with the unexpected results.
    pub run_id: Uuid,
    /// `waiting`, `confirmed` or `withdrawn`.
    pub state: SuspicionState,
    /// The unexpected results, largest slowdown first.
    pub cases: Vec<SuspiciousCase>,
    /// Why it was confirmed or withdrawn; null while it waits.
    #[schema(required)]
    pub decided_because: Option<String>,
    /// The job that compares the commit with its base in pairs; null if no agent can run it.
    #[schema(required)]
    pub job_id: Option<i64>,
    /// The state of that job.
    #[schema(required)]
    pub job_status: Option<String>,
    /// The expected duration of the job: the median of the last ten on this machine. Null if none was completed.
    #[schema(required)]
    pub job_seconds: Option<f64>,
    /// The regression that it became.
    #[schema(required)]
    pub regression_id: Option<i64>,
    /// When the results were searched.
    pub created_at: DateTime<Utc>,
    /// When it was confirmed or withdrawn.
    #[schema(required)]
    pub decided_at: Option<DateTime<Utc>>,
}

/// The suspicions to list.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// In this state.
    pub state: Option<SuspicionState>,
    /// Of this commit, by its full object name.
    pub commit_sha: Option<String>,
}

/// The suspicions of a project before one, newest first. `job_seconds` is not filled.
pub async fn list(
    pool: &PgPool,
    project_id: i64,
    filter: &Filter,
    before: i64,
    limit: i64,
) -> sqlx::Result<Vec<(Suspicion, i64)>> {
    let rows = sqlx::query!(
        r#"select suspicion.suspicion_id, suspicion.machine_id, machine.slug as machine,
                  (suspected.sha, suspected.ordinal, suspected.subject, suspected.author) as "commit!: CommitPlace",
                  (base.sha, base.ordinal, base.subject, base.author) as "base_commit!: CommitPlace",
                  suspicion.run_id, suspicion.state as "state: SuspicionState",
                  suspicion.cases as "cases: Json<Vec<SuspiciousCase>>", suspicion.decided_because, suspicion.job_id,
                  job.status as "job_status?", suspicion.created_at, suspicion.decided_at,
                  (select change_point.regression_id from change_point
                   where change_point.suspicion_id = suspicion.suspicion_id and change_point.withdrawn_at is null
                   order by change_point.regression_id limit 1) as regression_id
           from suspicion
           join machine on machine.machine_id = suspicion.machine_id
           join commit as suspected on suspected.commit_id = suspicion.commit_id
           join commit as base on base.commit_id = suspicion.base_commit_id
           left join job on job.job_id = suspicion.job_id
           where suspicion.project_id = $1 and suspicion.suspicion_id < $2
             and ($3::text is null or suspicion.state = $3) and ($4::text is null or suspected.sha = $4)
           order by suspicion.suspicion_id desc
           limit $5"#,
        project_id,
        before,
        filter.state.as_ref().map(AsRef::<str>::as_ref),
        filter.commit_sha,
        limit,
    )
    .fetch_all(pool)
    .await?;
    let suspicions = rows.into_iter().map(|row| {
        let suspicion = Suspicion {
            suspicion_id: row.suspicion_id,
            machine: row.machine,
            commit: row.commit,
            base_commit: row.base_commit,
            run_id: row.run_id,
            state: row.state,
            cases: row.cases.0,
            decided_because: row.decided_because,
            job_id: row.job_id,
            job_status: row.job_status,
            job_seconds: None,
            regression_id: row.regression_id,
            created_at: row.created_at,
            decided_at: row.decided_at,
        };
        (suspicion, row.machine_id)
    });
    Ok(suspicions.collect())
}

/// A new suspicion.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the columns of table suspicion, described there")]
pub struct New<'a> {
    pub project_id: i64,
    pub machine_id: i64,
    pub commit_id: i64,
    pub base_commit_id: i64,
    pub run_id: Uuid,
    pub cases: &'a [SuspiciousCase],
}

/// The run that raises a suspicion: of a machine and a commit, the newest among these.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of tables run, job and commit, described there")]
pub struct Raising {
    pub run_id: Uuid,
    pub branch: Option<String>,
    pub commit_sha: String,
    pub base_sha: String,
    /// The preset of its job. None if it has no job, or if the job has none.
    pub preset: Option<String>,
}

/// The newest run of a commit among these runs.
pub async fn raising(
    connection: &mut PgConnection,
    run_ids: &[Uuid],
    commit_id: i64,
    base_commit_id: i64,
) -> sqlx::Result<Option<Raising>> {
    sqlx::query_as!(
        Raising,
        r#"select run.run_id, run.branch, suspected.sha as commit_sha, base.sha as base_sha, job.preset as "preset?"
           from run
           join commit as suspected on suspected.commit_id = run.commit_id
           join commit as base on base.commit_id = $3
           left join job on job.job_id = run.job_id
           where run.run_id = any($1) and run.commit_id = $2
           order by run.run_id desc
           limit 1"#,
        run_ids,
        commit_id,
        base_commit_id,
    )
    .fetch_optional(connection)
    .await
}

/// Stores a suspicion, unless the commit was suspected on this machine before. Returns its id.
pub async fn insert(
    connection: &mut PgConnection,
    new: &New<'_>,
    now: DateTime<Utc>,
) -> sqlx::Result<Option<i64>> {
    sqlx::query_scalar!(
        "insert into suspicion (project_id, machine_id, commit_id, base_commit_id, run_id, state, cases, created_at)
         values ($1, $2, $3, $4, $5, 'waiting', $6, $7)
         on conflict (project_id, machine_id, commit_id) do nothing
         returning suspicion_id",
        new.project_id,
        new.machine_id,
        new.commit_id,
        new.base_commit_id,
        new.run_id,
        Json(new.cases) as _,
        now,
    )
    .fetch_optional(connection)
    .await
}

/// Sets the job that decides a suspicion: the newest open one for this commit, base and machine, if there is one.
pub async fn set_job(connection: &mut PgConnection, suspicion_id: i64) -> sqlx::Result<Option<i64>> {
    let job_id = sqlx::query_scalar!(
        r#"update suspicion
           set job_id = (
               select max(job.job_id) from job
               join commit as suspected on suspected.commit_id = suspicion.commit_id and suspected.sha = job.commit_sha
               join commit as base on base.commit_id = suspicion.base_commit_id and base.sha = job.base_sha
               where job.project_id = suspicion.project_id and job.machine_id = suspicion.machine_id
                 and job.done_at is null
           )
           where suspicion_id = $1
           returning job_id"#,
        suspicion_id,
    )
    .fetch_one(connection)
    .await?;
    Ok(job_id)
}

/// A waiting suspicion.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of tables suspicion and commit, described there")]
pub struct Waiting {
    pub suspicion_id: i64,
    pub project_id: i64,
    pub machine_id: i64,
    pub commit_id: i64,
    pub base_commit_id: i64,
    pub commit_ordinal: i64,
    pub base_ordinal: i64,
    pub commit_sha: String,
    pub base_sha: String,
    pub run_id: Uuid,
    pub job_id: Option<i64>,
    pub cases: Json<Vec<SuspiciousCase>>,
}

macro_rules! select_waiting {
    ($condition:literal, $($argument:expr),+ $(,)?) => {
        sqlx::query_as!(
            Waiting,
            r#"select suspicion.suspicion_id, suspicion.project_id, suspicion.machine_id, suspicion.commit_id,
                      suspicion.base_commit_id, suspected.ordinal as commit_ordinal, base.ordinal as base_ordinal,
                      suspected.sha as commit_sha, base.sha as base_sha, suspicion.run_id, suspicion.job_id,
                      suspicion.cases as "cases: Json<Vec<SuspiciousCase>>"
               from suspicion
               join commit as suspected on suspected.commit_id = suspicion.commit_id
               join commit as base on base.commit_id = suspicion.base_commit_id
               where suspicion.state = 'waiting' and "# + $condition + r#"
               order by suspicion.suspicion_id
               for update of suspicion"#,
            $($argument),+
        )
    };
}

/// The waiting suspicions whose jobs are done, with their machines.
pub async fn decidable(pool: &PgPool) -> sqlx::Result<Vec<(i64, i64)>> {
    let rows = sqlx::query!(
        "select suspicion.suspicion_id, suspicion.machine_id from suspicion
         join job on job.job_id = suspicion.job_id
         where suspicion.state = 'waiting' and job.status = 'done'
         order by suspicion.suspicion_id",
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.suspicion_id, row.machine_id)).collect())
}

/// A waiting suspicion, locked until the transaction ends. None if it was decided meanwhile.
pub async fn lock(connection: &mut PgConnection, suspicion_id: i64) -> sqlx::Result<Option<Waiting>> {
    select_waiting!("suspicion.suspicion_id = $1", suspicion_id).fetch_optional(connection).await
}

/// The waiting suspicions of a machine that no job decides, locked until the transaction ends.
pub async fn without_job(connection: &mut PgConnection, machine_id: i64) -> sqlx::Result<Vec<Waiting>> {
    select_waiting!(
        "suspicion.machine_id = $1 and not exists (
             select from job where job.job_id = suspicion.job_id and job.status in ('queued', 'running', 'done')
         )",
        machine_id,
    )
    .fetch_all(connection)
    .await
}

/// Stores the decision on a suspicion.
pub async fn decide(
    connection: &mut PgConnection,
    suspicion: &Waiting,
    (state, because): (SuspicionState, &str),
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update suspicion set state = $2, decided_because = $3, cases = $4, decided_at = $5 where suspicion_id = $1",
        suspicion.suspicion_id,
        state.as_ref(),
        because,
        Json(&suspicion.cases.0) as _,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}
