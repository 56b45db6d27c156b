//! Channels: to whom a project tells what happens. Where a channel writes to is told to nobody, only enough to recognise it.

use super::permitted;
use super::projects::ProjectPath;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Json as Body, Path};
use axum::extract::State;
use axum::{Json, http::StatusCode};
use chrono::{DateTime, Utc};
use roundtrip_domain::access::Action;
use roundtrip_domain::error::DomainError;
use roundtrip_domain::error::Kind as Thing;
use roundtrip_domain::notify;
use roundtrip_storage::audit::{self, Event as AuditEvent};
use roundtrip_storage::notification::channel::{self, Row, Wanted};
use roundtrip_storage::notification::event::{Event, Kind};
use roundtrip_wire::{Problem, Slug};
use serde::{Deserialize, Serialize};
use serde_json::json;
use utoipa::ToSchema;

/// The most channels of a project: each is told of everything that it asks for.
const CHANNELS_MAX: usize = 20;
const NAME_CHARS_MAX: usize = 100;
/// So much of the end of a secret address is shown, in characters, of one that is far longer.
const SHOWN_END: usize = 4;
const SHOWN_FROM: usize = 16;

/// The channels of a project; there are 20 at most.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChannelList {
    /// By name.
    pub channels: Vec<Channel>,
    /// The kinds that are possible on this server: by e-mail, where it has a mail server.
    pub kinds: Vec<Kind>,
}

/// To whom a project tells what happens.
#[derive(Debug, Serialize, ToSchema)]
pub struct Channel {
    /// Its number.
    pub channel_id: i64,
    /// What people call it.
    #[schema(example = "team chat")]
    pub name: String,
    /// How it is told.
    pub kind: Kind,
    /// Where it is: an address of e-mail; of other kinds the host, and how the rest ends.
    #[schema(example = "hooks.slack.com/…Xb4d")]
    pub target: String,
    /// What it is told of.
    pub events: Vec<Event>,
    /// Whether it is told now.
    pub enabled: bool,
    /// Why the server turned it off; null when it is on, or people turned it off.
    #[schema(required)]
    pub disabled_because: Option<String>,
    /// When it last took a message.
    #[schema(required)]
    pub last_success_at: Option<DateTime<Utc>>,
    /// When it last did not.
    #[schema(required)]
    pub last_failure_at: Option<DateTime<Utc>>,
    /// Why it did not.
    #[schema(required)]
    pub failure: Option<String>,
    /// Who made it: `account:NAME` or `token:NUMBER`.
    pub created_by: String,
    /// When.
    pub created_at: DateTime<Utc>,
}

/// A channel to be made.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelRequest {
    /// What to call it.
    #[schema(max_length = 100, example = "team chat")]
    pub name: String,
    /// How it is told.
    pub kind: Kind,
    /// Where: the address of Slack's incoming webhook, of a webhook of one's own, or of e-mail.
    #[schema(max_length = 2000)]
    pub target: String,
    /// What it is told of: regressions, unless something else is said.
    #[serde(default = "quiet")]
    pub events: Vec<Event>,
}

/// What of a channel is to change; what is absent stays.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub struct ChannelChange {
    /// What to call it.
    #[schema(max_length = 100)]
    pub name: Option<String>,
    /// Where it is.
    #[schema(max_length = 2000)]
    pub target: Option<String>,
    /// What it is told of.
    pub events: Option<Vec<Event>>,
    /// Whether it is told. What happens while it is not, it is not told later.
    pub enabled: Option<bool>,
}

/// A channel that was made.
#[derive(Debug, Serialize, ToSchema)]
pub struct NewChannel {
    /// The channel.
    pub channel: Channel,
    /// The key with which messages to a webhook are signed, shown this once; null for other kinds.
    #[schema(required)]
    pub secret: Option<String>,
}

/// How a test went.
#[derive(Debug, Serialize, ToSchema)]
pub struct ChannelTest {
    /// Whether the message was taken.
    pub delivered: bool,
    /// How it went, as a sentence.
    pub detail: String,
}

/// A channel in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub struct ChannelPath {
    /// The project's name.
    pub project: Slug,
    /// The channel's number.
    pub channel_id: i64,
}

fn quiet() -> Vec<Event> {
    vec![Event::Regressed]
}

/// The channels of a project.
#[utoipa::path(get, path = "/api/v1/projects/{project}/channels", tag = "channels", params(ProjectPath),
    security(("token" = ["project:write"]), ("session" = [])),
    responses((status = 200, description = "The channels, by name", body = ChannelList))
)]
pub(crate) async fn list_channels(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
) -> Result<Json<ChannelList>, ApiError> {
    let project = permitted::project(&state, &caller, Action::Configure, &path.project).await?;
    let rows = channel::list(&state.pool, project.project_id).await?;
    let channels = rows.into_iter().map(Channel::try_from).collect::<Result<_, _>>()?;
    Ok(Json(ChannelList { channels, kinds: state.notifier.kinds() }))
}

