//! Uploads: accepted and rejected ones. A rejected upload changes no table.

use crate::support::{TestApp, factory};
use axum::body::Body;
use axum::http::Request;
use flate2::{Compression, write::GzEncoder};
use futures_util::future::select_all;
use futures_util::{Stream, StreamExt as _, stream};
use roundtrip_domain::ingest::UploadReceipt;
use roundtrip_stats::{Distribution, Encoded};
use roundtrip_wire::{Repetition, RunId, RunReport};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use sqlx::postgres::PgPoolOptions;
use std::future::poll_fn;
use std::io::Write;
use std::path::Path;
use std::pin::pin;
use std::task::Poll;

mod refused;

const MIB: usize = 1024 * 1024;

fn gzip(bytes: &[u8]) -> Vec<u8> {
    let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
    encoder.write_all(bytes).unwrap();
    encoder.finish().unwrap()
}

fn zstd(bytes: &[u8]) -> Vec<u8> {
    zstd::encode_all(bytes, 1).unwrap()
}

/// A hundred thousand nested lists.
fn deep(before: &str, after: &str) -> Vec<u8> {
    let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
    format!("{before}{open}{close}{after}").into_bytes()
}

#[database_test]
async fn upload_receipt_has_the_digest(app: TestApp) {
    for (encoding, encode) in [
        ("", (|bytes| bytes.to_vec()) as fn(&[u8]) -> Vec<u8>),
        ("identity", |bytes| bytes.to_vec()),
        ("gzip", gzip),
        ("zstd", zstd),
    ] {
        let (report, headers) = (factory::report(), [("content-encoding", encoding)]);
        let body = serde_json::to_vec(&report).unwrap();
        let answer = app.put_bytes(&report.run_id.to_string(), &headers, encode(&body)).await;
        assert_eq!(answer.status, 201, "{encoding}: {answer:?}");
        let digest = hex::encode(Sha256::digest(&body));
        let receipt: UploadReceipt = answer.json();
        assert_eq!(receipt.run_id, report.run_id.as_uuid());
        assert_eq!((receipt.body_sha256, receipt.result_count, receipt.point_count), (digest, 1, 1));
    }
    assert_eq!(app.row_counts().await["run"], 4);
}

