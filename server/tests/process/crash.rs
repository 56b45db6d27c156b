//! Killed processes: none outlives its server, and no stored data is lost.

use crate::support::{Place, Server, eventually};
use rustix::process::{Signal, kill_process};

#[test]
fn guard_stops_postgresql_of_a_killed_server() {
    let place = Place::new();
    let (server, token) = place.serve_with_token();
    server.signal(Signal::KILL);
    server.finish();
    eventually("the end of PostgreSQL", || (!place.has_postgres()).then_some(()));
    assert!(!place.data("postgres/postmaster.pid").exists(), "PostgreSQL was stopped in order");
    let server = place.serve();
    assert_token_is_known(&server, &token);
}

#[test]
fn restart_waits_for_the_previous_postgresql() {
    let place = Place::new();
    let (server, token) = place.serve_with_token();
    server.signal(Signal::KILL);
    server.finish();
    let server = place.serve();
    assert_token_is_known(&server, &token);
}

#[test]
fn restart_stops_an_orphaned_postgresql() {
    let place = Place::new();
    let (server, token) = place.serve_with_token();
    // Stopped first, so that it cannot react to the end of its guard.
    server.signal(Signal::STOP);
    kill_process(place.process("postgres-guard"), Signal::KILL).unwrap();
    server.signal(Signal::KILL);
    server.finish();
    let orphan = place.postmaster();
    assert!(place.has_postgres(), "PostgreSQL outlives its server and guard");
    let server = place.serve();
    assert_ne!(place.postmaster(), orphan);
    assert_token_is_known(&server, &token);
    let finished = server.stop();
    assert!(finished.errors.contains("left by an earlier server"), "{finished:?}");
}

#[test]
fn keeps_data_when_all_processes_are_killed() {
    let place = Place::new();
    let (server, token) = place.serve_with_token();
    server.signal(Signal::STOP);
    for pid in [place.process("postgres-guard"), place.postmaster()] {
        kill_process(pid, Signal::KILL).unwrap();
    }
    server.signal(Signal::KILL);
    server.finish();
    assert!(place.data("postgres/postmaster.pid").exists(), "PostgreSQL could not clean up");
    let server = place.serve();
    assert_token_is_known(&server, &token);
}

#[test]
fn server_ends_when_postgresql_or_the_guard_dies() {
    let place = Place::new();
    for of in [Place::postmaster, |place: &Place| place.process("postgres-guard")] {
        let server = place.serve();
        kill_process(of(&place), Signal::KILL).unwrap();
        server.finish().assert_error(1, &["PostgreSQL ended unexpectedly"]);
        assert!(!place.has_postgres());
    }
}

/// The server checks the token before the body: an invalid report with an unknown token is answered with 401.
#[track_caller]
fn assert_token_is_known(server: &Server, token: &str) {
    assert_eq!(server.put_invalid(token), 400);
    assert_eq!(server.put_invalid("unknown"), 401);
}
