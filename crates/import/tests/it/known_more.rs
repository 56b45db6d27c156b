//! Values computed by hand, for formats of C++, Rust and .NET libraries.

use crate::support::{benchmark, import, import_golden, repetitions, samples};
use roundtrip_import::{Data, Import, Statistic, Summary};
use roundtrip_wire::Better;

fn parsed(text: &str) -> Import {
    import(text.as_bytes(), None).unwrap()
}

/// The samples of each repetition of the n-th benchmark.
fn values(import: &Import, index: usize) -> Vec<Vec<u64>> {
    repetitions(&import.benchmarks[index]).iter().map(samples).collect()
}

fn summary(import: &Import, index: usize) -> Summary {
    let Data::Summary(summary) = &import.benchmarks[index].data else { panic!() };
    (**summary).clone()
}

/// The name of the n-th benchmark, and the name, unit and direction of its measure.
fn measure(import: &Import, index: usize) -> (&str, &str, &str, Better) {
    let measure = import.benchmarks[index].measure.as_ref().unwrap();
    (&import.benchmarks[index].name, &measure.name, &measure.unit, measure.better)
}

#[test]
fn samples_of_criterions_folder_are_averages_over_iterations() {
    let import = parsed(
        r#"{"criterion_dir":1,"id":{"group_id":"a","full_id":"a/64"},"sample":{"iters":[10.0,20],"times":[123.4,250]},"estimates":null}"#,
    );
    assert_eq!(values(&import, 0), [[12_340, 12_500]]);
    assert_eq!((import.benchmarks[0].name.as_str(), import.benchmarks[0].operations), ("a/64", 1_000));
    let golden = import_golden("criterion-dir/folder.ndjson");
    let names: Vec<_> = golden.benchmarks.iter().map(|benchmark| benchmark.name.as_str()).collect();
    let slow = "slow: a function with a long name";
    assert_eq!(names, ["add", "pipe/open", "pipe/round_trip/4096", "pipe/round_trip/64", slow]);
    let trip = &repetitions(benchmark(&golden, "pipe/round_trip/64"))[0];
    // 5,304,989 ns / 2,872, the first sample, is the slowest.
    assert_eq!((trip.count(), trip.max_ns()), (20, 1_847_141));
}

#[test]
fn criterions_text_is_an_estimate_in_its_interval() {
    let import = parsed(
        "a name of more than 23 characters\n                        time:   [1.5 µs 1.75 µs 2.25 ms]\n\
         a                      time:   [1.1020 ns 1.2627 ns 1.4320 ns]\n\
         \u{20}                      thrpt:  [1.5 KiB/s 2 MiB/s 0.5 GiB/s]\n\
         \u{20}                change:\n\
         \u{20}                       time:   [+1.5% +2.0% +2.5%] (p = 0.00 < 0.05)\n\
         \u{20}                       thrpt:  [−2.5% −2.0% −1.5%]\n\
         b    time: [1 ns 2 ns\n",
    );
    let stated = summary(&import, 0);
    assert_eq!(
        (import.benchmarks[0].name.as_str(), stated.statistic),
        ("a name of more than 23 characters", Statistic::Mean)
    );
    assert_eq!(
        (stated.low_ns, stated.center_ns, stated.high_ns),
        (Some(1_500_000), 1_750_000, Some(2_250_000_000))
    );
    let stated = summary(&import, 1);
    assert_eq!((import.benchmarks[1].name.as_str(), import.benchmarks[1].operations), ("a", 1_000));
    assert_eq!((stated.low_ns, stated.center_ns, stated.high_ns), (Some(1_102), 1_263, Some(1_432)));
    assert_eq!(measure(&import, 2), ("a", "B/s", "B/s", Better::Higher));
    let stated = summary(&import, 2);
    assert_eq!(
        (stated.low_ns, stated.center_ns, stated.high_ns),
        (Some(1_536), 2_097_152, Some(536_870_912))
    );
    assert_eq!(import.benchmarks.len(), 3);
    assert_eq!(import.warnings, ["line 8: skipped; looks like a result but is not valid"]);
}

