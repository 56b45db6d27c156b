//! The web UI, carried within release builds and read from `web/dist` by others.

use crate::error::{ApiError, Kind};
use axum::http::{StatusCode, header};
use axum::response::{IntoResponse, Response};
use rust_embed::{Embed, EmbeddedFile};

const NOT_BUILT: &str = "This server was built without its web interface. Run `cargo xtask up`, or run `npm ci` and \
     `npm run build` in web/ and build the server again. The API is under /api/v1.\n";

/// Files whose names hold a digest of their content.
const HASHED: &str = "assets/";

#[derive(Embed)]
#[folder = "../web/dist"]
#[allow_missing = true]
struct WebInterface;

/// The file at `path`; for the paths of pages, `index.html`, which finds the page itself.
pub(crate) fn serve(path: &str) -> Response {
    let path = path.trim_start_matches('/');
    if let Some(file) = WebInterface::get(path) {
        return answer(path, file);
    }
    if path.starts_with(HASHED) {
        return ApiError::unknown(Kind::Asset, path).into_response();
    }
    match WebInterface::get("index.html") {
        Some(file) => answer("index.html", file),
        None => (StatusCode::NOT_FOUND, NOT_BUILT).into_response(),
    }
}

fn answer(path: &str, file: EmbeddedFile) -> Response {
    let media_type = mime_guess::from_path(path).first_or_octet_stream();
    let caching = if path.starts_with(HASHED) { "public, max-age=31536000, immutable" } else { "no-cache" };
    let headers = [(header::CONTENT_TYPE, media_type.as_ref()), (header::CACHE_CONTROL, caching)];
    (headers, file.data).into_response()
}
