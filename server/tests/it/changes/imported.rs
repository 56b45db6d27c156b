//! Changes of imported series: other measures than times, and values without samples.

use super::regressions::list;
use super::search;
use crate::support::factory::{self, import};
use crate::support::{TestApp, at};
use roundtrip_wire::RunReport;
use serde_json::{Value, json};

/// Imports a file for each of 40 commits; `file` returns its text and gets whether the commit is after the change.
async fn import_history(app: &TestApp, file: impl Fn(u64, bool) -> String) {
    for commit in 1..=40 {
        let report = RunReport { results: Vec::new(), ..factory::nth(commit) };
        let body = import(&report, "results", None, file(commit, commit > 25).as_bytes());
        let answer = app.send("POST", "/api/v1/import", &app.token, Some(body)).await;
        assert_eq!(answer.status, 201, "{}", String::from_utf8_lossy(&answer.body));
    }
    search(app).await;
}

/// The changes of the series that a search finds.
async fn changes(app: &TestApp, search: &str) -> Value {
    let found = app.read(&format!("/api/v1/projects/libfoo/series?q={search}")).await;
    let ids = at(&found, "series/*/series_id");
    assert_eq!(ids.as_array().unwrap().len(), 1, "{found}");
    app.read(&format!("/api/v1/charts/changes?series={}", ids[0])).await["change_points"].clone()
}

#[database_test]
async fn less_throughput_and_more_allocations_are_regressions(app: TestApp) {
    import_history(&app, |commit, is_changed| {
        let line = |nth: u64| {
            let noise = (commit * 7 + nth * 3) % 5;
            let (rate, allocations) = if is_changed { (800 + noise, 2) } else { (1_000 + noise, 0) };
            format!("BenchmarkPipe 100 {} ns/op {rate} MB/s {allocations} allocs/op\n", 1_000 + noise)
        };
        (0..4).map(line).collect()
    })
    .await;
    let found = changes(&app, "mb").await;
    assert_eq!(
        at(&found, "*/commit_ordinal,direction,figure"),
        json!([[26, "regressed", "p50"], [26, "regressed", "p99"]])
    );
    assert!((found[0]["change"].as_f64().unwrap() + 0.2).abs() < 0.01, "{found}");
    let found = changes(&app, "allocs").await;
    assert_eq!(at(&found[0], "commit_ordinal,direction"), json!([26, "regressed"]));
    // 0 counts as the smallest stored value, a thousandth.
    assert_eq!(at(&found[0], "before_level,after_level"), json!([1.0, 2_000.0]));
    let regressions = list(&app, "").await;
    let [regression] = &regressions[..] else { panic!("{regressions:?}") };
    assert_eq!(at(regression, "direction,series_count,state"), json!(["regressed", 2, "new"]));
}

#[database_test]
async fn values_without_samples_are_searched(app: TestApp) {
    import_history(&app, |commit, is_changed| {
        let noise = commit % 5;
        let value = if is_changed { 1_300 } else { 1_000 } + noise;
        format!(r#"{{"pipe": {{"latency": {{"value": {value}.5}}}}, "fifo": {{"latency": {{"value": 1{noise}0.5}}}}}}"#)
    })
    .await;
    let found = changes(&app, "pipe").await;
    assert_eq!(at(&found, "*/commit_ordinal,direction,figure"), json!([[26, "regressed", "p50"]]));
    assert_eq!(app.row_counts().await["point"], 0);
    let regressions = list(&app, "").await;
    assert_eq!(at(&json!(regressions), "*/direction,series_count"), json!([["regressed", 1]]));
    // A return to the level before fixes it.
    for commit in 41..=60 {
        let report = RunReport { results: Vec::new(), ..factory::nth(commit) };
        let text = format!(r#"{{"pipe": {{"latency": {{"value": {}.5}}}}}}"#, 1_000 + commit % 5);
        let body = import(&report, "results", None, text.as_bytes());
        app.send("POST", "/api/v1/import", &app.token, Some(body)).await;
    }
    search(&app).await;
    assert_eq!(at(&json!(list(&app, "").await), "*/state,fixed_by_commit/ordinal"), json!([["fixed", 41]]));
}
