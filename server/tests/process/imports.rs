//! The memory of imports.

use crate::report::golden;
use crate::support::{Place, Server};
use base64::{Engine, prelude::BASE64_STANDARD};
use serde_json::{Value, json};

/// The limit for the rows of up to 10,000 benchmarks, however short their lines are.
const ROWS_BYTES_MAX: usize = 64 << 20;

/// An import of 100,000 values took 200 MiB and more.
#[test]
fn attack_with_many_imported_values_takes_less_than_20_times_their_size() {
    let runs = (1..=100).map(|n| {
        let times: Vec<_> = (0..1_000).map(|time| format!("\n        0.0012{time:06}")).collect();
        format!(r#"{{"command": "pipe {n}", "times": [{}]}}"#, times.join(","))
    });
    let file = format!(r#"{{"results": [{}]}}"#, runs.collect::<Vec<_>>().join(","));
    let bytes = bytes_taken(&file);
    assert!(bytes < 20 * file.len(), "{bytes} bytes for a file of {}", file.len());
}

#[test]
fn attack_with_many_imported_benchmarks_takes_limited_memory() {
    let lines = (1..=9_000).map(|n| format!("BenchmarkPipe/size={n}-8   \t  100000\t      {n}.5 ns/op\n"));
    let file: String = lines.collect();
    let bytes = bytes_taken(&file);
    assert!(bytes < 20 * file.len() + ROWS_BYTES_MAX, "{bytes} bytes for a file of {}", file.len());
}

/// The additional memory of a new server while it imports a file.
fn bytes_taken(file: &str) -> usize {
    let place = Place::new();
    let (server, token) = place.serve_with_token();
    import(&server, &token, 1, "BenchmarkA 1 1 ns/op\n");
    let before = server.peak_mib();
    import(&server, &token, 2, file);
    let bytes = usize::try_from(server.peak_mib() - before).unwrap() << 20;
    println!("{bytes} bytes for a file of {}: {:.1} times", file.len(), bytes as f64 / file.len() as f64);
    bytes
}

#[test]
fn attack_with_an_import_that_becomes_a_large_report_is_rejected() {
    let place = Place::new();
    let (server, token) = place.serve_with_token();
    // Two bytes each, 300 as a report.
    let times = vec!["1"; 1_000].join(",");
    let results: Vec<_> = (0..400).map(|n| format!(r#"{{"command": "a{n}", "times": [{times}]}}"#)).collect();
    let (status, answer) = send(&server, &token, 1, &format!(r#"{{"results": [{}]}}"#, results.join(",")));
    assert_eq!(status, 422, "{answer}");
    let detail = answer["detail"].as_str().unwrap();
    assert!(detail.contains("more than 67108864 bytes as a report: split the file"), "{detail}");
}

fn import(server: &Server, token: &str, number: u64, file: &str) {
    let (status, answer) = send(server, token, number, file);
    assert_eq!(status, 201, "{answer}");
}

fn send(server: &Server, token: &str, number: u64, file: &str) -> (u16, Value) {
    let mut report = golden("full.json");
    report["run_id"] = json!(format!("019aa8f0-5c1e-7b3a-9f00-{number:012x}"));
    report["results"] = json!([]);
    let body =
        json!({ "report": report, "file": { "name": "results", "base64": BASE64_STANDARD.encode(file) } });
    let bearer = format!("Bearer {token}");
    let headers = [("authorization", bearer.as_str()), ("content-type", "application/json")];
    let answer = server.call("POST", "/api/v1/import", &headers, &body.to_string());
    (answer.status().as_u16(), serde_json::from_str(answer.body()).unwrap())
}
