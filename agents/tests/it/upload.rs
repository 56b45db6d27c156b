//! `roundtrip upload`: what a server's answers mean, and that a report outlives all of them.

use crate::server::{self, Answer, Server, header};
use crate::{complaint, own_spool, roundtrip};
use sha2::{Digest, Sha256};
use std::path::Path;
use std::process::Output;

/// The smallest report that is one.
pub(crate) const REPORT: &str = include_str!("report.json");

pub(crate) const CREATED: Answer = ("201 Created", "content-type: application/json\r\n", |body| {
    let digest = hex::encode(Sha256::digest(body));
    format!(r#"{{"run_id":"x","body_sha256":"{digest}","result_count":1,"point_count":0}}"#)
});
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

fn upload(folder: &Path, url: &str) -> Output {
    std::fs::write(folder.join("report.json"), REPORT).unwrap();
    std::fs::write(folder.join("token"), "rt_agent_secret\n").unwrap();
    let output = roundtrip(folder)
        .args(["upload", "report.json", "--upload", url, "--token-file", "token"])
        .output()
        .unwrap();
    assert!(folder.join("report.json").exists(), "a report of the user's is the user's to remove");
    output
}

#[test]
fn a_report_is_sent_compressed_with_the_token_and_its_own_id() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::answering(vec![CREATED]);
    let output = upload(folder.path(), &server.url);
    assert!(output.status.success(), "{}", complaint(&output));
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
    let folder = tempfile::tempdir().unwrap();
    let server = Server::answering(vec![BUSY, CREATED]);
    let output = upload(folder.path(), &server.url);
    assert!(output.status.success(), "{}", complaint(&output));
    assert_eq!(server.requests().len(), 2);
}

#[test]
fn an_acknowledgement_of_something_else_is_not_believed() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::answering(vec![WRONG_DIGEST; 5]);
    let output = upload(folder.path(), &server.url);
    assert_eq!(output.status.code(), Some(6));
    assert!(complaint(&output).contains("acknowledged another report"), "{}", complaint(&output));
}

#[test]
fn a_refusal_names_the_member_and_is_not_repeated() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::answering(vec![REFUSED]);
    let output = upload(folder.path(), &server.url);
    assert_eq!(output.status.code(), Some(1));
    let complaint = complaint(&output);
    assert!(
        complaint.contains("/results/0/count") && complaint.contains("expected at least one"),
        "{complaint}"
    );
}

#[test]
fn a_token_that_is_not_known_has_an_exit_code_of_its_own() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::answering(vec![UNAUTHENTICATED]);
    let output = upload(folder.path(), &server.url);
    assert_eq!(output.status.code(), Some(5));
    assert!(complaint(&output).contains("the token is not known"));
}

#[test]
fn a_server_that_is_not_there_leaves_the_report_and_says_how_to_send_it() {
    let folder = tempfile::tempdir().unwrap();
    let output = upload(folder.path(), &format!("http://{}", server::nobody()));
    assert_eq!(output.status.code(), Some(6));
    let complaint = complaint(&output);
    assert!(complaint.contains("roundtrip upload report.json"), "{complaint}");
}

#[test]
fn a_file_that_is_no_report_is_named_with_line_and_column() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("report.json"), &REPORT[..200]).unwrap();
    let output = roundtrip(folder.path()).args(["upload", "report.json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(1));
    let complaint = complaint(&output);
    assert!(complaint.contains("report.json is not a report") && complaint.contains("line"), "{complaint}");
}

#[test]
fn without_a_token_nothing_is_sent_and_the_message_says_where_to_get_one() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("report.json"), REPORT).unwrap();
    let output = roundtrip(folder.path()).args(["upload", "report.json"]).output().unwrap();
    assert_eq!(output.status.code(), Some(5));
    assert!(complaint(&output).contains("--token-file"));
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
    let folder = tempfile::tempdir().unwrap();
    let server = Server::answering(vec![CREATED]);
    upload(folder.path(), &server.url);
    assert!(
        !server.requests()[0].head.contains("roundtrip-acknowledged"),
        "it may have been acknowledged before"
    );
}

#[test]
fn what_nobody_vouches_for_is_sent_as_that() {
    let folder = tempfile::tempdir().unwrap();
    let server = Server::answering(vec![CREATED]);
    std::fs::write(folder.path().join("report.json"), REPORT).unwrap();
    std::fs::write(folder.path().join("token"), "rtc_secret\n").unwrap();
    let arguments =
        ["upload", "report.json", "--quarantined", "--upload", &server.url, "--token-file", "token"];
    let output = roundtrip(folder.path()).args(arguments).output().unwrap();
    assert!(output.status.success(), "{}", complaint(&output));
    let head = &server.requests()[0].head;
    let begin = "PUT /api/v1/runs/019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b?quarantined=true ";
    assert!(head.starts_with(begin), "{head}");
}

#[test]
fn one_that_could_not_be_sent_is_sent_later_as_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("report.json"), REPORT).unwrap();
    std::fs::write(folder.path().join("token"), "rtc_secret\n").unwrap();
    let url = format!("http://{}", server::nobody());
    let arguments = ["upload", "report.json", "--quarantined", "--upload", &url, "--token-file", "token"];
    let output = roundtrip(folder.path()).args(arguments).output().unwrap();
    assert_eq!(output.status.code(), Some(6));
    assert!(complaint(&output).contains(&format!("--upload {url} --quarantined")), "{}", complaint(&output));
}

#[test]
fn a_report_of_something_else_than_was_said_is_not_sent() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("report.json"), REPORT).unwrap();
    let commit = "f".repeat(40);
    for (option, value, says) in [
        ("--pull-request", "12", "its pull request is none, expected 12"),
        ("--commit", &commit, "expected ffffffff"),
    ] {
        let arguments = ["upload", "report.json", "--upload", "http://127.0.0.1:1", option, value];
        let output = roundtrip(folder.path()).args(arguments).output().unwrap();
        assert_eq!(output.status.code(), Some(9), "{}", complaint(&output));
        assert!(complaint(&output).contains(says), "{}", complaint(&output));
    }
    let output =
        roundtrip(folder.path()).args(["upload", "report.json", "--commit", "main"]).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
}
