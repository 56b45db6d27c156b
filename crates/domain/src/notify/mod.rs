//! [`Notifier`]: tells people what happens, where they asked for it, and nothing otherwise.
//!
//! # Codemap
//! - `message_text`: a message as people read it.
//! - `compose`: from what waits in table `notification` to messages. `delivery`: the contract of sending, and when a message
//!   is sent again; `slack`, `webhook` and [`email`]: one kind of channel each.
//! - `outgoing`, `address`: requests that people ask this server to make, and where they may go.
//!
//! Nothing is kept in memory. What is found is written with what follows from it, in one transaction; a message is stored before
//! it is sent, and sent by one server at a time, which has a lease on it. A server that ends in between leaves a message to
//! the next, which sends it again under the same identity.

mod address;
mod compose;
mod delivery;
pub mod email;
mod message_text;
mod outgoing;
mod slack;
mod webhook;

pub(crate) use webhook::draw_key;

use chrono::{DateTime, TimeDelta, Utc};
use delivery::{Failure, Parcel, Post};
use futures_util::future::join_all;
use outgoing::Outgoing;
use roundtrip_storage::audit::{self, By};
use roundtrip_storage::notification::payload::{Message, Topic};
use roundtrip_storage::notification::{Kind, channel, message as stored};
use serde_json::json;
use sqlx::PgPool;
use std::time::Duration;
use tokio::sync::watch;

/// How often servers look whether something is to be told.
const LOOK_INTERVAL: Duration = Duration::from_secs(5);
/// So many messages are sent at the same time, so that one who does not answer holds up nobody.
const SENT_AT_ONCE: usize = 8;
/// A message that nobody took for so long is given up.
const GIVEN_UP_AFTER: TimeDelta = TimeDelta::days(1);
/// A channel that refused so often in a row is turned off.
const REFUSALS_MAX: i32 = 5;

/// How messages are sent.
#[derive(Clone, Debug, Default)]
pub struct Settings {
    /// Where people reach this server, for links: `https://HOST`.
    pub public_url: String,
    /// Whether messages may go to addresses that are not of the public internet, and by http.
    pub allow_private_targets: bool,
    /// The mail server, if there is one.
    pub mail: Option<email::Mail>,
}

/// Tells people what happens; cheap to clone.
#[derive(Clone, Debug)]
pub struct Notifier {
    pool: PgPool,
    pages: Pages,
    post: Post,
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
    /// Over a database.
    pub fn new(pool: PgPool, settings: Settings) -> Self {
        let outgoing = Outgoing::new(settings.allow_private_targets);
        let post = Post { outgoing, mail: settings.mail };
        Self { pool, pages: Pages(settings.public_url.trim_end_matches('/').to_owned()), post }
    }

    /// Where links to pages lead, without what may stand at its end.
    pub fn public_url(&self) -> &str {
        &self.pages.0
    }

    /// Tells whatever is to be told, until `stop` becomes true.
    pub async fn run(self, mut stop: watch::Receiver<bool>) {
        loop {
            match self.tell_some(Utc::now()).await {
                // Whoever is asked to stop leaves the rest to the next server.
                Ok(true) if !*stop.borrow() => continue,
                Ok(_) => {}
                // What could not be told waits; whoever serves requests tells of a database that does not answer.
                Err(error) => tracing::warn!(error.cause = %error, "notifications wait for the database"),
            }
            tokio::select! {
                // A dropped sender means the end as well.
                _ = stop.wait_for(|stop| *stop) => return,
                () = tokio::time::sleep(LOOK_INTERVAL) => {}
            }
        }
    }

    /// Composes all that is due, and sends it.
    pub async fn tell(&self, now: DateTime<Utc>) -> sqlx::Result<()> {
        while self.tell_some(now).await? {}
        Ok(())
    }

