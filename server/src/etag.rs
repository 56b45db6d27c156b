//! Entity tags: a client that already has the current answer gets 304 without a body (RFC 9110, 8.8.3 and 13.1.2).
//!
//! A tag is a weak hash of the body before compression. Strong tags promise equal bytes, so each encoding would need
//! its own. `If-None-Match` compares weakly anyway, and the API has neither ranges nor conditional writes, which need
//! strong tags.

use crate::error::ApiError;
use axum::body::{Body, HttpBody};
use axum::extract::Request;
use axum::http::{HeaderValue, Method, StatusCode, header};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use base64::Engine;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use headers::{ETag, HeaderMapExt, IfNoneMatch};
use http_body_util::BodyExt;
use sha2::{Digest, Sha256};

/// Larger bodies are downloads, which are rarely repeated and slow to hash.
const BYTES_MAX: u64 = 4 * 1024 * 1024;
/// Half of a SHA-256 is enough to distinguish bodies.
const HASH_BYTES: usize = 16;

/// Middleware: adds tags to answers of GET, and answers 304 if the client has the body. Streams have no tag.
pub(crate) async fn answer(request: Request, next: Next) -> Response {
    if request.method() != Method::GET {
        return next.run(request).await;
    }
    let held = request.headers().typed_get::<IfNoneMatch>();
    let response = next.run(request).await;
    let is_short = response.body().size_hint().exact().is_some_and(|bytes| bytes <= BYTES_MAX);
    if response.status() != StatusCode::OK || !is_short {
        return response;
    }
    let (mut parts, body) = response.into_parts();
    let bytes = match body.collect().await {
        Ok(body) => body.to_bytes(),
        Err(error) => return ApiError::internal(error).into_response(),
    };
    let hash = Sha256::digest(&bytes);
    let tag = format!("W/\"{}\"", URL_SAFE_NO_PAD.encode(&hash[..HASH_BYTES]));
    // Letters, digits, `-` and `_` always form a valid tag.
    let Ok(tag) = tag.parse::<ETag>() else { return Response::from_parts(parts, Body::from(bytes)) };
    // A 304 must have the same `vary` as the 200. The compression layer adds it only to bodies.
    parts.headers.append(header::VARY, HeaderValue::from_static("accept-encoding"));
    let is_held = held.is_some_and(|held| !held.precondition_passes(&tag));
    parts.headers.typed_insert(tag);
    if !is_held {
        return Response::from_parts(parts, Body::from(bytes));
    }
    parts.status = StatusCode::NOT_MODIFIED;
    parts.headers.remove(header::CONTENT_TYPE);
    parts.headers.remove(header::CONTENT_LENGTH);
    Response::from_parts(parts, Body::empty())
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::Router;
    use axum::middleware::from_fn;
    use axum::routing::get;
    use tower::ServiceExt;

    #[tokio::test]
    async fn long_bodies_and_streams_have_no_tag() {
        async fn long() -> Vec<u8> {
            vec![0; 4 * 1024 * 1024 + 1]
        }
        async fn stream() -> Body {
            Body::from_stream(futures_util::stream::iter([Ok::<_, std::io::Error>("data")]))
        }
        async fn short() -> &'static str {
            "data"
        }
        let app = Router::new()
            .route("/long", get(long))
            .route("/stream", get(stream))
            .route("/short", get(short))
            .layer(from_fn(answer));
        for (path, is_tagged) in [("/long", false), ("/stream", false), ("/short", true)] {
            let response =
                app.clone().oneshot(Request::get(path).body(Body::empty()).unwrap()).await.unwrap();
            assert_eq!(
                (response.status().as_u16(), response.headers().contains_key("etag")),
                (200, is_tagged)
            );
        }
    }
}
