//! Which changes are part of which regression, and what follows for it.

use super::State;
use chrono::{DateTime, Utc};
use roundtrip_stats::cause::Cause;
use sqlx::PgConnection;

/// Of advisory locks, those on projects whose changes are grouped.
const PROJECT_LOCK: i32 = 0x7274_7231;

/// Keeps other servers from grouping a project's changes until the transaction ends.
///
/// # Errors
/// The database does not answer.
pub async fn lock(connection: &mut PgConnection, project_id: i64) -> sqlx::Result<()> {
    sqlx::query!(
        "select pg_advisory_xact_lock($1, ($2::bigint % 2147483648)::integer)",
        PROJECT_LOCK,
        project_id,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// A change that is to be part of a regression.
#[derive(Clone, Debug)]
pub struct Member {
    /// The change.
    pub change_point_id: i64,
    /// Of which project.
    pub project_id: i64,
    /// On which machine.
    pub machine_id: i64,
    /// `regressed` or `improved`.
    pub direction: &'static str,
    /// What made it.
    pub cause: Cause,
    /// What made nobody be alerted of it.
    pub held_because: Option<String>,
}

/// Makes a change part of the regression that it belongs to: an open one of the same direction and kind of cause, in whose
/// range of commits it may have happened, and on whose machine where a machine made it. Of several it is the newest. Else it
/// begins one. Returns its number.
///
/// # Errors
/// The database does not answer.
pub async fn join(connection: &mut PgConnection, member: &Member, now: DateTime<Utc>) -> sqlx::Result<i64> {
    let is_machine = member.cause == Cause::Machine;
    let open = sqlx::query_scalar!(
        "select regression.regression_id
         from change_point
         join commit as after_commit on after_commit.commit_id = change_point.after_commit_id
         join commit as until_commit on until_commit.commit_id = change_point.until_commit_id
         join regression on regression.project_id = $2 and regression.direction = $3
                        and regression.state in ('new', 'acknowledged', 'machine')
                        and (regression.cause = 'machine') = $4
         join commit as first on first.commit_id = regression.after_commit_id
         join commit as last on last.commit_id = regression.until_commit_id
         where change_point.change_point_id = $1
           and first.ordinal < until_commit.ordinal and after_commit.ordinal < last.ordinal
           and (not $4 or exists (
               select from change_point as other
               join series on series.series_id = other.series_id
               where other.regression_id = regression.regression_id and series.machine_id = $5
           ))
         order by regression.regression_id desc
         limit 1",
        member.change_point_id,
        member.project_id,
        member.direction,
        is_machine,
        member.machine_id,
    )
    .fetch_optional(&mut *connection)
    .await?;
    let regression_id = match open {
        Some(regression_id) => regression_id,
        None => {
            sqlx::query_scalar!(
                "insert into regression (
                     project_id, direction, state, cause, held_because, after_commit_id, until_commit_id, created_at,
                     updated_at
                 )
                 select $2, $3, $4, $5, $6, after_commit_id, until_commit_id, $7, $7
                 from change_point where change_point_id = $1
                 returning regression_id",
                member.change_point_id,
                member.project_id,
                member.direction,
                if is_machine { State::Machine.name() } else { State::New.name() },
                member.cause.name(),
                member.held_because,
                now,
            )
            .fetch_one(&mut *connection)
            .await?
        }
    };
    assign(connection, member.change_point_id, regression_id).await?;
    narrow(connection, regression_id, now).await?;
    Ok(regression_id)
}

/// Makes a change part of a regression.
///
/// # Errors
/// The database does not answer.
pub async fn assign(
    connection: &mut PgConnection,
    change_point_id: i64,
    regression_id: i64,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update change_point set regression_id = $2 where change_point_id = $1",
        change_point_id,
        regression_id,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Says anew between which commits a regression happened, and what made it: what all of its changes have in common. It is a
/// commit's when any of them is known to be one's, and a machine's when all are.
///
/// # Errors
/// The database does not answer.
pub async fn narrow(
    connection: &mut PgConnection,
    regression_id: i64,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "with of_it as (
             select change_point.after_commit_id, after_commit.ordinal as after_ordinal,
                    change_point.until_commit_id, until_commit.ordinal as until_ordinal, change_point.cause
             from change_point
             join regression on regression.regression_id = change_point.regression_id
             join commit as after_commit on after_commit.commit_id = change_point.after_commit_id
             join commit as until_commit on until_commit.commit_id = change_point.until_commit_id
             where change_point.regression_id = $1 and change_point.withdrawn_at is null
               and (change_point.after_ns > change_point.before_ns) = (regression.direction = 'regressed')
         )
         update regression
         set after_commit_id = coalesce(
                 (select after_commit_id from of_it
                  where after_ordinal < (select min(until_ordinal) from of_it)
                  order by after_ordinal desc limit 1),
                 after_commit_id),
             until_commit_id = coalesce(
                 (select until_commit_id from of_it order by until_ordinal limit 1), until_commit_id),
             cause = coalesce(
                 (select case when bool_or(cause = 'commit') then 'commit' when bool_and(cause = 'machine') then 'machine'
                         else 'unknown' end
                  from of_it having count(*) > 0),
                 cause),
             state = case
                 when state in ('new', 'machine') and exists (select from of_it)
                 then case when (select bool_and(cause = 'machine') from of_it) then 'machine' else 'new' end
                 else state
             end,
             updated_at = $2
         where regression_id = $1",
        regression_id,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Between which commits a regression happened, after one place and up to another; none when nobody has to look for its culprit
/// any more, or never had to: it is an improvement, a machine's, or closed.
///
/// # Errors
/// The database does not answer.
pub async fn open_range(
    connection: &mut PgConnection,
    regression_id: i64,
) -> sqlx::Result<Option<(i64, i64)>> {
    let row = sqlx::query!(
        "select after_commit.ordinal as after_ordinal, until_commit.ordinal as until_ordinal
         from regression
         join commit as after_commit on after_commit.commit_id = regression.after_commit_id
         join commit as until_commit on until_commit.commit_id = regression.until_commit_id
         where regression.regression_id = $1 and regression.direction = 'regressed' and regression.cause <> 'machine'
           and regression.state in ('new', 'acknowledged')",
        regression_id,
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| (row.after_ordinal, row.until_ordinal)))
}

/// Says of a change what made it.
///
/// # Errors
/// The database does not answer.
pub async fn explain(
    connection: &mut PgConnection,
    change_point_id: i64,
    cause: Cause,
    witnesses: &[String],
) -> sqlx::Result<()> {
    sqlx::query!(
        "update change_point set cause = $2, witnesses = $3 where change_point_id = $1",
        change_point_id,
        cause.name(),
        witnesses,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The commit at which the last of a regression's tracks went back to where it was; none while one of them did not. A track
/// went back when its newest change that matters is part of the regression and in the other direction.
///
/// # Errors
/// The database does not answer.
pub async fn went_back_at(connection: &mut PgConnection, regression_id: i64) -> sqlx::Result<Option<i64>> {
    sqlx::query_scalar!(
        "with newest as (
             select distinct on (change_point.series_id, change_point.environment_id, change_point.quantile)
                    change_point.regression_id, change_point.commit_id, commit.ordinal,
                    (change_point.after_ns > change_point.before_ns) <> (regression.direction = 'regressed') as is_back
             from change_point
             join regression on regression.regression_id = $1
             join commit on commit.commit_id = change_point.commit_id
             where change_point.withdrawn_at is null and change_point.matters
               and exists (
                   select from change_point as of_it
                   where of_it.regression_id = $1 and of_it.withdrawn_at is null
                     and of_it.series_id = change_point.series_id
                     and of_it.environment_id = change_point.environment_id
                     and of_it.quantile = change_point.quantile
               )
             order by change_point.series_id, change_point.environment_id, change_point.quantile, commit.ordinal desc
         )
         select commit_id from newest
         where (select bool_and(is_back and regression_id = $1) from newest)
         order by ordinal desc
         limit 1",
        regression_id,
    )
    .fetch_optional(connection)
    .await
}

/// Notes that all is as it was before, unless people said otherwise.
///
/// # Errors
/// The database does not answer.
pub async fn fix(
    connection: &mut PgConnection,
    regression_id: i64,
    fixed_by_commit_id: i64,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update regression set state = 'fixed', fixed_by_commit_id = $2, updated_at = $3
         where regression_id = $1 and state in ('new', 'acknowledged', 'machine')",
        regression_id,
        fixed_by_commit_id,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}
