//! Attacks by clients that read nothing: unread downloads and open event streams.

use crate::attack_uploads::{assert_small, begin, large, upload_all};
use crate::connections::connect;
use crate::faults::UNLIMITED;
use crate::report::numbered;
use crate::support::{Place, Server};
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

const REPORT_BYTES: usize = 43 << 20;
const DOWNLOADS: usize = 40;
/// The number of addresses that the attack comes from.
const ADDRESSES: usize = 10;
/// Sooner than the server closes connections that read nothing.
const ANSWER_TIMEOUT: Duration = Duration::from_secs(20);

#[test]
fn unread_downloads_leave_memory_and_downloads_to_others() {
    if std::env::consts::OS != "linux" {
        println!("does not apply: only Linux can reset the peak memory of a process");
        return;
    }
    let place = Place::new();
    let (server, token) = place.serve_with_token();
    let (path, body) = store_long_report(&server, &token);
    reset_peak(&server);

    let answers: Vec<Answer> =
        (0..DOWNLOADS).map(|number| get(&attacker(number % ADDRESSES), &server, &path, "")).collect();
    assert_small(&server);
    let statuses: Vec<u16> = answers.iter().map(|answer| answer.status).collect();
    assert!(statuses.iter().filter(|status| **status == 200).count() >= ADDRESSES, "{statuses:?}");
    for refused in answers.iter().filter(|answer| answer.status != 200) {
        assert!(matches!(refused.status, 429 | 503), "{refused:?}");
        assert!(refused.head.contains("retry-after: 5"), "{refused:?}");
    }

    let bearer = format!("authorization: Bearer {token}\r\nconnection: close\r\n");
    let mut download = get("127.0.0.1", &server, &path, &bearer);
    assert_eq!(download.status, 200, "{download:?}");
    let mut received = Vec::new();
    download.stream.read_to_end(&mut received).unwrap();
    // Chunks have a little framing.
    assert!(received.len() > body.len(), "{} bytes", received.len());
    assert!(received.ends_with(b"\r\n0\r\n\r\n"), "the download is complete");
    assert_small(&server);
}

/// Unread downloads, event streams, stalled uploads, and uploads that inflate to much more than their size.
#[test]
fn all_attacks_together_take_little_memory() {
    let place = Place::new();
    let server = place.serve_with(&UNLIMITED);
    let (token, attackers) = (place.token(), place.run_line("token create --name attacker").printed());
    let (report, _) = store_long_report(&server, &token);
    let events = format!("/api/v1/projects/{}/events", numbered(1).1["project"].as_str().unwrap());
    let uploads = large(24);

    let streams: Vec<Answer> =
        (0..300).map(|number| get(&attacker(number % ADDRESSES), &server, &events, "")).collect();
    let downloads: Vec<Answer> =
        (0..DOWNLOADS).map(|number| get(&attacker(number % ADDRESSES), &server, &report, "")).collect();
    let stalled: Vec<TcpStream> = (0..40)
        .map(|number| {
            let (path, _) = numbered(1_000 + number);
            let mut upload = begin("127.0.0.2", &server, &attackers, &path, "content-length: 8388608");
            // The server may have rejected it.
            let _ = upload.write_all(&[b' '; 1 << 20]);
            upload
        })
        .collect();
    upload_all(&server, &token, &uploads);
    assert_small(&server);
    drop((streams, downloads, stalled));
}

#[test]
fn one_address_leaves_event_streams_to_others() {
    let place = Place::new();
    let (server, token) = place.serve_with_token();
    assert_eq!(server.put_numbered(1, &token), 201);
    let path = format!("/api/v1/projects/{}/events", numbered(1).1["project"].as_str().unwrap());

    let streams: Vec<Answer> = (0..256).map(|_| get("127.0.0.2", &server, &path, "")).collect();
    let opened = streams.iter().filter(|answer| answer.status == 200).count();
    assert_eq!(get("127.0.0.1", &server, &path, "").status, 200, "after {opened} of one address");
    assert!(streams.iter().all(|answer| matches!(answer.status, 200 | 429)));
}

