//! Notification channels of a project. Targets are secret; answers contain only enough to recognise them.

use super::permitted;
use super::projects::ProjectPath;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Json as Body, Path};
use axum::extract::State;
use axum::{Json, http::StatusCode};
use roundtrip_domain::access::Action;
use roundtrip_domain::audited::channels::{self, Channel, ChannelChange};
use roundtrip_domain::error::Kind as Thing;
use roundtrip_storage::notification::channel::{self, Wanted};
use roundtrip_storage::notification::{Event, Kind};
use roundtrip_wire::Slug;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// The channels of a project; there are 20 at most.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChannelList {
    /// By name.
    pub channels: Vec<Channel>,
    /// The kinds available on this server. E-mail requires a mail server.
    pub kinds: Vec<Kind>,
}

/// A new channel.
#[derive(Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct ChannelRequest {
    /// The name.
    #[schema(max_length = 100, example = "team chat")]
    pub name: String,
    /// The kind of channel.
    pub kind: Kind,
    /// The target: the address of a Slack incoming webhook, your own webhook, or a mail address.
    #[schema(max_length = 2000)]
    pub target: String,
    /// The events. The default is regressions.
    #[serde(default = "quiet")]
    pub events: Vec<Event>,
}

/// A new channel.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct NewChannel {
    /// The channel.
    pub channel: Channel,
    /// The key that signs messages to a webhook, shown only once; null for other kinds.
    #[schema(required)]
    pub secret: Option<String>,
}

/// The result of a test.
#[derive(Debug, Serialize, ToSchema)]
pub(crate) struct ChannelTest {
    /// Whether the message was delivered.
    pub delivered: bool,
    /// The result as a sentence.
    pub detail: String,
}

/// A channel in a path.
#[derive(Debug, Deserialize, utoipa::IntoParams)]
#[into_params(parameter_in = Path)]
pub(crate) struct ChannelPath {
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
    let channels = rows.into_iter().map(Channel::from).collect();
    Ok(Json(ChannelList { channels, kinds: state.notifier.kinds() }))
}

/// Creates a notification channel for events from now on.
#[utoipa::path(post, path = "/api/v1/projects/{project}/channels", tag = "channels", params(ProjectPath),
    request_body = ChannelRequest,
    security(("token" = ["project:write"]), ("session" = [])),
    responses(
    (status = 201, description = "The channel, and its key", body = NewChannel),
    (status = 400, description = "`invalid-parameter` or `invalid-json`"),
    (status = 409, description = "`taken`: the project has a channel with this name"),
))]
pub(crate) async fn create_channel(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    Body(request): Body<ChannelRequest>,
) -> Result<(StatusCode, Json<NewChannel>), ApiError> {
    let project = permitted::project(&state, &caller, Action::Configure, &path.project).await?;
    let wanted = Wanted { name: &request.name, target: &request.target, events: &request.events };
    let new = (request.kind, wanted);
    let made = channels::create_channel(&state.pool, &state.notifier, &caller.by(), &project, new).await?;
    let (channel, secret) = made;
    Ok((StatusCode::CREATED, Json(NewChannel { channel, secret })))
}

/// Changes a channel.
#[utoipa::path(patch, path = "/api/v1/projects/{project}/channels/{channel_id}", tag = "channels",
    params(ChannelPath), request_body = ChannelChange,
    security(("token" = ["project:write"]), ("session" = [])),
    responses(
    (status = 200, description = "The channel after the change", body = Channel),
    (status = 400, description = "`invalid-parameter` or `invalid-json`"),
    (status = 409, description = "`taken`: the project has another channel with this name"),
))]
pub(crate) async fn change_channel(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ChannelPath>,
    Body(change): Body<ChannelChange>,
) -> Result<Json<Channel>, ApiError> {
    let project = permitted::project(&state, &caller, Action::Configure, &path.project).await?;
    let change = (path.channel_id, change);
    let after =
        channels::change_channel(&state.pool, &state.notifier, &caller.by(), &project, change).await?;
    Ok(Json(after))
}

/// Deletes a channel and its unsent messages.
#[utoipa::path(delete, path = "/api/v1/projects/{project}/channels/{channel_id}", tag = "channels",
    params(ChannelPath),
    security(("token" = ["project:write"]), ("session" = [])),
    responses((status = 204, description = "Deleted"))
)]
pub(crate) async fn delete_channel(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ChannelPath>,
) -> Result<StatusCode, ApiError> {
    let project = permitted::project(&state, &caller, Action::Configure, &path.project).await?;
    channels::delete_channel(&state.pool, &caller.by(), &project, path.channel_id).await?;
    Ok(StatusCode::NO_CONTENT)
}

/// Sends a test message to a channel.
#[utoipa::path(post, path = "/api/v1/projects/{project}/channels/{channel_id}/test", tag = "channels",
    params(ChannelPath),
    security(("token" = ["project:write"]), ("session" = [])),
    responses((status = 200, description = "The result", body = ChannelTest))
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
        Ok(()) => ChannelTest { delivered: true, detail: "Delivered.".to_owned() },
        Err(why) => ChannelTest { delivered: false, detail: format!("Not delivered: {why}.") },
    }))
}
