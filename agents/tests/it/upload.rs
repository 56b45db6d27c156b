//! `roundtrip upload`: what a server's answers mean, and that a report outlives all of them.

use crate::server::{self, Answer, Server, header};
use crate::{own_spool, printed, ran, refused, roundtrip};
use std::path::Path;
use std::process::Output;

/// The smallest report that is one.
pub(crate) const REPORT: &str = include_str!("report.json");

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

/// Uploads [`REPORT`] from a folder of its own.
fn upload(url: &str, further: &[&str]) -> Output {
    let folder = tempfile::tempdir().unwrap();
    let report = folder.path().join("report.json");
    std::fs::write(&report, REPORT).unwrap();
    std::fs::write(folder.path().join("token"), "rt_agent_secret\n").unwrap();
    let arguments = ["upload", "report.json", "--upload", url, "--token-file", "token"];
    let output = ran(folder.path(), &[&arguments[..], further].concat());
    assert!(report.exists(), "a report of the user's is the user's to remove");
    output
}

#[test]
fn a_report_is_sent_compressed_with_the_token_and_its_own_id() {
    let server = Server::answering(vec![CREATED]);
    printed(&upload(&server.url, &[]));
    let request = &server.requests()[0];
    assert!(
        request.head.starts_with("PUT /api/v1/runs/019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b "),
        "{}",
        request.head
    );
    assert_eq!(header(&request.head, "authorization"), "Bearer rt_agent_secret");
    assert_eq!(header(&request.head, "content-encoding"), "gzip");
    assert_eq!(request.body, REPORT.as_bytes());
}

#[test]
fn a_busy_server_is_asked_again() {
    let server = Server::answering(vec![BUSY, CREATED]);
    printed(&upload(&server.url, &[]));
    assert_eq!(server.requests().len(), 2);
}

/// What is said when a server answers so, and nothing else is asked of it.
fn refused_by(answers: Vec<Answer>, code: i32, words: &[&str]) {
    let (count, server) = (answers.len(), Server::answering(answers));
    refused(&upload(&server.url, &[]), code, words);
    assert_eq!(server.requests().len(), count);
}

#[test]
fn an_acknowledgement_of_something_else_is_not_believed() {
    refused_by(vec![WRONG_DIGEST; 5], 6, &["acknowledged another report"]);
}

#[test]
fn a_refusal_names_the_member_and_is_not_repeated() {
    refused_by(vec![REFUSED], 1, &["/results/0/count", "expected at least one"]);
}

#[test]
fn a_token_that_is_not_known_has_an_exit_code_of_its_own() {
    refused_by(vec![UNAUTHENTICATED], 5, &["the token is not known"]);
}

#[test]
fn a_server_that_is_not_there_leaves_the_report_and_says_how_to_send_it() {
    let url = format!("http://{}", server::nobody());
    refused(&upload(&url, &[]), 6, &["roundtrip upload report.json"]);
    // What was to be quarantined is sent later as that, too.
    refused(&upload(&url, &["--quarantined"]), 6, &[&format!("--upload {url} --quarantined")]);
}

#[test]
fn a_file_that_is_no_report_is_named_with_line_and_column() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("report.json"), &REPORT[..200]).unwrap();
    refused(&ran(folder.path(), &["upload", "report.json"]), 1, &["report.json is not a report", "line"]);
}

#[test]
fn without_a_token_nothing_is_sent_and_the_message_says_where_to_get_one() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("report.json"), REPORT).unwrap();
    refused(&ran(folder.path(), &["upload", "report.json"]), 5, &["--token-file"]);
}

/// A report of the spool goes to the server; it says how many of the spool's the server had acknowledged before.
fn acknowledged_before(folder: &Path, server: Server, number: u32) -> Vec<String> {
    let spool = own_spool(folder).unwrap();
    std::fs::create_dir_all(&spool).unwrap();
    let id = format!("019aa8f0-5c1e-7b3a-9f00-{number:012}");
    let report = REPORT.replace("019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b", &id);
    let path = spool.join(format!("{id}.json"));
    std::fs::write(&path, report).unwrap();
    std::fs::write(folder.join("token"), "rt_agent_secret\n").unwrap();
    let mut command = roundtrip(folder);
    command.arg("upload").arg(&path).args(["--upload", &server.url, "--token-file", "token"]);
    command.output().unwrap();
    server.requests().iter().map(|request| header(&request.head, "roundtrip-acknowledged")).collect()
}

#[test]
fn a_server_is_told_how_many_different_reports_of_the_spool_it_has_acknowledged() {
    let folder = tempfile::tempdir().unwrap();
    if own_spool(folder.path()).is_none() {
        return println!("does not apply: this system asks no variable for the folder of the spool");
    }
    let address = server::nobody();
    let before =
        |answers, number| acknowledged_before(folder.path(), Server::answering_at(&address, answers), number);
    let first = before(vec![CREATED], 1);
    let (installation, count) = first[0].split_once(' ').unwrap();
    assert_eq!((installation.len(), count), (36, "0"));
    let told = |count: u32| format!("{installation} {count}");
    assert_eq!(before(vec![WRONG_DIGEST, BUSY, CREATED], 2), [told(1), told(1), told(1)]);
    assert_eq!(before(vec![CREATED], 2), [told(2)], "as after a crash between counting and removing");
    assert_eq!(before(vec![REFUSED], 3), [told(2)]);
    assert_eq!(before(vec![CREATED], 4), [told(2)]);
    assert_eq!(before(vec![CREATED], 5), [told(3)]);

    let other = acknowledged_before(folder.path(), Server::answering(vec![CREATED]), 6);
    assert!(other[0].ends_with(" 0") && !other[0].starts_with(installation), "another server: {other:?}");
}

#[test]
fn a_report_from_elsewhere_is_not_counted() {
    let server = Server::answering(vec![CREATED]);
    upload(&server.url, &[]);
    let head = &server.requests()[0].head;
    assert!(!head.contains("roundtrip-acknowledged"), "it may have been acknowledged before: {head}");
}

#[test]
fn what_nobody_vouches_for_is_sent_as_that() {
    let server = Server::answering(vec![CREATED]);
    printed(&upload(&server.url, &["--quarantined"]));
    let head = &server.requests()[0].head;
    let begin = "PUT /api/v1/runs/019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b?quarantined=true ";
    assert!(head.starts_with(begin), "{head}");
}

#[test]
fn a_report_of_something_else_than_was_said_is_not_sent() {
    let upload = |further: &[&str]| upload("http://127.0.0.1:1", further);
    refused(&upload(&["--pull-request", "12"]), 9, &["its pull request is none, expected 12"]);
    refused(&upload(&["--commit", &"f".repeat(40)]), 9, &["expected ffffffff"]);
    refused(&upload(&["--commit", "main"]), 2, &[]);
}
