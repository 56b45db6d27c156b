//! Imports of size profiles: valid, generated and invalid files.

use crate::fuzz::check_sizes;
use crate::support::{Golden, golden_in, snapshot};
use base64::{Engine, prelude::BASE64_STANDARD};
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Serializer, V2DeflateSerializer};
use proptest::prelude::*;
use roundtrip_import::sizes::{SizeFormat, SizeImport, read};
use std::collections::BTreeMap;
use std::fmt::Write;

fn golden() -> Vec<Golden<SizeFormat>> {
    golden_in("tests/golden-sizes")
}

fn read_text(text: &str) -> SizeImport {
    read(text.as_bytes(), None).unwrap_or_else(|error| panic!("{error}:\n{text}"))
}

#[test]
fn golden_files_match_their_snapshots() {
    let mut text = String::new();
    for Golden { format, name, bytes } in golden() {
        let import = read(&bytes, None).unwrap_or_else(|error| panic!("{name}: {error}"));
        assert_eq!(import.format, format, "{name}");
        writeln!(text, "{name}: {} messages\n{}", import.sizes.count(), import.sizes).unwrap();
        for warning in import.warnings {
            writeln!(text, "warning: {warning}").unwrap();
        }
    }
    snapshot("sizes", &text);
}

#[test]
fn detects_one_format_per_golden_file() {
    for Golden { format, name, bytes } in golden() {
        let detected: Vec<_> =
            SizeFormat::all().iter().filter(|format| format.detect(&bytes)).copied().collect();
        assert_eq!(detected, [format], "{name}");
    }
    for format in SizeFormat::all() {
        assert!(golden().iter().any(|golden| golden.format == *format), "{format}");
    }
}

#[test]
fn reads_all_messages_of_the_published_table() {
    let import = read(include_bytes!("../../../wire/data/chromium-message-sizes.csv"), None).unwrap();
    assert_eq!((import.format.slug(), import.sizes.count()), ("buckets-csv", 37_573));
    assert_eq!((import.sizes.min_bytes(), import.sizes.max_bytes()), (12, 16_062));
    assert_eq!(import.warnings, Vec::<String>::new());
}

#[test]
fn reads_columns_of_spreadsheets() {
    for (format, text) in [
        ("sizes-csv", "\"bytes\",\"count\"\n64,3\n\"12\",\"7\"\n"),
        ("sizes-csv", "bytes;count\r\n64;3\r\n12; 7\r\n"),
        ("sizes-csv", "\"bytes\"\n64\n64\n64\n12\n12\n12\n12\n12\n12\n12\n"),
        ("buckets-csv", "from_bytes\tto_bytes\tcount\n12\t12\t7\n64\t64\t3\n"),
        ("buckets-csv", "\"bucket_min_bytes\";\"count\"\n12;7\n13;0\n64;3\n65;0\n"),
    ] {
        let import = read_text(text);
        assert_eq!((import.format.slug(), import.sizes.to_string()), (format, "12:7,64:3".into()), "{text}");
    }
}

#[test]
fn warns_when_merging_too_many_sizes() {
    let text: String = (0..5_000).map(|bytes| format!("{bytes}\n")).collect();
    let SizeImport { sizes, warnings, .. } = read_text(&text);
    assert!((500..=1_000).contains(&sizes.buckets().len()), "{}", sizes.buckets().len());
    assert_eq!((sizes.count(), sizes.min_bytes(), sizes.max_bytes()), (5_000, 0, 4_999));
    assert_eq!(
        warnings,
        [format!(
            "merged 5000 buckets or sizes into {} (the maximum is 1000); the widest spans 0.76 %",
            sizes.buckets().len()
        )]
    );
}

#[test]
fn ignores_empty_buckets() {
    let empty: String = (1..3_000).map(|bytes| format!("{bytes},0\n")).collect();
    let import = read_text(&format!("bucket_min_bytes,count\n0,3\n{empty}3000,4\n3001,0\n"));
    assert_eq!((import.sizes.to_string(), import.warnings), ("0:3,3000:4".into(), Vec::new()));
}

