//! Limits the memory of answers that clients have not read yet.
//!
//! Downloads are read from the database while they are sent, and take their share before that. All other answers
//! are in memory as a whole; large ones take their share when they are complete.

use crate::AppState;
use crate::extract::Caller;
use axum::body::HttpBody as _;
use axum::extract::{Request, State};
use axum::middleware::Next;
use axum::response::{IntoResponse as _, Response};

/// Smaller answers are not counted: the buffers of the connection take as much.
const UNCOUNTED_BYTES_MAX: u64 = 64 * 1024;

/// Middleware: takes a share for a large answer, until it is sent.
pub(crate) async fn limit(State(state): State<AppState>, request: Request, next: Next) -> Response {
    let caller = request.extensions().get::<Caller>().cloned();
    let response = next.run(request).await;
    // The length of a stream is unknown.
    let length = response.body().size_hint().exact().filter(|bytes| *bytes > UNCOUNTED_BYTES_MAX);
    let (Some(caller), Some(length)) = (caller, length) else { return response };
    match state.unread.take(&caller, caller.client(), usize::try_from(length).unwrap_or(usize::MAX)) {
        Ok(share) => response.map(|body| share.hold(body)),
        Err(error) => error.into_response(),
    }
}