    /// The same with as many messages as are sent at once. False when there was none.
    async fn tell_some(&self, now: DateTime<Utc>) -> sqlx::Result<bool> {
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

    async fn send(&self, message: &stored::Row, now: DateTime<Utc>) -> sqlx::Result<()> {
        let found = channel::find(&mut *self.pool.acquire().await?, message.notification_channel_id).await?;
        // A channel that was deleted meanwhile has taken its messages along.
        let Some(channel) = found else { return Ok(()) };
        let result = self.deliver(&channel, &message.payload, &message.in_reply_to).await;
        let fate = match &result {
            Ok(()) => stored::Fate::Sent,
            Err(Failure { why, .. }) if now - message.created_at >= GIVEN_UP_AFTER => {
                stored::Fate::GivenUp { failure: why }
            }
            Err(failure) => {
                stored::Fate::Again { at: failure.again_at(message.attempts, now), failure: &failure.why }
            }
        };
        let mut transaction = self.pool.begin().await?;
        if stored::settle(&mut transaction, message, fate, now).await? {
            note(&mut transaction, &channel, &result, now).await?;
        }
        transaction.commit().await
    }

    /// Sends a channel a message that says nothing but that it arrives, and tells why it does not.
    pub async fn test(&self, channel: &channel::Row) -> sqlx::Result<Result<(), String>> {
        let now = Utc::now();
        let message = compose::blank(&self.pages, &channel.project, Topic::Test, now);
        let result = self.deliver(channel, &message, &[]).await;
        let mut connection = self.pool.acquire().await?;
        // A refusal of a test turns nothing off: somebody is looking.
        match &result {
            Ok(()) => channel::took(&mut connection, channel.notification_channel_id, now).await?,
            Err(failure) => {
                let id = channel.notification_channel_id;
                channel::failed(&mut connection, id, (&failure.why, false), now).await?;
            }
        }
        Ok(result.map_err(|failure| failure.why))
    }

    /// Whether a channel of this kind can have this target.
    ///
    /// # Errors
    /// Why not, as the end of a sentence.
    pub fn check(&self, kind: Kind, target: &str) -> Result<(), String> {
        self.post.check(kind, target)
    }

    /// The kinds of channels that are possible here.
    pub fn kinds(&self) -> Vec<Kind> {
        self.post.kinds()
    }

    async fn deliver(
        &self,
        channel: &channel::Row,
        message: &Message,
        in_reply_to: &[uuid::Uuid],
    ) -> Result<(), Failure> {
        let (post, channel, message) = (self.post.clone(), channel.clone(), message.clone());
        let in_reply_to = in_reply_to.to_vec();
        let sent = tokio::task::spawn_blocking(move || {
            post.send(Parcel { message: &message, in_reply_to: &in_reply_to, channel: &channel })
        });
        sent.await.unwrap_or_else(|error| Err(Failure::passing(format!("nobody sent it: {error}"))))
    }
}

/// Notes how a channel took a message, and turns it off when it refuses again and again.
async fn note(
    connection: &mut sqlx::PgConnection,
    channel: &channel::Row,
    result: &Result<(), Failure>,
    now: DateTime<Utc>,
) -> sqlx::Result<()> {
    let id = channel.notification_channel_id;
    let Err(failure) = result else { return channel::took(connection, id, now).await };
    let refusals = channel::failed(connection, id, (&failure.why, failure.is_refusal), now).await?;
    if !failure.is_refusal || refusals.is_none_or(|count| count < REFUSALS_MAX) {
        return Ok(());
    }
    let because = format!("it refused {REFUSALS_MAX} times in a row, the last time because {}", failure.why);
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

    /// The example of the documentation.
    pub(crate) fn example() -> Message {
        let (_, rest) = DOCUMENTED.split_once("```json\n").unwrap();
        serde_json::from_str(rest.split_once("```").unwrap().0).unwrap()
    }

    #[test]
    fn the_documented_message_is_one_in_every_member() {
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
