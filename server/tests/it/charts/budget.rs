//! `/api/v1/charts/budget`.

use super::numbers;
use crate::support::{TestApp, at, factory};
use roundtrip_wire::{EndObservation, RunReport};
use serde_json::json;

/// A report at this commit with a round trip of 10 µs over a pipe, whose ends used this much processor time each.
fn report_of(commit: u64, cpu_ns: Option<u64>) -> RunReport {
    let mut repetition = factory::repetition(0, &[10_000]);
    (repetition.delivered, repetition.elapsed_ns) = (1, 10_000);
    let end = EndObservation {
        user_ns: cpu_ns,
        system_ns: cpu_ns.map(|ns| 2 * ns),
        ready_ns: Some(500),
        voluntary_switches: Some(1),
        ..EndObservation::default()
    };
    repetition.ends = vec![end; 2];
    (repetition.attempted, repetition.accepted) = (1, 1);
    factory::nth_with(commit, vec![factory::result("pipe", 64, vec![repetition])])
}

#[database_test]
async fn budget_divides_the_time_of_a_message(app: TestApp) {
    for (commit, cpu_ns) in [(2, Some(1_000)), (3, None), (4, Some(1_500))] {
        app.store(&report_of(commit, cpu_ns)).await;
    }
    let chart = app.read("/api/v1/charts/budget?series=1").await;
    let series = &chart["series"][0];
    // The second run lacks the processor time.
    assert_eq!(numbers(&series["commit_ordinals"]), [2, 4]);
    let parts = json!([
        at(series, "parts_ns/sender_user/mean"),
        at(series, "parts_ns/sender_kernel/mean"),
        at(series, "parts_ns/receiver_user/mean"),
        at(series, "parts_ns/receiver_kernel/mean"),
        at(series, "parts_ns/ready/mean"),
        at(series, "parts_ns/asleep/mean"),
        at(series, "parts_ns/overlap/q3"),
    ]);
    let expected = [
        [1_000.0, 1_500.0],
        [2_000.0, 3_000.0],
        [1_000.0, 1_500.0],
        [2_000.0, 3_000.0],
        [1_000.0, 1_000.0],
        [3_000.0, 0.0],
        [0.0, 0.0],
    ];
    assert_eq!(parts, json!(expected));
    assert_eq!(series["events"]["waits"]["q1"], json!([2.0, 2.0]));
    assert_eq!(series["events"]["page_faults"]["mean"], json!([null, null]));

    let newest = app.read("/api/v1/charts/budget?series=1&last=1").await;
    assert_eq!(newest["series"][0]["parts_ns"]["asleep"]["mean"], json!([0.0]));
    let refused = app.get("/api/v1/charts/budget?series=1,2&last=10001").await;
    refused.assert_problem(400, "invalid-parameter");
}
