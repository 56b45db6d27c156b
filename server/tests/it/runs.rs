//! `/api/v1/projects/{project}/runs`, `/api/v1/runs/{run_id}` and `/api/v1/runs/{run_id}/report`.

use crate::support::{TestApp, at, factory, texts};
use roundtrip_wire::{Delivery, EndObservation, Repetition, RunReport};
use serde_json::{Value, json};

#[database_test]
async fn lists_runs_newest_first_in_pages(app: TestApp) {
    let mut expected = Vec::new();
    for number in 1..=5 {
        let report = factory::on(if number == 3 { "lab-2" } else { "lab-1" }, factory::nth(number));
        app.store(&report).await;
        expected.insert(0, report.run_id.to_string());
    }
    let pages = app.pages("", "/api/v1/projects/libfoo/runs?limit=2").await;
    let seen: Vec<_> = pages.iter().map(|page| texts(page, "runs/*/run_id")).collect();
    assert_eq!(seen, expected.chunks(2).collect::<Vec<_>>());

    let of_machine = app.read("/api/v1/projects/libfoo/runs?machine=lab-2").await;
    assert_eq!(at(&of_machine, "runs/*/commit/ordinal"), json!([3]));
}

#[database_test]
async fn accepts_commits_of_any_year(app: TestApp) {
    let mut report = factory::report();
    report.commit.committed_at = "+12000-01-01T00:00:00.000001Z".parse().unwrap();
    app.store(&report).await;
    let expected = serde_json::to_value(report.commit.committed_at).unwrap();
    let runs = app.read("/api/v1/projects/libfoo/runs").await;
    assert_eq!(runs["runs"][0]["commit"]["committed_at"], expected);
    let commit = app.read(&format!("/api/v1/projects/libfoo/commits/{}", factory::sha(1))).await;
    assert_eq!(commit["commit"]["committed_at"], expected);
}

#[database_test]
async fn run_shows_everything_uploaded(app: TestApp) {
    let mut report = RunReport { pull_request: Some(12), work_tree_modified: true, ..factory::report() };
    report.results[0].failures = vec![factory::failure(2, "initiator: no answer for 5 s")];
    report.results.push(factory::unsupported("posix-mq", "not on macOS"));
    app.store(&report).await;

    let detail = app.run(&report).await;
    let received_at = detail["run"]["received_at"].clone();
    assert!(received_at.is_string());
    assert_eq!(
        detail["run"],
        json!({
            "run_id": report.run_id, "project": "libfoo", "machine": "lab-1",
            "commit": {
                "sha": "0000000000000000000000000000000000000001", "ordinal": 1, "subject": "Change 1",
                "author": "A. Author", "committed_at": "2026-11-21T10:00:01Z",
            },
            "branch": "main", "pull_request": 12, "quarantined": false, "work_tree_modified": true,
            "superseded": false, "job_id": null, "preset": "quick",
            "suite_version": "0.1.0", "build": "release", "order_seed": "18446744073709551615",
            "started_at": "2026-11-21T10:01:40Z", "finished_at": "2026-11-21T10:02:40Z",
            "received_at": received_at, "point_count": 1, "unsupported_count": 1, "failure_count": 1,
        })
    );
    assert_eq!(detail["environment"], json!(report.environment));
    assert_eq!(detail["canaries"], json!(report.canaries));
    let results = detail["results"].as_array().unwrap();
    for (stored, sent) in results.iter().zip(&report.results) {
        assert_eq!(
            at(stored, "transport,case,methodology,counters,failures,unsupported"),
            json!([
                sent.transport,
                sent.case,
                sent.methodology,
                sent.counters,
                sent.failures,
                sent.unsupported
            ])
        );
    }
    assert_eq!(results[0]["point"]["latency_ns"]["p50"], 1_100);
    assert_eq!(results[1]["point"], Value::Null);
    let listed = app.read("/api/v1/projects/libfoo/runs").await;
    assert_eq!(listed["runs"][0], detail["run"]);
}

