//! `/api/v1/projects/{project}/compare`.

use super::csv_rows;
use crate::support::factory::{self, nth_with};
use crate::support::{TestApp, at, texts};
use roundtrip_wire::{CaseResult, RunId, RunReport};
use serde_json::{Value, json};
use std::fmt::Display;
use std::path::Path;

/// A result with repetitions around this time, of a transport that is no control.
fn result(transport: &str, message_bytes: u64, time_ns: u64) -> CaseResult {
    let time = |index: u32| time_ns + u64::from(index) * 7_919 % 997 * time_ns / 100_000;
    let repetitions = (0..12).map(|index| factory::repetition(index, &[time(index), 2 * time(index)]));
    let mut result = factory::result(transport, message_bytes, repetitions.collect());
    result.transport.control = false;
    result
}

fn path(base: impl Display, head: impl Display) -> String {
    format!("/api/v1/projects/libfoo/compare?base={base}&head={head}")
}

/// The pair of this transport.
fn pair_of<'a>(comparison: &'a Value, transport: &str) -> &'a Value {
    let mut pairs = comparison["pairs"].as_array().unwrap().iter();
    pairs.find(|pair| pair["transport"]["slug"] == transport).unwrap()
}

async fn compared(app: &TestApp, base: &RunReport, head: &RunReport) -> Value {
    app.store(base).await;
    app.store(head).await;
    app.read(&path(&base.commit.sha, &head.commit.sha)).await
}

fn differences(pair: &Value) -> Vec<String> {
    let text = |difference: &Value| {
        let [what, base, head] = ["what", "base", "head"].map(|name| difference[name].as_str().unwrap());
        format!("{what}: {base} vs. {head}")
    };
    pair["differences"].as_array().unwrap().iter().map(text).collect()
}

/// Asserts that there is no verdict and no difference.
fn assert_not_compared(pair: &Value) {
    assert_eq!(pair["verdict"], "not comparable");
    for name in ["ratio", "change", "change_interval", "p", "p_adjusted", "t"] {
        assert!(pair[name].is_null(), "{name}: {pair}");
    }
    assert_eq!(pair["stars"], "");
}

#[database_test]
async fn each_series_has_a_verdict_with_its_numbers(app: TestApp) {
    let base =
        nth_with(1, vec![result("pipe", 64, 10_000), result("tcp", 64, 20_000), result("udp", 64, 9_000)]);
    let head =
        nth_with(2, vec![result("pipe", 64, 12_000), result("tcp", 64, 20_010), result("udp", 64, 8_000)]);
    let comparison = compared(&app, &base, &head).await;
    assert_eq!(comparison["base"]["commit"]["sha"], *base.commit.sha.as_str());
    assert_eq!(at(&comparison, "head/commit/ordinal,head/run_id"), json!([2, null]));
    let pairs = comparison["pairs"].as_array().unwrap();
    assert_eq!(texts(&comparison, "pairs/*/verdict"), ["regressed", "no change", "improved"]);

    let pair = &pairs[0];
    assert!((pair["ratio"].as_f64().unwrap() - 1.2).abs() < 0.01, "{pair}");
    assert_eq!(at(pair, "transport/slug,case/message_bytes"), json!(["pipe", 64]));
    let points = app.read("/api/v1/points?series=1").await;
    for (side, report, place) in [("base", &base, 0), ("head", &head, 1)] {
        let (side, point) = (&pair[side], &points["series"][0]["points"][place]);
        assert_eq!(at(side, "series_id,machine"), json!([1, "lab-1"]));
        assert_eq!(side["run_id"], *report.run_id.to_string());
        let same = "environment_id,lossy,work_tree_modified,repetition_p50_ns,bytes_per_second,latency_ns/p50,\
                    latency_ns/p90,latency_ns/p99";
        assert_eq!(at(side, same), at(point, same));
        let repetitions = &report.results[0].repetitions;
        let min_ns: Vec<u64> = repetitions.iter().map(|repetition| repetition.min_ns).collect();
        let max_ns: Vec<u64> = repetitions.iter().map(|repetition| repetition.max_ns).collect();
        let expected = json!({ "p50_ns": min_ns, "p90_ns": max_ns, "p99_ns": max_ns });
        assert_eq!(side["repetitions"], expected, "in the order of the upload");
    }
}

