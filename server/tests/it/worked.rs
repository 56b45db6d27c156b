//! `/api/v1/projects/{project}/references/{reference}`: questions of publications, answered from stored results.

use crate::support::{TestApp, at, factory};
use roundtrip_wire::CaseResult;
use serde_json::{Value, json};

const TOTAL_BYTES: u64 = 16 << 20;

/// 16 MiB through a buffer.
fn transfer(transport: &str, buffer_bytes: u64, time_ns: u64) -> CaseResult {
    let mut result = factory::steady(transport, buffer_bytes, time_ns);
    result.case.scenario = factory::slug("stream");
    result.case.total_bytes = Some(TOTAL_BYTES);
    let count = TOTAL_BYTES / buffer_bytes;
    for repetition in &mut result.repetitions {
        (repetition.attempted, repetition.accepted, repetition.delivered) = (count, count, count);
    }
    result
}

/// Pipes are twice as fast at first, and half as fast in the end.
fn transfers() -> Vec<CaseResult> {
    let pipes = [(64, 10_000_000), (4_096, 5_000_000), (65_536, 8_000_000)];
    let pairs = [(64, 20_000_000), (4_096, 10_000_000), (65_536, 4_000_000)];
    let pipes = pipes.map(|(bytes, ns)| transfer("pipe", bytes, ns));
    pipes.into_iter().chain(pairs.map(|(bytes, ns)| transfer("socketpair", bytes, ns))).collect()
}

async fn worked(app: &TestApp, reference: &str) -> Value {
    app.read(&format!("/api/v1/projects/libfoo/references/{reference}")).await
}

/// The text with ordinary spaces.
fn text(value: &Value) -> String {
    value.as_str().unwrap_or_else(|| panic!("no text: {value}")).replace('\u{a0}', " ")
}

/// The reasons of an answer.
fn reasons(machine: &Value) -> Vec<String> {
    machine["reasons"].as_array().unwrap().iter().map(text).collect()
}

/// Asserts that a text has these parts.
#[track_caller]
fn assert_parts(text: &str, begin: &str, within: &[&str], end: &str) {
    assert!(text.starts_with(begin) && text.ends_with(end), "{text}");
    assert!(within.iter().all(|part| text.contains(part)), "{text}");
}

#[database_test]
async fn pipes_or_sockets_reports_the_crossover(app: TestApp) {
    app.store_results(transfers()).await;
    let answer = worked(&app, "freebsd-pipes-and-sockets").await;
    assert_eq!(at(&answer, "question,preset"), json!(["Pipes or sockets on your machine?", "ipc-static"]));
    let machine = &answer["machines"][0];
    assert_eq!(machine["machine"], "lab-1");
    // Equal halfway between 4 and 64 KiB on a logarithmic axis.
    let sentence = text(&machine["answer"]);
    let end = "], socket pairs beyond (two processes on one processor, lab-1).";
    assert_parts(&sentence, "Pipes up to 16 KiB [1", &[], end);
    let reasons = reasons(machine);
    // The cube root of 2 * 2 / 2.
    assert!(reasons[0].contains("pipes have 1.26 times [1.2"), "{reasons:?}");
    let most = "Pipes peak at 3.10 GiB/s with 4 KiB buffers and keep 63 % of it with 64 KiB: no collapse.";
    assert!(reasons[0].contains(most), "{reasons:?}");
    let table = &machine["tables"][0];
    assert_eq!((&table["rows_are"], table["rows"].as_array().unwrap().len()), (&json!("message_bytes"), 3));
    let [pipe, pair, ratio] = &table["rows"][0]["cells"].as_array().unwrap()[..] else { panic!("{table}") };
    assert!(pipe["value"].as_f64().unwrap() > 1.9 * pair["value"].as_f64().unwrap(), "{table}");
    assert!(pipe["series_id"].is_i64() && pipe["run_id"].is_string() && ratio["run_id"].is_null());
    let [value, low, high] = ["value", "low", "high"].map(|name| ratio[name].as_f64().unwrap());
    assert!(low < value && value < high && (value - 2.0).abs() < 0.01, "{ratio}");
}

