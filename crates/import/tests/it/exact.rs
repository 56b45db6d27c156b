//! No value is invented: each sample is a number of the file in a unit of time, or is computed from two
//! numbers if the format requires it.

use crate::support::{golden, golden_text, import, repetitions, samples};
use base64::{Engine, prelude::BASE64_STANDARD};
use hdrhistogram::Histogram;
use hdrhistogram::serialization::{Deserializer, Serializer, V2DeflateSerializer};
use proptest::prelude::*;
use roundtrip_import::Data;
use std::collections::{HashMap, HashSet};

/// All numbers in a text.
fn numbers(text: &str) -> Vec<f64> {
    let parts = text.split(|char: char| !char.is_ascii_alphanumeric() && !matches!(char, '.' | '-' | '+'));
    parts.filter_map(|part| part.parse().ok()).filter(|number: &f64| number.is_finite()).collect()
}

#[expect(clippy::cast_possible_truncation, reason = "what is no time is no value either")]
fn whole(number: f64) -> u64 {
    number.round() as u64
}

/// A time in any unit, per operation or per 1,000.
fn times(number: f64) -> impl Iterator<Item = u64> {
    [1.0, 1e3, 1e6, 1e9, 1e12].into_iter().map(move |factor| whole(number * factor))
}

/// The time of an operation for a rate per second or microsecond.
fn times_of_rate(number: f64) -> impl Iterator<Item = u64> {
    [1e12, 1e6].into_iter().map(move |factor| whole(factor / number))
}

#[test]
fn values_come_from_the_file() {
    for golden in golden() {
        if golden.format.slug() == "hdr-log" {
            continue;
        }
        // In events of Go, the tabs between numbers are escaped.
        let text = String::from_utf8(golden.bytes.clone()).unwrap().replace("\\t", " ");
        let slug = golden.format.slug();
        let numbers = match slug {
            // `1,234 ops/sec`, and `5.84ms`.
            "benchmark-js" => [numbers(&text), numbers(&text.replace(',', ""))].concat(),
            "wrk" => numbers(&text.replace(|char: char| char.is_ascii_alphabetic(), " ")),
            _ => numbers(&text),
        };
        let mut known: HashSet<u64> = numbers.iter().copied().flat_map(times).collect();
        if matches!(slug, "benchmark-js" | "jmh" | "netperf" | "node") {
            known.extend(numbers.iter().copied().flat_map(times_of_rate));
        }
        match slug {
            "benchmark-action" => known.extend(numbers.iter().map(|number| whole(number * 1_024.0))),
            "benchmark-dotnet" => known.extend(quotients(&text, "Nanoseconds", "Operations")),
            "criterion" => known = averages(&text, "measured_values", "iteration_count"),
            "criterion-dir" => known = averages(&text, "times", "iters"),
            // Megabytes of 2^20 bytes.
            "jmh" => known.extend(numbers.iter().map(|number| whole(number * f64::from(1 << 20)))),
            "k6-json" => known.extend(totals(&text)),
            "libtest" => known.extend(self::numbers(&text.replace(',', "")).into_iter().flat_map(times)),
            "nanobench" => known = quotients(&text, "elapsed", "batch"),
            // The number of requests.
            "oha" => known.extend([text.lines().count() as u64 - 1]),
            // They count 1,024 bytes as a kilobyte.
            "criterion-text" | "sockperf" | "wrk" => known.extend(numbers.iter().flat_map(|number| {
                [1_024.0, 1_048_576.0, 1_073_741_824.0].map(|factor| whole(number * factor))
            })),
            _ => {}
        }
        for benchmark in import(&golden.bytes, None).unwrap().benchmarks {
            let values = match &benchmark.data {
                Data::Repetitions(repetitions) => {
                    repetitions.iter().flat_map(|one| samples(&one)).collect::<Vec<_>>()
                }
                Data::Summary(summary) => {
                    let stated = [summary.low_ns, summary.high_ns, summary.min_ns, summary.max_ns];
                    let quantiles = summary.quantiles.iter().map(|quantile| quantile.1);
                    stated.into_iter().flatten().chain(quantiles).chain([summary.center_ns]).collect()
                }
            };
            for value in values {
                assert!(known.contains(&value), "{}: {}: {value}", golden.name, benchmark.name);
            }
        }
    }
}

/// For each line, the n-th value divided by the n-th iteration count.
fn averages(text: &str, values: &str, counts: &str) -> HashSet<u64> {
    let list = |line: &str, name: &str| -> Vec<f64> {
        let Some((_, rest)) = line.split_once(&format!("\"{name}\":[")) else { return Vec::new() };
        numbers(rest.split(']').next().unwrap())
    };
    text.lines()
        .flat_map(|line| list(line, values).into_iter().zip(list(line, counts)))
        .map(|(value, count)| whole(value / count * 1e3))
        .collect()
}

