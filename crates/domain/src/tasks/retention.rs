//! Removes what is older than its project keeps it: uploads, distributions, points. Little by little, so that nothing else
//! has to wait, and again from where it was when it is cut short.

use super::{LEASE, TaskError, Turn};
use chrono::{DateTime, TimeDelta, Utc};
use roundtrip_storage::project::{self, OrderLock};
use roundtrip_storage::retention::{self, Amount, Old, Part, Policy};
use roundtrip_storage::task::{self, Lease};
use sqlx::PgPool;
use std::fmt;

const RUNS_MAX: i64 = 200;
/// Points in one transaction, at most, unless one run has more.
const POINTS_MAX: i64 = 5_000;

/// What of one project is older than it keeps it.
#[derive(Clone, Debug)]
pub struct Due {
    /// Whose.
    pub policy: Policy,
    /// What.
    pub part: Part,
    /// What arrived before goes.
    pub before: DateTime<Utc>,
}

/// What was removed of one project.
#[derive(Clone, Debug)]
pub struct Removed {
    /// What was due.
    pub due: Due,
    /// Of how many runs it was removed.
    pub run_count: u64,
}

pub(super) async fn run(turn: &Turn<'_>) -> Result<(), TaskError> {
    let removed = prune(turn.pool, Utc::now(), Some(turn.lease), || turn.is_stopped()).await?;
    for of_project in removed.iter().filter(|of_project| of_project.run_count > 0) {
        tracing::info!("{of_project}");
    }
    Ok(())
}

/// What would be removed now, and how much that is.
pub async fn preview(pool: &PgPool, now: DateTime<Utc>) -> sqlx::Result<Vec<(Due, Amount)>> {
    let mut preview = Vec::new();
    for due in due(&retention::policies(pool).await?, now) {
        let amount = retention::amount(pool, due.policy.project_id, due.part, due.before).await?;
        preview.push((due, amount));
    }
    Ok(preview)
}

/// Removes all that is due now, as long as the lease is held and nobody asks to stop.
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

/// One transaction: the oldest runs after `last` lose the part that is due.
async fn remove_some(
    pool: &PgPool,
    due: &Due,
    now: DateTime<Utc>,
    lease: Option<Lease>,
    last: Option<Old>,
) -> Result<Vec<Old>, TaskError> {
    let mut transaction = pool.begin().await?;
    if let Some(lease) = lease
        && !task::renew(&mut transaction, lease, LEASE).await?
    {
        return Err(TaskError::LeaseLost);
    }
    let project_id = due.policy.project_id;
    // Points are found by the places of their commits.
    project::lock_order(&mut transaction, project_id, OrderLock::Shared).await?;
    let mut runs = retention::old(&mut transaction, project_id, due.part, due.before, last, RUNS_MAX).await?;
    runs.truncate(batch(runs.iter().map(|run| run.point_count)));
    retention::remove(&mut transaction, due.part, &runs, now).await?;
    transaction.commit().await?;
    Ok(runs)
}

/// How many of the runs with so many points each go into one transaction: at least one.
fn batch(point_counts: impl Iterator<Item = i32>) -> usize {
    let mut sum = 0;
    let fitting = point_counts.take_while(|count| {
        sum += i64::from(*count);
        sum <= POINTS_MAX
    });
    fitting.count().max(1)
}

/// What the policies demand, the greater part of each project first.
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
        write!(formatter, "{} were removed, of {} runs", self.due, self.run_count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_transaction_has_as_many_runs_as_fit_and_at_least_one() {
        assert_eq!(batch([2_000; 9].into_iter()), 2);
        assert_eq!(batch([5_000, 1].into_iter()), 1);
        assert_eq!(batch([9_000, 1].into_iter()), 1);
        assert_eq!(batch([0; 9].into_iter()), 9);
    }

    #[test]
    fn what_has_no_days_is_kept_for_ever() {
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
