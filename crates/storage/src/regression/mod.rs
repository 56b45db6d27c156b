//! Regressions: changes with one cause, and their triage. [`grouping`]: which changes belong to which. [`timeline`]: comments,
//! and the history of triage.

use crate::change_point::{ChangeCause, ChangeKind, Direction};
use chrono::{DateTime, Utc};
use roundtrip_wire::Explanation;
use serde::Serialize;
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use utoipa::ToSchema;
use uuid::Uuid;

pub mod grouping;
pub mod timeline;

text_enum! {
    /// The triage state of a regression.
    pub enum State {
        /// Not triaged.
        New,
        /// Being worked on, or accepted.
        Acknowledged,
        /// Back to the baseline.
        Fixed,
        /// Not a regression.
        Invalid,
        /// Caused by a machine, not a commit.
        Machine,
    }
}

text_enum! {
    /// The kind of a regression.
    #[derive(Default)]
    pub enum RegressionKind {
        /// One commit is the cause.
        #[default]
        Step,
        /// Small steps add up over its commits.
        Drift,
    }
}

impl From<ChangeKind> for RegressionKind {
    fn from(kind: ChangeKind) -> Self {
        match kind {
            ChangeKind::Step | ChangeKind::KnownState => Self::Step,
            ChangeKind::Drift => Self::Drift,
        }
    }
}

/// Changes of several series with one cause, for the worse or the better.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct Regression {
    /// Its number in links.
    pub regression_id: i64,
    /// The project.
    pub project: String,
    /// Worse or better.
    pub direction: Direction,
    /// `step`, or `drift`: small steps that add up since `after_commit`. A drift has no suspect commits.
    pub kind: RegressionKind,
    /// The triage state.
    pub state: State,
    /// The cause.
    pub cause: ChangeCause,
    /// Why its alerts are held; null if they are not.
    #[schema(required)]
    pub held_because: Option<String>,
    /// The newest commit that was measured before all of its changes. It is not a suspect. For a drift, the commit at
    /// which the level before it began.
    pub after_commit: CommitPlace,
    /// The oldest commit that was measured after all of its changes: the last suspect.
    pub until_commit: CommitPlace,
    /// The commit that paired comparisons confirmed as the cause.
    #[schema(required)]
    pub culprit_commit: Option<CommitPlace>,
    /// The commit that brought it back to the baseline.
    #[schema(required)]
    pub fixed_by_commit: Option<CommitPlace>,
    /// Why it is slower, by the newest comparison of the culprit or the last suspect in one of the changed cases.
    #[schema(value_type = Option<Explanation>, required)]
    pub explanation: Option<StoredExplanation>,
    /// Series that changed.
    pub series_count: i64,
    /// Whether all of them are times, so that worse means slower.
    pub is_time: bool,
    /// Machines with these changes, by name.
    pub machines: Vec<String>,
    /// The largest change, as a share: of p50 where a series has one.
    #[schema(required)]
    pub worst_change: Option<f64>,
    /// The assignee's account name.
    #[schema(required)]
    pub assignee: Option<String>,
    /// The users' note.
    #[schema(required)]
    pub note: Option<String>,
    /// The issue link.
    #[schema(required)]
    pub bug_url: Option<String>,
    /// Until when its notifications are muted.
    #[schema(required)]
    pub muted_until: Option<DateTime<Utc>>,
    /// When its first change was found.
    pub created_at: DateTime<Utc>,
    /// When it last changed.
    pub updated_at: DateTime<Utc>,
}

/// Why a commit is slower, and the result that it belongs to.
#[derive(Clone, Debug, Serialize, sqlx::Decode)]
pub struct StoredExplanation {
    /// As in the report.
    #[serde(flatten)]
    pub contents: Json<Explanation>,
    /// The run.
    #[serde(skip)]
    pub run_id: Uuid,
    /// The series.
    #[serde(skip)]
    pub series_id: i64,
}

