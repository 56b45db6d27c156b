//! `/api/v1/projects/{project}/charts/sweep`.

use super::csv_rows;
use crate::support::factory::{self, nth_with, once};
use crate::support::{TestApp, at};
use roundtrip_wire::RunReport;
use serde_json::{Value, json};

const ASK: &str = "/api/v1/projects/libfoo/charts/sweep?machine=lab-1&scenario=roundtrip";

/// Transport, distinguishing fields, and the parameter and p50 of each point.
type Line = (String, Value, Vec<(u64, u64)>);

/// Results of two transports and two sizes.
fn copies() -> RunReport {
    nth_with(1, vec![once("pipe", 64, 900), once("tcp", 64, 5_000), once("pipe", 4_096, 1_900)])
}

fn lines(chart: &Value) -> Vec<Line> {
    let lines = at(chart, "lines/*/transport/slug,distinguishing,points");
    let line = |line: &Value| {
        let points = at(&line[2], "*/x,latency_ns/p50");
        (line[0].as_str().unwrap().to_owned(), line[1].clone(), serde_json::from_value(points).unwrap())
    };
    lines.as_array().unwrap().iter().map(line).collect()
}

#[database_test]
async fn draws_transports_over_message_sizes(app: TestApp) {
    app.store(&copies()).await;
    let newest = nth_with(2, vec![once("pipe", 1_024, 1_200), once("pipe", 64, 1_000)]);
    app.store(&newest).await;
    let chart = app.read(&format!("{ASK}&over=message_bytes")).await;
    assert_eq!((&chart["over"], &chart["commit"]), (&json!("message_bytes"), &Value::Null));
    assert_eq!(chart["distinguished_by"], json!(["transport"]));
    assert_eq!(
        lines(&chart),
        [
            (
                "pipe".into(),
                json!({ "transport": "pipe" }),
                vec![(64, 1_000), (1_024, 1_200), (4_096, 1_900)]
            ),
            ("tcp".into(), json!({ "transport": "tcp" }), vec![(64, 5_000)]),
        ]
    );
    let line = &chart["lines"][0];
    assert_eq!(line["methodology"], serde_json::to_value(factory::methodology()).unwrap());
    assert_eq!(
        line["parameters"],
        json!({ "scenario": "roundtrip", "mode": "2proc", "placement": "same-cpu", "peers": "1" })
    );
    let mut point = line["points"][1].clone();
    let environment_id = point["environment_id"].take();
    assert!(environment_id.is_i64());
    let expected = json!({
        "x": 1_024, "series_id": point["series_id"], "run_id": newest.run_id, "commit_sha": newest.commit.sha,
        "commit_ordinal": 2, "environment_id": null, "work_tree_modified": false, "lossy": false,
        "latency_ns": { "p50": 1_200, "p90": 1_200, "p99": 1_200 },
        "repetition_p50_ns": { "q1": 1_200, "median": 1_200, "q3": 1_200 }, "bytes_per_second": null,
    });
    assert_eq!(point, expected);
}

#[database_test]
async fn methodologies_are_separate_lines(app: TestApp) {
    let mut spinning = once("ring", 64, 300);
    spinning.methodology.receive = factory::slug("spin");
    let mut threads = once("ring", 64, 200);
    threads.case.mode = factory::slug("2thread");
    app.store(&nth_with(1, vec![once("ring", 64, 900), once("ring", 128, 950), spinning, threads])).await;
    let chart = app.read(&format!("{ASK}&over=message_bytes")).await;
    assert_eq!(chart["distinguished_by"], json!(["mode", "receive"]));
    assert_eq!(
        lines(&chart),
        [
            ("ring".into(), json!({ "mode": "2proc", "receive": "block" }), vec![(64, 900), (128, 950)]),
            ("ring".into(), json!({ "mode": "2proc", "receive": "spin" }), vec![(64, 300)]),
            ("ring".into(), json!({ "mode": "2thread", "receive": "block" }), vec![(64, 200)]),
        ]
    );
    let chart = app.read(&format!("{ASK}&over=message_bytes&mode=2thread")).await;
    assert_eq!((lines(&chart).len(), &chart["distinguished_by"]), (1, &json!([])));
    let chart = app.read(&format!("{ASK}&over=message_bytes&placement=free")).await;
    assert_eq!(lines(&chart), []);
}

