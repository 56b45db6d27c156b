//! Values computed by hand: JavaScript benchmarks, load generators, disk and network tools, and counters.

use crate::support::{benchmark, import, import_golden, repetitions, samples};
use roundtrip_import::{Benchmark, Data, Import, Options, Statistic, Summary, TimeUnit};
use roundtrip_wire::Better;

fn parsed(text: &str) -> Import {
    import(text.as_bytes(), None).unwrap()
}

fn summary(benchmark: &Benchmark) -> &Summary {
    let Data::Summary(summary) = &benchmark.data else { panic!("{} has samples", benchmark.name) };
    summary
}

/// The measure of a benchmark.
fn measure<'a>(import: &'a Import, name: &str, measure: &str) -> &'a Benchmark {
    let is_wanted = |benchmark: &&Benchmark| {
        benchmark.name == name && benchmark.measure.as_ref().is_some_and(|known| known.name == measure)
    };
    import.benchmarks.iter().find(is_wanted).unwrap_or_else(|| panic!("{name} has no {measure}"))
}

/// The unit, the direction and the stored values of a measure, each with its scale.
fn values(benchmark: &Benchmark) -> (&str, Better, u64, Vec<Vec<u64>>) {
    let known = benchmark.measure.as_ref().unwrap();
    let values = repetitions(benchmark).iter().map(samples).collect();
    (&known.unit, known.better, benchmark.operations, values)
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
    assert_eq!(
        import.warnings,
        [
            "a.mjs > g > f: several entries have this name: numbered by position",
            "a.mjs > g > throws: skipped, no times: it failed or did not run"
        ]
    );
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

#[test]
fn iperf3_intervals_are_samples_and_totals_are_measures() {
    let import = parsed(
        r#"{"start": {"version": "iperf 3.12", "system_info": "Linux lab-1 6.18 #1 SMP x86_64",
              "timestamp": {"timesecs": 1796041622},
              "test_start": {"protocol": "UDP", "num_streams": 2, "blksize": 1448, "reverse": 0, "target_bitrate": 5000}},
            "intervals": [{"sum": {"bits_per_second": 9, "omitted": true}}, {"sum": {"bits_per_second": 100.5}},
              {"sum": {"bits_per_second": 80}}],
            "end": {"streams": [{"sender": {"mean_rtt": 276}}, {"sender": {"mean_rtt": 100}}],
              "sum_sent": {"bits_per_second": 90, "retransmits": 3, "jitter_ms": 0, "lost_percent": 0},
              "sum_received": {"bits_per_second": 85, "jitter_ms": 0.125, "lost_packets": 2, "lost_percent": 0.5},
              "cpu_utilization_percent": {"host_total": 24.5}}}"#,
    );
    let name = "UDP blksize=1448 num_streams=2 target_bitrate=5000";
    assert!(names(&import).iter().all(|known| *known == name), "{:?}", names(&import));
    let found = |wanted: &str| values(measure(&import, name, wanted));
    assert_eq!(found("rate of intervals"), ("bit/s", Better::Higher, 1, vec![vec![80, 101]]));
    assert_eq!(found("sent"), ("bit/s", Better::Higher, 1, vec![vec![90]]));
    assert_eq!(found("received"), ("bit/s", Better::Higher, 1, vec![vec![85]]));
    assert_eq!(found("retransmits"), ("", Better::Lower, 1, vec![vec![3]]));
    assert_eq!(found("jitter"), ("ms", Better::Lower, 1_000, vec![vec![125]]));
    assert_eq!(found("lost packets"), ("", Better::Lower, 1, vec![vec![2]]));
    assert_eq!(found("lost"), ("%", Better::Lower, 1_000_000, vec![vec![500_000]]));
    assert_eq!(found("mean round-trip time"), ("us", Better::Lower, 1_000, vec![vec![100_000, 276_000]]));
    assert_eq!(found("cpu host_total"), ("%", Better::Lower, 1_000_000, vec![vec![24_500_000]]));
    assert_eq!(
        (import.facts["host"].as_str(), import.facts["date"].as_str()),
        ("lab-1", "2026-11-30T12:27:02Z")
    );
    assert!(names(&import_golden("iperf3/bidir.json"))[0].ends_with(" bidir"));
}