#[test]
fn strangers_leave_event_streams_to_users() {
    let place = Place::new();
    let (server, token) = place.serve_with_token();
    assert_eq!(server.put_numbered(1, &token), 201);
    let path = format!("/api/v1/projects/{}/events", numbered(1).1["project"].as_str().unwrap());
    let ada = place.run_line("account create --name ada").printed();

    let streams: Vec<Answer> =
        (0..300).map(|number| get(&attacker(number % ADDRESSES), &server, &path, "")).collect();
    assert_eq!(get("127.0.0.1", &server, &path, "").status, 503, "strangers have all of theirs");
    let mine = get("127.0.0.1", &server, &path, &format!("authorization: Bearer {ada}\r\n"));
    assert_eq!(mine.status, 200, "{mine:?}");
    drop(streams);
}

#[test]
fn streams_end_when_another_process_removes_the_account() {
    let place = Place::new();
    let (server, token) = place.serve_with_token();
    assert_eq!(server.put_numbered(1, &token), 201);
    let project = numbered(1).1["project"].as_str().unwrap().to_owned();
    let ada = place.run_line("account create --name ada").printed();
    let path = format!("/api/v1/projects/{project}/events");
    let close = format!("authorization: Bearer {ada}\r\nconnection: close\r\n");
    let mut stream = get("127.0.0.1", &server, &path, &close);
    assert_eq!(stream.status, 200, "{stream:?}");
    place.run_line("account delete ada").printed();
    // The end of the connection, before the timeout.
    stream.stream.read_to_end(&mut Vec::new()).unwrap();
}

/// The head of an answer whose body is not read.
#[derive(Debug)]
struct Answer {
    status: u16,
    head: String,
    stream: TcpStream,
}

/// Sends a GET from an address, with these lines in its head.
fn get(from: &str, server: &Server, path: &str, lines: &str) -> Answer {
    let mut stream = connect(from, server.socket_address());
    write!(stream, "GET {path} HTTP/1.1\r\nhost: test\r\n{lines}\r\n").unwrap();
    stream.set_read_timeout(Some(ANSWER_TIMEOUT)).unwrap();
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        let mut byte = [0];
        stream.read_exact(&mut byte).unwrap();
        head.extend(byte);
    }
    let head = String::from_utf8(head).unwrap();
    Answer { status: head.split(' ').nth(1).unwrap().parse().unwrap(), head, stream }
}

fn attacker(number: usize) -> String {
    format!("127.0.1.{}", number + 1)
}

/// Stores a report that is long, but not as it is sent. Returns its path and content.
fn store_long_report(server: &Server, token: &str) -> (String, Vec<u8>) {
    let (path, mut report) = numbered(1);
    // An unknown member is stored as well.
    let line = |number: u64| format!("{:016x} and more that is the same in every line", number * number);
    let lines: Vec<String> = (0..).map(line).take(REPORT_BYTES / line(0).len()).collect();
    report["added_later"] = json!(lines);
    let body = report.to_string().into_bytes();
    let sent = zstd::encode_all(body.as_slice(), 3).unwrap();
    let url = format!("http://{}{path}", server.socket_address());
    let answer = ureq::put(&url)
        .header("authorization", &format!("Bearer {token}"))
        .header("content-type", "application/json")
        .header("content-encoding", "zstd")
        .send(&sent[..]);
    assert_eq!(answer.unwrap().status(), 201, "{} bytes", sent.len());
    (format!("{path}/report"), body)
}

/// Forgets the peak memory of the server so far.
fn reset_peak(server: &Server) {
    std::fs::write(format!("/proc/{}/clear_refs", server.pid().as_raw_nonzero()), "5").unwrap();
}
