//! What operators watch: counters of this process, and figures that are read from the database when they are asked for. In
//! the text format of OpenMetrics, which Prometheus reads. No label names a project, a machine or a branch: who may see the
//! metrics may not be who may see those.
//!
//! They are served on a port of their own ([`router`]), and only when one is named: who reaches the web UI is not to learn
//! how much it is used, and behind a proxy everybody comes from this machine.

mod requests;
mod sample;

use crate::AppState;
use crate::error::ApiError;
use axum::Router;
use axum::extract::State;
use axum::http::{HeaderName, header};
use axum::routing::get;
use prometheus_client::encoding::EncodeLabelSet;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
pub(crate) use requests::observe;

/// What the names of all metrics begin with.
const PREFIX: &str = "roundtrip";
const CONTENT_TYPE: &str = "application/openmetrics-text; version=1.0.0; charset=utf-8";
/// Upper bounds of durations: fine where answers are to be, coarse beyond.
const DURATION_BOUNDS_SECONDS: [f64; 14] =
    [0.001, 0.002, 0.003, 0.005, 0.01, 0.015, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 20.0];

/// Counters of this process.
#[derive(Debug)]
pub struct Metrics {
    registry: Registry,
    requests: Family<RequestLabels, Counter>,
    durations: Family<RouteLabels, Histogram, fn() -> Histogram>,
    uploads: Family<OutcomeLabels, Counter>,
    results_stored: Counter,
    points_stored: Counter,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RequestLabels {
    method: &'static str,
    route: String,
    status: u16,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct RouteLabels {
    method: &'static str,
    route: String,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct OutcomeLabels {
    outcome: &'static str,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, EncodeLabelSet)]
struct VersionLabels {
    version: &'static str,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix(PREFIX);
        let requests = Family::default();
        registry.register("http_requests", "Requests that were answered", requests.clone());
        let durations: Family<_, _, fn() -> Histogram> =
            Family::new_with_constructor(|| Histogram::new(DURATION_BOUNDS_SECONDS));
        let help = "Times from a request to the beginning of its answer";
        registry.register("http_request_duration_seconds", help, durations.clone());
        let uploads = Family::default();
        registry.register("uploads", "Uploads, by what became of them", uploads.clone());
        let results_stored = Counter::default();
        registry.register("results_stored", "Cases of stored uploads", results_stored.clone());
        let points_stored = Counter::default();
        registry.register("points_stored", "Points of stored uploads", points_stored.clone());
        let build = Family::<_, Gauge>::default();
        build.get_or_create(&VersionLabels { version: env!("CARGO_PKG_VERSION") }).set(1);
        registry.register("build_info", "Which server this is", build);
        Self { registry, requests, durations, uploads, results_stored, points_stored }
    }
}

impl Metrics {
    /// Counts what an upload brought that was not stored before.
    pub(crate) fn stored(&self, result_count: i32, point_count: i32) {
        self.results_stored.inc_by(u64::try_from(result_count).unwrap_or(0));
        self.points_stored.inc_by(u64::try_from(point_count).unwrap_or(0));
    }
}

/// The service on the port for metrics.
pub fn router(state: AppState) -> Router {
    Router::new().route("/metrics", get(serve)).with_state(state)
}

async fn serve(State(state): State<AppState>) -> Result<([(HeaderName, &'static str); 1], String), ApiError> {
    let text = sample::text(&state).await.map_err(ApiError::internal)?;
    Ok(([(header::CONTENT_TYPE, CONTENT_TYPE)], text))
}