#[test]
fn iperf3_reports_why_a_test_failed() {
    let text = r#"{"start": {"version": "iperf 3.12", "system_info": "Linux"}, "intervals": [], "end": {},
        "error": "control socket has closed unexpectedly"}"#;
    let error = import(text.as_bytes(), None).unwrap_err().to_string();
    assert!(error.ends_with("; the test failed: control socket has closed unexpectedly"), "{error}");
}

#[test]
fn sockperf_percentiles_are_a_summary_in_microseconds() {
    let import = parsed(
        "sockperf: \u{1b}[2;35m== version #3.7-no.git == \u{1b}[0m\n[ 0] IP = 127.0.0.1       PORT = 11111 # UDP\n\
         sockperf: ========= Printing statistics for Server No: 0\n\
         sockperf: # dropped messages = 2; # duplicated messages = 1; # out-of-order messages = 0\n\
         sockperf: Summary: Round trip is 8.909 usec\n\
         sockperf: \u{1b}[2;35mTotal 30842 observations\u{1b}[0m; each percentile contains 308.42 observations\n\
         sockperf: ---> <MAX> observation = 3746.778\nsockperf: ---> percentile 99.999 = 3746.5\n\
         sockperf: ---> percentile 50.000 =    7.546\nsockperf: ---> <MIN> observation =    7.425\n",
    );
    let stated = summary(benchmark(&import, "UDP round trip"));
    assert_eq!((stated.statistic, stated.center_ns, stated.count), (Statistic::Median, 7_546, Some(30_842)));
    assert_eq!((stated.min_ns, stated.max_ns), (Some(7_425), Some(3_746_778)));
    assert_eq!(stated.quantiles, [(500_000, 7_546), (999_990, 3_746_500)]);
    let dropped = values(measure(&import, "UDP round trip", "dropped messages"));
    assert_eq!(dropped, ("", Better::Lower, 1, vec![vec![2]]));
    assert_eq!(import.facts["tool_version"], "3.7-no.git");
    let import = import_golden("sockperf/throughput.txt");
    let found = |wanted: &str| values(measure(&import, "TCP throughput", wanted));
    assert_eq!(found("message rate"), ("/s", Better::Higher, 1_000, vec![vec![746_398_000]]));
    // 728.904 times 2^20.
    assert_eq!(found("bandwidth"), ("B/s", Better::Higher, 1, vec![vec![764_311_241]]));
}

#[test]
fn netperf_transaction_rates_are_times_and_runs_are_repetitions() {
    let run = |rate: &str| {
        format!(
            "MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 127.0.0.1 () port 0 AF_INET\n\
             Local /Remote\nSocket Size   Request  Resp.   Elapsed  Trans.\nSend   Recv   Size     Size    Time     Rate\n\
             bytes  Bytes  bytes    bytes   secs.    per sec\n\n16384  131072 64       128     1.00     {rate}\n16384  131072\n"
        )
    };
    let import = parsed(&(run("40000") + &run("50000.5")));
    assert_eq!(names(&import), ["TCP REQUEST/RESPONSE request=64 response=128"]);
    let found: Vec<_> = repetitions(&import.benchmarks[0]).iter().map(samples).collect();
    assert_eq!(found, [[25_000_000], [19_999_800]]);
}

