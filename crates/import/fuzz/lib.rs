//! Checks for any input: no panic, no unbounded message, no import that exceeds a limit. The tests call it
//! with generated inputs.

use roundtrip_import::sizes::{self, SizeFormat};
use roundtrip_import::{
    BENCHMARKS_MAX, Benchmark, Data, Format, Import, NAME_CHARS_MAX, Options, TimeUnit, import,
};
use std::collections::HashSet;

/// Reads an input in a format, or in the format detected from its content.
///
/// # Panics
/// If a check fails. The fuzzer then keeps the input.
pub fn check(bytes: &[u8], format: Option<&str>) {
    let format: Option<Format> = format.map(|slug| slug.parse().expect("a known format"));
    // Logs are rejected without a unit.
    match import(bytes, format, &Options { unit: Some(TimeUnit::Microseconds) }) {
        Ok(import) => check_import(&import),
        Err(error) => check_message(&error.to_string(), 1_500),
    }
}

/// Reads an input as message sizes, in each format and in the detected one.
///
/// # Panics
/// If a check fails. The fuzzer then keeps the input.
pub fn check_sizes(bytes: &[u8]) {
    for format in SizeFormat::all().iter().copied().map(Some).chain([None]) {
        match sizes::read(bytes, format) {
            Ok(import) => {
                assert!(import.sizes.count() > 0 && import.sizes.buckets().len() <= 1_000);
                assert!(import.warnings.len() <= 3);
                assert!(import.warnings.iter().all(|warning| warning.chars().count() <= 301));
            }
            Err(error) => check_message(&error.to_string(), 600),
        }
    }
}

fn check_message(message: &str, chars_max: usize) {
    assert!(message.chars().count() < chars_max, "a long message: {message}");
    assert!(!message.contains(['\n', '\u{1b}', '\0']), "{message:?}");
}

fn check_import(import: &Import) {
    assert!((1..=BENCHMARKS_MAX).contains(&import.benchmarks.len()));
    assert!(import.warnings.len() <= 51 && import.facts.len() <= 50);
    assert!(import.warnings.iter().all(|warning| warning.chars().count() <= 301));
    let mut names = HashSet::new();
    for benchmark in &import.benchmarks {
        let Benchmark { name, variant, measure, .. } = benchmark;
        assert!(names.insert((name, variant, measure)), "{name} twice");
        assert_eq!(measure.as_ref().and_then(|measure| measure.problem()), None);
        assert!((1..=NAME_CHARS_MAX).contains(&benchmark.name.chars().count()));
        assert!(!benchmark.name.chars().any(char::is_control));
        assert!(matches!(benchmark.operations, 1 | 1_000 | 1_000_000));
        match &benchmark.data {
            Data::Repetitions(repetitions) => {
                assert!(!repetitions.is_empty());
                assert_eq!(repetitions.iter().count(), repetitions.len());
                for one in repetitions.iter() {
                    assert!(one.count() > 0 && one.min_ns() <= one.max_ns());
                    assert!(one.max_ns() <= 1_000_000_000_000_000);
                    let median = one.quantile_ns(500_000);
                    assert!(one.min_ns() <= median && median <= one.max_ns());
                }
            }
            Data::Summary(summary) => {
                assert!(summary.center_ns <= 1_000_000_000_000_000);
                assert!(summary.quantiles.is_sorted_by_key(|quantile| quantile.0));
            }
        }
    }
}
