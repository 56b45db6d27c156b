//! Values computed by hand.

use crate::support::{benchmark, import_golden, repetitions, samples};
use roundtrip_import::{Data, Import, Statistic, Summary, import};
use roundtrip_wire::Better;

fn parsed(text: &str) -> Import {
    import(text.as_bytes(), None).unwrap()
}

fn import_text(format: &str, text: &str) -> Import {
    import(text.as_bytes(), Some(format.parse().unwrap())).unwrap()
}

/// The samples of each repetition of the first benchmark.
fn values(import: &Import) -> Vec<Vec<u64>> {
    repetitions(&import.benchmarks[0]).iter().map(samples).collect()
}

fn summary(import: &Import) -> Summary {
    let Data::Summary(summary) = &import.benchmarks[0].data else { panic!() };
    (**summary).clone()
}

#[test]
fn google_benchmark_rows_are_repetitions_in_their_unit() {
    let import = parsed(
        r#"{"context": {"num_cpus": 2, "cpu_scaling_enabled": true}, "benchmarks": [
            {"name": "a", "run_type": "iteration", "real_time": 12.34, "cpu_time": 5, "time_unit": "ns"},
            {"name": "a", "run_type": "iteration", "real_time": 0.0125, "time_unit": "us", "loss": 3},
            {"name": "a_mean", "run_name": "a", "run_type": "aggregate", "aggregate_name": "mean", "real_time": 1}]}"#,
    );
    assert_eq!(values(&import), [[12_340], [12_500]]);
    assert_eq!(import.benchmarks[0].operations, 1_000);
    assert_eq!(
        import.warnings,
        ["CPU frequency scaling was on: times may vary", "skipped, not times: cpu_time, loss"]
    );
}

#[test]
fn google_benchmark_aggregates_replace_missing_rows() {
    let import = parsed(
        r#"{"context": {"num_cpus": 2}, "benchmarks": [
            {"name": "a_mean", "run_name": "a", "run_type": "aggregate", "aggregate_name": "mean", "repetitions": 5,
             "real_time": 2.5, "time_unit": "ms"},
            {"name": "a_cv", "run_name": "a", "run_type": "aggregate", "aggregate_name": "cv", "real_time": 0.1},
            {"name": "a_min", "run_name": "a", "run_type": "aggregate", "aggregate_name": "min", "real_time": 2,
             "time_unit": "ms"}]}"#,
    );
    let summary = summary(&import);
    assert_eq!((summary.statistic, summary.center_ns), (Statistic::Mean, 2_500_000_000));
    assert_eq!((summary.min_ns, summary.max_ns, summary.count), (Some(2_000_000_000), None, Some(5)));
}

#[test]
fn old_google_benchmark_marks_aggregates_by_name() {
    let import = parsed(
        r#"{"context": {"num_cpus": 2}, "benchmarks": [{"name": "a", "real_time": 3}, {"name": "a", "real_time": 5},
            {"name": "a_mean", "real_time": 4}, {"name": "a_stddev", "real_time": 1}, {"name": "b_mean", "real_time": 9}]}"#,
    );
    assert_eq!(values(&import), [[3_000], [5_000]]);
    let names: Vec<_> = import.benchmarks.iter().map(|benchmark| benchmark.name.as_str()).collect();
    assert_eq!(names, ["a", "b_mean"]);
}

#[test]
fn criterion_values_are_averages_over_iterations() {
    let import = parsed(
        r#"{"reason":"benchmark-complete","id":"a/64","iteration_count":[10,20],"measured_values":[123.4,250],"unit":"ns"}"#,
    );
    assert_eq!(values(&import), [[12_340, 12_500]]);
    let golden = import_golden("criterion/messages.ndjson");
    assert_eq!(repetitions(benchmark(&golden, "add"))[0].count(), 100);
}

#[test]
fn hyperfine_times_are_repetitions_in_seconds() {
    let import = parsed(
        r#"{"results": [{"command": "a 64", "times": [0.0015, 2.5], "exit_codes": [0, null],
            "parameters": {"size": "64", "mode": "fast"}}]}"#,
    );
    assert_eq!(values(&import), [[1_500_000], [2_500_000_000]]);
    assert_eq!(
        (import.benchmarks[0].name.as_str(), import.benchmarks[0].operations),
        ("a 64 (mode = fast)", 1)
    );
    assert_eq!(import.warnings, ["a 64 (mode = fast): failed runs: 1"]);
    let import =
        parsed(r#"{"results": [{"command": "a", "mean": 0.2, "median": 0.1, "min": 0.05, "max": 0.9}]}"#);
    let summary = summary(&import);
    assert_eq!((summary.statistic, summary.center_ns), (Statistic::Median, 100_000_000));
    assert_eq!((summary.min_ns, summary.max_ns), (Some(50_000_000), Some(900_000_000)));
}

