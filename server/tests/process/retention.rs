//! Retention: commands that show and delete old data, and servers that delete it automatically.

use crate::database::{execute, number, until};
use crate::support::Place;
use crate::together::HeldLock;

const SEED: [&str; 7] = ["seed", "--project", "libfoo", "--series", "5", "--commits", "4"];
const OLD_UPLOADS: &str = "update run set received_at = now() - interval '91 days', upload_pruned_at = null";
const KEPT: &str = "select count(*) from run where upload_pruned_at is null";

#[test]
fn sets_shows_and_applies_retention() {
    let place = Place::new();
    let server = place.serve();
    place.run(&SEED).printed();
    let postgres = place.address();
    let set = place.run(&["retention", "--project", "libfoo", "--uploads", "90"]);
    assert_eq!(set.output, "libfoo: uploads 90 days, distributions forever, points forever");
    assert_eq!(place.run(&["retention"]).output, set.output);
    let unknown = place.run_line("retention --project other --uploads 90");
    unknown.assert_error(1, &["project other not found"]);
    let wrong = place.run_line("retention --project libfoo --uploads 0");
    assert_eq!(wrong.status.code(), Some(2), "{wrong:?}");

    execute(&postgres, OLD_UPLOADS);
    let preview = place.run(&["prune", "--dry-run"]);
    assert!(preview.output.contains("libfoo: uploads from before "), "{preview:?}");
    assert!(preview.output.contains("would be deleted from 20 runs"), "{preview:?}");
    assert_eq!(number(&postgres, KEPT), 20);
    let pruned = place.run(&["prune"]);
    assert!(pruned.output.ends_with("were deleted from 20 runs"), "{pruned:?}");
    assert_eq!(number(&postgres, KEPT), 0);

    let back = place.run(&["retention", "--project", "libfoo", "--uploads", "forever"]);
    assert_eq!(back.output, "libfoo: uploads forever, distributions forever, points forever");
    assert_eq!(server.get("/readyz"), 200);
}

#[test]
fn two_servers_delete_old_data_once() {
    let (_postgres, place, url) = &Place::with_postgres();
    place.run_on(url, &SEED).printed();
    execute(url, OLD_UPLOADS);
    place.run_on(url, &["retention", "--project", "libfoo", "--uploads", "90"]).printed();
    let servers = ["one", "two"].map(|name| place.serve_on(name, url, &[]));
    until("the removal", url, KEPT, 0);
    let task = |of: &str| format!("select {of} from task where name = 'retention'");
    until("its end", url, &task("count(finished_at)"), 1);
    assert_eq!(number(url, &task("count(*) filter (where due_at > now() + interval '23 hours')")), 1);
    assert_eq!(number(url, &task("fence")), 1, "only one server deleted");
    for server in servers {
        assert!(server.stop().status.success());
    }
}

#[test]
fn completes_an_interrupted_deletion() {
    const RUNS: &str = "select count(*) from run";
    const WHOLE: &str = "select count(*) from run where points_pruned_at is null
        and point_count = (select count(*) from point where point.run_id = run.run_id)
        and point_count = (select count(*) from point_histogram where point_histogram.run_id = run.run_id)
        and exists (select from run_result where run_result.run_id = run.run_id)";
    const REMOVED: &str = "select count(*) from run where points_pruned_at is not null
        and not exists (select from point where point.run_id = run.run_id)
        and not exists (select from point_histogram where point_histogram.run_id = run.run_id)
        and not exists (select from run_result where run_result.run_id = run.run_id)";
    let (_postgres, place, url) = &Place::with_postgres();
    place.run_on(url, &SEED).printed();
    let runs = number(url, RUNS);
    assert_eq!(number(url, WHOLE), runs);
    place.run_on(url, &["retention", "--project", "libfoo", "--points", "90"]).printed();
    execute(url, "update run set received_at = now() - interval '91 days'");

    // Points and distributions are deleted, but the transaction is still open.
    let held = HeldLock::new(url, "lock table run_result in share mode");
    held.kill_waiting(url, place.spawn_on("data", url, &["prune"]), "delete from run_result%");
    assert_eq!(number(url, WHOLE) + number(url, REMOVED), runs, "each run is either complete or pruned");
    assert!(number(url, WHOLE) > 0, "the deletion was interrupted");

    place.run_on(url, &["prune"]).printed();
    assert_eq!((number(url, REMOVED), number(url, RUNS)), (runs, runs));
}
