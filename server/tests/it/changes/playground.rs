//! `/api/v1/series/{series_id}/playground`: change detection with other settings.

use super::{upload, upload_step};
use crate::support::TestApp;
use serde_json::Value;

async fn tried(app: &TestApp, query: &str) -> Value {
    app.read(&format!("/api/v1/series/1/playground{query}")).await
}

#[database_test]
async fn default_settings_match_the_server(app: TestApp) {
    upload_step(&app).await;
    let trial = tried(&app, "").await;
    assert_eq!(trial["settings"], trial["shipped"]);
    assert_eq!(trial["change_points"], trial["shipped_change_points"]);
    let change = &trial["change_points"][0];
    assert_eq!((&change["commit_ordinal"], &change["direction"]), (&31.into(), &"regressed".into()));
    let reported_by = change["reported_by_commit_ordinal"].as_u64().unwrap();
    assert!((34..=36).contains(&reported_by), "{change}");
    let looks = trial["looks"].as_array().unwrap();
    assert_eq!((looks.len(), trial["values"].as_array().unwrap().len()), (40, 40));
    let outcomes: Vec<&str> = looks.iter().map(|look| look["outcome"].as_str().unwrap()).collect();
    assert_eq!((outcomes[0], outcomes[20]), ("nothing", "even"));
    assert_eq!(outcomes.iter().filter(|outcome| **outcome == "reported").count(), 1);
    assert_eq!(trial["environments"], serde_json::json!([{ "environment_id": 1, "point_count": 40 }]));
}

#[database_test]
async fn other_settings_store_nothing(app: TestApp) {
    upload_step(&app).await;
    assert_eq!(tried(&app, "?deviations=20").await["change_points"], Value::Array(Vec::new()));
    assert_eq!(tried(&app, "?least=0.5&least_of_noisy=0.5").await["change_points"][0]["matters"], false);
    assert_eq!(tried(&app, "?figure=p99&last=20").await["commit_ordinals"].as_array().unwrap().len(), 20);
    assert_eq!(app.row_counts().await["change_point"], 0);
}

#[database_test]
async fn rejects_settings_out_of_range(app: TestApp) {
    upload(&app, 1..=3, 1_000).await;
    for (query, detail) in [
        ("deviations=0", "parameter deviations: 0 is not between 1 and 20"),
        ("persistence=1", "parameter persistence: 1 is not between 2 and 100"),
        ("window=-3", "parameter window: -3 is not between 8 and 1024"),
        ("sure=NaN", "parameter sure: NaN is not between 0 and 1"),
        ("figure=p42", "`p42` is unknown: expected p50, p99, tail"),
        ("environment=77", "parameter environment: 77 has no point among the newest 1000"),
        ("last=0", "parameter last: 0"),
    ] {
        app.get(&format!("/api/v1/series/1/playground?{query}")).await.assert_invalid(detail);
    }
    app.get("/api/v1/series/77/playground").await.assert_problem(404, "unknown-series");
    app.hide("libfoo").await;
    app.get("/api/v1/series/1/playground").await.assert_problem(404, "unknown-series");
}
