//! Values computed by hand.

use crate::support::{benchmark, golden_text, import, import_golden, repetitions, samples};
use roundtrip_import::{Benchmark, Data, Import, Options, Statistic, Summary, TimeUnit};
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

/// The measures, as lines of benchmark, measure, unit, direction and stored values.
fn measures(import: &Import) -> Vec<String> {
    let line = |benchmark: &Benchmark| {
        let measure = benchmark.measure.as_deref()?;
        let better = if measure.better == Better::Higher { "higher" } else { "lower" };
        let values = match &benchmark.data {
            Data::Summary(summary) => format!("{:?} {}", summary.statistic, summary.center_ns),
            Data::Repetitions(_) => {
                format!("{:?}", repetitions(benchmark).iter().map(samples).collect::<Vec<_>>())
            }
        };
        let (name, scale) = (&benchmark.name, benchmark.operations);
        Some(format!("{name}, {} in 1/{scale} {}, {better}: {values}", measure.name, measure.unit))
    };
    import.benchmarks.iter().filter_map(line).collect()
}

/// The names of the times.
fn names(import: &Import) -> Vec<&str> {
    let times = import.benchmarks.iter().filter(|benchmark| benchmark.measure.is_none());
    times.map(|benchmark| benchmark.name.as_str()).collect()
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
    assert_eq!(import.warnings, ["CPU frequency scaling was on: times may vary"]);
    assert_eq!(
        measures(&import),
        ["a, cpu_time in 1/1000 ns, lower: [[5000]]", "a, loss in 1/1000000 , lower: [[3000000]]"]
    );
}

#[test]
fn google_benchmark_families_of_one_name_stay_apart() {
    let row = |name: &str, family: u8, instance: u8, time: u8| {
        format!(
            r#"{{"name": "{name}", "family_index": {family}, "per_family_instance_index": {instance}, "run_type": "iteration",
                "real_time": {time}}}"#
        )
    };
    let rows =
        [row("a", 0, 0, 1), row("a", 1, 0, 2), row("a", 1, 1, 3), row("a", 0, 0, 4), row("b", 2, 0, 5)];
    let import = parsed(&format!(r#"{{"context": {{"num_cpus": 2}}, "benchmarks": [{}]}}"#, rows.join(",")));
    assert_eq!(names(&import), ["a", "a #2", "a #3", "b"]);
    assert_eq!(values(&import), [[1_000], [4_000]]);
    assert_eq!(import.warnings, ["a: several entries have this name: numbered by position"]);
}

#[test]
fn google_benchmark_skips_values_that_are_not_numbers() {
    let import = parsed(
        r#"{"context": {"num_cpus": 2}, "benchmarks": [
            {"name": "a", "run_type": "iteration", "real_time": 3, "cpu_time": NaN, "hits": -Infinity, "hit_rate": 0.5},
            {"name": "b", "run_type": "iteration", "real_time": NaN}]}"#,
    );
    assert_eq!((values(&import), names(&import)), (vec![vec![3_000]], vec!["a"]));
    assert_eq!(measures(&import), ["a, hit_rate in 1/1000000 , lower: [[500000]]"]);
    assert_eq!(import.skipped, 3);
    assert_eq!(
        import.warnings,
        [
            "a: skipped cpu_time: expected a value of 0 or more, found NaN",
            "a: skipped hits: expected a value of 0 or more, found NaN",
            "b: skipped a row without a time",
        ]
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
fn old_google_benchmark_with_aggregates_only_is_a_summary() {
    let import = parsed(
        r#"{"context": {"num_cpus": 2}, "benchmarks": [{"name": "a/8_mean", "real_time": 4, "cpu_time": 2}, {"name": "a/8_median", "real_time": 3, "cpu_time": 1},
            {"name": "a/8_stddev", "real_time": 1, "cpu_time": 1}, {"name": "a_BigO", "cpu_coefficient": 1, "real_coefficient": 1, "big_o": "N"},
            {"name": "a_RMS", "rms": 0.1}]}"#,
    );
    assert_eq!((names(&import), summary(&import).center_ns), (vec!["a/8"], 3_000));
    assert_eq!(summary(&import).statistic, Statistic::Median);
    assert_eq!(measures(&import), ["a/8, cpu_time in 1/1000 ns, lower: Median 1000"]);
    assert_eq!(import.warnings, ["a: skipped the fit of its complexity"]);
}

