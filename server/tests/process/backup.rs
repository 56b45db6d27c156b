//! Backups: a restore returns the same data, and rejects invalid backups.

use crate::database::{self, contents, number, until};
use crate::report::{golden, numbered};
use crate::search;
use crate::support::{Place, Server};
use crate::together::migrate_to;
use roundtrip_server::MIGRATOR;
use serde_json::{Value, json};
use std::io::Read;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

/// Starts a server, and creates a report, an import, synthetic history and tokens.
fn filled(place: &Place) -> Server {
    let (server, token) = place.serve_with_token();
    assert_eq!(server.put_numbered(1, &token), 201);
    let mut import = golden("minimal.json");
    import["run_id"] = json!("019aa8f0-5c1e-7b3a-9f00-00000000000a");
    import["results"] = json!([]);
    let file = r#"{"latency/ipc": {"latency": {"value": 1200.5}}}"#;
    let base64 = base64::Engine::encode(&base64::prelude::BASE64_STANDARD, file);
    let file = json!({ "name": "results.json", "format": "bmf", "base64": base64 });
    let import = json!({ "report": import, "file": file }).to_string();
    assert_eq!(server.send("POST", "/api/v1/import", &token, &import), 201);
    place.run_line("seed --series 20 --commits 30").printed();
    place.run_line("token create --name lab-3").printed();
    // A backup equals a later state only if the server has no work left.
    until("all to be searched for changes", &place.address(), search::DUE, 0);
    server
}

/// Writes a backup, and returns its path.
fn back_up(place: &Place) -> PathBuf {
    let file = place.folder().join("backup.tar.zst");
    place.run(&["backup", file.to_str().unwrap()]).printed();
    file
}

/// The contents of the tables, after the server has stopped.
fn contents_of(place: &Place) -> std::collections::BTreeMap<String, (i64, String)> {
    let postgres = place.postgres();
    let contents = contents(&postgres.first_line);
    assert!(postgres.stop().status.success());
    contents
}

#[test]
fn restores_every_table_of_a_running_server() {
    let place = Place::new();
    let server = filled(&place);
    let file = place.folder().join("backup.tar.zst");
    let written = place.run(&["backup", file.to_str().unwrap()]);
    assert!(written.status.success(), "{written:?}");
    assert!(written.errors.contains(" rows, "), "{written:?}");
    let mode = file.metadata().unwrap().permissions().mode();
    assert_eq!(mode & 0o777, 0o600, "the file contains private data");
    let token = place.token();
    let runs = server.text("/api/v1/projects/libfoo/runs");
    assert!(server.stop().status.success());
    let before = contents_of(&place);
    assert!(before.values().filter(|(count, _)| *count > 0).count() > 12, "{before:?}");

    let other = Place::new();
    other.run(&["restore", file.to_str().unwrap()]).printed();
    assert!(!other.has_postgres(), "the temporary PostgreSQL is stopped");
    assert_eq!(contents_of(&other), before);

    let server = other.serve();
    assert_eq!(server.text("/api/v1/projects/libfoo/runs"), runs);
    let (path, mut report) = numbered(2);
    report["project"] = json!("another");
    report["machine"]["slug"] = json!("another");
    assert_eq!(server.send("PUT", &path, &token, &report.to_string()), 201);
    assert_eq!(server.put_numbered(1, &token), 200, "as before");
}

#[test]
fn backs_up_through_pipes() {
    let place = Place::new();
    let server = filled(&place);
    let backup = |place: &Place| {
        let output = program(place, &["backup", "-"]).stderr(Stdio::piped()).output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        output.stdout
    };
    let with_server = backup(&place);
    assert!(server.stop().status.success());
    let alone = backup(&place);
    assert_eq!(rows(&with_server), rows(&alone));

    let other = Place::new();
    let mut restore = program(&other, &["restore", "-"]).stdin(Stdio::piped()).spawn().unwrap();
    std::io::Write::write_all(&mut restore.stdin.take().unwrap(), &alone).unwrap();
    assert!(restore.wait().unwrap().success());
    assert_eq!(contents_of(&other), contents_of(&place));
}