#[test]
fn warns_of_a_different_stated_count() {
    let import = read_text(r#"{"name": "a", "count": 7, "buckets": [{"low": 1, "high": 3, "count": 5}]}"#);
    assert_eq!(import.warnings, ["the file states 7 messages, but its buckets contain 5"]);
    assert_eq!(import.sizes.to_string(), "1-2:5");
}

#[test]
fn reads_the_samples_of_a_complete_histogram_set() {
    let set = |count: u8| {
        format!(
            r#"[{{"name": "a", "unit": "sizeInBytes", "binBoundaries": [0, [0, 100, 10]], "allBins": {{"2": [3]}},
                "sampleValues": [12, 12, 15], "running": [{count}, 18, 2.6, 13.0, 12, 39, 3.0]}}]"#
        )
    };
    assert_eq!(read_text(&set(3)).sizes.to_string(), "12:2,15:1");
    // The bin covers 10 to 20 bytes, but no sample is shorter than the stated smallest one.
    let import = read_text(&set(4));
    assert_eq!(import.sizes.to_string(), "12-18:3");
    assert_eq!(import.warnings, ["the file states 4 messages, but its buckets contain 3"]);
}

#[test]
fn unbounded_bins_end_at_the_extreme_samples() {
    let text = r#"[{"name": "a", "unit": "sizeInBytes", "binBoundaries": [100, 200], "allBins": [[1], [2, {"x": []}], [3]],
        "running": [6, 5000, 2.6, 13.0, 40, 39, 3.0]}]"#;
    assert_eq!(read_text(text).sizes.to_string(), "40-99:1,100-199:2,200-5000:3");
}

fn hdr(values: &[(u64, u64)], digits: u8) -> (Histogram<u64>, String) {
    let mut histogram: Histogram<u64> = Histogram::new_with_bounds(1, 1 << 40, digits).unwrap();
    for &(value, count) in values {
        histogram.record_n(value, count).unwrap();
    }
    let mut bytes = Vec::new();
    V2DeflateSerializer::new().serialize(&histogram, &mut bytes).unwrap();
    (histogram, BASE64_STANDARD.encode(bytes))
}

#[test]
fn adds_up_intervals_and_histograms() {
    let (_, one) = hdr(&[(12, 3), (1_000_000, 1)], 2);
    let (_, other) = hdr(&[(12, 4), (64, 1)], 2);
    for text in [
        format!("{one}\n{other}\n"),
        format!("#[Histogram log format version 1.3]\n0,1,1,{one}\n1,1,0,{other}\n"),
    ] {
        let import = read_text(&text);
        assert_eq!(
            (import.format.slug(), import.sizes.to_string()),
            ("hdr", "12:7,64:1,999424-1003519:1".into())
        );
    }
}

