//! `roundtrip import`: turns results of other tools into complete runs.

use crate::run::{commit, git, repository};
use crate::server::{self, Request, Response, Server, StatefulServer, header};
use crate::upload::{CREATED, REFUSED};
use crate::{
    assert_contains, error_text, own_spool, printed, read_json, refused, run_command, run_with_input,
};
use base64::{Engine, prelude::BASE64_STANDARD};
use roundtrip_import::Options;
use serde_json::Value;
use sha2::{Digest, Sha256};
use std::fs;
use std::path::Path;
use std::process::Output;

const HYPERFINE: &str = r#"{"results": [{"command": "./pipe 64", "times": [0.0012, 0.0013, 0.0011]}]}"#;
const GO: &str = "goos: linux\npkg: example.org/ipc\nBenchmarkPipe/64-2 1000 1234.5 ns/op 16 B/op\nPASS\n";

fn import(folder: &Path, arguments: &[&str]) -> Output {
    fs::write(folder.join("results.json"), HYPERFINE).unwrap();
    fs::write(folder.join("token"), "rt_agent_secret\n").unwrap();
    run_command(folder, &[&["import", "results.json"], arguments].concat())
}

#[test]
fn prints_and_writes_an_import() {
    let folder = repository();
    let text = printed(&import(folder.path(), &["--output", "report.json", "--machine", "lab-1"]));
    assert!(text.contains("imported on lab-1") && text.contains("hyperfine (JSON), median time\n"), "{text}");
    let row = text.lines().find(|line| line.contains("./pipe 64")).unwrap();
    assert_eq!(
        row.split_whitespace().collect::<Vec<_>>(),
        ["./pipe", "64", "1.20", "ms", "1.10", "ms", "1.30", "ms", "3", "3"]
    );
    let report = read_json(&folder.path().join("report.json"));
    assert_eq!(report["results"][0]["case"]["benchmark"], "./pipe 64");
    assert_eq!(report["results"][0]["repetitions"].as_array().unwrap().len(), 3);
    assert_eq!(
        (&report["suite"]["preset"], &report["environment"]["stable"]),
        (&"import".into(), &serde_json::json!({}))
    );
    // Two imports are compared like two runs.
    let compared = run_command(folder.path(), &["compare", "report.json", "report.json"]);
    assert!(printed(&compared).contains("./pipe 64"));
}

#[test]
fn imports_without_a_repository() {
    let folder = tempfile::tempdir().unwrap();
    let text = printed(&import(folder.path(), &[]));
    assert!(text.lines().next().unwrap().contains(" without a commit, imported on "), "{text}");
}

#[test]
fn shows_the_median_of_all_samples() {
    let folder = repository();
    let forks = "[[10, 20, 30], [40, 41, 42, 43, 44]]";
    let jmh = format!(
        r#"[{{"benchmark": "Pipe.trip", "mode": "ss", "threads": 1, "forks": 2, "primaryMetric": {{
            "score": 33.8, "scoreUnit": "us/op", "rawData": {forks}}}}}]"#
    );
    fs::write(folder.path().join("jmh.json"), jmh).unwrap();
    let text = printed(&run_command(folder.path(), &["import", "jmh.json"]));
    // The medians of the forks are 20 and 42.
    let row = text.lines().find(|line| line.contains("Pipe.trip")).unwrap();
    assert!(row.contains(" 40 µs"), "{text}");
}

#[test]
fn reads_standard_input_and_reports_omissions() {
    let folder = repository();
    let input = format!("{GO}BenchmarkFifo 1000 7 ns/op NaN frames/op\n");
    let output = run_with_input(folder.path(), &["import", "-", "--from", "go"], input.as_bytes());
    let text = printed(&output);
    assert!(text.contains("median time of 1,000 operations") && text.contains("1.23 ms"), "{text}");
    let omitted = "standard-input: example.org/ipc.BenchmarkFifo: skipped frames/op";
    assert!(error_text(&output).contains(omitted), "{}", error_text(&output));
}

#[test]
fn accepts_the_former_name_of_from_with_a_notice() {
    let folder = repository();
    let run = |option: &str| run_with_input(folder.path(), &["import", "-", option, "go"], GO.as_bytes());
    let (former, from) = (run("--format"), run("--from"));
    assert_eq!(printed(&former), printed(&from));
    assert!(error_text(&former).contains("note: use --from instead of --format"), "{}", error_text(&former));
    assert!(!error_text(&from).contains("note: "), "{}", error_text(&from));
    let both = run_command(folder.path(), &["import", "-", "--from", "go", "--format", "go"]);
    refused(&both, 2, &["cannot be used with"]);
}

