//! Change points. [`store`]: writes them in batches.

use chrono::{DateTime, Utc};
use roundtrip_stats::change_point::Kind;
use roundtrip_wire::Better;
use serde::Serialize;
use sqlx::types::Json;
use sqlx::{PgConnection, PgExecutor};
use std::collections::HashMap;

pub mod store;

/// The points of a series that belong together: those of one environment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[expect(missing_docs, reason = "the columns of table change_point, described there")]
pub struct Track {
    pub series_id: i64,
    pub environment_id: i64,
    pub figure: Figure,
}

text_enum! {
    /// What is searched for changes: a column of a point, or a ratio of two.
    #[derive(Hash, PartialOrd, Ord)]
    pub enum Figure {
        /// The median over the repetitions' medians.
        P50,
        /// The 99 % quantile of all operations.
        P99,
        /// The p99 divided by the p50, a ratio.
        Tail,
    }
}

text_enum! {
    /// The cause of a change.
    pub enum ChangeCause {
        /// A commit.
        Commit,
        /// The machine.
        Machine,
        /// The evidence is inconclusive.
        Unknown,
    }
}

text_enum! {
    /// The kind of a change.
    #[derive(Default)]
    pub enum ChangeKind {
        /// The level changes at one commit.
        #[default]
        Step,
        /// Small steps add up.
        Drift,
        /// The machine switched between two levels that it had before.
        #[serde(rename = "known_state")]
        #[sqlx(rename = "known_state")]
        #[strum(serialize = "known_state")]
        KnownState,
    }
}

text_enum! {
    /// The direction of a change.
    pub enum Direction {
        /// Worse: slower, or more or less of another measure.
        Regressed,
        /// Better.
        Improved,
    }
}

impl Direction {
    /// The direction of a relative change.
    pub fn from_change(change: f64, better: Better) -> Self {
        if (change > 0.0) == (better == Better::Lower) { Self::Regressed } else { Self::Improved }
    }
}

impl From<Kind> for ChangeKind {
    fn from(kind: Kind) -> Self {
        match kind {
            Kind::Step => Self::Step,
            Kind::Drift => Self::Drift,
            Kind::KnownState => Self::KnownState,
        }
    }
}

impl Figure {
    /// All figures.
    pub const ALL: [Self; 3] = [Self::P50, Self::P99, Self::Tail];

    /// Whether its changes get a cause and become regressions. A change of the tail would repeat the one of the p50 or p99
    /// that makes it.
    pub fn has_regressions(self) -> bool {
        self != Self::Tail
    }
}

/// A detected change, with ordinals. They can change, so the keys of commits are stored instead.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[expect(missing_docs, reason = "the columns of table change_point, described there")]
pub struct Found {
    #[serde(flatten)]
    pub track: Track,
    #[serde(skip)]
    pub ordinal: i64,
    /// The newest measured commit before the change's interval. For a drift, the commit at which the level before it began.
    #[serde(skip)]
    pub after_ordinal: i64,
    /// The last commit of the interval.
    #[serde(skip)]
    pub until_ordinal: i64,
    /// The possible first commits of the new level, with their probabilities; none for a drift.
    #[serde(skip)]
    pub places: Vec<(i64, f64)>,
    pub before_level: f64,
    pub after_level: f64,
    pub confidence: f64,
    pub matters: bool,
    pub kind: ChangeKind,
    /// The paired comparison that confirmed it; none if the detector found it.
    #[serde(skip)]
    pub confirmed: Option<ByComparison>,
}

/// A paired comparison that confirmed a change after its first commit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[expect(missing_docs, reason = "the columns of table suspicion, described there")]
pub struct ByComparison {
    pub suspicion_id: i64,
    pub job_id: Option<i64>,
    /// The ordinal of the base.
    pub after_ordinal: i64,
    /// The ordinal of the suspected commit.
    pub until_ordinal: i64,
}

/// A stored change.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table change_point, described there")]
pub struct ChangePointRow {
    pub change_point_id: i64,
    pub found: Found,
    /// Which values of its series are better.
    pub better: Better,
    pub machine_id: i64,
    pub project_id: i64,
    /// The cause; none until it has been evaluated.
    pub cause: Option<ChangeCause>,
    /// The evidence, as sentences.
    pub witnesses: Vec<String>,
    pub regression_id: Option<i64>,
    pub found_at: DateTime<Utc>,
    pub commit_sha: String,
}

