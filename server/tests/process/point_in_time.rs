//! Restores a database to a point in time, with the commands of `docs/how-to/backup-and-restore.md`, after
//! the loss of its files.

use crate::database::{execute, until};
use crate::report::numbered;
use crate::support::{Place, Server, give_to_postgres, postgres_user};
use rustix::process::{Pid, Signal, kill_process};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

const PAGE: &str = include_str!("../../../docs/how-to/backup-and-restore.md");
const SECTION: &str = "\n## To a point in time\n";
/// The target in the page, and the page's text for naming another one.
const NAMED: &str = "recovery_target_name = 'before-upgrade'";
const TIMED: &str = "recovery_target_time = '";
const INSTALLATION: &str = "019aa8f0-5c1e-7b3a-9f00-2f6d3a1c4e5b";

/// A PostgreSQL that no Roundtrip server started.
struct Cluster<'a> {
    place: &'a Place,
    programs: PathBuf,
}

impl Cluster<'_> {
    fn folder(&self, name: &str) -> PathBuf {
        self.place.folder().join(name)
    }

    /// Runs commands as the user of PostgreSQL, with the variables of the page. Returns their output.
    fn run(&self, commands: &str, restored: &str) -> String {
        let path = std::env::join_paths(
            [self.programs.clone()].into_iter().chain(std::env::split_paths(&std::env::var("PATH").unwrap())),
        );
        let mut shell = Command::new("sh");
        shell
            .args(["-euc", commands])
            .current_dir(self.place.folder())
            .env("PATH", path.unwrap())
            .env("HOME", self.place.folder())
            .env("PGHOST", self.folder("sockets"))
            .env("PGUSER", "roundtrip")
            .env("PGDATABASE", "postgres")
            .env("PGDATA", self.folder("files"))
            .env("BACKUP", self.folder("backup"))
            .env("RESTORED", self.folder(restored));
        if let Some(user) = postgres_user() {
            shell.uid(user.uid.as_raw()).gid(user.gid.as_raw());
        }
        let output = shell.output().unwrap();
        let log = std::fs::read_to_string(self.folder(restored).join("server.log")).unwrap_or_default();
        let complaint = format!("{}\n{log}", String::from_utf8_lossy(&output.stderr));
        let printed = String::from_utf8(output.stdout).unwrap();
        assert!(output.status.success(), "{commands}\n{printed}\n{complaint}");
        printed
    }

    fn url(&self) -> String {
        let folder = self.folder("sockets").display().to_string().replace('/', "%2F");
        format!("postgresql:///roundtrip?host={folder}&user=roundtrip")
    }

    fn server(&self, name: &str, arguments: &[&str]) -> Server {
        self.place.serve_on(name, &self.url(), arguments)
    }

    /// Kills the PostgreSQL of these files, with all of its processes.
    fn kill(&self, files: &str) {
        let note = std::fs::read_to_string(self.folder(files).join("postmaster.pid"));
        let Some(pid) = note.ok().and_then(|note| Pid::from_raw(note.lines().next()?.parse().ok()?)) else {
            return;
        };
        let _ = kill_process(pid, Signal::KILL);
        // Its children end after it; the last one releases the shared memory.
        crate::support::eventually("the end of PostgreSQL", || {
            let key = self.folder(files).display().to_string();
            let all = Command::new("ps").args(["-A", "-ww", "-o", "args="]).output().unwrap();
            (!String::from_utf8_lossy(&all.stdout).contains(&key)).then_some(())
        });
        // The lock file names a process that is gone or not yet reaped; the next PostgreSQL would believe it.
        let _ = std::fs::remove_file(self.folder("sockets").join(".s.PGSQL.5432.lock"));
    }
}

impl Drop for Cluster<'_> {
    fn drop(&mut self) {
        ["files", "by-name", "by-time"].iter().for_each(|files| self.kill(files));
    }
}

/// Stores runs like an agent that also reports the number of runs acknowledged before.
fn store(server: &Server, token: &str, numbers: std::ops::Range<u64>) {
    for number in numbers {
        let (path, report) = numbered(number);
        let (token, before) = (format!("Bearer {token}"), format!("{INSTALLATION} {number}"));
        let headers = [
            ("authorization", token.as_str()),
            ("content-type", "application/json"),
            ("roundtrip-acknowledged", before.as_str()),
        ];
        assert_eq!(server.call("PUT", &path, &headers, &report.to_string()).status(), 201);
    }
}

