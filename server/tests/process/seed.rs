//! Synthetic history, written by the program.

use crate::support::Place;

#[test]
fn writes_synthetic_history() {
    let place = Place::new();
    let small = ["seed", "--series", "12", "--commits", "10", "--project"];
    let alone = place.run(&[&small[..], &["before"]].concat());
    assert!(alone.status.success(), "{alone:?}");
    assert!(alone.output.starts_with("before: 120 synthetic points"), "{alone:?}");
    assert!(!place.has_postgres(), "the temporary PostgreSQL is stopped");

    let server = place.serve();
    let beside = place.run(&[&small[..], &["beside"]].concat());
    assert!(beside.status.success(), "{beside:?}");
    for project in ["before", "beside"] {
        assert_eq!(server.get(&format!("/api/v1/projects/{project}")), 200);
    }
    let again = place.run(&[&small[..], &["beside"]].concat());
    assert!(again.sentence(1).contains("project beside already has runs"), "{again:?}");
}
