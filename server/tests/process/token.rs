//! Tokens that are made beside a running server.

use crate::support::Place;

#[test]
fn a_token_made_while_the_server_runs_is_accepted_by_it() {
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
fn with_a_database_url_the_first_token_is_in_the_data_directory() {
    let place = Place::new();
    let postgres = place.postgres();
    let server = place.serve_on("other", &postgres.first_line, &[]);
    assert_eq!(server.put_nonsense(&place.token_of("other")), 400);
    assert!(!place.folder().join("other/postgres").exists(), "no second PostgreSQL");
    assert!(server.stop().status.success());
    assert!(postgres.stop().status.success());
}
