//! `roundtrip export`, with a strict fake of the API. `cargo xtask notebooks` also runs it with a real server.

use crate::server::{Request, Response, StatefulServer, problem, wait_until};
use crate::{assert_contains, error_text, printed, refused, run_command};
use parquet::file::reader::{FileReader, SerializedFileReader};
use parquet::record::Field;
use serde_json::{Value, json};
use std::collections::{BTreeMap, HashMap};
use std::fs::{self, File};
use std::path::Path;
use std::process::Output;

const PROJECT: &str = "/api/v1/projects/libfoo";
/// The server's limits for points: of all series in a request, and of one.
const LIMITS: (usize, usize) = (20_000, 10_000);
const DAY: &str = "2026-11-21T10:00:00Z";

/// A project, and the requests for its points.
#[derive(Default)]
struct Project {
    /// The message size of each series, and the commit of each run, ascending.
    series: BTreeMap<i64, (u64, Vec<i64>)>,
    /// Series whose points have values of another tool, for this many operations.
    stated: HashMap<i64, u64>,
    /// Whether the next request for points is rejected.
    is_busy: bool,
    listed: Vec<HashMap<String, String>>,
    points: Vec<HashMap<String, String>>,
}

impl Project {
    fn respond(request: &Request, project: &mut Self) -> Response {
        let url = path_and_query(request.path());
        match url {
            (path, query) if path == format!("{PROJECT}/series") => {
                project.listed.push(query.clone());
                project.list(&query)
            }
            (path, _) if path == format!("{PROJECT}/series/facets") => ok(&json!({
                "series_count": 3,
                "transport": [{"value": "fifo", "series_count": 1}, {"value": "pipe", "series_count": 2}],
                "machine": [], "scenario": [], "mode": [], "placement": [], "message_bytes": [], "peers": [],
            })),
            (path, _) if path == format!("{PROJECT}/machines") => {
                let machine = |name: &str, os: &str| json!({"machine": name, "os": os});
                let machines =
                    [machine("lab-1", "linux"), machine("lab-2", "macos"), machine("lab-3", "linux")];
                ok(&json!({"machines": machines, "next_after": null}))
            }
            (path, query) if path == "/api/v1/points" => {
                project.points.push(query.clone());
                if std::mem::take(&mut project.is_busy) {
                    return ("503 Service Unavailable", problem(503, "busy"));
                }
                project.points(&query)
            }
            (path, _) => ("404 Not Found", problem(404, &path)),
        }
    }

    /// A page has three series.
    fn list(&self, query: &HashMap<String, String>) -> Response {
        let after = query.get("after").map_or(0, |after| after.parse().unwrap());
        let next: Vec<_> = self.series.range(after + 1..).collect();
        let page = next.iter().take(3);
        let series =
            page.map(|&(series_id, (bytes, _))| series_of(*series_id, *bytes, self.stated.get(series_id)));
        let next_after = next.get(3).map(|_| next[2].0.to_string());
        ok(&json!({"series": series.collect::<Vec<_>>(), "next_after": next_after}))
    }

    /// The newest points of each series, within the limits.
    fn points(&self, query: &HashMap<String, String>) -> Response {
        let number = |name: &str| query.get(name).map(|text| text.parse::<i64>().unwrap());
        let ids: Vec<i64> = query["series"].split(',').map(|id| id.parse().unwrap()).collect();
        let limit = usize::try_from(number("limit").unwrap()).unwrap();
        if ids.len() > 200 || limit > LIMITS.1 || limit * ids.len() > LIMITS.0 || query["lines"] != "main" {
            return ("400 Bad Request", problem(400, "invalid-parameter"));
        }
        let (from, to) = (number("from").unwrap_or(0), number("to").unwrap_or(i64::MAX));
        let mut commits = BTreeMap::new();
        let series = ids.iter().map(|id| {
            let runs = self.series[id].1.iter().copied().enumerate();
            let mut points: Vec<_> = runs
                .filter(|(_, ordinal)| (from..=to).contains(ordinal))
                .map(|(run, ordinal)| {
                    commits.insert(ordinal, commit(ordinal));
                    point(*id, run, ordinal, self.stated.contains_key(id))
                })
                .collect();
            points.drain(..points.len().saturating_sub(limit));
            let (points, summaries) =
                if self.stated.contains_key(id) { (Vec::new(), points) } else { (points, Vec::new()) };
            json!({"series_id": id, "points": points, "summaries": summaries})
        });
        let series: Vec<_> = series.collect();
        ok(&json!({"commits": commits.into_values().collect::<Vec<_>>(), "series": series}))
    }
}