#[database_test]
async fn draws_lines_over_participants(app: TestApp) {
    let of = |senders: Option<u32>, peers: u32, time_ns: u64| {
        let mut result = once("ring", 64, time_ns);
        result.case.scenario = factory::slug("channel-n-n");
        (result.case.senders, result.case.peers) = (senders, peers);
        // Each receiver gets it.
        result.repetitions[0].delivered = u64::from(peers);
        result
    };
    app.store(&nth_with(1, vec![of(None, 1, 10), of(Some(2), 2, 20), of(Some(4), 4, 40)])).await;
    let ask = |over: &str| {
        format!("/api/v1/projects/libfoo/charts/sweep?machine=lab-1&scenario=channel-n-n&over={over}")
    };
    for over in ["peers", "senders"] {
        let chart = app.read(&ask(over)).await;
        assert_eq!(lines(&chart), [("ring".into(), json!({}), vec![(1, 10), (2, 20), (4, 40)])], "{over}");
    }
    let chart = app.read(&ask("peers")).await;
    assert_eq!(chart["lines"][0]["parameters"]["senders"], Value::Null, "absent in the first case");
}

#[database_test]
async fn selects_points_of_one_commit(app: TestApp) {
    let old = nth_with(1, vec![once("pipe", 64, 900)]);
    app.store(&old).await;
    app.store(&nth_with(2, vec![once("pipe", 64, 1_000), once("pipe", 128, 1_100)])).await;
    // Another run of the old commit, with a modified work tree.
    let mut modified = nth_with(1, vec![once("pipe", 64, 700)]);
    modified.work_tree_modified = true;
    app.store(&modified).await;
    app.execute("update point set mainline = false where commit_ordinal = 2").await;

    let chart = app.read(&format!("{ASK}&over=message_bytes&commit={}", factory::sha(1))).await;
    assert_eq!(chart["commit"]["subject"], "Change 1");
    assert_eq!(lines(&chart)[0].2, [(64, 900)], "the unmodified run, not the newest");
    let chart = app.read(&format!("{ASK}&over=message_bytes&commit={}", factory::sha(2))).await;
    assert_eq!(lines(&chart)[0].2, [(64, 1_000), (128, 1_100)], "also outside the main line");
    let chart = app.read(&format!("{ASK}&over=message_bytes")).await;
    assert_eq!(lines(&chart)[0].2, [(64, 700)], "the newest on the main line");
    let unknown = format!("{ASK}&over=message_bytes&commit={}", factory::sha(9));
    app.get(&unknown).await.assert_problem(404, "unknown-commit");
}

#[database_test]
async fn sweep_csv_has_a_row_per_point(app: TestApp) {
    let report = copies();
    app.store(&report).await;
    let rows = csv_rows(&app, &format!("{ASK}&over=message_bytes&format=csv")).await;
    let cells: Vec<_> = rows
        .iter()
        .map(|row| {
            ["line", "transport", "distinguishing", "message_bytes", "p50_ns"].map(|name| row[name].as_str())
        })
        .collect();
    assert_eq!(
        cells,
        [
            ["1", "pipe", "transport: pipe", "64", "900"],
            ["1", "pipe", "transport: pipe", "4096", "1900"],
            ["2", "tcp", "transport: tcp", "64", "5000"],
        ]
    );
    assert_eq!(rows[0]["run_id"], report.run_id.to_string());
    assert_eq!(rows[0]["commit_ordinal"], "1");
}

#[database_test]
async fn rejects_invalid_parameters(app: TestApp) {
    app.store(&factory::report()).await;
    let of = |project: &str, query: &str| format!("/api/v1/projects/{project}/charts/sweep?{query}");
    let whole = "over=peers&machine=lab-1&scenario=route";
    app.get(&of("nothing", whole)).await.assert_problem(404, "unknown-project");
    for (query, named) in [
        ("machine=lab-1&scenario=route", "over"),
        ("over=peers&scenario=route", "machine"),
        ("over=peers&machine=lab-1", "scenario"),
        ("over=mode&machine=lab-1&scenario=route", "over"),
        (&format!("{whole}&commit=abc"), "commit"),
    ] {
        app.get(&of("libfoo", query)).await.assert_invalid(named);
    }
    assert_eq!(lines(&app.read(&of("libfoo", &whole.replace("lab-1", "nobody"))).await), []);
}
