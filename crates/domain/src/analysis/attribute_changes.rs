//! Attributes changes: finds their cause, the regression that they belong to, and the earlier change that they
//! reverse.

use super::evidence::{EvidenceLoader, EvidenceRequest, Levels};
use super::{AnalysisError, Direction, backfill, suspect};
use chrono::{DateTime, TimeDelta, Utc};
use futures_util::TryStreamExt as _;
use roundtrip_stats::cause::Cause;
use roundtrip_storage as db;
use roundtrip_storage::change_point::{self, ChangeKind, ChangePointRow, Track, store};
use roundtrip_storage::notification::outbox;
use roundtrip_storage::reference_series::Subject;
use roundtrip_storage::regression::RegressionKind;
use roundtrip_storage::regression::grouping::{self, Open};
use sqlx::{PgConnection, PgPool};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::pin::pin;

/// The time for which an unexplained cause is evaluated again.
const REEVALUATED_FOR: TimeDelta = TimeDelta::days(14);
/// The number of changes that are evaluated again at a time.
const REEVALUATED_MAX: i64 = 20;
/// A change reverses another if it ends within this fraction of that change's size from its starting level.
const BACK_WITHIN: f64 = 1.0 / 3.0;

/// Explains and groups new or refined changes of one machine, and evaluates unexplained ones again. The
/// projects are locked.
pub(super) async fn attribute_changes(
    pool: &PgPool,
    connection: &mut PgConnection,
    change_point_ids: &[i64],
    project_ids: &BTreeSet<i64>,
) -> Result<(), AnalysisError> {
    let now = Utc::now();
    let mut rows = change_point::find(connection, change_point_ids).await?;
    let new: HashSet<i64> = change_point_ids.iter().copied().collect();
    for &project_id in project_ids {
        let again =
            change_point::unexplained(connection, project_id, now - REEVALUATED_FOR, REEVALUATED_MAX).await?;
        rows.extend(again.into_iter().filter(|row| !new.contains(&row.change_point_id)));
    }
    rows.retain(|row| row.found.matters && row.found.track.figure.has_regressions());
    if rows.is_empty() {
        return Ok(());
    }
    // Earlier changes first, because a later one may reverse them.
    rows.sort_by_key(|row| (row.found.ordinal, row.change_point_id));
    let series_ids = each(rows.iter().map(|row| row.found.track.series_id));
    let history = History(change_point::of_tracks(&mut *connection, &series_ids).await?);
    let causes = explain(pool, connection, &rows, &series_ids, &history).await?;
    // More is known about the location or cause of these.
    let mut touched = each(rows.iter().filter_map(|row| row.regression_id));
    grouping::narrow(connection, &touched, now).await?;
    let mut reversed = Vec::new();
    for &project_id in project_ids {
        let ungrouped = rows.iter().filter(|row| row.project_id == project_id && row.regression_id.is_none());
        let ungrouped: Vec<&ChangePointRow> = ungrouped.collect();
        if ungrouped.is_empty() {
            continue;
        }
        let mut groups = Groups::load(connection, project_id, &ungrouped, now).await?;
        for row in ungrouped {
            let cause = causes.get(&row.change_point_id).copied().unwrap_or(Cause::Unknown);
            groups.add(connection, row, cause, &history).await?;
        }
        let members: Vec<(i64, i64)> = groups.members.into_iter().collect();
        store::assign(connection, &members).await?;
        touched.extend(members.into_iter().map(|(_, regression_id)| regression_id));
        reversed.extend(groups.reversed);
    }
    let touched = each(touched);
    grouping::narrow(connection, &touched, now).await?;
    let fixed = grouping::fully_reversed(connection, &reversed).await?;
    grouping::fix(connection, &fixed, now).await?;
    queue_notifications(connection, &rows, &touched, &fixed, now).await?;
    backfill::request(pool, connection, &touched, now).await?;
    Ok(())
}

