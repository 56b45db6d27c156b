//! Failed starts: each prints one sentence, changes no data and leaves no process.

use crate::disk::Disk;
use crate::support::{Place, SERVE, Server, give_to_postgres, is_root_or_explains};
use std::fs::Permissions;
use std::net::TcpListener;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

#[test]
fn rejects_a_second_server_on_the_same_directory() {
    let place = Place::new();
    let server = place.serve();
    let process = format!("process {}", server.pid().as_raw_nonzero());
    place.refused(&[]).assert_error(1, &[place.data_dir().to_str().unwrap(), &process]);
    assert_eq!(server.get("/readyz"), 200);
}

#[test]
fn rejects_a_port_in_use() {
    let place = Place::new();
    let holder = TcpListener::bind("127.0.0.1:0").unwrap();
    let port = holder.local_addr().unwrap().port().to_string();
    place.run(&["serve", "--port", &port]).assert_error(1, &[&port, "--port"]);
    assert!(!place.data_dir().exists(), "no data directory is created");
}

#[test]
fn rejects_a_public_address() {
    let place = Place::new();
    place.refused(&["--host", "0.0.0.0"]).assert_error(2, &["--public-read"]);
    assert!(!place.data_dir().exists(), "no data directory is created");
}

#[test]
fn keeps_a_half_initialised_directory() {
    let place = Place::new();
    std::fs::create_dir_all(place.data("postgres/base")).unwrap();
    std::fs::write(place.data("postgres/base/1"), "precious").unwrap();
    let named = place.data("postgres");
    place.refused(&[]).assert_error(1, &[named.to_str().unwrap(), "PG_VERSION is missing"]);
    assert_eq!(std::fs::read_to_string(place.data("postgres/base/1")).unwrap(), "precious");
    assert_eq!(names_in(&place.data("postgres")), ["base"]);
}

#[test]
fn rejects_files_of_another_major_version() {
    let place = Place::new();
    std::fs::create_dir_all(place.data("postgres/global")).unwrap();
    std::fs::write(place.data("postgres/global/pg_control"), "").unwrap();
    std::fs::write(place.data("postgres/PG_VERSION"), "9\n").unwrap();
    give_to_postgres(&place.data("postgres"));
    let parts = ["made by PostgreSQL 9, but", "pg_upgrade", "ROUNDTRIP_PG_BIN"];
    place.refused(&[]).assert_error(1, &parts);
    assert_eq!(names_in(&place.data("postgres")), ["PG_VERSION", "global"]);
}

#[test]
fn rejects_a_directory_closed_to_postgresqls_user() {
    if !is_root_or_explains("a directory that PostgreSQL's user cannot enter") {
        return;
    }
    let place = Place::new();
    let closed = place.folder().join("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::set_permissions(&closed, Permissions::from_mode(0o700)).unwrap();
    let refused = Server::spawn(&closed.join("data"), &SERVE, &[]).finish();
    refused.assert_error(1, &[&format!("cannot enter {}", closed.display())]);
    assert_eq!(names_in(&closed), Vec::<String>::new(), "no file is created");
}

#[test]
fn rejects_a_file_as_data_directory() {
    let place = Place::new();
    std::fs::write(place.data_dir(), "precious").unwrap();
    place.refused(&[]).assert_error(1, &[place.data_dir().to_str().unwrap()]);
    assert_eq!(std::fs::read_to_string(place.data_dir()).unwrap(), "precious");
}

#[test]
fn rejects_missing_programs() {
    let place = Place::new();
    let nowhere = place.folder().join("nowhere");
    let refused = Server::spawn(&place.data_dir(), &SERVE, &[("ROUNDTRIP_PG_BIN", &nowhere)]).finish();
    refused.assert_error(1, &["ROUNDTRIP_PG_BIN", nowhere.to_str().unwrap()]);
}

#[test]
fn rejects_an_unreachable_database() {
    let place = Place::new();
    let refused = place.run_on("postgres://someone:secret@127.0.0.1:1/there", &SERVE);
    refused.assert_error(1, &["the database there on 127.0.0.1:1"]);
    assert!(!refused.errors.contains("secret"), "{refused:?}");
    assert!(!place.data_dir().exists(), "no data directory is created");
}

#[test]
fn recovers_from_an_interrupted_first_start() {
    let place = Place::new();
    std::fs::create_dir_all(place.data("postgres.partial/base")).unwrap();
    std::fs::write(place.data("postgres.partial/base/1"), "").unwrap();
    let server = place.serve();
    assert_eq!(server.get("/readyz"), 200);
    assert!(!place.data("postgres.partial").exists());
}

#[test]
fn recovers_from_a_full_disk_at_the_first_start() {
    if !is_root_or_explains("a full disk") {
        return;
    }
    let place = Place::new();
    std::fs::create_dir(place.data_dir()).unwrap();
    let Some(disk) = Disk::mount(&place.data_dir(), 20) else { return };
    place.refused(&[]).assert_error(1, &["is full", place.data_dir().to_str().unwrap()]);
    for name in ["postgres", "postgres.partial"] {
        assert!(!place.data(name).exists(), "{name}");
    }
    assert!(!place.has_postgres());
    disk.resize(400);
    let server = place.serve();
    assert_eq!(server.get("/readyz"), 200);
    assert!(server.stop().status.success());
}

fn names_in(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> =
        folder.read_dir().unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
    names.sort();
    names
}
