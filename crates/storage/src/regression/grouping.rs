//! Groups changes into regressions, and updates these.

use super::{RegressionKind, State};
use crate::change_point;
use crate::change_point::Direction;
use chrono::{DateTime, Utc};
use roundtrip_stats::cause::Cause;
use sqlx::{PgConnection, PgPool};

/// The class of advisory locks on projects while grouping changes.
const PROJECT_LOCK: i32 = 0x7274_7231;

/// Prevents other servers from grouping a project's changes until the transaction ends.
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

/// The fields of an open regression that select its changes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the columns of table regression, described there")]
pub struct Open {
    pub regression_id: i64,
    pub direction: Direction,
    pub kind: RegressionKind,
    /// The machines that caused it; none if a commit did.
    pub machine_ids: Vec<i64>,
    pub after_ordinal: i64,
    pub until_ordinal: i64,
}

/// The open regressions of a project with culprits in a range of ordinals, the first excluded; oldest first.
pub async fn open(
    connection: &mut PgConnection,
    project_id: i64,
    (after_ordinal, until_ordinal): (i64, i64),
) -> sqlx::Result<Vec<Open>> {
    sqlx::query_as!(
        Open,
        r#"select regression.regression_id, regression.direction as "direction: Direction",
                  regression.kind as "kind: RegressionKind",
                  first.ordinal as after_ordinal,
                  last.ordinal as until_ordinal,
                  array(
                      select distinct series.machine_id
                      from change_point
                      join series on series.series_id = change_point.series_id
                      where change_point.regression_id = regression.regression_id and regression.cause = 'machine'
                  ) as "machine_ids!"
           from regression
           join commit as first on first.commit_id = regression.after_commit_id
           join commit as last on last.commit_id = regression.until_commit_id
           where regression.project_id = $1 and regression.state in ('new', 'acknowledged', 'machine')
             and first.ordinal < $3 and last.ordinal > $2
           order by regression.regression_id"#,
        project_id,
        after_ordinal,
        until_ordinal,
    )
    .fetch_all(connection)
    .await
}

/// Creates a regression with its first change and returns its id. With a reason, its alerts are held.
pub async fn begin(
    connection: &mut PgConnection,
    change: &change_point::ChangePointRow,
    direction: Direction,
    cause: Cause,
    held_because: Option<&str>,
    now: DateTime<Utc>,
) -> sqlx::Result<i64> {
    let state = if cause == Cause::Machine { State::Machine } else { State::New };
    let kind = RegressionKind::from(change.found.kind);
    sqlx::query_scalar!(
        "insert into regression (
             project_id, direction, kind, state, cause, held_because, after_commit_id, until_commit_id, created_at,
             updated_at
         )
         select $2, $3, $4, $5, $6, $7, after_commit_id, until_commit_id, $8, $8
         from change_point where change_point_id = $1
         returning regression_id",
        change.change_point_id,
        change.project_id,
        direction.as_ref(),
        kind.as_ref(),
        state.as_ref(),
        cause.name(),
        held_because,
        now,
    )
    .fetch_one(connection)
    .await
}

/// Updates the commit ranges and causes of regressions, from the intersection of their changes. The cause is
/// a commit if that of any change is, and the machine if that of all changes is.
pub async fn narrow(
    connection: &mut PgConnection,
    regression_ids: &[i64],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "with member as (
             select change_point.regression_id, change_point.after_commit_id, after_commit.ordinal as after_ordinal,
                    change_point.until_commit_id, until_commit.ordinal as until_ordinal, change_point.cause,
                    min(until_commit.ordinal) over (partition by change_point.regression_id) as first_until_ordinal
             from change_point
             join regression on regression.regression_id = change_point.regression_id
             join commit as after_commit on after_commit.commit_id = change_point.after_commit_id
             join commit as until_commit on until_commit.commit_id = change_point.until_commit_id
             where change_point.regression_id = any($1) and change_point.withdrawn_at is null
               and ((change_point.after_level > change_point.before_level) <> change_point.higher_is_better)
                   = (regression.direction = 'regressed')
         ), narrowed as (
             select regression_id,
                    (array_agg(after_commit_id order by after_ordinal desc)
                         filter (where after_ordinal < first_until_ordinal))[1] as after_commit_id,
                    (array_agg(until_commit_id order by until_ordinal))[1] as until_commit_id,
                    case when bool_or(cause = 'commit') then 'commit'
                         when bool_and(cause = 'machine') then 'machine'
                         else 'unknown' end as cause
             from member
             group by regression_id
         )
         update regression
         set after_commit_id = coalesce(narrowed.after_commit_id, regression.after_commit_id),
             until_commit_id = narrowed.until_commit_id,
             cause = narrowed.cause,
             state = case
                 when state in ('new', 'machine') then case narrowed.cause when 'machine' then 'machine' else 'new' end
                 else state
             end,
             updated_at = $2
         from narrowed
         where regression.regression_id = narrowed.regression_id",
        regression_ids,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The commit range of a regression: after one commit, until another.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table commit, described there")]
pub struct OpenRange {
    pub after_sha: String,
    pub after_ordinal: i64,
    pub until_sha: String,
    pub until_ordinal: i64,
}