/// The numbers of the stored runs, and the number of lost runs that the server reports.
fn stored_and_lost(server: &Server, metrics: &str, all: u64) -> (Vec<u64>, u64) {
    let stored = (0..all).filter(|number| server.get(&numbered(*number).0) == 200).collect();
    let text = crate::support::text(&format!("http://{metrics}/metrics"));
    let lost = text.lines().find_map(|line| line.strip_prefix("roundtrip_runs_lost ")).unwrap();
    (stored, lost.parse().unwrap())
}

#[test]
fn restores_to_a_point_and_reports_lost_runs() {
    let Some(programs) = programs() else {
        println!("does not apply: no pg_basebackup, pg_ctl and psql next to postgres");
        return;
    };
    let [archive, base, point, restore] = blocks();
    assert!(PAGE.contains(TIMED) && restore.contains(NAMED), "the page names both kinds of target");
    let place = Place::new();
    give_to_postgres(place.folder());
    let cluster = Cluster { place: &place, programs };
    cluster.run(
        "initdb --username=roundtrip --auth=trust > /dev/null
         mkdir sockets
         echo \"listen_addresses = ''\nunix_socket_directories = '$PGHOST'\" >> \"$PGDATA/postgresql.conf\"
         pg_ctl start --wait --log \"$PGDATA/server.log\"
         createdb roundtrip",
        "",
    );
    cluster.run(&archive, "");

    let server = cluster.server("server", &[]);
    let token = &place.token_of("server");
    store(&server, token, 0..4);
    cluster.run(&base, "");
    store(&server, token, 4..8);
    let time = cluster.run("psql --tuples-only --no-align -c 'select clock_timestamp()'", "");
    store(&server, token, 8..10);
    cluster.run(&point, "");
    store(&server, token, 10..13);
    assert!(server.stop().status.success());
    cluster.run("psql -c 'select pg_switch_wal()'", "");
    let archived = "select (last_archived_wal >= pg_walfile_name(pg_current_wal_lsn() - 1))::int::bigint from pg_stat_archiver";
    until("the archive", &cluster.url(), archived, 1);

    // The simulated loss.
    cluster.kill("files");
    std::fs::remove_dir_all(cluster.folder("files")).unwrap();

    for (folder, commands, kept, lost) in [
        ("by-name", restore.clone(), 10, 3),
        ("by-time", restore.replace(NAMED, &format!("{TIMED}{}'", time.trim())), 8, 5),
    ] {
        cluster.run(&commands, folder);
        let metrics = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().to_string();
        let server = cluster.server("server", &["--metrics", &metrics]);
        let before = (0..kept).collect::<Vec<u64>>();
        let restored = stored_and_lost(&server, &metrics, 13);
        assert_eq!(restored, (before.clone(), 0), "{folder}: no agent has reported a count yet");
        store(&server, token, 13..14);
        let (stored, reported) = stored_and_lost(&server, &metrics, 14);
        assert_eq!((stored, reported), ([before, vec![13]].concat(), lost), "{folder}");
        crate::faults::assert_runs_complete(&cluster.url());
        // From the page on operating a server: acknowledge the loss.
        execute(&cluster.url(), "update installation set acknowledged_count = stored_count");
        assert_eq!(stored_and_lost(&server, &metrics, 0).1, 0, "{folder}");
        assert!(server.stop().status.success());
        cluster.kill(folder);
    }
}

/// The commands of the section, by block.
fn blocks() -> [String; 4] {
    let (_, section) = PAGE.split_once(SECTION).unwrap();
    let section = section.split("\n## ").next().unwrap();
    let blocks =
        section.split("\n```sh\n").skip(1).map(|rest| rest.split("\n```\n").next().unwrap().to_owned());
    blocks.collect::<Vec<_>>().try_into().expect("archive, base, point, restore")
}

/// The newest local PostgreSQL that includes the client programs.
fn programs() -> Option<PathBuf> {
    let named = std::env::var_os("ROUNDTRIP_PG_BIN").map(PathBuf::from);
    let installed = std::fs::read_dir("/usr/lib/postgresql").into_iter().flatten().flatten();
    let mut folders: Vec<PathBuf> = installed.map(|entry| entry.path().join("bin")).collect();
    folders.sort();
    folders.extend(named);
    let needed = ["initdb", "postgres", "pg_ctl", "pg_basebackup", "pg_verifybackup", "psql", "createdb"];
    folders.into_iter().rev().find(|folder| needed.iter().all(|name| folder.join(name).is_file()))
}
