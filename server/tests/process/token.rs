//! Tokens created while a server runs.

use crate::support::Place;

#[test]
fn token_needs_a_running_server() {
    let place = Place::new();
    let create = "token create --name lab-3";
    place.run_line(create).assert_error(1, &["roundtrip-server serve"]);
    place.serve().stop();
    place.run_line(create).assert_error(1, &["no server is running on"]);
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
