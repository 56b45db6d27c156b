//! [`Notifier`]: sends notifications to the channels of projects.
//!
//! # Codemap
//! - `message_text`: the text of a message.
//! - `compose`: turns rows of table `notification` into messages. `delivery`: sending and retrying;
//!   `slack`, `webhook` and [`email`]: one kind of channel each.
//! - `outgoing`, `address`: requests to user-defined addresses, and which addresses are allowed.
//!
//! Nothing is kept in memory. A finding and its notifications are stored in one transaction. A message is stored before it is
//! sent, and one server at a time holds a lease to send it. If that server stops, another one sends the message again with
//! the same id.

mod address;
mod compose;
mod delivery;
pub mod email;
mod message_text;
mod outgoing;
mod slack;
mod webhook;

pub use message_text::drift;
pub(crate) use webhook::generate_key;

use chrono::{DateTime, TimeDelta, Utc};
use delivery::{Delivery, Failure};
use futures_util::future::join_all;
use outgoing::Outgoing;
use roundtrip_storage::audit::{self, By};
use roundtrip_storage::notification::payload::{Message, Topic};
use roundtrip_storage::notification::{Kind, channel, message as stored};
use serde_json::json;
use sqlx::PgPool;
use std::time::Duration;
use tokio::sync::watch;

/// The interval at which servers look for due notifications.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);
/// Messages sent at the same time, so that a slow receiver does not block the others.
const SENT_AT_ONCE: usize = 8;
/// An undelivered message is dropped after this time.
const GIVEN_UP_AFTER: TimeDelta = TimeDelta::days(1);
/// A channel is disabled after this many rejections in a row.
const REFUSALS_MAX: i32 = 5;

/// How messages are sent.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// The server's public address for links: `https://HOST`.
    pub public_url: String,
    /// Whether messages may go to private addresses and by plain HTTP.
    pub allow_private_targets: bool,
    /// The mail server, if configured.
    pub mail: Option<email::Mail>,
}

/// Sends notifications; cheap to clone.
#[derive(Clone, Debug)]
pub struct Notifier {
    pool: PgPool,
    pages: Pages,
    outgoing: Outgoing,
    mail: Option<email::Mail>,
}

#[derive(Clone, Debug)]
struct Pages(String);

impl Pages {
    fn regressions(&self, project: &str) -> String {
        format!("{}/{project}/regressions", self.0)
    }

    fn regression(&self, project: &str, regression_id: i64) -> String {
        format!("{}/{project}/regressions/{regression_id}", self.0)
    }

    fn machines(&self, project: &str) -> String {
        format!("{}/{project}/machines", self.0)
    }

    fn settings(&self, project: &str) -> String {
        format!("{}/{project}/settings?section=notifications", self.0)
    }
}

impl Notifier {
    /// A notifier for a database.
    pub fn new(pool: PgPool, settings: Settings) -> Self {
        Self {
            pool,
            pages: Pages(settings.public_url.trim_end_matches('/').to_owned()),
            outgoing: Outgoing::new(settings.allow_private_targets),
            mail: settings.mail,
        }
    }

    /// The server's public address, without a slash at the end.
    pub fn public_url(&self) -> &str {
        &self.pages.0
    }

