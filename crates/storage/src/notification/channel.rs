//! Notification channels.

use super::{Event, Kind};
use chrono::{DateTime, Utc};
use sqlx::{PgConnection, PgPool};

/// A channel with all columns, including secrets that must not leave the server.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table notification_channel, described there")]
pub struct ChannelRow {
    pub notification_channel_id: i64,
    pub project_id: i64,
    pub project: String,
    pub name: String,
    pub target: String,
    pub secret: Option<String>,
    pub enabled_at: Option<DateTime<Utc>>,
    pub disabled_because: Option<String>,
    pub last_success_at: Option<DateTime<Utc>>,
    pub last_failure_at: Option<DateTime<Utc>>,
    pub failure: Option<String>,
    pub created_by: String,
    pub created_at: DateTime<Utc>,
    pub kind: Kind,
    pub events: Vec<Event>,
}

macro_rules! select_channels {
    ($condition:literal, $($argument:expr),+ $(,)?) => {
        sqlx::query_as!(
            ChannelRow,
            r#"select channel.notification_channel_id, channel.project_id, project.slug as project, channel.name,
                      channel.kind as "kind: Kind", channel.target, channel.secret,
                      channel.events as "events: Vec<Event>", channel.enabled_at, channel.disabled_because,
                      channel.last_success_at, channel.last_failure_at, channel.failure, channel.created_by,
                      channel.created_at
               from notification_channel as channel
               join project on project.project_id = channel.project_id
               where "# + $condition,
            $($argument),+
        )
    };
}

/// The channels of a project, by name.
pub async fn list(pool: &PgPool, project_id: i64) -> sqlx::Result<Vec<ChannelRow>> {
    select_channels!("channel.project_id = $1 order by channel.name", project_id).fetch_all(pool).await
}

/// One channel of any project.
pub async fn find(
    connection: &mut PgConnection,
    notification_channel_id: i64,
) -> sqlx::Result<Option<ChannelRow>> {
    select_channels!("channel.notification_channel_id = $1", notification_channel_id)
        .fetch_optional(connection)
        .await
}

/// One channel of a project, locked until the transaction ends.
pub async fn lock(
    connection: &mut PgConnection,
    project_id: i64,
    notification_channel_id: i64,
) -> sqlx::Result<Option<ChannelRow>> {
    let found = sqlx::query_scalar!(
        "select notification_channel_id from notification_channel
         where project_id = $1 and notification_channel_id = $2
         for update",
        project_id,
        notification_channel_id,
    );
    match found.fetch_optional(&mut *connection).await? {
        Some(found) => find(connection, found).await,
        None => Ok(None),
    }
}

/// The user-defined settings of a channel.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table notification_channel, described there")]
pub struct Wanted<'a> {
    pub name: &'a str,
    pub target: &'a str,
    pub events: &'a [Event],
}

impl Wanted<'_> {
    fn events(&self) -> Vec<String> {
        self.events.iter().map(|event| event.to_string()).collect()
    }
}

/// Creates a channel. `None` if the project has one with this name.
pub async fn create(
    connection: &mut PgConnection,
    project_id: i64,
    kind: Kind,
    wanted: &Wanted<'_>,
    secret: Option<&str>,
    created_by: &str,
) -> sqlx::Result<Option<i64>> {
    sqlx::query_scalar!(
        "insert into notification_channel (project_id, name, kind, target, secret, events, enabled_at, created_by, created_at)
         values ($1, $2, $3, $4, $5, $6, now(), $7, now())
         on conflict (project_id, name) do nothing
         returning notification_channel_id",
        project_id,
        wanted.name,
        kind.as_ref(),
        wanted.target,
        secret,
        &wanted.events(),
        created_by,
    )
    .fetch_optional(connection)
    .await
}

/// Changes a locked channel. False if the project has another one with this name.
pub async fn change(
    connection: &mut PgConnection,
    notification_channel_id: i64,
    wanted: &Wanted<'_>,
) -> sqlx::Result<bool> {
    let done = sqlx::query!(
        "update notification_channel as channel set name = $2, target = $3, events = $4
         where notification_channel_id = $1
           and not exists (
               select from notification_channel as other
               where other.project_id = channel.project_id and other.name = $2
                 and other.notification_channel_id <> $1
           )",
        notification_channel_id,
        wanted.name,
        wanted.target,
        &wanted.events(),
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}

/// Enables a channel from now on. Earlier events are not sent.
pub async fn enable(connection: &mut PgConnection, notification_channel_id: i64) -> sqlx::Result<()> {
    sqlx::query!(
        "update notification_channel set enabled_at = now(), disabled_because = null, refusal_count = 0
         where notification_channel_id = $1 and enabled_at is null",
        notification_channel_id,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Disables a channel and drops its unsent messages. The server gives a reason.
pub async fn disable(
    connection: &mut PgConnection,
    notification_channel_id: i64,
    because: Option<&str>,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update notification_channel set enabled_at = null, disabled_because = $2 where notification_channel_id = $1",
        notification_channel_id,
        because,
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update notification set dropped_at = $2
         where notification_channel_id = $1 and notification_message_id is null and dropped_at is null",
        notification_channel_id,
        now,
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update notification_message set given_up_at = $2
         where notification_channel_id = $1 and sent_at is null and given_up_at is null",
        notification_channel_id,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Deletes a locked channel with its messages.
pub async fn delete(connection: &mut PgConnection, notification_channel_id: i64) -> sqlx::Result<()> {
    sqlx::query!("delete from notification where notification_channel_id = $1", notification_channel_id)
        .execute(&mut *connection)
        .await?;
    sqlx::query!(
        "delete from notification_message where notification_channel_id = $1",
        notification_channel_id
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "delete from notification_channel where notification_channel_id = $1",
        notification_channel_id
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Records that a channel accepted a message.
pub async fn took(
    connection: &mut PgConnection,
    notification_channel_id: i64,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    sqlx::query!(
        "update notification_channel set last_success_at = $2, refusal_count = 0 where notification_channel_id = $1",
        notification_channel_id,
        now,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Records a failed message and returns the number of rejections in a row; `None` if the channel was deleted.
pub async fn failed(
    connection: &mut PgConnection,
    notification_channel_id: i64,
    (failure, is_refusal): (&str, bool),
    now: DateTime<Utc>,
) -> sqlx::Result<Option<i32>> {
    sqlx::query_scalar!(
        "update notification_channel
         set last_failure_at = $2, failure = $3,
             refusal_count = case when $4 then refusal_count + 1 else refusal_count end
         where notification_channel_id = $1
         returning refusal_count",
        notification_channel_id,
        now,
        failure,
        is_refusal,
    )
    .fetch_optional(connection)
    .await
}
