//! The API document: made from the handlers, committed as `server/openapi.json`, and the source of the web client's
//! types.

use crate::router;
use axum::http::header;
use axum::response::IntoResponse;
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};

/// Where the document is served.
pub(crate) const PATH: &str = "/api/v1/openapi.json";

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Roundtrip",
        description = "Continuous performance tracking for inter-process communication. Times are integers of \
            nanoseconds, sizes integers of bytes. Every error is `application/problem+json` (RFC 9457).",
    ),
    modifiers(&Token),
    tags(
        (name = "health", description = "Whether the server lives and can serve"),
        (name = "ingest", description = "Uploads"),
        (name = "machines", description = "Hosts with an agent"),
        (name = "points", description = "One run's result in one series"),
        (name = "projects", description = "Repositories whose commits are charted"),
        (name = "runs", description = "What was uploaded"),
        (name = "series", description = "One case, measured one way, on one machine, over commits"),
    ),
)]
struct Head;

struct Token;

impl Modify for Token {
    fn modify(&self, document: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("A token that `roundtrip-server token create` made"))
            .build();
        document
            .components
            .get_or_insert_with(Default::default)
            .add_security_scheme("token", SecurityScheme::Http(scheme));
    }
}

/// The document without paths.
pub(crate) fn head() -> utoipa::openapi::OpenApi {
    Head::openapi()
}

/// The whole document as indented JSON with a final newline.
pub fn document_json() -> String {
    let document = router::documented().into_openapi();
    // The document holds only text, numbers and maps with text as keys: it always has a JSON form.
    let mut json = document.to_pretty_json().unwrap_or_default();
    json.push('\n');
    json
}

/// Serves the document.
pub(crate) async fn serve() -> impl IntoResponse {
    ([(header::CONTENT_TYPE, "application/json")], document_json())
}
