//! Values computed by hand: JavaScript benchmarks, load generators, disk and network tools, and counters.

use crate::support::{repetitions, samples};
use roundtrip_import::{Benchmark, Data, Import, Statistic, Summary, import};

fn parsed(text: &str) -> Import {
    import(text.as_bytes(), None).unwrap()
}

fn summary(benchmark: &Benchmark) -> &Summary {
    let Data::Summary(summary) = &benchmark.data else { panic!("{} has samples", benchmark.name) };
    summary
}

fn names(import: &Import) -> Vec<&str> {
    import.benchmarks.iter().map(|benchmark| benchmark.name.as_str()).collect()
}

#[test]
fn vitest_benchmarks_are_summaries_named_by_their_groups() {
    let import = parsed(
        r#"{"files": [{"filepath": "/a.mjs", "groups": [{"fullName": "a.mjs > g", "benchmarks": [
            {"name": "f", "samples": [], "min": 0.0002, "max": 2, "mean": 0.0005, "median": 0.00025, "p75": 0.0003,
             "p99": 0.5, "p995": 1, "p999": 2, "hz": 2000000, "rme": 3, "sampleCount": 40},
            {"name": "f", "samples": [], "mean": 0.001}, {"name": "throws", "rme": 0, "samples": []}]}]}]}"#,
    );
    assert_eq!(names(&import), ["a.mjs > g > f", "a.mjs > g > f #2"]);
    let stated = summary(&import.benchmarks[0]);
    assert_eq!((stated.statistic, stated.center_ns, stated.count), (Statistic::Median, 250_000, Some(40)));
    assert_eq!((stated.min_ns, stated.max_ns), (Some(200_000), Some(2_000_000_000)));
    let quantiles =
        [(750_000, 300_000), (990_000, 500_000_000), (995_000, 1_000_000_000), (999_000, 2_000_000_000)];
    assert_eq!(stated.quantiles, quantiles);
    assert_eq!(summary(&import.benchmarks[1]).statistic, Statistic::Mean);
    assert_eq!(import.warnings, ["a.mjs > g > throws: skipped, no times: it failed or did not run"]);
    assert_eq!(import.skipped, 1);
}

#[test]
fn tinybench_samples_are_one_repetition() {
    let import = parsed(
        r#"[{"name": "f", "state": "completed", "runtime": "node", "runtimeVersion": "20.1.0", "throughput": {"mean": 9},
             "latency": {"mean": 1, "samples": [0.0015, 0.00025]}},
            {"name": "g", "result": {"latency": {"mean": 1, "p50": 0.5, "samplesCount": 7}, "samples": [3]}},
            {"name": "h", "state": "errored", "error": {}}, {"latency": {"mean": 1}, "throughput": {}}]"#,
    );
    assert_eq!(names(&import), ["f", "g"]);
    assert_eq!(samples(&repetitions(&import.benchmarks[0])[0]), [250_000, 1_500_000]);
    assert_eq!(samples(&repetitions(&import.benchmarks[1])[0]), [3_000_000_000]);
    assert_eq!((import.facts["runtime"].as_str(), import.skipped), ("node 20.1.0", 2));
    assert_eq!(import.warnings[0], "h: skipped, no times: errored");
    assert!(import.warnings[1].starts_with("skipped results without names. Save"), "{:?}", import.warnings);
}

#[test]
fn tinybench_tables_are_summaries_in_nanoseconds() {
    let import = parsed(
        r#"[{"Task name": "f", "Latency avg (ns)": "162953 ± 187.87%", "Latency med (ns)": "10280.5 ± 405.50",
             "Throughput avg (ops/s)": "87750 ± 7.55%", "Samples": 40},
            {"Task Name": "g", "ops/sec": "1,234", "Average Time (ns)": "1,500.25", "Margin": "±1%", "Samples": 3},
            {"Task name": "h", "Error": "no such message", "Stack": "Error"}]"#,
    );
    let stated = summary(&import.benchmarks[0]);
    assert_eq!((stated.statistic, stated.center_ns, stated.count), (Statistic::Median, 10_280_500, Some(40)));
    let stated = summary(&import.benchmarks[1]);
    assert_eq!((stated.statistic, stated.center_ns), (Statistic::Mean, 1_500_250));
    assert_eq!(import.warnings, ["h: skipped, no times: no such message"]);
}