#[test]
fn criterions_text_counts_elements_per_second() {
    let import = parsed("a  time: [1 ns 2 ns 3 ns]\n   thrpt:  [1.5 Kelem/s 2 Melem/s 3 Gelem/s]\n");
    assert_eq!(measure(&import, 1), ("a", "elem/s", "/s", Better::Higher));
    assert_eq!((import.benchmarks[1].operations, summary(&import, 1).low_ns), (1_000, Some(1_500_000)));
    let import = parsed("a  time: [1 ns 2 ns 3 ns]\n   thrpt:  [1 furlong/s 2 furlong/s 3 furlong/s]\n");
    assert_eq!((import.benchmarks.len(), import.skipped), (1, 1));
    assert_eq!(import.warnings, ["a: skipped thrpt; `furlong/s` is not a known rate"]);
}

#[test]
fn libtest_states_medians_and_megabytes() {
    let import = parsed(
        "test a::b     ... bench:   1,234,567.25 ns/iter (+/- 15,321.50) = 5081 MB/s\n\
         test with spaces ... bench:           7 ns/iter (+/- 0)\ntest c ... bench: 5 ns\ntest d   ... FAILED\ntest e ... ok\n",
    );
    let stated = summary(&import, 0);
    assert_eq!((import.benchmarks[0].name.as_str(), stated.statistic), ("a::b", Statistic::Median));
    assert_eq!(
        (stated.center_ns, stated.low_ns, import.benchmarks[0].operations),
        (1_234_567_250, None, 1_000)
    );
    assert_eq!(measure(&import, 1), ("a::b", "MB/s", "B/s", Better::Higher));
    assert_eq!(summary(&import, 1).center_ns, 5_081_000_000);
    assert_eq!((import.benchmarks[2].name.as_str(), summary(&import, 2).center_ns), ("with spaces", 7_000));
    assert_eq!(import.benchmarks.len(), 3);
    assert_eq!(import.warnings, ["line 3: skipped; looks like a result but is not valid", "failed: d"]);
    assert_eq!(import.skipped, 2);
}

#[test]
fn benchmark_action_units_are_times_or_measures() {
    let import = parsed(
        r#"[{"name": "a", "unit": "ms/iter", "value": 1.25, "range": "± 1"},
            {"name": "b", "unit": "MB/s", "value": 1.5}, {"name": "b", "unit": "ops/sec", "value": 2.5},
            {"name": "b", "unit": "KiB", "value": 3}, {"name": "b", "unit": "Percent", "value": 0.5},
            {"name": "a", "unit": "Milliseconds", "value": 2}, {"name": "c", "unit": "Percent", "value": -1}]"#,
    );
    let stated = summary(&import, 0);
    assert_eq!((stated.statistic, stated.center_ns, stated.low_ns), (Statistic::Value, 1_250_000_000, None));
    assert_eq!(import.benchmarks[0].measure, None);
    let measures: Vec<_> =
        (1..5).map(|index| (measure(&import, index), summary(&import, index).center_ns)).collect();
    assert_eq!(
        measures,
        [
            (("b", "MB/s", "B/s", Better::Higher), 1_500_000),
            (("b", "ops/sec", "ops/sec", Better::Higher), 2_500),
            (("b", "KiB", "B", Better::Lower), 3_072),
            (("b", "Percent", "Percent", Better::Lower), 500_000),
        ]
    );
    assert_eq!((import.benchmarks[5].name.as_str(), import.benchmarks[5].measure.is_none()), ("a #2", true));
    // The negative value.
    assert_eq!((import.benchmarks.len(), import.skipped), (6, 1));
    assert_eq!(
        import.warnings,
        [
            "a: several entries have this name: numbered by position",
            "c: skipped Percent: expected a value of 0 or more, found -1.0"
        ]
    );
}

