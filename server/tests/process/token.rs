//! Tokens that are made beside a running server.

use crate::support::{Place, SERVE, Server};
use std::path::Path;

#[test]
fn a_token_made_beside_the_running_server_is_accepted_by_it() {
    let place = Place::new();
    let server = place.serve();
    let made = place.run(&["token", "create", "--name", "lab-3"]);
    assert!(made.status.success(), "{made:?}");
    assert_eq!(made.output.lines().count(), 1, "the secret and nothing else");
    assert!(!made.errors.contains(&made.output), "the secret is shown once");
    assert_eq!(server.put_nonsense(&made.output), 400);
    assert_eq!(server.put_nonsense("unknown"), 401);
}

#[test]
fn without_a_running_server_there_is_no_token() {
    let place = Place::new();
    let refused = place.run(&["token", "create", "--name", "lab-3"]);
    assert!(refused.sentence(1).contains("roundtrip-server serve"), "{refused:?}");
    place.serve().stop();
    let refused = place.run(&["token", "create", "--name", "lab-3"]);
    assert!(refused.sentence(1).contains("no server runs on"), "{refused:?}");
}

#[test]
fn with_a_database_url_the_first_token_goes_where_it_is_told() {
    let place = Place::new();
    let postgres = Server::start(&place.data_dir(), &["postgres"], &[]);
    let other = place.folder().join("other");
    let url = Path::new(&postgres.first_line);
    let server = Server::start(&other, &SERVE, &[("DATABASE_URL", url)]);
    let token = std::fs::read_to_string(other.join("agent.token")).unwrap();
    assert_eq!(server.put_nonsense(token.trim()), 400);
    assert!(!other.join("postgres").exists(), "no second PostgreSQL");
    assert!(server.stop().status.success());
    assert!(postgres.stop().status.success());
}
