//! [`Json`]: a small parsed body. [`ReportBody`]: the bytes of an upload as sent. [`receive`] counts the bytes of every
//! body while they arrive.

use super::Caller;
use crate::AppState;
use crate::error::ApiError;
use axum::body::Body;
use axum::extract::{FromRequest, FromRequestParts, Request};
use axum::http::header::{self, AsHeaderName, HeaderMap};
use http_body_util::BodyExt;
use roundtrip_domain::access::Proof;
use roundtrip_domain::error::DomainError;
use roundtrip_domain::ingest::bodies::{Arriving, Sender};
use roundtrip_domain::ingest::{Encoding, UploadBody};
use serde::de::DeserializeOwned;
use std::fmt::Display;
use std::time::Duration;
use tokio::time::Instant;

/// The maximum size of a body, in bytes.
const BYTES_MAX: usize = 64 * 1024;
/// The time limit for a body of any speed.
const SLOW_TIMEOUT: Duration = if cfg!(test) { Duration::from_millis(300) } else { Duration::from_secs(20) };
/// A body that takes longer must have arrived at this average rate.
const BYTES_PER_SECOND_MIN: usize = 32 * 1024;

/// Like [`axum::Json`]; the rejection is an [`ApiError`] that names the member.
#[derive(Debug)]
pub(crate) struct Json<T>(pub T);

impl<T: DeserializeOwned> FromRequest<AppState> for Json<T> {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, ApiError> {
        require_json(request.headers())?;
        let (mut parts, body) = request.into_parts();
        let caller = Caller::from_request_parts(&mut parts, state).await?;
        let mut arriving = state.bodies.begin(sender(&caller));
        let bytes = receive(body, BYTES_MAX, &mut arriving, |_| ()).await?;
        let mut deserializer = serde_json::Deserializer::from_slice(&bytes);
        let value = serde_path_to_error::deserialize(&mut deserializer).map_err(|error| {
            let (path, error) = (error.path().to_string(), error.into_inner());
            match path.as_str() {
                _ if !error.is_data() => DomainError::InvalidJson(error.to_string()).into(),
                "." => ApiError::parameter("of the body", error.to_string()),
                name => ApiError::parameter(name, error.to_string()),
            }
        })?;
        deserializer.end().map_err(|error| DomainError::InvalidJson(error.to_string()))?;
        Ok(Self(value))
    }
}

/// The maximum size of a body as sent, in bytes.
const SENT_BYTES_MAX: usize = 8 * 1024 * 1024;

/// A JSON body, not yet decompressed.
#[derive(Debug)]
pub(crate) struct ReportBody(pub UploadBody);

impl FromRequest<AppState> for ReportBody {
    type Rejection = ApiError;

    async fn from_request(request: Request, state: &AppState) -> Result<Self, ApiError> {
        require_json(request.headers())?;
        let encoding = encoding(request.headers())?;
        let (mut parts, body) = request.into_parts();
        check_stated_size(&parts.headers, SENT_BYTES_MAX)?;
        let caller = Caller::from_request_parts(&mut parts, state).await?;
        let mut arriving = state.ingest.memory().bodies().begin(sender(&caller));
        let bytes = receive(body, SENT_BYTES_MAX, &mut arriving, |_| ()).await?;
        Ok(Self(UploadBody { bytes, encoding, arriving }))
    }
}

/// The sender by which the caller's bodies are counted.
pub(crate) fn sender(caller: &Caller) -> Sender {
    let token_id = match caller.proof() {
        Proof::Token(token_id) => Some(token_id),
        Proof::Session(_) | Proof::Nothing | Proof::CommandLine => None,
    };
    Sender { address: caller.client(), token_id }
}

/// Rejects a body that is announced as too large.
pub(crate) fn check_stated_size(headers: &HeaderMap, max_bytes: usize) -> Result<(), ApiError> {
    match header_text(headers, header::CONTENT_LENGTH).parse::<usize>() {
        Ok(stated) if stated > max_bytes => Err(too_large(max_bytes).into()),
        _ => Ok(()),
    }
}

/// Reads a body up to a limit, and passes on each part. Only bytes that have arrived need memory.
pub(crate) async fn receive(
    mut body: Body,
    max_bytes: usize,
    arriving: &mut Arriving,
    mut pass_on: impl FnMut(&[u8]),
) -> Result<Vec<u8>, ApiError> {
    let (mut bytes, begun) = (Vec::<u8>::new(), Instant::now());
    loop {
        let earned = Duration::from_secs_f64(bytes.len() as f64 / BYTES_PER_SECOND_MIN as f64);
        let frame = tokio::select! {
            frame = tokio::time::timeout_at(begun + SLOW_TIMEOUT.max(earned), body.frame()) => frame,
            () = arriving.evicted() => return Err(DomainError::Busy.into()),
        };
        let slow = |_| ApiError::SlowBody {
            received_bytes: bytes.len(),
            seconds: begun.elapsed().as_secs(),
            bytes_per_second_min: BYTES_PER_SECOND_MIN,
        };
        let Some(frame) = frame.map_err(slow)? else { return Ok(bytes) };
        let Ok(data) = frame.map_err(cut_short)?.into_data() else { continue };
        if bytes.len() + data.len() > max_bytes {
            return Err(too_large(max_bytes).into());
        }
        arriving.add(data.len())?;
        pass_on(&data);
        bytes.extend_from_slice(&data);
    }
}