fn ok(body: &Value) -> Response {
    ("200 OK", body.to_string().into())
}

fn path_and_query(path: &str) -> (String, HashMap<String, String>) {
    let (path, query) = path.split_once('?').unwrap_or((path, ""));
    let pairs = query.split('&').filter_map(|pair| pair.split_once('='));
    let decoded = |text: &str| percent_encoding::percent_decode_str(text).decode_utf8().unwrap().into_owned();
    (path.to_owned(), pairs.map(|(name, value)| (name.to_owned(), decoded(value))).collect())
}

/// The series of the machine with macOS.
const ON_MACOS: i64 = 5;

fn series_of(series_id: i64, message_bytes: u64, operations: Option<&u64>) -> Value {
    let mut case = json!({
        "scenario": "roundtrip", "message_bytes": message_bytes, "peers": 1, "mode": "2proc", "placement": "free",
    });
    if let Some(operations) = operations {
        case["benchmark"] = "BM_Pipe/64".into();
        case["operations"] = (*operations).into();
        case["measure"] = json!({"name": "throughput", "unit": "B/s", "better": "higher"});
    }
    let machine = if series_id == ON_MACOS { "lab-2" } else { "lab-1" };
    json!({
        "series_id": series_id, "project": "libfoo", "machine": machine, "case": case,
        "latest": null, "latest_summary": null,
        "transport": {"slug": "pipe", "title": "Pipe", "family": "pipe", "semantics": "", "control": false},
        "methodology": {
            "protocol_version": 1, "send": "blocking", "receive": "block", "on_full": "wait", "window": 1, "batch": 1,
            "clock": "clock-monotonic", "warmup": 10, "payload": "checked", "storage": "touched-after-start",
        },
    })
}

fn sha(ordinal: i64) -> String {
    format!("{ordinal:040x}")
}

fn commit(ordinal: i64) -> Value {
    json!({"sha": sha(ordinal), "ordinal": ordinal, "subject": "", "author": "", "committed_at": DAY})
}

fn point(series_id: i64, run: usize, ordinal: i64, is_stated: bool) -> Value {
    let run_id = format!("{series_id:08x}-0000-7000-8000-{run:012x}");
    let mut point = json!({
        "run_id": run_id, "commit_sha": sha(ordinal), "commit_ordinal": ordinal, "work_tree_modified": false,
        "measured_at": DAY, "environment_id": 1, "count": 10,
    });
    let more = if is_stated {
        json!({"center_ns": 10 * ordinal, "low_ns": null, "high_ns": null, "min_ns": 5, "max_ns": null,
               "quantiles": [{"q_ppm": 900_000, "ns": 11}, {"q_ppm": 950_000, "ns": 12}]})
    } else {
        json!({"latency_ns": {"min": 1, "p25": 2, "p50": ordinal, "p75": 4, "p90": 5, "p98": 6, "p99": 7, "p999": 8,
                              "max": 9},
               "sum_ns": 100, "repetition_count": 3, "failure_count": 0, "disturbed_count": 0,
               "repetition_p50_ns": {"q1": 1, "median": 2, "q3": 3}, "bytes_per_second": null, "attempted": 10,
               "accepted": 10, "delivered": 10, "lossy": false})
    };
    point.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    point
}