#[test]
fn reports_the_place_of_format_errors() {
    let folder = repository();
    fs::write(folder.path().join("cut.json"), &HYPERFINE[..HYPERFINE.len() - 8]).unwrap();
    let cut = run_command(folder.path(), &["import", "cut.json"]);
    refused(&cut, 2, &["cut.json: hyperfine: line 1, column"]);
    let excel = import(folder.path(), &["--from", "excel"]);
    refused(&excel, 2, &["[possible values: auto, asv, benchmark-action"]);
    refused(&run_command(folder.path(), &["import", "absent.json"]), 2, &["cannot read absent.json"]);
}

#[test]
fn uploads_the_file_with_the_run() {
    let folder = repository();
    let server = Server::answering(vec![CREATED]);
    let output = import(folder.path(), &["--upload", &server.url, "--token-file", "token"]);
    printed(&output);
    assert!(error_text(&output).contains("Uploaded: "), "{}", error_text(&output));
    let request = &server.requests()[0];
    assert!(request.head.starts_with("POST /api/v1/import "), "{}", request.head);
    sent(&request.body);
    if let Some(spool) = own_spool(folder.path()) {
        let names = fs::read_dir(spool).unwrap().map(|entry| entry.unwrap().file_name());
        let kept: Vec<_> = names.filter(|name| name.to_string_lossy().ends_with(".import")).collect();
        assert!(kept.is_empty(), "what the server has is not kept: {kept:?}");
    }
}

/// The unchanged file, and a report without results.
fn sent(body: &[u8]) {
    let body: Value = serde_json::from_slice(body).unwrap();
    let file = &body["file"];
    assert_eq!((&file["name"], &file["format"]), (&"results.json".into(), &"hyperfine".into()));
    assert_eq!(BASE64_STANDARD.decode(file["base64"].as_str().unwrap()).unwrap(), HYPERFINE.as_bytes());
    assert_eq!(body["report"]["results"], serde_json::json!([]));
}

#[test]
fn keeps_the_file_for_a_later_upload() {
    let folder = repository();
    let away = format!("http://{}", server::unused_address());
    let output = import(folder.path(), &["--upload", &away, "--token-file", "token"]);
    let message = refused(&output, 6, &[]);
    let (_, arguments) = message.split_once("roundtrip upload ").unwrap();
    let kept = if cfg!(windows) {
        arguments.split_once(" --server ").unwrap().0.trim_matches('"').to_owned()
    } else {
        shell_words::split(arguments).unwrap().remove(0)
    };
    assert!(Path::new(&kept).is_file(), "{message}");

    let server = Server::answering(vec![CREATED]);
    printed(&run_command(
        folder.path(),
        &["upload", &kept, "--server", &server.url, "--token-file", "token"],
    ));
    sent(&server.requests()[0].body);
    assert!(!Path::new(&kept).exists());
}

#[test]
fn prints_the_servers_rejection() {
    let folder = repository();
    let server = Server::answering(vec![REFUSED]);
    let output = import(folder.path(), &["--upload", &server.url, "--token-file", "token"]);
    refused(&output, 1, &["at /results/0/count"]);
    server.requests();
}

#[test]
#[cfg(unix)]
fn imports_results_of_configured_commands() {
    let folder = repository();
    fs::write(folder.path().join("go.txt"), GO).unwrap();
    fs::write(folder.path().join("made.json"), HYPERFINE).unwrap();
    fs::write(
        folder.path().join("roundtrip.toml"),
        "build = ['cp made.json results.json']\n[[command]]\nrun = 'cat go.txt'\nformat = 'go'\n\
         [[command]]\nrun = 'echo done'\nfile = 'results.json'\n",
    )
    .unwrap();
    let output = run_command(folder.path(), &["run"]);
    let text = printed(&output);
    assert!(text.contains("example.org/ipc.BenchmarkPipe/64") && text.contains("./pipe 64"), "{text}");
    assert!(!text.contains("done") && error_text(&output).contains("done"), "{}", error_text(&output));

    fs::write(folder.path().join("roundtrip.toml"), "[[command]]\nrun = 'sh -c \"exit 3\"'\n").unwrap();
    let words = "failed (exit status: 3): its results were not imported";
    refused(&run_command(folder.path(), &["run"]), 1, &[words]);
}

/// A file that a benchmark tool wrote.
fn golden(path: &str) -> Vec<u8> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../crates/import/tests/golden");
    fs::read(folder.join(path)).unwrap()
}

