//! Times at which the newest commit of a project is measured.

use super::request_on;
use chrono::{DateTime, TimeDelta, Utc};
use croner::Cron;
use roundtrip_storage as db;
use roundtrip_storage::job::request::{Reason, Wanted};
use sqlx::PgPool;
use std::str::FromStr;

/// Machines without contact for this long get no jobs.
pub(crate) const FORGOTTEN_AFTER: TimeDelta = TimeDelta::days(7);

/// The next time of a schedule after a given time.
///
/// # Errors
/// The reason why the expression is invalid.
pub fn next(cron: &str, after: DateTime<Utc>) -> Result<DateTime<Utc>, String> {
    let expected =
        "expected five fields: minute, hour, day of the month, month, day of the week, as in `30 2 * * *`";
    if cron.split_whitespace().count() != 5 {
        return Err(format!("`{cron}` is not a schedule: {expected}"));
    }
    let parsed =
        Cron::from_str(cron).map_err(|error| format!("`{cron}` is not a schedule: {error}; {expected}"))?;
    parsed.find_next_occurrence(&after, false).map_err(|_| format!("`{cron}` never occurs: {expected}"))
}

/// Queues due schedules. Returns the number of new jobs.
pub(super) async fn run(pool: &PgPool) -> sqlx::Result<u64> {
    let mut job_count = 0;
    // One by one, so that a failing one does not block the others.
    loop {
        let mut transaction = pool.begin().await?;
        let now = Utc::now();
        let Some(due) = db::schedule::take_due(&mut transaction, now).await? else { return Ok(job_count) };
        if let Some(sha) = db::schedule::newest_commit(&mut transaction, due.project_id).await? {
            let machines =
                db::agent::machines_with(&mut transaction, due.project_id, &due.labels, FORGOTTEN_AFTER)
                    .await?;
            let commits = [sha];
            let by = format!("schedule:{}", due.schedule_id);
            let wanted = Wanted {
                preset: due.preset.as_deref(),
                requested_by: Some(&by),
                ..Wanted::commits(Reason::Schedule, &commits)
            };
            job_count += request_on(&mut transaction, due.project_id, machines, &wanted).await?;
        }
        // An unreadable schedule is checked again in a day.
        let again = next(&due.cron, now).unwrap_or(now + TimeDelta::days(1));
        db::schedule::set_next(&mut transaction, due.schedule_id, again).await?;
        transaction.commit().await?;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_schedule_is_due_at_its_next_time_in_utc() {
        let at = |text: &str| text.parse::<DateTime<Utc>>().unwrap();
        assert_eq!(next("30 2 * * *", at("2026-11-25T02:30:00Z")), Ok(at("2026-11-26T02:30:00Z")));
        assert_eq!(next("0 0 * * 1", at("2026-11-25T12:00:00Z")), Ok(at("2026-11-30T00:00:00Z")));
        assert_eq!(next("*/15 * * * *", at("2026-11-25T12:01:00Z")), Ok(at("2026-11-25T12:15:00Z")));
    }

    #[test]
    fn an_invalid_schedule_names_the_expected_form() {
        for cron in ["", "daily", "61 * * * *", "* * * *", "* * * * * *", "0 0 31 2 *"] {
            let error = next(cron, Utc::now()).unwrap_err();
            assert!(error.contains("expected five fields"), "{cron}: {error}");
        }
    }
}