/// Stores the notifications in the same transaction as the findings, so that each is sent once.
async fn queue_notifications(
    connection: &mut PgConnection,
    rows: &[ChangePointRow],
    touched: &[i64],
    fixed: &[(i64, i64)],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    outbox::queue_found(connection, touched, now).await?;
    let fixed: Vec<i64> = fixed.iter().map(|(regression_id, _)| *regression_id).collect();
    outbox::queue_fixed(connection, &fixed, now).await?;
    let project_ids = each(rows.iter().map(|row| row.project_id));
    for project_id in project_ids {
        let machine_ids =
            each(rows.iter().filter(|row| row.project_id == project_id).map(|row| row.machine_id));
        for (machine_id, why) in suspect::why(connection, project_id, &machine_ids).await? {
            outbox::queue_machine(connection, project_id, machine_id, &format!("is suspect: {why}"), now)
                .await?;
        }
    }
    Ok(())
}

/// Each key once, in order.
fn each(keys: impl IntoIterator<Item = i64>) -> Vec<i64> {
    keys.into_iter().collect::<BTreeSet<_>>().into_iter().collect()
}

/// Attributes each change with the reference series, and stores the result.
async fn explain(
    pool: &PgPool,
    connection: &mut PgConnection,
    rows: &[ChangePointRow],
    series_ids: &[i64],
    history: &History,
) -> Result<HashMap<i64, Cause>, AnalysisError> {
    let subjects = db::reference_series::subjects(pool, series_ids).await?;
    let subjects: HashMap<i64, Subject> =
        subjects.into_iter().map(|subject| (subject.series_id, subject)).collect();
    let requests = rows.iter().filter_map(|row| {
        let subject = subjects.get(&row.found.track.series_id)?;
        Some(EvidenceRequest::new(row, *subject, history.levels(row)))
    });
    let requests: Vec<EvidenceRequest> = requests.collect();
    let loader = EvidenceLoader::new(pool, &requests).await?;
    let mut batches = pin!(loader.classify(requests));
    let mut causes = HashMap::new();
    while let Some(attributions) = batches.try_next().await? {
        store::explain(connection, &attributions).await?;
        causes.extend(attributions.into_iter().map(|one| (one.change_point_id, one.cause)));
    }
    Ok(causes)
}

/// All changes of some tracks, in commit order.
struct History(HashMap<Track, Vec<ChangePointRow>>);

impl History {
    /// The changes before and after a change.
    fn around(&self, row: &ChangePointRow) -> (&[ChangePointRow], &[ChangePointRow]) {
        let all = self.0.get(&row.found.track).map_or(&[][..], Vec::as_slice);
        let before = all.partition_point(|other| other.found.ordinal < row.found.ordinal);
        let after = all.partition_point(|other| other.found.ordinal <= row.found.ordinal);
        (&all[..before], &all[after..])
    }

    /// The commits of the levels before and after a change.
    fn levels(&self, row: &ChangePointRow) -> Levels {
        let (before, after) = self.around(row);
        let found = &row.found;
        let is_before_drift = |other: &ChangePointRow| other.found.ordinal <= found.after_ordinal;
        let (before, small_steps) = match found.kind {
            ChangeKind::Drift => before.split_at(before.partition_point(is_before_drift)),
            ChangeKind::Step | ChangeKind::KnownState => (before, &[][..]),
        };
        // The level before a drift ends at the first of its small steps.
        let until = small_steps.first().map_or(0, |step| step.found.after_ordinal).max(found.after_ordinal);
        Levels {
            before: (before.last().map_or(0, |other| other.found.ordinal), until),
            after: (found.until_ordinal, after.first().map_or(i64::MAX, |other| other.found.ordinal - 1)),
        }
    }
}

/// The open regressions of a project, and the regression that each change joins.
struct Groups {
    open: Vec<Open>,
    /// Why machines are suspect.
    suspect: HashMap<i64, String>,
    members: HashMap<i64, i64>,
    /// Regressions that a change reverses.
    reversed: BTreeSet<i64>,
    now: DateTime<Utc>,
}

impl Groups {
    /// Loads the regressions that some changes could belong to.
    async fn load(
        connection: &mut PgConnection,
        project_id: i64,
        rows: &[&ChangePointRow],
        now: DateTime<Utc>,
    ) -> sqlx::Result<Self> {
        let after = rows.iter().map(|row| row.found.after_ordinal).min().unwrap_or(0);
        let until = rows.iter().map(|row| row.found.until_ordinal).max().unwrap_or(0);
        let machine_ids = each(rows.iter().map(|row| row.machine_id));
        Ok(Self {
            open: grouping::open(connection, project_id, (after, until)).await?,
            suspect: suspect::why(connection, project_id, &machine_ids).await?,
            members: HashMap::new(),
            reversed: BTreeSet::new(),
            now,
        })
    }

