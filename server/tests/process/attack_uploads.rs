//! Uploads that take as much memory and time as they can, from clients with a token.

use crate::connections::connect;
use crate::database::number;
use crate::faults::UNLIMITED;
use crate::report::numbered;
use crate::support::{Place, Server, eventually};
use serde_json::json;
use std::io::{Read as _, Write as _};
use std::net::TcpStream;

const MIB: usize = 1024 * 1024;
/// For the server's whole process.
const MEMORY_MIB_MAX: u64 = 400;
const HERE: &str = "127.0.0.1";
const ELSEWHERE: &str = "127.0.0.2";

/// Sends the head of an upload.
pub(crate) fn begin(from: &str, server: &Server, token: &str, path: &str, headers: &str) -> TcpStream {
    let mut stream = connect(from, server.socket_address());
    let head = format!(
        "PUT {path} HTTP/1.1\r\nhost: test\r\nconnection: close\r\nauthorization: Bearer {token}\r\n\
         content-type: application/json\r\n{headers}\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).unwrap();
    stream
}

/// Uploads a body that is compressed with zstd, and returns the status.
fn put_zstd(server: &Server, token: &str, path: &str, body: &[u8]) -> u16 {
    let headers = format!("content-encoding: zstd\r\ncontent-length: {}", body.len());
    let mut stream = begin(HERE, server, token, path, &headers);
    stream.write_all(body).unwrap();
    let mut answer = String::new();
    stream.read_to_string(&mut answer).unwrap();
    answer.split(' ').nth(1).unwrap().parse().unwrap()
}

/// Reports that each inflate to 16 MiB, compressed with zstd.
pub(crate) fn large(count: u64) -> Vec<(String, Vec<u8>)> {
    let compressed = |text: &str| zstd::encode_all(text.as_bytes(), 1).unwrap();
    let (_, mut report) = numbered(0);
    let failures: Vec<_> = (0..1_000)
        .map(|number| json!({"repetition": number, "reason": format!("{number} {}", "x".repeat(1_000))}))
        .collect();
    let results = (0..17).map(|size| {
        let mut result = report["results"][0].clone();
        result["case"]["message_bytes"] = json!(size);
        result["failures"] = json!(failures);
        result
    });
    report["results"] = results.collect();
    let text = report.to_string();
    assert!(text.len() > 16 * MIB);
    let (before, after) = text.split_once(report["run_id"].as_str().unwrap()).unwrap();
    let before = compressed(before);
    let body = |number| {
        let (path, report) = numbered(number);
        let rest = compressed(&format!("{}{after}", report["run_id"].as_str().unwrap()));
        (path, [before.as_slice(), &rest].concat())
    };
    (2..count + 2).map(body).collect()
}

#[track_caller]
pub(crate) fn assert_small(server: &Server) {
    if std::env::consts::OS != "linux" {
        println!("the limit of memory does not apply: only Linux counts the peak");
        return;
    }
    let peak = server.peak_mib();
    println!("{peak} MiB at most");
    assert!(peak < MEMORY_MIB_MAX, "{peak} MiB");
}

/// Uploads all at the same time, then one after another those that the server had no memory for.
pub(crate) fn upload_all(server: &Server, token: &str, uploads: &[(String, Vec<u8>)]) {
    let is_stored = |(path, body): &(String, Vec<u8>)| match put_zstd(server, token, path, body) {
        201 => true,
        503 => false,
        other => panic!("{other}"),
    };
    let rejected: Vec<_> = std::thread::scope(|scope| {
        let attempts: Vec<_> =
            uploads.iter().map(|upload| (upload, scope.spawn(move || is_stored(upload)))).collect();
        attempts
            .into_iter()
            .filter_map(|(upload, attempt)| (!attempt.join().unwrap()).then_some(upload))
            .collect()
    });
    println!("{} of {} rejected at first", rejected.len(), uploads.len());
    for upload in rejected {
        eventually("the upload", || is_stored(upload).then_some(()));
    }
}

#[test]
fn concurrent_inflated_uploads_are_stored_in_little_memory() {
    const UPLOADS: u64 = 24;
    let place = Place::new();
    let server = place.serve_with(&UNLIMITED);
    let token = place.token();
    let uploads = large(UPLOADS);
    println!("{} bytes sent", uploads.iter().map(|(_, body)| body.len()).sum::<usize>());
    upload_all(&server, &token, &uploads);
    assert_eq!(number(&place.address(), "select count(*) from run"), UPLOADS.cast_signed());
    assert_small(&server);
}

#[test]
fn many_small_values_are_rejected_in_little_memory() {
    let place = Place::new();
    let server = place.serve_with(&UNLIMITED);
    let token = place.token();
    let (path, report) = numbered(1);
    let end = r#"{"cpus_seen":[]},"#;
    let many = format!(r#""ends":[{}"#, end.repeat(60 * MIB / end.len()));
    let text = report.to_string().replacen(r#""ends":["#, &many, 1);
    assert!(text.len() > 50 * MIB);
    let body = zstd::encode_all(text.as_bytes(), 1).unwrap();
    assert_eq!(put_zstd(&server, &token, &path, &body), 413);
    assert_small(&server);
}

#[test]
fn announced_and_stalled_uploads_do_not_block_others() {
    let place = Place::new();
    let server = place.serve_with(&UNLIMITED);
    let attacker = place.run_line("token create --name attacker").printed();
    let token = place.token();
    // More than all memory, if announcing reserved it, then if arriving did.
    for (round, sent) in [(1, 0), (2, 6 * MIB)] {
        let part = vec![b' '; sent];
        let stalled: Vec<TcpStream> = (0..40)
            .map(|_| {
                let headers = format!("content-length: {}", 8 * MIB);
                let mut stream = begin(ELSEWHERE, &server, &attacker, &numbered(0).0, &headers);
                // The server may have rejected it.
                let _ = stream.write_all(&part);
                stream
            })
            .collect();
        assert_eq!(server.put_numbered(round, &token), 201, "{sent} bytes sent of each");
        drop(stalled);
    }
    assert_small(&server);
}