/// Makes a channel. It is told what happens from now on.
#[utoipa::path(post, path = "/api/v1/projects/{project}/channels", tag = "channels", params(ProjectPath),
    request_body = ChannelRequest,
    security(("token" = ["project:write"]), ("session" = [])),
    responses(
    (status = 201, description = "The channel, and its key", body = NewChannel),
    (status = 400, description = "`invalid-parameter` or `invalid-json`", body = Problem,
        content_type = "application/problem+json"),
    (status = 409, description = "`taken`: the project has a channel of this name", body = Problem,
        content_type = "application/problem+json"),
))]
pub(crate) async fn create_channel(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    Body(request): Body<ChannelRequest>,
) -> Result<(StatusCode, Json<NewChannel>), ApiError> {
    let project = permitted::project(&state, &caller, Action::Configure, &path.project).await?;
    let wanted = Wanted { name: &request.name, target: &request.target, events: &request.events };
    check(&state, request.kind, &wanted)?;
    if channel::list(&state.pool, project.project_id).await?.len() >= CHANNELS_MAX {
        let detail =
            format!("the project has {CHANNELS_MAX} channels, as many as it can have: delete one first");
        return Err(ApiError::parameter("name", detail));
    }
    let by = caller.by();
    let secret = (request.kind == Kind::Webhook).then(notify::draw_key);
    let mut transaction = state.pool.begin().await?;
    let made = channel::create(
        &mut transaction,
        project.project_id,
        request.kind,
        &wanted,
        secret.as_deref(),
        &by.actor,
    )
    .await?;
    let channel_id = made.ok_or_else(|| taken(&request.name))?;
    let channel = read(&mut transaction, channel_id).await?;
    let details = json!({
        "project": project.project, "name": channel.name, "kind": channel.kind, "target": channel.target,
        "events": channel.events,
    });
    let subject = format!("channel:{channel_id}");
    let event = AuditEvent { action: audit::Action::ChannelCreate, subject, details };
    audit::record(&mut transaction, &by, event).await?;
    transaction.commit().await?;
    Ok((StatusCode::CREATED, Json(NewChannel { channel, secret })))
}

/// Changes a channel.
#[utoipa::path(patch, path = "/api/v1/projects/{project}/channels/{channel_id}", tag = "channels",
    params(ChannelPath), request_body = ChannelChange,
    security(("token" = ["project:write"]), ("session" = [])),
    responses(
    (status = 200, description = "The channel as it is now", body = Channel),
    (status = 400, description = "`invalid-parameter` or `invalid-json`", body = Problem,
        content_type = "application/problem+json"),
    (status = 409, description = "`taken`: the project has another channel of this name", body = Problem,
        content_type = "application/problem+json"),
))]
pub(crate) async fn change_channel(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ChannelPath>,
    Body(change): Body<ChannelChange>,
) -> Result<Json<Channel>, ApiError> {
    let project = permitted::project(&state, &caller, Action::Configure, &path.project).await?;
    let mut transaction = state.pool.begin().await?;
    let row = channel::lock(&mut transaction, project.project_id, path.channel_id)
        .await?
        .ok_or_else(|| ApiError::unknown(Thing::Channel, path.channel_id))?;
    let wanted = Wanted {
        name: change.name.as_deref().unwrap_or(&row.name),
        target: change.target.as_deref().unwrap_or(&row.target),
        events: &change.events.map_or_else(|| row.events(), Ok)?,
    };
    check(&state, row.kind()?, &wanted)?;
    if !channel::change(&mut transaction, path.channel_id, &wanted).await? {
        return Err(taken(wanted.name));
    }
    match change.enabled {
        Some(true) => channel::enable(&mut transaction, path.channel_id).await?,
        Some(false) => channel::disable(&mut transaction, path.channel_id, None, Utc::now()).await?,
        None => {}
    }
    let before = Channel::try_from(row)?;
    let after = read(&mut transaction, path.channel_id).await?;
    let details = json!({
        "project": project.project,
        "name": {"from": before.name, "to": after.name},
        "target": {"from": before.target, "to": after.target},
        "events": {"from": before.events, "to": after.events},
        "enabled": {"from": before.enabled, "to": after.enabled},
    });
    let subject = format!("channel:{}", path.channel_id);
    let event = AuditEvent { action: audit::Action::ChannelChange, subject, details };
    audit::record(&mut transaction, &caller.by(), event).await?;
    transaction.commit().await?;
    Ok(Json(after))
}

