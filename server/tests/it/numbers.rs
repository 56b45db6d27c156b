//! The numbers of a point, compared with a calculation that shares no code with the server.

use crate::support::{TestApp, at, factory};
use roundtrip_wire::RunId;
use serde_json::{Value, json};

/// The smallest value with at least `percent` of all values at or below it, by counting.
fn by_counting(values: &[u64], percent: f64) -> u64 {
    let mut candidates = values.to_vec();
    candidates.sort_unstable();
    let at_or_below = |candidate: u64| values.iter().filter(|&&value| value <= candidate).count() as f64;
    // With a small tolerance, because 99.9 % of 3,000 is not exact in binary.
    let wanted = percent / 100.0 * values.len() as f64 - 1e-6;
    candidates.into_iter().find(|&candidate| at_or_below(candidate) >= wanted).unwrap()
}

/// Irregular times, so that a wrong rule cannot match by accident.
fn times(seed: u64, count: usize) -> Vec<u64> {
    let mut state = seed;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state >> 33
    };
    (0..count).map(|_| 1_000 + next() % 50_000).collect()
}

async fn stored_point(app: &TestApp) -> Value {
    app.read("/api/v1/projects/libfoo/series").await["series"][0]["latest"].clone()
}

/// Asserts the numbers that are always exact.
fn assert_ends_and_sum(point: &Value, times: &[u64]) {
    let expected = json!([times.iter().min(), times.iter().max(), times.iter().sum::<u64>()]);
    assert_eq!(at(point, "latency_ns/min,latency_ns/max,sum_ns"), expected);
}

#[database_test]
async fn quantiles_use_nearest_rank(app: TestApp) {
    let repetitions: Vec<Vec<u64>> = (0..3).map(|seed| times(seed, 1_000)).collect();
    let stored = (0..).zip(&repetitions).map(|(index, times)| factory::repetition(index, times));
    app.store_results(vec![factory::result("pipe", 64, stored.collect())]).await;

    let all = repetitions.concat();
    let point = stored_point(&app).await;
    for (name, percent) in [
        ("p25", 25.0),
        ("p50", 50.0),
        ("p75", 75.0),
        ("p90", 90.0),
        ("p98", 98.0),
        ("p99", 99.0),
        ("p999", 99.9),
    ] {
        assert_eq!(point["latency_ns"][name], by_counting(&all, percent), "{name}");
    }
    assert_eq!(point["count"], 3_000);
    assert_ends_and_sum(&point, &all);

    let mut medians: Vec<u64> = repetitions.iter().map(|times| by_counting(times, 50.0)).collect();
    medians.sort_unstable();
    assert_eq!(at(&point["repetition_p50_ns"], "q1,median,q3"), json!(medians));
}

#[database_test]
async fn histogram_quantiles_are_within_a_thousandth(app: TestApp) {
    let times = times(9, 12_000);
    let repetition = factory::repetition(0, &times);
    assert!(repetition.samples.is_none());
    app.store_results(vec![factory::result("pipe", 64, vec![repetition])]).await;

    let point = stored_point(&app).await;
    for (name, percent) in [("p50", 50.0), ("p98", 98.0), ("p999", 99.9)] {
        let (stored, exact) =
            (point["latency_ns"][name].as_f64().unwrap(), by_counting(&times, percent) as f64);
        assert!((stored - exact).abs() <= exact / 1_000.0, "{name}: {stored}, exactly {exact}");
    }
    assert_ends_and_sum(&point, &times);
}

#[database_test]
async fn sums_counts_and_marks_loss(app: TestApp) {
    let mut report = factory::report();
    let result = &mut report.results[0];
    result.repetitions[0].disturbed = vec!["cpu 1 was shared".into()];
    result.repetitions[1].delivered = 2;
    result.failures = vec![factory::failure(2, "responder: killed by signal 9")];
    app.store(&report).await;

    let point = stored_point(&app).await;
    let counts = "repetition_count,failure_count,disturbed_count,attempted,accepted,delivered,lossy";
    assert_eq!(at(&point, counts), json!([2, 1, 1, 6, 6, 5, true]));
}

#[database_test]
async fn only_streams_have_a_rate_of_delivered_bytes(app: TestApp) {
    let mut report = factory::report();
    app.store(&report).await;
    assert_eq!(stored_point(&app).await["bytes_per_second"], Value::Null);

    report = factory::report();
    let result = &mut report.results[0];
    result.case.scenario = factory::slug("stream");
    result.case.total_bytes = Some(640);
    for repetition in &mut result.repetitions {
        (repetition.attempted, repetition.accepted, repetition.delivered) = (40, 40, 30);
        repetition.elapsed_ns = 3_000;
    }
    app.store(&report).await;
    let series = app.read("/api/v1/projects/libfoo/series?scenario=stream").await;
    // 2 x 30 messages of 64 bytes in 2 x 3 us.
    assert_eq!(series["series"][0]["latest"]["bytes_per_second"], 640_000_000);
    // So does its line, if requested.
    for (asked, expected) in [("true", json!([[640_000_000], null])), ("false", json!([null, null]))] {
        let chart = app.read(&format!("/api/v1/charts/line?series=2,1&rate={asked}")).await;
        assert_eq!(at(&chart, "series/0/bytes_per_second,series/1/bytes_per_second"), expected);
    }
    // A size profile names the largest message. Counting every message as that large would overstate the rate.
    report.run_id = RunId::draw();
    let case = &mut report.results[0].case;
    (case.total_bytes, case.size_profile) = (None, Some(factory::slug("chromium-ipc")));
    app.store(&report).await;
    let series = app.read("/api/v1/series/3").await;
    assert_eq!(at(&series, "case/size_profile,latest/bytes_per_second"), json!(["chromium-ipc", null]));
}
