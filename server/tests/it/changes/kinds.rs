//! Drift, known states of a machine, and the smallest change that a project reports.

use super::regressions::{list, ring, run, with_history};
use super::{changes, places, report, search, upload, upload_step};
use crate::support::{TestApp, at, factory};
use roundtrip_storage::access::Role;
use roundtrip_wire::RunReport;
use serde_json::{Value, json};

/// The commits of a level in [`creeping_ns`].
const LEVEL: u64 = 25;

/// Six steps of 0.9 %, each too small to be reported.
fn creeping_ns(nth: u64) -> u64 {
    let steps = ((nth - 1) / LEVEL).min(6);
    (0..steps).fold(100_000, |ns, _| ns * 1_009 / 1_000)
}

async fn jobs(app: &TestApp) -> Vec<Value> {
    app.read("/api/v1/projects/libfoo/jobs?done=false").await["jobs"].as_array().unwrap().clone()
}

#[database_test]
async fn small_steps_that_add_up_are_one_drift_without_a_culprit(app: TestApp) {
    // Nine of ten commits are unmeasured.
    for nth in 1..=7 * LEVEL {
        app.store(&with_history(10, ring("lab-1", 10 * nth, creeping_ns(nth)))).await;
        if nth % 5 == 0 {
            search(&app).await;
        }
        if nth == 3 * LEVEL {
            // A drift can be longer than points are kept.
            app.execute(&format!("delete from point where commit_ordinal <= {}", 10 * LEVEL)).await;
        }
    }
    search(&app).await;
    let all = changes(&app).await;
    let kinds = at(&json!(all), "*/kind,matters,cause");
    let small = json!(["step", false, null]);
    assert_eq!(kinds, json!([small, small, small, small, small, ["drift", true, "commit"]]));
    let last = 10 * 6 * LEVEL + 10;
    assert_eq!(at(&all[5], "after_commit_ordinal,commit_ordinal,places"), json!([10 * LEVEL, last, []]));

    let regressions = list(&app, "").await;
    let [drift] = &regressions[..] else { panic!("{regressions:?}") };
    let summary = at(drift, "kind,direction,state,cause,series_count");
    assert_eq!(summary, json!(["drift", "regressed", "new", "commit", 1]));
    assert_eq!(at(drift, "after_commit/ordinal,until_commit/ordinal"), json!([10 * LEVEL, last]));
    assert!((drift["worst_change"].as_f64().unwrap() - 0.055).abs() < 0.003, "{drift}");
    let path = format!("/api/v1/projects/libfoo/regressions/{}", drift["regression_id"]);
    let detail = app.read(&path).await;
    assert_eq!(at(&detail, "regression/kind,culprits"), json!(["drift", []]));
    assert_eq!(jobs(&app).await, [] as [Value; 0]);

    // A step back to the first level fixes it.
    for nth in 1..=LEVEL {
        app.store(&with_history(10, ring("lab-1", 10 * (7 * LEVEL + nth), 100_000))).await;
    }
    search(&app).await;
    let fixed = json!(list(&app, "").await);
    assert_eq!(
        at(&fixed, "*/kind,state,fixed_by_commit/ordinal"),
        json!([["drift", "fixed", 10 * 7 * LEVEL + 10]])
    );
}

#[database_test]
async fn drifts_and_steps_are_different_regressions(app: TestApp) {
    for nth in 1..=7 * LEVEL {
        let step_ns = if nth <= 90 { 50_000 } else { 60_000 };
        let series = [("ring", creeping_ns(nth)), ("shm", 2 * creeping_ns(nth)), ("queue", step_ns)];
        app.store(&with_history(10, run("lab-1", 10 * nth, &series, 700))).await;
    }
    search(&app).await;
    let regressions = list(&app, "").await;
    let mut kinds: Vec<Value> = regressions.iter().map(|one| at(one, "kind,series_count")).collect();
    kinds.sort_by_key(ToString::to_string);
    assert_eq!(kinds, [json!(["drift", 2]), json!(["step", 1])]);
    let step = regressions.iter().find(|one| one["kind"] == "step").unwrap();
    let jobs = jobs(&app).await;
    assert!(
        !jobs.is_empty() && jobs.iter().all(|job| job["regression_id"] == step["regression_id"]),
        "{jobs:?}"
    );
}

/// Levels of 20 commits each: times of the series and, if there is one, of the canary.
async fn measure_levels(app: &TestApp, levels: &[(u64, Option<u64>)]) {
    for commit in 1..=20 * levels.len() {
        let (ns, canary_ns) = levels[(commit - 1) / 20];
        let number = u64::try_from(commit).unwrap();
        let mut report = run("lab-1", number, &[("ring", ns)], canary_ns.unwrap_or(0));
        if canary_ns.is_none() {
            report.canaries.clear();
        }
        app.store(&report).await;
        if commit % 7 == 0 {
            search(app).await;
        }
    }
    search(app).await;
}

/// Ten visits to two states, with these times of the canary.
async fn switch_states(app: &TestApp, [one, other]: [Option<u64>; 2]) {
    measure_levels(app, &[(10_000, one), (14_000, other)].repeat(5)).await;
}