#[test]
fn netperf_throughputs_and_latencies_are_measures() {
    let import = import_golden("netperf/udp-stream.txt");
    let found = |wanted: &str| values(measure(&import, "UDP STREAM message=65507", wanted));
    assert_eq!(found("sent"), ("bit/s", Better::Higher, 1, vec![vec![17_911_160_000]]));
    assert_eq!(found("received"), ("bit/s", Better::Higher, 1, vec![vec![9_582_560_000]]));
    assert_eq!(found("errors"), ("", Better::Lower, 1, vec![vec![0]]));
    let import = parsed(
        "MIGRATED TCP STREAM TEST from :: port 0 AF_INET6 to ::1 port 0 AF_INET6 : demo\nThroughput,Throughput Units,\
         Local CPU Util %,Local Send Size,Local Bytes Sent\n1.5,MBytes/s,-1.00,16384,7\n",
    );
    let name = "TCP STREAM message=16384";
    assert_eq!(
        values(measure(&import, name, "throughput")),
        ("B/s", Better::Higher, 1, vec![vec![1_572_864]])
    );
    assert_eq!(import.warnings, ["TCP STREAM message=16384: skipped Local Bytes Sent"]);
    let import = parsed(
        "OMNI Send|Recv TEST from 0.0.0.0 port 0 AF_INET to 127.0.0.1 () port 0 AF_INET : demo\nREQUEST_SIZE=1\n\
         RESPONSE_SIZE=2\nTHROUGHPUT=50000\nTHROUGHPUT_UNITS=Trans/s\nMEAN_LATENCY=30.5\nMIN_LATENCY=14\nP50_LATENCY=15\n\
         P99_LATENCY=35\nLOCAL_CPU_UTIL=12.5\n",
    );
    let name = "OMNI Send|Recv request=1 response=2";
    assert_eq!(samples(&repetitions(benchmark(&import, name))[0]), [20_000_000]);
    let stated = summary(measure(&import, name, "latency"));
    assert_eq!(
        (stated.statistic, stated.center_ns, stated.min_ns),
        (Statistic::Median, 15_000_000, Some(14_000_000))
    );
    assert_eq!(stated.quantiles, [(500_000, 15_000_000), (990_000, 35_000_000)]);
    assert_eq!(
        values(measure(&import, name, "local cpu")),
        ("%", Better::Lower, 1_000_000, vec![vec![12_500_000]])
    );
}

#[test]
fn netperf_bursts_are_in_the_name_and_runs_without_a_result_are_skipped() {
    let run = |burst: &str, result: &str| {
        format!(
            "MIGRATED TCP REQUEST/RESPONSE TEST from 0.0.0.0 (0.0.0.0) port 0 AF_INET to 127.0.0.1 () port 0 AF_INET \
             : demo : first burst {burst}\n{result}"
        )
    };
    let result = "REQUEST_SIZE=1\nTHROUGHPUT=50000\nTHROUGHPUT_UNITS=Trans/s\n";
    let import = parsed(&[run("0", result), run("16", result), run("16", "")].concat());
    let name = "TCP REQUEST/RESPONSE request=1";
    assert_eq!(names(&import), [name, &format!("{name} burst=16")]);
    assert_eq!(
        (import.warnings, import.skipped),
        (vec!["TCP REQUEST/RESPONSE: skipped, no result".into()], 1)
    );
}

#[test]
fn new_k6_summaries_state_quantities_with_a_direction() {
    let import = parsed(
        r#"{"config": {"duration": 1.5}, "metadata": {"k6_version": "1.8.1"}, "results": {"metrics": [
            {"name": "http_req_duration", "type": "trend", "contains": "time",
             "values": {"avg": 2, "med": 1.5, "min": 0.25, "max": 9, "p90": 3, "p95": null, "p(99.9)": 8}},
            {"name": "size", "type": "trend", "contains": "data", "values": {"avg": 64, "med": null}},
            {"name": "empty", "type": "trend", "contains": "time", "values": {"avg": null}},
            {"name": "http_req_failed{kind:a}", "type": "rate", "contains": "default", "values": {"rate": 0.25}},
            {"name": "data_sent", "type": "counter", "contains": "data", "values": {"count": 900}},
            {"name": "vus", "type": "gauge", "contains": "default", "values": {"value": 2}}],
           "checks": {"metrics": [{"name": "checks_succeeded", "type": "rate", "contains": "default", "values": {"rate": 0.5}},
             {"name": "checks_failed", "type": "rate", "contains": "default", "values": {"rate": 0.5}}], "results": [{"name": "is 200", "passes": 11, "fails": 1}]}}}"#,
    );
    let stated = summary(&import.benchmarks[0]);
    assert_eq!((stated.statistic, stated.center_ns), (Statistic::Median, 1_500_000));
    assert_eq!((stated.min_ns, stated.max_ns), (Some(250_000), Some(9_000_000)));
    assert_eq!(stated.quantiles, [(900_000, 3_000_000), (999_000, 8_000_000)]);
    assert_eq!(summary(measure(&import, "size", "value")).center_ns, 64);
    let failed = values(measure(&import, "http_req_failed{kind:a}", "rate"));
    assert_eq!(failed, ("", Better::Lower, 1_000_000, vec![vec![250_000]]));
    assert_eq!(values(measure(&import, "data_sent", "count")), ("B", Better::Higher, 1, vec![vec![900]]));
    assert_eq!(
        values(measure(&import, "checks{check:is 200}", "fails")),
        ("", Better::Lower, 1, vec![vec![1]])
    );
    let better = |name: &str, wanted: &str| values(measure(&import, name, wanted)).1;
    assert_eq!(better("checks_succeeded", "rate"), Better::Higher);
    assert_eq!(better("checks_failed", "rate"), Better::Lower);
    assert!(!names(&import).contains(&"vus"));
    assert_eq!(import.warnings, ["empty: skipped: no values"]);
}

