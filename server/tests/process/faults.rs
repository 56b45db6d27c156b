//! Faults under load: every acknowledged upload is stored completely and once after processes or connections
//! end.
//!
//! `ROUNDTRIP_FAULT_ROUNDS` sets the number of repetitions; a few by default.

use crate::database::number;
use crate::disk::Disk;
use crate::report::numbered;
use crate::support::{Place, Server, eventually, is_root_or_explains};
use rustix::process::{Signal, kill_process};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const SENDERS: u64 = 4;
/// Acknowledged uploads in a round before the fault.
const ACKNOWLEDGED_MIN: usize = 20;
/// A rate limit that the tests do not reach.
pub(crate) const UNLIMITED: [&str; 2] = ["--requests-per-minute", "1000000"];

/// The number of repetitions: `few`, unless the variable sets it.
pub(crate) fn rounds(few: u64) -> u64 {
    let asked = std::env::var("ROUNDTRIP_FAULT_ROUNDS").ok();
    asked.map_or(few, |asked| asked.parse().expect("ROUNDTRIP_FAULT_ROUNDS is a number"))
}

/// Agents that repeat unacknowledged uploads, with the current server.
#[derive(Default)]
struct Load {
    next: AtomicU64,
    /// Sent, but not acknowledged.
    open: Mutex<Vec<u64>>,
    acknowledged: Mutex<Vec<u64>>,
}

impl Load {
    /// Uploads until the server stops answering, or until `is_enough`.
    fn send(&self, server: &Server, token: &str, is_enough: impl Fn(u16) -> bool) {
        loop {
            let again = self.open.lock().unwrap().pop();
            let number = again.unwrap_or_else(|| self.next.fetch_add(1, Ordering::Relaxed));
            let (path, report) = numbered(number);
            let answer = server.try_send("PUT", &path, token, &report.to_string());
            match answer {
                Some(200 | 201) => self.acknowledged.lock().unwrap().push(number),
                _ => self.open.lock().unwrap().push(number),
            }
            if answer.is_none_or(&is_enough) {
                return;
            }
        }
    }

    /// Uploads from several threads like [`Self::send`].
    fn send_all(
        &self,
        server: &Server,
        token: &str,
        is_enough: impl Fn(u16) -> bool + Sync,
        meanwhile: impl FnOnce(),
    ) {
        std::thread::scope(|scope| {
            for _ in 0..SENDERS {
                scope.spawn(|| self.send(server, token, &is_enough));
            }
            meanwhile();
        });
    }

    /// Uploads until `end` in the middle of the load stops it.
    fn interrupt(
        &self,
        server: &Server,
        token: &str,
        is_enough: impl Fn(u16) -> bool + Sync,
        end: impl FnOnce(),
    ) {
        let wanted = self.acknowledged_count() + ACKNOWLEDGED_MIN;
        self.send_all(server, token, is_enough, || {
            eventually("the middle of the load", || (self.acknowledged_count() >= wanted).then_some(()));
            end();
        });
    }

    fn acknowledged_count(&self) -> usize {
        self.acknowledged.lock().unwrap().len()
    }

    /// Asserts that all acknowledged uploads are stored completely.
    fn assert_complete(&self, server: &Server, url: &str) {
        let acknowledged = self.acknowledged.lock().unwrap();
        let statuses = acknowledged.iter().map(|number| (number, server.get(&numbered(*number).0)));
        let missing: Vec<_> = statuses.filter(|(_, status)| *status != 200).collect();
        assert!(missing.is_empty(), "acknowledged and missing, with their statuses: {missing:?}");
        // Unacknowledged uploads may also be stored, at most once.
        let stored = number(url, "select count(*) from run");
        let sent = self.next.load(Ordering::Relaxed);
        assert!((acknowledged.len() as u64..=sent).contains(&stored.cast_unsigned()), "{stored} of {sent}");
        assert_runs_complete(url);
        println!("{} acknowledged, 0 missing", acknowledged.len());
    }
}

/// Asserts that every stored run is complete and counted.
#[track_caller]
pub(crate) fn assert_runs_complete(url: &str) {
    for half in [
        "select count(*) from run where point_count <> (select count(*) from point where point.run_id = run.run_id)",
        "select count(*) from run where not exists (select from run_upload where run_upload.run_id = run.run_id)",
        "select count(*) from run where not exists (select from run_result where run_result.run_id = run.run_id)",
        "select count(*) from point where not exists (select from run where run.run_id = point.run_id)",
        "select sum(run_count)::bigint - (select count(*) from run) from project_machine",
        "select sum(commit_count)::bigint - (select count(distinct commit_id) from run) from project_machine",
        "select sum(series_count)::bigint - (select count(*) from series) from project_machine",
    ] {
        assert_eq!(number(url, half), 0, "{half}");
    }
}

/// Repeatedly kills a part of a server while agents upload.
fn assert_no_loss_when(end: impl Fn(&Place, &Server)) {
    let (place, load) = (Place::new(), Load::default());
    for _ in 0..rounds(3) {
        let server = place.serve_with(&UNLIMITED);
        load.interrupt(&server, &place.token(), |_| false, || end(&place, &server));
        server.finish();
    }
    let server = place.serve_with(&UNLIMITED);
    load.assert_complete(&server, &place.address());
}