#[test]
fn go_lines_are_repetitions_of_their_package() {
    let import = parsed(
        "goos: linux\npkg: example.org/a\nBenchmarkX/64-2 \t 100\t 12.34 ns/op\t 7 B/op\n\
         BenchmarkX/64-2   200   12.35 ns/op\npkg: example.org/b\nBenchmarkX/64-2 1 5 ns/op\nBenchmarkY 3 4\nFAIL\n",
    );
    assert_eq!(values(&import), [[12_340], [12_350]]);
    let names: Vec<_> = import.benchmarks.iter().map(|benchmark| benchmark.name.as_str()).collect();
    let (a, b) = ("example.org/a.BenchmarkX/64-2", "example.org/b.BenchmarkX/64-2");
    assert_eq!(names, [a, a, b]);
    let measure = import.benchmarks[1].measure.as_ref().unwrap();
    assert_eq!((measure.name.as_str(), measure.unit.as_str(), measure.better), ("B/op", "B", Better::Lower));
    assert_eq!(samples(&repetitions(&import.benchmarks[1])[0]), [7]);
    assert_eq!(
        import.warnings,
        [
            "line 7: skipped; looks like a result but is not valid",
            "the file contains FAIL: a test or benchmark failed"
        ]
    );
}

#[test]
fn jmh_rates_are_times_and_forks_are_repetitions() {
    let text = |mode: &str, metric: &str| {
        format!(
            r#"[{{"jmhVersion": "1.37", "benchmark": "A.b", "mode": "{mode}", "primaryMetric": {metric}}}]"#
        )
    };
    let import =
        parsed(&text("thrpt", r#"{"score": 1, "scoreUnit": "ops/us", "rawData": [[0.25, 0.5], [1]]}"#));
    assert_eq!(values(&import), [vec![2_000_000, 4_000_000], vec![1_000_000]]);
    assert_eq!(import.benchmarks[0].name, "A.b:mode=thrpt");
    let sampled = r#"{"score": 1, "scoreUnit": "us/op", "rawDataHistogram": [[[[1.5, 2]], [[0.5, 1]]]]}"#;
    let import = parsed(&text("sample", sampled));
    assert_eq!((values(&import), import.benchmarks[0].operations), (vec![vec![500, 1_500, 1_500]], 1));
    let many =
        r#"{"score": 1, "scoreUnit": "ns/op", "rawDataHistogram": [[[[100, 10000]], [[200, 10001]]]]}"#;
    let import = parsed(&text("sample", many));
    let all = repetitions(&import.benchmarks[0]);
    let [one] = &all[..] else { panic!() };
    assert_eq!((one.count(), one.samples_text(), one.quantile_ns(500_000)), (20_001, None, 200));
    let stated = r#"{"score": 4, "scoreUnit": "ops/ms", "scoreConfidence": [2, 5], "scoreError": "NaN"}"#;
    let summary = summary(&parsed(&text("thrpt", stated)));
    assert_eq!((summary.center_ns, summary.low_ns), (250_000_000, Some(200_000_000)));
    assert_eq!(summary.high_ns, Some(500_000_000));
}

#[test]
fn pytest_rounds_are_samples_of_one_repetition() {
    let text = |stats: &str| {
        format!(
            r#"{{"machine_info": {{"node": "lab-1", "python_version": "3.11"}}, "commit_info": {{"dirty": true}},
                "benchmarks": [{{"name": "t", "fullname": "f.py::t", "stats": {stats}}}]}}"#
        )
    };
    let import = parsed(&text(r#"{"median": 1, "data": [1.5e-6, 0.00000125]}"#));
    assert_eq!(
        (values(&import), import.benchmarks[0].name.as_str()),
        (vec![vec![1_250_000, 1_500_000]], "f.py::t")
    );
    assert_eq!(import.facts["host"], "lab-1");
    assert_eq!(import.warnings, ["measured with uncommitted changes"]);
    let summary = summary(&parsed(&text(r#"{"median": 2e-6, "q1": 1e-6, "q3": 3e-6, "rounds": 9}"#)));
    assert_eq!((summary.center_ns, summary.count), (2_000_000, Some(9)));
    assert_eq!(summary.quantiles, [(250_000, 1_000_000), (750_000, 3_000_000)]);
}

#[test]
fn node_rates_are_times_of_a_binary() {
    let import = parsed(
        "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\r\n\
         \"old\", \"a.js\", \"n=1 kind=\"\"x, y\"\"\", 250000, 1.5\r\n\"new\", \"a.js\", \"\", 1e6, 1\r\n",
    );
    assert_eq!(values(&import), [[4_000_000]]);
    assert_eq!(import.benchmarks[0].name, "a.js n=1 kind=\"x, y\"");
    assert_eq!(import.benchmarks[0].variant.as_deref(), Some("old"));
    assert_eq!(import.benchmarks[1].name, "a.js");
}

#[test]
fn bmf_may_list_a_benchmark_by_its_parameters_with_quantiles() {
    let file = br#"{"pipe": [
        {"parameters": {"size": 64, "op": "read"}, "measures": {"latency": {"value": 7.5, "p99": 9, "p999": 12}}},
        {"measures": {"latency": {"p50": 3, "p90": 4}, "throughput": {"value": 1}}},
        {"parameters": {"size": 4096}, "measures": {"latency": {"p90": 4}}}
    ]}"#;
    let import = import(file, None).unwrap();
    let found: Vec<_> = import
        .benchmarks
        .iter()
        .map(|benchmark| match &benchmark.data {
            Data::Summary(summary) => {
                (benchmark.name.as_str(), summary.statistic, summary.center_ns, summary.quantiles.clone())
            }
            Data::Repetitions(_) => panic!("{benchmark:?}"),
        })
        .collect();
    let expected = [
        ("pipe op=read size=64", Statistic::Value, 7_500, vec![(990_000, 9_000), (999_000, 12_000)]),
        ("pipe", Statistic::Median, 3_000, vec![(500_000, 3_000), (900_000, 4_000)]),
    ];
    assert_eq!(found, expected);
    assert_eq!(import.warnings[0], "pipe size=4096: skipped; no value and no median");
}

#[test]
fn first_of_contradicting_statistics_wins() {
    let file = br#"{"pipe": {"latency": {"value": 30, "lower_value": 10, "upper_value": 10}}}"#;
    let import = import(file, None).unwrap();
    let Data::Summary(summary) = &import.benchmarks[0].data else { panic!("{import:?}") };
    assert_eq!((summary.center_ns, summary.low_ns, summary.high_ns), (30_000, None, None));
    assert_eq!(import.warnings, ["pipe: inconsistent values, using only the first"]);
}

#[test]
fn bmf_latency_is_one_value_with_its_bounds() {
    let summary =
        summary(&parsed(r#"{"a": {"latency": {"value": 88.5, "lower_value": 87, "upper_value": 90}}}"#));
    assert_eq!((summary.statistic, summary.center_ns), (Statistic::Value, 88_500));
    assert_eq!((summary.low_ns, summary.high_ns), (Some(87_000), Some(90_000)));
}

#[test]
fn histogram_set_needs_all_samples() {
    let text = |running: &str| {
        format!(
            r#"[{{"guid": "g", "type": "GenericSet", "values": ["story", 2]}},
                {{"name": "a", "unit": "ms_smallerIsBetter", "sampleValues": [1.5, 0.25], "running": {running},
                  "diagnostics": {{"stories": "g", "labels": {{"type": "GenericSet", "values": ["new"]}}}}}}]"#
        )
    };
    let import = parsed(&text("[2, 1.5, 0, 0.875, 0.25, 1.75, 0]"));
    assert_eq!(values(&import), [[250_000, 1_500_000]]);
    assert_eq!(import.benchmarks[0].name, "a story,2");
    assert_eq!(import.benchmarks[0].variant.as_deref(), Some("new"));
    let summary = summary(&parsed(&text("[3, 1.5, 0, 1, 0.25, 3, 0]")));
    assert_eq!((summary.statistic, summary.center_ns, summary.count), (Statistic::Mean, 1_000_000, Some(3)));
}

#[test]
fn k6_trends_of_times_are_summaries_in_milliseconds() {
    let import = parsed(
        r#"{"metrics": {"mine": {"type": "trend", "contains": "time",
            "values": {"avg": null, "min": 0.5, "med": 1.5, "max": 9, "p(99.9)": 8.25}}}}"#,
    );
    let stated = summary(&import);
    assert_eq!((stated.statistic, stated.center_ns), (Statistic::Median, 1_500_000));
    assert_eq!(stated.quantiles, [(999_000, 8_250_000)]);
    let exported =
        r#"{"root_group": {"name": ""}, "metrics": {"http_req_duration": {"avg": 2, "min": 1, "max": 3}}}"#;
    let stated = summary(&parsed(exported));
    assert_eq!((stated.statistic, stated.center_ns), (Statistic::Mean, 2_000_000));
}

/// Java's own values for the first interval, which ends with the only value of 2,955,263 ns.
#[test]
fn logs_match_the_values_printed_by_java() {
    let import = import_golden("hdr-log/java-tagged.hlog");
    let pipe = &repetitions(benchmark(&import, "pipe-64"))[0];
    assert_eq!((pipe.count(), pipe.min_ns(), pipe.max_ns()), (2_000, 1_763, 2_955_263));
    let untagged = &repetitions(benchmark(&import, "untagged"))[0];
    assert_eq!(untagged.max_ns(), 2_955_263);
    // Two digits: a bin of 1,000 to 1,003 counts as 1,003.
    let import = import_golden("hdr-log/rust-two-digits.hlog");
    assert_eq!(repetitions(&import.benchmarks[0])[0].min_ns(), 1_003);
}

#[test]
fn uses_the_named_format() {
    assert_eq!(import_text("go", "BenchmarkX 1 5 ns/op").format.slug(), "go");
}