#[test]
fn k6_points_are_samples_and_totals() {
    let metric = |name: &str, kind: &str, contains: &str, submetrics: &str| {
        format!(
            r#"{{"type":"Metric","data":{{"name":"{name}","type":"{kind}","contains":"{contains}","submetrics":{submetrics}}},"metric":"{name}"}}
"#
        )
    };
    let point = |name: &str, value: &str, kind: &str| {
        format!(
            r#"{{"metric":"{name}","type":"Point","data":{{"time":"t","value":{value},"tags":{{"kind":"{kind}","url":"u"}}}}}}
"#
        )
    };
    let import = parsed(
        &[
            metric("d", "trend", "time", r#"[{"name":"d{kind:a}","suffix":"kind:a","tags":{"kind":"a"}}]"#),
            metric("size", "trend", "data", "null"),
            metric("errors", "counter", "default", "null"),
            metric("checks", "rate", "default", "null"),
            metric("depth", "gauge", "default", "null"),
            metric("unused", "trend", "time", "null"),
            metric("vus", "gauge", "default", "null"),
            [point("d", "1.5", "a"), point("d", "0.25", "b"), point("d", "3", "a")].concat(),
            [point("size", "64", "a"), point("errors", "2", "a"), point("errors", "0.5", "a")].concat(),
            [point("checks", "1", "a"), point("checks", "0", "a"), point("checks", "1", "a")].concat(),
            [point("depth", "7", "a"), point("depth", "5", "a"), point("vus", "2", "a")].concat(),
            point("other", "1", "a"),
        ]
        .concat(),
    );
    let times = |name: &str| samples(&repetitions(benchmark(&import, name))[0]);
    assert_eq!(times("d"), [250_000, 1_500_000, 3_000_000]);
    assert_eq!(times("d{kind:a}"), [1_500_000, 3_000_000]);
    assert_eq!(values(measure(&import, "size", "value")), ("B", Better::Lower, 1, vec![vec![64]]));
    assert_eq!(values(measure(&import, "errors", "count")), ("", Better::Lower, 1_000, vec![vec![2_500]]));
    assert_eq!(
        values(measure(&import, "checks", "rate")),
        ("", Better::Higher, 1_000_000, vec![vec![666_667]])
    );
    assert_eq!(values(measure(&import, "depth", "value")), ("", Better::Lower, 1_000, vec![vec![5_000]]));
    assert_eq!(
        import.warnings,
        ["other: skipped, the file does not declare it", "unused: skipped, no points"]
    );
    assert_eq!(names(&import), ["d", "d{kind:a}", "size", "errors", "checks", "depth"]);
}

#[test]
fn benchmark_js_samples_are_one_repetition_in_seconds() {
    let benchmark = r#"{"name": "f", "hz": 2, "stats": {"rme": 1, "sem": 1, "mean": 9, "sample": [0.0000015, 0.00000025]}}"#;
    let suite = format!(r#"{{"0": {benchmark}, "1": {benchmark}, "name": "messages", "length": 2}}"#);
    for (text, expected) in
        [(benchmark, vec!["f"]), (&format!("[{benchmark}]"), vec!["f"]), (&suite, vec!["f", "f #2"])]
    {
        let import = parsed(text);
        assert_eq!(names(&import), expected);
        assert_eq!(samples(&repetitions(&import.benchmarks[0])[0]), [250_000, 1_500_000]);
    }
    let import = parsed(
        r#"[{"name": "f", "stats": {"rme": 1, "sem": 1, "mean": 0.5, "sample": []}},
        {"name": "throws", "stats": {"rme": 0, "sem": 0, "mean": 0, "sample": []}}, {"stats": {"mean": 1}}]"#,
    );
    assert_eq!(summary(&import.benchmarks[0]).center_ns, 500_000_000_000);
    assert_eq!(
        import.warnings,
        ["throws: skipped, no times: it failed or did not run", "[2]: skipped, it has no name"]
    );
}

#[test]
fn benchmark_js_text_is_a_summary_of_the_mean() {
    let import = parsed(
        "f x 3 x 2,000,000 ops/sec ±0.50% (90 runs sampled)\ng x 0.50 ops/sec ±1.23% (1 run sampled)\nthrows: \n\
         Fastest is f x 3\n",
    );
    assert_eq!(names(&import), ["f x 3", "g"]);
    let stated = summary(&import.benchmarks[0]);
    assert_eq!((stated.statistic, stated.center_ns, stated.count), (Statistic::Mean, 500_000, Some(90)));
    assert_eq!(summary(&import.benchmarks[1]).center_ns, 2_000_000_000_000);
    assert_eq!(import.warnings, ["skipped, it failed: throws:"]);
}

#[test]
fn percentiles_are_a_summary_in_the_unit_of_the_header() {
    let import = parsed(
        "#[comment]\nValue(us)  Percentile  TotalCount  1/(1-Percentile)\n0.5 0.0 1 1.0\n1.5 0.5 4 2.0\n2.25 0.99 7 100.0\n\
         4 0.9999999 8 10000000.0\n4 1.0 8\n#[Mean = 1, StdDeviation = 0]\n",
    );
    let stated = summary(&import.benchmarks[0]);
    assert_eq!((stated.statistic, stated.center_ns, stated.count), (Statistic::Median, 1_500, Some(8)));
    assert_eq!((stated.min_ns, stated.max_ns), (Some(500), Some(4_000)));
    assert_eq!(stated.quantiles, [(500_000, 1_500), (990_000, 2_250)]);
}

#[test]
fn percentiles_in_an_unknown_unit_take_the_unit_of_the_user() {
    let text = "Value(ticks) Percentile TotalCount 1/(1-Percentile)\n2 0.5 4 2.0\n4 1.0 8\n";
    assert!(import(text.as_bytes(), None).unwrap_err().to_string().contains("pass --unit"));
    let options = Options { unit: Some(TimeUnit::Microseconds) };
    let import = roundtrip_import::import(text.as_bytes(), None, &options).unwrap();
    assert_eq!(summary(&import.benchmarks[0]).center_ns, 2_000);
}

#[test]
fn iperf3_states_jitter_and_loss_of_older_versions() {
    let import = parsed(
        r#"{"start": {"version": "iperf 3.1", "system_info": "Linux lab-1", "test_start": {"protocol": "UDP"}},
            "end": {"sum": {"bits_per_second": 90, "jitter_ms": 0.125, "lost_packets": 2, "lost_percent": 0.5}}}"#,
    );
    assert_eq!(values(measure(&import, "UDP", "jitter")), ("ms", Better::Lower, 1_000, vec![vec![125]]));
    assert_eq!(values(measure(&import, "UDP", "lost packets")), ("", Better::Lower, 1, vec![vec![2]]));
}

