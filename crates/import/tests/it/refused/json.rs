//! Formats that are JSON.

use super::Refused;

pub(super) const CASES: &[Refused] = &[
    ("bmf", "", "bmf: line 1, column 1: expected the rest of a value, found the end of the text"),
    (
        "bmf",
        "{\"a\": {\"latency\": {\"value\": \"fast\"}}}",
        "bmf: line 1, column 34, a.latency.value: expected a number, found string \"fast\"",
    ),
    (
        "bmf",
        "{\"a\": {\"latency\": {\"value\": -1}}}",
        "bmf: a.latency.value: expected a time of 0 or more, found -1.0",
    ),
    (
        "bmf",
        "{\"a\": {\"latency\": {\"value\": NaN}}}",
        "bmf: line 1, column 29, a.latency.value: expected a value",
    ),
    (
        "bmf",
        "{\"a\": {\"latency\": {\"value\": 1e300}}}",
        "bmf: a.latency.value: expected a time of at most 10^15 ns, found 1e300",
    ),
    (
        "bmf",
        "{\"a\": {\"latency\": {\"value\": 1e999}}}",
        "bmf: line 1, column 33, a.latency.value: expected a number that fits into 64 bits, found a larger one",
    ),
    (
        "bmf",
        "{\"a\": {\"latency\": {}}}",
        "bmf: expected at least one benchmark with a time; a: left out, it has neither a value nor a median",
    ),
    (
        "bmf",
        "{\"a\": {\"file-size\": {\"value\": 1}}}",
        "bmf: expected at least one benchmark with a time; left out, only times of operations are taken: file-size",
    ),
    (
        "bmf",
        "{\"\": {\"latency\": {\"value\": 1}}}",
        "bmf: expected a name of 1 to 200 characters, none of them a control character, found 0: ``",
    ),
    (
        "bmf",
        "{\"a\\u0007\": {\"latency\": {\"value\": 1}}}",
        "bmf: a : expected a name of 1 to 200 characters, none of them a control character, found 2: `a `",
    ),
    ("bmf", "[]", "bmf: line 1, column 1: expected an object, found sequence"),
    ("criterion", "", "criterion: expected at least one benchmark with a time"),
    ("criterion", "{\"reason\":\"x\"}", "criterion: expected at least one benchmark with a time"),
    (
        "criterion",
        "{\"reason\": 1}",
        "criterion: line 1, column 12, reason: expected a text, found integer `1`",
    ),
    (
        "criterion",
        "{\"reason\":\"group-complete\"}\n{\"reason\":\"benchmark-complete\",\"id\":\"a\",\"iteration_count\":[1],\"measured_values\":[-5],\"unit\":\"ns\"}",
        "criterion: line 2, measured_values[0]: expected a time of 0 or more, found -5.0",
    ),
    (
        "criterion",
        "{\"reason\":\"group-complete\"}\n{\"reason\":\"benchmark-complete\",\"id\":\"a\",\"iteration_count\":[1],\"measured_values\":[NaN],\"unit\":\"ns\"}",
        "criterion: line 2, column 82, measured_values: expected a value",
    ),
    (
        "criterion",
        "{\"reason\":\"group-complete\"}\n{\"reason\":\"benchmark-complete\",\"id\":\"a\",\"iteration_count\":[0],\"measured_values\":[5],\"unit\":\"ns\"}",
        "criterion: line 2, iteration_count[0]: expected at least 1 iteration, found 0",
    ),
    (
        "criterion",
        "{\"reason\":\"group-complete\"}\n{\"reason\":\"benchmark-complete\",\"id\":\"a\",\"iteration_count\":[1,2],\"measured_values\":[5],\"unit\":\"ns\"}",
        "criterion: line 2, measured_values: expected one for each of 2 iteration_count, found 1",
    ),
    (
        "criterion",
        "{\"reason\":\"group-complete\"}\n{\"reason\":\"benchmark-complete\",\"id\":\"a\",\"iteration_count\":[1],\"measured_values\":[1e300],\"unit\":\"ns\"}",
        "criterion: line 2, measured_values[0]: expected a time of at most 10^15 ns, found 1e300",
    ),
    (
        "criterion",
        "{\"reason\":\"group-complete\"}\n{\"reason\":\"benchmark-complete\",\"id\":\"a\",\"iteration_count\":[1],\"measured_values\":[\"5\"],\"unit\":\"ns\"}",
        "criterion: line 2, column 84, measured_values[0]: expected a number, found string \"5\"",
    ),
    (
        "criterion",
        "{\"reason\":\"group-complete\"}\n{\"reason\":\"benchmark-complete\",\"id\":\"a\",\"iteration_count\":[1],\"measured_values\":[5],\"unit\":\"cycles\"}",
        "criterion: expected at least one benchmark with a time; a: left out, measured in cycles, which is no unit of time",
    ),
    (
        "criterion",
        "{\"reason\":\"group-complete\"}\n{\"reason\":\"benchmark-complete\",\"id\":\"a\",\"iteration_count\":[-1],\"measured_values\":[5],\"unit\":\"ns\"}",
        "criterion: line 2, column 61, iteration_count[0]: expected a whole number that is not negative, found integer `-1`",
    ),
    ("criterion", "Benchmarking\n", "criterion: line 1, column 1: expected a value"),
    (
        "google-benchmark",
        "",
        "google-benchmark: line 1, column 1: expected the rest of a value, found the end of the text",
    ),
    (
        "google-benchmark",
        "{\"context\": {\"num_cpus\": 2},\n \"benchmarks\": [\n  {\"name\": \"a\", \"real_time\": -1}]}",
        "google-benchmark: benchmarks[0].real_time: expected a time of 0 or more, found -1.0",
    ),
    (
        "google-benchmark",
        "{\"context\": {\"num_cpus\": 2},\n \"benchmarks\": [\n  {\"name\": \"a\", \"real_time\": NaN}]}",
        "google-benchmark: line 3, column 30, benchmarks[0].real_time: expected a value",
    ),
    (
        "google-benchmark",
        "{\"context\": {\"num_cpus\": 2},\n \"benchmarks\": [\n  {\"name\": \"a\", \"real_time\": \"1\"}]}",
        "google-benchmark: line 3, column 32, benchmarks[0].real_time: expected a number, found string \"1\"",
    ),
    (
        "google-benchmark",
        "{\"context\": {\"num_cpus\": 2},\n \"benchmarks\": [\n  {\"name\": \"a\", \"real_time\": 1, \"time_unit\": \"fortnight\"}]}",
        "google-benchmark: benchmarks[0].time_unit: expected ns, us, ms or s, found `fortnight`",
    ),
    (
        "google-benchmark",
        "{\"context\": {\"num_cpus\": 2},\n \"benchmarks\": [\n  {\"name\": \"a\", \"real_time\": 1e300}]}",
        "google-benchmark: benchmarks[0].real_time: expected a time of at most 10^15 ns, found 1e300",
    ),
    (
        "google-benchmark",
        "{\"context\": {\"num_cpus\": 2},\n \"benchmarks\": [\n  {\"name\": \"a\"}]}",
        "google-benchmark: benchmarks[0].real_time: expected a number",
    ),
    (
        "google-benchmark",
        "{\"context\": {\"num_cpus\": 2},\n \"benchmarks\": [\n  {\"real_time\": 1}]}",
        "google-benchmark: line 3, column 18, benchmarks[0]: expected a member `name`, found none",
    ),
    (
        "google-benchmark",
        "{\"context\": {\"num_cpus\": 2},\n \"benchmarks\": [\n  {\"name\": \"a\", \"real_time\": 1, \"error_occurred\": true, \"error_message\": \"no\"}]}",
        "google-benchmark: expected at least one benchmark with a time; a: skipped by the benchmark: no",
    ),
    (
        "google-benchmark",
        "{\"context\": {}, \"benchmarks\": []}",
        "google-benchmark: expected at least one benchmark with a time",
    ),
    (
        "histogram-set",
        "",
        "histogram-set: line 1, column 1: expected the rest of a value, found the end of the text",
    ),
    ("histogram-set", "{}", "histogram-set: line 1, column 1: expected a list, found map"),
    (
        "histogram-set",
        "[{\"name\": \"a\", \"unit\": \"ms\", \"sampleValues\": [-1], \"running\": [1, 1, 0, 1, 1, 1, 0]}]",
        "histogram-set: [0].sampleValues: expected a time of 0 or more, found -1.0",
    ),
    (
        "histogram-set",
        "[{\"name\": \"a\", \"unit\": \"ms\", \"sampleValues\": [NaN], \"running\": [1, 1, 0, 1, 1, 1, 0]}]",
        "histogram-set: line 1, column 47, [0].sampleValues[0]: expected a value",
    ),
    (
        "histogram-set",
        "[{\"name\": \"a\", \"unit\": \"ms\", \"sampleValues\": [1e300], \"running\": [1, 1, 0, 1, 1, 1, 0]}]",
        "histogram-set: [0].sampleValues: expected a time of at most 10^15 ns, found 1e300",
    ),
    (
        "histogram-set",
        "[{\"name\": \"a\", \"unit\": \"fathoms\", \"sampleValues\": [1], \"running\": [1, 1, 0, 1, 1, 1, 0]}]",
        "histogram-set: expected at least one benchmark with a time; a: left out, its unit fathoms is no time of which less is better",
    ),
    (
        "histogram-set",
        "[{\"name\": \"a\", \"unit\": \"ms_biggerIsBetter\", \"sampleValues\": [1], \"running\": [1, 1, 0, 1, 1, 1, 0]}]",
        "histogram-set: expected at least one benchmark with a time; a: left out, its unit ms_biggerIsBetter is no time of which less is better",
    ),
    (
        "histogram-set",
        "[{\"name\": \"a\", \"unit\": \"ms\", \"sampleValues\": [\"x\"], \"running\": [1, 1, 0, 1, 1, 1, 0]}]",
        "read: 1 benchmarks, [\"a: 1 samples were no numbers and are left out\", \"a: the file does not hold all of its samples\"]",
    ),
    (
        "histogram-set",
        "[{\"name\": 1}]",
        "histogram-set: line 1, column 11, [0].name: expected a text, found integer `1`",
    ),
    (
        "histogram-set",
        "[{\"name\": \"a\", \"unit\": \"ms\"}]",
        "histogram-set: expected at least one benchmark with a time; a: left out, it has neither all of its samples nor a mean of them",
    ),
    ("hyperfine", "", "hyperfine: line 1, column 1: expected the rest of a value, found the end of the text"),
    (
        "hyperfine",
        "{\"results\": [{\"command\": \"a\",\n \"times\": [1, -0.5]}]}",
        "hyperfine: results[0].times[1]: expected a time of 0 or more, found -0.5",
    ),
    (
        "hyperfine",
        "{\"results\": [{\"command\": \"a\", \"times\": [NaN]}]}",
        "hyperfine: line 1, column 41, results[0].times[0]: expected a value",
    ),
    (
        "hyperfine",
        "{\"results\": [{\"command\": \"a\", \"times\": [\"1\"]}]}",
        "hyperfine: line 1, column 43, results[0].times[0]: expected a number, found string \"1\"",
    ),
    (
        "hyperfine",
        "{\"results\": [{\"command\": \"a\", \"times\": [1e300]}]}",
        "hyperfine: results[0].times[0]: expected a time of at most 10^15 ns, found 1e300",
    ),
    (
        "hyperfine",
        "{\"results\": [{\"command\": \"a\", \"times\": []}]}",
        "hyperfine: expected at least one benchmark with a time",
    ),
    (
        "hyperfine",
        "{\"results\": [{\"command\": \"a\"}]}",
        "hyperfine: results[0]: expected times, a median or a mean",
    ),
    ("hyperfine", "{\"results\": {}}", "hyperfine: line 1, column 12, results: expected a list, found map"),
    (
        "hyperfine",
        "{\"results\": [{\"command\": \"xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx\", \"mean\": 1}]}",
        "hyperfine: results[0]: expected a name of 1 to 200 characters, none of them a control character, found 201: `xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx…`",
    ),
    ("hyperfine", "{\"results\": []}", "hyperfine: expected at least one benchmark with a time"),
    ("jmh", "", "jmh: line 1, column 1: expected the rest of a value, found the end of the text"),
    (
        "jmh",
        "[{\"jmhVersion\": \"1.37\", \"benchmark\": \"A.b\", \"mode\": \"avgt\", \"primaryMetric\": {\"score\": 1, \"scoreUnit\": \"us/op\", \"rawData\": [[1, -2]]}}]",
        "jmh: [0].primaryMetric.rawData[0]: expected a time of 0 or more, found -2.0",
    ),
    (
        "jmh",
        "[{\"jmhVersion\": \"1.37\", \"benchmark\": \"A.b\", \"mode\": \"avgt\", \"primaryMetric\": {\"score\": 1, \"scoreUnit\": \"us/op\", \"rawData\": [[NaN]]}}]",
        "jmh: line 1, column 126, [0].primaryMetric.rawData[0][0]: expected a value",
    ),
    (
        "jmh",
        "[{\"jmhVersion\": \"1.37\", \"benchmark\": \"A.b\", \"mode\": \"avgt\", \"primaryMetric\": {\"score\": 1, \"scoreUnit\": \"ops/s\", \"rawData\": [[0]]}}]",
        "jmh: [0].primaryMetric.rawData[0]: expected a rate above 0, found 0.0",
    ),
    (
        "jmh",
        "[{\"jmhVersion\": \"1.37\", \"benchmark\": \"A.b\", \"mode\": \"avgt\", \"primaryMetric\": {\"score\": 1, \"scoreUnit\": \"parsec\", \"rawData\": [[1]]}}]",
        "jmh: expected at least one benchmark with a time; A.b: left out, `parsec` is neither a time of an operation nor operations in a time",
    ),
    (
        "jmh",
        "[{\"jmhVersion\": \"1.37\", \"benchmark\": \"A.b\", \"mode\": \"avgt\", \"primaryMetric\": {\"score\": \"NaN\", \"scoreUnit\": \"us/op\"}}]",
        "jmh: [0].primaryMetric: expected raw data or a score that is a number",
    ),
    (
        "jmh",
        "[{\"jmhVersion\": \"1.37\", \"benchmark\": \"A.b\", \"mode\": \"avgt\", \"primaryMetric\": {\"score\": 1, \"scoreUnit\": \"us/op\", \"rawDataHistogram\": [[[[1]]]]}}]",
        "jmh: line 1, column 138, [0].primaryMetric.rawDataHistogram[0][0][0]: expected a value and its count, found length 1",
    ),
    (
        "jmh",
        "[{\"jmhVersion\": \"1.37\", \"benchmark\": \"A.b\", \"mode\": \"avgt\", \"primaryMetric\": {\"score\": 1, \"scoreUnit\": \"us/op\", \"rawDataHistogram\": [[[[1, -1]]]]}}]",
        "jmh: line 1, column 141, [0].primaryMetric.rawDataHistogram[0][0][0][1]: expected a whole number that is not negative, found integer `-1`",
    ),
    (
        "jmh",
        "[{\"jmhVersion\": \"1.37\", \"benchmark\": \"A.b\", \"mode\": \"avgt\", \"primaryMetric\": {\"score\": 1, \"scoreUnit\": \"us/op\", \"rawDataHistogram\": [[[[1, 9007199254740993]]]]}}]",
        "jmh: [0].primaryMetric.rawDataHistogram[0]: expected counts of at most 2^53 values together",
    ),
    (
        "jmh",
        "[{\"jmhVersion\": \"1.37\", \"benchmark\": \"A.b\", \"mode\": \"avgt\", \"primaryMetric\": {\"score\": 1, \"scoreUnit\": \"us/op\", \"rawData\": [[1e300]]}}]",
        "jmh: [0].primaryMetric.rawData[0]: expected a time of at most 10^15 ns, found 1e300",
    ),
    ("jmh", "[{\"benchmark\": \"a\"}]", "jmh: line 1, column 19, [0]: expected a member `mode`, found none"),
    ("k6", "", "k6: line 1, column 1: expected the rest of a value, found the end of the text"),
    (
        "k6",
        "{\"metrics\": {\"m\": {\"type\": \"trend\", \"contains\": \"time\", \"values\": {\"med\": -1}}}}",
        "k6: metrics.m.values.med: expected a time of 0 or more, found -1.0",
    ),
    (
        "k6",
        "{\"metrics\": {\"m\": {\"type\": \"trend\", \"contains\": \"time\", \"values\": {\"med\": NaN}}}}",
        "k6: line 1, column 75, metrics.m.values.med: expected a value",
    ),
    (
        "k6",
        "{\"metrics\": {\"m\": {\"type\": \"trend\", \"contains\": \"time\", \"values\": {\"med\": \"1\"}}}}",
        "k6: line 1, column 77, metrics.m.values.med: expected a number, found string \"1\"",
    ),
    (
        "k6",
        "{\"metrics\": {\"m\": {\"type\": \"trend\", \"contains\": \"time\", \"values\": {\"med\": 1e300}}}}",
        "k6: metrics.m.values.med: expected a time of at most 10^15 ns, found 1e300",
    ),
    (
        "k6",
        "{\"metrics\": {\"m\": {\"type\": \"trend\", \"contains\": \"time\", \"values\": {\"p(90)\": 1}}}}",
        "k6: metrics.m.values: expected `med` or `avg`",
    ),
    (
        "k6",
        "{\"metrics\": {\"m\": {\"type\": \"trend\", \"contains\": \"data\", \"values\": {\"med\": 1}}}}",
        "k6: expected at least one benchmark with a time; left out, only times of operations are taken: m",
    ),
    ("k6", "{\"metrics\": []}", "k6: line 1, column 12, metrics: expected an object, found sequence"),
    (
        "pytest-benchmark",
        "",
        "pytest-benchmark: line 1, column 1: expected the rest of a value, found the end of the text",
    ),
    (
        "pytest-benchmark",
        "{\"machine_info\": {\"python_version\": \"3\"}, \"benchmarks\": [{\"name\": \"t\", \"stats\": {\"data\": [-1]}}]}",
        "pytest-benchmark: benchmarks[0].stats.data[0]: expected a time of 0 or more, found -1.0",
    ),
    (
        "pytest-benchmark",
        "{\"machine_info\": {\"python_version\": \"3\"}, \"benchmarks\": [{\"name\": \"t\", \"stats\": {\"data\": [NaN]}}]}",
        "pytest-benchmark: line 1, column 91, benchmarks[0].stats.data[0]: expected a value",
    ),
    (
        "pytest-benchmark",
        "{\"machine_info\": {\"python_version\": \"3\"}, \"benchmarks\": [{\"name\": \"t\", \"stats\": {\"data\": [\"1\"]}}]}",
        "pytest-benchmark: line 1, column 93, benchmarks[0].stats.data[0]: expected a number, found string \"1\"",
    ),
    (
        "pytest-benchmark",
        "{\"machine_info\": {\"python_version\": \"3\"}, \"benchmarks\": [{\"name\": \"t\", \"stats\": {\"data\": [1e300]}}]}",
        "pytest-benchmark: benchmarks[0].stats.data[0]: expected a time of at most 10^15 ns, found 1e300",
    ),
    (
        "pytest-benchmark",
        "{\"machine_info\": {\"python_version\": \"3\"}, \"benchmarks\": [{\"name\": \"t\", \"stats\": {\"min\": 1}}]}",
        "pytest-benchmark: benchmarks[0].stats: expected data, a median or a mean",
    ),
    (
        "pytest-benchmark",
        "{\"machine_info\": {\"python_version\": \"3\"}, \"benchmarks\": [{\"name\": \"t\", \"stats\": {\"data\": []}}]}",
        "pytest-benchmark: expected at least one benchmark with a time; t: a repetition without values is left out",
    ),
    (
        "pytest-benchmark",
        "{\"machine_info\": {}}",
        "pytest-benchmark: line 1, column 20: expected a member `benchmarks`, found none",
    ),
];
