//! `/api/v1/points` and `/api/v1/runs/{run_id}/series/{series_id}`.

use crate::support::{TestApp, at, factory};
use roundtrip_wire::RunReport;
use serde_json::{Value, json};

fn ordinals(points: &Value) -> Vec<i64> {
    points.as_array().unwrap().iter().map(|point| point["commit_ordinal"].as_i64().unwrap()).collect()
}

#[database_test]
async fn lists_newest_points_in_ascending_order(app: TestApp) {
    for number in [2, 5, 1, 4, 3] {
        let mut report = factory::nth(number);
        if number != 5 {
            report.results.push(factory::once("tcp", 64, 7_000));
        }
        app.store(&report).await;
    }
    let points = app.read("/api/v1/points?series=2,1&limit=3").await;
    assert_eq!(at(&points, "series/0/series_id,series/1/series_id"), json!([2, 1]));
    assert_eq!(ordinals(&points["series"][0]["points"]), [2, 3, 4]);
    assert_eq!(ordinals(&points["series"][1]["points"]), [3, 4, 5]);
    let commits = at(&points, "commits/*/ordinal");
    assert_eq!(commits, json!([2, 3, 4, 5]), "only the commits of the points");
}

#[database_test]
async fn point_has_every_documented_number(app: TestApp) {
    let report = factory::report();
    app.store(&report).await;
    let points = app.read("/api/v1/points?series=1").await;
    let mut point = points["series"][0]["points"][0].clone();
    let environment_id = point["environment_id"].take();
    assert!(environment_id.is_i64());
    assert_eq!(
        point,
        serde_json::json!({
            "run_id": report.run_id, "commit_sha": report.commit.sha, "commit_ordinal": 1,
            "work_tree_modified": false, "measured_at": "2026-11-21T10:01:40Z", "environment_id": null,
            "latency_ns": {
                "min": 1_000, "p25": 1_050, "p50": 1_100, "p75": 1_200, "p90": 1_300, "p98": 1_300,
                "p99": 1_300, "p999": 1_300, "max": 1_300,
            },
            "count": 6, "sum_ns": 6_800, "repetition_count": 2, "failure_count": 0, "disturbed_count": 0,
            "repetition_p50_ns": {"q1": 1_100, "median": 1_100, "q3": 1_150},
            "bytes_per_second": null, "attempted": 6, "accepted": 6, "delivered": 6, "lossy": false,
        })
    );
}

#[database_test]
async fn returns_a_repeated_series_once_and_names_an_unknown_one(app: TestApp) {
    app.store(&factory::report()).await;
    let points = app.read("/api/v1/points?series=1,1").await;
    assert_eq!(points["series"].as_array().unwrap().len(), 1);
    assert_eq!(points["series"][0]["points"].as_array().unwrap().len(), 1);
    let problem = app.get("/api/v1/points?series=1,77").await.assert_problem(404, "unknown-series");
    assert!(problem.detail.contains("77"), "{problem:?}");
}

#[database_test]
async fn point_detail_has_distribution_and_repetitions(app: TestApp) {
    let mut report = factory::report();
    // Not the first result, and repetitions out of order. Both must be found.
    report.results.insert(0, factory::once("tcp", 64, 9));
    report.results[1].repetitions.reverse();
    report.results[1].repetitions[0].disturbed = vec!["cpu 1 was shared".into()];
    app.store(&report).await;
    let detail_of_run = app.run(&report).await;
    let series_id = detail_of_run["results"][1]["series_id"].as_i64().unwrap();

    let detail = app.read(&format!("/api/v1/runs/{}/series/{series_id}", report.run_id)).await;
    assert_eq!(detail["point"], detail_of_run["results"][1]["point"]);
    let histogram = detail["histogram"].as_array().unwrap();
    let total: u64 = histogram.iter().map(|bin| bin["count"].as_u64().unwrap()).sum();
    assert_eq!(total, 6);
    assert!(histogram[0]["from_ns"].as_u64().unwrap() <= 1_000);
    assert!(histogram.last().unwrap()["to_ns"].as_u64().unwrap() >= 1_300);
    for pair in histogram.windows(2) {
        assert_eq!(pair[0]["to_ns"], pair[1]["from_ns"], "bins have no gaps");
    }
    let listed = at(&detail, "repetitions/*/index,p50_ns,disturbed");
    assert_eq!(listed, json!([[0, 1_100, []], [1, 1_150, ["cpu 1 was shared"]]]));
    assert_eq!(at(&detail, "repetitions/0/p99_ns,repetitions/1/max_ns"), json!([1_200, 1_300]));
    assert_eq!(detail["repetitions"][0]["ends"], json!([{"cpus_seen": [1], "migrations": 0}]));
}

#[database_test]
async fn unsupported_case_has_no_points(app: TestApp) {
    let report = factory::nth_with(1, vec![factory::unsupported("posix-mq", "not on macOS")]);
    app.store(&report).await;
    let answer = app.get(&format!("/api/v1/runs/{}/series/1", report.run_id)).await;
    answer.assert_problem(404, "unknown-point");
    let series = app.read("/api/v1/series/1").await;
    assert_eq!(at(&series, "latest,latest_summary"), json!([null, null]));
    let chart = app.read("/api/v1/charts/line?series=1").await;
    assert_eq!(at(&chart, "series/0/point_count,series/0/latency_ns/p50"), json!([0, []]));
}

#[database_test]
async fn filters_points_of_the_trend(app: TestApp) {
    let measured = |number| factory::nth_with(number, vec![factory::once("pipe", 64, 1_000 * number)]);
    let topic = RunReport {
        branch: Some("topic".into()),
        pull_request: Some(42),
        commit: factory::commit(8, Some(7)),
        ..measured(7)
    };
    // The query selects one ordinal.
    for report in [&measured(7), &topic, &measured(6), &measured(9)] {
        app.store(report).await;
    }
    for (lines, count) in [("", 2), ("&lines=all", 2), ("&lines=main", 1)] {
        let points = app.read(&format!("/api/v1/points?series=1&from=7&to=7{lines}")).await;
        let found = at(&points["series"][0], "points/*/commit_ordinal,latency_ns/p50");
        assert_eq!(found, json!(vec![[7, 7_000]; count]), "{lines}");
    }
}

#[database_test]
async fn the_points_of_all_series_are_limited(app: TestApp) {
    let many: Vec<_> = (1..=200).map(|series_id| series_id.to_string()).collect();
    let many = many.join(",");
    // They do not exist, which the server looks up after it has checked the limit.
    for permitted in ["", "&limit=100"] {
        app.get(&format!("/api/v1/points?series={many}{permitted}"))
            .await
            .assert_problem(404, "unknown-series");
    }
    let answer = app.get(&format!("/api/v1/points?series={many}&limit=101")).await;
    answer.assert_invalid("expected at most 100 of each");
}
