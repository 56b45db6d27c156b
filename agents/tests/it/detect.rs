//! `roundtrip detect`: change points of each series in a file, or an error message.

use crate::compare::agree;
use crate::{error_text, printed_json, run_command, run_with_input};
use serde_json::{Value, json};
use std::fmt::Write as _;
use std::fs;
use std::process::Output;

/// Three made-up series: one with two changes, at 57 and 123, one without, and one with too few points.
const SYNTHETIC: &str = include_str!("../golden/detect/synthetic.csv");

fn detect(csv: &[u8], arguments: &[&str]) -> Output {
    run_with_input(&std::env::temp_dir(), &[&["detect", "-"], arguments].concat(), csv)
}

fn printed(output: &Output) -> String {
    assert_eq!(error_text(output), "");
    crate::printed(output)
}

fn series(csv: &str, arguments: &[&str]) -> Vec<Value> {
    let arguments = [arguments, &["--format", "json"]].concat();
    printed_json(&detect(csv.as_bytes(), &arguments))["series"].as_array().unwrap().clone()
}

/// A member of each change of the only series.
fn members(csv: &str, member: &str) -> Vec<Value> {
    let series = series(csv, &[]);
    let [series] = &series[..] else { panic!("{series:?}") };
    series["change_points"].as_array().unwrap().iter().map(|change| change[member].clone()).collect()
}

/// Values with little noise around a level.
fn about(level: f64, count: usize) -> Vec<f64> {
    (0..count).map(|at| level * (1.0 + 0.002 * (at * 7 % 5) as f64)).collect()
}

/// Values with little noise that rise by a tenth after `count` points, and again after as many more.
fn stairs(count: usize) -> Vec<f64> {
    [about(100.0, count), about(110.0, count), about(121.0, count)].concat()
}

/// A file with one series at these indices.
fn csv(points: impl IntoIterator<Item = (i64, f64)>) -> String {
    let mut text = "series,index,value\n".to_owned();
    for (index, value) in points {
        writeln!(text, "one,{index},{value}").unwrap();
    }
    text
}

#[test]
fn text_matches_the_golden_file() {
    let folder = tempfile::tempdir().unwrap();
    let output = run_command(
        folder.path(),
        &["detect", concat!(env!("CARGO_MANIFEST_DIR"), "/tests/golden/detect/synthetic.csv")],
    );
    assert_eq!(printed(&output), include_str!("../golden/detect/human.txt"));
}

#[test]
fn json_matches_the_golden_file() {
    let found = printed_json(&detect(SYNTHETIC.as_bytes(), &["--format", "json"]));
    let expected: Value = serde_json::from_str(include_str!("../golden/detect/answer.json")).unwrap();
    assert!(agree(&found, &expected), "{found:#}");
    let names = |value: &Value| value.as_object().unwrap().keys().cloned().collect::<Vec<_>>();
    let [answer, series, change] =
        [&found, &found["series"][0], &found["series"][0]["change_points"][0]].map(names);
    assert_eq!((answer, series), (vec!["series".to_owned()], vec!["change_points".into(), "name".into()]));
    assert_eq!(change, ["after", "before", "confidence", "index", "interval", "kind", "matters", "verdict"]);
}

#[test]
fn direction_decides_the_verdict() {
    let csv = csv((0..).zip(stairs(30)).take(60));
    for (arguments, verdict, sentence) in [
        (&[][..], "regressed", "1 series, 1 change: 1 regressed, 0 improved (lower is better)."),
        (&["--direction", "lower"], "regressed", "(lower is better)."),
        (&["--direction", "higher"], "improved", "(higher is better)."),
    ] {
        assert_eq!(series(&csv, arguments)[0]["change_points"][0]["verdict"], verdict);
        let text = printed(&detect(csv.as_bytes(), arguments));
        assert!(text.contains(sentence) && text.contains("+10 %"), "{text}");
    }
    let output = detect(csv.as_bytes(), &["--direction", "up"]);
    crate::refused(&output, 2, &["[possible values: lower, higher]"]);
}

