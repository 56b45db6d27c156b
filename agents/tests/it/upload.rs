//! `roundtrip upload`: reactions to a server's answers, which never lose the report.

use crate::server::{self, Answer, Server, header};
use crate::{error_text, own_spool, printed, refused, roundtrip, run_command};
use std::path::Path;
use std::process::Output;

/// A minimal report.
const REPORT: &str = include_str!("report.json");
const ID: &str = "019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b";

/// The same with another id.
pub(crate) fn report(id: &str) -> String {
    assert!(REPORT.contains(ID));
    REPORT.replace(ID, id)
}

pub(crate) const CREATED: Answer =
    ("201 Created", "content-type: application/json\r\n", |body| server::receipt(body));
const BUSY: Answer = ("503 Service Unavailable", "retry-after: 0\r\n", |_| String::new());
const WRONG_DIGEST: Answer = ("201 Created", "content-type: application/json\r\n", |_| {
    r#"{"run_id":"x","body_sha256":"00","result_count":1,"point_count":0}"#.into()
});
pub(crate) const REFUSED: Answer =
    ("422 Unprocessable Content", "content-type: application/problem+json\r\n", |_| {
        r#"{"type":"/problems/invalid-report","title":"","status":422,"code":"invalid-report",
        "detail":"count is 0: expected at least one","pointer":"/results/0/count"}"#
            .into()
    });
pub(crate) const UNAUTHENTICATED: Answer =
    ("401 Unauthorized", "content-type: application/problem+json\r\n", |_| {
        r#"{"type":"","title":"","status":401,"code":"unauthenticated","detail":"the token is not known"}"#
            .into()
    });

/// Uploads [`REPORT`] from a new folder.
fn upload(url: &str, further: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.json");
    std::fs::write(&report, REPORT).unwrap();
    std::fs::write(folder.path().join("token"), "rt_agent_secret\n").unwrap();
    let arguments = ["upload", "report.json", "--server", url, "--token-file", "token"];
    let output = run_command(folder.path(), &[&arguments[..], further].concat());
    assert!(report.exists(), "a report of the user's is the user's to remove");
    output
}

#[test]
fn sends_a_compressed_report_with_token_and_id() {
    let server = Server::answering(vec![CREATED]);
    printed(&upload(&server.url, &[]));
    let request = &server.requests()[0];
    assert!(request.head.starts_with(&format!("PUT /api/v1/runs/{ID} ")), "{}", request.head);
    assert_eq!(header(&request.head, "authorization"), "Bearer rt_agent_secret");
    assert_eq!(header(&request.head, "content-encoding"), "gzip");
    assert_eq!(request.body, REPORT.as_bytes());
}

#[test]
fn retries_a_busy_server() {
    let server = Server::answering(vec![BUSY, CREATED]);
    printed(&upload(&server.url, &[]));
    assert_eq!(server.requests().len(), 2);
}

/// Asserts the error for these answers, without further requests.
fn refused_by(answers: Vec<Answer>, code: i32, words: &[&str]) {
    let (count, server) = (answers.len(), Server::answering(answers));
    refused(&upload(&server.url, &[]), code, words);
    assert_eq!(server.requests().len(), count);
}

#[test]
fn rejects_a_receipt_for_another_report() {
    refused_by(vec![WRONG_DIGEST; 5], 6, &["acknowledged a different report"]);
}

#[test]
fn does_not_retry_a_rejected_report() {
    refused_by(vec![REFUSED], 1, &["/results/0/count", "expected at least one"]);
}

#[test]
fn unknown_token_has_its_exit_code() {
    refused_by(vec![UNAUTHENTICATED], 5, &["the token is not known"]);
}

#[test]
fn keeps_the_report_if_the_server_is_unreachable() {
    let url = format!("http://{}", server::unused_address());
    let retry = format!("Upload it with: roundtrip upload report.json --server {url} --token-file token");
    let hint = refused(&upload(&url, &[]), 6, &[]);
    assert_eq!(hint.lines().last(), Some(&*retry));
    // A quarantined upload stays quarantined when it is sent later.
    let hint = refused(&upload(&url, &["--quarantined"]), 6, &[]);
    assert_eq!(hint.lines().last(), Some(&*format!("{retry} --quarantined")));
}

#[test]
fn rejects_an_invalid_report_with_its_place() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("report.json"), &REPORT[..200]).unwrap();
    refused(
        &run_command(folder.path(), &["upload", "report.json"]),
        1,
        &["report.json is not a report", "line"],
    );
}

#[test]
fn needs_a_token() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("report.json"), REPORT).unwrap();
    refused(&run_command(folder.path(), &["upload", "report.json"]), 5, &["--token-file"]);
}

/// Uploads a report from the spool, and returns the number of the spool's reports that it says the server had
/// acknowledged before.
fn acknowledged_before(folder: &Path, server: Server, number: u32) -> Vec<String> {
    let spool = own_spool(folder).unwrap();
    std::fs::create_dir_all(&spool).unwrap();
    let id = format!("019aa8f0-5c1e-7b3a-9f00-{number:012}");
    let path = spool.join(format!("{id}.json"));
    std::fs::write(&path, report(&id)).unwrap();
    std::fs::write(folder.join("token"), "rt_agent_secret\n").unwrap();
    let mut command = roundtrip(folder);
    command.arg("upload").arg(&path).args(["--server", &server.url, "--token-file", "token"]);
    command.output().unwrap();
    server.requests().iter().map(|request| header(&request.head, "roundtrip-acknowledged")).collect()
}

