//! Change points of series: from uploads to `/api/v1/charts/changes`.

mod comments;
mod imported;
mod kinds;
mod playground;
pub(crate) mod regressions;
mod searches;
mod suspicions;
pub(crate) mod tail;

use crate::support::{TestApp, factory};
use roundtrip_domain::analysis::Searched;
use roundtrip_wire::{Repetition, RunReport};
use serde_json::Value;
use std::collections::BTreeMap;

/// Three repetitions of about this time, with reproducible noise of a few per mille.
pub(crate) fn noisy(commit: u64, ns: u64) -> Vec<Repetition> {
    let noise = commit * 7 % 5;
    let times =
        |shift: u64| -> Vec<u64> { (0..20).map(|nth| ns + ns * (noise + shift + nth % 3) / 1_000).collect() };
    (0..3).map(|index| factory::repetition(index, &times(index.into()))).collect()
}

/// A report of a commit whose case takes about this many nanoseconds.
fn report(commit: u64, ns: u64) -> RunReport {
    factory::nth_with(commit, vec![factory::result("pipe", 64, noisy(commit, ns))])
}

async fn upload(app: &TestApp, commits: impl IntoIterator<Item = u64>, ns: u64) {
    for commit in commits {
        app.store(&report(commit, ns)).await;
    }
}

/// Forty commits, of which the last ten are slower.
async fn upload_step(app: &TestApp) {
    upload(app, 1..=30, 1_000).await;
    upload(app, 31..=40, 1_200).await;
}

async fn search(app: &TestApp) -> Searched {
    app.state.analyst().search().await.unwrap()
}

/// The changes of p50 of the first series.
async fn changes(app: &TestApp) -> Vec<Value> {
    let all = app.read("/api/v1/charts/changes?series=1").await;
    let all = all["change_points"].as_array().unwrap();
    all.iter().filter(|change| change["figure"] == "p50").cloned().collect()
}

fn places(changes: &[Value]) -> Vec<(i64, i64, i64)> {
    let ordinal = |change: &Value, name: &str| change[format!("{name}commit_ordinal")].as_i64().unwrap();
    let place = |change| (ordinal(change, "after_"), ordinal(change, ""), ordinal(change, "until_"));
    changes.iter().map(place).collect()
}

#[database_test]
async fn finds_a_step_with_levels_and_commits(app: TestApp) {
    upload_step(&app).await;
    assert_eq!(search(&app).await.run_count, 40);
    let changes = changes(&app).await;
    assert_eq!(places(&changes), [(30, 31, 31)]);
    let change = &changes[0];
    assert_eq!((&change["direction"], &change["matters"]), (&"regressed".into(), &true.into()));
    assert_eq!(change["commit_sha"], factory::sha(31).as_str());
    let number = |name: &str| change[name].as_f64().unwrap();
    assert!(
        (number("before_level") - 1_003.0).abs() < 5.0 && (number("after_level") - 1_204.0).abs() < 5.0,
        "{change}"
    );
    assert!((number("change") - 0.2).abs() < 0.01 && number("confidence") > 0.999_99, "{change}");
}

/// Twelve commits, then five that take 20 % longer, with noise of 10 %.
async fn upload_short_history(app: &TestApp, machine: &str, seed: u64) {
    for commit in 1..=17 {
        let level_ns = if commit <= 12 { 100_000 } else { 120_000 };
        let noise = (commit * commit * 37 + seed) % 101;
        app.store(&factory::on(machine, report(commit, level_ns + level_ns * noise / 1_000))).await;
    }
}

/// The changes of p50 of three machines, as series and commit.
async fn found_on_machines(app: &TestApp) -> Vec<(i64, i64)> {
    let all = app.read("/api/v1/charts/changes?series=1,2,3").await;
    let changes = all["change_points"].as_array().unwrap().iter().filter(|change| change["figure"] == "p50");
    changes
        .map(|change| ["series_id", "commit_ordinal"].map(|name| change[name].as_i64().unwrap()).into())
        .collect()
}

#[database_test]
async fn other_machines_confirm_a_change_early(app: TestApp) {
    upload_short_history(&app, "lab-1", 0).await;
    upload_short_history(&app, "lab-2", 61).await;
    // Two machines are not enough yet.
    assert_eq!(search(&app).await.change_count, 0);
    upload_short_history(&app, "lab-3", 122).await;
    search(&app).await;
    // The others wait for their next run.
    assert_eq!(found_on_machines(&app).await, [(3, 13)]);
    for machine in ["lab-1", "lab-2"] {
        app.store(&factory::on(machine, report(18, 123_000))).await;
    }
    search(&app).await;
    assert_eq!(found_on_machines(&app).await, [(1, 13), (2, 13), (3, 13)]);
}

