//! Memory of imports: the most bytes that are allocated at one time, per byte of the file. The allocator counts for the
//! whole program, so this program has only one test.

#![expect(clippy::unwrap_used, reason = "in a test, a panic is the report")]

use base64::{Engine, prelude::BASE64_STANDARD};
use roundtrip_import::{Format, Options, TimeUnit, archive, import};
use std::alloc::{GlobalAlloc, Layout, System};
use std::io::{Read, sink};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::time::Instant;

/// The limit: bytes of memory for each byte of a file.
const FACTOR_MAX: usize = 20;
/// Smaller files are not tested: buffers of constant size would count.
const FILE_BYTES_MIN: usize = 500_000;

struct Counting {
    now: AtomicUsize,
    peak: AtomicUsize,
}

#[global_allocator]
static MEMORY: Counting = Counting { now: AtomicUsize::new(0), peak: AtomicUsize::new(0) };

impl Counting {
    fn add(&self, bytes: usize) {
        let now = self.now.fetch_add(bytes, Relaxed) + bytes;
        self.peak.fetch_max(now, Relaxed);
    }

    fn remove(&self, bytes: usize) {
        self.now.fetch_sub(bytes, Relaxed);
    }
}

#[expect(unsafe_code, reason = "an allocator is")]
// SAFETY: every call is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.add(layout.size());
        // SAFETY: the caller's promises are those that the system's allocator needs.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        self.remove(layout.size());
        // SAFETY: as above.
        unsafe { System.dealloc(pointer, layout) };
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, bytes: usize) -> *mut u8 {
        // The old and the new block exist at the same time while the contents are moved.
        self.add(bytes);
        // SAFETY: as above.
        let moved = unsafe { System.realloc(pointer, layout, bytes) };
        self.remove(layout.size());
        moved
    }
}

/// Imports a file and creates its results for the wire one at a time. Returns their number, or why the file is rejected,
/// and the most bytes allocated meanwhile, with the file.
fn import_all(file: &str, format: Format) -> (Result<usize, String>, usize) {
    let before = MEMORY.now.load(Relaxed) - file.len();
    MEMORY.peak.store(MEMORY.now.load(Relaxed), Relaxed);
    let options = Options { unit: Some(TimeUnit::Nanoseconds) };
    let results =
        import(file.as_bytes(), Some(format), &options).map_err(|error| error.to_string()).map(|import| {
            let mut count = 0;
            for (result, repetitions) in import.into_results() {
                serde_json::to_writer(sink(), &result).unwrap();
                repetitions.to_wire().for_each(|one| serde_json::to_writer(sink(), &one).unwrap());
                count += 1;
            }
            count
        });
    (results, MEMORY.peak.load(Relaxed) - before)
}

#[test]
fn memory_is_below_20_times_the_file() {
    let mut formats: Vec<&str> = Vec::new();
    for (slug, what, make, expected) in FILES {
        let file = make();
        let format: Format = slug.parse().unwrap();
        assert!(file.len() >= FILE_BYTES_MIN, "{slug}, {what}: {} bytes", file.len());
        let start = Instant::now();
        let (results, peak_bytes) = import_all(&file, format);
        println!(
            "{slug}, {what}: {peak_bytes} bytes for a file of {}: {:.1} times; {:.1} s with all results for the wire",
            file.len(),
            peak_bytes as f64 / file.len() as f64,
            start.elapsed().as_secs_f64()
        );
        assert!(peak_bytes < FACTOR_MAX * file.len(), "{slug}, {what}: {peak_bytes} bytes");
        match expected {
            Results(count) => assert_eq!(results, Ok(*count), "{slug}, {what}"),
            Rejected(word) => {
                let error = results.unwrap_err();
                assert!(error.contains(word), "{slug}, {what}: {error}");
            }
        }
        formats.push(slug);
    }
    for format in Format::all() {
        assert!(formats.contains(&format.slug()), "{format}");
    }
}