    /// Sends due notifications until `stop` becomes true.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        loop {
            match self.send_batch(Utc::now()).await {
                // A server that is stopping leaves the rest to others.
                Ok(true) if !*stop.borrow() => continue,
                Ok(_) => {}
                // Retry later. `/readyz` reports the database's state.
                Err(error) => {
                    tracing::warn!(error.cause = %error, "cannot send notifications: database error");
                }
            }
            tokio::select! {
                // A dropped sender also means stop.
                _ = stop.wait_for(|stop| *stop) => return,
                () = tokio::time::sleep(LOOK_INTERVAL) => {}
            }
        }
    }

    /// Composes and sends all due notifications.
    pub async fn send_due(&self, now: DateTime<Utc>) -> sqlx::Result<()> {
        while self.send_batch(now).await? {}
        Ok(())
    }

    /// Sends one batch of messages. False if there was none.
    async fn send_batch(&self, now: DateTime<Utc>) -> sqlx::Result<bool> {
        while compose::compose(&self.pool, &self.pages, now).await? {}
        let mut claimed = Vec::new();
        while claimed.len() < SENT_AT_ONCE
            && let Some(message) = stored::claim(&self.pool, now).await?
        {
            claimed.push(message);
        }
        let sent = claimed.iter().map(|message| self.send(message, now));
        join_all(sent).await.into_iter().collect::<sqlx::Result<()>>()?;
        Ok(!claimed.is_empty())
    }

    async fn send(&self, message: &stored::MessageRow, now: DateTime<Utc>) -> sqlx::Result<()> {
        let found = channel::find(&mut *self.pool.acquire().await?, message.notification_channel_id).await?;
        // Deleting a channel deletes its messages.
        let Some(channel) = found else { return Ok(()) };
        let result = self.deliver(&channel, &message.payload, &message.in_reply_to).await;
        let fate = match &result {
            Ok(()) => stored::SendOutcome::Sent,
            Err(Failure { why, .. }) if now - message.created_at >= GIVEN_UP_AFTER => {
                stored::SendOutcome::GivenUp { failure: why }
            }
            Err(failure) => stored::SendOutcome::Again {
                at: failure.again_at(message.attempts, now),
                failure: &failure.why,
            },
        };
        let mut transaction = self.pool.begin().await?;
        if stored::settle(&mut transaction, message, fate, now).await? {
            note(&mut transaction, &channel, &result, now).await?;
        }
        transaction.commit().await
    }

    /// Sends a channel a test message; returns the reason if that fails.
    pub async fn test(&self, channel: &channel::ChannelRow) -> sqlx::Result<Result<(), String>> {
        let now = Utc::now();
        let message = compose::blank(&self.pages, &channel.project, Topic::Test, now);
        let result = self.deliver(channel, &message, &[]).await;
        // A rejected test does not count towards disabling the channel.
        let result = result.map_err(|failure| Failure { is_refusal: false, ..failure });
        note(&mut *self.pool.acquire().await?, channel, &result, now).await?;
        Ok(result.map_err(|failure| failure.why))
    }

    /// Checks the target of a channel of this kind.
    ///
    /// # Errors
    /// The reason, as the end of a sentence.
    pub fn check(&self, kind: Kind, target: &str) -> Result<(), String> {
        match kind {
            Kind::Slack | Kind::Webhook => self.outgoing.check(target),
            Kind::Email if self.mail.is_none() => Err(email::UNAVAILABLE.to_owned()),
            Kind::Email => email::check(target),
        }
    }

    /// The kinds of channels that this server supports.
    pub fn kinds(&self) -> Vec<Kind> {
        [Kind::Slack, Kind::Webhook].into_iter().chain(self.mail.is_some().then_some(Kind::Email)).collect()
    }

    async fn deliver(
        &self,
        channel: &channel::ChannelRow,
        message: &Message,
        in_reply_to: &[uuid::Uuid],
    ) -> Result<(), Failure> {
        let (notifier, channel, message) = (self.clone(), channel.clone(), message.clone());
        let in_reply_to = in_reply_to.to_vec();
        // Takes a few seconds at most, and a thread.
        let sent = tokio::task::spawn_blocking(move || {
            let delivery = Delivery { message: &message, in_reply_to: &in_reply_to, channel: &channel };
            match (channel.kind, &notifier.mail) {
                (Kind::Slack, _) => slack::send(&notifier.outgoing, delivery),
                (Kind::Webhook, _) => webhook::send(&notifier.outgoing, delivery),
                (Kind::Email, Some(mail)) => mail.send(delivery),
                (Kind::Email, None) => Err(Failure::refused(email::UNAVAILABLE.to_owned())),
            }
        });
        sent.await.unwrap_or_else(|error| Err(Failure::passing(format!("internal error: {error}"))))
    }
}

/// Records a channel's answer, and disables the channel after repeated rejections.
async fn note(
    connection: &mut sqlx::PgConnection,
    channel: &channel::ChannelRow,
    result: &Result<(), Failure>,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    let id = channel.notification_channel_id;
    let Err(failure) = result else { return channel::took(connection, id, now).await };
    let refusals = channel::failed(connection, id, (&failure.why, failure.is_refusal), now).await?;
    if !failure.is_refusal || refusals.is_none_or(|count| count < REFUSALS_MAX) {
        return Ok(());
    }
    let because = format!("it rejected {REFUSALS_MAX} messages in a row, the last one with: {}", failure.why);
    channel::disable(connection, id, Some(&because), now).await?;
    let details = json!({ "project": channel.project, "name": channel.name, "disabled_because": because });
    let event =
        audit::Event { action: audit::Action::ChannelChange, subject: format!("channel:{id}"), details };
    audit::record(connection, &By::server(), event).await
}

#[cfg(test)]
mod tests {
    use roundtrip_storage::notification::payload::Message;

    const DOCUMENTED: &str = include_str!("../../../../docs/reference/webhook.md");

    /// The example in the documentation.
    pub(crate) fn example() -> Message {
        let (_, rest) = DOCUMENTED.split_once("```json\n").unwrap();
        serde_json::from_str(rest.split_once("```").unwrap().0).unwrap()
    }

    #[test]
    fn the_documented_message_has_every_field() {
        let (_, rest) = DOCUMENTED.split_once("```json\n").unwrap();
        let documented: serde_json::Value = serde_json::from_str(rest.split_once("```").unwrap().0).unwrap();
        assert_eq!(serde_json::to_value(example()).unwrap(), documented);
        for name in documented
            .as_object()
            .unwrap()
            .keys()
            .chain(documented["regressions"][0].as_object().unwrap().keys())
        {
            assert!(DOCUMENTED.contains(&format!("| `{name}` |")), "{name} is not described");
        }
    }
}
