//! `/api/v1/projects/{project}/runs`, `/api/v1/runs/{run_id}` and `/api/v1/runs/{run_id}/report`.

use crate::support::{TestApp, factory};
use roundtrip_wire::RunReport;
use serde_json::{Value, json};
use sqlx::PgPool;

#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn runs_are_listed_newest_first_page_by_page(pool: PgPool) {
    let app = TestApp::new(pool).await;
    let mut expected = Vec::new();
    for number in 1..=5 {
        let mut report = factory::report_at(factory::commit(number, Some(number)));
        report.machine.slug = factory::slug(if number == 3 { "lab-2" } else { "lab-1" });
        app.store(&report).await;
        expected.insert(0, report.run_id.to_string());
    }
    let mut seen = Vec::new();
    let mut path = "/api/v1/projects/libfoo/runs?limit=2".to_owned();
    loop {
        let page = app.read(&path).await;
        let runs = page["runs"].as_array().unwrap();
        assert!(runs.len() <= 2);
        seen.extend(runs.iter().map(|run| run["run_id"].as_str().unwrap().to_owned()));
        let Some(before) = page["next_before"].as_str() else { break };
        path = format!("/api/v1/projects/libfoo/runs?limit=2&before={before}");
    }
    assert_eq!(seen, expected);

    let of_machine = app.read("/api/v1/projects/libfoo/runs?machine=lab-2").await;
    assert_eq!(of_machine["runs"].as_array().unwrap().len(), 1);
    assert_eq!(of_machine["runs"][0]["commit"]["ordinal"], 3);
}

#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn a_run_shows_all_that_was_uploaded(pool: PgPool) {
    let app = TestApp::new(pool).await;
    let mut report = RunReport { pull_request: Some(12), work_tree_modified: true, ..factory::report() };
    report.results[0].failures = vec![factory::failure(2, "initiator: no answer for 5 s")];
    report.results.push(factory::unsupported("posix-mq", "not on macOS"));
    app.store(&report).await;

    let detail = app.read(&format!("/api/v1/runs/{}", report.run_id)).await;
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
            "branch": "main", "pull_request": 12, "work_tree_modified": true, "preset": "quick",
            "suite_version": "0.1.0", "build": "release", "order_seed": "18446744073709551615",
            "started_at": "2026-11-21T10:01:40Z", "finished_at": "2026-11-21T10:02:40Z",
            "received_at": received_at, "point_count": 1, "unsupported_count": 1, "failure_count": 1,
        })
    );
    assert_eq!(detail["environment"], serde_json::to_value(&report.environment).unwrap());
    assert_eq!(detail["canaries"], serde_json::to_value(&report.canaries).unwrap());
    let results = detail["results"].as_array().unwrap();
    for (stored, sent) in results.iter().zip(&report.results) {
        assert_eq!(stored["transport"], serde_json::to_value(&sent.transport).unwrap());
        assert_eq!(stored["case"], serde_json::to_value(&sent.case).unwrap());
        assert_eq!(stored["methodology"], serde_json::to_value(&sent.methodology).unwrap());
        assert_eq!(stored["counters"], serde_json::to_value(&sent.counters).unwrap());
        assert_eq!(stored["failures"], serde_json::to_value(&sent.failures).unwrap());
        assert_eq!(stored["unsupported"], serde_json::to_value(&sent.unsupported).unwrap());
    }
    assert_eq!(results[0]["point"]["latency_ns"]["p50"], 1_100);
    assert_eq!(results[1]["point"], Value::Null);
    let listed = app.read("/api/v1/projects/libfoo/runs").await;
    assert_eq!(listed["runs"][0], detail["run"]);
}

#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn a_run_in_which_everything_failed_is_stored_and_shown(pool: PgPool) {
    let app = TestApp::new(pool).await;
    let mut report = factory::report();
    report.results[0].repetitions.clear();
    report.results[0].failures = vec![factory::failure(0, "responder: killed by signal 9")];
    app.store(&report).await;
    let detail = app.read(&format!("/api/v1/runs/{}", report.run_id)).await;
    assert_eq!((&detail["run"]["point_count"], &detail["run"]["failure_count"]), (&0.into(), &1.into()));
    assert_eq!(detail["results"][0]["point"], Value::Null);
}

#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn the_report_is_given_back_byte_for_byte(pool: PgPool) {
    let app = TestApp::new(pool).await;
    let report = factory::report();
    // Indented, with a member that this server does not know: nothing of it is lost.
    let mut body = serde_json::to_value(&report).unwrap();
    body["added_later"] = json!([1, 2, 3]);
    let body = serde_json::to_vec_pretty(&body).unwrap();
    let compressed = zstd::encode_all(body.as_slice(), 3).unwrap();
    app.put_bytes(&report.run_id.to_string(), &[("content-encoding", "zstd")], compressed).await;

    let answer = app.get(&format!("/api/v1/runs/{}/report", report.run_id)).await;
    assert_eq!(answer.status, 200);
    assert_eq!(answer.body, body);
    assert_eq!(answer.headers["content-type"], "application/json");
    assert_eq!(
        answer.headers["content-disposition"].to_str().unwrap(),
        format!("attachment; filename=\"roundtrip-{}.json\"", report.run_id)
    );
}

#[sqlx::test(migrator = "roundtrip_server::MIGRATOR")]
async fn an_unknown_run_is_a_problem(pool: PgPool) {
    let app = TestApp::new(pool).await;
    let run_id = roundtrip_wire::RunId::draw();
    app.get(&format!("/api/v1/runs/{run_id}")).await.assert_problem(404, "unknown-run");
    app.get(&format!("/api/v1/runs/{run_id}/report")).await.assert_problem(404, "unknown-run");
    app.get(&format!("/api/v1/runs/{run_id}/series/1")).await.assert_problem(404, "unknown-point");
}