#[test]
fn percentiles_without_a_unit_are_rejected() {
    let text = "       Value     Percentile TotalCount 1/(1-Percentile)\n\n       1.763 0.000000000000          1           1.00\n";
    assert_eq!(
        import(text.as_bytes(), None).unwrap_err().to_string(),
        "hgrm: line 1: the file states no known unit of its values: pass --unit ns, us, ms or s"
    );
    let whole = format!("{text}       2.000 0.500000000000          3           2.00\n");
    let options = Options { unit: Some(TimeUnit::Microseconds) };
    let import = roundtrip_import::import(whole.as_bytes(), None, &options).unwrap();
    let stated = summary(&import.benchmarks[0]);
    assert_eq!((stated.center_ns, stated.min_ns), (2_000, Some(1_763)));
}

/// Java's own values: the count, the smallest, the largest, the median and two percentiles.
#[test]
fn logs_of_the_older_encoding_match_the_values_printed_by_java() {
    for (name, expected) in [
        ("hdr-log/java-v1-words-of-8.hlog", [2_192, 5_001_215, 5_001_215, 2_245, 2_715]),
        ("hdr-log/java-v1.hlog", [2_003, 5_001_215, 5_001_215, 2_073, 3_265]),
    ] {
        let import = import_golden(name);
        let all = &repetitions(benchmark(&import, "untagged"))[0];
        assert_eq!(all.count(), 101_500);
        let found = [
            all.min_ns(),
            all.max_ns(),
            all.quantile_ns(500_000),
            all.quantile_ns(1_000),
            all.quantile_ns(5_000),
        ];
        for (found, expected) in found.into_iter().zip(expected) {
            // Our histogram has bins of its own.
            assert!(
                found.abs_diff(expected) as f64 <= expected as f64 / 1_000.0,
                "{name}: {found} {expected}"
            );
        }
    }
}

