//! What is refused, and in which words.

use crate::support::text_of;
use roundtrip_import::import;

const CASES: &[(&str, &str, &str)] = &[
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
    ("go", "", "go: expected at least one benchmark with a time"),
    ("go", "hello\n", "go: expected at least one benchmark with a time"),
    ("go", "BenchmarkX-2 10 -5 ns/op", "go: line 1: expected a time of 0 or more, found -5.0"),
    ("go", "BenchmarkX-2 10 NaN ns/op", "go: line 1: expected a time of 0 or more, found NaN"),
    ("go", "BenchmarkX-2 10 inf ns/op", "go: line 1: expected a time of 0 or more, found inf"),
    ("go", "BenchmarkX-2 10 1e30 ns/op", "go: line 1: expected a time of at most 10^15 ns, found 1e30"),
    (
        "go",
        "BenchmarkX-2 10 5 furlongs/op",
        "go: expected at least one benchmark with a time; BenchmarkX-2: a line without ns/op is left out; left out, only times of operations are taken: furlongs/op",
    ),
    (
        "go",
        "BenchmarkX-2 10 five ns/op",
        "go: expected at least one benchmark with a time; line 1: begins as results do, but is none; left out",
    ),
    (
        "go",
        "BenchmarkX-2 10 5",
        "go: expected at least one benchmark with a time; line 1: begins as results do, but is none; left out",
    ),
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
    ("hdr-log", "", "hdr-log: expected at least one benchmark with a time"),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTAAAA",
        "hdr-log: line 2: expected a histogram, found 6 bytes",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,?",
        "hdr-log: line 2: expected a histogram in base64, found another text: Invalid symbol 63, offset 0.",
    ),
    (
        "hdr-log",
        "0.1,1.0,HISTFAAA",
        "hdr-log: line 1: expected an interval: its start, length, largest value, histogram",
    ),
    (
        "hdr-log",
        "x,1.0,0.001,HISTFAAAACN4nJNpmSzMwMDAxAABzFCaEch0M9ixgMH+A0SAiQkAVxsEUQ==",
        "hdr-log: line 1: expected a number as start, found `x`",
    ),
    (
        "hdr-log",
        "0.1,1.0,inf,HISTFAAAACN4nJNpmSzMwMDAxAABzFCaEch0M9ixgMH+A0SAiQkAVxsEUQ==",
        "hdr-log: line 1: expected a number as largest value, found `inf`",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTAQAAAAIAAAAAAAAAAwAAAAAAAAABAAADRjC4oAA/8AAAAAAAAAIC",
        "hdr-log: line 2: expected HdrHistogram V2, found an older encoding: write the log with version 2 of the library",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,AAAABwAAAAIAAAAAAAAAAwAAAAAAAAABAAADRjC4oAA/8AAAAAAAAAIC",
        "hdr-log: line 2: expected HdrHistogram V2, found the cookie 0x00000007",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAACR4nJNpmSzMwMDAxAABnFCakYGB2c1gxwIG+w8QASYmAFe9BFc=",
        "hdr-log: line 2, byte 12: expected 0 to 5 significant digits, found 9",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAACV4nJNpmSzMwMDABMSsQMzMAAGMQKabwY4FDPYfIAJMTABXtgRW",
        "hdr-log: line 2, byte 8: expected counts that are not shifted, found an offset of 5",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAACB4nJNpmSzcwAAHzFCaEch0M9ixgMH+A0SAiQkAadUEzw==",
        "hdr-log: line 2, byte 4: expected 2147483648 bytes of counts, found 2",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAAIZ4nJNpmSzMwMDAxAABzFCaEch0M9ixgMH+A0SAiQkAVxsEUQ==",
        "hdr-log: line 2: expected 134 bytes of a histogram, found 35",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAACJ4nJNpmSzMwMDAyAABzFAayGd2M9ixgMH+A0SgCQBTKATO",
        "hdr-log: line 2, byte 40: expected a whole count, found its beginning",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAACV4nJNpmSzMwMDAxQABzAIMMMDsZrBjAYP9BwjvPwwwAQCypg1d",
        "hdr-log: line 2, byte 49: expected values of at most 64 bits, found a count beyond them",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAACZ4nJNpmSzMwMDAyQABzFCaEch0M9ixgMH+A0Tg338IqAcAoqAMyg==",
        "hdr-log: line 2: expected counts of at most 2^53 values together",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAACV4nJNpmSzMwMDAwgABzAwMjDCmm8GOBQz2HyC85gNMTABkUAWW",
        "hdr-log: line 2, byte 43: expected values of at most 64 bits, found a count beyond them",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAAB14nJNpmSzMgADMUJoRyHQz2LGAwf4DRAAATjkESw==",
        "hdr-log: expected at least one benchmark with a time; untagged: a repetition without values is left out",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAAAAZhYmNkZWY=",
        "hdr-log: line 2: expected a deflated histogram: corrupt deflate stream",
    ),
    (
        "hdr-log",
        "#[Histogram log format version 1.3]\n0.1,1.0,0.001,HISTFAAACAd4nO3BMQEAAADCoPVPbQwfoAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAC+BgHgAAE=",
        "hdr-log: line 2: expected a histogram of at most 1048576 bytes, found more",
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
    ("node", "", "node: line 1: expected the columns binary, filename, configuration, rate, time"),
    (
        "node",
        "binary,filename\n",
        "node: line 1: expected the columns binary, filename, configuration, rate, time",
    ),
    (
        "node",
        "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n",
        "node: expected at least one benchmark with a time",
    ),
    (
        "node",
        "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n\"old\", \"a.js\", \"\", -5, 1",
        "node: line 2, rate: expected a rate above 0, found -5.0",
    ),
    (
        "node",
        "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n\"old\", \"a.js\", \"\", NaN, 1",
        "node: line 2, rate: expected a rate above 0, found NaN",
    ),
    (
        "node",
        "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n\"old\", \"a.js\", \"\", 0, 1",
        "node: line 2, rate: expected a rate above 0, found 0.0",
    ),
    (
        "node",
        "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n\"old\", \"a.js\", \"\", fast, 1",
        "node: line 2, rate: expected a number, found `fast`",
    ),
    (
        "node",
        "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n\"old\", \"a.js\", \"\", 1e-300, 1",
        "node: line 2, rate: expected a rate of a time of at most 10^15 ns, found 1e-300",
    ),
    (
        "node",
        "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n\"old\", \"a.js\", \"n=1",
        "node: line 2, column 16: expected a closing `\"`",
    ),
    (
        "node",
        "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n\"old\", \"a.js\", 5",
        "node: line 2: expected 5 fields, found 3",
    ),
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

fn refusal(format: &str, text: &str) -> String {
    match import(text.as_bytes(), Some(format.parse().unwrap())) {
        Ok(import) => format!("read: {} benchmarks, {:?}", import.benchmarks.len(), import.warnings),
        Err(error) => error.to_string(),
    }
}

#[test]
fn refusals_say_where_and_what_was_expected() {
    for (format, text, expected) in CASES {
        assert_eq!(refusal(format, text), *expected, "{text}");
    }
}

/// Each golden file, cut at two thirds of its length.
#[test]
fn a_file_that_is_cut_in_the_middle_says_where_it_ends() {
    let cases: &[(&str, &str)] = &[
        (
            "bmf/documented.json",
            "bmf: line 16, column 16, /bin/sh -c ./pipes.sh.build-time: expected the rest of an object, found the end of the text",
        ),
        (
            "criterion/messages.ndjson",
            "criterion: line 4, column 847, iteration_count: expected the rest of a list, found the end of the text",
        ),
        (
            "go/benchmem.txt",
            "read: 3 benchmarks, [\"left out, only times of operations are taken: B/op, MB/s, allocs/op\"]",
        ),
        (
            "google-benchmark/aggregates.json",
            "google-benchmark: line 116, column 3, benchmarks[4]: expected the rest of a value, found the end of the text",
        ),
        (
            "hdr-log/java-tagged.hlog",
            "hdr-log: line 10: expected a histogram in base64, found another text: Invalid padding",
        ),
        (
            "histogram-set/documented.json",
            "histogram-set: line 297, column 6, [10]: expected the rest of a string, found the end of the text",
        ),
        (
            "hyperfine/failing.json",
            "hyperfine: line 26, column 16, results[0].memory_usage_byte: expected the rest of a list, found the end of the text",
        ),
        (
            "jmh/avgt.json",
            "jmh: line 80, column 15, [1].params: expected the rest of a string, found the end of the text",
        ),
        (
            "k6/handle-summary.json",
            "k6: line 156, column 23, metrics.http_req_duration{expected_response:true}.values: expected the rest of an object, found the end of the text",
        ),
        ("node/compare.csv", "node: line 17: expected 5 fields, found 4"),
        (
            "pytest-benchmark/data.json",
            "pytest-benchmark: line 452, column 21, benchmarks[1].stats.data: expected the rest of a list, found the end of the text",
        ),
    ];
    for (name, expected) in cases {
        let text = text_of(name);
        let cut = &text[..text.len() * 2 / 3];
        let format = name.split('/').next().unwrap();
        assert_eq!(refusal(format, cut), *expected, "{name}");
        let recognised =
            import(cut.as_bytes(), None).map_or_else(|error| error.to_string(), |_| "read".into());
        assert_eq!(recognised.split(':').next(), expected.split(':').next(), "{name}");
    }
}

#[test]
fn bytes_that_are_no_text_are_refused_in_every_format() {
    for format in roundtrip_import::Format::all() {
        let error = format.parse(b"{\"a\": \"\xff\"}").unwrap_err();
        assert_eq!(error.to_string(), "byte 7: expected UTF-8 text");
    }
}