#[test]
fn numbers_equal_names() {
    let action = r#"[{"name": "a", "unit": "B", "value": 1}, {"name": "a", "unit": "B", "value": 2}]"#;
    let dotnet = r#"{"FullName": "a", "Statistics": {"OriginalValues": [1]}}"#;
    let dotnet = format!(r#"{{"HostEnvironmentInfo": {{}}, "Benchmarks": [{dotnet}, {dotnet}]}}"#);
    let catch = r#"<BenchmarkResults name="a" samples="3"><mean value="2.5" ci="0"/></BenchmarkResults>"#;
    let catch = format!(r#"<Catch2TestRun name="t">{catch}{catch}</Catch2TestRun>"#);
    for (format, text) in [
        ("benchmark-action", action),
        ("benchmark-dotnet", &dotnet),
        ("catch2", &catch),
        ("criterion-text", "a  time: [1 ns 2 ns 3 ns]\na  time: [1 ns 2 ns 3 ns]\n"),
        ("libtest", "test a ... bench: 1 ns/iter (+/- 0)\ntest a ... bench: 2 ns/iter (+/- 0)\n"),
    ] {
        let import = import(text.as_bytes(), Some(format.parse().unwrap())).unwrap();
        let names: Vec<_> = import.benchmarks.iter().map(|benchmark| benchmark.name.as_str()).collect();
        assert_eq!((names, import.skipped), (vec!["a", "a #2"], 0), "{format}");
    }
    let columns = r#""result", "params", "version", "started_at", "duration", "stats_ci_99_a", "stats_ci_99_b", "stats_q_25",
        "stats_q_75", "stats_number", "stats_repeat", "samples", "profile""#;
    let asv = parsed(&format!(
        r#"{{"commit_hash": "1", "env_name": "e", "result_columns": [{columns}],
            "results": {{"time_a": [[1, 2], [["x", "x"]]]}}}}"#
    ));
    assert_eq!(
        (asv.benchmarks[0].name.as_str(), asv.benchmarks[1].name.as_str()),
        ("time_a(x)", "time_a(x) #2")
    );
}

