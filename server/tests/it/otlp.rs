//! The distributions of a run for OpenTelemetry.

use crate::support::{TestApp, at, factory};
use opentelemetry_proto::tonic::collector::metrics::v1::ExportMetricsServiceRequest;
use opentelemetry_proto::tonic::common::v1::{KeyValue, any_value::Value as Any};
use opentelemetry_proto::tonic::metrics::v1::metric::Data;
use opentelemetry_proto::tonic::metrics::v1::{AggregationTemporality, ExponentialHistogramDataPoint};
use roundtrip_wire::{Better, Case, CaseResult, Measure, RunReport};
use serde_json::{Value, json};
use std::collections::BTreeMap;

fn path(report: &RunReport) -> String {
    format!("/api/v1/runs/{}/otlp", report.run_id)
}

fn attributes(attributes: &[KeyValue]) -> BTreeMap<&str, &Any> {
    let values = attributes.iter().map(|attribute| attribute.value.as_ref()?.value.as_ref());
    attributes.iter().map(|attribute| attribute.key.as_str()).zip(values.map(Option::unwrap)).collect()
}

fn text(text: &str) -> Any {
    Any::StringValue(text.to_owned())
}

/// The data points, as a collector decodes them.
fn data_points(request: &Value) -> Vec<ExponentialHistogramDataPoint> {
    let request: ExportMetricsServiceRequest = serde_json::from_value(request.clone()).unwrap();
    let [of_run] = request.resource_metrics.try_into().unwrap();
    let [scope] = of_run.scope_metrics.try_into().unwrap();
    let [metric] = scope.metrics.try_into().unwrap();
    assert_eq!((metric.name.as_str(), metric.unit.as_str()), ("roundtrip.latency", "s"));
    let Some(Data::ExponentialHistogram(histogram)) = metric.data else { panic!("{:?}", metric.data) };
    assert_eq!(histogram.aggregation_temporality(), AggregationTemporality::Delta);
    histogram.data_points
}

#[database_test]
async fn data_points_equal_the_stored_points(app: TestApp) {
    let report = factory::report();
    app.store(&report).await;
    let request = app.read(&path(&report)).await;
    let [point] = data_points(&request).try_into().unwrap();
    let stored = &app.run(&report).await["results"][0]["point"];
    assert_eq!(json!(point.count), stored["count"]);
    let ns = [point.sum, point.min, point.max].map(|seconds| (seconds.unwrap() * 1e9).round());
    let expected = at(stored, "sum_ns,latency_ns/min,latency_ns/max");
    assert_eq!(ns.to_vec(), serde_json::from_value::<Vec<f64>>(expected).unwrap());
    assert_eq!(point.positive.unwrap().bucket_counts.iter().sum::<u64>() + point.zero_count, 6);
    let unix_ns = |seconds: i64| factory::time(seconds).timestamp_nanos_opt().unwrap().cast_unsigned();
    assert_eq!((point.start_time_unix_nano, point.time_unix_nano), (unix_ns(100), unix_ns(160)));
    let expected = [
        ("machine", text("lab-1")),
        ("message_bytes", Any::IntValue(64)),
        ("mode", text("2proc")),
        ("peers", Any::IntValue(1)),
        ("placement", text("same-cpu")),
        ("project", text("libfoo")),
        ("scenario", text("roundtrip")),
        ("series_id", Any::IntValue(1)),
        ("transport", text("pipe")),
    ];
    let expected: BTreeMap<_, _> = expected.iter().map(|(name, value)| (*name, value)).collect();
    assert_eq!(attributes(&point.attributes), expected);
}

#[database_test]
async fn json_follows_the_mapping_of_otlp(app: TestApp) {
    let report = factory::report();
    app.store(&report).await;
    let answer = app.get(&path(&report)).await;
    assert_eq!(answer.header("content-type"), "application/json");
    let request: Value = answer.json();
    let of_run = &request["resourceMetrics"][0];
    let resource: BTreeMap<_, _> = of_run["resource"]["attributes"]
        .as_array()
        .unwrap()
        .iter()
        .map(|attribute| {
            (attribute["key"].as_str().unwrap(), attribute["value"]["stringValue"].as_str().unwrap())
        })
        .collect();
    let sha = report.commit.sha.to_string();
    let expected = [
        ("host.name", "lab-1"),
        ("service.name", "libfoo"),
        ("vcs.ref.head.name", "main"),
        ("vcs.ref.head.revision", &sha),
    ];
    assert_eq!(resource, BTreeMap::from(expected));
    let histogram = &of_run["scopeMetrics"][0]["metrics"][0]["exponentialHistogram"];
    assert_eq!(histogram["aggregationTemporality"], 1, "a number, not a name");
    let point = &histogram["dataPoints"][0];
    // 64-bit numbers are texts, others are not.
    assert_eq!(at(point, "count,zeroCount,timeUnixNano"), json!(["6", "0", "1795255360000000000"]));
    assert!(
        point["scale"].is_i64() && point["sum"].is_f64() && point["positive"]["offset"].is_i64(),
        "{point}"
    );
    assert!(point["positive"]["bucketCounts"][0].is_string(), "{point}");
    let bytes = point["attributes"].as_array().unwrap().iter().find(|one| one["key"] == "message_bytes");
    assert_eq!(bytes.unwrap()["value"], json!({"intValue": "64"}));
}

#[database_test]
async fn has_only_selected_times_and_marks_lost_messages(app: TestApp) {
    let mut lossy = factory::once("mq", 64, 1_000);
    lossy.repetitions[0].delivered = 0;
    let bytes = factory::once("fifo", 64, 2_500);
    let measure = Measure { name: "B/op".to_owned(), unit: "B".to_owned(), better: Better::Lower };
    let case = Case { measure: Some(measure), ..bytes.case.clone() };
    let results = vec![
        factory::once("pipe", 64, 1_000),
        CaseResult { case, ..bytes },
        lossy,
        factory::unsupported("posix-mq", "not on macOS"),
    ];
    let report = factory::nth_with(1, results);
    app.store(&report).await;
    let found = async |query: &str| {
        let points = data_points(&app.read(&format!("{}{query}", path(&report))).await);
        let labels = points.iter().map(|point| {
            let attributes = attributes(&point.attributes);
            (attributes["transport"].clone(), attributes.contains_key("lossy"))
        });
        labels.collect::<Vec<_>>()
    };
    assert_eq!(found("").await, [(text("pipe"), false), (text("mq"), true)]);
    assert_eq!(found("?series=2,3").await, [(text("mq"), true)]);
}

#[database_test]
async fn deleted_distributions_are_gone(app: TestApp) {
    let report = factory::report();
    app.store(&report).await;
    app.execute("update run set histograms_pruned_at = now()").await;
    let problem = app.get(&path(&report)).await.assert_problem(410, "pruned");
    assert!(problem.detail.contains("distributions"), "{problem:?}");
    app.get("/api/v1/runs/0193a1b2-0000-7000-8000-000000000000/otlp")
        .await
        .assert_problem(404, "unknown-run");
}