#[database_test]
async fn run_with_every_parameter_round_trips(app: TestApp) {
    let golden = include_str!("../../../crates/wire/tests/golden/v1/parameters.json");
    let report: RunReport = serde_json::from_str(golden).unwrap();
    app.store(&report).await;

    let detail = app.run(&report).await;
    let result = &detail["results"][0];
    assert_eq!(result["case"], json!(report.results[0].case));
    let methodology = at(&result["methodology"], "probe,discarded_repetitions");
    assert_eq!(methodology, json!(["syscalls", 1]));
    assert_eq!(result["counters"]["effective_send_buffer_bytes"], 131_072);
    assert_eq!(
        result["observed"],
        json!({
            "late": 1, "missed": 2,
            // The second end does not report its processor time.
            "cpu_ns_per_message": null,
            "disturbed": [
                {"reason": "the hypervisor took 4.0 ms of the processors' time", "repetition_count": 1},
            ],
            "deliveries": [],
            "oversubscribed": false,
        })
    );
    let series = app.read("/api/v1/projects/libfoo/series").await;
    assert_eq!(at(&series["series"][0], "case,methodology"), at(result, "case,methodology"));
    let point = format!("/api/v1/runs/{}/series/{}", report.run_id, result["series_id"]);
    let ends = json!(report.results[0].repetitions[0].ends);
    assert_eq!(app.read(&point).await["repetitions"][0]["ends"], ends);
}

#[database_test]
async fn run_with_many_ends_round_trips(app: TestApp) {
    let golden = include_str!("../../../crates/wire/tests/golden/v1/topologies.json");
    let report: RunReport = serde_json::from_str(golden).unwrap();
    app.store(&report).await;

    let detail = app.run(&report).await;
    for (stored, sent) in detail["results"].as_array().unwrap().iter().zip(&report.results) {
        assert_eq!(at(stored, "case,methodology"), json!([sent.case, sent.methodology]));
        let path = format!("/api/v1/runs/{}/series/{}", report.run_id, stored["series_id"]);
        assert_eq!(app.read(&path).await["repetitions"][0]["ends"], json!(sent.repetitions[0].ends));
        let series = app.read(&format!("/api/v1/series/{}", stored["series_id"])).await;
        assert_eq!(series["case"], stored["case"]);
    }
    let counts = at(&at(&detail, "results/*/point"), "*/attempted,accepted,delivered,lossy");
    // Twice 300,000 at each of two receivers; with four receivers, a full ring dropped messages.
    assert_eq!(counts, json!([[600_000, 600_000, 1_200_000, false], [300_000, 50_451, 201_791, true]]));
    let delivery = |delivered: u64, lost: u64, torn: u64| json!({"delivered": delivered, "lost": lost, "duplicated": 0, "out_of_order": 0, "torn": torn});
    let all = delivery(600_000, 0, 0);
    let dropped = [(50_451, 0, 0), (50_451, 0, 0), (50_449, 0, 2), (50_440, 11, 0)];
    let dropped = dropped.map(|(delivered, lost, torn)| delivery(delivered, lost, torn));
    let observed = at(&at(&detail, "results/*/observed"), "*/deliveries,oversubscribed");
    assert_eq!(observed, json!([[[all, all], false], [dropped, true]]));
}

#[database_test]
async fn does_not_sum_incomplete_deliveries(app: TestApp) {
    let end = |delivered| EndObservation {
        delivery: Some(Delivery { delivered, lost: u64::MAX, ..Delivery::default() }),
        ..Default::default()
    };
    let repetition = |index, ends: &[EndObservation]| Repetition {
        ends: ends.to_vec(),
        ..factory::repetition(index, &[900])
    };
    let nothing = EndObservation::default();
    let mut report = factory::report();
    report.results = vec![
        factory::result("pipe", 64, vec![repetition(0, &[end(1)]), repetition(1, &[end(1)])]),
        factory::result("tcp", 64, vec![repetition(0, &[end(1)]), repetition(1, &[nothing])]),
        factory::result("udp", 64, vec![repetition(0, &[end(1)]), repetition(1, &[end(1), end(1)])]),
    ];
    app.store(&report).await;
    let detail = app.run(&report).await;
    let deliveries = at(&detail, "results/*/observed/deliveries");
    // Sums saturate.
    let sum = json!({"delivered": 2, "lost": u64::MAX, "duplicated": 0, "out_of_order": 0, "torn": 0});
    assert_eq!(deliveries, json!([[sum], [], []]));
}

/// A repetition of `open-loop` whose two ends took 3 + 4 and 5 + 6 us of processor time.
fn open_loop(index: u32, late: Option<u64>, missed: Option<u64>, disturbed: &[&str]) -> Repetition {
    let end = |user_ns, system_ns| EndObservation {
        user_ns: Some(user_ns),
        system_ns: Some(system_ns),
        ..Default::default()
    };
    Repetition {
        late,
        missed,
        ends: vec![end(3_000, 4_000), end(5_000, 6_000)],
        disturbed: disturbed.iter().map(|&reason| reason.to_owned()).collect(),
        ..factory::repetition(index, &[1_000, 1_100, 1_200])
    }
}