is_record!(StoredExplanation);

/// A commit and its place.
#[derive(Clone, Debug, Serialize, ToSchema, sqlx::Decode)]
pub struct CommitPlace {
    /// Full object name.
    pub sha: String,
    /// Commits on the first-parent path from the root, itself included.
    pub ordinal: i64,
    /// First line of the message.
    #[serde(skip)]
    pub subject: String,
    /// Name of the author.
    #[serde(skip)]
    pub author: String,
}

is_record!(CommitPlace);

macro_rules! select_regressions {
    ($condition:literal, $($argument:expr),+ $(,)?) => {
        sqlx::query_as!(
            Regression,
            r#"select regression.regression_id, project.slug as project,
                      regression.direction as "direction: Direction", regression.kind as "kind: RegressionKind",
                      regression.state as "state: State", regression.cause as "cause: ChangeCause",
                      regression.held_because,
                      (after_commit.sha, after_commit.ordinal, after_commit.subject, after_commit.author)
                          as "after_commit!: CommitPlace",
                      (until_commit.sha, until_commit.ordinal, until_commit.subject, until_commit.author)
                          as "until_commit!: CommitPlace",
                      case when culprit.sha is not null
                          then (culprit.sha, culprit.ordinal, culprit.subject, culprit.author)
                      end as "culprit_commit?: CommitPlace",
                      case when fixed_by.sha is not null
                          then (fixed_by.sha, fixed_by.ordinal, fixed_by.subject, fixed_by.author)
                      end as "fixed_by_commit?: CommitPlace",
                      (select (explanation.contents, explanation.run_id, explanation.series_id)
                       from explanation
                       join series on series.series_id = explanation.series_id
                       where explanation.commit_id = coalesce(regression.culprit_commit_id, regression.until_commit_id)
                         and exists (
                             select from change_point
                             join series as changed on changed.series_id = change_point.series_id
                             where change_point.regression_id = regression.regression_id
                               and change_point.withdrawn_at is null and changed.case_id = series.case_id
                         )
                       order by explanation.explanation_id desc
                       limit 1) as "explanation: StoredExplanation",
                      account.name as "assignee?", regression.note, regression.bug_url,
                      regression.muted_until_at as muted_until, regression.created_at, regression.updated_at,
                      changed.series_count as "series_count!", changed.is_time as "is_time!",
                      changed.machines as "machines!",
                      changed.worst_change
               from regression
               join project on project.project_id = regression.project_id
               join commit as after_commit on after_commit.commit_id = regression.after_commit_id
               join commit as until_commit on until_commit.commit_id = regression.until_commit_id
               left join commit as culprit on culprit.commit_id = regression.culprit_commit_id
               left join commit as fixed_by on fixed_by.commit_id = regression.fixed_by_commit_id
               left join account on account.account_id = regression.assignee_account_id
               cross join lateral (
                   select count(*) as series_count,
                          coalesce(bool_and(measured_case.measure is null), true) as is_time,
                          coalesce(array_agg(distinct machine.slug order by machine.slug), '{}') as machines,
                          (array_agg(told.change order by abs(ln(1 + told.change)) desc))[1] as worst_change
                   from (
                       select distinct on (series_id) series_id, after_level / before_level - 1 as change
                       from change_point
                       where change_point.regression_id = regression.regression_id and withdrawn_at is null
                         and ((after_level > before_level) <> higher_is_better) = (regression.direction = 'regressed')
                       order by series_id, figure <> 'p50', abs(ln(after_level / before_level)) desc
                   ) as told
                   join series on series.series_id = told.series_id
                   join machine on machine.machine_id = series.machine_id
                   join measured_case on measured_case.case_id = series.case_id
               ) as changed
               where "# + $condition,
            $($argument),+
        )
    };
}

