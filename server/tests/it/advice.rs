//! `/api/v1/projects/{project}/advice`: costs of messages, estimated from stored results.

use crate::support::{TestApp, at, factory, texts};
use roundtrip_wire::{CaseResult, EndObservation};
use serde_json::{Value, json};

const ASK: &str = "/api/v1/projects/libfoo/advice";

/// Ten repetitions within 2 % of a time. A message takes 7 µs of two processors, and each end sleeps once.
fn result(transport: &str, message_bytes: u64, time_ns: u64) -> CaseResult {
    let end = EndObservation {
        user_ns: Some(2_000),
        system_ns: Some(1_500),
        voluntary_switches: Some(1),
        ..EndObservation::default()
    };
    let mut result = factory::steady(transport, message_bytes, time_ns);
    result.repetitions.iter_mut().for_each(|repetition| repetition.ends = vec![end.clone(), end.clone()]);
    result
}

/// A transport that copies and one that maps.
fn results() -> Vec<CaseResult> {
    let sizes = [(64, 5_000), (1_024, 6_000), (16_384, 20_000), (262_144, 300_000)];
    let copied = sizes.map(|(bytes, ns)| result("pipe", bytes, ns));
    let mapped = sizes.map(|(bytes, _)| result("memfd", bytes, 14_000));
    copied.into_iter().chain(mapped).collect()
}

async fn advice(app: &TestApp, query: &str) -> Value {
    app.read(&format!("{ASK}?{query}")).await
}

fn near(value: &Value, expected: f64) -> bool {
    value.as_f64().is_some_and(|value| (value / expected - 1.0).abs() < 0.02)
}

#[database_test]
async fn ranks_transports_with_sensitivity(app: TestApp) {
    app.store_results(results()).await;
    let advice = advice(&app, "sizes=64:9,1000:1&rate_per_second=10000").await;
    let group = &advice["groups"][0];
    assert_eq!(at(group, "machine,case/scenario"), json!(["lab-1", "roundtrip"]));
    assert_eq!(texts(group, "ranking/*/transport/slug"), ["pipe", "memfd"]);
    let [first, second] = [0, 1].map(|place| &group["ranking"][place]);
    let latency = &first["latency_ns"];
    assert!(
        near(&latency["p50"], 5_050.0) && near(&latency["p98"], 6_030.0) && near(&latency["mean"], 5_150.0),
        "{latency}"
    );
    let costs =
        ["cpu_ns_per_message", "wakes_per_message", "cpus", "wakes_per_second"].map(|name| &first[name]);
    let expected = [7_000.0, 2.0, 0.07, 20_000.0];
    assert!(costs.iter().zip(expected).all(|(cost, expected)| near(cost, expected)), "{costs:?}");
    let behind = &second["behind_first"];
    assert!(behind["is_sure"] == true && near(&behind["ratio"], 2.8), "{behind}");
    let answer = group["answer"].as_str().unwrap();
    assert!(
        answer.starts_with("pipe: median round trip 5.05\u{a0}µs")
            && answer.contains("Next: memfd, 2.79x the time."),
        "{answer}"
    );
    // A message of 64 bytes becomes one of 16 KiB.
    assert!(answer.ends_with("With 256x longer messages, memfd would be first."), "{answer}");
    assert_eq!(group["would_change"], json!([{"factor": 256.0, "place": 1}]));
    let crossover = &group["crossovers"][0];
    assert_eq!(at(crossover, "below,above"), json!([0, 1]));
    assert!((7_000..8_200).contains(&crossover["x"].as_u64().unwrap()), "{crossover}");
}

#[database_test]
async fn ranks_external_programs_with_the_suite(app: TestApp) {
    let mut results = results();
    let mut program = result("zmq", 64, 9_000);
    program.methodology.clock = factory::slug("own");
    program.methodology.payload = "by the program".into();
    results.push(program);
    app.store_results(results).await;
    let advice = advice(&app, "sizes=64:1").await;
    assert_eq!(advice["groups"].as_array().unwrap().len(), 1, "{advice}");
    assert_eq!(texts(&advice["groups"][0], "ranking/*/transport/slug"), ["pipe", "zmq", "memfd"]);
}

