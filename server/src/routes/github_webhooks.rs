//! GitHub's deliveries: accepted only with a valid signature, and stored before they are acknowledged.

use crate::AppState;
use crate::error::ApiError;
use crate::extract::{header_text, read_within, require_json, stated_bytes};
use axum::Json;
use axum::extract::{Request, State};
use axum::http::StatusCode;
use chrono::Utc;
use roundtrip_domain::error::{DomainError, Kind};
use roundtrip_github::{App, webhook};
use roundtrip_storage as db;
use serde::Serialize;
use std::sync::Arc;
use std::time::Duration;
use utoipa::ToSchema;
use uuid::Uuid;

/// The timeout for receiving a body. GitHub waits no longer for the response.
const ARRIVAL_MAX: Duration = Duration::from_secs(10);

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
    (status = 413, description = "Body too large"),
    (status = 415, description = "Unsupported media type"),
    (status = 503, description = "Busy: retry after the time in the `retry-after` header"),
))]
pub(crate) async fn receive_webhook(
    State(state): State<AppState>,
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
    let signature = header_text(headers, "x-hub-signature-256");
    if !signature.starts_with("sha256=") {
        return Err(ApiError::Unauthenticated(unsigned));
    }
    let late = |_| {
        DomainError::InvalidEncoding(format!("the body did not arrive within {} s", ARRIVAL_MAX.as_secs()))
    };
    stated_bytes(headers, webhook::BODY_BYTES_MAX)?;
    // By received bytes, not by `content-length`, which anyone can claim.
    let mut admitted = app.admission.admit(0)?;
    let mut bytes = Vec::new();
    let arrival = read_within(body, webhook::BODY_BYTES_MAX, &mut admitted, &mut bytes);
    tokio::time::timeout(ARRIVAL_MAX, arrival).await.map_err(late)??;
    if !app.has_signed(signature, &bytes) {
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
