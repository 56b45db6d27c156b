//! Hostile input: no panic, no unbounded message, no import beyond the limits.

use crate::fuzz::check;
use crate::support::{Golden, golden, import};
use base64::Engine;
use proptest::prelude::*;
use roundtrip_import::{BENCHMARKS_MAX, Format, VALUES_MAX};
use std::io::Read;
use std::sync::LazyLock;

static GOLDEN: LazyLock<Vec<Golden>> = LazyLock::new(golden);

/// Reads an input in every format and entry point.
fn check_all(bytes: &[u8]) {
    Format::all().iter().map(|format| Some(format.slug())).chain([None]).for_each(|slug| check(bytes, slug));
}

/// A way to corrupt a file.
#[derive(Clone, Debug)]
enum Change {
    Flip(usize, u8),
    Cut(usize, usize),
    Twice(usize, usize),
    Put(usize, &'static str),
}

fn change() -> impl Strategy<Value = Change> {
    let at = 0..60_000_usize;
    let text = prop::sample::select(
        "NaN|-1|1e999|1e300|null|\"\"|{|[|]|}|,|\n|\u{0}|é|Tag=|Benchmark|999999999999999999999|\"name\":|#|[[[[[[[["
            .split('|')
            .collect::<Vec<_>>(),
    );
    prop_oneof![
        (at.clone(), 1..=255_u8).prop_map(|(at, mask)| Change::Flip(at, mask)),
        (at.clone(), 1..5_000_usize).prop_map(|(at, length)| Change::Cut(at, length)),
        (at.clone(), 1..5_000_usize).prop_map(|(at, length)| Change::Twice(at, length)),
        (at, text).prop_map(|(at, text)| Change::Put(at, text)),
    ]
}

fn changed(mut bytes: Vec<u8>, changes: &[Change]) -> Vec<u8> {
    for change in changes {
        let length = bytes.len().max(1);
        let span = |at: usize, span: usize| at % length..(at % length + span).min(bytes.len());
        match *change {
            Change::Flip(at, mask) => bytes.get_mut(at % length).into_iter().for_each(|byte| *byte ^= mask),
            Change::Cut(at, count) => drop(bytes.drain(span(at, count))),
            Change::Twice(at, count) => {
                let part = bytes[span(at, count)].to_vec();
                bytes.splice(at % length..at % length, part);
            }
            Change::Put(at, text) => {
                drop(bytes.splice(at % length..at % length, text.bytes()).collect::<Vec<_>>());
            }
        }
        if bytes.is_empty() {
            break;
        }
    }
    bytes
}

proptest! {
    #[test]
    fn survives_any_bytes(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        check_all(&bytes);
    }

    #[test]
    fn survives_any_text(text in "[\\[\\]{}\":,a-e0-9\n\\-. ]{0,200}") {
        check_all(text.as_bytes());
    }

    #[test]
    fn survives_corrupted_files(
        index in any::<prop::sample::Index>(), changes in prop::collection::vec(change(), 1..6),
    ) {
        let golden = index.get(&GOLDEN);
        let bytes = changed(golden.bytes.clone(), &changes);
        check(&bytes, Some(golden.format.slug()));
        check(&bytes, None);
    }
}

#[test]
fn limits_values_that_take_few_bytes() {
    let many = |text: String, format: &str| {
        import(text.as_bytes(), Some(format.parse().unwrap())).unwrap_err().to_string()
    };
    let times =
        format!("{{\"results\": [{{\"command\": \"a\", \"times\": [{}1]}}]}}", "1,".repeat(VALUES_MAX));
    let error = many(times, "hyperfine");
    assert!(error.ends_with("results[0].times: expected at most 3000000 elements"), "{error}");
    let half = format!(r#"{{"name": "a", "stats": {{"data": [{}1]}}}}"#, "1,".repeat(VALUES_MAX / 2));
    let halves = format!(r#"{{"machine_info": {{"python_version": "3"}}, "benchmarks": [{half}, {half}]}}"#);
    let error = "pytest-benchmark: benchmarks[1].stats: expected at most 3000000 values in a file";
    assert_eq!(many(halves, "pytest-benchmark"), error);
    let names = (0..=BENCHMARKS_MAX).map(|number| format!("BenchmarkA{number} 1 1 ns/op\n")).collect();
    assert_eq!(many(names, "go"), "go: line 300001: expected at most 300000 benchmarks");
}

#[test]
fn rejects_deep_nesting() {
    for format in Format::all() {
        for (open, close) in [("[", "]"), ("{\"a\":", "}")] {
            let text = format!("{}1{}", open.repeat(200_000), close.repeat(200_000));
            assert!(format.parse(text.as_bytes()).is_err());
        }
    }
    assert!(import("[".repeat(1 << 20).as_bytes(), None).is_err());
}

#[test]
fn limits_the_tags_of_a_log() {
    let golden = GOLDEN.iter().find(|golden| golden.name == "hdr-log/java-tagged.hlog").unwrap();
    let text = std::str::from_utf8(&golden.bytes).unwrap();
    let histogram = text.lines().last().unwrap().rsplit(',').next().unwrap();
    let log: String = (0..=1_000).map(|tag| format!("Tag={tag},0,1,0.1,{histogram}\n")).collect();
    assert_eq!(
        import(log.as_bytes(), None).unwrap_err().to_string(),
        "hdr-log: line 1001: expected at most 1000 tags"
    );
}

/// A megabyte of counts deflates to a thousandth of its size: a log with these lines would take minutes.
#[test]
fn rejects_decompression_bombs() {
    let mut inner = Vec::new();
    for word in [0x1c84_9313_u32, 1_000_000, 0, 3] {
        inner.extend(word.to_be_bytes());
    }
    for word in [1_u64, 1 << 40, 1.0_f64.to_bits()] {
        inner.extend(word.to_be_bytes());
    }
    inner.resize(inner.len() + 1_000_000, 0);
    let mut deflated = Vec::new();
    flate2::read::ZlibEncoder::new(inner.as_slice(), flate2::Compression::best())
        .read_to_end(&mut deflated)
        .unwrap();
    let header =
        [0x1c84_9314_u32.to_be_bytes(), u32::try_from(deflated.len()).unwrap().to_be_bytes()].concat();
    let text = base64::prelude::BASE64_STANDARD.encode([header, deflated].concat());
    let log = format!("0,1,0.1,{text}\n").repeat(20);
    assert_eq!(
        import(log.as_bytes(), None).unwrap_err().to_string(),
        "hdr-log: line 2: expected at most 8 bytes of histograms for each byte of the log, found more"
    );
}
