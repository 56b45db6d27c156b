//! Pending notifications. They are stored in the transaction of the finding, and sent a little later, when
//! related findings are complete.

use super::Event;
use super::payload::MachineItem;
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

/// Findings within this time are sent together.
const COLLECTED_FOR: TimeDelta = TimeDelta::minutes(2);
/// The minimum time between notifications about the same machine.
const MACHINE_SILENCE: TimeDelta = TimeDelta::days(7);

/// Queues notifications about regressions caused by a commit, once per channel that matches the condition. Skips held
/// and muted regressions.
macro_rules! queue {
    ($event:literal, $condition:literal, $regression_ids:expr, $now:expr) => {
        sqlx::query!(
            "with matched as (
                 select channel.notification_channel_id, " + $event + " as event, regression.regression_id
                 from regression
                 join notification_channel as channel on channel.project_id = regression.project_id
                 where regression.regression_id = any($1) and regression.cause = 'commit'
                   and regression.held_because is null
                   and (regression.muted_until_at is null or regression.muted_until_at <= $2)
                   and " + $condition + "
             )
             insert into notification (notification_channel_id, event, subject, regression_id, created_at, due_at)
             select notification_channel_id, event, 'regression:' || regression_id, regression_id, $2, $3 from matched
             on conflict (notification_channel_id, event, subject) do nothing",
            $regression_ids,
            $now,
            $now + COLLECTED_FOR,
        )
    };
}

