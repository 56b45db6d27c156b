//! Crossovers of `/api/v1/projects/{project}/charts/sweep`.

use crate::support::TestApp;
use crate::support::factory::{self, nth_with};
use roundtrip_wire::CaseResult;
use serde_json::{Value, json};

/// No crossovers.
const NONE: [Value; 0] = [];

const ASK: &str = "/api/v1/projects/libfoo/charts/sweep?machine=lab-1&scenario=roundtrip";

/// Times of a transport that copies, and of one that maps, which is faster from a few KiB on.
fn results(change: impl Fn(&mut CaseResult)) -> Vec<CaseResult> {
    let sizes = [(64, 5_000), (1_024, 5_500), (16_384, 20_000), (262_144, 300_000)];
    let copied = sizes.map(|(bytes, ns)| factory::steady("pipe", bytes, ns));
    let mut mapped = sizes.map(|(bytes, _)| factory::steady("memfd", bytes, 14_000));
    mapped.iter_mut().for_each(change);
    copied.into_iter().chain(mapped).collect()
}

async fn crossovers(app: &TestApp, query: &str) -> Vec<Value> {
    let chart = app.read(&format!("{ASK}&{query}")).await;
    assert_eq!(chart["lines"].as_array().unwrap().len(), 2, "{chart}");
    chart["crossovers"].as_array().unwrap().clone()
}

#[database_test]
async fn sweep_reports_crossovers_with_intervals(app: TestApp) {
    app.store(&nth_with(1, results(|_| ()))).await;
    let chart = app.read(&format!("{ASK}&over=message_bytes")).await;
    let place = |slug: &str| {
        let lines = chart["lines"].as_array().unwrap();
        json!(lines.iter().position(|line| line["transport"]["slug"] == slug).unwrap())
    };
    let found = chart["crossovers"].as_array().unwrap();
    assert_eq!(found.len(), 1);
    assert_eq!((&found[0]["below"], &found[0]["above"]), (&place("pipe"), &place("memfd")));
    let [from, x, to] = ["from", "x", "to"].map(|name| found[0][name].as_u64().unwrap());
    // On logarithmic axes, ln(14 / 5.5) / ln(20 / 5.5) of the way from 1 to 16 KiB.
    assert_eq!(x, 7_616);
    assert!(7_000 < from && from < x && x < to && to < 8_200, "{from} {to}");
}

#[database_test]
async fn incomparable_lines_have_no_crossover(app: TestApp) {
    // Each is stored with a later commit, so it is the newest of its series.
    let kept = nth_with(1, results(|_| ()));
    app.store(&kept).await;
    assert_eq!(crossovers(&app, "over=message_bytes").await.len(), 1);

    let mut elsewhere = nth_with(2, results(|_| ()));
    elsewhere.results.retain(|result| result.transport.slug.as_str() == "memfd");
    elsewhere.environment.stable.insert("os.kernel".into(), "6.99.0".into());
    app.store(&elsewhere).await;
    assert_eq!(crossovers(&app, "over=message_bytes").await, NONE, "another environment");
    let of_the_first = format!("over=message_bytes&commit={}", factory::sha(1));
    assert_eq!(crossovers(&app, &of_the_first).await.len(), 1);

    app.store(&nth_with(3, results(|result| result.repetitions[0].delivered -= 1))).await;
    assert_eq!(crossovers(&app, "over=message_bytes").await, NONE, "loss");

    app.store(&nth_with(4, results(|result| result.oversubscribed = true))).await;
    assert_eq!(crossovers(&app, "over=message_bytes").await, NONE, "more threads than processors");
}

#[database_test]
async fn different_work_has_no_crossover(app: TestApp) {
    for (commit, change, expected) in [
        (1, (|result| result.methodology.receive = factory::slug("spin")) as fn(&mut CaseResult), 1),
        (2, |result| result.case.placement = factory::slug("free"), 0),
        (3, |result| result.case.mode = factory::slug("2thread"), 0),
        (4, |result| result.methodology.window = 256, 0),
        (5, |result| result.methodology.probe = Some(factory::slug("syscalls")), 0),
    ] {
        app.store(&nth_with(commit, results(change))).await;
        let query = format!("over=message_bytes&commit={}", factory::sha(commit));
        assert_eq!(crossovers(&app, &query).await.len(), expected, "{commit}");
    }
}

#[database_test]
async fn only_sizes_have_crossovers(app: TestApp) {
    let of = |transport: &str, peers: u32, time_ns: u64| {
        let mut result = factory::steady(transport, 64, time_ns);
        result.case.peers = peers;
        result.repetitions.iter_mut().for_each(|repetition| repetition.delivered *= u64::from(peers));
        result
    };
    let results = vec![of("ring", 1, 10), of("ring", 8, 90), of("fifo", 1, 20), of("fifo", 8, 30)];
    app.store(&nth_with(1, results)).await;
    assert_eq!(crossovers(&app, "over=peers").await, NONE);
}