#[test]
fn fio_latencies_are_summaries_by_job_and_direction() {
    let idle = r#"{"total_ios": 0, "bw_bytes": 0, "iops": 0, "clat_ns": {"min": 0, "mean": 0, "N": 0}}"#;
    let job = format!(
        r#"{{"jobname": "j", "error": 5, "read": {{"total_ios": 4, "bw_bytes": 1000, "iops": 2.5, "short_ios": 1,
             "slat_ns": {{"min": 0, "max": 0, "mean": 0, "N": 0}},
             "clat_ns": {{"min": 10, "max": 90, "mean": 40, "N": 4, "percentile": {{"50.000000": 30, "1.000000": 9,
               "99.990000": 95}}}}, "lat_ns": {{"min": 11, "max": 91, "mean": 41.5, "N": 4}}}},
             "write": {idle}, "trim": {idle}, "sync": {{"total_ios": 2, "lat_ns": {{"mean": 7, "N": 2}}}},
             "usr_cpu": 1.5, "ctx": 3}}"#
    );
    let import = parsed(&format!(
        r#"{{"fio version": "fio-3.33", "timestamp": 1796041622, "jobs": [{job}, {job}], "disk_util": []}}"#
    ));
    let stated = summary(benchmark(&import, "j read"));
    assert_eq!((stated.statistic, stated.center_ns, stated.count), (Statistic::Median, 30, Some(4)));
    // The bounds of the first and of the last bin exceed the stated extremes.
    assert_eq!(stated.quantiles, [(10_000, 10), (500_000, 30), (999_900, 90)]);
    let all = summary(measure(&import, "j read", "lat_ns"));
    assert_eq!((all.statistic, all.center_ns), (Statistic::Mean, 41_500));
    let bandwidth = values(measure(&import, "j read", "bandwidth"));
    assert_eq!(bandwidth, ("B/s", Better::Higher, 1, vec![vec![1_000]]));
    assert_eq!(values(measure(&import, "j read", "iops")), ("/s", Better::Higher, 1_000, vec![vec![2_500]]));
    assert_eq!(summary(benchmark(&import, "j sync")).center_ns, 7);
    assert_eq!(
        values(measure(&import, "j", "usr_cpu")),
        ("%", Better::Lower, 1_000_000, vec![vec![1_500_000]])
    );
    assert_eq!(values(measure(&import, "j #2", "context switches")), ("", Better::Lower, 1, vec![vec![3]]));
    assert_eq!(summary(benchmark(&import, "j #2 read")).center_ns, 30);
    assert_eq!(
        import.warnings[..2],
        ["j: the job failed with error 5", "j read: 1 operations were short, 0 dropped"]
    );
}

