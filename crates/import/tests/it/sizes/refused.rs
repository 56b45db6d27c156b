//! What is refused, and in which words.

use roundtrip_import::sizes::read;

/// A format, a text in it that is wrong, and what is said of it.
type Refused = (&'static str, &'static str, &'static str);

const LINES: &[Refused] = &[
    ("buckets-csv", "", "line 1: expected the header bucket_min_bytes,count or from_bytes,to_bytes,count"),
    (
        "buckets-csv",
        "\nlow,high\n1,2",
        "line 2: expected the header bucket_min_bytes,count or from_bytes,to_bytes,count",
    ),
    ("buckets-csv", "bucket_min_bytes,count\n", "expected at least one message, found none"),
    ("buckets-csv", "bucket_min_bytes,count\n1,0\n2,0\n", "expected at least one message, found none"),
    (
        "buckets-csv",
        "bucket_min_bytes,count\n1,5\n2,7\n",
        "line 3, count: expected 0, because the last line only ends the bucket before it, found 7: where do these end?",
    ),
    (
        "buckets-csv",
        "bucket_min_bytes,count\n8,5\n8,0\n",
        "line 3, bucket_min_bytes: expected more than 8, where the bucket before begins, found 8",
    ),
    (
        "buckets-csv",
        "bucket_min_bytes,count\n8,5,1\n",
        "line 2: expected 2 fields, bucket_min_bytes, count, found 3",
    ),
    (
        "buckets-csv",
        "bucket_min_bytes,count\n-8,5\n",
        "line 2, bucket_min_bytes: expected a whole number that is not negative, found `-8`",
    ),
    (
        "buckets-csv",
        "from_bytes,to_bytes,count\n1,8,1\n\n8,9,1\n",
        "line 4: the bucket from 8 bytes begins within or below the one before, which ends at 8 bytes",
    ),
    (
        "buckets-csv",
        "from_bytes,to_bytes,count\n9,8,1\n",
        "line 2: the bucket from 9 to 8 bytes ends before it begins",
    ),
    (
        "buckets-csv",
        "from_bytes,to_bytes,count\n1,8,1.5\n",
        "line 2, count: expected a whole number that is not negative, found `1.5`",
    ),
    (
        "buckets-csv",
        "from_bytes,to_bytes,count\n1,8,99999999999999999999\n",
        "line 2, count: expected a number that fits into 64 bits, found `99999999999999999999`",
    ),
    (
        "buckets-csv",
        "from_bytes,to_bytes,count\n1,8,1125899906842625\n",
        "line 2: a bucket has 1125899906842625 messages: expected at most 1125899906842624",
    ),
    ("sizes-csv", "", "expected at least one message, found none"),
    (
        "sizes-csv",
        "bytes\n12\n-1\n",
        "line 3, bytes: expected a whole number that is not negative, found `-1`",
    ),
    (
        "sizes-csv",
        "bytes,count\n12,\n",
        "line 2, count: expected a whole number that is not negative, found ``",
    ),
    ("sizes-csv", "12.5\n", "line 1, bytes: expected a whole number that is not negative, found `12.5`"),
    ("sizes-csv", "12\n64,3\n", "line 2: expected 1 fields, bytes, found 2"),
    ("sizes-csv", "bytes,count\n12\n", "line 2: expected 2 fields, bytes, count, found 1"),
    (
        "sizes-csv",
        "1\n2000000000000\n",
        "line 2: a message has 2000000000000 bytes: expected at most 1099511627776",
    ),
    (
        "sizes-csv",
        "bytes,count\n1,1125899906842624\n1,1\n",
        "line 3: a bucket has 1125899906842625 messages: expected at most 1125899906842624",
    ),
    ("hdr", "", "expected at least one message, found none"),
    (
        "hdr",
        "HIST?\n",
        "line 1: expected a histogram in base64, found another text: Invalid symbol 63, offset 4.",
    ),
    (
        "hdr",
        "Tag=a,0,1,1,HISTFAAAAB14nJNpmSzMgADMUJoRyHQz2LGAwf4DRAAATjkESw==\n0,1,1,HIST",
        "line 2: expected histograms of one tag, a, found untagged: take the lines of the other out",
    ),
];

const JSON: &[Refused] = &[
    ("uma-json", "{}", "expected a member buckets, histogram or histograms, found none"),
    ("uma-json", "[]", "expected a histogram with messages, found none"),
    (
        "uma-json",
        r#"[{"name": "a", "buckets": [{"low": 1, "high": 2, "count": 1}]}, {"name": "b", "buckets": []},
            {"name": "c", "buckets": [{"low": 1, "high": 2, "count": 1}]}]"#,
        "expected one histogram with messages, found 2: a, c",
    ),
    (
        "uma-json",
        r#"{"buckets": [{"low": 4, "high": 4, "count": 1}]}"#,
        "buckets[0]: expected a high above its low, which is 4, found 4",
    ),
    (
        "uma-json",
        r#"{"histograms": [{"buckets": [{"low": 4, "high": 9, "count": 1}, {"low": 8, "high": 12, "count": 0}]}]}"#,
        "histograms[0].buckets[1]: the bucket from 8 bytes begins within or below the one before, which ends at 8 bytes",
    ),
    (
        "uma-json",
        r#"{"buckets": [{"low": -4, "high": 4, "count": 1}]}"#,
        "line 1, column 23, buckets[0].low: expected a whole number that is not negative, found integer `-4`",
    ),
    (
        "uma-json",
        r#"{"buckets": [{"low": 4, "high": 8.5, "count": 1}]}"#,
        "line 1, column 35, buckets[0].high: expected a whole number that is not negative, found floating point `8.5`",
    ),
    (
        "uma-json",
        r#"{"buckets": [{"low": 1000000, "count": 3}]}"#,
        "buckets[0]: expected a high, where the bucket ends: 3 messages have 1000000 bytes or more. Write one, or take the bucket out",
    ),
    (
        "uma-json",
        r#"{"histogram": {"buckets": [{"low": 1000000, "high": 2147483647, "count": 3}]}}"#,
        "histogram.buckets[0]: expected a high, where the bucket ends: 3 messages have 1000000 bytes or more. Write one, or take the bucket out",
    ),
    ("histogram-set", "[]", "expected a histogram in sizeInBytes with messages, found none"),
    (
        "histogram-set",
        r#"[{"name": "a", "unit": "ms", "sampleValues": [1]}]"#,
        "expected a histogram in sizeInBytes, found a in ms",
    ),
    (
        "histogram-set",
        r#"[{"name": "a", "unit": "sizeInBytes", "sampleValues": [1]}, {"name": "b", "unit": "sizeInBytes", "sampleValues": [1]}]"#,
        "expected one histogram in sizeInBytes, found 2: a, b",
    ),
    (
        "histogram-set",
        r#"[{"name": "a", "unit": "sizeInBytes", "sampleValues": [1, 2.5]}]"#,
        "[0].sampleValues[1]: expected a whole number of bytes that is not negative, found 2.5",
    ),
    (
        "histogram-set",
        r#"[{"name": "a", "unit": "sizeInBytes", "sampleValues": [-1]}]"#,
        "[0].sampleValues[0]: expected a whole number of bytes that is not negative, found -1.0",
    ),
    (
        "histogram-set",
        r#"[{"name": "a", "unit": "sizeInBytes", "allBins": {"1": [5]}}]"#,
        "[0].binBoundaries: expected boundaries, since not all samples are listed, found none",
    ),
    (
        "histogram-set",
        r#"[{"name": "a", "unit": "sizeInBytes", "binBoundaries": [1, [2, 9, 3]], "allBins": {"1": [5]}}]"#,
        "[0].binBoundaries: expected a slice of kind 0, linear, or 1, exponential, found 2",
    ),
    (
        "histogram-set",
        r#"[{"name": "a", "unit": "sizeInBytes", "binBoundaries": [1, [0, 9, 1000000000000]], "allBins": {"1": [5]}}]"#,
        "[0].binBoundaries: expected 1 to 100000 bins, found 1000000000000",
    ),
    (
        "histogram-set",
        r#"[{"name": "a", "unit": "sizeInBytes", "binBoundaries": [1, 9], "allBins": {"2": [5]}}]"#,
        "[0].allBins[2]: expected the smallest and the largest sample in running, for a bin without an end",
    ),
    (
        "histogram-set",
        r#"[{"name": "a", "unit": "sizeInBytes", "binBoundaries": [1, 9], "allBins": {"3": [5]}}]"#,
        "[0].allBins[3]: expected one of 3 bins, which have boundaries",
    ),
    (
        "histogram-set",
        r#"[{"name": "a", "unit": "sizeInBytes", "binBoundaries": [1.1, 1.2], "allBins": {"1": [5]}}]"#,
        "[0].allBins[1]: expected whole bytes within the bin and between the smallest and the largest sample, found none",
    ),
    (
        "histogram-set",
        r#"[{"name": "a", "unit": "sizeInBytes", "binBoundaries": [9, 1], "allBins": {"1": [5]}}]"#,
        "[0].binBoundaries: expected boundaries in ascending order",
    ),
];

#[test]
fn refusals_say_where_and_what_was_expected() {
    for (format, text, expected) in LINES.iter().chain(JSON) {
        let refused = match read(text.as_bytes(), Some(format.parse().unwrap())) {
            Ok(import) => format!("read: {}, {:?}", import.sizes, import.warnings),
            Err(error) => error.to_string(),
        };
        assert_eq!(refused, format!("{format}: {expected}"), "{text}");
    }
}

#[test]
fn what_is_of_no_certain_format_is_said_with_what_is_known() {
    for text in ["", "12,3", "a\n12", "1.5\n2", "{}", "[]", r#"{"buckets": [{"from_bytes": 1}]}"#, "size\n12"]
    {
        assert_eq!(
            read(text.as_bytes(), None).unwrap_err().to_string(),
            "not recognised: expected message sizes in one of buckets-csv, hdr, histogram-set, sizes-csv, uma-json",
            "{text}"
        );
    }
}

#[test]
fn bytes_that_are_no_text_are_refused_with_the_byte() {
    assert_eq!(read(b"12\n\xff", None).unwrap_err().to_string(), "byte 3: expected UTF-8 text");
}