#[database_test]
async fn rejects_unreadable_bodies(app: TestApp) {
    let report = factory::report();
    let run_id = report.run_id.to_string();
    let whole = serde_json::to_vec(&report).unwrap();
    let cut = |bytes: &[u8]| bytes[..bytes.len() / 2].to_vec();
    let spaces = |count: usize| vec![b' '; count];
    let before = app.row_counts().await;
    let large = spaces(64 * MIB + 1);
    let [gzipped, zstds, brotli] = ["gzip", "zstd", "br"].map(|name| [("content-encoding", name)]);
    type Headers<'a> = &'a [(&'a str, &'a str)];
    let cases: Vec<(&str, Headers<'_>, Vec<u8>, u16, &str)> = vec![
        ("truncated JSON", &[], cut(&whole), 400, "invalid-json"),
        ("no body", &[], Vec::new(), 400, "invalid-json"),
        ("not JSON", &[], b"hello".to_vec(), 400, "invalid-json"),
        ("not UTF-8", &[], vec![b'"', 0xff, b'"'], 400, "invalid-json"),
        ("JSON and more", &[], [&whole[..], b"{}"].concat(), 400, "invalid-json"),
        ("without an end", &[], b"[".repeat(100_000), 400, "invalid-json"),
        ("too deep", &[], deep("", ""), 422, "unsupported-schema-version"),
        ("too deep in a member", &[], deep(r#"{"schema_version":1,"results":"#, "}"), 422, "invalid-report"),
        ("too deep in another", &[], deep(r#"{"schema_version":1,"later":"#, "}"), 422, "invalid-report"),
        ("not an object", &[], b"[1]".to_vec(), 422, "invalid-report"),
        ("truncated gzip", &gzipped, cut(&gzip(&whole)), 400, "invalid-encoding"),
        ("truncated zstd", &zstds, cut(&zstd(&whole)), 400, "invalid-encoding"),
        ("gzip that is none", &gzipped, whole.clone(), 400, "invalid-encoding"),
        ("zstd that is none", &zstds, whole.clone(), 400, "invalid-encoding"),
        ("too large as sent", &[], spaces(8 * MIB + 1), 413, "body-too-large"),
        ("too large inflated, gzip", &gzipped, gzip(&large), 413, "body-too-large"),
        ("too large inflated, zstd", &zstds, zstd(&large), 413, "body-too-large"),
        ("other type", &[("content-type", "text/csv")], whole.clone(), 415, "unsupported-media-type"),
        ("no type", &[("content-type", "")], whole.clone(), 415, "unsupported-media-type"),
        ("other encoding", &brotli, whole.clone(), 415, "unsupported-media-type"),
    ];
    for (name, headers, body, status, code) in cases {
        let answer = app.put_bytes(&run_id, headers, body).await;
        let problem = answer.problem();
        assert_eq!((problem.status, problem.code.as_str()), (status, code), "{name}: {problem:?}");
        assert_eq!(app.row_counts().await, before, "{name}");
    }
}

#[database_test]
async fn accepts_a_body_of_exactly_the_limit(app: TestApp) {
    let report = factory::report();
    let mut body = serde_json::to_vec(&report).unwrap();
    body.resize(64 * MIB, b' ');
    let answer =
        app.put_bytes(&report.run_id.to_string(), &[("content-encoding", "zstd")], zstd(&body)).await;
    assert_eq!(answer.status, 201, "{answer:?}");
}

#[database_test]
async fn stores_every_published_report(app: TestApp) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/wire/tests/golden/v1");
    let mut stored = 0;
    for entry in std::fs::read_dir(folder).unwrap() {
        let mut report: Value =
            serde_json::from_slice(&std::fs::read(entry.unwrap().path()).unwrap()).unwrap();
        let run_id = RunId::draw().to_string();
        report["run_id"] = json!(run_id);
        let answer = app.put_bytes(&run_id, &[], report.to_string().into_bytes()).await;
        assert_eq!(answer.status, 201, "{answer:?}");
        stored += 1;
    }
    assert!(stored >= 2);
}

#[database_test]
async fn upload_recreates_a_deleted_project(app: TestApp) {
    app.store(&factory::report()).await;
    let before = app.row_counts().await;
    // Everything, while the server still caches the keys.
    app.execute(
        "truncate project, project_machine, project_transport, membership, machine, environment, series, measured_case, methodology,
                  transport, run, commit, run_result, run_upload, run_original, point, point_histogram, summary,
                  analysis_due, change_point, suspicion, explanation, regression, agent, job, job_attempt, schedule, error_rate,
                  machine_error_rate, notification_channel, notification_message, notification, oidc_use, oidc_trust,
                  github_repository, github_pull_request, github_command, commit_note, regression_comment",
    )
    .await;
    app.store(&factory::report()).await;
    assert_eq!(app.row_counts().await, before);
}

#[database_test]
async fn first_run_sets_the_default_branch(app: TestApp) {
    for named in [Some("trunk"), Some("fix"), None] {
        let default_branch = named.map(str::to_owned);
        app.store(&RunReport { default_branch, ..factory::report() }).await;
        assert_eq!(app.read("/api/v1/projects/libfoo").await["default_branch"], "trunk");
    }
    let of_main = factory::report();
    app.store(&of_main).await;
    let mainline = format!("select mainline from point where run_id = '{}'", of_main.run_id);
    assert!(!app.scalar::<bool>(&mainline).await, "a run of main");
}

#[database_test]
async fn trend_has_default_branch_and_detached_commits(app: TestApp) {
    let mainline = async |branch: Option<&str>, pull_request| {
        let report = RunReport { branch: branch.map(str::to_owned), pull_request, ..factory::report() };
        app.store(&report).await;
        let mainline = format!("select bool_and(mainline) from point where run_id = '{}'", report.run_id);
        app.scalar::<bool>(&mainline).await
    };
    // The default branch is unknown, so any branch may be it.
    assert!(mainline(Some("fix"), None).await);
    assert!(!mainline(Some("fix"), Some(7)).await);
    app.execute("update project set default_branch = 'main'").await;
    assert!(mainline(Some("main"), None).await);
    assert!(mainline(None, None).await);
    assert!(!mainline(Some("fix"), None).await);
    assert!(!mainline(Some("main"), Some(7)).await);
}

#[database_test]
async fn stores_repetition_quantiles_in_order(app: TestApp) {
    let report = factory::report();
    app.store(&report).await;
    let query = "select point.repetition_p50_ns, point.repetition_p90_ns, point.repetition_p99_ns
         from run_result
         cross join lateral unnest(series_ids) with ordinality as given (series_id, position)
         join point on point.machine_id = run_result.machine_id and point.series_id = given.series_id
         order by given.position";
    let stored: Vec<(Vec<i64>, Vec<i64>, Vec<i64>)> = app.rows(query).await;
    let expected = report.results.iter().filter(|result| !result.repetitions.is_empty()).map(|result| {
        let of = |q_ppm| {
            let quantile = |one: &Repetition| {
                let distribution = Distribution::decode(&Encoded {
                    histogram: &one.histogram,
                    samples: one.samples.as_deref(),
                    count: one.count,
                    min_ns: one.min_ns,
                    max_ns: one.max_ns,
                    sum_ns: one.sum_ns,
                });
                distribution.unwrap().quantile_ns(q_ppm).cast_signed()
            };
            result.repetitions.iter().map(quantile).collect::<Vec<_>>()
        };
        (of(500_000), of(900_000), of(990_000))
    });
    assert_eq!(stored, expected.collect::<Vec<_>>());
    assert!(stored.iter().any(|(p50s, ..)| p50s.len() > 1), "{stored:?}");
}

#[database_test]
async fn announced_sizes_take_no_memory(app: TestApp) {
    let slow = || request(&app, 8 * MIB, Body::from_stream(stalled(0)));
    let mut many = select_all((0..100).map(|_| Box::pin(app.call(slow()))));
    let report = factory::report();
    tokio::select! {
        (answer, ..) = &mut many => panic!("{answer:?}"),
        () = app.store(&report) => {}
    }
}

#[database_test]
async fn stalled_uploads_make_room_for_others(app: TestApp) {
    let slow = || request(&app, 8 * MIB, Body::from_stream(stalled(8 * MIB - 1)));
    // Eight of the largest size fit.
    let nine = (0..9).map(|_| Box::pin(app.call(slow())));
    let (answer, _, eight) = select_all(nine).await;
    answer.assert_problem(503, "busy");
    assert!(answer.headers["retry-after"].to_str().unwrap().parse::<u32>().unwrap() > 0);
    app.store(&factory::report()).await;
    drop(eight);
}

/// A large upload.
fn request(app: &TestApp, length: usize, body: Body) -> Request<Body> {
    Request::put(format!("/api/v1/runs/{}", RunId::draw()))
        .header("authorization", format!("Bearer {}", app.token))
        .header("content-type", "application/json")
        .header("content-length", length)
        .body(body)
        .unwrap()
}

/// A body that ends never, after this many bytes.
fn stalled(bytes: usize) -> impl Stream<Item = std::io::Result<Vec<u8>>> {
    stream::iter([Ok(vec![b' '; bytes])]).chain(stream::pending())
}

#[database_test]
async fn rejects_reports_that_need_all_memory(app: TestApp) {
    let report = factory::report();
    let text = String::from_utf8(serde_json::to_vec(&report).unwrap()).unwrap();
    let many = text.replacen(r#""history":["#, &format!(r#""history":[{}"#, "{},".repeat(MIB)), 1);
    assert_ne!(text, many);
    let answer = app
        .put_bytes(&report.run_id.to_string(), &[("content-encoding", "gzip")], gzip(many.as_bytes()))
        .await;
    let problem = answer.assert_problem(413, "body-too-large");
    assert!(problem.detail.contains("--upload-memory"), "{problem:?}");
}

/// The client disconnects at each point where the upload waits. With a single connection, the next query uses the
/// same one.
#[database_test]
async fn aborted_upload_leaves_a_usable_connection(app: TestApp) {
    let one = app.another_with(PgPoolOptions::new().max_connections(1));
    for waits in 1.. {
        let answered = {
            let report = factory::report();
            let mut upload = pin!(one.put(&report));
            let mut left = waits;
            poll_fn(|context| match upload.as_mut().poll(context) {
                Poll::Ready(_) => Poll::Ready(true),
                Poll::Pending => {
                    left -= 1;
                    if left == 0 { Poll::Ready(false) } else { Poll::Pending }
                }
            })
            .await
        };
        for question in [waits, waits + 1] {
            assert_eq!(one.scalar::<i32>(&format!("select {question}")).await, question, "{waits} waits");
        }
        if answered {
            break;
        }
    }
}
