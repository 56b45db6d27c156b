//! `roundtrip compare`: compares only results with the same methodology.

use crate::run::repository;
use crate::{
    assert_contains, definition_of_programs, has_programs, printed, printed_json, read_json, refused,
    run_command, words,
};
use std::path::Path;

/// Two ends of one ring, and hundreds of times more messages than it holds.
fn definition(on_full: &str) -> String {
    format!(
        "about = ''\ndeadline_seconds = 60\n[[case]]\nscenario = 'route'\ntransports = ['ring-futex']\n\
         message_bytes = [8192]\npeers = [1]\nmessages_per_operation = 5000\non_full = ['{on_full}']\n\
         modes = ['2thread']\nplacements = ['same-cpu']\noperations = 1\nwarmup = 0\nrepetitions = 6\n"
    )
}

/// Measures a definition; `None` if this system does not support it.
fn measure(folder: &Path, name: &str, definition: &str) -> Option<serde_json::Value> {
    std::fs::write(folder.join(format!("{name}.toml")), definition).unwrap();
    let (preset, report) = (format!("{name}.toml"), format!("{name}.json"));
    printed(&run_command(folder, &["run", "--preset", &preset, "--output", &report]));
    let report = read_json(&folder.join(report));
    match &report["results"][0]["unsupported"] {
        serde_json::Value::Null => Some(report),
        reason => {
            println!("not run, because {reason}");
            None
        }
    }
}

/// A published comparison divides the time of a sender that drops messages by the number of its attempts, and
/// compares it with a sender that waits. This test measures both; the command does not compare them.
#[test]
fn does_not_compare_dropping_with_waiting_senders() {
    let folder = repository();
    let folder = folder.path();
    let (Some(waiting), Some(dropping)) =
        (measure(folder, "waiting", &definition("wait")), measure(folder, "dropping", &definition("drop")))
    else {
        return;
    };
    let first = |report: &serde_json::Value, count: &str| {
        report["results"][0]["repetitions"][0][count].as_u64().unwrap()
    };
    // On one processor, the sender fills the ring long before the receiver runs.
    assert_eq!(first(&waiting, "delivered"), 5_000);
    assert_eq!(first(&dropping, "attempted"), 5_000);
    assert!(first(&dropping, "delivered") < 5_000);
    // The wrong quotient would look like an improvement.
    let attempt = |report| first(report, "elapsed_ns") as f64 / first(report, "attempted") as f64;
    println!("an attempt: waiting {:.0} ns, dropping {:.0} ns", attempt(&waiting), attempt(&dropping));

    let output = run_command(folder, &["compare", "waiting.json", "dropping.json"]);
    refused(&output, 9, &["No case of dropping.json is comparable"]);
    let differences = ["on_full: wait vs. drop", "delivered: all 30000 vs."];
    let text = String::from_utf8_lossy(&output.stdout);
    assert_contains(&text, &[&differences[..], &["not compared", "1 case: 1 not comparable"]].concat());

    let json = run_command(folder, &["compare", "waiting.json", "dropping.json", "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert!(json["cases"][0]["ratio"].is_null());
    assert!(json["cases"][0]["differences"].as_array().unwrap().len() >= 2);
}

#[test]
fn report_equals_itself() {
    let folder = repository();
    let folder = folder.path();
    if measure(folder, "same", &definition("wait")).is_none() {
        return;
    }
    let text = printed(&run_command(folder, &["compare", "same.json", "same.json"]));
    assert!(text.contains("+0.00 %") && !text.contains("not comparable"), "{text}");
}

#[cfg(unix)]
#[test]
fn names_cases_with_equal_programs() {
    if !has_programs() {
        return;
    }
    let folder = repository();
    let folder = folder.path();
    std::fs::write(folder.join("ours.toml"), definition_of_programs(&["ours"], "['sh', 'source']")).unwrap();
    for (name, text) in [("one", ""), ("same", ""), ("other", "# comment\n")] {
        let script = format!("{text}exec {} peer framing advanced\n", words());
        std::fs::write(folder.join("source"), script).unwrap();
        printed(&run_command(folder, &["run", "--preset", "ours.toml", "--output", &format!("{name}.json")]));
    }
    // The exit code depends on the movement of the machine between the reports.
    let compare = |head: &str, format: &str| {
        let output = run_command(folder, &["compare", "one.json", head, "--format", format]);
        String::from_utf8(output.stdout).unwrap()
    };
    let sentence = "Same program files in both reports: 1 of 1 case.";
    assert_contains(&compare("same.json", "human"), &[sentence]);
    let found: serde_json::Value = serde_json::from_str(&compare("same.json", "json")).unwrap();
    assert_eq!(found["identical"][0], found["cases"][0]["case"]);
    let text = compare("other.json", "human");
    assert!(text.contains("1 case: ") && !text.contains("Same program files"), "{text}");
}

#[test]
fn rejects_files_that_are_not_reports() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("a.json"), "{}").unwrap();
    refused(&run_command(folder.path(), &["compare", "a.json", "b.json"]), 2, &["a.json", "is not a report"]);
}