/// Queues notifications about regressions and improvements. Skips closed ones, and those found before the channel
/// was enabled.
pub async fn queue_found(
    connection: &mut PgConnection,
    regression_ids: &[i64],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    queue!(
        "regression.direction",
        "channel.enabled_at <= regression.created_at and regression.direction = any(channel.events)
         and regression.state in ('new', 'acknowledged')",
        regression_ids,
        now
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Queues notifications about fixed regressions.
pub async fn queue_fixed(
    connection: &mut PgConnection,
    regression_ids: &[i64],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    queue!(
        "'fixed'",
        "channel.enabled_at is not null and 'fixed' = any(channel.events) and regression.state = 'fixed'
         and regression.direction = 'regressed'",
        regression_ids,
        now
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Queues notifications about a problem of a machine, in words that follow its name, such as `is suspect: …`;
/// once a week per machine. The project is locked ([`crate::regression::grouping::lock`]).
pub async fn queue_machine(
    connection: &mut PgConnection,
    project_id: i64,
    machine_id: i64,
    why: &str,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "with matched as (
             select notification_channel_id from notification_channel as channel
             where project_id = $1 and enabled_at is not null and 'machine' = any(events)
               and not exists (
                   select from notification as before
                   where before.notification_channel_id = channel.notification_channel_id
                     and before.machine_id = $2 and before.created_at > $6
               )
         )
         insert into notification (notification_channel_id, event, subject, machine_id, why, created_at, due_at)
         select notification_channel_id, 'machine', 'machine:' || $2::bigint || ':' || $7::text, $2, $3, $4, $5 from matched
         on conflict (notification_channel_id, event, subject) do nothing",
        project_id,
        machine_id,
        why,
        now,
        now + COLLECTED_FOR,
        now - MACHINE_SILENCE,
        now.format("%Y-%m-%d").to_string(),
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Pending notifications of one channel for one event.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// The channel, which is locked.
    pub notification_channel_id: i64,
    /// The event.
    pub event: Event,
    /// The notifications.
    pub notification_ids: Vec<i64>,
    /// The regressions, if it is about regressions.
    pub regression_ids: Vec<i64>,
    /// The machines, if it is about machines.
    pub machines: Vec<MachineItem>,
}

/// The rate limit of a channel: a number of messages since a time.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// The maximum number of messages.
    pub messages_max: i64,
    /// The beginning of the counted time.
    pub since: DateTime<Utc>,
}

/// Locks a channel with due notifications, unless another server has it, and returns all pending
/// notifications of the event that has waited longest. None if nothing is due. A channel waits if its last
/// message is not delivered yet, or if its rate limit is reached; later notifications are then combined.
pub async fn waiting(
    connection: &mut PgConnection,
    pace: Pace,
    now: DateTime<Utc>,
) -> sqlx::Result<Option<Waiting>> {
    let channel = sqlx::query!(
        r#"select channel.notification_channel_id, due.event as "event: Event"
           from notification_channel as channel
           cross join lateral (
               select event from notification
               where notification.notification_channel_id = channel.notification_channel_id
                 and notification_message_id is null and dropped_at is null and due_at <= $1
               order by due_at, notification_id
               limit 1
           ) as due
           where channel.enabled_at is not null
             and exists (
                 select from notification
                 where notification.notification_channel_id = channel.notification_channel_id
                   and notification_message_id is null and dropped_at is null and due_at <= $1
             )
             and not exists (
                 select from notification_message as message
                 where message.notification_channel_id = channel.notification_channel_id
                   and message.sent_at is null and message.given_up_at is null
             )
             and $2 > (
                 select count(*) from notification_message as message
                 where message.notification_channel_id = channel.notification_channel_id and message.created_at > $3
             )
           order by channel.notification_channel_id
           limit 1
           for update of channel skip locked"#,
        now,
        pace.messages_max,
        pace.since,
    )
    .fetch_optional(&mut *connection)
    .await?;
    let Some(channel) = channel else { return Ok(None) };
    let rows = sqlx::query!(
        r#"select notification.notification_id, notification.regression_id, machine.slug as "machine?", notification.why
           from notification
           left join machine on machine.machine_id = notification.machine_id
           where notification.notification_channel_id = $1 and notification.event = $2
             and notification.notification_message_id is null and notification.dropped_at is null
           order by notification.notification_id"#,
        channel.notification_channel_id,
        channel.event.as_ref(),
    )
    .fetch_all(connection)
    .await?;
    Ok(Some(Waiting {
        notification_channel_id: channel.notification_channel_id,
        event: channel.event,
        notification_ids: rows.iter().map(|row| row.notification_id).collect(),
        regression_ids: rows.iter().filter_map(|row| row.regression_id).collect(),
        machines: rows
            .into_iter()
            .filter_map(|row| Some(MachineItem { machine: row.machine?, why: row.why? }))
            .collect(),
    }))
}

/// Those regressions that were fixed before the channel was notified.
pub async fn fixed_before_sending(
    connection: &mut PgConnection,
    notification_channel_id: i64,
    regression_ids: &[i64],
) -> sqlx::Result<Vec<i64>> {
    sqlx::query_scalar!(
        r#"select regression_id as "regression_id!" from notification
           where notification_channel_id = $1 and event = 'regressed' and regression_id = any($2)
             and dropped_at is not null"#,
        notification_channel_id,
        regression_ids,
    )
    .fetch_all(connection)
    .await
}

/// The messages to a channel about some regressions, oldest first.
pub async fn messages_about(
    connection: &mut PgConnection,
    notification_channel_id: i64,
    regression_ids: &[i64],
) -> sqlx::Result<Vec<Uuid>> {
    sqlx::query_scalar!(
        r#"select distinct notification_message_id as "notification_message_id!" from notification
           where notification_channel_id = $1 and event = 'regressed' and regression_id = any($2)
             and notification_message_id is not null
           order by 1"#,
        notification_channel_id,
        regression_ids,
    )
    .fetch_all(connection)
    .await
}

/// Drops the pending notifications about some regressions.
pub async fn drop_notifications(
    connection: &mut PgConnection,
    waiting: &Waiting,
    regression_ids: &[i64],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update notification set dropped_at = $3 where notification_id = any($1) and regression_id = any($2)",
        &waiting.notification_ids,
        regression_ids,
        now
    )
    .execute(connection)
    .await?;
    Ok(())
}