#[test]
fn criterion_measurements_that_are_not_times_are_measures() {
    let import = parsed(
        r#"{"reason":"benchmark-complete","id":"a","iteration_count":[10],"measured_values":[123],"unit":"cycles","throughput":[{"per_iteration":8,"unit":"bytes"}]}"#,
    );
    assert_eq!(measures(&import), ["a, cycles in 1/1000000 cycles, lower: [[12300000]]"]);
    assert_eq!((import.warnings.len(), import.skipped), (1, 0), "{:?}", import.warnings);
}

#[test]
fn criterion_benchmarks_of_one_id_stay_apart() {
    let line =
        r#"{"reason":"benchmark-complete","id":"a","iteration_count":[1],"measured_values":[5],"unit":"ns"}"#;
    assert_eq!(names(&parsed(&format!("{line}\n{line}\n"))), ["a", "a #2"]);
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
fn hyperfine_shows_parameters_that_are_not_words_of_the_command() {
    let name = |command: &str, parameters: &str| {
        let file = format!(
            r#"{{"results": [{{"command": "{command}", "times": [1], "parameters": {{{parameters}}}}}]}}"#
        );
        parsed(&file).benchmarks[0].name.clone()
    };
    assert_eq!(name("a 64", r#""size": "6""#), "a 64 (size = 6)");
    assert_eq!(name("a -j6", r#""jobs": "6""#), "a -j6 (jobs = 6)");
    assert_eq!(name("a 1.5", r#""n": "5""#), "a 1.5 (n = 5)");
    assert_eq!(name("a --size=64 x", r#""size": "64""#), "a --size=64 x");
    assert_eq!(name("a\\n  b", ""), "a b");
}

#[test]
fn hyperfine_commands_of_one_name_stay_apart() {
    let command = |parameters: &str, time: u8| {
        format!(r#"{{"command": "a 1 2", "times": [{time}], "parameters": {{{parameters}}}}}"#)
    };
    let commands = [command(r#""n": "1""#, 1), command(r#""n": "2""#, 2), command("", 3), command("", 4)];
    let import = parsed(&format!(r#"{{"results": [{}]}}"#, commands.join(",")));
    assert_eq!(names(&import), ["a 1 2", "a 1 2 (n = 2)", "a 1 2 #2", "a 1 2 #3"]);
}

#[test]
fn hyperfine_without_runs_is_a_summary_with_measures() {
    let import = parsed(
        r#"{"results": [{"command": "a", "mean": 0.5, "stddev": null, "user": 0.25, "system": NaN, "times": [],
            "memory_usage_byte": [4096, null, 8192]}]}"#,
    );
    assert_eq!((summary(&import).statistic, summary(&import).center_ns), (Statistic::Mean, 500_000_000));
    assert_eq!(
        measures(&import),
        [
            "a, user in 1/1 ns, lower: Mean 250000000",
            "a, memory_usage_byte in 1/1 B, lower: [[4096], [8192]]"
        ]
    );
    assert_eq!(
        import.warnings,
        ["system", "memory_usage_byte"]
            .map(|name| format!("a: skipped {name}: expected a value of 0 or more, found NaN"))
    );
}

#[test]
fn more_runs_than_a_report_holds_are_folded() {
    let import = import_golden("hyperfine/many-runs.json");
    let all = repetitions(benchmark(&import, "true"));
    let counts: Vec<_> = all.iter().map(|one| one.count()).collect();
    // 1,001 runs are 333 blocks of 3; the last block also has the two left over.
    assert_eq!((counts.len(), &counts[330..]), (333, &[3, 3, 5][..]));
    assert!(import.warnings.contains(&"true: 1001 runs, stored as 333 repetitions of 3".into()));
    assert_eq!(import.skipped, 0);
}

#[test]
fn go_results_follow_the_output_of_their_benchmark() {
    let import = import_text(
        "go",
        "BenchmarkA-8   \tone\nBenchmark two\n       3\t 4 MB\n     100\t        12.5 ns/op\t       7 B/op\n\
         doneBenchmarkB/x-8 \topening     200\t 5 ns/op\nBenchmarkC-8 \tnothing\nBenchmarkD-8 \t 1\t 6 ns/op\nPASS\n",
    );
    assert_eq!(names(&import), ["BenchmarkA", "BenchmarkB/x", "BenchmarkD"]);
    assert_eq!((values(&import), import.facts["gomaxprocs"].as_str()), (vec![vec![12_500]], "8"));
    assert_eq!(measures(&import), ["BenchmarkA, B/op in 1/1 B, lower: [[7]]"]);
    assert_eq!((import.skipped, import.warnings), (1, vec!["BenchmarkC-8: skipped, no result".to_owned()]));
}

#[test]
fn go_keeps_different_numbers_of_processors_in_names() {
    let import = parsed("BenchmarkA 1 1 ns/op\nBenchmarkA-2 1 2 ns/op\nBenchmarkA-4 1 3 ns/op\n");
    assert_eq!(names(&import), ["BenchmarkA", "BenchmarkA-2", "BenchmarkA-4"]);
    assert!(!import.facts.contains_key("gomaxprocs"));
    let import = parsed("BenchmarkA-2 1 2 ns/op\nBenchmarkA-4 1 3 ns/op\n");
    assert_eq!(names(&import), ["BenchmarkA-2", "BenchmarkA-4"]);
}

#[test]
fn go_events_of_packages_may_be_mixed() {
    let event = |package: &str, output: &str| {
        format!("{{\"Action\":\"output\",\"Package\":\"{package}\",\"Output\":\"{output}\"}}\n")
    };
    let events = [
        event("a", r"BenchmarkX\n"),
        event("b", r"BenchmarkY\n"),
        event("a", r"BenchmarkX-2 \t"),
        event("b", r"BenchmarkY-2 \t"),
        event("a", r" 10\t 5 ns/op\n"),
        event("b", r" 10\t 6 ns/op\n"),
        event("b", r"BenchmarkZ\n"),
        event("b", r"panic: no set\n"),
        "{\"Action\":\"fail\",\"Package\":\"b\"}\n".into(),
    ];
    let import = parsed(&events.concat());
    assert_eq!(names(&import), ["a.BenchmarkX", "b.BenchmarkY"]);
    assert_eq!(import.warnings, ["panic: no set", "BenchmarkZ: skipped, no result"]);
    assert_eq!(import.skipped, 2);
}

#[test]
fn go_lines_are_repetitions_of_their_package() {
    let import = parsed(
        "goos: linux\npkg: example.org/a\nBenchmarkX/64-2 \t 100\t 12.34 ns/op\t 7 B/op\n\
         BenchmarkX/64-2   200   12.35 ns/op\npkg: example.org/b\nBenchmarkX/64-2 1 5 ns/op\nBenchmarkY 3 4\nFAIL\n",
    );
    assert_eq!(values(&import), [[12_340], [12_350]]);
    assert_eq!(names(&import), ["example.org/a.BenchmarkX/64", "example.org/b.BenchmarkX/64"]);
    assert_eq!(measures(&import), ["example.org/a.BenchmarkX/64, B/op in 1/1 B, lower: [[7]]"]);
    assert_eq!(
        import.warnings,
        [
            "BenchmarkY: skipped, the result is not valid",
            "the file contains FAIL: a test or benchmark failed"
        ]
    );
    assert_eq!(import.skipped, 2);
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
fn jmh_secondary_metrics_are_measures() {
    let metric =
        |unit: &str, data: &str| format!(r#"{{"score": 1, "scoreUnit": "{unit}", "rawData": {data}}}"#);
    let secondary = [
        ("packets", metric("#", "[[3, 4]]")),
        ("put", metric("ops/us", "[[0, 2]]")),
        ("p0.50", metric("us/op", "[[1]]")),
        ("take:p1.00", metric("us/op", "[[1]]")),
        ("take", metric("us/op", "[[1.5]]")),
        ("·gc.alloc.rate", metric("MB/sec", "[[2]]")),
        ("gc.count", metric("counts", r#"[["NaN"]]"#)),
    ];
    let secondary: Vec<_> = secondary.iter().map(|(name, metric)| format!("\"{name}\": {metric}")).collect();
    let import = parsed(&format!(
        r#"[{{"jmhVersion": "1.37", "benchmark": "A.b", "mode": "sample", "primaryMetric": {},
            "secondaryMetrics": {{{}}}}}]"#,
        metric("us/op", "[[1]]"),
        secondary.join(",")
    ));
    assert_eq!(
        measures(&import),
        [
            "A.b:mode=sample, packets in 1/1000000 , lower: [[3000000, 4000000]]",
            "A.b:mode=sample, put in 1/1000 /s, higher: [[0, 2000000000]]",
            "A.b:mode=sample, take in 1/1000 ns, lower: [[1500000]]",
            "A.b:mode=sample, ·gc.alloc.rate in 1/1 B/s, lower: [[2097152]]",
        ]
    );
    assert_eq!(import.skipped, 1, "{:?}", import.warnings);
}

#[test]
fn jmh_results_of_one_name_stay_apart() {
    let result =
        r#"{"benchmark": "A.b", "mode": "avgt", "primaryMetric": {"score": 1, "scoreUnit": "us/op"}}"#;
    assert_eq!(names(&import_text("jmh", &format!("[{result}, {result}]"))), ["A.b", "A.b #2"]);
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
fn pytest_extra_numbers_are_measures() {
    let import = import_golden("pytest-benchmark/extra-info.json");
    assert_eq!(
        measures(&import),
        [
            "test_sets.py::test_union[10], bytes in 1/1000000 , lower: [[712000000]]",
            "test_sets.py::test_union[10], hits_per_second in 1/1000 , higher: [[1500]]",
            "test_sets.py::test_union[1000], bytes in 1/1000000 , lower: [[32968000000]]",
            "test_sets.py::test_union[1000], hits_per_second in 1/1000 , higher: [[1500]]",
        ]
    );
    assert!(!import.facts.contains_key("commit"), "{:?}", import.facts);
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
        ("pipe", Statistic::Value, 1_000, vec![]),
    ];
    assert_eq!(found, expected);
    assert_eq!(import.warnings[0], "pipe size=4096.latency: skipped; no value and no median");
}

#[test]
fn bmf_measures_have_a_direction() {
    let import = parsed(
        r#"{"a": {"throughput": {"value": 2.5, "lower_value": 2, "upper_value": 3}, "file-size": {"value": 7}, "build-time": {"value": 1.5},
            "instructions": {"value": 5000000000}, "misses": {"value": 0.5}, "drift": {"value": -1}}}"#,
    );
    assert_eq!(
        measures(&import),
        [
            "a, throughput in 1/1000 /s, higher: Value 2500",
            "a, file-size in 1/1 B, lower: Value 7",
            "a, build-time in 1/1 ns, lower: Value 1500000000",
            "a, instructions in 1/1 , lower: Value 5000000000",
            "a, misses in 1/1000000 , lower: Value 500000",
        ]
    );
    assert_eq!((summary(&import).low_ns, summary(&import).high_ns), (Some(2_000), Some(3_000)));
    assert_eq!(import.warnings, ["a.drift: skipped; value: expected a value of 0 or more, found -1.0"]);
}

#[test]
fn bmf_rows_of_one_name_stay_apart() {
    let row = r#"{"parameters": {"n": 1}, "measures": {"latency": {"value": 1}}}"#;
    let import = parsed(&format!(r#"{{"a": [{row}, {row}], "a n=1": {{"latency": {{"value": 2}}}}}}"#));
    assert_eq!(names(&import), ["a n=1", "a n=1 #2", "a n=1 #3"]);
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
fn histogram_set_units_are_measures_with_a_direction() {
    let of = |unit: &str, sample: &str| {
        let file = format!(
            r#"[{{"name": "a", "unit": "{unit}", "sampleValues": [{sample}], "running": [1, 1, 0, 1, 1, 1, 0]}}]"#
        );
        let import = import_text("histogram-set", &file);
        measures(&import).concat()
    };
    assert_eq!(of("sizeInBytes_smallerIsBetter", "3"), "a, sizeInBytes in 1/1 B, lower: [[3]]");
    assert_eq!(of("sizeInBytes_biggerIsBetter", "3"), "a, sizeInBytes in 1/1 B, higher: [[3]]");
    assert_eq!(of("bytesPerSecond", "3"), "a, bytesPerSecond in 1/1 B/s, higher: [[3]]");
    assert_eq!(of("count", "3"), "a, count in 1/1000 , lower: [[3000]]");
    assert_eq!(of("n%_biggerIsBetter", "0.5"), "a, n% in 1/1000000 , higher: [[500000]]");
    assert_eq!(of("ms_biggerIsBetter", "1.5"), "a, ms in 1/1 ns, higher: [[1500000]]");
    assert_eq!(of("J", "0.5"), "a, J in 1/1000000 J, lower: [[500000]]");
}

#[test]
fn histogram_sets_of_several_benchmarks_and_bots_stay_apart() {
    let element = |benchmark: &str, bot: &str| {
        format!(
            r#"{{"name": "a", "unit": "ms", "sampleValues": [1], "running": [1, 1, 0, 1, 1, 1, 0], "diagnostics":
                {{"benchmarks": {{"values": ["{benchmark}"]}}, "bots": {{"values": ["{bot}"]}}}}}}"#
        )
    };
    let elements = [element("x", "1"), element("y", "1"), element("x", "1"), element("x", "2")];
    let import = parsed(&format!("[{}]", elements.join(",")));
    assert_eq!(names(&import), ["a", "a (benchmark = y)", "a (bot = 2)"]);
    assert_eq!(values(&import), [[1_000_000], [1_000_000]]);
}

#[test]
fn k6_metrics_that_are_not_times_are_measures() {
    let import = parsed(
        r#"{"root_group": {"name": ""}, "metrics": {
            "http_req_duration": {"med": 2, "thresholds": {"p(95)<1": true, "p(95)<9": false}},
            "checks": {"passes": 3, "fails": 1, "value": 0.75, "thresholds": {"rate>0.9": {"ok": false}}},
            "http_req_failed": {"passes": 1, "fails": 3, "value": 0.25},
            "data_sent": {"count": 100, "rate": 10.4}, "http_reqs": {"count": 7, "rate": 1.5}, "vus": {"value": 2, "min": 1, "max": 2},
            "dropped_iterations": {"count": 7, "rate": 0.5}, "queue": {"value": 4, "min": 1, "max": 9}, "mine": {"med": 4}}}"#,
    );
    assert_eq!(
        measures(&import),
        [
            "checks, rate in 1/1000000 , higher: Value 750000",
            "http_req_failed, rate in 1/1000000 , lower: Value 250000",
            "data_sent, rate in 1/1 B/s, higher: Value 10",
            "http_reqs, rate in 1/1000 /s, higher: Value 1500",
            "dropped_iterations, rate in 1/1000 /s, lower: Value 500",
            "queue, value in 1/1000000 , lower: Value 4000000",
        ]
    );
    assert_eq!(
        import.warnings[..3],
        [
            "http_req_duration: failed threshold: p(95)<1",
            "checks: failed threshold: rate>0.9",
            "the number of virtual users is a setting: not imported",
        ]
    );
    // The export does not show whether `mine` is a time.
    assert_eq!((import.skipped, import.warnings.len()), (1, 4), "{:?}", import.warnings);
}

#[test]
fn k6_trends_without_time_are_measures() {
    let trend = |contains: &str| {
        let file = format!(
            r#"{{"metrics": {{"m": {{"type": "trend", "contains": "{contains}", "values": {{"avg": 1, "med": 2, "max": 9}}}}}}}}"#
        );
        measures(&parsed(&file)).concat()
    };
    assert_eq!(trend("default"), "m, value in 1/1000 , lower: Median 2000");
    assert_eq!(trend("data"), "m, value in 1/1 B, lower: Median 2");
}

#[test]
fn k6_trends_without_time_keep_their_statistics() {
    let import = parsed(
        r#"{"metrics": {"m": {"type": "trend", "contains": "data", "values": {"avg": 1, "med": 2, "min": 0, "max": 9, "p(90)": 8}}}}"#,
    );
    let Data::Summary(stated) = &import.benchmarks[0].data else { panic!() };
    assert_eq!(
        (stated.min_ns, stated.max_ns, &stated.quantiles[..]),
        (Some(0), Some(9), &[(900_000, 8)][..])
    );
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
fn logs_need_a_unit() {
    let text = golden_text("hdr-log/java-tagged.hlog");
    let max = |unit| {
        let import = roundtrip_import::import(text.as_bytes(), None, &Options { unit: Some(unit) }).unwrap();
        repetitions(benchmark(&import, "pipe-64"))[0].max_ns()
    };
    assert_eq!(max(TimeUnit::Nanoseconds), 2_955_263);
    assert_eq!(max(TimeUnit::Microseconds), 2_955_263_000);
    let refused = |text: &str| roundtrip_import::import(text.as_bytes(), None, &Options::default());
    assert_eq!(
        refused(&text).unwrap_err().to_string(),
        "hdr-log: a log does not state its unit: pass --unit ns, us, ms or s"
    );
    // Its largest values are in milliseconds, so a divisor of 1,000 means microseconds.
    let stated = refused(&format!("#[MaxValueDivisor: 1000.000]\n{text}")).unwrap();
    assert_eq!(repetitions(benchmark(&stated, "pipe-64"))[0].max_ns(), 2_955_263_000);
    let too_long = Options { unit: Some(TimeUnit::Seconds) };
    let error = roundtrip_import::import(text.as_bytes(), None, &too_long).unwrap_err().to_string();
    assert_eq!(error, "hdr-log: line 5: expected values of at most 10^15 ns, found 1406975 s");
}

#[test]
fn logs_with_a_tag_named_untagged_keep_it_apart() {
    let text = golden_text("hdr-log/java-tagged.hlog");
    let histogram = text.lines().last().unwrap().rsplit(',').next().unwrap();
    let import = parsed(&format!("0,1,1,{histogram}\nTag=untagged,0,1,1,{histogram}\n"));
    assert_eq!(names(&import), ["untagged", "untagged #2"]);
}

#[test]
fn formats_with_units_note_an_unused_one() {
    let options = Options { unit: Some(TimeUnit::Milliseconds) };
    let import = roundtrip_import::import(b"BenchmarkX 1 5 ns/op", None, &options).unwrap();
    assert_eq!(values(&import), [[5_000]]);
    assert_eq!(import.warnings, ["the unit ms was not used: the format states its units"]);
    assert_eq!(import.skipped, 0);
}

#[test]
fn uses_the_named_format() {
    assert_eq!(import_text("go", "BenchmarkX 1 5 ns/op").format.slug(), "go");
}
