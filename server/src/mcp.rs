//! `/mcp`: tools for coding agents, by the Model Context Protocol over streamable HTTP.
//!
//! Each call of a tool sends requests to the REST API in this process, with the token of the caller.

use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, receive, sender};
use async_trait::async_trait;
use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{ConnectInfo, Request, State};
use axum::http::{HeaderMap, HeaderName, Method, header};
use axum::response::Response;
use axum::routing::any;
use rmcp::transport::streamable_http_server::session::never::NeverSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use roundtrip_mcp::{Api, Refused, Tools};
use roundtrip_wire::Problem;
use serde_json::Value;
use std::net::SocketAddr;
use std::sync::Arc;
use tower::ServiceExt;

pub(crate) const PATH: &str = "/mcp";
/// The longest request: as for other JSON bodies.
const REQUEST_BYTES_MAX: usize = 64 * 1024;
/// The longest answer of the REST API to a tool.
const ANSWER_BYTES_MAX: usize = 16 * 1024 * 1024;
/// The headers that identify the caller and the request. Without cookies, because browsers send them from pages of other sites.
const FORWARDED: [HeaderName; 3] = [
    header::AUTHORIZATION,
    HeaderName::from_static("x-forwarded-for"),
    HeaderName::from_static("x-request-id"),
];

/// The route, with tools that use this REST API.
pub(crate) fn routes(api: Router) -> Router<AppState> {
    let answer = move |State(state): State<AppState>, caller: Caller, request: Request| {
        answer(state, api.clone(), caller, request)
    };
    Router::new().route(PATH, any(answer))
}

/// Without sessions, any server of several can answer.
async fn answer(
    state: AppState,
    api: Router,
    caller: Caller,
    request: Request,
) -> Result<Response, ApiError> {
    let (parts, body) = request.into_parts();
    let mut arriving = state.bodies.begin(sender(&caller));
    let bytes = receive(body, REQUEST_BYTES_MAX, &mut arriving, |_| ()).await?;
    let request = Request::from_parts(parts, Body::from(bytes));
    let address = state.notifier().public_url().to_owned();
    let api: Arc<dyn Api> = Arc::new(InProcess { api, address, caller: Forwarded::from_request(&request) });
    // Any host name, as for the REST API. Pages of other sites are rejected by their origin.
    let config = StreamableHttpServerConfig::default()
        .with_legacy_session_mode(false)
        .with_json_response(true)
        .disable_allowed_hosts()
        .enforce_origin_validation();
    let tools = move || Ok(Tools(roundtrip_mcp::of_server(&api)));
    let sessions = Arc::new(NeverSessionManager::default());
    Ok(StreamableHttpService::new(tools, sessions, config).handle(request).await.map(Body::new))
}

/// The REST API of this process.
struct InProcess {
    api: Router,
    address: String,
    caller: Forwarded,
}

/// The parts of a request that identify its caller.
struct Forwarded {
    headers: HeaderMap,
    peer: Option<ConnectInfo<SocketAddr>>,
}

impl Forwarded {
    fn from_request(request: &Request) -> Self {
        let mut headers = HeaderMap::new();
        for name in FORWARDED {
            for value in request.headers().get_all(&name) {
                headers.append(name.clone(), value.clone());
            }
        }
        Self { headers, peer: request.extensions().get().copied() }
    }
}

#[async_trait]
impl Api for InProcess {
    fn address(&self) -> &str {
        &self.address
    }

    async fn send(&self, path: &str, body: Option<Value>) -> Result<Value, Refused> {
        let method = if body.is_some() { Method::POST } else { Method::GET };
        let content = body.map(|body| body.to_string()).unwrap_or_default();
        let request = Request::builder()
            .method(method)
            .uri(format!("/api/v1/{path}"))
            .header(header::CONTENT_TYPE, "application/json")
            .body(Body::from(content));
        let mut request = request.map_err(|error| Refused::new("invalid-arguments", error.to_string()))?;
        request.headers_mut().extend(self.caller.headers.clone());
        if let Some(peer) = self.caller.peer {
            request.extensions_mut().insert(peer);
        }
        let response = match self.api.clone().oneshot(request).await {
            Ok(response) => response,
            Err(never) => match never {},
        };
        let is_success = response.status().is_success();
        let bytes = to_bytes(response.into_body(), ANSWER_BYTES_MAX).await.map_err(|_| {
            Refused::new(
                "too-much-data",
                "the answer is longer than 16 MiB: narrow the request, or use a smaller `limit`",
            )
        })?;
        if is_success {
            return serde_json::from_slice(&bytes).map_err(Refused::unexpected);
        }
        Err(serde_json::from_slice::<Problem>(&bytes).map_or_else(Refused::unexpected, Refused::from))
    }
}
