//! Changes of the tail, p99 / p50: stored and returned, without regressions.

use super::regressions::list;
use super::{search, upload_step};
use crate::support::{TestApp, at, factory};
use roundtrip_wire::{Repetition, RunReport};
use serde_json::{Value, json};

/// Three repetitions, of which one in ten operations takes this many thousandths of the others' time.
pub(crate) fn tailed(ns: u64, permille: u64) -> Vec<Repetition> {
    let times: Vec<u64> = (0..20).map(|nth| if nth < 18 { ns } else { ns * permille / 1_000 }).collect();
    (0..3).map(|index| factory::repetition(index, &times)).collect()
}

fn report(commit: u64, ns: u64, permille: u64) -> RunReport {
    let noise = commit * 7 % 5 * 10;
    factory::nth_with(commit, vec![factory::result("pipe", 64, tailed(ns, permille + noise))])
}

/// A report of a machine so uneven, by a factor of four, that no step of 33 % is found in its times.
pub(crate) fn uneven(commit: u64, permille: u64) -> RunReport {
    report(commit, 1_000 + commit * 7_919 % 3_001, permille)
}

async fn all_changes(app: &TestApp) -> Value {
    app.read("/api/v1/charts/changes?series=1").await["change_points"].clone()
}

#[database_test]
async fn a_change_of_the_tail_alone_is_stored_without_cause_and_regression(app: TestApp) {
    for commit in 1..=48 {
        app.store(&uneven(commit, if commit <= 30 { 1_500 } else { 2_000 })).await;
    }
    search(&app).await;
    let changes = all_changes(&app).await;
    let summary = at(&changes, "*/figure,kind,matters,direction,cause,regression_id");
    assert_eq!(summary, json!([["tail", "step", true, "regressed", null, null]]));
    assert_eq!(at(&changes[0], "after_commit_ordinal,commit_ordinal"), json!([30, 31]));
    let number = |name: &str| changes[0][name].as_f64().unwrap();
    assert!((number("before_level") - 1.52).abs() < 0.02, "{changes}");
    assert!((number("after_level") - 2.02).abs() < 0.02, "{changes}");
    assert!((number("change") - 0.33).abs() < 0.02, "{changes}");
    assert_eq!(list(&app, "?quiet=true").await, [] as [Value; 0]);
    // Searching again finds the same change.
    app.store(&uneven(49, 2_000)).await;
    assert_eq!(search(&app).await.change_count, 0);
    let trial = app.read("/api/v1/series/1/playground?figure=tail").await;
    assert_eq!(trial["shipped"]["least"], 0.1);
    assert_eq!(at(&trial["change_points"], "*/commit_ordinal,matters"), json!([[31, true]]));
    assert!((trial["values"][0].as_f64().unwrap() - 1.52).abs() < 0.001, "{}", trial["values"]);
}

#[database_test]
async fn a_slower_p99_is_one_regression_that_its_own_return_fixes(app: TestApp) {
    for commit in 1..=40 {
        app.store(&report(commit, 100_000 + commit % 3, if commit <= 30 { 1_500 } else { 2_250 })).await;
    }
    search(&app).await;
    let changes = all_changes(&app).await;
    let mut found: Vec<Value> =
        changes.as_array().unwrap().iter().map(|change| at(change, "figure,commit_ordinal")).collect();
    found.sort_by_key(ToString::to_string);
    assert_eq!(found, [json!(["p99", 31]), json!(["tail", 31])]);
    let regressions = list(&app, "").await;
    let [regression] = &regressions[..] else { panic!("{regressions:?}") };
    assert_eq!(at(regression, "direction,series_count"), json!(["regressed", 1]));
    let path = format!("/api/v1/projects/libfoo/regressions/{}", regression["regression_id"]);
    assert_eq!(at(&app.read(&path).await, "change_points/*/figure"), json!(["p99"]));

    for commit in 41..=60 {
        app.store(&report(commit, 100_000 + commit % 3, 1_500)).await;
    }
    search(&app).await;
    assert_eq!(at(&json!(list(&app, "").await), "*/state,fixed_by_commit/ordinal"), json!([["fixed", 41]]));
}

#[database_test]
async fn a_step_of_all_operations_is_no_change_of_the_tail(app: TestApp) {
    upload_step(&app).await;
    search(&app).await;
    let changes = all_changes(&app).await;
    assert_eq!(at(&changes, "*/figure").as_array().unwrap().len(), 2, "{changes}");
    assert!(!changes.to_string().contains("tail"), "{changes}");
}

#[database_test]
async fn known_states_of_the_tail_do_not_count_for_the_machine(app: TestApp) {
    for commit in 1..=180 {
        let permille = if (commit - 1) / 20 % 2 == 0 { 1_500 } else { 2_200 };
        app.store(&uneven(commit, permille)).await;
    }
    search(&app).await;
    let kinds = at(&all_changes(&app).await, "*/figure,kind").to_string();
    assert!(kinds.contains(r#"["tail","known_state"]"#), "{kinds}");
    let machines = app.read("/api/v1/projects/libfoo/machines").await;
    assert_eq!(machines["machines"][0]["known_state_changes"], 0);
}
