//! The numbers of a point, compared with a calculation that shares no code with the server.

use crate::support::{TestApp, at, factory};
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

#[database_test]
async fn quantiles_use_nearest_rank(app: TestApp) {
    let repetitions: Vec<Vec<u64>> = (0..3).map(|seed| times(seed, 1_000)).collect();
    let mut report = factory::report();
    report.results[0].repetitions =
        (0..).zip(&repetitions).map(|(index, times)| factory::repetition(index, times)).collect();
    app.store(&report).await;

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
    assert_eq!(point["latency_ns"]["min"], *all.iter().min().unwrap());
    assert_eq!(point["latency_ns"]["max"], *all.iter().max().unwrap());
    assert_eq!(point["count"], 3_000);
    assert_eq!(point["sum_ns"], all.iter().sum::<u64>());

    let mut medians: Vec<u64> = repetitions.iter().map(|times| by_counting(times, 50.0)).collect();
    medians.sort_unstable();
    assert_eq!(point["repetition_p50_ns"]["q1"], medians[0]);
    assert_eq!(point["repetition_p50_ns"]["median"], medians[1]);
    assert_eq!(point["repetition_p50_ns"]["q3"], medians[2]);
}

#[database_test]
async fn histogram_quantiles_are_within_a_thousandth(app: TestApp) {
    let times = times(9, 12_000);
    let mut report = factory::report();
    report.results[0].repetitions = vec![factory::repetition(0, &times)];
    assert!(report.results[0].repetitions[0].samples.is_none());
    app.store(&report).await;

    let point = stored_point(&app).await;
    for (name, percent) in [("p50", 50.0), ("p98", 98.0), ("p999", 99.9)] {
        let (stored, exact) =
            (point["latency_ns"][name].as_f64().unwrap(), by_counting(&times, percent) as f64);
        assert!((stored - exact).abs() <= exact / 1_000.0, "{name}: {stored}, exactly {exact}");
    }
    assert_eq!(point["latency_ns"]["min"], *times.iter().min().unwrap());
    assert_eq!(point["latency_ns"]["max"], *times.iter().max().unwrap());
    assert_eq!(point["sum_ns"], times.iter().sum::<u64>());
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
    assert_eq!(point["repetition_count"], 2);
    assert_eq!(point["failure_count"], 1);
    assert_eq!(point["disturbed_count"], 1);
    assert_eq!(at(&point, "attempted,accepted,delivered"), json!([6, 6, 5]));
    assert_eq!(point["lossy"], true);
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
        assert_eq!(
            json!([chart["series"][0]["bytes_per_second"], chart["series"][1]["bytes_per_second"]]),
            expected
        );
    }
}

#[database_test]
async fn stream_with_a_size_profile_has_no_rate(app: TestApp) {
    let mut report = factory::report();
    let case = &mut report.results[0].case;
    case.scenario = factory::slug("stream");
    // The largest message. Counting every message as that large would overstate the rate.
    case.size_profile = Some(factory::slug("chromium-ipc"));
    app.store(&report).await;
    assert_eq!(stored_point(&app).await["bytes_per_second"], Value::Null);
}
