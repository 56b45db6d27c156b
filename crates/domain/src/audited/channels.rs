//! Notification channels. A channel's target is secret: answers contain only enough to recognise it.

use super::commit;
use crate::error::{DomainError, Kind as Thing};
use crate::notify::{self, Notifier};
use chrono::{DateTime, Utc};
use roundtrip_storage::access::owner::ProjectRow;
use roundtrip_storage::audit::{Action, By};
use roundtrip_storage::notification::channel::{self, ChannelRow, Wanted};
use roundtrip_storage::notification::{Event, Kind};
use serde::{Deserialize, Serialize};
use serde_json::json;
use sqlx::{PgConnection, PgPool};
use utoipa::ToSchema;

/// Maximum number of channels in a project, because each receives all its events.
const CHANNELS_MAX: usize = 20;
const NAME_CHARS_MAX: usize = 100;
/// The number of last characters shown of a secret address, which is far longer.
const SHOWN_END: usize = 4;
const SHOWN_FROM: usize = 16;

/// A notification channel.
#[derive(Debug, Serialize, ToSchema)]
pub struct Channel {
    /// Its number.
    pub channel_id: i64,
    /// Its display name.
    #[schema(example = "team chat")]
    pub name: String,
    /// The kind of channel.
    pub kind: Kind,
    /// The mail address; for other kinds the host and the end of the address.
    #[schema(example = "hooks.slack.com/…Xb4d")]
    pub target: String,
    /// The events it receives.
    pub events: Vec<Event>,
    /// Whether it is enabled.
    pub enabled: bool,
    /// Why the server disabled it; null if it is enabled, or if a user disabled it.
    #[schema(required)]
    pub disabled_because: Option<String>,
    /// When it last accepted a message.
    #[schema(required)]
    pub last_success_at: Option<DateTime<Utc>>,
    /// When sending last failed.
    #[schema(required)]
    pub last_failure_at: Option<DateTime<Utc>>,
    /// Why it failed.
    #[schema(required)]
    pub failure: Option<String>,
    /// The creator: `account:NAME` or `token:NUMBER`.
    pub created_by: String,
    /// When it was created.
    pub created_at: DateTime<Utc>,
}

/// A change of a channel. Absent fields stay unchanged.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelChange {
    /// The name.
    #[schema(max_length = 100)]
    pub name: Option<String>,
    /// The target: a mail address or a URL.
    #[schema(max_length = 2000)]
    pub target: Option<String>,
    /// The events it receives.
    pub events: Option<Vec<Event>>,
    /// Whether it is enabled. Events while it is disabled are not sent later.
    pub enabled: Option<bool>,
}

