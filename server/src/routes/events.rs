//! A stream of server-sent events about new runs.

use super::permitted;
use super::projects::ProjectPath;
use crate::extract::{Caller, Path};
use crate::{AppState, auth, error::ApiError};
use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{IntoResponse, Response};
use futures_util::StreamExt;
use futures_util::stream;
use roundtrip_domain::access::Action;
use roundtrip_domain::live::{LiveEvent, NewRuns};
use roundtrip_wire::Slug;
use std::convert::Infallible;
use std::time::Duration;

/// The idle time after which a comment keeps the connection open.
const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(15);
/// The duration of a stream. The client then reconnects.
const LIFETIME: Duration = Duration::from_secs(3_600);
/// The delay before a client reconnects.
const RETRY_AFTER: Duration = Duration::from_secs(3);

/// New runs of a project as server-sent events: `runs` for new ones, `gap` if some may have been missed. Reload your
/// data after a gap and after reconnecting: events are not repeated, and `Last-Event-ID` is ignored. The stream ends
/// when you lose access to the project.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/events", tag = "runs", params(ProjectPath), responses(
    (status = 200, description = "The data of each event `runs`; that of `gap` is `{}`", body = NewRuns,
        content_type = "text/event-stream"),
    (status = 503, description = "Too many streams: retry after the time in the `retry-after` header"),
))]
pub(crate) async fn follow_project(
    State(state): State<AppState>,
    caller: Caller,
    headers: HeaderMap,
    Path(path): Path<ProjectPath>,
) -> Result<Response, ApiError> {
    let share = state.streams.take(&caller, caller.client(), 1)?;
    let subscription = state.live.subscribe(path.project.as_str()).await?;
    let reader = Reader { caller, state, headers, project: path.project };
    // After subscribing, so that no change is missed.
    reader.check().await?;
    let first = stream::once(async { Event::default().retry(RETRY_AFTER) });
    let announced = stream::unfold((subscription, reader), async |(mut subscription, reader)| {
        loop {
            let event = subscription.next().await?;
            if let Err(error) = reader.check().await {
                tracing::debug!(%error, "an event stream ends");
                return None;
            }
            let event = match event {
                LiveEvent::Runs(data) => Event::default().event("runs").data(data),
                // Browsers ignore an event without data.
                LiveEvent::Gap => Event::default().event("gap").data("{}"),
                LiveEvent::AccessChanged => continue,
            };
            return Some((event, (subscription, reader)));
        }
    });
    let events = first.chain(announced).take_until(Box::pin(tokio::time::sleep(LIFETIME)));
    let events =
        Sse::new(events.map(Ok::<_, Infallible>)).keep_alive(KeepAlive::new().interval(HEARTBEAT_INTERVAL));
    // Proxies must not buffer events.
    let response = ([("x-accel-buffering", "no")], events).into_response();
    Ok(response.map(|body| share.hold(body)))
}

/// The reader of a stream.
struct Reader {
    caller: Caller,
    state: AppState,
    headers: HeaderMap,
    project: Slug,
}

impl Reader {
    /// Checks that the same request would succeed now.
    async fn check(&self) -> Result<(), ApiError> {
        let caller = auth::identify_again(&self.state, &self.headers).await?;
        if caller.proof() != self.caller.proof() {
            return Err(ApiError::Unauthenticated("the session has ended: sign in again"));
        }
        let caller = Caller::new(caller, None, self.caller.client());
        permitted::project(&self.state, &caller, Action::Read, &self.project).await?;
        Ok(())
    }
}