#[test]
fn rejects_invalid_backups() {
    let place = Place::new();
    let server = filled(&place);
    let file = back_up(&place);
    assert!(server.stop().status.success());
    let postgres = place.postgres();
    let url = database::create(&postgres.first_line, "other");
    let whole = std::fs::read(&file).unwrap();
    let plain = zstd::decode_all(whole.as_slice()).unwrap();
    let with = |from: &[u8], to: &[u8]| {
        let mut changed = plain.clone();
        let at = plain.windows(from.len()).position(|bytes| bytes == from).unwrap();
        changed[at..at + from.len()].copy_from_slice(to);
        zstd::encode_all(changed.as_slice(), 1).unwrap()
    };
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 1;
    let no_rows = {
        // A binary row of COPY begins with the number of its fields; the first row follows 19 bytes.
        let mut changed = plain.clone();
        let starts = plain.windows(11).enumerate().filter(|(_, bytes)| *bytes == b"PGCOPY\n\xff\r\n\0");
        let mut fields = starts.map(|(at, _)| at + 19..at + 21);
        let fields = fields.find(|fields| plain[fields.clone()] != [0xff, 0xff]).unwrap();
        changed[fields].copy_from_slice(&[0, 99]);
        zstd::encode_all(changed.as_slice(), 1).unwrap()
    };
    for (bytes, expected) in [
        (whole[..whole.len() / 2].to_vec(), "truncated or damaged"),
        (whole[..whole.len() - 1].to_vec(), "truncated or damaged"),
        (damaged, "damaged"),
        (with(b"seeded-pipe", b"needed-pipe"), "wrong checksum for the rows"),
        (no_rows, "wrong checksum for the rows"),
        (with(b"\"format\": 1", b"\"format\": 2"), "unsupported backup format 2"),
        (with(b"20261209000100", b"20991209000100"), "newer server (migration 20991209000100)"),
        (with(b"20261209000100", b"20261121000100"), "too old (its last migration is 20261121000100"),
        (b"no backup at all".to_vec(), "not a backup"),
        (Vec::new(), "not a backup"),
    ] {
        std::fs::write(&file, bytes).unwrap();
        let refused = place.run_on(&url, &["restore", file.to_str().unwrap()]);
        let sentence = refused.sentence(1);
        assert!(sentence.starts_with("nothing was restored from"), "{sentence}");
        assert!(sentence.contains(expected), "expected `{expected}`: {sentence}");
        let contents = contents(&url);
        assert!(contents.values().all(|(count, _)| *count == 0), "{expected}: {contents:?}");
    }
    std::fs::write(&file, whole).unwrap();
    let restored = place.run_on(&url, &["restore", file.to_str().unwrap()]);
    assert!(restored.status.success(), "failed restores leave an empty database: {restored:?}");
}

#[test]
fn restore_refuses_a_database_with_rows() {
    let place = Place::new();
    let _server = filled(&place);
    let file = back_up(&place);
    place.run(&["restore", file.to_str().unwrap()]).assert_error(1, &["is not empty", "token"]);
}

#[test]
fn migrates_restored_tables() {
    let place = Place::new();
    let postgres = place.postgres();
    let (old, new) =
        (database::create(&postgres.first_line, "old"), database::create(&postgres.first_line, "new"));
    // All tables except those of the last migration.
    let versions: Vec<i64> = MIGRATOR.iter().map(|migration| migration.version).collect();
    let [.., before, last] = versions[..] else { panic!("there is an older state") };
    migrate_to(&old, before);
    database::execute(&old, "insert into project (slug) values ('libfoo')");
    let file = place.folder().join("backup.tar.zst");
    place.run_on(&old, &["backup", file.to_str().unwrap()]).printed();
    let newest = "select max(version) from _sqlx_migrations";
    assert_eq!(number(&old, newest), before, "a backup does not migrate");

    place.run_on(&new, &["restore", file.to_str().unwrap()]).printed();
    assert_eq!(number(&new, newest), last);
    assert_eq!(number(&new, "select count(*) from project where slug = 'libfoo'"), 1);

    let again = place.run_on(&new, &["restore", file.to_str().unwrap()]);
    again.assert_error(1, &["newer than the backup"]);
}

#[test]
fn failed_backup_keeps_the_previous_one() {
    let place = Place::new();
    place.run_line("backup /nowhere/backup.tar.zst").assert_error(1, &["/nowhere/backup.tar.zst"]);
    assert!(!place.data_dir().exists(), "no data directory is created");
    let file = place.folder().join("backup.tar.zst");
    std::fs::write(&file, "the one before").unwrap();
    let failed = place.run_on("postgres://nobody@127.0.0.1:1/none", &["backup", file.to_str().unwrap()]);
    failed.assert_error(1, &["cannot connect"]);
    assert_eq!(std::fs::read_to_string(&file).unwrap(), "the one before");
    assert_eq!(std::fs::read_dir(place.folder()).unwrap().count(), 1, "no other file is left");
}

/// Runs the program with output that is not text.
fn program(place: &Place, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_roundtrip-server"));
    command.args(arguments).arg("--data-dir").arg(place.data_dir()).env_remove("DATABASE_URL");
    command
}

/// The row counts by table that a backup states.
fn rows(backup: &[u8]) -> Value {
    let plain = zstd::decode_all(backup).unwrap();
    let mut tar = tar::Archive::new(plain.as_slice());
    let mut text = String::new();
    for member in tar.entries().unwrap() {
        let mut member = member.unwrap();
        if member.path().unwrap() == Path::new("checksums.json") {
            member.read_to_string(&mut text).unwrap();
        }
    }
    serde_json::from_str(&text).unwrap()
}