#[test]
fn keeps_acknowledged_uploads_when_the_server_is_killed() {
    assert_no_loss_when(|_, server| server.signal(Signal::KILL));
}

#[test]
fn keeps_acknowledged_uploads_when_postgresql_is_killed() {
    assert_no_loss_when(|place, _| kill_process(place.postmaster(), Signal::KILL).unwrap());
}

#[test]
fn keeps_acknowledged_uploads_when_the_database_restarts() {
    let (place, load, is_away) = (Place::new(), Load::default(), AtomicBool::new(false));
    let mut postgres = place.postgres();
    let url = postgres.first_line.clone();
    let server = place.serve_on("server", &url, &UNLIMITED);
    let token = place.token_of("server");
    for _ in 0..rounds(3) {
        is_away.store(false, Ordering::Relaxed);
        let is_enough = |status| is_away.load(Ordering::Relaxed) && !matches!(status, 200 | 201);
        load.interrupt(&server, &token, is_enough, || {
            is_away.store(true, Ordering::Relaxed);
            kill_process(place.postmaster(), Signal::KILL).unwrap();
        });
        postgres.finish();
        assert_eq!(server.get("/healthz"), 200, "the server is alive");
        assert_eq!(server.get("/readyz"), 503, "and not ready");
        postgres = place.postgres();
        assert_eq!(postgres.first_line, url);
        eventually("being ready again", || (server.get("/readyz") == 200).then_some(()));
    }
    load.assert_complete(&server, &url);
    assert!(server.stop().status.success());
}

#[test]
fn discards_interrupted_uploads() {
    const CUTS: usize = 16;
    let place = Place::new();
    let server = place.serve_with(&UNLIMITED);
    let (token, (path, report)) = (place.token(), numbered(1));
    let body = report.to_string();
    let address = server.first_line.strip_prefix("listening on http://").unwrap();
    for cut in 0..CUTS {
        let mut stream = TcpStream::connect(address).unwrap();
        write!(
            stream,
            "PUT {path} HTTP/1.1\r\nhost: test\r\nauthorization: Bearer {token}\r\n\
             content-type: application/json\r\ncontent-length: {}\r\n\r\n",
            body.len()
        )
        .unwrap();
        stream.write_all(&body.as_bytes()[..body.len() * cut / CUTS]).unwrap();
        stream.shutdown(Shutdown::Write).unwrap();
        // Reads until the server closes: half an upload must not be acknowledged.
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(!answer.starts_with("HTTP/1.1 2"), "cut at {cut} of {CUTS}: {answer}");
    }
    for table in ["project", "machine", "commit", "run", "run_upload", "point"] {
        assert_eq!(number(&place.address(), &format!("select count(*) from {table}")), 0, "{table}");
    }
    assert_eq!(server.send("PUT", &path, &token, &body), 201);
    assert_runs_complete(&place.address());
}

#[test]
fn stores_concurrent_identical_uploads_once() {
    const CLIENTS: usize = 20;
    let place = Place::new();
    let server = place.serve_with(&UNLIMITED);
    let (token, (path, report)) = (place.token(), numbered(1));
    let body = report.to_string();
    let statuses = Mutex::new(BTreeMap::new());
    std::thread::scope(|scope| {
        for _ in 0..CLIENTS {
            scope.spawn(|| {
                for _ in 0..20 * rounds(3) {
                    let status = server.send("PUT", &path, &token, &body);
                    *statuses.lock().unwrap().entry(status).or_insert(0) += 1;
                }
            });
        }
    });
    let mut statuses = statuses.into_inner().unwrap();
    println!("{statuses:?}");
    assert_eq!(statuses.remove(&201), Some(1));
    // A busy server may reject some, and must not store any twice.
    assert!(statuses.keys().all(|status| matches!(status, 200 | 503)), "{statuses:?}");
    assert_eq!(number(&place.address(), "select count(*) from run"), 1);
    assert_eq!(server.send("PUT", &path, &token, &body.replace("\"main\"", "\"other\"")), 422);
}

#[test]
fn keeps_acknowledged_uploads_on_a_full_disk() {
    if !is_root_or_explains("a full disk") {
        return;
    }
    let (place, load) = (Place::new(), Load::default());
    std::fs::create_dir(place.data_dir()).unwrap();
    let Some(disk) = Disk::mount(&place.data_dir(), 400) else { return };
    let server = place.serve_with(&UNLIMITED);
    let token = place.token();
    // Less than one file of PostgreSQL's log.
    disk.leave(4);
    // Until the disk is full for an upload, or PostgreSQL has ended.
    load.send_all(&server, &token, |status| !matches!(status, 200 | 201), || ());
    println!("full after {} uploads", load.acknowledged_count());
    disk.resize(400);
    // A server whose PostgreSQL failed has ended; its service manager would restart it.
    let _ = server.stop();
    let server = place.serve_with(&UNLIMITED);
    assert_eq!(server.put_numbered(u32::MAX.into(), &token), 201);
    load.next.fetch_add(1, Ordering::Relaxed);
    load.assert_complete(&server, &place.address());
    assert!(server.stop().status.success());
}