#[database_test]
async fn different_methodologies_are_not_compared(app: TestApp) {
    let base = nth_with(1, vec![result("ring", 64, 10_000), result("tcp", 64, 20_000)]);
    let mut head = nth_with(2, vec![result("ring", 64, 20_000), result("tcp", 64, 40_000)]);
    head.results[0].methodology.receive = factory::slug("spin");
    head.results[0].methodology.window = 8;
    for repetition in &mut head.results[1].repetitions {
        (repetition.attempted, repetition.accepted, repetition.delivered) = (4, 2, 2);
    }
    let comparison = compared(&app, &base, &head).await;
    let pairs = comparison["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), 2);
    pairs.iter().for_each(assert_not_compared);
    assert_ne!(pairs[0]["base"]["series_id"], pairs[0]["head"]["series_id"]);
    assert_eq!(differences(&pairs[0]), ["receive: block vs. spin", "window: 1 vs. 8"]);
    assert_eq!(differences(&pairs[1]), ["delivered: all 24 vs. 24 of 48 (50.0000 %)"]);
    assert_eq!(pairs[1]["reasons"], json!([]));
}

#[database_test]
async fn different_environments_are_not_compared(app: TestApp) {
    let base = nth_with(1, vec![result("ring", 64, 10_000)]);
    let mut head = nth_with(2, vec![result("ring", 64, 20_000)]);
    head.environment.stable.insert("os.kernel".into(), "7.0".into());
    head.environment.stable.insert("cpu.governor".into(), "powersave".into());
    head.suite.build = factory::slug("debug");
    head.results[0].oversubscribed = true;
    let comparison = compared(&app, &base, &head).await;
    assert_not_compared(&comparison["pairs"][0]);
    assert_eq!(
        differences(&comparison["pairs"][0]),
        [
            "build: release vs. debug",
            "environment.cpu.governor: absent vs. powersave",
            "environment.os.kernel: 6.1.0 vs. 7.0",
            "oversubscribed: false vs. true",
        ]
    );
}

#[database_test]
async fn lists_series_of_one_side(app: TestApp) {
    let base = nth_with(1, vec![result("pipe", 64, 10_000)]);
    let head = nth_with(2, vec![result("pipe", 64, 12_000)]);
    let alone = compared(&app, &base, &head).await["pairs"][0].clone();
    let base = nth_with(3, vec![result("pipe", 64, 10_000), result("only-base", 64, 1_000)]);
    let mut head = nth_with(4, vec![result("pipe", 64, 12_000)]);
    head.results.extend((0..20).map(|place| result("only-head", 64 + place, 1_000)));
    let comparison = compared(&app, &base, &head).await;
    assert_eq!(comparison["pairs"].as_array().unwrap().len(), 22);
    let of = |transport: &str| pair_of(&comparison, transport);
    for name in ["p", "p_adjusted", "change", "verdict"] {
        assert_eq!(of("pipe")[name], alone[name], "{name}");
    }
    for (transport, absent, reason) in
        [("only-base", "head", "not in the head"), ("only-head", "base", "not in the base")]
    {
        assert_not_compared(of(transport));
        assert!(of(transport)[absent].is_null());
        assert_eq!(of(transport)["reasons"], json!([reason]));
    }
}

#[database_test]
async fn compares_commits_per_machine(app: TestApp) {
    for (commit, machine, time_ns) in
        [(1, "lab-1", 10_000), (2, "lab-1", 12_000), (1, "lab-2", 50_000), (2, "lab-2", 50_000)]
    {
        app.store(&factory::on(machine, nth_with(commit, vec![result("pipe", 64, time_ns)]))).await;
    }
    let [base, head] = [1, 2].map(factory::sha);
    for (machine, expected) in [
        ("", json!([["lab-1", "regressed"], ["lab-2", "no change"]])),
        ("&machine=lab-2", json!([["lab-2", "no change"]])),
        ("&machine=nobody", json!([])),
    ] {
        let comparison = app.read(&format!("{}{machine}", path(&base, &head))).await;
        assert_eq!(at(&comparison, "pairs/*/head/machine,verdict"), expected, "{machine}");
    }
}

#[database_test]
async fn runs_on_different_machines_are_not_compared(app: TestApp) {
    let first = nth_with(1, vec![result("pipe", 64, 10_000)]);
    let mut second = nth_with(1, vec![result("pipe", 64, 12_000)]);
    second.work_tree_modified = true;
    let elsewhere = factory::on("lab-2", nth_with(1, vec![result("pipe", 64, 12_000)]));
    for report in [&first, &second, &elsewhere] {
        app.store(report).await;
    }
    let [first, second, elsewhere] = [&first, &second, &elsewhere].map(|report| report.run_id.to_string());
    let comparison = app.read(&path(&first, &second)).await;
    assert_eq!(comparison["head"]["run_id"], *second);
    let modified = at(&comparison, "pairs/0/verdict,pairs/0/head/work_tree_modified");
    assert_eq!(modified, json!(["regressed", true]));
    // A commit's unmodified run is used, even if another run is newer.
    let comparison = app.read(&path(factory::sha(1), &first)).await;
    assert_eq!(comparison["pairs"][0]["base"]["run_id"], *first);

    let comparison = app.read(&path(&first, &elsewhere)).await;
    assert_eq!(comparison["pairs"].as_array().unwrap().len(), 1);
    assert_not_compared(&comparison["pairs"][0]);
    assert_eq!(differences(&comparison["pairs"][0]), ["machine: lab-1 vs. lab-2"]);
}

#[database_test]
async fn points_without_repetitions_are_not_compared(app: TestApp) {
    let (base, head) =
        (nth_with(1, vec![result("pipe", 64, 10_000)]), nth_with(2, vec![result("pipe", 64, 12_000)]));
    app.store(&base).await;
    app.execute("update point set repetition_p50_ns = '{}'").await;
    app.store(&head).await;
    let comparison = app.read(&path(&base.commit.sha, &head.commit.sha)).await;
    assert_not_compared(&comparison["pairs"][0]);
    let reason = comparison["pairs"][0]["reasons"][0].as_str().unwrap();
    assert!(reason.starts_with("base: stored by an old version of the server"), "{reason}");
}

/// Times of about 10 us; with `slow`, every tenth operation takes four times as long.
fn of_two_modes(commit: u64, slow: bool) -> RunReport {
    let repetition = |index: u32| {
        let times: Vec<u64> = (0..200_u64)
            .map(|nth| 10_000 + 40 * u64::from(index) + nth % 50)
            .enumerate()
            .map(|(nth, ns)| if slow && nth % 10 == 9 { 4 * ns } else { ns })
            .collect();
        factory::repetition(index, &times)
    };
    let mut result = factory::result("pipe", 64, (0..12).map(repetition).collect());
    result.transport.control = false;
    nth_with(commit, vec![result])
}

#[database_test]
async fn finds_a_second_mode_until_uploads_are_deleted(app: TestApp) {
    let (base, head) = (of_two_modes(1, false), of_two_modes(2, true));
    app.store(&base).await;
    app.store(&head).await;
    let path = path(factory::sha(1), factory::sha(2));
    let pair = app.read(&path).await["pairs"][0].clone();
    assert_eq!(at(&pair, "verdict,p99/verdict"), json!(["no change", "regressed"]));
    assert_eq!(pair["shape"]["changed"], true, "{pair}");
    let words = pair["shape"]["difference"].as_str().unwrap();
    assert!(words.contains("of messages now form a second mode, 299 % slower"), "{words}");
    app.execute("delete from run_upload").await;
    let pair = app.read(&path).await["pairs"][0].clone();
    assert_eq!(at(&pair, "verdict,shape,p99"), json!(["no change", null, null]));
}

#[database_test]
async fn inconclusive_pair_has_a_reason(app: TestApp) {
    for commit in [1, 2] {
        let few = (0..3).map(|index| factory::repetition(index, &[10_000 + u64::from(index)])).collect();
        app.store(&nth_with(commit, vec![factory::result("pipe", 64, few)])).await;
    }
    let pair = app.read(&path(factory::sha(1), factory::sha(2))).await["pairs"][0].clone();
    assert_eq!(pair["verdict"], "inconclusive");
    let why = pair["undecided"].as_str().unwrap();
    assert!(why == "too few repetitions per side: has 3, needs 4", "{why}");
}

#[database_test]
async fn noisy_case_needs_a_larger_change(app: TestApp) {
    for commit in 1..=20 {
        let moving = 10_000 + commit * 7 % 5 * 200;
        let results = vec![result("quiet", 64, 10_000), result("moving", 64, moving)];
        app.store(&nth_with(commit, results)).await;
    }
    let head = nth_with(21, vec![result("quiet", 64, 10_400), result("moving", 64, 10_400)]);
    // Like commit 20.
    let base = nth_with(20, vec![result("quiet", 64, 10_000), result("moving", 64, 10_000)]);
    let comparison = compared(&app, &base, &head).await;
    let (quiet, moving) = (pair_of(&comparison, "quiet"), pair_of(&comparison, "moving"));
    assert_eq!(at(quiet, "verdict,least_change"), json!(["regressed", 0.01]));
    assert_eq!(moving["verdict"], "inconclusive", "{moving}");
    assert!(moving["least_change"].as_f64().unwrap() > 0.05, "{moving}");
    let why = moving["undecided"].as_str().unwrap();
    assert!(why.contains("A/A comparisons of this case vary by"), "{why}");
}

/// Commits 1 and 2, with these times of a pipe, and readings of a canary.
fn moved(pipe_ns: [u64; 2], canary_ns: [u64; 2]) -> [RunReport; 2] {
    [0, 1].map(|side| {
        let results = vec![result("pipe", 64, pipe_ns[side]), result("fifo", 64, 10_000)];
        let mut report = nth_with(1 + side as u64, results);
        report.canaries[0].p50_ns = Some(canary_ns[side]);
        report
    })
}

#[database_test]
async fn machine_that_changed_is_not_compared(app: TestApp) {
    for (machine, canary_ns) in [("lab-1", 1_300), ("lab-2", 1_000)] {
        for report in moved([10_000, 13_000], [1_000, canary_ns]) {
            app.store(&factory::on(machine, report)).await;
        }
    }
    let comparison = app.read(&path(factory::sha(1), factory::sha(2))).await;
    let verdicts = |machine: &str| -> Vec<String> {
        let pairs = comparison["pairs"].as_array().unwrap().iter();
        let pairs = pairs.filter(|pair| pair["head"]["machine"] == machine);
        pairs.map(|pair| pair["verdict"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(verdicts("lab-1"), ["not comparable", "not comparable"]);
    assert_eq!(verdicts("lab-2"), ["no change", "regressed"]);
    let canary = json!([{ "kind": "canary", "name": "null-syscall", "change": 0.3 }]);
    let movement = json!({
        "comparable": false, "limits_verdicts": true, "movement": 0.3, "moved_count": 1, "references": canary,
    });
    let machines = &comparison["machines"];
    assert!(agree(&machines[0]["moved"], &movement), "{machines}");
    assert_eq!(at(machines, "*/machine,moved/comparable"), json!([["lab-1", false], ["lab-2", true]]));
    let reasons = json!(["machine changed: canary null-syscall +30 %"]);
    assert_eq!(
        at(&comparison["not_compared"], "*/reasons,machines,pair_count"),
        json!([[reasons, ["lab-1"], 2]])
    );
    let pair = pair_of(&comparison, "pipe");
    let figures = at(pair, "kind,reasons,least_change,detectable_change,undecided,p99/verdict");
    assert_eq!(figures, json!(["not-comparable", reasons, null, null, null, null]));
    assert!(pair["change"].as_f64().unwrap() > 0.2, "{pair}");
}

#[database_test]
async fn change_counts_only_beyond_the_movement_of_the_machine(app: TestApp) {
    let mut answers = Vec::new();
    for (pipe_ns, canary_ns) in [(10_400, 1_050), (14_000, 1_050), (10_400, 1_000)] {
        let [base, head] = moved([10_000, pipe_ns], [1_000, canary_ns]);
        app.store(&base).await;
        app.store(&head).await;
        let comparison = app.read(&path(base.run_id, head.run_id)).await;
        assert_eq!(comparison["machines"][0]["moved"]["comparable"], true);
        let detectable = pair_of(&comparison, "fifo")["detectable_change"].as_f64().unwrap();
        let pipe = pair_of(&comparison, "pipe");
        answers.push(json!([pipe["verdict"], detectable > 0.05]));
        if pipe["verdict"] == "inconclusive" {
            let undecided = pipe["undecided"].as_str().unwrap();
            assert!(undecided.starts_with("within the movement of the machine: change +"), "{undecided}");
        }
    }
    assert_eq!(
        answers,
        [json!(["inconclusive", true]), json!(["regressed", true]), json!(["regressed", false])]
    );
}

/// Commits cannot change a control.
#[database_test]
async fn control_shows_that_the_machine_moved(app: TestApp) {
    let mut sides = moved([10_000, 13_000], [1_000, 1_000]);
    for (report, ns) in sides.iter_mut().zip([20_000, 26_000]) {
        let mut control = result("udp", 64, ns);
        control.transport.control = true;
        report.results.push(control);
    }
    let [base, head] = sides;
    let comparison = compared(&app, &base, &head).await;
    assert_eq!(texts(&comparison, "pairs/*/verdict"), ["not comparable"; 3]);
    let most_moved = &comparison["machines"][0]["moved"]["references"][0];
    assert_eq!(at(most_moved, "kind,name"), json!(["control", "udp 64 B same-cpu"]));
    let change = most_moved["change"].as_f64().unwrap();
    assert!(change > 0.28 && change < 0.3, "{change}");
}

#[database_test]
async fn without_canaries_and_controls_the_movement_is_unknown(app: TestApp) {
    let [base, head] =
        moved([10_000, 12_000], [1_000, 1_000]).map(|report| RunReport { canaries: vec![], ..report });
    let comparison = compared(&app, &base, &head).await;
    assert_eq!(texts(&comparison, "pairs/*/verdict"), ["no change", "regressed"]);
    assert_eq!(comparison["machines"], json!([{ "machine": "lab-1", "moved": null }]));
}

/// A job that alternates both sides reads the canaries once, and the machine moves for both alike.
#[database_test]
async fn paired_runs_do_not_depend_on_the_movement(app: TestApp) {
    let mut sides = moved([10_000, 13_000], [1_000, 1_300]);
    for (report, ns) in sides.iter_mut().zip([20_000, 26_000]) {
        report.results.push(factory::steady("control", 64, ns));
        app.store(report).await;
    }
    let verdicts = async || {
        let comparison = app.read(&path(factory::sha(1), factory::sha(2))).await;
        (texts(&comparison, "pairs/*/verdict"), comparison["machines"].clone())
    };
    assert_eq!(verdicts().await.0, ["not comparable"; 3]);
    app.execute("update run set job_id = 1").await;
    let (verdicts_of_pairs, machines) = verdicts().await;
    assert_eq!(verdicts_of_pairs, ["regressed", "no change", "regressed"]);
    assert_eq!(machines, json!([]));
    // The same job measured both, one after the other.
    app.execute("update run set order_seed = run_id::text").await;
    assert_eq!(verdicts().await.0, ["not comparable"; 3]);
}

/// Stores the runs of a job that alternated `ring`, and of which `queue` has no repetitions.
async fn store_alternated(app: &TestApp, sides: [CaseResult; 2]) -> [RunReport; 2] {
    let mut number = 0;
    let reports = sides.map(|side| {
        number += 1;
        nth_with(number, vec![side, factory::unsupported("queue", "no program")])
    });
    for report in &reports {
        app.store(report).await;
    }
    app.execute("update run set job_id = 1").await;
    reports
}

/// How these two runs compare: verdict, whether in pairs, and the change in percent.
async fn compared_runs(app: &TestApp, [base, head]: [&RunReport; 2]) -> Value {
    let comparison = app.read(&path(base.run_id.to_string(), head.run_id.to_string())).await;
    let mut pairs = comparison["pairs"].as_array().unwrap().iter();
    let pair = pairs.find(|pair| pair["transport"]["slug"] == "ring").unwrap();
    let change = (pair["change"].as_f64().unwrap() * 100.0).round();
    json!([pair["verdict"], pair["paired"], change])
}

#[database_test]
async fn runs_of_one_job_are_compared_in_pairs(app: TestApp) {
    let reports = store_alternated(&app, factory::alternated("ring", 10_000.0, 1.05)).await;
    let runs = reports.each_ref();
    assert_eq!(compared_runs(&app, runs).await, json!(["regressed", true, 5.0]));
    let [base, head] = runs;
    assert_eq!(compared_runs(&app, [head, base]).await, json!(["improved", true, -5.0]));
    assert_eq!(compared_runs(&app, [head, head]).await[1], false);
    // Neither the runs of two jobs nor two measurements of one job are pairs.
    app.execute("update run set order_seed = run_id::text").await;
    let unpaired = compared_runs(&app, runs).await;
    assert_eq!(at(&unpaired, "0,1"), json!(["inconclusive", false]));
    app.execute("update run set order_seed = '7', job_id = commit_id").await;
    assert_eq!(compared_runs(&app, runs).await, unpaired);
}

#[database_test]
async fn pairs_of_equal_sides_are_unchanged_on_a_drifting_machine(app: TestApp) {
    let reports = store_alternated(&app, factory::alternated("ring", 10_000.0, 1.0)).await;
    let compared = compared_runs(&app, reports.each_ref()).await;
    assert_eq!(at(&compared, "0,1"), json!(["no change", true]));
}

#[database_test]
async fn failed_repetitions_move_no_later_pair(app: TestApp) {
    let mut sides = factory::alternated("ring", 10_000.0, 1.05);
    // One side failed in the third pair, the other in the eighth.
    for (side, failed) in sides.iter_mut().zip([2, 7]) {
        side.repetitions.retain(|repetition| repetition.index != failed);
        side.failures = vec![factory::failure(failed, "timed out")];
    }
    let reports = store_alternated(&app, sides).await;
    assert_eq!(compared_runs(&app, reports.each_ref()).await, json!(["regressed", true, 5.0]));
}

#[database_test]
async fn pairs_count_all_cases_of_their_job(app: TestApp) {
    let reports = store_alternated(&app, factory::alternated("ring", 10_000.0, 1.05)).await;
    let path = path(reports[0].run_id.to_string(), reports[1].run_id.to_string());
    let factor = async || {
        let comparison = app.read(&path).await;
        let pair = pair_of(&comparison, "ring");
        pair["p_adjusted"].as_f64().unwrap() / pair["p"].as_f64().unwrap()
    };
    // Of eight tests, the p50, p90 and p99 of one case found the change.
    assert!((factor().await - 8.0 / 3.0).abs() < 0.01, "{}", factor().await);
}

/// The command line is tested with the same file: `agents/tests/it/compare.rs`.
#[database_test]
async fn server_and_command_line_agree(app: TestApp) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/wire/tests/golden/comparison");
    let read = |name: &str| std::fs::read_to_string(folder.join(name)).unwrap();
    let [base, head] =
        ["base.json", "head.json"].map(|name| serde_json::from_str::<RunReport>(&read(name)).unwrap());
    app.store(&base).await;
    app.store(&head).await;
    let [base_id, head_id] = [&base, &head].map(|report| report.run_id.to_string());
    let comparison = app.read(&path(&base_id, &head_id)).await;
    let expected: Vec<Value> = serde_json::from_str(&read("expected.json")).unwrap();
    let pairs = comparison["pairs"].as_array().unwrap();
    assert_eq!(pairs.len(), expected.len());
    for expected in expected {
        let name = (&expected["transport"], &expected["message_bytes"]);
        let pair =
            pairs.iter().find(|pair| (&pair["transport"]["slug"], &pair["case"]["message_bytes"]) == name);
        let pair = pair.unwrap();
        let figures = "ratio change change_interval p p_adjusted t stars verdict differences reasons";
        for figure in figures.split(' ') {
            assert!(agree(&pair[figure], &expected[figure]), "{name:?}: {figure} is {}", pair[figure]);
        }
    }
}

/// Whether two answers are equal, except for the last digits of numbers, which depend on the platform.
fn agree(one: &Value, other: &Value) -> bool {
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            let [one, other] = [one, other].map(|number| number.as_f64().unwrap());
            (one - other).abs() <= 1e-9 * one.abs().max(1e-9)
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| agree(one, other))
        }
        (Value::Object(one), Value::Object(other)) => {
            let are_alike = |(name, value)| other.get(name).is_some_and(|other| agree(value, other));
            one.len() == other.len() && one.iter().all(are_alike)
        }
        _ => one == other,
    }
}