/// Each JSON member `dividend`, divided by the last `divisor` before it.
fn quotients(text: &str, dividend: &str, divisor: &str) -> HashSet<u64> {
    let mut by = 1.0;
    let mut found = HashSet::new();
    for member in text.split('"').collect::<Vec<_>>().windows(2) {
        let Some(&number) = numbers(member[1]).first() else { continue };
        if member[0] == divisor {
            by = number;
        } else if member[0] == dividend {
            found.extend(times(number / by));
        }
    }
    found
}

/// The sum of the points of each metric, and for rates their share of 1.
fn totals(text: &str) -> HashSet<u64> {
    let mut points: HashMap<&str, Vec<f64>> = HashMap::new();
    for line in text.lines().filter(|line| line.contains("\"type\":\"Point\"")) {
        let part = |before: &str| line.split_once(before).unwrap().1.split([',', '"']).next().unwrap();
        points.entry(part("\"metric\":\"")).or_default().push(part("\"value\":").parse().unwrap());
    }
    let totals = points.values().map(|values| (values.iter().sum::<f64>(), values.len() as f64));
    totals.flat_map(|(sum, count)| times(sum).chain(times(sum / count))).collect()
}

/// Compares with the library's own reader: every count at every quantile.
#[test]
fn reads_logs_like_the_library() {
    for name in ["hdr-log/java-tagged.hlog", "hdr-log/rust-two-digits.hlog"] {
        let text = golden_text(name);
        let mut expected: HashMap<String, Histogram<u64>> = HashMap::new();
        for line in text.lines().filter(|line| !line.starts_with(['#', '"'])) {
            let tag = line.strip_prefix("Tag=").map_or("untagged", |rest| rest.split(',').next().unwrap());
            let bytes = BASE64_STANDARD.decode(line.rsplit(',').next().unwrap()).unwrap();
            let mut histogram: Histogram<u64> =
                Deserializer::new().deserialize(&mut bytes.as_slice()).unwrap();
            histogram.auto(true);
            match expected.get_mut(tag) {
                Some(known) => known.add(&histogram).unwrap(),
                None => drop(expected.insert(tag.to_owned(), histogram)),
            }
        }
        let import = import(text.as_bytes(), None).unwrap();
        assert_eq!(import.benchmarks.len(), expected.len());
        for benchmark in &import.benchmarks {
            let repetitions = repetitions(benchmark);
            let [ours] = &repetitions[..] else { panic!("one repetition a tag") };
            let theirs = &expected[&benchmark.name];
            assert_eq!((ours.count(), ours.max_ns()), (theirs.len(), theirs.max()));
            for q_ppm in [10_000, 250_000, 500_000, 900_000, 990_000, 999_000, 1_000_000] {
                let theirs = theirs.value_at_quantile(f64::from(q_ppm) / 1e6);
                let off = ours.quantile_ns(q_ppm).abs_diff(theirs);
                assert!(off as f64 <= theirs as f64 / 1_000.0, "{name} {q_ppm}: {off} off {theirs}");
            }
        }
    }
}

proptest! {
    // Few cases: the library allocates every possible bin.
    #![proptest_config(ProptestConfig::with_cases(64))]

    /// For any precision, lowest value and range: the highest value of each bin, with its count.
    #[test]
    fn computes_bins_like_the_library(
        digits in 0..=5_u8, lowest in prop::sample::select(vec![1_u64, 1_000, 65_536]),
        values in prop::collection::vec((0..1_u64 << 49, 1..1_000_u64), 1..40),
    ) {
        let mut theirs: Histogram<u64> = Histogram::new_with_bounds(lowest, 1 << 50, digits).unwrap();
        for &(value, count) in &values {
            theirs.record_n(value, count).unwrap();
        }
        let mut bytes = Vec::new();
        V2DeflateSerializer::new().serialize(&theirs, &mut bytes).unwrap();
        let import = import(format!("0,1,1,{}\n", BASE64_STANDARD.encode(bytes)).as_bytes(), None).unwrap();
        let repetitions = repetitions(&import.benchmarks[0]);
        let high = |value: u64| theirs.highest_equivalent(value);
        let sum = values.iter().fold(0_u64, |sum, &(value, count)| sum.saturating_add(high(value) * count));
        let smallest = values.iter().map(|&(value, _)| high(value)).min().unwrap();
        let ours = &repetitions[0];
        prop_assert_eq!((ours.count(), ours.sum_ns()), (theirs.len(), sum));
        prop_assert_eq!((ours.min_ns(), ours.max_ns()), (smallest, theirs.max()));
    }
}