impl Found {
    /// Whether values are larger after it.
    pub fn is_up(&self) -> bool {
        self.after_level > self.before_level
    }

    /// By how much values are larger, as a share.
    pub fn change(&self) -> f64 {
        self.after_level / self.before_level - 1.0
    }
}

impl ChangePointRow {
    /// Whether it made the series worse or better.
    pub fn direction(&self) -> Direction {
        Direction::from_change(self.found.change(), self.better)
    }
}

/// Changes that match the condition and were not withdrawn, with current ordinals.
macro_rules! select_change_points {
    ($condition:literal, $($argument:expr),+ $(,)?) => {
        sqlx::query!(
            r#"select change_point.change_point_id, change_point.series_id, change_point.environment_id,
                      series.machine_id, series.project_id, change_point.figure as "figure: Figure", commit.ordinal,
                      after_commit.ordinal as after_ordinal, until_commit.ordinal as until_ordinal,
                      (select coalesce(jsonb_agg(jsonb_build_array(placed.ordinal, place -> 1) order by placed.ordinal), '[]')
                       from jsonb_array_elements(change_point.places) as place
                       join commit as placed on placed.commit_id = (place ->> 0)::bigint
                      ) as "places!: Json<Vec<(i64, f64)>>",
                      change_point.before_level, change_point.after_level, change_point.confidence, change_point.matters,
                      change_point.kind as "kind: ChangeKind", change_point.higher_is_better,
                      change_point.cause as "cause: ChangeCause", change_point.witnesses, change_point.regression_id, change_point.found_at,
                      commit.sha as commit_sha, suspicion.suspicion_id as "suspicion_id?", suspicion.job_id as "job_id?",
                      base.ordinal as "base_ordinal?", suspected.ordinal as "suspected_ordinal?"
               from change_point
               join series on series.series_id = change_point.series_id
               join commit on commit.commit_id = change_point.commit_id
               join commit as after_commit on after_commit.commit_id = change_point.after_commit_id
               join commit as until_commit on until_commit.commit_id = change_point.until_commit_id
               left join suspicion on suspicion.suspicion_id = change_point.suspicion_id
               left join commit as base on base.commit_id = suspicion.base_commit_id
               left join commit as suspected on suspected.commit_id = suspicion.commit_id
               where change_point.withdrawn_at is null and "# + $condition + r#"
               order by change_point.series_id, commit.ordinal, change_point.change_point_id"#,
            $($argument),+
        )
        .map(|row| ChangePointRow {
                change_point_id: row.change_point_id,
                found: Found {
                    track: Track {
                        series_id: row.series_id,
                        environment_id: row.environment_id,
                        figure: row.figure,
                    },
                    ordinal: row.ordinal,
                    after_ordinal: row.after_ordinal,
                    until_ordinal: row.until_ordinal,
                    places: row.places.0,
                    before_level: row.before_level,
                    after_level: row.after_level,
                    confidence: row.confidence,
                    matters: row.matters,
                    kind: row.kind,
                    confirmed: row.suspicion_id.zip(row.base_ordinal.zip(row.suspected_ordinal)).map(
                        |(suspicion_id, (after_ordinal, until_ordinal))| ByComparison {
                            suspicion_id,
                            job_id: row.job_id,
                            after_ordinal,
                            until_ordinal,
                        },
                    ),
                },
                better: if row.higher_is_better { Better::Higher } else { Better::Lower },
                machine_id: row.machine_id,
                project_id: row.project_id,
                cause: row.cause,
                witnesses: row.witnesses,
                regression_id: row.regression_id,
                found_at: row.found_at,
                commit_sha: row.commit_sha,
        })
    };
}

/// The changes of some series, by series and ordinal.
pub async fn of_series(
    executor: impl PgExecutor<'_>,
    series_ids: &[i64],
) -> sqlx::Result<Vec<ChangePointRow>> {
    select_change_points!("change_point.series_id = any($1)", series_ids).fetch_all(executor).await
}

