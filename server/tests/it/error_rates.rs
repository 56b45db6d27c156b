//! `/api/v1/projects/{project}/error-rates`, and the task that counts them.

use crate::support::{TestApp, at, factory};
use chrono::{TimeDelta, Utc};
use roundtrip_domain::tasks::{TaskError, error_rates};
use roundtrip_storage::task;
use roundtrip_wire::RunReport;
use serde_json::{Value, json};
use std::time::Duration;

const PATH: &str = "/api/v1/projects/libfoo/error-rates";

/// A report of a commit on a machine: two transports with the given number of repetitions and approximate times.
fn report(machine: &str, commit: u64, repetitions: u32, ns: u64) -> RunReport {
    let result = |transport: &str, nth: u64| {
        let repetition = |index: u32| {
            let noise = (commit * 7 + u64::from(index) * 3 + nth) % 11;
            let times: Vec<u64> = (0..5).map(|shift| ns + ns * (noise + shift) / 2_000).collect();
            factory::repetition(index, &times)
        };
        factory::result(transport, 64, (0..repetitions).map(repetition).collect())
    };
    factory::on(machine, factory::nth_with(commit, vec![result("pipe", 0), result("queue", 1)]))
}

/// Runs change detection, then counts the error rates.
async fn count(app: &TestApp) -> usize {
    app.state.analyst().search().await.unwrap();
    error_rates::count(&app.pool, Utc::now(), None, &|| false).await.unwrap()
}

/// Counts only what is due, as the daily task.
async fn count_due(app: &TestApp) -> usize {
    app.state.analyst().search().await.unwrap();
    error_rates::count(&app.pool, Utc::now() - TimeDelta::days(1), None, &|| false).await.unwrap()
}

fn of_class<'a>(rates: &'a Value, transport: &str) -> &'a Value {
    let classes = rates["machines"][0]["classes"].as_array().unwrap();
    classes.iter().find(|class| class["transport"] == transport).unwrap()
}

/// The threshold, and how many steps of 3, 5, 10 and 25 % were found.
fn threshold_and_found(history: &Value) -> Value {
    json!([history["threshold"], at(history, "steps/*/found/count")])
}

#[database_test]
async fn no_error_rates_before_the_first_count(app: TestApp) {
    app.store(&report("lab-1", 1, 3, 1_000)).await;
    let rates = app.read(PATH).await;
    assert_eq!((&rates["computed_at"], &rates["machines"]), (&Value::Null, &json!([])));
    let nothing = json!({ "count": 0, "of_count": 0, "share": null, "interval": null });
    assert_eq!(rates["total"]["false_comparisons"], nothing);
    assert_eq!(rates["total"]["p50"]["steps"][1]["found"], nothing);
}

#[database_test]
async fn counts_rates_from_stored_points_and_repetitions(app: TestApp) {
    for commit in 1..=80 {
        app.store(&report("lab-1", commit, 20, 100_000)).await;
    }
    assert_eq!(count(&app).await, 1);
    let rates = app.read(PATH).await;
    assert_eq!(rates["machines"][0]["machine"], "lab-1");
    assert_eq!(rates["computed_at"], rates["machines"][0]["computed_at"]);
    let pipe = of_class(&rates, "pipe");
    assert_eq!((&pipe["scenario"], &pipe["series_count"]), (&"roundtrip".into(), &1.into()));
    // 100 series of 300 points are simulated from each.
    for figure in ["p50", "p99"] {
        let alarms = &pipe[figure]["false_alarms"];
        assert_eq!((&alarms["count"], &alarms["of_count"]), (&0.into(), &30_000.into()), "{figure}");
        assert!(alarms["interval"][1].as_f64().unwrap() < 0.001, "{alarms}");
        let step = &pipe[figure]["steps"][2];
        assert_eq!((&step["change"], &step["found"]["count"]), (&0.10.into(), &100.into()), "{step}");
        assert!((4..=10).contains(&step["median_delay_points"].as_i64().unwrap()), "{step}");
    }
    // Times that scatter by half a percent: 80 comparisons of two cases.
    assert_eq!(rates["machines"][0]["false_comparisons"]["of_count"], 80);
    let comparisons = &pipe["comparisons"];
    assert_eq!(at(comparisons, "false_verdicts/count,untested_count"), json!([0, 0]));
    assert_eq!(at(comparisons, "changes/0/found/share,changes/1/found/share"), json!([1.0, 1.0]));
    // Two classes of one machine.
    assert_eq!(rates["total"]["p50"]["false_alarms"]["of_count"], 60_000);
    assert_eq!(rates["total"]["comparisons"]["false_verdicts"]["of_count"], 160);
}

#[database_test]
async fn rates_use_the_threshold_of_the_project(app: TestApp) {
    for commit in 1..=80 {
        app.store(&report("lab-1", commit, 3, 100_000)).await;
    }
    assert_eq!(count_due(&app).await, 1);
    let rates = app.read(PATH).await;
    let all = json!([[0.01, 0.03], [100, 100, 100, 100]]);
    assert_eq!(threshold_and_found(&of_class(&rates, "pipe")["p50"]), all);
    app.execute("update project set least_change = 0.2").await;
    let outdated = app.read(PATH).await;
    assert_eq!((&outdated["computed_at"], &outdated["machines"]), (&Value::Null, &json!([])));
    assert_eq!((count_due(&app).await, count_due(&app).await), (1, 0));
    let rates = app.read(PATH).await;
    for figure in ["p50", "p99", "tail"] {
        let pipe = &of_class(&rates, "pipe")[figure];
        assert_eq!(threshold_and_found(pipe), json!([[0.2, 0.2], [0, 0, 0, 100]]), "{figure}");
    }
    assert_eq!(threshold_and_found(&rates["total"]["p99"]), json!([[0.2, 0.2], [0, 0, 0, 200]]));
}