/// The benchmark of Go with this time, in a file that states its commit if there is one.
fn go_file(folder: &Path, path: &str, commit: Option<&str>, ns: u32) {
    let path = folder.join(path);
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    let commit = commit.map(|commit| format!("commit: {commit}\n")).unwrap_or_default();
    fs::write(path, format!("{commit}BenchmarkPipe 1000 {ns} ns/op\nPASS\n")).unwrap();
}

/// The commits of a repository, oldest first.
fn commits(folder: &Path) -> Vec<String> {
    git(folder, &["rev-list", "--reverse", "HEAD"]).lines().map(str::to_owned).collect()
}

fn repository_with_commits() -> (tempfile::TempDir, Vec<String>) {
    let folder = repository();
    commit(folder.path(), "two");
    commit(folder.path(), "three");
    let commits = commits(folder.path());
    (folder, commits)
}

/// A server that stores each run once.
#[derive(Default)]
struct Runs {
    /// The requests of the stored runs, by id.
    stored: Vec<(String, Value)>,
    /// The count of acknowledged runs in each request.
    acknowledged: Vec<String>,
    /// The number of requests to answer with an error.
    busy: usize,
}

fn store(request: &Request, runs: &mut Runs) -> Response {
    let count = header(&request.head, "roundtrip-acknowledged");
    runs.acknowledged.push(count.split_once(' ').unwrap().1.to_owned());
    if runs.busy > 0 {
        runs.busy -= 1;
        return ("503 Service Unavailable", Vec::new());
    }
    let body: Value = serde_json::from_slice(&request.body).unwrap();
    let id = body["report"]["run_id"].as_str().unwrap().to_owned();
    let receipt = server::receipt(&request.body).into_bytes();
    match runs.stored.iter().find(|(known, _)| *known == id) {
        None => {
            runs.stored.push((id, body));
            ("201 Created", receipt)
        }
        Some((_, known)) if *known == body => ("200 OK", receipt),
        Some(_) => {
            let problem = serde_json::json!({
                "type": "", "title": "", "status": 422, "code": "run-conflict", "detail": "another body"
            });
            ("422 Unprocessable Content", problem.to_string().into_bytes())
        }
    }
}

/// Uploads an import to a server.
fn upload(folder: &Path, server: &StatefulServer<Runs>, arguments: &[&str]) -> Output {
    fs::write(folder.join("token"), "rt_agent_secret\n").unwrap();
    let delivery = ["--upload", &server.url(), "--token-file", "token"];
    run_command(folder, &[&["import"], arguments, &delivery].concat())
}

fn stored(server: &StatefulServer<Runs>) -> Vec<Value> {
    server.change(|runs| runs.stored.iter().map(|(_, body)| body.clone()).collect())
}

#[test]
fn joins_files_of_one_commit_as_repetitions() {
    let folder = repository();
    let folder = folder.path();
    for (path, ns) in [("a/go.txt", 5), ("b/go.txt", 6), ("c/go.txt", 7), ("d/go.txt", 7)] {
        go_file(folder, path, None, ns);
    }
    let server = StatefulServer::start(store);
    let files = ["a/go.txt", "b/go.txt", "c/go.txt", "d/go.txt"];
    let output = upload(folder, &server, &[&files[..], &["--output", "report.json"]].concat());
    assert!(printed(&output).contains("BenchmarkPipe"));
    assert_contains(
        &error_text(&output),
        &["d/go.txt: imported once, because another file has the same content"],
    );
    let strict = [&["import", "--strict"][..], &files[..]].concat();
    refused(&run_command(folder, &strict), 7, &["1 item skipped"]);
    let report = read_json(&folder.join("report.json"));
    assert_eq!(report["results"][0]["repetitions"].as_array().unwrap().len(), 3);
    assert_eq!(report["results"].as_array().unwrap().len(), 1);
    // The server reads the same from the stored file.
    let [request] = &stored(&server)[..] else { panic!() };
    assert_eq!((&request["file"]["name"], &request["file"]["format"]), (&"results.tar".into(), &"go".into()));
    let archive = BASE64_STANDARD.decode(request["file"]["base64"].as_str().unwrap()).unwrap();
    assert!(archive.starts_with(b"1-go.txt"));
    let import = roundtrip_import::import(&archive, None, &Options::default()).unwrap();
    let roundtrip_import::Data::Repetitions(repetitions) = &import.benchmarks[0].data else { panic!() };
    assert_eq!(repetitions.iter().map(|one| one.min_ns()).collect::<Vec<_>>(), [5_000, 6_000, 7_000]);
}

