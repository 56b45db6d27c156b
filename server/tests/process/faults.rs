//! Faults under load: whatever ends in the middle of uploads, what was acknowledged is there afterwards, once and whole.
//!
//! `ROUNDTRIP_FAULT_ROUNDS` says how often each is repeated: a few times, unless more is asked for.

use crate::database::number;
use crate::disk::Disk;
use crate::report::numbered;
use crate::support::{Place, Server, eventually, is_root_or_says_why};
use rustix::process::{Signal, kill_process};
use std::collections::BTreeMap;
use std::io::{Read, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

const SENDERS: u64 = 4;
/// Uploads that are acknowledged in a round before something ends.
const ACKNOWLEDGED_MIN: usize = 20;
/// No client is meant to send as much.
pub(crate) const UNLIMITED: [&str; 2] = ["--requests-per-minute", "1000000"];

/// How often something ends: so many times, unless more is asked for.
pub(crate) fn rounds(few: u64) -> u64 {
    let asked = std::env::var("ROUNDTRIP_FAULT_ROUNDS").ok();
    asked.map_or(few, |asked| asked.parse().expect("ROUNDTRIP_FAULT_ROUNDS is a number"))
}

/// Agents that send what was not acknowledged again, to whichever server there is.
#[derive(Default)]
struct Load {
    next: AtomicU64,
    /// Sent, and not acknowledged.
    open: Mutex<Vec<u64>>,
    acknowledged: Mutex<Vec<u64>>,
}

impl Load {
    /// Uploads until nobody answers, or until `is_enough`.
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

    fn acknowledged_count(&self) -> usize {
        self.acknowledged.lock().unwrap().len()
    }

    /// That all of it is there, and nothing by half.
    fn assert_complete(&self, server: &Server, url: &str) {
        let acknowledged = self.acknowledged.lock().unwrap();
        let statuses = acknowledged.iter().map(|number| (number, server.get(&numbered(*number).0)));
        let missing: Vec<_> = statuses.filter(|(_, status)| *status != 200).collect();
        assert!(missing.is_empty(), "acknowledged and missing, with their statuses: {missing:?}");
        // What was stored and not acknowledged may be there, too, once.
        let stored = number(url, "select count(*) from run");
        let sent = self.next.load(Ordering::Relaxed);
        assert!((acknowledged.len() as u64..=sent).contains(&stored.cast_unsigned()), "{stored} of {sent}");
        assert_nothing_is_half_stored(url);
        println!("{} acknowledged, 0 missing", acknowledged.len());
    }
}

/// That whatever is there of a run is all of it, and counted.
#[track_caller]
pub(crate) fn assert_nothing_is_half_stored(url: &str) {
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

/// Ends something of a server again and again while agents upload.
fn assert_nothing_is_lost_when(end: impl Fn(&Place, &Server)) {
    let (place, load) = (Place::new(), Load::default());
    for _ in 0..rounds(3) {
        let server = place.serve_with(&UNLIMITED);
        let token = place.token();
        let before = load.acknowledged_count();
        std::thread::scope(|scope| {
            for _ in 0..SENDERS {
                scope.spawn(|| load.send(&server, &token, |_| false));
            }
            let is_loaded = || load.acknowledged_count() >= before + ACKNOWLEDGED_MIN;
            eventually("the middle of the load", || is_loaded().then_some(()));
            end(&place, &server);
        });
        server.finish();
    }
    let server = place.serve_with(&UNLIMITED);
    load.assert_complete(&server, &place.address());
}

#[test]
fn nothing_that_was_acknowledged_is_lost_when_the_server_is_killed() {
    assert_nothing_is_lost_when(|_, server| server.signal(Signal::KILL));
}

#[test]
fn nothing_that_was_acknowledged_is_lost_when_postgresql_is_killed() {
    assert_nothing_is_lost_when(|place, _| kill_process(place.postmaster(), Signal::KILL).unwrap());
}

#[test]
fn nothing_that_was_acknowledged_is_lost_when_the_database_goes_away_and_comes_back() {
    let (place, load, is_away) = (Place::new(), Load::default(), AtomicBool::new(false));
    let mut postgres = place.postgres();
    let url = postgres.first_line.clone();
    let server = place.serve_on("server", &url, &UNLIMITED);
    let token = place.token_of("server");
    for _ in 0..rounds(3) {
        let before = load.acknowledged_count();
        is_away.store(false, Ordering::Relaxed);
        std::thread::scope(|scope| {
            for _ in 0..SENDERS {
                scope.spawn(|| {
                    load.send(&server, &token, |status| {
                        is_away.load(Ordering::Relaxed) && !matches!(status, 200 | 201)
                    });
                });
            }
            let is_loaded = || load.acknowledged_count() >= before + ACKNOWLEDGED_MIN;
            eventually("the middle of the load", || is_loaded().then_some(()));
            is_away.store(true, Ordering::Relaxed);
            kill_process(place.postmaster(), Signal::KILL).unwrap();
        });
        postgres.finish();
        assert_eq!(
            (server.get("/healthz"), server.get("/readyz")),
            (200, 503),
            "it lives, and says what it lacks"
        );
        postgres = place.postgres();
        assert_eq!(postgres.first_line, url);
        eventually("being ready again", || (server.get("/readyz") == 200).then_some(()));
    }
    load.assert_complete(&server, &url);
    assert!(server.stop().status.success());
}

#[test]
fn an_upload_that_is_cut_leaves_nothing_and_can_come_again() {
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
        // Until the server has nothing more to say of it: an answer to half an upload is no acknowledgement.
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(!answer.starts_with("HTTP/1.1 2"), "cut at {cut} of {CUTS}: {answer}");
    }
    for table in ["project", "machine", "commit", "run", "run_upload", "point"] {
        assert_eq!(number(&place.address(), &format!("select count(*) from {table}")), 0, "{table}");
    }
    assert_eq!(server.send("PUT", &path, &token, &body), 201);
    assert_nothing_is_half_stored(&place.address());
}

#[test]
fn a_storm_of_one_upload_is_one_run() {
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
    // A busy server may turn some away, and does not take them for new ones.
    assert!(statuses.keys().all(|status| matches!(status, 200 | 503)), "{statuses:?}");
    assert_eq!(number(&place.address(), "select count(*) from run"), 1);
    assert_eq!(server.send("PUT", &path, &token, &body.replace("\"main\"", "\"other\"")), 422);
}

#[test]
fn on_a_full_disk_nothing_is_acknowledged_that_is_lost_and_with_room_it_goes_on() {
    if !is_root_or_says_why("a full disk") {
        return;
    }
    let (place, load) = (Place::new(), Load::default());
    std::fs::create_dir(place.data_dir()).unwrap();
    let Some(disk) = Disk::mount(&place.data_dir(), 400) else { return };
    let server = place.serve_with(&UNLIMITED);
    let token = place.token();
    // Less than one file of PostgreSQL's log takes.
    disk.leave(4);
    // Until one is refused for it, or PostgreSQL has ended.
    std::thread::scope(|scope| {
        for _ in 0..SENDERS {
            scope.spawn(|| load.send(&server, &token, |status| !matches!(status, 200 | 201)));
        }
    });
    println!("full after {} uploads", load.acknowledged_count());
    disk.resize(400);
    // A server whose PostgreSQL could not go on has ended, and is started again by whatever keeps it running.
    let _ = server.stop();
    let server = place.serve_with(&UNLIMITED);
    let (path, report) = numbered(u64::from(u32::MAX));
    assert_eq!(server.send("PUT", &path, &token, &report.to_string()), 201);
    load.next.fetch_add(1, Ordering::Relaxed);
    load.assert_complete(&server, &place.address());
    assert!(server.stop().status.success());
}