/// The commit range of a regression. None if no culprit is searched: for an improvement, a drift, a machine issue or a closed
/// regression.
pub async fn open_range(
    connection: &mut PgConnection,
    regression_id: i64,
) -> sqlx::Result<Option<OpenRange>> {
    sqlx::query_as!(
        OpenRange,
        "select after_commit.sha as after_sha, after_commit.ordinal as after_ordinal,
                until_commit.sha as until_sha, until_commit.ordinal as until_ordinal
         from regression
         join commit as after_commit on after_commit.commit_id = regression.after_commit_id
         join commit as until_commit on until_commit.commit_id = regression.until_commit_id
         where regression.regression_id = $1 and regression.direction = 'regressed' and regression.kind = 'step'
           and regression.cause <> 'machine' and regression.state in ('new', 'acknowledged')",
        regression_id,
    )
    .fetch_optional(connection)
    .await
}

/// Stores the confirmed culprit of a regression.
pub async fn set_culprit(
    connection: &mut PgConnection,
    regression_id: i64,
    sha: Option<&str>,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update regression set culprit_commit_id = culprit.commit_id, updated_at = $3
         from (
             select max(commit.commit_id) as commit_id from regression
             left join commit on commit.project_id = regression.project_id and commit.sha = $2
             where regression.regression_id = $1
         ) as culprit
         where regression.regression_id = $1 and regression.culprit_commit_id is distinct from culprit.commit_id",
        regression_id,
        sha,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// The open regressions with a result that their search has not used, and their projects.
pub async fn with_results(pool: &PgPool) -> sqlx::Result<Vec<(i64, i64)>> {
    let rows = sqlx::query!(
        "select regression_id, project_id from regression
         where state in ('new', 'acknowledged') and exists (
             select from job
             where job.regression_id = regression.regression_id and job.base_sha is not null
               and job.done_at is not null and job.job_id > coalesce(regression.searched_job_id, 0)
         )
         order by regression_id",
    )
    .fetch_all(pool)
    .await?;
    Ok(rows.into_iter().map(|row| (row.regression_id, row.project_id)).collect())
}

/// Marks the results of a regression's paired jobs as used. False if they are already.
pub async fn use_results(connection: &mut PgConnection, regression_id: i64) -> sqlx::Result<bool> {
    let used = sqlx::query!(
        "update regression set searched_job_id = newest.job_id
         from (
             select max(job_id) as job_id from job
             where regression_id = $1 and base_sha is not null and done_at is not null
         ) as newest
         where regression.regression_id = $1 and newest.job_id > coalesce(regression.searched_job_id, 0)",
        regression_id,
    )
    .execute(connection)
    .await?;
    Ok(used.rows_affected() == 1)
}

/// The regressions among these that were reversed completely, with the commit where the last of their tracks
/// was. A track was reversed if the next change that matters after its newest slowdown is in the opposite
/// direction and belongs to the same regression. Known states that are part of no regression are skipped.
pub async fn fully_reversed(
    connection: &mut PgConnection,
    regression_ids: &[i64],
) -> sqlx::Result<Vec<(i64, i64)>> {
    let rows = sqlx::query!(
        r#"with member as (
               select distinct on (change_point.regression_id, change_point.series_id, change_point.environment_id,
                                   change_point.figure)
                      change_point.regression_id, change_point.series_id, change_point.environment_id,
                      change_point.figure, commit.ordinal, change_point.after_level > change_point.before_level as is_up
               from change_point
               join regression on regression.regression_id = change_point.regression_id
               join commit on commit.commit_id = change_point.commit_id
               where change_point.regression_id = any($1) and change_point.withdrawn_at is null
                 and change_point.matters
                 and ((change_point.after_level > change_point.before_level) <> change_point.higher_is_better)
                   = (regression.direction = 'regressed')
               order by change_point.regression_id, change_point.series_id, change_point.environment_id,
                        change_point.figure, commit.ordinal desc
           )
           select member.regression_id as "regression_id!",
                  (array_agg(next.commit_id order by next.ordinal desc))[1] as "commit_id!"
           from member
           left join lateral (
               select change_point.regression_id, change_point.commit_id, commit.ordinal,
                      change_point.after_level > change_point.before_level as is_up
               from change_point
               join commit on commit.commit_id = change_point.commit_id
               where change_point.series_id = member.series_id
                 and change_point.environment_id = member.environment_id
                 and change_point.figure = member.figure and change_point.withdrawn_at is null
                 and change_point.matters and commit.ordinal > member.ordinal
                 and (change_point.kind <> 'known_state' or change_point.regression_id is not null)
               order by commit.ordinal
               limit 1
           ) as next on true
           group by member.regression_id
           having bool_and(coalesce(next.regression_id = member.regression_id and next.is_up <> member.is_up, false))"#,
        regression_ids,
    )
    .fetch_all(connection)
    .await?;
    Ok(rows.into_iter().map(|row| (row.regression_id, row.commit_id)).collect())
}

/// Marks regressions as fixed by a commit, unless a user has set another state.
pub async fn fix(
    connection: &mut PgConnection,
    fixed_by: &[(i64, i64)],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update regression set state = 'fixed', fixed_by_commit_id = fixed.commit_id, updated_at = $3
         from unnest($1::bigint[], $2::bigint[]) as fixed (regression_id, commit_id)
         where regression.regression_id = fixed.regression_id and state in ('new', 'acknowledged', 'machine')",
        &fixed_by.iter().map(|(regression_id, _)| *regression_id).collect::<Vec<_>>(),
        &fixed_by.iter().map(|(_, commit_id)| *commit_id).collect::<Vec<_>>(),
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}