/// The server has the same golden file: `server/tests/it/charts/compare.rs`.
#[test]
fn matches_the_servers_comparison() {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/wire/tests/golden/comparison");
    let folder = repository();
    let [base, head] = ["base.json", "head.json"].map(|name| golden.join(name).display().to_string());
    let found = printed_json(&run_command(folder.path(), &["compare", &base, &head, "--format", "json"]));
    let expected = read_json(&golden.join("expected.json"));
    let (lines, expected) = (found["cases"].as_array().unwrap(), expected.as_array().unwrap());
    assert_eq!(lines.len(), expected.len());
    for expected in expected {
        let size = if expected["message_bytes"] == 64 { "64 B" } else { "1 KiB" };
        let name = format!("{} {size}", expected["transport"].as_str().unwrap());
        let line = lines.iter().find(|line| line["case"].as_str().unwrap().ends_with(&name)).unwrap();
        let figures = "ratio change change_interval p p_adjusted t stars verdict differences reasons";
        for figure in figures.split(' ') {
            assert!(agree(&line[figure], &expected[figure]), "{name}: {figure} is {}", line[figure]);
        }
    }
}

/// Whether two answers are equal, except for the last digits of numbers, which differ between systems.
pub(crate) fn agree(one: &serde_json::Value, other: &serde_json::Value) -> bool {
    use serde_json::Value;
    match (one, other) {
        (Value::Number(one), Value::Number(other)) => {
            let [one, other] = [one, other].map(|number| number.as_f64().unwrap());
            (one - other).abs() <= 1e-9 * one.abs().max(1e-9)
        }
        (Value::Array(one), Value::Array(other)) => {
            one.len() == other.len() && one.iter().zip(other).all(|(one, other)| agree(one, other))
        }
        _ => one == other,
    }
}

/// The golden reports, changed by this function, in a repository: the base's name and the head's.
fn golden_pair(
    folder: &Path,
    change: impl Fn(&mut serde_json::Value, &mut serde_json::Value),
) -> [&'static str; 2] {
    let golden = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/wire/tests/golden/comparison");
    let [mut base, mut head] = ["base.json", "head.json"].map(|name| read_json(&golden.join(name)));
    change(&mut base, &mut head);
    for (name, report) in [("base.json", base), ("head.json", head)] {
        std::fs::write(folder.join(name), report.to_string()).unwrap();
    }
    ["base.json", "head.json"]
}

fn verdict_of(comparison: &serde_json::Value, name: &str) -> String {
    let cases = comparison["cases"].as_array().unwrap();
    let case = cases.iter().find(|case| case["case"].as_str().unwrap().ends_with(name)).unwrap();
    case["verdict"].as_str().unwrap().to_owned()
}

