//! `roundtrip sizes`: a histogram as a table, JSON and one line, or an error message.

use crate::{error_text, printed, printed_json, refused, run_with_input};
use roundtrip_wire::size_profile::SizeHistogram;
use serde_json::json;
use std::process::Output;

const CHROMIUM: &[u8] = include_bytes!("../../../crates/wire/data/chromium-message-sizes.csv");

fn sizes(file: &[u8], arguments: &[&str]) -> Output {
    run_with_input(&std::env::temp_dir(), &[&["sizes", "-"], arguments].concat(), file)
}

#[test]
fn table_matches_the_golden_file() {
    let output = sizes(CHROMIUM, &[]);
    let text = printed(&output);
    assert_eq!(error_text(&output), "");
    assert_eq!(text, include_str!("../golden/sizes/human.txt"));
    let (_, line) = text.trim_end().rsplit_once('\n').unwrap();
    assert_eq!(line.parse::<SizeHistogram>().unwrap().count(), 37_573);
    let long = text.lines().filter(|&other| other != line).find(|line| line.chars().count() > 80);
    assert_eq!(long, None);
}

#[test]
fn json_has_every_bucket_and_the_text() {
    let answer = printed_json(&sizes(b"bytes\n64\n12\n64\n", &["--format", "json"]));
    let expected = json!({
        "format": "sizes-csv", "text": "12:1,64:2", "message_count": 3, "min_bytes": 12, "max_bytes": 64,
        "bytes_p50": 64, "bytes_p90": 64, "bytes_p99": 64,
        "buckets": [{"from_bytes": 12, "to_bytes": 12, "count": 1}, {"from_bytes": 64, "to_bytes": 64, "count": 2}],
    });
    assert_eq!(answer, expected);
}

#[test]
fn text_parses_to_the_same_sizes() {
    let text = printed(&sizes(CHROMIUM, &["--format", "text", "--from", "buckets-csv"]));
    assert_eq!(text.lines().count(), 1);
    assert!(text.starts_with("12-15:4387,16-20:990,"), "{text}");
}

#[test]
fn merges_buckets_in_the_table() {
    let file: String = (0..3_000).map(|bytes| format!("{bytes}\n")).collect();
    let output = sizes(file.as_bytes(), &[]);
    assert!(error_text(&output).contains("standard-input: merged 3000 buckets or sizes"));
    let text = printed(&output);
    assert!(text.lines().count() < 65 && text.contains(" buckets, shown in "), "{text}");
}

#[test]
fn reports_the_place_of_format_errors() {
    assert_eq!(
        refused(&sizes(b"bytes\n12\n1.5\n", &[]), 2, &[]),
        "error: standard-input: sizes-csv: line 3, bytes: expected a whole number of 0 or more, found \
         `1.5`\n"
    );
    refused(&sizes(b"hello\n", &[]), 2, &[]);
    refused(&sizes(b"", &["--from", "excel"]), 2, &["[possible values: auto, buckets-csv, hdr"]);
}