#[test]
fn nanobench_sizes_are_in_the_name() {
    let of = |size: i32| {
        format!(
            r#"{{"title": "t", "name": "n", "batch": 1, "complexityN": {size}, "clockResolution": 2e-08,
                "measurements": [{{"elapsed": 4e-09}}]}}"#
        )
    };
    let import = parsed(&format!(r#"{{"results": [{}]}}"#, [10, 20, -1, -1].map(of).join(", ")));
    let names: Vec<_> = import.benchmarks.iter().map(|benchmark| benchmark.name.as_str()).collect();
    assert_eq!(names, ["t: n N=10", "t: n N=20", "t: n", "t: n #2"]);
}

#[test]
fn divan_states_medians_of_a_tree() {
    let import = parsed(concat!(
        "pipes           fastest       │ slowest       │ median        │ mean          │ samples │ iters\n",
        "├─ add          0.541 ns      │ 2.5 µs        │ 12.34 ns      │ 0.543 ns      │ 20      │ 81920\n",
        "╰─ pipe                       │               │               │               │         │\n",
        "   ├─ never     (ignored)     │               │               │               │         │\n",
        "   ├─ trip                    │               │               │               │         │\n",
        "   │  ╰─ 64     1 µs          │ 4 µs          │ 2 µs          │ 3 µs          │ 100     │ 200\n",
        "   │            64 MB/s       │ 16 MB/s       │ 32 MB/s       │ 21 MB/s       │         │\n",
        "   │            1 Mitem/s     │ 250 Kitem/s   │ 500 Kitem/s   │ 300 Kitem/s   │         │\n",
        "   │            alloc:        │               │               │               │         │\n",
        "   │              1           │ 3             │ 2.5           │ 2             │         │\n",
        "   │              8 B         │ 24 B          │ 1.5 KiB       │ 16 B          │         │\n",
        "   ╰─ open      3 ms          │ 3 ms          │ 3 ms          │ 3 ms          │ 1       │ 1\n",
        "other           fastest       │ slowest       │ median        │ mean          │ samples │ iters\n",
        "╰─ add          1 s           │ 1 s           │ 1 s           │ 1 s           │ 1       │ 1\n",
    ));
    let stated = summary(&import, 0);
    assert_eq!((stated.statistic, stated.center_ns, stated.count), (Statistic::Median, 12_340, Some(20)));
    assert_eq!((stated.min_ns, stated.max_ns), (Some(541), Some(2_500_000)));
    let names: Vec<_> = import.benchmarks.iter().map(|benchmark| benchmark.name.as_str()).collect();
    let trip = "pipes::pipe::trip::64";
    assert_eq!(names, ["pipes::add", trip, trip, trip, trip, trip, "pipes::pipe::open", "other::add"]);
    assert_eq!(measure(&import, 2), (trip, "B/s", "B/s", Better::Higher));
    let stated = summary(&import, 2);
    assert_eq!(
        (stated.min_ns, stated.center_ns, stated.max_ns),
        (Some(16_000_000), 32_000_000, Some(64_000_000))
    );
    assert_eq!(
        (measure(&import, 3), summary(&import, 3).center_ns),
        ((trip, "item/s", "/s", Better::Higher), 500_000_000)
    );
    assert_eq!(
        (measure(&import, 4), summary(&import, 4).center_ns),
        ((trip, "alloc count", "", Better::Lower), 2_500)
    );
    assert_eq!(
        (measure(&import, 5), summary(&import, 5).center_ns),
        ((trip, "alloc bytes", "B", Better::Lower), 1_536)
    );
    assert_eq!(import.warnings, Vec::<String>::new());
}

#[test]
fn gungraun_events_are_measures_of_a_run() {
    let import = parsed(concat!(
        "a::group::copy large:(vec![1; 64])\n",
        "  ======= CALLGRIND ====\n",
        "  ## pid: 7 part: 1 thread: 1 |N/A\n",
        "  Instructions:                         1|N/A                  (*********)\n",
        "  ## Total\n",
        "  Instructions:                       573|556                  (+3.05755%) [+1.03058x]\n",
        "  L1 Hit Rate:                    98.4021|98.5                 (-0.1%) [-1.001x]\n",
        "  RAM Hits:                           N/A|10                   (*********)\n",
        "  ======= DHAT ====\n",
        "  Total bytes:                        128|N/A                  (*********)\n",
        "a::group::add\n",
        "  Instructions:                        10|10                   (No change)\n",
        "\n",
        "Gungraun result: Ok. 2 without regressions; 0 regressed; 0 filtered; 2 benchmarks finished in 1.67959s\n",
    ));
    let found: Vec<_> =
        (0..import.benchmarks.len()).map(|index| (measure(&import, index), values(&import, index))).collect();
    let copy = "a::group::copy large";
    assert_eq!(
        found,
        [
            ((copy, "Instructions", "", Better::Lower), vec![vec![573]]),
            ((copy, "L1 Hit Rate", "%", Better::Higher), vec![vec![98_402_100]]),
            ((copy, "dhat: Total bytes", "B", Better::Lower), vec![vec![128]]),
            (("a::group::add", "Instructions", "", Better::Lower), vec![vec![10]]),
        ]
    );
    assert_eq!(import.benchmarks[0].operations, 1);
}

#[test]
fn catch2_means_have_intervals_and_the_names_of_sections() {
    let import = parsed(
        r#"<?xml version="1.0"?><Catch2TestRun name="t" catch2-version="3.7.1"><TestCase name="a"><Section name="b &lt; c">
            <BenchmarkResults name="64 &amp; more" samples="20"><!-- ns --><mean value="674.283" lowerBound="666.5" upperBound="702" ci="0.95"/>
              <standardDeviation value="28.7" lowerBound="0.3" upperBound="56.6" ci="0.95"/></BenchmarkResults>
            <BenchmarkResults name="throws"><failed message="no pipe"/></BenchmarkResults></Section></TestCase>
            <TestCase name="d"><BenchmarkResults name="e" samples="3"><mean value="2.5" lowerBound="2.5" upperBound="2.5" ci="0"/>
              </BenchmarkResults></TestCase></Catch2TestRun>"#,
    );
    let stated = summary(&import, 0);
    assert_eq!(
        (import.benchmarks[0].name.as_str(), stated.statistic),
        ("a / b < c / 64 & more", Statistic::Mean)
    );
    assert_eq!((stated.low_ns, stated.center_ns, stated.high_ns), (Some(666_500), 674_283, Some(702_000)));
    assert_eq!(stated.count, Some(20));
    let stated = summary(&import, 1);
    assert_eq!((import.benchmarks[1].name.as_str(), stated.center_ns, stated.low_ns), ("d / e", 2_500, None));
    assert_eq!((import.facts["tool_version"].as_str(), import.skipped), ("3.7.1", 1));
    assert_eq!(import.warnings, ["a / b < c / throws: failed: no pipe"]);
}

#[test]
fn nanobench_divides_by_the_batch() {
    let import = parsed(
        r#"{"results": [{"title": "t", "name": "n", "batch": 8, "clockResolution": 2e-08, "measurements": [
            {"iterations": 10, "elapsed": 4e-09, "instructions": 20, "branchmisses": 0, "pagefaults": 0},
            {"iterations": 20, "elapsed": 1e-06, "instructions": 21, "branchmisses": 0.5, "pagefaults": 0}]}]}"#,
    );
    assert_eq!((values(&import, 0), import.benchmarks[0].name.as_str()), (vec![vec![500, 125_000]], "t: n"));
    assert_eq!(
        (measure(&import, 1), values(&import, 1)),
        (("t: n", "instructions", "", Better::Lower), vec![vec![2_500, 2_625]])
    );
    assert_eq!(
        (measure(&import, 2), values(&import, 2)),
        (("t: n", "branchmisses", "", Better::Lower), vec![vec![0, 63]])
    );
    assert_eq!((import.benchmarks.len(), import.benchmarks[2].operations), (3, 1_000));
}