#[test]
fn files_of_different_commits_and_tools_are_different_runs() {
    let (folder, commits) = repository_with_commits();
    let folder = folder.path();
    go_file(folder, "one.txt", Some(&commits[0]), 5);
    go_file(folder, "two.txt", Some(&commits[1][..9]), 5);
    go_file(folder, "also-one.txt", Some(&commits[0][..7]), 6);
    fs::write(folder.join("hyperfine.json"), HYPERFINE).unwrap();
    let files = ["one.txt", "two.txt", "also-one.txt", "hyperfine.json"];
    let to_file = run_command(folder, &[&["import", "--output", "report.json"], &files[..]].concat());
    refused(&to_file, 2, &["--output takes one report, but the files are 3 runs"]);
    let server = StatefulServer::start(store);
    printed(&upload(folder, &server, &files));
    let runs = stored(&server);
    let of: Vec<_> = runs.iter().map(|run| (&run["report"]["commit"]["sha"], &run["file"]["name"])).collect();
    let [archive, two, hyperfine] = ["results.tar", "two.txt", "hyperfine.json"].map(Value::from);
    let [first, second, third] = [0, 1, 2].map(|at| Value::from(commits[at].as_str()));
    assert_eq!(of, [(&first, &archive), (&second, &two), (&third, &hyperfine)]);
}

#[test]
fn imports_nothing_if_one_file_is_invalid() {
    let folder = repository();
    go_file(folder.path(), "go.txt", None, 5);
    fs::write(folder.path().join("hello.txt"), "hello").unwrap();
    let server = StatefulServer::start(store);
    refused(&upload(folder.path(), &server, &["go.txt", "hello.txt"]), 2, &["hello.txt: unknown format"]);
    let pattern = upload(folder.path(), &server, &["go.txt", "absent-*.txt"]);
    refused(&pattern, 2, &["cannot read absent-*.txt"]);
    assert_eq!(stored(&server), [] as [Value; 0]);
}

#[test]
fn imports_results_of_a_named_commit_and_date() {
    let (folder, commits) = repository_with_commits();
    let folder = folder.path();
    git(folder, &["checkout", "-q", "-b", "fix"]);
    commit(folder, "four");
    // Measured then, so the work tree of now does not matter.
    fs::write(folder.join("tracked"), "a").unwrap();
    git(folder, &["add", "tracked"]);
    let import = |arguments: &[&str]| {
        go_file(folder, "go.txt", None, 5);
        let output =
            run_command(folder, &[&["import", "go.txt", "--output", "report.json"], arguments].concat());
        printed(&output);
        read_json(&folder.join("report.json"))
    };
    let report = import(&["--commit", "HEAD~2", "--date", "2026-03-01"]);
    assert_eq!(
        (&report["commit"]["sha"], &report["work_tree_modified"]),
        (&commits[1].as_str().into(), &false.into())
    );
    assert_eq!(report["commit"]["first_parent_ordinal"], 2);
    assert_eq!(report["history"][0]["sha"], commits[0].as_str());
    let times = ["started_at", "finished_at"].map(|time| &report[time]);
    assert_eq!(times, ["2026-03-01T00:00:00Z"; 2]);
    let of_branch = import(&["--commit", "HEAD"]);
    assert_eq!((&of_branch["branch"], &of_branch["work_tree_modified"]), (&"fix".into(), &false.into()));
    assert_eq!(of_branch["started_at"], of_branch["commit"]["committed_at"], "no date is known");
    assert_eq!(import(&[])["work_tree_modified"], true);

    let unknown = run_command(folder, &["import", "go.txt", "--commit", "v9"]);
    refused(&unknown, 2, &["no revision `v9`"]);
    let never = run_command(folder, &["import", "go.txt", "--date", "tomorrow"]);
    refused(&never, 2, &["expected a date or time"]);
    let later = run_command(folder, &["import", "go.txt", "--date", "2999-01-01"]);
    refused(&later, 2, &["go.txt: measured in the future"]);
}

#[test]
fn results_of_the_default_branch_are_not_of_the_checked_out_one() {
    let (origin, parent) = (repository(), tempfile::tempdir().unwrap());
    let branch = git(origin.path(), &["symbolic-ref", "--short", "HEAD"]);
    git(parent.path(), &["clone", "-q", origin.path().to_str().unwrap(), "clone"]);
    let clone = parent.path().join("clone");
    git(&clone, &["checkout", "-q", "-b", "fix"]);
    commit(&clone, "of the branch");
    go_file(&clone, "go.txt", None, 5);
    for (revision, expected) in [("HEAD~1", branch.trim()), ("HEAD", "fix")] {
        let arguments = ["import", "go.txt", "--commit", revision, "--output", "report.json"];
        printed(&run_command(&clone, &arguments));
        assert_eq!(read_json(&clone.join("report.json"))["branch"], expected, "{revision}");
    }
    // A commit that only a merge reaches is not part of the branch's trend.
    let side = git(&clone, &["rev-parse", "HEAD"]);
    git(&clone, &["checkout", "-q", branch.trim()]);
    git(&clone, &["merge", "-q", "--no-ff", "-m", "merge", "fix"]);
    git(&clone, &["branch", "-q", "-D", "fix"]);
    printed(&run_command(&clone, &["import", "go.txt", "--commit", side.trim(), "--output", "report.json"]));
    assert_eq!(read_json(&clone.join("report.json"))["branch"], side[..7]);
}

