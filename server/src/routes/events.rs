//! Events: a stream that tells of new runs while they arrive.

use super::projects::{ProjectPath, project_id};
use crate::extract::{Caller, Path};
use crate::{AppState, error::ApiError};
use axum::extract::State;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use futures_util::stream;
use roundtrip_domain::live::{NewRuns, Told};
use std::convert::Infallible;
use std::time::Duration;

/// A comment is sent when there is nothing to tell for so long, so that nobody between takes the connection for dead.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);
/// A stream ends after so long, and its client connects again: if it may still see the project.
const LIFETIME: Duration = Duration::from_secs(3_600);
/// When a client connects again after the stream ended.
const RETRY_AFTER: Duration = Duration::from_secs(3);

/// Tells of new runs of a project while they arrive, as server-sent events: `runs` for some that are new, `gap` when some
/// may have been missed. After a gap, and after connecting again, ask for what you show once more: what was before is not
/// told again, whatever `Last-Event-ID` says.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/events", tag = "runs", params(ProjectPath), responses(
    (status = 200, description = "The data of each event `runs`; that of `gap` is `{}`", body = NewRuns,
        content_type = "text/event-stream"),
    (status = 503, description = "Too many streams: repeat after the time of the `retry-after` header"),
))]
pub(crate) async fn follow_project(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
) -> Result<Response, ApiError> {
    project_id(&state, &caller, &path).await?;
    let subscription = state.live.subscribe(path.project.as_str()).await?;
    let first = stream::once(async { Event::default().retry(RETRY_AFTER) });
    let told = stream::unfold(subscription, async |mut subscription| {
        let event = match subscription.next().await? {
            Told::Runs(data) => Event::default().event("runs").data(data),
            // Browsers pass over an event without data.
            Told::Gap => Event::default().event("gap").data("{}"),
        };
        Some((event, subscription))
    });
    let events = first.chain(told).take_until(Box::pin(tokio::time::sleep(LIFETIME)));
    let events =
        Sse::new(events.map(Ok::<_, Infallible>)).keep_alive(KeepAlive::new().interval(HEARTBEAT_INTERVAL));
    // A proxy that collects what it passes on would keep events back.
    Ok(([("x-accel-buffering", "no")], events).into_response())
}
