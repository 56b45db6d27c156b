//! Start, requests and shutdown.

use crate::database::{self, number};
use crate::support::{Place, SERVE, Server, eventually};
use roundtrip_server::MIGRATOR;
use rustix::process::{Signal, kill_process};
use std::io::BufRead;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

#[test]
fn new_server_becomes_ready_and_ignores_standard_input() {
    let place = Place::new();
    let mut server = place.serve();
    server.close_stdin();
    assert_eq!(server.get("/healthz"), 200);
    assert_eq!(server.get("/readyz"), 200);
    assert_eq!(server.stop().printed(), "", "only one line on standard output");
}

#[test]
fn sigterm_and_sigint_stop_server_and_postgresql() {
    let place = Place::new();
    for signal in [Signal::TERM, Signal::INT] {
        let server = place.serve();
        assert!(place.has_postgres());
        server.signal(signal);
        server.finish().printed();
        assert!(!place.has_postgres());
        let log = std::fs::read_to_string(place.data("postgres.log")).unwrap();
        assert!(log.contains("database system is shut down"), "{log}");
    }
}

#[test]
fn event_streams_do_not_delay_the_shutdown() {
    let place = Place::new();
    let (server, token) = place.serve_with_token();
    assert_eq!(server.put_numbered(1, &token), 201);
    let mut events = server.open("/api/v1/projects/libfoo/events").lines().map(Result::unwrap);
    assert_eq!(events.next().as_deref(), Some("retry: 3000"));
    let finished = server.stop();
    assert!(finished.status.success(), "{finished:?}");
    assert!(!finished.errors.contains("closed connections"), "{finished:?}");
    assert!(events.all(|line| line.is_empty()), "the stream ends");
}

#[test]
fn end_of_standard_input_stops_the_server() {
    let place = Place::new();
    let mut server = place.serve_with(&["--stop-with-stdin"]);
    server.close_stdin();
    server.finish().printed();
    assert!(!place.has_postgres());
}

#[test]
fn recovers_from_a_stop_during_initialisation() {
    let place = Place::new();
    let server = Server::spawn(&place.data_dir(), &SERVE, &[]);
    eventually("initdb", || place.data("postgres.partial/base").exists().then_some(()));
    server.stop().printed();
    assert!(!place.has_postgres());
    assert_eq!(place.serve().get("/readyz"), 200);
}

#[test]
fn signal_to_all_processes_stops_in_order() {
    let place = Place::new();
    let server = place.serve();
    // Like a service manager: every process gets the signal.
    for pid in [place.process("postgres-guard"), place.postmaster(), server.pid()] {
        kill_process(pid, Signal::TERM).unwrap();
    }
    server.finish().printed();
    assert!(!place.has_postgres());
}

#[test]
fn first_token_is_private_and_stable() {
    let place = Place::new();
    place.serve().stop();
    let path = place.data("agent.token");
    assert_eq!(path.metadata().unwrap().permissions().mode() & 0o777, 0o600);
    let token = std::fs::read_to_string(&path).unwrap();
    place.serve().stop();
    assert_eq!(std::fs::read_to_string(&path).unwrap(), token);
}

#[test]
fn postgres_prints_the_url_of_a_durable_database() {
    let place = Place::new();
    let postgres = place.postgres();
    for (setting, value) in [("fsync", "on"), ("listen_addresses", "")] {
        let query =
            format!("select count(*) from pg_settings where name = '{setting}' and setting = '{value}'");
        assert_eq!(number(&postgres.first_line, &query), 1, "{setting}");
    }
    assert_eq!(place.data("run").metadata().unwrap().permissions().mode() & 0o777, 0o700);
    assert!(postgres.stop().status.success());
    assert!(!place.has_postgres());
}

#[test]
fn test_postgres_has_a_template_and_no_fsync() {
    let place = Place::new();
    let postgres = Server::start(&place.data_dir(), &["postgres", "--for-tests"], &[]);
    let fsync = "select (current_setting('fsync') = 'on')::integer::bigint";
    assert_eq!(number(&postgres.first_line, fsync), 0);
    let copy = database::create(&postgres.first_line, "copy");
    let applied = i64::try_from(MIGRATOR.iter().count()).unwrap();
    assert_eq!(number(&copy, "select count(*) from _sqlx_migrations where success"), applied);
    assert_eq!(number(&copy, "select count(*) from run"), 0);
    assert!(postgres.stop().status.success());
    // Without the option, existing files are as durable as any.
    let postgres = place.postgres();
    assert_eq!(number(&postgres.first_line, fsync), 1);
    assert!(postgres.stop().status.success());
}

#[test]
fn postgres_locates_a_supported_version() {
    let place = Place::new();
    let located = place.run(&["postgres", "--locate"]);
    assert!(located.status.success(), "{located:?}");
    assert!(Path::new(&located.output).join("initdb").is_file(), "{located:?}");
    let old = place.folder().join("14");
    std::fs::create_dir(&old).unwrap();
    for name in ["initdb", "postgres"] {
        std::fs::write(old.join(name), "#!/bin/sh\necho 'postgres (PostgreSQL) 14.9'\n").unwrap();
        std::fs::set_permissions(old.join(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let variables = [("ROUNDTRIP_PG_BIN", old.as_path())];
    let located = Server::spawn(&place.data_dir(), &["postgres", "--locate"], &variables).finish();
    assert!(located.status.success() && located.output.is_empty(), "{located:?}");
    assert!(!place.data_dir().exists(), "no data directory is created");
}

#[test]
fn works_with_a_path_too_long_for_a_socket() {
    let place = Place::new();
    let deep = place.folder().join("deep/".repeat(30)).join("data");
    let server = Server::start(&deep, &SERVE, &[]);
    assert_eq!(server.get("/readyz"), 200);
    server.stop().printed();
}

#[test]
fn migrate_creates_tables_and_exits() {
    let place = Place::new();
    place.run(&["migrate"]).printed();
    assert!(!place.has_postgres());
    assert!(place.data("postgres/PG_VERSION").exists());
}
