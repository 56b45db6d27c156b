//! Runs that wait for change detection. An upload adds its run in its own transaction, and the search removes
//! it in the transaction that stores the findings, so that no run is skipped.

use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

/// The class of advisory locks on machines during change detection.
const MACHINE_LOCK: i32 = 0x7274_6d31;

/// A waiting run.
#[derive(Clone, Copy, Debug)]
#[expect(missing_docs, reason = "the columns of table run, described there")]
pub struct Due {
    pub run_id: Uuid,
    pub project_id: i64,
    pub commit_ordinal: i64,
}

/// Adds a run that is stored in this transaction.
pub async fn add(connection: &mut PgConnection, run_id: Uuid, machine_id: i64) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into analysis_due (run_id, machine_id, due_at) values ($1, $2, now())",
        run_id,
        machine_id,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Adds a run again, because a change at its commit was confirmed.
pub async fn add_again(connection: &mut PgConnection, run_id: Uuid) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into analysis_due (run_id, machine_id, due_at)
         select run_id, machine_id, now() from run where run_id = $1 and points_pruned_at is null
         on conflict (run_id) do nothing",
        run_id,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Adds all runs of these commits again, because their ordinals changed.
pub async fn add_of_commits(connection: &mut PgConnection, commit_ids: &[i64]) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into analysis_due (run_id, machine_id, due_at)
         select run_id, machine_id, now() from run where commit_id = any($1)
         on conflict (run_id) do nothing",
        commit_ids,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Adds all runs of a project again.
pub async fn add_of_project(connection: &mut PgConnection, project_id: i64) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into analysis_due (run_id, machine_id, due_at)
         select run_id, machine_id, now() from run where project_id = $1 and points_pruned_at is null
         on conflict (run_id) do nothing",
        project_id,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The machines with waiting runs, longest wait first.
pub async fn machines(pool: &PgPool) -> sqlx::Result<Vec<i64>> {
    sqlx::query_scalar!("select machine_id from analysis_due group by machine_id order by min(due_at)")
        .fetch_all(pool)
        .await
}

/// The number and age of waiting runs.
#[derive(Clone, Copy, Debug)]
pub struct Waiting {
    /// How many runs.
    pub run_count: i64,
    /// The age of the oldest.
    pub seconds: i64,
}

/// The number of waiting runs, and the age of the oldest.
pub async fn waiting(pool: &PgPool) -> sqlx::Result<Waiting> {
    sqlx::query_as!(
        Waiting,
        r#"select count(*) as "run_count!",
                  coalesce(ceil(extract(epoch from now() - min(due_at))), 0)::bigint as "seconds!"
           from analysis_due"#,
    )
    .fetch_one(pool)
    .await
}

/// Locks a machine's runs until the transaction ends. False if another server has the lock.
pub async fn lock(connection: &mut PgConnection, machine_id: i64) -> sqlx::Result<bool> {
    sqlx::query_scalar!(
        r#"select pg_try_advisory_xact_lock($1, ($2::bigint % 2147483648)::integer) as "is_locked!""#,
        MACHINE_LOCK,
        machine_id,
    )
    .fetch_one(connection)
    .await
}

/// Removes and returns waiting runs of a machine, up to a limit.
pub async fn take(connection: &mut PgConnection, machine_id: i64, limit: i64) -> sqlx::Result<Vec<Due>> {
    sqlx::query_as!(
        Due,
        "with taken as (
             delete from analysis_due
             where run_id in (select run_id from analysis_due where machine_id = $1 order by due_at limit $2)
             returning run_id
         )
         select run.run_id, run.project_id, commit.ordinal as commit_ordinal
         from taken
         join run on run.run_id = taken.run_id
         join commit on commit.commit_id = run.commit_id
         order by commit.ordinal, run.run_id",
        machine_id,
        limit,
    )
    .fetch_all(connection)
    .await
}

/// The ordinal of the newest commit of some projects; 0 without commits.
pub async fn newest_ordinal(connection: &mut PgConnection, project_ids: &[i64]) -> sqlx::Result<i64> {
    sqlx::query_scalar!(
        r#"select coalesce(max(newest.ordinal), 0) as "ordinal!"
           from unnest($1::bigint[]) as wanted (project_id)
           cross join lateral (
               select ordinal from commit where commit.project_id = wanted.project_id order by ordinal desc limit 1
           ) as newest"#,
        project_ids,
    )
    .fetch_one(connection)
    .await
}

/// A series to search.
#[derive(Clone, Copy, Debug)]
pub struct Unsearched {
    /// The series.
    pub series_id: i64,
    /// Its project.
    pub project_id: i64,
    /// The first commit to search.
    pub from_ordinal: i64,
}

/// The series of some runs of one machine, each from its smallest measured ordinal, or that of a change whose
/// interval includes it, because such a change is searched again.
pub async fn series(
    connection: &mut PgConnection,
    machine_id: i64,
    runs: &[Due],
) -> sqlx::Result<Vec<Unsearched>> {
    sqlx::query_as!(
        Unsearched,
        r#"with measured as (
               select of_run.series_id, min(due.commit_ordinal) as from_ordinal
               from unnest($2::uuid[], $3::bigint[]) as due (run_id, commit_ordinal)
               join run_result on run_result.machine_id = $1 and run_result.run_id = due.run_id
               cross join lateral unnest(run_result.series_ids) as of_run (series_id)
               group by of_run.series_id
           )
           select measured.series_id as "series_id!", series.project_id,
                  least(measured.from_ordinal, min(doubtful.ordinal)) as "from_ordinal!"
           from measured
           join series on series.series_id = measured.series_id
           left join lateral (
               select commit.ordinal
               from change_point
               join commit on commit.commit_id = change_point.commit_id
               join commit as until_commit on until_commit.commit_id = change_point.until_commit_id
               where change_point.series_id = measured.series_id and change_point.withdrawn_at is null
                 and commit.ordinal < measured.from_ordinal and until_commit.ordinal >= measured.from_ordinal
           ) as doubtful on true
           group by measured.series_id, series.project_id, measured.from_ordinal
           order by measured.series_id"#,
        machine_id,
        &runs.iter().map(|run| run.run_id).collect::<Vec<_>>(),
        &runs.iter().map(|run| run.commit_ordinal).collect::<Vec<_>>(),
    )
    .fetch_all(connection)
    .await
}