#[test]
fn reports_changes_by_index() {
    let csv = csv((-20..).map(|index| index * 10).zip(stairs(20)));
    assert_eq!(members(&csv, "index"), [0, 200]);
    assert_eq!(members(&csv, "interval"), [json!([-9, 0]), json!([191, 200])]);
}

#[test]
fn rounds_levels_to_six_digits() {
    let csv = csv((0..).zip([vec![344.0; 24], vec![1_000.0 / 3.0; 30]].concat()));
    assert_eq!((members(&csv, "before"), members(&csv, "after")), (vec![json!(344.0)], vec![json!(333.333)]));
}

/// Rows of a commit are of the same build, whose time differs by up to 2 %.
#[test]
fn repeated_measurements_of_a_commit_count_once() {
    let build = |commit: i64| 1.0 + 0.02 * ((commit * 7_919 % 13) as f64 / 6.0 - 1.0);
    let rows = |step: f64| {
        let level = move |commit: i64| if commit < 60 { 100.0 } else { 100.0 * step };
        let commits = (0..120).map(move |commit| (commit, level(commit) * build(commit)));
        csv(commits.flat_map(|(commit, value)| (0..10).map(move |row| (commit, value + 0.01 * row as f64))))
    };
    assert_eq!(members(&rows(1.0), "index"), [0; 0]);
    assert_eq!(members(&rows(1.1), "index"), [60]);
}

#[test]
fn order_of_rows_does_not_matter() {
    let rows: Vec<(i64, f64)> = (0..).map(|at| at / 3).zip(stairs(60)).collect();
    let mut late = rows.clone();
    late.sort_by_key(|(index, _)| -index);
    for rows in [rows.clone(), rows.into_iter().rev().collect(), late] {
        assert_eq!(members(&csv(rows), "index"), [20, 40]);
    }
}

#[test]
fn commits_that_were_not_measured_are_in_the_interval() {
    let measured = (0..120).filter(|commit| commit % 3 != 1 && !(58..63).contains(commit));
    let level = |commit: i64| if commit < 60 { 100.0 } else { 110.0 };
    let csv = csv(measured.map(|commit| (commit, level(commit) * (1.0 + 0.002 * (commit % 5) as f64))));
    assert_eq!((members(&csv, "index"), members(&csv, "interval")), (vec![json!(63)], vec![json!([58, 63])]));
}

#[test]
fn lists_series_in_file_order() {
    let levels = [("z", stairs(40)), ("a, \"b\"", about(7.0, 120)), ("m", about(1e-9, 5))];
    let rows = |name: &str, values: &[f64]| -> Vec<String> {
        let name = name.replace('"', "\"\"");
        values.iter().enumerate().map(|(at, value)| format!("x,{value},\"{name}\",{at}\n")).collect()
    };
    let alone: Vec<Vec<String>> = levels.iter().map(|(name, values)| rows(name, values)).collect();
    let header = "note,value,series,index\n".to_owned();
    let mut interleaved = header.clone();
    for at in 0..120 {
        interleaved.extend(alone.iter().filter_map(|rows| rows.get(at)).map(String::as_str));
    }
    let found = series(&interleaved, &[]);
    assert_eq!(found[0]["change_points"].as_array().unwrap().len(), 2);
    let names: Vec<&Value> = found.iter().map(|series| &series["name"]).collect();
    assert_eq!(names, ["z", "a, \"b\"", "m"]);
    for (found, rows) in found.iter().zip(alone) {
        assert_eq!(series(&(header.clone() + &rows.concat()), &[]), std::slice::from_ref(found));
    }
}

#[test]
fn finds_nothing_in_constant_or_short_series() {
    let text = |values: &[f64]| printed(&detect(csv((0..).zip(values.to_vec())).as_bytes(), &[]));
    assert_eq!(text(&[7.0; 500]), "one: 500 points, no change\n\n1 series, 0 changes.\n");
    assert_eq!(text(&[7.0; 8]), "one: 8 points, no change\n\n1 series, 0 changes.\n");
    for (count, points) in [(1, "1 point"), (2, "2 points"), (3, "3 points"), (7, "7 points")] {
        let expected =
            format!("one: {points}, too few to find a change: needs at least 8\n\n1 series, 0 changes.\n");
        assert_eq!(text(&[1.0, 2.0, 900.0, 900.0, 900.0, 900.0, 900.0][..count]), expected);
        assert_eq!(members(&csv((0..).zip([1.0, 900.0]).take(count)), "index"), [0; 0]);
    }
}