enum Expected {
    /// A file with this many results.
    Results(usize),
    /// An error with this part.
    Rejected(&'static str),
}

use Expected::{Rejected, Results};

type File = (&'static str, &'static str, fn() -> String, Expected);

/// Large files as tools write them, and files with as many elements per byte as possible.
const FILES: &[File] = &[
    (
        "bmf",
        "one measure each",
        || object(100_000, |n| format!(r#""b{n}": {{"latency": {{"value": {n}.5, "lower_value": 1.5}}}}"#)),
        Results(100_000),
    ),
    (
        "bmf",
        "rows of one name",
        || {
            format!(
                r#"{{"a": [{}]}}"#,
                list(10_000, |n| format!(
                    r#"{{"parameters": {{"n": "{n}"}}, "measures": {{"latency": {{"value": 1}}}}}}"#
                ))
            )
        },
        Results(10_000),
    ),
    ("criterion", "many benchmarks", || lines(2_000, |n| criterion(n, 100)), Results(2_000)),
    ("criterion", "many samples", || criterion(1, 300_000), Results(1)),
    (
        "go",
        "a line each",
        || lines(100_000, |n| format!("BenchmarkPipe/size={n}-8   \t  100000\t      {n}.5 ns/op")),
        Results(100_000),
    ),
    (
        "go",
        "archive of many files",
        || {
            let file = |n| format!("BenchmarkA{n} 1 1 ns/op\n");
            let files: Vec<_> = (0..1_000).map(file).collect();
            let bytes = archive::create(files.iter().map(|file| ("a.txt", file.as_bytes()))).unwrap();
            String::from_utf8(bytes).unwrap()
        },
        Results(1_000),
    ),
    (
        "go",
        "memory of each",
        || lines(30_000, |n| format!("BenchmarkA{n}-8 \t     100\t {n} ns/op\t  8 B/op\t  1 allocs/op")),
        Results(90_000),
    ),
    (
        "go",
        "events",
        || {
            lines(20_000, |n| {
                format!(
                    r#"{{"Action":"output","Package":"example.org/a","Output":"BenchmarkPipe/size={n}-8   \t  100000\t      {n}.5 ns/op\n"}}"#
                )
            })
        },
        Results(20_000),
    ),
    (
        "go",
        "events of many packages",
        || {
            lines(20_000, |n| {
                format!(r#"{{"Action":"output","Package":"{n}","Output":"BenchmarkA 1 1 ns/op"}}"#)
            })
        },
        Results(20_000),
    ),
    (
        "go",
        "announced names",
        || lines(60_000, |n| format!("BenchmarkA{n}")),
        Rejected("at least one result"),
    ),
    (
        "go",
        "many repetitions",
        || lines(50_000, |n| format!("BenchmarkA{} 1 {n} ns/op", n % 100)),
        Results(100),
    ),
    (
        "go",
        "many units in a line",
        || format!("BenchmarkA 1 1 ns/op{}\n", " 1 B".repeat(250_000)),
        Results(2),
    ),
    (
        "google-benchmark",
        "repetitions",
        || {
            google(20_000, |n| {
                format!(
                    r#"{{"name": "BM_Pipe/{n}", "run_name": "BM_Pipe/{n}", "run_type": "iteration", "repetitions": 3, "repetition_index": 0, "threads": 1, "iterations": 100, "real_time": {n}.5, "cpu_time": 1.5, "time_unit": "ns"}}"#
                )
            })
        },
        Results(40_000),
    ),
    (
        "google-benchmark",
        "repetitions of old versions",
        || google(30_000, |n| format!(r#"{{"name":"{n}","real_time":1}}"#)),
        Results(30_000),
    ),
    (
        "google-benchmark",
        "counters",
        || {
            google(300, |n| {
                format!(r#"{{"name":"a","real_time":1,{}}}"#, list(200, |m| format!(r#""c{n}-{m}":1"#)))
            })
        },
        Rejected("expected at most 5000 different measures"),
    ),
    (
        "google-benchmark",
        "many counters",
        || {
            google(500, |n| {
                format!(r#"{{"name":"{n}","real_time":1,{}}}"#, list(200, |m| format!(r#""c{m}":1"#)))
            })
        },
        Rejected("expected at most one result for each 20 bytes"),
    ),
    (
        "google-benchmark",
        "bare NaN",
        || google(30_000, |n| format!(r#"{{"name":"{n}","real_time":1,"a":NaN}}"#)),
        Results(30_000),
    ),
    (
        "google-benchmark",
        "equal names of many families",
        || google(20_000, |n| format!(r#"{{"name":"a","family_index":{n},"real_time":1}}"#)),
        Results(20_000),
    ),
    (
        "google-benchmark",
        "aggregates",
        || {
            google(8_000, |n| {
                format!(
                    r#"{{"name": "a{n}_mean", "run_name": "a{n}", "run_type": "aggregate", "aggregate_name": "mean", "real_time": 1}}"#
                )
            })
        },
        Results(8_000),
    ),
    (
        "google-benchmark",
        "names only",
        || google(50_000, |_| r#"{"name":"a"}"#.into()),
        Rejected("at least one result"),
    ),
    ("hdr-log", "one tag", || lines(100, |_| interval("a", 7_000, 0)), Results(1)),
    ("hdr-log", "many tags", || lines(1_000, |n| interval(&n.to_string(), 7_000, 900)), Results(1_000)),
    (
        "histogram-set",
        "samples",
        || {
            format!(
                "[{}]",
                list(2_000, |n| format!(
                    r#"{{"name": "pipe {n}", "unit": "ms", "sampleValues": [{}], "running": [40, 1, 1, 1, 1, 40, 0]}}"#,
                    list(40, |m| format!("0.{m}"))
                ))
            )
        },
        Results(2_000),
    ),
    (
        "histogram-set",
        "many samples",
        || {
            format!(
                r#"[{{"name": "a", "unit": "ms", "sampleValues": [{}], "running": [900000, 1, 1, 1, 1, 900000, 0]}}]"#,
                list(900_000, |_| "1".into())
            )
        },
        Results(1),
    ),
    (
        "histogram-set",
        "empty elements",
        || format!("[{}]", list(190_000, |_| "{}".into())),
        Rejected("at least one result"),
    ),
    (
        "histogram-set",
        "diagnostics",
        || format!("[{}]", list(50_000, |n| format!(r#"{{"guid":"{n}","values":[1]}}"#))),
        Rejected("at least one result"),
    ),
    ("hyperfine", "many runs", || hyperfine(1, 2_900_000, "1"), Results(1)),
    (
        "hyperfine",
        "memory of many runs",
        || {
            format!(
                r#"{{"results":[{{"command":"a","times":[{}],"memory_usage_byte":[{}],"exit_codes":[{}]}}]}}"#,
                list(300_000, |_| "1".into()),
                list(300_000, |_| "1".into()),
                list(300_000, |_| "0".into())
            )
        },
        Results(2),
    ),
    (
        "hyperfine",
        "equal names",
        || format!(r#"{{"results":[{}]}}"#, list(30_000, |_| r#"{"command":"a","mean":1}"#.into())),
        Results(30_000),
    ),
    ("hyperfine", "as written", || hyperfine(100, 1_000, "\n        0.0012345678"), Results(100)),
    (
        "hyperfine",
        "commands only",
        || format!(r#"{{"results":[{}]}}"#, list(50_000, |_| r#"{"command":""}"#.into())),
        Rejected("expected times, a median or a mean"),
    ),
    (
        "jmh",
        "forks",
        || {
            format!(
                "[{}]",
                list(40, |n| jmh(
                    n,
                    &format!("\"rawData\": [{}]", list(1_000, |m| format!("[{m}.25, {m}.5]")))
                ))
            )
        },
        Results(40),
    ),
    (
        "jmh",
        "secondary metrics",
        || {
            let secondary = list(100, |m| {
                format!(r#""m{m}": {{"score": 1.5, "scoreUnit": "ops/s", "rawData": [[1.5, 2.5]]}}"#)
            });
            let data = format!(r#""rawData": [[1.5]]}}, "secondaryMetrics": {{{secondary}"#);
            format!("[{}]", list(100, |n| jmh(n, &data)))
        },
        Results(10_100),
    ),
    (
        "jmh",
        "many results",
        || format!("[{}]", list(5_000, |n| jmh(n, "\"rawData\": [[1.5]]"))),
        Results(5_000),
    ),
    (
        "jmh",
        "histograms",
        || {
            format!(
                "[{}]",
                jmh(
                    1,
                    &format!(
                        "\"rawDataHistogram\": [{}]",
                        list(900, |_| format!("[[{}]]", list(80, |m| format!("[{m}, 1000]"))))
                    )
                )
            )
        },
        Results(1),
    ),
    (
        "jmh",
        "empty histograms",
        || format!("[{}]", jmh(1, &format!("\"rawDataHistogram\": [{}]", list(99_990, |_| "[[]]".into())))),
        Rejected("at least one result"),
    ),
    (
        "k6",
        "many metrics",
        || {
            format!(
                r#"{{"root_group": {{}}, "metrics": {{{}}}}}"#,
                list(5_000, |n| format!(
                    r#""http_req_duration{{tag:{n}}}": {{"avg": 1.5, "min": 1.5, "med": 1.5, "max": 1.5, "p(90)": 1.5, "p(95)": 1.5}}"#
                ))
            )
        },
        Results(5_000),
    ),
    (
        "k6",
        "many figures",
        || {
            format!(
                r#"{{"root_group": {{}}, "metrics": {{{}}}}}"#,
                list(500, |n| format!(
                    r#""http_req_duration{{tag:{n}}}": {{"avg": 1.5, {}}}"#,
                    list(199, |m| format!(r#""{m}":1"#))
                ))
            )
        },
        Results(500),
    ),
    (
        "node",
        "many rows",
        || {
            format!(
                "\"binary\", \"filename\", \"configuration\", \"rate\", \"time\"\n{}",
                lines(20_000, |n| format!("\"new\", \"pipe.js\", \"n={}\", {n}.5, 0.1", n % 5_000 + 1))
            )
        },
        Results(5_000),
    ),
    ("pytest-benchmark", "many rounds", || pytest(1, 300_000, "1"), Results(1)),
    ("pytest-benchmark", "many tests", || pytest(10_000, 30, "0.00123"), Results(10_000)),
    (
        "tinybench",
        "many samples",
        || {
            let row =
                |n| format!(r#"{{"name":"f{n}","latency":{{"samples":[{}]}}}}"#, list(1_000, |_| "1".into()));
            format!("[{}]", list(300, row))
        },
        Results(300),
    ),
    (
        "tinybench",
        "names only",
        || format!("[{}]", list(60_000, |_| r#"{"name":""}"#.into())),
        Rejected("at least one result"),
    ),
    (
        "vitest",
        "statistics",
        || {
            vitest(7_000, |n| {
                format!(
                    r#"{{"name":"f{n}","samples":[],"mean":1,"min":1,"max":1,"p75":1,"p99":1,"p995":1,"p999":1}}"#
                )
            })
        },
        Results(7_000),
    ),
    (
        "vitest",
        "names only",
        || vitest(10_000, |_| r#"{"name":"f","rme":0,"min":1,"max":1,"id":"-845046408"}"#.into()),
        Rejected("at least one result"),
    ),
    (
        "iperf3",
        "many intervals",
        || iperf3(20_000, |n| format!(r#"{{"sum":{{"bits_per_second":{n}}}}}"#)),
        Results(1),
    ),
    ("iperf3", "empty intervals", || iperf3(200_000, |_| "{}".into()), Rejected("expected a member `sum`")),
    (
        "sockperf",
        "many servers",
        || {
            lines(3_000, |n| {
                format!(
                    "sockperf: ========= Printing statistics for Server No: {n}\nsockperf: Summary: Latency is 8.909 usec\nsockperf: ---> percentile 99.000 = 9.7\nsockperf: ---> percentile 50.000 = 7.5"
                )
            })
        },
        Results(3_000),
    ),
    (
        "sockperf",
        "many percentiles",
        || {
            format!(
                "sockperf: Summary: Latency is 8 usec\n{}",
                lines(20_000, |_| "sockperf: ---> percentile 1 = 1".into())
            )
        },
        Results(1),
    ),
    (
        "netperf",
        "many runs",
        || {
            lines(4_000, |n| {
                format!(
                    "TCP RR TEST from a port 0 AF_INET to 127.0.0.1 () port 0 AF_INET : demo\nREQUEST_SIZE={n}\nTHROUGHPUT={n}\nTHROUGHPUT_UNITS=Trans/s"
                )
            })
        },
        Results(4_000),
    ),
    (
        "netperf",
        "many keys",
        || format!("TCP RR TEST from a port 0 AF_INET to b\n{}", lines(60_000, |_| "SOME_KEY=1".into())),
        Rejected("at least one result"),
    ),
    (
        "netperf",
        "many words and numbers",
        || {
            let words = "Recv   Send    Send\n".repeat(40_000);
            format!("TCP RR TEST from a port 0 AF_INET to b\n{words}{}", "1\n".repeat(200_000))
        },
        Rejected("at least one result"),
    ),
    (
        "sockperf",
        "many counts",
        || format!("sockperf: # dropped messages = 1{}\n", ";a=1".repeat(150_000)),
        Rejected("at most 100 rates and counts"),
    ),
    (
        "wrk",
        "many errors",
        || format!("Running 1s test @ http://a/\n  Socket errors: a 1{}\n", ",a 1".repeat(150_000)),
        Rejected("at most 100 rates and counts"),
    ),
    (
        "k6-summary",
        "many metrics",
        || {
            k6_summary(4_000, |n| {
                format!(
                    r#"{{"contains":"time","name":"http_req_duration{{n:{n}}}","type":"trend","values":{{"avg":1,"max":1,"med":1,"min":1,"p90":1,"p95":1}}}}"#
                )
            })
        },
        Results(4_000),
    ),
    (
        "k6-summary",
        "many figures",
        || {
            let values = list(100, |n| format!(r#""p{n}":1"#));
            k6_summary(600, |n| {
                format!(r#"{{"contains":"time","name":"{n}","type":"trend","values":{{"avg":1,{values}}}}}"#)
            })
        },
        Results(600),
    ),
    (
        "k6-summary",
        "checks",
        || {
            format!(
                r#"{{"metadata": {{}}, "results": {{"checks": {{"results": [{}]}}}}}}"#,
                list(5_000, |n| format!(
                    r#"{{"fails":0,"name":"the status of the answer to message {n} is 200, and it has the expected body","passes":1}}"#
                ))
            )
        },
        Results(10_000),
    ),
    (
        "k6-json",
        "points",
        || {
            let declared = list(30, |n| format!(r#"{{"name":"a{{n:{n}}}"}}"#));
            let point = r#"{"metric":"a","type":"Point","data":{"value":1}}"#;
            format!(
                "{{\"type\":\"Metric\",\"metric\":\"a\",\"data\":{{\"type\":\"trend\",\"contains\":\"time\",\"submetrics\":[{declared}]}}}}\n{}",
                lines(20_000, |_| point.into())
            )
        },
        Results(17),
    ),
    (
        "k6-json",
        "metrics",
        || lines(9_000, |n| format!(r#"{{"type":"Metric","metric":"m{n}","data":{{"type":"gauge"}}}}"#)),
        Rejected("at least one result"),
    ),
    (
        "benchmark-js",
        "many samples",
        || format!(r#"[{{"name":"f","stats":{{"sample":[{}]}}}}]"#, list(300_000, |_| "1".into())),
        Results(1),
    ),
    (
        "benchmark-js",
        "members of a suite",
        || format!("{{{}}}", list(40_000, |n| format!(r#""{n}":{{"stats":{{}}}}"#))),
        Rejected("at least one result"),
    ),
    (
        "benchmark-js",
        "lines",
        || lines(9_000, |n| format!("message {n} x 1,234,567 ops/sec ±0.50% (90 runs sampled)")),
        Results(9_000),
    ),
    (
        "hgrm",
        "many lines",
        || {
            let line = |n| format!("{n} 0.{:06} {n} 1", 499_999 + n);
            format!("Value(ms) Percentile TotalCount 1/(1-Percentile)\n{}", lines(25_000, line))
        },
        Results(1),
    ),
    (
        "fio",
        "many jobs",
        || {
            fio(3_300, |n| {
                format!(
                    r#"{{"jobname":"job of the fourth group {n}","error":0,"eta":0,"elapsed":1,"read":{{"total_ios":9,"bw_bytes":{n},"iops":1,"clat_ns":{{"min":1,"max":9,"mean":2,"N":9,"percentile":{{"50.0":2,"99.0":9}}}}}}}}"#
                )
            })
        },
        Results(9_900),
    ),
    ("fio", "names only", || fio(40_000, |_| r#"{"jobname":""}"#.into()), Rejected("at least one result")),
    (
        "wrk",
        "many runs",
        || {
            lines(4_500, |n| {
                format!(
                    "Running 1s test @ http://127.0.0.1:8089/{n}\n  1 threads and 4 connections\n    Latency     5.84ms    8.63ms  46.97ms   86.82%\nRequests/sec:   1570.47"
                )
            })
        },
        Results(9_000),
    ),
    (
        "wrk",
        "many percentiles",
        || format!("Running 1s test @ http://a/\n{}", lines(120_000, |_| "1% 1s".into())),
        Rejected("at least one result"),
    ),
    (
        "oha",
        "many requests",
        || {
            format!(
                "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n{}",
                lines(40_000, |n| format!("{n},0,0,1,1,1,200"))
            )
        },
        Results(5),
    ),
    (
        "oha",
        "many statuses",
        || {
            format!(
                "request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n{}",
                lines(9_900, |n| format!(
                    "0.000992106,0.000089813,0.000392201,0.005649168,0.005653765,64,{n}"
                ))
            )
        },
        Rejected("at most 5000 different measures"),
    ),
    (
        "perf-stat",
        "many intervals",
        || {
            lines(8_000, |n| {
                format!(
                    r#"{{"interval" : {n}.1, "counter-value" : "{n}", "unit" : "", "event" : "page-faults"}}"#
                )
            })
        },
        Results(1),
    ),
    (
        "perf-stat",
        "many events",
        || {
            lines(9_000, |n| {
                format!(r#"{{"counter-value" : "{n}", "unit" : "", "event" : "cpu/event={n:x}/"}}"#)
            })
        },
        Rejected("at most 5000 different measures"),
    ),
    ("criterion-dir", "many benchmarks", || lines(2_000, |n| criterion_dir(n, 100)), Results(2_000)),
    ("criterion-dir", "many samples", || criterion_dir(1, 300_000), Results(1)),
    (
        "criterion-text",
        "many benchmarks",
        || lines(9_000, |n| format!("pipe/{n}               time:   [{n}.1 ns {n}.2 ns {n}.3 ns]")),
        Results(9_000),
    ),
    (
        "criterion-text",
        "two measures",
        || {
            lines(5_000, |n| {
                format!(
                    "pipe/{n:<19}time:   [1 ns 2 ns 3 ns]\n                       thrpt:  [1 B/s 2 B/s 3 B/s]"
                )
            })
        },
        Results(10_000),
    ),
    (
        "libtest",
        "many benchmarks",
        || {
            lines(9_000, |n| {
                format!("test pipe::round_trip_{n} ... bench:       1,234.50 ns/iter (+/- 12.34)")
            })
        },
        Results(9_000),
    ),
    (
        "libtest",
        "two measures",
        || {
            lines(5_000, |n| {
                format!(
                    "test pipe::of_a_module::of_another::round_trip_{n} ... bench:       1,234.50 ns/iter (+/- 12.34) = {n} MB/s"
                )
            })
        },
        Results(10_000),
    ),
    (
        "benchmark-action",
        "many benchmarks",
        || {
            format!(
                "[{}]",
                list(10_000, |n| format!(r#"{{"name": "pipe {n}", "unit": "ns/iter", "value": {n}.5}}"#))
            )
        },
        Results(10_000),
    ),
    (
        "benchmark-action",
        "many measures",
        || {
            format!(
                "[{}]",
                list(10_000, |n| format!(r#"{{"name": "pipe", "unit": "unit {n}", "value": {n}.5}}"#))
            )
        },
        Rejected("at most 5000 different measures"),
    ),
    (
        "divan",
        "many benchmarks",
        || {
            divan(6_000, |n| {
                format!(
                    "├─ pipe {n:<9}1.5 ns        │ 9.5 ns        │ 2.5 ns        │ 3.5 ns        │ 100     │ 100"
                )
            })
        },
        Results(6_000),
    ),
    (
        "divan",
        "many measures",
        || {
            divan(2_000, |n| {
                format!(
                    "├─ pipe {n:<9}1 ns │ 9 ns │ 2 ns │ 3 ns │ 100 │ 100\n{}",
                    [
                        "9 B/s │ 1 B/s │ 5 B/s",
                        "max alloc:",
                        "1 │ 1 │ 1",
                        "1 B │ 1 B │ 1 B",
                        "alloc:",
                        "1 │ 1 │ 1"
                    ]
                    .map(|row| format!("│                {row:<30}│ │ │ │ │ │"))
                    .join("\n")
                )
            })
        },
        Results(10_000),
    ),
    (
        "gungraun",
        "one event each",
        || {
            lines(9_000, |n| {
                format!(
                    "pipes::group::trip id_{n}:({n})\n  Instructions:               {n}|N/A      (*********)"
                )
            })
        },
        Results(9_000),
    ),
    (
        "gungraun",
        "many events",
        || {
            format!(
                "a::b\n{}",
                lines(9_900, |n| format!("  Event {n}:                   {n}|{n}       (No change)"))
            )
        },
        Rejected("at most 5000 different measures"),
    ),
    (
        "catch2",
        "many benchmarks",
        || {
            format!(
                "<Catch name=\"pipes\">\n{}</Catch>",
                lines(9_000, |n| format!(
                    "<BenchmarkResults name=\"pipe {n}\" samples=\"100\"><mean value=\"{n}.5\" ci=\"0\"/></BenchmarkResults>"
                ))
            )
        },
        Results(9_000),
    ),
    (
        "catch2",
        "deep",
        || format!("<Catch name=\"pipes\">{}", "<a>".repeat(200_000)),
        Rejected("nested elements"),
    ),
    ("nanobench", "many measurements", || nanobench(1, 300_000, r#"{"elapsed":1e-9}"#), Results(1)),
    (
        "nanobench",
        "counters",
        || {
            nanobench(
                1_000,
                11,
                r#"{"iterations": 1, "elapsed": 1e-9, "instructions": 12.5, "pagefaults": 0}"#,
            )
        },
        Results(2_000),
    ),
    (
        "benchmark-dotnet",
        "many launches",
        || {
            dotnet(10, |_| {
                format!(
                    r#""Measurements": [{}]"#,
                    list(500, |launch| format!(
                        r#"{{"IterationMode":"Workload","IterationStage":"Result","LaunchIndex":{launch},"Operations":1,"Nanoseconds":1}}"#
                    ))
                )
            })
        },
        Results(10),
    ),
    (
        "benchmark-dotnet",
        "many values",
        || {
            dotnet(1, |_| {
                format!(r#""Statistics": {{"OriginalValues": [{}]}}"#, list(300_000, |_| "1".into()))
            })
        },
        Results(1),
    ),
    (
        "benchmark-dotnet",
        "many metrics",
        || {
            dotnet(10, |_| {
                format!(
                    r#""Metrics": [{}]"#,
                    list(1_000, |n| format!(
                        r#"{{"Value": {n}, "Descriptor": {{"Id": "metric {n}", "Unit": "B"}}}}"#
                    ))
                )
            })
        },
        Results(10_000),
    ),
    (
        "benchmark-dotnet",
        "measurements of the harness",
        || {
            dotnet(1, |_| {
                format!(
                    r#""Measurements": [{}]"#,
                    list(20_000, |_| r#"{"LaunchIndex":1,"Operations":1,"Nanoseconds":1}"#.into())
                )
            })
        },
        Rejected("without results"),
    ),
    (
        "asv",
        "many samples",
        || asv(1, |_| format!("[1],[],1,1,1,[1],[1],[1],[1],[1],[1],[[{}]]", list(300_000, |_| "1".into()))),
        Results(1),
    ),
    (
        "asv",
        "many benchmarks",
        || asv(9_000, |n| format!("[{n}.5e-6], [], \"version\", 1796042381659, 1.25")),
        Results(9_000),
    ),
    (
        "asv",
        "many parameters",
        || {
            asv(1, |_| {
                format!(
                    "[{}],[[{}]],1,1,1,[{}],[1],[1],[1],[1],[1],[{}]",
                    list(10_000, |n| n.to_string()),
                    list(10_000, |n| format!("\"a parameter with a name of some length {n}\"")),
                    list(10_000, |_| "1".into()),
                    list(10_000, |_| "[1]".into())
                )
            })
        },
        Results(10_000),
    ),
];

fn list(count: usize, element: impl Fn(usize) -> String) -> String {
    (1..=count).map(element).collect::<Vec<_>>().join(",")
}

fn lines(count: usize, line: impl Fn(usize) -> String) -> String {
    (1..=count).map(|number| line(number) + "\n").collect()
}

fn object(count: usize, member: impl Fn(usize) -> String) -> String {
    format!("{{{}}}", list(count, member))
}

fn criterion(number: usize, samples: usize) -> String {
    format!(
        r#"{{"reason": "benchmark-complete", "id": "pipe/{number}", "iteration_count": [{}], "measured_values": [{}], "unit": "ns"}}"#,
        list(samples, |_| "1".into()),
        list(samples, |_| "9".into()),
    )
}

fn google(count: usize, row: impl Fn(usize) -> String) -> String {
    format!(r#"{{"context": {{"num_cpus": 2}}, "benchmarks": [{}]}}"#, list(count, row))
}

fn hyperfine(commands: usize, runs: usize, time: &str) -> String {
    let results = list(commands, |n| {
        format!(r#"{{"command": "pipe {n}", "times": [{}]}}"#, list(runs, |_| time.into()))
    });
    format!(r#"{{"results": [{results}]}}"#)
}

fn jmh(number: usize, data: &str) -> String {
    format!(
        r#"{{"jmhVersion": "1.37", "benchmark": "org.example.Pipe.trip{number}", "mode": "ss", "threads": 1, "forks": 1,
            "primaryMetric": {{"score": 1.5, "scoreError": "NaN", "scoreUnit": "us/op", {data}}}}}"#
    )
}

fn pytest(tests: usize, rounds: usize, time: &str) -> String {
    let tests = list(tests, |n| {
        format!(r#"{{"name": "test_{n}", "stats": {{"data": [{}]}}}}"#, list(rounds, |_| time.into()))
    });
    format!(r#"{{"machine_info": {{"python_version": "3"}}, "benchmarks": [{tests}]}}"#)
}

fn vitest(count: usize, benchmark: impl Fn(usize) -> String) -> String {
    let benchmarks = list(count, benchmark);
    format!(
        r#"{{"files": [{{"filepath": "/a", "groups": [{{"fullName": "a", "benchmarks": [{benchmarks}]}}]}}]}}"#
    )
}

fn iperf3(count: usize, interval: impl Fn(usize) -> String) -> String {
    format!(r#"{{"start": {{"version": "iperf 3.12"}}, "intervals": [{}]}}"#, list(count, interval))
}

fn k6_summary(count: usize, metric: impl Fn(usize) -> String) -> String {
    format!(r#"{{"metadata": {{}}, "results": {{"metrics": [{}]}}}}"#, list(count, metric))
}

fn fio(count: usize, job: impl Fn(usize) -> String) -> String {
    format!(r#"{{"fio version": "fio-3.33", "jobs": [{}]}}"#, list(count, job))
}

/// A line of a log with a histogram of values from 1, each once. `padding` are bytes, because a log may inflate to eight
/// times its size.
fn interval(tag: &str, values: u32, padding: usize) -> String {
    let mut inner = Vec::new();
    for word in [0x1c84_9313_u32, values, 0, 3] {
        inner.extend(word.to_be_bytes());
    }
    for word in [1_u64, 1 << 40, 1.0_f64.to_bits()] {
        inner.extend(word.to_be_bytes());
    }
    // A count of 1.
    inner.extend(std::iter::repeat_n(2, values as usize));
    let mut deflated = Vec::new();
    let level = if padding == 0 { flate2::Compression::none() } else { flate2::Compression::best() };
    flate2::read::ZlibEncoder::new(inner.as_slice(), level).read_to_end(&mut deflated).unwrap();
    let header =
        [0x1c84_9314_u32.to_be_bytes(), u32::try_from(deflated.len()).unwrap().to_be_bytes()].concat();
    let text = BASE64_STANDARD.encode([header, deflated].concat());
    format!("Tag={tag},0,1,0.007,{text}{}", " ".repeat(padding))
}

fn criterion_dir(number: usize, samples: usize) -> String {
    format!(
        r#"{{"criterion_dir": 1, "id": {{"full_id": "pipe/{number}"}}, "sample": {{"iters": [{}], "times": [{}]}}}}"#,
        list(samples, |_| "1".into()),
        list(samples, |_| "9".into()),
    )
}

fn divan(count: usize, row: impl Fn(usize) -> String) -> String {
    let header =
        "pipes            fastest       │ slowest       │ median        │ mean          │ samples │ iters";
    format!("{header}\n{}", lines(count, row))
}

fn nanobench(benchmarks: usize, measurements: usize, measurement: &str) -> String {
    let results = list(benchmarks, |n| {
        format!(
            r#"{{"title": "pipe", "name": "{n}", "batch": 1, "median(elapsed)": 1, "measurements": [{}]}}"#,
            list(measurements, |_| measurement.into())
        )
    });
    format!(r#"{{"results": [{results}]}}"#)
}

fn dotnet(benchmarks: usize, data: impl Fn(usize) -> String) -> String {
    let benchmarks = list(benchmarks, |n| format!(r#"{{"FullName": "Pipes.Trips.Trip{n}", {}}}"#, data(n)));
    format!(r#"{{"HostEnvironmentInfo": {{"LogicalCoreCount": 2}}, "Benchmarks": [{benchmarks}]}}"#)
}

fn asv(benchmarks: usize, columns: impl Fn(usize) -> String) -> String {
    format!(
        r#"{{"commit_hash": "1", "env_name": "e", "result_columns": ["result", "params", "version", "started_at", "duration",
            "stats_ci_99_a", "stats_ci_99_b", "stats_q_25", "stats_q_75", "stats_number", "stats_repeat", "samples", "profile"],
            "results": {}}}"#,
        object(benchmarks, |n| format!(r#""pipes.Pipe.time_{n}": [{}]"#, columns(n)))
    )
}
