//! Several servers with one database: start, migration, requests and shutdown.

use crate::database::{self, execute, number, until};
use crate::report::numbered;
use crate::support::{Place, SERVE, Server, eventually};
use roundtrip_server::MIGRATOR;
use rustix::process::Signal;
use sqlx::migrate::Migrator;
use sqlx::{Connection, PgConnection};
use std::io::{BufRead, BufReader, Write};
use std::net::TcpStream;
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};

#[test]
fn keeps_acknowledged_uploads_when_one_of_two_servers_stops() {
    const UPLOADS: u64 = 240;
    let (_postgres, place, url) = &Place::with_postgres();
    let servers = ["one", "two"].map(|name| place.serve_on(name, url, &[]));
    let token = place.token_of("one");
    let (next, acknowledged) = (AtomicU64::new(0), Mutex::new(Vec::new()));
    let upload = |agent: u64| {
        while let Some(number) = Some(next.fetch_add(1, Ordering::Relaxed)).filter(|number| *number < UPLOADS)
        {
            let (path, report) = numbered(number);
            let body = report.to_string();
            // Like a load balancer: a request that one server rejects goes to another.
            let attempts = (agent..).map(|attempt| &servers[usize::from(attempt % 2 == 1)]);
            let stored = attempts
                .take(100)
                .find(|server| matches!(server.try_send("PUT", &path, &token, &body), Some(200 | 201)));
            assert!(stored.is_some(), "no server accepted {path}");
            acknowledged.lock().unwrap().push(report["run_id"].as_str().unwrap().to_owned());
        }
    };
    std::thread::scope(|scope| {
        for agent in 0..6 {
            scope.spawn(move || upload(agent));
        }
        eventually("the middle of the load", || (next.load(Ordering::Relaxed) > UPLOADS / 3).then_some(()));
        servers[0].signal(Signal::TERM);
    });
    let acknowledged = acknowledged.into_inner().unwrap();
    assert_eq!(acknowledged.len() as u64, UPLOADS);
    let [ended, other] = servers;
    let finished = ended.finish();
    assert!(finished.status.success(), "{finished:?}");
    assert!(!finished.errors.contains("closed connections"), "{finished:?}");
    for run_id in &acknowledged {
        assert_eq!(other.get(&format!("/api/v1/runs/{run_id}")), 200);
    }
    assert_eq!(number(url, "select count(*) from run"), i64::try_from(UPLOADS).unwrap());
    assert!(other.stop().status.success());
}

#[test]
fn finishes_uploads_in_progress_at_shutdown() {
    let place = Place::new();
    let (server, token) = place.serve_with_token();
    let (path, report) = numbered(1);
    let body = report.to_string();
    let (begin, end) = body.split_at(body.len() / 2);
    let mut stream =
        TcpStream::connect(server.first_line.strip_prefix("listening on http://").unwrap()).unwrap();
    write!(
        stream,
        "PUT {path} HTTP/1.1\r\nhost: test\r\nauthorization: Bearer {}\r\ncontent-type: application/json\r\n\
         expect: 100-continue\r\ncontent-length: {}\r\nconnection: close\r\n\r\n",
        &token,
        body.len()
    )
    .unwrap();
    let mut answer = BufReader::new(stream.try_clone().unwrap()).lines().map(Result::unwrap);
    // Sent when the server begins to read the body.
    assert_eq!(answer.next().unwrap(), "HTTP/1.1 100 Continue");
    stream.write_all(begin.as_bytes()).unwrap();
    server.signal(Signal::TERM);
    eventually("the end of listening", || server.try_get("/healthz").is_none().then_some(()));
    stream.write_all(end.as_bytes()).unwrap();
    let status = answer.find(|line| !line.is_empty()).unwrap();
    assert_eq!(status, "HTTP/1.1 201 Created");
    assert!(server.finish().status.success());
}

#[test]
fn drains_before_shutdown_and_ends_at_a_second_signal() {
    let place = Place::new();
    let server = place.serve_with(&["--drain", "600"]);
    let token = place.token();
    server.signal(Signal::TERM);
    eventually("not being ready", || (server.get("/readyz") == 503).then_some(()));
    assert_eq!(server.get("/healthz"), 200);
    assert_eq!(server.put_numbered(1, &token), 201);
    server.stop().printed();
}

#[test]
fn two_servers_start_on_an_empty_database() {
    let place = Place::new();
    let postgres = place.postgres();
    for round in 0..3 {
        let url = &database::create(&postgres.first_line, &format!("round_{round}"));
        let start = &|name: &str| place.serve_on(&format!("{name}-{round}"), url, &[]);
        let servers = std::thread::scope(|scope| {
            let started = ["one", "two"].map(|name| scope.spawn(move || start(name)));
            started.map(|server| server.join().unwrap())
        });
        for server in servers {
            assert_eq!(server.get("/readyz"), 200);
            assert!(server.stop().status.success());
        }
    }
}

