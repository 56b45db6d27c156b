//! The newest values of a project's series in the OpenMetrics text format, for Prometheus.

use super::permitted;
use super::projects::ProjectPath;
use super::series::SeriesFilter;
use crate::AppState;
use crate::error::ApiError;
use crate::extract::{Caller, Path, Query};
use crate::metrics::PREFIX;
use crate::monitoring::CONTENT_TYPE;
use crate::series_labels::series_labels;
use axum::extract::State;
use axum::http::header;
use axum::response::{IntoResponse, Response};
use prometheus_client::collector::Collector;
use prometheus_client::encoding::text::encode;
use prometheus_client::encoding::{DescriptorEncoder, EncodeMetric};
use prometheus_client::metrics::MetricType;
use prometheus_client::metrics::gauge::ConstGauge;
use prometheus_client::registry::{Registry, Unit};
use roundtrip_domain::access::Action;
use roundtrip_storage as db;
use roundtrip_storage::chart::{Columns, LineRow};
use roundtrip_storage::point::{Lines, Quantile, Selection};
use roundtrip_storage::series::SeriesRow;
use serde_json::Value;
use std::collections::HashMap;
use std::fmt;

/// The maximum number of series in an answer: each is several time series in Prometheus.
const SERIES_MAX: usize = 1_000;
const NS_PER_SECOND: f64 = 1e9;

/// The newest p50 and p99 of a project's series on the main line, and its open regressions, as OpenMetrics for
/// Prometheus. Series without points on the main line are left out. `docs/how-to/other-systems.md` lists the metrics.
#[utoipa::path(
    get, path = "/api/v1/projects/{project}/openmetrics", tag = "series", params(ProjectPath, SeriesFilter),
    responses(
    (status = 200, description = "The metrics", body = String, content_type = "application/openmetrics-text"),
    (status = 400, description = "`invalid-parameter`: also if more than 1,000 series match"),
))]
pub(crate) async fn openmetrics(
    State(state): State<AppState>,
    caller: Caller,
    Path(path): Path<ProjectPath>,
    Query(query): Query<SeriesFilter>,
) -> Result<Response, ApiError> {
    let project = permitted::project(&state, &caller, Action::Read, &path.project).await?;
    let filter = query.filter();
    let row_limit = SERIES_MAX as i64 + 1;
    let rows = db::series::search::list(&state.pool, project.project_id, &filter, ("", 0), row_limit).await?;
    if rows.len() > SERIES_MAX {
        let detail = format!(
            "more than {SERIES_MAX} series match: filter by `machine` or `transport`, with one scrape job for each"
        );
        return Err(ApiError::parameter("q", detail));
    }
    let metrics = Metrics {
        project: project.project.clone(),
        open_regressions: db::regression::open_count(&state.pool, project.project_id).await?,
        series: newest(&state, rows).await?,
    };
    let mut registry = Registry::with_prefix(PREFIX);
    registry.register_collector(Box::new(metrics));
    let mut text = String::new();
    encode(&mut text, &registry).map_err(ApiError::internal)?;
    Ok(([(header::CONTENT_TYPE, CONTENT_TYPE)], text).into_response())
}

/// The newest point of each series on the main line, in list order.
async fn newest(state: &AppState, rows: Vec<SeriesRow>) -> Result<Vec<Newest>, ApiError> {
    const NEWEST: Selection<'_> =
        Selection { from_ordinal: 0, to_ordinal: i64::MAX, last: 1, lines: Lines::Main };
    const COLUMNS: Columns<'_> =
        Columns { quantiles: &[Quantile::P50, Quantile::P99], repetitions: false, rate: false };
    let keys: Vec<_> = rows.iter().map(SeriesRow::key).collect();
    let lines = db::chart::lines(&state.pool, &keys, &NEWEST, COLUMNS).await?;
    let mut lines: HashMap<_, _> = lines.into_iter().map(|line| (line.series_id, line)).collect();
    let mut series = Vec::new();
    for row in rows {
        if let Some(line) = lines.remove(&row.series_id) {
            series.extend(Newest::new(row, &line)?);
        }
    }
    Ok(series)
}