#[test]
fn sends_the_number_of_acknowledged_reports() {
    let folder = tempfile::tempdir().unwrap();
    if own_spool(folder.path()).is_none() {
        return println!("does not apply: this system asks no variable for the folder of the spool");
    }
    let address = server::unused_address();
    let before =
        |answers, number| acknowledged_before(folder.path(), Server::answering_at(&address, answers), number);
    let first = before(vec![CREATED], 1);
    let (installation, count) = first[0].split_once(' ').unwrap();
    assert_eq!((installation.len(), count), (36, "0"));
    let header = |count: u32| format!("{installation} {count}");
    assert_eq!(before(vec![WRONG_DIGEST, BUSY, CREATED], 2), [header(1), header(1), header(1)]);
    assert_eq!(before(vec![CREATED], 2), [header(2)], "as after a crash between counting and removing");
    assert_eq!(before(vec![REFUSED], 3), [header(2)]);
    assert_eq!(before(vec![CREATED], 4), [header(2)]);
    assert_eq!(before(vec![CREATED], 5), [header(3)]);

    let other = acknowledged_before(folder.path(), Server::answering(vec![CREATED]), 6);
    assert!(other[0].ends_with(" 0") && !other[0].starts_with(installation), "another server: {other:?}");
}

#[test]
fn does_not_count_reports_outside_the_spool() {
    let server = Server::answering(vec![CREATED]);
    upload(&server.url, &[]);
    let head = &server.requests()[0].head;
    assert!(!head.contains("roundtrip-acknowledged"), "it may have been acknowledged before: {head}");
}

#[test]
fn uploads_quarantined_reports() {
    let server = Server::answering(vec![CREATED]);
    printed(&upload(&server.url, &["--quarantined"]));
    let head = &server.requests()[0].head;
    assert!(head.starts_with(&format!("PUT /api/v1/runs/{ID}?quarantined=true ")), "{head}");
}

#[test]
fn rejects_a_report_for_another_pull_request() {
    let upload = |further: &[&str]| upload("http://127.0.0.1:1", further);
    refused(&upload(&["--pull-request", "12"]), 9, &["is for no pull request, expected 12"]);
    refused(&upload(&["--commit", &"f".repeat(40)]), 9, &["expected ffffffff"]);
    refused(&upload(&["--commit", "main"]), 2, &[]);
}

#[test]
fn former_name_of_the_server_works_with_a_notice() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("report.json"), REPORT).unwrap();
    std::fs::write(folder.path().join("token"), "rt_agent_secret\n").unwrap();
    let server = Server::answering(vec![CREATED]);
    let mut command = roundtrip(folder.path());
    command.args(["upload", "report.json", "--upload", &server.url, "--token-file", "token"]);
    // An argument wins over the environment, whatever its name.
    let output = command.env("ROUNDTRIP_SERVER", "http://127.0.0.1:1").output().unwrap();
    printed(&output);
    assert!(error_text(&output).contains("note: use --server instead of --upload\n"));
    assert_eq!(server.requests().len(), 1);
}

/// A folder with a token and these files in the spool, if the spool is the test's own.
fn folder_with_kept(names: &[&str]) -> Option<tempfile::TempDir> {
    let folder = tempfile::tempdir().unwrap();
    let Some(spool) = own_spool(folder.path()) else {
        println!("does not apply: this system asks no variable for the folder of the spool");
        return None;
    };
    std::fs::create_dir_all(&spool).unwrap();
    std::fs::write(folder.path().join("token"), "rt_agent_secret\n").unwrap();
    for name in names {
        let id = name.split('.').next().unwrap();
        std::fs::write(spool.join(name), report(id)).unwrap();
    }
    Some(folder)
}

fn kept(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(own_spool(folder).unwrap()).unwrap();
    let names = entries.map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<String> = names.filter(|name| name.starts_with("019")).collect();
    names.sort();
    names
}

const KEPT: [&str; 2] =
    ["019aa8f0-5c1e-7b3a-9f00-000000000001.json", "019aa8f0-5c1e-7b3a-9f00-000000000002.json"];

#[test]
fn uploads_every_kept_report() {
    let Some(folder) = folder_with_kept(&KEPT) else { return };
    let upload =
        |url: &str| run_command(folder.path(), &["upload", "--server", url, "--token-file", "token"]);
    let server = Server::answering(vec![REFUSED, CREATED]);
    refused(&upload(&server.url), 1, &["/results/0/count", "error: 1 of 2 reports not uploaded"]);
    assert_eq!(server.requests().len(), 2, "a rejected report does not block the others");
    assert_eq!(kept(folder.path()), KEPT[..1]);

    let server = Server::answering(vec![CREATED]);
    printed(&upload(&server.url));
    assert!(server.requests()[0].head.starts_with("PUT /api/v1/runs/019aa8f0-5c1e-7b3a-9f00-000000000001 "));
    assert!(kept(folder.path()).is_empty());
    assert!(error_text(&upload("http://127.0.0.1:1")).starts_with("No kept reports in "));
}

#[test]
fn keeps_reports_if_the_token_is_rejected() {
    let Some(folder) = folder_with_kept(&KEPT) else { return };
    let server = Server::answering(vec![UNAUTHENTICATED]);
    let output = run_command(folder.path(), &["upload", "--server", &server.url, "--token-file", "token"]);
    refused(&output, 5, &["With a valid token, upload it with: roundtrip upload "]);
    assert_eq!((server.requests().len(), kept(folder.path())), (1, KEPT.map(str::to_owned).to_vec()));
}
