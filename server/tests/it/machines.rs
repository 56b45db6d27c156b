//! `/api/v1/projects/{project}/machines`.

use crate::support::{TestApp, at, factory};
use roundtrip_wire::{Canary, RunReport};
use serde_json::json;

#[database_test]
async fn shows_the_newest_environment_and_lists_all_newest_first(app: TestApp) {
    app.store(&factory::report()).await;
    // Conditions do not change the environment.
    let mut busy = RunReport { started_at: factory::time(130), ..factory::report() };
    busy.environment.conditions.insert("load.1min".into(), "9.99".into());
    app.store(&busy).await;
    assert_eq!(app.row_counts().await["environment"], 1);
    let mut updated = RunReport { started_at: factory::time(140), ..factory::report() };
    updated.environment.stable.insert("os.kernel".into(), "6.2.0".into());
    updated.environment.conditions.insert("load.1min".into(), "1.75".into());
    app.store(&updated).await;
    let mut other = factory::on("a-mac", factory::report());
    other.machine.os = factory::slug("macos");
    other.environment.stable.insert("os.kernel".into(), "25.1.0".into());
    app.store(&other).await;

    let machines = app.read("/api/v1/projects/libfoo/machines").await;
    assert_eq!(at(&machines, "machines/0/machine,machines/0/os"), json!(["a-mac", "macos"]));
    assert_ne!(machines["machines"][0]["environment_id"], machines["machines"][1]["environment_id"]);
    let machine = at(&machines, "machines/1/run_count,machines/1/suspect_because,machines/1/last_run_at");
    assert_eq!(machine, json!([3, null, "2026-11-21T10:02:20Z"]));
    let environment = json!({"stable": {"os.kernel": "6.2.0"}, "conditions": {"load.1min": "1.75"}});
    assert_eq!(machines["machines"][1]["environment"], environment);

    let answer = app.read("/api/v1/projects/libfoo/machines/lab-1/environments").await;
    let [last, first] = answer["environments"].as_array().unwrap().as_slice() else { panic!("{answer}") };
    assert_eq!(at(last, "run_count,stable"), json!([1, {"os.kernel": "6.2.0"}]));
    assert_eq!(last["first_run_at"], last["last_run_at"]);
    assert_eq!(at(first, "run_count,last_run_at"), json!([2, "2026-11-21T10:02:10Z"]));
    assert!(first["first_run_at"].as_str() < first["last_run_at"].as_str());
    let unknown = app.get("/api/v1/projects/libfoo/machines/nowhere/environments").await;
    unknown.assert_problem(404, "unknown-machine");
}

#[database_test]
async fn history_has_one_entry_per_day_whatever_the_order_of_uploads(app: TestApp) {
    const DAY: i64 = 86_400;
    for (day, commit) in [(1, 2), (0, 1), (1, 3)] {
        app.store(&run(DAY * day, commit, &[])).await;
    }
    let history = app.read("/api/v1/projects/libfoo/machines/lab-1/history").await;
    assert_eq!(at(&history, "days/*/day,run_count"), json!([["2026-11-21", 1], ["2026-11-22", 2]]));
}

/// A run that began after this many seconds, with these canary readings.
fn run(seconds: i64, commit: u64, canaries: &[(&str, Option<u64>)]) -> RunReport {
    let canary = |&(slug, p50_ns): &(&str, Option<u64>)| Canary {
        slug: factory::slug(slug),
        p50_ns,
        min_ns: p50_ns,
        count: p50_ns.map_or(0, |_| 50),
        unsupported: p50_ns.is_none().then(|| "there is one processor".into()),
    };
    let mut report = factory::nth(commit);
    (report.started_at, report.finished_at) = (factory::time(seconds), factory::time(seconds + 60));
    report.canaries = canaries.iter().map(canary).collect();
    report
}

#[database_test]
async fn lists_canaries_oldest_first(app: TestApp) {
    let path = "/api/v1/projects/libfoo/machines/lab-1/canaries";
    let (old, mut new) =
        (run(0, 5, &[("wake", Some(4_500)), ("cache-line", None)]), run(60, 3, &[("wake", Some(9_000))]));
    new.environment.stable.insert("os.kernel".into(), "6.99.0".into());
    app.store(&new).await;
    app.store(&old).await;
    let history = app.read(path).await;
    assert_eq!(history["machine"], "lab-1");
    let readings = history["readings"].as_array().unwrap();
    let runs = at(&history, "readings/*/run_id,commit_ordinal");
    assert_eq!(runs, json!([[old.run_id, 5], [new.run_id, 3]]));
    assert_eq!(readings[0]["p50_ns"], json!({"wake": 4_500}), "canaries without a reading are absent");
    assert_eq!(readings[1]["p50_ns"], json!({"wake": 9_000}));
    assert_eq!(readings[0]["started_at"], "2026-11-21T10:00:00Z");
    assert_ne!(readings[0]["environment_id"], readings[1]["environment_id"]);
    let newest = app.read(&format!("{path}?last=1")).await;
    assert_eq!(newest["readings"], json!([readings[1]]));
}