/// The metrics of a project.
#[derive(Debug)]
struct Metrics {
    project: String,
    /// Absent without runs.
    open_regressions: Option<i64>,
    series: Vec<Newest>,
}

/// The newest point of a series. Values are times in seconds, or of a measure in its own unit.
#[derive(Debug)]
struct Newest {
    labels: Vec<(String, String)>,
    is_time: bool,
    p50: f64,
    p99: f64,
    commit_ordinal: i64,
}

impl Newest {
    /// Returns the newest point; none without points.
    fn new(row: SeriesRow, line: &LineRow) -> Result<Option<Self>, ApiError> {
        let stored = |wanted: Quantile| {
            let column = line.latency_ns.iter().find(|(quantile, _)| *quantile == wanted);
            column.and_then(|(_, values)| values.last().copied())
        };
        let (Some(p50), Some(p99)) = (stored(Quantile::P50), stored(Quantile::P99)) else { return Ok(None) };
        let Some(&commit_ordinal) = line.commit_ordinals.last() else { return Ok(None) };
        let series_id = row.series_id;
        let series = row.into_series()?;
        let is_time = series.case.measure.is_none();
        let operations = series.case.operations.unwrap_or(1).max(1) as f64;
        let divisor = if is_time { NS_PER_SECOND * operations } else { operations };
        let labels = series_labels(series_id, &series).map_err(ApiError::internal)?;
        let mut labels: Vec<_> = labels.into_iter().map(|(name, value)| (name, text(value))).collect();
        if line.lossy.last() == Some(&true) {
            labels.push(("lossy".to_owned(), "true".to_owned()));
        }
        let [p50, p99] = [p50, p99].map(|stored| stored as f64 / divisor);
        Ok(Some(Self { labels, is_time, p50, p99, commit_ordinal }))
    }
}

fn text(value: Value) -> String {
    match value {
        Value::String(text) => text,
        other => other.to_string(),
    }
}

/// A gauge of each series that has it.
struct Metric {
    name: &'static str,
    help: &'static str,
    unit: Option<Unit>,
    applies: fn(&Newest) -> bool,
    value: fn(&Newest) -> f64,
}

static METRICS: [Metric; 5] = [
    Metric {
        name: "latency_p50",
        help: "Median time of an operation at the newest commit",
        unit: Some(Unit::Seconds),
        applies: |series| series.is_time,
        value: |series| series.p50,
    },
    Metric {
        name: "latency_p99",
        help: "99th percentile of the time of an operation at the newest commit",
        unit: Some(Unit::Seconds),
        applies: |series| series.is_time,
        value: |series| series.p99,
    },
    Metric {
        name: "measure_p50",
        help: "Median of another measure at the newest commit, in the unit of its label",
        unit: None,
        applies: |series| !series.is_time,
        value: |series| series.p50,
    },
    Metric {
        name: "measure_p99",
        help: "99th percentile of another measure at the newest commit, in the unit of its label",
        unit: None,
        applies: |series| !series.is_time,
        value: |series| series.p99,
    },
    Metric {
        name: "commit_ordinal",
        help: "Place of the newest commit on the first-parent path from the root",
        unit: None,
        applies: |_| true,
        value: |series| series.commit_ordinal as f64,
    },
];

impl Collector for Metrics {
    fn encode(&self, mut encoder: DescriptorEncoder) -> fmt::Result {
        if let Some(count) = self.open_regressions {
            let help = "New and acknowledged regressions, neither muted nor held";
            let mut family = encoder.encode_descriptor("open_regressions", help, None, MetricType::Gauge)?;
            ConstGauge::new(count).encode(family.encode_family(&[("project", &self.project)])?)?;
        }
        for metric in &METRICS {
            let mut series = self.series.iter().filter(|series| (metric.applies)(series)).peekable();
            if series.peek().is_none() {
                continue;
            }
            let Metric { name, help, unit, .. } = metric;
            let mut family = encoder.encode_descriptor(name, help, unit.as_ref(), MetricType::Gauge)?;
            for series in series {
                ConstGauge::new((metric.value)(series)).encode(family.encode_family(&series.labels)?)?;
            }
        }
        Ok(())
    }
}
