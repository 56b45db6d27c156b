//! Counters of this process. [`crate::monitoring`] serves them.

use axum::http::StatusCode;
use prometheus_client::metrics::counter::Counter;
use prometheus_client::metrics::family::Family;
use prometheus_client::metrics::gauge::Gauge;
use prometheus_client::metrics::histogram::Histogram;
use prometheus_client::registry::Registry;
use std::borrow::Cow;
use std::time::Duration;

/// The prefix of all metric names.
pub(crate) const PREFIX: &str = "roundtrip";
/// Upper bounds of duration buckets: fine for expected response times, coarse beyond.
const DURATION_BOUNDS_SECONDS: [f64; 14] =
    [0.001, 0.002, 0.003, 0.005, 0.01, 0.015, 0.02, 0.05, 0.1, 0.25, 0.5, 1.0, 5.0, 20.0];

const UPLOAD_ROUTES: [&str; 2] = ["/api/v1/runs/{run_id}", "/api/v1/import"];

/// The labels of a metric: names and values.
pub(crate) type Labels<const N: usize> = [(&'static str, Cow<'static, str>); N];

/// Counters of this process.
#[derive(Debug)]
pub(crate) struct Metrics {
    pub(crate) registry: Registry,
    requests: Family<Labels<3>, Counter>,
    durations: Family<Labels<2>, Histogram, fn() -> Histogram>,
    uploads: Family<Labels<1>, Counter>,
    results_stored: Counter,
    points_stored: Counter,
}

impl Default for Metrics {
    fn default() -> Self {
        let mut registry = Registry::with_prefix(PREFIX);
        let requests = Family::default();
        registry.register("http_requests", "Answered HTTP requests", requests.clone());
        let durations: Family<_, _, fn() -> Histogram> =
            Family::new_with_constructor(|| Histogram::new(DURATION_BOUNDS_SECONDS));
        let help = "Time to the start of the response";
        registry.register("http_request_duration_seconds", help, durations.clone());
        let uploads = Family::default();
        registry.register("uploads", "Uploads by outcome", uploads.clone());
        let results_stored = Counter::default();
        registry.register("results_stored", "Results in stored uploads", results_stored.clone());
        let points_stored = Counter::default();
        registry.register("points_stored", "Points from stored uploads", points_stored.clone());
        let build = Family::<Labels<1>, Gauge>::default();
        build.get_or_create(&[("version", env!("CARGO_PKG_VERSION").into())]).set(1);
        registry.register("build_info", "Version of the server", build);
        Self { registry, requests, durations, uploads, results_stored, points_stored }
    }
}

impl Metrics {
    /// Counts newly stored data of an upload.
    pub(crate) fn stored(&self, result_count: i32, point_count: i32) {
        self.results_stored.inc_by(u64::try_from(result_count).unwrap_or(0));
        self.points_stored.inc_by(u64::try_from(point_count).unwrap_or(0));
    }

    /// Counts and times a request when its response begins.
    pub(crate) fn answered(
        &self,
        method: &'static str,
        route: String,
        status: StatusCode,
        duration: Duration,
    ) {
        if UPLOAD_ROUTES.contains(&route.as_str()) && matches!(method, "PUT" | "POST") {
            self.uploads.get_or_create(&[("outcome", outcome(status).into())]).inc();
        }
        let [method, route] = [("method", method.into()), ("route", route.into())];
        self.durations.get_or_create(&[method.clone(), route.clone()]).observe(duration.as_secs_f64());
        self.requests.get_or_create(&[method, route, ("status", status.as_u16().to_string().into())]).inc();
    }
}

fn outcome(status: StatusCode) -> &'static str {
    match status {
        StatusCode::CREATED => "stored",
        StatusCode::OK => "known",
        StatusCode::TOO_MANY_REQUESTS | StatusCode::SERVICE_UNAVAILABLE => "turned_away",
        status if status.is_client_error() => "refused",
        _ => "failed",
    }
}
