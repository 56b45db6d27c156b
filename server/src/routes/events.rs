//! A stream of server-sent events about new runs.

use super::projects::{ProjectPath, project_id};
use crate::extract::{Caller, Path};
use crate::{AppState, error::ApiError};
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use futures_util::stream;
use roundtrip_domain::live::{LiveEvent, NewRuns};
use std::convert::Infallible;
use std::time::Duration;

/// The idle time after which a comment keeps the connection open.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);
/// The duration of a stream. The client then reconnects, which checks its permission again.
const LIFETIME: Duration = Duration::from_secs(3_600);
/// The delay before a client reconnects.
const RETRY_AFTER: Duration = Duration::from_secs(3);

/// New runs of a project as server-sent events: `runs` for new ones, `gap` if some may have been missed. Reload your
/// data after a gap and after reconnecting: events are not repeated, and `Last-Event-ID` is ignored.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/events", tag = "runs", params(ProjectPath), responses(
    (status = 200, description = "The data of each event `runs`; that of `gap` is `{}`", body = NewRuns,
        content_type = "text/event-stream"),
    (status = 503, description = "Too many streams: retry after the time in the `retry-after` header"),
))]
pub(crate) async fn follow_project(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
) -> Result<Response, ApiError> {
    project_id(&state, &caller, &path).await?;
    let subscription = state.live.subscribe(path.project.as_str()).await?;
    let first = stream::once(async { Event::default().retry(RETRY_AFTER) });
    let announced = stream::unfold(subscription, async |mut subscription| {
        let event = match subscription.next().await? {
            LiveEvent::Runs(data) => Event::default().event("runs").data(data),
            // Browsers ignore an event without data.
            LiveEvent::Gap => Event::default().event("gap").data("{}"),
        };
        Some((event, subscription))
    });
    let events = first.chain(announced).take_until(Box::pin(tokio::time::sleep(LIFETIME)));
    let events =
        Sse::new(events.map(Ok::<_, Infallible>)).keep_alive(KeepAlive::new().interval(HEARTBEAT_INTERVAL));
    // Proxies must not buffer events.
    Ok(([("x-accel-buffering", "no")], events).into_response())
}
