//! `/api/v1/charts/heatmap`.

use super::{numbers, report_of};
use crate::support::{TestApp, factory};
use serde_json::{Value, json};
use std::collections::BTreeMap;

/// Counts by range of times in nanoseconds, computed as documented.
fn counts(chart: &Value, place: usize) -> BTreeMap<String, i64> {
    let bound = |bin: i64| 2_f64.powf(bin as f64 / chart["steps_per_doubling"].as_f64().unwrap());
    let mut bin = numbers(&chart["columns"]["first_bins"])[place];
    let mut counts = BTreeMap::new();
    for count in chart["columns"]["counts"][place].as_array().unwrap() {
        match count.as_i64().unwrap() {
            empty if empty < 0 => bin -= empty,
            count => {
                counts.insert(format!("{:.0}..{:.0}", bound(bin), bound(bin + 1)), count);
                bin += 1;
            }
        }
    }
    counts
}

/// One operation in each range.
fn once(ranges: &[&str]) -> BTreeMap<String, i64> {
    ranges.iter().map(|&range| (range.to_owned(), 1)).collect()
}

#[database_test]
async fn columns_share_the_same_bins(app: TestApp) {
    app.store(&report_of(3, &[1_000, 1_050, 9_000])).await;
    app.store(&report_of(1, &[1_060])).await;
    // A second run of a commit: the same column.
    app.store(&report_of(3, &[8_900])).await;
    let chart = app.read("/api/v1/charts/heatmap?series=1").await;
    assert_eq!(numbers(&chart["columns"]["from_ordinals"]), [1, 3]);
    assert_eq!(numbers(&chart["columns"]["to_ordinals"]), [1, 3]);
    let counted = |name: &str| chart[name].as_u64().unwrap();
    assert_eq!(["point_count", "missing_count", "commit_count"].map(counted), [3, 0, 2]);
    assert_eq!(counts(&chart, 0), once(&["1024..1117"]));
    assert_eq!(counts(&chart, 1), once(&["939..1024", "1024..1117", "8192..8933", "8933..9742"]));
}

#[database_test]
async fn merges_neighbours_to_the_requested_columns(app: TestApp) {
    for commit in 1..=25 {
        app.store(&report_of(commit, &[1_000])).await;
    }
    let chart = app.read("/api/v1/charts/heatmap?series=1&columns=10").await;
    assert_eq!(chart["commit_count"], 25);
    let [from, to] = ["from_ordinals", "to_ordinals"].map(|name| numbers(&chart["columns"][name]));
    assert_eq!((from.len(), from[0], to[9]), (10, 1, 25));
    for place in 1..10 {
        assert_eq!(from[place], to[place - 1] + 1, "no commit is left out");
    }
    let all: i64 = (0..10).flat_map(|place| counts(&chart, place).into_values()).sum();
    assert_eq!(all, 25);
}

#[database_test]
async fn uses_the_points_of_a_line_and_marks_loss(app: TestApp) {
    for commit in 1..=6 {
        let mut report = report_of(commit, &[1_000]);
        report.results[0].repetitions[0].delivered = u64::from(commit != 4);
        app.store(&report).await;
    }
    app.execute("update point set mainline = commit_ordinal <> 2").await;
    for query in ["", "&lines=all", "&last=2", "&from=2&to=4", "&branch=main", "&branch=nobody"] {
        let ordinals = |chart: &Value, name: &str| numbers(chart.pointer(name).unwrap());
        let heat_map = app.read(&format!("/api/v1/charts/heatmap?series=1{query}")).await;
        let line = app.read(&format!("/api/v1/charts/line?series=1{query}")).await;
        let expected = ordinals(&line, "/series/0/commit_ordinals");
        assert_eq!(ordinals(&heat_map, "/columns/from_ordinals"), expected, "{query}");
        assert_eq!(heat_map["columns"]["lossy"], line["series"][0]["lossy"], "{query}");
    }
}

#[database_test]
async fn counts_deleted_distributions(app: TestApp) {
    let (old, new) = (report_of(1, &[1_000]), report_of(2, &[1_000]));
    app.store(&old).await;
    app.store(&new).await;
    app.execute(&format!("delete from point_histogram where run_id = '{}'", old.run_id)).await;
    let chart = app.read("/api/v1/charts/heatmap?series=1").await;
    assert_eq!((&chart["point_count"], &chart["missing_count"]), (&json!(2), &json!(1)));
    assert_eq!(numbers(&chart["columns"]["from_ordinals"]), [2]);
}

#[database_test]
async fn corrupt_histogram_is_an_internal_error(app: TestApp) {
    for commit in 1..=200 {
        app.store(&report_of(commit, &[1_000])).await;
    }
    app.execute("update point_histogram set histogram = 'broken'").await;
    app.get("/api/v1/charts/heatmap?series=1").await.assert_problem(500, "internal");
}

#[database_test]
async fn rejects_invalid_parameters(app: TestApp) {
    app.store(&factory::report()).await;
    app.get("/api/v1/charts/heatmap?series=77").await.assert_problem(404, "unknown-series");
    for (query, named) in [
        ("", "series"),
        ("series=1,2", "series"),
        ("series=1&columns=9", "columns: 9 is not between 10 and 1000"),
        ("series=1&columns=1001", "columns"),
        ("series=1&last=10001", "last"),
        ("series=1&from=3&to=2", "to"),
    ] {
        app.get(&format!("/api/v1/charts/heatmap?{query}")).await.assert_invalid(named);
    }
}