fn export(folder: &Path, server: &str, words: &[&str]) -> Output {
    let options = ["export", "--server", server, "--project", "libfoo", "--output", "points.parquet"];
    run_command(folder, &[&options[..], words].concat())
}

type Row = HashMap<String, Field>;

fn rows(path: &Path) -> Vec<Row> {
    let reader = SerializedFileReader::new(File::open(path).unwrap()).unwrap();
    let rows = reader.get_row_iter(None).unwrap();
    rows.map(|row| row.unwrap().into_columns().into_iter().collect()).collect()
}

fn whole(row: &Row, name: &str) -> i64 {
    let Field::Long(number) = row[name] else { panic!("{name}: {:?}", row[name]) };
    number
}

fn text<'a>(row: &'a Row, name: &str) -> &'a str {
    let Field::Str(text) = &row[name] else { panic!("{name}: {:?}", row[name]) };
    text
}

#[test]
fn writes_each_point_once_the_oldest_first() {
    let server = StatefulServer::<Project>::start(Project::respond);
    // More points than a request may have; more runs of a commit than a request for several series may have.
    let each_commit: Vec<i64> = (1..=12_000).collect();
    let one_commit = vec![11_999; 10_000 - 1];
    let expected = server.change(|project| {
        project.series = BTreeMap::from([(1, (64, each_commit)), (2, (64, one_commit)), (3, (64, vec![5]))]);
        project.is_busy = true;
        project
            .series
            .iter()
            .flat_map(|(id, (_, runs))| runs.iter().map(|ordinal| (*id, *ordinal)))
            .collect::<Vec<_>>()
    });
    let folder = tempfile::tempdir().unwrap();
    let output = export(folder.path(), &server.url(), &[]);
    printed(&output);
    assert_contains(&error_text(&output), &["22,000 points of 3 series written to points.parquet"]);
    let path = folder.path().join("points.parquet");
    let rows = rows(&path);
    let mut found: Vec<_> =
        rows.iter().map(|row| (whole(row, "series_id"), whole(row, "commit_ordinal"))).collect();
    let of_first: Vec<_> = found.iter().filter(|(id, _)| *id == 1).map(|(_, ordinal)| *ordinal).collect();
    assert!(of_first.is_sorted(), "the oldest commit is first");
    found.sort_unstable();
    assert_eq!(found, expected);
    let runs: std::collections::HashSet<_> = rows.iter().map(|row| text(row, "run_id")).collect();
    assert_eq!(runs.len(), rows.len(), "each run once");
    let last =
        rows.iter().find(|row| whole(row, "series_id") == 1 && whole(row, "commit_ordinal") == 7).unwrap();
    assert_eq!((whole(last, "latency_ns_p50"), text(last, "commit_sha")), (7, &*sha(7)));
    let Field::TimestampMicros(micros) = last["committed_at"] else { panic!("{:?}", last["committed_at"]) };
    assert_eq!(micros, chrono::DateTime::parse_from_rfc3339(DAY).unwrap().timestamp_micros());
}

