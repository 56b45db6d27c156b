//! Deletes uploads, distributions and points past the retention of their project. Works in small batches, and continues
//! after an interruption.

use super::{TaskError, Turn};
use chrono::{DateTime, TimeDelta, Utc};
use roundtrip_storage::project::{self, OrderLock};
use roundtrip_storage::retention::{self, Amount, Old, Part, Policy};
use roundtrip_storage::task::Lease;
use sqlx::PgPool;
use std::fmt;

const RUNS_MAX: i64 = 200;
/// Maximum points per transaction, unless one run has more.
const POINTS_MAX: i64 = 5_000;

/// Data of one project that is past its retention.
#[derive(Clone, Debug)]
pub struct Due {
    /// The retention policy.
    pub policy: Policy,
    /// The kind of data.
    pub part: Part,
    /// Data that arrived before this time is deleted.
    pub before: DateTime<Utc>,
}

/// Deleted data of one project.
#[derive(Clone, Debug)]
pub struct Removed {
    /// The data that was due.
    pub due: Due,
    /// The number of runs.
    pub run_count: u64,
}

pub(super) async fn run(turn: &Turn<'_>) -> Result<(), TaskError> {
    let removed = prune(turn.pool, Utc::now(), Some(turn.lease), || turn.is_stopped()).await?;
    for of_project in removed.iter().filter(|of_project| of_project.run_count > 0) {
        tracing::info!("{of_project}");
    }
    Ok(())
}

/// The data that would be deleted now, with its amount.
pub async fn preview(pool: &PgPool, now: DateTime<Utc>) -> sqlx::Result<Vec<(Due, Amount)>> {
    let mut preview = Vec::new();
    for due in due(&retention::policies(pool).await?, now) {
        let amount = retention::amount(pool, due.policy.project_id, due.part, due.before).await?;
        preview.push((due, amount));
    }
    Ok(preview)
}

/// Deletes all due data, while the lease is held and there is no stop signal.
pub async fn prune(
    pool: &PgPool,
    now: DateTime<Utc>,
    lease: Option<Lease>,
    is_stopped: impl Fn() -> bool,
) -> Result<Vec<Removed>, TaskError> {
    let mut removed = Vec::new();
    for due in due(&retention::policies(pool).await?, now) {
        let (mut last, mut run_count) = (None, 0);
        while !is_stopped() {
            let runs = remove_some(pool, &due, now, lease, last).await?;
            if runs.is_empty() {
                break;
            }
            run_count += runs.len() as u64;
            last = runs.last().copied();
        }
        removed.push(Removed { due, run_count });
    }
    Ok(removed)
}

/// One transaction: deletes the due part of the oldest runs after `last`.
async fn remove_some(
    pool: &PgPool,
    due: &Due,
    now: DateTime<Utc>,
    lease: Option<Lease>,
    last: Option<Old>,
) -> Result<Vec<Old>, TaskError> {
    let mut transaction = pool.begin().await?;
    super::renew(&mut transaction, lease).await?;
    let project_id = due.policy.project_id;
    // Points are found by their commits' ordinals.
    project::lock_order(&mut transaction, project_id, OrderLock::Shared).await?;
    let mut runs = retention::old(&mut transaction, project_id, due.part, due.before, last, RUNS_MAX).await?;
    runs.truncate(batch(runs.iter().map(|run| run.point_count)));
    retention::remove(&mut transaction, due.part, &runs, now).await?;
    transaction.commit().await?;
    Ok(runs)
}

/// The number of runs per transaction, from their point counts: at least one.
fn batch(point_counts: impl Iterator<Item = i32>) -> usize {
    let mut sum = 0;
    let fitting = point_counts.take_while(|count| {
        sum += i64::from(*count);
        sum <= POINTS_MAX
    });
    fitting.count().max(1)
}

/// The due parts of each policy. Points come first, because their deletion includes the other parts.
fn due(policies: &[Policy], now: DateTime<Utc>) -> Vec<Due> {
    let mut due = Vec::new();
    for policy in policies {
        for (part, days) in [
            (Part::Points, policy.point_retention_days),
            (Part::Histograms, policy.histogram_retention_days),
            (Part::Upload, policy.upload_retention_days),
        ] {
            let before = days.and_then(|days| now.checked_sub_signed(TimeDelta::days(days.into())));
            due.extend(before.map(|before| Due { policy: policy.clone(), part, before }));
        }
    }
    due
}

impl fmt::Display for Due {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let what = match self.part {
            Part::Upload => "uploads",
            Part::Histograms => "distributions",
            Part::Points => "points",
        };
        write!(formatter, "{}: {what} from before {}", self.policy.project, self.before.format("%Y-%m-%d"))
    }
}

impl fmt::Display for Removed {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{} were deleted from {} runs", self.due, self.run_count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transaction_has_as_many_runs_as_fit() {
        assert_eq!(batch([2_000; 9].into_iter()), 2);
        assert_eq!(batch([5_000, 1].into_iter()), 1);
        assert_eq!(batch([9_000, 1].into_iter()), 1);
        assert_eq!(batch([0; 9].into_iter()), 9);
    }

    #[test]
    fn no_retention_keeps_data_forever() {
        let policy = Policy {
            project_id: 1,
            project: "libfoo".into(),
            upload_retention_days: Some(30),
            histogram_retention_days: None,
            point_retention_days: None,
        };
        let now = "2026-11-26T12:00:00Z".parse().unwrap();
        let due = due(&[policy], now);
        assert_eq!(due.len(), 1);
        assert_eq!(due[0].to_string(), "libfoo: uploads from before 2026-10-27");
    }
}