#[database_test]
async fn comparison_csv_has_a_row_per_pair(app: TestApp) {
    let base = nth_with(1, vec![result("pipe", 64, 10_000), result("only-base", 64, 1_000)]);
    let mut head = nth_with(2, vec![result("pipe", 64, 12_000)]);
    head.results.push(result("tcp", 64, 3_000));
    let comparison = compared(&app, &base, &head).await;
    let csv = format!("{}&format=csv", path(&base.commit.sha, &head.commit.sha));
    let rows = csv_rows(&app, &csv).await;
    assert_eq!(rows.len(), 3);
    let row = rows.iter().find(|row| row["transport"] == "pipe").unwrap();
    for (name, expected) in [
        ("verdict", "regressed"),
        ("message_bytes", "64"),
        ("base_commit_sha", base.commit.sha.as_str()),
        ("head_commit_ordinal", "2"),
        ("head_run_id", &head.run_id.to_string()),
        ("base_p50_ns", &comparison["pairs"][0]["base"]["latency_ns"]["p50"].to_string()),
        ("base_repetition_count", "12"),
        ("ratio", &comparison["pairs"][0]["ratio"].to_string()),
        ("differences", ""),
    ] {
        assert_eq!(row[name], expected, "{name}");
    }
    let row = rows.iter().find(|row| row["transport"] == "only-base").unwrap();
    assert_eq!((row["head_run_id"].as_str(), row["reasons"].as_str()), ("", "not in the head"));
}