/// The kinds of the changes, and the ordinals of the regressions' last commits with their states.
async fn kinds_and_regressions(app: &TestApp) -> (Vec<Value>, Value) {
    let kinds = changes(app).await.iter().map(|change| at(change, "kind,cause")).collect();
    let mut regressions = list(app, "?quiet=true").await;
    regressions.reverse();
    (kinds, at(&json!(regressions), "*/until_commit/ordinal,state,kind"))
}

/// The first three changes are steps, the others known states.
fn kinds(cause: &str) -> Vec<Value> {
    (0..9).map(|nth| json!([if nth < 3 { "step" } else { "known_state" }, cause])).collect()
}

#[database_test]
async fn known_states_without_a_known_cause_send_no_alert(app: TestApp) {
    switch_states(&app, [None, None]).await;
    let (found, regressions) = kinds_and_regressions(&app).await;
    assert_eq!(found, kinds("unknown"));
    // The fourth change is back to the level before the third.
    assert_eq!(regressions, json!([[21, "fixed", "step"], [61, "fixed", "step"]]));
    let machines = app.read("/api/v1/projects/libfoo/machines").await;
    // Commits 161 and 181 are among the newest 50 runs.
    assert_eq!(machines["machines"][0]["known_state_changes"], 2);
}

#[database_test]
async fn known_states_of_the_machine_send_no_alert(app: TestApp) {
    switch_states(&app, [Some(700), Some(980)]).await;
    let (found, regressions) = kinds_and_regressions(&app).await;
    assert_eq!(found, kinds("machine"));
    assert_eq!(regressions, json!([[21, "fixed", "step"], [61, "fixed", "step"]]));
}

#[database_test]
async fn known_states_by_a_commit_are_regressions(app: TestApp) {
    switch_states(&app, [Some(700), Some(700)]).await;
    let (found, regressions) = kinds_and_regressions(&app).await;
    assert_eq!(found, kinds("commit"));
    let fixed = |until: u64| json!([until, "fixed", "step"]);
    assert_eq!(regressions, json!([fixed(21), fixed(61), fixed(101), fixed(141), [181, "new", "step"]]));
    assert_eq!(app.read("/api/v1/projects/libfoo/machines").await["machines"][0]["known_state_changes"], 0);
}

#[database_test]
async fn a_regression_is_fixed_in_spite_of_known_states_since(app: TestApp) {
    // Two states, then a regression of 4 % in both, then the fix.
    let levels = [10_000, 14_000, 10_000, 14_000, 10_000, 10_400, 14_560, 10_400, 10_000];
    measure_levels(&app, &levels.map(|ns| (ns, None))).await;
    let (found, regressions) = kinds_and_regressions(&app).await;
    let found_kinds = at(&json!(found), "*/0");
    let known = "known_state";
    assert_eq!(found_kinds, json!(["step", "step", "step", known, "step", known, known, known]));
    assert_eq!(regressions, json!([[21, "fixed", "step"], [61, "fixed", "step"], [101, "fixed", "step"]]));
}

async fn set_least_change(app: &TestApp, least_change: Value) {
    let maintainer = app.member("mary", "libfoo", Role::Maintainer).await;
    let change = json!({ "least_change": least_change });
    let answer = app.send("PATCH", "/api/v1/projects/libfoo", &maintainer, Some(change)).await;
    assert_eq!(answer.status, 200, "{answer:?}");
}

#[database_test]
async fn a_project_sets_the_smallest_reported_change(app: TestApp) {
    app.store(&report(1, 1_000)).await;
    set_least_change(&app, json!(0.3)).await;
    upload_step(&app).await;
    // Another project of the same machine has the default.
    for commit in 1..=40 {
        let report = report(commit, if commit <= 30 { 1_000 } else { 1_200 });
        app.store(&RunReport { project: factory::slug("another"), ..report }).await;
    }
    search(&app).await;
    let all = changes(&app).await;
    assert_eq!((places(&all), &all[0]["matters"]), (vec![(30, 31, 31)], &json!(false)));
    assert_eq!(at(&all[0], "kind,cause,regression_id"), json!(["step", null, null]));
    assert_eq!(list(&app, "").await, [] as [Value; 0]);
    let others = app.read("/api/v1/projects/another/regressions").await;
    assert_eq!(others["regressions"].as_array().unwrap().len(), 1);
    let trial = app.read("/api/v1/series/1/playground").await;
    assert_eq!(
        at(&trial, "shipped/least,change_points/0/matters,change_points/0/kind"),
        json!([0.3, false, "step"])
    );
}

#[database_test]
async fn a_lower_threshold_reports_new_small_changes(app: TestApp) {
    upload(&app, 1..=40, 100_000).await;
    upload(&app, 41..=60, 100_800).await;
    search(&app).await;
    set_least_change(&app, json!(0.005)).await;
    upload(&app, 61..=80, 101_600).await;
    search(&app).await;
    // Earlier changes keep their results.
    let all = json!(changes(&app).await);
    assert_eq!(at(&all, "*/commit_ordinal,matters"), json!([[41, false], [61, true]]));
}
