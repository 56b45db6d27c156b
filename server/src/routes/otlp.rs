//! The distributions of a run for OpenTelemetry: an OTLP request in JSON, which a collector accepts as it is.

use super::permitted;
use super::runs::{RunDetailQuery, RunPath};
use crate::AppState;
use crate::error::ApiError;
use crate::exponential_histogram::data_point;
use crate::extract::{Caller, Path, Query};
use crate::series_labels::series_labels;
use axum::{Json, extract::State};
use chrono::{DateTime, Utc};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::{AnyValue, InstrumentationScope, KeyValue, any_value};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::{
    AggregationTemporality, ExponentialHistogram, ExponentialHistogramDataPoint, Metric, ResourceMetrics,
    ScopeMetrics,
};
use opentelemetry_proto::tonic::resource::v1::Resource;
use roundtrip_domain::error::{DomainError, Kind};
use roundtrip_stats::Distribution;
use roundtrip_storage as db;
use roundtrip_storage::point::Point;
use roundtrip_storage::run::{Location, RunSummary};
use serde_json::Value;
use std::collections::HashMap;

/// The maximum number of results in an answer. Collectors accept up to 20 MiB by default.
const RESULTS_MAX: usize = 5_000;
const METRIC: &str = "roundtrip.latency";

/// The distributions of a run's times as an `ExportMetricsServiceRequest` of OTLP/HTTP in JSON: one exponential histogram
/// with a data point for each series. Send it to `/v1/metrics` of a collector. Other measures, and results without
/// distributions, are left out.
#[utoipa::path(get, path = "/api/v1/runs/{run_id}/otlp", tag = "runs", params(RunPath, RunDetailQuery), responses(
    (status = 200, description = "The request", body = Object),
    (status = 400, description = "`invalid-parameter`: also if the run has more than 5,000 results"),
    (status = 410, description = "`pruned`: deleted, with the date"),
))]
pub(crate) async fn get_otlp(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<RunPath>,
    Query(query): Query<RunDetailQuery>,
) -> Result<Json<ExportMetricsServiceRequest>, ApiError> {
    let run_id = path.run_id.as_uuid();
    let unknown = || ApiError::unknown(Kind::Run, run_id);
    let location = permitted::run(&state, &caller, run_id).await?.ok_or_else(unknown)?;
    let run = db::run::find(&state.pool, &[run_id]).await?.into_iter().next().ok_or_else(unknown)?;
    let pruned = db::retention::pruned(&state.pool, run_id).await?;
    if let Some(at) = pruned.histograms_pruned_at.or(pruned.points_pruned_at) {
        return Err(DomainError::Pruned { what: "the distributions", run_id, at }.into());
    }
    let outcomes = db::run::outcomes(&state.pool, location).await?;
    let mut series_ids: Vec<i64> = outcomes.into_iter().map(|(series_id, _)| series_id).collect();
    if let Some(selected) = &query.series {
        series_ids.retain(|series_id| selected.as_slice().contains(series_id));
    }
    if series_ids.len() > RESULTS_MAX {
        let detail = format!(
            "the run has {} results: expected at most {RESULTS_MAX}; select up to 200 with `series`",
            series_ids.len()
        );
        return Err(ApiError::parameter("series", detail));
    }
    let data_points = data_points(&state, &run, location, &series_ids).await?;
    Ok(Json(request(run, data_points)))
}

/// The data point of each series with a distribution of times, in the order of the upload.
async fn data_points(
    state: &AppState,
    run: &RunSummary,
    location: Location,
    series_ids: &[i64],
) -> Result<Vec<ExponentialHistogramDataPoint>, ApiError> {
    let points = db::point::of_run(&state.pool, location, series_ids).await?;
    let points: HashMap<_, _> = points.into_iter().map(|point| (point.series_id, point)).collect();
    let histograms = db::point::histograms_of_run(&state.pool, location, series_ids).await?;
    let histograms: HashMap<_, _> = histograms.into_iter().collect();
    let series = db::series::find(&state.pool, series_ids).await?;
    let mut series: HashMap<_, _> = series.into_iter().map(|row| (row.series_id, row)).collect();
    let [started_at, finished_at] = [run.started_at, run.finished_at].map(unix_nanos);
    let mut data_points = Vec::new();
    for series_id in series_ids {
        let (Some(point), Some(stored)) = (points.get(series_id), histograms.get(series_id)) else {
            continue;
        };
        let Some(row) = series.remove(series_id) else { continue };
        let series = row.into_series()?;
        if series.case.measure.is_some() {
            continue;
        }
        let labels = series_labels(*series_id, &series).map_err(ApiError::internal)?;
        let mut attributes: Vec<_> =
            labels.into_iter().map(|(name, value)| attribute(&name, value)).collect();
        if point.lossy {
            attributes.push(attribute("lossy", true));
        }
        data_points.push(ExponentialHistogramDataPoint {
            attributes,
            start_time_unix_nano: started_at,
            time_unix_nano: finished_at,
            ..data_point(&distribution(point, stored)?)
        });
    }
    Ok(data_points)
}

fn distribution(point: &Point, stored: &[u8]) -> Result<Distribution, ApiError> {
    let exact = [point.latency_ns.min, point.latency_ns.max, point.latency_ns_sum].map(i64::cast_unsigned);
    Distribution::of_stored(stored, exact.into()).map_err(ApiError::internal)
}

/// The request with one metric of one resource: the run.
fn request(run: RunSummary, data_points: Vec<ExponentialHistogramDataPoint>) -> ExportMetricsServiceRequest {
    // Names of the semantic conventions.
    let mut attributes = vec![
        attribute("service.name", run.project),
        attribute("host.name", run.machine),
        attribute("vcs.ref.head.revision", run.commit.sha),
    ];
    attributes.extend(run.branch.map(|branch| attribute("vcs.ref.head.name", branch)));
    let histogram =
        ExponentialHistogram { data_points, aggregation_temporality: AggregationTemporality::Delta.into() };
    let metric = Metric {
        name: METRIC.to_owned(),
        description: "Time of an operation, or of as many as the attribute `operations` states".to_owned(),
        unit: "s".to_owned(),
        data: Some(Data::ExponentialHistogram(histogram)),
        ..Metric::default()
    };
    let scope = InstrumentationScope {
        name: "roundtrip".to_owned(),
        version: env!("CARGO_PKG_VERSION").to_owned(),
        ..InstrumentationScope::default()
    };
    ExportMetricsServiceRequest {
        resource_metrics: vec![ResourceMetrics {
            resource: Some(Resource { attributes, ..Resource::default() }),
            scope_metrics: vec![ScopeMetrics {
                scope: Some(scope),
                metrics: vec![metric],
                ..ScopeMetrics::default()
            }],
            ..ResourceMetrics::default()
        }],
    }
}

fn attribute(name: &str, value: impl Into<Value>) -> KeyValue {
    let value = match value.into() {
        Value::String(text) => any_value::Value::StringValue(text),
        Value::Bool(is) => any_value::Value::BoolValue(is),
        // Texts also hold numbers that exceed the signed 64 bits of OTLP.
        value => match value.as_i64() {
            Some(number) => any_value::Value::IntValue(number),
            None => any_value::Value::StringValue(value.to_string()),
        },
    };
    KeyValue { key: name.to_owned(), value: Some(AnyValue { value: Some(value) }), ..KeyValue::default() }
}

/// Nanoseconds since 1970; 0 before that.
fn unix_nanos(time: DateTime<Utc>) -> u64 {
    time.timestamp_nanos_opt().and_then(|nanos| u64::try_from(nanos).ok()).unwrap_or(0)
}