#[test]
fn benchmark_dotnet_launches_are_repetitions() {
    let measurement = |stage: &str, launch: u32, nanoseconds: f64| {
        format!(
            r#"{{"IterationMode": "Workload", "IterationStage": "{stage}", "LaunchIndex": {launch}, "IterationIndex": 1, "Operations": 8,
                "Nanoseconds": {nanoseconds}}}"#
        )
    };
    let measurements = [
        measurement("Warmup", 1, 900.0),
        measurement("Result", 1, 100.0),
        measurement("Result", 2, 50.5),
        measurement("Result", 1, 98.0),
        measurement("Result", 2, 52.0).replace("Workload", "Overhead"),
    ];
    let import = parsed(&format!(
        r#"{{"HostEnvironmentInfo": {{"BenchmarkDotNetVersion": "0.15.2", "LogicalCoreCount": 4, "Configuration": "DEBUG"}}, "Benchmarks": [
            {{"DisplayInfo": "A.B: ShortRun(LaunchCount=2) [N=1]", "FullName": "X.A.B(N: 1)", "Statistics": {{"OriginalValues": [1]}},
              "Memory": {{"BytesAllocatedPerOperation": 88}}, "Measurements": [{}], "Metrics": [
                {{"Value": 88, "Descriptor": {{"Id": "Allocated Memory", "Unit": "B"}}}},
                {{"Value": 0.0125, "Descriptor": {{"Id": "Gen0Collects", "Unit": "Count", "TheGreaterIsBetter": false}}}},
                {{"Value": "NaN", "Descriptor": {{"Id": "Gen1Collects", "Unit": "Count"}}}}]}},
            {{"DisplayInfo": "A.C: DefaultJob", "FullName": "X.A.C", "Statistics": {{"OriginalValues": [12.34, 12.5]}}}},
            {{"DisplayInfo": "A.D: DefaultJob", "FullName": "X.A.D", "Statistics": null}}]}}"#,
        measurements.join(", ")
    ));
    let name = "X.A.B(N: 1) [ShortRun(LaunchCount=2)]";
    assert_eq!(
        (import.benchmarks[0].name.as_str(), values(&import, 0)),
        (name, vec![vec![12_250, 12_500], vec![6_313]])
    );
    assert_eq!(
        (measure(&import, 1), values(&import, 1)),
        ((name, "Allocated Memory", "B", Better::Lower), vec![vec![88]])
    );
    assert_eq!(
        (measure(&import, 2), values(&import, 2)),
        ((name, "Gen0Collects", "Count", Better::Lower), vec![vec![12_500]])
    );
    assert_eq!(
        (import.benchmarks[3].name.as_str(), values(&import, 3)),
        ("X.A.C", vec![vec![12_340, 12_500]])
    );
    assert_eq!((import.benchmarks.len(), import.facts["cpus"].as_str()), (4, "4"));
    assert_eq!(
        import.warnings,
        [
            "measured a debug build: times may be affected",
            "X.A.B(N: 1) [ShortRun(LaunchCount=2)]: skipped Gen1Collects: expected a value of 0 or more, found NaN",
            "X.A.D: skipped; failed, without results"
        ]
    );
}