#[test]
fn writes_values_of_other_tools_with_their_unit() {
    let server = StatefulServer::<Project>::start(Project::respond);
    server.change(|project| {
        project.series = BTreeMap::from([(1, (64, vec![3])), (2, (64, vec![4]))]);
        project.stated = HashMap::from([(2, 100)]);
    });
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("points.parquet");
    let exported = || {
        printed(&export(folder.path(), &server.url(), &[]));
        fs::read(&path).unwrap()
    };
    assert!(exported() == exported(), "the same points give different files");
    let rows = rows(&path);
    let value =
        |row: &Row| (row["value"].clone(), text(row, "unit").to_owned(), text(row, "better").to_owned());
    assert_eq!(value(&rows[0]), (Field::Double(3.0), "ns".into(), "lower".into()));
    assert_eq!(value(&rows[1]), (Field::Double(0.4), "B/s".into(), "higher".into()));
    let stated = &rows[1];
    assert_eq!((text(stated, "measure"), text(stated, "benchmark")), ("throughput", "BM_Pipe/64"));
    assert_eq!((whole(stated, "center_ns"), whole(stated, "latency_ns_min")), (40, 5));
    assert_eq!((whole(stated, "latency_ns_p90"), &stated["latency_ns_p50"]), (11, &Field::Null));
    assert_eq!(text(stated, "stated_quantiles"), r#"[{"q_ppm":900000,"ns":11},{"q_ppm":950000,"ns":12}]"#);
}

#[test]
fn searches_like_explore() {
    let server = StatefulServer::<Project>::start(Project::respond);
    server.change(|project| {
        let sizes = [64, 65_536, 1_048_576, 65_536, 65_536];
        project.series = sizes.into_iter().zip(1..).map(|(bytes, id)| (id, (bytes, vec![1]))).collect();
    });
    let folder = tempfile::tempdir().unwrap();
    let words = ["transport:pipe,fifo", "os:linux size:>=64k", "size:<1m", "ring b", "peers:1", "p99"];
    printed(&export(folder.path(), &server.url(), &words));
    let asked = server.change(|project| (project.listed[0].clone(), project.points[0]["series"].clone()));
    let mut listed = asked.0;
    listed.remove("limit");
    // Sizes and systems are not in the server's filter.
    let expected = [("q", "ring b"), ("transport", "pipe,fifo"), ("peers", "1")];
    let expected = expected.map(|(name, value)| (name.to_owned(), value.to_owned()));
    assert_eq!((listed, &*asked.1), (HashMap::from(expected), "2"));
    let ids: Vec<_> =
        rows(&folder.path().join("points.parquet")).iter().map(|row| whole(row, "series_id")).collect();
    assert_eq!(ids, [2, 4]);
}

#[test]
fn names_the_term_that_is_wrong() {
    let server = StatefulServer::<Project>::start(Project::respond);
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    refused(&export(folder, &server.url(), &["size:64q"]), 2, &["`size:64q`: expected a size (64k, 1MiB)"]);
    let unknown = ["`transport:mail`: no series has it", "Available: fifo, pipe"];
    refused(&export(folder, &server.url(), &["transport:pipe,mail"]), 2, &unknown);
    refused(&export(folder, &server.url(), &["os:plan9"]), 2, &["`os:plan9`", "Available: linux, macos"]);
    let words = ["export", "--server", &server.url(), "--project", "other", "--output", "points.parquet"];
    refused(&run_command(folder, &words), 1, &["404", "/api/v1/projects/other/series"]);
    assert_eq!(fs::read_dir(folder).unwrap().count(), 0, "no file");
}

#[test]
fn writes_only_columns_if_nothing_matches() {
    let server = StatefulServer::<Project>::start(Project::respond);
    let folder = tempfile::tempdir().unwrap();
    let output = export(folder.path(), &server.url(), &["absent"]);
    printed(&output);
    assert_contains(&error_text(&output), &["no matching points: points.parquet has columns, but no rows"]);
    let reader =
        SerializedFileReader::new(File::open(folder.path().join("points.parquet")).unwrap()).unwrap();
    let file = reader.metadata().file_metadata();
    assert_eq!((file.num_rows(), file.schema_descr().column(0).name()), (0, "series_id"));
    let metadata: HashMap<_, _> = file
        .key_value_metadata()
        .unwrap()
        .iter()
        .map(|entry| (&*entry.key, entry.value.as_deref().unwrap()))
        .collect();
    let expected =
        [("server", &*server.url()), ("project", "libfoo"), ("search", "absent"), ("lines", "main")];
    for (key, value) in expected {
        assert_eq!(metadata[&*format!("roundtrip.{key}")], value);
    }
}

/// Stops the command while it waits for points.
#[cfg(unix)]
#[test]
fn leaves_nothing_behind_when_stopped() {
    use std::net::TcpListener;

    fn next_request(listener: &TcpListener) -> (std::net::TcpStream, Request) {
        let mut stream = None;
        wait_until("the next request", || {
            stream = listener.accept().ok();
            stream.is_some()
        });
        let (stream, _) = stream.unwrap();
        stream.set_nonblocking(false).unwrap();
        let request = Request::read(&stream).unwrap();
        (stream, request)
    }

    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("points.parquet");
    fs::write(&path, "before").unwrap();
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    listener.set_nonblocking(true).unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    let mut command = crate::roundtrip(folder.path());
    command.args(["export", "--server", &url, "--project", "libfoo", "--output", "points.parquet"]);
    let mut process = crate::Process(command.spawn().unwrap());
    let mut project = Project { series: BTreeMap::from([(1, (64, vec![1]))]), ..Project::default() };
    let (stream, request) = next_request(&listener);
    let (status, body) = Project::respond(&request, &mut project);
    crate::server::send(&stream, status, "", &body).unwrap();
    let (_unanswered, request) = next_request(&listener);
    assert!(request.path().starts_with("/api/v1/points?"), "{}", request.path());
    process.terminate();
    assert_eq!(process.0.wait().unwrap().code(), Some(130));
    assert_eq!(fs::read(&path).unwrap(), b"before");
    assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1, "a temporary file is left");
}