    /// Adds a change to the regression that it reverses, or else to the newest one that it belongs to.
    /// Otherwise starts a new regression, unless the machine only switched to a known state.
    async fn add(
        &mut self,
        connection: &mut PgConnection,
        row: &ChangePointRow,
        cause: Cause,
        history: &History,
    ) -> sqlx::Result<()> {
        if let Some(regression_id) = self.reversed_by(row, cause, history) {
            self.members.insert(row.change_point_id, regression_id);
            self.reversed.insert(regression_id);
            return Ok(());
        }
        if row.found.kind == ChangeKind::KnownState && cause != Cause::Commit {
            return Ok(());
        }
        let direction = row.direction();
        let regression_id = if let Some(open) =
            self.open.iter_mut().rev().find(|open| accepts(open, row, direction, cause))
        {
            open.after_ordinal = open.after_ordinal.max(row.found.after_ordinal);
            open.until_ordinal = open.until_ordinal.min(row.found.until_ordinal);
            open.regression_id
        } else {
            let held_because = self.suspect.get(&row.machine_id).filter(|_| cause != Cause::Machine);
            let held_because = held_because.map(|why| format!("its machine is suspect: {why}"));
            let regression_id =
                grouping::begin(connection, row, direction, cause, held_because.as_deref(), self.now).await?;
            self.open.push(Open {
                regression_id,
                direction,
                kind: row.found.kind.into(),
                machine_ids: if cause == Cause::Machine { vec![row.machine_id] } else { Vec::new() },
                after_ordinal: row.found.after_ordinal,
                until_ordinal: row.found.until_ordinal,
            });
            regression_id
        };
        self.members.insert(row.change_point_id, regression_id);
        Ok(())
    }

    /// The regression of the previous change, if this change returns to the level before it. A change that
    /// only reversed another cannot be reversed itself: if the slowdown returns, it is a new regression. So is
    /// a slowdown that undoes an improvement, unless the machine caused it.
    fn reversed_by(&self, row: &ChangePointRow, cause: Cause, history: &History) -> Option<i64> {
        if row.direction() == Direction::Regressed && cause != Cause::Machine {
            return None;
        }
        let previous = self.previous(row, history)?;
        let regression_id = self.regression_of(previous)?;
        let was_reversing = self.previous(previous, history).is_some_and(|earlier| {
            self.regression_of(earlier) == Some(regression_id)
                && earlier.found.is_up() != previous.found.is_up()
        });
        (reverses(row, previous) && !was_reversing).then_some(regression_id)
    }

    /// The previous change that matters. A known state counts only as part of a regression.
    fn previous<'a>(&self, row: &ChangePointRow, history: &'a History) -> Option<&'a ChangePointRow> {
        let counts = |other: &&ChangePointRow| {
            other.found.matters
                && (other.found.kind != ChangeKind::KnownState || self.regression_of(other).is_some())
        };
        history.around(row).0.iter().rev().find(counts)
    }

    fn regression_of(&self, row: &ChangePointRow) -> Option<i64> {
        row.regression_id.or_else(|| self.members.get(&row.change_point_id).copied())
    }
}

/// Whether a change belongs to an open regression: same direction, kind and kind of cause, overlapping commit
/// range, and the same machine if a machine is the cause.
fn accepts(open: &Open, row: &ChangePointRow, direction: Direction, cause: Cause) -> bool {
    let is_of_kind = match cause {
        Cause::Machine => open.machine_ids.contains(&row.machine_id),
        Cause::Commit | Cause::Unknown => open.machine_ids.is_empty(),
    };
    is_of_kind
        && open.direction == direction
        && open.kind == RegressionKind::from(row.found.kind)
        && open.after_ordinal < row.found.until_ordinal
        && row.found.after_ordinal < open.until_ordinal
}

/// Whether a change returns to the level before another change of the same track.
fn reverses(row: &ChangePointRow, previous: &ChangePointRow) -> bool {
    let [there, back] = [previous, row].map(|row| (row.found.after_level / row.found.before_level).ln());
    let left = (row.found.after_level / previous.found.before_level).ln();
    there * back < 0.0 && left.abs() <= BACK_WITHIN * there.abs()
}