/// Creates a channel. Returns it with the key that signs its webhook messages.
///
/// # Errors
/// The channel is invalid.
pub async fn create_channel(
    pool: &PgPool,
    notifier: &Notifier,
    by: &By,
    project: &ProjectRow,
    (kind, wanted): (Kind, Wanted<'_>),
) -> Result<(Channel, Option<String>), DomainError> {
    check(notifier, kind, &wanted)?;
    if channel::list(pool, project.project_id).await?.len() >= CHANNELS_MAX {
        let detail = format!("the project has {CHANNELS_MAX} channels, the maximum: delete one first");
        return Err(DomainError::parameter("name", detail));
    }
    let secret = (kind == Kind::Webhook).then(notify::generate_key);
    let mut transaction = pool.begin().await?;
    let made =
        channel::create(&mut transaction, project.project_id, kind, &wanted, secret.as_deref(), &by.actor)
            .await?;
    let channel_id = made.ok_or_else(|| taken(wanted.name))?;
    let channel = read(&mut transaction, channel_id).await?;
    let details = json!({
        "project": project.project, "name": channel.name, "kind": channel.kind, "target": channel.target,
        "events": channel.events,
    });
    commit(transaction, by, Action::ChannelCreate, ("channel", channel_id), details).await?;
    Ok((channel, secret))
}

/// Changes a channel, and returns its new state.
///
/// # Errors
/// The channel does not exist, or the change is invalid.
pub async fn change_channel(
    pool: &PgPool,
    notifier: &Notifier,
    by: &By,
    project: &ProjectRow,
    (channel_id, change): (i64, ChannelChange),
) -> Result<Channel, DomainError> {
    let mut transaction = pool.begin().await?;
    let row = channel::lock(&mut transaction, project.project_id, channel_id)
        .await?
        .ok_or_else(|| DomainError::unknown(Thing::Channel, channel_id))?;
    let wanted = Wanted {
        name: change.name.as_deref().unwrap_or(&row.name),
        target: change.target.as_deref().unwrap_or(&row.target),
        events: change.events.as_deref().unwrap_or(&row.events),
    };
    check(notifier, row.kind, &wanted)?;
    if !channel::change(&mut transaction, channel_id, &wanted).await? {
        return Err(taken(wanted.name));
    }
    match change.enabled {
        Some(true) => channel::enable(&mut transaction, channel_id).await?,
        Some(false) => channel::disable(&mut transaction, channel_id, None, Utc::now()).await?,
        None => {}
    }
    let before = Channel::from(row);
    let after = read(&mut transaction, channel_id).await?;
    let details = json!({
        "project": project.project,
        "name": {"from": before.name, "to": after.name},
        "target": {"from": before.target, "to": after.target},
        "events": {"from": before.events, "to": after.events},
        "enabled": {"from": before.enabled, "to": after.enabled},
    });
    commit(transaction, by, Action::ChannelChange, ("channel", channel_id), details).await?;
    Ok(after)
}

/// Deletes a channel and its unsent messages.
pub async fn delete_channel(
    pool: &PgPool,
    by: &By,
    project: &ProjectRow,
    channel_id: i64,
) -> Result<(), DomainError> {
    let mut transaction = pool.begin().await?;
    let row = channel::lock(&mut transaction, project.project_id, channel_id).await?;
    let row = row.ok_or_else(|| DomainError::unknown(Thing::Channel, channel_id))?;
    channel::delete(&mut transaction, channel_id).await?;
    let details = json!({"project": project.project, "name": row.name});
    Ok(commit(transaction, by, Action::ChannelDelete, ("channel", channel_id), details).await?)
}

fn check(notifier: &Notifier, kind: Kind, wanted: &Wanted<'_>) -> Result<(), DomainError> {
    let length = wanted.name.chars().count();
    if !(1..=NAME_CHARS_MAX).contains(&length) || wanted.name.contains(char::is_control) {
        let detail = format!("expected 1 to {NAME_CHARS_MAX} characters, without control characters");
        return Err(DomainError::parameter("name", detail));
    }
    if wanted.events.is_empty() {
        return Err(DomainError::parameter("events", "no events: expected at least one"));
    }
    notifier.check(kind, wanted.target).map_err(|why| DomainError::parameter("target", why))
}

fn taken(name: &str) -> DomainError {
    DomainError::Taken(format!("the project already has a channel named {name}: use another name"))
}

async fn read(connection: &mut PgConnection, channel_id: i64) -> Result<Channel, DomainError> {
    let row = channel::find(connection, channel_id).await?;
    row.map(Channel::from).ok_or_else(|| DomainError::unknown(Thing::Channel, channel_id))
}

impl From<ChannelRow> for Channel {
    fn from(mut row: ChannelRow) -> Self {
        row.events.sort_by_key(|event| *event as u8);
        row.events.dedup();
        Self {
            channel_id: row.notification_channel_id,
            target: if row.kind == Kind::Email { row.target } else { recognisable(&row.target) },
            kind: row.kind,
            events: row.events,
            enabled: row.enabled_at.is_some(),
            name: row.name,
            disabled_because: row.disabled_because,
            last_success_at: row.last_success_at,
            last_failure_at: row.last_failure_at,
            failure: row.failure,
            created_by: row.created_by,
            created_at: row.created_at,
        }
    }
}

/// The host of an address, and its end if that reveals little. The full address is secret, because it grants
/// write access.
fn recognisable(url: &str) -> String {
    let (_, rest) = url.split_once("://").unwrap_or(("", url));
    let (host, path) = rest.split_at(rest.find(['/', '?', '#']).unwrap_or(rest.len()));
    let length = path.chars().count();
    let end: String = path.chars().skip(length.saturating_sub(SHOWN_END)).collect();
    if length < SHOWN_FROM { format!("{host}/…") } else { format!("{host}/…{end}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shows_only_the_recognisable_part_of_an_address() {
        let slack = "https://hooks.slack.com/services/T00000000/B00000000/abcdefghijklmnopqrstXb4d";
        assert_eq!(recognisable(slack), "hooks.slack.com/…Xb4d");
        assert_eq!(recognisable("https://example.org/hooks/1?key=secret"), "example.org/…cret");
        assert_eq!(recognisable("https://example.org:8443?short"), "example.org:8443/…");
        assert_eq!(recognisable("https://example.org"), "example.org/…");
    }
}