/// The same by track, each in commit order.
pub async fn of_tracks(
    executor: impl PgExecutor<'_>,
    series_ids: &[i64],
) -> sqlx::Result<HashMap<Track, Vec<ChangePointRow>>> {
    let mut tracks: HashMap<Track, Vec<ChangePointRow>> = HashMap::new();
    for row in of_series(executor, series_ids).await? {
        tracks.entry(row.found.track).or_default().push(row);
    }
    Ok(tracks)
}

/// The changes of some regressions, by series and ordinal.
pub async fn of_regressions(
    executor: impl PgExecutor<'_>,
    regression_ids: &[i64],
) -> sqlx::Result<Vec<ChangePointRow>> {
    select_change_points!("change_point.regression_id = any($1)", regression_ids).fetch_all(executor).await
}

/// Changes by id, ordered by series and ordinal.
pub async fn find(
    connection: &mut PgConnection,
    change_point_ids: &[i64],
) -> sqlx::Result<Vec<ChangePointRow>> {
    select_change_points!("change_point.change_point_id = any($1)", change_point_ids)
        .fetch_all(connection)
        .await
}

/// Changes with an unknown cause on any machine of a project, found since a time; newest first. Skips rows
/// locked by others.
pub async fn unexplained(
    connection: &mut PgConnection,
    project_id: i64,
    since: DateTime<Utc>,
    limit: i64,
) -> sqlx::Result<Vec<ChangePointRow>> {
    let ids = sqlx::query_scalar!(
        "select change_point.change_point_id
         from change_point
         join series on series.series_id = change_point.series_id
         where series.project_id = $1 and change_point.cause = 'unknown' and change_point.withdrawn_at is null
           and change_point.found_at >= $2
         order by change_point.change_point_id desc
         limit $3
         for update of change_point skip locked",
        project_id,
        since,
        limit,
    )
    .fetch_all(&mut *connection)
    .await?;
    find(connection, &ids).await
}

/// The number of commits, among each machine's newest runs of a project, with changes that match a condition.
macro_rules! count_changed_commits {
    ($condition:literal, $connection:expr, $project_id:expr, $machine_ids:expr, $newest_runs:expr) => {
        sqlx::query!(
            r#"select wanted.machine_id as "machine_id!", count(distinct change_point.commit_id) as "count!"
               from unnest($2::bigint[]) as wanted (machine_id)
               cross join lateral (
                   select distinct newest.commit_id
                   from (
                       select run.commit_id from run
                       where run.project_id = $1 and run.machine_id = wanted.machine_id and not run.quarantined and not run.superseded
                       order by run.run_id desc
                       limit $3
                   ) as newest
               ) as measured
               join change_point on change_point.commit_id = measured.commit_id and change_point.withdrawn_at is null
                                and "# + $condition + r#"
               join series on series.series_id = change_point.series_id and series.machine_id = wanted.machine_id
               group by wanted.machine_id"#,
            $project_id,
            $machine_ids,
            $newest_runs,
        )
        .map(|row| (row.machine_id, row.count))
        .fetch_all($connection)
        .await
        .map(|rows| rows.into_iter().collect())
    };
}

/// The number of commits, among each machine's newest runs of a project, where the machine caused changes.
pub async fn machine_faults(
    connection: &mut PgConnection,
    project_id: i64,
    machine_ids: &[i64],
    newest_runs: i64,
) -> sqlx::Result<HashMap<i64, i64>> {
    count_changed_commits!("change_point.cause = 'machine'", connection, project_id, machine_ids, newest_runs)
}

/// The number of commits, among each machine's newest runs of a project, where a series switched between known states
/// for another reason than the commit. Changes that do not matter and those of the tail have no reason and are not counted.
pub async fn known_state_changes(
    connection: &mut PgConnection,
    project_id: i64,
    machine_ids: &[i64],
    newest_runs: i64,
) -> sqlx::Result<HashMap<i64, i64>> {
    count_changed_commits!(
        "change_point.kind = 'known_state' and change_point.matters and change_point.figure <> 'tail'
         and change_point.cause is distinct from 'commit'",
        connection,
        project_id,
        machine_ids,
        newest_runs
    )
}