#[test]
fn completes_an_interrupted_migration() {
    let (_postgres, place, url) = &Place::with_postgres();
    let url = &database::create(url, "other");
    migrate_to(url, BEFORE_RUNS);
    let held = HeldLock::new(url, "lock table machine in access exclusive mode");
    let killed = place.spawn_on("killed", url, &SERVE);
    let waiting = "select count(*) from pg_stat_activity where wait_event_type = 'Lock' and query like '%create table run %'";
    until("the migration", url, waiting, 1);
    killed.signal(Signal::KILL);
    killed.finish();
    held.release();
    assert_next_is_ready(place, url);
}

#[test]
fn migration_does_not_block_other_transactions() {
    let (_postgres, place, url) = &Place::with_postgres();
    let url = &database::create(url, "other");
    migrate_to(url, BEFORE_RUNS);
    let held = HeldLock::new(url, "lock table machine in access exclusive mode");
    let impatient = format!("{url}{}options[lock_timeout]=100ms", if url.contains('?') { '&' } else { '?' });
    let finished = place.spawn_on("refused", &impatient, &SERVE).finish();
    assert!(!finished.status.success(), "{finished:?}");
    let timed_out = "migration 20261209000400 timed out waiting for a lock";
    assert!(finished.errors.contains(timed_out), "{finished:?}");
    held.release();
    assert_next_is_ready(place, url);
}

#[test]
fn removes_an_incomplete_index() {
    const COUNT: &str = "select count(*) from pg_class where relname = 'point_again'";
    let (_postgres, place, url) = &Place::with_postgres();
    let url = &database::create(url, "other");
    assert!(place.run_on(url, &["migrate"]).status.success());
    // Creating an index waits for transactions that write to the table.
    let held = HeldLock::new(url, "lock table point in row exclusive mode");
    let making = "from pg_stat_activity where wait_event_type = 'Lock' and query like '%index concurrently%'";
    std::thread::scope(|scope| {
        let made = scope.spawn(|| {
            database::with_connection(url, async |connection| {
                let make = "create index concurrently point_again on point (machine_id, series_id)";
                Ok(sqlx::query(make).execute(connection).await.is_ok())
            })
        });
        until("the index", url, &format!("select count(*) {making}"), 1);
        execute(url, &format!("select pg_terminate_backend(pid) {making}"));
        assert!(!made.join().unwrap());
    });
    held.release();
    assert_eq!(number(url, COUNT), 1, "the invalid index exists");

    let server = place.serve_on("next", url, &[]);
    assert_eq!(server.get("/readyz"), 200);
    assert_eq!(number(url, COUNT), 0);
    let finished = server.stop();
    assert!(finished.errors.contains("creating index point_again again"), "{finished:?}");
}

fn assert_next_is_ready(place: &Place, url: &str) {
    let server = place.serve_on("next", url, &[]);
    assert_eq!(server.get("/readyz"), 200);
    assert!(server.stop().status.success());
}

/// The migration before the table of runs, which references the table of machines.
const BEFORE_RUNS: i64 = 20_261_209_000_300;

/// Migrates tables up to one migration.
pub(crate) fn migrate_to(url: &str, last: i64) {
    database::with_connection(url, async |connection| {
        let migrations = MIGRATOR.iter().filter(|migration| migration.version <= last).cloned().collect();
        Migrator::with_migrations(migrations).run(connection).await.unwrap();
        Ok(())
    });
}

/// A lock held by a transaction of the test.
pub(crate) struct HeldLock {
    runtime: tokio::runtime::Runtime,
    connection: PgConnection,
}

impl HeldLock {
    pub(crate) fn new(url: &str, lock: &'static str) -> Self {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let connection = runtime.block_on(async {
            let mut connection = PgConnection::connect(url).await.unwrap();
            sqlx::query("begin").execute(&mut connection).await.unwrap();
            sqlx::query(lock).execute(&mut connection).await.unwrap();
            connection
        });
        Self { runtime, connection }
    }

    /// Kills the server that waits for the lock with a statement like this, and ends the statement.
    pub(crate) fn kill_waiting(self, url: &str, waiting: Server, statement: &str) {
        let of =
            format!("from pg_stat_activity where wait_event_type = 'Lock' and query ilike '{statement}'");
        let count = format!("select count(*) {of}");
        eventually(&format!("a statement like {statement}"), || (number(url, &count) > 0).then_some(()));
        waiting.signal(Signal::KILL);
        waiting.finish();
        // PostgreSQL would continue the statement of a lost client.
        execute(url, &format!("select pg_terminate_backend(pid) {of}"));
        self.release();
        until("the end of the statements", url, &count, 0);
    }

    pub(crate) fn release(self) {
        self.runtime.block_on(self.connection.close()).unwrap();
    }
}
