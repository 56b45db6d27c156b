//! Notifies about overdue machines, whose missing results nothing else reports.

use super::{TaskError, Turn};
use chrono::{DateTime, TimeDelta, Utc};
use roundtrip_storage::notification::outbox;
use roundtrip_storage::regression::grouping;
use roundtrip_storage::silence::{self, Awaited};
use sqlx::PgPool;
use std::time::Duration;

/// The minimum number of runs to know the usual interval.
const RUNS_MIN: i64 = 4;
/// A machine is overdue after this many usual intervals.
const INTERVALS_MAX: f64 = 3.0;
/// Runs come in bursts; an agent without new commits measures once an hour.
const INTERVAL_SECONDS_MIN: f64 = 3_600.0;
/// An agent is in constant contact: this is longer than any restart.
const AGENT_SILENCE: TimeDelta = TimeDelta::hours(1);
/// Machines that are silent for longer were reported before, or are idle on purpose.
const TOLD_WITHIN: TimeDelta = TimeDelta::days(7);
/// Machines without runs of the project for this long are not expected to measure.
const AWAITED_FOR: TimeDelta = TimeDelta::days(60);

pub(super) async fn run(turn: &Turn<'_>) -> Result<(), TaskError> {
    Ok(notify_overdue(turn.pool, Utc::now()).await?)
}

/// Notifies the channels of each project about its overdue machines.
pub async fn notify_overdue(pool: &PgPool, now: DateTime<Utc>) -> sqlx::Result<()> {
    for machine in silence::awaited(pool, now - AWAITED_FOR).await? {
        let Some(why) = why(&machine, now) else { continue };
        let mut transaction = pool.begin().await?;
        grouping::lock(&mut transaction, machine.project_id).await?;
        outbox::queue_machine(&mut transaction, machine.project_id, machine.machine_id, &why, now).await?;
        transaction.commit().await?;
    }
    Ok(())
}

/// The text about an overdue machine, after its name.
fn why(machine: &Awaited, now: DateTime<Utc>) -> Option<String> {
    let minute = |time: DateTime<Utc>| time.format("%Y-%m-%d %H:%M UTC").to_string();
    if machine.has_agent {
        // A disabled agent is silent on purpose.
        let seen_at = machine.agent_seen_at?;
        return is_newly_overdue(now - seen_at, AGENT_SILENCE)
            .then(|| format!("has had no contact since {}", minute(seen_at)));
    }
    let usual_seconds = machine.usual_seconds.filter(|_| machine.run_count >= RUNS_MIN)?;
    let usual_seconds = usual_seconds.max(INTERVAL_SECONDS_MIN);
    let most = TimeDelta::from_std(Duration::try_from_secs_f64(usual_seconds * INTERVALS_MAX).ok()?).ok()?;
    is_newly_overdue(now - machine.newest_at, most).then(|| {
        format!(
            "is overdue: no run since {}, expected every {:.0} h",
            minute(machine.newest_at),
            usual_seconds / 3_600.0
        )
    })
}

fn is_newly_overdue(silent_for: TimeDelta, most: TimeDelta) -> bool {
    silent_for > most && silent_for < most + TOLD_WITHIN
}

#[cfg(test)]
mod tests {
    use super::*;

    fn machine(usual_hours: f64) -> Awaited {
        Awaited {
            project_id: 1,
            machine_id: 1,
            has_agent: false,
            agent_seen_at: None,
            newest_at: DateTime::UNIX_EPOCH,
            run_count: 20,
            usual_seconds: Some(usual_hours * 3_600.0),
        }
    }

    fn reason(machine: &Awaited, hours: i64) -> Option<String> {
        why(machine, DateTime::UNIX_EPOCH + TimeDelta::hours(hours))
    }

    #[test]
    fn a_machine_is_overdue_after_three_intervals_of_an_hour_or_more() {
        assert_eq!(reason(&machine(2.0), 6), None);
        let expected = "is overdue: no run since 1970-01-01 00:00 UTC, expected every 2 h";
        assert_eq!(reason(&machine(2.0), 7).as_deref(), Some(expected));
        assert_eq!(reason(&machine(0.1), 3), None);
        assert!(reason(&machine(0.1), 4).unwrap().ends_with("every 1 h"));
    }

    #[test]
    fn reports_overdue_machines_once_and_only_with_enough_runs() {
        assert!(reason(&machine(1.0), 3 + 7 * 24 - 1).is_some());
        assert_eq!(reason(&machine(1.0), 3 + 7 * 24), None);
        assert_eq!(reason(&Awaited { run_count: 3, ..machine(1.0) }, 24), None);
        assert_eq!(reason(&Awaited { run_count: 1, usual_seconds: None, ..machine(1.0) }, 24), None);
    }

    #[test]
    fn a_machine_with_an_enabled_silent_agent_is_overdue() {
        let seen_at = |hours| Some(DateTime::UNIX_EPOCH + TimeDelta::hours(hours));
        let with = |agent_seen_at| Awaited { has_agent: true, agent_seen_at, ..machine(1.0) };
        assert_eq!(reason(&with(seen_at(50)), 50), None, "nothing is to be measured");
        assert_eq!(reason(&with(None), 50), None, "it drains");
        let expected = "has had no contact since 1970-01-03 00:00 UTC";
        assert_eq!(reason(&with(seen_at(48)), 50).as_deref(), Some(expected));
    }
}