#[database_test]
async fn names_an_unknown_side(app: TestApp) {
    let report = factory::report();
    app.store(&report).await;
    let other = RunReport { project: factory::slug("libbar"), ..factory::nth(9) };
    app.store(&other).await;
    let known = report.run_id.to_string();
    for (side, status, code) in [
        (factory::sha(5).to_string(), 404, "unknown-commit"),
        (RunId::draw().to_string(), 404, "unknown-run"),
        (other.run_id.to_string(), 404, "unknown-run"),
        (factory::sha(9).to_string(), 404, "unknown-commit"),
        ("abc".into(), 400, "invalid-parameter"),
        ("6fa459ea-ee8a-4ca4-894e-db77e160355e".into(), 400, "invalid-parameter"),
    ] {
        for (base, head, name) in [(&side, &known, "base"), (&known, &side, "head")] {
            let problem = app.get(&path(base, head)).await.assert_problem(status, code);
            let named = if status == 400 { name } else { &side };
            assert!(problem.detail.contains(named), "{problem:?}");
        }
    }
    app.get("/api/v1/projects/nothing/compare?base=a&head=b").await.assert_problem(400, "invalid-parameter");
}

#[database_test]
async fn limit_lists_the_largest_and_counts_all(app: TestApp) {
    let of = |pipe_64: u64, pipe_1024: u64, fifo: u64| {
        let ring = result("ring", 64, 10_000);
        let pipes = [result("pipe", 64, pipe_64), result("pipe", 1024, pipe_1024), result("fifo", 64, fifo)];
        pipes.into_iter().chain([result("tcp", 64, 20_000), ring]).collect::<Vec<_>>()
    };
    let base = nth_with(1, of(10_000, 20_000, 9_000));
    let mut head = nth_with(2, of(11_000, 26_000, 7_000));
    head.results[4].methodology.window = 8;
    let all = compared(&app, &base, &head).await;
    assert_eq!(
        all["counts"],
        json!({ "slower": 2, "faster": 1, "elsewhere": 0, "inconclusive": 0, "unchanged": 1, "not_comparable": 1 })
    );
    let detectable = &all["pairs"]
        .as_array()
        .unwrap()
        .iter()
        .find(|pair| pair["kind"] == "unchanged")
        .unwrap()["detectable_change"];
    assert_eq!(all["detectable_changes"], json!([detectable, detectable]));
    assert!(detectable.as_f64().is_some_and(|change| change > 0.01), "{all}");
    let window = json!({ "what": "window", "base": "1", "head": "8" });
    let why = json!([{ "differences": [window], "reasons": [], "pair_count": 1, "machines": ["lab-1"] }]);
    assert_eq!(all["not_compared"], why);
    assert_eq!(at(&all, "base/case_count,head/case_count"), json!([5, 5]));

    let path = path(&base.commit.sha, &head.commit.sha);
    let listed = |comparison: &Value| at(comparison, "pairs/*/kind,case/message_bytes");
    let first = app.read(&format!("{path}&limit=1&kind=slower,faster,not-comparable")).await;
    assert_eq!(listed(&first), json!([["slower", 1024], ["faster", 64], ["not-comparable", 64]]));
    assert_eq!(first["counts"], all["counts"]);

    // A pair's verdict is adjusted for all pairs, even if only a few are requested.
    let found = app.read(&format!("{path}&q=pipe+1024")).await;
    assert_eq!(listed(&found), json!([["slower", 1024]]));
    let same = all["pairs"].as_array().unwrap().iter().find(|pair| pair["case"]["message_bytes"] == 1024);
    assert_eq!(Some(&found["pairs"][0]), same);
    assert_eq!(found["counts"]["slower"], 1);
    app.get(&format!("{path}&kind=odd")).await.assert_problem(400, "invalid-parameter");
    app.get(&format!("{path}&limit=0")).await.assert_problem(400, "invalid-parameter");
}