#[test]
fn wrk_latencies_are_summaries_by_address() {
    let run = |latency: &str| {
        format!(
            "Running 1s test @ http://lab-1/\n  1 threads and 4 connections\n  Thread Stats   Avg      Stdev     Max   +/- Stdev\n\
             \x20   Latency     5.84ms    8.63ms   1.00m   86.82%\n    Req/Sec     1.64k     1.09k    3.68k    70.00%\n{latency}\
             \x20 1685 requests in 1.07s, 307.71KB read\n  Socket errors: connect 0, read 1, write 2, timeout 3\n\
             \x20 Non-2xx or 3xx responses: 7\nRequests/sec:   1570.47\nTransfer/sec:      1.50MB\n"
        )
    };
    // The lines of wrk2.
    let distribution = "  Latency Distribution (HdrHistogram - Recorded Latency)\n 50.000%  750.50us\n 99.900%   38.83ms\n\n  \
                        Detailed Percentile spectrum:\n       Value   Percentile   TotalCount 1/(1-Percentile)\n\n       \
                        0.001     0.000000            1         1.00\n";
    let import = parsed(&(run(distribution) + &run("")));
    let name = "http://lab-1/ (1 threads and 4 connections)";
    let stated = summary(benchmark(&import, name));
    assert_eq!(
        (stated.statistic, stated.center_ns, stated.max_ns),
        (Statistic::Median, 750_500, Some(60_000_000_000))
    );
    assert_eq!(stated.quantiles, [(500_000, 750_500), (999_000, 38_830_000)]);
    let stated = summary(benchmark(&import, &format!("{name} #2")));
    assert_eq!((stated.statistic, stated.center_ns), (Statistic::Mean, 5_840_000));
    let found = |wanted: &str| values(measure(&import, name, wanted));
    assert_eq!(found("requests"), ("/s", Better::Higher, 1_000, vec![vec![1_570_470]]));
    assert_eq!(found("transfer"), ("B/s", Better::Higher, 1, vec![vec![1_572_864]]));
    assert_eq!(found("timeout errors"), ("", Better::Lower, 1, vec![vec![3]]));
    assert_eq!(found("Non-2xx or 3xx responses"), ("", Better::Lower, 1, vec![vec![7]]));
    let import = parsed(&run("").replace("1685 requests", "0 requests"));
    assert!(import.benchmarks.iter().all(|benchmark| benchmark.measure.is_some()));
    assert_eq!(import.warnings, [format!("{name}: skipped, no latency: it failed")]);
}

#[test]
fn oha_json_is_a_summary_in_seconds() {
    let import = parsed(
        r#"{"summary": {"successRate": 0.75, "slowest": 0.5, "fastest": 0.001, "average": 0.02, "requestsPerSec": 2.5,
              "sizePerSec": 64.4},
            "responseTimeHistogram": {"0.1": 3}, "latencyPercentiles": {"p50": 0.0015, "p99.9": 0.25, "p99.99": null},
            "firstBytePercentiles": {"p50": 0.001},
            "details": {"firstByte": {"average": 0.01, "fastest": 0.0005, "slowest": 0.4}},
            "statusCodeDistribution": {"200": 3, "500": 1}, "errorDistribution": {"connection refused": 2}}"#,
    );
    let stated = summary(benchmark(&import, "requests"));
    assert_eq!((stated.statistic, stated.center_ns), (Statistic::Median, 1_500_000));
    assert_eq!((stated.min_ns, stated.max_ns), (Some(1_000_000), Some(500_000_000)));
    assert_eq!(stated.quantiles, [(500_000, 1_500_000), (999_000, 250_000_000)]);
    let first_byte = summary(measure(&import, "requests", "firstByte"));
    assert_eq!((first_byte.center_ns, first_byte.max_ns), (1_000_000, Some(400_000_000)));
    let found = |wanted: &str| values(measure(&import, "requests", wanted));
    assert_eq!(found("requests"), ("/s", Better::Higher, 1_000, vec![vec![2_500]]));
    assert_eq!(found("transfer"), ("B/s", Better::Higher, 1, vec![vec![64]]));
    assert_eq!(found("success rate"), ("", Better::Higher, 1_000_000, vec![vec![750_000]]));
    assert_eq!(found("status 200"), ("", Better::Higher, 1, vec![vec![3]]));
    assert_eq!(found("status 500"), ("", Better::Lower, 1, vec![vec![1]]));
    assert_eq!(found("error: connection refused"), ("", Better::Lower, 1, vec![vec![2]]));
}

