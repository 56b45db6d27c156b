//! Changes that one cause explains, and what people say of them.

use super::decode_error;
use chrono::{DateTime, Utc};
use roundtrip_stats::cause::Cause;
use sqlx::{PgConnection, PgPool};

/// Of advisory locks, those on projects whose changes are grouped.
const PROJECT_LOCK: i32 = 0x7274_7231;

/// How far somebody is with a regression.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize, serde::Deserialize, utoipa::ToSchema)]
#[serde(rename_all = "lowercase")]
pub enum State {
    /// Nobody has looked at it.
    New,
    /// Somebody looks after it, or lives with it.
    Acknowledged,
    /// All is as it was before.
    Fixed,
    /// It is none.
    Invalid,
    /// A machine made it, not a commit.
    Machine,
}

impl State {
    /// All there are.
    pub const ALL: [Self; 5] = [Self::New, Self::Acknowledged, Self::Fixed, Self::Invalid, Self::Machine];

    /// Its name everywhere.
    pub fn name(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Acknowledged => "acknowledged",
            Self::Fixed => "fixed",
            Self::Invalid => "invalid",
            Self::Machine => "machine",
        }
    }
}

impl std::fmt::Display for State {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(self.name())
    }
}

impl std::str::FromStr for State {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        Self::ALL
            .into_iter()
            .find(|state| state.name() == text)
            .ok_or_else(|| format!("`{text}` is no state: expected {}", Self::ALL.map(Self::name).join(", ")))
    }
}

/// A regression in full.
#[derive(Clone, Debug)]
#[expect(
    missing_docs,
    reason = "the columns of table regression, described there, and counts of its changes"
)]
pub struct Row {
    pub regression_id: i64,
    pub project_id: i64,
    pub project: String,
    pub direction: String,
    pub state: String,
    pub cause: String,
    pub held_because: Option<String>,
    pub after_ordinal: i64,
    pub after_sha: String,
    pub until_ordinal: i64,
    pub until_sha: String,
    pub fixed_by_ordinal: Option<i64>,
    pub fixed_by_sha: Option<String>,
    pub assignee: Option<String>,
    pub note: Option<String>,
    pub bug_url: Option<String>,
    pub muted_until_at: Option<DateTime<Utc>>,
    pub created_at: DateTime<Utc>,
    pub updated_at: DateTime<Utc>,
    /// Series that changed.
    pub series_count: i64,
    /// Machines on which they did.
    pub machine_count: i64,
    /// The largest of the changes in its direction, as a share.
    pub worst_change: Option<f64>,
}

macro_rules! select_regressions {
    ($condition:literal, $($argument:expr),+ $(,)?) => {
        sqlx::query_as!(
            Row,
            r#"select regression.regression_id, regression.project_id, project.slug as project, regression.direction,
                      regression.state, regression.cause, regression.held_because,
                      after_commit.ordinal as after_ordinal, after_commit.sha as after_sha,
                      until_commit.ordinal as until_ordinal, until_commit.sha as until_sha,
                      fixed_by.ordinal as "fixed_by_ordinal?", fixed_by.sha as "fixed_by_sha?",
                      account.name as "assignee?", regression.note, regression.bug_url, regression.muted_until_at,
                      regression.created_at, regression.updated_at, changed.series_count as "series_count!",
                      changed.machine_count as "machine_count!", changed.worst_change
               from regression
               join project on project.project_id = regression.project_id
               join commit as after_commit on after_commit.commit_id = regression.after_commit_id
               join commit as until_commit on until_commit.commit_id = regression.until_commit_id
               left join commit as fixed_by on fixed_by.commit_id = regression.fixed_by_commit_id
               left join account on account.account_id = regression.assignee_account_id
               cross join lateral (
                   select count(distinct change_point.series_id) as series_count,
                          count(distinct series.machine_id) as machine_count,
                          case regression.direction
                              when 'regressed' then max(change_point.after_ns / change_point.before_ns - 1)
                              else min(change_point.after_ns / change_point.before_ns - 1)
                          end as worst_change
                   from change_point
                   join series on series.series_id = change_point.series_id
                   where change_point.regression_id = regression.regression_id and change_point.withdrawn_at is null
                     and (change_point.after_ns > change_point.before_ns) = (regression.direction = 'regressed')
               ) as changed
               where "# + $condition,
            $($argument),+
        )
    };
}

