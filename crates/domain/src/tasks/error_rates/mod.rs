//! Counts false alarms and detected changes of each machine, from its own points and with the rules of its projects.
//! `docs/explanation/error-rates.md` explains the figures.
//!
//! - `histories`: change points of series. `comparisons`: comparisons of two commits.
//!
//! The work for a machine is limited by counts, not by time, so that the same points give the same counts.

mod comparisons;
mod histories;

use super::{TaskError, Turn};
use chrono::{DateTime, TimeDelta, Utc};
use comparisons::Cases;
use histories::Histories;
use roundtrip_storage::error_rate::{self, Class, ClassCounts, Due, MachineCounts};
use roundtrip_storage::task::Lease;
use sqlx::PgPool;
use std::collections::BTreeSet;
use std::time::Instant;

/// The interval at which a machine is counted.
const COUNTED_FOR: TimeDelta = TimeDelta::days(1);

/// Counts the machines that were not counted within a day or with the project's threshold.
pub(super) async fn run(turn: &Turn<'_>) -> Result<(), TaskError> {
    let begin = Instant::now();
    let machine_count =
        count(turn.pool, Utc::now() - COUNTED_FOR, Some(turn.lease), &|| turn.is_stopped()).await?;
    if machine_count > 0 {
        let seconds = begin.elapsed().as_secs();
        tracing::info!("counted error rates of {machine_count} machines in {seconds} s");
    }
    Ok(())
}

/// Counts every machine of every project that was not counted since a time or with the project's threshold, while the lease is
/// held and there is no stop signal. Returns their number.
pub async fn count(
    pool: &PgPool,
    since: DateTime<Utc>,
    lease: Option<Lease>,
    is_stopped: &(dyn Fn() -> bool + Sync),
) -> Result<usize, TaskError> {
    let task = ErrorRateTask { pool, lease, is_stopped };
    let mut count = 0;
    for due in error_rate::due(pool, since).await? {
        let Some((machine, classes)) = task.count(due).await? else { break };
        let mut transaction = pool.begin().await?;
        super::renew(&mut transaction, lease).await?;
        error_rate::replace(&mut transaction, due, machine, &classes, Utc::now()).await?;
        transaction.commit().await?;
        count += 1;
    }
    Ok(count)
}

struct ErrorRateTask<'a> {
    pool: &'a PgPool,
    lease: Option<Lease>,
    is_stopped: &'a (dyn Fn() -> bool + Sync),
}

impl ErrorRateTask<'_> {
    /// Whether to continue. Called after about every second of work; renews the lease.
    async fn goes_on(&self) -> Result<bool, TaskError> {
        if (self.is_stopped)() {
            return Ok(false);
        }
        if self.lease.is_some() {
            super::renew(&mut *self.pool.acquire().await?, self.lease).await?;
        }
        Ok(true)
    }

    async fn count(&self, due: Due) -> Result<Option<(MachineCounts, Vec<(Class, ClassCounts)>)>, TaskError> {
        let Due { project_id, machine_id, .. } = due;
        let series = error_rate::series(self.pool, project_id, machine_id).await?;
        let Some(histories) = self.histories(due, &series).await? else { return Ok(None) };
        let Some((machine, cases)) = self.comparisons(project_id, machine_id, &series).await? else {
            return Ok(None);
        };
        let classes: BTreeSet<&Class> = histories.keys().chain(cases.keys()).collect();
        let counts = classes.into_iter().map(|class| {
            let counts = counts(histories.get(class), cases.get(class));
            (class.clone(), counts)
        });
        Ok(Some((machine, counts.collect())))
    }
}

fn counts(histories: Option<&Histories>, cases: Option<&Cases>) -> ClassCounts {
    let (histories, cases) = (histories.cloned().unwrap_or_default(), cases.copied().unwrap_or_default());
    ClassCounts {
        series_count: stored(histories.series),
        p50: histories::counts(&histories.p50),
        p99: histories::counts(&histories.p99),
        tail: histories::counts(&histories.tail),
        case_count: stored(cases.decided),
        false_case_count: stored(cases.false_changes),
        found_case_counts: cases.found.map(stored).to_vec(),
        untested_case_count: stored(cases.untested),
    }
}

fn stored(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}
