//! What channels are to be told. It is written where it is found, in the same transaction, and read a little later, when all
//! that belongs together has been found.

use super::Event;
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::PgConnection;
use uuid::Uuid;

/// What is found within so long is told together.
const COLLECTED_FOR: TimeDelta = TimeDelta::minutes(2);
/// How long nobody is told again that something is the matter with a machine.
const MACHINE_SILENCE: TimeDelta = TimeDelta::days(7);

/// Tells the channels of their projects of regressions and improvements that a commit is blamed for, once each. Nobody is told
/// of what is held, muted or closed, nor of what was found before a channel was turned on.
pub async fn tell_found(
    connection: &mut PgConnection,
    regression_ids: &[i64],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "with told as (
             select channel.notification_channel_id, regression.direction, regression.regression_id
             from regression
             join notification_channel as channel on channel.project_id = regression.project_id
             where regression.regression_id = any($1) and channel.enabled_at <= regression.created_at
               and regression.direction = any(channel.events) and regression.cause = 'commit'
               and regression.state in ('new', 'acknowledged') and regression.held_because is null
               and (regression.muted_until_at is null or regression.muted_until_at <= $2)
         )
         insert into notification (notification_channel_id, event, subject, regression_id, created_at, due_at)
         select notification_channel_id, direction, 'regression:' || regression_id, regression_id, $2, $3 from told
         on conflict (notification_channel_id, event, subject) do nothing",
        regression_ids,
        now,
        now + COLLECTED_FOR,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Tells the channels of their projects of regressions that are fixed, as was measured.
pub async fn tell_fixed(
    connection: &mut PgConnection,
    regression_ids: &[i64],
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "with told as (
             select channel.notification_channel_id, regression.regression_id
             from regression
             join notification_channel as channel on channel.project_id = regression.project_id
             where regression.regression_id = any($1) and channel.enabled_at is not null
               and 'fixed' = any(channel.events) and regression.cause = 'commit' and regression.state = 'fixed'
               and regression.direction = 'regressed' and regression.held_because is null
               and (regression.muted_until_at is null or regression.muted_until_at <= $2)
         )
         insert into notification (notification_channel_id, event, subject, regression_id, created_at, due_at)
         select notification_channel_id, 'fixed', 'regression:' || regression_id, regression_id, $2, $3 from told
         on conflict (notification_channel_id, event, subject) do nothing",
        regression_ids,
        now,
        now + COLLECTED_FOR,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Tells the channels of a project that something is the matter with a machine, in words that follow its name, such as `is
/// suspect: …`; of one machine once a week. The project is locked ([`crate::regression::grouping::lock`]).
pub async fn tell_machine(
    connection: &mut PgConnection,
    project_id: i64,
    machine_id: i64,
    why: &str,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "with told as (
             select notification_channel_id from notification_channel as channel
             where project_id = $1 and enabled_at is not null and 'machine' = any(events)
               and not exists (
                   select from notification as before
                   where before.notification_channel_id = channel.notification_channel_id
                     and before.machine_id = $2 and before.created_at > $6
               )
         )
         insert into notification (notification_channel_id, event, subject, machine_id, why, created_at, due_at)
         select notification_channel_id, 'machine', 'machine:' || $2::bigint || ':' || $7::text, $2, $3, $4, $5 from told
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

/// What one channel is to be told of one event.
#[derive(Clone, Debug)]
pub struct Waiting {
    /// Which channel: it is locked.
    pub notification_channel_id: i64,
    /// What happened.
    pub event: Event,
    /// The notifications.
    pub notification_ids: Vec<i64>,
    /// The regressions, where it happened to some.
    pub regression_ids: Vec<i64>,
    /// The machines by name, each with what is the matter with it.
    pub machines: Vec<(String, String)>,
}

/// How often a channel is told something: at most so many messages since then.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// How many.
    pub messages_max: i64,
    /// Since when they are counted.
    pub since: DateTime<Utc>,
}

/// Locks a channel for which something is due, unless another server has it, and reads what it is to be told: all that waits of
/// the event that waits longest. None when nothing is due. A channel that did not take its last message yet waits, and so
/// does one that was told as much as it may be: what comes meanwhile goes together.
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
        machines: rows.into_iter().filter_map(|row| row.machine.zip(row.why)).collect(),
    }))
}

/// Of some regressions, those of which a channel was not told, though it was to be: they were over before.
pub async fn never_told(
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

/// The messages that told a channel of some regressions, the oldest first.
pub async fn told_by(
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

/// Drops those of some regressions.
pub async fn drop_of(
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