/// With this noise, a change of 2 % is found but not reported; 3 % would be.
#[test]
fn small_changes_are_marked_and_listed_on_request() {
    let noise = |at: i64| 1.0 + 0.01 * ((at * 7 % 5) as f64 - 2.0);
    let level = |at: i64| if at < 150 { 100.0 } else { 102.0 };
    let csv = csv((0..300).map(|at| (at, level(at) * noise(at))));
    assert_eq!(members(&csv, "matters"), [false]);
    let text = printed(&detect(csv.as_bytes(), &[]));
    assert!(text.starts_with("one: 300 points, 1 small change\n\n1 series, 0 changes.\n"), "{text}");
    assert!(text.ends_with("\n1 small change is not listed. `--least 0` lists it.\n"), "{text}");
    for (least, matters) in [("0", true), ("1.5%", true), ("1.5 %", true), ("2.5", false)] {
        assert_eq!(series(&csv, &["--least", least])[0]["change_points"][0]["matters"], matters, "{least}");
    }
    for least in ["-1", "100", "x", "nan"] {
        let output = detect(csv.as_bytes(), &[&format!("--least={least}")]);
        crate::refused(&output, 2, &["expected a percentage from 0 to less than 100, for example `2%`"]);
    }
}

#[test]
fn slow_creep_is_a_drift() {
    let level = |at: i64| 100.0 * (1.0 + 0.3 * at as f64 / 1_000.0);
    let csv =
        csv((0..1_000).map(|at| (at, level(at) * (1.0 + 0.01 * ((at * 7_919 % 13) as f64 / 6.0 - 1.0)))));
    let kinds = members(&csv, "kind");
    let first = kinds.iter().position(|kind| kind == "drift").unwrap();
    let [before, after] = ["before", "after"].map(|member| members(&csv, member)[first].as_f64().unwrap());
    assert!(after / before > 1.05, "{before} {after}");
    let text = printed(&detect(csv.as_bytes(), &[]));
    assert!(text.contains("since ") && text.contains("regressed, drift"), "{text}");
    assert!(text.contains("\nA drift is many small changes that add up since the given index."), "{text}");
}

#[test]
fn return_to_a_level_seen_twice_is_a_known_state() {
    let level = |at: i64| if (at / 20) % 2 == 0 { 100.0 } else { 140.0 };
    let csv = csv((0..160).map(|at| (at, level(at) * (1.0 + 0.002 * (at * 7 % 5) as f64))));
    let kinds = members(&csv, "kind");
    assert_eq!(kinds, ["step", "step", "step", "known_state", "known_state", "known_state", "known_state"]);
    let text = printed(&detect(csv.as_bytes(), &[]));
    assert!(text.contains("1 series, 7 changes: 2 regressed, 1 improved, 4 known states"), "{text}");
}

#[test]
fn prefix_of_a_file_has_a_prefix_of_the_changes() {
    let csv = csv((0..).zip(stairs(25)));
    let lines: Vec<&str> = csv.lines().collect();
    let all = members(&csv, "index");
    let mut known = 0;
    for end in (2..=lines.len()).step_by(3) {
        let found = members(&lines[..end].join("\n"), "index");
        assert!(found.len() >= known && all.starts_with(&found), "{found:?} of {end} lines");
        known = found.len();
    }
    assert_eq!((known, all), (2, vec![json!(25), json!(50)]));
}

#[test]
fn searches_a_million_points() {
    let level = |at: i64| if at < 500_000 { 100.0 } else { 110.0 };
    let csv = csv((0..1_000_000).map(|at| (at, level(at) * (1.0 + 0.002 * (at * 7 % 5) as f64))));
    assert_eq!(members(&csv, "index"), [500_000]);
}