#[database_test]
async fn searches_each_upload_once(app: TestApp) {
    let mut found_count = 0;
    for commit in 1..=60 {
        app.store(&report(commit, if commit <= 30 { 1_000 } else { 1_200 })).await;
        let searched = search(&app).await;
        assert_eq!(searched.run_count, 1);
        found_count += searched.change_count;
        assert_eq!(search(&app).await, Searched::default());
    }
    // p50 and p99; the tail stays the same.
    assert_eq!(found_count, 2);
    assert_eq!(places(&changes(&app).await), [(30, 31, 31)]);
}

#[database_test]
async fn late_runs_narrow_the_change(app: TestApp) {
    // Every tenth commit, then the ones in between.
    upload(&app, (1..=30).map(|nth| 10 * nth), 1_000).await;
    upload(&app, (31..=42).map(|nth| 10 * nth), 1_200).await;
    search(&app).await;
    let before = changes(&app).await;
    assert_eq!(places(&before), [(300, 310, 310)]);
    upload(&app, [305], 1_200).await;
    search(&app).await;
    upload(&app, [302], 1_000).await;
    search(&app).await;
    let after = changes(&app).await;
    assert_eq!(places(&after), [(302, 305, 305)]);
    assert_eq!(after[0]["change_point_id"], before[0]["change_point_id"]);
    assert_eq!(after[0]["found_at"], before[0]["found_at"]);
}

#[database_test]
async fn late_runs_can_withdraw_a_change(app: TestApp) {
    upload(&app, (1..=20).map(|nth| 10 * nth), 1_000).await;
    upload(&app, (21..=28).map(|nth| 10 * nth), 1_200).await;
    search(&app).await;
    assert_eq!(places(&changes(&app).await).len(), 1);
    // 1,200 as often as 1,000 throughout: two modes, no step.
    upload(&app, (1..=28).flat_map(|nth| [10 * nth - 6, 10 * nth - 2]), 1_200).await;
    upload(&app, (1..=28).flat_map(|nth| [10 * nth - 8, 10 * nth - 4]), 1_000).await;
    search(&app).await;
    assert_eq!(places(&changes(&app).await), []);
}

#[database_test]
async fn new_environment_is_not_a_change(app: TestApp) {
    upload(&app, 1..=30, 1_000).await;
    for commit in 31..=50 {
        let mut report = report(commit, 1_500);
        report.environment.stable = BTreeMap::from([("os.kernel".into(), "6.2.0".into())]);
        app.store(&report).await;
    }
    search(&app).await;
    assert_eq!(places(&changes(&app).await), []);
    // Back in the first environment, its earlier points are used.
    upload(&app, 51..=60, 1_100).await;
    search(&app).await;
    assert_eq!(places(&changes(&app).await), [(30, 51, 51)]);
}

#[database_test]
async fn only_clean_default_branch_runs_make_changes(app: TestApp) {
    let mut first = report(1, 1_000);
    first.default_branch = Some("main".into());
    app.store(&first).await;
    upload(&app, 2..=30, 1_000).await;
    for commit in 31..=60 {
        let mut report = report(commit, 1_500);
        match commit % 3 {
            0 => report.pull_request = Some(7),
            1 => report.branch = Some("try".into()),
            _ => report.work_tree_modified = true,
        }
        app.store(&report).await;
    }
    search(&app).await;
    assert_eq!(places(&changes(&app).await), []);
}

#[database_test]
async fn two_servers_search_each_upload_once(app: TestApp) {
    let other = app.another();
    upload_step(&app).await;
    let (one, two) = tokio::join!(search(&app), search(&other));
    assert_eq!(one.run_count + two.run_count, 40);
    assert_eq!(places(&changes(&app).await), [(30, 31, 31)]);
}

#[database_test]
async fn deletes_a_project_with_changes(app: TestApp) {
    upload_step(&app).await;
    search(&app).await;
    upload(&app, [41], 1_200).await;
    let admin = app.account("root", true).await;
    let answer = app.send("DELETE", "/api/v1/projects/libfoo", &admin, None).await;
    assert_eq!(answer.status, 204, "{answer:?}");
    let counts = app.row_counts().await;
    for table in ["analysis_due", "change_point", "regression", "series"] {
        assert_eq!(counts[table], 0, "{table}");
    }
    assert_eq!(search(&app).await, Searched::default());
}
