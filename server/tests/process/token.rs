//! Tokens created while a server runs.

use crate::support::Place;

#[test]
fn running_server_accepts_new_tokens() {
    let place = Place::new();
    let server = place.serve();
    let made = place.run(&["token", "create", "--name", "lab-3"]);
    assert!(made.status.success(), "{made:?}");
    assert_eq!(made.output.lines().count(), 1, "only the secret is printed");
    assert!(!made.errors.contains(&made.output), "the secret is shown once");
    assert_eq!(server.put_invalid(&made.output), 400);
    assert_eq!(server.put_invalid("unknown"), 401);
}

#[test]
fn token_needs_a_running_server() {
    let place = Place::new();
    let refused = place.run(&["token", "create", "--name", "lab-3"]);
    assert!(refused.sentence(1).contains("roundtrip-server serve"), "{refused:?}");
    place.serve().stop();
    let refused = place.run(&["token", "create", "--name", "lab-3"]);
    assert!(refused.sentence(1).contains("no server is running on"), "{refused:?}");
}

#[test]
fn writes_the_first_token_with_an_external_database() {
    let place = Place::new();
    let postgres = place.postgres();
    let server = place.serve_on("other", &postgres.first_line, &[]);
    assert_eq!(server.put_invalid(&place.token_of("other")), 400);
    assert!(!place.folder().join("other/postgres").exists(), "no second PostgreSQL");
    assert!(server.stop().status.success());
    assert!(postgres.stop().status.success());
}
