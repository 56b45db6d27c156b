//! Each machine as each project sees it: counts of its results, updated with each upload, so that lists need
//! not read all runs, and its facts from the newest upload.

use super::run::Key;
use roundtrip_wire::Machine;
use sqlx::PgConnection;

/// New rows of an upload, besides its run.
#[derive(Clone, Copy, Debug)]
pub struct New {
    /// Whether its commit had no run when it was looked up.
    pub commit_is_new: bool,
    /// Series.
    pub series_count: i64,
}

/// Counts a run that is stored in this transaction for the first time, and stores the machine's facts if no newer
/// run is stored. From here on, other uploads of this machine to this project wait until it is committed.
pub async fn record(
    connection: &mut PgConnection,
    key: Key,
    machine: &Machine,
    new: New,
) -> sqlx::Result<()> {
    // Of concurrent uploads with the same commit, the second one waits here and does not count it.
    let commit_count = if new.commit_is_new {
        sqlx::query!("update commit set measured = true where commit_id = $1 and not measured", key.commit_id)
            .execute(&mut *connection)
            .await?
            .rows_affected()
    } else {
        0
    };
    sqlx::query!(
        "insert into project_machine
             (project_id, machine_id, run_count, commit_count, series_count, latest_run_id, os, arch)
         values ($1, $2, 1, $3, $4, $5, $6, $7)
         on conflict (project_id, machine_id) do update
         set run_count = project_machine.run_count + 1,
             commit_count = project_machine.commit_count + excluded.commit_count,
             series_count = project_machine.series_count + excluded.series_count,
             latest_run_id = greatest(project_machine.latest_run_id, excluded.latest_run_id),
             os = case when excluded.latest_run_id > project_machine.latest_run_id then excluded.os
                       else project_machine.os end,
             arch = case when excluded.latest_run_id > project_machine.latest_run_id then excluded.arch
                         else project_machine.arch end",
        key.project_id,
        key.machine_id,
        commit_count.cast_signed(),
        new.series_count,
        key.run_id,
        machine.os.as_str(),
        machine.arch.as_str(),
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Counts everything in a project that was not counted by uploads.
///
/// # Errors
/// Some of it is already counted.
pub async fn count_all(connection: &mut PgConnection, project_id: i64) -> sqlx::Result<()> {
    sqlx::query!(
        "update commit set measured = true
         where project_id = $1 and exists (select from run where run.commit_id = commit.commit_id)",
        project_id,
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "insert into project_machine (project_id, machine_id, run_count, commit_count, series_count, latest_run_id)
         select $1, run.machine_id, count(*), count(*) filter (where run.nth = 1),
                (select count(*) from series where series.project_id = $1 and series.machine_id = run.machine_id),
                (array_agg(run.run_id order by run.run_id desc))[1]
         from (
             select run_id, machine_id, row_number() over (partition by commit_id order by run_id) as nth
             from run where project_id = $1
         ) as run
         group by run.machine_id",
        project_id,
    )
    .execute(connection)
    .await?;
    Ok(())
}