#[test]
fn escapes_names() {
    let text = printed(&detect(b"series,index,value\n\"a\x1b[31m\nb\",1,2\n\xc3\xa4,1,2\n", &[]));
    assert!(text.starts_with("a\\u{1b}[31m\\nb: 1 point"), "{text:?}");
    assert!(text.contains("\n\u{e4}: 1 point"), "{text:?}");
}

#[test]
fn reports_errors_with_place_and_expectation() {
    let value = "expected a finite number above 0";
    let columns = "expected the columns `series`, `index` and `value`";
    let many = format!("{}\n", (0..500).map(|column| format!("c{column},")).collect::<String>());
    for (csv, expected) in [
        (
            "",
            ["standard input: the file is empty", "expected a header with the columns `series`, `index` and"],
        ),
        ("\r\n\n", ["standard input: the file is empty", "expected a header"]),
        ("series,index,value\n", ["no rows below the header", "expected one row for each value"]),
        ("a,1,2\na,2,3\n", [r#"line 1: the header has no column `series`: "a", "1", "2""#, columns]),
        ("series;index;value\n", [r#"no column `series`: "series;index;value""#, columns]),
        ("Series,index,value\n", ["no column `series`", columns]),
        ("series,value\na,2\n", [r#"line 1: the header has no column `index`: "series", "value""#, columns]),
        ("series,value,index,value\n", ["the header has several columns `value`", columns]),
        (&many, [r#""c8", "c9", and 491 more"#, columns]),
        ("series,index,value\na,1,2\na,1\n", ["line 3: the row has 2 cells", "expected 3, like the header"]),
        ("series,index,value\na,1,2,5\n", ["line 2: the row has 4 cells", "expected 3, like the header"]),
        ("series,index,value\n,1,2\n", ["line 2: `series` is missing", "expected the name of a series"]),
        (
            "series,index,value\na,1.0,2\n",
            [r#"line 2: `index` of series "a" is "1.0""#, "expected a whole number"],
        ),
        ("series,index,value\na,9e9,2\n", [r#"`index` of series "a" is "9e9""#, "expected a whole number"]),
        ("series,index,value\na,,2\n", [r#"`index` of series "a" is missing"#, "expected a whole number"]),
        ("series,index,value\na,1,2\n\nb,7,\n", [r#"line 4: `value` of series "b" is missing"#, value]),
        ("series,index,value\na,1,fast\n", [r#"line 2: `value` of series "a" is "fast""#, value]),
        ("series,index,value\na,1,NaN\n", [r#"line 2: `value` of series "a" is "NaN""#, value]),
        ("series,index,value\na,1,inf\n", [r#"line 2: `value` of series "a" is "inf""#, value]),
        ("series,index,value\na,1,1e999\n", [r#"line 2: `value` of series "a" is "1e999""#, value]),
        ("series,index,value\na,1,0\n", [r#"line 2: `value` of series "a" is "0""#, value]),
        ("series,index,value\na,1,-3\n", [r#"line 2: `value` of series "a" is "-3""#, value]),
    ] {
        refused(csv.as_bytes(), &expected);
    }
    refused(
        b"series,index,value\na,1,2\na\xff,2,2\n",
        &["line 3: cell 1 is not UTF-8", "expected text in UTF-8"],
    );
    refused(b"\xff\xfes\0e\0", &["line 1: cell 1 is not UTF-8"]);
}

fn refused(csv: &[u8], expected: &[&str]) {
    let output = detect(csv, &[]);
    let error_text = crate::refused(&output, 2, expected);
    assert!(output.stdout.is_empty() && error_text.lines().count() == 1, "{error_text}");
}

#[test]
fn names_an_unreadable_file() {
    let folder = tempfile::tempdir().unwrap();
    fs::create_dir(folder.path().join("folder")).unwrap();
    for name in ["absent.csv", "folder"] {
        let expected = format!("error: cannot read {name}: ");
        crate::refused(&run_command(folder.path(), &["detect", name]), 2, &[&expected]);
    }
    fs::write(folder.path().join("empty.csv"), "").unwrap();
    crate::refused(
        &run_command(folder.path(), &["detect", "empty.csv"]),
        2,
        &["empty.csv: the file is empty"],
    );
}