#[database_test]
async fn incomparable_results_give_no_answer(app: TestApp) {
    app.store_results(Vec::new()).await;
    let empty = worked(&app, "freebsd-pipes-and-sockets").await;
    assert_eq!(empty["machines"], json!([]));
    for (commit, change) in [
        (1, (|result| result.case.total_bytes = Some(1 << 20)) as fn(&mut CaseResult)),
        (2, |result| result.repetitions[0].delivered -= 1),
        (3, |result| result.methodology.window = 2),
    ] {
        let mut results = transfers();
        let pairs = results.iter_mut().filter(|result| result.transport.slug.as_str() == "socketpair");
        pairs.for_each(change);
        app.store(&factory::nth_with(commit, results)).await;
        let answer = worked(&app, "freebsd-pipes-and-sockets").await;
        assert_eq!(answer["machines"], json!([]), "{commit}");
    }
}

#[database_test]
async fn answers_per_machine(app: TestApp) {
    app.store_results(transfers()).await;
    let mut results = transfers();
    results.retain(|result| result.case.message_bytes < 65_536);
    results.extend([transfer("pipe", 65_536, 4_000_000), transfer("socketpair", 65_536, 8_000_000)]);
    app.store(&factory::on("lab-2", factory::nth_with(1, results))).await;
    let answer = worked(&app, "freebsd-pipes-and-sockets").await;
    assert_eq!(answer["machines"].as_array().unwrap().len(), 2);
    let expected = "Pipes at every size from 64 B to 64 KiB (two processes on one processor, lab-2).";
    assert_eq!(text(&answer["machines"][1]["answer"]), expected);
}

/// A round trip of Node.js.
fn framed(transport: &str, message_bytes: u64, time_ns: u64) -> CaseResult {
    let mut result = factory::steady(transport, message_bytes, time_ns);
    result.methodology.window = 256;
    // The number of warm-up operations decreases with the size, as for both versions.
    result.methodology.warmup = u32::try_from(4_096_000 / message_bytes).unwrap();
    result.facts = [("node".to_owned(), "20.20.2".to_owned())].into();
    result
}

#[database_test]
async fn framing_reports_the_crossover_and_versions(app: TestApp) {
    let advanced = [(64, 14_000), (1_024, 20_000), (65_536, 200_000)]
        .map(|(bytes, ns)| framed("node-advanced", bytes, ns));
    let json_lines =
        [(64, 10_000), (1_024, 22_000), (65_536, 600_000)].map(|(bytes, ns)| framed("node-json", bytes, ns));
    app.store_results(advanced.into_iter().chain(json_lines).collect()).await;
    let machine = worked(&app, "node-child-process-framing").await["machines"][0].clone();
    let end = "on; below, lines of JSON are faster (256 messages in flight, two processes on one processor, lab-1).";
    assert_parts(&text(&machine["answer"]), "Yes, from ", &[], end);
    let reasons = reasons(&machine);
    assert!(reasons[0].starts_with("Advanced messages are 0.71 times [0.7"), "{reasons:?}");
    assert!(reasons[0].contains(" as fast with 64 B and 3.00 times ["), "{reasons:?}");
    assert!(reasons.last().unwrap().starts_with("Measured with Node 20.20.2."), "{reasons:?}");
}

/// A thousand messages from one sender to two receivers, with the number that each received.
fn broadcast(on_full: &str, time_ns: u64, arrived: u64) -> CaseResult {
    let mut result = factory::steady("ring", 256, time_ns);
    result.case.scenario = factory::slug("channel-1-n");
    result.case.size_profile = Some(factory::slug("uniform-2-256"));
    result.case.mode = factory::slug("2thread");
    result.case.peers = 2;
    result.case.messages = Some(1_000);
    result.methodology.receive = factory::slug("spin-then-block");
    result.methodology.storage = factory::slug("cleared");
    result.methodology.on_full = factory::slug(on_full);
    for repetition in &mut result.repetitions {
        (repetition.attempted, repetition.accepted, repetition.delivered) = (1_000, arrived, 2 * arrived);
    }
    result
}