#[database_test]
async fn changes_of_the_tail_are_counted_with_a_threshold_of_ten_percent(app: TestApp) {
    for commit in 1..=80 {
        app.store(&report("lab-1", commit, 3, 100_000)).await;
    }
    // A smaller threshold of the project does not apply to the tail.
    app.execute("update project set least_change = 0.02").await;
    count(&app).await;
    let rates = app.read(PATH).await;
    let figures =
        "threshold,false_alarms/count,false_alarms/of_count,steps/0/found/count,steps/3/found/count";
    assert_eq!(at(&of_class(&rates, "pipe")["tail"], figures), json!([[0.1, 0.1], 0, 30_000, 0, 100]));
    assert_eq!(at(&rates["total"]["tail"], figures), json!([[0.1, 0.1], 0, 60_000, 0, 200]));
}

#[database_test]
async fn steps_are_not_counted_as_noise(app: TestApp) {
    for commit in 1..=80 {
        app.store(&report("lab-1", commit, 3, if commit <= 40 { 100_000 } else { 150_000 })).await;
    }
    let counted = async || error_rates::count(&app.pool, Utc::now(), None, &|| false).await.unwrap();
    assert_eq!(counted().await, 0, "its runs wait for change detection");
    app.state.analyst().search().await.unwrap();
    assert_eq!(counted().await, 1);
    let rates = app.read(PATH).await;
    let alarms = &of_class(&rates, "pipe")["p50"]["false_alarms"];
    // Blocks of twenty neighbours, and at least forty to draw from.
    assert_eq!((&alarms["count"], &alarms["of_count"]), (&0.into(), &30_000.into()));
}

#[database_test]
async fn counts_series_with_too_few_points_or_repetitions(app: TestApp) {
    for commit in 1..=5 {
        app.store(&report("lab-1", commit, 11, 100_000)).await;
    }
    count(&app).await;
    let rates = app.read(PATH).await;
    let pipe = of_class(&rates, "pipe");
    let nothing = json!({ "count": 0, "of_count": 0, "share": null, "interval": null });
    assert_eq!(pipe["p50"]["false_alarms"], nothing);
    assert_eq!((&pipe["comparisons"]["untested_count"], &pipe["series_count"]), (&5.into(), &1.into()));
    assert_eq!(rates["total"]["false_comparisons"]["of_count"], 0);
}

#[database_test]
async fn recounting_replaces_the_rates_deterministically(app: TestApp) {
    for commit in 1..=60 {
        app.store(&report("lab-1", commit, 12, 100_000)).await;
        app.store(&report("lab-2", commit, 3, 90_000)).await;
    }
    assert_eq!(count(&app).await, 2);
    let first = app.read(PATH).await;
    assert_eq!(first["machines"][1]["machine"], "lab-2");
    assert_eq!(count(&app).await, 2);
    let second = app.read(PATH).await;
    assert_eq!(first["machines"][0]["classes"], second["machines"][0]["classes"]);
    assert_ne!(first["computed_at"], second["computed_at"]);
    assert_eq!(app.row_counts().await["error_rate"], 4);
}

#[database_test]
async fn counts_a_machine_daily_and_a_new_one_immediately(app: TestApp) {
    app.store(&report("lab-1", 1, 3, 1_000)).await;
    assert_eq!((count_due(&app).await, count_due(&app).await), (1, 0));
    app.store(&report("lab-2", 1, 3, 1_000)).await;
    assert_eq!((count_due(&app).await, count_due(&app).await), (1, 0));
    app.execute("update machine_error_rate set computed_at = computed_at - interval '25 hours'").await;
    assert_eq!(count_due(&app).await, 2);
}

#[database_test]
async fn stopped_or_expired_count_stores_nothing(app: TestApp) {
    app.store(&report("lab-1", 1, 12, 100_000)).await;
    app.state.analyst().search().await.unwrap();
    assert_eq!(error_rates::count(&app.pool, Utc::now(), None, &|| true).await.unwrap(), 0);
    task::ensure(&app.pool, "work").await.unwrap();
    let held_up = task::claim(&app.pool, "work", Duration::ZERO).await.unwrap();
    task::claim(&app.pool, "work", Duration::from_secs(60)).await.unwrap().unwrap();
    let ended = error_rates::count(&app.pool, Utc::now(), held_up, &|| false).await.unwrap_err();
    assert!(matches!(ended, TaskError::LeaseLost), "{ended}");
    assert_eq!(app.row_counts().await["machine_error_rate"], 0);
}

#[database_test]
async fn private_error_rates_are_hidden_and_deleted_with_the_project(app: TestApp) {
    app.store(&report("lab-1", 1, 12, 100_000)).await;
    count(&app).await;
    app.hide("libfoo").await;
    assert_eq!(app.get(PATH).await.status, 404);
    let admin = app.account("root", true).await;
    app.read_as(&admin, PATH).await;
    assert_eq!(app.send("DELETE", "/api/v1/projects/libfoo", &admin, None).await.status, 204);
    let counts = app.row_counts().await;
    assert_eq!((counts["machine_error_rate"], counts["error_rate"]), (0, 0));
    assert_eq!(count(&app).await, 0);
}
