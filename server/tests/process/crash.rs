//! Processes that are killed: nothing outlives its server, and nothing that was stored is lost.

use crate::support::{Place, Server, eventually};
use rustix::process::{Signal, kill_process};

#[test]
fn after_the_server_is_killed_the_guard_stops_postgresql_and_the_data_stays() {
    let place = Place::new();
    let server = place.serve();
    let token = place.token();
    server.signal(Signal::KILL);
    server.finish();
    eventually("the end of PostgreSQL", || (!place.has_postgres()).then_some(()));
    assert!(!place.data("postgres/postmaster.pid").exists(), "PostgreSQL was stopped in order");
    let server = place.serve();
    assert_token_is_known(&server, &token);
}

#[test]
fn a_start_right_after_a_kill_waits_for_the_postgresql_before() {
    let place = Place::new();
    let server = place.serve();
    let token = place.token();
    server.signal(Signal::KILL);
    server.finish();
    let server = place.serve();
    assert_token_is_known(&server, &token);
}

#[test]
fn after_server_and_guard_are_killed_the_next_server_stops_the_orphan_and_works() {
    let place = Place::new();
    let server = place.serve();
    let token = place.token();
    // Stopped first, so that it cannot react to the end of its guard.
    server.signal(Signal::STOP);
    kill_process(place.process("postgres-guard"), Signal::KILL).unwrap();
    server.signal(Signal::KILL);
    server.finish();
    let orphan = place.postmaster();
    assert!(place.has_postgres(), "nobody was left to stop it");
    let server = place.serve();
    assert_ne!(place.postmaster(), orphan);
    assert_token_is_known(&server, &token);
    let finished = server.stop();
    assert!(finished.errors.contains("an earlier server left"), "{finished:?}");
}

#[test]
fn after_everything_is_killed_at_once_what_was_stored_is_there() {
    let place = Place::new();
    let server = place.serve();
    let token = place.token();
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
fn a_server_without_its_postgresql_ends_and_says_so_and_without_its_guard_stops_postgresql_itself() {
    let place = Place::new();
    for of in [Place::postmaster, |place: &Place| place.process("postgres-guard")] {
        let server = place.serve();
        kill_process(of(&place), Signal::KILL).unwrap();
        let finished = server.finish();
        assert!(finished.sentence(1).contains("PostgreSQL ended by itself"), "{finished:?}");
        assert!(!place.has_postgres());
    }
}

/// An upload that is no report is judged only after its token: 401 would mean that the token is not known.
#[track_caller]
fn assert_token_is_known(server: &Server, token: &str) {
    assert_eq!(server.put_nonsense(token), 400);
    assert_eq!(server.put_nonsense("unknown"), 401);
}
