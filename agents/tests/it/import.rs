//! `roundtrip import`: turns results of other tools into complete runs.

use crate::run::repository;
use crate::server::{self, Request, Response, Server, StatefulServer};
use crate::upload::{CREATED, REFUSED};
use crate::{error_text, own_spool, printed, read_json, refused, run_command, run_with_input};
use base64::{Engine, prelude::BASE64_STANDARD};
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
    let output = run_with_input(folder.path(), &["import", "-", "--from", "go"], GO.as_bytes());
    let text = printed(&output);
    assert!(text.contains("median time of 1,000 operations") && text.contains("1.23 ms"), "{text}");
    assert!(error_text(&output).contains("standard-input: skipped"), "{}", error_text(&output));
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
    refused(&excel, 2, &["[possible values: auto, bmf, criterion"]);
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
