//! Metrics by route and outcome, never with names of stored data.

use crate::support::{TestApp, factory};
use roundtrip_storage::task;
use roundtrip_wire::RunReport;
use std::collections::BTreeSet;
use std::time::Duration;

/// Asserts that the metrics have all these lines.
#[track_caller]
fn assert_lines(text: &str, lines: &[&str]) {
    for line in lines {
        assert!(text.lines().any(|found| found == *line), "{line} is not in\n{text}");
    }
}

#[database_test]
async fn counts_requests_by_route(app: TestApp) {
    let report = factory::report();
    app.store(&report).await;
    for _ in 0..2 {
        app.read("/api/v1/projects/libfoo/runs").await;
    }
    app.get("/api/v1/projects/nothing/runs").await;
    app.post("/no/such/file", &serde_json::json!({})).await;
    let text = app.metrics().await;
    let lines = [
        r#"roundtrip_http_requests_total{method="GET",route="/api/v1/projects/{project}/runs",status="200"} 2"#,
        r#"roundtrip_http_requests_total{method="GET",route="/api/v1/projects/{project}/runs",status="404"} 1"#,
        r#"roundtrip_http_requests_total{method="PUT",route="/api/v1/runs/{run_id}",status="201"} 1"#,
        r#"roundtrip_http_requests_total{method="POST",route="other",status="405"} 1"#,
        r#"roundtrip_http_request_duration_seconds_count{method="GET",route="/api/v1/projects/{project}/runs"} 3"#,
    ];
    assert_lines(&text, &lines);
    for name in ["libfoo", "lab-1", "pipe", &report.run_id.to_string()] {
        assert!(!text.contains(name), "{name} appears in the metrics");
    }
}

#[database_test]
async fn counts_uploads_by_outcome(app: TestApp) {
    let mut report = factory::report();
    report.results.push(factory::unsupported("posix-mq", "not on macOS"));
    app.put(&report).await;
    app.put(&report).await;
    app.put(&RunReport { branch: None, ..report.clone() }).await;
    app.put_bytes(&report.run_id.to_string(), &[("authorization", "")], b"{}".to_vec()).await;
    let lines = [
        r#"roundtrip_uploads_total{outcome="stored"} 1"#,
        r#"roundtrip_uploads_total{outcome="known"} 1"#,
        r#"roundtrip_uploads_total{outcome="refused"} 2"#,
        "roundtrip_results_stored_total 2",
        "roundtrip_points_stored_total 1",
    ];
    assert_lines(&app.metrics().await, &lines);
}

#[database_test]
async fn reports_database_and_background_metrics(app: TestApp) {
    app.store(&factory::report()).await;
    task::ensure(&app.pool, "retention").await.unwrap();
    let lease = task::claim(&app.pool, "retention", Duration::from_secs(60)).await.unwrap().unwrap();
    task::finish(&app.pool, lease, Duration::from_secs(3_600), Some("no reason")).await.unwrap();
    let text = app.metrics().await;
    let lines = [
        "roundtrip_database_up 1",
        "roundtrip_runs_lost 0",
        "roundtrip_analysis_runs_waiting 1",
        r#"roundtrip_task_lag_seconds{task="retention"} 0"#,
        r#"roundtrip_task_failed{task="retention"} 1"#,
        "roundtrip_upload_memory_bytes 0",
        "roundtrip_upload_memory_bytes_max 268435456",
    ];
    assert_lines(&text, &lines);
    let bytes = text.lines().find_map(|line| line.strip_prefix("roundtrip_database_size_bytes ")).unwrap();
    assert!(bytes.parse::<u64>().unwrap() > 1_000_000, "{bytes}");
    assert!(text.ends_with("# EOF\n"));
}

#[database_test]
async fn every_documented_metric_exists(app: TestApp) {
    app.store(&factory::report()).await;
    task::ensure(&app.pool, "retention").await.unwrap();
    let text = app.metrics().await;
    let reported: BTreeSet<_> = text.lines().filter_map(|line| line.split(['{', ' ']).next()).collect();
    for (file, named) in [
        ("dashboard", include_str!("../../packaging/grafana/roundtrip.json")),
        ("rules", include_str!("../../packaging/prometheus/rules.yml")),
        ("page", include_str!("../../../docs/how-to/operate-the-server.md")),
    ] {
        let words = named.split(|letter: char| !letter.is_ascii_alphanumeric() && letter != '_');
        let names: BTreeSet<_> = words.filter(|word| word.starts_with("roundtrip_")).collect();
        assert!(!names.is_empty(), "the {file} names no metric");
        for name in names {
            let is_reported = reported.contains(name) || reported.contains(format!("{name}_bucket").as_str());
            assert!(is_reported, "the {file} names {name}, which is not in\n{text}");
        }
    }
}

#[database_test]
async fn reports_an_unavailable_database(app: TestApp) {
    app.read("/api/v1/projects").await;
    app.pool.close().await;
    let text = app.metrics().await;
    assert!(text.contains("\nroundtrip_database_up 0\n"), "{text}");
    assert!(text.contains("\nroundtrip_http_requests_total{"), "{text}");
    for unknown in ["roundtrip_runs_lost", "roundtrip_database_size_bytes", "roundtrip_task_lag_seconds"] {
        assert!(!text.contains(unknown), "{unknown}");
    }
}

#[database_test]
async fn user_port_does_not_serve_metrics(app: TestApp) {
    let answer = app.get("/metrics").await;
    assert!(!String::from_utf8_lossy(&answer.body).contains("roundtrip_http_requests"), "{answer:?}");
}
