//! Synthetic history, written by the program.

use crate::support::Place;

#[test]
fn writes_synthetic_history() {
    let place = Place::new();
    let seed = |project: &str| place.run_line(&format!("seed --series 12 --commits 10 --project {project}"));
    let alone = seed("before").printed();
    assert!(alone.starts_with("before: 120 synthetic points"), "{alone}");
    assert!(!place.has_postgres(), "the temporary PostgreSQL is stopped");

    let server = place.serve();
    seed("later").printed();
    for project in ["before", "later"] {
        assert_eq!(server.get(&format!("/api/v1/projects/{project}")), 200);
    }
    seed("later").assert_error(1, &["project later already has runs"]);
}
