//! Error messages of rejected files: `snapshots/refused.snap`.

use crate::support::{golden, import, snapshot};
use roundtrip_import::Format;
use std::fmt::Write;

/// A file of asv with results.
macro_rules! asv {
    ($results:literal) => {
        concat!(
            r#"{"commit_hash": "1", "env_name": "e", "result_columns": ["result", "params", "version", "started_at", "#,
            r#""duration", "stats_ci_99_a", "stats_ci_99_b", "stats_q_25", "stats_q_75", "stats_number", "#,
            r#""stats_repeat", "samples", "profile"], "results": {"#,
            $results,
            "}}"
        )
    };
}

/// Invalid texts, by format.
const WRONG: &[(&str, &[&str])] = &[
    (
        "bmf",
        &[
            "",
            r#"{"a": {"latency": {"value": "fast"}}}"#,
            r#"{"a": {"latency": {"value": -1}}}"#,
            r#"{"a": {"latency": {"value": NaN}}}"#,
            r#"{"a": {"latency": {"value": 1e300}}}"#,
            r#"{"a": {"latency": {"value": 1e999}}}"#,
            r#"{"a": {"latency": {}}}"#,
            r#"{"a": {"file-size": {"value": 1}}}"#,
            r#"{"": {"latency": {"value": 1}}}"#,
            r#"{"a\u0007": {"latency": {"value": 1}}}"#,
            "[]",
        ],
    ),
    (
        "criterion",
        &[
            "",
            r#"{"reason":"x"}"#,
            r#"{"reason": 1}"#,
            "{\"reason\":\"group-complete\"}\n{\"reason\":\"benchmark-complete\",\"id\":\"a\",\"iteration_count\":[1],\"measured_values\":[-5],\"unit\":\"ns\"}",
            "{\"reason\":\"group-complete\"}\n{\"reason\":\"benchmark-complete\",\"id\":\"a\",\"iteration_count\":[1],\"measured_values\":[NaN],\"unit\":\"ns\"}",
            "{\"reason\":\"group-complete\"}\n{\"reason\":\"benchmark-complete\",\"id\":\"a\",\"iteration_count\":[0],\"measured_values\":[5],\"unit\":\"ns\"}",
            "{\"reason\":\"group-complete\"}\n{\"reason\":\"benchmark-complete\",\"id\":\"a\",\"iteration_count\":[1,2],\"measured_values\":[5],\"unit\":\"ns\"}",
            "{\"reason\":\"group-complete\"}\n{\"reason\":\"benchmark-complete\",\"id\":\"a\",\"iteration_count\":[1],\"measured_values\":[1e300],\"unit\":\"ns\"}",
            "{\"reason\":\"group-complete\"}\n{\"reason\":\"benchmark-complete\",\"id\":\"a\",\"iteration_count\":[1],\"measured_values\":[\"5\"],\"unit\":\"ns\"}",
            "{\"reason\":\"group-complete\"}\n{\"reason\":\"benchmark-complete\",\"id\":\"a\",\"iteration_count\":[1],\"measured_values\":[5],\"unit\":\"cycles\"}",
            "{\"reason\":\"group-complete\"}\n{\"reason\":\"benchmark-complete\",\"id\":\"a\",\"iteration_count\":[-1],\"measured_values\":[5],\"unit\":\"ns\"}",
            "Benchmarking\n",
        ],
    ),
    (
        "google-benchmark",
        &[
            "",
            "{\"context\": {\"num_cpus\": 2},\n \"benchmarks\": [\n  {\"name\": \"a\", \"real_time\": -1}]}",
            "{\"context\": {\"num_cpus\": 2},\n \"benchmarks\": [\n  {\"name\": \"a\", \"real_time\": NaN}]}",
            "{\"context\": {\"num_cpus\": 2},\n \"benchmarks\": [\n  {\"name\": \"a\", \"real_time\": \"1\"}]}",
            "{\"context\": {\"num_cpus\": 2},\n \"benchmarks\": [\n  {\"name\": \"a\", \"real_time\": 1, \"time_unit\": \"fortnight\"}]}",
            "{\"context\": {\"num_cpus\": 2},\n \"benchmarks\": [\n  {\"name\": \"a\", \"real_time\": 1e300}]}",
            "{\"context\": {\"num_cpus\": 2},\n \"benchmarks\": [\n  {\"name\": \"a\"}]}",
            "{\"context\": {\"num_cpus\": 2},\n \"benchmarks\": [\n  {\"real_time\": 1}]}",
            "{\"context\": {\"num_cpus\": 2},\n \"benchmarks\": [\n  {\"name\": \"a\", \"real_time\": 1, \"error_occurred\": true, \"error_message\": \"no\"}]}",
            r#"{"context": {}, "benchmarks": []}"#,
        ],
    ),
    (
        "histogram-set",
        &[
            "",
            "{}",
            r#"[{"name": "a", "unit": "ms", "sampleValues": [-1], "running": [1, 1, 0, 1, 1, 1, 0]}]"#,
            r#"[{"name": "a", "unit": "ms", "sampleValues": [NaN], "running": [1, 1, 0, 1, 1, 1, 0]}]"#,
            r#"[{"name": "a", "unit": "ms", "sampleValues": [1e300], "running": [1, 1, 0, 1, 1, 1, 0]}]"#,
            r#"[{"name": "a", "unit": "fathoms", "sampleValues": [1], "running": [1, 1, 0, 1, 1, 1, 0]}]"#,
            r#"[{"name": "a", "unit": "ms_biggerIsBetter", "sampleValues": [1], "running": [1, 1, 0, 1, 1, 1, 0]}]"#,
            r#"[{"name": "a", "unit": "ms", "sampleValues": ["x"], "running": [1, 1, 0, 1, 1, 1, 0]}]"#,
            r#"[{"name": 1}]"#,
            r#"[{"name": "a", "unit": "ms"}]"#,
        ],
    ),
    (
        "hyperfine",
        &[
            "",
            "{\"results\": [{\"command\": \"a\",\n \"times\": [1, -0.5]}]}",
            r#"{"results": [{"command": "a", "times": [NaN]}]}"#,
            r#"{"results": [{"command": "a", "times": ["1"]}]}"#,
            r#"{"results": [{"command": "a", "times": [1e300]}]}"#,
            r#"{"results": [{"command": "a", "times": []}]}"#,
            r#"{"results": [{"command": "a"}]}"#,
            r#"{"results": {}}"#,
            r#"{"results": [{"command": "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx", "mean": 1}]}"#,
            r#"{"results": []}"#,
        ],
    ),
    (
        "jmh",
        &[
            "",
            r#"[{"jmhVersion": "1.37", "benchmark": "A.b", "mode": "avgt", "primaryMetric": {"score": 1, "scoreUnit": "us/op", "rawData": [[1, -2]]}}]"#,
            r#"[{"jmhVersion": "1.37", "benchmark": "A.b", "mode": "avgt", "primaryMetric": {"score": 1, "scoreUnit": "us/op", "rawData": [[NaN]]}}]"#,
            r#"[{"jmhVersion": "1.37", "benchmark": "A.b", "mode": "avgt", "primaryMetric": {"score": 1, "scoreUnit": "ops/s", "rawData": [[0]]}}]"#,
            r#"[{"jmhVersion": "1.37", "benchmark": "A.b", "mode": "avgt", "primaryMetric": {"score": 1, "scoreUnit": "parsec", "rawData": [[1]]}}]"#,
            r#"[{"jmhVersion": "1.37", "benchmark": "A.b", "mode": "avgt", "primaryMetric": {"score": "NaN", "scoreUnit": "us/op"}}]"#,
            r#"[{"jmhVersion": "1.37", "benchmark": "A.b", "mode": "avgt", "primaryMetric": {"score": 1, "scoreUnit": "us/op", "rawDataHistogram": [[[[1]]]]}}]"#,
            r#"[{"jmhVersion": "1.37", "benchmark": "A.b", "mode": "avgt", "primaryMetric": {"score": 1, "scoreUnit": "us/op", "rawDataHistogram": [[[[1, -1]]]]}}]"#,
            r#"[{"jmhVersion": "1.37", "benchmark": "A.b", "mode": "avgt", "primaryMetric": {"score": 1, "scoreUnit": "us/op", "rawDataHistogram": [[[[1, 9007199254740993]]]]}}]"#,
            r#"[{"jmhVersion": "1.37", "benchmark": "A.b", "mode": "avgt", "primaryMetric": {"score": 1, "scoreUnit": "us/op", "rawData": [[1e300]]}}]"#,
            r#"[{"benchmark": "a"}]"#,
        ],
    ),
    (
        "k6",
        &[
            "",
            r#"{"metrics": {"m": {"type": "trend", "contains": "time", "values": {"med": -1}}}}"#,
            r#"{"metrics": {"m": {"type": "trend", "contains": "time", "values": {"med": NaN}}}}"#,
            r#"{"metrics": {"m": {"type": "trend", "contains": "time", "values": {"med": "1"}}}}"#,
            r#"{"metrics": {"m": {"type": "trend", "contains": "time", "values": {"med": 1e300}}}}"#,
            r#"{"metrics": {"m": {"type": "trend", "contains": "time", "values": {"p(90)": 1}}}}"#,
            r#"{"metrics": {"m": {"type": "trend", "contains": "data", "values": {"med": 1}}}}"#,
            r#"{"metrics": []}"#,
        ],
    ),
    (
        "pytest-benchmark",
        &[
            "",
            r#"{"machine_info": {"python_version": "3"}, "benchmarks": [{"name": "t", "stats": {"data": [-1]}}]}"#,
            r#"{"machine_info": {"python_version": "3"}, "benchmarks": [{"name": "t", "stats": {"data": [NaN]}}]}"#,
            r#"{"machine_info": {"python_version": "3"}, "benchmarks": [{"name": "t", "stats": {"data": ["1"]}}]}"#,
            r#"{"machine_info": {"python_version": "3"}, "benchmarks": [{"name": "t", "stats": {"data": [1e300]}}]}"#,
            r#"{"machine_info": {"python_version": "3"}, "benchmarks": [{"name": "t", "stats": {"min": 1}}]}"#,
            r#"{"machine_info": {"python_version": "3"}, "benchmarks": [{"name": "t", "stats": {"data": []}}]}"#,
            r#"{"machine_info": {}}"#,
        ],
    ),
    (
        "go",
        &[
            "",
            "hello\n",
            "BenchmarkX-2 10 -5 ns/op",
            "BenchmarkX-2 10 NaN ns/op",
            "BenchmarkX-2 10 inf ns/op",
            "BenchmarkX-2 10 1e30 ns/op",
            "BenchmarkX-2 10 5 furlongs/op",
            "BenchmarkX-2 10 five ns/op",
            "BenchmarkX-2 10 5",
        ],
    ),
    (
        "hdr-log",
        &[
            "",
            "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTAAAA",
            "#[Histogram log format version 1.3]\n0.1,1.0,0.001,?",
            "0.1,1.0,HISTFAAA",
            "x,1.0,0.001,HISTFAAAACN4nJNpmSzMwMDAxAABzFCaEch0M9ixgMH+A0SAiQkAVxsEUQ==",
            "0.1,1.0,inf,HISTFAAAACN4nJNpmSzMwMDAxAABzFCaEch0M9ixgMH+A0SAiQkAVxsEUQ==",
            "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTAQAAAAIAAAAAAAAAAwAAAAAAAAABAAADRjC4oAA/8AAAAAAAAAIC",
            "#[Histogram log format version 1.3]\n0.1,1.0,0.001,AAAABwAAAAIAAAAAAAAAAwAAAAAAAAABAAADRjC4oAA/8AAAAAAAAAIC",
            "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAACR4nJNpmSzMwMDAxAABnFCakYGB2c1gxwIG+w8QASYmAFe9BFc=",
            "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAACV4nJNpmSzMwMDABMSsQMzMAAGMQKabwY4FDPYfIAJMTABXtgRW",
            "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAACB4nJNpmSzcwAAHzFCaEch0M9ixgMH+A0SAiQkAadUEzw==",
            "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAAIZ4nJNpmSzMwMDAxAABzFCaEch0M9ixgMH+A0SAiQkAVxsEUQ==",
            "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAACJ4nJNpmSzMwMDAyAABzFAayGd2M9ixgMH+A0SgCQBTKATO",
            "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAACV4nJNpmSzMwMDAxQABzAIMMMDsZrBjAYP9BwjvPwwwAQCypg1d",
            "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAACZ4nJNpmSzMwMDAyQABzFCaEch0M9ixgMH+A0Tg338IqAcAoqAMyg==",
            "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAACV4nJNpmSzMwMDAwgABzAwMjDCmm8GOBQz2HyC85gNMTABkUAWW",
            "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAAB14nJNpmSzMgADMUJoRyHQz2LGAwf4DRAAATjkESw==",
            "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAAAZhYmNkZWY=",
            "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAACAd4nO3BMQEAAADCoPVPbQwfoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAC+BgHgAAE=",
        ],
    ),
    (
        "node",
        &[
            "",
            "binary,filename\n",
            "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n",
            "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n\"old\", \"a.js\", \"\", -5, 1",
            "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n\"old\", \"a.js\", \"\", NaN, 1",
            "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n\"old\", \"a.js\", \"\", 0, 1",
            "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n\"old\", \"a.js\", \"\", fast, 1",
            "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n\"old\", \"a.js\", \"\", 1e-300, 1",
            "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n\"old\", \"a.js\", \"n=1",
            "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n\"old\", \"a.js\", 5",
        ],
    ),
    (
        "vitest",
        &[
            "",
            "[]",
            r#"{"files": []}"#,
            r#"{"files": [{"filepath": "/a"}]}"#,
            r#"{"files": [{"filepath": "/a", "groups": [{"fullName": "a", "benchmarks": [{"name": "f", "mean": -1}]}]}]}"#,
            r#"{"files": [{"filepath": "/a", "groups": [{"fullName": "a", "benchmarks": [{"name": "f", "samples": ["1"]}]}]}]}"#,
            r#"{"files": [{"filepath": "/a", "groups": [{"fullName": "a", "benchmarks": [{"name": "f", "samples": []}]}]}]}"#,
        ],
    ),
    (
        "tinybench",
        &[
            "",
            "{}",
            r#"[{"latency": {"mean": 1}, "throughput": {"mean": 1}}]"#,
            r#"[{"name": "f", "latency": {"mean": 1e300}}]"#,
            r#"[{"name": "f", "latency": {"samples": [1, -1]}}]"#,
            r#"[{"name": "f", "latency": 1}]"#,
            r#"[{"Task name": "f", "Latency avg (ns)": "fast"}]"#,
            r#"[{"name": "f", "state": "errored"}]"#,
        ],
    ),
    (
        "iperf3",
        &[
            "",
            "[]",
            "{}",
            r#"{"start": {"version": "iperf 3.12"}}"#,
            r#"{"start": {}, "intervals": [{"sum": {"bits_per_second": -1}}]}"#,
            r#"{"start": {}, "intervals": [{"sum": {"bits_per_second": "1"}}]}"#,
            r#"{"start": {}, "intervals": [{"sum": {}}]}"#,
            r#"{"start": {}, "end": {"streams": [{"sender": {"mean_rtt": 1e300}}]}}"#,
            r#"{"start": {}, "end": {"sum_sent": {"bits_per_second": -1}}}"#,
        ],
    ),
    (
        "sockperf",
        &[
            "",
            "sockperf: Starting test...\n",
            "sockperf: Summary: Latency is fast\n",
            "sockperf: Summary: Latency is -1 usec\n",
            "sockperf: Summary: Latency is 1 usec\nsockperf: ---> percentile 101 = 1\n",
            "sockperf: Summary: Latency is 1 usec\nsockperf: ---> percentile 50\n",
            "sockperf: # dropped messages = none;\n",
        ],
    ),
    (
        "netperf",
        &[
            "",
            "TCP STREAM TEST from a port 0 AF_INET to b\n",
            "TCP STREAM TEST from a port 0 AF_INET to b\n1 2 3\n",
            "TCP STREAM TEST from a port 0 AF_INET to b\nThroughput\nparsecs\n\n1 2 3 4 5\n",
            "TCP STREAM TEST from a port 0 AF_INET to b\nThroughput\n10^6bits/sec\n\n1 2 3 4 -5\n",
            "TCP STREAM TEST from a port 0 AF_INET to b\nTHROUGHPUT=fast\nTHROUGHPUT_UNITS=10^6bits/s\n",
            "TCP RR TEST from a port 0 AF_INET to b\nTHROUGHPUT=0\nTHROUGHPUT_UNITS=Trans/s\n",
            "TCP RR TEST from a port 0 AF_INET to b\nMEAN_LATENCY=1e300\n",
        ],
    ),
    (
        "k6-summary",
        &[
            "",
            "[]",
            r#"{"metadata": {}}"#,
            r#"{"metadata": {}, "results": {"metrics": []}}"#,
            r#"{"metadata": {}, "results": {"metrics": [{"name": "a", "type": "trend", "contains": "time", "values": {"avg": -1}}]}}"#,
            r#"{"metadata": {}, "results": {"metrics": [{"name": "a", "type": "counter", "values": {"count": -1}}]}}"#,
            r#"{"metadata": {}, "results": {"metrics": [{"name": "a", "type": "counter", "values": {}}]}}"#,
            r#"{"metadata": {}, "results": {"metrics": [{"name": "a"}]}}"#,
            r#"{"metadata": {}, "results": {"checks": {"results": [{"name": "a", "passes": "1", "fails": 0}]}}}"#,
        ],
    ),
    (
        "k6-json",
        &[
            "",
            "[]",
            r#"{"type":"Point","metric":"a","data":{"time":"t","value":1}}"#,
            "{\"type\":\"Metric\",\"metric\":\"a\",\"data\":{\"type\":\"trend\",\"contains\":\"time\"}}\n{\"type\":\"Point\",\"metric\":\"a\",\"data\":{\"value\":-1}}",
            "{\"type\":\"Metric\",\"metric\":\"a\",\"data\":{\"type\":\"trend\",\"contains\":\"time\"}}\n{\"type\":\"Point\",\"metric\":\"a\",\"data\":{}}",
            "{\"type\":\"Metric\",\"metric\":\"a\",\"data\":{\"type\":\"trend\",\"contains\":\"time\"}}\n{\"type\":\"Point\",\"metric\":\"a\",\"data\":{\"value\":\"1\"}}",
            "{\"type\":\"Metric\",\"metric\":\"a\",\"data\":{\"type\":\"trend\"}}\n{\"type\":\"Point\",\"metric\":\"a\",\"data\":{\"value\":1e300}}",
            "{\"type\":\"Metric\",\"metric\":\"a\",\"data\":{\"type\":\"other\"}}\n{\"type\":\"Point\",\"metric\":\"a\",\"data\":{\"value\":1}}",
        ],
    ),
    (
        "benchmark-js",
        &[
            "",
            "{}",
            "Fastest is f\n",
            "f x fast ops/sec ±0.5% (90 runs sampled)",
            "f x 0 ops/sec ±0.5% (90 runs sampled)",
            "throws: \n",
            r#"[{"name": "f", "stats": {"sample": [-1]}}]"#,
            r#"[{"name": "f", "stats": {"sample": ["1"]}}]"#,
            r#"[{"name": "f", "stats": 1}]"#,
            r#"{"0": {"stats": {"mean": 1}}}"#,
        ],
    ),
    (
        "hgrm",
        &[
            "",
            "Value Percentile\n1 0.5\n",
            "Value Percentile TotalCount 1/(1-Percentile)\n1 0.5 1 2\n",
            "Value(parsecs) Percentile TotalCount 1/(1-Percentile)\n1 0.5 1 2\n",
            "Value(ms) Percentile TotalCount 1/(1-Percentile)\n",
            "Value(ms) Percentile TotalCount 1/(1-Percentile)\n1 0.25 1 1.33\n",
            "Value(ms) Percentile TotalCount 1/(1-Percentile)\nfast 0.5 1 2\n",
            "Value(ms) Percentile TotalCount 1/(1-Percentile)\n-1 0.5 1 2\n",
            "Value(ms) Percentile TotalCount 1/(1-Percentile)\n1 0.5\n",
            "Value(ms) Percentile TotalCount 1/(1-Percentile)\n1 50 1 2\n",
            "Value(ms) Percentile TotalCount 1/(1-Percentile)\n1 0.5 1 2\n1 0.25 1 2\n",
        ],
    ),
    (
        "fio",
        &[
            "",
            "[]",
            r#"{"fio version": "fio-3.33"}"#,
            r#"{"fio version": "fio-3.33", "jobs": []}"#,
            r#"{"fio version": "fio-3.33", "jobs": [{}]}"#,
            "note: queue depth will be capped at 1\n{\n\"fio version\" : \"fio-3.33\",\n\"jobs\" : [{}]}",
            r#"{"fio version": "fio-3.33", "jobs": [{"jobname": "j", "read": {"total_ios": 1, "clat_ns": {"mean": -1}}}]}"#,
            r#"{"fio version": "fio-3.33", "jobs": [{"jobname": "j", "read": {"total_ios": 1, "clat_ns": {"mean": 1, "percentile": {"50": "1"}}}}]}"#,
            r#"{"fio version": "fio-3.33", "jobs": [{"jobname": "j", "read": {"total_ios": 1, "clat_ns": {"N": 1}}}]}"#,
            r#"{"fio version": "fio-3.33", "jobs": [{"jobname": "j", "read": {"total_ios": -1}}]}"#,
        ],
    ),
    (
        "wrk",
        &[
            "",
            "Requests/sec: 1\n",
            "Running 1s test @ http://a/\n",
            "Running 1s test @ http://a/\n  Latency  5.84parsecs 1ms 1ms\n",
            "Running 1s test @ http://a/\n  50%  fast\n",
            "Running 1s test @ http://a/\nRequests/sec: -\n",
            "Running 1s test @ http://a/\nTransfer/sec: 1.5ms\n",
            "Running 1s test @ \n  Latency  5.84ms 1ms 1ms\n",
        ],
    ),
    (
        "oha",
        &[
            "",
            "[]",
            r#"{"summary": {}}"#,
            r#"{"summary": {}, "latencyPercentiles": {"p50": -1}}"#,
            r#"{"summary": {}, "latencyPercentiles": {"p50": null}}"#,
            r#"{"summary": {"requestsPerSec": "1"}}"#,
            "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n",
            "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n1,1,1,1,-1,1,200",
            "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n1,1,1,1,fast,1,200",
            "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n1,1,1",
            "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n1,1,1,1,1,1,200,1",
        ],
    ),
    (
        "perf-stat",
        &[
            "",
            "# started on Mon\n",
            "[]",
            r#"{"counter-value" : "many", "unit" : "", "event" : "cycles"}"#,
            r#"{"counter-value" : "-1", "unit" : "", "event" : "cycles"}"#,
            r#"{"counter-value" : "1e300", "unit" : "", "event" : "cycles", "variance" : 1}"#,
            r#"{"counter-value" : 1, "unit" : "", "event" : "cycles"}"#,
            r#"{"counter-value" : "<not counted>", "unit" : "", "event" : "cycles"}"#,
            "{\"counter-value\" : \"1\", \"unit\" : \"\", \"event\" : \"cycles\"}\n{",
        ],
    ),
    (
        "criterion-dir",
        &[
            "",
            r#"{"criterion_dir": 2, "id": {"full_id": "a"}, "sample": {"iters": [1], "times": [5]}}"#,
            r#"{"criterion_dir": 1, "id": {}, "sample": {"iters": [1], "times": [5]}}"#,
            r#"{"criterion_dir": 1, "id": {"full_id": ""}, "sample": {"iters": [1], "times": [5]}}"#,
            r#"{"criterion_dir": 1, "id": {"full_id": "a"}, "sample": null}"#,
            r#"{"criterion_dir": 1, "id": {"full_id": "a"}, "sample": {"iters": [], "times": []}}"#,
            "{\"criterion_dir\": 1, \"id\": {\"full_id\": \"a\"}, \"sample\": {\"iters\": [1], \"times\": [5]}}\n{\"criterion_dir\": 1, \"id\": {\"full_id\": \"a\"}, \"sample\": {\"iters\": [1, 2], \"times\": [5]}}",
            r#"{"criterion_dir": 1, "id": {"full_id": "a"}, "sample": {"iters": [0], "times": [5]}}"#,
            r#"{"criterion_dir": 1, "id": {"full_id": "a"}, "sample": {"iters": [1], "times": [-5]}}"#,
            r#"{"criterion_dir": 1, "id": {"full_id": "a"}, "sample": {"iters": [1], "times": [1e300]}}"#,
            r#"{"criterion_dir": 1, "id": {"full_id": "a"}, "sample": {"iters": [1], "times": [NaN]}}"#,
        ],
    ),
    (
        "criterion-text",
        &[
            "",
            "add   time:   [1.7 ns 1.8 ns 1.9 ns",
            "add   time:   [1.7 ns 1.8 ns]",
            "add   time:   [1.7 ns 1.8 ns 1.9 ns 2.0 ns]",
            "add   time:   [1.7 cycles 1.8 cycles 1.9 cycles]",
            "add   time:   [1.7 ns 1.8 ns 1.9 cycles]",
            "add   time:   [1.7 ns -1.8 ns 1.9 ns]",
            "add   time:   [1.7 ns NaN ns 1.9 ns]",
            "add   time:   [1.7 s 1e300 s 1.9 s]",
            "   time:   [1.7 ns 1.8 ns 1.9 ns]",
            "add   time:   [-1.5% +0.2% +1.9%] (p = 0.05 > 0.05)",
            "a   thrpt:  [1 MiB/s 2 MiB/s 3 MiB/s]",
        ],
    ),
    (
        "libtest",
        &[
            "",
            "test a ... ok",
            "test a ... ignored",
            "test a ... FAILED",
            "test a ... bench:         fast ns/iter (+/- 1)",
            "test a ... bench:           5 ns",
            "test a ... bench:           5 cycles/iter (+/- 1)",
            "test a ... bench:           5 ns/iter (+/- 1) = 5 furlongs/s",
            "test a ... bench:          -5 ns/iter (+/- 1)",
            "test a ... bench:         NaN ns/iter (+/- 1)",
            "test a ... bench:       1e300 ns/iter (+/- 1)",
            "test  ... bench:            5 ns/iter (+/- 1)",
        ],
    ),
    (
        "benchmark-action",
        &[
            "",
            "[]",
            r#"[{"name": "a", "unit": "ns"}]"#,
            r#"[{"name": "a", "unit": "ns", "value": "1"}]"#,
            r#"[{"name": "a", "unit": "ns", "value": 1}, {"name": "b", "unit": "ms", "value": -1}]"#,
            r#"[{"name": "a", "unit": "ns", "value": NaN}]"#,
            r#"[{"name": "a", "unit": "ns", "value": 1e300}]"#,
            r#"[{"name": "a", "unit": "MB/s", "value": 1e300}]"#,
            r#"[{"name": "a", "unit": "Percent", "value": -1}]"#,
            r#"[{"name": "", "unit": "ns", "value": 1}]"#,
            r#"{"name": "a", "unit": "ns", "value": 1}"#,
        ],
    ),
    (
        "divan",
        &[
            "",
            "a  fastest │ slowest │ median │ mean │ samples │ iters\n",
            "a        fastest │ slowest │ median │ mean   │ samples │ iters\n╰─ copy  fast    │ 2 ns    │ 3 ns   │ 4 ns   │ 100     │ 100\n",
            "a        fastest │ slowest │ median │ mean   │ samples │ iters\n╰─ copy  1 ns    │ 2 ns    │ 3 eons │ 4 ns   │ 100     │ 100\n",
            "a        fastest │ slowest │ median │ mean   │ samples │ iters\n╰─ copy  1 ns    │ 2 ns    │ -3 ns  │ 4 ns   │ 100     │ 100\n",
            "a        fastest │ slowest │ median │ mean   │ samples │ iters\n╰─ copy  1 ns    │ 2 ns    │ NaN ns │ 4 ns   │ 100     │ 100\n",
            "a        fastest │ slowest │ median │ mean   │ samples │ iters\n╰─ copy  1 ns    │ 2 ns    │ 1e30 s │ 4 ns   │ 100     │ 100\n",
            "a        fastest │ slowest │ median │ mean   │ samples │ iters\n╰─ copy  (ignored)\n",
        ],
    ),
    (
        "gungraun",
        &[
            "",
            "a::b::c id:(1)\n",
            "  Instructions:     5|N/A   (*********)",
            "a::b::c\n  Instructions:     five|N/A   (*********)",
            "a::b::c\n  Instructions:     N/A|5   (*********)",
            "a::b::c\n  Instructions:     -5|N/A   (*********)",
            "a::b::c\n  Instructions:     NaN|N/A   (*********)",
            "a::b::c\n  Instructions:     1e300|N/A   (*********)",
            "a::b::c\n  Instructions:     5",
        ],
    ),
    (
        "catch2",
        &[
            "",
            "<Catch name=\"a\"></Catch>",
            "<Catch name=\"a\">\n<TestCase name=\"b\">",
            "<Catch name=\"a\">\n<TestCase name=\"b\"></Catch>",
            "<Catch name=\"a\"><BenchmarkResults name=\"b\"><mean lowerBound=\"1\" upperBound=\"1\"/></BenchmarkResults></Catch>",
            "<Catch name=\"a\"><BenchmarkResults name=\"b\">\n<mean value=\"fast\" ci=\"0\"/></BenchmarkResults></Catch>",
            "<Catch name=\"a\"><BenchmarkResults name=\"b\">\n<mean value=\"-1\" ci=\"0\"/></BenchmarkResults></Catch>",
            "<Catch name=\"a\"><BenchmarkResults name=\"b\">\n<mean value=\"nan\" ci=\"0\"/></BenchmarkResults></Catch>",
            "<Catch name=\"a\"><BenchmarkResults name=\"b\">\n<mean value=\"1e300\" ci=\"0\"/></BenchmarkResults></Catch>",
            "<Catch name=\"a\"><BenchmarkResults><mean value=\"1\" ci=\"0\"/></BenchmarkResults></Catch>",
            "<Catch name=\"a\"><BenchmarkResults name=\"b\"><failed message=\"no pipe\"/></BenchmarkResults></Catch>",
            "<Catch name=\"a\"><mean value=\"1\" ci=\"0\"/></Catch>",
        ],
    ),
    (
        "nanobench",
        &[
            "",
            r#"{"results": [{"title": "a", "name": "b", "batch": 1, "measurements": []}]}"#,
            r#"{"results": [{"title": "a", "name": "b", "batch": 0, "measurements": [{"elapsed": 1}]}]}"#,
            r#"{"results": [{"title": "a", "name": "b", "batch": 1, "measurements": [{}]}]}"#,
            r#"{"results": [{"title": "a", "name": "b", "batch": 1, "measurements": [{"elapsed": -1}]}]}"#,
            r#"{"results": [{"title": "a", "name": "b", "batch": 1, "measurements": [{"elapsed": NaN}]}]}"#,
            r#"{"results": [{"title": "a", "name": "b", "batch": 1, "measurements": [{"elapsed": 1e300}]}]}"#,
            r#"{"results": [{"title": "a", "name": "b", "batch": 1, "measurements": [{"elapsed": "1"}]}]}"#,
            r#"{"results": [{"title": "a", "name": "b", "batch": 1, "measurements": [{"elapsed": 1, "instructions": -1}]}]}"#,
            r#"{"results": [{"name": "b", "batch": 1, "measurements": [{"elapsed": 1}]}]}"#,
            r#"{"results": []}"#,
        ],
    ),
    (
        "benchmark-dotnet",
        &[
            "",
            "{}",
            r#"{"Benchmarks": [{"FullName": "A.B"}]}"#,
            r#"{"Benchmarks": [{"FullName": "A.B", "Statistics": {"OriginalValues": [1, -5]}}]}"#,
            r#"{"Benchmarks": [{"FullName": "A.B", "Statistics": {"OriginalValues": ["NaN"]}}]}"#,
            r#"{"Benchmarks": [{"FullName": "A.B", "Statistics": {"OriginalValues": [1e300]}}]}"#,
            r#"{"Benchmarks": [{"FullName": "A.B", "Statistics": {"OriginalValues": []}}]}"#,
            r#"{"Benchmarks": [{"FullName": "A.B", "Measurements": [{"IterationMode": "Workload", "IterationStage": "Result", "LaunchIndex": 1, "Operations": 0, "Nanoseconds": 5}]}]}"#,
            r#"{"Benchmarks": [{"FullName": "A.B", "Measurements": [{"IterationMode": "Workload", "IterationStage": "Result", "LaunchIndex": 1, "Operations": 1, "Nanoseconds": -5}]}]}"#,
            r#"{"Benchmarks": [{"FullName": "A.B", "Measurements": [{"IterationMode": "Workload", "IterationStage": "Result", "Operations": 1, "Nanoseconds": 5}]}]}"#,
            r#"{"Benchmarks": [{"FullName": "A.B", "Metrics": [{"Value": "NaN", "Descriptor": {"Id": "Gen0Collects"}}]}]}"#,
            r#"{"Benchmarks": [{"DisplayInfo": "A.B: DefaultJob"}]}"#,
        ],
    ),
    (
        "asv",
        &[
            "",
            "{}",
            r#"{"commit_hash": "1", "result_columns": ["result", "stats"], "results": {}}"#,
            asv!(""),
            asv!(r#""a.time_b": null"#),
            asv!(r#""a.time_b": [null, []]"#),
            asv!(r#""a.time_b": [[NaN], []]"#),
            asv!(r#""a.time_b": [[-1], []]"#),
            asv!(r#""a.time_b": [[1e300], []]"#),
            asv!(r#""a.time_b": [[1, 2], [["64", "4096"], ["x", "y"]]]"#),
            asv!(r#""a.time_b": [["fast"], []]"#),
            asv!(r#""a.bench_b": [[1], []]"#),
            asv!(r#""a.time_b": [[1], [], "v", 1, 1, [1], [1], [1], [1], [1], [1], [[-1]]]"#),
        ],
    ),
];

fn refusal(format: &str, text: &str) -> String {
    match import(text.as_bytes(), Some(format.parse().unwrap())) {
        Ok(import) => format!("read: {} benchmarks, {:?}", import.benchmarks.len(), import.warnings),
        Err(error) => error.to_string(),
    }
}

#[test]
fn errors_name_place_and_expectation() {
    let mut errors = String::new();
    for (format, texts) in WRONG {
        for text in *texts {
            writeln!(errors, "{format}: {text:?}\n    {}", refusal(format, text)).unwrap();
        }
    }
    snapshot("refused", &errors);
}

/// A golden file of each format, cut at two thirds of its length.
#[test]
fn reports_where_a_truncated_file_ends() {
    let (all, mut errors) = (golden(), String::new());
    for format in Format::all() {
        let golden = all.iter().find(|golden| golden.format == *format).unwrap();
        let text = str::from_utf8(&golden.bytes).unwrap();
        let cut = &text[..text.len() * 2 / 3];
        let refused = refusal(format.slug(), cut);
        let recognised =
            import(cut.as_bytes(), None).map_or_else(|error| error.to_string(), |_| "read".into());
        assert_eq!(recognised.split(':').next(), refused.split(':').next(), "{}", golden.name);
        writeln!(errors, "{}\n    {refused}", golden.name).unwrap();
    }
    snapshot("cut", &errors);
}

#[test]
fn every_format_rejects_invalid_text() {
    for format in Format::all() {
        let error = format.parse(b"{\"a\": \"\xff\"}").unwrap_err();
        assert_eq!(error.to_string(), "byte 7: expected UTF-8 text");
    }
}