#[database_test]
async fn does_not_extrapolate_to_longer_messages(app: TestApp) {
    let mut results = results();
    results.push(result("posix-mq", 64, 1_000));
    app.store_results(results).await;
    let advice = advice(&app, "sizes=8-63:1,65-1024:1").await;
    let group = &advice["groups"][0];
    assert_eq!(group["ranking"][0]["transport"]["slug"], "pipe", "{group}");
    assert_eq!(group["ranking"][0]["below_measured_share"], 0.5);
    let unranked = &group["not_ranked"][0];
    assert_eq!(unranked["transport"]["slug"], "posix-mq");
    assert_eq!(
        unranked["because"],
        "Measured up to 64\u{a0}B only, but 50 % of the messages are longer (limit: 0.1 %)."
    );
    let beyond = self::advice(&app, "sizes=1000000:1").await;
    let group = &beyond["groups"][0];
    assert_eq!(at(group, "answer,ranking"), json!(["No transport has results for these sizes.", []]));
}

#[database_test]
async fn ranks_only_comparable_transports(app: TestApp) {
    let mut results = results();
    let mut lossy = result("udp", 64, 100);
    lossy.repetitions[0].delivered -= 1;
    let mut spinning = result("ring", 64, 100);
    spinning.methodology.batch = 100;
    spinning.methodology.receive = factory::slug("spin");
    let mut elsewhere = result("fifo", 64, 100);
    elsewhere.case.placement = factory::slug("cross-cpu");
    results.extend([lossy, spinning, elsewhere]);
    app.store_results(results).await;
    let advice = advice(&app, "sizes=64:1&by=p99").await;
    let groups = advice["groups"].as_array().unwrap();
    let names = |list: &Value| texts(list, "*/transport/slug");
    assert_eq!(names(&groups[0]["ranking"]), ["pipe", "memfd"], "{advice}");
    let reasons = texts(&groups[0]["not_ranked"], "*/because");
    assert_eq!(reasons.len(), 2, "{reasons:?}");
    assert!(reasons.iter().any(|reason| reason == "It lost messages."), "{reasons:?}");
    assert!(
        reasons.iter().any(|because| because.starts_with("100 messages are timed as one batch")),
        "{reasons:?}"
    );
    assert_eq!(names(&groups[1]["ranking"]), ["fifo"]);
    // By the median it is ranked, with its requirement.
    let by_median = self::advice(&app, "sizes=64:1").await;
    let answer = by_median["groups"][0]["answer"].as_str().unwrap();
    assert!(
        answer.contains("ring: ") && answer.contains("busy-waits") && answer.contains("Otherwise use pipe"),
        "{answer}"
    );
}

#[database_test]
async fn uses_only_the_newest_environment(app: TestApp) {
    app.store_results(results()).await;
    let mut newer = factory::nth_with(2, vec![result("memfd", 64, 1)]);
    newer.environment.stable.insert("os.kernel".into(), "6.99.0".into());
    app.store(&newer).await;
    app.store(&factory::on("lab-2", factory::nth_with(1, results()))).await;
    let advice = advice(&app, "sizes=64:1").await;
    let of = |machine: &str| {
        let groups = advice["groups"].as_array().unwrap();
        groups.iter().find(|group| group["machine"] == machine).unwrap().clone()
    };
    let unranked = &of("lab-1")["not_ranked"][0];
    assert_eq!(unranked["transport"]["slug"], "pipe");
    assert_eq!(of("lab-1")["ranking"].as_array().unwrap().len(), 1);
    assert!(unranked["because"].as_str().unwrap().contains("measure it again"));
    assert_eq!(of("lab-2")["ranking"].as_array().unwrap().len(), 2);
    let one = self::advice(&app, "sizes=64:1&machine=lab-2").await;
    assert_eq!(one["groups"].as_array().unwrap().len(), 1);
}

#[database_test]
async fn rejects_invalid_profiles(app: TestApp) {
    app.store_results(results()).await;
    for (query, expected) in [
        ("profile=chromium-ipc&sizes=64:1", "either `profile` or `sizes`"),
        ("profile=firefox", "unknown size profile firefox"),
        ("sizes=", "no bucket has a message"),
        ("sizes=64:-1", "is not a bucket"),
        ("sizes=9-8:1", "ends before it begins"),
        ("sizes=1-8:1,8-9:1", "without overlap"),
        ("sizes=64:1&rate_per_second=0", "more than 0"),
        ("sizes=64:1&rate_per_second=NaN", "more than 0"),
    ] {
        app.get(&format!("{ASK}?{query}")).await.assert_invalid(expected);
    }
    app.get(&format!("{ASK}?sizes=64:1&machine=lab-9")).await.assert_problem(404, "unknown-machine");
    let chromium = advice(&app, "profile=chromium-ipc").await;
    assert_eq!(at(&chromium, "sizes/message_count,sizes/profile"), json!([37_573, "chromium-ipc"]));
}