/// Deletes a channel, and what waits for it.
#[utoipa::path(delete, path = "/api/v1/projects/{project}/channels/{channel_id}", tag = "channels",
    params(ChannelPath),
    security(("token" = ["project:write"]), ("session" = [])),
    responses((status = 204, description = "It is gone"))
)]
pub(crate) async fn delete_channel(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ChannelPath>,
) -> Result<StatusCode, ApiError> {
    let project = permitted::project(&state, &caller, Action::Configure, &path.project).await?;
    let unknown = || ApiError::unknown(Thing::Channel, path.channel_id);
    let mut transaction = state.pool.begin().await?;
    let row =
        channel::lock(&mut transaction, project.project_id, path.channel_id).await?.ok_or_else(unknown)?;
    channel::delete(&mut transaction, path.channel_id).await?;
    let details = json!({"project": project.project, "name": row.name});
    let subject = format!("channel:{}", path.channel_id);
    let event = AuditEvent { action: audit::Action::ChannelDelete, subject, details };
    audit::record(&mut transaction, &caller.by(), event).await?;
    transaction.commit().await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sends a channel a message that says nothing but that it arrives.
#[utoipa::path(post, path = "/api/v1/projects/{project}/channels/{channel_id}/test", tag = "channels",
    params(ChannelPath),
    security(("token" = ["project:write"]), ("session" = [])),
    responses((status = 200, description = "How it went", body = ChannelTest))
)]
pub(crate) async fn test_channel(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ChannelPath>,
) -> Result<Json<ChannelTest>, ApiError> {
    let project = permitted::project(&state, &caller, Action::Configure, &path.project).await?;
    let row = channel::find(&mut *state.pool.acquire().await?, path.channel_id)
        .await?
        .filter(|row| row.project_id == project.project_id)
        .ok_or_else(|| ApiError::unknown(Thing::Channel, path.channel_id))?;
    let outcome = state.notifier.test(&row).await?;
    Ok(Json(match outcome {
        Ok(()) => ChannelTest { delivered: true, detail: "The message was taken.".to_owned() },
        Err(why) => ChannelTest { delivered: false, detail: format!("The message was not taken: {why}.") },
    }))
}

fn check(state: &AppState, kind: Kind, wanted: &Wanted<'_>) -> Result<(), ApiError> {
    let length = wanted.name.chars().count();
    if !(1..=NAME_CHARS_MAX).contains(&length) || wanted.name.contains(char::is_control) {
        let detail = format!("expected 1 to {NAME_CHARS_MAX} characters, none of them a control character");
        return Err(ApiError::parameter("name", detail));
    }
    if wanted.events.is_empty() {
        return Err(ApiError::parameter("events", "there is none: expected one at least"));
    }
    state.notifier.check(kind, wanted.target).map_err(|why| ApiError::parameter("target", why))
}

fn taken(name: &str) -> ApiError {
    DomainError::Taken(format!("the project has a channel named {name}: expected another name")).into()
}

async fn read(connection: &mut sqlx::PgConnection, channel_id: i64) -> Result<Channel, ApiError> {
    let row = channel::find(connection, channel_id).await?;
    Channel::try_from(row.ok_or_else(|| ApiError::unknown(Thing::Channel, channel_id))?)
}

impl TryFrom<Row> for Channel {
    type Error = ApiError;

    fn try_from(row: Row) -> Result<Self, ApiError> {
        let kind = row.kind()?;
        let mut events = row.events()?;
        events.sort_by_key(|event| *event as u8);
        events.dedup();
        Ok(Self {
            channel_id: row.notification_channel_id,
            target: if kind == Kind::Email { row.target } else { recognisable(&row.target) },
            kind,
            events,
            enabled: row.enabled_at.is_some(),
            name: row.name,
            disabled_because: row.disabled_because,
            last_success_at: row.last_success_at,
            last_failure_at: row.last_failure_at,
            failure: row.failure,
            created_by: row.created_by,
            created_at: row.created_at,
        })
    }
}

/// The host of an address, and how it ends where that gives little away: whoever knows all of it can write there.
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
    fn an_address_is_shown_as_far_as_it_takes_to_recognise_it() {
        let slack = "https://hooks.slack.com/services/T00000000/B00000000/abcdefghijklmnopqrstXb4d";
        assert_eq!(recognisable(slack), "hooks.slack.com/…Xb4d");
        assert_eq!(recognisable("https://example.org/hooks/1?key=secret"), "example.org/…cret");
        assert_eq!(recognisable("https://example.org:8443?short"), "example.org:8443/…");
        assert_eq!(recognisable("https://example.org"), "example.org/…");
    }
}