/// Which regressions are wanted.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// In these states; in any when there is none.
    pub states: Vec<State>,
    /// In this direction.
    pub direction: Option<String>,
    /// Whether those that are muted or held are wanted as well.
    pub with_quiet: bool,
}

/// The regressions of a project before one, the newest first.
///
/// # Errors
/// The database does not answer.
pub async fn list(
    pool: &PgPool,
    project_id: i64,
    filter: &Filter,
    before: i64,
    limit: i64,
) -> sqlx::Result<Vec<Row>> {
    let states: Vec<String> = filter.states.iter().map(|state| state.name().to_owned()).collect();
    select_regressions!(
        "regression.project_id = $1 and regression.regression_id < $2
         and (cardinality($3::text[]) = 0 or regression.state = any($3))
         and ($4::text is null or regression.direction = $4)
         and ($5 or (regression.held_because is null
                     and (regression.muted_until_at is null or regression.muted_until_at <= now())))
         and changed.series_count > 0
         order by regression.regression_id desc
         limit $6",
        project_id,
        before,
        &states,
        filter.direction,
        filter.with_quiet,
        limit,
    )
    .fetch_all(pool)
    .await
}

/// One regression.
///
/// # Errors
/// The database does not answer.
pub async fn find(pool: &PgPool, project_id: i64, regression_id: i64) -> sqlx::Result<Option<Row>> {
    select_regressions!(
        "regression.project_id = $1 and regression.regression_id = $2",
        project_id,
        regression_id,
    )
    .fetch_optional(pool)
    .await
}

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

/// What people say of a regression.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Triage {
    /// How far they are.
    pub state: String,
    /// The name of who looks after it.
    pub assignee: Option<String>,
    /// What they say of it.
    pub note: Option<String>,
    /// Where it is talked about.
    pub bug_url: Option<String>,
    /// Until when nobody is told of it.
    pub muted_until_at: Option<DateTime<Utc>>,
}

/// What people say of a regression, with a lock on it until the transaction ends.
///
/// # Errors
/// The database does not answer.
pub async fn lock_triage(
    connection: &mut PgConnection,
    project_id: i64,
    regression_id: i64,
) -> sqlx::Result<Option<Triage>> {
    let row = sqlx::query!(
        r#"select regression.state, regression.note, regression.bug_url, regression.muted_until_at,
                  (select name from account where account.account_id = regression.assignee_account_id) as assignee
           from regression
           where regression.project_id = $1 and regression.regression_id = $2
           for update"#,
        project_id,
        regression_id,
    )
    .fetch_optional(connection)
    .await?;
    Ok(row.map(|row| Triage {
        state: row.state,
        assignee: row.assignee,
        note: row.note,
        bug_url: row.bug_url,
        muted_until_at: row.muted_until_at,
    }))
}

/// Changes what people say of a regression.
///
/// # Errors
/// The database does not answer.
pub async fn triage(
    connection: &mut PgConnection,
    regression_id: i64,
    triage: &Triage,
    assignee_account_id: Option<i64>,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update regression
         set state = $2, assignee_account_id = $3, note = $4, bug_url = $5, muted_until_at = $6, updated_at = $7,
             fixed_by_commit_id = case when $2 = 'fixed' then fixed_by_commit_id end
         where regression_id = $1",
        regression_id,
        triage.state,
        assignee_account_id,
        triage.note,
        triage.bug_url,
        triage.muted_until_at,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}

impl Row {
    /// Its state.
    ///
    /// # Errors
    /// The database holds what was never written by this server.
    pub fn state(&self) -> sqlx::Result<State> {
        self.state.parse().map_err(|error: String| decode_error(std::io::Error::other(error)))
    }

    /// What made it.
    ///
    /// # Errors
    /// The database holds what was never written by this server.
    pub fn cause(&self) -> sqlx::Result<Cause> {
        super::change_point::cause(&self.cause)
    }
}