#[database_test]
async fn canaries_require_a_run_of_the_project(app: TestApp) {
    app.store(&factory::report()).await;
    app.store(&factory::on("a-mac", factory::of_project("libbar"))).await;
    let path = |project: &str, rest: &str| format!("/api/v1/projects/{project}/machines/{rest}");
    for (project, rest, code) in [
        ("libfoo", "a-mac/canaries", "unknown-machine"),
        ("libfoo", "nobody/canaries", "unknown-machine"),
        ("nothing", "lab-1/canaries", "unknown-project"),
    ] {
        app.get(&path(project, rest)).await.assert_problem(404, code);
    }
    for wrong in ["last=0", "last=1001", "last=many", "first=1"] {
        let answer = app.get(&path("libfoo", &format!("lab-1/canaries?{wrong}"))).await;
        answer.assert_problem(400, "invalid-parameter");
    }
    let both = app.read(&path("libbar", "a-mac/canaries?last=1000")).await;
    assert_eq!(both["readings"].as_array().unwrap().len(), 1);
}

#[database_test]
async fn history_has_the_state_and_the_detectable_change_of_each_day(app: TestApp) {
    const DAY: i64 = 86_400;
    let repetitions =
        |count: u32| (0..count).map(|index| factory::repetition(index, &[10_000 + u64::from(index)]));
    let wake_ns = [4_500, 4_510, 4_490, 4_500, 4_500, 4_520, 6_000];
    for (day, ns) in (0..).zip(wake_ns) {
        let mut report = run(DAY * day, 1 + day.unsigned_abs(), &[("wake", Some(ns))]);
        report.results = vec![factory::result("pipe", 64, repetitions(12).collect())];
        app.store(&report).await;
    }
    let mut updated = run(7 * DAY, 8, &[("wake", Some(4_500))]);
    updated.environment.stable.insert("os.kernel".into(), "6.99.0".into());
    updated.results = vec![factory::result("pipe", 64, repetitions(3).collect())];
    app.store(&updated).await;

    let path = "/api/v1/projects/libfoo/machines/lab-1/history";
    let history = app.read(path).await;
    let days = history["days"].as_array().unwrap();
    let few = json!(["unknown", "too few canary readings"]);
    assert_eq!(
        at(&history, "days/*/state,because"),
        json!([few, few, few, few, few, ["steady", null], ["drift", "canary wake +33 %"], few,])
    );
    assert_eq!(at(&days[0], "day,run_count"), json!(["2026-11-21", 1]));
    assert_ne!(days[6]["environment_id"], days[7]["environment_id"]);
    // Quiet repetitions: the threshold of 1 % decides. Three are too few.
    let detectable = days[6]["detectable_change"].as_f64().unwrap();
    assert!((0.01..0.02).contains(&detectable), "{history}");
    assert_eq!(days[7]["detectable_change"], json!(null));
    assert_eq!(
        history["transports"],
        json!([{"transport": "pipe", "case_count": 1, "detectable_change": null}])
    );

    // The machine caused changes at three commits.
    app.execute(
        "insert into change_point (series_id, environment_id, figure, commit_id, after_commit_id, until_commit_id,
                                   places, before_level, after_level, confidence, matters, cause, found_at)
         select series_id, run.environment_id, 'p50', commit_id, commit_id, commit_id,
                '[]', 1000, 1200, 0.99, true, 'machine', now()
         from series, run join commit using (commit_id) where commit.ordinal in (2, 3, 6)",
    )
    .await;
    let history = app.read(path).await;
    let suspect = "results shifted without a code change at 3 commits (last 50 runs)";
    assert_eq!(at(&history, "days/5/state,days/5/because"), json!(["suspect", suspect]));
    assert_eq!(at(&history, "days/1/state,days/2/state"), json!(["drift", "drift"]));
    app.get("/api/v1/projects/libfoo/machines/nowhere/history").await.assert_problem(404, "unknown-machine");
}