#[test]
fn exports_reports() {
    let folder = tempfile::tempdir().unwrap();
    let full = include_str!("../../../crates/wire/tests/golden/v1/full.json");
    let mut report: Value = serde_json::from_str(full).unwrap();
    fs::write(folder.path().join("one.json"), full).unwrap();
    report["run_id"] = "019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5c".into();
    report["work_tree_modified"] = false.into();
    fs::write(folder.path().join("two.json"), report.to_string()).unwrap();
    let words = ["export", "--report", "one.json", "two.json", "--output", "points.parquet"];
    let output = run_command(folder.path(), &words);
    printed(&output);
    let rows = rows(&folder.path().join("points.parquet"));
    let results = report["results"].as_array().unwrap();
    let is_measured = |result: &&Value| result["repetitions"][0].is_object() || result["summary"].is_object();
    let measured: Vec<_> = results.iter().filter(is_measured).collect();
    assert_eq!(rows.len(), 2 * measured.len());
    let expected = format!("{} points of {} series", rows.len(), measured.len());
    assert_contains(&error_text(&output), &[&expected]);
    for (row, result) in rows.iter().zip(measured.iter().chain(&measured)) {
        assert_eq!(text(row, "transport"), result["transport"]["slug"]);
        assert_eq!(whole(row, "message_bytes"), result["case"]["message_bytes"]);
        assert_eq!(text(row, "commit_sha"), report["commit"]["sha"]);
        let repetitions = result["repetitions"].as_array().unwrap();
        if repetitions.is_empty() {
            assert_eq!(whole(row, "center_ns"), result["summary"]["center_ns"]);
            continue;
        }
        let sum = |name: &str| repetitions.iter().map(|one| one[name].as_i64().unwrap()).sum::<i64>();
        for name in ["count", "sum_ns", "attempted", "accepted", "delivered"] {
            assert_eq!(whole(row, name), sum(name), "{name}");
        }
        let extreme =
            |name: &str| repetitions.iter().map(move |one| one[name].as_i64().unwrap()).collect::<Vec<_>>();
        assert_eq!(whole(row, "latency_ns_min"), extreme("min_ns").into_iter().min().unwrap());
        assert_eq!(whole(row, "latency_ns_max"), extreme("max_ns").into_iter().max().unwrap());
        assert_eq!(whole(row, "repetition_count"), repetitions.len() as i64);
    }
    let modified: Vec<_> = rows.iter().map(|row| row["work_tree_modified"].clone()).collect();
    assert_eq!(modified[measured.len() - 1..=measured.len()], [Field::Bool(true), Field::Bool(false)]);
    let wrong = ["export", "--report", "absent.json", "--output", "points.parquet"];
    refused(&run_command(folder.path(), &wrong), 2, &["absent.json is not a report"]);
}