#[test]
fn does_not_compare_after_the_machine_changed() {
    let folder = repository();
    let folder = folder.path();
    let [base, head] = golden_pair(folder, |_, head| head["canaries"][0]["p50_ns"] = 350.into());
    let output = run_command(folder, &["compare", base, head]);
    refused(
        &output,
        9,
        &["The machine changed between base.json and head.json. Use `roundtrip ab` instead."],
    );
    let text = String::from_utf8_lossy(&output.stdout);
    let first = "Not comparable: the machine changed. Moved: canary null-syscall +400 %. Use `roundtrip ab` instead.\n";
    assert!(text.starts_with(first), "{text}");
    assert!(text.contains("+13 %") && !text.contains("regressed"), "{text}");

    let json = run_command(folder, &["compare", base, head, "--format", "json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    let reference = serde_json::json!([{ "kind": "canary", "name": "null-syscall", "change": 4.0 }]);
    assert_eq!((&json["machine"]["comparable"], &json["machine"]["references"]), (&false.into(), &reference));
    assert_eq!(verdict_of(&json, "pipe 64 B"), "not comparable");
}

#[test]
fn change_counts_only_beyond_the_movement_of_the_machine() {
    let folder = repository();
    let folder = folder.path();
    // The canary is 5.7 % slower; udp changed by 3.0 to 4.4 %, pipe by 12.5 to 14 %.
    let [base, head] = golden_pair(folder, |_, head| head["canaries"][0]["p50_ns"] = 74.into());
    let text = printed(&run_command(folder, &["compare", base, head]));
    assert!(
        text.starts_with(
            "The machine moved between the reports: canary null-syscall +5.7 %. Only larger changes count."
        ),
        "{text}"
    );
    let within = "udp 64 B: inconclusive, within the movement of the machine: change +3.8 %, movement 5.7 %";
    assert_contains(&text, &[within, "no change beyond 8.9 %"]);
    let json = printed_json(&run_command(folder, &["compare", base, head, "--format", "json"]));
    let verdicts = ["pipe 64 B", "udp 64 B"].map(|name| verdict_of(&json, name));
    assert_eq!(verdicts, ["regressed", "inconclusive"]);
    assert_eq!(json["machine"]["comparable"], true);
}

/// A control cannot be changed by a commit, so its change is a movement of the machine.
#[test]
fn control_shows_that_the_machine_moved() {
    let folder = repository();
    let folder = folder.path();
    let control = |report: &mut serde_json::Value| {
        for result in report["results"].as_array_mut().unwrap() {
            let is_udp = result["transport"]["slug"] == "udp";
            result["transport"]["control"] = is_udp.into();
        }
    };
    let [base, head] = golden_pair(folder, |base, head| [base, head].map(control).into_iter().collect());
    let text = printed(&run_command(folder, &["compare", base, head]));
    let first =
        "The machine moved between the reports: control udp 64 B same-cpu +3 %. Only larger changes count.";
    assert!(text.starts_with(first), "{text}");
    let json = printed_json(&run_command(folder, &["compare", base, head, "--format", "json"]));
    let verdicts = ["pipe 64 B", "udp 64 B"].map(|name| verdict_of(&json, name));
    assert_eq!(verdicts, ["regressed", "inconclusive"]);
}

#[test]
fn says_that_reports_have_no_canaries() {
    let folder = repository();
    let folder = folder.path();
    let [base, head] = golden_pair(folder, |base, _| base["canaries"] = serde_json::json!([]));
    let text = printed(&run_command(folder, &["compare", base, head]));
    assert!(text.starts_with("No canaries or controls in both reports"), "{text}");
    let json = printed_json(&run_command(folder, &["compare", base, head, "--format", "json"]));
    assert!(json["machine"].is_null(), "{json}");
}

#[test]
fn names_the_repetitions_that_a_verdict_needs() {
    let folder = repository();
    let folder = folder.path();
    let six = |report: &mut serde_json::Value| {
        for result in report["results"].as_array_mut().unwrap() {
            result["repetitions"].as_array_mut().unwrap().truncate(6);
        }
    };
    let [base, head] = golden_pair(folder, |base, head| [base, head].map(six).into_iter().collect());
    let text = printed(&run_command(folder, &["compare", base, head]));
    let advice = "Too few repetitions in 4 of 4 cases: a single change among them is significant from 7 per side. \
                  Set `repetitions = 7` or more in the definition, or compare fewer cases.";
    assert_contains(&text, &[advice]);
    let json = printed_json(&run_command(folder, &["compare", base, head, "--format", "json"]));
    assert_eq!(json["repetitions_needed"], 7);

    let [base, head] = golden_pair(folder, |_, _| {});
    assert!(!printed(&run_command(folder, &["compare", base, head])).contains("Too few repetitions"));
}

/// Imports a text of another tool into a report.
fn imported(folder: &Path, name: &str, text: &str) {
    std::fs::write(folder.join("results"), text).unwrap();
    run_command(folder, &["import", "results", "--output", name]);
}

#[test]
fn less_of_a_measure_of_which_more_is_better_is_a_regression() {
    let folder = repository();
    let folder = folder.path();
    let text = |rate: u64, allocations: u64| -> String {
        (0..8)
            .map(|nth| {
                let noise = nth * 3 % 5;
                format!(
                    "BenchmarkA 1 {} ns/op {} MB/s {allocations} allocs/op\n",
                    1_000 + noise,
                    rate + noise
                )
            })
            .collect()
    };
    imported(folder, "base.json", &text(1_000, 0));
    imported(folder, "head.json", &text(800, 2));
    let json = printed_json(&run_command(folder, &["compare", "base.json", "head.json", "--format", "json"]));
    let verdicts: Vec<_> = json["cases"].as_array().unwrap().iter().map(|case| &case["verdict"]).collect();
    assert_eq!(verdicts, ["no change", "regressed", "regressed"]);
    assert!(json["cases"][1]["change"].as_f64() < Some(-0.19), "{json}");
    assert_eq!(json["cases"][1]["measure"]["unit"], "B/s");
    let text = printed(&run_command(folder, &["compare", "base.json", "head.json"]));
    // 1,002 MB/s in binary units; allocations from none to two.
    assert_contains(&text, &["955 MiB/s", "BenchmarkA allocs/op", "which is slower for times"]);
}

#[test]
fn single_repetitions_are_compared_by_their_samples_without_a_verdict() {
    let folder = repository();
    let folder = folder.path();
    let text = |ns: u64| {
        let values: Vec<_> = (0..30).map(|nth| (ns + nth * 7 % 11).to_string()).collect();
        format!(
            r#"{{"reason":"benchmark-complete","id":"a","iteration_count":[{}],"measured_values":[{}],"unit":"ns"}}"#,
            vec!["1"; values.len()].join(","),
            values.join(",")
        )
    };
    imported(folder, "base.json", &text(1_000));
    imported(folder, "head.json", &text(1_200));
    let text = printed(&run_command(folder, &["compare", "base.json", "head.json"]));
    let expected = [
        "too few repetitions per side: has 1, needs 4; samples of one process per side differ by +20 %",
        "Run the benchmark 6 times or more for each side, and import the files together: `roundtrip import FILE...`.",
    ];
    assert_contains(&text, &expected);
}

#[test]
fn values_without_samples_are_not_compared_and_say_why() {
    let folder = repository();
    let folder = folder.path();
    imported(folder, "base.json", r#"{"a": {"latency": {"value": 5}}}"#);
    let output = run_command(folder, &["compare", "base.json", "base.json"]);
    refused(
        &output,
        9,
        &["No case of base.json is comparable with base.json. The reasons are listed above."],
    );
    assert_contains(
        &String::from_utf8_lossy(&output.stdout),
        &["base: no samples, only a value that the tool states"],
    );
}