#[database_test]
async fn sums_observations_over_repetitions(app: TestApp) {
    let mut report = factory::report();
    let repetitions = vec![
        open_loop(0, Some(2), Some(0), &["steal", "pressure"]),
        open_loop(1, Some(3), Some(1), &["throttled"]),
        open_loop(2, Some(0), Some(1), &["steal"]),
    ];
    let result = |rate, repetitions| {
        let mut result = factory::result("pipe", 64, repetitions);
        result.case.scenario = factory::slug("open-loop");
        result.case.rate_per_second = Some(rate);
        result
    };
    let mut nothing_delivered = open_loop(0, Some(u64::MAX), Some(3), &[]);
    nothing_delivered.delivered = 0;
    report.results = vec![
        result(1_000, repetitions.clone()),
        result(2_000, vec![open_loop(0, Some(1), None, &[]), open_loop(1, None, None, &[])]),
        result(3_000, vec![nothing_delivered, open_loop(1, Some(1), Some(0), &[])]),
        factory::result("pipe", 64, repetitions),
        factory::unsupported("posix-mq", "not on macOS"),
    ];
    app.store(&report).await;

    let detail = app.run(&report).await;
    let observed = at(&at(&detail, "results/*/observed"), "*/late,missed,cpu_ns_per_message,disturbed");
    let disturbed = json!([
        {"reason": "steal", "repetition_count": 2},
        {"reason": "pressure", "repetition_count": 1},
        {"reason": "throttled", "repetition_count": 1},
    ]);
    assert_eq!(
        observed,
        json!([
            // Three times 18 us over nine messages.
            [5, 2, 6_000, disturbed],
            // A value that one repetition lacks is missing in the result.
            [null, null, 6_000, []],
            // Sums saturate; twice 18 us over the three delivered messages.
            [u64::MAX, 3, 12_000, []],
            // Only open loops have due times.
            [null, null, null, disturbed],
            [null, null, null, []],
        ])
    );
}

#[database_test]
async fn stores_a_run_that_failed_entirely(app: TestApp) {
    let mut report = factory::report();
    report.results[0].repetitions.clear();
    report.results[0].failures = vec![factory::failure(0, "responder: killed by signal 9")];
    app.store(&report).await;
    let detail = app.run(&report).await;
    let summary = at(&detail, "run/point_count,run/failure_count,results/0/point");
    assert_eq!(summary, json!([0, 1, null]));
}

#[database_test]
async fn returns_reports_of_several_parts_and_frames(app: TestApp) {
    let mut report = serde_json::to_value(factory::report()).unwrap();
    report["added_later"] = (0..100_000_u64)
        .map(|number| format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15)))
        .collect();
    let body = serde_json::to_vec(&report).unwrap();
    let (begin, end) = body.split_at(body.len() / 3);
    let frames = [begin, end].map(|part| zstd::encode_all(part, 1).unwrap()).concat();
    assert!(frames.len() > 256 * 1024, "{} bytes are one part", frames.len());
    let run_id = report["run_id"].as_str().unwrap();
    app.put_bytes(run_id, &[("content-encoding", "zstd")], frames).await;
    assert!(app.get(&format!("/api/v1/runs/{run_id}/report")).await.body == body);
}

#[database_test]
async fn returns_the_report_byte_for_byte(app: TestApp) {
    let report = factory::report();
    // Indented and with an unknown member. Everything is kept.
    let mut body = serde_json::to_value(&report).unwrap();
    body["added_later"] = json!([1, 2, 3]);
    let body = serde_json::to_vec_pretty(&body).unwrap();
    let compressed = zstd::encode_all(body.as_slice(), 3).unwrap();
    app.put_bytes(&report.run_id.to_string(), &[("content-encoding", "zstd")], compressed).await;

    let answer = app.get(&format!("/api/v1/runs/{}/report", report.run_id)).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.body, body);
    assert_eq!(answer.headers["content-type"], "application/json");
    let attachment = format!("attachment; filename=\"roundtrip-{}.json\"", report.run_id);
    assert_eq!(answer.header("content-disposition"), attachment);
}

#[database_test]
async fn unknown_run_is_not_found(app: TestApp) {
    let path = format!("/api/v1/runs/{}", roundtrip_wire::RunId::draw());
    for (rest, code) in [("", "unknown-run"), ("/report", "unknown-run"), ("/series/1", "unknown-point")] {
        app.get(&format!("{path}{rest}")).await.assert_problem(404, code);
    }
}