/// The regressions to list.
#[derive(Clone, Debug, Default)]
pub struct Filter {
    /// In these states; in any if empty.
    pub states: Vec<State>,
    /// In this direction.
    pub direction: Option<Direction>,
    /// Whether to include muted and held ones.
    pub with_quiet: bool,
    /// Only those that begin or end at this commit, by its full object name.
    pub commit_sha: Option<String>,
}

/// The regressions of a project before one, newest first.
pub async fn list(
    pool: &PgPool,
    project_id: i64,
    filter: &Filter,
    before: i64,
    limit: i64,
) -> sqlx::Result<Vec<Regression>> {
    let states: Vec<String> = filter.states.iter().map(ToString::to_string).collect();
    select_regressions!(
        "regression.project_id = $1 and regression.regression_id < $2
         and (cardinality($3::text[]) = 0 or regression.state = any($3))
         and ($4::text is null or regression.direction = $4)
         and ($5 or (regression.held_because is null
                     and (regression.muted_until_at is null or regression.muted_until_at <= now())))
         and ($6::text is null or fixed_by.sha = $6 or coalesce(culprit.sha, until_commit.sha) = $6)
         and changed.series_count > 0
         order by regression.regression_id desc
         limit $7",
        project_id,
        before,
        &states,
        filter.direction.as_ref().map(AsRef::<str>::as_ref),
        filter.with_quiet,
        filter.commit_sha,
        limit,
    )
    .fetch_all(pool)
    .await
}

/// One regression.
pub async fn find(pool: &PgPool, project_id: i64, regression_id: i64) -> sqlx::Result<Option<Regression>> {
    select_regressions!(
        "regression.project_id = $1 and regression.regression_id = $2",
        project_id,
        regression_id,
    )
    .fetch_optional(pool)
    .await
}

/// Some regressions, oldest first.
pub async fn find_all(
    connection: &mut PgConnection,
    regression_ids: &[i64],
) -> sqlx::Result<Vec<Regression>> {
    select_regressions!(
        "regression.regression_id = any($1) order by regression.regression_id",
        regression_ids,
    )
    .fetch_all(connection)
    .await
}

/// The number of open regressions of a project, without muted and held ones; `None` without runs.
pub async fn open_count(pool: &PgPool, project_id: i64) -> sqlx::Result<Option<i64>> {
    let row = sqlx::query!(
        r#"select exists (select from run where run.project_id = $1) as "is_measured!",
                  (select count(*) from regression
                   where regression.project_id = $1 and direction = 'regressed' and state in ('new', 'acknowledged')
                     and held_because is null and (muted_until_at is null or muted_until_at <= now())
                     and exists (
                         select from change_point
                         where change_point.regression_id = regression.regression_id and withdrawn_at is null
                           and (after_level > before_level) <> higher_is_better
                     )) as "count!""#,
        project_id,
    )
    .fetch_one(pool)
    .await?;
    Ok(row.is_measured.then_some(row.count))
}

/// The user-defined fields of a regression.
#[derive(Clone, Debug, PartialEq, Eq, serde::Serialize)]
#[expect(missing_docs, reason = "the columns of table regression, described there")]
pub struct Triage {
    pub state: State,
    pub assignee: Option<String>,
    pub note: Option<String>,
    pub bug_url: Option<String>,
    /// Until when its notifications are muted.
    pub muted_until_at: Option<DateTime<Utc>>,
}

/// The triage of a regression, locked until the transaction ends.
pub async fn lock_triage(
    connection: &mut PgConnection,
    project_id: i64,
    regression_id: i64,
) -> sqlx::Result<Option<Triage>> {
    sqlx::query_as!(
        Triage,
        r#"select regression.state as "state: State", regression.note, regression.bug_url, regression.muted_until_at,
                  (select name from account where account.account_id = regression.assignee_account_id) as assignee
           from regression
           where regression.project_id = $1 and regression.regression_id = $2
           for update"#,
        project_id,
        regression_id,
    )
    .fetch_optional(connection)
    .await
}

/// Changes the triage of a regression.
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
        triage.state.as_ref(),
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
