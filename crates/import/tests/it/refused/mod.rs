//! What is refused, and in which words.

mod json;
mod lines;

use crate::support::text_of;
use roundtrip_import::import;

/// A format, a text in it that is wrong, and what is said of it.
type Refused = (&'static str, &'static str, &'static str);

fn refusal(format: &str, text: &str) -> String {
    match import(text.as_bytes(), Some(format.parse().unwrap())) {
        Ok(import) => format!("read: {} benchmarks, {:?}", import.benchmarks.len(), import.warnings),
        Err(error) => error.to_string(),
    }
}

#[test]
fn refusals_say_where_and_what_was_expected() {
    for (format, text, expected) in json::CASES.iter().chain(lines::CASES) {
        assert_eq!(refusal(format, text), *expected, "{text}");
    }
}

/// Each golden file, cut at two thirds of its length.
#[test]
fn a_file_that_is_cut_in_the_middle_says_where_it_ends() {
    let cases: &[(&str, &str)] = &[
        (
            "bmf/documented.json",
            "bmf: line 16, column 16, /bin/sh -c ./pipes.sh.build-time: expected the rest of an object, found the end of the text",
        ),
        (
            "criterion/messages.ndjson",
            "criterion: line 4, column 847, iteration_count: expected the rest of a list, found the end of the text",
        ),
        (
            "go/benchmem.txt",
            "read: 3 benchmarks, [\"left out, only times of operations are taken: B/op, MB/s, allocs/op\"]",
        ),
        (
            "google-benchmark/aggregates.json",
            "google-benchmark: line 116, column 3, benchmarks[4]: expected the rest of a value, found the end of the text",
        ),
        (
            "hdr-log/java-tagged.hlog",
            "hdr-log: line 10: expected a histogram in base64, found another text: Invalid padding",
        ),
        (
            "histogram-set/documented.json",
            "histogram-set: line 297, column 6, [10]: expected the rest of a string, found the end of the text",
        ),
        (
            "hyperfine/failing.json",
            "hyperfine: line 26, column 16, results[0].memory_usage_byte: expected the rest of a list, found the end of the text",
        ),
        (
            "jmh/avgt.json",
            "jmh: line 80, column 15, [1].params: expected the rest of a string, found the end of the text",
        ),
        (
            "k6/handle-summary.json",
            "k6: line 156, column 23, metrics.http_req_duration{expected_response:true}.values: expected the rest of an object, found the end of the text",
        ),
        ("node/compare.csv", "node: line 17: expected 5 fields, found 4"),
        (
            "pytest-benchmark/data.json",
            "pytest-benchmark: line 452, column 21, benchmarks[1].stats.data: expected the rest of a list, found the end of the text",
        ),
    ];
    for (name, expected) in cases {
        let text = text_of(name);
        let cut = &text[..text.len() * 2 / 3];
        let format = name.split('/').next().unwrap();
        assert_eq!(refusal(format, cut), *expected, "{name}");
        let recognised =
            import(cut.as_bytes(), None).map_or_else(|error| error.to_string(), |_| "read".into());
        assert_eq!(recognised.split(':').next(), expected.split(':').next(), "{name}");
    }
}

#[test]
fn bytes_that_are_no_text_are_refused_in_every_format() {
    for format in roundtrip_import::Format::all() {
        let error = format.parse(b"{\"a\": \"\xff\"}").unwrap_err();
        assert_eq!(error.to_string(), "byte 7: expected UTF-8 text");
    }
}
