//! Snapshots of the imported golden files, for review: `tests/it/snapshots/`.

use crate::support::{golden, import, snapshot};
use roundtrip_import::wire::ReportWriter;
use roundtrip_import::{Data, Format, Import, Repetitions};
use roundtrip_stats::{Distribution, nearest_rank};
use roundtrip_wire::{CaseResult, Measure, RunReport};
use std::fmt::Write;

fn figures(name: &str, distribution: &Distribution) -> String {
    format!(
        "  {name}: n={} min={} p50={} max={}{}\n",
        distribution.count(),
        distribution.min_ns(),
        distribution.quantile_ns(500_000),
        distribution.max_ns(),
        if distribution.samples_text().is_some() { "" } else { " (histogram)" },
    )
}

fn readable(import: &Import) -> String {
    let mut text = format!("{}: {}\n", import.format, import.format.title());
    for (key, value) in &import.facts {
        writeln!(text, "{key}: {value}").unwrap();
    }
    for warning in &import.warnings {
        writeln!(text, "warning: {warning}").unwrap();
    }
    for benchmark in &import.benchmarks {
        let variant = benchmark.variant.as_ref().map(|variant| format!(" [{variant}]")).unwrap_or_default();
        match &benchmark.measure {
            None => {
                writeln!(text, "\n{}{variant}: ns of {} operations", benchmark.name, benchmark.operations)
            }
            Some(measure) => {
                let Measure { name, unit, better } = &**measure;
                let scale = benchmark.operations;
                writeln!(
                    text,
                    "\n{}{variant}: {name} in 1/{scale} `{unit}`, better: {better:?}",
                    benchmark.name
                )
            }
        }
        .unwrap();
        match &benchmark.data {
            Data::Summary(summary) => writeln!(text, "  {summary:?}").unwrap(),
            Data::Repetitions(repetitions) if repetitions.iter().all(|one| one.count() == 1) => {
                let mut values: Vec<_> = repetitions.iter().map(|one| one.min_ns()).collect();
                writeln!(text, "  {} repetitions of one value: {values:?}", values.len()).unwrap();
                values.sort_unstable();
                writeln!(text, "  p50={}", nearest_rank(&values, 500_000).unwrap()).unwrap();
            }
            Data::Repetitions(repetitions) => {
                for (index, repetition) in repetitions.iter().enumerate() {
                    text += &figures(&format!("repetition {index}"), &repetition);
                }
            }
        }
    }
    text
}

#[test]
fn golden_files_match_their_snapshots() {
    for golden in golden() {
        let import = import(&golden.bytes, None).unwrap_or_else(|error| panic!("{}: {error}", golden.name));
        snapshot(&golden.name.replace(['/', '.'], "_"), &readable(&import));
    }
}

#[test]
fn detects_one_format_per_golden_file() {
    for golden in golden() {
        let detected: Vec<_> =
            Format::all().iter().filter(|format| format.detect(&golden.bytes)).copied().collect();
        assert_eq!(detected, [golden.format], "{}", golden.name);
    }
}

#[test]
fn every_format_has_a_small_golden_file() {
    let golden = golden();
    for format in Format::all() {
        assert!(golden.iter().any(|golden| golden.format == *format), "{format}");
    }
    for golden in golden {
        assert!(golden.bytes.len() < 60_000, "{}", golden.name);
    }
}

/// The beginning of a file is detected as the same format, so that a truncated file is reported as truncated.
#[test]
fn detects_truncated_golden_files() {
    for golden in golden() {
        for end in (0..golden.bytes.len()).step_by(97) {
            let beginning = &golden.bytes[..end];
            let detected: Vec<_> =
                Format::all().iter().filter(|format| format.detect(beginning)).copied().collect();
            assert!(
                detected.is_empty() || detected == [golden.format],
                "{} cut at {end}: {detected:?}",
                golden.name
            );
        }
        // At least half of the file is always enough.
        assert!(golden.format.detect(&golden.bytes[..golden.bytes.len() / 2]), "{}", golden.name);
    }
}

#[test]
fn rejects_golden_files_in_other_formats() {
    for golden in golden() {
        for &format in Format::all().iter().filter(|format| **format != golden.format) {
            let error =
                import(&golden.bytes, Some(format)).map(|import| import.benchmarks.len()).unwrap_err();
            assert!(error.to_string().starts_with(format.slug()), "{}: {error}", golden.name);
        }
    }
}

#[test]
fn report_written_in_parts_equals_the_whole() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../wire/tests/golden/v1/full.json");
    let mut empty: RunReport = serde_json::from_slice(&std::fs::read(path).unwrap()).unwrap();
    empty.results.clear();
    for golden in golden() {
        let results: Vec<_> = import(&golden.bytes, None).unwrap().into_results().collect();
        let mut writer = ReportWriter::new(&empty, Vec::new()).unwrap();
        for (result, repetitions) in &results {
            writer.write(result, repetitions.to_wire()).unwrap();
        }
        let whole = |(result, repetitions): (CaseResult, Repetitions)| CaseResult {
            repetitions: repetitions.to_wire().collect(),
            ..result
        };
        let whole = RunReport { results: results.into_iter().map(whole).collect(), ..empty.clone() };
        let written = String::from_utf8(writer.finish().unwrap()).unwrap();
        assert_eq!(written, serde_json::to_string(&whole).unwrap(), "{}", golden.name);
        assert!(ReportWriter::new(&whole, Vec::new()).is_err());
    }
}