proptest! {
    /// For sizes in any order and number.
    #[test]
    fn keeps_all_messages_of_a_list(sizes in prop::collection::vec((0..1_u64 << 40, 1..1_000_u64), 1..3_000)) {
        let mut text = "bytes,count\n".to_owned();
        let mut counts: BTreeMap<u64, u64> = BTreeMap::new();
        for &(bytes, count) in &sizes {
            writeln!(text, "{bytes},{count}").unwrap();
            *counts.entry(bytes).or_default() += count;
        }
        let import = read_text(&text);
        prop_assert_eq!(import.sizes.count(), counts.values().sum::<u64>());
        prop_assert_eq!(import.warnings.is_empty(), counts.len() <= 1_000);
        for bucket in import.sizes.buckets() {
            let within: u64 = counts.range(bucket.from_bytes..=bucket.to_bytes).map(|(_, count)| count).sum();
            prop_assert_eq!(within, bucket.count);
        }
    }

    /// Buckets stay unchanged, in each of the three forms.
    #[test]
    fn keeps_buckets_unchanged(parts in prop::collection::vec((1..5_000_u64, 0..9_u64), 1..60)) {
        let mut beginnings = "bucket_min_bytes,count\n".to_owned();
        let mut ranges = "from_bytes,to_bytes,count\n".to_owned();
        let (mut low, mut buckets, mut expected) = (0, Vec::new(), Vec::new());
        for (width, count) in parts {
            let high = low + width;
            writeln!(beginnings, "{low},{count}").unwrap();
            writeln!(ranges, "{low},{},{count}", high - 1).unwrap();
            buckets.push(format!(r#"{{"low": {low}, "high": {high}, "count": {count}}}"#));
            expected.extend(Some((low, high - 1, count)).filter(|_| count > 0));
            low = high;
        }
        writeln!(beginnings, "{low},0").unwrap();
        let uma = format!(r#"{{"name": "a", "buckets": [{}]}}"#, buckets.join(","));
        for text in [beginnings, ranges, uma] {
            match read(text.as_bytes(), None) {
                Ok(import) => {
                    let buckets = import.sizes.buckets().iter();
                    let found: Vec<_> = buckets.map(|one| (one.from_bytes, one.to_bytes, one.count)).collect();
                    prop_assert_eq!(&found, &expected);
                }
                Err(error) => prop_assert!(expected.is_empty(), "{}", error),
            }
        }
    }

    #[test]
    fn bins_match_the_library(values in prop::collection::vec((0..1_u64 << 39, 1..100_u64), 1..40), digits in 1..=5_u8) {
        let (theirs, text) = hdr(&values, digits);
        let mut expected: BTreeMap<(u64, u64), u64> = BTreeMap::new();
        for (value, count) in values {
            *expected.entry((theirs.lowest_equivalent(value), theirs.highest_equivalent(value))).or_default() += count;
        }
        let import = read_text(&text);
        let found = import.sizes.buckets().iter().map(|one| ((one.from_bytes, one.to_bytes), one.count));
        prop_assert_eq!(found.collect::<BTreeMap<_, _>>(), expected);
    }

    #[test]
    fn survives_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check_sizes(&bytes);
    }

    #[test]
    fn survives_any_text(text in "(bytes\n|bytes,count\n|bucket_min_bytes,count\n|from_bytes,to_bytes,count\n)?[\\[\\]{}\":,a-e0-9\n\\-. ]{0,200}") {
        check_sizes(text.as_bytes());
    }

    #[test]
    fn survives_corrupted_files(
        index in any::<prop::sample::Index>(), at in any::<prop::sample::Index>(), byte in any::<u8>(),
        put in prop::sample::select(vec!["-", "1e300", "99999999999999999999", "[", "null", "0.5", "{}", "\n", ","]),
    ) {
        let golden = golden();
        let bytes = &index.get(&golden).bytes;
        let at = at.index(bytes.len());
        let mut flipped = bytes.clone();
        flipped[at] ^= byte;
        check_sizes(&flipped);
        check_sizes(&[&bytes[..at], put.as_bytes(), &bytes[at..]].concat());
        check_sizes(&bytes[..at]);
    }
}

/// Invalid texts, by format.
const WRONG: &[(&str, &[&str])] = &[
    (
        "buckets-csv",
        &[
            "",
            "\nlow,high\n1,2",
            "bucket_min_bytes,count\n",
            "bucket_min_bytes,count\n1,0\n2,0\n",
            "bucket_min_bytes,count\n1,5\n2,7\n",
            "bucket_min_bytes,count\n8,5\n8,0\n",
            "bucket_min_bytes,count\n8,5,1\n",
            "bucket_min_bytes,count\n-8,5\n",
            "from_bytes,to_bytes,count\n1,8,1\n\n8,9,1\n",
            "from_bytes,to_bytes,count\n9,8,1\n",
            "from_bytes,to_bytes,count\n1,8,1.5\n",
            "from_bytes,to_bytes,count\n1,8,99999999999999999999\n",
            "from_bytes,to_bytes,count\n1,8,1125899906842625\n",
        ],
    ),
    (
        "sizes-csv",
        &[
            "",
            "bytes\n12\n-1\n",
            "bytes,count\n12,\n",
            "12.5\n",
            "12\n64,3\n",
            "bytes,count\n12\n",
            "1\n2000000000000\n",
            "bytes,count\n1,1125899906842624\n1,1\n",
        ],
    ),
    ("hdr", &["", "HIST?\n", "Tag=a,0,1,1,HISTFAAAAB14nJNpmSzMgADMUJoRyHQz2LGAwf4DRAAATjkESw==\n0,1,1,HIST"]),
    (
        "uma-json",
        &[
            "{}",
            "[]",
            "[{\"name\": \"a\", \"buckets\": [{\"low\": 1, \"high\": 2, \"count\": 1}]}, {\"name\": \"b\", \"buckets\": []},\n            {\"name\": \"c\", \"buckets\": [{\"low\": 1, \"high\": 2, \"count\": 1}]}]",
            r#"{"buckets": [{"low": 4, "high": 4, "count": 1}]}"#,
            r#"{"histograms": [{"buckets": [{"low": 4, "high": 9, "count": 1}, {"low": 8, "high": 12, "count": 0}]}]}"#,
            r#"{"buckets": [{"low": -4, "high": 4, "count": 1}]}"#,
            r#"{"buckets": [{"low": 4, "high": 8.5, "count": 1}]}"#,
            r#"{"buckets": [{"low": 1000000, "count": 3}]}"#,
            r#"{"histogram": {"buckets": [{"low": 1000000, "high": 2147483647, "count": 3}]}}"#,
        ],
    ),
    (
        "histogram-set",
        &[
            "[]",
            r#"[{"name": "a", "unit": "ms", "sampleValues": [1]}]"#,
            r#"[{"name": "a", "unit": "sizeInBytes", "sampleValues": [1]}, {"name": "b", "unit": "sizeInBytes", "sampleValues": [1]}]"#,
            r#"[{"name": "a", "unit": "sizeInBytes", "sampleValues": [1, 2.5]}]"#,
            r#"[{"name": "a", "unit": "sizeInBytes", "sampleValues": [-1]}]"#,
            r#"[{"name": "a", "unit": "sizeInBytes", "allBins": {"1": [5]}}]"#,
            r#"[{"name": "a", "unit": "sizeInBytes", "binBoundaries": [1, [2, 9, 3]], "allBins": {"1": [5]}}]"#,
            r#"[{"name": "a", "unit": "sizeInBytes", "binBoundaries": [1, [0, 9, 1000000000000]], "allBins": {"1": [5]}}]"#,
            r#"[{"name": "a", "unit": "sizeInBytes", "binBoundaries": [1, 9], "allBins": {"2": [5]}}]"#,
            r#"[{"name": "a", "unit": "sizeInBytes", "binBoundaries": [1, 9], "allBins": {"3": [5]}}]"#,
            r#"[{"name": "a", "unit": "sizeInBytes", "binBoundaries": [1.1, 1.2], "allBins": {"1": [5]}}]"#,
            r#"[{"name": "a", "unit": "sizeInBytes", "binBoundaries": [9, 1], "allBins": {"1": [5]}}]"#,
        ],
    ),
];

#[test]
fn errors_name_place_and_expectation() {
    let mut errors = String::new();
    for (format, texts) in WRONG {
        for text in *texts {
            let refused = match read(text.as_bytes(), Some(format.parse().unwrap())) {
                Ok(import) => format!("read: {}, {:?}", import.sizes, import.warnings),
                Err(error) => error.to_string(),
            };
            writeln!(errors, "{format}: {text:?}\n    {refused}").unwrap();
        }
    }
    snapshot("refused-sizes", &errors);
}

#[test]
fn lists_known_formats_for_uncertain_files() {
    for text in ["", "12,3", "a\n12", "1.5\n2", "{}", "[]", r#"{"buckets": [{"from_bytes": 1}]}"#, "size\n12"]
    {
        assert_eq!(
            read(text.as_bytes(), None).unwrap_err().to_string(),
            "unknown format: expected message sizes in one of buckets-csv, hdr, histogram-set, sizes-csv, uma-json",
            "{text}"
        );
    }
}

#[test]
fn rejects_invalid_text_with_its_offset() {
    assert_eq!(read(b"12\n\xff", None).unwrap_err().to_string(), "byte 3: expected UTF-8 text");
}