#[test]
fn asv_results_are_combinations_of_parameters() {
    let import = parsed(
        r#"{"commit_hash": "0d045446e8ce8a332b12f0ceb057dc00ad27f601", "env_name": "e", "params": {"machine": "lab-1", "num_cpu": "2"},
            "result_columns": ["result", "params", "version", "started_at", "duration", "stats_ci_99_a", "stats_ci_99_b",
              "stats_q_25", "stats_q_75", "stats_number", "stats_repeat", "samples", "profile"],
            "results": {
              "a.B.time_c": [[1e-6, 2e-6, NaN, 3e-6], [["64", "128"], ["'x'", "'NaN'"]], "v", 1796042381659, 1.5,
                [5e-7, null, null, null], [2e-6, Infinity, null, null], [7.5e-7, null, null, null], [1.5e-6, null, null, null],
                [1, 1, null, 1], [8, 8, null, 2], [null, null, null, [2.5e-6, 3.5e-6]]],
              "a.time_failed": [null, []], "a.mem_d": [[8056], []], "a.peakmem_d": [[31150080], []], "a.track_e": [[0.75], []],
              "a.custom": [[1], []]}}"#,
    );
    let names: Vec<_> = import.benchmarks.iter().map(|benchmark| benchmark.name.as_str()).collect();
    let expected = [
        "a.B.time_c(64, 'x')",
        "a.B.time_c(64, 'NaN')",
        "a.B.time_c(128, 'NaN')",
        "a.mem_d",
        "a.peakmem_d",
        "a.track_e",
    ];
    assert_eq!(names, expected);
    let stated = summary(&import, 0);
    assert_eq!((stated.statistic, stated.center_ns, stated.count), (Statistic::Median, 1_000_000, Some(8)));
    assert_eq!((stated.low_ns, stated.high_ns), (Some(500_000), Some(2_000_000)));
    assert_eq!(stated.quantiles, [(250_000, 750_000), (750_000, 1_500_000)]);
    assert_eq!((summary(&import, 1).center_ns, summary(&import, 1).high_ns), (2_000_000, None));
    assert_eq!(values(&import, 2), [[2_500_000, 3_500_000]]);
    assert_eq!(
        (measure(&import, 3), values(&import, 3)),
        (("a.mem_d", "memory", "B", Better::Lower), vec![vec![8_056]])
    );
    assert_eq!(measure(&import, 4), ("a.peakmem_d", "peak memory", "B", Better::Lower));
    assert_eq!(
        (measure(&import, 5), values(&import, 5)),
        (("a.track_e", "value", "", Better::Lower), vec![vec![750_000]])
    );
    let fact = |key: &str| import.facts[key].as_str();
    assert_eq!((fact("host"), fact("cpus"), fact("date")), ("lab-1", "2", "2026-11-30T12:39:41Z"));
    assert_eq!(fact("commit"), "0d045446e8ce8a332b12f0ceb057dc00ad27f601");
    assert_eq!(
        import.warnings,
        [
            "a.B.time_c(128, 'x'): skipped; failed or not run",
            "a.time_failed: skipped; failed, without results",
            "a.custom: skipped; the name begins with none of time, mem, peakmem and track"
        ]
    );
}
