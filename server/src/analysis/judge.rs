//! What follows from changes: what made each, which of them belong together, and which take back an earlier one.

use super::witness::Court;
use super::{AnalysisError, backfill, suspect};
use crate::db::change_point::{self, Row};
use crate::db::regression::grouping::{self, Member};
use crate::db::witness::{self, Subject};
use crate::routes::charts::changes::Direction;
use chrono::{DateTime, TimeDelta, Utc};
use roundtrip_stats::cause::Cause;
use sqlx::{PgConnection, PgPool};
use std::collections::{BTreeSet, HashMap};

/// For how long witnesses are asked again of a change that nobody could explain, and of how many at once.
const ASKED_AGAIN_FOR: TimeDelta = TimeDelta::days(14);
const ASKED_AGAIN_MAX: i64 = 20;
/// A change takes another one back when it ends within this part of it from where that one began.
const BACK_WITHIN: f64 = 1.0 / 3.0;

/// Explains and groups changes that are new or were refined, all of one machine. Witnesses are asked again of what nobody
/// could explain.
pub(super) async fn judge(
    pool: &PgPool,
    connection: &mut PgConnection,
    change_point_ids: &[i64],
    project_ids: &BTreeSet<i64>,
) -> Result<(), AnalysisError> {
    let now = Utc::now();
    let mut court = Court::new(pool);
    for &project_id in project_ids {
        grouping::lock(connection, project_id).await?;
    }
    let mut rows = change_point::find(connection, change_point_ids).await?;
    rows.retain(|row| row.found.matters);
    // An earlier change first: a later one may take it back.
    rows.sort_by_key(|row| (row.found.ordinal, row.change_point_id));
    for &project_id in project_ids {
        let again =
            change_point::unexplained(connection, project_id, now - ASKED_AGAIN_FOR, ASKED_AGAIN_MAX).await?;
        rows.extend(
            again
                .into_iter()
                .filter(|row| row.found.matters && !change_point_ids.contains(&row.change_point_id)),
        );
    }
    let series_ids: Vec<i64> = rows.iter().map(|row| row.found.track.series_id).collect();
    let subjects = witness::subjects(pool, &series_ids).await?;
    let subjects: HashMap<i64, Subject> =
        subjects.into_iter().map(|subject| (subject.series_id, subject)).collect();
    let mut touched = BTreeSet::new();
    for row in &rows {
        let Some(subject) = subjects.get(&row.found.track.series_id) else { continue };
        let levels = change_point::levels(connection, row).await?;
        let heard = court.hear(row, subject, levels).await?;
        grouping::explain(connection, row.change_point_id, heard.cause, &heard.witnesses).await?;
        touched.insert(match row.regression_id {
            // It is known better where it is, or what made it.
            Some(regression_id) => {
                grouping::narrow(connection, regression_id, now).await?;
                regression_id
            }
            None => group(connection, row, heard.cause, now).await?,
        });
    }
    let touched: Vec<i64> = touched.into_iter().collect();
    backfill::request(connection, &touched, now).await?;
    Ok(())
}

/// Makes a change part of the regression that it takes back, or else of one that it belongs to, and tells which.
async fn group(
    connection: &mut PgConnection,
    row: &Row,
    cause: Cause,
    now: DateTime<Utc>,
) -> Result<i64, AnalysisError> {
    let previous = change_point::previous(connection, row).await?;
    let taken_back =
        previous.filter(|previous| takes_back(row, previous)).and_then(|previous| previous.regression_id);
    if let Some(regression_id) = taken_back {
        grouping::assign(connection, row.change_point_id, regression_id).await?;
        if let Some(commit_id) = grouping::went_back_at(connection, regression_id).await? {
            grouping::fix(connection, regression_id, commit_id, now).await?;
        }
        return Ok(regression_id);
    }
    let held_because = if cause == Cause::Machine {
        None
    } else {
        suspect::why(connection, row.project_id, &[row.machine_id]).await?.remove(&row.machine_id)
    };
    let held_because = held_because.map(|why| format!("its machine is suspect: {why}"));
    let member = Member {
        change_point_id: row.change_point_id,
        project_id: row.project_id,
        machine_id: row.machine_id,
        direction: Direction::of(row.found.change()).name(),
        cause,
        held_because,
    };
    Ok(grouping::join(connection, &member, now).await?)
}

/// Whether a change goes back to where the level was before another one of the same track.
fn takes_back(row: &Row, previous: &Row) -> bool {
    let [there, back] = [previous, row].map(|row| (row.found.after_ns / row.found.before_ns).ln());
    let left = (row.found.after_ns / previous.found.before_ns).ln();
    there * back < 0.0 && left.abs() <= BACK_WITHIN * there.abs()
}
