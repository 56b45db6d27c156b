//! The list of routes, and what surrounds every request.

use crate::error::{self, ApiError, Kind};
use crate::{AppState, assets, openapi, routes};
use axum::Router;
use axum::extract::Request;
use axum::http::{HeaderName, HeaderValue, Method, Uri, header};
use axum::middleware::from_fn;
use axum::response::{IntoResponse, Response};
use axum::routing::get;
use tower_http::catch_panic::CatchPanicLayer;
use tower_http::compression::CompressionLayer;
use tower_http::request_id::{MakeRequestUuid, PropagateRequestIdLayer, SetRequestIdLayer};
use tower_http::set_header::SetResponseHeaderLayer;
use tower_http::trace::TraceLayer;
use utoipa_axum::{router::OpenApiRouter, routes};

/// Only own scripts run. Charts set the style of single elements, so that is allowed.
const CONTENT_SECURITY_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; object-src 'none'; \
     base-uri 'self'; form-action 'self'; frame-ancestors 'none'",
);

/// The whole service over one database.
pub fn app(state: AppState) -> Router {
    let (router, _) = documented().split_for_parts();
    let always = |name: HeaderName, value: HeaderValue| SetResponseHeaderLayer::overriding(name, value);
    router
        .route(openapi::PATH, get(openapi::serve))
        .fallback(outside_the_api)
        .method_not_allowed_fallback(method_not_allowed)
        .layer(CatchPanicLayer::custom(error::of_panic))
        .layer(from_fn(error::render))
        .layer(SetResponseHeaderLayer::if_not_present(
            header::CACHE_CONTROL,
            HeaderValue::from_static("no-cache"),
        ))
        .layer(CompressionLayer::new())
        .layer(always(header::CONTENT_SECURITY_POLICY, CONTENT_SECURITY_POLICY))
        .layer(always(header::X_CONTENT_TYPE_OPTIONS, HeaderValue::from_static("nosniff")))
        .layer(always(header::REFERRER_POLICY, HeaderValue::from_static("no-referrer")))
        .layer(PropagateRequestIdLayer::x_request_id())
        // Failures are logged where their cause is known.
        .layer(TraceLayer::new_for_http().make_span_with(span).on_failure(()))
        .layer(SetRequestIdLayer::x_request_id(MakeRequestUuid))
        .with_state(state)
}

/// The routes that the API document describes.
pub(crate) fn documented() -> OpenApiRouter<AppState> {
    OpenApiRouter::with_openapi(openapi::head())
        .routes(routes!(routes::health::health))
        .routes(routes!(routes::health::readiness))
        .routes(routes!(routes::ingest::put_run))
        .routes(routes!(routes::ingest::import_file))
        .routes(routes!(routes::machines::list_machines))
        .routes(routes!(routes::points::list_points))
        .routes(routes!(routes::points::get_point))
        .routes(routes!(routes::projects::list_projects))
        .routes(routes!(routes::projects::get_project))
        .routes(routes!(routes::runs::list_runs))
        .routes(routes!(routes::runs::get_run))
        .routes(routes!(routes::runs::get_report))
        .routes(routes!(routes::runs::get_original))
        .routes(routes!(routes::series::list_series))
        .routes(routes!(routes::series::get_series))
}

async fn outside_the_api(method: Method, uri: Uri) -> Response {
    if uri.path() == "/api" || uri.path().starts_with("/api/") {
        return ApiError::unknown(Kind::Endpoint, uri.path()).into_response();
    }
    if method == Method::GET || method == Method::HEAD {
        return assets::serve(uri.path());
    }
    ApiError::MethodNotAllowed { method: method.to_string() }.into_response()
}

async fn method_not_allowed(method: Method) -> ApiError {
    ApiError::MethodNotAllowed { method: method.to_string() }
}

fn span(request: &Request) -> tracing::Span {
    let request_id = request.headers().get("x-request-id").and_then(|value| value.to_str().ok());
    tracing::info_span!(
        "request",
        request.id = request_id,
        http.method = %request.method(),
        http.path = request.uri().path(),
    )
}