#[test]
fn tag_that_looks_like_a_commit_names_no_commit() {
    let folder = repository();
    let folder = folder.path();
    git(folder, &["tag", "20260301"]);
    go_file(folder, "all/20260301/go.txt", None, 5);
    let output = run_command(folder, &["import", "--history", "all"]);
    let words = ["no commit in the file or its path", "no results of a known commit in all"];
    refused(&output, 2, &words);
}

#[test]
fn joins_criterion_folders_as_repetitions() {
    let folder = repository();
    let folder = folder.path();
    for (dir, time) in [("runs/1", 10), ("runs/2", 11)] {
        let new = folder.join(dir).join("pipe/new");
        fs::create_dir_all(&new).unwrap();
        fs::write(new.join("benchmark.json"), r#"{"group_id": "pipe", "full_id": "pipe"}"#).unwrap();
        fs::write(new.join("sample.json"), format!(r#"{{"iters": [1.0], "times": [{time}.0]}}"#)).unwrap();
    }
    printed(&run_command(folder, &["import", "runs/1", "runs/2", "--output", "report.json"]));
    let report = read_json(&folder.join("report.json"));
    assert_eq!(report["results"][0]["case"]["benchmark"], "pipe");
    assert_eq!(report["results"][0]["repetitions"].as_array().unwrap().len(), 2);
}

#[test]
fn takes_commit_date_and_machine_from_the_file() {
    let (folder, commits) = repository_with_commits();
    let folder = folder.path();
    let text = String::from_utf8(golden("pytest-benchmark/data.json")).unwrap();
    let stated = "206f72d9204f6fa115ee542b6b295ad3da2c5367";
    assert!(text.contains(stated) && text.contains("\"lab-1\""));
    fs::write(folder.join("foreign.json"), &text).unwrap();
    fs::write(folder.join("own.json"), text.replace(stated, &commits[1])).unwrap();
    let import = |arguments: &[&str]| {
        run_command(folder, &[&["import", "--output", "report.json"], arguments].concat())
    };

    let output = import(&["own.json"]);
    printed(&output);
    let report = read_json(&folder.join("report.json"));
    assert_eq!(report["commit"]["sha"], commits[1].as_str());
    assert_eq!(report["machine"]["slug"], "lab-1");
    assert!(report["started_at"].as_str().unwrap().starts_with("2026-11-22T08:"), "{}", report["started_at"]);
    assert_contains(&error_text(&output), &["own.json: machine: using lab-1 from the file. Pass --machine"]);
    assert_eq!(report["work_tree_modified"], false);
    let modified = text.replace(stated, &commits[1]).replace("\"dirty\": false", "\"dirty\": true");
    fs::write(folder.join("modified.json"), modified).unwrap();
    printed(&import(&["modified.json"]));
    assert_eq!(read_json(&folder.join("report.json"))["work_tree_modified"], true);

    let words = format!("foreign.json: its commit {stated} is not in ");
    refused(
        &import(&["foreign.json"]),
        2,
        &[&words, "Fetch it with git, or import the file alone with --commit."],
    );

    let arguments = ["foreign.json", "--commit", "HEAD", "--date", "2026-03-01", "--machine", "lab-2"];
    let output = import(&arguments);
    printed(&output);
    let report = read_json(&folder.join("report.json"));
    assert_eq!(
        (&report["commit"]["sha"], &report["machine"]["slug"]),
        (&commits[2].as_str().into(), &"lab-2".into())
    );
    assert_contains(
        &error_text(&output),
        &[
            &format!("commit: the file says {stated}, using {} from --commit", commits[2]),
            "date: the file says 2026-11-22 08:",
            "machine: the file says lab-1, using lab-2 from --machine",
        ],
    );
    let agreeing = import(&["own.json", "--commit", "HEAD~1", "--date", "2026-11-22", "--machine", "lab-1"]);
    printed(&agreeing);
    assert!(!error_text(&agreeing).contains("the file says"), "{}", error_text(&agreeing));
}

#[test]
fn settings_list_the_machine_of_the_file() {
    let folder = repository();
    fs::write(folder.path().join("roundtrip.toml"), "machines = ['lab-1']\n").unwrap();
    fs::write(folder.path().join("lab-1.json"), golden("google-benchmark/repetitions.json")).unwrap();
    let server = StatefulServer::start(store);
    printed(&upload(folder.path(), &server, &["lab-1.json"]));
    go_file(folder.path(), "go.txt", None, 5);
    refused(
        &upload(folder.path(), &server, &["go.txt"]),
        9,
        &["is not in `machines` of roundtrip.toml (lab-1)"],
    );
    assert_eq!(stored(&server)[0]["report"]["machine"]["slug"], "lab-1");
}

#[test]
fn repeated_import_is_one_run() {
    let (folder, commits) = repository_with_commits();
    let folder = folder.path();
    go_file(folder, "a.txt", None, 5);
    go_file(folder, "b.txt", None, 6);
    let server = StatefulServer::start(store);
    let again = |arguments: &[&str], expected: &str| {
        let output = upload(folder, &server, arguments);
        printed(&output);
        assert!(error_text(&output).contains(expected), "{expected}: {}", error_text(&output));
    };
    again(&["a.txt", "b.txt"], "Uploaded: ");
    // Measured at another time, as the command sees it, and in another order.
    again(&["b.txt", "a.txt"], "Already imported, unchanged: ");
    let named = ["a.txt", "b.txt", "--commit", "HEAD"];
    again(&named, "Already imported, unchanged: ");
    again(&named, "Already imported, unchanged: ");
    again(&["a.txt"], "Uploaded: ");
    again(&["a.txt", "b.txt", "--commit", &commits[0]], "Uploaded: ");
    again(&["a.txt", "b.txt", "--machine", "lab-2"], "Uploaded: ");
    let (count, acknowledged) =
        server.change(|runs| (runs.stored.len(), std::mem::take(&mut runs.acknowledged)));
    assert_eq!(count, 4);
    assert_eq!(acknowledged, ["0", "1", "1", "1", "1", "2", "3"]);
    if let Some(spool) = own_spool(folder) {
        let kept = fs::read_dir(spool).unwrap().map(|entry| entry.unwrap().file_name());
        assert!(!kept.into_iter().any(|name| name.to_string_lossy().ends_with(".import")));
    }
}

#[test]
fn does_not_count_an_import_of_another_installation() {
    let folder = repository();
    let folder = folder.path();
    let Some(spool) = own_spool(folder) else {
        println!("does not apply: this system has one spool for all tests");
        return;
    };
    for ns in [5, 6, 7] {
        go_file(folder, &format!("{ns}.txt"), None, ns);
    }
    let server = StatefulServer::start(store);
    printed(&upload(folder, &server, &["5.txt"]));
    fs::remove_dir_all(spool).unwrap();
    // The retry does not show that the first attempt was stored.
    server.change(|runs| runs.busy = 1);
    printed(&upload(folder, &server, &["5.txt"]));
    printed(&upload(folder, &server, &["6.txt"]));
    printed(&upload(folder, &server, &["7.txt"]));
    assert_eq!(server.change(|runs| runs.acknowledged.clone()), ["0", "0", "0", "0", "1"]);
}

#[test]
fn history_with_output_saves_a_report_for_each_commit() {
    let (folder, commits) = repository_with_commits();
    let folder = folder.path();
    for (at, commit) in commits.iter().enumerate() {
        go_file(folder, &format!("all/{}/go.txt", &commit[..9]), None, 5 + u32::try_from(at).unwrap());
    }
    let output = run_command(folder, &["import", "--history", "all", "--output", "reports"]);
    assert!(printed(&output).lines().all(|line| line.ends_with(" saved")), "{output:?}");
    let mut saved: Vec<_> = fs::read_dir(folder.join("reports"))
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let report = read_json(&entry.path());
            let sha = report["commit"]["sha"].as_str().unwrap().to_owned();
            assert!(entry.file_name().to_str().unwrap().starts_with(&sha[..7]), "{entry:?}");
            sha
        })
        .collect();
    let mut expected = commits;
    saved.sort();
    expected.sort();
    assert_eq!(saved, expected);
}

#[test]
fn imports_a_history_from_the_oldest_commit_and_resumes() {
    let (folder, commits) = repository_with_commits();
    let folder = folder.path();
    let short = |at: usize| &commits[at][..9];
    go_file(folder, &format!("all/a-{}.txt", short(2)), None, 7);
    go_file(folder, &format!("all/b/{}/1.txt", short(0)), None, 5);
    go_file(folder, &format!("all/b/{}/2.txt", short(0)), None, 6);
    go_file(folder, "all/c/stated.txt", Some(&commits[1]), 6);
    go_file(folder, "all/c/unknown.txt", None, 6);
    fs::write(folder.join("all/c/readme.md"), "hello").unwrap();
    go_file(folder, "all/.hidden/go.txt", Some(&commits[1]), 9);
    let server = StatefulServer::start(store);
    server.change(|runs| runs.busy = 1_000);
    refused(&upload(folder, &server, &["--history", "all"]), 6, &[]);
    server.change(|runs| runs.busy = 0);

    let import = |arguments: &[&str]| upload(folder, &server, &[&["--history", "all"], arguments].concat());
    let lines = |output: &Output| -> Vec<String> { printed(output).lines().map(str::to_owned).collect() };
    let output = import(&[]);
    let shown = |name: &str| Path::new("all").join("c").join(name).display().to_string();
    let days: Vec<_> = git(folder, &["log", "--reverse", "--format=%cd", "--date=format-local:%Y-%m-%d"])
        .lines()
        .map(str::to_owned)
        .collect();
    let expected = |done: &str| -> Vec<String> {
        (0..3).map(|at| format!("{} {} 1 benchmark {done}", &commits[at][..7], days[at])).collect()
    };
    assert_eq!(lines(&output), expected("imported"));
    assert_contains(
        &error_text(&output),
        &[
            &format!("skipped: {}: unknown format", shown("readme.md")),
            &format!("skipped: {}: no commit in the file or its path", shown("unknown.txt")),
        ],
    );
    let repetitions = |run: &Value| {
        let file = BASE64_STANDARD.decode(run["file"]["base64"].as_str().unwrap()).unwrap();
        let import = roundtrip_import::import(&file, None, &Options::default()).unwrap();
        let roundtrip_import::Data::Repetitions(repetitions) = &import.benchmarks[0].data else { panic!() };
        repetitions.len()
    };
    assert_eq!(stored(&server).iter().map(repetitions).collect::<Vec<_>>(), [2, 1, 1]);

    assert_eq!(lines(&import(&[])), expected("already imported"));
    let message = refused(&import(&["--strict"]), 7, &[]);
    assert!(
        message.ends_with("error: 2 items skipped, as listed above (--strict). The rest was imported.\n")
    );
    assert_eq!(stored(&server).len(), 3);
    let dry = run_command(folder, &["import", "--history", "all"]);
    assert_eq!(lines(&dry), expected("not uploaded"));
    refused(&run_command(folder, &["import", "--history", "absent"]), 2, &["cannot read absent"]);
    fs::create_dir(folder.join("empty")).unwrap();
    let empty = run_command(folder, &["import", "--history", "empty"]);
    refused(&empty, 2, &["no results of a known commit in empty"]);
}

#[test]
fn history_continues_after_a_rejected_run() {
    let (folder, commits) = repository_with_commits();
    let folder = folder.path();
    for (at, ns) in [(0, 5), (1, 6)] {
        go_file(folder, &format!("all/{}.txt", commits[at]), None, ns);
    }
    let server = Server::answering(vec![REFUSED, CREATED]);
    fs::write(folder.join("token"), "rt_agent_secret\n").unwrap();
    let arguments = ["import", "--history", "all", "--upload", &server.url, "--token-file", "token"];
    let output = run_command(folder, &arguments);
    refused(&output, 1, &["at /results/0/count", "the server rejected 1 of 2 runs"]);
    let text = String::from_utf8(output.stdout).unwrap();
    let ends: Vec<_> = text.lines().map(|line| line.rsplit_once(' ').unwrap().1).collect();
    assert_eq!(ends, ["rejected", "imported"]);
    server.requests();
}

#[test]
fn strict_import_fails_if_something_was_skipped() {
    let folder = repository();
    let folder = folder.path();
    fs::write(folder.join("k6.json"), golden("k6/summary-export.json")).unwrap();
    fs::write(folder.join("same.json"), [golden("k6/summary-export.json"), b"\n".to_vec()].concat()).unwrap();
    fs::write(folder.join("results.json"), HYPERFINE).unwrap();
    printed(&run_command(folder, &["import", "results.json", "--strict"]));
    let joined = ["import", "k6.json", "same.json"];
    let output = run_command(folder, &joined);
    printed(&output);
    assert!(
        error_text(&output).contains("summaries, because an earlier file has the same benchmarks"),
        "{}",
        error_text(&output)
    );
    let output = run_command(folder, &[&joined[..], &["--strict"]].concat());
    refused(&output, 7, &["skipped, as listed above (--strict)"]);
    assert!(!output.stdout.is_empty());
}

#[test]
fn passes_the_unit_of_times_to_the_server() {
    let folder = repository();
    let folder = folder.path();
    let log = String::from_utf8(golden("hdr-log/java-tagged.hlog")).unwrap();
    fs::write(folder.join("log.hlog"), log).unwrap();
    let server = StatefulServer::start(store);
    refused(&upload(folder, &server, &["log.hlog"]), 2, &["--unit"]);
    printed(&upload(folder, &server, &["log.hlog", "--unit", "us"]));
    printed(&upload(folder, &server, &["log.hlog", "--unit", "ms"]));
    let units: Vec<_> = stored(&server).iter().map(|run| run["file"]["unit"].clone()).collect();
    assert_eq!(units, ["us", "ms"]);
    refused(
        &upload(folder, &server, &["log.hlog", "--unit", "min"]),
        2,
        &["[possible values: ns, us, ms, s]"],
    );
}

#[test]
fn names_a_commit_only_in_a_repository() {
    let folder = tempfile::tempdir().unwrap();
    go_file(folder.path(), "go.txt", Some("206f72d9204f6fa115ee542b6b295ad3da2c5367"), 5);
    printed(&run_command(folder.path(), &["import", "go.txt", "--output", "report.json"]));
    let named = run_command(folder.path(), &["import", "go.txt", "--commit", "206f72d"]);
    refused(&named, 2, &["--commit and --history need a Git repository"]);
}

/// The process of an import, and its peak memory until the upload.
#[derive(Default)]
struct Importing {
    process: Option<u32>,
    peak_bytes: usize,
}

/// Imports a file with `--output` and `--upload`, and returns the peak memory of the process.
fn peak_bytes(file: &str) -> usize {
    fn acknowledge(request: &Request, importing: &mut Importing) -> Response {
        let status = fs::read_to_string(format!("/proc/{}/status", importing.process.unwrap())).unwrap();
        let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:")).unwrap();
        let kib: usize = line.trim().strip_suffix(" kB").unwrap().parse().unwrap();
        importing.peak_bytes = kib * 1024;
        let receipt = serde_json::json!({ "body_sha256": hex::encode(Sha256::digest(&request.body)) });
        ("201 Created", receipt.to_string().into_bytes())
    }

    let folder = repository();
    fs::write(folder.path().join("results"), file).unwrap();
    fs::write(folder.path().join("token"), "rt_agent_secret\n").unwrap();
    let server = StatefulServer::start(acknowledge);
    let mut command = crate::roundtrip(folder.path());
    command.args(["import", "results", "--output", "report.json", "--token-file", "token", "--upload"]);
    command.arg(server.url()).stdout(std::process::Stdio::piped()).stderr(std::process::Stdio::piped());
    let child = server.change(|importing: &mut Importing| {
        let child = command.spawn().unwrap();
        importing.process = Some(child.id());
        child
    });
    printed(&child.wait_with_output().unwrap());
    server.change(|importing| importing.peak_bytes)
}

/// Imports of 9,000 lines took 2.9 GB, and of a million values 1.8 GB.
#[test]
fn attack_with_large_imports_takes_less_than_20_times_their_size() {
    if std::env::consts::OS != "linux" {
        println!("does not apply: only Linux shows the peak memory of a process");
        return;
    }
    let of_program = peak_bytes(HYPERFINE);
    let lines = (1..=9_000).map(|n| format!("BenchmarkPipe/size={n}-8   \t  100000\t      {n}.5 ns/op\n"));
    let runs = (1..=100).map(|n| {
        let times: Vec<_> = (0..1_000).map(|time| format!("\n        0.0012{time:06}")).collect();
        format!(r#"{{"command": "pipe {n}", "times": [{}]}}"#, times.join(","))
    });
    let hyperfine = format!(r#"{{"results": [{}]}}"#, runs.collect::<Vec<_>>().join(","));
    for (name, file) in
        [("9,000 Go lines", lines.collect::<String>()), ("100,000 runs of hyperfine", hyperfine)]
    {
        let bytes = peak_bytes(&file).saturating_sub(of_program);
        let factor = bytes as f64 / file.len() as f64;
        println!("{name}: {bytes} bytes for a file of {}: {factor:.1} times", file.len());
        assert!(bytes < 20 * file.len(), "{name}: {bytes} bytes for a file of {}", file.len());
    }
}