#[test]
fn oha_csv_lists_samples() {
    let import = parsed(
        "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n\
         0.1,0.000089813,0.5,0.001,0.0015,64,200\n0.2,0,0,0.0002,0.00025,64,404\n",
    );
    assert_eq!(samples(&repetitions(&import.benchmarks[0])[0]), [250_000, 1_500_000]);
    let found = |wanted: &str| values(measure(&import, "requests", wanted));
    assert_eq!(found("DNSLookup"), ("ns", Better::Lower, 1, vec![vec![0, 89_813]]));
    assert_eq!(found("firstByte"), ("ns", Better::Lower, 1, vec![vec![200_000, 1_000_000]]));
    assert_eq!(found("status 404"), ("", Better::Lower, 1, vec![vec![1]]));
}

#[test]
fn perf_events_are_measures_in_their_unit() {
    let line = |rest: &str| format!("{{{rest}, \"event-runtime\" : 1, \"pcnt-running\" : 100.00}}\n");
    let import = parsed(&format!(
        "output of the command\n# started on Mon Nov 30 12:27:21 2026\n\n{}{}{}{}{}{{\"metric-value\" : 1, \"metric-unit\" : \"GHz\"}}\n",
        line(r#""counter-value" : "0.5", "unit" : "msec", "event" : "task-clock""#),
        line(r#""counter-value" : "49.000000", "unit" : "", "event" : "page-faults""#),
        line(r#""counter-value" : "51.000000", "unit" : "", "event" : "page-faults""#),
        line(r#""counter-value" : "1.25", "unit" : "Joules", "event" : "power/energy-pkg/""#),
        line(r#""counter-value" : "<not supported>", "unit" : "", "event" : "cycles""#),
    ));
    let found = |wanted: &str| values(measure(&import, "perf stat", wanted));
    assert_eq!(found("task-clock"), ("ns", Better::Lower, 1_000, vec![vec![500_000_000]]));
    assert_eq!(found("page-faults"), ("", Better::Lower, 1, vec![vec![49], vec![51]]));
    assert_eq!(found("power/energy-pkg/"), ("Joules", Better::Lower, 1_000_000, vec![vec![1_250_000]]));
    assert_eq!(
        import.warnings,
        ["perf stat: skipped cycles: <not supported>", "skipped a metric without an event: GHz"]
    );
    assert_eq!(import.skipped, 2);
}

#[test]
fn perf_intervals_are_samples_of_one_repetition() {
    let line = |end: &str, count: u32| {
        format!(
            "{{\"interval\" : {end}, \"counter-value\" : \"{count}\", \"unit\" : \"\", \"event\" : \"faults\"}}\n"
        )
    };
    // The third line is of another run.
    let import = parsed(&[line("0.1", 7), line("0.2", 5), line("0.1", 9)].concat());
    let found = values(measure(&import, "perf stat", "faults"));
    assert_eq!(found, ("", Better::Lower, 1, vec![vec![5, 7], vec![9]]));
}

#[test]
fn perf_names_the_part_that_was_counted() {
    let line = |part: &str| format!("{{{part}, \"counter-value\" : \"1\", \"event\" : \"faults\"}}\n");
    let parts = [
        r#""core" : "S0-D0-C0", "aggregate-number" : 1"#,
        r#""core" : "S0-D0-C1", "aggregate-number" : 1"#,
        r#""socket" : "S0""#,
        r#""cpu" : "1", "cgroup" : "a.slice""#,
    ];
    let import = parsed(&parts.map(line).concat());
    let expected = ["core S0-D0-C0", "core S0-D0-C1", "socket S0", "CPU1 cgroup a.slice"];
    assert_eq!(names(&import), expected.map(|part| format!("perf stat {part}")));
}

#[test]
fn perf_means_of_several_runs_are_summaries() {
    let import = parsed(
        r#"{"cpu" : "1", "counter-value" : "7", "unit" : "ns", "event" : "user_time", "variance" : 4.71, "pcnt-running" : 50.0}"#,
    );
    let stated = summary(measure(&import, "perf stat CPU1", "user_time"));
    assert_eq!((stated.statistic, stated.center_ns), (Statistic::Mean, 7_000));
    assert_eq!(
        import.warnings,
        ["perf stat CPU1: user_time was not counted all the time, perf estimates the rest"]
    );
}