fn too_large(max_bytes: usize) -> DomainError {
    DomainError::BodyTooLarge { max_bytes, state: "as sent" }
}

fn cut_short(error: impl Display) -> DomainError {
    DomainError::InvalidEncoding(format!("cannot read the whole body: {error}"))
}

pub(crate) fn require_json(headers: &HeaderMap) -> Result<(), ApiError> {
    let found = header_text(headers, header::CONTENT_TYPE);
    let essence = found.split(';').next().unwrap_or_default().trim();
    if essence.eq_ignore_ascii_case("application/json") {
        return Ok(());
    }
    Err(unsupported("content-type", found, "application/json"))
}

fn encoding(headers: &HeaderMap) -> Result<Encoding, ApiError> {
    let found = header_text(headers, header::CONTENT_ENCODING);
    match found.trim().to_ascii_lowercase().as_str() {
        "" | "identity" => Ok(Encoding::Identity),
        "gzip" => Ok(Encoding::Gzip),
        "zstd" => Ok(Encoding::Zstd),
        _ => Err(unsupported("content-encoding", found, "identity, gzip or zstd")),
    }
}

/// The text of a header; empty if it is absent or not ASCII.
pub(crate) fn header_text(headers: &HeaderMap, name: impl AsHeaderName) -> &str {
    headers.get(name).and_then(|value| value.to_str().ok()).unwrap_or_default()
}

fn unsupported(header: &'static str, found: &str, expected: &'static str) -> ApiError {
    let found = if found.is_empty() { "absent".to_owned() } else { format!("`{found}`") };
    ApiError::UnsupportedMedia { header, found, expected }
}

#[cfg(test)]
mod tests {
    use super::*;
    use axum::BoxError;
    use futures_util::{StreamExt as _, stream};
    use roundtrip_domain::ingest::bodies::Bodies;
    use std::net::Ipv4Addr;

    const STRANGER: Sender = Sender { address: std::net::IpAddr::V4(Ipv4Addr::LOCALHOST), token_id: None };

    #[tokio::test]
    async fn rejects_bodies_that_arrive_too_slowly() {
        // Each part arrives long before the timeout.
        let slow = stream::unfold((), async |()| {
            tokio::time::sleep(SLOW_TIMEOUT / 20).await;
            Some((Ok::<_, BoxError>("{"), ()))
        });
        for body in [Body::from_stream(stream::pending::<Result<&str, BoxError>>()), Body::from_stream(slow)]
        {
            let mut arriving = Bodies::new(BYTES_MAX).begin(STRANGER);
            let rejected = receive(body, BYTES_MAX, &mut arriving, |_| ()).await;
            assert!(matches!(rejected, Err(ApiError::SlowBody { .. })), "{rejected:?}");
        }
    }

    #[tokio::test]
    async fn a_fast_body_may_take_longer() {
        let parts = stream::unfold(0, async |number| {
            tokio::time::sleep(SLOW_TIMEOUT / 8).await;
            (number < 16).then_some((Ok::<_, BoxError>(vec![b' '; BYTES_MAX / 16]), number + 1))
        });
        let mut arriving = Bodies::new(BYTES_MAX).begin(STRANGER);
        let mut passed = 0;
        let body = Body::from_stream(parts);
        let bytes = receive(body, BYTES_MAX, &mut arriving, |part| passed += part.len()).await.unwrap();
        assert_eq!((bytes.len(), passed), (BYTES_MAX, BYTES_MAX));
    }

    #[tokio::test]
    async fn a_stalled_body_makes_room_for_others() {
        let bodies = Bodies::new(100);
        let stalled = stream::iter([Ok::<_, BoxError>(vec![b' '; 100])]).chain(stream::pending());
        let mut arriving = bodies.begin(STRANGER);
        let mut received = Box::pin(receive(Body::from_stream(stalled), 100, &mut arriving, |_| ()));
        let other = bodies.begin(Sender { address: Ipv4Addr::BROADCAST.into(), token_id: None });
        let (rejected, ()) = tokio::join!(&mut received, async { other.add(1).unwrap() });
        assert!(matches!(rejected, Err(ApiError::Domain(DomainError::Busy))), "{rejected:?}");
    }
}
