//! Messages, from composition to delivery.

use super::Event;
use super::payload::Message;
use chrono::{DateTime, TimeDelta, Utc};
use sqlx::types::Json;
use sqlx::{PgConnection, PgPool};
use uuid::Uuid;

/// The length of a server's lease on a message: far longer than sending takes.
const LEASE: TimeDelta = TimeDelta::seconds(60);

/// A message that is being sent.
#[derive(Clone, Debug)]
#[expect(missing_docs, reason = "the columns of table notification_message, described there")]
pub struct MessageRow {
    pub notification_message_id: Uuid,
    pub notification_channel_id: i64,
    pub payload: Json<Message>,
    pub in_reply_to: Vec<Uuid>,
    pub created_at: DateTime<Utc>,
    pub attempts: i32,
}

/// Stores a message for sending, and links its notifications to it.
pub async fn create(
    connection: &mut PgConnection,
    notification_channel_id: i64,
    event: Event,
    message: &Message,
    in_reply_to: &[Uuid],
    notification_ids: &[i64],
) -> sqlx::Result<()> {
    sqlx::query!(
        "insert into notification_message
             (notification_message_id, notification_channel_id, event, payload, in_reply_to, created_at, due_at)
         values ($1, $2, $3, $4, $5, $6, $6)",
        message.message_id,
        notification_channel_id,
        event.as_ref(),
        Json(message) as _,
        in_reply_to,
        message.created_at,
    )
    .execute(&mut *connection)
    .await?;
    sqlx::query!(
        "update notification set notification_message_id = $1
         where notification_id = any($2) and dropped_at is null",
        message.message_id,
        notification_ids,
    )
    .execute(connection)
    .await?;
    Ok(())
}

/// Claims a due message, unless another server is sending it.
pub async fn claim(pool: &PgPool, now: DateTime<Utc>) -> sqlx::Result<Option<MessageRow>> {
    sqlx::query_as!(
        MessageRow,
        r#"update notification_message
           set attempts = attempts + 1, lease_expires_at = $2
           where notification_message_id = (
               select notification_message_id from notification_message
               where sent_at is null and given_up_at is null and due_at <= $1
                 and (lease_expires_at is null or lease_expires_at <= $1)
               order by due_at
               limit 1
               for update skip locked
           )
           returning notification_message_id, notification_channel_id, payload as "payload: Json<Message>", in_reply_to,
                     created_at, attempts"#,
        now,
        now + LEASE,
    )
    .fetch_optional(pool)
    .await
}

/// The outcome of an attempt to send a message.
#[derive(Clone, Copy, Debug)]
pub enum SendOutcome<'a> {
    /// Delivered.
    Sent,
    /// Failed, with a retry.
    Again {
        /// When.
        at: DateTime<Utc>,
        /// The failure.
        failure: &'a str,
    },
    /// Failed for too long, without another retry.
    GivenUp {
        /// Why.
        failure: &'a str,
    },
}

/// Records the outcome of a message. False if another server has taken it over.
pub async fn settle(
    connection: &mut PgConnection,
    message: &MessageRow,
    outcome: SendOutcome<'_>,
    now: DateTime<Utc>,
) -> sqlx::Result<bool> {
    let (sent_at, given_up_at, due_at, failure) = match outcome {
        SendOutcome::Sent => (Some(now), None, now, None),
        SendOutcome::Again { at, failure } => (None, None, at, Some(failure)),
        SendOutcome::GivenUp { failure } => (None, Some(now), now, Some(failure)),
    };
    let done = sqlx::query!(
        "update notification_message
         set lease_expires_at = null, sent_at = $3, given_up_at = coalesce(given_up_at, $4), due_at = $5, failure = $6
         where notification_message_id = $1 and attempts = $2 and sent_at is null",
        message.notification_message_id,
        message.attempts,
        sent_at,
        given_up_at,
        due_at,
        failure,
    )
    .execute(connection)
    .await?;
    Ok(done.rows_affected() == 1)
}
