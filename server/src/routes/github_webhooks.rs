//! GitHub's deliveries: accepted only with a valid signature, and stored before they are acknowledged.

use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, check_stated_size, header_text, receive, require_json, sender};
use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use chrono::Utc;
use roundtrip_domain::error::{DomainError, Kind};
use roundtrip_github::{App, webhook};
use roundtrip_storage as db;
use serde::Serialize;
use std::sync::Arc;
use utoipa::ToSchema;
use uuid::Uuid;

/// The outcome of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, ToSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Outcome {
    /// Stored, and handled soon.
    Stored,
    /// Already stored.
    Repeated,
    /// Ignored.
    Ignored,
}

/// The response to an event.
#[derive(Clone, Copy, Debug, Serialize, ToSchema)]
pub(crate) struct WebhookReceipt {
    /// The outcome.
    pub outcome: Outcome,
}

/// Receives a GitHub delivery. Repeating a delivery has no effect.
#[utoipa::path(
    post, path = "/api/v1/github/webhooks", tag = "github", params(
        ("x-github-event" = String, Header, description = "The kind of event"),
        ("x-github-delivery" = Uuid, Header, description = "GitHub's id of the delivery"),
        ("x-hub-signature-256" = Option<String>, Header, description = "`sha256=` and the HMAC of the body"),
    ),
    request_body(content = Object, description = "As GitHub sends it, at most 25 MiB"),
    security(()),
    responses(
    (status = 202, description = "Stored or ignored", body = WebhookReceipt),
    (status = 400, description = "`invalid-json` or `invalid-parameter`"),
    (status = 401, description = "The signature is missing or wrong"),
    (status = 404, description = "No GitHub App was set up"),
    (status = 408, description = "`slow-body`: the body arrives too slowly"),
    (status = 413, description = "Body too large"),
    (status = 415, description = "Unsupported media type"),
    (status = 503, description = "Busy: retry after the time in the `retry-after` header"),
))]
pub(crate) async fn receive_webhook(
    State(state): State<AppState>,
    caller: Caller,
    request: Request,
) -> Result<(StatusCode, Json<WebhookReceipt>), ApiError> {
    let app: Arc<App> = state
        .github_app
        .clone()
        .ok_or_else(|| ApiError::unknown(Kind::GitHubApp, "not configured on this server"))?;
    let (parts, body) = request.into_parts();
    let headers = &parts.headers;
    let unsigned = "missing or invalid signature: expected `x-hub-signature-256` with the webhook secret of the GitHub App";
    // Requests without a signature are rejected before reading the body.
    let signature = app.signature(header_text(headers, "x-hub-signature-256"));
    let mut signature = signature.ok_or(ApiError::Unauthenticated(unsigned))?;
    check_stated_size(headers, webhook::BODY_BYTES_MAX)?;
    let mut arriving = state.bodies.begin(sender(&caller));
    let part = |part: &[u8]| signature.update(part);
    let bytes = receive(body, webhook::BODY_BYTES_MAX, &mut arriving, part).await?;
    if !signature.is_valid() {
        return Err(ApiError::Unauthenticated(unsigned));
    }
    require_json(headers)?;
    let delivery = Uuid::parse_str(header_text(headers, "x-github-delivery"))
        .map_err(|_| ApiError::parameter("x-github-delivery", "expected a UUID"))?;
    let event = header_text(headers, "x-github-event");
    let parsed = webhook::read(event, &bytes, app.app_id())
        .map_err(|error| DomainError::InvalidJson(format!("the event cannot be read: {error}")))?;
    let outcome = match parsed {
        None => Outcome::Ignored,
        Some(parsed) => {
            let payload = serde_json::to_value(&parsed).map_err(ApiError::internal)?;
            let is_new =
                db::github::delivery::keep(&state.pool, delivery, event, &payload, Utc::now()).await?;
            app.wake.notify_one();
            if is_new { Outcome::Stored } else { Outcome::Repeated }
        }
    };
    Ok((StatusCode::ACCEPTED, Json(WebhookReceipt { outcome })))
}