#[database_test]
async fn dropping_ring_counts_delivered_messages(app: TestApp) {
    // 50 ns per attempt, of which one in ten arrives; 200 ns per message of a blocking sender.
    let results = vec![broadcast("drop", 50_000, 100), broadcast("wait", 200_000, 1_000)];
    app.store_results(results).await;
    let machine = worked(&app, "libipc-macos-backends").await["machines"][0].clone();
    assert_eq!(
        text(&machine["answer"]),
        "No: on lab-1, 10 % of the attempts are delivered; per delivered message it is 0.40 times as fast as the same ring with a \
         waiting sender."
    );
    let counted = "Counting attempts, as published, it would be 4.0 times as fast";
    assert!(reasons(&machine)[0].starts_with(counted));
    let cells = machine["tables"][0]["rows"][0]["cells"].as_array().unwrap();
    let values: Vec<f64> = cells.iter().map(|cell| cell["value"].as_f64().unwrap().round()).collect();
    assert_eq!(values, [50.0, 0.0, 504.0, 202.0]);
}

#[database_test]
async fn chromium_choice_reports_the_break_even(app: TestApp) {
    let sizes = [8, 1_024, 16_384];
    let of = |transport: &str, time_ns: u64| sizes.map(|bytes| factory::steady(transport, bytes, time_ns));
    let mut spinning = of("ring-spin", 100);
    spinning.iter_mut().for_each(|result| result.methodology.receive = factory::slug("spin"));
    // The same crossover, computed differently.
    let mut another_way: Vec<CaseResult> = of("pipe", 9_000).into_iter().chain(of("ring", 5_000)).collect();
    another_way.iter_mut().for_each(|result| result.methodology.window = 4);
    let results = of("pipe", 9_000).into_iter().chain(of("ring", 5_000)).chain(spinning).chain(another_way);
    app.store_results(results.collect()).await;
    let machine = worked(&app, "chromium-mach-vs-fifo").await["machines"][0].clone();
    let within = [" over a pipe and 5.0", "the gain here is at most 4."];
    let end = " (two processes on one processor, lab-1).";
    assert_parts(&text(&machine["answer"]), "Yes: p98 for its messages is 9.1", &within, end);
    let rejected = "Mach messages, which Chromium rejected, were not measured";
    assert!(reasons(&machine).iter().any(|reason| reason.starts_with(rejected)));
    let tables = machine["tables"].as_array().unwrap();
    assert_eq!(tables.len(), 1, "one table per placement");
    assert_eq!(tables[0]["rows"].as_array().unwrap().len(), 2, "busy-waiting transports are excluded");

    let slower = of("pipe", 90_000).into_iter().chain(of("ring", 5_000));
    app.store(&factory::nth_with(2, slower.collect())).await;
    let machine = worked(&app, "chromium-mach-vs-fifo").await["machines"][0].clone();
    let within = ["Chromium gave up at most 20 µs; the gain here is at least "];
    assert_parts(&text(&machine["answer"]), "No: p98 for its messages is ", &within, "");
}

#[database_test]
async fn overlapping_repetitions_are_undecided(app: TestApp) {
    // Half of the pipe's repetitions are as fast as the ring, the other half take twice as long.
    let scattered = [8, 1_024, 16_384].map(|bytes| {
        let repetition =
            |index: u32| factory::repetition(index, &[if index.is_multiple_of(2) { 95_000 } else { 48_000 }]);
        factory::result("pipe", bytes, (0..10).map(repetition).collect())
    });
    let ring = [8, 1_024, 16_384].map(|bytes| factory::steady("ring", bytes, 50_000));
    app.store_results(scattered.into_iter().chain(ring).collect()).await;
    let machine = worked(&app, "chromium-mach-vs-fifo").await["machines"][0].clone();
    let answer = text(&machine["answer"]);
    assert!(answer.starts_with("Inconclusive: p98 for its messages is "), "{answer}");
}

#[database_test]
async fn unknown_reference_is_not_found(app: TestApp) {
    app.store_results(Vec::new()).await;
    let answer = app.get("/api/v1/projects/libfoo/references/stories").await;
    answer.assert_problem(404, "unknown-reference");
}
